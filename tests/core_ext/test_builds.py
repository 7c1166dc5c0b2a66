from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import core_ext
from core_ext.grid import UNREACHED
from core_ext.reach import Field, reach
from core_ext.supply import mend, trace
from core_ext.theatre import Ground, Theatre
from core_ext.zoc import ZocField
from tests.core_ext.boards import Rows
from tests.core_ext.test_reach import problem
from tests.core_ext.test_supply import some_lines

ROOT = Path(__file__).resolve().parents[2]
BOARD = Rows(10, 40, 10, 40)


def test_eight_threads_find_what_one_finds():
    random = np.random.default_rng(4)
    fields = [Field(*problem(BOARD.grid, random, modes)) for modes in (1, 2, 5)]
    net = some_lines(BOARD.grid, random, 4)
    passes = np.ones(6 * BOARD.grid.size, np.uint8)

    def work(number: int) -> bytes:
        own = np.random.default_rng(number)
        start = int(own.integers(BOARD.grid.size))
        found = reach(fields[number % 3], start, budget=150, one_free_hex=True)
        reached = found.nodes[0] != UNREACHED
        lines = trace(net, own.integers(0, BOARD.grid.size, 4).astype(np.int32), limit=50)
        mended = mend(lines, (own.random(BOARD.grid.size) < 0.2).astype(np.uint8))
        theatre = Theatre(*[Ground(net, passes, 50)] * 2)
        stacks = own.integers(0, BOARD.grid.size, (2, 40)).astype(np.int32)
        theatre.lay_out((stacks[0], stacks[1]), sources=(lines.given[0], lines.given[0]))
        for here, there in stacks.T.tolist():
            theatre.move(0, here, there)
        zoc = ZocField(BOARD.grid)
        zoc.add_all(own.integers(0, BOARD.grid.size, 300).astype(np.int32), passes)
        tables = (lines.table, mended.table, *(supply.table for supply in theatre.supply))
        return b"".join(each.tobytes() for each in (found.nodes[:, reached], *tables, zoc.sides))

    alone = [work(number) for number in range(64)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(64))) == alone


@pytest.mark.slow
def test_the_same_tests_pass_in_a_build_that_checks_bounds(tmp_path):
    """As CONTRIBUTING tells: ``RASPUTITSA_BOUNDS_CHECK=1 python setup.py build_ext``, into a folder of its own."""
    shutil.copytree(ROOT / "core_ext", tmp_path / "core_ext", ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"))
    shutil.copy(ROOT / "setup.py", tmp_path)
    checked = os.environ | {"RASPUTITSA_BOUNDS_CHECK": "1", "RASPUTITSA_KERNELS": str(tmp_path)}
    command = [sys.executable, "setup.py", "build_ext", "--inplace"]
    build = subprocess.run(command, cwd=tmp_path, env=checked, capture_output=True, text=True)
    assert build.returncode == 0, build.stderr
    tests = [f"tests/core_ext/test_{name}.py" for name in ("zoc", "reach", "supply", "theatre", "builds")]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow", "-o", f"pythonpath={tmp_path} .", *tests]
    run = subprocess.run(command, cwd=ROOT, env=checked, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_the_kernels_asked_for_are_the_ones_tested():
    expected = os.environ.get("RASPUTITSA_KERNELS", str(ROOT))
    assert Path(core_ext.__file__).resolve().is_relative_to(Path(expected).resolve())
    assert Path(sys.modules["core_ext._reach"].__file__).resolve().is_relative_to(Path(expected).resolve())
