"""The tools over the map's left edge: a sign each for zooming and for every overlay of the ruleset."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtWidgets import QFrame, QGridLayout, QWidget

from client.panels.pictograms import SignButton
from client.qt import Signal
from client.reading import overlay_title

EDGE, GAP = 4, 2


class Tools(QFrame):
    """Lies over the map; in one column, or in more where the map is too low for that.

    Args:
        zooms: what else can be pressed: a sign, its tip, what it does.
        overlays: the key of each overlay.

    Signals:
        overlay_wanted(str): the sign of an overlay was pressed.
    """

    overlay_wanted = Signal(str)

    def __init__(self, parent: QWidget, zooms: Mapping[str, tuple[str, Callable[[], object]]], overlays: Mapping[str, str]) -> None:
        super().__init__(parent)
        self.setObjectName("tools")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(EDGE, EDGE, EDGE, EDGE)
        self._grid.setSpacing(GAP)
        self._signs: list[SignButton] = []
        self._abreast = 0
        self.overlays: dict[str, SignButton] = {}
        for sign, (tip, press) in zooms.items():
            self._add(SignButton(sign, tip=tip), press)
        for name, key in overlays.items():
            tip = self.tr("{overlay} of both sides ({key})").format(overlay=overlay_title(name), key=key)
            self.overlays[name] = SignButton(name, tip=tip, key=key, checkable=True)
            self._add(self.overlays[name], lambda name=name: self.overlay_wanted.emit(name))  # type: ignore[misc]
        self.fit(self._height(1))

    def _add(self, made: SignButton, press: Callable[[], object]) -> None:
        made.clicked.connect(lambda _checked=False: press())
        self._signs.append(made)

    def _height(self, abreast: int) -> int:
        """Return how high the tools are with so many signs in a row."""
        rows = [self._signs[at : at + abreast] for at in range(0, len(self._signs), abreast)]
        return sum(max(sign.height() for sign in one) + GAP for one in rows) - GAP + 2 * EDGE

    def needs(self, height: int) -> int:
        """Return in how few columns the signs have room in *height* pixels."""
        return next((n for n in range(1, len(self._signs)) if self._height(n) <= height), len(self._signs))

    def fit(self, height: int) -> None:
        """Lay the signs in as few columns as have room in *height* pixels."""
        abreast = self.needs(height)
        if abreast == self._abreast:
            return
        self._abreast = abreast
        for i, sign in enumerate(self._signs):
            self._grid.addWidget(sign, i // abreast, i % abreast)
        self.adjustSize()
