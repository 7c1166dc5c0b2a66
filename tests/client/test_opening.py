"""A game file in the window: its first position at once, the rest meanwhile; stopped, faulty, dropped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from client.session.replay import FileMatch
from client.session.saved import SavedMatch
from client.window import MainWindow
from core import gamefile
from tests.toy.ruleset import End

Maker = Callable[..., SavedMatch]
ORDERS = 4


@pytest.fixture
def file(new_match: Maker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A game of some orders, of which a slice reads one at a time."""
    monkeypatch.setattr(gamefile, "SLICE", 1)
    match = new_match()
    for _ in range(ORDERS):
        match.order(End())
    made = tmp_path / "g.rasputitsa"
    made.write_bytes(match.to_bytes())
    return made


def test_a_file_shows_its_first_position_before_the_rest_is_read(window: MainWindow, file: Path, qtbot: QtBot) -> None:
    window.watch(file)
    assert window.game is not None
    assert window.errands.reading is not None
    assert window.errands.reading.isVisible()
    assert len(window.game.match.moments()) == 1
    qtbot.waitUntil(lambda: window.errands.reading is None)
    assert len(window.game.match.moments()) == ORDERS + 1
    assert window.game.match.cursor == 0
    assert not window.game.match.is_live


def test_reading_can_be_stopped_and_what_was_read_stays(window: MainWindow, file: Path, qtbot: QtBot) -> None:
    window.watch(file)
    assert window.game is not None
    assert window.errands.reading is not None
    window.errands.reading.stop()
    assert window.errands.reading is None
    assert 1 <= len(window.game.match.moments()) <= ORDERS
    assert "Stopped" in window.notice.title.text()


def test_another_page_ends_the_reading_in_silence(window: MainWindow, file: Path) -> None:
    window.watch(file)
    window.show_start()
    assert window.errands.reading is None
    assert not window.notice.isVisible()


def test_a_file_that_is_faulty_later_on_is_shown_so_far_and_its_fault_named(window: MainWindow, file: Path, qtbot: QtBot) -> None:
    """The 13th of the faults of peers: a replay went on after a fault in its file."""
    whole = bytearray(file.read_bytes())
    whole[-120] ^= 0x55
    file.write_bytes(bytes(whole))
    window.watch(file)
    assert window.game is not None
    qtbot.waitUntil(lambda: window.errands.reading is None)
    assert window.notice.isVisible()
    assert "entry" in window.notice.lines.text()
    assert 1 <= len(window.game.match.moments()) <= ORDERS


def test_the_shown_moment_stays_while_the_file_grows(file: Path, toy: object) -> None:
    match = FileMatch(file.read_bytes(), name="toy", clock=lambda: 0, whole=False)
    shares = []
    for share in match.go_on():
        shares.append(share)
        assert match.cursor == 0
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
