"""19.44: Murmansk as an Axis source, and the sources of map N that serve only Finns on arrival."""

from __future__ import annotations

import pytest

from core.events import ControlChanged
from core.rulesets.war_for_the_motherland.arrivals import PlaceReinforcements, legal_hexes
from core.trials.table import Table
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.lines_of_supply import lay
from tests.rules.war_for_the_motherland.moments import run
from tests.rules.war_for_the_motherland.phase_one import phase_one

NAME = "war_for_the_motherland"
MURMANSK, FAR, SNOW = "2006", "2601", 9


def arriving(new_table: NewTable, holder: str, kind: str = "ger_infantry_corps", **words: object) -> set[str]:
    """Return where a unit may be placed on a snow turn, Murmansk held by a side and the Axis' other source far away."""
    table: Table = lay(new_table, SNOW, axis=[FAR], soviet=["1601"], conquered_sources=[MURMANSK], **words)
    table.happen(ControlChanged(table.hex(MURMANSK), holder))
    table.place("sov_headquarters", "1601")
    unit = table.place(kind, "arrivals")
    phase_one(table, SNOW)
    run(table, SNOW, PlaceReinforcements(side="axis"), phase="axis_movement", side="axis")
    return {table.board.label(here) for here in legal_hexes(table.view, unit)}


@pytest.mark.rule(NAME, "19.44b", "13.12")
def test_axis_units_arrive_within_supply_of_a_murmansk_that_they_hold(new_table: NewTable) -> None:
    held, not_held = arriving(new_table, "axis"), arriving(new_table, "soviet")
    assert {"2006", "2010", "1807"} <= held - not_held
    assert "2011" not in held  # five hexes off
    assert "2602" in held & not_held


@pytest.mark.rule(NAME, "19.44b", "13.12")
def test_soviets_nearer_than_four_hexes_forbid_it_there_as_elsewhere(new_table: NewTable) -> None:
    assert "1604" not in arriving(new_table, "axis")  # in reach of Murmansk, three hexes from the headquarters in 1601


@pytest.mark.rule(NAME, "19.44c")
def test_other_sources_of_the_north_serve_no_arrivals_but_murmansk_does(new_table: NewTable) -> None:
    found = arriving(new_table, "axis", not_for_arrivals=[FAR])
    assert "2010" in found
    assert "2602" not in found


@pytest.mark.rule(NAME, "19.44c", "13.12")
def test_finns_arrive_within_a_line_of_the_sources_that_serve_nobody_else(new_table: NewTable) -> None:
    found = arriving(new_table, "axis", kind="fin_corps", not_for_arrivals=[FAR])
    assert {"2601", "2602", "2605"} <= found
    assert "2606" not in found
    assert "2010" not in found, "Murmansk is no source of theirs"
    assert not arriving(new_table, "axis", kind="fin_corps")
