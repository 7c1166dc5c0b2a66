"""What outlives a page: the menus, whose actions ask for the page of now. The page itself goes."""

from __future__ import annotations

from collections.abc import Callable
from weakref import ref

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.qt import QCoreApplication, QEvent, Qt
from client.session.saved import SavedMatch
from client.window import MainWindow
from tests.client.conftest import no_collector, opened


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


def look_around(page: GamePage, qtbot: QtBot) -> None:
    """Have a page paint and hold what it can: overlays, a spread stack, a selection, moments of the past."""
    page.toggle_overlay("zone")
    page.click(page.match.view.position.occupied()[0])
    page.fan()
    page.map.zoom_by(1)
    page.time.seek(0)
    page.back_to_now()
    qtbot.waitUntil(lambda: not page.scene.idle.is_busy)


def leave_for_the_start(window: MainWindow, new_match: Callable[..., SavedMatch], qtbot: QtBot) -> None:
    del new_match, qtbot
    window.show_start()


def leave_for_another(window: MainWindow, new_match: Callable[..., SavedMatch], qtbot: QtBot) -> None:
    del qtbot
    window.show_match(new_match())


def build_anew(window: MainWindow, new_match: Callable[..., SavedMatch], qtbot: QtBot) -> None:
    del new_match, qtbot
    window.build_anew()
    window.finish_building()


@pytest.mark.parametrize("leave", [leave_for_the_start, leave_for_another, build_anew])
def test_a_page_that_is_left_goes_at_once_with_its_map(
    leave: Callable[..., None], window: MainWindow, new_match: Callable[..., SavedMatch], qtbot: QtBot
) -> None:
    window.show_match(new_match())
    look_around(window.page(), qtbot)
    there = ref(window.page()), ref(window.page().scene), ref(window.page().scene.tiles)
    with no_collector():
        leave(window, new_match, qtbot)
        qtbot.waitUntil(lambda: there[0]() is None)
        assert [one() for one in there] == [None] * 3


def test_a_what_if_game_that_is_left_goes_at_once(window: MainWindow, new_match: Callable[..., SavedMatch], qtbot: QtBot) -> None:
    window.show_match(new_match())
    window.errands.what_if()
    look_around(opened(window, qtbot), qtbot)
    there = ref(window.page()), ref(window.page().match)
    with no_collector():
        window.errands.end_what_if()
        qtbot.waitUntil(lambda: there[0]() is None)
        assert there[1]() is None


def test_a_lobby_that_is_dropped_goes_at_once(window: MainWindow, qtbot: QtBot) -> None:
    window.join()
    there = ref(window.lobby)
    window.show_start()
    with no_collector():
        window.build_anew()
        qtbot.waitUntil(lambda: there() is None)
