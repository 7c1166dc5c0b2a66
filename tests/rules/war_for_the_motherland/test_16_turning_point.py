"""16.0: how Turning Point begins."""

from __future__ import annotations

from collections import Counter
from functools import cache

import msgspec
import pytest

from core.errors import BadInput
from core.events import CupFilled
from core.game import Decided, Game, begin
from core.pack import Pack, SetupLine, setting
from core.rulesets import load
from core.rulesets.war_for_the_motherland import scenario_setup, strength_markers
from core.rulesets.war_for_the_motherland.arrivals import NewStrengthMarkers
from core.setting import Setting
from core.trials.table import PlainBoard, ScriptedDice, Table
from core.views import View
from tests.packs import pack_of
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.moments import run

NAME = "war_for_the_motherland"


@cache
def made() -> Setting:
    return setting(load(NAME), pack_of(NAME), "turning_point")


@cache
def start() -> Decided:
    return begin(made(), ScriptedDice())


@pytest.fixture
def view() -> View:
    return View(made(), start().position)


def standing(view: View, side: str) -> dict[str, list[str]]:
    """Return what stands in each hex as the counters show it: ``9-8-7``, ``C-3``."""
    found: dict[str, list[str]] = {}
    for unit in view.position.on_map():
        if view.side(unit.id) == side:
            found.setdefault(view.board.label(unit.place), []).append(view.ruleset.counter(view, unit.id).values)
    return {place: sorted(values) for place, values in found.items()}


@pytest.mark.rule(NAME, "16.21a", "16.21b", "16.21c", "16.2a", "16.2b", "16.32")
def test_axis_set_up(view: View) -> None:
    assert standing(view, "axis") == {
        "E6511": ["2-3-5"],
        "E6407": ["9-8-7"],
        "E6306": ["4-3-8"],
        "E6316": ["4-6-4"],
        "E6211": ["0-1-4"],
        "E6105": ["9-8-7"],
        "E6108": ["0-1-4"],
        "E5815": ["0-1-4"],
        "E5505": ["4-3-8"],
        "E5211": ["0-1-8"],
        "E5216": ["0-1-4"],
        "E5108": ["2-3-3"],
        "E4909": ["2-3-3"],
        "E4810": ["4-3-8"],
        "E4913": ["0-1-4", "0-1-8"],
        "E4709": ["5-7-4"],
        "E4611": ["5-7-4"],
        "E4610": ["4-3-8", "5-7-4"],
        "E4612": ["2-3-3"],
        "E4613": ["2-3-3"],
        "E4614": ["2-3-3"],
        "E4615": ["2-3-3"],
        "E4516": ["4-5-3"],
    }


@pytest.mark.rule(NAME, "16.22a", "16.22b", "16.22c", "16.23a", "16.23b")
def test_soviet_set_up(view: View) -> None:
    infantry = ["6612", "6507", "6406", "6416", "6205", "5405", "4908", "4809", "4609", "4509", "4510", "4511", "4515"]
    expected = {f"E{label}": ["C-3"] for label in infantry} | {f"E{label}": ["0-1-8"] for label in ("6812", "6403", "4806", "4312")}
    expected |= {"E5008": ["0-1-3", "C-3"], "E4512": ["0-1-3", "A-7"], "E4513": ["B-4"], "E4311": ["B-4"]}
    expected["E4708"] = ["3-5-3"]  # the 62nd Army's marker lies on its weaker side
    assert standing(view, "soviet") == expected
    assert len(view.position.chits) == 1


@pytest.mark.rule(NAME, "16.44", "7.15a", "16.23a")
def test_the_cups_hold_what_came_up_to_turn_21_less_the_stars_of_a_and_c_and_the_62nd_armys(view: View) -> None:
    expected: dict[str, dict[str, int]] = {"A": {}, "B": {}, "C": {}}
    for marker in view.charts.mix.marker:
        if marker.turn <= 21 and not (marker.star and marker.cls in "AC"):
            expected[marker.cls][marker.chit] = expected[marker.cls].get(marker.chit, 0) + marker.count
    expected["C"]["C 6-9/3-5"] -= 1
    assert view.position.cups == {cup: {chit: n for chit, n in chits.items() if n} for cup, chits in expected.items()}
    assert any("*" in chit for chit in view.position.cups["B"])
    held = sum((Counter(chits) for chits in view.position.cups.values()), Counter(view.position.chits.values()))
    assert +strength_markers.received(view) == held


@pytest.mark.rule(NAME, "16.31b", "13.32")
def test_the_markers_of_turn_22_come_in_its_supply_phase(on_map: Table) -> None:
    happened = run(on_map, 22, NewStrengthMarkers(), phase="mutual_supply")
    assert [event for event in happened if isinstance(event, CupFilled)]
    assert on_map.position.cups == {"B": {"B 9-10/5-6": 2}}


@pytest.mark.rule(NAME, "16.31a")
def test_who_comes_on_which_turn(view: View) -> None:
    coming = {(one.turn, one.side): [(kind, name) for kind, name in one.units] for one in view.setting.scenario.arrival}
    assert coming[23, "axis"] == [("ger_panzer_corps", "57"), ("ger_infantry_kg", "b")]
    assert coming[24, "axis"] == [("ger_infantry_kg", "c")]
    assert coming[23, "soviet"] == [("sov_guard_army", "2"), ("sov_shock_army", "5")]
    assert len(coming) == len(view.setting.scenario.arrival) == 3


