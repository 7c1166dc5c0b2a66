"""Overruns: of the enemies beside a unit, and of those whom it comes beside with points enough left (6.0)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from core.board import Hex
from core.orders import Order
from core.rulesets.war_for_the_motherland import marching, movement, overrun, stacking, strength
from core.rulesets.war_for_the_motherland.bot import battles, outlook, posts
from core.rulesets.war_for_the_motherland.bot.posts import scene, standing
from core.rulesets.war_for_the_motherland.bot.trains import SERVICES
from core.rulesets.war_for_the_motherland.bot.worth_of_units import Standing
from core.rulesets.war_for_the_motherland.overrun import Overrun
from core.units import UnitId
from core.views import View
from core_ext import reach

WORTH_OVERRUN = 0.3
STARTS = 3  # hexes weighed to overrun from


class Charge(msgspec.Struct, frozen=True):
    """An overrun that a march leads to: who goes, and what it promises beyond the attack in the Combat Phase that the hex promises too."""

    units: tuple[UnitId, ...]
    gain: float


def now(view: View, unit: UnitId) -> Iterator[tuple[Order, float]]:
    """Yield the overruns by a unit, with those of its stack that can take part, from where it stands."""
    side, here = view.side(unit), Hex(view.unit(unit).place)
    if not any(there in scene(view, side).foes for there in view.board.adjacent[here]) or overrun.bar(view, unit) is not None:
        return
    stack = _stack(view, unit)
    for there in view.board.adjacent[here]:
        if there in scene(view, side).foes and overrun.why_not_target(view, stack, there) is None:
            worth = battles.worth_of_battle(view, stack, there, overrun=True)
            if worth > WORTH_OVERRUN:
                yield Overrun(stack, there), worth


def _stack(view: View, unit: UnitId) -> tuple[UnitId, ...]:
    """Return a unit with those of its stack that can overrun together with it now (6.23)."""
    return _joined(view, unit, lambda other: overrun.bar(view, other.unit) is None)


def ahead(view: View, unit: UnitId, found: reach.Reach) -> dict[Hex, Charge]:
    """Return the hexes to go to for an overrun, with as many of the stack as come along and have room: the best few."""
    one = standing(view, unit)
    if not one.attack or one.kind.kind in SERVICES or not strength.is_supplied(view, unit):  # 6.22, 8.24
        return {}
    seen, least = scene(view, one.side), movement.left(view, unit) - overrun.cost(view, one.side)
    starts: dict[Hex, list[Hex]] = {}
    for there in seen.foes:
        for here in outlook.neighbours(view)[there]:
            if here != one.here and found.costs[here] <= least:
                starts.setdefault(here, []).append(there)
    group, charges = _companions(view, unit), dict[Hex, Charge]()
    for here, targets in starts.items():
        units = group if stacking.fits(view, group, here) else (unit,)
        gain = max((_worth(view, units, here, there) for there in targets), default=0.0) - posts.fight(view, seen, one, here)
        if gain > WORTH_OVERRUN and stacking.fits(view, units, here):
            charges[here] = Charge(units, gain)
    best = sorted(charges, key=lambda here: (-charges[here].gain, here))[:STARTS]
    return {here: charges[here] for here in best}


def _companions(view: View, unit: UnitId) -> tuple[UnitId, ...]:
    """Return a unit with those of its stack that can go and overrun together with it (6.23)."""

    def comes(other: Standing) -> bool:
        return bool(other.attack) and strength.is_supplied(view, other.unit) and same_means(view, unit, other.unit)

    return _joined(view, unit, comes)


def _joined(view: View, unit: UnitId, comes: Callable[[Standing], bool]) -> tuple[UnitId, ...]:
    """Return a unit with those of its stack that come along and that no rule keeps from overrunning with those before them (6.23)."""
    group = [unit]
    for other in scene(view, view.side(unit)).own.get(Hex(view.unit(unit).place), ()):
        if other.unit != unit and comes(other) and overrun.joins(view, group, other.unit) is None:
            group.append(other.unit)
    return tuple(sorted(group))


def same_means(view: View, one: UnitId, other: UnitId) -> bool:
    """Say whether another unit can go wherever a unit of its stack goes."""
    if movement.MANNER.bar(view, other) is not None or marching.joins(view, (one,), other) is not None:
        return False
    first, second = movement.mover(view, one), movement.mover(view, other)
    return first.field is second.field and first.budget == second.budget and first.free_hex == second.free_hex


def _worth(view: View, units: tuple[UnitId, ...], here: Hex, there: Hex) -> float:
    """Return what an overrun from a hex promises, nothing where the ground allows none."""
    if overrun.why_not_from(view, units, here, there) is not None:
        return 0.0
    return battles.worth_of_battle(view, units, there, overrun=True)
