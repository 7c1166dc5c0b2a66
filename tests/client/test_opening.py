"""Games opened, saved and shown while the window goes on: a file's first position at once, the rest meanwhile; stopped, faulty, dropped."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QAction, QPixmap
from pytestqt.qtbot import QtBot

from client.errands import FIRST_SCALES, _prepare
from client.game import GamePage
from client.map.lettering import rung_of
from client.map.view import ZOOM_STEPS
from client.panels.progress import wait_for_all
from client.qt import QCoreApplication, Qt, QTimer
from client.session import saved
from client.session.composing import Composer
from client.session.match import Match
from client.session.replay import FileMatch
from client.session.saved import SavedMatch
from client.table import NEARER_AT_FIRST
from client.window import MainWindow
from core import gamefile
from tests.client.conftest import opened
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
    opened(window, qtbot)
    assert window.game is not None
    assert window.errands.reading is not None
    assert window.errands.reading.isVisible()
    assert 1 <= len(window.game.match.moments()) <= ORDERS
    qtbot.waitUntil(lambda: window.errands.reading is None)
    assert len(window.game.match.moments()) == ORDERS + 1
    assert window.game.match.cursor == 0
    assert not window.game.match.is_live
    assert window.game.frame.isVisible()


def test_reading_can_be_stopped_and_what_was_read_stays(window: MainWindow, file: Path, qtbot: QtBot) -> None:
    window.watch(file)
    opened(window, qtbot)
    assert window.game is not None
    assert window.errands.reading is not None
    window.errands.reading.stop()
    assert window.errands.reading is None
    assert 1 <= len(window.game.match.moments()) <= ORDERS
    assert "Stopped" in window.notice.title.text()


def test_another_page_ends_the_reading_in_silence(window: MainWindow, file: Path, qtbot: QtBot) -> None:
    window.watch(file)
    opened(window, qtbot)
    window.show_start()
    assert window.errands.reading is None
    assert not window.notice.isVisible()


def test_a_file_that_is_faulty_later_on_is_shown_so_far_and_its_fault_named(window: MainWindow, file: Path, qtbot: QtBot) -> None:
    """The 13th of the faults of peers: a replay went on after a fault in its file."""
    whole = bytearray(file.read_bytes())
    whole[-120] ^= 0x55
    file.write_bytes(bytes(whole))
    window.watch(file)
    opened(window, qtbot)
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


def test_whoever_went_to_the_end_is_at_the_end_when_all_is_read_and_whoever_left_it_stays(file: Path, toy: object) -> None:
    match = FileMatch(file.read_bytes(), name="toy", clock=lambda: 0, whole=False)
    ended = []
    for share in match.go_on():
        last = len(match.moments()) - 1
        if last > 0 and not ended:
            match.seek(last)
        if share < 1.0:
            ended.append((match.cursor == len(match.moments()) - 1, match.is_live))
    assert match.is_live
    assert match.cursor == len(match.moments()) - 1 > 1
    assert all(ended[0])
    match = FileMatch(file.read_bytes(), name="toy", clock=lambda: 0, whole=False)
    for _ in match.go_on():
        if not match.is_live:
            continue
        match.seek(len(match.moments()) - 1)
        match.seek(0)
    assert match.cursor == 0


# ---------------------------------------------------------------- a window that never freezes


def held_up(monkeypatch: pytest.MonkeyPatch, name: str) -> threading.Event:
    """Let `client.session.saved` wait in a function until the event is set, as it does over a large map."""
    goes, does = threading.Event(), getattr(saved, name)

    def late(*args: object, **kwargs: object) -> object:
        assert goes.wait(60), "nobody let it go on"
        return does(*args, **kwargs)

    monkeypatch.setattr(saved, name, late)
    return goes


def test_the_window_takes_keys_while_a_game_is_set_up(window: MainWindow, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> None:
    goes = held_up(monkeypatch, "begin")
    qtbot.mouseClick(window.start.play, Qt.MouseButton.LeftButton)
    assert window.errands.opening is not None
    qtbot.waitUntil(window.errands.opening.isVisible)
    assert window.cursor().shape() == Qt.CursorShape.BusyCursor
    window.start.opponent.setFocus()
    before = window.start.opponent.currentIndex()
    qtbot.keyClick(window.start.opponent, Qt.Key.Key_Down)
    assert window.start.opponent.currentIndex() == before + 1
    goes.set()
    opened(window, qtbot)
    assert window.cursor().shape() == Qt.CursorShape.ArrowCursor


def test_a_side_is_chosen_only_where_a_bot_plays_the_other(window: MainWindow) -> None:
    start = window.start
    chosen = {}
    for number in range(start.opponent.count()):
        start.opponent.setCurrentIndex(number)
        chosen[start.opponent.currentText().partition(" ")[0]] = start.seat.isEnabled()
    assert chosen == {"against": True, "hot": False, "two": False}


def test_setting_a_game_up_can_be_stopped(window: MainWindow, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> None:
    goes = held_up(monkeypatch, "begin")
    qtbot.mouseClick(window.start.play, Qt.MouseButton.LeftButton)
    opening = window.errands.opening
    assert opening is not None
    qtbot.waitUntil(opening.isVisible)
    qtbot.mouseClick(opening.stop_button, Qt.MouseButton.LeftButton)
    assert window.errands.opening is None
    goes.set()
    wait_for_all(window)
    QCoreApplication.processEvents()
    assert window.game is None


@pytest.mark.parametrize("leaves_after", ["building", "writing"])
def test_a_page_is_built_and_shown_in_stretches_of_their_own_and_goes_if_something_else_is_wanted_between(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot, leaves_after: str
) -> None:
    build, built, refreshed = window.new_page, list[GamePage](), list[GamePage]()
    refresh = GamePage.refresh

    def build_and_leave(match: Match, *, at_once: bool = True) -> GamePage:
        built.append(build(match, at_once=at_once))
        assert not refreshed, "what it shows is written in a stretch of its own"
        if leaves_after == "building":
            QTimer.singleShot(0, window, window.show_start)
        return built[-1]

    def refresh_and_leave(page: GamePage) -> None:
        refresh(page)
        refreshed.append(page)
        QTimer.singleShot(0, window, window.show_start)

    monkeypatch.setattr(window, "new_page", build_and_leave)
    monkeypatch.setattr(GamePage, "refresh", refresh_and_leave)
    qtbot.mouseClick(window.start.play, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(built) and window.errands.opening is None)
    QCoreApplication.processEvents()
    assert bool(refreshed) == (leaves_after == "writing")
    assert window.game is None
    assert window.errands.built is None
    assert window.pages.currentWidget() is window.start
    assert window.cursor().shape() == Qt.CursorShape.ArrowCursor


def test_the_second_game_that_is_asked_for_is_the_one_that_opens(
    window: MainWindow, file: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    goes = held_up(monkeypatch, "begin")
    qtbot.mouseClick(window.start.play, Qt.MouseButton.LeftButton)
    window.watch(file)
    goes.set()
    assert isinstance(opened(window, qtbot).match, FileMatch)
    wait_for_all(window)
    QCoreApplication.processEvents()
    assert window.game is not None
    assert isinstance(window.game.match, FileMatch)


def test_what_the_first_sight_asks_is_found_before_the_page_is_built(
    window: MainWindow, new_match: Maker, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    asked, rules = dict[str, list[int]](), type(new_match().setting.ruleset)

    def told(name: str, act: Callable[..., object]) -> Callable[..., object]:
        return lambda *args: (asked.setdefault(name, []).append(threading.get_ident()), act(*args))[1]

    monkeypatch.setattr(Composer, "able", told("able", Composer.able))
    monkeypatch.setattr(rules, "duties", told("duties", rules.duties))
    window.errands.open_game("toy", new_match, window._show_opened)
    opened(window, qtbot)
    assert sorted(asked) == ["able", "duties"]
    assert all(threads[0] != threading.get_ident() for threads in asked.values())
    assert all(threading.get_ident() in threads for threads in asked.values()), "the page asks the same"


def test_a_game_is_played_on_while_it_is_saved_and_the_file_holds_what_was_then(
    window: MainWindow, new_match: Maker, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    goes, writes = threading.Event(), saved.write_whole

    def late(path: Path, content: bytes) -> None:
        assert goes.wait(60), "nobody let it go on"
        writes(path, content)

    monkeypatch.setattr(saved, "write_whole", late)
    match = new_match()
    window.show_match(match)
    match.order(End())
    window.save()
    match.order(End())
    goes.set()
    window.saver.wait()
    (kept,) = window.folder.glob("*.rasputitsa")
    assert len(FileMatch(kept.read_bytes(), name="toy", clock=lambda: 0).moments()) == 2


def test_a_folder_that_takes_no_game_is_told_of(window: MainWindow, new_match: Maker, tmp_path: Path, qtbot: QtBot) -> None:
    window.show_match(new_match())
    window.folder = tmp_path / "file"
    window.folder.write_bytes(b"")
    window.save()
    qtbot.waitUntil(lambda: "could not be saved" in window.notice.title.text())
    window.folder = tmp_path


def test_the_map_is_painted_tile_by_tile_and_the_paper_is_seen_at_once(window: MainWindow, new_match: Maker, qtbot: QtBot) -> None:
    window.show_match(new_match())
    assert window.game is not None
    tiles, made = window.game.scene.tiles, list[object]()
    paint, pixmap = tiles._painting, QPixmap(window.game.map.viewport().size())
    tiles._painting = lambda key: (made.append(key), paint(key))[1]  # type: ignore[assignment, method-assign]
    window.game.map.viewport().render(pixmap)
    assert not made, "a tile was painted while the window waited"
    qtbot.waitUntil(lambda: bool(made) and not window.game.scene.idle.is_busy)  # type: ignore[union-attr]


def test_a_page_that_goes_is_not_styled_anew_before(window: MainWindow, new_match: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    window.show_match(new_match())
    styled, style = list[int](), window.setStyleSheet
    monkeypatch.setattr(window, "setStyleSheet", lambda words: (styled.append(len(window.findChildren(GamePage))), style(words)))
    for percent in (110, 100):
        window.looks.set_text(percent)
        window.page()
    assert styled == [0, 0]
    assert len(window.findChildren(GamePage)) == 1


def test_other_sizes_of_texts_hold_the_window_up_in_three_short_stretches(
    window: MainWindow, new_match: Maker, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    window.show_match(new_match())
    old, stretches, go_on = window.page(), list[list[str]](), window._go_on_building

    def told(name: str, act: Callable[..., object]) -> Callable[..., object]:
        return lambda *args, **kwargs: (stretches[-1].append(name), act(*args, **kwargs))[1]

    monkeypatch.setattr(window, "_go_on_building", lambda: (stretches.append([]), go_on()))
    for name in ("new_page", "setStyleSheet", "show_page"):
        monkeypatch.setattr(window, name, told(name, getattr(window, name)))
    monkeypatch.setattr(GamePage, "show_again", told("show_again", GamePage.show_again))
    window.looks.set_text(110)
    assert window.pages.currentWidget() is old, "the page of before is there until the other one comes"
    qtbot.waitUntil(lambda: window._building is None)
    assert stretches == [["new_page"], ["setStyleSheet"], ["show_page", "show_again"]]
    assert window.pages.currentWidget() is window.game is not old
    assert window.updatesEnabled()
    assert window.pages.count() == 1
    window.looks.set_text(100)


def test_other_sizes_of_texts_paint_no_small_map_and_write_no_line_anew(window: MainWindow, new_match: Maker, qtbot: QtBot) -> None:
    match = new_match()
    match.order(End())
    window.show_match(match)
    old = window.page()
    old.side.bring("log")
    qtbot.waitUntil(lambda: old.minimap._kept is not None and bool(old.log._known))
    ground, lines = old.minimap._kept, dict(old.log._known)
    window.looks.set_text(110)
    new = window.page()
    assert new is not old
    assert new.minimap._kept is ground
    new.side.bring("log")
    assert lines.items() <= new.log._known.items()
    assert all(new.log._known[key][1] is lines[key][1] for key in lines)
    window.looks.set_text(100)


@pytest.mark.parametrize("stretches", [1, 2])
def test_what_needs_the_page_while_it_is_built_anew_has_it_at_once(window: MainWindow, new_match: Maker, stretches: int) -> None:
    window.show_match(new_match())
    old, shown = window.page(), window.page().timeline.isVisible()
    window.looks.set_text(110)
    for _ in range(stretches - 1):
        window._go_on_building()
    (timeline,) = (action for action in window.findChildren(QAction) if action.shortcut().toString() == "F10")
    assert timeline.isEnabled()
    timeline.trigger()
    assert window.game is not None
    assert window.pages.currentWidget() is window.game is not old
    assert window.game.timeline.isVisible() is not shown
    window.show_start()
    assert window.game is None
    assert window.updatesEnabled()
    window.looks.set_text(100)


def test_pages_that_are_hidden_are_built_anew_only_when_they_are_needed(window: MainWindow, new_match: Maker) -> None:
    window.show_match(new_match())
    before = window.start
    window.looks.set_text(110)
    assert window._start is None
    window.show_start()
    assert window.start is not before
    assert window.pages.currentWidget() is window.start
    window.looks.set_text(100)


def test_names_are_placed_aside_for_every_scale_that_a_map_may_be_seen_at_first() -> None:
    whole = ZOOM_STEPS.index(1.0)
    first = {rung_of(scale) for scale in ZOOM_STEPS[whole : whole + NEARER_AT_FIRST + 1]}
    assert first <= {rung_of(scale) for scale in FIRST_SCALES}


def test_what_is_told_of_a_map_that_is_prepared_moves_on_to_its_end(qapp: object, new_match: Callable[..., SavedMatch]) -> None:
    told: list[float] = []
    _prepare(new_match(), told.append)
    assert len(told) > 3
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1.0)
