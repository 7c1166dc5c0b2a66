"""Where depots, headquarters, airbases and support groups belong: behind the troops that they feed, fly for or fire for."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from core.board import Hex
from core.derived import ASPECTS
from core.mechanics import supply as lines
from core.rulesets.war_for_the_motherland import supply, weather
from core.rulesets.war_for_the_motherland.bot import aims, ground, perils, posts, trunks
from core.rulesets.war_for_the_motherland.bot.posts import Scene, scene
from core.rulesets.war_for_the_motherland.bot.worth_of_units import Standing, of_side, roster
from core.rulesets.war_for_the_motherland.terms import ARRIVALS, AXIS
from core.units import UnitId
from core.views import View

SERVICES = frozenset({"supply_depot", "headquarters", "airbase", "osg", "siege_artillery"})
NEARER = 0.02  # of a unit's value for each half hex that its line is shorter
LEAN = 0.09  # for each hex that a depot or headquarters is nearer to the front
ON_RAIL = 0.4  # a depot on a railroad: links along it reach twice as far (9.45)
STRETCHED = (0.45, 0.2)  # the chance that a partisan cuts a link, by the half hexes that it could still be longer
SURE = 0.4  # share of the worth of lines that counts only where the enemy can't cut them next
CUT, TRUNKS = 0.3, 4  # share of what the dearest single cut would cost: less where lines run side by side; links looked at
READY = 2  # turns before the first partisans come in which depots draw together
STRAY, STRAY_STAFF = 0.3, 1.0  # for each hex that a service, or a headquarters, is farther from its own troops than from the enemy's
EXPOSED = 2.5  # value at stake of a service that the enemy can come to
AIRBASE_GAP, OSG_GAP = 4, 2  # hexes from the enemy
NEEDED = 0.15  # a look at a hex: share of the value of those around it who go without
RAIL, SURE_RAIL = 2.0, 0.5  # a look at a hex with a railroad to a source, and at one whose railroad the enemy can't cut next
CALLED = 8.0  # for a headquarters where troops are called for: those who arrive do so beside one (13.13)
OFF_PLACE = 0.6  # for each hex that a depot is farther from its place on the trunks
RAIL_CUT = 0.5  # share of what a headquarters is worth and feeds that is at stake where he can
DRAWN = {"headquarters": 0.06, "supply_depot": 0.2}  # a hex nearer to what draws the side: where no troops are yet that it could feed
OWN_NATION = 0.6  # for the way to an ally's own troops, in the mean of its roots: near to some, rather than halfway between all (9.28)
APART, APART_HEXES = 0.5, {"headquarters": 6, "supply_depot": 5}  # what another of its kind costs that is so near: it feeds the same troops


def worth(view: View, one: Standing, here: Hex) -> float:
    """Return what it is worth that a service unit stands in a hex."""
    seen = scene(view, one.side)
    found = -_exposed(seen, one, here) - _stray(view, seen, one, here)
    if one.kind.kind in ("supply_depot", "headquarters"):
        found += _feeding(view, one, here)
        if ways := _ways_to_own(view, one):
            found -= OWN_NATION * ways[here]
        elif (off := trunks.off_place(view, one.unit, here)) is not None:
            found -= OFF_PLACE * off
        else:
            found += DRAWN[one.kind.kind] * seen.draw[here] - LEAN * max(0, seen.gap[here] - AIRBASE_GAP)
        if one.kind.kind == "headquarters":
            found += CALLED * _called(view, one, here)
        return found + _apart(view, one, here) + (ON_RAIL if one.kind.kind == "supply_depot" and here in rails(view) else 0.0)
    found += one.value * (1.0 if supply.network(view, supply.user_of(one.kind)).supplies(here) else 0.1)
    if one.kind.kind == "airbase":
        return found + 0.1 * seen.pull[here] - 0.2 * abs(seen.gap[here] - AIRBASE_GAP)
    wanted = OSG_GAP if one.kind.kind == "osg" else 1
    return found + 0.15 * seen.pull[here] - 0.25 * abs(seen.gap[here] - wanted) + _support(view, seen, here)


def _stray(view: View, seen: Scene, one: Standing, here: Hex) -> float:
    """Return what it costs that the enemy's troops are nearer than those that a service belongs to."""
    stray = max(0, ground.screen(view, seen.side)[here] - seen.gap[here])
    if one.kind.kind != "headquarters":
        return STRAY * stray
    return STRAY_STAFF * (1.0 - _called(view, one, here)) * stray  # where troops are called for they come to it


