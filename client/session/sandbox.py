"""What if: a game of one's own that begins at a moment of another one. Nothing of it goes back, or anywhere else."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping

from client.session.local import PERSON, LocalMatch
from client.session.match import LoggedMatch
from core.dice import Chain, ChainEnd
from core.errors import Refused
from core.log import Entry, Log
from core.match import Match, ServerDice
from core.text import text
from core.units import Side

LINKS = 2000  # times that dice may fall
PARTICIPANT = "server"
GAME_LENGTH = 50  # of the other game's id, so that the new one stays within what a file's head may bear


class SandboxMatch(LocalMatch):
    """A local game over a copy of another's entries up to a moment; its dice are its own, both sides are played here.

    Args:
        origin: the game it branches off.
        index: the moment that is the last they have in common.
        clock: returns milliseconds.
        seats: who plays each side: PERSON, or the name of a bot; persons by default.

    Attributes:
        fork: *index*.
    """

    def __init__(
        self, origin: LoggedMatch, index: int, *, clock: Callable[[], int], seats: Mapping[Side, str] | None = None
    ) -> None:
        self.fork = index
        chain = Chain(secrets.token_bytes(32), links=LINKS)
        match = Match(
            origin.setting,
            game=f"{origin.match.game[:GAME_LENGTH]}-what-if",
            chains=(ChainEnd(PARTICIPANT, chain.end, LINKS),),
            clock=clock,
            log=retold(origin.entries(index)),
        )
        who = dict.fromkeys(origin.setting.sides, PERSON) if seats is None else seats
        super().__init__(ServerDice(match, chain, participant=PARTICIPANT), origin.pack, who, title=origin.title)

    def undo(self) -> None:
        """Take back the last order that was given here; never one of the game before."""
        if self.keeper.match.log.head <= self.fork:
            raise Refused("", text("what went before belongs to the real game"))
        super().undo()


def retold(entries: Iterable[Entry]) -> Log:
    """Return a log in which the same happened, without the dice's secrets, which belong to the players of the other game."""
    log = Log()
    for entry in entries:
        log.add(log.seal(time_ms=entry.time_ms, side=entry.side, player=entry.player, order=entry.order, events=entry.events))
    return log
