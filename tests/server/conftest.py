"""A server in a thread, and players who talk to it over real sockets."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import secrets
import socket
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zmq

from client.connection.games import Games, Up
from client.connection.identity import KnownServers
from client.connection.notes import Note
from core import protocol
from core.address import Place
from core.errors import BadInput
from core.identity import Identity, curve_key, order_message
from core.match import Match
from core.pack import Pack
from core.ruleset import Ruleset
from server import presence, running, service
from tests.toy.ruleset import RULESET, toy_files


def toy_packs(name: str) -> Pack:
    if name != "toy":
        raise BadInput.one("ruleset", "toy", name)
    return Pack(toy_files())


SERVER = Identity(b"s" * 32)
LOOK = 0.05  # seconds between looks at what may come without a note
PATIENCE_S = 60.0  # longer than anything takes on a machine that does much besides


def of(name: str) -> Identity:
    """Return the identity of whoever is called so."""
    return Identity(hashlib.sha256(name.encode()).digest())


def signed(who: Identity, match: Match, frame: protocol.Give) -> protocol.Give:
    """Return an order with the signature of whoever gives it, for the moment that it names."""
    before = match.log.entries[frame.seq].hash
    message = order_message(frame.game, frame.side, frame.seq, before, frame.order)
    return msgspec.structs.replace(frame, signature=who.sign(message))


def toy(name: str) -> Ruleset:
    return RULESET


def free_pair() -> int:
    """Return a port that is free like the one above it, out of those that the system gives to nobody by itself."""
    while True:
        port = 10_000 + 2 * secrets.randbelow(11_000)
        with socket.socket() as one, socket.socket() as two:
            try:
                one.bind(("127.0.0.1", port))
                two.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            return port


class Host:
    """Runs a server over a data folder, and stops it again."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.address = ""

    def start(self, address: str = "", *, is_open: bool = True) -> None:
        """Start at an address; if none is said, where the port above is free too, which tells the key."""
        while not address:
            try:
                self.start(f"tcp://127.0.0.1:{free_pair()}", is_open=is_open)
            except OSError as error:
                if error.errno != errno.EADDRINUSE:  # another test took the port since it was found free
                    raise
                continue
            return
        started: Future[None] = Future()
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()

        def ready(bound: Place, running: service.Service) -> None:
            self.place, self.address, self.service = bound, bound.link, running
            started.set_result(None)

        def serve() -> None:
            asyncio.set_event_loop(self._loop)
            try:
                self._loop.run_until_complete(self._serving(address, is_open, ready))
            except BaseException as error:
                if started.done():
                    raise
                started.set_exception(error)
            finally:
                self._loop.close()

        self._thread = threading.Thread(target=serve)
        self._thread.start()
        started.result(PATIENCE_S)

    async def _serving(self, address: str, is_open: bool, ready: Callable[[Place, service.Service], None]) -> None:
        owner = of("Owner").key
        await running.run(self.data, address, toy_packs, self._stop, identity=SERVER, owner=owner, is_open=is_open, ready=ready)

    def hears_nothing_of(self, name: str, seconds: float = presence.SILENT_S) -> None:
        """Let as much time pass since somebody, who has gone, was heard of: the server takes nobody for gone before."""

        async def pass_by() -> None:
            for session in self.service.sessions.of(name):
                session.heard_s -= seconds

        self.within(pass_by())

    def within(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something in the server's loop."""
        asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_S)

    def stop(self) -> None:
        if self._loop.is_closed():
            return  # it was stopped before, or never came up
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()


@contextmanager
def raw_line(host: Host, identity: Identity, **options: int) -> Iterator[zmq.Socket[bytes]]:
    """Yield a socket of our own making that speaks CURVE with the server, and nothing of the client's code."""
    with closing(zmq.Context.instance().socket(zmq.DEALER)) as socket:
        socket.setsockopt(zmq.CURVE_SERVERKEY, curve_key(host.place.key))
        socket.setsockopt(zmq.CURVE_PUBLICKEY, curve_key(identity.key))
        socket.setsockopt(zmq.CURVE_SECRETKEY, identity.curve_secret())
        socket.setsockopt(zmq.LINGER, 0)
        for option, value in options.items():
            socket.setsockopt(getattr(zmq, option), value)
        socket.connect(host.place.tcp)
        yield socket


class Player:
    """A client whose notes can be waited for."""

    def __init__(self, address: str, name: str, identity: Identity | None = None, *, known: KnownServers | None = None) -> None:
        self.notes: list[Note] = []
        self._came = threading.Event()
        self.games = Games(self._note)
        self.games.connect(address, name, identity=identity or of(name), known=known)

    def _note(self, note: Note) -> None:
        self.notes.append(note)
        self._came.set()

    def look_again(self) -> None:
        """Let whoever waits look again, for something that comes without a note."""
        self._came.set()

    def until(self, holds: Callable[[], bool], *, seconds: float = PATIENCE_S) -> None:
        """Wait until something holds, as it may with any note that comes; it may hang on what others hear, too, so look often."""
        looks = round(seconds / LOOK)
        self._came.clear()
        while not holds():  # no lock is held meanwhile: what is asked may need the line's, whose thread brings notes
            if not self._came.wait(LOOK):
                looks -= 1
                assert looks, f"only {self.notes}"
            self._came.clear()

    def wait(self, wanted: Callable[[Note], bool], *, seconds: float = PATIENCE_S) -> Note:
        """Return the first note that is wanted, and forget it and those before it."""
        found: list[Note] = []

        def there() -> bool:
            for number, note in enumerate(self.notes):
                if wanted(note):
                    found.append(note)
                    del self.notes[: number + 1]
                    return True
            return False

        self.until(there, seconds=seconds)
        return found[0]


def take_names(games: Games, names: Iterable[str]) -> None:
    """Have people be known by their names where somebody plays: terms name no referee whose name nobody holds."""
    assert games.line is not None, "he plays nowhere"
    for name in names:
        one = Player(games.line.address, name)
        one.wait(lambda note: isinstance(note, Up))
        one.games.close()


class Here:
    """The clock of the machine on which a player's program runs, moved by the test."""

    ms = 1_000_000

    def __call__(self) -> int:
        return self.ms


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Here:
    monkeypatch.setattr("client.connection.witness.LINKS", 1000)
    hours = Here()
    monkeypatch.setattr("client.connection.hours.now_ms", hours)
    return hours


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    monkeypatch.setattr("server.rooms.load", toy)
    monkeypatch.setattr("client.connection.games.open_match", open_toy)
    made = Host(tmp_path)
    made.start()
    yield made
    made.stop()


def open_toy(file: object, **others: object) -> object:
    """Open a file of the toy game, as clients do."""
    from core.gamefile import open_match

    return open_match(file, load=toy, **others)  # type: ignore[arg-type]


@pytest.fixture
def player(host: Host) -> Iterator[Callable[[str], Player]]:
    made: list[Player] = []

    def new(name: str, identity: Identity | None = None, *, address: str = "", known: KnownServers | None = None) -> Player:
        made.append(Player(address or host.address, name, identity, known=known))
        return made[-1]

    yield new  # type: ignore[misc]
    for one in made:
        one.games.close()
