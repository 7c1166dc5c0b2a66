"""A log that was cut back while a player's program was closed: what it knew is told to be gone, also where no dice fell since."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from client.connection.shown import Memory
from core import protocol
from core.log import Referee, Seat
from core.text import text
from tests.server.conftest import Here
from tests.server.following import LEFT, Boris, opens_toys
from tests.server.test_dropped import cut_back, plays
from tests.toy.witnessed import Host, Program

__all__ = ["opens_toys"]  # a fixture

Start = Callable[..., Boris]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "witnessed.sqlite"


@pytest.fixture
def host(file: Path) -> Host:
    """A game of which Boris' program has seen dice, and orders that draw nothing behind them."""
    host = Host()
    host.begin()
    host.sit("red", "Anna")
    host.programs["Boris"] = Program("Boris", host.head, file=file)  # before it is started anew
    host.programs["Boris"].hear(host.match.log.entries)
    host.sit("blue", "Boris")
    host.order(host.strike(random.Random(1)))
    plays(host, range(4))
    return host


@pytest.fixture
def start(host: Host, file: Path, here: Here) -> Iterator[Start]:
    """Return what starts his program anew, lets it follow the game, and hear that two pings are answered."""
    begun: list[Boris] = []

    def start(chairs: tuple[protocol.SeatLine, ...] = (), *, last: int | None = None, comes: int = 0) -> Boris:
        for one in begun:
            one.games._witnessing.close()
        begun.append(Boris(host, file))
        last = len(host.match.log) - 1 if last is None else last
        later = begun[-1].reads(chairs, upto=last)
        begun[-1].hears(*later[:comes])
        for _ in range(2):
            here.ms += 1_000
            begun[-1].is_answered(here.ms, last + comes)
        return begun[-1]

    yield start
    begun[-1].games._witnessing.close()


def lost(entry: int) -> str:
    return f"duel: this program has known it up to entry {entry}, and this log has no such entry: it went on from a backup, or was cut back"


@pytest.mark.parametrize(("cut", "more", "is_told"), [
    (0, 0, False), (0, 2, False), (1, 0, True), (3, 0, True), (3, 3, True), (3, 5, True),
])
def test_what_was_known_and_is_gone_is_told_once(host: Host, start: Start, cut: int, more: int, is_told: bool) -> None:
    known = len(host.match.log) - 1
    assert start().words() == []
    if cut:
        cut_back(host, known + 1 - cut)
    plays(host, range(100, 100 + more))
    assert start().words() == ([lost(known)] if is_told else [])
    assert start().words() == []


def his_seat(host: Host) -> int:
    return next(entry.number for entry in host.match.log.entries if isinstance(entry.act, Seat) and entry.act.player == "Boris")


@pytest.mark.parametrize("behind", [0, 1], ids=["before he sat", "before his chain"])
@pytest.mark.parametrize("more", [False, True], ids=["no more", "more"])
def test_a_log_that_is_shown_at_first_up_to_before_his_chain_is_held_against_what_was_known(
    host: Host, start: Start, behind: int, more: bool
) -> None:
    """What was known was looked up by his chain: where a host showed that only then, what she had cut off was told to nobody."""
    known, upto = len(host.match.log) - 1, his_seat(host) + behind
    assert start().words() == []
    cut_back(host, known - 1)
    plays(host, range(100, 105))
    if not more:
        cut_back(host, upto)
    assert start(last=upto - 1, comes=len(host.match.log) - upto).words() == [lost(known)]
    assert start().words() == []


def test_who_never_took_part_misses_nothing(host: Host, start: Start) -> None:
    cut_back(host, his_seat(host))
    assert start().words() == []
    host.act(Referee(text("a word")), player="Rita")
    assert start().words() == []
    cut_back(host, len(host.match.log) - 1)
    assert start().words() == []


def test_who_is_shown_the_game_later_is_told_of_nothing_that_may_come_still(host: Host, start: Start) -> None:
    known = len(host.match.log) - 1
    assert start().words() == []
    assert start(LEFT, last=known - 2).words() == []


def test_what_another_program_of_his_knew_already_comes_with_the_next_answer(host: Host, start: Start) -> None:
    host.act(Referee(text("a word")), player="Rita")
    known = len(host.match.log) - 1
    assert start().words() == []
    assert start(last=known - 1, comes=1).words() == []


def test_what_another_program_of_his_knows_is_not_forgotten_by_one_that_knows_less(file: Path) -> None:
    memory = Memory(file)
    memory.knows(b"game", 7, b"seven")
    memory.knows(b"game", 5, b"five")
    assert memory.upto(b"game") == (7, b"seven")
    memory.knows(b"game", 5, b"five", anew=True)
    assert memory.upto(b"game") == (5, b"five")
    memory.close()
