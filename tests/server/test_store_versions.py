"""Stores of earlier versions are taken up, and brought to this one."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from server import store
from server.store import SCHEMA, Store


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def tables_and_triggers(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as connection:
        return {str(name) for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'trigger')")}


@pytest.mark.parametrize("old", range(1, SCHEMA))
def test_a_store_of_each_earlier_version_is_brought_up_and_keeps_what_it_has(
    old: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, fresh = tmp_path / "old.sqlite", tmp_path / "fresh.sqlite"
    with monkeypatch.context() as then:
        then.setattr(store, "_STEPS", store._STEPS[:old])
        then.setattr(store, "SCHEMA", old)
        made = Store(file)
        made.add_pack("digest", {"pack.toml": b"x"}).result()
        made.close()
    assert version(file) == old
    now = Store(file)
    assert now.pack("digest") == {"pack.toml": b"x"}
    now.close()
    Store(fresh).close()
    assert version(file) == version(fresh) == SCHEMA
    assert tables_and_triggers(file) == tables_and_triggers(fresh)


def test_what_became_of_accounts_is_only_added_to(tmp_path: Path) -> None:
    made = Store(tmp_path / "games.sqlite")
    made.add_account_act(0, b"first").result()
    with pytest.raises(sqlite3.IntegrityError):
        made.add_account_act(0, b"again").result()
    for change in ("UPDATE accounts SET act = x'00'", "DELETE FROM accounts"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            made.write(lambda connection, change=change: connection.execute(change)).result()
    assert made.account_acts() == [b"first"]
    made.close()
