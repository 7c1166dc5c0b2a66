"""Who sits down in mid-game at a side that others play, who speaks for it, and what a stranger hears who asks for a seat there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from client.connection.notes import Answered
from core import protocol
from core.log import ChainPublished, Limit, Pause, Result, Seat
from core.table_rules import GONE_MS
from core.terms import ClockTerms, DiceTerms, SpectatorTerms, Terms
from core.units import UnitId
from tests.server.conftest import Host, Player
from tests.server.tables import GAME, Withheld, do, duel, follow, open_table, sit, take_turn, until
from tests.server.test_table import FURTHER, Hands, agree_on_a_pause, hands
from tests.server.witnessed import _short, a_strike, acts
from tests.toy.ruleset import End

NewPlayer = Callable[..., Player]
TAKES_IT_HIMSELF = "Carla plays red by now, and sits down there and leaves it to others himself; or a referee gives it to him"

__all__ = ["_short", "hands"]


def leave(one: Player, side: str, seen: Player) -> None:
    """Let somebody leave a side, and another know of it."""
    gone = one.games.line.name if one.games.line is not None else ""
    one.games.send(protocol.LeaveSeat(GAME, side))
    until(seen, lambda match: gone not in match.table.holders(side))


def test_once_orders_were_given_nobody_sits_down_beside_others_who_do_not_let_him_in(player: NewPlayer) -> None:
    """A friend of the other side's would read their chat, and resign for them."""
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    duel(anna, boris, Terms(seats=FURTHER))
    follow(carla)
    assert do(anna, "red", Limit("red", "second", ())) == ""  # not as it was let in before there was anything to see
    assert take_turn(anna, "red", End()) == ""
    words = "{} plays red by now, and lets somebody in by saying what a free seat commands; or a referee gives it to him"
    for leaves in (False, True):
        if leaves:
            anna.games.send(protocol.LeaveSeat(GAME, "red"))
            until(carla, lambda match: not match.table.holders("red"))
        assert do(carla, "red", Seat("red", "Carla", "second")) == words.format("Anna")
    sit(anna, "red")
    assert do(anna, "red", Limit("red", "second", (UnitId(0),))) == ""
    sit(carla, "red", "second")
    carla.games.send(protocol.LeaveSeat(GAME, "red", "second"))
    until(carla, lambda match: "Carla" not in match.table.holders("red"))
    sit(carla, "red", "second")  # it is hers


def test_a_free_seat_that_was_limited_to_nothing_keeps_all_out(player: NewPlayer) -> None:
    """It was meant so, and let anybody in: whoever had just been refused sat down, and saw all of a side's secrets."""
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    duel(anna, boris, Terms(seats=FURTHER))
    follow(carla)
    assert take_turn(anna, "red", End()) == ""
    assert do(anna, "red", Limit("red", "second", ())) == ""
    assert do(carla, "red", Seat("red", "Carla", "second")).startswith("Anna plays red by now")


def test_who_leads_a_side_hands_it_on_while_another_sits_beside_him(player: NewPlayer) -> None:
    """Nobody could be let in at the first seat, which takes no limit, and the side was without a leader for good."""
    anna, boris, carla, dora = player("Anna"), player("Boris"), player("Carla"), player("Dora")
    duel(anna, boris, Terms(seats=FURTHER))
    for one, seat in ((dora, "second"), (carla, "")):
        follow(one)
        if seat:
            sit(one, "red", seat)
    assert take_turn(anna, "red", End()) == ""
    anna.games.send(protocol.LeaveSeat(GAME, "red"))
    until(anna, lambda match: "Anna" not in match.table.holders("red"))
    assert do(carla, "red", Seat("red", "Carla")).startswith("the red seat is kept for Anna")
    assert do(anna, "red", Seat("red", "")) == ""
    sit(carla, "red")


@pytest.mark.parametrize("by", ["a referee", "who left it"])
def test_whoever_comes_sits_down_where_a_side_was_left_to_others_or_a_referee_says_so(by: str, player: NewPlayer) -> None:
    anna, boris, carla, rita = player("Anna"), player("Boris"), player("Carla"), player("Rita")
    duel(anna, boris, Terms(seats=FURTHER, referees=("Rita",)))
    assert take_turn(anna, "red", End()) == ""
    for one in (carla, rita):
        follow(one)
    if by == "a referee":
        assert do(rita, "", Seat("red", "Carla", "second")) == ""
        return
    anna.games.send(protocol.LeaveSeat(GAME, "red"))
    until(anna, lambda match: not match.table.holders("red"))
    assert do(anna, "red", Seat("red", "")) == ""
    sit(carla, "red", "second")


