"""What a server tells systemd: a socket of the test's own stands for the service manager."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.store.sqlite import SqliteStore
from server.watchdog import Manager

ROOT = Path(__file__).parents[2]


class Systemd:
    """Reads what it is told at a place of its own."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind("\0" + place[1:] if place.startswith("@") else place)
        self.socket.settimeout(30)

    def told(self) -> str:
        return self.socket.recv(4096).decode()

    def until(self, what: str) -> list[str]:
        said = [self.told()]
        while said[-1] != what:
            said.append(self.told())
        return said

    def read_up(self) -> None:
        """Read what is there already."""
        self.socket.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                self.told()

    def environment(self, *, limit_ms: int = 0, pid: str = "") -> dict[str, str]:
        limits = {"WATCHDOG_USEC": str(1000 * limit_ms)} if limit_ms else {}
        return {"NOTIFY_SOCKET": self.place, **limits, **({"WATCHDOG_PID": pid} if pid else {})}


@pytest.fixture(params=["a file", "abstract"])
def systemd(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Systemd]:
    one = Systemd(str(tmp_path / "notify") if request.param == "a file" else f"@rasputitsa-test-{os.getpid()}")
    with one.socket:
        yield one


def test_a_server_tells_that_it_serves_lives_and_ends(systemd: Systemd, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "rasputitsa", "host", "--address", "tcp://127.0.0.1:*", "--data", str(tmp_path / "games"), "--quiet"]
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path), **systemd.environment(limit_ms=300)}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert [systemd.told() for _ in range(4)] == ["READY=1", "WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1"]
        server.terminate()
        assert set(systemd.until("STOPPING=1")[:-1]) <= {"WATCHDOG=1"}
        _, said = server.communicate(timeout=30)
        assert server.returncode == 0, said


def test_a_hung_server_that_is_ended_for_it_says_where_it_stood(systemd: Systemd, tmp_path: Path) -> None:
    program = (
        "import asyncio\nfrom server.watchdog import Manager\n"
        "async def hang():\n    print('here', flush=True)\n    input()\n"
        "async def main():\n    told = asyncio.create_task(Manager().keep_told(asyncio.Event(), float))\n    await asyncio.sleep(0)\n"
        "    await hang()\n"
        "asyncio.run(main())"
    )
    environment = {**os.environ, **systemd.environment(limit_ms=300)}
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == "here\n"
        server.send_signal(signal.SIGABRT)
        _, said = server.communicate(timeout=30)
    assert "in hang" in said
    assert server.returncode == -signal.SIGABRT


def test_no_sign_of_life_comes_while_the_loop_stands_still(systemd: Systemd) -> None:
    manager = Manager(systemd.environment(limit_ms=30, pid=str(os.getpid())))

    async def stand_still() -> None:
        """Hold the loop up for twenty times as long as a sign of life takes."""
        stop = asyncio.Event()
        told = asyncio.create_task(manager.keep_told(stop, float))
        await asyncio.get_running_loop().run_in_executor(None, systemd.until, "WATCHDOG=1")
        systemd.read_up()
        systemd.socket.settimeout(0.2)
        with pytest.raises(TimeoutError):
            systemd.told()
        systemd.socket.settimeout(30)
        stop.set()
        await told

    asyncio.run(stand_still())
    assert systemd.until("STOPPING=1")[-1] == "STOPPING=1"


def test_no_sign_of_life_comes_while_a_write_hangs_and_they_come_again_when_it_is_done(
    systemd: Systemd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = Manager(systemd.environment(limit_ms=30))
    store, disk, logged = SqliteStore(tmp_path / "games.sqlite"), threading.Event(), list[str]()

    async def hang_and_go_on() -> None:
        stop, stalled = asyncio.Event(), asyncio.Event()

        def error(words: str, *_: object) -> None:
            logged.append(words)
            stalled.set()

        monkeypatch.setattr("server.watchdog.logger.error", error)
        told = asyncio.create_task(manager.keep_told(stop, lambda: store.stalled_s))
        in_thread = functools.partial(asyncio.get_running_loop().run_in_executor, None)
        await in_thread(systemd.until, "WATCHDOG=1")
        hangs = store.write(lambda _: disk.wait())
        await stalled.wait()
        systemd.read_up()
        systemd.socket.settimeout(0.2)
        with pytest.raises(TimeoutError):
            await in_thread(systemd.told)
        systemd.socket.settimeout(30)
        disk.set()
        await asyncio.wrap_future(hangs)
        assert await in_thread(systemd.told) == "WATCHDOG=1"
        stop.set()
        await told

    try:
        asyncio.run(hang_and_go_on())
    finally:
        disk.set()
        store.close()
    assert ["no sign of life until it is done" in words for words in logged] == [True]


@pytest.mark.parametrize(("limit_ms", "pid"), [(0, ""), (30, "1")])
def test_where_no_signs_of_life_are_wanted_of_it_a_server_tells_the_rest(limit_ms: int, pid: str, systemd: Systemd) -> None:
    environment = systemd.environment(limit_ms=limit_ms, pid=pid)
    manager = Manager(environment)
    assert environment == {}, "what it starts is not to tell for it"

    async def begin_and_stop() -> None:
        stop = asyncio.Event()
        told = asyncio.create_task(manager.keep_told(stop, float))
        await asyncio.get_running_loop().run_in_executor(None, systemd.until, "READY=1")
        stop.set()
        await told

    asyncio.run(begin_and_stop())
    assert systemd.told() == "STOPPING=1"


def test_a_server_started_by_hand_tells_nobody() -> None:
    manager = Manager({})
    manager.tell("READY=1")
    assert manager.every_s is None


def test_a_manager_that_is_gone_costs_a_line_of_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    Manager({"NOTIFY_SOCKET": str(tmp_path / "nobody")}).tell("READY=1")
    assert [(one.levelno, one.message) for one in caplog.records] == [
        (logging.WARNING, "the service manager was not told READY=1: [Errno 2] No such file or directory")
    ]
