"""What is laid over the map, one item each: reach, marks of open picks, targets, moves, any overlay of the ruleset, the cursor."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, pairwise

import msgspec
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPolygonF
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from client import fonts
from client.map.counters import text_at
from client.map.geometry import HEX, Geometry, Point
from client.map.idle import Idle, Job, by_steps
from client.map.lettering import Name, Names, paint_name, rung_of
from client.map.levels import Level, level_at
from client.map.palette import READ, Palette, seen_on, text_on
from client.map.patch_tiles import PatchTiles
from client.map.patches import Inks, Patches, below, hatching, outline_of
from client.map.pens import blunt, pen, tinted
from client.map.stamps import FINE, Stamps
from client.map.wording import Placed, Words
from client.qt import QLineF, QPointF, QRectF, Qt
from client.weakly import weakly
from core.board import SIDES, Hex
from core.ruleset import Answer

TEETH, TOOTH = 6, 6.5  # strokes along a hexside where a zone of control stops, and their length in scene units
SOURCE_REACH = 0.62  # share of the way from a zone's source that its line goes, so that it ends short of the counters there
WORDS = "words"  # the work of placing an overlay's words
REACH_TINTS = (0.34, 0.28, 0.24)  # alphas of the hexes that are near … far
COST_SIZE, LABEL_SIZE = 12.5, 11  # of the costs of reach, and of an overlay's words
HALO = 1.6  # around an overlay's words
SIDE_BOX = 22.0  # scene units around the middle of a hexside that what is drawn along it takes up
LINED = 5.5  # contrast of an overlay's lines with the ground: in the dark theme that of the railways, beside which they looked faint
WHY_HALO = 6.4  # width of what lies around the lines of an answer
NAME_HALO = (4.0, 0.95)  # around a name that lies over counters: its width in pixels, its alpha
FEW_NAMES = 5  # over counters, that are painted with the map at once: each takes a millisecond
LEAST_WORDS = 0.8  # of their size at 100 %, that keys and labels on marks have however far out the map is seen
LEAST_RING, FAR_TINT = 0.75, 0.2  # of its width at 100 %, that a ring has; alpha of what fills it where it is wider than its hex allows
MOST_RINGS, AREA_TINT = 12, 0.16  # open hexes that have a ring each; alpha of what more of them are tinted with
AREA_LINE = 4.8  # width of what lies below the line around these


class Reachable(msgspec.Struct, frozen=True):
    """A hex that can be reached: tint 0 (near) … 2 (far), its cost as text, whether something must be mended there later.

    *barred* are the neighbours that a zone of control closes from here.
    """

    tint: int
    cost: str
    warned: bool = False
    barred: tuple[Hex, ...] = ()


class Layer(QGraphicsItem):
    """Base of overlays: covers the board, paints from data prepared before.

    Args:
        geometry: the board's shapes.
        palette: the theme.
        z: its height above the ground (counters lie at 10).
    """

    def __init__(self, geometry: Geometry, palette: Palette, z: float) -> None:
        super().__init__()
        self.geometry = geometry
        self.palette = palette
        left, top, right, bottom = geometry.bounds
        self._bounds = QRectF(left - HEX, top - HEX, right - left + 2 * HEX, bottom - top + 2 * HEX)
        self.setZValue(z)
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)  # so that `exposedRect` is what must be painted
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)

    def boundingRect(self) -> QRectF:
        return self._bounds

    def polygon(self, here: Hex, inset: float = 0.0) -> QPolygonF:
        """Return a hex's outline, drawn in by *inset* units."""
        return outline_of(self.geometry, inset).translated(*self.geometry.centre(here))

    def scale_of(self, painter: QPainter) -> float:
        """Return logical pixels a scene unit."""
        return painter.worldTransform().m11()


