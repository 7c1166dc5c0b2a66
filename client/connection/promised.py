"""Orders that the server says are written down: each stands in the log that it shows, or it lets the clock of who gave it run on.

An entry is sent before its order is accepted. Where it is not here the game is asked for again, as it may be lost; what has not come with
the answer was never written down.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from core import protocol
from core.identity import SIGNATURE_BYTES
from core.match import Match
from core.text import Text, text
from core.units import Side


class Promise(NamedTuple):
    """An order was accepted as an entry, by the numbers of a viewer."""

    frame: protocol.Give
    number: int
    viewer: Side

    def is_kept(self, match: Match) -> bool:
        """Say whether the entry is here; where secrets are kept no signature is shown."""
        if self.number not in range(len(match.log)):
            return False
        entry = match.log.entries[self.number]
        if match.viewer:
            return entry.side == self.frame.side and entry.act is None
        return entry.signature[:SIGNATURE_BYTES] == self.frame.signature


class Promised:
    """Keeps what the server said of one client's orders."""

    def __init__(self) -> None:
        self._old: set[str] = set()  # ids of what was asked, and not answered, as the line came up
        self._due: dict[str, Promise] = {}  # by id, what is not here yet

    def begin_anew(self, asked: Iterable[str]) -> None:
        """The line came up: what was asked before, by these ids, may have been written down at any time."""
        self._old = set(asked)

    def forget(self, game: str) -> None:
        """The game comes anew, or is followed no more."""
        self._due = {order_id: due for order_id, due in self._due.items() if due.frame.game != game}

    def accepted(self, frame: protocol.Give, number: int, match: Match) -> bool:
        """Take note that an order was accepted; say whether its entry is here."""
        promise = Promise(frame, number, match.viewer)
        if not promise.is_kept(match):
            self._due[frame.order_id] = promise
        return frame.order_id not in self._due

    def is_new(self, order_id: str) -> bool:
        """Say whether an order was given since the line came up."""
        return order_id not in self._old

    def broken(self, match: Match) -> Text | None:
        """A game that is shown as it is played is known to its end: return what was accepted and is not here, once; None if nothing is."""
        for order_id, due in [one for one in self._due.items() if one[1].frame.game == match.game]:
            del self._due[order_id]
            if not due.is_kept(match) and due.viewer == match.viewer:
                return text("the server accepted your order as entry {number}, and has not written it down", number=due.number)
        return None


class Unseen:
    """Orders that a server takes of who is shown the game later than it is played, as it says: who sits there is shown it as it is.

    How it is shown may be told a moment later, or be lost: the game is asked for again first.
    """

    def __init__(self) -> None:
        self._given: set[str] = set()  # ids
        self._taken: dict[str, int] = {}  # in which games an order was taken, and how many pongs have come since

    def begin_anew(self) -> None:
        """The line came up."""
        self._given.clear()
        self._taken.clear()

    def given(self, frame: protocol.Give) -> None:
        """Take note of an order that is given for the first time while its game is shown later."""
        self._given.add(frame.order_id)

    def accepted(self, frame: protocol.Give) -> None:
        """Take note that an order was accepted."""
        if frame.order_id in self._given:
            self._given.remove(frame.order_id)
            self._taken.setdefault(frame.game, 0)

    def sees_now(self, game: str) -> None:
        """The server says that it shows a game as it is played."""
        self._taken.pop(game, None)

    def count_pong(self, game: str) -> int:
        """A pong came: count it, and return the how many-th it is since an order was taken that should not be; 0 if none was."""
        if game not in self._taken:
            return 0
        self._taken[game] += 1
        return self._taken[game]
