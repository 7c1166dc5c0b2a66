"""Seats of a table: who may take, keep, leave, free and limit them, and what they command."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from core.errors import BadInput, Refused
from core.log import (
    Admit,
    AnyAct,
    Claim,
    Flag,
    Limit,
    Offer,
    Referee,
    Resign,
    Result,
    Rewind,
    Seat,
)
from core.table import SIDES_ARE_APART, VERSION
from core.table_rules import GONE_MS, Who
from core.terms import ClockTerms, SeatTerms, SpectatorTerms, Terms, check
from core.text import text
from core.units import UnitId
from tests.toy.ruleset import End
from tests.toy.table import OWNED, ToyTable, duel, go

NORTH = Terms(seats=(SeatTerms("red"), SeatTerms("red", "north", (UnitId(0),)), SeatTerms("red", "staff", ()), SeatTerms("blue")))


def test_a_seat_is_for_one_and_whoever_comes_later_is_told_whose_it_is():
    toy = duel()
    with pytest.raises(Refused, match="held by Anna"):
        toy.do("Carla", "red", Seat("red", "Carla"))


def test_one_person_plays_both_sides():
    toy = ToyTable().sit(red="Anna", blue="Anna")
    toy.order("Anna", End())
    toy.order("Anna", End())
    assert toy.match.table.sides_of("Anna") == ("red", "blue")


SHARED = Terms(seats=(SeatTerms("red"), SeatTerms("blue"), SeatTerms("blue", "second")))
APART = "sits at several sides only where nobody sits beside him"


@pytest.mark.parametrize("version", [SIDES_ARE_APART - 1, VERSION])
def test_who_plays_a_side_sits_beside_nobody_at_another(version: int):
    """Her link stayed away on the clock of his side, and nobody might claim the game for it; nor was she against who had left his seat."""
    toy = ToyTable(SHARED, version=version).sit(red="Anna", blue="Boris")
    if version < VERSION:
        toy.do("Anna", "blue", Seat("blue", "Anna", "second"))
        return
    with pytest.raises(Refused, match=f"Anna {APART}"):
        toy.do("Anna", "blue", Seat("blue", "Anna", "second"))


def test_nor_does_he_sit_there_before_he_plays_his_side():
    toy = ToyTable(SHARED).sit(blue="Boris")
    toy.do("Anna", "blue", Seat("blue", "Anna", "second"))
    with pytest.raises(Refused, match=f"Anna {APART}"):
        toy.do("Anna", "red", Seat("red", "Anna"))


@pytest.mark.parametrize("left", [False, True])
def test_a_side_is_spoken_for_by_who_has_its_first_seat(left: bool):
    """Who had just come sat down beside a side's leader, and resigned the game for him."""
    toy = ToyTable(SHARED).sit(red="Anna", blue="Boris")
    toy.order("Anna", End())
    toy.do("Clara", "blue", Seat("blue", "Clara", "second"))
    if left:
        toy.do("Boris", "blue", Seat("blue", ""))
    with pytest.raises(Refused, match="Boris speaks for blue, whose first seat is his"):
        toy.do("Clara", "blue", Resign("blue"))
    assert toy.match.table.to_answer("red", "Anna") == (set() if left else {"blue"})
    toy.order("Clara", End())
    toy.do("Clara", "blue", Rewind(toy.match.log.entries[toy.match.log.head].parent))  # his own order he takes back
    if left:
        toy.do("Boris", "blue", Seat("blue", ""))
        toy.do("Clara", "blue", Resign("blue"))


@pytest.mark.parametrize("leaves", [False, True])
def test_who_plays_on_takes_a_won_game_while_his_sides_leader_is_away(leaves: bool):
    """A friend of the other side's had sat at the first seat for a moment, and kept it for two weeks from being won."""
    toy = ToyTable(replace(SHARED, clock=ClockTerms("absolute", 60_000, on_flag="claim"))).sit(red="Anna", blue="Mallory")
    toy.do("Clara", "blue", Seat("blue", "Clara", "second"))
    toy.order("Anna", go(toy, 0))
    if leaves:
        toy.do("Mallory", "blue", Seat("blue", ""))
    toy.now = 60_000
    for act in (Flag("red"), Claim("blue")):
        if leaves:
            toy.do("Clara", "blue", act)
            continue
        with pytest.raises(Refused, match="Mallory speaks for blue"):
            toy.do("Clara", "blue", act)
    assert (toy.match.table.ended is not None) == leaves


