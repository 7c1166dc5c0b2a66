"""What is read of a store in SQLite; by its server, and by whoever looks at its file beside it."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from core.errors import BadInput
from core.gamefile import Head
from core.log import ROOT, Entry, Pending
from core.protocol import LATEST_MS, ChatLine
from core.shapes import decoder
from core.text import brief
from server.store import schema
from server.store.contract import Glance, Standing, StoredGame

T = TypeVar("T")
UNREAD = 1 << 62  # as the last number that is spent, where damage has made it none: no summary says so
STRETCH = 500  # entries that are read at once: whoever asks for anything else waits no longer than for these
_heads, _entries, _pendings, _answers = decoder(Head), decoder(Entry), decoder(Pending), decoder(Standing)


class StoreReads:
    """Reads a store over one connection, from any thread.

    Args:
        path: named in errors.
        connection: closed by whoever opened it.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._reader, self._lock = connection, threading.Lock()
        self._reader.text_factory = schema.as_text

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

    def glances(self) -> list[Glance]:
        """Return all games at a glance, oldest first."""
        last = "(SELECT entry FROM entries WHERE game = games.game ORDER BY number DESC LIMIT 1)"
        k = "(SELECT coalesce(max(k), 0) FROM pending WHERE game = games.game)"
        answered = "EXISTS (SELECT 1 FROM standing WHERE game = games.game)"
        rows = self.read(
            f"SELECT games.game, coalesce(summary, x''), {last}, {k}, {answered} FROM games LEFT JOIN summaries USING (game) "
            "ORDER BY made_ms, games.game"
        )
        return [
            Glance(str(game), _data(summary), _last(entry), spent if isinstance(spent, int) else UNREAD, bool(answers))
            for game, summary, entry, spent, answers in rows
        ]

    def game(self, name: str) -> StoredGame:
        """Return a game; KeyError if there is none of this id."""
        rows = self.read("SELECT pack, head, seed FROM games WHERE game = ?", name)
        if not rows:
            raise KeyError(name)
        pack, head, seed = rows[0]
        (decoded,) = _decoded(_heads, [("", head)], "head")
        return StoredGame(name, str(pack), decoded, bytes(seed))

    def pack(self, digest: str) -> dict[str, bytes]:
        """Return a pack's files."""
        return {str(name): bytes(data) for name, data in self.read("SELECT name, data FROM packs WHERE pack = ?", digest)}

    def entries(self, game: str) -> list[Entry]:
        """Return a game's entries in order; between some and the next others have their turn: what was read of a log never changes."""
        rows: list[tuple[Any, ...]] = []
        while len(rows) % STRETCH == 0:
            last = rows[-1][0] if rows else ROOT
            some = "SELECT number, entry FROM entries WHERE game = ? AND number > ? ORDER BY number LIMIT ?"
            if not (found := self.read(some, game, last, STRETCH)):
                break
            rows += found
        return _decoded(_entries, rows, "entry")

    def seeds(self, game: str) -> dict[int, bytes]:
        """Return the secrets of chains that entries have published, by entry."""
        return {int(number): bytes(seed) for number, seed in self.read("SELECT number, seed FROM chains WHERE game = ?", game)}

    def pending(self, game: str) -> list[tuple[Pending, str]]:
        """Return the pending records of a game with their order ids, by *k*."""
        rows = self.read("SELECT k, pending, order_id FROM pending WHERE game = ? ORDER BY k", game)
        pending = _decoded(_pendings, (row[:2] for row in rows), "pending order")
        return [(one, str(order_id)) for one, (_, _, order_id) in zip(pending, rows, strict=True)]

    def orders(self, game: str) -> dict[str, int]:
        """Return the entry number of each order id."""
        rows = self.read("SELECT order_id, number FROM orders WHERE game = ?", game)
        return {str(order_id): int(number) for order_id, number in rows}

    def lines(self, game: str, *, rooms: Mapping[str, int], after: int, most: int) -> list[ChatLine]:
        """Return the latest lines of chat in these rooms of a game, of each those behind a number and since a time, in order."""
        if not rooms:
            return []
        of_room = "SELECT * FROM chat WHERE game = ? AND room = ? AND place > ? AND time_ms >= ? ORDER BY place DESC LIMIT ?"
        of_all = " UNION ALL ".join([f"SELECT * FROM ({of_room})"] * len(rooms))
        query = f"SELECT place, time_ms, room, player, words FROM ({of_all}) ORDER BY number DESC LIMIT ?"
        values = (value for room, since_ms in rooms.items() for value in (game, room, after, since_ms, most))
        return [ChatLine(*row) for row in self.read(query, *values, most)[::-1]]

    def line_of(self, game: str, player: str, line_id: str) -> ChatLine | None:
        """Return the line of chat that a player wrote under an id, None if he wrote none."""
        rows = self.read(schema.KNOWN_LINE, game, player, line_id)
        return ChatLine(*rows[0]) if rows else None

    def answers(self, game: str) -> dict[tuple[str, str], Standing]:
        """Return the answers given ahead in a game, by side and decision."""
        rows = self.read("SELECT side, decision, answer FROM standing WHERE game = ? ORDER BY side, decision", game)
        answers = _decoded(_answers, ((decision, answer) for _, decision, answer in rows), "answer given ahead to")
        return {(str(side), str(decision)): answer for (side, decision, _), answer in zip(rows, answers, strict=True)}

    def was_asked(self, game: str, player: str, order_id: str) -> bool:
        """Say whether a player has given an answer ahead, or taken one back, under an id."""
        return bool(self.read("SELECT 1 FROM asked WHERE game = ? AND player = ? AND order_id = ?", game, player, order_id))

    def restored_ms(self) -> int | None:
        """Return when the backup was made that this store is, None if it is none, or a server has taken it up already."""
        rows = self.read("SELECT made_ms FROM backups")
        return int(rows[0][0]) if rows else None

    def alive_ms(self) -> int | None:
        """Return when a server on this store last kept time, None if none has, or what is there can be no time."""
        kept = [found for (found,) in self.read("SELECT time_ms FROM alive")]
        # From a damaged row that is later all games would go on, and no client would take them.
        return kept[0] if kept and isinstance(kept[0], int) and 0 <= kept[0] <= LATEST_MS else None

    def old_names(self) -> list[str]:
        """Return the names that were known by tokens, before keys."""
        return [str(name) for (name,) in self.read("SELECT name FROM players")]

    def account_acts(self) -> list[bytes]:
        """Return all that became of names, keys and invites, in order."""
        rows = self.read("SELECT number, act FROM accounts ORDER BY number")
        lost = next((expected for expected, (number, _) in enumerate(rows) if number != expected), None)
        if lost is not None:  # perhaps who was shut out; and what comes next would have no place
            where, wanted = f"accounts in the store: act {lost}", "what became of a name, a key or an invite"
            raise BadInput.one(where, wanted, "none, and later ones: restore the newest backup that has it")
        return [_data(act) for _, act in rows]


def _decoded(decoder: msgspec.msgpack.Decoder[T], rows: Iterable[tuple[object, bytes]], what: str) -> list[T]:
    """Return what was kept in rows, each with the number or name that it has there; BadInput if the disk has lost one."""
    decoded = []
    for number, data in rows:
        try:
            decoded.append(decoder.decode(data))
        except (ValueError, TypeError, RecursionError) as error:
            raise BadInput.one(f"{what} {number}".strip(), "what a server has written", brief(error)) from error
    return decoded


def _data(value: object) -> bytes:
    """Return what was kept as bytes, none of what damage has made something else: whoever reads that is told what is wrong."""
    return value if isinstance(value, bytes) else b""


def _last(entry: bytes | None) -> Entry | None:
    """Return the last entry of a log at a glance, None if there is none, or it can't be read: whoever reads the game is told why."""
    try:
        return None if entry is None else _entries.decode(entry)
    except (msgspec.MsgspecError, TypeError, ValueError):
        return None


@contextmanager
def looking_at(path: Path) -> Iterator[StoreReads]:
    """Read the games of a store as it is at one moment; errors as for `schema.reading`."""
    with schema.reading(path) as connection:
        yield StoreReads(path, connection)
