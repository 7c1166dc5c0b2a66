"""A server that has a player's orders, and neither takes nor refuses them: his clock runs on, and nothing tells him why."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from client.connection.fouls import BROKEN
from client.connection.hours import FREE_MS, NEAR_MS
from client.connection.unanswered import LONG_MS
from core import protocol
from core.log import Pause
from core.terms import ClockTerms, DiceTerms, SeatTerms, Terms
from core.text import Text
from tests.server.conftest import Here
from tests.server.following import GAME, Boris, opens_toys
from tests.server.test_hours import an_order_of
from tests.toy.ruleset import End
from tests.toy.witnessed import WAIT_MS, Host, seated

__all__ = ["opens_toys"]  # a fixture

PINGS_MS = 5_000
TOLD = (
    "for {} s in all the server has had orders of yours while your clock ran, and neither took nor refused them, unless they, or the "
    "answers, were lost on their way again and again"
)


def his_turn(clock: str) -> Host:
    """Return a game in which Boris may give an order next."""
    clocks = ClockTerms(clock, 3_600_000) if clock != "none" else ClockTerms()
    host = seated(terms=Terms(clock=clocks, dice=DiceTerms("witnessed", WAIT_MS)))
    host.order(End())
    return host


def follows(host: Host) -> Boris:
    boris = Boris(host, None)
    boris.reads((), upto=len(host.match.log) - 1)
    return boris


@pytest.fixture
def boris() -> Iterator[Boris]:
    made = follows(his_turn("absolute"))
    yield made
    made.games._witnessing.close()


def passes(boris: Boris, here: Here, ms: int, *, every_ms: int = PINGS_MS, runs: bool = True) -> list[str]:
    """Let time pass while pings are answered; return what Boris is told of his orders."""
    match = boris.games.match(GAME)
    assert match is not None
    for _ in range(ms // every_ms):
        here.ms += every_ms
        boris.games.happen(protocol.Waiting(GAME, "blue", 0, here.ms, {}, runs=runs, paused=False))
        boris.is_answered(here.ms, len(match.log) - 1)
    return [words for words in boris.words() if "has had orders of yours" in words]


def test_an_order_that_is_neither_taken_nor_refused_while_his_clock_runs_is_told_once(boris: Boris, here: Here) -> None:
    boris.gives(End())
    assert passes(boris, here, FREE_MS) == []
    assert passes(boris, here, PINGS_MS) == [TOLD.format(FREE_MS // 1_000 + 5)]
    assert passes(boris, here, 60_000) == [TOLD.format(FREE_MS // 1_000 + 5)]


def test_what_orders_wait_each_by_each_is_summed_up(boris: Boris, here: Here) -> None:
    """Each might be kept for 20 s: seven minutes of his clock for twenty, untold."""
    for _ in range(2):
        frame = boris.gives(End())
        assert passes(boris, here, 10_000) == []
        boris.games.happen(protocol.NotAccepted(GAME, frame.order_id, "", Text("no")))
    boris.gives(End())
    assert passes(boris, here, PINGS_MS) == [TOLD.format(25)]


def test_what_several_orders_wait_at_once_is_counted_once(boris: Boris, here: Here) -> None:
    for _ in range(5):
        boris.gives(End())
    assert passes(boris, here, FREE_MS) == []


def test_orders_that_are_lost_as_a_line_is_cut_and_sent_again_over_a_new_one_add_nothing_up(boris: Boris, here: Here) -> None:
    """What was on its way as it was cut waits for the new line, and a ping that left just before an order is answered without it."""
    for _ in range(20):
        frame, left_ms = boris.gives(End()), here.ms
        boris.is_answered(left_ms, len(boris.host.match.log) - 1)
        here.ms += 7_000
        boris.games._held_to.line_is_up(boris.games._asked)
        boris.games._witnessing.known_as("Boris")
        here.ms += 100
        boris.games.happen(protocol.Waiting(GAME, "blue", 0, here.ms, {}, runs=True, paused=False))
        boris.games.happen(protocol.NotAccepted(GAME, frame.order_id, "", Text("no")))
        boris.is_answered(here.ms, len(boris.host.match.log) - 1)
    assert passes(boris, here, 60_000) == []


def taken(boris: Boris) -> None:
    frame = boris.gives(End())
    boris.hears(boris.host.order(End()))
    boris.games.happen(protocol.Accepted(GAME, frame.order_id, len(boris.host.match.log) - 1))


def refused(boris: Boris) -> None:
    frame = boris.gives(End())
    boris.games.happen(protocol.NotAccepted(GAME, frame.order_id, "", Text("no")))


def paused(boris: Boris) -> None:
    boris.gives(End())
    boris.hears(boris.host.act(Pause(on=True), player="Rita"))


def ended_by_another_program_of_his(boris: Boris) -> None:
    boris.gives(End())
    boris.hears(boris.host.order(End()))


@pytest.mark.parametrize("why", [taken, refused, paused, ended_by_another_program_of_his])
def test_nothing_is_told_of_one_that_was_answered_or_costs_him_nothing(boris: Boris, here: Here, why: object) -> None:
    assert callable(why)
    why(boris)
    assert passes(boris, here, 600_000) == []


@pytest.mark.parametrize(("every_ms", "runs"), [(PINGS_MS, False), (NEAR_MS + 1, True)], ids=["no clock runs", "asleep"])
def test_nothing_is_told_where_his_clock_need_not_run_or_nothing_is_known(boris: Boris, here: Here, every_ms: int, runs: bool) -> None:
    boris.gives(End())
    assert passes(boris, here, 600_000, every_ms=every_ms, runs=runs) == []


def test_a_line_that_is_made_anew_makes_him_forget_nothing_that_he_waited_for(boris: Boris, here: Here) -> None:
    boris.gives(End())
    for _ in range(2):
        assert passes(boris, here, 10_000) == []
        here.ms += 60_000
        boris.games._held_to.line_is_up(boris.games._asked)
        boris.games._witnessing.known_as("Boris")
    assert passes(boris, here, 10_000) == [TOLD.format(25)]


@pytest.mark.parametrize("is_asked", [True, False])
def test_an_order_that_waits_for_its_dice_is_answered_when_they_fall(here: Here, is_asked: bool) -> None:
    host = his_turn("absolute")
    pending = an_order_of("blue", host)
    boris = follows(host)
    assert boris.gives(host.match.codec.decode(pending.order)).signature == pending.signature
    if is_asked:
        boris.is_asked(pending)
    assert bool(passes(boris, here, 600_000)) != is_asked
    boris.games._witnessing.close()


def test_an_order_for_whose_dice_he_shows_no_link_waits_for_them_all_the_same(here: Here) -> None:
    """After a restored backup he read beside that no more dice are witnessed here that the server kept his order back."""
    host = his_turn("absolute")
    pending = an_order_of("blue", host)
    boris = follows(host)
    boris.gives(host.match.codec.decode(pending.order))
    boris.games._witnessing._games[GAME]._broken = True
    boris.is_asked(pending)
    assert str(BROKEN) in boris.words()
    assert passes(boris, here, 600_000) == []
    boris.games._witnessing.close()


def test_who_is_asked_for_no_links_does_not_know_whether_an_order_waits_for_some(here: Here) -> None:
    seats = (SeatTerms("red"), SeatTerms("blue"), SeatTerms("blue", "second"))
    host = Host(terms=Terms(seats=seats, clock=ClockTerms("absolute", 3_600_000), dice=DiceTerms("witnessed", WAIT_MS)))
    host.begin()
    for side, name, seat in (("red", "Anna", ""), ("blue", "Dora", ""), ("blue", "Boris", "second")):
        host.sit(side, name, seat)
    host.order(End())
    boris = follows(host)
    boris.gives(End())
    assert passes(boris, here, 600_000) == []
    boris.games._witnessing.close()


def test_without_clocks_it_is_remarked_later(here: Here) -> None:
    boris = follows(his_turn("none"))
    boris.gives(End())
    assert passes(boris, here, LONG_MS) == []
    assert passes(boris, here, PINGS_MS) == [
        "duel: for 5 minutes in all the server has had orders of yours, and neither took nor refused them, unless they, or the "
        "answers, were lost on their way again and again"
    ]
    boris.games._witnessing.close()
