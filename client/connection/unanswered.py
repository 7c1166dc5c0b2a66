"""Orders that a server has, and for long neither takes nor refuses: a host who plays could let the clock of who gave it run meanwhile.

An order is answered before any ping that is sent behind it, unless it waits for its dice; what is lost on its way is sent again.
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
    """An order, up to when it is counted how long the server has it, and for how long."""

    frame: protocol.Give
    upto_ms: int
    waited_ms: int = 0


class Unanswered:
    """Keeps the orders that one client gave on one server."""

    def __init__(self) -> None:
        self._given: dict[str, _Given] = {}
        self._told: set[str] = set()  # games

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
            For how long the server has had an order while our clock ran, or none is kept; once a game, as that is long; else 0.
        """
        counts = _counts(match, sides, runs=runs)
        for given in [one for one in self._given.values() if one.frame.game == match.game and at_ms > one.upto_ms]:
            passed_ms, given.upto_ms = at_ms - given.upto_ms, at_ms
            for_dice = waits is not None and waits.k > match.log.k and waits.signature == given.frame.signature
            if counts and not for_dice and passed_ms <= hours.NEAR_MS:
                given.waited_ms += passed_ms
            if given.waited_ms > (hours.FREE_MS if match.table.clocks.are_kept else LONG_MS) and match.game not in self._told:
                self._told.add(match.game)
                return given.waited_ms
        return 0


def _counts(match: Match, sides: set[Side], *, runs: bool) -> bool:
    """Say whether an order that waits costs us time, or no clocks are kept."""
    if not sides or match.outcome is not None:
        return False
    return not match.table.clocks.are_kept or (runs and runs_by_log(match) and match.table.on_clock() in sides)
