"""Where a server's time goes: processor time of its own thread by kind of work, each moment counted once, and of its other threads."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

TICK_S = 1 / os.sysconf("SC_CLK_TCK")


class Spent(msgspec.Struct, frozen=True):
    """Seconds of processor time since the process began.

    Attributes:
        kinds: of the serving thread, by kind of work.
        thread: all of the serving thread.
        writer: in the store's writer thread, and in the process that appends beside it.
        background: in libzmq's threads, which encrypt and carry messages.
        process: all of the process, and of the one that appends beside it.
        memory: bytes that the process has now.
        groups: how many writes each transaction took, in order.
        loaded: games in memory.
        players: connections that are known by a name.
    """

    kinds: dict[str, float]
    thread: float
    writer: float
    background: float
    process: float
    memory: int
    groups: tuple[int, ...]
    loaded: int
    players: int


class Timers:
    """Counts the time of wrapped functions of one thread; where one calls another, the inner one's time is its own alone."""

    def __init__(self) -> None:
        self.kinds: dict[str, float] = {}
        self._since = 0.0
        self._stack: list[str] = []

    def wrap(self, kind: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """Return *work* with its time counted as of a kind."""
        clock, kinds, stack = time.thread_time, self.kinds, self._stack
        kinds.setdefault(kind, 0.0)

        def timed(*args: Any, **named: Any) -> Any:
            now = clock()
            if stack:
                kinds[stack[-1]] += now - self._since
            stack.append(kind)
            self._since = now
            try:
                return work(*args, **named)
            finally:
                now = clock()
                kinds[stack.pop()] += now - self._since
                self._since = now

        return timed

    def put(self, kind: str, owner: Any, *names: str) -> None:
        """Count the time of these attributes of a module or class from now on."""
        for name in names:
            setattr(owner, name, self.wrap(kind, getattr(owner, name)))


def of_threads(named: str) -> float:
    """Return the seconds that threads of this process have spent whose names begin so (Linux; elsewhere 0)."""
    total = 0
    for file in Path("/proc/self/task").glob("*/stat"):
        name, _, rest = file.read_text(encoding="ascii").partition("(")[2].rpartition(")")
        if name.startswith(named):
            fields = rest.split()
            total += int(fields[11]) + int(fields[12])
    return total * TICK_S
