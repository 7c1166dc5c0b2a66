"""How a player comes to sit: at the seat that he asked for, by what he signed, and who shows his side's links."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable

import pytest

from client.connection import table
from client.connection.left_out import LeftOut
from client.connection.notes import Trouble
from client.connection.seatings import AHEAD, AS_ANOTHER
from client.connection.witnessing import DATES
from core import protocol
from core.gamefile import open_match
from core.log import Resign, Seat
from core.pack import Pack
from core.table_rules import DAY_MS, GONE_MS
from core.terms import DiceTerms, SeatTerms, Terms
from core.text import Text, text
from server import publishing, steady
from tests.hidden_toy.pack import files
from tests.hidden_toy.ruleset import RULESET
from tests.server.random_table import GAME, House, Person, Slow, found_wrong, opened, run_slow
from tests.server.test_namesakes import Played, played  # noqa: F401
from tests.toy.ruleset import End

SET_ELSEWHERE = "you asked for the first seat of blue, and the server set you at second"
UNASKED = "you were set at a seat of blue by what this program did not sign, or was refused"
BESIDE = f"{GAME}: you sit beside Clara, who shows the dice links of blue for you, and says what shall be where others' stay away"
SEATS = (SeatTerms("red"), SeatTerms("blue"), SeatTerms("blue", "second"))
AT_BLUE = Terms(dice=DiceTerms("witnessed"), seats=SEATS)


async def sits(house: House, name: str, side: str, seat: str = "") -> Person:
    person = house.people.get(name) or await house.connect(name)
    person.games.send(protocol.TakeSeat(GAME, side, seat))
    person.games.follow(GAME)
    await house.all_told()
    return person


def said(person: Person) -> list[str]:
    """Return what a player reads of how he came to sit."""
    told = [str(note) for note in person.notes if isinstance(note, LeftOut)]
    return [*told, *(note.text for note in person.notes if isinstance(note, Trouble) and note.is_remark)]


async def seat(house: House, signature: bytes, *, seat: str, name: str = "Boris") -> None:
    """Write down that Boris has sat down, by a signature of his, under a name."""
    boris, match = house.people["Boris"], house.room.match
    entry = match.act(Seat("blue", name, seat, key=boris.identity.key), side="blue", player=name, signature=signature)
    await house.room.append(entry)
    publishing.publish(house.service.sessions, house.room, [entry])
    await house.all_told()


@pytest.mark.parametrize("follows", [True, False], ids=["he follows it", "he has not opened it yet"])
def test_who_asks_for_the_first_seat_and_is_set_at_another_is_told(
    played: Callable[[Terms, Played], None], follows: bool,  # noqa: F811
) -> None:
    """A host's alias sat down at the first seat: server, host and alias threw all dice."""

    async def what(house: House) -> None:
        await sits(house, "Clara", "blue")
        boris = await house.connect("Boris")
        if follows:
            boris.games.follow(GAME)
            await house.all_told()
        boris.games.send(protocol.TakeSeat(GAME, "blue"))
        asked = boris.line.out.popleft()
        assert isinstance(asked, protocol.TakeSeat)
        if not follows:
            boris.games.follow(GAME)
        await seat(house, asked.signature, seat="second")
        assert SET_ELSEWHERE in found_wrong(boris)  # which he did not sign either
        assert said(boris) == [BESIDE]

    played(AT_BLUE, what)


def test_who_sits_down_at_a_further_seat_is_told_once_who_witnesses_for_him(
    played: Callable[[Terms, Played], None],  # noqa: F811
) -> None:
    async def what(house: House) -> None:
        clara = await sits(house, "Clara", "blue")
        boris = await sits(house, "Boris", "blue", "second")
        await house.connect("Boris")
        await house.all_told()
        assert [said(person) for person in (boris, clara, house.people["Anna"])] == [[BESIDE], [], []]
        assert not any(found_wrong(person) for person in house.people.values())

    played(AT_BLUE, what)


