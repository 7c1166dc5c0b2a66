"""The dice card: the dice of the last order with what they led to, for some seconds over the map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QWidget

from client import fonts
from client.map.palette import Palette
from client.map.pens import pen
from client.qt import QPointF, QRectF, Qt, QTimer
from client.scale import px
from client.session.tally import Roll, Throw
from client.words import capital, say

SHOWN_MS = 4500
DIE, GAP, EDGE = 34.0, 8.0, 12.0
MOST = 6  # dice in a row
MOST_ROWS = 4
PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}


class Row(NamedTuple):
    """Dice beside one another, and what they led to."""

    rolls: tuple[Roll, ...]
    words: str


def rows_of(throws: Sequence[Throw]) -> list[Row]:
    """Return throws as rows of the card; where they are too many, the last row holds the dice of the rest, and what they fell for."""
    rows = [Row(one.rolls[-MOST:], capital(_purpose(one.rolls) if one.words is None else say(one.words))) for one in throws]
    if len(rows) <= MOST_ROWS:
        return rows
    rest = tuple(roll for one in throws[MOST_ROWS - 1 :] for roll in one.rolls)
    return [*rows[: MOST_ROWS - 1], Row(rest[-MOST:], capital(_purpose(rest)))]


def _purpose(rolls: Sequence[Roll]) -> str:
    return ", ".join(dict.fromkeys(roll.purpose.replace("_", " ") for roll in rolls))


class DiceCard(QFrame):
    """Floats over the map and lets every click through."""

    def __init__(self, parent: QWidget, palette: Palette) -> None:
        super().__init__(parent)
        self.palette_ = palette
        self.setObjectName("card")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.rows: list[Row] = []
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.hide)
        self.hide()

    @property
    def words(self) -> str:
        """Return what all the dice led to."""
        return "; ".join(row.words for row in self.rows)

    def show_throws(self, throws: Sequence[Throw]) -> None:
        """Show dice and what they led to, for some seconds."""
        self.rows = rows_of(throws)
        metrics = QFontMetricsF(self._letters())
        wide = max((len(row.rolls) * (DIE + GAP) + metrics.horizontalAdvance(row.words) for row in self.rows), default=0.0)
        self.setFixedSize(round(2 * EDGE + wide + 8), round(len(self.rows) * (DIE + GAP) - GAP + 2 * EDGE))
        told = (", ".join(str(roll.value) for roll in row.rolls) + f": {row.words}" for row in self.rows)
        self.setAccessibleName("; ".join(told))
        self.show()
        self.raise_()
        self.update()
        self._timer.start(SHOWN_MS)

    @staticmethod
    def _letters() -> QFont:
        return fonts.interface(px(13), QFont.Weight.DemiBold)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for i, row in enumerate(self.rows):
            self._paint_row(painter, EDGE + i * (DIE + GAP), row)
        painter.end()

    def _paint_row(self, painter: QPainter, y: float, row: Row) -> None:
        x = EDGE
        for roll in row.rolls:
            self._paint_die(painter, QRectF(x, y, DIE, DIE), roll)
            x += DIE + GAP
        painter.setFont(self._letters())
        painter.setPen(QColor(self.palette_.ink))
        painter.drawText(QRectF(x + 2, y, self.width() - x, DIE), Qt.AlignmentFlag.AlignVCenter, row.words)

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
