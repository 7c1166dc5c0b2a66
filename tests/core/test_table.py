"""The table: offers, resigning, referees and owners; what is allowed, what is refused and why."""

from __future__ import annotations

import random
from typing import get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import gamefile
from core import log as log_module
from core.bots.random_bot import choose
from core.errors import BadInput, Refused
from core.log import (
    ROOT,
    Admit,
    AnyAct,
    Away,
    ChainPublished,
    Consent,
    Fallback,
    Flag,
    Late,
    Log,
    Offer,
    Pause,
    Pending,
    Referee,
    Resign,
    Result,
    Rewind,
    Seat,
    TakenOver,
    Withdraw,
)
from core.match import Match
from core.options import options
from core.table import LEADERS_WITNESS, SIDES_ARE_APART, VERSION, Table, lost_by, waited_since
from core.table_rules import GONE_MS, Who, checked_acts
from core.terms import ClockTerms, SeatTerms, SpectatorTerms, Terms
from core.text import text
from core.views import View
from tests.toy.ruleset import RULESET, End, toy_files
from tests.toy.table import OWNED, ToyTable, duel, go

KEEPER = Who(keeper=True)


def test_every_act_that_somebody_may_ask_for_has_its_check():
    of_others = {ChainPublished, Late, Fallback, TakenOver}  # the dice's own frames check them
    assert checked_acts() == set(get_args(AnyAct)) - of_others


# ---------------------------------------------------------------- offers


def test_a_rewind_that_the_other_side_agrees_to_is_carried_out_at_once():
    toy = duel()
    toy.order("Anna", End())
    toy.order("Boris", End())
    offer = toy.do("Boris", "blue", Offer("rewind", 0))
    assert lost_by(toy.match.log, 0).orders == {"red": 1, "blue": 1}
    toy.do("Anna", "red", Consent(offer.number, yes=True))
    assert toy.match.log.head == 0
    assert not toy.match.table.offers


def test_a_no_leaves_the_game_where_it_is_and_closes_the_offer():
    toy = duel()
    toy.order("Anna", End())
    offer = toy.do("Anna", "red", Offer("rewind", 0))
    head = toy.match.log.head
    toy.do("Boris", "blue", Consent(offer.number, yes=False))
    assert toy.match.log.head == head
    with pytest.raises(Refused, match="no open offer"):
        toy.do("Boris", "blue", Consent(offer.number, yes=True))


def test_an_offer_is_withdrawn_by_the_side_that_made_it_only():
    toy = duel()
    offer = toy.do("Anna", "red", Offer("draw"))
    with pytest.raises(Refused, match="no open offer of blue"):
        toy.do("Boris", "blue", Withdraw(offer.number))
    toy.do("Anna", "red", Withdraw(offer.number))
    with pytest.raises(Refused, match="no open offer"):
        toy.do("Boris", "blue", Consent(offer.number, yes=True))


def test_an_offered_rewind_is_gone_when_the_game_goes_on():
    toy = duel()
    toy.order("Anna", go(toy, 0))
    offer = toy.do("Anna", "red", Offer("rewind", 0))
    toy.order("Anna", go(toy, 1))
    with pytest.raises(Refused, match="no open offer"):
        toy.do("Boris", "blue", Consent(offer.number, yes=True))


def test_an_offered_draw_stands_while_the_side_that_offered_plays_and_is_gone_when_the_other_does():
    toy = duel()
    offer = toy.do("Anna", "red", Offer("draw"))
    toy.order("Anna", End())
    assert offer.number in toy.match.table.offers
    toy.order("Boris", End())
    assert not toy.match.table.offers


def test_a_draw_that_was_offered_is_gone_when_the_rules_end_the_game():
    """Who had lost by the last order of the side that once offered a draw accepted that offer, and had a draw."""
    toy = duel()
    while (toy.match.view.position.turn, toy.match.view.side_to_act()) != (3, "blue"):
        toy.order({"red": "Anna", "blue": "Boris"}[toy.match.view.side_to_act()], End())
    offer = toy.do("Boris", "blue", Offer("draw"))
    toy.order("Boris", End())
    ended = toy.match.outcome
    assert ended is not None
    with pytest.raises(Refused, match="no open offer"):
        toy.do("Anna", "red", Consent(offer.number, yes=True))
    assert toy.match.outcome == ended