class ReachLayer(Layer):
    """Where the selected units can go: tint by cost, the cost in each hex, hatching where a warning stands, teeth where a ZOC stops."""

    def __init__(self, geometry: Geometry, palette: Palette) -> None:
        super().__init__(geometry, palette, 2)
        self._hexes: list[tuple[int, QRectF]] = []  # their tints and boxes
        self._outline = outline_of(geometry, 1.2)
        self._tinted = Stamps(weakly(self._paint_hex), room=1.0, parts=2)
        self._scale = 0.0  # at which this was painted last
        self._warned = QPainterPath()
        self.crossed: tuple[QRectF, ...] = ()  # hexsides that are drawn over
        self._stops: list[QLineF] = []
        self.costs = Words(geometry.centre, COST_SIZE, lambda cost: COST_SIZE * (0.2 + 0.58 * len(cost)))
        self._stamps = Stamps(weakly(self._paint_cost), room=3.0)

    def show(self, hexes: Mapping[Hex, Reachable]) -> None:  # type: ignore[override]
        """Show these hexes, none to clear."""
        box, centre = self._outline.boundingRect(), self.geometry.centre
        self._hexes = [(reached.tint, box.translated(*centre(here))) for here, reached in hexes.items()]
        self._warned = hatching(self.geometry, [h for h, r in hexes.items() if r.warned])
        self.costs.show({here: reached.cost for here, reached in hexes.items()})
        barred = [(here, there) for here, reached in hexes.items() for there in reached.barred]
        self.crossed = tuple(_box_of_side(self.geometry, here, there) for here, there in barred)
        self._stops = [tooth for here, there in barred for tooth in _teeth(self.geometry, here, there)]
        self.update()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        scale, seen = self.scale_of(painter), option.exposedRect
        self._paint_hexes(painter, seen, zooms=scale != self._scale)
        self._scale = scale
        painter.strokePath(self._warned, blunt(self.palette.danger, 1.0, alpha=0.6))
        painter.setPen(pen(self.palette.danger, 1.7, alpha=0.85))
        painter.drawLines(self._stops)
        if level_at(scale) < Level.NEAR:
            return
        costs = self.costs.at(scale)
        self._stamps.put(painter, ((self.costs.words[here], box) for here, box in costs.items() if box.intersects(seen)), self.palette)

    def _paint_hexes(self, painter: QPainter, seen: QRectF, *, zooms: bool) -> None:
        """Stamp the hexes that are seen, which is ten times as fast as painting them; while one zooms, a stamp would serve once."""
        hexes = [(tint, box) for tint, box in self._hexes if box.intersects(seen)]
        if not zooms:
            self._tinted.put(painter, hexes, self.palette)
            return
        for tint, box in hexes:
            middle = box.center()
            painter.translate(middle)
            self._paint_hex(painter, tint, self.palette)
            painter.translate(-middle)

    def _paint_hex(self, painter: QPainter, tint: int, look: object) -> None:
        colour = self.palette.reach[tint]
        painter.setBrush(tinted(colour, REACH_TINTS[tint]))
        outline = pen(colour, 1.1, alpha=0.55)
        outline.setJoinStyle(Qt.PenJoinStyle.MiterJoin)  # round corners, which nobody sees, took a third of the time
        painter.setPen(outline)
        painter.drawConvexPolygon(self._outline)

    def _paint_cost(self, painter: QPainter, cost: str, look: object) -> None:
        text_at(painter, cost, QPointF(0, 0), COST_SIZE, QColor(self.palette.reach_ink), weight=QFont.Weight.Bold)


def _teeth(geometry: Geometry, here: Hex, there: Hex) -> Iterator[QLineF]:
    """Yield short slanting strokes inside *here* along the hexside to *there*."""
    a, b = geometry.centre(here), geometry.centre(there)
    middle = Point((a.x + b.x) / 2, (a.y + b.y) / 2)
    one, two = sorted(geometry.corners(here), key=lambda corner: math.dist(corner, middle))[:2]
    inward = Point((a.x - b.x) / HEX * TOOTH, (a.y - b.y) / HEX * TOOTH)
    for i in range(TEETH):
        share, lean = (i + 0.5) / TEETH, (i + 1.1) / TEETH
        root = QPointF(one.x + share * (two.x - one.x), one.y + share * (two.y - one.y))
        yield QLineF(root, QPointF(one.x + lean * (two.x - one.x) + inward.x, one.y + lean * (two.y - one.y) + inward.y))


def _rim(geometry: Geometry, hexes: Collection[Hex]) -> Iterator[QLineF]:
    """Yield the hexsides between a hex within and one beyond, or the map's edge."""
    for here in hexes:
        for side in range(SIDES):
            if geometry.board.neighbour(here, side) not in hexes:
                one, other = geometry.edge(geometry.cube_of[here], side)
                yield QLineF(QPointF(*one), QPointF(*other))


