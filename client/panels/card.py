"""The frame that cards share: what floats over the map or the window, as wide as it is made and as high as its words."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from client.panels.widgets import label
from client.qt import QPoint, QRect
from client.scale import px

WIDTH = 372
EDGE, HIGH = 16, 12  # what is left free beside the words, and above and below them


class Card(QFrame):
    """Floats over its parent; hidden at first.

    Args:
        parent: what it floats over.
        name: ``card``, or ``lesson`` for one that is framed in the accent.
        width: in pixels of texts at 100 %.
        left: what is left free before the words, where that is more than the edge.
    """

    def __init__(self, parent: QWidget, *, name: str = "card", width: int = WIDTH, left: int = EDGE) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setFixedWidth(px(width))
        self.inner = px(width) - left - EDGE
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(left, HIGH, EDGE, HIGH)
        self.column.setSpacing(6)
        self.hide()

    def written(self, name: str, *, less: int = 0) -> QLabel:
        """Return a label as wide as the card within its edges, less so much, so that its height follows from its words."""
        made = label("", name, wrap=True)
        made.setFixedWidth(self.inner - less)
        return made

    def fit(self) -> None:
        """Take the height that the words and what is below them need in the card's own width, also where a row asks for more."""
        self.column.activate()
        needed = self.column.totalHeightForWidth(self.width()) if self.column.hasHeightForWidth() else self.column.totalSizeHint().height()
        self.resize(self.width(), needed)


def cards_on(host: QWidget, *, but: Card | None = None) -> list[QRect]:
    """Return where the cards lie that are seen on a window, but for one of them, in the window's coordinates."""
    shown = [card for card in host.findChildren(Card) if card.isVisible() and card is not but]
    return [QRect(card.mapTo(host, QPoint(0, 0)), card.size()) for card in shown]


class Band(QFrame):
    """Lies along the top of the table, above the map, while it says something."""

    def fit(self, width: int) -> None:
        """Take the height that is needed in a width."""


def bands_on(host: QWidget) -> list[QRect]:
    """Return where the bands lie that are seen on a window, in the window's coordinates."""
    return [QRect(band.mapTo(host, QPoint(0, 0)), band.size()) for band in host.findChildren(Band) if band.isVisible()]


class WordsCard(Card):
    """A heading, words below it, and then what each card is for; framed in the accent."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, name="lesson")
        self.heading = self.written("subheading")
        self.words = self.written("soft")
        for part in (self.heading, self.words):
            self.column.addWidget(part)

    def appear(self, heading: str, words: str) -> None:
        """Show these words."""
        self.heading.setText(heading)
        self.words.setText(words)
        self.words.setVisible(bool(words))
        self.fit()
        self.show()
