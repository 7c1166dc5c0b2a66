"""Strategic movement (5.6)."""

from __future__ import annotations

import pytest

from client.reading import cost_words
from core.rulesets.war_for_the_motherland.end_phase import EndPhase
from core.rulesets.war_for_the_motherland.terms import LACK_OF_SUPPLY, OUT_OF_SUPPLY
from core.trials.table import PlainBoard, Table
from core.units import UnitId
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.moving import AXIS_MOVES, PANZERS_MOVE, SOVIET_MOVES, Edit, move, side, strategic, terrain

GAME = "war_for_the_motherland"
CORPS, ARMY, PANZER = "ger_infantry_corps", "sov_infantry_army", "ger_panzer_corps"
EVERYWHERE = [f"{line}{place:02}" for line in range(16, 27) for place in range(1, 21)]


def rear(new_table: NewTable, edit: Edit | None = None) -> Table:
    """A table whose every hex is an Axis source, and row 26 a Soviet railroad with headquarters."""

    def railway(board: PlainBoard) -> None:
        board.rail(*(f"26{place:02}" for place in range(1, 21)))
        if edit is not None:
            edit(board)

    return new_table(railway, rules={"axis_sources": EVERYWHERE, "soviet_sources": ["2601"]})


def axis_rear(new_table: NewTable, kind: str, at: str, *, enemy: str = "2010", turn: int = 13) -> tuple[Table, UnitId]:
    table = rear(new_table)
    table.place(ARMY, enemy)
    unit = table.place(kind, at)
    table.begin(turn, AXIS_MOVES)
    return table, unit


@pytest.mark.rule(GAME, "5.62a", "5.62b")
def test_five_hexes_from_the_enemy_are_enough_and_four_are_not(new_table: NewTable) -> None:
    table, corps = axis_rear(new_table, CORPS, "2017")
    assert table.refused(strategic(table, corps, to="2016 2015 2014")) == "5.62a"
    table.order(strategic(table, corps, to="2016 2015"))
    assert table.where(corps) == "2015"


@pytest.mark.rule(GAME, "5.62a")
def test_who_begins_too_near_stays(new_table: NewTable) -> None:
    table, corps = axis_rear(new_table, CORPS, "2014")
    assert table.refused(strategic(table, corps, to="2015")) == "5.62a"


@pytest.mark.rule(GAME, "5.62b")
def test_water_between_does_not_count(new_table: NewTable) -> None:
    table = rear(new_table, terrain(h2012="sea", h2013="sea", h2112="sea", h1912="sea"))
    table.place(ARMY, "2010")
    corps = table.place(CORPS, "2015")
    table.begin(13, AXIS_MOVES)
    assert table.refused(strategic(table, corps, to="2014")) == "5.62a"


@pytest.mark.rule(GAME, "5.62c", "9.84a", "9.85")
def test_partisans_hinder_the_axis_unless_an_axis_unit_is_with_them(new_table: NewTable) -> None:
    def table_with(*others: str) -> tuple[Table, UnitId]:
        table = rear(new_table)
        for kind in ("sov_partisan", *others):
            table.place(kind, "2010")
        corps = table.place(CORPS, "2016")
        table.begin(13, AXIS_MOVES)
        return table, corps

    table, corps = table_with()
    assert table.refused(strategic(table, corps, to="2015 2014")) == "5.62a"
    table, corps = table_with("ger_security_division")
    table.order(strategic(table, corps, to="2015 2014"))


@pytest.mark.rule(GAME, "5.62c", "10.24")
def test_air_fleets_hinder_the_soviet(new_table: NewTable) -> None:
    table = rear(new_table)
    table.place("ger_air_fleet_5", "2110")
    for place in ("2601", "2612", "2620"):
        table.place("sov_headquarters", place)
    army = table.place(ARMY, "2116")
    table.begin(13, SOVIET_MOVES)
    assert table.refused(strategic(table, army, to="2115 2114")) == "5.62a"
    table.order(strategic(table, army, to="2115"))


