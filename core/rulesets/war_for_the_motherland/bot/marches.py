"""Which moves are worth a look, and what they promise.

A side moves its units one after the other in a fixed order; whom it passed over stays. So each unit is weighed once a phase, and where the
bot stands in that order can be read from the position: the last unit that has spent movement points. Reserves go first, by strategic
movement, which is over when normal movement begins (5.66).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from core.board import Hex
from core.derived import ASPECTS
from core.orders import Order
from core.rulesets.war_for_the_motherland import marching, movement, stacking, strategic, supply
from core.rulesets.war_for_the_motherland.bot import outlook, overruns, posts, trains
from core.rulesets.war_for_the_motherland.bot.posts import Scene, scene, standing
from core.rulesets.war_for_the_motherland.bot.worth_of_units import Standing
from core.rulesets.war_for_the_motherland.marching import Manner, March
from core.rulesets.war_for_the_motherland.movement import Move
from core.rulesets.war_for_the_motherland.strategic import Strategic
from core.rulesets.war_for_the_motherland.terms import BEGAN_AT, FINISHED, SPENT
from core.units import Side, UnitId
from core.views import View
from core_ext import reach
from core_ext.grid import UNREACHED

LOOKS = 9  # hexes weighed for a unit and a class of movement
WORTH_MOVING = 0.08
RESERVE = 7  # hexes from the enemy: who stands that far off comes by strategic movement
GAINS = 3  # hexes that a reserve must come nearer
IN_SPITE = 0.3  # a hex looked at anyway for lines that it cuts


def movers(view: View, side: Side) -> list[UnitId]:
    """Return the units that are still to be weighed in this phase, the next one first: from the last that has spent points."""
    return _from_the_last(view, side, lambda unit: bool(view.position.mark(unit, SPENT)))


def reserves(view: View, side: Side) -> list[UnitId]:
    """Return the units that are still to be weighed for strategic movement: from the last that has gone by it, whoever sailed."""
    return _from_the_last(view, side, lambda unit: view.position.mark(unit, FINISHED) == movement.BY_STRATEGIC_MOVE)


def _from_the_last(view: View, side: Side, has_gone: Callable[[UnitId], bool]) -> list[UnitId]:
    units = sorted(marching.own_units(view, side), key=lambda unit: _turn_of(view, unit))
    return units[max((number for number, unit in enumerate(units) if has_gone(unit)), default=0) :]


def _turn_of(view: View, unit: UnitId) -> tuple[bool, bool, bool, int, int]:
    kind = view.type(unit)
    return marching.is_late(kind), kind.kind in trains.SERVICES, not kind.motorized, _out(view, unit), unit


def _out(view: View, unit: UnitId) -> int:
    """Return how far from its sources a depot began: those that feed others move before them, so that they can follow."""
    began = view.position.mark(unit, BEGAN_AT)
    if view.type(unit).kind != "supply_depot" or not began:
        return 0
    return min((view.board.distance(Hex(began - 1), source) for source in supply.sources(view, "axis")), default=0)


def marches(view: View) -> tuple[tuple[Order, float], ...]:
    """Return the best orders of the next unit that gains by moving, each with its worth; nothing if nobody does."""
    return view.derived.get("bot marches", ASPECTS, lambda: _marches(view))


def _marches(view: View) -> tuple[tuple[Order, float], ...]:
    side = view.side_to_act()
    if movement.current_class(view) <= movement.BY_STRATEGY and view.position.phase != movement.MECHANIZED_PHASE:
        for unit in reserves(view, side):
            if found := tuple(_reserve(view, unit)):
                return found
    for unit in movers(view, side):
        good = [(order, worth) for order, worth in (*overruns.now(view, unit), *_moves(view, unit)) if worth > WORTH_MOVING]
        if good:
            return tuple(sorted(good, key=lambda one: -one[1])[:3])
    return ()


# -------------------------------------------------------------------- normal movement


def _moves(view: View, unit: UnitId) -> Iterator[tuple[Order, float]]:
    if movement.MANNER.bar(view, unit) is not None:
        return
    one, found = standing(view, unit), _reach(view, unit, movement.MANNER)
    if len(found.hexes) == 1:
        return
    charges = overruns.ahead(view, unit, found)
    hexes = {*_promising(view, one, found), *charges}
    weighed = [(worth_of_post(view, one, here) + (charges[here].gain if here in charges else 0.0), here) for here in hexes]
    stay = worth_of_post(view, one, one.here)
    for worth, here in sorted(weighed, reverse=True)[:2]:
        if worth - stay > WORTH_MOVING:
            units = charges[here].units if here in charges else _together(view, one, here)
            yield _march(Move, units, found, here), worth - stay


def worth_of_post(view: View, one: Standing, here: Hex) -> float:
    """Return what it is worth that a unit stands in a hex, to fight or to serve."""
    return trains.worth(view, one, here) if one.kind.kind in trains.SERVICES else posts.worth(view, one, here)


def _reach(view: View, unit: UnitId, manner: Manner) -> reach.Reach:
    mover = manner.mover(view, unit)
    return reach.reach(mover.field.search, view.unit(unit).place, budget=mover.budget, one_free_hex=mover.free_hex)


def _march(order: type[March], units: tuple[UnitId, ...], found: reach.Reach, here: Hex) -> March:
    return order(units, tuple(Hex(step) for step in found.path(here)[1:]))


def _together(view: View, one: Standing, here: Hex) -> tuple[UnitId, ...]:
    """Return a unit with those of its stack that gain by the same way: their likes that would go there too."""
    group = [one.unit]
    for other in posts.scene(view, one.side).own.get(one.here, ()):
        alike = other.unit != one.unit and other.kind.id == one.kind.id and other.kind.kind not in trains.SERVICES
        if not alike or not overruns.same_means(view, one.unit, other.unit) or not stacking.fits(view, (*group, other.unit), here):
            continue
        if posts.change(view, (*group, other.unit), here) > posts.change(view, group, here) + WORTH_MOVING:
            group.append(other.unit)
    return tuple(sorted(group))


def _promising(view: View, one: Standing, found: reach.Reach) -> list[Hex]:
    """Return the hexes that deserve a look, by what can be read off the map alone."""
    hexes = [(_look(view, one, Hex(here)), here) for here in found.hexes if here != one.here]
    some: list[Hex] = []
    for _, here in sorted(hexes, key=lambda pair: (-pair[0], pair[1])):
        if stacking.fits(view, (one.unit,), Hex(here)):
            some.append(Hex(here))
            if len(some) == LOOKS:
                break
    return some


def _look(view: View, one: Standing, here: Hex) -> float:
    if one.kind.kind in trains.SERVICES:
        return trains.look(view, one, here)
    seen = scene(view, one.side)
    found = posts.way(seen, one, here)
    near = seen.gap[here]
    if near <= posts.FRONT + 1:
        found += 0.25 * (not seen.cover.get(here, 0)) + 0.2 * (here in seen.own) + (0.35 * seen.posture if near == 1 else 0.15)
        found += 0.1 * seen.prizes.get(here, 0.0) - 0.02 * seen.strikes[here] * (1.2 - seen.posture)
    found += min(IN_SPITE * 2, 0.03 * seen.lines.get(here, 0.0))
    found += min(posts.MOST_MENDED, posts.MENDED * seen.mends.get(here, 0.0))
    if here in seen.prizes:
        found += posts.garrison(view, seen, here, _others(seen, one, here))
    return found + 0.8 * one.value * posts.supplied(view, one, here)


# -------------------------------------------------------------------- reserves


def _reserve(view: View, unit: UnitId) -> Iterator[tuple[Order, float]]:
    """Send a unit that is far behind the front to the best of the hexes that it may go to by strategic movement.

    A depot goes wherever it may, which is in mud only (5.66): it never goes so far by its own wheels.
    """
    one = standing(view, unit)
    near = scene(view, one.side).gap[one.here] < RESERVE and one.kind.kind != "supply_depot"
    if near or strategic.MANNER.bar(view, unit) is not None:
        return
    found = _reach(view, unit, strategic.MANNER)
    hexes = [(_reserve_look(view, one, Hex(here)), -here) for here in np.flatnonzero(found.costs != UNREACHED).tolist()]
    some = [Hex(-minus) for _, minus in sorted(hexes, reverse=True)[: 3 * LOOKS]]
    fitting = [here for here in some if here != one.here and stacking.fits(view, (unit,), here)][:LOOKS]
    best = max(fitting, key=lambda here: (_reserve_worth(view, one, here), -here), default=None)
    if best is not None:
        gain = _reserve_worth(view, one, best) - _reserve_worth(view, one, one.here)
        if gain > GAINS * posts.TO_THE_FRONT:
            yield _march(Strategic, (unit,), found, best), gain


def _reserve_look(view: View, one: Standing, here: Hex) -> float:
    return trains.look(view, one, here) if one.kind.kind in trains.SERVICES else posts.way(scene(view, one.side), one, here)


def _reserve_worth(view: View, one: Standing, here: Hex) -> float:
    """Return what a hex behind the front is worth: to a reserve near to what draws it, where few stand yet."""
    if one.kind.kind in trains.SERVICES:
        return trains.worth(view, one, here)
    seen = scene(view, one.side)
    crowd = sum(1 for there in (here, *outlook.neighbours(view)[here]) for other in seen.own.get(there, ()) if other.unit != one.unit)
    found = posts.way(seen, one, here)
    if here in seen.prizes:
        found += posts.garrison(view, seen, here, _others(seen, one, here))
    return found - 0.08 * crowd + 0.5 * one.value * posts.supplied(view, one, here)


def _others(seen: Scene, one: Standing, here: Hex) -> list[Standing]:
    return [other for other in seen.own.get(here, ()) if other.unit != one.unit]


# -------------------------------------------------------------------- arrivals


def attraction(view: View, unit: UnitId, here: Hex) -> float:
    """Return how much a hex deserves a look for a unit that arrives."""
    one = standing(view, unit)
    if one.kind.kind in trains.SERVICES:
        return trains.look(view, one, here)
    return _reserve_worth(view, one, here)


def on_arrival(view: View, unit: UnitId, here: Hex) -> float:
    """Return what it is worth that a unit arrives in a hex."""
    return worth_of_post(view, standing(view, unit), here)


