"""A host who plays may know the dice of an order that waits: what she does until its entry, or says of others' links, is told."""

from __future__ import annotations

import random

import msgspec
import pytest

from client.connection.hours import now_ms
from core.bots.random_bot import choose
from core.identity import (
    act_then_message,
    link_message,
)
from core.log import AnyAct, Consent, Flag, Late, Offer, Result, Seat
from core.orders import name_of
from core.table import LEADERS_WITNESS, VERSION
from core.table_rules import Moment, Who, permit
from core.terms import DiceTerms, SeatTerms, Terms
from core.witnesses import SERVER
from tests.server.hostile import BORIS_STRIKES, another, at_a_strike, owned, record_of, shown, words
from tests.toy.witnessed import WAIT_MS, key_of, seated
from tests.toy.witnessed import Host as Keeper

IF_NOT_LOST = ", unless it was on its way still, or lost as the line was cut or the server stopped"  # what comes then is nobody's lie
NOT_OUT = "the server wrote down what nobody could not do: the time of blue is not out"  # no more than that


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.connection.witness.LINKS", 1000)
    monkeypatch.setattr("server.witness.LATE_S", 0.05)


@pytest.mark.parametrize("acts", [
    (Seat("blue", ""),), (Seat("blue", ""), Seat("blue", "Boris", key=key_of("Boris").key)),
    (Seat("blue", ""), Seat("blue", ""), Seat("blue", "Boris", key=key_of("Boris").key)),
], ids=["left", "left and came back", "let others have it and came back"])
def test_an_order_that_waits_is_its_givers_whatever_becomes_of_his_seat_meanwhile(acts: tuple[Seat, ...]) -> None:
    keeper, order = at_a_strike(BORIS_STRIKES)
    assert keeper.holder(keeper.match.view.side_to_act()) == "Boris"
    pending = keeper.propose(order)
    assert pending is not None
    links = {SERVER: keeper.chain.link(pending.k), "Boris": shown(keeper, "Boris", pending)}
    for act in acts:
        permit(Moment(keeper.match.table, keeper.match.log, False, 0), act, Who("Boris", "blue"))
        keeper.act(act, side="blue", player="Boris")  # before Anna's program is asked
    links["Anna"] = shown(keeper, "Anna", pending)
    assert keeper.file().pending == pending
    assert keeper.report().holds
    keeper.finish(links)
    assert [words(program) for program in keeper.programs.values()] == [[], []]
    assert keeper.report().holds


@pytest.mark.parametrize("version", [3, VERSION])
@pytest.mark.parametrize("key", ["Boris's new machine", "Clara"])
def test_nobody_sits_down_while_an_order_waits_nor_under_another_key(key: str, version: int) -> None:
    keeper = seated(table=version)
    order = keeper.strike(random.Random(BORIS_STRIKES))
    name = key if key == "Clara" else "Boris"
    pending = keeper.propose(order)
    assert pending is not None
    links = {SERVER: keeper.chain.link(pending.k), **{one: shown(keeper, one, pending) for one in ("Anna", "Boris")}}
    keeper.others[key_of(key).key] = key_of(key)
    if version == 3:
        keeper.leave("blue")  # else nobody could sit down there
    keeper.act(Seat("blue", name, key=key_of(key).key), side="blue", player=name)
    told = [f"the server lets an order wait since before {name} took part in the dice"] if version == VERSION else []
    assert words(keeper.programs["Anna"]) == told
    if name == "Boris":  # nobody knows that the link of his old key is his
        del links["Boris"]
        keeper.give_up_on("Boris", pending, "unwitnessed")
    keeper.finish(links)
    assert keeper.report().holds == (version == 3)


