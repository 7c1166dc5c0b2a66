"""What counters are worth to their side, and what strength a bot reckons with (15.2, 7.0)."""

from __future__ import annotations

from fractions import Fraction

import msgspec

from core.board import Hex
from core.derived import CHITS, MARKS, STEPS, UNITS
from core.rulesets.war_for_the_motherland import strength, strength_markers, victory
from core.rulesets.war_for_the_motherland.terms import AXIS, MARKERS, is_army, is_panzer
from core.units import Side, UnitId, UnitType
from core.views import View

SOVIET_STEP = 0.25  # Soviet counters score nothing: they are worth what they can still take from the Axis
SOVIET_SERVICE = {"headquarters": 3.0, "osg": 2.5}


class Standing(msgspec.Struct, frozen=True):
    """A counter on the map as a bot sees it; *attack* and *defence* are those of a battle now."""

    unit: UnitId
    side: Side
    kind: UnitType
    here: Hex
    value: float
    attack: float
    defence: float


def value(view: View, unit: UnitId) -> float:
    """Return what a counter is worth while it is supplied and safe: for the Axis its victory points (15.21)."""
    kind, steps = view.type(unit), view.unit(unit).steps
    if kind.side == AXIS:
        if kind.kind == "supply_depot":
            return victory.DEPOT_POINTS + 0.5
        if kind.kind == "airbase":
            return victory.AIRBASE_POINTS
        return steps * step_value(kind) + (1.0 if kind.kind == "headquarters" else 0.0)
    return SOVIET_SERVICE.get(kind.kind, steps * SOVIET_STEP)


def step_value(kind: UnitType) -> float:
    """Return what a step of a type is worth."""
    if kind.side != AXIS:
        return SOVIET_STEP
    return victory.PANZER_STEP if is_panzer(kind) else victory.OTHER_STEP


def roster(view: View) -> tuple[Standing, ...]:
    """Return all counters on the map, without fleets and partisans, lowest number first."""
    return view.derived.get("bot roster", (UNITS, STEPS, CHITS, MARKS), lambda: _roster(view))


def _roster(view: View) -> tuple[Standing, ...]:
    figures = view.derived.get("bot figures", (STEPS, CHITS, MARKS), lambda: _all_figures(view))  # moves change nobody's
    found = []
    for unit in view.position.on_map():
        kind = view.types[unit.type]
        if kind.kind not in MARKERS:
            worth, attack, defence = figures[unit.id] if unit.id in figures else _figures(view, unit.id)
            found.append(Standing(unit.id, kind.side, kind, Hex(unit.place), worth, attack, defence))
    return tuple(found)


def _all_figures(view: View) -> dict[UnitId, tuple[float, float, float]]:
    return {unit.id: _figures(view, unit.id) for unit in view.position.on_map() if view.types[unit.type].kind not in MARKERS}


def _figures(view: View, unit: UnitId) -> tuple[float, float, float]:
    """Return value, attack and defence now (9.52, 9.53)."""
    attack, defence = points(view, unit)
    if strength.is_out_of_supply(view, unit):
        attack, defence = (attack + 1) // 2, (defence + 1) // 2
    elif strength.is_in_lack(view, unit):
        attack = (attack + 1) // 2
    return value(view, unit), attack, defence


def points(view: View, unit: UnitId) -> tuple[float, float]:
    """Return attack and defence as printed; of an army that is still to draw, what its cup promises."""
    kind = view.type(unit)
    if is_army(kind) and unit not in view.position.chits:
        return view.derived.get(("bot cup", kind.cup), (CHITS,), lambda: _promise(view, kind.cup))
    face = strength.printed(view, unit)
    return face.attack, face.defence


def _promise(view: View, cup: str) -> tuple[float, float]:
    attack = strength_markers.expected(view, cup, lambda face: face.attack)
    defence = strength_markers.expected(view, cup, lambda face: face.defence)
    return float(_or(attack, strength.NO_MARKER.attack)), float(_or(defence, strength.NO_MARKER.defence))


def _or(found: int | Fraction | None, other: int) -> int | Fraction:
    return other if found is None else found

