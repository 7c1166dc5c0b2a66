"""The front line as it is seen from far: one soft line with each side's colour along it, so that the war can be read at a glance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from PySide6.QtGui import QPainter, QPainterPath
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from client.map.geometry import HEX, Corner, Geometry, Point
from client.map.idle import Idle
from client.map.levels import Level, level_at
from client.map.overlays import Layer
from client.map.palette import Palette
from client.map.patch_tiles import PatchTiles
from client.map.patches import Inks, Side, Spread, outlines_of
from client.map.pens import pen
from client.qt import QPointF, QRectF, Qt
from core.board import Hex

BAND, SEAM = 7.0, 1.3  # pixels of both colours together, and of the pale line between them


class Facing(NamedTuple):
    """One side's front: its colour, and each hexside as (the hex within, the hex beyond)."""

    colour: str
    sides: tuple[Side, ...]


class SoftFront:
    """The front of all sides."""

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        self.show(())

    def show(self, facings: Iterable[Facing]) -> None:
        """Show this front."""
        self._facings = [(facing.colour, Spread(self.geometry, facing.sides, facing.sides)) for facing in facings]

    def near(self, area: QRectF) -> tuple[Facing, ...]:
        """Return what of it is near an area; nothing of a side that has no part in it."""
        around = area.adjusted(-HEX, -HEX, HEX, HEX)
        near = (Facing(colour, sides.near(around)) for colour, sides in self._facings)
        return tuple(facing for facing in near if facing.sides)

    def draw(self, painter: QPainter, content: tuple[Facing, ...], inks: Inks, scale: float) -> None:
        """Paint a band of each side's colour on its own ground, and the pale seam between them."""
        line = smooth_line(self.geometry, {_both_ways(side) for facing in content for side in facing.sides})
        for colour, sides in content:
            painter.save()
            painter.setClipPath(outlines_of(self.geometry, sorted({within for within, _ in sides})), Qt.ClipOperation.IntersectClip)
            painter.strokePath(line, pen(colour, BAND / scale, alpha=0.8))
            painter.restore()
        painter.strokePath(line, pen(inks.card, SEAM / scale, alpha=0.9))


class FrontLayer(Layer):
    """Draws the front where counters are blocks, unless an overlay draws one.

    Attributes:
        asks: returns the front of each side as it is now.
        is_drawn: says whether an overlay draws one.
    """

    def __init__(self, geometry: Geometry, palette: Palette) -> None:
        super().__init__(geometry, palette, 4)
        self.asks: Callable[[], Iterable[Facing]] = tuple
        self.is_drawn: Callable[[], bool] = lambda: False
        self._is_stale = False
        self._front = SoftFront(geometry)
        self._tiles = PatchTiles(self._front, self)

    def be_patient(self, idle: Idle) -> None:
        """Ask for the front, and paint it, when there is time; what was shown before stands in."""
        self._tiles.idle = idle

    def show(self) -> None:
        """Learn that another position is shown."""
        self._is_stale = True
        self.update()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        if level_at(self.scale_of(painter)) > Level.FAR or self.is_drawn():
            return
        if self._is_stale and self._tiles.idle is not None:
            self._tiles.idle.replace("front", [self._ask])
        elif self._is_stale:
            self._ask()
        self._tiles.paint(painter, option.exposedRect, widget, Inks("", self.palette.card, ""))

    def _ask(self) -> None:
        self._is_stale = False
        self._front.show(self.asks())
        self._tiles.show()
        self.update()


def _both_ways(side: Side) -> Side:
    return (min(side), max(side))


def smooth_line(geometry: Geometry, sides: Iterable[Side]) -> QPainterPath:
    """Return a line along hexsides, from the middle of one round a corner to the middle of the next; an end runs on to its corner."""
    corners: dict[Corner, tuple[Point, list[Point]]] = {}
    for here, there in sorted(sides):
        for corner in _ends(geometry, here, there):
            a, b = geometry.centre(here), geometry.centre(there)
            corners.setdefault(geometry.key(corner), (corner, []))[1].append(Point((a.x + b.x) / 2, (a.y + b.y) / 2))
    path = QPainterPath()
    for corner, middles in corners.values():
        path.moveTo(*middles[0])
        if len(middles) == 1:
            path.lineTo(*corner)
        for middle in middles[1:]:
            path.moveTo(*middles[0])
            path.quadTo(QPointF(*corner), QPointF(*middle))
    return path


def _ends(geometry: Geometry, here: Hex, there: Hex) -> Iterator[Point]:
    """Yield the two corners between neighbours."""
    others = {geometry.key(corner) for corner in geometry.corners(there)}
    return (corner for corner in geometry.corners(here) if geometry.key(corner) in others)
