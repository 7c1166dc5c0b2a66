"""What a game keeps from a side, and what a viewer knows of a position: the ground that views and cut events stand on.

A ruleset declares its secrets by name (`Secrets`); what is not named there is seen by all. A viewer is a side, OPEN (sees everything) or
PUBLIC (sees what lies open on the table, as somebody does who holds no seat).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from core.board import OUT, Board, Place
from core.position import Position
from core.units import Side, Unit, UnitId, UnitType

OPEN: Side = ""
PUBLIC: Side = "*public"
UNKNOWN = "?"  # begins the id of the type that stands for a side's unknown counters


class Secrets(msgspec.Struct, frozen=True):
    """What only one side may see.

    Attributes:
        stacks: counters may be `Concealed`; the others see one `Unknown` a place and side instead, however many they are.
        boxes: boxes whose counters only this side sees; not even an `Unknown` shows there.
        unit_marks: marks that only the side sees whose unit bears them.
        place_marks, tracks: marks of places and numbers (such as a secret choice) that only this side sees.
        cups: cups that only this side may look into.
        chits: cups whose chits lie face down under a unit: only the unit's side sees them, and to the others they are still in the cup. A
            chit that leaves the game from there is seen by all. Such a cup is the one that the unit's type names.
        rolls: purposes of rolls that only this side sees; explanations: subjects of `Explained` that only this side sees.
        unseen_chance: orders in which chance may fall of which who gives them is not told. Nobody takes them back unasked, whether any
            fell or not: else he gave them again until what comes of it pleases him.
    """

    stacks: bool = False
    boxes: Mapping[str, Side] = {}
    unit_marks: frozenset[str] = frozenset()
    place_marks: Mapping[str, Side] = {}
    tracks: Mapping[str, Side] = {}
    cups: Mapping[str, Side] = {}
    chits: frozenset[str] = frozenset()
    rolls: Mapping[str, Side] = {}
    explanations: Mapping[str, Side] = {}
    unseen_chance: frozenset[str] = frozenset()

    @property
    def hides_units(self) -> bool:
        """Say whether counters can be unknown to anybody."""
        return self.stacks or bool(self.boxes)

    def __bool__(self) -> bool:
        return self != NOTHING


NOTHING = Secrets()


# -------------------------------------------------------------------- Unknown


def unknown_types(sides: Iterable[Side]) -> dict[str, UnitType]:
    """Return the types of unknown counters, one a side: nothing is printed on their backs."""
    return {
        UNKNOWN + side: UnitType(
            id=UNKNOWN + side, side=side, nation="", kind="unknown", size="", stacking="", name="Unknown counters", steps=0
        )
        for side in sides
    }


def unknown(sides: Sequence[Side], side: Side, place: Place) -> Unit:
    """Return what stands for all counters of a side in a place that the viewer doesn't know: the same for one and for ten.

    Its number is below 0 and hangs on side and place alone, so that it tells nothing either.
    """
    at = 2 * place if place >= 0 else -2 * place - 1
    return Unit(UnitId(-1 - (at * len(sides) + sides.index(side))), UNKNOWN + side, "", place, 0)


def is_unknown(unit: UnitId) -> bool:
    """Say whether a unit of a view stands for counters that the viewer doesn't know."""
    return unit < 0


# -------------------------------------------------------------------- what a viewer knows


