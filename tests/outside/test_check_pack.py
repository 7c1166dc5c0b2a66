"""`rasputitsa check-pack`: what an owner's files change, lack, and get wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from rasputitsa import endings, main, packs

GAME = "war_for_the_motherland"


def check(folder: Path, *more: str) -> int:
    return main.run(["check-pack", GAME, "--overrides", str(folder), *more])


def put(folder: Path, name: str, *changes: tuple[str, str]) -> None:
    """Lay a copy of one of the pack's files into an owner's folder, changed."""
    text = packs.base_files(GAME)[name].decode()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


def test_each_value_that_differs_is_told_with_what_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tmp_path, "charts/terrain.toml", ('source = "reconstructed"', 'source = "owner"'), ("motorized = 2", "motorized = 3"))
    assert check(tmp_path) == endings.DONE
    told = capsys.readouterr().out
    assert "charts/terrain.toml: 2 values differ, 0 missing" in told
    assert 'source: "reconstructed" → "owner"' in told
    assert "terrain forest: motorized: 2 → 3" in told


def test_what_is_still_reconstructed_is_told_and_what_was_typed_in_is_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tmp_path, "charts/terrain.toml", ('source = "reconstructed"', 'source = "owner"'))
    assert check(tmp_path) == endings.DONE
    told = capsys.readouterr().out
    assert "charts/terrain.toml: reconstructed" not in told
    assert "charts/turns.toml: reconstructed" in told
    assert "map/E/section.toml: reconstructed: the section's map" in told


def test_a_value_that_the_owner_lacks_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = packs.load_pack(GAME).scenarios["turning_point"].setup[0]
    row = f'  ["{first.place}", "{first.type}", "{first.name}"],\n'
    put(tmp_path, "scenarios/turning_point.toml", (row, ""))
    assert check(tmp_path) == endings.DONE
    told = capsys.readouterr().out
    assert "0 values differ, 1 missing" in told
    assert "missing (the pack has" in told


def test_a_file_that_replaces_nothing_is_a_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "terrain.toml").write_text("", encoding="utf-8")
    assert check(tmp_path) == endings.BAD_INPUT
    assert "terrain.toml: expected the name of a file of the pack" in capsys.readouterr().err


def test_faults_of_several_files_are_told_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tmp_path, "charts/terrain.toml", ("motorized = 2", 'motorized = "two"'))
    put(tmp_path, "map/E/hexes.csv", ("E1601,forest", "E1601,"))
    assert check(tmp_path) == endings.BAD_INPUT
    told = capsys.readouterr().err
    assert "charts/terrain.toml:16: terrain[1].motorized" in told
    assert "map/E/hexes.csv:2: terrain" in told


def moved(folder: Path, what: str, to: str, *, scenario: str = "turning_point") -> None:
    """Lay a scenario into an owner's folder in which a unit stands elsewhere; *what* is its type and designation."""
    kind, name = what.split(":")
    line = next(line for line in packs.load_pack(GAME).scenarios[scenario].setup if (line.type, line.name) == (kind, name))
    put(folder, f"scenarios/{scenario}.toml", (f'["{line.place}", "{kind}", "{name}"]', f'["{to}", "{kind}", "{name}"]'))


@pytest.mark.parametrize(
    ("to", "told"),
    [
        ("E6916", "expected a hex of land, got E6916, sea"),
        ("E4708", "expected a stack within the limits of 4.1, got too many units in Stalingrad (E4708)"),
        ("E4709", "expected a hex without the enemy, got E4709 near Stalingrad, where Axis units stand"),
        ("E4717", "rules.axis_sources: expected sources out of the enemy's reach, got E4717"),
        ("E5708", "expected a unit in supply, or its hex in rules.unsupplied"),
    ],
)
def test_a_set_up_that_can_not_be_is_told_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], to: str, told: str) -> None:
    moved(tmp_path, "sov_guard_army:3", to)
    assert check(tmp_path) == endings.BAD_INPUT
    found = capsys.readouterr().err
    assert told in found
    assert "scenarios/turning_point.toml:" in found


def test_who_begins_in_supply_can_not_be_named_as_unsupplied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tmp_path, "scenarios/turning_point.toml", ('unsupplied = ["E5505", "E5405"]', 'unsupplied = ["E5505", "E5405", "E4512"]'))
    assert check(tmp_path) == endings.BAD_INPUT
    assert "rules.unsupplied: expected hexes of units that begin out of supply, got E4512" in capsys.readouterr().err


def test_a_source_that_no_railroad_leads_from_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tmp_path, "scenarios/turning_point.toml", ('"E4304", "E6401"', '"E4303", "E6401"'))
    assert check(tmp_path) == endings.BAD_INPUT
    assert "rules.soviet_sources: expected sources that a railroad leads from, got E4303" in capsys.readouterr().err


def test_a_city_that_lost_its_railway_is_worth_a_look(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [row for row in packs.base_files(GAME)["map/E/rails.csv"].decode().splitlines(keepends=True) if "E2106" in row]
    put(tmp_path, "map/E/rails.csv", *((row, "") for row in rows))
    put(tmp_path, "map/E/hexes.csv", ("E2206,forest,,,,soviet,,", "E2206,forest,,,,soviet,terminus,"))
    assert check(tmp_path) == endings.DONE
    assert "map/E/rails.csv: Yoshkar-Ola (E2106) has no railway, and had one in the pack" in capsys.readouterr().out


def test_an_unknown_game_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["check-pack", "chess"]) == endings.BAD_INPUT
    assert "got chess" in capsys.readouterr().err
