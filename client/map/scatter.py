"""Points that neither clump nor line up: a seeded Poisson-disc pattern on a torus, laid over the plane again and again.

The same seed gives the same points on every machine, so that glyphs never jump between redraws.
"""

from __future__ import annotations

import math
import random
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

PERIOD = 512.0
TRIES = 14  # candidates a point; more fill the last gaps, which nobody sees


class Spot(NamedTuple):
    """A point of the pattern, and a number 0 … 1 of its own to vary its glyph by."""

    x: float
    y: float
    chance: float


@cache
def pattern(distance: float, seed: int = 1) -> tuple[Spot, ...]:
    """Return points in a square of PERIOD, at least *distance* apart also across its edges."""
    dice = random.Random(seed)
    cells = math.floor(PERIOD / (distance / math.sqrt(2)))
    cell = PERIOD / cells
    grid: dict[tuple[int, int], tuple[float, float]] = {}

    def is_free(x: float, y: float) -> bool:
        column, row = int(x / cell), int(y / cell)
        for dc in range(-2, 3):
            for dr in range(-2, 3):
                other = grid.get(((column + dc) % cells, (row + dr) % cells))
                if other is None:
                    continue
                dx, dy = abs(other[0] - x), abs(other[1] - y)
                dx, dy = min(dx, PERIOD - dx), min(dy, PERIOD - dy)
                if dx * dx + dy * dy < distance * distance:
                    return False
        return True

    def put(x: float, y: float) -> None:
        grid[int(x / cell) % cells, int(y / cell) % cells] = (x, y)
        active.append((x, y))
        found.append(Spot(x, y, dice.random()))

    active: list[tuple[float, float]] = []
    found: list[Spot] = []
    put(dice.random() * PERIOD, dice.random() * PERIOD)
    while active:
        index = dice.randrange(len(active))
        x, y = active[index]
        for _ in range(TRIES):
            angle, away = dice.random() * math.tau, distance * (1 + dice.random())
            there = ((x + away * math.cos(angle)) % PERIOD, (y + away * math.sin(angle)) % PERIOD)
            if is_free(*there):
                put(*there)
                break
        else:
            active[index] = active[-1]
            active.pop()
    return tuple(found)


def spots(bounds: tuple[float, float, float, float], distance: float, seed: int = 1) -> NDArray[np.float64]:
    """Return the pattern's points within *bounds* (left, top, right, bottom): each a row of x, y and chance."""
    left, top, right, bottom = bounds
    once = np.array(pattern(distance, seed))
    found = [np.empty((0, 3))]
    for column in range(math.floor(left / PERIOD), math.floor(right / PERIOD) + 1):
        for row in range(math.floor(top / PERIOD), math.floor(bottom / PERIOD) + 1):
            x, y = once[:, 0] + column * PERIOD, once[:, 1] + row * PERIOD
            # The chance turns with the square, so that the repeats differ in their glyphs.
            chance = (once[:, 2] + 0.377 * column + 0.611 * row) % 1.0
            is_within = (left <= x) & (x <= right) & (top <= y) & (y <= bottom)
            found.append(np.column_stack((x, y, chance))[is_within])
    return np.concatenate(found)


def noise(*key: int) -> float:
    """Return a number -1 … 1 that hangs on *key* alone."""
    h = 0x9E3779B9
    for part in key:
        h = (h ^ (part & 0xFFFFFFFF)) * 0x85EBCA6B & 0xFFFFFFFF
        h ^= h >> 13
    h = h * 0xC2B2AE35 & 0xFFFFFFFF
    h ^= h >> 16
    return h / 0x7FFFFFFF - 1.0
