"""Normal movement (5.1 to 5.4)."""

from __future__ import annotations

import pytest

from core.board import Hex
from core.errors import Refused
from core.rulesets.war_for_the_motherland.end_phase import EndPhase
from core.rulesets.war_for_the_motherland.terms import FROZEN, LACK_OF_SUPPLY, OUT_OF_SUPPLY
from core.trials.table import PlainBoard, Table
from core.units import UnitId
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.moving import AXIS_MOVES, PANZERS_MOVE, SOVIET_MOVES, left_of, move, side, terrain

GAME = "war_for_the_motherland"
CORPS, KG, ARMY = "ger_infantry_corps", "ger_infantry_kg", "sov_infantry_army"
PANZER, PANZER_KG, DIVISION = "ger_panzer_corps", "ger_panzer_kg", "ger_panzer_division"


def facing_army(new_table: NewTable, kind: str, at: str = "1910") -> tuple[Table, UnitId]:
    """An army in 2010, an Axis unit near it, the Axis to move."""
    table = new_table()
    table.place(ARMY, "2010")
    unit = table.place(kind, at)
    table.begin(13, AXIS_MOVES)
    return table, unit


# -------------------------------------------------------------------- ZOC and disengagement


@pytest.mark.rule(GAME, "4.26b", "5.43")
def test_only_panzers_go_from_zoc_to_zoc(new_table: NewTable) -> None:
    table, corps = facing_army(new_table, CORPS)
    assert table.refused(move(table, corps, to="1909")) == "4.26b"
    table, panzer = facing_army(new_table, PANZER)
    table.order(move(table, panzer, to="1909"))
    assert left_of(table, panzer) == 7 - 4


@pytest.mark.rule(GAME, "5.44", "5.41", "5.13")
def test_a_panzer_kg_disengages_twice_and_a_corps_does_not(new_table: NewTable) -> None:
    table, kg = facing_army(new_table, PANZER_KG)
    table.order(move(table, kg, to="1909 2009"))
    assert left_of(table, kg) == 0
    table, corps = facing_army(new_table, PANZER)
    assert table.refused(move(table, corps, to="1909 2009")) == "5.13"


def test_a_unit_that_has_moved_tells_what_it_can_still_spend(new_table: NewTable) -> None:
    table, panzer = facing_army(new_table, PANZER)
    assert table.view.ruleset.remarks(table.view, panzer) == ()
    table.order(move(table, panzer, to="1909"))
    assert [str(words) for words in table.view.ruleset.remarks(table.view, panzer)] == ["3 of 7 movement points left"]


@pytest.mark.rule(GAME, "5.44", "5.13")
def test_a_panzer_division_has_one_point_left_after_two(new_table: NewTable) -> None:
    table, division = facing_army(new_table, DIVISION)
    table.order(move(table, division, to="1909 2009"))
    assert left_of(table, division) == 1
    assert table.refused(move(table, division, to="2109")) == "5.13"


@pytest.mark.rule(GAME, "4.26a", "4.27b", "5.42", "5.21b")
def test_who_enters_a_zoc_may_pay_to_leave_it(new_table: NewTable) -> None:
    table, kg = facing_army(new_table, KG, "1811")
    table.order(move(table, kg, to="1910 1810"))
    assert left_of(table, kg) == 0
    table, corps = facing_army(new_table, CORPS, "1811")
    assert table.refused(move(table, corps, to="1910 1810")) == "5.13"


@pytest.mark.rule(GAME, "4.26a", "4.26b")
def test_who_enters_a_zoc_does_not_go_on_in_it(new_table: NewTable) -> None:
    table, kg = facing_army(new_table, KG, "1811")
    assert table.refused(move(table, kg, to="1910 1909")) == "4.26b"


@pytest.mark.rule(GAME, "4.27a", "5.42")
def test_who_begins_in_a_zoc_pays_three_to_leave(new_table: NewTable) -> None:
    table, kg = facing_army(new_table, KG)
    table.order(move(table, kg, to="1810"))
    assert left_of(table, kg) == 5 - 4


