"""Frames that nobody should send, by the million: against a whole server, but for its sockets.

Every frame goes the way of one that came over the wire (`Service._answer`), from somebody unknown, from a spectator or from a player at a
running game; what a player sends may bear a good signature, as a hostile program's would. Frames are good ones with bytes or values
changed. Which way is worth going on with is told by the lines of the server that a frame reaches, looked at for one in `LOOK_AT_ONE_IN`,
and by each answer of a kind that did not come before. At fault is an answer that says so, one that is none, and whatever is raised.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec

from core import protocol
from core.bots import Bot
from core.errors import BadInput
from core.identity import Identity, act_then_message, curve_key, key_text, order_message, seat_signature
from core.log import Admit, Consent, Fallback, Flag, Late, Limit, Offer, Pause, Referee, Resign, Result, Rewind, Seat, SetClock, Withdraw
from core.terms import ClockTerms, DiceTerms, SeatTerms, SpectatorTerms, Terms
from core.text import text
from core.units import UnitId
from server import security, service
from server.sessions import Session
from server.store.sqlite import SqliteStore

NEW_GAME_EVERY = 4_000  # frames, and sooner if the game is over, as that tells nothing more
SOONEST_NEW_GAME = 200
MOST_GAMES = 40  # from there on few frames may begin one
LOOK_AT_ONE_IN = 12
MOST_KEPT = 3_000
MANY = 1_000_000
OF_OURS = str(Path(__file__).parents[1])
Progress = Callable[[int], None]


class Fuzzed(msgspec.Struct, frozen=True):
    """What came of it: answers by kind, lines of the server reached, frames kept, and the faults with the frames that show them."""

    frames: int
    answers: dict[str, int]
    lines: int
    kept: int
    faults: tuple[tuple[str, bytes], ...]


class Found:
    """What is known so far, handed on from one server to the next: what frames led to, those worth changing further, and faults."""

    def __init__(self) -> None:
        self.corpus: list[bytes] = []
        self.seen_answers: set[str] = set()
        self.seen_lines: set[tuple[str, int]] = set()
        self.answers: Counter[str] = Counter()
        self.faults: dict[str, bytes] = {}


class _Ears:
    """Hears the answers in the place of a socket."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []

    def send(self, peer: bytes, data: bytes) -> None:
        """Take an answer."""
        self.heard.append(data)


class _Complaints(logging.Handler):
    """Collects what a server logs as an error."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a line, with its exception."""
        what = record.exc_info[1] if record.exc_info else None
        self.said.append(f"{record.getMessage()}: {type(what).__name__}: {what}" if what is not None else record.getMessage())


def identity(name: str) -> Identity:
    """Return who is called so here."""
    return Identity(hashlib.sha256(name.encode()).digest())


# -------------------------------------------------------------------- frames and what is done to them


def good_frames(game: str, ruleset: str, scenario: str, orders: Sequence[bytes], sides: Sequence[str]) -> list[protocol.Frame]:
    """Return one frame of each kind, and acts of each."""
    red, blue = sides[0], sides[-1]
    seats = (SeatTerms(red, "a", (UnitId(1), UnitId(2))),)
    acts = (
        Seat(red, "Anna"), Limit(red, "", None), Offer("rewind", 3), Offer("draw"), Consent(3, yes=True), Withdraw(3), Pause(on=True),
        SetClock(red, 7), Admit(SpectatorTerms(red, 3)), Referee(text("{a}", a=1)), Result("", "tired"), Resign(red), Rewind(1),
        Flag(blue), Late("Anna", 1, 2), Fallback("Anna", 1, "wait", bytes(32)),
    )
    return [
        protocol.Hello(protocol.VERSION, "Mallory", identity("Mallory").key, "code"), protocol.ListGames(), protocol.Ping(),
        protocol.CreateGame(game, ruleset, scenario, {}),
        protocol.CreateGame("other", ruleset, scenario, {}, Terms(clock=ClockTerms("turn", 9), seats=seats, dice=DiceTerms("witnessed"))),
        protocol.Follow(game, 3), protocol.Unfollow(game), protocol.NeedPack("0" * 64),
        protocol.TakeSeat(game, red), protocol.LeaveSeat(game, red),
        *(protocol.Give(game, side, "id", 3, order, bytes(64)) for side in sides for order in orders),
        protocol.AskRewind(game, red, 0), protocol.Answer(game, red, 3, yes=True), protocol.GiveUp(game, red),
        protocol.PublishChain(game, bytes(32), 100, bytes(64)), protocol.ShowLink(game, 1, bytes(32), bytes(32), bytes(64)),
        protocol.ChooseFallback(game, red, "Anna", 1, bytes(32), "claim", bytes(64)),
        *(protocol.DoAct(game, red, "id", act) for act in acts), *(protocol.DoAct(game, "", "id", act) for act in acts),
        protocol.Say(game, "game", "id", "hello"), protocol.Say("", "lobby", "id", "hello"),
        protocol.ReadChat(game, 3), protocol.ReadChat(""), protocol.TakeIn("evening"), protocol.TakeIn(".."),
        *(protocol.AnswerAhead(game, red, "id", "Act", order, 2, bytes(64)) for order in orders[:2]),
        protocol.Revoke(game, red, "id", "Act"), protocol.ListAnswers(game, red),
        protocol.MakeInvite(), protocol.RevokeInvite("00000000"),
        protocol.GiveRole("Anna", "owner"), protocol.Kick("Anna"), protocol.AskStatus(), protocol.EndServer(),
    ]


