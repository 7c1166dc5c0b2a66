"""A message of a server's that never ends.

A message of ZeroMQ may have parts without number, of which libzmq keeps each until the last one has come, and tells nobody. Where the
system says what came over a line (Linux), one is found on which much has come since the last whole message.
"""

from __future__ import annotations

import socket
import struct
import sys

from core import protocol

MUCH = 16 << 20  # bytes: more than the system keeps of a line that nobody reads, and sixteen times the longest message
BACKLOG = 3 * MUCH  # bytes of whole messages, about, that may wait to be taken in; libzmq holds them to no number
_RECEIVED = struct.Struct("=128xQ")  # of Linux' `tcp_info`


class Unfinished:
    """Looks how much has come over a line since its last whole message.

    Args:
        port: of the server at its other end.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._line = -1
        self._since = self._taken = 0

    def connected(self, line: int) -> None:
        """Look at the line of this descriptor from now on; -1: at none."""
        self._line, self._since, self._taken = line, 0, 0

    def received(self) -> int:
        """Return how many bytes have come over the line, 0 where that isn't known."""
        if self._line < 0 or sys.platform != "linux":
            return 0
        try:
            line = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 0, fileno=self._line)
        except OSError:
            return 0
        try:
            if line.getpeername()[1] != self._port:  # the line has ended, and its number is another's
                return 0
            received: int = _RECEIVED.unpack_from(line.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256))[0]
            return received
        except (OSError, IndexError, TypeError, struct.error):
            return 0
        finally:
            line.detach()

    def taken(self, size: int) -> None:
        """Take note that a message of this size was taken in."""
        self._taken += size + protocol.AROUND

    def looked(self) -> None:
        """Take note that whole messages were taken in, all or many."""
        self._since = self.received()

    def is_backlog(self, received: int) -> bool:
        """Say whether more waits to be taken in than a program should keep: the line may be ended, and what waits asked for later."""
        return received - self._taken > BACKLOG

    def is_much(self, received: int, *, waiting: int) -> bool:
        """Say whether *received* bytes are too much, if no more whole messages than *waiting* were there since they were counted."""
        return received - self._since > MUCH + waiting * protocol.MAX_FRAME
