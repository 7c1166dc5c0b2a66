"""Whether the clocks of a game run as time does here: a host who plays could let his opponent's run faster than the hours.

No entry that bears our link was written before we showed it, and none comes before it was written. So between the moment at which a link
was shown and the one at which a later entry comes no more time can have been taken from the clocks than has passed here, however slow the
line is.
"""

from __future__ import annotations

import time

from core.log import Away, Entry
from core.match import Match

FREE_MS = 20_000  # what may have been taken more: two machines' clocks, and one that stood still while the machine slept


def now_ms() -> int:
    """Return milliseconds of a clock that nobody sets; on Linux it runs on while the machine sleeps."""
    which = getattr(time, "CLOCK_BOOTTIME", None)
    return round(1000 * (time.monotonic() if which is None else time.clock_gettime(which)))


class Hours:
    """Compares one game's clocks with ours, as long as one line is up."""

    def __init__(self) -> None:
        self._taken_ms = 0
        self._shown: dict[int, int] = {}
        self._named: dict[int, int] = {}
        self._least: int | None = None  # how much our clock is ahead of what was taken, at the least

    def begin_anew(self) -> None:
        """Compare nothing with what was before: what comes now may have been written at any time since."""
        self._shown.clear()
        self._named.clear()
        self._least = None

    def showed(self, k: int) -> None:
        """Our link for a number is shown now, maybe again."""
        self._shown.setdefault(k, now_ms())

    def named(self, k: int) -> None:
        """We are named late for a number whose link was shown, and it is shown again."""
        self._named.setdefault(k, now_ms())

    def came(self, k: int) -> None:
        """Our link for a number has come, by the log."""
        self._named.pop(k, None)

    def waited_ms(self, k: int) -> int:
        """Return how long the order of a number has waited here since its link was shown, 0 if that can be by a slow line."""
        return _much(now_ms() - self._shown.get(k, now_ms()))

    def blamed_ms(self, k: int) -> int:
        """Return how long ago we were named late for a number and showed our link again, 0 if that can have been lost or be on its way."""
        return _much(now_ms() - self._named.get(k, now_ms()))

    def too_much(self, match: Match, entry: Entry) -> int:
        """Return how many milliseconds too much an entry that comes now takes from the clocks of a match it is not in yet; 0 if none."""
        clocks, entries = match.table.clocks, match.log.entries
        if clocks.are_kept and clocks.runs and entries:
            self._taken_ms += max(entry.time_ms - entries[-1].time_ms, 0)
        if isinstance(entry.act, Away):
            self._taken_ms -= entry.act.ms
        too_much = 0 if self._least is None else self._taken_ms + self._least - now_ms()
        if (shown := self._shown.pop(entry.k, None)) is not None:
            ahead = shown - self._taken_ms
            self._least = ahead if self._least is None else max(self._least, ahead)
        return _much(too_much)


def _much(ms: int) -> int:
    return ms if ms > FREE_MS else 0
