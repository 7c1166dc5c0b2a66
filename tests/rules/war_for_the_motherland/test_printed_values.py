"""Values of counters, tables and the turn record, entered twice: once in the pack, once here, as the text or a published page prints them.

Where nothing is printed, what stands here is what the game has been tried out with: a value that changes shall be changed on purpose.
"""

from __future__ import annotations

import pytest

from core.rulesets import load
from core.rulesets.war_for_the_motherland.charts import Charts
from core.units import Face
from tests.packs import pack_of

NAME = "war_for_the_motherland"


def charts() -> Charts:
    found = load(NAME).charts(pack_of(NAME))
    assert isinstance(found, Charts)
    return found


def shown(face: Face) -> str:
    return f"{face.attack}-{face.defence}-{face.move}"


# -------------------------------------------------------------------- counters

PRINTED = {
    "ger_panzer_corps": "9-8-7 7-6-7",  # 14.25, 14.28
    "ger_panzer_kg": "4-3-8 2-1-8",  # 14.25
    "ger_infantry_corps": "5-7-4 3-5-4",  # 8.94
    "ger_infantry_kg": "2-3-5 1-1-5",  # 8.94
    "ger_airbase": "0-1-4",  # 16.21, as those that follow
    "axis_depot_extended": "0-1-4",
    "rum_headquarters": "0-1-8",
    "rum_infantry_corps": "2-3-3",
    "sov_headquarters": "0-1-8",
    "sov_osg": "0-1-3",
    "sov_infantry_army": "C-3",
    "sov_guard_army": "B-4",
    "sov_shock_army": "B-3",  # 16.31
    "sov_tank_army": "A-7",
    "sov_factory": "0-1-0",  # 12.11, as all Economic Assets
    "sov_oil_field": "0-1-0",
    "sov_coal_field": "0-1-0",
    "sov_mineral_deposit": "0-1-0",
    "sov_strategic_port": "0-1-0",
    "sov_oil_pipeline": "0-1-0",
}
RECONSTRUCTED = {  # of these 16.21 prints the fronts of mountain corps and of the Italian army, 5.44, 9.24 and 5.28 moves of 9, 3 and 3
    "ger_panzer_division": "5-4-9 3-2-9",
    "ger_mountain_corps": "4-6-4 3-4-4",
    "ger_mountain_kg": "2-3-5",
    "ger_security_division": "0-1-5",
    "ger_siege_artillery": "0-1-3",
    "axis_depot_normal": "0-1-3",
    "fin_headquarters": "0-1-8",
    "rum_mountain_corps": "2-3-4",
    "rum_cavalry_corps": "2-2-5",
    "ita_army": "4-5-3 2-3-3",
    "ita_mobile_corps": "2-3-4",
    "hun_army": "4-4-3 2-2-3",
    "hun_corps": "2-2-4",
    "fin_army": "4-6-4 2-4-4",
    "fin_corps": "2-3-4",
    "sov_siberian_army": "B-3",
    "sov_infantry_corps": "2-2-4",
    "sov_marine_corps": "2-3-3",
    "sov_airborne_corps": "2-2-3",
    "sov_mechanized_corps": "3-2-6",
    "sov_mechanized_group": "2-2-5",
}


@pytest.mark.rule(NAME, "2.2a", "2.2b", "8.94b", "14.28", "16.21a", "16.22a", "12.11a")
def test_counters_bear_the_values_that_the_text_prints() -> None:
    types = pack_of(NAME).types
    found = {id: f"{kind.cup}-{kind.move}" if kind.cup else " ".join(map(shown, kind.faces)) for id, kind in types.items()}
    assert {id: found[id] for id in PRINTED} == PRINTED
    assert {id: values for id, values in found.items() if id not in PRINTED and values} == RECONSTRUCTED


@pytest.mark.rule(NAME, "2.22b", "10.12", "10.21a")
def test_air_fleets_reach_three_or_five_hexes_and_fly_four() -> None:
    fleets = {id: kind.values for id, kind in pack_of(NAME).types.items() if kind.kind == "air_fleet"}
    assert fleets == {"ger_air_fleet_3": {"azoi": 3, "range": 4}, "ger_air_fleet_5": {"azoi": 5, "range": 4}}


# -------------------------------------------------------------------- tables

COMBAT = """
    1:1  3:2  2:1  3:1  4:1  5:1  6:1  7:1  8:1  9:1
    1:2  1:1  3:2  2:1  3:1  4:1  5:1  6:1  7:1  8:1
    1:3  1:2  1:1  3:2  2:1  3:1  4:1  5:1  6:1  7:1
    AE   A2   A2   A1   A1   A1   NE   D1   D1   D2
    AE   A2   A1   A1   A1   NE   D1   D1   D2   D3
    A2   A1   A1   NE   NE   D1   D1   D2   D2   D3
    A2   A1   NE   NE   D1   D1   D2   D2   D3   DE
    A1   NE   D1   D1   D1   D2   D2   D3   D3   DE
    NE   D1   D1   D1   D2   D2   D3   D3   DE   DE
    AE   1/1  1/1  1/1  1/1  1/1  1/1  1/2  1/2  1/3
    AE   2/1  1/-  1/-  1/1  1/1  1/2  1/2  1/3  DE
    2/1  1/-  1/1  1/1  1/1  1/2  1/2  1/3  DE   DE
    1/1  1/1  1/1  1/1  1/2  1/2  1/3  DE   DE   DE
"""


