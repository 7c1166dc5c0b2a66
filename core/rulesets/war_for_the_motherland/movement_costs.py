"""What a step costs a unit, and which rule closes it: terrain, rivers, ice, railroads, enemies and their ZOC (5.2, 4.26 to 4.28).

Rules: 4.15b, 4.26a, 4.26b, 4.27a, 4.27b, 4.28, 5.21a, 5.21b, 5.22a, 5.22b, 5.22c, 5.23, 5.25, 5.26a, 5.26d, 5.27a, 5.27b, 5.28a, 5.28b,
5.32a, 5.32b, 5.41, 5.42, 5.43, 5.44, 8.48, 9.44, 11.23, 11.24, 17.41,
19.43a (halt), 20.34a, 20.34b; D-15, D-18 to D-21, D-88.
"""

from __future__ import annotations

import msgspec
import numpy as np

from core.board import SIDES, Hex
from core.derived import TRACKS, forces
from core.errors import Refused
from core.mechanics import movement as hops
from core.mechanics.movement import Field
from core.rulesets.war_for_the_motherland import first_turn, moscow, stacking, supply, weather, zoc
from core.rulesets.war_for_the_motherland.terms import (
    AXIS,
    BEGAN_AT,
    SOVIET,
    has_enemy,
    is_allied,
    is_armored,
    is_ea,
    is_panzer,
    is_unit,
)
from core.text import text
from core.units import Side, UnitId, UnitType
from core.views import View

QUARTERS = 4  # of a movement point
DISENGAGING = 3 * QUARTERS  # 5.21b, 5.41
KEEPING_OFF = 3  # hexes: a security division stays farther away (20.34)
SERVICE = frozenset({"airbase", "headquarters", "osg", "siege_artillery", "supply_depot"})  # 4.28


class MoveClass(msgspec.Struct, frozen=True):
    """What decides the cost of the ground for a unit."""

    motorized: bool
    mountain: bool
    over_ice: bool
    no_rivers: bool
    by_rail: bool


def class_of(view: View, unit: UnitId) -> MoveClass:
    """Return how a unit pays for the ground now."""
    kind = view.type(unit)
    return MoveClass(
        kind.motorized,  # 5.23
        kind.kind == "mountain",  # 5.25: of both nations that have any
        kind.side == SOVIET and not is_armored(kind) and weather.is_snow(view),  # 5.26a, 5.26d
        first_turn.ignores_rivers(view, kind),  # 17.41
        kind.kind == "siege_artillery",  # 5.28a
    )


def hex_costs(view: View, cls: MoveClass) -> hops.Quarters:
    """Return int16[size]: what entering each hex costs."""
    snow = weather.is_snow(view)
    return view.derived.get(("hex costs", cls.motorized, cls.mountain, snow), (), lambda: _hex_costs(view, cls))


def _hex_costs(view: View, cls: MoveClass) -> hops.Quarters:
    found = np.full(view.board.size, hops.CLOSED, np.int16)
    for i, fact in enumerate(view.board.facts):
        here = Hex(i)
        if not weather.is_land(view, here):
            continue
        kind = "fortress" if "fortress" in fact.features else weather.terrain(view, here)  # 8.48
        row = view.charts.terrain.of(kind)
        cost = row.motorized if cls.motorized else row.non_motorized  # 5.23
        if cls.mountain and row.mountain_units is not None:
            cost = row.mountain_units  # 5.25
        if "arctic" in fact.features and weather.is_snow(view):
            cost *= 2  # 5.27b, D-19
        found[i] = max(1, QUARTERS * cost)
    return found


def ground(view: View, cls: MoveClass) -> hops.Quarters:
    """Return int16[6 * size]: what each step costs by hex and hexside, enemies ignored."""
    return view.derived.get(("ground", cls, weather.is_snow(view)), (), lambda: _ground(view, cls))