@pytest.mark.rule(GAME, "4.28")
@pytest.mark.parametrize(("companion", "rule"), [("", "4.28"), ("sov_factory", "4.28"), (ARMY, "")])
def test_a_headquarters_enters_a_zoc_only_to_a_unit_with_a_zoc(new_table: NewTable, companion: str, rule: str) -> None:
    table = new_table()
    table.place(CORPS, "2011")
    if companion:
        table.place(companion, "2010")
    staff = table.place("sov_headquarters", "2009")
    table.begin(13, SOVIET_MOVES)
    order = move(table, staff, to="2010")
    if rule:
        assert table.refused(order) == rule
    else:
        table.order(order)
        assert table.where(staff) == "2010"


@pytest.mark.rule(GAME, "4.28")
@pytest.mark.parametrize(
    ("service", "enemy", "friend", "phase"),
    [
        ("ger_airbase", ARMY, CORPS, AXIS_MOVES),
        ("axis_depot_normal", ARMY, CORPS, AXIS_MOVES),
        ("axis_depot_extended", ARMY, CORPS, AXIS_MOVES),
        ("rum_headquarters", ARMY, CORPS, AXIS_MOVES),
        ("sov_headquarters", CORPS, ARMY, SOVIET_MOVES),
        ("sov_osg", CORPS, ARMY, SOVIET_MOVES),
    ],
)
def test_each_kind_of_service_unit_enters_a_zoc_only_to_a_friend(
    new_table: NewTable, service: str, enemy: str, friend: str, phase: str
) -> None:
    table = new_table()
    table.place(enemy, "2010")
    unit = table.place(service, "1812")
    table.begin(13, phase)
    assert table.refused(move(table, unit, to="1911 2011")) == "4.28"
    table.place(friend, "2011")
    table.begin(13, phase)
    table.order(move(table, unit, to="1911 2011"))
    assert table.where(unit) == "2011"


@pytest.mark.rule(GAME, "4.28", "4.26b")
@pytest.mark.parametrize(("companion", "rule"), [("", "4.28"), (CORPS, "4.26b")])
def test_a_depot_goes_from_zoc_to_zoc_not_even_to_a_friend(new_table: NewTable, companion: str, rule: str) -> None:
    table = new_table()
    table.place(ARMY, "2010")
    depot = table.place("axis_depot_extended", "1910")
    if companion:
        table.place(companion, "2011")
    table.begin(13, AXIS_MOVES)
    assert table.refused(move(table, depot, to="2011")) == rule


@pytest.mark.rule(GAME, "4.28")
def test_a_depot_does_not_enter_a_zoc_together_with_its_escort(new_table: NewTable) -> None:
    table = new_table()
    table.place(ARMY, "2010")
    units = table.place(CORPS, "1811"), table.place("axis_depot_extended", "1811")
    table.begin(13, AXIS_MOVES)
    assert table.refused(move(table, *units, to="1910")) == "4.28"


# -------------------------------------------------------------------- stacks


@pytest.mark.rule(GAME, "5.12a", "5.12b", "5.16")
def test_a_unit_dropped_by_its_stack_has_finished(new_table: NewTable) -> None:
    table = new_table()
    one, two = table.place(CORPS, "2010"), table.place(CORPS, "2010")
    table.begin(13, AXIS_MOVES)
    table.order(move(table, one, two, to="2009"))
    table.order(move(table, one, to="2008"))
    assert table.refused(move(table, two, to="2010")) == "5.12b"
    table.order(move(table, one, to="2007"))
    assert left_of(table, one) == 1


@pytest.mark.rule(GAME, "5.16")
def test_moving_another_stack_ends_the_move_of_the_first(new_table: NewTable) -> None:
    table = new_table()
    one, two = table.place(CORPS, "2010"), table.place(CORPS, "2012")
    table.begin(13, AXIS_MOVES)
    table.order(move(table, one, to="2009"))
    table.order(move(table, two, to="2013"))
    assert table.refused(move(table, one, to="2008")) == "5.16"


@pytest.mark.rule(GAME, "5.12a")
def test_a_moving_stack_takes_nobody_up(new_table: NewTable) -> None:
    table = new_table()
    one, two = table.place(CORPS, "2010"), table.place(CORPS, "2009")
    table.begin(13, AXIS_MOVES)
    assert table.refused(move(table, one, two, to="2008")) == "5.12a"
    table.order(move(table, one, to="2009"))
    assert table.refused(move(table, one, two, to="2008")) == "5.12a"


