"""Both stores keep the contract; and what SQLite alone promises: settings read back, triggers, groups of writes."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.errors import BadInput, Broken
from server.store import schema
from server.store.contract import Store
from server.store.sqlite import SqliteStore
from tests.server.store.memory_store import MemoryStore, Shelf
from tests.server.store.store_contract import Opened, StoreContract, began, line, pending, stored, written


class TestSqliteStore(StoreContract):
    @pytest.fixture
    def opened(self, tmp_path: Path) -> Opened:
        return lambda: SqliteStore(tmp_path / "games.sqlite")


class TestMemoryStore(StoreContract):
    @pytest.fixture
    def opened(self) -> Opened:
        shelf = Shelf()
        return lambda: MemoryStore(shelf)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    made = SqliteStore(tmp_path / "games.sqlite")
    yield made
    made.close()


def pragmas(connection: sqlite3.Connection) -> list[object]:
    names = ("journal_mode", "synchronous", "fullfsync", "foreign_keys", "trusted_schema", "recursive_triggers")
    return [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names]


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps a file to its owner by its folder")
def test_whatever_the_umask_a_store_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        store = SqliteStore(tmp_path / "games.sqlite")
        began(store)
    finally:
        os.umask(before)
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    store.close()
    assert modes == dict.fromkeys(("games.sqlite", "games.sqlite-wal", "games.sqlite-shm"), 0o600)


def test_reader_and_writer_keep_full_synchronisation(store: SqliteStore) -> None:
    kept: list[object] = ["wal", 2, 1, 1, 0, 1]
    assert pragmas(store._reader) == kept
    assert store.write(pragmas).result() == kept


def test_a_library_that_does_not_keep_full_synchronisation_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Careless(sqlite3.Connection):
        def execute(self, sql: str, *args: object) -> sqlite3.Cursor:
            return super().execute("PRAGMA synchronous = NORMAL" if sql == "PRAGMA synchronous = 2" else sql, *args)  # type: ignore[arg-type]

    real = sqlite3.connect
    monkeypatch.setattr("server.store.schema.sqlite3.connect", lambda *args, **options: real(*args, **options, factory=Careless))
    with pytest.raises(Broken, match="does not keep synchronous = 2, but 1"):
        SqliteStore(tmp_path / "games.sqlite")


def filled(store: Store) -> Store:
    began(store)
    for entry in written(3):
        store.add_entry("g", entry, order_id=f"{entry.number}", seed=b"s" if entry.number == 2 else b"").result()
    store.add_pending("g", pending(1)).result()
    store.add_account_act(0, b"act").result()
    store.add_line("g", line("hello"), line_id="l").result()
    store.keep_answer("g", "red", "Retreat", None, asked=("Anna", "taken back")).result()
    return store


@pytest.mark.parametrize("table", sorted({table for _, tables in schema.STEPS for table in tables} - {"players"}))
def test_what_was_written_can_be_neither_changed_nor_deleted(table: str, store: SqliteStore) -> None:
    filled(store)
    column = store.read(f"PRAGMA table_info({table})")[-1][1]
    before = store.read(f"SELECT * FROM {table}")
    assert before
    for change in (f"UPDATE {table} SET {column} = {column}", f"DELETE FROM {table}", f"REPLACE INTO {table} SELECT * FROM {table}"):
        with pytest.raises(Broken, match="append-only"):
            store.write(lambda connection, change=change: connection.execute(change).rowcount).result()  # type: ignore[misc]
    assert store.read(f"SELECT * FROM {table}") == before


def test_writes_that_wait_become_one_transaction(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    began(store)
    said: list[str] = []
    store.write(lambda connection: connection.set_trace_callback(said.append)).result()
    begun, held = threading.Event(), threading.Event()
    first = store.write(lambda _: (begun.set(), held.wait(60))[1])
    begun.wait()  # else what comes now may be written together with it
    entries = [store.add_entry("g", entry) for entry in written(64)]
    held.set()
    assert [write.result() for write in entries] == [None] * 64
    assert first.result() is True
    store.write(lambda connection: connection.set_trace_callback(None)).result()
    assert said.count("COMMIT") == 2


def test_a_store_whose_triggers_were_taken_away_is_told(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite"
    SqliteStore(file).close()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("DROP TRIGGER entries_delete")
    with pytest.raises(BadInput, match="no trigger called entries_delete"):
        SqliteStore(file)


@pytest.mark.parametrize("content", [b"no database, but longer than a header " * 40, b"SQLite format 3\0" + bytes(2000)])
def test_what_is_no_store_is_told(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite"
    file.write_bytes(content)
    with pytest.raises(BadInput, match="a store of games"):
        SqliteStore(file)


def test_a_store_of_a_later_version_and_another_program_s_file_are_told(tmp_path: Path) -> None:
    for name, pragma in (("later", "user_version = 99"), ("other", "application_id = 7")):
        file = tmp_path / name
        SqliteStore(file).close()
        with closing(sqlite3.connect(file)) as connection:
            connection.execute(f"PRAGMA {pragma}")
        with pytest.raises(BadInput, match="or earlier"):
            SqliteStore(file)


def damage(file: Path) -> None:
    """Damage a page of a store that nobody asks for."""
    with closing(sqlite3.connect(file)) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        (page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'standing'").fetchone()
    with file.open("r+b") as damaged:
        damaged.seek((page - 1) * size + 7)  # where a page tells how many bytes of it are lost between others
        damaged.write(b"\x03")


def test_a_store_of_which_a_page_is_damaged_is_told_before_anything_asks_for_that_page(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite"
    SqliteStore(file).close()
    damage(file)
    with pytest.raises(BadInput, match="an undamaged store"):
        SqliteStore(file)


@pytest.mark.parametrize("emptied", [False, True])
def test_a_store_that_is_gone_is_not_begun_anew_over_its_journal(emptied: bool, tmp_path: Path) -> None:
    path, journal = tmp_path / "store", tmp_path / "store-wal"
    journal.write_bytes(b"what was written last")
    if emptied:
        path.touch()
    with pytest.raises(BadInput, match="the store whose journal is there"):
        SqliteStore(path)
    assert journal.read_bytes() == b"what was written last"


def test_a_closed_store_leaves_one_file(tmp_path: Path) -> None:
    filled(SqliteStore(tmp_path / "games.sqlite")).close()
    assert [file.name for file in tmp_path.iterdir()] == ["games.sqlite"]


def test_entries_that_wait_are_appended_by_one_statement_and_one_that_has_no_place_keeps_none_of_the_others_out(store: SqliteStore) -> None:
    began(store)
    store.add_game(stored("h"), 1).result()
    said: list[str] = []
    store.write(lambda connection: connection.set_trace_callback(said.append)).result()
    for wrong in (False, True):
        said.clear()
        begun, held = threading.Event(), threading.Event()
        store.write(lambda _, begun=begun, held=held: (begun.set(), held.wait(60)))  # type: ignore[misc]
        begun.wait()
        number = len(store.entries("h"))
        mine = [store.add_entry("h", entry, order_id=f"{entry.number}") for entry in written(number + 20)[number:]]
        asked = store.add_pending("h", pending(k=number + 1))
        lost = store.add_entry("g", written(9)[8]) if wrong else None
        held.set()
        assert [write.result() for write in (*mine, asked)] == [None] * 21
        if lost is not None:
            with pytest.raises(Broken, match="entry 8 of g: the log ends at -1"):
                lost.result()
        assert said.count("BEGIN IMMEDIATE") == (3 if wrong else 1)  # that of what held them up; the one statement needs none
    store.write(lambda connection: connection.set_trace_callback(None)).result()
    assert sorted(store.orders("h").values()) == list(range(40))


STEPS = 20  # of SQLite's machine, at which it is counted


def chatter(store: SqliteStore, many: int) -> None:
    """Have so many lines in a room, and between them as many in another."""
    for number in range(many):
        for room in ("game", "spectators"):
            store.add_line("g", line(str(number), room=room), line_id=f"{room} {number}")
    store.add_line("g", line("last"), line_id="last").result()


def steps_of(store: SqliteStore) -> tuple[int, int, int]:
    """Return what SQLite does to write a line, to read the last ones, and to find one that was written."""
    done = [0]

    def count() -> int:
        done[-1] += 1
        return 0

    for connection in (store._reader, store._commits._connection):
        connection.set_progress_handler(count, STEPS)
    store.add_line("g", line("more"), line_id="more").result()
    done.append(0)
    store.lines("g", rooms={"game": 0}, after=-1, most=5)
    done.append(0)
    store.line_of("g", "Anna", "game 0")
    return done[0], done[1], done[2]


def test_a_room_of_many_lines_takes_no_longer_to_write_in_or_to_read_than_one_of_few(tmp_path: Path) -> None:
    stores = [SqliteStore(tmp_path / f"{many}.sqlite") for many in (10, 1_000)]
    for store, many in zip(stores, (10, 1_000), strict=True):
        began(store)
        chatter(store, many)
    few, very_many = (steps_of(store) for store in stores)
    for store in stores:
        store.close()
    assert all(more <= 2 * less + 10 for less, more in zip(few, very_many, strict=True)), (few, very_many)


@pytest.mark.parametrize("many", [0, 1, 2, 3, 4, 5])
def test_a_long_log_is_read_in_stretches_between_which_others_read(store: SqliteStore, monkeypatch: pytest.MonkeyPatch, many: int) -> None:
    began(store)
    for entry in (entries := written(many)):
        store.add_entry("g", entry).result()
    monkeypatch.setattr("server.store.reads.STRETCH", 2)
    at_once, read = list[int](), store.read

    def watched(query: str, *values: object) -> list[tuple[object, ...]]:
        at_once.append(len(rows := read(query, *values)))
        return rows

    monkeypatch.setattr(store, "read", watched)
    assert store.entries("g") == entries
    assert (max(at_once), sum(at_once)) == (min(many, 2), many)
