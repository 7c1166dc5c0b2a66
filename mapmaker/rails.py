"""Railways from hex to hex: through the hexes of their towns and junctions, between them as near to the line as can be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import shapely

from mapmaker.banks import bank, beside
from mapmaker.draft import RIVERS, Draft, RailFact
from mapmaker.grid import Floats, Spot
from mapmaker.lattice import Side, side
from mapmaker.matching import STEP, Ends, Move, follow, near, resample
from mapmaker.sources import Railway, River, Station

REACH = 1.0  # a hex whose centre is further from the line than this can't stand for it
WINDOW = 2.5  # one step from hex to hex stands for at most so much of the line
NEAR_STATION = 0.95  # hexes: so far from its station a line may end
NEW_TRACK = 0.08  # what a hexside costs that no railway crosses yet: lines that run side by side share hexes
NO_BRIDGE = 0.35  # what a hexside costs beneath which flows a river that the railway doesn't cross near by
OTHER_BANK = 0.45  # hexes: so much further off may be the hex of a junction to lie on its own bank of a river
ON_RIVER = 0.05  # hexes: nearer to a river than this a station's bank is not known
BRIDGE_WITHIN = 1.5  # hexes between the middle of a hexside and the true bridge that it stands for


class Stretch(NamedTuple):
    """A part of a line between two fixed hexes, or to the map's edge (None)."""

    start: Spot | None
    end: Spot | None
    points: Floats
    opened: str


class Watercourse(NamedTuple):
    """A river: its true course, and the corners that it passes on the map."""

    bed: shapely.LineString
    laid: Floats


def lay_railways(draft: Draft, railways: Iterable[Railway], shared: frozenset[str], rivers: Iterable[River] = ()) -> None:
    """Add all railways of the map to *draft*; *shared* are the stations that several lines have in common.

    *rivers* tell which bridges there were: a railway keeps to its bank where it can.
    """
    grid = draft.lattice.grid
    beds = {river.name: shapely.LineString(grid.forward(river.lon, river.lat)) for river in rivers}
    near_by = _rivers_by_hex(draft, beds)
    for railway in sorted(railways, key=lambda line: (-_on_map(draft, line), line.id)):
        points = grid.forward(*degrees(railway.stations))
        for stretch in _stretches(draft, railway, points, shared, near_by):
            _lay(draft, railway, stretch, beds)


def junctions(railways: Iterable[Railway]) -> frozenset[str]:
    """Return the stations where lines meet or end."""
    count: dict[str, int] = {}
    for railway in railways:
        for i, station in enumerate(railway.stations):
            terminus = i in (0, len(railway.stations) - 1)
            count[station.name] = count.get(station.name, 0) + (2 if terminus else 1)
    return frozenset(name for name, times in count.items() if times > 1)


def mark_termini(draft: Draft, railways: Iterable[Railway]) -> None:
    """Mark the nameless hexes where a railway ends as it did in truth, or as a correction says: so a reader knows that it is meant."""
    lines = list(railways)
    shared = junctions(lines)
    ends = draft.lattice.grid.forward(*degrees([s for line in lines for s in line.stations if s.name in shared]))
    for spot, ways in draft.rail_ways().items():
        if ways == 1 and spot in draft.hexes and not draft.hexes[spot].name:
            gap = np.hypot(*(ends - draft.lattice.grid.centre(spot)).T).min()
            if gap <= NEAR_STATION or spot in draft.corrected_rails:
                draft.hexes[spot].features.add("terminus")


def degrees(stations: Iterable[Station]) -> tuple[Floats, Floats]:
    """Return the longitudes and the latitudes of stations."""
    lonlat = np.array([(station.lon, station.lat) for station in stations])
    return lonlat[:, 0], lonlat[:, 1]


def _on_map(draft: Draft, railway: Railway) -> int:
    grid = draft.lattice.grid
    return sum(grid.spot_at(station.lon, station.lat) in draft.lattice.index for station in railway.stations)


def _stretches(
    draft: Draft, railway: Railway, points: Floats, shared: frozenset[str], near_by: Mapping[Spot, Sequence[Watercourse]]
) -> Iterator[Stretch]:
    """Cut a line at its fixed hexes, at the map's edge, and where its date of opening changes."""
    fixed = [_fixed_hex(draft, station, points[i], shared, near_by) for i, station in enumerate(railway.stations)]
    inside = [draft.lattice.grid.nearest(*point) in draft.lattice.index for point in points]
    start = 0
    for i in range(1, len(points)):
        dates_differ = i + 1 < len(points) and railway.stations[i + 1].opened != railway.stations[i].opened
        if fixed[i] is None and i + 1 < len(points) and not dates_differ and inside[i] == inside[i - 1]:
            continue
        if dates_differ and fixed[i] is None and inside[i]:
            fixed[i] = _land_near(draft, points[i], near_by)
        if any(inside[start : i + 1]):
            yield Stretch(fixed[start], fixed[i], points[start : i + 1], railway.stations[i].opened)
        start = i


def _fixed_hex(
    draft: Draft, station: Station, point: Floats, shared: frozenset[str], near_by: Mapping[Spot, Sequence[Watercourse]]
) -> Spot | None:
    """Return the hex that a station must be in: that of its town, or, where lines meet, its own."""
    if draft.lattice.grid.nearest(*point) not in draft.lattice.index:
        return None
    town = draft.town_at(point, station.name)
    if town is not None:
        return town
    return _land_near(draft, point, near_by) if station.name in shared else None


