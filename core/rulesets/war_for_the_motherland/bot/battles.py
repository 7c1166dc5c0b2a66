"""Which attacks are worth it: what the table gives, and what a hex taken would change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.board import Hex
from core.derived import ASPECTS
from core.mechanics.combat_table import Result, read_result
from core.orders import Order
from core.rulesets.war_for_the_motherland import battle, combat_phase, reckoning
from core.rulesets.war_for_the_motherland.bot import outlook, posts
from core.rulesets.war_for_the_motherland.bot.worth_of_units import value
from core.rulesets.war_for_the_motherland.combat_phase import Attack
from core.rulesets.war_for_the_motherland.terms import is_allied
from core.units import UnitId
from core.views import View

WORTH_FIGHTING = 0.15
RETREAT_HURTS = 0.4  # share of a defender's points that hurts when he may pay in hexes
SPARE = 0.1  # an attacker that adds less is left for another attack
DEAR = 2.0  # what a step counts of an ally who stands alone: nothing replaces it
OWN_RETREAT = 0.5  # share of an attacker's points that hurts, since he may pay in hexes


def attacks(view: View) -> tuple[tuple[Order, float], ...]:
    """Return an attack on each hex that is worth it, with its worth."""
    return view.derived.get("bot attacks", ASPECTS, lambda: tuple(_attacks(view)))


def _attacks(view: View) -> Iterator[tuple[Order, float]]:
    able = combat_phase.attackable(view, view.side_to_act())
    for there in sorted({there for hexes in able.values() for there in hexes}):
        units = _together(view, [unit for unit, hexes in able.items() if there in hexes])
        best = worth_of_battle(view, units, there, overrun=False)
        if best <= 0:
            continue
        for unit in sorted(units, key=lambda unit: -value(view, unit)):
            fewer = tuple(other for other in units if other != unit)
            if fewer and (worth := worth_of_battle(view, fewer, there, overrun=False)) > best - SPARE:
                units, best = fewer, worth
        if best > WORTH_FIGHTING:
            yield Attack((there,), units), best


def _together(view: View, units: Sequence[UnitId]) -> tuple[UnitId, ...]:
    """Return those of some units that may attack together: one allied nation at most (8.36)."""
    nations = sorted({view.type(unit).nation for unit in units if is_allied(view.type(unit))})
    return tuple(unit for unit in units if not is_allied(view.type(unit)) or view.type(unit).nation == nations[0])


def worth_of_battle(view: View, units: Sequence[UnitId], there: Hex, *, overrun: bool) -> float:
    """Return what a battle promises the attacker, in victory points."""
    side = view.side(units[0])
    reckoned = reckoning.reckon(view, units, (there,), overrun=overrun)
    table = battle.table_of(view)
    faces: int = view.charts.combat.faces
    results = [read_result(table.result(die + reckoned.drm, reckoned.column)) for die in range(1, faces + 1)]
    defending = battle.defenders(view, (there,), side, overrun=overrun)[0]
    if not any(one.defender or one.eliminated == "defender" for one in results):
        return -1.0
    seen = posts.scene(view, side)
    won = posts.ground_worth(seen, there)
    dear = DEAR if any(posts.is_alone(seen, posts.standing(view, unit)) for unit in units) else 1.0
    return sum(_gain(view, one, units, defending, there, won, dear) for one in results) / faces


def _gain(view: View, result: Result, units: Sequence[UnitId], defending: Sequence[UnitId], there: Hex, won: float, dear: float) -> float:
    """Return what a result is worth to the attacker; *won* is the worth of the ground, *dear* what his steps count."""
    theirs, ours = _steps(view, defending), [dear * step for step in _steps(view, units)]
    if result.eliminated == "defender":
        return won + sum(theirs)
    if result.eliminated == "attacker":
        return -sum(ours)
    gain = -sum(ours[: result.attacker]) * (OWN_RETREAT if result.retreat else 1.0)
    if not result.defender:
        return gain
    exits = result.retreat and outlook.has_exit(view, there, view.other(view.side(units[0])))
    if not exits:
        lost = sum(theirs[: result.defender])
        return gain + lost + (won if result.defender >= len(theirs) else 0.0)
    return gain + max(0.8 * won, RETREAT_HURTS * sum(theirs[: result.defender]))


def _steps(view: View, units: Sequence[UnitId]) -> list[float]:
    """Return the value of each step of some units, the cheapest first."""
    return sorted(value(view, unit) / view.unit(unit).steps for unit in units for _ in range(view.unit(unit).steps))
