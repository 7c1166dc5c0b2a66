"""Who sends much waits for himself: between a message and its answer everybody else has a turn or two, counted in messages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from client.connection.games import Games
from core import protocol
from core.identity import curve_key, key_text, with_number
from core.log import Resign
from core.terms import DiceTerms, Terms
from server import chat, service
from server.store.sqlite import STORE, SqliteStore
from server.turns import FairLock, Turns
from tests.server.conftest import SERVER, of, toy, toy_packs
from tests.server.store.test_durable import turned

FLOODERS, EACH = 10, 300
NAMES = ("Anna", *(f"Mallory {number}" for number in range(FLOODERS)))


class Part(bytes):
    """A part of a message, with what the gate said of its sender."""

    user, line = "", 9

    @property
    def buffer(self) -> bytes:
        return self

    def get(self, what: str) -> str:
        return {"User-Id": self.user, "Peer-Address": "10.0.0.1", "__fd": str(self.line)}[what]


class Switchboard:
    """A service without a socket: messages go straight in, and answers are noted in their order."""

    def __init__(self, store: SqliteStore) -> None:
        self.answered: list[str] = []
        self.sent: list[protocol.FromServer] = []
        self._something = asyncio.Event()
        self.service = service.Service(store, toy_packs, identity=SERVER, is_open=True)
        self.service.sessions.send_over(self)  # type: ignore[arg-type]

    def send(self, peer: bytes, data: bytes) -> None:
        self.answered.append(NAMES[peer[1]])
        self.sent.append(protocol.decode_from_server(data))
        self._something.set()

    def come(self, name: str, frame: protocol.Frame, *, line: int = 1) -> None:
        """Let a message of somebody come in, over one of his lines."""
        data = Part(protocol.encode(frame))
        data.user, data.line = key_text(curve_key(of(name).key)), 1_000 * NAMES.index(name) + line
        self.service._take_in([Part(bytes([0, NAMES.index(name), 1, 1, line])), data])  # type: ignore[list-item]

    async def at_work(self, many: int) -> None:
        """Wait until messages of so many are being answered, and no others are to be."""
        sessions, turns = self.service.sessions, self.service._turns
        while sessions.waiting or len(turns.at_work) != many:
            await turned()

    async def until(self, holds: Callable[[], bool]) -> None:
        while not holds():
            self._something.clear()
            await self._something.wait()


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SqliteStore]:
    monkeypatch.setattr("server.rooms.load", toy)
    made = SqliteStore(tmp_path / STORE)
    yield made
    made.close()


@asynccontextmanager
async def greeted(store: SqliteStore) -> AsyncIterator[Switchboard]:
    board = Switchboard(store)
    for name in NAMES:
        board.come(name, protocol.Hello(protocol.VERSION, name, of(name).key))
    await board.until(lambda: len(board.answered) == len(NAMES))
    board.answered.clear()
    board.sent.clear()
    try:
        yield board
    finally:
        board.service.close()


@pytest.mark.parametrize("frame", [protocol.Ping(), protocol.ListGames(), protocol.Follow("nowhere"), protocol.ReadChat("")])
def test_nobody_waits_for_the_many_messages_of_others(frame: protocol.Frame, store: SqliteStore) -> None:
    async def measure() -> int:
        async with greeted(store) as board:
            for name in NAMES[1:]:
                for _ in range(EACH):
                    board.come(name, frame)
            board.come("Anna", protocol.Ping())
            await board.until(lambda: "Anna" in board.answered)
            return board.answered.index("Anna")

    assert asyncio.run(measure()) <= 2 * FLOODERS


def test_who_has_many_lines_has_no_more_turns_than_who_has_one(store: SqliteStore) -> None:
    async def measure() -> tuple[int, set[str]]:
        async with greeted(store) as board:
            for line in range(2, 52):
                board.come("Mallory 0", protocol.Hello(protocol.VERSION, "Mallory 0", of("Mallory 0").key), line=line)
                for _ in range(5):
                    board.come("Mallory 0", protocol.Ping(), line=line)
            board.come("Anna", protocol.Ping())
            await board.until(lambda: "Anna" in board.answered)
            before = board.answered.index("Anna")
            await board.until(lambda: len(board.answered) == 50 * 6 + 1)
            return before, {type(frame).__name__ for frame in board.sent}

    before, sent = asyncio.run(measure())
    assert before <= 3
    assert sent == {"Welcome", "Pong"}


SIGNED, HASH = b"s" * 64, b"h" * 32
MOVING = [  # what is answered alone in its game; each is refused, to who has no seat
    protocol.Give("duel", "red", "1", 0, b"o", SIGNED),
    protocol.TakeSeat("duel", "nowhere"),
    protocol.DoAct("duel", "red", "1", Resign("red")),
    protocol.AnswerAhead("duel", "red", "1", "Pay", b"o"),
    protocol.Revoke("duel", "red", "1", "Pay"),
    protocol.PublishChain("duel", HASH, 1000, SIGNED),
    protocol.ShowLink("duel", 1, HASH, HASH, SIGNED),
    protocol.ChooseFallback("duel", "red", "Anna", 1, HASH, "wait", with_number(SIGNED, 1)),
]


@pytest.mark.parametrize("frame", MOVING, ids=lambda frame: type(frame).__name__)
def test_of_what_somebody_sends_over_many_lines_one_stands_before_others_in_a_game(frame: protocol.Frame, store: SqliteStore) -> None:
    """A dice link of Anna's, 50 ms on its way, waited 2 s for ninety answers given ahead that were written first, and her clock paid."""

    async def measure() -> int:
        async with greeted(store) as board:
            board.come("Anna", protocol.CreateGame("duel", "toy", "duel", terms=Terms(dice=DiceTerms("witnessed", 60_000))))
            await board.at_work(0)
            for line in range(2, 52):
                board.come("Mallory 0", protocol.Hello(protocol.VERSION, "Mallory 0", of("Mallory 0").key), line=line)
            await board.at_work(0)
            board.answered.clear()
            async with board.service.rooms["duel"].lock:
                for line in range(2, 52):
                    board.come("Mallory 0", frame, line=line)
                await board.at_work(50)
                board.come("Anna", frame)
                await board.at_work(51)
            await board.at_work(0)
            return board.answered.index("Anna")

    assert asyncio.run(measure()) <= 1


