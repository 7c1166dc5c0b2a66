"""Moving over hexes for movement points: what each step costs a mover, how far a stack gets, and why it gets no further.

Costs are quarter points by directed hexside, index ``6 * hex + side``: all that a step costs, terrain, rivers and zones of control
together. A stack moves as one, and each of its units pays for itself. The search is `core_ext.reach`; only a stack whose
units pay differently is searched here, since its cheapest way is not one figure.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from functools import cached_property
from typing import Literal

import msgspec
import numpy as np
import numpy.typing as npt

from core.board import SIDES, Board, Hex, once_a_board
from core_ext import reach
from core_ext.grid import FORBIDDEN, Grid

Quarters = npt.NDArray[np.int16]
Hexes = npt.NDArray[np.bool_]

CLOSED = FORBIDDEN
"""From this cost on a step is not allowed."""


@once_a_board
def grid_of(board: Board) -> Grid:
    """Return a board as the kernels know it."""
    return Grid(board.neighbours)


class Field:
    """What every step costs one class of movers at one moment.

    Attributes:
        by_side: int16[6 * size], read-only; `CLOSED` where the step is not allowed.
    """

    def __init__(self, board: Board, by_side: Quarters) -> None:
        self.board = board
        self.by_side = by_side
        by_side.flags.writeable = False

    @cached_property
    def steps(self) -> memoryview[int]:
        """The costs as a single look-up reads them faster; to make a list of all of them took longer than most walks."""
        found: memoryview[int] = self.by_side.data
        return found

    @cached_property
    def search(self) -> reach.Field:
        """The costs ready for the kernel."""
        return reach.Field(reach.MoveCosts(grid_of(self.board), self.by_side.reshape(1, -1)))


def field(
    board: Board, ground: Quarters, *, closed: Hexes, zone: Hexes, leaving: int, zone_to_zone: bool
) -> Field:
    """Lay enemies over the cost of the ground.

    Args:
        ground: what each step costs by terrain and hexside.
        closed: bool[size], hexes that may not be entered.
        zone: bool[size], hexes in enemy ZOC.
        leaving: quarters added for leaving a hex of *zone*.
        zone_to_zone: whether a step may lead from a hex of *zone* to another.
    """
    cost = np.minimum(ground, np.int16(CLOSED))
    out_of_zone = _sides_of(zone)   # enemies are in few hexes: only their hexsides are looked at
    left = cost[out_of_zone].astype(np.int32) + leaving
    if not zone_to_zone:
        left[zone[board.neighbours[out_of_zone]]] = CLOSED
    cost[out_of_zone] = np.minimum(left, CLOSED)
    cost[grid_of(board).across[_sides_of(closed)]] = CLOSED
    cost[_off_board(board)] = CLOSED
    return Field(board, cost)


def _sides_of(hexes: Hexes) -> npt.NDArray[np.intp]:
    """Return the directed hexsides that lead out of hexes."""
    return (SIDES * np.flatnonzero(hexes)[:, None] + np.arange(SIDES)).ravel()


@once_a_board
def _off_board(board: Board) -> npt.NDArray[np.intp]:
    """Return the directed hexsides that lead out of the board."""
    return np.flatnonzero(board.neighbours < 0)


class Mover(msgspec.Struct, frozen=True):
    """A unit about to move: what steps cost it, the quarters it has left, and whether its first hex may be had for less.

    With *free_hex* a first step that is dearer than *budget* is allowed, takes all of it and ends the movement.
    """

    field: Field
    budget: int
    free_hex: bool = False


class Walk(msgspec.Struct, frozen=True):
    """A path that all movers can go: what each spends, and which of them used their free hex."""

    spent: tuple[int, ...]
    free: tuple[bool, ...]


class Halt(msgspec.Struct, frozen=True):
    """Where a path breaks: the step, the mover that can't make it, and why."""

    mover: int
    here: Hex
    there: Hex
    why: Literal["apart", "closed", "short", "after_free_hex"]


def walk(movers: Sequence[Mover], start: Hex, path: Sequence[Hex], *, after: Walk | None = None) -> Walk | Halt:
    """Walk a stack along a path, each unit paying its own costs; *after* is the walk that led to *start*, None where none did."""
    spent = [0] * len(movers) if after is None else [*after.spent]
    free = [False] * len(movers) if after is None else [*after.free]
    here, is_first = start, after is None
    for there in path:
        side = _side(movers[0].field.board, here, there)
        if side is None:
            return Halt(0, here, there, "apart")
        for i, mover in enumerate(movers):
            cost = mover.field.steps[SIDES * here + side]
            if cost >= CLOSED:
                return Halt(i, here, there, "closed")
            if free[i]:
                return Halt(i, here, there, "after_free_hex")
            if spent[i] + cost <= mover.budget:
                spent[i] += cost
            elif mover.free_hex and is_first:
                spent[i], free[i] = mover.budget, True
            else:
                return Halt(i, here, there, "short")
        here, is_first = there, False
    return Walk(tuple(spent), tuple(free))


