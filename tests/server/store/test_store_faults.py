"""Disks that are full, torn, locked or read-only, and writes that fail: nothing acknowledged is lost, nothing else is half there."""

from __future__ import annotations

import asyncio
import errno
import gc
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import zmq.asyncio

from client.connection.games import Up
from client.connection.notes import Answered
from core import gamefile, protocol
from core.bots.random_bot import choose
from core.errors import Broken
from core.log import Entry, Log
from core.match import Match
from core.trials.verify import verify
from server import archive, running
from server.store import schema
from server.store.contract import Taken
from server.store.reads import looking_at
from server.store.sqlite import GUARD, STORE, SqliteStore, holding
from tests.server.conftest import SERVER, Host, Player, toy, toy_packs
from tests.server.store.store_contract import PACK, began, stored, written
from tests.server.tables import GAME, follow, open_table, sit
from tests.server.test_play import play_on

NewPlayer = Callable[..., Player]
NOBODY = 65534  # of Unix
CANT = "can't write it down now"


def report_of(data: Path) -> tuple[bool, int]:
    """Recheck a game of a store; return whether it holds, and its number of entries."""
    with looking_at(data / STORE) as store:
        report = verify(gamefile.read(archive.export(store, GAME)), load=toy)
    return report.holds, report.entries


def alone(player: NewPlayer) -> tuple[Player, Match]:
    anna = player("Anna")
    match = open_table(anna)
    sit(anna, "red")
    sit(anna, "blue")
    return anna, match


def give_any(one: Player, match: Match, rng: random.Random) -> tuple[str, str]:
    """Give a random order for the position that is known; return its id, and why it was refused if it was."""
    with one.games.reading():
        view = match.view
    order_id = one.games.give(match.game, view.side_to_act(), choose(view, rng))
    answer = one.wait(lambda note: isinstance(note, Answered) and note.order_id == order_id)
    assert isinstance(answer, Answered)
    return order_id, "" if answer.refused is None else str(answer.refused)


# ---------------------------------------------------------------- torn files


@pytest.fixture
def live(tmp_path: Path) -> tuple[Path, list[Entry]]:
    """Database and journal as they lie on the disk while a server writes, and what was acknowledged."""
    entries = written(60)
    (tmp_path / "live").mkdir()
    store = began(SqliteStore(tmp_path / "live" / STORE))
    for entry in entries:
        store.add_entry("g", entry, order_id=f"{entry.number}").result()
    torn = tmp_path / "torn"
    torn.mkdir()
    for name in (STORE, f"{STORE}-wal"):
        shutil.copy(tmp_path / "live" / name, torn)
    store.close()
    return torn, entries


def reopened(folder: Path) -> tuple[list[str], list[Entry], dict[str, int]]:
    for rest in folder.glob("*-shm"):
        rest.unlink()
    store = SqliteStore(folder / STORE)
    found = store.names(), store.entries("g"), store.orders("g")
    store.close()
    return found


def test_what_was_acknowledged_is_there_after_a_power_cut(live: tuple[Path, list[Entry]]) -> None:
    folder, entries = live
    assert reopened(folder) == (["g"], entries, {f"{entry.number}": entry.number for entry in entries})


@pytest.mark.parametrize("seed", range(25))
def test_a_torn_journal_leaves_a_log_that_is_whole_up_to_where_it_was_torn(live: tuple[Path, list[Entry]], seed: int) -> None:
    folder, entries = live
    journal, rng = folder / f"{STORE}-wal", random.Random(seed)
    data = bytearray(journal.read_bytes())
    at = rng.randrange(32, len(data))
    if seed % 2:
        data[at : at + 512] = rng.randbytes(512)
    else:
        del data[at:]
    journal.write_bytes(data)
    names, found, orders = reopened(folder)
    assert found == entries[: len(found)]
    assert orders == {f"{entry.number}": entry.number for entry in found}
    assert names == (["g"] if found else names)


# ---------------------------------------------------------------- full, locked, read-only


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 2 MB of its own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", str(folder)], capture_output=True, check=False)
    if made.returncode:
        pytest.skip("only root may mount a small disk; the limit of pages is tried instead")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


