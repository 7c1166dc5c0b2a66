"""A game that comes from its beginning again, as something came that did not follow, must be the one that it was."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import msgspec
import pytest

from client.connection.line import Down, Up
from core import protocol
from core.bots.random_bot import choose
from core.log import Entry, Log
from core.orders import name_of
from tests.server.following import GAME, LEFT, Boris, opens_toys
from tests.toy.witnessed import Host, seated

__all__ = ["opens_toys"]  # a fixture

ANOTHER = "duel: the server's game is another than it was: it went on from a backup, or was changed"


@pytest.fixture
def host() -> Host:
    """A game with four orders that draw nothing."""
    made = seated()
    plays(made, range(4))
    return made


@pytest.fixture
def boris(host: Host) -> Iterator[Boris]:
    made = Boris(host, None)
    made.reads((), upto=len(host.match.log) - 1)
    yield made
    made.games._witnessing.close()


def plays(host: Host, seeds: range) -> None:
    for first in seeds:
        found = (choose(host.match.view, random.Random(seed)) for seed in range(first, 500))
        host.order(next(order for order in found if name_of(order) != "strike"))


def cut_back(host: Host, entries: int) -> None:
    """Go on from an earlier end of the log, as a host does who takes back what she dislikes."""
    log = Log()
    for entry in host.match.log.entries[:entries]:
        log.add(entry)
    host.match = host._new_match(log)
    host.programs.clear()


def breaks(boris: Boris) -> None:
    """Send an entry that does not follow."""
    match = boris.games.match(GAME)
    assert match is not None
    last: Entry = match.log.entries[-1]
    boris.hears(msgspec.structs.replace(last, number=last.number + 1, before=last.hash))


def is_of_another_viewer(boris: Boris) -> None:
    boris.games.happen(protocol.Opened(GAME, boris.host.head, "0" * 64, len(boris.host.match.log) - 1, "red"))


def comes_again(boris: Boris, *, last: int, chairs: tuple[protocol.SeatLine, ...] = ()) -> None:
    """The line is cut, and the game opened anew."""
    boris.games.happen(Down("closed the line", 0.0))
    boris.games.happen(Up("Boris", "player", "", False, 0))
    boris.opens(last)
    boris.is_told_how_it_stands(chairs)
    boris.hears(*boris.host.match.log.entries[: last + 1])


@pytest.mark.parametrize("trick", [breaks, is_of_another_viewer])
@pytest.mark.parametrize(("cut", "more", "is_told"), [(0, 0, False), (0, 2, False), (2, 0, True), (2, 1, True), (2, 4, True)])
def test_another_log_is_told_behind_whatever_it_comes(
    host: Host, boris: Boris, trick: Callable[[Boris], None], cut: int, more: int, is_told: bool
) -> None:
    trick(boris)
    if cut:
        cut_back(host, len(host.match.log) - cut)
    plays(host, range(100, 100 + more))
    comes_again(boris, last=len(host.match.log) - 1)
    assert (ANOTHER in boris.words()) == is_told


def test_who_is_shown_a_game_later_than_before_is_told_when_it_has_come_as_far(host: Host, boris: Boris) -> None:
    breaks(boris)
    known = len(host.match.log)
    cut_back(host, known - 2)
    plays(host, range(100, 103))
    comes_again(boris, last=known - 3, chairs=LEFT)
    assert ANOTHER not in boris.words()
    boris.hears(*host.match.log.entries[known - 2 :])
    assert boris.words().count(ANOTHER) == 1


def test_a_game_that_is_dropped_again_before_it_has_come_is_held_to_what_was_known_first(host: Host, boris: Boris) -> None:
    breaks(boris)
    known = len(host.match.log)
    cut_back(host, known - 2)
    comes_again(boris, last=known)
    breaks(boris)
    plays(host, range(100, 103))
    comes_again(boris, last=known)
    assert boris.words().count(ANOTHER) == 1
