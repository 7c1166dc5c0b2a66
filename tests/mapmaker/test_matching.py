"""Lines followed on a web of points, in order."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from mapmaker.grid import Floats
from mapmaker.matching import Ends, Move, Walk, follow, near, resample

SIZE = 12
NODES = {SIZE * y + x: (float(x), float(y)) for x in range(SIZE) for y in range(SIZE)}


def steps(node: int) -> Iterator[Move]:
    """Moves on a square web of unit steps; the key is the pair of nodes."""
    x, y = NODES[node]
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        there = int(SIZE * (y + dy) + x + dx)
        if there in NODES and abs(x + dx - NODES[there][0]) < 0.5:
            yield Move(there, (x + dx / 2, y + dy / 2), 1.0, (node, there), 0.0)


def walk(points: list[tuple[float, float]], ends: Ends = Ends()) -> Walk | None:  # noqa: B008
    line, _ = resample(np.array(points))
    close = near(np.array(list(NODES.values())), line, 1.2)
    names = list(NODES)
    return follow(line, {names[i]: NODES[names[i]] for i in close}, steps, reach=1.2, window=2.5, ends=ends)


def passed(found: Walk | None) -> list[tuple[float, float]]:
    assert found is not None
    return [NODES[node] for node in found.nodes]


def test_a_straight_line_is_followed_straight() -> None:
    assert passed(walk([(1, 3.2), (8, 3.2)])) == [(float(x), 3.0) for x in range(1, 9)]


def test_a_narrow_bend_is_not_cut_off() -> None:
    nodes = passed(walk([(1, 1), (9, 1), (9, 3), (1, 3)]))
    assert (9.0, 1.0) in nodes
    assert (9.0, 3.0) in nodes
    assert nodes[0] == (1.0, 1.0)
    assert nodes[-1] == (1.0, 3.0)


def test_a_closed_node_is_walked_around() -> None:
    closed = frozenset({SIZE * 3 + 5})
    nodes = passed(walk([(1, 3), (9, 3)], Ends(closed=closed)))
    assert (5.0, 3.0) not in nodes
    assert nodes[0] == (1.0, 3.0)
    assert nodes[-1] == (9.0, 3.0)


def test_a_walk_may_stop_at_a_closed_node_within_its_loose_end() -> None:
    goal = frozenset({SIZE * 3 + 8})
    nodes = passed(walk([(1, 3), (9, 3)], Ends(last=goal, closed=goal, loose=(0.0, 1.5))))
    assert nodes[-1] == (8.0, 3.0)


def test_there_is_no_walk_where_every_end_is_shut() -> None:
    assert walk([(1, 3), (9, 3)], Ends(last=frozenset({0}))) is None


@pytest.mark.parametrize("step", [0.1, 0.25, 1.0])
def test_samples_are_evenly_spaced_and_keep_both_ends(step: float) -> None:
    points = np.array([(0.0, 0.0), (3.0, 0.0), (3.0, 4.0)])
    line, vertex = resample(points, step=step)
    assert line[0].tolist() == [0, 0]
    assert line[-1].tolist() == [3, 4]
    assert vertex[-1] == 2
    along: Floats = np.hypot(*np.diff(line, axis=0).T)
    assert along.max() <= step * 1.5
