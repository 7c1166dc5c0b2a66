"""A game with secrets over real sockets, and clients of it whose bytes are told from each other's."""

from __future__ import annotations

import functools
import random
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from client.connection import line as line_module
from client.connection.games import Up
from client.connection.notes import Answered, Note, Ready
from core import gamefile, protocol
from core.bots.random_bot import busy
from core.hidden import PUBLIC
from core.log import Offer, Rewind
from core.match import Match
from core.orders import Order
from core.pack import Pack
from core.seen import SeenLog
from core.terms import Terms
from core.units import UnitId
from server import running
from tests.hidden_toy.pack import ambush, files
from tests.hidden_toy.ruleset import RULESET, Deploy, End, Plan
from tests.server.conftest import SERVER, Host, Player, of, take_names

SETTING = ambush()
GAME = "dark"


def packs(name: str) -> Pack:
    return Pack(files())


class DarkHost(Host):
    async def _serving(self, address: str, is_open: bool, ready: Any) -> None:
        owner = of("Owner").key
        await running.run(self.data, address, packs, self._stop, identity=SERVER, owner=owner, is_open=is_open, ready=ready)


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> dict[int, list[bytes]]:
    """Record every message that a client's thread receives, as it comes from the socket."""
    recorded: dict[int, list[bytes]] = defaultdict(list)
    decode = protocol.decode_from_server

    def recording(data: bytes) -> protocol.FromServer:
        recorded[threading.get_ident()].append(data)
        return decode(data)

    monkeypatch.setattr(line_module.protocol, "decode_from_server", recording)
    return recorded


@pytest.fixture
def dark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, heard: dict[int, list[bytes]]) -> Iterator[DarkHost]:
    monkeypatch.setattr("server.rooms.load", lambda name: RULESET)
    monkeypatch.setattr("client.connection.games.open_match", _open)
    made = DarkHost(tmp_path)
    made.start()
    yield made
    made.stop()


_open = functools.partial(gamefile.open_match, load=lambda name: RULESET)


@pytest.fixture
def client(dark: DarkHost) -> Iterator[Callable[[str], Listener]]:
    made: list[Listener] = []

    def new(name: str) -> Listener:
        made.append(Listener(dark.address, name))
        made[-1].wait(lambda note: isinstance(note, Up))
        return made[-1]

    yield new
    for one in made:
        one.games.close()


class Listener(Player):
    """A client of the dark game whose thread is known, so that its bytes can be told from those of others."""

    thread = 0

    def __init__(self, address: str, name: str) -> None:
        self.said: list[Note] = []
        super().__init__(address, name)

    def _note(self, note: Note) -> None:
        self.thread = threading.get_ident()
        self.said.append(note)
        super()._note(note)

    @property
    def match(self) -> Match:
        found = self.games.match(GAME)
        assert found is not None, "the game is not open"
        return found

    def stands(self, side: str) -> bool:
        """Say whether the game waits for a side, as far as it is known here."""
        with self.games.reading():
            match = self.games.match(GAME)
            return match is not None and match.viewer != "" and len(match.log) > 0 and match.view.side_to_act() == side

    def sit(self, side: str) -> None:
        self.games.send(protocol.TakeSeat(GAME, side))
        self.games.follow(GAME)
        self.until(lambda: self.sits(side))

    def sits(self, side: str) -> bool:
        """Say whether it sits at a side, as far as is known here: what it does there can't be signed before."""
        assert self.games.line is not None, "it plays nowhere"
        with self.games.reading():
            match = self.games.match(GAME)
            return match is not None and match.viewer == side and self.games.line.name in match.table.holders(side)

    def settle(self) -> None:
        """Wait until what was on its way has come: the answer to what is asked now comes behind it."""
        self.games.send(protocol.ListGames())
        self.wait(lambda note: isinstance(note, protocol.Games))

    def give(self, side: str, order: Order) -> Answered:
        order_id = self.games.give(GAME, side, order)
        answer = self.wait(lambda note: isinstance(note, Answered) and note.order_id == order_id)
        assert isinstance(answer, Answered)
        return answer


NewClient = Callable[[str], Listener]


class Red(msgspec.Struct, frozen=True):
    """What red does that blue may not know of."""

    first: Deploy
    second: Deploy
    plan: str
    mines: int
    undone: int
    ahead: bool


