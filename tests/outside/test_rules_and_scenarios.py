"""`rasputitsa rules` and `rasputitsa scenarios`: what they count and what they list."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rasputitsa import endings, ledger, main, packs
from rasputitsa.rules import is_in

LEDGER = """id	title	must	tags
1.1	Flavour	A word.	flavour
8.1	Steps	In order.	combat
8.42a	Minor river	Two more.	combat
8.42b	One point	One more.	combat
9.1	Range	Four.	supply
9.2	Chain	Links.	supply
9.3	End	Source.	supply
10.1	Fleets	Four hexes.	air
"""
CODE = '''"""Combat (8.42).

Rules: 9.1 to 9.2.
"""

ODDS = 18.1  # no rule, nor is 8.15
'''
TESTS = """
import pytest

NAME = "war_for_the_motherland"


@pytest.mark.rule(NAME, "8.42a", "9.1")
def test_one(): ...


@pytest.mark.parametrize("n", [pytest.param(1, marks=pytest.mark.rule("war_for_the_motherland", "9.2"))])
def test_two(n): ...


@pytest.mark.skip
@pytest.mark.rule(NAME, "8.42b")
def test_put_off(): ...


@pytest.mark.rule("another_game", "9.3")
def test_of_another_game(): ...
"""
CASE = """
ruleset = "war_for_the_motherland"
rules = ["8.1"]
[[order]]
refused = { rule = "9.1", by = "9.3" }
"""


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A small house with one ledger, one module, one test file and one case file."""
    package = tmp_path / "core" / "rulesets" / "war_for_the_motherland"
    cases = tmp_path / "tests" / "cases" / "war_for_the_motherland"
    for folder in (package, cases):
        folder.mkdir(parents=True)
    (package / "rules.tsv").write_text(LEDGER, encoding="utf-8")
    (package / "combat.py").write_text(CODE, encoding="utf-8")
    (tmp_path / "tests" / "test_combat.py").write_text(TESTS, encoding="utf-8")
    (cases / "one.toml").write_text(CASE, encoding="utf-8")
    (cases / "broken.toml").write_text("rules = [", encoding="utf-8")
    return tmp_path


def states(house: Path) -> dict[str, str]:
    return {one.rule.id: one.state for one in ledger.standings("war_for_the_motherland", house)}


def test_rules_are_proved_written_missing_or_flavour(house: Path) -> None:
    assert states(house) == {
        "1.1": "flavour",
        "8.1": "proved",  # by the case
        "8.42a": "proved",  # by a test
        "8.42b": "written",  # its test is put off; the printed number stands in the code
        "9.1": "proved",
        "9.2": "proved",  # by a parameter's mark
        "9.3": "missing",
        "10.1": "missing",
    }


def test_who_proves_a_rule_is_named(house: Path) -> None:
    found = {one.rule.id: one for one in ledger.standings("war_for_the_motherland", house)}
    assert found["9.1"].tests == ("tests/test_combat.py::test_one",)
    assert found["9.1"].cases == ("tests/cases/war_for_the_motherland/one.toml",)


def test_without_tests_nothing_is_proved(house: Path) -> None:
    (house / "tests").rename(house / "elsewhere")
    assert not ledger.has_tests(house)
    assert states(house) == {
        "1.1": "flavour",
        "8.1": "missing",
        "8.42a": "written",
        "8.42b": "written",
        "9.1": "written",
        "9.2": "written",
        "9.3": "missing",
        "10.1": "missing",
    }


@pytest.mark.parametrize(
    ("id", "section", "inside"),
    [
        ("8.42a", "8", True),
        ("8.42a", "8.4", True),
        ("8.42a", "8.42", True),
        ("8.42a", "8.42a", True),
        ("18.4", "8", False),
        ("8.42a", "8.43", False),
    ],
)
def test_sections(id: str, section: str, inside: bool) -> None:
    assert is_in(id, section) == inside


