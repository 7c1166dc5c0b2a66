"""On which bank of a river a place lies: by its true course, or by its course along hexsides."""

from __future__ import annotations

import numpy as np

from mapmaker.grid import Floats


def bank(points: Floats, place: Floats) -> float:
    """Return +1 or -1: which side of a polyline a point lies on (the sign of the turn from the line to it)."""
    nearest, _, gap = _foot(points, place)
    step = points[nearest + 1] - points[nearest]
    return 1.0 if step[0] * gap[1] - step[1] * gap[0] > 0 else -1.0


def beside(points: Floats, place: Floats) -> bool:
    """Say whether a place lies beside a polyline: not beyond its ends, where a river has no banks."""
    nearest, along, _ = _foot(points, place)
    return (nearest > 0 or along > 0.0) and (nearest < len(points) - 2 or along < 1.0)


def _foot(points: Floats, place: Floats) -> tuple[int, float, Floats]:
    """Return the piece of a polyline that is nearest to a point, how much of it lies before the foot, and the way from there."""
    start, step = points[:-1], np.diff(points, axis=0)
    length = np.maximum((step**2).sum(1), 1e-12)
    along = np.clip(((place - start) * step).sum(1) / length, 0, 1)
    away = place - (start + along[:, None] * step)
    nearest = int((away**2).sum(1).argmin())
    return nearest, float(along[nearest]), away[nearest]