@pytest.mark.parametrize("waits", [True, False], ids=["two weeks later", "by a date that has not come"])
def test_who_is_let_have_a_seat_by_a_date_that_has_not_come_is_remarked(
    played: Callable[[Terms, Played], None], monkeypatch: pytest.MonkeyPatch, waits: bool,  # noqa: F811
) -> None:
    """Whose seat it was had left for the evening; a host's friend sat down there, and resigned."""

    async def what(house: House) -> None:
        anna, boris = house.people["Anna"], await sits(house, "Boris", "blue")
        anna.games.give(GAME, "red", End())
        await house.all_told()
        boris.games.send(protocol.LeaveSeat(GAME, "blue"))
        await house.all_told()
        left_ms = steady.now_ms()
        monkeypatch.setattr("client.connection.seatings.wall_ms", lambda: left_ms + (GONE_MS if waits else DAY_MS))
        with pytest.MonkeyPatch.context() as two_weeks_later:  # ends before the clock is given back that servers had before the house's
            two_weeks_later.setattr("server.steady.now_ms", lambda: left_ms + GONE_MS)
            table.do(anna.games, GAME, "red", Seat("blue", ""))
            await house.all_told()
        assert not house.room.match.table.chairs["blue", ""].kept_for
        for person in (anna, boris):
            assert said(person) == ([] if waits else [AHEAD.format(game=GAME, player="Boris", days=13)])
            assert not found_wrong(person)

    played(Terms(), what)


@pytest.mark.parametrize("follows", [True, False], ids=["he follows it", "he opened it later"])
def test_who_is_let_have_a_seat_by_days_that_have_passed_by_the_log_alone_is_remarked(
    played: Callable[[Terms, Played], None], monkeypatch: pytest.MonkeyPatch, follows: bool,  # noqa: F811
) -> None:
    """The log of the host lay two weeks in the past: its dates never were ahead of any clock."""

    async def what(house: House) -> None:
        monkeypatch.setattr("client.connection.hours.now_ms", house.now_ms)
        anna, boris = house.people["Anna"], await sits(house, "Boris", "blue")
        anna.games.give(GAME, "red", End())
        for person in (anna, boris) if follows else ():
            house.ping(person)
        await house.all_told()
        boris.games.send(protocol.LeaveSeat(GAME, "blue"))
        await house.all_told()
        left_ms = steady.now_ms()
        monkeypatch.setattr("client.connection.seatings.wall_ms", lambda: left_ms + GONE_MS)
        with pytest.MonkeyPatch.context() as two_weeks_later:  # ends before the clock is given back that servers had before the house's
            two_weeks_later.setattr("server.steady.now_ms", lambda: left_ms + GONE_MS)
            table.do(anna.games, GAME, "red", Seat("blue", ""))
            await house.all_told()
        assert not house.room.match.table.chairs["blue", ""].kept_for
        for person in (anna, boris):
            assert said(person) == ([DATES.format(game=GAME, days=14)] if follows else [])
            assert not found_wrong(person)

    played(Terms(), what)


NO_SEAT = protocol.NotAccepted(GAME, "", "", text("the game is paused"))
FAILED = protocol.Failed("seat", "another one", "busy", GAME)
NOT_SIGNED = protocol.NotAccepted(GAME, "", "", Text(protocol.ACT_NOT_SIGNED, {"act": "Seat", "player": "Boris"}))
NOT_SHOWN = protocol.NotAccepted(GAME, "", "", text(protocol.READS_MUCH))


def asks(boris: Person, seat: str = "") -> bytes:
    """Ask for a seat of blue, of which the server hears nothing; return the signature."""
    boris.games.send(protocol.TakeSeat(GAME, "blue", seat))
    asked = boris.line.out.popleft()
    assert isinstance(asked, protocol.TakeSeat)
    return asked.signature


def is_heard(boris: Person) -> None:
    """What he asked for before a ping is answered when that is: what is refused behind it is something else."""
    boris.line.pings.sends(0)
    boris.line.pings.answers(protocol.Pong({}, boris.line.pings.sent))


