"""The board in the plane of the scene: centres, corners, hexsides, and which hex is at a point. Knows no Qt.

Scene units: 64 between the flat sides of a hex, x to the right, y down.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.board import SIDES, STEPS, Board, Hex

Number = TypeVar("Number", float, NDArray[np.float64])  # one, or many at once
HEX = 64.0
RADIUS = HEX / math.sqrt(3)  # centre to corner, and the length of a hexside

Cube = tuple[int, int]
Corner = tuple[int, int]  # a corner's place on the lattice of all corners, exact


class Point(NamedTuple):
    """A point in scene units."""

    x: float
    y: float


class Geometry:
    """Shapes of a board's hexes.

    Attributes:
        cube_of: axial coordinates of each hex.
        hex_of: the hex at axial coordinates.
        to_corner: from the centre of any hex to each of its corners, counterclockwise.
        centres: the centre of each hex, a row of x and y.
        ghosts: axial coordinates just off the board, with the hex each borders; they let outlines run on over the edge.
    """

    def __init__(self, board: Board) -> None:
        self.board = board
        self.pointy = board.orientation == "pointy-top"
        self.cube_of: tuple[Cube, ...] = tuple((fact.q, fact.r) for fact in board.facts)
        self.hex_of: dict[Cube, Hex] = {cube: Hex(i) for i, cube in enumerate(self.cube_of)}
        turn = 0.0 if self.pointy else -30.0
        self._to_side = [_on_circle(60 * s + turn, HEX / 2) for s in range(SIDES)]
        self.to_corner = [_on_circle(60 * s + 30 + turn, RADIUS) for s in range(SIDES)]
        first = board.facts[0]
        self._origin = Point(first.x * HEX, first.y * HEX)
        self._first = self.cube_of[0]
        self._centres = tuple(self.centre_of(cube) for cube in self.cube_of)
        self.centres = np.array(self._centres)
        self.ghosts: dict[Cube, Hex] = {}
        for here in map(Hex, range(board.size)):
            for side in range(SIDES):
                cube = self.step(self.cube_of[here], side)
                if cube not in self.hex_of:
                    self.ghosts.setdefault(cube, here)
        self.bounds = self._bounds()

    def _bounds(self) -> tuple[float, float, float, float]:
        corners = [self.corner(cube, s) for cube in self.cube_of for s in range(SIDES)]
        xs, ys = [c.x for c in corners], [c.y for c in corners]
        return min(xs), min(ys), max(xs), max(ys)

    @staticmethod
    def step(cube: Cube, side: int) -> Cube:
        """Return the coordinates of the neighbour over a side."""
        return cube[0] + STEPS[side][0], cube[1] + STEPS[side][1]

    def centre_of(self, cube: Cube) -> Point:
        """Return the centre of the hex at axial coordinates, on the board or off it."""
        q, r = cube[0] - self._first[0], cube[1] - self._first[1]
        far, near = HEX * math.sqrt(3) / 2, HEX
        if self.pointy:
            return Point(self._origin.x + near * (q + r / 2), self._origin.y + far * r)
        return Point(self._origin.x + far * q, self._origin.y + near * (r + q / 2))

    def centre(self, here: Hex) -> Point:
        """Return the centre of a hex."""
        return self._centres[here]

    def corner(self, cube: Cube, index: int) -> Point:
        """Return the corner between sides *index* and *index* + 1."""
        c, d = self.centre_of(cube), self.to_corner[index % SIDES]
        return Point(c.x + d.x, c.y + d.y)

    def corners(self, here: Hex) -> tuple[Point, ...]:
        """Return the six corners of a hex, counterclockwise."""
        x, y = self._centres[here]
        return tuple([Point(x + dx, y + dy) for dx, dy in self.to_corner])

    def side_middle(self, here: Hex, side: int) -> Point:
        """Return the middle of a hexside."""
        c, d = self.centre(here), self._to_side[side]
        return Point(c.x + d.x, c.y + d.y)

    def edge(self, cube: Cube, side: int) -> tuple[Point, Point]:
        """Return the ends of a hexside, counterclockwise around *cube*."""
        return self.corner(cube, side - 1), self.corner(cube, side)

    def key(self, point: Point) -> Corner:
        """Return a corner's exact place on the lattice: equal for all hexes that share it."""
        across, along = HEX / 2, RADIUS / 2
        dx, dy = point.x - self._origin.x, point.y - self._origin.y
        if self.pointy:
            return round(dx / across), round(dy / along)
        return round(dx / along), round(dy / across)

    def _axial(self, x: Number, y: Number) -> tuple[Number, Number]:
        """Return points as axial coordinates between those of hexes, counted from the origin."""
        dx, dy = x - self._origin.x, y - self._origin.y
        if self.pointy:
            r = dy / (HEX * math.sqrt(3) / 2)
            return dx / HEX - r / 2, r
        q = dx / (HEX * math.sqrt(3) / 2)
        return q, dy / HEX - q / 2

    def cube_at(self, x: float, y: float) -> Cube:
        """Return the axial coordinates of the hex that holds a point, on the board or off it."""
        near_q, near_r = _rounded(*self._axial(x, y))
        return near_q + self._first[0], near_r + self._first[1]

    def hex_at(self, x: float, y: float) -> Hex | None:
        """Return the hex at a point, None off the board."""
        return self.hex_of.get(self.cube_at(x, y))

    def hexes_at(self, xs: NDArray[np.float64], ys: NDArray[np.float64]) -> NDArray[np.int32]:
        """Return the hex at each of many points, -1 off the board: as `hex_at` does, and a hundred times faster."""
        q, r = self._axial(xs, ys)
        near_q, near_r, near_s = np.rint(q), np.rint(r), np.rint(-q - r)
        off_q, off_r, off_s = abs(near_q - q), abs(near_r - r), abs(near_s - (-q - r))
        by_q = (off_q > off_r) & (off_q > off_s)
        by_r = ~by_q & (off_r > off_s)
        whole_q = np.where(by_q, -near_r - near_s, near_q).astype(np.int64) + self._first[0]
        whole_r = np.where(by_r, -near_q - near_s, near_r).astype(np.int64) + self._first[1]
        (least_q, least_r), table = self._table
        column, line = whole_q - least_q, whole_r - least_r
        is_inside = (column >= 0) & (column < table.shape[0]) & (line >= 0) & (line < table.shape[1])
        found: NDArray[np.int32] = np.where(is_inside, table[column * is_inside, line * is_inside], -1).astype(np.int32)
        return found

    @cached_property
    def _table(self) -> tuple[Cube, NDArray[np.int32]]:
        """Return the hexes by axial coordinates as an array, -1 where none is, with the least of each coordinate."""
        cubes = np.array(self.cube_of)
        least, most = cubes.min(axis=0), cubes.max(axis=0)
        table = np.full(most - least + 1, -1, dtype=np.int32)
        table[cubes[:, 0] - least[0], cubes[:, 1] - least[1]] = np.arange(len(cubes))
        return (int(least[0]), int(least[1])), table

    def thickest(self, hexes: Collection[Hex], within: int) -> Hex:
        """Return the one of some hexes that has most of them within so many hexes."""
        some = list(hexes)
        q, r = np.array([self.cube_of[here] for here in some]).T
        dq, dr = q[:, None] - q, r[:, None] - r
        near = (abs(dq) <= within) & (abs(dr) <= within) & (abs(dq + dr) <= within)
        return some[int(near.sum(axis=1).argmax())]

    def toward(self, here: Hex, dx: float, dy: float) -> Hex | None:
        """Return the neighbour that lies nearest to a direction, None if there is none on the board that way."""
        best = max(range(SIDES), key=lambda s: self._to_side[s].x * dx + self._to_side[s].y * dy)
        return self.board.neighbour(here, best)


def _on_circle(degrees: float, radius: float) -> Point:
    angle = math.radians(degrees)
    return Point(radius * math.cos(angle), -radius * math.sin(angle))


def _rounded(q: float, r: float) -> Cube:
    """Round fractional axial coordinates to the hex that holds them."""
    s = -q - r
    near_q, near_r, near_s = round(q), round(r), round(s)
    off_q, off_r, off_s = abs(near_q - q), abs(near_r - r), abs(near_s - s)
    if off_q > off_r and off_q > off_s:
        near_q = -near_r - near_s
    elif off_r > off_s:
        near_r = -near_q - near_s
    return near_q, near_r
