"""A server and its players in one loop, without sockets: time passes when the test says so, and each message comes when it says so.

The players' programs are the real ones (`client.connection.games`), and so is all of the server behind its wire. Random acts of everybody,
right and wrong ones, are thrown at it; `tests.server.test_random_table` says what must hold after each.
"""

from __future__ import annotations

import asyncio
import contextvars
import heapq
import itertools
import random
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any

import pytest

from client.connection import table
from client.connection.fouls import Foul
from client.connection.games import Games
from client.connection.line import Up
from client.connection.notes import Note, Trouble
from client.connection.pings import Pings
from core import protocol
from core.bots.random_bot import choose
from core.errors import BadInput, Refused
from core.gamefile import GameFile, new_head, read, write
from core.log import (
    Admit,
    AnyAct,
    Claim,
    Consent,
    Flag,
    Limit,
    Offer,
    Pause,
    Resign,
    Result,
    Rewind,
    Seat,
    SetClock,
    Withdraw,
)
from core.match import Match
from core.pack import Pack
from core.table import VERSION
from core.terms import SpectatorTerms, Terms
from core.units import UnitId
from server import security, steady
from server.accounts import user_of
from server.rooms import Room
from server.service import Service
from server.sessions import Session
from server.steady import SteadyClock
from tests.server.conftest import SERVER, of
from tests.server.store.memory_store import MemoryStore, Shelf

GAME = "table"
VERSIONS = (1, VERSION)  # of how tables are reckoned in games that are played on
Way = Callable[[], object]
RESIGNS = 0.03  # of acts that could be anything, how many end the game


class Slow(asyncio.SelectorEventLoop):
    """A loop whose timers go off when the test lets time pass."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 1_000.0
        self._numbers = itertools.count()
        self.timers: list[tuple[float, int, asyncio.TimerHandle]] = []

    def time(self) -> float:
        return self.now_s

    def call_later(self, delay: float, callback: Any, *args: Any, context: contextvars.Context | None = None) -> asyncio.TimerHandle:
        return self.call_at(self.now_s + delay, callback, *args, context=context)

    def call_at(self, when: float, callback: Any, *args: Any, context: contextvars.Context | None = None) -> asyncio.TimerHandle:
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        heapq.heappush(self.timers, (when, next(self._numbers), handle))
        return handle

    def next_timer(self, upto_s: float) -> asyncio.TimerHandle | None:
        """Return the next timer up to a moment, that being the time from then on; None, and the moment is there, if none is left."""
        while self.timers and self.timers[0][0] <= upto_s:
            when, _, handle = heapq.heappop(self.timers)
            if not handle.cancelled():
                self.now_s = max(self.now_s, when)
                return handle
        self.now_s = upto_s
        return None


class Wire:
    """Keeps what the server sends, for each peer."""

    def __init__(self) -> None:
        self.sent: dict[bytes, deque[bytes]] = {}

    def send(self, peer: bytes, data: bytes) -> None:
        self.sent.setdefault(peer, deque()).append(data)


class Line:
    """What a client's program sends over: kept until the test takes it to the server.

    Attributes:
        heard_ms: when the last ping was sent that was answered, by a clock that whoever made the line gives; its program has no other.
        pinged: how many were sent.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.out: deque[protocol.Frame] = deque()
        self.heard_ms: int | None = None
        self.pings = Pings()

    @property
    def pinged(self) -> int:
        return self.pings.sent

    @property
    def answered(self) -> int:
        return self.pings.answered

    def send(self, frame: protocol.Frame) -> None:
        self.out.append(frame)

    def close(self) -> None:
        return


class Person:
    """Somebody at his program.

    Attributes:
        notes: what the program told him.
        heard: each byte that it was sent.
    """

    def __init__(self, name: str) -> None:
        self.name, self.identity = name, of(name)
        self.notes: list[Note] = []
        self.heard: list[bytes] = []
        self.games = Games(self.notes.append)
        self.games._identity = self.identity
        self.games._witnessing.be(self.identity, None)
        self.line = Line(name)
        self.games.line = self.line  # type: ignore[assignment]
        self.peer = b""

    @property
    def match(self) -> Match | None:
        return self.games.match(GAME)


