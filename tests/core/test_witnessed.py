"""Witnessed dice: whatever happens at the table, numbers only grow and the file proves each die."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.bots.random_bot import choose
from core.dice import Chain, Stream, fits, parted
from core.errors import BadInput, Refused
from core.gamefile import GameFile, read
from core.identity import Identity
from core.log import (
    Fallback,
    Late,
    Offer,
    Pause,
    Pending,
    Rewind,
    Seat,
    Withdraw,
)
from core.orders import name_of
from core.trials.verify import verify
from core.witnesses import SERVER, links_alone
from tests.server.hostile import at_a_strike, record_of
from tests.toy.ruleset import RULES, End, Toy, toy_setting
from tests.toy.witnessed import SIDES, WAIT_MS, Host, key_of, rolled, seated, toy

OLD_FILE = Path(__file__).parent / "files" / "release-1.rasputitsa"


@pytest.fixture(autouse=True)
def _short_chains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.connection.witness.LINKS", 500)


def test_all_who_play_and_the_server_witness_each_die_and_the_file_proves_it() -> None:
    host = seated()
    entry = rolled(host)
    assert set(entry.links) == {"Anna", "Boris", SERVER}
    report = host.report()
    assert (report.holds, report.remarks) == (True, ()), report
    assert report.signed == report.orders - 1 > 0
    assert not any(program.fouls for program in host.programs.values())


def test_the_dice_hang_on_every_participants_link() -> None:
    host = seated()
    entry = rolled(host)
    digest = entry.pending_record().digest()
    links = links_alone(entry.links)
    streams = [Stream({name: link for name, link in links.items() if name != left}, game="duel", k=entry.k, pending=digest)
               for left in ("", "Anna", "Boris", SERVER)]
    assert len({tuple(stream.roll(6) for _ in range(20)) for stream in streams}) == 4


def test_a_witnessed_game_waits_until_each_side_is_played_and_each_player_has_published() -> None:
    host = Host()
    host.begin()
    host.sit("red", "Anna")
    with pytest.raises(Refused, match="somebody plays the blue side"):
        host.propose(End())
    host.sit("blue", "Boris", publishes=False)
    with pytest.raises(Refused, match="the program of Boris"):
        host.propose(End())
    host.take_chains()
    host.order(End())
    assert host.report().holds


class DrawnLots(Toy):
    """Rolls when the game is set up."""

    def begin(self, game):  # type: ignore[no-untyped-def]
        yield from game.roll("lots")
        yield from super().begin(game)


def test_a_set_up_that_draws_waits_for_its_witnesses() -> None:
    lots = DrawnLots("toy", version=1, registry=RULES)
    host = Host(setting=msgspec.structs.replace(toy_setting(), ruleset=lots))
    for side, name in SIDES.items():
        with pytest.raises(Refused, match="somebody plays"):
            host.match.propose("", None)
        host.sit(side, name)
    pending = host.match.propose("", None)
    assert isinstance(pending, Pending)
    host.match.hold(pending)
    entry = host.finish(host.gather(pending))
    assert (entry.k, set(entry.links)) == (1, {"Anna", "Boris", SERVER})
    rolled(host)
    report = verify(host.file(), load=lambda name: lots)
    assert report.holds, report.findings
    assert not any(program.fouls for program in host.programs.values())


def test_who_takes_over_witnesses_from_the_next_number_on_and_who_left_no_more() -> None:
    host = seated()
    rng = random.Random(4)
    host.order(host.strike(rng))
    host.leave("blue")
    host.sit("blue", "Clara")
    entry = host.order(host.strike(rng))
    assert set(entry.links) == {"Anna", "Clara", SERVER}
    host.leave("blue")
    host.sit("blue", "Boris")
    again = host.order(host.strike(rng))
    assert set(again.links) == {"Anna", "Boris", SERVER}
    report = host.report()
    assert report.holds, report.findings
    assert not any(program.fouls for program in host.programs.values())


def test_who_was_asked_stays_asked_when_he_leaves() -> None:
    host = seated()
    pending = host.waiting()
    host.act(Seat("blue", ""), side="blue", player="Boris")
    assert set(host.match.wanted(pending)) == {"Anna", "Boris", SERVER}
    host.finish(host.gather(pending))
    assert host.report().holds


def test_bugs_of_peers_1_a_draw_that_was_undone_stays_in_the_log_and_the_next_is_another() -> None:
    """bugs-of-peers 1: with consent k has grown and the old die stays visible; redo brings the recorded events back."""
    host = seated()
    order = host.strike(random.Random(1))
    before = host.match.log.head
    first = host.order(order)
    assert not host.match.log.undo_is_free(before, first.side)
    host.rewind(before)
    second = host.order(order)
    assert (second.parent, second.order, second.k) == (first.parent, first.order, first.k + 1)
    assert host.match.log.entries[first.number] == first
    host.rewind(first.number)
    assert host.match.view.position.digest() == host.match.log.seek(first.number).digest()
    assert host.report().holds


@pytest.mark.parametrize("other", [False, True])
def test_bugs_of_peers_2_an_attack_made_again_after_a_rewind_has_other_dice(other: bool) -> None:
    """bugs-of-peers 2: the same unit or another attacks again, and no number is used twice."""
    host = seated()
    first = host.strike(random.Random(2))
    found = (choose(host.match.view, random.Random(seed)) for seed in itertools.count())
    strikes = [order for order in itertools.islice(found, 100) if name_of(order) == "strike" and (order != first) is other]
    assert strikes
    before, numbers = host.match.log.head, []
    for order in [first, *strikes[:9]]:
        numbers.append(host.order(order).k)
        host.rewind(before)
    assert numbers == list(range(1, len(numbers) + 1))
    report = host.report()
    assert report.holds, report.findings


def test_bugs_of_peers_12_options_and_previews_draw_nothing() -> None:
    """bugs-of-peers 12: nothing but an order spends a number."""
    host = seated()
    for seed in range(50):
        choose(host.match.view, random.Random(seed))
    assert not hasattr(host.match.view, "dice")   # what is composed on a view has nothing to draw from
    with pytest.raises(Refused):
        host.match.propose("blue", End())
    assert host.match.log.k == 0
    assert host.match.log.pending is None


def test_after_the_agreed_time_another_side_goes_on_without_a_link_and_the_file_says_so() -> None:
    host = seated()
    pending = host.waiting()
    links = host.gather(pending, absent=["Anna"])
    with pytest.raises(BadInput, match="link 1 of Anna"):
        host.match.finish(links)
    host.give_up_on("Anna", pending, "unwitnessed")
    with pytest.raises(BadInput, match="nobody asked for"):
        host.match.finish(host.gather(pending) | {"Anna": bytes(96)})  # too late: the result was known without it
    entry = host.finish(host.gather(pending, absent=["Anna"]))
    assert set(entry.links) == {"Boris", SERVER}
    report = host.report()
    assert report.holds, report.findings
    assert [remark.text for remark in report.remarks] == [
        "Boris went on without a link of Anna", "not witnessed by Anna, as the others chose",
    ]


@pytest.mark.parametrize(
    ("player", "signer", "waits", "named", "words"),
    [
        ("Anna", "Anna", WAIT_MS, True, "may not choose"),          # whose link is missing
        ("", "", WAIT_MS, True, "nobody did not choose"),           # the server by itself
        ("Boris", "Anna", WAIT_MS, True, "did not choose this"),    # the host in Boris' name
        ("Boris", "Boris", WAIT_MS - 1, True, "agreed time"),       # too early
        ("Boris", "Boris", WAIT_MS, False, "agreed time"),          # never named late
    ],
)
def test_a_fallback_that_no_other_side_chose_in_time_is_found(player: str, signer: str, waits: int, named: bool, words: str) -> None:
    host = seated()
    pending = host.waiting()
    links = host.gather(pending, absent=["Anna"])
    if named:
        host.act(Late("Anna", pending.k, 0))
    host.now_ms += waits
    if signer:
        host.chooses(player, "blue", "Anna", pending, "unwitnessed", signer=signer)
    else:
        host.act(Fallback("Anna", pending.k, "unwitnessed", pending.digest()), side="blue", player=player)
    host.finish(links)
    assert any(words in finding.text for finding in host.report().findings)


def test_a_choice_counts_for_a_side_of_whoever_signed_it_and_for_no_other() -> None:
    """Boris claims the game, as Anna's link stays away; a host who plays red wrote his claim down as one for red."""
    for side, found in (("blue", []), ("red", ["Boris did not choose this, or may not choose for Anna"])):
        host = seated()
        pending = host.waiting()
        host.act(Late("Anna", pending.k, 0))
        host.now_ms += WAIT_MS
        host.chooses("Boris", side, "Anna", pending, "claim")
        assert [finding.text for finding in host.report().findings] == found
        assert bool(host.programs["Boris"].fouls) == bool(found)


