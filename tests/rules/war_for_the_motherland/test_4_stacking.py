"""Stacking (4.1)."""

from __future__ import annotations

import pytest

from core.rulesets.war_for_the_motherland import movement, stacking
from core.rulesets.war_for_the_motherland.combat_phase import EndCombat
from core.rulesets.war_for_the_motherland.end_phase import EndPhase
from core.rulesets.war_for_the_motherland.movement import Move
from core.rulesets.war_for_the_motherland.stacking import EliminateExcess
from core.trials.table import Table
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.moments import offered_units

GAME = "war_for_the_motherland"
CORPS, PANZER, KG = "ger_infantry_corps", "ger_panzer_corps", "ger_infantry_kg"
ARMY, SOVIET_CORPS = "sov_infantry_army", "sov_infantry_corps"


def overstacked(table: Table, side: str, kinds: dict[str, int]) -> bool:
    for kind, count in kinds.items():
        for _ in range(count):
            table.place(kind, "2010")
    return stacking.excess(table.view, table.hex("2010"), side)


@pytest.mark.rule(GAME, "4.12a", "4.12b")
@pytest.mark.parametrize(
    ("kinds", "too_many"),
    [
        ({PANZER: 2, "ger_panzer_division": 1}, False),
        ({PANZER: 2, "ger_panzer_division": 2}, True),
        ({KG: 4, "ger_panzer_division": 1}, False),
        ({KG: 5}, True),
        ({"ger_panzer_division": 7}, False),
        ({"ger_panzer_division": 8}, True),
        ({"ita_army": 1, "ger_panzer_division": 1}, False),
        ({"ita_army": 1, KG: 1}, True),
        ({CORPS: 2, "ger_security_division": 1}, False),
    ],
)
def test_axis_hexes_hold_two_corps_and_a_division(new_table: NewTable, kinds: dict[str, int], too_many: bool) -> None:
    assert overstacked(new_table(), "axis", kinds) is too_many


@pytest.mark.rule(GAME, "4.13", "4.14")
@pytest.mark.parametrize(
    ("kinds", "too_many"),
    [
        ({ARMY: 1, "sov_osg": 1, "sov_headquarters": 1, "sov_factory": 3}, False),
        ({SOVIET_CORPS: 2}, False),
        ({SOVIET_CORPS: 3}, True),
        ({ARMY: 1, SOVIET_CORPS: 1}, True),
        ({ARMY: 2}, True),
    ],
)
def test_soviet_hexes_hold_an_army_or_two_corps(new_table: NewTable, kinds: dict[str, int], too_many: bool) -> None:
    assert overstacked(new_table(), "soviet", kinds) is too_many


@pytest.mark.rule(GAME, "4.14")
def test_axis_service_units_do_not_count(new_table: NewTable) -> None:
    kinds = {CORPS: 2, "ger_panzer_division": 1, "ger_airbase": 1, "axis_depot_normal": 2, "ger_siege_artillery": 1, "ger_air_fleet_5": 1}
    assert not overstacked(new_table(), "axis", kinds)


@pytest.mark.rule(GAME, "4.16")
def test_half_strength_is_no_help(new_table: NewTable) -> None:
    table = new_table()
    for _ in range(3):
        table.place(CORPS, "2010", steps=3)
    assert stacking.excess(table.view, table.hex("2010"), "axis")


@pytest.mark.rule(GAME, "4.11b")
def test_the_limit_may_be_passed_while_moving(new_table: NewTable) -> None:
    table = new_table()
    for _ in range(2):
        table.place(CORPS, "2010")
    third = table.place(CORPS, "2011")
    table.place("ger_panzer_division", "2010")
    table.begin(13, "axis_movement")
    table.order(Move(units=(third,), path=(table.hex("2010"), table.hex("2009"))))
    assert table.where(third) == "2009"


@pytest.mark.rule(GAME, "4.11b", "4.12a", "4.13")
@pytest.mark.parametrize(
    ("phase", "kind", "limit"), [("axis_movement", CORPS, "2 corps and 1 division"), ("soviet_movement", SOVIET_CORPS, "1 army")]
)
def test_a_way_into_a_full_hex_is_open_and_tells_the_limit_of_the_side_that_goes(
    new_table: NewTable, phase: str, kind: str, limit: str
) -> None:
    table = new_table()
    for _ in range(2):
        table.place(kind, "2010")
    third = table.place(kind, "2011")
    table.begin(13, phase)
    warnings = {table.board.label(way.hex): way.warning for way in movement.reach(table.view, Move(units=(third,)))}
    assert str(warnings["2010"]) == f"more than {limit} in 2010"
    assert warnings["2012"] is None


