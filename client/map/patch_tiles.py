"""What an overlay draws as tiles: squares of device pixels like those of the ground, each painted once a scale, when there is time.

To fill, hatch and stroke all of a large overlay takes four frames' time, and whatever moves on the map would have it done anew.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from functools import partial
from typing import Generic, NamedTuple, Protocol, TypeVar
from weakref import ref

from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QGraphicsItem, QWidget

from client.map.idle import Idle
from client.map.patches import Inks
from client.map.tiles import SIDE, lay, squares
from client.qt import QRectF, Qt

Spot = tuple[int, int]  # column and row, counted in tiles from the scene's origin


class Look(NamedTuple):
    """What all tiles hang on that are shown together: device pixels a scene unit and a pixel, and the colours."""

    scale: float
    ratio: float
    inks: Inks

    def area(self, spot: Spot) -> QRectF:
        """Return a tile's square in scene units."""
        side = SIDE / self.scale
        return QRectF(spot[0] * side, spot[1] * side, side, side)


C = TypeVar("C", bound=tuple[object, ...])


class Drawing(Protocol[C]):
    """What is drawn."""

    def near(self, area: QRectF) -> C:
        """Return what is to be drawn in an area: all parts empty if nothing is, and equal where it looks alike."""

    def draw(self, painter: QPainter, content: C, inks: Inks, scale: float) -> None:
        """Paint that, at so many logical pixels a scene unit."""


class Tile(NamedTuple, Generic[C]):
    """A painted tile, and what is on it."""

    content: C
    pixmap: QPixmap


class PatchTiles(Generic[C]):
    """Paints what an overlay draws and keeps it, the least recently painted tiles going first.

    What is missing is stood in for by what was shown before: of another scale, or before the last order.

    Attributes:
        idle: paints tiles that are missing when there is time; None: all is painted straight.
    """

    def __init__(self, drawing: Drawing[C], item: QGraphicsItem) -> None:
        self._drawing, self._item = drawing, ref(item)  # which has these tiles
        self.idle: Idle | None = None
        self._look = Look(0.0, 0.0, Inks("", "", ""))
        self._kept: OrderedDict[Spot, Tile[C]] = OrderedDict()
        self._before: tuple[Look, Mapping[Spot, Tile[C]]] = self._look, {}
        self._content: dict[Spot, C] = {}  # by tile, at the scale of now
        self._wanted: list[Spot] = []

    def take_over(self, before: PatchTiles[C]) -> None:
        """Begin with the tiles of the same overlay as it was: most of them often look the same."""
        self._look, self._kept, self._before = before._look, OrderedDict(before._kept), before._before

    def show(self) -> None:
        """Show what there is to be drawn now."""
        self._content.clear()

    def stop(self) -> None:
        """Paint nothing any more."""
        if self.idle is not None:
            self.idle.replace(self._group, ())

    @property
    def _group(self) -> str:
        return f"patches {id(self)}"

    def paint(self, painter: QPainter, exposed: QRectF, widget: QWidget | None, inks: Inks) -> None:
        """Paint what lies in a part of the map; straight as vectors where it is no window that is painted."""
        if self.idle is None or widget is None:
            self._drawing.draw(painter, self._drawing.near(exposed), inks, painter.worldTransform().m11())
            return
        world, ratio = painter.worldTransform(), widget.devicePixelRatioF()
        self._come_to(Look(round(world.m11() * ratio, 6), ratio, inks))
        spots = [spot for spot in squares(exposed, self._look.scale) if any(self._on(spot))]
        missing = [spot for spot in spots if not self._is_whole(spot)]
        for spot in missing:
            if spot not in self._kept:
                self._stand_in(painter, self._look.area(spot))
        lay(painter, ratio, ((spot, self._kept[spot].pixmap) for spot in spots if spot in self._kept))
        if missing:
            self._want(self.idle, missing, world.inverted()[0].mapRect(QRectF(widget.rect())))

    def _come_to(self, look: Look) -> None:
        """Take another look, if it is one; what was painted for the one before stands in."""
        if look == self._look:
            return
        if self._kept:
            self._before = self._look, self._kept
        self._look, self._kept, self._wanted = look, OrderedDict(), []
        self._content.clear()

    def _on(self, spot: Spot) -> C:
        """Return what is on a tile."""
        if spot not in self._content:
            self._content[spot] = self._drawing.near(self._look.area(spot))
        return self._content[spot]

    def _is_whole(self, spot: Spot) -> bool:
        return spot in self._kept and self._kept[spot].content == self._on(spot)

    def _stand_in(self, painter: QPainter, area: QRectF) -> None:
        look, kept = self._before
        if not kept:
            return
        painter.save()
        painter.setClipRect(area, Qt.ClipOperation.IntersectClip)
        for spot in squares(area, look.scale):
            if spot in kept:
                painter.drawPixmap(look.area(spot), kept[spot].pixmap, QRectF(kept[spot].pixmap.rect()))
        painter.restore()

    def _want(self, idle: Idle, missing: list[Spot], sight: QRectF) -> None:
        """Paint these tiles when there is time, and those that were wanted before and are still in *sight*."""
        new = set(missing)
        still = [one for one in self._wanted if one not in new and not self._is_whole(one) and self._look.area(one).intersects(sight)]
        self._wanted = [*missing, *still]
        most = 2 * len(squares(sight, self._look.scale))  # that are kept: those in sight must be among them
        idle.replace(self._group, [partial(self._make, self._look, spot, most) for spot in self._wanted])

    def _make(self, look: Look, spot: Spot, most: int) -> None:
        if look != self._look or self._is_whole(spot):
            return
        pixmap, area = QPixmap(SIDE, SIDE), look.area(spot)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(look.scale, look.scale)
        painter.translate(-area.left(), -area.top())
        self._drawing.draw(painter, self._on(spot), look.inks, look.scale / look.ratio)
        painter.end()
        pixmap.setDevicePixelRatio(look.ratio)
        self._kept[spot] = Tile(self._on(spot), pixmap)
        self._kept.move_to_end(spot)
        while len(self._kept) > most:
            self._kept.popitem(last=False)
        item = self._item()
        if item is not None:
            item.update(area)
