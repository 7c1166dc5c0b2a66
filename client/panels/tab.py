"""A tab that brings its panel forward by a click, and takes it out of the panel by a drag."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QFont, QFontMetrics, QMouseEvent
from PySide6.QtWidgets import QPushButton

from client import fonts
from client.panels.docked import DRAG_FROM
from client.qt import QPoint, Qt, Signal
from client.scale import px
from client.style import PANEL_WIDTH

TAB_PADDING = 4  # pixels that a tab needs at least beside its words


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


def abreast(titles: Sequence[str]) -> int:
    """Return how many tabs stand in a row: all of them, or fewer in more rows where there are many, or a language's words are longer."""
    metrics = QFontMetrics(fonts.interface(px(13), QFont.Weight.Bold))
    widths = [metrics.horizontalAdvance(title) + 2 * TAB_PADDING for title in titles]
    for rows in range(1, len(titles)):
        columns = -(-len(titles) // rows)
        if sum(max(widths[column::columns]) for column in range(columns)) <= px(PANEL_WIDTH) - 20:
            return columns
    return 1
