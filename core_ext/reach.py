"""What a unit can reach: the least cost of every hex, and the way there.

The search runs over pairs (hex, mode). A mode is how the unit came to be where it is (from its start, by road, off road), at
most 8 of them; a step leaves a hex over a side *in* a mode and pays that mode's cost of the hexside, the surcharge of the
change of mode, and what the policy adds. All costs are quarter points; each hexside costs 1 or more, and ``FORBIDDEN`` closes it.

Of several cheapest ways the one whose hexes are lowest, read backwards from the goal, is the way: the answer depends on nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from core_ext._reach import Plan, pack
from core_ext.grid import FORBIDDEN, UNREACHED, Bytes, Grid, Ints, Shorts, check, check_costs

MODES = 8
"""The most modes that one movement class can have."""

NEVER = -1
"""In a table of changes: not allowed."""


@dataclass(frozen=True, eq=False)
class MoveCosts:
    """What each step costs a movement class: the part that stays while weather and map stay.

    Attributes:
        by_side: int16[modes, 6 * size], the cost of leaving a hex over a side in a mode.
        changes: int8[modes, modes], from the mode that the unit is in (row) to that of its step (column): ``NEVER``, 0 for free,
            or *k* for the surcharge in row *k - 1* of *surcharges*. Without it there is one mode.
        surcharges: int16[rows, size], by the hex that is left.

    Raises:
        ValueError: names the array and what is wrong with it.
    """

    grid: Grid
    by_side: Shorts
    changes: npt.NDArray[np.int8] = field(default_factory=lambda: np.zeros((1, 1), np.int8))
    surcharges: Shorts = field(default_factory=lambda: np.zeros((0, 0), np.int16))

    def __post_init__(self) -> None:
        modes = len(self.by_side)
        if not 1 <= modes <= MODES:
            raise ValueError(f"by_side: expected 1 to {MODES} modes, got {modes}")
        check_costs("by_side", self.by_side, (modes, 6 * self.grid.size), least=1)
        check("changes", self.changes, np.int8, (modes, modes))
        rows = len(self.surcharges)
        if rows:
            check_costs("surcharges", self.surcharges, (rows, self.grid.size), least=0)
        if self.changes.min() < NEVER or self.changes.max() > rows:
            raise ValueError(f"changes: expected {NEVER} to {rows}, got {self.changes.tolist()}")

    @property
    def modes(self) -> int:
        """How many modes there are."""
        return len(self.by_side)


@dataclass(frozen=True, eq=False)
class Policy:
    """What a moment of the game adds: enemies, their zones, and what they cost. ``None`` is nowhere.

    Attributes:
        closed: uint8[size], not 0 where the hex may not be entered.
        stop: uint8[size], not 0 where entering ends the movement; or uint8[modes, size], by the mode of the step that enters.
        zone: uint8[size], not 0 where *zone_to_zone* counts; or uint8[modes, size], by the mode of the step.
        enter_extra: int16[size], quarters added for entering the hex.
        leave_extra: int16[size], quarters added for leaving the hex.
        zone_to_zone: quarters added for a step from a zone hex directly to another, one figure or one a mode; ``FORBIDDEN`` bans it.
    """

    closed: Bytes | None = None
    stop: Bytes | None = None
    zone: Bytes | None = None
    enter_extra: Shorts | None = None
    leave_extra: Shorts | None = None
    zone_to_zone: int | Sequence[int] = 0


class Field:
    """Costs under a policy, ready to be searched from any hex by any number of threads. Arrays given are not copied where they
    need not be: whoever changes one makes a new field.

    Raises:
        ValueError: an array of the policy does not fit the grid.
    """

    __slots__ = ("costs", "plan", "policy", "shift")

    def __init__(self, costs: MoveCosts, policy: Policy | None = None) -> None:
        self.costs = costs
        self.policy = policy = policy or Policy()
        self.shift = (costs.modes - 1).bit_length()
        given = policy.zone_to_zone
        zone_to_zone = (given,) * costs.modes if isinstance(given, int) else tuple(given)
        if len(zone_to_zone) != costs.modes or min(zone_to_zone) < 0 or max(zone_to_zone) > FORBIDDEN:
            raise ValueError(f"zone_to_zone: expected {costs.modes} from 0 to {FORBIDDEN}, got {list(zone_to_zone)}")
        self.plan = Plan(
            costs.grid.neighbours, costs.by_side.reshape(-1), costs.changes.reshape(-1), costs.surcharges.reshape(-1),
            _packed(costs, policy), zone_to_zone, costs.modes, self.shift,
        )


def _packed(costs: MoveCosts, policy: Policy) -> npt.NDArray[np.int64]:
    """Return what *policy* says of each hex, in the one number that the kernel reads."""
    grid = costs.grid
    closed = _or_none(grid, "closed", policy.closed, grid.no_bytes)
    stop, zone = (_by_mode(costs, name, getattr(policy, name)) for name in ("stop", "zone"))
    extras = [_or_none(grid, name, getattr(policy, name), grid.no_shorts) for name in ("enter_extra", "leave_extra")]
    hexes = np.empty(grid.size, np.int64)
    fault = pack(closed, stop, zone, *extras, hexes)
    if fault >= 0:
        name, extra = next((n, e) for n, e in zip(("enter_extra", "leave_extra"), extras, strict=True) if e[fault] < 0)
        raise ValueError(f"{name}: expected costs of 0 or more, got {int(extra[fault])} at index {fault}")
    return hexes


def _by_mode(costs: MoveCosts, name: str, mask: Bytes | None) -> Bytes | None:
    """Return a mask as rows, one for all modes or one a mode."""
    if mask is None:
        return None
    if getattr(mask, "ndim", 1) == 2:
        check(name, mask, np.uint8, (costs.modes, costs.grid.size))
        return mask
    check(name, mask, np.uint8, (costs.grid.size,))
    return mask.reshape(1, -1)


def _or_none(grid: Grid, name: str, array: Bytes | Shorts | None, none: Bytes | Shorts) -> Bytes | Shorts:
    if array is None:
        return none
    check(name, array, none.dtype.type, none.shape)
    return array


class Reach:
    """What was reached from *start*. A node is a hex and a mode: ``hex << shift | mode``.

    Attributes:
        nodes: int32[2, size << shift], the least cost of each node and the node before it. Only nodes whose cost is not ``UNREACHED``
            have one before; that of the start is -1.
        free_sides: bits of the sides of *start* over which the next hex is reached by ``one_free_hex`` alone.
    """

    def __init__(self, field: Field, start: int, nodes: Ints, free_sides: int) -> None:
        self.field, self.start, self.nodes, self.free_sides = field, start, nodes, free_sides

    @cached_property
    def costs(self) -> Ints:
        """int32[size], the least cost of each hex over all modes; ``UNREACHED`` where the unit cannot go."""
        best: Ints = self.nodes[0]
        return best if self.field.shift == 0 else best.reshape(-1, 1 << self.field.shift).min(axis=1)

    @cached_property
    def hexes(self) -> list[int]:
        """The hexes reached, *start* among them, in ascending order."""
        return [int(hex_) for hex_ in np.flatnonzero(self.costs != UNREACHED)]

    def reaches(self, hex_: int) -> bool:
        """Whether *hex_* was reached."""
        return int(self.costs[hex_]) != UNREACHED

    def mode(self, hex_: int) -> int:
        """Return the mode in which *hex_* is reached at its least cost; of several the lowest.

        Raises:
            ValueError: *hex_* is not reached.
        """
        return self._node(hex_) - (hex_ << self.field.shift)

    def path(self, hex_: int, *, mode: int | None = None) -> list[int]:
        """Return the hexes of the way to *hex_*, from *start* to *hex_*, arriving in *mode* if one is given.

        Raises:
            ValueError: *hex_* is not reached, or not in *mode*.
        """
        return [here for here, _ in self.steps(hex_, mode=mode)]

    def steps(self, hex_: int, *, mode: int | None = None) -> list[tuple[int, int]]:
        """Return the way to *hex_* as pairs of hex and mode, as ``path`` does."""
        return list(self._backwards(self._node(hex_, mode)))[::-1]

    def is_free(self, hex_: int) -> bool:
        """Whether *hex_* is reached by ``one_free_hex`` alone: the unit spends all it has and ends there."""
        ring = self.field.costs.grid.neighbours[6 * self.start : 6 * self.start + 6]
        return any(self.free_sides >> side & 1 and int(there) == hex_ for side, there in enumerate(ring))

    def _backwards(self, node: int) -> Iterator[tuple[int, int]]:
        shift = self.field.shift
        while node >= 0:
            yield node >> shift, node & ((1 << shift) - 1)
            node = int(self.nodes[1, node])

    def _node(self, hex_: int, mode: int | None = None) -> int:
        self.field.costs.grid.require("hex", hex_)
        first = hex_ << self.field.shift
        modes = range(self.field.costs.modes) if mode is None else [mode]
        node = min((first + each for each in modes), key=lambda each: int(self.nodes[0, each]))
        if int(self.nodes[0, node]) == UNREACHED:
            raise ValueError(f"hex: {hex_} is not reached" + ("" if mode is None else f" in mode {mode}"))
        return node


def reach(
    field: Field, start: int, *, budget: int | Sequence[int], start_mode: int = 0, one_free_hex: bool = False
) -> Reach:
    """Find every hex that a unit can enter from *start*, at its least cost.

    Args:
        budget: quarter points, one for all modes or one a mode; what a step in a mode leads to may cost no more in all.
        one_free_hex: a neighbour of *start* that nothing else forbids may be entered above the budget; that costs all of it,
            and the movement ends there.

    Raises:
        ValueError: no such hex or mode, or a budget below 0 or not below ``FORBIDDEN``.
    """
    try:
        found = field.plan.search(start, start_mode, budget if isinstance(budget, int) else tuple(budget), one_free_hex)
    except (OverflowError, TypeError):
        found = None
    if found is None:
        raise _not_searched(field, start, budget, start_mode)
    return Reach(field, start, *found)


def _not_searched(field: Field, start: int, budget: int | Sequence[int], start_mode: int) -> Exception:
    """Return what is wrong with a question that the kernel did not take."""
    modes = field.costs.modes
    field.costs.grid.require("start", start)
    if not 0 <= start_mode < modes:
        return ValueError(f"start_mode: expected 0 to {modes - 1}, got {start_mode}")
    given = [budget] if isinstance(budget, int) else list(budget)
    return ValueError(f"budget: expected {modes} from 0 to {FORBIDDEN - 1}, got {given}")


@dataclass(frozen=True, eq=False)
class Meet:
    """Where the units of a stack can all be.

    Attributes:
        costs: int32[size], what the dearest of them pays; ``UNREACHED`` where not all can go.
    """

    reaches: tuple[Reach, ...]
    costs: Ints

    @cached_property
    def hexes(self) -> list[int]:
        """The hexes that all reach, in ascending order."""
        return [int(hex_) for hex_ in np.flatnonzero(self.costs != UNREACHED)]

    def dropped(self, hex_: int) -> tuple[int, ...]:
        """Return the places in *reaches* of those that cannot go to *hex_*."""
        return tuple(place for place, each in enumerate(self.reaches) if not each.reaches(hex_))


def meet(reaches: Sequence[Reach]) -> Meet:
    """Return the hexes that all of *reaches* have in common, each by its own way.

    Raises:
        ValueError: none is given, or they are of different grids.
    """
    if not reaches:
        raise ValueError("reaches: expected at least one, got none")
    if any(each.field.costs.grid is not reaches[0].field.costs.grid for each in reaches):
        raise ValueError("reaches: expected one grid, got several")
    costs = reaches[0].costs
    for each in reaches[1:]:
        costs = np.maximum(costs, each.costs)
    return Meet(tuple(reaches), costs)
