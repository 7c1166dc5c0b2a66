"""`rasputitsa match` and `rasputitsa soak`: what they print, what they keep, where they go on."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from core.errors import BadInput
from core.trials.course import figure_names
from core.trials.series import play_one
from core.trials.soak import Rates, Soaked
from rasputitsa.match import chosen_options, made_setting, match
from rasputitsa.soak import soak
from rasputitsa.soak_results import Results, Series

SERIES = Series("war_for_the_motherland", "turning_point", "steady", Rates(), "0" * 64)


def soaked(number: int) -> Soaked:
    return Soaked(number, 150, 21, 4, 900, "axis", "ab")


# -------------------------------------------------------------------- match


def run_match(*more: str) -> str:
    result = CliRunner().invoke(match, ["steady", "random", "--games", "2", "--jobs", "1", *more], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_match_prints_bands_of_the_outcome_by_turn() -> None:
    told = run_match("--stats", "--figure", "axis_steps", "--figure", "front_centre")
    assert "axis_steps" in told
    assert "vp" not in told.split()
    table = told.partition("axis_steps")[2].partition("front_centre")[0]
    rows = [line.split("│")[1].strip() for line in table.splitlines() if line.startswith("│")]
    assert rows == ["22", "23", "24", "end"]


def test_a_match_as_json_holds_score_bands_and_every_game() -> None:
    told = json.loads(run_match("--json"))
    assert told["score"]["both"]["decided"] + told["score"]["both"]["drawn"] == 2
    assert [game["number"] for game in told["games"]] == [0, 1]
    assert {figures["turn"] for figures in told["games"][0]["course"]} == {22, 23, 24}
    band = told["bands"]["axis_lost"]["end"]
    assert band["least"] <= band["median"] <= band["most"]
    assert band["most"] > 0


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--stats", "--figure", "front_line"], r"axis_steps.*front_centre.*got front_line"),
        (["--figure", "axis_steps"], r"--stats with it"),
    ],
)
def test_a_figure_that_nobody_would_see_is_told_before_any_game_is_played(
    options: list[str], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rasputitsa.match._play_all", lambda *_: pytest.fail("games are played"))
    with pytest.raises(BadInput, match=told):
        CliRunner().invoke(match, ["random", "random", "--games", "1", *options], catch_exceptions=False)


def test_games_have_no_figures_that_may_not_be_asked_for() -> None:
    chosen = made_setting("war_for_the_motherland", "turning_point")
    found = {name for turn in play_one(chosen, ("random", "random"), 1).course for name in turn.figures}
    assert found <= figure_names(chosen)


# -------------------------------------------------------------------- options of the game


def test_an_option_is_on_if_nothing_else_is_said() -> None:
    assert chosen_options(("a", "b=false", "c=true", "d=3", "e=late")) == {"a": True, "b": False, "c": True, "d": 3, "e": "late"}


def test_an_option_without_its_value_is_refused_and_a_number_may_be_as_long_as_it_likes() -> None:
    with pytest.raises(BadInput, match="--option fog: expected a value"):
        chosen_options(("fog=",))
    assert chosen_options((f"turns={'9' * 5000}",)) == {"turns": "9" * 5000}, "of this length it is no number that any option could have"


@pytest.mark.parametrize("command", [match, soak], ids=["match", "soak"])
@pytest.mark.parametrize(
    ("option", "told"),
    [("fog_of_war", "option: expected one of .*city_losses.*, got .?fog_of_war"), ("city_losses=maybe", "expected one of False, True")],
)
def test_an_option_that_there_is_not_is_told_before_any_game_is_played(command: click.Command, option: str, told: str) -> None:
    bots = ["random", "random"] if command is match else []
    with pytest.raises(BadInput, match=told):
        CliRunner().invoke(command, [*bots, "--option", option], catch_exceptions=False)


def test_games_of_a_soak_are_played_with_its_options_and_are_a_series_of_their_own(tmp_path: Path) -> None:
    file, few = tmp_path / "soak.jsonl", ["--games", "1", "--jobs", "1", "--bot", "random", "--dear", "1000", "--exact", "1000"]
    for options in ([], ["--option", "army_breakdown"]):
        result = CliRunner().invoke(soak, [*few, "--out", str(file), *options], catch_exceptions=False)
        assert result.exit_code == 0, result.output
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert [row["series"]["options"] for row in rows] == [{}, {"army_breakdown": True}]
    assert rows[0]["soaked"]["digest"] != rows[1]["soaked"]["digest"]


# -------------------------------------------------------------------- results of a soak


def test_a_soak_taken_up_again_knows_its_games_and_none_of_other_series(tmp_path: Path) -> None:
    file = tmp_path / "soak.jsonl"
    with Results.open(file, SERIES) as results:
        results.add(soaked(3))
        results.add((4, "Broken: a promise", b"file"))
    other = Series("war_for_the_motherland", "fall_barbarossa", "steady", Rates(), "0" * 64)
    with Results.open(file, other) as results:
        assert results.known == frozenset()
        results.add(soaked(3))
    with Results.open(file, SERIES) as results:
        assert results.known == {3, 4}
        assert results.failed == 1
        assert results.summary().startswith("1 game held every promise, 1 did not; 150 orders")


def test_a_line_that_was_cut_off_is_written_anew(tmp_path: Path) -> None:
    file = tmp_path / "soak.jsonl"
    with Results.open(file, SERIES) as results:
        results.add(soaked(1))
        results.add(soaked(2))
    file.write_bytes(file.read_bytes()[:-9])
    with Results.open(file, SERIES) as results:
        assert results.known == {1}
        results.add(soaked(2))
    with Results.open(file, SERIES) as results:
        assert results.known == {1, 2}


@pytest.mark.parametrize("notes", [b"notes of mine", b'{"name": 1}', bytes(3), b"1"])
@pytest.mark.parametrize("before", [0, 1])
def test_a_file_of_somebody_else_without_an_end_of_line_stays_as_it_is(tmp_path: Path, notes: bytes, before: int) -> None:
    file = tmp_path / "notes"
    with Results.open(file, SERIES) as results:
        for number in range(before):
            results.add(soaked(number))
    content = file.read_bytes() + notes
    file.write_bytes(content)
    with pytest.raises(BadInput, match=rf"notes:{before + 1}: expected the result of a game"):
        Results.open(file, SERIES)
    assert file.read_bytes() == content


def test_a_line_that_is_no_result_is_named(tmp_path: Path) -> None:
    file = tmp_path / "soak.jsonl"
    with Results.open(file, SERIES) as results:
        results.add(soaked(1))
    file.write_bytes(file.read_bytes() + b'{"number": "two"}\n')
    with pytest.raises(BadInput, match=r"soak\.jsonl:2: expected the result of a game"):
        Results.open(file, SERIES)
