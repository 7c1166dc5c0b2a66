"""Games as lines of the lobby's list."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from core import protocol
from core.protocol import GameLine, SeatLine
from server.rooms import Room
from server.viewers import BUNCH, bunches

if TYPE_CHECKING:
    from server.service import Service


class Listing:
    """The list of games as messages, made anew only where a line has changed since it was asked for last."""

    def __init__(self) -> None:
        self._lines: tuple[GameLine, ...] = ()
        self._messages = [protocol.encode(protocol.Games(()))]

    def messages(self, lines: tuple[GameLine, ...]) -> list[bytes]:
        """Return the messages that tell these lines."""
        if lines != self._lines:
            parts = list(bunches(lines, most=BUNCH)) or [()]  # an empty list is told too
            self._messages = [protocol.encode(protocol.Games(part, len(parts) - number)) for number, part in enumerate(parts, 1)]
            self._lines = lines
        return self._messages


def lines(service: Service, rooms: Iterable[Room]) -> tuple[GameLine, ...]:
    """Return games as lines of a list."""
    online = service.presence.online()
    return tuple(game_line(room, online) for room in rooms)


def game_line(room: Room, online: frozenset[str]) -> GameLine:
    """Return a game's line; *online* are the players who are here now."""
    match, head = room.match, room.head
    view, table, outcome = match.view, match.table, match.outcome
    side = "" if outcome is not None else view.side_to_act()
    return GameLine(
        room.stored.game, head.ruleset, head.scenario, {one: table.first_seat(one).player for one in table.sides},
        side, view.position.turn, view.position.phase, room.viewers.last(room.viewer("")), outcome is not None,
        owner=table.terms.owner, since_ms=room.viewers.waited_since(room.viewer(""), side) if side else 0, paused=table.paused,
        winner=outcome.winner if outcome is not None else "", result=outcome.result if outcome is not None else "",
        chairs=tuple(
            SeatLine(chair.side, chair.name, chair.player, chair.player in online, chair.units is not None)
            for chair in table.chairs.values()
        ),
        terms=replace(table.terms, seats=()),  # the chairs say it in fewer words
    )


def with_online(line: GameLine, online: frozenset[str]) -> GameLine:
    """Return a line with who of its players is here now."""
    return replace(line, chairs=tuple(replace(chair, online=chair.player in online) for chair in line.chairs))
