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
from core.identity import Identity, act_then_message, fallback_message, kept_message, link_message, takeover_message
from core.log import (
    AnyAct,
    Away,
    ChainPublished,
    Claim,
    Entry,
    Fallback,
    Flag,
    Late,
    Limit,
    Pause,
    Pending,
    Resign,
    Result,
    Rewind,
    Seat,
    TakenOver,
)
from core.orders import Order, name_of, units_of
from core.signed import signed_by_keeper
from core.table import VERSION
from core.terms import DiceTerms, SeatTerms, Terms
from core.trials.verify import verify
from core.witnesses import SERVER, links_alone
from tests.toy.ruleset import RULES, End, Toy, toy_setting
from tests.toy.table import ToyTable
from tests.toy.witnessed import SERVER_KEY, SIDES, WAIT_MS, Host, key_of, seated, toy

OLD_FILE = Path(__file__).parent / "files" / "release-1.rasputitsa"


@pytest.fixture(autouse=True)
def _short_chains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.connection.witness.LINKS", 500)


def rolled(host: Host, seed: int = 1) -> Entry:
    """Play to the first strike and return its entry."""
    return host.order(host.strike(random.Random(seed)))


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


TWO_SEATS = (SeatTerms("red"), SeatTerms("blue"), SeatTerms("blue", "second"))


def beside_boris(*, table: int = VERSION, publishes: bool = False) -> Host:
    """Return a game at its start in which Dora sits beside Boris; whether her program *publishes* a chain."""
    host = Host(seats=TWO_SEATS, table=table)
    host.begin()
    for side, name in SIDES.items():
        host.sit(side, name)
    host.sit("blue", "Dora", "second", publishes=publishes)
    return host


def look_on(host: Host, *, units: tuple[int, ...] | None = ()) -> None:
    """Let Boris limit Dora's seat to units: to none she only looks on."""
    host.act(Limit("blue", "second", units), side="blue", player="Boris")  # type: ignore[arg-type]


def test_who_publishes_no_chain_stops_nobody_at_whose_side_another_has_and_orders_nothing_until_he_does() -> None:
    host, rng = beside_boris(), random.Random(1)
    first = host.order(host.strike(rng))
    assert set(first.links) == {"Anna", "Boris", SERVER}
    host.order(host.strike(rng))
    while name_of(order := choose(host.match.view, rng)) == "strike" or host.match.view.side_to_act() != "blue":
        host.order(order)
    with pytest.raises(Refused, match="Dora orders nothing"):
        host.propose(order, "Dora")
    host.take_chains()
    assert host.propose(order, "Dora") is None
    assert set(host.order(host.strike(rng)).links) == {"Anna", "Boris", "Dora", SERVER}
    report = host.report()
    assert report.findings == ()
    assert [(remark.entry, remark.text) for remark in report.remarks] == [
        (first.number, "Dora had published no chain: from here on dice fell that he has not witnessed")
    ]
    assert not any(program.fouls for program in host.programs.values())


@pytest.mark.parametrize("version", [3, VERSION])
def test_who_publishes_a_chain_while_an_order_waits_is_no_witness_of_it(version: int) -> None:
    """He could know the others' links by then, and choose his chain by what they lead to. No server writes it down then."""
    host = beside_boris(table=version)
    pending = host.propose(host.strike(random.Random(1)))
    assert pending is not None
    host.take_chains()
    assert host.match.wanted(pending) == ("Anna", "Boris", SERVER)
    links = host.gather(pending)
    if version == 3:
        assert set(host.finish(links).links) == {"Anna", "Boris", SERVER}
        assert host.report().findings == ()
        return
    assert set(links) == {SERVER}
    told = "the server lets an order wait since before Dora took part in the dice"
    assert [[str(foul.text) for foul in host.programs[name].fouls] for name in ("Anna", "Boris")] == [[told], [told]]


def test_when_whoever_had_a_chain_leaves_a_side_it_waits_for_those_who_have_none() -> None:
    host = beside_boris()
    host.act(Seat("blue", ""), side="blue", player="Boris")
    with pytest.raises(Refused, match="the program of Dora"):
        host.propose(End())


