"""The server's time: it never jumps and never goes back, whatever becomes of the machine's clock."""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import protocol
from core.log import Flag
from core.terms import ClockTerms, Terms
from server import steady
from server.steady import NOTE_EVERY_MS, STILL_MS, SteadyClock
from server.store.sqlite import STORE
from tests.server.conftest import Host, Player
from tests.server.tables import GAME, duel, order, until
from tests.toy.ruleset import End

HOUR = 3_600_000


class Machine:
    """A clock on the wall that can be set, and time that passes."""

    def __init__(self) -> None:
        self.wall, self.passed = 1_000_000, 77

    def wait(self, ms: int) -> None:
        self.wall += ms
        self.passed += ms

    def clock(self) -> SteadyClock:
        return SteadyClock(lambda: self.wall, lambda: self.passed)


@pytest.mark.parametrize("jump", [-5 * HOUR, 5 * HOUR])
def test_a_clock_that_is_set_changes_nothing_and_is_noted_once_a_minute(jump: int, caplog: pytest.LogCaptureFixture) -> None:
    machine = Machine()
    clock = machine.clock()
    before = clock()
    machine.wall += jump
    with caplog.at_level(logging.WARNING, "rasputitsa.server"):
        assert [clock(), clock()] == [before, before]
        assert len(caplog.records) == 1
        machine.wait(NOTE_EVERY_MS)
        assert clock() == before + NOTE_EVERY_MS
    assert len(caplog.records) == 2
    assert f"{jump // 1000} s off" in caplog.text
    caplog.clear()


@given(st.lists(st.tuples(st.integers(0, 10_000), st.integers(-5_000, 5_000)), max_size=50))
def test_time_goes_as_it_passes_however_the_wall_clock_wanders(steps: list[tuple[int, int]]) -> None:
    machine = Machine()
    clock = machine.clock()
    began, waited = clock(), 0
    wandered = 0
    for wait, drift in steps:
        machine.wait(wait)
        waited += wait
        if abs(wandered + drift) <= 5_000:
            machine.wall += drift
            wandered += drift
        assert clock() == began + waited


def test_it_goes_on_where_a_server_before_kept_time_and_never_back() -> None:
    machine = Machine()
    clock = machine.clock()
    before = clock()
    clock.go_on_from(before + 2 * HOUR)
    assert clock() == before + 2 * HOUR
    machine.wait(1_000)
    clock.go_on_from(before)
    assert clock() == before + 2 * HOUR + 1_000


def test_it_starts_from_the_machines_clock() -> None:
    assert Machine().clock()() == 1_000_000


def test_a_clock_that_is_watched_stands_still_while_nobody_looks_at_it_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    machine = Machine()
    clock = machine.clock()
    before = clock()
    with clock.watched():
        machine.wait(STILL_MS)
        assert clock() == before + STILL_MS
        machine.wait(66_000)
        assert clock() == before + STILL_MS
        machine.wait(500)
        assert clock() == before + STILL_MS + 500
    assert [record.getMessage()[:34] for record in caplog.records] == ["the server stood still for 66 s; s"]
    machine.wait(66_000)
    assert clock() == before + STILL_MS + 66_500, "nobody looks at a clock that is not watched"
    caplog.clear()


def test_a_clock_that_stood_still_makes_up_for_it_once_when_it_may() -> None:
    machine = Machine()
    clock = machine.clock()
    before = clock()
    with clock.watched():
        machine.wait(66_000)
        assert clock() == before
        leaps = clock.leaps
        for _ in range(2):
            clock.catch_up()
            assert (clock(), clock.leaps) == (before + 66_000, leaps + 1)
        machine.wait(500)
        assert clock() == before + 66_500


def test_a_clock_that_is_held_stands_still_until_it_is_let_go_however_long_nobody_looked(caplog: pytest.LogCaptureFixture) -> None:
    machine = Machine()
    clock = machine.clock()
    with clock.watched():
        machine.wait(500)
        before = clock()
        clock.hold(wanted=True)
        for ms in (100, 66_000, 2_000):
            machine.wait(ms)
            assert (clock(), clock.is_held) == (before, True)
        clock.hold(wanted=False)
        machine.wait(700)
        assert (clock(), clock.is_held, clock.leaps) == (before + 700, False, 2)
        clock.catch_up()
        assert clock() == before + 68_800
    assert [one.message for one in caplog.records] == [
        "nothing could be written down for 68 s; the clocks of all games stood still"
    ]
    caplog.clear()


def test_a_clock_that_is_to_stand_stands_for_so_long_in_all_from_when_that_was_asked_last() -> None:
    machine = Machine()
    clock = machine.clock()
    machine.wait(500)
    before, leaps = clock(), clock.leaps
    clock.stand_for(8_000)
    machine.wait(5_000)
    clock.stand_for(8_000)
    for ms in (3_000, 4_999):
        machine.wait(ms)
        assert (clock(), clock.is_held, clock.leaps) == (before, True, leaps + 2)
    machine.wait(700)
    assert (clock(), clock.is_held, clock.leaps) == (before + 699, False, leaps + 3)
    machine.wait(700)
    assert (clock(), clock.leaps) == (before + 1_399, leaps + 3)
    clock.catch_up()
    assert clock() == before + 14_399


