"""What it is worth that a fighting unit stands in a hex: supply, safety, attacks, the line it keeps, the lines it cuts, the way ahead.

Everything is looked up around the hex, so a look costs some microseconds on a map of any size. In victory points (15.2), more or less.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from core.board import Hex
from core.derived import ASPECTS
from core.rulesets.war_for_the_motherland import supply, weather, zoc
from core.rulesets.war_for_the_motherland.bot import aims, allies, ground, holes, outlook, perils
from core.rulesets.war_for_the_motherland.bot.worth_of_units import (
    Standing,
    as_seen,
    is_near_the_end,
    is_reckless,
    of_side,
    roster,
    step_value,
)
from core.rulesets.war_for_the_motherland.terms import AXIS, SOVIET, is_ea
from core.units import Side, UnitId
from core.views import View

FED, LAST_FED = 1.5, 0.5  # what supply is worth to a unit of any size while there are turns to come, and near the end
RECKLESS = 0.4  # share of that which supply is still worth to a side that has nothing left to hold; in the last turn nothing
RECKLESS_COVER = 0.3  # the same of a front without gaps
MOST_BEHIND = 10  # hexes: farther off it makes no difference any more how far the front is
COUNTED = 0.25  # what is left without supply of an Axis unit when the army will soon be counted (15.22)
OUT, ISOLATED = 0.45, 0.1  # what is left of a unit's value without supply, within twice the range and beyond, where it wastes away (9.91)
HOMEWARD, LOST = 0.015, 28  # of its value that such a unit gains by each half hex nearer to its supply; where no way leads to it
DISTANCE = 0.06  # of its value at the very end of the range
CUT_OFF, DARING = 0.35, 0.6  # of its value that a unit risks on a line that may be cut; share of that which one disregards who attacks
DEPOTS_FOLLOW = 4  # half hexes that a depot still makes up for in this phase
RETREATS = 0.45  # share of a point of result that hurts when it can be paid in hexes
NO_EXIT = 0.15  # of a stack's value when it has nowhere to retreat and is attacked
AHEAD = 0.2  # a hex nearer to what draws the side
DRIVE, CARELESS = 0.5, 0.3  # in a drive: how much more a hex ahead counts that is fed, and how much less gaps and garrisons do
TO_THE_FRONT = 0.2  # a hex nearer to the enemy, for those who are far behind, where a side does not think of attacking
FRONT = 2  # hexes from the enemy that a front line keeps
COVER = (0.28, 0.07, 0.0)  # a hex before the enemy that a ZOC covers first, twice, thrice
CUT, MOST_CUT = 0.1, 2.5  # share of the value of the enemies whose line is cut
POCKET = 1.4  # share of the value of a stack that has no way out any more
MENDED, MOST_MENDED = 0.25, 8.0  # share of the value of those who are fed again by a hex
KEPT, MOST_KEPT = 0.05, 2.5  # the same of those whose line runs over a hex next to the enemy
HELP = 0.5  # share of the attack of those who may still come
FIGHTS = {"axis_movement": 1.0, "soviet_movement": 0.5, "german_mechanized_movement": 0.25}  # weight of attacks to come
ALONE = 0.5  # share of that for an ally who stands alone
CUTS = {"german_mechanized_movement": 2.0, "soviet_movement": 1.0}  # supply is judged next: weight of lines cut
TAKEN = 0.6  # value of ground that a defender gives up, beside what the ground itself is worth
CAUTION = {AXIS: 0.7, SOVIET: 0.8}
GARRISON = 0.35  # of a prize's weight, for the first unit in it while the enemy is near
GARRISON_NEAR = 4  # hexes from the enemy; where the war may be decided he is near sooner
GARRISONS = 3  # units wanted there, each half as much as the one before it


class Scene(msgspec.Struct, frozen=True):
    """A position in the eyes of a side, ready to be looked up."""

    side: Side
    own: dict[Hex, list[Standing]]
    foes: dict[Hex, list[Standing]]
    gap: list[int]
    strikes: list[float]
    pull: list[float]
    draw: list[float]
    guard_pull: list[float]
    alone: frozenset[supply.User]
    cover: dict[Hex, int]
    beside: dict[Hex, list[Hex]]
    lines: dict[Hex, float]
    mends: dict[Hex, float]
    lifelines: dict[Hex, float]
    prizes: dict[Hex, float]
    against: dict[Hex, float]
    osgs: tuple[Hex, ...]
    posture: float
    drive: float


def scene(view: View, side: Side) -> Scene:
    """Return what a side sees of the position."""
    return view.derived.get(("bot scene", side), ASPECTS, lambda: _scene(view, side))


def _scene(view: View, side: Side) -> Scene:
    own, foes = _stacks(view, side), _stacks(view, view.other(side))
    cover: dict[Hex, int] = {}
    for stack in own.values():
        for one in stack:
            for there in _covered(view, one):
                cover[there] = cover.get(there, 0) + 1
    pull, draw, guard_pull = aims.pulls(view, side)
    return Scene(
        side=side,
        own=own,
        foes=foes,
        gap=ground.gap(view, side),
        strikes=ground.strikes(view, side),
        pull=pull,
        draw=draw,
        guard_pull=guard_pull,
        alone=allies.alone(view, side),
        cover=cover,
        beside=_beside(view, side, foes),
        lines=ground.enemy_lines(view, side),
        mends=ground.mends(view, side),
        lifelines=ground.lifelines(view, side),
        prizes=aims.prizes(view),
        against=_against(view, own, foes),
        osgs=tuple(one.here for one in roster(view) if one.kind.kind == "osg"),
        posture=ground.posture(view, side),
        drive=ground.drive(view, side),
    )


def _stacks(view: View, side: Side) -> dict[Hex, list[Standing]]:
    found: dict[Hex, list[Standing]] = {}
    for one in of_side(view, side):
        found.setdefault(one.here, []).append(one)
    return found


def _beside(view: View, side: Side, foes: dict[Hex, list[Standing]]) -> dict[Hex, list[Hex]]:
    """Return for each hex the stacks of mobile enemies next to it."""
    mobile = tuple([here for here, stack in foes.items() if any(foe.attack for foe in stack)])
    return view.derived.keep(("bot beside", side), (mobile,), lambda: _around_each(view, mobile))


def _around_each(view: View, hexes: Iterable[Hex]) -> dict[Hex, list[Hex]]:
    """Return for each hex those of *hexes* that are next to it."""
    found: dict[Hex, list[Hex]] = {}
    for here in hexes:
        for there in outlook.neighbours(view)[here]:
            found.setdefault(there, []).append(here)
    return found


def _against(view: View, own: dict[Hex, list[Standing]], foes: dict[Hex, list[Standing]]) -> dict[Hex, float]:
    """Return for each enemy stack the attack of those who stand beside it, and a share of those who are near."""
    found = {}
    for here in foes:
        _, beside, *near = ground.rings(view, here)
        total = _attack_in(own, beside, motorized=False)
        for hexes, motorized in zip(near, (False, True), strict=False):
            total += HELP * _attack_in(own, hexes, motorized=motorized)
        found[here] = total
    return found


def _attack_in(own: dict[Hex, list[Standing]], hexes: Iterable[Hex], *, motorized: bool) -> float:
    """Return the attack of those who stand in some hexes; of the motorized alone if so wanted."""
    total = 0.0
    for there in hexes:
        if there in own:   # most are empty
            for one in own[there]:
                if one.kind.motorized or not motorized:
                    total += one.attack
    return total


def _covered(view: View, one: Standing, here: Hex | None = None) -> Iterable[Hex]:
    """Return the hexes that a unit keeps the enemy from passing freely, from where it stands or from elsewhere."""
    if not one.attack or not ("zoc" in one.kind.traits or zoc.exerts_zoc(view, one.unit)):
        return ()
    spot = one.here if here is None else here
    return (spot, *outlook.neighbours(view)[spot])


# -------------------------------------------------------------------- the worth of a post


def worth(view: View, one: Standing, here: Hex, *, with_others: Sequence[UnitId] = ()) -> float:
    """Return what it is worth that a unit stands in a hex; *with_others* go there with it."""
    seen = scene(view, one.side)
    others = [other for other in seen.own.get(here, ()) if other.unit != one.unit and other.unit not in with_others]
    share = supplied(view, one, here)
    found = (_fed(view, one) + DRIVE * seen.drive * AHEAD * max(0.0, pull_of(seen, one)[here])) * share
    found -= CAUTION[one.side] * (danger(view, seen, here, [*others, one]) - danger(view, seen, here, others))
    found += fight(view, seen, one, here)
    found += _cover(view, seen, one, here) + _lines(seen, one, here, others)
    return found + way(seen, one, here) + garrison(view, seen, here, others)


def _fed(view: View, one: Standing) -> float:
    """Return what it is worth to a unit that it is supplied."""
    found = one.value + (LAST_FED if is_near_the_end(view) else FED)
    if not is_reckless(view, one.side):
        return found
    return RECKLESS * found if view.position.turn < view.setting.scenario.last_turn else 0.0


def pull_of(seen: Scene, one: Standing) -> list[float]:
    """Return for each hex how strongly it draws a unit: one whose nation stands alone is drawn by what is to be held only."""
    return seen.guard_pull if is_alone(seen, one) else seen.pull


def is_alone(seen: Scene, one: Standing) -> bool:
    """Say whether a unit is of a nation that stands alone."""
    return bool(seen.alone) and supply.user_of(one.kind) in seen.alone


def way(seen: Scene, one: Standing, here: Hex) -> float:
    """Return what the place itself is worth to a unit, whoever else is there."""
    if is_alone(seen, one):
        return AHEAD * seen.guard_pull[here]
    behind = min(MOST_BEHIND, max(0, seen.gap[here] - FRONT))
    return AHEAD * seen.pull[here] - TO_THE_FRONT * (1.0 - seen.posture) * behind


def supplied(view: View, one: Standing, here: Hex) -> float:
    """Return the share of its value that a unit has in a hex by the lines of supply."""
    if supply.needs_no_line(one.kind):
        return 1.0
    user = supply.user_of(one.kind)
    found = supply.network(view, user)
    distance, limit = found.field.distance(here), found.range_halves
    more = depots_follow(view) if user == "axis" and view.position.phase == "axis_movement" else 0
    if distance <= limit + more:
        share = 1 - DISTANCE * distance / limit if distance <= limit else 0.85
        if one.side == SOVIET or perils.line_holds(view, here, user, more=more):
            return share
        return share - _risk(view, alone=is_alone(scene(view, AXIS), one))
    if one.side == AXIS and is_near_the_end(view):
        return COUNTED
    way = min(ground.homeward(view, user).distance(here), LOST)
    return (OUT if distance <= 2 * limit else ISOLATED) - HOMEWARD * (way - limit)


def depots_follow(view: View) -> int:
    """Return the half hexes that a depot can make up for yet: fewer in snow and mud, where it goes at half its pace.

    An army that will soon be counted does not rely on that.
    """
    if is_near_the_end(view):
        return 0
    return DEPOTS_FOLLOW // 2 if weather.is_snow(view) or weather.is_mud(view) else DEPOTS_FOLLOW


def _risk(view: View, *, alone: bool = False) -> float:
    """Return the share of its value that a unit risks whose line the enemy can cut next.

    An army that attacks disregards much of that, until it will soon be counted; not an ally who stands alone.
    """
    return CUT_OFF * (1.0 if alone or is_near_the_end(view) else 1.0 - DARING * scene(view, AXIS).posture)


def danger(view: View, seen: Scene, here: Hex, stack: Sequence[Standing]) -> float:
    """Return the value that the enemy can be expected to take from a stack before the side moves again."""
    attack = seen.strikes[here]
    if not stack or attack < 1.0:
        return 0.0
    total = sum(one.value for one in stack)
    defence = sum(one.defence for one in stack)
    before = [there for there in outlook.neighbours(view)[here] if seen.gap[there] < seen.gap[here] or there in seen.foes]
    defence += outlook.river_bonus(view, here, before, defence)
    supported = seen.side == AXIS and any(view.board.distance(group, here) <= 3 for group in seen.osgs)
    chances = outlook.prospect(view, here, attack, defence, osg=supported)
    exits = outlook.has_exit(view, here, seen.side)
    steps = [step_value(view, one.kind) for one in stack]
    hurt = chances.defender * (RETREATS if exits else 1.0) * sum(steps) / len(steps)
    return min(total, hurt) + chances.defender_gone * total + (0.0 if exits else NO_EXIT * total)


def fight(view: View, seen: Scene, one: Standing, here: Hex) -> float:
    """Return what the attacks to come promise that a unit could join from a hex."""
    share = ALONE if is_alone(seen, one) else 1.0
    return share * FIGHTS.get(view.position.phase, 0.5) * _attacks(view, seen, one, here)


def _attacks(view: View, seen: Scene, one: Standing, here: Hex) -> float:
    """Return a unit's part in the best attack that it could join from a hex."""
    if not one.attack:
        return 0.0
    best = 0.0
    for there in outlook.neighbours(view)[here]:
        if there in seen.foes:
            now = one.attack if one.here >= 0 and view.board.distance(one.here, there) == 1 else 0.0
            total = max(seen.against[there] - now, 0.0) + one.attack
            best = max(best, attack_worth(view, seen, there, total) * one.attack / total)
    return best


