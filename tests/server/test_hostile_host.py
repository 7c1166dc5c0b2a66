"""A host who plays, and would bend the dice: he can't foresee them, and whatever else he tries another player's program finds out."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec
import pytest

from client.connection.fouls import Evidence, Foul
from client.connection.games import WITNESSED_FILE, Answered, Ready, Trouble, Up
from client.connection.identity import KnownServers
from client.connection.shown import Memory
from client.connection.witness import Witness
from core import protocol
from core.bots.random_bot import choose
from core.dice import Chain, Stream, step
from core.errors import BadInput
from core.events import Rolled
from core.gamefile import agreement
from core.identity import (
    Identity,
    act_then_message,
    ahead_message,
    chain_message,
    fallback_message,
    link_message,
    standing_message,
    undo_message,
    verify,
    waiting_message,
    with_turn,
)
from core.log import AnyAct, ChainPublished, Consent, Fallback, Flag, Late, Offer, Pause, Pending, Referee, Resign, Result, Rewind, Seat
from core.match import Match
from core.orders import Order, name_of
from core.pack import Pack
from core.signed import CROSSED, order_bytes
from core.table import VERSION
from core.terms import ClockTerms, DiceTerms, SeatTerms, Terms
from core.text import text
from core.witnesses import SERVER
from tests.server.conftest import Host, Player, of
from tests.server.tables import GAME, change_terms, duel
from tests.server.test_witnessed import NewPlayer, both, enter, play_to_strike, report_of, waits_for
from tests.toy.ruleset import End, toy_files
from tests.toy.witnessed import WAIT_MS, Program, key_of, seated
from tests.toy.witnessed import Host as Keeper

BORIS_STRIKES = 4  # a seed of `at_a_strike`


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.connection.witness.LINKS", 1000)
    monkeypatch.setattr("server.witness.LATE_S", 0.05)


def words(program: Program) -> list[str]:
    return [str(foul.text) for foul in program.fouls]


def at_a_strike(seed: int = 1) -> tuple[Keeper, Order]:
    """Return a game at a moment where a strike may be ordered; Anna hosts, Boris watches."""
    keeper = seated()
    return keeper, keeper.strike(random.Random(seed))


def another(keeper: Keeper, order: Order) -> Order:
    """Return another order for this moment that needs dice."""
    found = (choose(keeper.match.view, random.Random(seed)) for seed in range(500))
    return next(one for one in found if name_of(one) == "strike" and one != order)


def record_of(keeper: Keeper, order: Order, *, k: int = 0, signer: str = "") -> Pending:
    """Return the record of an order that the host may make up at this moment."""
    log, side = keeper.match.log, keeper.match.view.side_to_act()
    player, data = keeper.holder(side), keeper.match.codec.encode(order)
    signature = key_of(signer or player).sign(order_bytes(log, "duel", side, data))
    return Pending(side, player, data, log.head, k or log.k + 1, log.last_hash, signature)


# -------------------------------------------------------------------- foreseeing


def windows(data: bytes) -> Iterator[bytes]:
    return (data[at : at + 32] for at in range(len(data) - 31))


def test_bugs_of_peers_3_a_host_who_plays_can_not_compute_the_next_dice_from_all_his_files(
    host: Host, player: NewPlayer, tmp_path: Path
) -> None:
    """bugs-of-peers 3: nothing that the host or his own program keeps leads to the link that Boris shows next."""
    players, matches = both(player)
    giver, order_id = play_to_strike(players, matches, random.Random(1))
    players[giver].wait(lambda note: isinstance(note, Answered) and note.order_id == order_id)
    players["Anna"].until(lambda: matches["Anna"].log.k == 1)
    files = b"".join(file.read_bytes() for file in sorted(host.data.rglob("*")) if file.is_file())
    known = files + players["Anna"].games.file("w")
    candidates = set(windows(known))
    chains = {name: players[name].games._witnessing._games["w"].chain for name in players}
    # The control: what the server's chain lacks a host would find; his own seed and all shown links are among his files.
    assert host.service.rooms["w"].stored.seed in candidates
    assert chains["Boris"].link(1) in candidates
    for k in range(2, 12):
        assert chains["Boris"].link(k) not in candidates
    assert step(chains["Boris"].link(2)) == chains["Boris"].link(1)


def test_what_a_host_expects_without_the_others_link_is_not_what_comes() -> None:
    expected, came = [], []
    keeper, order = at_a_strike(3)
    chain = keeper.programs["Anna"].witness.chain
    for _ in range(12):
        record = record_of(keeper, order)
        last = next((e.links["Boris"][:32] for e in reversed(keeper.match.log.entries) if e.k), bytes(32))
        guess = {SERVER: keeper.chain.link(record.k), "Anna": chain.link(record.k), "Boris": last}
        expected.append(Stream(guess, game="duel", k=record.k, pending=record.digest()).roll(6))
        entry = keeper.order(order)
        came += [event.value for event in entry.events if isinstance(event, Rolled)][:1]
        keeper.rewind(entry.parent)
    assert len(came) == 12
    assert expected != came


# -------------------------------------------------------------------- swapping and rolling again


def test_an_order_that_was_swapped_after_a_link_was_seen_is_found_out_by_the_other_player_and_from_the_file() -> None:
    keeper, order = at_a_strike()
    pending = keeper.propose(order)
    assert pending is not None
    links = keeper.gather(pending)
    swapped = record_of(keeper, another(keeper, order), k=pending.k)
    dice = Stream({name: link[:32] for name, link in links.items()}, game="duel", k=swapped.k, pending=swapped.digest())
    decided = keeper.match._decide(swapped.side, keeper.match.codec.decode(swapped.order), dice)
    entry = keeper.match.log.seal(
        time_ms=0, side=swapped.side, player=swapped.player, order=swapped.order, events=decided.events, k=swapped.k, links=links,
        signature=swapped.signature, pending=swapped.before,
    )
    keeper.match.accept(entry, decided)
    boris = keeper.programs["Boris"]
    boris.witness.watch(boris.match, entry, live=True)
    assert "the server went past the order whose dice you had witnessed" in words(boris)
    assert any("is not signed for this order" in finding.text for finding in keeper.report().findings)


def test_a_second_record_of_the_same_number_gets_no_link() -> None:
    keeper, order = at_a_strike()
    first, second = record_of(keeper, order), record_of(keeper, another(keeper, order))
    assert keeper.ask("Boris", first) is not None
    assert keeper.ask("Boris", second) is None
    assert words(keeper.programs["Boris"]) == [
        "the server asks for the dice of number 1 again, for another order than you witnessed"
    ]
    assert keeper.ask("Boris", first) is not None  # the first one still, as after a restart of the server


def test_a_record_that_was_dropped_when_its_dice_displeased_is_missed() -> None:
    keeper, order = at_a_strike()
    assert keeper.ask("Boris", record_of(keeper, order)) is not None
    assert keeper.ask("Boris", record_of(keeper, order, k=2)) is None
    boris = keeper.programs["Boris"]
    assert words(boris) == ["the server asks for the dice of number 2, and 1 is the next"]
    keeper.order(End())  # instead, in Boris' sight
    assert words(boris)[1:] == ["the server went past the order whose dice you had witnessed"]
    assert keeper.ask("Boris", record_of(keeper, another_end(keeper))) is None
    assert words(boris)[2:] == ["no more dice are witnessed here: the server broke its word before"]


def test_a_chain_that_a_host_chose_when_he_knew_the_others_links_gives_no_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Anna, who hosts, knows Boris' link, sits down anew under another key, and publishes the chain that makes of it what she likes."""
    keeper, order = at_a_strike(BORIS_STRIKES)
    assert keeper.holder(keeper.match.view.side_to_act()) == "Boris"
    pending = keeper.propose(order)
    assert pending is not None
    links = keeper.gather(pending, absent=["Anna"])
    chain = chosen_chain(keeper, pending, links, wanted=1)
    other, message = Identity(b"another".ljust(32, b".")), chain_message("duel", agreement(keeper.head), chain.end, chain.links)
    keeper.act(Seat("red", ""), side="red", player="Anna")
    keeper.act(Seat("red", "Anna", key=other.key), side="red", player="Anna")
    keeper.act(ChainPublished("Anna", chain.end, chain.links), player="Anna", signature=other.sign(message))
    link = chain.link(pending.k)
    links["Anna"] = link + other.sign(link_message("duel", pending.k, pending.digest(), link))
    with pytest.raises(BadInput, match="a chain published since"):
        keeper.match.finish(links)
    monkeypatch.setattr(keeper.match, "check_links", lambda *_: None)  # her server minds nothing
    entry = keeper.finish(links)
    assert [event.value for event in entry.events if isinstance(event, Rolled)] == [1]
    assert any("a chain published since" in what for what in words(keeper.programs["Boris"]))
    found = ["Anna takes part in the dice since the order is said to have begun to wait"]
    assert [finding.text for finding in keeper.report().findings] == found


