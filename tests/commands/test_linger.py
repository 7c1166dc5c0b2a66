"""A server that a window started: it serves on when the window is gone, and ends when the last player is."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

from rasputitsa import linger


class Here:
    """Says who is here, as often as it is asked: what a test listed, then nobody."""

    def __init__(self, *seen: str) -> None:
        self.seen = list(seen)

    def online(self) -> frozenset[str]:
        return frozenset({self.seen.pop(0)}) if self.seen else frozenset()


async def ended(here: Here, *, gone: bool) -> bool:
    """Let a server with these players run; return whether it has ended when nobody waits for anything any more."""
    stop, left = asyncio.Event(), asyncio.Event()
    if gone:
        left.set()
    service = cast(Any, SimpleNamespace(presence=here))
    task = asyncio.create_task(linger.outlive(service, left, stop, empty_s=0.001))
    if gone:
        await task
    else:
        turned = asyncio.Event()
        asyncio.get_running_loop().call_soon(turned.set)
        await turned.wait()  # it has begun, and waits
        task.cancel()
    return stop.is_set()


def test_the_server_outlives_the_window_until_the_last_player_has_left() -> None:
    here = Here("Anna", "Anna", "Boris")
    assert asyncio.run(ended(here, gone=True))
    assert not here.seen


def test_nobody_being_there_ends_no_server_whose_window_is_open() -> None:
    assert not asyncio.run(ended(Here(), gone=False))
