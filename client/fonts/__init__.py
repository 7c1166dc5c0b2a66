"""Inter for the interface and counters, Lato for the map's lettering; shipped, so that every machine shows the same."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from PySide6.QtGui import QFont, QFontDatabase, QPaintEngine, QPainter, QPainterPath

from client.qt import QPointF

INTERFACE = "Inter"
LETTERING = "Lato"


@cache
def load() -> tuple[str, ...]:
    """Give Qt the fonts of this folder, once a process, and return their families. A QGuiApplication must exist."""
    families: list[str] = []
    for path in sorted([*Path(__file__).parent.glob("*.otf"), *Path(__file__).parent.glob("*.ttf")]):
        number = QFontDatabase.addApplicationFontFromData(path.read_bytes())
        families += QFontDatabase.applicationFontFamilies(number) if number >= 0 else []
    return tuple(sorted(set(families)))


def interface(size_px: int, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """Return Inter in pixels, with figures of equal width."""
    font = QFont(INTERFACE)
    font.setPixelSize(size_px)
    font.setWeight(weight)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def write(painter: QPainter, at: QPointF, words: str) -> None:
    """Write in the painter's font and colour; into an SVG as outlines, for whoever reads that may lack the font."""
    if painter.paintEngine().type() != QPaintEngine.Type.SVG:
        painter.drawText(at, words)
        return
    outline = QPainterPath()
    outline.addText(at, painter.font(), words)
    painter.fillPath(outline, painter.pen().color())


def lettering(size_px: int, weight: QFont.Weight = QFont.Weight.Normal, *, italic: bool = False) -> QFont:
    """Return Lato in pixels."""
    font = QFont(LETTERING)
    font.setPixelSize(size_px)
    font.setWeight(weight)
    font.setItalic(italic)
    return font
