"""Measuring: contestants take turns, so that a slow moment of the machine strikes them all."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Contestant = Callable[[int], object]
"""Does its work as often as it is told."""

SAMPLE_S = 0.004
"""How long one turn shall take at least."""


@dataclass(frozen=True)
class Timing:
    """Seconds of processor time a call, one for each round."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median."""
        return statistics.median(self.seconds)

    @property
    def spread(self) -> tuple[float, float]:
        """The lower and upper quartile."""
        low, _, high = statistics.quantiles(self.seconds, n=4, method="inclusive")
        return low, high

    def part(self, count: int) -> Timing:
        """Return the timing of one of *count* things that a call does."""
        return Timing(tuple(second / count for second in self.seconds))

    def over(self, other: Timing) -> Timing:
        """Return how often *other* fits into this, round by round."""
        return Timing(tuple(mine / theirs for mine, theirs in zip(self.seconds, other.seconds, strict=True)))


def repeat(work: Callable[[], object]) -> Contestant:
    """Make a contestant of a function that does its work once."""

    def run(times: int) -> None:
        for _ in range(times):
            work()

    return run


def race(contestants: Mapping[str, Contestant], *, rounds: int = 15) -> dict[str, Timing]:
    """Time each contestant once a round; how often it works in its turn is settled before."""
    counts = {name: _settle(run) for name, run in contestants.items()}
    taken: dict[str, list[float]] = {name: [] for name in contestants}
    was_on = gc.isenabled()
    gc.disable()
    try:
        for _ in range(rounds):
            for name, run in contestants.items():
                taken[name].append(_time(run, counts[name]) / counts[name])
    finally:
        if was_on:
            gc.enable()
    return {name: Timing(tuple(seconds)) for name, seconds in taken.items()}


def _settle(run: Contestant) -> int:
    """Return how many calls fill a turn; the first calls, which warm caches, are not counted."""
    run(1)
    count = 1
    while (took := _time(run, count)) < SAMPLE_S:
        count = max(2 * count, int(count * SAMPLE_S / max(took, 1e-7)))
    return count


def _time(run: Contestant, times: int) -> float:
    began = time.thread_time()   # processor time: what else the machine does at that moment is not ours
    run(times)
    return time.thread_time() - began
