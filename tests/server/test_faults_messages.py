"""Messages that are lost, doubled, reordered and late, over real sockets: a game goes on as if all had come once and in order."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest

from client.connection import line
from client.connection.fouls import Foul
from client.connection.games import Up
from client.connection.notes import Answered, Ready
from client.connection.table import do
from client.connection.witness import NAMED_UNASKED
from core import protocol
from core.bots.random_bot import choose
from core.gamefile import open_match, read
from core.log import Late, Seat
from core.match import Match
from core.terms import ClockTerms, DiceTerms, Terms
from core.trials.verify import verify
from server import witness
from tests.server.conftest import SERVER, Host, Player, of, toy
from tests.server.proxy import Fate, Middle, What, each_once, now_and_then
from tests.server.test_play import open_game

NewPlayer = Callable[..., Player]
NewMiddle = Callable[..., Middle]


@pytest.fixture(autouse=True)
def quick_pings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line, "PING_S", 0.01)


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
    open_witnessed(player("Owner-2"), Terms(dice=DiceTerms("witnessed")))
    lines = {side: middle(name, up=each_once(what), down=each_once(what)) for side, name in SIDES.items()}
    players = {side: behind(lines[side], player, side, name) for side, name in SIDES.items()}
    given = take_turns(players, random.Random(2))
    assert_witnessed(host, players, given, lines)


def passes(tag: str, data: bytes) -> What:
    return "pass"


def till_he_is_named() -> Fate:
    """Return a fate that loses what asks for a link until an entry has named its owner late."""
    is_named = False

    def fate(tag: str, data: bytes) -> What:
        nonlocal is_named
        if tag == "link_wanted":
            return "pass" if is_named else "lose"
        if isinstance(told := protocol.decode_from_server(data), protocol.NewEntries):
            is_named = isinstance(told.entries[-1].act, Late)
        return "pass"

    return fate


def test_who_is_named_late_as_a_line_that_stays_up_lost_what_asked_for_his_link_is_told_so(
    host: Host, player: NewPlayer, middle: NewMiddle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(witness, "LATE_S", 0.1)
    open_witnessed(player("Owner-2"), Terms(dice=DiceTerms("witnessed")))
    lines = {side: middle(name, up=passes, down=passes if side == "red" else till_he_is_named()) for side, name in SIDES.items()}
    players = {side: behind(lines[side], player, side, name) for side, name in SIDES.items()}
    given = take_turns(players, random.Random(2))
    assert_witnessed(host, players, given, lines)
    named = {side: [note for note in one.notes if isinstance(note, Foul)] for side, one in players.items()}
    assert (bool(named["red"]), bool(named["blue"])) == (False, True)


class Hands:
    """The server's clock: time goes by while somebody thinks, and after he has given his order."""

    def __init__(self, seed: int) -> None:
        self.ms, self._rng = 1_000_000, random.Random(seed)

    def __call__(self) -> int:
        return self.ms

    def go_on(self) -> None:
        self.ms += self._rng.randrange(1, 2_000)


Faults = Callable[[int], Fate]  # of the messages of one way, by its number
HOURS_MS = 10 * 3_600_000  # more than any game takes
CLOCKS = {kind: ClockTerms(kind, HOURS_MS, 5_000 if kind == "fischer" else 0) for kind in ("absolute", "fischer", "turn")}


@pytest.mark.parametrize("clock", CLOCKS)
@pytest.mark.parametrize(
    "faults",
    [*(lambda _, what=what: each_once(what) for what in ("lose", "double", "late")), lambda way: now_and_then(way)],
    ids=["lose", "double", "late", "by chance"],
)
def test_the_clocks_of_a_witnessed_game_over_failing_lines_are_the_same_on_all_sides_and_no_time_is_lost_or_paid_twice(
    faults: Faults, clock: str, host: Host, player: NewPlayer, middle: NewMiddle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(witness, "LATE_S", 0.1)
    monkeypatch.setattr("server.steady.now_ms", hands := Hands(2))
    monkeypatch.setattr("client.connection.hours.now_ms", hands)  # else the players' programs tell that it goes faster than theirs
    begun_ms = hands.ms
    open_witnessed(player("Owner-2"), Terms(dice=DiceTerms("witnessed"), clock=CLOCKS[clock]))
    lines = {
        side: middle(name, up=faults(2 * number), down=faults(2 * number + 1)) for number, (side, name) in enumerate(SIDES.items())
    }
    players = {side: behind(lines[side], player, side, name) for side, name in SIDES.items()}
    given = take_turns(players, random.Random(2), between=hands.go_on)
    assert_witnessed(host, players, given, lines)
    room = host.service.room("first")
    clocks = room.match.table.clocks
    for one in players.values():
        file = read(one.games.file("first"))
        assert matched(one).table.clocks == clocks
        assert open_match(file, clock=lambda: 0, load=toy).table.clocks == clocks
        paid_ms = room.match.log.entries[-1].time_ms - begun_ms
        assert clock != "absolute" or sum(clocks.left_ms.values()) == 2 * HOURS_MS - paid_ms


SIDES = {"red": "Anna", "blue": "Boris"}


def open_witnessed(owner: Player, terms: Terms) -> None:
    owner.wait(lambda note: isinstance(note, Up))
    owner.games.send(protocol.CreateGame("first", "toy", "duel", terms=terms))
    owner.wait(lambda note: isinstance(note, protocol.Games))


def behind(between: Middle, player: NewPlayer, side: str, name: str) -> Player:
    """Seat a player who is behind somebody in the middle."""
    one = player(name, address=between.place.link)
    come_through(one, side, name)
    return one


def matched(one: Player) -> Match:
    match = one.games.match("first")
    assert match is not None
    return match


def assert_witnessed(host: Host, players: dict[str, Player], given: list[str], lines: dict[str, Middle]) -> None:
    """What each knows is whole, dice fell, and nobody saw a foul of the server's."""
    for side, one in players.items():
        assert_whole(host, one, matched(one), given)
        assert fouls(one, lines[side]) == []
        assert any(entry.links for entry in matched(one).log.entries)


def fouls(one: Player, between: Middle) -> list[Foul]:
    """Return the fouls that somebody saw, but for what his program says rightly where the line lost what asked for his link."""
    allowed = {NAMED_UNASKED} if "link_wanted" in between.missed else set()
    return [note for note in one.notes if isinstance(note, Foul) and note.text.template not in allowed]


def take_turns(players: dict[str, Player], rng: random.Random, *, between: Callable[[], None] = lambda: None) -> list[str]:
    """Let each play his side to the end, *between* one thing and the next; return the order ids."""
    given: list[str] = []
    matches = {side: matched(one) for side, one in players.items()}
    here = max(match.log.moved_at for match in matches.values())
    while True:
        for side, one in players.items():
            match = matches[side]
            one.until(lambda one=one, match=match, here=here: has_come(one, match, here), seconds=30)  # type: ignore[misc]
        if matches["red"].outcome is not None:
            return given
        side = matches["red"].view.side_to_act()
        one, match = players[side], matches[side]
        between()
        given.append(one.games.give("first", side, choose(match.view, rng)))
        between()
        one.until(lambda one=one, match=match, here=here: has_come(one, match, here + 1), seconds=30)  # type: ignore[misc]
        here = match.log.moved_at


def has_come(one: Player, match: Match, entry: int) -> bool:
    """Say whether somebody knows an entry that moved the game, and all that follows from it: no more comes of itself then."""
    with one.games.reading():
        return match.log.moved_at >= entry and match.witnesses.refusal() is None
