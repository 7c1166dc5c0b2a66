"""Supply read from the text once more, hexside by hexside: without kernels, without anything kept, for comparison with the game's.

Rules: 4.21, 4.24, 5.26, 9.2 to 9.6, 9.83, 9.85, 11.24; the readings of them are the game's.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator

from core.board import Hex
from core.units import Side, Unit, UnitType
from core.views import View

AXIS: Side = "axis"
SOVIET: Side = "soviet"
MARKERS = ("air_fleet", "partisan")
WITHOUT_ZOC = ("airbase", "headquarters", "osg", "siege_artillery", "supply_depot", "factory", "oil_field")
FOUR, SIX = 8, 12  # hexes, in halves (9.21, 9.31)
FAR = 10_000


def on_map(view: View, *kinds: str) -> list[tuple[Unit, UnitType]]:
    """Return the counters on the map, of these kinds or all."""
    found = [(unit, view.types[unit.type]) for unit in view.position.on_map()]
    return [(unit, kind) for unit, kind in found if not kinds or kind.kind in kinds]


def units(view: View, here: Hex, side: Side) -> list[tuple[Unit, UnitType]]:
    """Return a side's units in a hex; fleets and partisans are markers (5.32)."""
    return [(unit, kind) for unit, kind in on_map(view) if (unit.place, kind.side) == (here, side) and kind.kind not in MARKERS]


def other(side: Side) -> Side:
    """Return the enemy."""
    return SOVIET if side == AXIS else AXIS


def is_land(view: View, here: Hex) -> bool:
    """Say whether there is land."""
    return view.board.facts[here].terrain not in ("sea", "lake")


# -------------------------------------------------------------------- zones of control (4.2, 5.26)


def has_zoc(view: View, unit: Unit, kind: UnitType) -> bool:
    """Say whether a unit has a ZOC: all have but services, EA and a lone infantry KG that prints 1 (4.21)."""
    if kind.kind in (*WITHOUT_ZOC, *MARKERS):
        return False
    if (unit.type, unit.steps) != ("ger_infantry_kg", 1):
        return True
    return any(one.id != unit.id and of.faces[0].attack > 0 for one, of in units(view, Hex(unit.place), kind.side))


def zone(view: View, side: Side, *, snow: bool) -> frozenset[Hex]:
    """Return the hexes in a side's ZOC: not over water, but over frozen ice roads by Soviets without tanks (4.24, 5.26)."""
    found = set()
    for unit, kind in on_map(view):
        if kind.side == side and has_zoc(view, unit, kind):
            on_ice = snow and side == SOVIET and kind.kind not in ("tank", "mechanized")
            here = Hex(unit.place)
            for there in view.board.adjacent[here]:
                water = view.board.side_has(here, there, "lake", "causeway", "ice_road")
                if not water or (on_ice and view.board.side_has(here, there, "ice_road")):
                    found.add(there)
    return frozenset(found)


# -------------------------------------------------------------------- lines (9.4, 9.83)


def passable(view: View, side: Side, *, snow: bool) -> frozenset[Hex]:
    """Return the hexes that a line may enter: no enemy there, and no enemy ZOC without a friend (9.42)."""
    enemy_zone, board = zone(view, other(side), snow=snow), view.board
    hexes = [Hex(i) for i in range(board.size) if is_land(view, Hex(i))]
    free = [here for here in hexes if not units(view, here, other(side))]
    return frozenset(here for here in free if here not in enemy_zone or units(view, here, side))


def count(view: View, side: Side, here: Hex, there: Hex, *, snow: bool) -> int:
    """Return the half hexes that entering *there* counts, `FAR` where no line goes (9.43 to 9.46, 9.83, 9.85)."""
    has, fact = view.board.side_has, view.board.facts[there]
    if has(here, there, "lake") or (has(here, there, "ice_road") and not (snow and side == SOVIET)):
        return FAR
    partisan = side == AXIS and any(unit.place == there for unit, _ in on_map(view, "partisan")) and not units(view, there, AXIS)
    if has(here, there, "rail"):
        return 2 if partisan else 1
    if has(here, there, "major_river"):
        return FAR
    hard = not fact.city and not fact.features and (fact.terrain == "tundra" or (fact.terrain == "swamp" and not snow))
    return 4 if partisan or hard else 2