def _called(view: View, one: Standing, here: Hex) -> float:
    """Return how much a headquarters is called for to a hex, from 0 to 1: not at all where another is near."""
    found = aims.called(view, one.side, here)
    others = _services(view, "headquarters", supply.user_of(one.kind)) if found else ()
    return 0.0 if any(view.board.distance(other.here, here) <= aims.CALLED for other in others if other.unit != one.unit) else found


def _apart(view: View, one: Standing, here: Hex) -> float:
    """Return what it costs that others stand near which feed the same troops, more the nearer."""
    far = APART_HEXES[one.kind.kind]
    alike = _services(view, one.kind.kind, supply.user_of(one.kind))
    ways = (view.board.distance(here, other.here) for other in alike if other.unit != one.unit)
    return -APART * sum(max(0, far - way) / far for way in ways)


def _ways_to_own(view: View, one: Standing) -> list[float]:
    """Return for each hex the mean root of the ways to the troops that an ally's headquarters feeds; nothing for others or without any."""
    user = supply.user_of(one.kind)
    if user not in supply.CAPITALS or one.kind.kind != "headquarters":
        return []
    hexes = tuple(other.here for other in _troops(view, user))
    return view.derived.keep(("bot ways to own", user), (hexes, weather.is_snow(view)), lambda: _mean_ways(view, hexes))


def _mean_ways(view: View, hexes: tuple[Hex, ...]) -> list[float]:
    if not hexes:
        return []
    ways = [np.sqrt(np.minimum(ground.away(view, here), 2 * ground.FAR)) for here in hexes]
    return np.mean(ways, axis=0).tolist()  # type: ignore[no-any-return]


def _services(view: View, kind: str, user: supply.User) -> tuple[Standing, ...]:
    """Return a user's counters of a kind of service."""

    def some() -> tuple[Standing, ...]:
        return tuple([one for one in of_side(view, supply.side_of(user)) if one.kind.kind == kind and supply.user_of(one.kind) == user])

    return view.derived.get(("bot services", kind, user), ASPECTS, some)


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
    if ways := _ways_to_own(view, one):
        found = -OWN_NATION * ways[here]
    elif (off := trunks.off_place(view, one.unit, here)) is not None:
        found = -OFF_PLACE * off
    else:
        found = DRAWN[one.kind.kind] * seen.draw[here] if one.kind.kind in DRAWN else 0.1 * seen.pull[here]
        found -= 0.2 * abs(near - 3)
    found -= 2 * _stray(view, seen, one, here) + (1.0 if near <= 1 and here not in seen.own else 0.0)
    if one.kind.kind == "supply_depot":
        linked = _without(view, one.unit).distance(here) <= supply.RANGE_HALVES["axis"] - (len(STRETCHED) if has_partisans(view) else 0)
        return found + (2.0 if linked else 0.0) + (ON_RAIL if here in rails(view) else 0.0) + NEEDED * needed(view).get(here, 0.0)
    if one.kind.kind == "headquarters":
        return found + _rail_look(view, one, here) + 2 * _apart(view, one, here) + CALLED * _called(view, one, here)
    return found + (2.0 if supply.network(view, supply.user_of(one.kind)).supplies(here) else 0.0)


def needed(view: View) -> dict[Hex, float]:
    """Return for each hex what the troops around it are worth that no depot feeds now."""
    return view.derived.get("bot needed", ASPECTS, lambda: _needed(view))


def _needed(view: View) -> dict[Hex, float]:
    found: dict[Hex, float] = {}
    network = supply.network(view, "axis")
    for one in _troops(view, "axis"):
        if not network.supplies(one.here):
            for here in view.board.within(one.here, ground.FED_AROUND):
                found[here] = found.get(here, 0.0) + one.value
    return found


def _rail_look(view: View, one: Standing, here: Hex) -> float:
    user = supply.user_of(one.kind)
    return (RAIL if supply.rail_to_source(view, here, user) else 0.0) + (SURE_RAIL if perils.rail_holds(view, here, user) else 0.0)


