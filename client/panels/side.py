"""The side panel: tabs, of which the one that is needed comes forward and goes back by itself, and panels docked below or floating."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from PySide6.QtGui import QCloseEvent, QFont, QFontMetrics, QMouseEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QGridLayout, QRubberBand, QScrollArea, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from client import fonts
from client.panels.pictograms import SignButton
from client.panels.widgets import button, label, row
from client.qt import QPoint, QRect, QSize, Qt, QTimer, Signal
from client.scale import px
from client.style import PANEL_WIDTH, RAIL_WIDTH

SEEN_WHOLE = ("battle", "stack")  # panels to which those docked below give way as long as they are in front
LEFT_OF_DOCKED = 96  # pixels that each of those keeps
DRAG_FROM = 8  # pixels that a bar must be dragged before its panel leaves its place
TAB_PADDING = 4  # pixels that a tab needs at least beside its words


class Docked(QFrame):
    """A panel in a place of its own: under a bar with its title, and buttons that let it float and send it back among the tabs.

    Dragged by that bar it floats where it is dropped.

    Signals:
        float_wanted(): it shall float in a window of its own, or be docked again.
        dropped(QPoint, QPoint): it was dragged to a point of the screen, its corner to another.
        back_wanted(): it shall be a tab again.
    """

    float_wanted = Signal()
    dropped = Signal(QPoint, QPoint)
    back_wanted = Signal()

    def __init__(self, title: str, page: QWidget) -> None:
        super().__init__()
        self.setObjectName("docked")
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)  # the keys go on to the map
        self.page = page
        self._held: QPoint | None = None  # where the bar was taken hold of
        self._outline: QRubberBand | None = None
        floats, back = self.tr("{panel}: float, or dock again"), self.tr("{panel}: back among the tabs")
        self.float_button = button("↗", self.float_wanted.emit, name="tool", tip=floats.format(panel=title))
        self.back_button = button("×", self.back_wanted.emit, name="tool", tip=back.format(panel=title))
        bar = row(label(title, "subheading"), self.float_button, self.back_button, stretch=0, spacing=0)
        bar.setContentsMargins(14, 0, 8, 0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 2, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addWidget(page, 1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        where = event.position().toPoint()
        self._held = where if event.button() == Qt.MouseButton.LeftButton and where.y() < self.page.y() else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """A window follows the mouse; of a docked panel only the outline does, as it would lose the mouse by becoming a window."""
        if self._held is None:
            return
        corner = event.globalPosition().toPoint() - self._held
        if self.isWindow():
            self.move(corner)
        elif self._outline is not None or (event.position().toPoint() - self._held).manhattanLength() > DRAG_FROM:
            self._outline = self._outline or QRubberBand(QRubberBand.Shape.Rectangle, self.window())
            self._outline.setGeometry(QRect(self.window().mapFromGlobal(corner), self.size()))
            self._outline.show()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        held, self._held = self._held, None
        if held is None or (self._outline is None and not self.isWindow()):
            return
        if self._outline is not None:
            self._outline.deleteLater()
            self._outline = None
        self.dropped.emit(event.globalPosition().toPoint(), event.globalPosition().toPoint() - held)

    def closeEvent(self, event: QCloseEvent) -> None:
        event.ignore()  # a closed window would take its panel with it
        self.back_wanted.emit()


class SidePanel(QFrame):
    """Tabs over pages, and below them the pages that were given a place of their own; those can float in windows too.

    Signals:
        tab_chosen(str): the player pressed a tab, or opened a panel.
        closed(): the whole panel floated in a window of its own, and that was closed.
    """

    tab_chosen = Signal(str)
    closed = Signal()

    def __init__(self, parent: QWidget, pages: Mapping[str, tuple[str, QWidget]]) -> None:
        super().__init__(parent)
        self.setObjectName("side")
        self._pages = {name: page for name, (_, page) in pages.items()}
        self._titles = {name: title for name, (title, _) in pages.items()}
        self._stack = QStackedWidget()
        self._group = QButtonGroup(self)
        self._buttons = {}
        self._docked: dict[str, Docked] = {}
        self._chosen = self._front = next(iter(pages))
        self._before: list[int] | None = None  # how the room was shared out before a panel needed more
        self._by_hand = False
        self._room = QTimer(self, singleShot=True, interval=0)
        self._room.timeout.connect(self._make_room)
        self._tabs = QGridLayout()
        self._tabs.setContentsMargins(10, 2, 10, 0)
        self._tabs.setSpacing(0)
        for name, (title, page) in pages.items():
            tab = button(title, lambda name=name: self.choose(name), name="tab", checkable=True)  # type: ignore[misc]
            self._group.addButton(tab)
            self._buttons[name] = tab
            self._stack.addWidget(page)
            page.setAccessibleName(title)
            if name in SEEN_WHOLE and isinstance(page, QScrollArea):
                page.verticalScrollBar().rangeChanged.connect(self._room.start)
        self._lay_tabs()
        upper = QWidget()
        column = QVBoxLayout(upper)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._tabs)
        column.addWidget(self._stack, 1)
        self.split = QSplitter(Qt.Orientation.Vertical)
        self.split.setChildrenCollapsible(False)
        self.split.setHandleWidth(7)
        self.split.addWidget(upper)
        self.split.splitterMoved.connect(self._shared_by_hand)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 8)
        layout.setSpacing(0)
        layout.addWidget(self.split)
        self.bring(self._chosen)

    def _lay_tabs(self, without: str = "") -> None:
        """Lay the tabs of the panels that have no place of their own."""
        shown = [name for name in self._pages if name not in self._docked and name != without]
        abreast = _abreast([self._titles[name] for name in shown])
        for name, tab in self._buttons.items():
            self._tabs.removeWidget(tab)
            tab.setVisible(name in shown)
        for i, name in enumerate(shown):
            self._tabs.addWidget(self._buttons[name], i // abreast, i % abreast)

    def choose(self, name: str) -> None:
        """Bring a panel forward as the player's choice: it comes back when what came between has gone."""
        if name not in self._docked:
            self._chosen = name
        self.bring(name)
        self.tab_chosen.emit(name)

    def bring(self, name: str) -> None:
        """Bring a panel forward without its being the player's choice."""
        self._front = name
        if name in self._docked:
            self._docked[name].raise_()
            return
        self._stack.setCurrentWidget(self._pages[name])
        self._buttons[name].setChecked(True)
        if name in SEEN_WHOLE:
            self._room.start()
        elif self._before is not None:
            self.split.setSizes(self._before)
            self._before = None

    def bring_back(self) -> None:
        """Show what the player chose last."""
        self.bring(self._chosen)

    def _make_room(self) -> None:
        """Let the panel in front be seen whole, if what is docked below can give so much."""
        page, sizes = self._pages[self._front], self.split.sizes()
        if self._by_hand or self._front not in SEEN_WHOLE or self._front in self._docked or not isinstance(page, QScrollArea):
            return
        lack, spare = page.verticalScrollBar().maximum(), sum(sizes[1:]) - px(LEFT_OF_DOCKED) * (len(sizes) - 1)
        if lack > 0 and spare > 0:
            self._before = self._before or sizes
            given = min(lack, spare)
            self.split.setSizes([sizes[0] + given, *(size - given * size // max(1, sum(sizes[1:])) for size in sizes[1:])])

    def _shared_by_hand(self) -> None:
        """Leave the room as the player shared it out."""
        self._before, self._by_hand = None, True

    # ---------------------------------------------------------------- places of their own

    def dock(self, name: str) -> None:
        """Give a panel a place of its own below the tabs; the last tab stays one."""
        if name in self._docked or len(self._docked) == len(self._pages) - 1:
            return
        page = self._pages[name]
        self._stack.removeWidget(page)
        self._lay_tabs(without=name)
        docked = self._docked[name] = Docked(self._titles[name], page)
        page.show()
        docked.float_wanted.connect(lambda: self.float(name))
        docked.back_wanted.connect(lambda: self.undock(name))
        docked.dropped.connect(lambda where, corner: self._dropped(name, where, corner))
        self.split.addWidget(docked)
        self.split.setSizes([3] + [2] * (self.split.count() - 1))
        if self._chosen == name:
            self._chosen = next(other for other in self._pages if other not in self._docked)
        if self._front == name:
            self.bring_back()

    def float(self, name: str) -> None:
        """Let a panel float in a window of its own, or dock it again."""
        self.dock(name)
        docked = self._docked.get(name)
        if docked is None:
            return
        if docked.isWindow():
            docked.setWindowFlags(Qt.WindowType.Widget)
            self.split.addWidget(docked)
        else:
            corner, size = docked.mapToGlobal(QPoint(-24, 24)), docked.size().expandedTo(QSize(px(PANEL_WIDTH), px(260)))
            docked.setParent(self, Qt.WindowType.Tool)
            docked.setGeometry(QRect(corner, size))
        docked.show()

    def _dropped(self, name: str, where: QPoint, corner: QPoint) -> None:
        """Let a panel float that is dragged away from the others, dock one that is dragged back over them."""
        docked, over = self._docked[name], self.rect().contains(self.mapFromGlobal(where))
        if docked.isWindow() == over:
            self.float(name)
        if not over:
            docked.move(corner)

    def undock(self, name: str) -> None:
        """Make a panel a tab again."""
        docked = self._docked.pop(name, None)
        if docked is None:
            return
        self._stack.addWidget(docked.page)
        docked.hide()
        docked.setParent(self)
        docked.deleteLater()
        self._lay_tabs()

    def move_on(self) -> None:
        """Give the panel in front its next place: a tab, docked below, in a window, a tab again."""
        name = self._front
        if name not in self._docked:
            self.dock(name)
        elif not self._docked[name].isWindow():
            self.float(name)
        else:
            self.undock(name)
        self._front = name

    def places(self) -> str:
        """Return which panels have places of their own, as `restore_places` takes it."""
        return ",".join(f"{name}:{'window' if docked.isWindow() else 'below'}" for name, docked in self._docked.items())

    def restore_places(self, places: str) -> None:
        """Give panels the places that they had; what is unknown is passed over."""
        for name in list(self._docked):
            self.undock(name)
        for name, _, place in (one.partition(":") for one in places.split(",")):
            if name in self._pages and place in ("below", "window"):
                self.float(name) if place == "window" else self.dock(name)

    def closeEvent(self, event: QCloseEvent) -> None:
        event.ignore()  # a closed window would take the panels with it; they go back to the table
        self.closed.emit()

    @property
    def names(self) -> Collection[str]:
        """Return the names of the panels."""
        return self._pages.keys()

    @property
    def chosen(self) -> str:
        """Return the name of the tab that the player chose last."""
        return self._chosen

    @property
    def current(self) -> str:
        """Return the name of the panel that came forward last."""
        return self._front


def _abreast(titles: Sequence[str]) -> int:
    """Return how many tabs stand in a row: all of them, or fewer in more rows where there are many, or a language's words are longer."""
    metrics = QFontMetrics(fonts.interface(px(13), QFont.Weight.Bold))
    widths = [metrics.horizontalAdvance(title) + 2 * TAB_PADDING for title in titles]
    for rows in range(1, len(titles)):
        abreast = -(-len(titles) // rows)
        if sum(max(widths[column::abreast]) for column in range(abreast)) <= px(PANEL_WIDTH) - 20:
            return abreast
    return 1


class Rail(QFrame):
    """What is left of the side panel in a narrow window: a sign a tab, opening it over the map.

    Signals:
        wanted(str): a tab shall be opened, or closed if it is.
    """

    wanted = Signal(str)

    def __init__(self, parent: QWidget, titles: Mapping[str, str]) -> None:
        super().__init__(parent)
        self.setObjectName("rail")
        self.setFixedWidth(px(RAIL_WIDTH))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2, 8, 2, 8)
        for name, title in titles.items():
            made = SignButton(name, tip=title)
            made.clicked.connect(lambda _checked=False, name=name: self.wanted.emit(name))
            layout.addWidget(made, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(1)
