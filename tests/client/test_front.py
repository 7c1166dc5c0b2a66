"""The front as it is seen from far: a soft line with each side's colour on its own ground, where counters are blocks."""

from __future__ import annotations

import math

import pytest
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.map.front import BAND, Facing, SoftFront, smooth_line
from client.map.geometry import Geometry
from client.map.levels import Level, level_at
from client.qt import QRectF
from core.board import Hex

FAR = 0.3


@pytest.fixture
def across(page: GamePage, monkeypatch: pytest.MonkeyPatch) -> tuple[Hex, Hex]:
    """Two hexes between which the front of the toy runs, red in the first; nobody stands in them."""
    board, position = page.match.setting.board, page.match.view.position
    free = [Hex(i) for i in range(board.size) if not position.at(Hex(i))]
    here, there = next((a, b) for a in free for b in board.adjacent[a] if b in free)
    monkeypatch.setattr(
        page.match.setting.ruleset, "front", lambda view, side: ((here, there),) if side == "red" else ((there, here),), raising=False
    )
    page.show_again()
    return here, there


def seen(page: GamePage, qtbot: QtBot, scale: float, at: Hex) -> QImage:
    page.map.zoom_to_scale(scale)
    page.map.centerOn(*page.scene.centre(at))
    for _ in range(2):  # what is asked for first, and what is painted then
        page.map.viewport().grab()
        qtbot.waitUntil(lambda: not page.scene.idle.is_busy)
    return page.map.viewport().grab().toImage()


def colour_beside(page: GamePage, image: QImage, one: Hex, other: Hex) -> QColor:
    """Return the colour in the band on the side of *one*, two pixels from the middle of the hexside between both."""
    a, b = page.scene.centre(one), page.scene.centre(other)
    away = BAND / 3.5 / page.map.scale_now() / math.dist(a, b)
    where = page.map.mapFromScene((a.x + b.x) / 2 + away * (a.x - b.x), (a.y + b.y) / 2 + away * (a.y - b.y))
    return image.pixelColor(where)


def distance(one: QColor, other: QColor) -> int:
    return sum(abs(a - b) for a, b in zip(one.getRgb(), other.getRgb(), strict=True))  # type: ignore[call-overload, arg-type]


def test_far_out_each_side_has_its_colour_along_the_front_on_its_own_ground(
    page: GamePage, across: tuple[Hex, Hex], qtbot: QtBot
) -> None:
    here, there = across
    assert level_at(FAR) == Level.FAR
    image = seen(page, qtbot, FAR, here)
    red, blue = QColor(page._colour("red")), QColor(page._colour("blue"))
    ours, theirs = colour_beside(page, image, here, there), colour_beside(page, image, there, here)
    assert distance(ours, red) < distance(ours, blue)
    assert distance(theirs, blue) < distance(theirs, red)


def test_a_front_is_drawn_neither_from_near_nor_where_an_overlay_draws_one(page: GamePage, across: tuple[Hex, Hex], qtbot: QtBot) -> None:
    here, there = across
    drawn = seen(page, qtbot, FAR, here)
    page.scene.front.hide()
    assert seen(page, qtbot, FAR, here) != drawn
    bare = seen(page, qtbot, 1.0, here)
    page.scene.front.show()
    page.scene.front.setVisible(True)
    assert seen(page, qtbot, 1.0, here) == bare
    page.scene.show_overlay("probe", {}, front=[(here, there)], colour="#112233")
    laid = seen(page, qtbot, FAR, here)
    page.scene.front.hide()
    assert seen(page, qtbot, FAR, here) == laid


def test_the_front_goes_with_the_position_that_is_shown(
    page: GamePage, across: tuple[Hex, Hex], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, _ = across
    drawn = seen(page, qtbot, FAR, here)
    monkeypatch.setattr(page.match.setting.ruleset, "front", lambda view, side: (), raising=False)
    page.show_again()
    assert seen(page, qtbot, FAR, here) != drawn


def test_of_a_front_only_what_is_near_is_drawn(page: GamePage) -> None:
    geometry: Geometry = page.scene.geometry
    board = geometry.board
    sides = tuple((Hex(i), there) for i in range(board.size) for there in board.adjacent[Hex(i)])
    front, first = SoftFront(geometry), geometry.centre(Hex(0))
    front.show([Facing("#FF0000", sides), Facing("#0000FF", sides[-1:])])
    (near,) = front.near(QRectF(first.x - 1, first.y - 1, 2, 2))  # the other side has no part in it
    assert near.colour == "#FF0000"
    assert {side for side in sides if 0 in side} <= set(near.sides) < set(sides)


def test_the_line_goes_from_the_middle_of_a_hexside_round_its_corners(page: GamePage) -> None:
    geometry = page.scene.geometry
    here = next(Hex(i) for i in range(geometry.board.size) if len(geometry.board.adjacent[Hex(i)]) == 6)
    ring = smooth_line(geometry, [(here, there) for there in geometry.board.adjacent[here]])
    centre = geometry.centre(here)
    ways = [math.dist((ring.elementAt(i).x, ring.elementAt(i).y), centre) for i in range(ring.elementCount())]
    assert ring.elementCount() == 6 * 4  # at each corner a start, and a curve of three points
    assert all(31.9 <= way <= 37.0 for way in ways)
    alone = smooth_line(geometry, [(here, geometry.board.adjacent[here][0])])
    assert alone.elementCount() == 4  # two straight ends
