"""New entries of a server's game: those that come faster than the window can show them are shown together."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from client.connection.notes import Grown
from client.meeting.growing import Growing
from client.qt import QObject
from core.log import Entry, Pause


def entries(*numbers: int) -> Grown:
    return Grown("table", tuple(Entry(number, -1, 0, "", "", b"", (), Pause("red"), 0, {}, b"", b"", b"", b"") for number in numbers))


class Slow:
    """Shows entries in a tenth of a second of a clock that stands still otherwise."""

    def __init__(self) -> None:
        self.now = 100.0
        self.shown: list[list[int]] = []

    def __call__(self, grown: Grown) -> None:
        self.now += 0.1
        self.shown.append([entry.number for entry in grown.entries])


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    made = Slow()
    monkeypatch.setattr("client.meeting.growing.time.monotonic", lambda: made.now)
    return made


def test_what_comes_while_the_window_rests_is_shown_together(qtbot: QtBot, slow: Slow) -> None:
    parent = QObject()
    growing = Growing(parent, slow)
    for number in (1, 2, 3):
        growing.take(entries(number), at_once=False)
    assert slow.shown == [[1]]
    qtbot.waitUntil(lambda: slow.shown == [[1], [2, 3]])
    slow.now += 0.3
    growing.take(entries(4, 5), at_once=False)
    assert slow.shown[2:] == [[4, 5]]


def test_whoever_may_act_sees_all_at_once(qtbot: QtBot, slow: Slow) -> None:
    parent = QObject()
    growing = Growing(parent, slow)
    growing.take(entries(1), at_once=False)
    growing.take(entries(2), at_once=False)
    growing.take(entries(3), at_once=True)
    assert slow.shown == [[1], [2, 3]]


def test_of_a_game_that_was_left_nothing_more_is_shown(qtbot: QtBot, slow: Slow) -> None:
    parent = QObject()
    growing = Growing(parent, slow)
    growing.take(entries(1), at_once=False)
    growing.take(entries(2), at_once=False)
    growing.forget()
    growing.flush()
    assert slow.shown == [[1]]
