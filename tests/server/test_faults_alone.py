"""A machine without a network: what needs none goes on, and what needs one says so at once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
APART = ["unshare", "--map-root-user", "--net"]  # a network of its own, in which nothing is up


def run(*command: str, loopback: bool) -> subprocess.CompletedProcess[str]:
    """Run a command of ours where there is no network but, perhaps, the loopback."""
    script = 'ip link set lo up && exec "$@"' if loopback else 'exec "$@"'
    whole = [*APART, "sh", "-c", script, "sh", sys.executable, "-m", "rasputitsa", *command]
    return subprocess.run(whole, cwd=ROOT, capture_output=True, text=True, timeout=120, env={**os.environ, "QT_QPA_PLATFORM": "offscreen"})


@pytest.fixture(autouse=True)
def apart() -> None:
    try:
        tried = subprocess.run([*APART, "sh", "-c", "ip link set lo up"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("no unshare here")
    if tried.returncode:
        pytest.skip(f"no network namespaces here: {tried.stderr.strip()}")


@pytest.mark.slow
def test_bots_play_over_the_loopback_alone_and_the_saved_game_opens_without_any_interface(tmp_path: Path) -> None:
    """bugs-of-peers 43: loading a local save crashed when the network was not there."""
    played = run("play", "--headless", "--axis", "random", "--soviet", "random", "--out", str(tmp_path), loopback=True)
    assert played.returncode == 0, played.stderr
    (file,) = tmp_path.glob("*.rasputitsa")
    for command in (("verify",), ("replay", "--from", "3", "--to", "5")):
        done = run(command[0], str(file), *command[1:], loopback=False)
        assert done.returncode == 0, (command, done.stderr)


def test_a_game_over_a_server_is_refused_at_once_where_not_even_the_loopback_is_up(tmp_path: Path) -> None:
    """bugs-of-peers 43: it waited for ever, without a word."""
    played = run("play", "--headless", "--axis", "random", "--soviet", "random", "--out", str(tmp_path), loopback=False)
    assert played.returncode == 3
    assert "Network is unreachable" in played.stderr
    assert "Traceback" not in played.stderr
