"""Clocks: what is left of each side's time, from nothing but entry times and acts."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.bots.random_bot import choose
from core.clocks import Fall
from core.errors import BadInput, Refused
from core.log import Away, ChainPublished, Claim, Fallback, Flag, Late, Limit, Pause, Rewind, Seat, SetClock
from core.table import VERSION, Table
from core.table_rules import Who
from core.terms import ClockTerms, DiceTerms, SeatTerms, Terms, check
from tests.toy.ruleset import End
from tests.toy.table import ToyTable

KEEPER = Who(keeper=True)
MINUTE = 60_000


def table(
    kind: str = "absolute", *, time: int = 10 * MINUTE, increment: int = 0, on_flag: str = "lose", seated: bool = True,
    version: int = VERSION,
) -> ToyTable:
    clock = ClockTerms(kind, time, increment, on_flag)  # type: ignore[arg-type]
    made = ToyTable(Terms(owner="Anna", clock=clock, referees=("Rita",)), version=version)
    return made.sit(red="Anna", blue="Boris") if seated else made


def left(toy: ToyTable) -> dict[str, int]:
    return toy.match.table.clocks_at(toy.now).left_ms


def test_only_the_time_of_the_side_that_is_waited_for_runs():
    toy = table()
    toy.now = 3 * MINUTE
    assert left(toy) == {"red": 7 * MINUTE, "blue": 10 * MINUTE}
    toy.order("Anna", End())
    toy.now = 5 * MINUTE
    assert left(toy) == {"red": 7 * MINUTE, "blue": 8 * MINUTE}


def test_clocks_stand_still_until_every_side_has_a_player():
    toy = table(seated=False)
    toy.now = 8 * MINUTE
    toy.sit(red="Anna")
    toy.now = 9 * MINUTE
    toy.sit(blue="Boris")
    toy.now = 10 * MINUTE
    assert left(toy) == {"red": 9 * MINUTE, "blue": 10 * MINUTE}


def test_leaving_the_table_stops_no_clock():
    toy = table()
    toy.do("Anna", "red", Seat("red", ""))
    toy.now = MINUTE
    assert left(toy)["red"] == 9 * MINUTE


def test_an_increment_comes_with_each_phase_of_the_sides_own():
    toy = table("fischer", increment=MINUTE)
    assert left(toy) == {"red": 11 * MINUTE, "blue": 10 * MINUTE}, "red's first phase began with the game"
    toy.now = 2 * MINUTE
    toy.order("Anna", End())
    assert left(toy) == {"red": 9 * MINUTE, "blue": 11 * MINUTE}


def test_each_turn_has_its_own_time():
    toy = table("turn", time=5 * MINUTE)
    toy.now = 4 * MINUTE
    toy.order("Anna", End())
    toy.order("Boris", End())
    assert toy.match.view.position.turn == 2
    assert left(toy) == {"red": 5 * MINUTE, "blue": 5 * MINUTE}


def test_going_back_gives_no_time_back_and_no_increment_twice():
    toy = table("fischer", increment=MINUTE)
    start = toy.match.log.head
    toy.now = 2 * MINUTE
    toy.order("Anna", End())
    before = left(toy)
    toy.do("Rita", "", Rewind(start))
    assert left(toy) == before
    toy.order("Anna", End())
    assert left(toy) == before


def test_a_turn_that_is_reached_again_brings_no_new_time():
    toy = table("turn", time=5 * MINUTE)
    toy.order("Anna", End())
    toy.now = MINUTE
    toy.order("Boris", End())
    second = toy.match.log.head
    toy.now = 3 * MINUTE
    toy.order("Anna", End())
    toy.do("Rita", "", Rewind(0))
    toy.do("Rita", "", Rewind(second))
    assert left(toy) == {"red": 3 * MINUTE, "blue": 5 * MINUTE}


def test_a_pause_stops_the_clocks_and_orders_and_each_side_may_end_it():
    from core.log import Consent, Offer

    toy = table()
    offer = toy.do("Anna", "red", Offer("pause"))
    toy.do("Boris", "blue", Consent(offer.number, yes=True))
    assert toy.match.table.paused
    toy.now = 9 * MINUTE
    assert left(toy)["red"] == 10 * MINUTE
    with pytest.raises(Refused, match="paused"):
        toy.order("Anna", End())
    toy.do("Boris", "blue", Pause(on=False))
    toy.now = 10 * MINUTE
    assert left(toy)["red"] == 9 * MINUTE


def test_only_a_referee_ends_a_referees_pause():
    toy = table()
    toy.do("Rita", "", Pause(on=True))
    with pytest.raises(Refused, match="only a referee lets it go on"):
        toy.do("Anna", "red", Pause(on=False))
    toy.do("Rita", "", Pause(on=False))
    assert not toy.match.table.paused


def test_no_side_stops_the_clocks_alone():
    with pytest.raises(Refused, match="must agree"):
        table().do("Anna", "red", Pause(on=True))


@pytest.mark.parametrize(("on_flag", "winner"), [("lose", "blue"), ("claim", None), ("show", None)])
def test_a_fallen_flag_leads_to_what_the_table_agreed_on(on_flag, winner):
    toy = table(on_flag=on_flag)
    toy.now = 10 * MINUTE
    toy.perform(Flag("red"), KEEPER)
    ended = toy.match.table.ended
    assert (ended.winner if ended else None) == winner
    if winner is None:
        toy.order("Anna", End())
        assert toy.match.table.clocks.fallen == {"red"}


def test_the_game_is_claimed_after_a_fallen_flag_and_by_the_other_side_only():
    toy = table(on_flag="claim")
    with pytest.raises(Refused, match="no fallen flag"):
        toy.do("Boris", "blue", Claim("blue"))
    toy.now = 10 * MINUTE
    toy.do("Boris", "blue", Flag("red"))
    with pytest.raises(Refused, match="no fallen flag"):
        toy.do("Anna", "red", Claim("red"))
    toy.do("Boris", "blue", Claim("blue"))
    assert toy.match.outcome is not None
    assert toy.match.outcome.winner == "blue"


def test_a_flag_that_is_only_shown_lets_the_time_go_below_nothing():
    toy = table(on_flag="show")
    toy.now = 10 * MINUTE
    toy.perform(Flag("red"), KEEPER)
    toy.now = 11 * MINUTE
    assert left(toy)["red"] == -MINUTE


@pytest.mark.parametrize(("now", "side"), [(10 * MINUTE - 1, "red"), (20 * MINUTE, "blue")])
def test_nobody_makes_a_flag_fall_before_its_time_or_out_of_its_turn(now, side):
    toy = table()
    toy.now = now
    with pytest.raises(Refused, match="is not out"):
        toy.do("Boris", "blue", Flag(side))


def test_an_order_after_the_time_is_out_is_refused_before_the_flag_is_written():
    toy = table()
    toy.now = 10 * MINUTE
    with pytest.raises(Refused, match="red ran out of time"):
        toy.order("Anna", End())


def test_a_side_whose_last_order_came_too_late_loses_its_flag_though_the_game_waits_for_another():
    toy = table(on_flag="claim")
    toy.now = 11 * MINUTE
    toy.order("Anna", End())
    assert toy.match.table.next_fall() == Fall("red", 11 * MINUTE)
    toy.do("Boris", "blue", Flag("red"))
    toy.do("Boris", "blue", Claim("blue"))
    assert toy.match.table.next_fall() is None


def test_a_referee_sets_a_clock_and_its_flag_is_up_again():
    toy = table(on_flag="show")
    toy.now = 12 * MINUTE
    toy.perform(Flag("red"), KEEPER)
    toy.do("Rita", "", SetClock("red", 5 * MINUTE))
    assert left(toy)["red"] == 5 * MINUTE
    assert toy.match.table.next_fall() == Fall("red", 17 * MINUTE)
    with pytest.raises(Refused, match="only a referee may set a clock"):
        toy.do("Boris", "blue", SetClock("blue", 99 * MINUTE))


def test_while_nobody_kept_the_log_no_clock_ran():
    toy = table()
    toy.now = 8 * MINUTE
    toy.perform(Away(6 * MINUTE), KEEPER)
    assert left(toy)["red"] == 8 * MINUTE
    with pytest.raises(Refused):
        toy.do("Anna", "red", Away(MINUTE))


def test_a_late_link_runs_the_clock_of_whoever_owes_it():
    toy = table()
    toy.now = 5 * MINUTE
    toy.match.accept_act(toy.match.act(Late("Boris", 1, 2 * MINUTE)))
    assert left(toy) == {"red": 7 * MINUTE, "blue": 8 * MINUTE}


def test_all_the_time_until_a_late_link_comes_is_its_owners_and_his_flag_falls_not_the_givers():
    toy = table()
    toy.now = 5 * MINUTE
    toy.match.accept_act(toy.match.act(Late("Boris", 1, MINUTE)))
    assert toy.match.table.next_fall() == Fall("blue", 14 * MINUTE)
    toy.now = 8 * MINUTE
    assert left(toy) == {"red": 6 * MINUTE, "blue": 6 * MINUTE}
    toy.order("Anna", End())  # the order that waited, when its dice are there
    assert left(toy) == {"red": 6 * MINUTE, "blue": 6 * MINUTE}
    toy.now = 9 * MINUTE
    toy.order("Boris", End())
    toy.now = 10 * MINUTE
    assert left(toy) == {"red": 5 * MINUTE, "blue": 5 * MINUTE}


def test_who_leaves_his_seat_owes_his_link_on_his_sides_clock_all_the_same():
    toy = table()
    toy.order("Anna", End())
    toy.order("Boris", End())
    toy.do("Boris", "blue", Seat("blue", ""))
    toy.match.accept_act(toy.match.act(Late("Boris", 1, 0)))
    toy.now = MINUTE
    assert left(toy) == {"red": 10 * MINUTE, "blue": 9 * MINUTE}


@pytest.mark.parametrize(("version", "blue"), [(2, 10), (VERSION, 9)], ids=["before", "now"])
def test_who_lets_others_have_his_seat_owes_his_link_on_its_sides_clock_all_the_same(version: int, blue: int):
    """Nobody's time ran at all, for as long as the other side waited."""
    toy = table(version=version)
    toy.order("Anna", End())
    toy.order("Boris", End())
    for _ in range(2):
        toy.do("Boris", "blue", Seat("blue", ""))
    toy.match.accept_act(toy.match.act(Late("Boris", 1, 0)))
    toy.now = MINUTE
    assert left(toy) == {"red": 10 * MINUTE, "blue": blue * MINUTE}


