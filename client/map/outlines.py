"""Soft shapes out of hexes: the outlines of regions, and the courses of what runs along hexsides or through hexes. Knows no Qt.

Everything is placed by noise that hangs on corners and hexsides alone, so that neighbours agree and nothing jumps between redraws.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from client.map.geometry import Corner, Cube, Geometry, Point
from client.map.scatter import noise
from core.board import SIDES, Hex

Loop = tuple[Point, ...]


class Region(NamedTuple):
    """Connected hexes of one kind: the loops around it and around its holes (odd-even filling)."""

    kind: str
    cubes: frozenset[Cube]
    loops: tuple[Loop, ...]


class Curve(NamedTuple):
    """A quadratic curve: start, control, end. *rank*: 2 for the major kind, 1 for the minor; *tapers*: it ends in a source."""

    start: Point
    control: Point
    end: Point
    rank: int = 1
    tapers: bool = False


def middle(a: Point, b: Point, share: float = 0.5) -> Point:
    """Return the point on the way from *a* to *b*."""
    return Point(a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share)


# ---------------------------------------------------------------- regions


def regions(geometry: Geometry, kinds: Mapping[Cube, str], wanted: str, *, wobble: float) -> list[Region]:
    """Return the connected regions of hexes whose kind is *wanted*; *wobble* is how far their outline strays, in scene units."""
    left = {cube for cube, kind in kinds.items() if kind == wanted}
    found: list[Region] = []
    for start in sorted(left):
        if start not in left:
            continue
        left.discard(start)
        reached, open_ = {start}, [start]
        while open_:
            cube = open_.pop()
            for side in range(SIDES):
                there = geometry.step(cube, side)
                if there in left:
                    left.discard(there)
                    reached.add(there)
                    open_.append(there)
        found.append(Region(wanted, frozenset(reached), outline(geometry, reached, wobble=wobble)))
    return found


def outline(geometry: Geometry, cubes: Iterable[Cube], *, wobble: float, smooth: bool = True) -> tuple[Loop, ...]:
    """Return the loops around hexes. At a corner three hexes meet, so each corner has no or exactly two boundary sides."""
    inside = set(cubes)
    follow: dict[Corner, tuple[Corner, Point, Point]] = {}
    for cube in inside:
        for side in range(SIDES):
            if geometry.step(cube, side) not in inside:
                a, b = geometry.edge(cube, side)
                follow[geometry.key(a)] = (geometry.key(b), a, b)
    loops: list[Loop] = []
    while follow:
        first = min(follow)
        here, points = first, list[Point]()
        while here in follow:
            there, a, b = follow.pop(here)
            points += [_strayed(a, here, wobble), _bent(a, b, here, there, wobble)] if smooth else [a]
            here = there
        loops.append(_chaikin(_chaikin(points)) if smooth else tuple(points))
    return tuple(loops)


def _strayed(point: Point, key: Corner, wobble: float) -> Point:
    return Point(point.x + wobble * noise(*key, 1), point.y + wobble * noise(*key, 2))


def _bent(a: Point, b: Point, one: Corner, other: Corner, wobble: float) -> Point:
    """Return the middle of a hexside, pushed to one side by noise that both hexes see alike."""
    low, high = sorted((one, other))
    m = middle(a, b)
    return Point(m.x + wobble * noise(*low, *high, 3), m.y + wobble * noise(*low, *high, 4))


def _chaikin(points: Iterable[Point]) -> tuple[Point, ...]:
    """Cut the corners of a closed line."""
    ring = tuple(points)
    cut: list[Point] = []
    for a, b in zip(ring, (*ring[1:], ring[0]), strict=True):
        cut += (middle(a, b, 0.25), middle(a, b, 0.75))
    return tuple(cut)


# ---------------------------------------------------------------- along hexsides


class _Side(NamedTuple):
    key: tuple[Corner, Corner]
    ends: tuple[Point, Point]
    middle: Point
    rank: int


def along_hexsides(
    geometry: Geometry, rank_of: Callable[[Hex, int], int], *, is_water: Callable[[Cube], bool], wobble: float = 2.0
) -> list[Curve]:
    """Return the curves of what runs along hexsides: from the middle of one side over the corner to the middle of the next.

    *rank_of(hex, side)* is 0 where nothing runs. An end beside water runs on into it; any other end tapers.
    """
    corners: dict[Corner, list[_Side]] = {}
    place: dict[Corner, Point] = {}
    for here, cube in enumerate(geometry.cube_of):
        for side in range(SIDES):
            rank = rank_of(Hex(here), side)
            there = geometry.hex_of.get(geometry.step(cube, side))
            if not rank or there is None or there < here:
                continue
            a, b = geometry.edge(cube, side)
            ka, kb = geometry.key(a), geometry.key(b)
            found = _Side((ka, kb), (a, b), _bent(a, b, ka, kb, wobble), rank)
            for key, point in ((ka, a), (kb, b)):
                corners.setdefault(key, []).append(found)
                place[key] = point
    curves: list[Curve] = []
    for key, sides in sorted(corners.items()):
        at = _strayed(place[key], key, wobble / 2)
        curves += _at_corner(geometry, place[key], at, sorted(sides, key=lambda s: (-s.rank, s.key)), is_water)
    return curves


def _at_corner(
    geometry: Geometry, corner: Point, at: Point, sides: list[_Side], is_water: Callable[[Cube], bool]
) -> list[Curve]:
    if len(sides) == 1:
        return [_end(geometry, corner, at, sides[0], is_water)]
    main, other = sides[0], sides[1]
    meeting = middle(middle(main.middle, at), middle(at, other.middle))
    curves = [
        Curve(main.middle, middle(main.middle, at), meeting, main.rank),
        Curve(meeting, middle(at, other.middle), other.middle, other.rank),
    ]
    curves += [Curve(side.middle, at, meeting, side.rank) for side in sides[2:]]
    return curves


def _end(geometry: Geometry, corner: Point, at: Point, side: _Side, is_water: Callable[[Cube], bool]) -> Curve:
    """Return the last curve of a river: into the water beside its mouth, or tapering to its source."""
    for cube in _cubes_around(geometry, corner):
        if is_water(cube):
            mouth = middle(corner, geometry.centre_of(cube), 0.35)
            return Curve(side.middle, at, mouth, side.rank)
    off_board = any(cube not in geometry.hex_of for cube in _cubes_around(geometry, corner))
    before = max(side.ends, key=lambda end: math.dist(end, corner))
    onward = middle(before, side.middle, 1.5)  # as the river came, so that it has no kink in the middle of its last side
    return Curve(side.middle, onward, at, side.rank, tapers=not off_board)


def parts_of(curve: Curve, number: int) -> Iterator[Curve]:
    """Yield a curve in so many parts, one after the other.

    >>> [part.end.x for part in parts_of(Curve(Point(0, 0), Point(2, 0), Point(4, 0)), 2)]
    [2.0, 4.0]
    """
    start, control, end = curve.start, curve.control, curve.end
    for left in range(number, 0, -1):
        share = 1 / left
        first, second = middle(start, control, share), middle(control, end, share)
        parting = middle(first, second, share)
        yield Curve(start, first, parting, curve.rank, curve.tapers)
        start, control = parting, second


def _cubes_around(geometry: Geometry, corner: Point) -> list[Cube]:
    """Return the three hexes that meet in a corner, wherever they lie."""
    found: list[Cube] = []
    for dx, dy in ((0.0, -9.0), (8.0, -4.5), (8.0, 4.5), (0.0, 9.0), (-8.0, 4.5), (-8.0, -4.5), (9.0, 0.0), (-9.0, 0.0)):
        cube = geometry.cube_at(corner.x + dx, corner.y + dy)
        if cube not in found:
            found.append(cube)
    return found


# ---------------------------------------------------------------- through hexes


def through_hexes(geometry: Geometry, runs: Callable[[Hex, int], bool]) -> list[Curve]:
    """Return the curves of what runs through hexes over their sides, such as railways; a hex with one side is an end."""
    curves: list[Curve] = []
    for index in range(len(geometry.cube_of)):
        here = Hex(index)
        sides = [side for side in range(SIDES) if runs(here, side)]
        if not sides:
            continue
        centre = geometry.centre(here)
        middles = {side: geometry.side_middle(here, side) for side in sides}
        if len(sides) == 1:
            m = middles[sides[0]]
            curves.append(Curve(m, middle(m, centre), centre))
            continue
        a, b = _straightest(sides)
        meeting = middle(middle(middles[a], centre), middle(centre, middles[b]))
        curves.append(Curve(middles[a], centre, middles[b]))
        curves += [Curve(middles[side], centre, meeting) for side in sides if side not in (a, b)]
    return curves


def _straightest(sides: list[int]) -> tuple[int, int]:
    """Return the two sides between which a line bends least."""
    pairs = [(a, b) for i, a in enumerate(sides) for b in sides[i + 1 :]]
    return min(pairs, key=lambda pair: (abs(3 - (pair[1] - pair[0])), pair))