def attack_worth(view: View, seen: Scene, there: Hex, attack: float) -> float:
    """Return what an attack of so many points on a stack promises."""
    stack = seen.foes[there]
    supported = seen.side == SOVIET and _osg_near(view, seen, there)
    chances = outlook.prospect(view, there, attack, sum(foe.defence for foe in stack), osg=supported)
    total = sum(foe.value for foe in stack)
    steps = [step_value(view, foe.kind) for foe in stack]
    exits = outlook.has_exit(view, there, view.other(seen.side))
    hurt = min(total, chances.defender * (RETREATS if exits else 1.0) * sum(steps) / len(steps))
    gain = hurt + chances.defender_gone * total + chances.gives_way * ground_worth(seen, there)
    return gain - chances.attacker * 0.6 - chances.attacker_gone * 3.0


def ground_worth(seen: Scene, there: Hex) -> float:
    """Return what it is worth to push the enemy out of a hex."""
    cut_by = min(MOST_MENDED, MENDED * seen.mends.get(there, 0.0))
    cut = min(MOST_CUT, CUT * seen.lines.get(there, 0.0))
    return TAKEN + 0.25 * seen.prizes.get(there, 0.0) + cut + cut_by + 0.3 * AHEAD * max(seen.pull[there], 0.0)


def _osg_near(view: View, seen: Scene, there: Hex) -> bool:
    return any(view.board.distance(group, there) <= 3 for group in seen.osgs)