def test_who_owes_a_link_of_his_own_order_pays_for_it_whoever_else_is_late_too():
    toy = table()
    for name in ("Boris", "Anna"):
        toy.match.accept_act(toy.match.act(Late(name, 1, 0)))
    toy.now = MINUTE
    assert left(toy) == {"red": 9 * MINUTE, "blue": 10 * MINUTE}


def test_whose_late_link_has_come_pays_no_more_while_another_is_waited_for():
    toy = table()
    for name in ("Boris", "Anna"):
        toy.match.accept_act(toy.match.act(Late(name, 1, 0)))
    toy.now = MINUTE
    toy.match.accept_act(toy.match.act(Late("Anna", 1, 0, came=True)))
    assert toy.match.witnesses.late_for(1) == {"Boris"}
    toy.now = 3 * MINUTE
    assert left(toy) == {"red": 9 * MINUTE, "blue": 8 * MINUTE}
    toy.match.accept_act(toy.match.act(Late("Anna", 1, 0)))  # the server ended meanwhile, and has forgotten it
    assert toy.match.witnesses.late_for(1) == {"Anna", "Boris"}
    toy.now = 4 * MINUTE
    assert left(toy) == {"red": 8 * MINUTE, "blue": 8 * MINUTE}


def test_a_game_from_before_is_reckoned_as_it_was_played():
    toy = table(version=0)
    toy.now = 5 * MINUTE
    toy.match.accept_act(toy.match.act(Late("Boris", 1, MINUTE)))
    assert toy.match.table.next_fall() == Fall("red", 11 * MINUTE)
    toy.now = 8 * MINUTE
    assert left(toy) == {"red": 3 * MINUTE, "blue": 9 * MINUTE}


