"""Many players in one process, who give the orders of recorded games again over real, encrypted connections.

    python -m benchmarks.kit.crowd RECORDINGS LINK FIRST COUNT

plays the games FIRST … FIRST + COUNT - 1, each with a player and a connection for every side. It is told what to do on stdin, a JSON object
a line (`Told`), and answers each with a line of JSON. The players fold nothing: of an entry they need number and hash.
"""

from __future__ import annotations

import hashlib
import random
import select
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import zmq

from benchmarks.kit import recorded
from benchmarks.kit.recorded import Recording
from core import protocol
from core.address import Place, parse
from core.errors import Broken
from core.identity import Identity, curve_key, order_message, seat_signature

GIVE_UP_S = 60.0  # without any answer
PING_S = 5.0  # as a player's program pings
HELLOS = 100  # idle connections that are opened at once


class Open(msgspec.Struct, tag=True):
    """Begin all games: connect, sit down, follow."""


class Rush(msgspec.Struct, tag=True):
    """Give orders as fast as they are acknowledged, until each game stands somewhere in its first *upto* of its orders."""

    upto: float


class Play(msgspec.Struct, tag=True):
    """Give *rate* orders a second for some seconds, at random moments, each in a game whose last one was answered."""

    rate: float
    seconds: float


class Idle(msgspec.Struct, tag=True):
    """Open so many connections more, each of a player of his own, who says hello and no more but that he is here."""

    count: int


class Linger(msgspec.Struct, tag=True):
    """Let the idle ones ping, as players' programs do, for some seconds."""

    seconds: float


class Played(msgspec.Struct):
    """What came of it.

    Attributes:
        within: of orders within a phase, milliseconds from the moment when each was due until it was acknowledged.
        ending: of orders that ended a phase.
        seconds: how long it took.
        processor_s: processor time of the players' process.
        late_ms: how late an order was sent at most, which counts as waiting.
    """

    within: list[float]
    ending: list[float]
    seconds: float
    processor_s: float
    late_ms: float


Told = Open | Rush | Play | Idle | Linger


class Light(msgspec.Struct, array_like=True):
    """Of an entry, what its players need to sign the next order."""

    number: int
    parent: int
    time_ms: int
    side: str
    player: str
    order: bytes
    events: msgspec.Raw
    act: msgspec.Raw
    k: int
    links: msgspec.Raw
    salt: bytes
    signature: bytes
    before: bytes
    pending: bytes
    hash: bytes


class Heard(msgspec.Struct):
    """Any frame of a server, as far as players look at it here."""

    frame: str
    game: str = ""
    order_id: str = ""
    number: int = -1
    entries: tuple[Light, ...] = ()


_heard = msgspec.msgpack.Decoder(Heard)
NO_ACT = b"\xc0"


class Peer:
    """One player's connection.

    Attributes:
        seq, hash: of the last entry that moved his game, as far as he was told.
    """

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]], name: str, place: Place) -> None:
        self.name, self.server = name, place.key
        self.identity = Identity(hashlib.sha256(name.encode()).digest())
        self.seq, self.hash, self.welcome, self.follows = -1, bytes(32), False, False
        self.game: GameAtHand | None = None
        self.side = ""
        self.socket = socket = context.socket(zmq.DEALER)
        socket.setsockopt(zmq.CURVE_SERVERKEY, curve_key(place.key))
        socket.setsockopt(zmq.CURVE_PUBLICKEY, curve_key(self.identity.key))
        socket.setsockopt(zmq.CURVE_SECRETKEY, self.identity.curve_secret())
        socket.setsockopt(zmq.LINGER, 0)
        socket.setsockopt(zmq.RCVHWM, 0)
        socket.connect(place.tcp)

    def send(self, frame: protocol.Frame) -> None:
        """Send a frame."""
        self.socket.send(protocol.encode(frame), zmq.DONTWAIT)

    def sits(self, game: str) -> protocol.TakeSeat:
        """Return what takes his seat of a game: he sits down once in each."""
        return protocol.TakeSeat(game, self.side, signature=seat_signature(self.identity, game, self.server, self.side, "", number=0))


