"""Whether what a player's program hears of a witnessed game happens now: not where he left his seat and is shown it later."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from core import protocol
from core.log import Late, Referee, Seat
from core.terms import ClockTerms, DiceTerms, SpectatorTerms, Terms
from core.text import text
from tests.server.conftest import Here, open_toy
from tests.server.following import GAME, Boris
from tests.toy.witnessed import WAIT_MS, Host, Program

LEFT = (protocol.SeatLine("red", "", "Anna", online=True, limited=False), protocol.SeatLine("blue", "", "", False, False, kept_for="Boris"))
SITS = (protocol.SeatLine("blue", "", "Boris", online=True, limited=False),)


@pytest.fixture(autouse=True)
def _opens_toys(monkeypatch: pytest.MonkeyPatch, here: Here) -> None:
    monkeypatch.setattr("client.connection.games.open_match", open_toy)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "witnessed.sqlite"


@pytest.fixture
def host(file: Path) -> Host:
    spectators = SpectatorTerms("open", delay_entries=3)
    terms = Terms(clock=ClockTerms("absolute", 3_600_000), dice=DiceTerms("witnessed", WAIT_MS), spectators=spectators)
    host = Host(terms=terms)
    host.begin()
    host.sit("red", "Anna")
    host.programs["Boris"] = Program("Boris", host.head, file=file)  # before it is started anew
    host.programs["Boris"].hear(host.match.log.entries)
    host.sit("blue", "Boris")
    return host


@pytest.fixture
def boris(host: Host, file: Path) -> Iterator[Boris]:
    made = Boris(host, file)
    yield made
    made.games._witnessing.close()


def late_once(host: Host, here: Here) -> int:
    """Let Boris be late with a link that he shows at last, and leave his seat; return the number of the entry before he was named."""
    pending = host.waiting()
    links, before = host.gather(pending, absent=["Boris"]), len(host.match.log) - 1
    host.act(Late("Boris", pending.k, 0))
    host.finish(links | host.gather(pending))
    host.act(Seat("blue", ""), side="blue", player="Boris")
    for _ in range(3):
        host.now_ms += 60_000
        here.ms += 60_000
        host.act(Referee(text("meanwhile")), player="Rita")
    return before


@pytest.mark.parametrize("chairs", [LEFT, SITS, ()], ids=["later", "he sits there", "now"])
def test_what_is_shown_later_tells_nothing_of_how_fast_the_servers_clock_goes(
    host: Host, boris: Boris, here: Here, chairs: tuple[protocol.SeatLine, ...]
) -> None:
    """His link is shown once more as he reads that he was late for it: behind that, the entry that bears it seems to be new."""
    later = boris.reads(chairs, upto=late_once(host, here))
    for entry in later:
        boris.hears(entry)
    told = ["the server has taken 60 s from the clocks that have not passed here"]
    assert boris.words() == ([] if chairs == LEFT else told)


@pytest.mark.parametrize(("cut", "chairs", "is_told"), [
    (False, (), False), (True, (), True), (True, SITS, True), (True, LEFT, False), (True, None, True),
])
def test_a_log_that_was_cut_back_behind_what_was_witnessed_is_told_to_who_is_shown_it_as_it_is(
    host: Host, boris: Boris, cut: bool, chairs: tuple[protocol.SeatLine, ...] | None, is_told: bool
) -> None:
    """Who has left his seat may be shown the game later: its end may be what he lacks."""
    host.order(host.strike(random.Random(1)))
    pending = host.waiting(2)
    host.gather(pending)
    boris.reads(chairs, upto=len(host.match.log) - 1 - cut)
    boris.games.happen(protocol.Pong())  # how the seats stand is told by no server of before
    told = "duel: you have shown a link for number 2 here, and this log has no order that waited for it: "
    told += "it went on from a backup, or was cut back"
    assert boris.words() == ([told] if is_told else [])


@pytest.mark.parametrize("goes", [False, True])
def test_what_comes_before_a_game_is_opened_that_was_asked_for_last_happened_when_nobody_was_there(
    host: Host, boris: Boris, goes: bool
) -> None:
    """He follows a game, follows it no more, and follows it again before the first asking is answered."""
    pending = host.waiting()
    last = len(host.match.log) - 1
    boris.games.follow(GAME)
    if goes:
        boris.games.unfollow(GAME)
        boris.games.follow(GAME)
    boris.opens(last)
    boris.hears(*host.match.log.entries)
    boris.is_told_how_it_stands(())
    boris.hears(host.act(Late("Boris", pending.k, 0)))
    boris.opens(last + 1)
    boris.is_asked(pending)
    assert boris.words() == ([] if goes else ["the server named you late for the dice of number 1 before it asked for your link"])
