"""Who witnesses dice from which seat, and who speaks for a side: several players at one, limits, who leaves and who comes back."""

from __future__ import annotations

import random

import pytest

from core.bots.random_bot import choose
from core.errors import Refused
from core.identity import link_message
from core.log import (
    AnyAct,
    Fallback,
    Flag,
    Late,
    Limit,
    Pending,
    Resign,
    Result,
    Seat,
)
from core.orders import Order, name_of, units_of
from core.table import LEADERS_WITNESS, VERSION
from core.terms import ClockTerms, DiceTerms, SeatTerms, Terms
from core.units import UnitId
from core.witnesses import SERVER
from tests.toy.ruleset import End
from tests.toy.table import ToyTable
from tests.toy.witnessed import SIDES, WAIT_MS, Host, key_of, rolled, seated

SHARED = LEADERS_WITNESS  # in games from then and before who plays one side may sit beside others at another
BESIDE = LEADERS_WITNESS - 1  # in games from before, the others of a side witness beside who leads it
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


@pytest.fixture(autouse=True)
def _short_chains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.connection.witness.LINKS", 500)


def test_who_publishes_no_chain_stops_nobody_at_whose_side_another_has_and_orders_nothing_until_he_does() -> None:
    host, rng = beside_boris(table=BESIDE), random.Random(1)
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
    assert [(remark.entry, remark.text) for remark in report.remarks if remark.kind != "version"] == [
        (first.number, "Dora had published no chain: from here on dice fell that he has not witnessed")
    ]
    assert not any(program.fouls for program in host.programs.values())


@pytest.mark.parametrize("version", [3, VERSION])
def test_who_publishes_a_chain_while_an_order_waits_is_no_witness_of_it(version: int) -> None:
    """He could know the others' links by then, and choose his chain by what they lead to. No server writes it down then."""
    host = beside_boris(table=version)
    pending = host.waiting()
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


@pytest.mark.parametrize("publishes", [False, True])
def test_nobody_witnesses_beside_who_leads_a_side(publishes: bool) -> None:
    """A friend of the other side's sat there: he let the dice wait on its clock, or gave that one throws to choose from."""
    host, rng = beside_boris(publishes=publishes), random.Random(1)
    assert set(host.order(host.strike(rng)).links) == {"Anna", "Boris", SERVER}
    while name_of(order := choose(host.match.view, rng)) == "strike" or host.match.view.side_to_act() != "blue":
        host.order(order)
    assert host.propose(order, "Dora") is None
    assert (host.report().findings, host.report().remarks) == ((), ())
    assert not any(program.fouls for program in host.programs.values())


def test_the_others_of_a_side_witness_while_nobody_leads_it() -> None:
    host, rng = beside_boris(publishes=True), random.Random(1)
    rolled(host)
    host.act(Seat("blue", ""), side="blue", player="Boris")
    assert set(host.order(host.strike(rng)).links) == {"Anna", "Dora", SERVER}
    host.sit("blue", "Boris")
    assert set(host.order(host.strike(rng)).links) == {"Anna", "Boris", SERVER}
    assert host.report().findings == ()
    assert not any(program.fouls for program in host.programs.values())


def test_one_of_a_side_witnesses_who_commands_all_of_it_if_anybody_does() -> None:
    """A host left her own side to friends, and chose by whose links stayed away."""
    seats = (SeatTerms("red"), SeatTerms("red", "some", (UnitId(1),)), SeatTerms("red", "all"), SeatTerms("red", "more"), SeatTerms("blue"))
    host = Host(seats=seats)
    host.begin()
    for side, name, seat in (("red", "Carla", "some"), ("red", "Dora", "all"), ("red", "Emil", "more"), ("blue", "Boris", "")):
        host.sit(side, name, seat)
    assert host.match.witnesses.participants == ("Boris", "Dora", SERVER)
    assert host.match.witnesses.sides_witnessed_by("Dora") == {"red"}
    for seat, name, then in (("all", "Dora", "Emil"), ("more", "Emil", "Carla")):
        host.act(Seat("red", "", seat), side="red", player=name)
        assert host.match.witnesses.participants == ("Boris", then, SERVER)