def chosen_chain(keeper: Keeper, pending: Pending, links: dict[str, bytes], *, wanted: int) -> Chain:
    """Return a chain of Anna's whose link makes a die show what she wants."""
    for number in range(1000):
        chain = Chain(number.to_bytes(32, "big"), links=pending.k)
        all_links = {**{name: link[:32] for name, link in links.items()}, "Anna": chain.link(pending.k)}
        if Stream(all_links, game="duel", k=pending.k, pending=pending.digest()).roll(6) == wanted:
            return chain
    raise AssertionError("no chain pleases")


def another_end(keeper: Keeper) -> Order:
    return choose(keeper.match.view, random.Random(1))


def test_a_program_that_starts_anew_remembers_what_it_witnessed(tmp_path: Path) -> None:
    keeper, order = at_a_strike()
    keeper.programs["Boris"].memory = Memory(tmp_path / "witnessed.sqlite")
    keeper.programs["Boris"].restart()
    keeper.programs["Boris"].hear(keeper.match.log.entries)
    first, second = record_of(keeper, order), record_of(keeper, another(keeper, order))
    shown = keeper.ask("Boris", first)
    keeper.programs["Boris"].memory.close()
    keeper.programs["Boris"].memory = Memory(tmp_path / "witnessed.sqlite")
    keeper.programs["Boris"].restart()
    keeper.programs["Boris"].hear(keeper.match.log.entries)
    assert keeper.ask("Boris", second) is None
    assert keeper.ask("Boris", first) == shown


