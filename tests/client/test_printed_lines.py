"""Lines and words of the printed map as they come out: the grid stays thin from near, words of a spaced name stand apart."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter

from client import fonts
from client.map.ground import Ground, Shape, ground_of
from client.map.lettering import _set
from client.map.palette import LIGHT
from client.qt import QRectF
from core.pack import Lettering, build_board
from rasputitsa.packs import load_pack

STRIP = 60  # pixels across a hexside


def strip_of(ground: Ground, area: QRectF, scale: float) -> QImage:
    return painted(ground, area, scale, QImage(STRIP, 1, QImage.Format.Format_RGB32))


def painted(ground: Ground, area: QRectF, scale: float, image: QImage) -> QImage:
    """Return an image with an area of the ground painted on it."""
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(scale, scale)
    painter.translate(-area.left(), -area.top())
    ground.paint(painter, area, LIGHT, scale=scale)
    painter.end()
    return image


@pytest.mark.parametrize(("scale", "most"), [(1.0, 3), (2.5, 3), (4.0, 3)])
def test_a_line_of_the_grid_stays_thin_from_near(qapp: object, monkeypatch: pytest.MonkeyPatch, scale: float, most: int) -> None:
    files = load_pack("war_for_the_motherland")
    ground = ground_of(build_board(files, files.scenarios["turning_point"]))
    west, east = next(
        pair for pair in zip(ground.geometry.cube_of, ground.geometry.cube_of[1:], strict=False)
        if ground.geometry.centre_of(pair[0]).y == ground.geometry.centre_of(pair[1]).y
    )
    a, b = ground.geometry.centre_of(west), ground.geometry.centre_of(east)
    area = QRectF((a.x + b.x - STRIP / scale) / 2, a.y, STRIP / scale, 1 / scale)
    lined = strip_of(ground, area, scale)
    monkeypatch.setattr(ground, "grid", [])
    bare = strip_of(ground, area, scale)
    assert 1 <= sum(lined.pixel(x, 0) != bare.pixel(x, 0) for x in range(STRIP)) <= most


def test_words_of_a_region_stand_farther_apart_than_its_letters(qapp: object) -> None:
    fonts.load()

    def gap(words: str) -> float:
        left, right = (shape.boundingRect() for shape in _set(Lettering("region", words, 0.0, 0.0, 0.0, 2))[0].toSubpathPolygons())
        return right.left() - left.right()

    assert gap("H H") > 2 * gap("HH")


@pytest.mark.parametrize(("scale", "tile"), [(0.5, 512.0), (1.0, 256.0)])
def test_a_part_of_the_map_looks_as_it_does_within_the_whole(
    qapp: object, monkeypatch: pytest.MonkeyPatch, scale: float, tile: float
) -> None:
    files = load_pack("war_for_the_motherland")
    ground = ground_of(build_board(files, files.scenarios["fall_barbarossa"]))
    bounds = ground.bounds
    areas = [
        QRectF(bounds.left() + share * bounds.width(), bounds.top() + row * tile, tile, tile)
        for share in (0.1, 0.32, 0.5, 0.9) for row in range(1, int(bounds.height() / tile), 2)
    ]
    near = [image_of(ground, area, scale) for area in areas]
    assert any(shape.near(area).elementCount() < shape.path.elementCount() / 2 for shape in ground.water for area in areas)
    monkeypatch.setattr(Shape, "near", lambda shape, area: shape.path)
    for area, image in zip(areas, near, strict=True):
        assert worst_difference(image, image_of(ground, area, scale)) <= 8, area  # of rounding: the path's pieces are others


def image_of(ground: Ground, area: QRectF, scale: float) -> QImage:
    size = round(area.width() * scale), round(area.height() * scale)
    return painted(ground, area, scale, QImage(*size, QImage.Format.Format_RGB32))


def worst_difference(one: QImage, other: QImage) -> int:
    bits = [np.frombuffer(image.constBits(), np.uint8).astype(int) for image in (one, other)]  # type: ignore[call-overload]
    return int(abs(bits[0] - bits[1]).max())
