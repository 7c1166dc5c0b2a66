"""What a store has lost is found by its own hashes, where SQLite finds nothing."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from core.log import Log
from server.store import schema, soundness

STORES = Path(__file__).with_name("stores")


@pytest.fixture(params=sorted(file.name for file in STORES.glob("*.sqlite")))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return Path(shutil.copy(STORES / request.param, tmp_path / "games.sqlite"))


def write(store: Path, statement: str, *values: object) -> None:
    """Change a store as no server can."""
    with closing(sqlite3.connect(store)) as connection, connection:
        for (trigger,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {trigger}")
        connection.execute(statement, values)


def first_game(store: Path) -> str:
    with closing(sqlite3.connect(store)) as connection:
        return str(connection.execute("SELECT min(game) FROM games").fetchone()[0])


def entry(store: Path, game: str, number: int) -> bytes:
    with closing(sqlite3.connect(store)) as connection:
        found = connection.execute("SELECT entry FROM entries WHERE game = ? AND number = ?", (game, number)).fetchone()
        return bytes(found[0])


def test_stores_of_all_versions_are_sound(store: Path) -> None:
    assert soundness.damages(store) == []


@pytest.mark.parametrize("damage", [
    lambda whole: whole[:9] + bytes([whole[9] ^ 1]) + whole[10:], lambda whole: whole[:-1] + bytes([whole[-1] ^ 1]),
    lambda whole: whole[:-30], lambda whole: b"", lambda whole: bytes(len(whole)),
], ids=["its time", "its hash", "cut", "empty", "zeros"])
def test_an_entry_that_was_altered_is_named(store: Path, damage: Callable[[bytes], bytes]) -> None:
    game = first_game(store)
    write(store, "UPDATE entries SET entry = ? WHERE game = ? AND number = 1", damage(entry(store, game, 1)), game)
    with closing(sqlite3.connect(store)) as connection:
        schema.check_whole(connection, store)  # to which it is a row like any other
    assert soundness.damages(store) == [f"game {game}: entry 1 was altered, or is missing"]


def test_an_entry_that_is_missing_or_anothers_is_named(store: Path) -> None:
    game = first_game(store)
    write(store, "DELETE FROM entries WHERE game = ? AND number = 2", game)
    assert soundness.damages(store) == [f"game {game}: entry 2 was altered, or is missing"]
    write(store, "UPDATE entries SET entry = ? WHERE game = ? AND number = 1", entry(store, game, 0), game)
    assert soundness.damages(store) == [f"game {game}: entry 1 was altered, or is missing"]


@pytest.mark.parametrize("damage", ["data || x'0a'", "zeroblob(length(data))", "17"])
def test_a_pack_that_was_altered_is_named_with_the_games_that_need_it(store: Path, damage: str) -> None:
    write(store, f"UPDATE packs SET data = {damage} WHERE name = (SELECT min(name) FROM packs)")
    found, = soundness.damages(store)
    assert f"with which these games can't go on: {first_game(store)}" in found


def test_an_entry_whose_record_has_a_hash_that_ends_as_no_hash_does_is_sound() -> None:
    log = Log()
    for pending in (b"", bytes(30) + soundness.NONE, b""):
        log.add(log.seal(time_ms=0, order=b"\xc0", pending=pending))
    kept = [(one.number, msgspec.msgpack.encode(one)) for one in log.entries]
    assert soundness.first_broken(kept) is None
    assert soundness.first_broken([kept[0], (1, kept[2][1]), kept[2]]) == 1
