"""Whether what a player's program hears of a witnessed game happens now: not where he left his seat and is shown it later."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from client.connection.held_to import NEVER_LEFT, SHOWN_LATER
from client.connection.line import Up
from core import protocol
from core.bots.random_bot import choose
from core.log import Late, Offer, Pending, Seat
from core.orders import Order, name_of
from core.terms import ClockTerms, DiceTerms, SpectatorTerms, Terms
from tests.server.conftest import Here
from tests.server.following import GAME, LEFT, Boris, opens_toys
from tests.toy.witnessed import WAIT_MS, Host, Program

__all__ = ["opens_toys"]  # a fixture

NEVER_ASKED = "Anna decided about your link (unwitnessed), for which the server never asked"
SITS = (protocol.SeatLine("blue", "", "Boris", online=True, limited=False),)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "witnessed.sqlite"


@pytest.fixture
def host(file: Path) -> Host:
    spectators = SpectatorTerms("open", delay_entries=3)
    terms = Terms(clock=ClockTerms("absolute", 3_600_000), dice=DiceTerms("witnessed", WAIT_MS), spectators=spectators)
    host = Host(terms=terms)
    host.begin()
    host.sit("red", "Anna")
    host.programs["Boris"] = Program("Boris", host.head, file=file)  # before it is started anew
    host.programs["Boris"].hear(host.match.log.entries)
    host.sit("blue", "Boris")
    return host


@pytest.fixture
def boris(host: Host, file: Path) -> Iterator[Boris]:
    made = Boris(host, file)
    yield made
    made.games._witnessing.close()


@pytest.mark.parametrize(("chairs", "handed_on"), [(LEFT, LEFT), (SITS, ()), ((), ())], ids=["later", "he sits there", "now"])
def test_how_the_seats_stand_is_handed_on_only_to_who_is_shown_the_game_later(
    host: Host, boris: Boris, chairs: tuple[protocol.SeatLine, ...], handed_on: tuple[protocol.SeatLine, ...]
) -> None:
    """By a word of it his window showed the clocks as they stood at the last entry, and his own ran out unseen."""
    boris.reads(chairs, upto=len(host.match.log) - 1)
    assert [note.chairs for note in boris.notes if isinstance(note, protocol.Waiting)] == [handed_on]


@pytest.mark.parametrize(("cut", "chairs", "is_told"), [
    (False, (), False), (True, (), True), (True, SITS, True), (True, LEFT, False), (True, None, True),
])
def test_a_log_that_was_cut_back_behind_what_was_witnessed_is_told_to_who_is_shown_it_as_it_is(
    host: Host, boris: Boris, here: Here, cut: bool, chairs: tuple[protocol.SeatLine, ...] | None, is_told: bool
) -> None:
    """Who has left his seat may be shown the game later: its end may be what he lacks."""
    host.order(host.strike(random.Random(1)))
    pending = host.waiting(2)
    host.gather(pending)
    last = len(host.match.log) - 1 - cut
    boris.reads(chairs, upto=last)
    boris.is_answered(here.ms, last)  # how the seats stand is told by no server of before
    assert boris.words() == []
    boris.is_answered(here.ms + 1, last)
    told = "duel: you have shown a link for number 2 here, and this log has no order that waited for it: "
    told += "it went on from a backup, or was cut back"
    assert boris.words() == ([told] if is_told else [])


def test_an_order_of_which_another_program_of_his_knew_first_comes_with_the_next_answer(host: Host, boris: Boris, here: Here) -> None:
    """It has shown its link, as this one was sent the game up to the entry before."""
    offers = host.act(Offer("pause"), side="red", player="Anna")
    pending = host.waiting()
    links = host.gather(pending)
    boris.reads((), upto=offers.number - 1)
    boris.hears(*host.match.log.entries[offers.number :])
    here.ms += 1
    boris.is_answered(here.ms, len(host.match.log) - 1)
    boris.hears(host.finish(links))
    assert boris.words() == []


@pytest.mark.parametrize("goes", [False, True])
def test_what_comes_before_a_game_is_opened_that_was_asked_for_last_happened_when_nobody_was_there(
    host: Host, boris: Boris, goes: bool
) -> None:
    """He follows a game, follows it no more, and follows it again before the first asking is answered."""
    pending = host.waiting()
    last = len(host.match.log) - 1
    boris.games.follow(GAME)
    if goes:
        boris.games.unfollow(GAME)
        boris.games.follow(GAME)
    boris.opens(last)
    boris.hears(*host.match.log.entries)
    boris.is_told_how_it_stands(())
    boris.hears(host.act(Late("Boris", pending.k, 0)))
    boris.opens(last + 1)
    boris.is_asked(pending)
    told = "the server named you late for the dice of number 1 before it asked for your link, unless it was lost"
    assert boris.words() == ([] if goes else [told])


def quiet_order(host: Host) -> Order:
    """Play on until Boris may give an order that needs no dice; return it."""
    for seed in range(100):
        order = choose(host.match.view, random.Random(seed))
        if host.match.view.side_to_act() == "blue" and name_of(order) != "strike":
            return order
        host.order(order)
    raise AssertionError("Boris never acts")


def goes_on_without(host: Host, boris: Boris, pending: Pending) -> None:
    """Have Anna go on without Boris' link, for which he was not asked, and tell him."""
    host.gather(pending, absent=["Boris"])
    last = len(host.match.log)
    host.give_up_on("Boris", pending, "unwitnessed")
    boris.hears(*host.match.log.entries[last:])


