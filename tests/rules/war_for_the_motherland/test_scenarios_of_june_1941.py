"""17.0, 18.0, 19.0: how the three scenarios of June 1941 begin, and what ends them."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import pytest

from core import bots
from core.board import Hex
from core.events import TrackSet
from core.fold import fold
from core.match import ServerDice, new_server_match
from core.pack import setting
from core.rulesets import load
from core.rulesets.war_for_the_motherland import first_turn, stacking, supply, victory
from core.rulesets.war_for_the_motherland.economy import on_map_of
from core.rulesets.war_for_the_motherland.terms import AXIS, EA_KINDS, FROZEN, MARKERS, SOVIET
from core.views import View
from tests.packs import pack_of

NAME = "war_for_the_motherland"
SHORT, MEDIUM, CAMPAIGN = "fall_barbarossa", "road_to_stalingrad", "war_for_the_motherland"
SCENARIOS = (SHORT, MEDIUM, CAMPAIGN)


@cache
def begun(scenario: str) -> ServerDice:
    return new_server_match(setting(load(NAME), pack_of(NAME), scenario), game="g", seed=bytes(32), clock=lambda: 0)


@cache
def start(scenario: str) -> View:
    return begun(scenario).match.view


@pytest.mark.parametrize(
    ("scenario", "sections", "turns"),
    [
        pytest.param(SHORT, "C", 12, marks=pytest.mark.rule(NAME, "17.1a", "17.1b", "17.2a", "17.2b")),
        pytest.param(MEDIUM, "CE", 24, marks=pytest.mark.rule(NAME, "18.1a", "18.1b", "18.2")),
        pytest.param(CAMPAIGN, "CEN", 40, marks=pytest.mark.rule(NAME, "19.1a", "19.1b", "19.2")),
    ],
)
def test_a_scenario_has_its_maps_and_turns(scenario: str, sections: str, turns: int) -> None:
    found = start(scenario).setting.scenario
    assert ("".join(found.sections), found.first_turn, found.last_turn) == (sections, 1, turns)
    places = {line.place[0] for line in found.setup if line.place[1:].isdigit()}
    assert places == set(sections)


@pytest.mark.parametrize("scenario", [*SCENARIOS, "turning_point"])
def test_everybody_stands_on_land_and_nobody_with_the_enemy(scenario: str) -> None:
    view = start(scenario)
    sides: dict[int, set[str]] = {}
    for unit in view.position.on_map():
        assert view.board.terrain(Hex(unit.place)) not in ("sea", "lake"), view.name(unit.id)
        sides.setdefault(unit.place, set()).add(view.side(unit.id))
    assert [view.board.label(place) for place, some in sides.items() if len(some) > 1] == []


@pytest.mark.parametrize("scenario", [*SCENARIOS, "turning_point"])
def test_no_hex_is_overstacked(scenario: str) -> None:
    view = start(scenario)
    for here in view.position.occupied():
        assert not any(stacking.excess(view, here, side) for side in (AXIS, SOVIET)), view.board.name(here)
        assert not any(stacking.closed_to_nation(view, unit, here) for unit in view.position.at(here)), view.board.name(here)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_everybody_begins_in_supply(scenario: str) -> None:
    view = start(scenario)
    states = {view.name(unit): supply.judge(view, unit) for unit in supply.judged(view)}
    assert {name: state for name, state in states.items() if state != "supplied"} == {}


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_nobody_has_crossed_the_border(scenario: str) -> None:
    view = start(scenario)
    abroad = [
        view.name(unit.id)
        for unit in view.position.on_map()
        if (view.side(unit.id) == SOVIET) != (view.board.facts[Hex(unit.place)].country == "soviet")
    ]
    assert abroad == []


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_sources_lie_on_railways(scenario: str) -> None:
    view = start(scenario)
    rules = view.setting.scenario.rules
    labels = {label for key in ("axis_sources", "soviet_sources") for label in rules[key]}
    assert {label for label in labels if not _has_rail(view, view.board.hex(label))} <= {"N1032"}  # the Arctic road, printed in 19.44


def _has_rail(view: View, here: Hex) -> bool:
    return any(view.board.side_has(here, there, "rail") for there in view.board.adjacent[here])


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_source_feeds_and_headquarters_live_on_their_own_railways(scenario: str) -> None:
    view = start(scenario)
    for user in supply.USERS:
        assert len(supply.sources(view, user)) == len(supply._printed_sources(view, user)), user
    for unit in on_map_of(view, "headquarters"):
        assert supply.can_trace(view, unit), view.name(unit)


@pytest.mark.parametrize(
    ("scenario", "rule"),
    [
        pytest.param(SHORT, "17.42a", marks=pytest.mark.rule(NAME, "17.42a")),
        pytest.param(MEDIUM, "18.42", marks=pytest.mark.rule(NAME, "18.42")),
        pytest.param(CAMPAIGN, "19.42", marks=pytest.mark.rule(NAME, "19.42")),
    ],
)
def test_those_in_finland_and_rumania_are_frozen_and_no_others(scenario: str, rule: str) -> None:
    del rule
    view = start(scenario)
    bound = {view.name(unit) for unit in view.position.marked(FROZEN)}
    nations = Counter(view.type(unit).nation for unit in view.position.marked(FROZEN))
    assert {"11. Corps", "30. Corps", "54. Corps"} <= bound
    assert nations["soviet"] == 0
    for unit in view.position.on_map():
        if view.type(unit.id).nation in ("finnish", "rumanian"):
            assert view.name(unit.id) in bound
    assert ("36. Corps" in bound) == (scenario == CAMPAIGN)


@pytest.mark.parametrize(
    "scenario",
    [
        pytest.param(SHORT, marks=pytest.mark.rule(NAME, "17.41")),
        pytest.param(MEDIUM, marks=pytest.mark.rule(NAME, "18.41")),
        pytest.param(CAMPAIGN, marks=pytest.mark.rule(NAME, "19.41")),
    ],
)
def test_germans_and_no_others_ignore_rivers_on_the_first_turn_and_on_no_other(scenario: str) -> None:
    view = start(scenario)
    ignore = {kind.nation for kind in view.types.values() if first_turn.ignores_rivers(view, kind)}
    assert (view.position.turn, ignore) == (1, {"german"})
    position = view.position.copy()
    fold(position, TrackSet("turn", 2))
    later = View(view.setting, position)
    assert not any(first_turn.ignores_rivers(later, kind) for kind in view.types.values())


FACTORIES = (
    "AMI ANA ARS BOL CRB FLN FRO DMF DNM FJR GAZ GVZ HAS IKF KAZ KTF LKF MAF MMF RMI RPR SAZ STF TAF TWF VAF ZKS ZMF"
)


@pytest.mark.rule(NAME, "7.15a", "13.32")
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_what_is_in_the_cups_at_the_start_does_not_come_again_on_the_first_turn(scenario: str) -> None:
    keeper = new_server_match(start(scenario).setting, game="g", seed=bytes(32), clock=lambda: 0)
    expected = Counter({marker.chit: marker.count for marker in keeper.match.view.charts.mix.marker if marker.turn == 1})
    assert held_in_cups(keeper.match.view) == expected
    while keeper.match.view.position.phase == "mutual_supply":
        view = keeper.match.view
        keeper.order(view.side_to_act(), bots.load("random")(view, random.Random(1)))
    assert held_in_cups(keeper.match.view) == expected


def held_in_cups(view: View) -> Counter[str]:
    return sum((Counter(chits) for chits in view.position.cups.values()), Counter())


@pytest.mark.rule(NAME, "12.0a", "2.24b")
def test_the_soviet_union_has_46_economic_assets_of_six_kinds() -> None:
    view = start(CAMPAIGN)
    count = {kind: len(on_map_of(view, kind)) for kind in sorted(EA_KINDS)}
    assert count == {"coal_field": 3, "factory": 28, "mineral_deposit": 5, "oil_field": 3, "oil_pipeline": 5, "strategic_port": 2}
    assert {view.board.label(view.unit(unit).place) for unit in on_map_of(view, "strategic_port")} == {"N1327", "N2718"}  # 12.42
    assert {view.unit(unit).name for unit in on_map_of(view, "factory")} == set(FACTORIES.split())


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_factory_stands_in_a_city_and_can_be_evacuated(scenario: str) -> None:
    view = start(scenario)
    for unit in on_map_of(view, "factory"):
        here = Hex(view.unit(unit).place)
        assert view.board.facts[here].city, view.name(unit)
        assert supply.rail_to_source(view, here, SOVIET), view.name(unit)  # 12.33


@pytest.mark.rule(NAME, "10.0")
def test_three_airbases_have_their_fleets() -> None:
    view = start(SHORT)
    assert [view.unit(unit).name for unit in on_map_of(view, "airbase")] == ["1", "2", "4"]
    fleets = [view.unit(unit).name for unit in view.position.at(view.board.box("fleets"))]
    assert sorted(fleets) == ["1", "2", "4"]


@pytest.mark.parametrize(("scenario", "last"), [(SHORT, 12), (MEDIUM, 24), (CAMPAIGN, 40)])
@pytest.mark.rule(NAME, "17.3", "18.3", "19.3")
def test_arrivals_are_those_of_the_scenario_s_turns(scenario: str, last: int) -> None:
    arrivals = start(scenario).setting.scenario.arrival
    whole = [arrival for arrival in start(CAMPAIGN).setting.scenario.arrival if arrival.turn <= last]
    assert {(a.turn, a.side) for a in arrivals} == {(a.turn, a.side) for a in whole}
    assert max(arrival.turn for arrival in arrivals) == last


def test_the_campaign_has_two_airborne_corps_five_partisans_and_one_italian_army() -> None:
    count = Counter(kind for arrival in start(CAMPAIGN).setting.scenario.arrival for kind, _ in arrival.units)
    assert (count["sov_airborne_corps"], count["sov_partisan"], count["ita_army"], count["ger_security_division"]) == (2, 5, 1, 10)


@pytest.mark.parametrize(
    ("scenario", "points", "result"),
    [
        pytest.param(scenario, points, result, marks=pytest.mark.rule(NAME, rule))
        for scenario, rule, bounds in (
            (SHORT, "17.54", (190, 210, 230, 250, 270, 290)),
            (MEDIUM, "18.54", (220, 240, 260, 280, 300, 320)),
            (CAMPAIGN, "19.53", (450, 480, 510, 530, 560, 590)),
        )
        for points, result in zip(
            (*bounds, bounds[-1] + 1),
            (
                "Soviet Strategic", "Soviet Operational", "Soviet Tactical", "Draw",
                "Axis Tactical", "Axis Operational", "Axis Strategic",
            ),
            strict=True,
        )
    ],
)  # fmt: skip
def test_levels_end_where_the_chart_says(scenario: str, points: int, result: str) -> None:
    conditions = victory.conditions(start(scenario))
    assert victory.level_of(conditions, points).result == result
    assert victory.level_of(conditions, points + 1).result != result or result == "Axis Strategic"


@pytest.mark.rule(NAME, "17.52", "19.52a", "19.52b", "19.52c", "19.52d")
def test_cities_are_worth_what_the_lists_say() -> None:
    short, campaign = (_by_worth(scenario) for scenario in (SHORT, CAMPAIGN))
    assert short == {30: {"Moscow"}, 20: {"Stalino", "Leningrad"}, 15: {"Sevastopol", "Rostov", "Voronezh", "Kharkov", "Odessa"}}
    assert campaign == {
        50: {"Warsaw", "Moscow"},
        40: {"Konigsberg", "Bucharest", "Ploesti"},
        30: {"Leningrad", "Sevastopol"},
        20: {"Kharkov", "Stalino", "Voronezh"},
        15: {"Rostov", "Kiev", "Odessa", "Lublin", "Riga", "Smolensk"},
        10: {"Vilna", "Minsk", "Lvov", "Vinnitsa", "Proskurov", "Kishinev", "Brest-Litovsk"},
    }


def _by_worth(scenario: str) -> dict[int, set[str]]:
    found: dict[int, set[str]] = {}
    board = start(scenario).board
    for label, points in victory.conditions(start(scenario)).cities.items():
        found.setdefault(points, set()).add(board.facts[board.hex(label)].name)
    return found


@pytest.mark.rule(NAME, "18.52")
def test_destroyed_assets_are_worth_points_in_the_medium_scenario_only() -> None:
    assert victory.conditions(start(MEDIUM)).assets == {"oil_field": 10, "oil_pipeline": 8, "other": 5}
    assert victory.conditions(start(SHORT)).assets == victory.conditions(start(CAMPAIGN)).assets == {}


def test_the_axis_begins_fall_barbarossa_with_an_army_of_the_size_that_its_levels_ask_for() -> None:
    assert 240 <= victory.score(start(SHORT))[AXIS] <= 290


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_bots_play_into_the_second_turn(scenario: str) -> None:
    keeper = new_server_match(setting(load(NAME), pack_of(NAME), scenario), game="g", seed=bytes(32), clock=lambda: 0)
    choose, rng = bots.load("busy"), random.Random(scenario)
    for _ in range(1_000):
        view = keeper.match.view
        if view.position.turn == 2:
            break
        keeper.order(view.side_to_act(), choose(view, rng))
    assert keeper.match.view.position.turn == 2
    assert not keeper.match.view.position.marked(FROZEN)
    assert all(unit.type in view.types for unit in keeper.match.view.position.units.values())
    assert any(view.types[unit.type].kind not in MARKERS for unit in keeper.match.view.position.on_map())