@pytest.mark.rule(GAME, "5.12a", "5.16")
def test_who_can_not_join_a_stack_is_told_what_parts_them(new_table: NewTable) -> None:
    table = new_table()
    one, two, far = table.place(CORPS, "2010"), table.place(CORPS, "2010"), table.place(CORPS, "2009")
    table.begin(13, AXIS_MOVES)
    table.order(move(table, one, to="2009"))
    with pytest.raises(Refused, match="did not begin this phase together with"):
        table.order(move(table, one, far, to="2008"))
    with pytest.raises(Refused, match="has not moved together with"):
        table.order(move(table, one, two, to="2008"))


@pytest.mark.rule(GAME, "5.12a")
def test_who_stayed_behind_unmoved_does_not_join_a_stack_that_comes_back(new_table: NewTable) -> None:
    table = new_table()
    one, two = table.place(CORPS, "2010"), table.place(CORPS, "2010")
    table.begin(13, AXIS_MOVES)
    table.order(move(table, one, to="2009 2010"))
    assert table.refused(move(table, one, two, to="2011")) == "5.12a"
    table.order(move(table, two, to="2011"))


@pytest.mark.rule(GAME, "5.13", "5.34")
def test_each_unit_of_a_stack_pays_for_itself_and_the_slowest_stops_it(new_table: NewTable) -> None:
    table = new_table(terrain(h2009="forest"))
    panzer, corps = table.place(PANZER, "2010"), table.place(CORPS, "2010")
    table.begin(13, AXIS_MOVES)
    table.order(move(table, panzer, corps, to="2009 2008 2007"))
    assert (left_of(table, panzer), left_of(table, corps)) == (7 - 4, 4 - 3)
    assert table.refused(move(table, panzer, corps, to="2006 2005")) == "5.13"
    table.order(move(table, panzer, to="2006 2005"))


@pytest.mark.rule(GAME, "5.0a", "5.15")
def test_movement_is_voluntary(new_table: NewTable) -> None:
    table = new_table()
    unit = table.place(CORPS, "2010")
    table.begin(13, AXIS_MOVES)
    table.order(EndPhase())
    assert table.where(unit) == "2010"
    assert table.position.phase != AXIS_MOVES


# -------------------------------------------------------------------- the single hex of 5.24


@pytest.mark.rule(GAME, "5.24a", "5.24b", "5.21a")
def test_a_unit_in_a_zoc_may_go_one_hex_at_any_rate_and_has_finished(new_table: NewTable) -> None:
    table = new_table(terrain(h1810="swamp"))
    table.place(ARMY, "2010")
    corps = table.place(CORPS, "1910")
    table.begin(13, AXIS_MOVES)
    assert table.refused(move(table, corps, to="1810 1809")) == "5.24b"
    table.order(move(table, corps, to="1810"))
    assert table.refused(move(table, corps, to="1809")) == "5.24b"


@pytest.mark.rule(GAME, "5.24b", "4.26b")
def test_the_single_hex_is_never_in_a_zoc(new_table: NewTable) -> None:
    table = new_table(terrain(h1909="swamp"))
    table.place(ARMY, "2010")
    corps = table.place(CORPS, "1910")
    table.begin(13, AXIS_MOVES)
    assert table.refused(move(table, corps, to="1909")) == "4.26b"


@pytest.mark.rule(GAME, "5.24a", "5.24c", "5.41")
@pytest.mark.parametrize("marks", [{}, {OUT_OF_SUPPLY: 1}, {LACK_OF_SUPPLY: 1}])
def test_a_slow_army_leaves_a_zoc_by_its_single_hex(new_table: NewTable, marks: dict[str, int]) -> None:
    table = new_table()
    table.place(CORPS, "2010")
    army = table.place(ARMY, "1910", **marks)
    table.begin(13, SOVIET_MOVES)
    assert table.refused(move(table, army, to="1810 1710")) == "5.24b"
    table.order(move(table, army, to="1810"))
    assert table.where(army) == "1810"


@pytest.mark.rule(GAME, "5.24a")
def test_who_did_not_begin_in_the_zoc_has_no_single_hex(new_table: NewTable) -> None:
    table = new_table()
    table.place(CORPS, "2010")
    army = table.place(ARMY, "1811")
    table.begin(13, SOVIET_MOVES)
    table.order(move(table, army, to="1910"))
    assert table.refused(move(table, army, to="1810")) == "5.13"