def test_whoever_leaves_a_side_while_an_order_waits_has_nobody_take_part_in_its_dice() -> None:
    host = beside_boris(publishes=True)
    pending = host.waiting()
    host.act(Seat("blue", ""), side="blue", player="Boris")
    assert host.match.wanted(pending) == ("Anna", "Boris", SERVER)
    host.finish(host.gather(pending))
    assert host.report().findings == ()
    assert not any(program.fouls for program in host.programs.values())


@pytest.mark.parametrize("version", [BESIDE, VERSION])
def test_who_left_as_the_first_order_waited_for_its_dice_has_played(version: int) -> None:
    """Else a host could end a game, unsigned, in the name of its owner who had left."""
    host = beside_boris(publishes=True, table=version)
    rng = random.Random(1)
    while name_of(order := choose(host.match.view, rng)) != "strike":
        continue
    pending = host.propose(order)
    assert pending is not None
    links = host.gather(pending)
    host.act(Seat("blue", ""), side="blue", player="Boris")
    host.finish(links)
    assert ("Boris" in host.match.witnesses.has_played, "Boris" in host.match.table.has_played) == (version == VERSION, True)


def test_a_side_waits_for_the_chain_of_who_leads_it_whoever_else_of_it_has_one() -> None:
    """A host kept back what its leader had published, and knew her own dice: a friend of hers beside him had a chain."""
    host = Host(seats=TWO_SEATS)
    host.begin()
    host.sit("blue", "Dora", "second")
    for side, name in SIDES.items():
        host.sit(side, name, publishes=name != "Boris")
    assert (host.match.table.begun, host.match.table.on_clock()) == (True, "blue")
    with pytest.raises(Refused, match="the program of Boris"):
        host.propose(End())


@pytest.mark.parametrize("version", [BESIDE, VERSION])
def test_a_choice_to_wait_on_counts_once(version: int) -> None:
    """A host whose own link stayed away wrote the other's down again and again, who went on waiting for it."""
    host = beside_boris(table=version)
    pending = host.waiting()
    once = host.give_up_on("Anna", pending, "wait")
    host.chooses("Boris", "blue", "Anna", pending, "wait")
    assert host.report().findings == ()
    host.act(Fallback("Anna", pending.k, "wait", pending.digest()), side="blue", player="Boris", signature=once.signature)
    assert [finding.kind for finding in host.report().findings] == ([] if version == BESIDE else ["signature"])
    assert bool(host.programs["Boris"].fouls) == (version == VERSION)


def test_when_whoever_had_a_chain_leaves_a_side_it_waits_for_those_who_have_none() -> None:
    host = beside_boris()
    host.act(Seat("blue", ""), side="blue", player="Boris")
    with pytest.raises(Refused, match="the program of Dora"):
        host.propose(End())


def test_an_order_of_who_has_no_chain_is_found_and_a_foul() -> None:
    host = beside_boris(table=BESIDE)
    host.order(End())
    host.match.witnesses.chains["Dora"] = host.match.witnesses.chains["Boris"]
    host.propose(End(), "Dora")
    assert [finding.text for finding in host.report().findings] == [
        "the order was decided too early: the dice are witnessed: Dora orders nothing until his program takes part in them"
    ]
    told = {str(foul) for program in host.programs.values() for foul in program.fouls}
    assert told == {"the server let Dora go on before all were there who witness the dice"}


def test_who_only_looks_on_from_his_seat_witnesses_no_dice_from_the_next_number_on_until_he_may_order_again() -> None:
    """Whoever sat down at a further seat and showed no link held his side up at every roll, on its own clock."""
    host, rng = beside_boris(publishes=True, table=BESIDE), random.Random(1)
    assert set(host.order(host.strike(rng)).links) == {"Anna", "Boris", "Dora", SERVER}
    look_on(host)
    assert set(host.order(host.strike(rng)).links) == {"Anna", "Boris", SERVER}
    look_on(host, units=None)
    assert set(host.order(host.strike(rng)).links) == {"Anna", "Boris", "Dora", SERVER}
    assert (host.report().findings, {remark.kind for remark in host.report().remarks}) == ((), {"version"})
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
    host, rng = beside_boris(publishes=True, table=BESIDE), random.Random(1)
    pending = host.propose(host.strike(rng))
    assert pending is not None
    look_on(host)
    assert host.match.wanted(pending) == ("Anna", "Boris", "Dora", SERVER)
    host.give_up_on("Dora", pending, "unwitnessed")
    host.finish(host.gather(pending, absent=("Dora",)))
    assert set(host.order(host.strike(rng)).links) == {"Anna", "Boris", SERVER}
    assert host.report().findings == ()


