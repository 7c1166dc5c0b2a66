"""Where depots, headquarters, airbases and support groups belong: behind the troops that they feed, fly for or fire for."""

from __future__ import annotations

from collections.abc import Iterable

from core.board import Hex
from core.derived import ASPECTS
from core.mechanics import supply as lines
from core.rulesets.war_for_the_motherland import supply
from core.rulesets.war_for_the_motherland.bot import posts
from core.rulesets.war_for_the_motherland.bot.posts import Scene, scene
from core.rulesets.war_for_the_motherland.bot.worth_of_units import Standing, roster
from core.rulesets.war_for_the_motherland.terms import AXIS
from core.units import UnitId
from core.views import View

SERVICES = frozenset({"supply_depot", "headquarters", "airbase", "osg", "siege_artillery"})
NEARER = 0.012  # of a unit's value for each half hex that its line is shorter
UNLINKED = 0.3  # share of what a depot is worth that has no line itself: the next one may give it one
EXPOSED = 2.5  # value at stake of a service that the enemy can come to
AIRBASE_GAP, OSG_GAP = 4, 2  # hexes from the enemy


def worth(view: View, one: Standing, here: Hex) -> float:
    """Return what it is worth that a service unit stands in a hex."""
    seen = scene(view, one.side)
    found = -_exposed(seen, one, here)
    if one.kind.kind in ("supply_depot", "headquarters"):
        return found + _feeding(view, one, here)
    found += one.value * (1.0 if supply.network(view, supply.user_of(one.kind)).supplies(here) else 0.1)
    if one.kind.kind == "airbase":
        return found + 0.1 * seen.pull[here] - 0.2 * abs(seen.gap[here] - AIRBASE_GAP)
    wanted = OSG_GAP if one.kind.kind == "osg" else 1
    return found + 0.15 * seen.pull[here] - 0.25 * abs(seen.gap[here] - wanted) + _support(view, seen, here)


def _exposed(seen: Scene, one: Standing, here: Hex) -> float:
    """Return what is at stake where enemies can come to a unit that can't fight: least behind a stack of its own."""
    near = seen.gap[here]
    if near > 3:
        return 0.0
    guarded = any(other.unit != one.unit and other.defence > 1 for other in seen.own.get(here, ()))
    behind = seen.cover.get(here, 0) > 0
    return EXPOSED * (0.15 if guarded else 0.3 if behind and near > 1 else 1.0) * (4 - near) / 3


def _support(view: View, seen: Scene, here: Hex) -> float:
    """Return what a support group adds to the battles within its range."""
    return sum(0.15 for there in seen.foes if view.board.distance(here, there) <= 3 and seen.against[there] > 4)


def look(view: View, one: Standing, here: Hex) -> float:
    """Return how much a hex deserves a look for a service unit, by what costs little to know."""
    seen = scene(view, one.side)
    near = seen.gap[here]
    found = 0.1 * seen.pull[here] - 0.2 * abs(near - 3) - (1.0 if near <= 1 and here not in seen.own else 0.0)
    if one.kind.kind == "supply_depot":
        return found + (2.0 if _without(view, one.unit, "axis")[0].distance(here) <= supply.RANGE_HALVES["axis"] else 0.0)
    if one.kind.kind == "headquarters":
        return found + (2.0 if supply.rail_to_source(view, here, supply.user_of(one.kind)) else 0.0)
    return found + (2.0 if supply.network(view, supply.user_of(one.kind)).supplies(here) else 0.0)


# -------------------------------------------------------------------- feeding


def _feeding(view: View, one: Standing, here: Hex) -> float:
    """Return what units are worth with the lines that they would have if a depot or headquarters stood in a hex."""
    user = supply.user_of(one.kind)
    rest, hungry = _without(view, one.unit, user)
    side = supply.side_of(user)
    counts, closed, limit = supply.counts(view, side), supply.blocked(view, side), supply.RANGE_HALVES[user]
    if user == "axis":
        share = 1.0 if rest.distance(here) <= limit else UNLINKED
    else:
        share = 1.0 if supply.rail_to_source(view, here, user) else 0.0
    field = lines.trace(counts, sources=(here,), blocked=closed, limit=2 * limit)
    return sum(_fed(other, rest, field, limit, share) for other in hungry)


def _fed(one: Standing, rest: lines.Field, field: lines.Field, limit: int, share: float) -> float:
    before, after = rest.distance(one.here), field.distance(one.here)
    gain = max(_share(min(before, after), limit) - _share(before, limit), 0.0) * share
    gain += NEARER * share * max(0, min(before, 2 * limit) - min(after, 2 * limit))
    return one.value * (gain - 0.004 * min(after, 3 * limit))


def _share(distance: int, limit: int) -> float:
    return 1.0 if distance <= limit else posts.OUT if distance <= 2 * limit else posts.ISOLATED


def _without(view: View, unit: UnitId, user: supply.User) -> tuple[lines.Field, tuple[Standing, ...]]:
    """Return the lines that a user would have without one of its depots or headquarters, and whom they are for."""
    return view.derived.get(("bot lines without", unit), ASPECTS, lambda: _make_without(view, unit, user))


def _make_without(view: View, unit: UnitId, user: supply.User) -> tuple[lines.Field, tuple[Standing, ...]]:
    side = supply.side_of(user)
    counts, closed, limit = supply.counts(view, side), supply.blocked(view, side), supply.RANGE_HALVES[user]
    givers = frozenset(_givers(view, unit, user, closed))
    field = view.derived.keep(
        ("bot rest", user), (counts, givers, closed), lambda: lines.trace(counts, sources=givers, blocked=closed, limit=2 * limit)
    )
    fed = tuple(one for one in roster(view) if one.side == side and supply.user_of(one.kind) == user and one.attack)
    return field, fed


def _givers(view: View, unit: UnitId, user: supply.User, closed: frozenset[Hex]) -> Iterable[Hex]:
    if user != "axis":
        kept = {one.here for one in roster(view) if one.kind.kind == "headquarters" and one.unit != unit}
        found = supply.network(view, user)
        return (here for here in found.givers if here in kept or here not in found.links)
    sources = supply.sources(view, user)
    links = [one.here for one in roster(view) if one.kind.kind == "supply_depot" and one.unit != unit]
    chain = lines.chain(supply.counts(view, AXIS), sources=sources, links=links, blocked=closed, limit=supply.RANGE_HALVES[user])
    return (*sources, *chain.fed)