def test_of_two_programs_of_one_player_that_are_asked_for_two_orders_only_one_shows_its_link(tmp_path: Path) -> None:
    keeper, order = at_a_strike()
    first, second = record_of(keeper, order), record_of(keeper, another(keeper, order))
    shown = []
    for record in (first, second):
        keeper.programs["Boris"] = Program("Boris", keeper.head, file=tmp_path / "witnessed.sqlite")
        keeper.programs["Boris"].hear(keeper.match.log.entries)
        shown.append(keeper.ask("Boris", record))
    assert shown[0] is not None
    assert shown[1] is None


def test_the_same_game_told_otherwise_on_another_server_gets_no_link_of_a_number_that_was_shown() -> None:
    keeper, order = at_a_strike()
    pending = keeper.propose(order)
    assert pending is not None
    shown = keeper.ask("Boris", pending)
    assert shown is not None
    elsewhere = seated()
    elsewhere.programs["Boris"] = keeper.programs["Boris"]
    keeper.programs["Boris"].restart()
    keeper.programs["Boris"].hear(elsewhere.match.log.entries)
    other = elsewhere.strike(random.Random(7))
    assert elsewhere.ask("Boris", record_of(elsewhere, other)) is None
    assert any("again, for another order" in text or "went past" in text for text in words(keeper.programs["Boris"]))


# -------------------------------------------------------------------- what gets no link


def test_what_does_not_follow_or_is_not_signed_gets_no_link() -> None:
    keeper, order = at_a_strike()
    good = record_of(keeper, order)
    boris, change = keeper.programs["Boris"], msgspec.structs.replace
    for record, why in (
        (change(good, parent=0), "does not follow"),
        (change(good, before=keeper.match.log.entries[0].hash), "does not follow"),
        (change(good, k=9), "1 is the next"),
        (change(good, player="Boris" if good.player == "Anna" else "Anna"), "does not play"),
        (change(good, signature=bytes(64)), "did not sign"),
        (change(good, order=keeper.match.codec.encode(another(keeper, order))), "did not sign"),
        (change(good, order=b""), "has begun"),
    ):
        boris.fouls.clear()
        assert keeper.ask("Boris", record) is None
        assert why in words(boris)[0]
    boris.fouls.clear()
    boris.witness.answer(boris.match, protocol.LinkWanted("duel", good, bytes(64)))
    assert words(boris) == ["the server asks for dice and does not sign for it"]
    assert boris.links() == []
    assert keeper.ask("Boris", good) is not None


def test_a_record_whose_past_is_not_known_yet_gets_its_link_when_it_is() -> None:
    keeper, order = at_a_strike()
    boris = keeper.programs["Boris"]
    boris.restart()
    record = record_of(keeper, order)
    assert keeper.ask("Boris", record) is None
    assert boris.fouls == []
    boris.hear(keeper.match.log.entries)
    assert [link.pending for link in boris.links()] == [record.digest()]


# -------------------------------------------------------------------- what a server writes down


def test_dice_that_the_links_do_not_lead_to_are_told_at_once() -> None:
    keeper, order = at_a_strike()
    pending = keeper.propose(order)
    assert pending is not None
    entry, _ = keeper.match.finish(keeper.gather(pending))
    loaded = tuple(Rolled(e.purpose, e.faces, 7 - e.value) if isinstance(e, Rolled) else e for e in entry.events)
    bare = msgspec.structs.replace(entry, events=loaded)
    boris = keeper.programs["Boris"]
    boris.witness.watch(boris.match, msgspec.structs.replace(bare, hash=bare.digest()), live=True)
    assert words(boris) == [f"entry {entry.number} is not what its order and dice lead to"]


def hears(one: Player, game: str, *frames: protocol.Frame) -> list[str]:
    """Let a client that follows a game hear frames as if they came from its server; return what it finds wrong with them."""
    one.games.follow(game)
    one.games._find_pack = lambda digest: Pack(dict(toy_files()))
    with one.games.reading():
        one.notes.clear()
        for frame in frames:
            one.games.happen(frame)
        return [str(note.text) for note in one.notes if isinstance(note, Foul | Trouble)]


