from __future__ import annotations

import doctest

import numpy as np
import pytest

from core_ext import grid, reach, supply, theatre, zoc
from core_ext.grid import Grid


@pytest.mark.parametrize(
    ("neighbours", "says"),
    [
        (np.array([1, -1, -1, -1, -1, -1] * 2, np.int32), "over side 3 of 1"),
        (np.array([5, -1, -1, -1, -1, -1], np.int32), "-1 or a hex below 1, got 5"),
        (np.zeros(6, np.int64), "expected int32"),
        (np.zeros(7, np.int32), r"expected int32\[6\], got int32\[7\]"),
        (np.zeros(0, np.int32), "at least one hex"),
        ([1, 2], "numpy array, got list"),
    ],
)
def test_a_grid_that_cannot_be_is_refused(neighbours, says):
    with pytest.raises(ValueError, match=says):
        Grid(neighbours)


def test_a_strided_array_is_refused():
    with pytest.raises(ValueError, match="contiguous"):
        Grid(np.full(24, -1, np.int32)[::2])


@pytest.mark.parametrize("module", [grid, reach, supply, theatre, zoc])
def test_examples_in_the_docstrings_hold(module):
    assert doctest.testmod(module).failed == 0
