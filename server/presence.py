"""Who is here: which players of a game are connected, who watches it, and who has been away since when.

Somebody is here while one of his connections was heard of within `SILENT_S`; clients say so much by themselves.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from core import protocol
from core.log import Entry, Seat
from core.protocol import Person
from core.seen import SeenEntry
from core.units import Side
from server import spectators, steady
from server.always import Faults, again
from server.rooms import Room
from server.sessions import Session

if TYPE_CHECKING:
    from server.service import Service

Programs = Mapping[str, tuple[str, ...]]  # of those who are there, by their names
logger = logging.getLogger("rasputitsa.server")
SILENT_S = 16.0  # three pings and some
GONE_S = 300.0  # who says nothing for so long is forgotten: else the games that he followed would stay in memory
LOOK_EVERY_S = 2.0
AT_ONCE = 20  # games that are looked at before orders have their turn
MOST_AT_ONCE = 10  # tellings of one game between two looks: whoever comes and goes without end drowns nobody's line
LISTED = 300  # people at most, so that the message stays far below what a line takes, whatever they are called
FEW = 20  # followers who are all told at once when one more comes; of a crowd the others are told at the next look


class Presence:
    """Tells the followers of games who else is there.

    Args:
        service: whose games and connections.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._since: dict[str, dict[str, tuple[bool, int]]] = {}  # game → person → here or away, since when
        self._told: dict[str, protocol.Present] = {}  # of games that anybody follows
        self._seen: dict[str, tuple[Mapping[str, tuple[Side, ...]], Programs]] = {}  # who sat and who was there at the last look
        self._at_once: Counter[str] = Counter()  # how often a game's followers were told since the last look
        self._faults = Faults()

    def online(self) -> frozenset[str]:
        """Return all players who are here."""
        return frozenset(session.player for session in self._service.sessions if session.player and not session.is_silent(SILENT_S))

    def present(self, room: Room, followers: Sequence[Session]) -> protocol.Present:
        """Return what tells who sits at a game or watches it."""
        people = self.people(room, followers)
        return protocol.Present(room.stored.game, people[:LISTED], max(0, len(people) - LISTED))

    def people(self, room: Room, followers: Sequence[Session]) -> tuple[Person, ...]:
        """Return who sits at a game or watches it: players first, then spectators."""
        seated, there = room.match.table.players(), programs_of(followers)
        self._seen.pop(room.stored.game, None)
        known, now = self._since.get(room.stored.game, {}), steady.now_ms()
        noted = {name: _noted(known.get(name), now, here=name in there) for name in (*sorted(seated), *sorted(there.keys() - seated))}
        for name in seated - there.keys() - known.keys():  # not seen since the server's start, and the log tells when he was there
            noted[name] = (False, last_heard(room, name))
        self._since[room.stored.game] = noted  # without those who only watched, and are gone
        sides = room.match.table.sides_of
        return tuple(Person(name, sides(name), here, since, there.get(name, ())) for name, (here, since) in noted.items())

    def _leave(self, game: str) -> None:
        """Remember of a game that nobody follows any more since when its players have been away, and nothing of who watched."""
        self._seen.pop(game, None)
        known, now = self._since.pop(game, {}), steady.now_ms()
        players = [person.name for person in self._told.pop(game).people if person.sides]
        if players:
            self._since[game] = {name: _noted(known.get(name), now, here=False) for name in players}

    def look(self, room: Room, followers: Sequence[Session]) -> bool:
        """Tell a game's followers who is there, if that has changed; return whether it has."""
        game, now = room.stored.game, (room.match.table.seated, programs_of(followers))
        if self._seen.get(game) == now:
            return False
        present = self.present(room, followers)
        self._seen[game] = now
        if present == self._told.get(game, protocol.Present(game, ())):
            return False
        self._told[game] = present
        data = protocol.encode(present)
        for session in followers:
            self._service.sessions.send_bytes(session, data)
        return True

    def tell(self, room: Room, session: Session) -> None:
        """Tell a new follower who is there, and the others of him: at once, unless a crowd comes in, or he comes all the time."""
        followers = list(self._service.sessions.followers(room.stored.game))
        self._told.setdefault(room.stored.game, protocol.Present(room.stored.game, ()))
        if len(followers) <= FEW and self._at_once[room.stored.game] < MOST_AT_ONCE:
            self._at_once[room.stored.game] += 1
            if self.look(room, followers):
                return
        self._service.sessions.send(session, self.present(room, followers))

    async def keep_looking(self) -> None:
        """Look at all games that anybody follows, again and again."""
        await again("looking who is here", self._look_at_all, LOOK_EVERY_S)

    async def _look_at_all(self) -> None:
        self._at_once.clear()
        sessions, loaded = self._service.sessions, self._service.rooms.loaded
        for session in sessions:
            if session.is_silent(GONE_S):
                sessions.forget(session)
                _log_gone(session)
        followed = {game for session in sessions for game in session.follows}
        for number, game in enumerate(followed & loaded.keys()):
            with self._faults.told(f"looking who is at {game}"):
                if game in loaded and (followers := sessions.followers(game)):  # by now: others come and go meanwhile
                    self.look(loaded[game], followers)
            if number % AT_ONCE == AT_ONCE - 1:  # of a thousand games this would take 10 ms
                await asyncio.sleep(0)
        for game in [game for game in self._told if not sessions.followers(game)]:
            self._leave(game)


def _log_gone(session: Session) -> None:
    """Write down that somebody left whose coming was."""
    if session.key:
        logger.info("gone", extra=session.told())


def programs_of(sessions: Iterable[Session]) -> Programs:
    """Return, by the names of those who were heard of lately, what their programs say that they are."""
    there: dict[str, set[str]] = {}
    for session in sessions:
        if session.player and not session.is_silent(SILENT_S):
            there.setdefault(session.player, set()).add(session.program)
    return {name: tuple(sorted(programs - {""})[: protocol.MOST_PROGRAMS]) for name, programs in there.items()}


def last_heard(room: Room, player: str) -> int:
    """Return when a player last did something in a game that all may know of by now; where it is shown them later, when he sat down."""
    is_shown = not spectators.is_held_back(room)
    known: Sequence[Entry | SeenEntry] = room.viewers.entries(room.viewer("")) if is_shown else room.match.log.entries
    own = (entry for entry in reversed(known) if entry.player == player and (is_shown or isinstance(entry.act, Seat)))
    return max((entry.time_ms for entry in itertools.islice(own, 1)), default=known[0].time_ms)


def _noted(known: tuple[bool, int] | None, now: int, *, here: bool) -> tuple[bool, int]:
    """Return whether somebody is here, and since when: what is *known*, unless it was otherwise."""
    return known if known is not None and known[0] == here else (here, now)
