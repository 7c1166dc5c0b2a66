"""The true geography of a section as SVG, on the plane of its hexes: to be laid beside the map and compared by eye."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

import numpy as np
import shapely

from mapmaker.build import Built
from mapmaker.grid import Floats
from mapmaker.ground import to_plane
from mapmaker.picture import FILL, INK, RAIL, SIDE_STYLE, UNIT, frame, svg
from mapmaker.rails import degrees
from mapmaker.sources import River
from mapmaker.tables import Tables

AREA_FILL = {
    "woods": "forest", "forest_swamp": "swamp", "swamp": "swamp", "mountain": "mountain", "rough": "rough", "tundra": "tundra",
}  # fmt: skip
BORDER = SIDE_STYLE["border"][0]
DAY = "1941-06-21"


def beside(built: Built, tables: Tables) -> str:
    """Return a picture of the hexes with the true geography of the same ground to their right."""
    low, high = frame(built.grid, tables)
    width, height = (high - low) * UNIT
    left, top = low * UNIT
    hexes = svg(built, tables, geography=False)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {2 * width:.0f} {height:.0f}" font-family="sans-serif">',
            f'<g transform="translate({-left:.1f} {-top:.1f})">',
            *hexes.splitlines()[1:-1],
            "</g>",
            f'<g transform="translate({width - left:.1f} {-top:.1f})">',
            f'<rect x="{left:.0f}" y="{top:.0f}" width="{width:.0f}" height="{height:.0f}" fill="{FILL["sea"]}"/>',
            *_ground(built, shapely.box(*low, *high)),
            *_lines(built, shapely.box(*low, *high)),
            *_towns(built, shapely.box(*low, *high)),
            "</g>",
            "</svg>\n",
        ]
    )


def _ground(built: Built, window: shapely.Geometry) -> Iterator[str]:
    """Yield land, areas of terrain and lakes."""
    grid, geography = built.grid, built.geography
    land = shapely.intersection(to_plane(grid, geography.land), window)
    yield _area(land, FILL["clear"])
    for area in geography.areas:
        if area.kind in AREA_FILL:
            shape = shapely.intersection(to_plane(grid, area.shape), land)
            yield _area(shape, FILL[AREA_FILL[area.kind]], opacity=0.25 + 0.75 * area.density)
    yield _area(shapely.intersection(to_plane(grid, geography.lakes), window), FILL["lake"], edge=SIDE_STYLE["lake"][0])


def _lines(built: Built, window: shapely.Geometry) -> Iterator[str]:
    """Yield rivers, railways and the borders of June 1941."""
    grid, geography = built.grid, built.geography
    for river in geography.rivers:
        for major, lon, lat in _reaches(river):
            colour, thick, _ = SIDE_STYLE["major_river" if major else "minor_river"]
            yield from _line(grid.forward(lon, lat), window, colour, thick / 1.5)
    for railway in geography.railways:
        points = grid.forward(*degrees(railway.stations))
        for i in range(1, len(points)):
            yield from _line(points[i - 1 : i + 1], window, RAIL, 2.0, dash="7 4" if railway.stations[i].opened else "")
    for border in geography.borders:
        if border.kind == "state" and border.valid_from <= DAY <= (border.valid_to or DAY):
            for part in shapely.get_parts(to_plane(grid, border.shape)):
                yield from _line(shapely.get_coordinates(part), window, BORDER, 2.0, dash="10 4 2 4")


def _reaches(river: River) -> Iterator[tuple[bool, Floats, Floats]]:
    """Yield a river's stretches of one class each."""
    start = 0
    for end in range(1, len(river.major) + 1):
        if end == len(river.major) or river.major[end] != river.major[start]:
            yield river.major[start], river.lon[start : end + 1], river.lat[start : end + 1]
            start = end


def _towns(built: Built, window: shapely.Geometry) -> Iterator[str]:
    for name, (x, y) in built.draft.town_points.items():
        if window.contains(shapely.Point(x, y)):
            yield f'<circle cx="{x * UNIT:.1f}" cy="{y * UNIT:.1f}" r="6" fill="{INK}"/>'
            yield f'<text x="{x * UNIT + 9:.1f}" y="{y * UNIT + 5:.1f}" font-size="14" fill="{INK}">{escape(name)}</text>'


def _line(xy: Floats, window: shapely.Geometry, colour: str, thick: float, *, dash: str = "") -> Iterator[str]:
    if len(xy) < 2:
        return
    for part in shapely.get_parts(shapely.intersection(shapely.LineString(xy), window)):
        points = _points(shapely.get_coordinates(part))
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{thick:.1f}"{dashes}/>'


def _area(shape: shapely.Geometry, fill: str, *, opacity: float = 1.0, edge: str = "none") -> str:
    rings = [ring for part in shapely.get_parts(shape) if part.geom_type == "Polygon" for ring in (part.exterior, *part.interiors)]
    path = " ".join(f"M {_points(np.asarray(ring.coords))} Z" for ring in rings)
    return f'<path d="{path}" fill="{fill}" fill-opacity="{opacity:.2f}" fill-rule="evenodd" stroke="{edge}"/>'


def _points(xy: Floats) -> str:
    return " ".join(f"{x * UNIT:.1f},{y * UNIT:.1f}" for x, y in xy)