@pytest.mark.parametrize("opens_again", [False, True])
def test_loaded_dice_are_told_also_where_the_game_is_said_to_have_been_so_far_already(
    host: Host, player: NewPlayer, opens_again: bool
) -> None:
    keeper, order = at_a_strike()
    before, pack = tuple(keeper.match.log.entries), Pack(dict(toy_files())).digest
    entry = keeper.order(order)
    loaded = tuple(Rolled(e.purpose, e.faces, 7 - e.value) if isinstance(e, Rolled) else e for e in entry.events)
    bare = msgspec.structs.replace(entry, events=loaded)
    opened = protocol.Opened("duel", keeper.head, pack, len(before) - 1)
    again = [msgspec.structs.replace(opened, last=entry.number)] * opens_again
    new = protocol.NewEntries("duel", (msgspec.structs.replace(bare, hash=bare.digest()),))
    told = hears(player("Carla"), "duel", opened, protocol.NewEntries("duel", before), *again, new)
    assert told == [f"entry {entry.number} is not what its order and dice lead to"]


def test_another_game_than_was_asked_for_is_not_opened_under_its_id(host: Host, player: NewPlayer) -> None:
    """What its player signed there would hold for that other game."""
    keeper, _ = at_a_strike()
    carla = player("Carla")
    told = hears(carla, "casual", protocol.Opened("casual", keeper.head, Pack(dict(toy_files())).digest, 5))
    assert (carla.games.match("casual"), told) == (None, ["casual: head: game: expected the game that was asked for, got duel"])


def test_an_unsigned_order_a_seat_under_another_key_and_a_forged_choice_are_told() -> None:
    keeper, _ = at_a_strike()
    boris = keeper.programs["Boris"]
    keeper.act(Seat("blue", ""), player="Boris", signature=key_of("Eve").sign(b"left, for no side"))
    keeper.act(Seat("blue", "Boris", key=key_of("Boris").key), side="blue", player="Boris")
    keeper.act(Resign("blue"), side="blue", player="Boris", signature=key_of("Eve").sign(b"resign"))
    keeper.act(Seat("blue", "Boris", key=key_of("Eve").key), side="blue", player="Boris")
    message = fallback_message("duel", 1, bytes(32), "Boris", "unwitnessed")
    keeper.act(Fallback("Boris", 1, "unwitnessed", bytes(32)), side="red", player="Anna", signature=key_of("Eve").sign(message))
    assert words(boris) == [
        "the server wrote down what Boris did not sign: Seat", "the server wrote down what Boris did not sign: Resign",
        "the server seated somebody under your name with another key", "the server wrote down a choice that Anna did not sign",
    ]


@pytest.mark.parametrize(("act", "side"), [
    (Offer("draw"), "blue"), (Pause(on=False), "blue"), (Seat("blue", ""), "blue"),
], ids=["offered a draw", "let the game go on", "left his seat"])
def test_what_somebody_once_did_is_not_written_down_again_when_it_suits_the_host(act: AnyAct, side: str) -> None:
    keeper, _ = at_a_strike()
    boris = keeper.programs["Boris"]
    once = keeper.act(act, side=side, player="Boris")
    if isinstance(act, Seat):
        keeper.act(Seat("blue", "Boris", key=key_of("Boris").key), side="blue", player="Boris")
    assert words(boris) == []
    for _ in range(2):
        keeper.act(Referee(text("meanwhile")), player="Rita")
    assert words(boris) == []
    again = keeper.act(act, side=side, player="Boris", signature=once.signature)
    assert words(boris) == [f"the server wrote down what Boris did not sign: {type(act).__name__}"]
    assert (again.number, f"Boris did not sign this: {type(act).__name__}") in [(one.entry, one.text) for one in keeper.report().findings]


def test_an_act_that_others_crossed_holds_and_one_from_long_ago_does_not() -> None:
    for between, found in ((CROSSED - 1, []), (CROSSED, ["the server wrote down what Boris did not sign: Offer"])):
        keeper, _ = at_a_strike()
        signature = key_of("Boris").sign(act_then_message("duel", keeper.match.log.last_hash, "blue", Offer("draw")))
        for _ in range(between):
            keeper.act(Referee(text("meanwhile")), player="Rita")
        keeper.act(Offer("draw"), side="blue", player="Boris", signature=signature)
        assert words(keeper.programs["Boris"]) == found


