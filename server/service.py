"""The server: one ROUTER socket, typed frames, many games.

The routing id only tells where to send an answer; who somebody is comes from `Sessions.player` alone. A peer that can't be reached or
does not read is dropped from what it follows and catches up when it asks again; nobody waits for it.
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import hmac
import logging
import os
import secrets
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec
import zmq
import zmq.asyncio

from core import protocol
from core.errors import BadInput, Refused
from core.log import Entry
from core.pack import Pack
from core.text import text
from server.rooms import Room
from server.store import Store, holding

HEARTBEAT_MS, HEARTBEAT_TIMEOUT_MS, HEARTBEAT_TTL_MS, HANDSHAKE_MS = 5_000, 15_000, 30_000, 10_000
SEND_LIMIT = 100  # messages that may wait for one peer; with BUNCH this bounds what a peer that doesn't read costs
BUNCH = 64 << 10  # bytes of entries in one message, but for an entry that alone is larger
PATIENCE_S = 20.0  # how long a peer that catches up may take for room for one message
WAIT_S = 0.02
INBOX_LIMIT = 1_000  # messages of one peer that may wait to be answered
MAX_SESSIONS = 5_000  # connections that are remembered; the longest silent ones are forgotten first
MAX_PLAYERS = 10_000
TOKEN_BYTES = 32
PackLoader = Callable[[str], Pack]
logger = logging.getLogger("rasputitsa.server")


class Session:
    """What is known of one connection: the player it showed to be, the games it follows, what it sent and waits to be answered."""

    def __init__(self) -> None:
        self.player = ""
        self.follows: set[str] = set()
        self.inbox: deque[bytes] = deque()
        self.busy = False


class Service:
    """Serves the games of a store.

    Args:
        store: where the games are kept.
        packs: finds the scenario pack of a ruleset, for new games.
        program: name and version, told to clients.

    Attributes:
        rooms: the games by id.
        faulty: games that could not be taken up, with the reason.
    """

    def __init__(self, store: Store, packs: PackLoader, *, program: str = "rasputitsa") -> None:
        self.store = store
        self.packs = packs
        self.program = program
        self.rooms: dict[str, Room] = {}
        self.faulty: dict[str, str] = {}
        self._sessions: dict[bytes, Session] = {}
        self._players = store.players()
        self._creating = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._socket: zmq.asyncio.Socket | None = None

    # ---------------------------------------------------------------- life

    async def resume(self) -> None:
        """Take up all games of the store; one that can't be read keeps no other from going on."""
        for game in self.store.names():
            try:
                self.rooms[game] = await Room.resume(self.store, self.store.game(game))
            except Exception as error:
                logger.exception("game %s can't be taken up", game)
                self.faulty[game] = f"{type(error).__name__}: {error}"

    def bind(self, address: str) -> str:
        """Bind the socket and return the address that it really has.

        Raises:
            BadInput: it is no address of this machine.
            OSError: it is in use, or not for everybody.
        """
        protocol.check_address("address", address, any_port=True)
        socket: zmq.asyncio.Socket = zmq.asyncio.Context.instance().socket(zmq.ROUTER)
        socket.setsockopt(zmq.ROUTER_MANDATORY, 1)
        socket.setsockopt(zmq.ROUTER_HANDOVER, 0)
        socket.setsockopt(zmq.MAXMSGSIZE, protocol.MAX_FRAME)
        socket.setsockopt(zmq.SNDHWM, SEND_LIMIT)
        socket.setsockopt(zmq.HEARTBEAT_IVL, HEARTBEAT_MS)
        socket.setsockopt(zmq.HEARTBEAT_TIMEOUT, HEARTBEAT_TIMEOUT_MS)
        socket.setsockopt(zmq.HEARTBEAT_TTL, HEARTBEAT_TTL_MS)
        socket.setsockopt(zmq.HANDSHAKE_IVL, HANDSHAKE_MS)
        socket.setsockopt(zmq.LINGER, 500)
        try:
            socket.bind(address)
        except zmq.ZMQError as error:
            socket.close()
            if error.errno in (errno.EADDRINUSE, errno.EACCES, errno.EADDRNOTAVAIL):
                raise OSError(error.errno, os.strerror(error.errno), address) from error
            raise BadInput.one("address", "an address of this machine, such as tcp://127.0.0.1:5757", address) from error
        self._socket = socket
        return socket.getsockopt_string(zmq.LAST_ENDPOINT)

    async def serve(self, stop: asyncio.Event) -> None:
        """Answer frames until *stop* is set."""
        assert self._socket is not None, "serve before bind"
        stopping = asyncio.create_task(stop.wait())
        while not stop.is_set():
            receiving = asyncio.ensure_future(self._socket.recv_multipart(copy=False))
            await asyncio.wait({receiving, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if not receiving.done():
                receiving.cancel()
                break
            parts = receiving.result()
            if len(parts) == 2:
                self._take_in(bytes(parts[0].buffer), bytes(parts[1].buffer))
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5)
        self._socket.close()

    def _take_in(self, peer: bytes, data: bytes) -> None:
        """Queue a message: those of one peer are answered in their order, those of others meanwhile."""
        session = self._sessions.pop(peer, None) or Session()
        self._sessions[peer] = session  # last in the dict: the one heard of last
        if len(self._sessions) > MAX_SESSIONS:
            self._sessions.pop(next(iter(self._sessions)))
        if len(session.inbox) >= INBOX_LIMIT:
            return  # a flood; whoever waits for an answer asks again
        session.inbox.append(data)
        if not session.busy:
            session.busy = True
            task = asyncio.create_task(self._work_off(peer, session))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _work_off(self, peer: bytes, session: Session) -> None:
        while session.inbox:
            await self._answer(peer, session.inbox.popleft())
        session.busy = False

    # ---------------------------------------------------------------- frames

    async def _answer(self, peer: bytes, data: bytes) -> None:
        """Answer one message; whatever is wrong with it, the server goes on."""
        try:
            frame = protocol.decode_from_client(data)
        except BadInput as error:
            fault = error.faults[0]
            self._send(peer, protocol.Failed(fault.where, fault.expected, fault.got[:200]))
            return
        game, order_id = getattr(frame, "game", ""), getattr(frame, "order_id", "")
        try:
            await self._handle(peer, frame)
        except Refused as refused:
            self._send(peer, protocol.NotAccepted(game, order_id, refused.rule, refused.text))
        except BadInput as error:
            for fault in error.faults[:20]:
                self._send(peer, protocol.Failed(fault.where, fault.expected, fault.got[:200], game, order_id))
        except Exception as error:
            logger.exception("a frame %s broke", type(frame).__name__)
            what = f"{type(error).__name__}; see its log"
            self._send(peer, protocol.Failed(protocol.SERVER, "no fault of the server", what, game, order_id))

    async def _handle(self, peer: bytes, frame: protocol.FromClient) -> None:
        if isinstance(frame, protocol.Hello):
            await self._hello(peer, frame)
            return
        session = self._sessions.get(peer)
        if session is None or not session.player:
            self._send(peer, protocol.WhoAreYou())
            return
        match frame:
            case protocol.Ping():
                self._send(peer, protocol.Pong())
            case protocol.ListGames():
                self._send(peer, protocol.Games(tuple(room.line() for room in self.rooms.values())))
            case protocol.CreateGame():
                await self._create(frame)
                self._send(peer, protocol.Games((self.rooms[frame.game].line(),)))
            case protocol.Follow():
                await self._follow(peer, session, frame)
            case protocol.Unfollow():
                session.follows.discard(frame.game)
            case protocol.NeedPack():
                await self._send_pack(peer, frame.pack)
            case _:
                await self._play(peer, session, frame)

    async def _play(self, peer: bytes, session: Session, frame: protocol.FromClient) -> None:
        """Handle what moves a game; all of a game's frames one after another."""
        room = self._room(getattr(frame, "game", ""))
        player = session.player
        async with room.lock:
            match frame:
                case protocol.Give():
                    new = await room.give(frame.side, frame.order, player=player, order_id=frame.order_id, seq=frame.seq)
                    self._publish(room, new)
                    self._send(peer, protocol.Accepted(frame.game, frame.order_id, room.orders[frame.order_id]))
                    return
                case protocol.TakeSeat():
                    new = await room.take_seat(frame.side, player)
                case protocol.LeaveSeat():
                    new = await room.leave_seat(frame.side, player)
                case protocol.AskRewind():
                    new = await room.ask_rewind(frame.side, frame.to, player)
                case protocol.Answer():
                    new = await room.answer(frame.side, frame.offer, yes=frame.yes, player=player)
                case protocol.GiveUp():
                    new = await room.resign(frame.side, player)
                case _:
                    raise BadInput.one("frame", "a frame for a game", type(frame).__name__)
            self._publish(room, new)

    # ---------------------------------------------------------------- who is there

    async def _hello(self, peer: bytes, frame: protocol.Hello) -> None:
        if frame.version != protocol.VERSION:
            raise BadInput.one("hello: version", str(protocol.VERSION), frame.version)
        token = frame.token
        known = self._players.get(frame.name)
        if known is None:
            if len(self._players) >= MAX_PLAYERS:
                raise Refused("", text("this server takes no more players"))
            token = frame.token if len(frame.token) >= TOKEN_BYTES else secrets.token_bytes(TOKEN_BYTES)
            self._players[frame.name] = _digest(token)
            try:
                await asyncio.wrap_future(self.store.add_player(frame.name, _digest(token)))
            except BaseException:
                del self._players[frame.name]  # nobody has its token
                raise
        elif not hmac.compare_digest(known, _digest(token)):
            raise Refused("", text("the name {name} belongs to somebody else here", name=frame.name))
        session = self._sessions.setdefault(peer, Session())
        session.player = frame.name
        self._send(peer, protocol.Welcome(protocol.VERSION, frame.name, token, protocol.MAX_FRAME, self.program))

    # ---------------------------------------------------------------- games

    def _room(self, game: str) -> Room:
        if game in self.faulty:
            raise BadInput.one("game here", "a game that can be read", f"{game}: {self.faulty[game]}")
        if game not in self.rooms:
            raise BadInput.one(protocol.NO_GAME, "a game of this server", game)
        return self.rooms[game]

    async def _create(self, frame: protocol.CreateGame) -> None:
        async with self._creating:
            if frame.game in self.faulty:
                raise Refused("", text("a game {game} is here, and can't be taken up", game=frame.game))
            if frame.game not in self.rooms:
                pack = self.packs(frame.ruleset)
                self.rooms[frame.game] = await Room.create(self.store, frame.game, pack, frame.scenario, frame.options)

    async def _follow(self, peer: bytes, session: Session, frame: protocol.Follow) -> None:
        """Send what is missing, then count the peer among the followers; no entry can come in between."""
        room = self._room(frame.game)
        session.follows.discard(frame.game)
        entries = room.match.log.entries
        if not self._send(peer, protocol.Opened(frame.game, room.head, room.stored.pack, len(entries) - 1)):
            return
        at = frame.after + 1
        while at < len(entries):
            some = next(_in_bunches(entries[at:]))
            if not await self._send_patiently(peer, protocol.NewEntries(frame.game, some)):
                return
            at += len(some)
        session.follows.add(frame.game)

    async def _send_pack(self, peer: bytes, digest: str) -> None:
        files = self.store.pack(digest)
        if not files:
            raise BadInput.one("pack", "the hash of a pack of this server", digest)
        size = protocol.PACK_PART
        pieces = [(name, data[at : at + size]) for name, data in sorted(files.items()) for at in range(0, max(len(data), 1), size)]
        for number, (name, piece) in enumerate(pieces, 1):
            if not await self._send_patiently(peer, protocol.PackPart(digest, name, piece, len(pieces) - number)):
                return

    def _publish(self, room: Room, entries: Iterable[Entry]) -> None:
        """Send new entries to whoever follows the game."""
        game = room.stored.game
        for some in _in_bunches(entries):
            for peer, session in list(self._sessions.items()):
                if game in session.follows:
                    self._send(peer, protocol.NewEntries(game, some))

    def _send(self, peer: bytes, frame: protocol.Frame) -> bool:
        """Send without waiting; a peer that is gone or behind is forgotten: its next message is answered by `WhoAreYou`."""
        if self._try_send(peer, protocol.encode(frame)) is None:
            return True
        self._sessions.pop(peer, None)
        return False

    async def _send_patiently(self, peer: bytes, frame: protocol.Frame) -> bool:
        """Send one of many messages, waiting for room for it; only this peer waits."""
        data = protocol.encode(frame)
        until = time.monotonic() + PATIENCE_S
        while isinstance(failed := self._try_send(peer, data), zmq.Again) and time.monotonic() < until:
            await asyncio.sleep(WAIT_S)
        if failed is not None:
            self._sessions.pop(peer, None)
        return failed is None

    def _try_send(self, peer: bytes, data: bytes) -> BaseException | None:
        assert self._socket is not None
        if self._socket.closed:
            return zmq.ZMQError(zmq.ENOTSOCK)
        # With DONTWAIT the future is done at once, with a result or an error.
        return asyncio.ensure_future(self._socket.send_multipart([peer, data], zmq.DONTWAIT)).exception()


def _in_bunches(entries: Iterable[Entry]) -> Iterator[tuple[Entry, ...]]:
    """Yield entries in bunches, so that a long game is few messages."""
    bunch: list[Entry] = []
    size = 0
    for entry in entries:
        bytes_ = len(msgspec.msgpack.encode(entry))
        if bunch and size + bytes_ > BUNCH:
            yield tuple(bunch)
            bunch, size = [], 0
        bunch.append(entry)
        size += bytes_
    if bunch:
        yield tuple(bunch)


def _digest(token: bytes) -> bytes:
    return hashlib.sha256(token).digest()


async def run(
    data: Path, address: str, packs: PackLoader, stop: asyncio.Event, *, ready: Callable[[str, Service], None]
) -> None:
    """Serve the games of a data folder until *stop* is set.

    Args:
        ready: called with the bound address as soon as the server answers.

    Raises:
        BadInput: the address can't be used, or the store is damaged.
        Refused: another server runs on the folder.
        OSError: folder or address can't be had.
    """
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    with holding(data):
        store = Store(data / "games.sqlite")
        try:
            service = Service(store, packs)
            bound = service.bind(address)
            await service.resume()
            ready(bound, service)
            await service.serve(stop)
        finally:
            store.close()
