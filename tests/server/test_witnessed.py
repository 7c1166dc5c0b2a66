"""Witnessed dice over real sockets: played to the end, with a player away, with a server that dies, with hostile players."""

from __future__ import annotations

import asyncio
import errno
import random
import threading
from collections.abc import Callable
from concurrent.futures import Future

import pytest

from client.connection import table
from client.connection.bot_player import BotPlayer
from client.connection.games import Up
from client.connection.notes import Answered, Ready, Trouble
from client.connection.witness import Witness
from core import bots, protocol
from core.bots.random_bot import choose
from core.dice import Chain, parted
from core.gamefile import read
from core.identity import act_then_message, ahead_message, link_message
from core.log import ChainPublished, Offer, Pending, Resign, Result, Rewind, Seat
from core.orders import name_of
from core.terms import SeatTerms
from core.trials.verify import Report, verify
from server import archive
from server.rooms import Room
from server.store.sqlite import SqliteStore
from tests.server.conftest import Host, Player, of, toy
from tests.server.tables import Withheld, answer_to
from tests.server.witnessed import (
    SIDES,
    NewPlayer,
    _short,
    a_strike,
    acts,
    both,
    enter,
    fouls,
    play_to_strike,
    report_of,
    terms,
    waits_for,
    without_boris,
)
from tests.toy.ruleset import End

__all__ = ["_short"]


def played_by_bots(host: Host, game: str) -> Report:
    """Let two bots play a game to its end; return what its file says."""
    create = protocol.CreateGame(game, "toy", "duel", terms=terms())
    players = [
        BotPlayer(bots.load("random"), seed=name, game=game, side=side, create=create if side == "red" else None)
        for side, name in SIDES.items()
    ]
    try:
        for one, name in zip(players, SIDES.values(), strict=True):
            one.start(host.address, name, identity=of(name))
        for one in players:
            assert one.wait(30)
        return verify(read(players[0].games.file(game)), load=toy)
    finally:
        for one in players:
            one.close()


def test_two_bots_play_a_witnessed_game_to_its_end_and_its_file_proves_every_die(host: Host) -> None:
    report = played_by_bots(host, "bots")
    assert (report.holds, report.remarks) == (True, ()), report
    assert report.rolls > 0
    assert report.signed == report.orders - 1


