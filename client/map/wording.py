"""Where short words stand on the map so that they cross neither place names nor one another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

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
A_STEP = 24  # words that are placed at a stretch

Centre = Callable[[Hex], Point]
Placed = dict[Hex, QRectF]
Box = tuple[float, float, float, float]  # left, top, right, bottom


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
        if not self._is_of_now(scale):
            for _ in self.placing(scale):
                pass
        return self.latest(scale)

    def latest(self, scale: float) -> Placed:
        """Return the boxes at a scale as they were found last, though what is placed before may have changed since; none if none were."""
        known = self._kept.get(rung_of(scale))
        return known[1] if known is not None else {}

    def is_placed(self, scale: float) -> bool:
        """Say whether places are known for a scale, as all stands now that is placed before."""
        return not self.words or self._is_of_now(scale)

    def _is_of_now(self, scale: float) -> bool:
        known = self._kept.get(rung_of(scale))
        return known is not None and known[0] == tuple(self.others(scale))

    def placing(self, scale: float) -> Iterator[None]:
        """Find the places at a scale, a few words a step."""
        words, others, found = self.words, tuple(self.others(scale)), Placed()
        if words:  # to place all names for nothing would hold the first sight of a map up
            taken = _Near(others)
            if self.names is not None:
                if not self.names.is_placed(scale):
                    yield from self.names.placing(scale)
                for name in self.names.at(scale):
                    if name.role != "region":
                        taken.add(_edges(name.bounds.adjusted(2, 2, -2, -2)))
            yield
            for count, (here, word) in enumerate(words.items(), 1):
                box = self._best(here, self._wide(word), taken)
                found[here] = QRectF(box[0], box[1], box[2] - box[0], box[3] - box[1])
                taken.add(box)
                if count % A_STEP == 0:
                    yield
        if words is self.words:
            self._kept[rung_of(scale)] = others, found

    def _best(self, here: Hex, wide: float, taken: _Near) -> Box:
        """Return the first place that is free, or that of which least is taken."""
        (x, y), least, best = self._centre(here), float("inf"), (0.0, 0.0, 0.0, 0.0)
        across, up = wide / 2, self._high / 2
        for dx, dy in PLACES:
            box = x + dx - across, y + dy - up, x + dx + across, y + dy + up
            over = taken.over((box[0] - ROOM, box[1] - ROOM, box[2] + ROOM, box[3] + ROOM))
            if not over:
                return box
            if over < least:
                least, best = over, box
        return best


def _edges(box: QRectF) -> Box:
    return box.left(), box.top(), box.right(), box.bottom()


class _Near:
    """Boxes by squares, so that a place is held against few of them; as plain numbers, for there are tens of thousands of looks."""

    CELL = 96.0

    def __init__(self, boxes: Iterable[QRectF]) -> None:
        self._cells: dict[tuple[int, int], list[Box]] = {}
        for box in boxes:
            self.add(_edges(box))

    def add(self, box: Box) -> None:
        """Take a box."""
        left, top, right, bottom = box
        rows = range(int(top // self.CELL), int(bottom // self.CELL) + 1)
        for column in range(int(left // self.CELL), int(right // self.CELL) + 1):
            for row in rows:
                self._cells.setdefault((column, row), []).append(box)

    def over(self, box: Box) -> float:
        """Return how much of a box is taken, in square units; boxes that lie in two squares count twice, which harms nobody."""
        left, top, right, bottom = box
        taken, rows = 0.0, range(int(top // self.CELL), int(bottom // self.CELL) + 1)
        for column in range(int(left // self.CELL), int(right // self.CELL) + 1):
            for row in rows:
                for a, b, c, d in self._cells.get((column, row), ()):
                    if a < right and c > left and b < bottom and d > top:
                        taken += (min(c, right) - max(a, left)) * (min(d, bottom) - max(b, top))
        return taken
