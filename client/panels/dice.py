"""The dice card: the dice of the last order with what they led to, for some seconds over the map."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QWidget

from client import fonts
from client.map.palette import Palette
from client.map.pens import pen
from client.qt import QPointF, QRectF, Qt, QTimer
from client.scale import px
from client.session.tally import Roll

SHOWN_MS = 4500
DIE, GAP, EDGE = 34.0, 8.0, 12.0
MOST = 6
PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}


class DiceCard(QFrame):
    """Floats over the map and lets every click through."""

    def __init__(self, parent: QWidget, palette: Palette) -> None:
        super().__init__(parent)
        self.palette_ = palette
        self.setObjectName("card")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.rolls: Sequence[Roll] = ()
        self.words = ""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.hide)
        self.hide()

    def show_rolls(self, rolls: Sequence[Roll], words: str) -> None:
        """Show dice and what they led to; no dice hide the card."""
        self.rolls, self.words = tuple(rolls[-MOST:]), words
        if not self.rolls:
            self.hide()
            return
        metrics = self.fontMetrics()
        dice = len(self.rolls) * (DIE + GAP)
        self.setFixedSize(round(2 * EDGE + dice + metrics.horizontalAdvance(words) * 1.1 + 6), round(DIE + 2 * EDGE))
        self.setAccessibleName(", ".join(str(roll.value) for roll in self.rolls) + f": {words}")
        self.show()
        self.raise_()
        self.update()
        self._timer.start(SHOWN_MS)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        x = EDGE
        for roll in self.rolls:
            self._paint_die(painter, QRectF(x, EDGE, DIE, DIE), roll)
            x += DIE + GAP
        painter.setFont(fonts.interface(px(13), QFont.Weight.DemiBold))
        painter.setPen(QColor(self.palette_.ink))
        painter.drawText(QRectF(x + 2, 0, self.width() - x, self.height()), Qt.AlignmentFlag.AlignVCenter, self.words)
        painter.end()

    def _paint_die(self, painter: QPainter, box: QRectF, roll: Roll) -> None:
        painter.setPen(pen(self.palette_.ink, 1.4))
        painter.setBrush(QColor(self.palette_.card))
        painter.drawRoundedRect(box, 7, 7)
        if roll.faces != 6 or roll.value not in PIPS:
            painter.setFont(fonts.interface(px(16), QFont.Weight.Bold))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(roll.value))
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.palette_.ink))
        for dx, dy in PIPS[roll.value]:
            painter.drawEllipse(QPointF(box.center().x() + 9 * dx, box.center().y() + 9 * dy), 3, 3)
