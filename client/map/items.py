"""Counters as items of the scene; each paints a shared pixmap, and far out a block in its side's colour."""

from __future__ import annotations

import math

from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from client.map.counters import BLOCK, HALF, MARGIN, SIDE, BlockArt, CounterArt, CounterPixmaps, text_at
from client.map.levels import Level, level_at
from client.map.palette import Palette
from client.map.pens import pen
from client.qt import QPointF, QRectF, Qt
from core.units import UnitId

SHOWN_IN_STACK = 3  # counters that peep out; more are a number on the stack
FAN_Z = 40.0  # of a spread stack
STEP = 3.0  # how far each counter of a stack is moved, right and up


EDGE = HALF + MARGIN + 4
BOUNDS = QRectF(-EDGE, -EDGE, 2 * EDGE, 2 * EDGE)
BODY = QRectF(-HALF, -HALF, SIDE, SIDE)


class CounterItem(QGraphicsItem):
    """One counter. Its position is its middle.

    Attributes:
        unit: its number.
        art: what is printed on it now.
        side_colour: of the block that stands for it far out.
        count: number of counters in its stack if it is the top one, else 0.
        steps: of the whole stack, for the block.
        is_selected: it is framed.
    """

    def __init__(self, unit: UnitId, art: CounterArt, pixmaps: CounterPixmaps) -> None:
        super().__init__()
        self.unit = unit
        self.art = art
        self.pixmaps = pixmaps
        self.side_colour = "#000000"
        self.count = 0
        self.steps = 0
        self.is_selected = False

    def boundingRect(self) -> QRectF:
        return BOUNDS

    def show_as(self, art: CounterArt, *, side_colour: str, count: int, steps: int, selected: bool) -> None:
        """Change what it shows; repaints only if something differs."""
        now = (art, side_colour, count, steps, selected)
        if now != (self.art, self.side_colour, self.count, self.steps, self.is_selected):
            self.art, self.side_colour, self.count, self.steps, self.is_selected = now
            self.update()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Put the shared pixmap at whole device pixels; far out the top counter is a block that stands for the whole stack."""
        world, device = painter.worldTransform(), painter.device()
        level = level_at(world.m11())
        if level == Level.FAR:
            if not self.count:
                return
            art: CounterArt | BlockArt = BlockArt(self.side_colour, self.steps)
        else:
            art = self.art
        if self.is_selected:
            self._paint_selection(painter, BLOCK if level == Level.FAR else BODY)
        ratio = device.devicePixelRatioF() if device is not None else 1.0
        scale = round(world.m11() * ratio, 6)
        pixmap = self.pixmaps.get(art, scale, level, self.update)
        side = math.ceil((SIDE + 2 * MARGIN) * scale)
        left, top = round(world.dx() * ratio - side / 2), round(world.dy() * ratio - side / 2)
        painter.save()
        painter.resetTransform()
        painter.drawPixmap(QRectF(left / ratio, top / ratio, side / ratio, side / ratio), pixmap, QRectF(pixmap.rect()))
        painter.restore()
        if self.count > SHOWN_IN_STACK and level != Level.FAR and self.zValue() < FAN_Z:
            self._paint_count(painter)

    def _palette(self) -> Palette:
        return self.pixmaps.palette

    def _paint_selection(self, painter: QPainter, body: QRectF) -> None:
        frame = body.adjusted(-2.2, -2.2, 2.2, 2.2)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen(self._palette().accent, 6.5, alpha=0.35))
        painter.drawRoundedRect(frame, 6, 6)
        painter.setPen(pen(self._palette().accent, 3.0))
        painter.drawRoundedRect(frame, 6, 6)

    def _paint_count(self, painter: QPainter) -> None:
        painter.setPen(pen(self._palette().ink, 0.8))
        painter.setBrush(QColor(self._palette().card))
        painter.drawRoundedRect(QRectF(-HALF - 4, -HALF - 4, 13, 11), 5, 5)
        text_at(painter, str(self.count), QPointF(-HALF + 2.5, -HALF + 1.5), 8, QColor(self._palette().ink))


def stack_offset(index: int, count: int) -> QPointF:
    """Return where the counter *index* from below lies in a stack of *count*."""
    peeping = min(count, SHOWN_IN_STACK)
    step = max(0, index - (count - peeping))
    middle = (peeping - 1) / 2
    return QPointF((step - middle) * STEP, -(step - middle) * STEP)
