"""Waiting in the loop until a write is durable.

`asyncio.wrap_future` wakes the loop through a pipe, whichever thread tells that the write is done: two calls of the system and a turn of
the loop each time. Where the loop's own thread tells, nothing has to be woken; of what a process appends (`server.store.apart`) it tells
by a future of the loop.
"""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


async def durable(write: Future[T] | asyncio.Future[T]) -> T:
    """Wait for a write of the store; return what it found, or raise what kept it out.

    Whoever is cancelled meanwhile cancels the write, if it was not begun.
    """
    if isinstance(write, asyncio.Future):
        return await write
    if not write.done():
        await _over(write)
    return write.result()


async def _over(write: Future[T]) -> None:
    loop, thread = asyncio.get_running_loop(), threading.get_ident()
    over: asyncio.Future[None] = loop.create_future()

    def end() -> None:
        if not over.done():
            over.set_result(None)

    def tell(_: Future[T]) -> None:
        if threading.get_ident() == thread:
            end()
        elif not loop.is_closed():
            loop.call_soon_threadsafe(end)

    write.add_done_callback(tell)
    try:
        await over
    except asyncio.CancelledError:
        write.cancel()
        raise
