"""The ground as tiles: pixmaps of squares of the map, kept by scale, theme, weather and pixel ratio.

A tile is made at the very scale that it is shown at, pixel for pixel, so that the map is crisp at every zoom and pixel ratio. While
it is missing, tiles of other scales or of the theme before stand in for it, and bare paper where there are none; it is painted when
nothing else is to be done.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from client.map.ground import Ground
from client.map.idle import MORE, Idle, Job, by_steps
from client.map.lettering import Names, rung_of
from client.map.palette import Palette
from client.qt import QPointF, QRectF
from client.weakly import weakly

SIDE = 256  # device pixels; measured: a tile takes 3 to 10 ms
BUDGET = 192 * 1024 * 1024  # bytes of pixmaps that are kept
DONE = object()  # what comes after the last step
OVERVIEW = 640  # device pixels that the map's longer side has in the overview, which stands in wherever nothing better does


class TileKey(NamedTuple):
    """What a tile's pixmap hangs on: its square, counted in tiles from the scene's origin, and how the ground looks."""

    column: int
    row: int
    scale: float  # device pixels a scene unit
    ratio: float
    palette: str
    weather: str

    @property
    def area(self) -> QRectF:
        """The square in scene units."""
        side = SIDE / self.scale
        return QRectF(self.column * side, self.row * side, side, side)


class TilePainter:
    """Paints tiles and keeps them, the least recently used going first.

    Attributes:
        palette, weather: how the ground looks now.
        patient: tiles that are missing may be stood in for; else all are painted at once.
        painted: called with the square of a tile that was painted when there was time.
    """

    def __init__(self, ground: Ground, names: Names, palette: Palette, idle: Idle) -> None:
        self.idle = idle
        self.ground = ground
        self.names = names
        self.palette = palette
        self.weather = "clear"
        self.patient = False
        self.painted: Callable[[QRectF], object] = lambda area: None
        self._kept: OrderedDict[TileKey, QPixmap] = OrderedDict()
        self._bytes = 0
        self._wanted: list[TileKey] = []
        self._begun: tuple[TileKey, Iterator[None]] | None = None  # the tile that is half painted
        self._names_of: int | None = None  # the placing of names that is under way
        self._naming: Iterator[None] = iter(())
        self.told_whole: Callable[[], None] = lambda: None  # what waits for whole ground may be painted
        self._shown: tuple[float, float, str, str] = (0.0, 0.0, "", "")  # scale, ratio, theme and weather that were last shown whole

    def take_over(self, before: TilePainter) -> None:
        """Begin with the tiles that another one has painted, if it is of the same map."""
        if before.ground is self.ground:
            self._kept, self._bytes, self._shown = OrderedDict(before._kept), before._bytes, before._shown

    # ---------------------------------------------------------------- what there is

    def key(self, column: int, row: int, scale: float, ratio: float) -> TileKey:
        """Return the key of a tile of the ground as it looks now."""
        return TileKey(column, row, scale, ratio, self.palette.name, self.weather)

    def kept(self, key: TileKey) -> QPixmap | None:
        """Return a tile if it is there."""
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
        return found

    def make(self, key: TileKey) -> QPixmap:
        """Return a tile, painted if it is missing."""
        if self.kept(key) is None:
            for _ in self._painting(key):
                pass
        return self._kept[key]

    def _keep(self, key: TileKey, made: QPixmap) -> None:
        self._kept[key] = made
        self._bytes += _size(made)
        while self._bytes > BUDGET and len(self._kept) > 1:
            self._bytes -= _size(self._kept.popitem(last=False)[1])

    def stand_ins(self, area: QRectF) -> Iterator[tuple[QRectF, QPixmap]]:
        """Yield tiles of other scales that lie in *area*, the coarse ones first."""
        scale, ratio, palette, weather = self._shown
        for coarse, of_ratio in ((self.overview_scale(ratio), ratio), (scale, ratio)):
            for column, row in squares(area, coarse):
                key = TileKey(column, row, coarse, of_ratio, palette, weather)
                found = self.kept(key)
                if found is not None:
                    yield key.area, found

    def overview_scale(self, ratio: float) -> float:
        """Return the scale at which the whole map is kept in few tiles."""
        bounds = self.ground.bounds
        return ratio * OVERVIEW / max(bounds.width(), bounds.height())

    def is_whole(self, scale: float) -> bool:
        """Say whether what is shown was painted for *scale* device pixels a scene unit in this theme, and nothing stands in."""
        return self._shown[0] == scale and self._shown[2] == self.palette.name

    def shown_whole(self, scale: float, ratio: float) -> None:
        """Remember that nothing was missing; the overview is painted now if it is not there yet."""
        if self._shown != (scale, ratio, self.palette.name, self.weather):
            self._shown = (scale, ratio, self.palette.name, self.weather)
            self.told_whole()
        if self.patient and not self.idle.has("tiles"):
            coarse = self.overview_scale(ratio)
            keys = [self.key(*at, coarse, ratio) for at in squares(self.ground.bounds, coarse)]
            if any(key not in self._kept for key in keys):
                self.want(keys, self.ground.bounds)

    # ---------------------------------------------------------------- painting

    def want(self, keys: list[TileKey], sight: QRectF) -> None:
        """Paint these tiles when there is time, then those that were wanted before and are still in *sight*, looking alike.

        What is half painted is gone on with first: while the map moves, others are wanted at each frame. Often only a part of the map
        is painted, and only that is asked for: what lies beside it would wait for ever.
        """
        new, look = set(keys), keys[0][2:]
        still = [key for key in self._wanted if key not in new and key not in self._kept and key[2:] == look and key.area.intersects(sight)]
        begun = None if self._begun is None else self._begun[0]
        self._wanted = sorted([*keys, *still], key=lambda key: key != begun)
        self.idle.replace("tiles", [*self._placing(keys[0].scale / keys[0].ratio), *(partial(self._paint, key) for key in self._wanted)])

    def _placing(self, scale: float) -> list[Job]:
        """Return the work of placing the names that tiles of a scale bear, unless it is done: it goes on though other tiles are wanted."""
        if self.names.is_placed(scale):
            return []
        if self._names_of != rung_of(scale):
            self._names_of, self._naming = rung_of(scale), self.names.placing(scale)
        return [by_steps(self._naming)]

    def _paint(self, key: TileKey) -> object:
        """Paint a tile one step further, and say whether there are more: all of it at once made a frame late."""
        if self._begun is None or self._begun[0] != key:
            self._begun = key, self._painting(key)
        if next(self._begun[1], DONE) is not DONE:
            return MORE
        self._begun = None
        self.painted(key.area)
        return None

    def _painting(self, key: TileKey) -> Iterator[None]:
        if key in self._kept:
            return
        pixmap, area = QPixmap(SIDE, SIDE), key.area
        painter = QPainter(pixmap)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.scale(key.scale, key.scale)
            painter.translate(-area.left(), -area.top())
            yield from painting(
                painter, area, self.ground, self.names, self.palette, scale=key.scale / key.ratio, weather=key.weather
            )
        finally:
            painter.end()
        pixmap.setDevicePixelRatio(key.ratio)
        self._keep(key, pixmap)


def paint_map(
    painter: QPainter, area: QRectF, ground: Ground, names: Names, palette: Palette, *, scale: float, weather: str
) -> None:
    """Paint ground, numbers and names of an area, straight as vectors."""
    for _ in painting(painter, area, ground, names, palette, scale=scale, weather=weather):
        pass


def painting(
    painter: QPainter, area: QRectF, ground: Ground, names: Names, palette: Palette, *, scale: float, weather: str
) -> Iterator[None]:
    """Paint ground, numbers and names of an area, a part each step."""
    yield from ground.painting(painter, area, palette, scale=scale, weather=weather)
    yield
    names.paint(painter, area, palette, scale=scale, roles=("region",))
    names.paint_numbers(painter, area, palette, scale=scale)
    names.paint(painter, area, palette, scale=scale, roles=("water", "town"))


def lay(painter: QPainter, ratio: float, tiles: Iterable[tuple[tuple[int, int], QPixmap]]) -> None:
    """Put tiles, by column and row, at whole device pixels, so that they meet and nothing blurs."""
    world = painter.worldTransform()
    left, top = round(world.dx() * ratio), round(world.dy() * ratio)
    painter.save()
    painter.resetTransform()  # to the widget's own pixels; where it lies in its window stays in force
    for (column, row), tile in tiles:
        painter.drawPixmap(QPointF(left + column * SIDE, top + row * SIDE) / ratio, tile)
    painter.restore()


def squares(area: QRectF, scale: float) -> list[tuple[int, int]]:
    """Return the columns and rows of the tiles that cover an area at a scale, the middle ones first."""
    if scale <= 0:
        return []
    side = SIDE / scale
    columns = range(math.floor(area.left() / side), math.floor(area.right() / side) + 1)
    rows = range(math.floor(area.top() / side), math.floor(area.bottom() / side) + 1)
    middle = area.center() / side - QPointF(0.5, 0.5)
    return sorted(
        ((column, row) for row in rows for column in columns), key=lambda at: abs(at[0] - middle.x()) + abs(at[1] - middle.y())
    )


def _size(pixmap: QPixmap) -> int:
    return pixmap.width() * pixmap.height() * 4


class GroundItem(QGraphicsItem):
    """The ground of the map, as tiles."""

    def __init__(self, tiles: TilePainter) -> None:
        super().__init__()
        self._tiles = tiles
        tiles.painted = weakly(self.show_anew)
        self.setZValue(-10)
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)  # so that it learns which part is to be painted

    def show_anew(self, area: QRectF) -> None:
        """Let a part of it be painted again: something of it is there now."""
        self.update(area)

    def boundingRect(self) -> QRectF:
        return self._tiles.ground.bounds

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        tiles, device = self._tiles, painter.device()
        ratio = device.devicePixelRatioF() if device is not None else 1.0
        world = painter.worldTransform()
        scale = round(world.m11() * ratio, 6)  # scaling in and out again leaves crumbs behind
        area: QRectF = option.exposedRect
        tiles.idle.come_to(scale)
        keys = [tiles.key(column, row, scale, ratio) for column, row in squares(area, scale)]
        there = {key: tile for key in keys if (tile := tiles.kept(key)) is not None}
        missing = [key for key in keys if key not in there]
        if missing and tiles.patient:
            painter.fillRect(area, QColor(tiles.palette.paper))
            for place, tile in tiles.stand_ins(area):
                painter.drawPixmap(place, tile, QRectF(tile.rect()))
            tiles.want(missing, area if widget is None else world.inverted()[0].mapRect(QRectF(widget.rect())))
        else:
            there |= {key: tiles.make(key) for key in missing}
            tiles.shown_whole(scale, ratio)
        lay(painter, ratio, ((key[:2], tile) for key, tile in there.items()))