@pytest.mark.parametrize(("decision", "upto", "is_his"), [
    ("Act", -1, True), ("Act", 2, True), ("Act", 1, False), ("Pay", -1, False), ("", -1, False),
], ids=["always", "up to this turn", "up to the last turn", "to another question", "as it was signed before"])
def test_an_answer_given_ahead_is_for_one_question_and_up_to_a_turn(decision: str, upto: int, is_his: bool) -> None:
    """A host who keeps what was taken back could else give Boris' answer wherever the same order is allowed."""
    keeper, rng = seated(), random.Random(1)
    while keeper.match.awaited() != ("Act", 2) or keeper.match.view.side_to_act() != "blue":
        keeper.order(choose(keeper.match.view, rng))
    order = next(one for one in (choose(keeper.match.view, random.Random(seed)) for seed in range(500)) if name_of(one) != "strike")
    began, data = keeper.match.hash_of(0), keeper.match.codec.encode(order)
    message = ahead_message("duel", began, "blue", decision, upto, data) if decision else standing_message("duel", began, "blue", data)
    signature = key_of("Boris").sign(message)
    found = keeper.match.propose("blue", order, player="Boris", signature=with_turn(signature, upto) if decision else signature)
    assert not isinstance(found, Pending)
    keeper.match.accept(*found)
    keeper.tell(found[0])
    assert words(keeper.programs["Boris"]) == ([] if is_his else ["the server wrote down an order that Boris did not sign"])
    assert [one.text for one in keeper.report().findings] == ([] if is_his else ["the order is not signed by the key of Boris"])


def kept_back(version: int, what: str) -> Keeper:
    """Return a game in which the host wrote down what Boris did at a strike only when its dice were known."""
    keeper = seated(table=version)
    order = keeper.strike(random.Random(BORIS_STRIKES if what == "draw" else 1))  # his own offer stands while he plays on
    offered = keeper.act(Offer("draw"), side="red", player="Anna").number if what == "yes" else -1
    act = {"draw": Offer("draw"), "rewind": Offer("rewind", 0), "yes": Consent(offered, True), "left": Seat("blue", ""),
           "resigned": Resign("blue")}[what]
    signature = key_of("Boris").sign(act_then_message("duel", keeper.match.log.last_hash, "blue", act))
    keeper.order(order)
    keeper.act(act, side="blue", player="Boris", signature=signature)
    return keeper


@pytest.mark.parametrize("what", ["draw", "rewind", "yes", "left", "resigned"])
def test_what_a_host_keeps_back_until_the_dice_are_known_holds_no_more(what: str) -> None:
    """Boris offers to go back, the host waits for the dice of her order, and accepts if they are bad."""
    keeper = kept_back(VERSION, what)
    kind = type(keeper.match.log.entries[-1].act).__name__
    assert words(keeper.programs["Boris"]) == [f"the server wrote down what Boris did not sign: {kind}"]
    assert f"Boris did not sign this: {kind}" in [finding.text for finding in keeper.report().findings]


@pytest.mark.parametrize("what", ["draw", "rewind", "left", "resigned"])
def test_in_a_game_from_before_what_was_signed_holds_also_after_an_order(what: str) -> None:
    keeper = kept_back(3, what)
    assert words(keeper.programs["Boris"]) == []
    assert keeper.report().holds


@pytest.mark.parametrize("act", [
    Seat("blue", ""), Seat("blue", "Boris", key=key_of("Boris's new machine").key), Seat("blue", "Clara", key=key_of("Clara").key),
], ids=["left", "came back under another key", "gave his seat to another"])
def test_an_order_that_waits_is_its_givers_whatever_becomes_of_his_seat_meanwhile(act: Seat) -> None:
    keeper, order = at_a_strike(BORIS_STRIKES)
    assert keeper.holder(keeper.match.view.side_to_act()) == "Boris"
    pending = keeper.propose(order)
    assert pending is not None
    links = {SERVER: keeper.chain.link(pending.k), "Boris": shown(keeper, "Boris", pending)}
    keeper.act(act, side="blue", player="Boris")  # before Anna's program is asked
    links["Anna"] = shown(keeper, "Anna", pending)
    assert keeper.file().pending == pending
    assert keeper.report().holds
    if act.player == "Boris":  # nobody knows that the link of his old key is his
        del links["Boris"]
        keeper.give_up_on("Boris", pending, "unwitnessed")
    keeper.finish(links)
    assert words(keeper.programs["Anna"]) == []
    assert keeper.report().holds


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
    keeper.act(Seat("blue", ""), side="blue", player="Tom")
    keeper.act(Seat("blue", ""), side="blue", player="Tom")
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
    keeper.act(Seat("blue", "Clara", key=key_of("Clara").key), side="blue", player="Clara")
    forged = msgspec.structs.replace(record, player="Clara")
    assert keeper.ask("Anna", forged) is None
    assert words(keeper.programs["Anna"]) == ["the server asks for the dice of Clara, who does not play blue"]


def shown(keeper: Keeper, name: str, pending: Pending) -> bytes:
    """Return the link that a player's program shows, with its signature."""
    found = keeper.ask(name, pending)
    assert found is not None, words(keeper.programs[name])
    return found.link + found.signature


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


