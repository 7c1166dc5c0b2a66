"""Lines on which more comes than is taken in, or a message that never ends.

A message of ZeroMQ may have parts without number. Each is bounded, but not all together: libzmq keeps them until the last one has come, and
tells nobody. Nor does it hold whole ones to a number here (`server.service`). So whoever knows a server's key could fill its memory, 80 MiB
a second. Where the system says what came over a line (Linux), those are ended of which much has come and was not taken in.

Nor may lines on which nobody says anything take all the files that a process may have open: where there are many, they are ended too.

What a line has brought is asked for only while the server's memory grows: at two thousand lines that takes 20 ms, in which others have
their turn again and again.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import socket
import struct
import sys
import time
from collections.abc import AsyncIterator, Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from server.always import again
from server.collecting import give_back
from server.memory import memory

LOOK_EVERY_S = 0.25
GROWN = 8 << 20  # bytes more than before: then lines are looked at
UNTAKEN = 1 << 19  # bytes of a line: whole messages, and the one that has not ended
SILENT_S = 15.0  # between looks for lines that say nothing: programs say at once who they are, and something every 5 s
SILENT_S_IF_FULL = 2.0  # where no file can be opened any more
MANY = 300  # open files and lines; where there are fewer nobody is kept out
AT_ONCE = 50  # of them are looked at before others have their turn
MOST_LOOKED_AT = 1 << 16  # numbers of files, where none can be opened: a container may have a thousand million, or a negative one for any
FDS = "/proc/self/fd"
_RECEIVED = struct.Struct("=128xQ")  # of Linux' `tcp_info`
logger = logging.getLogger("rasputitsa.server")


class Came(NamedTuple):
    """What was taken in of a line: whose it is, and how many bytes, with `protocol.AROUND` for each message."""

    peer: Hashable
    size: int


Taken = Callable[[int], Came | None]


class _Seen(NamedTuple):
    """What the last look saw of a line.

    Attributes:
        came: what was taken in of it; None if nothing ever was.
        since: bytes that it had brought and that were not taken in when nothing whole was waiting: from there we count.
        is_much: whether more has come since than may.
    """

    came: Came | None
    since: int
    is_much: bool = False


class Endless:
    """Looks for lines on which too much comes, and ends them.

    Args:
        port: of the socket whose lines these are.
        taken: returns what was taken in of a line, by its descriptor; None of one that has brought no whole message.
        emptied: returns what changes when every whole message that was there was taken in.
        ended: returns how many lines others have ended for what came over them.
    """

    def __init__(self, port: int, taken: Taken, emptied: Callable[[], int], ended: Callable[[], int] = lambda: 0) -> None:
        self._port, self._taken, self._emptied, self._ended = port, taken, emptied, ended
        self._seen: dict[int, _Seen] = {}
        self._turn = -1
        self._memory = memory()
        self._has_ended, self._others_ended = False, 0
        self._silent: set[int] = set()
        self._sought_s = time.monotonic()

    async def keep_looking(self) -> None:
        """Look again and again, where the system tells what is asked for."""
        if sys.platform == "linux":
            await again("looking at lines", self._look_at_all, LOOK_EVERY_S)

    async def _look_at_all(self) -> None:
        await self.look_if_grown()
        if time.monotonic() - self._sought_s >= (SILENT_S_IF_FULL if is_full() else SILENT_S):
            self._sought_s = time.monotonic()
            await self.end_silent()

    async def look_if_grown(self) -> None:
        """Look at all lines if the memory has grown, and as long as there is much on one of them; then give back what they took."""
        self._memory = min(self._memory, now := memory())
        if (others := self._ended()) != self._others_ended:
            self._others_ended, self._has_ended = others, True
        is_much = now - self._memory >= GROWN and await self.look()
        if self._has_ended and not is_much and (turn := self._emptied()) != self._turn:  # nothing of them waits any more
            give_back()
            self._turn, self._has_ended = turn, False
        if not is_much:
            self._memory = memory() if now - self._memory >= GROWN else self._memory

    async def look(self) -> bool:
        """End lines that have brought too much, now and at the last look; say whether there is one that has now."""
        turn, before = self._emptied(), self._seen
        is_emptied, self._turn, self._seen = turn != self._turn, turn, {}
        async for fd, received in self._lines():
            then = before.get(fd)
            now = self._seen[fd] = _seen(then, self._taken(fd), received, is_emptied=is_emptied)
            if now.is_much and then is not None and then.is_much:  # at once: another line may have its number in a moment
                end(fd, "a message that does not end" if now.came == then.came else "more than can be taken in")
                self._has_ended = True
        return any(one.is_much for one in self._seen.values())

    async def end_silent(self) -> None:
        """End lines that had said nothing at the last time either, where there are many: each takes one of the files that may be open."""
        before, self._silent = self._silent, set()
        if len(_open_files()) < MANY:
            return
        ended = list[str]()
        async for fd, _ in self._lines():
            if self._taken(fd) is None:
                self._silent.add(fd)
                ended += [address] if fd in before and (address := _shut(fd)) else []
        if ended:  # one line of the log, which keeps so much and no more, however many they were
            logger.warning("lines were ended", extra={"number": len(ended), "address": ended[0], "reason": "nothing was said on them"})

    async def _lines(self) -> AsyncIterator[tuple[int, int]]:
        """Yield descriptors of the lines, and how many bytes each has brought; others have their turn after every few."""
        for number, fd in enumerate(_open_files(), 1):
            if (received := _received(fd, self._port)) is not None:
                yield fd, received
            if number % AT_ONCE == 0:
                await asyncio.sleep(0)


def _received(fd: int, port: int) -> int | None:
    """Return how many bytes a line of a port has brought, None if the file is none."""
    try:
        with _borrowed(fd) as line:
            if line.getsockname()[1] == port:
                return int(_RECEIVED.unpack_from(line.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256))[0])
    except (OSError, IndexError, TypeError, struct.error):
        pass  # it is no line, or gone
    return None


def is_full() -> bool:
    """Say whether no file can be opened any more, and no line taken in."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        return error.errno in (errno.EMFILE, errno.ENFILE)
    return False


