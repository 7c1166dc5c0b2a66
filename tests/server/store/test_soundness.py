"""What a store has lost is found by its own hashes, where SQLite finds nothing."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from core.errors import BadInput
from core.log import Log
from server.accounts import Accounts
from server.store import schema, soundness
from server.store.sqlite import SqliteStore

STORES = Path(__file__).with_name("stores")


@pytest.fixture(params=sorted(file.name for file in STORES.glob("*.sqlite")))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return Path(shutil.copy(STORES / request.param, tmp_path / "games.sqlite"))


@pytest.fixture
def newest(tmp_path: Path) -> Path:
    """A store of the latest version."""
    store = Path(shutil.copy(STORES / "version_6.sqlite", tmp_path / "games.sqlite"))
    SqliteStore(store).close()
    return store


def write(store: Path, statement: str, *values: object) -> None:
    """Change a store as no server can."""
    with closing(sqlite3.connect(store)) as connection, connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(statement, values)
        for _, made in triggers:
            connection.execute(made)


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


NO_TEXT = "CAST(x'ef6e65' AS TEXT)"
ITS_PACK = "the scenario pack that it names is not here"
ITS_HEAD = "what it is was altered, or is missing"


@pytest.mark.parametrize(("changes", "told"), [
    (f"pack = {NO_TEXT}", ITS_PACK), ("head = x'c1'", ITS_HEAD), ("head = 7", ITS_HEAD), (f"game = {NO_TEXT}", ITS_HEAD),
])
def test_a_game_is_named_whose_row_was_altered(store: Path, changes: str, told: str) -> None:
    """A backup said that all was well, or that it was no store, and no game could be read."""
    game = first_game(store)
    write(store, f"UPDATE games SET {changes} WHERE game = ?", game)
    assert soundness.damages(store) == [f"game {game}: {told}"]


@pytest.mark.parametrize("damage", [
    f"UPDATE games SET game = {NO_TEXT} WHERE game = (SELECT min(game) FROM games)",
    f"UPDATE packs SET name = {NO_TEXT} WHERE name = (SELECT min(name) FROM packs)",
    "INSERT INTO summaries SELECT min(game), -7 FROM games",
    "UPDATE pending SET k = 'x' || k",
])
def test_what_is_altered_in_one_game_keeps_no_other_from_being_read(newest: Path, damage: str) -> None:
    write(newest, damage)
    opened = SqliteStore(newest)
    try:
        assert len(opened.glances()) == len(opened.names())
        assert all(opened.pack(opened.game(name).pack) for name in opened.names()[-1:])
    finally:
        opened.close()


def test_an_account_that_was_altered_is_told(newest: Path) -> None:
    write(newest, "INSERT INTO accounts SELECT 1 + coalesce(max(number), -1), -7 FROM accounts")
    opened = SqliteStore(newest)
    try:
        with pytest.raises(BadInput, match="accounts in the store: act"):
            Accounts(opened)
    finally:
        opened.close()
    assert soundness.damages(newest)[0].startswith("names and invites: act ")


def test_an_account_act_that_was_lost_is_told_by_whoever_needs_it_and_in_a_backup(newest: Path) -> None:
    """`--invite` ended in a crash report, and a running server told newcomers for ever that the game has gone on meanwhile."""
    opened = SqliteStore(newest)
    for _ in range(3):
        asyncio.run(Accounts(opened).invite("player", uses=1, days=1))
    opened.close()
    assert soundness.damages(newest) == []

    write(newest, "DELETE FROM accounts WHERE number = 1")

    opened = SqliteStore(newest)
    with pytest.raises(BadInput, match=r"act 1: expected what became of a name.* got none, and later ones: restore the newest backup"):
        Accounts(opened)
    opened.close()
    assert soundness.damages(newest) == ["names and invites: act 1 was altered, or is missing, without which no server starts"]
