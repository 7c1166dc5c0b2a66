from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core_ext.zoc import ZocField
from tests.core_ext import twins
from tests.core_ext.boards import Rows, grids, randoms

BOARD = Rows(18, 5, 7, 7)
OPEN = np.ones(6 * BOARD.grid.size, np.uint8)


def dry_except(*pairs: tuple[int, int]) -> np.ndarray:
    passes = OPEN.copy()
    for label, other in pairs:
        passes[BOARD.side(label, other)] = passes[BOARD.side(other, label)] = 0
    return passes


def test_an_army_reaches_its_six_neighbours():
    # War for the Motherland 4.21a
    zoc = ZocField(BOARD.grid)
    zoc.add(BOARD[2010], OPEN)
    assert BOARD.names(list(np.flatnonzero(zoc.mask()))) == [1909, 1910, 2009, 2011, 2109, 2110]


def test_a_lake_hexside_stops_a_zone_and_another_mask_lets_it_over_the_ice():
    # War for the Motherland 4.24a
    zoc, lake = ZocField(BOARD.grid), dry_except((2010, 2009))
    zoc.add(BOARD[2010], lake)
    assert not zoc.mask()[BOARD[2009]]
    zoc.add(BOARD[2010], OPEN)
    assert BOARD.names(zoc.who(BOARD[2009])) == [2010]
    zoc.remove(BOARD[2010], OPEN)
    assert zoc.who(BOARD[2009]) == []
    assert BOARD.names(zoc.who(BOARD[2011])) == [2010]


def test_two_exerters_are_counted_and_named():
    # War for the Motherland 4.22
    zoc = ZocField(BOARD.grid)
    zoc.add_all([BOARD[2010], BOARD[2008]], OPEN)
    assert zoc.counts[0, BOARD[2009]] == 2
    assert sorted(BOARD.names(zoc.who(BOARD[2009]))) == [2008, 2010]


def test_amounts_and_layers_let_a_game_ask_for_a_threshold():
    zoc = ZocField(BOARD.grid, layers=2)
    zoc.add(BOARD[2010], OPEN, 3)
    zoc.add(BOARD[2008], OPEN, 2, layer=1)
    assert zoc.mask(3)[BOARD[2009]]
    assert not zoc.mask(4)[BOARD[2009]]
    assert not zoc.mask(3, layer=1)[BOARD[2009]]


def test_units_may_cancel_a_zone_and_exerters_count_as_in_it():
    zoc = ZocField(BOARD.grid)
    zoc.add(BOARD[2010], OPEN)
    mask = zoc.mask(without=[BOARD[2009], BOARD[2010]], also=[BOARD[2010]])
    assert BOARD.names(list(np.flatnonzero(mask))) == [1909, 1910, 2010, 2011, 2109, 2110]


def test_a_move_takes_the_zone_along():
    zoc, other = ZocField(BOARD.grid), ZocField(BOARD.grid)
    zoc.add(BOARD[2010], OPEN)
    zoc.move(BOARD[2010], BOARD[2009], OPEN)
    other.add(BOARD[2009], OPEN)
    assert np.array_equal(zoc.sides, other.sides)
    assert np.array_equal(zoc.exerters, other.exerters)


