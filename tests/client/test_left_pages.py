"""What outlives a page: the menus, whose actions ask for the page of now."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.qt import QCoreApplication, QEvent, Qt
from client.session.saved import SavedMatch
from client.window import MainWindow


def usable(window: MainWindow) -> set[str]:
    """Return the words of the actions that can be used now."""
    actions = [action for menu in window.menuBar().findChildren(QMenu) for action in menu.actions()]
    return {action.text() for action in actions if action.isEnabled() and not action.isSeparator() and action.menu() is None}


def overlay(window: MainWindow) -> QAction:
    return window.menus.overlays.actions()[0]


def test_no_action_of_a_game_can_be_used_in_the_lobby(window: MainWindow, page: GamePage, qtbot: QtBot) -> None:
    window.show_start()
    at_first = usable(window)
    window.show_match(page.match)
    qtbot.waitExposed(window.page())
    assert "ZONE: both sides" not in at_first
    key, gone = overlay(window).shortcut(), window.page()
    window.join()
    QCoreApplication.sendPostedEvents(gone, QEvent.Type.DeferredDelete)
    assert usable(window) == at_first
    window.lobby.setFocus()
    qtbot.keyClick(window.lobby, Qt.Key(key[0].key()))
    assert window.game is None


def test_an_overlay_is_shown_on_the_page_of_now(window: MainWindow, page: GamePage, new_match: Callable[..., SavedMatch]) -> None:
    window.join()
    window.show_match(new_match())
    overlay(window).trigger()
    assert sorted(window.page().scene.overlays) == ["zone blue", "zone red"]
