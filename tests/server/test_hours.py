"""A host who plays lets his opponent's clock run for links that were shown; his opponent's program knows when, by a clock of its own."""

from __future__ import annotations

import random

import pytest

from client.connection.hours import FREE_MS
from core.bots.random_bot import choose
from core.log import Away, Flag, Late, Pending
from core.orders import name_of
from core.table import LEADERS_WITNESS, VERSION
from core.terms import ClockTerms, DiceTerms, SeatTerms, Terms
from core.witnesses import LATE_MS
from tests.server.conftest import Here
from tests.server.hostile import record_of
from tests.toy.witnessed import WAIT_MS, Host, seated


@pytest.fixture
def host(here: Here) -> Host:
    """A game with clocks in which Boris has shown a link."""
    made = seated(terms=Terms(clock=ClockTerms("absolute", 3_600_000), dice=DiceTerms("witnessed", WAIT_MS)))
    made.programs["Boris"].witness.known_to_its_end(made.match)
    made.order(made.strike(random.Random(1)))
    return made


def an_order_of(side: str, host: Host) -> Pending:
    """Return the record of an order of a side that needs dice, without one before it: by that the game might end."""
    while True:
        view = host.match.view
        found = {name_of(one): one for one in (choose(view, random.Random(seed)) for seed in range(50))}
        if view.side_to_act() == side and "strike" in found:
            break
        soonest = ("go", "pay", "end") if view.side_to_act() == side else ("end", "pay", "go", "strike")
        host.order(next(found[kind] for kind in soonest if kind in found))
    pending = host.propose(found["strike"])
    assert pending is not None
    return pending


def decided(host: Host, here: Here, pending: Pending, links: dict[str, bytes], *, ms: int, here_ms: int) -> list[str]:
    """Let time pass by the log and here until an order is decided; return what Boris is told."""
    host.now_ms += ms
    here.ms += here_ms
    host.finish(links)
    return [str(foul.text) for foul in host.programs["Boris"].fouls]


LOST = "our clock has lost 21 s while an order waited, though our link was shown"
LONG_MS = FREE_MS + 1_000


@pytest.mark.parametrize(("ms", "named", "told"), [
    (FREE_MS, (), []), (LONG_MS, (), [LOST]), (LONG_MS, ("Anna",), []), (LONG_MS, ("Anna", "Anna came"), [LOST]), (0, (), []),
], ids=["a slow line", "nobody is late", "Anna is", "Anna was", "the disk is full"])
def test_an_order_that_waits_on_its_own_clock_while_nobody_is_late_is_told(
    host: Host, here: Here, ms: int, named: tuple[str, ...], told: list[str]
) -> None:
    """The host keeps her own link until the clock of Boris, whose order has dice that she knows, is out."""
    pending = an_order_of("blue", host)
    here.ms += 60_000  # as he thought
    host.now_ms += 60_000
    links = host.gather(pending)
    for name in named:
        host.act(Late(name.removesuffix(" came"), pending.k, 0, came=name.endswith("came")))
    assert decided(host, here, pending, links, ms=ms, here_ms=LONG_MS) == told


@pytest.mark.parametrize(("version", "told"), [(0, []), (1, [LOST]), (VERSION, [LOST])])
def test_nothing_is_told_where_whose_turn_it_is_pays_for_all_links(here: Here, version: int, told: list[str]) -> None:
    host = seated(terms=Terms(clock=ClockTerms("absolute", 3_600_000), dice=DiceTerms("witnessed", WAIT_MS)), table=version)
    host.programs["Boris"].witness.known_to_its_end(host.match)
    pending = an_order_of("blue", host)
    assert decided(host, here, pending, host.gather(pending), ms=LONG_MS, here_ms=LONG_MS) == told


@pytest.mark.parametrize(("ms", "told"), [(FREE_MS - 2_000, False), (LONG_MS, True), (0, False)])
@pytest.mark.parametrize("then", ["decided", "came", "flag"])
def test_time_that_runs_for_a_link_that_was_shown_is_told(host: Host, here: Here, ms: int, then: str, told: bool) -> None:
    """The host says that it has not come."""
    pending = an_order_of("red", host)
    links = host.gather(pending)
    here.ms += 60_000
    host.act(Late("Boris", pending.k, 0))
    boris = host.programs["Boris"]
    assert boris.links()
    host.now_ms += ms
    here.ms += LONG_MS
    if then == "decided":
        host.finish(links)
    else:
        host.act(Late("Boris", pending.k, 0, came=True) if then == "came" else Flag("blue"))
    assert any("our clock has lost" in str(foul.text) for foul in boris.fouls) == told


