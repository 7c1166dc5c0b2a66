"""What counters are worth to their side, and what strength a bot reckons with (15.2, 7.0)."""

from __future__ import annotations

from fractions import Fraction

import msgspec

from core.board import Hex
from core.derived import CHITS, MARKS, STEPS, TRACKS, UNITS
from core.rulesets.war_for_the_motherland import strength, strength_markers, victory
from core.rulesets.war_for_the_motherland.terms import AXIS, MARKERS, SOVIET, is_army, is_ea, is_panzer
from core.units import Side, UnitId, UnitType
from core.views import View

# Soviet counters score nothing: they are worth what they can still take from the Axis, and less when the end is near.
SOVIET_STEP, LAST_SOVIET_STEP = 0.7, 0.25
LAST_TURNS = 3
SOVIET_SERVICE = {"headquarters": 3.0, "osg": 2.5}
_ASPECTS = (UNITS, STEPS, MARKS, CHITS, TRACKS)  # what a counter is to a bot hangs on these
ASSET = 2.0  # an Economic Asset (12.0)


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
        return steps * step_value(view, kind) + (1.0 if kind.kind == "headquarters" else 0.0)
    if is_ea(kind):
        return ASSET
    return SOVIET_SERVICE.get(kind.kind, steps * step_value(view, kind))


def step_value(view: View, kind: UnitType) -> float:
    """Return what a step of a type is worth."""
    if kind.side != AXIS:
        return LAST_SOVIET_STEP if is_near_the_end(view) else SOVIET_STEP
    return victory.PANZER_STEP if is_panzer(kind) else victory.OTHER_STEP


def is_near_the_end(view: View) -> bool:
    """Say whether so few turns are left that only what counts at the end is worth anything."""
    return view.setting.scenario.last_turn - view.position.turn < LAST_TURNS


def is_reckless(view: View, side: Side) -> bool:
    """Say whether a side has nothing left to hold: the Soviets near the end where only the Axis army counts (16.52)."""
    return side == SOVIET and is_near_the_end(view) and view.derived.get("bot army alone", (), lambda: _counts_army_alone(view))


def _counts_army_alone(view: View) -> bool:
    count = victory.conditions(view)
    return count.army_points and not count.cities and not count.assets


def roster(view: View) -> tuple[Standing, ...]:
    """Return all counters on the map, without fleets and partisans, lowest number first."""
    return view.derived.get("bot standings", _ASPECTS, lambda: _roster(view))


def of_side(view: View, side: Side) -> tuple[Standing, ...]:
    """Return those counters that are a side's."""
    return view.derived.get(("bot standings", side), _ASPECTS, lambda: tuple([one for one in roster(view) if one.side == side]))


def _roster(view: View) -> tuple[Standing, ...]:
    units = view.derived.get("bot counters", (UNITS,), lambda: _counters(view))
    of = (view.derived.stamp(CHITS), view.position.turn)
    return view.derived.each("bot roster", units, lambda unit: as_seen(view, unit), of=of, near=lambda place: ())


def _counters(view: View) -> tuple[UnitId, ...]:
    types = view.types
    return tuple([unit.id for unit in view.position.on_map() if types[unit.type].kind not in MARKERS])


def as_seen(view: View, unit: UnitId) -> Standing:
    """Return a counter as a bot sees it, wherever it is."""
    kind = view.type(unit)
    return Standing(unit, kind.side, kind, Hex(view.unit(unit).place), *_figures(view, unit))


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

