"""Messages of parts without number, of each of which libzmq keeps all until the last one has come."""

from __future__ import annotations

import asyncio
import errno
import os
import select
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from types import SimpleNamespace
from typing import NoReturn

import pytest
import zmq

from core import protocol
from server import endless, wire
from server.endless import UNTAKEN, Came, Endless
from server.wire import Wire
from tests.server.conftest import Host, Player, of, raw_line
from tests.server.store.test_durable import turned

MORE, LONG = 1, 2
PART = bytes([MORE | LONG]) + (50_000).to_bytes(8, "big") + bytes(50_000)
LAST = b"\0\1x"
NOTHING: dict[int, Came] = {}  # is taken in
GREETING = b"\xff" + bytes(8) + b"\x7f" + b"\3\0" + b"NULL".ljust(20, b"\0") + bytes(32)
READY = b"\5READY\x0bSocket-Type" + (6).to_bytes(4, "big") + b"DEALER"

linux = pytest.mark.skipif(sys.platform != "linux", reason="other systems don't say what came over a line")


@pytest.fixture
def router() -> Iterator[zmq.Socket[bytes]]:
    with closing(zmq.Context.instance().socket(zmq.ROUTER)) as made:
        made.setsockopt(zmq.LINGER, 0)
        made.setsockopt(zmq.MAXMSGSIZE, 64 << 10)
        made.bind("tcp://127.0.0.1:*")
        yield made


def port_of(router: zmq.Socket[bytes]) -> int:
    return int(router.getsockopt_string(zmq.LAST_ENDPOINT).rpartition(":")[2])


def raw(router: zmq.Socket[bytes]) -> socket.socket:
    """Return a line that has shaken hands, and says what no libzmq would."""
    line = socket.create_connection(("127.0.0.1", port_of(router)), timeout=10)
    line.sendall(GREETING + bytes([4, len(READY)]) + READY)
    heard = b""
    while len(heard) < len(GREETING) + 2:
        heard += line.recv(1000)
    return line


def send_all(line: socket.socket, data: bytes) -> None:
    """Send, and wait until the other end's system has it all, or has ended the line: of what lies here nobody there knows."""
    import fcntl  # Windows has neither
    import termios

    line.sendall(data)
    while any(fcntl.ioctl(line, termios.TIOCOUTQ, bytes(4))) and not select.select([line], [], [], 0.01)[0]:
        pass


def has_ended(line: socket.socket) -> bool:
    """Say whether the other end has ended a line; what it has still said is read."""
    line.settimeout(0.05)
    try:
        while line.recv(1000):
            pass
    except TimeoutError:
        return False
    except OSError:
        return True
    return True


@linux
def test_a_line_on_which_a_message_never_ends_is_ended_and_no_other(router: zmq.Socket[bytes]) -> None:
    taken: dict[int, Came] = {}
    enough = asyncio.Event()

    def take_in(parts: Sequence[zmq.Frame]) -> None:
        fd = int(str(parts[-1].get("__fd")))
        size = taken[fd].size if fd in taken else 0
        taken[fd] = Came(fd, size + len(LAST))
        if taken[fd].size % (30 * len(LAST)) == 0:
            enough.set()

    async def run() -> None:
        over = Wire(router, take_in)
        over.begin()
        looking = Endless(port_of(router), taken.get, over.emptied)
        with closing(raw(router)) as mallory, closing(raw(router)) as anna:
            looks = 0
            while not has_ended(mallory):
                for line, parts in ((mallory, [PART] * 30), (anna, [LAST] * 30)):  # a megabyte and a half at a time
                    await asyncio.to_thread(send_all, line, b"".join(parts))
                await asyncio.wait_for(enough.wait(), 10)
                enough.clear()
                await looking.look()
                looks += 1
            assert looks == 2
            assert not has_ended(anna)
        over.stop()

    asyncio.run(run())


