"""What a position is worth to the Axis: who is supplied, who will be after the next Soviet move, who can be beaten.

A rule of thumb for comparing positions that differ by one order, in victory points (15.2).
"""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections.abc import Iterable

import msgspec

from core.board import SIDES, Hex
from core.derived import CHITS, MARKS, STEPS, TRACKS, UNITS
from core.mechanics import supply as lines
from core.mechanics.combat_table import read_result
from core.mechanics.movement import CLOSED
from core.mechanics.odds import ratio
from core.rulesets.war_for_the_motherland import battle, movement_costs, reckoning, strength, supply, weather, zoc
from core.rulesets.war_for_the_motherland.bot.worth_of_units import Standing, roster, step_value
from core.rulesets.war_for_the_motherland.movement_costs import QUARTERS, MoveClass
from core.rulesets.war_for_the_motherland.terms import AXIS, SOVIET
from core.units import Side
from core.views import View

_ASPECTS = (UNITS, STEPS, MARKS, TRACKS, CHITS)

OUT, ISOLATED = 0.4, 0.25  # what is left of a unit's value without supply, within twice the range and beyond
LOST = 0.1  # of an airbase, a headquarters, a support group without supply: they leave the map
DISTANCE = 0.08  # of its value at the very end of the range
FORESIGHT = {22: 0.5, 23: 0.5}  # weight of supply after the next Soviet move; later turns: below
LATE_FORESIGHT = 0.6
RETREATS = 0.45  # share of a point of result that hurts when it can be paid in hexes
NO_EXIT = 0.12  # of a unit's value when it has nowhere to retreat
AHEAD = 0.45  # weight of dangers before an own move


def standing(view: View) -> float:
    """Return what the position is worth to the Axis."""
    return view.derived.get("bot standing", _ASPECTS, lambda: _standing(view))


def _standing(view: View) -> float:
    axis = [one for one in roster(view) if one.side == AXIS]
    soviet = [one for one in roster(view) if one.side == SOVIET]
    if is_over(view):
        return sum(one.value * _at_the_end(view, one) for one in axis)
    share = FORESIGHT.get(view.position.turn, LATE_FORESIGHT) if not moves_are_done(view) else 0.0
    later = _later(view) if share else {}
    total = sum(one.value * ((1 - share) * _now(view, one) + share * _of_field(later, one)) for one in axis)
    total -= sum(one.value * _now(view, one) for one in soviet)
    total -= _danger(view, axis, soviet, weight=1.0 if before_soviet_combat(view) else AHEAD)
    total += _danger(view, soviet, axis, weight=AHEAD)
    return total


# -------------------------------------------------------------------- when


def is_over(view: View) -> bool:
    """Say whether nothing comes after this phase but the count of points (1.0c)."""
    last = view.position.turn == view.setting.scenario.last_turn
    return last and view.position.phase in ("german_mechanized_movement", "administrative")


def moves_are_done(view: View) -> bool:
    """Say whether no Soviet move comes any more."""
    last = view.position.turn == view.setting.scenario.last_turn
    return last and view.position.phase == "soviet_movement"


def before_soviet_combat(view: View) -> bool:
    """Say whether Soviet attacks come before the next Axis move."""
    return view.position.phase in ("axis_movement", "axis_combat", "soviet_combat")


# -------------------------------------------------------------------- supply


def _at_the_end(view: View, one: Standing) -> float:
    if supply.needs_no_line(one.kind):
        return 1.0
    if supply.can_trace(view, one.unit):
        return 1.0
    distance = _distance(view, one)
    return 0.1 / (1 + distance / 16) if distance < lines.CLOSED else 0.0


def _distance(view: View, one: Standing) -> int:
    return supply.network(view, supply.user_of(one.kind)).field.distance(one.here)


def _now(view: View, one: Standing) -> float:
    """Return the share of its value that a unit has by the present lines."""
    if supply.needs_no_line(one.kind):
        linked = one.kind.kind != "supply_depot" or one.here in supply.network(view, "axis").links
        return 1.0 if linked else 0.8
    found = supply.network(view, supply.user_of(one.kind))
    if one.kind.kind == "headquarters":
        return 1.0 if one.here in found.links else LOST
    if one.kind.kind in supply.SERVICE:
        return 1.0 if found.supplies(one.here) else LOST
    return _share(found.field.distance(one.here), found.range_halves)