def _box_of_side(geometry: Geometry, here: Hex, there: Hex) -> QRectF:
    """Return a box around the middle of a hexside."""
    a, b = geometry.centre(here), geometry.centre(there)
    return QRectF((a.x + b.x) / 2 - SIDE_BOX / 2, (a.y + b.y) / 2 - SIDE_BOX / 2, SIDE_BOX, SIDE_BOX)


class MarkWordsLayer(Layer):
    """What stands on marks, above all that is drawn on the map: keys of hexes, and labels below them."""

    def __init__(self, geometry: Geometry, palette: Palette) -> None:
        super().__init__(geometry, palette, 31)
        self._keys: list[tuple[Point, str]] = []
        self._labels: list[tuple[Point, str]] = []

    def show(self, keys: Mapping[Hex, str], labels: Mapping[Hex, str]) -> None:  # type: ignore[override]
        """Show a key at the corner of some hexes, a label (odds) below others."""
        self._keys = [(self.geometry.centre(h), key) for h, key in keys.items()]
        self._labels = [(self.geometry.centre(h), words) for h, words in labels.items()]
        self.update()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        larger = max(1.0, LEAST_WORDS / self.scale_of(painter))
        for centre, key in self._keys:
            with _enlarged(painter, Point(centre.x - 20, centre.y - 20), larger):
                self._paint_key(painter, key)
        for centre, words in self._labels:
            with _enlarged(painter, Point(centre.x, centre.y + 24), larger):
                self._paint_label(painter, words)

    def _paint_key(self, painter: QPainter, key: str) -> None:
        painter.setPen(pen(self.palette.ink, 1.0))
        painter.setBrush(QColor(self.palette.accent))
        width = 16 + 5.5 * (len(key) - 1)  # of several keys
        painter.drawRoundedRect(QRectF(-8, -8, width, 16), 8, 8)
        ink = QColor(text_on(self.palette.accent))
        text_at(painter, key, QPointF(width / 2 - 8, 0), 11, ink, weight=QFont.Weight.Bold)

    def _paint_label(self, painter: QPainter, words: str) -> None:
        width = 14 + 7.6 * len(words)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.palette.target))
        painter.drawRoundedRect(QRectF(-width / 2, 0, width, 18), 9, 9)
        ink = QColor(text_on(self.palette.target))
        text_at(painter, words, QPointF(0, 9), 13, ink, weight=QFont.Weight.Bold)


@contextmanager
def _enlarged(painter: QPainter, centre: Point, factor: float) -> Iterator[None]:
    """Paint around a point, larger by a factor: far out, what stands on marks would be too small to be seen."""
    painter.save()
    painter.translate(centre.x, centre.y)
    painter.scale(factor, factor)
    yield
    painter.restore()


class AreaLayer(Layer):
    """Many open picks, below the counters: their hexes are tinted, and a line goes around them all."""

    def __init__(self, geometry: Geometry, palette: Palette) -> None:
        super().__init__(geometry, palette, 2.5)
        self.hexes: frozenset[Hex] = frozenset()
        self.crossed: tuple[QRectF, ...] = ()  # what lies below the line
        self._polygons: list[QPolygonF] = []
        self._sides: list[QLineF] = []

    def show(self, hexes: Iterable[Hex]) -> None:  # type: ignore[override]
        """Show these hexes, none to clear."""
        self.hexes = frozenset(hexes)
        self._polygons, self._sides = [self.polygon(here) for here in self.hexes], list(_rim(self.geometry, self.hexes))
        room = AREA_LINE / 2
        boxes = (QRectF(side.p1(), side.p2()).normalized() for side in self._sides)
        self.crossed = tuple(box.adjusted(-room, -room, room, room) for box in boxes)
        self.update()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        wider = max(1.0, LEAST_RING / self.scale_of(painter))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(tinted(self.palette.accent, AREA_TINT))
        for polygon in self._polygons:
            painter.drawConvexPolygon(polygon)
        for line in (pen(self.palette.card, AREA_LINE * wider, alpha=0.7), pen(self.palette.accent, 2.6 * wider)):
            painter.setPen(line)
            painter.drawLines(self._sides)