@pytest.mark.parametrize("version", [3, VERSION])
@pytest.mark.parametrize("comes_back", [False, True])
def test_an_order_that_is_said_to_have_waited_since_before_somebody_took_part_is_told(comes_back: bool, version: int) -> None:
    """Tom, a friend of Anna's, sat at blue before Boris, whose link she then needs not: she tries orders until the dice please."""
    keeper = Keeper(table=version)
    keeper.begin()
    keeper.sit("red", "Anna")
    if comes_back:
        keeper.sit("blue", "Boris")
        keeper.act(Seat("blue", ""), side="blue", player="Boris")
    keeper.sit("blue", "Tom")
    before = keeper.match.log.last_hash
    keeper.leave("blue")
    keeper.sit("blue", "Boris")
    order = next(one for seed in range(500) if name_of(one := choose(keeper.match.view, random.Random(seed))) == "strike")
    record = msgspec.structs.replace(record_of(keeper, order), before=before)
    assert set(keeper.match.wanted(record)) == {"Anna", "Tom", SERVER}
    keeper.match.hold(record)
    links = {SERVER: keeper.chain.link(1), **{name: shown(keeper, name, record) for name in ("Anna", "Tom") if version == 3}}
    if version == 3:
        keeper.finish(links)
        assert words(keeper.programs["Boris"]) == []
        assert keeper.report().findings == ()
        return
    for name in ("Anna", "Tom"):
        chain, key = keeper.programs[name].witness.chain, key_of(name)
        link = chain.link(1)
        links[name] = link + key.sign(link_message("duel", 1, record.digest(), link))
        assert keeper.ask(name, record) is None
        assert words(keeper.programs[name]) == ["the server lets an order wait since before Boris took part in the dice"]
    keeper.finish(links)
    assert words(keeper.programs["Boris"]) == ["the server lets an order wait since before Boris took part in the dice"]
    found = ["Boris takes part in the dice since the order is said to have begun to wait"]
    assert [finding.text for finding in keeper.report().findings] == found


def test_an_order_of_somebody_who_sat_down_since_it_began_to_wait_is_told() -> None:
    keeper, order = at_a_strike(BORIS_STRIKES)
    record = record_of(keeper, order)
    keeper.leave("blue")
    keeper.act(Seat("blue", "Clara", key=key_of("Clara").key), side="blue", player="Clara")
    forged = msgspec.structs.replace(record, player="Clara")
    assert keeper.ask("Anna", forged) is None
    assert words(keeper.programs["Anna"]) == ["the server lets an order wait since before Clara took part in the dice"]


@pytest.mark.parametrize("player", ["Nobody", "Boris", ""])
def test_an_order_for_who_has_left_his_seat_is_told_at_once(player: str) -> None:
    keeper, order = at_a_strike(BORIS_STRIKES)
    keeper.act(Seat("blue", ""), side="blue", player="Boris")
    entry = keeper.match.log.seal(time_ms=0, side="blue", player=player, order=keeper.match.codec.encode(order))
    boris = keeper.programs["Boris"]
    boris.witness.watch(boris.match, entry, live=False)
    assert f"the server wrote down an order of {player or 'nobody'}, who did not play blue" in words(boris)


def test_a_host_who_throws_his_dice_while_the_other_seat_is_empty_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    keeper, order = at_a_strike()
    assert keeper.holder(keeper.match.view.side_to_act()) == "Anna"
    keeper.act(Seat("blue", ""), side="blue", player="Boris")
    with monkeypatch.context() as cheating:
        cheating.setattr(keeper.match.witnesses, "refusal", lambda player: None)
        keeper.order(order)
    assert set(keeper.match.log.entries[-1].links) == {"Anna", SERVER}  # both are the host's
    assert words(keeper.programs["Boris"]) == ["the server let Anna go on before all were there who witness the dice"]


def test_a_draw_that_a_host_accepts_when_he_may_know_the_dice_is_told_to_who_has_shown_his_link() -> None:
    keeper, order = at_a_strike()
    offer = keeper.act(Offer("draw"), side="blue", player="Boris")
    pending = keeper.propose(order)
    assert pending is not None
    keeper.gather(pending)
    keeper.act(Consent(offer.number, True), side="red", player="Anna")
    told = "Anna accepted a draw while an order waited, whose dice may be known since you showed your link"
    assert words(keeper.programs["Boris"]) == [told]


