from __future__ import annotations

import pytest

from core.events import Explained, Moved
from core.options import options
from core.orders import HexPick, OptionPick, UnitPick
from core.rulesets.war_for_the_motherland import air
from core.rulesets.war_for_the_motherland.air import EndFleets, FleetsChoice, LiftFleets, PlaceFleet, PlaceFleets
from core.rulesets.war_for_the_motherland.movement import Move
from core.rulesets.war_for_the_motherland.supply_phase import JudgeUnits
from core.rulesets.war_for_the_motherland.terms import LACK_OF_SUPPLY, OUT_OF_SUPPLY
from core.trials.table import Table
from core.units import UnitId
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.lines_of_supply import AIRBASE, ARMY, CORPS, FLEET, RUMANIANS, WIDE_FLEET, lay, row, status
from tests.rules.war_for_the_motherland.phase_one import phase_one

R = "war_for_the_motherland"


def pair(table: Table, at: str, kind: str = FLEET, name: str = "1") -> UnitId:
    """Place an airbase with its fleet in the box; return the fleet."""
    table.place(AIRBASE, at, name=name)
    return table.place(kind, "fleets", name=name)


@pytest.mark.rule(R, "10.12", "10.11", "3.0.1b")
def test_a_fleet_goes_within_four_hexes_of_its_airbase_over_enemies_and_lakes(new_table: NewTable) -> None:
    table = lay(new_table, 13, lambda plain: plain.hex("2008", terrain="lake"), axis=["2010"])
    fleet = pair(table, "2010")
    table.place(ARMY, "2006")
    phase_one(table, 13, steps=(PlaceFleets(),))
    assert table.refused(PlaceFleet(fleet, table.hex("2005"))) == "10.12"
    assert table.refused(PlaceFleet(fleet)) == "10.11"
    table.order(PlaceFleet(fleet, table.hex("2006")))
    assert table.where(fleet) == "2006"


@pytest.mark.rule(R, "10.12")
def test_exactly_the_hexes_in_range_are_offered(new_table: NewTable) -> None:
    table = lay(new_table, 13, axis=["2010"])
    fleet = pair(table, "2010")
    phase_one(table, 13, steps=(PlaceFleets(),))
    offered = options(table.view, (OptionPick("place_fleet"), UnitPick(fleet))).picks
    base = table.hex("2010")
    assert {pick.hex for pick in offered if isinstance(pick, HexPick)} == {
        here for here in range(table.board.size) if table.board.distance(base, here) <= 4
    }


@pytest.mark.rule(R, "10.12", "10.23")
def test_a_hex_tells_how_many_units_the_fleet_would_supply_from_it(new_table: NewTable) -> None:
    table = lay(new_table, 13, axis=["2610"])
    fleet = pair(table, "2610")
    for label in ("2310", "2310", "2212"):
        table.place(CORPS, label)
    table.place(RUMANIANS, "2212")
    table.place(ARMY, "2510")  # its ZOC cuts them off
    table.place(ARMY, "2508")
    table.place(ARMY, "2512")
    phase_one(table, 13, steps=(PlaceFleets(),))
    doors = {door.pick.hex: door.label for door in options(table.view, (OptionPick("place_fleet"), UnitPick(fleet))).doors}  # type: ignore[union-attr]
    needy = air.needy(table.view)
    assert [table.board.label(here) for here in needy] == ["2212", "2310", "2310"]  # of the Germans alone: 9.64
    for here, label in doors.items():
        helped = sum(table.board.distance(here, there) <= 3 for there in needy)
        assert (str(label) if label else "") == (f"air supply for {helped}" if helped else "")


@pytest.mark.rule(R, "10.11")
def test_a_fleet_may_stay_off_the_map_and_each_is_placed_once(new_table: NewTable) -> None:
    table = lay(new_table, 13, axis=["2010"])
    one, two = pair(table, "2010"), pair(table, "2012", name="2")
    phase_one(table, 13, steps=(PlaceFleets(),))
    table.order(PlaceFleet(one, table.hex("2010")))
    assert table.refused(PlaceFleet(one, table.hex("2011"))) == "10.11"
    table.order(EndFleets())
    assert (table.where(one), table.where(two)) == ("2010", "fleets")


@pytest.mark.rule(R, "9.63", "10.11")
def test_a_fleet_whose_airbase_is_away_is_not_placed(new_table: NewTable) -> None:
    table = lay(new_table, 13, axis=["2010"])
    pair(table, "2010")
    away = pair(table, "track", name="2")
    phase_one(table, 13, steps=(PlaceFleets(),))
    assert table.refused(PlaceFleet(away, table.hex("2010"))) == "9.63"


@pytest.mark.rule(R, "10.25", "11.12")
@pytest.mark.parametrize(("turn", "asked"), [(7, False), (12, False), (13, True), (23, True)])
def test_no_fleets_in_mud(new_table: NewTable, turn: int, asked: bool) -> None:
    table = lay(new_table, turn, axis=["2010"])
    fleet = pair(table, "2010")
    phase_one(table, turn, steps=(PlaceFleets(),))
    # At the end of the steps nobody is really asked: then only the frame that keeps the stack from being empty is left.
    assert (len(table.position.frames) == 2) == asked
    assert isinstance(table.view.decision(), FleetsChoice)
    assert table.where(fleet) == "fleets"


@pytest.mark.rule(R, "10.13")
def test_fleets_are_lifted_and_marks_stay(new_table: NewTable) -> None:
    table = lay(new_table, 13, axis=["2601"])
    fleet = pair(table, "2010")
    corps = table.place(CORPS, "2012")
    table.happen(Moved((fleet,), (table.hex("2011"),)))
    phase_one(table, 13, steps=(JudgeUnits(), LiftFleets()))
    assert table.where(fleet) == "fleets"
    assert table.position.mark(corps, LACK_OF_SUPPLY)


