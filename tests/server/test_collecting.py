from __future__ import annotations

import asyncio
import gc
import weakref
from types import SimpleNamespace

import pytest

from server import collecting
from server.memory import memory


class Knot:
    """A cycle."""

    def __init__(self) -> None:
        self.me = self
        self.much: list[bytes] = []
        self.kept: list[bytes] = []


@pytest.fixture
def frozen():
    """Whatever was set aside lies open again afterwards."""
    yield
    gc.unfreeze()


def test_what_lives_is_set_aside_and_lies_open_again_at_the_end(frozen):
    async def watch() -> int:
        began = asyncio.Event()
        task = asyncio.create_task(collecting.keep_collecting(lambda: began.set() or 0))
        await began.wait()  # it goes on to its first rest without a break
        aside = gc.get_freeze_count()
        task.cancel()
        await asyncio.wait([task])
        return aside

    assert asyncio.run(watch()) > 1_000
    assert gc.get_freeze_count() == 0


def test_what_is_new_is_looked_through_only_when_there_is_very_much_of_it(frozen, monkeypatch):
    monkeypatch.setattr(collecting, "YOUNG", 5_000)
    usual = gc.get_threshold()

    def dies_in_a_cycle(among: int) -> bool:
        knot = Knot()
        dead = weakref.ref(knot)
        del knot
        much = [[] for _ in range(among)]
        return dead() is None and len(much) == among

    async def watch() -> tuple[bool, bool]:
        began = asyncio.Event()
        task = asyncio.create_task(collecting.keep_collecting(lambda: began.set() or 0))
        await began.wait()
        found = dies_in_a_cycle(2_000), dies_in_a_cycle(10_000)
        task.cancel()
        await asyncio.wait([task])
        return found

    assert asyncio.run(watch()) == (False, True)
    assert gc.get_threshold() == usual


def test_games_that_were_put_away_are_looked_for_among_what_was_set_aside(frozen, monkeypatch):
    monkeypatch.setattr(collecting, "ASIDE_EVERY_S", 0)
    knot = Knot()
    dead = weakref.ref(knot)
    counted = iter([0, collecting.GONE - 1, *[collecting.GONE] * 3])
    states: list[bool] = []
    began, ended = asyncio.Event(), asyncio.Event()

    def gone() -> int:
        states.append(dead() is not None)
        began.set()
        if len(states) == 5:
            ended.set()
        return next(counted)

    async def watch() -> None:
        nonlocal knot
        task = asyncio.create_task(collecting.keep_collecting(gone))
        await began.wait()
        del knot  # dead from here on, and set aside
        await ended.wait()
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(watch())
    assert states[0] is states[1] is states[2] is True  # too few were put away yet
    assert dead() is None


@pytest.mark.parametrize(("gone", "passes"), [(0, 1), (1, 6)])
def test_all_is_looked_at_often_only_where_a_game_was_put_away(frozen, monkeypatch, gone, passes):
    """In an hour, where each moment is a minute and a game more may be put away in each ten of them."""
    looked: list[float] = []
    minutes = iter(range(62))
    now, over = 0.0, asyncio.Event()

    def put_away() -> int:
        nonlocal now
        if (minute := next(minutes, None)) is None:
            over.set()
            return 0
        now = 60.0 * minute
        return gone * (minute // 10 + 1)

    monkeypatch.setattr(collecting, "ASIDE_EVERY_S", 0)
    monkeypatch.setattr(collecting, "look_at_all", lambda: looked.append(now))
    monkeypatch.setattr(collecting, "time", SimpleNamespace(monotonic=lambda: now))

    async def watch() -> None:
        task = asyncio.create_task(collecting.keep_collecting(put_away))
        await over.wait()
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(watch())
    assert len(looked) == passes


def test_a_pass_over_everything_gives_what_it_freed_back_to_the_system(frozen):
    if memory() == 0 or collecting._trim() is None:
        pytest.skip("this system doesn't tell, or takes nothing back")
    knot, pages = Knot(), 20_000
    knot.much = [bytes(4_000) for _ in range(pages)]  # too large for the interpreter's own arenas, and each too small to go back alone
    knot.kept = [bytes(4_000) for _ in range(10)]
    kept = knot.kept  # lies above: what is free below it stays unless it is asked for
    full = memory()
    del knot
    collecting.look_at_all()
    assert memory() < full - pages * 4_000 // 2
    assert len(kept) == 10
