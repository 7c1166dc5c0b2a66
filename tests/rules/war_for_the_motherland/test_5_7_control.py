"""Control of cities and ports, and what else units change by entering a hex (5.7, 8.47)."""

from __future__ import annotations

import pytest

from core.events import ControlChanged
from core.rulesets.war_for_the_motherland import control, weather
from core.rulesets.war_for_the_motherland.terms import DESTROYED
from core.trials.table import PlainBoard, Table
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.moving import AXIS_MOVES, SOVIET_MOVES, move

GAME = "war_for_the_motherland"
KG, ARMY = "ger_panzer_kg", "sov_infantry_army"


def cities(board: PlainBoard) -> None:
    board.hex("2009", city="major", name="Minsk", country="soviet")
    board.hex("2109", city="major", name="Warsaw", country="poland")
    board.hex("2209", city="minor", name="Mozyr", country="soviet")
    board.hex("2309", city="minor", port="black", name="Poti", country="soviet")


def holder(table: Table, label: str) -> str:
    return table.position.control.get(table.hex(label), "")


@pytest.mark.rule(GAME, "5.72a", "5.72b", "5.73")
def test_passing_through_a_city_is_enough_and_enemy_zoc_changes_nothing(new_table: NewTable) -> None:
    table = new_table(cities)
    table.place(ARMY, "1908")
    kg = table.place(KG, "2010")
    table.begin(13, AXIS_MOVES)
    table.order(move(table, kg, to="2009 2109"))
    assert holder(table, "2009") == "axis"
    assert control.has_marker(table.view, table.hex("2009"))


@pytest.mark.rule(GAME, "5.73", "5.74")
def test_home_cities_bear_a_marker_only_while_the_enemy_holds_them(new_table: NewTable) -> None:
    table = new_table(cities)
    army = table.place(ARMY, "2110")
    table.begin(13, SOVIET_MOVES)
    table.order(move(table, army, to="2109 2108"))
    assert holder(table, "2109") == "soviet"
    assert control.has_marker(table.view, table.hex("2109"))
    kg = table.place(KG, "2209")
    table.begin(14, AXIS_MOVES)
    table.order(move(table, kg, to="2109"))
    assert holder(table, "2109") == "axis"
    assert not control.has_marker(table.view, table.hex("2109"))


@pytest.mark.rule(GAME, "5.72a")
def test_nothing_changes_hands_where_a_side_walks_through_what_it_holds(new_table: NewTable) -> None:
    table = new_table(cities)
    kg = table.place(KG, "2010")
    table.begin(13, AXIS_MOVES)
    table.happen(ControlChanged(table.hex("2009"), "axis"))
    table.order(move(table, kg, to="2009 2109"))
    assert [table.board.label(event.hex) for event in table.events if isinstance(event, ControlChanged)] == ["2109"]


@pytest.mark.rule(GAME, "5.72a")
def test_only_major_cities_ports_and_victory_cities_are_held(new_table: NewTable) -> None:
    table = new_table(cities)
    kg = table.place(KG, "2210")
    table.begin(13, AXIS_MOVES)
    table.order(move(table, kg, to="2209 2309"))
    assert holder(table, "2209") == ""
    assert holder(table, "2309") == "axis"


@pytest.mark.rule(GAME, "5.72b")
def test_partisans_hold_nothing(new_table: NewTable) -> None:
    table = new_table(cities)
    partisan = table.place("sov_partisan", "2009")
    assert list(control.enter(table.view, (partisan,), table.hex("2009"))) == []  # type: ignore[arg-type]


@pytest.mark.rule(GAME, "5.72c")
def test_control_does_not_hinder_movement(new_table: NewTable) -> None:
    table = new_table(cities)
    army, kg = table.place(ARMY, "2010"), table.place(KG, "2012")
    table.begin(13, SOVIET_MOVES)
    table.order(move(table, army, to="2009 2008"))
    table.begin(14, AXIS_MOVES)
    table.order(move(table, kg, to="2011"))
    before = table.position.mark(kg, "spent")
    assert before == 4
    assert table.setting.ruleset.orders["move"].compose(table.view, move(table, kg, to="2010")).complete


@pytest.mark.rule(GAME, "8.47b", "8.47c")
def test_the_first_axis_unit_in_a_fortress_destroys_it_for_good(new_table: NewTable) -> None:
    table = new_table(lambda board: board.hex("2009", features=["fortress"]))
    kg, other = table.place(KG, "2010"), table.place(KG, "2011")
    table.begin(13, AXIS_MOVES)
    assert weather.is_fortress(table.view, table.hex("2009"))
    table.order(move(table, kg, to="2009 2008"))
    assert [table.position.place_mark(table.hex(label), DESTROYED) for label in ("2009", "2008")] == [1, 0]
    assert weather.terrain(table.view, table.hex("2009")) == "minor_city"
    table.order(move(table, other, to="2010 2009"))
    assert table.position.place_mark(table.hex("2009"), DESTROYED) == 1


@pytest.mark.rule(GAME, "8.47b")
def test_soviets_do_not_destroy_their_fortress(new_table: NewTable) -> None:
    table = new_table(lambda board: board.hex("2009", features=["fortress"]))
    army = table.place(ARMY, "2010")
    table.begin(13, SOVIET_MOVES)
    table.order(move(table, army, to="2009"))
    assert weather.is_fortress(table.view, table.hex("2009"))


@pytest.mark.rule(GAME, "5.72a", "5.73")
def test_control_can_be_laid_over_the_map(new_table: NewTable) -> None:
    table = new_table(cities)
    kg = table.place(KG, "2010")
    table.begin(13, AXIS_MOVES)
    table.order(move(table, kg, to="2009"))
    overlay = table.setting.ruleset.overlays["control"](table.view, "axis")
    assert {table.board.label(here): mark for here, mark in overlay.hexes.items()} == {"2009": "★"}
    assert overlay.front == table.setting.ruleset.front(table.view, "axis")
