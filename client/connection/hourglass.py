"""One hourglass for a game's clocks: what its log takes from them is held against what passes here, also where it is little each time.

Only the server says when an entry was written. A host who plays could have her opponent pay for what she thinks, by orders that are dated
back, or think herself while her clock stands still. But an entry that comes was written before it came, and after the last ping that was
answered without it; and a server that answers pings is there, and its clock goes on, unless it says that none runs. How long that could
not be checked is counted as well.
"""

from __future__ import annotations

from typing import NamedTuple

from client.connection import hours
from client.connection.hours import DRIFT, NEAR_MS, PROMPT_MS, STALLS, WRITTEN_MS
from core.log import Away, Entry, Late, SetClock
from core.match import Match
from core.units import Side

TOLD_MS = 60_000  # in which clocks could not be checked while the game waited for others, or for us
UNHEARD_MS = 15_000  # without an answer to a ping: it may be on its way, or what was sent before may be lost
SILENT_MS = 20_000  # from one message to the next: on a line that brings none for longer the server is taken for gone


class Rises:
    """Sums up by how much a reading has risen that can't rise; at each moment it is known between what it lies.

    Of all ways to tell when it rose, and when it fell, the one counts by which it rose most. `WRITTEN_MS` of each rise are free, however
    many entries it takes: by as much the time of an entry is earlier than the moment at which it was written.
    """

    def __init__(self) -> None:
        self._sum_ms = 0
        self._open_ms: int | None = None  # the sum as a rise began, less the reading then; None: nothing is known to rise from

    @property
    def is_open(self) -> bool:
        """Say whether a reading is known to rise from."""
        return self._open_ms is not None

    def begin_anew(self) -> None:
        """What is read from here on may have risen honestly."""
        self._open_ms = None

    def from_most(self, most_ms: int) -> None:
        """The reading is no more than this now."""
        opened = self._sum_ms - most_ms
        self._open_ms = opened if self._open_ms is None else max(self._open_ms, opened)

    def to_least(self, least_ms: int) -> int:
        """The reading is no less than this now; return by how much it has risen in all."""
        if self._open_ms is not None:
            self._sum_ms = max(self._sum_ms, self._open_ms + least_ms - WRITTEN_MS)
        return self._sum_ms


class Found(NamedTuple):
    """What was found of clocks up to an entry, in all; 0 where it is not much.

    *extra_ms* is what ours lost and has not passed here, *stood_ms* what they lost while the server said that none runs, and *spared_ms*
    what passed here, as the game waited for others, and their clocks have not lost.
    """

    extra_ms: int = 0
    stood_ms: int = 0
    spared_ms: int = 0


class Thought(NamedTuple):
    """How long others thought, and we."""

    others_ms: int = 0
    ours_ms: int = 0


class Unchecked:
    """Sums up for how long a server was there, and a clock of a game ran by its log, and could not be checked, as the program runs."""

    def __init__(self) -> None:
        self._upto_ms = hours.now_ms()
        self._open = self._sum = Thought()  # what has passed since the last answer to a ping; what could not be checked
        self._much_ms = TOLD_MS  # from how much on it is to be told next

    def begin_anew(self) -> None:
        """What was sent may be answered no more; whether the server was there up to now is not known."""
        self._close(0)
        self._upto_ms = hours.now_ms()

    def passes(self, match: Match, sides: set[Side]) -> None:
        """Something came from the server: it was there since something did last. *sides* are ours; empty: we don't play."""
        now = hours.now_ms()
        passed_ms, self._upto_ms = now - self._upto_ms, now
        if passed_ms > SILENT_MS or not sides or not runs_by_log(match):  # as while a machine sleeps
            return
        others, ours = self._open
        self._open = Thought(others, ours + passed_ms) if match.table.on_clock() in sides else Thought(others + passed_ms, ours)
        if sum(self._open) > UNHEARD_MS:
            self._close(0)

    def checks(self, ms: int) -> None:
        """A ping is answered: of what has passed by now so much is checked."""
        self._close(ms)

    def _close(self, ms: int) -> None:
        self._sum = Thought(*(done + max(more - ms, 0) for done, more in zip(self._sum, self._open, strict=True)))
        self._open = Thought()

    def much(self) -> Thought | None:
        """Return what it is in all, as it is a minute for others or for us, and whenever it has doubled since; else None.

        Then an order of ours may lie there as our clock runs; and by how much it is what befalls a line can be told from what a host does.
        """
        if max(self._sum) < self._much_ms:
            return None
        while self._much_ms <= max(self._sum):
            self._much_ms *= 2
        return self._sum


