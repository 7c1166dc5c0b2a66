"""What happened before a game was opened is decided again as well, where its dice are witnessed: a host could set it up to her liking."""

from __future__ import annotations

import random
from collections.abc import Iterator

import msgspec
import pytest

from client.connection.fouls import Foul
from client.connection.notes import Trouble
from client.connection.watcher import decided_again
from core import protocol
from core.bots.random_bot import choose
from core.events import Marked, Placed
from core.log import Entry
from core.orders import name_of
from core.signed import order_bytes
from tests.server.following import GAME, Boris, opens_toys
from tests.toy.ruleset import RULESET
from tests.toy.witnessed import Host, key_of

__all__ = ["opens_toys"]  # a fixture

BEGUN_SO = "that may come of its having begun under version 1 of them, or its host made it up"


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


def test_no_more_than_a_remark_is_told_where_the_rules_may_have_been_others(
    host: Host, boris: Boris, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host who began a game under earlier rules, today, could make up all that happened while a player's program was closed."""
    sets_up(host, without(set_up(host), Placed))
    entry = goes(host)
    host.match.accept_foreign(without(entry, Marked))
    monkeypatch.setattr(RULESET, "version", RULESET.version + 1)
    boris.reads((), upto=entry.number)
    assert looks_back(boris) == [
        "duel: it goes by version 1 of the rules of play, today's by 2: the host of this game can do more in it unseen, and bend its dice",
        f"duel: today's rules decide 2 entries of before it was opened otherwise, entry 0 first; {BEGUN_SO}",
    ]
    assert all(note.is_remark for note in boris.notes if isinstance(note, Trouble))
    assert not any(isinstance(note, Foul) for note in boris.notes)


def test_what_todays_rules_can_not_decide_at_all_in_an_older_game_is_no_more_than_that(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = set_up(host)
    monkeypatch.setattr(RULESET, "version", RULESET.version + 1)

    def breaks(*args: object) -> None:
        raise AssertionError("no position of these rules")

    monkeypatch.setattr("client.connection.fouls.begin", breaks)
    (found,) = decided_again(host.match, entry)
    assert str(found) == f"duel: today's rules decide 1 entry of before it was opened otherwise, entry 0 first; {BEGUN_SO}"


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
