"""Who goes by sea: one unit a phase, or two half units of a port, out of a pocket or to where it is needed more (5.5)."""

from __future__ import annotations

from collections.abc import Iterator

from core.board import Hex
from core.derived import ASPECTS
from core.orders import Order, UnitPick
from core.rulesets.war_for_the_motherland import movement, sea_movement, stacking
from core.rulesets.war_for_the_motherland.bot import marches, outlook
from core.rulesets.war_for_the_motherland.bot.posts import Scene, scene, standing
from core.rulesets.war_for_the_motherland.bot.worth_of_units import Standing
from core.rulesets.war_for_the_motherland.sea_movement import Sail
from core.units import UnitId
from core.views import View

WORTH_SAILING = 1.0  # a turn at sea is a turn not marched
FIRST = 50.0  # before anything else is moved: it is now or not at all in this phase (3.0.2b, 3.0.5b)
OVERWHELMED = 2.0  # times its defence: what the enemy brings against a port that can't be held
TRAPPED = 0.5  # of its value: who is shut in a port and in danger there is as good as half lost


def sailings(view: View) -> list[Order]:
    """Return what gains by going to sea, with its company; nothing after other movement has begun (3.0.2b)."""
    return [order for order, _ in weighed(view)]


def worth(view: View, order: Sail) -> float:
    """Return what a passage changes, below 0 for one that is not worth a look."""
    return next((FIRST + gain for one, gain in weighed(view) if one == order), -1.0)


def weighed(view: View) -> tuple[tuple[Sail, float], ...]:
    """Return the passages that are worth it, each with what it changes."""
    return view.derived.get("bot sailings", ASPECTS, lambda: tuple(_weighed(view)))


def _weighed(view: View) -> Iterator[tuple[Sail, float]]:
    side = view.side_to_act()
    if movement.current_class(view) != movement.SEA or not sea_movement.can_sail(view, side):
        return
    doors = sea_movement.unit_doors(view, side)
    able = [door.pick.unit for door in doors if door.is_open and isinstance(door.pick, UnitPick)]
    for unit in able:
        for there in sea_movement.goals(view, Hex(view.unit(unit).place)):
            if not _may_land(view, (unit,), there):
                continue
            units, gain = _company(view, unit, able, there)
            if gain > WORTH_SAILING:
                yield Sail(units, there), gain


def _may_land(view: View, units: tuple[UnitId, ...], there: Hex) -> bool:
    return sea_movement.why_not_port(view, units, there) is None and stacking.fits(view, units, there)


def _company(view: View, unit: UnitId, able: list[UnitId], there: Hex) -> tuple[tuple[UnitId, ...], float]:
    """Return a unit and the best half unit that goes along with it, and what their passage changes."""
    best: tuple[tuple[UnitId, ...], float] = ((unit,), change(view, unit, there))
    for other in able:
        if other <= unit or sea_movement.joins(view, (unit,), other) is not None or not _may_land(view, (unit, other), there):
            continue
        both = change(view, unit, there) + change(view, other, there)
        if both > best[1]:
            best = ((unit, other), both)
    return best


def change(view: View, unit: UnitId, there: Hex) -> float:
    """Return what it changes that a unit stands in another port: its post, and whether it is shut in."""
    one = standing(view, unit)
    seen = scene(view, one.side)
    gain = marches.worth_of_post(view, one, there) - marches.worth_of_post(view, one, one.here)
    return gain + TRAPPED * one.value * (_is_trapped(view, seen, one, one.here) - _is_trapped(view, seen, one, there))


def _is_trapped(view: View, seen: Scene, one: Standing, here: Hex) -> bool:
    """Say whether the enemy stands at a port's gates in strength, and no way by land leads out of it."""
    strong = seen.strikes[here] > OVERWHELMED * sum(other.defence for other in seen.own.get(here, (one,)))
    return strong and not outlook.has_exit(view, here, one.side)
