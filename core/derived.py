"""Fields derived from a position (ZOC, supply, reach), kept beside it. Dropping them changes nothing.

Each kept value names what it was made from, and an event spoils the values that hang on what it touches:

- aspects of the whole position (`UNITS`, `MARKS` …), or the `forces` of one side (`get`);
- one unit and a place, for values that are made a unit (`each`): after a move only those of the units that it touched are made anew;
- the forces of places, for values that are mended where events touched those (`follow`);
- other values, compared (`keep`);
- nothing but the setting: then it is kept for all positions of the setting (`get` without aspects).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from core import events
from core.board import Place
from core.position import Position
from core.units import Side, UnitId

if TYPE_CHECKING:
    from core.setting import Setting

K = TypeVar("K")
V = TypeVar("V")

UNITS, STEPS, MARKS, PLACES, CHITS, CONTROL, TRACKS, FRAMES = (
    "units", "steps", "marks", "places", "chits", "control", "tracks", "frames",
)   # marks: of units and places; places: marks of places alone
ASPECTS = (UNITS, STEPS, MARKS, PLACES, CHITS, CONTROL, TRACKS, FRAMES)
Aspect = str | tuple[str, Side]

TOUCHES: dict[type[events.Event], tuple[str, ...]] = {
    events.GameBegan: (),
    events.Placed: (UNITS, STEPS),
    events.Moved: (UNITS,),
    events.Removed: (UNITS, STEPS, MARKS),
    events.StepsChanged: (STEPS,),
    events.Marked: (MARKS,),
    events.Unmarked: (MARKS,),
    events.PlaceMarked: (MARKS, PLACES),
    events.PlaceUnmarked: (MARKS, PLACES),
    events.MarksCleared: (MARKS, PLACES),
    events.ControlChanged: (CONTROL,),
    events.CupFilled: (CHITS,),
    events.Drawn: (CHITS,),
    events.Returned: (CHITS,),
    events.ChitPlaced: (CHITS,),
    events.Rolled: (),
    events.TrackSet: (TRACKS,),
    events.PhaseBegan: (TRACKS,),
    events.FramePushed: (FRAMES,),
    events.FramePopped: (FRAMES,),
    events.Concealed: (UNITS,),
    events.Revealed: (UNITS,),
    events.Shown: (UNITS, STEPS, MARKS, CHITS),
    events.Veiled: (UNITS, STEPS, MARKS, CHITS),
    events.UnknownMoved: (),
    events.Explained: (),
    events.GameEnded: (FRAMES,),
}


_OfUnits = events.Marked | events.Unmarked | events.Concealed | events.Veiled
_OfUnit = events.Removed | events.StepsChanged | events.Drawn | events.ChitPlaced | events.Returned | events.Revealed
_NOTHING: Any = object()
NOTES = 50   # of events, after which they are put with the older ones: a copy takes these along
MANY = 200   # places that it takes longer to name than to make anew what hangs on any of them
FORCES = frozenset({UNITS, STEPS, CHITS})   # what an event that names units can change of their side's forces


def forces(side: Side) -> Aspect:
    """Return the aspect of one side's counters: which there are, where, with what steps and chits."""
    return ("forces", side)


class _Each(NamedTuple):
    tick: int
    of: tuple[object, ...]
    units: Sequence[UnitId]
    values: dict[UnitId, Any]
    row: tuple[Any, ...]


class _Stamped(NamedTuple):
    tick: int
    stamp: tuple[int, ...]
    value: Any


class _Touched(NamedTuple):
    since: int
    tick: int
    units: frozenset[UnitId]
    places: frozenset[Place]
    forces: frozenset[Place]


