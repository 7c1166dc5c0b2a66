"""Answers given ahead: used when their decision comes up, dropped when they can't be, and nobody else's business."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from client.connection import table
from client.connection.games import Up
from client.connection.notes import Answered, Foul, Grown, Trouble
from core import gamefile, protocol
from core.bots.random_bot import choose
from core.identity import ahead_message, order_message, standing_message
from core.log import Consent, Offer, Pause, Resign, Seat
from core.match import Match
from core.orders import Order
from core.terms import SeatTerms, Terms
from core.trials.verify import verify
from tests.server.conftest import Host, Player, of, toy
from tests.server.tables import GAME, answer_to, do, duel, follow, last, order, until
from tests.server.test_table import go
from tests.toy.ruleset import End

NewPlayer = Callable[..., Player]


def ahead(one: Player, side: str, decision: str, wanted: Order, *, turn: int = table.ANY_TURN) -> str:
    """Give an answer ahead; return why it was refused, or nothing."""
    answer = answer_to(one, table.answer_ahead(one.games, GAME, side, decision, wanted, turn=turn))
    return "" if answer.refused is None else str(answer.refused)


def answers(one: Player, side: str) -> protocol.Answers:
    one.games.send(protocol.ListAnswers(GAME, side))
    kept = one.wait(lambda note: isinstance(note, protocol.Answers))
    assert isinstance(kept, protocol.Answers)
    return kept


def test_an_answer_is_given_when_its_decision_comes_up_and_is_an_ordinary_entry(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    match, _ = duel(anna, boris)
    assert ahead(boris, "blue", "Act", End()) == ""
    assert order(anna, "red", End()) == ""
    until(anna, lambda known: known.view.side_to_act() == "red" and known.view.position.turn == 2)
    entry = match.log.entries[-1]
    assert (entry.side, entry.player, match.codec.decode(entry.order)) == ("blue", "Boris", End())
    assert entry.signature


def test_it_goes_on_answering_until_it_is_revoked(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    ahead(boris, "blue", "Act", End())
    for turn in (2, 3):
        order(anna, "red", End())
        until(anna, lambda known, turn=turn: known.view.position.turn == turn and known.view.side_to_act() == "red")
    assert answer_to(boris, table.revoke(boris.games, GAME, "blue", "Act")).refused is None
    assert answers(boris, "blue").answers == ()
    order(anna, "red", End())
    until(boris, lambda known: known.view.side_to_act() == "blue")


def test_what_comes_twice_neither_brings_back_an_answer_nor_takes_a_new_one_away(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    match, _ = duel(anna, boris)
    data = match.codec.encode(End())
    signature = boris.games.sign(ahead_message(GAME, match.log.entries[0].hash, "blue", "Act", 9, data))
    given = [protocol.AnswerAhead(GAME, "blue", f"given-{number}", "Act", data, 9, signature) for number in (1, 2)]
    taken_back = protocol.Revoke(GAME, "blue", "taken-back", "Act")
    for frame, kept in ((given[0], 1), (taken_back, 0), (given[0], 0), (given[1], 1), (taken_back, 1)):
        boris.games.ask(frame)
        assert answer_to(boris, frame.order_id).refused is None
        boris.wait(lambda note: isinstance(note, protocol.Answers))
        assert len(answers(boris, "blue").answers) == kept, frame


def test_who_only_looks_on_from_his_seat_takes_back_nobodys_answer(player: NewPlayer) -> None:
    anna, boris, dora = player("Anna"), player("Boris"), player("Dora")
    duel(anna, boris, Terms(seats=(SeatTerms("red"), SeatTerms("blue"), SeatTerms("blue", "staff", ()))))
    follow(dora)
    assert do(dora, "blue", Seat("blue", "Dora", "staff")) == ""
    assert ahead(boris, "blue", "Act", End()) == ""
    refused = answer_to(dora, table.revoke(dora.games, GAME, "blue", "Act")).refused
    assert str(refused) == "only Boris, or a seat without limit, takes that answer back"
    assert len(answers(boris, "blue").answers) == 1


def test_what_was_taken_back_stays_so_when_it_comes_again_after_a_restart(host: Host, player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    match, _ = duel(anna, boris)
    data = match.codec.encode(End())
    signature = boris.games.sign(ahead_message(GAME, match.log.entries[0].hash, "blue", "Act", 9, data))
    given = protocol.AnswerAhead(GAME, "blue", "given", "Act", data, 9, signature)
    taken_back = protocol.Revoke(GAME, "blue", "taken-back", "Act")
    for frame in (given, taken_back):
        boris.games.ask(frame)
        assert answer_to(boris, frame.order_id).refused is None
    host.stop()
    host.start(host.address)
    boris.wait(lambda note: isinstance(note, Up))
    boris.games.ask(given)
    assert answer_to(boris, "given").refused is None
    assert answers(boris, "blue").answers == ()


def test_what_is_kept_already_is_refused_no_more_when_it_comes_again(player: NewPlayer) -> None:
    """Its program would take it for taken back, where the first answer was lost."""
    anna, boris = player("Anna"), player("Boris")
    match, _ = duel(anna, boris)
    data = match.codec.encode(End())
    signature = boris.games.sign(ahead_message(GAME, match.log.entries[0].hash, "blue", "Act", 9, data))
    given = protocol.AnswerAhead(GAME, "blue", "given", "Act", data, 9, signature)
    for happens in (lambda: None, lambda: do(anna, "red", Resign("red"))):
        happens()
        boris.games.ask(given)
        assert answer_to(boris, "given").refused is None


def test_an_answer_for_this_turn_is_not_given_in_the_next(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    match, _ = duel(anna, boris)
    ahead(boris, "blue", "Act", End(), turn=1)
    order(anna, "red", End())
    until(anna, lambda known: known.view.position.turn == 2)
    order(anna, "red", End())
    dropped = boris.wait(lambda note: isinstance(note, protocol.Answers) and note.dropped is not None)
    assert isinstance(dropped, protocol.Answers)
    assert "was for turn 1" in str(dropped.dropped)
    assert match.view.side_to_act() == "blue"


def test_an_answer_that_is_not_allowed_any_more_is_dropped_and_its_side_is_told(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    match = boris.games.match(GAME)
    assert match is not None
    wanted = go(match, 3)
    assert ahead(boris, "blue", "Act", wanted) == ""
    order(anna, "red", End())
    dropped = boris.wait(lambda note: isinstance(note, protocol.Answers) and note.dropped is not None)
    assert isinstance(dropped, protocol.Answers)
    assert "could not be used" in str(dropped.dropped)
    assert dropped.answers == ()
    until(boris, lambda known: known.log.entries[-1].side == "blue")  # it was used once, then the pawn had acted


def test_what_an_answer_led_to_is_told_before_it_is_told_to_be_dropped(player: NewPlayer) -> None:
    """Who was told so first took it for used after it was dropped."""
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    match = boris.games.match(GAME)
    assert match is not None
    assert ahead(boris, "blue", "Act", go(match, 3)) == ""
    assert order(anna, "red", End()) == ""
    boris.until(lambda: any(isinstance(note, protocol.Answers) and note.dropped is not None for note in boris.notes))
    told = [note for note in boris.notes if isinstance(note, protocol.Answers | Grown)]
    used = next(number for number, note in enumerate(told) if isinstance(note, Grown) and note.entries[-1].side == "blue")
    behind = told[used + 1]
    assert isinstance(behind, protocol.Answers)
    assert behind.dropped is not None
    assert not any(isinstance(note, Foul) for note in boris.notes)


def test_who_takes_back_what_his_answer_did_decides_anew(player: NewPlayer) -> None:
    """It was done again in the same moment: his going back did nothing."""
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    match = boris.games.match(GAME)
    assert match is not None
    assert ahead(boris, "blue", "Act", End()) == ""
    assert order(anna, "red", End()) == ""
    until(boris, lambda known: known.view.position.turn == 2)
    before = match.log.entries[match.log.head].parent
    boris.games.send(protocol.AskRewind(GAME, "blue", before))
    dropped = boris.wait(lambda note: isinstance(note, protocol.Answers) and note.dropped is not None)
    assert isinstance(dropped, protocol.Answers)
    assert "went back over" in str(dropped.dropped)
    assert dropped.answers == ()
    assert (match.log.head, match.view.side_to_act()) == (before, "blue")
    assert not any(isinstance(note, Foul) for note in boris.notes)


def test_an_answer_is_kept_over_a_restart_of_the_server(host: Host, player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    ahead(boris, "blue", "Act", End())
    boris.games.close()
    host.stop()
    host.start(host.address)
    assert order(anna, "red", End()) == ""
    until(anna, lambda known: known.view.position.turn == 2)
    assert last(anna).player == "Boris"


def test_an_answer_to_a_decision_that_is_open_already_is_given_at_once(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    assert ahead(anna, "red", "Act", End()) == ""
    until(boris, lambda known: known.view.side_to_act() == "blue")
    assert (last(boris).side, last(boris).player) == ("red", "Anna")


def test_who_is_made_a_spectator_while_he_plays_orders_nothing_by_answers_either(player: NewPlayer) -> None:
    """Where he was refused an order he gave it by an answer to the decision that was open."""
    anna, boris, owner = player("Anna"), player("Boris"), player("Owner")
    duel(anna, boris)
    assert ahead(boris, "blue", "Act", End()) == ""
    owner.wait(lambda note: isinstance(note, Up))
    for name in ("Anna", "Boris"):
        owner.games.send(protocol.GiveRole(name, protocol.SPECTATOR))
        owner.wait(lambda note: isinstance(note, protocol.Status))
    for refused in (order(anna, "red", End()), ahead(anna, "red", "Act", End()), ahead(boris, "blue", "Act", End())):
        assert "you are a spectator" in refused
    assert last(anna).order == b""
    assert answer_to(boris, table.revoke(boris.games, GAME, "blue", "Act")).refused is None


def test_in_a_pause_an_answer_waits(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    ahead(boris, "blue", "Act", End())
    do(anna, "red", Offer("pause"))
    until(boris, lambda known: bool(known.table.offers))
    match = boris.games.match(GAME)
    assert match is not None
    do(boris, "blue", Consent(next(iter(match.table.offers)), yes=True))
    assert "paused" in order(anna, "red", End())
    assert [kept.decision for kept in answers(boris, "blue").answers] == ["Act"]
    do(boris, "blue", Pause(on=False))
    order(anna, "red", End())
    until(anna, lambda known: known.view.position.turn == 2)


def test_nobody_but_the_side_learns_of_its_answers(player: NewPlayer) -> None:
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    duel(anna, boris)
    follow(carla)
    anna.notes.clear()
    ahead(boris, "blue", "Act", End())
    for other in (anna, carla):
        other.games.send(protocol.ListAnswers(GAME, "blue"))
        refused = other.wait(lambda note: isinstance(note, Answered))
        assert isinstance(refused, Answered)
        assert "only who sits at blue" in str(refused.refused)
        assert not any(isinstance(note, protocol.Answers) for note in other.notes)
    assert "held by Boris" in ahead(anna, "blue", "Act", End())


@pytest.mark.parametrize(("decision", "wanted", "where"), [("Dream", End(), "decision"), ("Pay", End(), "order")])
def test_answers_to_what_is_never_asked_are_told(decision: str, wanted: Order, where: str, player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    table.answer_ahead(boris.games, GAME, "blue", decision, wanted)
    trouble = boris.wait(lambda note: isinstance(note, Trouble))
    assert isinstance(trouble, Trouble)
    assert trouble.fault is not None
    assert trouble.fault.where == where


def test_an_answer_that_its_player_did_not_sign_for_this_game_is_refused(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    match, _ = duel(anna, boris)
    data, key = match.codec.encode(End()), of("Boris")
    began = match.log.entries[0].hash
    for number, message in enumerate((
        ahead_message("another game", began, "blue", "Act", -1, data),
        ahead_message(GAME, bytes(32), "blue", "Act", -1, data),
        ahead_message(GAME, began, "red", "Act", -1, data),
        ahead_message(GAME, began, "blue", "Pay", -1, data),
        ahead_message(GAME, began, "blue", "Act", 9, data),
        standing_message(GAME, began, "blue", data),
        order_message(GAME, "blue", match.log.moved_at, began, data),
    )):
        frame = protocol.AnswerAhead(GAME, "blue", f"forged-{number}", "Act", data, -1, key.sign(message))
        boris.games.send(frame)
        assert "not signed" in str(answer_to(boris, frame.order_id).refused), number


def test_a_game_with_answers_given_ahead_verifies_from_its_file(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    match, _ = duel(anna, boris)
    ahead(boris, "blue", "Act", End())
    _play_red(anna, match)
    found = verify(gamefile.read(anna.games.file(GAME)), load=toy)
    assert found.findings == ()


def _play_red(anna: Player, match: Match) -> None:
    rng = random.Random(1)
    while match.view.position.outcome is None:
        if match.view.side_to_act() == "red":
            assert order(anna, "red", choose(match.view, rng)) == ""
        else:
            until(anna, lambda known: known.view.side_to_act() != "blue" or type(known.view.decision()).__name__ == "Pay")
            if match.view.side_to_act() == "blue":
                return  # a strike: no answer was given to that