@pytest.mark.parametrize("by", ["who had left it before the game began", "an opponent, after two weeks"])
def test_nobody_is_let_in_at_a_first_seat_that_its_leader_has_not_left_to_others(by: str, hands: Hands, player: NewPlayer) -> None:
    """Any stranger led a side that another played, saw its secrets, and resigned for him."""
    anna, boris, carla, dora = player("Anna"), player("Boris"), player("Carla"), player("Dora")
    open_table(anna, Terms(seats=FURTHER))
    for one in (boris, carla, dora):
        follow(one)
    sit(anna, "red")
    sit(carla, "red", "second")
    sit(boris, "blue")
    if by == "an opponent, after two weeks":
        assert take_turn(anna, "red", End()) == ""
        leave(anna, "red", boris)
        hands.ms += GONE_MS
        assert do(boris, "blue", Seat("red", "")) == ""
    else:
        leave(anna, "red", carla)
        assert take_turn(carla, "red", End()) == ""
    assert do(dora, "red", Seat("red", "Dora")) == TAKES_IT_HIMSELF
    assert do(carla, "red", Seat("red", "Carla")) == ""  # she plays it, and hands it on if she likes
    assert do(carla, "red", Seat("red", "")) == ""
    assert do(dora, "red", Seat("red", "Dora")).startswith("the red seat is kept for Carla")
    assert do(carla, "red", Seat("red", "")) == ""
    assert do(dora, "red", Seat("red", "Dora")) == ""


def test_an_owner_ends_a_game_whose_other_player_left_it_two_weeks_ago_though_his_seat_was_opened(
    hands: Hands, player: NewPlayer
) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    assert take_turn(anna, "red", End()) == ""
    leave(boris, "blue", anna)
    hands.ms += GONE_MS
    assert do(anna, "red", Seat("blue", "")) == ""
    assert do(anna, "", Result("", "nobody came")) == ""


def test_a_pause_is_not_ended_before_a_friend_who_does_not_speak_for_the_other_side(host: Host, player: NewPlayer) -> None:
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    duel(anna, boris, Terms(seats=FURTHER, clock=ClockTerms("absolute", 60_000)))
    follow(carla)
    sit(carla, "red", "second")
    assert take_turn(anna, "red", End()) == ""
    agree_on_a_pause(anna, boris)
    anna.games.close()
    host.hears_nothing_of("Anna")
    assert do(boris, "blue", Pause(on=False)).startswith("the pause was agreed on, and Anna of red is not here")


@pytest.mark.parametrize("how", ["beside another, who plays it", "under no signature of his"])
def test_who_asks_for_a_seat_that_he_does_not_get_hears_alike_whether_an_order_waits(
    how: str, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who is shown a game later learned as often as he asked when an order with chance had been given."""
    monkeypatch.setattr("server.witness.LATE_S", 60.0)
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    match, _ = duel(anna, boris, Terms(seats=FURTHER, dice=DiceTerms("witnessed"), spectators=SpectatorTerms(delay_entries=50)))
    until(anna, lambda known: acts(known, ChainPublished) == 2)
    follow(carla)
    if how == "under no signature of his":
        monkeypatch.setattr(carla.games._sittings, "signature", lambda *_: bytes(72))
    else:
        assert take_turn(anna, "red", End()) == ""
        assert take_turn(boris, "blue", End()) == ""
    before = asks(carla, "red", "second")
    withheld = Withheld(boris)
    withheld.is_held = True
    until(anna, lambda known: known.view.side_to_act() == "red")
    anna.games.give(GAME, "red", a_strike(match))
    boris.until(lambda: withheld.asked > 0)
    assert asks(carla, "red", "second") == before
    assert "waits" not in before


def asks(one: Player, side: str, seat: str) -> str:
    """Ask for a seat, and return why it was refused."""
    one.games.send(protocol.TakeSeat(GAME, side, seat))
    answer = one.wait(lambda note: isinstance(note, Answered) and note.refused is not None)
    assert isinstance(answer, Answered)
    return str(answer.refused)
