"""The tables of a store in SQLite, its versions, and how a connection to it is opened.

- ``packs``: the files of a scenario pack, once a hash
- ``games``: id, pack, head of the game file (msgpack), secret seed of the server's chain
- ``entries``: (game, number) → msgpack of `core.log.Entry`
- ``pending``: (game, k) → msgpack of `core.log.Pending`, kept for ever
- ``orders``: (game, order id) → entry number, so that sending twice does nothing twice
- ``players``: names of the first version, each with the hash of the token that it was known by
- ``accounts``: number → msgpack of what became of names, keys and invites (`server.accounts`)
- ``chat``: (game, number) → a line of chat, also by its place in its room; the lobby's has an empty game (`server.chat`)
- ``standing``: (game, side, decision) → msgpack of an answer given ahead, until it is used up or revoked (`server.standing`)
- ``asked``: (game, player, order id) of each answer that was given ahead or taken back, so that sending twice does nothing twice
- ``alive``: when the server last kept time, in one row
- ``chains``: (game, number) → secret seed of the server's chain that this entry published
- ``summaries``: game → msgpack of what a start may know of it without reading it (`server.summaries`): a cache
- ``backups``: one row in a backup that no server has taken up yet, with the time at which it was made, and the server's key

A store of an earlier version is brought up by the steps that it lacks (`STEPS`), in one transaction.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import BadInput, Broken, Fault
from server.store.contract import Taken
from server.store.unmoved import JOURNALS

STORE = "games.sqlite"  # in a server's data folder
APPLICATION = 0x52535054  # "RSPT"
BUSY_MS = 10_000  # how long a write waits for another process to let the file go
_FULL = 2  # what `PRAGMA synchronous` calls it

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
_CHAINS = """
CREATE TABLE chains (
    game TEXT NOT NULL REFERENCES games, number INTEGER NOT NULL, seed BLOB NOT NULL, PRIMARY KEY (game, number)
) WITHOUT ROWID;
CREATE TABLE backups (one INTEGER PRIMARY KEY, made_ms INTEGER NOT NULL, server_key BLOB NOT NULL);
"""
_SUMMARIES = "CREATE TABLE summaries (game TEXT PRIMARY KEY REFERENCES games, summary BLOB NOT NULL) WITHOUT ROWID;"
_ASKED = """
CREATE TABLE asked (
    game TEXT NOT NULL REFERENCES games, player TEXT NOT NULL, order_id TEXT NOT NULL, PRIMARY KEY (game, player, order_id)
) WITHOUT ROWID;
"""
# Counted at each line, a room of 100,000 took 0.2 s to write a line in, and its last lines 0.8 s to read.
_PLACES = """
DROP TRIGGER chat_update;
DROP TRIGGER chat_delete;
ALTER TABLE chat ADD COLUMN place INTEGER NOT NULL DEFAULT -1;
UPDATE chat SET place = counted.place FROM (
    SELECT game, number, row_number() OVER (PARTITION BY game, room ORDER BY number) - 1 AS place FROM chat
) AS counted WHERE chat.game = counted.game AND chat.number = counted.number;
CREATE UNIQUE INDEX chat_places ON chat (game, room, place);
"""
# What each version of the schema added: the tables of version 1, of version 2 …; those that are named are append-only.
STEPS = (
    (_FIRST, ("packs", "games", "entries", "pending", "orders", "players")),
    (_ACCOUNTS, ("accounts",)),
    (_TABLE, ("chat",)),
    (_CHAINS, ("chains",)),
    (_SUMMARIES, ()),
    (_ASKED, ("asked",)),
    (_PLACES, ("chat",)),
)
SCHEMA = len(STEPS)
KNOWN_LINE = "SELECT place, time_ms, room, player, words FROM chat WHERE game = ? AND player = ? AND line_id = ?"
_OF_THE_SYSTEM = {
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_IOERR: errno.EIO,
    sqlite3.SQLITE_CANTOPEN: errno.EACCES,
    sqlite3.SQLITE_READONLY: errno.EROFS,
    sqlite3.SQLITE_BUSY: errno.EBUSY,
    sqlite3.SQLITE_LOCKED: errno.EBUSY,
    sqlite3.SQLITE_NOMEM: errno.ENOMEM,
}
NO_ROOM = "there is no room for what SQLite needs beside it (32 KB), also to read it: make some, or copy the whole folder to another disk"
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_TAKEN = (sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_ROWID)


def connect(path: Path) -> sqlite3.Connection:
    """Open a connection, and read back that it keeps what is asked of it: a library may override it, and does so silently.

    Raises:
        sqlite3.Error: it can't be opened. Broken: it does not keep durability.
    """
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=BUSY_MS / 1000)
    try:
        wanted = {
            "journal_mode": "wal", "synchronous": _FULL, "fullfsync": 1, "foreign_keys": 1, "trusted_schema": 0,
            "recursive_triggers": 1,  # else REPLACE takes away without a trigger's word what may not be deleted
        }
        for name, value in wanted.items():
            connection.execute(f"PRAGMA {name} = {value}")
        for name, value in wanted.items():
            found = connection.execute(f"PRAGMA {name}").fetchone()[0]
            if found != value:
                raise Broken(f"{path}: SQLite does not keep {name} = {value}, but {found}")
    except BaseException:
        connection.close()
        raise
    return connection


def named(error: sqlite3.Error, path: Path) -> OSError | Taken | Broken:
    """Return an error of SQLite as one of ours: the system's, a place that is taken, or a damaged store."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    if code in _TAKEN:
        return Taken(str(error))
    if code == sqlite3.SQLITE_IOERR_SHMSIZE:  # to SQLite that is no full disk, and of those who only read one it asks room as well
        return OSError(errno.ENOSPC, NO_ROOM, str(path))
    if (number := _OF_THE_SYSTEM.get(code & 0xFF)) is not None:
        return OSError(number, str(error), str(path))
    return Broken(f"{path}: {error}")


