"""Draw a position as PNG or SVG without a window."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal

from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter

from client import fonts
from client.map.counters import art_of, nations_in, paint_counter, text_at
from client.map.geometry import HEX, Geometry
from client.map.ground import Ground, ground_of
from client.map.items import stack_offset
from client.map.lettering import names_of
from client.map.levels import Level, level_at
from client.map.palette import LIGHT, PALETTES, Palette, side_colour, text_on
from client.map.pens import pen
from client.map.tiles import paint_map
from client.qt import QBuffer, QByteArray, QIODevice, QPointF, QRectF, QSize, QSizeF
from client.session.stacks import stacked
from client.writing import write_whole
from core.board import Board, Hex
from core.errors import BadInput
from core.pack import Lettering, Manifest
from core.views import View

WIDTH = 1400
CROWD = 6  # hexes, within which counters count as being in one place

Draw = Callable[[QPainter], None]
Kind = Literal["png", "svg"]


def need_application() -> QGuiApplication:
    """Return the running application, or make one that needs no display."""
    running = QGuiApplication.instance()
    if isinstance(running, QGuiApplication):
        return running
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")) and sys.platform.startswith("linux"):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    return QGuiApplication(["rasputitsa"])


def render_position(
    view: View,
    lettering: Iterable[Lettering],
    path: Path | str,
    width: int = WIDTH,
    *,
    manifest: Manifest | None = None,
    region: tuple[Hex, Hex] | QSizeF | None = None,
    palette: Palette = LIGHT,
) -> None:
    """Draw a position to a file, as `drawn_position` does.

    Raises:
        OSError: the file can't be written; nothing is left of it.
    """
    write_whole(
        Path(path), drawn_position(view, lettering, kind_of(Path(path)), width, manifest=manifest, region=region, palette=palette)
    )


def crowded_area(view: View, ground: Ground, size: QSizeF) -> QRectF:
    """Return the part of a map, so many of its units large, where most counters lie; it ends where the map does."""
    inside = ground.bounds.adjusted(16, 16, -16, -16)
    area = QRectF(0, 0, size.width(), size.height())
    occupied = view.position.occupied()
    if occupied:
        area.moveCenter(QPointF(*ground.geometry.centre(ground.geometry.thickest(occupied, CROWD))))
    area.moveLeft(min(max(area.left(), inside.left()), max(inside.left(), inside.right() - area.width())))
    area.moveTop(min(max(area.top(), inside.top()), max(inside.top(), inside.bottom() - area.height())))
    return area


def kind_of(path: Path) -> Kind:
    """Return what a picture's file holds: SVG if its name ends so, else PNG."""
    return "svg" if path.suffix.lower() == ".svg" else "png"


def drawn_position(
    view: View,
    lettering: Iterable[Lettering],
    kind: Kind,
    width: int = WIDTH,
    *,
    manifest: Manifest | None = None,
    region: tuple[Hex, Hex] | QSizeF | None = None,
    palette: Palette = LIGHT,
) -> bytes:
    """Return a position as a picture; any thread may draw one.

    Args:
        lettering: names on the map, from `Pack.lettering`.
        width: in pixels; the height follows.
        manifest: brings the colours of sides and nations; without it counters are plain.
        region: two opposite corners of what is drawn, or its size in units of the map: then where most counters lie; the whole map by
            default.
    """
    kept = need_application()
    fonts.load()
    ground = ground_of(view.board)
    geometry, names = ground.geometry, names_of(view.board, tuple(lettering))
    if isinstance(region, QSizeF):
        area = crowded_area(view, ground, region)
    else:
        area = ground.bounds if region is None else _between(geometry, region)
    scale = width / area.width()
    size = QSize(width, max(1, round(area.height() * scale)))

    def draw(painter: QPainter) -> None:
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        painter.scale(scale, scale)
        painter.translate(-area.left(), -area.top())
        weather = view.ruleset.weather(view, view.position.turn)
        paint_map(painter, area, ground, names, palette, scale=scale, weather=weather)
        paint_counters(painter, view, geometry, manifest, palette, scale=scale)

    content = (_to_svg if kind == "svg" else _to_png)(size, draw)
    del kept
    return content


def _to_png(size: QSize, draw: Draw) -> bytes:
    image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
    if image.isNull():
        raise BadInput.one("width", "a picture that there is memory for", f"{size.width()} x {size.height()} pixels")
    painter = QPainter(image)
    draw(painter)
    painter.end()
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    written = image.save(buffer, "PNG")  # type: ignore[call-overload]
    assert written, "Qt can't write PNG to memory"
    return bytes(content.data())


def _to_svg(size: QSize, draw: Draw) -> bytes:
    from PySide6.QtSvg import QSvgGenerator

    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(size)
    generator.setViewBox(QRectF(0, 0, size.width(), size.height()))
    painter = QPainter()
    begun = painter.begin(generator)
    assert begun, "Qt can't write SVG to memory"
    draw(painter)
    painter.end()
    return bytes(content.data())


def area_between(board: Board, region: tuple[Hex, Hex]) -> QRectF:
    """Return the part of a board's map that holds two hexes and all between them."""
    return _between(ground_of(board).geometry, region)


def _between(geometry: Geometry, region: tuple[Hex, Hex]) -> QRectF:
    """Return the rectangle that holds two hexes and all between them."""
    a, b = (geometry.centre(here) for here in region)
    left, right = min(a.x, b.x) - HEX * 0.7, max(a.x, b.x) + HEX * 0.7
    top, bottom = min(a.y, b.y) - HEX * 0.7, max(a.y, b.y) + HEX * 0.7
    return QRectF(left, top, right - left, bottom - top)


def paint_counters(
    painter: QPainter, view: View, geometry: Geometry, manifest: Manifest | None, palette: Palette, *, scale: float
) -> None:
    """Paint every stack as the map shows it at a scale."""
    nations = nations_in(palette, manifest) if manifest is not None else {}
    colours = manifest.side_colours if manifest is not None else {}
    level = level_at(scale)
    for here in view.position.occupied():
        units, centre = stacked(view, here), geometry.centre(here)
        if level == Level.FAR:
            colour = side_colour(palette, view.setting.sides, colours, view.side(units[-1].id))
            steps = sum(view.look(unit.id).steps for unit in units)
            painter.setPen(pen(palette.ink, 1.5))
            painter.setBrush(QColor(colour))
            painter.drawRoundedRect(QRectF(centre.x - 24, centre.y - 18, 48, 36), 6, 6)
            text_at(painter, str(steps), QPointF(centre.x, centre.y), 30, QColor(text_on(colour)), widest=42)
            continue
        for index, unit in enumerate(units):
            offset = stack_offset(index, len(units))
            painter.save()
            painter.translate(centre.x + offset.x(), centre.y + offset.y())
            paint_counter(painter, art_of(view, unit.id, nations), palette, level)
            painter.restore()


def palette_named(name: str) -> Palette:
    """Return a theme by its name; BadInput if there is none."""
    if name not in PALETTES:
        raise BadInput.one("theme", "one of " + ", ".join(PALETTES), name)
    return PALETTES[name]
