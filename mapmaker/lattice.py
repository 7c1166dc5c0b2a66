"""Hexes, hexsides and corners as a web of points in the board plane, with room around the map's own hexes."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from mapmaker.grid import ROOT3, Floats, Grid, Spot

Side = tuple[Spot, Spot]  # a hexside: its two hexes, lower spot first
Corner = int

MARGIN = 2  # rings of hexes around the sections, so that rivers and railways run on over the edge


def side(one: Spot, other: Spot) -> Side:
    """Return the hexside between two hexes."""
    return (one, other) if one < other else (other, one)


class Lattice:
    """The hexes of a game and *margin* rings around them.

    Attributes:
        spots: all hexes, sorted.         inside: those that a section holds.
        ends: hexside → its two corners.  corner_xy: corner → point (n × 2).
        fan: corner → its hexsides, each with the corner at its far end.
    """

    def __init__(self, grid: Grid, *, margin: int = MARGIN) -> None:
        self.grid = grid
        self.inside = frozenset(spot for section in grid.spec.map for spot in section.spots())
        self.spots = tuple(sorted(_widen(grid, self.inside, margin)))
        self.index = {spot: i for i, spot in enumerate(self.spots)}
        self.xy = np.array([grid.centre(spot) for spot in self.spots])
        self.around = {spot: tuple(n for n in grid.neighbours(spot) if n in self.index) for spot in self.spots}
        self.ends: dict[Side, tuple[Corner, Corner]] = {}
        self.fan: dict[Corner, list[tuple[Side, Corner]]] = {}
        self.hexes_at: dict[Corner, set[Spot]] = {}
        self.corner_xy = self._join_corners()

    def _join_corners(self) -> Floats:
        """Name each corner once, however many hexes share it; return their points."""
        names: dict[tuple[int, int], Corner] = {}
        points: list[tuple[float, float]] = []
        for here in self.spots:
            for there in self.around[here]:
                if here > there:
                    continue
                pair = []
                for point in hexside_ends(self.grid.centre(here), self.grid.centre(there)):
                    key = (round(1000 * point[0]), round(1000 * point[1]))
                    if key not in names:
                        names[key] = len(points)
                        points.append(point)
                    pair.append(names[key])
                self.ends[here, there] = (pair[0], pair[1])
                for a, b in (pair, reversed(pair)):
                    self.fan.setdefault(a, []).append(((here, there), b))
                    self.hexes_at.setdefault(a, set()).update((here, there))
        return np.array(points)

    def outline(self, spot: Spot) -> Floats:
        """Return a hex's six corners (6 × 2)."""
        start = 30 if self.grid.by_row else 0
        angles = np.radians(start + 60 * np.arange(6))
        corners: Floats = np.array(self.grid.centre(spot)) + np.c_[np.cos(angles), np.sin(angles)] / ROOT3
        return corners


def hexside_ends(
    here: tuple[float, float], there: tuple[float, float]
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the two ends of the hexside between neighbouring centres."""
    (x0, y0), (x1, y1) = here, there
    mx, my = (x0 + x1) / 2, (y0 + y1) / 2
    dx, dy = (y1 - y0) / (2 * ROOT3), (x0 - x1) / (2 * ROOT3)
    return (mx + dx, my + dy), (mx - dx, my - dy)


def _widen(grid: Grid, spots: Iterable[Spot], rings: int) -> set[Spot]:
    """Return *spots* with so many rings of hexes around them."""
    found = set(spots)
    edge = set(found)
    for _ in range(rings):
        edge = {n for spot in edge for n in grid.neighbours(spot)} - found
        found |= edge
    return found
