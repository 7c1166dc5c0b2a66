"""The server: one ROUTER socket, typed frames, many games.

The routing id only tells where to send an answer; who somebody is comes from his session alone. What each frame does stands in the
modules of `MODULES`: a table a module, from frame type to function (`server.handlers`).
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
from collections.abc import Callable
from pathlib import Path

import zmq
import zmq.asyncio

from core import protocol
from core.errors import BadInput, Refused
from core.pack import Pack
from core.text import text
from server import lobby, play, table
from server.handlers import collected
from server.rooms import Room
from server.sessions import Session, Sessions
from server.store import Store, holding

MODULES = (lobby, play, table)  # each with its HANDLERS
HEARTBEAT_MS, HEARTBEAT_TIMEOUT_MS, HEARTBEAT_TTL_MS, HANDSHAKE_MS = 5_000, 15_000, 30_000, 10_000
SEND_LIMIT = 100  # messages that may wait for one peer; with publishing.BUNCH this bounds what a peer that doesn't read costs
INBOX_LIMIT = 1_000  # messages of one peer that may wait to be answered
PackLoader = Callable[[str], Pack]
logger = logging.getLogger("rasputitsa.server")


class Service:
    """Serves the games of a store.

    Args:
        store: where the games are kept.
        packs: finds the scenario pack of a ruleset, for new games.
        program: name and version, told to clients.

    Attributes:
        rooms: the games by id.
        sessions: the connections.
        players: hash of the token of each name.
        faulty: games that could not be taken up, with the reason.
    """

    def __init__(self, store: Store, packs: PackLoader, *, program: str = "rasputitsa") -> None:
        self.store = store
        self.packs = packs
        self.program = program
        self.rooms: dict[str, Room] = {}
        self.faulty: dict[str, str] = {}
        self.sessions = Sessions()
        self.players = store.players()
        self._handlers = collected(MODULES)
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
        self.sessions.send_over(socket)
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
        session = self.sessions.heard(peer)
        if len(session.inbox) >= INBOX_LIMIT:
            return  # a flood; whoever waits for an answer asks again
        session.inbox.append(data)
        if not session.busy:
            session.busy = True
            task = asyncio.create_task(self._work_off(session))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _work_off(self, session: Session) -> None:
        while session.inbox:
            await self._answer(session, session.inbox.popleft())
        session.busy = False

    # ---------------------------------------------------------------- frames

    async def _answer(self, session: Session, data: bytes) -> None:
        """Answer one message; whatever is wrong with it, the server goes on."""
        send = self.sessions.send
        try:
            frame = protocol.decode_from_client(data)
        except BadInput as error:
            fault = error.faults[0]
            send(session, protocol.Failed(fault.where, fault.expected, fault.got[:200]))
            return
        game, order_id = getattr(frame, "game", ""), getattr(frame, "order_id", "")
        try:
            await self._handle(session, frame)
        except Refused as refused:
            send(session, protocol.NotAccepted(game, order_id, refused.rule, refused.text))
        except BadInput as error:
            for fault in error.faults[:20]:
                send(session, protocol.Failed(fault.where, fault.expected, fault.got[:200], game, order_id))
        except Exception as error:
            logger.exception("a frame %s broke", type(frame).__name__)
            what = f"{type(error).__name__}; see its log"
            send(session, protocol.Failed(protocol.SERVER, "no fault of the server", what, game, order_id))

    async def _handle(self, session: Session, frame: protocol.FromClient) -> None:
        known = bool(session.player) and self.sessions.knows(session)
        if not known and not isinstance(frame, protocol.Hello):
            self.sessions.send(session, protocol.WhoAreYou())
            return
        await self._handlers[type(frame)](self, session, frame)

    # ---------------------------------------------------------------- what handlers ask for

    async def add_player(self, name: str, digest: bytes) -> None:
        """Keep a new name with the hash of its token."""
        self.players[name] = digest
        try:
            await asyncio.wrap_future(self.store.add_player(name, digest))
        except BaseException:
            del self.players[name]  # nobody has its token
            raise

    def room(self, game: str) -> Room:
        """Return a game; BadInput if there is none of this id, or it can't be read."""
        if game in self.faulty:
            raise BadInput.one("game here", "a game that can be read", f"{game}: {self.faulty[game]}")
        if game not in self.rooms:
            raise BadInput.one(protocol.NO_GAME, "a game of this server", game)
        return self.rooms[game]

    async def create(self, frame: protocol.CreateGame) -> Room:
        """Begin a game, or return the one that an earlier asking began."""
        async with self._creating:
            if frame.game in self.faulty:
                raise Refused("", text("a game {game} is here, and can't be taken up", game=frame.game))
            if frame.game not in self.rooms:
                pack = self.packs(frame.ruleset)
                self.rooms[frame.game] = await Room.create(self.store, frame.game, pack, frame.scenario, frame.options)
            return self.rooms[frame.game]


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