class Hourglass:
    """Compares one game's clocks with ours, as long as the program runs; what was found stays, whatever becomes of the line.

    Three readings rise only where a clock is not what it is said to be: what our clocks lost, less what passed here; the same, less
    what passed here while the server did not say that no clock runs; and what passed here while pings were answered, less what passed by
    the log: of that, what passes while the game waits for us is nobody's gain.
    """

    def __init__(self) -> None:
        self._extra, self._while_stood, self._spared = Rises(), Rises(), Rises()
        self.unchecked = Unchecked()
        self._runs: bool | None = None  # whether clocks run, as the server says; None: it has said nothing yet
        self._upto_ms: int | None = None  # up to when it is counted what passes while they do, or don't; None: nothing is yet
        self._heard_ms: int | None = None  # when the last ping was sent that was answered while we knew all of the game
        self._lost_ms = self._by_log_ms = 0  # what our clocks lost; what passed by the log
        self._checked_ms = self._stood_ms = 0  # what passed here while pings were answered and clocks ran, and while none ran
        self._at_entry_ms = 0  # what *_checked_ms* was at the most as the last entry came
        self._others_ms = 0  # what was checked while the game waited for others
        self._spared.from_most(0)
        self._dated_ms: int | None = None  # how far the dates of the log were ahead of our clock at the most, at the first entry

    @property
    def runs(self) -> bool:
        """Say whether clocks run, unless the server says that they don't."""
        return self._runs is not False

    def begin_anew(self) -> None:
        """What comes now may have been written at any time since."""
        self._heard_ms = None
        self._extra.begin_anew()
        self._while_stood.begin_anew()
        self.line_is_up()

    def line_is_up(self) -> None:
        """Of what passes till the server says that clocks run nothing is known."""
        self._runs = self._upto_ms = None
        self.unchecked.begin_anew()

    def stand(self, *, runs: bool) -> None:
        """The server says whether clocks run."""
        if runs != self._runs:
            self._runs, self._upto_ms = runs, hours.now_ms()

    def heard(self, match: Match, sides: set[Side], at_ms: int, shown_ms: int | None = None) -> None:
        """A ping that was sent then is answered now: all that was written before is known.

        Args:
            sides: ours; empty: we don't play.
            shown_ms: what the server's clock showed then at the most, by what it has said; None where it has said nothing.
        """
        self.unchecked.passes(match, sides)
        self.unchecked.checks(self._count(at_ms))
        self._heard_ms = at_ms
        if not self._extra.is_open and (most_ms := self._lost_at_most_ms(match, sides, shown_ms)) is not None:
            self._rise_from(most_ms, at_ms)

    def _count(self, at_ms: int) -> int:
        """Count what has passed up to a ping that is answered; return what was checked up to now."""
        now, upto_ms = hours.now_ms(), self._upto_ms
        if upto_ms is None:
            return 0
        if not self._runs:
            self._stood_ms += max(at_ms - upto_ms, 0)
            self._upto_ms = max(at_ms, upto_ms)
            return 0
        if at_ms - upto_ms > NEAR_MS or now - at_ms > PROMPT_MS:  # it may have stood still
            self._upto_ms = now
            return 0
        self._checked_ms += max(at_ms - upto_ms, 0)
        self._upto_ms = max(at_ms, upto_ms)
        return now - upto_ms

    def _lost_at_most_ms(self, match: Match, sides: set[Side], shown_ms: int | None) -> int | None:
        """Return what our clocks had lost at the most as the server's clock showed *shown_ms*; None where that is not known."""
        if not runs_by_log(match) or match.table.on_clock() not in sides:
            return self._lost_ms
        return None if shown_ms is None else self._lost_ms + max(shown_ms - match.log.entries[-1].time_ms, 0)

    def _rise_from(self, lost_ms: int, at_ms: int) -> None:
        self._extra.from_most(lost_ms - _here(at_ms))
        self._while_stood.from_most(lost_ms - _here(at_ms) + self._stood_ms)

    def count(self, match: Match, entry: Entry, sides: set[Side]) -> Found:
        """Count what an entry that comes now takes from the clocks of a match that it is not in yet; *sides* are ours."""
        if not match.table.clocks.are_kept or not match.log.entries:
            return Found()
        self._take(match, entry, sides)
        now, most_ms = hours.now_ms(), self._checked_ms
        if self._runs and self._upto_ms is not None:
            most_ms += max(now - self._upto_ms, 0)
        self._at_entry_ms = most_ms
        extra_ms = self._extra.to_least(self._lost_ms - _here(now))
        stood_ms = self._while_stood.to_least(self._lost_ms - _here(now) + self._stood_ms)
        spared_ms = self._spared.to_least(self._checked_ms - self._by_log_ms)
        if self._heard_ms is not None:
            self._rise_from(self._lost_ms, self._heard_ms)
        self._spared.from_most(most_ms - self._by_log_ms)
        return Found(hours.much(extra_ms), hours.much(stood_ms - extra_ms), hours.much(spared_ms - self._others_ms // STALLS))

    def ahead_ms(self, entry: Entry) -> int:
        """Return how much more has passed by the date of an entry that comes now than here, since this was known first; 0 if none.

        Not since a later moment: a server whose clock stood still for days makes up for it.
        """
        if self._dated_ms is None:
            self._dated_ms = None if self._heard_ms is None else entry.time_ms - self._heard_ms
            return 0
        return max(entry.time_ms - hours.now_ms() - self._dated_ms, 0)

    def _take(self, match: Match, entry: Entry, sides: set[Side]) -> None:
        """Take what has passed by the log up to an entry; *sides* are ours."""
        passed_ms, sure_ms = max(entry.time_ms - match.log.entries[-1].time_ms, 0), max(self._checked_ms - self._at_entry_ms, 0)
        side = match.table.on_clock() if runs_by_log(match) else ""
        if side and side not in sides:
            self._by_log_ms += hours.gone_ms(match, entry)
            self._others_ms += sure_ms
            return
        self._by_log_ms += max(passed_ms, sure_ms)
        if side and not (isinstance(entry.act, SetClock) and entry.act.side == side):  # a referee's: what is left by it was not lost
            nobodys_ms = entry.act.ms if isinstance(entry.act, Away | Late) else 0  # or another's
            self._lost_ms += max(passed_ms - nobodys_ms, 0)


def runs_by_log(match: Match) -> bool:
    """Say whether a clock runs by the log of a game."""
    clocks = match.table.clocks
    return clocks.are_kept and clocks.runs and match.outcome is None and match.table.on_clock() in clocks.left_ms


def _here(ms: int) -> int:
    """Return a moment here, by a clock that goes as fast as another may."""
    return ms + ms // DRIFT
