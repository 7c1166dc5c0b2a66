"""A host seats a key of her own under a player's name, before he opens the game: he plays nothing there, and is told."""

from __future__ import annotations

import functools
import random
from collections.abc import Awaitable, Callable

import pytest

from client.connection.bot_player import BotPlayer
from client.connection.notes import Trouble
from client.session.remote import RemoteMatch
from core import protocol
from core.bots.random_bot import choose
from core.errors import Refused
from core.gamefile import open_match
from core.identity import Identity, PublicKey, seat_signature
from core.log import Entry, Seat
from core.terms import DiceTerms, Terms
from server import publishing
from tests.server.conftest import toy, toy_packs
from tests.server.random_table import GAME, House, Person, Slow, found_wrong, opened, run_slow
from tests.toy.ruleset import End

HERS = Identity(b"h" * 32)
SITS = "the server lets somebody sit there under your name with another key: nothing of it is yours, and you give no orders there"
SEATED = "the server seated somebody under your name with another key"
ELSEWHERE = f"{GAME}: somebody sits there under your name with another key, from before this server kept the game: nothing of it is yours"
DICE = [pytest.param(Terms(), id="the server's dice"), pytest.param(Terms(dice=DiceTerms("witnessed")), id="witnessed dice")]
Played = Callable[[House], Awaitable[None]]


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> Callable[[Terms, Played], None]:
    """Return what plays on Anna's server, where she has begun a game and sits at red."""
    monkeypatch.setattr("server.rooms.load", toy)
    monkeypatch.setattr("client.connection.games.open_match", functools.partial(open_match, load=toy))
    for where in ("server.rooms", "server.chains", "client.connection.witness"):
        monkeypatch.setattr(f"{where}.LINKS", 300)

    def play(terms: Terms, what: Played) -> None:
        async def go(loop: Slow) -> None:
            house = House(loop, toy_packs("toy"), random.Random(3))
            await opened(house, terms, "duel", owner="Anna")
            house.people["Anna"].games.follow(GAME)
            await house.all_told()
            house.people["Anna"].games.send(protocol.TakeSeat(GAME, "red"))
            await house.all_told()
            await what(house)

        run_slow(go)

    return play


async def seat(house: House, key: PublicKey, *, side: str = "blue", signer: Identity = HERS) -> Entry:
    """Write down that Boris has sat down under a key."""
    match = house.room.match
    signature = seat_signature(signer, GAME, match.witnesses.kept_by, side, "", number=1) if key else b""
    entry = match.act(Seat(side, "Boris", key=key), side=side, player="Boris", signature=signature)
    await house.room.append(entry)
    return entry


async def asks_for_blue(house: House) -> Person:
    """Have Boris ask for blue's seat, and for the game; his server has taken in neither yet."""
    boris = await house.connect("Boris")
    boris.games.send(protocol.TakeSeat(GAME, "blue"))
    boris.games.follow(GAME)
    return boris


def remarks(person: Person) -> list[str]:
    return [note.text for note in person.notes if isinstance(note, Trouble) and note.is_remark]


@pytest.mark.parametrize("key", [HERS.key, ""], ids=["her key", "no key"])
@pytest.mark.parametrize("terms", DICE)
def test_who_is_seated_under_another_key_before_he_opens_the_game_is_told_and_plays_nothing(
    played: Callable[[Terms, Played], None], terms: Terms, key: PublicKey
) -> None:
    """She knew every dice throw, and could order and resign in his name."""

    async def what(house: House) -> None:
        boris = await asks_for_blue(house)
        boris.line.out.popleft()
        await seat(house, key)
        await house.all_told()
        house.people["Anna"].games.give(GAME, "red", End())
        await house.all_told()
        assert SITS in found_wrong(boris)
        window = RemoteMatch(boris.games, GAME, "Boris")
        assert (window.my_sides(), window.may_act) == ((), False)
        with pytest.raises(Refused, match="don't hold the seat"):
            window.order(End())

    played(terms, what)


def test_who_is_seated_under_another_key_as_he_looks_on_is_told_once(played: Callable[[Terms, Played], None]) -> None:
    async def what(house: House) -> None:
        boris = await house.connect("Boris")
        boris.games.follow(GAME)
        await house.all_told()
        publishing.publish(house.service.sessions, house.room, [await seat(house, HERS.key)])
        await house.all_told()
        assert found_wrong(boris) == [SEATED]
        assert RemoteMatch(boris.games, GAME, "Boris").my_sides() == ()

    played(Terms(), what)


def test_who_sits_down_by_his_own_key_plays_and_is_told_nothing(played: Callable[[Terms, Played], None]) -> None:
    async def what(house: House) -> None:
        boris = await asks_for_blue(house)
        await house.all_told()
        assert (found_wrong(boris), remarks(boris)) == ([], [])
        assert RemoteMatch(boris.games, GAME, "Boris").my_sides() == ("blue",)

    played(Terms(), what)


@pytest.mark.parametrize("asks", [False, True])
def test_of_a_game_that_another_server_kept_he_reads_that_nothing_is_his(played: Callable[[Terms, Played], None], asks: bool) -> None:
    """There one so called may have sat; but he who asks here for a seat sits by his own key, or does not."""

    async def what(house: House) -> None:
        await seat(house, HERS.key)
        house.server = Identity(b"another server".ljust(32))
        await house.restart(away_s=1.0)
        boris = await house.connect("Boris")
        if asks:
            boris.games.send(protocol.TakeSeat(GAME, "red"))
            boris.line.out.popleft()
        boris.games.follow(GAME)
        await house.all_told()
        assert (found_wrong(boris), remarks(boris)) == (([SITS], []) if asks else ([], [ELSEWHERE]))
        assert RemoteMatch(boris.games, GAME, "Boris").my_sides() == ()

    played(Terms(), what)


def test_a_bot_gives_no_order_for_who_is_so_called_as_it(played: Callable[[Terms, Played], None]) -> None:
    async def what(house: House) -> None:
        await seat(house, HERS.key)
        house.server = Identity(b"another server".ljust(32))
        await house.restart(away_s=1.0)
        boris = await house.connect("Boris")
        boris.games.follow(GAME)
        await house.all_told()
        robot = BotPlayer(choose, seed="1", game=GAME, side="blue")
        robot.games.close()
        robot.games, robot._ready = boris.games, True
        with pytest.raises(Refused, match="blue is played under our name by another key"):
            robot._act()

    played(Terms(), what)
