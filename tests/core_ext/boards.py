"""Small boards for the kernels' tests, numbered like the map of War for the Motherland."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from core_ext.grid import Grid

EAST, NORTH_EAST, NORTH_WEST, WEST, SOUTH_WEST, SOUTH_EAST = range(6)


class Rows:
    """A board of straight rows: label ``line * 100 + position``; positions grow west, even lines lie half a hex east."""

    def __init__(self, first_line: int, lines: int, first_position: int, positions: int) -> None:
        self.labels = [100 * (first_line + line) + first_position + place for line in range(lines) for place in range(positions)]
        self.index = {label: index for index, label in enumerate(self.labels)}
        self.grid = Grid(np.array([self.index.get(each, -1) for label in self.labels for each in ring(label)], np.int32))

    def __getitem__(self, label: int) -> int:
        return self.index[label]

    def side(self, label: int, other: int) -> int:
        """Return the index of the directed hexside from one label to the other."""
        return 6 * self[label] + self.grid.side(self[label], self[other])

    def names(self, hexes: list[int]) -> list[int]:
        """Return labels for hexes."""
        return [self.labels[each] for each in hexes]

    def marked(self, *labels: int) -> npt.NDArray[np.uint8]:
        """Return a mask with 1 at *labels*."""
        mask = np.zeros(self.grid.size, np.uint8)
        mask[[self[label] for label in labels]] = 1
        return mask

    def by_side(self, value: int) -> npt.NDArray[np.int16]:
        """Return costs of *value* over every hexside."""
        return np.full(6 * self.grid.size, value, np.int16)


def ring(label: int) -> list[int]:
    """Return the labels round a label, by side."""
    line, position = divmod(label, 100)
    east = position - 1 if line % 2 == 0 else position   # the neighbours to the north-east and south-east
    return [
        label - 1, 100 * (line - 1) + east, 100 * (line - 1) + east + 1,
        label + 1, 100 * (line + 1) + east + 1, 100 * (line + 1) + east,
    ]


@st.composite
def grids(draw: st.DrawFn) -> Grid:
    """Boards of up to 64 hexes, some with hexsides that no hex lies behind."""
    rows = Rows(draw(st.integers(10, 11)), draw(st.integers(1, 8)), 10, draw(st.integers(1, 8)))
    neighbours = rows.grid.neighbours.copy()
    for edge in draw(st.lists(st.integers(0, len(neighbours) - 1), max_size=20)):
        if neighbours[edge] >= 0:
            neighbours[rows.grid.across[edge]] = -1
            neighbours[edge] = -1
    return Grid(neighbours)


@st.composite
def randoms(draw: st.DrawFn) -> np.random.Generator:
    """A source of random arrays, for what is too long to draw entry by entry."""
    return np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
