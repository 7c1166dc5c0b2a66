"""How we come to sit: at the seat that we asked for, by what we signed for it, and with or without a part in the dice; how others may.

What is signed for a side's seat of no name holds for any of its seats: a host who sets a friend at that one, and us beside him, has all the
links that the side shows. And what she refused falsely she could use when we want it no more.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from client.connection.fouls import Foul
from client.connection.left_out import LeftOut
from core.identity import PublicKey
from core.log import Entry, Seat
from core.match import Match
from core.table_rules import DAY_MS
from core.text import text

ELSEWHERE = "you asked for the first seat of {side}, and the server set you at {seat}"
UNASKED = (
    "you were set at a seat of {side} by what this program did not sign, or was refused: "
    "another of yours may have, or you did before it was started"
)
AS_ANOTHER = "the server seated you, by your key, as {player}: nothing that is done there is taken for yours, and that seat can be lost so"
BESIDE = "{game}: you sit beside {player}, who shows the dice links of {side} for you, and says what shall be where others' stay away"

AHEAD = (
    "{game}: others were let have the seat of {player} at a moment that lies {days} days ahead of this machine's clock: "
    "the two weeks for which it is kept may not have passed"
)


def wall_ms() -> int:
    """Return what this machine's clock shows."""
    return round(time.time() * 1000)


class _Asked(NamedTuple):
    game: str
    seat: str


class Seatings:
    """Keeps by what we asked one server for seats, as long as the program runs.

    Args:
        tell: called with what an honest server does not do, and with what may be somebody else's doing.
        remark: called with what is worth knowing.
    """

    def __init__(self, tell: Callable[[Foul | LeftOut], None], remark: Callable[[str], None]) -> None:
        self._tell, self._remark = tell, remark
        self._asked: dict[bytes, _Asked] = {}
        self._told: set[tuple[str, str, str]] = set()

    def asks(self, game: str, seat: str, signature: bytes) -> None:
        """We ask for a seat, by a signature; *seat* may be empty: the one of that name, else any of its side."""
        self._asked[signature] = _Asked(game, seat)

    def was_refused(self, game: str) -> None:
        """The server says that it takes none of our signatures for a game."""
        self._asked = {signature: asked for signature, asked in self._asked.items() if asked.game != game}

    def may_not_sit(self, signature: bytes) -> None:
        """The server says that we don't get the seat for which we asked by a signature."""
        self._asked.pop(signature, None)

    def watch(self, match: Match, entry: Entry, name: str, own: PublicKey, *, live: bool) -> None:
        """Look at an entry by which we sit down ourselves; a referee may give us a seat."""
        act = entry.act
        if not isinstance(act, Seat) or not name:
            return
        self._look_at_date(match, entry, act)
        if live and act.player != name and act.key == own:
            self._tell_of_name(match.game, act.player)
        if (entry.player, act.player, act.key) != (name, name, own):
            return
        asked = self._asked.get(entry.signature)
        if asked is None and live and match.witnesses.signs_seats:
            self._tell(LeftOut(match.game, text(UNASKED, side=act.side)))
        elif asked is not None and asked.seat != act.seat and (act.side, asked.seat) in match.table.chairs:
            self._tell(Foul(match.game, text(ELSEWHERE, side=act.side, seat=act.seat or "the first")))

    def _look_at_date(self, match: Match, entry: Entry, act: Seat) -> None:
        """Remark that another than who left a seat lets others have it, by a date that has not come: what times there are the host says."""
        chair = match.table.chairs.get((act.side, act.seat))
        days = (entry.time_ms - wall_ms()) // DAY_MS
        if chair is not None and chair.kept_for not in ("", entry.player) and not act.player and days >= 1:
            self._remark(AHEAD.format(game=match.game, player=chair.kept_for, days=days))

    def look_for_key(self, match: Match, name: str, own: PublicKey) -> None:
        """A game is known to its end: tell, once, who sits there by our key under another name; what we sign for a seat bears no name."""
        for player in match.witnesses.seated:
            if name not in ("", player) and match.witnesses.key(player) == own:
                self._tell_of_name(match.game, player)

    def _tell_of_name(self, game: str, player: str) -> None:
        if (game, "", player) not in self._told:
            self._told.add((game, "", player))
            self._tell(Foul(game, text(AS_ANOTHER, player=player)))

    def look(self, match: Match, name: str) -> None:
        """A game at which we sit is known to its end: say, once, who witnesses the dice in our stead."""
        if not match.witnesses.witnessed:
            return
        witnesses = {side: player for (side, _), player in match.witnesses.witnessing.items()}
        for side in match.table.sides_of(name):
            player = witnesses.get(side, name)
            if player != name and (match.game, side, player) not in self._told:
                self._told.add((match.game, side, player))
                self._remark(BESIDE.format(game=match.game, player=player, side=side))
