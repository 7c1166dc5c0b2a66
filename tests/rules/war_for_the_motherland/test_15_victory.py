"""15.0, 16.5 and the ladders of the other scenarios: points, supply, cities, levels."""

from __future__ import annotations

import msgspec
import pytest

from core.board import Hex
from core.events import ControlChanged, Explained, FramePopped, FramePushed, GameEnded, PlaceMarked
from core.game import Game, begin, run_steps
from core.pack import setting
from core.rulesets import load
from core.rulesets.war_for_the_motherland import supply, victory
from core.rulesets.war_for_the_motherland.sequence import BeginPhase
from core.rulesets.war_for_the_motherland.terms import AXIS
from core.rulesets.war_for_the_motherland.victory import Conditions, level_of
from core.trials.table import PlainBoard, ScriptedDice, Table
from core.views import View
from tests.packs import pack_of
from tests.rules.war_for_the_motherland.conftest import NewTable

NAME = "war_for_the_motherland"
FED, HUNGRY = "2520", "2010"  # near the Axis source 2620, and far from it


def points(table: Table) -> int:
    return table.setting.ruleset.score(table.view)[AXIS]


def parts(table: Table) -> dict[str, int]:
    """Return what each line of the count comes to."""
    return {line.key: int(line.value) for line in victory.explain(table.view).lines}


# -------------------------------------------------------------------- army points


@pytest.mark.rule(NAME, "15.21a", "20.36")
@pytest.mark.parametrize(
    ("kind", "steps", "worth"),
    [
        ("ger_airbase", 1, 4),
        ("axis_depot_normal", 1, 2),
        ("axis_depot_extended", 1, 2),
        ("ger_panzer_corps", 4, 8),
        ("ger_panzer_corps", 3, 6),
        ("ger_panzer_kg", 1, 2),
        ("ger_panzer_division", 2, 4),
        ("ger_infantry_corps", 4, 4),
        ("ger_infantry_kg", 2, 2),
        ("ger_mountain_corps", 3, 3),
        ("ita_army", 2, 2),
        ("ger_siege_artillery", 1, 1),
        ("ger_security_division", 1, 1),
        ("sov_infantry_army", 2, 0),
        ("ger_air_fleet_5", 1, 0),
    ],
)
def test_what_a_supplied_unit_is_worth(new_table: NewTable, kind: str, steps: int, worth: int) -> None:
    table = new_table()
    table.place(kind, FED, steps=steps)
    assert points(table) == worth
    told = [(str(part.text), part.value) for line in victory.explain(table.view).lines if line.key == "army" for part in line.parts]
    assert len(told) == (1 if worth else 0)


@pytest.mark.rule(NAME, "15.21a")
def test_an_axis_headquarters_on_its_railroad_is_worth_one(new_table: NewTable) -> None:
    table = new_table(lambda board: board.rail("2620", "2619", "2618"))
    table.place("rum_headquarters", "2618")
    assert points(table) == 1


@pytest.mark.rule(NAME, "15.22a", "15.22b")
def test_units_without_supply_count_nothing_and_a_depot_always(new_table: NewTable) -> None:
    table = new_table()
    for _ in range(2):
        table.place("ger_infantry_corps", HUNGRY)
    table.place("ger_panzer_corps", HUNGRY)
    table.place("axis_depot_normal", "2011")  # not linked: to expend it is no order of the end
    assert points(table) == 2


@pytest.mark.rule(NAME, "15.22a")
@pytest.mark.parametrize(("label", "worth"), [("2616", 4), ("2615", 0), ("2612", 0)])
def test_a_line_that_is_too_long_counts_nothing_though_nobody_is_isolated(new_table: NewTable, label: str, worth: int) -> None:
    table = new_table()
    table.place("ger_infantry_corps", label)
    assert points(table) == worth


@pytest.mark.rule(NAME, "15.22a")
def test_supply_is_judged_afresh_and_not_by_this_turns_marks(new_table: NewTable) -> None:
    table = new_table()
    table.place("ger_infantry_corps", FED, out_of_supply=1)
    assert points(table) == 4


