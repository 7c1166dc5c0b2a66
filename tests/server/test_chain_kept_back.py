"""A host who plays keeps her opponent's dice chain back, and knows what falls without him; his program hears that it came."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from client.connection.games import Games
from client.connection.hours import FREE_MS
from core import protocol
from core.bots.random_bot import choose
from core.log import Late, Pause, Referee, Resign, Rewind, Seat
from core.orders import Order, name_of
from core.terms import ClockTerms, DiceTerms, SeatTerms, Terms
from core.text import Text, text
from tests.server.conftest import Here
from tests.toy.witnessed import WAIT_MS, Host, key_of

TOLD = "dice fell without you, and the server had your dice chain before their order waited: whoever keeps it may know them"
PING_MS = 5_000
SEATS = (SeatTerms("red"), SeatTerms("blue"), SeatTerms("blue", "second"))


@pytest.fixture
def host(here: Here) -> Host:
    """A game in which Boris leads blue, and by the rules of before a friend of Anna's beside him lets it go on without his chain."""
    made = Host(terms=Terms(seats=SEATS, dice=DiceTerms("witnessed", WAIT_MS)), table=5)
    made.begin()
    made.sit("red", "Anna")
    made.sit("blue", "Boris", publishes=False).sent.clear()
    made.sit("blue", "Dora", "second")
    return made


def comes(host: Host, here: Here) -> None:
    """A ping is answered that Boris' program sent behind his chain."""
    here.ms += 1
    host.programs["Boris"].witness.heard(here.ms)


def strike(host: Host) -> Order:
    """Play on, Dora for blue, until Anna may strike; return the order."""
    while True:
        is_annas = host.match.view.side_to_act() == "red"
        orders = {name_of(order): order for order in (choose(host.match.view, random.Random(seed)) for seed in range(100))}
        soonest = next(kind for kind in (("strike", "pay", "go", "end") if is_annas else ("pay", "end", "go")) if kind in orders)
        if soonest == "strike":
            return orders[soonest]
        host.propose(orders[soonest], "Anna" if is_annas else "Dora")


def throws(host: Host) -> None:
    host.order(strike(host))


def told(host: Host) -> int:
    """Return how often Boris was told that his chain is kept back."""
    return [str(foul.text) for foul in host.programs["Boris"].fouls].count(TOLD)


def meanwhile(host: Host) -> None:
    host.act(Referee(text("meanwhile")), player="Rita")


def test_dice_that_fall_without_whose_chain_is_kept_back_are_told_to_him_once(host: Host, here: Here) -> None:
    for _ in range(2):
        comes(host, here)
        meanwhile(host)
        throws(host)
        assert told(host) == 1


@pytest.mark.parametrize(("ms", "late", "is_told"), [(FREE_MS, "", True), (FREE_MS - 1, "", False), (FREE_MS, "Dora", False)])
def test_an_order_that_began_to_wait_before_the_chain_came_is_decided_soon_or_names_who_is_late(
    host: Host, here: Here, ms: int, late: str, is_told: bool
) -> None:
    pending = host.propose(strike(host))
    assert pending is not None
    comes(host, here)
    if late:
        host.act(Late(late, pending.k, 0))
    here.ms += ms
    host.finish(host.gather(pending))
    assert told(host) == is_told


def nothing(host: Host, here: Here) -> None:
    return


def ping_before(host: Host, here: Here) -> None:
    host.programs["Boris"].witness.heard(here.ms)  # it was sent before the chain, or just as that was


def line_down(host: Host, here: Here) -> None:
    comes(host, here)
    host.programs["Boris"].witness.begin_anew()


def full_disk(host: Host, here: Here) -> None:
    comes(host, here)
    host.programs["Boris"].witness.was_not_written()


def seat_left(host: Host, here: Here) -> None:
    comes(host, here)
    host.act(Seat("blue", ""), side="blue", player="Boris")


def seat_left_for_a_while(host: Host, here: Here) -> None:
    seat_left(host, here)
    host.act(Seat("blue", "Boris", key=key_of("Boris").key), side="blue", player="Boris")


def order_dropped(host: Host, here: Here) -> None:
    """An order waited as the chain came, and the game ended; a referee goes back before that."""
    to = host.match.log.head
    throws(host)
    assert host.propose(strike(host)) is not None
    comes(host, here)
    host.match.log.pending = host.pending = None
    host.match.log.k -= 1
    host.act(Resign("red"), side="red", player="Anna")
    host.act(Rewind(to), player="Rita")


@pytest.mark.parametrize("why", [nothing, ping_before, line_down, full_disk, seat_left, seat_left_for_a_while, order_dropped])
def test_nothing_is_told_of_a_chain_that_the_server_need_not_have_written_down(
    host: Host, here: Here, why: Callable[[Host, Here], None]
) -> None:
    why(host, here)
    meanwhile(host)
    throws(host)
    assert told(host) == 0


def test_a_chain_that_came_while_an_order_waited_is_sent_again_and_counts_from_then_on(host: Host, here: Here) -> None:
    pending = host.propose(strike(host))
    assert pending is not None
    comes(host, here)
    boris, entries = host.programs.pop("Boris"), len(host.match.log)
    host.finish(host.gather(pending))
    throws(host)  # it began to wait before the chain could come again
    boris.hear(host.match.log.entries[entries:])
    host.programs["Boris"] = boris
    assert told(host) == 0
    comes(host, here)
    meanwhile(host)
    throws(host)
    assert told(host) == 1