@pytest.mark.rule(GAME, "5.64a", "5.64b", "5.69")
def test_twenty_five_hexes_and_not_one_more_whatever_the_terrain(new_table: NewTable) -> None:
    table = rear(new_table, terrain(h2020="swamp", h2019="mountain"))
    table.place(ARMY, "1601")
    one, two = table.place(CORPS, "2020"), table.place(CORPS, "2220")
    table.begin(13, AXIS_MOVES)
    there_and_back = "2019 2020 " * 12
    assert table.refused(strategic(table, one, to=there_and_back + "2019 2018")) == "5.64a"
    table.order(strategic(table, one, to=there_and_back + "2019"))
    table.order(strategic(table, two, to="2219"))


@pytest.mark.rule(GAME, "5.65", "9.44a")
@pytest.mark.parametrize(("kind", "rule"), [("lake", "5.65"), ("sea", "5.65"), ("ice_road", "5.65"), ("causeway", ""), ("major_river", "")])
def test_water_is_not_crossed_but_the_causeway_is(new_table: NewTable, kind: str, rule: str) -> None:
    table = rear(new_table, side("2018", "2017", kind))
    table.place(ARMY, "1601")
    corps = table.place(CORPS, "2018")
    table.begin(9, AXIS_MOVES)
    order = strategic(table, corps, to="2017")
    if rule:
        assert table.refused(order) == rule
    else:
        table.order(order)


@pytest.mark.rule(GAME, "5.66a", "20.33a")
@pytest.mark.parametrize(("kind", "rule"), [("ger_airbase", "5.66a"), ("rum_headquarters", "5.66a"), ("ger_security_division", "20.33a")])
def test_airbases_headquarters_and_security_divisions_never_do(new_table: NewTable, kind: str, rule: str) -> None:
    table, unit = axis_rear(new_table, kind, "2018")
    assert table.refused(strategic(table, unit, to="2017")) == rule


@pytest.mark.rule(GAME, "5.66a")
def test_economic_assets_never_do(new_table: NewTable) -> None:
    table = rear(new_table)
    table.place(CORPS, "1601")
    table.place(ARMY, "2501")
    factory = table.place("sov_factory", "2018")
    table.begin(13, SOVIET_MOVES)
    assert table.refused(strategic(table, factory, to="2017")) == "5.14"


@pytest.mark.rule(GAME, "5.66b", "11.14")
def test_depots_do_in_mud_only(new_table: NewTable) -> None:
    table, depot = axis_rear(new_table, "axis_depot_normal", "2018", turn=13)
    assert table.refused(strategic(table, depot, to="2017")) == "5.66b"
    table, depot = axis_rear(new_table, "axis_depot_normal", "2018", turn=12)
    table.order(strategic(table, depot, to="2017"))


@pytest.mark.rule(GAME, "5.67a")
@pytest.mark.parametrize("mark", [OUT_OF_SUPPLY, LACK_OF_SUPPLY])
def test_who_is_not_supplied_does_not(new_table: NewTable, mark: str) -> None:
    table = rear(new_table)
    table.place(ARMY, "2010")
    corps = table.place(CORPS, "2018", **{mark: 1})
    table.begin(13, AXIS_MOVES)
    assert table.refused(strategic(table, corps, to="2017")) == "5.67a"


@pytest.mark.rule(GAME, "5.67b")
def test_every_hex_of_the_path_must_have_a_line_of_supply(new_table: NewTable) -> None:
    table = new_table(rules={"axis_sources": ["2620"]})
    table.place(ARMY, "1601")
    corps = table.place(CORPS, "2517")
    table.begin(13, AXIS_MOVES)
    assert table.refused(strategic(table, corps, to="2516 2515")) == "5.67b"
    table.order(strategic(table, corps, to="2516"))


@pytest.mark.rule(GAME, "5.28c")
def test_the_siege_artillery_keeps_to_its_railroad(new_table: NewTable) -> None:
    table = rear(new_table)
    table.place(ARMY, "1601")
    guns = table.place("ger_siege_artillery", "2620")
    table.begin(13, AXIS_MOVES)
    assert table.refused(strategic(table, guns, to="2520")) == "5.28c"
    table.order(strategic(table, guns, to="2619 2618 2617 2616 2615 2614"))


