"""The map as the game knows it: hexes, hexsides, terrain, numbering, distances. Immutable once built.

Hexes are dense integers 0 … size-1 in the order of their labels; labels (``E4312``) belong to the board. Sides are numbered
0 … 5 counterclockwise from the east-most, so that the opposite of side *s* is ``(s + 3) % 6``.  Arrays over hexsides are
flat and directed: index ``6 * hex + side`` is the step out of *hex* over *side*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property, wraps
from types import MappingProxyType
from typing import Any, NewType, TypeVar, TypeVarTuple

import msgspec
import numpy as np
import numpy.typing as npt

Ts = TypeVarTuple("Ts")
R = TypeVar("R")
Hex = NewType("Hex", int)
Place = int  # a hex, or a box: negative

NEAR, NEAR_HEXES = " near ", 3  # stands between a hex's label and the name of a place that lies no more hexes away

OUT: Place = -1  # the box of all that is out of play
SIDES = 6

# Cube steps (dq, dr) of the six sides, counterclockwise; opposite sides are three apart.
STEPS = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))
_SIDE_OF = {step: side for side, step in enumerate(STEPS)}


class HexFacts(msgspec.Struct, frozen=True):
    """What is printed in one hex.

    *city* is ``"minor"``, ``"major"`` or empty; *port* names its sea; *features* are the pack's own words.
    """

    label: str
    q: int
    r: int
    x: float
    y: float
    terrain: str
    city: str = ""
    name: str = ""
    port: str = ""
    country: str = ""
    features: frozenset[str] = frozenset()


class Board:
    """A map in play.

    Args:
        facts: one a hex, in the order that numbers them.
        sides: kinds of each hexside that has any, keyed by its two labels in either order.
        orientation: ``"pointy-top"`` or ``"flat-top"``.
        boxes: names of the boxes beside the map, after ``out``.
        aliases: other labels of hexes that joined map sections share, and the labels they stand for.

    Attributes:
        neighbours: int32[6 * size], -1 off the board.
        around: the same as a list, which a look-up or six read faster.
        terrain_of: int16[size], index into *terrains*.
        side_kinds: uint32[6 * size], bit *i* set for ``kinds[i]``; the same seen from both hexes.
        worked_out: what `once_a_board` keeps.
    """

    def __init__(
        self,
        facts: Iterable[HexFacts],
        sides: Mapping[tuple[str, str], Iterable[str]],
        *,
        orientation: str = "pointy-top",
        boxes: Iterable[str] = (),
        aliases: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.facts = tuple(facts)
        self.size = len(self.facts)
        self.orientation = orientation
        self.boxes = ("out", *boxes)
        self.labels = tuple(fact.label for fact in self.facts)
        self._index = {label: Hex(i) for i, label in enumerate(self.labels)}
        self._index |= {alias: self._index[label] for alias, label in aliases.items()}
        self._boxes = {name: -1 - i for i, name in enumerate(self.boxes)}
        self._cube = tuple((fact.q, fact.r) for fact in self.facts)
        self._at_cube = {cube: Hex(i) for i, cube in enumerate(self._cube)}
        self.neighbours = self._find_neighbours()
        self.around: list[Hex] = self.neighbours.tolist()
        self.adjacent: tuple[tuple[Hex, ...], ...] = tuple(
            [tuple([there for there in self.around[6 * i : 6 * i + 6] if there >= 0]) for i in range(self.size)]
        )
        self.terrains = tuple(sorted({fact.terrain for fact in self.facts}))
        number_of = {terrain: number for number, terrain in enumerate(self.terrains)}
        self.terrain_of = np.array([number_of[fact.terrain] for fact in self.facts], dtype=np.int16)
        self.kinds, self.side_kinds = self._read_sides(sides)
        self._flags: list[int] = self.side_kinds.tolist()   # a single look-up reads a list faster
        self._bits: dict[tuple[str, ...], int] = {}
        self.terrain_of.flags.writeable = False
        self.worked_out: dict[tuple[object, ...], Any] = {}
        self._rings: dict[tuple[Hex, int], frozenset[Hex]] = {}
        self._around = tuple(frozenset((Hex(i), *ring)) for i, ring in enumerate(self.adjacent))

    def _find_neighbours(self) -> npt.NDArray[np.int32]:
        at = self._at_cube
        out = np.array([at.get((q + dq, r + dr), -1) for q, r in self._cube for dq, dr in STEPS], dtype=np.int32)
        out.flags.writeable = False
        return out

    def _read_sides(
        self, sides: Mapping[tuple[str, str], Iterable[str]]
    ) -> tuple[tuple[str, ...], npt.NDArray[np.uint32]]:
        kinds = tuple(sorted({kind for some in sides.values() for kind in some}))
        bit_of = {kind: 1 << number for number, kind in enumerate(kinds)}
        found = [0] * (6 * self.size)
        for (one, other), some in sides.items():
            here, there = self._index[one], self._index[other]
            bits = sum([bit_of[kind] for kind in set(some)])
            found[6 * here + self.side_to(here, there)] |= bits
            found[6 * there + self.side_to(there, here)] |= bits
        flags = np.array(found, dtype=np.uint32)
        flags.flags.writeable = False
        return kinds, flags

    # ---------------------------------------------------------------- names

    def hex(self, label: str) -> Hex:
        """Return the hex with this label.

        Raises:
            KeyError: no such hex is in play.
        """
        return self._index[label]

    def has(self, label: str) -> bool:
        """Say whether a hex of this label is in play."""
        return label in self._index

    def box(self, name: str) -> Place:
        """Return the place of a box; KeyError if the pack declares none of this name."""
        return self._boxes[name]

    def label(self, place: Place) -> str:
        """Return a hex's label or a box's name."""
        return self.labels[place] if place >= 0 else self.boxes[-1 - place]

    def place(self, label: str) -> Place:
        """Return the hex or box of this label."""
        return self._index[label] if label in self._index else self._boxes[label]

    def name(self, place: Place) -> str:
        """Return how people call a place: ``Stalingrad (E4708)``, ``E4512 near Kalach``, ``E4512`` where no named place is near."""
        return self._names[place] if place >= 0 else self.boxes[-1 - place]

    @cached_property
    def _names(self) -> tuple[str, ...]:
        near = self._near()
        return tuple(
            f"{fact.name} ({fact.label})" if fact.name else f"{fact.label}{NEAR}{near[here]}" if here in near else fact.label
            for here, fact in enumerate(self.facts)
        )

    def _near(self) -> dict[int, str]:
        """Return the named place that is nearest to each hex, as far as any is near; of two as far away, the larger."""
        rank = {"major": 0, "minor": 1}
        named = sorted((here for here, fact in enumerate(self.facts) if fact.name), key=lambda here: rank.get(self.facts[here].city, 2))
        near = ring = {int(here): self.facts[here].name for here in named}
        for _ in range(NEAR_HEXES):
            edge, ring = ring, {}
            for here, name in edge.items():
                for there in self.adjacent[here]:
                    if there not in near:
                        ring.setdefault(there, name)
            near = near | ring
        return near

    # ---------------------------------------------------------------- shape

    def neighbour(self, here: Hex, side: int) -> Hex | None:
        """Return the hex over *side*, None at the edge of the board."""
        there = int(self.neighbours[6 * here + side])
        return Hex(there) if there >= 0 else None

    def side_to(self, here: Hex, there: Hex) -> int:
        """Return the side of *here* that *there* lies on.

        Raises:
            ValueError: the hexes are no neighbours.
        """
        (q, r), (p, s) = self._cube[here], self._cube[there]
        side = _SIDE_OF.get((p - q, s - r))
        if side is None:
            raise ValueError(f"{self.label(here)} and {self.label(there)} are not adjacent")
        return side

    def are_adjacent(self, here: Hex, there: Hex) -> bool:
        """Say whether two hexes share a hexside."""
        return self.distance(here, there) == 1

    def distance(self, here: Hex, there: Hex) -> int:
        """Return the distance in hexes, terrain ignored."""
        (q, r), (p, s) = self._cube[here], self._cube[there]
        dq, dr = p - q, s - r
        return max(abs(dq), abs(dr), abs(dq + dr))

    def within(self, centre: Hex, radius: int) -> frozenset[Hex]:
        """Return all hexes at most *radius* hexes from *centre*, itself included."""
        key = (centre, radius)
        found = self._rings.get(key)
        if found is None:
            q, r = self._cube[centre]
            at = self._at_cube
            found = self._rings[key] = frozenset([at[q + dq, r + dr] for dq, dr in _steps_within(radius) if (q + dq, r + dr) in at])
        return found

    def ring(self, place: Place) -> frozenset[Place]:
        """Return a hex with those next to it; a box alone."""
        return self._around[place] if place >= 0 else frozenset((place,))

    # ---------------------------------------------------------------- terrain

    def terrain(self, here: Hex) -> str:
        """Return the terrain printed in a hex."""
        return self.facts[here].terrain

    def side_has(self, here: Hex, there: Hex, *kinds: str) -> bool:
        """Say whether the hexside between two neighbours is of any of these *kinds* (``"major_river"``, ``"rail"`` …)."""
        bits = self._bits_of(kinds)
        return bits != 0 and self._flags[6 * here + self.side_to(here, there)] & bits != 0

    def _bits_of(self, kinds: tuple[str, ...]) -> int:
        """Return the bits of some kinds in `side_kinds`."""
        if kinds not in self._bits:
            self._bits[kinds] = sum(1 << self.kinds.index(kind) for kind in kinds if kind in self.kinds)
        return self._bits[kinds]

    def mask(self, *kinds: str) -> npt.NDArray[np.bool_]:
        """Return bool[6 * size]: the directed hexsides that are of any of these *kinds*."""
        found: npt.NDArray[np.bool_] = (self.side_kinds & np.uint32(self._bits_of(kinds))) != 0
        return found


def once_a_board(work: Callable[[Board, *Ts], R]) -> Callable[[Board, *Ts], R]:
    """Keep what a function finds of a board with that board, and so as long: a table by boards would keep the boards of games put away."""

    @wraps(work)
    def found(board: Board, *args: *Ts) -> R:
        key = (work, *args)
        try:
            kept: R = board.worked_out[key]
        except KeyError:
            kept = board.worked_out[key] = work(board, *args)
        return kept

    return found


@cache
def _steps_within(radius: int) -> tuple[tuple[int, int], ...]:
    """Return what leads from a hex to each that lies at most *radius* hexes away, in axial coordinates."""
    span = range(-radius, radius + 1)
    return tuple((dq, dr) for dq in span for dr in span if abs(dq + dr) <= radius)
