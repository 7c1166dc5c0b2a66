"""Between longitude and latitude and the hexes of a game: projection, affine, warp, numbering.

A game's folder under ``scenarios/geo`` holds ``grid.toml`` and ``named_hexes.tsv``. The *board plane* has x to the right and y
down; one unit is the distance of neighbouring hex centres; its origin is the hex of line 0 and position 0 in the numbering
that all sections of the game share. A *spot* is a hex as (line, position) of that shared numbering.
"""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
import numpy.typing as npt
import pyproj

from core.errors import BadInput

ROOT3 = float(np.sqrt(3.0))
LINE_STEP = ROOT3 / 2
PLANE_DIGITS = 7
ROUNDS_OF_INVERSE = 60  # the warp bends little: a contraction, exact to 1e-12 hexes after so many

Floats = npt.NDArray[np.float64]
Spot = tuple[int, int]


class Geometry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How hexes are numbered and shifted."""

    orientation: Literal["pointy-top", "flat-top"]
    label: str
    line: Literal["row", "column"]
    line_grows: Literal["south", "east"]
    position_grows: Literal["west", "south"]
    shift_even: float
    shift_odd: float
    hex_km: float
    evidence: tuple[str, ...] = ()
    map_up: str = ""


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One sheet of the map: its letter, the offsets of its own numbers from the shared ones, its extent.

    *keep* cuts the extent: rows (line from, line to, position from, position to[, the last two for odd lines]) bind the
    hexes of those lines.
    """

    letter: str
    line_offset: int
    position_offset: int
    lines: tuple[int, int]
    positions: tuple[int, int]
    extent: str = ""
    keep: tuple[tuple[int, ...], ...] = ()

    def spot(self, line: int, position: int) -> Spot:
        """Return the shared numbers of a hex of this section."""
        return line - self.line_offset, position - self.position_offset

    def label(self, spot: Spot) -> str | None:
        """Return the section's label of a hex; None if the section doesn't hold it."""
        line, position = spot[0] + self.line_offset, spot[1] + self.position_offset
        inside = self.lines[0] <= line <= self.lines[1] and self.positions[0] <= position <= self.positions[1]
        if not inside or not all(_kept(cut, line, position) for cut in self.keep):
            return None
        return f"{self.letter}{line:02d}{position:02d}"

    def spots(self) -> Iterator[Spot]:
        """Yield the hexes of the section in the order of their labels."""
        for line in range(self.lines[0], self.lines[1] + 1):
            for position in range(self.positions[0], self.positions[1] + 1):
                spot = self.spot(line, position)
                if self.label(spot):
                    yield spot


def _kept(cut: tuple[int, ...], line: int, position: int) -> bool:
    if not cut[0] <= line <= cut[1]:
        return True
    low, high = cut[4:6] if len(cut) > 4 and line % 2 else cut[2:4]
    return low <= position <= high


