"""The pipeline from end to end: the checked-in tables, the checks, the command."""

from __future__ import annotations

import copy
import xml.etree.ElementTree as ET
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from core.errors import BadInput
from mapmaker import check, truth
from mapmaker.build import Built
from mapmaker.corrections import Correction
from mapmaker.lattice import side
from mapmaker.picture import svg
from mapmaker.rivers import lay_rivers
from mapmaker.tables import differences
from rasputitsa import build_map as command
from tests.mapmaker.conftest import SCENARIOS

pytestmark = pytest.mark.xdist_group("mapmaker")
MAPS = SCENARIOS / "war_for_the_motherland" / "map"


@pytest.mark.parametrize("letter", ["C", "E", "N"])
def test_the_checked_in_tables_are_what_pipeline_and_corrections_make(built: Built, letter: str) -> None:
    assert differences(MAPS / letter, built.section(letter).files(built.grid)) == []


def test_a_build_has_no_fault(built: Built) -> None:
    assert built.faults == ()
    assert check.problems(built, ["C", "E", "N"]) == []


def test_a_changed_table_is_told_row_by_row(built: Built, tmp_path: Path) -> None:
    files = built.section("E").files(built.grid)
    for name, text in files.items():
        (tmp_path / name).write_text(text.replace("E4708,clear,major", "E4708,swamp,major"), "utf-8")
    old, new = differences(tmp_path, files)
    assert old.startswith(f"{tmp_path / 'hexes.csv'}: - E4708,swamp,major,Stalingrad")
    assert new.startswith(f"{tmp_path / 'hexes.csv'}: + E4708,clear,major,Stalingrad")


def test_shared_hexes_are_the_same_in_both_sections(built: Built) -> None:
    east = {built.grid.spot(row.hex): row[1:6] for row in built.section("E").hexes}
    centre = {built.grid.spot(row.hex): row[1:6] for row in built.section("C").hexes}
    shared = east.keys() & centre.keys()
    assert len(shared) == 55
    assert {spot: east[spot] for spot in shared} == {spot: centre[spot] for spot in shared}


def broken(built: Built) -> Built:
    """A copy whose draft may be damaged."""
    draft = copy.copy(built.draft)
    draft.sides = copy.deepcopy(draft.sides)
    draft.rails = copy.deepcopy(draft.rails)
    draft.hexes = copy.deepcopy(draft.hexes)
    return built._replace(draft=draft)


def test_a_river_with_a_gap_is_found(built: Built) -> None:
    damaged = broken(built)
    grid = damaged.grid
    damaged.draft.sides[side(grid.spot("E4512"), grid.spot("E4613"))].clear()
    told = check.problems(damaged, ["E"])
    assert told
    assert all("river Don ends in nowhere" in line for line in told)


def test_a_railway_with_a_gap_is_found(built: Built) -> None:
    damaged = broken(built)
    grid = damaged.grid
    del damaged.draft.rails[side(grid.spot("E5702"), grid.spot("E5803"))]
    assert any("E5803: a railway ends here" in line for line in check.problems(damaged, ["E"]))


def test_a_town_that_lost_its_railway_and_a_headquarters_out_of_reach_are_found(built: Built) -> None:
    damaged = broken(built)
    grid = damaged.grid
    for there in grid.neighbours(grid.spot("E5211")):
        damaged.draft.rails.pop(side(grid.spot("E5211"), there), None)
    for there in grid.neighbours(grid.spot("E6504")):
        damaged.draft.rails.pop(side(grid.spot("E6504"), there), None)
    told = check.problems(damaged, ["E"])
    assert any(line.startswith("E5211: no railway to E4717, E5317 on 1942-11") for line in told)
    assert any(line.startswith("E6504: Grozny had a railway") for line in told)


def test_an_unknown_terrain_is_found(built: Built) -> None:
    damaged = broken(built)
    damaged.draft.hexes[damaged.grid.spot("E5505")].terrain = "steppe"
    assert check.problems(damaged, ["E"]) == ["E5505: unknown terrain 'steppe'"]


