"""A host who plays writes down what others did not sign, or signed for another moment: their programs tell, and `verify` finds it."""

from __future__ import annotations

import random

import pytest

from client.connection.acts import signed
from core import protocol
from core.bots.random_bot import choose
from core.identity import (
    act_then_message,
    ahead_message,
    standing_message,
    undo_message,
    with_number,
)
from core.log import AnyAct, Consent, Fallback, Offer, Pause, Pending, Referee, Resign, Result, Rewind, Seat, Withdraw
from core.orders import name_of
from core.signed import CROSSED, fallback_signature
from core.table import SIDES_ARE_APART, VERSION
from core.table_rules import GONE_MS
from core.terms import DiceTerms, Terms
from core.text import text
from tests.server.hostile import BORIS_STRIKES, at_a_strike, owned, pause, words
from tests.toy.ruleset import End
from tests.toy.witnessed import WAIT_MS, key_of, seated
from tests.toy.witnessed import Host as Keeper


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.connection.witness.LINKS", 1000)
    monkeypatch.setattr("server.witness.LATE_S", 0.05)


def test_an_unsigned_order_a_seat_under_another_key_and_a_forged_choice_are_told() -> None:
    keeper, _ = at_a_strike()
    boris = keeper.programs["Boris"]
    keeper.act(Seat("blue", ""), player="Boris", signature=key_of("Eve").sign(b"left, for no side"))
    keeper.act(Seat("blue", "Boris", key=key_of("Boris").key), side="blue", player="Boris")
    keeper.act(Resign("blue"), side="blue", player="Boris", signature=key_of("Eve").sign(b"resign"))
    keeper.others[key_of("Eve").key] = key_of("Eve")
    keeper.act(Seat("blue", "Boris", key=key_of("Eve").key), side="blue", player="Boris")
    choice = Fallback("Boris", 1, "unwitnessed", bytes(32))
    signature = fallback_signature(keeper.match.witnesses, key_of("Eve").sign, "duel", choice, number=1)
    keeper.act(choice, side="red", player="Anna", signature=signature)
    assert words(boris) == [
        "the server wrote down what Boris did not sign: Seat", "the server wrote down what Boris did not sign: Resign",
        "the server seated somebody under your name with another key", "the server wrote down a choice that Anna did not sign",
        "the server wrote down that somebody was waited for: there was nothing to choose about link 1 of Boris",
        "the server wrote down that somebody was waited for: Boris had not had the agreed time to witness",
    ]


@pytest.mark.parametrize("act", [
    Offer("draw"), Pause(on=False), Seat("blue", ""),
], ids=["offered a draw", "let the game go on", "left his seat"])
def test_what_somebody_once_did_is_not_written_down_again_when_it_suits_the_host(act: AnyAct) -> None:
    keeper, _ = at_a_strike()
    boris, side = keeper.programs["Boris"], "blue"
    if isinstance(act, Pause):
        pause(keeper)
    once = keeper.act(act, side=side, player="Boris")
    match act:  # so that he could do it again
        case Offer():
            keeper.act(Withdraw(once.number), side=side, player="Boris")
        case Pause():
            pause(keeper)
        case _:
            keeper.act(Seat("blue", "Boris", key=key_of("Boris").key), side=side, player="Boris")
    assert words(boris) == []
    for _ in range(2):
        keeper.act(Referee(text("meanwhile")), player="Rita")
    assert words(boris) == []
    again = keeper.act(act, side=side, player="Boris", signature=once.signature)
    assert words(boris) == [f"the server wrote down what Boris did not sign: {type(act).__name__}"]
    assert (again.number, f"Boris did not sign this: {type(act).__name__}") in [(one.entry, one.text) for one in keeper.report().findings]


@pytest.mark.parametrize("version", [SIDES_ARE_APART - 1, VERSION])
def test_by_what_was_signed_to_leave_a_seat_nobody_lets_others_have_it(version: int) -> None:
    """A host refused it falsely the first time, had him leave again an order later, and wrote the first one down behind the second."""
    keeper = seated(table=version)
    leaves = Seat("blue", "")
    keeper.order(End())
    first = key_of("Boris").sign(act_then_message("duel", keeper.match.log.last_hash, "blue", leaves))
    keeper.order(End())
    keeper.act(leaves, side="blue", player="Boris")
    assert keeper.match.table.chairs["blue", ""].kept_for == "Boris"
    keeper.act(leaves, side="blue", player="Boris", signature=first)
    told, found = ["the server wrote down what Boris did not sign: Seat"], ["Boris did not sign this: Seat"]
    assert words(keeper.programs["Boris"]) == (told if version == VERSION else [])
    assert [finding.text for finding in keeper.report().findings] == (found if version == VERSION else [])


