from __future__ import annotations

import pytest

from core.events import TrackSet
from core.rulesets.war_for_the_motherland import supply, supply_overlay
from core.trials.table import PlainBoard, Table
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.lines_of_supply import (
    ARMY,
    CORPS,
    DEPOT,
    FRONT,
    KG,
    PARTISAN,
    corridor,
    lay,
    row,
    status,
)

R = "war_for_the_motherland"


def halves(table: Table, label: str, user: str = "axis") -> int:
    return supply.network(table.view, user).field.distance(table.hex(label))


@pytest.mark.rule(R, "9.45")
@pytest.mark.parametrize(("label", "found"), [("2010", "supplied"), ("2011", "out")])
def test_a_hex_entered_along_a_railroad_counts_half(new_table: NewTable, label: str, found: str) -> None:
    table = lay(new_table, 13, lambda plain: plain.rail(*row(20, 11, 2)), axis=["2002"])
    assert status(table, table.place(CORPS, label)) == found


@pytest.mark.rule(R, "9.45")
@pytest.mark.parametrize(("last", "found"), [(5, "supplied"), (4, "out")])
def test_a_line_may_reach_the_railroad_across_country(new_table: NewTable, last: int, found: str) -> None:
    def edit(plain: PlainBoard) -> None:
        corridor(plain, row(20, 11, 1))
        plain.rail(*row(20, 9, last))

    table = lay(new_table, 13, edit, axis=[f"20{last:02}"])
    assert status(table, table.place(CORPS, "2011")) == found


def swamps(plain: PlainBoard) -> None:
    corridor(plain, row(20, 5, 8))
    for label in ("2006", "2007"):
        plain.hex(label, terrain="swamp")


@pytest.mark.rule(R, "9.46")
@pytest.mark.rule(R, "11.24")
@pytest.mark.parametrize(("turn", "count"), [(13, 10), (9, 6)])
def test_a_swamp_counts_two_until_it_freezes(new_table: NewTable, turn: int, count: int) -> None:
    table = lay(new_table, turn, swamps, axis=["2005"])
    assert halves(table, "2008") == count


@pytest.mark.rule(R, "9.46", "11.24")
def test_a_line_over_swamps_grows_shorter_when_they_freeze_and_longer_when_they_thaw(new_table: NewTable) -> None:
    table = lay(new_table, 7, swamps, axis=["2005"])
    counted = []
    for turn in (7, 8, 12):
        table.happen(TrackSet("turn", turn))
        counted.append(halves(table, "2008"))
    assert counted == [10, 6, 10]


@pytest.mark.rule(R, "9.46")
def test_a_railroad_through_swamps_counts_half(new_table: NewTable) -> None:
    def edit(plain: PlainBoard) -> None:
        swamps(plain)
        plain.rail(*row(20, 5, 8))

    table = lay(new_table, 13, edit, axis=["2005"])
    assert halves(table, "2008") == 3


@pytest.mark.rule(R, "9.46")
def test_tundra_counts_two(new_table: NewTable) -> None:
    def edit(plain: PlainBoard) -> None:
        corridor(plain, row(20, 5, 7))
        plain.hex("2006", terrain="tundra")

    assert halves(lay(new_table, 9, edit, axis=["2005"]), "2007") == 6


def seven_hexes_of_railroad(plain: PlainBoard) -> None:
    corridor(plain, row(20, 1, 8))
    plain.rail(*row(20, 1, 8))


@pytest.mark.rule(R, "9.83")
@pytest.mark.rule(R, "9.85")
def test_each_partisan_on_a_railroad_adds_half_a_hex(new_table: NewTable) -> None:
    table = lay(new_table, 13, seven_hexes_of_railroad, axis=["2001"])
    corps = table.place(CORPS, "2008")
    assert halves(table, "2008") == 7
    table.place(PARTISAN, "2003")
    assert (halves(table, "2008"), status(table, corps)) == (8, "supplied")
    table.place(PARTISAN, "2005")
    assert (halves(table, "2008"), status(table, corps)) == (9, "out")
    table.place(KG, "2005")
    assert (halves(table, "2008"), status(table, corps)) == (8, "supplied")


@pytest.mark.rule(R, "9.83")
def test_a_partisan_off_the_railroad_counts_two(new_table: NewTable) -> None:
    table = lay(new_table, 13, lambda plain: corridor(plain, row(20, 1, 5)), axis=["2001"])
    corps = table.place(CORPS, "2005")
    assert status(table, corps) == "supplied"
    table.place(PARTISAN, "2003")
    assert (halves(table, "2005"), status(table, corps)) == (10, "out")


@pytest.mark.rule(R, "9.83")
def test_a_partisan_does_not_lengthen_soviet_lines(new_table: NewTable) -> None:
    table = lay(new_table, 13, seven_hexes_of_railroad, soviet=["2001"])
    table.place(FRONT, "2001")
    table.place(PARTISAN, "2003")
    assert halves(table, "2008", "soviet") == 7


@pytest.mark.rule(R, "9.42")
def test_a_line_does_not_enter_an_enemys_hex(new_table: NewTable) -> None:
    table = lay(new_table, 13, lambda plain: corridor(plain, row(20, 1, 5)), axis=["2001"])
    corps = table.place(CORPS, "2005")
    table.place(FRONT, "2003")  # has no ZOC
    assert status(table, corps) == "isolated"


def detour(plain: PlainBoard) -> None:
    """Only 1910 lies between 1911 and 1909, and an army may stand in 2010."""
    corridor(plain, [*row(19, 8, 12), "2010"])


