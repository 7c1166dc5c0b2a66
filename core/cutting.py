"""Events as a viewer may know them.

The law that holds it to views, for every viewer, over whole games: ``view(fold(p, e)) == fold(view(p), cut(e))``. The cut of an event is
empty where the viewer learns nothing by it, and says no more than what changes in his view: a counter that comes into sight is `Shown` with
all that he may know of it, one that goes out of it is `Veiled`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from core import events
from core.board import Place
from core.events import Event
from core.fold import fold
from core.hidden import Eye, Sight, is_unknown
from core.position import Position
from core.units import Unit, UnitId

# Events that all see as they are; those that `_named` cuts by a name; all others are about units.
FOR_ALL = frozenset({
    events.GameBegan, events.ControlChanged, events.PhaseBegan, events.FramePushed, events.FramePopped, events.GameEnded,
})
NAMED = frozenset({
    events.PlaceMarked, events.PlaceUnmarked, events.MarksCleared, events.CupFilled, events.Rolled, events.TrackSet, events.Explained,
})
OF_ONE = frozenset({
    events.Placed, events.Removed, events.StepsChanged, events.Drawn, events.Returned, events.ChitPlaced, events.Revealed,
})
OF_SOME = frozenset({events.Moved, events.Marked, events.Unmarked, events.Concealed})
TOLD = frozenset({events.Shown, events.Veiled, events.UnknownMoved})  # what a cut makes; a log that all may see holds none


class Cut:
    """Cuts the events of a game for one viewer, one after another.

    Args:
        position: where the first event happens; owned, and folded as events come.
    """

    def __init__(self, eye: Eye, position: Position) -> None:
        self.eye = eye
        self.position = position

    def take(self, event: Event) -> tuple[Event, ...]:
        """Fold an event; return what the viewer is told of it."""
        kind = type(event)
        if self.eye.sees_all or kind in FOR_ALL:
            fold(self.position, event)
            return (event,)
        assert kind not in TOLD, f"{event} was cut before"
        assert kind is not events.Concealed or self.eye.secrets.stacks, f"{event} in a game that declares no hidden stacks"
        if kind in NAMED:
            fold(self.position, event)
            return self._named(event)
        return self._of_units(event, _units_of(event))

    def take_all(self, happened: Iterable[Event]) -> tuple[Event, ...]:
        """Fold the events of one entry; return what the viewer is told of them all."""
        return tuple(settled(told for event in happened for told in self.take(event)))

    # ---------------------------------------------------------------- by name

    def _named(self, event: Event) -> tuple[Event, ...]:
        may, secrets = self.eye.may, self.eye.secrets
        match event:
            case events.PlaceMarked() | events.PlaceUnmarked():
                seen = may(secrets.place_marks, event.mark)
            case events.MarksCleared():
                marks = tuple(mark for mark in event.marks if may(secrets.place_marks, mark))
                return (replace(event, marks=marks),) if marks else ()
            case events.CupFilled():
                seen = may(secrets.cups, event.cup)
            case events.TrackSet():
                seen = may(secrets.tracks, event.track)
            case events.Rolled():
                seen = may(secrets.rolls, event.purpose)
            case events.Explained():
                seen = may(secrets.explanations, event.subject)
            case _:
                raise AssertionError(f"no name to cut {event} by")
        return (event,) if seen else ()

    # ---------------------------------------------------------------- about units

    def _of_units(self, event: Event, units: tuple[UnitId, ...]) -> tuple[Event, ...]:
        eye, position = self.eye, self.position
        old = {unit: eye.sight(position, unit) for unit in units}
        was = {unit: position.units[unit] for unit in units if unit in position.units}
        places = sorted({*(unit.place for unit in was.values()), *_goals(event)})
        cups = _cups(event, was.values(), eye)
        stood, held = self._unknowns(places), {cup: eye.cup(position, cup) for cup in cups}
        shows_chit = isinstance(event, events.Returned) and eye.sees_chit(position, event.unit)
        fold(position, event)
        new = {unit: eye.sight(position, unit) for unit in units}
        stand = self._unknowns(places)
        through = {unit for unit in units if new[unit] is not None and (old[unit] is not None or unit not in was)}
        passed = self._passed(event, through, shows_chit=shows_chit)
        told = [*self._strangers(event, was, new), *passed]
        veiled = tuple(unit for unit in units if old[unit] is not None and new[unit] is None)
        gone = tuple(sorted(stood.keys() - stand.keys()))
        told += [events.Veiled(some) for some in (veiled, gone) if some]
        told += [
            _shown(sight) for unit in units if (sight := new[unit]) is not None and sight != old[unit] and not (passed and unit in through)
        ]
        told += [events.Shown(stand[unit]) for unit in sorted(stand.keys() - stood.keys())]
        if not passed:
            told += self._refilled(held)
        return tuple(told)

    def _passed(self, event: Event, through: set[UnitId], *, shows_chit: bool) -> list[Event]:
        """Return the event as far as it speaks of counters that the viewer knew before and knows after; empty if it may not be told so."""
        eye, position = self.eye, self.position
        if isinstance(event, (events.Marked, events.Unmarked)):
            through = {unit for unit in through if eye.sees_mark(position.units[unit], event.mark)}
        elif isinstance(event, (events.Concealed, events.Revealed)):
            through = {unit for unit in through if eye.owns(position.units[unit])}
        if not through:
            return []
        match event:
            case events.Moved() | events.Marked() | events.Unmarked() | events.Concealed():
                return [replace(event, units=tuple(unit for unit in event.units if unit in through))]
            case events.Drawn() | events.ChitPlaced() if not (eye.sees_chit(position, event.unit) and eye.may(eye.secrets.cups, event.cup)):
                return []
            case events.Returned() if not (shows_chit and eye.may(eye.secrets.cups, event.cup)):
                return []
            case events.Placed() if eye.secrets.hides_units:   # `Placed` counts units; how many there are isn't for a viewer
                shown = [_shown(sight)] if (sight := eye.sight(position, event.unit)) is not None else []
                return [*shown, *([events.Concealed((event.unit,))] if event.unit in position.hidden else [])]
        return [event]

    def _strangers(self, event: Event, was: Mapping[UnitId, Unit], new: Mapping[UnitId, Sight | None]) -> Iterator[Event]:
        """Yield the way that counters take which the viewer doesn't know, a side at a time, where it begins and ends in his sight."""
        if not isinstance(event, events.Moved):
            return
        sides = self.eye.types
        moved = {sides[unit.type].side: unit.place for id, unit in was.items() if new[id] is None}
        goal = event.path[-1]
        for side in sorted(moved):
            if self.eye.shows(goal) and self.eye.shows(moved[side]):
                yield events.UnknownMoved(side, (moved[side], *event.path))

    def _unknowns(self, places: Iterable[Place]) -> dict[UnitId, Unit]:
        return {counter.id: counter for place in places for counter in self.eye.unknown_at(self.position, place)}

    def _refilled(self, held: Mapping[str, dict[str, int] | None]) -> Iterator[Event]:
        """Yield how the cups have changed for all that the viewer knows."""
        for cup, before in held.items():
            after = self.eye.cup(self.position, cup)
            if before is None or after is None:
                continue
            for chit in sorted(before.keys() | after.keys()):
                change = after.get(chit, 0) - before.get(chit, 0)
                if change:
                    yield events.CupFilled(cup, chit, change)


