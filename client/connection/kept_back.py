"""Whether a server keeps our dice chain back, and lets dice fall without us that whoever keeps it may know.

It writes a chain down at once, but while an order waits for its dice: then nothing, and it is sent again when that order is decided. So if
a ping that was sent behind it is answered, and it is not written down, an order waited that had begun to by then: before any entry that
was not known yet; and who keeps it waiting for longer than moments is named late. Nor does our clock run then but as we are: where it
does for want of the chain, the server lets us lose on time; one that can't write says that no clock runs.
"""

from __future__ import annotations

from typing import NamedTuple

from client.connection import hours
from core import protocol
from core.log import ROOT, Entry
from core.match import Match
from core.text import Text, text
from core.units import Side


class There(NamedTuple):
    """The server has our chain: when that was found, and how many entries were known by then."""

    at_ms: int
    entries: int


class Clock:
    """Counts for how long the server has our chain while clocks run, as it says."""

    def __init__(self) -> None:
        self._sent_ms: int | None = None  # when the chain was sent first; None: it was not
        self._upto_ms: int | None = None  # up to when it is counted; None: the server has no chain, or no clock ran as was looked last
        self._waited_ms = 0
        self._has_come = False

    def begin_anew(self) -> None:
        """What was sent may not have come; for how long it was so before stays."""
        self._sent_ms, self._upto_ms, self._has_come = None, None, False

    def sent(self) -> None:
        """The chain is sent now, maybe again."""
        self._sent_ms = hours.now_ms() if self._sent_ms is None else self._sent_ms

    def heard(self, at_ms: int) -> None:
        """A ping that was sent then is answered now."""
        if not self._has_come and self._sent_ms is not None and self._sent_ms < at_ms:
            self._has_come, self._upto_ms = True, hours.now_ms()

    def count(self, *, runs: bool) -> int:
        """Return for how long it was so by now; *runs*: clocks do, the server says."""
        now = hours.now_ms()
        if runs and self._upto_ms is not None:
            self._waited_ms += now - self._upto_ms
        self._upto_ms = now if runs and self._has_come else None
        return self._waited_ms


class KeptBack:
    """Looks at one game, as long as one line is up."""

    def __init__(self) -> None:
        self._length = 0  # how many entries are known
        self._sent_ms: int | None = None  # when the chain was sent, None where it need not have come, or not as no order waited
        self._there: There | None = None
        self._clock = Clock()
        self._is_told = False

    def begin_anew(self) -> None:
        """What was sent may not have come."""
        self._sent_ms = self._there = None
        self._clock.begin_anew()
        self._is_told = False

    def _forget(self) -> None:
        self._sent_ms, self._there, self._clock = None, None, Clock()

    def sent(self) -> None:
        """The chain is sent now, maybe again."""
        self._sent_ms = hours.now_ms()
        self._clock.sent()

    def was_not_written(self) -> None:
        """The server says that it could not write something of this game down, as with a full disk: it may have been this."""
        self._sent_ms = self._there = None

    def heard(self, at_ms: int) -> None:
        """A ping that was sent then is answered now, and all that was written before is known."""
        if self._there is None and self._sent_ms is not None and self._sent_ms < at_ms:
            self._there = There(hours.now_ms(), self._length)
        self._clock.heard(at_ms)

    def fault(self, match: Match, entry: Entry, *, owes: bool) -> Text | None:
        """Return what is wrong with an entry that comes now and is not in the match yet, once; None if nothing is.

        Args:
            owes: whether we are to witness and no chain of ours is written down.
        """
        there, self._length = self._there, entry.number + 1
        if entry.k or not owes or match.outcome is not None:  # an order that waited, or would have, is decided or dropped
            self._forget()
        if there is None or not owes or not entry.k or self._is_told or _may_have_waited(match, entry, there):
            return None
        self._is_told = True
        return text("dice fell without you, and the server had your dice chain before their order waited: whoever keeps it may know them")

    def fault_of_clock(self, match: Match, ours: set[Side], *, owes: bool, runs: bool) -> Text | None:
        """All of the game is known: return that our clock runs for want of a chain which the server had long ago, once; None if it doesn't.

        Args:
            ours: our sides.
            owes: whether we are to witness and no chain of ours is written down.
            runs: whether clocks run, as the server says.
        """
        table, waited_ms = match.table, self._clock.count(runs=runs)
        is_ours = table.clocks.are_kept and table.clocks.runs and match.outcome is None and table.on_clock() in ours
        if not owes or not is_ours or self._is_told or match.witnesses.named_for(match.log.k + 1) or waited_ms < hours.FREE_MS:
            return None
        self._is_told, self._clock = True, Clock()
        return text("our clock runs for want of your dice chain, which the server has had for long, and does not write down")


def _may_have_waited(match: Match, entry: Entry, there: There) -> bool:
    """Say whether an order may have waited for its dice as our chain came."""
    before = next((one.number for one in reversed(match.log.entries) if one.hash == entry.pending), ROOT)
    return before < there.entries and (hours.now_ms() - there.at_ms < hours.FREE_MS or bool(match.witnesses.named_for(entry.k)))


def could_not_write(answer: protocol.NotAccepted | protocol.Failed) -> bool:
    """Say whether a server says that it could not write something down, which its player is told: any other refusal is of no chain."""
    if isinstance(answer, protocol.Failed):
        return answer.where == protocol.SERVER
    return answer.text.template in (protocol.NOT_WRITTEN, protocol.GONE_ON)
