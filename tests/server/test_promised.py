"""A server says that an order is written down, and has not done so: the clock of who gave it runs on."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from client.connection.notes import Answered
from core import protocol
from core.bots.random_bot import choose
from core.orders import Order
from core.text import text
from tests.server.following import GAME, LEFT, Boris, opens_toys
from tests.toy.witnessed import Host

__all__ = ["opens_toys"]  # a fixture



@pytest.fixture
def host() -> Host:
    """A game in which Boris may give an order next."""
    host = Host()
    host.begin()
    host.sit("red", "Anna")
    host.sit("blue", "Boris")
    while host.match.view.side_to_act() != "blue":
        host.order(choose(host.match.view, random.Random(1)))
    return host


@pytest.fixture
def boris(host: Host) -> Iterator[Boris]:
    made = Boris(host, None)
    made.reads((), upto=end_of(host))
    yield made
    made.games._witnessing.close()


@pytest.fixture
def order(host: Host) -> Order:
    return choose(host.match.view, random.Random(1))


def end_of(host: Host) -> int:
    return len(host.match.log) - 1


def accepted(boris: Boris, order: Order, number: int) -> None:
    boris.games.happen(protocol.Accepted(GAME, boris.gives(order).order_id, number))


def broken(number: int) -> str:
    return f"the server accepted your order as entry {number}, and has not written it down"


def test_an_order_that_is_written_down_is_looked_for_in_vain_by_nobody(host: Host, boris: Boris, order: Order) -> None:
    frame = boris.gives(order)
    boris.hears(host.order(order))
    boris.games.happen(protocol.Accepted(GAME, frame.order_id, end_of(host)))
    boris.games.happen(protocol.Pong())
    assert (boris.words(), boris.follows()) == ([], 1)


def test_an_order_that_is_said_to_be_written_down_at_another_game_is_looked_for_at_its_own(host: Host, boris: Boris, order: Order) -> None:
    """It was forgotten with that: nothing was owed to anybody."""
    boris.games.happen(protocol.Accepted("another", boris.gives(order).order_id, end_of(host) + 1))
    boris.games.happen(protocol.Pong())
    boris.opens(end_of(host))
    for _ in range(2):
        boris.games.happen(protocol.Pong())
    assert boris.words() == [broken(end_of(host) + 1)]


@pytest.mark.parametrize("answer", ["accepted", "refused", "failed"])
def test_the_answer_to_an_order_is_told_of_its_own_game_whatever_a_server_says(boris: Boris, order: Order, answer: str) -> None:
    """Who waited for it at that game heard nothing."""
    order_id = boris.gives(order).order_id
    boris.games.happen({
        "accepted": protocol.Accepted("another", order_id, 3), "refused": protocol.NotAccepted("another", order_id, "", text("busy")),
        "failed": protocol.Failed("act", "another one", "busy", "another", order_id),
    }[answer])
    assert [note.game for note in boris.notes if isinstance(note, Answered)] == [GAME]


@pytest.mark.parametrize("which", [1, 0, -1], ids=["no entry", "another's", "none there can be"])
def test_an_order_that_is_said_to_be_written_down_and_is_not_is_told_once_the_game_was_asked_for_again(
    host: Host, boris: Boris, order: Order, which: int
) -> None:
    number = end_of(host) + which if which >= 0 else -1
    accepted(boris, order, number)
    boris.games.happen(protocol.Pong())
    assert (boris.words(), boris.follows()) == ([], 2)
    boris.opens(end_of(host))
    for _ in range(2):
        boris.games.happen(protocol.Pong())
    assert boris.words() == [broken(number)]


def test_an_entry_that_was_lost_comes_when_it_is_asked_for(host: Host, boris: Boris, order: Order) -> None:
    entry = host.order(order)
    accepted(boris, order, end_of(host))
    boris.opens(end_of(host))
    boris.hears(entry)
    boris.games.happen(protocol.Pong())
    assert boris.words() == []


def test_who_has_left_is_shown_later_what_waited_before(host: Host, boris: Boris, order: Order) -> None:
    accepted(boris, order, end_of(host) + 1)
    boris.opens(end_of(host))
    boris.is_told_how_it_stands(LEFT)
    for _ in range(2):
        boris.games.happen(protocol.Pong())
    assert boris.words() == []


def test_nothing_is_expected_of_a_game_that_comes_anew(host: Host, boris: Boris, order: Order) -> None:
    accepted(boris, order, end_of(host) + 1)
    boris.games.unfollow(GAME)
    boris.games.follow(GAME)
    boris.opens(end_of(host))
    boris.games.happen(protocol.Pong())
    assert boris.words() == []
