"""Notes: written at a moment, shown on the strip and in a list, changed, taken away, there again when the game is opened anew."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.qt import Qt
from client.session.bookmarks import Bookmarks, beside
from client.session.saved import SavedMatch
from client.window import MainWindow
from tests.client.conftest import opened
from tests.toy.ruleset import End

Maker = Callable[..., SavedMatch]


@pytest.fixture
def page(page: GamePage) -> GamePage:
    for _ in range(4):
        page.match.order(End())
    page.refresh()
    return page


def write(qtbot: QtBot, page: GamePage, words: str) -> None:
    qtbot.keyClick(page.map, Qt.Key.Key_K, Qt.KeyboardModifier.ShiftModifier)
    editor = page.notes.editor
    assert editor is not None
    page.window().activateWindow()
    qtbot.waitUntil(editor.hasFocus)
    editor.selectAll()
    qtbot.keyClicks(editor, words)
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: page.notes.editor is None)


def buttons(page: GamePage, name: str = "") -> list[QPushButton]:
    found = page.notes.findChildren(QPushButton)
    return [one for one in found if one.isVisibleTo(page.notes) and (not name or one.accessibleName() == name)]


def test_a_note_is_written_at_the_shown_moment_and_stands_on_the_strip(page: GamePage, qtbot: QtBot) -> None:
    page.time.seek(2)
    write(qtbot, page, "The crossing")
    assert page.side.current == "notes"
    assert page.timeline.strip._flags == {2: "The crossing"}
    assert "The crossing" in page.timeline.strip.words_at(page.timeline.strip.x_of(2))
    qtbot.waitUntil(lambda: any("The crossing" in one.text() for one in buttons(page)))


def test_what_is_typed_replaces_the_words_of_a_bookmark(page: GamePage, qtbot: QtBot) -> None:
    qtbot.keyClick(page.map, Qt.Key.Key_K)
    qtbot.keyClick(page.map, Qt.Key.Key_K, Qt.KeyboardModifier.ShiftModifier)
    editor = page.notes.editor
    assert editor is not None
    assert editor.text()
    page.window().activateWindow()
    qtbot.waitUntil(editor.hasFocus)
    qtbot.keyClicks(editor, "Hold here")
    assert editor.text() == "Hold here"


def test_the_key_of_bookmarks_takes_no_written_note_away(page: GamePage, qtbot: QtBot) -> None:
    page.time.note(0, "The crossing")
    page.time.seek(0)
    with qtbot.waitSignal(page.said) as said:
        page.time.toggle_bookmark()
    assert said.args == ["A note stands here: it is taken away in the Notes panel"]
    assert page.time.notes() == {0: "The crossing"}
    page.time.seek(1)
    page.time.toggle_bookmark()
    assert 1 in page.time.notes()
    page.time.toggle_bookmark()
    assert page.time.notes() == {0: "The crossing"}


def test_notes_are_there_when_the_game_is_opened_again(window: MainWindow, page: GamePage, qtbot: QtBot) -> None:
    page.time.seek(1)
    write(qtbot, page, "Remember this")
    window.show_start()
    window.saver.wait()
    window.resume(next(window.folder.glob("*.rasputitsa")))
    assert opened(window, qtbot).time.notes() == {1: "Remember this"}


def test_a_note_is_changed_and_taken_away(page: GamePage, qtbot: QtBot) -> None:
    page.time.seek(3)
    write(qtbot, page, "first thoughts")
    qtbot.waitUntil(lambda: bool(buttons(page, "Change this note")))
    qtbot.mouseClick(buttons(page, "Change this note")[0], Qt.MouseButton.LeftButton)
    assert page.notes.editor is not None
    assert page.notes.editor.text() == "first thoughts"
    page.notes.editor.setText("second thoughts")
    qtbot.keyClick(page.notes.editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: page.time.notes() == {3: "second thoughts"})
    qtbot.waitUntil(lambda: bool(buttons(page, "Take this note away")))
    qtbot.mouseClick(buttons(page, "Take this note away")[0], Qt.MouseButton.LeftButton)
    assert page.time.notes() == {}


def test_a_click_on_a_note_goes_to_its_moment(page: GamePage, qtbot: QtBot) -> None:
    page.time.seek(1)
    write(qtbot, page, "here")
    page.back_to_now()
    qtbot.waitUntil(lambda: any("here\n" in one.text() for one in buttons(page)))
    qtbot.mouseClick(next(one for one in buttons(page) if "here\n" in one.text()), Qt.MouseButton.LeftButton)
    assert page.match.cursor == 1


def test_a_note_that_cannot_be_kept_is_told_and_changes_nothing(page: GamePage, qtbot: QtBot, tmp_path: Path) -> None:
    blocked = tmp_path / "a file"
    blocked.write_text("no folder")
    page.time.bookmarks.file = blocked / "notes.json"
    with qtbot.waitSignal(page.said) as said:
        page.time.note(1, "lost?")
    assert "could not be saved" in said.args[0]
    assert page.time.notes() == {}


def test_notes_set_and_removed_are_kept_in_the_side_car(tmp_path: Path) -> None:
    file = beside(tmp_path / "g.rasputitsa")
    kept = Bookmarks(file)
    kept.set(4, "a")
    kept.set(2, "b")
    kept.set(4, "c")
    kept.remove(2)
    kept.remove(7)
    assert Bookmarks(file).notes == {4: "c"}


def test_sides_of_one_file_keep_their_notes_from_one_another_until_all_may_read_them(tmp_path: Path) -> None:
    file, readers = beside(tmp_path / "g.rasputitsa"), ["red"]
    kept = Bookmarks(file, lambda: tuple(readers))
    kept.set(3, "strike here")
    readers[:] = ["blue"]
    assert kept.notes == {}
    kept.set(3, "hold")
    kept.remove(4)
    assert Bookmarks(file, lambda: ("blue",)).notes == {3: "hold"}
    assert Bookmarks(file, lambda: ("red",)).notes == {3: "strike here"}
    readers[:] = ["", "blue", "red"]
    assert kept.notes == {3: "hold · strike here"}
    kept.set(3, "so it went")
    assert Bookmarks(file).notes == {3: "so it went"}
    assert Bookmarks(file, lambda: ("red", "blue")).notes == {}


def test_notes_written_before_sides_had_their_own_are_read(tmp_path: Path) -> None:
    file = beside(tmp_path / "g.rasputitsa")
    file.write_text('{"2": "old", "7": "older"}')
    assert Bookmarks(file).notes == {2: "old", 7: "older"}
    file.write_text('{"two": "old"}')
    assert Bookmarks(file).notes == {}
