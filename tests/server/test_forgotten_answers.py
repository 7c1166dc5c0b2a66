"""Answers given ahead that are taken back, given again, or dropped: which of them may be used hangs on what was asked for last.

A line that is cut, or a pause, comes between any two of them.
"""

from __future__ import annotations

import pytest

from client.connection import table
from client.connection.games import ASKED_SINCE
from client.connection.line import Down, Up
from client.connection.notes import Answered
from client.connection.taken_back import WRITTEN
from core import protocol
from core.text import text
from tests.server.test_half_way import is_answered
from tests.server.test_refused_meanwhile import opens
from tests.server.test_taken_back import Anna, anna, log, used
from tests.server.test_watched import GAME, some
from tests.toy.ruleset import End

__all__ = ["anna", "log"]  # fixtures
PAUSED = "the game is paused"


def asks_ahead(anna: Anna) -> protocol.AnswerAhead:
    """Answer the decision that the game waits for; the server says nothing yet."""
    table.answer_ahead(anna.games, GAME, "red", anna.log.match.awaited()[0], End())
    frame = anna.sent()
    assert isinstance(frame, protocol.AnswerAhead)
    return frame


def asks_back(anna: Anna) -> protocol.Revoke:
    table.revoke(anna.games, GAME, "red", anna.log.match.awaited()[0])
    frame = anna.sent()
    assert isinstance(frame, protocol.Revoke)
    return frame


def is_accepted(anna: Anna, frame: protocol.AnswerAhead | protocol.Revoke) -> None:
    anna.games.happen(protocol.Accepted(GAME, frame.order_id, -1))


def test_an_answer_given_again_before_it_was_taken_back_may_be_used_before_that_is_told(anna: Anna) -> None:
    """Over a line that was cut the game is caught up with first, and then what was asked for."""
    answer = anna.answers()
    taken_back = asks_back(anna)
    asks_ahead(anna)
    is_accepted(anna, taken_back)
    anna.hears(used(anna.log, answer))
    assert anna.words() == []


@pytest.mark.parametrize(("answered", "told"), [(False, []), (True, [WRITTEN])])
def test_an_answer_refused_once_and_asked_for_twice_is_taken_back_when_it_was_refused_twice(
    anna: Anna, answered: bool, told: list[str]
) -> None:
    first, again = asks_ahead(anna), asks_ahead(anna)
    anna.is_refused(first.order_id, PAUSED)
    if answered:
        anna.is_refused(again.order_id, PAUSED)
    anna.hears(used(anna.log, first))
    assert anna.words() == told


def comes_up_again(anna: Anna) -> list[protocol.Frame]:
    """Her line is cut and up again; return what is asked about answers then."""
    anna.games.happen(Down("closed the line", 0.0))
    anna.games.happen(Up("Anna", "player", "", False, 0))
    opens(anna)
    return [frame for frame in anna.games.line.out if isinstance(frame, protocol.AnswerAhead | protocol.Revoke)]  # type: ignore[union-attr]


def test_of_what_was_asked_about_an_answer_only_the_last_is_asked_again(anna: Anna) -> None:
    """One that a pause had kept out was kept at last, and stayed so: that it was taken back had been done before."""
    first, taken_back = asks_ahead(anna), asks_back(anna)
    assert comes_up_again(anna) == [taken_back]
    assert Answered(GAME, first.order_id, "", ASKED_SINCE) in anna.notes
    is_accepted(anna, taken_back)
    anna.hears(used(anna.log, first))
    assert anna.words() == [WRITTEN]


def test_what_was_given_up_for_another_answer_is_used_no_more(anna: Anna) -> None:
    first = asks_ahead(anna)
    table.answer_ahead(anna.games, GAME, "red", anna.log.match.awaited()[0], some(anna.log, "strike"))
    other = anna.sent()
    assert comes_up_again(anna) == [other]
    assert isinstance(other, protocol.AnswerAhead)
    is_accepted(anna, other)
    anna.hears(used(anna.log, first))
    assert anna.words() == [WRITTEN]


def test_an_answer_given_twice_and_asked_for_again_once_may_be_kept_though_that_is_refused(anna: Anna) -> None:
    """The first was kept over the line that was cut; then the game was paused."""
    asks_ahead(anna)
    again = asks_ahead(anna)
    assert comes_up_again(anna) == [again]
    anna.is_refused(again.order_id, PAUSED)
    anna.hears(used(anna.log, again))
    assert anna.words() == []


def tells_kept(anna: Anna, *answers: protocol.AnswerAhead, dropped: bool = False) -> None:
    kept = tuple(protocol.KeptAnswer(one.decision, "Anna", one.order, one.turn) for one in answers)
    anna.games.happen(protocol.Answers(GAME, "red", kept, text("it could not be used") if dropped else None))


@pytest.mark.parametrize(("dropped", "known", "told"), [(True, True, [WRITTEN]), (True, False, []), (False, True, [])])
def test_an_answer_that_the_server_says_it_has_dropped_is_used_no_more(anna: Anna, dropped: bool, known: bool, told: list[str]) -> None:
    """It was used before, perhaps, and that is on its way."""
    answer = anna.answers()
    tells_kept(anna, *([] if dropped else [answer]), dropped=dropped)
    if known:
        is_answered(anna)
    anna.hears(used(anna.log, answer))
    assert anna.words() == told


def test_what_is_kept_for_another_side_tells_of_no_answer_of_ours(anna: Anna) -> None:
    answer = anna.answers()
    anna.games.happen(protocol.Answers(GAME, "blue", ()))
    is_answered(anna)
    anna.hears(used(anna.log, answer))
    assert anna.words() == []


def test_an_answer_dropped_and_given_again_is_used(anna: Anna) -> None:
    anna.answers()
    tells_kept(anna, dropped=True)
    is_answered(anna)
    anna.hears(used(anna.log, anna.answers()))
    assert anna.words() == []
