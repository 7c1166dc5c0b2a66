"""Panels that are one long text: written while they are seen, scrolled where they were."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.map.palette import LIGHT
from client.panels.forces import ForcesPanel
from client.panels.record import RecordPanel
from client.panels.written import WrittenPanel
from client.session.match import Match
from client.session.saved import SavedMatch
from client.window import MainWindow
from tests.toy.ruleset import End

Maker = Callable[..., SavedMatch]


def long_text(panel: WrittenPanel, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let a panel be of many lines; return a list to which each writing adds."""
    written: list[int] = []

    def parts(match: Match) -> Iterable[str]:
        written.append(match.cursor)
        return [f"<p>line {i}</p>" for i in range(200)]

    monkeypatch.setattr(panel, "parts", parts)
    return written


@pytest.fixture(params=[ForcesPanel, RecordPanel])
def panel(request: pytest.FixtureRequest, qapp: object, qtbot: QtBot) -> WrittenPanel:
    made: WrittenPanel = request.param(LIGHT)
    qtbot.addWidget(made)
    made.resize(300, 200)
    return made


def test_a_panel_writes_when_it_is_seen_and_not_before(panel: WrittenPanel, new_match: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    written = long_text(panel, monkeypatch)
    panel.show_match(new_match())
    assert written == []
    panel.show()
    assert len(written) == 1
    panel.show_match(new_match())
    assert len(written) == 2


def test_a_panel_that_is_written_anew_shows_the_lines_that_it_showed(
    panel: WrittenPanel, qtbot: QtBot, new_match: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = new_match()
    long_text(panel, monkeypatch)
    panel.show_match(match)
    panel.show()
    bar = panel.text.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 400)
    bar.setValue(400)
    panel.show_match(match)
    assert bar.value() == 400


def test_the_log_writes_a_line_once_until_the_theme_changes(
    window: MainWindow, page: GamePage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.open_side("log")
    for _ in range(3):
        page.match.order(End())
    page.refresh()
    told, tell = list[str](), page.log._line
    monkeypatch.setattr(page.log, "_line", lambda line, index: (told.append(str(line.text)), tell(line, index))[1])
    page.undo()
    assert told == []
    page.redo()
    assert len(told) <= 2
    window.set_theme("dark")
    assert len(told) > 2


def test_a_panel_behind_another_holds_no_text_and_comes_back_where_it_was(
    panel: WrittenPanel, new_match: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    long_text(panel, monkeypatch)
    panel.show_match(new_match())
    panel.show()
    bar = panel.text.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    was = bar.value()
    panel.hide()
    assert panel.text.toPlainText() == "", "another theme would style all of it"
    panel.show()
    assert "line 199" in panel.text.toPlainText()
    assert bar.value() == was > 0