@pytest.mark.rule(NAME, "15.22a")
def test_air_supply_does_not_count_at_the_end(new_table: NewTable) -> None:
    table = new_table()
    table.place("ger_infantry_corps", HUNGRY)
    table.place("ger_air_fleet_5", HUNGRY)
    assert points(table) == 0


@pytest.mark.rule(NAME, "15.21b")
@pytest.mark.parametrize("box", ["track", "arrivals", "broken_down", "out"])
def test_only_units_on_the_map_count(new_table: NewTable, box: str) -> None:
    table = new_table()
    table.place("ger_panzer_corps", box)
    assert points(table) == 0


@pytest.mark.rule(NAME, "15.21a", "16.51", "16.21a", "16.21b", "16.21c")
def test_turning_points_set_up_is_worth_71(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supply, "judge", lambda view, unit, air: "supplied")
    made = setting(load(NAME), pack_of(NAME), "turning_point")
    start = begin(made, ScriptedDice())
    assert made.ruleset.score(View(made, start.position)) == {AXIS: 71}


# -------------------------------------------------------------------- cities


def cities(board: PlainBoard) -> None:
    board.hex("2610", city="major", name="Kiev")
    board.hex("1603", city="major", name="Moscow")


@pytest.fixture
def towns(new_table: NewTable) -> Table:
    """Axis source 2620; Kiev in 2610 counts 15, Moscow in 1603 counts 50."""
    rules = {"victory": {"army_points": False, "cities": {"2610": 15, "1603": 50}, "levels": [["", "Draw", 0]]}}
    table = new_table(cities, rules=rules)
    table.happen(ControlChanged(table.hex("2610"), "axis"), ControlChanged(table.hex("1603"), "soviet"))
    return table


@pytest.mark.rule(NAME, "15.11", "15.12", "15.13a")
def test_an_empty_city_that_the_axis_holds_counts_with_a_path_of_any_length(towns: Table) -> None:
    assert points(towns) == 15
    towns.happen(ControlChanged(towns.hex("1603"), "axis"))
    assert points(towns) == 65
    assert parts(towns) == {"cities": 65}


@pytest.mark.rule(NAME, "15.13a", "15.13b")
def test_a_city_behind_soviet_zoc_counts_only_if_an_axis_unit_opens_the_way(towns: Table) -> None:
    for row in range(16, 27, 3):
        towns.place("sov_infantry_army", f"{row}15")  # a wall of ZOC from north to south
    towns.place("sov_infantry_army", "2615")
    assert points(towns) == 0
    for label in ("2416", "2415", "2414", "2316", "2317"):
        towns.place("ger_infantry_corps", label)
    wall = {towns.board.label(here) for here in supply.blocked(towns.view, AXIS)}
    assert wall
    assert points(towns) == 15


@pytest.mark.rule(NAME, "15.13b")
@pytest.mark.parametrize(("at", "counts"), [("2610", True), ("2611", False)])
def test_a_path_begins_in_a_city_under_soviet_zoc_but_enters_no_such_hex(new_table: NewTable, at: str, counts: bool) -> None:
    table = causeway_to_kiev(new_table)
    table.place("sov_infantry_army", {"2610": "2609", "2611": "2511"}[at])
    assert table.hex(at) in supply.blocked(table.view, AXIS)
    assert points(table) == (15 if counts else 0)


@pytest.mark.rule(NAME, "15.13b")
@pytest.mark.parametrize(
    ("kind", "counts"),
    [("sov_headquarters", False), ("sov_osg", False), ("sov_factory", False), ("sov_partisan", True), ("ger_infantry_corps", True)],
)
def test_a_path_passes_no_soviet_unit_with_or_without_a_zoc(new_table: NewTable, kind: str, counts: bool) -> None:
    table = causeway_to_kiev(new_table)
    table.place(kind, "2613")
    assert points(table) == (15 if counts else 0)


