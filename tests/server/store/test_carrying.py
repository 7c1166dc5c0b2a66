"""The journal is carried into the store's file beside the appending: no group does it, it begins anew, what others write is carried too."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from server.store import appending, schema
from server.store.apart import is_possible
from server.store.appending import Row
from server.store.carrying import EVERY_IF_SHORT, LENGTH, PASSES, SPARE, USUAL, Carrying, begun, lengthen_journal

pytestmark = pytest.mark.skipif(not is_possible(), reason="the thread writes alone here")
GAME, EVERY = "toy.1", 10


class Journal:
    """A store with one game, whose journal is carried.

    Attributes:
        path: the store's.
        own: appends.
        carried: carries.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        schema.prepare(path)
        self.other = schema.connect(path)
        self.other.execute("INSERT INTO games VALUES (?, '', x'', x'', 0)", (GAME,))
        self.own, self.beside = schema.connect(path), schema.connect(path)
        appending.prepare(self.own)
        self.count = 0
        self.carried = Carrying(path, self.own, self.beside, every=EVERY)

    def append(self, rows: int = 1) -> None:
        """Append a group as the process does, and wait for what is carried beside."""
        self.append_untold(rows)
        self.carried.appended(rows)
        self.carried.settle()

    def append_untold(self, rows: int) -> None:
        """Append a group that nobody is told of."""
        appending.append(self.own, [Row(GAME, False, self.count + number, b"entry" * 100) for number in range(rows)])
        self.count += rows

    def in_file(self) -> int:
        """Return how many entries the store's file holds by itself, without its journal."""
        copy = self.path.with_suffix(".copy")
        copy.write_bytes(self.path.read_bytes())
        alone = sqlite3.connect(copy)
        try:
            found: int = alone.execute("SELECT count(*) FROM entries").fetchone()[0]
            return found
        finally:
            alone.close()

    def journal_frames(self) -> int:
        """Return how many pages the journal holds that count, carried or not."""
        found: int = self.other.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()[1]
        return found

    def close(self) -> None:
        """Close all."""
        self.carried.close()
        for one in (self.own, self.other):
            one.close()


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    one = Journal(tmp_path / "games.sqlite")
    yield one
    one.close()


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="the system counts no reads here")
def test_the_pages_of_a_thousand_games_stay_at_hand_for_their_next_entries(journal: Journal) -> None:
    games = [f"g{number}" for number in range(1000)]
    journal.other.executemany("INSERT INTO games VALUES (?, '', x'', x'', 0)", [(game,) for game in games])

    def reads() -> int:
        return int(Path("/proc/self/io").read_text("ascii").split("syscr: ")[1].split()[0])

    def append(number: int) -> int:
        before = reads()
        rows = [Row(game, False, number, b"entry" * 200, f"{number}") for game in games]
        for at in range(0, len(rows), appending.AT_ONCE):
            appending.append(journal.own, rows[at : at + appending.AT_ONCE])
        return reads() - before

    append(0)
    assert append(1) < len(games)


def test_no_group_carries_the_journal_however_long_it_is(journal: Journal) -> None:
    for _ in range(USUAL):
        journal.append_untold(1)
    assert journal.in_file() == 0
    assert journal.journal_frames() > USUAL


def test_after_so_many_rows_all_is_carried_beside(journal: Journal) -> None:
    journal.append(EVERY - 1)
    assert journal.in_file() == 0
    journal.append()
    assert journal.in_file() == EVERY


def test_the_journal_begins_anew_when_it_is_carried(journal: Journal) -> None:
    for _ in range(20 * EVERY):
        journal.append()
    assert journal.in_file() > 18 * EVERY
    assert journal.journal_frames() < 4 * EVERY


def test_where_groups_come_all_the_time_the_last_pass_is_made_between_two_of_them(journal: Journal) -> None:
    said: list[str] = []
    journal.own.set_trace_callback(said.append)
    with contextlib.closing(sqlite3.connect(journal.path)) as reader:
        reader.execute("BEGIN").connection.execute("SELECT count(*) FROM games").fetchone()  # keeps the journal from beginning anew
        journal.append(EVERY)
        for _ in range(PASSES):
            assert not checkpoints(said)
            journal.append()  # was under way
            journal.append()  # another pass, or the last one
        assert len(checkpoints(said)) == 1
    assert journal.in_file() == 0


