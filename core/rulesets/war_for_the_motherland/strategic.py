"""Strategic movement (5.6): up to 25 hexes far from all enemies, in supply all the way, instead of a normal move.

Rules: 3.0.2b, 3.0.5b, 5.28c, 5.61, 5.62a, 5.62b, 5.62c, 5.63, 5.64a, 5.64b, 5.65, 5.66a, 5.66b, 5.67a, 5.67b, 5.68, 5.69, 9.44, 9.84, 9.85,
10.24, 11.14, 20.33a; D-21, D-24, D-25, D-26.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from core.board import SIDES, Hex
from core.derived import UNITS, forces
from core.errors import Refused
from core.events import Event, Marked, Moved
from core.game import Game
from core.mechanics import movement as hops
from core.mechanics.movement import Field, Halt, Mover
from core.options import Offer
from core.ruleset import Way
from core.rulesets.war_for_the_motherland import control, marching, moscow, movement, ranges, stacking, supply, weather
from core.rulesets.war_for_the_motherland.marching import Manner, March, is_late, refused
from core.rulesets.war_for_the_motherland.movement import BY_STRATEGIC_MOVE, BY_STRATEGY, LATE
from core.rulesets.war_for_the_motherland.movement_costs import QUARTERS, as_mask, enemy_hexes
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.strength import is_supplied
from core.rulesets.war_for_the_motherland.terms import AXIS, MOVED, SPENT, STRATEGIC, counters, is_allied, is_unit, units_at
from core.text import text
from core.units import Side, UnitId, UnitType
from core.views import View

HEXES = 25  # 5.64a
NEARER = 4  # at this distance and below an enemy is too near (5.62a)


class Strategic(March, frozen=True, tag="strategic"):
    """Units in one hex go strategically along a path."""


# -------------------------------------------------------------------- who


def bar(view: View, unit: UnitId) -> Refused | None:
    """Return why a unit may not move strategically at this moment, wherever to; None if it may."""
    return bar_of_its_own(view, unit) or bar_by_others(view, unit)


def bar_of_its_own(view: View, unit: UnitId) -> Refused | None:
    """Return why a unit may not move strategically in this phase, whatever others do: by the unit, its marks and the turn alone."""
    return (
        movement.bar_in_phase(view, unit)  # 5.35, 5.61, 5.68
        or _bar_by_turn(view, unit)
        or _bar_by_kind(view, unit)
    )


def bar_by_others(view: View, unit: UnitId) -> Refused | None:
    """Return why a unit may not move strategically at this moment, by what others did and where enemies are."""
    return _bar_by_class(view, unit) or _bar_by_place(view, unit)


def _bar_by_turn(view: View, unit: UnitId) -> Refused | None:
    if view.position.mark(unit, MOVED) or view.position.mark(unit, SPENT):
        return refused("5.61", "{unit} has moved normally in this turn", view, unit)
    return None


def _bar_by_kind(view: View, unit: UnitId) -> Refused | None:
    traits = view.type(unit).traits
    if "strategic_mud" in traits and not weather.is_mud(view):
        return refused("5.66b", "{unit} may use strategic movement in mud turns only", view, unit)  # 11.14
    if "strategic" not in traits and "strategic_mud" not in traits:
        rule = "20.33a" if view.type(unit).kind == "security" else "5.66a"
        return refused(rule, "{unit} may not use strategic movement", view, unit)
    if not is_supplied(view, unit):
        return refused("5.67a", "{unit} is not supplied", view, unit)
    return None


def _bar_by_class(view: View, unit: UnitId) -> Refused | None:
    kind, come_to = view.type(unit), movement.current_class(view)
    if is_late(kind):
        return None  # 8.65, D-26: it opens the last class itself
    if come_to == LATE:
        return refused("5.33", "OSG move last, and one has moved: {unit} can't any more", view, unit)
    if come_to > BY_STRATEGY:
        rule = "3.0.2b" if kind.side == AXIS else "3.0.5b"
        return refused(rule, "normal movement has begun: {unit} can't move strategically any more", view, unit)
    return None


def _bar_by_place(view: View, unit: UnitId) -> Refused | None:
    if Hex(view.unit(unit).place) in near(view, view.side(unit)):
        return refused("5.62a", "{unit} is not 5 hexes away from all enemies", view, unit)
    return None


# -------------------------------------------------------------------- where


def near(view: View, side: Side) -> frozenset[Hex]:
    """Return the hexes that are too near to an enemy of *side*; terrain ignored (5.62)."""
    return view.derived.get(("too near", side), (UNITS,), lambda: _near(view, side))


def _near(view: View, side: Side) -> frozenset[Hex]:
    enemies, partisans = view.derived.get(("enemies", side), (forces(view.other(side)),), lambda: _enemies(view, side))
    enemies |= frozenset(here for here in partisans if not units_at(view, here, side))  # 9.84, 9.85
    return view.derived.keep(("around", side), (enemies,), lambda: _around(view, enemies))


def _around(view: View, enemies: frozenset[Hex]) -> frozenset[Hex]:
    return frozenset().union(*(view.board.within(here, NEARER) for here in sorted(enemies)))  # 5.62b


def _enemies(view: View, side: Side) -> tuple[frozenset[Hex], frozenset[Hex]]:
    """Return the hexes of a side's enemies, fleets too (5.62c, 10.24), and apart from them those of partisans."""
    hostile = [(Hex(unit.place), kind.kind == "partisan") for unit, kind in counters(view, view.other(side))]
    return frozenset(here for here, partisan in hostile if not partisan), frozenset(here for here, partisan in hostile if partisan)


