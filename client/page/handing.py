"""The card that passes the screen on between the turns of a game with secrets whose sides are played at one screen."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from client.panels.widgets import button, label
from client.qt import QEvent, QObject, Signal
from client.scale import px
from client.session.local import LocalMatch
from client.session.match import Match

WIDTH = 372


class HandingCard(QFrame):
    """Stands in the middle of the map while nobody sits at the screen; the map shows what lies open on the table.

    Signals:
        taken(): the player that was called says that he sits there.
    """

    taken = Signal()

    def __init__(self, parent: QWidget, match: Match) -> None:
        super().__init__(parent)
        self.match = match
        self.setObjectName("lesson")
        self.setFixedWidth(px(WIDTH))
        self.heading = label("", "subheading", wrap=True)
        self.words = label("", "soft", wrap=True)
        for part in (self.heading, self.words):
            part.setFixedWidth(px(WIDTH) - 32)
        self.take = button("", self.taken.emit, tip=self.tr("Show this side's own view (Enter)"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.setSpacing(6)
        layout.addWidget(self.heading)
        layout.addWidget(self.words)
        layout.addWidget(self.take)
        self.hide()
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
        title = self.match.manifest.side_titles.get(side, side)
        self.heading.setText(self.tr("Pass the screen to {side}").format(side=title))
        self.words.setText(self.tr("The map shows what lies open on the table, and a side's secrets when its player sits here."))
        self.take.setText(self.tr("{side} sits here").format(side=title))
        layout = self.layout()
        assert layout is not None, "the card has a layout"
        layout.activate()
        self.adjustSize()
        self.show()
        self.place()

    def place(self) -> None:
        """Stand in the middle of the map, above all."""
        over = self.parentWidget()
        assert over is not None, "the card lies on the map"
        self.move(max(10, (over.width() - self.width()) // 2), max(10, (over.height() - self.height()) // 2))
        self.raise_()
