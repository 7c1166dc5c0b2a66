"""14.3, 14.4, 20.2: armies from corps, corps into armies, armies into corps."""

from __future__ import annotations

import pytest

from core.orders import UnitPick
from core.rulesets.war_for_the_motherland.conversion import AskConversions, ConvertArmy
from core.rulesets.war_for_the_motherland.rebuilding import (
    AskArmyBreakdown,
    AskRebuilding,
    BreakArmy,
    EndRebuilding,
    Incorporate,
    KeepArmies,
    RebuildArmy,
)
from core.rulesets.war_for_the_motherland.terms import DUE, LACK_OF_SUPPLY
from core.trials.table import Table
from core.units import UnitId
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.moments import offered, offered_units, refusal, run, waits_for

NAME = "war_for_the_motherland"
AT = "2010"
RIFLES, TANKS = "sov_infantry_corps", "sov_mechanized_corps"


def ask(table: Table, turn: int = 13) -> None:
    run(table, turn, AskRebuilding())


def pair(table: Table, one: str = RIFLES, two: str = RIFLES, at: str = AT, **marks: int) -> tuple[UnitId, UnitId]:
    return table.place(one, at), table.place(two, at, **marks)


@pytest.mark.rule(NAME, "14.31", "14.32a", "14.33", "3.0.7c")
@pytest.mark.parametrize(("one", "two"), [(RIFLES, RIFLES), (RIFLES, TANKS), ("sov_marine_corps", "sov_mechanized_group")])
def test_two_stacked_corps_of_any_types_become_an_army_even_in_axis_zoc(new_table: NewTable, one: str, two: str) -> None:
    table = new_table()
    table.place("ger_infantry_corps", "2009")
    army = table.place("sov_infantry_army", "converted", name="64")
    corps = pair(table, one, two)
    ask(table)
    table.order(RebuildArmy(corps, "64. Army"))
    assert [unit.id for unit in table.position.units_at(table.hex(AT))] == [army]
    assert army not in table.position.chits
    assert [table.where(unit) for unit in corps] == ["out", "out"]
    assert waits_for(table) == ""


@pytest.mark.rule(NAME, "14.31", "13.55a")
def test_a_corps_that_comes_back_for_a_lost_army_is_no_army_to_rebuild(new_table: NewTable) -> None:
    table = new_table()
    table.place("sov_infantry_army", "converted", name="64")
    table.place(RIFLES, "track", name="9", due=15)
    corps = pair(table)
    ask(table)
    assert offered(table, "rebuild_army", *map(UnitPick, corps)) == ["64. Army"]


@pytest.mark.rule(NAME, "14.32a")
def test_airborne_corps_build_no_army(new_table: NewTable) -> None:
    table = new_table()
    table.place("sov_infantry_army", "converted", name="64")
    pair(table, at="2014")
    corps = pair(table, RIFLES, "sov_airborne_corps")
    ask(table)
    assert table.refused(RebuildArmy(corps, "64. Army")) == "14.32"


@pytest.mark.rule(NAME, "14.32b", "9.54")
def test_corps_in_lack_of_supply_build_and_stay_in_it_and_those_out_of_supply_do_not(new_table: NewTable) -> None:
    table = new_table()
    army = table.place("sov_infantry_army", "converted", name="64")
    table.place("sov_infantry_army", "converted", name="65")
    lacking = pair(table, lack_of_supply=1)
    starving = pair(table, at="2014", out_of_supply=1)
    ask(table)
    assert table.refused(RebuildArmy(starving, "64. Army")) == "14.32"
    table.order(RebuildArmy(lacking, "64. Army"))
    assert table.position.mark(army, LACK_OF_SUPPLY)


@pytest.mark.rule(NAME, "14.33")
def test_which_armies_come_back_this_way(new_table: NewTable) -> None:
    table = new_table()
    table.place("sov_infantry_army", "converted", name="1")
    table.place("sov_infantry_army", "broken_down", name="2")
    table.place("sov_infantry_army", "track", name="3", due=20)
    table.place("sov_infantry_army", "arrivals", name="4", due=13)
    table.place("sov_infantry_army", "arrivals", name="5")  # new: never eliminated
    table.place("sov_infantry_army", "out", name="6")  # for good
    table.place("sov_tank_army", "track", name="7", due=20)
    table.place("sov_guard_army", "conversion_waiting", name="8")
    rifles, tanks = pair(table), pair(table, TANKS, "sov_mechanized_group", at="2014")
    ask(table)
    regular = ["1. Army", "2. Army", "3. Army", "4. Army"]
    assert offered(table, "rebuild_army", *(UnitPick(unit) for unit in rifles)) == regular
    assert sorted(map(str, offered(table, "rebuild_army", *(UnitPick(unit) for unit in tanks)))) == [*regular, "7. Tank Army"]
    assert table.refused(RebuildArmy(rifles, "8. Guards Army")) == "14.33"
    assert table.refused(RebuildArmy(rifles, "6. Army")) == "14.31"
    assert table.refused(RebuildArmy(rifles, "7. Tank Army")) == "14.31"


