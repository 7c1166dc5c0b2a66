"""Whose message is begun next: what is under way goes on before anything new is begun.

An order is decided at a stretch, waits for the disk once or twice, and is answered. If every message had a task at once, the loop would
give each its turn as it became ready: who comes back from the disk would wait behind all that came meanwhile, at each of his steps. Begun
one after another, messages are answered about in the order in which they came. By a model with the times of real orders, 500 a second,
the slowest in a hundred take a fifth less so.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

LOOK_EVERY_S = 0.0003  # spent on beginnings, after which the loop hears what has come; it costs 20 µs
Who = TypeVar("Who")


class Turns(Generic[Who]):
    """Works for one after another, each in a task of his own.

    Args:
        work: what is done for whoever has his turn.

    Attributes:
        at_work: the tasks of those for whom it was begun; *work* takes his off when it is done.
    """

    def __init__(self, work: Callable[[Who], Coroutine[Any, Any, None]]) -> None:
        self._work = work
        self.at_work: dict[Who, asyncio.Task[None]] = {}
        self._due: deque[Who] = deque()
        self._is_beginning = self._is_closed = False
        self._heard_s = 0.0

    def add(self, who: Who) -> None:
        """Let somebody have a turn: at once if nobody else is to have his."""
        if self._is_closed:
            return
        self._due.append(who)
        if not self._is_beginning:
            self._is_beginning = True
            self._begin()

    def close(self) -> None:
        """Give nobody a turn any more."""
        self._is_closed = True
        self._due.clear()

    def _begin(self) -> None:
        if not self._due:  # closed meanwhile
            return
        loop, who = asyncio.get_running_loop(), self._due.popleft()
        self.at_work[who] = loop.create_task(self._work(who))
        loop.call_soon(self._go_on)  # behind its first step

    def _go_on(self) -> None:
        if not self._due:
            self._is_beginning = False
        elif time.perf_counter() - self._heard_s < LOOK_EVERY_S:
            self._begin()
        else:
            asyncio.get_running_loop().call_soon(self._hear)

    def _hear(self) -> None:
        """Let what the system has told of now wake whom it wakes, and those have their turn: they come before who is begun then."""
        self._heard_s = time.perf_counter()
        asyncio.get_running_loop().call_soon(self._begin)

    async def over(self, seconds: float) -> None:
        """Wait until nobody is to have a turn or is at work, that long at most."""
        until = time.monotonic() + seconds
        while (self.at_work or self._due) and (left := until - time.monotonic()) > 0:
            if self.at_work:
                await asyncio.wait(list(self.at_work.values()), timeout=left, return_when=asyncio.FIRST_COMPLETED)
            else:
                await asyncio.sleep(0)
