"""What is left of the side panel in a narrow window."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from client.panels.pictograms import SignButton
from client.qt import Qt, Signal
from client.scale import px
from client.style import RAIL_WIDTH


class Rail(QFrame):
    """A sign for each panel, which opens it over the map.

    Signals:
        wanted(str): a tab shall be opened, or closed if it is.
    """

    wanted = Signal(str)

    def __init__(self, parent: QWidget, titles: Mapping[str, str]) -> None:
        super().__init__(parent)
        self.setObjectName("rail")
        self.setFixedWidth(px(RAIL_WIDTH))
        self._titles = dict(titles)
        self.signs: dict[str, SignButton] = {}
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2, 8, 2, 8)
        for name, title in titles.items():
            made = self.signs[name] = SignButton(name, tip=title)
            made.clicked.connect(lambda _checked=False, name=name: self.wanted.emit(name))
            layout.addWidget(made, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(1)

    def rename(self, name: str, title: str) -> None:
        """Give a panel another title."""
        self._titles[name] = title
        self.mark(name, "")

    def mark(self, name: str, colour: str) -> None:
        """Mark the sign of a panel in which something is new by a dot of this colour; empty: no more."""
        title = self._titles[name]
        self.signs[name].mark(colour, self.tr("{panel}: something is new").format(panel=title) if colour else title)
