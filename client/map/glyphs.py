"""The small signs that fill terrain: trees, reeds, hachures, dots, tufts."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QColor, QPainter, QPainterPath

from client.map.palette import Ground, Palette, mixed
from client.map.pens import pen
from client.map.scatter import Spot
from client.qt import QPointF, QRectF, Qt


class Drawn:
    """Glyphs gathered into three paths: filled dark, filled light, and strokes."""

    def __init__(self) -> None:
        self.dark = QPainterPath()
        self.light = QPainterPath()
        self.strokes = QPainterPath()
        self.dark.setFillRule(Qt.FillRule.WindingFill)
        self.light.setFillRule(Qt.FillRule.WindingFill)

    def paint(self, painter: QPainter, ground: Ground, palette: Palette) -> None:
        """Paint all of them in a terrain's ink."""
        ink = ground.ink or palette.ink_soft
        painter.fillPath(self.dark, QColor(ink))
        painter.fillPath(self.light, QColor(mixed(ink, ground.fill or palette.paper, 0.38)))
        painter.strokePath(self.strokes, pen(ink, 0.9))


def tree(drawn: Drawn, spot: Spot) -> None:
    """Draw a fir or a round crown: two halves, the right one in shade."""
    tall = 7.6 + 3.0 * spot.chance
    wide = tall * 0.36
    top, foot = QPointF(spot.x, spot.y - tall), QPointF(spot.x, spot.y)
    for path, side in ((drawn.light, -1), (drawn.dark, 1)):
        path.moveTo(top)
        path.quadTo(spot.x + side * wide * 0.5, spot.y - tall * 0.5, spot.x + side * wide, spot.y - tall * 0.16)
        path.quadTo(spot.x + side * wide * 0.7, spot.y + 0.5, foot.x(), foot.y())
        path.closeSubpath()


def reed(drawn: Drawn, spot: Spot) -> None:
    """Draw three blades over a short line of water."""
    if spot.chance < 0.3:
        return
    lean = 1.4 * (spot.chance - 0.5)
    for dx, height in ((-2.0, 3.2), (0.0, 4.8), (2.0, 3.4)):
        drawn.strokes.moveTo(spot.x + dx * 0.7, spot.y)
        drawn.strokes.lineTo(spot.x + dx + lean, spot.y - height)
    drawn.strokes.moveTo(spot.x - 4.2, spot.y + 1.5)
    drawn.strokes.lineTo(spot.x + 4.2, spot.y + 1.5)


def hachure(drawn: Drawn, spot: Spot) -> None:
    """Draw a peak: a lit and a shaded slope with strokes down the shaded one."""
    tall = 5.0 + 3.4 * spot.chance
    wide = tall * 0.85
    drawn.dark.moveTo(spot.x, spot.y - tall)
    drawn.dark.lineTo(spot.x + wide, spot.y)
    drawn.dark.lineTo(spot.x + wide * 0.18, spot.y)
    drawn.dark.closeSubpath()
    drawn.light.moveTo(spot.x, spot.y - tall)
    drawn.light.lineTo(spot.x + wide * 0.18, spot.y)
    drawn.light.lineTo(spot.x - wide * 0.28, spot.y)
    drawn.light.closeSubpath()
    drawn.strokes.moveTo(spot.x - wide, spot.y)
    drawn.strokes.lineTo(spot.x, spot.y - tall)
    drawn.strokes.lineTo(spot.x + wide, spot.y)


def dot(drawn: Drawn, spot: Spot) -> None:
    """Draw a low mound: a short arc."""
    if spot.chance < 0.35:
        return
    drawn.strokes.moveTo(spot.x - 3.4, spot.y)
    drawn.strokes.quadTo(spot.x, spot.y - 4.2, spot.x + 3.4, spot.y)


def tuft(drawn: Drawn, spot: Spot) -> None:
    """Draw a tuft of grass, and stones between."""
    if spot.chance < 0.45:
        drawn.dark.addEllipse(QRectF(spot.x - 0.7, spot.y - 0.7, 1.4, 1.4))
        return
    for dx in (-1.8, 0.0, 1.8):
        drawn.strokes.moveTo(spot.x, spot.y)
        drawn.strokes.lineTo(spot.x + dx, spot.y - 3.0)


GLYPHS: dict[str, Callable[[Drawn, Spot], None]] = {
    "tree": tree,
    "reed": reed,
    "hachure": hachure,
    "dot": dot,
    "tuft": tuft,
}