@pytest.mark.rule(GAME, "4.11a", "4.18")
def test_the_owner_eliminates_a_unit_of_a_hex_that_is_overstacked_when_the_phase_ends(new_table: NewTable) -> None:
    table = new_table()
    two = [table.place(CORPS, "2010") for _ in range(2)]
    third = table.place(CORPS, "2011")
    airbase = table.place("ger_airbase", "2010")
    table.begin(13, "axis_movement")
    table.order(Move(units=(third,), path=(table.hex("2010"),)))
    table.order(EndPhase())
    assert table.view.side_to_act() == "axis"
    assert offered_units(table, "remove_excess") == {*two, third}
    assert table.refused(EliminateExcess(airbase)) == "4.14"
    table.order(EliminateExcess(two[1]))
    assert table.unit(two[1]).place < 0
    assert not stacking.excess(table.view, table.hex("2010"), "axis")
    assert {table.where(two[0]), table.where(third)} == {"2010"}


@pytest.mark.rule(GAME, "4.11a", "4.18")
@pytest.mark.parametrize("phase", ["axis_combat", "soviet_combat"])
@pytest.mark.parametrize(("owner", "kind"), [("axis", CORPS), ("soviet", SOVIET_CORPS)])
def test_hexes_of_both_sides_are_looked_at_when_a_combat_phase_ends(new_table: NewTable, phase: str, owner: str, kind: str) -> None:
    table = new_table()
    crowd = {table.place(kind, "2010") for _ in range(3)}
    table.place(CORPS, "2404"), table.place(SOVIET_CORPS, "2405")
    table.begin(13, phase)
    table.order(EndCombat())
    assert (table.view.side_to_act(), table.position.phase) == (owner, phase)
    assert offered_units(table, "remove_excess") == crowd


@pytest.mark.rule(GAME, "4.11a", "4.18", "3.0.2b", "3.0.5b")
@pytest.mark.parametrize("phase", ["axis_movement", "soviet_movement", "german_mechanized_movement"])
@pytest.mark.parametrize(("owner", "kind"), [("axis", CORPS), ("soviet", SOVIET_CORPS)])
def test_hexes_of_both_sides_are_looked_at_when_a_movement_phase_ends(new_table: NewTable, phase: str, owner: str, kind: str) -> None:
    table = new_table()
    crowd = {table.place(kind, "2010") for _ in range(3)}
    table.place("ger_panzer_corps", "2414"), table.place(SOVIET_CORPS, "1803")
    table.begin(13, phase)
    table.order(EndPhase())
    assert (table.view.side_to_act(), table.position.phase) == (owner, phase)
    assert offered_units(table, "remove_excess") == crowd


@pytest.mark.rule(GAME, "4.18")
def test_excess_is_asked_again_until_the_hex_is_legal(new_table: NewTable) -> None:
    table = new_table()
    four = [table.place(CORPS, "2010") for _ in range(4)]
    table.place(CORPS, "2410")
    table.begin(13, "axis_movement")
    table.order(EndPhase())
    table.order(EliminateExcess(four[0]))
    assert table.view.side_to_act() == "axis"
    assert table.refused(EliminateExcess(four[0])) == "4.18"
    table.order(EliminateExcess(four[3]))
    assert not stacking.excess(table.view, table.hex("2010"), "axis")


@pytest.mark.rule(GAME, "4.15a", "4.15b")
def test_two_allied_nations_never_share_a_hex_but_germans_join_either(new_table: NewTable) -> None:
    table = new_table()
    table.place("rum_infantry_corps", "2010")
    hungarian = table.place("hun_corps", "2011")
    german = table.place(CORPS, "2011")
    rumanian = table.place("rum_infantry_corps", "1910")
    table.begin(13, "axis_movement")
    through = (table.hex("2010"),)
    assert table.refused(Move(units=(hungarian,), path=through)) == "4.15b"
    assert table.refused(Move(units=(german, hungarian), path=through)) == "4.15b"
    table.order(Move(units=(german,), path=through))
    table.order(Move(units=(rumanian,), path=through))
    assert table.where(german) == table.where(rumanian) == "2010"


@pytest.mark.rule(GAME, "4.15a")
@pytest.mark.parametrize(("there", "fit"), [("ita_mobile_corps", False), ("rum_infantry_corps", True)])
def test_allies_of_another_nation_fit_into_no_hex_whatever_room_there_is(new_table: NewTable, there: str, fit: bool) -> None:
    table = new_table()
    table.place(there, "2010")
    coming = table.place("rum_infantry_corps", "2012")
    assert stacking.fits(table.view, [coming], table.hex("2010")) is fit