def free_undo(keeper: Keeper) -> tuple[str, str, int]:
    """Let whose turn it is move without dice; return his side, his name, and the entry that he may go back to."""
    match = keeper.match
    side, to = match.view.side_to_act(), match.log.head
    moves = (choose(match.view, random.Random(seed)) for seed in range(500))
    keeper.order(next(one for one in moves if name_of(one) == "go"))
    return side, keeper.holder(side), to


def test_a_way_back_that_its_player_signed_is_taken_and_a_forged_one_is_told_at_once() -> None:
    keeper, _ = at_a_strike()
    side, name, to = free_undo(keeper)
    log, boris = keeper.match.log, keeper.programs["Boris"]
    keeper.act(Rewind(to), side=side, player=name, signature=key_of(name).sign(
        undo_message("duel", side, log.moved_at, log.entries[log.moved_at].hash, to)
    ))
    assert words(boris) == []
    side, name, to = free_undo(keeper)
    keeper.act(Rewind(to), side=side, player=name, signature=key_of("Eve").sign(b"back"))
    assert words(boris) == [f"the server wrote down that {name} went back to entry {to}, who did not sign it"]


def test_going_back_over_dice_that_nobody_agreed_to_is_told_at_once() -> None:
    keeper, order = at_a_strike()
    to, side = keeper.match.log.head, keeper.match.view.side_to_act()
    keeper.order(order)
    keeper.act(Rewind(to), side=side, player=keeper.holder(side))
    assert words(keeper.programs["Boris"]) == [f"the server went back to entry {to}, and nobody was asked"]


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


def test_a_referee_and_who_left_himself_decide_while_an_order_waits() -> None:
    keeper, order = at_a_strike()
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
    keeper = Keeper(seats=(SeatTerms("red", ""), SeatTerms("blue", ""), SeatTerms("blue", "second")))
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
    told = "the server let time run out for blue while an order waited, though you had shown your link"
    assert words(boris) == ([told] if is_told else [])
    assert "Boris" in keeper.gather(pending)  # it may have been lost on its way: he witnesses on


def test_a_host_who_claims_the_game_for_a_link_that_came_is_told_to_its_owner() -> None:
    keeper, order = at_a_strike()
    pending = keeper.propose(order)
    assert pending is not None
    assert "Boris" in keeper.gather(pending)
    chooser = keeper.give_up_on("Boris", pending, "claim").player
    assert words(keeper.programs["Boris"]) == [f"{chooser} claimed the game for want of your link, though you had shown it"]


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
    assert words(keeper.programs["Boris"]) == [f"{chooser} {did} your link, though you had shown it"]


def test_a_choice_about_a_number_that_is_not_the_next_is_told() -> None:
    keeper, order = at_a_strike()
    keeper.give_up_on("Boris", record_of(keeper, order, k=2), "claim")
    assert words(keeper.programs["Boris"]) == ["the server wrote down a choice about link 2 of Boris, and 1 is the next number"]
    assert "there was nothing to choose about link 2 of Boris" in [finding.text for finding in keeper.report().findings]


