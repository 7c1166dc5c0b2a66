"""The frame that cards over the map share: a heading, words below it, and then what each card is for."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from client.panels.widgets import label
from client.scale import px

WIDTH = 372
EDGE = 16


class WordsCard(QFrame):
    """Floats over the map, framed in the accent; hidden at first."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("lesson")
        self.setFixedWidth(px(WIDTH))
        self.heading = label("", "subheading", wrap=True)
        self.words = label("", "soft", wrap=True)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(EDGE, 12, EDGE, 12)
        self.column.setSpacing(6)
        for part in (self.heading, self.words):
            part.setFixedWidth(px(WIDTH) - 2 * EDGE)  # so that its height follows from its words
            self.column.addWidget(part)
        self.hide()

    def appear(self, heading: str, words: str) -> None:
        """Show these words, in the height that they and what is below them need."""
        self.heading.setText(heading)
        self.words.setText(words)
        self.words.setVisible(bool(words))
        self.column.activate()
        self.adjustSize()
        self.show()