def test_an_order_of_who_has_no_chain_is_found_and_a_foul() -> None:
    host = beside_boris()
    host.order(End())
    host.match.witnesses.chains["Dora"] = host.match.witnesses.chains["Boris"]
    host.propose(End(), "Dora")
    assert [finding.text for finding in host.report().findings] == [
        "the order was decided too early: the dice are witnessed: Dora orders nothing until his program takes part in them"
    ]
    told = {str(foul) for program in host.programs.values() for foul in program.fouls}
    assert told == {"the server let Dora go on before all were there who witness the dice"}


def test_what_nobody_signed_at_the_end_of_a_file_is_remarked_once() -> None:
    """Whoever hands a file on could have written it: that a flag fell, or what a referee did."""
    host = seated()
    host.order(End())
    host.act(Seat("blue", ""), side="blue", player="Boris")  # as who leaves signs
    assert host.report().remarks == ()
    first = host.sit("blue", "Boris") and host.act(Flag("blue"))
    host.act(Result("red", "enough"), player="Rita")
    assert [(remark.entry, remark.text) for remark in host.report().remarks if remark.kind == "signature"] == [
        (first.number - 1, "nobody signed what the file ends with, from here on: Seat, Flag, Result")
    ]


@pytest.mark.parametrize("last", [Flag("blue"), Result("red", "enough"), Pause(on=True)])
def test_what_no_player_signs_the_server_signs_so_that_whoever_hands_a_file_on_can_not_write_it_behind_the_end(last: AnyAct) -> None:
    host = seated()
    host.order(End())
    host.match.kept_by = SERVER_KEY
    player = "" if isinstance(last, Flag) else "Rita"
    entry = host.act(last, player=player)
    assert signed_by_keeper(host.match.witnesses, entry, "duel", keeper=SERVER_KEY.key)
    by_server = (entry.number, f"the server alone signed what the file ends with, from here on: {type(last).__name__}")
    assert signatures_remarked(host) == [by_server]
    host.match.kept_by = None
    forged = host.act(Away(5), signature=key_of("Eve").sign(kept_message("duel", entry.hash)))
    assert signatures_remarked(host) == [by_server, (forged.number, "nobody signed what the file ends with, from here on: Away")]
    host.match.kept_by = SERVER_KEY
    host.act(Away(5))
    assert signatures_remarked(host) == [(entry.number, f"{by_server[1]}, Away")], "the server signs all before"


def signatures_remarked(host: Host) -> list[tuple[int, str]]:
    return [(remark.entry, remark.text) for remark in host.report().remarks if remark.kind == "signature"]


def test_a_server_signs_nothing_that_a_player_has_to_and_nothing_once_another_keeps_the_game() -> None:
    host = seated()
    host.match.kept_by = SERVER_KEY
    host.order(End())
    left = host.act(Seat("blue", ""), side="blue", player="Boris")
    assert not signed_by_keeper(host.match.witnesses, left, "duel", keeper=SERVER_KEY.key)
    host.sit("blue", "Boris")
    host.rewind(0)  # as both agreed
    assert signed_by_keeper(host.match.witnesses, host.match.log.entries[-1], "duel", keeper=SERVER_KEY.key)
    other = Chain(b"o" * 32, links=1000)
    key, signed = key_of("Other"), takeover_message("duel", host.match.log.last_hash, other.end, 1000)
    host.act(TakenOver(key.key, other.end, 1000), signature=key.sign(signed))
    assert host.act(Flag("blue")).signature == b""
    host.match.kept_by = key
    assert signed_by_keeper(host.match.witnesses, host.act(Flag("red")), "duel", keeper=SERVER_KEY.key)


@pytest.mark.parametrize("then", [ChainPublished, Claim, Seat])
def test_what_is_signed_behind_it_vouches_for_no_end_that_nobody_signed(then: type[AnyAct]) -> None:
    """Whoever hands a file on may play himself, or write something there again that is good for any moment."""
    host = seated()
    host.order(End())
    host.act(Result("red", "enough"), player="Rita") if then is Seat else host.act(Flag("blue"))
    if then is ChainPublished:
        chain = next(entry for entry in host.match.log.entries if isinstance(entry.act, ChainPublished) and entry.player == "Boris")
        host.act(chain.act, player="Boris", signature=chain.signature)  # type: ignore[arg-type]
    else:
        host.act(Claim("red") if then is Claim else Seat("red", ""), side="red", player="Anna")
    assert [remark.text for remark in host.report().remarks if remark.kind == "signature"] == [
        f"nobody signed what the file ends with, from here on: {'Result' if then is Seat else 'Flag'}"
    ]


