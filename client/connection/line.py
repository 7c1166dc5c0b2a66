"""The line to a server: a thread of its own with a DEALER, a poller and a wake-up pair; reconnects, and tells its owner by a callback.

The line is encrypted: with our key, for the server's, which the join link carries or which is remembered or asked for
(`client.connection.identity`). Sockets are made, used and closed in the thread alone. libzmq reconnects by itself, but to a server that may
have died meanwhile and knows nobody: the greeting is said again after each handshake (a monitor tells them), whenever the server asks who
is there, and when a message could not be sent. After a long silence the socket is made anew.

Whatever a server sends costs us little: while the owner is behind with what he was told nothing more is taken in, and then the server
waits; one whose message never ends is left for good.
"""

from __future__ import annotations

import itertools
import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import zmq
from zmq.utils.monitor import recv_monitor_message

from client.connection import hours
from client.connection.identity import KnownServers, OtherVersion, ask_key, why_no_key, why_nobody
from client.connection.pings import Pings
from client.connection.unfinished import Unfinished
from client.program import program
from core import protocol
from core.address import Place, parse
from core.errors import BadInput, Refused
from core.identity import Identity, PublicKey, curve_key, fingerprint
from core.text import Text, text

SILENCE_S = 20.0  # without any message, although pinged: the line is dead
PING_S = 5.0
HANDSHAKE_MS = 10_000
STRANGE_S = 3.0  # without a handshake: nobody may be there, or a server of another key than the link's, which does not answer then
LOOK_S = 1.0  # for each of the two looks at that: whoever closes the line waits for them
SEND_LIMIT = 100  # messages on their way to a server that does not read; the rest waits here, as long as the line is up
WHOLE = 50  # whole messages, as long as any, that may wait to be taken in while one is looked for that does not end
AT_ONCE = 100  # messages that are taken in before anything else has its turn
BEHIND_MS = 20  # between looks whether the owner is behind still
TRY_LATER = 300  # ZAP's status for "not now"
_SOON_KNOWN = protocol.PublishChain | protocol.ShowLink  # a ping goes behind each: how soon the server has it counts
_WATCHED = zmq.EVENT_CONNECTED | zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_HANDSHAKE_FAILED_AUTH | zmq.EVENT_DISCONNECTED
BACKOFF_S = (0.2, 0.5, 1.0, 2.0, 5.0)
_watches, _lines = itertools.count(), itertools.count()


class Up(msgspec.Struct, frozen=True):
    """The server knows us by *name*, in this *role*; *server* is its key, *is_new* whether we had not met it.

    *heard_ms* is the latest moment, by `client.connection.hours.now_ms`, of which we know that it was there for us before; None: of none.
    """

    name: str
    role: protocol.Role = protocol.PLAYER
    server: str = ""
    is_new: bool = False
    heard_ms: int | None = None


class Down(msgspec.Struct, frozen=True):
    """The line is dead and will be tried again in *retry_s* seconds; 0: libzmq is at it already."""

    reason: str
    retry_s: float


class Remark(msgspec.Struct, frozen=True):
    """Something is worth knowing, and the line is as good without."""

    text: str


class GivenUp(msgspec.Struct, frozen=True):
    """The line has ended and is tried no more: *words* tell why."""

    words: Text


Happening = protocol.FromServer | Up | Down | Remark | GivenUp
Listener = Callable[[Happening], None]
ENDLESS = "the server at {address} sends what no server of this game does, a message without an end: the line to it was ended for good"
WAITS = "more came from {address} than is taken in here: what waits is asked for again"
IN_PARTS = "what came from {address} was changed on the way, or is no server's of this game"
OTHER_KEY = (
    "no answer from {address}, whose key may be another by now: ask its host for a new link, if he has set it up anew "
    "(its fingerprint is said to be {now}, and that of the link is {was})"
)
OTHER_NAME = (
    "the server at {address} calls you {name} now, and you have come as {own}: a key's name never changes on a server, and nothing that is "
    "done there to {own} would be told as done to you; the line to it was ended for good"
)
logger = logging.getLogger("rasputitsa.line")


class _BacklogError(Exception):
    """More waits to be taken in than should be kept."""


class _InPartsError(Exception):
    """A message came in several parts. CURVE does not prove that it has more: who carries the line can say so of an honest server's."""


