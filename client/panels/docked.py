"""A panel in a place of its own, or several as tabs: under a bar by which it is dragged, floated and sent back among the tabs."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtGui import QCloseEvent, QMouseEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from client.panels.widgets import button, clear, label, row
from client.qt import QPoint, QSize, Qt, Signal

DRAG_FROM = 8  # pixels that a bar must be dragged before its panel leaves its place
LEAST = QSize(120, 90)  # however little room there is


class Docked(QFrame):
    """One place. What its buttons and a drag by its bar do concerns the panel in front.

    Attributes:
        place: which part of the table it lies in, or ``window``.

    Signals:
        float_wanted(): the panel shall float in a window of its own, or be docked again.
        back_wanted(): it shall be a tab of the side panel again.
        dragged(QPoint, QPoint): it is being dragged over a point of the screen, its corner to another.
        dropped(QPoint, QPoint): it was dropped there.
        menu_wanted(QPoint): its places shall be listed at a point of the screen.
    """

    float_wanted = Signal()
    back_wanted = Signal()
    dragged = Signal(QPoint, QPoint)
    dropped = Signal(QPoint, QPoint)
    menu_wanted = Signal(QPoint)

    def __init__(self, place: str) -> None:
        super().__init__()
        self.setObjectName("docked")
        self.setMinimumSize(LEAST)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)  # the keys go on to the map
        self.place = place
        self._pages: dict[str, tuple[str, QWidget]] = {}
        self._marked: set[str] = set()  # in which something is new
        self._held: QPoint | None = None  # where the bar was taken hold of
        self._drags = False
        self._group = QButtonGroup(self)
        self._stack = QStackedWidget()
        self._tabs = QHBoxLayout()
        self._tabs.setSpacing(10)
        self.float_button = button("↗", self.float_wanted.emit, name="tool")
        self.back_button = button("×", self.back_wanted.emit, name="tool")
        bar = row(self.float_button, self.back_button, spacing=0)
        bar.insertLayout(0, self._tabs)
        bar.insertStretch(1, 1)
        bar.setContentsMargins(14, 0, 8, 0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 2, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addWidget(self._stack, 1)

    # ---------------------------------------------------------------- what is in it

    @property
    def names(self) -> Collection[str]:
        """Return the panels in it."""
        return self._pages.keys()

    @property
    def front(self) -> str:
        """Return the panel that is seen."""
        shown = self._stack.currentWidget()
        return next(name for name, (_, page) in self._pages.items() if page is shown)

    def add(self, name: str, title: str, page: QWidget) -> None:
        """Take a panel in, in front of those that are there."""
        self._pages[name] = title, page
        self._stack.addWidget(page)
        page.show()
        self.bring(name)

    def rename(self, name: str, title: str) -> None:
        """Give a panel another title."""
        self._pages[name] = title, self._pages[name][1]
        self.bring(self.front)

    def mark(self, name: str, *, on: bool) -> None:
        """Mark a panel in which something is new, or no more."""
        if on != (name in self._marked):
            self._marked ^= {name}
            self._write_bar()

    def take(self, name: str) -> QWidget:
        """Give a panel out."""
        self._marked.discard(name)
        _, page = self._pages.pop(name)
        self._stack.removeWidget(page)
        if self._pages:
            self.bring(self.front)
        return page

    def bring(self, name: str) -> None:
        """Show a panel in front of the others."""
        title, page = self._pages[name]
        self._stack.setCurrentWidget(page)
        self.setWindowTitle(title)
        self.float_button.setToolTip(self.tr("{panel}: float, or dock again").format(panel=title))
        self.back_button.setToolTip(self.tr("{panel}: back among the tabs").format(panel=title))
        for made in (self.float_button, self.back_button):
            made.setAccessibleName(made.toolTip())
        self._write_bar()

    def _write_bar(self) -> None:
        clear(self._tabs)
        if len(self._pages) == 1:
            self._tabs.addWidget(label(self._called(self.front), "subheading"))
            return
        for name, (title, page) in self._pages.items():
            tab = button(self._called(name), lambda name=name: self._turn_to(name), name="tab", tip=title, checkable=True)  # type: ignore[misc]
            tab.setChecked(page is self._stack.currentWidget())
            self._tabs.addWidget(tab)

    def _called(self, name: str) -> str:
        title, _ = self._pages[name]
        return f"{title} ●" if name in self._marked else title

    def _turn_to(self, name: str) -> None:
        self._stack.setCurrentWidget(self._pages[name][1])
        self.bring(name)

    # ---------------------------------------------------------------- mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        where = event.position().toPoint()
        on_bar = where.y() < self._stack.y()
        self._held = where if event.button() == Qt.MouseButton.LeftButton and on_bar else None
        if event.button() == Qt.MouseButton.RightButton and on_bar:
            self.menu_wanted.emit(event.globalPosition().toPoint())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """A window follows the mouse; of a docked panel only an outline does, as it would lose the mouse by becoming a window."""
        if self._held is None:
            return
        corner = event.globalPosition().toPoint() - self._held
        if self._drags or self.isWindow() or (event.position().toPoint() - self._held).manhattanLength() > DRAG_FROM:
            self._drags = True
            if self.isWindow():
                self.move(corner)
            self.dragged.emit(event.globalPosition().toPoint(), corner)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        held, self._held = self._held, None
        drags, self._drags = self._drags, False
        if held is not None and drags:
            self.dropped.emit(event.globalPosition().toPoint(), event.globalPosition().toPoint() - held)

    def closeEvent(self, event: QCloseEvent) -> None:
        event.ignore()  # a closed window would take its panels with it
        self.back_wanted.emit()