def test_a_pause_that_was_offered_is_gone_when_a_referee_pauses_the_game():
    toy = duel()
    offer = toy.do("Anna", "red", Offer("pause"))
    toy.do("Rita", "", Pause(on=True))
    with pytest.raises(Refused, match="no open offer"):
        toy.do("Boris", "blue", Consent(offer.number, yes=True))


def waits_for_dice(seed: int) -> ToyTable | None:
    """Return a game in which an order of Anna's waits for its dice, None if this seed leads to none."""
    toy, rng = duel(), random.Random(seed)
    while toy.match.view.side_to_act() == "red":
        found = toy.match.propose("red", choose(toy.match.view, rng), player="Anna")
        if isinstance(found, Pending):
            toy.match.hold(found)
            return toy
        toy.match.accept(*found)
    return None


def test_a_draw_is_not_accepted_while_an_order_waits_for_its_dice():
    """A host who plays may know them: he took the draw where they displeased him."""
    toy = next(found for seed in range(100) if (found := waits_for_dice(seed)) is not None)
    offer = toy.do("Anna", "red", Offer("draw"))
    with pytest.raises(Refused, match="wait for its result"):
        toy.do("Boris", "blue", Consent(offer.number, True))
    toy.match.accept(*toy.keeper.finish())
    toy.do("Boris", "blue", Consent(offer.number, True))
    assert toy.match.table.ended is not None


def test_a_draw_that_was_agreed_ends_the_game_and_orders_after_it_are_refused_with_the_reason():
    toy = duel()
    offer = toy.do("Anna", "red", Offer("draw"))
    toy.do("Boris", "blue", Consent(offer.number, yes=True))
    assert toy.match.outcome is not None
    assert (toy.match.outcome.winner, toy.match.outcome.result) == ("", "a draw was agreed")
    with pytest.raises(Refused, match="the game is over: a draw was agreed"):
        toy.order("Anna", End())


def test_nobody_answers_his_own_offer_from_a_second_seat():
    toy = ToyTable(Terms(seats=(SeatTerms("red"), SeatTerms("blue"), SeatTerms("blue", "two"))), version=LEADERS_WITNESS)
    toy.sit(red="Anna", blue="Boris")
    toy.do("Boris", "blue", Seat("blue", ""))
    toy.do("Anna", "blue", Seat("blue", "Anna", "two"))
    toy.sit(blue="Boris")
    offer = toy.do("Anna", "red", Offer("draw"))
    with pytest.raises(Refused, match="his own offer"):
        toy.do("Anna", "blue", Consent(offer.number, yes=True))


@pytest.mark.parametrize(("terms", "version", "is_free"), [
    (Terms(clock=ClockTerms("absolute", 600_000)), VERSION, False), (Terms(), VERSION, True),
    (Terms(clock=ClockTerms("absolute", 600_000)), SIDES_ARE_APART - 1, True),
])
def test_nobody_takes_his_turns_end_back_unasked_while_anothers_clock_runs(terms: Terms, version: int, is_free: bool):
    """She thought as his time ran, went back before he had ordered, ended her turn again, and so on: half his hour was gone."""
    toy = ToyTable(terms, version=version).sit(red="Anna", blue="Boris")
    toy.order("Anna", End())
    toy.now += 60_000
    if is_free:
        toy.do("Anna", "red", Rewind(0))
        return
    with pytest.raises(Refused, match="the others must agree to go back to entry 0"):
        toy.do("Anna", "red", Rewind(0))


def test_what_a_side_did_in_its_own_turn_is_taken_back_unasked_where_clocks_run():
    toy = ToyTable(Terms(clock=ClockTerms("absolute", 600_000))).sit(red="Anna", blue="Boris")
    before = toy.match.log.head
    moved = toy.order("Anna", go(toy, 0))
    toy.do("Anna", "red", Rewind(before))
    toy.do("Anna", "red", Rewind(moved.number))


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (Offer("rewind", 99), "no position"),
        (Offer("rewind", 1), "no position"),  # a table act
        (Offer("rewind", 0), "stands at entry 0"),
        (Offer("pause"), None),
    ],
)
def test_offers_that_lead_nowhere_are_refused(act, words):
    toy = duel()
    if words is None:
        toy.do("Anna", "red", act)
        with pytest.raises(Refused, match="offered already"):
            toy.do("Anna", "red", act)
    else:
        with pytest.raises(Refused, match=words):
            toy.do("Anna", "red", act)


