"""What a server does for as long as it runs: a fault in one game, or at one look, ends nothing of it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from core.identity import Identity
from server import always, presence, tending
from server.service import Service
from server.store.sqlite import SqliteStore

EVENING = "evening"


def told_by(caplog: pytest.LogCaptureFixture) -> list[str]:
    said = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    caplog.clear()
    return said


async def look_again(*faults: Exception | None) -> None:
    """Do something again and again that goes wrong so, and then no more."""
    left, over = list(faults), asyncio.Event()

    async def look() -> None:
        if not left:
            over.set()
        elif (fault := left.pop(0)) is not None:
            raise fault

    task = asyncio.create_task(always.again("the look", look, 0))
    await asyncio.wait_for(over.wait(), 10)
    task.cancel()
    await asyncio.wait([task])


def test_what_went_wrong_is_done_again_and_told_once_until_it_has_gone_well(caplog: pytest.LogCaptureFixture) -> None:
    full, unknown = OSError(28, "No space left on device"), KeyError(17)
    asyncio.run(look_again(full, full, unknown, None, full))
    words = "the look went wrong, and is tried again: [Errno 28] No space left on device"
    assert told_by(caplog) == [words, "the look went wrong, and is tried again: 17", words]


def test_what_ends_by_a_fault_beside_all_else_is_told_at_once(caplog: pytest.LogCaptureFixture) -> None:
    async def fails() -> None:
        raise KeyError(17)

    async def run() -> None:
        over = asyncio.Event()
        always.begin("the work", fails()).add_done_callback(lambda _: over.set())
        await over.wait()

    asyncio.run(run())
    assert told_by(caplog) == ["the work ended: 17"]


class Faulty:
    """A game in memory whose rules have a fault."""

    stored, table = SimpleNamespace(game=EVENING), SimpleNamespace(clocks=SimpleNamespace(are_kept=True, runs=True))
    is_busy, gathering, lock, log = False, None, SimpleNamespace(locked=lambda: False), ()

    def __init__(self) -> None:
        self.match = self

    @property
    def outcome(self) -> Any:
        raise KeyError("a rule has a fault")


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    for what in ("PUT_AWAY_EVERY_S", "LOOK_AT_CLOCK_EVERY_S", "ALIVE_EVERY_S", "LOOK_AT_STORE_EVERY_S"):
        monkeypatch.setattr(tending, what, 0)
    monkeypatch.setattr(presence, "LOOK_EVERY_S", 0)
    store = SqliteStore(tmp_path / "games.sqlite")
    yield Service(store, lambda name: None, identity=Identity(b"s" * 32))  # type: ignore[arg-type, return-value]
    store.close()


def test_a_fault_in_one_game_ends_nothing_that_the_server_does_for_all(
    service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    room: Any = Faulty()
    service.rooms.add(room)
    service.rooms._used_s[EVENING] = -1e9
    looked = dict.fromkeys(("clock", "store", "alive", "put away", "here"), 0)
    enough = asyncio.Event()

    def counted(of: Any, name: str, what: str) -> None:
        before = getattr(of, name)

        def look(*args: Any) -> Any:
            looked[what] += 1
            if min(looked.values()) >= 3:
                enough.set()
            return before(*args)

        monkeypatch.setattr(of, name, look)

    counted(service.tending, "hold_clock", "clock")
    counted(service.tending, "look_at_store", "store")
    counted(service.tending, "_note_alive_if_due", "alive")
    counted(service.rooms, "unused", "put away")
    counted(service.presence._at_once, "clear", "here")

    async def run() -> None:
        service.tending.begin()
        service.tending.tell_all_anew()
        await enough.wait()
        assert not [task for task in service.tending._always if task.done()]
        assert service.rooms.is_any_clock_at_stake  # by its table
        await service.tending.stop()

    asyncio.run(asyncio.wait_for(run(), 30))
    assert sorted(words.partition(" went wrong")[0] for words in told_by(caplog) if "went wrong" in words) == [
        f"keeping a summary of {EVENING}", f"looking whether {EVENING} is over", f"putting {EVENING} away",
    ]
