"""Zones of control and supply of both sides over the whole map, in arrays that their owner keeps.

They are made anew in one call, or mended after a move. A hex is blocked to a side's lines where an enemy stack stands, and where the
enemy's zone counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core_ext._theatre import Camp, Pair
from core_ext.grid import Bytes, Ints, Shorts, check
from core_ext.supply import MENDABLE, Lines, Scratch, Supply, check_limit
from core_ext.zoc import MOST, ZocField

NOWHERE = -1
Two = tuple[Ints, Ints]


@dataclass(frozen=True, eq=False)
class Ground:
    """What the map is to one side.

    Attributes:
        lines: what its lines of supply cost.
        passes: uint8[6 * size], not 0 where its zones cross a hexside.
        limit: how long its lines may be.
        at_least: how many stacks must exert into a hex for the enemy's zone to count there.
        lifted: whether the enemy's zone does not count where a stack of this side stands.
    """

    lines: Lines
    passes: Bytes
    limit: int
    at_least: int = 1
    lifted: bool = True


class Theatre:
    """Two sides on a map. What it holds is changed in place by each call; who wants to keep an answer copies it.

    Attributes:
        zones: each side's zone of control.
        standing: int16[size] a side, how many stacks stand in each hex.
        blocked: uint8[size] a side, 1 where its lines may not pass.
        supply: each side's lines.

    Calls change these arrays without a lock: one thread at a time.

    Raises:
        ValueError: the grounds are of different grids, or an array does not fit.
    """

    __slots__ = ("_camps", "_pair", "_scratch", "blocked", "grid", "standing", "supply", "zones")

    def __init__(self, one: Ground, other: Ground) -> None:
        if one.lines.grid is not other.lines.grid:
            raise ValueError("grounds: expected one grid, got two")
        self.grid = grid = one.lines.grid
        nobody = np.empty(0, np.int32)
        grounds = (one, other)
        for ground in grounds:
            check("passes", ground.passes, np.uint8, (6 * grid.size,))
            check_limit("limit", ground.limit)
            if not 1 <= ground.at_least <= MOST:
                raise ValueError(f"at_least: expected 1 to {MOST}, got {ground.at_least}")
        self.zones: tuple[ZocField, ZocField] = (ZocField(grid), ZocField(grid))
        self.standing: tuple[Shorts, Shorts] = (np.zeros(grid.size, np.int16), np.zeros(grid.size, np.int16))
        self.blocked: tuple[Bytes, Bytes] = (np.zeros(grid.size, np.uint8), np.zeros(grid.size, np.uint8))
        tables = [np.empty((3, grid.size), np.int32) for _ in grounds]
        self._camps = [
            Camp(
                grid.neighbours, zone.tally, ground.lines.net, ground.passes, standing, blocked, table,
                ground.limit, ground.at_least, ground.lifted,
            )
            for ground, zone, standing, blocked, table in zip(grounds, self.zones, self.standing, self.blocked, tables, strict=True)
        ]
        mends = max(one.limit, other.limit) <= MENDABLE
        span = max(one.lines.dearest, other.lines.dearest, *((one.limit, other.limit) if mends else ()))
        self._scratch = scratch = Scratch(grid, 0, span)
        self._pair = Pair(*self._camps, scratch.ring, scratch.pool, scratch.changed, scratch.lost, mends)
        self.supply = tuple(
            Supply(ground.lines, table, (nobody, ground.limit, blocked))
            for ground, table, blocked in zip(grounds, tables, self.blocked, strict=True)
        )
        self.lay_out((nobody, nobody), sources=(nobody, nobody))

    def lay_out(self, stacks: Two, *, sources: Two) -> None:
        """Make everything anew: *stacks* names a side's hexes, one as often as there are stacks in it, *sources* from where it is supplied.

        The arrays of sources are kept: they change no more.

        Raises:
            ValueError: a hex that is not on the board, or more stacks than a zone can count. Nothing here holds until the next ``lay_out``.
        """
        try:
            for side, camp in enumerate(self._camps):
                if (fault := camp.supply_from(sources[side])) >= 0:
                    raise self._strange(f"sources[{side}]", sources[side], fault)
                supply = self.supply[side]
                supply.given = (sources[side], *supply.given[1:])
            side, fault = self._pair.lay_out(*stacks)
        except (ValueError, TypeError):
            self._check_all(stacks, sources)
            raise
        if fault >= 0:
            raise self._strange(f"stacks[{side}]", stacks[side], fault)

    def move(self, side: int, here: int, there: int) -> None:
        """Let one stack of *side* (0, 1) go from *here* to *there*; either may be ``NOWHERE``, for one that arrives or is lost.

        The lines are mended where the move changed what is blocked; no other is looked at.

        Raises:
            ValueError: no such side or hex, no stack *here*, or too many round *there*; then nothing has changed.
        """
        if side not in (0, 1):
            raise ValueError(f"side: expected 0 or 1, got {side}")
        for name, hex_ in (("here", here), ("there", there)):
            if hex_ != NOWHERE:
                self.grid.require(name, hex_)
        if not self._pair.move(side, here, there):
            raise ValueError(f"here: expected a stack of side {side} that can go to {there}, got none in {here}")

    def _strange(self, name: str, hexes: Ints, fault: int) -> ValueError:
        hex_ = int(hexes[fault])
        if 0 <= hex_ < self.grid.size:
            return ValueError(f"{name}: expected at most {MOST} stacks round a hex, got more round {hex_}")
        return ValueError(f"{name}: expected hexes from 0 to {self.grid.size - 1}, got {hex_}")

    def _check_all(self, stacks: Two, sources: Two) -> None:
        """Name what a kernel did not take."""
        for name, arrays in (("sources", sources), ("stacks", stacks)):
            for side, array in enumerate(arrays):
                check(f"{name}[{side}]", array, np.int32, (np.size(array),))
