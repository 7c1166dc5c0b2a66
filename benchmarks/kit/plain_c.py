"""Plain C, compiled when it is wanted with the flags that the kernels are compiled with."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.kit.ground import SUPPLY_LIMIT, Scene
from core.errors import BadInput
from core_ext.grid import FORBIDDEN, Ints, Shorts
from core_ext.supply import Lines

SOURCE = Path(__file__).with_name("plain.c")


def compiler() -> list[str]:
    """Return the compiler and the flags that build an extension here.

    Raises:
        BadInput: there is none.
    """
    words = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()
    if shutil.which(words[0]) is None:
        raise BadInput.one("bench", "a C compiler", f"no {words[0]} on the PATH")
    return [*words, *(sysconfig.get_config_var("CFLAGS") or "").split(), "-fPIC", "-O3"]


@cache
def library() -> ctypes.CDLL:
    """Compile and load the peer; the file is gone when this returns."""
    with tempfile.TemporaryDirectory(prefix="rasputitsa-bench-") as folder:
        made = Path(folder) / "plain.so"
        done = subprocess.run([*compiler(), "-shared", "-o", str(made), str(SOURCE)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise BadInput.one(SOURCE.name, "a file that compiles", done.stderr.strip())
        return ctypes.CDLL(str(made))


class WholeInC:
    """Zones and supply of both sides; the arrays hold the answers of the last run."""

    def __init__(self, scene: Scene, lines: Lines) -> None:
        grid = scene.ground.grid
        self.kept: list[np.ndarray] = [grid.neighbours, scene.ground.passes, lines.by_side[grid.across]]
        self.sides = scene.sides
        self.counts = np.zeros((2, grid.size), np.int16)
        self.by_side = np.zeros((2, 6 * grid.size), np.int16)
        self.table = np.zeros((2, 3, grid.size), np.int32)
        self.blocked = np.zeros(grid.size, np.uint8)
        self.mask = (1 << lines.dearest.bit_length()) - 1
        self.entries = np.zeros(6 * grid.size * (self.mask + 1), np.int32)
        self.fill = np.zeros(self.mask + 1, np.int32)
        self.run = self._bind(grid.size)

    def _bind(self, size: int) -> Callable[[int], object]:
        units, unit_counts = _table([side.units for side in self.sides])
        sources, source_counts = _table([side.sources for side in self.sides])
        given = [_at(each) for each in self.kept]
        made = [_at(each) for each in (self.counts, self.by_side, self.blocked, self.table, self.entries, self.fill)]
        function = library().whole
        mask = self.mask

        def run(times: int) -> None:
            function(times, size, *given, SUPPLY_LIMIT, units, unit_counts, sources, source_counts, *made, mask)

        return run


class ReachInC:
    """What one unit reaches from each start in turn; the arrays hold the answer for the last."""

    def __init__(self, scene: Scene, costs: Shorts, starts: Ints, budget: int) -> None:
        grid = scene.ground.grid
        self.best, self.before = np.zeros(grid.size, np.int32), np.zeros(grid.size, np.int32)
        self.costs, self.neighbours, self.starts = costs, grid.neighbours, np.ascontiguousarray(starts)
        self.entries, self.fill = np.zeros(6 * grid.size * (budget + 1), np.int32), np.zeros(budget + 1, np.int32)
        assert int(costs.max()) <= FORBIDDEN
        given = [_at(each) for each in (self.neighbours, self.costs, self.starts)]
        made = [_at(each) for each in (self.best, self.before, self.entries, self.fill)]
        function = library().reach

        def run(times: int) -> None:
            function(times, grid.size, *given, len(starts), budget, *made)

        self.run = run


def _at(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _table(arrays: list[Ints]) -> tuple[ctypes.Array[ctypes.c_void_p], ctypes.Array[ctypes.c_int32]]:
    pointers = (ctypes.c_void_p * len(arrays))(*[each.ctypes.data for each in arrays])
    return pointers, (ctypes.c_int32 * len(arrays))(*[len(each) for each in arrays])
