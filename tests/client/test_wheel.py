"""The wheel over a box to choose from: it scrolls what the box stands in, and changes nothing."""

from __future__ import annotations

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSlider, QAbstractSpinBox, QApplication, QComboBox, QScrollBar, QWidget
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.meeting.people import PeopleBox
from client.panels.widgets import Chooser, Column
from client.qt import QPoint, QPointF
from client.window import MainWindow
from core import protocol


def roll(over: QWidget, down: int) -> None:
    """Turn the wheel with the cursor on a widget, as the system tells it: whoever takes it no further lets the next have it."""
    QTest.wheelEvent(over.window().windowHandle(), QPointF(over.mapTo(over.window(), over.rect().center())), QPoint(0, -down))
    QApplication.processEvents()


@pytest.mark.parametrize("has_focus", [False, True])
def test_the_wheel_over_a_box_scrolls_the_form_and_leaves_what_is_chosen(window: MainWindow, qtbot: QtBot, has_focus: bool) -> None:
    window.resize(960, 640)
    window.join()
    lobby, form = window.lobby, window.lobby.hall.new
    lobby._stack.setCurrentWidget(lobby.hall)
    lobby.hall.show_tab("new")
    QApplication.processEvents()
    box, bar = form.clock.findChildren(Chooser)[0], form.verticalScrollBar()
    if has_focus:
        box.setFocus()
    before = box.currentIndex()
    assert bar.maximum() > 0, "there is something to be scrolled"
    roll(box, 120)
    assert box.currentIndex() == before
    assert bar.value() > 0


def test_who_scrolls_through_the_people_of_a_server_changes_no_role(qtbot: QtBot, qapp: object) -> None:
    people, sent = PeopleBox(), list[object]()
    qtbot.addWidget(people)
    people.send_wanted.connect(sent.append)
    people.resize(600, 300)
    members = tuple(protocol.Member(f"P{i}", "player", False, "print", 1) for i in range(20))
    people.show_status(protocol.Status("program", 1, 1, 1, 0, 1, {}, members))
    people.show()
    qtbot.waitExposed(people)
    roles = people.findChildren(Column)[0].findChildren(Chooser)
    assert len(roles) == len(members)
    for down in (120, -120):
        roll(roles[0], down)
    assert not sent


def test_nothing_else_in_the_window_is_changed_by_the_wheel(window: MainWindow, page: GamePage) -> None:
    window.join()
    assert window.lobby.hall is not None
    parts = [*window.findChildren(QWidget), *page.findChildren(QWidget)]
    odd = [
        part for part in parts
        if (isinstance(part, QComboBox) and not isinstance(part, Chooser)) or isinstance(part, QAbstractSpinBox)
        or (isinstance(part, QAbstractSlider) and not isinstance(part, QScrollBar))
    ]
    assert not odd
