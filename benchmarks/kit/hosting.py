"""A measured server and its players, each in a process of its own."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from benchmarks.kit import crowd
from benchmarks.kit.timers import Spent
from core.errors import Broken
from rasputitsa.local_server import READY

ROOT = Path(__file__).parent.parent.parent
LOOK_S = 0.02
GIVE_UP_S = 120.0
T = TypeVar("T")


class Served:
    """A server that runs.

    Attributes:
        link: where it is.
    """

    def __init__(self, process: subprocess.Popen[str], link: str, figures: Path) -> None:
        self._process, self.link, self._figures = process, link, figures

    def spent(self) -> Spent:
        """Ask what it has spent until now."""
        self._figures.unlink(missing_ok=True)
        self._process.send_signal(signal.SIGUSR1)
        until = time.monotonic() + GIVE_UP_S
        while not self._figures.exists():
            if self._process.poll() is not None or time.monotonic() > until:
                raise Broken(f"the measured server says nothing (exit code {self._process.returncode})")
            time.sleep(LOOK_S)
        return msgspec.json.decode(self._figures.read_bytes(), type=Spent)

    def count_kinds(self) -> None:
        """Let it count its time by kinds of work from now on, which costs it some."""
        self._process.send_signal(signal.SIGUSR2)

    def when(self, holds: Any) -> Spent:
        """Ask again and again until something holds of what it has spent."""
        until = time.monotonic() + GIVE_UP_S
        while not holds(spent := self.spent()):
            if time.monotonic() > until:
                raise Broken(f"the measured server does not come to rest: {spent}")
            time.sleep(0.5)
        return spent


@contextmanager
def served(recordings: Path, folder: Path, *, descriptors: int | None = None) -> Iterator[Served]:
    """Run a server over a folder.

    Args:
        descriptors: its soft limit of open files; None: as it is here.
    """
    folder.mkdir(exist_ok=True)
    figures = folder / "spent.json"
    command = [
        sys.executable, "-m", "benchmarks.kit.served", str(recordings), str(figures), str(descriptors or 0),
        "host", "--address", "tcp://127.0.0.1:*", "--data", str(folder / "games"), "--open", "--quiet", "--end-with-stdin",
    ]
    with _running(command, stderr=folder / "said") as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line.startswith(READY):
            raise Broken(f"the measured server did not start: {line}{(folder / 'said').read_text('utf-8')[-400:]}")
        yield Served(process, line.removeprefix(READY).strip(), figures)


class Crowds:
    """Players in several processes."""

    def __init__(self, processes: Sequence[subprocess.Popen[str]]) -> None:
        self._processes = processes

    def tell(self, what: crowd.Told, answer: type[T]) -> list[T]:
        """Let all do something, and return their answers."""
        for process in self._processes:
            assert process.stdin is not None
            process.stdin.write(msgspec.json.encode(what).decode() + "\n")
            process.stdin.flush()
        return [self._answer(process, answer) for process in self._processes]

    @staticmethod
    def _answer(process: subprocess.Popen[str], answer: type[T]) -> T:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise Broken(f"the players of a benchmark ended with {process.wait()}; what they said is above")
        return msgspec.json.decode(line, type=answer)


@contextmanager
def crowds(recordings: Path, link: str, games: int, *, processes: int = 2) -> Iterator[Crowds]:
    """Run players of so many games."""
    with contextlib.ExitStack() as stack:
        share = games // processes
        yield Crowds([
            stack.enter_context(_running(
                [sys.executable, "-m", "benchmarks.kit.crowd", str(recordings), link, str(number * share), str(share)], stderr=None
            ))
            for number in range(processes)
        ])


@contextmanager
def _running(command: Sequence[str], *, stderr: Path | None) -> Iterator[subprocess.Popen[str]]:
    """Run a process that ends when its stdin does."""
    with contextlib.ExitStack() as stack:
        said = None if stderr is None else stack.enter_context(open(stderr, "w", encoding="utf-8"))
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, text=True)
        try:
            yield process
        finally:
            assert process.stdin is not None
            with contextlib.suppress(OSError):
                process.stdin.close()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            assert process.stdout is not None
            process.stdout.close()
