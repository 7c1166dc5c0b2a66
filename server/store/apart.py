"""A process that appends for a server, so that neither waits for the other's interpreter.

A thread that writes must have the interpreter three times a group, each time taken from the serving thread: at 500 orders a second that
cost the slowest in a hundred a fifth of what they waited where a sync takes no time, and more where it does. The server sends rows over a
pair of sockets, a group at a time; while one is being written, the next gathers. What the process can't append, for whatever reason, is
handed back and goes through the thread (`server.store.group_commit`), which tells why; so does everything once the process has ended. It
ends by itself when the server does, on Linux even if somebody has stopped it. Should it still finish a group that a killed server had sent,
nothing is lost: nobody was told of it, and who writes in its place gets `Taken`. It also carries the journal into the store's file
(`server.store.carrying`).
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import errno
import logging
import os
import select
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from server.store import appending, carrying

PR_SET_PDEATHSIG = 1  # of prctl(2)
HEADER = 4  # bytes of a message's length
END_S = 5.0
logger = logging.getLogger("rasputitsa.store")


class Waiting(NamedTuple):
    """A write queued for the thread: *job* does it, *done* is its future, *row* is set if it only appends that row."""

    job: Callable[[sqlite3.Connection], Any]
    done: Future[Any]
    row: appending.Row | None = None


class _Row(NamedTuple):
    """A row queued for the process: *job* appends it where that can't, *done* is its future."""

    row: appending.Row
    job: Callable[[sqlite3.Connection], None]
    done: asyncio.Future[None]


class Answer(msgspec.Struct, frozen=True, array_like=True):
    """What the process says when it is ready, and of each group.

    Attributes:
        is_written: whether the group is durable.
        spent_s: the process's processor time until now.
        trouble: what keeps it from carrying the journal into the store's file, empty if nothing does.
    """

    is_written: bool
    spent_s: float
    trouble: str = ""


_rows, _answers = msgspec.msgpack.Decoder(list[appending.Row]), msgspec.msgpack.Decoder(Answer)


def is_possible() -> bool:
    """Say whether this system hands a socket to a new interpreter."""
    return os.name == "posix" and not getattr(sys, "frozen", False)


