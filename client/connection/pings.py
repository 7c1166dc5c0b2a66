"""The pings of one line, and to which of them an answer is.

A server says it by their numbers: one answer that is lost, or kept back, makes none behind it late. One of before numbers answers none,
and each answer is to the ping that waits longest.
"""

from __future__ import annotations

from collections import deque

from core import protocol


class Pings:
    """What was asked and answered over one line, connection after connection.

    Attributes:
        sent: how many pings were sent.
        heard_ms: when the one was sent that was answered last, None where none was.
    """

    def __init__(self) -> None:
        self.sent = 0
        self.heard_ms: int | None = None
        self._waiting: deque[int] = deque()  # when those were sent that have no answer yet
        self._is_numbered: bool | None = None  # whether the server answers by numbers; None: it has answered nothing yet

    @property
    def answered(self) -> int:
        """Return the number of the ping that was answered last."""
        return self.sent - len(self._waiting)

    def next(self) -> protocol.Ping:
        """Return the next ping; a server of before numbers takes one that bears none alone for a ping while it is busy."""
        return protocol.Ping(0 if self._is_numbered is False else self.sent + 1)

    def sends(self, at_ms: int) -> None:
        """Take note that it was sent."""
        self._waiting.append(at_ms)
        self.sent += 1

    def answers(self, pong: protocol.Pong) -> bool:
        """Take in an answer; say whether it is one to a ping that waits: one without a number is none of who answers by numbers."""
        number = pong.number or (0 if self._is_numbered else self.answered + 1)
        if not self.answered < number <= self.sent:
            return False
        self._is_numbered = pong.number > 0
        while self.answered < number:
            self.heard_ms = self._waiting.popleft()
        return True

    def begin_anew(self) -> None:
        """The line came up: on this connection those of before are answered no more, and there may be another server's program."""
        self._waiting.clear()
        self._is_numbered = None