def test_who_left_his_seat_lets_others_have_it_by_what_he_signs_for_that() -> None:
    keeper = seated()
    keeper.order(End())
    keeper.leave("blue")
    assert keeper.match.table.chairs["blue", ""].kept_for == ""
    assert (words(keeper.programs["Boris"]), keeper.report().holds) == ([], True)


def test_who_plays_lets_others_have_a_seat_that_was_left_for_good_by_what_his_program_signs() -> None:
    keeper = seated(terms=Terms(owner="Anna", dice=DiceTerms("witnessed", WAIT_MS)))
    keeper.order(End())
    keeper.act(Seat("red", ""), side="red", player="Anna")
    keeper.now_ms += GONE_MS
    opens = Seat("red", "")
    asked = signed(protocol.DoAct("duel", "blue", "1", opens), keeper.programs["Boris"].match, "Boris", key_of("Boris").sign, {})
    keeper.act(opens, side="blue", player="Boris", signature=asked.signature)
    keeper.sit("red", "Clara")
    assert ([words(program) for program in keeper.programs.values()], keeper.report().findings) == ([[], [], []], ())


def test_an_act_that_others_crossed_holds_and_one_from_long_ago_does_not() -> None:
    for between, found in ((CROSSED - 1, []), (CROSSED, ["the server wrote down what Boris did not sign: Offer"])):
        keeper, _ = at_a_strike()
        signature = key_of("Boris").sign(act_then_message("duel", keeper.match.log.last_hash, "blue", Offer("draw")))
        for _ in range(between):
            keeper.act(Referee(text("meanwhile")), player="Rita")
        keeper.act(Offer("draw"), side="blue", player="Boris", signature=signature)
        assert words(keeper.programs["Boris"]) == found


@pytest.mark.parametrize(("decision", "upto", "is_his"), [
    ("Act", -1, True), ("Act", 2, True), ("Act", 1, False), ("Pay", -1, False), ("", -1, False),
], ids=["always", "up to this turn", "up to the last turn", "to another question", "as it was signed before"])
def test_an_answer_given_ahead_is_for_one_question_and_up_to_a_turn(decision: str, upto: int, is_his: bool) -> None:
    """A host who keeps what was taken back could else give Boris' answer wherever the same order is allowed."""
    keeper, rng = seated(), random.Random(1)
    while keeper.match.awaited() != ("Act", 2) or keeper.match.view.side_to_act() != "blue":
        keeper.order(choose(keeper.match.view, rng))
    order = next(one for one in (choose(keeper.match.view, random.Random(seed)) for seed in range(500)) if name_of(one) != "strike")
    began, data = keeper.match.hash_of(0), keeper.match.codec.encode(order)
    message = ahead_message("duel", began, "blue", decision, upto, data) if decision else standing_message("duel", began, "blue", data)
    signature = key_of("Boris").sign(message)
    found = keeper.match.propose("blue", order, player="Boris", signature=with_number(signature, upto) if decision else signature)
    assert not isinstance(found, Pending)
    keeper.match.accept(*found)
    keeper.tell(found[0])
    assert words(keeper.programs["Boris"]) == ([] if is_his else ["the server wrote down an order that Boris did not sign"])
    assert [one.text for one in keeper.report().findings] == ([] if is_his else ["the order is not signed by the key of Boris"])


def kept_back(version: int, what: str) -> Keeper:
    """Return a game in which the host wrote down what Boris did at a strike only when its dice were known."""
    keeper = seated(table=version)
    order = keeper.strike(random.Random(BORIS_STRIKES if what == "draw" else 1))  # his own offer stands while he plays on
    offered = keeper.act(Offer("draw"), side="red", player="Anna").number if what == "yes" else -1
    act = {"draw": Offer("draw"), "rewind": Offer("rewind", 0), "yes": Consent(offered, True), "left": Seat("blue", ""),
           "resigned": Resign("blue")}[what]
    signature = key_of("Boris").sign(act_then_message("duel", keeper.match.log.last_hash, "blue", act))
    keeper.order(order)
    keeper.act(act, side="blue", player="Boris", signature=signature)
    return keeper