def _side(board: Board, here: Hex, there: Hex) -> int | None:
    ring = board.around[SIDES * here : SIDES * here + SIDES]
    return ring.index(there) if there in ring else None


def is_closed(field: Field, here: Hex, there: Hex) -> bool:
    """Say whether a step to a neighbour is not allowed, whatever points there are."""
    side = _side(field.board, here, there)
    return side is None or field.steps[SIDES * here + side] >= CLOSED


def can_step(movers: Sequence[Mover], start: Hex) -> bool:
    """Say whether there is any hex that the whole stack can enter next."""
    first = SIDES * start
    for step, there in enumerate(movers[0].field.board.around[first : first + SIDES], first):
        if there >= 0 and all(_can_enter(mover, step) for mover in movers):
            return True
    return False


def _can_enter(mover: Mover, step: int) -> bool:
    cost = mover.field.steps[step]
    return cost < CLOSED and (cost <= mover.budget or mover.free_hex)


class Trail(msgspec.Struct, frozen=True, order=True):
    """The way to a hex: what its dearest mover pays, and the hexes entered, the last of them the goal."""

    cost: int
    path: tuple[Hex, ...]


def trails(movers: Sequence[Mover], start: Hex) -> dict[Hex, Trail]:
    """Return every hex that a stack can go to together, with its cheapest way; ties go by lowest hexes."""
    kinds = _unlike(movers)
    if len(kinds) > 1:
        return _search_together(kinds, start)
    mover = kinds[0]
    found = reach.reach(mover.field.search, start, budget=mover.budget, one_free_hex=mover.free_hex)
    costs = found.costs
    return {
        Hex(here): Trail(int(costs[here]), tuple(Hex(step) for step in found.path(here)[1:]))
        for here in found.hexes
        if here != start
    }


def _unlike(movers: Sequence[Mover]) -> list[Mover]:
    """Return one mover of each kind, the slowest."""
    slowest: dict[tuple[int, bool], Mover] = {}
    for mover in movers:
        key = (id(mover.field), mover.free_hex)
        if key not in slowest or mover.budget < slowest[key].budget:
            slowest[key] = mover
    return list(slowest.values())


def _search_together(movers: Sequence[Mover], start: Hex) -> dict[Hex, Trail]:
    """Search for a mixed stack: what its units have spent is a tuple, and only dominated tuples are dropped."""
    found: dict[Hex, Trail] = {}
    settled: dict[Hex, list[tuple[int, ...]]] = {start: [(0,) * len(movers)]}
    queue: list[tuple[int, tuple[Hex, ...], tuple[int, ...], bool]] = [(0, (), (0,) * len(movers), False)]
    while queue:
        cost, path, spent, ended = heapq.heappop(queue)
        here = path[-1] if path else start
        if path:
            if any(all(a <= b for a, b in zip(other, spent, strict=True)) for other in settled.get(here, ())):
                continue
            if not ended:
                settled.setdefault(here, []).append(spent)
            found.setdefault(here, Trail(cost, path))
        if ended:
            continue
        for side, there in enumerate(movers[0].field.board.neighbours[SIDES * here : SIDES * here + SIDES].tolist()):
            if there < 0 or there == start:
                continue
            entered = _enter_together(movers, SIDES * here + side, spent, first=not path)
            if entered is not None:
                heapq.heappush(queue, (max(entered[0]), (*path, Hex(there)), *entered))
    return found


def _enter_together(
    movers: Sequence[Mover], step: int, spent: tuple[int, ...], *, first: bool
) -> tuple[tuple[int, ...], bool] | None:
    """Return what a mixed stack has spent after a step and whether it ends there; None if it can't make it."""
    total, ended = [], False
    for mover, before in zip(movers, spent, strict=True):
        cost = mover.field.steps[step]
        if cost >= CLOSED:
            return None
        if before + cost <= mover.budget:
            total.append(before + cost)
        elif mover.free_hex and first:
            total.append(mover.budget)
            ended = True
        else:
            return None
    return tuple(total), ended