class House:
    """The server, what it keeps, and its people.

    Args:
        loop: whose time is the server's as well.
        pack: of the only game.
        rng: all chance here, but for salts and ids.
        mute: whose programs publish no dice chain.

    Attributes:
        server: the server's key from its next start on.
    """

    def __init__(self, loop: Slow, pack: Pack, rng: random.Random, *, mute: Sequence[str] = ()) -> None:
        self.loop, self.pack, self.rng, self.mute = loop, pack, rng, mute
        self.store, self.server = MemoryStore(Shelf()), SERVER
        self.people: dict[str, Person] = {}
        self._peers = itertools.count(1)
        self.broke: list[BaseException] = []
        self.on_refused: Callable[[Person, protocol.DoAct, protocol.NotAccepted | protocol.Failed], None] = lambda *_: None
        self.service = self._new_service()
        self._serve()

    def _new_service(self) -> Service:
        self.wire = Wire()
        steady.now_ms = SteadyClock(self.now_ms, self.now_ms)  # each process begins with one
        made = Service(self.store, lambda name: self.pack, identity=self.server, is_open=True)
        made.sessions.send_over(self.wire)  # type: ignore[arg-type]
        made.limits.acting = made.limits.catching = made.limits.ordering = security.Limit(10**9, 0.0)
        tell = made._tell_what_is_wrong

        def told(session: Session, frame: protocol.FromClient, error: Exception) -> None:
            if not isinstance(error, Refused | BadInput):
                self.broke.append(error)
            tell(session, frame, error)

        def failed(game: str, error: Exception) -> None:
            self.broke.append(error)

        made._tell_what_is_wrong = told  # type: ignore[method-assign]
        made.tending._failed = failed  # type: ignore[method-assign]
        return made

    def _serve(self) -> None:
        self._keeping_time = self.loop.create_task(self.service.tending._keep_time())

    @property
    def room(self) -> Room:
        return self.service.room(GAME)

    def now_ms(self) -> int:
        return round(self.loop.now_s * 1000)

    # ---------------------------------------------------------------- messages and time

    async def quiet(self) -> None:
        """Wait until the server is at nothing."""
        tending = self.service.tending
        while GAME in tending._soon or GAME in tending._under_way or (GAME in self.service.rooms.loaded and self.room.lock.locked()):
            await tending.looked_after(GAME)
            async with self.room.lock:
                pass

    async def pass_time(self, seconds: float) -> None:
        upto = self.loop.now_s + seconds
        await self._turn()
        while (handle := self.loop.next_timer(upto)) is not None:
            handle._run()
            await self._turn()
            await self.quiet()

    async def _turn(self) -> None:
        """Let all that can go on now."""
        turn = self.loop.create_future()
        self.loop.call_soon(turn.set_result, None)
        await turn

    async def connect(self, name: str) -> Person:
        """Let somebody's line begin, or begin anew: what was under way is lost, and he sends again what had no answer."""
        if name not in self.people:
            self.people[name] = Person(name)
            if name in self.mute:
                self.people[name].games._witnessing.catch_up = lambda match: None  # type: ignore[method-assign]
                self.people[name].games._witnessing.publish_again = lambda match: None  # type: ignore[method-assign]
        person = self.people[name]
        if person.peer:
            session = self.service.sessions._all.get(person.peer)
            if session is not None:
                self.service.sessions.forget(session)
        person.peer = b"\0" + next(self._peers).to_bytes(4, "big")
        person.line.out.clear()
        person.line.pings.begin_anew()
        session = self.service.sessions.heard(person.peer, user_of(person.identity.key))
        session.address = "127.0.0.1"
        await self.service._answer(session, protocol.encode(protocol.Hello(protocol.VERSION, name, person.identity.key)))
        self.wire.sent.pop(person.peer)
        person.games.happen(Up(name, server=self.server.key))
        return person

    async def deliver(self, person: Person, *, twice: bool = False) -> None:
        """Take the next thing that somebody's program sent to the server."""
        frame = person.line.out.popleft()
        session = self.service.sessions._all.get(person.peer)
        if session is None:
            return
        length = len(self.room.match.log) if GAME in self.service.rooms else 0
        told = len(self.wire.sent.get(person.peer, ()))
        await self.service._answer(session, protocol.encode(frame))
        await self.quiet()
        answers = [protocol.decode_from_server(data) for data in list(self.wire.sent.get(person.peer, ()))[told:]]
        if isinstance(frame, protocol.DoAct):
            self._look_at_refusal(person, frame, answers, length)
        if twice and GAME in self.service.rooms and not isinstance(frame, protocol.Ping):  # no line has one answered twice
            length = len(self.room.match.log)
            await self.service._answer(session, protocol.encode(frame))
            await self.quiet()
            assert len(self.room.match.log) == length, f"{frame} was done twice"

    def _look_at_refusal(self, person: Person, frame: protocol.DoAct, answers: Sequence[object], length: int) -> None:
        for answer in answers:
            if isinstance(answer, protocol.NotAccepted | protocol.Failed) and answer.order_id == frame.order_id:
                assert len(self.room.match.log) == length, f"{frame} was refused, and done"
                self.on_refused(person, frame, answer)

    def ping(self, person: Person) -> None:
        """Have somebody's line ask whether the server is there."""
        person.line.send(person.line.pings.next())
        person.line.pings.sends(self.now_ms())

    def hear(self, person: Person, most: int = 10**6) -> None:
        """Let somebody's program hear what came for it."""
        there = self.wire.sent.get(person.peer, deque())
        for _ in range(min(most, len(there))):
            data = there.popleft()
            person.heard.append(data)
            frame = protocol.decode_from_server(data)
            if isinstance(frame, protocol.Pong):
                if not person.line.pings.answers(frame):
                    continue
                person.line.heard_ms = person.line.pings.heard_ms
            person.games.happen(frame)  # type: ignore[arg-type]

    async def all_told(self) -> None:
        """Take all that is under way where it goes, until nothing is."""
        while True:
            for person in self.people.values():
                self.hear(person)
                while person.line.out:
                    await self.deliver(person)
            if not any(person.line.out or self.wire.sent.get(person.peer) for person in self.people.values()):
                return

    async def restart(self, *, away_s: float) -> None:
        """End the server as a crash does, and start it again later; all are back at once."""
        await self.start_anew(away_s=away_s)
        for name in list(self.people):
            await self.connect(name)

    async def start_anew(self, *, away_s: float) -> None:
        """End the server as a crash does, and start it again later."""
        self.service.tending._stopped = True
        self._keeping_time.cancel()
        for due in (*self.service.tending._alarms.values(), *self.service.tending._soon.values()):
            due.cancel()
        for room in self.service.rooms.loaded.values():
            if room.gathering is not None and room.gathering.timer is not None:
                room.gathering.timer.cancel()
        self.store.keep_alive(steady.now_ms()).result()
        self.loop.now_s += away_s
        self.service = self._new_service()
        await self.service.resume(asyncio.Event())
        self._serve()
        await self.quiet()

    def put_away(self) -> None:
        """Have the game read anew from the store, as if nobody had asked for it for long."""
        room = self.service.rooms.loaded.get(GAME)
        if room is not None and not room.is_busy:
            followers = self.service.sessions.followers(GAME)
            self.service.tending._keep_summary(room).result()
            self.service.rooms.put_away(room)
            assert followers == self.service.sessions.followers(GAME)
            assert self.room is not room

    def file(self) -> GameFile:
        return read(write(self.room.head, self.pack.files, self.room.match.log), name="random")