@pytest.mark.rule(GAME, "5.24c", "5.24d", "5.11b")
def test_panzers_have_no_single_hex_in_the_mechanized_phase(new_table: NewTable) -> None:
    def slow_panzer(phase: str) -> tuple[Table, UnitId]:
        table = new_table(terrain(h1810="forest"))
        table.place(ARMY, "2010")
        panzer = table.place(PANZER, "1910", **{LACK_OF_SUPPLY: 1})
        table.begin(13, phase)
        return table, panzer

    table, panzer = slow_panzer(AXIS_MOVES)
    table.order(move(table, panzer, to="1810"))
    table, panzer = slow_panzer(PANZERS_MOVE)
    assert table.refused(move(table, panzer, to="1810")) == "5.24d"
    table.order(move(table, panzer, to="1811"))
    assert left_of(table, panzer) == 0


@pytest.mark.rule(GAME, "5.24d", "5.13")
@pytest.mark.parametrize(("soviet_at", "rule"), [("2010", "5.24d"), ("2310", "5.13")])
def test_only_who_leaves_a_zoc_is_refused_the_single_hex(new_table: NewTable, soviet_at: str, rule: str) -> None:
    def edit(board: PlainBoard) -> None:
        board.hex("1810", terrain="swamp")
        board.side("1910", "1810", "major_river")

    table = new_table(edit)
    table.place(ARMY, soviet_at)
    panzer = table.place(PANZER, "1910", **{LACK_OF_SUPPLY: 1})
    table.begin(13, PANZERS_MOVE)
    assert table.refused(move(table, panzer, to="1810")) == rule


@pytest.mark.rule(GAME, "5.24d", "5.13")
def test_the_second_hex_out_of_a_zoc_is_refused_for_its_price(new_table: NewTable) -> None:
    table = new_table(terrain(h1711="forest"))
    table.place(ARMY, "2010")
    panzer = table.place(PANZER, "1910", **{LACK_OF_SUPPLY: 1})
    table.begin(13, PANZERS_MOVE)
    assert table.refused(move(table, panzer, to="1811 1711")) == "5.13"


@pytest.mark.rule(GAME, "5.21a")
def test_the_corner_hex_of_the_map_can_be_entered(new_table: NewTable) -> None:
    table = new_table()
    corner = table.board.label(Hex(0))
    there = table.board.adjacent[Hex(0)][0]
    corps = table.place(CORPS, table.board.label(there))
    table.begin(13, AXIS_MOVES)
    table.order(move(table, corps, to=corner))
    assert table.where(corps) == corner


@pytest.mark.rule(GAME, "5.24b", "5.43")
def test_a_panzer_may_use_its_single_hex_from_zoc_to_zoc(new_table: NewTable) -> None:
    table = new_table(terrain(h1909="forest"))
    table.place(ARMY, "2010")
    panzer = table.place(PANZER, "1910", **{LACK_OF_SUPPLY: 1})
    table.begin(13, AXIS_MOVES)
    table.order(move(table, panzer, to="1909"))
    assert table.refused(move(table, panzer, to="1809")) == "5.24b"


@pytest.mark.rule(GAME, "5.14", "5.24b")
def test_a_factory_never_moves(new_table: NewTable) -> None:
    table = new_table()
    table.place(CORPS, "2010")
    factory = table.place("sov_factory", "1910")
    table.place(ARMY, "1610")
    table.begin(13, SOVIET_MOVES)
    assert table.refused(move(table, factory, to="1810")) == "5.14"


# -------------------------------------------------------------------- the ground


@pytest.mark.rule(GAME, "5.21a", "5.23")
@pytest.mark.parametrize(
    ("kind", "ground", "cost"),
    [(CORPS, "clear", 1), (CORPS, "forest", 1), (PANZER, "forest", 2), (CORPS, "swamp", 2), (PANZER, "swamp", 4), (PANZER, "tundra", 2)],
)
def test_terrain_costs_by_the_chart(new_table: NewTable, kind: str, ground: str, cost: int) -> None:
    table = new_table(terrain(h2009=ground))
    unit = table.place(kind, "2010")
    table.begin(13, AXIS_MOVES)
    before = left_of(table, unit)
    table.order(move(table, unit, to="2009"))
    assert before - left_of(table, unit) == cost


