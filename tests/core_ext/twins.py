"""What the kernels compute, as plain searches that leave no room for an error to hide. Slow, and written from the definitions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy.typing as npt

from core_ext.grid import FORBIDDEN, Grid
from core_ext.reach import MoveCosts, Policy

Node = tuple[int, int]


def zoc_counts(grid: Grid, exerters: Sequence[tuple[int, int, npt.NDArray]]) -> tuple[list[int], list[list[int]]]:
    """Return the amount exerted into each hex, and for each hex what comes over each side."""
    sides = [[0] * 6 for _ in range(grid.size)]
    for here, amount, passes in exerters:
        for side in range(6):
            there = grid.neighbours[6 * here + side]
            if there >= 0 and passes[6 * here + side]:
                sides[there][(side + 3) % 6] += amount
    return [sum(each) for each in sides], sides


def reach_step(costs: MoveCosts, policy: Policy, here: Node, side: int, to: int) -> tuple[Node, int] | None:
    """Return the node that a step leads to and its cost, or None if the step is closed."""
    hex_, mode = here
    there = int(costs.grid.neighbours[6 * hex_ + side])
    change = int(costs.changes[mode, to])
    if there < 0 or change < 0 or (policy.closed is not None and policy.closed[there]):
        return None
    parts = [int(costs.by_side[to, 6 * hex_ + side])]
    if change > 0:
        parts.append(int(costs.surcharges[change - 1, hex_]))
    if policy.enter_extra is not None:
        parts.append(int(policy.enter_extra[there]))
    if policy.leave_extra is not None:
        parts.append(int(policy.leave_extra[hex_]))
    if flagged(policy.zone, to, hex_) and flagged(policy.zone, to, there):
        parts.append(policy.zone_to_zone if isinstance(policy.zone_to_zone, int) else policy.zone_to_zone[to])
    return None if max(parts) >= FORBIDDEN else ((there, to), sum(parts))


def flagged(mask: npt.NDArray | None, mode: int, hex_: int) -> bool:
    """Say whether a mask, of one row for all modes or one a mode, marks a hex."""
    if mask is None:
        return False
    return bool(mask[hex_] if mask.ndim == 1 else mask[mode, hex_])


def reach(
    costs: MoveCosts, policy: Policy, start: Node, *, budgets: Sequence[int], one_free_hex: bool
) -> tuple[dict[Node, int], dict[Node, Node | None], set[int]]:
    """Return the least cost of each (hex, mode), the one before it, and the sides of the start with a free hex behind."""
    best: dict[Node, int] = {start: 0}

    def steps(here: Node) -> list[tuple[Node, int]]:
        if flagged(policy.stop, here[1], here[0]) and here != start:
            return []
        found = [reach_step(costs, policy, here, side, to) for side in range(6) for to in range(costs.modes)]
        return [each for each in found if each is not None]

    again = True
    while again:
        again = False
        for here in list(best):
            for there, cost in steps(here):
                total = best[here] + cost
                if total <= budgets[there[1]] and total < best.get(there, total + 1):
                    best[there] = total
                    again = True
    before: dict[Node, Node | None] = dict.fromkeys(best)
    for here in sorted(best, reverse=True):   # the lowest is written last
        for there, cost in steps(here):
            if best.get(there) == best[here] + cost:
                before[there] = here
    free: set[int] = set()
    for side in range(6 if one_free_hex else 0):
        open_steps = [each for each in (reach_step(costs, policy, start, side, to) for to in range(costs.modes)) if each]
        there = int(costs.grid.neighbours[6 * start[0] + side])
        if open_steps and not any((there, mode) in best for mode in range(costs.modes)):
            node = open_steps[0][0]
            best[node], before[node] = budgets[node[1]], start
            free.add(side)
    return best, before, free


def distances_to(grid: Grid, by_side: npt.NDArray, source: int, blocked: npt.NDArray) -> dict[int, int]:
    """Return how long the line from each hex to one source is."""
    if blocked[source]:
        return {}
    found = {source: 0}
    again = True
    while again:
        again = False
        for here in range(grid.size):
            for side in range(6):
                there = int(grid.neighbours[6 * here + side])
                cost = int(by_side[6 * here + side])
                if there not in found or blocked[there] or cost >= FORBIDDEN:
                    continue
                if found[there] + cost < found.get(here, 1 << 40):
                    found[here] = found[there] + cost
                    again = True
    return found


def trace(
    grid: Grid, by_side: npt.NDArray, sources: Sequence[int], *, limits: Sequence[int], blocked: npt.NDArray
) -> dict[int, tuple[int, int, int]]:
    """Return for each hex with a line: its length, the next hex (-1 at the source), the place of the source."""
    most = max(limits, default=0)
    keys: dict[int, int] = {}
    own: dict[int, int] = {}
    for place, source in enumerate(sources):
        for here, distance in distances_to(grid, by_side, source, blocked).items():
            if distance <= limits[place]:
                keys[here] = min(keys.get(here, 1 << 40), distance + most - limits[place])
    for place in range(len(sources) - 1, -1, -1):
        if not blocked[sources[place]] and keys.get(sources[place]) == most - limits[place]:
            own[sources[place]] = place
    onward = {here: _onward(grid, by_side, keys, here, blocked) for here in keys if here not in own}
    lines = {}
    for here in keys:
        end = here
        while end not in own:
            end = onward[end]
        lines[here] = (keys[here] - most + limits[own[end]], onward.get(here, -1), own[end])
    return lines


def _onward(grid: Grid, by_side: npt.NDArray, keys: dict[int, int], here: int, blocked: npt.NDArray) -> int:
    return min(
        there
        for side in range(6)
        if (there := int(grid.neighbours[6 * here + side])) in keys
        and not blocked[there]
        and by_side[6 * here + side] < FORBIDDEN
        and keys[there] + int(by_side[6 * here + side]) == keys[here]
    )


def chain(
    grid: Grid, by_side: npt.NDArray, sources: Sequence[int], links: Sequence[int], *, limits: Sequence[int], blocked: npt.NDArray
) -> list[int]:
    """Return the round in which each link is fed, 0 for never."""
    rounds = [0] * len(links)
    feeders = list(sources)
    for now in range(1, len(links) + 1):
        ways = [distances_to(grid, by_side, feeder, blocked) for feeder in feeders]
        feeders = []
        for link, hex_ in enumerate(links):
            if not rounds[link] and any(way.get(hex_, 1 << 40) <= limits[link] for way in ways):
                rounds[link] = now
                feeders.append(hex_)
    return rounds
