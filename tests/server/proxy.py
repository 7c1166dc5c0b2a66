"""A man in the middle of a player and his server who has the keys of both: he loses, doubles, reorders and delays whole messages.

TCP does none of that; a server that drops what it has no room for, a bug, or a line that is cut between two messages does.
`tests.server.test_lines.Wire` is the proxy that knows only bytes.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from typing import Literal

import msgspec
import zmq

from core.address import Place
from core.identity import Identity, curve_key

What = Literal["pass", "lose", "double", "late"]
Fate = Callable[[str, bytes], What]  # of a message of this tag
IDLE_MS = 20


class _Tagged(msgspec.Struct):
    frame: str


_tags = msgspec.msgpack.Decoder(_Tagged)


def each_once(what: What) -> Fate:
    """Return a fate that meets the first sending of each message; the same bytes pass the second time, but for the numbers of pings."""
    met: set[bytes] = set()

    def fate(tag: str, data: bytes) -> What:
        if tag in ("ping", "pong"):
            data = msgspec.msgpack.encode(msgspec.msgpack.decode(data) | {"number": 0})
        if data in met:
            return "pass"
        met.add(data)
        return what

    return fate


def now_and_then(seed: int, share: float = 0.3) -> Fate:
    """Return a fate that strikes by chance, in every way, but no pings: by how many are answered it is known what else was lost."""
    rng = random.Random(seed)

    def fate(tag: str, __: bytes) -> What:
        strikes = tag not in ("ping", "pong") and rng.random() < share
        return rng.choice(("lose", "double", "late")) if strikes else "pass"

    return fate


def only(tag: str, fate: Fate) -> Fate:
    """Return a fate of the messages of one tag alone."""
    return lambda found, data: fate(found, data) if found == tag else "pass"


class _Way:
    """One direction of one connection; what is late comes after the next three messages, or when nothing else comes."""

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self._send = send
        self._late: list[tuple[int, bytes]] = []

    def carry(self, data: bytes, what: What) -> None:
        if what == "late":
            self._late.append((3, data))
            return
        for _ in range({"pass": 1, "double": 2, "lose": 0}[what]):
            self._send(data)
        self._late = [(left - 1, held) for left, held in self._late]
        while self._late and self._late[0][0] <= 0:
            self._send(self._late.pop(0)[1])

    def settle(self) -> None:
        """Nothing comes: what was held back goes, the last first."""
        while self._late:
            self._send(self._late.pop()[1])


class Middle:
    """Stands between one player and the server.

    Args:
        there: the server.
        server, player: whose keys he has.
        up, down: the fate of what the player sends, and of what he is sent.

    Attributes:
        place: where the player connects.
        struck: how many messages did not simply pass.
        missed: of which tags some were lost, or came late.
    """

    def __init__(self, there: Place, server: Identity, player: Identity, *, up: Fate, down: Fate) -> None:
        self._there, self._server, self._player, self._up, self._down = there, server, player, up, down
        self.struck, self.missed = 0, set[str]()
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._router = self._context.socket(zmq.ROUTER)
        self._router.setsockopt(zmq.CURVE_SERVER, 1)
        self._router.setsockopt(zmq.CURVE_SECRETKEY, server.curve_secret())
        port = self._router.bind_to_random_port("tcp://127.0.0.1")
        self.place = Place("127.0.0.1", port, there.key)
        self._dealers: dict[bytes, zmq.Socket[bytes]] = {}
        self._ways: dict[bytes, tuple[_Way, _Way]] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="middle")
        self._thread.start()

    def _run(self) -> None:
        poller = zmq.Poller()
        poller.register(self._router, zmq.POLLIN)
        while not self._stop.is_set():
            ready = dict(poller.poll(IDLE_MS))
            if not ready:
                for way in [way for both in self._ways.values() for way in both]:
                    way.settle()
            if self._router in ready:
                peer, data = self._router.recv_multipart()
                if peer not in self._dealers:
                    self._connect(peer)
                    poller.register(self._dealers[peer], zmq.POLLIN)
                self._carry(self._ways[peer][0], data, self._up)
            for peer, dealer in self._dealers.items():
                if dealer in ready:
                    self._carry(self._ways[peer][1], dealer.recv(), self._down)
        self._context.destroy(linger=0)

    def _carry(self, way: _Way, data: bytes, fate: Fate) -> None:
        tag = _tags.decode(data).frame
        what = fate(tag, data)
        self.struck += what != "pass"
        self.missed |= {tag} if what in ("lose", "late") else set()
        way.carry(data, what)

    def _connect(self, peer: bytes) -> None:
        dealer = self._context.socket(zmq.DEALER)
        dealer.setsockopt(zmq.CURVE_SERVERKEY, curve_key(self._there.key))
        dealer.setsockopt(zmq.CURVE_PUBLICKEY, curve_key(self._player.key))
        dealer.setsockopt(zmq.CURVE_SECRETKEY, self._player.curve_secret())
        dealer.connect(self._there.tcp)
        self._dealers[peer] = dealer
        self._ways[peer] = (_Way(dealer.send), _Way(lambda data: self._router.send_multipart([peer, data])))

    def close(self) -> None:
        self._stop.set()
        self._thread.join(10)
