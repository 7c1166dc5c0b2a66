"""Lettering: where on the map each name stands, and along which angle."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np

from mapmaker.draft import Draft
from mapmaker.grid import Floats
from mapmaker.sources import Lettering, Place
from mapmaker.tables import NameRow

RIVER_NAME_EVERY = 9.0  # hexes of river between two of its names
LETTER = 0.17  # width of a river's letter, in hexes
OFF_LINE = 0.17  # a river's name stands this far beside it


def letter(draft: Draft, places: Iterable[Place], lettering: Iterable[Lettering]) -> list[NameRow]:
    """Return all names of the lattice, in a fixed order."""
    rows = [*_towns(draft, places), *_rivers(draft), *_areas(draft, lettering)]
    return sorted(rows, key=lambda row: (row.kind, row.name, row.y, row.x))


def _row(kind: str, name: str, point: Floats | tuple[float, float], angle: float, size: int) -> NameRow:
    return NameRow(kind, name, f"{point[0]:.2f}", f"{point[1]:.2f}", f"{angle:.0f}", str(size), "")


def _towns(draft: Draft, places: Iterable[Place]) -> Iterator[NameRow]:
    sizes = {place.name: place.size for place in places}
    for spot, here in draft.hexes.items():
        if here.name:
            yield _row("city", here.name, draft.lattice.grid.centre(spot), 0, sizes.get(here.name, 1))


def _areas(draft: Draft, lettering: Iterable[Lettering]) -> Iterator[NameRow]:
    grid = draft.lattice.grid
    for text in lettering:
        start, end = grid.point(text.lon, text.lat), grid.point(text.to_lon, text.to_lat)
        middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        yield _row(text.kind, text.name, middle, _angle(start, end), text.size)


def _rivers(draft: Draft) -> Iterator[NameRow]:
    for course in draft.courses:
        dry = [not draft.is_wet(side) for side in course.sides]
        points = draft.lattice.corner_xy[list(course.corners)]
        smooth = (points[:-1] + points[1:]) / 2
        steps = max(3, round(len(course.name) * LETTER * math.sqrt(3)))
        count = max(1, round(len(smooth) / math.sqrt(3) / RIVER_NAME_EVERY))
        for part in np.array_split(np.arange(len(smooth)), count):
            windows = [i for i in part[: max(0, len(part) - steps)] if all(dry[i : i + steps + 1])]
            if not windows:
                continue
            best = max(windows, key=lambda i: float(np.hypot(*(smooth[i + steps] - smooth[i]))))
            yield _beside(course.name, smooth[best : best + steps + 1], 2 if "major_river" in course.kinds else 1)


def _beside(name: str, points: Floats, size: int) -> NameRow:
    """Return a name above the run of a river."""
    angle = _angle(tuple(points[0]), tuple(points[-1]))
    up = np.array([math.sin(math.radians(angle)), -math.cos(math.radians(angle))])
    return _row("river", name, points.mean(0) + OFF_LINE * up, angle, size)


def _angle(start: tuple[float, ...], end: tuple[float, ...]) -> float:
    """Return the angle of a line in degrees, clockwise, so that a name along it is never upside down."""
    angle = math.degrees(math.atan2(end[1] - start[1], end[0] - start[0]))
    if angle > 90:
        return angle - 180
    return angle + 180 if angle <= -90 else angle
