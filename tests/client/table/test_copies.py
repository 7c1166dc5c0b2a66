"""A server's game that is saved from a window: the same as the server exports, and good for all that such a file is for."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog

from core.gamefile import GameFile, Head, read
from core.log import Rewind
from core.terms import DiceTerms, Terms
from core.trials.verify import verify
from server import archive
from server.store.sqlite import STORE, SqliteStore
from tests.client.conftest import TOY
from tests.client.table.people import GAME, Person, Somebody, a_go, a_strike, duel, order
from tests.server.conftest import SERVER, Host

SAYS_WHO_WROTE = ("made_by", "players")


def saved(one: Somebody, file: Path, monkeypatch: pytest.MonkeyPatch) -> GameFile:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(file), ""))
    one.window.save_copy()
    one.until(lambda: one.window.errands.work is None and file.is_file())
    return read(file.read_bytes())


@pytest.mark.parametrize("dice", ["server", "witnessed"])
def test_a_copy_from_the_window_verifies_has_the_servers_head_and_goes_on_at_another_server(
    person: Person, host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dice: str
) -> None:
    anna, boris = duel(person, Terms(dice=DiceTerms(dice)))  # type: ignore[arg-type]
    anna.until(lambda: anna.page.match.may_act)
    order(anna, a_go(anna))
    anna.page.undo()
    anna.until(lambda: isinstance(anna.page.match.match.log.entries[-1].act, Rewind))
    order(anna, a_strike(anna))
    boris.until(lambda: len(boris.page.match.match.log) == len(anna.page.match.match.log))
    copy = saved(boris, tmp_path / "copy.rasputitsa", monkeypatch)
    report = verify(copy, load=lambda _: TOY)
    assert report.holds, report.findings
    theirs = host.service.store.game(GAME).head
    bare = dict.fromkeys(SAYS_WHO_WROTE)
    assert [(name, getattr(copy.head, name)) for name in Head.__struct_fields__ if name not in bare] == [
        (name, getattr(theirs, name)) for name in Head.__struct_fields__ if name not in bare
    ]
    store = SqliteStore(tmp_path / STORE)
    match = asyncio.run(archive.take_in(store, copy, keeper=SERVER, find_ruleset=lambda _: TOY))
    assert match.view.position == boris.page.match.match.view.position
    store.close()
