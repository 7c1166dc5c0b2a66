"""A thin amber frame over the map while the past is shown."""

from __future__ import annotations

from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from client.map.palette import Palette
from client.qt import Qt

WIDTH = 4


class PastFrame(QWidget):
    """Lies over the map and lets the mouse through."""

    def __init__(self, parent: QWidget, palette: Palette) -> None:
        super().__init__(parent)
        self.palette_ = palette
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        amber, width, height = QColor(self.palette_.accent), self.width(), self.height()
        for y in (0, height - WIDTH):
            painter.fillRect(0, y, width, WIDTH, amber)
        for x in (0, width - WIDTH):
            painter.fillRect(x, 0, WIDTH, height, amber)
        painter.end()
