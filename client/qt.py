"""QtCore names for the whole client: the one place that imports them, so that a change of binding is one file's work."""

from __future__ import annotations

from PySide6.QtCore import (
    QByteArray,
    QCoreApplication,
    QEasingCurve,
    QElapsedTimer,
    QEvent,
    QLineF,
    QObject,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSettings,
    QSize,
    QSizeF,
    Qt,
    QThread,
    QTimer,
    QVariantAnimation,
    Signal,
    Slot,
)

__all__ = [
    "QByteArray",
    "QCoreApplication",
    "QEasingCurve",
    "QElapsedTimer",
    "QEvent",
    "QLineF",
    "QObject",
    "QPoint",
    "QPointF",
    "QRect",
    "QRectF",
    "QSettings",
    "QSize",
    "QSizeF",
    "QThread",
    "QTimer",
    "QVariantAnimation",
    "Qt",
    "Signal",
    "Slot",
]
