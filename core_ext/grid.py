"""The grid that all kernels share: who neighbours whom, and the checks of arrays that are handed in.

Hexes are the integers from 0 to ``size - 1``. Sides are numbered 0 to 5 round the hex; the opposite of side *s* is
``(s + 3) % 6``. An array *by hexside* has ``6 * size`` entries, is indexed ``6 * hex + side``, and is directed: the entry tells
of leaving *hex* over *side*.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from core_ext._grid import stranger

FORBIDDEN = 0x3FFF
"""A cost from here on closes the hexside, the hex or the change of mode that it stands for."""

UNREACHED = 0x7FFFFFFF
"""The cost or distance of a hex that was not reached."""

UNLIMITED = 0x3FFFFFFF
"""A limit that no board can exhaust."""

Bytes = npt.NDArray[np.uint8]
Shorts = npt.NDArray[np.int16]
Ints = npt.NDArray[np.int32]
Hexes = Iterable[int] | Ints


class Spares:
    """Scratch arrays that searches lend to each other: fresh memory costs more than a small search does.

    Any number of threads may take and give; what is given back must be used no longer.
    """

    __slots__ = ("_arrays",)

    def __init__(self) -> None:
        self._arrays: list[Ints] = []

    def take(self, length: int) -> Ints:
        """Return an array of *length* or more, with anything in it."""
        try:
            array = self._arrays.pop()   # one step, so that no two threads get the same
        except IndexError:
            return np.empty(length, np.int32)
        return array if len(array) >= length else np.empty(length, np.int32)

    def give(self, array: Ints) -> None:
        """Keep *array* for the next."""
        self._arrays.append(array)


@dataclass(frozen=True, eq=False)
class Grid:
    """The neighbours of each hex, checked once; -1 where the board ends.

    >>> Grid(np.array([1, -1, -1, -1, -1, -1, -1, -1, -1, 0, -1, -1], np.int32)).size
    2

    Raises:
        ValueError: wrong type or shape, a neighbour that is not on the board, or one that does not answer over the opposite side.
    """

    neighbours: Ints
    size: int = field(init=False)
    across: Ints = field(init=False, repr=False)   # each hexside seen from the other hex; its own where there is none
    spares: Spares = field(init=False, repr=False)
    no_bytes: Bytes = field(init=False, repr=False)
    no_shorts: Shorts = field(init=False, repr=False)

    def __post_init__(self) -> None:
        size = len(self.neighbours) // 6
        check("neighbours", self.neighbours, np.int32, (6 * size,))
        if size == 0:
            raise ValueError("neighbours: expected at least one hex, got none")
        place = stranger(self.neighbours, -1, size)
        if place >= 0:
            raise ValueError(f"neighbours: expected -1 or a hex below {size}, got {int(self.neighbours[place])}")
        self._check_opposites(size)
        made: dict[str, npt.NDArray[Any]] = {
            "across": self._across(size),
            "no_bytes": np.zeros(size, np.uint8),
            "no_shorts": np.zeros(size, np.int16),
        }
        for name, value in made.items():
            value.flags.writeable = False
            object.__setattr__(self, name, value)
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "spares", Spares())

    def _across(self, size: int) -> Ints:
        sides = np.arange(6 * size, dtype=np.int32)
        there: Ints = np.where(self.neighbours < 0, sides, 6 * self.neighbours + (sides + 3) % 6)
        return there

    def _check_opposites(self, size: int) -> None:
        """Refuse a hexside that only one of its two hexes knows."""
        sides = np.flatnonzero(self.neighbours >= 0)
        there = 6 * self.neighbours[sides] + (sides % 6 + 3) % 6
        lonely = sides[self.neighbours[there] != sides // 6]
        if len(lonely):
            hex_, side = divmod(int(lonely[0]), 6)
            other = int(self.neighbours[lonely[0]])
            raise ValueError(
                f"neighbours: expected {hex_} over side {(side + 3) % 6} of {other}, as {other} lies over side {side} of {hex_};"
                f" got {int(self.neighbours[6 * other + (side + 3) % 6])}"
            )

    def side(self, hex_: int, there: int) -> int:
        """Return the side of *hex_* over which its neighbour *there* lies; ``ValueError`` if it is none."""
        for side in range(6):
            if self.neighbours[6 * hex_ + side] == there:
                return side
        raise ValueError(f"there: {there} is no neighbour of {hex_}")

    def require(self, name: str, hex_: int) -> None:
        """Refuse a hex that is not on the board."""
        if not 0 <= hex_ < self.size:
            raise ValueError(f"{name}: expected a hex from 0 to {self.size - 1}, got {hex_}")

    def hexes(self, name: str, hexes: Hexes) -> Ints:
        """Return *hexes* as the array that kernels take; refuse any that is not on the board."""
        found = hexes if isinstance(hexes, np.ndarray) else np.array(list(hexes), np.int32)
        check(name, found, np.int32, (len(found),))
        place = stranger(found, 0, self.size)
        if place >= 0:
            raise ValueError(f"{name}: expected hexes from 0 to {self.size - 1}, got {int(found[place])}")
        return found


def check(name: str, array: Any, dtype: type[np.generic], shape: tuple[int, ...]) -> None:
    """Refuse an array that a kernel could not take as it is.

    Raises:
        ValueError: names the array, what was expected and what came.
    """
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{name}: expected a numpy array, got {type(array).__name__}")
    if array.dtype.type is not dtype or array.shape != shape:
        raise ValueError(f"{name}: expected {dtype.__name__}{list(shape)}, got {array.dtype}{list(array.shape)}")
    if not array.flags.c_contiguous:
        raise ValueError(f"{name}: expected a contiguous array, got a strided view")


def check_costs(name: str, array: Any, shape: tuple[int, ...], *, least: int) -> None:
    """Refuse costs of the wrong type or shape, or below *least*."""
    check(name, array, np.int16, shape)
    if array.size and (low := int(array.min())) < least:
        raise ValueError(f"{name}: expected costs of {least} or more, got {low} at index {int(array.argmin())}")
