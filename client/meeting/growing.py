"""New entries of the game that is shown: shown at once where there is time for it, else together with those that come meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable

from client.connection.notes import Grown
from client.qt import QObject, QTimer

SHARE = 4  # of the window's time, showing entries takes one part in so many: bots give thirty orders a second


class Growing(QObject):
    """Gathers new entries of one game.

    Args:
        show: shows some, in order.
    """

    def __init__(self, parent: QObject, show: Callable[[Grown], None]) -> None:
        super().__init__(parent)
        self._show = show
        self._gathered: list[Grown] = []
        self._rests_until = 0.0  # by the monotonic clock
        self._later = QTimer(self, singleShot=True)
        self._later.timeout.connect(self.flush)

    def take(self, grown: Grown, *, at_once: bool) -> None:
        """Show new entries, *at_once* or when the window has rested from the last ones."""
        self._gathered.append(grown)
        rest = self._rests_until - time.monotonic()
        if at_once or rest <= 0:
            self.flush()
        elif not self._later.isActive():
            self._later.start(round(1000 * rest) + 1)

    def flush(self) -> None:
        """Show what waits, if anything does."""
        gathered, self._gathered = self._gathered, []
        self._later.stop()
        if not gathered:
            return
        began = time.monotonic()
        self._show(Grown(gathered[0].game, tuple(entry for grown in gathered for entry in grown.entries)))
        ended = time.monotonic()
        self._rests_until = ended + (SHARE - 1) * (ended - began)

    def forget(self) -> None:
        """Show nothing of what waits: the game is shown no more, or begins anew."""
        self._gathered = []
        self._later.stop()