def test_it_counts_from_when_it_came_first(host: Host, here: Here) -> None:
    """It is sent again and again, as long as it is not written down: the host would order just then."""
    comes(host, here)
    meanwhile(host)
    boris = host.programs["Boris"]
    boris.witness.publish_again(boris.match)
    comes(host, here)
    throws(host)
    assert told(host) == 1


WAITS = "our clock runs for want of your dice chain, which the server has had for long, and does not write down"


@pytest.fixture
def timed(here: Here) -> Host:
    """A game with clocks in which Boris has sent his chain, and it is not written down."""
    made = Host(terms=Terms(clock=ClockTerms("absolute", 600_000), dice=DiceTerms("witnessed", WAIT_MS)))
    made.begin()
    made.sit("red", "Anna")
    made.sit("blue", "Boris", publishes=False).sent.clear()
    return made


def looks(host: Host, here: Here, *, after_ms: int) -> list[str]:
    """Return what Boris is told, as the ping comes back that was sent behind his chain, and others later."""
    boris = host.programs["Boris"]
    comes(host, here)
    here.ms += after_ms
    for _ in range(2):
        boris.witness.look_at_chain(boris.match, runs=True)
    return [str(foul.text) for foul in boris.fouls]


@pytest.mark.parametrize(("ms", "told"), [(FREE_MS, [WAITS]), (FREE_MS - 1, [])])
def test_a_clock_that_runs_for_want_of_a_chain_which_the_server_has_is_told_once(
    timed: Host, here: Here, ms: int, told: list[str]
) -> None:
    """Else he loses on time by it: `verify` finds a player who has published no chain."""
    assert timed.match.table.on_clock() == "blue"
    assert looks(timed, here, after_ms=ms) == told


def test_a_server_that_has_the_line_made_anew_again_and_again_gains_no_time_by_it(timed: Host, here: Here) -> None:
    boris, lines = timed.programs["Boris"], 0
    while not boris.fouls and lines < 9:
        lines += 1
        boris.witness.line_is_up(here.ms)
        boris.witness.known_to_its_end(boris.match)
        keeps_back_for(here, timed, pings=3, runs=True)
    assert ([str(foul.text) for foul in boris.fouls], lines) == ([WAITS], 2)


def paused(host: Host) -> None:
    host.act(Pause(on=True), player="Rita")


def written_down(host: Host) -> None:
    boris = host.programs["Boris"]
    boris.witness.publish_again(boris.match)
    host.take_chains()


@pytest.mark.parametrize("why", [paused, written_down])
def test_a_chain_for_want_of_which_our_clock_does_not_run_is_no_foul(timed: Host, here: Here, why: Callable[[Host], None]) -> None:
    comes(timed, here)
    why(timed)
    assert looks(timed, here, after_ms=FREE_MS) == []


def keeps_back_for(here: Here, host: Host, *, pings: int, runs: bool, refuses: bool = False) -> None:
    """Let pings come and go; the chain is sent again behind every second, as `Games` does, and *refuses*: it is not written, he is told."""
    boris = host.programs["Boris"]
    for number in range(pings):
        if number % 2 == 0:
            boris.witness.publish_again(boris.match)
            comes(host, here)
        here.ms += PING_MS
        boris.witness.heard(here.ms)
        boris.witness.look_at_chain(boris.match, runs=runs)
        if refuses:
            boris.witness.was_not_written()


def test_a_server_that_says_again_and_again_that_it_can_not_write_lets_no_clock_run_meanwhile(timed: Host, here: Here) -> None:
    """By such an answer every ten seconds a host silenced the watch, and his opponent lost on time, untold."""
    keeps_back_for(here, timed, pings=20, runs=False, refuses=True)
    assert timed.programs["Boris"].fouls == []
    keeps_back_for(here, timed, pings=FREE_MS // PING_MS + 1, runs=True, refuses=True)
    assert [str(foul.text) for foul in timed.programs["Boris"].fouls] == [WAITS]


@pytest.mark.parametrize(("answer", "many"), [
    (protocol.NotAccepted("duel", "", "", text(protocol.NOT_WRITTEN, why="no space")), 1),
    (protocol.NotAccepted("duel", "", "", text(protocol.GONE_ON)), 1),
    (protocol.Failed("server", "", "", "duel"), 1),
    (protocol.NotAccepted("duel", "", "", Text("")), 0),
    (protocol.Failed("", "", "", "duel"), 0),
])
def test_what_a_server_could_not_write_may_be_a_chain_and_nothing_else_that_it_refuses(
    monkeypatch: pytest.MonkeyPatch, timed: Host, answer: protocol.NotAccepted | protocol.Failed, many: int
) -> None:
    games, unwritten, boris = Games(lambda note: None), list[None](), timed.programs["Boris"]
    games._witnessing._games["duel"] = boris.witness
    monkeypatch.setattr(boris.witness, "was_not_written", lambda: unwritten.append(None))
    games.happen(answer)
    assert len(unwritten) == many