@pytest.mark.parametrize("refused", [NOT_SIGNED, NO_SEAT, FAILED, None], ids=["not signed", "paused", "failed", "of before"])
def test_who_is_set_at_a_seat_by_what_was_refused_or_is_not_known_is_told(
    played: Callable[[Terms, Played], None], refused: protocol.NotAccepted | protocol.Failed | None,  # noqa: F811
) -> None:
    """A host who refuses it falsely could set him there later, as he sleeps, and claim the game for his link."""

    async def what(house: House) -> None:
        boris = await house.connect("Boris")
        boris.games.follow(GAME)
        await house.all_told()
        boris.games.send(protocol.TakeSeat(GAME, "blue"))
        asked = boris.line.out.popleft()
        assert isinstance(asked, protocol.TakeSeat)
        if refused is not None:
            boris.games.happen(refused)
        else:
            boris.games._witnessing._seatings._asked.clear()
        await seat(house, asked.signature, seat="")
        assert [words.partition(":")[0] for words in said(boris)] == [UNASKED]
        assert [wrong for wrong in found_wrong(boris) if "busy" not in wrong] == []

    played(AT_BLUE, what)


@pytest.mark.parametrize("refused", [True, False])
def test_who_is_set_at_a_seat_by_an_act_that_was_refused_is_told(
    played: Callable[[Terms, Played], None], refused: bool,  # noqa: F811
) -> None:
    async def what(house: House) -> None:
        boris = await house.connect("Boris")
        boris.games.follow(GAME)
        await house.all_told()
        table.do(boris.games, GAME, "blue", Seat("blue", "Boris"))
        asked = boris.line.out.popleft()
        assert isinstance(asked, protocol.DoAct)
        if refused:
            boris.games.happen(protocol.NotAccepted("another", asked.order_id, "", text("the game is paused")))
        await seat(house, asked.signature, seat="")
        assert [words.partition(":")[0] for words in said(boris)] == ([UNASKED] if refused else [])

    played(AT_BLUE, what)


@pytest.mark.parametrize(("asks_twice", "heard", "refused"), [
    (False, False, NOT_SHOWN), (True, False, NO_SEAT), (False, True, NO_SEAT),
], ids=["he reads too much", "he asked for another seat", "he did it after that"])
def test_it_is_no_seat_that_was_refused_where_that_may_be_something_else(
    played: Callable[[Terms, Played], None], asks_twice: bool, heard: bool, refused: protocol.NotAccepted,  # noqa: F811
) -> None:
    async def what(house: House) -> None:
        boris = await house.connect("Boris")
        boris.games.follow(GAME)
        await house.all_told()
        if asks_twice:
            asks(boris, "second")
        signature = asks(boris)
        if heard:
            is_heard(boris)
        boris.games.happen(refused)
        await seat(house, signature, seat="")
        assert said(boris) == []

    played(AT_BLUE, what)


@pytest.mark.parametrize(("seats", "pinged", "refusals", "is_told"), [
    (("", ""), False, 2, True), (("", ""), False, 1, False), (("", "second"), True, 2, True), (("second", ""), False, 2, True),
], ids=["both", "one of two", "one before a ping, one behind it", "two seats"])
def test_who_asked_twice_and_was_refused_as_often_is_told_where_he_is_seated_by_it(
    played: Callable[[Terms, Played], None], seats: tuple[str, str], pinged: bool, refusals: int, is_told: bool,  # noqa: F811
) -> None:
    """A host answered nothing till he asked once more, refused both, and had him sit there when he wanted it no more."""

    async def what(house: House) -> None:
        boris = await house.connect("Boris")
        boris.games.follow(GAME)
        await house.all_told()
        first = asks(boris, seats[0])
        if pinged:
            boris.line.pings.sends(0)
        second = asks(boris, seats[1])
        boris.games.happen(NO_SEAT)
        if pinged:
            boris.line.pings.answers(protocol.Pong({}, boris.line.pings.sent))
        for _ in range(refusals - 1):
            boris.games.happen(NO_SEAT)
        await seat(house, second if seats[0] else first, seat="")
        assert [words.partition(":")[0] for words in said(boris)] == ([UNASKED] if is_told else [])

    played(AT_BLUE, what)