def test_a_process_that_stands_still_or_cannot_write_is_waited_for_no_less_afterwards(caplog: pytest.LogCaptureFixture) -> None:
    machine = Machine()
    clock = machine.clock()
    before = clock()
    with clock.watched():
        clock.stand_for(8_000)
        machine.wait(66_000)
        clock()
        clock.hold(wanted=True)
        machine.wait(2_000)
        clock.hold(wanted=False)
        for _ in range(4):
            assert (clock(), clock.is_held) == (before, True)
            machine.wait(2_000)
        assert (clock(), clock.is_held) == (before, False)
    caplog.clear()


def test_a_clock_that_makes_up_for_what_it_lacks_stands_no_longer() -> None:
    machine = Machine()
    clock = machine.clock()
    before = clock()
    clock.stand_for(8_000)
    machine.wait(1_000)
    clock()
    clock.catch_up()
    machine.wait(1_000)
    assert (clock(), clock.is_held) == (before + 2_000, False)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems don't tell")
def test_time_in_which_the_machine_slept_is_known_to_have_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    passed = {time.CLOCK_BOOTTIME: 90_000_000_000, time.CLOCK_MONOTONIC: 7_000_000_000}
    monkeypatch.setattr(time, "clock_gettime_ns", lambda which: passed[which])
    assert steady.passed_ms() == 90_000


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    """The machine of the server that `host` starts after it: time goes by when the test says so."""
    made = Machine()
    monkeypatch.setattr(steady, "now_ms", made.clock())
    return made


def test_a_server_that_was_stopped_costs_nobody_time_and_tells_all_how_the_clocks_stand(
    machine: Machine, host: Host, player: Callable[[str], Player], caplog: pytest.LogCaptureFixture
) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris, Terms(clock=ClockTerms("absolute", 60_000)))
    anna.wait(lambda note: isinstance(note, protocol.Waiting) and note.runs)
    machine.wait(2_000)
    assert steady.now_ms() == 1_002_000
    machine.wait(66_000)
    told = anna.wait(lambda note: isinstance(note, protocol.Waiting) and note.now_ms == 1_002_000)
    assert isinstance(told, protocol.Waiting)
    assert told.left_ms == {"red": 58_000, "blue": 60_000}
    assert order(anna, "red", End()) == ""
    assert not any(isinstance(entry.act, Flag) for entry in host.service.store.entries(GAME))
    caplog.clear()


def duel_until_the_store_is_gone(host: Host, anna: Player, boris: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a clock run, and move the store away."""
    for what, seconds in (("LOOK_AT_CLOCK_EVERY_S", 0.01), ("AGAIN_S", 0.02), ("ALIVE_EVERY_S", 0.02)):
        monkeypatch.setattr(f"server.tending.{what}", seconds)
    duel(anna, boris, Terms(clock=ClockTerms("absolute", 60_000)))
    anna.wait(lambda note: isinstance(note, protocol.Waiting) and note.runs)
    os.rename(host.data / STORE, host.data / "away")
    anna.wait(lambda note: isinstance(note, protocol.Waiting) and not note.runs)  # which may come before anything is refused
    assert "moved away" in order(anna, "red", End())


def test_a_disk_that_takes_nothing_costs_nobody_time_and_all_are_told_that_no_clock_runs(
    machine: Machine, host: Host, player: Callable[[str], Player], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever was to move lost on time: his orders were refused, and his clock ran on."""
    anna = player("Anna")
    duel_until_the_store_is_gone(host, anna, player("Boris"), monkeypatch)
    for _ in range(40):  # each less than what a process takes that stood still
        machine.wait(2_000)
        steady.now_ms()
    os.rename(host.data / "away", host.data / STORE)
    told = anna.wait(lambda note: isinstance(note, protocol.Waiting) and note.runs)
    assert isinstance(told, protocol.Waiting)
    assert told.left_ms == {"red": 60_000, "blue": 60_000}
    assert order(anna, "red", End()) == ""
    assert not any(isinstance(entry.act, Flag) for entry in host.service.store.entries(GAME))
    caplog.clear()


def test_a_server_that_ends_while_nothing_can_be_written_lets_the_clock_go(
    machine: Machine, host: Host, player: Callable[[str], Player], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    duel_until_the_store_is_gone(host, player("Anna"), player("Boris"), monkeypatch)
    assert steady.is_held()
    host.stop()
    assert not steady.is_held()
    caplog.clear()


def test_chat_after_the_machine_slept_has_the_time_of_the_machine_where_no_clock_runs(
    machine: Machine, host: Host, player: Callable[[str], Player], caplog: pytest.LogCaptureFixture
) -> None:
    """Until the server was started anew all times lay behind by a night."""
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    machine.wait(66_000)
    until(anna, lambda _: steady.now_ms() == 1_066_000)
    assert order(anna, "red", End()) == ""
    assert host.service.store.entries(GAME)[-1].time_ms == 1_066_000
    caplog.clear()
