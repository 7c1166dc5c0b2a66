"""Another server takes a game over: its dice come from a new chain, everybody sees that, and nobody can do it to choose dice."""

from __future__ import annotations

import random

import msgspec
import pytest

from core.dice import Chain
from core.errors import BadInput, Refused
from core.gamefile import GameFile
from core.identity import Identity, takeover_message
from core.log import Entry, Late, Log, TakenOver
from core.trials.verify import verify
from tests.server.hostile import words
from tests.toy.witnessed import Host, seated, toy

OTHER = Identity(b"o" * 32)


@pytest.fixture(autouse=True)
def _short_chains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.connection.witness.LINKS", 500)


def take_over(host: Host, *, by: Identity = OTHER, signed_by: Identity = OTHER) -> Entry:
    """Let another server go on with the game."""
    host.chain, host.key = Chain(b"n" * 32, links=1000), by
    message = takeover_message("duel", host.match.log.last_hash, host.chain.end, 1000)
    return host.act(TakenOver(by.key, host.chain.end, 1000), signature=signed_by.sign(message))


def kinds(file: GameFile) -> list[tuple[str, str]]:
    return [(finding.kind, finding.text) for finding in verify(file, load=toy).findings]


def test_the_game_goes_on_with_dice_of_the_new_chain_and_its_file_holds() -> None:
    host = seated()
    host.order(host.strike(random.Random(1)))
    entry = take_over(host)
    after = host.order(host.strike(random.Random(2)))
    assert after.k == 2
    assert after.links["server"] == host.chain.link(2)
    report = host.report()
    assert report.holds, report.findings
    assert [(remark.entry, remark.kind) for remark in report.remarks] == [(entry.number, "dice")]
    assert not any(program.fouls for program in host.programs.values())


def test_nobody_witnesses_for_the_old_server_any_more() -> None:
    host = seated()
    old = host.key
    take_over(host)
    host.key = old
    pending = host.waiting()
    assert host.ask("Anna", pending) is None
    assert "does not sign for it" in str(host.programs["Anna"].fouls[0])


def test_who_has_shown_a_link_hears_that_a_server_may_have_been_restored_from_a_backup_of_before() -> None:
    host = seated()
    pending = host.waiting()
    host.ask("Anna", pending)
    host.pending = None  # the backup has no record of the order
    host.restart()
    take_over(host)
    (said,) = words(host.programs["Anna"])
    assert said.startswith("the server took another dice chain")
    assert "unless it was restored from a backup" in said
    assert words(host.programs["Boris"]) == []


def test_links_of_the_old_chain_fit_no_more() -> None:
    host = seated()
    old = host.chain
    take_over(host)
    pending = host.waiting()
    links = host.gather(pending) | {"server": old.link(pending.k)}
    with pytest.raises(Exception, match="the next link of the published chain"):
        host.match.check_links(pending, links)


def test_it_is_refused_while_an_order_waits_for_its_dice() -> None:
    host = seated()
    host.waiting()
    with pytest.raises(Refused, match="is being decided"):
        take_over(host)


def test_a_takeover_that_the_new_server_did_not_sign_is_a_foul_and_found() -> None:
    host = seated()
    take_over(host, signed_by=Identity(b"x" * 32))
    assert all("nobody signed for it" in str(program.fouls[0]) for program in host.programs.values())
    assert ("signature", "the server that takes the game over did not sign for it") in kinds(host.file())


def test_a_chain_that_is_taken_after_the_players_have_shown_their_links_is_a_foul_and_found(monkeypatch: pytest.MonkeyPatch) -> None:
    host = seated()
    pending = host.waiting()
    links = host.gather(pending)
    host.match.log.pending = None  # what a host would have to do who has seen the links
    take_over(host)
    assert all("after you had shown your link" in str(program.fouls[0]) for program in host.programs.values())
    host.match.hold(pending)
    host.programs.clear()
    links |= {"server": host.chain.link(pending.k)}
    with pytest.raises(BadInput, match="a chain published since"):
        host.match.finish(links)
    monkeypatch.setattr(host.match, "check_links", lambda *_: None)
    host.finish(links)
    assert ("dice", "it waited for chance after no entry of this moment") in kinds(host.file())


def test_acts_of_the_table_may_come_between_an_order_and_its_dice_and_a_takeover_may_not() -> None:
    host = seated()
    pending = host.waiting()
    links = host.gather(pending, absent=["Anna"])
    host.act(Late("Anna", pending.k, 0))
    host.finish(links | host.gather(pending))
    assert host.report().holds


def test_a_takeover_can_not_be_signed_for_another_moment() -> None:
    host = seated()
    entry = take_over(host)
    log = Log()
    for one in host.match.log.entries[:-1]:
        log.add(one)
    log.add(log.seal(time_ms=0, act=Late("Anna", 1, 0)))
    log.add(log.seal(time_ms=0, act=entry.act, signature=entry.signature))
    file = msgspec.structs.replace(host.file(), entries=tuple(log.entries))
    assert ("signature", "the server that takes the game over did not sign for it") in kinds(file)
