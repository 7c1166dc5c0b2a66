"""Optional rules can be chosen for a game that is begun on the start page."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from client.meeting.optional import OptionalRules
from client.qt import QCoreApplication, QEvent, QSettings, Qt
from client.window import MainWindow
from rasputitsa.packs import load_pack
from tests.client.conftest import delete, opened


def test_an_optional_rule_that_was_chosen_holds_in_the_game_that_is_begun(qtbot: QtBot, tmp_path: Path) -> None:
    QSettings("rasputitsa", "rasputitsa").clear()
    files = load_pack("war_for_the_motherland")
    window = MainWindow([files], folder=tmp_path)
    window.show()
    qtbot.waitExposed(window)
    start = window.start
    scene = next(one for one in files.scenarios.values() if one.title in start.scenario.currentText())
    offered = [option for option in files.manifest.option if option.matters_in(scene) and option.default is False]
    wanted = next(action for action in start.optional.menu().actions() if action.text().startswith(offered[0].title))
    wanted.trigger()
    assert start.optional.text() == "Optional rules: 1"
    start.opponent.setCurrentIndex(start.opponent.findText("hot seat", Qt.MatchFlag.MatchStartsWith))
    qtbot.mouseClick(start.play, Qt.MouseButton.LeftButton)
    page = opened(window, qtbot)
    assert page.match.setting.options[offered[0].id] is True
    window.close()
    delete(window)


def test_what_other_scenarios_offered_does_not_pile_up(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    files = load_pack("war_for_the_motherland")
    first = files.manifest.option[0]
    several = msgspec.structs.replace(first, id="several", default="a", choices=("a", "b"))
    changed = msgspec.structs.replace(files.manifest, option=(first, several))
    monkeypatch.setattr(files, "manifest", changed)  # the pack is that of all tests
    button = OptionalRules()
    qtbot.addWidget(button)
    for scenario in files.scenarios:
        button.show_game(files, scenario)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    inner = button.menu().findChildren(QMenu)
    assert [one.title() for one in inner] == [f"{first.title} ({first.rule})"]
    assert [one.text() for one in inner[0].actions()] == ["a", "b"]


@pytest.mark.qt_log_ignore("grabbing the keyboard", extend=True)  # a menu does, where there is a display
def test_several_rules_are_ticked_before_the_menu_closes(qtbot: QtBot) -> None:
    files = load_pack("war_for_the_motherland")
    button = OptionalRules()
    qtbot.addWidget(button)
    button.show()
    button.show_game(files, next(iter(files.scenarios)))
    menu = button.menu()
    menu.popup(button.mapToGlobal(button.rect().bottomLeft()))
    ticked = [action for action in menu.actions() if action.isCheckable()][:2]
    before = [action.isChecked() for action in ticked]
    for action in ticked:
        qtbot.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(action).center())
        assert menu.isVisible()
    assert [action.isChecked() for action in ticked] == [not was for was in before]
    assert button.text() == "Optional rules: 2"
    for name, action in zip((Qt.Key.Key_Return, Qt.Key.Key_Space), ticked, strict=True):  # as by the mouse
        menu.setActiveAction(action)
        qtbot.keyClick(menu, name)
        assert menu.isVisible()
    assert [action.isChecked() for action in ticked] == before
    qtbot.keyClick(menu, Qt.Key.Key_Escape)
    assert not menu.isVisible()


def test_the_button_has_room_for_its_words_and_for_the_sign_of_its_menu(qtbot: QtBot, tmp_path: Path) -> None:
    window = MainWindow([load_pack("war_for_the_motherland")], folder=tmp_path)
    window.show()
    qtbot.waitExposed(window)
    button = window.start.optional
    shown = button.grab().toImage()
    ground = shown.pixelColor(6, shown.height() // 2)
    inked = [x for x in range(4, shown.width() - 4) if any(shown.pixelColor(x, y) != ground for y in range(8, shown.height() - 8))]
    gaps = [after - before for before, after in pairwise(inked)]
    assert 8 <= inked[0] <= 20, "words begin as far from the edge as those of a box to choose from"
    sign = inked[gaps.index(max(gaps[-12:])) + 1 :]
    assert max(gaps[-12:]) >= 8, "and the sign stands apart from them"
    assert len(sign) >= 8, "as large as that of a box to choose from"
    window.close()
    delete(window)
