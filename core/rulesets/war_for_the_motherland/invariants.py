"""What is true of every position that a side is asked in; trials hold whole games against it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from core.board import Hex
from core.rulesets.war_for_the_motherland import box_checks, stacking, strength_markers, weather
from core.rulesets.war_for_the_motherland.battle import PayResult
from core.rulesets.war_for_the_motherland.terms import (
    AXIS,
    BEGAN_AT,
    FINISHED,
    IN_BATTLE,
    IN_HAND,
    LACK_OF_SUPPLY,
    OF_A_BATTLE,
    OUT_OF_SUPPLY,
    SOVIET,
    SPENT,
    is_allied,
    units_at,
)
from core.views import View

BETWEEN_PHASES = frozenset({"DepotsChoice", "FleetsChoice", "Organize", "Convert", "Rebuild", "Evacuation", "ChooseCombat"})
BETWEEN_BATTLES = BETWEEN_PHASES | {"Reinforce", "MoveUnits"}
MOVEMENT_PHASES = frozenset({"axis_movement", "soviet_movement", "german_mechanized_movement"})
OF_MOVEMENT = frozenset({SPENT, IN_HAND, FINISHED, BEGAN_AT})
MOST_OSG, MOST_PARTISANS = 10, 5  # 12.24, 9.81


def broken(view: View) -> Iterator[str]:
    """Yield what is wrong with a position; nothing if all holds."""
    yield from _of_places(view)
    yield from _of_units(view)
    yield from _of_control(view)
    yield from _of_numbers(view)
    yield from _of_marks_at_any_time(view)
    yield from _of_cups(view)
    yield from box_checks.broken(view)
    name = view.position.top.name if view.position.top else ""
    if name in BETWEEN_PHASES:
        yield from _of_stacks(view)
    if name in BETWEEN_BATTLES:
        yield from _of_marks_of_a_battle(view)
    if name == PayResult.__name__:
        yield from _of_markers(view)


# -------------------------------------------------------------------- who stands where


def _of_places(view: View) -> Iterator[str]:
    for here in view.position.occupied():
        axis, soviet, name = units_at(view, here, AXIS), units_at(view, here, SOVIET), view.board.name(here)
        if (axis or soviet) and not weather.is_land(view, here):
            yield f"units stand in the water of {name}"
        if axis and soviet:
            yield f"both sides stand in {name}"
        if len({view.type(unit).nation for unit in axis if is_allied(view.type(unit))}) > 1:
            yield f"two allied nations stand in {name}"  # 4.15
        if axis and weather.is_fortress(view, here):
            yield f"Axis units stand in {name}, and the fortress is not destroyed"  # 8.47
        if len([unit for unit in view.position.at(here) if view.type(unit).kind == "partisan"]) > 1:
            yield f"two partisans are in {name}"  # 9.82


def _of_units(view: View) -> Iterator[str]:
    for unit in view.position.on_map():
        kind = view.types[unit.type]
        if not 1 <= unit.steps <= kind.steps:
            yield f"{view.name(unit.id)} has {unit.steps} steps of {kind.steps}"


def _of_stacks(view: View) -> Iterator[str]:
    """Stacking was enforced when the last phase ended, or the last combat (4.11, 8.118); what is placed since counts later (13.11)."""
    for here in view.position.occupied():
        for side in (AXIS, SOVIET):
            if stacking.excess(view, Hex(here), side):
                yield f"{view.board.name(here)} is overstacked between phases"


def _of_control(view: View) -> Iterator[str]:
    """Whoever stands in a city or port whose control is kept holds it (5.72)."""
    for here, holder in view.position.control.items():
        if units_at(view, here, view.other(holder)):
            yield f"{view.board.name(here)} is held by {holder}, and its enemy stands there"


def _of_numbers(view: View) -> Iterator[str]:
    """The limits of what may be on the map: OSG (12.24), partisans (9.81), fleets with their airbase alone, never in mud (10.1)."""
    kinds = Counter(view.types[unit.type].kind for unit in view.position.on_map())
    for kind, most in (("osg", MOST_OSG), ("partisan", MOST_PARTISANS)):
        if kinds[kind] > most:
            yield f"{kinds[kind]} counters of kind {kind} are on the map, at most {most} may be"
    if not kinds["air_fleet"]:
        return
    bases = {unit.name for unit in view.position.on_map() if view.types[unit.type].kind == "airbase"}
    for unit in view.position.on_map():
        if view.types[unit.type].kind == "air_fleet" and unit.name not in bases:
            yield f"{view.name(unit.id)} flies without its airbase"
    if weather.is_mud(view) or view.position.phase == "administrative":
        yield f"air fleets are on the map in phase {view.position.phase} of turn {view.position.turn}"


# -------------------------------------------------------------------- marks


def _of_marks_at_any_time(view: View) -> Iterator[str]:
    marks, phase = view.position.unit_marks, view.position.phase
    for unit in sorted(marks.get(LACK_OF_SUPPLY, {}).keys() & marks.get(OUT_OF_SUPPLY, {}).keys()):
        yield f"{view.name(unit)} is Out of Supply and in Lack of Supply"  # 9.13
    if phase not in MOVEMENT_PHASES:
        for mark in sorted(marks.keys() & set(OF_MOVEMENT)):
            for unit in sorted(marks[mark]):
                yield f"{view.name(unit)} bears {mark} of a movement phase in phase {phase}"


def _of_marks_of_a_battle(view: View) -> Iterator[str]:
    left = view.position.unit_marks.keys() & set(OF_A_BATTLE)
    if left:
        yield f"marks of a battle are left after it: {', '.join(sorted(left))}"


# -------------------------------------------------------------------- combat strength markers


def _of_cups(view: View) -> Iterator[str]:
    """No marker is made or lost: each lies in its cup or under an army of its class; stars alone leave the game (7.14, 7.23, 7.24)."""
    found = Counter(view.position.chits.values())
    for chits in view.position.cups.values():
        found.update(chits)
    received = strength_markers.received(view)
    for chit in found.keys() | received.keys():
        gone = received[chit] - found[chit]
        if gone < 0 or (gone and not view.charts.markers[chit].star):
            yield f"{found[chit]} markers {chit} are in cups and under armies; {received[chit]} have come"
    for unit, chit in view.position.chits.items():
        if view.unit(unit).place < 0 or view.type(unit).cup != view.charts.markers[chit].cls:  # what is no army has no cup
            yield f"marker {chit} lies under {view.name(unit)}"


def _of_markers(view: View) -> Iterator[str]:
    """Whoever fights has its marker, unless its cup has none (7.11, D-30)."""
    for unit in view.position.marked(IN_BATTLE):
        kind = view.type(unit)
        if unit not in view.position.chits and view.position.cups.get(kind.cup):  # none but armies have a cup
            yield f"{view.name(unit)} fights without a marker, and cup {kind.cup} is not empty"
