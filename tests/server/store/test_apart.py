"""A store whose entries a process appends: it keeps the contract, ends with the server, and is done without when it has ended."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import msgspec
import pytest

from core.errors import Broken
from core.log import Entry, Pending
from core.protocol import ChatLine
from server.store import apart, appending, carrying, schema
from server.store.appending import Row
from server.store.contract import Taken
from server.store.sqlite import SqliteStore
from tests.server.store.store_contract import Opened, StoreContract, began, pending, written
from tests.server.store.test_carrying import files_of_at_most

pytestmark = pytest.mark.skipif(not apart.is_possible(), reason="the thread writes alone here")
_encode = msgspec.msgpack.Encoder().encode


class StoreApart(SqliteStore):
    """A store in a loop of its own, as a server has it, for tests that run in none."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._loop = asyncio.new_event_loop()
        self._runs = threading.Thread(target=self._loop.run_forever)
        self._runs.start()
        self.beside = self._there(self._begin)

    async def _begin(self) -> apart.Apart:
        beside = self.append_apart()
        assert beside is not None
        await beside.begun
        return beside

    async def takes_more(self) -> bool:
        """Say, in the loop, behind what it was asked before, whether the process is still written to."""
        return self.beside.takes()

    def _there(self, work: Callable[[], Awaitable[Any]]) -> Any:
        return asyncio.run_coroutine_threadsafe(work(), self._loop).result(30)  # type: ignore[arg-type]

    def _hand_on(self, ask: Callable[[], Future[None]]) -> Future[None]:
        handed: Future[None] = Future()

        def tell(done: Future[None]) -> None:
            error = done.exception()
            handed.set_result(None) if error is None else handed.set_exception(error)

        self._loop.call_soon_threadsafe(lambda: ask().add_done_callback(tell))
        return handed

    def add_entry(self, game: str, entry: Entry, *, order_id: str = "", seed: bytes = b"") -> Future[None]:
        return self._hand_on(lambda: super(StoreApart, self).add_entry(game, entry, order_id=order_id, seed=seed))

    async def add_entry_here(self, entry: Entry) -> None:
        """Add an entry of the game g in the loop, and wait for it, whoever writes it."""
        done = super().add_entry("g", entry)
        await (asyncio.wrap_future(done) if isinstance(done, Future) else done)

    def add_pending(self, game: str, pending: Pending, *, order_id: str = "") -> Future[None]:
        return self._hand_on(lambda: super(StoreApart, self).add_pending(game, pending, order_id=order_id))

    def close(self) -> None:
        async def end() -> None:
            super(StoreApart, self).close()

        self._there(end)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._runs.join()
        self._loop.close()


class TestStoreApart(StoreContract):
    @pytest.fixture
    def opened(self, tmp_path: Path) -> Opened:
        return lambda: StoreApart(tmp_path / "games.sqlite")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[StoreApart]:
    made = StoreApart(tmp_path / "games.sqlite")
    began(made)
    yield made
    made.close()


def test_entries_go_through_the_process_and_the_thread_tells_what_is_wrong_with_others(store: StoreApart) -> None:
    entries = written(40)
    for written_ in [store.add_entry("g", entry, order_id=f"{entry.number}") for entry in entries[:30]]:
        written_.result()
    assert store.beside.spent_s > 0
    assert store.waiting == 0
    wrong = store.add_entry("g", entries[3]), store.add_entry("g", entries[35]), store.add_pending("nowhere", pending(k=1))
    right = store.add_entry("g", entries[30])
    assert right.result() is None
    assert [type(write.exception()) for write in wrong] == [Taken, Broken, Broken]
    assert store.entries("g") == entries[:31]


