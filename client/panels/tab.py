"""A tab that brings its panel forward by a click, and takes it out of the panel by a drag."""

from __future__ import annotations

from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QPushButton

from client.panels.docked import DRAG_FROM
from client.qt import QPoint, Qt, Signal


class Tab(QPushButton):
    """A button that tells of drags.

    Signals:
        dragged(QPoint): it is being dragged over a point of the screen.
        dropped(QPoint): it was dropped there.
    """

    dragged = Signal(QPoint)
    dropped = Signal(QPoint)

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self._held: QPoint | None = None
        self._drags = False

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        self._held = event.position().toPoint() if event.button() == Qt.MouseButton.LeftButton else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held is None:
            super().mouseMoveEvent(event)
        elif self._drags or (event.position().toPoint() - self._held).manhattanLength() > DRAG_FROM:
            self._drags = True
            self.setDown(False)  # what is dragged is not pressed
            self.dragged.emit(event.globalPosition().toPoint())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        drags, self._drags, self._held = self._drags, False, None
        if drags:
            self.dropped.emit(event.globalPosition().toPoint())
        else:
            super().mouseReleaseEvent(event)
