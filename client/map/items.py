"""Counters as items of the scene; each paints a shared pixmap, and far out a block in its side's colour."""

from __future__ import annotations

import math

from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from client.map.counters import HALF, MARGIN, SIDE, CounterArt, CounterPixmaps, text_at
from client.map.levels import Level, level_at
from client.map.palette import Palette, text_on
from client.map.pens import pen
from client.qt import QPointF, QRectF, QSizeF
from core.units import UnitId

SHOWN_IN_STACK = 3  # counters that peep out; more are a number on the stack
STEP = 3.0  # how far each counter of a stack is moved, right and up


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
        edge = HALF + MARGIN + 4
        return QRectF(-edge, -edge, 2 * edge, 2 * edge)

    def show_as(self, art: CounterArt, *, side_colour: str, count: int, steps: int, selected: bool) -> None:
        """Change what it shows; repaints only if something differs."""
        now = (art, side_colour, count, steps, selected)
        if now != (self.art, self.side_colour, self.count, self.steps, self.is_selected):
            self.art, self.side_colour, self.count, self.steps, self.is_selected = now
            self.update()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Put the shared pixmap at whole device pixels."""
        device = painter.device()
        ratio = device.devicePixelRatioF() if device is not None else 1.0
        world = painter.worldTransform()
        level = level_at(world.m11())
        if level == Level.FAR:
            self._paint_block(painter)
            return
        if self.is_selected:
            self._paint_selection(painter)
        scale = round(world.m11() * ratio, 6)
        pixmap = self.pixmaps.get(self.art, scale, level, self.update)
        side = math.ceil((SIDE + 2 * MARGIN) * scale)
        middle = world.map(QPointF(0, 0)) * ratio
        corner = QPointF(round(middle.x() - side / 2), round(middle.y() - side / 2)) / ratio
        painter.save()
        painter.resetTransform()
        painter.drawPixmap(QRectF(corner, QSizeF(side, side) / ratio), pixmap, QRectF(pixmap.rect()))
        painter.restore()
        if self.count > SHOWN_IN_STACK:
            self._paint_count(painter)

    def _palette(self) -> Palette:
        return self.pixmaps.palette

    def _paint_selection(self, painter: QPainter) -> None:
        frame = QRectF(-HALF, -HALF, SIDE, SIDE).adjusted(-2.2, -2.2, 2.2, 2.2)
        painter.setPen(pen(self._palette().accent, 6.5, alpha=0.35))
        painter.drawRoundedRect(frame, 6, 6)
        painter.setPen(pen(self._palette().accent, 3.0))
        painter.drawRoundedRect(frame, 6, 6)

    def _paint_block(self, painter: QPainter) -> None:
        """Paint the whole stack as a block with its steps; counters below the top one paint nothing."""
        if not self.count:
            return
        block = QRectF(-24, -18, 48, 36)
        painter.setPen(pen(self._palette().accent if self.is_selected else self._palette().ink, 4 if self.is_selected else 1.5))
        painter.setBrush(QColor(self.side_colour))
        painter.drawRoundedRect(block, 6, 6)
        text_at(painter, str(self.steps), QPointF(0, 0), 30, QColor(text_on(self.side_colour)), widest=42)

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
