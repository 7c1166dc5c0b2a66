"""13.5 and 12.12: where a counter goes when it leaves the map, and when it comes back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.events import Event, StepsChanged
from core.flow import Step
from core.game import Game
from core.rulesets.war_for_the_motherland import recovery
from core.rulesets.war_for_the_motherland.arrivals import PlaceReinforcements
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.terms import DUE, OUT_OF_SUPPLY
from core.trials.table import Table
from core.units import UnitId
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.moments import run, told

NAME = "war_for_the_motherland"


class EliminateForTest(Step, frozen=True, kw_only=True):
    """Eliminates a unit out of the blue."""

    unit: int


@pytest.fixture(autouse=True)
def elimination() -> Iterator[None]:
    """The ruleset knows the step of this file while its tests run."""

    def eliminate(game: Game, step: EliminateForTest) -> Iterator[Event]:
        yield from recovery.eliminate(game, UnitId(step.unit))

    RULES.step(EliminateForTest)(eliminate)
    yield
    del RULES.steps[EliminateForTest.__name__]


def lose(table: Table, unit: UnitId, *, turn: int, dice: list[int] | None = None) -> None:
    run(table, turn, EliminateForTest(unit=unit), dice=dice or ())


def due(table: Table, unit: UnitId) -> int:
    assert table.where(unit) == "track"
    return table.position.mark(unit, DUE)


def on_track(table: Table) -> dict[str, int]:
    return {unit.type: table.position.mark(unit.id, DUE) for unit in table.position.units_at(table.board.box("track"))}


@pytest.mark.rule(NAME, "13.52", "9.55")
def test_a_lost_airbase_comes_back_after_four_turns_and_its_fleet_waits_off_the_map(new_table: NewTable) -> None:
    table = new_table()
    base, fleet = table.place("ger_airbase", "2010", name="4"), table.place("ger_air_fleet_5", "2012", name="4")
    other = table.place("ger_air_fleet_3", "2014", name="2")
    lose(table, base, turn=14)
    assert due(table, base) == 18
    assert [table.where(fleet), table.where(other)] == ["fleets", "2014"]


@pytest.mark.rule(NAME, "13.53", "9.27")
@pytest.mark.parametrize("kind", ["axis_depot_normal", "axis_depot_extended"])
def test_a_lost_depot_comes_back_after_four_turns(new_table: NewTable, kind: str) -> None:
    table = new_table()
    depot = table.place(kind, "2010")
    lose(table, depot, turn=9)
    assert due(table, depot) == 13


@pytest.mark.rule(NAME, "13.54")
@pytest.mark.parametrize(("die", "turn"), [(1, 6), (3, 6), (4, 7), (6, 7)])
@pytest.mark.parametrize("kind", ["sov_headquarters", "rum_headquarters", "fin_headquarters"])
def test_a_lost_headquarters_comes_back_in_one_or_two_turns(new_table: NewTable, kind: str, die: int, turn: int) -> None:
    table = new_table()
    staff = table.place(kind, "2010", out_of_supply=1)
    lose(table, staff, turn=5, dice=[die])
    assert due(table, staff) == turn
    assert not table.position.mark(staff, OUT_OF_SUPPLY)


@pytest.mark.rule(NAME, "13.55b", "7.22", "7.23")
@pytest.mark.parametrize(("die", "turn"), [(2, 13), (3, 15), (4, 17), (6, 21)])
def test_a_lost_infantry_army_comes_back_after_twice_the_die_and_its_marker_goes_into_the_cup(
    new_table: NewTable, die: int, turn: int
) -> None:
    table = new_table()
    army = table.place("sov_infantry_army", "2010", chit="C 6-9/3-5", steps=1)
    lose(table, army, turn=9, dice=[die])
    assert due(table, army) == turn
    assert table.position.cups["C"] == {"C 6-9/3-5": 1}


@pytest.mark.rule(NAME, "7.24")
def test_a_starred_marker_of_a_lost_army_leaves_the_game(new_table: NewTable) -> None:
    table = new_table()
    army = table.place("sov_infantry_army", "2010", chit="C* 2-3/1-2")
    lose(table, army, turn=9, dice=[3])
    assert not table.position.cups.get("C")
    assert army not in table.position.chits


@pytest.mark.rule(NAME, "13.55a")
def test_an_infantry_army_lost_with_a_1_never_returns_and_an_infantry_corps_comes_instead(new_table: NewTable) -> None:
    table = new_table()
    army = table.place("sov_infantry_army", "2010")
    lose(table, army, turn=9, dice=[1])
    assert table.where(army) == "out"
    assert on_track(table) == {"sov_infantry_corps": 11}


@pytest.mark.rule(NAME, "13.55a")
def test_the_corps_that_comes_instead_of_an_army_is_told(new_table: NewTable) -> None:
    table = new_table()
    lose(table, table.place("sov_infantry_army", "2010", name="64", chit="C 4-5/2-3"), turn=9, dice=[1])
    assert told(table, "recovery") == ["64. Rifle Corps comes on turn 11"]
    assert table.explained("due") == "9 + 2 (13.55)"


@pytest.mark.parametrize(("other", "name"), [("9", "4"), ("4", "a")])
def test_a_corps_that_comes_for_an_army_bears_no_name_that_another_bears(new_table: NewTable, other: str, name: str) -> None:
    table = new_table()
    table.place("sov_mechanized_corps", "2012", name=other)
    army = table.place("sov_tank_army", "2010", name="4")
    lose(table, army, turn=25, dice=[1])
    assert [unit.name for unit in table.position.units_at(table.board.box("track"))] == [name]


@pytest.mark.rule(NAME, "13.56")
@pytest.mark.parametrize(("die", "back"), [(1, {"sov_mechanized_corps": 27}), (2, {"sov_tank_army": 29}), (5, {"sov_tank_army": 35})])
def test_a_lost_tank_army_comes_back_or_a_mechanized_corps_instead(new_table: NewTable, die: int, back: dict[str, int]) -> None:
    table = new_table()
    army = table.place("sov_tank_army", "2010")
    lose(table, army, turn=25, dice=[die])
    assert on_track(table) == back


@pytest.mark.rule(NAME, "13.57a", "13.57b")
@pytest.mark.parametrize("kind", ["sov_guard_army", "sov_shock_army"])
@pytest.mark.parametrize(("die", "back"), [(4, {"sov_infantry_army": 28}), (1, {"sov_infantry_corps": 22})])
def test_lost_guards_wait_for_conversion_and_a_converted_army_comes_back(
    new_table: NewTable, kind: str, die: int, back: dict[str, int]
) -> None:
    table = new_table(rules={"guard_and_shock_on_map": False})
    converted = table.place("sov_infantry_army", "converted")
    guards = table.place(kind, "2010", chit="B 5-6/3-4")
    lose(table, guards, turn=20, dice=[die])
    assert table.where(guards) == "conversion_waiting"
    assert on_track(table) == back
    assert table.where(converted) == ("track" if die > 1 else "out")


@pytest.mark.rule(NAME, "13.57a")
def test_no_army_comes_for_lost_guards_once_all_converted_ones_have_been_rebuilt(new_table: NewTable) -> None:
    table = new_table(rules={"guard_and_shock_on_map": False})
    guards = table.place("sov_guard_army", "2010")
    lose(table, guards, turn=20)
    assert on_track(table) == {}


@pytest.mark.rule(NAME, "13.57a", "16.33")
def test_guards_that_a_scenario_begins_with_were_converted_from_an_army_before_it(new_table: NewTable) -> None:
    table = new_table(rules={"guard_and_shock_on_map": True})
    guards = table.place("sov_guard_army", "2010", name="1")
    lose(table, guards, turn=22, dice=[1])
    assert table.where(guards) == "conversion_waiting"
    assert on_track(table) == {"sov_infantry_corps": 24}


@pytest.mark.rule(NAME, "13.57a", "16.33")
def test_the_army_that_was_converted_before_the_game_bears_the_number_of_its_guards(new_table: NewTable) -> None:
    table = new_table(rules={"guard_and_shock_on_map": True})
    lose(table, table.place("sov_guard_army", "2010", name="1"), turn=22, dice=[2])
    (army,) = table.position.at(table.board.box("track"))
    assert table.view.name(army) == "1a. Army"


@pytest.mark.rule(NAME, "7.22")
def test_a_reduced_army_that_is_lost_gets_no_step_back_on_its_way_out(new_table: NewTable) -> None:
    table = new_table()
    army = table.place("sov_infantry_army", "2010", chit="C 4-5/2-3", steps=1)
    lose(table, army, turn=9, dice=[4])
    assert not [event for event in table.events if isinstance(event, StepsChanged)]
    run(table, 17, PlaceReinforcements(side="soviet"))
    assert table.unit(army).steps == 2


@pytest.mark.rule(NAME, "13.59", "13.51", "9.56")
@pytest.mark.parametrize(
    "kind",
    ["rum_infantry_corps", "ita_army", "sov_infantry_corps", "sov_airborne_corps", "sov_osg", "ger_siege_artillery", "ger_panzer_division"],
)
def test_what_the_rules_of_recovery_do_not_name_is_gone(new_table: NewTable, kind: str) -> None:
    table = new_table()
    unit = table.place(kind, "2010")
    lose(table, unit, turn=9)
    assert table.where(unit) == "out"


@pytest.mark.rule(NAME, "13.58", "14.23b")
def test_a_lost_kg_is_just_gone_and_a_lost_corps_can_be_built_again(new_table: NewTable) -> None:
    table = new_table()
    kg, corps = table.place("ger_panzer_kg", "2010"), table.place("ger_panzer_corps", "2010")
    lose(table, kg, turn=9)
    lose(table, corps, turn=9)
    assert [table.where(kg), table.where(corps)] == ["out", "broken_down"]


@pytest.mark.rule(NAME, "12.12")
@pytest.mark.parametrize("kind", ["sov_factory", "sov_oil_field", "sov_strategic_port"])
def test_a_lost_economic_asset_lies_in_the_box_of_destroyed_ones(new_table: NewTable, kind: str) -> None:
    table = new_table()
    asset = table.place(kind, "2010")
    lose(table, asset, turn=9)
    assert table.where(asset) == "destroyed_ea"


@pytest.mark.rule(NAME, "9.91a", "13.54", "20.41")
def test_dice_that_decide_on_one_unit_are_its_owners_whoever_brought_them_on() -> None:
    assert recovery.LOSSES.rolled == {"attrition", "city_losses", "recovery"}
