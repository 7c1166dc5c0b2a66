"""Pens, made in one line."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QBrush, QColor, QPen

from client.qt import Qt


def pen(
    colour: str | QColor, width: float, *, alpha: float = 1.0, dash: Sequence[float] = (), offset: float = 0.0
) -> QPen:
    """Return a pen with round joins; round caps too unless it is dashed (a dash is in multiples of the width)."""
    shade = QColor(colour)
    shade.setAlphaF(alpha if isinstance(colour, str) else shade.alphaF() * alpha)
    cap = Qt.PenCapStyle.FlatCap if dash else Qt.PenCapStyle.RoundCap
    made = QPen(QBrush(shade), width, Qt.PenStyle.SolidLine, cap, Qt.PenJoinStyle.RoundJoin)
    if dash:
        made.setDashPattern(list(dash))
        made.setDashOffset(offset)
    return made


def blunt(colour: str | QColor, width: float, *, alpha: float = 1.0, cap: Qt.PenCapStyle = Qt.PenCapStyle.FlatCap) -> QPen:
    """Return a pen for many short strokes in one path: with round ends they take ten to a hundred times as long (measured)."""
    made = pen(colour, width, alpha=alpha)
    made.setCapStyle(cap)
    return made


def tinted(colour: str, alpha: float) -> QColor:
    """Return a colour at *alpha* 0 … 1."""
    shade = QColor(colour)
    shade.setAlphaF(alpha)
    return shade