@pytest.mark.rule(NAME, "8.1.3a", "8.1.4a", "8.1.7")
def test_the_combat_results_table_is_the_published_one() -> None:
    table = charts().combat
    rows = [table.headings[ground] for ground in ("major_city", "woods", "clear")] + [table.rolls[str(roll)] for roll in range(1, 11)]
    assert [list(row) for row in rows] == [line.split() for line in COMBAT.strip().splitlines()]


@pytest.mark.rule(NAME, "11.27", "11.28")
def test_every_turn_of_the_first_winter_adds_three_and_every_one_of_the_others_one() -> None:
    found = {turn.number: (turn.winter, turn.combat_modifier) for turn in charts().turns.turn if turn.winter or turn.combat_modifier}
    first, second, third = ((8, 9, 10, 11), (1, 3)), ((22, 23, 24, 25), (2, 1)), ((36, 37, 38, 39), (3, 1))
    assert found == {number: values for numbers, values in (first, second, third) for number in numbers}


@pytest.mark.rule(NAME, "12.21")
def test_production_numbers_are_those_that_were_tried_out() -> None:
    found = {turn.number: turn.production_number for turn in charts().turns.turn if turn.production_number is not None}
    assert found == {5: 2, 7: 4, 9: 7, 11: 9, 12: 9, 14: 10, 19: 11, 21: 13, 23: 16, 25: 17, 26: 17, 28: 18, 33: 19, 35: 20, 37: 22, 39: 24}


MARKERS = """
     1: 6 C* 1-2/1-1, 6 C* 1-3/1-2, 10 C* 2-3/1-2, 8 C* 2-4/1-2, 6 C* 3-4/2-2, 4 C* 3-5/2-3
     1: 2 B* 3-5/2-3, 2 B* 4-5/2-3, 2 A* 3-2/2-1, 2 A* 5-3/3-2
     3: 6 C 3-5/2-3
     5: 6 C 3-5/2-3
     7: 8 C 4-5/2-3
     9: 8 C 4-6/2-4, 3 B 5-6/3-4
    10: 3 B 6-7/3-4
    12: 6 C 5-6/3-4
    17: 6 C 5-7/3-4, 3 B 7-8/4-5
    19: 2 A 7-5/4-3
    20: 4 C 6-8/3-5, 4 C 6-9/3-5, 3 B 8-9/4-5
    21: 2 A 8-6/4-3
    22: 2 B 9-10/5-6
    27: 4 C 7-9/4-5, 4 B 9-11/5-6, 2 A 9-7/5-4
    31: 3 A 11-8/6-4
    32: 4 C 8-10/4-6, 4 B 10-12/5-7
    36: 2 C 9-10/5-6, 3 B 12-13/6-7, 2 A 12-9/6-5
"""


@pytest.mark.rule(NAME, "7.15a", "13.31", "13.32", "16.23a")
def test_strength_markers_come_as_they_were_tried_out_and_of_those_at_the_start_each_bears_a_star() -> None:
    lines = [line.strip().split(": ") for line in MARKERS.strip().splitlines()]
    expected = sorted(f"{turn}: {some}" for turn, kinds in lines for some in kinds.split(", "))
    assert sorted(f"{marker.turn}: {marker.count} {marker.chit}" for marker in charts().mix.marker) == expected


TERRAIN = """
    clear       1 1 0 clear      1 overrun
    forest      1 2 0 woods      1 overrun
    swamp       2 4 0 major_city 2 -
    mountain    3 4 1 woods      1 -
    tundra      1 2 0 clear      2 overrun
    minor_city  1 1 0 clear      1 overrun
    major_city  1 1 0 major_city 1 -
    fortress    1 1 0 major_city 1 -
"""  # on foot, motorized, mountain units (0: as others), row of the combat table, counts in a line of supply


@pytest.mark.rule(NAME, "5.21a", "5.23", "5.25", "6.28b", "8.48", "9.46")
def test_the_terrain_chart_is_the_one_that_was_tried_out() -> None:
    found = [
        f"{row.id} {row.non_motorized} {row.motorized} {row.mountain_units or 0} {row.row} {row.supply} {'overrun' if row.overrun else '-'}"
        for row in charts().terrain.terrain
    ]
    assert found == [" ".join(line.split()) for line in TERRAIN.strip().splitlines()]
    sides = {side.id: (side.non_motorized, side.motorized) for side in charts().terrain.hexside}
    assert sides == {"minor_river": (1, 1), "major_river": (2, 3), "ice_road": (2, 3)}


@pytest.mark.rule(NAME, "9.91a", "9.91b", "9.92")
def test_the_attrition_chart_is_the_one_that_was_tried_out() -> None:
    chart = charts().attrition
    assert chart.nation == {"german": 0, "soviet": 0, "finnish": 1, "rumanian": -1, "italian": -1, "hungarian": -1}
    assert (chart.minor_city, chart.major_city, chart.fortress) == (1, 2, 2)  # these the text prints
    assert (chart.hard_terrain_modifier, chart.hard_terrain) == (-1, ("tundra", "mountain", "swamp"))
    assert (chart.first_winter_axis, chart.first_winter_exempt) == (-1, ("finnish",))
    assert [(row.up_to, row.steps) for row in chart.result] == [(0, 2), (3, 1), (99, 0)]
