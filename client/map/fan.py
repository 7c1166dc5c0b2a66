"""A stack spread like a roof above its hex: where its counters lie, and what is written beside each, its key and its name."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from client import fonts
from client.map.counters import HALF, SIDE, text_at
from client.map.geometry import Geometry
from client.map.items import FAN_Z
from client.map.overlays import Layer
from client.map.palette import Palette, text_on
from client.map.pens import pen
from client.qt import QPointF, QRectF, Qt

APART, LOWER = SIDE + 4, 32.0  # from one counter to the next: aside, and down from the top, so that its slip has room beside it
LOWEST = 12.0  # how high the outermost counters lie above the middle of the hex, and more
WORDS_SIZE, HIGH, ROOM = 10.5, 15.0, 4.5  # of the words, of the slip that they stand on, at both of its ends
KEY_WIDTH = 14.0
FRAME = 4.0  # of ground around a counter
LEAST_SHOWN = 1.0  # pixels a scene unit that slips are painted with however far out the map is seen


class Slip(NamedTuple):
    """The words beside a counter: its middle, seen from that of the hex, its key (may be empty) and its name."""

    offset: QPointF
    key: str
    name: str


def fan_offset(index: int, count: int) -> QPointF:
    """Return where a counter lies from the middle of its hex: the lowest of the stack at the left, none over another."""
    aside = index - (count - 1) / 2
    rows = (count + 1) // 2  # from the top to both ends
    return QPointF(aside * APART, LOWER * math.floor(abs(aside)) - max(60.0, LOWER * rows + LOWEST))


class FanGroundLayer(Layer):
    """What the counters of the spread stack lie on, so that they stand out against those of other hexes."""

    def __init__(self, geometry: Geometry, palette: Palette) -> None:
        super().__init__(geometry, palette, FAN_Z - 0.5)
        self._ground = QPainterPath()

    def show(self, middles: Iterable[QPointF]) -> None:  # type: ignore[override]
        """Lie below counters with these middles."""
        self._ground = QPainterPath()
        for middle in middles:
            one = QPainterPath()
            half = HALF + FRAME
            one.addRoundedRect(QRectF(middle.x() - half, middle.y() - half, 2 * half, 2 * half), 6, 6)
            self._ground = self._ground.united(one)
        self.update()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        painter.setPen(pen(self.palette.ink, 1.0))
        painter.setBrush(QColor(self.palette.card))
        painter.drawPath(self._ground)


class FanLayer(Layer):
    """The slips of the spread stack.

    Attributes:
        ground: the layer of what its counters lie on.
    """

    def __init__(self, geometry: Geometry, palette: Palette) -> None:
        super().__init__(geometry, palette, FAN_Z + 5)
        self._metrics = QFontMetricsF(fonts.interface(64, QFont.Weight.DemiBold))
        self._middle = QPointF()
        self.ground = FanGroundLayer(geometry, palette)
        self.slips: tuple[Slip, ...] = ()

    def show(self, middle: QPointF, slips: Sequence[Slip]) -> None:  # type: ignore[override]
        """Show these slips around the middle of a hex, none to clear."""
        self._middle, self.slips = middle, tuple(slips)
        self.ground.show(middle + slip.offset for slip in self.slips)
        self.update()

    def boxes(self, scale: float) -> list[QRectF]:
        """Return where each slip lies at a scale."""
        return [self._box(slip, max(1.0, LEAST_SHOWN / scale)) for slip in self.slips]

    def _box(self, slip: Slip, larger: float) -> QRectF:
        width = (2 * ROOM + self._metrics.horizontalAdvance(slip.name) * WORDS_SIZE / 64 + (KEY_WIDTH if slip.key else 0)) * larger
        high, at = HIGH * larger, self._middle + slip.offset
        x, side = at.x(), math.copysign(1, slip.offset.x())
        if abs(slip.offset.x()) < 1:
            return QRectF(x - width / 2, at.y() - HALF - FRAME - 2 - high, width, high)
        edge = x + side * (HALF + FRAME + 2)
        return QRectF(edge - width if side < 0 else edge, at.y() - high / 2, width, high)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        scale = self.scale_of(painter)
        for slip, box in zip(self.slips, self.boxes(scale), strict=True):
            self._paint_slip(painter, slip, box, max(1.0, LEAST_SHOWN / scale))

    def _paint_slip(self, painter: QPainter, slip: Slip, box: QRectF, larger: float) -> None:
        painter.save()
        painter.translate(box.topLeft())
        painter.scale(larger, larger)
        width, left = box.width() / larger, 0.0
        painter.setPen(pen(self.palette.ink, 0.8))
        painter.setBrush(QColor(self.palette.card))
        painter.drawRoundedRect(QRectF(0, 0, width, HIGH), 4, 4)
        if slip.key:
            left = KEY_WIDTH
            painter.setBrush(QColor(self.palette.accent))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawRoundedRect(QRectF(1, 1, KEY_WIDTH, HIGH - 2), 3.4, 3.4)
            ink = QColor(text_on(self.palette.accent))
            text_at(painter, slip.key, QPointF(1 + KEY_WIDTH / 2, HIGH / 2), 9.5, ink, weight=QFont.Weight.Bold, widest=KEY_WIDTH - 2)
        middle = QPointF((left + width) / 2, HIGH / 2)
        text_at(painter, slip.name, middle, WORDS_SIZE, QColor(self.palette.ink), weight=QFont.Weight.DemiBold)
        painter.restore()
