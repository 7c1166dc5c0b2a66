"""Runs every case file under tests/cases; each proves the rules that it names."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from core import rulesets
from core.datafile import TomlFile
from core.trials.cases import Library, load, rules_of, run
from rasputitsa.case import ledger
from tests.packs import pack_of

CASES = Path(__file__).parent.parent / "cases"


@cache
def library() -> Library:
    return Library(rulesets.load, pack_of, ledger)


def as_parameter(file: Path) -> object:
    tree = TomlFile(file.name, file.read_bytes()).tree
    game = tree["game"]
    ids = [id for rule in tree["rules"] for id in rules_of(ledger(game) or (), rule)]
    # An open case proves nothing yet.
    return pytest.param(file, id=file.stem, marks=[] if tree.get("open") else [pytest.mark.rule(game, *ids)])


@pytest.mark.parametrize("file", [as_parameter(file) for file in sorted(CASES.rglob("*.toml"))])
def test_case(file: Path) -> None:
    result = run(load(file.relative_to(CASES).as_posix(), file.read_bytes(), library()))
    assert result.state in ("passed", "open"), "\n".join((result.title, *result.lines))
