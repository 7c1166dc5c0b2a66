"""Games as lines of the lobby's list."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from core import protocol
from core.protocol import GameLine, LineTerms, SeatLine
from core.table import Table
from core.terms import CLOSED, Terms
from server.rooms import Room
from server.viewers import BUNCH, bunches

if TYPE_CHECKING:
    from server.service import Service

FEW = 100  # games that are told as a change; of more the whole list is


class _Answer(NamedTuple):
    """A list as messages, the last of which is *last*, and the games that it tells of: of a long one it takes long to read it again."""

    messages: list[bytes]
    last: protocol.Games
    games: frozenset[str]


class Listing:
    """The list of games as messages: whole, made anew only where a line has changed since it was asked for last; or what has changed."""

    def __init__(self) -> None:
        self._name = secrets.token_hex(4)  # a server that starts again knows nothing of marks that it gave
        self._at = 0
        self._taken: Sequence[GameLine] = ()
        self._lines: dict[str, GameLine] = {}
        self._changed_at: dict[str, int] = {}  # also of games that are gone
        self._whole: _Answer | None = None

    def messages(self, lines: Sequence[GameLine], known: str = "", own: Sequence[GameLine] = ()) -> list[bytes]:
        """Return the messages that tell these lines to somebody who has the list with the mark *known*, if that was one of here.

        Where much has changed the whole list is told, which is made once for all who ask. *Own* lines are told to him alone, in the place
        of those of the same games: the last message has them behind its own, unless they are many.
        """
        told = self._answer(lines, known)
        if not own:
            return told.messages
        if len(own) > FEW:  # no message has room for so many more
            all_told = {game: line for game, line in self._lines.items() if game in told.games} | {line.game: line for line in own}
            return self._told(tuple(all_told.values()), added=told.last.added, gone=told.last.gone).messages
        count = told.last.count + sum(line.game not in told.games for line in own)
        return [*told.messages[:-1], protocol.encode(replace(told.last, games=(*told.last.games, *own), count=count))]

    def _answer(self, lines: Sequence[GameLine], known: str) -> _Answer:
        self._take(lines)
        since = self._number(known)
        changed = [] if since in (None, self._at) else [game for game, at in self._changed_at.items() if at > since]
        if since is not None and len(changed) <= FEW:
            new = tuple(self._lines[game] for game in changed if game in self._lines)
            return self._told(new, added=True, gone=tuple(game for game in changed if game not in self._lines))
        if self._whole is None:
            self._whole = self._told(tuple(self._lines.values()))
        return self._whole

    def _take(self, lines: Sequence[GameLine]) -> None:
        """Note what has changed since the list was asked for last; lines that have not are the same objects (`Shelf.lines`)."""
        if lines == self._taken:
            return
        self._taken = lines
        now = {line.game: line for line in lines}
        changed = [game for game, line in now.items() if (old := self._lines.get(game)) is not line and old != line]
        changed += [game for game in self._lines if game not in now]
        self._lines = now
        if changed:
            self._at += 1
            self._whole = None
            self._changed_at.update(dict.fromkeys(changed, self._at))

    def _number(self, mark: str) -> int | None:
        """Return which list a mark is of, None if it is of none of this server's since it began."""
        name, _, number = mark.partition(".")
        known = name == self._name and number.isascii() and number.isdigit() and int(number) <= self._at
        return int(number) if known else None

    def _told(self, lines: tuple[GameLine, ...], *, added: bool = False, gone: tuple[str, ...] = ()) -> _Answer:
        parts = list(bunches(lines, most=BUNCH)) if lines else [()]  # that there is nothing is told too
        last = protocol.Games(parts.pop(), 0, f"{self._name}.{self._at}", len(lines), added, gone)
        before = [protocol.Games(part, len(parts) - number, added=added) for number, part in enumerate(parts)]
        return _Answer([protocol.encode(message) for message in (*before, last)], last, frozenset(line.game for line in lines))


def lines(service: Service, rooms: Iterable[Room], player: str) -> tuple[GameLine, ...]:
    """Return games as lines of a list that somebody is told."""
    online = service.presence.online()
    made = (game_line(room, online) for room in rooms)
    return tuple(line if sits_in(line, player) else veiled(line) for line in made)


def game_line(room: Room, online: frozenset[str]) -> GameLine:
    """Return a game's line; *online* are the players who are here now."""
    match, head = room.match, room.head
    view, table, outcome, pending = match.view, match.table, match.outcome, match.log.pending
    side = "" if outcome is not None else view.side_to_act()
    return GameLine(
        room.stored.game, head.ruleset, head.scenario, {one: table.first_seat(one).player for one in table.sides},
        side, view.position.turn, view.position.phase, room.viewers.last(room.viewer("")), outcome is not None,
        owner=table.terms.owner, since_ms=room.viewers.waited_since(room.viewer(""), side) if side else 0, paused=table.paused,
        winner=outcome.winner if outcome is not None else "", result=outcome.result if outcome is not None else "",
        chairs=seat_lines(table, online),
        terms=line_terms(replace(table.terms, spectators=table.spectators)),
        dice=tuple(sorted(match.witnesses.late_for(pending.k))) if pending is not None and outcome is None else (),
        version=head.version,
    )


def is_shown_later(line: GameLine) -> bool:
    """Say whether whoever holds no seat of a game is shown it later than it is played, or not until it ends."""
    seen = line.terms.spectators
    return not line.over and bool(seen.view == CLOSED or seen.delay_entries or seen.delay_ms)


def sits_in(line: GameLine, player: str) -> bool:
    """Say whether somebody holds a seat of a game."""
    return any(chair.player == player for chair in line.chairs)


def veiled(line: GameLine) -> GameLine:
    """Return what a list tells of a game to whoever holds no seat of it: of one that is shown him later, not where it stands."""
    if not is_shown_later(line):
        return line
    return replace(line, waits_for="", turn=0, phase="", last=-1, since_ms=0, paused=False, dice=())


def seat_lines(table: Table, online: frozenset[str] = frozenset()) -> tuple[SeatLine, ...]:
    """Return the seats of a table; *online* are the players who are here now."""
    return tuple(
        SeatLine(chair.side, chair.name, chair.player, chair.player in online, chair.units is not None, chair.kept_for)
        for chair in table.chairs.values()
    )


def line_terms(terms: Terms) -> LineTerms:
    """Return what of a table's terms a list tells: a thousand games with all of it were half a megabyte."""
    usual = LineTerms()
    told = {"clock": terms.clock, "spectators": terms.spectators, "referees": terms.referees, "dice": terms.dice}
    return LineTerms(**{name: value for name, value in told.items() if value != getattr(usual, name)})  # type: ignore[arg-type]


def with_online(line: GameLine, online: frozenset[str]) -> GameLine:
    """Return a line with who of its players is here now."""
    return replace(line, chairs=tuple(replace(chair, online=chair.player in online) for chair in line.chairs))
