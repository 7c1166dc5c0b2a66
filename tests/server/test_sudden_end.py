"""The rules end a game in the middle of a combat, a decision of which is still open: it replays, steps back and goes on as any other."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from client.session.remote import RemoteMatch
from core.events import Event, FramePushed, GameEnded
from core.game import Game
from core.gamefile import read
from core.options import options
from core.position import Outcome
from core.trials.verify import verify
from tests.server.conftest import Host, Player, toy
from tests.server.tables import GAME, follow, order
from tests.server.test_undo_watched import NewPlayer, Three, strike
from tests.toy.ruleset import RULESET, End, Strike, take_strike


@pytest.fixture
def three(monkeypatch: pytest.MonkeyPatch, player: NewPlayer) -> Three:
    """Return a table at which whoever hits wins at once, though the other has a loss to take still."""

    def handle(game: Game, given: Strike) -> Iterator[Event]:
        is_hit = False
        for event in take_strike(game, given):
            yield event
            is_hit = is_hit or isinstance(event, FramePushed)
        if is_hit:
            yield GameEnded(Outcome("red", "sudden death", {"red": 1}))

    monkeypatch.setitem(RULESET.orders, "strike", replace(RULESET.orders["strike"], handle=handle))
    return Three(player)


def ended(three: Three, start: int) -> str:
    """Strike until the game is over; return the hash of where it ended."""
    while True:
        digest = three.give(three.anna, "red", strike(three.match))
        if three.match.outcome is not None:
            return digest
        three.agree(three.anna, "red", start)


def test_a_game_that_the_rules_end_amid_a_combat_replays_and_goes_on_bugs_of_peers_9(three: Three, player: NewPlayer, host: Host) -> None:
    match, start = three.match, three.match.log.head
    end = ended(three, start)
    late = player("Late")
    replayed = follow(late)
    assert replayed.view.position.digest() == end
    window = RemoteMatch(late.games, GAME, "Late")
    last = len(window.moments()) - 1
    for at, digest in ((last, end), (last - 1, three.history[start]), (last, end)):
        window.seek(at)
        assert window.view.position.digest() == digest
    assert window.view.decision() is None
    for side, one in (("blue", three.boris), ("red", three.anna)):
        assert "over" in order(one, side, End())
    three.agree(three.anna, "red", start)
    assert match.outcome is None
    assert options(match.view).picks
    three.agree(three.anna, "red", match.log.forward())
    assert match.outcome is not None
    holds_after_restart(player("Again"), host, end)


def holds_after_restart(one: Player, host: Host, end: str) -> None:
    """Start the server again: the game stands where it ended, and its file verifies."""
    host.stop()
    host.start(host.address)
    match = follow(one)
    assert match.view.position.digest() == end
    report = verify(read(one.games.file(GAME)), load=toy)
    assert report.holds, report.findings
    match.log.drop_snapshots()
    assert match.log.seek(match.log.head).digest() == end
