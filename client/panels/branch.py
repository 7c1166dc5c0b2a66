"""The band above the map of a what-if game: that nothing here counts, who plays each side, and the way back."""

from __future__ import annotations

from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout

from client.map.palette import text_on
from client.panels.card import Band
from client.panels.widgets import Chooser, button, label
from client.qt import QPoint, Qt, Signal
from client.scale import px
from client.session.local import PERSON
from client.session.sandbox import SandboxMatch
from client.start import bots_here
from client.table import Table
from client.weakly import Owner
from client.words import side_title

HEIGHT = 40
STRIPE = 14


class BranchBar(Band):
    """Tells that nothing counts.

    Signals:
        back_wanted(): back to the real game.
        seats_changed(): somebody else plays a side.
    """

    back_wanted = Signal()
    seats_changed = Signal()
    _table = Owner[Table]()

    def __init__(self, table: Table, match: SandboxMatch) -> None:
        super().__init__(table)
        self.setObjectName("branch")
        self._match, self._table = match, table
        self.setFixedHeight(px(HEIGHT))
        self.restyle()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(STRIPE + 12, 4, STRIPE + 8, 4)
        layout.setSpacing(8)
        layout.addWidget(label(self.tr("What if: nothing here counts")))
        layout.addStretch(1)
        self.seats: dict[str, Chooser] = {}
        for side in match.setting.sides:
            layout.addWidget(label(side_title(match.manifest, side)))
            layout.addWidget(self._chooser(side))
        back = button(self.tr("Back to the real game"), self.back_wanted.emit, tip=self.tr("Drop this and go back (Shift+I)"))
        layout.addWidget(back)
        self.resize(table.width(), px(HEIGHT))
        table.band = self
        table.lay_out()
        self.show()

    def _chooser(self, side: str) -> Chooser:
        made = Chooser()
        made.setAccessibleName(self.tr("Who plays the {side}").format(side=side_title(self._match.manifest, side)))
        made.addItem(self.tr("by hand"), PERSON)
        for bot in bots_here():
            made.addItem(self.tr("the bot “{bot}”").format(bot=bot), bot)
        made.setCurrentIndex(max(0, made.findData(self._match.seats.get(side, PERSON))))
        made.currentIndexChanged.connect(lambda _index: self._seat(side))
        self.seats[side] = made
        return made

    def _seat(self, side: str) -> None:
        self._match.seats[side] = self.seats[side].currentData()
        self.seats_changed.emit()

    def restyle(self) -> None:
        """Write in ink that reads on the accent of the theme of now."""
        wanted = f"QFrame#branch QLabel {{ color: {text_on(self._table.palette_.accent)}; font-weight: 600; }}"
        if wanted != self.styleSheet():
            self.setStyleSheet(wanted)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        accent = self._table.palette_.accent
        painter.fillRect(self.rect(), QColor(accent))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(text_on(accent)))
        for left in (0, self.width() - STRIPE):  # hazard stripes at both ends: it is no colour alone that tells
            painter.save()
            painter.setClipRect(left, 0, STRIPE, HEIGHT)
            painter.translate(left, 0)
            for y in range(-STRIPE, HEIGHT + STRIPE, 12):
                painter.drawPolygon([QPoint(0, y + STRIPE), QPoint(STRIPE, y), QPoint(STRIPE, y + 6), QPoint(0, y + STRIPE + 6)])
            painter.restore()
        painter.end()