def test_who_goes_away_while_he_waits_for_a_game_holds_nobody_up_and_nothing_is_kept_of_him() -> None:
    async def play() -> tuple[list[str], object]:
        lock, had = FairLock(), list[str]()

        async def have(owner: str, message: str) -> None:
            async with lock.of(owner):
                had.append(message)
                await turned()

        wanted = [("Anna", "first"), ("Mallory", "goes"), ("Mallory", "goes too"), ("Mallory", "stays"), ("Boris", "last")]
        tasks = [asyncio.create_task(have(*one)) for one in wanted]
        await turned()
        assert had == ["first"]
        for gone in tasks[1:3]:  # one waits for the lock, one for the other's turn
            gone.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return had, lock._theirs

    had, kept = asyncio.run(play())
    assert sorted(had) == ["first", "last", "stays"]
    assert kept == {}


def test_what_somebody_sends_beyond_all_measure_is_dropped_and_the_rest_is_answered(store: SqliteStore) -> None:
    async def measure() -> tuple[int, int]:
        async with greeted(store) as board:
            for _ in range(service.INBOX_LIMIT + service.FLOOD):
                board.come("Mallory 0", protocol.Ping())
            for _ in range(100):
                board.come("Mallory 1", protocol.Follow("x" * 64, viewer="y" * 64))
                board.service._take_in([Part(bytes([0, 2, 1, 1, 1])), big()])  # type: ignore[list-item]
            held = max(session.inbox_bytes for session in board.service.sessions)
            await board.until(lambda: not any(session.inbox for session in board.service.sessions))
            assert all(session.inbox_bytes == 0 for session in board.service.sessions)
            return held, board.answered.count("Mallory 0")

    held, answers = asyncio.run(measure())
    assert held <= service.INBOX_BYTES
    assert answers == service.INBOX_LIMIT


def big() -> Part:
    data = Part(bytes(protocol.MAX_ASKED))
    data.user = key_text(curve_key(of("Mallory 1").key))
    return data


