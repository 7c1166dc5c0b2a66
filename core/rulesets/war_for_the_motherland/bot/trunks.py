"""Where the depots of the Axis belong in a drive: on trunk lines, along the railroads from its sources to the cities that count.

The trunks are one tree. On each, depots stand at even distances as far as troops with a line have come, and some hexes beyond: so they
come up before they are needed. The trunk that feeds most for each depot comes first, as long as depots are left; so each army group keeps
its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import msgspec
import numpy as np
import numpy.typing as npt

from core.board import Hex
from core.derived import ASPECTS
from core.mechanics import supply as lines
from core.rulesets.war_for_the_motherland import supply, victory
from core.rulesets.war_for_the_motherland.bot import ground
from core.rulesets.war_for_the_motherland.bot.worth_of_units import Standing, of_side
from core.rulesets.war_for_the_motherland.terms import AXIS
from core.units import UnitId
from core.views import View

CLOSE = 8  # half hexes from a source within which a city needs no trunk
PLAIN, BY_CITIES, NEAR_CITY = 4, 3, 2  # what half a hex counts for a trunk, and less so many hexes around cities: it goes from city to city
SPACING = 7  # half hexes between two depots: one less than a line may have, for a partisan (9.83)
WITH_TROOPS = 2  # hexes from troops with a line that a trunk is followed
LEAD = 6  # hexes of the trunk beyond that over which depots are laid out
COVERED = 4  # hexes around a depot in which it feeds troops
LEAST = 3.0  # value of troops that each depot of a trunk is to feed


class Trunk(msgspec.Struct, frozen=True):
    """A way along railroads from a source to a city, source first; *halves* is how far each hex lies from the source."""

    goal: Hex
    points: int
    way: tuple[Hex, ...]
    halves: tuple[int, ...]


def off_place(view: View, unit: UnitId, here: Hex) -> float | None:
    """Return the way from a hex to the place that a depot has on the trunks; `None` for one that has none."""
    there = places(view).get(unit)
    return None if there is None else float(ground.away(view, there)[here])


def places(view: View) -> dict[UnitId, Hex]:
    """Return which depot belongs where; nothing unless the Axis drives on."""
    return view.derived.get("bot places of depots", ASPECTS, lambda: _places(view))


# -------------------------------------------------------------------- the trunks


def trunks(view: View) -> tuple[Trunk, ...]:
    """Return the trunks to all cities that count and are not close to a source, those to the greatest first."""
    return view.derived.get("bot trunks", (), lambda: _trunks(view))


def _trunks(view: View) -> tuple[Trunk, ...]:
    board, rules = view.board, view.setting.scenario.rules
    sources = [label for label in rules.get("axis_sources", ()) if label not in rules.get("not_for_arrivals", ()) and board.has(label)]
    cities = {board.hex(label): points for label, points in victory.conditions(view).cities.items() if board.has(label)}
    counts = _counts(view)
    field = lines.trace(_by_cities(view, counts, tuple(cities)), sources=[board.hex(label) for label in sources], blocked=())
    found = []
    for goal, points in cities.items():
        if field.reaches(goal):
            way = field.path(goal)[::-1]
            halves = _halves(view, counts, way)
            if halves[-1] > CLOSE:
                found.append(Trunk(goal, points, way, halves))
    return tuple(sorted(found, key=lambda one: (-one.points, one.goal)))


def _counts(view: View) -> npt.NDArray[np.int32]:
    """Return what lines count where nobody hinders them and no snow lies, in half hexes (9.43, 9.45)."""
    rail = view.board.mask("rail")
    found = ground.over_land(view).by_side.astype(np.int32)
    found[found < lines.CLOSED] = lines.WHOLE
    found[view.board.mask("major_river") & ~rail] = lines.CLOSED
    return np.where(rail & (found < lines.CLOSED), lines.HALF, found)


def _by_cities(view: View, counts: npt.NDArray[np.int32], cities: tuple[Hex, ...]) -> lines.Counts:
    near = np.zeros(view.board.size, dtype=bool)
    for here in cities:
        near[list(view.board.within(here, NEAR_CITY))] = True
    weights = np.where(near[view.board.neighbours], BY_CITIES, PLAIN)
    return lines.counts_of(view.board, np.where(counts < lines.CLOSED, weights * counts, lines.CLOSED))


def _halves(view: View, counts: npt.NDArray[np.int32], way: tuple[Hex, ...]) -> tuple[int, ...]:
    found = [0]
    for one, two in pairwise(way):
        found.append(found[-1] + int(counts[6 * one + view.board.side_to(one, two)]))
    return tuple(found)


# -------------------------------------------------------------------- how far, and how many


def wanted(view: View) -> tuple[Hex, ...]:
    """Return the places of depots on the trunks, not more than there are depots."""
    return view.derived.get("bot wanted places", ASPECTS, lambda: _wanted(view))


def _wanted(view: View) -> tuple[Hex, ...]:
    if not ground.drive(view, AXIS):
        return ()
    ends, most = {trunk.goal: _end(view, trunk) for trunk in trunks(view)}, len(_depots(view))
    found: list[Hex] = []
    left = list(trunks(view))
    while left and len(found) < most:
        new = {trunk.goal: _new_places(trunk, ends[trunk.goal], found) for trunk in left}
        best = max(left, key=lambda trunk: _gain(view, new[trunk.goal], found))
        if _gain(view, new[best.goal], found) < LEAST:
            break
        left.remove(best)
        found += new[best.goal]
    return tuple(found[:most])


def _gain(view: View, new: Sequence[Hex], found: Sequence[Hex]) -> float:
    """Return the value of troops that new places would feed, for each of them."""
    if not new:
        return 0.0
    distance = view.board.distance
    fresh = [one for one in _troops(view) if all(distance(one.here, there) > COVERED for there in found)]
    return sum(one.value for one in fresh if any(distance(one.here, there) <= COVERED for there in new)) / len(new)


def _new_places(trunk: Trunk, end: int, found: Sequence[Hex]) -> list[Hex]:
    """Return the places that a trunk takes beyond the last that another has on it, at even distances up to its end."""
    anchor = max((number for number, here in enumerate(trunk.way[: end + 1]) if here in found), default=0)
    start, total = trunk.halves[anchor], trunk.halves[end] - trunk.halves[anchor]
    need, places = math.ceil(total / SPACING), list[Hex]()
    for number in range(1, need + 1):
        at = max(i for i in range(anchor, end + 1) if need * (trunk.halves[i] - start) <= total * number)
        if trunk.way[at] not in (*found, *places):
            places.append(trunk.way[at])
    return places


def _end(view: View, trunk: Trunk) -> int:
    """Return the number of the last hex of a way over which depots are laid out."""
    near, gap = _ways_to_fed(view), ground.gap(view, AXIS)
    end = max((number for number, here in enumerate(trunk.way) if near[here] <= min(WITH_TROOPS, gap[here] - 2)), default=0)
    return min(end + LEAD, len(trunk.way) - 1) if end else 0


def _ways_to_fed(view: View) -> list[int]:
    """Return for each hex the way to the nearest troops with a line: who has run ahead of it draws no depot."""
    return view.derived.get("bot ways to fed", ASPECTS, lambda: _find_ways_to_fed(view))


def _find_ways_to_fed(view: View) -> list[int]:
    network = supply.network(view, "axis")
    hexes = tuple(sorted({one.here for one in _troops(view) if network.supplies(one.here)}))
    return view.derived.keep("bot ways to these", (hexes,), lambda: ground.ways_to(view, hexes))


def _troops(view: View) -> list[Standing]:
    return [one for one in of_side(view, AXIS) if one.attack and supply.user_of(one.kind) == "axis"]


def _depots(view: View) -> list[Standing]:
    return [one for one in of_side(view, AXIS) if one.kind.kind == "supply_depot"]


# -------------------------------------------------------------------- who goes where


def _places(view: View) -> dict[UnitId, Hex]:
    """Give each place to a depot so that long ways are few: the nearest first, then by exchanges."""
    ways = {(one.unit, there): float(ground.away(view, there)[one.here]) ** 2 for one in _depots(view) for there in wanted(view)}
    found: dict[UnitId, Hex] = {}
    for _, there, unit in sorted((way, there, unit) for (unit, there), way in ways.items()):
        if unit not in found and there not in found.values():
            found[unit] = there
    while any(_exchange(found, ways, one, two) for one in found for two in found if one < two):
        pass
    return found


def _exchange(found: dict[UnitId, Hex], ways: dict[tuple[UnitId, Hex], float], one: UnitId, two: UnitId) -> bool:
    """Let two depots change places if that makes their ways shorter; say whether they did."""
    here, there = found[one], found[two]
    if ways[one, there] + ways[two, here] >= ways[one, here] + ways[two, there]:
        return False
    found[one], found[two] = there, here
    return True