def test_a_draw_that_somebody_accepted_before_and_a_host_kept_back_until_she_may_know_the_dice_is_told_to_him() -> None:
    keeper, order = at_a_strike()
    offer = keeper.act(Offer("draw"), side="red", player="Anna")
    yes = Consent(offer.number, True)
    signature = key_of("Boris").sign(act_then_message("duel", keeper.match.log.last_hash, "blue", yes))
    pending = keeper.propose(order)
    assert pending is not None
    keeper.gather(pending)
    keeper.act(yes, side="blue", player="Boris", signature=signature)
    assert keeper.match.outcome is not None
    told = "Boris accepted a draw while an order waited, whose dice may be known since you showed your link"
    assert words(keeper.programs["Boris"]) == [told]


@pytest.mark.parametrize(("by", "owner"), [("Anna", "Anna"), ("Tom", "Tom"), ("Anna", "Tom")])
@pytest.mark.parametrize("act", [Result("", "not begun"), Seat("blue", "")])
def test_what_an_owner_decides_while_the_first_order_waits_is_told(act: AnyAct, by: str, owner: str) -> None:
    """Before it nothing is kept for who left, and whoever leads the table frees seats; Anna, who leaves hers, or a friend of hers."""
    keeper = owned(owner)
    order = next(one for seed in range(500) if name_of(one := choose(keeper.match.view, random.Random(seed))) == "strike")
    pending = keeper.propose(order)
    assert pending is not None
    keeper.gather(pending)
    keeper.act(Seat("red", ""), side="red", player="Anna")
    keeper.act(act, player=by)
    told = f"{by} decided about the game while an order waited, whose dice may be known since you showed your link: {type(act).__name__}"
    assert words(keeper.programs["Boris"]) == [told]


@pytest.mark.parametrize("passed_ms", [WAIT_MS, WAIT_MS - 1])
@pytest.mark.parametrize(("winner", "here"), [("", False), ("red", False), ("", True)])
def test_an_owner_who_does_not_play_ends_the_first_order_that_waits_for_nobody_when_who_is_late_has_had_his_time(
    winner: str, here: bool, passed_ms: int
) -> None:
    """But while nobody is there who has shown his link, and could choose: Anna's friend, or her, the host may name late as she likes."""
    keeper = owned("Tom")
    order = next(one for seed in range(500) if name_of(one := choose(keeper.match.view, random.Random(seed))) == "strike")
    pending = keeper.propose(order)
    assert pending is not None
    keeper.gather(pending)
    keeper.act(Late("Anna", 1, 0))
    keeper.now_ms += passed_ms
    if here:
        keeper.programs["Boris"].witness.known_to_its_end(keeper.programs["Boris"].match)
    keeper.act(Result(winner, "they are gone"), player="Tom")
    told = "Tom decided about the game while an order waited, whose dice may be known since you showed your link: Result"
    assert words(keeper.programs["Boris"])[:1] == ([] if passed_ms == WAIT_MS and not (winner or here) else [told])


@pytest.mark.parametrize("act", [Result("", "he is away"), Seat("blue", "")])
def test_what_a_host_who_plays_decides_alone_when_she_may_know_the_dice_is_told(act: AnyAct) -> None:
    keeper, order = at_a_strike()
    pending = keeper.propose(order)
    assert pending is not None
    keeper.gather(pending)
    keeper.act(Seat("blue", ""), side="blue", player="Boris")
    assert words(keeper.programs["Boris"]) == []
    keeper.act(act, player="Anna")
    told = "Anna decided about the game while an order waited, whose dice may be known since you showed your link: "
    assert words(keeper.programs["Boris"]) == [told + type(act).__name__]


@pytest.mark.parametrize("owner", ["Olga", "Rita"])
def test_a_referee_and_who_left_himself_decide_while_an_order_waits(owner: str) -> None:
    keeper = seated(terms=Terms(owner=owner, referees=("Rita",), dice=DiceTerms("witnessed", WAIT_MS)))
    order = keeper.strike(random.Random(1))
    pending = keeper.propose(order)
    assert pending is not None
    keeper.gather(pending)
    for _ in range(2):
        keeper.act(Seat("blue", ""), side="blue", player="Boris")  # leaves his seat, then lets others have it
    keeper.act(Result("red", "it is late"), player="Rita")
    assert words(keeper.programs["Boris"]) == []