def test_in_a_pause_the_time_to_witness_stands_still_and_nobody_goes_on_without_a_link() -> None:
    host = seated()
    pending = host.waiting()
    host.act(Late("Anna", pending.k, 0))
    host.now_ms += WAIT_MS - 1
    host.act(Pause(on=True), player="Rita")
    host.now_ms += 10 * WAIT_MS
    left = lambda: host.match.witnesses.patience_left("Anna", pending.k, now_ms=host.now_ms, wait_ms=WAIT_MS)  # noqa: E731
    assert left() == 1
    host.act(Pause(on=False), player="Rita")
    assert left() == 1
    host.now_ms += 1
    assert left() == 0


def test_a_link_is_late_only_for_the_next_number() -> None:
    host = seated()
    host.act(Late("Anna", 7, 0))
    assert [finding.text for finding in host.report().findings] == ["no link 7 of Anna was waited for"]


# -------------------------------------------------------------------- forged files


def forged(host: Host, number: int, **changes: object) -> list[str]:
    """Return what is found in the file when one entry is changed and all after it are sealed again."""
    file, entries = host.file(), []
    for entry in host.file().entries:
        bare = msgspec.structs.replace(entry, before=entries[-1].hash if entries else bytes(32), hash=b"")
        if entry.number == number:
            bare = msgspec.structs.replace(bare, **changes)
        entries.append(msgspec.structs.replace(bare, hash=bare.digest()))
    report = verify(GameFile(file.head, file.files, tuple(entries), None), load=toy)
    return [finding.text for finding in report.findings if finding.entry == number]