def test_who_plays_lets_others_have_a_seat_that_its_owner_left_for_good():
    toy = ToyTable(Terms(owner="Anna")).sit(red="Anna", blue="Boris")
    toy.order("Anna", End())
    toy.do("Anna", "red", Seat("red", ""))
    for left_ms, gone in ((GONE_MS - 1, False), (GONE_MS, True)):
        toy.now = left_ms
        if gone:
            toy.do("Boris", "blue", Seat("red", ""))
            toy.do("Clara", "red", Seat("red", "Clara"))
            return
        with pytest.raises(Refused, match="the red seat is kept for Anna, who left it"):
            toy.do("Boris", "blue", Seat("red", ""))


@pytest.mark.parametrize("owner", ["Zed", "Anna"])
@pytest.mark.parametrize("act", [Result("", "tired"), Seat("blue", ""), Admit(SpectatorTerms("closed"))])
def test_a_games_owner_does_what_is_his_for_no_side(act: AnyAct, owner: str):
    """So `verify` took what a host did by an owner whom nobody knows for a player's, and remarked nothing; who plays need not sign it."""
    toy = ToyTable(Terms(owner=owner)).sit(red="Anna", blue="Boris")
    with pytest.raises(BadInput, match="none, as its owner does it"):
        toy.do(owner, "red", act)


def test_nobody_sits_down_beside_who_plays_both_sides_until_he_has_left_one():
    toy = ToyTable(SHARED).sit(red="Anna", blue="Anna")
    with pytest.raises(Refused, match=f"Anna {APART}"):
        toy.do("Boris", "blue", Seat("blue", "Boris", "second"))
    toy.do("Anna", "blue", Seat("blue", ""))
    toy.do("Boris", "blue", Seat("blue", "Boris", "second"))
    toy.do("Clara", "blue", Seat("blue", "Clara"))


def test_one_person_may_have_all_seats_of_a_game():
    toy = ToyTable(SHARED).sit(red="Anna", blue="Anna")
    toy.do("Anna", "blue", Seat("blue", "Anna", "second"))
    assert toy.match.table.sides_of("Anna") == ("red", "blue")


def test_a_seat_that_was_left_is_taken_over_and_the_game_goes_on():
    toy = duel()
    toy.do("Anna", "red", Seat("red", ""))
    with pytest.raises(Refused, match="held by nobody"):
        toy.order("Anna", End())
    toy.do("Carla", "red", Seat("red", "Carla"))
    toy.order("Carla", End())


def left_in_mid_game(terms: Terms = OWNED) -> ToyTable:
    """Return a duel that Boris left after the first order."""
    toy = duel(terms)
    toy.order("Anna", End())
    toy.do("Boris", "blue", Seat("blue", ""))
    return toy


def test_a_seat_that_is_left_in_mid_game_is_kept_for_who_left_it():
    toy = left_in_mid_game()
    for player in ("Anna", "Carla"):
        with pytest.raises(Refused, match="the blue seat is kept for Boris, who left it"):
            toy.do(player, "blue", Seat("blue", player))
    with pytest.raises(Refused, match="the blue seat is kept for Boris, who left it"):
        toy.do("Carla", "", Seat("blue", ""))
    toy.sit(blue="Boris")
    toy.order("Boris", End())
    assert not toy.match.table.chairs["blue", ""].kept_for


@pytest.mark.parametrize(("player", "side"), [("Anna", ""), ("Rita", ""), ("Boris", "blue")])
def test_who_left_a_seat_the_owner_and_a_referee_let_others_have_it(player: str, side: str):
    toy = left_in_mid_game()
    toy.now = GONE_MS  # before that no owner who plays against him does
    toy.do(player, side, Seat("blue", ""))
    toy.do("Carla", "blue", Seat("blue", "Carla"))
    toy.order("Carla", End())


