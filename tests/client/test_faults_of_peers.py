"""Faults that other programs had, each tried here under the number that it has in our list of them."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.map.items import BODY, CounterItem
from client.map.view import LEAST, MOST
from client.qt import QPoint, QPointF, Qt
from client.session.saved import SavedMatch
from client.window import MainWindow
from core.events import Placed
from core.fold import fold
from core.orders import OptionPick
from core.units import UnitId
from tests.client.conftest import middle
from tests.toy.ruleset import End, free

Maker = Callable[..., SavedMatch]


def test_19_reach_previews_and_overlays_ask_the_view_that_is_shown_and_no_other(
    page: GamePage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    ruleset, asked = page.match.setting.ruleset, list[object]()

    def spied(name: str, field: str) -> None:
        kind = ruleset.orders[name]
        real = getattr(kind, field)
        told = msgspec.structs.replace(kind, **{field: lambda view, draft: (asked.append(view), real(view, draft))[1]})
        monkeypatch.setitem(ruleset.orders, name, told)

    spied("go", "reach")
    spied("strike", "preview")
    zone = ruleset.overlays["zone"]
    monkeypatch.setitem(ruleset.overlays, "zone", lambda view, side: (asked.append(view), zone(view, side))[1])
    page.toggle_overlay("zone")
    page.click(page.match.setting.board.hex("T0201"))
    page.composer.choose(OptionPick("strike"))
    page.composer.reset()
    page.composer.choose(OptionPick("strike"))
    page.click(page.match.setting.board.hex("T0203"))
    page.map.hex_hovered.emit(page.match.setting.board.hex("T0303"))
    assert len(asked) >= 4
    assert all(view is page.match.view for view in asked)


def test_24_no_order_leaves_while_the_past_is_shown(page: GamePage, qtbot: QtBot) -> None:
    for _ in range(2):
        page.match.order(End())
    page.refresh()
    page.time.seek(1)
    entries = len(page.match.moments())
    for here in page.match.view.position.occupied():
        qtbot.mouseClick(page.map.viewport(), Qt.MouseButton.LeftButton, pos=middle(page, here))
        qtbot.keyClick(page.map, Qt.Key.Key_Return)
        for key in range(Qt.Key.Key_1, Qt.Key.Key_9 + 1):
            qtbot.keyClick(page.map, Qt.Key(key))
    assert not page.composer.picks
    assert len(page.match.moments()) == entries
    assert page.match.cursor == 1


def test_25_no_report_changes_the_position(window: MainWindow, page: GamePage) -> None:
    page.match.order(End())
    page.refresh()
    before = page.match.view.position.digest()
    for name in page.side.names:
        page.open_side(name)
        assert page.match.view.position.digest() == before, name
    page.toggle_answers()
    for overlay in page.match.setting.ruleset.overlays:
        page.toggle_overlay(overlay)
    assert page.match.view.position.digest() == before


def test_32_zoom_by_menu_key_and_wheel_comes_back_to_where_it_was(window: MainWindow, page: GamePage, qtbot: QtBot) -> None:
    actions = {action.text(): action for action in window.findChildren(QAction)}
    page.map.zoom_to_scale(1.0)
    for _ in range(3):
        actions["Zoom out"].trigger()
    for _ in range(3):
        qtbot.keyClick(page.map, Qt.Key.Key_Plus)
    assert page.map.scale_now() == pytest.approx(1.0)
    for _ in range(60):
        actions["Zoom out"].trigger()
    assert page.map.scale_now() == LEAST
    assert not page.map.grab().toImage().isNull()
    for _ in range(60):
        actions["Zoom in"].trigger()
    assert page.map.scale_now() == MOST
    actions["Whole map"].trigger()
    shown = page.map.mapToScene(page.map.viewport().rect()).boundingRect()
    assert shown.adjusted(-2, -2, 2, 2).contains(page.scene.ground.bounds)


@pytest.mark.parametrize("delta", [120, -120, 13, -37])
def test_32_the_point_under_the_wheel_stays_there_however_little_it_turns(page: GamePage, delta: int) -> None:
    page.map.zoom_to_scale(2.0)
    page.map.centerOn(page.scene.ground.bounds.center())
    place = QPoint(610, 333)
    before = page.map.mapToScene(place)
    page.map.zoom_to_scale(2 ** (1 + delta / 480), place)
    off = page.map.mapToScene(place) - before
    assert QPointF(off).manhattanLength() * page.map.scale_now() <= 2.5
    assert page.map.scale_now() == pytest.approx(2 ** (1 + delta / 480))


@pytest.mark.parametrize("scale", [0.7, 1.0, 2.0])
def test_34_a_click_on_any_counter_of_a_large_spread_stack_takes_that_one(page: GamePage, qtbot: QtBot, scale: float) -> None:
    position = page.match.view.position
    here = page.match.setting.board.hex("T0303")
    for _ in range(12):
        fold(position, Placed(UnitId(position.next_unit), "red_pawn", "x", here, 2))
    page.refresh()
    page.map.zoom_to_scale(scale)
    page.map.centre_within_map(here)
    page.scene.fan(here)
    named: list[int] = []
    page.map.unit_clicked.disconnect()
    page.map.unit_clicked.connect(lambda unit, adding: named.append(unit))
    for unit in position.at(here):
        corner = page.scene.counters[unit].pos()
        for dx, dy in ((0, -18), (-18, 0), (18, 0), (0, 0), (-18, -18), (18, -18)):
            spot = page.map.mapFromScene(corner.x() + dx, corner.y() + dy)
            point = page.map.mapToScene(spot)
            page.scene.fan(here)
            seen = [item for item in page.scene.items(point) if isinstance(item, CounterItem) and BODY.contains(item.mapFromScene(point))]
            qtbot.mouseClick(page.map.viewport(), Qt.MouseButton.LeftButton, pos=spot)
            assert named[-1] == seen[0].unit, f"{unit} at {spot}"
    assert set(named) == set(position.at(here))


def test_35_a_unit_that_may_not_move_lights_no_hex(page: GamePage, qtbot: QtBot) -> None:
    own, theirs = page.match.setting.board.hex("T0201"), page.match.view.position
    qtbot.mouseClick(page.map.viewport(), Qt.MouseButton.LeftButton, pos=middle(page, own))
    assert page.scene.reach.costs.words
    page.match.order(End())
    page.refresh()
    assert not page.scene.reach.costs.words
    for here in theirs.occupied():
        if page.match.view.side(theirs.at(here)[0]) != page.match.view.side_to_act():
            page.composer.reset()
            page.click(here)
            assert not page.scene.reach.costs.words


def test_36_lit_are_those_hexes_and_no_others_that_an_order_can_name(page: GamePage) -> None:
    here = page.match.setting.board.hex("T0201")
    page.click(here)
    (unit,) = page.composer.units()
    allowed = set(free(page.match.view, unit))
    assert set(page.composer.ways()) == allowed
    assert len(page.scene.reach.costs.words) == len(allowed)
    assert len(allowed) < page.match.setting.board.size - 1
