"""All games of a server: those in use are rooms in memory, the others lie in the store, and only their line of the lobby is here.

A game is taken down from the shelf when somebody asks for it or one of its clocks runs out, and put away again when nobody has for a
while. So a server may have thousands of games, and needs memory for those that are played.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import msgspec

from core.protocol import GameLine
from server.always import Faults
from server.listing import game_line, is_shown_later, sits_in, veiled, with_online
from server.rooms import Room

IDLE_S = 60.0  # how long a game stays in memory that nobody follows or asks for


class PutAway(msgspec.Struct, frozen=True):
    """What is known of a game that is not in memory: its line, and whether a clock of it runs."""

    line: GameLine
    ticks: bool


def ticks(room: Room) -> bool:
    """Say whether a clock of a game runs; none does once the rules have ended it, though nobody stopped them."""
    clocks = room.match.table.clocks
    return clocks.are_kept and clocks.runs and room.match.outcome is None


class Shelf:
    """The games by id, oldest first.

    Args:
        take_down: reads a game from the store; it is told of each that comes into memory.
        now_s: a clock that never jumps.

    Attributes:
        loaded: those in memory.
        gone: how many were put away until now.
    """

    def __init__(self, take_down: Callable[[str], Room], *, now_s: Callable[[], float] = time.monotonic) -> None:
        self._take_down, self._now_s = take_down, now_s
        self._lying: dict[str, PutAway] = {}
        self._made: dict[str, tuple[int, GameLine]] = {}  # of games in memory: how long the log was, and the line
        self._shown: dict[str, tuple[GameLine, frozenset[str], GameLine]] = {}  # a line, who of its players is here, the line that tells it
        self._told: dict[str, GameLine] = {}  # the lobby's lines as listed last, in order; *_told_of* were online then
        self._told_of: frozenset[str] | None = None
        self._stale: set[str] = set()  # games that may be told otherwise by now, those in memory apart
        self._later: dict[str, None] = {}  # games that whoever holds no seat is shown later
        self._order: dict[str, None] = {}
        self.loaded: dict[str, Room] = {}
        self.gone = 0
        self._used_s: dict[str, float] = {}
        self._faults = Faults()

    def __contains__(self, game: str) -> bool:
        return game in self._order

    def __len__(self) -> int:
        return len(self._order)

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._order))

    def __getitem__(self, game: str) -> Room:
        """Return a game, read from the store if it was put away; KeyError if it is none of these."""
        if game not in self._order:
            raise KeyError(game)
        self._used_s[game] = self._now_s()
        if game not in self.loaded:
            self.loaded[game] = self._take_down(game)
            self._lying.pop(game, None)
        return self.loaded[game]

    def length_of_lying(self, game: str) -> int:
        """Return how many entries are known of a game that lies in the store; 0 of any other."""
        return self._lying[game].line.last + 1 if game in self._lying else 0

    def add(self, room: Room) -> None:
        """Take in a game that is in memory."""
        game = room.stored.game
        self._order[game] = None
        self._lying.pop(game, None)
        self.loaded[game], self._used_s[game] = room, self._now_s()

    def lay(self, line: GameLine) -> None:
        """Take in a game that nobody needs now and whose clock doesn't run, without reading it."""
        self._order[line.game] = None
        self._lying[line.game] = PutAway(line, ticks=False)
        self._stale.add(line.game)

    def remove(self, game: str) -> None:
        """Have a game here no more."""
        self.forget(game)
        self._lying.pop(game, None)
        self._shown.pop(game, None)
        self._later.pop(game, None)
        self._told.pop(game, None)
        self._order.pop(game, None)

    def put_away(self, room: Room) -> None:
        """Let go of a game; whoever asks for it has it read again."""
        self._lying[room.stored.game] = PutAway(self.line(room), ticks(room))
        self.forget(room.stored.game)
        self.gone += 1

    def forget(self, game: str) -> None:
        """Let go of what is in memory of a game, as the store knows better."""
        self.loaded.pop(game, None)
        self._made.pop(game, None)
        self._used_s.pop(game, None)
        self._stale.add(game)

    def unused(self) -> list[Room]:
        """Return the games in memory that nobody has asked for lately."""
        return [room for room in self.loaded.values() if self.is_unused(room)]

    def is_unused(self, room: Room) -> bool:
        """Say whether a game is in memory, and nobody has asked for it lately."""
        game = room.stored.game
        return self.loaded.get(game) is room and self._used_s[game] <= self._now_s() - IDLE_S and not room.is_busy

    @property
    def any_clock_runs(self) -> bool:
        """Say whether in any game a clock runs."""
        return any(map(self._seems_to_tick, self.loaded.values())) or any(game.ticks for game in self._lying.values())

    def _seems_to_tick(self, room: Room) -> bool:
        """Say whether a clock of a game runs; of one whose rules have a fault, as far as its table tells."""
        clocks = room.match.table.clocks
        runs = clocks.are_kept and clocks.runs
        if runs:
            with self._faults.told(f"looking whether {room.stored.game} is over"):
                runs = ticks(room)
        return runs

    @property
    def is_any_clock_at_stake(self) -> bool:
        """Say whether in any game a clock runs, or may begin to by what is just being written down."""
        return self.any_clock_runs or any(room.is_busy for room in self.loaded.values())

    def lines(self, online: frozenset[str]) -> tuple[GameLine, ...]:
        """Return the games as the lobby lists them to all; *online* are the players who are here now. Nothing is read for it.

        The line of a game that has not changed is the same object. Windows ask every few seconds: of thousands of games only those are
        looked at of which anything may have changed.
        """
        self._tell(online)
        return tuple(self._told.values())

    def own_lines(self, player: str, online: frozenset[str]) -> tuple[GameLine, ...]:
        """Return the games at which somebody sits that are listed otherwise to all others, as they are shown them later."""
        self._tell(online)
        there = (self._line_of(game) for game in self._later if game in self._told)
        return tuple(with_online(line, online) for line in there if sits_in(line, player))

    def empty_tables(self, owner: str) -> int:
        """Return how many games that are not over somebody owns at which nobody else sits."""
        lines = (self._line_of(game) for game in self._order if game in self.loaded or game in self._lying)
        own = (line for line in lines if line.owner == owner and not line.over)
        return sum(all(chair.player in ("", owner) for chair in line.chairs) for line in own)

    def line(self, room: Room) -> GameLine:
        """Return the line of a game in memory with nobody online; it hangs on the log alone."""
        length, (noted, line) = len(room.match.log), self._made.get(room.stored.game, (-1, None))
        if line is None or noted != length:
            line = game_line(room, frozenset())
            self._made[room.stored.game] = (length, line)
        return line

    def _line_of(self, game: str) -> GameLine:
        return self.line(self.loaded[game]) if game in self.loaded else self._lying[game].line

    def _tell(self, online: frozenset[str]) -> None:
        """Have the lines as the lobby tells them now."""
        changed = {*self.loaded, *self._stale}
        here = [game for game in changed if game in self.loaded or game in self._lying]
        if online == self._told_of and all(game in self._told for game in here):
            for game in changed.difference(here):
                self._told.pop(game, None)
            self._told.update((game, self._line_told(game, online)) for game in here)
        else:  # a new game has its place in the order
            all_here = (game for game in self._order if game in self.loaded or game in self._lying)
            self._told = {game: self._line_told(game, online) for game in all_here}
        self._told_of = online
        self._stale.clear()

    def _line_told(self, game: str, online: frozenset[str]) -> GameLine:
        line = self._line_of(game)
        here = online.intersection(chair.player for chair in line.chairs)
        known = self._shown.get(game)
        if known is None or known[0] is not line or known[1] != here:
            known = self._shown[game] = (line, here, with_online(veiled(line), here))
            self._later.pop(game, None)
            if is_shown_later(line):
                self._later[game] = None
        return known[2]