BOARD = SETTING.board
AT, THERE = BOARD.hex("T0202"), BOARD.hex("T0204")
PLAIN = Red(Deploy(UnitId(0), AT), Deploy(UnitId(2), THERE), "bold", 0, 0, ahead=False)
TWINS = {
    "the counters of two stacks are in each other's place": msgspec.structs.replace(
        PLAIN, first=Deploy(UnitId(2), AT), second=Deploy(UnitId(0), THERE)
    ),
    "another plan": msgspec.structs.replace(PLAIN, plan="wary"),
    "a mine is laid": msgspec.structs.replace(PLAIN, mines=1),
    "a mine is laid and taken back, twice": msgspec.structs.replace(PLAIN, undone=2),
    "an answer is given ahead": msgspec.structs.replace(PLAIN, ahead=True),
}


def begun(client: NewClient, terms: Terms | None = None, *, watched: bool = False) -> dict[str, Listener]:
    """Return two players at a new game, and somebody who watches: he was there before the set-up had ended."""
    anna, boris = client("Anna"), client("Boris")
    take_names(anna.games, terms.referees if terms else ())
    anna.games.send(protocol.CreateGame(GAME, "ambush", "ambush", terms=terms or Terms()))
    anna.games.follow(GAME)
    anna.wait(lambda note: isinstance(note, Ready))
    there = {"red": anna, "blue": boris}
    if watched:
        there[PUBLIC] = client("Carla")
        there[PUBLIC].games.follow(GAME)
        there[PUBLIC].wait(lambda note: isinstance(note, Ready))
    anna.sit("red")
    boris.sit("blue")
    return there


def truth(dark: DarkHost) -> Match:
    return dark.service.rooms[GAME].match


def known_here(one: Listener, dark: DarkHost, viewer: str) -> Callable[[], bool]:
    """Return whether a client has heard of everything that it may know of."""
    return lambda: len(one.match.log) == len(SeenLog(SETTING, truth(dark).log, viewer).grow())


def all_open(one: Listener, dark: DarkHost) -> Callable[[], bool]:
    """Return whether a client has the whole game as it lies open; for a moment it has none, when it comes anew at the end."""

    def holds() -> bool:
        with one.games.reading():  # what is found wrong by then is told
            match = one.games.match(GAME)
            return match is not None and match.viewer == "" and len(match.log) == len(truth(dark).log)

    return holds


def other(side: str) -> str:
    return "blue" if side == "red" else "red"


def play(dark: DarkHost, there: dict[str, Listener], rng: random.Random, *, most: int = 400, undo: float = 0.1) -> None:
    """Play at random, each side from what its client knows; some orders are taken back, or it is asked to."""
    for _ in range(most):
        if truth(dark).outcome is not None:
            return
        side = truth(dark).view.side_to_act()
        one = there[side]
        one.until(known_here(one, dark, side))
        with one.games.reading():
            order, head = busy(one.match.view, rng), one.match.log.head
        answer = one.give(side, order)
        assert answer.refused is None, answer
        if truth(dark).outcome is None and rng.random() < undo:
            take_back(dark, there, side, head, yes=rng.random() < 0.5)


def set_up(dark: DarkHost, there: dict[str, Listener]) -> None:
    """Let the sides do what comes before red's first turn, plainly."""
    for side, order in (("red", PLAIN.first), ("red", End()), ("blue", End()), ("red", Plan("bold")), ("blue", Plan("bold"))):
        there[side].until(known_here(there[side], dark, side))
        assert there[side].give(side, order).refused is None


def take_back(dark: DarkHost, there: dict[str, Listener], side: str, to: int, *, yes: bool) -> None:
    """Ask to go back to an entry, by the side's own number; if the other side is asked, it answers."""
    one, two = there[side], there[other(side)]
    one.until(known_here(one, dark, side))
    with one.games.reading():
        last = len(one.match.log)
    one.games.send(protocol.AskRewind(GAME, side, to))
    one.until(lambda: len(one.match.log) > last)
    asked = one.match.log.entries[last]
    if isinstance(asked.act, Rewind):
        return
    two.until(known_here(two, dark, other(side)))
    with two.games.reading():
        offer = next(entry.number for entry in reversed(two.match.log.entries) if isinstance(entry.act, Offer))
        last = len(two.match.log)
    two.games.send(protocol.Answer(GAME, other(side), offer, yes))
    two.until(lambda: len(two.match.log) > last + int(yes))
