"""13.6, 13.7: the Italians surrender, airbases leave with their fleets."""

from __future__ import annotations

import pytest

from core.rulesets.war_for_the_motherland.administration import BeginAdministration
from core.rulesets.war_for_the_motherland.withdrawals import Withdraw, WithdrawAirbase
from core.trials.table import Table
from core.units import UnitId
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.moments import offered_units, refusal, run, waits_for

NAME = "war_for_the_motherland"


def air(table: Table, name: str, at: str, fleet_at: str) -> tuple[UnitId, UnitId]:
    return table.place("ger_airbase", at, name=name), table.place("ger_air_fleet_5", fleet_at, name=name)


@pytest.mark.rule(NAME, "13.6", "13.17b")
@pytest.mark.parametrize("at", ["2010", "track", "arrivals"])
def test_the_italian_army_leaves_on_turn_34_wherever_it_is(new_table: NewTable, at: str) -> None:
    table = new_table()
    army, corps = table.place("ita_army", at), table.place("ita_mobile_corps", "2012")
    run(table, 33, BeginAdministration())
    assert table.where(army) == at
    run(table, 34, BeginAdministration())
    assert waits_for(table) == ""
    assert [table.where(army), table.where(corps)] == ["out", "2012"]


@pytest.mark.rule(NAME, "13.7", "13.17b", "3.0.6b")
@pytest.mark.parametrize("turn", [11, 31])
def test_the_axis_names_the_airbase_that_leaves_and_can_not_refuse(new_table: NewTable, turn: int) -> None:
    table = new_table()
    one, two = air(table, "1", "2010", "fleets"), air(table, "4", "track", "fleets")  # one of them may be waiting to come back
    corps = table.place("ger_infantry_corps", "2012")
    run(table, turn, WithdrawAirbase(), phase="german_mechanized_movement", side="axis")
    assert offered_units(table, "withdraw_airbase") == {one[0], two[0]}
    assert table.refused(Withdraw()) == "13.7"
    assert table.refused(Withdraw(corps)) == "13.7"
    assert refusal(table, Withdraw(corps)) == f"{table.view.name(corps)} is no airbase in play"
    table.order(Withdraw(two[0]))
    assert [table.where(unit) for unit in (*one, *two)] == ["2010", "fleets", "out", "out"]
    assert waits_for(table) == ""


@pytest.mark.rule(NAME, "13.7")
def test_nothing_is_withdrawn_on_other_turns_and_the_last_airbase_leaves_without_a_question(new_table: NewTable) -> None:
    table = new_table()
    base, fleet = air(table, "1", "2010", "fleets")
    run(table, 12, WithdrawAirbase(), phase="german_mechanized_movement", side="axis")
    assert table.where(base) == "2010"
    run(table, 31, WithdrawAirbase(), phase="german_mechanized_movement", side="axis")
    assert [table.where(base), table.where(fleet)] == ["out", "out"]