def test_whoever_plays_against_a_side_takes_it_over_only_if_its_player_or_a_referee_lets_him():
    toy = left_in_mid_game()
    toy.now = GONE_MS
    toy.do("Anna", "", Seat("blue", ""))
    with pytest.raises(Refused, match="Anna has played red against Boris; only a referee"):
        toy.do("Anna", "blue", Seat("blue", "Anna"))
    toy.do("Anna", "red", Seat("red", ""))
    with pytest.raises(Refused, match="Anna has played red against Boris; only a referee"):
        toy.do("Anna", "blue", Seat("blue", "Anna"))
    given = left_in_mid_game()
    given.do("Rita", "", Seat("blue", "Anna"))
    freed = left_in_mid_game()
    freed.do("Boris", "blue", Seat("blue", ""))
    freed.do("Anna", "blue", Seat("blue", "Anna"))
    assert given.match.table.sides_of("Anna") == freed.match.table.sides_of("Anna") == ("red", "blue")


def test_while_a_seat_is_kept_for_somebody_nobody_goes_back_over_what_he_did_without_asking():
    """Else who stays behind could throw his dice again and again until he likes them."""
    toy = duel()
    toy.order("Anna", End())
    toy.order("Boris", End())
    toy.do("Boris", "blue", Seat("blue", ""))
    with pytest.raises(Refused, match="the others must agree"):
        toy.do("Anna", "red", Rewind(0))
    with pytest.raises(Refused, match="nobody sits at the other side"):
        toy.do("Anna", "red", Offer("rewind", 0))
    toy.do("Boris", "blue", Seat("blue", ""))
    toy.do("Anna", "red", Rewind(0))
    assert toy.match.log.head == 0


def test_no_owner_frees_a_kept_seat_to_go_back_over_what_was_done_there():
    toy = duel()
    toy.order("Anna", End())
    toy.order("Boris", End())
    toy.do("Boris", "blue", Seat("blue", ""))
    toy.now = GONE_MS
    toy.do("Anna", "", Seat("blue", ""))
    with pytest.raises(Refused, match="the others must agree"):
        toy.do("Anna", "red", Rewind(0))
    toy.do("Rita", "", Seat("blue", "Anna"))  # now all of the game is hers
    toy.do("Anna", "red", Rewind(0))
    assert toy.match.log.head == 0


def test_who_plays_both_sides_leaves_one_to_whoever_comes():
    toy = ToyTable(OWNED).sit(red="Anna", blue="Anna")
    toy.order("Anna", End())
    toy.do("Anna", "blue", Seat("blue", ""))
    toy.sit(blue="Boris")
    toy.order("Boris", End())


def test_who_leaves_a_seat_does_so_for_its_side_and_so_signs_it():
    toy = duel()
    for side in ("", "blue"):
        with pytest.raises(BadInput, match="expected red, whose seat you leave, got"):
            toy.do("Anna", side, Seat("red", ""))
    toy.do("Anna", "red", Seat("red", ""))


def test_nobody_seats_another_but_a_referee():
    toy = ToyTable(OWNED)
    with pytest.raises(Refused, match="only a referee"):
        toy.do("Anna", "red", Seat("red", "Boris"))
    toy.do("Rita", "", Seat("red", "Boris"))
    assert toy.match.table.holders("red") == {"Boris"}


def test_a_referee_who_plays_is_none():
    toy = ToyTable(OWNED).sit(red="Rita", blue="Boris")
    with pytest.raises(Refused, match="only a referee"):
        toy.do("Rita", "", Result("red", "because"))


def test_a_guest_takes_no_seat():
    with pytest.raises(Refused, match="only watch"):
        ToyTable().perform(Seat("red", "Gast"), Who("Gast", "red", guest=True))


def test_the_owner_frees_a_seat_before_the_first_order_and_a_referee_at_any_time():
    toy = duel()
    with pytest.raises(Refused, match="held by Boris"):
        toy.do("Carla", "", Seat("blue", ""))
    toy.do("Anna", "", Seat("blue", ""))
    toy.sit(blue="Boris")
    toy.order("Anna", End())
    with pytest.raises(Refused, match="has begun"):
        toy.do("Anna", "", Seat("blue", ""))
    toy.do("Rita", "", Seat("blue", ""))
    assert not toy.match.table.holders("blue")


@pytest.mark.parametrize("act", [Seat("green", "Anna"), Seat("red", "Anna", "south"), Limit("red", "south", ())])
def test_seats_that_are_not_there_are_told(act):
    with pytest.raises(BadInput, match="expected"):
        ToyTable().do("Anna", "red", act)


