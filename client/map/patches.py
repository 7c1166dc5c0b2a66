"""What an overlay draws: tinted and hatched hexes, lines between hexes, a toothed front along hexsides; by parts of the map."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPolygonF

from client.map.geometry import HEX, RADIUS, Geometry
from client.map.pens import blunt, pen, tinted
from client.qt import QPointF, QRectF, Qt
from core.board import Hex

HATCH_STEP = 7.0
FRONT_TEETH = 3  # along one hexside of a front
LEG, CORE, THINNEST_CORE = 4.6, 1.4, 1.0  # widths of a line and of the light within it; in pixels, of a core that is seen as one
LEG_BOXES = 3  # that cover what lies below a line from hex to hex

Side = tuple[Hex, Hex]  # two hexes: the ends of a line's leg, or within and beyond a front
T = TypeVar("T")


class Inks(NamedTuple):
    """The colours of an overlay: its own, that of what lies under a front, so that it is told from all that is below, and of lines."""

    colour: str
    card: str
    line: str


class Content(NamedTuple):
    """What of an overlay lies in a part of the map."""

    hexes: tuple[Hex, ...] = ()
    legs: tuple[Side, ...] = ()
    front: tuple[Side, ...] = ()


class Spread(Generic[T]):
    """Things on the map, each between some hexes, to be found by a part of it."""

    def __init__(self, geometry: Geometry, things: Sequence[T], between: Sequence[Sequence[Hex]]) -> None:
        self._things = things
        hexes = np.array(between, dtype=int).reshape(len(things), len(between[0]) if between else 1)
        places = geometry.centres[hexes]
        self._least, self._most = places.min(axis=1), places.max(axis=1)

    def near(self, area: QRectF) -> tuple[T, ...]:
        """Return what reaches into an area, in its order."""
        (left, top), (right, bottom) = self._least.T, self._most.T
        found = (right >= area.left()) & (left <= area.right()) & (bottom >= area.top()) & (top <= area.bottom())
        return tuple(self._things[i] for i in np.flatnonzero(found).tolist())


class Patches:
    """All of one overlay."""

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        self.show(())

    def show(self, hexes: Iterable[Hex], lines: Iterable[Sequence[Hex]] = (), front: Iterable[Side] = ()) -> None:
        """Show these; a leg that several lines go along is drawn once."""
        inside, legs, sides = sorted(hexes), sorted({(min(leg), max(leg)) for line in lines for leg in pairwise(line)}), sorted(front)
        self._hexes = Spread(self.geometry, inside, [(here,) for here in inside])
        self._legs, self._all_legs = Spread(self.geometry, legs, legs), legs
        self._front = Spread(self.geometry, sides, sides)

    def below_lines(self) -> tuple[QRectF, ...]:
        """Return boxes that together cover what lies below all lines."""
        return below(self.geometry, self._all_legs, LEG)

    def near(self, area: QRectF) -> Content:
        """Return what lies in an area, or reaches into it from a hex beside it."""
        around = area.adjusted(-HEX, -HEX, HEX, HEX)
        return Content(self._hexes.near(around), self._legs.near(around), self._front.near(around))

    def draw(self, painter: QPainter, content: Content, inks: Inks, scale: float) -> None:
        """Paint what lies in a part of the map: tinted and hatched hexes, lines over them, and a front on top."""
        if content.hexes:
            painter.fillPath(outlines_of(self.geometry, content.hexes), tinted(inks.colour, 0.13))
            painter.strokePath(hatching(self.geometry, content.hexes), blunt(inks.colour, 0.8, alpha=0.38))
        if content.legs:
            _draw_legs(painter, _legs(self.geometry, content.legs), inks, scale)
        if content.front:
            line, teeth = front_of(self.geometry, content.front)
            square = Qt.PenCapStyle.SquareCap  # so that the sides meet
            painter.strokePath(line, blunt(inks.card, 5.4, alpha=0.8, cap=square))
            painter.strokePath(line, blunt(inks.colour, 3.2, cap=square))
            painter.fillPath(teeth, QColor(inks.colour))


def below(geometry: Geometry, legs: Sequence[Side], width: float) -> tuple[QRectF, ...]:
    """Return boxes that together cover what lies below legs of lines, and little else."""
    ends = geometry.centres[np.array(legs, dtype=int).reshape(-1, 2)]
    starts, part, boxes = ends[:, 0], (ends[:, 1] - ends[:, 0]) / LEG_BOXES, list[QRectF]()
    for i in range(LEG_BOXES):
        first = starts + i * part
        corners, sizes = np.minimum(first, first + part) - width / 2, np.abs(part) + width
        boxes += (QRectF(*box) for box in np.hstack((corners, sizes)).tolist())
    return tuple(boxes)


def _draw_legs(painter: QPainter, path: QPainterPath, inks: Inks, scale: float) -> None:
    """Paint lines as tubes, light within and around: they run along railways, which a side's colour alone may look like."""
    painter.strokePath(path, pen(inks.card, LEG + 3.0, alpha=0.8))
    painter.strokePath(path, pen(inks.line, LEG))
    if CORE * scale >= THINNEST_CORE:
        painter.strokePath(path, pen(inks.card, CORE))


