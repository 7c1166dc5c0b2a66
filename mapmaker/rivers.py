"""Rivers along hexsides: the greater first, tributaries up to the hexsides of the river they join."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import shapely

from core.errors import BadInput
from mapmaker.banks import bank
from mapmaker.corrections import Correction
from mapmaker.draft import Course, Draft
from mapmaker.grid import ROOT3, Floats, Spot
from mapmaker.lattice import Corner, Side
from mapmaker.matching import STEP, Ends, Move, Walk, follow, near, resample
from mapmaker.settings import RiverRules
from mapmaker.sources import Place, River

SMOOTHING = 0.12  # meanders smaller than this (in hexes) are ironed out
REACH = 0.95  # a corner further from the river than this can't stand for it
WINDOW = 1.75  # one hexside stands for at most so much of the river
LOOSE_SOURCE, LOOSE_MOUTH, LOOSE_EDGE = 1.5, 1.5, 0.75
JOINS_WITHIN = 0.45  # a mouth this near to another river is a confluence
CONFLUENCE = 1.4  # a tributary may join this far from the true confluence
SHORE_PRICE = 0.15  # for each hexside along a shore: rivers reach the shore, they don't follow it
WRONG_BANK = 1.5  # for each hexside that leaves a town on the wrong bank, and as much again for each size of the town
ASKED_BANK = 20.0  # for each hexside against a correction
SHORTEST_RUN = 3  # samples
BANK_WITHIN = 1.4  # towns further off have no bank


class Run(NamedTuple):
    """A part of a river on the lattice, evenly sampled, with the true vertex that each sample stands at.

    *from_edge*, *to_edge*: it is cut at the map's edge at its start, at its end.
    """

    line: Floats
    vertex: Floats
    from_edge: bool
    to_edge: bool


class Bed(NamedTuple):
    """A river in the board plane: its true points, and where each was major."""

    river: River
    points: Floats
    line: shapely.Geometry
    major: tuple[bool, ...]


class _Layer:
    """Lays rivers one after the other: *taken* are the corners of those that lie already, by river."""

    def __init__(self, draft: Draft, places: Mapping[str, Place]) -> None:
        self.draft, self.places = draft, places
        self.taken: dict[str, set[Corner]] = {}
        ends = draft.lattice.ends.items()
        self.shore = frozenset(corner for side, pair in ends if draft.is_wet(side) for corner in pair)

    def follow(self, bed: Bed, run: Run, parent: str, asked: Iterable[Correction]) -> Walk | None:
        """Find the way of one run along hexsides."""
        corner_xy = self.draft.lattice.corner_xy
        close = near(corner_xy, run.line[::2], REACH + STEP)
        nodes = {corner: (float(corner_xy[corner, 0]), float(corner_xy[corner, 1])) for corner in close}
        closed = frozenset(corner for corners in self.taken.values() for corner in corners)
        joined = frozenset(self.taken.get(parent, ()))
        banks = {**_banks(self.draft, bed, self.places), **dict(_asked_bank(self.draft, one) for one in asked)}
        moves = partial(_moves, self.draft, nodes, banks)
        # Where another tributary bars the way to the confluence the river ends at that one, if need be much earlier.
        for goals, early in ((joined, LOOSE_MOUTH), (closed, LOOSE_MOUTH), (None, len(run.line) * STEP / 2)):
            ends = Ends(
                first=frozenset(nodes) - closed,
                last=self._last(run, nodes, goals, closed),
                closed=closed,
                loose=(LOOSE_EDGE if run.from_edge else LOOSE_SOURCE, LOOSE_EDGE if run.to_edge else early),
            )
            walk = follow(run.line, nodes, moves, reach=REACH, window=WINDOW, ends=ends)
            if walk is not None:
                return walk
        return None

    def _last(
        self, run: Run, nodes: Mapping[Corner, object], goals: frozenset[Corner] | None, closed: frozenset[Corner]
    ) -> frozenset[Corner] | None:
        """Return where a run may end: at *goals* near its mouth or the shore; without goals at any river."""
        if run.to_edge:
            return None
        if goals is None:
            return closed & nodes.keys()
        return _mouths(self.draft.lattice.corner_xy, nodes, run.line[-1], goals, self.shore)

    def write(self, bed: Bed, run: Run, walk: Walk) -> None:
        """Enter a walk's hexsides, but for those in the water."""
        self.taken.setdefault(bed.river.name, set()).update(walk.nodes)
        sides: list[Side] = []
        kinds: list[str] = []
        for key, sample in zip(walk.keys, walk.samples, strict=True):
            assert isinstance(key, tuple)
            sides.append(key)
            kinds.append("major_river" if bed.major[int(run.vertex[sample])] else "minor_river")
            if not self.draft.is_wet(key):
                self.draft.add_side(key, kinds[-1], bed.river.name)
        self.draft.courses.append(Course(bed.river.name, walk.nodes, tuple(sides), tuple(kinds)))


def lay_rivers(
    draft: Draft,
    rivers: Sequence[River],
    places: Mapping[str, Place],
    rules: RiverRules,
    corrections: Iterable[Correction] = (),
) -> list[str]:
    """Add all rivers of the map to *draft*, hexside by hexside; return a line for each idle correction of a bank."""
    beds = {river.name: _bed(draft, river, places, rules) for river in rivers if river.name not in rules.left_out}
    asked = [one for one in corrections if one.kind() == "bank"]
    idle = [f"correction {one} — unknown river" for one in asked if one.river not in beds]
    layer = _Layer(draft, places)
    for name, parent in _greater_first(beds):
        mine = [one for one in asked if one.river == name]
        useful: set[Correction] = set()
        for run in _runs_inside(draft, beds[name]):
            walk = layer.follow(beds[name], run, parent, mine)
            for one in mine:
                if walk != layer.follow(beds[name], run, parent, [other for other in mine if other is not one]):
                    useful.add(one)
            if walk is None:
                if len(run.line) * STEP > rules.shortest:
                    draft.notes.append(f"river {name}: left out, its valley's hexsides belong to other rivers")
            elif name in rules.kept or len(walk.keys) / ROOT3 >= rules.shortest or run.from_edge or run.to_edge:
                layer.write(beds[name], run, walk)
        idle += [f"correction {one} — changes nothing" for one in mine if one not in useful]
    return idle