def test_who_signs_by_another_key_than_before_is_remarked() -> None:
    """Whoever hands a file on could have written down that somebody came back, and sign for him from there on."""
    host = seated()
    host.order(End())
    host.act(Seat("blue", ""), side="blue", player="Boris")
    host.sit("blue", "Boris")
    host.act(Seat("blue", ""), side="blue", player="Boris")
    number = host.act(Seat("blue", "Boris", key=key_of("Eve").key), side="blue", player="Boris").number
    lost = Resign("blue")
    signature = key_of("Eve").sign(act_then_message("duel", host.match.log.last_hash, "blue", lost))
    host.act(lost, side="blue", player="Boris", signature=signature)
    assert [(remark.entry, remark.text) for remark in host.report().remarks] == [
        (number, "Boris signs by another key from here on: whoever knows him can say whether it is his")
    ]


def test_what_the_sides_agreed_on_is_signed_by_their_answer_and_what_a_referee_does_is_not() -> None:
    host = seated()
    host.order(End())
    host.rewind(0)
    assert [remark for remark in host.report().remarks if remark.kind == "signature"] == []
    host.act(Pause(on=True), player="Rita")
    assert [remark.text for remark in host.report().remarks if remark.kind == "signature"] == [
        "nobody signed what the file ends with, from here on: Pause"
    ]


def test_who_only_looks_on_from_his_seat_witnesses_no_dice_from_the_next_number_on_until_he_may_order_again() -> None:
    """Whoever sat down at a further seat and showed no link held his side up at every roll, on its own clock."""
    host, rng = beside_boris(publishes=True), random.Random(1)
    assert set(host.order(host.strike(rng)).links) == {"Anna", "Boris", "Dora", SERVER}
    look_on(host)
    assert set(host.order(host.strike(rng)).links) == {"Anna", "Boris", SERVER}
    look_on(host, units=None)
    assert set(host.order(host.strike(rng)).links) == {"Anna", "Boris", "Dora", SERVER}
    assert (host.report().findings, host.report().remarks) == ((), ())
    assert not any(program.fouls for program in host.programs.values())


def test_who_looked_on_from_the_start_need_publish_no_chain() -> None:
    host = Host(seats=(*TWO_SEATS[:2], SeatTerms("blue", "second", ())))
    host.begin()
    for side, name in SIDES.items():
        host.sit(side, name)
    host.sit("blue", "Dora", "second", publishes=False)
    assert set(rolled(host).links) == {"Anna", "Boris", SERVER}
    assert (host.report().findings, host.report().remarks) == ((), ())


def test_who_was_asked_stays_asked_when_he_only_looks_on_and_whose_link_stays_away_is_passed_by_but_this_once() -> None:
    host, rng = beside_boris(publishes=True), random.Random(1)
    pending = host.propose(host.strike(rng))
    assert pending is not None
    look_on(host)
    assert host.match.wanted(pending) == ("Anna", "Boris", "Dora", SERVER)
    host.give_up_on("Dora", pending, "unwitnessed")
    host.finish(host.gather(pending, absent=("Dora",)))
    assert set(host.order(host.strike(rng)).links) == {"Anna", "Boris", SERVER}
    assert host.report().findings == ()


def test_a_host_passes_nobody_by_who_may_order() -> None:
    host = beside_boris(publishes=True)
    host.match.witnesses._look_on.add(("blue", "second"))  # as if it had been written down
    rolled(host)
    assert "it shows links of Anna, Boris, server; chains were published by Anna, Boris, Dora, server" in {
        finding.text for finding in host.report().findings
    }
    assert any(program.fouls for program in host.programs.values())


