"""Fits a game's grid to the places whose hex its rulebook prints: ``python -m mapmaker.fit FOLDER [--write]``.

The affine is a least-squares fit. The warp is the thin plate of least bending energy that brings every named place into its
hex (shrunk to the fit's margin) and every anchor, a strait or a causeway, onto its hexside.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import click
import msgspec
import numpy as np

from core.errors import BadInput
from mapmaker.grid import ROOT3, Affine, Control, Floats, Grid, GridSpec, WarpSpec, plate_system

FITTED = "# ---- fitted: written by `python -m mapmaker.fit`, do not edit below ----"
SOFT_APOTHEM = 0.49  # a place that a scenario file chose need only be inside its hex
ROUNDS = 20_000
ROUNDS_LEFT_OUT = 1_500


class Target(NamedTuple):
    """A place that the fit must bring within *apothem* (hexagonal distance) of a point of the board plane, y north."""

    name: str
    lon: float
    lat: float
    goal: tuple[float, float]
    apothem: float
    steers_affine: bool


def targets(grid: Grid) -> list[Target]:
    """Return everything that the fit must obey."""
    rules = grid.spec.fit
    found = []
    for row in grid.named:
        if row.fit != "no":
            x, y = grid.centre(grid.spot(row.label))
            printed = row.fit == "yes"
            apothem = 0.5 * rules.margin if printed else SOFT_APOTHEM
            steers = printed and row.name not in rules.not_in_affine
            found.append(Target(row.name, float(row.lon), float(row.lat), (x, -y), apothem, steers))
    for anchor in grid.spec.anchor:
        ends = np.array([grid.centre(grid.spot(label)) for label in anchor.between])
        x, y = ends.mean(0)
        steers = anchor.name not in rules.not_in_affine
        found.append(Target(anchor.name, anchor.lon, anchor.lat, (float(x), -float(y)), anchor.within, steers))
    return found


def refit(grid: Grid, wanted: list[Target], *, rounds: int = ROUNDS) -> Grid:
    """Return the grid with affine and warp fitted anew.

    Raises:
        BadInput: there are too few places to fit to.
    """
    lon, lat = np.array([t.lon for t in wanted]), np.array([t.lat for t in wanted])
    goal = np.array([t.goal for t in wanted]).reshape(-1, 2)
    steer = np.array([t.steers_affine for t in wanted], dtype=bool)
    if steer.sum() < 3:
        raise BadInput.one(grid.spec.ruleset, "at least three places with a printed hex", int(steer.sum()))
    affine = _affine(grid, lon[steer], lat[steer], goal[steer])
    bare = Grid(msgspec.structs.replace(grid.spec, affine=affine, warp=WarpSpec()), grid.named)
    points = bare.flat(lon, lat)
    moves = _least_bending(points, goal, np.array([t.apothem for t in wanted]), by_row=grid.by_row, rounds=rounds)
    control = tuple(
        Control(t.name, float(x), float(y), float(dx), float(dy))
        for t, (x, y), (dx, dy) in zip(wanted, points, moves, strict=True)
    )
    return Grid(msgspec.structs.replace(bare.spec, warp=WarpSpec(control)), grid.named)


def _affine(grid: Grid, lon: Floats, lat: Floats, goal: Floats) -> Affine:
    east, north = grid.proj(lon, lat)
    big_x, big_y = np.asarray(east) / 1000, np.asarray(north) / 1000
    one, zero = np.ones_like(big_x), np.zeros_like(big_x)
    if grid.spec.fit.affine == "similarity":
        rows = np.r_[np.c_[big_x, -big_y, one, zero], np.c_[big_y, big_x, zero, one]]
        p, q, r, s = (float(v) for v in np.linalg.lstsq(rows, np.r_[goal[:, 0], goal[:, 1]], rcond=None)[0])
        return Affine((r, p, -q), (s, q, p))
    x, y = np.linalg.lstsq(np.c_[one, big_x, big_y], goal, rcond=None)[0].T.tolist()
    return Affine((x[0], x[1], x[2]), (y[0], y[1], y[2]))


def _least_bending(points: Floats, goal: Floats, apothem: Floats, *, by_row: bool, rounds: int) -> Floats:
    """Return the moves of *points* into hexagons around *goal* whose thin plate bends least.

    Accelerated projected gradient: the energy is a quadratic form, the hexagons are convex.
    """
    n = len(points)
    energy = np.linalg.inv(plate_system(points))[:n, :n]
    energy = (energy + energy.T) / 2
    energy /= np.linalg.eigvalsh(energy)[-1]
    energy += 1e-6 * np.eye(n)  # of equals, the smallest moves

    def into_hexes(moves: Floats) -> Floats:
        return to_hexagon(points + moves - goal, apothem, by_row=by_row) + goal - points

    return _accelerated(into_hexes, energy, np.zeros_like(points), rounds)


def _accelerated(project: Callable[[Floats], Floats], energy: Floats, start: Floats, rounds: int) -> Floats:
    moves = project(start)
    ahead, t = moves, 1.0
    for _ in range(rounds):
        new = project(ahead - energy @ ahead)
        if ((ahead - new) * (new - moves)).sum() > 0:
            t = 1.0
        t_new = (1 + np.sqrt(1 + 4 * t * t)) / 2
        ahead, moves, t = new + (t - 1) / t_new * (new - moves), new, t_new
    return moves


def to_hexagon(v: Floats, apothem: Floats, *, by_row: bool) -> Floats:
    """Return for each row of *v* the nearest point of a hexagon around the origin."""
    angles = np.radians((30 if by_row else 0) + 60 * np.arange(7))
    corner = np.c_[np.cos(angles), np.sin(angles)] * 2 / ROOT3
    a, b = corner[:-1][None] * apothem[:, None, None], corner[1:][None] * apothem[:, None, None]
    edge = b - a
    along = np.clip(((v[:, None] - a) * edge).sum(-1) / (edge**2).sum(-1), 0, 1)
    foot = a + along[..., None] * edge
    gap = ((v[:, None] - foot) ** 2).sum(-1)
    nearest = foot[np.arange(len(v)), gap.argmin(1)]
    normal = corner[:-1] + corner[1:]
    normal /= np.hypot(*normal.T)[:, None]
    inside = (v @ normal.T <= apothem[:, None]).all(1)
    return np.where(inside[:, None], v, nearest)


class Residual(NamedTuple):
    """How far from its goal a place lies, in hexes: by the affine, after the warp, and predicted without itself."""

    name: str
    affine: float
    warped: float
    left_out: float


def residuals(grid: Grid) -> list[Residual]:
    """Return the residuals of the grid as it stands; the last figure is the honest one for places nobody printed."""
    wanted = targets(grid)
    found = []
    for i, target in enumerate(wanted):
        without = refit(grid, wanted[:i] + wanted[i + 1 :], rounds=ROUNDS_LEFT_OUT)
        here = np.array(target.lon), np.array(target.lat)
        gaps = [np.hypot(*(point - target.goal)) for point in (grid.flat(*here), _north(grid, here), _north(without, here))]
        found.append(Residual(target.name, *(float(gap) for gap in gaps)))
    return found


def _north(grid: Grid, lonlat: tuple[Floats, Floats]) -> Floats:
    return grid.forward(*lonlat) * (1.0, -1.0)


def fitted_toml(spec: GridSpec) -> str:
    """Return the fitted part of ``grid.toml``."""
    lines = [FITTED, "", "[affine]   # x = c0 + c1 X + c2 Y, X and Y in km of the projection, y growing north"]
    for axis, row in (("x", spec.affine.x), ("y", spec.affine.y)):
        lines.append(f"{axis} = [{', '.join(f'{c:.9f}' for c in row)}]")
    lines += ["", "[warp]     # thin plate; name, x and y after the affine, moves dx and dy (hexes)", "control = ["]
    lines += [f'  ["{c.name}", {c.x:.4f}, {c.y:.4f}, {c.dx:+.4f}, {c.dy:+.4f}],' for c in spec.warp.control]
    return "\n".join([*lines, "]", ""])


@click.command(epilog="Example: python -m mapmaker.fit scenarios/geo/war_for_the_motherland")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--write", is_flag=True, help="Fit anew and write the fitted part of grid.toml.")
def main(folder: Path, *, write: bool) -> None:
    """Print how well the grid in FOLDER fits its printed places, in hexes; or fit it anew."""
    try:
        grid = Grid.load(folder)
        if write:
            path = folder / "grid.toml"
            text = path.read_text("utf-8").split(FITTED)[0]
            path.write_text(text + fitted_toml(refit(grid, targets(grid)).spec), "utf-8")
            grid = Grid.load(folder)
        click.echo(f"{'place':26s} affine  warped  left out")
        for row in residuals(grid):
            click.echo(f"{row.name:26s} {row.affine:6.2f} {row.warped:7.2f} {row.left_out:9.2f}")
    except BadInput as error:
        raise click.ClickException(str(error)) from error


if __name__ == "__main__":
    main()
