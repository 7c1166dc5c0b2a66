"""Access: every widget has a name that can be read aloud, every action a key, and the focus goes everywhere by Tab."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QApplication,
    QComboBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.panels.widgets import CounterButton
from client.qt import QEvent, Qt
from client.session.saved import SavedMatch
from client.window import MainWindow
from tests.toy.ruleset import End

Maker = Callable[..., SavedMatch]
SPOKEN = (QAbstractButton, QLineEdit, QComboBox, QAbstractScrollArea, CounterButton)


def nameless(widget: QWidget) -> list[str]:
    """Return the widgets that can have the focus and nothing by which a screen reader could name them."""
    found = []
    for one in widget.findChildren(QWidget):
        if not isinstance(one, SPOKEN) or one.focusPolicy() == Qt.FocusPolicy.NoFocus or not one.isVisibleTo(widget):
            continue
        words = one.accessibleName() or (one.text() if isinstance(one, QAbstractButton) else "")
        if len(words.strip("<>+−-□×↗▶❚ ")) < 2:
            found.append(f"{type(one).__name__} {one.objectName()} {words!r}")
    return found


def test_every_widget_that_can_have_the_focus_has_a_name(window: MainWindow, new_match: Maker) -> None:
    for page in (window.start, window.lobby):
        window.pages.setCurrentWidget(page)
        assert nameless(page) == []
    window.show_match(new_match())
    assert window.game is not None
    for name in window.game.side.names:
        window.game.open_side(name)
        assert (name, nameless(window.game)) == (name, [])


def test_the_map_has_a_name_within_its_frame_too(window: MainWindow, new_match: Maker) -> None:
    window.show_match(new_match())
    assert window.game is not None
    assert window.game.map.viewport().accessibleName() == "Map"


def test_where_servers_are_joined_no_line_is_empty(window: MainWindow) -> None:
    door = window.lobby.door
    window.join()

    def empty() -> list[QLabel]:
        return [one for one in door.findChildren(QLabel) if one.isVisibleTo(door) and not (one.text() or one.accessibleName())]

    assert empty() == []
    door.tell("Connecting …")
    assert door.state.isVisibleTo(door)
    door.tell("")
    assert empty() == []


def test_tab_leads_through_all_of_a_page_and_back_to_its_beginning(window: MainWindow, new_match: Maker, qtbot: QtBot) -> None:
    window.show_match(new_match())
    assert window.game is not None
    window.game.map.setFocus()
    visited: set[QWidget] = set()
    for _ in range(200):  # in a text, Tab goes from link to link before it goes on
        one = QApplication.focusWidget()
        assert one is not None, "the focus is never lost"
        if one is window.game.map and visited:
            break
        visited.add(one)
        qtbot.keyClick(one, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is window.game.map, "Tab leads around"
    within = {
        one
        for one in window.game.findChildren(QWidget)
        if isinstance(one, SPOKEN) and one.focusPolicy() & Qt.FocusPolicy.TabFocus and one.isVisible() and one.isEnabled()
    }
    assert [f"{type(one).__name__} {one.objectName()}" for one in within - visited] == []


def test_every_action_is_reached_by_its_key(
    window: MainWindow, new_match: Maker, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each action is set off by its key alone, in a game, with the focus on the map; what it would open is not opened."""
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("", ""))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: ("", ""))
    window.show_match(new_match())
    actions = [one for one in window.findChildren(QAction) if one.text() and one.menu() is None]
    set_off: list[str] = []
    for action in actions:
        action.triggered.disconnect()
        action.triggered.connect(partial(_note, set_off, action))
    assert window.game is not None
    for action in actions:
        assert action.isEnabled(), action.text()
        window.game.map.setFocus()
        pressed = action.shortcut()[0]
        qtbot.keyClick(window.game.map, pressed.key(), pressed.keyboardModifiers())
        assert set_off[-1:] == [action.text()], f"{action.text()}: {action.shortcut().toString()}"
    assert set_off == [action.text() for action in actions]


def _note(set_off: list[str], action: QAction, _checked: bool = False) -> None:
    set_off.append(action.text())


LEAVING = ("Start page", "Quit", "Undo", "Redo", "What if", "Back to the real", "Join", "Host", "Open")


def test_no_key_and_no_panel_gives_more_in_the_opponents_phase(window: MainWindow, new_match: Maker) -> None:
    """The 18th of the faults of peers: lists and keys gave away, or moved, the enemy's units in his turn."""
    window.show_match(new_match(blue="random"))
    assert window.game is not None
    page = window.game
    page.match.order(End())
    page.refresh()
    page.bots.stop()
    assert page.match.view.side_to_act() == "blue"
    entries = len(page.match.moments())
    actions = [one for one in window.findChildren(QAction) if one.text() and one.menu() is None]
    tried = [one for one in actions if "…" not in one.text() and not one.text().startswith(LEAVING)]
    assert len(tried) > 40
    for action in tried:
        action.trigger()
        page = window.game  # another size of texts, or another theme, builds it anew
        page.bots.stop()
        for here in page.match.view.position.occupied():
            page.click(here)
        assert (action.text(), page.composer.picks, page.composer.able()) == (action.text(), (), {})
        assert (action.text(), page.prompt.keyed) == (action.text(), [])
        assert len(page.match.moments()) == entries


def test_space_presses_the_counter_that_has_the_focus_which_keeps_it(battlefield: GamePage, qtbot: QtBot) -> None:
    page = battlefield
    page.window().resize(1600, 1000)
    here = next(here for here in page.match.view.position.occupied() if len(page.match.view.side_at(here, "soviet")) > 1)
    page.click(here)
    page.open_side("stack")
    unit, counter = list(page.stack._counters.items())[-1]
    pressed: list[int] = []
    page.stack.unit_pressed.connect(pressed.append)
    counter.setFocus()
    qtbot.keyClick(counter, Qt.Key.Key_Space)
    assert pressed == [unit]
    page.stack.show_hex(page.match.view, here, ())
    counter = page.stack._counters[unit]
    assert counter.hasFocus(), "though all counters were made anew"
    assert counter.accessibleName().startswith(page.match.view.name(unit))
    override = QKeyEvent(QEvent.Type.ShortcutOverride, Qt.Key.Key_Space, Qt.KeyboardModifier.NoModifier)
    override.ignore()
    QApplication.sendEvent(counter, override)
    assert override.isAccepted(), "else the key that leads to the next stack would take it"
