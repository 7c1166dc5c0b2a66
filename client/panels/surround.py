"""The map with an edge at each of its sides, in which panels can stand beside one another; edges that hold nothing take no room."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtWidgets import QSplitter, QWidget

from client.qt import QPoint, QRect, QSize, Qt, Signal
from client.scale import px

EDGES = ("left", "right", "top", "bottom")
FIRST_SIZE = {"left": 300, "right": 300, "top": 200, "bottom": 220}  # pixels, until somebody moves the bar
MOST_SHARE = 0.4  # of the table's width or height that an edge may take by itself
BAND, BAND_SHARE = 90, 0.2  # how near to the map's edge a drop means that edge: pixels, and share of the map at most
LEAST_MAP = QSize(240, 160)
HANDLE = 7


class Surround(QSplitter):
    """Lays edges around a widget in the middle: above and below over the whole width, left and right between those.

    Signals:
        shared(): the room is shared out anew.
    """

    shared = Signal()

    def __init__(self, parent: QWidget, middle: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self.middle = middle
        middle.setMinimumSize(LEAST_MAP)
        self.edges = {
            name: QSplitter(Qt.Orientation.Vertical if name in ("left", "right") else Qt.Orientation.Horizontal) for name in EDGES
        }
        self._sizes = {name: px(size) for name, size in FIRST_SIZE.items()}
        self._row = QSplitter(Qt.Orientation.Horizontal)
        for part in (self.edges["left"], middle, self.edges["right"]):
            self._row.addWidget(part)
        for part in (self.edges["top"], self._row, self.edges["bottom"]):
            self.addWidget(part)
        for splitter in (self, self._row):
            splitter.setStretchFactor(1, 1)  # the map gives and takes room, an edge stays as it is
        for splitter in (self, self._row, *self.edges.values()):
            splitter.setChildrenCollapsible(False)
            splitter.setHandleWidth(HANDLE)
            splitter.splitterMoved.connect(self._moved)
        self._hidden = False
        for edge in self.edges.values():
            edge.hide()

    def fit(self) -> None:
        """Show the edges that hold something, as large as they were, and give the map the rest."""
        for edge in self.edges.values():
            held = (edge.widget(i) for i in range(edge.count()))
            edge.setVisible(not self._hidden and any(one is not None and not one.isHidden() for one in held))
        for splitter, before, after, whole in (
            (self, "top", "bottom", self.height()), (self._row, "left", "right", self.width()),
        ):
            splitter.refresh()  # or the bar of an edge that has just come or gone would be taken for what it was
            ends = [self._extent(name, whole) for name in (before, after)]
            splitter.setSizes([ends[0], max(1, whole - sum(ends)), ends[1]])
        self.shared.emit()

    def _extent(self, name: str, whole: int) -> int:
        return 0 if self.edges[name].isHidden() else min(self._sizes[name], int(MOST_SHARE * whole))

    def _moved(self) -> None:
        for name, edge in self.edges.items():
            if not edge.isHidden():
                self._sizes[name] = edge.width() if name in ("left", "right") else edge.height()
        self.shared.emit()

    def show_edges(self, *, on: bool) -> None:
        """Show the edges, or nothing but the middle."""
        self._hidden = not on
        self.fit()

    def reset(self) -> None:
        """Make all edges as large as they are at first."""
        self._sizes = {name: px(size) for name, size in FIRST_SIZE.items()}

    def edge_at(self, where: QPoint) -> tuple[str, QRect] | None:
        """Return the edge that a drop at a point of the screen means, and what it would take up there; None in the middle."""
        inner = QRect(self.middle.mapToGlobal(QPoint(0, 0)), self.middle.size())
        if not inner.contains(where):
            return None
        band = QSize(min(BAND, int(BAND_SHARE * inner.width())), min(BAND, int(BAND_SHARE * inner.height())))
        wide, high = min(px(FIRST_SIZE["left"]), inner.width() // 2), min(px(FIRST_SIZE["bottom"]), inner.height() // 2)
        near = {
            "left": (where.x() - inner.left(), band.width(), inner.adjusted(0, 0, wide - inner.width(), 0)),
            "right": (inner.right() - where.x(), band.width(), inner.adjusted(inner.width() - wide, 0, 0, 0)),
            "top": (where.y() - inner.top(), band.height(), inner.adjusted(0, 0, 0, high - inner.height())),
            "bottom": (inner.bottom() - where.y(), band.height(), inner.adjusted(0, inner.height() - high, 0, 0)),
        }
        close = [(far, name, box) for name, (far, width, box) in near.items() if far < width]
        if not close:
            return None
        _, name, box = min(close, key=lambda one: one[0])
        return name, box

    # ---------------------------------------------------------------- kept between games

    def sizes_told(self) -> str:
        """Return how large each edge is, as `restore_sizes` takes it."""
        return ",".join(f"{name}:{size}" for name, size in self._sizes.items())

    def restore_sizes(self, told: str) -> None:
        """Make the edges as large as they were; what can't be read is passed over."""
        for name, size in _pairs(told):
            if name in EDGES and size.isascii() and size.isdigit() and 0 < int(size) < 10_000:
                self._sizes[name] = int(size)


def _pairs(told: str) -> Iterable[tuple[str, str]]:
    for one in told.split(","):
        name, _, value = one.partition(":")
        yield name, value