@pytest.mark.rule(GAME, "5.28c", "5.64b")
@pytest.mark.parametrize("first", ["guns", "corps"])
def test_the_railroad_binds_the_big_gun_alone_whoever_is_looked_at_first(new_table: NewTable, first: str) -> None:
    table = rear(new_table)
    table.place(ARMY, "1601")
    guns, corps = table.place("ger_siege_artillery", "2620"), table.place(CORPS, "2620")
    table.begin(13, AXIS_MOVES)
    if first == "guns":
        assert table.refused(strategic(table, guns, to="2520")) == "5.28c"
        table.order(strategic(table, corps, to="2520"))
    else:
        table.order(strategic(table, corps, to="2520"))
        assert table.refused(strategic(table, guns, to="2520")) == "5.28c"


@pytest.mark.rule(GAME, "4.15b")
def test_another_allied_nation_bars_the_path(new_table: NewTable) -> None:
    table = rear(new_table)
    table.place(ARMY, "1601")
    table.place("hun_corps", "2017")
    italian = table.place("ita_army", "2018")
    table.begin(13, AXIS_MOVES)
    assert table.refused(strategic(table, italian, to="2017")) == "4.15b"


# -------------------------------------------------------------------- instead of a normal move


@pytest.mark.rule(GAME, "3.0.2b", "5.61")
def test_strategic_movement_comes_before_normal_movement(new_table: NewTable) -> None:
    table, one = axis_rear(new_table, CORPS, "2018")
    two = table.place(CORPS, "2218")
    table.order(move(table, two, to="2217"))
    assert table.refused(strategic(table, one, to="2017")) == "3.0.2b"
    assert table.refused(strategic(table, two, to="2216")) == "5.61"


@pytest.mark.rule(GAME, "5.61")
def test_who_moved_strategically_does_not_move_on(new_table: NewTable) -> None:
    table, corps = axis_rear(new_table, CORPS, "2018")
    table.order(strategic(table, corps, to="2017"))
    assert table.refused(move(table, corps, to="2016")) == "5.61"
    assert table.refused(strategic(table, corps, to="2016")) == "5.61"


def in_mechanized_phase(table: Table) -> Table:
    table.order(EndPhase())
    while table.position.phase != PANZERS_MOVE:
        table.order(EndPhase())
    return table


@pytest.mark.rule(GAME, "5.61", "5.68")
def test_a_panzer_moves_strategically_in_one_of_its_two_phases(new_table: NewTable) -> None:
    table, panzer = axis_rear(new_table, PANZER, "2018")
    table.place(PANZER, "2420")
    table.order(strategic(table, panzer, to="2017"))
    in_mechanized_phase(table)
    assert table.refused(move(table, panzer, to="2016")) == "5.61"
    assert table.refused(strategic(table, panzer, to="2016")) == "5.61"


@pytest.mark.rule(GAME, "5.61", "5.68")
def test_a_panzer_that_moved_normally_does_not_move_strategically_later(new_table: NewTable) -> None:
    table, panzer = axis_rear(new_table, PANZER, "2018")
    other = table.place(PANZER, "2420")
    table.order(move(table, panzer, to="2017"))
    in_mechanized_phase(table)
    assert table.refused(strategic(table, panzer, to="2016")) == "5.61"
    table.order(strategic(table, other, to="2419"))


@pytest.mark.rule(GAME, "8.65", "5.66a")
def test_an_osg_moves_strategically_in_the_last_step(new_table: NewTable) -> None:
    table = rear(new_table)
    table.place(CORPS, "1601")
    for place in ("2601", "2612", "2620"):
        table.place("sov_headquarters", place)
    army, osg = table.place(ARMY, "2516"), table.place("sov_osg", "2416")
    table.begin(13, SOVIET_MOVES)
    table.order(move(table, army, to="2515"))
    table.order(strategic(table, osg, to="2415 2414"))
    assert table.refused(move(table, army, to="2514")) == "5.16"


@pytest.mark.rule(GAME, "5.64a", "5.62a")
def test_reach_shows_where_strategic_movement_leads(new_table: NewTable) -> None:
    table, corps = axis_rear(new_table, CORPS, "2020")
    reach = table.setting.ruleset.orders["strategic"].reach
    assert reach is not None
    ways = {table.board.label(way.hex): way for way in reach(table.view, strategic(table, corps, to=""))}
    assert ways["2015"].cost_quarters == 5 * 4
    assert cost_words(ways["2015"]) == "5 of 25 hexes"
    assert [table.board.label(here) for here in ways["2015"].path] == ["2019", "2018", "2017", "2016", "2015"]
    assert "2014" not in ways
    assert "2001" in ways  # round the army, by the edge of the map
