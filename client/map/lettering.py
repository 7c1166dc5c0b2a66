"""Names on the map: set in Lato, placed once a scale without collisions, painted as paths with a halo of paper."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QTransform

from client import fonts
from client.map.geometry import HEX, Geometry, Point
from client.map.ground import KEPT, ground_of
from client.map.levels import Level, level_at
from client.map.palette import Palette
from client.map.pens import pen, tinted
from client.qt import QPointF, QRectF, Qt
from core.board import Board, Hex
from core.pack import Lettering

SETTING_SIZE = 64  # pixels that text is set in before it is scaled: large, so that hinting distorts nothing
WATERS = frozenset({"sea", "lake", "river", "water", "bay", "strait", "canal"})
TOWNS = frozenset({"city", "town", "place"})
CELL = 256.0  # side of the squares that hexes are gathered in
WIDE = frozenset({"sea", "region"})  # what a map may name in several places, for whoever looks at one of them
APART = 400.0  # pixels between two of these
RUNGS = 4  # placings for each doubling of the scale
WIDEST = 0.6  # of the map's width that a name may take: from far, small maps have no room for long ones
A_STEP = 40  # names that are placed at a stretch
WORDS_APART = 0.6  # of a spaced name's size, added to its spaces: by themselves they are as wide as the gaps between its letters
NUMBERS_FROM = 76.0  # pixels a hex from which hex numbers can be read without filling the map
NUMBER_TOP = -30.0  # where a hex's number begins, from the hex's middle
# Where a region's name may give way to so that it lies over no number of a hex, nearest first: more up and down, as numbers lie in rows.
ASIDE = ((0, 9), (0, -9), (0, 18), (0, -18), (11, 0), (-11, 0), (11, 9), (-11, 9), (11, -9), (-11, -9), (0, 27), (11, 18), (-11, -18))
SHARES_ALONG = (0.15, -0.15, 0.3, -0.3, 0.45, -0.45)  # of its own length that the name of a region may be moved along itself
ROLES = ("region", "water", "town")


class Name(NamedTuple):
    """A name in its place: its outline and where that goes, what it takes up, its role: ``town``, ``water``, ``region``."""

    outline: QPainterPath
    place: QTransform
    bounds: QRectF
    role: str
    size: int


class _Taken:
    """What names have claimed, by squares, so that a name is held against few others."""

    def __init__(self) -> None:
        self._cells: dict[tuple[int, int], list[QRectF]] = {}

    def take(self, bounds: QRectF) -> bool:
        """Claim a place; False where it reaches by more than a unit into another."""
        if self.is_met(bounds.adjusted(1, 1, -1, -1)):
            return False
        self.put(bounds)
        return True

    def put(self, bounds: QRectF) -> None:
        """Claim a place, whatever reaches into it."""
        for square in _squares(bounds):
            self._cells.setdefault(square, []).append(bounds)

    def is_met(self, bounds: QRectF) -> bool:
        """Say whether a place reaches into a claimed one."""
        return any(bounds.intersects(other) for square in _squares(bounds) for other in self._cells.get(square, ()))


def _squares(bounds: QRectF) -> Iterator[tuple[int, int]]:
    for column in range(int(bounds.left() // CELL), int(bounds.right() // CELL) + 1):
        for row in range(int(bounds.top() // CELL), int(bounds.bottom() // CELL) + 1):
            yield column, row


class Names:
    """Every name of a map; the placing for each scale is kept.

    Args:
        lettering: names with their place on the board's plane; towns without one take it from their hex.
    """

    def __init__(self, geometry: Geometry, lettering: Iterable[Lettering]) -> None:
        self.geometry = geometry
        self.lettering = sorted(_with_towns(geometry, tuple(lettering)), key=_importance)
        self._placed: dict[int, list[Name]] = {}
        self._land = _land(geometry)

    def prepare(self, scales: Iterable[float]) -> None:
        """Place the names for these scales now, in a thread that has time, so that no painting waits for it."""
        for scale in scales:
            self.at(scale)

    def paint(
        self, painter: QPainter, area: QRectF, palette: Palette, *, scale: float, roles: Collection[str] = ROLES
    ) -> None:
        """Paint the names of these *roles* that reach into *area*."""
        for name in self.at(scale):
            if name.role in roles and name.bounds.intersects(area):
                paint_name(painter, name, palette, scale)

    def hidden_by(self, scale: float, places: Iterable[QRectF]) -> list[Name]:
        """Return the towns' names of a scale that what lies in these places would hide."""
        taken = _Taken()
        for place in places:
            taken.put(place)
        return [name for name in self.at(scale) if name.role == "town" and taken.is_met(name.bounds.adjusted(3, 3, -3, -3))]

    def at(self, scale: float) -> list[Name]:
        """Return the names of a scale in their places: those of the rung next to it, so that they stand still between rungs."""
        rung = rung_of(scale)
        if rung not in self._placed:
            for _ in self.placing(scale):
                pass
        return self._placed[rung]

    def is_placed(self, scale: float) -> bool:
        """Say whether the places at a scale are known."""
        return rung_of(scale) in self._placed

    def placing(self, scale: float) -> Iterator[None]:
        """Find the places at a scale, a few names a step."""
        rung = rung_of(scale)
        scale = 2 ** (rung / RUNGS)
        level, taken, placed, wide = level_at(scale), _Taken(), list[Name](), dict[str, list[Lettering]]()
        left, _, right, _ = self.geometry.bounds
        widest = WIDEST * (right - left)
        for count, one in enumerate(self.lettering, 1):
            if count % A_STEP == 0:
                yield
                if rung in self._placed:
                    return  # somebody else has found them meanwhile
            if not _is_shown(one, level):
                continue
            same = wide.setdefault(one.name, []) if one.kind in WIDE else []
            if any(math.dist((other.x, other.y), (one.x, one.y)) * HEX * scale < APART for other in same):
                continue  # so far out, one glance sees both
            for name in self._best_first(one, scale):
                if name.bounds.width() <= widest and taken.take(name.bounds):
                    placed.append(name)
                    same.append(one)
                    break
        self._placed[rung] = placed

    def _best_first(self, one: Lettering, scale: float) -> Iterable[Name]:
        """Return a name in the places it may take, best first.

        That of a region stands where both of its ends are on the map, for this may be no rectangle, and its letters lie over fewest
        numbers of hexes.
        """
        frame, aside = self.geometry.bounds, ASIDE if _has_numbers(scale) else ()
        if _role(one) != "region":
            return _candidates(one, scale, frame)
        if not self._is_on_map(next(_candidates(one, scale, frame))):
            aside = (*aside, *_along(one, scale))
        names = list(_candidates(one, scale, frame, aside=aside))
        if _has_numbers(scale):
            over = self._numbers_under(names, scale)
            names = [names[i] for i in sorted(range(len(names)), key=over.__getitem__)]
        return filter(self._is_on_map, names)

    def _is_on_map(self, name: Name) -> bool:
        """Say whether both ends of a name lie over hexes."""
        box = name.outline.boundingRect()
        ends = (name.place.map(QPointF(x, box.center().y())) for x in (box.left(), box.right()))
        return all(self.geometry.hex_at(end.x(), end.y()) is not None for end in ends)

    def _numbers_under(self, names: Sequence[Name], scale: float) -> list[int]:
        """Return how many times letters lie over numbers in each of the places that one name may take."""
        near = QRectF()
        for name in names:
            near = near.united(name.bounds)
        size = _number_size(scale)
        numbers = _edges_of(_number_box(centre, size) for _, centre in self._land_near(near.adjusted(-HEX, -HEX, HEX, HEX)))
        first = names[0].place
        letters = _edges_of(first.mapRect(letter.boundingRect()) for letter in names[0].outline.toSubpathPolygons())
        moved = np.array([(name.place.dx() - first.dx(), name.place.dy() - first.dy()) for name in names])
        there = letters[None, :, :] + np.tile(moved, 2)[:, None, :]
        left, top, right, bottom = (there[:, :, None, i] for i in range(4))
        met = (left < numbers[:, 2]) & (right > numbers[:, 0]) & (top < numbers[:, 3]) & (bottom > numbers[:, 1])
        over: list[int] = met.sum(axis=(1, 2)).tolist()
        return over

    def paint_numbers(self, painter: QPainter, area: QRectF, palette: Palette, *, scale: float) -> None:
        """Write each hex's number at its top, from the scale on where it can be read."""
        if not _has_numbers(scale):
            return
        size = _number_size(scale)
        painter.save()
        painter.setPen(tinted(palette.ink, 0.46))
        font = fonts.interface(SETTING_SIZE)
        metrics, shrink = QFontMetricsF(font), size / SETTING_SIZE
        painter.setFont(font)
        near = area.adjusted(-HEX, -HEX, HEX, HEX)
        names = [name.bounds for name in self.at(scale) if name.role != "region" and name.bounds.intersects(near)]
        for here, c in self._land_near(near):
            box = _number_box(c, size)
            if any(box.intersects(name) for name in names):
                continue
            label = self.geometry.board.labels[here][-4:]
            painter.save()
            painter.translate(c.x, c.y + NUMBER_TOP + size * 0.86)
            painter.scale(shrink, shrink)
            fonts.write(painter, QPointF(-metrics.horizontalAdvance(label) / 2, 0), label)
            painter.restore()
        painter.restore()

    def _land_near(self, area: QRectF) -> Iterable[tuple[Hex, Point]]:
        """Yield the hexes in *area* that are no sea, with their middles."""
        for column in range(int(area.left() // CELL), int(area.right() // CELL) + 1):
            for row in range(int(area.top() // CELL), int(area.bottom() // CELL) + 1):
                for here, centre in self._land.get((column, row), ()):
                    if area.contains(centre.x, centre.y):
                        yield here, centre


@lru_cache(maxsize=KEPT)
def names_of(board: Board, lettering: tuple[Lettering, ...]) -> Names:
    """Return the names of a map, built once: for the largest one it takes a fifth of a second until all are set.

    Any thread may ask: what two of them place at once is the same.
    """
    return Names(ground_of(board).geometry, lettering)


def rung_of(scale: float) -> int:
    """Return which placing serves a scale."""
    return round(RUNGS * math.log2(scale))


def _has_numbers(scale: float) -> bool:
    return scale * HEX >= NUMBERS_FROM


def _number_size(scale: float) -> float:
    """Return how high a hex's number is, in scene units."""
    return max(8.0, min(12.0, scale * HEX * 0.125)) / scale


def _number_box(centre: Point, size: float) -> QRectF:
    return QRectF(centre.x - 1.2 * size, centre.y + NUMBER_TOP, 2.4 * size, size)


def _edges_of(boxes: Iterable[QRectF]) -> NDArray[np.float64]:
    """Return the left, top, right and bottom of boxes, a row each."""
    return np.array([(box.left(), box.top(), box.right(), box.bottom()) for box in boxes]).reshape(-1, 4)


def _land(geometry: Geometry) -> dict[tuple[int, int], list[tuple[Hex, Point]]]:
    """Gather the hexes that are no sea by squares, so that a tile looks at few of them."""
    gathered: dict[tuple[int, int], list[tuple[Hex, Point]]] = {}
    for here in map(Hex, range(geometry.board.size)):
        if geometry.board.terrain(here) != "sea":
            centre = geometry.centre(here)
            gathered.setdefault((int(centre.x // CELL), int(centre.y // CELL)), []).append((here, centre))
    return gathered


def _with_towns(geometry: Geometry, lettering: Sequence[Lettering]) -> list[Lettering]:
    """Return the lettering that lies on this board, once where sections overlap, with a name for each named hex that has none."""
    found: list[Lettering] = []
    alike: dict[tuple[str, str], list[Lettering]] = {}
    for one in lettering:
        same = alike.setdefault((one.kind, one.name), [])
        twice = any(math.dist((other.x, other.y), (one.x, one.y)) < 2 for other in same)
        if not twice and geometry.cube_at(one.x * HEX, one.y * HEX) in geometry.hex_of:
            same.append(one)
            found.append(one)
    named = {one.name for one in lettering if one.kind in TOWNS}
    for fact in geometry.board.facts:
        if fact.name and fact.name not in named and fact.terrain not in ("sea", "lake"):
            found.append(Lettering("city", fact.name, fact.x, fact.y, 0.0, {"major": 3, "minor": 2}.get(fact.city, 1)))
    return found


def _role(one: Lettering) -> str:
    if one.kind in TOWNS:
        return "town"
    return "water" if one.kind in WATERS else "region"


def _importance(one: Lettering) -> tuple[int, int, str, float]:
    """Order names by who may claim his place first: towns before waters before regions, large ones first."""
    return ({"town": 0, "water": 1, "region": 2}[_role(one)], -one.size, one.name, one.x)


def _is_shown(one: Lettering, level: Level) -> bool:
    match level:
        case Level.FAR:
            return one.kind in ("sea", "region") and one.size >= 3
        case Level.MID:
            return one.size >= 3 or (_role(one) == "town" and one.size >= 3)
        case Level.NEAR | Level.CLOSE:
            return True


def _pixels(one: Lettering, scale: float) -> float:
    """Return the height of a name in pixels: it grows with the map, but more slowly."""
    base = {"town": (10.5, 11.5, 13.5, 16.0), "water": (10.5, 11.5, 14.0, 18.0), "region": (11.0, 12.0, 14.0, 17.0)}
    size: float = base[_role(one)][max(1, min(4, one.size)) - 1]
    return size * max(0.86, min(1.9, float((scale * HEX / 64) ** 0.6)))


def _font(one: Lettering) -> QFont:
    match _role(one):
        case "town":
            font = fonts.lettering(SETTING_SIZE, QFont.Weight.Bold if one.size >= 3 else QFont.Weight.DemiBold)
        case "water":
            font = fonts.lettering(SETTING_SIZE, italic=True)
            font.setLetterSpacing(QFont.SpacingType.PercentageSpacing, 112 if one.kind == "river" else 125)
        case _:
            font = fonts.lettering(SETTING_SIZE)
            font.setCapitalization(QFont.Capitalization.AllUppercase)
            font.setLetterSpacing(QFont.SpacingType.PercentageSpacing, 165)
            font.setWordSpacing(WORDS_APART * SETTING_SIZE)
    return font


def _candidates(
    one: Lettering, scale: float, frame: tuple[float, float, float, float], *, aside: Sequence[tuple[float, float]] = ()
) -> Iterator[Name]:
    """Yield a name in the places it may take, best first, then those *aside* of where it belongs, each pushed inside the map's *frame*."""
    role, (outline, width, cap) = _role(one), _set(one)
    shrink = _pixels(one, scale) / scale / SETTING_SIZE
    turn = QTransform()
    turn.translate(one.x * HEX, one.y * HEX)
    turn.rotate(_upright(one.angle))
    turn.scale(shrink, shrink)
    around = turn.mapRect(outline.boundingRect())
    for dx, dy in (*_offsets(role, width * shrink, cap * shrink), *aside):
        bounds = around.translated(dx, dy)
        right, down = _push_inside(bounds, frame)
        place = turn * QTransform.fromTranslate(dx + right, dy + down)
        yield Name(outline, place, bounds.translated(right, down).adjusted(-2, -2, 2, 2), role, one.size)


def _along(one: Lettering, scale: float) -> list[tuple[float, float]]:
    """Return where a name stands that is moved along itself, nearest first."""
    angle, length = math.radians(_upright(one.angle)), _set(one)[1] * _pixels(one, scale) / scale / SETTING_SIZE
    return [(share * length * math.cos(angle), share * length * math.sin(angle)) for share in SHARES_ALONG]


@lru_cache(maxsize=4096)
def _set(one: Lettering) -> tuple[QPainterPath, float, float]:
    """Return a name's outline around the origin, its width and the height of its capitals, at SETTING_SIZE."""
    font, words = _font(one), one.name.upper() if _role(one) == "region" else one.name
    metrics = QFontMetricsF(font)
    width, cap = metrics.horizontalAdvance(words), metrics.capHeight()
    path = QPainterPath()
    path.addText(QPointF(-width / 2, cap / 2), font, words)
    return path, width, cap


def _push_inside(box: QRectF, frame: tuple[float, float, float, float]) -> tuple[float, float]:
    left, top, right, bottom = frame
    dx = max(left + 5 - box.left(), 0.0) or min(right - 5 - box.right(), 0.0)
    dy = max(top + 5 - box.top(), 0.0) or min(bottom - 5 - box.bottom(), 0.0)
    return dx, dy


def _upright(angle: float) -> float:
    """Turn a name by half a circle if it would stand on its head."""
    angle = math.fmod(angle, 360.0)
    if angle > 180:
        angle -= 360
    elif angle < -180:
        angle += 360
    if angle > 90:
        return angle - 180
    return angle + 180 if angle < -90 else angle


def _offsets(role: str, width: float, cap: float) -> Sequence[tuple[float, float]]:
    """Return where a name's middle may stand from its anchor: a town's clear of a counter in its hex."""
    if role == "town":
        low, side = 23.0 + cap / 2, 22.0 + width / 2
        return ((0, low), (0, -low), (side, low - 6), (-side, low - 6), (side, 0), (-side, 0), (side, -low + 6), (-side, -low + 6))
    if role == "water":
        return ((0, 0), (0, 14), (0, -14), (26, 0), (-26, 0), (40, 20), (-40, -20))
    return ((0, 0), (0, 28), (0, -28), (0, 55), (0, -55), (60, 0), (-60, 0))


HALO = {"town": (3.0, 0.85), "water": (2.0, 0.47), "region": (2.4, 0.5)}  # width in pixels, alpha


def paint_name(painter: QPainter, name: Name, palette: Palette, scale: float, *, halo: tuple[float, float] | None = None) -> None:
    """Paint a name in its place; *halo* is its width in pixels and its alpha, if not the usual one."""
    width, alpha = halo if halo is not None else HALO[name.role]
    shrink = math.sqrt(name.place.determinant())
    painter.save()
    painter.setTransform(name.place, combine=True)
    around = pen(palette.paper, width / scale / shrink, alpha=alpha)
    around.setJoinStyle(Qt.PenJoinStyle.BevelJoin)  # round ones take half as long again, and can't be told from these
    painter.strokePath(name.outline, around)
    ink = {"town": palette.ink, "water": palette.water_name, "region": palette.region_name}[name.role]
    painter.fillPath(name.outline, QColor(ink))
    painter.restore()