class MarksLayer(Layer):
    """The open picks as marks: a ring round each hex that may be picked, targets in red; names of towns are written over them.

    Of many hexes a ring each would be a honeycomb: they are tinted, and one ring goes around them all.

    Attributes:
        words: the layer of what stands on them.
        area: that of what many hexes are tinted with.
    """

    def __init__(self, geometry: Geometry, palette: Palette) -> None:
        super().__init__(geometry, palette, 13)
        self.words, self.area = MarkWordsLayer(geometry, palette), AreaLayer(geometry, palette)
        self._open: list[QPolygonF] = []
        self._targets: list[QPolygonF] = []
        self._warned = QPainterPath()

    def show(  # type: ignore[override]
        self,
        open_hexes: Sequence[Hex],
        *,
        targets: Sequence[Hex] = (),
        keys: Mapping[Hex, str] | None = None,
        labels: Mapping[Hex, str] | None = None,
        warned: Collection[Hex] = (),
    ) -> None:
        """Show rings: plain for open hexes, red for targets; a key for hexes that have one, a label (odds) below others.

        What a warning stands for is hatched, as in reach.
        """
        self._warned = hatching(self.geometry, warned)
        is_area = len(open_hexes) > MOST_RINGS
        self._open = [] if is_area else [self.polygon(here, 3.0) for here in open_hexes]
        self.area.show(open_hexes if is_area else ())
        self._targets = [self.polygon(here, 2.0) for here in targets]
        self.words.show(keys or {}, labels or {})
        self.update()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        wider = max(1.0, LEAST_RING / self.scale_of(painter))
        painter.strokePath(self._warned, blunt(self.palette.danger, 1.0, alpha=0.6))
        for rings, colour, width, under in ((self._open, self.palette.accent, 2.2, 4.4), (self._targets, self.palette.target, 2.8, 5.0)):
            tint = QBrush(tinted(colour, FAR_TINT)) if wider > 1 else QBrush(Qt.BrushStyle.NoBrush)
            for line, brush in ((pen(self.palette.card, under * wider, alpha=0.7), tint), (pen(colour, width * wider), QBrush())):
                line.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
                painter.setPen(line)
                painter.setBrush(brush)
                for ring in rings:  # one by one, as reach is
                    painter.drawConvexPolygon(ring)


class RingLayer(Layer):
    """A ring around what counters would be in range of while they are placed or moved."""

    def __init__(self, geometry: Geometry, palette: Palette) -> None:
        super().__init__(geometry, palette, 12)
        self.hexes: frozenset[Hex] = frozenset()
        self._sides: list[QLineF] = []

    def show(self, hexes: Collection[Hex]) -> None:  # type: ignore[override]
        """Go around these hexes, none to clear."""
        if self.hexes != (now := frozenset(hexes)):
            self.hexes = now
            self._sides = list(_rim(self.geometry, self.hexes))
            self.update()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        wider = max(1.0, LEAST_RING / self.scale_of(painter))
        for line in (pen(self.palette.card, 6.4 * wider, alpha=0.75), pen(self.palette.ink, 3.0 * wider)):
            painter.setPen(line)
            painter.drawLines(self._sides)