def field_of(view: View, unit: UnitId) -> Field:
    """Return the steps that a unit may take strategically, each for 1 of its 25 hexes."""
    kind = view.type(unit)
    by_rail = kind.kind == "siege_artillery"
    user = "" if supply.needs_no_line(kind) else supply.user_of(kind)
    nation = kind.nation if is_allied(kind) else ""
    halts = _halts_in_moscow(view, kind)
    key = ("strategic field", kind.side, by_rail, user, nation, halts)
    lines = supply.supplied_from(view, user) if user else None
    others = stacking.allied_elsewhere(view, nation) if nation else frozenset()
    of = (view.derived.stamp(forces(view.other(kind.side))), near(view, kind.side), lines, others)
    return view.derived.keep(key, of, lambda: _field(view, kind, lines, others, halts=halts))


def _halts_in_moscow(view: View, kind: UnitType) -> bool:
    return moscow.is_open(view) and moscow.halts(view, view.board.hex(supply.MOSCOW), kind.side)


def _field(view: View, kind: UnitType, lines: frozenset[Hex] | None, others: frozenset[Hex], *, halts: bool) -> Field:
    board = view.board
    closed = _water(view) | as_mask(view, near(view, kind.side)) | enemy_hexes(view, kind.side)
    if lines is not None:
        closed |= ~as_mask(view, lines)  # 5.67b, D-25
    closed |= as_mask(view, others)  # 4.15b
    ground = view.derived.get(("strategic ground", kind.kind == "siege_artillery", halts), (), lambda: _ground(view, kind, halts=halts))
    return hops.field(board, ground, closed=closed, zone=np.zeros(board.size, np.bool_), leaving=0, zone_to_zone=True)


def _ground(view: View, kind: UnitType, *, halts: bool) -> hops.Quarters:
    board = view.board
    shut = (board.neighbours < 0) | board.mask("sea", "lake", "ice_road")  # 5.65; the causeway is open: 9.44
    if kind.kind == "siege_artillery":
        shut |= ~board.mask("rail")  # 5.28c, D-21
    if halts:
        out_of = SIDES * board.hex(supply.MOSCOW)
        shut[out_of : out_of + SIDES] = True  # 19.43a: a die is rolled there first
    return np.where(shut, hops.CLOSED, QUARTERS).astype(np.int16)  # 5.64b


def _water(view: View) -> hops.Hexes:
    """Return bool[size]: where no unit can stand."""
    size = view.board.size
    return view.derived.get("water", (), lambda: np.array([not weather.is_land(view, Hex(i)) for i in range(size)], np.bool_))


def mover(view: View, unit: UnitId) -> Mover:
    """Return a unit ready for its first strategic hex."""
    return Mover(field_of(view, unit), HEXES * QUARTERS)


def why_halted(view: View, units: Sequence[UnitId], halt: Halt) -> Refused:
    """Return which rule ends a strategic path."""
    unit, there = units[halt.mover], halt.there
    words = {"unit": view.name(unit), "hex": view.board.name(there)}
    if halt.why == "apart":
        return Refused("5.64a", text("{hex} is not next to {here}", here=view.board.name(halt.here), **words))
    if halt.why == "short":
        return Refused("5.64a", text("{unit} has gone its {n} hexes and can't go to {hex}", n=HEXES, **words))
    return _why_closed(view, unit, halt.here, there, words)


