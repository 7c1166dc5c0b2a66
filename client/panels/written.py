"""The base of panels that are one long text, written anew for each shown moment."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable

from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QTextBrowser, QVBoxLayout, QWidget

from client.map.palette import Palette
from client.panels.links import rule_of
from client.qt import Qt, Signal
from client.session.match import Match


class WrittenPanel(QWidget):
    """Shows the shown moment as text; it is written only while it is seen, and stays scrolled to where it was.

    Signals:
        place_wanted(int): what lies on the map was clicked: its hex.
        rule_wanted(str): a rule's number was clicked.
    """

    place_wanted = Signal(int)
    rule_wanted = Signal(str)

    def __init__(self, palette: Palette, name: str) -> None:
        super().__init__()
        self.palette_ = palette
        self._match: Match | None = None
        self._scrolled = 0  # how far, when it was seen last
        self.text = QTextBrowser()
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setOpenLinks(False)
        self.text.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.text.setAccessibleName(name)
        self.text.anchorClicked.connect(lambda url: self._go(url.toString()))
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(12, 10, 6, 4)
        self.column.addWidget(self.text, 1)

    @abstractmethod
    def parts(self, match: Match) -> Iterable[str]:
        """Return the text of the shown moment, piece by piece, as HTML."""

    def show_match(self, match: Match) -> None:
        """Show the shown moment of a match."""
        self._match = match
        if self.isVisible():
            self.write()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.write()
        self.text.verticalScrollBar().setValue(self._scrolled)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self.isHidden():  # behind another panel, not with the whole window
            self._scrolled = self.text.verticalScrollBar().value()
            self.text.clear()  # it is written anew when it is seen again; another theme would style all of it before

    def write(self) -> None:
        """Write everything anew."""
        if self._match is None:
            return
        kept = self.text.verticalScrollBar().value()
        self.text.setHtml("".join(self.parts(self._match)))
        self.text.verticalScrollBar().setValue(kept)

    def _go(self, target: str) -> None:
        if rule_of(target):
            self.rule_wanted.emit(rule_of(target))
        else:
            self.place_wanted.emit(int(target.partition(":")[2]))