def unwritten(error: sqlite3.Error, path: Path) -> OSError | Taken | Broken:
    """Return what kept out a write to a store that was found sound, as one of ours: what has damaged it since was the disk, or somebody."""
    if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF in _DAMAGED:
        return OSError(errno.EIO, f"the file that its games are kept in is damaged ({error})", str(path))
    return named(error, path)


def prepare(path: Path) -> None:
    """Make the tables of a new store, or check an old one and bring it up.

    Raises:
        BadInput: it is no store, is damaged, or comes from a later version.
        OSError: it can't be read or written.
    """
    _check_journal(path)
    _check_names(path)
    _make_private(path)
    _check_may_write(path)
    with told(path):
        connection = connect(path)
        try:
            _check(connection, path)
        finally:
            connection.close()


def _check_journal(path: Path) -> None:
    """Raise BadInput if a store is gone whose journal is there: SQLite would throw that away, and with it all that it alone holds."""
    file = path.resolve()  # where the path is a link SQLite keeps the journal beside what it leads to
    journal = file.with_name(file.name + "-wal")
    if journal.is_file() and journal.stat().st_size and not (path.is_file() and path.stat().st_size):
        raise BadInput.one(str(path), f"the store whose journal is there, {journal.name}: it holds what was written last", "none")


def _check_names(path: Path) -> None:
    """Raise BadInput if a store is no file, or has another name: under each SQLite would keep a journal, and know nothing of the other.

    Whoever was killed while he gave a restored store its name left it the one that it had before (`server.store.backups`).
    """
    if path.exists() and not path.is_file():
        raise BadInput.one(str(path), "a store of games", "a folder" if path.is_dir() else "no file")
    names = path.stat().st_nlink if path.exists() else 1
    if names > 1 and (part := part_of(path)).exists() and part.samefile(path):
        part.unlink()
        names -= 1
    if names > 1:
        wanted = "a store of one name; a copy of one is made by `rasputitsa backup`"
        raise BadInput.one(str(path), wanted, f"{names} names of this file (hard links): remove all but this one")


def part_of(path: Path) -> Path:
    """Return where a file is written that will be *path* when it is whole."""
    return path.with_name(f".{path.name}.part")


