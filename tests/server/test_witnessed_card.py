"""What the window asks while links of several players stay away, and what it says of whose the dice are without one of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from client.connection.notes import Answered
from client.session.questions import Question, questions
from client.session.remote import RemoteMatch
from core import protocol
from core.log import ChainPublished, Fallback
from core.match import Match
from core.table import LEADERS_WITNESS
from core.terms import SeatTerms
from tests.server.conftest import Host, Player
from tests.server.random_table import begun_as
from tests.server.witnessed import _short, a_strike, acts, both, enter

__all__ = ["_short"]
NewPlayer = Callable[..., Player]
SEATS = (SeatTerms("red"), SeatTerms("red", "second"), SeatTerms("blue"), SeatTerms("blue", "second"))


def known(one: Player) -> Match:
    match = one.games.match("w")
    assert match is not None
    return match


def table_of(player: NewPlayer, **further: str) -> dict[str, Player]:
    """Seat Anna and Boris at the first seats and *further* players, by name, at the second ones."""
    players, matches = both(player, wait_ms=0, seats=SEATS)
    for name, side in further.items():
        players[name] = player(name)
        matches[name] = enter(players[name])
        players[name].games.send(protocol.TakeSeat("w", side, "second"))
    for name, one in players.items():
        one.until(lambda match=matches[name]: acts(match, ChainPublished) == 2 + len(further))  # type: ignore[misc]
    return players


def strikes(players: dict[str, Player], *, silent: tuple[str, ...]) -> tuple[RemoteMatch, str]:
    """Let Anna strike while the links of some stay away, and all are named late for it; return what her window has, and the order's id."""
    for name in silent:
        players[name].games.close()
    anna = players["Anna"]
    match = known(anna)
    order_id = anna.games.give("w", "red", a_strike(match))
    anna.until(lambda: match.witnesses.late_for(1) == set(silent))
    return RemoteMatch(anna.games, "w", "Anna"), order_id


def card(window: RemoteMatch, name: str) -> Question:
    return next(question for question in questions(window) if question.kind == "dice" and question.about == name)


@pytest.mark.parametrize(("further", "silent", "whose"), [
    ({}, ("Boris",), "without his link the dice are the server's and yours alone,"),
    ({"Carla": "red", "Dora": "blue"}, ("Boris",), "without his link the dice are the server's and yours alone,"),  # who lead no side
])
def test_whose_the_dice_are_without_a_link_is_said_as_it_is(
    host: Host, player: NewPlayer, further: dict[str, str], silent: tuple[str, ...], whose: str
) -> None:
    window, _ = strikes(table_of(player, **further), silent=silent)
    assert whose in str(card(window, silent[0]).words)


def test_who_witnesses_no_dice_is_not_told_that_they_are_his(host: Host, player: NewPlayer) -> None:
    players = table_of(player, Dora="blue")
    window, _ = strikes(players, silent=("Boris",))
    looker = RemoteMatch(players["Dora"].games, "w", "Dora")
    looker_known = known(players["Dora"])
    players["Dora"].until(lambda: looker_known.witnesses.late_for(1) == {"Boris"})
    assert looker.throwing_without("Boris") == ("Anna",)
    assert window.throwing_without("Anna") == ("Boris",)


def test_of_two_whose_links_stay_away_one_after_the_other_is_gone_without(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In games from before, where others witness beside who leads a side."""
    begun_as(monkeypatch, LEADERS_WITNESS - 1)
    players = table_of(player, Dora="blue")
    anna = players["Anna"]
    window, order_id = strikes(players, silent=("Boris", "Dora"))
    assert "without his link the dice are those of the server, Dora and you," in str(card(window, "Boris").words)

    def may_be_gone_without() -> list[str]:
        return [one.about for one in questions(RemoteMatch(anna.games, "w", "Anna")) if one.replies]

    assert may_be_gone_without() == ["Boris"]
    for number, (name, rest) in enumerate((("Boris", ["Dora"]), ("Dora", [])), start=1):
        window.choose(name, "unwitnessed")
        anna.until(lambda number=number: acts(known(anna), Fallback) == number)  # type: ignore[misc]
        assert may_be_gone_without() == rest
    answer = anna.wait(lambda note: isinstance(note, Answered) and note.order_id == order_id)
    assert isinstance(answer, Answered)
    assert answer.refused is None
