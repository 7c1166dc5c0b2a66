"""The printed map as vectors: built once a board, painted into any rectangle at any scale.

Painting order: paper, terrain regions and their glyphs, weather, rivers, seas and lakes over the rivers' mouths, grid, borders,
railways, cities, hex numbers, names, frame.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from client.map import glyphs, outlines
from client.map.geometry import HEX, Cube, Geometry, Point
from client.map.levels import Level, level_at
from client.map.palette import CLEAR, LIGHT_GROUND, Palette
from client.map.pens import blunt, pen, tinted
from client.map.scatter import Spot, noise, spots
from client.qt import QPointF, QRectF, Qt
from core.board import SIDES, Board, Hex

WATER = ("sea", "lake")
CELL = 512.0  # side of the squares that lines are gathered in
GLYPH_CELL = 160.0  # and of those for glyphs, which are many: what a tile paints of them beside itself is in vain
GLYPH_DISTANCE = 10.0
WOBBLE_LAND, WOBBLE_COAST = 6.0, 3.5
TAPER = (1.75, 1.5, 1.25, 1.0)  # widths of a minor river on the way up its last hexside
WIDEST_GRID = 1.4  # pixels that a line of the grid is wide at most: from near it would lie over the rivers like a beam
ARROW = 11.0  # length of the head of an ice road's arrow
MARGIN = 14.0  # of the table around the map
FEW_POINTS = 60  # of a shape, that are painted as they are
WIDEST = 14.0  # how far beside a shape's edge its widest stroke reaches, and a little
KEPT = 2  # boards whose ground is kept: the shown one, and one that is being prepared or drawn


class Shape(NamedTuple):
    """A region of one kind: its whole path with its bounds, and its loops, a row of x and y a point."""

    kind: str
    path: QPainterPath
    bounds: QRectF
    loops: tuple[NDArray[np.float64], ...]

    def near(self, area: QRectF) -> QPainterPath:
        """Return a path that fills, strokes and clips an area as the whole one does, of few points beside it.

        Of points in a row that all lie beyond one edge of the area those between the outer two can go. (Measured: the coast of a sea
        has thousands, and half of a tile's time went into them.)
        """
        if sum(map(len, self.loops)) < FEW_POINTS or area.contains(self.bounds):
            return self.path
        return _closed_path(_near(loop, area.adjusted(-WIDEST, -WIDEST, WIDEST, WIDEST)) for loop in self.loops)


Lines = list[tuple[QRectF, QPainterPath]]  # paths with their bounds


class Town(NamedTuple):
    """A city's blocks, and whether it is a major one."""

    centre: Point
    blocks: tuple[QRectF, ...]
    major: bool
    bounds: QRectF


class Ground:
    """Everything printed on the map except names, as paths in scene units.

    Attributes:
        bounds: of the map with its frame.
    """

    def __init__(self, board: Board, geometry: Geometry) -> None:
        self.board = board
        self.geometry = geometry
        kinds = _kinds(board, geometry)
        self.map_outline = _map_outline(geometry)
        self.land = self._regions(kinds, [t for t in board.terrains if t not in WATER], WOBBLE_LAND)
        self.water = self._regions(kinds, WATER, WOBBLE_COAST)
        self.glyphs = self._glyphs()
        self.minor_rivers, self.major_rivers, self.sources = self._rivers(kinds)
        self.narrows = self._hexside_lines(WATER)
        self.borders = self._hexside_lines(("border",))
        self.crossings = self._crossings(("strait", "causeway", "ferry"))
        self.ice_roads = self._crossings(("ice_road",), head=ARROW)
        self.rails = _curve_path(outlines.through_hexes(geometry, self._reader(("rail",))))
        self.grid = self._grid()
        self.towns = [self._town(Hex(i)) for i in range(board.size) if board.facts[i].city]
        left, top, right, bottom = geometry.bounds
        self.bounds = QRectF(left - MARGIN, top - MARGIN, right - left + 2 * MARGIN, bottom - top + 2 * MARGIN)

    # ---------------------------------------------------------------- building

    def _regions(self, kinds: dict[Cube, str], wanted: Iterable[str], wobble: float) -> list[Shape]:
        shapes = []
        for kind in wanted:
            for region in outlines.regions(self.geometry, kinds, kind, wobble=wobble):
                path = _closed_path(region.loops)
                shapes.append(Shape(kind, path, path.boundingRect(), tuple(np.array(loop) for loop in region.loops)))
        return shapes

    def _glyphs(self) -> list[tuple[str, QRectF, glyphs.Drawn]]:
        """Gather glyphs by terrain and square, so that each paints with two calls."""
        gathered: dict[tuple[str, int, int], glyphs.Drawn] = {}
        for kind, spot in self._spots():
            key = (kind, int(spot.x // GLYPH_CELL), int(spot.y // GLYPH_CELL))
            glyphs.GLYPHS[LIGHT_GROUND[kind].glyph](gathered.setdefault(key, glyphs.Drawn()), spot)
        return [
            (kind, QRectF(column * GLYPH_CELL, row * GLYPH_CELL, GLYPH_CELL, GLYPH_CELL).adjusted(-12, -12, 12, 12), drawn)
            for (kind, column, row), drawn in sorted(gathered.items(), key=lambda item: item[0])
        ]

    def _spots(self) -> Iterator[tuple[str, Spot]]:
        """Yield where a glyph stands, with its terrain: not on a town, nor where it would reach over the edge of its terrain.

        A hundred thousand points are looked at on the largest map, all at once: one by one they took seconds.
        """
        board, geometry = self.board, self.geometry
        kinds = sorted(board.terrains)
        bears = np.array([bool(LIGHT_GROUND.get(kind, CLEAR).glyph) for kind in kinds])
        kind_of = np.array([kinds.index(board.terrain(Hex(i))) for i in range(board.size)])
        is_town = np.array([bool(fact.city) for fact in board.facts])
        centres = np.array([geometry.centre(Hex(i)) for i in range(board.size)])
        found = spots(geometry.bounds, GLYPH_DISTANCE)
        hexes = geometry.hexes_at(found[:, 0], found[:, 1])
        found, hexes = found[hexes >= 0], hexes[hexes >= 0]
        x, y, kind = found[:, 0], found[:, 1], kind_of[hexes]
        stands = bears[kind]
        stands &= ~(is_town[hexes] & (abs(x - centres[hexes, 0]) < 17) & (abs(y - centres[hexes, 1]) < 15))
        for dx, dy in ((7, 0), (-7, 0), (0, 7), (0, -9)):
            near = geometry.hexes_at(x + dx, y + dy)
            stands &= (near < 0) | (kind_of[near] == kind)
        for index in np.flatnonzero(stands):
            yield kinds[kind[index]], Spot(*found[index].tolist())

    def _reader(self, kinds: Sequence[str]) -> _SideReader:
        return _SideReader(self.board, kinds)

    def _rivers(self, kinds: dict[Cube, str]) -> tuple[Lines, Lines, list[Lines]]:
        """Return the paths of minor rivers, major rivers, and of the last hexside before a source, the widest part first."""
        minor, major = self._reader(("minor_river", "river")), self._reader(("major_river",))
        curves = outlines.along_hexsides(
            self.geometry,
            lambda here, side: 2 if major(here, side) else int(minor(here, side)),
            is_water=lambda cube: kinds.get(cube, "") in WATER,
        )
        last = [c for c in curves if c.rank == 1 and c.tapers]
        return (
            _curve_path([c for c in curves if c.rank == 1 and not c.tapers]),
            _curve_path([c for c in curves if c.rank == 2]),
            [_curve_path(part) for part in zip(*(outlines.parts_of(c, len(TAPER)) for c in last), strict=True)],
        )

    def _hexside_lines(self, kinds: Sequence[str]) -> Lines:
        reads = self._reader(kinds)
        curves = outlines.along_hexsides(
            self.geometry, lambda here, side: int(reads(here, side)), is_water=lambda cube: False, wobble=WOBBLE_COAST / 2
        )
        return _curve_path(curves)

    def _crossings(self, kinds: Sequence[str], *, head: float = 0.0) -> Lines:
        """Return a line across each hexside of these kinds; with a *head* an arrow both ways, as rulebooks have it for ice roads."""
        reads, path = self._reader(kinds), QPainterPath()
        for here in map(Hex, range(self.board.size)):
            for side in range(SIDES // 2):
                if reads(here, side):
                    m, c = self.geometry.side_middle(here, side), self.geometry.centre(here)
                    x, y = (c.x - m.x) * 0.6, (c.y - m.y) * 0.6
                    path.moveTo(m.x + x, m.y + y)
                    path.lineTo(m.x - x, m.y - y)
                    for way in (1, -1) if head else ():
                        _add_head(path, Point(m.x + way * x, m.y + way * y), Point(m.x, m.y), head)
        return [] if path.isEmpty() else [(path.boundingRect().adjusted(-3, -3, 3, 3), path)]

    def _grid(self) -> Lines:
        """Return each hexside once, gathered by squares."""
        gathered: dict[tuple[int, int], QPainterPath] = {}
        for here, cube in enumerate(self.geometry.cube_of):
            if self.board.terrain(Hex(here)) == "sea":
                continue
            for side in range(SIDES):
                there = self.geometry.hex_of.get(self.geometry.step(cube, side))
                if there is not None and there < here and self.board.terrain(there) != "sea":
                    continue
                a, b = self.geometry.edge(cube, side)
                path = gathered.setdefault((int(a.x // CELL), int(a.y // CELL)), QPainterPath())
                path.moveTo(a.x, a.y)
                path.lineTo(b.x, b.y)
        return [(path.boundingRect().adjusted(-2, -2, 2, 2), path) for path in gathered.values()]

    def _town(self, here: Hex) -> Town:
        """Lay a town's blocks beside crossing streets; more and darker ones for a major city."""
        centre, major = self.geometry.centre(here), self.board.facts[here].city == "major"
        size, gap = (6.4, 1.3) if major else (5.4, 1.4)
        cells = [(c, r) for r in range(-1, 2) for c in range(-2, 2)] if major else [(-1, -1), (0, -1), (0, 0)]
        blocks = []
        for column, row in cells:
            if major and (column, row) in ((-2, -1), (1, 1)) and noise(here, 7) > -0.2:
                continue
            width = size * (1 + 0.22 * noise(here, column, row))
            height = size * (0.9 + 0.2 * noise(here, row, column, 5))
            slip = 1.6 * noise(here, column, row, 9)
            x, y = centre.x + (column + 0.5) * (size + gap) + slip, centre.y + row * (size + gap) + slip / 2
            blocks.append(QRectF(x - width / 2, y - height / 2, width, height))
        bounds = blocks[0]
        for block in blocks:
            bounds = bounds.united(block)
        return Town(centre, tuple(blocks), major, bounds)

    # ---------------------------------------------------------------- painting

    def paint(self, painter: QPainter, area: QRectF, palette: Palette, *, scale: float, weather: str = "clear") -> None:
        """Paint what lies in *area*; *scale* is pixels a scene unit, and decides how much is shown."""
        for _ in self.painting(painter, area, palette, scale=scale, weather=weather):
            pass

    def painting(self, painter: QPainter, area: QRectF, palette: Palette, *, scale: float, weather: str) -> Iterator[None]:
        """Paint what lies in *area*, a part each step: land with its rivers, then water with all that is drawn over it."""
        painter.save()
        try:  # nobody may want the second step
            painter.fillRect(area, QColor(palette.table))
            self._paint_frame(painter, palette)
            painter.setClipPath(self.map_outline, Qt.ClipOperation.IntersectClip)
            painter.fillRect(area, QColor(palette.paper))
            self._paint_land(painter, area, palette, level_at(scale))
            _paint_weather(painter, area, palette, weather)
            self._paint_rivers(painter, area, palette, level_at(scale))
            yield
            self._paint_water(painter, area, palette)
            self._paint_lines(painter, area, palette, scale)
            self._paint_towns(painter, area, palette, level_at(scale))
        finally:
            painter.restore()
        painter.strokePath(self.map_outline, pen(palette.ink_soft, 1.6))

    def _paint_lines(self, painter: QPainter, area: QRectF, palette: Palette, scale: float) -> None:
        near = level_at(scale) > Level.FAR
        if near:
            self._paint_grid(painter, area, palette, scale)
        _stroke(painter, area, self.borders, pen(palette.border, 1.6, dash=(6, 2.5, 1.2, 2.5)))
        if near:
            _stroke(painter, area, self.crossings, pen(palette.ink_soft, 1.6, dash=(2, 1.6)))
            _stroke(painter, area, self.ice_roads, pen(palette.border, 2.2))
            self._paint_rails(painter, area, palette)

    def _paint_frame(self, painter: QPainter, palette: Palette) -> None:
        """Let the map's edge fade into the table."""
        for width, alpha in ((18.0, 0.055), (11.0, 0.07), (5.0, 0.12)):
            painter.strokePath(self.map_outline, pen(palette.ink, width, alpha=alpha))

    def _paint_land(self, painter: QPainter, area: QRectF, palette: Palette, level: Level) -> None:
        for shape in self.land:
            ground = palette.ground.get(shape.kind, CLEAR)
            if ground.fill and shape.bounds.intersects(area):
                path = shape.near(area)
                painter.fillPath(path, QColor(ground.fill))
                painter.strokePath(path, pen(ground.ink, 0.9, alpha=0.28))
        if level == Level.FAR:
            return
        for kind, bounds, drawn in self.glyphs:
            if bounds.intersects(area):
                drawn.paint(painter, palette.ground.get(kind, CLEAR), palette)

    def _paint_rivers(self, painter: QPainter, area: QRectF, palette: Palette, level: Level) -> None:
        if level > Level.FAR:
            for part, width in zip(self.sources, TAPER, strict=False):  # a map may have no source
                _stroke(painter, area, part, pen(palette.minor_river, width))
            _stroke(painter, area, self.minor_rivers, pen(palette.minor_river, 1.9))
        _stroke(painter, area, self.major_rivers, pen(palette.major_river, 4.6))
        _stroke(painter, area, self.major_rivers, pen(palette.major_river_core, 1.9))

    def _paint_water(self, painter: QPainter, area: QRectF, palette: Palette) -> None:
        """Paint coast lines first, then all water over them, so that a narrow joins its sea without a seam."""
        seen = [(shape.kind, shape.near(area)) for shape in self.water if shape.bounds.intersects(area)]
        for _, path in seen:
            painter.strokePath(path, pen(palette.coast, 2.2))
        _stroke(painter, area, self.narrows, pen(palette.coast, 10.4))
        for kind, path in seen:
            painter.fillPath(path, QColor(palette.sea if kind == "sea" else palette.lake))
        _stroke(painter, area, self.narrows, pen(palette.sea, 8.6))
        for _, path in seen:
            _paint_shallows(painter, path, palette)

    def _paint_grid(self, painter: QPainter, area: QRectF, palette: Palette, scale: float) -> None:
        width = min(1.0, WIDEST_GRID / scale)
        _stroke(painter, area, self.grid, blunt(palette.ink, width, alpha=0.22 if palette.dark else 0.17))

    def _paint_rails(self, painter: QPainter, area: QRectF, palette: Palette) -> None:
        _stroke(painter, area, self.rails, pen(palette.paper, 3.6, alpha=0.47))
        _stroke(painter, area, self.rails, pen(palette.rail, 1.5))
        # Ticks are a wide stroke of short dashes: half a period first, so that hexes join without a double tick.
        period = HEX / 9 / 5.6
        _stroke(painter, area, self.rails, pen(palette.rail, 5.6, dash=(0.22, period - 0.22), offset=period / 2 + 0.11))

    def _paint_towns(self, painter: QPainter, area: QRectF, palette: Palette, level: Level) -> None:
        halo = tinted(palette.paper, 0.75)
        painter.setPen(Qt.PenStyle.NoPen)
        for town in self.towns:
            if (level == Level.FAR and not town.major) or not town.bounds.intersects(area):
                continue
            if town.major:
                painter.setBrush(halo)
                painter.drawRoundedRect(town.bounds.adjusted(-2, -2, 2, 2), 3, 3)
            painter.setBrush(QColor(palette.major_city if town.major else palette.minor_city))
            painter.drawRects(list(town.blocks))


@lru_cache(maxsize=KEPT)
def ground_of(board: Board) -> Ground:
    """Return the ground of a board, built once: that takes most of a second for the largest map.

    Nothing changes it, and any thread may ask.
    """
    return Ground(board, Geometry(board))


class _SideReader:
    """Answers whether a hexside is of any of some kinds."""

    def __init__(self, board: Board, kinds: Sequence[str]) -> None:
        self._mask = board.mask(*kinds)

    def __call__(self, here: Hex, side: int) -> bool:
        return bool(self._mask[6 * here + side])


def _kinds(board: Board, geometry: Geometry) -> dict[Cube, str]:
    """Return the terrain of each hex, and of those just off the board as of the hex they border."""
    kinds = {cube: board.terrain(here) for cube, here in geometry.hex_of.items()}
    kinds.update({cube: board.terrain(here) for cube, here in geometry.ghosts.items()})
    return kinds


def _map_outline(geometry: Geometry) -> QPainterPath:
    """Return the printed map's edge: hexes, and the notches between them filled up to a straight line."""
    filled = _closed_path(outlines.outline(geometry, [*geometry.hex_of, *geometry.ghosts], wobble=0.0, smooth=False))
    left, top, right, bottom = geometry.bounds
    frame = QPainterPath()
    frame.addRect(left, top, right - left, bottom - top)
    return filled.intersected(frame)


def _closed_path(loops: Iterable[Iterable[tuple[float, float]]]) -> QPainterPath:
    path = QPainterPath()
    path.setFillRule(Qt.FillRule.OddEvenFill)
    for loop in loops:
        path.addPolygon(QPolygonF([QPointF(x, y) for x, y in loop]))
        path.closeSubpath()
    return path


def _near(loop: NDArray[np.float64], area: QRectF) -> list[tuple[float, float]]:
    """Return a loop without the points that lie beyond an edge of an area, as do those before and after them."""
    for axis, sign, edge in ((0, -1, area.left()), (0, 1, area.right()), (1, -1, area.top()), (1, 1, area.bottom())):
        beyond = sign * loop[:, axis] > sign * edge
        around = np.concatenate((beyond[-1:], beyond, beyond[:1]))
        loop = loop[~(around[:-2] & beyond & around[2:])]  # one edge after the other: two at once would cut a corner
    left: list[tuple[float, float]] = loop.tolist()
    return left


def _curve_path(curves: Iterable[outlines.Curve]) -> Lines:
    """Gather curves by squares, so that a tile strokes only what it shows."""
    gathered: dict[tuple[int, int], QPainterPath] = {}
    for curve in curves:
        path = gathered.setdefault((int(curve.start.x // CELL), int(curve.start.y // CELL)), QPainterPath())
        path.moveTo(curve.start.x, curve.start.y)
        path.quadTo(curve.control.x, curve.control.y, curve.end.x, curve.end.y)
    return [(path.controlPointRect().adjusted(-8, -8, 8, 8), path) for _, path in sorted(gathered.items(), key=lambda one: one[0])]


def _add_head(path: QPainterPath, tip: Point, tail: Point, size: float) -> None:
    """Add the two strokes of an arrow's head at its tip, back towards its tail."""
    angle = math.atan2(tail.y - tip.y, tail.x - tip.x)
    for turn in (-0.5, 0.5):
        path.moveTo(tip.x, tip.y)
        path.lineTo(tip.x + size * math.cos(angle + turn), tip.y + size * math.sin(angle + turn))


def _stroke(painter: QPainter, area: QRectF, lines: Lines, line: QPen) -> None:
    for bounds, path in lines:
        if bounds.intersects(area):
            painter.strokePath(path, line)


def _paint_weather(painter: QPainter, area: QRectF, palette: Palette, weather: str) -> None:
    """Lay a wash over the land: cool under snow, brown in mud."""
    wash = {"snow": (palette.snow, 0.40), "mud": (palette.mud, 0.20)}.get(weather)
    if wash is not None:
        painter.fillRect(area, tinted(*wash))


def _paint_shallows(painter: QPainter, path: QPainterPath, palette: Palette) -> None:
    """Lighten the water along its shore."""
    painter.save()
    painter.setClipPath(path, Qt.ClipOperation.IntersectClip)
    for width, alpha in ((20.0, 0.28), (9.0, 0.47)):
        painter.strokePath(path, pen(palette.sea_light, width, alpha=alpha))
    painter.restore()