def causeway_to_kiev(new_table: NewTable) -> Table:
    """Kiev in 2610, held by the Axis, and one road to the source in 2620 between two seas: row 26; land in row 25 by the city alone."""

    def shore(board: PlainBoard) -> None:
        cities(board)
        for label in list(board.facts):
            if label[:2] != "26" and label not in ("2511", "2512"):
                board.hex(label, terrain="sea")

    rules = {"victory": {"army_points": False, "cities": {"2610": 15}, "levels": [["", "Draw", 0]]}}
    table = new_table(shore, rules=rules)
    table.happen(ControlChanged(table.hex("2610"), "axis"))
    return table


@pytest.mark.rule(NAME, "15.13b")
@pytest.mark.parametrize(("kind", "counts"), [("lake", False), ("ice_road", False), ("causeway", True), ("major_river", True)])
def test_no_path_crosses_a_lake_frozen_or_not(new_table: NewTable, kind: str, counts: bool) -> None:
    def shore(board: PlainBoard) -> None:
        cities(board)
        for label in list(board.facts):
            if label not in ("2610", "2611", "2620"):
                board.hex(label, terrain="sea")
        for label in ("2612", "2613", "2614", "2615", "2616", "2617", "2618", "2619"):
            board.hex(label, terrain="clear")
        board.side("2614", "2615", kind)

    rules = {"victory": {"army_points": False, "cities": {"2610": 15}, "levels": [["", "Draw", 0]]}}
    table = new_table(shore, rules=rules)
    table.happen(ControlChanged(table.hex("2610"), "axis"))
    assert points(table) == (15 if counts else 0)


BARBAROSSA = {
    "Moscow (C2706)": 30, "Stalino (C5104)": 20, "Leningrad (C1418)": 20, "Sevastopol (C6313)": 15, "Rostov (C5301)": 15,
    "Voronezh (C3902)": 15, "Kharkov (C4508)": 15, "Odessa (C5718)": 15,
}  # fmt: skip
CAMPAIGN = {
    "Warsaw (C3634)": 50, "Moscow (C2706)": 50, "Konigsberg (C2933)": 40, "Bucharest (C6327)": 40, "Ploesti (C6127)": 40,
    "Leningrad (C1418)": 30, "Sevastopol (C6313)": 30, "Kharkov (C4508)": 20, "Stalino (C5104)": 20, "Voronezh (C3902)": 20,
    "Rostov (C5301)": 15, "Kiev (C4419)": 15, "Odessa (C5718)": 15, "Lublin (C4032)": 15, "Riga (C2227)": 15, "Smolensk (C3015)": 15,
    "Vilna (C3026)": 10, "Minsk (C3322)": 10, "Lvov (C4529)": 10, "Vinnitsa (C4822)": 10, "Proskurov (C4725)": 10, "Kishinev (C5522)": 10,
    "Brest-Litovsk (C3729)": 10,
}  # fmt: skip


@pytest.mark.parametrize(
    ("scenario", "worth"),
    [
        pytest.param("fall_barbarossa", BARBAROSSA, marks=pytest.mark.rule(NAME, "17.51", "17.52")),
        pytest.param("war_for_the_motherland", CAMPAIGN, marks=pytest.mark.rule(NAME, "19.51", "19.52a", "19.52b", "19.52c", "19.52d")),
    ],
)
def test_the_cities_that_count_on_the_map(scenario: str, worth: dict[str, int]) -> None:
    table = Table(load(NAME), pack_of(NAME), scenario)
    for index in range(table.board.size):
        table.happen(ControlChanged(Hex(index), "axis"))
    lines = {line.key: {str(part.text): int(part.value) for part in line.parts} for line in victory.explain(table.view).lines}
    assert lines == {"army": {}, "cities": worth}
    for index in range(table.board.size):
        table.happen(ControlChanged(Hex(index), "soviet"))
    assert points(table) == 0


# -------------------------------------------------------------------- economic assets


@pytest.mark.rule(NAME, "18.52", "18.51")
def test_destroyed_assets_count_by_kind_and_evacuated_ones_do_not(new_table: NewTable) -> None:
    table = new_table(rules={"victory": dict(pack_of(NAME).scenarios["road_to_stalingrad"].rules["victory"])})
    one_each = [("sov_coal_field", 1), ("sov_mineral_deposit", 1), ("sov_strategic_port", 1), ("sov_factory", 2)]
    for kind, count in (("sov_oil_field", 1), ("sov_oil_pipeline", 1), *one_each):
        for _ in range(count):
            table.place(kind, "destroyed_ea")
    table.place("sov_factory", "evacuated_factories")
    table.place("sov_factory", HUNGRY)
    table.place("ger_infantry_corps", FED)
    assert parts(table) == {"army": 4, "assets": 43}


