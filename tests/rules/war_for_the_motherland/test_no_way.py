"""Why a stack can't get to a hex that is not next to it: what the window says beside the cursor."""

from __future__ import annotations

import pytest

from core.options import options, refusal
from core.orders import OptionPick, Order
from core.trials.table import Table
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.moving import AXIS_MOVES, SOVIET_MOVES, move, strategic, terrain

GAME = "war_for_the_motherland"
ARMY, CORPS = "sov_infantry_army", "ger_infantry_corps"


def told(table: Table, order: Order) -> str:
    """Return rule and words that refuse an order."""
    closed = refusal(table.view, order)
    assert closed is not None, "expected a refusal"
    return f"{closed.rule}: {closed.text}"


@pytest.mark.rule(GAME, "5.13")
def test_a_hex_beyond_all_points_is_too_far(new_table: NewTable) -> None:
    table = new_table()
    corps = table.place(CORPS, "2010")
    table.begin(13, AXIS_MOVES)
    words = told(table, move(table, corps, to="2020"))
    assert words.startswith("5.13: 2020 is too far for ")
    assert words.endswith(": 10 movement points at the least, and it has 4 left")


@pytest.mark.rule(GAME, "5.13")
def test_of_a_stack_that_was_led_the_points_that_are_left_are_told(new_table: NewTable) -> None:
    table = new_table()
    corps = table.place(CORPS, "2010")
    table.begin(13, AXIS_MOVES)
    assert told(table, move(table, corps, to="2011 2020")).endswith(": 9 movement points at the least, and it has 3 left")


@pytest.mark.rule(GAME, "5.21a")
def test_a_hex_within_reach_that_is_not_next_is_apart(new_table: NewTable) -> None:
    table = new_table()
    corps = table.place(CORPS, "2010")
    table.begin(13, AXIS_MOVES)
    assert told(table, move(table, corps, to="2012")) == "5.21a: 2012 is not next to 2010"


@pytest.mark.rule(GAME, "5.32a", "5.21a")
def test_a_hex_that_nothing_enters_says_what_bars_it_however_far(new_table: NewTable) -> None:
    table = new_table(terrain(h2014="sea"))
    table.place(ARMY, "2020")
    corps = table.place(CORPS, "2010")
    table.begin(13, AXIS_MOVES)
    words = "5.32a: 2020 is held by the enemy: a march ends next to it at most, unless it overruns"
    assert told(table, move(table, corps, to="2020")) == words
    assert told(table, move(table, corps, to="2014")) == "5.21a: 2014 is water"


@pytest.mark.rule(GAME, "2.21", "5.31")
def test_a_fleet_of_the_side_that_moves_is_no_unit_and_an_enemy_is_the_other_side_s(new_table: NewTable) -> None:
    table = new_table()
    table.place(CORPS, "2010")
    fleet, army = table.place("ger_air_fleet_3", "2010"), table.place(ARMY, "2020")
    table.begin(13, AXIS_MOVES)
    assert "is no unit" in told(table, move(table, fleet, to="2011"))
    assert "only the phasing side moves now, and not " in told(table, move(table, army, to="2019"))


def closed(table: Table, order: str) -> str:
    """Return why an order type is closed, empty if it is not named at all."""
    return next((f"{door.refused.rule}: {door.refused.text}" for door in options(table.view).doors
                 if door.pick == OptionPick(order) and door.refused is not None), "")


@pytest.mark.rule(GAME, "5.62a", "5.66a")
def test_an_order_that_nobody_can_begin_says_what_the_likeliest_lack(new_table: NewTable) -> None:
    table = new_table()
    table.place("ger_airbase", "2010"), table.place(CORPS, "2010"), table.place(ARMY, "2013")
    table.begin(13, AXIS_MOVES)
    assert closed(table, "strategic") == "5.62a: no unit that may use strategic movement is 5 hexes away from all enemies"
    assert closed(table, "sail") == "", "a scenario without sea movement names none"


@pytest.mark.rule(GAME, "3.0.2b", "3.0.5b")
@pytest.mark.parametrize(("kind", "phase", "rule"), [(CORPS, AXIS_MOVES, "3.0.2b"), (ARMY, SOVIET_MOVES, "3.0.5b")])
def test_once_one_unit_has_moved_strategic_movement_is_over_for_the_others(new_table: NewTable, kind: str, phase: str, rule: str) -> None:
    everywhere = [f"{line}{place:02}" for line in range(16, 27) for place in range(1, 21)]
    table = new_table(rules={"axis_sources": everywhere, "soviet_sources": everywhere})
    one, _ = table.place(kind, "2010"), table.place(kind, "2020")
    table.begin(13, phase)
    assert not closed(table, "strategic").startswith("3.0")
    table.order(move(table, one, to="2011"))
    assert closed(table, "strategic") == f"{rule}: normal movement has begun, and strategic movement comes before it"


@pytest.mark.rule(GAME, "5.21a")
def test_an_island_has_no_way_to_it(new_table: NewTable) -> None:
    table = new_table()
    island = table.hex("2020")
    around = {f"h{table.board.label(here)}": "sea" for here in table.board.adjacent[island]}
    table = new_table(terrain(**around))
    corps = table.place(CORPS, "2010")
    table.begin(13, AXIS_MOVES)
    assert told(table, move(table, corps, to="2020")).endswith(" from 2010 to 2020")


@pytest.mark.rule(GAME, "5.64a")
def test_strategic_movement_counts_the_hexes_that_are_too_many(new_table: NewTable) -> None:
    everywhere = [f"{line}{place:02}" for line in range(16, 27) for place in range(1, 21)]
    table = new_table(rules={"axis_sources": everywhere, "soviet_sources": ["2601"]})
    corps = table.place(CORPS, "2020")
    table.begin(13, AXIS_MOVES)
    words = told(table, strategic(table, corps, to="2019 2020 " * 10 + "2010"))
    assert words.startswith("5.64a: 2010 is too far for ")
    assert words.endswith(": a way of 10 hexes at the least, and it can go 5")


@pytest.mark.rule(GAME, "4.26b", "5.32a")
def test_a_unit_that_is_hemmed_in_names_the_zone_and_not_the_foe(new_table: NewTable) -> None:
    table = new_table()
    for place in table.board.adjacent[table.hex("2010")][::2]:
        table.place(CORPS, table.board.label(place))
    army = table.place(ARMY, "2010")
    table.begin(13, SOVIET_MOVES)
    assert told(table, move(table, army, to="2020")).startswith("4.26b: ")
