"""The log store: SQLite, append-only, durable before anything is acknowledged.

One writer thread owns the writing connection and takes all waiting writes into one transaction (group commit); whoever waits for a
write learns of it only when it is on disk. Readers open their own connections. Tables:

- ``packs``: the files of a scenario pack, once a hash
- ``games``: id, pack, head of the game file (msgpack), secret seed of the server's chain
- ``entries``: (game, number) → msgpack of `core.log.Entry`
- ``pending``: (game, k) → msgpack of `core.log.Pending`, kept for ever
- ``orders``: (game, order id) → entry number, so that sending twice does nothing twice
- ``players``: names of the first version, each with the hash of the token that it was known by
- ``accounts``: number → msgpack of what became of names, keys and invites (`server.accounts`)
- ``chat``: (game, number) → a line of chat; the lobby's has an empty game (`server.chat`)
- ``standing``: (game, side, decision) → msgpack of an answer given ahead, until it is used up or revoked (`server.standing`)
- ``alive``: when the server last kept time, in one row

A store of an earlier version is brought up by the steps that it lacks (`_STEPS`), in one transaction.
"""

from __future__ import annotations

import errno
import queue
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from core.errors import BadInput, Broken, Fault, Refused
from core.gamefile import Head
from core.log import Entry, Pending
from core.shapes import decoder
from core.text import text

APPLICATION = 0x52535054  # "RSPT"
T = TypeVar("T")
_heads, _entries, _pendings = decoder(Head), decoder(Entry), decoder(Pending)

_FIRST = """
CREATE TABLE packs (pack TEXT NOT NULL, name TEXT NOT NULL, data BLOB NOT NULL, PRIMARY KEY (pack, name)) WITHOUT ROWID;
CREATE TABLE games (
    game TEXT PRIMARY KEY, pack TEXT NOT NULL, head BLOB NOT NULL, seed BLOB NOT NULL, made_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE entries (
    game TEXT NOT NULL REFERENCES games, number INTEGER NOT NULL, entry BLOB NOT NULL, PRIMARY KEY (game, number)
) WITHOUT ROWID;
CREATE TABLE pending (
    game TEXT NOT NULL REFERENCES games, k INTEGER NOT NULL, pending BLOB NOT NULL, order_id TEXT NOT NULL, PRIMARY KEY (game, k)
) WITHOUT ROWID;
CREATE TABLE orders (
    game TEXT NOT NULL REFERENCES games, order_id TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (game, order_id)
) WITHOUT ROWID;
CREATE TABLE players (name TEXT PRIMARY KEY, token BLOB NOT NULL) WITHOUT ROWID;
"""
_ACCOUNTS = "CREATE TABLE accounts (number INTEGER PRIMARY KEY, act BLOB NOT NULL) WITHOUT ROWID;"
_TABLE = """
CREATE TABLE chat (
    game TEXT NOT NULL, number INTEGER NOT NULL, time_ms INTEGER NOT NULL, room TEXT NOT NULL, player TEXT NOT NULL,
    line_id TEXT NOT NULL, words TEXT NOT NULL, PRIMARY KEY (game, number), UNIQUE (game, player, line_id)
) WITHOUT ROWID;
CREATE TABLE standing (
    game TEXT NOT NULL REFERENCES games, side TEXT NOT NULL, decision TEXT NOT NULL, answer BLOB NOT NULL,
    PRIMARY KEY (game, side, decision)
) WITHOUT ROWID;
CREATE TABLE alive (one INTEGER PRIMARY KEY, time_ms INTEGER NOT NULL);
"""
# What each version of the schema added: the tables of version 1, of version 2 …; those that are named are append-only.
_STEPS = (
    (_FIRST, ("packs", "games", "entries", "pending", "orders", "players")),
    (_ACCOUNTS, ("accounts",)),
    (_TABLE, ("chat",)),
)
SCHEMA = len(_STEPS)
_OF_THE_SYSTEM = {
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_IOERR: errno.EIO,
    sqlite3.SQLITE_CANTOPEN: errno.EACCES,
    sqlite3.SQLITE_READONLY: errno.EROFS,
    sqlite3.SQLITE_BUSY: errno.EBUSY,
    sqlite3.SQLITE_NOMEM: errno.ENOMEM,
}


class Standing(msgspec.Struct, frozen=True):
    """An answer given ahead, as it is kept. *turn* is the last one of its use, -1: any."""

    order_id: str
    player: str
    order: bytes
    turn: int
    signature: bytes


class StoredGame(msgspec.Struct, frozen=True):
    """What the store keeps of a game besides its entries."""

    game: str
    pack: str
    head: Head
    seed: bytes


_answers = decoder(Standing)


@contextmanager
def holding(folder: Path) -> Iterator[None]:
    """Keep a data folder to this process; the system lets it go when the process ends, however that comes.

    Raises:
        Refused: another process has it.
        OSError: it can't be written to.
    """
    guard = folder / "in-use.sqlite"
    guard.touch(mode=0o600)
    connection = sqlite3.connect(guard, isolation_level=None, timeout=0)
    try:
        # SQLite's lock on a file of its own: it is there on every system, and no reader of the games minds it.
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise OSError(errno.EIO, str(error), str(guard)) from error
            raise Refused("", text("another server runs on {folder}", folder=str(folder))) from error
        yield
    finally:
        connection.close()