def _cover(view: View, seen: Scene, one: Standing, here: Hex) -> float:
    """Return what a unit's ZOC keeps closed of the front, what comes through where it is open, and what it cuts of enemy lines."""
    covered = _covered(view, one, here)
    if not covered:
        return 0.0
    now = set(_covered(view, one)) if one.here >= 0 else set()
    kept = cut = 0.0
    for there in covered:
        count = seen.cover.get(there, 0) - (there in now)
        if 1 <= seen.gap[there] <= FRONT + 1:
            kept += COVER[min(count, 2)]
        if not count and there not in seen.foes:
            cut = max(cut, seen.lines.get(there, 0.0))
    kept *= RECKLESS_COVER if is_reckless(view, one.side) else 1.0
    careful = 1.0 - CARELESS * seen.drive
    cuts = CUTS.get(view.position.phase, 0.7) * min(MOST_CUT, CUT * cut)
    return careful * (kept + closes(view, seen, one, covered)) + cuts + _pockets(view, seen, set(covered), now)


def closes(view: View, seen: Scene, one: Standing, covered: Iterable[Hex]) -> float:
    """Return the value at the end of the dearest way past all others that a unit shuts by the hexes that it covers."""
    ways = view.derived.get(("bot ways past", one.unit), ASPECTS, lambda: _ways_past(view, seen, one))
    return max(ways.get(there, 0.0) for there in covered)