@pytest.mark.rule(GAME, "5.25")
@pytest.mark.parametrize(
    ("kind", "cost"), [("ger_mountain_corps", 1), ("ger_mountain_kg", 1), ("rum_mountain_corps", 1), (CORPS, 3), ("rum_infantry_corps", 3)]
)
def test_mountain_units_climb_for_one_point(new_table: NewTable, kind: str, cost: int) -> None:
    table = new_table(terrain(h2009="mountain"))
    unit = table.place(kind, "2010")
    table.begin(13, AXIS_MOVES)
    before = left_of(table, unit)
    table.order(move(table, unit, to="2009"))
    assert before - left_of(table, unit) == cost


@pytest.mark.rule(GAME, "5.22a")
@pytest.mark.parametrize(
    ("kind", "river", "cost"),
    [(CORPS, "minor_river", 2), (CORPS, "major_river", 3), (PANZER, "minor_river", 2), (PANZER, "major_river", 4)],
)
def test_rivers_cost_besides_the_hex(new_table: NewTable, kind: str, river: str, cost: int) -> None:
    table = new_table(side("2010", "2009", river))
    unit = table.place(kind, "2010")
    table.begin(13, AXIS_MOVES)
    before = left_of(table, unit)
    table.order(move(table, unit, to="2009"))
    assert before - left_of(table, unit) == cost


@pytest.mark.rule(GAME, "17.41")
@pytest.mark.parametrize(("turn", "kind", "cost"), [(1, PANZER, 1), (2, PANZER, 4), (1, "rum_infantry_corps", 3)])
def test_germans_ignore_rivers_in_the_first_turn(new_table: NewTable, turn: int, kind: str, cost: int) -> None:
    table = new_table(side("2010", "2009", "major_river"), rules={"turn_without_rivers": 1})
    unit = table.place(kind, "2010")
    table.begin(turn, AXIS_MOVES)
    before = left_of(table, unit)
    table.order(move(table, unit, to="2009"))
    assert before - left_of(table, unit) == cost


@pytest.mark.rule(GAME, "17.42a")
def test_frozen_units_do_not_move(new_table: NewTable) -> None:
    table = new_table()
    frozen = table.place(CORPS, "2010", **{FROZEN: 1})
    table.place(CORPS, "2210")
    table.begin(1, AXIS_MOVES)
    assert table.refused(move(table, frozen, to="2009")) == "17.42a"


@pytest.mark.rule(GAME, "5.27b", "11.24")
@pytest.mark.parametrize(("turn", "cost"), [(9, 2 * 2), (12, 2)])
def test_the_arctic_costs_double_in_snow(new_table: NewTable, turn: int, cost: int) -> None:
    table = new_table(lambda board: board.hex("2009", terrain="swamp" if turn == 12 else "tundra", features=["arctic"]))
    unit = table.place(CORPS if turn == 12 else PANZER, "2010")
    table.begin(turn, AXIS_MOVES)
    before = left_of(table, unit)
    table.order(move(table, unit, to="2009"))
    assert before - left_of(table, unit) == cost


@pytest.mark.rule(GAME, "5.27a", "11.24")
@pytest.mark.parametrize(("turn", "cost"), [(23, 2), (12, 4)])
def test_swamp_is_forest_in_snow(new_table: NewTable, turn: int, cost: int) -> None:
    table = new_table(terrain(h2009="swamp"))
    unit = table.place(PANZER, "2010")
    table.begin(turn, AXIS_MOVES)
    table.order(move(table, unit, to="2009"))
    assert left_of(table, unit) == 7 - cost