def test_a_host_passes_nobody_by_who_may_order() -> None:
    host = beside_boris(publishes=True, table=BESIDE)
    host.match.witnesses._look_on.add(("blue", "second"))  # as if it had been written down
    rolled(host)
    assert "it shows links of Anna, Boris, server; chains were published by Anna, Boris, Dora, server" in {
        finding.text for finding in host.report().findings
    }
    assert any(program.fouls for program in host.programs.values())


def test_a_host_passes_nobody_by_who_leads_a_side_whatever_he_writes_down_of_his_seat() -> None:
    host = seated()
    host.act(Limit("blue", "", ()), player="Rita")
    assert [str(foul.text) for foul in host.programs["Boris"].fouls] == [
        "the server wrote down what Rita could not do: the first seat of blue has no limit",
    ]
    assert set(host.match.wanted(host.waiting())) == {"Anna", "Boris", SERVER}


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


@pytest.mark.parametrize(("version", "findings"), [(2, []), (BESIDE, ["signature"])])
def test_nobody_claims_a_game_for_the_link_of_who_sits_beside_its_sides_first_player(version: int, findings: list[str]) -> None:
    """Else a friend of his who sits down there could lose it for the other side."""
    host = beside_boris(publishes=True, table=version)
    pending = host.waiting()
    host.give_up_on("Dora", pending, "claim")
    assert [finding.kind for finding in host.report().findings] == findings
    assert any(program.fouls for program in host.programs.values()) == bool(findings)


def test_the_game_is_claimed_for_the_link_of_who_plays_a_side_alone_from_whatever_seat_but_not_while_its_leader_is_away() -> None:
    for lets, version, findings in ((True, VERSION, []), (False, VERSION, ["signature"]), (False, 3, [])):
        host = beside_boris(publishes=True, table=version)
        rolled(host)
        if lets:
            host.leave("blue")
        else:
            host.act(Seat("blue", ""), side="blue", player="Boris")  # it is kept for him
        pending = host.waiting()
        host.give_up_on("Dora", pending, "claim")
        assert [finding.kind for finding in host.report().findings] == findings


@pytest.mark.parametrize(("version", "findings"), [(2, []), (VERSION, ["signature"])], ids=["before", "now"])
@pytest.mark.parametrize("seat", ["", "second"])
def test_nobody_of_his_side_goes_on_without_the_link_of_who_left_his_seat_meanwhile(seat: str, version: int, findings: list[str]) -> None:
    """A host whose dice displeased him left, and a friend of his at his side, or at his very seat, had others thrown."""
    host = beside_boris(table=version)
    pending = host.waiting()
    links = host.gather(pending, absent=["Boris"])
    host.act(Seat("blue", ""), side="blue", player="Boris")
    if not seat:
        host.act(Seat("blue", ""), side="blue", player="Boris")  # let others have it
        host.act(Seat("blue", "", "second"), side="blue", player="Dora")
        host.sit("blue", "Dora")
    host.act(Late("Boris", pending.k, 0))
    host.now_ms += WAIT_MS
    host.chooses("Dora", "blue", "Boris", pending, "unwitnessed")
    host.finish(links)
    if findings and not seat:  # she sat down and published while the order waited: so nobody can have waited for him
        findings = ["dice", "dice", "dice"]
    assert [finding.kind for finding in host.report().findings] == findings
    assert bool(host.programs["Anna"].fouls) == bool(findings)


@pytest.mark.parametrize(("version", "findings"), [(3, []), (VERSION, ["signature"])], ids=["before", "now"])
def test_who_sits_beside_a_sides_first_player_under_a_limit_chooses_nothing_for_it(version: int, findings: list[str]) -> None:
    host = beside_boris(table=version, publishes=True)
    look_on(host, units=(1,))
    pending = host.waiting()
    host.act(Late("Anna", pending.k, 0))
    host.now_ms += WAIT_MS
    assert host.match.witnesses.may_choose("Dora", "Anna") != bool(findings)
    host.chooses("Dora", "blue", "Anna", pending, "unwitnessed")
    assert [finding.kind for finding in host.report().findings] == findings
    assert bool(host.programs["Boris"].fouls) == bool(findings)


