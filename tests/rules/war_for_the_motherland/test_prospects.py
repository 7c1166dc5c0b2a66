"""What is laid over the map or beside it: front, threats, reinforcements, victory, what is due. It decides nothing."""

from __future__ import annotations

import msgspec
import pytest

from core.events import Moved
from core.pack import Arrival
from core.ruleset import Overlay
from core.rulesets.war_for_the_motherland.terms import DUE, TRACK
from core.trials.table import Table
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.moving import AXIS_MOVES

FLEET, OSG = "ger_air_fleet_3", "sov_osg"
CORPS, ARMY, KG = "ger_infantry_corps", "sov_infantry_army", "ger_infantry_kg"


def overlay(table: Table, name: str, side: str) -> Overlay:
    return table.setting.ruleset.overlays[name](table.view, side)


def labels(table: Table, shown: Overlay) -> dict[str, str]:
    return {table.board.label(here): words for here, words in shown.hexes.items()}


def test_the_front_is_one_line_seen_from_both_sides(new_table: NewTable) -> None:
    table = new_table()
    table.place(CORPS, "2005")
    table.place(ARMY, "2008")
    table.begin(13, AXIS_MOVES)
    axis, soviet = overlay(table, "control", "axis").front, overlay(table, "control", "soviet").front
    assert axis
    assert {(there, here) for here, there in axis} == set(soviet)
    assert all(table.board.distance(here, table.hex("2005")) < table.board.distance(there, table.hex("2005")) + 2 for here, there in axis)


def test_far_from_all_units_there_is_no_front(new_table: NewTable) -> None:
    table = new_table()
    table.place(CORPS, "2002")
    table.place(ARMY, "2018")
    table.begin(13, AXIS_MOVES)
    assert overlay(table, "control", "axis").front == ()


def test_an_outweighed_unit_is_threatened_and_an_unknown_army_counts_what_its_cup_promises(new_table: NewTable) -> None:
    table = new_table()
    table.place(KG, "2005", steps=1)
    table.place(ARMY, "2006", chit="C 6-9/3-5")
    table.place(ARMY, "1905")
    table.place(CORPS, "1904")
    table.cup("C", {"C 3-5/2-3": 2, "C 6-9/3-5": 1})
    table.begin(13, AXIS_MOVES)
    assert labels(table, overlay(table, "threats", "axis")) == {"2005": "≈10:1"}  # 6, and the mean of 3, 3 and 6
    assert labels(table, overlay(table, "threats", "soviet")) == {}


def test_what_is_expected_of_an_own_army_is_told_as_such_beside_what_threatens_it(new_table: NewTable) -> None:
    table = new_table()
    for _ in range(2):
        table.place(CORPS, "2005")
    table.place(ARMY, "2006")
    table.cup("C", {"C 3-5/2-3": 2, "C 6-9/3-5": 1})
    table.begin(13, AXIS_MOVES)
    assert labels(table, overlay(table, "threats", "soviet")) == {"2006": "10:≈6"}  # the mean of 5, 5 and 9
    assert labels(table, overlay(table, "threats", "axis")) == {}


def test_what_is_due_stands_beside_the_map_with_its_turn_and_rule(new_table: NewTable) -> None:
    table = new_table()
    table.place(CORPS, "2005")
    army = table.place(ARMY, TRACK, name="9", **{DUE: 15})
    table.begin(13, AXIS_MOVES)
    due = {str(sheet.title): sheet for sheet in table.setting.ruleset.sheets(table.view)}["Reinforcements: Soviet"]
    told = [(str(row.label), str(row.value), row.rule) for row in due.rows]
    scheduled = [(name, "turn 23", "13.0") for name in ("2. Guards Army", "5. Shock Army")]
    assert told == [(table.view.name(army), "turn 15", "13.51"), *scheduled]


@pytest.mark.rule("war_for_the_motherland", "20.31", "13.0")
@pytest.mark.parametrize(("chosen", "due"), [(False, ["2. Panzer Corps"]), (True, ["2. Panzer Corps", "207. Security Division"])])
def test_security_divisions_are_due_only_with_their_option(new_table: NewTable, chosen: bool, due: list[str]) -> None:
    table = new_table(options={"security_divisions": chosen})
    table.place(CORPS, "2005")
    comes = (
        Arrival(12, "axis", (("ger_panzer_corps", "1"),)),
        Arrival(14, "axis", (("ger_panzer_corps", "2"), ("ger_security_division", "207"))),
    )
    scenario = msgspec.structs.replace(table.setting.scenario, arrival=comes)
    table.view.setting = table.setting = msgspec.structs.replace(table.setting, scenario=scenario)
    table.begin(12, AXIS_MOVES)
    assert table.position.turn == 12
    sheets = {str(sheet.title): [str(row.label) for row in sheet.rows] for sheet in table.setting.ruleset.sheets(table.view)}
    assert (sheets["Reinforcements: Axis"], "Reinforcements: Soviet" in sheets) == (due, False)


def test_no_sheet_tells_what_the_cups_hold(new_table: NewTable) -> None:
    table = new_table()
    table.cup("A", {"A 8-6/4-3": 3})
    table.begin(13, AXIS_MOVES)
    told = [f"{row.label}{row.value}" for sheet in table.setting.ruleset.sheets(table.view) for row in sheet.rows]
    assert not [words for words in told if "A 8-6" in words or words.startswith("Cup")]


@pytest.mark.rule("war_for_the_motherland", "8.62a", "10.21a")
def test_the_overlay_of_support_shows_how_far_fleets_and_support_groups_reach(new_table: NewTable) -> None:
    table = new_table()
    table.place(CORPS, "2002")
    table.begin(13, AXIS_MOVES)
    assert not overlay(table, "support", "axis").hexes
    table.place(OSG, "2010")
    table.happen(Moved((table.place(FLEET, "fleets"),), (table.hex("2018"),)))
    for side, centre, radius in (("soviet", "2010", 3), ("axis", "2018", table.setting.types[FLEET].values["azoi"])):
        shown = overlay(table, "support", side)
        assert set(shown.hexes) == table.board.within(table.hex(centre), radius)
        assert all(here in shown.hexes and there not in shown.hexes for here, there in shown.front)
        assert {table.board.distance(table.hex(centre), here) for here, _ in shown.front} == {radius}