class _Lately(Generic[K]):
    """When each of many was touched last.

    Copies share all but the last notes: whoever decides an order copies hundreds of keys otherwise, and drops them again.
    """

    __slots__ = ("_notes", "_older")

    def __init__(self) -> None:
        self._older: dict[K, int] = {}   # what was touched last stands last; never changed
        self._notes: list[tuple[int, Sequence[K]]] = []   # what came behind it: the number of an event, and what that touched

    def copy(self) -> _Lately[K]:
        """Return one that goes on by itself."""
        new: _Lately[K] = _Lately.__new__(_Lately)
        new._older, new._notes = self._older, self._notes.copy()
        return new

    def note(self, keys: Sequence[K], tick: int) -> None:
        """Note what an event touches; *keys* must stay as they are."""
        if len(self._notes) >= NOTES:
            self._older, self._notes = self._put_behind(), []
        self._notes.append((tick, keys))

    def _put_behind(self) -> dict[K, int]:
        last = self._older.copy()
        for tick, keys in self._notes:
            for key in keys:
                last.pop(key, None)   # else it would keep its old place
                last[key] = tick
        return last

    def since(self, tick: int) -> frozenset[K]:
        """Return what was touched after an event; it stands last, so that nothing else is looked at."""
        later = [keys for at, keys in takewhile(lambda note: note[0] > tick, reversed(self._notes))]
        if len(later) == len(self._notes):
            later.append([key for key, _ in takewhile(lambda item: item[1] > tick, reversed(self._older.items()))])
        return frozenset().union(*later)


