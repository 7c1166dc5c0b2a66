"""Boards and positions to measure on: generated ones of any size, and the largest map of the project."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import numpy as np
import numpy.typing as npt

from core import pack
from core_ext.grid import FORBIDDEN, Bytes, Grid, Ints, Shorts
from rasputitsa.packs import load_pack

Whole = npt.NDArray[np.int64]

MP = 4          # quarter points
HEX = 2         # half hexes
SUPPLY_LIMIT = 6 * HEX
LEAVE_ZONE = 3 * MP


@dataclass(frozen=True)
class Ground:
    """A board and what it costs to cross it.

    Attributes:
        move: int16[6 * size], quarter points by hexside.
        line: int16[6 * size], half hexes by hexside.
        passes: uint8[6 * size], 1 where zones of control cross.
        land: bool[size], where units can stand.
        east: bool[size], the half of the board that one of the sides holds.
    """

    name: str
    grid: Grid
    move: Shorts
    line: Shorts
    passes: Bytes
    land: npt.NDArray[np.bool_]
    east: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Side:
    """Where one side's units stand, and from where it is supplied."""

    units: Ints
    sources: Ints


@dataclass(frozen=True)
class Scene:
    """Two sides on a ground."""

    ground: Ground
    sides: tuple[Side, Side]


CLEAR, FOREST, SWAMP, MOUNTAIN, SEA = range(5)
DRY, MINOR, MAJOR, LAKE = range(4)
MOVE_MP = np.array([1, 2, 3, 3, FORBIDDEN // MP + 1])
MOVE_RIVER_MP = np.array([0, 1, 2, FORBIDDEN // MP + 1])
LINE_HEXES = np.array([1, 1, 2, 1, FORBIDDEN // HEX + 1])


def rectangle(size: int, *, seed: int = 1) -> Ground:
    """Generate a board of about *size* hexes: six in ten clear, the rest forest, swamp and mountain; rivers, lakes, railways."""
    random = np.random.default_rng(seed)
    columns = round((size * 1.4) ** 0.5)
    rows = round(size / columns)
    row, column = np.divmod(np.arange(rows * columns), columns)
    grid = Grid(_rows_of(rows, columns))
    terrain = random.choice(4, grid.size, p=[0.6, 0.2, 0.12, 0.08])
    on_line = (row % 8 == 4) | (column % 12 == 6)
    here, there = np.repeat(np.arange(grid.size), 6), grid.neighbours
    drawn = random.choice(4, 6 * grid.size, p=[0.82, 0.12, 0.04, 0.02])
    river = np.where(here < there, drawn, drawn[grid.across])   # both hexes see the same
    rail = (there >= 0) & on_line[here] & on_line[there]
    return _ground("board", grid, terrain, river=river, rail=rail, east=column >= columns // 2)


def _rows_of(rows: int, columns: int) -> Ints:
    """Return the neighbours on a board of straight rows, the odd ones half a hex further."""
    row, column = np.divmod(np.arange(rows * columns), columns)
    shift = row % 2
    neighbours = np.full((rows * columns, 6), -1, np.int32)
    around = [(0, 1), (-1, shift), (-1, shift - 1), (0, -1), (1, shift - 1), (1, shift)]
    for side, (down, right) in enumerate(around):
        there, beside = row + down, column + right
        inside = (there >= 0) & (there < rows) & (beside >= 0) & (beside < columns)
        neighbours[inside, side] = (there * columns + beside)[inside]
    return neighbours.reshape(-1)


def largest_map() -> Ground:
    """Return all sections of the largest map that the project has."""
    files = load_pack("war_for_the_motherland")
    sections = tuple(sorted(name.split("/")[1] for name in files.files if name.endswith("/hexes.csv")))
    anyone = next(iter(files.scenarios.values()))
    board = pack.build_board(files, msgspec.structs.replace(anyone, sections=sections, lines=None))
    kinds = {"forest": FOREST, "tundra": SWAMP, "swamp": SWAMP, "mountain": MOUNTAIN, "sea": SEA, "lake": SEA}
    terrain = np.array([kinds.get(board.terrains[each], CLEAR) for each in board.terrain_of])
    river = np.zeros(6 * board.size, np.int64)
    for kind, which in (("minor_river", MINOR), ("major_river", MAJOR), ("lake", LAKE), ("sea", LAKE)):
        if kind in board.kinds:
            river[(board.side_kinds >> board.kinds.index(kind) & 1) == 1] = which
    rail = (board.side_kinds >> board.kinds.index("rail") & 1) == 1
    x = np.array([fact.x for fact in board.facts])
    return _ground("largest map", Grid(board.neighbours), terrain, river=river, rail=rail, east=x > np.median(x))


def _ground(
    name: str, grid: Grid, terrain: Whole, *, river: Whole, rail: npt.NDArray[np.bool_], east: npt.NDArray[np.bool_]
) -> Ground:
    """Derive what crossing costs; a railway makes half a hex of any, over any river."""
    there = terrain[grid.neighbours]
    move = np.minimum((MOVE_MP[there] + MOVE_RIVER_MP[river]) * MP, FORBIDDEN)
    line = np.where(rail, HEX // 2, np.minimum(LINE_HEXES[there] * HEX, FORBIDDEN))
    line[((river == MAJOR) & ~rail) | (river == LAKE)] = FORBIDDEN
    return Ground(
        name, grid, move.astype(np.int16), line.astype(np.int16), (river != LAKE).astype(np.uint8),
        land=terrain != SEA, east=east,
    )


def scene(ground: Ground, units: int, *, seed: int = 2) -> Scene:
    """Put *units* stacks of each side on its half of the board, and a source on every fiftieth hex of it."""
    random = np.random.default_rng(seed)
    sides = []
    for half in (ground.east, ~ground.east):
        own = np.flatnonzero(half & ground.land).astype(np.int32)
        sides.append(
            Side(
                np.sort(random.choice(own, min(units, len(own)), replace=False)),
                np.sort(random.choice(own, max(2, len(own) // 50), replace=False)),
            )
        )
    return Scene(ground, (sides[0], sides[1]))
