"""The sign in a counter's box, by the kind of unit. Every sign is drawn in a box 24 × 16 around its middle."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath

from client import fonts
from client.map.pens import pen
from client.qt import QPointF, QRectF, Qt

BOX = QRectF(-12, -8, 24, 16)
PAPER = "#F8F3E4"
INK = "#1C1814"


def paint(painter: QPainter, kind: str) -> None:
    """Draw the box and sign of a kind of unit around the origin; a kind without a sign shows its initials."""
    painter.setPen(pen(INK, 1.2))
    painter.setBrush(QColor(PAPER))
    painter.drawRect(BOX)
    painter.save()
    painter.setClipRect(BOX, Qt.ClipOperation.IntersectClip)  # a film's picture ends above its words
    draw = SIGNS.get(kind)
    if draw is not None:
        draw(painter)
    else:
        _word(painter, "".join(word[0] for word in kind.split("_") if word).upper()[:3])
    painter.restore()


def _line(painter: QPainter, *points: tuple[float, float]) -> None:
    painter.setPen(pen(INK, 1.3))
    painter.drawPolyline([QPointF(x, y) for x, y in points])


def _shape(painter: QPainter, *points: tuple[float, float]) -> None:
    path = QPainterPath(QPointF(*points[0]))
    for point in points[1:]:
        path.lineTo(*point)
    path.closeSubpath()
    painter.fillPath(path, QColor(INK))


def _infantry(painter: QPainter) -> None:
    _line(painter, (-12, -8), (12, 8))
    _line(painter, (-12, 8), (12, -8))


def _oval(painter: QPainter) -> None:
    painter.setPen(pen(INK, 1.3))
    painter.drawRoundedRect(QRectF(-8, -4.4, 16, 8.8), 4.4, 4.4)


def _mechanized(painter: QPainter) -> None:
    _infantry(painter)
    _oval(painter)


def _cavalry(painter: QPainter) -> None:
    _line(painter, (-12, 8), (12, -8))


def _mountain(painter: QPainter) -> None:
    _infantry(painter)
    _shape(painter, (-3.4, 8), (0, 2.6), (3.4, 8))


def _marine(painter: QPainter) -> None:
    _infantry(painter)
    painter.setPen(pen(INK, 1.2))
    painter.drawLine(QPointF(0, -1), QPointF(0, 6))
    painter.drawArc(QRectF(-3.5, 0, 7, 6.5), 180 * 16, 180 * 16)


def _airborne(painter: QPainter) -> None:
    _infantry(painter)
    painter.setPen(pen(INK, 1.2))
    painter.drawArc(QRectF(-5, 3, 5, 5), 0, 180 * 16)
    painter.drawArc(QRectF(0, 3, 5, 5), 0, 180 * 16)


def _security(painter: QPainter) -> None:
    _infantry(painter)
    _word(painter, "S", size=8)


def _guard(painter: QPainter) -> None:
    _infantry(painter)
    _shape(painter, (-2.6, -8), (2.6, -8), (0, -4))


def _shock(painter: QPainter) -> None:
    _infantry(painter)
    _shape(painter, (12, -2.6), (7.6, 0), (12, 2.6))


def _guns(painter: QPainter) -> None:
    painter.setBrush(QColor(INK))
    painter.drawEllipse(QPointF(0, 0), 2.9, 2.9)


def _siege(painter: QPainter) -> None:
    _guns(painter)
    _line(painter, (-8, 5), (8, 5))
    _line(painter, (-8, -5), (8, -5))


def _headquarters(painter: QPainter) -> None:
    _word(painter, "HQ", size=10)


def _depot(painter: QPainter) -> None:
    """Draw crates in a heap."""
    for x, y in ((-7.4, 1.4), (-2.2, 1.4), (3.0, 1.4), (-4.8, -3.8), (0.4, -3.8)):
        painter.fillRect(QRectF(x, y, 4.4, 4.4), QColor(INK))


def _plane(painter: QPainter) -> None:
    _shape(painter, (0, -6.5), (1.4, -2), (9.5, 0.4), (9.5, 2.2), (1.3, 1.8), (0.9, 4.4), (3.4, 5.6), (3.4, 6.8), (-3.4, 6.8),
           (-3.4, 5.6), (-0.9, 4.4), (-1.3, 1.8), (-9.5, 2.2), (-9.5, 0.4), (-1.4, -2))


def _airbase(painter: QPainter) -> None:
    """Draw a propeller of two blades."""
    painter.setBrush(QColor(INK))
    painter.drawEllipse(QRectF(-9.4, -2.4, 8.4, 4.8))
    painter.drawEllipse(QRectF(1.0, -2.4, 8.4, 4.8))
    painter.drawEllipse(QPointF(0, 0), 1.4, 1.4)


def _factory(painter: QPainter) -> None:
    _shape(painter, (-9, 6), (-9, -1), (-4, 2), (-4, -1), (1, 2), (1, -6), (4, -6), (4, 2), (9, 2), (9, 6))


def _derrick(painter: QPainter) -> None:
    _line(painter, (-4.5, 7), (0, -6.5), (4.5, 7))
    _line(painter, (-2.6, 1.5), (2.8, 1.5))
    _line(painter, (-3.5, 4.5), (1.8, -1.5))


def _pick(painter: QPainter) -> None:
    _line(painter, (-6, 6), (5, -4))
    painter.setPen(pen(INK, 1.6))
    painter.drawArc(QRectF(-2.5, -7.5, 11, 11), -10 * 16, 120 * 16)


def _anchor(painter: QPainter) -> None:
    painter.setPen(pen(INK, 1.4))
    painter.drawEllipse(QPointF(0, -5), 1.4, 1.4)
    painter.drawLine(QPointF(0, -3.4), QPointF(0, 6.4))
    painter.drawArc(QRectF(-5.5, -3.6, 11, 10), 190 * 16, 160 * 16)


def _partisan(painter: QPainter) -> None:
    _shape(painter, (0, -6.4), (1.6, -2), (6.2, -2), (2.6, 0.8), (3.9, 5.4), (0, 2.6), (-3.9, 5.4), (-2.6, 0.8), (-6.2, -2), (-1.6, -2))


def _word(painter: QPainter, word: str, *, size: float = 9) -> None:
    font = fonts.interface(64, QFont.Weight.Bold)
    metrics, shrink = QFontMetricsF(font), size / 64
    painter.save()
    painter.setPen(QColor(INK))
    painter.setFont(font)
    painter.scale(shrink, shrink)
    fonts.write(painter, QPointF(-metrics.horizontalAdvance(word) / 2, metrics.capHeight() / 2), word)
    painter.restore()


SIGNS: dict[str, Callable[[QPainter], None]] = {
    "unknown": lambda painter: _word(painter, "?"),
    "infantry": _infantry,
    "panzer": _oval,
    "tank": _oval,
    "armor": _oval,
    "mechanized": _mechanized,
    "motorized": _mechanized,
    "cavalry": _cavalry,
    "mountain": _mountain,
    "marine": _marine,
    "airborne": _airborne,
    "security": _security,
    "guard": _guard,
    "shock": _shock,
    "osg": _guns,
    "artillery": _guns,
    "siege_artillery": _siege,
    "headquarters": _headquarters,
    "supply_depot": _depot,
    "airbase": _airbase,
    "air_fleet": _plane,
    "factory": _factory,
    "oil_field": _derrick,
    "oil_pipeline": _derrick,
    "coal_field": _pick,
    "mineral_deposit": _pick,
    "strategic_port": _anchor,
    "partisan": _partisan,
}