@pytest.mark.parametrize(("here", "asks", "is_told"), [(True, False, True), (False, False, False), (True, True, False)])
@pytest.mark.parametrize("choice", ["unwitnessed", "claim"])
def test_a_host_who_never_asks_for_a_link_is_told_to_who_was_there_all_the_while(
    here: bool, asks: bool, is_told: bool, choice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper, order = at_a_strike()
    boris = keeper.programs["Boris"]
    if here:
        boris.witness.is_ready()
    pending = keeper.propose(order)
    assert pending is not None
    keeper.gather(pending, absent=["Boris"])
    if asks:
        monkeypatch.setattr(boris.memory, "show", lambda *_: (_ for _ in ()).throw(OSError("no room")))  # so he shows nothing
        assert keeper.ask("Boris", pending) is None
    chooser = keeper.give_up_on("Boris", pending, choice).player
    told = f"{chooser} decided about your link ({choice}), for which the server never asked"
    assert words(boris) == ([told] if is_told else [])


def owned(by: str) -> Keeper:
    """Return a game at its start that belongs to a player, on Anna's server."""
    return seated(terms=Terms(owner=by, dice=DiceTerms("witnessed", WAIT_MS)))


def test_what_a_games_owner_decides_is_signed_by_him() -> None:
    """Boris made the game on Anna's server; when its dice displease her, "Boris" ends it."""
    keeper = owned("Boris")
    keeper.order(keeper.strike(random.Random(1)))
    keeper.act(Seat("red", ""), side="red", player="Anna")
    keeper.act(Seat("red", ""), player="Boris")
    assert words(keeper.programs["Boris"]) == []
    keeper.act(Result("", "enough"), player="Boris", signature=bytes(64))
    assert words(keeper.programs["Boris"]) == ["the server wrote down what Boris did not sign: Result"]
    assert "Boris did not sign this: Result" in [finding.text for finding in keeper.report().findings]


@pytest.mark.parametrize("lets", [False, True], ids=["keeps her seat", "lets others have it"])
def test_who_has_played_is_no_referee_of_the_game(lets: bool) -> None:
    keeper = owned("Boris")
    entry = keeper.order(keeper.strike(random.Random(1)))
    for _ in range(1 + lets):
        keeper.act(Seat("red", ""), side="red", player="Anna")
    assert words(keeper.programs["Boris"]) == []
    to = keeper.match.log.entries[entry.number].parent
    keeper.act(Rewind(to), player="Anna")
    assert words(keeper.programs["Boris"]) == [f"the server went back to entry {to}, and nobody was asked"]
    keeper.act(Result("red", "it was late"), player="Anna")
    words_of_rules = "the server wrote down what Anna could not do: only a referee may end the game with a result"
    assert words(keeper.programs["Boris"])[1:] == [words_of_rules]
    assert [finding.kind for finding in keeper.report().findings] == ["table", "table"]


def test_what_the_rules_of_the_table_refuse_is_told() -> None:
    keeper = owned("Boris")
    keeper.order(keeper.strike(random.Random(1)))
    keeper.act(Offer("rewind", keeper.match.log.head), side="red", player="Anna")
    told = f"the server wrote down what Anna could not do: the game stands at entry {keeper.match.log.head}"
    assert words(keeper.programs["Boris"]) == [told]


@pytest.mark.parametrize("here", [False, True])
def test_time_that_runs_out_for_a_link_that_was_never_asked_for_is_told(here: bool) -> None:
    keeper, order = at_a_strike()
    boris = keeper.programs["Boris"]
    if here:
        boris.witness.is_ready()
    pending = keeper.propose(order)
    assert pending is not None
    keeper.act(Late("Boris", pending.k, 2_000))
    keeper.act(Flag("blue"))
    told = "the server let time run out for blue by your link, for which it never asked"
    assert words(boris) == ([told] if here else [])


def test_who_was_away_when_his_link_was_asked_for_is_told_nothing() -> None:
    keeper, order = at_a_strike()
    boris = keeper.programs["Boris"]
    boris.witness.is_ready()
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
    assert words(keeper.programs["Boris"]) == [f"{chooser} went on without your link, though you had shown it"]
    assert (entry.number, "not witnessed by Boris, as the others chose") in [
        (remark.entry, remark.text) for remark in keeper.report().remarks
    ]


# -------------------------------------------------------------------- over real sockets


def remembering(player: NewPlayer, folder: Path) -> Player:
    """Return Boris with a memory on disk."""
    return player("Boris", known=KnownServers(folder / "boris" / "servers.json"))


def evidence_of(foul: Foul) -> Evidence:
    return msgspec.msgpack.decode(Path(foul.evidence).read_bytes(), type=Evidence)


def with_boris(player: NewPlayer, folder: Path) -> tuple[dict[str, Player], dict[str, Match]]:
    def new(name: str) -> Player:
        return player(name) if name == "Anna" else remembering(player, folder)

    return both(new)


def links_here(host: Host) -> set[str]:
    """Return whose links have come for the order that waits."""
    gathering = host.service.rooms["w"].gathering
    return set() if gathering is None else set(gathering.shown)


def test_an_order_that_the_host_refuses_after_he_saw_its_dice_is_told_and_the_evidence_kept(
    host: Host, player: NewPlayer, tmp_path: Path
) -> None:
    players, matches = with_boris(player, tmp_path)
    boris, room = players["Boris"], host.service.rooms["w"]
    with no_links_of("Anna"):
        play_to_strike(players, matches, random.Random(1))
        boris.until(lambda: waits_for("Anna", matches["Boris"]) and links_here(host) == {"Boris"})
        refused = room.gathering
        assert refused is not None
        room.gathering, room.match.log.pending = None, None   # he has seen Boris' link, and likes the dice not
        side = room.match.view.side_to_act()
        players[{"red": "Anna", "blue": "Boris"}[side]].games.give("w", side, End())
        foul = boris.wait(lambda note: isinstance(note, Foul))
    assert isinstance(foul, Foul)
    assert "went past the order" in str(foul.text)
    kept = evidence_of(foul)
    assert kept.shown is not None
    assert kept.shown.pending == refused.pending
    message = waiting_message("w", refused.pending.k, refused.digest)
    assert verify(kept.head.keeper.key, message, kept.shown.signature)   # the server's own word, for anybody to check


@contextmanager
def no_links_of(name: str) -> Iterator[None]:
    """Let a player's program, though it follows the game, show nothing."""
    honest: Callable[[Witness, Match, protocol.LinkWanted], None] = Witness.answer
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Witness, "answer", lambda self, *asked: None if self.name == name else honest(self, *asked))
        yield