@pytest.mark.parametrize(("version", "choose", "findings"), [
    (4, ("Anna", "Boris"), {"signature"}), (SHARED, ("Anna",), {"dice"}), (SHARED, ("Anna", "Anna"), {"dice"}),
    (SHARED, ("Boris", "Anna"), set()),
], ids=["before", "one", "one twice", "both"])
def test_without_the_link_of_who_sits_at_all_sides_all_others_that_lead_one_go_on_together(
    monkeypatch: pytest.MonkeyPatch, version: int, choose: tuple[str, ...], findings: set[str]
) -> None:
    """Whoever chose alone could have a friend sit there: the dice that both know, with his link and without, are two throws."""
    host = Host(seats=(SeatTerms("red"), SeatTerms("red", "second"), SeatTerms("blue"), SeatTerms("blue", "second")), table=version)
    host.begin()
    for side, name, seat in (("red", "Anna", "second"), ("blue", "Boris", "second"), ("red", "Dora", ""), ("blue", "Dora", "")):
        host.sit(side, name, seat)
    pending = host.waiting()
    links = host.gather(pending, absent=["Dora"])
    host.act(Late("Dora", pending.k, 0))
    host.now_ms += WAIT_MS
    for name in choose:
        assert host.match.witnesses.may_choose(name, "Dora") == (version == SHARED)
        assert host.match.witnesses.may_be_claimed("Dora") == (version < SHARED)
        host.chooses(name, {"Anna": "red", "Boris": "blue"}[name], "Dora", pending, "unwitnessed")
    assert ("Dora" in host.match.wanted(pending)) == (version == SHARED and bool(findings))
    monkeypatch.setattr(host.match, "check_links", lambda *_: None)  # a hostile server minds nothing
    host.finish(links)
    assert {finding.kind for finding in host.report().findings} == findings
    assert bool(host.programs["Boris"].fouls) == bool(findings)


def test_who_leads_several_sides_chooses_for_all_of_them_at_once() -> None:
    seats = (SeatTerms("red"), SeatTerms("red", "second"), SeatTerms("blue"), SeatTerms("blue", "second"))
    host = Host(seats=seats, table=SHARED)
    host.begin()
    for side, name, seat in (("red", "Anna", ""), ("blue", "Anna", ""), ("red", "Dora", "second"), ("blue", "Dora", "second")):
        host.sit(side, name, seat)
    pending = host.waiting()
    links = host.gather(pending, absent=["Dora"])
    host.give_up_on("Dora", pending, "unwitnessed")
    assert "Dora" not in host.match.wanted(pending)
    host.finish(links)
    assert host.report().findings == ()
    assert host.programs["Anna"].fouls == []


def a_strike_of_blue(host: Host) -> Order:
    rng = random.Random(4)
    order = host.strike(rng)
    while host.match.view.side_to_act() != "blue":
        host.order(order)
        order = host.strike(rng)
    return order


@pytest.mark.parametrize(("version", "commands", "findings"), [
    (3, False, []), (LEADERS_WITNESS, False, ["table"]), (VERSION, False, ["dice", "table"]), (VERSION, True, []),
])
def test_no_seat_gives_an_order_that_waits_for_dice_to_units_of_others(version: int, commands: bool, findings: list[str]) -> None:
    """A friend of the host's at a limited seat commanded the whole side wherever something was written down while its order waited."""
    host = beside_boris(table=version, publishes=True)
    order = a_strike_of_blue(host)
    look_on(host, units=units_of(order) if commands else (99,))
    pending = host.propose(order, "Dora")
    assert pending is not None
    programs, told = [host.programs[name] for name in ("Anna", "Boris")], "order that the seat of Dora does not command"
    links = host.gather(pending)
    assert [len(program.fouls) for program in programs] == [bool(findings)] * 2
    if findings:
        for name in host.match.wanted(pending):
            chain = host.programs[name].witness.chain if name != SERVER else host.chain
            link = chain.link(pending.k)
            links[name] = link if name == SERVER else link + key_of(name).sign(link_message("duel", pending.k, pending.digest(), link))
    host.act(Late("Anna", pending.k, 0))
    host.finish(links)
    assert [finding.kind for finding in host.report().findings] == findings
    unheld = "the order that is said to wait is not one that the seat of Dora commands"  # by the entry that names Anna late
    assert all(told in str(foul.text) or unheld in str(foul.text) for program in programs for foul in program.fouls)