def test_what_nobody_could_answer_is_not_offered():
    toy = ToyTable().sit(red="Anna")
    with pytest.raises(Refused, match="nobody sits"):
        toy.do("Anna", "red", Offer("draw"))


def test_what_is_offered_is_one_of_three_things():
    with pytest.raises(BadInput, match="rewind or draw or pause"):
        duel().do("Anna", "red", Offer("marriage"))


# ---------------------------------------------------------------- the end


def test_a_side_that_resigns_loses_and_only_for_itself():
    toy = duel()
    with pytest.raises(Refused, match="can't resign for"):
        toy.do("Anna", "red", Resign("blue"))
    toy.do("Anna", "red", Resign("red"))
    assert toy.match.outcome is not None
    assert (toy.match.outcome.winner, toy.match.outcome.result) == ("blue", "red resigned")
    for act in (Resign("red"), Offer("draw"), Rewind(0)):
        with pytest.raises(Refused):
            toy.do("Anna", "red", act)


def test_a_game_that_was_resigned_at_the_moment_its_time_ran_out_ends_once_bugs_of_peers_30():
    toy = duel(Terms(clock=ClockTerms("absolute", 1000)))
    toy.now = 1000
    toy.do("Anna", "red", Resign("red"))
    with pytest.raises(Refused, match="over"):
        toy.perform(Flag("red"), KEEPER)
    other = duel(Terms(clock=ClockTerms("absolute", 1000)))
    other.now = 1000
    other.perform(Flag("red"), KEEPER)
    with pytest.raises(Refused, match="over"):
        other.do("Anna", "red", Resign("red"))
    assert toy.match.table.ended is not None
    assert other.match.table.ended is not None
    assert toy.match.table.ended.winner == other.match.table.ended.winner == "blue"


def test_everybody_leaves_and_comes_again_and_the_game_is_where_it_was_bugs_of_peers_30():
    toy = duel()
    toy.order("Anna", End())
    digest = toy.match.view.position.digest()
    for player, side in (("Anna", "red"), ("Boris", "blue")):
        toy.do(player, side, Seat(side, ""))
    assert not toy.match.table.players()
    for player, side in (("Anna", "red"), ("Boris", "blue")):
        toy.do(player, side, Seat(side, ""))  # each lets others sit where he sat
    toy.sit(red="Boris", blue="Anna")
    assert toy.match.view.position.digest() == digest
    toy.order("Anna", End())


def test_the_owner_closes_his_game_only_while_no_other_plays_it():
    toy = duel()
    toy.order("Anna", End())
    with pytest.raises(Refused, match="others play"):
        toy.do("Anna", "", Result("", "tired"))
    toy.do("Boris", "blue", Seat("blue", ""))
    with pytest.raises(Refused, match="only a referee"):
        toy.do("Anna", "", Result("red", "I won"))
    with pytest.raises(Refused, match="others play"):
        toy.do("Anna", "", Result("", "he is away"))
    for toy.now in (0, GONE_MS - 1):
        with pytest.raises(Refused, match="for less than 14 days"):
            toy.do("Anna", "", Result("", "nobody is there"))
        with pytest.raises(Refused, match="against whom you play"):  # a friend of hers would sit down there, and resign
            toy.do("Anna", "", Seat("blue", ""))
    toy.now = GONE_MS
    toy.do("Anna", "", Result("", "tired"))
    assert str(toy.match.outcome.result if toy.match.outcome else "") == "ended by Anna: tired"


@pytest.mark.parametrize(("owner", "gone_ms"), [("Anna", GONE_MS), ("Rita", 0), ("Boris", 0)])
def test_an_owner_lets_others_have_a_seat_that_was_left_for_a_while_if_he_does_not_play_against_who_left_it(owner: str, gone_ms: int):
    toy = ToyTable(msgspec.structs.replace(OWNED, owner=owner)).sit(red="Anna", blue="Boris")
    toy.order("Anna", End())
    toy.do("Boris", "blue", Seat("blue", ""))
    toy.now = gone_ms
    toy.do(owner, "", Seat("blue", ""))
    toy.do("Clara", "blue", Seat("blue", "Clara"))