def _open_files() -> Sequence[int]:
    """Return the numbers of the files and lines that are open; where none can be opened to look, of all that may be."""
    try:
        return [int(name) for name in os.listdir(FDS)]
    except OSError as error:
        if error.errno not in (errno.EMFILE, errno.ENFILE):
            raise
    import resource  # Windows has none, nor such a folder

    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return range(most if 0 <= most < MOST_LOOKED_AT else MOST_LOOKED_AT)


def _seen(before: _Seen | None, came: Came | None, received: int, *, is_emptied: bool) -> _Seen:
    """Return what is known of a line by now.

    Args:
        is_emptied: whether everything whole was taken in since the last look; then counting starts anew.
    """
    if came is None:
        return _Seen(came, 0, is_much=received > UNTAKEN)
    untaken = received - came.size  # about: greetings, heartbeats and what is under way come to it
    if before is None or before.came is None or before.came.peer != came.peer or untaken < before.since:
        return _Seen(came, untaken)
    if is_emptied and before.came != came:
        return _Seen(came, untaken)
    return _Seen(came, before.since, is_much=untaken - before.since > UNTAKEN)


def end(fd: int, why: str) -> None:
    """End a line, whatever is on its way there; libzmq clears it away."""
    if address := _shut(fd):
        logger.warning("a line was ended", extra={"address": address, "reason": why})


def _shut(fd: int) -> str:
    """End a line and return where it came from, nothing if it has ended by itself."""
    try:
        with _borrowed(fd) as line:
            address = str(line.getpeername()[0])
            line.shutdown(socket.SHUT_RDWR)
    except OSError:
        return ""
    return address


@contextmanager
def _borrowed(fd: int) -> Iterator[socket.socket]:
    """Yield a descriptor as a socket, and leave it open."""
    line = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 0, fileno=fd)
    try:
        yield line
    finally:
        line.detach()
