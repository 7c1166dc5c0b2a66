"""What the server's clock shows, by which a game's clocks are reckoned on the screen: it can't fall behind ours while it runs.

Only the server tells what it shows. A host who plays could tell of less than has passed while the game waits for her opponent, who would
lose by time with minutes left on his screen. An honest one's stands still now and then, and it says so, or answers no ping meanwhile; a
message that is long on its way tells of less than there is by then. So the greatest that was told holds, less what it may have stood still.
"""

from __future__ import annotations

from client.connection import hours
from client.connection.hours import FREE_MS, NEAR_MS, PROMPT_MS, STALLS, WRITTEN_MS
from core.log import Away, Entry
from core.match import Match


class Face:
    """Reckons the server's clock for one game, as long as we follow it over one line.

    Args:
        since_ms: when the line came up: what is told over it was written since.
    """

    def __init__(self, since_ms: int) -> None:
        self._since_ms = since_ms - PROMPT_MS  # after which moment what comes now was written
        self._ahead_ms: int | None = None  # how much the server's clock is ahead of ours, as it is shown; None: it was not told yet
        self._least_ms = self._most_ms = 0  # how much it is at the least, and was at the most as it was told last
        self._upto_ms = 0  # up to when it is known what of the time that passed here it may have stood still
        self._runs = self._is_told = self._is_written = False

    def begin_anew(self) -> None:
        """The server may be another by now, with another clock."""
        self._ahead_ms, self._runs, self._since_ms = None, False, hours.now_ms() - PROMPT_MS

    def tell(self, at_ms: int, *, runs: bool) -> int:
        """The server says that its clock shows *at_ms*, and whether games' clocks run; return what it shows at the least."""
        now = hours.now_ms()
        if self._ahead_ms is None:
            self._least_ms, self._upto_ms = at_ms - now, now
        elif not self._runs:
            self._may_have_stood(now - self._upto_ms, upto_ms=now)
        self._runs, self._most_ms = runs, at_ms - self._since_ms
        self._least_ms = max(self._least_ms, at_ms - now)
        self._ahead_ms = max(at_ms - now, self._least_ms - self._unknown_ms(now))
        return now + self._ahead_ms

    def heard(self, at_ms: int) -> None:
        """A ping that was sent then is answered now, and all of the game is known that was written before."""
        self._since_ms = max(self._since_ms, at_ms)
        if self._ahead_ms is None:
            return
        now, passed_ms = hours.now_ms(), at_ms - self._upto_ms
        if not self._runs or passed_ms > NEAR_MS or now - at_ms > PROMPT_MS:
            self._may_have_stood(now - self._upto_ms, upto_ms=now)
        elif passed_ms > 0:
            self._may_have_stood(passed_ms // STALLS + (WRITTEN_MS if self._is_written else 0), upto_ms=at_ms)
            self._is_written = False

    def _may_have_stood(self, ms: int, *, upto_ms: int) -> None:
        self._least_ms -= ms
        self._upto_ms = upto_ms

    def _unknown_ms(self, now: int) -> int:
        """Return of how much that has passed here nothing is known yet."""
        return max(now - self._upto_ms, 0)

    def most_ms(self, at_ms: int) -> int | None:
        """Return what the server's clock shows at a moment here at the most, by what was told last; None where nothing was."""
        return None if self._ahead_ms is None else at_ms + max(self._ahead_ms, self._most_ms)

    def behind_ms(self, at_ms: int) -> int:
        """Return, once, by how much less the server says that its clock shows than it has to, if that is much; else 0."""
        if self._ahead_ms is None or not self._runs or self._is_told:
            return 0
        now = hours.now_ms()
        return self._once(self._least_ms - self._unknown_ms(now) - (at_ms - now))

    def count_slow_ms(self, match: Match, entry: Entry) -> int:
        """Return, once, by how much more an entry that comes now says of the time than the server said before, if that is much; else 0.

        What it said may have been on its way as long as the last ping before that was answered.
        """
        self._is_written = True
        clocks = match.table.clocks
        runs = self._runs and clocks.are_kept and clocks.runs and match.outcome is None and not isinstance(entry.act, Away)
        if self._ahead_ms is None or not runs or self._is_told:
            return 0
        return self._once(entry.time_ms - hours.now_ms() - max(self._ahead_ms, self._most_ms))

    def _once(self, ms: int) -> int:
        self._is_told = ms > FREE_MS
        return ms if self._is_told else 0
