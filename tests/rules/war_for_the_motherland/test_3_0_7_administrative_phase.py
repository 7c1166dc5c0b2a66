"""3.0 phase 7: its steps in their order, each asking only if there is something to choose."""

from __future__ import annotations

import pytest

from core.rulesets.war_for_the_motherland.administration import STEPS
from core.rulesets.war_for_the_motherland.conversion import EndConversions
from core.rulesets.war_for_the_motherland.economy import EndEvacuation
from core.rulesets.war_for_the_motherland.organization import BreakDown, EndOrganization
from core.rulesets.war_for_the_motherland.partisans import EndPartisans, PlacePartisan
from core.rulesets.war_for_the_motherland.rebuilding import EndRebuilding, KeepArmies
from core.trials.table import PlainBoard, Table
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.moments import run, told, waits_for

NAME = "war_for_the_motherland"


def country(board: PlainBoard) -> None:
    board.rail(*(f"16{column:02}" for column in range(1, 13)))
    for label in board.facts:
        board.hex(label, country="soviet")


def full_table(new_table: NewTable) -> Table:
    """A table on which every step of a Production Turn has a choice but 7f."""
    table = new_table(country, options={"army_breakdown": True}, rules={"osg_production": True})
    table.place("ger_panzer_corps", "2618")
    table.place("sov_guard_army", "conversion_waiting")
    table.place("sov_infantry_army", "1605")
    table.place("sov_infantry_corps", "1807")
    table.place("sov_infantry_corps", "1807")
    table.place("sov_infantry_army", "converted")
    table.place("sov_factory", "1604")
    table.place("sov_partisan", "2010")
    return table


@pytest.mark.rule(NAME, "3.0b", "3.0.7a", "3.0.7b", "3.0.7c", "3.0.7d", "3.0.7e", "3.0.7f", "3.0.7g", "3.0.7h")
def test_the_steps_come_in_their_order_and_an_order_of_another_step_is_refused(new_table: NewTable) -> None:
    table = full_table(new_table)
    port = table.place("sov_strategic_port", "2010")
    corps = table.position.at(table.hex("2618"))[0]
    run(table, 14, *STEPS)
    asked = []
    ends = (EndOrganization(), EndConversions(), EndRebuilding(), KeepArmies(), EndEvacuation(), EndPartisans())
    for end in ends:
        asked.append(waits_for(table))
        if asked[-1] == "Convert":
            assert table.refused(BreakDown(corps)) == "14.21"  # 7a is over
        if asked[-1] == "BreakArmyDown":
            assert table.where(port) == "2010"
        if asked[-1] == "Evacuation":
            assert table.where(port) == "destroyed_ea"
        table.order(end)
    assert asked == ["Organize", "Convert", "Rebuild", "BreakArmyDown", "Evacuation", "PartisansChoice"]
    assert waits_for(table) == ""


@pytest.mark.rule(NAME, "3.0.7e", "3.0.7f", "12.22b")
def test_a_port_destroyed_in_7e_counts_in_7f(new_table: NewTable) -> None:
    table = new_table(country, rules={"osg_production": True})
    number = table.setting.charts.turns.of(14).production_number
    for _ in range(number - 1):
        table.place("sov_oil_field", "destroyed_ea")
    table.place("sov_strategic_port", "2010")
    table.place("sov_headquarters", "1603")
    run(table, 14, *STEPS)
    assert told(table, "production") == ["OSG production: none"]
    assert waits_for(table) == ""


@pytest.mark.rule(NAME, "3.0.7i", "3.0.7j", "7.21", "7.12")
def test_markers_come_off_before_new_ones_are_drawn(new_table: NewTable) -> None:
    table = new_table()
    away = table.place("sov_infantry_army", "1603", chit="C 3-5/2-3")
    near = table.place("sov_infantry_army", "2010")
    table.place("rum_infantry_corps", "2011")
    run(table, 13, *STEPS, draws=["C 3-5/2-3"])
    assert table.position.chits == {near: "C 3-5/2-3"}
    assert away not in table.position.chits


@pytest.mark.rule(NAME, "13.17b", "3.0.7h", "9.81a")
def test_the_administrative_phase_is_the_last_chance_of_a_new_partisan(new_table: NewTable) -> None:
    table = new_table(country)
    new = table.place("sov_partisan", "arrivals")
    run(table, 13, *STEPS)
    assert table.refused(EndPartisans()) == "13.17"
    table.order(PlacePartisan(new, table.hex("2010")))
    assert (table.where(new), waits_for(table)) == ("2010", "")


@pytest.mark.rule(NAME, "4.18", "4.11a")
def test_the_phase_ends_with_legal_stacks(new_table: NewTable) -> None:
    table = new_table()
    kg = [table.place("ger_mountain_kg", "2010") for _ in range(5)]
    run(table, 13, *STEPS)
    assert waits_for(table) == "RemoveExcess"
    assert len(kg) == 5


@pytest.mark.rule(NAME, "3.0b")
def test_nobody_is_asked_when_there_is_nothing_to_choose(new_table: NewTable) -> None:
    table = new_table()
    table.place("rum_infantry_corps", "2010")
    table.place("sov_infantry_army", "2208")
    run(table, 13, *STEPS)
    assert waits_for(table) == ""