@pytest.mark.parametrize(("side", "late", "leaves", "is_told"), [
    ("blue", "", False, True), ("blue", "Boris", False, True), ("blue", "Dora", False, False), ("blue", "", True, True),
    ("red", "Boris", False, True), ("red", "Boris came", False, True), ("red", "Dora", False, False), ("red", "", False, False),
], ids=["his", "he late", "his friend late", "he leaves", "another's, he late", "he was late", "another's, his friend late", "another's"])
def test_time_that_runs_out_while_an_order_waits_is_told_to_whose_side_kept_nobody_waiting(
    side: str, late: str, leaves: bool, is_told: bool
) -> None:
    """A host kept her own link until the other's time was out, or said that his had not come."""
    version = LEADERS_WITNESS - 1 if late == "Dora" else VERSION  # since then she does not witness beside him
    keeper = Keeper(seats=(SeatTerms("red", ""), SeatTerms("blue", ""), SeatTerms("blue", "second")), table=version)
    keeper.begin()
    for of_side, name, seat in (("red", "Anna", ""), ("blue", "Boris", ""), ("blue", "Dora", "second")):
        keeper.sit(of_side, name, seat)
    order = keeper.strike(random.Random(BORIS_STRIKES))
    while keeper.match.view.side_to_act() != side:
        keeper.order(order)
        order = keeper.strike(random.Random(BORIS_STRIKES))
    pending = keeper.propose(order)
    assert pending is not None
    keeper.gather(pending, absent=["Anna"])
    if late:
        keeper.act(Late(late.removesuffix(" came"), pending.k, 0))
    if late.endswith("came"):
        keeper.act(Late("Boris", pending.k, 0, came=True))
    if leaves:
        keeper.act(Seat("blue", ""), side="blue", player="Boris")
    boris = keeper.programs["Boris"]
    keeper.act(Flag("blue"))
    told = f"the server let time run out for blue while an order waited, though you had shown your link{IF_NOT_LOST}"
    assert words(boris) == [told if is_told else NOT_OUT]
    assert "Boris" in keeper.gather(pending)  # it may have been lost on its way: he witnesses on


@pytest.mark.parametrize("version", [0, 1, VERSION])
def test_nothing_is_told_of_a_flag_where_whose_turn_it_is_pays_for_all_links(version: int) -> None:
    keeper = seated(table=version)
    order = keeper.strike(random.Random(BORIS_STRIKES))
    pending = keeper.propose(order)
    assert pending is not None
    assert pending.side == "blue"
    keeper.gather(pending, absent=["Anna"])
    keeper.act(Flag("blue"))
    told = [what for what in words(keeper.programs["Boris"]) if "let time run out" in what]
    assert len(told) == bool(version)


def test_a_host_who_claims_the_game_for_a_link_that_came_is_told_to_its_owner() -> None:
    keeper, order = at_a_strike()
    pending = keeper.propose(order)
    assert pending is not None
    assert "Boris" in keeper.gather(pending)
    chooser = keeper.give_up_on("Boris", pending, "claim").player
    assert words(keeper.programs["Boris"]) == [f"{chooser} claimed the game for want of your link, though you had shown it{IF_NOT_LOST}"]


def test_a_link_behind_which_a_ping_was_answered_was_not_on_its_way() -> None:
    keeper, order = at_a_strike()
    pending = keeper.propose(order)
    assert pending is not None
    keeper.gather(pending)
    boris = keeper.programs["Boris"]
    boris.witness.heard(now_ms() + 1)
    chooser = keeper.give_up_on("Boris", pending, "claim").player
    told = f"{chooser} claimed the game for want of your link, though you had shown it"
    assert words(boris) == [told + ", unless it was lost as the line was cut or the server stopped"]


