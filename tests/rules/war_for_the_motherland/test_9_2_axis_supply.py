from __future__ import annotations

import msgspec
import pytest

from core.events import Marked, PlaceMarked
from core.pack import SetupLine
from core.rulesets.war_for_the_motherland import strength, supply
from core.rulesets.war_for_the_motherland.terms import EXPENDED
from core.trials.table import PlainBoard, Table
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.lines_of_supply import (
    ARMY,
    CORPS,
    DEPOT,
    EXTENDED,
    ITALIANS,
    PARTISAN,
    RUMANIAN_HQ,
    RUMANIANS,
    control,
    corridor,
    lay,
    row,
    status,
)

R = "war_for_the_motherland"


@pytest.mark.rule(R, "9.21a")
@pytest.mark.rule(R, "9.41")
@pytest.mark.parametrize(("source", "found"), [("2006", "supplied"), ("2005", "out")])
def test_a_corps_traces_four_hexes_to_a_source(new_table: NewTable, source: str, found: str) -> None:
    table = lay(new_table, 13, axis=[source])
    corps = table.place(CORPS, "2010")
    assert status(table, corps) == found


@pytest.mark.rule(R, "9.21a", "9.45")
@pytest.mark.parametrize(("at", "found"), [("2009", "supplied"), ("2010", "out")])
def test_a_corps_traces_eight_hexes_along_a_railroad_and_not_nine(new_table: NewTable, at: str, found: str) -> None:
    table = lay(new_table, 13, lambda plain: plain.rail(*row(20, 1, 20)), axis=["2001"])
    assert status(table, table.place(CORPS, at)) == found


@pytest.mark.rule(R, "9.28a", "9.28c", "9.45")
@pytest.mark.parametrize(("corps", "hq"), [(RUMANIANS, RUMANIAN_HQ), ("fin_corps", "fin_headquarters")])
@pytest.mark.parametrize(("at", "found"), [("2009", "supplied"), ("2010", "out")])
def test_rumanians_and_finns_trace_as_far_along_a_railroad_to_their_headquarters(
    new_table: NewTable, corps: str, hq: str, at: str, found: str
) -> None:
    table = lay(new_table, 13, lambda plain: plain.rail(*row(20, 1, 20)), axis=["2001"])
    table.place(hq, "2001")
    assert status(table, table.place(corps, at)) == found


@pytest.mark.rule(R, "9.22")
@pytest.mark.rule(R, "9.21b")
def test_a_partisan_breaks_a_link_and_cuts_off_all_behind_it(new_table: NewTable) -> None:
    table = lay(new_table, 13, lambda plain: corridor(plain, row(20, 1, 20)), axis=["2002"])
    depots = [table.place(DEPOT, label) for label in ("2006", "2010", "2014")]
    corps = table.place(CORPS, "2018")
    assert status(table, corps) == "supplied"
    table.place(PARTISAN, "2008")
    assert status(table, corps) == "isolated"
    assert {status(table, depot) for depot in depots} == {"supplied"}


@pytest.mark.rule(R, "9.22")
def test_depots_that_feed_only_one_another_feed_nobody(new_table: NewTable) -> None:
    table = lay(new_table, 13, axis=["2601"])
    table.place(DEPOT, "1810")
    table.place(DEPOT, "1812")
    corps = table.place(CORPS, "1811")
    assert status(table, corps) != "supplied"


@pytest.mark.rule(R, "9.23")
def test_a_depot_supplies_any_number(new_table: NewTable) -> None:
    table = lay(new_table, 13, axis=["2006"])
    table.place(DEPOT, "2010")
    corps = [table.place(CORPS, label) for label in row(20, 11, 14) for _ in range(3)]
    assert {status(table, unit) for unit in corps} == {"supplied"}


@pytest.mark.rule(R, "9.25")
def test_a_depot_that_is_cut_off_is_in_supply_and_supplies_nobody(new_table: NewTable) -> None:
    table = lay(new_table, 13, axis=["2601"])
    depot, corps = table.place(DEPOT, "1810"), table.place(CORPS, "1810")
    assert status(table, depot) == "supplied"
    assert status(table, corps) != "supplied"


@pytest.mark.rule(R, "9.26a")
@pytest.mark.rule(R, "9.26b")
def test_an_expended_depot_supplies_all_near_it_but_links_no_other_depot(new_table: NewTable) -> None:
    table = lay(new_table, 10, axis=["2601"])
    depot = table.place(DEPOT, "1806")
    table.place(DEPOT, "1810")
    corps = [table.place(CORPS, "1808") for _ in range(6)]
    behind = table.place(CORPS, "1812")
    table.happen(Marked((depot,), EXPENDED))
    assert {status(table, unit) for unit in corps} == {"supplied"}
    assert status(table, behind) == "out"


@pytest.mark.rule(R, "9.26b")
@pytest.mark.rule(R, "9.28a")
def test_rumanians_get_nothing_from_depots(new_table: NewTable) -> None:
    table = lay(new_table, 13, axis=["2006"])
    table.place(DEPOT, "2010")
    assert status(table, table.place(RUMANIANS, "2011")) == "isolated"
    assert status(table, table.place(ITALIANS, "2012")) == "supplied"


