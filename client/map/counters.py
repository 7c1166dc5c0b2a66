"""How a counter is printed: what it shows, and the pixmaps that all counters of one scale share."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

import msgspec
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QLinearGradient, QPainter, QPixmap

from client import fonts
from client.map import symbols
from client.map.idle import Idle
from client.map.levels import Level
from client.map.palette import Palette, mixed, text_on
from client.map.pens import pen, tinted
from client.map.stamps import stamped
from client.qt import QPointF, QRectF, Qt
from core.pack import Manifest, Nation
from core.units import UnitId
from core.views import View

SIDE = 42.0  # scene units
HALF = SIDE / 2
MARGIN = 7.0  # room for shadow and badges
PIPS_HIGH = 10.5  # scene units between the middles of the lowest pip and the highest
BLOCK = QRectF(-24, -18, 48, 36)
SHORT_ID = 2  # characters that an id has at most to stand upright at the right
SHARED = 2000  # pixmaps kept

ELITE_KINDS = frozenset({"guard", "shock"})  # printed in their nation's second colour, as are types with the trait "elite"
LEAN = 0.42  # of a side's colour in its counters, in themes that have such: with less some eyes mix two up, with more ink reads badly

# Which corner a badge sits on: the same one for the same thing, always.
TOP_RIGHT, BOTTOM_RIGHT, BOTTOM_LEFT, TOP_LEFT = (1, -1), (1, 1), (-1, 1), (-1, -1)
BADGES = {
    "out_of_supply": TOP_RIGHT,
    "lack_of_supply": TOP_RIGHT,
    "moved": BOTTOM_RIGHT,
    "attacked": BOTTOM_LEFT,
    "disrupted": TOP_LEFT,
}

URGENT = frozenset({"out_of_supply", "lack_of_supply", "disrupted"})  # shown from far too
BADGE = 5.4  # a badge's radius
BADGE_AT_MID = 1.7  # times as large where a hex is 22 to 44 pixels wide, so that it is more than a dot


class CounterArt(msgspec.Struct, frozen=True):
    """All that a counter's picture hangs on; equal ones share a pixmap."""

    ground: str
    kind: str
    size: str
    id: str
    values: str
    steps: int
    full_steps: int
    badges: tuple[str, ...] = ()
    done: bool = False


def nations_in(palette: Palette, manifest: Manifest) -> dict[str, Nation]:
    """Return the nations with the colours of their counters in a theme.

    A theme with side colours of its own is for eyes that tell few colours apart: green allies and an orange enemy are one to some. There
    each counter leans so far to its side that the sides are told apart by every counter; a pack's own colours can't see to that.
    """
    sides = dict(zip(manifest.sides, palette.sides, strict=False))
    if not sides:
        return {nation.id: nation for nation in manifest.nation}
    found = {}
    for nation in manifest.nation:
        colour, elite = (mixed(own, sides[nation.side], LEAN) if own else "" for own in (nation.colour, nation.elite))
        found[nation.id] = msgspec.structs.replace(nation, colour=colour, elite=elite)
    return found


def art_of(view: View, unit: UnitId, nations: Mapping[str, Nation]) -> CounterArt:
    """Return how a counter shows at this moment."""
    kind, look = view.type(unit), view.look(unit)
    nation = nations.get(kind.nation)
    ground = "#9A948A" if nation is None else nation.colour
    if nation is not None and nation.elite and (kind.kind in ELITE_KINDS or "elite" in kind.traits):
        ground = nation.elite
    return CounterArt(
        ground, kind.kind, _size_mark(kind.size), view.unit(unit).name, look.values, look.steps, look.full_steps, look.badges, look.done
    )


def _size_mark(size: str) -> str:
    """Return what stands over the symbol: ``XXXX`` or letters such as ``KG``; words that are no formation's size are not printed."""
    return size if size.isupper() else ""


class BlockArt(msgspec.Struct, frozen=True):
    """A whole stack far out: a block in its side's colour with its steps."""

    colour: str
    steps: int


class _Key(NamedTuple):
    art: CounterArt | BlockArt
    scale: float
    level: Level
    palette: str


class _Blank(NamedTuple):
    colour: str
    scale: float
    is_block: bool


