"""For how long a server says that no clock runs while by its log one does, or answers nothing by which its log's times could be checked.

An honest one does so while it can't write, as its disk is full or held up, or has much to do; a host who plays could while she thinks, at
no cost, and what her log's clock shows then is compared with nothing. Nobody here can tell one from the other: the player is told how long
it was.
"""

from __future__ import annotations

from typing import NamedTuple

from client.connection import hours
from core.match import Match
from core.units import Side

TOLD_MS = 60_000
UNHEARD_MS = 15_000  # without such an answer: it may be on its way, or what was sent before may be lost
SILENT_MS = 20_000  # from one message to the next: on a line that brings none for longer the server is taken for gone


class Stood(NamedTuple):
    """How long it was so as the game waited for others, and for us."""

    others_ms: int = 0
    ours_ms: int = 0


class Sum:
    """Sums it up for one game, as long as the program runs."""

    def __init__(self) -> None:
        self._stood = Stood()
        self._is_told = False

    def add(self, match: Match, sides: set[Side], passed_ms: int) -> Stood | None:
        """Count what has passed where a clock ran by the log, and return it, once, as it is a minute for others.

        Args:
            sides: ours.
        """
        clocks, side = match.table.clocks, match.table.on_clock()
        if not (clocks.are_kept and clocks.runs and side in clocks.left_ms) or match.outcome is not None:
            return None
        others, ours = self._stood
        self._stood = Stood(others, ours + passed_ms) if side in sides else Stood(others + passed_ms, ours)
        if self._is_told or self._stood.others_ms < TOLD_MS:
            return None
        self._is_told = True
        return self._stood


class Stopped:
    """Counts it for one game, as long as the program runs."""

    def __init__(self) -> None:
        self._upto_ms: int | None = None  # up to when it is counted; None: the server does not say that no clock runs
        self._sum = Sum()

    def begin_anew(self) -> None:
        """Whether clocks run is told anew."""
        self._upto_ms = None

    @property
    def runs(self) -> bool:
        """Whether clocks run, as the server says."""
        return self._upto_ms is None

    def stand(self, *, runs: bool) -> None:
        """The server says whether clocks run."""
        if runs:
            self._upto_ms = None
        elif self._upto_ms is None:
            self._upto_ms = hours.now_ms()

    def heard(self, match: Match, sides: set[Side]) -> Stood | None:
        """A ping is answered and all of the game is known: count what has passed, as of `Sum.add`."""
        if self._upto_ms is None:
            return None
        now = hours.now_ms()
        passed_ms, self._upto_ms = now - self._upto_ms, now
        return self._sum.add(match, sides, passed_ms) if passed_ms <= hours.NEAR_MS else None


class Unheard:
    """Counts how long no ping is answered with all of the game known, though the server is there, as long as the program runs."""

    def __init__(self) -> None:
        self._upto_ms = hours.now_ms()
        self._unheard_ms = 0
        self._sum = Sum()

    def heard(self) -> None:
        """A ping is answered and all of the game is known; or the line came up, or the game is followed anew."""
        self._upto_ms, self._unheard_ms = hours.now_ms(), 0

    def comes(self, match: Match, sides: set[Side]) -> Stood | None:
        """A message came: count what has passed, as of `Sum.add`."""
        now = hours.now_ms()
        passed_ms, self._upto_ms = now - self._upto_ms, now
        if passed_ms > SILENT_MS:  # as while a machine sleeps
            return None
        self._unheard_ms += passed_ms
        return self._sum.add(match, sides, passed_ms) if self._unheard_ms > UNHEARD_MS else None
