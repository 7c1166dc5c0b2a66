"""Time in the window: battles, bookmarks, speeds, what the log shows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.map.palette import LIGHT
from client.panels.log import LogPanel
from client.panels.timeline import SPEEDS
from client.qt import Qt
from client.session import words
from client.session.bookmarks import Bookmarks, beside
from client.session.saved import SavedMatch
from client.session.words import LogLine
from core.events import Explained, Line
from core.text import text
from tests.toy.ruleset import End

Maker = Callable[..., SavedMatch]


@pytest.fixture
def page(page: GamePage) -> GamePage:
    for _ in range(4):
        page.match.order(End())
    page.refresh()
    return page


def test_bookmarks_are_kept_beside_the_game(tmp_path: Path) -> None:
    file = beside(tmp_path / "games" / "one.rasputitsa")
    assert Bookmarks(file).notes == {}
    assert Bookmarks(file).toggle(3, "the crossing")
    assert Bookmarks(file).notes == {3: "the crossing"}
    assert not Bookmarks(file).toggle(3)
    assert Bookmarks(file).notes == {}
    file.write_text("nothing of ours")
    assert Bookmarks(file).notes == {}


def test_k_sets_a_bookmark_and_ctrl_k_goes_there(page: GamePage, qtbot: QtBot) -> None:
    page.time.seek(2)
    qtbot.keyClick(page.map, Qt.Key.Key_K)
    page.time.seek(0)
    qtbot.keyClick(page.map, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    assert page.match.cursor == 2
    assert list(page.timeline.strip._flags) == [2]
    assert page.time.bookmarks.file is not None
    assert page.time.bookmarks.file.is_file()


def test_where_there_is_no_battle_the_cursor_stays_and_says_so(page: GamePage, qtbot: QtBot) -> None:
    page.time.seek(1)
    with qtbot.waitSignal(page.said):
        page.time.step_to_change(1, what="battle")
    assert page.match.cursor == 1


def test_speed_goes_from_one_to_a_hundred_and_stops_there(page: GamePage) -> None:
    for _ in range(20):
        page.timeline.change_speed(1)
    assert page.timeline.speed.text() == "100×"
    for _ in range(20):
        page.timeline.change_speed(-1)
    assert page.timeline.speed.text() == f"{SPEEDS[0]}×"
    page.timeline.change_speed(-1, around=True)
    assert page.timeline.speed.text() == "100×"


@pytest.mark.parametrize(("speed", "ms", "shown"), [(1, 999, 0), (1, 1000, 1), (10, 250, 2), (100, 20, 2), (100, 500, 4)])
def test_so_many_moments_a_second_are_played_however_long_drawing_takes(page: GamePage, speed: int, ms: int, shown: int) -> None:
    page.time.seek(0)
    while page.timeline.speed.text() != f"{speed}×":
        page.timeline.change_speed(1)
    page.timeline.advance(ms)
    assert page.match.cursor == shown


def test_what_is_left_of_a_moment_counts_for_the_next_tick(page: GamePage) -> None:
    page.time.seek(0)
    for _ in range(3):
        page.timeline.advance(400)
    assert page.match.cursor == 1


def test_b_goes_from_battle_to_battle_in_both_directions(page: GamePage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    moments = [msgspec.structs.replace(moment, battles=int(i in (1, 3))) for i, moment in enumerate(page.match.moments())]
    monkeypatch.setattr(page.match, "moments", lambda: moments)
    page.time.seek(0)
    seen = []
    for modifier in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier):
        qtbot.keyClick(page.map, Qt.Key.Key_B, modifier)
        seen.append(page.match.cursor)
    assert seen == [1, 3, 1]


def test_a_phase_and_a_turn_are_gone_to_where_they_begin_in_both_directions(
    page: GamePage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun = zip(page.match.moments(), (1, 1, 1, 1, 2), ("red", "red", "blue", "blue", "red"), strict=True)
    moments = [msgspec.structs.replace(moment, turn=turn, phase=phase) for moment, turn, phase in begun]
    monkeypatch.setattr(page.match, "moments", lambda: moments)
    page.time.seek(0)
    seen, shift, ctrl = [], Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
    for key, modifier in ((".", shift), (".", shift), (",", shift), (",", shift), (".", ctrl), (",", ctrl)):
        qtbot.keyClick(page.map, key, modifier)
        seen.append(page.match.cursor)
    assert seen == [2, 4, 2, 0, 4, 0]
    page.time.seek(3)
    qtbot.keyClick(page.map, ",", shift)
    assert page.match.cursor == 2


def test_first_entry_and_now_are_a_key_away_and_amber_says_which(page: GamePage, qtbot: QtBot) -> None:
    qtbot.keyClick(page.map, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    assert page.match.cursor == 0
    assert page.frame.isVisible()
    assert page.timeline.live.text().startswith("Back to now")
    image = page.map.grab().toImage()
    assert image.pixelColor(1, 200).name() == LIGHT.accent.lower()
    qtbot.mouseClick(page.timeline.live, Qt.MouseButton.LeftButton)
    assert page.match.is_live
    assert not page.frame.isVisible()


def test_the_log_shows_one_kind_of_line_with_its_phase() -> None:
    def line(kind: str, words: str) -> LogLine:
        return LogLine(kind, text(words))

    told = [line("phase", "A"), line("move", "m"), line("phase", "B"), line("battle", "b"), line("battle", "c"), line("loss", "l")]
    panel = LogPanel(LIGHT)
    for kind, wanted in {"all": "AmBbcl", "battle": "Bbc", "move": "Am", "loss": "Bl"}.items():
        panel.kind = kind
        assert "".join(str(one.text) for _, one in panel._wanted(list(enumerate(told)))) == wanted


def test_the_next_battle_is_shown_where_it_was_fought(page: GamePage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    moments = [msgspec.structs.replace(moment, battles=int(i == 3)) for i, moment in enumerate(page.match.moments())]
    view, shown = page.match.view, list[int]()
    field = view.position.occupied()[0]
    told = Explained("battle", text("Attack on {hex}: {result}", hex=view.board.name(field), result="D1"), (Line("column", "3:1"),))
    fought = words.describe(told, view, {}, {})
    assert fought is not None
    assert fought.places == (field,)
    monkeypatch.setattr(page.match, "moments", lambda: moments)
    monkeypatch.setattr(page.match, "lines", lambda _index: [fought])
    monkeypatch.setattr(page.map, "show_hex", shown.append)
    page.time.seek(0)
    qtbot.keyClick(page.map, Qt.Key.Key_B)
    assert set(shown) == {field}
    assert page.map.cursor_hex == field
    assert page.side.current == "battle"
    page.refresh()  # as soon as the cursor rests
    assert any("D1" in one.text() for one in page.battle.findChildren(QLabel))
    assert page.side.current == "battle"
    monkeypatch.setattr(page.match, "lines", lambda _index: [])
    page.time.seek(2)
    page.refresh()
    assert page.side.current != "battle"
