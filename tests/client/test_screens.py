"""What the map looks like at four zooms and pixel ratios: structure, and colours at known places; each ratio in its own process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

RATIOS = ("1", "1.25", "1.5", "2")
ROOT = Path(__file__).parents[2]


def near(one: str, other: str, by: int) -> bool:
    """Say whether two colours differ by no more than *by* in each part."""
    return all(abs(int(one[i : i + 2], 16) - int(other[i : i + 2], 16)) <= by for i in (1, 3, 5))


@pytest.mark.parametrize("ratio", RATIOS)
def test_the_map_is_whole_and_right_in_colour_at_every_zoom(ratio: str, tmp_path: Path) -> None:
    """The 33rd of the faults of peers: tiles were unpainted at some zooms on dense screens."""
    env = os.environ | {"QT_QPA_PLATFORM": "offscreen", "QT_SCALE_FACTOR": ratio, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    argv = [sys.executable, "-m", "tests.client.look_at_map", str(tmp_path)]
    done = subprocess.run(argv, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert not done.stderr.strip(), done.stderr
    for scale, seen in json.loads(done.stdout.splitlines()[-1]).items():
        told = f"{ratio} × at {scale}: {seen}"
        assert seen["ratio"] == float(ratio), told
        assert [round(part * float(ratio)) for part in seen["logical"]] == pytest.approx(seen["size"], abs=1), told
        assert near(seen["clear"], "#e6e5dd", 6), told  # paper under a wash of snow
        assert seen["share"] > 0.6, told
        assert seen["colours"] > 40, told
        if float(scale) < 0.34:
            assert near(seen["far"], seen["block"], 12), told
        else:
            assert near(seen["counter"], seen["printed"], 40), told
            assert seen["whole"] > 0.9, told