class Sight(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a viewer knows of one counter: itself, its marks, the chit under it (empty: none that he knows of)."""

    unit: Unit
    marks: tuple[tuple[str, int], ...]
    chit: str


class Eye:
    """What one viewer may know of positions of a game.

    Args:
        secrets: what the game's ruleset declares.
        types, board, sides: those of its setting.
    """

    def __init__(
        self, secrets: Secrets, viewer: Side, *, types: Mapping[str, UnitType], board: Board, sides: Sequence[Side]
    ) -> None:
        self.secrets = secrets
        self.viewer = viewer
        self.types = types
        self.sides = sides
        self.sees_all = viewer == OPEN or not secrets
        self._boxes = {board.box(box): side for box, side in secrets.boxes.items()}

    def may(self, owners: Mapping[str, Side], name: str) -> bool:
        """Say whether the viewer may see what *owners* keep for a side, if for anybody."""
        return owners.get(name, self.viewer) == self.viewer

    def owns(self, unit: Unit) -> bool:
        """Say whether a counter is the viewer's own."""
        return self.types[unit.type].side == self.viewer

    def knows(self, position: Position, unit: UnitId) -> bool:
        """Say whether the viewer knows a counter that may or may not exist."""
        counter = position.units.get(unit)
        if counter is None:
            return False
        return self.owns(counter) or (unit not in position.hidden and counter.place not in self._boxes)

    def sees_mark(self, unit: Unit, mark: str) -> bool:
        """Say whether the viewer sees a mark of a unit that he knows."""
        return mark not in self.secrets.unit_marks or self.owns(unit)

    def sees_chit(self, position: Position, unit: UnitId) -> bool:
        """Say whether the viewer sees the chit under a unit."""
        counter = position.units[unit]
        return self.owns(counter) or (self.knows(position, unit) and self.types[counter.type].cup not in self.secrets.chits)

    def sight(self, position: Position, unit: UnitId) -> Sight | None:
        """Return what the viewer knows of a counter, None if nothing."""
        if not self.knows(position, unit):
            return None
        counter = position.units[unit]
        marks = tuple(mark for mark in position.marks_of(unit) if self.sees_mark(counter, mark[0]))
        return Sight(counter, marks, position.chits.get(unit, "") if self.sees_chit(position, unit) else "")

    def shows(self, place: Place) -> bool:
        """Say whether unknown counters show in a place."""
        return place != OUT and place not in self._boxes

    def unknown_at(self, position: Position, place: Place) -> list[Unit]:
        """Return the unknowns that the viewer sees in a place, at most one a side."""
        if not self.shows(place):
            return []
        there = {self.types[position.units[unit].type].side for unit in position.at(place) if not self.knows(position, unit)}
        return [unknown(self.sides, side, place) for side in self.sides if side in there]

    def unseen_chits(self, position: Position, cup: str) -> dict[str, int]:
        """Return the chits from a cup that lie where the viewer doesn't see them: to him they never left it."""
        found: dict[str, int] = {}
        for unit, chit in position.chits.items():
            if self.types[position.units[unit].type].cup == cup and not self.sees_chit(position, unit):
                found[chit] = found.get(chit, 0) + 1
        return found

    def cup(self, position: Position, cup: str) -> dict[str, int] | None:
        """Return what a cup holds for all that the viewer knows, None if there is none that he may look into."""
        if cup not in position.cups or not self.may(self.secrets.cups, cup):
            return None
        known = position.cups[cup].copy()
        for chit, count in self.unseen_chits(position, cup).items():
            known[chit] = known.get(chit, 0) + count
        return known

    def view(self, position: Position) -> Position:
        """Return a position as the viewer may know it: of the same type, with an `Unknown` for each stack that is hidden from him."""
        seen = position.copy()
        if self.sees_all:
            return seen
        secrets = self.secrets
        seen.forget([unit for unit in position.units if not self.knows(position, unit)])
        seen.hidden = {unit for unit in position.hidden if unit in position.units and self.owns(position.units[unit])}
        for place in {unit.place for unit in position.units.values()}:
            for counter in self.unknown_at(position, place):
                seen.put(counter)
        for mark in secrets.unit_marks & seen.unit_marks.keys():
            borne = {unit: value for unit, value in seen.unit_marks.pop(mark).items() if self.owns(seen.units[unit])}
            if borne:
                seen.unit_marks[mark] = borne
        seen.chits = {unit: chit for unit, chit in seen.chits.items() if self.sees_chit(position, unit)}
        seen.place_marks = {mark: borne for mark, borne in seen.place_marks.items() if self.may(secrets.place_marks, mark)}
        seen.tracks = {track: value for track, value in seen.tracks.items() if self.may(secrets.tracks, track)}
        seen.cups = {cup: known for cup in position.cups if (known := self.cup(position, cup)) is not None}
        if secrets.hides_units:
            seen.next_unit = 0
        return seen
