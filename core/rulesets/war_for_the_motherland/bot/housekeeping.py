"""What the other orders promise: ships, fleets, partisans, the Administrative Phase (10.1, 9.8, 12.3, 13.2, 14.0)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from typing import Any

from core.board import Hex
from core.orders import Order
from core.rulesets.war_for_the_motherland import air, airborne, conversion, economy, organization, partisans, rebuilding, supply
from core.rulesets.war_for_the_motherland.air import PlaceFleet
from core.rulesets.war_for_the_motherland.airborne import DropAirborne
from core.rulesets.war_for_the_motherland.bot import ground, posts, sailing
from core.rulesets.war_for_the_motherland.bot.worth_of_units import roster
from core.rulesets.war_for_the_motherland.conversion import ConvertArmy
from core.rulesets.war_for_the_motherland.economy import Evacuate, PlaceOsg
from core.rulesets.war_for_the_motherland.organization import BreakDown, BuildUp, ExchangeStep
from core.rulesets.war_for_the_motherland.partisans import PlacePartisan
from core.rulesets.war_for_the_motherland.rebuilding import BreakArmy, Incorporate, RebuildArmy
from core.rulesets.war_for_the_motherland.sea_movement import Sail
from core.rulesets.war_for_the_motherland.terms import AXIS, SOVIET
from core.rulesets.war_for_the_motherland.withdrawals import Withdraw
from core.units import UnitId
from core.views import View

LOOKS = 8  # hexes weighed for a fleet, a support group, a partisan
FLEETS_AT = 4  # hexes around the enemy within which a fleet is worth anything
IN_DANGER = 7  # hexes: a factory that the Axis come so near to leaves
FLIES_FOR, FEEDS = 0.06, 0.5  # a fleet: share of the value of units it fights for, of those it feeds
STRENGTH = 0.12  # a point of attack and defence that an organization adds
HINDERS = 0.03  # share of the value whose line a partisan makes longer

# -------------------------------------------------------------------- air


def fleet(view: View, order: PlaceFleet) -> float:
    """Weigh German units that would be fed by air, then those that the enemy stands beside."""
    assert order.fleet is not None
    assert order.hex is not None
    seen = posts.scene(view, AXIS)
    total, zone = 0.05, view.type(order.fleet).values["azoi"]
    for one in roster(view):
        if one.side == AXIS and seen.gap[one.here] <= FLEETS_AT and view.board.distance(one.here, order.hex) <= zone:
            hungry = one.kind.nation == "german" and one.kind.kind not in supply.SERVICE and not supply.can_trace(view, one.unit)
            total += one.value * (FEEDS if hungry else FLIES_FOR if seen.gap[one.here] == 1 else 0.02)
    return total


def fleets(view: View) -> list[Order]:
    """Return placements of the first fleet in the hexes nearest to the enemy that its base allows."""
    waiting, seen = air.waiting_fleets(view), posts.scene(view, AXIS)
    for one in waiting[:1]:
        hexes = sorted(air.fleet_hexes(view, one), key=lambda here: (abs(seen.gap[here] - 1), -seen.pull[here], here))
        return [PlaceFleet(one, here) for here in hexes[: 2 * LOOKS]]
    return []


def withdrawal(view: View, order: Withdraw) -> float:
    """Weigh an airbase that leaves: one that is off the map goes first, then one far from the enemy."""
    assert order.unit is not None
    place = view.unit(order.unit).place
    return 1.0 if place < 0 else -0.1 + 0.01 * ground.gap(view, AXIS)[place]


# -------------------------------------------------------------------- Soviet extras


def drop(view: View, order: DropAirborne) -> float:
    """Weigh a drop by the lines that it would cut, less the corps that most likely dies of it."""
    assert order.hex is not None
    seen = posts.scene(view, SOVIET)
    around = (order.hex, *view.board.adjacent[order.hex])
    return 0.02 * max((seen.lines.get(there, 0.0) for there in around if there not in seen.foes), default=0.0) - 0.5


def drops(view: View) -> list[Order]:
    """Return drops of the first corps on the lines that feed most."""
    waiting = airborne.waiting(view) if view.side_to_act() == SOVIET else ()
    lines = ground.enemy_lines(view, SOVIET)
    some = sorted((here for here in airborne.open_hexes(view) if here in lines), key=lambda here: (-lines[here], here)) if waiting else []
    return [DropAirborne(waiting[0], here) for here in some[:LOOKS]]


def partisan(view: View, order: PlacePartisan) -> float:
    """Weigh a partisan by the lines that it makes longer (9.83)."""
    assert order.hex is not None
    return 0.05 + HINDERS * ground.enemy_lines(view, SOVIET).get(order.hex, 0.0)


def some_partisans(view: View) -> list[Order]:
    """Return places for the first partisan on the lines that feed most."""
    lines = ground.enemy_lines(view, SOVIET)
    hexes = sorted(lines, key=lambda here: (-lines[here], here))
    for one in partisans.free(view):
        if view.unit(one).place >= 0 and lines.get(Hex(view.unit(one).place), 0.0) > 0.0:
            continue  # it hinders where it is
        some = [here for here in hexes[: 4 * LOOKS] if partisans.closed(view, here) is None][:LOOKS]
        return [PlacePartisan(one, here) for here in some]
    return []


def osg(view: View, order: PlaceOsg) -> float:
    """Weigh a place for a support group: behind the front, where most draws it."""
    assert order.hex is not None
    seen = posts.scene(view, SOVIET)
    return 1.0 + 0.1 * seen.pull[order.hex] - 0.3 * abs(seen.gap[order.hex] - 3)


def osgs(view: View) -> list[Order]:
    """Return the places that draw a support group most."""
    hexes = sorted(economy.osg_hexes(view), key=lambda here: (-osg(view, PlaceOsg(here)), here))
    return [PlaceOsg(here) for here in hexes[:LOOKS]]


def evacuations(view: View) -> list[Order]:
    """Return the factories that the enemy comes near to, as many as may leave, the most endangered first."""
    near = ground.gap(view, SOVIET)
    able = [unit for unit in economy.on_map_of(view, "factory") if economy.evacuation_refusal(view, unit) is None]
    some = sorted((near[view.unit(unit).place], unit) for unit in able if near[view.unit(unit).place] <= IN_DANGER)
    return [Evacuate(tuple(sorted(unit for _, unit in some[: economy.MOST_EVACUATIONS])))] if some else []


# -------------------------------------------------------------------- armies


def conversions(view: View) -> list[Order]:
    """Return conversions of the army that is nearest to the enemy into each kind that waits."""
    seen = posts.scene(view, SOVIET)
    armies = [unit.id for unit in view.position.on_map() if conversion.refusal_for(view, unit.id) is None]
    armies.sort(key=lambda unit: (-posts.way(seen, posts.standing(view, unit), Hex(view.unit(unit).place)), unit))
    names = dict.fromkeys(view.name(unit) for unit in conversion.waiting(view))
    return [ConvertArmy(armies[0], name) for name in names] if armies else []


def rebuildings(view: View) -> list[Order]:
    """Return an army of the first two corps that can make one."""
    for one, two in _pairs(view, [unit.id for unit in view.position.on_map() if rebuilding.corps_refusal(view, unit.id) is None]):
        names = rebuilding.idle_armies(view, (one, two))
        if names:
            return [RebuildArmy((one, two), sorted(names)[0])]
    return []


def _pairs(view: View, units: Iterable[UnitId]) -> Iterator[tuple[UnitId, UnitId]]:
    """Yield the pairs of units that stand in one hex."""
    stacks: dict[int, list[UnitId]] = {}
    for unit in units:
        stacks.setdefault(view.unit(unit).place, []).append(unit)
    for _, some in sorted(stacks.items()):
        yield from combinations(sorted(some), 2)


# -------------------------------------------------------------------- corps and Kampfgruppen


def _points(view: View, units: Iterable[UnitId]) -> float:
    return float(sum(sum(_face(view, view.unit(unit).type, view.unit(unit).steps)) for unit in units))


def _face(view: View, type: str, steps: int) -> tuple[int, int]:
    """Return attack and defence of a type with so many steps: below its own faces it becomes the type after it."""
    kind = view.types[type]
    side = kind.steps - steps
    if side >= len(kind.faces) and kind.then:
        return _face(view, kind.then, steps)
    face = kind.faces[min(side, len(kind.faces) - 1)]
    return face.attack, face.defence


def build_up(view: View, order: BuildUp) -> float:
    """Weigh a corps by the points that it has more than its Kampfgruppen, and for the ground that it leaves to others."""
    row = organization.finished_row(view, order.units)
    assert row is not None
    return 0.1 + STRENGTH * (sum(_face(view, row.corps, row.steps)) - _points(view, order.units))


def exchange(view: View, order: ExchangeStep) -> float:
    """Weigh an exchange by the points that the two have more after it."""
    taker = organization.taker_options(view, order.units)[order.taker or ""]
    giver = next(unit for unit in order.units if unit != taker)
    after = float(sum(_face(view, view.unit(taker).type, view.unit(taker).steps + 1)))
    left = view.unit(giver).steps - 1
    if left:
        after += sum(_face(view, view.unit(giver).type, left))
    return STRENGTH * (after - _points(view, order.units)) - 0.05


def exchanges(view: View) -> list[Order]:
    """Return every exchange that can be made."""
    return [
        ExchangeStep(pair, name)
        for pair in _pairs(view, organization.ready(view))
        for name in organization.taker_options(view, pair)
    ]


def break_down(view: View, order: BreakDown) -> float:
    """Weigh two Kampfgruppen against a corps: they are weaker together, and worth it where the front before them is open."""
    assert order.unit is not None
    seen, here = posts.scene(view, AXIS), Hex(view.unit(order.unit).place)
    if not posts.FRONT <= seen.gap[here] <= posts.FRONT + 2 or seen.posture > 0.5:
        return -1.0
    bare = sum(1 for there in view.board.within(here, 2) if 1 <= seen.gap[there] <= posts.FRONT and not seen.cover.get(there, 0))
    return 0.12 * bare - 0.6


def break_downs(view: View) -> list[Order]:
    """Return each corps that can be broken down; a Kampfgruppe stays as it is."""
    return [BreakDown(unit) for unit in organization.ready(view) if organization.chart_row(view, unit) and _can_break(view, unit)]


def _can_break(view: View, unit: UnitId) -> bool:
    return organization.breakdown_refusal(view, unit) is None


# -------------------------------------------------------------------- all together


def _always(value: float) -> Callable[[View, Any], float]:
    return lambda view, order: value


WORTH: dict[type[Order], Callable[[View, Any], float]] = {
    Sail: sailing.worth,
    PlaceFleet: fleet,
    Withdraw: withdrawal,
    DropAirborne: drop,
    PlacePartisan: partisan,
    PlaceOsg: osg,
    Evacuate: _always(1.0),
    ConvertArmy: _always(0.5),
    RebuildArmy: _always(0.5),
    Incorporate: _always(0.5),
    BreakArmy: _always(-1.0),  # armies fight better than corps
    BuildUp: build_up,
    ExchangeStep: exchange,
    BreakDown: break_down,
}
CANDIDATES: dict[str, Callable[[View], list[Order]]] = {
    "sail": sailing.sailings,
    "place_fleet": fleets,
    "drop_airborne": drops,
    "place_partisan": some_partisans,
    "place_osg": osgs,
    "evacuate": evacuations,
    "convert": conversions,
    "rebuild_army": rebuildings,
    "exchange_step": exchanges,
    "break_down": break_downs,
    "break_army": lambda view: [],
}
