"""The line to a server: a thread of its own with a DEALER, a poller and a wake-up pair; reconnects, and tells its owner by a callback.

Sockets are made, used and closed in the thread alone. libzmq reconnects by itself, but to a server that may have died meanwhile and knows
nobody: the greeting is said again after each handshake (a monitor tells them), whenever the server asks who is there, and when a message
could not be sent. After a long silence the socket is made anew.
"""

from __future__ import annotations

import queue
import secrets
import threading
import time
from collections.abc import Callable

import msgspec
import zmq
from zmq.utils.monitor import recv_monitor_message

from core import protocol
from core.errors import BadInput

SILENCE_S = 20.0  # without any message, although pinged: the line is dead
PING_S = 5.0
TOKEN_BYTES = 32
BACKOFF_S = (0.2, 0.5, 1.0, 2.0, 5.0)


class Up(msgspec.Struct, frozen=True):
    """The server knows us; *token* belongs with the name."""

    name: str
    token: bytes


class Down(msgspec.Struct, frozen=True):
    """The line is dead and will be tried again in *retry_s* seconds; 0: libzmq is at it already."""

    reason: str
    retry_s: float


Happening = protocol.FromServer | Up | Down
Listener = Callable[[Happening], None]


class Line:
    """A line to one server.

    Args:
        address: such as ``tcp://127.0.0.1:5757``.
        name: the player's name there.
        token: what the name is known by there; empty for a new one.
        listen: called in the line's thread with whatever happens.
    """

    def __init__(self, address: str, name: str, listen: Listener, *, token: bytes = b"") -> None:
        # A token of our own making: should the first answer be lost, the name is still ours.
        self.address, self.name, self.token = address, name, token or secrets.token_bytes(TOKEN_BYTES)
        self._listen = listen
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context.instance()
        self._wake_address = f"inproc://line-{id(self)}"
        self._wake = self._context.socket(zmq.PAIR)
        self._wake.bind(self._wake_address)
        self._wake_lock = threading.Lock()
        self._must_greet = False
        self._known = False  # our hello was answered on this connection
        self._was_known = False
        self._thread = threading.Thread(target=self._run, name=f"line to {address}", daemon=True)

    def start(self) -> None:
        """Begin to connect."""
        self._thread.start()

    def send(self, frame: protocol.Frame) -> None:
        """Send a frame, from any thread; what is sent while the line is down is dropped, and the owner sends it again when it is Up."""
        self._outbox.put(protocol.encode(frame))
        self._nudge()

    def close(self) -> None:
        """End the thread and its sockets."""
        self._outbox.put(None)
        self._nudge()
        if self._thread.is_alive():
            self._thread.join(5)
        self._wake.close(linger=0)

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
                reason, up = self._talk(wake)
                if reason is None:
                    return
                tries = 0 if up else tries + 1
                retry = BACKOFF_S[min(tries, len(BACKOFF_S) - 1)]
                self._listen(Down(reason, retry))
                if self._pause(wake, retry):
                    return
        finally:
            wake.close(linger=0)

    def _pause(self, wake: zmq.Socket[bytes], seconds: float) -> bool:
        """Wait before the next try, dropping what is sent meanwhile; True if the line is closed."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if wake.poll(int(left * 1000) + 1):
                wake.recv()
            while not self._outbox.empty():
                if self._outbox.get() is None:
                    return True
        return False

    def _talk(self, wake: zmq.Socket[bytes]) -> tuple[str | None, bool]:
        """Keep one connection; return why it ended (None: closed by its owner) and whether it was ever up."""
        socket = self._context.socket(zmq.DEALER)
        socket.setsockopt(zmq.LINGER, 0)
        socket.setsockopt(zmq.IMMEDIATE, 1)
        socket.setsockopt(zmq.SNDHWM, 1000)
        socket.setsockopt(zmq.RCVHWM, 0)
        socket.setsockopt(zmq.MAXMSGSIZE, protocol.MAX_FRAME)
        monitor = socket.get_monitor_socket(zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_DISCONNECTED)
        try:
            socket.connect(self.address)
            return self._exchange(socket, wake, monitor)
        except zmq.ZMQError as error:
            return f"{self.address}: {error}", False
        finally:
            socket.disable_monitor()
            monitor.close(linger=0)
            socket.close()

    def _exchange(
        self, socket: zmq.Socket[bytes], wake: zmq.Socket[bytes], monitor: zmq.Socket[bytes]
    ) -> tuple[str | None, bool]:
        poller = zmq.Poller()
        for one in (socket, wake, monitor):
            poller.register(one, zmq.POLLIN)
        heard = pinged = time.monotonic()
        self._must_greet = self._known = self._was_known = False
        while True:
            now = time.monotonic()
            if now - heard > SILENCE_S:
                return f"no answer from {self.address} for {SILENCE_S:.0f} s", self._was_known
            if self._must_greet:
                hello = protocol.Hello(protocol.VERSION, self.name, self.token)
                self._must_greet = not self._try_send(socket, protocol.encode(hello))
            elif now - pinged > PING_S:
                pinged = now
                self._try_send(socket, protocol.encode(protocol.Ping()))
            ready = dict(poller.poll(100 if self._must_greet else 1000))
            if wake in ready:
                wake.recv()
            if socket in ready:
                heard = time.monotonic()
                self._receive(socket)
            if monitor in ready:
                self._watch(monitor)
            if self._flush(socket):
                return None, self._was_known

    def _watch(self, monitor: zmq.Socket[bytes]) -> None:
        """Take in what became of the connection: at the other end of a new one may be a server that has forgotten us."""
        while monitor.poll(0):
            self._must_greet = recv_monitor_message(monitor)["event"] == zmq.EVENT_HANDSHAKE_SUCCEEDED
            if self._known and not self._must_greet:
                self._listen(Down(f"{self.address} closed the line", 0.0))
            self._known = False

    def _receive(self, socket: zmq.Socket[bytes]) -> None:
        """Hand on all that has arrived."""
        while socket.poll(0):
            data = socket.recv()
            try:
                frame = protocol.decode_from_server(data)
            except BadInput as error:
                fault = error.faults[0]
                self._listen(protocol.Failed(f"from server: {fault.where}", fault.expected, fault.got))
                continue
            match frame:
                case protocol.Welcome():
                    self.token, self._known, self._was_known = frame.token, True, True
                    self._listen(Up(frame.name, frame.token))
                case protocol.WhoAreYou():
                    if self._known:  # else a hello is on its way already
                        self._must_greet, self._known = True, False
                case protocol.Pong():
                    continue
                case _:
                    self._listen(frame)

    def _flush(self, socket: zmq.Socket[bytes]) -> bool:
        """Send what waits; True if the owner closed the line."""
        while not self._outbox.empty():
            data = self._outbox.get()
            if data is None:
                return True
            if self._known and not self._try_send(socket, data):
                self._must_greet, self._known = True, False  # the next Up lets the owner send it again
        return False

    @staticmethod
    def _try_send(socket: zmq.Socket[bytes], data: bytes) -> bool:
        try:
            socket.send(data, zmq.DONTWAIT)
        except zmq.Again:
            return False
        return True