def rails(view: View) -> frozenset[Hex]:
    """Return the hexes that a railroad runs through."""
    return view.derived.get("bot rails", (), lambda: frozenset(Hex(int(i)) for i in np.flatnonzero(_by_hex(view).any(axis=1))))


def _by_hex(view: View) -> npt.NDArray[np.bool_]:
    return np.asarray(view.board.mask("rail")).reshape(view.board.size, 6)


# -------------------------------------------------------------------- feeding


def _feeding(view: View, one: Standing, here: Hex) -> float:
    """Return what units are worth with the lines that they would have if a depot or headquarters stood in a hex."""
    if supply.user_of(one.kind) != "axis":
        return _feeding_by_rail(view, one, here)
    depots = [*_other_depots(view, one.unit), here]
    chain = _chained(view, depots)
    fed = _fed_from(view, "axis", _givers_of(view, chain))
    found = (1.0 - SURE) * fed + SURE * _fed_over(view, depots, perils.threatened(view, AXIS))
    dearest = min((_fed_over(view, depots, _barred_amid(view, line)) for line in _trunks(chain)), default=fed)
    return found - CUT * max(0.0, fed - dearest) - _at_risk(view, chain, one.here, here)


def _fed_over(view: View, depots: list[Hex], closed: lines.Bars) -> float:
    """Return what units are worth with the lines that depots in these hexes give them past barred hexes."""
    return _fed_from(view, "axis", _givers_of(view, _chained(view, depots, closed)), closed)


def _trunks(chain: lines.Chain) -> list[tuple[Hex, ...]]:
    """Return the lines of the links on which most depots hang."""
    links = dict(chain)
    hanging = ground.carried(links, dict.fromkeys(links, 1.0))
    return [links[base] for base in sorted(links, key=lambda base: (-hanging[base], base))[:TRUNKS]]


