"""A map section as SVG, as its tables have it, with the true coasts and rivers as thin lines over it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

import numpy as np
import shapely

from mapmaker.build import Built
from mapmaker.grid import Floats, Grid
from mapmaker.ground import to_plane
from mapmaker.lattice import hexside_ends
from mapmaker.tables import Tables

UNIT = 64  # pixels a hex between flat sides
FILL = {
    "clear": "#EAE3D0", "forest": "#BFCB9F", "swamp": "#C4D2C0", "mountain": "#CDBB9D", "tundra": "#DDE3DC",
    "rough": "#DACDB0", "sea": "#A8C4D6", "lake": "#B7CFDD",
}  # fmt: skip
SIDE_STYLE = {
    "minor_river": ("#5D8DB5", 3.0, ""), "major_river": ("#3C6C9E", 6.0, ""), "sea": ("#2F5F80", 2.0, ""),
    "lake": ("#2F5F80", 2.0, ""), "ice_road": ("#B3261E", 4.0, "4 4"), "strait": ("#3C6C9E", 6.0, "8 4"),
    "causeway": ("#8C7B6B", 5.0, "3 3"), "border": ("#9A3B3B", 2.0, "10 4 2 4"),
}  # fmt: skip
INK = "#2B2620"
RAIL = "#4A4440"
TRUTH = "#B02E8C"  # what geography really looks like
CITY = {"": ("#8C7B6B", 3.0), "minor": ("#8C7B6B", 9.0), "major": ("#54473D", 14.0)}
NAME_COLOUR = {"river": "#2F5F80", "sea": "#2F5F80", "lake": "#2F5F80", "region": "#8A7A60", "mountains": "#6B5233"}


def svg(built: Built, tables: Tables, *, geography: bool = True) -> str:
    """Return a section's picture; *geography* lays the true coasts and rivers over it."""
    grid = built.grid
    low, high = frame(grid, tables)
    width, height = (high - low) * UNIT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="{low[0] * UNIT:.0f} {low[1] * UNIT:.0f} {width:.0f} {height:.0f}" font-family="sans-serif">',
        f'<rect x="{low[0] * UNIT:.0f}" y="{low[1] * UNIT:.0f}" width="{width:.0f}" height="{height:.0f}" fill="#CFC6B2"/>',
        *_hexes(built, tables),
        *_sides(grid, tables),
        *_rails(grid, tables),
        *(_truth(built, low, high) if geography else ()),
        *_cities(grid, tables),
        *_names(tables),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def frame(grid: Grid, tables: Tables) -> tuple[Floats, Floats]:
    """Return the upper left and the lower right corner of a section's picture, in the plane."""
    centres = np.array([grid.centre(grid.spot(row.hex)) for row in tables.hexes])
    return centres.min(0) - 1, centres.max(0) + 1


def _points(xy: Floats | Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x * UNIT:.1f},{y * UNIT:.1f}" for x, y in xy)


def _hexes(built: Built, tables: Tables) -> Iterator[str]:
    for row in tables.hexes:
        spot = built.grid.spot(row.hex)
        outline = built.draft.lattice.outline(spot)
        yield f'<polygon points="{_points(outline)}" fill="{FILL[row.terrain]}" stroke="{INK}" stroke-opacity="0.16"/>'
    for row in tables.hexes:
        x, y = built.grid.centre(built.grid.spot(row.hex))
        yield _text(x, y - 0.36, row.hex, size=9, colour=INK, extra='fill-opacity="0.55"')


def _sides(grid: Grid, tables: Tables) -> Iterator[str]:
    for row in tables.sides:
        colour, thick, dash = SIDE_STYLE[row.kind]
        ends = hexside_ends(grid.centre(grid.spot(row.hex)), grid.centre(grid.spot(row.other)))
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        yield (
            f'<polyline points="{_points(ends)}" fill="none" stroke="{colour}" stroke-width="{thick}" '
            f'stroke-linecap="round"{dashes}/>'
        )


def _rails(grid: Grid, tables: Tables) -> Iterator[str]:
    for row in tables.rails:
        ends = (grid.centre(grid.spot(row.hex)), grid.centre(grid.spot(row.other)))
        dash = ' stroke-dasharray="7 4"' if row.opened else ""
        yield f'<polyline points="{_points(ends)}" fill="none" stroke="{RAIL}" stroke-width="2.4"{dash}/>'


def _truth(built: Built, low: Floats, high: Floats) -> Iterator[str]:
    """Yield the true coasts, rivers and towns."""
    window = shapely.box(*low, *high)
    grid = built.grid
    for shape in (built.geography.land, built.geography.lakes):
        coast = shapely.intersection(shapely.boundary(to_plane(grid, shape)), window)
        yield from _lines(coast, 1.2)
    for river in built.geography.rivers:
        line = shapely.LineString(grid.forward(river.lon, river.lat))
        yield from _lines(shapely.intersection(line, window), 0.9)
    for name, (x, y) in built.draft.town_points.items():
        if window.contains(shapely.Point(x, y)):
            yield f'<circle cx="{x * UNIT:.1f}" cy="{y * UNIT:.1f}" r="3" fill="{TRUTH}"><title>{escape(name)}</title></circle>'


def _lines(shape: shapely.Geometry, thick: float) -> Iterator[str]:
    for part in shapely.get_parts(shapely.get_parts(shape)):
        xy = shapely.get_coordinates(part)
        if len(xy) > 1:
            yield f'<polyline points="{_points(xy)}" fill="none" stroke="{TRUTH}" stroke-width="{thick}"/>'


def _cities(grid: Grid, tables: Tables) -> Iterator[str]:
    for row in tables.hexes:
        if not row.name:
            continue
        x, y = grid.centre(grid.spot(row.hex))
        colour, half = CITY[row.city]
        yield (
            f'<rect x="{x * UNIT - half:.1f}" y="{y * UNIT - half:.1f}" width="{2 * half}" height="{2 * half}" '
            f'fill="{colour}" stroke="{INK}"/>'
        )
        if row.port:
            yield _text(x + 0.3, y + 0.1, "⚓", size=15, colour="#2F5F80")


def _names(tables: Tables) -> Iterator[str]:
    for row in tables.names:
        x, y, size = float(row.x), float(row.y), int(row.size)
        if row.kind == "city":
            yield _text(x, y + 0.34, row.name, size=9 + 2 * size, colour=INK, extra='font-weight="600"')
        else:
            spin = f'transform="rotate({row.angle} {x * UNIT:.1f} {y * UNIT:.1f})" font-style="italic"'
            large = {"river": 9 + 2 * size, "lake": 12 + 3 * size}.get(row.kind, 14 + 7 * size)
            yield _text(x, y, row.name, size=large, colour=NAME_COLOUR[row.kind], extra=spin)


def _text(x: float, y: float, text: str, *, size: float, colour: str, extra: str = "") -> str:
    return (
        f'<text x="{x * UNIT:.1f}" y="{y * UNIT:.1f}" font-size="{size}" fill="{colour}" text-anchor="middle" '
        f"{extra}>{escape(text)}</text>"
    )
