"""What a lesson points at: rings round hexes of the map, and a frame round a part of the window."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from client.map.geometry import Geometry
from client.map.overlays import Layer
from client.map.palette import Palette
from client.map.pens import pen
from client.qt import QEvent, QObject, QPoint, QRect, QRectF, Qt
from core.board import Hex

EDGE = 5  # pixels that the frame stands off


class RingsLayer(Layer):
    """Rings round hexes."""

    def __init__(self, geometry: Geometry, palette: Palette) -> None:
        super().__init__(geometry, palette, 13.5)  # above counters, below the names of towns
        self.hexes: tuple[Hex, ...] = ()

    def show(self, hexes: Sequence[Hex]) -> None:  # type: ignore[override]
        """Ring these hexes, none to clear."""
        self.hexes = tuple(hexes)
        self.update()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for here in self.hexes:
            for width, colour in ((9.0, self.palette.card), (5.0, self.palette.accent)):
                painter.setPen(pen(colour, width))
                painter.drawPolygon(self.polygon(here, -2.0))


class Spot(QWidget):
    """A frame round a widget that lies anywhere in the window; it lets the mouse through and follows the widget."""

    def __init__(self, parent: QWidget, palette: Palette) -> None:
        super().__init__(parent)
        self.palette_ = palette
        self.target: QWidget | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def point_at(self, target: QWidget | None) -> None:
        """Frame a widget, None to clear."""
        if self.target is not None and self.target is not target:
            self.target.removeEventFilter(self)
        if target is not None and target is not self.target:
            target.installEventFilter(self)
            target.destroyed.connect(self._forget)
        self.target = target
        self._follow()

    def _forget(self) -> None:
        self.target = None
        self.hide()

    def _follow(self) -> None:
        host = self.parentWidget()
        if self.target is None or host is None or not self.target.isVisible() or self.target.window() is not host.window():
            self.hide()
            return
        corner = self.target.mapTo(host, QPoint(0, 0))
        frame = QRect(corner, self.target.size()).adjusted(-EDGE, -EDGE, EDGE, EDGE)
        self.setGeometry(frame.intersected(host.rect()))
        self.show()
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.target and event.type() in (QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.Hide):
            self._follow()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(2.5, 2.5, -2.5, -2.5)
        for width, colour in ((5.0, self.palette_.card), (3.0, self.palette_.accent)):
            painter.setPen(pen(colour, width))
            painter.drawRoundedRect(box, 9, 9)
        painter.end()
