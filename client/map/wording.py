"""Where short words stand on the map so that they cross neither place names nor one another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from client.map.geometry import Point
from client.map.lettering import Names, rung_of
from client.qt import QRectF
from core.board import Hex

# From the middle of a hex, the best place first: below its counter, beside that, at its sides, above it.
PLACES = (
    (0.0, 25.5), (-15.0, 25.0), (15.0, 25.0), (-26.5, 0.0), (26.5, 0.0), (-17.0, -25.0), (17.0, -25.0), (0.0, -26.0),
    (-26.5, 13.0), (26.5, 13.0), (-26.5, -13.0), (26.5, -13.0),
)
ROOM = 0.6  # scene units that stay free around words

Centre = Callable[[Hex], Point]
Placed = dict[Hex, QRectF]


class Words:
    """Words of one layer, one for each hex, and where they stand at each scale; what is below them in the list keeps off them.

    Args:
        centre: returns the middle of a hex.
        high: how high the words are, in scene units.
        wide: returns how wide a word is.
    """

    def __init__(self, centre: Centre, high: float, wide: Callable[[str], float]) -> None:
        self._centre, self._high, self._wide = centre, high, wide
        self.words: dict[Hex, str] = {}
        self.names: Names | None = None
        self.others: Callable[[float], Iterable[QRectF]] = lambda scale: ()  # what was placed before these
        self._kept: dict[int, tuple[tuple[QRectF, ...], Placed]] = {}

    def show(self, words: Mapping[Hex, str]) -> None:
        """Take other words."""
        self.words = dict(words)
        self._kept.clear()

    def at(self, scale: float) -> Placed:
        """Return the box of each word at a scale."""
        rung, others = rung_of(scale), tuple(self.others(scale))
        known = self._kept.get(rung)
        if known is None or known[0] != others:
            known = self._kept[rung] = others, self._place(scale, others)
        return known[1]

    def _place(self, scale: float, others: Iterable[QRectF]) -> Placed:
        taken, found = _Near(others), dict[Hex, QRectF]()
        if not self.words:
            return found  # to place all names for nothing would hold the first sight of a map up
        if self.names is not None:
            for name in self.names.at(scale):
                if name.role != "region":
                    taken.add(name.bounds.adjusted(2, 2, -2, -2))
        for here, word in self.words.items():
            found[here] = self._best(here, self._wide(word), taken)
            taken.add(found[here])
        return found

    def _best(self, here: Hex, wide: float, taken: _Near) -> QRectF:
        """Return the first place that is free, or that of which least is taken."""
        centre, least, best = self._centre(here), float("inf"), QRectF()
        for dx, dy in PLACES:
            box = QRectF(centre.x + dx - wide / 2, centre.y + dy - self._high / 2, wide, self._high)
            over = taken.over(box.adjusted(-ROOM, -ROOM, ROOM, ROOM))
            if not over:
                return box
            if over < least:
                least, best = over, box
        return best


class _Near:
    """Boxes by squares, so that a place is held against few of them."""

    CELL = 96.0

    def __init__(self, boxes: Iterable[QRectF]) -> None:
        self._cells: dict[tuple[int, int], list[QRectF]] = {}
        for box in boxes:
            self.add(box)

    def _squares(self, box: QRectF) -> Iterable[tuple[int, int]]:
        for column in range(int(box.left() // self.CELL), int(box.right() // self.CELL) + 1):
            for row in range(int(box.top() // self.CELL), int(box.bottom() // self.CELL) + 1):
                yield column, row

    def add(self, box: QRectF) -> None:
        """Take a box."""
        for square in self._squares(box):
            self._cells.setdefault(square, []).append(box)

    def over(self, box: QRectF) -> float:
        """Return how much of a box is taken, in square units; boxes that lie in two squares count twice, which harms nobody."""
        shared = (box.intersected(other) for square in self._squares(box) for other in self._cells.get(square, ()))
        return sum(one.width() * one.height() for one in shared if not one.isEmpty())

