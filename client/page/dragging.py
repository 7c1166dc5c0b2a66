"""Counters dragged over the map: what the hand takes, where it drops it, and what that means for the order under composition."""

from __future__ import annotations

from collections.abc import Callable

from client.page.drafting import DraftTable
from client.session.composing import Clicked
from client.weakly import Owner, weakly
from core.board import Hex
from core.units import UnitId


class Dragging:
    """Joins the map's drags to the composer of a table.

    Args:
        table: whose counters are dragged.
        after: shows what a click or a drop on a hex led to.
    """

    _table = Owner[DraftTable]()

    def __init__(self, table: DraftTable, after: Callable[[Clicked, Hex | None], None]) -> None:
        self._table, self._after = table, after
        self._selected: Hex | None = None  # before the drag
        table.map.lift = weakly(self.lift)
        table.map.passed.connect(lambda here: self.pass_through(Hex(here)))
        table.map.dropped.connect(lambda here: self.drop(None if here is None else Hex(here)))

    def lift(self, here: Hex, unit: UnitId | None) -> tuple[UnitId, ...]:
        """Take the counters of a hex, or one of a spread stack, into hand and draft; return which, none where no order takes them."""
        table = self._table
        held = table.composer.lift(here, unit)
        if held:
            self._selected, table.selected_hex = table.selected_hex, here
            table.show_draft()
        return held

    def pass_through(self, here: Hex) -> None:
        """Fix the way of what is held through a hex."""
        if self._table.composer.pass_through(here):
            self._table.show_draft()

    def drop(self, here: Hex | None) -> None:
        """Do what a drop means; None is beside the map: all is as before."""
        table = self._table
        if here is None:
            table.composer.put_back()
            table.selected_hex = self._selected
            table.show_draft()
            return
        self._after(table.composer.drop(here), here)