@pytest.mark.rule(NAME, "14.33")
def test_an_army_that_waited_on_the_track_does_not_return_a_second_time(new_table: NewTable) -> None:
    table = new_table()
    army = table.place("sov_infantry_army", "track", name="3", due=20, steps=1)
    ask(table)
    corps = pair(table)
    ask(table)
    table.order(RebuildArmy(corps, "3. Army"))
    assert table.where(army) == AT
    assert table.unit(army).steps == 2
    assert not table.position.mark(army, DUE)


@pytest.mark.rule(NAME, "14.31", "14.13")
def test_corps_in_different_hexes_or_without_an_army_at_hand_build_nothing(new_table: NewTable) -> None:
    table = new_table()
    one, two = table.place(RIFLES, AT), table.place(RIFLES, "2014")
    ask(table)
    assert waits_for(table) == ""
    table.place("sov_infantry_army", "converted", name="64")
    pair(table, at="2016")
    pair(table, at="2018")
    ask(table)
    assert table.refused(RebuildArmy((one, two), "64. Army")) == "14.31"
    here, there = table.position.at(table.hex("2016"))[0], table.position.at(table.hex("2018"))[0]
    assert table.refused(RebuildArmy((here, there), "64. Army")) == "14.13"


@pytest.mark.rule(NAME, "13.26", "14.33")
def test_an_army_converted_in_this_turn_is_rebuilt_in_it(new_table: NewTable) -> None:
    table = new_table()
    army = table.place("sov_infantry_army", "2014", name="64")
    table.place("sov_guard_army", "conversion_waiting", name="2")
    corps = pair(table)
    run(table, 13, AskConversions(), AskRebuilding())
    table.order(ConvertArmy(army, "2. Guards Army"))
    table.order(RebuildArmy(corps, "64. Army"))
    assert table.where(army) == AT


# -------------------------------------------------------------------- incorporation


def weak_army(table: Table, kind: str = "sov_infantry_army", at: str = AT, **marks: int) -> UnitId:
    chit = {"sov_infantry_army": "C 3-5/2-3", "sov_tank_army": "A 7-5/4-3", "sov_guard_army": "B 5-6/3-4"}[kind]
    return table.place(kind, at, chit=chit, steps=1, **marks)


@pytest.mark.rule(NAME, "14.41", "14.42", "14.45", "14.43")
def test_a_corps_next_to_a_reduced_army_turns_its_marker_to_the_front(new_table: NewTable) -> None:
    table = new_table()
    table.place("ger_infantry_corps", "2011")  # ZOC is no bar
    armies = weak_army(table), weak_army(table, at="1808")
    corps = table.place(RIFLES, "2009"), table.place(RIFLES, "1807")
    ask(table)
    table.order(Incorporate((armies[0], corps[0])))
    assert table.unit(armies[0]).steps == 2
    assert table.where(corps[0]) == "out"
    table.order(Incorporate((armies[1], corps[1])))
    assert waits_for(table) == ""


@pytest.mark.rule(NAME, "14.41")
def test_no_corps_joins_from_two_hexes_off_or_a_whole_army(new_table: NewTable) -> None:
    table = new_table()
    weak, whole = weak_army(table), table.place("sov_infantry_army", "1808", chit="C 3-5/2-3")
    unmarked = table.place("sov_infantry_army", "2208")
    near, far, third = table.place(RIFLES, "2009"), table.place(RIFLES, "2008"), table.place(RIFLES, "2207")
    ask(table)
    assert offered_units(table, "incorporate") == {weak, near}
    assert table.refused(Incorporate((weak, far))) == "14.41"
    assert table.refused(Incorporate((whole, near))) == "14.41"
    assert table.refused(Incorporate((unmarked, third))) == "14.41"