def flying(table: Table, kind: str, at: str) -> UnitId:
    fleet = table.place(kind, "fleets")
    table.happen(Moved((fleet,), (table.hex(at),)))
    return fleet


@pytest.mark.rule(R, "10.21a", "10.22")
@pytest.mark.parametrize(("kind", "covered"), [(FLEET, False), (WIDE_FLEET, True)])
def test_a_zone_reaches_three_or_five_hexes(new_table: NewTable, kind: str, covered: bool) -> None:
    table = lay(new_table, 13, lambda plain: plain.hex("2008", terrain="sea"))
    flying(table, kind, "2010")
    assert air.covers(table.view, [table.hex("2007")])
    assert air.covers(table.view, [table.hex("2006")]) == covered
    assert not air.covers(table.view, [table.hex("2004")])


@pytest.mark.rule(R, "10.21b", "10.22")
def test_one_fleet_must_cover_all_hexes(new_table: NewTable) -> None:
    table = lay(new_table, 13)
    flying(table, FLEET, "2004")
    flying(table, FLEET, "2012")
    left, right = table.hex("2004"), table.hex("2012")
    assert air.covers(table.view, [left])
    assert air.covers(table.view, [right])
    assert not air.covers(table.view, [left, right])
    assert not air.covers(table.view, [])


@pytest.mark.rule(R, "10.26", "11.22", "9.65")
@pytest.mark.parametrize(("turn", "supports"), [(13, True), (23, False), (9, False)])
def test_in_snow_fleets_supply_but_do_not_support(new_table: NewTable, turn: int, supports: bool) -> None:
    table = lay(new_table, turn, axis=["2601"])
    flying(table, FLEET, "2010")
    assert air.covers(table.view, [table.hex("2010")]) == supports
    assert status(table, table.place(CORPS, "2012")) == "lack"


@pytest.mark.rule(R, "9.61", "9.62", "10.23")
def test_any_number_of_germans_in_a_zone_are_in_lack_of_supply(new_table: NewTable) -> None:
    table = lay(new_table, 13, axis=["2601"])
    flying(table, FLEET, "1710")
    units = [table.place(CORPS, label) for label in row(17, 7, 13)]
    beyond = table.place(CORPS, "1714")
    phase_one(table, 13, steps=(JudgeUnits(),), dice=[6])
    assert all(table.position.mark(unit, LACK_OF_SUPPLY) for unit in units)
    assert not any(table.position.mark(unit, OUT_OF_SUPPLY) for unit in units)
    assert table.position.mark(beyond, OUT_OF_SUPPLY)
    told = next(event for event in table.events if isinstance(event, Explained) and event.subject == "supply")
    assert {(part.value, part.rule) for line in told.lines for part in line.parts} == {("lack", "9.61"), ("isolated", "9.58")}
    assert str(told.title) == "Out of Supply: 1, Lack of Supply: 7"


@pytest.mark.rule(R, "9.64", "9.58", "9.61")
def test_an_isolated_german_in_a_zone_does_not_roll_and_a_rumanian_does(new_table: NewTable) -> None:
    table = lay(new_table, 13, axis=["2601"])
    flying(table, FLEET, "1710")
    german, rumanian = table.place(CORPS, "1711"), table.place(RUMANIANS, "1711")
    phase_one(table, 13, steps=(JudgeUnits(),), dice=[6])
    assert (status(table, german), status(table, rumanian)) == ("lack", "isolated")


@pytest.mark.rule(R, "15.22a")
def test_air_supply_does_not_count_at_the_end(new_table: NewTable) -> None:
    from core.rulesets.war_for_the_motherland import supply

    table = lay(new_table, 13, axis=["2601"])
    flying(table, FLEET, "1710")
    corps = table.place(CORPS, "1711")
    assert supply.judge(table.view, corps, air=False) == "isolated"


@pytest.mark.rule(R, "10.12", "10.21a")
@pytest.mark.parametrize(("kind", "covered"), [(WIDE_FLEET, True), (FLEET, False)])
def test_stalingrad_lies_within_reach_of_the_wide_fleet_of_e5216(on_map: Table, kind: str, covered: bool) -> None:
    base, city = on_map.hex("E5216"), on_map.hex("E4709")
    assert on_map.board.distance(base, city) == 9
    radius = on_map.setting.types[kind].values["azoi"]
    assert any(on_map.board.distance(there, city) <= radius for there in on_map.board.within(base, air.RANGE)) == covered


@pytest.mark.rule(R, "10.21a", "10.12")
def test_a_fleet_that_is_placed_and_an_airbase_that_moves_tell_what_they_would_be_in_range_of(new_table: NewTable) -> None:
    table = lay(new_table, 13, axis=["2010"])
    fleet = pair(table, "2010")
    (base,) = table.position.at(table.hex("2010"))
    orders, board = table.view.ruleset.orders, table.board
    place, move = orders["place_fleet"].covers, orders["move"].covers
    assert place is not None
    assert move is not None
    assert place(table.view, PlaceFleet(fleet)) == frozenset()
    assert place(table.view, PlaceFleet(fleet, table.hex("2006"))) == board.within(table.hex("2006"), 3)
    assert move(table.view, Move((base,))) == board.within(table.hex("2010"), 4)
    assert move(table.view, Move((base,), (table.hex("2011"), table.hex("2012")))) == board.within(table.hex("2012"), 4)
    assert move(table.view, Move((table.place(CORPS, "2310"),))) == frozenset()