def test_rows_are_written_in_the_order_in_which_they_were_asked_for_whoever_writes_them(
    store: StoreApart, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(appending, "AT_ONCE", 2)  # the group of the doubled row has a neighbour, and another group waits behind it
    first, second, third, fourth = written(4)
    hand_on, take, handed = store.beside._otherwise, store.beside._take, list[apart.Waiting]()
    monkeypatch.setattr(store.beside, "_otherwise", handed.extend)

    async def ask() -> list[BaseException | None]:
        answered = asyncio.Event()

        def note(answer: apart.Answer) -> None:
            take(answer)
            if handed and not store.beside.waiting:
                answered.set()

        monkeypatch.setattr(store.beside, "_take", note)
        asked = [asyncio.ensure_future(store.add_entry_here(entry)) for entry in (first, first, second, second, third)]
        await answered.wait()  # the thread is slow: the process has done all that it could be given
        asked.append(asyncio.ensure_future(store.add_entry_here(fourth)))
        asyncio.get_running_loop().call_soon(hand_on, handed)  # behind the one just asked for
        return await asyncio.gather(*asked, return_exceptions=True)

    assert [type(error) for error in store._there(ask)] == [type(None), Taken, type(None), Taken, type(None), type(None)]
    assert store._there(store.takes_more)


def test_what_the_process_has_written_is_known_before_the_loop_looks(store: StoreApart) -> None:
    async def append() -> tuple[bool, bool, bool]:
        unasked = store.hear()
        done = SqliteStore.add_entry(store, "g", written(1)[0])
        assert select.select([store.beside._socket], [], [], 30)[0]
        return unasked, store.hear(), done.done()

    assert store._there(append) == (False, True, True)


def test_when_the_process_is_killed_the_store_goes_on_without_it(store: StoreApart, caplog: pytest.LogCaptureFixture) -> None:
    entries = written(60)
    writes = [store.add_entry("g", entry) for entry in entries[:30]]
    os.kill(store.beside._process.pid, signal.SIGKILL)
    writes += [store.add_entry("g", entry) for entry in entries[30:]]
    # What the process had written and not yet said is found in its place: `Taken`, and the server reads the game again.
    assert {type(write.exception()) for write in writes} <= {type(None), Taken}
    assert store.entries("g") == entries
    assert not store.beside.takes()
    assert "the process that writes has ended" in caplog.text
    assert store.add_entry("g", written(61)[60]).exception() is None


def test_a_process_that_nobody_can_end_holds_the_server_up_for_some_seconds_and_no_longer(
    store: StoreApart, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float | None] = []

    def hangs(seconds: float | None = None) -> int:
        waits.append(seconds)
        assert seconds is not None, "it is waited for without end"
        raise subprocess.TimeoutExpired("apart", seconds)

    process = store.beside._process
    with monkeypatch.context() as patched:
        patched.setattr(process, "wait", hangs)
        os.kill(process.pid, signal.SIGKILL)
        entries = written(3)
        assert {type(store.add_entry("g", entry).exception()) for entry in entries} <= {type(None), Taken}
    process.wait()
    assert len(waits) == 2
    assert store.entries("g") == entries


def test_the_thread_leaves_the_journal_to_the_process_until_that_has_ended(store: StoreApart) -> None:
    def pages(connection: sqlite3.Connection) -> int:
        """Return how many pages of the journal make the thread's connection carry them."""
        found: int = connection.execute("PRAGMA wal_autocheckpoint").fetchone()[0]
        return found

    assert store.write(pages).result(30) == 0
    os.kill(store.beside._process.pid, signal.SIGKILL)
    assert {type(store.add_entry("g", entry).exception()) for entry in written(2)} <= {type(None), Taken}
    assert store.write(pages).result(30) == carrying.USUAL


def test_the_process_carries_what_it_appends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carrying, "EVERY", 10)
    path = tmp_path / "games.sqlite"
    schema.prepare(path)
    ours, theirs = socket.socketpair()
    with contextlib.closing(schema.connect(path)) as other:  # else whoever closes last carries everything
        other.execute("INSERT INTO games VALUES ('g', '', x'', x'', 0)")
        works = threading.Thread(target=apart.work, args=(path, theirs))
        works.start()
        with ours:
            assert answered(ours)
            assert path.with_name(f"{path.name}-wal").stat().st_size >= carrying.LENGTH
            for row in rows(60):  # one pass may find the store in use; it is tried again with what comes
                ours.sendall(apart._framed([row]))
                assert answered(ours)
        works.join()
        theirs.close()
        with contextlib.closing(sqlite3.connect(copied(path, tmp_path / "copy"))) as alone:
            assert alone.execute("SELECT count(*) FROM entries").fetchone()[0] >= 10


