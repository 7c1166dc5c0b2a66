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

AT_ONCE = 64  # messages that are taken in before anything else has its turn
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
                return
            try:
                self._take_in(_parts(self._socket))
            except Exception:  # what came with it is not to wait for the next message
                logger.exception("a message could not be taken in")
        self._look_soon()

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


def _parts(socket: zmq.Socket[bytes]) -> Sequence[zmq.Frame]:
    """Take the next message, which is there."""
    parts = [_receive(socket, _NOW, copy=False)]
    while parts[-1].more:
        parts.append(_receive(socket, _NOW, copy=False))
    return parts
