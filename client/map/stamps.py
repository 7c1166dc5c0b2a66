"""Short words that stand on the map many times over: each is painted once a scale, and then stamped."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from functools import partial
from typing import Generic, TypeVar

from PySide6.QtGui import QPainter, QPixmap, QTransform

from client.qt import QPointF, QRectF, Qt

KEPT = 500  # words at one scale

W = TypeVar("W", bound=Hashable)


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
        at_one_place: whether a word has one box only: it is painted for the very spot where that lies between the device's pixels.
    """

    def __init__(self, paint: Callable[[QPainter, W, object], None], room: float = 0.0, *, at_one_place: bool = False) -> None:
        self._paint, self._room, self._at_one_place = paint, room, at_one_place
        self._made_for: tuple[float, object] = 0.0, None
        self._made: dict[W, QPixmap] = {}

    def put(self, painter: QPainter, words: Iterable[tuple[W, QRectF]], look: object) -> None:
        """Stamp each word into the middle of its box, at whole device pixels; words of another *look* are painted anew."""
        world, ratio = self._fit(painter, look)
        painter.save()
        painter.resetTransform()
        for word, box in words:
            middle = world.map(box.center())
            stamp = self._made.get(word)
            if stamp is None:
                stamp = self._make(word, box, middle, ratio)
            left, top = round(middle.x() * ratio - stamp.width() / 2), round(middle.y() * ratio - stamp.height() / 2)
            painter.drawPixmap(QPointF(left / ratio, top / ratio), stamp)
        painter.restore()

    def missing(self, painter: QPainter, words: Iterable[tuple[W, QRectF]], look: object) -> dict[W, Callable[[], object]]:
        """Return what `put` would have to make: a job each, to be done when there is time."""
        world, ratio = self._fit(painter, look)
        made_for = self._made_for

        def make(word: W, box: QRectF) -> None:
            if self._made_for == made_for and word not in self._made:
                self._make(word, box, world.map(box.center()), ratio)

        return {word: partial(make, word, box) for word, box in words if word not in self._made}

    def _fit(self, painter: QPainter, look: object) -> tuple[QTransform, float]:
        """Forget what was made for another scale or look; return the way from scene units to pixels, and device pixels a pixel."""
        world, device = painter.worldTransform(), painter.device()
        ratio = device.devicePixelRatioF() if device is not None else 1.0
        scale = world.m11() * ratio
        if (scale, look) != self._made_for or len(self._made) > KEPT:
            self._made_for = scale, look
            self._made.clear()
        return world, ratio

    def _make(self, word: W, box: QRectF, middle: QPointF, ratio: float) -> QPixmap:
        scale, look = self._made_for
        width, height = box.width() + 2 * self._room, box.height() + 2 * self._room
        wide, high = math.ceil(width * scale), math.ceil(height * scale)

        def paint(painter: QPainter) -> None:
            if self._at_one_place:  # a name must lie exactly on the one below it, or both look blurred
                left, top = middle.x() * ratio - wide / 2, middle.y() * ratio - high / 2
                painter.translate((left - round(left)) / scale, (top - round(top)) / scale)
            self._paint(painter, word, look)

        stamp = self._made[word] = stamped(width, height, scale, paint)
        stamp.setDevicePixelRatio(ratio)
        return stamp