class MovesLayer(Layer):
    """Arrows along paths: the last moves, the path under the cursor, or attacks.

    Args:
        lift: share of the first step that is left out, so that the counter where an arrow begins stays readable.
        gap: how far before the last hex's middle its tip ends, in scene units.
    """

    def __init__(
        self, geometry: Geometry, palette: Palette, *, z: float, colour: str, alpha: float, lift: float = 0.0, gap: float = 8.0
    ) -> None:
        super().__init__(geometry, palette, z)
        self.lift, self.gap = lift, gap
        self.colour = colour
        self.alpha = alpha
        self._lines = QPainterPath()
        self._heads = QPainterPath()

    def show(self, paths: Sequence[Sequence[Hex]]) -> None:  # type: ignore[override]
        """Show an arrow for each path of two hexes or more."""
        self._lines, self._heads = QPainterPath(), QPainterPath()
        for path in paths:
            points = [self.geometry.centre(here) for here in path]
            if len(points) >= 2:
                self._add(points)
        self.update()

    def _add(self, points: Sequence[Point]) -> None:
        first, second = points[0], points[1]
        self._lines.moveTo(first.x + self.lift * (second.x - first.x), first.y + self.lift * (second.y - first.y))
        for i in range(1, len(points) - 1):
            here, there = points[i], points[i + 1]
            self._lines.quadTo(here.x, here.y, (here.x + there.x) / 2, (here.y + there.y) / 2)
        before, last = points[-2], points[-1]
        length = math.hypot(last.x - before.x, last.y - before.y) or HEX  # over the sea it is more than a hex
        dx, dy = (last.x - before.x) / length, (last.y - before.y) / length
        far = self.gap + 14
        tip, foot = Point(last.x - self.gap * dx, last.y - self.gap * dy), Point(last.x - far * dx, last.y - far * dy)
        self._lines.lineTo(foot.x, foot.y)
        self._heads.addPolygon(
            QPolygonF([QPointF(tip.x, tip.y), QPointF(foot.x - 8 * dy, foot.y + 8 * dx), QPointF(foot.x + 8 * dy, foot.y - 8 * dx)])
        )
        self._heads.closeSubpath()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        painter.strokePath(self._lines, pen(self.palette.card, 7.0, alpha=0.5 * self.alpha))
        painter.strokePath(self._lines, pen(self.colour, 4.4, alpha=self.alpha))
        painter.fillPath(self._heads, tinted(self.colour, self.alpha))


class HexesLayer(Layer):
    """An overlay that a ruleset makes: tinted hexes with short labels, lines, and a toothed front along hexsides."""

    def __init__(self, geometry: Geometry, palette: Palette, colour: str) -> None:
        super().__init__(geometry, palette, 3)
        self.colour = colour
        self._patches = Patches(geometry)
        self.tiles = PatchTiles(self._patches, self)
        self.labels = LabelsLayer(geometry, palette, colour)
        self.crossed: tuple[QRectF, ...] = ()  # hexsides that are drawn over
        self.lined: tuple[QRectF, ...] = ()  # what lies below lines

    def show(  # type: ignore[override]
        self, hexes: Mapping[Hex, str], lines: Sequence[Sequence[Hex]] = (), front: Sequence[tuple[Hex, Hex]] = ()
    ) -> None:
        """Show labelled hexes, lines from hex to hex, and a front: each hexside as (the hex within, the hex beyond)."""
        self.crossed = tuple(_box_of_side(self.geometry, here, there) for here, there in front)
        self._patches.show(hexes, lines, front)
        self.lined = self._patches.below_lines()
        self.tiles.show()
        self.labels.show({here: label for here, label in hexes.items() if label})
        self.update()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        self.tiles.paint(painter, option.exposedRect, widget, self.inks())

    def inks(self) -> Inks:
        """Return the colours of what is drawn."""
        line = seen_on(self.colour, self.palette.ink, (self.palette.paper,), least=LINED)
        return Inks(self.colour, self.palette.card, line)


