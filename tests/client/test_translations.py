"""Languages: a made-up one with longer words shows that nothing is left in English and nothing is cut; catalogues are read and written."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QPushButton, QScrollArea, QTextEdit, QWidget
from pytestqt.qtbot import QtBot

from client import languages
from client.game import GamePage
from client.languages import collect
from client.looks import language_folders
from client.panels.widgets import LineButton
from client.qt import QCoreApplication, QEvent, QSettings
from client.session.saved import SavedMatch
from client.session.words import FIGURES
from client.window import MainWindow
from client.words import reckoned, say, word
from core.errors import BadInput
from core.pack import Pack
from core.ruleset import Row, Sheet
from core.text import text
from tests.client.conftest import delete

Maker = Callable[..., SavedMatch]
WORD = re.compile(r"[^\W\d_]{3,}")


@pytest.fixture
def spoken(qtbot: QtBot, toy: Pack, tmp_path: Path) -> Iterator[Callable[[str, int], MainWindow]]:
    """Return a maker of windows that speak a language in a size of texts."""
    made: list[MainWindow] = []

    def speak(code: str, percent: int = 100) -> MainWindow:
        settings = QSettings("rasputitsa", "rasputitsa")
        settings.clear()
        settings.setValue("language", code)
        settings.setValue("text", percent)
        window = MainWindow([toy], folder=tmp_path)
        made.append(window)
        window.resize(1280, 800)
        window.show()
        qtbot.waitExposed(window)
        return window

    yield speak
    QSettings("rasputitsa", "rasputitsa").clear()
    for window in made:
        window.looks.set_text(100)
        window.close()
        delete(window)


def shown(window: MainWindow, kind: type[QWidget]) -> list[QWidget]:
    QApplication.processEvents()
    return [one for one in window.findChildren(kind) if one.isVisible() and one.text()]  # type: ignore[attr-defined]


def let_go() -> None:
    """Delete the pages that were built anew, as the event loop does between two keys: each page costs the next one time."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def cut(window: MainWindow) -> list[str]:
    """Return the words that have less room than they need: on buttons, and in labels of one line."""
    buttons = shown(window, QAbstractButton)
    labels = [one for one in shown(window, QLabel) if isinstance(one, QLabel) and not one.wordWrap() and "<" not in one.text()]
    rooms = [(one, one.width()) for one in buttons] + [(one, one.contentsRect().width()) for one in labels]
    lines = [(one, line, room) for one, room in rooms for line in one.text().split("\n")]  # type: ignore[attr-defined]
    return [line for one, line, room in lines if one.fontMetrics().horizontalAdvance(line) > room + 1]


def low(window: MainWindow) -> list[str]:
    """Return the words of labels with several lines that have less height than they need."""
    labels = [one for one in shown(window, QLabel) if isinstance(one, QLabel) and one.wordWrap() and not one.visibleRegion().isEmpty()]
    return [one.text() for one in labels if one.heightForWidth(one.width()) > one.height() + 1]


def narrow(window: MainWindow) -> list[str]:
    """Return the words on buttons, and in boxes to choose from, that have less room than these ask for with what frames them."""
    buttons = [one for one in shown(window, QPushButton) if isinstance(one, QPushButton) and not isinstance(one, LineButton)]
    boxes = filter(QComboBox.isVisible, window.findChildren(QComboBox))
    found = [one.text() for one in buttons if one.width() < one.sizeHint().width()]
    return found + [one.currentText() for one in boxes if one.width() < one.sizeHint().width()]


def wide(window: MainWindow) -> list[str]:
    """Return the names of what is scrolled up and down and is wider than its place."""
    areas = [area for area in window.findChildren(QScrollArea) if area.isVisible() and area.widget() is not None]
    return [area.accessibleName() for area in areas if area.widget().width() > area.viewport().width()]


def english(window: MainWindow) -> list[str]:
    """Return what is shown and not translated, but for names: of the program, a language, people, their seats, hexes, counters."""
    people = "Anna|Boris|Clara|Dora|Emmy|Fred|Gerda|Gert|Ina"
    names = re.compile(rf"Rasputitsa|English|{people}|North|South|(\w{{4}}-){{4}}\w{{4}}|T\d{{4}}|(red|blue) pawn \d|\b[0-9a-f]{{6}}\b")
    found = []
    for one in [*shown(window, QAbstractButton), *shown(window, QLabel)]:
        words = names.sub("", re.sub(r"<[^>]+>", "", one.text()))  # type: ignore[attr-defined]
        found += [line for line in words.split("\n") if WORD.search(re.sub(f"{languages.OPEN}.*{languages.SHUT}", "", line))]
    for chooser in filter(QComboBox.isVisible, window.findChildren(QComboBox)):
        lines = names.sub("", "\n".join(map(chooser.itemText, range(chooser.count())))).split("\n")
        found += [line for line in lines if WORD.search(line) and languages.SHUT not in line]
    for written in window.findChildren(QTextEdit):
        lines = names.sub("", written.toPlainText()).split("\n") if written.isVisible() else []
        found += [line for line in lines if WORD.search(line) and languages.SHUT not in line]
    return found


