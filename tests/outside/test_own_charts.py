"""docs/own-charts.md, followed to the letter: what an owner types, and what the program answers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.pack import Pack
from core.rulesets import ledger, load
from core.trials import cases
from rasputitsa import endings, main, packs

GAME = "war_for_the_motherland"
PAGE = (Path(__file__).parents[2] / "docs" / "own-charts.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def block(beginning: str) -> str:
    """Return the block of the page that begins so."""
    found = [text for _, text in BLOCKS if text.startswith(beginning)]
    assert len(found) == 1, beginning
    return found[0]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The owner's folder after the page's first step: copies of the two files."""
    copied = re.search(r"^cp (.*) ~/", block("mkdir -p"), re.MULTILINE)
    assert copied is not None
    for name in copied[1].split():
        path = tmp_path / "charts" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(packs.base_files(GAME)[f"charts/{name}"])
    return tmp_path


def table(text: str, start: str) -> str:
    """Return the table of a file that holds a line, from its heading to the blank line behind it."""
    found = [part for part in re.split(r"\n(?=\[\[)", text) if start in part.splitlines()]
    assert len(found) == 1, start
    return found[0]


def type_in(folder: Path, name: str, line: str, typed: str) -> None:
    """Put the page's table in place of the one that holds a line."""
    path = folder / "charts" / name
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(table(text, line), typed.rstrip() + "\n", 1), encoding="utf-8")


def change(folder: Path, name: str, old: str, new: str) -> None:
    path = folder / "charts" / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def check(folder: Path) -> int:
    return main.run(["check-pack", GAME, "--overrides", str(folder)])


def test_a_terrain_chart_typed_in_by_the_page_gives_the_page_s_answer(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "charts" / "turns.toml").unlink()
    change(folder, "terrain.toml", 'source = "reconstructed"', 'source = "owner"')
    type_in(folder, "terrain.toml", 'id = "forest"', block('[[terrain]]\nid = "forest"'))
    assert check(folder) == endings.DONE
    told = numberless(capsys.readouterr().out).splitlines()
    for line in numberless(block("Files laid over the pack")).splitlines():
        assert line in told, line


def numberless(text: str) -> str:
    return re.sub(r"in \d+ files", "in all files", text)


def test_the_page_s_turn_is_that_of_the_turn_record(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(folder, "turns.toml", 'source = "reconstructed"', 'source = "owner"')
    type_in(folder, "turns.toml", "number = 9", block("[[turn]]"))
    assert check(folder) == endings.DONE
    told = capsys.readouterr().out
    assert "charts/terrain.toml: the same as the pack's" in told
    assert "charts/turns.toml: 1 value differs, 0 missing" in told


def test_a_production_number_typed_in_is_told_with_what_it_was(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    type_in(folder, "turns.toml", "number = 9", block("[[turn]]").replace("production_number = 7", "production_number = 6"))
    assert check(folder) == endings.DONE
    assert "turn 9: production_number: 7 → 6" in capsys.readouterr().out


def test_the_page_s_faults_are_told_as_the_page_has_them(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(folder, "terrain.toml", 'row = "woods"', 'row = "wood"')
    change(folder, "turns.toml", seventh(folder), seventh(folder).replace('weather = "mud"', 'weather = "rain"'))
    assert check(folder) == endings.BAD_INPUT
    assert capsys.readouterr().err.splitlines()[:-1] == block("charts/terrain.toml:17").splitlines()


def test_what_is_missing_is_told_as_the_page_has_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(folder, "terrain.toml", 'id = "tundra"', 'id = "tundr"')
    assert check(folder) == endings.BAD_INPUT
    assert capsys.readouterr().err.splitlines()[:-1] == block("charts/terrain.toml:39").splitlines()


def seventh(folder: Path) -> str:
    return table((folder / "charts/turns.toml").read_text(encoding="utf-8"), "number = 7")


def test_every_file_that_the_page_names_can_be_replaced() -> None:
    named = re.findall(r"^\| `([^`*]+\.\w+)`", PAGE, re.MULTILINE)
    assert "charts/terrain.toml" in named
    assert [name for name in named if name not in packs.base_files(GAME)] == []


@pytest.mark.parametrize(("printed", "passes"), [(True, True), (False, False)])
def test_the_page_s_case_shows_the_owner_s_cost(folder: Path, *, printed: bool, passes: bool) -> None:
    if printed:
        type_in(folder, "terrain.toml", 'id = "forest"', block('[[terrain]]\nid = "forest"'))
    pack = Pack(packs.base_files(GAME), packs.files_in(folder))
    library = cases.Library(load, lambda name: pack, lambda name: {rule.id for rule in ledger.read(name)})
    result = cases.run(cases.load("page.toml", block('title = "Panzers pay').encode(), library))
    assert (result.state == "passed") is passes, result.lines
