"""What is due from a server: games that were asked for, entries that it has sent, answers to what was sent once.

The server answers a ping after everything that it was sent before, and its answer comes after everything that it sent before. So what is
missing when two answers in a row have come was lost on the way, and is asked for again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from core import protocol
from core.match import Match


class Due:
    """Keeps what is due.

    Attributes:
        games: those that were asked for and are not known up to their last entry yet.
        stuck: those in which something came that does not follow; no asking again over the same connection mends that.
        anew: those that must come from their beginning, as they were stuck before.
    """

    def __init__(self) -> None:
        self.games: set[str] = set()
        self.stuck: set[str] = set()
        self.anew: set[str] = set()
        self._missing: frozenset[str] = frozenset()

    def begin_anew(self) -> None:
        """Expect nothing of what was sent over an earlier connection."""
        self.anew |= self.stuck
        self.stuck.clear()
        self._missing = frozenset()

    def lacking(self, pong: protocol.Pong, matches: Mapping[str, Match], wanted: Iterable[str]) -> set[str]:
        """Return the games of which something is missing."""
        behind = {game for game in wanted if game in matches and pong.last.get(game, -1) >= len(matches[game].log)}
        return (self.games | behind) - self.stuck

    def lost(self, missing: Iterable[str]) -> frozenset[str]:
        """Return what was missing the last time too; it is due anew from now on."""
        now = frozenset(missing)
        lost = now & self._missing
        self._missing = now - lost
        return lost
