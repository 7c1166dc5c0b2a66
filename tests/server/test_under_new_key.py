"""Whoever has his name again under another key takes part in the dice by a chain of that key, whatever was published under his name."""

from __future__ import annotations

import random

import pytest

from core.identity import Identity
from core.log import Seat
from core.witnesses import SERVER
from tests.server.hostile import words
from tests.toy.witnessed import Host, Program, seated

NEW_KEY = Identity(b"n" * 32)


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.connection.witness.LINKS", 1000)


def under_new_key(host: Host) -> Program:
    """Let Boris, whose chain stands in the log, sit down again with another key; return his program."""
    host.act(Seat("blue", ""), side="blue", player="Boris")
    boris = host.programs["Boris"] = Program("Boris", host.head, identity=NEW_KEY)
    boris.hear(host.match.log.entries, live=False)
    host.others[NEW_KEY.key] = NEW_KEY
    host.act(Seat("blue", "Boris", key=NEW_KEY.key), side="blue", player="Boris")
    return boris


def test_his_program_publishes_its_own_chain_and_shows_links_of_that() -> None:
    host = seated()
    boris = under_new_key(host)
    assert boris.witness.owes_chain(boris.match)
    host.take_chains()
    assert host.match.witnesses.chains["Boris"].end == boris.witness.chain.end
    assert not boris.witness.owes_chain(boris.match)
    order = host.strike(random.Random(1))
    pending = host.propose(order)
    assert pending is not None
    shown = host.ask("Boris", pending)
    assert shown is not None
    assert shown.link == boris.witness.chain.link(1)


def test_it_shows_nothing_of_a_chain_that_is_not_published_yet() -> None:
    host = seated()
    boris = under_new_key(host)
    pending = host.propose(host.strike(random.Random(1)), "Anna")
    assert pending is not None
    assert "Boris" in host.match.wanted(pending)  # by the chain of his old key
    assert host.ask("Boris", pending) is None
    assert words(boris) == []
    host.give_up_on("Boris", pending, "unwitnessed")
    host.finish({SERVER: host.chain.link(1), **host.gather(pending, absent=["Boris"])})
    assert words(boris) == []
    host.take_chains()
    assert host.match.witnesses.chains["Boris"].end == boris.witness.chain.end


def test_who_sits_there_under_the_key_of_somebody_else_publishes_nothing() -> None:
    host = seated()
    under_new_key(host)
    other = Program("Boris", host.head, identity=Identity(b"o" * 32))
    other.hear(host.match.log.entries, live=False)
    assert other.sent == []
