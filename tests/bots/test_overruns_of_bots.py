"""How `steady` overruns: it goes beside an enemy with points enough left, and takes the rest of its stack along (6.0)."""

from __future__ import annotations

from core.rulesets.war_for_the_motherland.bot import marches
from core.rulesets.war_for_the_motherland.movement import Move
from core.rulesets.war_for_the_motherland.overrun import Overrun
from core.trials.table import Table
from core.units import UnitId
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.lines_of_supply import ARMY, lay

PANZERS, CLEAR = "ger_panzer_corps", 13


def panzers(before: str) -> tuple[Table, tuple[UnitId, ...]]:
    """Return a table with panzer corps on a source in their own phase, an army before them, and their numbers."""
    table = lay(NewTable(), CLEAR, axis=["2014"])
    corps = tuple(table.place(PANZERS, "2014") for _ in range(2))
    table.place(ARMY, before)
    table.begin(CLEAR, "german_mechanized_movement")
    return table, corps


def test_a_stack_of_panzers_goes_beside_an_army_and_overruns_it_together() -> None:
    table, corps = panzers("2010")
    (march, _), *_ = marches.marches(table.view)
    assert isinstance(march, Move)
    assert march.units == corps
    assert table.board.distance(march.path[-1], table.hex("2010")) == 1
    table.order(march)
    assert marches.marches(table.view)[0][0] == Overrun(corps, table.hex("2010"))


def test_nobody_goes_beside_an_army_whom_no_points_would_be_left_to_overrun_it() -> None:
    table, _ = panzers("2008")  # five hexes to go and three points for an overrun, of seven
    assert not any(table.board.distance(order.path[-1], table.hex("2008")) == 1 for order, _ in marches.marches(table.view))
