"""The line to a server: a thread of its own with a DEALER, a poller and a wake-up pair; reconnects, and tells its owner by a callback.

Sockets are made, used and closed in the thread alone. libzmq's own reconnecting is not relied on for state: after a silence the socket is
made anew and the greeting is said again, so that the server knows who is there and sends what was missed.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable

import msgspec
import zmq

from core import protocol
from core.errors import BadInput

SILENCE_S = 20.0  # without any message, although pinged: the line is dead
PING_S = 5.0
BACKOFF_S = (0.2, 0.5, 1.0, 2.0, 5.0)


class Up(msgspec.Struct, frozen=True):
    """The server knows us; *token* belongs with the name."""

    name: str
    token: bytes


class Down(msgspec.Struct, frozen=True):
    """The line is dead and will be tried again in *retry_s* seconds."""

    reason: str
    retry_s: float


Happening = protocol.FromServer | Up | Down
Listener = Callable[[Happening], None]


class Line:
    """A line to one server.

    Args:
        address: such as ``tcp://127.0.0.1:5757``.
        name: the player's name there.
        token: what the server gave with the name; empty the first time.
        listen: called in the line's thread with whatever happens.
    """

    def __init__(self, address: str, name: str, listen: Listener, *, token: bytes = b"") -> None:
        self.address, self.name, self.token = address, name, token
        self._listen = listen
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context.instance()
        self._wake_address = f"inproc://line-{id(self)}"
        self._wake = self._context.socket(zmq.PAIR)
        self._wake.bind(self._wake_address)
        self._wake_lock = threading.Lock()
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
        poller = zmq.Poller()
        poller.register(socket, zmq.POLLIN)
        poller.register(wake, zmq.POLLIN)
        try:
            socket.connect(self.address)
            return self._exchange(socket, wake, poller)
        except zmq.ZMQError as error:
            return f"{self.address}: {error}", False
        finally:
            socket.close()

    def _exchange(self, socket: zmq.Socket[bytes], wake: zmq.Socket[bytes], poller: zmq.Poller) -> tuple[str | None, bool]:
        heard = pinged = time.monotonic()
        greeted = up = False
        while True:
            now = time.monotonic()
            if now - heard > SILENCE_S:
                return f"no answer from {self.address} for {SILENCE_S:.0f} s", up
            if not greeted:
                greeted = self._try_send(socket, protocol.encode(protocol.Hello(protocol.VERSION, self.name, self.token)))
            elif now - pinged > PING_S:
                pinged = now
                self._try_send(socket, protocol.encode(protocol.Ping()))
            ready = dict(poller.poll(100 if not greeted else 1000))
            if wake in ready:
                wake.recv()
            if socket in ready:
                heard = time.monotonic()
                up = self._receive(socket, up=up)
            if self._flush(socket, up=up):
                return None, up

    def _receive(self, socket: zmq.Socket[bytes], *, up: bool) -> bool:
        """Hand on all that has arrived; return whether we are known to the server now."""
        while socket.poll(0):
            data = socket.recv()
            try:
                frame = protocol.decode_from_server(data)
            except BadInput as error:
                fault = error.faults[0]
                self._listen(protocol.Failed(f"from server: {fault.where}", fault.expected, fault.got))
                continue
            if isinstance(frame, protocol.Welcome):
                self.token, up = frame.token, True
                self._listen(Up(frame.name, frame.token))
            elif not isinstance(frame, protocol.Pong):
                self._listen(frame)
        return up

    def _flush(self, socket: zmq.Socket[bytes], *, up: bool) -> bool:
        """Send what waits; True if the owner closed the line."""
        while not self._outbox.empty():
            data = self._outbox.get()
            if data is None:
                return True
            if up:
                self._try_send(socket, data)
        return False

    @staticmethod
    def _try_send(socket: zmq.Socket[bytes], data: bytes) -> bool:
        try:
            socket.send(data, zmq.DONTWAIT)
        except zmq.Again:
            return False
        return True
