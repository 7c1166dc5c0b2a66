"""What is due from a server: games that were asked for, entries that it has sent, answers to what was sent once.

The server answers a ping after everything that it was sent before, and its answer comes after everything that it sent before. So what was
asked for before a ping, and is missing when the answers to this one and to the next have come, was lost on the way, and is asked for again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from client.connection import hours
from core import protocol
from core.match import Match

LONG_MS = 300_000  # of pings that are answered: what is lost on the way is here again with the next pings but one
LOST_MS = 30_000  # of it may be honest over each line: what was lost on the way is asked for with the second answer
MANY = 20  # entries from one ping to the next: so many come where a long game is on its way over a slow line
PINGS_MS = 10_000  # more than from one ping to the next; what has passed else, as while a machine slept, doesn't count


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
        self._behind_ms: dict[str, int] = {}  # for how long games have lacked what the server says that it has, or has sent, over all lines
        self._lengths: dict[str, int] = {}  # of logs, at the last ping
        self._excused: set[str] = set()  # over this line
        self._withheld: set[str] = set()
        self._pong_ms = hours.now_ms()
        self._sent: dict[str, int] = {}  # behind how many pings it was asked for last, by `name_of` what asks for it

    def begin_anew(self) -> None:
        """Expect nothing of what was sent over an earlier connection."""
        self.anew |= self.stuck
        self.stuck.clear()
        self._missing = frozenset()
        self._sent.clear()
        self._excused.clear()
        self._behind_ms = {game: ms - LOST_MS for game, ms in self._behind_ms.items() if ms > LOST_MS}

    def sends(self, frame: protocol.Frame, pinged: int) -> None:
        """Take note that a frame is sent, maybe again, behind so many pings."""
        if name := name_of(frame):
            self._sent[name] = pinged

    def lacking(self, pong: protocol.Pong, matches: Mapping[str, Match], wanted: Iterable[str]) -> set[str]:
        """Return the games of which something is missing."""
        followed = {game for game in wanted if game in matches}
        behind = {game for game in followed if pong.last.get(game, -1) >= len(matches[game].log)}
        # What was asked for, and is not known to its end, too: a server may name no end of it with its answers.
        self._count((behind | (self.games & followed)) - self.stuck, {game: len(matches[game].log) for game in followed})
        return (self.games | behind | _seen_otherwise(pong, matches, followed)) - self.stuck

    def _count(self, behind: set[str], lengths: dict[str, int]) -> None:
        """Count what has passed since the last ping for the games that are behind, but for those of which much came."""
        now = hours.now_ms()
        ms, self._pong_ms = min(now - self._pong_ms, PINGS_MS), now
        for game in behind:
            if lengths[game] - self._lengths.get(game, 0) < MANY:
                self._behind_ms[game] = self._behind_ms.get(game, 0) + ms
        self._lengths = lengths

    def was_refused(self, game: str, *, why: str) -> None:
        """Something was refused at a game; where it is not sent as we have asked for much it is not withheld for a while, once a line."""
        if why == protocol.READS_MUCH and game not in self._excused:
            self._excused.add(game)
            self._behind_ms.pop(game, None)

    def withheld(self) -> list[str]:
        """Return the games, each once, of which the server says that it has sent more, and for long enough never did."""
        found = sorted(game for game, ms in self._behind_ms.items() if ms >= LONG_MS and game not in self._withheld)
        self._withheld.update(found)
        return found

    def lost(self, missing: Iterable[str], answered: int) -> frozenset[str]:
        """Return what was missing the last time too; it is due anew from now on.

        Args:
            missing: by `name_of` what asks for it.
            answered: the number of the ping whose answer came just now.
        """
        found = frozenset(missing)
        self._sent = {name: pinged for name, pinged in self._sent.items() if name in found}
        now = frozenset(name for name in found if self._sent.get(name, -1) < answered)  # what comes unasked is always due
        lost = now & self._missing
        self._missing = now - lost
        return lost


def _seen_otherwise(pong: protocol.Pong, matches: Mapping[str, Match], followed: Iterable[str]) -> set[str]:
    """Return the games with secrets of which more is known than was sent: what said that it is told as to somebody else was lost."""
    dark = (game for game in followed if matches[game].setting.ruleset.secrets)
    return {game for game in dark if pong.last.get(game, len(matches[game].log)) < len(matches[game].log) - 1}


def name_of(frame: protocol.Frame) -> str:
    """Return by which name what a frame asks for is due; empty where nothing is."""
    match frame:
        case protocol.Follow():
            return frame.game
        case protocol.PublishChain():
            return f"chain {frame.game}"
        case _:
            return str(getattr(frame, "order_id", ""))