def test_a_host_passes_nobody_by_who_leads_a_side_whatever_he_writes_down_of_his_seat() -> None:
    host = seated()
    host.act(Limit("blue", "", ()), player="Rita")
    assert set(rolled(host).links) == {"Anna", "Boris", SERVER}


def test_a_side_at_which_everybody_only_looks_on_is_played_by_nobody() -> None:
    host = beside_boris(publishes=True)
    look_on(host)
    host.act(Seat("blue", ""), side="blue", player="Boris")
    with pytest.raises(Refused, match="until somebody plays the blue side"):
        host.propose(End())


def test_in_a_game_from_before_who_only_looks_on_witnesses() -> None:
    host = beside_boris(publishes=True, table=2)
    look_on(host)
    assert set(rolled(host).links) == {"Anna", "Boris", "Dora", SERVER}
    assert host.report().findings == ()


@pytest.mark.parametrize(("version", "findings"), [(2, []), (VERSION, ["signature"])], ids=["before", "now"])
def test_nobody_claims_a_game_for_the_link_of_who_sits_beside_its_sides_first_player(version: int, findings: list[str]) -> None:
    """Else a friend of his who sits down there could lose it for the other side."""
    host = beside_boris(publishes=True, table=version)
    pending = host.propose(host.strike(random.Random(1)))
    assert pending is not None
    host.give_up_on("Dora", pending, "claim")
    assert [finding.kind for finding in host.report().findings] == findings
    assert any(program.fouls for program in host.programs.values()) == bool(findings)


def test_the_game_is_claimed_for_the_link_of_who_plays_a_side_alone_from_whatever_seat_but_not_while_its_leader_is_away() -> None:
    for lets, version, findings in ((True, VERSION, []), (False, VERSION, ["signature"]), (False, 3, [])):
        host = beside_boris(publishes=True, table=version)
        host.act(Seat("blue", ""), side="blue", player="Boris")
        if lets:
            host.act(Seat("blue", ""), side="blue", player="Boris")  # let others have it
        pending = host.propose(host.strike(random.Random(1)))
        assert pending is not None
        host.give_up_on("Dora", pending, "claim")
        assert [finding.kind for finding in host.report().findings] == findings


@pytest.mark.parametrize(("version", "findings"), [(2, []), (VERSION, ["signature"])], ids=["before", "now"])
@pytest.mark.parametrize("seat", ["", "second"])
def test_nobody_of_his_side_goes_on_without_the_link_of_who_left_his_seat_meanwhile(seat: str, version: int, findings: list[str]) -> None:
    """A host whose dice displeased him left, and a friend of his at his side, or at his very seat, had others thrown."""
    host = beside_boris(table=version)
    pending = host.propose(host.strike(random.Random(1)))
    assert pending is not None
    links = host.gather(pending, absent=["Boris"])
    host.act(Seat("blue", ""), side="blue", player="Boris")
    if not seat:
        host.act(Seat("blue", ""), side="blue", player="Boris")  # let others have it
        host.act(Seat("blue", "", "second"), side="blue", player="Dora")
        host.sit("blue", "Dora")
    host.act(Late("Boris", pending.k, 0))
    host.now_ms += WAIT_MS
    message = fallback_message("duel", pending.k, pending.digest(), "Boris", "unwitnessed")
    act = Fallback("Boris", pending.k, "unwitnessed", pending.digest())
    host.act(act, side="blue", player="Dora", signature=key_of("Dora").sign(message))
    host.finish(links)
    joined = ["dice"] if findings and not seat else []  # she sat down and published while the order waited
    assert [finding.kind for finding in host.report().findings] == findings + joined
    assert bool(host.programs["Anna"].fouls) == bool(findings)


@pytest.mark.parametrize(("version", "findings"), [(3, []), (VERSION, ["signature"])], ids=["before", "now"])
def test_who_sits_beside_a_sides_first_player_under_a_limit_chooses_nothing_for_it(version: int, findings: list[str]) -> None:
    host = beside_boris(table=version, publishes=True)
    look_on(host, units=(1,))
    pending = host.propose(host.strike(random.Random(1)))
    assert pending is not None
    host.act(Late("Anna", pending.k, 0))
    host.now_ms += WAIT_MS
    assert host.match.witnesses.may_choose("Dora", "Anna") != bool(findings)
    message = fallback_message("duel", pending.k, pending.digest(), "Anna", "unwitnessed")
    act = Fallback("Anna", pending.k, "unwitnessed", pending.digest())
    host.act(act, side="blue", player="Dora", signature=key_of("Dora").sign(message))
    assert [finding.kind for finding in host.report().findings] == findings
    assert bool(host.programs["Boris"].fouls) == bool(findings)


