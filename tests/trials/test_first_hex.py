"""Hexes are numbers from 0 on, and 0 is one like any other: each case with its own board passes with its first unit's hex as number 0."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from core.board import Board
from core.datafile import TomlFile
from core.trials.case_board import Draft
from core.trials.cases import load, run
from tests.trials.test_cases import CASES, library

IN_HEX_ORDER: set[str] = set()


def first_hex(file: Path) -> str:
    """Return the hex of the first unit that a case places on a board of its own, "" if there is none."""
    tree = TomlFile(file.name, file.read_bytes()).tree
    board, units = tree.get("board", {}), tree.get("units", {})
    if tree.get("open") or not {"rows", "picture"} & set(board) or "labels" in board:
        return ""
    places = (unit.split()[0] for unit in units.values() if isinstance(unit, str))
    return next((place for place in places if re.fullmatch(r"\d{4}", place)), "")


FILES = [(file, label) for file in sorted(CASES.rglob("*.toml")) if (label := first_hex(file))]


@pytest.mark.parametrize(("file", "label"), FILES, ids=[file.stem for file, _ in FILES])
def test_case_with_its_first_hex_as_number_0(file: Path, label: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def build(draft: Draft, boxes: Iterable[str]) -> Board:
        ordered = sorted(draft.facts.values(), key=lambda fact: (fact.label != label, fact.label))
        assert ordered[0].label == label
        return Board(ordered, draft.sides, orientation=draft.numbering.orientation, boxes=boxes)

    monkeypatch.setattr(Draft, "build", build)
    result = run(load(file.relative_to(CASES).as_posix(), file.read_bytes(), library()))
    assert result.state == "passed", "\n".join((result.title, *result.lines))