IN_ALL = "our clock has lost {} s in all while orders waited, though the server had our links"


def said_to_be_late(host: Host, here: Here, *, ms: int, comes: str = "at once") -> list[str]:
    """Let the host say at a throw of hers that Boris' link has not come, and wait so long; return what he is told of his clock."""
    pending, boris = an_order_of("red", host), host.programs["Boris"]
    links = host.gather(pending)
    here.ms += 1
    if comes:
        boris.witness.heard(here.ms)
    for is_again in (False, True):
        host.act(Late("Boris", pending.k, 0))
        assert boris.links()
        here.ms += 1
        if comes and not is_again:
            boris.witness.heard(here.ms if comes == "at once" else here.ms - 1)
    return [told for told in decided(host, here, pending, links, ms=ms, here_ms=ms) if told.startswith("our clock has lost")]


@pytest.mark.parametrize("comes", ["at once", "", "but may have been lost"])
def test_time_that_runs_for_links_that_are_there_is_summed_up_over_the_game(host: Host, here: Here, comes: str) -> None:
    """The line may be slow at each throw, till a ping that was sent behind the link is answered; what was shown once may be lost."""
    told = [IN_ALL.format(21)] if comes == "at once" else []
    for _ in range(2):
        assert said_to_be_late(host, here, ms=9_000, comes=comes) == []
    assert said_to_be_late(host, here, ms=9_000, comes=comes) == told
    assert said_to_be_late(host, here, ms=9_000, comes=comes) == told


def test_a_line_that_was_down_has_no_link_there_and_what_was_lost_before_counts(host: Host, here: Here) -> None:
    for _ in range(2):
        assert said_to_be_late(host, here, ms=11_000) == []
    boris = host.programs["Boris"].witness
    boris.begin_anew(here.ms)
    boris.known_to_its_end(host.match)
    assert said_to_be_late(host, here, ms=11_000, comes="") == []
    assert said_to_be_late(host, here, ms=11_000) == [IN_ALL.format(27)]


