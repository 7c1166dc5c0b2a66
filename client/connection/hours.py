"""Whether a clock of ours runs for an order that waits for its dice, though our link for them was shown; and what is free of time.

While our link is shown our own clock runs for nobody's but those of our side. What a slow line takes it from us is not known of any one
link, but since a ping that was sent behind it was answered the server has it.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from core.log import Away, Entry, SetClock
from core.match import Match
from core.units import Side

FREE_MS = 20_000  # what may have been taken more: what a link is on its way, and one machine's clock that stood still while it slept
WRITTEN_MS = 2_000  # what writing an entry down may take, whose time is that at which it began: longer, and clocks stand still
NEAR_MS = 8_000  # from one ping to the next: of a longer time, as while a machine sleeps, nothing is known
PROMPT_MS = 3_000  # an answer that takes longer may be that of a server that stood still, and its clock with it
STALLS = 20  # of so much time one part: that in which an honest server stood still just between two pings
DRIFT = 1_000  # of so much time that passes one part more: no two clocks go alike


def now_ms() -> int:
    """Return milliseconds of a clock that nobody sets, and that runs on while the machine sleeps: macOS has one under another name."""
    which = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC", None))
    return round(1000 * (time.monotonic() if which is None else time.clock_gettime(which)))


class Showed(NamedTuple):
    """A link was shown: when, how long we may have thought by then, and what the clocks of our sides showed at the entry before.

    *there_ms* is when it was found that the server has it, None until then; *lost_ms* how much of what they lost since is counted;
    *again_ms* when it was shown again as we were named late: what was shown first may have been lost.
    """

    at_ms: int
    thought_ms: int
    left_ms: dict[Side, int]
    there_ms: int | None = None
    lost_ms: int = 0
    again_ms: int | None = None


class Hours:
    """Looks at one game, as long as one line is up and the game is followed."""

    def __init__(self) -> None:
        self._came_ms = 0
        self._shown: dict[int, Showed] = {}
        self._lost_ms = 0  # what our clocks have lost in all since the server had our links

    def begin_anew(self) -> None:
        """Compare no link with what comes now: it may have been written at any time since."""
        self._shown.clear()
        self._came_ms = 0

    def showed(self, match: Match, k: int, sides: set[Side]) -> None:
        """Our link for a number is shown now, maybe again."""
        now, left = now_ms(), match.table.clocks.left_ms
        thought = now - self._came_ms if match.table.on_clock() in sides else 0  # of all time where it isn't known when the last entry came
        self._shown.setdefault(k, Showed(now, thought, {side: left[side] for side in sides if side in left}))

    def shows_again(self, k: int) -> None:
        """Our link for a number is shown again, as we are named late for it."""
        if (shown := self._shown.get(k)) is not None and shown.again_ms is None:
            self._shown[k] = shown._replace(there_ms=None, again_ms=now_ms())

    def heard(self, at_ms: int) -> None:
        """A ping that was sent then is answered now: links that were shown before have come."""
        now = now_ms()
        for k, shown in self._shown.items():
            if shown.there_ms is None and (shown.again_ms or shown.at_ms) < at_ms:
                self._shown[k] = shown._replace(there_ms=now)

    def is_there(self, k: int) -> bool:
        """Say whether our link for a number is known to have come to the server; it may be on its way."""
        shown = self._shown.get(k)
        return shown is not None and shown.there_ms is not None

    def lost_ms(self, match: Match, entry: Entry) -> int:
        """Return how much a clock of ours has lost, by an entry that comes now, since our link for the next number was shown."""
        shown = self._shown.get(match.log.k + 1)
        return 0 if shown is None else much(min(self._lost_since(shown, match, entry), now_ms() - shown.at_ms))

    def count_lost_in_all_ms(self, match: Match, entry: Entry) -> int:
        """Count what our clocks lose by an entry now, the server having our link; return how much they have lost so in all, at all numbers.

        It is 0 if they lose nothing by this entry, or it is not much.
        """
        k = match.log.k + 1
        if (shown := self._shown.get(k)) is None or shown.there_ms is None:
            return 0
        lost = max(min(self._lost_since(shown, match, entry), now_ms() - shown.there_ms) - WRITTEN_MS, 0)
        self._lost_ms += lost - shown.lost_ms
        self._shown[k] = self._shown[k]._replace(lost_ms=lost)
        return much(self._lost_ms) if lost else 0

    def _lost_since(self, shown: Showed, match: Match, entry: Entry) -> int:
        """Return how much a clock of ours has lost since our link for the next number was shown, but for what we thought."""
        clocks = match.table.clocks_at(entry.time_ms)
        if not clocks.are_kept or not match.table_version:  # in games from before whose turn it was paid for all links
            return 0
        if isinstance(entry.act, SetClock):  # a referee's: what is left by it was not lost
            self._shown[match.log.k + 1] = shown._replace(left_ms={})
            return 0
        return max((before - clocks.left_ms.get(side, before) for side, before in shown.left_ms.items()), default=0) - shown.thought_ms

    def forgive(self, match: Match, entry: Entry) -> None:
        """What our clocks have lost by an entry that comes now they lost for somebody else of our side."""
        shown, k = self._shown.get(match.log.k + 1), match.log.k + 1
        if shown is not None:
            left = match.table.clocks_at(entry.time_ms).left_ms
            self._shown[k] = shown._replace(left_ms={side: left[side] for side in shown.left_ms if side in left}, thought_ms=0)

    def comes(self, entry: Entry) -> None:
        """An entry comes now; our link for its number, if it has one, is used up."""
        self._came_ms = now_ms()
        self._shown.pop(entry.k, None)


class Silence:
    """How long the line was silent before it came up, and what was said of us then.

    Whoever cuts it for a moment could write down that we were waited for in vain, for as long as was agreed, at times that lie before.
    """

    def __init__(self) -> None:
        self._since_ms: int | None = None  # when the server was heard last, while we knew all that it had written
        self._named = 0  # for which number we were named late since

    def begin_anew(self, since_ms: int | None) -> None:
        """What comes now may have been written at any time since a moment, None where that is not known."""
        self._since_ms, self._named = since_ms, 0

    def named(self, k: int) -> None:
        """We are named late for a number, by an entry that was not known before."""
        self._named = k

    def is_too_short(self, k: int, wait_ms: int) -> bool:
        """Say whether we can't have been waited for so long for the link of a number."""
        return self._since_ms is not None and k == self._named and now_ms() - self._since_ms + FREE_MS < wait_ms


def gone_ms(match: Match, entry: Entry) -> int:
    """Return what passed by the log up to an entry that comes now, but for what is called a time in which nobody kept it."""
    away_ms = entry.act.ms if isinstance(entry.act, Away) else 0
    return max(entry.time_ms - match.log.entries[-1].time_ms - away_ms, 0)


def much(ms: int) -> int:
    """Return it where it is more than may be, else 0."""
    return ms if ms > FREE_MS else 0
