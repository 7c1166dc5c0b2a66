"""A server that is measured: `rasputitsa host` with the dice of recordings, and counters of where its time goes.

    python -m benchmarks.kit.served RECORDINGS FIGURES DESCRIPTORS [arguments of rasputitsa]

At each signal SIGUSR1 it writes to the file FIGURES what it has spent until then (`benchmarks.kit.timers.Spent`); from a SIGUSR2 on it
counts its time by kinds of work, which costs about 0.1 ms an order. DESCRIPTORS is the soft limit of open files that it begins with; 0: no
other than here.
Games are put away when nobody has asked for them for some seconds, not a minute.
"""

from __future__ import annotations

import asyncio
import gc
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

import core.match
from benchmarks.kit import recorded
from benchmarks.kit.timers import Spent, Timers, of_threads
from client.writing import write_whole
from core import identity, log, protocol, witnesses
from core.match import Match, OrderCodec
from rasputitsa.main import main
from server import collecting, play, publishing, rooms, service, sessions, shelf, viewers
from server.admin import memory
from server.store.apart import Answer, Apart
from server.store.group_commit import GroupCommit
from server.store.sqlite import SqliteStore

IDLE_S = 5.0  # as much of a minute as a benchmark waits until idle games are put away


def serve(recordings: Path, figures: Path, descriptors: int) -> None:
    """Serve until the end, as the command line says."""
    if descriptors:
        resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    vars(core.match)["Stream"] = recorded.stream_of(recorded.read(recordings))
    shelf.IDLE_S = IDLE_S
    timers, writing, running = Timers(), Writing(), Running()
    writing.watch()
    running.watch()
    signal.signal(signal.SIGUSR1, lambda *_: write_whole(figures, msgspec.json.encode(spent(timers, writing, running))))
    signal.signal(signal.SIGUSR2, lambda *_: watch(timers))
    main()


def watch(timers: Timers) -> None:
    """Count what the serving thread does."""
    timers.put("decide", Match, "_decide")
    timers.put("encode, hash", log.Log, "seal", "add")
    timers.put("encode, hash", publishing.Encoded, "frames")
    timers.put("encode, hash", protocol, "encode", "decode_from_client")
    timers.put("encode, hash", OrderCodec, "encode", "decode")
    for module in (identity, play, rooms, viewers, witnesses):
        for name in ("verify", "order_bytes"):
            if hasattr(module, name):
                timers.put("sign, verify", module, name)
    timers.put("sign, verify", identity.Identity, "sign")
    timers.put("store", SqliteStore, "add_entry", "add_pending")
    timers.put("send", sessions.Sessions, "_try_send")
    timers.put("who sees what", publishing, "publish")


class Writing:
    """What the store's writer thread does, and the process beside it.

    Attributes:
        thread: processor time of the thread.
        apart: processor time of the process.
        groups: how many writes each transaction took.
    """

    def __init__(self) -> None:
        self.thread = self.apart = 0.0
        self.groups: list[int] = []

    def watch(self) -> None:
        """Count from now on."""
        GroupCommit._commit = self._counted(GroupCommit._commit)  # type: ignore[method-assign]
        take = Apart._take

        def taken(beside: Apart, answer: Answer) -> None:
            if beside._sent:
                self.groups.append(len(beside._sent))
            take(beside, answer)
            self.apart = beside.spent_s

        Apart._take = taken  # type: ignore[method-assign, assignment]

    def _counted(self, commit: Callable[..., None]) -> Callable[..., None]:
        def counted(commits: GroupCommit, jobs: list[Any]) -> None:
            commit(commits, jobs)
            self.groups.append(len(jobs))
            self.thread = time.thread_time()

        return counted


class Running:
    """The service, once it serves.

    Attributes:
        aside_s: processor time of what is done here only because it is measured: a quarter of a second each time, with two hundred games.
    """

    def __init__(self) -> None:
        self.service: service.Service | None = None
        self.aside_s = 0.0

    def watch(self) -> None:
        """Note it when it begins."""
        begin = service.Service.serve

        async def noted(self_: service.Service, stop: asyncio.Event) -> None:
            self.service = self_
            await begin(self_, stop)

        service.Service.serve = noted  # type: ignore[method-assign, assignment]

    @property
    def loaded(self) -> int:
        """Return how many games are in memory."""
        return 0 if self.service is None else len(self.service.rooms.loaded)

    @property
    def players(self) -> int:
        """Return how many connections are known by a name."""
        return 0 if self.service is None else sum(1 for session in self.service.sessions if session.player)


def spent(timers: Timers, writing: Writing, running: Running) -> Spent:
    """Return what was spent until now; called in the serving thread."""
    thread, process = time.thread_time() - running.aside_s, time.process_time() - running.aside_s
    kinds, background = dict(timers.kinds), of_threads("ZMQbg")
    began = time.thread_time()
    give_back()
    found = memory()
    running.aside_s += time.thread_time() - began
    return Spent(
        kinds, thread, writing.thread + writing.apart, background, process + writing.apart, found,
        tuple(writing.groups), running.loaded, running.players,
    )


def give_back() -> None:
    """Let go of what is dead, and give free memory back to the system, so that what is counted is in use."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    collecting.give_back()


if __name__ == "__main__":
    recordings_, figures_, descriptors_ = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    sys.argv[0:4] = [os.path.basename(sys.argv[0])]
    serve(recordings_, figures_, descriptors_)