def _ground(view: View, cls: MoveClass) -> hops.Quarters:
    board = view.board
    shut = (board.neighbours < 0) | board.mask("sea", "lake", "causeway", "ice_road")  # 9.44, 5.26d
    if cls.by_rail:
        return np.where(board.mask("rail") & ~shut, QUARTERS, hops.CLOSED).astype(np.int16)  # 5.28a, D-21
    cost = hex_costs(view, cls)[board.neighbours].astype(np.int32)
    for kind in () if cls.no_rivers else ("minor_river", "major_river"):
        cost += np.where(board.mask(kind), _crossing(view, kind, cls), 0)  # 5.22a
    if cls.over_ice:
        ice = board.mask("ice_road")
        cost += np.where(ice, _crossing(view, "ice_road", cls), 0)  # 11.23, D-20
        shut &= ~(ice & (board.neighbours >= 0))
    return np.where(shut, hops.CLOSED, np.minimum(cost, hops.CLOSED)).astype(np.int16)


def _crossing(view: View, kind: str, cls: MoveClass) -> int:
    row = view.charts.terrain.crossing(kind)
    return QUARTERS * int(row.motorized if cls.motorized else row.non_motorized)


def field_of(view: View, unit: UnitId) -> Field:
    """Return what every step costs a unit now, or that it is closed."""
    kind, distance = view.type(unit), keeping_off(view, unit)
    closed = _closed_too(view, kind, distance)
    of = (view.derived.stamp(forces(view.other(kind.side))), closed, view.position.turn, _must_halt_in_moscow(view, kind))
    return view.derived.keep(("field of type", kind.id, distance), of, lambda: _field_of_class(view, unit, distance, of))


def _field_of_class(view: View, unit: UnitId, distance: int, of: tuple[object, ...]) -> Field:
    """Return the field that a unit's type shares with all types that move alike."""
    kind, cls = view.type(unit), class_of(view, unit)
    service = kind.kind if kind.kind == "siege_artillery" else kind.kind in SERVICE
    nation = kind.nation if is_allied(kind) else ""
    key = ("field", kind.side, cls, service, nation, is_panzer(kind), distance)
    return view.derived.keep(key, of, lambda: _field(view, kind, cls, _closed_too(view, kind, distance)))


def _closed_too(view: View, kind: UnitType, distance: int) -> tuple[frozenset[Hex], ...]:
    """Return the hexes that are closed beside those with enemies; there are none for most units."""
    found = []
    if is_allied(kind):
        found.append(stacking.allied_elsewhere(view, kind.nation))  # 4.15b
    if kind.kind == "siege_artillery":
        found.append(zoc.exerted(view, view.other(kind.side)))  # 5.28b, D-15
    elif kind.kind in SERVICE:
        found.append(_bare(view, kind.side))  # 4.28
    if distance:
        found.append(_near_soviets(view, distance))  # 20.34
    return tuple(found)


def _field(view: View, kind: UnitType, cls: MoveClass, closed_too: tuple[frozenset[Hex], ...]) -> Field:
    zone = zoc.ground(view, view.other(kind.side)).is_in_zone
    closed = enemy_hexes(view, kind.side).copy()  # 5.32a
    for hexes in closed_too:
        closed |= as_mask(view, hexes)
    cost = ground(view, cls)
    if _must_halt_in_moscow(view, kind):
        cost, moscow_hex = cost.copy(), view.board.hex(supply.MOSCOW)
        cost[SIDES * moscow_hex : SIDES * moscow_hex + SIDES] = hops.CLOSED  # 19.43a: a die is rolled there first
    return hops.field(
        view.board,
        cost,
        closed=closed,
        zone=zone,  # 4.26a: who entered a ZOC goes on only for 3 MP more
        leaving=DISENGAGING,  # 4.27a, 4.27b, 5.42
        zone_to_zone=is_panzer(kind),  # 4.26b, 5.43
    )


def _must_halt_in_moscow(view: View, kind: UnitType) -> bool:
    return kind.side == AXIS and moscow.is_open(view)


def keeping_off(view: View, unit: UnitId) -> int:
    """Return the distance up to which a security division may not come to Soviet units, 0 for other units (20.34, D-88).

    One that begins nearer than that may only go to where it is farther away than at its start.
    """
    if view.type(unit).kind != "security":
        return 0
    began = view.position.mark(unit, BEGAN_AT)
    start = Hex(began - 1 if began else view.unit(unit).place)
    return next((radius for radius in range(1, KEEPING_OFF) if start in _near_soviets(view, radius)), KEEPING_OFF)


def _near_soviets(view: View, radius: int) -> frozenset[Hex]:
    """Return the hexes within *radius* of Soviet units; EA and partisans do not count (D-88)."""
    return view.derived.get(("near soviets", radius), (forces(SOVIET),), lambda: _within_of_soviets(view, radius))