@pytest.mark.rule(GAME, "5.26a", "5.26d", "11.23")
@pytest.mark.parametrize(
    ("turn", "kind", "rule"),
    [
        (9, ARMY, ""),
        (9, "sov_headquarters", ""),
        (9, "sov_tank_army", "5.26a"),
        (9, "sov_mechanized_corps", "5.26a"),
        (13, ARMY, "5.26a"),
        (9, CORPS, "5.26a"),
    ],
)
def test_ice_roads_are_for_soviets_without_tanks_in_snow(new_table: NewTable, turn: int, kind: str, rule: str) -> None:
    table = new_table(side("2010", "2009", "ice_road"))
    unit = table.place(kind, "2010")
    table.begin(turn, AXIS_MOVES if kind == CORPS else SOVIET_MOVES)
    if rule:
        assert table.refused(move(table, unit, to="2009")) == rule
        return
    before = left_of(table, unit)
    table.order(move(table, unit, to="2009"))
    assert before - left_of(table, unit) == 1 + (3 if kind == "sov_headquarters" else 2)


@pytest.mark.rule(GAME, "5.26a", "5.32a")
def test_over_a_frozen_lake_the_enemy_bars_the_way_and_not_the_ice(new_table: NewTable) -> None:
    table = new_table(side("2010", "2009", "ice_road"))
    army = table.place(ARMY, "2010")
    table.place(CORPS, "2009")
    table.begin(9, SOVIET_MOVES)
    assert table.refused(move(table, army, to="2009")) == "5.32a"


@pytest.mark.rule(GAME, "5.21a", "5.22b")
@pytest.mark.parametrize(("kind", "rule"), [("lake", "5.21a"), ("sea", "5.21a"), ("causeway", "9.44")])
def test_nobody_walks_over_water(new_table: NewTable, kind: str, rule: str) -> None:
    table = new_table(side("2010", "2009", kind))
    unit = table.place(CORPS, "2010")
    table.begin(9, AXIS_MOVES)
    assert table.refused(move(table, unit, to="2009")) == rule


@pytest.mark.rule(GAME, "5.22c")
def test_borders_do_not_matter(new_table: NewTable) -> None:
    table = new_table(lambda board: board.hex("2009", country="rumania"))
    corps = table.place(CORPS, "2010")
    table.begin(13, AXIS_MOVES)
    table.order(move(table, corps, to="2009"))
    assert left_of(table, corps) == 3


@pytest.mark.rule(GAME, "8.48")
def test_a_fortress_costs_the_same_when_it_is_destroyed(new_table: NewTable) -> None:
    table = new_table(lambda board: board.hex("2009", features=["fortress"]))
    one, two = table.place(PANZER, "2010"), table.place(PANZER, "2010")
    table.begin(13, AXIS_MOVES)
    table.order(move(table, one, to="2009"))
    table.order(move(table, two, to="2009"))
    assert left_of(table, one) == left_of(table, two) == 6


# -------------------------------------------------------------------- siege artillery


def railway(board: PlainBoard) -> None:
    board.rail("2009", "2010", "2011", "2012", "2013", "2014")
    board.hex("2011", terrain="swamp")


@pytest.mark.rule(GAME, "5.28a")
def test_the_siege_artillery_goes_three_hexes_of_railroad(new_table: NewTable) -> None:
    table = new_table(railway)
    guns = table.place("ger_siege_artillery", "2010")
    table.begin(14, AXIS_MOVES)
    assert table.refused(move(table, guns, to="2011 2012 2013 2014")) == "5.13"
    assert table.refused(move(table, guns, to="2011 2111")) == "5.28a"
    table.order(move(table, guns, to="2011 2012 2013"))
    assert table.where(guns) == "2013"


@pytest.mark.rule(GAME, "5.28b")
def test_the_siege_artillery_never_enters_a_zoc(new_table: NewTable) -> None:
    table = new_table(railway)
    table.place(ARMY, "1911")
    table.place(CORPS, "2011")
    guns = table.place("ger_siege_artillery", "2010")
    table.begin(14, AXIS_MOVES)
    assert table.refused(move(table, guns, to="2011")) == "5.28b"


@pytest.mark.rule(GAME, "5.28a", "9.44b")
def test_the_siege_artillery_does_not_go_over_the_causeway_in_normal_movement_though_rails_lie_on_it(new_table: NewTable) -> None:
    def with_causeway(board: PlainBoard) -> None:
        railway(board)
        board.side("2010", "2011", "causeway")

    table = new_table(with_causeway)
    guns = table.place("ger_siege_artillery", "2010")
    table.begin(14, AXIS_MOVES)
    assert table.refused(move(table, guns, to="2011")) == "9.44"
    table.order(move(table, guns, to="2009"))
    assert table.where(guns) == "2009"