def _bed(draft: Draft, river: River, places: Mapping[str, Place], rules: RiverRules) -> Bed:
    """Return a river in the plane, with its classes by the game's rules."""
    points = draft.lattice.grid.forward(river.lon, river.lat)
    major = river.major
    if rules.major_from:
        start = len(points)
        where = rules.major_from.get(river.name)
        if where == "source":
            start = 0
        elif where is not None and where not in places:
            raise BadInput.one(f"build.toml: rivers.major_from: {river.name}", "a town of places.tsv", where)
        elif where is not None:
            town = draft.lattice.grid.point(places[where].lon, places[where].lat)
            start = int(np.hypot(*(points - town).T).argmin())
        major = tuple(i >= start for i in range(len(points)))
    return Bed(river, points, shapely.LineString(points), major)


def _asked_bank(draft: Draft, one: Correction) -> tuple[Spot, float]:
    """Return the hex and the price of the bank that a correction asks for."""
    return draft.lattice.grid.spot(one.hex), ASKED_BANK * (1.0 if one.bank == "right" else -1.0)


def _greater_first(beds: dict[str, Bed]) -> list[tuple[str, str]]:
    """Return river names, each with the river that it joins (or ""), so that the joined one comes first."""
    parents = {name: _parent(name, beds) for name in beds}
    order: list[tuple[str, str]] = []
    done: set[str] = set()

    def add(name: str, seen: frozenset[str]) -> None:
        parent = parents[name]
        if parent in seen:  # two rivers that end at each other
            parents[name] = parent = ""
        if parent and parent not in done:
            add(parent, seen | {name})
        if name not in done:
            done.add(name)
            order.append((name, parents[name]))

    for name in sorted(beds, key=lambda name: (-beds[name].line.length, name)):
        add(name, frozenset({name}))
    return order


def _parent(name: str, beds: dict[str, Bed]) -> str:
    """Return the river that *name* joins; empty if it reaches the sea, a lake, or sand."""
    mouth = shapely.Point(beds[name].points[-1])
    joined = [
        (mouth.distance(bed.line), other)
        for other, bed in beds.items()
        if other != name and mouth.distance(bed.line) < JOINS_WITHIN
    ]
    return min(joined)[1] if joined else ""


def _runs_inside(draft: Draft, bed: Bed) -> Iterator[Run]:
    """Yield the river's runs on the lattice."""
    smooth = shapely.simplify(bed.line, SMOOTHING)
    line, _ = resample(np.array(smooth.coords))
    travelled = np.array([bed.line.project(shapely.Point(point)) for point in line])
    along = np.r_[0.0, np.cumsum(np.hypot(*np.diff(bed.points, axis=0).T))]
    vertex = np.interp(travelled, along, np.arange(len(along)))
    grid = draft.lattice.grid
    on_map = [grid.nearest(*point) in draft.lattice.index for point in line]
    start: int | None = None
    for i, here in enumerate([*on_map, False]):
        if here and start is None:
            start = i
        elif not here and start is not None:
            if i - start >= SHORTEST_RUN:
                yield Run(line[start:i], vertex[start:i], start > 0, i < len(line))
            start = None


def _mouths(
    corner_xy: Floats, nodes: Mapping[Corner, object], end: Floats, joined: Collection[Corner], shore: frozenset[Corner]
) -> frozenset[Corner] | None:
    """Return the corners where a river may end: on the river it joins, on the shore; None (any) if it ends in sand."""
    for choice in (joined, shore):
        close = [c for c in choice if c in nodes and np.hypot(*(corner_xy[c] - end)) < CONFLUENCE]
        if close:
            return frozenset(close)
    return None


def _moves(
    draft: Draft, nodes: Mapping[Corner, tuple[float, float]], banks: Mapping[Spot, float], corner: Corner
) -> Iterator[Move]:
    """Yield the hexsides out of a corner."""
    x0, y0 = draft.lattice.corner_xy[corner]
    for side, there in draft.lattice.fan[corner]:
        if there not in nodes:
            continue
        x1, y1 = draft.lattice.corner_xy[there]
        price = SHORE_PRICE if draft.is_wet(side) else 0.0
        for spot in side:
            if spot in banks:
                x, y = draft.lattice.grid.centre(spot)
                turn = (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)
                price += abs(banks[spot]) if turn * banks[spot] < 0 else 0.0
        yield Move(there, ((x0 + x1) / 2, (y0 + y1) / 2), 1 / ROOT3, side, price)


def _banks(draft: Draft, bed: Bed, places: Mapping[str, Place]) -> dict[Spot, float]:
    """Return for hexes with a town near the river the bank that it lies on: a price, its sign the bank's.

    Of several towns in a hex the greatest counts.
    """
    found: dict[Spot, tuple[int, float]] = {}
    for name, spot in draft.places.items():
        place = places.get(name)
        if place is None or found.get(spot, (0, 0.0))[0] >= place.size:
            continue
        point = np.array(draft.town_points[name])
        gap = shapely.Point(point).distance(bed.line)
        if gap < BANK_WITHIN:
            found[spot] = (place.size, bank(bed.points, point) * WRONG_BANK * (1 + place.size))
    return {spot: price for spot, (_, price) in found.items()}