def test_an_order_or_link_or_chain_or_head_that_was_changed_is_found() -> None:
    host = seated()
    entry = rolled(host)
    link, signature = parted(entry.links["Boris"])
    other = parted(host.order(host.strike(random.Random(9))).links["Boris"])
    assert any("order is not signed" in text for text in forged(host, entry.number, signature=bytes(64)))
    assert any("link 1 of Boris is not signed" in text for text in forged(host, entry.number, links=entry.links | {"Boris": link}))
    assert any("does not fit" in text for text in forged(host, entry.number, links=entry.links | {"Boris": other[0] + signature}))
    alone = {SERVER: entry.links[SERVER]}
    assert any("chains were published by Anna, Boris, server" in text for text in forged(host, entry.number, links=alone))
    published = next(e for e in host.match.log.entries if type(e.act).__name__ == "ChainPublished")
    swapped = msgspec.structs.replace(published.act, end=bytes(32))
    assert any("did not publish" in text for text in forged(host, published.number, act=swapped))
    assert any("its time lies before" in text for text in forged(host, published.number + 1, time_ms=published.time_ms - 1))
    file = host.file()
    terms = msgspec.structs.replace(file.head.terms, dice=msgspec.structs.replace(file.head.terms.dice, wait_ms=1))
    changed = msgspec.structs.replace(file, head=msgspec.structs.replace(file.head, terms=terms))
    assert {"signature"} <= {finding.kind for finding in verify(changed, load=toy).findings}


def test_a_file_of_a_game_that_waits_for_its_dice_holds_and_a_forged_record_does_not() -> None:
    host = seated()
    pending = host.waiting()
    file = host.file()
    assert file.pending == pending
    assert verify(file, load=toy).holds
    for changes, words in (
        ({"signature": bytes(64)}, "is not signed by the key of"),
        ({"k": 7}, "does not belong"), ({"parent": 0}, "does not belong"), ({"before": bytes(32)}, "does not belong"),
    ):
        forged_file = msgspec.structs.replace(file, pending=msgspec.structs.replace(pending, **changes))
        assert [words in finding.text for finding in verify(forged_file, load=toy).findings] == [True]


def test_every_link_that_was_moved_or_left_out_is_found() -> None:
    host = seated()
    entry = rolled(host)
    for name in ("Anna", "Boris", SERVER):
        assert forged(host, entry.number, links={who: link for who, link in entry.links.items() if who != name})
    assert forged(host, entry.number, links={**entry.links, "Anna": entry.links["Boris"], "Boris": entry.links["Anna"]})


def test_a_signature_does_not_move_the_dice() -> None:
    """Else a participant could sign on until they please him."""
    links = {"Anna": bytes(32) + b"a" * 64, SERVER: bytes(32)}
    assert links_alone(links) == {"Anna": bytes(32), SERVER: bytes(32)}


def test_files_from_before_keys_and_witnesses_still_verify() -> None:
    report = verify(read(OLD_FILE.read_bytes()), load=toy)
    assert report.holds, report.findings
    assert (report.rolls, report.signed, report.remarks) == (5, 0, ())


def test_a_chain_is_of_one_game_and_its_terms() -> None:
    one, other = seated(), Host(seed=b"d" * 32)
    other.begin()
    other.sit("red", "Anna")
    ends = {host.match.witnesses.chains["Anna"].end for host in (one, other)}
    assert len(ends) == 2


# -------------------------------------------------------------------- any course of events


DEEDS = st.lists(st.sampled_from(["order"] * 9 + ["undo", "absent", "restart host", "restart player", "swap"]), max_size=40)