# -------------------------------------------------------------------- who and when


@pytest.mark.rule(GAME, "5.31", "2.21")
def test_only_units_of_the_phasing_side_move(new_table: NewTable) -> None:
    table, _ = facing_army(new_table, CORPS)
    fleet = table.place("ger_air_fleet_5", "2310")
    assert table.refused(move(table, UnitId(0), to="2110")) == "5.31"
    assert table.refused(move(table, fleet, to="2410")) == "5.31"


@pytest.mark.rule(GAME, "5.32a", "5.32b")
@pytest.mark.parametrize("kind", [CORPS, "rum_infantry_corps"])
def test_enemy_units_bar_a_hex_and_their_markers_do_not(new_table: NewTable, kind: str) -> None:
    table = new_table()
    table.place("sov_partisan", "2009")
    table.place("sov_factory", "2011")
    corps = table.place(kind, "2010")
    table.begin(13, AXIS_MOVES)
    assert table.refused(move(table, corps, to="2011")) == "5.32a"
    table.order(move(table, corps, to="2009"))
    other = new_table()
    other.place("ger_air_fleet_5", "2009")
    army = other.place(ARMY, "2010")
    other.begin(13, SOVIET_MOVES)
    other.order(move(other, army, to="2009"))
    assert other.where(army) == "2009"


@pytest.mark.rule(GAME, "5.33", "3.0.2b")
def test_airbases_move_last(new_table: NewTable) -> None:
    table = new_table()
    airbase, panzer, depot = table.place("ger_airbase", "2010"), table.place(PANZER, "2012"), table.place("axis_depot_normal", "2014")
    table.begin(13, AXIS_MOVES)
    table.order(move(table, depot, to="2015"))
    table.order(move(table, airbase, to="2009"))
    assert table.refused(move(table, panzer, to="2013")) == "5.33"
    table.order(move(table, airbase, to="2008"))


@pytest.mark.rule(GAME, "5.33", "8.65", "3.0.5b")
def test_osg_move_last_and_not_in_the_stack_of_an_army(new_table: NewTable) -> None:
    table = new_table()
    osg, army, other = table.place("sov_osg", "2010"), table.place(ARMY, "2010"), table.place(ARMY, "2014")
    table.begin(13, SOVIET_MOVES)
    assert table.refused(move(table, osg, army, to="2009")) == "5.33"
    table.order(move(table, army, to="2009"))
    table.order(move(table, osg, to="2009"))
    assert table.refused(move(table, other, to="2013")) == "5.33"


@pytest.mark.rule(GAME, "5.35", "3.0.6a", "5.0b")
@pytest.mark.parametrize(
    ("kind", "rule"),
    [(CORPS, "5.35"), ("rum_infantry_corps", "5.35"), ("axis_depot_normal", "5.35"), (PANZER_KG, ""), (PANZER, ""), (DIVISION, "")],
)
def test_only_panzers_move_in_the_mechanized_phase(new_table: NewTable, kind: str, rule: str) -> None:
    table = new_table()
    unit = table.place(kind, "2010")
    table.place(PANZER, "2015")
    table.begin(13, PANZERS_MOVE)
    order = move(table, unit, to="2009")
    if rule:
        assert table.refused(order) == rule
    else:
        table.order(order)


@pytest.mark.rule(GAME, "5.0b", "5.34")
def test_panzers_have_all_their_points_again_in_the_mechanized_phase(new_table: NewTable) -> None:
    table = new_table()
    panzer = table.place(PANZER, "2010")
    table.place(PANZER, "2015")
    table.begin(13, AXIS_MOVES)
    table.order(move(table, panzer, to="2009 2008 2007 2006"))
    table.order(EndPhase())
    while table.position.phase != PANZERS_MOVE:
        table.order(EndPhase())
    assert left_of(table, panzer) == 7
    table.order(move(table, panzer, to="2007 2008 2009 2010 2011 2012 2013"))


@pytest.mark.rule(GAME, "5.11a", "5.11b")
@pytest.mark.parametrize(("kind", "points"), [(PANZER, 4), (PANZER_KG, 4), (CORPS, 2), ("ger_mountain_kg", 3)])
def test_units_without_supply_have_half_their_points(new_table: NewTable, kind: str, points: int) -> None:
    table = new_table()
    unit = table.place(kind, "2010", **{OUT_OF_SUPPLY: 1})
    table.begin(13, AXIS_MOVES)
    assert left_of(table, unit) == points


