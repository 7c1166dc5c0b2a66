"""The card that passes the screen on between the turns of a game with secrets whose sides are played at one screen."""

from __future__ import annotations

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from client.panels.card import WordsCard
from client.panels.widgets import button
from client.qt import QEvent, QObject, Signal
from client.session.local import LocalMatch
from client.session.match import Match
from client.words import side_title


class HandingCard(WordsCard):
    """Stands in the middle of the map while nobody sits at the screen; the map shows what lies open on the table.

    A click sits down. Enter does so when it is pressed again: who has given his last order by Enter presses it once too often.

    Signals:
        taken(): the player that was called says that he sits there.
    """

    taken = Signal()

    def __init__(self, parent: QWidget, match: Match) -> None:
        super().__init__(parent)
        self.match = match
        self.take = button("", self.taken.emit, tip=self.tr("Show this side's own view (Enter twice)"))
        self.column.addWidget(self.take)
        self._called = ""  # who is called, and whether Enter was pressed since
        self._was_accepted = False
        parent.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay in the middle of the map."""
        if event.type() == QEvent.Type.Resize and not self.isHidden():
            self.place()
        return super().eventFilter(watched, event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.place()

    @property
    def awaits(self) -> str:
        """Return the side whose player is called; empty if nobody is."""
        return self.match.screen.awaits if isinstance(self.match, LocalMatch) else ""

    def show_match(self) -> None:
        """Call whoever is to sit down, or nobody."""
        side = self.awaits
        if side != self._called:
            self._called, self._was_accepted = side, False
        if not side:
            self.hide()
            return
        title = side_title(self.match.manifest, side)
        sits = self.tr("{side} sits here: press Enter again") if self._was_accepted else self.tr("{side} sits here")
        self.take.setText(sits.format(side=title))
        words = self.tr("The map shows what lies open on the table, and a side's secrets when its player sits here.")
        self.appear(self.tr("Pass the screen to {side}").format(side=title), words)
        self.place()

    def accept(self) -> None:
        """Do what Enter means: ask for another one, then sit down."""
        if self._was_accepted:
            self.taken.emit()
            return
        self._was_accepted = True
        self.show_match()

    def place(self) -> None:
        """Stand in the middle of the map, above all, as high as the words need in the letters of now."""
        self.fit()
        over = self.parentWidget()
        assert over is not None, "the card lies on the map"
        self.move(max(10, (over.width() - self.width()) // 2), max(10, (over.height() - self.height()) // 2))
        self.raise_()
