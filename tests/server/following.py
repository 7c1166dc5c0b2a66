"""What a player's program is told of a game that it follows, without sockets and without a server."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from client.connection.fouls import Foul
from client.connection.games import Games
from client.connection.notes import Note, Trouble
from core import protocol
from core.log import Entry, Pending
from core.orders import Order
from core.pack import Pack
from tests.server.conftest import Here, open_toy
from tests.server.random_table import Line
from tests.toy.ruleset import toy_files
from tests.toy.witnessed import Host, key_of

GAME = "duel"
# How the seats stand once Boris has left his for a while.
LEFT = (protocol.SeatLine("red", "", "Anna", online=True, limited=False), protocol.SeatLine("blue", "", "", False, False, kept_for="Boris"))


@pytest.fixture(autouse=True)
def opens_toys(monkeypatch: pytest.MonkeyPatch, here: Here) -> None:
    """Let programs of the module that has this open toy games, at the clock of *here*."""
    monkeypatch.setattr("client.connection.games.open_match", open_toy)


class Boris:
    """His program, started anew: it hears what a test says, and remembers in *file*, if there is one."""

    def __init__(self, host: Host, file: Path | None) -> None:
        self.host, self.notes = host, list[Note]()
        self.games = Games(self.notes.append, lambda digest: Pack(dict(toy_files())))
        self.line = Line("Boris")
        self.games._identity, self.games.line = key_of("Boris"), self.line  # type: ignore[assignment]
        self.games._witnessing.be(key_of("Boris"), file)
        self.games._witnessing.known_as("Boris")

    def opens(self, last: int) -> None:
        self.games.happen(protocol.Opened(GAME, self.host.head, "0" * 64, last))

    def hears(self, *entries: Entry) -> None:
        self.games.happen(protocol.NewEntries(GAME, entries))

    def is_told_how_it_stands(self, chairs: tuple[protocol.SeatLine, ...]) -> None:
        self.games.happen(protocol.Waiting(GAME, "", 0, 0, {}, runs=False, paused=False, chairs=chairs))

    def is_answered(self, at_ms: int, last: int) -> None:
        """A ping that was sent then is answered, and the game goes up to an entry."""
        self.line.heard_ms = at_ms
        self.games.happen(protocol.Pong({GAME: last}))

    def is_asked(self, pending: Pending) -> None:
        self.games.happen(self.host.wanted(pending))

    def gives(self, order: Order) -> protocol.Give:
        """Give an order for blue at what is known here; return what was sent."""
        self.games.give(GAME, "blue", order)
        sent = self.line.out[-1]
        assert isinstance(sent, protocol.Give), f"{sent} was sent"
        return sent

    def follows(self) -> int:
        """Return how often the game was asked for."""
        return sum(isinstance(frame, protocol.Follow) for frame in self.line.out)

    def reads(self, chairs: tuple[protocol.SeatLine, ...] | None, *, upto: int) -> Sequence[Entry]:
        """Follow the game, which is shown to him up to an entry; return what comes later."""
        entries = self.host.match.log.entries
        self.games.follow(GAME)
        self.opens(upto)
        self.hears(*entries[: upto + 1])
        if chairs is not None:
            self.is_told_how_it_stands(chairs)
        return entries[upto + 1 :]

    def words(self) -> list[str]:
        return [str(note.text) for note in self.notes if isinstance(note, Foul | Trouble)]