def _within_of_soviets(view: View, radius: int) -> frozenset[Hex]:
    soviets = {Hex(unit.place) for unit in view.position.on_map() if _is_soviet_force(view.types[unit.type])}
    return frozenset().union(*(view.board.within(here, radius) for here in sorted(soviets)))


def _is_soviet_force(kind: UnitType) -> bool:
    return kind.side == SOVIET and is_unit(kind) and not is_ea(kind)


def as_mask(view: View, hexes: frozenset[Hex]) -> hops.Hexes:
    """Return bool[size] of a set of hexes."""
    found = np.zeros(view.board.size, np.bool_)
    found[list(hexes)] = True
    return found


def enemy_hexes(view: View, side: Side) -> hops.Hexes:
    """Return bool[size]: where units of the other side stand (5.32a, 5.32b)."""
    return zoc.ground(view, view.other(side)).is_held


def _bare(view: View, side: Side) -> frozenset[Hex]:
    """Return the hexes in enemy ZOC where no unit of a side stands that has one of its own (4.28)."""
    return view.derived.get(("bare", side), (forces(side), forces(view.other(side)), TRACKS), lambda: _in_bare_zoc(view, side))


def _in_bare_zoc(view: View, side: Side) -> frozenset[Hex]:
    zone, own = zoc.exerted(view, view.other(side)), zoc.ground(view, side).stacks
    return zone.difference([Hex(here) for here in own if here in zone and zoc.holder(view, Hex(here), side)])


# -------------------------------------------------------------------- why not


def why_closed(view: View, unit: UnitId, here: Hex, there: Hex) -> Refused:
    """Return which rule closes a step between two neighbours to a unit."""
    kind, cls = view.type(unit), class_of(view, unit)
    words = {"unit": view.name(unit), "hex": view.board.name(there)}
    if cls.by_rail and not view.board.side_has(here, there, "rail"):
        return Refused("5.28a", text("{unit} moves along railroads only, not to {hex}", **words))
    over_ice = cls.over_ice and view.board.side_has(here, there, "ice_road") and weather.is_land(view, there)
    barred = None if over_ice else why_barred(view, here, there)
    if barred is not None:
        return barred
    if has_enemy(view, there, kind.side):
        return Refused("5.32a", text("enemy units are in {hex}", **words))
    if stacking.closed_to_nation(view, unit, there):
        return Refused("4.15b", text("{unit} can't enter {hex}: another Axis nation's unit is there", **words))
    if moscow.is_moscow(view, here) and _must_halt_in_moscow(view, kind):
        return Refused("19.43a", text("{unit} can't pass through Moscow: a die is rolled there first", **words))
    if (distance := keeping_off(view, unit)) and there in _near_soviets(view, distance):
        rule = "20.34a" if distance == KEEPING_OFF else "20.34b"
        return Refused(rule, text("{unit} may not go that near to Soviet units: {hex}", **words))
    if zoc.in_enemy_zoc(view, there, kind.side):
        if cls.by_rail:
            return Refused("5.28b", text("{unit} may not enter {hex}, which is in an enemy ZOC", **words))
        if kind.kind in SERVICE and not zoc.holder(view, there, kind.side):
            return Refused("4.28", text("{unit} may enter {hex} only with a unit there that has a ZOC", **words))
    return Refused("4.26b", text("{unit} can't go from one enemy ZOC directly to another, {hex}", **words))


def why_barred(view: View, here: Hex, there: Hex) -> Refused | None:
    """Return why no land unit goes from one hex to its neighbour, None if the ground is open."""
    names = {"hex": view.board.name(there)}
    if not weather.is_land(view, there):
        return Refused("5.21a", text("{hex} is water", **names))
    if view.board.side_has(here, there, "causeway"):
        return Refused("9.44", text("the causeway to {hex} serves supply and strategic movement only", **names))
    if view.board.side_has(here, there, "ice_road"):
        return Refused("5.26a", text("the ice road to {hex} is for the Soviets, without tanks, in snow", **names))
    if weather.bars_all(view, here, there):
        return Refused("5.21a", text("water lies between {here} and {hex}", here=view.board.name(here), **names))
    return None
