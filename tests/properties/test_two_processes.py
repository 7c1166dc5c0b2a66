"""A game comes to the same hash in every process, whatever the hashes of its strings."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PLAY = """
from tests.properties.games import game_of
keeper = game_of("steady", "busy", 5)
print(keeper.match.view.position.digest(), keeper.match.log.last_hash.hex())
"""


def hashes_with(seed: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", PLAY], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_two_processes_come_to_the_same_hash() -> None:
    first, second = hashes_with("1"), hashes_with("2")
    assert first == second
    assert len(first.split()) == 2
