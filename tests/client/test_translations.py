"""A made-up language with longer words: nothing is left in English, nothing is cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QTranslator
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QApplication
from pytestqt.qtbot import QtBot

from client.session.saved import SavedMatch
from client.window import MainWindow
from core.pack import Pack
from tests.client.conftest import delete

Maker = Callable[..., SavedMatch]


class Longer(QTranslator):
    """Gives every text back between marks and a third longer."""

    def translate(self, context: str, source: str, disambiguation: str | None = None, n: int = -1) -> str:
        return f"«{source}{'·' * (len(source) // 3)}»" if source else ""

    def isEmpty(self) -> bool:
        return False


@pytest.fixture
def longer(qapp: QApplication) -> Iterator[None]:
    language = Longer()
    qapp.installTranslator(language)
    yield
    qapp.removeTranslator(language)


@pytest.mark.usefixtures("longer")
def test_no_action_is_left_in_english_and_no_button_is_cut(toy: Pack, tmp_path: object, new_match: Maker, qtbot: QtBot) -> None:
    window = MainWindow([toy], folder=tmp_path)  # type: ignore[arg-type]
    window.resize(1280, 800)
    window.show()
    qtbot.waitExposed(window)
    for made in (window.start, window.lobby):
        window.pages.setCurrentWidget(made)
        assert cut(window) == []
    window.show_match(new_match())
    assert window.game is not None
    for name in window.game.side.names:
        window.game.open_side(name)
        assert cut(window) == [], name
    words = [action.text() for action in window.findChildren(QAction) if action.text() and action.menu() is None]
    assert len(words) > 40
    assert [word for word in words if "»" not in word] == []
    window.close()
    delete(window)


def cut(window: MainWindow) -> list[str]:
    """Return the words of buttons that have less room than they need."""
    QApplication.processEvents()
    visible = [button for button in window.findChildren(QAbstractButton) if button.isVisible() and button.text()]
    return [button.text() for button in visible if button.fontMetrics().horizontalAdvance(button.text()) > button.width()]