# -------------------------------------------------------------------- what people do


class Chance:
    """Does anything at random for a person: with what he knows, or without."""

    def __init__(self, house: House, sides: dict[str, tuple[str, ...]], *, may_end: bool = True) -> None:
        self.house, self.rng, self.sides, self.may_end = house, house.rng, sides, may_end

    def side_for(self, person: Person) -> str:
        own = self.sides[person.name]
        return self.rng.choice(own) if own and self.rng.random() < 0.85 else self.rng.choice(("red", "blue", ""))

    def act(self, person: Person) -> None:
        """Send something for somebody."""
        match, rng = person.match, self.rng
        self.house.ping(person)
        if match is None:
            person.games.follow(GAME)
            return
        roll = rng.random()
        if roll < 0.35 and self._order(person, match):
            return
        if roll < 0.65 and self._opportune(person, match):
            return
        if roll < 0.75:
            self._frame(person, match)
            return
        side = self.side_for(person)
        act = self._any_act(person, match, side)
        table.do(person.games, GAME, side, act)

    def _order(self, person: Person, match: Match) -> bool:
        side = match.view.side_to_act()
        if not side or (side not in match.table.sides_of(person.name) and self.rng.random() < 0.9):
            return False
        if match.viewer not in ("", side):
            return False
        person.games.give(GAME, side, choose(match.view, self.rng))
        return True

    def _opportune(self, person: Person, match: Match) -> bool:
        """Do something that fits the moment: answer an offer, claim, choose, sit at a free seat."""
        ways = [*self._ways_at_table(person, match), *self._ways_of_offers(person, match), *self._ways_of_dice(person)]
        if match.table.sides_of(person.name) and self.rng.random() < 0.3:
            ways += self._ways_ahead(person, match)
        if not ways:
            return False
        self.rng.choice(ways)()
        return True

    def _ways_at_table(self, person: Person, match: Match) -> list[Way]:
        seen, games = match.table, person.games
        own = seen.sides_of(person.name)
        free = [chair for chair in seen.chairs.values() if not chair.player and chair.side in self.sides[person.name]]
        ways: list[Way] = [partial(games.send, protocol.TakeSeat(GAME, chair.side, chair.name)) for chair in free]
        if self.house.room.gathering is not None and self.rng.random() < 0.5:
            mine = [chair for chair in seen.chairs.values() if chair.player == person.name]
            ways += [partial(games.send, protocol.LeaveSeat(GAME, chair.side, chair.name)) for chair in mine]
        kept = [chair for chair in seen.chairs.values() if chair.kept_for == person.name]
        ways += [partial(table.do, games, GAME, chair.side, Seat(chair.side, "", chair.name)) for chair in kept]
        if seen.clocks.fallen and own and self.may_end:
            ways.append(partial(table.do, games, GAME, own[0], Claim(own[0])))
        if seen.paused and own:
            ways.append(partial(table.do, games, GAME, own[0], Pause(on=False)))
        if not own and person.name == "Rita" and match.outcome is not None:
            ways += 3 * [partial(table.do, games, GAME, "", Rewind(self._position(match)))]
        return ways

    def _ways_of_offers(self, person: Person, match: Match) -> list[Way]:
        seen, games, rng = match.table, person.games, self.rng
        own = seen.sides_of(person.name)
        ways: list[Way] = []
        for offer in seen.offers.values():
            for side in own:
                act: AnyAct = Consent(offer.number, yes=rng.random() < 0.8) if side != offer.side else Withdraw(offer.number)
                ways.append(partial(table.do, games, GAME, side, act))
        if own and not seen.offers and not self.house.room.match.outcome:
            what = rng.choice(("rewind", "draw" if self.may_end else "pause", "pause"))
            ways.append(partial(table.do, games, GAME, rng.choice(own), Offer(what, self._position(match) if what == "rewind" else -1)))
        return ways

    def _ways_of_dice(self, person: Person) -> list[Way]:
        missing = self.house.room.missing() if GAME in person.games._witnessing._games else []
        if not missing or missing[0] == person.name:
            return []
        choice = self.rng.choice(("wait", "unwitnessed", "unwitnessed", "claim" if self.may_end else "wait"))
        return 2 * [partial(_choose, person, missing[0], choice)]

    def _ways_ahead(self, person: Person, match: Match) -> list[Way]:
        decision, rng, games = match.view.decision(), self.rng, person.games
        if decision is None or match.viewer not in ("", decision.side):
            return []
        name = rng.choice((type(decision).__name__, *match.setting.ruleset.decisions))
        side = rng.choice(match.table.sides_of(person.name))
        answer = partial(table.answer_ahead, games, GAME, side, name, choose(match.view, rng), turn=rng.choice((-1, 1, 2)))
        return [answer, partial(table.revoke, games, GAME, side, name)]

    def _position(self, match: Match) -> int:
        return self.rng.choice([-1, *(one.number for one in match.log.entries if one.bears_order)][-4:])

    def _frame(self, person: Person, match: Match) -> None:
        rng, games, side = self.rng, person.games, self.side_for(person)
        last = len(match.log) - 1
        number = rng.randrange(-1, last + 3)
        back = match.log.back()
        frames: list[protocol.Frame] = [
            protocol.TakeSeat(GAME, side, rng.choice(("", "second"))), protocol.LeaveSeat(GAME, side, rng.choice(("", "second"))),
            protocol.AskRewind(GAME, side, back if back is not None and rng.random() < 0.8 else number),
            protocol.Answer(GAME, side, number, rng.random() < 0.7), protocol.ListAnswers(GAME, side),
        ]
        if self.may_end and rng.random() < RESIGNS:
            frames.append(protocol.GiveUp(GAME, side))
        games.send(rng.choice(frames))

    def _any_act(self, person: Person, match: Match, side: str) -> AnyAct:
        rng = self.rng
        other, last = rng.choice(("red", "blue")), len(match.log) - 1
        entry = rng.randrange(-1, last + 3)
        bears = [one.number for one in match.log.entries if one.bears_order]
        to = rng.choice(bears[-4:]) if bears and rng.random() < 0.8 else entry
        units = tuple(sorted({UnitId(rng.randrange(6)) for _ in range(3)}))
        acts: list[AnyAct] = [
            Rewind(to), Rewind(to), Seat(other, rng.choice(("", person.name, "Boris", "Dora")), rng.choice(("", "second"))),
            Limit(other, rng.choice(("", "second")), rng.choice((None, units, ()))), Offer("rewind", to), Offer("draw"), Offer("pause"),
            Withdraw(entry), Consent(entry, yes=rng.random() < 0.7), Flag(other), Pause(on=rng.random() < 0.5),
            Pause(on=False), SetClock(other, rng.choice((0, 1_000, 60_000))),
            Admit(SpectatorTerms(rng.choice(("open", "table", "closed", other)), rng.choice((0, 0, 3)), rng.choice((0, 0, 5_000)))),
        ]
        if self.may_end:
            acts.append(Claim(other))
            acts += [Resign(side), Result(rng.choice(("", other)), "enough")] if rng.random() < RESIGNS * 5 else []
        return rng.choice(acts)


