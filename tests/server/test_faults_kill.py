"""The server killed at every stage of everything that it acknowledges: what was acknowledged is there, and nothing is there by halves."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from client.connection import table
from client.connection.bot_player import BotPlayer
from client.connection.fouls import Foul
from client.connection.games import Up
from client.connection.identity import KnownServers
from client.connection.notes import Answered, Ready
from core import protocol
from core.bots.random_bot import choose
from core.gamefile import open_match, read
from core.log import Admit, AnyAct, Away, Consent, Offer, Rewind, Seat
from core.match import Match
from core.orders import Order
from core.terms import ClockTerms, DiceTerms, SpectatorTerms, Terms
from core.trials.verify import verify
from core.views import View
from server.faultpoints import OF_LINKS, OF_ORDERS, OF_TABLES
from server.store.sqlite import STORE, SqliteStore
from tests.server.conftest import Player, of, toy
from tests.server.processes import Mortal
from tests.server.tables import GAME as TABLE
from tests.server.tables import do, duel, take_turn, until
from tests.toy.ruleset import End

ORDERS = 7


@pytest.fixture
def mortal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mortal]:
    monkeypatch.setattr("client.connection.games.open_match", functools.partial(open_match, load=toy))
    made = Mortal(tmp_path)
    yield made
    made.close()


def lively(view: View, rng: random.Random) -> Order:
    """Choose an order, but no end of a phase while there is anything else."""
    orders = [choose(view, rng) for _ in range(12)]
    return next((order for order in orders if not isinstance(order, End)), orders[0])


class Evening:
    """Anna plays both sides of a game, talks, offers, answers ahead; a server that dies meanwhile is started again."""

    def __init__(self, server: Mortal) -> None:
        self.server = server
        self.anna = server.player("Anna")
        self.acknowledged: dict[str, str] = {}  # what was asked, by its id

    def _until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds; start the server whenever it is dead."""
        while True:
            self.anna.until(lambda: self.server.is_dead or holds(), seconds=30)
            if not self.server.is_dead:
                return
            self.server.start()

    def _asked(self, what: str, order_id: str) -> None:
        def answer() -> Answered | None:
            return next((one for one in list(self.anna.notes) if isinstance(one, Answered) and one.order_id == order_id), None)

        self._until(lambda: answer() is not None)
        found = answer()
        assert found is not None
        assert found.refused is None, found
        self.acknowledged[order_id] = what

    def _begin(self) -> Match:
        """Begin the game, asking again whenever the server has come back."""
        games = self.anna.games
        ups = 0
        while not any(isinstance(note, protocol.Games) for note in list(self.anna.notes)):
            self._until(lambda ups=ups: self._count(Up) > ups)  # type: ignore[misc]
            ups = self._count(Up)
            games.send(protocol.CreateGame("g", "toy", "duel"))
            self._until(lambda ups=ups: self._count(Up) > ups or self._count(protocol.Games) > 0)  # type: ignore[misc]
        games.follow("g")
        self._until(lambda: self._count(Ready) > 0)
        match = games.match("g")
        assert match is not None
        return match

    def _count(self, kind: type[object]) -> int:
        return sum(isinstance(note, kind) for note in list(self.anna.notes))

    def _act(self, side: str, act: AnyAct) -> None:
        self._asked("act", table.do(self.anna.games, "g", side, act))

    def play(self) -> Match:
        """Do one of everything; return the game as Anna knows it."""
        match, games, rng = self._begin(), self.anna.games, random.Random(4)
        self._act("", Admit(SpectatorTerms("open", 3)))
        for side in ("red", "blue"):
            self._act(side, Seat(side, "Anna"))
        self._until(lambda: match.table.holders("blue") == {"Anna"})
        self._asked("chat", table.say(games, "g", "game", "hello"))
        self._asked("chat", table.say(games, "g", "game", "again"))
        orders = 0
        while orders < ORDERS or not match.log.k:
            here = match.log.moved_at
            self._asked("order", games.give("g", match.view.side_to_act(), lively(match.view, rng)))
            self._until(lambda here=here: match.log.moved_at > here)  # type: ignore[misc]
            orders += 1
        self._act("blue", Seat("blue", ""))
        self._act("blue", Seat("blue", "Anna"))
        self._asked("ahead", table.answer_ahead(games, "g", "red", "Act", End(), turn=1))
        return match


