"""The server killed between receipt and acknowledgement: nothing acknowledged is lost, and the same roll comes."""

from __future__ import annotations

import functools
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from client.connection.games import Up
from client.connection.notes import Answered, Ready
from core import protocol
from core.bots.random_bot import choose
from core.dice import Stream
from core.gamefile import open_match, read
from core.log import Pending
from core.match import Match
from core.trials.verify import verify
from server.faultpoints import OF_ORDERS, VARIABLE
from server.store.sqlite import SqliteStore
from tests.server.conftest import Player, toy

Processes = Callable[..., tuple["subprocess.Popen[str]", str]]


@pytest.fixture
def processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Processes]:
    monkeypatch.setattr(
        "client.connection.games.open_match", functools.partial(open_match, load=toy)
    )
    started: list[subprocess.Popen[str]] = []

    def start(fault: str = "") -> tuple[subprocess.Popen[str], str]:
        command = [sys.executable, "-m", "tests.toy.host", str(tmp_path)]
        environment = {**os.environ, VARIABLE: fault}
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=Path(__file__).parents[2])
        started.append(process)
        assert process.stdout is not None
        return process, process.stdout.readline().strip()

    yield start
    for process in started:
        process.kill()
        process.communicate()


def enter(address: str, *, again: bool = False) -> tuple[Player, Match]:
    one = Player(address, "Anna")
    one.wait(lambda note: isinstance(note, Up))
    if not again:
        one.games.send(protocol.CreateGame("g", "toy", "duel"))
    one.games.follow("g")
    one.wait(lambda note: isinstance(note, Ready))
    match = one.games.match("g")
    assert match is not None
    for side in ("red", "blue"):
        one.games.send(protocol.TakeSeat("g", side))
    return one, match


def test_a_killed_server_has_lost_nothing_that_it_acknowledged(processes: Processes, tmp_path: Path) -> None:
    process, address = processes()
    one, match = enter(address)
    rng = random.Random(1)
    for _ in range(8):
        with one.games.reading():
            view = match.view
        one.games.give("g", view.side_to_act(), choose(view, rng))
        one.wait(lambda note: isinstance(note, Answered))
    process.send_signal(signal.SIGKILL)
    process.wait()
    one.games.close()
    entries = SqliteStore(tmp_path / "games.sqlite").entries("g")
    assert [entry.hash for entry in entries][: len(match.log)] == [entry.hash for entry in match.log.entries]


@pytest.mark.parametrize("point", OF_ORDERS)
def test_a_server_killed_at_a_fault_point_goes_on_with_the_same_roll(point: str, processes: Processes, tmp_path: Path) -> None:
    process, address = processes(point if "pending" in point else "")
    if "pending" not in point:
        process.kill()
        process.wait()
        address = _until_entries(processes, tmp_path)
        process, address = processes(point)
        one, match = enter(address, again=True)
    else:
        one, match = enter(address)
    last, seen = _drive(one, match, process)
    one.games.close()
    store = SqliteStore(tmp_path / "games.sqlite")
    before = store.entries("g")
    assert before[last].hash == seen
    waiting = [pending for pending, _ in store.pending("g") if pending.k > max((e.k for e in before), default=0)]
    store.close()
    again, address = processes()
    two = Player(address, "Anna")
    two.wait(lambda note: isinstance(note, Up))
    two.games.follow("g")
    two.wait(lambda note: isinstance(note, Ready))
    resumed = two.games.match("g")
    assert resumed is not None
    for pending in waiting:
        _assert_same_roll(resumed, pending)
    report = verify(read(two.games.file("g")), load=toy)
    assert report.holds, report.findings
    two.games.close()
    again.kill()


def _until_entries(processes: Processes, folder: Path) -> str:
    """Make the game with a healthy server, for fault points that every entry meets."""
    process, address = processes()
    one, _ = enter(address)
    one.wait(lambda note: type(note).__name__ == "Grown")
    one.games.close()
    process.kill()
    process.wait()
    return address


def _drive(one: Player, match: Match, process: subprocess.Popen[str]) -> tuple[int, bytes]:
    rng = random.Random(5)
    last = match.log.moved_at
    while match.view.position.outcome is None and process.poll() is None:
        with one.games.reading():
            view, last = match.view, match.log.moved_at
        one.games.give("g", view.side_to_act(), choose(view, rng))
        _wait_for_answer(one, process)
    assert process.returncode == -signal.SIGKILL, "the fault point was never reached"
    return last, match.log.entries[last].hash


def _wait_for_answer(one: Player, process: subprocess.Popen[str]) -> None:
    """Wait until an order is answered, or the server is dead."""
    while process.poll() is None and not any(isinstance(note, Answered) for note in one.notes):
        try:
            process.wait(0.02)
        except subprocess.TimeoutExpired:
            continue
    one.notes.clear()


def _assert_same_roll(match: Match, pending: Pending) -> None:
    entry = next(entry for entry in match.log.entries if entry.k == pending.k)
    dice = Stream(entry.links, game=match.game, k=pending.k, pending=pending.digest())
    rolled = [event for event in entry.events if type(event).__name__ == "Rolled"]
    assert entry.order == pending.order
    assert [event.value for event in rolled] == [dice.roll(6) for _ in rolled]  # type: ignore[attr-defined]