def test_a_seat_commands_its_units_and_no_others():
    toy = ToyTable(NORTH).sit(red="Anna", blue="Boris")
    toy.do("Nora", "red", Seat("red", "Nora", "north"))
    with pytest.raises(Refused, match="does not command unit 1"):
        toy.order("Nora", go(toy, 1))
    toy.order("Nora", go(toy, 0))
    with pytest.raises(Refused, match="names no unit"):
        toy.order("Nora", End())
    toy.order("Anna", go(toy, 1))
    toy.order("Anna", End())


def test_a_seat_of_no_units_commands_nothing():
    toy = ToyTable(NORTH).sit(red="Anna", blue="Boris")
    toy.do("Otto", "red", Seat("red", "Otto", "staff"))
    with pytest.raises(Refused, match="does not command"):
        toy.order("Otto", go(toy, 0))


def test_the_first_seat_of_a_side_limits_the_others_and_nobody_limits_it():
    toy = ToyTable(NORTH).sit(red="Anna", blue="Boris")
    toy.do("Nora", "red", Seat("red", "Nora", "north"))
    toy.do("Anna", "red", Limit("red", "north", (UnitId(1),)))
    toy.order("Nora", go(toy, 1))
    with pytest.raises(Refused, match="does not command unit 0"):
        toy.order("Nora", go(toy, 0))
    with pytest.raises(Refused, match="only the first seat"):
        toy.do("Nora", "red", Limit("red", "north", None))
    with pytest.raises(Refused, match="only the first seat"):
        toy.do("Boris", "blue", Limit("red", "north", None))
    with pytest.raises(Refused, match="has no limit"):
        toy.do("Anna", "red", Limit("red", "", ()))


@pytest.mark.parametrize("units", [(1, 0), (0, 0), (1 << 62,), (-1,)])
@pytest.mark.parametrize("version", [SIDES_ARE_APART - 1, VERSION])
def test_a_limit_names_units_as_there_can_be_each_once(units: tuple[int, ...], version: int):
    toy = ToyTable(NORTH, version=version).sit(red="Anna", blue="Boris")
    act = Limit("red", "north", tuple(map(UnitId, units)))
    if version < VERSION:
        toy.do("Anna", "red", act)
        return
    with pytest.raises(BadInput, match="each once and in order"):
        toy.do("Anna", "red", act)


def test_a_limited_seat_does_not_speak_for_its_side():
    toy = ToyTable(NORTH).sit(red="Anna", blue="Boris")
    toy.do("Nora", "red", Seat("red", "Nora", "north"))
    for act in (Resign("red"), Offer("draw")):
        with pytest.raises(Refused, match="speaks for red"):
            toy.do("Nora", "red", act)


@pytest.mark.parametrize(
    ("seats", "where"),
    [
        ((SeatTerms("green"),), "side"),
        ((SeatTerms("red"),), "a seat of blue"),
        ((SeatTerms("red"), SeatTerms("red"), SeatTerms("blue")), "name"),
        ((SeatTerms("red", "a", ()), SeatTerms("blue")), "no limit for a side's first seat"),
    ],
)
def test_seats_that_make_no_table_are_told(seats, where):
    with pytest.raises(BadInput, match=where):
        check(Terms(seats=seats), ("red", "blue"))


def test_a_referee_has_a_name_that_can_be_read():
    with pytest.raises(BadInput, match=r"referees\[1\]"):
        check(Terms(referees=("Rita", "evil\u202e\n")), ("red", "blue"))


@pytest.mark.parametrize("act", [Referee(text("mine")), Result("red", "mine"), Rewind(0)])
@pytest.mark.parametrize("version", [3, VERSION])
def test_nobody_leaves_his_seat_to_rule_on_his_own_game(act: AnyAct, version: int):
    """Whose server it was took back his dice as its referee, and sat down again."""
    toy = ToyTable(OWNED, version=version).sit(red="Anna", blue="Boris")
    toy.order("Anna", End())
    toy.do("Anna", "red", Seat("red", ""))
    with pytest.raises((Refused, BadInput)):
        toy.do("Anna", "", act, role=True)
    toy.do("Anna", "red", Seat("red", ""))  # for good: others may have it
    if version == 3:
        toy.do("Anna", "", act, role=True)
        return
    with pytest.raises((Refused, BadInput)):
        toy.do("Anna", "", act, role=True)
    toy.do("Rita", "", act, role=True)
