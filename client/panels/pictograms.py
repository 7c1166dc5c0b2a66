"""Signs for buttons, drawn as lines in the ink of the theme: one for each overlay and panel with a usual name, and one for all others."""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPaintEvent, QPixmap, QPolygonF
from PySide6.QtWidgets import QPushButton, QStyle, QStyleOptionButton

from client import fonts
from client.map.pens import pen
from client.qt import QPointF, QRectF, QSize, Qt
from client.scale import px

BOX = 20  # units that a sign is wide and high, around its middle
SIGN_SIZE, KEY_SIZE = 20, 11  # pixels: of the sign, and of its key's letters
WIDTH, HEIGHT, KEY_HEIGHT = 36, 30, 10  # of a button, and what a key below the sign adds


class SignButton(QPushButton):
    """A button with a sign instead of words, and its key in small type below.

    Args:
        sign: what is drawn; see `SIGNS`.
        tip: what it does, with its key: shown, and read aloud.
        key: the letter below, empty where there is none.
    """

    def __init__(self, sign: str, *, tip: str, key: str = "", checkable: bool = False) -> None:
        super().__init__()
        self.setObjectName("tool")
        self.setCheckable(checkable)
        self.setToolTip(tip)
        self.setAccessibleName(tip)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves Enter and Space to the map
        self._draw, self._key = SIGNS.get(sign, _layers), key
        self._pixels, self._stamped = QPixmap(), (0, 0.0)
        self._mark = ""  # the colour of its mark
        self.setFixedSize(QSize(px(WIDTH), px(HEIGHT + (KEY_HEIGHT if key else 0))))

    def mark(self, colour: str, tip: str) -> None:
        """Bear a dot of this colour, as something is new there, or none where it is empty; *tip* says so in words."""
        self._mark = colour
        self.setToolTip(tip)
        self.setAccessibleName(tip)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        option = QStyleOptionButton()
        self.initStyleOption(option)
        self.style().drawControl(QStyle.ControlElement.CE_PushButton, option, painter, self)
        painter.drawPixmap(0, 0, self._stamp(self.palette().windowText().color()))
        if self._mark:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(pen(self.palette().window().color().name(), 1.4))
            painter.setBrush(QColor(self._mark))
            painter.drawEllipse(QPointF(self.width() - px(8), px(8)), px(5), px(5))
        painter.end()

    def _stamp(self, ink: QColor) -> QPixmap:
        """Return sign and key on nothing, drawn once: the buttons over the map are painted again whenever it moves under them."""
        ratio = self.devicePixelRatioF()
        known = (ink.rgba(), ratio)
        if self._stamped != known:
            self._stamped = known
            self._pixels = QPixmap(self.size() * ratio)
            self._pixels.setDevicePixelRatio(ratio)
            self._pixels.fill(Qt.GlobalColor.transparent)
            painter = QPainter(self._pixels)
            self._paint_sign(painter, ink)
            painter.end()
        return self._pixels

    def _paint_sign(self, painter: QPainter, ink: QColor) -> None:
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        if self._key:
            painter.setPen(ink)
            painter.setFont(fonts.interface(px(KEY_SIZE), QFont.Weight.DemiBold))
            low = self.rect().adjusted(0, px(HEIGHT - 5), 0, -px(2))
            painter.drawText(low, Qt.AlignmentFlag.AlignCenter, self._key)
        painter.translate(self.width() / 2, px(HEIGHT) / 2 - (px(1) if self._key else 0))
        painter.scale(px(SIGN_SIZE) / BOX, px(SIGN_SIZE) / BOX)
        painter.setPen(pen(ink, 1.6))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        self._draw(painter)


# ---------------------------------------------------------------- strokes


def _line(painter: QPainter, *points: tuple[float, float]) -> None:
    painter.drawPolyline([QPointF(*point) for point in points])


def _dot(painter: QPainter, x: float, y: float, radius: float = 1.9) -> None:
    path = QPainterPath()
    path.addEllipse(QPointF(x, y), radius, radius)
    painter.fillPath(path, painter.pen().brush())


