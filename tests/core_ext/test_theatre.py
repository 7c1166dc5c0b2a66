from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core_ext.grid import UNREACHED, Grid
from core_ext.supply import MENDABLE, Lines
from core_ext.theatre import NOWHERE, Ground, Theatre
from tests.core_ext import twins
from tests.core_ext.boards import Rows, grids, randoms
from tests.core_ext.test_supply import some_lines

BOARD = Rows(18, 5, 7, 7)
HEX = 2
OPEN = np.ones(6 * BOARD.grid.size, np.uint8)


def hexes(*labels: int) -> np.ndarray:
    return np.array([BOARD[label] for label in labels], np.int32)


def plain(limit: int = 4 * HEX) -> Ground:
    return Ground(Lines(BOARD.grid, BOARD.by_side(HEX)), OPEN, limit)


def test_a_line_passes_an_enemy_zone_where_a_friend_stands():
    # War for the Motherland 4.25, 9.42
    theatre = Theatre(plain(), plain())
    theatre.lay_out((hexes(2009), hexes(1909, 2109)), sources=(hexes(2007), hexes(1813)))
    assert BOARD.names(theatre.supply[0].path(BOARD[2010])) == [2010, 2009, 2008, 2007]
    theatre.move(0, BOARD[2009], BOARD[2008])
    assert theatre.blocked[0][BOARD[2009]]
    assert BOARD.names(theatre.supply[0].path(BOARD[2009])) == [2009, 2008, 2007]
    assert not theatre.supply[0].reaches(BOARD[2010])


def test_an_arrival_cuts_and_its_loss_mends():
    theatre = Theatre(plain(), plain())
    theatre.lay_out((hexes(), hexes(1910, 2110)), sources=(hexes(2007), hexes()))
    whole = theatre.supply[0].table.copy()
    theatre.move(1, NOWHERE, BOARD[2008])
    assert not np.array_equal(theatre.supply[0].table, whole)
    theatre.move(1, BOARD[2008], NOWHERE)
    assert np.array_equal(theatre.supply[0].table, whole)


def blocked_of(grid: Grid, ground: Ground, own: list[int], enemies: list[int], passes: np.ndarray) -> np.ndarray:
    """Return what bars a side's lines, from the definition."""
    counts, _ = twins.zoc_counts(grid, [(hex_, 1, passes) for hex_ in enemies])
    zone = [count >= ground.at_least and not (ground.lifted and hex_ in own) for hex_, count in enumerate(counts)]
    return np.array([int(hex_ in enemies or zone[hex_]) for hex_ in range(grid.size)], np.uint8)


def assert_equals_twin(theatre: Theatre, grounds: tuple[Ground, Ground], stacks: list[list[int]], sources: tuple[np.ndarray, ...]) -> None:
    for side in range(2):
        grid, ground, supply = theatre.grid, grounds[side], theatre.supply[side]
        counts, _ = twins.zoc_counts(grid, [(hex_, 1, ground.passes) for hex_ in stacks[side]])
        assert theatre.zones[side].counts[0].tolist() == counts
        assert theatre.standing[side].tolist() == [stacks[side].count(hex_) for hex_ in range(grid.size)]
        blocked = blocked_of(grid, ground, stacks[side], stacks[1 - side], grounds[1 - side].passes)
        assert theatre.blocked[side].tolist() == blocked.tolist()
        places = sources[side].tolist()
        lines = twins.trace(grid, ground.lines.by_side, places, limits=[ground.limit] * len(places), blocked=blocked)
        assert supply.table.T.tolist() == [list(lines.get(hex_, (UNREACHED, -1, -1))) for hex_ in range(grid.size)]


@given(grid=grids(), random=randoms(), moves=st.integers(0, 12), limits=st.tuples(*[st.sampled_from([2, 9, 30, MENDABLE + 1])] * 2))
def test_what_was_moved_equals_the_twin_from_nothing(grid, random, moves, limits):
    one, other = grounds = tuple(
        Ground(some_lines(grid, random, 4), (random.random(6 * grid.size) < 0.8).astype(np.uint8), limit,
               at_least=int(random.integers(1, 3)), lifted=bool(random.integers(0, 2)))
        for limit in limits
    )
    stacks = [random.integers(0, grid.size, int(random.integers(0, 9))).tolist() for _ in range(2)]
    sources = tuple(random.integers(0, grid.size, int(random.integers(0, 5))).astype(np.int32) for _ in range(2))
    theatre = Theatre(one, other)
    theatre.lay_out(tuple(np.array(each, np.int32) for each in stacks), sources=sources)
    assert_equals_twin(theatre, grounds, stacks, sources)
    for _ in range(moves):
        side = int(random.integers(2))
        here = stacks[side].pop(int(random.integers(len(stacks[side])))) if stacks[side] and random.random() < 0.8 else NOWHERE
        there = int(random.integers(grid.size)) if random.random() < 0.8 else NOWHERE
        stacks[side] += [there] if there != NOWHERE else []
        theatre.move(side, here, there)
    assert_equals_twin(theatre, grounds, stacks, sources)


def test_what_does_not_fit_is_named():
    theatre, other = Theatre(plain(), plain()), Rows(18, 5, 7, 7)
    two = (hexes(), hexes())
    for wrong, says in (
        (lambda: Theatre(plain(), Ground(Lines(other.grid, other.by_side(HEX)), OPEN, 8)), "grounds: expected one grid"),
        (lambda: Theatre(plain(-1), plain()), "limit: expected 0 to"),
        (lambda: Theatre(plain(), Ground(plain().lines, OPEN, 8, at_least=0)), "at_least: expected 1 to 32767, got 0"),
        (lambda: Theatre(plain(), Ground(plain().lines, OPEN[1:], 8)), r"passes: expected uint8\[210\]"),
        (lambda: theatre.lay_out((hexes(), np.array([35], np.int32)), sources=two), r"stacks\[1\]: expected hexes from 0 to 34, got 35"),
        (lambda: theatre.lay_out((np.zeros(1, np.int64), hexes()), sources=two), r"stacks\[0\]: expected int32\[1\], got int64"),
        (lambda: theatre.lay_out((hexes(), None), sources=two), r"stacks\[1\]: expected a numpy array, got NoneType"),
        (lambda: theatre.lay_out((np.zeros(32768, np.int32), hexes()), sources=two), r"stacks\[0\]: expected at most 32767 stacks round"),
        (lambda: theatre.lay_out(two, sources=(hexes(), np.array([-1], np.int32))), r"sources\[1\]: expected hexes from 0 to 34, got -1"),
        (lambda: theatre.move(2, 0, 1), "side: expected 0 or 1, got 2"),
        (lambda: theatre.move(0, 0, 35), "there: expected a hex"),
        (lambda: theatre.move(0, 3, 4), "here: expected a stack of side 0 that can go to 4, got none in 3"),
    ):
        with pytest.raises(ValueError, match=says):
            wrong()