class Filled:
    """Fills a disk, and frees it."""

    def __init__(self, folder: Path) -> None:
        self.ballast = folder / "ballast"

    def fill(self) -> None:
        with open(self.ballast, "wb", buffering=0) as file:
            for size in (65536, 4096, 1):
                while True:
                    try:
                        if not file.write(bytes(size)):
                            break
                    except OSError:
                        break

    def free(self) -> None:
        self.ballast.unlink()


class Paged:
    """Lets a store have no page more, and again as many as it likes."""

    def __init__(self, store: Any) -> None:
        self.store = store

    def fill(self) -> None:
        self.store.write(lambda connection: connection.execute("PRAGMA max_page_count = 1").fetchone()).result()

    def free(self) -> None:
        self.store.write(lambda connection: connection.execute("PRAGMA max_page_count = 1000000").fetchone()).result()


def trouble_told_to(owner: Player) -> str:
    """Return what a server's owner reads in its status."""
    owner.games.send(protocol.AskStatus())
    status = owner.wait(lambda note: isinstance(note, protocol.Status))
    assert isinstance(status, protocol.Status)
    return status.trouble


def goes_through_a_full_disk(host: Host, player: NewPlayer, disk: Filled | Paged) -> None:
    """bugs-of-peers 42: a game must not vanish because its disk was full."""
    anna, match = alone(player)
    owner = player("Owner")
    owner.wait(lambda note: isinstance(note, Up))
    assert trouble_told_to(owner) == ""
    play_on(anna, match, random.Random(1), orders=3)
    disk.fill()
    rng, refused = random.Random(2), ""
    while not refused and match.outcome is None:
        _, refused = give_any(anna, match, rng)
    assert CANT in refused
    assert "database or disk is full" in trouble_told_to(owner)
    watching = player("Anna")
    assert follow(watching).log.last_hash == match.log.last_hash  # it can be read
    disk.free()
    while match.outcome is None:
        give_any(anna, match, rng)
    assert trouble_told_to(owner) == ""
    assert report_of(host.data) == (True, len(match.log))


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.tending.AGAIN_S", 0.02)


def test_a_full_store_refuses_orders_is_read_and_goes_on(hasty: None, host: Host, player: NewPlayer) -> None:
    goes_through_a_full_disk(host, player, Paged(host.service.store))


def test_a_full_disk_refuses_orders_is_read_and_goes_on(hasty: None, small_disk: Path, host: Host, player: NewPlayer) -> None:
    host.stop()
    host.data = small_disk / "games"
    host.start()
    goes_through_a_full_disk(host, player, Filled(small_disk))
    host.stop()
    assert report_of(host.data)[0]
    host.start()


def test_a_server_ends_in_order_on_a_full_disk_and_comes_back(
    small_disk: Path, host: Host, player: NewPlayer, caplog: pytest.LogCaptureFixture
) -> None:
    host.stop()
    host.data = small_disk / "games"
    host.start()
    disk = Filled(small_disk)
    anna, match = alone(player)
    play_on(anna, match, random.Random(1), orders=3)
    disk.fill()
    host.stop()
    gc.collect()  # what was left behind would be told now
    assert not [one.message for one in caplog.records if one.name == "asyncio"]
    disk.free()
    host.start(host.address)
    play_on(anna, match, random.Random(2))
    assert report_of(host.data) == (True, len(match.log))


def serve(data: Path) -> None:
    async def run() -> None:
        stop = asyncio.Event()
        await running.run(data, "tcp://127.0.0.1:*", toy_packs, stop, identity=SERVER, ready=lambda *_: stop.set())

    asyncio.run(run())


def test_a_server_does_not_start_on_a_disk_that_it_can_not_write_to(small_disk: Path) -> None:
    (small_disk / "games").mkdir()
    serve(small_disk / "games")
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(OSError, match=r"(?i)read-?only"):
        serve(small_disk / "games")
    subprocess.run(["mount", "-o", "remount,rw", str(small_disk)], check=True)
    serve(small_disk / "games")