@pytest.mark.parametrize(("sees", "is_asked", "is_told"), [(True, False, True), (True, True, False), (False, False, False)])
def test_a_server_that_says_that_it_shows_a_game_later_asks_for_links_at_once(
    host: Host, boris: Boris, sees: bool, is_asked: bool, is_told: bool
) -> None:
    """Who has left his seat is asked as well, where he witnesses what waits. Before he was shown it as it is he may have been asked."""
    pending = host.waiting()
    boris.reads(() if sees else LEFT, upto=len(host.match.log) - 1)
    boris.is_told_how_it_stands(LEFT)
    if is_asked:
        boris.is_asked(pending)
    goes_on_without(host, boris, pending)
    assert (NEVER_ASKED in boris.words()) == is_told


@pytest.mark.parametrize("is_new", [True, False])
def test_who_has_an_order_of_his_written_down_is_asked_for_links_whatever_is_said_of_seats(host: Host, boris: Boris, is_new: bool) -> None:
    """One that he gave before the line was up may have been written down before, and what comes behind it, too."""
    order = quiet_order(host)
    boris.reads(LEFT, upto=len(host.match.log) - 1)
    frame = boris.gives(order)
    if not is_new:
        boris.games.happen(Up("Boris"))
        boris.opens(len(host.match.log) - 1)
        boris.is_told_how_it_stands(LEFT)
    boris.hears(host.order(order))
    boris.games.happen(protocol.Accepted(GAME, frame.order_id, len(host.match.log) - 1))
    last = len(host.match.log)
    pending = host.waiting()
    boris.hears(*host.match.log.entries[last:])
    goes_on_without(host, boris, pending)
    assert boris.words() == ([NEVER_ASKED] if is_new else [])


@pytest.mark.parametrize(("meanwhile", "is_told"), [("nothing", True), ("he leaves and comes back", False), ("that is lost", False)])
def test_who_is_said_to_be_shown_the_game_later_and_never_left_his_seat_is_told(
    host: Host, boris: Boris, here: Here, meanwhile: str, is_told: bool
) -> None:
    """For a moment, in which nothing was held against time and what came of his links."""
    boris.reads((), upto=len(host.match.log) - 1)
    if meanwhile != "nothing":
        host.leave("blue")
        host.sit("blue", "Boris")
    last = len(host.match.log)
    boris.is_told_how_it_stands(LEFT)
    boris.is_told_how_it_stands(())
    if meanwhile == "that is lost":
        boris.is_answered(here.ms, last - 1)
    boris.hears(*host.match.log.entries[-2:])
    for _ in range(2):
        boris.is_answered(here.ms, last - 1)
    assert boris.words() == ([NEVER_LEFT] if is_told else [])


