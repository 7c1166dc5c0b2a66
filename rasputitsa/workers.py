"""Processes that play games for a command: Ctrl-C and SIGTERM are the command's to answer, and end them at once."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Workers:
    """Processes that work for this one.

    Args:
        pool: the processes; they start as work comes.
    """

    def __init__(self, pool: ProcessPoolExecutor) -> None:
        self._pool = pool

    def submit(self, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Let a process do some work, starting one if all are busy."""
        with _signals_held():
            return self._pool.submit(work, *args, **kwargs)


@contextmanager
def workers(jobs: int) -> Iterator[Workers]:
    """Give some processes to work with; an error here, or Ctrl-C, ends them without waiting for what they are at."""
    with ProcessPoolExecutor(jobs, initializer=_let_parent_answer) as pool:
        try:
            yield Workers(pool)
        except BaseException:
            _give_up(pool)
            raise


@contextmanager
def _signals_held() -> Iterator[None]:
    """Let signals come afterwards: what Python's own hooks raise while it forks is told and lost, a KeyboardInterrupt too."""
    if sys.platform == "win32":  # nothing forks there
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _let_parent_answer() -> None:
    """Leave Ctrl-C to the process that began this one, and end at once when it says so."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM))


def _give_up(pool: ProcessPoolExecutor) -> None:
    """End the processes of a pool without waiting for the games that they play."""
    processes = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()
