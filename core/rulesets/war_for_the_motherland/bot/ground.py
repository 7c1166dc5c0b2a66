"""What a bot reads off the map for a side: how near the enemy is, what he could bring against a hex, whose lines run where.

Each field is a plain list by hex. It is made anew only when what it was made of changed, so the moves of the side itself cost nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from core.board import Hex
from core.derived import ASPECTS, forces
from core.mechanics import supply as lines
from core.rulesets.war_for_the_motherland import supply, supply_overlay, weather
from core.rulesets.war_for_the_motherland.bot.outlook import neighbours
from core.rulesets.war_for_the_motherland.bot.worth_of_units import Standing, is_near_the_end, of_side
from core.rulesets.war_for_the_motherland.terms import AXIS, SOVIET, is_ea
from core.units import Side
from core.views import View
from core_ext.grid import UNREACHED

FAR = 30  # hexes: whatever is farther counts as that
STRIKES = {False: (0.9, 0.8, 0.5, 0.3), True: (0.9, 0.8, 0.6, 0.45, 0.25)}  # share of an attack, by motorized and hexes away
BESIDE = (0.9, 0.75)  # the same of an enemy that attacks before he moves
MOST_AGAINST = 40.0  # attack that finds room around a hex
LEAST_DRIVE, FULL_DRIVE = 1.2, 1.5  # times the enemy's defence that all own attacks come to: no drive up to there, a full one from there
RAILROADS = 2.5  # what the value counts that hangs on a railroad to a headquarters: who cuts it takes that off the map, too (9.57)
FED_AROUND = 5  # hexes around a depot in which most of those stand that it feeds

Ways = npt.NDArray[np.float32]


def enemies(view: View, side: Side) -> tuple[Standing, ...]:
    """Return the other side's counters."""
    return of_side(view, view.other(side))


def of_enemy(view: View, side: Side) -> tuple[object, ...]:
    """Return what the other side's forces hang on; supply is judged between phases only."""
    position = view.position
    return (view.derived.stamp(forces(view.other(side))), position.turn, position.phase)


# -------------------------------------------------------------------- how near, how strong


def gap(view: View, side: Side) -> list[int]:
    """Return for each hex the way to the nearest enemy that can attack, in hexes over land, at most `FAR`."""
    return view.derived.keep(("bot gap", side), of_enemy(view, side), lambda: _gap(view, side))


def _gap(view: View, side: Side) -> list[int]:
    return ways_to(view, tuple(one.here for one in enemies(view, side) if one.attack))


def screen(view: View, side: Side) -> list[int]:
    """Return for each hex the way to the nearest unit of the side itself that can attack, in hexes over land, at most `FAR`."""
    return view.derived.get(("bot screen now", side), ASPECTS, lambda: _screen(view, side))


def _screen(view: View, side: Side) -> list[int]:
    hexes = tuple(sorted({one.here for one in of_side(view, side) if one.attack}))
    return view.derived.keep(("bot screen", side), (hexes,), lambda: ways_to(view, hexes))


def ways_to(view: View, hexes: tuple[Hex, ...]) -> list[int]:
    """Return for each hex the way to the nearest of some hexes, over land, at most `FAR`."""
    found = lines.trace(over_land(view), sources=hexes, blocked=(), limit=FAR).distances
    return np.minimum(found, FAR).tolist()  # type: ignore[no-any-return]


def over_land(view: View) -> lines.Counts:
    """Return hexsides that count 1 where land units can go and fight over them; ways over land are searched as lines of supply are."""
    return view.derived.get("bot over land", (), lambda: lines.counts_of(view.board, _land_sides(view)))


def _on_foot(view: View) -> lines.Counts:
    """Return hexsides that count 1, and 2 into swamp or mountains, until snow makes all ground alike."""
    if weather.is_snow(view):
        return over_land(view)
    return view.derived.get("bot on foot", (), lambda: lines.counts_of(view.board, _on_foot_sides(view)))


def _on_foot_sides(view: View) -> npt.NDArray[np.int16]:
    found, size = _land_sides(view), view.board.size
    slow = [weather.is_land(view, Hex(i)) and weather.terrain_row(view, Hex(i)).non_motorized > 1 for i in range(size)]
    return np.where((found < lines.CLOSED) & np.array([*slow, False])[view.board.neighbours], 2 * found, found).astype(np.int16)


def _land_sides(view: View) -> npt.NDArray[np.int16]:
    found = np.full(6 * view.board.size, lines.CLOSED, dtype=np.int16)
    for i, near in enumerate(neighbours(view)):
        for there in near:
            found[6 * i + view.board.side_to(Hex(i), there)] = 1
    return found


