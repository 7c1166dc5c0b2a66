"""What a hand does with counters on the map, for tests that drag them."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.qt import QPoint, Qt
from client.session.saved import SavedMatch
from core.board import Hex
from core.orders import OptionPick, compose
from tests.client.conftest import middle

LEFT = Qt.MouseButton.LeftButton


def at(page: GamePage, label: str) -> Hex:
    return page.match.setting.board.hex(label)


def take(page: GamePage, qtbot: QtBot, where: QPoint) -> None:
    """Press and move just as far as makes a drag."""
    port = page.map.viewport()
    qtbot.mousePress(port, LEFT, pos=where)
    qtbot.mouseMove(port, where + QPoint(QApplication.startDragDistance(), 0))


def drag(page: GamePage, qtbot: QtBot, start: Hex, goal: Hex) -> None:
    take(page, qtbot, middle(page, start))
    qtbot.mouseMove(page.map.viewport(), middle(page, goal))


def drop(page: GamePage, qtbot: QtBot, goal: Hex) -> None:
    qtbot.mouseRelease(page.map.viewport(), LEFT, pos=middle(page, goal))


def seen(page: GamePage) -> tuple[int, int]:
    return page.map.horizontalScrollBar().value(), page.map.verticalScrollBar().value()


def last_order(page: GamePage) -> object:
    match = page.match
    assert isinstance(match, SavedMatch)
    return match.match.codec.decode(match.match.log.entries[match.match.log.head].order)


def open_orders(page: GamePage) -> list[OptionPick]:
    return [door.pick for door in page.composer.offer(()).doors if door.is_open and isinstance(door.pick, OptionPick)]


def bring_to_sight(page: GamePage, here: Hex) -> None:
    page.map.centerOn(page.scene.centre(here).x, page.scene.centre(here).y)
    page.place_cards()


def play_to(page: GamePage, order: str) -> None:
    """End phases until an order type is open."""
    while OptionPick(order) not in open_orders(page):
        ending = next(pick.option for pick in open_orders(page) if pick.option.startswith("end"))
        page.match.order(compose(page.match.setting.ruleset.orders[ending].order, ()))
        page.refresh()