def _share(distance: int, limit: int) -> float:
    if distance <= limit:
        return 1 - DISTANCE * distance / limit
    return OUT if distance <= 2 * limit else ISOLATED


def _of_field(later: dict[str, lines.Field], one: Standing) -> float:
    if supply.needs_no_line(one.kind):
        return 1.0
    user = supply.user_of(one.kind)
    if user not in later:
        return 1.0
    return _share(later[user].distance(one.here), supply.RANGE_HALVES[user])


def _later(view: View) -> dict[str, lines.Field]:
    """Return the lines of the Axis if every hex that the Soviet side could reach or cover next were closed."""
    closed = supply.blocked(view, AXIS) | threatened(view)
    counts, limit = supply.counts(view, AXIS), supply.RANGE_HALVES["axis"]
    sources = [here for here in supply.sources(view, "axis") if here not in closed]
    places = [one.here for one in roster(view) if one.kind.kind == "supply_depot"]
    fed = lines.chain(counts, sources=sources, links=places, blocked=closed, limit=limit).fed
    found = {"axis": lines.trace(counts, sources=fed | set(sources), blocked=closed, limit=2 * limit)}
    rail = lines.connected(view.board, "rail", goals=sources, blocked=closed)
    for user in {supply.user_of(one.kind) for one in roster(view) if one.side == AXIS} - {"axis"}:
        bases = [one.here for one in roster(view) if one.kind.kind == "headquarters" and supply.user_of(one.kind) == user]
        found[user] = lines.trace(counts, sources=[here for here in bases if rail.reaches(here)], blocked=closed, limit=2 * limit)
    return found


# -------------------------------------------------------------------- what the Soviet side could reach


def threatened(view: View) -> frozenset[Hex]:
    """Return the hexes without Axis units that Soviet units could enter in a movement phase, or cover by their ZOC."""
    return view.derived.get("bot threatened", _ASPECTS, lambda: _threatened(view))


def _threatened(view: View) -> frozenset[Hex]:
    held = {one.here for one in roster(view) if one.side == AXIS}
    entered: set[Hex] = set()
    for motorized in (False, True):
        starts: dict[Hex, int] = {}
        for one in roster(view):
            if one.side == SOVIET and one.attack and one.kind.motorized == motorized:
                budget = QUARTERS * strength.movement(view, one.unit)
                starts[one.here] = max(starts.get(one.here, 0), budget)
        if starts:
            entered |= _flood(view, starts, held, motorized=motorized)
    covered = {there for here in entered for there in view.board.adjacent[here]}
    return frozenset((entered | covered) - held)


def _flood(view: View, starts: dict[Hex, int], held: set[Hex], *, motorized: bool) -> set[Hex]:
    """Return every hex that can be entered with these quarter points; an enemy ZOC ends the way, one hex is always free (5.24)."""
    steps, zone = _steps(view, motorized), zoc.exerted(view, AXIS)
    left = dict(starts)
    queue = [(-budget, here) for here, budget in starts.items()]
    heapq.heapify(queue)
    done: set[Hex] = set()
    while queue:
        spare, here = heapq.heappop(queue)
        if here in done:
            continue
        done.add(here)
        first, contested = here in starts, here in zone
        if contested and not first:
            continue
        budget = -spare - (3 * QUARTERS if contested else 0)
        for there, cost in steps[here]:
            rest = budget - cost
            if rest < 0:
                if not first or (contested and there in zone):
                    continue
                rest = 0
            if rest > left.get(there, -1) and there not in held:
                left[there] = rest
                heapq.heappush(queue, (-rest, there))
    return done


def _steps(view: View, motorized: bool) -> tuple[tuple[tuple[Hex, int], ...], ...]:
    """Return for each hex the neighbours that a unit can enter, with their cost in quarter points."""
    return view.derived.get(("bot steps", motorized), (TRACKS,), lambda: _make_steps(view, motorized))


def _make_steps(view: View, motorized: bool) -> tuple[tuple[tuple[Hex, int], ...], ...]:
    cls = MoveClass(motorized=motorized, mountain=False, over_ice=False, no_rivers=False, by_rail=False)
    costs, ring = movement_costs.ground(view, cls).tolist(), view.board.neighbours.tolist()
    return tuple(
        tuple((Hex(ring[i]), costs[i]) for i in range(SIDES * here, SIDES * here + SIDES) if ring[i] >= 0 and costs[i] < CLOSED)
        for here in range(view.board.size)
    )


# -------------------------------------------------------------------- dangers of battle