def test_the_real_ledger_is_counted_whole(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["rules", "war_for_the_motherland"]) == endings.DONE
    out = capsys.readouterr().out
    count = ledger.totals(ledger.standings("war_for_the_motherland"))
    assert sum(count.values()) == len(ledger.read_ledger("war_for_the_motherland"))
    assert f"{count['proved']} proved, {count['written']} written, {count['missing']} missing" in out
    assert count["proved"] > 0


def test_only_missing_rules_of_a_section_are_printed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, house: Path
) -> None:
    real = ledger.standings
    monkeypatch.setattr(ledger, "standings", lambda ruleset: real(ruleset, house))
    assert main.run(["rules", "war_for_the_motherland", "--missing", "--section", "9"]) == endings.DONE
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["rule", "9.3", "3"]
    assert lines[-1] == "3 rules: 2 proved, 0 written, 1 missing, 0 flavour"


def test_each_rule_can_be_told_with_its_tests_and_cases(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["rules", "war_for_the_motherland", "--tests", "--section", "9.71b"]) == endings.DONE
    lines = capsys.readouterr().out.replace("\n   ", " ").splitlines()
    told = " ".join(line.strip() for line in lines)
    assert told.startswith("9.71b LOS to the port: proved They must trace LOS to the port normally.")
    assert "test: enemy zoc on every path to the port cuts it off (tests/rules/" in told
    assert "case: An army next to a Black Sea port needs an open way to it (tests/cases/" in told
    assert told.endswith("1 rule: 1 proved, 0 written, 0 missing, 0 flavour")


def test_the_command_says_that_tests_are_not_there(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "has_tests", lambda: False)
    assert main.run(["rules", "war_for_the_motherland", "--section", "16"]) == endings.DONE
    assert "not part of this installation" in capsys.readouterr().out.replace("\n", " ")


@pytest.mark.parametrize("args", [["land_without_end"], ["war_for_the_motherland", "--section", "99"]])
def test_unknown_ledgers_and_sections_are_bad_input(capsys: pytest.CaptureFixture[str], args: list[str]) -> None:
    assert main.run(["rules", *args]) == endings.BAD_INPUT
    assert ": expected " in capsys.readouterr().err


def test_scenarios_lists_games_scenarios_and_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["scenarios"]) == endings.DONE
    out = capsys.readouterr().out
    for name in packs.installed():
        assert f"({name})" in out
    assert "turning_point" in out
    assert "22 to 24" in out
    assert "city_losses" in out


def test_names_that_are_to_be_typed_stand_whole_on_a_narrow_screen(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main.run(["scenarios", "war_for_the_motherland"]) == endings.DONE
    printed = capsys.readouterr().out.split()
    pack = packs.load_pack("war_for_the_motherland")
    assert {*pack.scenarios, *(option.id for option in pack.manifest.option)} <= set(printed)


def test_scenarios_of_an_unknown_game_are_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["scenarios", "chess"]) == endings.BAD_INPUT
    assert "got chess" in capsys.readouterr().err


@pytest.fixture
def overrides() -> Iterator[Path]:
    """The user's folder of overrides for the game, empty again afterwards."""
    folder = packs.overrides_folder("war_for_the_motherland")
    (folder / "charts").mkdir(parents=True)
    packs.load_pack.cache_clear()
    yield folder
    for file in folder.rglob("*.*"):
        file.unlink()
    (folder / "charts").rmdir()
    folder.rmdir()
    packs.load_pack.cache_clear()


def test_checking_a_sound_pack(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["check-pack", "war_for_the_motherland"]) == endings.DONE
    assert "no faults in" in capsys.readouterr().out


def test_overrides_are_named_and_all_their_faults_told(capsys: pytest.CaptureFixture[str], overrides: Path) -> None:
    (overrides / "charts" / "turns.toml").write_text('source = "owner"\n[[turn]]\nnumber = "one"\n', encoding="utf-8")
    (overrides / "charts" / "combat.toml").write_text("highest_roll = ", encoding="utf-8")
    assert main.run(["check-pack", "war_for_the_motherland"]) == endings.BAD_INPUT
    told = capsys.readouterr()
    assert "charts/turns.toml" in told.out
    assert "charts/turns.toml:" in told.err
    assert "charts/combat.toml:1" in told.err