def test_a_server_whose_dice_chain_is_used_up_goes_on_with_another(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The order that wanted dice then waited for ever, and nobody could take the game up again."""
    monkeypatch.setattr("server.rooms.LINKS", 1)
    monkeypatch.setattr("server.chains.LINKS", 1)
    players, matches = both(player)
    rng = random.Random(1)
    for _ in range(2):
        giver, order_id = play_to_strike(players, matches, rng)
        answer = players[giver].wait(lambda note, wanted=order_id: isinstance(note, Answered) and note.order_id == wanted)
        assert isinstance(answer, Answered)
        assert answer.refused is None, answer
    report = report_of(players[giver])
    assert report.holds, report.findings
    assert report.rolls == 2
    assert [remark.text for remark in report.remarks] == ["the server's dice chain was used up; its dice come from a new one"]
    assert not fouls(*players.values())


def test_a_program_goes_on_with_the_chain_that_it_published_however_long_new_ones_are(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs of an earlier version made chains of 20,000 links."""
    players, _ = both(player)
    players["Boris"].games.close()
    monkeypatch.setattr("client.connection.witness.LINKS", 3_000)
    players["Boris"] = player("Boris")
    players["Boris"].wait(lambda note: isinstance(note, Up))
    players["Boris"].games.follow("w")
    players["Boris"].wait(lambda note: isinstance(note, Ready))
    matches = {name: one.games.match("w") for name, one in players.items()}
    giver, order_id = play_to_strike(players, matches, random.Random(1))  # type: ignore[arg-type]
    answer = players[giver].wait(lambda note: isinstance(note, Answered) and note.order_id == order_id)
    assert isinstance(answer, Answered)
    assert answer.refused is None
    assert report_of(players["Boris"]).holds
    assert not fouls(*players.values())


def line(one: Player) -> protocol.GameLine:
    """Return what the list says of the game now."""

    def lists() -> list[protocol.Games]:
        return [note for note in one.notes if isinstance(note, protocol.Games)]

    before = len(lists())
    one.games.send(protocol.ListGames())
    one.until(lambda: len(lists()) > before)
    return lists()[-1].games[0]


def test_an_order_with_dice_waits_for_a_player_who_is_away_and_goes_on_when_he_is_back(host: Host, player: NewPlayer) -> None:
    anna, _, order_id = without_boris(player)
    assert not any(isinstance(note, Answered) and note.order_id == order_id for note in anna.notes)
    assert line(anna).dice == ("Boris",), "whoever chooses a game reads for whom it waits"
    back = player("Boris")
    back.wait(lambda note: isinstance(note, Up))
    back.games.follow("w")
    answer = anna.wait(lambda note: isinstance(note, Answered) and note.order_id == order_id)
    assert isinstance(answer, Answered)
    assert answer.refused is None
    assert report_of(anna).holds
    assert fouls(anna, back) == []
    assert line(anna).dice == ()


def test_no_answer_tells_who_looks_on_how_many_dice_have_fallen(host: Host, player: NewPlayer) -> None:
    """He may be shown the game later. To a link of a spent number nothing was said, to one of a later number which was the last."""
    players, matches = both(player)
    giver, order_id = play_to_strike(players, matches, random.Random(1))
    players[giver].wait(lambda note: isinstance(note, Answered) and note.order_id == order_id)
    carla = player("Carla")
    carla.wait(lambda note: isinstance(note, Up))
    said = []
    for k in (0, 1, 2, 9):
        carla.games.send(protocol.ShowLink("w", k, bytes(32), bytes(32), bytes(64)))
        said.append(str(carla.wait(lambda note: isinstance(note, Answered | Trouble)).refused))  # type: ignore[union-attr]
    assert set(said) == {"no link of Carla is asked for"}


def test_the_server_signs_what_a_referee_does(host: Host, player: NewPlayer) -> None:
    players, matches = both(player)
    anna, rita = players["Anna"], player("Rita", of("Owner"))
    answer_to(anna, anna.games.give("w", "red", End()))
    enter(rita)
    answer_to(rita, table.do(rita.games, "w", "", Result("red", "enough")))
    anna.until(lambda: matches["Anna"].outcome is not None)
    report = report_of(anna)
    assert (report.findings, [remark.text for remark in report.remarks]) == ((), [
        "Rita acted as referee: Result", "the server alone signed what the file ends with, from here on: Result",
    ])


def test_a_game_whose_order_waits_for_links_stays_in_memory_with_those_that_came(host: Host, player: NewPlayer) -> None:
    """They are written down with the order: whoever has shown his might be gone when it is asked for again."""
    players, matches = both(player)
    service, anna = host.service, players["Anna"]
    Withheld(players["Boris"], "w").is_held = True
    play_to_strike(players, matches, random.Random(1))
    anna.until(lambda: waits_for("Boris", matches["Anna"]))
    for one in players.values():
        one.games.unfollow("w")
    anna.until(lambda: not service.sessions.followers("w"))

    async def left_alone() -> Room:
        room = service.rooms["w"]
        await service.tending.looked_after("w")
        service.tending.put_away_if_idle(room)
        return room

    room = asyncio.run_coroutine_threadsafe(left_alone(), host._loop).result(10)
    assert service.rooms.loaded["w"] is room
    assert room.gathering is not None
    assert set(room.gathering.shown) == {"Anna"}


def test_an_answer_given_ahead_gets_its_dice_from_all_who_witness(host: Host, player: NewPlayer) -> None:
    players, matches = both(player)
    boris, match = players["Boris"], matches["Boris"]
    players["Anna"].games.give("w", "red", End())
    boris.until(lambda: match.view.side_to_act() == "blue")
    strike = next(one for seed in range(500) if name_of(one := choose(match.view, random.Random(seed))) == "strike")
    table.answer_ahead(boris.games, "w", "blue", "Act", strike)
    boris.until(lambda: match.log.k == 1)
    entry = next(entry for entry in match.log.entries if entry.k)
    assert (set(entry.links), match.codec.decode(entry.order)) == ({"Anna", "Boris", "server"}, strike)
    report = report_of(boris)
    assert report.holds, report.findings
    assert fouls(*players.values()) == []


def test_an_answer_given_ahead_keeps_until_all_who_witness_are_there(host: Host, player: NewPlayer) -> None:
    """It was dropped: who left his seat just after his order took the other side's answer from it."""
    players, matches = both(player)
    anna, boris, match = players["Anna"], players["Boris"], matches["Boris"]
    answer_to(anna, anna.games.give("w", "red", End()))
    anna.games.send(protocol.LeaveSeat("w", "red"))
    boris.until(lambda: not match.witnesses.players_of("red") and match.view.side_to_act() == "blue")
    answer_to(boris, table.answer_ahead(boris.games, "w", "blue", "Act", End()))
    told = boris.wait(lambda note: isinstance(note, protocol.Answers))
    assert isinstance(told, protocol.Answers)
    assert [answer.decision for answer in told.answers] == ["Act"]
    anna.games.send(protocol.TakeSeat("w", "red"))
    boris.until(lambda: match.view.side_to_act() == "red")
    assert match.log.entries[match.log.head].player == "Boris"
    assert not any(note.dropped for note in boris.notes if isinstance(note, protocol.Answers))


def test_whose_program_publishes_no_chain_beside_who_leads_his_side_keeps_nobody_waiting(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody sat down at a further seat of a side, and the game stood still on that side's clock."""
    owes = Witness.owes_chain
    monkeypatch.setattr(Witness, "owes_chain", lambda self, match: self.name != "Dora" and owes(self, match))
    players, matches = both(player, seats=(SeatTerms("red"), SeatTerms("blue"), SeatTerms("blue", "second")))
    anna, boris, dora = *players.values(), player("Dora")
    match = enter(dora)
    dora.games.send(protocol.TakeSeat("w", "blue", "second"))
    boris.until(lambda: "Dora" in matches["Boris"].witnesses.seated)
    answer_to(anna, anna.games.give("w", "red", End()))
    dora.until(lambda: match.view.side_to_act() == "blue")
    assert answer_to(dora, dora.games.give("w", "blue", End())).refused is None
    anna.until(lambda: matches["Anna"].view.side_to_act() == "red")
    assert matches["Anna"].log.entries[matches["Anna"].log.head].player == "Dora"
    report = report_of(anna)
    assert report.holds, report.findings
    assert fouls(anna, boris, dora) == []


def test_an_act_that_crosses_an_order_is_refused_and_may_be_done_again(player: NewPlayer) -> None:
    players, matches = both(player)
    boris, match = players["Boris"], matches["Boris"]
    crossed = act_then_message("w", match.log.last_hash, "blue", Offer("draw"))
    players["Anna"].games.give("w", "red", End())
    boris.until(lambda: match.view.side_to_act() == "blue")
    assert boris.games.line is not None
    boris.games.line.send(protocol.DoAct("w", "blue", "crossed", Offer("draw"), boris.games.sign(crossed)))
    assert str(answer_to(boris, "crossed").refused) == "the game has moved meanwhile; if you still mean it, do it again"
    assert answer_to(boris, table.do(boris.games, "w", "blue", Offer("draw"))).refused is None
    assert report_of(boris).holds


def test_while_an_order_waits_nobody_sits_down_and_whoever_has_publishes_when_it_is_decided(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a host could say of any order that it began to wait before somebody took part in the dice."""
    seats = (SeatTerms("red"), SeatTerms("blue"), SeatTerms("blue", "second"), SeatTerms("blue", "third"))
    players, matches = both(player, seats=seats)
    dora, eve = player("Dora"), player("Eve")
    theirs = enter(dora)
    enter(eve)
    witness = dora.games._witnessing._games["w"]
    with monkeypatch.context() as patch:
        patch.setattr(witness, "owes_chain", lambda match: False)
        assert answer_to(dora, table.do(dora.games, "w", "blue", Seat("blue", "Dora", "second"))).refused is None
        anna = players["Anna"]
        withheld = Withheld(anna, "w")
        withheld.is_held = True
        anna.games.give("w", "red", a_strike(matches["Anna"]))  # the first order: later nobody sits down beside others anyhow
        anna.until(lambda: bool(withheld.asked))
        refused = answer_to(eve, table.do(eve.games, "w", "blue", Seat("blue", "Eve", "third"))).refused
        assert str(refused) == "an order waits for its dice; sit down, or let others order, when it is decided"
    with dora.games.reading():
        witness.catch_up(theirs)  # her program publishes now
    assert answer_to(dora, table.say(dora.games, "w", "game", "hello")).refused is None  # behind it
    assert acts(theirs, ChainPublished) == 2
    withheld.release()
    dora.until(lambda: theirs.log.k == 1 and acts(theirs, ChainPublished) == 3)
    assert report_of(dora).holds
    assert fouls(dora, *players.values()) == []


def test_nobody_keeps_an_order_for_ever_waiting_by_an_act_under_its_id(host: Host, player: NewPlayer) -> None:
    anna, _, order_id = without_boris(player)
    anna.games.send(protocol.DoAct("w", "red", order_id, Offer("draw")))
    refused = anna.wait(lambda note: isinstance(note, Answered) and note.order_id == order_id)
    assert "waits for its dice" in str(refused)
    back = player("Boris")
    match = enter(back)
    back.games.send(protocol.DoAct("w", "blue", order_id, Offer("draw")))
    assert "by somebody else" in str(back.wait(lambda note: isinstance(note, Answered) and note.order_id == order_id))
    anna.wait(lambda note: isinstance(note, Answered) and note.order_id == order_id and note.refused is None)
    assert (acts(match, Offer), match.log.k) == (0, 1)


def test_nobody_keeps_an_answer_given_ahead_waiting_by_an_act_under_the_id_that_it_will_have(host: Host, player: NewPlayer) -> None:
    players, matches = both(player)
    boris, match = players["Boris"], matches["Boris"]
    players["Anna"].games.give("w", "red", End())
    boris.until(lambda: match.view.side_to_act() == "blue")
    boris.games.ask(protocol.DoAct("w", "blue", f"ahead.{len(match.log) + 1}", Offer("draw")))
    boris.until(lambda: acts(match, Offer) == 1)
    strike = next(one for seed in range(500) if name_of(one := choose(match.view, random.Random(seed))) == "strike")
    data = match.codec.encode(strike)
    signature = boris.games.sign(ahead_message("w", match.hash_of(0), "blue", "Act", table.ANY_TURN, data))
    boris.games.ask(protocol.AnswerAhead("w", "blue", "ahead", "Act", data, table.ANY_TURN, signature))
    boris.until(lambda: any(entry.k for entry in match.log.entries))
    assert report_of(boris).holds


def looked_after(host: Host) -> Room:
    """Return the game when nothing is due or under way there."""

    async def room() -> Room:
        found = host.service.room("w")
        await host.service.tending.looked_after("w")
        return found

    return asyncio.run_coroutine_threadsafe(room(), host._loop).result(10)


def test_an_order_that_waits_when_the_table_ends_the_game_is_dropped_over_any_restart(host: Host, player: NewPlayer) -> None:
    anna, _, order_id = without_boris(player)
    enter(rita := player("Owner"))
    assert answer_to(anna, table.do(anna.games, "w", "red", Resign("red"))).refused is None
    assert "ended before your order had its dice: red resigned" in str(answer_to(anna, order_id).refused)
    for _ in range(2):
        room = looked_after(host)
        assert room.gathering is None
        for frame in (protocol.DoAct("w", "", "back", Rewind(0)), protocol.AskRewind("w", "", 0)):
            assert rita.games.line is not None
            rita.games.line.send(frame)
            refused = rita.wait(lambda note: isinstance(note, Answered) and note.refused is not None)
            assert "nobody goes back behind that" in str(refused)
        host.stop()
        host.start(host.address)
        rita.wait(lambda note: isinstance(note, Up))
    assert isinstance(host.service.store, SqliteStore)
    log = archive.export(host.service.store, "w")
    report = verify(read(log), load=toy)
    assert report.holds, report.findings
    assert room.dropped is not None
    assert read(log).pending == room.dropped.pending


@pytest.mark.parametrize("becomes", ["durable", "lost"])
def test_no_link_is_asked_for_before_the_order_that_waits_is_durable(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch, becomes: str
) -> None:
    """Else a server that is killed in between has seen the links, and asks for them again for another order."""
    players, matches = both(player)
    held, came, write = Future[None](), threading.Event(), host.service.store.add_pending
    what: list[Callable[[], Future[None]]] = []
    monkeypatch.setattr(
        host.service.store, "add_pending", lambda *args, **rest: (what.append(lambda: write(*args, **rest)), came.set(), held)[-1]
    )
    giver, order_id = play_to_strike(players, matches, random.Random(1))
    assert came.wait(60)
    (other,) = (one for name, one in players.items() if name != giver)
    other.games.send(protocol.ListGames())
    other.wait(lambda note: isinstance(note, protocol.Games))  # what the server had sent him by now is here
    assert other.games._witnessing.waits("w") is None
    if becomes == "durable":
        what[0]().result()
        held.set_result(None)
    else:
        held.set_exception(OSError(errno.ENOSPC, "no space left"))
    answer = players[giver].wait(lambda note: isinstance(note, Answered) and note.order_id == order_id)
    assert isinstance(answer, Answered)
    assert (answer.refused is None) == (becomes == "durable")
    waited = [one.games._witnessing.waits("w") is not None for one in players.values()]
    assert waited == [becomes == "durable"] * 2
    assert matches[giver].log.k == int(becomes == "durable")
    assert fouls(*players.values()) == []


def test_a_server_that_dies_between_record_and_entry_asks_again_and_the_same_dice_come(host: Host, player: NewPlayer) -> None:
    anna, match, order_id = without_boris(player)
    waiting = host.service.rooms["w"].gathering
    assert waiting is not None
    host.stop()
    host.start(host.address)
    back = player("Boris")
    back.wait(lambda note: isinstance(note, Up))
    back.games.follow("w")
    anna.wait(lambda note: isinstance(note, Answered) and note.order_id == order_id)
    entry = next(entry for entry in match.log.entries if entry.k == waiting.pending.k)
    assert entry.pending_record() == waiting.pending
    assert parted(entry.links["Anna"])[0] == parted(waiting.shown["Anna"])[0]
    assert report_of(anna).holds
    assert fouls(anna, back) == []


# -------------------------------------------------------------------- hostile players


@pytest.mark.parametrize(
    "hostile", ["wrong", "replayed", "another's", "unsigned", "for another order", "for two orders", "of a later number"]
)
def test_what_a_player_shows_instead_of_his_link_is_told_to_him_and_his_link_is_still_missing(
    hostile: str, host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    players, matches = both(player)
    anna, boris = players["Anna"], players["Boris"]
    asked: list[protocol.LinkWanted] = []
    monkeypatch.setattr(Witness, "answer", lambda self, match, wanted, honest=Witness.answer: (
        asked.append(wanted) if self.name == "Boris" else honest(self, match, wanted)
    ))
    play_to_strike(players, matches, random.Random(1))
    anna.until(lambda: waits_for("Boris", matches["Anna"]))
    boris.until(lambda: bool(asked))
    boris.games.send(shown_instead(hostile, boris, asked[0].pending))
    found = boris.wait(lambda note: isinstance(note, Trouble) and not note.is_remark)
    assert "link" in str(found)
    room = host.service.rooms["w"]
    assert room.missing() == ["Boris"]
    assert room.match.log.k == 1
    assert all(entry.k == 0 for entry in room.match.log.entries)


def shown_instead(hostile: str, boris: Player, pending: Pending) -> protocol.ShowLink:
    """Return what a hostile player shows in the place of his link."""
    witness = boris.games._witnessing._games["w"]
    k, digest = pending.k, pending.digest()
    link, signed_for, signer = witness.chain.link(k), digest, of("Boris")
    match hostile:
        case "wrong":
            link = bytes(32)
        case "replayed":
            link = witness.chain.end
        case "another's":
            link = Chain(bytes(32), links=10).link(1)
        case "of a later number":
            link = witness.chain.link(k + 1)
        case "unsigned":
            signer = of("Eve")
        case "for another order":
            signed_for = bytes(32)
        case "for two orders":
            signed_for = digest = bytes(32)
    return protocol.ShowLink("w", k, digest, link, signer.sign(link_message("w", k, signed_for, link)))


def test_a_link_that_comes_twice_or_too_late_changes_nothing(host: Host, player: NewPlayer) -> None:
    players, matches = both(player)
    giver, order_id = play_to_strike(players, matches, random.Random(1))
    players[giver].wait(lambda note: isinstance(note, Answered) and note.order_id == order_id)
    entry = next(entry for entry in matches[giver].log.entries if entry.k)
    link, signature = parted(entry.links["Boris"])
    boris = players["Boris"]
    before = len(host.service.rooms["w"].match.log)
    boris.games.send(protocol.ShowLink("w", entry.k, entry.pending_record().digest(), link, signature))
    boris.games.send(protocol.ListGames())
    boris.wait(lambda note: isinstance(note, protocol.Games))
    assert len(host.service.rooms["w"].match.log) == before


def test_a_chain_is_published_once_and_by_its_owner_at_his_seat(host: Host, player: NewPlayer) -> None:
    players, _ = both(player)
    boris, eve = players["Boris"], player("Eve")
    eve.wait(lambda note: isinstance(note, Up))
    other = Chain(bytes(32), links=10)
    for one in (boris, eve):
        one.games.send(protocol.PublishChain("w", other.end, other.links, bytes(64)))
        assert "signed by his key" in str(one.wait(lambda note: isinstance(note, Trouble) and not note.is_remark))
    assert acts(host.service.rooms["w"].match, ChainPublished) == 2


def test_a_game_with_the_servers_dice_takes_no_chains(host: Host, player: NewPlayer) -> None:
    anna = player("Anna")
    anna.wait(lambda note: isinstance(note, Up))
    anna.games.send(protocol.CreateGame("plain", "toy", "duel"))
    anna.games.send(protocol.PublishChain("plain", bytes(32), 10, bytes(64)))
    assert "the server's alone" in str(anna.wait(lambda note: isinstance(note, Answered)))