def test_who_leaves_a_game_of_witnessed_dice_stops_it_at_the_cost_of_his_own_sides_time():
    """No order is decided without him, and the time of whoever was to move ran out."""
    clock = ClockTerms("absolute", 10 * MINUTE)
    toy = ToyTable(Terms(owner="Anna", clock=clock, dice=DiceTerms("witnessed"))).sit(red="Anna", blue="Boris")
    for name in ("Anna", "Boris"):
        toy.match.accept_act(toy.match.act(ChainPublished(name, bytes(32), 9), player=name))
    toy.order("Anna", End())
    toy.order("Boris", End())
    toy.now = MINUTE
    assert left(toy) == {"red": 9 * MINUTE, "blue": 10 * MINUTE}
    toy.do("Boris", "blue", Seat("blue", ""))
    toy.now = 3 * MINUTE
    assert left(toy) == {"red": 9 * MINUTE, "blue": 8 * MINUTE}
    toy.do("Boris", "blue", Seat("blue", "Boris"))
    toy.now = 4 * MINUTE
    assert left(toy) == {"red": 8 * MINUTE, "blue": 8 * MINUTE}
    toy.do("Rita", "", Seat("blue", "Clara"), role=True)  # whose program publishes nothing yet
    toy.now = 5 * MINUTE
    assert left(toy) == {"red": 8 * MINUTE, "blue": 7 * MINUTE}


