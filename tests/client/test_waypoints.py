"""Way-points: a way that is led through hexes by Shift, with clicks, keys and in a drag."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.qt import QEvent, QPointF, Qt
from core.board import Hex
from core.orders import HexPick, OptionPick
from core.ruleset import Way
from core.rulesets.war_for_the_motherland.movement import Move
from tests.client.conftest import middle
from tests.client.hands import LEFT, bring_to_sight, drag, drop, last_order, play_to

SHIFT = Qt.KeyboardModifier.ShiftModifier
Leader = Callable[[GamePage, QtBot, Hex], None]


@pytest.fixture
def stack(battlefield: GamePage) -> Hex:
    """Pick a stack that can go three hexes, by a way that is not the only one of its cost."""
    page = battlefield
    play_to(page, "move")
    for start in page.composer.able()[OptionPick("move")]:
        page.composer.reset()
        page.click(start)
        if page.composer.picks[:1] == (OptionPick("move"),) and detour(page) is not None:
            bring_to_sight(page, start)
            return start
    raise AssertionError("no stack can go by two ways")


def detour(page: GamePage) -> tuple[Hex, Way] | None:
    """Return a neighbour of the start, and the way to a goal that does not lead through it but could."""
    ways, board = page.composer.ways(), page.match.setting.board
    for way in ways.values():
        if len(way.path) != 2 or page.match.view.position.at(way.hex):
            continue
        for beside in board.adjacent[way.hex]:
            near = ways.get(beside)
            if near is not None and near.path == (beside,) and beside != way.path[0] and not page.match.view.position.at(beside):
                return beside, way
    return None


def by_click(page: GamePage, qtbot: QtBot, here: Hex) -> None:
    qtbot.mouseClick(page.map.viewport(), LEFT, SHIFT, middle(page, here))


def by_key(page: GamePage, qtbot: QtBot, here: Hex) -> None:
    page.map.set_cursor(here)
    qtbot.keyClick(page.map, Qt.Key.Key_Return, SHIFT)


def moved(page: GamePage) -> tuple[Hex, ...]:
    """Return the path of the last order."""
    order = last_order(page)
    assert isinstance(order, Move)
    return order.path


def led(page: GamePage) -> tuple[Hex, ...]:
    return tuple(pick.hex for pick in page.composer.picks if isinstance(pick, HexPick))


@pytest.mark.parametrize("lead", [by_click, by_key])
def test_a_way_led_through_a_hex_goes_on_from_there_with_the_cost_of_all_of_it(
    battlefield: GamePage, qtbot: QtBot, stack: Hex, lead: Leader
) -> None:
    page = battlefield
    found = detour(page)
    assert found is not None
    through, way = found
    first = page.composer.ways()[through]
    entries = len(page.match.moments())
    lead(page, qtbot, through)
    assert led(page) == (through,)
    assert len(page.match.moments()) == entries
    rest = page.composer.ways()[way.hex]
    assert rest.path[-1] == way.hex
    assert rest.cost_quarters > first.cost_quarters
    assert rest.cost_quarters >= way.cost_quarters
    assert rest.budget_quarters == way.budget_quarters
    page._hovered(way.hex)
    assert page.scene.path._lines.elementCount() >= 3
    page.map.set_cursor(None)
    qtbot.mouseClick(page.map.viewport(), LEFT, pos=middle(page, way.hex))
    assert moved(page) == (through, *rest.path)


def test_the_end_of_a_led_way_is_clicked_or_dropped_on_to_go_there(battlefield: GamePage, qtbot: QtBot, stack: Hex) -> None:
    page = battlefield
    found = detour(page)
    assert found is not None
    by_click(page, qtbot, found[0])
    qtbot.mouseClick(page.map.viewport(), LEFT, pos=middle(page, found[0]))
    assert moved(page) == (found[0],)


def test_escape_takes_a_leg_back_and_a_second_shift_click_the_end_of_the_way(battlefield: GamePage, qtbot: QtBot, stack: Hex) -> None:
    page = battlefield
    found = detour(page)
    assert found is not None
    picked = page.composer.picks
    by_click(page, qtbot, found[0])
    qtbot.keyClick(page.map, Qt.Key.Key_Escape)
    assert page.composer.picks == picked
    by_click(page, qtbot, found[0])
    by_click(page, qtbot, found[0])
    assert page.composer.picks == picked


def test_shift_pressed_over_a_hex_leads_a_drag_through_it(battlefield: GamePage, qtbot: QtBot, stack: Hex) -> None:
    page = battlefield
    found = detour(page)
    assert found is not None
    through, way = found
    drag(page, qtbot, stack, through)
    qtbot.keyClick(page.map, Qt.Key.Key_Shift)
    assert led(page) == (through,)
    assert page.map.is_carrying
    qtbot.mouseMove(page.map.viewport(), middle(page, way.hex))
    assert "movement points" in page.hint.text()
    drop(page, qtbot, way.hex)
    assert moved(page)[0] == through
    assert moved(page)[-1] == way.hex


def test_a_way_is_drawn_with_shift_held_and_drawn_back_again(battlefield: GamePage, qtbot: QtBot, stack: Hex) -> None:
    page = battlefield
    found = detour(page)
    assert found is not None
    through, way = found
    drag(page, qtbot, stack, through)
    for here in (through, way.hex):
        draw(page, here)
    assert led(page) == (through, way.hex)
    draw(page, through)
    assert led(page) == (through,)
    draw(page, stack)
    assert led(page) == ()
    draw(page, through)
    draw(page, way.hex)
    drop(page, qtbot, way.hex)
    assert moved(page) == (through, way.hex)


def draw(page: GamePage, here: Hex) -> None:
    """Move the mouse to a hex with the button and Shift held."""
    port, where = page.map.viewport(), QPointF(middle(page, here))
    event = QMouseEvent(QEvent.Type.MouseMove, where, port.mapToGlobal(where), Qt.MouseButton.NoButton, LEFT, SHIFT)
    QApplication.sendEvent(port, event)


def test_a_drag_that_is_given_up_forgets_the_way_it_was_led(battlefield: GamePage, qtbot: QtBot, stack: Hex) -> None:
    page = battlefield
    found = detour(page)
    assert found is not None
    picked, entries = page.composer.picks, len(page.match.moments())
    drag(page, qtbot, stack, found[0])
    draw(page, found[0])
    draw(page, found[1].hex)
    qtbot.keyClick(page.map, Qt.Key.Key_Escape)
    assert page.composer.picks == picked
    assert len(page.match.moments()) == entries