def test_a_journal_that_can_not_grow_is_carried_and_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    schema.prepare(path)
    ours, theirs = socket.socketpair()
    with contextlib.closing(schema.connect(path)) as other:
        other.execute("INSERT INTO games VALUES ('g', '', x'', x'', 0)")
        with files_of_at_most(path.stat().st_size + 200_000):
            works = threading.Thread(target=apart.work, args=(path, theirs))
            works.start()
            with ours:
                assert answered(ours)
                written_ = []
                for row in rows(2 * carrying.EVERY_IF_SHORT):
                    ours.sendall(apart._framed([row]))
                    written_.append(answered(ours))
                    if not written_[-1]:
                        break
                assert len(written_) < carrying.EVERY_IF_SHORT, "it was carried in time"
                ours.sendall(apart._framed([row]))
                assert answered(ours)
            works.join()
            theirs.close()


def copied(path: Path, to: Path) -> Path:
    """Copy a store's file without its journal."""
    to.write_bytes(path.read_bytes())
    return to


def test_a_process_that_stands_still_keeps_its_server_from_nothing_and_goes_on_where_it_was(store: StoreApart) -> None:
    """More waits for it than a socket takes: the loop goes on all the same."""
    entries = [msgspec.structs.replace(entry, signature=bytes(20_000)) for entry in written(60)]
    process = store.beside._process.pid
    os.kill(process, signal.SIGSTOP)
    os.waitid(os.P_PID, process, os.WSTOPPED | os.WNOWAIT)
    writes = [store.add_entry("g", entry) for entry in entries]
    assert store._there(store.takes_more)
    assert not any(write.done() for write in writes)
    assert store.entries("g") == []
    os.kill(process, signal.SIGCONT)
    assert [write.result(30) for write in writes] == [None] * 60
    assert store.entries("g") == entries


