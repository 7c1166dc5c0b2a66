"""For how long a server says that no clock runs while by its log one does.

An honest one says so while it can't write, as its disk is full or held up; a host who plays could do so while she thinks, at no cost, and
what her log's clock shows then is compared with nothing. Nobody here can tell one from the other: the player is told how long it was.
"""

from __future__ import annotations

from typing import NamedTuple

from client.connection import hours
from core.match import Match
from core.units import Side

TOLD_MS = 60_000


class Stood(NamedTuple):
    """How long no clock ran as the game waited for others, and for us."""

    others_ms: int = 0
    ours_ms: int = 0


class Stopped:
    """Counts it for one game, as long as the program runs."""

    def __init__(self) -> None:
        self._upto_ms: int | None = None  # up to when it is counted; None: the server does not say that no clock runs
        self._stood = Stood()
        self._is_told = False

    def begin_anew(self) -> None:
        """Whether clocks run is told anew."""
        self._upto_ms = None

    def stand(self, *, runs: bool) -> None:
        """The server says whether clocks run."""
        if runs:
            self._upto_ms = None
        elif self._upto_ms is None:
            self._upto_ms = hours.now_ms()

    def heard(self, match: Match, sides: set[Side]) -> Stood | None:
        """A ping is answered and all of the game is known: count what has passed, and return it once it is a minute for others.

        Args:
            sides: ours.
        """
        if self._upto_ms is None:
            return None
        now = hours.now_ms()
        passed_ms, self._upto_ms = now - self._upto_ms, now
        clocks, side = match.table.clocks, match.table.on_clock()
        if not (clocks.are_kept and clocks.runs and side in clocks.left_ms) or match.outcome is not None or passed_ms > hours.NEAR_MS:
            return None
        others, ours = self._stood
        self._stood = Stood(others, ours + passed_ms) if side in sides else Stood(others + passed_ms, ours)
        if self._is_told or self._stood.others_ms < TOLD_MS:
            return None
        self._is_told = True
        return self._stood