class Apart:
    """The process, as the running loop's thread uses it.

    Args:
        path: the store.
        otherwise: takes what the process has not written.
        check: raises why nothing may be written now, if so; then a group goes to *otherwise*, which says so.
        ended: called when it has ended, as the journal is nobody's then.

    Attributes:
        begun: done when the process is ready, or has ended.
        spent_s: its processor time.
        written_s: when it last said that something is durable, on the monotonic clock.
        trouble: what keeps it from carrying the journal into the store's file, empty if nothing does.
    """

    def __init__(
        self, path: Path, otherwise: Callable[[list[Waiting]], None], check: Callable[[], None], ended: Callable[[], None]
    ) -> None:
        self._otherwise, self._check, self._ended = otherwise, check, ended
        self._loop, self._thread = asyncio.get_running_loop(), threading.get_ident()
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(  # in a session of its own: Ctrl-C is for the server, which ends it
                [sys.executable, "-m", "server.store.apart", str(path), str(path.stat().st_ino)],
                stdin=theirs.fileno(), stdout=subprocess.DEVNULL, start_new_session=True,
            )
        self.begun: asyncio.Future[None] = self._loop.create_future()
        self.spent_s, self.written_s, self.trouble = 0.0, 0.0, ""
        self._sent_s = 0.0  # when it was last sent something
        self._socket.setblocking(False)
        self._heard, self._unsent = bytearray(), bytearray()
        self._sent: list[_Row] = []
        self._waiting: list[_Row] = []
        self._handed_on = 0  # rows that the thread has not answered yet: until it has, what comes later goes there too, behind them
        self._is_open, self._is_full = True, False
        self._loop.add_reader(self._socket, self._hear)

    @property
    def waiting(self) -> int:
        """Return how many writes wait to be durable."""
        return len(self._waiting) + len(self._sent)

    @property
    def stalled_s(self) -> float:
        """Return for how long it has not answered what it was sent."""
        return time.monotonic() - self._sent_s if self._sent else 0.0

    @property
    def is_writing(self) -> bool:
        """Say whether it has not answered what it was sent; for any thread."""
        return bool(self._sent)

    def takes(self) -> bool:
        """Say whether it can be given something here and now."""
        return self._is_open and self.begun.done() and threading.get_ident() == self._thread

    def append(self, job: Callable[[sqlite3.Connection], None], row: appending.Row) -> asyncio.Future[None]:
        """Queue a row for the process; where that can't append it *job* does, or raises why not."""
        done: asyncio.Future[None] = self._loop.create_future()
        if self._handed_on:
            self._hand_on((), [_Row(row, job, done)])
            return done
        self._waiting.append(_Row(row, job, done))
        if not self._sent:
            self._send()
        return done

    def hear(self) -> bool:
        """Resolve, now, the futures of what it has written, before the loop looks; say whether there were any."""
        sent = self._sent
        if sent and self._is_open:
            self._hear()
        return self._sent is not sent

    def _send(self) -> None:
        try:
            self._check()
        except OSError:
            unbegun, self._waiting = self._waiting, []
            self._hand_on((), unbegun)
            return
        some, self._waiting = self._waiting[: appending.AT_ONCE], self._waiting[appending.AT_ONCE :]
        self._sent = [one for one in some if not one.done.cancelled()]  # whoever is cancelled from here on has it written all the same
        if not self._sent:
            return
        self._sent_s = time.monotonic()
        self._unsent += _framed([one.row for one in self._sent])
        self._push()

    def _push(self) -> None:
        """Send what there is room for; the rest when there is again: a process that stands still keeps no game from being read."""
        try:
            del self._unsent[: self._socket.send(self._unsent)]
        except BlockingIOError:
            pass
        except OSError:  # it has ended: that is heard next
            self._unsent.clear()
            logger.info("the writing process takes nothing more")
        if bool(self._unsent) != self._is_full:
            self._is_full = not self._is_full
            if self._is_full:
                self._loop.add_writer(self._socket, self._push)
            else:
                self._loop.remove_writer(self._socket)

    def _hear(self) -> None:
        try:
            data = self._socket.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            logger.warning("the process that writes has ended; the server writes alone")
            self.close()
            return
        self._heard += data
        while (message := _taken(self._heard)) is not None:
            self._take(_answers.decode(message))

    def _take(self, answer: Answer) -> None:
        self.spent_s = answer.spent_s
        self.trouble = answer.trouble
        if not self.begun.done():
            self.begun.set_result(None)
            return
        written, self._sent = self._sent, []
        if not answer.is_written:
            unbegun, self._waiting = self._waiting, []
            self._hand_on(written, unbegun)
            return
        if self._waiting:
            self._send()
        self.written_s = time.monotonic()
        for one in written:
            if not one.done.cancelled():
                one.done.set_result(None)

    def _hand_on(self, begun: Iterable[_Row], unbegun: Iterable[_Row] = ()) -> None:
        jobs = [self._handed(one) for one in begun]
        for each in jobs:
            each.done.set_running_or_notify_cancel()
        self._otherwise(jobs + [self._handed(one) for one in unbegun if not one.done.cancelled()])

    def _handed(self, one: _Row) -> Waiting:
        """Return a row as a job for the thread, of which the loop is told."""
        self._handed_on += 1
        handed: Future[None] = Future()
        one.done.add_done_callback(lambda done: handed.cancel())  # if it is not begun

        def tell(_: Future[None]) -> None:
            if not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._pass_on, handed, one.done)

        handed.add_done_callback(tell)
        return Waiting(one.job, handed, one.row)

    def _pass_on(self, handed: Future[None], done: asyncio.Future[None]) -> None:
        self._handed_on -= 1
        if done.done() or handed.cancelled():
            return
        error = handed.exception()
        done.set_result(None) if error is None else done.set_exception(error)

    def close(self) -> None:
        """Let the process end, and hand back what it has not said to be written."""
        if not self._is_open:
            return
        self._is_open, self.trouble = False, ""  # the journal is the thread's to carry from here on
        if not self._loop.is_closed():
            self._loop.remove_reader(self._socket)
            self._loop.remove_writer(self._socket)
            if not self.begun.done():
                self.begun.set_result(None)
        self._socket.close()
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):  # the system ends nobody who waits for a disk that hangs
                self._process.wait(END_S)
        self._ended()
        self._hand_on(self._sent, self._waiting)
        self._sent, self._waiting = [], []