def test_a_host_who_strikes_the_record_out_of_his_store_gets_no_other_dice(host: Host, player: NewPlayer, tmp_path: Path) -> None:
    players, matches = with_boris(player, tmp_path)
    anna, boris = players["Anna"], players["Boris"]
    with no_links_of("Anna"):
        play_to_strike(players, matches, random.Random(1))
        boris.until(lambda: waits_for("Anna", matches["Boris"]) and links_here(host) == {"Boris"})
        record = host.service.rooms["w"].gathering
        assert record is not None
        assert record.shown.keys() == {"Boris"}
        anna.games.close()   # his own program asks no more for the old order
        host.stop()
    with closing(sqlite3.connect(host.data / "games.sqlite")) as store, store:
        (trigger,) = store.execute("SELECT sql FROM sqlite_schema WHERE name = 'pending_delete'").fetchone()
        store.execute("DROP TRIGGER pending_delete")
        store.execute("DELETE FROM pending")
        store.execute(trigger)
    host.start(host.address)
    again = player("Anna")
    again.wait(lambda note: isinstance(note, Up))
    again.games.follow("w")
    again.wait(lambda note: isinstance(note, Ready))
    match = again.games.match("w")
    assert match is not None
    side, giver = match.view.side_to_act(), {"Anna": again, "Boris": boris}[record.pending.player]
    strikes = (choose(match.view, random.Random(seed)) for seed in range(500))
    other = next(one for one in strikes if name_of(one) == "strike" and match.codec.encode(one) != record.pending.order)
    giver.games.give("w", side, other)
    foul = boris.wait(lambda note: isinstance(note, Foul))
    assert "again, for another order than you witnessed" in str(foul)
    assert "Boris" in host.service.rooms["w"].missing()


def test_a_host_who_changes_the_terms_of_a_game_is_told_to_whoever_knew_them_and_to_whoever_comes_anew(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, boris = player("Anna"), player("Boris")
    match, _ = duel(anna, boris, Terms(clock=ClockTerms("absolute", 3_600_000)))
    boris.until(lambda: len(boris.games.match(GAME).log) == len(match.log))  # type: ignore[union-attr]
    anna.games.close()
    host.stop()
    change_terms(host, Terms(clock=ClockTerms("absolute", 3_600_000, on_flag="show")))
    monkeypatch.setattr("server.rooms.began_so", lambda first, head: True)  # an honest server would not serve it
    host.start(host.address)
    boris.wait(lambda note: isinstance(note, Trouble) and "another than it was" in str(note))
    carla = player("Carla")
    carla.wait(lambda note: isinstance(note, Up))
    carla.games.follow(GAME)
    carla.wait(lambda note: isinstance(note, Trouble) and "other terms" in str(note))


def test_a_host_whose_own_program_goes_away_waits_for_the_other_players_choice(host: Host, player: NewPlayer) -> None:
    players, matches = both(player, wait_ms=0)
    anna, boris = players["Anna"], players["Boris"]
    with no_links_of("Anna"):
        play_to_strike(players, matches, random.Random(1))
        boris.until(lambda: matches["Boris"].witnesses.late_for(1) == {"Anna"})
        pending = host.service.rooms["w"].gathering
        assert pending is not None
        message = fallback_message("w", 1, pending.digest, "Anna", "unwitnessed")
        own = protocol.ChooseFallback("w", "red", "Anna", 1, pending.digest, "unwitnessed", of("Anna").sign(message))
        anna.games.send(own)
        assert "only another side" in str(anna.wait(lambda note: isinstance(note, Answered) and note.refused is not None))
        assert host.service.rooms["w"].missing() == ["Anna"]
        boris.games.choose("w", "Anna", "unwitnessed")
        boris.until(lambda: matches["Boris"].log.k == 1)
    assert report_of(boris).holds


# -------------------------------------------------------------------- one's own disk


def test_a_program_that_can_not_remember_what_it_shows_shows_nothing(tmp_path: Path) -> None:
    keeper, order = at_a_strike()
    boris = keeper.programs["Boris"]
    boris.memory = Memory(tmp_path / "witnessed.sqlite")
    boris.restart()
    boris.hear(keeper.match.log.entries)
    boris.memory._store.execute("PRAGMA query_only = 1")
    record = record_of(keeper, order)
    assert keeper.ask("Boris", record) is None
    assert "readonly" in boris.troubles[0]
    assert boris.fouls == []
    boris.memory._store.execute("PRAGMA query_only = 0")
    assert keeper.ask("Boris", record) is not None


def test_a_damaged_memory_is_told_and_the_line_goes_on(host: Host, player: NewPlayer, tmp_path: Path) -> None:
    (tmp_path / "boris").mkdir()
    (tmp_path / "boris" / WITNESSED_FILE).write_bytes(b"nothing of ours" * 1000)
    boris = remembering(player, tmp_path)
    enter(boris)
    assert WITNESSED_FILE in str(boris.wait(lambda note: isinstance(note, Trouble)))
    boris.games.send(protocol.ListGames())
    boris.wait(lambda note: isinstance(note, protocol.Games))
