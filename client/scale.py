"""How large texts and what holds them are: the application's property, as its font is. The map has its own zoom and is left alone."""

from __future__ import annotations

from client.qt import QCoreApplication

LEAST, MOST, STEP = 80, 200, 10  # percent
_PROPERTY = "text percent"


def text_percent() -> int:
    """Return how large texts are."""
    app = QCoreApplication.instance()
    value = app.property(_PROPERTY) if app is not None else None
    return value if isinstance(value, int) else 100


def set_text_percent(percent: int) -> None:
    """Make what is built from now on larger or smaller."""
    app = QCoreApplication.instance()
    assert app is not None, "texts belong to an application"
    app.setProperty(_PROPERTY, max(LEAST, min(MOST, percent)))


def px(size: int) -> int:
    """Return a size in pixels as large as texts are now."""
    return round(size * text_percent() / 100)