def _framed(message: object) -> bytes:
    data = msgspec.msgpack.encode(message)
    return len(data).to_bytes(HEADER, "big") + data


def _taken(heard: bytearray) -> bytes | None:
    """Take the first whole message out of what was heard; None if there is none yet."""
    size = HEADER + int.from_bytes(heard[:HEADER], "big")
    if len(heard) < max(size, HEADER + 1):
        return None
    message = bytes(heard[HEADER:size])
    del heard[:size]
    return message


# -------------------------------------------------------------------- in the process


def work(path: Path, line: socket.socket, number: int | None = None) -> None:
    """Append what comes over *line* until it ends.

    Args:
        number: of the store's file; where another lies in its place, or none, nothing is opened, and none is made.

    Raises:
        OSError: so it is.
    """
    from server.store import schema

    if number is not None and path.stat().st_ino != number:
        raise OSError(errno.ENOENT, "the file that its games are kept in was moved away", str(path))
    connection = schema.connect(path)
    appending.prepare(connection)
    carried = carrying.begun(path, connection, schema.connect(path))
    line.sendall(_framed(Answer(True, time.process_time())))
    for message in _messages(line):
        if message is None:
            carried.quiet()
            continue
        rows, is_written = _rows.decode(message), True
        try:
            appending.append(connection, rows)
        except sqlite3.Error as error:
            is_written = False
            if isinstance(error, sqlite3.OperationalError):  # no room for a longer journal: carried, it begins anew
                carried.quiet()
        line.sendall(_framed(Answer(is_written, time.process_time(), carried.trouble)))
        if is_written:
            carried.appended(len(rows))
    carried.close()
    connection.close()


def _messages(line: socket.socket) -> Iterator[bytes | None]:
    """Yield what comes over *line* until it ends, and None where nothing has come for a while."""
    heard = bytearray()
    while True:
        if not select.select([line], [], [], carrying.LATEST_S)[0]:
            yield None
            continue
        if not (data := line.recv(1 << 16)):  # for more the C library would ask the system for memory each time
            return
        heard += data
        while (message := _taken(heard)) is not None:
            yield message


def main() -> None:
    """Work for the server at the other end of stdin until that ends, or a fault comes, which stderr tells: the server's own."""
    hangs_up = () if sys.platform == "win32" else (signal.SIGHUP,)
    for number in (signal.SIGINT, signal.SIGTERM, *hangs_up):
        signal.signal(number, signal.SIG_IGN)
    _end_with_server()
    try:
        work(Path(sys.argv[1]), socket.socket(fileno=os.dup(0)), int(sys.argv[2]) if len(sys.argv) > 2 else None)
    except ConnectionError:
        return  # the server was killed while it was to be answered
    except Exception as error:  # the server sees that it has ended, and goes on by itself
        sys.exit(f"the process that writes: {type(error).__name__}: {error}")


def _end_with_server() -> None:
    """Have the system end this process with the server's thread: stopped by somebody, it would never see that the line has ended."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    main()
