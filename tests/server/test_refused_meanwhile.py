"""What is refused, or taken back, while something of its game is on its way: it may be done already, and it is found out when all is here.

A host who plays could have the game asked for again, or say that it is shown later, and refuse an order meanwhile: it was forgotten, and
she used it when it suited her.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from client.connection.taken_back import DONE, WRITTEN
from core import protocol
from core.log import Entry, Offer, Resign
from tests.server.test_half_way import is_answered
from tests.server.test_taken_back import LEFT, Anna, anna, log, refused, used
from tests.server.test_watched import GAME
from tests.toy.ruleset import End

__all__ = ["anna", "log"]  # fixtures


def opens(anna: Anna) -> None:
    """The game is opened up to its last entry, and what she lacks comes."""
    known = anna.games.match(GAME)
    assert known is not None
    anna.games.happen(protocol.Opened(GAME, anna.log.head, "0" * 64, len(anna.log.entries) - 1))
    anna.hears(*anna.log.entries[len(known.log) :])


def asked_for_again(anna: Anna, refuse: Callable[[], None]) -> Callable[[], None]:
    anna.games.follow(GAME)
    refuse()
    return lambda: opens(anna)


def shown_later(anna: Anna, refuse: Callable[[], None]) -> Callable[[], None]:
    """She has left her seat, and asks for it again."""
    anna.games.happen(protocol.Waiting(GAME, "", 0, 0, {}, runs=False, paused=False, chairs=LEFT))
    refuse()

    def comes() -> None:
        anna.games.happen(protocol.Waiting(GAME, "", 0, 0, {}, runs=False, paused=False))
        opens(anna)

    return comes


def an_order(anna: Anna) -> tuple[Callable[[], None], Callable[[], Entry], str]:
    given = anna.gives()
    return lambda: refused(anna, given), lambda: anna.log.order(End(), given.signature), WRITTEN


def an_act(anna: Anna) -> tuple[Callable[[], None], Callable[[], Entry], str]:
    act = anna.does(Resign("red"))
    return lambda: anna.is_refused(act.order_id), lambda: anna.log.act(Resign("red"), "red", "Anna", act.signature), DONE


def an_answer(anna: Anna) -> tuple[Callable[[], None], Callable[[], Entry], str]:
    answer = anna.answers()
    return anna.revokes, lambda: used(anna.log, answer), WRITTEN


meanwhile = pytest.mark.parametrize("meanwhile", [asked_for_again, shown_later])
Meanwhile = Callable[[Anna, Callable[[], None]], Callable[[], None]]
What = Callable[[Anna], tuple[Callable[[], None], Callable[[], Entry], str]]


@pytest.mark.parametrize("what", [an_order, an_act, an_answer])
@meanwhile
def test_what_was_refused_meanwhile_and_is_done_once_all_is_known_is_told(anna: Anna, meanwhile: Meanwhile, what: What) -> None:
    refuse, write, told = what(anna)
    comes = meanwhile(anna, refuse)
    comes()
    is_answered(anna)
    anna.hears(write())
    assert told in anna.words()


@pytest.mark.parametrize("what", [an_order, an_act, an_answer])
@meanwhile
def test_what_was_done_before_it_was_refused_and_is_shown_only_then_is_no_lie(anna: Anna, meanwhile: Meanwhile, what: What) -> None:
    refuse, write, told = what(anna)
    comes = meanwhile(anna, refuse)
    write()
    comes()
    is_answered(anna)
    anna.comes_anew()
    assert told not in anna.words()


def test_what_comes_of_a_game_before_it_is_opened_again_is_not_all_of_it(anna: Anna) -> None:
    """It is from before it was asked for: the answer to that brings more."""
    refuse, write, told = an_order(anna)
    anna.games.follow(GAME)
    anna.hears(anna.log.act(Offer("draw"), "blue", "Boris"))
    refuse()
    is_answered(anna)
    write()
    opens(anna)
    assert told not in anna.words()


def test_an_order_that_is_done_and_then_refused_as_it_came_twice_is_done_when_the_game_comes_anew(anna: Anna) -> None:
    """A server that has too much to do refuses without looking whether it knows it."""
    refuse, write, told = an_order(anna)
    anna.hears(write())
    refuse()
    is_answered(anna)
    anna.comes_anew()
    assert told not in anna.words()


def test_an_order_given_anew_before_all_was_known_is_taken_back_by_nothing(anna: Anna) -> None:
    refuse, _, told = an_order(anna)
    comes = asked_for_again(anna, refuse)
    given = anna.gives()
    comes()
    is_answered(anna)
    anna.hears(anna.log.order(End(), given.signature))
    assert told not in anna.words()