@given(grid=grids(), random=randoms(), drops=st.integers(0, 30), layers=st.integers(1, 3))
def test_adding_removing_and_moving_equals_the_twin_built_anew(grid, random, drops, layers):
    masks = [(random.random(6 * grid.size) < 0.8).astype(np.uint8) for _ in range(2)]
    zoc = ZocField(grid, layers=layers)
    held: list[list[tuple[int, int, np.ndarray]]] = [[] for _ in range(layers)]
    for _ in range(drops):
        layer = int(random.integers(layers))
        if held[layer] and random.random() < 0.4:
            hex_, amount, passes = held[layer].pop(int(random.integers(len(held[layer]))))
            if random.random() < 0.5:
                zoc.remove(hex_, passes, amount, layer=layer)
                continue
            to = int(random.integers(grid.size))
            zoc.move(hex_, to, passes, amount, layer=layer)
            held[layer].append((to, amount, passes))
            continue
        one = (int(random.integers(grid.size)), int(random.integers(1, 5)), masks[int(random.integers(2))])
        zoc.add(one[0], one[2], one[1], layer=layer)
        held[layer].append(one)
    built = ZocField(grid, layers=layers)
    for layer in range(layers):
        counts, sides = twins.zoc_counts(grid, held[layer])
        assert zoc.counts[layer].tolist() == counts
        assert zoc.sides[layer].reshape(-1, 6).tolist() == sides
        assert zoc.exerters[layer].tolist() == [sum((amount > 0) << side for side, amount in enumerate(each)) for each in sides]
        for mask in masks:
            some = [each for each in held[layer] if each[2] is mask]
            built.add_all([each[0] for each in some], mask, np.array([each[1] for each in some], np.int16), layer=layer)
    assert np.array_equal(built.sides, zoc.sides)
    assert np.array_equal(built.counts, zoc.counts)
    one, other = (ZocField(grid) for _ in range(2))
    hexes = random.integers(0, grid.size, drops).astype(np.int32)
    for amounts in (None, random.integers(0, 9, drops).astype(np.int16)):
        one.clear()
        one.add_all(hexes, masks[0], amounts)
        other.renew(hexes, masks[0], amounts)
        assert all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("sides", "counts", "exerters"))


def test_a_field_is_built_anew_in_place():
    zoc, other = ZocField(BOARD.grid), ZocField(BOARD.grid)
    zoc.add(BOARD[2010], OPEN)
    zoc.clear()
    for field in (zoc, other):
        field.add(BOARD[1908], OPEN)
    assert np.array_equal(zoc.sides, other.sides)
    assert np.array_equal(zoc.counts, other.counts)
    assert np.array_equal(zoc.exerters, other.exerters)


def test_more_taken_away_than_was_there_changes_nothing():
    zoc = ZocField(BOARD.grid)
    zoc.add(BOARD[2010], OPEN)
    before = zoc.copy()
    for wrong in (
        lambda: zoc.remove(BOARD[2008], OPEN),
        lambda: zoc.remove(BOARD[2010], OPEN, 2),
        lambda: zoc.move(BOARD[2008], BOARD[1908], OPEN),
        lambda: zoc.add_all([BOARD[2008], BOARD[2010]], OPEN, np.array([5, -2], np.int16)),
        lambda: zoc.add(BOARD[2010], OPEN, 32767),
        lambda: zoc.add(BOARD[2010], OPEN, 2**40),
    ):
        with pytest.raises(ValueError, match="leaves the range"):
            wrong()
    assert np.array_equal(before.sides, zoc.sides)
    assert np.array_equal(before.counts, zoc.counts)
    assert np.array_equal(before.exerters, zoc.exerters)


def test_what_does_not_fit_is_named():
    zoc = ZocField(BOARD.grid)
    for wrong, says in (
        (lambda: zoc.add(999, OPEN), "hex: expected a hex from 0 to 34, got 999"),
        (lambda: zoc.add(-1, OPEN), "got -1"),
        (lambda: zoc.add(0, OPEN[1:]), r"passes: expected uint8\[210\], got uint8\[209\]"),
        (lambda: zoc.add(0, OPEN, layer=1), "layer: expected 0 to 0, got 1"),
        (lambda: zoc.add_all([0, 35], OPEN), "hexes: expected hexes from 0 to 34, got 35"),
        (lambda: zoc.mask(without=[35]), "without: expected hexes from 0 to 34, got 35"),
        (lambda: zoc.mask(also=[-1]), "also: expected hexes from 0 to 34, got -1"),
        (lambda: zoc.mask(layer=1), "layer: expected 0 to 0, got 1"),
        (lambda: zoc.add_all([0], OPEN, np.ones(2, np.int16)), "amounts: expected"),
        (lambda: zoc.renew([0], OPEN, np.ones(2, np.int16)), "amounts: expected"),
        (lambda: zoc.renew([0, 1], OPEN, np.array([1, -9], np.int16)), "amounts: -9 round hex 1 leaves the range"),
        (lambda: zoc.renew(np.zeros(32768, np.int32), OPEN), "amounts: 1 round hex 0 leaves the range"),
        (lambda: ZocField(BOARD.grid, layers=0), "layers: expected 1 or more"),
    ):
        with pytest.raises(ValueError, match=says):
            wrong()