@pytest.mark.rule(NAME, "14.41")
def test_adjacent_is_adjacent_over_any_hexside(new_table: NewTable) -> None:
    table = new_table(lambda board: board.side("2010", "2009", "lake"))
    army, corps = weak_army(table), table.place(RIFLES, "2009")
    ask(table)
    assert offered_units(table, "incorporate") == {army, corps}


@pytest.mark.rule(NAME, "14.43", "9.54")
@pytest.mark.parametrize("mark", ["out_of_supply", "lack_of_supply"])
def test_neither_army_nor_corps_may_want_supply(new_table: NewTable, mark: str) -> None:
    table = new_table()
    hungry, corps = weak_army(table, **{mark: 1}), table.place(RIFLES, "2009")
    army, hungry_corps = weak_army(table, at="1808"), table.place(RIFLES, "1807", **{mark: 1})
    weak_army(table, at="2414")
    table.place(RIFLES, "2413")
    ask(table)
    assert table.refused(Incorporate((hungry, corps))) == "14.43"
    assert table.refused(Incorporate((army, hungry_corps))) == "14.43"


@pytest.mark.rule(NAME, "14.44")
@pytest.mark.parametrize(
    ("army", "corps", "allowed"),
    [
        ("sov_infantry_army", RIFLES, True),
        ("sov_infantry_army", TANKS, True),
        ("sov_guard_army", RIFLES, True),
        ("sov_guard_army", "sov_mechanized_group", True),
        ("sov_tank_army", TANKS, True),
        ("sov_tank_army", RIFLES, False),
        ("sov_infantry_army", "sov_airborne_corps", False),
        ("sov_infantry_army", "sov_marine_corps", False),
    ],
)
def test_which_corps_joins_which_army(new_table: NewTable, army: str, corps: str, allowed: bool) -> None:
    table = new_table()
    weak_army(table, at="2414")
    table.place(RIFLES, "2413")
    units = weak_army(table, army), table.place(corps, "2009")
    ask(table)
    if allowed:
        table.order(Incorporate(units))
        assert table.unit(units[0]).steps == 2
    else:
        assert table.refused(Incorporate(units)) == "14.44"


@pytest.mark.rule(NAME, "14.31")
@pytest.mark.parametrize("other", ["sov_infantry_army", "sov_headquarters", "sov_osg", "ger_infantry_corps"])
def test_an_army_is_made_of_soviet_corps_and_of_nothing_else(new_table: NewTable, other: str) -> None:
    table = new_table()
    table.place("sov_infantry_army", "converted", name="64")
    corps, _ = pair(table)
    third = table.place(other, AT if other.startswith("sov") else "2414")
    ask(table)
    assert refusal(table, RebuildArmy((third,), "64. Army")) == f"{table.view.name(third)} is no Soviet corps"
    assert table.refused(RebuildArmy((corps, third), "64. Army")) == "14.31"


@pytest.mark.rule(NAME, "14.31", "14.13")
def test_a_lone_corps_is_told_that_it_has_no_second(new_table: NewTable) -> None:
    table = new_table()
    table.place("sov_infantry_army", "converted", name="64")
    pair(table)
    lone = table.place(RIFLES, "2414")
    table.place("sov_infantry_army", "2414")
    ask(table)
    assert refusal(table, RebuildArmy((lone,), "64. Army")) == f"{table.view.name(lone)} has no second corps, or no army is out of play"


@pytest.mark.rule(NAME, "14.44", "14.41")
def test_no_army_takes_in_a_corps_of_the_enemy(new_table: NewTable) -> None:
    table = new_table()
    army = weak_army(table)
    table.place(RIFLES, "2011")
    germans = table.place("ger_infantry_corps", "2009")
    ask(table)
    assert table.refused(Incorporate((army, germans))) == "14.44"


@pytest.mark.rule(NAME, "14.43", "14.44")
@pytest.mark.parametrize(
    ("rifles_starve", "tanks_starve", "rule"),
    [(False, True, "14.43"), (True, True, "14.43"), (True, None, "14.44"), (False, None, "14.44")],
)
def test_a_tank_army_is_told_of_the_corps_that_it_could_take_in(
    new_table: NewTable, rifles_starve: bool, tanks_starve: bool | None, rule: str
) -> None:
    table = new_table()
    weak_army(table, at="2414")
    table.place(RIFLES, "2413")
    army = weak_army(table, "sov_tank_army")
    table.place(RIFLES, "2009", lack_of_supply=int(rifles_starve))
    if tanks_starve is not None:
        table.place(TANKS, "2011", lack_of_supply=int(tanks_starve))
    ask(table)
    assert table.refused(Incorporate((army,))) == rule