# -------------------------------------------------------------------- reach


def costs_of(table: Table, *units: UnitId) -> dict[str, float]:
    found = table.setting.ruleset.orders["move"].reach
    assert found is not None
    return {table.board.label(way.hex): way.cost_quarters / 4 for way in found(table.view, move(table, *units, to=""))}


@pytest.mark.rule(GAME, "5.13", "5.41")
def test_reach_shows_every_hex_with_its_cost(new_table: NewTable) -> None:
    table, corps = facing_army(new_table, CORPS)
    assert costs_of(table, corps) == {"1810": 4, "1811": 4, "1911": 4}
    table, corps = facing_army(new_table, CORPS, "1811")
    costs = costs_of(table, corps)
    assert costs["1910"] == 1
    assert costs["1909"] == 2  # by 1810, not out of the ZOC of 1910
    assert "2010" not in costs


@pytest.mark.rule(GAME, "5.12a", "5.13")
def test_a_mixed_stack_reaches_what_all_of_it_can_pay(new_table: NewTable) -> None:
    def woods(board: PlainBoard) -> None:
        for label in ("2009", "1909", "1910", "2109", "2110", "2011"):
            board.hex(label, terrain="forest")

    table = new_table(woods)
    panzer, corps = table.place(PANZER, "2010"), table.place(CORPS, "2010")
    table.begin(13, AXIS_MOVES)
    costs = costs_of(table, panzer, corps)
    assert costs["2009"] == 2
    assert costs["2006"] == 5  # four hexes: all the corps has, five points of the panzers
    assert "2005" not in costs
    assert "2005" in costs_of(table, panzer)


def budgets_of(table: Table, *units: UnitId) -> set[int]:
    found = table.setting.ruleset.orders["move"].reach
    assert found is not None
    return {way.budget_quarters for way in found(table.view, move(table, *units, to=""))}


@pytest.mark.rule(GAME, "5.13")
def test_reach_says_of_how_many_points_unless_those_that_go_have_different_ones(new_table: NewTable) -> None:
    table = new_table()
    corps, panzer = table.place(CORPS, "2010"), table.place(PANZER, "2010")
    table.begin(13, AXIS_MOVES)
    (alone,) = budgets_of(table, corps)
    assert alone == 4 * left_of(table, corps)
    assert budgets_of(table, panzer) == {4 * left_of(table, panzer)}
    assert budgets_of(table, panzer, corps) == {0}


@pytest.mark.rule(GAME, "4.11b", "4.18")
def test_reach_warns_of_hexes_that_would_be_overstacked(new_table: NewTable) -> None:
    table = new_table()
    for _ in range(2):
        table.place(CORPS, "2009")
    corps = table.place(CORPS, "2010")
    table.begin(13, AXIS_MOVES)
    reach = table.setting.ruleset.orders["move"].reach
    assert reach is not None
    warned = [table.board.label(way.hex) for way in reach(table.view, move(table, corps, to="")) if way.warning is not None]
    assert warned == ["2009"]


# -------------------------------------------------------------------- security divisions


@pytest.mark.rule(GAME, "20.34a")
def test_a_security_division_stays_four_hexes_from_soviet_units(new_table: NewTable) -> None:
    table = new_table()
    table.place(ARMY, "2006")
    table.place("sov_factory", "2014")
    table.place("sov_partisan", "2011")
    division = table.place("ger_security_division", "2012")
    table.begin(23, AXIS_MOVES)
    assert table.refused(move(table, division, to="2011 2010 2009")) == "20.34a"
    table.order(move(table, division, to="2011 2010"))


@pytest.mark.rule(GAME, "20.34b")
def test_a_security_division_that_was_caught_only_goes_farther_away(new_table: NewTable) -> None:
    table = new_table()
    table.place(ARMY, "2006")
    division = table.place("ger_security_division", "2008")
    table.begin(23, AXIS_MOVES)
    assert table.refused(move(table, division, to="1907")) == "20.34b"
    table.order(move(table, division, to="2009 2010"))
    assert table.refused(move(table, division, to="2009 2008")) == "20.34b"