@pytest.mark.rule(NAME, "16.1a", "16.1b", "16.43")
def test_length_and_map(view: View) -> None:
    scenario = view.setting.scenario
    assert (scenario.first_turn, scenario.last_turn) == (22, 24)
    assert view.position.turn == 22
    assert {label[:1] for label in view.board.labels} == {"E"}
    assert min(label[1:3] for label in view.board.labels) == "43"


@pytest.mark.rule(NAME, "5.71b")
def test_control_at_the_start_goes_by_who_stands_there_then_by_country(view: View) -> None:
    holders = {view.board.label(here): side for here, side in view.position.control.items()}
    assert holders["E4708"] == "soviet"  # Stalingrad
    assert set(holders.values()) <= {"axis", "soviet"}


@pytest.mark.rule(NAME, "5.71b", "16.42a")
@pytest.mark.parametrize(("taken", "holder"), [(["2010"], "axis"), ([], "soviet")])
def test_an_empty_city_that_fell_before_the_first_turn_is_its_conquerors(new_table: NewTable, taken: list[str], holder: str) -> None:
    table = new_table(lambda board: board.hex("2010", city="major", country="soviet"), rules={"axis_control": taken})
    for event in scenario_setup.give_control(Game(table.setting, table.position, ScriptedDice())):
        table.happen(event)
    assert table.position.control == {table.hex("2010"): holder}


@pytest.mark.rule(NAME, "5.71a", "5.71b")
@pytest.mark.parametrize(
    ("country", "holder"),
    [(home, "axis") for home in ("germany", "finland", "poland", "hungary", "rumania")] + [("soviet", "soviet"), ("turkey", "soviet")],
)
def test_an_empty_city_is_held_by_its_country(new_table: NewTable, country: str, holder: str) -> None:
    def coast(board: PlainBoard) -> None:
        board.hex("2010", city="major", country=country)
        board.hex("2012", port="black_sea", country=country)
        board.hex("2014", city="minor", country=country)

    table = new_table(coast)
    for event in scenario_setup.give_control(Game(table.setting, table.position, ScriptedDice())):
        table.happen(event)
    assert table.position.control == {table.hex("2010"): holder, table.hex("2012"): holder}


@pytest.mark.rule(NAME, "16.45", "3.0a")
def test_the_axis_has_no_movement_and_no_combat_on_turn_22(view: View) -> None:
    names = [phase for phase, _ in made().ruleset.phases(view)]
    assert names == ["mutual_supply", "soviet_combat", "soviet_movement", "german_mechanized_movement", "administrative"]


@pytest.mark.rule(NAME, "16.42a", "16.42b", "16.41a", "16.41b")
def test_the_scenarios_own_rules(view: View) -> None:
    rules = view.setting.scenario.rules
    assert rules["axis_sources"] == ["E4717", "E5317"]
    assert rules["soviet_sources"] == ["E4312", "E4309", "E4304", "E6401", "E7005"]
    assert (rules["sea_movement"], rules["osg_production"]) == (False, False)


# -------------------------------------------------------------------- faulty scenarios


def faults(change: object) -> list[str]:
    """Return what is found in Turning Point with some of its fields changed."""
    pack = Pack(pack_of(NAME).files)
    assert isinstance(change, dict)
    pack.scenarios["turning_point"] = msgspec.structs.replace(pack.scenarios["turning_point"], **change)
    try:
        load(NAME).check_scenario(pack, pack.scenarios["turning_point"])
    except BadInput as error:
        return [str(fault) for fault in error.faults]
    return []


def test_turning_point_has_no_fault() -> None:
    assert faults({}) == []


def test_all_faults_of_a_scenario_are_told_at_once() -> None:
    scenario = pack_of(NAME).scenarios["turning_point"]
    rules = {
        **scenario.rules,
        "axis_sources": [],
        "soviet_sources": ["E9999"],
        "preset_markers": [["sov_infantry_army", "63", "C 6-9/3-5", 1]],
        "victory": {"axis_wins": 50, "draw_from": 60},
    }
    setup = (*scenario.setup, SetupLine("E1234", "ger_panzer_corps", "99"))
    arrival = tuple(msgspec.structs.replace(one, turn=22 if one.side == "axis" else 30) for one in scenario.arrival)
    found = faults({"rules": rules, "setup": setup, "arrival": arrival})
    assert len(found) == 8
    assert all(fault.startswith("scenarios/turning_point.toml:") for fault in found)
    told = "\n".join(found)
    assert "E1234" in told
    assert "E9999" in told
    assert "a turn from 22 to 24, got 30" in told
    assert "movement phase is played, got 22" in told


@pytest.mark.parametrize("victory", [{}, {"axis_wins": "many"}, {"levels": [["axis", "Axis", 5]]}, {"mood": 1}])
def test_victory_conditions_that_make_no_ladder(victory: dict[str, object]) -> None:
    rules = {**pack_of(NAME).scenarios["turning_point"].rules, "victory": victory}
    assert len(faults({"rules": rules})) == 1