def strikes(view: View, side: Side) -> list[float]:
    """Return for each hex the attack that enemies could bring against it before the side moves again."""
    return view.derived.keep(("bot strikes", side), of_enemy(view, side), lambda: _strikes(view, side))


def _strikes(view: View, side: Side) -> list[float]:
    found = np.zeros(view.board.size)
    moves_first = side == SOVIET or view.position.phase in ("soviet_combat", "soviet_movement")
    for one in enemies(view, side):
        if one.attack:
            shares = STRIKES[one.kind.motorized] if moves_first else BESIDE
            for share, hexes in zip(shares, rings(view, one.here), strict=False):
                found[hexes] += share * one.attack
    return np.minimum(found, MOST_AGAINST).tolist()  # type: ignore[no-any-return]


def rings(view: View, here: Hex) -> tuple[list[Hex], ...]:
    """Return the hexes at each number of hexes from a hex over land and plain hexsides, up to four."""
    return view.derived.get(("bot rings", here), (), lambda: _rings(view, here))


def _rings(view: View, here: Hex) -> tuple[list[Hex], ...]:
    ring, near = neighbours(view), {here}
    found = [[here]]
    for _ in range(4):
        found.append(sorted({there for one in found[-1] for there in ring[one]} - near))
        near.update(found[-1])
    return tuple(found)


