"""Which moves are worth a look, and what they promise.

A side moves its units one after the other in a fixed order; whom it passed over stays. So each unit is weighed once a phase, and
where the bot stands in that order can be read from the position: the last unit that has spent movement points.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.board import Hex
from core.derived import ASPECTS
from core.orders import Order
from core.ruleset import Way
from core.rulesets.war_for_the_motherland import marching, movement, overrun, strategic, supply, supply_overlay
from core.rulesets.war_for_the_motherland.bot import battles, standing
from core.rulesets.war_for_the_motherland.bot.supposing import moved
from core.rulesets.war_for_the_motherland.bot.worth_of_units import roster
from core.rulesets.war_for_the_motherland.marching import Manner, March
from core.rulesets.war_for_the_motherland.movement import Move
from core.rulesets.war_for_the_motherland.overrun import Overrun
from core.rulesets.war_for_the_motherland.strategic import Strategic
from core.rulesets.war_for_the_motherland.terms import AXIS, SOVIET, SPENT
from core.units import Side, UnitId
from core.views import View

LOOKS = 7  # hexes weighed for a unit and a class of movement
WORTH_MOVING = 0.06
PULL = 0.1  # a hex nearer to what the enemy lives on
SOFT = frozenset({"supply_depot", "airbase", "headquarters", "osg"})


def movers(view: View, side: Side) -> list[UnitId]:
    """Return the units that are still to be weighed in this phase, the next one first."""
    units = sorted(marching.own_units(view, side), key=lambda unit: _turn_of(view, unit))
    gone = [number for number, unit in enumerate(units) if view.position.mark(unit, SPENT)]
    return units[max(gone, default=0) :]


def _turn_of(view: View, unit: UnitId) -> tuple[bool, bool, bool, int]:
    kind = view.type(unit)
    return marching.is_late(kind), kind.kind in SOFT, not kind.motorized, unit


def marches(view: View) -> tuple[tuple[Order, float], ...]:
    """Return the best orders of the next unit that gains by moving, each with its worth; nothing if nobody does."""
    return view.derived.get("bot marches", ASPECTS, lambda: _marches(view))


def _marches(view: View) -> tuple[tuple[Order, float], ...]:
    side = view.side_to_act()
    for unit in movers(view, side):
        found = [*_overruns(view, unit), *_moves(view, unit, Move, movement.MANNER), *_moves(view, unit, Strategic, strategic.MANNER)]
        good = [(order, worth) for order, worth in found if worth > WORTH_MOVING]
        if good:
            return tuple(sorted(good, key=lambda one: -one[1])[:3])
    return ()


def _moves(view: View, unit: UnitId, order: type[March], manner: Manner) -> Iterator[tuple[Order, float]]:
    if manner.bar(view, unit) is not None:
        return
    side = view.side(unit)
    ways = [way for way in marching.reach(view, order((unit,)), manner) if way.warning is None]
    now = standing.standing(view)
    here = Hex(view.unit(unit).place)
    for way in _promising(view, unit, ways):
        gain = standing.standing(moved(view, (unit,), way.hex)) - now
        gain = gain if side == AXIS else -gain
        yield order((unit,), way.path), gain + pull(view, unit, way.hex) - pull(view, unit, here)


def _overruns(view: View, unit: UnitId) -> Iterator[tuple[Order, float]]:
    side = view.side(unit)
    if overrun.bar(view, unit) is not None:
        return
    for there in view.board.adjacent[Hex(view.unit(unit).place)]:
        if view.side_at(there, view.other(side)) and overrun.why_not_target(view, (unit,), there) is None:
            yield Overrun((unit,), there), battles.worth_of_battle(view, (unit,), there, overrun=True)


# -------------------------------------------------------------------- which hexes deserve a look


def _promising(view: View, unit: UnitId, ways: Sequence[Way]) -> list[Way]:
    side = view.side(unit)
    if len(ways) <= LOOKS:
        return list(ways)
    if side == SOVIET:
        return sorted(ways, key=lambda way: -_bite(view, unit, way.hex))[:LOOKS]
    safest = sorted(ways, key=lambda way: -_safety(view, unit, way.hex))[: LOOKS - 3]
    guards = sorted(ways, key=lambda way: -_guard(view, way.hex))[:3]
    return list({way.hex: way for way in (*safest, *guards)}.values())


def lifelines(view: View) -> dict[Hex, float]:
    """Return for each hex what the Axis counters whose lines of supply run over it are worth."""
    return view.derived.get("bot lifelines", ASPECTS, lambda: _lifelines(view))


def _lifelines(view: View) -> dict[Hex, float]:
    found: dict[Hex, float] = {}
    for one in roster(view):
        if one.side == AXIS:
            for here in supply_overlay.line_of(view, one.unit)[1:]:
                found[here] = found.get(here, 0.0) + one.value
    for user in ("axis", "rumanian"):
        fed = supply.network(view, user)
        for base, line in fed.links.items():
            carried = found.get(base, 0.0)
            for here in line[1:]:
                found[here] = found.get(here, 0.0) + carried
    return found


def _bite(view: View, unit: UnitId, here: Hex) -> float:
    """Return how much a Soviet unit in a hex would hinder: lines under its ZOC, enemies beside it."""
    lines, held = lifelines(view), {one.here: one for one in roster(view) if one.side == AXIS}
    around = (here, *view.board.adjacent[here])
    cut = max((lines.get(there, 0.0) for there in around if there not in held), default=0.0)
    beside = sum(1.5 if held[there].kind.kind in SOFT else 0.5 for there in around if there in held)
    return 0.15 * cut + beside + 4 * pull(view, unit, here)


def pull(view: View, unit: UnitId, here: Hex) -> float:
    """Return how far a hex draws a Soviet fighting unit: by its nearness to Axis lines and counters."""
    kind = view.type(unit)
    if kind.side == AXIS:
        return 0.0
    if kind.kind == "headquarters":
        return 0.0
    goals = view.derived.get("bot goals", ASPECTS, lambda: _goals(view))
    near = min((view.board.distance(here, goal) - weight for goal, weight in goals), default=0.0)
    return -PULL * near


def _goals(view: View) -> tuple[tuple[Hex, float], ...]:
    lines = lifelines(view)
    return tuple((here, min(4.0, worth / 8)) for here, worth in sorted(lines.items()) if worth >= 3)


def _safety(view: View, unit: UnitId, here: Hex) -> float:
    """Return how safe an Axis unit would be in a hex: lines now and later, enemies far off."""
    user = supply.user_of(view.type(unit))
    distance = supply.network(view, user).field.distance(here)
    enemies = [one.here for one in roster(view) if one.side == SOVIET and one.attack]
    nearest = min((view.board.distance(here, there) for there in enemies), default=9)
    found = 2.0 if distance <= supply.RANGE_HALVES[user] else 0.0
    found += 0.0 if here in standing.threatened(view) else 1.0
    return found - 0.03 * min(distance, 40) + 0.15 * min(nearest, 5)


def _guard(view: View, here: Hex) -> float:
    """Return what the lines are worth that an Axis unit in a hex would keep open."""
    lines, threatened = lifelines(view), standing.threatened(view)
    return max((lines.get(there, 0.0) for there in (here, *view.board.adjacent[here]) if there in threatened), default=0.0)



def attraction(view: View, unit: UnitId, here: Hex) -> float:
    """Return how much a hex deserves a look for a unit that arrives."""
    if view.side(unit) == SOVIET:
        return pull(view, unit, here)
    return _safety(view, unit, here) + 0.05 * _guard(view, here)