def _units_of(event: Event) -> tuple[UnitId, ...]:
    if type(event) in OF_ONE:
        return (event.unit,)  # type: ignore[attr-defined]
    assert type(event) in OF_SOME, f"nobody has said who may see {event}"
    return event.units  # type: ignore[attr-defined,no-any-return]


def _goals(event: Event) -> tuple[Place, ...]:
    match event:
        case events.Moved():
            return event.path[-1:]
        case events.Placed():
            return (event.place,)
    return ()


def _cups(event: Event, units: Iterable[Unit], eye: Eye) -> list[str]:
    """Return the cups whose known content an event about units may change."""
    named = {event.cup} if isinstance(event, (events.Drawn, events.Returned, events.ChitPlaced)) else set()
    return sorted((named | {eye.types[unit.type].cup for unit in units}) - {""})


def _shown(sight: Sight) -> events.Shown:
    return events.Shown(sight.unit, sight.marks, sight.chit)


# -------------------------------------------------------------------- an entry's events together


def settled(told: Iterable[Event]) -> Iterator[Event]:
    """Yield events with each run of comings and goings of unknown stacks told once, in order of their numbers.

    So the order in which hidden counters were handled, and how many they were, can't be read from it.
    """
    run: dict[UnitId, Event] = {}
    for event in told:
        of = _unknowns_of(event)
        if of is None:
            yield from _told_once(run)
            run = {}
            yield event
        for id, change in of or ():
            if id in run and type(run[id]) is not type(change):
                del run[id]
            else:
                run[id] = change
    yield from _told_once(run)


def _unknowns_of(event: Event) -> list[tuple[UnitId, Event]] | None:
    match event:
        case events.Shown() if is_unknown(event.unit.id):
            return [(event.unit.id, event)]
        case events.Veiled() if is_unknown(event.units[0]):
            return [(unit, events.Veiled((unit,))) for unit in event.units]
    return None


def _told_once(run: Mapping[UnitId, Event]) -> Iterator[Event]:
    gone = tuple(sorted(unit for unit, change in run.items() if isinstance(change, events.Veiled)))
    if gone:
        yield events.Veiled(gone)
    yield from (change for _, change in sorted(run.items(), reverse=True) if isinstance(change, events.Shown))
