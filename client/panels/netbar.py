"""The band above the map of a server's game, shown when there is something to know: no line, catching up, a delayed view."""

from __future__ import annotations

from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout

from client.map.palette import mixed, text_on
from client.panels.card import Band
from client.panels.widgets import as_tip, button, label
from client.qt import Qt, Signal
from client.scale import px
from client.table import Table
from client.weakly import Owner

HEIGHT, SIDES = 40, 40  # of a band of one line; what its words leave free beside them and buttons
FILLED = 1.9  # lines of two, as words break where they may
BAD, GOOD = "bad", "good"


class NetBar(Band):
    """Tells of the line to the server.

    Signals:
        retry_wanted(): the line shall be tried again at once.
        lobby_wanted(): the lobby shall be shown, as there is no way on here.
    """

    retry_wanted = Signal()
    lobby_wanted = Signal()
    _table = Owner[Table]()

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self.setObjectName("netbar")
        self._table, self._mood, self._told = table, GOOD, ""
        self.words = label("", wrap=True)
        self.retry = button(self.tr("Try now"), self.retry_wanted.emit, tip=self.tr("Try again at once to reach the server"))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 4, 8, 4)
        layout.addWidget(self.words, 1)
        layout.addWidget(self.retry)
        self.lobby = button(self.tr("To the lobby"), self.lobby_wanted.emit, tip=self.tr("Leave this page, and join a server (Ctrl+J)"))
        layout.addWidget(self.lobby)
        self.hide()

    def tell(self, words: str, *, mood: str = GOOD, can_retry: bool = False, is_over: bool = False) -> None:
        """Say something for as long as it holds; nothing hides the band. *is_over*: the line is tried no more."""
        self._told = words
        self.words.setToolTip(as_tip(words))
        self.retry.setVisible(can_retry)
        self.lobby.setVisible(is_over)
        self._mood = mood
        ink = text_on(self._ground())
        self.words.setStyleSheet(f"color: {ink}; font-weight: 600;")
        wanted = self if words else None
        before = self.height()
        self.fit(self._table.width())
        if self._table.band is not wanted or self.height() != before:
            self._table.band = wanted
            self.setVisible(bool(words))
            self._table.lay_out()
        self.update()

    def fit(self, width: int) -> None:
        """Write in one line or two, as there is room; of more than that fits the tip tells the rest."""
        metrics = self.words.fontMetrics()
        room = max(px(200), width - px(SIDES) - sum(one.sizeHint().width() for one in (self.retry, self.lobby) if not one.isHidden()))
        one_line = metrics.horizontalAdvance(self._told) <= room
        self.words.setText(metrics.elidedText(self._told, Qt.TextElideMode.ElideRight, room if one_line else round(room * FILLED)))
        self.setFixedHeight(px(HEIGHT) if one_line else px(HEIGHT) + metrics.lineSpacing())

    def _ground(self) -> str:
        palette = self._table.palette_
        return palette.danger if self._mood == BAD else mixed(palette.chrome, palette.sea, 0.55)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._ground()))
        painter.end()