def assert_kept(evening: Evening, match: Match) -> None:
    """Hold what is on disk against all that was acknowledged."""
    anna, server = evening.anna, evening.server
    file = read(anna.games.file("g"))
    anna.games.close()
    server.kill()
    store = SqliteStore(server.data / STORE)
    try:
        entries, numbers, chat = store.entries("g"), store.orders("g"), store.read("SELECT words FROM chat ORDER BY number")
        answers = store.answers("g")
    finally:
        store.close()
    assert [entry.hash for entry in entries][: len(match.log)] == [entry.hash for entry in match.log.entries]
    wanted = {order_id for order_id, what in evening.acknowledged.items() if what in ("order", "act")}
    assert wanted <= set(numbers)
    given = [order_id for order_id, what in evening.acknowledged.items() if what == "order"]
    assert sum(bool(entry.order) for entry in entries if entry.player) == len(given), "an order was carried out twice, or not at all"
    acts = [what for what in evening.acknowledged.values() if what == "act"]
    assert sum(entry.act is not None for entry in entries) == len(acts)
    assert [words for (words,) in chat] == ["hello", "again"]
    assert set(answers) == {("red", "Act")}
    ks = [entry.k for entry in entries if entry.links]
    assert ks == sorted(set(ks)), "a number was used twice"
    report = verify(file, load=toy)
    assert report.holds, report.findings


def test_an_evening_without_a_fault(mortal: Mortal) -> None:
    mortal.start()
    evening = Evening(mortal)
    assert_kept(evening, evening.play())
    assert mortal.deaths == 1  # at the end, by us


@pytest.mark.parametrize("point", [*OF_TABLES, *OF_ORDERS])
def test_a_server_that_is_killed_at_a_stage_has_all_that_it_acknowledged_and_nothing_by_halves(point: str, mortal: Mortal) -> None:
    mortal.start(point)
    evening = Evening(mortal)
    match = evening.play()
    assert mortal.deaths == 1, f"{point} was never reached"
    assert_kept(evening, match)


@pytest.mark.parametrize("fault", [f"{when} commit#{number}" for number in range(1, 20, 4) for when in ("before", "after")])
def test_a_server_that_is_killed_at_any_write_goes_on_with_what_it_wrote(fault: str, mortal: Mortal) -> None:
    mortal.start(fault)
    evening = Evening(mortal)
    match = evening.play()
    assert mortal.deaths == 1, f"{fault} was never reached"
    assert_kept(evening, match)


@pytest.mark.parametrize("fault", ["before commit#1", "before commit#2", "before commit#3", "before commit#4", "game without entries"])
def test_bots_begin_a_game_again_that_was_not_written_down(fault: str, mortal: Mortal) -> None:
    mortal.start(fault)
    bots = [
        BotPlayer(choose, seed=side, game="g", side=side, create=protocol.CreateGame("g", "toy", "duel")) for side in ("red", "blue")
    ]
    try:
        for one in bots:
            one.start(mortal.address, one.side.title(), identity=of(one.side))
        mortal.wait_for_death()
        mortal.start()
        assert [one.wait(60) for one in bots] == [True, True]
    finally:
        for one in bots:
            one.close()
    assert mortal.deaths == 1


# -------------------------------------------------------------------- witnessed dice


class Duel:
    """Anna and Boris play a witnessed game; a server that dies is started again, and so are their programs if they shall be."""

    def __init__(self, server: Mortal, *, programs_too: bool) -> None:
        self.server, self.programs_too = server, programs_too
        self.fouls: list[Foul] = []
        self.players = self._enter()

    def _enter(self) -> dict[str, Player]:
        seated = {}
        for name, side in (("Anna", "red"), ("Boris", "blue")):
            one = seated[side] = self.server.player(name, known=KnownServers(self.server.data / name / "servers.json"))
            one.wait(lambda note: isinstance(note, Up))
            one.games.send(protocol.CreateGame("g", "toy", "duel", terms=Terms(dice=DiceTerms("witnessed"))))
            one.games.follow("g")
            one.wait(lambda note: isinstance(note, Ready))
            one.games.send(protocol.TakeSeat("g", side))
        for one in seated.values():
            one.until(lambda one=one: len(self.match(one).witnesses.chains) == 3, seconds=30)  # type: ignore[misc]
        return seated

    @staticmethod
    def match(one: Player) -> Match:
        match = one.games.match("g")
        assert match is not None
        return match

    def restart(self) -> None:
        self.server.start()
        if self.programs_too:
            self.close()
            self.players = self._enter()

    def close(self) -> None:
        for one in self.players.values():
            one.games.close()
            self.fouls += [note for note in one.notes if isinstance(note, Foul)]

    def play(self, rng: random.Random) -> None:
        """Play to the end, each order given by the program of its side."""
        gone_on_from = -1
        while True:
            self._until_all(lambda match, before=gone_on_from: match.log.moved_at > before)  # type: ignore[misc]
            match = self.match(self.players["red"])
            if match.outcome is not None:
                return
            gone_on_from = match.log.moved_at
            side = match.view.side_to_act()
            self.players[side].games.give("g", side, choose(self.match(self.players[side]).view, rng))

    def _until_all(self, holds: Callable[[Match], bool]) -> None:
        while not all(holds(self.match(one)) for one in self.players.values()):
            if self.server.is_dead:
                self.restart()
            for one in self.players.values():
                one.until(lambda one=one: self.server.is_dead or holds(self.match(one)), seconds=30)  # type: ignore[misc]
                if self.server.is_dead:
                    break


