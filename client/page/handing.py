"""The card that passes the screen on between the turns of a game with secrets whose sides are played at one screen."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from client.panels.card import WordsCard
from client.panels.widgets import button
from client.qt import QEvent, QObject, Signal
from client.session.local import LocalMatch
from client.session.match import Match
from client.words import side_title


class HandingCard(WordsCard):
    """Stands in the middle of the map while nobody sits at the screen; the map shows what lies open on the table.

    Signals:
        taken(): the player that was called says that he sits there.
    """

    taken = Signal()

    def __init__(self, parent: QWidget, match: Match) -> None:
        super().__init__(parent)
        self.match = match
        self.take = button("", self.taken.emit, tip=self.tr("Show this side's own view (Enter)"))
        self.column.addWidget(self.take)
        parent.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay in the middle of the map."""
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self.place()
        return super().eventFilter(watched, event)

    @property
    def awaits(self) -> str:
        """Return the side whose player is called; empty if nobody is."""
        return self.match.screen.awaits if isinstance(self.match, LocalMatch) else ""

    def show_match(self) -> None:
        """Call whoever is to sit down, or nobody."""
        side = self.awaits
        if not side:
            self.hide()
            return
        title = side_title(self.match.manifest, side)
        self.take.setText(self.tr("{side} sits here").format(side=title))
        words = self.tr("The map shows what lies open on the table, and a side's secrets when its player sits here.")
        self.appear(self.tr("Pass the screen to {side}").format(side=title), words)
        self.place()

    def place(self) -> None:
        """Stand in the middle of the map, above all."""
        over = self.parentWidget()
        assert over is not None, "the card lies on the map"
        self.move(max(10, (over.width() - self.width()) // 2), max(10, (over.height() - self.height()) // 2))
        self.raise_()
