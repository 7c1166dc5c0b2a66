"""Games that could be held up for ever, over whole lines in a time of their own: a server with another key, or nobody there to go on."""

from __future__ import annotations

import functools
import random
from collections.abc import Awaitable, Callable

import pytest

from client.connection import table
from client.connection.notes import Answered
from core import protocol
from core.bots.random_bot import choose
from core.gamefile import open_match
from core.identity import fingerprint
from core.log import AnyAct, Late, Offer, Result, Rewind, Seat, TakenOver
from core.match import Match
from core.orders import Order, name_of
from core.terms import DiceTerms, Terms
from core.trials.verify import verify
from tests.server.conftest import of, toy, toy_packs
from tests.server.random_table import GAME, House, Person, Slow, found_wrong, opened, run_slow
from tests.toy.ruleset import End

SIDES = {"red": "Anna", "blue": "Boris"}
WAIT_MS = 3000
Played = Callable[[House], Awaitable[None]]


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> Callable[[Terms, str, Played], None]:
    """Return what plays a game between Anna and Boris on a server without sockets; somebody else may own it."""
    monkeypatch.setattr("server.rooms.load", toy)
    monkeypatch.setattr("client.connection.games.open_match", functools.partial(open_match, load=toy))
    for where in ("server.rooms", "server.chains", "client.connection.witness"):
        monkeypatch.setattr(f"{where}.LINKS", 300)

    def play(terms: Terms, owner: str, what: Played) -> None:
        async def go(loop: Slow) -> None:
            monkeypatch.setattr("client.connection.hours.now_ms", lambda: round(loop.now_s * 1000))
            house = House(loop, toy_packs("toy"), random.Random(3))
            await opened(house, terms, "duel", owner=owner)
            for name in {*SIDES.values(), owner, *terms.referees}:
                (house.people.get(name) or await house.connect(name)).games.follow(GAME)
            await house.all_told()
            for side, name in SIDES.items():
                house.people[name].games.send(protocol.TakeSeat(GAME, side))
                await house.all_told()
            await what(house)

        run_slow(go)

    return play


def acts(match: Match, kind: type) -> int:
    return sum(isinstance(entry.act, kind) for entry in match.log.entries)


async def at_a_strike(house: House) -> Order:
    """Play until Anna may strike; return that order."""
    for _ in range(400):
        view = house.room.match.view
        side, order = view.side_to_act(), choose(view, house.rng)
        if name_of(order) == "strike" and side == "red":
            return order
        house.people[SIDES[side]].games.give(GAME, side, order)
        await house.all_told()
    raise AssertionError("nobody strikes")


async def thrown(house: House) -> None:
    """Play until the first dice have been thrown."""
    while not any(entry.k for entry in house.room.match.log.entries):
        view, length = house.room.match.view, len(house.room.match.log)
        house.people[SIDES[view.side_to_act()]].games.give(GAME, view.side_to_act(), choose(view, house.rng))
        await house.all_told()
        assert len(house.room.match.log) > length


def is_gone(house: House, person: Person) -> None:
    """Let somebody's line be down for good."""
    session = house.service.sessions._all.get(person.peer)
    assert session is not None
    house.service.sessions.forget(session)
    person.peer = b""


async def done(house: House, person: Person, act: AnyAct) -> str:
    """Do something for no side, and return why it is refused."""
    order_id = table.do(person.games, GAME, "", act)
    await house.all_told()
    (answer,) = (note for note in person.notes if isinstance(note, Answered) and note.order_id == order_id)
    return "" if answer.refused is None else str(answer.refused)


# -------------------------------------------------------------------- another key


@pytest.mark.parametrize("leaves", [False, True])
def test_a_game_that_was_over_when_its_server_got_another_key_gets_dice_again_when_it_goes_on(
    played: Callable[[Terms, str, Played], None], leaves: bool
) -> None:
    """It was taken over at a start only while it was under way: players showed no links to a key that their game doesn't know."""

    async def what(house: House) -> None:
        house.people["Anna"].games.give(GAME, "red", End())
        await house.all_told()
        assert await done(house, house.people["Rita"], Result("", "enough")) == ""
        if leaves:
            house.people["Boris"].games.send(protocol.LeaveSeat(GAME, "blue"))
            await house.all_told()
        house.server = of("the same with another key")
        await house.restart(away_s=1.0)
        assert await done(house, house.people["Rita"], Rewind(0)) == ""
        if leaves:
            house.people["Rita"].games.send(protocol.TakeSeat(GAME, "red"))  # Anna's
            await house.all_told()
            assert acts(house.room.match, TakenOver) == 0
            house.people["Boris"].games.send(protocol.TakeSeat(GAME, "blue"))
            await house.all_told()
        await thrown(house)
        assert acts(house.room.match, TakenOver) == 1
        assert verify(house.file(), load=toy).findings == ()
        assert not any(found_wrong(person) for person in house.people.values())

    played(Terms(dice=DiceTerms("witnessed"), referees=("Rita",)), "Anna", what)


