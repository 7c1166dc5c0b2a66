"""The time that entries bear: it never runs backwards and never jumps, whatever becomes of the machine's clock.

The machine's clock is asked once, when the server starts; from then on the time that has passed is added to it. So neither a clock that
is set nor a summer time costs a player his game. What of the machine's clock has gone astray is noted, once a minute at most.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

NOTED_MS = 5_000  # how far the machine's clock may be off before it is noted
NOTE_EVERY_MS = 60_000
Millis = Callable[[], int]
logger = logging.getLogger("rasputitsa.server")


def wall_ms() -> int:
    """Return the machine's clock in milliseconds."""
    return time.time_ns() // 1_000_000


def passed_ms() -> int:
    """Return milliseconds that have passed since some moment."""
    return time.monotonic_ns() // 1_000_000


class SteadyClock:
    """A clock that starts from the machine's and goes on by itself.

    Args:
        wall: the machine's clock.
        passed: milliseconds since some moment, never jumping.
    """

    def __init__(self, wall: Millis = wall_ms, passed: Millis = passed_ms) -> None:
        self._wall, self._passed = wall, passed
        self._offset = wall() - passed()
        self._noted = passed() - NOTE_EVERY_MS

    def __call__(self) -> int:
        passed = self._passed()
        now = self._offset + passed
        astray = self._wall() - now
        if abs(astray) > NOTED_MS and passed - self._noted >= NOTE_EVERY_MS:
            self._noted = passed
            logger.warning("the machine's clock is %d s off the server's; games go on by the server's", astray // 1000)
        return now

    def go_on_from(self, moment_ms: int) -> None:
        """Show no earlier moment than this from now on."""
        self._offset = max(self._offset, moment_ms - self._passed())


now_ms: Millis = SteadyClock()


def go_on_from(moment_ms: int) -> None:
    """Go on from where a server before this one kept time, should the machine's clock be behind that.

    If time stood still until the machine's clock had caught up, as on a machine that forgets it when it is switched off, players could
    think for nothing.
    """
    if isinstance(now_ms, SteadyClock):
        now_ms.go_on_from(moment_ms)
