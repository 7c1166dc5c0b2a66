"""13.2: armies become Guard and Shock armies."""

from __future__ import annotations

import pytest

from core.orders import UnitPick
from core.rulesets.war_for_the_motherland.conversion import AskConversions, ConvertArmy, EndConversions
from core.trials.table import Table
from core.units import UnitId
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.moments import offered, offered_units, refusal, run, waits_for

NAME = "war_for_the_motherland"


def table_with(new_table: NewTable, *waiting: tuple[str, str]) -> Table:
    table = new_table()
    for kind, name in waiting:
        table.place(kind, "conversion_waiting", name=name)
    return table


def ask(table: Table, turn: int = 13) -> None:
    run(table, turn, AskConversions())


@pytest.mark.rule(NAME, "13.22", "13.26", "3.0.7b")
def test_a_waiting_army_takes_the_place_of_a_normal_one(new_table: NewTable) -> None:
    table = table_with(new_table, ("sov_guard_army", "2"))
    army = table.place("sov_infantry_army", "2010", name="64")
    ask(table)
    assert offered(table, "convert", UnitPick(army)) == ["2. Guards Army"]
    table.order(ConvertArmy(army, "2. Guards Army"))
    (guards,) = table.position.units_at(table.hex("2010"))
    assert (guards.type, guards.name, guards.steps) == ("sov_guard_army", "2", 2)
    assert table.where(army) == "converted"
    assert guards.id not in table.position.chits
    assert waits_for(table) == ""


@pytest.mark.parametrize(("names", "waiting"), [("2", "1 Guard or Shock army waits"), ("23", "2 Guard and Shock armies wait")])
def test_it_is_told_how_many_armies_wait(new_table: NewTable, names: str, waiting: str) -> None:
    table = table_with(new_table, *(("sov_guard_army", name) for name in names))
    table.place("sov_infantry_army", "2010")
    ask(table)
    assert str(table.view.prompt()) == f"Convert armies ({waiting})"


@pytest.mark.rule(NAME, "13.22")
def test_nobody_is_asked_without_a_waiting_army_or_without_one_to_convert(new_table: NewTable) -> None:
    table = new_table()
    table.place("sov_infantry_army", "2010")
    ask(table)
    assert waits_for(table) == ""
    table = table_with(new_table, ("sov_guard_army", "2"))
    table.place("sov_tank_army", "2010")
    ask(table)
    assert waits_for(table) == ""


@pytest.mark.rule(NAME, "13.22")
def test_an_army_off_the_map_is_not_converted(new_table: NewTable) -> None:
    table = table_with(new_table, ("sov_guard_army", "2"))
    table.place("sov_infantry_army", "2010", name="64")
    away = table.place("sov_infantry_army", "track", name="65", due=15)
    ask(table)
    assert refusal(table, ConvertArmy(away, "2. Guards Army")) == f"{table.view.name(away)} is not on the map"


@pytest.mark.rule(NAME, "13.25a")
def test_any_number_is_converted_as_far_as_the_box_goes_and_the_owner_may_stop(new_table: NewTable) -> None:
    table = table_with(new_table, ("sov_guard_army", "2"), ("sov_shock_army", "5"))
    armies = [table.place("sov_infantry_army", at) for at in ("2010", "2012", "2014")]
    ask(table)
    table.order(ConvertArmy(armies[0], "5. Shock Army"))
    assert waits_for(table) == "Convert"
    table.order(ConvertArmy(armies[1], "2. Guards Army"))
    assert waits_for(table) == ""
    assert table.where(armies[2]) == "2014"
    table.place("sov_guard_army", "conversion_waiting", name="7")
    ask(table)
    table.order(EndConversions())
    assert waits_for(table) == ""


@pytest.mark.rule(NAME, "13.23a", "9.54")
@pytest.mark.parametrize("mark", ["out_of_supply", "lack_of_supply"])
def test_an_army_out_of_supply_is_not_converted(new_table: NewTable, mark: str) -> None:
    table = table_with(new_table, ("sov_guard_army", "2"))
    hungry = table.place("sov_infantry_army", "2010", **{mark: 1})
    table.place("sov_infantry_army", "2014")
    ask(table)
    assert table.refused(ConvertArmy(hungry, "2. Guards Army")) == "13.23"


@pytest.mark.rule(NAME, "13.23b", "11.15b")
@pytest.mark.parametrize(("turn", "open_"), [(13, False), (24, False), (21, True), (12, True)])
def test_an_army_in_axis_zoc_is_converted_in_mud_only(new_table: NewTable, turn: int, open_: bool) -> None:
    table = table_with(new_table, ("sov_guard_army", "2"))
    army, free = table.place("sov_infantry_army", "2010"), table.place("sov_infantry_army", "2014")
    table.place("ger_infantry_corps", "2009")
    ask(table, turn)
    assert offered_units(table, "convert") == ({army, free} if open_ else {free})
    if not open_:
        assert table.refused(ConvertArmy(army, "2. Guards Army")) == "13.23"


@pytest.mark.rule(NAME, "13.21", "13.25b")
@pytest.mark.parametrize(
    ("kind", "rule"),
    [("sov_tank_army", "13.21"), ("sov_siberian_army", "13.21"), ("sov_infantry_corps", "13.21"), ("sov_guard_army", "13.25")],
)
def test_only_armies_of_class_c_are_converted(new_table: NewTable, kind: str, rule: str) -> None:
    table = table_with(new_table, ("sov_guard_army", "2"))
    unit = table.place(kind, "2010")
    table.place("sov_infantry_army", "2014")
    ask(table)
    assert table.refused(ConvertArmy(unit, "2. Guards Army")) == rule


@pytest.mark.rule(NAME, "13.25b")
def test_only_what_waits_can_be_converted_into(new_table: NewTable) -> None:
    table = table_with(new_table, ("sov_guard_army", "2"))
    army = table.place("sov_infantry_army", "2010")
    ask(table)
    assert table.refused(ConvertArmy(army, "9. Guards Army")) == "13.25"
    assert table.refused(ConvertArmy(army)) == "13.22"


@pytest.mark.rule(NAME, "13.24a", "13.24b")
def test_a_reduced_marker_goes_back_and_a_fresh_one_of_class_b_is_drawn(new_table: NewTable) -> None:
    table = table_with(new_table, ("sov_guard_army", "2"))
    table.cup("B", {"B 5-6/3-4": 1})
    army = table.place("sov_infantry_army", "2010", chit="C 3-5/2-3", steps=1)
    ask(table, 12)
    table.order(ConvertArmy(army, "2. Guards Army"), draws=["B 5-6/3-4"])
    guards = UnitId(table.position.at(table.hex("2010"))[0])
    assert table.position.chits == {guards: "B 5-6/3-4"}
    assert table.unit(guards).steps == 2
    assert table.position.cups["C"] == {"C 3-5/2-3": 1}
    assert table.unit(army).steps == 2


@pytest.mark.rule(NAME, "13.24a", "7.24")
def test_a_starred_marker_of_a_converted_army_leaves_the_game(new_table: NewTable) -> None:
    table = table_with(new_table, ("sov_guard_army", "2"))
    table.cup("B", {"B 5-6/3-4": 1})
    army = table.place("sov_infantry_army", "2010", chit="C* 2-3/1-2")
    ask(table)
    table.order(ConvertArmy(army, "2. Guards Army"), draws=["B 5-6/3-4"])
    assert not table.position.cups.get("C")
