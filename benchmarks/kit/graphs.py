"""The same work by graph libraries: scipy, rustworkx and networkx.

Each is given its graph in the form that it is fastest with. `rebuild` makes that graph for the position after a move, `search` answers
on a graph that is ready. scipy gives next hexes and sources as we do; rustworkx and networkx are asked for distances alone,
which is less work than ours. rustworkx takes no limit and searches on to the end of the board.
"""

from __future__ import annotations

from typing import Any

import networkx
import numpy as np
import numpy.typing as npt
import rustworkx
from scipy import sparse
from scipy.sparse import csgraph

from benchmarks.kit.ground import SUPPLY_LIMIT, Ground, Scene
from core_ext.grid import FORBIDDEN, UNREACHED, Bytes, Grid, Ints, Shorts

Distances = npt.NDArray[np.int64]


def edges(grid: Grid, by_side: Shorts, most: int) -> tuple[Ints, Ints, Shorts]:
    """Return the open steps as three arrays: from, to, cost; those dearer than *most* lead nowhere and are left out."""
    which = np.flatnonzero((grid.neighbours >= 0) & (by_side <= most))
    return (which // 6).astype(np.int32), grid.neighbours[which], by_side[which]


class Adjacency:
    """Zones of control as a product of a matrix with the units that stand in each hex."""

    def __init__(self, ground: Ground) -> None:
        grid = ground.grid
        which = np.flatnonzero((grid.neighbours >= 0) & (ground.passes != 0))
        shape = (grid.size, grid.size)
        ones = np.ones(len(which), np.int16)
        self.into = sparse.csr_array((ones, (grid.neighbours[which], which // 6)), shape=shape)
        self.size = grid.size
        self.rings = [[int(there) for there in grid.neighbours[which[which // 6 == here]]] for here in range(grid.size)]

    def by_scipy(self, units: Ints) -> npt.NDArray[np.int16]:
        """Return how many exert into each hex."""
        standing = np.zeros(self.size, np.int16)
        standing[units] = 1
        found: npt.NDArray[np.int16] = self.into @ standing
        return found

    def by_lists(self, units: list[int]) -> list[int]:
        """Return the same, hex by hex, as a program without arrays would."""
        counts = [0] * self.size
        for unit in units:
            for there in self.rings[unit]:
                counts[there] += 1
        return counts


class SupplyGraph:
    """Lines of supply backwards from the sources; a blocked hex is left by no edge."""

    def __init__(self, scene: Scene, by_side: Shorts) -> None:
        grid = scene.ground.grid
        self.size = grid.size
        tail, head, cost = edges(grid, by_side, FORBIDDEN - 1)
        order = np.lexsort((tail, head))
        self.head, self.tail, self.cost = head[order], tail[order], cost[order].astype(np.float64)
        self.index = np.searchsorted(self.head, np.arange(grid.size + 1)).astype(np.int32)

    def open_edges(self, blocked: Bytes) -> npt.NDArray[np.bool_]:
        """Return which edges are there when *blocked* hexes are left by none."""
        mask: npt.NDArray[np.bool_] = blocked[self.head] == 0
        return mask

    def scipy(self, blocked: Bytes) -> Any:
        """Rebuild for scipy: the graph stays, closed edges become infinitely long."""
        costs = np.where(self.open_edges(blocked), self.cost, np.inf)
        return sparse.csr_array((costs, self.tail, self.index), shape=(self.size, self.size))

    def networkx(self, blocked: Bytes) -> networkx.DiGraph:
        """Rebuild for networkx."""
        graph = networkx.DiGraph()
        graph.add_nodes_from(range(self.size))
        graph.add_weighted_edges_from(self._triples(blocked))
        return graph

    def rustworkx(self, blocked: Bytes, sources: Ints) -> rustworkx.PyDiGraph:
        """Rebuild for rustworkx, with one node more, from which the sources are reached for nothing."""
        graph = rustworkx.PyDiGraph(multigraph=False)
        graph.add_nodes_from(range(self.size + 1))
        graph.add_edges_from(self._triples(blocked))
        graph.add_edges_from([(self.size, int(source), 0.0) for source in sources if not blocked[source]])
        return graph

    def _triples(self, blocked: Bytes) -> list[tuple[int, int, float]]:
        open_ = self.open_edges(blocked)
        return list(zip(self.head[open_].tolist(), self.tail[open_].tolist(), self.cost[open_].tolist(), strict=True))


def supply_by_scipy(graph: Any, sources: Ints, blocked: Bytes) -> npt.NDArray[np.float64]:
    """Return the distance of each hex; the way and the source are found as well."""
    found, _, _ = csgraph.dijkstra(
        graph, indices=sources[blocked[sources] == 0], min_only=True, limit=SUPPLY_LIMIT, return_predecessors=True
    )
    distances: npt.NDArray[np.float64] = found
    return distances


def supply_by_networkx(graph: networkx.DiGraph, sources: Ints, blocked: Bytes) -> dict[int, float]:
    """Return the distance of each hex that has a line."""
    open_sources = [int(source) for source in sources if not blocked[source]]
    found: dict[int, float] = networkx.multi_source_dijkstra_path_length(graph, open_sources, cutoff=SUPPLY_LIMIT)
    return found


def supply_by_rustworkx(graph: rustworkx.PyDiGraph) -> Any:
    """Return the distance of each hex, however far."""
    return rustworkx.digraph_dijkstra_shortest_path_lengths(graph, graph.num_nodes() - 1, float)


class ReachGraph:
    """One unit's moves; a step that costs more than the budget is left out."""

    def __init__(self, scene: Scene, costs: Shorts, budget: int) -> None:
        size = scene.ground.grid.size
        tail, head, cost = edges(scene.ground.grid, costs, budget)
        self.budget = budget
        self.scipy = sparse.csr_array((cost.astype(np.float64), (tail, head)), shape=(size, size))
        triples = list(zip(tail.tolist(), head.tolist(), cost.tolist(), strict=True))
        self.networkx = networkx.DiGraph()
        self.networkx.add_nodes_from(range(size))
        self.networkx.add_weighted_edges_from(triples)
        self.rustworkx = rustworkx.PyDiGraph(multigraph=False)
        self.rustworkx.add_nodes_from(range(size))
        self.rustworkx.add_edges_from(triples)

    def by_scipy(self, start: int) -> npt.NDArray[np.float64]:
        """Return the cost of each hex; the way is found as well."""
        found, _ = csgraph.dijkstra(self.scipy, indices=start, limit=self.budget, return_predecessors=True)
        costs: npt.NDArray[np.float64] = found
        return costs

    def by_networkx(self, start: int) -> dict[int, float]:
        """Return the cost of each hex that is reached."""
        found: dict[int, float] = networkx.single_source_dijkstra_path_length(self.networkx, start, cutoff=self.budget)
        return found

    def by_rustworkx(self, start: int) -> Any:
        """Return the cost of each hex, however far."""
        return rustworkx.digraph_dijkstra_shortest_path_lengths(self.rustworkx, start, float)


def as_ints(size: int, found: Any, most: int) -> Ints:
    """Return a library's answer as ours is written."""
    out = np.full(size, UNREACHED, np.int32)
    if isinstance(found, np.ndarray):
        near = np.isfinite(found) & (found <= most)
        out[near] = found[near]
        return out
    for node, distance in found.items():
        if node < size and distance <= most:
            out[node] = int(distance)
    return out
