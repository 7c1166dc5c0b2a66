"""Words that are stamped, hexes that are painted by squares, and words that find their places when there is time."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.map.overlays import LabelsLayer, Reachable, ReachLayer
from client.map.palette import LIGHT
from client.map.patches import Inks, Patches, front_of
from client.map.stamps import FINE, Stamps
from client.qt import QPointF, QRectF
from core.board import Hex


def canvas() -> QImage:
    made = QImage(300, 200, QImage.Format.Format_ARGB32_Premultiplied)
    made.fill(0)
    return made


@pytest.mark.parametrize("scale", [1.0, 1.37])
def test_a_word_is_painted_once_a_scale_and_stands_in_the_middle_of_its_boxes(qapp: object, scale: float) -> None:
    painted: list[str] = []

    def paint(painter: QPainter, word: str, look: object) -> None:
        painted.append(word)
        painter.fillRect(QRectF(-4, -3, 8, 6), QColor("#FF0000"))

    stamps, image = Stamps(paint), canvas()
    boxes = [QRectF(20, 30, 8, 6), QRectF(100, 90, 8, 6)]
    painter = QPainter(image)
    painter.scale(scale, scale)
    for look in ("light", "light", "dark"):
        stamps.put(painter, (("7", box) for box in boxes), look)
    painter.end()
    assert painted == ["7", "7"]  # once a look
    for box in boxes:
        middle = box.center() * scale
        assert image.pixelColor(round(middle.x()), round(middle.y())).red() == 255
        assert image.pixelColor(round(middle.x() + 12 * scale), round(middle.y())).alpha() == 0


@pytest.mark.parametrize("ratio", [1.0, 1.5])
@pytest.mark.parametrize("left", [20.0, 20.3, 20.5, 20.8])
def test_a_word_that_lies_finely_is_stamped_as_if_it_were_painted_there(qapp: object, left: float, ratio: float) -> None:
    def paint(painter: QPainter, word: str, look: object) -> None:
        painter.fillRect(QRectF(-4, -3, 8, 6), QColor("#FF0000"))

    box, images = QRectF(left, 30.6, 8, 6), list[QImage]()
    stamps = Stamps(paint, room=2.0, parts=FINE)
    for put in (lambda painter: stamps.put(painter, [("7", box)], ""), lambda painter: painter.fillRect(box, QColor("#FF0000"))):
        images.append(canvas())
        images[-1].setDevicePixelRatio(ratio)
        painter = QPainter(images[-1])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(1.37, 1.37)
        put(painter)
        painter.end()
    spots = [(x, y) for x in range(300) for y in range(200)]
    assert max(abs(images[0].pixelColor(*spot).alpha() - images[1].pixelColor(*spot).alpha()) for spot in spots) < 8


def test_only_what_is_near_what_is_looked_at_is_drawn(page: GamePage) -> None:
    geometry = page.scene.geometry
    patches, hexes = Patches(geometry), [Hex(i) for i in range(geometry.board.size)]
    sides = [(here, there) for here in hexes for there in geometry.board.adjacent[here]]
    patches.show(hexes, [[here, there, here] for here, there in sides], sides)
    first = geometry.centre(hexes[0])
    area = QRectF(first.x - 1, first.y - 1, 2, 2)
    near = patches.near(area)
    assert hexes[0] in near.hexes
    assert len(near.hexes) <= 9
    legs = [leg for leg in sides if leg[0] < leg[1]]
    assert set(near.legs) < set(legs)
    assert {leg for leg in legs if hexes[0] in leg} <= set(near.legs)
    assert {side for side in sides if hexes[0] in side} <= set(near.front) < set(sides)
    image = canvas()
    painter = QPainter(image)
    painter.translate(150 - first.x, 100 - first.y)
    patches.draw(painter, near, Inks("#FF0000", "#FFFFFF", "#FF0000"), 1.0)
    painter.end()
    assert image.pixelColor(150, 100).alpha() > 0


def test_words_of_an_overlay_find_their_places_when_there_is_time(page: GamePage, qtbot: QtBot) -> None:
    here = page.match.view.position.occupied()[0]
    page.map.zoom_to_scale(1.0)
    qtbot.waitUntil(lambda: not page.scene.idle.is_busy)
    page.scene.show_overlay("probe", {here: "12"}, colour="#FF0000")
    labels = page.scene.overlays["probe"].labels
    assert not labels.placed.is_placed(1.0)
    qtbot.waitUntil(lambda: labels.placed.is_placed(1.0) and not page.scene.idle.is_busy)
    assert list(labels.placed.at(1.0)) == [here]


def test_words_of_an_overlay_that_is_painted_without_a_window_are_there_at_once(page: GamePage) -> None:
    here = page.match.view.position.occupied()[0]
    layer = LabelsLayer(page.scene.geometry, LIGHT, "#000000")
    layer.show({here: "12"})
    assert layer.idle is None
    image, centre = canvas(), page.scene.centre(here)
    painter = QPainter(image)
    painter.translate(150 - centre.x, 100 - centre.y)

    class Option:
        exposedRect = QRectF(centre.x - 100, centre.y - 100, 200, 200)  # noqa: N815  Qt's name

    layer.paint(painter, Option())  # type: ignore[arg-type]
    painter.end()
    assert any(image.pixelColor(x, y).alpha() for x in range(100, 200) for y in range(60, 140))


def test_a_front_lies_along_its_hexside_on_the_side_that_it_is_seen_from(page: GamePage) -> None:
    board, geometry = page.match.setting.board, page.scene.geometry
    here = next(hex_ for hex_ in map(Hex, range(board.size)) if len(board.adjacent[hex_]) == 6)
    for there in board.adjacent[here]:
        shared = [p for p in geometry.corners(here) if min(abs(p.x - q.x) + abs(p.y - q.y) for q in geometry.corners(there)) < 0.1]
        a, b = geometry.centre(here), geometry.centre(there)
        inward = QPointF((a.x - b.x) / 64, (a.y - b.y) / 64)
        box = QRectF(QPointF(*shared[0]) + 2.6 * inward, QPointF(*shared[1]) + 2.6 * inward).normalized()
        drawn = front_of(geometry, [(here, there)])[0].boundingRect()
        assert [drawn.left(), drawn.top(), drawn.right(), drawn.bottom()] == pytest.approx(
            [box.left(), box.top(), box.right(), box.bottom()], abs=0.01
        )


@pytest.mark.parametrize("scale", [0.71, 1.41])
def test_reach_that_is_stamped_looks_as_if_it_were_painted(qapp: object, page: GamePage, scale: float) -> None:
    geometry = page.scene.geometry
    hexes = page.match.view.position.occupied()
    layer, centre = ReachLayer(geometry, LIGHT), geometry.centre(hexes[0])
    layer.show({Hex(here): Reachable(here % 3, "") for here in range(geometry.board.size)})

    class Option:
        exposedRect = QRectF(centre.x - 300, centre.y - 300, 600, 600)  # noqa: N815  Qt's name

    images = [canvas(), canvas()]  # at a new scale it is painted, and then stamped
    for image in images:
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(round(150 - scale * centre.x), round(100 - scale * centre.y))
        painter.scale(scale, scale)
        layer.paint(painter, Option())  # type: ignore[arg-type]
        painter.end()
    assert layer._tinted._made
    off = [abs(images[0].pixelColor(x, y).alpha() - images[1].pixelColor(x, y).alpha()) for x in range(300) for y in range(200)]
    assert max(off) <= 255 / 4  # an edge lies at most a quarter of a pixel beside where it belongs
    assert sum(map(bool, off)) < len(off) / 3
    assert min(image.pixelColor(150, 100).alpha() for image in images) > 40


def test_a_scroll_has_no_stamp_made_anew_at_any_pixel_ratio(qapp: object) -> None:
    made: list[int] = []
    stamps = Stamps(lambda painter, word, look: made.append(word), parts=FINE)
    image = canvas()
    image.setDevicePixelRatio(1.5)
    for scroll in range(4):
        painter = QPainter(image)
        painter.translate(-scroll, 0)
        painter.scale(1.37, 1.37)
        stamps.put(painter, [(7, QRectF(20.3, 30.6, 8, 6))], "")
        painter.end()
    assert made == [7]
