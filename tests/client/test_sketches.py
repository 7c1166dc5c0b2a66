"""Pictures of where scenarios begin: drawn aside, kept, begun while one is being chosen, and never shown for another's."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QPixmap
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from client.map.palette import DARK, LIGHT, Palette
from client.qt import QSize
from client.saved_games import Picture
from client.session.saved import Listed
from client.sketch import Sketcher
from client.start import StartPage
from core.pack import Pack
from tests.client.conftest import delete
from tests.toy.ruleset import toy_files


def two_scenarios() -> Pack:
    files = toy_files()
    other = files["scenarios/duel.toml"].replace(b'"duel"', b'"skirmish"')
    files["scenarios/skirmish.toml"] = other.replace(b"last_turn = 3", b"last_turn = 5")
    return Pack(files)


def test_all_scenarios_are_drawn_while_one_is_being_chosen(
    toy: Pack, qtbot: QtBot, qapp: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QComboBox, "showPopup", lambda self: None)  # a list of its own can't come to the front without a screen
    page = StartPage([two_scenarios()], lambda _: Listed(), LIGHT, keys=tmp_path)
    try:
        page.resize(1200, 800)
        page.show()
        qtbot.waitUntil(lambda: not page.scene.is_empty)
        assert len(page.sketcher.kept) == 1
        page.scenario.showPopup()
        qtbot.waitUntil(lambda: len(page.sketcher.kept) == 2)
        page.scenario.setCurrentIndex(1)
        assert not page.scene.is_faded, "the picture is there already"
    finally:
        page.close_down()
        delete(page)


def test_a_scenario_is_chosen_by_name_and_one_that_is_not_there_changes_nothing(
    toy: Pack, qtbot: QtBot, qapp: object, tmp_path: Path
) -> None:
    files = two_scenarios()
    page = StartPage([files], lambda _: Listed(), LIGHT, keys=tmp_path)
    try:
        begun = page.play.text()
        page.choose(files.manifest.ruleset, "skirmish")
        assert page.scenario.currentIndex() == 1
        page.choose(files.manifest.ruleset, "nowhere")
        assert page.scenario.currentIndex() == 1
        page.choose(files.manifest.ruleset, "duel")
        assert (page.scenario.currentIndex(), page.play.text()) == (0, begun)
    finally:
        page.close_down()
        delete(page)


def test_a_picture_of_what_is_no_longer_chosen_fades_until_the_right_one_is_there(
    toy: Pack, qtbot: QtBot, qapp: object, tmp_path: Path
) -> None:
    page = StartPage([two_scenarios()], lambda _: Listed(), LIGHT, keys=tmp_path)
    try:
        page.resize(1200, 800)
        page.show()
        qtbot.waitUntil(lambda: not page.scene.is_empty)
        page.scenario.setCurrentIndex(1)
        assert page.scene.is_faded
        qtbot.waitUntil(lambda: not page.scene.is_faded)
        page.scenario.setCurrentIndex(0)
        assert not page.scene.is_faded
    finally:
        page.close_down()
        delete(page)


def test_no_picture_is_drawn_twice_nor_after_the_window_has_gone(toy: Pack, qtbot: QtBot, qapp: object) -> None:
    owner = Picture(LIGHT, QSize(100, 100))
    qtbot.addWidget(owner)
    sketcher, drawn = Sketcher(owner), list[str]()
    sketcher.drawn.connect(lambda _image, wanted: drawn.append(wanted.scenario))
    pack = two_scenarios()
    sketcher.ask_ahead([(pack, "duel"), (pack, "skirmish")], LIGHT, QSize(100, 100), 1.0)
    sketcher.ask(pack, "duel", LIGHT, QSize(100, 100), 1.0)
    qtbot.waitUntil(lambda: len(sketcher.kept) == 2)
    assert drawn == ["duel"]
    sketcher.ask_ahead([(pack, "duel"), (pack, "skirmish")], LIGHT, QSize(120, 100), 1.0)
    sketcher.stop()
    assert len(sketcher.kept) == 2


def test_a_faded_picture_is_paler(qtbot: QtBot, qapp: object) -> None:
    picture = Picture(LIGHT, QSize(100, 100))
    qtbot.addWidget(picture)
    blue = QPixmap(100, 100)
    blue.fill(QColor("blue"))
    picture.show_pixmap(blue)
    assert QColor(picture.grab().toImage().pixel(50, 50)).name() == "#0000ff"
    picture.fade()
    assert QColor(picture.grab().toImage().pixel(50, 50)).red() > 150


@pytest.mark.parametrize(("drawn", "palette", "is_dimmed"), [("light", DARK, True), ("light", LIGHT, False), ("dark", DARK, False)])
def test_a_picture_that_was_drawn_in_a_light_theme_is_dimmed_in_a_dark_one(
    qtbot: QtBot, qapp: object, drawn: str, palette: Palette, is_dimmed: bool
) -> None:
    paper = QColor({"light": LIGHT, "dark": DARK}[drawn].paper)
    pixmap = QPixmap(40, 40)
    pixmap.fill(paper)
    picture = Picture(palette, QSize(100, 100))
    qtbot.addWidget(picture)
    picture.show_pixmap(pixmap)
    seen = picture.grab().toImage().pixelColor(50, 50)
    assert (seen.lightnessF() < 0.6 * paper.lightnessF()) == is_dimmed