def _legs(geometry: Geometry, legs: Iterable[Side]) -> QPainterPath:
    path = QPainterPath()
    for one, other in legs:
        path.moveTo(*geometry.centre(one))
        path.lineTo(*geometry.centre(other))
    return path


def front_of(geometry: Geometry, sides: Iterable[Side]) -> tuple[QPainterPath, QPainterPath]:
    """Return hexsides, each drawn in to the side of its first hex, and teeth that point into that."""
    line, teeth = QPainterPath(), QPainterPath()
    for here, there in sides:
        a, b = geometry.centre(here), geometry.centre(there)
        x, y = (a.x - b.x) / HEX, (a.y - b.y) / HEX
        middle = QPointF((a.x + b.x) / 2 + 2.6 * x, (a.y + b.y) / 2 + 2.6 * y)
        half = QPointF(-y, x) * (RADIUS / 2)
        start, end = middle - half, middle + half
        line.moveTo(start)
        line.lineTo(end)
        along, tip = (end - start) / FRONT_TEETH, QPointF(6.0 * x, 6.0 * y)
        for i in range(FRONT_TEETH):
            foot = start + along * (i + 0.25)
            teeth.addPolygon(QPolygonF([foot, foot + along * 0.5, foot + along * 0.25 + tip]))
            teeth.closeSubpath()
    return line, teeth


def outline_of(geometry: Geometry, inset: float = 0.0) -> QPolygonF:
    """Return the outline of a hex around the origin, drawn in by *inset* units."""
    share = 1 - inset / (HEX / 2)
    return QPolygonF([QPointF(x * share, y * share) for x, y in geometry.to_corner])


def outlines_of(geometry: Geometry, hexes: Iterable[Hex]) -> QPainterPath:
    """Return the outlines of hexes as one path."""
    path, outline = QPainterPath(), outline_of(geometry)
    path.setFillRule(Qt.FillRule.WindingFill)
    for here in hexes:
        path.addPolygon(outline.translated(*geometry.centre(here)))
        path.closeSubpath()
    return path


def hatching(geometry: Geometry, hexes: Iterable[Hex]) -> QPainterPath:
    """Return slanting strokes within hexes; they run on from one to the next.

    A stroke is where ``x + y`` is a multiple of HATCH_STEP; two sides of a hex cross it. All are reckoned at once, since a large
    overlay has a thousand hexes (measured: ten times as fast as intersecting paths).
    """
    path = QPainterPath()
    centres = np.array([geometry.centre(here) for here in hexes])
    if not len(centres):
        return path
    corners = centres[:, None, :] + np.array(geometry.to_corner)
    ends = np.roll(corners, -1, axis=1)
    here, there = corners.sum(axis=2), ends.sum(axis=2)
    first = np.ceil(here.min(axis=1) / HATCH_STEP) * HATCH_STEP
    for i in range(int((np.ptp(here, axis=1) / HATCH_STEP).max()) + 1):
        at = (first + i * HATCH_STEP)[:, None]
        crossed = (here < at) != (there < at)
        two = crossed.sum(axis=1) == 2
        share = (at - here) / np.where(crossed, there - here, 1.0)
        points = corners + share[:, :, None] * (ends - corners)
        for one, other in points[two][crossed[two]].reshape(-1, 2, 2).tolist():
            path.moveTo(*one)
            path.lineTo(*other)
    return path
