"""What graph libraries must do when one stack moves: their graph hangs on zones of control, so the edges that a line may take change.

All are given what is cheap: zones are counted up and down in place, what is blocked is found by numpy, and a side for which nothing was
blocked or opened is left as it is. None has a search that goes on from the last answer, so each searches anew.
"""

from __future__ import annotations

from typing import Any

import networkx
import numpy as np
from scipy import sparse

from benchmarks.kit import graphs
from benchmarks.kit.ground import Scene
from core_ext.grid import Bytes
from core_ext.supply import Lines
from core_ext.zoc import ZocField

Move = tuple[int, int, int]   # side, from, to


def some_moves(scene: Scene, count: int, *, seed: int = 3) -> list[Move]:
    """Return moves of at most *count* different stacks of both sides to a neighbour, then the same ones back in reverse.

    They happen at the front, where they change what is blocked to both sides: from or to a hex in an enemy zone.
    """
    random = np.random.default_rng(seed)
    grid = scene.ground.grid
    chosen: list[Move] = []
    for side, held in enumerate(scene.sides):
        enemy = ZocField(grid)
        enemy.add_all(scene.sides[1 - side].units, scene.ground.passes)
        zone = enemy.mask()
        for here in random.permutation(held.units).tolist():
            ring = [there for there in grid.neighbours[6 * here : 6 * here + 6].tolist() if there >= 0]
            there = int(random.choice(ring))
            if len(chosen) < (side + 1) * count // 2 and (zone[here] or zone[there]):
                chosen.append((side, here, there))
    assert chosen, "no stack is at the front"
    chosen = [chosen[place] for place in random.permutation(len(chosen))]
    return chosen + [(side, there, here) for side, here, there in reversed(chosen)]


class Library:
    """Both sides as a program has them that uses a graph library.

    Attributes:
        blocked: uint8[size] a side.
        found: what the library last answered for each side.
    """

    name: str

    def __init__(self, scene: Scene, lines: Lines) -> None:
        ground = scene.ground
        which = (ground.grid.neighbours >= 0) & (ground.passes != 0)
        self.rings = [ground.grid.neighbours[6 * hex_ : 6 * hex_ + 6][which[6 * hex_ : 6 * hex_ + 6]] for hex_ in range(ground.grid.size)]
        self.sources = [side.sources for side in scene.sides]
        self.standing = np.zeros((2, ground.grid.size), np.int16)
        self.counts = np.zeros((2, ground.grid.size), np.int16)
        for side, held in enumerate(scene.sides):
            np.add.at(self.standing[side], held.units, 1)
            for unit in held.units:
                self.counts[side, self.rings[unit]] += 1
        self.graph = graphs.SupplyGraph(scene, lines.by_side)
        self.blocked = [self._blocked(side) for side in range(2)]
        self.found: list[Any] = [None, None]
        self.begin()
        for side in range(2):
            self.found[side] = self.search(side, self.blocked[side])

    def _blocked(self, side: int) -> Bytes:
        enemy = 1 - side
        blocked: Bytes = (self.standing[enemy] > 0) | ((self.counts[enemy] > 0) & (self.standing[side] == 0))
        return blocked.view(np.uint8)

    def move(self, side: int, here: int, there: int) -> None:
        """Do what must be done when a stack of *side* goes from *here* to *there*."""
        self.standing[side, here] -= 1
        self.standing[side, there] += 1
        self.counts[side, self.rings[here]] -= 1
        self.counts[side, self.rings[there]] += 1
        for each in range(2):
            blocked = self._blocked(each)
            if not np.array_equal(blocked, self.blocked[each]):
                self.found[each] = self.search(each, blocked)
                self.blocked[each] = blocked

    def begin(self) -> None:
        """Prepare what lasts."""

    def search(self, side: int, blocked: Bytes) -> Any:
        """Rebuild the graph for *blocked* hexes, and return the distances on it."""
        raise NotImplementedError


class ByScipy(Library):
    """Its matrix keeps its structure; all costs are written anew."""

    name = "scipy, rebuilt"

    def search(self, side: int, blocked: Bytes) -> Any:
        """Write all costs, and search."""
        return graphs.supply_by_scipy(self.graph.scipy(blocked), self.sources[side], blocked)


class InPlaceByScipy(Library):
    """Its matrix is kept, and only the rows of hexes that were blocked or opened are written: nobody can rebuild less."""

    name = "scipy, rows changed in place"

    def begin(self) -> None:
        """Make both matrices."""
        costs = [np.where(self.graph.open_edges(mask), self.graph.cost, np.inf) for mask in self.blocked]
        shape = (self.graph.size, self.graph.size)
        self.matrices = [sparse.csr_array((each, self.graph.tail, self.graph.index), shape=shape) for each in costs]

    def search(self, side: int, blocked: Bytes) -> Any:
        """Write some rows, and search."""
        costs, index = self.matrices[side].data, self.graph.index
        for hex_ in np.flatnonzero(blocked != self.blocked[side]):
            row = slice(index[hex_], index[hex_ + 1])
            costs[row] = np.inf if blocked[hex_] else self.graph.cost[row]
        return graphs.supply_by_scipy(self.matrices[side], self.sources[side], blocked)


class ByNetworkx(Library):
    """Its graph is made from lists."""

    name = "networkx, rebuilt"

    def search(self, side: int, blocked: Bytes) -> Any:
        """Make the graph, and search."""
        made: networkx.DiGraph = self.graph.networkx(blocked)
        return graphs.supply_by_networkx(made, self.sources[side], blocked)


class ByRustworkx(Library):
    """Its graph is made from lists."""

    name = "rustworkx, rebuilt"

    def search(self, side: int, blocked: Bytes) -> Any:
        """Make the graph, and search."""
        return graphs.supply_by_rustworkx(self.graph.rustworkx(blocked, self.sources[side]))