def _danger(view: View, own: Iterable[Standing], enemies: Iterable[Standing], *, weight: float) -> float:
    """Return the value that enemies next to units can be expected to take from them in a combat phase."""
    stacks: dict[Hex, list[Standing]] = {}
    for one in own:
        stacks.setdefault(one.here, []).append(one)
    ring = neighbours(view)
    against: dict[Hex, list[tuple[Standing, int]]] = {}
    for enemy in enemies:
        near = [there for there in ring[enemy.here] if there in stacks] if enemy.attack else ()
        for there in near:
            against.setdefault(there, []).append((enemy, len(near)))
    groups = [one.here for one in roster(view) if one.kind.kind == "osg"]
    return weight * sum(_expected(view, here, stacks[here], some, groups) for here, some in against.items())


def _expected(view: View, here: Hex, stack: list[Standing], enemies: list[tuple[Standing, int]], groups: list[Hex]) -> float:
    """Return what an attack by these enemies on a stack can be expected to take; each enemy has other targets too."""
    attack = sum(enemy.attack / (0.5 + 0.5 * near) for enemy, near in enemies)
    defence = sum(one.defence for one in stack)
    defence += _river(view, here, defence, [enemy.here for enemy, _ in enemies])
    side, total = stack[0].side, sum(one.value for one in stack)
    supported = side == AXIS and any(view.board.distance(group, here) <= reckoning.OSG_RANGE for group in groups)
    lost, gone = outlook(view, here, attack, defence, osg=supported)
    steps = sum(view.unit(one.unit).steps for one in stack)
    mean = sum(view.unit(one.unit).steps * step_value(one.kind) for one in stack) / steps
    exits = has_exit(view, here, side)
    hurt = min(total, lost * mean * (RETREATS if exits else 1.0)) + gone * total
    return hurt + (0.0 if exits else NO_EXIT * total)


def _river(view: View, here: Hex, defence: float, sources: list[Hex]) -> float:
    """Return what rivers add to a defence if all attackers come across one (8.42, 8.43)."""
    found = 0.0
    for there in sources:
        if view.board.side_has(there, here, "major_river"):
            bonus = defence
        elif view.board.side_has(there, here, "minor_river"):
            bonus = 2.0
        else:
            return 0.0
        found = bonus if not found else min(found, bonus)
    return found


def neighbours(view: View) -> tuple[tuple[Hex, ...], ...]:
    """Return the neighbours of each hex that land units can go to and fight over."""
    return view.derived.get("bot neighbours", (), lambda: tuple(_neighbours(view, Hex(i)) for i in range(view.board.size)))


def _neighbours(view: View, here: Hex) -> tuple[Hex, ...]:
    ring = view.board.adjacent[here]
    return tuple(there for there in ring if weather.is_land(view, there) and not weather.bars_all(view, here, there))


def has_exit(view: View, here: Hex, side: Side) -> bool:
    """Say whether units in a hex could retreat without loss."""
    closed = supply.blocked(view, side)
    return any(there not in closed for there in neighbours(view)[here])


class Outlook(msgspec.Struct, frozen=True):
    """What a row of the table means to a defender: for each column its ratio, the mean points to pay, the chance to be lost as a whole."""

    ratios: tuple[float, ...]
    points: tuple[float, ...]
    gone: tuple[float, ...]


def outlook(view: View, here: Hex, attack: float, defence: float, *, osg: bool) -> tuple[float, float]:
    """Return the mean points that a defender must pay, and the chance that all of him are eliminated."""
    row = reckoning.terrain_row(view, (here,))
    found = view.derived.get(("bot outlook", row, osg), (TRACKS,), lambda: _outlook(view, row, osg))
    column = max(0, bisect_right(found.ratios, attack / max(defence, 1.0)) - 1)
    return found.points[column], found.gone[column]


def _outlook(view: View, row: str, osg: bool) -> Outlook:
    table, faces = battle.table_of(view), view.charts.combat.faces
    drm = weather.turn_of(view).combat_modifier + (3 if osg else 0)  # 8.62, 11.27
    headings = table.headings[row]
    results = [[read_result(table.result(die + drm, i)) for die in range(1, faces + 1)] for i in range(len(headings))]
    return Outlook(
        tuple(float(ratio(heading)) for heading in headings),
        tuple(sum(one.defender for one in some) / faces for some in results),
        tuple(sum(one.eliminated == "defender" for one in some) / faces for some in results),
    )
