"""The only code that changes a position: one function an event type. It knows no rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from core import events
from core.board import OUT
from core.position import Position
from core.units import Unit

E = TypeVar("E", bound=events.Event)
Folder = Callable[[Position, Any], None]

FOLDERS: dict[type[events.Event], Folder] = {}


def folds(event: type[E]) -> Callable[[Callable[[Position, E], None]], Callable[[Position, E], None]]:
    """Register the function that folds an event type."""

    def register(function: Callable[[Position, E], None]) -> Callable[[Position, E], None]:
        assert event not in FOLDERS, f"{event.__name__} is folded twice"
        FOLDERS[event] = function
        return function

    return register


def fold(position: Position, event: events.Event) -> None:
    """Apply one event to a position that the caller owns."""
    FOLDERS[type(event)](position, event)


def fold_all(position: Position, happened: Iterable[events.Event]) -> None:
    """Apply events in their order."""
    folders = FOLDERS
    for event in happened:
        folders[type(event)](position, event)


@folds(events.GameBegan)
def game_began(position: Position, event: events.GameBegan) -> None:
    """A game's identity is kept by its log, not by its position."""


@folds(events.Placed)
def placed(position: Position, event: events.Placed) -> None:
    position.put(Unit(event.unit, event.type, event.name, event.place, event.steps))
    position.next_unit = max(position.next_unit, event.unit + 1)


@folds(events.Moved)
def moved(position: Position, event: events.Moved) -> None:
    place = event.path[-1]
    for unit in event.units:
        old = position.units[unit]
        position.put(Unit(unit, old.type, old.name, place, old.steps))  # twice as fast as msgspec's `replace`


@folds(events.Removed)
def removed(position: Position, event: events.Removed) -> None:
    old = position.units[event.unit]
    position.put(Unit(old.id, old.type, old.name, OUT, old.steps))
    position.unmark(old.id)


@folds(events.StepsChanged)
def steps_changed(position: Position, event: events.StepsChanged) -> None:
    old = position.units[event.unit]
    position.put(Unit(old.id, old.type, old.name, old.place, event.steps))


@folds(events.Marked)
def marked(position: Position, event: events.Marked) -> None:
    if not (units := event.units):
        return   # a mark that nobody bears is not kept
    borne = position.unit_marks.get(event.mark)
    if borne is None:
        borne = position.unit_marks[event.mark] = {}
    value = event.value
    for unit in units:
        borne[unit] = value


@folds(events.Unmarked)
def unmarked(position: Position, event: events.Unmarked) -> None:
    borne = position.unit_marks.get(event.mark)
    if borne is None:
        return
    for unit in event.units:
        borne.pop(unit, None)
    if not borne:
        del position.unit_marks[event.mark]


@folds(events.PlaceMarked)
def place_marked(position: Position, event: events.PlaceMarked) -> None:
    if event.places:
        marked = dict.fromkeys(event.places, event.value)
        borne = position.place_marks.get(event.mark)
        position.place_marks[event.mark] = marked if borne is None else {**borne, **marked}


@folds(events.PlaceUnmarked)
def place_unmarked(position: Position, event: events.PlaceUnmarked) -> None:
    borne = position.place_marks.pop(event.mark, None)
    gone = frozenset(event.places)
    if borne is not None and (left := {place: value for place, value in borne.items() if place not in gone}):
        position.place_marks[event.mark] = left


@folds(events.MarksCleared)
def marks_cleared(position: Position, event: events.MarksCleared) -> None:
    for mark in event.marks:
        position.unit_marks.pop(mark, None)
        position.place_marks.pop(mark, None)


@folds(events.ControlChanged)
def control_changed(position: Position, event: events.ControlChanged) -> None:
    position.control[event.hex] = event.side


def _put_in(position: Position, cup: str, chit: str, count: int) -> None:
    chits = position.cups.setdefault(cup, {})
    left = chits.get(chit, 0) + count
    assert left >= 0, f"cup {cup} holds no {chit}"
    if left:
        chits[chit] = left
    else:
        chits.pop(chit, None)


@folds(events.CupFilled)
def cup_filled(position: Position, event: events.CupFilled) -> None:
    _put_in(position, event.cup, event.chit, event.count)


@folds(events.Drawn)
def drawn(position: Position, event: events.Drawn) -> None:
    _put_in(position, event.cup, event.chit, -1)
    position.chits[event.unit] = event.chit


@folds(events.ChitPlaced)
def chit_placed(position: Position, event: events.ChitPlaced) -> None:
    _put_in(position, event.cup, event.chit, -1)
    position.chits[event.unit] = event.chit


@folds(events.Returned)
def returned(position: Position, event: events.Returned) -> None:
    chit = position.chits.pop(event.unit)
    if event.cup:
        _put_in(position, event.cup, chit, 1)


@folds(events.Rolled)
def rolled(position: Position, event: events.Rolled) -> None:
    """A die changes nothing by itself."""


@folds(events.TrackSet)
def track_set(position: Position, event: events.TrackSet) -> None:
    position.tracks[event.track] = event.value


@folds(events.PhaseBegan)
def phase_began(position: Position, event: events.PhaseBegan) -> None:
    position.tracks["turn"] = event.turn
    position.phase, position.phase_side = event.phase, event.side


@folds(events.FramePushed)
def frame_pushed(position: Position, event: events.FramePushed) -> None:
    position.frames.append(event.frame)


@folds(events.FramePopped)
def frame_popped(position: Position, event: events.FramePopped) -> None:
    position.frames.pop()


@folds(events.Revealed)
def revealed(position: Position, event: events.Revealed) -> None:
    position.hidden.discard(event.unit)


@folds(events.Concealed)
def concealed(position: Position, event: events.Concealed) -> None:
    position.hidden.update(event.units)


@folds(events.Shown)
def shown(position: Position, event: events.Shown) -> None:
    """Put a counter that a viewer comes to see in the place of what he knew of it, with its marks and its chit."""
    unit = event.unit.id
    position.forget((unit,))
    position.put(event.unit)
    for mark, value in event.marks:
        position.unit_marks.setdefault(mark, {})[unit] = value
    if event.chit:
        position.chits[unit] = event.chit


@folds(events.Veiled)
def veiled(position: Position, event: events.Veiled) -> None:
    position.forget(event.units)


@folds(events.UnknownMoved)
def unknown_moved(position: Position, event: events.UnknownMoved) -> None:
    """The way that unknown counters went; where they stand is told by what is shown and veiled."""


@folds(events.Explained)
def explained(position: Position, event: events.Explained) -> None:
    """Arithmetic is for the battle log."""


@folds(events.GameEnded)
def game_ended(position: Position, event: events.GameEnded) -> None:
    position.outcome = event.outcome
    position.frames.clear()