def test_games_are_read_from_a_disk_that_can_not_be_written_to_unless_their_journal_is_there(small_disk: Path) -> None:
    store = small_disk / STORE
    began(SqliteStore(store)).close()
    for journal in (b"", b"what was written last"):
        store.with_name(f"{STORE}-wal").write_bytes(journal)
        subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
        if journal:
            with pytest.raises(OSError, match="copy the whole folder to another disk"), looking_at(store):
                pass
        else:
            with looking_at(store) as read:
                assert read.names() == ["g"]
        subprocess.run(["mount", "-o", "remount,rw", str(small_disk)], check=True)


def test_whoever_looks_at_the_store_of_a_killed_server_on_a_full_disk_is_told_that_it_takes_room(tmp_path: Path, small_disk: Path) -> None:
    """A backup of it ended with "disk I/O error", as if the disk were broken."""
    store = began(SqliteStore(tmp_path / STORE))
    for what in ("", "-wal"):  # as a kill leaves them
        shutil.copy(tmp_path / (STORE + what), small_disk)
    store.close()
    disk = Filled(small_disk)
    disk.fill()
    with pytest.raises(OSError, match=f"no room.*also to read it.*{STORE}'") as told, looking_at(small_disk / STORE):
        pass
    assert told.value.errno == errno.ENOSPC
    disk.free()
    with looking_at(small_disk / STORE) as read:
        assert read.names() == ["g"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere; the read-only disk is tried instead")
def test_a_server_does_not_start_in_a_folder_that_it_may_not_write_to(tmp_path: Path) -> None:
    serve(tmp_path)
    tmp_path.chmod(0o500)
    with pytest.raises(OSError, match=r"(?i)permission"):
        serve(tmp_path)
    tmp_path.chmod(0o700)


@pytest.fixture
def anybodys() -> Iterator[Path]:
    """A folder, by somebody whom the system lets write only where he may: root may everywhere."""
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as roots:
        is_root = os.geteuid() == 0
        if is_root:
            serve(Path(roots))  # so all that a server loads is there: it may lie where nobody else may read
            os.chown(name, NOBODY, NOBODY)
            os.seteuid(NOBODY)
        yield Path(name)
        if is_root:
            os.seteuid(0)


def test_a_server_does_not_start_on_a_store_that_may_only_be_read_and_starts_when_it_may_be_written(anybodys: Path) -> None:
    serve(anybodys)
    (anybodys / STORE).chmod(0o400)
    with pytest.raises(OSError, match=rf"only be read.*{STORE}'"):
        serve(anybodys)
    with closing(sqlite3.connect(anybodys / STORE)) as reader:  # what SQLite makes beside the store is as the store is
        reader.execute("SELECT count(*) FROM games").fetchone()
        (anybodys / STORE).chmod(0o600)
        assert (anybodys / f"{STORE}-shm").stat().st_mode & 0o777 == 0o400
        serve(anybodys)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can leave others what they may not write to")
def test_what_root_asks_of_a_folder_leaves_nothing_that_keeps_out_whose_it_is(anybodys: Path) -> None:
    serve(anybodys)
    (anybodys / GUARD).unlink()  # as after a restore
    os.seteuid(0)
    with holding(anybodys):
        assert (anybodys / GUARD).stat().st_uid == NOBODY
    os.seteuid(NOBODY)
    serve(anybodys)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give away what he has")
def test_root_gives_no_file_away_to_which_a_link_leads(tmp_path: Path) -> None:
    ours, folder = tmp_path / "ours", tmp_path / "games"
    ours.touch()
    folder.mkdir()
    os.chown(folder, NOBODY, NOBODY)
    (folder / GUARD).symlink_to(ours)
    with holding(folder):
        assert ours.stat().st_uid == 0


def test_a_store_that_takes_no_write_is_told_of_when_it_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    SqliteStore(tmp_path / STORE).close()
    connect = schema.connect

    def reading_only(path: Path) -> sqlite3.Connection:
        connection = connect(path)
        connection.execute("PRAGMA query_only = 1")
        return connection

    monkeypatch.setattr(schema, "connect", reading_only)
    with pytest.raises(OSError, match="readonly"):
        SqliteStore(tmp_path / STORE)


@pytest.mark.parametrize("many", [0, 1])
def test_a_server_for_which_the_system_has_no_socket_left_says_so(many: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was told as an error that nobody foresaw, or as a fault of the address."""
    left, really = iter(range(many)), zmq.asyncio.Context.socket

    def socket(context: zmq.asyncio.Context, *kind: Any, **how: Any) -> Any:
        if next(left, None) is None:
            raise zmq.ZMQError(errno.EMFILE)
        return really(context, *kind, **how)

    monkeypatch.setattr(zmq.asyncio.Context, "socket", socket)
    with pytest.raises(OSError, match="Too many open files") as told:
        serve(tmp_path)
    assert told.value.errno == errno.EMFILE


def test_a_file_that_another_program_holds_is_told_and_the_game_goes_on_afterwards(
    hasty: None, host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, match = alone(player)
    host.service.store.write(lambda connection: connection.execute("PRAGMA busy_timeout = 20")).result()
    with closing(sqlite3.connect(host.data / STORE, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert CANT in give_any(anna, match, random.Random(1))[1]
        length = len(match.log)
        other.execute("ROLLBACK")
    play_on(anna, match, random.Random(1))
    assert match.outcome is not None
    assert len(match.log) > length


# ---------------------------------------------------------------- writes that fail now and then


class Unreliable(sqlite3.Connection):
    """Fails one in three commits, and one in nine inserts, as SQLite does when the disk is full: with or without its transaction."""

    rng: random.Random | None = None  # None: it is reliable
    failed = 0

    def execute(self, sql: str, *args: Any) -> sqlite3.Cursor:
        rng = type(self).rng
        if rng is not None and (
            (sql == "COMMIT" and rng.random() < 1 / 3)
            or (sql.startswith("INSERT") and rng.random() < (1 / 9 if self.in_transaction else 1 / 2))  # alone it commits, too
        ):
            type(self).failed += 1
            if rng.random() < 1 / 2 and self.in_transaction:
                super().execute("ROLLBACK")
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error
        return super().execute(sql, *args)


@pytest.fixture
def unreliable(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Unreliable]]:
    class Now(Unreliable):
        """One test's own."""

    real = sqlite3.connect
    monkeypatch.setattr("server.store.schema.sqlite3.connect", lambda *args, **options: real(*args, factory=Now, **options))
    yield Now
    Now.rng = None


@pytest.mark.parametrize("seed", range(4))
def test_of_many_writers_whose_writes_fail_each_has_what_was_acknowledged_and_no_more(
    seed: int, unreliable: type[Unreliable], tmp_path: Path
) -> None:
    store, entries = SqliteStore(tmp_path / STORE), written(40)
    games = [f"g{number}" for number in range(6)]
    store.add_pack("digest", PACK).result()
    for game in games:
        store.add_game(stored(game), 1).result()
    unreliable.rng = random.Random(seed)
    acknowledged: dict[str, dict[str, int]] = {game: {} for game in games}

    def play(game: str) -> None:
        number = tries = 0
        while number < len(entries):
            tries += 1
            order_id = f"{number} at try {tries}"
            error = store.add_entry(game, entries[number], order_id=order_id).exception()
            if error is None:
                acknowledged[game][order_id] = number
                number += 1
            else:
                assert isinstance(error, OSError), error
                assert len(store.entries(game)) == number

    threads = [threading.Thread(target=play, args=(game,)) for game in games]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    unreliable.rng = None
    store.close()
    assert unreliable.failed > 20
    again = SqliteStore(tmp_path / STORE)
    for game in games:
        assert again.entries(game) == entries
        assert again.orders(game) == acknowledged[game]
    again.close()


@pytest.mark.parametrize("seed", range(4))
def test_a_whole_game_is_played_though_one_in_three_writes_fails(
    seed: int, hasty: None, unreliable: type[Unreliable], host: Host, player: NewPlayer
) -> None:
    host.stop()
    host.start()  # with connections of the unreliable kind
    anna, match = alone(player)
    unreliable.rng = random.Random(seed)
    rng, accepted, refusals = random.Random(seed), set[str](), set[str]()
    while match.outcome is None:
        order_id, refused = give_any(anna, match, rng)
        if not refused:
            accepted.add(order_id)
        refusals.add(refused.partition(":")[0])
    unreliable.rng = None
    assert any(CANT in refused for refused in refusals)
    known = host.service.store.orders(GAME)
    assert accepted <= known.keys()
    host.stop()
    assert report_of(host.data) == (True, len(match.log))
    with looking_at(host.data / STORE) as store:
        log = Log()
        for entry in store.entries(GAME):
            log.add(entry)
        assert log.last_hash == match.log.last_hash
        assert set(store.orders(GAME).values()) <= {entry.number for entry in log.entries if entry.order}
    host.start()


def test_a_write_that_raises_what_nobody_foresaw_takes_no_other_with_it(tmp_path: Path) -> None:
    store = began(SqliteStore(tmp_path / STORE))
    held = threading.Event()
    store.write(lambda _: held.wait(60))

    def breaks(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO accounts VALUES (0, x'00')")
        raise ZeroDivisionError

    broken, entry = store.write(breaks), store.add_entry("g", written(1)[0])
    held.set()
    assert isinstance(broken.exception(), ZeroDivisionError)
    assert entry.exception() is None
    assert store.account_acts() == []
    assert isinstance(store.add_entry("g", written(1)[0]).exception(), Taken)
    assert isinstance(store.write(lambda connection: connection.execute("SELECT nonsense")).exception(), Broken)
    store.close()


# -------------------------------------------------------------------- a store that is damaged under its server


def cut_short(path: Path) -> None:
    os.truncate(path, 4096)


def made_nonsense_of(path: Path) -> None:
    path.write_bytes(b"nonsense" * (path.stat().st_size // 8))


@pytest.mark.parametrize(("damage", "told"), [(cut_short, "was cut short"), (made_nonsense_of, "is damaged")])
def test_what_a_damaged_store_keeps_out_is_told_as_the_disks_doing(tmp_path: Path, damage: Callable[[Path], None], told: str) -> None:
    began(SqliteStore(tmp_path / STORE)).close()
    store = SqliteStore(tmp_path / STORE)
    damage(tmp_path / STORE)
    with pytest.raises(OSError, match=f"the file that its games are kept in {told}"):
        store.add_pack("a", {"map.toml": b"first"}).result()
    assert told in store.trouble()
    assert store.is_held_up
    store.close()


def test_a_server_whose_store_was_cut_short_says_so_and_ends_in_order(host: Host, caplog: pytest.LogCaptureFixture) -> None:
    host.stop()
    host.start(host.address)
    cut_short(host.data / STORE)
    host.stop()
    assert "the file that its games are kept in was cut short" in caplog.text


# -------------------------------------------------------------------- a disk that can't be synced


UNSYNCED = """
#include <errno.h>
#include <unistd.h>
#include <sys/syscall.h>
static int is_broken(void) { return access("broken", F_OK) == 0; }
int fsync(int fd) { if (is_broken()) { errno = EIO; return -1; } return syscall(SYS_fsync, fd); }
int fdatasync(int fd) { if (is_broken()) { errno = EIO; return -1; } return syscall(SYS_fdatasync, fd); }
"""
KILLED = """
import os, pathlib, signal, sys
from server.store.sqlite import STORE, SqliteStore
from tests.server.store.store_contract import PACK, stored, written
store, entries = SqliteStore(pathlib.Path(sys.argv[1]) / STORE), written(4)
for write in store.add_pack("digest", PACK), store.add_game(stored("g"), 1), *(store.add_entry("g", entry) for entry in entries[:3]):
    write.result()
pathlib.Path("broken").touch()
print(type(store.add_entry("g", entries[3], order_id="refused").exception()).__name__, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform != "linux" or shutil.which("cc") is None, reason="a library answers in the system's place")
def test_what_was_refused_as_the_disk_could_not_be_synced_is_not_there_after_a_kill(tmp_path: Path) -> None:
    (tmp_path / "unsynced.c").write_text(UNSYNCED)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "unsynced.so", "unsynced.c"], cwd=tmp_path, check=True)
    within = {**os.environ, "LD_PRELOAD": str(tmp_path / "unsynced.so"), "PYTHONPATH": str(Path(__file__).parents[3])}
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path)], cwd=tmp_path, env=within, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, "OSError\n"), done.stderr
    store = SqliteStore(tmp_path / STORE)
    assert (store.entries("g"), store.orders("g")) == (written(3), {})
    store.close()
