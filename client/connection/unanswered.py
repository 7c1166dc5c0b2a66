"""Orders that a server has, and for long neither takes nor refuses: a host who plays could let the clock of who gave them run meanwhile.

An order is answered before any ping that is sent behind it, unless it waits for its dice; what is lost on its way is sent again. So what
orders wait is summed up: of an honest server it is nothing, also where it has much to do, or the line is cut, and more only by each loss.
"""

from __future__ import annotations

import msgspec

from client.connection import hours
from client.connection.hourglass import runs_by_log
from core import protocol
from core.log import Pending
from core.match import Match
from core.units import Side

LONG_MS = 300_000  # where no clocks are kept


class _Given(msgspec.Struct):
    """An order, and up to when it is counted how long the server has it."""

    frame: protocol.Give
    upto_ms: int


class Unanswered:
    """Keeps the orders that one client gave on one server."""

    def __init__(self) -> None:
        self._given: dict[str, _Given] = {}
        self._waited_ms: dict[str, int] = {}  # by games
        self._told: set[str] = set()

    def line_is_up(self) -> None:
        """What was sent before may not have come, and is sent again."""
        for given in self._given.values():
            given.upto_ms = hours.now_ms()

    def gives(self, frame: protocol.Give) -> None:
        """An order is given."""
        self._given[frame.order_id] = _Given(frame, hours.now_ms())

    def is_answered(self, frame: protocol.Give) -> None:
        """An order was taken, or refused."""
        self._given.pop(frame.order_id, None)

    def heard(self, match: Match, sides: set[Side], at_ms: int, *, runs: bool, waits: Pending | None) -> int:
        """A ping that was sent then is answered, and all of a game is known.

        Args:
            sides: ours; empty: we don't play, or are not told for whose order dice are to fall.
            runs: whether clocks run, as the server says.
            waits: the record for whose dice a link was asked last.

        Returns:
            For how long in all the server has had orders while our clock ran, or none is kept; once a game, as that is long; else 0.
        """
        counts, passed_ms = _counts(match, sides, runs=runs), 0
        for given in [one for one in self._given.values() if one.frame.game == match.game and at_ms > one.upto_ms]:
            for_dice = waits is not None and waits.k > match.log.k and waits.signature == given.frame.signature
            if counts and not for_dice and at_ms - given.upto_ms <= hours.NEAR_MS:
                passed_ms = max(passed_ms, at_ms - given.upto_ms)
            given.upto_ms = at_ms
        waited_ms = self._waited_ms[match.game] = self._waited_ms.get(match.game, 0) + passed_ms
        if match.game in self._told or waited_ms <= (hours.FREE_MS if match.table.clocks.are_kept else LONG_MS):
            return 0
        self._told.add(match.game)
        return waited_ms


def _counts(match: Match, sides: set[Side], *, runs: bool) -> bool:
    """Say whether an order that waits costs us time, or no clocks are kept."""
    if not sides or match.outcome is not None:
        return False
    return not match.table.clocks.are_kept or (runs and runs_by_log(match) and match.table.on_clock() in sides)
