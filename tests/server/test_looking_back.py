"""What happened before a game was opened is decided again as well, where its dice are witnessed: a host could set it up to her liking."""

from __future__ import annotations

import random
from collections.abc import Iterator

import msgspec
import pytest

from client.connection.watcher import decided_again
from core import protocol
from core.bots.random_bot import choose
from core.events import Marked, Placed
from core.log import Entry
from core.orders import name_of
from core.signed import order_bytes
from tests.server.conftest import Here, open_toy
from tests.server.following import GAME, Boris
from tests.toy.ruleset import RULESET, toy_setting
from tests.toy.witnessed import Host, key_of


@pytest.fixture(autouse=True)
def _opens_toys(monkeypatch: pytest.MonkeyPatch, here: Here) -> None:
    monkeypatch.setattr("client.connection.games.open_match", open_toy)


@pytest.fixture
def host() -> Host:
    return Host()


@pytest.fixture
def boris(host: Host) -> Iterator[Boris]:
    made = Boris(host, None)
    yield made
    made.games._witnessing.close()


def without(entry: Entry, kind: type) -> Entry:
    """Return an entry as a host writes it down who leaves the last event of a kind out."""
    left = next(event for event in reversed(entry.events) if isinstance(event, kind))
    bare = msgspec.structs.replace(entry, events=tuple(one for one in entry.events if one is not left), hash=b"")
    return msgspec.structs.replace(bare, hash=bare.digest())


def set_up(host: Host) -> Entry:
    entry, _ = host.match.propose("", None)  # type: ignore[misc]
    return entry


def sets_up(host: Host, entry: Entry) -> None:
    """Begin the game by an entry, and seat its players."""
    host.match.accept_foreign(entry)
    host.sit("red", "Anna")
    host.sit("blue", "Boris")


def goes(host: Host) -> Entry:
    """Return the entry of an order that moves and marks a unit, not written down yet."""
    side = host.match.view.side_to_act()
    order = next(one for seed in range(100) if name_of(one := choose(host.match.view, random.Random(seed))) == "go")
    signature = key_of(host.holder(side)).sign(order_bytes(host.match.log, GAME, side, host.match.codec.encode(order)))
    entry, _ = host.match.propose(side, order, player=host.holder(side), signature=signature)  # type: ignore[misc]
    return entry


def looks_back(boris: Boris) -> list[str]:
    """Let the thread that looks back come to its end; return what Boris is told."""
    boris.games._witnessing._behind._thread.shutdown()
    boris.games.happen(protocol.Pong())
    return boris.words()


def otherwise(entry: int) -> str:
    return f"entry {entry} is not what its order and dice lead to"


def test_nothing_is_told_of_what_is_as_it_should_be(host: Host, boris: Boris) -> None:
    sets_up(host, set_up(host))
    for seed in range(10):
        host.order(choose(host.match.view, random.Random(seed)))
    assert host.match.log.k, "no dice fell"
    boris.reads((), upto=len(host.match.log) - 1)
    assert looks_back(boris) == []


def test_a_set_up_that_is_not_the_scenarios_is_told(host: Host, boris: Boris) -> None:
    sets_up(host, without(set_up(host), Placed))
    boris.reads((), upto=len(host.match.log) - 1)
    assert looks_back(boris) == [otherwise(0)]


def test_an_order_of_before_that_led_to_something_else_is_told(host: Host, boris: Boris) -> None:
    sets_up(host, set_up(host))
    entry = goes(host)
    host.match.accept_foreign(without(entry, Marked))
    boris.reads((), upto=entry.number)
    assert looks_back(boris) == [otherwise(entry.number)]


@pytest.mark.parametrize("is_as_today", [False, True])
def test_nothing_is_told_where_the_rules_may_have_been_others(is_as_today: bool) -> None:
    """Nor does `verify` find more there than that today's decide otherwise."""
    host = Host(setting=msgspec.structs.replace(toy_setting(), version=RULESET.version + (not is_as_today)))
    found = decided_again(host.match, without(set_up(host), Placed))
    assert [str(foul.text) for foul in found] == ([otherwise(0)] if is_as_today else [])


def test_what_comes_after_a_game_is_known_to_its_end_is_decided_as_it_comes(host: Host, boris: Boris) -> None:
    """A server that says at first that there is more has nothing of it decided later, or never."""
    sets_up(host, set_up(host))
    boris.games.follow(GAME)
    boris.opens(1_000)
    boris.hears(*host.match.log.entries)
    boris.opens(len(host.match.log) - 1)
    entry = goes(host)
    boris.hears(without(entry, Marked))
    assert boris.words() == [otherwise(entry.number)]