@given(seed=st.integers(0, 1 << 16), deeds=DEEDS)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_numbers_grow_and_every_entry_verifies_whatever_happens(seed: int, deeds: list[str]) -> None:
    host, rng = seated(), random.Random(seed)
    guests = (f"Guest {number}" for number in itertools.count())
    for deed in deeds:
        if host.match.view.position.outcome is not None:
            break
        _do(host, deed, rng, guests)
    spent = [entry.k for entry in host.match.log.entries if entry.k]
    assert spent == list(range(1, len(spent) + 1))
    report = host.report()
    assert report.holds, report.findings
    assert [program.fouls for program in host.programs.values() if program.fouls] == []


def _do(host: Host, deed: str, rng: random.Random, guests: object) -> None:
    log = host.match.log
    match deed:
        case "order":
            host.order(choose(host.match.view, rng))
        case "undo":
            back = log.back()
            if back is not None and log.head != back:
                host.rewind(back)
        case "absent":
            _go_on_without(host, rng)
        case "restart host":
            _die_between_passes(host, rng)
        case "restart player":
            program = host.programs[host.holder(rng.choice(("red", "blue")))]
            program.restart()
            program.hear(log.entries)
        case "swap":
            side = rng.choice(("red", "blue"))
            host.leave(side)
            host.sit(side, next(guests))  # type: ignore[call-overload]


def _go_on_without(host: Host, rng: random.Random) -> None:
    pending = host.propose(choose(host.match.view, rng))
    if pending is not None:
        absent = host.holder(rng.choice(("red", "blue")))
        links = host.gather(pending, absent=[absent])
        if rng.random() < 0.5:
            host.give_up_on(absent, pending, "wait")
            links = host.gather(pending)
        else:
            host.give_up_on(absent, pending, "unwitnessed")
        host.finish(links)


def _die_between_passes(host: Host, rng: random.Random) -> None:
    """Kill the host once the links are there: the same come again, and with them the same dice."""
    pending = host.propose(choose(host.match.view, rng))
    if pending is None:
        host.restart()
        return
    links = host.gather(pending)
    would_be = host.match.finish(links)[0].events
    host.restart()
    again = host.gather(pending)
    assert again == links
    assert host.finish(again).events == would_be


def test_a_rewind_waits_for_the_dice() -> None:
    host = seated()
    host.waiting()
    with pytest.raises(Refused, match="being decided"):
        host.match.act(Rewind(0))


def test_a_chain_costs_nothing_to_check_that_a_forger_could_make_dear() -> None:
    chain = Chain(bytes(32), links=10)
    host = seated()
    fits_chain = host.match.witnesses.fits_chain
    host.match.witnesses.chains["Anna"] = msgspec.structs.replace(host.match.witnesses.chains["Anna"], end=chain.end, links=10)
    assert fits_chain("Anna", 3, chain.link(3), (0, chain.end))
    assert not fits_chain("Anna", 3, chain.link(3), (3, chain.link(3)))
    assert not fits_chain("Anna", 11, bytes(32), (0, chain.end))
    host.match.witnesses.chains["Anna"] = msgspec.structs.replace(host.match.witnesses.chains["Anna"], links=1 << 60)
    assert not fits_chain("Anna", 1 << 50, bytes(32), (0, chain.end))  # it would hash for years


def test_the_end_of_a_short_chain_tells_nothing_of_a_longer_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that hid the chain which an earlier program had published could know all dice of the one that a new program made."""
    anna = seated().programs["Anna"]
    long = anna.witness.chain
    monkeypatch.setattr("client.connection.witness.LINKS", 200)
    anna.restart()
    short = anna.witness.chain
    assert (short.links, long.links) == (200, 500)
    assert not fits(short.end, long.end, gap=300)


def test_identities_of_the_same_secret_are_one() -> None:
    assert key_of("Anna").key == Identity(b"Anna".ljust(32, b".")).key


@pytest.mark.parametrize("is_decided", [True, False])
def test_an_order_that_waits_since_before_the_one_for_which_somebody_was_named_late_is_found(is_decided: bool) -> None:
    """Such a file ended `verify` in a crash report."""
    host, order = at_a_strike()
    early = record_of(host, order)
    offer = host.act(Offer("draw"), side="red", player="Anna")
    later = record_of(host, order)
    host.act(Withdraw(offer.number), side="red", player="Anna")
    host.act(Late("Boris" if early.player == "Anna" else "Anna", early.k, 0, waits=later))
    if is_decided:
        log = host.match.log
        log.add(log.seal(
            time_ms=0, side=early.side, player=early.player, order=early.order, k=early.k, signature=early.signature, pending=early.before,
        ))
    file = msgspec.structs.replace(host.file(), pending=None if is_decided else early)
    assert "it is another order than the one for which somebody was named late" in [found.text for found in verify(file, load=toy).findings]
