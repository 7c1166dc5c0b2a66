from __future__ import annotations

import pytest

from core.events import PlaceMarked
from core.rulesets.war_for_the_motherland import attrition
from core.rulesets.war_for_the_motherland.supply_phase import JudgeUnits
from core.rulesets.war_for_the_motherland.terms import DESTROYED, OUT_OF_SUPPLY
from core.trials.table import PlainBoard
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.lines_of_supply import ARMY, CORPS, DEPOT, KG, RUMANIANS, lay
from tests.rules.war_for_the_motherland.phase_one import phase_one

R = "war_for_the_motherland"
JUDGE = (JudgeUnits(),)


def places(plain: PlainBoard) -> None:
    plain.hex("2005", city="minor")
    plain.hex("2006", city="major")
    plain.hex("2007", features=["fortress"])
    plain.hex("2008", features=["fortress"])
    plain.hex("2009", terrain="swamp")
    plain.hex("2010", terrain="mountain", city="minor")


def total(new_table: NewTable, kind: str, label: str, turn: int = 13) -> int:
    table = lay(new_table, turn, places)
    table.happen(PlaceMarked((table.hex("2008"),), DESTROYED))
    return sum(int(part.value) for part in attrition.modifiers(table.view, table.place(kind, label)))


@pytest.mark.rule(R, "9.92")
@pytest.mark.parametrize(("label", "modifier"), [("2005", 1), ("2006", 2), ("2007", 2), ("2008", 1), ("2011", 0)])
def test_cities_help(new_table: NewTable, label: str, modifier: int) -> None:
    assert total(new_table, CORPS, label) == modifier


@pytest.mark.rule(R, "9.91a")
@pytest.mark.parametrize(("label", "modifier"), [("2009", -1), ("2010", 1)])
def test_hard_terrain_hurts_outside_cities(new_table: NewTable, label: str, modifier: int) -> None:
    assert total(new_table, CORPS, label) == modifier


@pytest.mark.rule(R, "5.27a", "11.24", "9.91a")
@pytest.mark.parametrize(("turn", "modifier"), [(22, 0), (23, 0), (26, -1)])
def test_a_swamp_under_snow_hurts_no_more_than_a_forest(new_table: NewTable, turn: int, modifier: int) -> None:
    assert total(new_table, CORPS, "2009", turn) == modifier


@pytest.mark.rule(R, "9.91a")
@pytest.mark.parametrize(
    ("kind", "turn", "modifier"),
    [(RUMANIANS, 13, -1), ("fin_corps", 13, 1), (ARMY, 9, 0), (CORPS, 9, -1), ("fin_corps", 9, 1), (CORPS, 23, 0)],
)
def test_nation_and_first_winter_count(new_table: NewTable, kind: str, turn: int, modifier: int) -> None:
    assert total(new_table, kind, "2011", turn) == modifier


@pytest.mark.rule(R, "9.91a", "9.91b")
@pytest.mark.parametrize(("die", "steps"), [(1, 3), (3, 3), (4, 4)])
def test_a_corps_in_the_open_loses_a_step_on_one_to_three(new_table: NewTable, die: int, steps: int) -> None:
    table = lay(new_table, 13)
    corps = table.place(CORPS, "2010")
    phase_one(table, 13, steps=JUDGE, dice=[die])
    assert table.unit(corps).steps == steps
    assert table.explained("roll") == str(die)


@pytest.mark.rule(R, "9.91b")
def test_two_steps_may_turn_a_corps_into_a_kg_that_stays_out_of_supply(new_table: NewTable) -> None:
    table = lay(new_table, 9)
    corps = table.place(CORPS, "2010", steps=3)
    phase_one(table, 9, steps=JUDGE, dice=[1])
    (kg,) = table.position.at(table.hex("2010"))
    assert kg != corps
    assert (table.unit(kg).type, table.unit(kg).steps) == (KG, 1)
    assert table.position.mark(kg, OUT_OF_SUPPLY)
    assert table.explained("roll") == "1 + -1 (9.91)"


@pytest.mark.rule(R, "9.91b")
def test_two_steps_of_a_unit_with_one_just_end_it(new_table: NewTable) -> None:
    table = lay(new_table, 13)
    kg, rumanians = table.place(KG, "2010", steps=1), table.place(RUMANIANS, "2012")
    phase_one(table, 13, steps=JUDGE, dice=[3, 1])
    assert (table.where(kg), table.where(rumanians)) == ("out", "out")


@pytest.mark.rule(R, "9.91b")
def test_an_army_draws_a_marker_for_its_loss(new_table: NewTable) -> None:
    table = lay(new_table, 13)
    army = table.place(ARMY, "2010")
    table.cup("C", {"C 3-5/2-3": 1})
    phase_one(table, 13, steps=JUDGE, dice=[2], draws=["C 3-5/2-3"])
    assert (table.position.chits[army], table.unit(army).steps) == ("C 3-5/2-3", 1)


@pytest.mark.rule(R, "9.91b")
def test_an_army_that_loses_nothing_draws_nothing(new_table: NewTable) -> None:
    table = lay(new_table, 13)
    army = table.place(ARMY, "2010")
    table.cup("C", {"C 3-5/2-3": 1})
    phase_one(table, 13, steps=JUDGE, dice=[6])
    assert army not in table.position.chits


@pytest.mark.rule(R, "9.91c")
def test_a_depot_never_rolls(new_table: NewTable) -> None:
    table = lay(new_table, 13)
    depot = table.place(DEPOT, "2010")
    phase_one(table, 13, steps=JUDGE)
    assert table.where(depot) == "2010"
