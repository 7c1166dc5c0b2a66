"""Whether the clocks of a game run as time does here: a host who plays could let his opponent's run faster than the hours, or for others.

No entry that bears our link was written before we showed it, nor one that we knew nothing of before the server was heard, and none comes
before it was written. So between the moment at which a link was shown, or the server heard last before the line was down, and the one at
which a later entry comes no more time can have been taken from the clocks than has passed here, however slow the line is. And while our
link is shown our own clock runs for nobody's but those of our side; what a slow line takes it from us is not known of any one link, but
since a ping that was sent behind it was answered the server has it.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from core.log import Away, Entry, Late, SetClock
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
    """Compares one game's clocks with ours, as long as one line is up and the game is followed."""

    def __init__(self) -> None:
        self._taken_ms = self._came_ms = 0
        self._shown: dict[int, Showed] = {}
        self._lost_ms = 0  # what our clocks have lost in all since the server had our links
        self._least: tuple[int, int] | None = None  # how much our clock is ahead of what was taken, at the least, and since when
        self._silent_since_ms: int | None = None  # until the first entry comes since

    def begin_anew(self, silent_since_ms: int | None = None, *, goes_on: bool = False) -> None:
        """Compare no link with what comes now: it may have been written at any time since.

        Args:
            silent_since_ms: when the server was heard last, while we knew all that it had written; None where that is not known.
            goes_on: the line was down once more before the game was known to its end.
        """
        self._shown.clear()
        self._came_ms = 0
        if not goes_on:
            self._least, self._silent_since_ms = None, silent_since_ms

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
        return 0 if shown is None else _much(min(self._lost_since(shown, match, entry), now_ms() - shown.at_ms))

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
        return _much(self._lost_ms) if lost else 0

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

    def count_too_much(self, match: Match, entry: Entry, *, is_ours: bool) -> int:
        """Count an entry that comes now, and return how many milliseconds too much it takes from the clocks of a match it is not in yet.

        Args:
            is_ours: whether it bears our link.
        """
        self.take(match, entry)
        self._came_ms, too_much = now_ms(), self.ahead_ms()
        if (shown := self._shown.pop(entry.k, None)) is not None and is_ours:
            ahead = shown.at_ms - self._taken_ms
            if self._least is None or ahead > self._least[0]:
                self._least = (ahead, self._came_ms)
        return too_much

    def take(self, match: Match, entry: Entry) -> None:
        """Count what an entry takes from the clocks of a match that it is not in yet."""
        clocks = match.table.clocks
        if self._silent_since_ms is not None:  # it was written since; how much of what it takes had passed before is not known
            self._least, self._silent_since_ms = (self._silent_since_ms - self._taken_ms, now_ms()), None
        elif clocks.are_kept and clocks.runs and match.log.entries and match.outcome is None:
            self._taken_ms += _gone_ms(match, entry)

    def ahead_ms(self) -> int:
        """Return how many milliseconds more were taken from the clocks than have passed here; 0 if none."""
        if self._least is None:
            return 0
        (ahead, since), now = self._least, now_ms()
        return _much(self._taken_ms + ahead - now - (now - since) // DRIFT)


class Turns:
    """Compares what our clock loses while the game waits for us with what passes here meanwhile, as long as we follow the game.

    What comes after the answer to a ping was written after that ping was sent, and before it comes. So by the next entry our clock can't
    have lost more than has passed here since that ping: else the entry before, another's order, was dated back; we pay for his thinking.

    Attributes:
        others: what their clocks lose.
    """

    def __init__(self) -> None:
        self.others = Others()
        self._heard_ms: int | None = None  # when the last ping was sent that was answered while we knew all of the game
        self._since_ms: int | None = None  # after which moment the last entry was written
        self._began: tuple[int, int] | None = None  # when the first such ping was sent, and what the server's clock showed then at the most
        self._extra_ms = 0

    def begin_anew(self) -> None:
        """What comes now may have been written at any time since."""
        self._heard_ms = self._since_ms = self._began = None
        self.others.begin_anew()

    def heard(self, at_ms: int, shown_ms: int | None = None) -> None:
        """A ping that was sent then is answered now: what is not known by now was written since.

        Args:
            shown_ms: what the server's clock showed then at the most, by what it has said; None where it has said nothing.
        """
        self._heard_ms = at_ms
        if self._began is None and shown_ms is not None:
            self._began = (at_ms, shown_ms)
        self.others.heard(at_ms)

    def count_extra_ms(self, match: Match, entry: Entry, sides: set[Side]) -> int:
        """Count how much more than passes here the clock of one of our sides loses; return it in all, 0 if that is not much.

        Of the first entry that comes, what is lost since the server said first what its clock shows: when the one before was written is
        not known.
        """
        table, now, since = match.table, now_ms(), self._since_ms
        from_ms = match.log.entries[-1].time_ms if len(match.log) else 0
        if since is None and self._began is not None:
            since, from_ms = self._began[0], max(self._began[1], from_ms)
        self._since_ms = self._heard_ms
        if not table.clocks.are_kept or match.outcome is not None or isinstance(entry.act, SetClock):
            return 0
        side = table.on_clock()
        if since is None or side not in sides or side not in table.clocks.left_ms:
            return 0
        upto_ms = entry.time_ms - (entry.act.ms if isinstance(entry.act, Away | Late) else 0)  # the rest is nobody's, or another's
        lost = table.clocks_at(from_ms).left_ms[side] - table.clocks_at(max(upto_ms, from_ms)).left_ms[side]
        self._extra_ms += max(lost - (now - since) - (now - since) // DRIFT - WRITTEN_MS, 0)
        return _much(self._extra_ms)


class Others:
    """Compares what passes by the log while the game waits for others with what passes here, as long as we follow it over one line.

    A server that answers pings is there, and its clock goes on, unless it says that none runs. So by the next entry no less has passed by
    the log than passed here up to the last ping that was answered: else the clock of others stood still, as that of a host who plays, or
    what they thought was called a time in which the server was away.
    """

    def __init__(self) -> None:
        self._upto_ms: int | None = None  # up to when what passes here is counted; None: nothing is yet
        self._runs = False
        self._passed_ms = self._passed_in_all_ms = self._spared_ms = 0

    def begin_anew(self) -> None:
        """Of what passes till the server says that clocks run nothing is known."""
        self._upto_ms, self._runs, self._passed_ms = None, False, 0

    def stand(self, *, runs: bool) -> None:
        """The server says whether clocks run."""
        if runs and not self._runs:
            self._upto_ms = now_ms()
        self._runs = runs

    def heard(self, at_ms: int) -> None:
        """A ping that was sent then is answered now, and all that was written before is known."""
        if self._upto_ms is None:
            return
        now, passed_ms = now_ms(), at_ms - self._upto_ms
        if not self._runs or passed_ms > NEAR_MS or now - at_ms > PROMPT_MS:
            self._upto_ms = now
        elif passed_ms > 0:
            self._upto_ms = at_ms
            self._passed_ms += passed_ms

    def count_spared_ms(self, match: Match, entry: Entry, sides: set[Side]) -> int:
        """Count how much less than passes here the clocks of others than our sides lose; return it in all, 0 if that is not much."""
        passed_ms, self._passed_ms = self._passed_ms, 0
        self._upto_ms = now_ms() if self._runs else None
        clocks, is_over = match.table.clocks, match.outcome is not None
        if not (clocks.are_kept and clocks.runs) or is_over or match.table.on_clock() not in clocks.left_ms.keys() - sides:
            return 0
        self._passed_in_all_ms += passed_ms
        self._spared_ms += max(passed_ms - _gone_ms(match, entry) - WRITTEN_MS, 0)
        return _much(self._spared_ms - self._passed_in_all_ms // STALLS)


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


def _gone_ms(match: Match, entry: Entry) -> int:
    """Return what passed by the log up to an entry that comes now, but for what is called a time in which nobody kept it."""
    away_ms = entry.act.ms if isinstance(entry.act, Away) else 0
    return max(entry.time_ms - match.log.entries[-1].time_ms - away_ms, 0)


def _much(ms: int) -> int:
    return ms if ms > FREE_MS else 0
