"""The ground as tiles: pixmaps of a square of the map, kept by scale, theme, weather and pixel ratio."""

from __future__ import annotations

import math
from collections import OrderedDict
from typing import NamedTuple

from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from client.map.ground import Ground
from client.map.lettering import Names
from client.map.palette import Palette
from client.qt import QPointF, QRectF, QTimer

SIDE = 512.0  # scene units: 8 hexes
BUDGET = 160 * 1024 * 1024  # bytes of pixmaps that are kept


class TileKey(NamedTuple):
    """What a tile's pixmap hangs on."""

    column: int
    row: int
    scale: int  # thousandths of device pixels a scene unit
    palette: str
    weather: str


class TilePainter:
    """Paints tiles and keeps them, the least recently used going first.

    Attributes:
        palette, weather: how the ground looks now.
        patient: a tile that is missing may be stood in for by one of another scale, and is painted when nothing else is to be done.
    """

    def __init__(self, ground: Ground, names: Names, palette: Palette) -> None:
        self.ground = ground
        self.names = names
        self.palette = palette
        self.weather = "clear"
        self.patient = False
        self._kept: OrderedDict[TileKey, QPixmap] = OrderedDict()
        self._latest: dict[tuple[int, int], TileKey] = {}
        self._waiting: dict[tuple[int, int], tuple[TileItem, float, float]] = {}
        self._bytes = 0

    def pixmap(self, column: int, row: int, device_scale: float, ratio: float) -> QPixmap:
        """Return the tile at *device_scale* device pixels a scene unit, one pixel larger than it needs to be."""
        key = TileKey(column, row, round(device_scale * 1000), self.palette.name, self.weather)
        kept = self._kept.get(key)
        if kept is not None:
            self._kept.move_to_end(key)
            return kept
        made = self._render(column, row, device_scale, ratio)
        self._kept[key] = made
        self._latest[column, row] = key
        self._bytes += _size(made)
        while self._bytes > BUDGET and len(self._kept) > 1:
            self._bytes -= _size(self._kept.popitem(last=False)[1])
        return made

    def stand_in(self, column: int, row: int, device_scale: float) -> QPixmap | None:
        """Return a tile of another scale where the right one is missing, None where it is there or nothing can stand in."""
        wanted = TileKey(column, row, round(device_scale * 1000), self.palette.name, self.weather)
        latest = self._latest.get((column, row))
        if not self.patient or wanted in self._kept or latest is None or latest[3:] != wanted[3:]:
            return None
        return self._kept.get(latest)

    def want(self, item: TileItem, place: tuple[int, int], device_scale: float, ratio: float) -> None:
        """Paint a tile later, one at a time."""
        if not self._waiting:
            QTimer.singleShot(0, self._paint_next)
        self._waiting[place] = (item, device_scale, ratio)

    def _paint_next(self) -> None:
        if not self._waiting:
            return
        place = next(iter(self._waiting))
        item, device_scale, ratio = self._waiting.pop(place)
        self.pixmap(*place, device_scale, ratio)
        item.update()
        if self._waiting:
            QTimer.singleShot(0, self._paint_next)

    def forget_waiting(self) -> None:
        """Paint none of the tiles that wait: their items go."""
        self._waiting.clear()

    def _render(self, column: int, row: int, device_scale: float, ratio: float) -> QPixmap:
        side = math.ceil(SIDE * device_scale) + 1
        pixmap = QPixmap(side, side)
        area = QRectF(column * SIDE, row * SIDE, side / device_scale, side / device_scale)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(device_scale, device_scale)
        painter.translate(-area.left(), -area.top())
        paint_map(painter, area, self.ground, self.names, self.palette, scale=device_scale / ratio, weather=self.weather)
        painter.end()
        pixmap.setDevicePixelRatio(ratio)
        return pixmap


def paint_map(
    painter: QPainter, area: QRectF, ground: Ground, names: Names, palette: Palette, *, scale: float, weather: str
) -> None:
    """Paint ground, numbers and names of an area, straight as vectors."""
    ground.paint(painter, area, palette, scale=scale, weather=weather)
    names.paint_numbers(painter, area, palette, scale=scale)
    names.paint(painter, area, palette, scale=scale)


def _size(pixmap: QPixmap) -> int:
    return pixmap.width() * pixmap.height() * 4


class TileItem(QGraphicsItem):
    """One square of the ground."""

    def __init__(self, tiles: TilePainter, column: int, row: int) -> None:
        super().__init__()
        self._tiles = tiles
        self._column, self._row = column, row
        self._rect = QRectF(column * SIDE, row * SIDE, SIDE, SIDE)
        self.setZValue(-10)

    def boundingRect(self) -> QRectF:
        return self._rect

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Put the pixmap at whole device pixels, so that neighbours meet and nothing blurs."""
        device = painter.device()
        ratio = device.devicePixelRatioF() if device is not None else 1.0
        world = painter.worldTransform()
        scale = world.m11() * ratio
        stand_in = self._tiles.stand_in(self._column, self._row, scale)
        if stand_in is not None:
            self._tiles.want(self, (self._column, self._row), scale, ratio)
            share = stand_in.width() - 1  # the last pixel reaches over the tile's edge
            painter.drawPixmap(self._rect, stand_in, QRectF(0, 0, share, share))
            return
        pixmap = self._tiles.pixmap(self._column, self._row, scale, ratio)
        corner = world.map(self._rect.topLeft())
        painter.save()
        painter.resetTransform()  # to the widget's own pixels; where it lies in its window stays in force
        painter.drawPixmap(QPointF(round(corner.x() * ratio) / ratio, round(corner.y() * ratio) / ratio), pixmap)
        painter.restore()


def tile_items(tiles: TilePainter) -> list[TileItem]:
    """Return the items that cover the ground."""
    bounds = tiles.ground.bounds
    columns = range(math.floor(bounds.left() / SIDE), math.floor(bounds.right() / SIDE) + 1)
    rows = range(math.floor(bounds.top() / SIDE), math.floor(bounds.bottom() / SIDE) + 1)
    return [TileItem(tiles, column, row) for row in rows for column in columns]
