from __future__ import annotations

import msgspec
import pytest

from core.events import PlaceMarked
from core.rulesets.war_for_the_motherland import supply
from core.rulesets.war_for_the_motherland.terms import DESTROYED
from core.trials.table import PlainBoard
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.lines_of_supply import ARMY, CORPS, FACTORY, FRONT, OSG, lay, row, status

R = "war_for_the_motherland"


def line_to_the_front(plain: PlainBoard) -> None:
    plain.rail(*row(20, 1, 8))


@pytest.mark.rule(R, "9.31a")
@pytest.mark.parametrize(("label", "found"), [("2014", "supplied"), ("2015", "out")])
def test_an_army_traces_six_hexes_to_a_headquarters(new_table: NewTable, label: str, found: str) -> None:
    table = lay(new_table, 13, line_to_the_front, soviet=["2001"])
    table.place(FRONT, "2008")
    assert status(table, table.place(ARMY, label)) == found


@pytest.mark.rule(R, "9.31a")
@pytest.mark.rule(R, "9.45")
@pytest.mark.parametrize(("front", "found"), [("2008", "supplied"), ("2007", "out")])
def test_twelve_hexes_of_railroad_are_six_and_thirteen_are_more(new_table: NewTable, front: str, found: str) -> None:
    table = lay(new_table, 13, lambda plain: plain.rail(*row(20, 1, 20)), soviet=["2001"])
    table.place(FRONT, front)
    assert status(table, table.place(ARMY, "2020")) == found


@pytest.mark.rule(R, "9.58", "9.31a")
@pytest.mark.parametrize(("label", "found"), [("2019", "out"), ("2020", "isolated")])
def test_an_army_beyond_twelve_hexes_from_a_headquarters_is_isolated(new_table: NewTable, label: str, found: str) -> None:
    table = lay(new_table, 13, lambda plain: plain.rail(*row(20, 1, 7)), soviet=["2001"])
    table.place(FRONT, "2007")
    assert status(table, table.place(ARMY, label)) == found


@pytest.mark.rule(R, "9.31b")
def test_an_army_does_not_trace_to_a_source(new_table: NewTable) -> None:
    table = lay(new_table, 13, soviet=["2001"])
    assert status(table, table.place(ARMY, "2002")) == "isolated"


@pytest.mark.rule(R, "9.32a")
@pytest.mark.rule(R, "9.47")
def test_a_headquarters_needs_a_railroad_free_of_bare_enemy_zoc(new_table: NewTable) -> None:
    table = lay(new_table, 13, line_to_the_front, soviet=["2001"])
    headquarters, army = table.place(FRONT, "2008"), table.place(ARMY, "2012")
    assert status(table, headquarters) == "supplied"
    table.place(CORPS, "1903")
    assert status(table, headquarters) == "out"
    assert status(table, army) != "supplied"
    for label in ("2003", "2004"):
        table.place(ARMY, label)
    assert status(table, headquarters) == "supplied"


@pytest.mark.rule(R, "9.32a")
def test_a_headquarters_off_the_railroad_is_out(new_table: NewTable) -> None:
    table = lay(new_table, 13, line_to_the_front, soviet=["2001"])
    assert status(table, table.place(FRONT, "2108")) == "out"


def moscow(plain: PlainBoard) -> None:
    plain.facts["C2706"] = msgspec.structs.replace(plain.facts.pop("2010"), label="C2706", city="major", name="Moscow")
    plain.rail("2008", "2009", "C2706", "2011", "2012")


@pytest.mark.rule(R, "9.32a")
@pytest.mark.rule(R, "9.32b")
def test_moscow_is_a_source_until_an_axis_unit_was_in_it(new_table: NewTable) -> None:
    table = lay(new_table, 13, moscow, soviet=["1601"])
    headquarters = table.place(FRONT, "2008")
    assert status(table, headquarters) == "supplied"
    table.happen(PlaceMarked((table.hex("C2706"),), DESTROYED))
    assert status(table, headquarters) == "out"


@pytest.mark.rule(R, "9.32b")
def test_a_line_through_lost_moscow_to_another_source_is_fine(new_table: NewTable) -> None:
    table = lay(new_table, 13, moscow, soviet=["2012"])
    headquarters = table.place(FRONT, "2008")
    table.happen(PlaceMarked((table.hex("C2706"),), DESTROYED))
    assert status(table, headquarters) == "supplied"


@pytest.mark.rule(R, "9.33")
def test_a_factory_is_always_in_supply(new_table: NewTable) -> None:
    table = lay(new_table, 13, soviet=["2001"])
    assert status(table, table.place(FACTORY, "2610")) == "supplied"


@pytest.mark.rule(R, "9.34")
@pytest.mark.parametrize(("asset", "found"), [(FACTORY, "lack"), ("sov_oil_field", "isolated")])
def test_a_factory_shelters_an_army_without_supply(new_table: NewTable, asset: str, found: str) -> None:
    table = lay(new_table, 13, soviet=["2001"])
    table.place(asset, "2610")
    assert status(table, table.place(ARMY, "2610")) == found


@pytest.mark.rule(R, "9.34")
@pytest.mark.rule(R, "9.56")
@pytest.mark.parametrize("service", [OSG, FRONT])
def test_a_factory_shelters_neither_osg_nor_headquarters(new_table: NewTable, service: str) -> None:
    table = lay(new_table, 13, soviet=["2001"])
    table.place(FACTORY, "2610")
    assert status(table, table.place(service, "2610")) == "out"


@pytest.mark.rule(R, "12.33a")
def test_an_unbroken_railroad_joins_a_hex_to_a_source(new_table: NewTable) -> None:
    table = lay(new_table, 13, line_to_the_front, soviet=["2001"])
    assert supply.rail_to_source(table.view, table.hex("2008"), "soviet")
    assert not supply.rail_to_source(table.view, table.hex("2009"), "soviet")