def a_strike_of_blue(host: Host) -> Order:
    rng = random.Random(4)
    order = host.strike(rng)
    while host.match.view.side_to_act() != "blue":
        host.order(order)
        order = host.strike(rng)
    return order


@pytest.mark.parametrize(("version", "commands", "findings"), [(3, False, []), (VERSION, False, ["table"]), (VERSION, True, [])])
def test_no_seat_gives_an_order_that_waits_for_dice_to_units_of_others(version: int, commands: bool, findings: list[str]) -> None:
    """A friend of the host's at a limited seat commanded the whole side wherever something was written down while its order waited."""
    host = beside_boris(table=version, publishes=True)
    order = a_strike_of_blue(host)
    look_on(host, units=units_of(order) if commands else (99,))
    pending = host.propose(order, "Dora")
    assert pending is not None
    programs, told = [host.programs[name] for name in ("Anna", "Boris")], "order that the seat of Dora does not command"
    links = host.gather(pending)
    assert [len(program.fouls) for program in programs] == [len(findings)] * 2
    if findings:
        for name in host.match.wanted(pending):
            chain = host.programs[name].witness.chain if name != SERVER else host.chain
            link = chain.link(pending.k)
            links[name] = link if name == SERVER else link + key_of(name).sign(link_message("duel", pending.k, pending.digest(), link))
    host.act(Late("Anna", pending.k, 0))
    host.finish(links)
    assert [finding.kind for finding in host.report().findings] == findings
    assert all(told in str(foul.text) for program in programs for foul in program.fouls)


@pytest.mark.parametrize(("version", "findings"), [(3, []), (VERSION, ["dice"])])
@pytest.mark.parametrize("way", ["order", "back"])
def test_nobody_is_late_for_dice_that_no_order_waits_for(way: str, version: int, findings: list[str]) -> None:
    """A host put the other side on the clock in her own turn."""
    host, rng = beside_boris(table=version, publishes=True), random.Random(1)
    while name_of(order := choose(host.match.view, rng)) == "strike":
        host.order(order)
    host.act(Late("Boris", host.match.log.k + 1, 2_000))
    if way == "order":
        host.order(order)
    else:
        host.order(host.strike(rng))
        host.act(Late("Boris", host.match.log.k + 1, 2_000))
        host.rewind(0)
    assert [finding.kind for finding in host.report().findings if finding.kind == "dice"] == findings
    told = [str(foul.text) for foul in host.programs["Boris"].fouls]
    assert any("and no order waited for them" in words for words in told) == bool(findings)


@pytest.mark.parametrize("version", [3, VERSION])
def test_who_is_called_as_the_server_is_witnesses_no_dice(version: int) -> None:
    table = ToyTable(Terms(owner="Anna", dice=DiceTerms("witnessed", 0)), version=version)
    if version == 3:
        table.do(SERVER, "blue", Seat("blue", SERVER))
        return
    with pytest.raises(Refused, match="it is the server's name there"):
        table.do(SERVER, "blue", Seat("blue", SERVER))


def test_who_sits_beside_a_sides_first_player_without_a_limit_speaks_for_it_again() -> None:
    host = beside_boris(publishes=True)
    for units, leads in (((1,), False), ((), False), (None, True)):
        look_on(host, units=units)
        assert host.match.witnesses.sides_led_by("Dora") == ({"blue"} if leads else set())
        assert host.match.witnesses.sides_led_by("Boris") == {"blue"}


