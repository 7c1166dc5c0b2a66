"""A server of the toy game in a process of its own, that can be killed and comes back at the same address."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from client.connection.notes import Note
from core.address import parse
from server.faultpoints import VARIABLE
from tests.server.conftest import Player, free_pair

ROOT = Path(__file__).parents[2]


class Mortal:
    """A server over a data folder.

    Attributes:
        address: its join link, the same after each start.
        deaths: how often it died by SIGKILL.
    """

    def __init__(self, data: Path) -> None:
        self.data = data
        self.address = ""
        self.deaths = 0
        self._players: list[Player] = []
        self._process: subprocess.Popen[str] | None = None
        self._watch: threading.Thread | None = None

    def start(self, fault: str = "") -> None:
        """Start it, to die at a fault point if one is named."""
        # The system may give one of its own free ports to somebody else while the server is dead.
        where = parse("address", self.address).tcp if self.address else f"tcp://127.0.0.1:{free_pair()}"
        command = [sys.executable, "-m", "tests.toy.host", str(self.data), where]
        environment = {**os.environ, VARIABLE: fault}
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT)
        assert self._process.stdout is not None
        with self._process.stdout as out:
            said = out.readline().strip()
        self._watch = threading.Thread(target=self._wait)
        self._watch.start()
        if said:  # else it died before it was ready
            self.address = said

    def _wait(self) -> None:
        assert self._process is not None
        self.deaths += self._process.wait() == -signal.SIGKILL
        for one in self._players:
            one.look_again()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def is_dead(self) -> bool:
        return self._process is None or self._process.poll() is not None

    def wait_for_death(self) -> None:
        """Wait until it has died by itself."""
        assert self._watch is not None
        self._watch.join(30)
        assert self.is_dead, "it lives"

    def player(self, name: str, **more: object) -> Player:
        """Return a player who is told when the server dies: `Player.until` looks again."""
        one = Player(self.address, name, **more)  # type: ignore[arg-type]
        self._players.append(one)
        return one

    def answer_or_death(self, one: Player, wanted: Callable[[Note], bool], *, seconds: float = 30) -> bool:
        """Wait until a note comes, or the server dies; say whether the note came."""
        one.until(lambda: self.is_dead or any(wanted(note) for note in list(one.notes)), seconds=seconds)
        return any(wanted(note) for note in list(one.notes))

    def kill(self) -> None:
        if self._process is not None and self._watch is not None:
            self._process.kill()
            self._watch.join()

    def close(self) -> None:
        for one in self._players:
            one.games.close()
        self.kill()
