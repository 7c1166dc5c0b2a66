"""The server: one ROUTER socket, typed frames, many games.

The routing id only tells where to send an answer; who somebody is comes with each message from the gate that let his connection in
(`server.security`). What each frame does stands in the
modules of `MODULES`: a table a module, from frame type to function (`server.handlers`).
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import zmq
import zmq.asyncio

from core import protocol
from core.address import Place, parse
from core.errors import BadInput, Broken, Refused
from core.identity import Identity, fingerprint
from core.pack import Pack, chosen_options
from core.text import text
from server import admin, arrivals, chat, lobby, play, publishing, router, security, standing, steady, summaries, table, witness
from server.accounts import Accounts
from server.collecting import let_go
from server.endless import Endless
from server.handlers import collected
from server.limits import Limits
from server.listing import Listing
from server.presence import Presence
from server.reading import Reading
from server.rooms import Room
from server.sessions import SHUT_OUT, Session, Sessions
from server.settings import Settings
from server.shelf import Shelf, ticks
from server.store.contract import Store, Taken
from server.store.durable import durable
from server.tending import Tending, was_away
from server.turns import Turns
from server.wire import Wire

MODULES = (lobby, play, table, chat, standing, witness, admin, arrivals)  # each with its HANDLERS
INBOX_LIMIT, INBOX_BYTES = 1_000, 1 << 20  # messages of one peer that may wait to be answered, and their size together
FLOOD = 1_000  # messages that one peer sends beside those: then its line is ended
RETURN_MS = 8_000  # what a player's program needs after a start to come back: it tries again every five seconds, and shakes hands
AT_WORK_S = 4.0  # after which whoever waits for an answer hears that the server is there; clients ping every five
PING = protocol.encode(protocol.Ping())[1:]  # behind how many fields it has
PackLoader = Callable[[str], Pack]
logger = logging.getLogger("rasputitsa.server")


class Service:
    """Serves the games of a store.

    Args:
        store: where the games are kept.
        packs: finds the scenario pack of a ruleset, for new games.
        identity: the server's own key.
        is_open: whether newcomers need no invite.
        program: name and version, told to clients.

    Attributes:
        settings: what games of one kind share.
        rooms: the games by id; they are read from the store when they are wanted.
        sessions: the connections.
        accounts: names, keys, roles and invites.
        limits: how much each may do of what costs all others.
        gate: lets connections in, or not.
        presence: tells followers of games who is here.
        listing: the lobby's list, as it was told last.
        tending: looks after the games.
        reading: reads games beside all others.
        began: when, on the monotonic clock.
        faulty: games that could not be taken up, with the reason.
        creating: held while a game comes to be here.
        arrivals: where files lie whose games are to be taken in; None: nowhere.
        ending: set where an owner ends the server; None: it ends only where it was started.
    """

    def __init__(
        self, store: Store, packs: PackLoader, *, identity: Identity, is_open: bool = False, program: str = "rasputitsa"
    ) -> None:
        self.store = store
        self.packs = packs
        self.identity = identity
        self.program = program
        self.began = time.monotonic()
        self.settings = Settings()
        self.rooms = Shelf(self._take_down)
        self.faulty: dict[str, str] = {}
        self.sessions = Sessions()
        self.accounts = Accounts(store, is_open=is_open)
        self.limits = Limits()
        self.gate = security.Gate(lambda user: self.accounts.of_user(user) is not None, self.accounts.is_shut_out)
        self.presence = Presence(self)
        self.listing = Listing()
        self.tending = Tending(self)
        self.reading = Reading(self)
        self._handlers = collected(MODULES)
        self.creating = asyncio.Lock()
        self.arrivals: Path | None = None
        self.ending: asyncio.Event | None = None
        self._turns = Turns(self._work_off, store.hear, owner=lambda session: session.user)
        self._context: zmq.asyncio.Context | None = None
        self._wire: Wire | None = None
        self._endless: Endless | None = None
        self._at_the_gate: asyncio.Task[None] | None = None
        self._is_ending = False

    # ---------------------------------------------------------------- life

    async def resume(self, stop: asyncio.Event) -> None:
        """Take up the games of the store for which there is something to do, or of which nothing is known without reading them.

        They are put away again if nobody needs them now. One that can't be read keeps no other from going on. Where a clock runs, or an
        order waits for links, time stands still until players' programs can have come back.

        Args:
            stop: ends it between two games: to read all takes minutes where nothing is known of them.

        Raises:
            OSError: nothing can be written, and games that wait for it can't go on.
        """
        since, restored = self.store.alive_ms() or 0, self.store.restored_ms() is not None
        steady.go_on_from(since)
        for glance in self.store.glances():
            await asyncio.sleep(0)  # a signal may have come
            if stop.is_set():
                return
            game, line = glance.game, summaries.true_line(glance, program=self.program, keeper=self.identity.key)
            if line is not None and not restored:
                self.rooms.lay(line)
                continue
            try:
                await self._take_up(game, since, is_restored=restored)
            except OSError:
                raise
            except Exception as error:
                self._set_aside(game, error)
        if restored:
            await durable(self.store.took_up())

    async def _take_up(self, game: str, since_ms: int, *, is_restored: bool) -> None:
        """Take up a game that nobody kept since a moment; the clock stands on where it does already, as its reading took time."""
        room = await Room.resume(self.store, self.store.game(game), settings=self.settings, keeper=self.identity)
        await was_away(room, since_ms)
        if ticks(room) or room.gathering is not None or steady.is_held():
            steady.stand_for(RETURN_MS)
        if is_restored or room.is_anothers:
            await self._take_over(room)
        self.rooms.add(room)
        await self.tending.take_on(room)

    def _set_aside(self, game: str, error: Exception) -> None:
        """Have a game that can't be read here no more."""
        logger.error("game %s can't be taken up", game, exc_info=error)
        self.faulty[game] = _why_unread(error)
        self.rooms.remove(game)

    async def _take_over(self, room: Room) -> None:
        """Go on with a game of a backup, or of another key, under a new dice chain.

        Links that the old one showed after a backup was made are known to all who played then; and players show theirs to a server only
        whose key the log knows.
        """
        if room.gathering is not None:
            words = "game %s keeps its dice chain, as an order waits for its links"
            if room.is_anothers:
                words += f"; only a server with the key {fingerprint(room.keeper_key)} can ask for them"
            logger.warning(words, room.stored.game)
        elif (room.match.log.entries or room.is_anothers) and room.match.outcome is None and not room.is_record:
            await room.take_over()

    def _take_down(self, game: str) -> Room:
        """Read a game that was put away, and look after it."""
        room = self.reading.at_once(game)
        self.tending.attend(room)
        return room

    def bind(self, address: str) -> Place:
        """Open the gate, bind the socket and return the place that it really has, with the server's key.

        Raises:
            BadInput: it is no address of this machine.
            OSError: it is in use, or not for everybody, or the system has no socket left.
        """
        wanted = parse("address", address, any_port=True)
        self._context = zmq.asyncio.Context()  # its own: a context has one gate
        try:
            self._at_the_gate = self.gate.open(self._context)
            socket = router.bound(self._context, wanted, self.identity)
        except zmq.ZMQError as error:
            raise router.why_not(error, address) from error
        self._wire = Wire(socket, self._take_in)
        self.sessions.send_over(self._wire)
        bound = parse("bound address", socket.getsockopt_string(zmq.LAST_ENDPOINT))
        self._endless = Endless(bound.port, self.sessions.taken, self._wire.emptied, lambda: self.sessions.ended)
        return Place(bound.host, bound.port, self.identity.key)

    def close(self) -> None:
        """Close the sockets, and begin nothing more; what was sent last has half a second to go."""
        self._turns.close()
        self.sessions.close()
        if self._at_the_gate is not None:
            self._at_the_gate.cancel()
        if self._wire is not None:
            self._wire.stop()
        if self._context is not None:
            self._context.destroy(linger=500)

    async def serve(self, stop: asyncio.Event) -> None:
        """Answer frames until *stop* is set.

        Raises:
            Broken: the gate broke: nobody else can be let in.
        """
        assert self._wire is not None, "serve before bind"
        assert self._endless is not None, "they come together"
        assert self._at_the_gate is not None, "no socket is bound before the gate is open"
        stopping = asyncio.create_task(stop.wait())
        self.tending.begin()
        self._wire.begin()
        looking = asyncio.create_task(self._endless.keep_looking())
        await asyncio.wait({stopping, self._at_the_gate}, return_when=asyncio.FIRST_COMPLETED)
        self._is_ending = True
        stopping.cancel()
        await self.tending.stop()
        await self._turns.over(5)
        looking.cancel()
        self._wire.stop()
        if self._at_the_gate.done():
            raise Broken("the gate that lets connections in broke") from self._at_the_gate.exception()

    def _take_in(self, parts: Sequence[zmq.Frame]) -> None:
        """Queue a message: those of one peer are answered in their order, those of others meanwhile."""
        peer, data = bytes(parts[0].buffer), bytes(parts[-1].buffer)
        if self._is_ending:  # it goes on to come in: libzmq would keep all of it
            return
        if self.sessions.has_ended(peer):  # what he sent before comes still, and much of it
            return
        user = str(parts[-1].get("User-Id"))
        if len(parts) != 2:
            return
        session = self.sessions.heard(peer, user)
        session.taken_bytes += len(data) + protocol.AROUND
        if not session.address:
            self.sessions.comes_over(session, int(str(parts[-1].get("__fd"))), str(parts[-1].get("Peer-Address")))
        if self.accounts.is_shut_out(user):
            self.sessions.end(session, SHUT_OUT)
            return
        if len(session.inbox) >= INBOX_LIMIT or session.inbox_bytes + len(data) > INBOX_BYTES:
            session.dropped += 1  # whoever waits for an answer asks again
            if session.dropped > FLOOD:
                self.gate.hold_off(user, session.address)
                self.sessions.end(session, "a flood")
            return
        if data.startswith(PING, 1) and session.is_at_work_for(AT_WORK_S):  # whoever waits for the disk is to know that the server is there
            self.sessions.offer(session, protocol.Pong(is_busy=True))
        session.inbox.append(data)
        session.inbox_bytes += len(data)
        if len(session.inbox) == 1 and session not in self._turns.at_work:
            self._turns.add(session)

    async def _work_off(self, session: Session) -> None:
        """Answer somebody's next message; one each in turn, however many he sent."""
        data = session.inbox.popleft()
        session.inbox_bytes -= len(data)
        session.begun_s = time.monotonic()
        try:
            await self._answer(session, data)
            await self.sessions.paid(session)  # before anything that he asks for besides
        finally:
            session.begun_s = None  # else whoever pings would hear for ever that the server is at his message
            del self._turns.at_work[session]
            if session.inbox:
                self._turns.add(session)
            else:
                session.dropped = 0

    # ---------------------------------------------------------------- frames

    async def _answer(self, session: Session, data: bytes) -> None:
        """Answer one message; whatever is wrong with it, the server goes on."""
        send = self.sessions.send
        if not security.is_ours(session.peer):
            send(session, protocol.Failed("routing id", "one that the server chose", repr(session.peer)[:80]))
            return
        try:
            frame = protocol.decode_from_client(data)
        except BadInput as error:
            fault = error.faults[0]
            send(session, protocol.Failed(fault.where, fault.expected, fault.got[:200]))
            let_go(error)
            return
        try:
            await self._handle(session, frame, size=len(data))
        except Exception as error:
            self._tell_what_is_wrong(session, frame, error)
            let_go(error)

    def _tell_what_is_wrong(self, session: Session, frame: protocol.FromClient, error: Exception) -> None:
        """Answer a frame whose handler raised *error*."""
        send, game, order_id = self.sessions.send, getattr(frame, "game", ""), getattr(frame, "order_id", "")
        if isinstance(error, Refused):
            send(session, protocol.NotAccepted(game, order_id, error.rule, error.text))
        elif isinstance(error, Taken):
            self.look_again(game)
            if not self._is_there(session, game, order_id):
                send(session, protocol.NotAccepted(game, order_id, "", text(protocol.GONE_ON)))
        elif isinstance(error, OSError):  # a disk that is full, say: nothing was acknowledged, and what is there can be read
            why = error.strerror or str(error)
            logger.error("a frame %s could not be written down: %s", type(frame).__name__, why)
            send(session, protocol.NotAccepted(game, order_id, "", text(protocol.NOT_WRITTEN, why=why)))
            if game in self.rooms.loaded:
                self.tending.stir(self.rooms.loaded[game])  # an order may be half-way, with its dice: it is finished when that can be
        elif isinstance(error, BadInput):
            for fault in error.faults[:20]:
                send(session, protocol.Failed(fault.where, fault.expected, fault.got[:200], game, order_id))
        else:
            logger.error("a frame %s broke", type(frame).__name__, exc_info=error)
            send(session, protocol.Failed(protocol.SERVER, "no fault of the server", "one; see its log", game, order_id))

    def _is_there(self, session: Session, game: str, order_id: str) -> bool:
        """Say whether what was asked is written down already, as what appends it may have died before it said so; tell who asked for it."""
        room = self.rooms.loaded.get(game)
        if room is None:
            return False
        try:
            number = room.answer_to(order_id, session.player)
        except Refused:  # another has sent something of this id
            return False
        if number is not None:
            self.sessions.send(session, protocol.Accepted(game, order_id, publishing.told_number(room, session.player, number)))
        return number is not None or room.is_waiting(order_id)  # which is answered when it is decided

    async def _handle(self, session: Session, frame: protocol.FromClient, *, size: int) -> None:
        known = bool(session.key) and self.sessions.knows(session)
        if not known and not isinstance(frame, protocol.Hello):
            self.sessions.send(session, protocol.WhoAreYou())
            return
        security.check_role(session.player, session.role, frame)
        if type(frame) in security.ACTS and not self.limits.acting.take(session.player, 1 + size // security.ACT_BYTES):
            raise Refused("", text("you do more at your tables than anybody can; wait a moment"))
        game = getattr(frame, "game", "")
        is_here = game in self.rooms
        is_put_away = is_here and game not in self.rooms.loaded
        if is_put_away or (is_here and isinstance(frame, protocol.Follow)):
            self.count_reading(session)  # who waits for a game that is not there yet asks again and again
        if is_put_away:
            await self.reading.have_read(game, user=session.user)
        await self._handlers[type(frame)](self, session, frame)

    def counts(self) -> tuple[int, int]:
        """Return how many games the server has, and how many players are here: what it announces of itself."""
        return len(self.rooms), len(self.presence.online())

    # ---------------------------------------------------------------- what handlers ask for

    def count_reading(self, session: Session, many: int = 1) -> None:
        """Count what somebody asks for that is read from the store, such as a game that lies there; Refused if it is too much."""
        if not self.limits.catching.take(session.player or session.user, many):
            raise Refused("", text(protocol.READS_MUCH))

    def room(self, game: str) -> Room:
        """Return a game; BadInput if there is none of this id, or it can't be read."""
        if game not in self.faulty:
            if game not in self.rooms:
                raise BadInput.one(protocol.NO_GAME, "a game of this server", game)
            try:
                return self.rooms[game]
            except OSError:
                raise
            except Exception as error:
                self._set_aside(game, error)
        raise BadInput.one("game here", "a game that can be read", f"{game}: {self.faulty[game]}")

    def look_again(self, game: str) -> None:
        """Read a game anew, as another server process on the same store has written to it, and send what is new.

        Where that goes wrong the log tells of it, and whoever asks for the game next is told.
        """
        self.rooms.forget(game)
        try:
            if game in self.rooms:
                publishing.publish(self.sessions, self.room(game))
        except BadInput:
            return  # `room` has set it aside
        except Exception:
            logger.exception("game %s could not be read again", game)

    async def create(self, frame: protocol.CreateGame, player: str, *, most: int | None) -> Room:
        """Begin a game that *player* owns, or return the one that an earlier asking began.

        Args:
            most: how many games he may own at which nobody else sits, this one included; None: as many as he likes.

        Raises:
            Refused: he has so many, another game of this id is here, or it can't be taken up. BadInput: it asks for what is not there.
        """
        async with self.creating:
            if frame.game in self.faulty:
                raise Refused("", text("a game {game} is here, and can't be taken up", game=frame.game))
            if frame.game not in self.rooms:
                if most is not None and self.rooms.empty_tables(player) >= most:
                    words = "you have {most} games here at which nobody else sits, and nobody may have more: close one first"
                    raise Refused("", text(words, most=most))
                if most is not None and not self.limits.founding.take(player):
                    raise Refused("", text("you have begun very many games here just now; wait a moment"))
                pack = self.packs(frame.ruleset)
                terms = msgspec.structs.replace(frame.terms, owner=player)
                room = await Room.create(
                    self.store, frame.game, pack, frame.scenario, frame.options, settings=self.settings, terms=terms, keeper=self.identity
                )
                self.rooms.add(room)
                self.tending.attend(room)
                async with room.lock:
                    await room.begin_if_possible()
            else:
                self._check_is_asked_for(frame)
            return self.room(frame.game)

    def _check_is_asked_for(self, frame: protocol.CreateGame) -> None:
        """Refuse a game that is here and another than the one that would be begun. By whom does not matter: each of its bots may ask."""
        head = self.room(frame.game).head
        terms = msgspec.structs.replace(frame.terms, owner=head.terms.owner)
        if (head.ruleset, head.scenario, head.terms) == (frame.ruleset, frame.scenario, terms):
            options = chosen_options(self.packs(frame.ruleset).manifest, frame.options)
            if all(options.get(name) == value for name, value in head.options.items()):
                return
        words = protocol.ANOTHER_IS_HERE + ": {ruleset}/{scenario}, with {dice} dice, begun by {owner}"
        dice, owner = head.terms.dice.kind, head.terms.owner or "nobody"
        raise Refused("", text(words, game=head.game, ruleset=head.ruleset, scenario=head.scenario, dice=dice, owner=owner))


def _why_unread(error: Exception) -> str:
    """Return in words why a game can't be read, for players and owners; what else is known of it stands in the log."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    if isinstance(error, ValueError):  # of a log, or of what a record holds
        return f"its log does not hold: {error}"
    return str(error) if isinstance(error, (BadInput, Refused)) else "a fault of the server; see its log"