def lines(view: View, side: Side, goals: Iterable[Hex], *, snow: bool) -> dict[Hex, int]:
    """Return the half hexes from each hex to the nearest goal; a line may begin in a hex that none may enter (9.41)."""
    free, found = passable(view, side, snow=snow), dict[Hex, int]()
    edge = [(0, goal) for goal in goals if goal in free]
    heapq.heapify(edge)
    while edge:
        halves, there = heapq.heappop(edge)
        if there in found:
            continue
        found[there] = halves
        if there in free:
            for here in view.board.adjacent[there]:
                step = count(view, side, here, there, snow=snow)
                if step < FAR and is_land(view, here):
                    heapq.heappush(edge, (halves + step, here))
    return found


def railroads(view: View, side: Side, sources: Iterable[Hex], *, snow: bool) -> frozenset[Hex]:
    """Return the hexes with an open railroad to a source (9.47)."""
    free = passable(view, side, snow=snow)
    todo = [source for source in sources if source in free]
    found = set(todo)
    while todo:
        here = todo.pop()
        near = [there for there in view.board.adjacent[here] if view.board.side_has(here, there, "rail")]
        new = [there for there in near if there in free and there not in found]
        found.update(new)
        todo += new
    return frozenset(found)


# -------------------------------------------------------------------- states (9.2, 9.3, 9.5, 9.6)


def linked(view: View, sources: Iterable[Hex], *, snow: bool) -> list[Hex]:
    """Return the sources, and the depots that are chained to them by links of four hexes (9.21, 9.22)."""
    fed = list(sources)
    while True:
        near = lines(view, AXIS, fed, snow=snow)
        new = [Hex(depot.place) for depot, _ in on_map(view, "supply_depot") if near.get(Hex(depot.place), FAR) <= FOUR]
        if set(new) <= set(fed):
            return fed
        fed += sorted(set(new) - set(fed))


def states(view: View, axis: Iterable[Hex], soviet: Iterable[Hex], *, snow: bool) -> Iterator[tuple[Unit, str]]:
    """Yield each unit with its state, the sources of the sides being given; Rumanians live off the Axis' by rail (D-79)."""
    rails = {AXIS: railroads(view, AXIS, axis, snow=snow), SOVIET: railroads(view, SOVIET, soviet, snow=snow)}
    staffs = [(Hex(staff.place), kind.side) for staff, kind in on_map(view, "headquarters")]
    fed = {side: [here for here, of in staffs if of == side and here in rails[side]] for side in rails}
    from_staff = {side: lines(view, side, fed[side], snow=snow) for side in rails}
    from_depot = lines(view, AXIS, linked(view, axis, snow=snow), snow=snow)
    for unit, kind in on_map(view):
        if kind.kind == "headquarters":
            yield unit, "supplied" if unit.place in rails[kind.side] else "out"
        elif kind.kind not in MARKERS:
            near = from_depot if kind.side == AXIS and kind.nation != "rumanian" else from_staff[kind.side]
            yield unit, state(view, unit, kind, near.get(Hex(unit.place), FAR))


def state(view: View, unit: Unit, kind: UnitType, halves: int) -> str:
    """Return the state of a unit whose line has this length (9.25, 9.33, 9.34, 9.51, 9.55, 9.56, 9.58, 9.61)."""
    reach, here = FOUR if kind.side == AXIS else SIX, Hex(unit.place)
    if halves <= reach or kind.kind in ("supply_depot", "factory", "oil_field"):
        return "supplied"
    if kind.kind in ("airbase", "osg"):
        return "out"
    fleets = [view.board.distance(Hex(fleet.place), here) <= of.values["azoi"] for fleet, of in on_map(view, "air_fleet")]
    works = [factory.place == here for factory, _ in on_map(view, "factory")]
    if any(fleets) if kind.nation == "german" else kind.side == SOVIET and any(works):
        return "lack"
    return "out" if halves <= 2 * reach else "isolated"
