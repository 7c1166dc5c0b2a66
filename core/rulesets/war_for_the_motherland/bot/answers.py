"""What the other orders promise: payments, retreats, advances, arrivals, fleets, depots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.board import Hex
from core.derived import ASPECTS
from core.orders import Order, name_of
from core.rulesets.war_for_the_motherland import advance, arrivals, attrition, retreat_ways, stacking, supply
from core.rulesets.war_for_the_motherland.advance import Advance
from core.rulesets.war_for_the_motherland.arrivals import PlaceReinforcement
from core.rulesets.war_for_the_motherland.battle import PayResult, fighters
from core.rulesets.war_for_the_motherland.bot import battles, ground, housekeeping, marches, posts
from core.rulesets.war_for_the_motherland.bot.worth_of_units import Standing, roster, step_value, value
from core.rulesets.war_for_the_motherland.combat import LoseStep, SiegeArtillery
from core.rulesets.war_for_the_motherland.crowds import RemoveRetreated, RetreatFurther
from core.rulesets.war_for_the_motherland.retreat import Retreat
from core.rulesets.war_for_the_motherland.retreat_costs import LoseOnWay
from core.rulesets.war_for_the_motherland.stacking import EliminateExcess
from core.rulesets.war_for_the_motherland.supply_phase import Expend
from core.rulesets.war_for_the_motherland.terms import AXIS
from core.units import UnitId
from core.views import View

WEAKER = 0.15  # share of its value that a turn without supply costs a unit: it fights and goes at half (9.52, 9.53)
DEPOT = 4.0  # what a depot is worth beyond this turn: its points, and the four turns that it is away (9.27, 15.21)
ALONE, TOO_FAR = 4, 24  # hexes to its own troops, half hexes to what feeds it: a depot farther off is left behind
BACK, RETURNS = 6, 0.5  # turns that it needs to be of use again, and what it is worth that it comes back
ARRIVALS = 10  # hexes weighed for a reinforcement
ROUND = 0.25  # what a hex of retreat costs beyond what it changes
TOGETHER = 0.3  # for each unit that goes along
DIE = range(1, 7)


def loss_of_step(view: View, unit: UnitId) -> float:
    """Return what the loss of a step is worth, below 0; of equal steps that of the weaker unit goes first."""
    return -step_value(view, view.type(unit)) - 0.01 * value(view, unit) - (0.5 if view.type(unit).kind in supply.SERVICE else 0.0)


# -------------------------------------------------------------------- after battles


def lose_step(view: View, order: LoseStep) -> float:
    assert order.unit is not None
    return loss_of_step(view, order.unit)


def retreat_of(view: View, order: Retreat) -> float:
    """Weigh a hex of retreat, larger groups first; as a payment it spares all steps that are still due."""
    assert order.hex is not None
    choice = view.decision()
    gain = posts.change(view, order.units, order.hex) + TOGETHER * len(order.units)
    if retreat_ways.priority(view, order.hex, view.side(order.units[0])) == 4:
        gain += min(loss_of_step(view, unit) for unit in order.units)  # 8.104
    if isinstance(choice, PayResult):
        units = fighters(view, choice.role)
        spared = sum(step_value(view, view.type(unit)) for unit in units) / len(units)
        gain += (choice.points - 1) * spared - ROUND * choice.points  # the first step is what losing it is weighed with
    return gain


def lose_on_way(view: View, order: LoseOnWay) -> float:
    assert order.unit is not None
    return loss_of_step(view, order.unit)


def retreat_further(view: View, order: RetreatFurther) -> float:
    assert order.unit is not None
    assert order.hex is not None
    return posts.change(view, (order.unit,), order.hex)


def remove_unit(view: View, order: RemoveRetreated | EliminateExcess) -> float:
    assert order.unit is not None
    return -value(view, order.unit)


def advance_of(view: View, order: Advance) -> float:
    return posts.change(view, order.units, order.path[-1])


def advances(view: View) -> list[Order]:
    """Return an advance of each unit to each hex that it can come to."""
    choice = view.decision()
    assert isinstance(choice, advance.AdvanceAfterCombat), choice
    units = fighters(view, choice.role)
    found = (Advance((unit,), way.path) for unit in units for way in advance.reach_advance(view, Advance((unit,))))
    return [order for order in found if stacking.fits(view, order.units, order.path[-1])]  # 8.118


def siege(view: View, order: SiegeArtillery) -> float:
    return 1.0 if order.use == "fire" else 0.0


# -------------------------------------------------------------------- arrivals, depots


def arrival(view: View, order: PlaceReinforcement) -> float:
    assert order.unit is not None
    assert order.hex is not None
    return 1.0 + max(0.0, 5.0 + marches.on_arrival(view, order.unit, order.hex))  # late is never better than now


def arrivals_worth_a_look(view: View) -> list[Order]:
    """Return placements of the first unit that has a hex, in the hexes that draw it most."""
    for unit in arrivals.waiting(view, view.side_to_act()):
        hexes = sorted(arrivals.legal_hexes(view, unit), key=lambda here: (-marches.attraction(view, unit, here), here))
        some = [here for here in hexes[: 4 * ARRIVALS] if stacking.fits(view, (unit,), here)][:ARRIVALS]
        if some or hexes:
            return [PlaceReinforcement(unit, here) for here in some or hexes[:1]]
    return []


def expend(view: View, order: Expend) -> float:
    """Weigh what a turn without supply would cost those who get a line by the depots against what goes with them."""
    now, then = supply.network(view, "axis"), supply.network_with(view, "axis", frozenset(order.depots))
    gained = 0.0
    for one in roster(view):
        if one.side == AXIS and supply.user_of(one.kind) == "axis" and not supply.needs_no_line(one.kind):
            gained += hunger(view, one) * (then.supplies(one.here) - now.supplies(one.here))
    lost = sum(_is_lost(view, depot, now) for depot in order.depots)
    return gained + RETURNS * lost - DEPOT * (len(order.depots) - lost)


def hunger(view: View, one: Standing) -> float:
    """Return what a unit can be expected to lose by a turn without a line: a service all, troops their strength, and steps by attrition."""
    if one.kind.kind in supply.SERVICE:
        return one.value  # 9.55 to 9.57
    lost = mean_attrition(view, one) if supply.network(view, "axis").field.distance(one.here) > 2 * supply.RANGE_HALVES["axis"] else 0.0
    return WEAKER * one.value + lost * step_value(view, one.kind)


def mean_attrition(view: View, one: Standing) -> float:
    """Return the steps that a unit loses in the mean when it is isolated (9.91)."""
    shift = sum(int(part.value) for part in attrition.modifiers(view, one.unit))
    lost = sum(attrition.steps_lost(view, die + shift) for die in DIE) / len(DIE)
    return min(lost, view.unit(one.unit).steps)


def expends(view: View) -> list[Order]:
    """Return each depot that has no line itself while units near it go without one, or that is left behind, by itself."""
    network = supply.network(view, "axis")
    hungry = [one.here for one in roster(view) if one.side == AXIS and one.attack and not network.supplies(one.here)]
    return [Expend((depot,)) for depot in supply.depots(view) if _feeds(view, depot, hungry, network) or _is_lost(view, depot, network)]


def _is_lost(view: View, depot: UnitId, network: supply.Network) -> bool:
    """Say whether a depot is left behind with nobody near: expended it comes back where it is needed, if there is time for that (9.27)."""
    here = Hex(view.unit(depot).place)
    alone = here not in network.links and ground.screen(view, AXIS)[here] > ALONE
    return alone and ground.homeward(view, "axis").distance(here) > TOO_FAR and _turns_left(view) > BACK


def _turns_left(view: View) -> int:
    return view.setting.scenario.last_turn - view.position.turn


def _feeds(view: View, depot: UnitId, hungry: list[Hex], network: supply.Network) -> bool:
    here = Hex(view.unit(depot).place)
    return here not in network.links and any(view.board.distance(here, there) <= network.range_halves for there in hungry)


# -------------------------------------------------------------------- all together

WORTH: dict[type[Order], Callable[[View, Any], float]] = {
    LoseStep: lose_step,
    Retreat: retreat_of,
    LoseOnWay: lose_on_way,
    RetreatFurther: retreat_further,
    RemoveRetreated: remove_unit,
    EliminateExcess: remove_unit,
    Advance: advance_of,
    SiegeArtillery: siege,
    PlaceReinforcement: arrival,
    Expend: expend,
    **housekeeping.WORTH,
}
CANDIDATES: dict[str, Callable[[View], list[Order]]] = {
    "attack": lambda view: [order for order, _ in battles.attacks(view)],
    "advance": advances,
    "place_reinforcement": arrivals_worth_a_look,
    "expend": expends,
    **housekeeping.CANDIDATES,
}
MARCHES = ("move", "overrun", "strategic")


def candidates(view: View, name: str) -> list[Order] | None:
    """Return the orders of a type that are worth a look, None if all that are offered are."""
    if name in MARCHES:
        return [order for order, _ in marches.marches(view) if name_of(order) == name]
    return CANDIDATES[name](view) if name in CANDIDATES else None


def worth(view: View, order: Order) -> float | None:
    """Return what an order promises the side to act; None for one that is simply done."""
    name = name_of(order)
    if name in MARCHES:
        return next((worth for one, worth in marches.marches(view) if one == order), -1.0)
    if name == "attack":
        return next((worth for one, worth in battles.attacks(view) if one == order), -1.0)
    weigh = WORTH.get(type(order))
    if weigh is not None:
        return view.derived.get(("bot worth", order), ASPECTS, lambda: weigh(view, order))
    return 0.0 if name.startswith(("end_", "keep_")) else None
