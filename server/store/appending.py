"""Entries and pending records, a whole group of them written by one statement of SQLite.

The interpreter is handed over at every statement, several times, and a thread that writes gets it back only when the serving thread is
interrupted. So a group is inserted into a view of the writer's connection, whose triggers put each row where it belongs; it lies in
neither the file nor its schema. Outside of a transaction the one statement is its own, durable when it is done.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

CACHE_KIB = 16 << 10  # the last pages of some thousand games: with SQLite's 2 MiB two hundred in turns read eight pages an entry again
AT_ONCE = 100  # rows in one statement; six values each, of 32,766 that SQLite takes
# Nothing of the statement is kept unless each entry comes just behind the last one of its log.
_VIEW = """
CREATE TEMP VIEW coming AS SELECT '' AS game, 0 AS is_pending, 0 AS number, x'' AS record, '' AS order_id, x'' AS seed;
CREATE TEMP TRIGGER coming_entry INSTEAD OF INSERT ON coming WHEN NOT NEW.is_pending BEGIN
    SELECT RAISE(ABORT, 'an entry out of turn')
        WHERE NEW.number <> 1 + (SELECT coalesce(max(number), -1) FROM entries WHERE game = NEW.game);
    INSERT INTO entries VALUES (NEW.game, NEW.number, NEW.record);
    INSERT INTO orders SELECT NEW.game, NEW.order_id, NEW.number WHERE NEW.order_id <> '';
    INSERT INTO chains SELECT NEW.game, NEW.number, NEW.seed WHERE NEW.seed <> x'';
END;
CREATE TEMP TRIGGER coming_pending INSTEAD OF INSERT ON coming WHEN NEW.is_pending BEGIN
    INSERT INTO pending VALUES (NEW.game, NEW.number, NEW.record, NEW.order_id);
END;
"""


class Row(NamedTuple):
    """What is appended: an entry, or a pending record, whose *number* is its *k*."""

    game: str
    is_pending: bool
    number: int
    record: bytes
    order_id: str = ""
    seed: bytes = b""


def prepare(connection: sqlite3.Connection) -> None:
    """Make a connection one that `append` can use."""
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    connection.executescript(_VIEW)


def append(connection: sqlite3.Connection, rows: Sequence[Row]) -> None:
    """Append rows, all or none, at most `AT_ONCE`.

    Raises:
        sqlite3.Error: nothing was kept.
    """
    connection.execute(_statement(len(rows)), [value for row in rows for value in row])


@cache
def _statement(count: int) -> str:
    return "INSERT INTO coming VALUES " + ", ".join(["(?, ?, ?, ?, ?, ?)"] * count)