class GameAtHand:
    """A game that is played again.

    Attributes:
        at: the next order of the recording.
        asked: the id of the order that is not answered yet, empty if none is.
        answered: the entry of the last order.
    """

    def __init__(self, recording: Recording, number: int, peers: dict[str, Peer]) -> None:
        self.recording, self.peers = recording, peers
        self.id = recorded.game_id(recording, number)
        self.at, self.answered = 0, -1
        self.asked = ""
        self.due = 0.0
        for side, peer in peers.items():
            peer.game, peer.side = self, side

    @property
    def left(self) -> int:
        """Return how many orders are left."""
        return len(self.recording.steps) - self.at

    @property
    def is_ready(self) -> bool:
        """Say whether the next order can be given: the last one is answered, and its entry known to whoever is next."""
        return not self.asked and self.left > 0 and self.peers[self.recording.steps[self.at].side].seq >= self.answered

    def give(self, due: float) -> Peer:
        """Give the next order; return who gave it."""
        step = self.recording.steps[self.at]
        peer = self.peers[step.side]
        self.asked, self.due = f"{self.at}", due
        message = order_message(self.id, step.side, peer.seq, peer.hash, step.order)
        peer.send(protocol.Give(self.id, step.side, self.asked, peer.seq, step.order, peer.identity.sign(message)))
        return peer


class Crowd:
    """All players of a process.

    Args:
        place: the server's.
        games: recordings to be played, each with the number of its game.
    """

    def __init__(self, place: Place, games: list[tuple[Recording, int]]) -> None:
        self.context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.context.set(zmq.MAX_SOCKETS, 16_000)
        self.poll = select.epoll()
        self.peers: dict[int, Peer] = {}
        self.idle: list[Peer] = []
        self.pongs = 0
        self.acknowledged: Callable[[GameAtHand, float], None] = lambda game, at: None
        self.games = [
            GameAtHand(one, number, {side: self._peer(f"{side} {number}", place) for side in sides_of(one)}) for one, number in games
        ]

    def _peer(self, name: str, place: Place) -> Peer:
        peer = Peer(self.context, name, place)
        fd = int(peer.socket.getsockopt(zmq.FD))
        self.peers[fd] = peer
        self.poll.register(fd, select.EPOLLIN | select.EPOLLET)
        return peer

    # ---------------------------------------------------------------- hearing

    def hear(self, seconds: float) -> None:
        """Wait that long at most, and take in what has come."""
        select.select([self.poll], [], [], max(seconds, 0.0))  # epoll itself waits for whole milliseconds, half of one too long
        for fd, _ in self.poll.poll(0):
            self.drain(self.peers[fd])

    def drain(self, peer: Peer) -> None:
        """Take in all that has come to a player: the descriptor tells of it once, and sending may use that up."""
        while True:
            try:
                data = peer.socket.recv(zmq.DONTWAIT)
            except zmq.Again:
                return
            self._take(peer, _heard.decode(data), data)

    def _take(self, peer: Peer, heard: Heard, data: bytes) -> None:
        match heard.frame:
            case "entries":
                for entry in heard.entries:
                    if bytes(entry.act) == NO_ACT:
                        peer.seq, peer.hash = entry.number, entry.hash
            case "accepted":
                self._accepted(peer, heard)
            case "welcome":
                peer.welcome = True
            case "pong":
                self.pongs += 1
            case "opened":
                peer.follows = True
            case "refused" | "failed" | "who_are_you":
                raise Broken(f"{peer.name}: {protocol.decode_from_server(data)}")

    def _accepted(self, peer: Peer, heard: Heard) -> None:
        game = peer.game
        assert game is not None, f"{peer.name} plays no game"
        assert game.asked == heard.order_id, f"{peer.name}: an answer to {heard.order_id}, not {game.asked}"
        now = time.perf_counter()
        game.asked, game.answered = "", heard.number
        self.acknowledged(game, now)
        game.at += 1

    def until(self, holds: Callable[[], bool]) -> None:
        """Hear until something holds.

        Raises:
            Broken: it did not for a long time.
        """
        end = time.perf_counter() + GIVE_UP_S
        while not holds():
            if time.perf_counter() > end:
                raise Broken(f"players heard nothing for {GIVE_UP_S:.0f} s")
            self.hear(0.1)

    # ---------------------------------------------------------------- doing

    def say(self, peer: Peer, frame: protocol.Frame) -> None:
        """Send a frame."""
        peer.send(frame)
        self.drain(peer)

    def open(self) -> None:
        """Begin all games."""
        peers = list(self.peers.values())
        for peer in peers:
            self.say(peer, protocol.Hello(protocol.VERSION, peer.name, peer.identity.key))
        self.until(lambda: all(peer.welcome for peer in peers))
        for game in self.games:
            recording, first = game.recording, next(iter(game.peers.values()))
            self.say(first, protocol.CreateGame(game.id, recording.ruleset, recording.scenario))
            self.say(first, first.sits(game.id))
            self.say(first, protocol.Follow(game.id))
            self.until(lambda first=first: first.follows)  # type: ignore[misc]
            for other in list(game.peers.values())[1:]:
                self.say(other, other.sits(game.id))
                self.say(other, protocol.Follow(game.id))
        self.until(lambda: all(peer.follows and peer.seq >= 0 for peer in peers))

    def rush(self, upto: float) -> Played:
        """Play each game to some moment, as fast as answers come."""
        rng = random.Random("rush")
        ends = {game.id: int(rng.random() * upto * len(game.recording.steps)) for game in self.games}
        taking = Taking()
        self.acknowledged = taking.note

        def going() -> Iterator[GameAtHand]:
            return (game for game in self.games if game.at < ends[game.id])

        while any(True for _ in going()):
            for game in going():
                if game.is_ready:
                    self.drain(game.give(time.perf_counter()))
            self.hear(1.0)
        return taking.played()

    def play(self, rate: float, seconds: float) -> Played:
        """Give orders at random moments."""
        rng = random.Random(f"play {rate} {self.games[0].id}")
        taking = Taking()
        self.acknowledged = taking.note
        now = began = time.perf_counter()
        due, free, late = began + rng.expovariate(rate), deque(self.games), 0.0
        rng.shuffle(free)
        are_all_waiting = False
        while due < began + seconds or any(game.asked for game in self.games):
            if due >= began + seconds:
                self.hear(0.05)
                continue
            # Where all wait for the server it is not to do so besides for a processor that is looking for games again and again.
            self.hear(0.05 if are_all_waiting else due - time.perf_counter())
            now = time.perf_counter()
            are_all_waiting = False
            while due <= now and due < began + seconds:
                game = next_of(free)
                if game is None:
                    are_all_waiting = True  # what is due now is late, and counts so
                    break
                late = max(late, now - due)
                self.drain(game.give(due))
                due += rng.expovariate(rate)
        return taking.played(late)

    def open_idle(self, count: int, place: Place) -> int:
        """Open connections that follow nothing; return how many there are."""
        self.idle = [self._peer(f"idle {number}", place) for number in range(count)]
        for at in range(0, count, HELLOS):
            some = self.idle[at : at + HELLOS]
            for peer in some:
                self.say(peer, protocol.Hello(protocol.VERSION, peer.name, peer.identity.key))
            self.until(lambda some=some: all(peer.welcome for peer in some))  # type: ignore[misc]
        return len(self.idle)

    def linger(self, seconds: float) -> int:
        """Let idle ones ping in turn; return how many pings were answered."""
        began, sent = time.perf_counter(), 0
        self.pongs = 0
        while (passed := time.perf_counter() - began) < seconds:
            while sent < passed / PING_S * len(self.idle):
                self.say(self.idle[sent % len(self.idle)], protocol.Ping())
                sent += 1
            self.hear(PING_S / len(self.idle))
        self.until(lambda: self.pongs == sent)
        return self.pongs