class CounterPixmaps:
    """Pixmaps of counters, shared by all that look alike, the least recently used going first.

    Attributes:
        palette: the theme.
        patient: one that is missing may be stood in for by one of another scale or theme, or by its bare ground, and is painted when
            there is time.
    """

    def __init__(self, palette: Palette, idle: Idle) -> None:
        self.palette = palette
        self.idle = idle
        self.patient = False
        self._kept: OrderedDict[_Key, QPixmap] = OrderedDict()
        self._latest: dict[CounterArt | BlockArt, QPixmap] = {}
        self._blanks: dict[_Blank, QPixmap] = {}

    def get(self, art: CounterArt | BlockArt, device_scale: float, level: Level, made: Callable[[], object]) -> QPixmap:
        """Return a counter at *device_scale* device pixels a scene unit, with its margin; or a stand-in: then *made* is called later."""
        self.idle.come_to(device_scale)
        key = _Key(art, device_scale, level, self.palette.name)
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
            return found
        if not self.patient:
            return self._make(key)
        self.idle.add("counters", lambda: (self._make(key), made()))
        stand_in = self._latest.get(art)
        return stand_in if stand_in is not None else self._blank(art, device_scale)

    def _blank(self, art: CounterArt | BlockArt, device_scale: float) -> QPixmap:
        """Return a counter's bare ground, for as long as nothing was painted on it: a whole front takes longer than a frame."""
        key = _Blank(art.colour if isinstance(art, BlockArt) else art.ground, device_scale, isinstance(art, BlockArt))
        if key not in self._blanks:
            if len(self._blanks) > SHARED:
                self._blanks.clear()
            self._blanks[key] = _pixmap(device_scale, lambda painter: _paint_blank(painter, key))
        return self._blanks[key]

    def take_over(self, before: CounterPixmaps) -> None:
        """Begin with what another one has painted."""
        self._kept, self._latest = OrderedDict(before._kept), dict(before._latest)

    def _make(self, key: _Key) -> QPixmap:
        made = self._kept.get(key)
        if made is None:
            made = self._kept[key] = self._latest[key.art] = self._render(key.art, key.scale, key.level)
            if len(self._kept) > SHARED:
                self._kept.popitem(last=False)
            if len(self._latest) > SHARED:
                self._latest.clear()
        return made

    def _render(self, art: CounterArt | BlockArt, device_scale: float, level: Level) -> QPixmap:
        def paint(painter: QPainter) -> None:
            if isinstance(art, BlockArt):
                paint_block(painter, art, self.palette)
            else:
                paint_counter(painter, art, self.palette, level)

        return _pixmap(device_scale, paint)


def _pixmap(device_scale: float, paint: Callable[[QPainter], None]) -> QPixmap:
    """Return a picture of a counter with its margin."""
    return stamped(SIDE + 2 * MARGIN, SIDE + 2 * MARGIN, device_scale, paint)


def _paint_blank(painter: QPainter, blank: _Blank) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(blank.colour))
    painter.drawRoundedRect(BLOCK if blank.is_block else QRectF(-HALF, -HALF, SIDE, SIDE), 4, 4)


def paint_block(painter: QPainter, art: BlockArt, palette: Palette) -> None:
    """Draw a stack's block around the origin."""
    painter.setPen(pen(palette.ink, 1.5))
    painter.setBrush(QColor(art.colour))
    painter.drawRoundedRect(BLOCK, 6, 6)
    text_at(painter, str(art.steps), QPointF(0, 0), 30, QColor(text_on(art.colour)), widest=42)


def paint_counter(painter: QPainter, art: CounterArt, palette: Palette, level: Level) -> None:
    """Draw a counter around the origin."""
    ground = _faded(art.ground) if art.done else art.ground
    ink = QColor(text_on(ground))
    _paint_body(painter, ground, shadow=level >= Level.NEAR)
    if level == Level.MID:
        painter.save()
        painter.scale(1.45, 1.45)
        symbols.paint(painter, art.kind)
        painter.restore()
    else:
        painter.save()
        painter.translate(_symbol_aside(art), -3.6)
        symbols.paint(painter, art.kind)
        painter.restore()
        _paint_texts(painter, art, ink)
        _paint_pips(painter, art, ink)
    for badge in art.badges:
        if badge in BADGES and (level > Level.MID or badge in URGENT):
            _paint_badge(painter, badge, palette, size=BADGE_AT_MID if level == Level.MID else 1.0)


@lru_cache(maxsize=256)
def _faded(colour: str) -> str:
    """Return a colour with less saturation, not darker: the counter has done what it can."""
    shade = QColor(colour)
    faded = QColor.fromHslF(
        max(shade.hslHueF(), 0.0), shade.hslSaturationF() * 0.38, min(1.0, shade.lightnessF() * 0.94 + 0.05)
    )
    return str(faded.name())


def _paint_body(painter: QPainter, ground: str, *, shadow: bool) -> None:
    body = QRectF(-HALF, -HALF, SIDE, SIDE)
    painter.setPen(Qt.PenStyle.NoPen)
    if shadow:
        for spread, alpha in ((2.4, 0.10), (1.2, 0.16)):
            painter.setBrush(tinted("#1A140C", alpha))
            painter.drawRoundedRect(body.adjusted(-spread / 2 + 0.8, -spread / 2 + 1.4, spread / 2 + 1.2, spread / 2 + 1.8), 5, 5)
    shade = QLinearGradient(0, -HALF, 0, HALF)
    shade.setColorAt(0, QColor(mixed(ground, "#FFFFFF", 0.13)))
    shade.setColorAt(1, QColor(mixed(ground, "#000000", 0.05)))
    painter.setBrush(shade)
    painter.setPen(pen(mixed(ground, "#000000", 0.48), 1.0))
    painter.drawRoundedRect(body.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)


