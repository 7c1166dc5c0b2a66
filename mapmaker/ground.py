"""What covers each hex and each hexside: land, sea, lake, woods, swamp, mountains; measured at sample points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import shapely

from mapmaker.grid import ROOT3, Floats, Grid, Spot
from mapmaker.lattice import Lattice, Side
from mapmaker.sources import FRAME, Area, Geography

SAMPLES_ACROSS = 11  # rows of sample points in a hex: about 90 points
SIDE_SAMPLES = (9, 3)  # along a hexside and across it
SIDE_WIDTH = 0.16  # how far from a hexside its neighbourhood reaches, both ways together
STEP_DEGREES = 0.1  # long straight edges are cut into such pieces before they are bent by the projection

Bools = npt.NDArray[np.bool_]


class Cover(NamedTuple):
    """Shares (0 to 1) of each hex of the lattice, in its order, and of each hexside.

    Attributes:
        sea, lake: share of the hex under water.
        kinds: terrain kind → share of the hex, density counted.
        side_sea, side_lake: hexside → share of its neighbourhood under water.
        latitude: of the hex's centre, in degrees.
    """

    sea: Floats
    lake: Floats
    kinds: dict[str, Floats]
    side_sea: dict[Side, float]
    side_lake: dict[Side, float]
    latitude: Floats


def to_plane(grid: Grid, shape: shapely.Geometry) -> shapely.Geometry:
    """Return a shape in degrees as one in the board plane."""
    fine = shapely.segmentize(shape, STEP_DEGREES)
    bent = shapely.transform(fine, lambda lonlat: _bend(grid, lonlat))
    return shapely.make_valid(bent) if shapely.get_dimensions(bent) == 2 else bent


def _bend(grid: Grid, lonlat: Floats) -> Floats:
    """Return points in the board plane; equal points stay equal to the last bit, or rings would not close."""
    once, back = np.unique(lonlat, axis=0, return_inverse=True)
    bent: Floats = grid.forward(once[:, 0], once[:, 1])[back.reshape(-1)]
    return bent


def measure(lattice: Lattice, geography: Geography) -> Cover:
    """Measure land, water and terrain of every hex and hexside of the lattice."""
    grid = lattice.grid
    frame = to_plane(grid, shapely.box(*FRAME))
    nearby = shapely.box(*(lattice.xy.min(0) - 2), *(lattice.xy.max(0) + 2))
    land, lakes = (to_plane(grid, shape) for shape in (geography.land, geography.lakes))
    beyond = [to_plane(grid, shapely.box(*box)) for box in geography.waters.sea_beyond]
    sea = shapely.union_all([shapely.difference(frame, land), *beyond])
    sea, lakes = shapely.intersection(sea, nearby), shapely.intersection(lakes, nearby)

    offsets = hex_samples(by_row=grid.by_row)
    points = lattice.xy[:, None, :] + offsets[None, :, :]
    in_sea, in_lake = inside(sea, points), inside(lakes, points)
    sides = sorted(lattice.ends)
    strips = np.array([side_samples(lattice, s) for s in sides])
    side_sea, side_lake = inside(sea, strips).mean(1), inside(lakes, strips).mean(1)
    return Cover(
        in_sea.mean(1),
        in_lake.mean(1),
        _kinds(grid, geography.areas, points, ~(in_sea | in_lake)),
        dict(zip(sides, side_sea.tolist(), strict=True)),
        dict(zip(sides, side_lake.tolist(), strict=True)),
        grid.inverse(lattice.xy)[:, 1],
    )


def hex_samples(*, by_row: bool) -> Floats:
    """Return evenly spread points inside a hex around the origin (n × 2)."""
    steps = (np.arange(SAMPLES_ACROSS) + 0.5) / SAMPLES_ACROSS - 0.5
    along, across = (grid.ravel() for grid in np.meshgrid(steps, steps * 2 / ROOT3))
    keep = np.abs(across) * ROOT3 / 2 + np.abs(along) / 2 <= 0.5
    points: Floats = np.c_[along, across] if by_row else np.c_[across, along]
    return points[keep]


def side_samples(lattice: Lattice, side: Side) -> Floats:
    """Return points on and beside a hexside (n × 2), its ends left out."""
    a, b = (lattice.corner_xy[corner] for corner in lattice.ends[side])
    along = np.linspace(0.08, 0.92, SIDE_SAMPLES[0])
    across = np.linspace(-0.5, 0.5, SIDE_SAMPLES[1]) * SIDE_WIDTH
    normal = np.array([b[1] - a[1], a[0] - b[0]]) * ROOT3
    points: Floats = a + along[:, None, None] * (b - a) + across[None, :, None] * normal
    return points.reshape(-1, 2)


def inside(shape: shapely.Geometry, points: Floats) -> Bools:
    """Say for each point (… × 2) whether it lies in *shape*."""
    shapely.prepare(shape)
    found: Bools = shapely.contains_xy(shape, points[..., 0], points[..., 1])
    return found


def _kinds(grid: Grid, areas: tuple[Area, ...], points: Floats, dry: Bools) -> dict[str, Floats]:
    """Return for each kind the share of each hex that it covers: densities of overlapping areas don't add up."""
    depth: dict[str, Floats] = {}
    flat = points.reshape(-1, 2)
    for area in areas:
        shape = to_plane(grid, area.shape)
        west, south, east, north = shapely.bounds(shape)
        near = np.flatnonzero(
            (flat[:, 0] >= west) & (flat[:, 0] <= east) & (flat[:, 1] >= south) & (flat[:, 1] <= north)
        )
        if not len(near):
            continue
        hit = near[inside(shape, flat[near])]
        thick = depth.setdefault(area.kind, np.zeros(len(flat)))
        thick[hit] = np.maximum(thick[hit], area.density)
    count = np.maximum(dry.sum(1), 1)
    return {kind: (thick.reshape(dry.shape) * dry).sum(1) / count for kind, thick in depth.items()}


def at_hex(lattice: Lattice, shares: Floats) -> dict[Spot, float]:
    """Return shares as a table by hex."""
    return dict(zip(lattice.spots, shares.tolist(), strict=True))