@pytest.mark.parametrize(("version", "who"), [(5, "Anna"), (VERSION, "Boris")])
def test_its_owner_closes_a_game_that_the_other_has_given_up(version: int, who: str):
    """From before also where she let others have the seat herself."""
    toy = ToyTable(OWNED, version=version).sit(red="Anna", blue="Boris")
    toy.order("Anna", End())
    toy.do("Boris", "blue", Seat("blue", ""))
    toy.do(who, "blue" if who == "Boris" else "", Seat("blue", ""))
    toy.do("Anna", "", Result("", "tired"))
    assert toy.match.outcome is not None


def test_in_a_game_from_before_its_owner_closed_it_while_who_left_was_away():
    toy = ToyTable(OWNED, version=3).sit(red="Anna", blue="Boris")
    toy.order("Anna", End())
    toy.do("Boris", "blue", Seat("blue", ""))
    toy.do("Anna", "", Result("", "tired"))
    assert toy.match.outcome is not None


def test_an_owner_who_plays_decides_nothing_alone_while_an_order_waits_for_its_dice():
    toy = duel()
    toy.order("Anna", End())
    toy.do("Boris", "blue", Seat("blue", ""))
    log = toy.match.log
    log.hold(Pending("red", "Anna", b"", log.head, log.k + 1, log.last_hash))
    toy.now = GONE_MS
    for act in (Seat("blue", ""), Result("", "tired")):
        with pytest.raises(Refused, match="being decided"):
            toy.do("Anna", "", act)
    toy.do("Boris", "blue", Seat("blue", ""))  # who left lets others sit there whenever he likes
    assert toy.match.table.chairs["blue", ""].kept_for == ""


def test_an_owner_who_can_not_end_a_game_is_not_told_whether_an_order_waits_for_its_dice():
    """He may be shown it later, or not until it ends."""
    toy = ToyTable(Terms(owner="Olga")).sit(red="Anna", blue="Boris")
    toy.order("Anna", End())
    log = toy.match.log
    for pending in (None, Pending("blue", "Boris", b"", log.head, log.k + 1, log.last_hash)):
        if pending is not None:
            log.hold(pending)
        with pytest.raises(Refused, match="others play this game"):
            toy.do("Olga", "", Result("", "enough"))


@pytest.mark.parametrize(("referees", "may"), [((), False), (("Olga",), True)])
def test_an_owner_whom_the_terms_name_as_referee_rules_while_an_order_waits_and_by_his_role_on_the_server_does_not(
    referees: tuple[str, ...], may: bool
):
    toy = ToyTable(Terms(owner="Olga", referees=referees)).sit(red="Anna", blue="Boris")
    toy.order("Anna", End())
    log = toy.match.log
    log.hold(Pending("red", "Anna", b"", log.head, log.k + 1, log.last_hash))
    for act in (Seat("blue", ""), Result("", "it is late")):
        if may:
            toy.do("Olga", "", act, role=True)
        else:
            with pytest.raises(Refused, match="being decided"):
                toy.do("Olga", "", act, role=True)


def test_a_referee_ends_a_game_with_a_result_and_takes_it_back_by_going_back():
    toy = duel()
    toy.order("Anna", End())
    toy.do("Rita", "", Result("red", "the flat is flooded"))
    assert toy.match.outcome is not None
    assert toy.match.outcome.winner == "red"
    toy.do("Rita", "", Rewind(0))
    assert toy.match.outcome is None


def test_a_pause_of_a_referee_who_plays_by_now_is_ended_by_any_side():
    """Else nobody could: he rules no more."""
    toy = duel()
    toy.order("Anna", End())
    toy.do("Rita", "", Pause(on=True))
    toy.do("Boris", "blue", Seat("blue", ""))
    with pytest.raises(Refused, match="only a referee lets it go on"):
        toy.do("Anna", "red", Pause(on=False))
    toy.do("Boris", "blue", Seat("blue", ""))
    toy.do("Rita", "blue", Seat("blue", "Rita"))
    toy.do("Anna", "red", Pause(on=False))
    assert not toy.match.table.paused


def test_an_away_is_no_longer_than_what_has_passed():
    toy = duel(Terms(owner="Anna", clock=ClockTerms("absolute", 60_000)))
    toy.order("Anna", End())
    toy.now = toy.match.log.entries[-1].time_ms + 5_000
    with pytest.raises(BadInput, match="at most 5000"):
        toy.perform(Away(5_001), KEEPER)
    toy.perform(Away(5_000), KEEPER)


