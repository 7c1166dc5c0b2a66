"""The store in one file of SQLite, written by one process: `server.store.schema` has its tables, `server.store.group_commit` its writer.

Readers have a connection of their own; the log's tables refuse update and delete by triggers.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import sqlite3
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec

from core.errors import Broken, Refused
from core.log import Entry, Pending
from core.protocol import ChatLine
from core.text import text
from server.store import schema
from server.store.apart import Apart
from server.store.appending import Row
from server.store.contract import Appended, Standing, StoredGame, Taken
from server.store.group_commit import GroupCommit, Job, T
from server.store.reads import StoreReads
from server.store.unmoved import Files

if sys.platform != "win32":
    import fcntl

STORE = schema.STORE
GUARD = "in-use.sqlite"
_encode = msgspec.msgpack.Encoder().encode
# Nothing is written unless the log ends just before; one statement, as each costs a handover of the interpreter.
_APPEND = "INSERT INTO entries SELECT ?1, ?2, ?3 WHERE ?2 = 1 + (SELECT coalesce(max(number), -1) FROM entries WHERE game = ?1)"
_SPEND = "INSERT INTO pending VALUES (?, ?, ?, ?)"
_NEXT_LINE, _NEXT_PLACE = (f"SELECT coalesce(max({what}), -1) + 1 FROM chat WHERE game = ?" for what in ("number", "place"))


@contextmanager
def holding(folder: Path) -> Iterator[Sequence[Path]]:
    """Keep a data folder, and its store where that is a link, to this process; the system lets go when it ends, however that comes.

    Yields the files that are locked for it: who keeps them to himself for long watches that they are still there.

    Raises:
        Refused: another process has it.
        OSError: it can't be written to.
    """
    with ExitStack() as stack:
        guards = _guards(folder)
        for guard in guards:
            if guard.name == GUARD:
                stack.enter_context(_folder_locked(guard.parent))
            stack.enter_context(_locked(guard))
        yield guards


def _guards(folder: Path) -> list[Path]:
    """Return what whoever has a folder has locked: a file in it, and where its store is a link one beside the store.

    A store in another server's folder is that server's; under another name it may have neighbours.
    """
    guards = [folder / GUARD]
    if (folder / STORE).is_symlink():
        file = Path(os.path.realpath(folder / STORE))
        guards.append(file.with_name(GUARD if file.name == STORE else f"{file.name}-{GUARD}"))
    return guards


@contextmanager
def _folder_locked(folder: Path) -> Iterator[None]:
    """Lock a folder itself, where the system lets a file that is locked be removed: whoever looks in its place then finds none.

    Folders of some networks' file systems can't be locked; the file is all there is then.
    """
    if sys.platform == "win32":
        yield
        return
    with ExitStack() as stack:
        with contextlib.suppress(OSError):
            held = os.open(folder, os.O_RDONLY)
            stack.callback(os.close, held)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise _taken(folder) from error
        yield


@contextmanager
def _locked(guard: Path) -> Iterator[None]:
    """Lock a file by SQLite: that is there on every system, and no reader of the games minds it."""
    guard.touch(mode=0o600)
    give_to_whose_folder_it_is(guard)
    with schema.told(guard):
        connection = sqlite3.connect(guard, isolation_level=None, timeout=0)
    try:
        try:
            _lock(connection, guard)
        except sqlite3.Error as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise OSError(errno.EIO, str(error), str(guard)) from error
            raise _taken(guard.parent) from error
        yield
    finally:
        connection.close()


def give_to_whose_folder_it_is(file: Path) -> None:
    """Leave nothing of root's that keeps the server of somebody else out; SQLite does likewise with what it makes beside a store.

    What a link leads to is left alone: whose folder it is could have root give him any file.
    """
    if sys.platform != "win32" and os.geteuid() == 0:
        folder = file.parent.stat()
        os.chown(file, folder.st_uid, folder.st_gid, follow_symlinks=False)


def _taken(folder: Path) -> Refused:
    return Refused("", text("another server runs on {folder}", folder=str(folder)))


def _lock(connection: sqlite3.Connection, guard: Path) -> None:
    try:
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_NOTADB:
            raise
        # It holds nothing, so nothing is lost with what a disk made of it; and nobody has it, who would keep this from being seen.
        os.truncate(guard, 0)
        connection.execute("BEGIN EXCLUSIVE")


class SqliteStore(StoreReads):
    """Games on disk; a `server.store.contract.Store`.

    Args:
        path: the database file; made if it isn't there.
        guards: the files that are locked for it; nothing is written once one of them was moved away.

    Raises:
        BadInput: the file is no store, is damaged, or comes from a later version.
        OSError: it can't be read or written.
    """

    def __init__(self, path: Path, guards: Sequence[Path] = ()) -> None:
        schema.prepare(path)
        super().__init__(path, schema.connect(path))
        self._files = Files(path, guards)
        self._commits = GroupCommit(schema.connect(path), functools.partial(schema.unwritten, path=path), self._files.check)

    def close(self) -> None:
        """Finish what waits, checkpoint and close."""
        self._reader.close()
        self._commits.close()

    def trouble(self) -> str:
        """Return what is wrong: that the store, its journal or its lock was moved away, or what the disk says; empty if nothing is."""
        return self._files.trouble() or self._commits.trouble()

    def append_apart(self) -> Apart | None:
        """Have what the running loop's thread appends written by a process beside this one; None where that can't be."""
        return self._commits.append_apart(self.path)

    # ---------------------------------------------------------------- writing

    @property
    def waiting(self) -> int:
        """Return how many writes wait to be durable, about."""
        return self._commits.waiting

    @property
    def stalled_s(self) -> float:
        """Return for how long the oldest write under way has been waiting to be durable."""
        return self._commits.stalled_s

    @property
    def is_held_up(self) -> bool:
        """Say whether nothing can be written now, or a write under way takes far longer than usual."""
        return bool(self._files.trouble()) or self._commits.is_held_up

    def hear(self) -> bool:
        """Resolve, now, the futures of writes that are durable already: the loop need not be woken for them; say whether there were any."""
        return self._commits.hear()

    def write(self, job: Job[T]) -> Future[T]:
        """Queue a write; the future is done when the write is durable, or has the error that kept it out."""
        return self._commits.write(job)

    def add_pack(self, digest: str, files: Mapping[str, bytes]) -> Future[None]:
        """Keep a pack, once a hash."""
        rows = [(digest, name, data) for name, data in sorted(files.items())]

        def job(connection: sqlite3.Connection) -> None:
            if not connection.execute("SELECT 1 FROM packs WHERE pack = ? LIMIT 1", (digest,)).fetchone():
                connection.executemany("INSERT INTO packs VALUES (?, ?, ?)", rows)

        return self.write(job)

    def add_game(self, game: StoredGame, made_ms: int) -> Future[None]:
        """Keep a new game."""
        return self.add_record(game, made_ms, ())

    def add_record(
        self, game: StoredGame, made_ms: int, entries: tuple[Entry, ...], *, seed: bytes = b"", pending: Pending | None = None
    ) -> Future[None]:
        """Keep a new game with all its entries, and the order that waits."""
        row = (game.game, game.pack, _encode(game.head), game.seed, made_ms)

        def job(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT INTO games VALUES (?, ?, ?, ?, ?)", row)
            rows = ((game.game, entry.number, _encode(entry)) for entry in entries)
            connection.executemany("INSERT INTO entries VALUES (?, ?, ?)", rows)
            if seed:
                connection.execute("INSERT INTO chains VALUES (?, ?, ?)", (game.game, entries[-1].number, seed))
            if pending is not None:
                connection.execute(_SPEND, (game.game, pending.k, _encode(pending), ""))

        return self.write(job)

    def add_entry(self, game: str, entry: Entry, *, order_id: str = "", seed: bytes = b"") -> Appended:
        """Append an entry, with the id of the order that it answers."""
        number = entry.number
        data = _encode(entry)
        row = (game, number, data)

        def job(connection: sqlite3.Connection) -> None:
            if connection.execute(_APPEND, row).rowcount != 1:
                last = connection.execute("SELECT coalesce(max(number), -1) FROM entries WHERE game = ?", (game,)).fetchone()[0]
                words = f"entry {number} of {game}: the log ends at {last}"
                raise Taken(words) if number <= last else Broken(words)
            if order_id:
                connection.execute("INSERT INTO orders VALUES (?, ?, ?)", (game, order_id, number))
            if seed:
                connection.execute("INSERT INTO chains VALUES (?, ?, ?)", (game, number, seed))

        return self._commits.append(job, Row(game, False, number, data, order_id, seed))

    def add_pending(self, game: str, pending: Pending, *, order_id: str = "") -> Appended:
        """Keep a pending order: from here on its *k* is spent."""
        row = (game, pending.k, _encode(pending), order_id)

        def job(connection: sqlite3.Connection) -> None:
            connection.execute(_SPEND, row)

        return self._commits.append(job, Row(game, True, *row[1:]))

    def add_account_act(self, number: int, act: bytes) -> Future[None]:
        """Append what became of a name, key or invite."""
        return self.write(lambda connection: _nothing(connection.execute("INSERT INTO accounts VALUES (?, ?)", (number, act))))

    def add_line(self, game: str, line: ChatLine, *, line_id: str) -> Future[tuple[ChatLine, bool]]:
        """Keep a line of chat, once a player and id."""

        def job(connection: sqlite3.Connection) -> tuple[ChatLine, bool]:
            if row := connection.execute(schema.KNOWN_LINE, (game, line.player, line_id)).fetchone():
                return ChatLine(*row), False
            place = connection.execute(f"{_NEXT_PLACE} AND room = ?", (game, line.room)).fetchone()[0]
            number = connection.execute(_NEXT_LINE, (game,)).fetchone()[0]
            row = (game, number, line.time_ms, line.room, line.player, line_id, line.text, place)
            connection.execute("INSERT INTO chat VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
            return msgspec.structs.replace(line, number=place), True

        return self.write(job)

    def keep_answer(
        self, game: str, side: str, decision: str, answer: Standing | None, *, asked: tuple[str, str] | None = None
    ) -> Future[None]:
        """Keep an answer given ahead in the place of an earlier one, or forget it."""

        def job(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM standing WHERE game = ? AND side = ? AND decision = ?", (game, side, decision))
            if answer is not None:
                connection.execute("INSERT INTO standing VALUES (?, ?, ?, ?)", (game, side, decision, _encode(answer)))
            if asked is not None:
                connection.execute("INSERT INTO asked VALUES (?, ?, ?)", (game, *asked))

        return self.write(job)

    def keep_summary(self, game: str, summary: bytes) -> Future[None]:
        """Keep what `glances` gives back of a game."""
        statement = "INSERT OR REPLACE INTO summaries VALUES (?, ?)"
        return self.write(lambda connection: _nothing(connection.execute(statement, (game, summary))))

    def took_up(self) -> Future[None]:
        """Forget that the store is a backup: a server has taken it up."""
        return self.write(lambda connection: _nothing(connection.execute("DELETE FROM backups")))

    def keep_alive(self, time_ms: int) -> Future[None]:
        """Keep the time, so that a server after this one knows how long nobody did."""
        return self.write(lambda connection: _nothing(connection.execute("INSERT OR REPLACE INTO alive VALUES (1, ?)", (time_ms,))))


def _nothing(_: object) -> None:
    return None