def _land_near(draft: Draft, point: Floats, near_by: Mapping[Spot, Sequence[Watercourse]]) -> Spot | None:
    """Return the land hex nearest to a point, one on its own banks if there is any near enough; None if all around is water."""
    here = draft.lattice.grid.nearest(*point)
    land = [spot for spot in (here, *draft.lattice.around.get(here, ())) if draft.is_land(spot)]

    def price(spot: Spot) -> float:
        centre = np.array(draft.lattice.grid.centre(spot))
        across = sum(_lies_between(river, point, centre) for river in near_by.get(spot, ()))
        return float(np.hypot(*(centre - point))) + OTHER_BANK * across

    return min(land, key=price, default=None)


def _rivers_by_hex(draft: Draft, beds: Mapping[str, shapely.LineString]) -> dict[Spot, list[Watercourse]]:
    """Return the rivers at the hexsides and corners of each hex."""
    found: dict[Spot, list[Watercourse]] = {}
    for course in draft.courses:
        if course.name in beds:
            river = Watercourse(beds[course.name], draft.lattice.corner_xy[list(course.corners)])
            for spot in {spot for corner in course.corners for spot in draft.lattice.hexes_at[corner]}:
                found.setdefault(spot, []).append(river)
    return found


def _lies_between(river: Watercourse, point: Floats, centre: Floats) -> bool:
    """Say whether a river has a hex on one bank, and in truth the point on the other."""
    if river.bed.distance(shapely.Point(point)) <= ON_RIVER or not beside(river.laid, centre):
        return False
    true = shapely.get_coordinates(river.bed)
    return beside(true, point) and bank(true, point) != bank(river.laid, centre)


def _lay(draft: Draft, railway: Railway, stretch: Stretch, beds: Mapping[str, shapely.LineString]) -> None:
    """Find the way of a stretch and enter it."""
    if stretch.start is not None and stretch.start == stretch.end:
        return
    lattice = draft.lattice
    line, _ = resample(stretch.points)
    on_map = np.array([lattice.grid.nearest(*point) in lattice.index for point in line])
    if not on_map.any():
        return
    first, last = int(on_map.argmax()), len(line) - 1 - int(on_map[::-1].argmax())
    line = line[first : last + 1]
    if len(line) < 2:
        return
    close = {i for i in near(lattice.xy, line, REACH) if draft.is_land(lattice.spots[i])}
    close |= {lattice.index[spot] for spot in (stretch.start, stretch.end) if spot is not None}
    nodes = {i: (float(lattice.xy[i, 0]), float(lattice.xy[i, 1])) for i in close}
    ends = Ends(
        first=None if stretch.start is None else frozenset({lattice.index[stretch.start]}),
        last=None if stretch.end is None else frozenset({lattice.index[stretch.end]}),
        loose=(0.0 if stretch.start is not None else STEP, 0.0 if stretch.end is not None else STEP),
    )
    true = shapely.LineString(stretch.points)
    at_edge = stretch.start is None or stretch.end is None  # where it leaves the map nothing says which bank it leads to
    bridges = {} if at_edge else {name: shapely.intersection(true, bed) for name, bed in beds.items()}
    walk = follow(line, nodes, lambda i: _moves(draft, i, nodes, bridges), reach=REACH + 0.6, window=WINDOW, ends=ends)
    if walk is None:
        if stretch.start is not None and stretch.end is not None:
            draft.unmade.append(f"railway {railway.id} {railway.name}: no way between {stretch.start} and {stretch.end}")
        return
    for key in walk.keys:
        assert isinstance(key, tuple)
        _enter(draft, key, railway, stretch.opened)


def _moves(
    draft: Draft, i: int, nodes: dict[int, tuple[float, float]], bridges: Mapping[str, shapely.Geometry]
) -> Iterator[Move]:
    """Yield the steps out of a hex over hexsides that aren't water; *bridges*: river → where the line crosses it."""
    here = draft.lattice.spots[i]
    for there in draft.lattice.around[here]:
        j = draft.lattice.index[there]
        crossed: Side = side(here, there)
        if j not in nodes or draft.has_side(crossed, "sea", "lake"):
            continue
        (x0, y0), (x1, y1) = draft.lattice.grid.centre(here), draft.lattice.grid.centre(there)
        middle = ((x0 + x1) / 2, (y0 + y1) / 2)
        price = (0.0 if crossed in draft.rails else NEW_TRACK) + NO_BRIDGE * _unbridged(draft, crossed, middle, bridges)
        yield Move(j, middle, 1.0, crossed, price)


def _unbridged(draft: Draft, crossed: Side, middle: tuple[float, float], bridges: Mapping[str, shapely.Geometry]) -> int:
    """Count the rivers of a hexside that the true line crosses nowhere near; one that no geography knows has its bridges."""
    names = {fact.name for kind, fact in draft.sides.get(crossed, {}).items() if kind in RIVERS}
    point = shapely.Point(middle)
    return sum(name in bridges and not shapely.dwithin(bridges[name], point, BRIDGE_WITHIN) for name in names)


def _enter(draft: Draft, crossed: Side, railway: Railway, opened: str) -> None:
    """Note that a line crosses a hexside; the earliest opening holds."""
    fact = draft.rails.get(crossed)
    if fact is None:
        draft.rails[crossed] = RailFact([railway.id], opened, railway.name)
        return
    fact.opened = min(fact.opened, opened)
    if railway.id not in fact.lines:
        fact.lines.append(railway.id)
        fact.note = f"{fact.note}; {railway.name}"
