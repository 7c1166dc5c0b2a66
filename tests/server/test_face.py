"""What the server's clock shows on a player's screen: a host who plays tells of less than has passed, and he has minutes left there."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from core.log import Offer, Pause
from core.terms import ClockTerms, Terms
from tests.server.conftest import Here
from tests.server.test_dated_back import PINGS_MS, Boris
from tests.toy.witnessed import seated

BEHIND = "the server says that its clock shows {} s less than it has to: what is left of the clocks is shown here without that"
SLOW = "the server has said that its clock shows {} s less than it does: there was less left of the clocks than was shown here"


@pytest.fixture
def boris(here: Here) -> Iterator[Boris]:
    """The program of Boris, who is told from the first moment on what the server's clock shows."""
    made = Boris(seated(terms=Terms(clock=ClockTerms("absolute", 3_600_000))), here)
    made.ping()
    made.host.now_ms = here.ms
    assert shown(made, here.ms) == here.ms
    yield made
    made.witnessing.close()


def shown(boris: Boris, said_ms: int, *, runs: bool = True) -> int:
    """Return what the screen shows of the server's clock as the server says what that shows."""
    return boris.witnessing.stand("duel", said_ms, runs=runs)


def passes(boris: Boris, ms: int, *, said: Callable[[int], int], every_ms: int = PINGS_MS, answered: bool = True, runs: bool = True) -> int:
    """Let time pass while the server says something of each moment; return what is shown in the end."""
    last = 0
    for _ in range(ms // every_ms):
        boris.here.ms += every_ms
        boris.host.now_ms += every_ms
        last = shown(boris, said(boris.here.ms), runs=runs)
        if answered:
            boris.ping()
    return last


def test_a_clock_that_is_said_to_go_at_half_its_speed_goes_on_on_the_screen_and_that_is_told_once(boris: Boris) -> None:
    """Boris lost by time with 252 s more on his screen than he had."""
    began = boris.here.ms
    last = passes(boris, 600_000, said=lambda now: began + (now - began) // 2)
    assert boris.here.ms - last <= 600_000 // 20 + PINGS_MS
    assert boris.told == [BEHIND.format(22)]


def test_a_server_that_says_no_more_of_its_clock_after_a_lie_is_found_by_the_next_entry(boris: Boris) -> None:
    boris.witnessing.known_as("Boris")  # over a new line, of whose server's clock nothing is known
    assert shown(boris, boris.here.ms - 300_000) == boris.here.ms - 300_000
    boris.host.act(Offer("draw"), side="red", player="Anna")
    boris.hear()
    assert boris.told == [SLOW.format(297)]


def test_a_message_that_was_long_on_its_way_sets_no_clock_back(boris: Boris) -> None:
    passes(boris, 60_000, said=lambda now: now)
    assert shown(boris, boris.here.ms - 4_000) == boris.here.ms - PINGS_MS // 20
    assert boris.told == []


@pytest.mark.parametrize(("answered", "runs"), [(True, False), (False, True)], ids=["it says so", "it answers no ping"])
def test_a_clock_that_stood_still_is_shown_as_it_is(boris: Boris, answered: bool, runs: bool) -> None:
    stood = boris.here.ms
    passes(boris, 300_000, said=lambda now: stood, answered=answered, runs=runs)
    assert shown(boris, stood) == stood
    assert passes(boris, 300_000, said=lambda now: now - 300_000) == boris.here.ms - 300_000
    assert boris.told == []


def test_a_clock_that_stands_for_less_than_is_noticed_each_time_is_no_lie(boris: Boris) -> None:
    began = boris.here.ms
    passes(boris, 1_200_000, said=lambda now: now - (now - began) // 25)
    assert boris.told == []


def test_entries_behind_one_ping_excuse_no_more_than_one_does(boris: Boris) -> None:
    """Each of them let the server's clock show 2 s less: it lost minutes on the screen."""
    for _ in range(60):
        for act in (Pause(on=True), Pause(on=False)):
            boris.host.act(act, player="Rita")
        boris.hear()
    passes(boris, PINGS_MS, said=lambda now: now)
    assert shown(boris, boris.here.ms - 100_000) > boris.here.ms - 3_000
    assert boris.told == [BEHIND.format(97)]


def test_no_entry_makes_a_lie_of_what_was_long_on_its_way(boris: Boris) -> None:
    boris.witnessing.known_as("Boris")
    boris.here.ms += 100_000
    boris.host.now_ms += 100_000
    assert shown(boris, boris.here.ms - 60_000) == boris.here.ms - 60_000
    boris.host.act(Offer("draw"), side="red", player="Anna")
    boris.hear()
    assert boris.told == []