def _ways_past(view: View, seen: Scene, one: Standing) -> dict[Hex, float]:
    """Return the ways that would be open if a unit stood nowhere."""
    now = set(_covered(view, one)) if one.here >= 0 else set()
    return holes.open_ways(view, one.side, {there: count for there, count in seen.cover.items() if count > (there in now)})


def _lines(seen: Scene, one: Standing, here: Hex, others: Sequence[Standing]) -> float:
    """Return what a unit does for the lines of its own side: one that it opens again, or keeps open in the face of the enemy."""
    if others or not one.defence:
        return 0.0
    mended = min(MOST_MENDED, MENDED * seen.mends.get(here, 0.0))
    if seen.gap[here] <= 1:
        return max(mended, min(MOST_KEPT, KEPT * seen.lifelines.get(here, 0.0)))
    return mended


def _pockets(view: View, seen: Scene, covered: set[Hex], now: set[Hex]) -> float:
    """Return what it is worth that ways out of the stacks around are closed."""
    found = 0.0
    for foe in {foe for there in covered for foe in seen.beside.get(there, ())}:
        ways = [there for there in outlook.neighbours(view)[foe] if there not in seen.foes]
        shut = [there in seen.own or seen.cover.get(there, 0) > (there in now) for there in ways]
        with_it = sum(closed or there in covered for closed, there in zip(shut, ways, strict=True))
        total = len(outlook.neighbours(view)[foe])
        more = (with_it / total) ** 2 - (sum(shut) / total) ** 2
        found += POCKET * more * sum(one.value for one in seen.foes[foe])
    return found


