"""docs/rules/<game>.md answers every reading that code and cases lean on; the worked cases are all there."""

from __future__ import annotations

import re
from pathlib import Path

from core.rulesets import load

HOUSE = Path(__file__).parents[2]
GAME = "war_for_the_motherland"
PAGE = (HOUSE / "docs" / "rules" / f"{GAME}.md").read_text(encoding="utf-8")
CASES = sorted((HOUSE / "tests" / "cases" / GAME).rglob("*.toml"))
WORKED = 360


def answered() -> list[str]:
    """The readings that the page has a line for."""
    return re.findall(r"^- \*\*(D-\d+)\*\*", PAGE, re.MULTILINE)


def test_readings_are_numbered_without_a_gap_and_none_comes_twice() -> None:
    assert sorted(answered()) == [f"D-{n:02}" for n in range(1, len(answered()) + 1)]


def test_a_window_shows_each_reading_with_all_the_words_that_the_page_has_for_it() -> None:
    found = re.findall(r"^- \*\*(D-\d+)\*\* (?:\(M-R.*?\) )?(.*?)(?=\n- |\n\n)", PAGE, re.MULTILINE | re.DOTALL)
    shown = {reading.id: reading.must for reading in load(GAME).readings()}
    assert shown == {reading: " ".join(words.split()) for reading, words in found}


def test_every_reading_that_the_code_cites_is_on_the_page() -> None:
    files = [*(HOUSE / "core" / "rulesets" / GAME).rglob("*.py"), *(HOUSE / "scenarios" / GAME).rglob("*.toml"), *CASES]
    cited = {(reading, path.name) for path in files for reading in re.findall(r"\bD-\d+\b", path.read_text(encoding="utf-8"))}
    assert cited
    assert sorted((reading, name) for reading, name in cited if reading not in answered()) == []


def test_every_option_of_the_page_is_one_of_the_game() -> None:
    manifest = (HOUSE / "scenarios" / GAME / "pack.toml").read_text(encoding="utf-8")
    options = re.findall(r'^\[\[option\]\]\nid = "(\w+)"', manifest, re.MULTILINE)
    told = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    assert options
    assert sorted(told) == sorted(options)


def test_each_worked_case_of_the_rulebook_is_a_case_file() -> None:
    names = {path.stem for path in CASES}
    assert [name for name in (f"M-{n:03}" for n in range(1, WORKED + 1)) if name not in names] == []
