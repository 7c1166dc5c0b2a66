"""A store that is moved away under a running server: the server writes nothing more until it is back, and says so."""

from __future__ import annotations

import errno
import logging
import os
import random
import shutil
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from client.connection.games import Up
from core import protocol
from core.errors import BadInput, Refused
from rasputitsa.owner import tell_status
from server.store.sqlite import GUARD, STORE, SqliteStore, holding
from tests.server.conftest import Host, Player
from tests.server.store.test_store_faults import CANT, alone, give_any, report_of
from tests.server.test_play import play_on

NewPlayer = Callable[..., Player]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="an open file can't be moved there")


def test_a_store_knows_whether_its_path_leads_to_it(tmp_path: Path) -> None:
    path, away = tmp_path / STORE, tmp_path / "away"
    store = SqliteStore(path)
    try:
        assert store.trouble() == ""
        os.rename(path, away)
        assert "is there no more" in store.trouble()
        shutil.copy(away, path)
        assert "is another file" in store.trouble()
        os.replace(away, path)
        assert store.trouble() == ""
    finally:
        store.close()


@pytest.mark.parametrize("what", ["", "-wal", "-shm"])
def test_nothing_is_written_while_a_file_of_the_store_is_not_where_it_was(tmp_path: Path, what: str) -> None:
    path, away = tmp_path / (STORE + what), tmp_path / "away"
    store = SqliteStore(tmp_path / STORE)
    try:
        store.add_pack("a", {"map.toml": b"first"}).result()
        os.rename(path, away)
        with pytest.raises(OSError, match="moved away"):
            store.add_pack("b", {"map.toml": b"second"}).result()
        assert store.pack("a") == {"map.toml": b"first"}
        os.rename(away, path)
        store.add_pack("c", {"map.toml": b"third"}).result()
        assert (store.pack("b"), store.pack("c")) == ({}, {"map.toml": b"third"})
    finally:
        store.close()


def test_nothing_is_written_to_a_store_that_was_cut_short_and_its_owner_is_told_so(tmp_path: Path) -> None:
    """What was acknowledged after it was gone at the next start, with all games."""
    path = tmp_path / STORE
    for number in range(2):  # what was written first lies in the file as it is opened again
        store = SqliteStore(path)
        store.add_pack(str(number), {"map.toml": bytes(100_000)}).result()
        if number == 0:
            store.close()
    try:
        length = path.stat().st_size
        os.truncate(path, length // 2)
        for _ in range(2):
            with pytest.raises(OSError, match="was cut short"):
                store.add_pack("more", {"map.toml": b"more"}).result()
            assert "was cut short: stop the server" in store.trouble()
            os.truncate(path, length)  # as SQLite makes it, with a hole in it
    finally:
        store.close()


def test_nothing_is_written_while_the_lock_is_not_where_it_was(tmp_path: Path) -> None:
    guard, away = tmp_path / GUARD, tmp_path / "away"
    with holding(tmp_path) as guards:
        store = SqliteStore(tmp_path / STORE, guards)
        try:
            store.add_pack("a", {"map.toml": b"first"}).result()
            os.rename(guard, away)
            with pytest.raises(OSError, match="the lock of its games was moved away"):
                store.add_pack("b", {"map.toml": b"second"}).result()
            assert "is there no more: it keeps a second server off" in store.trouble()
            os.rename(away, guard)
            store.add_pack("c", {"map.toml": b"third"}).result()
            assert (store.trouble(), store.pack("b")) == ("", {})
        finally:
            store.close()


def test_a_lock_that_was_removed_lets_no_second_server_on_the_folder_and_the_first_says_so(host: Host, player: NewPlayer) -> None:
    anna, match = alone(player)
    (host.data / GUARD).unlink()
    with pytest.raises(Refused, match="another server runs on"), holding(host.data):
        pass
    assert not (host.data / GUARD).exists()
    assert "the lock of its games was moved away" in give_any(anna, match, random.Random(1))[1]
    host.stop()
    host.start(host.address)
    play_on(anna, match, random.Random(2), orders=1)
    assert match.log.entries


def test_a_folder_that_can_not_be_locked_itself_has_the_lock_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> int:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    monkeypatch.setattr("server.store.sqlite.fcntl.flock", fails)
    with holding(tmp_path), pytest.raises(Refused, match="another server runs on"), holding(tmp_path):
        pass


def test_a_journal_is_watched_beside_what_a_link_leads_to(tmp_path: Path) -> None:
    real, link, away = tmp_path / "other disk.sqlite", tmp_path / STORE, tmp_path / "away"
    SqliteStore(real).close()
    link.symlink_to(real)
    store = SqliteStore(link)
    journal = tmp_path / f"{real.name}-wal"
    try:
        store.add_pack("a", {"map.toml": b"first"}).result()
        os.rename(journal, away)
        with pytest.raises(OSError, match="moved away"):
            store.add_pack("b", {"map.toml": b"second"}).result()
        os.rename(away, journal)
        store.add_pack("c", {"map.toml": b"third"}).result()
    finally:
        store.close()
    real.unlink()
    journal.write_bytes(b"what was written last")
    with pytest.raises(BadInput, match="the store whose journal is there"):
        SqliteStore(link)
    assert journal.read_bytes() == b"what was written last"


def test_orders_are_refused_while_the_store_is_away_and_the_game_goes_on_when_it_is_back(
    player: NewPlayer, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.tending.AGAIN_S", 0.02)
    anna, match = alone(player)
    play_on(anna, match, random.Random(1), orders=3)
    os.rename(host.data / STORE, host.data / "away")
    refused = give_any(anna, match, random.Random(2))[1]
    assert CANT in refused
    assert "moved away" in refused
    assert str(host.data) not in refused
    os.rename(host.data / "away", host.data / STORE)
    play_on(anna, match, random.Random(3))
    assert match.outcome is not None
    assert report_of(host.data) == (True, len(match.log))


class Heard(logging.Handler):
    """Counts what is said of a store that is gone."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.words: list[str] = []
        self.came = threading.Event()

    def emit(self, record: logging.LogRecord) -> None:
        self.words.append(record.getMessage())
        self.came.set()


def test_a_server_whose_store_was_moved_away_says_so_in_its_log_and_to_its_owner(
    tmp_path: Path, player: NewPlayer, host: Host, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("server.tending.LOOK_AT_STORE_EVERY_S", 0.01)
    host.stop()
    host.start(host.address)
    owner, heard, logger = player("Owner"), Heard(), logging.getLogger("rasputitsa.server")
    owner.wait(lambda note: isinstance(note, Up))
    logger.addHandler(heard)
    try:
        os.rename(tmp_path / STORE, tmp_path / "away")
        assert heard.came.wait(10)
        status = status_of(owner)
        os.rename(tmp_path / "away", tmp_path / STORE)
        assert status_of(owner).trouble == ""
    finally:
        logger.removeHandler(heard)
    assert "is there no more" in status.trouble
    assert heard.words == [status.trouble]  # once, however often it is looked at
    tell_status(status, as_json=False)
    assert status.trouble in capsys.readouterr().out.replace("\n", "")


def status_of(owner: Player) -> protocol.Status:
    owner.games.send(protocol.AskStatus())
    status = owner.wait(lambda note: isinstance(note, protocol.Status))
    assert isinstance(status, protocol.Status)
    return status
