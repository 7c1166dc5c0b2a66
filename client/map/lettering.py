"""Names on the map: set in Lato, placed once a scale without collisions, painted as paths with a halo of paper."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QTransform

from client import fonts
from client.map.geometry import HEX, Geometry, Point
from client.map.levels import Level, level_at
from client.map.palette import Palette
from client.map.pens import pen, tinted
from client.qt import QPointF, QRectF
from core.board import Hex
from core.pack import Lettering

SETTING_SIZE = 64  # pixels that text is set in before it is scaled: large, so that hinting distorts nothing
WATERS = frozenset({"sea", "lake", "river", "water", "bay", "strait", "canal"})
TOWNS = frozenset({"city", "town", "place"})
NUMBERS_FROM = 76.0  # pixels a hex from which hex numbers can be read without filling the map


class Name(NamedTuple):
    """A name in its place: outline in scene units, what it takes up, its role: ``town``, ``water``, ``region``."""

    path: QPainterPath
    bounds: QRectF
    role: str
    size: int


class Names:
    """Every name of a map; the placing for each scale is kept.

    Args:
        lettering: names with their place on the board's plane; towns without one take it from their hex.
    """

    def __init__(self, geometry: Geometry, lettering: Iterable[Lettering]) -> None:
        self.geometry = geometry
        self.lettering = sorted(_with_towns(geometry, tuple(lettering)), key=_importance)
        self._placed: dict[int, list[Name]] = {}

    def paint(self, painter: QPainter, area: QRectF, palette: Palette, *, scale: float) -> None:
        """Paint the names that reach into *area*."""
        for name in self.at(scale):
            if name.bounds.intersects(area):
                _paint(painter, name, palette, scale)

    def at(self, scale: float) -> list[Name]:
        """Return the names of a scale in their places."""
        key = round(scale * 1000)
        if key not in self._placed:
            self._placed[key] = self._place(scale)
        return self._placed[key]

    def _place(self, scale: float) -> list[Name]:
        level, taken, placed = level_at(scale), list[QRectF](), list[Name]()
        for one in self.lettering:
            if not _is_shown(one, level):
                continue
            for name in _candidates(one, scale, self.geometry.bounds):
                needed = name.bounds.adjusted(1, 1, -1, -1)
                if not any(needed.intersects(other) for other in taken):
                    taken.append(name.bounds)
                    placed.append(name)
                    break
        return placed

    def paint_numbers(self, painter: QPainter, area: QRectF, palette: Palette, *, scale: float) -> None:
        """Write each hex's number at its top, from the scale on where it can be read."""
        if scale * HEX < NUMBERS_FROM:
            return
        size = max(8.0, min(12.0, scale * HEX * 0.125)) / scale
        painter.save()
        painter.setPen(tinted(palette.ink, 0.46))
        font = fonts.interface(SETTING_SIZE)
        metrics, shrink = QFontMetricsF(font), size / SETTING_SIZE
        painter.setFont(font)
        near = area.adjusted(-HEX, -HEX, HEX, HEX)
        names = [name.bounds for name in self.at(scale) if name.role != "region" and name.bounds.intersects(near)]
        for here in map(Hex, range(self.geometry.board.size)):
            c = self.geometry.centre(here)
            if not near.contains(c.x, c.y) or self.geometry.board.terrain(here) == "sea":
                continue
            box = QRectF(c.x - 1.2 * size, c.y - 30, 2.4 * size, size)
            if any(box.intersects(name) for name in names):
                continue
            label = self.geometry.board.labels[here][-4:]
            painter.save()
            painter.translate(c.x, c.y - 30 + size * 0.86)
            painter.scale(shrink, shrink)
            painter.drawText(QPointF(-metrics.horizontalAdvance(label) / 2, 0), label)
            painter.restore()
        painter.restore()


def _with_towns(geometry: Geometry, lettering: Sequence[Lettering]) -> list[Lettering]:
    """Return the lettering that lies on this board, once where sections overlap, with a name for each named hex that has none."""
    found: list[Lettering] = []
    for one in lettering:
        twice = any((o.kind, o.name) == (one.kind, one.name) and math.dist((o.x, o.y), (one.x, one.y)) < 2 for o in found)
        if not twice and geometry.cube_at(one.x * HEX, one.y * HEX) in geometry.hex_of:
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
    return font


def _candidates(one: Lettering, scale: float, frame: tuple[float, float, float, float]) -> Iterable[Name]:
    """Yield a name in the places it may take, best first, each pushed inside the map's *frame*."""
    font, role = _font(one), _role(one)
    metrics, shrink = QFontMetricsF(font), _pixels(one, scale) / scale / SETTING_SIZE
    words = one.name.upper() if role == "region" else one.name
    width, cap = metrics.horizontalAdvance(words) * shrink, metrics.capHeight() * shrink
    centre = Point(one.x * HEX, one.y * HEX)
    for dx, dy in _offsets(role, width, cap):
        path = QPainterPath()
        path.addText(QPointF(0, 0), font, words)
        turn = QTransform()
        turn.translate(centre.x + dx, centre.y + dy)
        turn.rotate(_upright(one.angle))
        turn.scale(shrink, shrink)
        turn.translate(-width / shrink / 2, cap / shrink / 2)
        path = turn.map(path)
        path.translate(*_push_inside(path.boundingRect(), frame))
        yield Name(path, path.boundingRect().adjusted(-2, -2, 2, 2), role, one.size)


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


HALO = {"town": (3.0, 0.85), "water": (2.0, 0.47), "region": (2.0, 0.43)}  # width in pixels, alpha


def _paint(painter: QPainter, name: Name, palette: Palette, scale: float) -> None:
    width, alpha = HALO[name.role]
    painter.strokePath(name.path, pen(palette.paper, width / scale, alpha=alpha))
    ink = {"town": palette.ink, "water": palette.water_name, "region": palette.region_name}[name.role]
    painter.fillPath(name.path, QColor(ink))
