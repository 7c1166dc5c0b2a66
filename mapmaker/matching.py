"""Follow a line drawn on the globe by steps on a web of points: rivers along hexsides, railways through hexes.

The line is sampled at even steps. A state is (node, sample): the path stands at the node when it has come so far along the
line. A step costs the squared gap between itself and the piece of the line that it stands for, so the cheapest walk from the
line's start to its end is the one that stays closest to it *in order*: a bend is not cut off, however near its ends come.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np

from mapmaker.grid import Floats

STEP = 0.25  # between samples, in hexes
SKIP = 0.45  # the price of each hex of line left out at a loose end
END_REACH = 0.5  # a wanted last node may stand for samples so much further off
LENGTH = 0.04  # the price of each hex of path, so that it doesn't dawdle

Node = int


class Move(NamedTuple):
    """A step on the web: where to, the point halfway, its length, a key for the caller, and a price of its own."""

    to: Node
    middle: tuple[float, float]
    length: float
    key: object
    price: float


class Walk(NamedTuple):
    """The result: moves in order, each with the sample of the line that its middle stands for; and the nodes passed."""

    keys: tuple[object, ...]
    samples: tuple[int, ...]
    nodes: tuple[Node, ...]
    cost: float


class Ends(NamedTuple):
    """Where a walk may begin or stop.

    Attributes:
        first: None for any node near the start, else these nodes only.
        last: the same at the end.
        closed: nodes that a walk may begin or stop at but not pass (another river).
        loose: how far (in hexes) before its end the line may be left, or after its start taken up.
    """

    first: frozenset[Node] | None = None
    last: frozenset[Node] | None = None
    closed: frozenset[Node] = frozenset()
    loose: tuple[float, float] = (0.0, 0.0)


def resample(points: Floats, *, step: float = STEP) -> tuple[Floats, Floats]:
    """Return evenly spaced points along a polyline, and the vertex number (with fraction) that each stands at."""
    gaps = np.hypot(*np.diff(points, axis=0).T)
    along = np.r_[0.0, np.cumsum(gaps)]
    count = max(2, round(along[-1] / step) + 1)
    at = np.linspace(0.0, along[-1], count)
    vertex = np.interp(at, along, np.arange(len(points)))
    return np.c_[np.interp(at, along, points[:, 0]), np.interp(at, along, points[:, 1])], vertex


def near(points: Floats, line: Floats, radius: float) -> list[int]:
    """Return which of *points* (n × 2) lie within *radius* of a sample of *line*."""
    low, high = line.min(0) - radius, line.max(0) + radius
    box = np.flatnonzero(((points >= low) & (points <= high)).all(1))
    gaps = ((points[box, None, :] - line[None, :, :]) ** 2).sum(-1).min(1)
    found: list[int] = box[gaps < radius * radius].tolist()
    return found


def follow(
    line: Floats,
    nodes: Mapping[Node, tuple[float, float]],
    moves: Callable[[Node], Iterable[Move]],
    *,
    reach: float,
    window: float,
    ends: Ends,
) -> Walk | None:
    """Return the cheapest walk along *line* (evenly sampled, n × 2), or None if there is none.

    *nodes* are the points near the line that may be used; a node further than *reach* from a sample can't stand for it, and
    one move can't stand for more than *window* hexes of the line.
    """
    if not nodes:
        return None
    return _Search(line, nodes, moves, reach, max(1, round(window / STEP)), ends).run()


class _Search:
    """Dijkstra's search over (node, sample)."""

    def __init__(
        self,
        line: Floats,
        nodes: Mapping[Node, tuple[float, float]],
        moves: Callable[[Node], Iterable[Move]],
        reach: float,
        window: int,
        ends: Ends,
    ) -> None:
        self.moves, self.window, self.ends = moves, window, ends
        self.line: list[tuple[float, float]] = [(x, y) for x, y in line.tolist()]  # lists: numpy is slow one by one
        self.last = len(line) - 1
        names = list(nodes)
        points = np.array([nodes[name] for name in names])
        gaps = ((points[:, None, :] - line[None, :, :]) ** 2).sum(-1)
        self.gap: dict[Node, list[float]] = dict(zip(names, gaps.tolist(), strict=True))
        self.limit, self.limit_at_end = reach * reach, (reach + END_REACH) ** 2

    def run(self) -> Walk | None:
        best: dict[tuple[Node, int], float] = {}
        came: dict[tuple[Node, int], tuple[tuple[Node, int], Move, int]] = {}
        queue: list[tuple[float, int, Node]] = []
        for cost, sample, node in self._starts():
            if cost < best.get((node, sample), np.inf):
                best[node, sample] = cost
                heapq.heappush(queue, (cost, sample, node))
        goal: tuple[float, tuple[Node, int]] | None = None
        while queue:
            cost, sample, node = heapq.heappop(queue)
            state = (node, sample)
            if goal and cost >= goal[0]:
                break
            if cost > best[state]:
                continue
            rest = self._price_of_stopping(node, sample)
            if state in came and rest is not None and (goal is None or cost + rest < goal[0]):
                goal = (cost + rest, state)
            if node in self.ends.closed and state in came:
                continue
            for move in self.moves(node):
                for after, price in self._landings(node, sample, move):
                    total = cost + price
                    there = (move.to, after)
                    if total < best.get(there, np.inf):
                        best[there] = total
                        came[there] = (state, move, (sample + after) // 2)
                        heapq.heappush(queue, (total, after, move.to))
        return _walk_back(goal, came) if goal else None

    def _starts(self) -> Iterable[tuple[float, int, Node]]:
        """Yield where the walk may begin, with the price."""
        ahead = round(self.ends.loose[0] / STEP)
        for node, gap in self.gap.items():
            if self.ends.first is not None and node not in self.ends.first:
                continue
            for sample in range(min(ahead, self.last) + 1):
                if gap[sample] <= self.limit:
                    yield SKIP * STEP * sample + gap[sample], sample, node

    def _price_of_stopping(self, node: Node, sample: int) -> float | None:
        """Return the price of ending the walk here; None if it may not end here."""
        left = self.last - sample
        if self.ends.last is not None and node not in self.ends.last:
            return None
        if left * STEP > self.ends.loose[1]:
            return None
        return SKIP * STEP * left + self.gap[node][sample]

    def _landings(self, node: Node, sample: int, move: Move) -> Iterable[tuple[int, float]]:
        """Yield the samples that the move may end at, with its price (Simpson's rule over the squared gap)."""
        gap = self.gap.get(move.to)
        if gap is None:
            return
        start = self.gap[node][sample]
        limit = self.limit_at_end if move.to in (self.ends.last or ()) else self.limit
        mx, my = move.middle
        for after in range(sample, min(sample + self.window, self.last) + 1):
            end = gap[after]
            if end > limit:
                continue
            px, py = self.line[(sample + after) // 2]
            middle = (mx - px) ** 2 + (my - py) ** 2
            yield after, move.length * ((start + 4 * middle + end) / 6 + LENGTH) + move.price


def _walk_back(
    goal: tuple[float, tuple[Node, int]], came: dict[tuple[Node, int], tuple[tuple[Node, int], Move, int]]
) -> Walk:
    cost, state = goal
    keys: list[object] = []
    samples: list[int] = []
    nodes = [state[0]]
    while state in came:
        state, move, sample = came[state]
        keys.append(move.key)
        samples.append(sample)
        nodes.append(state[0])
    return Walk(tuple(reversed(keys)), tuple(reversed(samples)), tuple(reversed(nodes)), cost)
