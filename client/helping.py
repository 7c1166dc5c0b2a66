"""What the Help menu tells beside the rules: every key and what the mouse does, and what this program is."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from html import escape

from PySide6 import __version__ as qt_version
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QDialog, QFrame, QMenu, QMenuBar, QTextBrowser, QVBoxLayout, QWidget

from client.program import own_version
from client.qt import QCoreApplication
from client.scale import px

COLUMNS = 3
EDGE = 80  # of the screen that the window of keys leaves free
Section = tuple[str, list[tuple[str, str]]]


def _tr(words: str) -> str:
    return QCoreApplication.translate("Help", words)


def by_mouse() -> Section:
    """Return what the mouse does on the map, as the menus can't tell."""
    return _tr("Mouse"), [
        (_tr("click"), _tr("select a stack, go or aim where it was clicked")),
        (_tr("click again"), _tr("one counter of the stack after the other")),
        (_tr("double click"), _tr("all of the stack that can act")),
        (_tr("Shift+click"), _tr("add or take out; lead the way through a hex")),
        (_tr("drag a counter"), _tr("carry it there, or drop it on an enemy")),
        (_tr("Shift in a drag"), _tr("lead the way through this hex")),
        (_tr("drag the ground"), _tr("move the map")),
        (_tr("wheel"), _tr("zoom")),
    ]


def by_cards() -> Section:
    """Return the keys that stand on what they do instead of in a menu."""
    return _tr("Map and card"), [
        (_tr("arrows"), _tr("the hex cursor")),
        ("1 – 9", _tr("the choices of the card")),
        ("0", _tr("what ends the phase, or says no")),
        ("Ctrl+N", _tr("begin the game that is chosen on the start page")),
        ("Ctrl+L", _tr("begin the lesson")),
    ]


def of_menus(bar: QMenuBar) -> Iterator[Section]:
    """Yield each menu with its actions that have keys, those of its submenus among them by the submenu's name."""
    for head in bar.actions():
        menu = head.menu()
        if isinstance(menu, QMenu):
            found = [(_keys(action), words.replace("&", "").removesuffix(" …")) for words, action in _all(menu) if action.shortcuts()]
            if found:
                yield head.text().replace("&", ""), found


def _all(menu: QMenu, before: str = "") -> Iterator[tuple[str, QAction]]:
    for action in menu.actions():
        inner, words = action.menu(), f"{before}{action.text()}"
        if isinstance(inner, QMenu):
            yield from _all(inner, f"{words}: ")
        else:
            yield words, action


def _keys(action: QAction) -> str:
    return f" {_tr('or')} ".join(key.toString(QKeySequence.SequenceFormat.NativeText) for key in action.shortcuts())


def about() -> list[str]:
    """Return what this program is: version, what it stands on, licence, and what it does not hold."""
    own = own_version() or _tr("not installed")
    return [
        _tr("Version {own}, on Qt {qt} and Python {python}").format(own=own, qt=qt_version, python=platform.python_version()),
        "",
        _tr("Free software under the MIT licence. The fonts Inter and Lato bring their own licences (client/fonts)."),
        _tr("Maps: place coordinates from GeoNames (CC BY 4.0), coasts, lakes and rivers from Natural Earth (public domain)."),
        "",
        _tr("It is no publisher's product and holds no text, art or code of the games that it plays. What their rulebooks don't print")
        + " " + _tr("is reconstructed; the folder docs/rules says what is what."),
    ]


class KeysWindow(QDialog):
    """Lists every key and what the mouse does; the game can be played on beside it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self.setWindowTitle(self.tr("Keys and mouse"))
        self.text = QTextBrowser()
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setAccessibleName(self.tr("Keys and mouse"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 10, 6, 10)
        layout.addWidget(self.text)
        room = self.screen().availableSize()
        self.resize(min(px(1120), room.width() - EDGE), min(px(620), room.height() - EDGE))

    def show_keys(self, bar: QMenuBar) -> None:
        """Write what the menus hold now, and come to the front."""
        sections = [by_mouse(), by_cards(), *of_menus(bar)]
        self.text.setHtml(_columns(sections))
        self.show()
        self.raise_()
        self.activateWindow()


def _columns(sections: list[Section]) -> str:
    """Return the sections in columns of about the same length, in their order."""
    most = -(-sum(len(rows) + 2 for _, rows in sections) // COLUMNS)
    columns: list[list[str]] = [[]]
    filled = 0
    for title, rows in sections:
        if filled and filled + len(rows) / 2 > most and len(columns) < COLUMNS:
            columns.append([])
            filled = 0
        lines = "".join(f"<tr><td><b>{escape(key)}</b>&nbsp;&nbsp;</td><td>{escape(words)}</td></tr>" for key, words in rows)
        columns[-1].append(f"<h3>{escape(title)}</h3><table cellspacing=2>{lines}</table>")
        filled += len(rows) + 2
    cells = "".join(f"<td valign=top width={100 // len(columns)}%>{''.join(column)}</td>" for column in columns)
    return f"<table width=100%><tr>{cells}</tr></table>"
