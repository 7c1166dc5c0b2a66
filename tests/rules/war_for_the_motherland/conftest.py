"""Tables for the rules of War for the Motherland."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from core.rulesets import load
from core.trials.table import PlainBoard, Table
from tests.packs import PLAIN, pack_of

NAME = "war_for_the_motherland"
BoardMaker = Callable[[PlainBoard], None]


class NewTable:
    """Makes tables: ``new_table()`` for a plain board, rows 16 to 26, columns 01 to 20; `edit` changes it before it is built."""

    def __call__(
        self,
        edit: BoardMaker | None = None,
        *,
        rules: Mapping[str, object] | None = None,
        options: Mapping[str, bool | int | str] | None = None,
    ) -> Table:
        board = PlainBoard(PLAIN)
        if edit is not None:
            edit(board)
        plain = {"axis_sources": ["2620"], "soviet_sources": ["1601"], "skipped": [], "preset_markers": [], **(rules or {})}
        return Table(load(NAME), pack_of(NAME), "turning_point", board=board, rules=plain, options=options)


@pytest.fixture
def new_table() -> NewTable:
    return NewTable()


@pytest.fixture
def on_map() -> Table:
    """Turning Point's own map, empty."""
    return Table(load(NAME), pack_of(NAME), "turning_point")