def pages(window: MainWindow, make: Maker) -> Iterator[str]:
    """Show one page and panel of the window after the other."""
    for made in (window.start, window.lobby):
        window.pages.setCurrentWidget(made)
        yield made.__class__.__name__
    window.show_match(make())
    assert window.game is not None
    for name in window.game.side.names:
        window.game.open_side(name)
        yield name


def test_in_a_language_with_longer_words_none_is_english_and_none_is_cut(
    spoken: Callable[..., MainWindow], new_match: Maker
) -> None:
    window = spoken(languages.PSEUDO)
    for page in pages(window, new_match):
        assert (page, cut(window), low(window)) == (page, [], [])
        assert (page, english(window)) == (page, [])
    actions = [action for action in window.findChildren(QAction) if action.text() and action.menu() is None]
    assert len(actions) > 40
    assert [action.text() for action in actions if languages.SHUT not in action.text()] == ["English"]


def test_longer_words_leave_no_button_narrow_and_no_panel_wider_than_its_place(battlefield: GamePage, qtbot: QtBot) -> None:
    window = battlefield.window()
    assert isinstance(window, MainWindow)
    window.resize(1280, 800)
    window.looks.set_language(languages.PSEUDO)
    page = window.page()
    board = page.match.setting.board
    for label in ("E4612", "E4512"):
        page.click(board.hex(label))
    for name in page.side.names:
        page.open_side(name)
        QApplication.processEvents()
        assert (name, narrow(window), wide(window)) == (name, [], [])
    window.pages.setCurrentWidget(window.start)
    qtbot.waitUntil(window.start.isVisible)
    QApplication.processEvents()
    assert ("start", cut(window), narrow(window), wide(window)) == ("start", [], [], [])


@pytest.mark.parametrize("percent", [80, 130, 200])
def test_texts_of_any_size_are_whole(spoken: Callable[..., MainWindow], new_match: Maker, percent: int) -> None:
    window = spoken(languages.ENGLISH, percent)
    for page in pages(window, new_match):
        assert (page, cut(window), low(window)) == (page, [], [])
    assert window.game is not None
    assert window.game.header.title.fontMetrics().height() == pytest.approx(17 * percent / 100, abs=2)


def test_two_sizes_of_texts_in_a_row_leave_the_map_where_it_was(
    spoken: Callable[..., MainWindow], new_match: Maker, qtbot: QtBot
) -> None:
    window = spoken(languages.ENGLISH)
    window.show_match(new_match())
    QApplication.processEvents()
    window.page().map.zoom_to_scale(2.0)
    window.page().map.centerOn(300, 300)
    before = window.page().map.sight()
    window.looks.change_text(10)
    window.looks.change_text(10)
    qtbot.waitUntil(lambda: window.page().map.sight().scale == pytest.approx(before.scale))
    after = window.page().map.sight()
    assert (after.middle - before.middle).manhattanLength() < 60  # pixels of a map whose widget is lower now
    let_go()


def test_larger_texts_come_at_once_and_are_kept(spoken: Callable[..., MainWindow], new_match: Maker) -> None:
    window = spoken(languages.ENGLISH)
    window.show_match(new_match())
    assert window.game is not None
    match, height = window.game.match, window.game.header.height()
    for step in range(1, 11):
        window.looks.change_text(10)
        let_go()
        assert window.page().header.title.fontMetrics().height() == pytest.approx(17 * (1 + step / 10), abs=2)
    largest = window.page()
    for _ in range(20):
        window.looks.change_text(10)
    assert window.page() is largest, "at the limit nothing is built anew"
    assert window.game.match is match
    assert window.game.header.height() == 2 * height
    assert QSettings("rasputitsa", "rasputitsa").value("text") in (200, "200")


def test_a_language_is_changed_in_the_open_window(spoken: Callable[..., MainWindow], new_match: Maker) -> None:
    window = spoken(languages.ENGLISH)
    window.show_match(new_match())
    window.looks.set_language(languages.PSEUDO)
    assert languages.SHUT in window.page().tools.findChildren(QAbstractButton)[0].toolTip()
    window.looks.set_language(languages.ENGLISH)
    assert languages.SHUT not in window.page().tools.findChildren(QAbstractButton)[0].toolTip()
    keys = [one.toString() for action in window.findChildren(QAction) for one in action.shortcuts()]
    assert sorted(keys) == sorted(set(keys))


