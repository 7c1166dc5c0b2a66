"""Who has many games read waits for himself: others wait for one of his at a time, counted in games."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core import protocol
from server import reading
from server.rooms import Room
from server.store.sqlite import STORE, SqliteStore
from tests.server.conftest import of, toy
from tests.server.store.test_durable import turned
from tests.server.test_faults_turns import Switchboard, greeted

MANY = 20
AT_MOST = 3  # games of his that are read before hers


@contextmanager
def opened(path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(path)
    try:
        yield store
    finally:
        store.close()


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a store of many games, of which each takes long to read."""
    monkeypatch.setattr("server.rooms.load", toy)
    monkeypatch.setattr(reading, "LONG", 0)
    path = tmp_path / STORE

    async def begin_many() -> None:
        with opened(path) as store:
            async with greeted(store) as board:
                for number in range(MANY + 1):
                    frame = protocol.CreateGame(f"g{number}", "toy", "duel")
                    await board.service.create(frame, "Owner", most=None)

    asyncio.run(begin_many())
    return path


async def begun(board: Switchboard, many: int) -> None:
    """Let the server begin with so many messages, none of which it can answer yet."""
    while len(board.service._turns.at_work) < many:
        await turned()


async def mallory_asks(board: Switchboard) -> None:
    """Have Mallory ask for all games but one, each over a line of his own; they lie in the store."""
    await board.service.resume(asyncio.Event())
    for room in list(board.service.rooms.loaded.values()):
        board.service.rooms.put_away(room)
    lines = range(2, MANY + 2)
    for line in lines:
        board.come("Mallory 0", protocol.Hello(protocol.VERSION, "Mallory 0", of("Mallory 0").key), line=line)
    await board.until(lambda: len(board.answered) == MANY)
    board.answered.clear()
    board.sent.clear()
    for line in lines:
        board.come("Mallory 0", protocol.Follow(f"g{line - 2}"), line=line)
    await begun(board, MANY)


def had_read(board: Switchboard, name: str) -> int:
    """Return how many games somebody was sent so far."""
    pairs = zip(board.answered, board.sent, strict=True)
    return sum(one == name and isinstance(frame, protocol.Opened) for one, frame in pairs)


def test_who_has_many_games_read_over_many_lines_holds_up_others_by_one_at_a_time(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on, she_has_hers = threading.Event(), threading.Event()
    really_read, his = reading.Reading._read, list[str]()

    def read(self: reading.Reading, game: str) -> Room:
        go_on.wait()  # a game takes long to read
        if game != f"g{MANY}":
            his.append(game)
            if len(his) > AT_MOST:  # however fast threads go: were hers to wait for all of his, it would come to nothing
                she_has_hers.wait(30)
        return really_read(self, game)

    monkeypatch.setattr(reading.Reading, "_read", read)

    async def measure() -> int:
        with opened(shelf) as store:
            async with greeted(store) as board:
                await mallory_asks(board)
                board.come("Anna", protocol.Follow(f"g{MANY}"))
                await begun(board, MANY + 1)
                go_on.set()
                await board.until(lambda: had_read(board, "Anna") == 1)
                before = had_read(board, "Mallory 0")
                she_has_hers.set()
                await board.service._turns.over(60)
                await board.service.tending.stop()
                assert had_read(board, "Mallory 0") == MANY
                return before

    assert asyncio.run(measure()) <= AT_MOST
