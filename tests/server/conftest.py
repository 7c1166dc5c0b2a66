"""A server in a thread, and players who talk to it over real sockets."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from client.connection.games import Games, Note
from core.errors import BadInput
from core.pack import Pack
from core.ruleset import Ruleset
from server import service
from tests.toy.ruleset import RULESET, toy_files


def toy_packs(name: str) -> Pack:
    if name != "toy":
        raise BadInput.one("ruleset", "toy", name)
    return Pack(toy_files())


def toy(name: str) -> Ruleset:
    return RULESET


class Host:
    """Runs a server over a data folder, and stops it again."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.address = ""

    def start(self, address: str = "tcp://127.0.0.1:*") -> None:
        started = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()

        def ready(bound: str, running: service.Service) -> None:
            self.address, self.service = bound, running
            started.set()

        def serve() -> None:
            asyncio.set_event_loop(self._loop)
            self._loop.run_until_complete(service.run(self.data, address, toy_packs, self._stop, ready=ready))
            self._loop.close()

        self._thread = threading.Thread(target=serve)
        self._thread.start()
        assert started.wait(10)

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)
        assert not self._thread.is_alive()


class Player:
    """A client whose notes can be waited for."""

    def __init__(self, address: str, name: str, token: bytes = b"") -> None:
        self.notes: list[Note] = []
        self._changed = threading.Condition()
        self.games = Games(self._note)
        self.games.connect(address, name, token=token)

    def _note(self, note: Note) -> None:
        with self._changed:
            self.notes.append(note)
            self._changed.notify_all()

    def wait(self, wanted: Callable[[Note], bool], *, seconds: float = 10) -> Note:
        """Return the first note that is wanted, and forget it and those before it."""
        found: list[Note] = []

        def there() -> bool:
            for number, note in enumerate(self.notes):
                if wanted(note):
                    found.append(note)
                    del self.notes[: number + 1]
                    return True
            return False

        with self._changed:
            assert self._changed.wait_for(there, seconds), f"only {self.notes}"
        return found[0]


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    monkeypatch.setattr("server.rooms.load", toy)
    monkeypatch.setattr("client.connection.games.open_match", _open_toy)
    made = Host(tmp_path)
    made.start()
    yield made
    made.stop()


def _open_toy(file: object, *, clock: Callable[[], int]) -> object:
    from core.gamefile import open_match

    return open_match(file, clock=clock, load=toy)  # type: ignore[arg-type]


@pytest.fixture
def player(host: Host) -> Iterator[Callable[[str], Player]]:
    made: list[Player] = []

    def new(name: str, token: bytes = b"") -> Player:
        made.append(Player(host.address, name, token))
        return made[-1]

    yield new  # type: ignore[misc]
    for one in made:
        one.games.close()
