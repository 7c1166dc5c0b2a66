"""A key that a button's tooltip names does what the button does, on every page where the button is seen."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QApplication
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.map.palette import LIGHT
from client.qt import Qt
from client.session.saved import Listed
from client.start import StartPage
from client.window import MainWindow
from core import lessons
from core.pack import Pack
from rasputitsa.packs import load_pack
from tests.client.conftest import opened
from tests.client.test_learning import LESSON
from tests.toy.ruleset import toy_files

IN_BRACKETS = re.compile(r"\(([^()]+)\)$")
OF_WHAT_IS_ASKED = {"Enter", "Esc"}  # they belong to the map or the field that has the focus, and mean what that asks for
Show = Callable[[MainWindow, QtBot], None]


def start(window: MainWindow, qtbot: QtBot) -> None:
    window.show_start()


def game(window: MainWindow, qtbot: QtBot) -> None:
    window.page().map.setFocus()


def narrow_game(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1000, 700)


def past(window: MainWindow, qtbot: QtBot) -> None:
    window.page().time.seek(0)


def notes(window: MainWindow, qtbot: QtBot) -> None:
    window.page().open_side("notes")
    window.page().map.setFocus()


def what_if(window: MainWindow, qtbot: QtBot) -> None:
    window.errands.what_if()
    opened(window, qtbot)


def lesson(window: MainWindow, qtbot: QtBot) -> None:
    files = load_pack("war_for_the_motherland")
    window.errands.learn(files, lessons.names(files)[0])
    opened(window, qtbot)
    guide = window.errands.guide
    assert guide is not None
    guide.card.on.click()


PAGES: tuple[Show, ...] = (start, game, narrow_game, past, notes, what_if, lesson)


def promises(window: MainWindow) -> Iterator[tuple[QAbstractButton, str]]:
    """Yield each button that can be pressed now with each key that its tooltip names."""
    for one in window.findChildren(QAbstractButton):
        found = IN_BRACKETS.search(one.toolTip())
        if found is None or not one.isVisible() or not one.isEnabled():
            continue
        for key in found[1].split(", "):
            if key not in OF_WHAT_IS_ASKED and is_key(key):
                yield one, key


def is_key(words: str) -> bool:
    made = QKeySequence(words)
    return made.count() == 1 and made[0].key() != Qt.Key.Key_unknown


@pytest.mark.parametrize("show", PAGES)
def test_the_key_that_a_tooltip_names_is_the_buttons_or_that_of_an_action(battlefield: GamePage, qtbot: QtBot, show: Show) -> None:
    window = battlefield.window()
    assert isinstance(window, MainWindow)
    show(window, qtbot)
    promised = list(promises(window))
    assert promised, "nothing is promised here: is the page shown?"
    heard: list[object] = []
    keyed = (one for one in window.findChildren(QAction) if one.isEnabled() and not one.shortcut().isEmpty())
    actions = {one.shortcut().toString(): one for one in keyed}
    for action in actions.values():
        action.triggered.disconnect()
        action.triggered.connect(partial(_note, heard, action))
    for one, _ in promised:
        one.clicked.disconnect()
        one.clicked.connect(partial(_note, heard, one))
    for one, key in promised:
        wanted = actions.get(QKeySequence(key).toString(), one)
        heard.clear()
        pressed = QKeySequence(key)[0]
        focused = QApplication.focusWidget() or window
        qtbot.keyClick(focused, pressed.key(), pressed.keyboardModifiers())
        qtbot.waitUntil(lambda wanted=wanted: heard == [wanted])  # a button is seen to go down before it does anything


def _note(heard: list[object], one: object, _checked: bool = False) -> None:
    heard.append(one)


def test_a_button_that_has_a_key_says_so(battlefield: GamePage, qtbot: QtBot) -> None:
    window = battlefield.window()
    assert isinstance(window, MainWindow)
    window.show_start()
    keyed = [one for one in window.findChildren(QAbstractButton) if not one.shortcut().isEmpty() and one.isVisible()]
    assert len(keyed) >= 2
    for one in keyed:
        assert one.shortcut().toString() in one.toolTip()


def test_only_the_first_lesson_has_the_key(qtbot: QtBot) -> None:
    pack = Pack({**toy_files(), "learn/first.toml": LESSON.encode(), "learn/second.toml": LESSON.encode()})
    page = StartPage([pack], lambda _: Listed(), LIGHT)
    qtbot.addWidget(page)
    begin = [one for one in page.findChildren(QAbstractButton) if one.text() == "Begin the lesson"]
    assert [one.shortcut().toString() for one in begin] == ["Ctrl+L", ""]
    assert [one.toolTip() for one in begin] == ["Begin this lesson (Ctrl+L)", "Begin this lesson"]