def next_of(free: deque[GameAtHand]) -> GameAtHand | None:
    """Return a game whose next order can be given, the one that has waited longest; None if there is none."""
    for _ in range(len(free)):
        game = free[0]
        free.rotate(-1)
        if game.is_ready:
            return game
    return None


class Taking:
    """Takes down how long each order took."""

    def __init__(self) -> None:
        self._within: list[float] = []
        self._ending: list[float] = []
        self._began, self._processor = time.perf_counter(), time.process_time()

    def note(self, game: GameAtHand, now: float) -> None:
        """Take down the order that was just acknowledged."""
        kept = self._ending if game.recording.steps[game.at].ends_phase else self._within
        kept.append(1000 * (now - game.due))

    def played(self, late_s: float = 0.0) -> Played:
        """Return all that was taken down."""
        seconds, processor = time.perf_counter() - self._began, time.process_time() - self._processor
        return Played(self._within, self._ending, seconds, processor, 1000 * late_s)


def sides_of(recording: Recording) -> list[str]:
    """Return the sides that give orders."""
    return sorted({step.side for step in recording.steps})


def main(recordings: Path, link: str, first: int, count: int) -> None:
    """Do what is told on stdin, until it ends."""
    known = list(recorded.read(recordings).values())
    place = parse("LINK", link)
    crowd = Crowd(place, [(known[number % len(known)], number) for number in range(first, first + count)])
    tell = msgspec.json.Decoder(Told)
    for line in sys.stdin:
        match tell.decode(line):
            case Open():
                crowd.open()
                answer: object = len(crowd.peers)
            case Rush(upto=upto):
                answer = crowd.rush(upto)
            case Play(rate=rate, seconds=seconds):
                answer = crowd.play(rate, seconds)
            case Idle(count=count):
                answer = crowd.open_idle(count, place)
            case Linger(seconds=seconds):
                answer = crowd.linger(seconds)
        print(msgspec.json.encode(answer).decode(), flush=True)
    crowd.context.destroy(linger=0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