def test_values_beside_the_map_that_are_words_are_translated_as_well(
    spoken: Callable[..., MainWindow], new_match: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = spoken(languages.PSEUDO)
    window.show_match(new_match())
    assert window.game is not None
    sheet = Sheet(text("stores"), (Row(text("fuel"), text("turn {turn}", turn=7)), Row(text("oil"), "3")))
    monkeypatch.setattr(type(window.game.match.setting.ruleset), "sheets", lambda self, view: (sheet,))
    window.game.open_side("record")
    window.game.record.write()
    told = window.game.record.text.toPlainText()
    assert re.search(f"{languages.OPEN}turn 7.*{languages.SHUT}", told)
    assert re.search(f"{languages.SHUT}.3$", told, re.MULTILINE)


def test_a_figure_that_is_a_word_and_a_name_with_a_number_are_translated_as_well(spoken: Callable[..., MainWindow]) -> None:
    spoken(languages.PSEUDO)
    assert reckoned("out (9.51)").startswith(f"{languages.OPEN}out")
    assert reckoned("out (9.51)").endswith(f"{languages.SHUT} (9.51)")
    assert [reckoned(told) for told in ("3 + 3 (8.43)", "D1", "1/1", "A 7-5")] == ["3 + 3 (8.43)", "D1", "1/1", "A 7-5"]
    assert re.fullmatch("«Axis·*» 3, «Soviet·*» 12", word("Axis 3, Soviet 12"))


# ---------------------------------------------------------------- catalogues


def test_a_catalogue_holds_every_text_and_keeps_its_translations(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "xx.json"
    assert collect.main([str(file), "Exempel"]) == 0
    made = json.loads(file.read_text(encoding="utf-8"))
    assert made["name"] == "Exempel"
    assert {"&Game", "Whole map", "Print"} <= made["texts"].keys()
    of_packs = {"Axis", "Turning Point", "Axis security divisions", "air reserve", "oil field", "snow", "Nov 1942", "Rumanian", "panzer"}
    assert of_packs <= made["texts"].keys()
    made["texts"]["Whole map"] = "Hela kartan"
    file.write_text(json.dumps(made), encoding="utf-8")
    assert collect.main([str(file)]) == 0
    assert languages.read(file).texts["Whole map"] == "Hela kartan"
    assert f"{len(made['texts']) - 1} without a translation" in capsys.readouterr().out


def test_what_is_no_catalogue_or_can_not_be_written_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    torn = tmp_path / "torn.json"
    torn.write_text('{"bad', encoding="utf-8")
    assert collect.main([str(torn)]) == 2
    assert capsys.readouterr().err.startswith(f"{torn}: expected a catalogue: ")
    assert torn.read_text(encoding="utf-8") == '{"bad'
    nowhere = tmp_path / "none" / "sv.json"
    assert collect.main([str(nowhere), "Svenska"]) == 3
    assert capsys.readouterr().err == f"{nowhere}: No such file or directory\n"


def test_every_figure_that_a_ruleset_explains_by_a_key_has_a_name_that_can_be_translated() -> None:
    keys = set()
    for file in (collect.ROOT / "core").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Line", "_line") and node.args:
                keys |= {part.value for part in [node.args[0]] if isinstance(part, ast.Constant)}
    assert {"attack", "ratio", "cities"} <= keys
    assert keys <= FIGURES.keys()
    assert {name.template for name in FIGURES.values()} <= collect.texts()


def test_a_translated_text_is_shown_and_a_missing_one_stays_english(
    spoken: Callable[..., MainWindow], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "xx.json").write_text(json.dumps({"name": "Exempel", "texts": {"Watch": "Titta", "Play": ""}}), encoding="utf-8")
    monkeypatch.setattr("client.looks.language_folders", lambda: (tmp_path,))
    window = spoken("xx")
    words = [one.text() for one in window.start.findChildren(QLabel)]
    assert "Titta" in words
    assert "Play" in words
    assert "Exempel" in [action.text() for action in window.findChildren(QAction)]


def test_words_of_the_game_are_translated_wherever_they_are_taken_in_but_nobodys_name(
    spoken: Callable[..., MainWindow], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {"Red": "Röd", "snow": "snö", "Duel": "Tvekamp", "{side} resigns": "{side} ger upp"}
    (tmp_path / "xx.json").write_text(json.dumps({"name": "Exempel", "texts": texts}), encoding="utf-8")
    monkeypatch.setattr("client.looks.language_folders", lambda: (tmp_path,))
    window = spoken("xx")
    assert "Tvekamp" in window.start.play.text()
    assert window.start.scenario.itemText(0) == "Tvekamp · Toy"
    assert say(text("{side} resigns", side="Red")) == "Röd ger upp"
    assert say(text("{player} sits down at {side}", player="Red", side="Red")) == "Red sits down at Röd"
    assert word("Nov 1942, snow") == "Nov 1942, snö"


def test_a_faulty_catalogue_is_told_in_words(spoken: Callable[..., MainWindow], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "xx.json").write_text('{"name": 3}', encoding="utf-8")
    monkeypatch.setattr("client.looks.language_folders", lambda: (tmp_path,))
    with pytest.raises(BadInput, match="expected a catalogue"):
        languages.read(tmp_path / "xx.json")
    window = spoken("xx")
    assert window.notice.isVisible()
    assert "xx.json" in window.notice.lines.text()


def test_catalogues_lie_with_the_program_and_with_the_user() -> None:
    assert language_folders()[0] == languages.HERE
    assert languages.found((Path("nowhere"),)) == {}