def _symbol_aside(art: CounterArt) -> float:
    """Return how far the symbol gives way to the id: a short one stands right of it, a long one is turned at its left."""
    if not art.id:
        return 0.0
    return -3.6 if len(art.id) <= SHORT_ID else 1.4


def _paint_texts(painter: QPainter, art: CounterArt, ink: QColor) -> None:
    text_at(painter, art.size, QPointF(_symbol_aside(art), -15.9), 6.6, ink, weight=QFont.Weight.Bold)
    if art.values:
        text_at(painter, art.values, QPointF(0, 13.2), 13.0, ink, weight=QFont.Weight.DemiBold, widest=SIDE - 5)
    if len(art.id) <= SHORT_ID:
        text_at(painter, art.id, QPointF(14.9, -9.6), 8.4, ink, weight=QFont.Weight.DemiBold, widest=9.2)
        return
    painter.save()
    painter.translate(-15.6, -6.2)
    painter.rotate(-90)
    text_at(painter, art.id, QPointF(0, 0), 8.0, ink, weight=QFont.Weight.DemiBold, widest=26)
    painter.restore()


def _paint_pips(painter: QPainter, art: CounterArt, ink: QColor) -> None:
    """Draw a pip a step up the right edge: filled for those left."""
    if art.full_steps <= 1:
        return
    painter.setPen(pen(ink, 0.7))
    apart = min(3.5, PIPS_HIGH / (art.full_steps - 1))  # below the id, however many there are
    for i in range(art.full_steps):
        painter.setBrush(ink if i < art.steps else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(QPointF(17.6, 6.0 - apart * i), 1.15, 1.15)


@lru_cache(maxsize=64)
def _setting(weight: QFont.Weight) -> tuple[QFont, QFontMetricsF]:
    font = fonts.interface(64, weight)
    return font, QFontMetricsF(font)


def text_at(
    painter: QPainter,
    words: str,
    middle: QPointF,
    size: float,
    ink: QColor,
    *,
    weight: QFont.Weight = QFont.Weight.Normal,
    widest: float = 1e9,
) -> None:
    """Write words around a point, *size* high, shrunk to *widest*."""
    if not words:
        return
    font, metrics = _setting(weight)
    width = metrics.horizontalAdvance(words)
    shrink = min(size / 64, widest / width)
    painter.save()
    painter.translate(middle)
    painter.scale(shrink, shrink)
    painter.setFont(font)
    painter.setPen(ink)
    fonts.write(painter, QPointF(-width / 2, metrics.capHeight() / 2), words)
    painter.restore()


def _paint_badge(painter: QPainter, badge: str, palette: Palette, *, size: float) -> None:
    """Draw a disc on the badge's corner: a barrel (struck through: out, half: lack), an arrow, swords, a bolt."""
    right, down = BADGES[badge]
    out = min(HALF + 1.0, HALF + MARGIN - (BADGE + 0.5) * size)  # as far out as the picture reaches: the values stay free
    painter.save()
    painter.translate(right * out, down * out)
    painter.scale(size, size)
    ground = palette.danger if badge in ("out_of_supply", "disrupted") else palette.card
    painter.setPen(pen(palette.ink, 0.8))
    painter.setBrush(QColor(ground))
    painter.drawEllipse(QPointF(0, 0), BADGE, BADGE)
    ink = QColor(text_on(ground))
    painter.setPen(pen(ink, 1.1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    match badge:
        case "out_of_supply":
            painter.drawRoundedRect(QRectF(-2.2, -3.0, 4.4, 6.0), 1, 1)
            painter.drawLine(QPointF(-3.4, 3.4), QPointF(3.4, -3.4))
        case "lack_of_supply":
            painter.drawRoundedRect(QRectF(-2.2, -3.0, 4.4, 6.0), 1, 1)
            painter.fillRect(QRectF(-2.2, 0.0, 4.4, 3.0), ink)
        case "moved":
            painter.drawLine(QPointF(-3.0, 0), QPointF(3.0, 0))
            painter.drawPolyline([QPointF(0.6, -2.4), QPointF(3.0, 0), QPointF(0.6, 2.4)])
        case "attacked":
            painter.drawLine(QPointF(-2.8, -2.8), QPointF(2.8, 2.8))
            painter.drawLine(QPointF(-2.8, 2.8), QPointF(2.8, -2.8))
        case _:
            painter.drawPolyline([QPointF(0.8, -3.2), QPointF(-1.6, 0.4), QPointF(1.4, -0.2), QPointF(-0.8, 3.2)])
    painter.restore()