class _Talk:
    """One connection, as long as it lasts.

    Attributes:
        all_of_it: tells what happens on the connection, on its monitor, or wakes us; *ours* but for the connection itself.
        begun_s: when it began; *heard_s* when something came last; *pinged_s* when the server was asked last whether it is there.
        looks_for_it: without a handshake it is to be looked whether the server is there, and which key it says that it has.
    """

    def __init__(self, socket: zmq.Socket[bytes], wake: zmq.Socket[bytes], monitor: zmq.Socket[bytes]) -> None:
        self.socket, self.looks_for_it = socket, True
        self.all_of_it, self.ours = zmq.Poller(), zmq.Poller()
        for poller, sockets in ((self.all_of_it, (socket, wake, monitor)), (self.ours, (wake, monitor))):
            for one in sockets:
                poller.register(one, zmq.POLLIN)
        self.begun_s = self.heard_s = self.pinged_s = time.monotonic()


@contextmanager
def _watched(socket: zmq.Socket[bytes]) -> Iterator[zmq.Socket[bytes]]:
    """Yield what tells how a socket fares."""
    # An address of its own: pyzmq's names the file descriptor, which another line that is being closed may have had a moment ago.
    monitor = socket.get_monitor_socket(_WATCHED, f"inproc://watch-{next(_watches)}")
    try:
        yield monitor
    finally:
        # In this order: ZeroMQ's thread waits for ever to tell something to a monitor that is closed, and all of the program with it.
        socket.disable_monitor()
        monitor.close(linger=0)


