"""Messages that are lost, doubled, reordered and late, over real sockets: a game goes on as if all had come once and in order."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest

from client.connection import line
from client.connection.fouls import Foul
from client.connection.games import Answered, Ready, Up
from client.connection.table import do
from core import protocol
from core.bots.random_bot import choose
from core.gamefile import read
from core.log import Seat
from core.match import Match
from core.terms import DiceTerms, Terms
from core.trials.verify import verify
from server import witness
from tests.server.conftest import SERVER, Host, Player, of, toy
from tests.server.proxy import Fate, Middle, What, each_once, now_and_then
from tests.server.test_play import open_game

NewPlayer = Callable[..., Player]
NewMiddle = Callable[..., Middle]


@pytest.fixture(autouse=True)
def quick_pings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line, "PING_S", 0.03)


@pytest.fixture
def middle(host: Host) -> Iterator[NewMiddle]:
    made: list[Middle] = []

    def new(name: str, *, up: Fate, down: Fate) -> Middle:
        made.append(Middle(host.place, SERVER, of(name), up=up, down=down))
        return made[-1]

    yield new
    for one in made:
        one.close()


def come_through(one: Player, side: str, name: str = "Boris") -> Match:
    """Follow the game and sit down, however long it takes."""
    one.wait(lambda note: isinstance(note, Up), seconds=30)
    one.games.follow("first")
    one.wait(lambda note: isinstance(note, Ready), seconds=30)
    do(one.games, "first", side, Seat(side, name))
    match = one.games.match("first")
    assert match is not None
    one.until(lambda: name in match.table.holders(side), seconds=30)
    return match


def play_through(one: Player, match: Match, rng: random.Random) -> list[str]:
    """Play both sides to the end through whatever lies between; return the order ids."""
    given: list[str] = []
    while True:
        with one.games.reading():
            if match.outcome is not None:
                return given
            view = match.view
        here = match.log.moved_at
        given.append(one.games.give("first", view.side_to_act(), choose(view, rng)))
        answer = one.wait(lambda note: isinstance(note, Answered) and note.order_id == given[-1], seconds=30)
        assert isinstance(answer, Answered)
        assert answer.refused is None, answer
        one.until(lambda here=here: match.log.moved_at > here, seconds=30)  # type: ignore[misc]


def assert_whole(host: Host, one: Player, match: Match, given: list[str]) -> None:
    """What the player knows is what the server wrote down, each order once, and it verifies."""
    room = host.service.room("first")
    assert match.log.last_hash == room.match.log.last_hash
    stored = host.service.store.entries("first")
    assert [entry.hash for entry in stored] == [entry.hash for entry in match.log.entries]
    assert sorted(given) == sorted(order_id for order_id in room.orders if stored[room.orders[order_id]].order)
    assert len(given) == sum(bool(entry.order) for entry in stored)
    report = verify(read(one.games.file("first")), load=toy)
    assert report.holds, report.findings


@pytest.mark.parametrize("what", ["lose", "double", "late"])
def test_a_game_in_which_every_message_meets_a_fault_once(what: What, host: Host, player: NewPlayer, middle: NewMiddle) -> None:
    open_game(player("Anna"))
    between = middle("Boris", up=each_once(what), down=each_once(what))
    boris = player("Boris", address=between.place.link)
    match = come_through(boris, "red")
    do(boris.games, "first", "blue", Seat("blue", "Boris"))
    boris.until(lambda: "Boris" in match.table.holders("blue"), seconds=30)
    given = play_through(boris, match, random.Random(3))
    assert_whole(host, boris, match, given)
    assert between.struck > 3 * len(given)


@pytest.mark.parametrize("seed", range(4))
def test_a_game_over_a_line_that_fails_by_chance_in_every_way(seed: int, host: Host, player: NewPlayer, middle: NewMiddle) -> None:
    open_game(player("Anna"))
    between = middle("Boris", up=now_and_then(seed), down=now_and_then(seed + 100))
    boris = player("Boris", address=between.place.link)
    match = come_through(boris, "red")
    do(boris.games, "first", "blue", Seat("blue", "Boris"))
    boris.until(lambda: "Boris" in match.table.holders("blue"), seconds=30)
    given = play_through(boris, match, random.Random(seed))
    assert_whole(host, boris, match, given)
    assert between.struck > 3  # how many messages a game takes hangs on its dice, and on how fast they go


@pytest.mark.parametrize("what", ["lose", "double", "late"])
def test_a_witnessed_game_in_which_every_message_of_both_meets_a_fault_once(
    what: What, host: Host, player: NewPlayer, middle: NewMiddle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(witness, "LATE_S", 0.1)
    owner = player("Owner-2")
    owner.wait(lambda note: isinstance(note, Up))
    owner.games.send(protocol.CreateGame("first", "toy", "duel", terms=Terms(dice=DiceTerms("witnessed"))))
    owner.wait(lambda note: isinstance(note, protocol.Games))
    players: dict[str, Player] = {}
    for name, side in (("Anna", "red"), ("Boris", "blue")):
        between = middle(name, up=each_once(what), down=each_once(what))
        players[side] = player(name, address=between.place.link)
        come_through(players[side], side, name)
    given = take_turns(players, random.Random(2))
    one = players["red"]
    match = one.games.match("first")
    assert match is not None
    assert_whole(host, one, match, given)
    assert not any(isinstance(note, Foul) for each in players.values() for note in each.notes)
    assert any(entry.links for entry in match.log.entries)


def take_turns(players: dict[str, Player], rng: random.Random) -> list[str]:
    """Let each play his side to the end; return the order ids."""
    given: list[str] = []
    matches = {side: one.games.match("first") for side, one in players.items()}
    here = max(match.log.moved_at for match in matches.values() if match is not None)
    while True:
        for side, one in players.items():
            match = matches[side]
            assert match is not None
            one.until(lambda match=match, here=here: match.log.moved_at >= here and match.witnesses.refusal() is None, seconds=30)  # type: ignore[misc]
        if match.outcome is not None:
            return given
        side = match.view.side_to_act()
        one, match = players[side], matches[side]
        assert match is not None
        given.append(one.games.give("first", side, choose(match.view, rng)))
        one.until(lambda match=match, here=here: match.log.moved_at > here, seconds=30)  # type: ignore[misc]
        here = match.log.moved_at