@pytest.mark.parametrize(("version", "findings"), [(3, []), (LEADERS_WITNESS, ["dice"]), (VERSION, ["dice", "dice"])])
@pytest.mark.parametrize("way", ["order", "back"])
def test_nobody_is_late_for_dice_that_no_order_waits_for(way: str, version: int, findings: list[str]) -> None:
    """A host put the other side on the clock in her own turn."""
    host, rng = beside_boris(table=version, publishes=True), random.Random(1)
    while name_of(order := choose(host.match.view, rng)) == "strike":
        host.order(order)
    if way == "order":
        host.act(Late("Boris", host.match.log.k + 1, 0))
        host.order(order)
    else:
        host.order(host.strike(rng))
        host.act(Late("Boris", host.match.log.k + 1, 0))
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


@pytest.mark.parametrize("version", [SHARED, VERSION])
def test_who_sits_beside_a_sides_first_player_speaks_for_it_no_more(version: int) -> None:
    host = beside_boris(table=version, publishes=True)
    for units, leads in (((1,), False), ((), False), (None, version == SHARED)):
        look_on(host, units=units)
        assert host.match.witnesses.sides_led_by("Dora") == ({"blue"} if leads else set())
        assert host.match.witnesses.sides_led_by("Boris") == {"blue"}


@pytest.mark.parametrize(("leaves", "seat", "findings"), [("Boris", "", []), ("Dora", "second", ["dice", "signature"])])
def test_for_the_link_of_who_left_meanwhile_the_game_is_claimed_as_if_he_sat_there(leaves: str, seat: str, findings: list[str]) -> None:
    host = beside_boris(publishes=True)
    pending = host.waiting()
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


def test_who_has_changed_sides_leaves_the_other_to_its_players() -> None:
    """Else nobody could choose what shall be, as his link stays away: he had sat at both since the game was moved."""
    host = Host()
    host.begin()
    host.sit("red", "Boris")
    host.act(Seat("red", ""), side="red", player="Boris")
    host.sit("blue", "Boris")
    host.sit("red", "Anna")
    assert host.match.witnesses.sides_about("Boris") == {"blue"}
    pending = host.waiting()
    links = host.gather(pending, absent=["Boris"])
    host.give_up_on("Boris", pending, "unwitnessed")
    host.finish(links)
    assert host.report().findings == ()


@pytest.mark.parametrize("ends", [Resign("blue"), Result("red", "late")])
def test_nobody_is_waited_for_when_the_game_is_over(ends: AnyAct) -> None:
    host = beside_boris()
    host.order(host.strike(random.Random(1)))
    signer = "Boris" if isinstance(ends, Resign) else "Rita"
    host.act(ends, side="blue" if signer == "Boris" else "", player=signer)
    record = Pending("red", "Anna", b"", host.match.log.head, host.match.log.k + 1, host.match.log.last_hash)
    host.give_up_on("Boris", record, "claim")
    found = [finding.text for finding in host.report().findings]
    assert found == [f"no link {record.k} of Boris was waited for", f"there was nothing to choose about link {record.k} of Boris"]


def test_a_program_that_reads_a_game_again_tells_nothing_of_what_was_done_before_an_order_waited() -> None:
    host = Host(terms=Terms(owner="Anna", clock=ClockTerms("absolute", 60_000, 0, "show"), dice=DiceTerms("witnessed", WAIT_MS)))
    host.begin()
    host.sit("red", "Anna")
    host.sit("blue", "Dora")
    host.act(Seat("blue", ""), player="Anna")  # whoever owns it frees seats before the first order
    boris = host.sit("blue", "Boris")
    while host.match.view.side_to_act() != "blue":
        host.order(choose(host.match.view, random.Random(1)))
    host.now_ms += 60_000
    host.act(Flag("blue"))  # where nothing waits it falls by no order
    for _ in range(3):
        host.order(host.strike(random.Random(1)))
    boris.restart()
    boris.hear(host.match.log.entries)
    assert boris.fouls == []