def _choose(person: Person, participant: str, choice: str) -> None:
    match = person.match
    assert match is not None
    try:
        person.games.choose(GAME, participant, choice)  # type: ignore[arg-type]
    except Refused:
        return  # his program knows of no order that waits


def found_wrong(person: Person) -> list[str]:
    """Return what a program found wrong with the server."""
    return [str(note) for note in person.notes if isinstance(note, Foul) or (isinstance(note, Trouble) and _is_grave(note))]


def _is_grave(trouble: Trouble) -> bool:
    """Say whether it is more than that something was asked for which can't be."""
    return (trouble.broke or trouble.fault is None) and not trouble.is_remark


async def opened(house: House, terms: Terms, scenario: str, *, owner: str) -> None:
    """Begin the game."""
    for referee in terms.referees:  # whose names must be known here
        await house.service.accounts.enter(of(referee).key, referee, "")
    person = await house.connect(owner)
    person.games.send(protocol.CreateGame(GAME, house.pack.manifest.ruleset, scenario, terms=terms))
    await house.deliver(person)
    house.hear(person)


def begun_as(monkeypatch: pytest.MonkeyPatch, version: int) -> None:
    """Have the server begin games whose tables are reckoned by a version."""
    monkeypatch.setattr("server.chains.new_head", partial(new_head, table=version))


def run_slow(make: Callable[[Slow], Coroutine[Any, Any, None]]) -> None:
    """Run something in a loop of its own, in which servers have clocks of their own."""
    loop, clock = Slow(), steady.now_ms
    try:
        loop.run_until_complete(make(loop))
    finally:
        steady.now_ms = clock
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        loop.close()


__all__ = ["GAME", "VERSIONS", "Chance", "House", "Person", "Slow", "begun_as", "found_wrong", "opened", "run_slow"]