def test_what_was_answered_before_a_ping_is_none_of_what_is_refused_twice_behind_it(
    played: Callable[[Terms, Played], None],  # noqa: F811
) -> None:
    """By the first asking he was to be seated, as the game went on; it was paused as he asked for more."""

    async def what(house: House) -> None:
        boris = await house.connect("Boris")
        boris.games.follow(GAME)
        await house.all_told()
        signature = asks(boris)
        is_heard(boris)
        asks(boris, "second")
        for _ in range(2):
            boris.games.happen(NO_SEAT)
        await seat(house, signature, seat="")
        assert said(boris) == []

    played(AT_BLUE, what)


@pytest.mark.parametrize("refusals", [1, 2])
def test_an_act_that_was_refused_leaves_another_for_the_same_seat_to_be_taken(
    played: Callable[[Terms, Played], None], refusals: int,  # noqa: F811
) -> None:
    """He asked as the game was paused, and once more; by the second he was seated, and read that he had not signed it."""

    async def what(house: House) -> None:
        boris = await house.connect("Boris")
        boris.games.follow(GAME)
        await house.all_told()
        asked = []
        for _ in range(2):
            table.do(boris.games, GAME, "blue", Seat("blue", "Boris"))
            act = boris.line.out.popleft()
            assert isinstance(act, protocol.DoAct)
            asked.append(act)
        for act in asked[:refusals]:
            boris.games.happen(protocol.NotAccepted(GAME, act.order_id, "", text("the game is paused")))
        await seat(house, asked[1].signature, seat="")
        assert [words.partition(":")[0] for words in said(boris)] == ([UNASKED] if refusals == 2 else [])

    played(AT_BLUE, what)


@pytest.mark.parametrize("follows", [True, False], ids=["he follows it", "he opens it later"])
def test_who_is_set_at_a_seat_by_his_key_under_another_name_is_told_once(
    played: Callable[[Terms, Played], None], follows: bool,  # noqa: F811
) -> None:
    """He knew of no seat of his, published no chain for it, and lost by time."""

    async def what(house: House) -> None:
        boris = await house.connect("Boris")
        if follows:
            boris.games.follow(GAME)
            await house.all_told()
        boris.games.send(protocol.TakeSeat(GAME, "blue"))
        asked = boris.line.out.popleft()
        assert isinstance(asked, protocol.TakeSeat)
        await seat(house, asked.signature, seat="", name="Barys")
        boris.games.follow(GAME)
        await house.all_told()
        assert found_wrong(boris) == [AS_ANOTHER.format(player="Barys")]

    played(AT_BLUE, what)


def test_a_game_with_secrets_that_lies_open_at_its_end_seats_nobody_now(monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes from its beginning once more: by what had been refused since, its player read that he was set there by somebody."""
    monkeypatch.setattr("server.rooms.load", lambda name: RULESET)
    monkeypatch.setattr("client.connection.games.open_match", functools.partial(open_match, load=lambda name: RULESET))
    monkeypatch.setattr("server.chains.LINKS", 300)

    async def go(loop: Slow) -> None:
        house = House(loop, Pack(files()), random.Random(3))
        await opened(house, Terms(), "ambush", owner="Anna")
        anna, boris = await sits(house, "Anna", "red"), await house.connect("Boris")
        boris.games.follow(GAME)
        await house.all_told()
        await sits(house, "Boris", "blue")
        boris.games.happen(NOT_SIGNED)
        table.do(anna.games, GAME, "red", Resign("red"))
        await house.all_told()
        assert boris.match is not None
        assert not boris.match.viewer
        assert said(boris) == []

    run_slow(go)
