"""The invariants that trials hold whole games against see the faults that they are there for."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.board import OUT, Hex
from core.events import ChitPlaced, ControlChanged, CupFilled, FramePushed, Marked, Moved, PhaseBegan, PlaceMarked, StepsChanged
from core.rulesets.war_for_the_motherland.battle import DEFENDING, Battle, PayResult
from core.rulesets.war_for_the_motherland.combat_phase import ChooseCombat
from core.rulesets.war_for_the_motherland.invariants import broken
from core.rulesets.war_for_the_motherland.organization import Organize
from core.trials.table import PlainBoard, Table
from tests.rules.war_for_the_motherland.conftest import NewTable

NAME = "war_for_the_motherland"
AT, CITY = "2010", "2011"


def with_cities(board: PlainBoard) -> None:
    board.hex(CITY, city="major")
    board.hex("2012", features=["fortress"])
    board.hex("2015", terrain="lake")


@pytest.fixture
def table(new_table: NewTable) -> Table:
    """A sound table in November 1942, with all markers that have come in their cups."""
    table = new_table(with_cities, rules={"markers_until": 21, "without_star_of": []})
    table.happen(PhaseBegan(22, "axis_movement", "axis"))
    for marker in table.setting.charts.mix.marker:
        if marker.turn <= 22:
            table.happen(CupFilled(marker.cls, marker.chit, marker.count))
    return table


def faults(table: Table) -> list[str]:
    return list(broken(table.view))


def test_a_sound_position_has_none(table: Table) -> None:
    table.place("ger_infantry_corps", AT)
    table.place("sov_factory", "evacuated_factories")
    table.place("sov_guard_army", "conversion_waiting")
    table.place("axis_depot_normal", "track", due=25)
    table.place("ger_airbase", AT, name="1")
    table.place("ger_air_fleet_3", CITY, name="1")
    assert faults(table) == []


def test_all_that_may_be_is_no_fault(table: Table) -> None:
    table.place("ger_infantry_corps", AT, out_of_supply=1, finished=1)
    table.place("ger_panzer_corps", AT, lack_of_supply=1, spent=4)
    table.place("rum_infantry_corps", "2018")
    table.place("ger_infantry_kg", "2018")
    for here in range(1, 6):
        table.place("sov_partisan", f"190{here}")
        for _ in range(2):
            table.place("sov_osg", f"190{here}")
    table.happen(ControlChanged(table.hex(CITY), "axis"))
    table.place("ger_infantry_corps", CITY)
    table.place("ger_airbase", CITY, name="1")
    table.place("ger_air_fleet_3", "2015", name="1")
    table.place("sov_infantry_corps", "2012")
    table.position.cups["C"]["C 6-9/3-5"] -= 1
    table.place("sov_infantry_army", table.board.label(Hex(0)), chit="C 6-9/3-5")
    table.place("axis_depot_normal", "track", due=22)
    assert faults(table) == []


def test_mud_without_fleets_is_no_fault(table: Table) -> None:
    table.happen(PhaseBegan(26, "soviet_movement", "soviet"))
    for marker in table.setting.charts.mix.marker:
        if 22 < marker.turn <= 26:
            table.happen(CupFilled(marker.cls, marker.chit, marker.count))
    assert faults(table) == []


def stands_in_water(table: Table) -> None:
    table.place("ger_infantry_corps", "2015")


def both_sides(table: Table) -> None:
    table.place("ger_infantry_corps", AT)
    table.place("sov_infantry_army", AT)


def two_nations(table: Table) -> None:
    table.place("rum_infantry_corps", AT)
    table.place("ita_army", AT)


def soviets_in_water(table: Table) -> None:
    table.place("sov_infantry_army", "2015")


def no_steps(table: Table) -> None:
    table.happen(StepsChanged(table.place("ger_infantry_kg", AT), 0))


def two_partisans(table: Table) -> None:
    for _ in range(2):
        table.place("sov_partisan", AT)


def six_partisans(table: Table) -> None:
    for here in range(1, 7):
        table.place("sov_partisan", f"200{here}")


def fleet_in_the_administrative_phase(table: Table) -> None:
    table.place("ger_airbase", AT, name="1")
    table.place("ger_air_fleet_3", AT, name="1")
    table.happen(PhaseBegan(22, "administrative", ""))


def ready_in_combat(table: Table) -> None:
    table.place("ger_infantry_corps", AT, in_hand=1)
    table.happen(PhaseBegan(22, "axis_combat", "axis"))


def marker_under_what_has_none(table: Table) -> None:
    table.happen(ChitPlaced("C", "C 6-9/3-5", table.place("sov_partisan", AT)))


def marker_off_the_map(table: Table) -> None:
    table.happen(ChitPlaced("C", "C 6-9/3-5", table.place("sov_infantry_army", "track", due=25)))


def battle_goes_on(table: Table) -> None:
    table.place("ger_infantry_corps", AT, in_battle=1)
    table.happen(FramePushed(ChooseCombat(side="axis").frame()))


def whole_fortress(table: Table) -> None:
    table.place("ger_infantry_corps", "2012")


def too_many_steps(table: Table) -> None:
    table.happen(StepsChanged(table.place("ger_infantry_kg", AT), 3))


def lost_control(table: Table) -> None:
    table.place("ger_infantry_corps", CITY)
    table.happen(ControlChanged(table.hex(CITY), "soviet"))


def eleven_osg(table: Table) -> None:
    for _ in range(11):
        table.place("sov_osg", AT)


def homeless_fleet(table: Table) -> None:
    table.place("ger_air_fleet_3", AT, name="1")


def fleet_in_mud(table: Table) -> None:
    table.place("ger_airbase", AT, name="1")
    table.place("ger_air_fleet_3", AT, name="1")
    table.happen(PhaseBegan(26, "soviet_movement", "soviet"))


def doubly_hungry(table: Table) -> None:
    table.place("ger_infantry_corps", AT, out_of_supply=1, lack_of_supply=1)


def moved_in_combat(table: Table) -> None:
    table.place("ger_infantry_corps", AT, finished=1)
    table.happen(PhaseBegan(22, "axis_combat", "axis"))


def marker_too_many(table: Table) -> None:
    table.happen(CupFilled("C", "C 6-9/3-5", 1))


def marker_lost(table: Table) -> None:
    table.position.cups["C"]["C 6-9/3-5"] -= 1


def star_too_many(table: Table) -> None:
    table.happen(CupFilled("C", "C* 2-3/1-2", 1))


def markers_of_a_kind_lost(table: Table) -> None:
    del table.position.cups["C"]["C 6-9/3-5"]


def marker_of_a_later_turn(table: Table) -> None:
    table.happen(CupFilled("C", "C 9-10/5-6", 1))


def marker_of_another_class(table: Table) -> None:
    table.happen(ChitPlaced("C", "C 6-9/3-5", table.place("sov_tank_army", AT)))


def panzers_among_factories(table: Table) -> None:
    table.place("ger_panzer_corps", "evacuated_factories")


def overdue(table: Table) -> None:
    table.place("axis_depot_normal", "track", due=21)


def due_on_the_map(table: Table) -> None:
    table.place("axis_depot_normal", AT, due=25)


def guards_gone(table: Table) -> None:
    table.happen(Moved((table.place("sov_guard_army", AT),), (OUT,)))


def corps_among_the_converted(table: Table) -> None:
    table.place("sov_infantry_corps", "converted")


def guards_among_the_converted(table: Table) -> None:
    table.place("sov_guard_army", "converted")


def oil_evacuated(table: Table) -> None:
    table.happen(Moved((table.place("sov_oil_field", AT),), (table.board.box("evacuated_factories"),)))


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (stands_in_water, "stand in the water of 2015"),
        (both_sides, "both sides stand in 2010"),
        (soviets_in_water, "stand in the water of 2015"),
        (two_nations, "two allied nations stand in 2010"),
        (no_steps, "has 0 steps of 2"),
        (two_partisans, "two partisans are in 2010"),
        (six_partisans, "6 counters of kind partisan"),
        (fleet_in_the_administrative_phase, "air fleets are on the map in phase administrative"),
        (ready_in_combat, "bears in_hand of a movement phase in phase axis_combat"),
        (marker_under_what_has_none, "marker C 6-9/3-5 lies under"),
        (marker_off_the_map, "marker C 6-9/3-5 lies under"),
        (battle_goes_on, "marks of a battle are left after it: in_battle"),
        (whole_fortress, "the fortress is not destroyed"),
        (too_many_steps, "has 3 steps of 2"),
        (lost_control, "2011 is held by soviet"),
        (eleven_osg, "11 counters of kind osg"),
        (homeless_fleet, "flies without its airbase"),
        (fleet_in_mud, "air fleets are on the map in phase soviet_movement of turn 26"),
        (doubly_hungry, "is Out of Supply and in Lack of Supply"),
        (moved_in_combat, "bears finished of a movement phase"),
        (marker_too_many, "markers C 6-9/3-5 are in cups and under armies"),
        (marker_lost, "markers C 6-9/3-5 are in cups and under armies"),
        (star_too_many, "markers C* 2-3/1-2 are in cups and under armies"),
        (markers_of_a_kind_lost, "0 markers C 6-9/3-5 are in cups and under armies"),
        (marker_of_a_later_turn, "1 markers C 9-10/5-6 are in cups and under armies; 0 have come"),
        (marker_of_another_class, "marker C 6-9/3-5 lies under"),
        (panzers_among_factories, "lies in box evacuated_factories"),
        (overdue, "due on turn 21"),
        (due_on_the_map, "is due though it does not wait"),
        (guards_gone, "is in out, not on the map or in conversion_waiting"),
        (oil_evacuated, "lies in box evacuated_factories"),
        (corps_among_the_converted, "lies in box converted"),
        (guards_among_the_converted, "lies in box converted"),
    ],
)
def test_a_fault_is_told(table: Table, fault: Callable[[Table], None], said: str) -> None:
    fault(table)
    assert any(said in told for told in faults(table)), faults(table)


@pytest.mark.rule(NAME, "4.11a")
@pytest.mark.parametrize(("decision", "told"), [(Organize, True), (ChooseCombat, True), (None, False)])
def test_too_many_units_in_a_hex_are_told_between_phases_and_combats_only(
    table: Table, decision: type[Organize] | type[ChooseCombat] | None, told: bool
) -> None:
    for _ in range(3):
        table.place("ger_infantry_corps", AT)
    if decision is not None:
        table.happen(FramePushed(decision(side="axis").frame()))
    assert ("2010 is overstacked between phases" in faults(table)) == told


def test_a_star_may_have_left_the_game_and_no_other_marker(table: Table) -> None:
    star = next(chit for chit in table.position.cups["C"] if "*" in chit)
    table.position.cups["C"][star] -= 1
    assert faults(table) == []


def test_a_destroyed_fortress_may_be_entered(table: Table) -> None:
    table.happen(PlaceMarked((table.hex("2012"),), "destroyed"))
    table.place("ger_infantry_corps", "2012")
    assert not [told for told in faults(table) if "fortress" in told]


def fights(table: Table) -> None:
    """Push the decision of a battle at a moment at which all who fight have their markers."""
    battle = Battle(side="axis", targets=(table.hex(CITY),), sources=(table.hex(AT),), result="D2")
    table.happen(FramePushed(PayResult(side="soviet", battle=battle, role=DEFENDING, points=2, hexes=True).frame()))


@pytest.mark.rule(NAME, "7.11")
@pytest.mark.parametrize(
    ("kind", "role", "cup", "told"),
    [
        ("sov_infantry_army", DEFENDING, True, True),
        ("sov_infantry_army", DEFENDING, False, False),  # D-30
        ("sov_infantry_army", 0, True, False),
        ("sov_infantry_corps", DEFENDING, True, False),
    ],
)
def test_who_fights_without_a_marker_is_told_while_there_is_one(table: Table, kind: str, role: int, cup: bool, told: bool) -> None:
    unit = table.place(kind, CITY, finished=1)
    if role:
        table.happen(Marked((unit,), "in_battle", role))
    if not cup:
        table.position.cups["C"].clear()
    fights(table)
    assert any(fault.startswith(f"{table.view.name(unit)} fights without") for fault in faults(table)) == told


@pytest.mark.rule(NAME, "7.11")
def test_who_fights_with_a_marker_is_no_fault(table: Table) -> None:
    table.position.cups["C"]["C 6-9/3-5"] -= 1
    table.place("sov_infantry_army", CITY, in_battle=DEFENDING, chit="C 6-9/3-5")
    fights(table)
    assert faults(table) == []