def around(view: View, marked: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return the hexes next to marked ones, over land."""
    ring = view.derived.get("bot ring", (), lambda: _ring(view))
    return np.asarray(np.append(marked, False)[ring].any(axis=1), dtype=np.bool_)


def _ring(view: View) -> npt.NDArray[np.int64]:
    rows = [[*near, *[view.board.size] * (6 - len(near))] for near in neighbours(view)]
    return np.array(rows, dtype=np.int64)


# -------------------------------------------------------------------- who is the stronger


def drive(view: View, side: Side) -> float:
    """Return how far a side drives on, from 0 to 1: makes for distant cities and leaves caution, as long as it is far the stronger.

    It ends with the first snow, and before armies are counted: it goes beyond what lines can feed for long.
    """
    if weather.is_snow(view) or is_near_the_end(view):
        return 0.0
    found = min(1.0, max(0.0, (_superiority(view, side) - LEAST_DRIVE) / (FULL_DRIVE - LEAST_DRIVE)))
    return round(found, 1)


def _superiority(view: View, side: Side) -> float:
    own = sum(one.attack for one in of_side(view, side))
    other = sum(one.defence for one in enemies(view, side) if not is_ea(one.kind))
    return own / max(other, 1.0)


def posture(view: View, side: Side) -> float:
    """Return how much a side may think of attacking, from 0 to 1: by the strength of all, the season, and who the side is."""
    found = min(1.0, max(0.0, (_superiority(view, side) - 0.55) / 0.5))
    if side == AXIS and weather.is_snow(view):
        return found * (0.25 if weather.turn_of(view).winter == 1 else 0.6)  # attrition, and +3 to every die (9.9, 11.27)
    return found * (0.7 if weather.is_mud(view) else 1.0)


# -------------------------------------------------------------------- ways and lines


def away(view: View, here: Hex) -> Ways:
    """Return the way over land from each hex to a hex, in hexes; those in which troops are slow count twice."""
    return view.derived.get(("bot away", here, weather.is_snow(view)), (), lambda: _away(view, here))


def _away(view: View, here: Hex) -> Ways:
    found = lines.trace(_on_foot(view), sources=(here,), blocked=()).distances
    return np.where(found == UNREACHED, np.inf, found).astype(np.float32)


def enemy_lines(view: View, side: Side) -> dict[Hex, float]:
    """Return for each hex what the enemies are worth whose lines of supply run over it."""
    other = view.other(side)
    users = [user for user in supply.USERS if supply.side_of(user) == other]
    fields = (supply.network(view, user).field for user in users)
    of = (*of_enemy(view, side), *fields, *(supply.clean_rail(view, user) for user in users if user != "axis"))
    return view.derived.keep(("bot lines", side), of, lambda: _enemy_lines(view, other))


def _enemy_lines(view: View, other: Side) -> dict[Hex, float]:
    """Return the same with the railroads of Soviet headquarters: one deep in the rear of an army brings others there (13.13)."""
    plain = lifelines(view, other)
    if other != SOVIET or is_near_the_end(view):
        return plain
    found, links = dict(plain), supply.network(view, "soviet").links
    for post in links:
        for here in links[post][1:]:
            found[here] = found.get(here, 0.0) + RAILROADS * plain.get(post, 0.0)
    return found


def lifelines(view: View, side: Side) -> dict[Hex, float]:
    """Return for each hex what the counters of a side are worth whose lines of supply run over it."""
    return view.derived.get(("bot lifelines", side), ASPECTS, lambda: _lifelines(view, side))


def _lifelines(view: View, side: Side) -> dict[Hex, float]:
    found: dict[Hex, float] = {}
    last = 2.0 if is_near_the_end(view) else 1.0
    networks = {user: supply.network(view, user) for user in supply.USERS if supply.side_of(user) == side}
    for one in of_side(view, side):
        if not supply.needs_no_line(one.kind):
            value = one.value * last
            for here in supply_overlay.line_by(view, networks[supply.user_of(one.kind)], one.kind, one.here)[1:]:
                found[here] = found.get(here, 0.0) + value
    for user, network in networks.items():
        if user != "soviet":
            for base in outermost_first(network.links):
                carried = found.get(base, 0.0)
                for here in network.links[base][1:]:
                    found[here] = found.get(here, 0.0) + carried
    return found


def carried(links: Mapping[Hex, tuple[Hex, ...]], loads: Mapping[Hex, float]) -> dict[Hex, float]:
    """Return for each link of a chain what hangs on it, by what each feeds itself."""
    found: dict[Hex, float] = {}
    for base in outermost_first(links):
        found[base] = found.get(base, 0.0) + loads.get(base, 0.0)
        found[links[base][-1]] = found.get(links[base][-1], 0.0) + found[base]
    return found


def outermost_first(links: Mapping[Hex, tuple[Hex, ...]]) -> list[Hex]:
    """Return the links of a chain so that each comes before the one that feeds it: what hangs on them adds up on the way to the source."""
    away = {base: _links_to_source(links, base) for base in links}
    return sorted(links, key=lambda base: (-away[base], base))


def _links_to_source(links: Mapping[Hex, tuple[Hex, ...]], base: Hex) -> int:
    count = 0
    while base in links and links[base][-1] != base:  # a depot may stand on the source itself
        base, count = links[base][-1], count + 1
    return count


def homeward(view: View, user: supply.User) -> lines.Field:
    """Return the lines to whatever feeds a user, however long: the ways on which hungry units come back to it."""
    givers, side = supply.network(view, user).givers, supply.side_of(user)
    of = (supply.counts(view, side), givers, supply.blocked(view, side))
    found: lines.Field = view.derived.keep(
        ("bot homeward", user),
        of,
        lambda: lines.trace(of[0], sources=givers, blocked=of[2]),
        mend=lambda old, was: old.mended(of[2]) if was[:2] == of[:2] else None,
    )
    return found


# -------------------------------------------------------------------- lines that are cut


def mends(view: View, side: Side) -> dict[Hex, float]:
    """Return the hexes in which lines of a side are cut, each with the value that hangs on it.

    A line runs again over a hex in a bare enemy ZOC when a unit of its side stands there, over an enemy's hex when he is gone (9.42).
    """
    return view.derived.get(("bot mends", side), ASPECTS, lambda: _mends(view, side))


def _mends(view: View, side: Side) -> dict[Hex, float]:
    found: dict[Hex, float] = {}
    for user in supply.USERS:
        if supply.side_of(user) == side:
            for here, worth in _mends_of(view, user).items():
                found[here] = found.get(here, 0.0) + worth
    return found


def _mends_of(view: View, user: supply.User) -> dict[Hex, float]:
    network, side = supply.network(view, user), supply.side_of(user)
    users = [one for one in of_side(view, side) if supply.user_of(one.kind) == user]
    hungry = tuple((one.here, one.value) for one in users if one.attack and not network.supplies(one.here))
    depots = tuple(one.here for one in users if one.kind.kind == "supply_depot" and one.here not in network.links) if hungry else ()
    closed = supply.blocked(view, side)
    of = (network.field, hungry, depots, closed)
    return view.derived.keep(("bot mends of", user), of, lambda: _make_mends(view, user, hungry, depots))


def _make_mends(view: View, user: supply.User, hungry: tuple[tuple[Hex, float], ...], depots: tuple[Hex, ...]) -> dict[Hex, float]:
    if not hungry:
        return {}
    side, network = supply.side_of(user), supply.network(view, user)
    closed = supply.blocked(view, side)
    found: dict[Hex, float] = {}
    open_field = lines.trace(supply.counts(view, side), sources=network.givers, blocked=())
    ends = list(hungry)
    for depot in depots:
        ends.append((depot, sum(value for here, value in hungry if view.board.distance(here, depot) <= FED_AROUND)))
    for here, value in ends:
        if open_field.distance(here) <= network.range_halves:
            cut = [there for there in open_field.path(here)[1:] if there in closed]
            for there in cut:
                found[there] = found.get(there, 0.0) + value / len(cut) ** 2
    return found
