"""The Battle panel in a small window: all that can happen is seen at once."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.panels.battle import ChanceBar
from client.qt import QPoint, QRect, Qt
from client.window import MainWindow
from core.events import Line, Part
from core.orders import OptionPick
from core.ruleset import Preview
from core.text import text


def attack_on_two(page: GamePage) -> None:
    """Compose the attack of an army alone on the stack beside it."""
    view, board = page.match.view, page.match.setting.board
    own, enemy = next(
        (here, there) for here in view.position.occupied() for there in board.adjacent[here]
        if view.side_at(here, "soviet") and len(view.side_at(there, "axis")) > 1
    )
    page.composer.choose(OptionPick("attack"))
    page.click(own)
    page.click(enemy)
    assert page.composer.preview() is not None


@pytest.mark.parametrize("size", [(1280, 720), (1380, 860)])
def test_all_that_can_happen_is_seen_in_a_small_window_and_in_words_when_asked_for(
    battlefield: GamePage, qtbot: QtBot, size: tuple[int, int]
) -> None:
    page = battlefield
    page.window().resize(*size)
    attack_on_two(page)
    panel = page.battle

    def all_seen() -> bool:
        bars, seen = panel.findChildren(ChanceBar), panel.viewport().rect()
        bars = [bar for bar in bars if bar.isVisible()]
        return len(bars) > 4 and all(seen.contains(QRect(bar.mapTo(panel.viewport(), QPoint(0, 0)), bar.size())) for bar in bars)

    qtbot.waitUntil(all_seen)
    words = panel._meanings[0]
    assert not words.isVisible()
    more = next(made for made in panel.findChildren(QPushButton) if made.text() == "In words")
    qtbot.mouseClick(more, Qt.MouseButton.LeftButton)
    assert words.isVisible()
    page.show_draft()  # as another click on the map does
    qtbot.waitUntil(lambda: panel._meanings[0].isVisible())
    page.composer.reset()
    page.show_draft()
    assert page.log.isVisibleTo(page.side), "it comes back when the battle goes"


def test_a_stack_that_is_shown_leaves_lines_of_the_log_in_sight(battlefield: GamePage, qtbot: QtBot) -> None:
    page = battlefield
    page.window().resize(1380, 860)
    page.click(page.scene.geometry.thickest(page.match.view.position.occupied(), 1))
    page.open_side("stack")
    line = page.log.text.fontMetrics().lineSpacing()
    page.stack.widget().setMinimumHeight(4000)  # whatever it is that it shows
    qtbot.waitUntil(lambda: page.side._before is not None)
    assert page.log.text.viewport().height() > 4 * line


def test_the_log_gets_its_room_back_where_what_comes_next_in_the_panel_needs_less(battlefield: GamePage, qtbot: QtBot) -> None:
    page = battlefield
    page.window().resize(1600, 960)
    page.click(page.scene.geometry.thickest(page.match.view.position.occupied(), 1))
    page.open_side("stack")
    shares = page.side.split.sizes()
    page.stack.widget().setMinimumHeight(4000)
    qtbot.waitUntil(lambda: page.side._before is not None)
    page.stack.widget().setMinimumHeight(0)
    qtbot.waitUntil(lambda: page.side.split.sizes() == shares)
    assert page.side._before is None


@pytest.mark.parametrize("height", [700, 960])
def test_the_log_that_went_before_a_battle_comes_again_where_its_result_leaves_room(
    battlefield: GamePage, qtbot: QtBot, height: int
) -> None:
    page = battlefield
    page.window().resize(1600, height)
    page.open_side("stack")  # what the player chose last gives way as the battle does
    attack_on_two(page)
    page.battle.widget().setMinimumHeight(4000)
    qtbot.waitUntil(lambda: not page.log.isVisibleTo(page.side))
    page.battle.widget().setMinimumHeight(0)
    page.give()
    assert page.side.current == "battle"
    qtbot.waitUntil(lambda: page.log.isVisibleTo(page.side))
    assert page.log.text.viewport().height() > page.log.text.fontMetrics().lineSpacing()


def test_the_tab_of_orders_that_are_no_battle_is_called_otherwise(battlefield: GamePage) -> None:
    page = battlefield
    attack_on_two(page)
    tab = page.side._buttons["battle"]
    assert tab.text() == "Battle"
    page.battle.show_preview(Preview(text("A factory leaves the map for good")), verb="Evacuate", ready=True, missing="")
    assert tab.text() == "Order"
    assert page.rail.signs["battle"].toolTip() == "Order"
    page.composer.reset()
    page.show_draft()
    assert tab.text() == "Battle"


def test_the_small_map_gives_way_to_the_card_where_there_is_no_room_for_both(battlefield: GamePage, qtbot: QtBot) -> None:
    window = battlefield.window()
    assert isinstance(window, MainWindow)
    window.resize(1280, 720)
    window.looks.set_text(150)
    page = window.page()
    attack_on_two(page)
    qtbot.waitUntil(page.side.isVisible)
    page.place_cards()
    assert page.prompt.isVisible()
    assert page.minimap.isHidden() or not page.minimap.geometry().intersects(page.prompt.geometry())
    page.composer.reset()
    page.show_draft()
    qtbot.waitUntil(page.minimap.isVisible)
    window.looks.set_text(100)


def test_a_figure_of_one_part_has_its_rule_once_beside_it(battlefield: GamePage) -> None:
    page = battlefield
    leaving = Line("Factory 3", "−", (Part("−", "12.32", text("leaves the map")),))
    mixed = Line("attack", "5", (Part("3", "", text("Army")), Part("2", "8.42", text("river"))))
    page.battle.show_preview(Preview(text("A factory leaves"), (leaving, mixed)), verb="Evacuate", ready=True, missing="")
    shown = [label.text() for label in page.battle.findChildren(QLabel)]
    assert "−" in shown
    assert not [words for words in shown if "− (12.32)" in words]
    told = [words for words in shown if words.startswith("3 + 2 (") and "8.42</a>" in words]
    assert told, "which of several parts a rule brings is told"
    assert len([words for words in shown if "8.42" in words]) == 1, "and not once more beside it"