def _fill(painter: QPainter, *points: tuple[float, float]) -> None:
    path = QPainterPath()
    path.addPolygon(QPolygonF([QPointF(*point) for point in points]))
    path.closeSubpath()
    painter.fillPath(path, painter.pen().brush())


def _hex(painter: QPainter, x: float, y: float, radius: float) -> None:
    turns = (math.radians(60 * i + 30) for i in range(6))
    painter.drawPolygon(QPolygonF([QPointF(x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns]))


# ---------------------------------------------------------------- overlays


def _zone(painter: QPainter) -> None:
    _hex(painter, 0, 0, 9)
    _dot(painter, 0, 0, 2.4)


def _front(painter: QPainter) -> None:
    _line(painter, (-9.5, 4), (-4, -1), (1, 3), (9.5, -4))
    for x, y in ((-7.4, 2.1), (-2.2, 0.5), (2.8, 1.5), (7, -2)):
        _fill(painter, (x - 2, y), (x + 1.9, y - 0.6), (x - 0.6, y - 4.6))


def _net(painter: QPainter) -> None:
    _line(painter, (0, 8), (0, 0), (-7, -6))
    _line(painter, (0, 0), (7, -6))
    for x, y in ((0, 8), (-7, -6), (7, -6)):
        _dot(painter, x, y, 2.3)


def _cut(painter: QPainter) -> None:
    _line(painter, (-8, 7), (-3.4, 2.8))
    _line(painter, (3.4, -2.8), (8, -7))
    _dot(painter, -8, 7, 2.3)
    _dot(painter, 8, -7, 2.3)
    _line(painter, (-4, -4), (4, 4))
    _line(painter, (-4, 4), (4, -4))


def _crosshair(painter: QPainter) -> None:
    painter.drawEllipse(QPointF(0, 0), 6.2, 6.2)
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        _line(painter, (3.4 * x, 3.4 * y), (9.6 * x, 9.6 * y))


def _arrival(painter: QPainter) -> None:
    painter.drawRoundedRect(QRectF(-8.5, -6.5, 17, 13), 2, 2)
    _line(painter, (-3.6, 0), (3.6, 0))
    _line(painter, (0, -3.6), (0, 3.6))


def _star(painter: QPainter) -> None:
    turns = ((math.radians(36 * i - 90), 9.4 if i % 2 == 0 else 4.0) for i in range(10))
    painter.drawPolygon(QPolygonF([QPointF(radius * math.cos(turn), 0.6 + radius * math.sin(turn)) for turn, radius in turns]))


def _ring(painter: QPainter) -> None:
    painter.drawEllipse(QPointF(0, 0), 9, 9)
    _line(painter, (-5, 1), (5, 1))
    _fill(painter, (-1.6, 1), (0, -5.4), (1.6, 1), (0, 4.6))
    _line(painter, (-2.4, 4.4), (2.4, 4.4))


def _layers(painter: QPainter) -> None:
    """An overlay without a sign of its own: three hexes."""
    for x, y in ((0, -4.4), (-4.6, 3.6), (4.6, 3.6)):
        _hex(painter, x, y, 4.6)


# ---------------------------------------------------------------- zoom


def _lens(painter: QPainter) -> None:
    painter.drawEllipse(QPointF(-1.6, -1.6), 6.6, 6.6)
    _line(painter, (3.3, 3.3), (8.6, 8.6))


def _nearer(painter: QPainter) -> None:
    _lens(painter)
    _line(painter, (-4.6, -1.6), (1.4, -1.6))
    _line(painter, (-1.6, -4.6), (-1.6, 1.4))


def _farther(painter: QPainter) -> None:
    _lens(painter)
    _line(painter, (-4.6, -1.6), (1.4, -1.6))


def _whole(painter: QPainter) -> None:
    for x in (-1, 1):
        for y in (-1, 1):
            _line(painter, (8.4 * x, 3.4 * y), (8.4 * x, 7.4 * y), (4.0 * x, 7.4 * y))
    painter.drawRect(QRectF(-3.6, -2.8, 7.2, 5.6))


# ---------------------------------------------------------------- panels


def _counters(painter: QPainter) -> None:
    _line(painter, (-3, -8), (8, -8), (8, 3))
    painter.drawRoundedRect(QRectF(-8, -4, 12, 12), 1.6, 1.6)


def _swords(painter: QPainter) -> None:
    for side in (-1, 1):
        _line(painter, (side * 8.5, -8.5), (-side * 5.4, 5.4))
        _line(painter, (-side * 2.4, 7.6), (-side * 7.6, 2.4))
        _line(painter, (-side * 5.4, 5.4), (-side * 8.4, 8.4))


def _lines(painter: QPainter) -> None:
    for y in (-6, 0, 6):
        _dot(painter, -7.6, y, 1.5)
        _line(painter, (-3.6, y), (8.6, y))


def _tasks(painter: QPainter) -> None:
    painter.drawRoundedRect(QRectF(-8, -8, 16, 16), 2.4, 2.4)
    _line(painter, (-4.2, 0.2), (-1, 3.6), (4.6, -3.6))


def _book(painter: QPainter) -> None:
    _line(painter, (0, -5.4), (0, 7.4))
    for side in (-1, 1):
        path = QPainterPath(QPointF(0, -5.4))
        path.quadTo(side * 4, -8, side * 9, -6.6)
        path.lineTo(side * 9, 6)
        path.quadTo(side * 4, 4.6, 0, 7.4)
        painter.drawPath(path)


def _forces(painter: QPainter) -> None:
    painter.drawRect(QRectF(-9, -6, 18, 12))
    _line(painter, (-9, -6), (9, 6))
    _line(painter, (-9, 6), (9, -6))


def _calendar(painter: QPainter) -> None:
    painter.drawRoundedRect(QRectF(-8, -6.6, 16, 15), 2, 2)
    _line(painter, (-8, -2.2), (8, -2.2))
    _line(painter, (-4, -9), (-4, -5))
    _line(painter, (4, -9), (4, -5))
    for x in (-4, 0, 4):
        _dot(painter, x, 3.2, 1.3)


def _flag(painter: QPainter) -> None:
    _line(painter, (-6, 9), (-6, -8.4))
    _line(painter, (-6, -8), (7, -8), (3.6, -3.6), (7, 0.8), (-6, 0.8))


def _people(painter: QPainter) -> None:
    for x, y, size in ((-3.4, -4.2, 3.4), (5, -2.8, 2.6)):
        painter.drawEllipse(QPointF(x, y), size, size)
        path = QPainterPath(QPointF(x - 1.7 * size, 8))
        path.quadTo(x - 1.7 * size, y + 1.7 * size, x, y + 1.7 * size)
        path.quadTo(x + 1.7 * size, y + 1.7 * size, x + 1.7 * size, 8)
        painter.drawPath(path)


def _bubble(painter: QPainter) -> None:
    path = QPainterPath(QPointF(-2, 4.4))
    path.lineTo(-5.6, 8.4)
    path.lineTo(-5.6, 4.4)
    path.addRoundedRect(QRectF(-9, -7.6, 18, 12), 3.4, 3.4)
    painter.drawPath(path)
    for x in (-4, 0, 4):
        _dot(painter, x, -1.6, 1.2)


SIGNS: dict[str, Callable[[QPainter], None]] = {
    "zoc": _zone, "control": _front, "supply": _net, "supply_cuts": _cut, "threats": _crosshair, "reinforcements": _arrival,
    "victory": _star, "support": _ring,
    "nearer": _nearer, "farther": _farther, "whole": _whole,
    "stack": _counters, "battle": _swords, "log": _lines, "todo": _tasks, "rules": _book, "forces": _forces,
    "record": _calendar, "notes": _flag, "players": _people, "chat": _bubble,
}
