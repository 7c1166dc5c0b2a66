"""The battle of an overrun (6.1.2, 6.1.3, 6.27b, 6.29) and what of combat doesn't hold in it."""

from __future__ import annotations

import pytest

from core.rulesets.war_for_the_motherland.retreat import Retreat
from core.trials.table import Table
from core.units import UnitId
from tests.rules.war_for_the_motherland.battles import (
    ARMY,
    OSG,
    PANZER_KG,
    PANZERS,
    SOVIET_CORPS,
    attack,
    axis,
    line,
    retreat,
    shows,
    soviet,
    waits_for,
)
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.moving import AXIS_MOVES, SOVIET_MOVES, left_of, overrun, side

RULES = "war_for_the_motherland"


def panzers_before_army(new_table: NewTable, chit: str, *, turn: int, fleet: bool = False) -> tuple[Table, UnitId, UnitId]:
    table = new_table()
    panzers, army = table.place(PANZERS, "2009"), table.place(ARMY, "2010", chit=chit)
    if fleet:
        table.place("ger_air_fleet_3", "2007")
    table.begin(turn, AXIS_MOVES)
    return table, panzers, army


@pytest.mark.rule(RULES, "6.1.2", "6.1.3", "11.27", "8.55")
def test_winter_and_overrun_add_up_and_no_fleet_helps(new_table: NewTable) -> None:
    table, panzers, _ = panzers_before_army(new_table, "C* 3-4/2-2", turn=8, fleet=True)
    table.order(overrun(table, panzers, at="2010"), dice=[2])
    assert (line(table, "ratio"), line(table, "column"), table.explained("roll")) == ("9:4", "2:1", "2 + 3 (11.27) + 1 (6.1)")
    assert (line(table, "result"), waits_for(table)) == ("D2", "soviet PayResult")


@pytest.mark.rule(RULES, "6.1.3", "8.86a", "6.26a")
def test_the_same_overrun_ends_in_a_red_box_with_a_higher_die(new_table: NewTable) -> None:
    table, panzers, army = panzers_before_army(new_table, "C* 3-4/2-2", turn=8)
    table.order(overrun(table, panzers, at="2010"), dice=[3])
    assert (line(table, "roll"), line(table, "result")) == ("7", "1/1")
    assert (shows(table, army), shows(table, panzers), left_of(table, panzers)) == ("2-2-3", "7-6-7", 4)


@pytest.mark.rule(RULES, "6.29", "8.56", "8.52")
@pytest.mark.parametrize(("fleet", "column", "result"), [(True, "4:1", "D2"), (False, "3:1", "D1")])
def test_air_support_helps_an_overrun(new_table: NewTable, fleet: bool, column: str, result: str) -> None:
    table, panzers, _ = panzers_before_army(new_table, "C* 2-3/1-2", turn=14, fleet=fleet)
    table.order(overrun(table, panzers, at="2010"), dice=[3])
    assert (line(table, "column"), line(table, "roll"), line(table, "result")) == (column, "4", result)


@pytest.mark.rule(RULES, "6.29", "8.62a", "8.64")
def test_support_groups_help_a_soviet_overrun(new_table: NewTable) -> None:
    table = new_table()
    army = table.place(ARMY, "2009", chit="C 6-9/3-5")
    axis(table, "2010", 1, 1, like="ger_infantry_kg")
    table.place(OSG, "2007")
    table.begin(9, SOVIET_MOVES)
    table.order(overrun(table, army, at="2010"), dice=[2])
    assert (line(table, "column"), table.explained("drm")) == ("6:1", "3 (11.27) + 1 (6.1) + 3 (8.62)")


@pytest.mark.rule(RULES, "17.41")
@pytest.mark.parametrize(("turn", "parts"), [(1, "2"), (2, "")])
def test_rivers_help_nobody_overrun_by_germans_in_the_first_turn(new_table: NewTable, turn: int, parts: str) -> None:
    table = new_table(side("2009", "2010", "major_river"), rules={"turn_without_rivers": 1})
    panzers = table.place(PANZERS, "2009")
    table.place(SOVIET_CORPS, "2010")
    table.begin(turn, AXIS_MOVES)
    order = overrun(table, panzers, at="2010")
    if not parts:
        assert table.refused(order) == "6.28a"
        return
    table.order(order, dice=[6])
    assert table.explained("defence") == parts


@pytest.mark.rule(RULES, "6.27b", "8.111c", "6.26b")
def test_the_defender_does_not_follow_who_fails_to_overrun_him(new_table: NewTable) -> None:
    table = new_table()
    kg = table.place(PANZER_KG, "2009", steps=1)
    table.place(PANZERS, "2007")
    table.place(ARMY, "2010", chit="C* 2-3/1-2")
    table.begin(13, AXIS_MOVES)
    table.order(overrun(table, kg, at="2010"), dice=[1])
    assert (line(table, "ratio"), line(table, "result"), waits_for(table)) == ("2:3", "A2", "axis PayResult")
    table.order(Retreat((kg,), table.hex("2008")))
    if waits_for(table) == "axis ChooseRetreat":
        table.order(Retreat((kg,), table.hex("1907")))
    assert table.view.side_to_act() == "axis"
    assert "Advance" not in waits_for(table)
    assert shows(table, kg) == "2-1-8"


@pytest.mark.rule(RULES, "8.107c", "6.27a")
def test_who_fled_from_an_overrun_defends_fully_in_the_next(new_table: NewTable) -> None:
    table = new_table()
    division = axis(table, "2009", 9, 4, like="ger_panzer_division", move=9)
    fled, host = soviet(table, "2010", 1, 3), soviet(table, "2011", 1, 4)
    for at in ("1910", "2110"):
        table.place("ger_infantry_corps", at)
    table.begin(13, AXIS_MOVES)
    table.order(overrun(table, division, at="2010"), dice=[3])
    assert line(table, "result") == "D1"
    retreat(table, [fled], "2011")
    assert (table.where(division), table.where(fled)) == ("2010", "2011")
    table.order(overrun(table, division, at="2011"), dice=[4])
    assert table.explained("defence") == "3 + 4"
    assert table.position.units[host].place == table.hex("2011")


@pytest.mark.rule(RULES, "8.107c", "8.23c")
def test_an_overrun_is_no_attack_of_the_combat_phase(new_table: NewTable) -> None:
    table, panzers, _ = panzers_before_army(new_table, "C* 3-4/2-2", turn=13)
    table.order(overrun(table, panzers, at="2010"), dice=[2])
    assert line(table, "result") == "NE"
    table.place("ger_infantry_corps", "2601"), table.place(SOVIET_CORPS, "2602")
    table.begin(13, "axis_combat")
    attack(table, "2010", [panzers], 3)
    assert line(table, "result") == "NE"