def too_far(view: View, unit: UnitId, there: Hex, cost: int, has: int) -> Refused:
    """Return that a hex lies further off than strategic movement leads."""
    words = "{hex} is too far for {unit}: a way of {cost} hexes at the least, and it can go {left}"
    return Refused("5.64a", text(words, hex=view.board.name(there), unit=view.name(unit), cost=cost // QUARTERS, left=has // QUARTERS))


def _why_closed(view: View, unit: UnitId, here: Hex, there: Hex, words: dict[str, str]) -> Refused:
    kind = view.type(unit)
    water = any(view.board.side_has(here, there, barrier) for barrier in ("sea", "lake", "ice_road"))
    if water or not weather.is_land(view, there):
        return Refused("5.65", text("{unit} can't cross water to {hex}", **words))
    if kind.kind == "siege_artillery" and not view.board.side_has(here, there, "rail"):
        return Refused("5.28c", text("{unit} moves along railroads only, not to {hex}", **words))
    if there in near(view, kind.side):
        return Refused("5.62a", text("{hex} is not 5 hexes away from all enemies", **words))
    if stacking.closed_to_nation(view, unit, there):
        return Refused("4.15b", text("{unit} can't enter {hex}: another Axis nation's unit is there", **words))
    if moscow.halts(view, here, kind.side):
        return Refused("19.43a", text("{unit} can't pass through Moscow: a die is rolled there first", **words))
    return Refused("5.67b", text("{unit} would be out of supply in {hex}", **words))


def hangs_on(view: View, side: Side) -> tuple[object, ...]:
    """Return all that decides whether units of a side can move strategically, beside the units and the hexes next to them."""
    position, come_to = view.position, movement.current_class(view)
    enemies = view.derived.stamp(forces(view.other(side)))
    return (position.turn, position.phase, come_to, moscow.is_open(view), near(view, side), _lines(view, side), enemies)


def _lines(view: View, side: Side) -> tuple[frozenset[Hex], ...]:
    """Return for each user that still has units to move in this manner from where he could trace a line."""
    key = ("tracing", side, late := movement.current_class(view) > BY_STRATEGY)
    units = view.derived.get(key, (forces(side),), lambda: _tracing(view, side, late=late))
    users = {user for unit, user in units if not late or bar(view, unit) is None}
    return tuple(supply.supplied_from(view, user) for user in sorted(users))


def _tracing(view: View, side: Side, *, late: bool) -> tuple[tuple[UnitId, supply.User], ...]:
    """Return the units of a side that need a line, each with its user; those alone that move late, if so asked."""
    units = ((unit.id, kind) for unit, kind in counters(view, side) if is_unit(kind) and (is_late(kind) or not late))
    return tuple((unit, supply.user_of(kind)) for unit, kind in units if not supply.needs_no_line(kind))


MANNER = Manner(
    "strategic", bar_of_its_own, bar_by_others, mover, why_halted, too_far, "5.61", "5.64a", hangs_on,
    counted=text("{n:hex|hexes}", n=0),  # 5.64a
)


def compose_strategic(view: View, draft: Strategic) -> Offer:
    """Offer units of one hex, then hex by hex."""
    return marching.compose(view, draft, MANNER)


def reach(view: View, draft: Strategic) -> tuple[Way, ...]:
    """Return every hex that the drafted units can go to."""
    return marching.reach(view, draft, MANNER)


NOBODY = (  # the last to be looked at first
    Refused("5.62a", text("no unit that may use strategic movement is 5 hexes away from all enemies")),
    *(Refused(rule, text("normal movement has begun, and strategic movement comes before it")) for rule in ("3.0.2b", "3.0.5b")),
    Refused("5.67a", text("no unit that may use strategic movement is in supply")),
    Refused("5.61", text("every unit that may use strategic movement has moved normally in this turn")),
    Refused("5.66a", text("no unit that may use strategic movement is left to move")),
)


@RULES.order(
    Strategic, text("Strategic movement"), rule="5.61", compose=compose_strategic, reach=reach, nobody=NOBODY,
    covers=ranges.covered_by_march,
)
def take_strategic(game: Game, order: Strategic) -> Iterator[Event]:
    """Move the units; they have finished (5.61, 5.68)."""
    yield from movement.take_in_hand(game, order.units, LATE if is_late(game.type(order.units[0])) else BY_STRATEGY)
    yield Moved(order.units, order.path)
    yield Marked(order.units, STRATEGIC)
    yield from movement.finish(order.units, BY_STRATEGIC_MOVE)
    for here in order.path:
        yield from control.enter(game, order.units, here)