class LabelsLayer(Layer):
    """Words of an overlay, one line at the edge of each hex: over the counters, with a halo, so that they can be read on both.

    They have the overlay's colour, as those of both sides may lie in one hex.

    Attributes:
        idle: finds their places when there is time, for a whole front takes longer than a frame; None: they are found when painted.
    """

    def __init__(self, geometry: Geometry, palette: Palette, colour: str) -> None:
        super().__init__(geometry, palette, 15)
        self.colour = colour
        self._font = fonts.interface(LABEL_SIZE, QFont.Weight.Bold)
        metrics = self._metrics = QFontMetricsF(self._font)
        self.placed = Words(geometry.centre, metrics.capHeight() + 3, lambda word: metrics.horizontalAdvance(word) + 2)
        self._stamps = Stamps(weakly(self._paint_word), room=HALO)
        self.idle: Idle | None = None
        self._placing: Job = lambda: None

    @property
    def words(self) -> dict[Hex, str]:
        """Return the words by hex."""
        return self.placed.words

    def show(self, words: Mapping[Hex, str]) -> None:  # type: ignore[override]
        """Show these words."""
        self.placed.show(words)
        self.update()

    def _paint_word(self, painter: QPainter, word: str, look: object) -> None:
        path = QPainterPath()
        path.addText(QPointF(-self._metrics.horizontalAdvance(word) / 2, self._metrics.capHeight() / 2), self._font, word)
        painter.strokePath(path, pen(self.palette.card, 2 * HALO))
        painter.fillPath(path, QColor(self.ink()))

    def ink(self) -> str:
        """Return the colour of the words: the overlay's, so dark or light that they can be read."""
        return seen_on(self.colour, self.palette.ink, (self.palette.card,), least=READ)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        scale, seen = self.scale_of(painter), option.exposedRect
        if level_at(scale) < Level.NEAR:
            return
        if self.idle is not None and not self.placed.is_placed(scale):
            self._place_soon(self.idle, scale)
        words, boxes = self.words, self.placed_now(scale)
        self._stamps.put(painter, ((words[here], box) for here, box in boxes.items() if box.intersects(seen)), self.palette)

    def placed_now(self, scale: float) -> Placed:
        """Return where the words stand: as they were placed last, where there is time to place them anew."""
        return self.placed.at(scale) if self.idle is None else self.placed.latest(scale)

    def _place_soon(self, idle: Idle, scale: float) -> None:
        """Find the places when there is time, after those of the layers before, which these keep off."""
        if not idle.awaits(WORDS, self._placing):
            self._placing = by_steps(chain(self.placed.placing(scale), self._placed()))
            idle.add(WORDS, self._placing)

    def _placed(self) -> Iterator[None]:
        self.update()
        yield


class NamesLayer(Layer):
    """The names of towns that counters, lines or what is drawn along hexsides would hide, once more above them.

    Attributes:
        crossed: returns what is drawn along hexsides, and lines from hex to hex.
        is_ready: says whether the ground is painted for a number of device pixels a scene unit; until then other names are on it.
        idle: paints more than a few new names when there is time; None: they are painted at once.
    """

    def __init__(self, geometry: Geometry, palette: Palette, names: Names) -> None:
        super().__init__(geometry, palette, 14)
        self._names = names
        self._stands: tuple[QRectF, ...] = ()
        self.crossed: Callable[[], tuple[QRectF, ...]] = tuple
        self.is_ready: Callable[[float], bool] = lambda scale: True
        self.idle: Idle | None = None
        self._hides: tuple[QRectF, ...] = ()  # all of it, as it was looked at last
        self._kept: dict[int, list[Name]] = {}
        self._stamps = Stamps(weakly(self._paint_one), room=NAME_HALO[0], parts=FINE)
        self._scale, self._named = 1.0, dict[int, Name]()  # names that were seen, by the ids that stand for them

    def show(self, stands: Iterable[QRectF]) -> None:  # type: ignore[override]
        """Take where counters stand."""
        self._stands = tuple(stands)
        self.update()

    def at(self, scale: float) -> list[Name]:
        """Return the names that are written at a scale."""
        if level_at(scale) == Level.FAR:
            return []  # few names, and blocks that stand for stacks
        rung, hides = rung_of(scale), self._stands + self.crossed()
        if hides != self._hides:
            self._hides = hides
            self._kept.clear()
        if rung not in self._kept:
            self._kept[rung] = self._names.hidden_by(scale, hides)
        return self._kept[rung]

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        scale, device = self.scale_of(painter), painter.device()
        ratio = device.devicePixelRatioF() if device is not None else 1.0
        if not self.is_ready(round(scale * ratio, 6)):
            return
        self._scale = scale
        seen = {id(name): name for name in self.at(scale) if name.bounds.intersects(option.exposedRect)}
        self._named |= seen
        boxes = {key: name.bounds for key, name in seen.items()}
        if self.idle is not None:
            late = self._stamps.missing(painter, boxes.items(), self.palette)
            if len(late) > FEW_NAMES:
                self.idle.replace(f"names {id(self)}", [*late.values(), self.update])
                boxes = {key: box for key, box in boxes.items() if key not in late}
        self._stamps.put(painter, boxes.items(), self.palette)

    def _paint_one(self, painter: QPainter, key: int, _: object) -> None:
        name = self._named[key]
        painter.translate(-name.bounds.center())
        paint_name(painter, name, self.palette, self._scale, halo=NAME_HALO)


