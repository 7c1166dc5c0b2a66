"""The time that entries bear: it never runs backwards and never jumps, whatever becomes of the machine's clock.

The machine's clock is asked once, when the server starts; from then on the time that has passed is added to it. So neither a clock that
is set nor a summer time costs a player his game. What of the machine's clock has gone astray is noted, once a minute at most.

Nor does it pass while this process doesn't run, stopped, or starved by others: nobody could give it an order meanwhile. A server asks the
clock again and again (`watched`); when nobody has for longer than that can take, the process stood still, and so did the clock. It shows
less than the machine's from then on, and makes up for it as soon as no clock of a game runs (`catch_up`), for which a player would pay.

Nor does it pass while nothing can be written down, as on a full disk (`hold`): an order that is refused for that costs no time. Nor for a
while after a start, until players' programs can have come back (`stand_for`): none could give an order, or show a link, sooner.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

NOTED_MS = 5_000  # how far the machine's clock may be off before it is noted
NOTE_EVERY_MS = 60_000
STILL_MS = 3_000  # without a look at a clock that is watched: the process stood still
Millis = Callable[[], int]
_ASLEEP_TOO: int | None = getattr(time, "CLOCK_BOOTTIME", None)  # counts while the machine sleeps, where the system tells (Linux)
logger = logging.getLogger("rasputitsa.server")


def wall_ms() -> int:
    """Return the machine's clock in milliseconds."""
    return time.time_ns() // 1_000_000


def passed_ms() -> int:
    """Return milliseconds that have passed since some moment, those too in which the machine slept, where the system tells (Linux)."""
    return (time.monotonic_ns() if _ASLEEP_TOO is None else time.clock_gettime_ns(_ASLEEP_TOO)) // 1_000_000


class SteadyClock:
    """A clock that starts from the machine's and goes on by itself.

    Args:
        wall: the machine's clock.
        passed: milliseconds since some moment, never jumping.

    Attributes:
        leaps: how often the clock stood still, or the machine's leapt: whoever reckons from what was told of it before is wrong by now.
    """

    def __init__(self, wall: Millis = wall_ms, passed: Millis = passed_ms) -> None:
        self._wall, self._passed = wall, passed
        self._offset = wall() - passed()
        self._noted = passed() - NOTE_EVERY_MS
        self._still = self._astray = self._watchers = self.leaps = 0
        self._held_ms: int | None = None  # how long it has been held
        self._standing_ms = 0  # how much longer it is to stand still
        self._read = passed()
        self._lock = threading.Lock()

    def __call__(self) -> int:
        """Return the time, in milliseconds, and note what has become of the machine's clock."""
        with self._lock:
            passed = self._passed()
            gone = passed - self._read
            if self._held_ms is not None:
                self._held_ms += gone
                self._stand(gone)
            elif self._watchers and gone > STILL_MS:
                self._stand(gone)
                self.leaps += 1
                logger.warning("the server stood still for %d s; so did its clock, and those of all games", gone // 1000)
            elif self._standing_ms:
                self._stand_on(gone)
            self._read = passed
            now = self._offset + passed
        self._look_at_machine(now, passed)
        return now

    def _stand(self, ms: int) -> None:
        self._offset -= ms
        self._still += ms

    def _stand_on(self, gone: int) -> None:
        """Stand still for as much of a time that has gone by as is left of what was asked for."""
        stood = min(gone, self._standing_ms)
        self._stand(stood)
        self._standing_ms -= stood
        self.leaps += not self._standing_ms

    def _look_at_machine(self, now: int, passed: int) -> None:
        """Note how far the machine's clock is off, but for the time that this one stood still."""
        astray = self._wall() - now - self._still
        if abs(astray - self._astray) > NOTED_MS:
            self._astray = astray
            self.leaps += 1
        if abs(astray) > NOTED_MS and passed - self._noted >= NOTE_EVERY_MS:
            self._noted = passed
            logger.warning("the machine's clock is %d s off the server's; games go on by the server's", astray // 1000)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Take it for granted meanwhile that somebody looks at the clock all the time, as long as the process runs."""
        self()
        self._watchers += 1
        try:
            yield
        finally:
            self._watchers -= 1

    @property
    def is_held(self) -> bool:
        """Say whether it stands still as nothing can be written down, or as nobody can have come back yet."""
        return self._held_ms is not None or self._standing_ms > 0

    def stand_for(self, ms: int) -> None:
        """Stand still for so long from now on, in which this process runs and can write."""
        self()
        with self._lock:
            self._standing_ms = ms
            self.leaps += 1

    def hold(self, *, wanted: bool) -> None:
        """Stand still from now on, or go on from where it stood."""
        if wanted == (self._held_ms is not None):
            return
        self()
        with self._lock:
            held_ms, self._held_ms = self._held_ms, 0 if wanted else None
            self.leaps += 1
        if held_ms is not None and held_ms > STILL_MS:
            logger.warning("nothing could be written down for %d s; the clocks of all games stood still", held_ms // 1000)

    def catch_up(self) -> None:
        """Show the time again that passed while it stood still, and stand no longer for anybody to come back."""
        with self._lock:
            if self._still or self._standing_ms:
                self._offset += self._still
                self._still = self._standing_ms = 0
                self.leaps += 1

    def go_on_from(self, moment_ms: int) -> None:
        """Show no earlier moment than this from now on."""
        with self._lock:
            self._offset = max(self._offset, moment_ms - self._passed())


now_ms: Millis = SteadyClock()


def go_on_from(moment_ms: int) -> None:
    """Go on from where a server before this one kept time, should the machine's clock be behind that.

    If time stood still until the machine's clock had caught up, as on a machine that forgets it when it is switched off, players could
    think for nothing.
    """
    if isinstance(now_ms, SteadyClock):
        now_ms.go_on_from(moment_ms)


def catch_up() -> None:
    """Show the time again that passed while the clock stood still; for nobody's clock to run meanwhile."""
    if isinstance(now_ms, SteadyClock):
        now_ms.catch_up()


def hold(*, wanted: bool) -> None:
    """Let the clock stand still from now on, as nothing can be written down, or go on."""
    if isinstance(now_ms, SteadyClock):
        now_ms.hold(wanted=wanted)


def stand_for(ms: int) -> None:
    """Let the clock stand still for so long from now on, as players' programs need it to come back."""
    if isinstance(now_ms, SteadyClock):
        now_ms.stand_for(ms)


def is_held() -> bool:
    """Say whether the clock stands still as nothing can be written down, or as nobody can have come back yet."""
    return isinstance(now_ms, SteadyClock) and now_ms.is_held


@contextmanager
def watched() -> Iterator[Callable[[], int]]:
    """Take it for granted that the clock is looked at all the time; yield what looks, and returns how often it leapt or stood still."""
    clock = now_ms
    if not isinstance(clock, SteadyClock):
        yield lambda: 0
        return

    def look() -> int:
        clock()
        return clock.leaps

    with clock.watched():
        try:
            yield look
        finally:
            clock.hold(wanted=False)  # for nobody would let it go
