"""Where panels have places of their own, as text that the settings keep from one game to the next."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import msgspec
from PySide6.QtGui import QGuiApplication

from client.panels.docked import Docked
from client.panels.surround import EDGES
from client.qt import QPoint, QRect

TABS, BELOW, WINDOW = "tabs", "below", "window"
PLACES = (BELOW, *EDGES, WINDOW)


class Place(msgspec.Struct, frozen=True):
    """Where a panel lies: in a place, or beside another panel as a tab of its place; a window with its box, if that is on a screen."""

    name: str
    place: str = ""
    beside: str = ""
    box: QRect | None = None


def told(docked: Mapping[str, Docked]) -> str:
    """Return which panels have places of their own, as `read` takes it: ``log:below,forces:left,notes:+forces``.

    A window is told with where it is and how large: ``log:window@40/60/340/260``.
    """
    words = []
    for name, one in docked.items():
        first = next(iter(one.names))
        place = one.place
        if place == WINDOW:
            box = one.geometry()  # without the frame, whose width is not known while it is not shown
            place += f"@{box.x()}/{box.y()}/{box.width()}/{box.height()}"
        words.append(f"{name}:{place}" if first == name else f"{name}:+{first}")
    return ",".join(sorted(words, key=lambda one: ":+" in one))


def read(places: str) -> Iterator[Place]:
    """Yield the places that are told, in their order; what is no place is passed over."""
    for name, _, place in (one.partition(":") for one in places.split(",")):
        kind, _, where = place.partition("@")
        if place.startswith("+"):
            yield Place(name, beside=place[1:])
        elif kind in PLACES:
            yield Place(name, kind, box=_box(where) if kind == WINDOW else None)


def _box(where: str) -> QRect | None:
    """Return where a window was and how large, if that still is on a screen."""
    numbers = re.fullmatch(r"(-?\d{1,5})/(-?\d{1,5})/(\d{1,5})/(\d{1,5})", where)
    if numbers is None:
        return None
    x, y, width, height = map(int, numbers.groups())
    is_seen = QGuiApplication.screenAt(QPoint(x + width // 2, y + 8)) is not None  # where its title is taken hold of
    return QRect(x, y, width, height) if is_seen else None