def _make_private(path: Path) -> None:
    """Make a store that isn't there yet its owner's alone to read, whatever the umask; SQLite gives its other files the same mode."""
    with contextlib.suppress(FileExistsError):
        os.close(os.open(os.path.realpath(path), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def _check_may_write(path: Path) -> None:
    """Raise OSError that names a store, or a file of its journal, that may only be read: SQLite opens it all the same, and writes nothing.

    What it made of a journal while the store might only be read is as the store is again.
    """
    file = path.resolve()
    journals = [one for what in JOURNALS if (one := file.with_name(file.name + what)).exists()]
    for one in (file, *journals):
        if one != file and not _may_write(one):
            with contextlib.suppress(OSError):
                one.chmod(stat.S_IMODE(file.stat().st_mode))
        if not _may_write(one):
            raise OSError(errno.EACCES, "it may only be read, and a server has to write to it", str(one))


def _may_write(file: Path) -> bool:
    return os.access(file, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turn what SQLite says of a file into our errors."""
    try:
        yield
    except sqlite3.Error as error:
        ours = named(error, path)
        if isinstance(ours, OSError):
            raise ours from error
        raise BadInput.one(str(path), "a store of games", error) from error
    except UnicodeDecodeError as error:  # SQLite's complaint quotes what it found
        raise BadInput.one(str(path), "an undamaged store", "names of tables that are no text") from error


def _check(connection: sqlite3.Connection, path: Path) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if not application and not tables:
        bring_up(connection, have=0)
        return
    version = check_kind(connection, path)
    check_whole(connection, path)
    names = {str(name) for (name,) in connection.execute("SELECT name FROM sqlite_schema")}
    tables_wanted = {name for _, tables in STEPS[:version] for name in tables}
    if missing := tables_wanted - names:
        raise BadInput.one(str(path), "the tables of a store of games", f"none called {', '.join(sorted(missing))}")
    triggers_wanted = {trigger for table in tables_wanted for trigger, _ in _triggers(table)}
    if missing := triggers_wanted - names:
        raise BadInput.one(str(path), "a store that refuses changes", f"no trigger called {', '.join(sorted(missing))}")
    bring_up(connection, have=version)
    connection.execute(f"PRAGMA user_version = {SCHEMA}")  # a write: a store that can't be written is to be told of now


def check_kind(connection: sqlite3.Connection, path: Path) -> int:
    """Return a store's version; BadInput if it is another program's file, or of a later version."""
    application, version = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version"))
    if application != APPLICATION or not 1 <= version <= SCHEMA:
        raise BadInput.one(str(path), f"a store of games of version {SCHEMA} or earlier", f"{application:#x}, version {version}")
    return int(version)


def check_whole(connection: sqlite3.Connection, path: Path) -> None:
    """Raise BadInput if SQLite finds that a store is damaged, with what it says of it."""
    found = connection.execute("PRAGMA quick_check").fetchall()
    if found != [("ok",)]:
        said = [line for (text_,) in found for line in str(text_).splitlines()]
        raise BadInput(Fault(str(path), "an undamaged store", line) for line in said[:20])


def bring_up(connection: sqlite3.Connection, *, have: int) -> None:
    """Add what the versions after *have* added."""
    if have == SCHEMA:
        return
    connection.execute("BEGIN IMMEDIATE")
    for statements, tables in STEPS[have:]:
        for statement in filter(str.strip, statements.split(";")):
            connection.execute(statement)
        for table in tables:
            for name, act in _triggers(table):
                connection.execute(
                    f"CREATE TRIGGER {name} BEFORE {act} ON {table} BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END"
                )
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {SCHEMA}")
    connection.execute("COMMIT")


def _triggers(table: str) -> tuple[tuple[str, str], ...]:
    """Return the names of the triggers that keep a table append-only, each with what it refuses."""
    return tuple((f"{table}_{act.lower()}", act) for act in ("UPDATE", "DELETE"))


def knows_keys(path: Path) -> bool:
    """Say whether a store is of servers that had keys: those of its first version knew players by tokens; errors as for `reading`."""
    with reading(path) as connection:
        return check_kind(connection, path) > 1


def as_text(data: bytes) -> str:
    """Return a text of a store, also where damage has made it none: one game of it can't be read then, and all others can."""
    return data.decode(errors="replace")


def _is_for_good(path: Path) -> bool:
    """Say whether a store lies where nothing can be written, as on a disk that the system has shut after an error.

    There SQLite has no place for what it keeps beside a store that it reads, and reads one only that is said never to change.

    Raises:
        OSError: its journal is there, which can't be read so.
    """
    if sys.platform == "win32" or not os.statvfs(path).f_flag & os.ST_RDONLY:
        return False
    file = path.resolve()
    journal = file.with_name(file.name + "-wal")
    if journal.exists() and journal.stat().st_size:
        words = "its journal can't be read on a disk that can't be written to: copy the whole folder to another disk"
        raise OSError(errno.EROFS, words, str(path))
    return True


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a store to read it as it is at one moment, whether a server writes to it or not; nothing of it is changed.

    Raises:
        BadInput: it is no store, or of a later version. OSError: it can't be read.
    """
    if not path.is_file():
        raise BadInput.one(str(path), "a store of games", "no such file")
    if not path.stat().st_size:
        raise BadInput.one(str(path), "a store of games", "an empty file")
    how = "mode=ro&immutable=1" if _is_for_good(path) else "mode=ro"
    with told(path):
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA trusted_schema = OFF")
            check_kind(connection, path)
            connection.execute("BEGIN")
            # The moment is that of the first read. Without one SQLite begins a copy again whenever somebody has written meanwhile.
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            yield connection
        except Broken as error:
            raise BadInput.one(str(path), "an undamaged store", error) from error
        finally:
            connection.close()
