"""Levels of detail, by how many pixels a hex is wide between its flat sides."""

from __future__ import annotations

from enum import IntEnum

from client.map.geometry import HEX


class Level(IntEnum):
    """How much is shown; each level shows all that the ones below it show."""

    FAR = 0  # regions, coasts, major rivers, stacks as blocks
    MID = 1  # terrain, rivers, rails, cities, counters' symbols
    NEAR = 2  # names, counters' values
    CLOSE = 3  # hex numbers, steps, everything


STARTS = ((90.0, Level.CLOSE), (44.0, Level.NEAR), (22.0, Level.MID))


def level_at(scale: float) -> Level:
    """Return the level at *scale* logical pixels a scene unit.

    >>> level_at(1.0).name
    'NEAR'
    """
    width = scale * HEX
    for start, level in STARTS:
        if width >= start:
            return level
    return Level.FAR
