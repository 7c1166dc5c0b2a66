"""A game that comes is held against what was asked for, and against the line of the list from which a seat was taken."""

from __future__ import annotations

import functools
import random
from collections.abc import Awaitable, Callable

import msgspec
import pytest

from core import protocol
from core.gamefile import open_match
from core.terms import ClockTerms, DiceTerms, Terms
from core.text import text
from tests.server.conftest import of, toy, toy_packs
from tests.server.random_table import GAME, House, Person, Slow, found_wrong, run_slow
from tests.server.test_namesakes import remarks

TERMS = Terms(clock=ClockTerms("absolute", 3_600_000), dice=DiceTerms("witnessed"))
ANOTHER = "the game is another than you asked for, unless somebody else has begun one of that name: {} differ"
LISTED = f"{GAME}: the game is another than was listed as you took your seat: {{}} differ"
Played = Callable[[House], Awaitable[None]]


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> Callable[[Played], None]:
    """Return what plays on a server without games."""
    monkeypatch.setattr("server.rooms.load", toy)
    monkeypatch.setattr("client.connection.games.open_match", functools.partial(open_match, load=toy))

    def play(what: Played) -> None:
        async def go(loop: Slow) -> None:
            await what(House(loop, toy_packs("toy"), random.Random(3)))

        run_slow(go)

    return play


async def begins(house: House, terms: Terms, *, instead: Terms | None = None) -> Person:
    """Have Boris ask for a game, and his server begin it, or another instead; he opens it."""
    for referee in (instead or terms).referees:  # whose names must be known here
        await house.service.accounts.enter(of(referee).key, referee, "")
    boris = await house.connect("Boris")
    asked = protocol.CreateGame(GAME, house.pack.manifest.ruleset, "duel", terms=terms)
    boris.games.send(asked)
    boris.line.out[0] = asked if instead is None else msgspec.structs.replace(asked, terms=instead)
    await house.deliver(boris)
    house.hear(boris)
    boris.games.follow(GAME)
    await house.all_told()
    return boris


@pytest.mark.parametrize(("terms", "what"), [
    (msgspec.structs.replace(TERMS, dice=DiceTerms("server")), "dice"),
    (msgspec.structs.replace(TERMS, referees=("Fritz",)), "referees"),
    (msgspec.structs.replace(TERMS, clock=ClockTerms("absolute", 60_000), dice=DiceTerms("witnessed", 0)), "clocks, dice"),
], ids=["dice", "referees", "clocks and dice"])
def test_a_game_on_other_terms_than_were_asked_for_is_told(played: Callable[[Played], None], terms: Terms, what: str) -> None:
    """Her server alone threw the dice, and her friend could end the game as its referee: nobody compared it."""

    async def plays(house: House) -> None:
        assert found_wrong(await begins(house, TERMS, instead=terms)) == [ANOTHER.format(what)]

    played(plays)


def test_of_a_game_that_is_as_it_was_asked_for_nothing_is_told(played: Callable[[Played], None]) -> None:
    async def plays(house: House) -> None:
        boris = await begins(house, TERMS)
        boris.games.send(protocol.CreateGame(GAME, house.pack.manifest.ruleset, "duel", terms=TERMS))
        await house.connect("Boris")
        await house.all_told()
        assert (found_wrong(boris), remarks(boris)) == ([], [])

    played(plays)


def test_who_owns_a_game_that_another_began_on_the_same_terms_is_remarked(played: Callable[[Played], None]) -> None:
    async def plays(house: House) -> None:
        anna = await house.connect("Anna")
        anna.games.send(protocol.CreateGame(GAME, house.pack.manifest.ruleset, "duel", terms=TERMS))
        await house.all_told()
        boris = await begins(house, TERMS)
        assert (found_wrong(boris), remarks(boris)) == ([], [f"{GAME}: Anna owns the game that you asked for"])

    played(plays)


def test_a_game_that_was_refused_as_another_is_here_is_not_the_one_that_was_asked_for(played: Callable[[Played], None]) -> None:
    async def plays(house: House) -> None:
        anna = await house.connect("Anna")
        anna.games.send(protocol.CreateGame(GAME, house.pack.manifest.ruleset, "duel"))
        await house.all_told()
        boris = await begins(house, TERMS)
        assert (found_wrong(boris), remarks(boris)) == ([], [])

    played(plays)


def test_a_game_that_was_refused_in_other_words_and_comes_on_other_terms_is_remarked(played: Callable[[Played], None]) -> None:
    """By any words a host had his program forget what he had asked for; or somebody else has begun one of that name since."""

    async def plays(house: House) -> None:
        anna, boris = await house.connect("Anna"), await house.connect("Boris")
        boris.games.send(protocol.CreateGame(GAME, house.pack.manifest.ruleset, "duel", terms=TERMS))
        boris.line.out.clear()
        boris.games.happen(protocol.NotAccepted(GAME, "", "", text("you own {n} games at which nobody else sits", n=20)))
        terms = msgspec.structs.replace(TERMS, referees=("Boris",))
        anna.games.send(protocol.CreateGame(GAME, house.pack.manifest.ruleset, "duel", terms=terms))
        boris.games.follow(GAME)
        await house.all_told()
        assert (found_wrong(boris), remarks(boris)) == ([], [f"{GAME}: " + ANOTHER.format("referees")])

    played(plays)


@pytest.mark.parametrize(("listed", "what"), [(TERMS, []), (msgspec.structs.replace(TERMS, dice=DiceTerms("server")), ["dice"])])
def test_a_game_on_other_terms_than_were_listed_is_remarked_to_who_sits_down(
    played: Callable[[Played], None], listed: Terms, what: list[str]
) -> None:
    async def plays(house: House) -> None:
        await begins(house, TERMS)
        clara = await house.connect("Clara")
        clara.games.send(protocol.ListGames())
        await house.deliver(clara)
        games = protocol.decode_from_server(house.wire.sent[clara.peer].pop())
        assert isinstance(games, protocol.Games)
        line = games.games[0]
        terms = msgspec.structs.replace(line.terms, dice=listed.dice)
        clara.games.happen(msgspec.structs.replace(games, games=(msgspec.structs.replace(line, terms=terms),)))
        clara.games.send(protocol.TakeSeat(GAME, "red"))
        clara.games.follow(GAME)
        await house.all_told()
        assert (found_wrong(clara), remarks(clara)) == ([], [LISTED.format(one) for one in what])

    played(plays)