def test_who_sits_down_at_a_game_without_entries_signs_it_for_the_other_key_that_its_server_has_by_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("server.rooms.load", toy)
    monkeypatch.setattr("client.connection.games.open_match", functools.partial(open_match, load=toy))

    async def what(loop: Slow) -> None:
        house = House(loop, toy_packs("toy"), random.Random(1))
        await opened(house, Terms(dice=DiceTerms("witnessed", WAIT_MS)), "duel", owner="Anna")
        house.server = of("the same with another key")
        await house.restart(away_s=1.0)
        for side, name in SIDES.items():
            (house.people.get(name) or await house.connect(name)).games.follow(GAME)
            house.people[name].games.send(protocol.TakeSeat(GAME, side))
        await house.all_told()
        await thrown(house)
        assert acts(house.room.match, TakenOver) == 1
        assert verify(house.file(), load=toy).findings == ()
        assert not any(found_wrong(person) for person in house.people.values())

    run_slow(what)


@pytest.mark.parametrize("dice", ["server", "witnessed"])
def test_what_was_on_its_way_as_a_game_was_taken_over_is_refused_and_may_be_done_again(
    played: Callable[[Terms, str, Played], None], dice: str
) -> None:
    """Signed for a moment before that, it may be of a copy that the other server keeps: no player's program lets it stand."""

    async def what(house: House) -> None:
        anna = house.people["Anna"]
        await at_a_strike(house)
        crossed = table.do(anna.games, GAME, "red", Offer("draw"))
        anna.line.out.clear()  # lost with the line, and sent again when it is up
        house.server = of("the same with another key")
        await house.restart(away_s=1.0)
        await house.all_told()
        (answer,) = (note for note in anna.notes if isinstance(note, Answered) and note.order_id == crossed)
        assert str(answer.refused) == "the game has moved meanwhile; if you still mean it, do it again"
        table.do(anna.games, GAME, "red", Offer("draw"))
        await house.all_told()
        assert acts(house.room.match, Offer) == acts(house.room.match, TakenOver) == 1
        assert verify(house.file(), load=toy).findings == ()
        assert not any(found_wrong(person) for person in house.people.values())

    played(Terms(dice=DiceTerms(dice, WAIT_MS)), "Anna", what)


def test_a_server_with_another_key_asks_for_no_links_of_an_order_that_waits_and_says_who_can(
    played: Callable[[Terms, str, Played], None], caplog: pytest.LogCaptureFixture
) -> None:
    async def what(house: House) -> None:
        anna, key = house.people["Anna"], house.server
        order = await at_a_strike(house)
        is_gone(house, house.people["Boris"])
        anna.games.give(GAME, "red", order)
        await house.all_told()
        house.server = of("the same with another key")
        await house.restart(away_s=1.0)
        await house.all_told()
        await house.pass_time(10)
        await house.all_told()
        assert f"only a server with the key {fingerprint(key.key)} can ask for them" in caplog.text
        assert acts(house.room.match, Late) == 0
        again = anna.games.give(GAME, "red", order)
        await house.all_told()
        (answer,) = (note for note in anna.notes if isinstance(note, Answered) and note.order_id == again)
        assert f"only the server with the key {fingerprint(key.key)} can throw them" in str(answer.refused)
        house.server = key
        await house.restart(away_s=1.0)
        await house.all_told()
        assert any(entry.k for entry in house.room.match.log.entries)
        assert verify(house.file(), load=toy).findings == ()
        assert not any(found_wrong(person) for person in house.people.values())

    played(Terms(dice=DiceTerms("witnessed", WAIT_MS)), "Anna", what)


# -------------------------------------------------------------------- nobody there


def test_who_owns_a_game_that_all_have_left_with_an_order_that_waits_ends_it_for_nobody(
    played: Callable[[Terms, str, Played], None],
) -> None:
    """Whoever plays it may know its dice; and so might a friend of the owner's, until those who are waited for have had their time."""

    async def what(house: House) -> None:
        tom, anna, refused = house.people["Tom"], house.people["Anna"], "an order is being decided; wait for its result"
        order = next(one for seed in range(500) if name_of(one := choose(house.room.match.view, random.Random(seed))) == "strike")
        is_gone(house, house.people["Boris"])
        anna.games.give(GAME, "red", order)
        await house.all_told()
        is_gone(house, anna)
        await house.pass_time(2.5)
        await house.all_told()
        assert await done(house, tom, Result("", "they are gone")) == refused
        await house.pass_time(2)
        await house.connect("Anna")
        assert await done(house, tom, Result("", "they are gone")) == refused  # she is back, and shows her link: she may choose
        is_gone(house, anna)
        assert await done(house, tom, Result("red", "they are gone")) != ""
        assert await done(house, tom, Seat("blue", "")) == refused
        assert await done(house, tom, Result("", "they are gone")) == ""
        assert verify(house.file(), load=toy).findings == ()
        for name in SIDES.values():
            await house.connect(name)
        await house.all_told()
        assert not any(found_wrong(person) for person in house.people.values())

    played(Terms(dice=DiceTerms("witnessed", WAIT_MS)), "Tom", what)
