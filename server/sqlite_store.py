"""The store in one file of SQLite, written by one process: `server.schema` has its tables, `server.group_commit` its writer.

Readers have a connection of their own; the log's tables refuse update and delete by triggers.
"""

from __future__ import annotations

import errno
import functools
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from core.errors import Broken, Refused
from core.gamefile import Head
from core.log import Entry, Pending
from core.protocol import ChatLine
from core.shapes import decoder
from core.text import text
from server import schema
from server.group_commit import GroupCommit, Job, T
from server.store import Standing, StoredGame, Taken

STORE = "games.sqlite"  # in a server's data folder
GUARD = "in-use.sqlite"
_heads, _entries, _pendings, _answers = decoder(Head), decoder(Entry), decoder(Pending), decoder(Standing)
_encode = msgspec.msgpack.Encoder().encode


@contextmanager
def holding(folder: Path) -> Iterator[None]:
    """Keep a data folder to this process; the system lets it go when the process ends, however that comes.

    Raises:
        Refused: another process has it.
        OSError: it can't be written to.
    """
    guard = folder / GUARD
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


class SqliteStore:
    """Games on disk; a `server.store.Store`.

    Args:
        path: the database file; made if it isn't there.

    Raises:
        BadInput: the file is no store, is damaged, or comes from a later version.
        OSError: it can't be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        schema.prepare(path)
        self._reader, self._lock = schema.connect(path), threading.Lock()
        self._commits = GroupCommit(schema.connect(path), functools.partial(schema.named, path=path))

    def close(self) -> None:
        """Finish what waits, checkpoint and close."""
        self._reader.close()
        self._commits.close()

    # ---------------------------------------------------------------- writing

    @property
    def waiting(self) -> int:
        """Return how many writes wait to be durable, about."""
        return self._commits.waiting

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

    def add_record(self, game: StoredGame, made_ms: int, entries: tuple[Entry, ...]) -> Future[None]:
        """Keep a new game with all its entries."""
        row = (game.game, game.pack, _encode(game.head), game.seed, made_ms)

        def job(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT INTO games VALUES (?, ?, ?, ?, ?)", row)
            rows = ((game.game, entry.number, _encode(entry)) for entry in entries)
            connection.executemany("INSERT INTO entries VALUES (?, ?, ?)", rows)

        return self.write(job)

    def add_entry(self, game: str, entry: Entry, *, order_id: str = "", seed: bytes = b"") -> Future[None]:
        """Append an entry, with the id of the order that it answers."""
        data = _encode(entry)

        def job(connection: sqlite3.Connection) -> None:
            last = connection.execute("SELECT coalesce(max(number), -1) FROM entries WHERE game = ?", (game,)).fetchone()[0]
            if entry.number != last + 1:
                words = f"entry {entry.number} of {game}: the log ends at {last}"
                raise Taken(words) if entry.number <= last else Broken(words)
            connection.execute("INSERT INTO entries VALUES (?, ?, ?)", (game, entry.number, data))
            if order_id:
                connection.execute("INSERT INTO orders VALUES (?, ?, ?)", (game, order_id, entry.number))
            if seed:
                connection.execute("INSERT INTO chains VALUES (?, ?, ?)", (game, entry.number, seed))

        return self.write(job)

    def add_pending(self, game: str, pending: Pending, *, order_id: str = "") -> Future[None]:
        """Keep a pending order: from here on its *k* is spent."""
        row = (game, pending.k, _encode(pending), order_id)
        return self.write(lambda connection: _nothing(connection.execute("INSERT INTO pending VALUES (?, ?, ?, ?)", row)))

    def add_account_act(self, number: int, act: bytes) -> Future[None]:
        """Append what became of a name, key or invite."""
        return self.write(lambda connection: _nothing(connection.execute("INSERT INTO accounts VALUES (?, ?)", (number, act))))

    def add_line(self, game: str, line: ChatLine, *, line_id: str) -> Future[tuple[ChatLine, bool]]:
        """Keep a line of chat, once a player and id."""

        def job(connection: sqlite3.Connection) -> tuple[ChatLine, bool]:
            known = "SELECT number, time_ms, room, player, words FROM chat WHERE game = ? AND player = ? AND line_id = ?"
            if row := connection.execute(known, (game, line.player, line_id)).fetchone():
                return ChatLine(*row), False
            number = connection.execute("SELECT coalesce(max(number), -1) + 1 FROM chat WHERE game = ?", (game,)).fetchone()[0]
            row = (game, number, line.time_ms, line.room, line.player, line_id, line.text)
            connection.execute("INSERT INTO chat VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            return msgspec.structs.replace(line, number=number), True

        return self.write(job)

    def keep_answer(self, game: str, side: str, decision: str, answer: Standing | None) -> Future[None]:
        """Keep an answer given ahead in the place of an earlier one, or forget it."""

        def job(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM standing WHERE game = ? AND side = ? AND decision = ?", (game, side, decision))
            if answer is not None:
                connection.execute("INSERT INTO standing VALUES (?, ?, ?, ?)", (game, side, decision, _encode(answer)))

        return self.write(job)

    def keep_alive(self, time_ms: int) -> Future[None]:
        """Keep the time, so that a server after this one knows how long nobody did."""
        return self.write(lambda connection: _nothing(connection.execute("INSERT OR REPLACE INTO alive VALUES (1, ?)", (time_ms,))))

    # ---------------------------------------------------------------- reading

    def read(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        try:
            with self._lock:
                return self._reader.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise schema.named(error, self.path) from error

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

    def pack(self, digest: str) -> dict[str, bytes]:
        """Return a pack's files."""
        return {str(name): bytes(data) for name, data in self.read("SELECT name, data FROM packs WHERE pack = ?", digest)}

    def entries(self, game: str, *, after: int = -1) -> list[Entry]:
        """Return a game's entries in order, those after a number."""
        rows = self.read("SELECT entry FROM entries WHERE game = ? AND number > ? ORDER BY number", game, after)
        return [_entries.decode(data) for (data,) in rows]

    def seeds(self, game: str) -> dict[int, bytes]:
        """Return the secrets of chains that entries have published, by entry."""
        return {int(number): bytes(seed) for number, seed in self.read("SELECT number, seed FROM chains WHERE game = ?", game)}

    def pending(self, game: str) -> list[tuple[Pending, str]]:
        """Return the pending records of a game with their order ids, by *k*."""
        rows = self.read("SELECT pending, order_id FROM pending WHERE game = ? ORDER BY k", game)
        return [(_pendings.decode(data), str(order_id)) for data, order_id in rows]

    def orders(self, game: str) -> dict[str, int]:
        """Return the entry number of each order id."""
        rows = self.read("SELECT order_id, number FROM orders WHERE game = ?", game)
        return {str(order_id): int(number) for order_id, number in rows}

    def lines(self, game: str, *, after: int, most: int) -> list[ChatLine]:
        """Return the latest of a game's lines of chat behind a number, in order."""
        query = "SELECT number, time_ms, room, player, words FROM chat WHERE game = ? AND number > ? ORDER BY number DESC LIMIT ?"
        return [ChatLine(*row) for row in self.read(query, game, after, most)[::-1]]

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