def test_a_bank_that_geography_gives_anyway_is_told_as_idle(built: Built) -> None:
    asked = [Correction("E", "why", river=river, hex="E4708", bank="right") for river in ("Volga", "Lethe")]
    places = {place.name: place for place in built.geography.places}
    damaged = broken(built)
    damaged.draft.courses, damaged.draft.notes = [], []
    rivers = [river for river in built.geography.rivers if river.name == "Volga"]
    rules = msgspec.structs.replace(built.settings.rivers, major_from={})
    unknown, idle = lay_rivers(damaged.draft, rivers, places, rules, asked)
    assert unknown.endswith("unknown river")
    assert idle.endswith("changes nothing")


def test_the_picture_shows_every_hex_and_railway(built: Built) -> None:
    tables = built.section("E")
    root = ET.fromstring(svg(built, tables))
    space = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f"{space}polygon")) == len(tables.hexes)
    words = {text.text for text in root.findall(f"{space}text")}
    assert {"Stalingrad", "E4708", "Caucasus", "Don", "Volga"} <= words


def test_the_true_geography_stands_beside_the_hexes_at_the_same_scale(built: Built) -> None:
    tables = built.section("N")
    root = ET.fromstring(truth.beside(built, tables))
    space = "{http://www.w3.org/2000/svg}"
    hexes, ground = root.findall(f"{space}g")
    assert len(hexes.findall(f"{space}polygon")) == len(tables.hexes)
    assert {"Murmansk", "Archangelsk"} <= {text.text for text in ground.findall(f"{space}text")}
    assert len(ground.findall(f"{space}path")) > 2, "land, lakes, and areas of terrain"
    left, right = (float(group.get("transform", "")[10:].split()[0]) for group in (hexes, ground))
    assert right - left == pytest.approx(float(root.get("width", "0")) / 2)


def test_a_picture_beside_is_written_and_needs_a_name(built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mapmaker.build.build_map", lambda *_: built)
    args = ["war_for_the_motherland", "--section", "N", "--out", str(tmp_path), "--beside"]
    made = CliRunner().invoke(command.build_map, [*args, "--picture", str(tmp_path / "n.svg")])
    assert made.exit_code == 0, made.output
    assert (tmp_path / "n.svg").read_text("utf-8").count("<g transform") == 2
    refused = CliRunner().invoke(command.build_map, args)
    assert isinstance(refused.exception, BadInput)
    assert "a --picture to draw" in str(refused.exception)


def test_the_command_writes_a_section_and_finds_it_unchanged(built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mapmaker.build.build_map", lambda *_: built)
    run = CliRunner()
    args = ["war_for_the_motherland", "--section", "E", "--out", str(tmp_path)]
    made = run.invoke(command.build_map, [*args, "--picture", str(tmp_path / "e.svg")])
    assert made.exit_code == 0, made.output
    assert "935 hexes" in made.output
    assert (tmp_path / "e.svg").read_text("utf-8").startswith("<svg")
    assert run.invoke(command.build_map, [*args, "--check"]).exit_code == 0
    rails = tmp_path / "E" / "rails.csv"
    rails.write_text(rails.read_text("utf-8").replace("1942-08", "1941-08"), "utf-8")
    checked = run.invoke(command.build_map, [*args, "--check"])
    assert checked.exit_code == 1
    assert "1941-08" in checked.output


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["war_for_the_fatherland"], "one of east_front_series"),
        (["war_for_the_motherland", "--picture", "map.png"], "ends in .svg"),
        (["war_for_the_motherland", "--section", "E", "--section", "Q"], "one of 'C', 'E', 'N', got 'Q'"),
    ],
)
def test_a_wrong_argument_says_what_was_expected(args: list[str], expected: str) -> None:
    result = CliRunner().invoke(command.build_map, args)
    assert isinstance(result.exception, BadInput)
    assert expected in str(result.exception)
