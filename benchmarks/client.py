"""Area ``client``: the window on a virtual screen: its start, frames while panning and zooming, scrubbing, reach."""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.kit.screen import Screen, virtual_screen
from client.map.palette import LIGHT
from core.errors import Broken
from rasputitsa.bench import Figure

ROOT = Path(__file__).parent.parent
STARTS = 3
LOOK_S = 0.005  # between looks at the screen
GIVE_UP_S = 60.0
MAP_SHARE = 0.03  # of the screen in the ground's colours: the map is there; no page without a map shows any
GROUND = (LIGHT.paper, "#E6E5DD")  # the second one: paper under a wash of snow


def figures() -> Iterator[Figure]:
    """Measure on a virtual screen of the benchmark's own."""
    with virtual_screen() as screen:
        if screen.picture is not None:
            yield from _start(screen)
        yield from _frames(screen)
        yield from _scrub(screen)
        yield _reach(screen)


def _work(screen: Screen, part: str) -> dict[str, list[float]]:
    """Return what a part of the work took, in milliseconds."""
    argv = [sys.executable, "-m", "benchmarks.kit.window_work", part]
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(argv, cwd=ROOT, env=screen.environment | _own(home), capture_output=True, text=True, check=False)
    if done.returncode:
        raise Broken(f"{part}: the window ended with {done.returncode}: {done.stderr.strip()[-400:]}")
    return {name: list(map(float, values)) for name, values in json.loads(done.stdout.splitlines()[-1]).items()}


def _own(home: str) -> dict[str, str]:
    """Let the window find no settings or games of anybody."""
    return {"HOME": home, "XDG_CONFIG_HOME": home, "XDG_DATA_HOME": home}


def _start(screen: Screen) -> Iterator[Figure]:
    """Start the program as a player does, and look at the screen until the map is there."""
    _first_map(screen)  # the first start may find something to set up
    taken = [_first_map(screen) for _ in range(STARTS)]
    yield Figure(
        "from the start of run.py play until the first map is on the screen", statistics.median(taken), "s", goal=1.5,
        spread=(min(taken), max(taken)), note="wall clock, seen in the screen's pixels",
    )


def _first_map(screen: Screen) -> float:
    assert screen.picture is not None, "a start is timed by what is seen"
    with tempfile.TemporaryDirectory() as home:
        before = screen.share_of(*GROUND)
        began = time.perf_counter()
        window = subprocess.Popen(
            [sys.executable, str(ROOT / "run.py"), "play"], cwd=ROOT, env=screen.environment | _own(home), start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        try:
            while screen.share_of(*GROUND) < before + MAP_SHARE:
                if time.perf_counter() - began > GIVE_UP_S or window.poll() is not None:
                    raise Broken(f"run.py play: expected a map on the screen, got none (exit code {window.poll()})")
                time.sleep(LOOK_S)
            return time.perf_counter() - began
        finally:
            os.killpg(window.pid, signal.SIGTERM)
            window.wait()
            while screen.share_of(*GROUND) > before + MAP_SHARE / 2:  # until the screen is empty again
                time.sleep(LOOK_S)


def _frames(screen: Screen) -> Iterator[Figure]:
    for name, taken in _work(screen, "frames").items():
        many = f"{name}: a frame with 2,450 hexes and 700 counters, {len(taken)} frames"
        yield Figure(f"{many}, median", statistics.median(taken), "ms", goal=16, spread=_quartiles(taken))
        yield Figure(f"{many}, 99th of 100", _share(taken, 0.99), "ms", goal=33)


def _scrub(screen: Screen) -> Iterator[Figure]:
    for name, taken in _work(screen, "scrub").items():
        rates = [1000 / one for one in taken]
        rate = 1000 * len(taken) / sum(taken)
        yield Figure(f"scrubbing through a game {name}", rate, "positions/s", goal=60, better="more", spread=_quartiles(rates))


def _reach(screen: Screen) -> Figure:
    taken = _work(screen, "reach")["click"]
    name, note = "reach shown after a click on a stack, 95th of 100", f"{len(taken)} stacks, the slowest {max(taken):.0f} ms"
    return Figure(name, _share(taken, 0.95), "ms", goal=30, spread=_quartiles(taken), note=note)


def _share(taken: Sequence[float], share: float) -> float:
    return sorted(taken)[min(len(taken) - 1, int(share * len(taken)))]


def _quartiles(taken: Sequence[float]) -> tuple[float, float]:
    low, _, high = statistics.quantiles(taken, n=4, method="inclusive")
    return low, high
