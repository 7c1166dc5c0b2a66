"""Zones of control, counted: how much is exerted into each hex, and over which of its sides.

A unit, or a stack, exerts with an amount: 1 to count exerters, its strength where a game has thresholds. Which hexsides
it crosses is a mask by hexside, given at each call, so that units whose zone crosses more (over ice, say) simply bring another.
Layers keep classes of exerters apart. What was added with a mask is removed with the same; when a mask changes, build anew.
"""

from __future__ import annotations

import numpy as np

from core_ext._zoc import Tally
from core_ext.grid import Bytes, Grid, Hexes, Ints, Shorts, check

MOST = 32767
"""The greatest amount that a hex can count."""


class ZocField:
    """One side's zones of control on a board; changed in place by its owner.

    Attributes:
        counts: int16[layers, size], the amounts exerted into each hex.
        sides: int16[layers, 6 * size], the amount that comes from the neighbour over each side.
        exerters: uint8[layers, size], bit *s* set where the neighbour over side *s* exerts into the hex.

    Kernels read and change these arrays without a lock: two threads may each change a field of their own.
    """

    __slots__ = ("counts", "exerters", "grid", "layers", "sides", "tally")

    def __init__(self, grid: Grid, *, layers: int = 1) -> None:
        if layers < 1:
            raise ValueError(f"layers: expected 1 or more, got {layers}")
        self._keep(
            grid,
            np.zeros((layers, grid.size), np.int16),
            np.zeros((layers, 6 * grid.size), np.int16),
            np.zeros((layers, grid.size), np.uint8),
        )

    def _keep(self, grid: Grid, counts: Shorts, sides: Shorts, exerters: Bytes) -> None:
        self.grid, self.layers = grid, len(counts)
        self.counts, self.sides, self.exerters = counts, sides, exerters
        self.tally = Tally(grid.neighbours, sides, counts, exerters)

    def copy(self) -> ZocField:
        """Return a field that shares nothing with this one but the grid."""
        twin = ZocField.__new__(ZocField)
        twin._keep(self.grid, self.counts.copy(), self.sides.copy(), self.exerters.copy())
        return twin

    def renew(self, hexes: Hexes, passes: Bytes, amounts: Shorts | None = None, *, layer: int = 0) -> None:
        """Count a layer anew: the amounts (1 each if none are given) round all *hexes*, in the memory that is there.

        Raises:
            ValueError: as ``add_all``; of amounts that do not fit the layer holds those before the first that does not.
        """
        self._check(passes, layer)
        where = self.grid.hexes("hexes", hexes)
        if amounts is not None:
            check("amounts", amounts, np.int16, where.shape)
        fault = self.tally.renew(passes, where, amounts, layer)
        if fault >= 0:
            raise _leaves_range(where, amounts, fault)

    def clear(self) -> None:
        """Take everything away; building anew in a field that is kept spares the memory of a new one."""
        for array in (self.counts, self.sides, self.exerters):
            array.fill(0)

    def add(self, hex_: int, passes: Bytes, amount: int = 1, *, layer: int = 0) -> None:
        """Let *hex_* exert *amount* more over the sides that *passes* opens; a negative amount takes away.

        Raises:
            ValueError: no such hex or layer, a mask of the wrong kind, more taken away than was there, or a count above 32,767.
        """
        self._check(passes, layer)
        self.grid.require("hex", hex_)
        if not -MOST <= amount <= MOST or not self.tally.shift(passes, hex_, amount, layer):
            raise ValueError(f"amount: {amount} round hex {hex_} leaves the range 0 to {MOST}")

    def remove(self, hex_: int, passes: Bytes, amount: int = 1, *, layer: int = 0) -> None:
        """Undo ``add`` with the same arguments."""
        self.add(hex_, passes, -amount, layer=layer)

    def move(self, hex_: int, to: int, passes: Bytes, amount: int = 1, *, layer: int = 0) -> None:
        """Remove *amount* round *hex_* and add it round *to*, or change nothing and raise ``ValueError``."""
        self._check(passes, layer)
        self.grid.require("hex", hex_)
        self.grid.require("to", to)
        if not 0 <= amount <= MOST or not self.tally.move(passes, hex_, to, amount, layer):
            raise ValueError(f"amount: {amount} from hex {hex_} to {to} leaves the range 0 to {MOST}")

    def add_all(
        self, hexes: Hexes, passes: Bytes, amounts: Shorts | None = None, *, layer: int = 0
    ) -> None:
        """Add the amounts (1 each if none are given) round all *hexes*, or change nothing and raise ``ValueError``."""
        self._check(passes, layer)
        where = self.grid.hexes("hexes", hexes)
        if amounts is not None:
            check("amounts", amounts, np.int16, where.shape)
        fault = self.tally.shift_all(passes, where, amounts, layer)
        if fault >= 0:
            raise _leaves_range(where, amounts, fault)

    def mask(
        self, at_least: int = 1, *, layer: int = 0, without: Hexes | None = None, also: Hexes | None = None
    ) -> Bytes:
        """Return uint8[size], 1 where at least *at_least* is exerted.

        Args:
            without: hexes where the zone does not count, such as those of units that cancel it.
            also: hexes that count whatever is exerted, such as those of the exerters.

        Raises:
            ValueError: no such layer, or a hex that is not on the board.
        """
        self._require_layer(layer)
        lifted = None if without is None else self.grid.hexes("without", without)
        added = None if also is None else self.grid.hexes("also", also)
        mask = np.empty(self.grid.size, np.uint8)
        self.tally.mask(at_least, layer, lifted, added, mask)
        return mask

    def who(self, hex_: int, *, layer: int = 0) -> list[int]:
        """Return the hexes that exert into *hex_*, in the order of its sides."""
        self.grid.require("hex", hex_)
        self._require_layer(layer)
        bits = int(self.exerters[layer, hex_])
        return [int(self.grid.neighbours[6 * hex_ + side]) for side in range(6) if bits >> side & 1]

    def _check(self, passes: Bytes, layer: int) -> None:
        check("passes", passes, np.uint8, (6 * self.grid.size,))
        self._require_layer(layer)

    def _require_layer(self, layer: int) -> None:
        if not 0 <= layer < self.layers:
            raise ValueError(f"layer: expected 0 to {self.layers - 1}, got {layer}")


def _leaves_range(where: Ints, amounts: Shorts | None, fault: int) -> ValueError:
    amount = 1 if amounts is None else int(amounts[fault])
    return ValueError(f"amounts: {amount} round hex {int(where[fault])} leaves the range 0 to {MOST}")