class AnswersLayer(Layer):
    """The lines that answers to "why?" speak of: whole ones drawn through, cut ones dashed, a cross where each is cut.

    Where an answer about a hex names other hexes (a zone of control and whom it comes from), a thin line leads from each of them.
    All lies over the counters, but below the names of towns.

    Attributes:
        lined: what lies below lines.
    """

    def __init__(self, geometry: Geometry, palette: Palette) -> None:
        super().__init__(geometry, palette, 13.5)
        self.lined: tuple[QRectF, ...] = ()
        self._whole, self._cut, self._crosses = QPainterPath(), QPainterPath(), list[Point]()
        self._sources, self._feet = QPainterPath(), QPainterPath()

    def show(  # type: ignore[override]
        self, answers: Sequence[Answer], of_hex: Sequence[Answer] = (), here: Hex | None = None
    ) -> None:
        """Show the answers about units, and those about the hex that they stand in; none to clear."""
        self._sources, self._feet = QPainterPath(), QPainterPath()
        sources = [] if here is None else sorted({(there, here) for answer in of_hex for there in answer.places})
        for source, goal in sources:
            a, b = self.geometry.centre(source), self.geometry.centre(goal)
            self._sources.moveTo(a.x, a.y)
            self._sources.lineTo(a.x + (b.x - a.x) * SOURCE_REACH, a.y + (b.y - a.y) * SOURCE_REACH)
            self._feet.addEllipse(QPointF(a.x + (b.x - a.x) * SOURCE_REACH, a.y + (b.y - a.y) * SOURCE_REACH), 4.5, 4.5)
        self._whole = self._lines(answer.line for answer in answers if answer.good)
        self._cut = self._lines(answer.line for answer in answers if answer.good is False)
        self._crosses = [self.geometry.centre(here) for answer in answers if answer.good is False for here in answer.places]
        legs = [leg for answer in answers if answer.good is not None for leg in pairwise(answer.line)]
        self.lined = below(self.geometry, sources + legs, WHY_HALO)
        self.update()

    def _lines(self, lines: Iterable[Sequence[Hex]]) -> QPainterPath:
        path = QPainterPath()
        for line in lines:
            points = [self.geometry.centre(here) for here in line]
            if len(points) > 1:
                path.addPolygon(QPolygonF([QPointF(p.x, p.y) for p in points]))
        return path

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        painter.strokePath(self._sources, pen(self.palette.card, 5.0, alpha=0.85))
        painter.strokePath(self._sources, pen(self.palette.ink, 2.4))
        painter.fillPath(self._feet, QColor(self.palette.ink))
        for path, colour, dash in ((self._whole, self.palette.good, ()), (self._cut, self.palette.danger, (2.0, 1.6))):
            painter.strokePath(path, pen(self.palette.card, WHY_HALO, alpha=0.75))
            painter.strokePath(path, pen(colour, 3.6, dash=dash))
        for width, colour in ((8.0, self.palette.card), (4.6, self.palette.danger)):
            painter.setPen(pen(colour, width))
            for at in self._crosses:
                painter.drawLine(QPointF(at.x - 10, at.y - 10), QPointF(at.x + 10, at.y + 10))
                painter.drawLine(QPointF(at.x - 10, at.y + 10), QPointF(at.x + 10, at.y - 10))


class CursorLayer(Layer):
    """The hex cursor of the keyboard, and the hex under the mouse."""

    def __init__(self, geometry: Geometry, palette: Palette) -> None:
        super().__init__(geometry, palette, 30)
        self.at: Hex | None = None
        self.hovered: Hex | None = None

    def show(self, cursor: Hex | None, hovered: Hex | None) -> None:  # type: ignore[override]
        """Move both."""
        if (cursor, hovered) != (self.at, self.hovered):
            self.at, self.hovered = cursor, hovered
            self.update()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        if self.hovered is not None:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(pen(self.palette.ink, 1.4, alpha=0.55))
            painter.drawPolygon(self.polygon(self.hovered, 0.6))
        if self.at is not None:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(pen(self.palette.card, 4.2))
            painter.drawPolygon(self.polygon(self.at, 1.6))
            painter.setPen(pen(self.palette.ink, 2.2, dash=(3, 2)))
            painter.drawPolygon(self.polygon(self.at, 1.6))