@pytest.mark.parametrize("programs_too", [False, True])
@pytest.mark.parametrize("point", OF_LINKS)
def test_a_witnessed_order_whose_server_was_killed_gets_its_links_again_and_the_same_dice(
    point: str, programs_too: bool, mortal: Mortal
) -> None:
    mortal.start(point)
    duel = Duel(mortal, programs_too=programs_too)
    duel.play(random.Random(5))
    assert mortal.deaths == 1, f"{point} was never reached"
    report = verify(read(duel.players["red"].games.file("g")), load=toy)
    assert (report.holds, report.remarks) == (True, ()), report
    duel.close()
    assert duel.fouls == []
    mortal.kill()
    store = SqliteStore(mortal.data / STORE)
    try:
        pending, entries = store.pending("g"), store.entries("g")
    finally:
        store.close()
    assert [record for record, _ in pending] == [entry.pending_record() for entry in entries if entry.links]
    assert all(set(entry.links) == {"Anna", "Boris", "server"} for entry in entries if entry.links)


@pytest.mark.parametrize("fault", ["before act", "after act", "act before it is accepted"])
def test_a_seat_that_is_left_as_the_server_dies_is_kept_for_who_left_it(fault: str, mortal: Mortal) -> None:
    mortal.start()
    anna, boris, carla = (mortal.player(name) for name in ("Anna", "Boris", "Carla"))
    duel(anna, boris)
    assert take_turn(anna, "red", End()) == ""
    mortal.kill()
    mortal.start(fault)
    boris.wait(lambda note: isinstance(note, Up), seconds=30)
    boris.wait(lambda note: isinstance(note, Ready), seconds=30)
    left = table.do(boris.games, TABLE, "blue", Seat("blue", ""))
    mortal.wait_for_death()
    mortal.start()
    answer = boris.wait(lambda note: isinstance(note, Answered) and note.order_id == left, seconds=30)
    assert isinstance(answer, Answered)
    assert answer.refused is None
    for one in (carla, anna):
        one.games.follow(TABLE)
        one.wait(lambda note: isinstance(note, Ready), seconds=30)
        assert "is kept for Boris" in do(one, "blue", Seat("blue", one.games.line.name))  # type: ignore[union-attr]
    assert do(boris, "blue", Seat("blue", "Boris")) == ""
    assert take_turn(boris, "blue", End()) == ""


def test_what_was_agreed_on_as_the_server_dies_is_carried_out_when_it_is_back_and_its_clocks_stood_still(mortal: Mortal) -> None:
    mortal.start("after act#4")  # two seats, an offer, its answer
    anna, boris = mortal.player("Anna"), mortal.player("Boris")
    match, _ = duel(anna, boris, Terms(clock=ClockTerms("absolute", 600_000)))
    start = match.log.head
    assert take_turn(anna, "red", End()) == ""
    assert do(anna, "red", Offer("rewind", start)) == ""
    until(boris, lambda match: bool(match.table.offers))
    table.do(boris.games, TABLE, "blue", Consent(len(match.log) - 1, yes=True))
    mortal.wait_for_death()
    mortal.start()
    for one in (anna, boris):
        until(one, lambda match: match.log.head == start)
    kinds = [type(entry.act) for entry in match.log.entries[-3:]]
    assert kinds == [Consent, Away, Rewind]
    assert verify(read(anna.games.file(TABLE)), load=toy).findings == ()
