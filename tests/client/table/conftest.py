"""A server of the toy, and people who come to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from client.qt import QSettings
from core.pack import Pack
from tests.client.conftest import TOY, delete
from tests.client.table.people import Somebody
from tests.server.conftest import Host


@pytest.fixture
def host(toy: Pack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    monkeypatch.setattr("server.rooms.load", lambda name: TOY)
    made = Host(tmp_path / "server")
    made.start()
    yield made
    made.stop()


@pytest.fixture
def person(qtbot: QtBot, qapp: object, toy: Pack, host: Host, tmp_path: Path) -> Iterator[Callable[[str], Somebody]]:
    QSettings("rasputitsa", "rasputitsa").clear()
    made: list[Somebody] = []

    def new(name: str) -> Somebody:
        made.append(Somebody(name, toy, tmp_path, qtbot))
        made[-1].join(host)
        return made[-1]

    yield new
    for one in made:
        one.window._goes = True  # though a clock may run
        one.window.close()
        delete(one.window)