class Projection(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A Lambert conformal conic projection on a sphere."""

    kind: Literal["lambert_conformal_conic"]
    radius_km: float
    lon0: float
    lat0: float
    lat1: float
    lat2: float

    def proj(self) -> pyproj.Proj:
        """Return it as an object that projects degrees to metres and back."""
        return pyproj.Proj(
            proj="lcc", lon_0=self.lon0, lat_0=self.lat0, lat_1=self.lat1, lat_2=self.lat2, R=1000 * self.radius_km
        )


class FitRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the fit of affine and warp obeys; see `mapmaker.fit`."""

    affine: Literal["affine", "similarity"] = "affine"
    margin: float = 1.0
    not_in_affine: tuple[str, ...] = ()


class Anchor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A place that the text puts on a hexside."""

    name: str
    lon: float
    lat: float
    between: tuple[str, str]
    within: float
    rule: str


class Affine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """x = c0 + c1 X + c2 Y with X, Y in km of the projection; y likewise, growing north."""

    x: tuple[float, float, float]
    y: tuple[float, float, float]


class Control(msgspec.Struct, frozen=True, array_like=True):
    """A control point of the warp: where the affine puts it, and how far it moves."""

    name: str
    x: float
    y: float
    dx: float
    dy: float


class WarpSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The thin plate's control points."""

    control: tuple[Control, ...] = ()


class GridSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``grid.toml``."""

    ruleset: str
    source: str
    geometry: Geometry
    map: tuple[Section, ...]
    projection: Projection
    affine: Affine
    fit: FitRules = FitRules()
    anchor: tuple[Anchor, ...] = ()
    warp: WarpSpec = WarpSpec()


class NamedHex(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row of ``named_hexes.tsv``: a hex that a rulebook prints, or that our design fixes."""

    map: str
    hex: str
    name: str
    lat: str
    lon: str
    coordinates: str
    fit: Literal["yes", "soft", "no"]
    snap: Literal["yes", "no"]
    says: str
    rule: str

    @property
    def label(self) -> str:
        """The hex's label with the section's letter."""
        return self.map + self.hex


# ---------------------------------------------------------------- thin plates


def kernel(a: Floats, b: Floats) -> Floats:
    """Return r² log r between two sets of points."""
    r2 = ((a[:, None, :] - b[None, :, :]) ** 2).sum(-1)
    return np.where(r2 > 0, 0.5 * r2 * np.log(np.where(r2 > 0, r2, 1.0)), 0.0)


def plate_system(points: Floats) -> Floats:
    """Return the matrix of the thin-plate equations through *points* (n × 2)."""
    n = len(points)
    system = np.zeros((n + 3, n + 3))
    system[:n, :n] = kernel(points, points)
    system[:n, n:] = np.c_[np.ones(n), points]
    system[n:, :n] = system[:n, n:].T
    return system


class Warp:
    """The displacement field of least bending through given displacements (n × 2) at control points (n × 2)."""

    def __init__(self, points: Floats, moves: Floats) -> None:
        self.points = points
        self.weights = np.linalg.solve(plate_system(points), np.r_[moves, np.zeros((3, 2))])

    def __call__(self, xy: Floats) -> Floats:
        """Return the displacement at points (… × 2)."""
        flat = xy.reshape(-1, 2)
        n = len(self.points)
        moved: Floats = kernel(flat, self.points) @ self.weights[:n]
        moved += np.c_[np.ones(len(flat)), flat] @ self.weights[n:]
        return moved.reshape(xy.shape)


# ------------------------------------------------------------------- the grid


class Grid:
    """A game's hexes on the globe.

    >>> grid = Grid.load(Path("scenarios/geo/war_for_the_motherland"))
    >>> grid.label(grid.spot_at(37.62, 55.75))
    'C2706'
    """

    def __init__(self, spec: GridSpec, named: tuple[NamedHex, ...] = ()) -> None:
        self.spec = spec
        self.named = named
        self.by_row = spec.geometry.line == "row"
        self.shift = (spec.geometry.shift_even, spec.geometry.shift_odd)
        self.affine = np.array([spec.affine.x, spec.affine.y])
        self.proj = spec.projection.proj()
        control = np.array([(c.x, c.y, c.dx, c.dy) for c in spec.warp.control]).reshape(-1, 4)
        self.warp = Warp(control[:, :2], control[:, 2:]) if len(control) else None

    @classmethod
    def load(cls, folder: Path) -> Grid:
        """Read ``grid.toml`` and ``named_hexes.tsv`` of a game.

        Raises:
            BadInput: a file is missing or faulty.
        """
        return cls(read_spec(folder / "grid.toml"), read_named(folder / "named_hexes.tsv"))

    # labels

    def section(self, letter: str) -> Section:
        """Return the section of this letter; BadInput if there is none."""
        for section in self.spec.map:
            if section.letter == letter:
                return section
        letters = ", ".join(repr(section.letter) for section in self.spec.map)
        raise BadInput.one(f"{self.spec.ruleset}: section", f"one of {letters}", repr(letter))

    def spot(self, label: str) -> Spot:
        """Return the hex of a label, whether it is in the section's extent or not."""
        letters = label.rstrip("0123456789")
        if len(label) - len(letters) != 4:
            raise BadInput.one(f"{self.spec.ruleset}: hex", "letters and four digits", repr(label))
        return self.section(letters).spot(int(label[-4:-2]), int(label[-2:]))

    def label(self, spot: Spot) -> str | None:
        """Return the label on the first section that holds the hex; None off the maps."""
        return next((label for section in self.spec.map if (label := section.label(spot))), None)

    # plane

    def centre(self, spot: Spot) -> tuple[float, float]:
        """Return a hex's centre in the board plane."""
        across, along = spot[0] * LINE_STEP, spot[1] + self.shift[spot[0] % 2]
        return (-along, across) if self.by_row else (across, along)

    def nearest(self, x: float, y: float) -> Spot:
        """Return the hex that a point of the board plane lies in."""
        across, along = (y, -x) if self.by_row else (x, y)
        first = int(np.floor(across / LINE_STEP))
        choices = []
        for line in (first - 1, first, first + 1, first + 2):
            position = round(along - self.shift[line % 2])
            gap = (across - line * LINE_STEP) ** 2 + (along - position - self.shift[line % 2]) ** 2
            choices.append((gap, line, position))
        return min(choices)[1:]

    def neighbours(self, spot: Spot) -> tuple[Spot, ...]:
        """Return the six hexes around one."""
        line, position = spot
        gap = self.shift[line % 2] - self.shift[(line + 1) % 2]
        low, high = round(position + gap - 0.5), round(position + gap + 0.5)
        return (
            (line, position - 1), (line, position + 1),
            (line - 1, low), (line - 1, high), (line + 1, low), (line + 1, high),
        )  # fmt: skip

    # globe

    def flat(self, lon: Floats, lat: Floats) -> Floats:
        """Return points by projection and affine only, y growing north (… × 2)."""
        east, north = self.proj(np.asarray(lon, float), np.asarray(lat, float))
        a = self.affine
        big_x, big_y = np.asarray(east) / 1000, np.asarray(north) / 1000
        return np.stack([a[k, 0] + a[k, 1] * big_x + a[k, 2] * big_y for k in (0, 1)], -1)

    def forward(self, lon: Floats, lat: Floats) -> Floats:
        """Return the board plane's points of longitudes and latitudes in degrees (… × 2)."""
        xy = self.flat(lon, lat)
        if self.warp is not None:
            xy = xy + self.warp(xy)
        # Rounded, so that a processor's last bits never decide which of two equal ways a river takes.
        return np.round(xy * (1.0, -1.0), PLANE_DIGITS)

    def inverse(self, xy: Floats) -> Floats:
        """Return longitude and latitude of points of the board plane (… × 2)."""
        goal = np.asarray(xy, float) * (1.0, -1.0)
        flat = goal.copy()
        for _ in range(ROUNDS_OF_INVERSE if self.warp is not None else 0):
            assert self.warp is not None
            flat = goal - self.warp(flat)
        big = (flat - self.affine[:, 0]) @ np.linalg.inv(self.affine[:, 1:]).T
        lon, lat = self.proj(1000 * big[..., 0], 1000 * big[..., 1], inverse=True)
        return np.stack([lon, lat], -1)

    def point(self, lon: float, lat: float) -> tuple[float, float]:
        """Return one point of the board plane."""
        x, y = self.forward(np.array(lon), np.array(lat))
        return float(x), float(y)

    def spot_at(self, lon: float, lat: float) -> Spot:
        """Return the hex that a place on the globe lies in, by arithmetic alone."""
        return self.nearest(*self.point(lon, lat))


def read_spec(path: Path) -> GridSpec:
    """Read ``grid.toml``; BadInput if it can't be read."""
    try:
        return msgspec.convert(tomllib.loads(path.read_text("utf-8")), GridSpec)
    except FileNotFoundError as error:
        raise BadInput.one(str(path), "a file", "none") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise BadInput.one(str(path), "the numbering of a grid", error) from error


def read_named(path: Path) -> tuple[NamedHex, ...]:
    """Read ``named_hexes.tsv``; BadInput if it can't be read."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
        return tuple(msgspec.convert(row, NamedHex) for row in rows)
    except FileNotFoundError as error:
        raise BadInput.one(str(path), "a file", "none") from error
    except (UnicodeDecodeError, msgspec.ValidationError) as error:
        raise BadInput.one(str(path), "rows of named hexes", error) from error