@pytest.mark.parametrize("by_act", [True, False])
@pytest.mark.parametrize(("written", "is_told"), [(False, False), (True, True)], ids=["restored", "he came back"])
def test_who_asked_to_leave_is_shown_the_game_later_though_a_backup_of_before_that_is_restored(
    host: Host, boris: Boris, here: Here, by_act: bool, written: bool, is_told: bool
) -> None:
    """He left, and before that was shown to him the server went on from a backup, in which he sits there. Once it is written it is told."""
    boris.reads((), upto=len(host.match.log) - 1)
    frees = protocol.DoAct(GAME, "blue", "7", Seat("blue", "")) if by_act else protocol.LeaveSeat(GAME, "blue")
    boris.games.send(frees)
    sent = boris.line.out[-1]
    assert isinstance(sent, protocol.DoAct | protocol.LeaveSeat)
    if written:
        boris.hears(host.act(Seat("blue", ""), side="blue", player="Boris", signature=sent.signature))
        host.sit("blue", "Boris")
        boris.hears(host.match.log.entries[-1])
    boris.is_told_how_it_stands(LEFT)
    boris.is_told_how_it_stands(())
    boris.is_answered(here.ms, len(host.match.log) - 1)
    assert boris.words() == ([NEVER_LEFT] if is_told else [])


def test_who_has_left_his_seat_and_is_shown_that_later_is_told_nothing_where_how_it_stands_is_lost(
    host: Host, boris: Boris, here: Here
) -> None:
    boris.reads(LEFT, upto=len(host.match.log) - 1)
    boris.opens(len(host.match.log) - 1)
    boris.is_answered(here.ms, len(host.match.log) - 1)
    assert boris.words() == []


@pytest.mark.parametrize("flicker", [False, True])
def test_time_is_held_against_what_passes_here_also_behind_a_moment_in_which_the_game_was_said_to_be_shown_later(
    host: Host, boris: Boris, here: Here, flicker: bool
) -> None:
    order = quiet_order(host)
    boris.reads((), upto=len(host.match.log) - 1)
    for chairs in ((), LEFT, ()) if flicker else ((), ()):
        boris.games.happen(protocol.Waiting(GAME, "blue", 0, host.now_ms, {}, runs=True, paused=False, chairs=chairs))
        boris.is_answered(here.ms, len(host.match.log) - 1)
    host.now_ms += 600_000
    boris.games.happen(protocol.Waiting(GAME, "blue", 0, host.now_ms, {}, runs=True, paused=False))
    boris.hears(host.order(order))
    assert boris.words()[-1].startswith("our clock has lost 595 s more than have passed here")


@pytest.mark.parametrize(("says", "is_told"), [([LEFT] * 4, True), ([LEFT] * 3 + [()], False), ([None] * 4, False)])
def test_a_server_that_takes_orders_and_says_that_the_game_is_shown_later_is_told_once(
    host: Host, boris: Boris, says: list[tuple[protocol.SeatLine, ...] | None], is_told: bool
) -> None:
    """It is asked again first, as what it said since he sat down may be lost."""
    order, last = quiet_order(host), len(host.match.log) - 1
    host.leave("blue")
    host.sit("blue", "Boris")
    boris.reads(LEFT, upto=last)
    frame = boris.gives(order)
    host.order(order)
    boris.hears(*host.match.log.entries[last + 1 :])
    boris.games.happen(protocol.Accepted(GAME, frame.order_id, len(host.match.log) - 1))
    for chairs in [*says, *says] if is_told else says:
        boris.opens(len(host.match.log) - 1)
        if chairs is not None:
            boris.is_told_how_it_stands(chairs)
        boris.games.happen(protocol.Pong())
    assert boris.words() == ([SHOWN_LATER] if is_told else [])
    assert boris.follows() == (2 if any(says) else 1)