def test_nobody_waits_for_a_link_that_was_given_up():
    toy = table()
    toy.match.accept_act(toy.match.act(Late("Boris", 1, 0)))
    toy.match.accept_act(toy.match.act(Fallback("Boris", 1, "unwitnessed"), side="red", player="Anna"))
    toy.now = MINUTE
    assert left(toy) == {"red": 9 * MINUTE, "blue": 10 * MINUTE}


def test_no_flag_falls_and_nobody_claims_once_the_rules_have_ended_the_game():
    toy = table(on_flag="claim")
    toy.now = 11 * MINUTE
    toy.perform(Flag("red"), KEEPER)
    toy.now = 12 * MINUTE
    while toy.match.outcome is None:
        toy.order({"red": "Anna", "blue": "Boris"}[toy.match.view.side_to_act()], End())
        toy.now += 5 * MINUTE
    assert left(toy)["blue"] < 0
    ended = toy.match.outcome
    assert toy.match.table.next_fall() is None
    for who, act in ((toy.who("Boris", "blue"), Claim("blue")), (KEEPER, Flag("blue"))):
        with pytest.raises(Refused, match=r"is over|not out"):
            toy.perform(act, who)
    assert toy.match.outcome == ended


def witnessed(*, version: int = VERSION) -> ToyTable:
    """Return a game of witnessed dice against the clock, in which blue has two seats, and Boris and Anna have published their chains."""
    seats = (SeatTerms("red"), SeatTerms("blue"), SeatTerms("blue", "second"))
    terms = Terms(owner="Anna", clock=ClockTerms("absolute", 10 * MINUTE), seats=seats, dice=DiceTerms("witnessed"), referees=("Rita",))
    toy = ToyTable(terms, version=version).sit(red="Anna", blue="Boris")
    for name in ("Anna", "Boris"):
        toy.match.accept_act(toy.match.act(ChainPublished(name, bytes(32), 9), player=name))
    return toy


@pytest.mark.parametrize(("version", "charged"), [(1, 3), (2, 0)], ids=["before", "now"])
def test_who_leaves_a_game_that_its_rules_have_ended_loses_no_time_by_it(version: int, charged: int):
    toy = witnessed(version=version)
    toy.order("Anna", End())
    before = toy.match.log.head
    while toy.match.outcome is None:
        toy.order({"red": "Anna", "blue": "Boris"}[toy.match.view.side_to_act()], End())
    toy.do("Boris", "blue", Seat("blue", ""))
    toy.now = 3 * MINUTE
    assert left(toy) == {"red": 10 * MINUTE, "blue": (10 - charged) * MINUTE}
    toy.do("Boris", "blue", Seat("blue", "Boris"))
    assert toy.match.table.clocks.runs is not (version > 1)
    toy.do("Rita", "", Rewind(before))
    assert left(toy) == {"red": 10 * MINUTE, "blue": (10 - charged) * MINUTE}
    toy.now = 4 * MINUTE
    assert left(toy) == {"red": 10 * MINUTE, "blue": (9 - charged) * MINUTE}, "the game goes on"


def test_a_game_that_is_led_to_its_end_again_stands_still_again():
    toy = table()
    while toy.match.outcome is None:
        before = toy.match.log.head
        toy.order({"red": "Anna", "blue": "Boris"}[toy.match.view.side_to_act()], End())
    end = toy.match.log.head
    for to, runs in ((before, True), (end, False), (before, True)):
        toy.do("Rita", "", Rewind(to))
        assert toy.match.table.clocks.runs is runs