@pytest.mark.parametrize(("leaves", "seat", "findings"), [("Boris", "", []), ("Dora", "second", ["signature"])])
def test_for_the_link_of_who_left_meanwhile_the_game_is_claimed_as_if_he_sat_there(leaves: str, seat: str, findings: list[str]) -> None:
    host = beside_boris(publishes=True)
    pending = host.propose(host.strike(random.Random(1)))
    assert pending is not None
    host.act(Seat("blue", "", seat), side="blue", player=leaves)
    assert host.match.witnesses.may_be_claimed(leaves) != bool(findings)
    assert not host.match.witnesses.may_choose("Dora" if leaves == "Boris" else "Boris", leaves)
    host.give_up_on(leaves, pending, "claim")
    assert [finding.kind for finding in host.report().findings] == findings


def test_who_left_before_the_game_was_moved_last_has_no_side_any_more() -> None:
    host = beside_boris(publishes=True)
    host.act(Seat("blue", "", "second"), side="blue", player="Dora")
    assert host.match.witnesses.sides_about("Dora") == {"blue"}
    host.order(End())
    assert host.match.witnesses.sides_about("Dora") == set()


def test_in_a_game_from_before_everybody_waits_for_each_players_chain() -> None:
    host = beside_boris(table=1)
    with pytest.raises(Refused, match="the program of Dora"):
        host.propose(End())
    host.match.witnesses.chains["Dora"] = host.match.witnesses.chains["Boris"]
    host.propose(End())
    assert [finding.kind for finding in host.report().findings] == ["dice"]


def test_who_takes_over_witnesses_from_the_next_number_on_and_who_left_no_more() -> None:
    host = seated()
    rng = random.Random(4)
    host.order(host.strike(rng))
    host.act(Seat("blue", ""), side="blue", player="Boris")
    host.sit("blue", "Clara")
    entry = host.order(host.strike(rng))
    assert set(entry.links) == {"Anna", "Clara", SERVER}
    host.act(Seat("blue", ""), side="blue", player="Clara")
    host.sit("blue", "Boris")
    again = host.order(host.strike(rng))
    assert set(again.links) == {"Anna", "Boris", SERVER}
    report = host.report()
    assert report.holds, report.findings
    assert not any(program.fouls for program in host.programs.values())


def test_who_was_asked_stays_asked_when_he_leaves() -> None:
    host = seated()
    pending = host.propose(host.strike(random.Random(1)))
    assert pending is not None
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
    pending = host.propose(host.strike(random.Random(1)))
    assert pending is not None
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
    pending = host.propose(host.strike(random.Random(1)))
    assert pending is not None
    links = host.gather(pending, absent=["Anna"])
    if named:
        host.act(Late("Anna", pending.k, 0))
    host.now_ms += waits
    message = fallback_message("duel", pending.k, pending.digest(), "Anna", "unwitnessed")
    signature = key_of(signer).sign(message) if signer else b""
    host.act(Fallback("Anna", pending.k, "unwitnessed", pending.digest()), side="blue", player=player, signature=signature)
    host.finish(links)
    assert any(words in finding.text for finding in host.report().findings)


def test_a_choice_counts_for_a_side_of_whoever_signed_it_and_for_no_other() -> None:
    """Boris claims the game, as Anna's link stays away; a host who plays red wrote his claim down as one for red."""
    for side, found in (("blue", []), ("red", ["Boris did not choose this, or may not choose for Anna"])):
        host = seated()
        pending = host.propose(host.strike(random.Random(1)))
        assert pending is not None
        host.act(Late("Anna", pending.k, 0))
        host.now_ms += WAIT_MS
        message = fallback_message("duel", pending.k, pending.digest(), "Anna", "claim")
        act = Fallback("Anna", pending.k, "claim", pending.digest())
        host.act(act, side=side, player="Boris", signature=key_of("Boris").sign(message))
        assert [finding.text for finding in host.report().findings] == found
        assert bool(host.programs["Boris"].fouls) == bool(found)


def test_in_a_pause_the_time_to_witness_stands_still_and_nobody_goes_on_without_a_link() -> None:
    host = seated()
    pending = host.propose(host.strike(random.Random(1)))
    assert pending is not None
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
    pending = host.propose(host.strike(random.Random(1)))
    assert pending is not None
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
    guests = iter(["Clara", "Dora", "Emil", "Fritz", "Greta"] * 10)
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
            host.act(Seat(side, ""), side=side, player=host.holder(side))
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
    host.propose(host.strike(random.Random(1)))
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