def test_a_referee_says_something_for_all_to_see_and_players_do_not():
    toy = duel()
    entry = toy.do("Rita", "", Referee(text("counters were bumped")))
    assert (entry.player, entry.side) == ("Rita", "")
    with pytest.raises(Refused, match="only a referee"):
        toy.do("Anna", "", Referee(text("I win")))


# ---------------------------------------------------------------- clocks


@pytest.mark.parametrize("version", [SIDES_ARE_APART - 1, VERSION])
def test_nobody_loses_by_time_to_a_side_that_somebody_had_left_before_the_first_order(version: int):
    """A stranger sat down for a moment, and the clock ran of who waited for an opponent."""
    toy = ToyTable(Terms(clock=ClockTerms("absolute", 600_000)), version=version).sit(red="Anna", blue="Boris")
    toy.do("Boris", "blue", Seat("blue", ""))
    assert toy.match.table.clocks.runs == (version < VERSION)
    toy.sit(blue="Clara")
    assert toy.match.table.clocks.runs
    toy.do("Anna", "red", Seat("red", ""))
    assert toy.match.table.clocks.runs  # else she could think for nothing
    toy.sit(red="Anna")
    toy.order("Anna", go(toy, 0))
    toy.do("Clara", "blue", Seat("blue", ""))
    assert toy.match.table.clocks.runs


# ---------------------------------------------------------------- spectators


def test_once_the_game_runs_its_owner_shows_spectators_no_more_than_before():
    toy = duel()
    toy.do("Anna", "", Admit(SpectatorTerms("red", 5)))
    toy.order("Anna", End())
    for more in (SpectatorTerms(), SpectatorTerms("red", 4), SpectatorTerms("blue", 5)):
        with pytest.raises(Refused, match="show spectators more"):
            toy.do("Anna", "", Admit(more))
    toy.do("Anna", "", Admit(SpectatorTerms("red", 9, chat=True)))
    toy.do("Anna", "", Admit(SpectatorTerms("closed")))
    toy.do("Rita", "", Admit(SpectatorTerms()))
    assert toy.match.table.spectators == SpectatorTerms()


@pytest.mark.parametrize("version", [SIDES_ARE_APART - 1, VERSION])
def test_its_owner_shows_the_table_alone_from_now_on_where_more_was_shown(version: int):
    """He was told that it was more, and could only close the game to all."""
    toy = ToyTable(OWNED, version=version).sit(red="Anna", blue="Boris")
    toy.do("Anna", "", Admit(SpectatorTerms("open")))
    toy.order("Anna", End())
    for view in ("red", "table"):
        if version == VERSION:
            toy.do("Anna", "", Admit(SpectatorTerms(view)))
    with pytest.raises(Refused, match="show spectators more"):
        toy.do("Anna", "", Admit(SpectatorTerms("red")))


def test_what_spectators_see_is_a_view_that_there_is():
    with pytest.raises(BadInput, match="open or closed or red or blue"):
        duel().do("Anna", "", Admit(SpectatorTerms("green")))
    with pytest.raises(Refused, match="only the owner"):
        duel().do("Boris", "", Admit(SpectatorTerms("closed")))


# ---------------------------------------------------------------- waiting, replaying, resuming


def test_a_table_without_clocks_asks_at_no_order_who_is_to_act():
    toy = duel()
    toy.order("Anna", go(toy, 0), "red")
    asked: list[int] = []
    table = Table(toy.match.setting.sides, toy.match.terms, lambda number: asked.append(number) or "red").take(toy.match.log)
    assert table.next_fall() is None
    assert not asked, "the position was looked at for it"


def test_whom_the_game_waits_for_and_since_when():
    toy = duel()
    toy.now = 10
    toy.order("Anna", End())
    toy.now = 50
    toy.order("Boris", go(toy, 3))
    assert waited_since(toy.match.log, "blue") == 10
    toy.order("Boris", End())
    assert waited_since(toy.match.log, "red") == 50