def test_what_the_thread_writes_waits_for_a_process_whose_disk_is_slow(store: StoreApart, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chat and invites were refused, as the database was locked: by the server's own other process."""
    store.write(lambda connection: connection.execute("PRAGMA busy_timeout = 1").fetchone()).result()
    commits, tries = store._commits, threading.Semaphore(0)
    monkeypatch.setattr(commits, "_together", _noting(commits._together, tries))
    process = store.beside._process.pid
    os.kill(process, signal.SIGSTOP)  # it has been sent something, and somebody has the lock: as if it was in the middle of it
    first = store.add_entry("g", written(1)[0])
    assert store._there(store.takes_more)
    with contextlib.closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        line = store.add_line("", ChatLine(-1, 0, "lobby", "Anna", "Good evening"), line_id="a")
        for _ in range(5):
            assert tries.acquire(timeout=30)
        assert not line.done()
        other.execute("ROLLBACK")
    assert line.result(30)[1]
    os.kill(process, signal.SIGCONT)
    assert first.result(30) is None


def _noting(work: Callable[[Any], Any], tries: threading.Semaphore) -> Callable[[Any], Any]:
    def noted(jobs: object) -> object:
        tries.release()
        return work(jobs)

    return noted


def test_the_process_is_given_nothing_while_the_store_is_not_where_it_was(store: StoreApart, tmp_path: Path) -> None:
    path, away, (first, second) = tmp_path / "games.sqlite", tmp_path / "away", written(2)
    assert store.add_entry("g", first).result() is None
    os.rename(path, away)
    with pytest.raises(OSError, match="moved away"):
        store.add_entry("g", second).result()
    os.rename(away, path)
    assert store.entries("g") == [first]
    assert store.add_entry("g", second).result() is None
    assert store._there(store.takes_more)


@pytest.fixture
def line(tmp_path: Path) -> Iterator[tuple[socket.socket, subprocess.Popen[bytes], Path]]:
    """The process alone, over a store with a game, when it has said that it is ready."""
    path = tmp_path / "games.sqlite"
    began(SqliteStore(path)).close()
    ours, theirs = socket.socketpair()
    with ours, theirs, subprocess.Popen([sys.executable, "-m", "server.store.apart", str(path)], stdin=theirs.fileno()) as process:
        theirs.close()
        ours.settimeout(30)
        assert answered(ours)
        yield ours, process, path
        ours.close()  # its end


def answered(ours: socket.socket) -> bool:
    heard = bytearray()
    while (message := apart._taken(heard)) is None:
        byte = ours.recv(1)
        assert byte, "the process has ended"
        heard += byte
    return msgspec.msgpack.decode(message, type=apart.Answer).is_written


def rows(count: int) -> list[Row]:
    return [Row("g", False, entry.number, _encode(entry), f"order {entry.number}") for entry in written(count)]


def test_the_process_ends_with_the_line_and_what_it_was_sent_before_is_there(
    line: tuple[socket.socket, subprocess.Popen[bytes], Path],
) -> None:
    ours, process, path = line
    ours.sendall(apart._framed(rows(50)))
    ours.close()  # as when the server is killed
    assert process.wait(30) == 0
    again = SqliteStore(path)
    assert again.entries("g") == written(50)
    again.close()


def test_a_process_that_ends_by_a_fault_says_which(tmp_path: Path) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        command = [sys.executable, "-m", "server.store.apart", str(tmp_path)]
        ended = subprocess.run(command, stdin=theirs.fileno(), stderr=subprocess.PIPE, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (1, "the process that writes: OperationalError: unable to open database file\n")


@pytest.mark.parametrize("there", [False, True])
def test_a_process_opens_no_other_store_than_its_servers_and_makes_none(tmp_path: Path, there: bool) -> None:
    """One that was moved away as the server began had an empty one in its place, over which nobody put it back."""
    path = tmp_path / "games.sqlite"
    schema.prepare(path)
    number = path.stat().st_ino
    path.rename(tmp_path / "away")
    if there:
        path.write_bytes(b"")
    ours, theirs = socket.socketpair()
    with ours, theirs:
        command = [sys.executable, "-m", "server.store.apart", str(path), str(number)]
        ended = subprocess.run(command, stdin=theirs.fileno(), stderr=subprocess.PIPE, text=True, timeout=60)
    assert ended.returncode == 1
    assert ended.stderr.startswith("the process that writes: FileNotFoundError")
    assert (path.exists(), path.exists() and path.stat().st_size) == (there, 0)


def test_half_a_message_appends_nothing(line: tuple[socket.socket, subprocess.Popen[bytes], Path]) -> None:
    ours, process, path = line
    ours.sendall(apart._framed(rows(50))[:-1])
    ours.close()
    assert process.wait(30) == 0
    again = SqliteStore(path)
    assert again.entries("g") == []
    again.close()


def test_neither_ctrl_c_nor_the_end_of_a_service_stops_the_process_before_the_server(
    line: tuple[socket.socket, subprocess.Popen[bytes], Path],
) -> None:
    ours, process, _ = line
    for number in (signal.SIGINT, signal.SIGTERM):
        process.send_signal(number)
    ours.sendall(apart._framed(rows(3)))
    assert answered(ours)
    ours.sendall(apart._framed(rows(4)[2:]))  # one that is there
    assert not answered(ours)
    ours.sendall(apart._framed(rows(4)[3:]))
    assert answered(ours)


@pytest.mark.parametrize("killed", [False, True])
def test_what_nobody_waits_for_any_more_is_written_only_if_it_was_sent_already(store: StoreApart, killed: bool) -> None:
    entries, process = written(3), store.beside._process.pid

    async def ask() -> list[asyncio.Future[None]]:
        os.kill(process, signal.SIGSTOP)
        os.waitid(os.P_PID, process, os.WSTOPPED | os.WNOWAIT)
        writes = [super(StoreApart, store).add_entry("g", entry) for entry in entries]
        assert all(isinstance(write, asyncio.Future) for write in writes)
        writes[0].cancel()
        writes[2].cancel()
        os.kill(process, signal.SIGKILL if killed else signal.SIGCONT)
        return writes  # type: ignore[return-value]

    writes = store._there(ask)

    async def wait() -> object:
        return await writes[1]

    assert store._there(wait) is None
    assert store.entries("g") == entries[:2]


SERVER = """
import asyncio, sys
from pathlib import Path
from server.store.sqlite import SqliteStore

async def serve():
    beside = SqliteStore(Path(sys.argv[1])).append_apart()
    await beside.begun
    print(beside._process.pid, flush=True)
    await asyncio.Event().wait()

asyncio.run(serve())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it ends when it goes on")
def test_a_process_that_somebody_stopped_ends_with_its_server_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    SqliteStore(path).close()
    with subprocess.Popen([sys.executable, "-c", SERVER, str(path)], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        process = int(server.stdout.readline())
        ended = os.pidfd_open(process)
        try:
            os.kill(process, signal.SIGSTOP)
            server.kill()
            server.wait()
            assert select.select([ended], [], [], 30)[0]
        finally:
            if not select.select([ended], [], [], 0)[0]:
                os.kill(process, signal.SIGKILL)
            os.close(ended)