def _barred_amid(view: View, line: tuple[Hex, ...]) -> lines.Bars:
    """Return what bars lines if an enemy stands amid a line, too."""
    closed, here = supply.blocked(view, AXIS), line[len(line) // 2]

    def found() -> lines.Bars:
        marks = closed.mask.copy()
        marks[[here, *view.board.adjacent[here]]] = 1
        return lines.Bars(marks.tobytes())

    return view.derived.keep(("bot barred amid", here), (closed,), found)


def _feeding_by_rail(view: View, one: Standing, here: Hex) -> float:
    """Return the same of a headquarters, less what is lost without a railroad, or at stake where the enemy can cut it (9.57)."""
    user = supply.user_of(one.kind)
    without = _givers_without(view, one.unit, user)
    if not supply.rail_to_source(view, here, user):
        return _fed_from(view, user, without) - one.value
    found = _fed_from(view, user, without | {here})
    if perils.rail_holds(view, here, user):
        return found
    return found - RAIL_CUT * (one.value + found - _fed_from(view, user, without))


def _fed_from(view: View, user: supply.User, givers: frozenset[Hex], closed: lines.Bars | None = None) -> float:
    """Return what units are worth with lines to those who feed them now, or past other barred hexes."""
    limit, side = supply.RANGE_HALVES[user], supply.side_of(user)
    closed = supply.blocked(view, side) if closed is None else closed
    field = lines.trace(supply.counts(view, side), sources=givers, blocked=closed, limit=2 * limit)
    return sum(_fed(other, field.distance(other.here), limit) for other in _troops(view, user))


def _fed(one: Standing, distance: int, limit: int) -> float:
    share = 1.0 if distance <= limit else posts.OUT if distance <= 2 * limit else posts.ISOLATED
    return one.value * (share - NEARER * min(distance, 3 * limit))


def _troops(view: View, user: supply.User) -> tuple[Standing, ...]:
    def some() -> tuple[Standing, ...]:
        return tuple([one for one in of_side(view, supply.side_of(user)) if one.attack and supply.user_of(one.kind) == user])

    return view.derived.get(("bot troops", user), ASPECTS, some)


def _givers_without(view: View, unit: UnitId, user: supply.User) -> frozenset[Hex]:
    """Return the hexes that feed a user without one of its headquarters."""
    kept = {other.here for other in roster(view) if other.kind.kind == "headquarters" and other.unit != unit}
    found = supply.network(view, user)
    return frozenset(giver for giver in found.givers if giver in kept or giver not in found.links)


def _chained(view: View, links: list[Hex], closed: lines.Bars | None = None) -> lines.Chain:
    """Return the chain that depots in these hexes make now, or past other barred hexes."""
    closed = supply.blocked(view, AXIS) if closed is None else closed
    sources, limit = supply.sources(view, "axis"), supply.RANGE_HALVES["axis"]
    return lines.chain(supply.counts(view, AXIS), sources=sources, links=links, blocked=closed, limit=limit)


def _other_depots(view: View, unit: UnitId) -> list[Hex]:
    """Return the hexes of the Axis depots but for one."""
    return [one.here for one in _services(view, "supply_depot", "axis") if one.unit != unit]


def _givers_of(view: View, chain: lines.Chain) -> frozenset[Hex]:
    """Return the hexes that feed the Axis by a chain of depots."""
    return chain.fed | frozenset(supply.sources(view, "axis"))


def _at_risk(view: View, chain: lines.Chain, start: Hex, here: Hex) -> float:
    """Return what partisans put at risk of what hangs on the links of a chain (9.83), one of whose depots has gone to a hex from *start*.

    A link counts the more the more hangs on it, and not at all if a partisan on a railroad can't make it too long.
    """
    if not has_partisans(view):
        return 0.0
    links, counts, limit = dict(chain), supply.counts(view, AXIS), supply.RANGE_HALVES["axis"]
    found, safe = 0.0, dict[Hex, float]()
    for link in reversed(ground.outermost_first(links)):
        line = links[link]
        spare = limit - sum(counts.by_side[6 * one + view.board.side_to(one, two)] for one, two in pairwise(line))
        holds = 1.0 - (STRETCHED[spare] if 0 <= spare < len(STRETCHED) else 0.0)
        safe[link] = holds * safe.get(line[-1], 1.0)
        found += loads(view).get(start if link == here else link, 0.0) * (1.0 - safe[link])
    return found * (1.0 - posts.OUT)


def loads(view: View) -> dict[Hex, float]:
    """Return for each depot and source what the troops are worth that it feeds itself, not over other depots."""
    return view.derived.get("bot loads", ASPECTS, lambda: _loads(view))


def _loads(view: View) -> dict[Hex, float]:
    found: dict[Hex, float] = {}
    network = supply.network(view, "axis")
    for one in _troops(view, "axis"):
        if network.supplies(one.here):
            giver = network.field.path(one.here)[-1]
            found[giver] = found.get(giver, 0.0) + one.value
    return found


def has_partisans(view: View) -> bool:
    """Say whether there are partisans on the map, waiting to be placed, or due so soon that lines must be ready for them (9.81)."""
    return view.derived.get("bot partisans", ASPECTS, lambda: _has_partisans(view))


def _has_partisans(view: View) -> bool:
    if view.position.turn >= _first_partisans(view) - READY:
        return True
    waiting = view.board.box(ARRIVALS)
    units = view.position.units.values()
    return any(view.types[unit.type].kind == "partisan" and (unit.place >= 0 or unit.place == waiting) for unit in units)


def _first_partisans(view: View) -> float:
    """Return the turn on which the first partisans are due by the turn record that both sides see."""
    return view.derived.get("bot first partisans", (), lambda: min(_turns_of_partisans(view), default=math.inf))


def _turns_of_partisans(view: View) -> Iterator[int]:
    for arrival in view.setting.scenario.arrival:
        if any(view.types[kind].kind == "partisan" for kind, _ in arrival.units):
            yield arrival.turn


def _without(view: View, unit: UnitId) -> lines.Field:
    """Return the lines that the Axis would have without one of the depots."""
    return view.derived.get(("bot lines without", unit), ASPECTS, lambda: _trace_without(view, unit))


def _trace_without(view: View, unit: UnitId) -> lines.Field:
    counts, closed = supply.counts(view, AXIS), supply.blocked(view, AXIS)
    sources = _givers_of(view, _chained(view, _other_depots(view, unit)))
    return lines.trace(counts, sources=sources, blocked=closed, limit=2 * supply.RANGE_HALVES["axis"])
