"""The map while it is being made: hexes, hexsides and railways in the numbering that all sections share."""

from __future__ import annotations

import math
from collections import Counter
from typing import NamedTuple

import msgspec

from mapmaker.grid import Floats, Spot
from mapmaker.lattice import Lattice, Side

AT_TOWN = 0.06  # hexes
SAME_NAME = 0.5  # hexes
WATER = frozenset({"sea", "lake"})
RIVERS = ("minor_river", "major_river")
SIDE_KINDS = (*RIVERS, "sea", "lake", "ice_road", "strait", "causeway", "border")


class HexDraft(msgspec.Struct):
    """What will stand in a row of ``hexes.csv``."""

    terrain: str = "clear"
    city: str = ""
    name: str = ""
    port: str = ""
    country: str = ""
    features: set[str] = set()
    note: str = ""

    @property
    def is_water(self) -> bool:
        """Whether land units can't stand here."""
        return self.terrain in WATER


class SideFact(msgspec.Struct):
    """A name and a note for one kind of a hexside."""

    name: str = ""
    note: str = ""


class RailFact(msgspec.Struct):
    """The railway lines between two hexes; *opened* is empty if one of them was open in June 1941."""

    lines: list[str] = []
    opened: str = ""
    note: str = ""


class Course(NamedTuple):
    """A river's way along hexsides: the corners passed, and the kind of each hexside between them."""

    name: str
    corners: tuple[int, ...]
    sides: tuple[Side, ...]
    kinds: tuple[str, ...]


class Draft:
    """The map while it is being made.

    Attributes:
        hexes: every hex of the lattice.          sides: hexside → kind → its name and note.
        rails: hexside that railways cross → which. courses: rivers as they were laid, for lettering.
        places: town → its hex.                   town_points: town → its true point in the plane.
        corrected_rails: hexes whose railways a correction set. corrected_sides: hexsides that a correction gave something.
        notes: what the scale swallowed.
        unmade: what the pipeline could not place, one line each.
    """

    def __init__(self, lattice: Lattice) -> None:
        self.lattice = lattice
        self.hexes: dict[Spot, HexDraft] = {spot: HexDraft() for spot in lattice.spots}
        self.sides: dict[Side, dict[str, SideFact]] = {}
        self.rails: dict[Side, RailFact] = {}
        self.courses: list[Course] = []
        self.places: dict[str, Spot] = {}
        self.town_points: dict[str, tuple[float, float]] = {}
        self.corrected_rails: set[Spot] = set()
        self.corrected_sides: set[Side] = set()
        self.notes: list[str] = []
        self.unmade: list[str] = []

    def add_side(self, side: Side, kind: str, name: str = "", note: str = "") -> None:
        """Give a hexside a kind."""
        assert kind in SIDE_KINDS, kind
        self.sides.setdefault(side, {})[kind] = SideFact(name, note)

    def has_side(self, side: Side, *kinds: str) -> bool:
        """Say whether a hexside is of one of these kinds."""
        return any(kind in self.sides.get(side, {}) for kind in kinds)

    def rail_ways(self) -> Counter[Spot]:
        """Return how many hexsides of each hex a railway crosses."""
        return Counter(spot for where in self.rails for spot in where)

    def is_land(self, spot: Spot) -> bool:
        """Say whether land units can stand in a hex."""
        found = self.hexes.get(spot)
        return found is not None and not found.is_water

    def is_wet(self, side: Side) -> bool:
        """Say whether a hexside lies in the sea, in a lake, or on their shore."""
        return any(self.hexes[spot].is_water for spot in side) or self.has_side(side, *WATER)

    def town_at(self, point: Floats, name: str = "") -> Spot | None:
        """Return the hex of the town of this *name* or any other that lies at a point, give or take a few km."""
        if name in self.places and math.dist(self.town_points[name], point) < SAME_NAME:
            return self.places[name]
        gaps = [(math.hypot(x - point[0], y - point[1]), name) for name, (x, y) in self.town_points.items()]
        gap, nearest = min(gaps, default=(math.inf, ""))
        return self.places[nearest] if gap < AT_TOWN else None