@pytest.mark.rule(R, "9.28a")
@pytest.mark.rule(R, "9.28c")
@pytest.mark.parametrize(("label", "found"), [("2014", "supplied"), ("2015", "out")])
def test_rumanians_trace_four_hexes_to_their_headquarters_on_a_railroad(new_table: NewTable, label: str, found: str) -> None:
    table = lay(new_table, 13, lambda plain: plain.rail(*row(20, 1, 10)), axis=["2001"])
    headquarters = table.place(RUMANIAN_HQ, "2010")
    assert status(table, headquarters) == "supplied"
    assert status(table, table.place(RUMANIANS, label)) == found


@pytest.mark.rule(R, "9.28c")
def test_a_rumanian_headquarters_off_the_railroad_is_out_of_supply(new_table: NewTable) -> None:
    table = lay(new_table, 13, lambda plain: plain.rail(*row(20, 1, 10)), axis=["2001"])
    assert status(table, table.place(RUMANIAN_HQ, "2110")) == "out"


def bucharest(plain: PlainBoard) -> None:
    """Name a hex as the map names the capital, and lay a railroad from it."""
    fact = plain.facts.pop("2010")
    plain.facts["C6327"] = msgspec.structs.replace(fact, label="C6327", city="major")
    plain.rail("C6327", *row(20, 11, 16))


@pytest.mark.rule(R, "9.28b")
def test_rumanians_trace_to_bucharest_itself(new_table: NewTable) -> None:
    table = lay(new_table, 13, bucharest, axis=["2001"])
    control(table, "C6327", "axis")
    assert status(table, table.place(RUMANIANS, "2013")) == "supplied"
    assert status(table, table.place(RUMANIANS, "2006")) == "supplied"
    assert status(table, table.place(RUMANIANS, "2005")) == "out"


@pytest.mark.rule(R, "9.28d")
def test_all_rumanians_are_out_of_supply_while_the_soviet_holds_bucharest(new_table: NewTable) -> None:
    table = lay(new_table, 13, bucharest, axis=["2001"])
    headquarters, corps = table.place(RUMANIAN_HQ, "2016"), table.place(RUMANIANS, "2017")
    control(table, "C6327", "axis")
    assert (status(table, headquarters), status(table, corps)) == ("supplied", "supplied")
    control(table, "C6327", "soviet")
    assert (status(table, headquarters), status(table, corps)) == ("out", "isolated")


@pytest.mark.rule(R, "9.58")
@pytest.mark.parametrize(("label", "found"), [("2016", "out"), ("2017", "isolated")])
def test_a_unit_beyond_twice_the_range_is_isolated(new_table: NewTable, label: str, found: str) -> None:
    table = lay(new_table, 13, axis=["2008"])
    assert status(table, table.place(CORPS, label)) == found


@pytest.mark.rule(R, "9.58")
def test_a_unit_behind_an_unbroken_wall_of_zoc_is_isolated(new_table: NewTable) -> None:
    table = lay(new_table, 13, lambda plain: corridor(plain, row(20, 1, 20) + row(21, 1, 20)), axis=["2010"])
    corps = table.place(CORPS, "2015")
    assert status(table, corps) == "out"
    table.place(ARMY, "2013")
    assert status(table, corps) == "isolated"


@pytest.mark.rule(R, "19.44a")
def test_a_conquered_source_feeds_the_axis(new_table: NewTable) -> None:
    table = lay(new_table, 13, axis=["2601"])
    corps = table.place(CORPS, "2010")
    table.happen(PlaceMarked((table.hex("2008"),), supply.CONQUERED))
    assert status(table, corps) == "supplied"


def with_normal_depots(table: Table) -> None:
    """Let the scenario be one that has depots of both kinds."""
    scenario = table.setting.scenario
    scenario = msgspec.structs.replace(scenario, setup=(*scenario.setup, SetupLine("2601", DEPOT, "x")))
    table.setting = table.view.setting = msgspec.structs.replace(table.setting, scenario=scenario)


@pytest.mark.rule(R, "20.11")
@pytest.mark.rule(R, "20.12")
@pytest.mark.parametrize(
    ("near", "far", "found"),
    [(DEPOT, EXTENDED, "supplied"), (DEPOT, DEPOT, "supplied"), (EXTENDED, DEPOT, "isolated"), (EXTENDED, EXTENDED, "isolated")],
)
def test_extended_depots_are_the_last_links_before_the_units(new_table: NewTable, near: str, far: str, found: str) -> None:
    table = lay(new_table, 13, axis=["2002"], options={"extended_depots": True})
    with_normal_depots(table)
    table.place(near, "2006")
    table.place(far, "2010")
    assert status(table, table.place(CORPS, "2014")) == found


@pytest.mark.rule(R, "16.32")
def test_a_scenario_of_extended_depots_alone_chains_them_with_the_option_too(new_table: NewTable) -> None:
    table = lay(new_table, 13, axis=["2002"], options={"extended_depots": True})
    table.place(EXTENDED, "2006")
    assert status(table, table.place(CORPS, "2010")) == "supplied"


@pytest.mark.rule(R, "9.24")
@pytest.mark.parametrize(("kind", "points"), [(DEPOT, 3), (EXTENDED, 4)])
def test_both_kinds_of_depot_supply_alike_and_differ_in_speed(new_table: NewTable, kind: str, points: int) -> None:
    table = lay(new_table, 13, axis=["2006"])
    depot = table.place(kind, "2010")
    assert status(table, table.place(CORPS, "2014")) == "supplied"
    assert strength.movement(table.view, depot) == points