def test_since_when_a_side_is_waited_for_is_the_same_where_it_was_known_at_an_earlier_entry() -> None:
    rng, log = random.Random("waited since"), Log()
    known: dict[str, tuple[int, int]] = {}
    for number in range(400):
        if log.entries and rng.random() < 0.15:
            positions = [entry.number for entry in log.entries if entry.bears_order]
            log.add(log.seal(time_ms=10 * number, side="", player="", act=Rewind(rng.choice(positions)), salt=b""))
        else:
            side = "red" if rng.random() < 0.8 else "blue"
            log.add(log.seal(time_ms=10 * number, side=side, player="", order=b"order", events=(), salt=b""))
        for side in rng.sample(("red", "blue"), rng.randrange(3)):  # asked for at odd moments
            since = waited_since(log, side)
            assert waited_since(log, side, known.get(side, (ROOT, 0))) == since
            known[side] = (log.moved_at, since)
    assert len({since for _, since in known.values()}) == 2


def play(toy: ToyTable, rng: random.Random, orders: int) -> None:
    for _ in range(orders):
        view = toy.match.view
        if view.position.outcome is not None:
            return
        toy.keeper.order(view.side_to_act(), choose(view, rng), player="Anna" if view.side_to_act() == "red" else "Boris")


def choices(match: Match) -> list[str]:
    """Return what may be picked first and second, in words."""
    view = match.view
    if view.position.outcome is not None:
        return []
    first = options(view, ())
    return [repr(door) for door in first.doors] + [repr(door) for one in first.doors for door in options(view, (one.pick,)).doors]


def test_a_game_that_is_resumed_after_each_entry_offers_what_it_offered_then_bugs_of_peers_26(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("core.log.SNAPSHOT_EVERY", 1)
    toy, rng = duel(), random.Random(5)
    seen = [(toy.match.view.position.digest(), choices(toy.match), toy.match.table.to_act())]
    while toy.match.view.position.outcome is None:
        play(toy, rng, 1)
        seen.append((toy.match.view.position.digest(), choices(toy.match), toy.match.table.to_act()))
    numbers = [entry.number for entry in toy.match.log.entries if entry.bears_order]
    for number, expected in zip(numbers, seen, strict=True):
        log = Log()
        for entry in toy.match.log.entries[: max(number, 2) + 1]:
            log.add(entry)
        data = gamefile.write(gamefile.head_of(toy.match), toy_files(), log)
        again = gamefile.open_match(gamefile.read(data), clock=lambda: 0, load=lambda name: RULESET)
        assert (again.view.position.digest(), choices(again), again.table.to_act()) == expected, number
        again.log.seek(number)  # a snapshot is kept of each
        assert View(again.setting, again.log.seek(number)).position.digest() == expected[0]


ACTS = st.sampled_from(
    [
        lambda n: Seat("red", "Anna"), lambda n: Seat("red", ""), lambda n: Seat("blue", "Boris"), lambda n: Seat("blue", ""),
        lambda n: Offer("rewind", n), lambda n: Offer("draw"), lambda n: Offer("pause"), lambda n: Withdraw(n),
        lambda n: Consent(n, yes=True), lambda n: Consent(n, yes=False), lambda n: Rewind(n), lambda n: log_module.Pause(on=n % 2 == 0),
        lambda n: Admit(SpectatorTerms(delay_entries=n)), lambda n: Flag("red"), lambda n: Resign("red") if n == 7 else Offer("draw"),
    ]
)
WHO = st.sampled_from([("Anna", "red"), ("Boris", "blue"), ("Anna", ""), ("Carla", "blue"), ("Rita", "")])


@settings(max_examples=120)
@given(st.lists(st.tuples(ACTS, WHO, st.integers(-1, 12), st.booleans()), max_size=40))
def test_whatever_anybody_asks_is_refused_or_written_and_the_table_is_the_fold_of_its_log(steps):
    toy = duel()
    rng = random.Random(2)
    for make, (player, side), number, orders in steps:
        head, entries = toy.match.log.head, len(toy.match.log)
        try:
            if orders and toy.match.view.position.outcome is None:
                toy.order(player, choose(toy.match.view, rng), side)
            else:
                toy.do(player, side, make(number))
        except (Refused, BadInput):
            assert (toy.match.log.head, len(toy.match.log)) == (head, entries), "a refusal leaves no trace"
    match = toy.match
    again = Table(match.setting.sides, match.terms, match.side_after).take(match.log)
    for name in ("chairs", "offers", "clocks", "paused", "ruled", "begun", "spectators", "ended"):
        assert getattr(again, name) == getattr(match.table, name), name
    for entry in match.log.entries:
        ended = match.table.ended
        assert ended is None or entry.number <= ended.number or not entry.order, "no order after the end"
