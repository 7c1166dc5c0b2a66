"""What asks for a game is lost, and something else is refused without an id: the game is asked for again all the same."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core import protocol
from core.text import text
from tests.server.conftest import Here, open_toy
from tests.server.following import GAME, Boris
from tests.toy.witnessed import seated

SEAT_HELD = protocol.NotAccepted(GAME, "", "", text("the seat is held by {player}", player="Anna"))
CLOSED = protocol.NotAccepted(GAME, "", "", text(protocol.CLOSED))
FOLLOWS_MANY = protocol.NotAccepted(GAME, "", "", text(protocol.FOLLOWS_MANY, n=64))
NO_GAME = protocol.Failed(protocol.NO_GAME, "a game of this server", GAME, GAME)


@pytest.fixture
def boris(monkeypatch: pytest.MonkeyPatch, here: Here) -> Iterator[Boris]:
    monkeypatch.setattr("client.connection.games.open_match", open_toy)
    made = Boris(seated(), None)
    yield made
    made.games._witnessing.close()


@pytest.mark.parametrize(("refusal", "is_asked_again"), [(SEAT_HELD, True), (CLOSED, False), (FOLLOWS_MANY, False), (NO_GAME, False)])
def test_a_game_is_asked_for_again_unless_it_is_what_is_refused(
    boris: Boris, refusal: protocol.NotAccepted | protocol.Failed, is_asked_again: bool
) -> None:
    last = len(boris.host.match.log) - 1
    boris.reads((), upto=last - 1)
    boris.games.follow(GAME)  # it is lost, with the entry that came meanwhile
    boris.games.happen(refusal)
    for _ in range(2):
        boris.line.pings.sent += 1
        boris.games.happen(protocol.Pong())
    assert boris.follows() == 2 + is_asked_again
