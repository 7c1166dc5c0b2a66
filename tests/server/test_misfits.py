"""Entries that bear what none of their kind does: each player's program tells of them, as `verify` does, whoever throws the dice."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from client.connection.fouls import Foul
from client.connection.watcher import Watcher
from core.bots.random_bot import choose
from core.dice import Stream, step
from core.errors import BadInput
from core.game import StopDice, begin
from core.log import Away, Entry, Flag, Log
from core.match import Match
from core.orders import name_of
from core.witnesses import SERVER, links_alone
from tests.server.hostile import another, at_a_strike, record_of, shown, words
from tests.toy.witnessed import Host, Program, key_of, rolled, seated

NO_KIND = "the server wrote down what is no order and no act: {}"
BEARS = "a table act bears an order, events or chance"


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.connection.witness.LINKS", 1000)


def seal(keeper: Host, **fields: Any) -> Entry:
    """Write any entry down, and tell all."""
    entry = keeper.match.log.seal(time_ms=keeper.now_ms, **fields)
    keeper.match.accept_foreign(entry)
    keeper.tell(entry)
    return entry


def an_order(match: Match) -> bytes:
    return next(entry.order for entry in match.log.entries if entry.order)


Make = Callable[[Match], dict[str, Any]]


@pytest.mark.parametrize(("made", "why"), [
    (lambda match: {"act": Away(0), "links": {SERVER: bytes(32)}}, BEARS),
    (lambda match: {"act": Away(0), "k": match.log.k + 1}, BEARS),
    (lambda match: {"act": Flag("blue"), "order": an_order(match)}, BEARS),
    (lambda match: {"act": Away(0), "pending": match.log.last_hash}, BEARS),
    (lambda match: {"act": Away(0), "events": match.log.entries[0].events}, BEARS),
    (lambda match: {"events": begin(match.setting, StopDice()).events}, "it bears no order, and the game had begun"),
    (lambda match: {"order": an_order(match), "links": {SERVER: bytes(32)}}, "it shows links, and no number that they are of"),
    (lambda match: {"order": an_order(match), "pending": match.log.last_hash}, "it shows links, and no number that they are of"),
], ids=["links", "a number", "an order", "a moment", "events", "the set-up again", "links without number", "a moment without number"])
def test_what_bears_more_than_its_kind_is_told_and_found(made: Make, why: str) -> None:
    keeper = seated()
    rolled(keeper)
    watched: list[Foul] = []
    alone = Watcher(key_of("Boris").key, "Boris", keeper.head, foul=watched.append)
    entry = keeper.match.log.seal(time_ms=keeper.now_ms, **made(keeper.match))
    alone.watch(keeper.match, entry, live=True)
    keeper.match.accept_foreign(entry)
    keeper.tell(entry)
    assert words(keeper.programs["Boris"]) == [str(foul.text) for foul in watched] == [NO_KIND.format(why)]
    assert why in [finding.text for finding in keeper.report().findings]


@pytest.mark.parametrize("act", [None, Away(0)])
def test_an_entry_that_is_dated_before_the_one_before_it_is_told_and_found(act: Away | None) -> None:
    keeper = seated()
    watched: list[Foul] = []
    alone = Watcher(key_of("Boris").key, "Boris", keeper.head, foul=watched.append)
    keeper.now_ms = -1_000
    if act is None:
        keeper.order(next(order for seed in range(99) if name_of(order := choose(keeper.match.view, random.Random(seed))) != "strike"))
    else:
        keeper.act(act)
    number = len(keeper.match.log) - 1
    alone.watch(Match.on(before(keeper.match.log), keeper.match), keeper.match.log.entries[-1], live=True)
    told = f"the server dated entry {number} before the one before it"
    assert words(keeper.programs["Boris"]) == [str(foul.text) for foul in watched] == [told]
    assert "its time lies before that of the entry before it" in [finding.text for finding in keeper.report().findings]


def before(log: Log) -> Log:
    """Return a log without its last entry."""
    made = Log()
    for entry in log.entries[:-1]:
        made.add(entry)
    return made


def test_a_game_that_somebody_set_up_is_told_and_found() -> None:
    host = Host()
    entry, _ = host.match.propose("", None)  # type: ignore[misc]
    bare = msgspec.structs.replace(entry, side="red", player="Anna", hash=b"")
    host.match.accept_foreign(msgspec.structs.replace(bare, hash=bare.digest()))
    boris = Program("Boris", host.head)
    boris.hear(host.match.log.entries)
    assert words(boris) == [NO_KIND.format("the game was set up by somebody")]
    assert "the game was set up by somebody" in [finding.text for finding in host.report().findings]


def test_by_an_act_no_chain_gets_other_links() -> None:
    """Whoever keeps the log looked for a link of another chain that throws what she likes, once she knew those of the others."""
    keeper, order = at_a_strike()
    pending = keeper.propose(order)
    assert pending is not None, "a strike without dice"
    links = {name: shown(keeper, name, pending) for name in keeper.programs}
    chosen = next(
        link for link in (number.to_bytes(32, "big") for number in range(1000))
        if Stream(links_alone({**links, SERVER: link}), game="duel", k=pending.k, pending=pending.digest()).roll(6) == 6
    )
    end = chosen
    for _ in range(pending.k):
        end = step(end)
    seal(keeper, act=Away(0), links={SERVER: end})
    with pytest.raises(BadInput, match="the next link of the published chain"):
        keeper.programs["Boris"].match.check_links(pending, {**links, SERVER: chosen})
    assert words(keeper.programs["Boris"]) == [NO_KIND.format(BEARS)]


def test_by_an_act_no_number_is_spent() -> None:
    """Whoever keeps the log passed a number over whose dice she disliked, once she knew its links, and gave another order."""
    keeper, order = at_a_strike(3)
    pending = keeper.propose(order)
    assert pending is not None, "a strike without dice"
    shown(keeper, "Boris", pending)
    seal(keeper, act=Away(0), k=pending.k)
    assert keeper.programs["Boris"].match.log.k == pending.k - 1
    assert keeper.ask("Boris", record_of(keeper, another(keeper, order), k=pending.k + 1)) is None
    assert words(keeper.programs["Boris"])[0] == NO_KIND.format(BEARS)
