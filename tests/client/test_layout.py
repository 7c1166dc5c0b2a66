"""The parts of the table: hidden, floating, docked, and found again as they were left."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from client.qt import QPoint, QRect, Qt
from client.session import saved
from client.session.saved import SavedMatch
from client.window import MainWindow
from core.orders import OptionPick

Maker = Callable[..., SavedMatch]


def test_the_side_panel_floats_and_a_closed_window_docks_it(window: MainWindow, new_match: Maker, qtbot: QtBot) -> None:
    window.show_match(new_match())
    page = window.game
    assert page is not None
    before = page.map.width()
    qtbot.keyClick(page.map, Qt.Key.Key_F9, Qt.KeyboardModifier.ShiftModifier)
    assert page.side.isWindow()
    assert page.side.isVisible()
    assert page.map.width() > before
    page.side.close()
    assert not page.side.isWindow()
    assert page.side.isVisible()
    assert page.map.width() == before


def test_the_layout_is_found_again_in_the_next_game(window: MainWindow, new_match: Maker) -> None:
    window.show_match(new_match())
    assert window.game is not None
    window.game.toggle_timeline()
    window.game.open_side("forces")
    window.show_match(new_match())
    assert window.game is not None
    assert not window.game.timeline.isVisible()
    assert window.game.side.current == "forces"
    window.game.toggle_timeline()
    window.game.toggle_side()
    window.show_match(new_match())
    assert window.game is not None
    assert window.game.timeline.isVisible()
    assert not window.game.side.isVisible()


def test_a_layout_of_another_version_does_no_harm(window: MainWindow, new_match: Maker) -> None:
    window.show_match(new_match())
    assert window.game is not None
    window.game.restore_layout({"tab": "gone", "side": "true", "nonsense": "1"})
    assert window.game.side.current in window.game.side.names


def test_the_log_has_a_place_of_its_own_and_floats_and_docks(window: MainWindow, new_match: Maker) -> None:
    window.show_match(new_match())
    assert window.game is not None
    page, side = window.game, window.game.side
    assert side.places() == "log:below"
    assert page.log.isVisible()
    assert page.todo.isVisible()
    side.float("log")
    assert page.log.window() is not window
    page.log.window().close()
    assert side.places() == ""
    side.choose("log")
    assert page.log.isVisible()
    assert not page.todo.isVisible()


def test_a_key_leads_a_panel_through_all_its_places(window: MainWindow, new_match: Maker, qtbot: QtBot) -> None:
    window.show_match(new_match())
    assert window.game is not None
    page, side = window.game, window.game.side
    side.choose("forces")
    for places in ("log:below,forces:below", "log:below,forces:window", "log:below"):
        qtbot.keyClick(page.map, Qt.Key.Key_F9, Qt.KeyboardModifier.ControlModifier)
        assert side.places().partition("@")[0] == places
        assert page.forces.isVisible() == (places != "log:below")


def test_panels_find_their_places_in_the_next_game(window: MainWindow, new_match: Maker) -> None:
    window.show_match(new_match())
    assert window.game is not None
    window.game.side.float("forces")
    window.show_match(new_match())
    assert window.game is not None
    assert window.game.side.places().partition("@")[0] == "log:below,forces:window"
    window.game.side.restore_places("gone:window,rules:below,forces:nowhere")
    assert window.game.side.places() == "rules:below"


def test_what_is_docked_below_makes_room_for_a_battle_and_takes_it_back(window: MainWindow, new_match: Maker, qtbot: QtBot) -> None:
    window.show_match(new_match())
    assert window.game is not None
    page, board = window.game, window.game.match.setting.board
    window.resize(1500, 640)
    before = page.side.split.sizes()
    page.composer.choose(OptionPick("strike"))
    page.click(board.hex("T0203"))
    page.click(next(here for here in board.adjacent[board.hex("T0203")] if page.match.view.side_at(here, "blue")))
    assert page.side.current == "battle"
    qtbot.waitUntil(lambda: page.battle.verticalScrollBar().maximum() == 0 or page.log.height() < before[1] // 2)
    assert page.side.split.sizes()[0] > before[0]
    assert page.log.isVisible()
    page.composer.reset()
    page.show_draft()
    assert page.side.split.sizes() == before


def test_room_that_the_player_shared_out_is_left_so(window: MainWindow, new_match: Maker, qtbot: QtBot) -> None:
    window.show_match(new_match())
    assert window.game is not None
    side = window.game.side
    side.split.splitterMoved.emit(200, 1)
    before = side.split.sizes()
    side.bring("stack")
    side._make_room()
    assert side.split.sizes() == before


@pytest.mark.parametrize("percent", [100, 150, 200])
def test_the_header_shows_all_phases_and_shortens_its_title_where_there_is_no_room(
    window: MainWindow, new_match: Maker, qtbot: QtBot, percent: int
) -> None:
    window.looks.set_text(percent)
    window.show_match(new_match())
    assert window.game is not None
    header = window.game.header
    window.resize(1500, 900)
    header.show_title("A War of many Years · Duel")
    qtbot.waitUntil(lambda: header.width() == 1500)
    assert header.title.text() == ("A War of many Years · Duel" if percent < 200 else header.title.text())
    window.resize(960, 640)
    header.waits.setText("Red: your decision, and it has been waited for since the day before yesterday")
    qtbot.waitUntil(lambda: header.title.text() == "Duel")
    assert header.title.toolTip() == "A War of many Years · Duel"
    header.waits.setText("Red decides")
    if percent < 200:
        qtbot.waitUntil(lambda: header.chips.width() >= header.chips.short_width())
    window.looks.set_text(100)


def test_the_map_takes_all_the_room_that_an_edge_leaves_and_so_does_the_frame_of_the_past(
    window: MainWindow, new_match: Maker, qtbot: QtBot
) -> None:
    window.show_match(new_match())
    page = window.game
    assert page is not None
    for place in ("left", "tabs", "bottom", "tabs"):
        page.side.put("notes", place)
        QApplication.processEvents()
        assert (page.map.size() == page.around.size()) == (place == "tabs")
        assert page.frame.geometry() == page.map.rect()


def test_the_card_lies_over_the_tools_where_there_is_room_for_one_of_them_only(window: MainWindow, new_match: Maker) -> None:
    window.resize(960, 640)
    window.looks.set_text(200)
    window.show_match(new_match())
    page = window.game
    assert page is not None
    page.open_side("battle")
    page.place_cards()
    both = page.prompt.geometry().intersected(page.tools.geometry())
    assert not both.isEmpty()
    assert page.map.childAt(both.center()) is not page.tools
    assert not page.tools.isAncestorOf(page.map.childAt(both.center()))
    window.looks.set_text(100)


@pytest.mark.parametrize("percent", [80, 90, 100])
def test_what_is_round_stays_round_where_texts_are_small(window: MainWindow, new_match: Maker, percent: int) -> None:
    window.looks.set_text(percent)
    window.show_match(new_match())
    assert window.game is not None
    chip = next(one for one in window.game.log.findChildren(QPushButton, "chip") if one.isChecked())
    image = window.game.grab().toImage()  # by itself, a widget would fill the corners that it leaves free
    for one in (window.game.header.turn, chip):
        corner = one.mapTo(window.game, QPoint(0, 0))
        assert image.pixel(corner + QPoint(1, 1)) != image.pixel(corner + QPoint(one.width() // 2, 1))
    window.looks.set_text(100)


@pytest.mark.parametrize(("percent", "abreast"), [(100, True), (150, False), (200, False)])
def test_all_of_the_start_page_is_in_sight_however_large_the_texts(window: MainWindow, percent: int, abreast: bool) -> None:
    window.resize(1280, 800)
    window.looks.set_text(percent)
    start = window.start
    cards = [start._hero, *start._small]
    for card in cards:
        left = card.mapTo(start.viewport(), QPoint(0, 0)).x()
        assert left >= 0
        assert left + card.width() <= start.viewport().width()
        assert card.minimumSizeHint().width() <= card.width()
    assert (cards[1].mapTo(start, QPoint(0, 0)).x() > cards[0].mapTo(start, QPoint(0, 0)).x() + 50) == abreast
    window.looks.set_text(100)


@pytest.mark.parametrize(("width", "seen"), [(1280, 3), (1536, 3), (1640, 4), (1000, 2)])
def test_as_many_saved_games_stand_on_the_start_page_as_have_room(
    window: MainWindow, new_match: Maker, tmp_path: Path, width: int, seen: int
) -> None:
    file = new_match().save(tmp_path)
    game = next(one for one in saved.recent(tmp_path).games if one.file == file)
    window.resize(width, 900)
    window.start._recent = lambda _: saved.Listed((game,) * 5)
    window.start.refresh()
    QApplication.processEvents()
    games = window.start.saved

    def shown() -> int:
        """Return how many cards are seen; all of them whole, from side to side."""
        QApplication.processEvents()
        cards = [card for card in games.cards if card.isVisible()]
        for card in cards:
            left = card.mapTo(window.start.viewport(), QPoint(0, 0)).x()
            assert 0 <= left <= left + card.width() <= window.start.viewport().width()
        return len(cards)

    assert shown() == seen
    assert games.more.text() == "All 5 games"
    games.more.click()
    assert shown() == 5
    games.more.click()
    assert shown() == seen


def test_every_saved_game_is_reached_however_many_there_are_and_their_cards_are_made_a_few_at_a_time(
    window: MainWindow, new_match: Maker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = new_match().save(tmp_path)
    for number in range(9):
        for kept in (first, first.with_suffix(".json")):
            (tmp_path / f"{number}{kept.suffix}").write_bytes(kept.read_bytes())
    monkeypatch.setattr("client.session.saved.recent.__kwdefaults__", {"after": 0, "at_most": 4})
    monkeypatch.setattr("client.start.MOST_LISTED", 4)
    monkeypatch.setattr("client.saved_games.AT_ONCE", 3)
    window.start.refresh()
    games = window.start.saved
    assert games.more.text() == "All 10 games"
    games.more.click()
    shown = [len(games.cards)]
    while not games.further.isHidden():
        assert games.further.text() == f"{10 - shown[-1]} older games: show more"
        games.further.click()
        shown.append(len(games.cards))
    assert shown == [3, 6, 9, 10]
    assert len({one.file for one in games._games}) == 10
    games.more.click()
    assert games.further.isHidden()


def test_a_panel_dragged_by_its_title_floats_and_docks_where_it_is_dropped(window: MainWindow, new_match: Maker, qtbot: QtBot) -> None:
    window.show_match(new_match())
    assert window.game is not None
    page, side, left = window.game, window.game.side, Qt.MouseButton.LeftButton
    assert side.places() == "log:below"

    def drag(to: QPoint) -> None:
        bar = side._docked["log"]
        qtbot.mousePress(bar, left, pos=QPoint(30, 8))
        qtbot.mouseMove(bar, bar.mapFromGlobal(to))
        qtbot.mouseRelease(bar, left, pos=bar.mapFromGlobal(to))

    def corner() -> QPoint:
        return side._docked["log"].pos()

    drag(side._docked["log"].mapToGlobal(QPoint(33, 9)))
    assert side.places() == "log:below"  # a trembling hand
    over_map = page.map.mapToGlobal(QPoint(300, 250))
    drag(over_map)
    assert side.place_of("log") == "window"
    assert corner() == over_map - QPoint(30, 8)
    drag(over_map + QPoint(50, 20))
    assert side.place_of("log") == "window"
    assert corner() == over_map + QPoint(20, 12)
    drag(side.mapToGlobal(QPoint(60, 160)))
    assert side.places() == "log:below"
    assert page.log.isVisible()


def test_a_panel_that_floats_lies_within_the_window_and_is_high_enough_to_be_read(window: MainWindow, new_match: Maker) -> None:
    window.resize(1500, 900)
    window.show_match(new_match())
    side = window.page().side
    low = side._docked["log"].height()
    side.float("log")
    floating = side._docked["log"]
    assert floating.isWindow()
    assert floating.height() > low
    assert QRect(window.mapToGlobal(QPoint(0, 0)), window.size()).contains(floating.geometry())
