"""1.0, 2.0 and what the pack must hold of them: sides, maps, counters, names, the turn record."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from core.board import Hex
from core.pack import Scenario, setting
from core.rulesets import load
from core.rulesets.war_for_the_motherland import economy, retreat_ways, supply, zoc
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.terms import EA_KINDS, has_enemy, is_corps, is_ea, is_german, is_unit, units_at
from core.setting import Setting
from core.trials.table import Table
from core.units import UnitType
from tests.packs import pack_of
from tests.rules.war_for_the_motherland.battles import PANZERS, attack, axis, soviet
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.made_scenarios import made, set_up
from tests.rules.war_for_the_motherland.moving import AXIS_MOVES, left_of, move

NAME = "war_for_the_motherland"
FACTORIES = [
    "AMI",
    "ANA",
    "ARS",
    "BOL",
    "CRB",
    "FLN",
    "FRO",
    "DMF",
    "DNM",
    "FJR",
    "GAZ",
    "GVZ",
    "HAS",
    "IKF",
    "KAZ",
    "KTF",
    "LKF",
    "MAF",
    "MMF",
    "RMI",
    "RPR",
    "SAZ",
    "STF",
    "TAF",
    "TWF",
    "VAF",
    "ZKS",
    "ZMF",
]
FRONTS = ["Bry", "C", "Kal", "Lng", "N", "Ncs", "NW", "Res", "S", "Stg", "Stp", "SW", "Tcs", "Vol", "Vzh", "W"]
COMMANDERS = [
    "Ape",
    "Arn",
    "Ede",
    "Gro",
    "Har",
    "Hol",
    "Lan",
    "Lau",
    "Lgm",
    "Mac",
    "Mkn",
    "Pfe",
    "Pue",
    "Ram",
    "Rau",
    "Rei",
    "San",
    "Sch",
    "Sie",
    "Str",
    "Tri",
    "Wei",
    "Zim",
]


def scenario(id: str) -> Scenario:
    return pack_of(NAME).scenarios[id]


@cache
def campaign() -> Setting:
    return setting(load(NAME), pack_of(NAME), "war_for_the_motherland")


def named(*types: str) -> set[str]:
    """Return the designations that counters of these types bear in the campaign, set up or arriving."""
    whole = scenario("war_for_the_motherland")
    lines = [(line.type, line.name) for line in whole.setup] + [unit for arrival in whole.arrival for unit in arrival.units]
    return {name for type, name in lines if type in types}


def types() -> tuple[UnitType, ...]:
    return tuple(pack_of(NAME).types.values())


# -------------------------------------------------------------------- 1.0, 15.0: sides and scenarios


@pytest.mark.rule(NAME, "1.0b", "2.6a", "2.6b")
def test_every_nation_and_every_counter_is_of_one_of_two_sides() -> None:
    pack = pack_of(NAME)
    assert pack.manifest.sides == ("axis", "soviet")
    sides = {nation.id: nation.side for nation in pack.manifest.nation}
    assert sides == {"german": "axis", "finnish": "axis", "rumanian": "axis", "hungarian": "axis", "italian": "axis", "soviet": "soviet"}
    assert [kind.id for kind in types() if kind.side != sides[kind.nation]] == []


@pytest.mark.rule(NAME, "2.6a")
def test_german_means_german_and_the_luftwaffe() -> None:
    german = {kind.id for kind in types() if is_german(kind)}
    assert {"ger_air_fleet_3", "ger_air_fleet_5", "ger_airbase", "ger_panzer_corps"} <= german
    assert german.isdisjoint(kind.id for kind in types() if kind.id[:3] in ("rum", "ita", "hun", "fin", "sov"))


@pytest.mark.rule(NAME, "2.6b")
def test_strength_markers_are_no_units() -> None:
    chits = set(campaign().charts.markers)
    assert chits
    assert chits.isdisjoint(pack_of(NAME).types)


@pytest.mark.rule(NAME, "1.0d", "15.0", "17.1b", "18.1b", "19.1b")
def test_there_are_four_scenarios_on_their_maps() -> None:
    found = {one.id: (one.rule, one.sections) for one in pack_of(NAME).scenarios.values()}
    assert found == {
        "turning_point": ("16.0", ("E",)),
        "fall_barbarossa": ("17.0", ("C",)),
        "road_to_stalingrad": ("18.0", ("C", "E")),
        "war_for_the_motherland": ("19.0", ("C", "E", "N")),
    }


@pytest.mark.parametrize(
    ("id", "last", "months"),
    [
        pytest.param("fall_barbarossa", 12, "Mar-Apr 1942", marks=pytest.mark.rule(NAME, "17.1a")),
        pytest.param("road_to_stalingrad", 24, "Jan 1943", marks=pytest.mark.rule(NAME, "18.1a")),
        pytest.param("war_for_the_motherland", 40, "Mar-Apr 1944", marks=pytest.mark.rule(NAME, "19.1a")),
    ],
)
def test_how_long_they_last(id: str, last: int, months: str) -> None:
    turns = campaign().charts.turns
    assert (scenario(id).first_turn, turns.of(1).name) == (1, "Jun I 1941")
    assert (scenario(id).last_turn, turns.of(last).name) == (last, months)


@pytest.mark.rule(NAME, "17.2b")
@pytest.mark.parametrize(
    ("id", "maps"), [("fall_barbarossa", "C"), pytest.param("road_to_stalingrad", "CE", marks=pytest.mark.rule(NAME, "18.2"))]
)
def test_what_begins_on_other_maps_is_left_out(id: str, maps: str) -> None:
    def on(letters: str, whole: Scenario) -> Counter[tuple[str, str]]:
        return Counter((line.place, line.type) for line in whole.setup if line.place[1:].isdigit() and line.place[0] in letters)

    assert on("CEN", scenario(id)) == on(maps, scenario("war_for_the_motherland"))


@pytest.mark.rule(NAME, "19.3")
@pytest.mark.parametrize(
    ("id", "last"),
    [
        pytest.param("fall_barbarossa", 12, marks=pytest.mark.rule(NAME, "17.3")),
        pytest.param("road_to_stalingrad", 24, marks=pytest.mark.rule(NAME, "18.3")),
    ],
)
def test_shorter_scenarios_have_the_schedule_of_the_campaign_as_far_as_they_last(id: str, last: int) -> None:
    def arrivals(whole: Scenario) -> set[tuple[int, str, tuple[str, str]]]:
        return {(one.turn, one.side, unit) for one in whole.arrival for unit in one.units if one.turn <= last}

    assert arrivals(scenario(id)) == arrivals(scenario("war_for_the_motherland"))
    assert max(one.turn for one in scenario(id).arrival) <= last < max(one.turn for one in scenario("war_for_the_motherland").arrival)


# -------------------------------------------------------------------- 2.1: maps


@pytest.mark.rule(NAME, "2.1a", "2.5")
def test_every_hex_has_a_number_of_its_own_with_its_maps_letter() -> None:
    labels = campaign().board.labels
    assert len(set(labels)) == len(labels)
    assert {label[0] for label in labels} == {"C", "E", "N"}
    assert all(len(label) == 5 and label[1:].isdigit() for label in labels)
    size = Counter(label[0] for label in labels)
    assert size["C"] > size["E"] > size["N"]


@pytest.mark.rule(NAME, "2.1a")
@pytest.mark.parametrize(
    ("label", "around"),
    [
        ("C3010", {"C3009", "C3011", "C2909", "C2910", "C3109", "C3110"}),  # an even row
        ("C3110", {"C3109", "C3111", "C3010", "C3011", "C3210", "C3211"}),  # an odd one, half a hex farther west
    ],
)
def test_rows_grow_south_and_columns_west(label: str, around: set[str]) -> None:
    board = campaign().board
    here = board.hex(label)
    assert {board.label(there) for there in board.adjacent[here]} == around
    assert board.facts[board.hex("C3009")].x > board.facts[board.hex("C3010")].x
    assert board.facts[board.hex("C3110")].y > board.facts[board.hex("C3010")].y


@pytest.mark.rule(NAME, "2.1b")
def test_joined_maps_are_one_field() -> None:
    board = campaign().board
    seen, rim = {Hex(0)}, [Hex(0)]
    while rim:
        new = [there for there in board.adjacent[rim.pop()] if there not in seen]
        seen.update(new)
        rim += new
    assert len(seen) == board.size
    assert board.hex("E5317") == board.hex("C5301")  # Rostov, in the shared column, has a number on either map
    assert {board.label(there)[0] for there in board.adjacent[board.hex("C5301")]} == {"C", "E"}
    places = {(fact.q, fact.r) for fact in board.facts}
    assert len(places) == board.size


@pytest.mark.rule(NAME, "8.43b")
@pytest.mark.parametrize(("here", "there"), [("C6006", "C6007"), ("C6007", "C6106"), ("C6106", "C6107")])
def test_the_kerch_straits_are_a_major_river(here: str, there: str) -> None:
    table = set_up(made())
    panzers = axis(table, here, 9, 8, like=PANZERS)
    soviet(table, there, 2, 3)
    begin_at(table)
    attack(table, there, [panzers], die=3)
    assert table.explained("defence") == "3 + 3 (8.43)"
    table = set_up(made())
    corps = table.place("ger_infantry_corps", here)
    table.begin(13, AXIS_MOVES)
    before = left_of(table, corps)
    table.order(move(table, corps, to=there))
    assert before - left_of(table, corps) >= 3


def begin_at(table: Table) -> None:
    """Begin the Axis Combat Phase on a real map; a pair far away keeps it from passing by itself."""
    table.place("ger_infantry_corps", "C3010"), table.place("sov_infantry_corps", "C3011")
    table.begin(13, "axis_combat")


# -------------------------------------------------------------------- 2.2 to 2.6: counters


@pytest.mark.rule(NAME, "2.2a", "2.2b", "2.6e", "2.6f")
def test_every_unit_has_values_or_a_class_and_a_nation_a_type_and_a_size() -> None:
    for kind in types():
        assert kind.nation, kind.id
        assert kind.kind, kind.id
        if is_unit(kind):
            assert bool(kind.faces) != bool(kind.cup), kind.id
            assert kind.size in ("XXXXX", "XXXX", "XXX", "XX", "KG", "special"), kind.id
            assert not kind.cup or (kind.side, kind.size, kind.cup in "ABC") == ("soviet", "XXXX", True), kind.id


@pytest.mark.rule(NAME, "2.6e", "4.12b", "4.13")
def test_the_size_of_a_unit_is_what_it_counts_as() -> None:
    stacks = {"XXXX": {"army"}, "XXX": {"corps"}, "XX": {"division"}, "KG": {"kg"}}
    for kind in types():
        if is_unit(kind) and kind.stacking != "free":
            assert {kind.stacking} == stacks[kind.size], kind.id
            assert is_corps(kind) == (kind.stacking == "corps"), kind.id
    sizes = {(kind.side, kind.size) for kind in types() if kind.kind == "headquarters"}
    assert sizes == {("axis", "XXXX"), ("soviet", "XXXXX")}  # armies of Rumania and Finland, Soviet fronts


@pytest.mark.rule(NAME, "2.2a", "2.22a", "2.6f")
@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        ("ger_panzer_corps", "9-8-7"),
        ("rum_infantry_corps", "2-3-3"),
        ("sov_infantry_army", "C-3"),
        ("sov_guard_army", "B-4"),
        ("sov_tank_army", "A-7"),
    ],
)
def test_what_a_counter_shows(new_table: NewTable, kind: str, shown: str) -> None:
    table = new_table()
    unit = table.place(kind, "2010")
    assert table.setting.ruleset.counter(table.view, unit).values == shown


@pytest.mark.rule(NAME, "2.24a", "2.5")
@pytest.mark.parametrize(
    ("kinds", "names"),
    [
        (["ger_panzer_division"], {"GD", "LAH", "DR", "TOT", "WIK", "HS", "FR"}),
        (["sov_marine_corps"], {"BLM", "BSM"}),
        (["sov_mechanized_group"], {"Kem", "Med", "Mur", "One", "Pet"}),
        (["sov_partisan"], {"Kor", "Kov", "Pro", "Nau", "Shu"}),
        (["sov_headquarters"], set(FRONTS)),
        (["sov_siberian_army"], {"Sib"}),
        (["ger_security_division"], {"207", "213", "221", "281", "444", "454", "201", "286", "203", "391"}),
    ],
)
def test_counters_that_the_text_names_all(kinds: list[str], names: set[str]) -> None:
    assert named(*kinds) == names


@pytest.mark.rule(NAME, "2.24a")
def test_counters_that_the_text_names_among_others() -> None:
    assert {"SE", "Kar"} <= named("fin_army")
    assert "Mtn" in named("rum_mountain_corps")
    assert "Zat" in named("sov_airborne_corps")
    assert set(COMMANDERS) <= named("ger_panzer_kg", "ger_infantry_kg", "ger_mountain_kg")


@pytest.mark.rule(NAME, "2.24b", "12.0a", "2.6h")
def test_the_economy_begins_with_28_factories_by_name() -> None:
    table = set_up(campaign())
    standing = [(table.setting.types[unit.type], unit.name) for unit in table.position.on_map() if is_ea(table.setting.types[unit.type])]
    assert sorted(name for kind, name in standing if kind.kind == "factory") == sorted(FACTORIES)
    assert {kind.kind for kind, _ in standing} == EA_KINDS
    assert {kind.side for kind, _ in standing} == {"soviet"}
    assert not table.position.at(table.board.box("destroyed_ea"))


@pytest.mark.rule(NAME, "2.6h")
def test_only_factories_can_be_evacuated(new_table: NewTable) -> None:
    table = new_table(lambda board: board.rail("1601", "1602", "1603", "1604"))
    factory = table.place("sov_factory", "1603")
    others = [table.place(kind.id, "1603") for kind in types() if is_ea(kind) and kind.kind != "factory"]
    assert len(others) == len(EA_KINDS) - 1
    assert economy.evacuation_refusal(table.view, factory) is None
    assert all(economy.evacuation_refusal(table.view, other) is not None for other in others)


@pytest.mark.rule(NAME, "2.6c")
def test_who_is_motorized() -> None:
    boxed = {kind.kind for kind in types() if kind.motorized}
    assert boxed == {"panzer", "airbase", "supply_depot", "headquarters", "tank", "mechanized"}
    assert [kind.id for kind in types() if kind.kind in boxed and not kind.motorized] == []


@pytest.mark.rule(NAME, "2.6d")
def test_the_set_up_code_is_where_a_unit_stands_at_the_start() -> None:
    table = set_up(campaign())
    standing = Counter((table.board.label(unit.place), unit.type, unit.name) for unit in table.position.units.values())
    assert standing == Counter(
        (table.board.label(table.board.place(line.place)), line.type, line.name) for line in campaign().scenario.setup
    )


@pytest.mark.rule(NAME, "2.6g")
@pytest.mark.parametrize(
    ("user", "kind", "at", "fed", "hungry"),
    [
        ("axis", "axis_depot_normal", "2210", "1810", "1710"),  # the depot is four hexes from the source 2610
        ("rumanian", "rum_headquarters", "2610", "2210", "2110"),
        ("finnish", "fin_headquarters", "2610", "2210", "2110"),
        ("soviet", "sov_headquarters", "2610", "2010", "1910"),
    ],
)
def test_supply_ranges(new_table: NewTable, user: str, kind: str, at: str, fed: str, hungry: str) -> None:
    table = new_table(rules={"axis_sources": ["2610"], "soviet_sources": ["2610"]})
    table.place(kind, at)
    found = supply.supplied_from(table.view, user)
    assert (table.hex(fed) in found, table.hex(hungry) in found) == (True, False)


@pytest.mark.rule(NAME, "2.6i")
def test_friend_and_enemy_are_the_two_sides(new_table: NewTable) -> None:
    table = new_table()
    germans, rifles = table.place("ger_infantry_corps", "2010"), table.place("sov_infantry_corps", "2011")
    here, there = table.hex("2010"), table.hex("2011")
    assert (has_enemy(table.view, here, "soviet"), has_enemy(table.view, here, "axis")) == (True, False)
    assert (has_enemy(table.view, there, "axis"), has_enemy(table.view, there, "soviet")) == (True, False)
    assert (units_at(table.view, here, "axis"), units_at(table.view, there, "soviet")) == ((germans,), (rifles,))
    table.place("sov_partisan", "2010")
    assert not has_enemy(table.view, here, "axis")  # a marker is nobody's enemy unit (5.32)


# -------------------------------------------------------------------- 4.0, 10.0, 11.0, 14.0


@pytest.mark.rule(NAME, "4.0")
def test_a_zoc_acts_on_supply_movement_and_retreat(new_table: NewTable) -> None:
    table = new_table()
    table.place("sov_infantry_army", "2010")
    corps = table.place("ger_infantry_corps", "2012")
    here = table.hex("2011")
    assert zoc.in_enemy_zoc(table.view, here, "axis")
    assert here in supply.blocked(table.view, "axis")
    assert retreat_ways.priority(table.view, here, "axis") > retreat_ways.priority(table.view, table.hex("2013"), "axis")
    table.begin(13, AXIS_MOVES)
    assert table.refused(move(table, corps, to="2011 1910")) in ("4.26b", "5.13")


@pytest.mark.rule(NAME, "10.0")
def test_the_axis_begins_with_three_pairs_of_airbase_and_fleet() -> None:
    table = set_up(campaign())
    units = [(table.setting.types[unit.type].kind, unit.name, table.where(unit.id)) for unit in table.position.units.values()]
    bases = {name for kind, name, _ in units if kind == "airbase"}
    assert len(bases) == 3
    assert {name for kind, name, place in units if kind == "air_fleet" and place == "fleets"} == bases


@pytest.mark.rule(NAME, "11.0", "11.11", "11.21")
def test_the_weather_of_all_turns() -> None:
    found = {kind: [turn.number for turn in campaign().charts.turns.turn if turn.weather == kind] for kind in ("mud", "snow", "clear")}
    assert found["mud"] == [7, 12, 21, 26, 35, 40]
    assert found["snow"] == [8, 9, 10, 11, 22, 23, 24, 25, 36, 37, 38, 39]
    assert sum(map(len, found.values())) == 40


@pytest.mark.rule(NAME, "14.0")
def test_germans_exchange_corps_and_kg_and_soviets_rebuild_and_repair_armies() -> None:
    asked = {name: set(decision.orders) for name, decision in RULES.decisions.items()}
    assert {"break_down", "build_up", "exchange_step", "end_organization"} in asked.values()
    assert {"rebuild_army", "incorporate", "end_rebuilding"} in asked.values()


@pytest.mark.rule(NAME, "2.5")
def test_one_die_of_six_and_no_more_counters_than_were_printed() -> None:
    assert campaign().charts.combat.faces == 6
    whole = scenario("war_for_the_motherland")
    markers = sum(marker.count for marker in campaign().charts.mix.marker)
    assert len(whole.setup) + sum(len(one.units) for one in whole.arrival) + markers <= 800