@pytest.mark.parametrize(("version", "pays"), [(1, "blue"), (2, "red")], ids=["before", "now"])
def test_who_sits_down_beside_others_and_publishes_no_chain_costs_his_side_no_time(version: int, pays: str):
    toy = witnessed(version=version)
    toy.do("Dora", "blue", Seat("blue", "Dora", "second"))
    toy.now = MINUTE
    assert left(toy) == {"red": 10 * MINUTE, "blue": 10 * MINUTE} | {pays: 9 * MINUTE}
    toy.do("Boris", "blue", Seat("blue", ""))
    toy.now = 2 * MINUTE
    assert toy.match.table.on_clock() == "blue", "nobody of blue witnesses now"


@pytest.mark.parametrize(("version", "pays"), [(2, "red"), (VERSION, "blue")], ids=["before", "now"])
def test_a_side_whose_only_chain_is_of_who_looks_on_keeps_the_others_waiting(version: int, pays: str):
    toy = witnessed(version=version)
    toy.do("Dora", "blue", Seat("blue", "Dora", "second"))
    toy.match.accept_act(toy.match.act(ChainPublished("Dora", bytes(32), 9), player="Dora"))
    toy.do("Boris", "blue", Limit("blue", "second", ()))
    assert toy.match.table.on_clock() == "red"
    toy.do("Boris", "blue", Seat("blue", ""))
    assert toy.match.table.on_clock() == pays


def test_a_clock_that_ran_backwards_counts_as_one_that_stood_still():
    toy = table()
    toy.now = 5 * MINUTE
    toy.order("Anna", End())
    toy.now = -1_000_000
    toy.order("Boris", End())
    assert left(toy) == {"red": 5 * MINUTE, "blue": 10 * MINUTE}
    times = [entry.time_ms for entry in toy.match.log.entries]
    assert times == sorted(times)


@pytest.mark.parametrize(
    ("clock", "where"),
    [
        (ClockTerms("absolute"), "time_ms"),
        (ClockTerms("none", 5), "kind"),
        (ClockTerms("turn", 5, 5), "increment_ms"),
    ],
)
def test_terms_of_a_clock_that_make_no_sense_are_told(clock, where):
    with pytest.raises(BadInput, match=where):
        check(Terms(clock=clock), ("red", "blue"))


STEPS = st.lists(st.tuples(st.sampled_from(["order", "wait", "rewind", "pause", "jump"]), st.integers(0, 20_000)), max_size=40)


@settings(max_examples=60)
@given(STEPS, st.sampled_from(["absolute", "fischer", "turn"]))
def test_clocks_are_a_pure_function_of_the_log_and_time_only_goes(steps, kind):
    toy = table(kind, time=100 * MINUTE, increment=7_000 if kind == "fischer" else 0, on_flag="show")
    rng = random.Random(1)
    for what, number in steps:
        view = toy.match.view
        before = left(toy)
        match what:
            case "order" if view.position.outcome is None and not toy.match.table.paused:
                toy.keeper.order(view.side_to_act(), choose(view, rng))
            case "rewind":
                orders = [entry.number for entry in toy.match.log.entries if entry.bears_order]
                to = orders[number % len(orders)]
                if to != toy.match.log.head:
                    toy.do("Rita", "", Rewind(to))
                    assert left(toy) == before
            case "pause":
                toy.do("Rita", "", Pause(on=not toy.match.table.paused))
            case "jump":
                toy.now -= number
            case _:
                toy.now += number
    match = toy.match
    again = Table(match.setting.sides, match.terms, match.side_after)
    again.take(match.log)
    assert again.clocks == match.table.clocks
    spent = sum(before - after for before, after in zip((100 * MINUTE,) * 2, again.clocks.left_ms.values(), strict=True))
    assert kind != "absolute" or 0 <= spent <= match.log.entries[-1].time_ms


def test_a_side_that_lost_on_time_has_some_before_a_referee_goes_back_behind_that() -> None:
    toy = table(on_flag="lose")
    for player in ("Anna", "Boris"):
        toy.order(player, End())
    toy.now = 10 * MINUTE
    toy.perform(Flag("red"), KEEPER)
    back = Rewind(toy.match.log.path()[-2].number)
    with pytest.raises(Refused, match="red has no time left"):
        toy.do("Rita", "", back)
    toy.do("Rita", "", SetClock("red", MINUTE))
    toy.do("Rita", "", back)
    toy.order("Boris", End())
    assert toy.match.table.next_fall() == Fall("red", 11 * MINUTE)
