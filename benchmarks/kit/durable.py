"""Appending entries durably: the server's store against bare SQLite, which writes the same rows in the same groups."""

from __future__ import annotations

import sqlite3
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.kit import games
from core.dice import ChainEnd
from core.gamefile import new_head
from core.log import Entry
from server.store.contract import StoredGame
from server.store.group_commit import GroupCommit
from server.store.sqlite import SqliteStore

AT_ONCE = 2_000  # entries of one turn, about
BARE = """
CREATE TABLE entries (game TEXT NOT NULL, number INTEGER NOT NULL, entry BLOB NOT NULL, PRIMARY KEY (game, number)) WITHOUT ROWID;
CREATE TABLE orders (game TEXT NOT NULL, order_id TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (game, order_id)) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class Rates:
    """Entries a second of each turn, by the clock on the wall and by processor time, and the groups that were written."""

    ours: tuple[float, ...]
    bare: tuple[float, ...]
    ours_processor: tuple[float, ...]
    bare_processor: tuple[float, ...]
    group: float

    @property
    def ratios(self) -> list[float]:
        """Our rate as a part of theirs, turn by turn."""
        return [mine / theirs for mine, theirs in zip(self.ours, self.bare, strict=True)]


class Appending:
    """Both stores, each in a folder of its own, and the entries that come next.

    Args:
        folder: on the disk that is measured.
        many: games that are appended to in turn.
    """

    def __init__(self, folder: Path, many: int) -> None:
        keeper = games.game_of("busy").match
        self.entries = keeper.log.entries
        self.names = [f"game-{number}" for number in range(many)]
        self.groups: list[int] = []
        self.store = SqliteStore(folder / "ours.sqlite")
        head = new_head(keeper.setting, "", (ChainEnd("server", bytes(32), 1),))
        self.store.add_pack(keeper.setting.pack, {"pack": b""}).result()
        for name in self.names:
            self.store.add_game(StoredGame(name, keeper.setting.pack, msgspec.structs.replace(head, game=name), bytes(32)), 0).result()
        self.bare = sqlite3.connect(folder / "bare.sqlite", isolation_level=None)
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "fullfsync = 1"):
            self.bare.execute(f"PRAGMA {pragma}")
        self.bare.executescript(BARE)
        self._next = 0

    def close(self) -> None:
        """Close both."""
        self.store.close()
        self.bare.close()

    def coming(self, count: int) -> list[tuple[str, Entry]]:
        """Return the next entries, of one game after another; their orders are those of a real game, over and over."""
        found = []
        for at in range(self._next, self._next + count):
            number, name = at // len(self.names), self.names[at % len(self.names)]
            found.append((name, msgspec.structs.replace(self.entries[1 + number % (len(self.entries) - 1)], number=number)))
        self._next += count
        return found

    def ours(self, coming: Sequence[tuple[str, Entry]], group: int) -> None:
        """Append in the store, so many at a time."""
        for at in range(0, len(coming), group):
            some = coming[at : at + group]
            done = [self.store.add_entry(game, entry, order_id=f"order-{entry.number}") for game, entry in some]
            for one in done:  # each by itself: a waiter for many takes a twentieth of a group of one
                one.result()

    def plainly(self, rows: Sequence[tuple[str, int, bytes]], groups: Sequence[int]) -> None:
        """Append the same rows by SQLite alone, in transactions of these sizes."""
        at, run = 0, self.bare.execute
        for size in groups:
            some = rows[at : at + size]
            run("BEGIN IMMEDIATE")
            self.bare.executemany("INSERT INTO entries VALUES (?, ?, ?)", some)
            self.bare.executemany("INSERT INTO orders VALUES (?, ?, ?)", [(game, f"order-{number}", number) for game, number, _ in some])
            run("COMMIT")
            at += size
        assert at == len(rows), f"{at} of {len(rows)} rows written"


@contextmanager
def groups_noted(into: list[int]) -> Iterator[None]:
    """Note how many writes each transaction of a store takes."""
    commit = GroupCommit._commit

    def noted(self: GroupCommit, jobs: list[Any]) -> None:
        into.append(len(jobs))
        commit(self, jobs)

    GroupCommit._commit = noted  # type: ignore[method-assign]
    try:
        yield
    finally:
        GroupCommit._commit = commit  # type: ignore[method-assign]


def race(folder: Path, group: int, *, rounds: int, games_at_once: int, entries: int = AT_ONCE) -> Rates:
    """Append in turns, so that a slow moment of the machine or the disk strikes both.

    Args:
        entries: of a turn, at most.
    """
    encode = msgspec.msgpack.Encoder().encode
    taken: list[tuple[float, float, float, float]] = []
    groups: list[int] = []
    with closing(Appending(folder, games_at_once)) as both, groups_noted(groups):
        count = max(group, min(entries, 300 * group) // group * group)
        for _ in range(rounds + 1):  # the first one warms up
            coming = both.coming(count)
            groups.clear()
            mine = _timed(lambda: both.ours(coming, group))  # noqa: B023
            rows = [(game, entry.number, encode(entry)) for game, entry in coming]
            theirs = _timed(lambda: both.plainly(rows, groups))  # noqa: B023
            taken.append((*mine, *theirs))
        mean = statistics.mean(groups)
    wall, processor, bare_wall, bare_processor = (tuple(count / one[part] for one in taken[1:]) for part in range(4))
    return Rates(wall, bare_wall, processor, bare_processor, mean)


def _timed(work: Any) -> tuple[float, float]:
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - processor
