"""The side panel: four tabs, of which the one that the player needs comes forward and goes back by itself."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from PySide6.QtGui import QCloseEvent, QFont, QFontMetrics
from PySide6.QtWidgets import QButtonGroup, QFrame, QGridLayout, QStackedWidget, QVBoxLayout, QWidget

from client import fonts
from client.panels.widgets import button
from client.qt import Signal
from client.style import PANEL_WIDTH, RAIL_WIDTH

TAB_PADDING = 4  # pixels that a tab needs at least beside its words


class SidePanel(QFrame):
    """Tabs over pages.

    Signals:
        tab_chosen(str): the player pressed a tab.
        closed(): it floated in a window of its own, and that was closed.
    """

    tab_chosen = Signal(str)
    closed = Signal()

    def __init__(self, parent: QWidget, pages: Mapping[str, tuple[str, QWidget]]) -> None:
        super().__init__(parent)
        self.setObjectName("side")
        self._pages = {name: page for name, (_, page) in pages.items()}
        self._stack = QStackedWidget()
        self._group = QButtonGroup(self)
        self._buttons = {}
        self._chosen = "log"
        tabs = QGridLayout()
        tabs.setContentsMargins(10, 2, 10, 0)
        tabs.setSpacing(0)
        abreast = _abreast([title for title, _ in pages.values()])
        for i, (name, (title, page)) in enumerate(pages.items()):
            tab = button(title, lambda name=name: self.choose(name), name="tab", checkable=True)  # type: ignore[misc]
            self._group.addButton(tab)
            self._buttons[name] = tab
            self._stack.addWidget(page)
            tabs.addWidget(tab, i // abreast, i % abreast)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 8)
        layout.setSpacing(0)
        layout.addLayout(tabs)
        layout.addWidget(self._stack, 1)
        self.bring("log")

    def choose(self, name: str) -> None:
        """Bring a tab forward as the player's choice: it comes back when what came between has gone."""
        self._chosen = name
        self.bring(name)
        self.tab_chosen.emit(name)

    def bring(self, name: str) -> None:
        """Bring a tab forward without its being the player's choice."""
        self._stack.setCurrentWidget(self._pages[name])
        self._buttons[name].setChecked(True)

    def bring_back(self) -> None:
        """Show what the player chose last."""
        self.bring(self._chosen)

    def closeEvent(self, event: QCloseEvent) -> None:
        event.ignore()  # a closed window would take the panels with it; they go back to the table
        self.closed.emit()

    @property
    def names(self) -> Collection[str]:
        """Return the names of the tabs."""
        return self._pages.keys()

    @property
    def chosen(self) -> str:
        """Return the name of the tab that the player chose last."""
        return self._chosen

    @property
    def current(self) -> str:
        """Return the name of the tab in front."""
        return next(name for name, page in self._pages.items() if page is self._stack.currentWidget())


def _abreast(titles: Sequence[str]) -> int:
    """Return how many tabs stand in a row: all of them, or half where a language's words are longer."""
    metrics = QFontMetrics(fonts.interface(13, QFont.Weight.Bold))
    needed = sum(metrics.horizontalAdvance(title) + 2 * TAB_PADDING for title in titles)
    return len(titles) if needed <= PANEL_WIDTH - 20 else -(-len(titles) // 2)


class Rail(QFrame):
    """What is left of the side panel in a narrow window: a button a tab, opening it over the map.

    Signals:
        wanted(str): a tab shall be opened, or closed if it is.
    """

    wanted = Signal(str)

    def __init__(self, parent: QWidget, titles: Mapping[str, str]) -> None:
        super().__init__(parent)
        self.setObjectName("rail")
        self.setFixedWidth(RAIL_WIDTH)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2, 8, 2, 8)
        for name, title in titles.items():
            layout.addWidget(button(title[:1], lambda name=name: self.wanted.emit(name), name="tool", tip=title))  # type: ignore[misc]
        layout.addStretch(1)
