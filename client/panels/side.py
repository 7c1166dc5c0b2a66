"""The side panel: tabs, of which the one that is needed comes forward and goes back by itself, and panels in places of their own."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from PySide6.QtGui import QCloseEvent, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QGridLayout, QRubberBand, QScrollArea, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from client.panels import places
from client.panels.docked import Docked
from client.panels.places import BELOW, TABS, WINDOW
from client.panels.surround import Surround
from client.panels.tab import Tab, abreast
from client.panels.widgets import dressed
from client.qt import QPoint, QRect, QSize, Qt, QTimer, Signal
from client.scale import px
from client.style import PANEL_WIDTH

SEEN_WHOLE = ("battle", "stack")  # panels to which those docked below give way as long as they are in front
ALONE = ("battle",)  # before which those below go altogether, where it would not be seen whole otherwise
SETTLED_MS = 60  # after which a panel has shown itself as briefly as it can
FLOATING_HEIGHT = 420  # of a panel in a window of its own, at first: it floats to be seen whole
LEFT_OF_DOCKED = 176  # pixels that each of those keeps: some lines of a log below its bar and its filters
MUCH = 80  # pixels empty below a panel, from which on they go back to those
LEFT_BELOW_ALONE = 96  # before one of `ALONE`: fewer, rather than that they go


class SidePanel(QFrame):
    """Tabs over pages, and below them the pages that were given a place of their own; those can float in windows too.

    Args:
        around: the map with its edges.

    Signals:
        tab_chosen(str): the player pressed a tab, or opened a panel.
        closed(): the whole panel floated in a window of its own, and that was closed.
        placed(): a panel has another place.
        menu_wanted(str, QPoint): the places that a panel can have shall be listed at a point of the screen.
        marked(str, bool): something is new in a panel, or no more.
        renamed(str, str): a panel has another title.
    """

    marked = Signal(str, bool)
    renamed = Signal(str, str)
    tab_chosen = Signal(str)
    closed = Signal()
    placed = Signal()
    menu_wanted = Signal(str, QPoint)

    def __init__(self, parent: QWidget, pages: Mapping[str, tuple[str, QWidget]], around: Surround) -> None:
        super().__init__(parent)
        self._around = around
        self._outline = QRubberBand(QRubberBand.Shape.Rectangle, parent)
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
        self._all_room = QTimer(self, singleShot=True, interval=SETTLED_MS)
        self._all_room.timeout.connect(self._make_all_room)
        self._tabs = QGridLayout()
        self._tabs.setContentsMargins(10, 2, 10, 0)
        self._tabs.setSpacing(0)
        for name, (title, page) in pages.items():
            tab = dressed(Tab(title), lambda name=name: self.choose(name), name="tab", checkable=True)  # type: ignore[misc]
            tab.dragged.connect(lambda at, name=name: self._outline_of(None, at, self._box_from(name, at)))
            tab.dropped.connect(lambda at, name=name: self._drop(name, None, at, self._box_from(name, at).topLeft()))
            tab.setParent(self)  # before it is shown: without a parent it would be a window on the desktop
            tab.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            tab.customContextMenuRequested.connect(lambda at, name=name, tab=tab: self.menu_wanted.emit(name, tab.mapToGlobal(at)))
            self._group.addButton(tab)
            self._buttons[name] = tab
            self._stack.addWidget(page)
            page.setAccessibleName(title)
            if name in SEEN_WHOLE and isinstance(page, QScrollArea):
                page.verticalScrollBar().rangeChanged.connect(self._room.start)
        self._lay_tabs()
        self._upper = QWidget()
        column = QVBoxLayout(self._upper)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._tabs)
        column.addWidget(self._stack, 1)
        self.split = QSplitter(Qt.Orientation.Vertical)
        self.split.setChildrenCollapsible(False)
        self.split.setHandleWidth(7)
        self.split.addWidget(self._upper)
        self.split.splitterMoved.connect(self._shared_by_hand)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 8)
        layout.setSpacing(0)
        layout.addWidget(self.split)
        self.bring(self._chosen)

    def _lay_tabs(self, without: str = "") -> None:
        """Lay the tabs of the panels that have no place of their own."""
        shown = [name for name in self._pages if name not in self._docked and name != without]
        columns = abreast([self._titles[name] for name in shown])
        for name, tab in self._buttons.items():
            self._tabs.removeWidget(tab)
            tab.setVisible(name in shown)
        for i, name in enumerate(shown):
            self._tabs.addWidget(self._buttons[name], i // columns, i % columns)

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
            self._show_below()
            self._docked[name].bring(name)
            self._docked[name].raise_()
            return
        self._stack.setCurrentWidget(self._pages[name])
        self._buttons[name].setChecked(True)
        if name in SEEN_WHOLE:
            self._room.start()
        else:
            self._show_below()
            if self._before is not None:
                self.split.setSizes(self._before)
                self._before = None

    def rename(self, name: str, title: str) -> None:
        """Let a panel's tab tell what it shows now."""
        if title == self._titles[name]:
            return
        self._titles[name] = title
        self._buttons[name].setText(title)
        self._pages[name].setAccessibleName(title)
        if name in self._docked:
            self._docked[name].rename(name, title)
        self._lay_tabs()
        self.renamed.emit(name, title)

    def mark(self, name: str, *, on: bool) -> None:
        """Mark the tab of a panel in which something is new, or no more."""
        self._buttons[name].setText(f"{self._titles[name]} ●" if on else self._titles[name])
        if name in self._docked:
            self._docked[name].mark(name, on=on)
        self.marked.emit(name, on)

    def bring_back(self) -> None:
        """Show what the player chose last."""
        self.bring(self._chosen)

    def _make_room(self) -> None:
        """Let the panel in front be seen whole, if what is docked below can give so much."""
        page, sizes = self._pages[self._front], self.split.sizes()
        if self._by_hand or self._front not in SEEN_WHOLE or self._front in self._docked or not isinstance(page, QScrollArea):
            return
        left = px(LEFT_BELOW_ALONE if self._front in ALONE else LEFT_OF_DOCKED)
        lack, spare = page.verticalScrollBar().maximum(), sum(sizes[1:]) - left * (len(sizes) - 1)
        if lack > 0 and spare > 0:
            self._before = self._before or sizes
            given = min(lack, spare)
            self.split.setSizes([sizes[0] + given, *(size - given * size // max(1, sum(sizes[1:])) for size in sizes[1:])])
        if lack > 0 and self._front in ALONE:
            self._all_room.start()
        if lack <= 0 and self._before is not None:
            self._give_back(page, sizes, self._before)

    def _give_back(self, page: QScrollArea, sizes: Sequence[int], before: Sequence[int]) -> None:
        """Give back what a longer panel took, where the one in front leaves much of it empty; for a line or two all would jump."""
        shown = page.widget()
        layout = None if shown is None else shown.layout()
        if layout is None or len(sizes) != len(before):
            return
        needs = layout.totalHeightForWidth(page.viewport().width()) if layout.hasHeightForWidth() else layout.totalSizeHint().height()
        back = min(page.viewport().height() - needs, sizes[0] - before[0])
        hidden = sum(docked.isHidden() for docked in self._below())
        if back < max(px(MUCH), hidden * px(LEFT_BELOW_ALONE)):
            return
        self._show_below()
        taken = max(1, sum(before[1:]) - sum(sizes[1:]))
        below = (size + back * (was - size) // taken for size, was in zip(sizes[1:], before[1:], strict=True))
        self.split.setSizes([sizes[0] - back, *below])
        if back == sizes[0] - before[0]:
            self._before = None

    def _make_all_room(self) -> None:
        """Hide what is docked below while the panel in front still lacks room."""
        page = self._pages[self._front]
        if not self._by_hand and self._front in ALONE and isinstance(page, QScrollArea) and page.verticalScrollBar().maximum() > 0:
            self._before = self._before or self.split.sizes()
            for docked in self._below():
                docked.hide()

    def _below(self) -> list[Docked]:
        return [docked for docked in dict.fromkeys(self._docked.values()) if docked.place == BELOW]

    def _show_below(self) -> None:
        for docked in self._below():
            docked.show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().height() > event.oldSize().height() > 0 and any(docked.isHidden() for docked in self._below()):
            self._show_below()
            self._room.start()

    def _shared_by_hand(self) -> None:
        """Leave the room as the player shared it out."""
        self._before, self._by_hand = None, True

    # ---------------------------------------------------------------- places of their own

    def place_of(self, name: str) -> str:
        """Return where a panel is: among the ``tabs``, ``below`` them, at an edge of the map, or in a ``window``."""
        docked = self._docked.get(name)
        return TABS if docked is None else docked.place

    def put(self, name: str, place: str) -> None:
        """Put a panel to a place, beside what is there; the last tab stays one."""
        if place == TABS:
            self.undock(name)
        elif name in self._docked or self._may_leave():
            docked = self._new_place(place, self._take_out(name))
            docked.add(name, self._titles[name], self._pages[name])
            self._docked[name] = docked
            self._lay_places()

    def join(self, name: str, other: str) -> None:
        """Put a panel into another's place, as tabs."""
        docked = self._docked.get(other)
        if docked is not None and name not in docked.names and (name in self._docked or self._may_leave()):
            self._take_out(name)
            docked.add(name, self._titles[name], self._pages[name])
            self._docked[name] = docked
            self._lay_places()

    def _may_leave(self) -> bool:
        return len(self._docked) < len(self._pages) - 1

    def _take_out(self, name: str) -> QRect:
        """Take a panel out of its place, and return where on the screen that was; a place that holds nothing more goes."""
        docked = self._docked.pop(name, None)
        if docked is None:
            where = QRect(self.mapToGlobal(QPoint(-24, 24)), QSize(px(PANEL_WIDTH), px(260)))
            self._stack.removeWidget(self._pages[name])
            self._lay_tabs(without=name)
            if self._chosen == name:
                self._chosen = next(other for other in self._pages if other not in self._docked and other != name)
            if self._front == name:
                self.bring_back()
            return where
        where = QRect(docked.mapToGlobal(QPoint(-24, 24)), docked.size())
        docked.take(name)
        if not docked.names:
            docked.hide()
            docked.setParent(self)
            docked.deleteLater()
        return where

    def _new_place(self, place: str, where: QRect) -> Docked:
        docked = Docked(place)
        docked.float_wanted.connect(lambda: self.float(docked.front))
        docked.back_wanted.connect(lambda: self._back(docked))
        docked.dragged.connect(lambda at, corner: self._outline_of(docked, at, None if docked.isWindow() else QRect(corner, docked.size())))
        docked.dropped.connect(lambda at, corner: self._drop(docked.front, docked, at, corner))
        docked.menu_wanted.connect(lambda at: self.menu_wanted.emit(docked.front, at))
        if place == WINDOW:
            docked.setParent(self, Qt.WindowType.Tool)
            box = QRect(where.topLeft(), where.size().expandedTo(QSize(px(PANEL_WIDTH), px(FLOATING_HEIGHT))))
            table = _on_screen(self._around.window())  # from its edge a panel would hang half out
            left = max(table.left(), min(box.left(), table.right() - box.width()))
            box.moveTo(left, max(table.top(), min(box.top(), table.bottom() - box.height())))
            docked.setGeometry(box)
        elif place == BELOW:
            self.split.addWidget(docked)
            self.split.setSizes([3] + [2] * (self.split.count() - 1))
        else:
            self._around.edges[place].addWidget(docked)
        docked.show()
        return docked

    def _back(self, docked: Docked) -> None:
        for name in list(docked.names) if docked.isWindow() else [docked.front]:
            self.undock(name)

    def _lay_places(self) -> None:
        self._lay_tabs()
        self._around.fit()
        self.placed.emit()

    def dock(self, name: str) -> None:
        """Give a panel a place of its own below the tabs, if it has none."""
        if name not in self._docked:
            self.put(name, BELOW)

    def float(self, name: str) -> None:
        """Let a panel float in a window of its own, or dock it again."""
        self.put(name, BELOW if self.place_of(name) == WINDOW else WINDOW)

    def undock(self, name: str) -> None:
        """Make a panel a tab again."""
        if name in self._docked:
            self._take_out(name)
            self._stack.addWidget(self._pages[name])
            self._lay_places()

    def move_on(self) -> None:
        """Give the panel in front its next place: a tab, docked below, in a window, a tab again."""
        name = self._front
        self.put(name, {TABS: BELOW, BELOW: WINDOW, WINDOW: TABS}.get(self.place_of(name), WINDOW))
        self._front = name

    def put_front(self, place: str) -> None:
        """Put the panel in front to a place."""
        name = self._front
        self.put(name, place)
        self._front = name

    def join_front(self) -> None:
        """Put the panel in front into the place of the one that was docked last before it, as tabs."""
        name = self._front
        others = [other for other, docked in self._docked.items() if other != name and name not in docked.names]
        if others:
            self.join(name, others[-1])
            self._front = name

    # ---------------------------------------------------------------- dragging

    def _box_from(self, name: str, at: QPoint) -> QRect:
        """Return where a panel that is dragged by its tab would lie if it were dropped here to float."""
        return QRect(at - QPoint(30, 8), self._pages[name].size())

    def _target(self, docked: Docked | None, where: QPoint) -> tuple[str, str, QRect] | None:
        """Return what a drop at a point of the screen means: a place, the panel that is joined there if any, and a box; None: to float."""
        for name, other in self._docked.items():
            box = _on_screen(other)
            if other is not docked and other.isVisible() and box.contains(where):
                return other.place, name, box
        if self.isVisible() and _on_screen(self).contains(where):
            box = _on_screen(self._upper)
            if where.y() - box.top() < self._stack.y():
                return TABS, "", box
            return BELOW, "", box.adjusted(0, box.height() * 3 // 5, 0, 0)
        edge = self._around.edge_at(where)
        return None if edge is None else (edge[0], "", edge[1])

    def _outline_of(self, docked: Docked | None, where: QPoint, floating: QRect | None) -> None:
        """Show where the panel would go that is dragged out of a place, or from among the tabs; *floating* if it is to float."""
        target = self._target(docked, where)
        box = floating if target is None else target[2]
        if box is None or (docked is None and target is not None and target[0] == TABS):
            self._outline.hide()
            return
        host = self._outline.parentWidget()
        assert host is not None, "the outline lies over the table"
        self._outline.setGeometry(QRect(host.mapFromGlobal(box.topLeft()), box.size()))
        self._outline.show()
        self._outline.raise_()

    def _drop(self, name: str, docked: Docked | None, where: QPoint, corner: QPoint) -> None:
        """Put the panel where it is dropped: joined to another, at an edge of the map, below the tabs or among them, else in a window."""
        self._outline.hide()
        target = self._target(docked, where)
        if target is None:
            if docked is None or not docked.isWindow():
                self.put(name, WINDOW)
                if name in self._docked:  # the last tab stays
                    self._docked[name].move(corner)
            return
        place, other, _ = target
        if other:
            self.join(name, other)
        elif place != self.place_of(name) or (docked is not None and len(docked.names) > 1):
            self.put(name, place)

    # ---------------------------------------------------------------- kept between games

    def places(self) -> str:
        """Return which panels have places of their own, as `restore_places` takes it."""
        return places.told(self._docked)

    def restore_places(self, kept: str) -> None:
        """Give panels the places that they had; what is unknown is passed over."""
        if kept == self.places():
            return
        for name in list(self._docked):
            self.undock(name)
        for one in places.read(kept):
            if one.name not in self._pages:
                continue
            if one.beside:
                self.join(one.name, one.beside)
            else:
                self.put(one.name, one.place)
            if one.box is not None and self.place_of(one.name) == WINDOW:
                self._docked[one.name].setGeometry(one.box)

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


def _on_screen(widget: QWidget) -> QRect:
    return QRect(widget.mapToGlobal(QPoint(0, 0)), widget.size())
