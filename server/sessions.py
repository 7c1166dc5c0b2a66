"""The connections of a server: who is behind each, what it follows, and how something is sent to it.

A peer that can't be reached or does not read is forgotten: whatever it sends next is answered by `WhoAreYou`, and it catches up with
`Follow`. Nobody waits for it.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Iterator

import zmq
import zmq.asyncio

from core import protocol

PATIENCE_S = 20.0  # how long a peer that catches up may take for room for one message
WAIT_S = 0.02
MAX_SESSIONS = 5_000  # connections that are remembered; the longest silent ones are forgotten first


class Session:
    """What is known of one connection.

    Attributes:
        peer: where answers go; it identifies nobody.
        player: the name it showed to hold, empty before its hello.
        follows: the games it is sent.
        inbox: what it sent and waits to be answered.
        busy: whether one of its messages is being answered.
    """

    def __init__(self, peer: bytes) -> None:
        self.peer = peer
        self.player = ""
        self.follows: set[str] = set()
        self.inbox: deque[bytes] = deque()
        self.busy = False


class Sessions:
    """All connections, the longest silent first."""

    def __init__(self) -> None:
        self._all: dict[bytes, Session] = {}
        self._socket: zmq.asyncio.Socket | None = None

    def send_over(self, socket: zmq.asyncio.Socket) -> None:
        """Send over this ROUTER from now on."""
        self._socket = socket

    def heard(self, peer: bytes) -> Session:
        """Return the session of a peer that was just heard of, a new one if it is not known."""
        session = self._all.pop(peer, None) or Session(peer)
        self._all[peer] = session
        if len(self._all) > MAX_SESSIONS:
            self._all.pop(next(iter(self._all)))
        return session

    def knows(self, session: Session) -> bool:
        """Say whether the session was not forgotten meanwhile."""
        return self._all.get(session.peer) is session

    def forget(self, session: Session) -> None:
        """Know it no more."""
        if self.knows(session):
            del self._all[session.peer]

    def remember(self, session: Session) -> None:
        """Know it again, unless the peer has begun anew meanwhile."""
        self._all.setdefault(session.peer, session)

    def __len__(self) -> int:
        return len(self._all)

    def followers(self, game: str) -> Iterator[Session]:
        """Yield who follows a game."""
        return (session for session in list(self._all.values()) if game in session.follows)

    def of(self, player: str) -> Iterator[Session]:
        """Yield the connections of a player."""
        return (session for session in list(self._all.values()) if session.player == player)

    # ---------------------------------------------------------------- sending

    def send(self, session: Session, frame: protocol.Frame) -> bool:
        """Send without waiting; a peer that is gone or behind is forgotten."""
        return self.send_bytes(session, protocol.encode(frame))

    def send_bytes(self, session: Session, data: bytes) -> bool:
        """Send a frame's bytes without waiting, for what goes to many."""
        if self._try_send(session, data) is None:
            return True
        self.forget(session)
        return False

    async def send_patiently(self, session: Session, frame: protocol.Frame) -> bool:
        """Send one of many messages, waiting for room for it; only this peer waits."""
        data = protocol.encode(frame)
        until = time.monotonic() + PATIENCE_S
        while isinstance(failed := self._try_send(session, data), zmq.Again) and time.monotonic() < until:
            await asyncio.sleep(WAIT_S)
        if failed is not None:
            self.forget(session)
        return failed is None

    def _try_send(self, session: Session, data: bytes) -> BaseException | None:
        assert self._socket is not None, "send before bind"
        if self._socket.closed:
            return zmq.ZMQError(zmq.ENOTSOCK)
        # With DONTWAIT the future is done at once, with a result or an error.
        return asyncio.ensure_future(self._socket.send_multipart([session.peer, data], zmq.DONTWAIT)).exception()