@linux
def test_lines_on_which_nobody_says_anything_are_ended_where_there_are_many(
    router: zmq.Socket[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A member who opened very many took all the files that a server may have open: nobody else came in, and nothing was written."""
    taken: dict[int, Came] = {}

    async def run() -> None:
        came = asyncio.Event()
        over = Wire(router, lambda parts: (taken.update({int(str(parts[-1].get("__fd"))): Came(1, 1)}), came.set()))
        over.begin()
        looking = Endless(port_of(router), taken.get, over.emptied)
        with closing(raw(router)) as mallory, closing(raw(router)) as anna:
            anna.sendall(LAST)
            await asyncio.wait_for(came.wait(), 10)
            for _ in range(3):
                await looking.end_silent()
            assert not has_ended(mallory)  # there are few
            monkeypatch.setattr("server.endless.MANY", 1)
            await looking.end_silent()
            assert not has_ended(mallory)  # he may have come just now
            await looking.end_silent()
            assert has_ended(mallory)
            assert not has_ended(anna)
        over.stop()

    asyncio.run(run())


@linux
def test_silent_lines_are_ended_where_no_file_can_be_opened_to_look_for_them(
    router: zmq.Socket[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """When it was needed most nothing was ended: newcomers were kept out for ever."""
    looking = Endless(port_of(router), NOTHING.get, lambda: 0)
    monkeypatch.setattr("server.endless.MANY", 1)
    with closing(raw(router)) as mallory:

        def none_left(*_: object) -> NoReturn:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

        monkeypatch.setattr("os.listdir", none_left)
        for _ in range(2):
            assert not has_ended(mallory)
            asyncio.run(looking.end_silent())
        assert has_ended(mallory)
        assert not endless.is_full()
        monkeypatch.setattr("os.open", none_left)
        assert endless.is_full()


@linux
@pytest.mark.parametrize("most", [-1, 1 << 30])
def test_where_any_number_of_files_may_be_open_the_first_ones_are_looked_at(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each takes a microsecond: a thousand million held everybody up for good, where all files of the machine were open."""

    def none_left(*_: object) -> NoReturn:
        raise OSError(errno.ENFILE, os.strerror(errno.ENFILE))

    monkeypatch.setattr("os.listdir", none_left)
    monkeypatch.setattr("resource.getrlimit", lambda of: (most, most))
    assert len(endless._open_files()) == endless.MOST_LOOKED_AT


@linux
@pytest.mark.parametrize(("many", "ends"), [(9, False), (60, True)])
def test_a_line_of_which_more_waits_than_is_taken_in_is_ended(router: zmq.Socket[bytes], many: int, ends: bool) -> None:
    """Three megabytes; libzmq keeps all of it."""
    looking = Endless(port_of(router), NOTHING.get, lambda: 0)  # nothing is taken in
    with closing(raw(router)) as anna:
        send_all(anna, (PART + LAST) * many)
        for _ in range(2):
            asyncio.run(looking.look())
        assert has_ended(anna) == ends


@linux
@pytest.mark.parametrize("what", ["look", "end_silent"])
def test_others_have_their_turn_while_many_lines_are_looked_at(
    what: str, router: zmq.Socket[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each look at two thousand lines held all orders up for 20 ms, several times in ten seconds where much was played."""
    monkeypatch.setattr("server.endless.MANY", 1)
    monkeypatch.setattr("server.endless.AT_ONCE", 5)
    looking = Endless(port_of(router), NOTHING.get, lambda: 0)

    async def turns_meanwhile() -> int:
        look, turns = asyncio.create_task(getattr(looking, what)()), 0
        while not look.done():
            turns += 1
            await turned()
        return turns

    with ExitStack() as lines:
        for _ in range(20):
            lines.enter_context(closing(raw(router)))
        assert asyncio.run(turns_meanwhile()) >= 4


@linux
def test_a_line_over_which_much_comes_and_is_taken_in_is_not_ended(router: zmq.Socket[bytes]) -> None:
    taken: dict[int, Came] = {}
    came = asyncio.Event()

    def take_in(parts: Sequence[zmq.Frame]) -> None:
        fd = int(str(parts[-1].get("__fd")))
        taken[fd] = Came(fd, taken[fd].size + len(PART) if fd in taken else 0)
        came.set()

    async def run() -> None:
        over = Wire(router, take_in)
        over.begin()
        looking = Endless(port_of(router), taken.get, over.emptied)
        with closing(raw(router)) as anna:
            for _ in range(100):
                await asyncio.to_thread(send_all, anna, PART + LAST)
                await asyncio.wait_for(came.wait(), 10)
                came.clear()
                await looking.look()
            assert not has_ended(anna)
        over.stop()

    asyncio.run(run())


def test_a_message_of_very_many_parts_is_dropped_bit_by_bit_and_ends_its_line(router: zmq.Socket[bytes]) -> None:
    taken: list[Sequence[zmq.Frame]] = []
    came = asyncio.Event()

    def take_in(parts: Sequence[zmq.Frame]) -> None:
        taken.append(parts)
        came.set()

    async def run() -> None:
        over = Wire(router, take_in)
        with closing(raw(router)) as mallory, closing(raw(router)) as anna:
            mallory.sendall(bytes([MORE, 1, 7]) * 20 * wire.PARTS_AT_ONCE + LAST)
            over.begin()
            while not await asyncio.to_thread(has_ended, mallory):
                pass
            anna.sendall(LAST)
            await asyncio.wait_for(came.wait(), 10)
            over.stop()

    asyncio.run(run())
    assert [bytes(part.buffer) for part in taken[0]][1:] == [b"x"]


@pytest.fixture
def looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endless, "LOOK_EVERY_S", 0.001)


@linux
@pytest.mark.usefixtures("looks_often")
def test_a_stranger_whose_message_never_ends_fills_no_memory(
    host: Host, player: Callable[[str], Player], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """He knows nothing but the server's key."""
    ended: list[str] = []
    looks: list[bool] = []
    end, look = endless.end, Endless.look
    monkeypatch.setattr(endless, "end", lambda fd, why: (end(fd, why), ended.append(why)))
    anna = player("Anna")
    monkeypatch.setattr(endless, "GROWN", 0)  # what the server keeps of it the sender has no more, as both are one process here
    monkeypatch.setattr(Endless, "look", lambda self: looks.append(look(self)) or looks[-1])
    anna.until(lambda: bool(looks))
    with raw_line(host, of("Mallory")) as mallory:
        mallory.send(protocol.encode(protocol.Hello(protocol.VERSION, "Mallory", of("Mallory").key)))
        assert mallory.poll(10_000)
        for _ in range(100 * UNTAKEN // 60_000):
            mallory.send(bytes(60_000), zmq.SNDMORE)
        mallory.send(b"")
        anna.until(lambda: bool(ended))
    assert set(ended) == {"a message that does not end"}  # more than once where libzmq has not cleared the line away by the next look
    assert {record.getMessage() for record in caplog.records if record.levelname == "WARNING"} == {"a line was ended"}
    caplog.clear()


@linux
def test_silent_lines_are_sought_every_quarter_of_a_minute_and_every_two_seconds_where_no_file_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, sought, full = 0.0, list[float](), False
    monkeypatch.setattr(endless, "time", SimpleNamespace(monotonic=lambda: now))
    monkeypatch.setattr(endless, "is_full", lambda: full)
    looking = Endless(1, NOTHING.get, lambda: 0)

    async def end_silent() -> None:
        sought.append(now)

    monkeypatch.setattr(looking, "end_silent", end_silent)

    async def look_until(end: float) -> None:
        nonlocal now
        while now < end:
            now += 0.25
            await looking._look_at_all()

    asyncio.run(look_until(40.0))
    full = True
    asyncio.run(look_until(45.0))
    assert sought == [15.0, 30.0, 40.25, 42.25, 44.25]
