"""What whoever holds no seat is shown of a running game: how much of its log, and by whose eyes; after its end all of it."""

from __future__ import annotations

from bisect import bisect_right

import msgspec

from core.hidden import OPEN, PUBLIC
from core.terms import CLOSED, TABLE
from core.terms import OPEN as OPEN_TO_ALL
from core.units import Side
from server.rooms import Room


class Sight(msgspec.Struct, frozen=True):
    """What somebody may see: as which *viewer* (`server.viewers`), the log up to its entry *upto*; None: all of it.

    *is_closed*: nothing at all, until the game ends.
    """

    viewer: Side
    upto: int | None = None
    is_closed: bool = False


def is_over(room: Room) -> bool:
    """Say whether the game has ended, by its rules or at the table."""
    return room.match.outcome is not None


def are_held_up(room: Room) -> bool:
    """Say whether spectators are shown entries later than players."""
    terms = room.match.table.spectators
    return bool(terms.delay_entries or terms.delay_ms)


def is_held_back(room: Room) -> bool:
    """Say whether spectators of a running game are shown it later, or not until it ends."""
    return not is_over(room) and (are_held_up(room) or room.match.table.spectators.view == CLOSED)


def moment(room: Room) -> int:
    """Return the present moment, one for all followers; any where none is shown the game later, as then nothing hangs on it."""
    return room.now_ms() if are_held_up(room) else 0


def sight(room: Room, player: str, now_ms: int) -> Sight:
    """Return what somebody may see of a game at a moment."""
    table = room.match.table
    sides = table.sides_of(player)
    viewer = room.viewers.viewer(sides, over=table.ended is not None)
    if sides or is_over(room):
        return Sight(viewer)
    terms = table.spectators
    if terms.view == CLOSED:  # whoever wants to sit down must see the table first
        return Sight(PUBLIC, is_closed=True) if table.begun else Sight(viewer)
    viewer = viewer_of_spectators(room)
    if not (terms.delay_entries or terms.delay_ms):
        return Sight(viewer)
    return Sight(viewer, room.viewers.true(viewer, _delayed(room, viewer, now_ms)))


def viewer_of_spectators(room: Room) -> Side:
    """Return as which viewer those see a running game who hold no seat: no secrets while sides are free at which they may sit down."""
    view = room.match.table.spectators.view
    if not room.viewers.hides or room.viewers.opened:
        return OPEN
    if view in (TABLE, CLOSED) or not room.match.table.begun:
        return PUBLIC
    return OPEN if view == OPEN_TO_ALL else room.viewers.viewer((view,))


def _delayed(room: Room, viewer: Side, now_ms: int) -> int:
    """Return a viewer's number of the last entry that is old enough, counted by what he may know of; the first is never held back."""
    terms, entries = room.match.table.spectators, room.viewers.entries(viewer)
    upto = len(entries) - 1 - terms.delay_entries
    if upto > 0 and terms.delay_ms:  # times never go back
        upto = bisect_right(entries, now_ms - terms.delay_ms, 1, upto + 1, key=lambda entry: entry.time_ms) - 1
    return min(max(upto, 0), len(entries) - 1)


def next_due_ms(room: Room, now_ms: int) -> int | None:
    """Return the moment at which spectators may see the next entry, None if only another entry brings it."""
    terms = room.match.table.spectators
    if terms.view == CLOSED or not terms.delay_ms or is_over(room):
        return None
    viewer = viewer_of_spectators(room)
    entries = room.viewers.entries(viewer)
    following = _delayed(room, viewer, now_ms) + 1
    if following > len(entries) - 1 - terms.delay_entries:
        return None
    return entries[following].time_ms + terms.delay_ms