@pytest.mark.rule(R, "9.42")
@pytest.mark.parametrize("friend", ["ger_infantry_kg", DEPOT])
def test_any_friend_opens_a_hex_in_enemy_zoc(new_table: NewTable, friend: str) -> None:
    table = lay(new_table, 13, detour, axis=["1908"])
    corps = table.place(CORPS, "1912")
    assert status(table, corps) == "supplied"
    table.place(ARMY, "2010")  # its ZOC: 1909 too lies in it
    assert status(table, corps) == "isolated"
    table.place(CORPS, "1909")
    assert status(table, corps) == "isolated"
    table.place(friend, "1910", steps=1)
    assert status(table, corps) == "supplied"


@pytest.mark.rule(R, "9.42")
def test_a_unit_may_itself_stand_in_enemy_zoc(new_table: NewTable) -> None:
    table = lay(new_table, 13, axis=["2007"])
    corps = table.place(CORPS, "2010")
    table.place(ARMY, "2011")
    assert status(table, corps) == "supplied"
    assert table.hex("1910") in supply.supplied_from(table.view, "axis")
    assert table.hex("2011") not in supply.supplied_from(table.view, "axis")


@pytest.mark.rule(R, "9.42")
def test_a_source_in_bare_enemy_zoc_gives_nothing(new_table: NewTable) -> None:
    table = lay(new_table, 13, axis=["2006"])
    corps = table.place(CORPS, "2010")
    table.place(ARMY, "2005")
    assert status(table, corps) == "isolated"


def river(plain: PlainBoard, *kinds: str) -> None:
    corridor(plain, row(20, 1, 4))
    plain.side("2002", "2003", *kinds)


@pytest.mark.rule(R, "9.43a")
@pytest.mark.parametrize(("kinds", "count"), [(("minor_river",), 6), (("major_river",), None), (("major_river", "rail"), 5)])
def test_a_major_river_is_crossed_along_a_railroad_only(new_table: NewTable, kinds: tuple[str, ...], count: int | None) -> None:
    table = lay(new_table, 13, lambda plain: river(plain, *kinds), axis=["2001"])
    assert (halves(table, "2004") == count) if count else status(table, table.place(CORPS, "2004")) == "isolated"


@pytest.mark.rule(R, "9.43b")
@pytest.mark.rule(R, "5.26b")
@pytest.mark.parametrize(("turn", "soviet"), [(9, "supplied"), (12, "isolated")])
def test_a_soviet_line_crosses_an_ice_road_in_snow(new_table: NewTable, turn: int, soviet: str) -> None:
    table = lay(new_table, turn, lambda plain: river(plain, "lake", "ice_road"), axis=["2001"], soviet=["2001"])
    table.place(FRONT, "2001")
    assert status(table, table.place(ARMY, "2004")) == soviet


@pytest.mark.rule(R, "9.43b")
@pytest.mark.parametrize("kinds", [("lake", "ice_road"), ("sea",), ("lake",)])
def test_an_axis_line_crosses_no_water(new_table: NewTable, kinds: tuple[str, ...]) -> None:
    table = lay(new_table, 9, lambda plain: river(plain, *kinds), axis=["2001"])
    assert status(table, table.place(CORPS, "2004")) == "isolated"


@pytest.mark.rule(R, "9.44a")
@pytest.mark.parametrize("kinds", [("causeway",), ("sea", "causeway"), ("sea", "causeway", "rail")])
def test_a_line_crosses_the_causeway(new_table: NewTable, kinds: tuple[str, ...]) -> None:
    table = lay(new_table, 13, lambda plain: river(plain, *kinds), axis=["2001"])
    assert status(table, table.place(CORPS, "2004")) == "supplied"


@pytest.mark.rule(R, "9.41")
def test_the_overlay_shows_hexes_with_their_distance_and_the_lines_traced(new_table: NewTable) -> None:
    table = lay(new_table, 13, lambda plain: corridor(plain, row(20, 1, 12)), axis=["2001"])
    table.place(DEPOT, "2005")
    table.place(CORPS, "2008")
    shown = supply_overlay.supply_overlay(table.view, "axis")
    assert (shown.hexes[table.hex("2008")], shown.hexes[table.hex("2009")]) == ("3", "4")
    assert table.hex("2010") not in shown.hexes
    lines = [tuple(table.board.label(here) for here in line) for line in shown.lines]
    assert lines == [("2005", "2004", "2003", "2002", "2001"), ("2008", "2007", "2006", "2005")]


@pytest.mark.rule(R, "9.42")
def test_the_overlay_of_cuts_shows_where_a_line_is_cut(new_table: NewTable) -> None:
    table = lay(new_table, 13, lambda plain: corridor(plain, row(20, 1, 12)), axis=["2001"])
    corps = table.place(CORPS, "2004")
    table.place(FRONT, "2002")
    shown = supply_overlay.cuts_overlay(table.view, "axis")
    assert shown.hexes == {table.hex("2004"): "isolated", table.hex("2002"): "×"}
    assert [[table.board.label(here) for here in line] for line in shown.lines] == [["2004", "2003", "2002", "2001"]]
    assert str(supply_overlay.why_out(table.view, corps)) == "cut at 2002, which the enemy holds"


@pytest.mark.rule(R, "9.42")
def test_what_cuts_a_line_is_told_a_zone_of_control_from_who_stands_there(new_table: NewTable) -> None:
    table = lay(new_table, 13, detour, axis=["1908"])
    table.place(ARMY, "2010")
    assert str(supply_overlay.why_out(table.view, table.place(CORPS, "1912"))) == "cut at 1910, which is in an enemy ZOC"


@pytest.mark.rule(R, "9.43a")
def test_the_log_names_the_hexside_that_cuts(new_table: NewTable) -> None:
    table = lay(new_table, 13, lambda plain: river(plain, "major_river"), axis=["2001"])
    assert str(supply_overlay.why_out(table.view, table.place(CORPS, "2004"))) == "cut between 2003 and 2002"