class Line:
    """A line to one server.

    Args:
        address: ``tcp://HOST:PORT`` or a join link.
        name: the player's name there; empty if the server knows it.
        listen: called in the line's thread with whatever happens.
        identity: who we are.
        known: the servers that we have met.
        suggested: the name to take if *name* is empty and we have none there.
        is_behind: says whether the owner has much to take in still; asked in the line's thread.

    A refusal that no new try can change, such as a server whose key is not the remembered one, is told as `GivenUp`, and the line tries
    no more.
    """

    def __init__(
        self, address: str, name: str, listen: Listener, *, identity: Identity, known: KnownServers | None = None, suggested: str = "",
        is_behind: Callable[[], bool] = lambda: False,
    ) -> None:
        self.address, self.name, self.identity, self.suggested = address, name, identity, suggested
        self.known = known if known is not None else KnownServers()
        self._is_new = False
        self._server: PublicKey = ""
        self._place: Place | None = None
        self._listen, self._is_behind = listen, is_behind
        self._unfinished = Unfinished(0)
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._unsent: list[bytes] = []  # what came out of it and there was no room for yet
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context.instance()
        self._wake_address = f"inproc://line-{next(_lines)}"  # a closed one keeps its name for a moment
        self._wake = self._context.socket(zmq.PAIR)
        self._wake.bind(self._wake_address)
        self._wake_lock = threading.Lock()
        self._hurry = threading.Event()
        self._must_greet = self._must_ping = False
        self._has_shaken = False  # hands, with whoever has the server's key, since the socket was made
        self._is_greeted = False  # a hello was sent, and has no answer yet
        self._known = False  # our hello was answered on this connection
        self._was_known = False
        self._greeted_s = 0.0
        self._pings = Pings()
        self._broke: set[str] = set()  # over which kinds of frames our owner broke
        self._thread = threading.Thread(target=self._run, name="line", daemon=True)

    @property
    def pinged(self) -> int:
        """Return how many pings were sent."""
        return self._pings.sent

    @property
    def answered(self) -> int:
        """Return the number of the ping that was answered last; what was sent behind fewer pings was answered before, or is lost."""
        return self._pings.answered

    @property
    def heard_ms(self) -> int | None:
        """Return when that ping was sent: what its answer took to be taken in here says nothing of the server; None: none was answered."""
        return self._pings.heard_ms

    def start(self) -> None:
        """Begin to connect."""
        self._thread.start()

    def send(self, frame: protocol.Frame) -> None:
        """Send a frame, from any thread; what is sent while the line is down is dropped, and the owner sends it again when it is Up."""
        self._outbox.put(protocol.encode(frame))
        self._must_ping = self._must_ping or isinstance(frame, _SOON_KNOWN)
        self._nudge()

    def hurry(self) -> None:
        """Try again at once, if the line waits to be tried again."""
        self._hurry.set()
        self._nudge()

    def close(self) -> None:
        """End the thread and its sockets."""
        self._outbox.put(None)
        self._nudge()
        if self._thread.is_alive():
            self._thread.join(5)
        self._wake.close(linger=0)
        self._listen, self._is_behind = (lambda note: None), (lambda: False)  # held no longer, or a game would be that nobody has any more

    def _nudge(self) -> None:
        with self._wake_lock:
            if not self._wake.closed:
                try:
                    self._wake.send(b"", zmq.DONTWAIT)
                except zmq.Again:
                    return  # the thread has wake-ups enough to look

    # ---------------------------------------------------------------- the thread

    def _run(self) -> None:
        wake = self._context.socket(zmq.PAIR)
        wake.connect(self._wake_address)
        tries = 0
        try:
            while True:
                try:
                    reason, up = self._talk(wake)
                except Refused as refused:
                    self._give_up(refused.text)
                    return
                except Exception:  # the thread's border: whoever waits for something is told that nothing comes
                    logger.exception("the line to %s broke", self._where)
                    self._give_up(text("the line to {address} broke, by a fault of this program", address=self._where))
                    return
                if reason is None:
                    return
                tries = 0 if up else tries + 1
                retry = BACKOFF_S[min(tries, len(BACKOFF_S) - 1)]
                self._listen(Down(reason, retry))
                if self._pause(wake, retry):
                    return
        finally:
            wake.close(linger=0)

    def _give_up(self, words: Text) -> None:
        self._listen(GivenUp(words))

    def _pause(self, wake: zmq.Socket[bytes], seconds: float) -> bool:
        """Wait before the next try, dropping what is sent meanwhile; True if the line is closed."""
        until = time.monotonic() + seconds
        self._hurry.clear()
        while (left := until - time.monotonic()) > 0 and not self._hurry.is_set():
            if wake.poll(int(left * 1000) + 1):
                wake.recv()
            while not self._outbox.empty():
                if self._outbox.get() is None:
                    return True
        return False

    def _talk(self, wake: zmq.Socket[bytes]) -> tuple[str | None, bool]:
        """Keep one connection; return why it ended (None: closed by its owner) and whether it was ever up."""
        try:
            place = self._place = self._place or parse("address", self.address)
            self._server = self._server_key(place)
        except OSError as error:
            return error.strerror or str(error), False
        except BadInput as error:
            return str(error), False
        socket = self._context.socket(zmq.DEALER)
        try:
            self._set_up(socket)
            with _watched(socket) as monitor:
                socket.connect(place.tcp)
                return self._exchange(socket, wake, monitor)
        except _BacklogError:
            return WAITS.format(address=place.tcp), True
        except _InPartsError:
            return IN_PARTS.format(address=place.tcp), False  # who sends nothing else is asked ever more seldom
        except zmq.ZMQError as error:
            return f"{place.tcp}: {error}", False
        finally:
            socket.close()

    def _set_up(self, socket: zmq.Socket[bytes]) -> None:
        own = curve_key(self.identity.key)
        socket.setsockopt(zmq.CURVE_SERVERKEY, curve_key(self._server))
        socket.setsockopt(zmq.CURVE_PUBLICKEY, own)
        socket.setsockopt(zmq.CURVE_SECRETKEY, self.identity.curve_secret())
        socket.setsockopt(zmq.IPV6, 1)
        socket.setsockopt(zmq.LINGER, 0)
        socket.setsockopt(zmq.IMMEDIATE, 1)
        socket.setsockopt(zmq.SNDHWM, SEND_LIMIT)
        # Where libzmq 4.3.5 takes nothing more of a line, and that one breaks off, a heartbeat then ends the process ("!_io_error"): all
        # that comes is taken in, and a line on which too much waits is ended (`_look_for_end`).
        socket.setsockopt(zmq.RCVHWM, 0)
        socket.setsockopt(zmq.MAXMSGSIZE, protocol.MAX_FRAME)
        socket.setsockopt(zmq.HANDSHAKE_IVL, HANDSHAKE_MS)
        socket.setsockopt(zmq.RECONNECT_IVL, 100)
        socket.setsockopt(zmq.RECONNECT_IVL_MAX, 5_000)

    def _server_key(self, place: Place) -> PublicKey:
        """Return the server's key: of the link, remembered, or asked for.

        What is said in clear text anybody on the way can have said. It ends the line for good only where it is another key than the
        remembered one, or none is: a server that shows the remembered one will say itself which version it speaks.

        Raises:
            Refused: it is not the remembered one, or the server speaks another version and was not met.
            BadInput, OSError: the server can't be asked.
        """
        if place.key and place.is_here:
            return place.key  # a server of this machine's own, on whatever port was free
        if place.key:
            self._is_new = not self.known.met(place, place.key)
            return place.key
        known = self.known.get(place.place)
        try:
            said = ask_key(place)
        except OtherVersion as other:
            if known is None:
                raise
            said = other.key or known.key
        except (OSError, BadInput) as error:
            if known is not None:
                return known.key
            if isinstance(error, BadInput):
                raise
            raise OSError(error.errno, why_no_key(place, error)) from error
        self._is_new = not self.known.met(place, said)
        return said

    def _why_strange(self, place: Place) -> str:
        """Return what to say where nobody is there, or a server says that it has another key than the link's; empty where none says so.

        It is said in clear text, so anybody on the way may have: the link's key stays the one that is asked for.
        """
        try:
            said = ask_key(place, seconds=LOOK_S)
        except OtherVersion as other:
            said = other.key
        except BadInput:
            return ""
        except OSError as error:
            return why_nobody(place, error, seconds=LOOK_S)
        if not place.key or said in ("", place.key):
            return ""
        return OTHER_KEY.format(address=place.tcp, now=fingerprint(said), was=fingerprint(place.key))

    def _exchange(
        self, socket: zmq.Socket[bytes], wake: zmq.Socket[bytes], monitor: zmq.Socket[bytes]
    ) -> tuple[str | None, bool]:
        assert self._place is not None, "an exchange before a connection"
        self._unfinished = Unfinished(self._place.port)
        self._must_greet = self._is_greeted = self._known = self._was_known = self._has_shaken = False
        talk = _Talk(socket, wake, monitor)
        while (ended := self._time_is_up(talk, self._place)) is None:
            self._speak(talk, self._place.invite)
            ready = self._wait(talk)
            self._look_for_end(socket)
            if wake in ready:
                wake.recv()
            if ready.get(socket, 0) & zmq.POLLIN:
                talk.heard_s = time.monotonic()
                self._receive(socket)
            if monitor in ready:
                self._watch(monitor)
            if self._flush(socket):
                return None, self._was_known
            if self._must_ping and self._known and not self._unsent and self._outbox.empty():
                self._must_ping = False
                self._ping(socket)
        return ended

    def _time_is_up(self, talk: _Talk, place: Place) -> tuple[str, bool] | None:
        """Return why the connection is to be ended by now, and whether it was ever up; None if it goes on."""
        now = time.monotonic()
        if talk.looks_for_it and not self._has_shaken and now - talk.begun_s > STRANGE_S:
            talk.looks_for_it = False
            if told := self._why_strange(place):
                return told, False
        if now - talk.heard_s > SILENCE_S:
            return f"no answer from {self._where} for {SILENCE_S:.0f} s", self._was_known
        return None

    def _speak(self, talk: _Talk, invite: str) -> None:
        """Say hello if that is to be said, else ask from time to time whether the server is there."""
        if self._must_greet:
            self._greet(talk.socket, invite)
        elif time.monotonic() - talk.pinged_s > PING_S:
            talk.pinged_s = time.monotonic()
            self._ping(talk.socket)

    def _wait(self, talk: _Talk) -> dict[Any, int]:
        """Wait for what happens next; while our owner is behind nothing is taken from the server, and it is not its silence."""
        if self._is_behind():
            talk.heard_s = time.monotonic()
            return dict(talk.ours.poll(BEHIND_MS))
        talk.all_of_it.modify(talk.socket, zmq.POLLIN | zmq.POLLOUT if self._unsent else zmq.POLLIN)
        return dict(talk.all_of_it.poll(100 if self._must_greet else int(min(PING_S, 1.0) * 1000)))

    def _greet(self, socket: zmq.Socket[bytes], invite: str) -> None:
        hello = protocol.Hello(protocol.VERSION, self.name, self.identity.key, invite, program(), self.suggested)
        self._is_greeted = self._try_send(socket, protocol.encode(hello))
        self._must_greet, self._greeted_s = not self._is_greeted, time.monotonic()

    def _ping(self, socket: zmq.Socket[bytes]) -> None:
        now = hours.now_ms()
        if self._try_send(socket, protocol.encode(self._pings.next())):
            self._pings.sends(now)

    def _watch(self, monitor: zmq.Socket[bytes]) -> None:
        """Take in what became of the connection: at the other end of a new one may be a server that has forgotten us."""
        while monitor.poll(0):
            event = recv_monitor_message(monitor)
            if event["event"] == zmq.EVENT_CONNECTED:
                self._unfinished.connected(event["value"])
                continue
            if event["event"] == zmq.EVENT_HANDSHAKE_FAILED_AUTH and event["value"] != TRY_LATER:
                raise Refused("", text("the server at {address} does not let this key in", address=self._where))
            self._must_greet = event["event"] == zmq.EVENT_HANDSHAKE_SUCCEEDED
            self._has_shaken = self._has_shaken or self._must_greet
            if self._known and not self._must_greet:
                self._listen(Down(f"{self._where} closed the line", 0.0))
            self._known = False

    def _receive(self, socket: zmq.Socket[bytes]) -> None:
        """Hand on what has arrived, all of it if it is not very much."""
        for _ in range(AT_ONCE):
            if not socket.poll(0):
                break
            part = socket.recv(copy=False)
            if part.more:
                raise _InPartsError
            data = part.bytes
            self._unfinished.taken(len(data))
            try:
                frame = protocol.decode_from_server(data)
            except BadInput as error:
                fault = error.faults[0]
                self._listen(protocol.Failed(f"from server: {fault.where}", fault.expected, fault.got))
                continue
            match frame:
                case protocol.Welcome():
                    if self._is_greeted:  # unasked it would have us believe that we were away, with nothing to be seen of it
                        self._welcomed(frame)
                case protocol.WhoAreYou():
                    if self._known:
                        self._listen(Down(f"{self._where} does not know this line any more", 0.0))
                    if self._known or self._is_greeting_lost():  # else a hello is on its way already
                        self._must_greet, self._known = True, False
                case protocol.Pong() if not self._known:
                    self._must_greet = self._must_greet or self._is_greeting_lost()
                case protocol.Pong() if not frame.is_busy:
                    if self._pings.answers(frame):
                        self._hand_on(frame)
                case _:
                    self._hand_on(frame)
        self._unfinished.looked()

    def _hand_on(self, frame: protocol.FromServer) -> None:
        """Tell the owner of a frame; if he breaks over it, whatever a server made up, tell him that, and go on."""
        try:
            self._listen(frame)
        except Exception:
            kind = str(type(frame).__struct_config__.tag)
            if kind not in self._broke:  # a server may send it without end
                self._broke.add(kind)
                logger.exception("a frame %s of %s broke", kind, self._where)
            self._listen(protocol.Failed("from server", "what this program can use", f"a frame {kind}", getattr(frame, "game", "")))

    def _look_for_end(self, socket: zmq.Socket[bytes]) -> None:
        """Refuse a server whose message does not end, and end a line on which too much waits: libzmq holds neither to a number."""
        received = self._unfinished.received()
        if self._unfinished.is_backlog(received) and socket.poll(0):
            raise _BacklogError
        if self._unfinished.is_much(received, waiting=WHOLE if socket.poll(0) else 0):
            raise Refused("", text(ENDLESS, address=self._where))

    def _is_greeting_lost(self) -> bool:
        """Say whether a hello, or the answer to it, should have come long ago."""
        return not self._known and time.monotonic() - self._greeted_s > PING_S

    def _welcomed(self, welcome: protocol.Welcome) -> None:
        if self.name not in ("", welcome.name):
            raise Refused("", text(OTHER_NAME, address=self._where, name=welcome.name or "nobody", own=self.name))
        self._known = self._was_known = True
        self._is_greeted = False
        self.name = welcome.name
        assert self._place is not None, "a welcome before a connection"
        if not (self._place.key and self._place.is_here):
            self._remember(self._place, welcome.name)
        self._listen(Up(welcome.name, welcome.role, self._server, self._is_new, self.heard_ms))
        self._is_new = False
        self._pings.begin_anew()

    def _remember(self, place: Place, name: str) -> None:
        try:
            self.known.remember(place.place, self._server, name)
        except (BadInput, OSError) as error:  # the line is good all the same
            self._listen(Remark(f"this server is remembered no longer than this program runs: {error}"))

    @property
    def _where(self) -> str:
        return self._place.tcp if self._place is not None else self.address

    def _flush(self, socket: zmq.Socket[bytes]) -> bool:
        """Send what waits, as far as there is room for it; True if the owner closed the line."""
        is_over = False
        while not is_over and not self._outbox.empty():
            if (data := self._outbox.get()) is None:
                is_over = True
            elif self._known:
                self._unsent.append(data)
        if not self._known:
            self._unsent.clear()  # the next Up lets the owner send it again
        while self._unsent and self._try_send(socket, self._unsent[0]):
            del self._unsent[0]
        return is_over

    @staticmethod
    def _try_send(socket: zmq.Socket[bytes], data: bytes) -> bool:
        try:
            socket.send(data, zmq.DONTWAIT)
        except zmq.Again:
            return False
        return True
