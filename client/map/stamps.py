"""What stands on the map many times over, short words and tinted hexes: each is painted once a scale, and then stamped."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from functools import partial
from typing import Generic, NamedTuple, TypeVar

from PySide6.QtGui import QPainter, QPixmap

from client.qt import QPointF, QRectF, Qt

KEPT = 500  # words at one scale
FINE = 64  # parts of a device pixel that nobody sees

W = TypeVar("W", bound=Hashable)


class Key(NamedTuple, Generic[W]):
    """What a stamp is kept by: its word, and what it lies beyond a whole device pixel."""

    word: W
    x: float
    y: float


def stamped(width: float, height: float, scale: float, paint: Callable[[QPainter], None]) -> QPixmap:
    """Return a transparent picture of so many scene units, painted around its middle; *scale* is device pixels a unit."""
    wide, high = math.ceil(width * scale), math.ceil(height * scale)
    pixmap = QPixmap(wide, high)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    painter.translate(wide / 2, high / 2)
    painter.scale(scale, scale)
    paint(painter)
    painter.end()
    return pixmap


class Stamps(Generic[W]):
    """Pictures of words at the scale that was painted last. To stroke the outlines of a thousand words takes ten frames' time.

    Args:
        paint: paints a word around the origin, in scene units; its second argument is the word, its third the look of now.
        room: scene units that it needs around its box.
        parts: in how many parts of a device pixel a word may lie: at whole pixels, what has to meet what else is painted would not.
    """

    def __init__(self, paint: Callable[[QPainter, W, object], None], room: float = 0.0, *, parts: int = 1) -> None:
        self._paint, self._room, self._parts = paint, room, parts
        self._made_for: tuple[float, object] = 0.0, None
        self._made: dict[Key[W], QPixmap] = {}

    def put(self, painter: QPainter, words: Iterable[tuple[W, QRectF]], look: object) -> None:
        """Stamp each word into the middle of its box; words of another *look* are painted anew."""
        origin, ratio = self._fit(painter, look)
        painter.save()
        painter.resetTransform()
        for word, box in words:
            left, top, key = self._spot(word, box, origin)
            stamp = self._made.get(key)
            if stamp is None:
                stamp = self._make(key, box, ratio)
            painter.drawPixmap(QPointF(left / ratio, top / ratio), stamp)
        painter.restore()

    def missing(self, painter: QPainter, words: Iterable[tuple[W, QRectF]], look: object) -> dict[W, Callable[[], object]]:
        """Return what `put` would have to make: a job each, to be done when there is time."""
        origin, ratio = self._fit(painter, look)
        made_for = self._made_for

        def make(key: Key[W], box: QRectF) -> None:
            if self._made_for == made_for and key not in self._made:
                self._make(key, box, ratio)

        spots = ((self._spot(word, box, origin)[2], box) for word, box in words)
        return {key.word: partial(make, key, box) for key, box in spots if key not in self._made}

    def _fit(self, painter: QPainter, look: object) -> tuple[tuple[int, int], float]:
        """Forget what was made for another scale or look; return the device pixel of the scene's origin, and device pixels a pixel.

        The origin is at a whole pixel, as it is for the tiles below: else a scroll by half of one would have all made anew.
        """
        world, device = painter.worldTransform(), painter.device()
        ratio = device.devicePixelRatioF() if device is not None else 1.0
        scale = world.m11() * ratio
        if (scale, look) != self._made_for or len(self._made) > KEPT:
            self._made_for = scale, look
            self._made.clear()
        return (round(world.dx() * ratio), round(world.dy() * ratio)), ratio

    def _spot(self, word: W, box: QRectF, origin: tuple[int, int]) -> tuple[int, int, Key[W]]:
        """Return the device pixel where a word's stamp begins, and what that is kept by; in plain numbers, for there are hundreds."""
        (scale, _), parts, room, wide, high = self._made_for, self._parts, 2 * self._room, box.width(), box.height()
        left = origin[0] + (box.x() + wide / 2) * scale - math.ceil((wide + room) * scale) / 2
        top = origin[1] + (box.y() + high / 2) * scale - math.ceil((high + room) * scale) / 2
        if parts == 1:
            return round(left), round(top), Key(word, 0.0, 0.0)
        left, top = round(left * parts) / parts, round(top * parts) / parts
        return math.floor(left), math.floor(top), Key(word, left % 1.0, top % 1.0)

    def _size(self, box: QRectF) -> tuple[float, float]:
        return box.width() + 2 * self._room, box.height() + 2 * self._room

    def _make(self, key: Key[W], box: QRectF, ratio: float) -> QPixmap:
        scale, look = self._made_for

        def paint(painter: QPainter) -> None:
            painter.translate(key.x / scale, key.y / scale)
            self._paint(painter, key.word, look)

        stamp = self._made[key] = stamped(*self._size(box), scale, paint)
        stamp.setDevicePixelRatio(ratio)
        return stamp