@pytest.mark.rule(NAME, "14.45")
def test_the_soviet_side_may_stop(new_table: NewTable) -> None:
    table = new_table()
    weak_army(table)
    table.place(RIFLES, "2009")
    ask(table)
    table.order(EndRebuilding())
    assert waits_for(table) == ""


# -------------------------------------------------------------------- option 20.2


def ask_breakdown(new_table: NewTable, turn: int = 14, *, chosen: bool = True, **marks: int) -> tuple[Table, UnitId]:
    table = new_table(options={"army_breakdown": chosen})
    table.place("sov_infantry_army", "2414", name="1")
    army = table.place("sov_infantry_army", AT, name="64", **marks)
    run(table, turn, AskArmyBreakdown())
    return table, army


@pytest.mark.rule(NAME, "20.21a", "20.22", "3.0.7d")
@pytest.mark.parametrize(("into", "made"), [("two infantry corps", [RIFLES, RIFLES]), ("infantry and mechanized corps", [RIFLES, TANKS])])
def test_one_army_becomes_two_corps_on_a_production_turn(new_table: NewTable, into: str, made: list[str]) -> None:
    table, army = ask_breakdown(new_table)
    table.order(BreakArmy(army, into))
    assert [unit.type for unit in table.position.units_at(table.hex(AT))] == made
    assert table.where(army) == "broken_down"
    assert waits_for(table) == ""  # one a turn


@pytest.mark.rule(NAME, "20.21a", "7.23")
def test_the_marker_of_an_army_that_breaks_down_goes_back_into_its_cup(new_table: NewTable) -> None:
    table = new_table(options={"army_breakdown": True})
    army = table.place("sov_infantry_army", AT, chit="C 3-5/2-3")
    run(table, 14, AskArmyBreakdown())
    assert table.position.cups.get("C", {}) == {}
    table.order(BreakArmy(army, "two infantry corps"))
    assert army not in table.position.chits
    assert table.position.cups["C"] == {"C 3-5/2-3": 1}


@pytest.mark.rule(NAME, "14.34", "20.21a", "20.0")
@pytest.mark.parametrize(("turn", "chosen"), [(13, True), (14, False)])
def test_armies_break_down_with_the_option_on_production_turns_only(new_table: NewTable, turn: int, chosen: bool) -> None:
    table, _ = ask_breakdown(new_table, turn, chosen=chosen)
    assert waits_for(table) == ""


@pytest.mark.rule(NAME, "20.21b", "20.23")
@pytest.mark.parametrize(("mark", "rule"), [("organized", "20.21"), ("out_of_supply", "20.23"), ("lack_of_supply", "20.23")])
def test_armies_that_do_not_break_down(new_table: NewTable, mark: str, rule: str) -> None:
    table, army = ask_breakdown(new_table, **{mark: 1})
    assert table.refused(BreakArmy(army, "two infantry corps")) == rule


@pytest.mark.rule(NAME, "20.23", "20.21a")
def test_an_army_next_to_axis_units_and_one_of_guards_shock_or_tanks_does_not_break_down(new_table: NewTable) -> None:
    table, army = ask_breakdown(new_table)
    table.place("axis_depot_normal", "2009")
    special = [table.place(kind, "2416") for kind in ("sov_guard_army", "sov_shock_army", "sov_tank_army")]
    away = table.place("sov_infantry_army", "arrivals", name="9")
    assert table.refused(BreakArmy(army, "two infantry corps")) == "20.23"
    assert [table.refused(BreakArmy(other, "two infantry corps")) for other in (*special, away)] == ["20.21"] * 4
    assert refusal(table, BreakArmy(away, "two infantry corps")) == f"{table.view.name(away)} is no regular army on the map"
    table.order(KeepArmies())
    assert waits_for(table) == ""


@pytest.mark.rule(NAME, "20.21b")
def test_an_army_that_took_a_corps_in_this_turn_does_not_break_down(new_table: NewTable) -> None:
    table = new_table(options={"army_breakdown": True})
    army, corps = weak_army(table), table.place(RIFLES, "2009")
    table.place("sov_infantry_army", "2414")
    run(table, 14, AskRebuilding(), AskArmyBreakdown())
    table.order(Incorporate((army, corps)))
    assert table.refused(BreakArmy(army, "two infantry corps")) == "20.21"