def with_changed_bytes(rng: random.Random, good: bytes) -> bytes:
    """Change some bytes of a message."""
    data = bytearray(good)
    for _ in range(rng.randrange(1, 6)):
        kind, at = rng.randrange(5), rng.randrange(len(data) + 1)
        if kind == 0 and at < len(data):
            data[at] = rng.randrange(256)
        elif kind == 1:
            data[at:at] = rng.randbytes(rng.randrange(1, 9))
        elif kind == 2:
            del data[at : at + rng.randrange(1, 9)]
        elif kind == 3 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 4:
            data[at:at] = data[rng.randrange(len(data) + 1) :][: rng.randrange(40)]
    return bytes(data)


def with_changed_values(rng: random.Random, value: Any, names: Sequence[str]) -> Any:
    """Change about one value of a structure in a way that keeps it a structure."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice([key for key in value if key != "frame" or rng.random() < 0.05] or list(value))
        changed = dict(value)
        if rng.random() < 0.03:
            del changed[key]
        else:
            changed[key] = with_changed_values(rng, value[key], names)
        return changed
    if isinstance(value, list) and value and rng.random() < 0.8:
        at = rng.randrange(len(value))
        return [*value[:at], with_changed_values(rng, value[at], names), *value[at + 1 :]]
    return _another(rng, value, names)


def _another(rng: random.Random, value: Any, names: Sequence[str]) -> Any:
    """Return another value, mostly of the same kind."""
    if rng.random() < 0.04:
        return rng.choice((None, True, -1, 2**63, 1.5, "", b"", [], {}, "x" * 70_000, [[]] * 500, {"a": {"b": {"c": []}}}))
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice((value + 1, value - 1, 0, -1, 1, rng.randrange(300), 2**31, 2**40, -(2**40), 2**63 - 1))
    if isinstance(value, str):
        return rng.choice((*names, value.upper(), value + "x", value[:-1], "..", "a/b", "{n}", "\u202e", "*public", ""))
    if isinstance(value, bytes):
        return with_changed_bytes(rng, value)
    return rng.choice(([], {}, None, [value], {"x": value}))


# -------------------------------------------------------------------- the server


class Range:
    """A server with a player, a spectator and a stranger, and frames for it.

    Args:
        data: an empty folder.
        packs: finds packs.
        ruleset, scenario: what is played.
        bot: chooses the orders that good frames bear.
        found: what is known from servers before this one.
    """

    def __init__(
        self, data: Path, packs: service.PackLoader, ruleset: str, scenario: str, bot: Bot, *,
        seed: int | str = 0, found: Found | None = None,
    ) -> None:
        self._ruleset, self._scenario, self._bot = ruleset, scenario, bot
        self._rng = random.Random(f"fuzz {seed}")
        self._store = SqliteStore(data / "games.sqlite")
        self._service = service.Service(self._store, packs, identity=identity("server"), is_open=True)
        # Else most of what is tried would be too much.
        self._service.limits.founding = self._service.limits.acting = self._service.limits.catching = security.Limit(MANY, MANY)
        self._ears = _Ears()
        self._service.sessions.send_over(self._ears)  # type: ignore[arg-type]
        self._who: list[Session] = []
        self._game = ""
        self._begun_at = 0
        self._found = found or Found()

    def run(self, frames: int, *, progress: Progress = lambda done: None) -> Fuzzed:
        """Send so many frames."""
        complaints = _Complaints()
        loggers = logging.getLogger("rasputitsa"), logging.getLogger("asyncio")
        for one in loggers:
            one.addHandler(complaints)
        try:
            asyncio.run(self._send_all(frames, complaints, progress))
        finally:
            for one in loggers:
                one.removeHandler(complaints)
            self._store.close()
        found = self._found
        return Fuzzed(frames, dict(found.answers), len(found.seen_lines), len(found.corpus), tuple(found.faults.items()))

    async def _send_all(self, frames: int, complaints: _Complaints, progress: Progress) -> None:
        self._who = [self._session(name) for name in ("Anna", "Boris", "Watcher", "Nobody")]
        for session in self._who[:3]:
            await self._good(session, protocol.Hello(protocol.VERSION, session.address, identity(session.address).key))
        self._service.tending.begin()
        for number in range(frames):
            if self._is_used_up(number):
                await self._begin(number)
            if number % 1_000 == 0:
                progress(number)
            session = self._rng.choice(self._who)
            data = self._signed(session, self._next())
            await self._send(session, data)
            if complaints.said:
                self._found.faults.setdefault(complaints.said[0], data)
                complaints.said.clear()
        await self._service.tending.stop()

    def _session(self, name: str) -> Session:
        user = key_text(curve_key(identity(name).key)) if name != "Nobody" else "nobody's key"
        session = self._service.sessions.heard(b"\0" + name[:4].encode(), user)
        session.address = name
        return session

    async def _good(self, session: Session, frame: protocol.Frame) -> None:
        """Send what must be taken."""
        self._ears.heard.clear()
        self._hear(session)
        await self._service._answer(session, protocol.encode(frame))
        for data in self._ears.heard:
            answer = protocol.decode_from_server(data)
            assert not isinstance(answer, protocol.Failed | protocol.NotAccepted), answer

    def _hear(self, session: Session) -> None:
        """Have it noted that somebody was heard of, as the wire does: who is silent for minutes is forgotten."""
        self._service.sessions.heard(session.peer, session.user)

    def _is_used_up(self, number: int) -> bool:
        since = number - self._begun_at
        over = since >= SOONEST_NEW_GAME and self._service.rooms[self._game].match.outcome is not None
        return not self._game or over or since >= NEW_GAME_EVERY

    async def _begin(self, number: int) -> None:
        """Begin another game, with Anna and Boris at it and the spectator watching: it must be served, whatever came before."""
        self._begun_at = number
        game = self._game = f"fuzz-{number}"
        anna, boris, watcher = self._who[:3]
        await self._good(anna, protocol.CreateGame(game, self._ruleset, self._scenario))
        room = self._service.rooms[game]
        sides = room.match.setting.sides
        for session, side in ((anna, sides[0]), (boris, sides[-1])):
            signature = seat_signature(identity(session.address), game, identity("server").key, side, "", number=number)
            await self._good(session, protocol.TakeSeat(game, side, "", signature))
        for session in (anna, boris, watcher):
            await self._good(session, protocol.Follow(game))
        view, codec = room.match.view, room.match.codec
        orders = list({codec.encode(self._bot(view, self._rng)) for _ in range(12)})
        frames = good_frames(game, self._ruleset, self._scenario, orders, sides)
        self._good_ones = [protocol.encode(frame) for frame in frames]
        self._names = (game, *sides, "Anna", "Boris", "Watcher", "Mallory", "game", "lobby", "spectators", f"side:{sides[0]}")

    def _next(self) -> bytes:
        """Return a frame to try: a good one or one that was worth keeping, changed."""
        rng = self._rng
        good = rng.choice(self._found.corpus) if self._found.corpus and rng.random() < 0.4 else rng.choice(self._good_ones)
        if rng.random() < 0.12:
            return with_changed_bytes(rng, good)
        try:
            value = msgspec.msgpack.decode(good)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            return with_changed_bytes(rng, good)
        for _ in range(rng.choice((0, 1, 1, 1, 1, 2, 3))):
            value = with_changed_values(rng, value, self._names)
        if isinstance(value, dict) and "game" in value and rng.random() < 0.8:
            value["game"] = self._game
        return msgspec.msgpack.encode(value)

    def _signed(self, session: Session, data: bytes) -> bytes:
        """Sign an order or act in the name of whoever sends it, so that it gets further than to its signature; mostly."""
        if self._rng.random() < 0.2 or self._game not in self._service.rooms:
            return data
        try:
            frame = protocol.decode_from_client(data)
        except BadInput:
            return data
        match = self._service.rooms[self._game].match
        if not len(match.log):
            return data
        if isinstance(frame, protocol.CreateGame) and len(self._service.rooms) > MOST_GAMES and self._rng.random() < 0.98:
            return protocol.encode(protocol.ListGames())
        order_id, sign = f"id{self._rng.randrange(1 << 30)}", identity(session.address).sign
        if isinstance(frame, protocol.Give):
            seq = match.log.moved_at
            message = order_message(self._game, frame.side, seq, match.hash_of(seq), frame.order)
            frame = msgspec.structs.replace(frame, seq=seq, order_id=order_id, signature=sign(message))
        elif isinstance(frame, protocol.TakeSeat):
            number = self._rng.randrange(1 << 62)
            own, server = identity(session.address), identity("server").key
            signature = seat_signature(own, self._game, server, frame.side, frame.seat, number=number)
            frame = msgspec.structs.replace(frame, signature=signature)
        elif isinstance(frame, protocol.DoAct):
            message = act_then_message(self._game, match.hash_of(len(match.log) - 1), frame.side, frame.act)
            frame = msgspec.structs.replace(frame, order_id=order_id, signature=sign(message))
        else:
            return data
        return protocol.encode(frame)

    async def _send(self, session: Session, data: bytes) -> None:
        """Send a frame; keep it if it led where none did before."""
        self._ears.heard.clear()
        self._hear(session)
        new = False
        if self._rng.randrange(LOOK_AT_ONE_IN) == 0:
            before = len(self._found.seen_lines)
            with _traced(self._found.seen_lines):
                await self._service._answer(session, data)
            new = len(self._found.seen_lines) > before
        else:
            await self._service._answer(session, data)
        await asyncio.sleep(0)  # what it stirred has its turn
        for heard in self._ears.heard:
            kind, how = _kind(heard)
            self._found.answers[kind] += 1
            if how not in self._found.seen_answers:
                self._found.seen_answers.add(how)
                new = True
            if kind == "failed by the server":
                self._found.faults.setdefault(how, data)
        if new and len(self._found.corpus) < MOST_KEPT:
            self._found.corpus.append(data)


def _kind(data: bytes) -> tuple[str, str]:
    """Return of what kind an answer is, and in more detail."""
    answer = protocol.decode_from_server(data)
    name = type(answer).__name__
    match answer:
        case protocol.NotAccepted():
            return name, f"{name} {answer.rule} {answer.text.template}"
        case protocol.Failed():
            where = "failed by the server" if answer.where == protocol.SERVER else name
            return where, f"{where} {answer.where} {answer.expected}"
        case _:
            return name, name


@contextmanager
def _traced(lines: set[tuple[str, int]]) -> Iterator[None]:
    """Note the lines of the server, and of the protocol, that are run meanwhile."""

    def local(frame: FrameType, event: str, arg: object) -> Any:
        lines.add((frame.f_code.co_filename, frame.f_lineno))
        return local

    def each(frame: FrameType, event: str, arg: object) -> Any:
        name = frame.f_code.co_filename
        return local if name.startswith(OF_OURS) or name.endswith(("table_rules.py", "/table.py", "/match.py")) else None

    before = sys.gettrace()
    sys.settrace(each)
    try:
        yield
    finally:
        sys.settrace(before)
