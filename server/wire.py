"""The server's socket in its event loop: what comes is handed on at once, what goes never waits.

A plain socket and a reader on its descriptor: with the futures of `zmq.asyncio` a message in or out took four times as long. ZeroMQ's
descriptor tells of a change once, and each call on the socket may use that up: so the socket is looked at until nothing is left, and again
after everything that was sent.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

import zmq

from server import endless

AT_ONCE = 64  # messages that are taken in before anything else has its turn
MOST_PARTS = 16  # of a message; one that has more is of no program of ours, and its line is ended
PARTS_AT_ONCE = 256
_EVENTS, _MAY_READ = int(zmq.EVENTS), int(zmq.POLLIN)
_NOW, _NOW_WITH_MORE = int(zmq.DONTWAIT), int(zmq.DONTWAIT | zmq.SNDMORE)
# What `send_multipart` and `recv_multipart` come to, without what they do for other uses: it cost four times as much.
_send, _receive = zmq.backend.Socket.send, zmq.backend.Socket.recv
TakeIn = Callable[[Sequence[zmq.Frame]], None]
logger = logging.getLogger("rasputitsa.server")


class Wire:
    """One socket.

    Args:
        socket: bound, not one of `zmq.asyncio`; closed by whoever made it, after `stop`.
        take_in: called in the loop with the parts of each message that comes.
    """

    def __init__(self, socket: zmq.Socket[bytes], take_in: TakeIn) -> None:
        self._socket, self._take_in = socket, take_in
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_due = False
        self._begun: list[zmq.Frame] = []  # the first parts of a message that has more than were taken at once
        self._emptied = 0

    def begin(self) -> None:
        """Take in what has come, and what comes from now on, in the running loop."""
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._socket, self._look)
        self._look_soon()

    def stop(self) -> None:
        """Take nothing more in."""
        if self._loop is not None:
            self._loop.remove_reader(self._socket)
            self._loop = None

    def _look_soon(self) -> None:
        if self._loop is not None and not self._is_due:
            self._is_due = True
            self._loop.call_soon(self._look)

    def _look(self) -> None:
        self._is_due = False
        if self._loop is None:
            return
        for _ in range(AT_ONCE):
            if not int(self._socket.get(_EVENTS)) & _MAY_READ:  # `zmq.Again` takes twice as long
                self._emptied += 1
                return
            try:
                if (parts := self._parts()) is None:
                    break
                self._take_in(parts)
            except Exception:  # what came with it is not to wait for the next message
                logger.exception("a message could not be taken in")
        self._look_soon()

    def _parts(self) -> Sequence[zmq.Frame] | None:
        """Take the next message, which is there; None where it has too many parts, which are dropped, some hundred at once."""
        parts = self._begun
        is_ended = len(parts) > MOST_PARTS
        for _ in range(PARTS_AT_ONCE):
            part = _receive(self._socket, _NOW, copy=False)
            if len(parts) <= MOST_PARTS:
                parts.append(part)
            if not part.more:
                self._begun = []
                break
        if len(parts) <= MOST_PARTS:
            return parts
        if not is_ended:
            endless.end(int(str(part.get("__fd"))), f"a message of more than {MOST_PARTS} parts")
        return None

    def emptied(self) -> int:
        """Look whether anything waits; return a number that has changed if all was taken in that waited when this was called before."""
        if not int(self._socket.get(_EVENTS)) & _MAY_READ:
            self._emptied += 1
        self._look_soon()
        return self._emptied

    def send(self, peer: bytes, data: bytes) -> zmq.ZMQError | None:
        """Send a message without waiting; return why that was not possible: `zmq.Again` where the peer is behind."""
        try:
            _send(self._socket, peer, _NOW_WITH_MORE)  # where there is no room for both, this one is not taken
            _send(self._socket, data, _NOW)
        except zmq.ZMQError as error:
            return error.with_traceback(None)  # else it holds the frames of whoever asks, and they hold it: a cycle with all that was to go
        finally:
            self._look_soon()
        return None