class Store:
    """Games on disk.

    Args:
        path: the database file; made if it isn't there.

    Raises:
        BadInput: the file is no store, is damaged, or comes from a later version.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._prepare()
        self._jobs: queue.SimpleQueue[tuple[Callable[[sqlite3.Connection], object], Future[object]] | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write_all, name="store writer", daemon=True)
        self._reader = self._connect()
        self._lock = threading.Lock()
        self._writer.start()

    # ---------------------------------------------------------------- connections

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False, timeout=10)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA fullfsync = 1")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        found = connection.execute("PRAGMA synchronous").fetchone()[0]
        if found != 2:
            raise Broken(f"SQLite does not keep synchronous = FULL, but {found}")
        return connection

    def _prepare(self) -> None:
        """Make the tables of a new store, or check an old one."""
        try:
            connection = self._connect()
            try:
                self._check(connection)
            finally:
                connection.close()
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF in _OF_THE_SYSTEM:
                raise OSError(_OF_THE_SYSTEM[error.sqlite_errorcode & 0xFF], str(error), str(self.path)) from error
            raise BadInput.one(str(self.path), "a store of games", error) from error
        except UnicodeDecodeError as error:  # SQLite's complaint quotes what it found
            raise BadInput.one(str(self.path), "an undamaged store", "names of tables that are no text") from error

    def _check(self, connection: sqlite3.Connection) -> None:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        if not application and not tables:
            self._bring_up(connection, have=0)
            return
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if application != APPLICATION or not 1 <= version <= SCHEMA:
            raise BadInput.one(str(self.path), f"a store of games of version {SCHEMA} or earlier", f"{application:#x}, version {version}")
        found = connection.execute("PRAGMA quick_check").fetchall()
        if found != [("ok",)]:
            said = [line for (text_,) in found for line in str(text_).splitlines()]
            raise BadInput(Fault(str(self.path), "an undamaged store", line) for line in said[:20])
        tables_now = {str(name) for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        if missing := {name for _, names in _STEPS[:version] for name in names} - tables_now:
            raise BadInput.one(str(self.path), "the tables of a store of games", f"none called {', '.join(sorted(missing))}")
        self._bring_up(connection, have=version)

    def _bring_up(self, connection: sqlite3.Connection, *, have: int) -> None:
        """Add what the versions after *have* added."""
        if have == SCHEMA:
            return
        connection.execute("BEGIN IMMEDIATE")
        for statements, names in _STEPS[have:]:
            for statement in filter(str.strip, statements.split(";")):
                connection.execute(statement)
            for table in names:
                for act in ("UPDATE", "DELETE"):
                    connection.execute(
                        f"CREATE TRIGGER {table}_{act.lower()} BEFORE {act} ON {table} "
                        f"BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END"
                    )
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {SCHEMA}")
        connection.execute("COMMIT")

    def close(self) -> None:
        """Finish what waits, checkpoint and close."""
        self._jobs.put(None)
        self._writer.join()
        self._reader.close()

    # ---------------------------------------------------------------- writing

    @property
    def waiting(self) -> int:
        """Return how many writes wait to be durable, about."""
        return self._jobs.qsize()

    def write(self, job: Callable[[sqlite3.Connection], T]) -> Future[T]:
        """Queue a write; the future is done when the write is durable, or has the error that kept it out."""
        done: Future[T] = Future()
        self._jobs.put((job, done))  # type: ignore[arg-type]
        return done

    def _write_all(self) -> None:
        connection = self._connect()
        while True:
            batch = [self._jobs.get()]
            while not self._jobs.empty():
                batch.append(self._jobs.get())
            jobs = [job for job in batch if job is not None]
            if jobs:
                self._commit(connection, jobs)
            if None in batch:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                connection.close()
                return

    def _commit(
        self, connection: sqlite3.Connection, jobs: list[tuple[Callable[[sqlite3.Connection], object], Future[object]]]
    ) -> None:
        """Run waiting writes in one transaction; one that fails is rolled back alone."""
        results: list[tuple[Future[object], object, BaseException | None]] = []
        try:
            connection.execute("BEGIN IMMEDIATE")
            for job, done in jobs:
                connection.execute("SAVEPOINT one")
                try:
                    results.append((done, job(connection), None))
                except Exception as error:
                    connection.execute("ROLLBACK TO one")
                    results.append((done, None, error))
                connection.execute("RELEASE one")
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            results = [(done, None, error) for _, done in jobs]
        for done, value, failed in results:
            if failed is None:
                done.set_result(value)
            else:
                done.set_exception(failed)

    def add_pack(self, digest: str, files: Mapping[str, bytes]) -> Future[None]:
        """Keep a pack, once a hash."""

        def job(connection: sqlite3.Connection) -> None:
            if not connection.execute("SELECT 1 FROM packs WHERE pack = ? LIMIT 1", (digest,)).fetchone():
                connection.executemany("INSERT INTO packs VALUES (?, ?, ?)", [(digest, name, data) for name, data in sorted(files.items())])

        return self.write(job)

    def add_game(self, game: StoredGame, made_ms: int) -> Future[None]:
        """Keep a new game."""

        def job(connection: sqlite3.Connection) -> None:
            head = msgspec.msgpack.encode(game.head)
            connection.execute("INSERT INTO games VALUES (?, ?, ?, ?, ?)", (game.game, game.pack, head, game.seed, made_ms))

        return self.write(job)

    def add_entry(self, game: str, entry: Entry, *, order_id: str = "") -> Future[None]:
        """Append an entry, with the id of the order that it answers."""

        def job(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT INTO entries VALUES (?, ?, ?)", (game, entry.number, msgspec.msgpack.encode(entry)))
            if order_id:
                connection.execute("INSERT INTO orders VALUES (?, ?, ?)", (game, order_id, entry.number))

        return self.write(job)

    def add_pending(self, game: str, pending: Pending, *, order_id: str = "") -> Future[None]:
        """Keep a pending order: from here on its *k* is spent."""

        def job(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT INTO pending VALUES (?, ?, ?, ?)", (game, pending.k, msgspec.msgpack.encode(pending), order_id))

        return self.write(job)

    def add_account_act(self, number: int, act: bytes) -> Future[None]:
        """Append what became of a name, key or invite; sqlite3.IntegrityError if the number is taken."""
        return self.write(lambda connection: _nothing(connection.execute("INSERT INTO accounts VALUES (?, ?)", (number, act))))

    def keep_answer(self, game: str, side: str, decision: str, answer: Standing | None) -> Future[None]:
        """Keep an answer given ahead in the place of an earlier one, or forget it."""

        def job(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM standing WHERE game = ? AND side = ? AND decision = ?", (game, side, decision))
            if answer is not None:
                connection.execute("INSERT INTO standing VALUES (?, ?, ?, ?)", (game, side, decision, msgspec.msgpack.encode(answer)))

        return self.write(job)

    def keep_alive(self, time_ms: int) -> Future[None]:
        """Keep the time, so that a server after this one knows how long nobody did."""
        return self.write(lambda connection: _nothing(connection.execute("INSERT OR REPLACE INTO alive VALUES (1, ?)", (time_ms,))))

    # ---------------------------------------------------------------- reading

    def read(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        with self._lock:
            return self._reader.execute(query, values).fetchall()

    def names(self) -> list[str]:
        """Return the ids of all games, oldest first."""
        return [str(game) for (game,) in self.read("SELECT game FROM games ORDER BY made_ms, game")]

    def game(self, name: str) -> StoredGame:
        """Return a game; KeyError if there is none of this id."""
        rows = self.read("SELECT pack, head, seed FROM games WHERE game = ?", name)
        if not rows:
            raise KeyError(name)
        pack, head, seed = rows[0]
        return StoredGame(name, str(pack), _heads.decode(head), bytes(seed))

    def games(self) -> list[StoredGame]:
        """Return all games, oldest first."""
        return [self.game(name) for name in self.names()]

    def pack(self, digest: str) -> dict[str, bytes]:
        """Return a pack's files."""
        return {str(name): bytes(data) for name, data in self.read("SELECT name, data FROM packs WHERE pack = ?", digest)}

    def entries(self, game: str, *, after: int = -1) -> list[Entry]:
        """Return a game's entries in order, those after a number."""
        rows = self.read("SELECT entry FROM entries WHERE game = ? AND number > ? ORDER BY number", game, after)
        return [_entries.decode(data) for (data,) in rows]

    def pending(self, game: str) -> list[tuple[Pending, str]]:
        """Return the pending records of a game with their order ids, by *k*."""
        rows = self.read("SELECT pending, order_id FROM pending WHERE game = ? ORDER BY k", game)
        return [(_pendings.decode(data), str(order_id)) for data, order_id in rows]

    def orders(self, game: str) -> dict[str, int]:
        """Return the entry number of each order id."""
        rows = self.read("SELECT order_id, number FROM orders WHERE game = ?", game)
        return {str(order_id): int(number) for order_id, number in rows}

    def answers(self, game: str) -> dict[tuple[str, str], Standing]:
        """Return the answers given ahead in a game, by side and decision."""
        rows = self.read("SELECT side, decision, answer FROM standing WHERE game = ? ORDER BY side, decision", game)
        return {(str(side), str(decision)): _answers.decode(answer) for side, decision, answer in rows}

    def alive_ms(self) -> int | None:
        """Return when a server on this store last kept time, None if none has."""
        rows = self.read("SELECT time_ms FROM alive")
        return int(rows[0][0]) if rows else None

    def old_names(self) -> list[str]:
        """Return the names that were known by tokens, before keys."""
        return [str(name) for (name,) in self.read("SELECT name FROM players")]

    def account_acts(self) -> list[bytes]:
        """Return all that became of names, keys and invites, in order."""
        return [bytes(act) for (act,) in self.read("SELECT act FROM accounts ORDER BY number")]


def _nothing(_: object) -> None:
    return None