def garrison(view: View, seen: Scene, here: Hex, others: Sequence[Standing]) -> float:
    """Return what it is worth to be one of the garrison of a prize, with some others."""
    if here not in seen.prizes or is_reckless(view, seen.side):
        return 0.0
    decisive = seen.side == SOVIET and aims.is_decisive(view, here)
    near = aims.menaced(view, seen.side, here) if decisive else float(seen.gap[here] <= GARRISON_NEAR)
    there = sum(other.defence > 1 and not is_ea(other.kind) for other in others)
    if not near or there >= (GARRISONS if decisive else 1):
        return 0.0
    return near * 0.5**there * GARRISON * (1.0 - CARELESS * seen.drive) * aims.held(view, here, seen.prizes[here])


# -------------------------------------------------------------------- differences


def change(view: View, units: Iterable[UnitId], here: Hex) -> float:
    """Return what it is worth to their side that units go to a hex."""
    group = tuple(units)
    return sum(_change(view, unit, here, group) for unit in group)


def _change(view: View, unit: UnitId, here: Hex, group: tuple[UnitId, ...]) -> float:
    one = standing(view, unit)
    if one.here < 0:
        return worth(view, one, here, with_others=group)
    return worth(view, one, here, with_others=group) - worth(view, one, one.here, with_others=group)


def standing(view: View, unit: UnitId) -> Standing:
    """Return a counter as the bot sees it, on the map or not."""
    known = view.derived.get("bot by number", ASPECTS, lambda: {one.unit: one for one in roster(view)})
    return known[unit] if unit in known else as_seen(view, unit)
