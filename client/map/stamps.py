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
            pixel, key = self._spot(word, box, origin)
            stamp = self._made.get(key)
            if stamp is None:
                stamp = self._make(key, box, ratio)
            painter.drawPixmap(pixel / ratio, stamp)
        painter.restore()

    def missing(self, painter: QPainter, words: Iterable[tuple[W, QRectF]], look: object) -> dict[W, Callable[[], object]]:
        """Return what `put` would have to make: a job each, to be done when there is time."""
        origin, ratio = self._fit(painter, look)
        made_for = self._made_for

        def make(key: Key[W], box: QRectF) -> None:
            if self._made_for == made_for and key not in self._made:
                self._make(key, box, ratio)

        spots = ((self._spot(word, box, origin)[1], box) for word, box in words)
        return {key.word: partial(make, key, box) for key, box in spots if key not in self._made}

    def _fit(self, painter: QPainter, look: object) -> tuple[QPointF, float]:
        """Forget what was made for another scale or look; return the device pixel of the scene's origin, and device pixels a pixel.

        The origin is at a whole pixel, as it is for the tiles below: else a scroll by half of one would have all made anew.
        """
        world, device = painter.worldTransform(), painter.device()
        ratio = device.devicePixelRatioF() if device is not None else 1.0
        scale = world.m11() * ratio
        if (scale, look) != self._made_for or len(self._made) > KEPT:
            self._made_for = scale, look
            self._made.clear()
        return QPointF(round(world.dx() * ratio), round(world.dy() * ratio)), ratio

    def _spot(self, word: W, box: QRectF, origin: QPointF) -> tuple[QPointF, Key[W]]:
        """Return the device pixel where a word's stamp begins, and what that is kept by."""
        scale, (width, height) = self._made_for[0], self._size(box)
        corner = origin + box.center() * scale - QPointF(math.ceil(width * scale), math.ceil(height * scale)) / 2
        left, top = (round(of * self._parts) / self._parts for of in (corner.x(), corner.y()))
        pixel = QPointF(math.floor(left), math.floor(top))
        return pixel, Key(word, left - pixel.x(), top - pixel.y())

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
