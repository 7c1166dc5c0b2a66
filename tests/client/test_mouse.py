"""The mouse over the map: double clicks, pinches, and the map that runs at its edge."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtGui import QNativeGestureEvent, QPointingDevice
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.map.view import LEAST, MOST
from client.qt import QPoint, QPointF, Qt
from client.session.saved import SavedMatch
from core.board import Hex
from core.events import Placed
from core.fold import fold
from core.orders import OptionPick
from core.units import UnitId
from tests.client.conftest import middle

Maker = Callable[..., SavedMatch]


@pytest.fixture
def page(page: GamePage) -> GamePage:
    page.animates = False
    return page


def double_click(page: GamePage, qtbot: QtBot, here: Hex) -> None:
    port, where = page.map.viewport(), middle(page, here)
    qtbot.mouseClick(port, Qt.MouseButton.LeftButton, pos=where)
    qtbot.mouseDClick(port, Qt.MouseButton.LeftButton, pos=where)


def test_a_double_click_takes_all_of_a_stack_that_can_act(page: GamePage, qtbot: QtBot) -> None:
    here = page.match.setting.board.hex("T0201")
    fold(page.match.view.position, Placed(UnitId(20), "red_pawn", "9", here, 2))
    page.refresh()
    qtbot.mouseClick(page.map.viewport(), Qt.MouseButton.LeftButton, pos=middle(page, here))
    assert len(page.composer.units()) == 1
    page.composer.reset()
    double_click(page, qtbot, here)
    assert set(page.composer.units()) == {UnitId(0), UnitId(20)}


def test_a_double_click_on_a_goal_gives_one_order_and_picks_nothing_after_it(page: GamePage, qtbot: QtBot) -> None:
    page.click(page.match.setting.board.hex("T0201"))
    assert page.composer.picks[0] == OptionPick("go")
    entries = len(page.match.moments())
    double_click(page, qtbot, min(page.composer.ways()))
    assert len(page.match.moments()) == entries + 1
    assert not page.composer.units()


# ---------------------------------------------------------------- pinches


def pinch_on_trackpad(page: GamePage, value: float, where: QPoint) -> None:
    at = QPointF(where)
    port = page.map.viewport()
    kind, device = Qt.NativeGestureType.ZoomNativeGesture, QPointingDevice.primaryPointingDevice()
    QApplication.sendEvent(port, QNativeGestureEvent(kind, device, 2, at, at, port.mapToGlobal(at), value, QPointF()))


@pytest.mark.parametrize("value", [0.1, -0.1])
def test_a_pinch_on_a_trackpad_zooms_about_the_fingers(page: GamePage, value: float) -> None:
    page.map.zoom_to_scale(2.0)
    page.map.centerOn(page.scene.ground.bounds.center())
    place = QPoint(610, 333)
    before = page.map.mapToScene(place)
    pinch_on_trackpad(page, value, place)
    assert page.map.scale_now() == pytest.approx(2.0 * (1 + value))
    assert QPointF(page.map.mapToScene(place) - before).manhattanLength() * page.map.scale_now() <= 2.5


def test_no_pinch_leads_beyond_the_limits(page: GamePage) -> None:
    for value, end in ((0.9, MOST), (-0.9, LEAST)):
        for _ in range(12):
            pinch_on_trackpad(page, value, QPoint(300, 300))
        assert page.map.scale_now() == end


def test_two_fingers_that_part_on_a_touch_screen_zoom_in(page: GamePage) -> None:
    port, device = page.map.viewport(), QTest.createTouchDevice()
    page.map.zoom_to_scale(1.0)
    entries, picks = len(page.match.moments()), page.composer.picks
    left, right = QPoint(500, 400), QPoint(560, 400)
    QTest.touchEvent(port, device).press(0, left, port).press(1, right, port).commit()
    for step in range(1, 13):
        by = QPoint(10 * step, 0)
        QTest.touchEvent(port, device).move(0, left - by, port).move(1, right + by, port).commit()
    QTest.touchEvent(port, device).release(0, left - by, port).release(1, right + by, port).commit()
    assert page.map.scale_now() > 1.5
    assert (len(page.match.moments()), page.composer.picks) == (entries, picks)


# ---------------------------------------------------------------- the edge


EDGES = {"right": (1, 0), "left": (-1, 0), "top": (0, -1), "bottom": (0, 1)}


@pytest.mark.parametrize("edge", EDGES)
def test_the_map_runs_while_the_mouse_rests_at_its_edge(page: GamePage, qtbot: QtBot, edge: str) -> None:
    view, port = page.map, page.map.viewport()
    view.zoom_to_scale(3.0)
    view.centerOn(page.scene.ground.bounds.center())
    far = QPoint(port.width() - 2, port.height() - 2)
    spots = {"right": QPoint(far.x(), 300), "left": QPoint(2, 300), "top": QPoint(700, 2), "bottom": QPoint(700, far.y())}
    bars = (view.horizontalScrollBar(), view.verticalScrollBar())
    before = [bar.value() for bar in bars]
    qtbot.mouseMove(port, spots[edge])
    across, down = EDGES[edge]
    qtbot.waitUntil(lambda: (bars[0].value() - before[0]) * across + (bars[1].value() - before[1]) * down > 30)
    assert bars[1 if across else 0].value() == before[1 if across else 0]
    qtbot.mouseMove(port, QPoint(600, 400))
    assert not view._edge_timer.isActive()


def test_the_map_stays_when_the_mouse_only_crosses_its_edge_or_drags(page: GamePage, qtbot: QtBot) -> None:
    view, port = page.map, page.map.viewport()
    view.zoom_to_scale(3.0)
    view.centerOn(page.scene.ground.bounds.center())
    edge = QPoint(port.width() - 2, 300)
    qtbot.mouseMove(port, edge)
    assert view._edge_timer.isActive()
    qtbot.mouseMove(port, QPoint(600, 300))
    assert not view._edge_timer.isActive()
    qtbot.mousePress(port, Qt.MouseButton.LeftButton, pos=QPoint(600, 300))
    qtbot.mouseMove(port, edge)
    assert not view._edge_timer.isActive()
    qtbot.mouseRelease(port, Qt.MouseButton.LeftButton, pos=edge)