@pytest.mark.parametrize("what", ["draw", "rewind", "yes", "left", "resigned"])
def test_what_a_host_keeps_back_until_the_dice_are_known_holds_no_more(what: str) -> None:
    """Boris offers to go back, the host waits for the dice of her order, and accepts if they are bad."""
    keeper = kept_back(VERSION, what)
    kind = type(keeper.match.log.entries[-1].act).__name__
    assert words(keeper.programs["Boris"]) == [f"the server wrote down what Boris did not sign: {kind}"]
    assert f"Boris did not sign this: {kind}" in [finding.text for finding in keeper.report().findings]


@pytest.mark.parametrize("what", ["draw", "rewind", "left", "resigned"])
def test_in_a_game_from_before_what_was_signed_holds_also_after_an_order(what: str) -> None:
    keeper = kept_back(3, what)
    assert words(keeper.programs["Boris"]) == []
    assert keeper.report().holds


def free_undo(keeper: Keeper) -> tuple[str, str, int]:
    """Let whose turn it is move without dice; return his side, his name, and the entry that he may go back to."""
    match = keeper.match
    side, to = match.view.side_to_act(), match.log.head
    moves = (choose(match.view, random.Random(seed)) for seed in range(500))
    keeper.order(next(one for one in moves if name_of(one) == "go"))
    return side, keeper.holder(side), to


def test_a_way_back_that_its_player_signed_is_taken_and_a_forged_one_is_told_at_once() -> None:
    keeper, _ = at_a_strike()
    side, name, to = free_undo(keeper)
    log, boris = keeper.match.log, keeper.programs["Boris"]
    keeper.act(Rewind(to), side=side, player=name, signature=key_of(name).sign(
        undo_message("duel", side, log.moved_at, log.entries[log.moved_at].hash, to)
    ))
    assert words(boris) == []
    side, name, to = free_undo(keeper)
    keeper.act(Rewind(to), side=side, player=name, signature=key_of("Eve").sign(b"back"))
    assert words(boris) == [f"the server wrote down that {name} went back to entry {to}, who did not sign it"]


def test_going_back_over_dice_that_nobody_agreed_to_is_told_at_once() -> None:
    keeper, order = at_a_strike()
    to, side = keeper.match.log.head, keeper.match.view.side_to_act()
    keeper.order(order)
    keeper.act(Rewind(to), side=side, player=keeper.holder(side))
    assert words(keeper.programs["Boris"]) == [f"the server went back to entry {to}, and nobody was asked"]


def test_what_a_games_owner_decides_is_signed_by_him() -> None:
    """Boris made the game on Anna's server; when its dice displease her, "Boris" ends it."""
    keeper = owned("Boris")
    keeper.order(keeper.strike(random.Random(1)))
    keeper.act(Seat("red", ""), side="red", player="Anna")
    keeper.now_ms += GONE_MS
    keeper.act(Seat("red", ""), player="Boris")
    keeper.now_ms += GONE_MS
    assert words(keeper.programs["Boris"]) == []
    keeper.act(Result("", "enough"), player="Boris", signature=bytes(64))
    assert words(keeper.programs["Boris"]) == ["the server wrote down what Boris did not sign: Result"]
    assert "Boris did not sign this: Result" in [finding.text for finding in keeper.report().findings]


@pytest.mark.parametrize("lets", [False, True], ids=["keeps her seat", "lets others have it"])
def test_who_has_played_is_no_referee_of_the_game(lets: bool) -> None:
    keeper = owned("Boris")
    entry = keeper.order(keeper.strike(random.Random(1)))
    for _ in range(1 + lets):
        keeper.act(Seat("red", ""), side="red", player="Anna")
    assert words(keeper.programs["Boris"]) == []
    to = keeper.match.log.entries[entry.number].parent
    keeper.act(Rewind(to), player="Anna")
    assert words(keeper.programs["Boris"]) == [f"the server went back to entry {to}, and nobody was asked"]
    keeper.act(Result("red", "it was late"), player="Anna")
    words_of_rules = "the server wrote down what Anna could not do: only a referee may end the game with a result"
    assert words(keeper.programs["Boris"])[1:] == [words_of_rules]
    assert [finding.kind for finding in keeper.report().findings] == ["table", "table"]


def test_what_the_rules_of_the_table_refuse_is_told() -> None:
    keeper = owned("Boris")
    keeper.order(keeper.strike(random.Random(1)))
    keeper.act(Offer("rewind", keeper.match.log.head), side="red", player="Anna")
    told = f"the server wrote down what Anna could not do: the game stands at entry {keeper.match.log.head}"
    assert words(keeper.programs["Boris"]) == [told]