def checkpoints(said: list[str]) -> list[str]:
    """Return the statements that carry."""
    return [words for words in said if "checkpoint" in words]


def test_what_another_connection_has_written_is_carried_when_nothing_comes(journal: Journal) -> None:
    journal.other.execute("INSERT INTO entries VALUES (?, 0, x'00')", (GAME,))
    assert journal.in_file() == 0
    journal.carried.quiet()
    assert journal.in_file() == 1


def test_nothing_is_carried_where_nothing_was_written_since(journal: Journal) -> None:
    journal.append()
    journal.carried.quiet()
    assert journal.in_file() == 1
    said: list[str] = []
    journal.own.set_trace_callback(said.append)
    journal.carried.quiet()
    assert not checkpoints(said)
    journal.append()
    journal.carried.quiet()
    assert checkpoints(said)


def test_what_keeps_the_journal_from_being_carried_is_said_and_it_is_tried_again(journal: Journal) -> None:
    journal.beside.set_authorizer(lambda *_: sqlite3.SQLITE_DENY)
    journal.append(EVERY)
    assert "not authorized" in journal.carried.trouble
    assert journal.in_file() == 0
    journal.beside.set_authorizer(None)
    for _ in range(EVERY + 1):
        journal.append()
    assert not journal.carried.trouble
    assert journal.in_file() > EVERY


def test_a_journal_is_lengthened_once_and_nothing_else_becomes_of_it(journal: Journal) -> None:
    def bytes_of_journal() -> int:
        return journal.path.with_name(journal.path.name + "-wal").stat().st_size

    def tables() -> list[tuple[str, str]]:
        return journal.other.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall()

    journal.append()
    before, known = bytes_of_journal(), tables()
    assert lengthen_journal(journal.own, journal.path, 3_000_000)
    longer = bytes_of_journal()
    assert before < 3_000_000 <= longer
    assert tables() == known
    for _ in range(30):
        journal.append(EVERY)
    assert bytes_of_journal() == longer
    assert journal.other.execute("SELECT count(*) FROM entries").fetchone() == (journal.count,)
    assert journal.other.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_where_there_is_no_room_for_a_longer_journal_it_stays_as_it_is(journal: Journal) -> None:
    pages = journal.own.execute("PRAGMA page_count").fetchone()[0]
    journal.own.execute(f"PRAGMA max_page_count = {pages + 100}")  # as if the disk were full
    assert not lengthen_journal(journal.own, journal.path)
    journal.append()
    assert journal.other.execute("SELECT count(*) FROM entries").fetchone() == (1,)


@contextlib.contextmanager
def files_of_at_most(length: int) -> Iterator[None]:
    """Have the system let no file of this process become longer: to SQLite that is no full disk, as little as a quota is."""
    resource = pytest.importorskip("resource")
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (length, usual[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)


def test_what_a_journal_took_of_a_quota_that_it_came_to_the_end_of_is_given_back(journal: Journal) -> None:
    journal.append()
    journal.carried.close()
    with files_of_at_most(1_000_000):
        journal.carried = begun(journal.path, journal.own, schema.connect(journal.path))
        assert journal.path.with_name(journal.path.name + "-wal").stat().st_size == 0
        journal.append(EVERY_IF_SHORT)
        assert not journal.carried.trouble
        assert journal.in_file() == journal.count == EVERY_IF_SHORT + 1


def test_on_a_disk_that_is_nearly_full_the_journal_takes_no_room_ahead_and_is_carried_sooner(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Path] = []

    def usage(file: Path) -> SimpleNamespace:
        asked.append(file)
        return SimpleNamespace(free=SPARE * LENGTH - 1)

    file = journal.path.with_name(journal.path.name + "-wal")
    before = file.stat().st_size
    monkeypatch.setattr("shutil.disk_usage", usage)
    journal.carried.close()
    journal.carried = begun(journal.path, journal.own, schema.connect(journal.path))
    assert (file.stat().st_size, asked) == (before, [journal.path])
    journal.append(EVERY_IF_SHORT)
    assert journal.in_file() == EVERY_IF_SHORT