class Derived:
    """A cache of values made from a position of a setting, keyed by what they are.

    Values are shared by all copies, so they must never be changed.
    """

    __slots__ = ("_ahead", "_all", "_forced", "_kept", "_lasting", "_places", "_stamps", "_tick", "_touched", "_types", "_units")

    def __init__(self, setting: Setting) -> None:
        self._types = setting.types
        self._lasting = setting.lasting
        self._stamps: dict[Aspect, int] = defaultdict(int)
        self._tick = 0   # counts events
        self._all = 0   # the last event that touched many places, and so all values of units
        # Which event touched a unit last, its marks included; a place, its marks or control; the forces there.
        self._units: _Lately[UnitId] = _Lately()
        self._places: _Lately[Place] = _Lately()
        self._forced: _Lately[Place] = _Lately()
        self._touched = _Touched(0, 0, frozenset(), frozenset(), frozenset())   # what `each` asked for last
        self._kept: dict[Hashable, Any] = {}
        self._ahead: Mapping[Hashable, Any] = {}   # what another copy kept that has gone on (`look_ahead`)

    def copy(self) -> Derived:
        """Return a cache for a copy of the position."""
        new = Derived.__new__(Derived)
        new._types, new._lasting = self._types, self._lasting
        new._stamps = self._stamps.copy()
        new._tick, new._all = self._tick, self._all
        new._units, new._places, new._forced = self._units.copy(), self._places.copy(), self._forced.copy()
        new._touched = self._touched
        new._kept = self._kept.copy()
        new._ahead = {}
        return new

    def look_ahead(self, other: Derived | None) -> None:
        """Take what another copy has made, instead of making it again; None: no more.

        What happens here must begin with all that has happened there: then equal stamps mean that nothing lies between, whichever of the
        two is ahead.
        """
        self._ahead = {} if other is None else other._kept

    # ---------------------------------------------------------------- what happens

    def touch(self, event: events.Event, position: Position) -> None:
        """Spoil what hangs on what *event* is about to change in *position*; comes before its fold."""
        self._tick += 1
        kind, stamps = type(event), self._stamps
        aspects = TOUCHES[kind]
        if type(event) is events.MarksCleared:
            aspects = _borne(event, position)   # phases clear many marks that few bear, or nobody
        for aspect in aspects:
            stamps[aspect] += 1
        spoil = SPOILS.get(kind)   # a table by type: half the time of a `match`
        if spoil is not None:
            spoil(self, event, aspects, position)

    def _placed(self, event: events.Placed, aspects: Sequence[str], position: Position) -> None:
        self._forced.note((event.place,), self._tick)
        self._stamps[forces(self._types[event.type].side)] += 1
        self._touch_units((event.unit,), aspects, position)

    def _moved(self, event: events.Moved, aspects: Sequence[str], position: Position) -> None:
        self._forced.note(event.path[-1:], self._tick)
        self._touch_units(event.units, aspects, position)

    def _shown(self, event: events.Shown, aspects: Sequence[str], position: Position) -> None:
        self._forced.note((event.unit.place,), self._tick)
        self._stamps[forces(self._types[event.unit.type].side)] += 1
        self._touch_units((event.unit.id,), aspects, position)

    def _of_units(self, event: _OfUnits, aspects: Sequence[str], position: Position) -> None:
        self._touch_units(event.units, aspects, position)

    def _of_unit(self, event: _OfUnit, aspects: Sequence[str], position: Position) -> None:
        self._touch_units((event.unit,), aspects, position)

    def _of_places(self, event: events.PlaceMarked | events.PlaceUnmarked, aspects: Sequence[str], position: Position) -> None:
        self._touch_places(event.places)

    def _of_control(self, event: events.ControlChanged, aspects: Sequence[str], position: Position) -> None:
        self._touch_places((event.hex,))

    def _of_cleared(self, event: events.MarksCleared, aspects: Sequence[str], position: Position) -> None:
        for mark in event.marks:
            self._touch_units(tuple(position.unit_marks.get(mark, ())), aspects, position)
            self._touch_places(tuple(position.place_marks.get(mark, ())))

    def _touch_units(self, units: Sequence[UnitId], aspects: Sequence[str], position: Position) -> None:
        self._units.note(units, self._tick)
        if FORCES.isdisjoint(aspects):
            return
        known = [counter for unit in units if (counter := position.units.get(unit)) is not None]
        self._forced.note([counter.place for counter in known], self._tick)
        for counter in known:
            self._stamps[forces(self._types[counter.type].side)] += 1

    def _touch_places(self, places: Sequence[Place]) -> None:
        if len(places) > MANY:
            self._all = self._tick
        else:
            self._places.note(places, self._tick)

    # ---------------------------------------------------------------- what is kept

    @property
    def now(self) -> int:
        """A value that is another one after any event: what hangs on all of a position is kept with it."""
        return self._tick

    def stamp(self, *aspects: Aspect) -> tuple[int, ...]:
        """Return a value that is another one after any of *aspects* changed."""
        stamps = self._stamps
        return tuple([stamps[aspect] for aspect in aspects])

    def get(self, key: Hashable, aspects: tuple[Aspect, ...], make: Callable[[], V]) -> V:
        """Return the value kept under *key*, made anew if any of *aspects* changed since.

        Without aspects it hangs on *key* and the setting alone.
        """
        if not aspects:
            found = self._lasting.get(key, _NOTHING)
            if found is _NOTHING:
                found = self._lasting[key] = make()
            return found  # type: ignore[no-any-return]
        kept: _Stamped | None = self._kept.get(key)
        if kept is not None and kept.tick == self._tick:   # nothing happened since: most are asked for again and again
            return kept.value  # type: ignore[no-any-return]
        stamps = self._stamps
        stamp = tuple([stamps[aspect] for aspect in aspects])
        if kept is None or kept.stamp != stamp:
            kept = self._ahead.get(key)
        value = make() if kept is None or kept.stamp != stamp else kept.value
        self._kept[key] = _Stamped(self._tick, stamp, value)
        return value

    def keep(
        self, key: Hashable, of: tuple[object, ...], make: Callable[[], V], *, mend: Callable[[V, tuple[Any, ...]], V | None] | None = None
    ) -> V:
        """Return the value kept under *key*, made anew if it was made *of* other values; beyond them it hangs on the setting alone.

        *mend* makes it for less from the value kept and what that was made of, where it can (else None).
        """
        kept = self._kept.get(key)
        if kept is not None and kept[0] == of:
            return kept[1]  # type: ignore[no-any-return]
        ahead = self._ahead.get(key)
        if ahead is not None and ahead[0] == of:
            self._kept[key] = ahead
            return ahead[1]  # type: ignore[no-any-return]
        value = mend(kept[1], kept[0]) if mend is not None and kept is not None else None
        if value is None:
            value = make()
        self._kept[key] = (of, value)
        return value

    def follow(self, key: Hashable, aspects: tuple[Aspect, ...], make: Callable[[], V], mend: Callable[[V, frozenset[Place]], V]) -> V:
        """Return the value kept under *key*; after *aspects* changed *mend* makes it from the one kept and the places touched since.

        It may hang on the forces of places. *mend* returns the value kept where it is still right, so that what is made of it need not
        be made anew.
        """
        kept: _Stamped | None = self._kept.get(key)
        if kept is not None and kept.tick == self._tick:
            return kept.value  # type: ignore[no-any-return]
        stamps = self._stamps
        stamp = tuple([stamps[aspect] for aspect in aspects])
        if kept is not None and kept.stamp == stamp:
            return kept.value  # type: ignore[no-any-return]
        ahead: _Stamped | None = self._ahead.get(key)
        if ahead is not None and ahead.stamp == stamp:
            value: V = ahead.value
        else:
            value = make() if kept is None else mend(kept.value, self._touched_since(kept.tick).forces)
        self._kept[key] = _Stamped(self._tick, stamp, value)
        return value

    def each(
        self,
        key: Hashable,
        units: Sequence[UnitId],
        make: Callable[[UnitId], V],
        *,
        of: tuple[object, ...],
        near: Callable[[Place], Iterable[UnitId]],
    ) -> tuple[V, ...]:
        """Return a value for each unit, made anew for those that events touched.

        A unit's value may hang on the unit with its marks and chit; on the marks, control and forces of places, if *near* names it as one
        of those that hang on that place; and on *of*: values that are compared, such as the `stamp` of aspects.
        """
        kept: _Each | None = self._kept.get(key)
        if kept is None or kept.of != of or self._all > kept.tick:
            values = {unit: make(unit) for unit in units}
        elif kept.tick == self._tick and kept.units == units:
            return kept.row
        else:
            touched = self._touched_since(kept.tick)
            spoilt = touched.units.union(*map(near, touched.places | touched.forces))
            if kept.units == units:
                values = kept.values.copy()
                for unit in spoilt & values.keys():
                    values[unit] = make(unit)
            else:
                old = kept.values
                values = {unit: old[unit] if unit in old and unit not in spoilt else make(unit) for unit in units}
        row = tuple(values.values())
        self._kept[key] = _Each(self._tick, of, units, values, row)
        return row

    def _touched_since(self, since: int) -> _Touched:
        known = self._touched
        if known.since != since or known.tick != self._tick:
            known = self._touched = _Touched(
                since, self._tick, self._units.since(since), self._places.since(since), self._forced.since(since)
            )
        return known

    def clear(self) -> None:
        """Forget everything that was made from the position."""
        self._kept.clear()


SPOILS: dict[type[events.Event], Callable[[Derived, Any, Sequence[str], Position], None]] = {
    events.Placed: Derived._placed,
    events.Moved: Derived._moved,
    events.Shown: Derived._shown,
    **dict.fromkeys((events.Marked, events.Unmarked, events.Concealed, events.Veiled), Derived._of_units),
    **dict.fromkeys(
        (events.Removed, events.StepsChanged, events.Drawn, events.ChitPlaced, events.Returned, events.Revealed), Derived._of_unit
    ),
    **dict.fromkeys((events.PlaceMarked, events.PlaceUnmarked), Derived._of_places),
    events.ControlChanged: Derived._of_control,
    events.MarksCleared: Derived._of_cleared,
}


def _borne(event: events.MarksCleared, position: Position) -> tuple[str, ...]:
    """Return what the clearing of marks touches: nothing that nobody bears."""
    if any(mark in position.place_marks for mark in event.marks):
        return (MARKS, PLACES)
    return (MARKS,) if any(mark in position.unit_marks for mark in event.marks) else ()