@pytest.mark.parametrize("number", [0, 7])
def test_whoever_waits_for_the_disk_hears_that_the_server_is_there(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Clients took the line for dead after 20 s and made another, again and again."""
    monkeypatch.setattr("server.service.AT_WORK_S", -1.0)

    async def ping_meanwhile() -> list[protocol.FromServer]:
        kept, begun, disk = chat.keep, asyncio.Event(), asyncio.Event()

        async def keep(*line: Any) -> object:
            begun.set()
            await disk.wait()
            return await kept(*line)

        monkeypatch.setattr("server.chat.keep", keep)
        async with greeted(store) as board:
            board.come("Anna", protocol.Say("", chat.LOBBY, "line", "Good evening"))
            await begun.wait()
            board.come("Anna", protocol.Ping(number))
            assert len(board.sent) == 1
            disk.set()
            await board.until(lambda: len(board.sent) == 3)
            return board.sent

    meanwhile, answer, pong = asyncio.run(ping_meanwhile())
    assert meanwhile == protocol.Pong(is_busy=True)
    assert isinstance(answer, protocol.Accepted)
    assert pong == protocol.Pong(number=number)


def test_what_broke_over_a_message_is_at_it_no_more(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.service.AT_WORK_S", -1.0)

    async def break_over_one() -> list[protocol.FromServer]:
        async with greeted(store) as board:
            with monkeypatch.context() as broken:
                broken.setattr("server.service.protocol.decode_from_client", lambda data: data.nothing)
                board.come("Anna", protocol.ListGames())
                (at_work,) = board.service._turns.at_work.values()
                with pytest.raises(AttributeError):
                    await at_work
            board.come("Anna", protocol.Ping())
            await board.until(lambda: protocol.Pong() in board.sent)
            return board.sent

    assert asyncio.run(break_over_one()) == [protocol.Pong()]


def test_whoever_comes_back_from_the_disk_goes_on_before_another_is_begun() -> None:
    said: list[str] = []

    async def take_turns() -> None:
        disk = asyncio.Event()

        async def work(who: str) -> None:
            said.append(f"{who} begins")
            if who == "Anna":
                await disk.wait()
                said.append("Anna goes on")
            del turns.at_work[who]

        def hear() -> bool:
            is_written = "Boris begins" in said and not disk.is_set()
            if is_written:
                disk.set()
            return is_written

        turns = Turns(work, hear)
        for who in ("Anna", "Boris", "Clara", "David"):
            turns.add(who)
        await turns.over(60)

    asyncio.run(take_turns())
    assert said == ["Anna begins", "Boris begins", "Anna goes on", "Clara begins", "David begins"]


def test_the_more_wait_the_more_are_begun_at_once() -> None:
    begun, at_once = [0], list[int]()

    async def take_turns() -> None:
        async def work(who: int) -> None:
            begun[-1] += 1
            del turns.at_work[who]

        def hear() -> bool:
            begun.append(0)
            return False

        turns = Turns(work, hear)
        for who in range(41):
            turns.add(who)
        await turns.over(60)
        at_once.extend(begun)

    asyncio.run(take_turns())
    assert at_once == [1, 11, 8, 6, 4, 3, 3, 2, 1, 1, 1]


def test_nobody_has_a_turn_once_the_turns_are_over() -> None:
    begun: list[str] = []

    async def end() -> None:
        async def work(who: str) -> None:
            begun.append(who)
            turns.close()
            del turns.at_work[who]

        turns = Turns(work, lambda: False)
        for who in ("Anna", "Boris"):
            turns.add(who)
        await turns.over(60)
        turns.add("Clara")
        await turns.over(60)

    asyncio.run(end())
    assert begun == ["Anna"]


@pytest.mark.parametrize("has_chosen", [False, True])
def test_the_line_of_whoever_floods_it_is_ended_and_nothing_more_of_it_is_taken_in(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch, has_chosen: bool
) -> None:
    """libzmq takes in all that comes: a line of which it took no more broke off, and the server died of it.

    Nor is more kept, or more answered, of whoever has chosen his routing id.
    """
    ended: list[str] = []
    monkeypatch.setattr("server.endless.end", lambda line, why: ended.append(why))

    async def flood() -> int:
        async with greeted(store) as board:
            monkeypatch.setattr("server.security.is_ours", lambda peer: not has_chosen or NAMES[peer[1]] != "Mallory 0")
            for _ in range(3 * service.INBOX_LIMIT):
                board.come("Mallory 0", protocol.Ping())
            board.come("Anna", protocol.Ping())
            await board.until(lambda: "Anna" in board.answered)
            assert board.service.gate.decide("10.0.0.2", b"CURVE", [curve_key(of("Mallory 0").key)])[0] == b"300"
            assert board.service.gate.decide("10.0.0.2", b"CURVE", [curve_key(of("Anna").key)])[0] == b"200"
            return len(board.service.sessions.of("Mallory 0"))

    assert asyncio.run(flood()) == 0
    assert ended == ["a flood"]


class Noted:
    """A line that notes what is sent over it, and how many pings were sent and answered."""

    name, heard_ms = "Anna", None

    def __init__(self) -> None:
        self.sent: list[protocol.Frame] = []
        self.pinged = self.answered = 0

    def send(self, frame: protocol.Frame) -> None:
        self.sent.append(frame)


@pytest.fixture
def noted() -> tuple[Games, Noted]:
    games = Games(lambda note: None)
    games.line = line = Noted()  # type: ignore[assignment]
    return games, line


ASKED = protocol.Say("", chat.LOBBY, "line", "Good evening")


def test_nothing_is_asked_again_while_the_server_is_busy_with_it(noted: tuple[Games, Noted]) -> None:
    games, line = noted
    games.ask(ASKED)
    for _ in range(3):
        games.happen(protocol.Pong(is_busy=True))
    assert line.sent == [ASKED]
    for line.answered in (1, 2):
        games.happen(protocol.Pong())
    assert line.sent == [ASKED, ASKED]


def test_what_was_asked_behind_pings_is_not_lost_when_they_are_answered(noted: tuple[Games, Noted]) -> None:
    """A server that stood still answers two pings at once, and then what was asked meanwhile: done twice, it was refused and done."""
    games, line = noted
    line.pinged = 2
    games.ask(ASKED)
    for line.answered in (1, 2):
        games.happen(protocol.Pong())
    assert line.sent == [ASKED]
    for line.answered in (3, 4):
        games.happen(protocol.Pong())
    assert line.sent == [ASKED, ASKED]