# -------------------------------------------------------------------- levels

LEVELS = ("Soviet Strategic", "Soviet Operational", "Soviet Tactical", "Draw", "Axis Tactical", "Axis Operational", "Axis Strategic")
WINNERS = ("soviet", "soviet", "soviet", "", "axis", "axis", "axis")


def conditions_of(scenario: str) -> Conditions:
    return msgspec.convert(pack_of(NAME).scenarios[scenario].rules["victory"], Conditions)


@pytest.mark.rule(NAME, "16.52")
@pytest.mark.parametrize(("total", "winner"), [(0, "soviet"), (50, "soviet"), (51, ""), (57, ""), (58, "axis"), (99, "axis")])
def test_turning_points_thresholds(on_map: Table, total: int, winner: str) -> None:
    assert level_of(victory.conditions(on_map.view), total).winner == winner


@pytest.mark.parametrize(
    ("scenario", "least"),
    [
        pytest.param("fall_barbarossa", (191, 211, 231, 251, 271, 291), marks=pytest.mark.rule(NAME, "17.54")),
        pytest.param("road_to_stalingrad", (221, 241, 261, 281, 301, 321), marks=pytest.mark.rule(NAME, "18.54")),
        pytest.param("war_for_the_motherland", (451, 481, 511, 531, 561, 591), marks=pytest.mark.rule(NAME, "19.53")),
    ],
)
def test_ladders_of_levels(scenario: str, least: tuple[int, ...]) -> None:
    chosen = conditions_of(scenario)
    for i, n in enumerate(least):
        below, reached = level_of(chosen, n - 1), level_of(chosen, n)
        assert (below.winner, below.result) == (WINNERS[i], LEVELS[i])
        assert (reached.winner, reached.result) == (WINNERS[i + 1], LEVELS[i + 1])
    assert level_of(chosen, 0).result == LEVELS[0]
    assert level_of(chosen, 2000).result == LEVELS[-1]


# -------------------------------------------------------------------- the end


@pytest.mark.rule(NAME, "3.0.7k", "16.51", "16.1a", "1.0c")
def test_after_the_last_turn_the_game_is_judged(new_table: NewTable) -> None:
    table = new_table()
    for _ in range(7):
        table.place("ger_panzer_corps", FED)
    table.place("axis_depot_extended", FED)
    game = Game(table.setting, table.position, ScriptedDice(), derived=table.view.derived)
    game.apply(FramePushed(BeginPhase(turn=24, index=7).frame()))
    happened: list[object] = []
    run_steps(game, happened)  # type: ignore[arg-type]
    ended = happened[-1]
    assert isinstance(ended, GameEnded)
    told = happened[-2]
    assert isinstance(told, Explained)
    assert (told.subject, [(line.key, line.value) for line in told.lines]) == ("victory", [("army", "58")])
    assert (ended.outcome.winner, ended.outcome.result, ended.outcome.score) == ("axis", "Axis victory", {AXIS: 58})
    assert not table.position.frames


@pytest.mark.rule(NAME, "3.0.7k", "3.0a")
def test_before_the_last_turn_the_next_one_begins(new_table: NewTable) -> None:
    table = new_table()
    table.place("ger_panzer_corps", FED)
    table.place("ger_air_fleet_5", "fleets", name="4")
    table.place("ger_airbase", FED, name="4")
    table.happen(PlaceMarked((table.hex(FED),), "was_attacked"))
    game = Game(table.setting, table.position, ScriptedDice(), derived=table.view.derived)
    game.apply(FramePushed(BeginPhase(turn=22, index=7).frame()))
    run_steps(game, [])
    assert (table.position.turn, table.position.phase) == (23, "mutual_supply")
    assert not table.position.place_mark(table.hex(FED), "was_attacked")
    game.apply(FramePopped())