@pytest.mark.parametrize("choice", ["unwitnessed", "claim"])
def test_a_choice_about_a_link_that_was_shown_is_told_whatever_record_it_names(choice: str) -> None:
    """The host drops the record when she knows its dice, and says that the link for another one of its number never came."""
    keeper, order = at_a_strike()
    pending = keeper.propose(order)
    assert pending is not None
    keeper.gather(pending)
    keeper.restart()
    other = record_of(keeper, another(keeper, order), k=pending.k)
    chooser = keeper.give_up_on("Boris", other, choice).player
    did = "claimed the game for want of" if choice == "claim" else "went on without"
    assert words(keeper.programs["Boris"]) == [
        "the server wrote down that somebody was waited for: the choice about link 1 of Boris is for another order than is said to wait",
        f"{chooser} {did} your link, though you had shown it{IF_NOT_LOST}",
    ]


def test_a_choice_about_a_number_that_is_not_the_next_is_told() -> None:
    keeper, order = at_a_strike()
    keeper.give_up_on("Boris", record_of(keeper, order, k=2), "claim")
    told = "the server wrote down that somebody was waited for: "
    why = ["no link 2 of Boris was waited for", "there was nothing to choose about link 2 of Boris"]
    assert words(keeper.programs["Boris"]) == [told + one for one in why]
    assert "there was nothing to choose about link 2 of Boris" in [finding.text for finding in keeper.report().findings]


@pytest.mark.parametrize(("here", "asks", "is_told"), [(True, False, True), (False, False, False), (True, True, False)])
@pytest.mark.parametrize("choice", ["unwitnessed", "claim"])
def test_a_host_who_never_asks_for_a_link_is_told_to_who_was_there_all_the_while(
    here: bool, asks: bool, is_told: bool, choice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper, order = at_a_strike()
    boris = keeper.programs["Boris"]
    if here:
        boris.witness.known_to_its_end(boris.match)
    pending = keeper.propose(order)
    assert pending is not None
    keeper.gather(pending, absent=["Boris"])
    if asks:
        monkeypatch.setattr(boris.memory, "show", lambda *_, known: (_ for _ in ()).throw(OSError("no room")))  # so he shows nothing
        assert keeper.ask("Boris", pending) is None
    chooser = keeper.give_up_on("Boris", pending, choice).player
    told = f"{chooser} decided about your link ({choice}), for which the server never asked"
    assert words(boris) == ([told] if is_told else [])


@pytest.mark.parametrize("here", [False, True])
def test_time_that_runs_out_for_a_link_that_was_never_asked_for_is_told(here: bool) -> None:
    keeper, order = at_a_strike()
    boris = keeper.programs["Boris"]
    if here:
        boris.witness.known_to_its_end(boris.match)
    pending = keeper.propose(order)
    assert pending is not None
    keeper.act(Late("Boris", pending.k, 0))
    keeper.act(Flag("blue"))
    told = "the server let time run out for blue by your link, for which it never asked"
    assert words(boris) == [told if here else NOT_OUT]


def test_who_was_away_when_his_link_was_asked_for_is_told_nothing() -> None:
    keeper, order = at_a_strike()
    boris = keeper.programs["Boris"]
    boris.witness.known_to_its_end(boris.match)
    pending = keeper.propose(order)
    assert pending is not None
    keeper.gather(pending, absent=["Boris"])
    boris.witness.begin_anew()  # his line was down, and comes up
    keeper.give_up_on("Boris", pending, "unwitnessed")
    assert words(boris) == []


def test_a_host_who_says_that_a_link_never_came_is_told_to_its_owner() -> None:
    keeper, order = at_a_strike()
    pending = keeper.propose(order)
    assert pending is not None
    links = keeper.gather(pending)
    assert "Boris" in links
    chooser = keeper.give_up_on("Boris", pending, "unwitnessed").player
    entry = keeper.finish({name: link for name, link in links.items() if name != "Boris"})
    assert words(keeper.programs["Boris"]) == [f"{chooser} went on without your link, though you had shown it{IF_NOT_LOST}"]
    assert (entry.number, "not witnessed by Boris, as the others chose") in [
        (remark.entry, remark.text) for remark in keeper.report().remarks
    ]