def test_a_few_links_that_are_said_to_be_late_and_writes_that_take_long_are_nobodys_foul(host: Host, here: Here) -> None:
    for _ in range(4):
        assert said_to_be_late(host, here, ms=FREE_MS // 4 + 2_000) == []


def test_whoever_is_late_pays_for_no_more_than_the_time_after_which_he_is(host: Host, here: Here) -> None:
    """The host thought for ten minutes, and laid them to the link of Boris."""
    pending = an_order_of("red", host)
    host.now_ms += 600_000
    here.ms += 600_000
    host.gather(pending)
    host.act(Late("Boris", pending.k, LATE_MS + 1))
    why = "Boris pays for more than the 2 s after which a link is late"
    assert [why in str(foul.text) for foul in host.programs["Boris"].fouls] == [True]
    assert why in [finding.text for finding in host.report().findings]


def test_a_clock_runs_for_who_shows_no_link_for_another_order_than_before(host: Host, here: Here) -> None:
    """A backup of before was restored: his link was shown for what is no more, and he was told that it is there for what came since."""
    pending, boris = an_order_of("red", host), host.programs["Boris"]
    host.ask("Boris", pending)
    boris.witness.begin_anew()
    boris.witness.known_to_its_end(host.match)
    host.act(Away(0))
    assert host.ask("Boris", record_of(host, host.match.codec.decode(pending.order), k=pending.k)) is None
    assert "again, for another order than you witnessed" in str(boris.fouls[-1].text)
    boris.fouls.clear()
    host.act(Late("Boris", pending.k, 0))
    host.now_ms += 60_000
    here.ms += 60_000
    host.act(Late("Anna", pending.k, 0))
    assert boris.fouls == []


@pytest.mark.parametrize(("anew", "restored"), [(False, False), (False, True), (True, False), (True, True)])
def test_who_is_named_late_sends_his_link_again_only_for_the_order_that_it_was_shown_for(host: Host, anew: bool, restored: bool) -> None:
    """Another order waited after a backup of before was restored; its server refused the link, and he read that as trouble of his own."""
    pending, boris = an_order_of("red", host), host.programs["Boris"]
    assert host.ask("Boris", pending) is not None
    waits = pending
    if restored:
        host.act(Away(0))
        waits = record_of(host, host.match.codec.decode(pending.order), k=pending.k)
    if anew:
        boris.restart()
        boris.hear(host.match.log.entries)
    else:
        host.ask("Boris", waits)
    host.act(Late("Boris", pending.k, 0, waits=waits))
    assert [link.pending for link in boris.links()] == ([] if restored else [pending.digest()])


def test_what_a_clock_loses_for_a_friends_link_is_nobody_elses_fault(here: Here) -> None:
    terms = Terms(
        clock=ClockTerms("absolute", 3_600_000), dice=DiceTerms("witnessed", WAIT_MS),
        seats=(SeatTerms("red"), SeatTerms("blue"), SeatTerms("blue", "second")),
    )
    host = seated(terms=terms, table=LEADERS_WITNESS - 1)  # since then she does not witness beside him
    host.sit("blue", "Dora", "second")
    host.programs["Boris"].witness.known_to_its_end(host.match)
    pending = an_order_of("blue", host)
    links = host.gather(pending)
    for name in ("Dora", "Anna"):
        host.act(Late(name, pending.k, 0))
    host.now_ms += 60_000
    here.ms += 60_000
    host.act(Late("Dora", pending.k, 0, came=True))
    assert decided(host, here, pending, links, ms=1_000, here_ms=1_000) == []


def test_time_that_ran_before_a_link_was_asked_for_is_told(host: Host, here: Here) -> None:
    """The host names Boris late at the beginning of her own turn, and thinks on his clock."""
    pending = an_order_of("red", host)
    host.act(Late("Boris", pending.k, 0))
    host.ask("Boris", pending)
    told = f"the server named you late for the dice of number {pending.k} before it asked for your link, unless it was lost"
    assert told in [str(foul.text) for foul in host.programs["Boris"].fouls]


TOO_SOON = "Anna decided about your link ({}), and the agreed time to wait for it has not passed since the line was down"


@pytest.mark.parametrize(("down_ms", "knew", "goes", "is_told"), [
    (1_000, True, "", True), (WAIT_MS - FREE_MS - 1, True, "", True), (WAIT_MS - FREE_MS, True, "", False), (1_000, False, "", False),
    (1_000, True, "again", True), (WAIT_MS, True, "again", False), (1_000, True, "to the lobby", False),
])
@pytest.mark.parametrize("choice", ["claim", "unwitnessed"])
def test_who_was_waited_for_while_his_line_was_down_was_so_for_the_agreed_time(
    here: Here, down_ms: int, knew: bool, goes: str, is_told: bool, choice: str
) -> None:
    """The host cuts his line for a second, and lets the wait begin, by the log, when she began to think."""
    host = seated()
    boris = host.programs.pop("Boris")
    if knew:
        boris.witness.known_to_its_end(boris.match)
    pending, known = an_order_of("red", host), len(host.match.log)
    boris.hear(host.match.log.entries[len(boris.match.log) :])
    here.ms += 600_000
    heard = here.ms
    host.give_up_on("Boris", pending, choice)
    here.ms += down_ms
    boris.witness.begin_anew(heard)
    if goes == "again":  # before the game was known to its end
        boris.witness.begin_anew(here.ms)
    elif goes:
        boris.witness.begin_anew()
    boris.hear(host.match.log.entries[known:])
    assert [str(foul.text) for foul in boris.fouls] == ([TOO_SOON.format(choice)] if is_told else [])


def test_who_was_named_late_before_his_line_was_down_may_have_been_waited_for_since(here: Here) -> None:
    host = seated()
    boris = host.programs["Boris"]
    pending = an_order_of("red", host)
    boris.witness._asked = pending.k
    host.act(Late("Boris", pending.k, 0))
    boris.witness.known_to_its_end(boris.match)
    boris.witness.begin_anew(here.ms)
    host.now_ms += WAIT_MS
    host.chooses("Anna", "red", "Boris", pending, "claim")
    assert boris.fouls == []
