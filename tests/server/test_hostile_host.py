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
from client.connection.games import WITNESSED_FILE, Up
from client.connection.identity import KnownServers
from client.connection.notes import Answered, Ready, Trouble
from client.connection.shown import Memory
from client.connection.witness import Witness
from core import protocol
from core.bots.random_bot import choose
from core.dice import Chain, Stream, step
from core.errors import BadInput
from core.events import Rolled
from core.gamefile import Head, agreement
from core.identity import (
    Identity,
    chain_message,
    link_message,
    verify,
    waiting_message,
)
from core.log import ChainPublished, Fallback, Pending, Seat
from core.match import Match
from core.orders import Order, name_of
from core.pack import Pack
from core.signed import fallback_signature
from core.terms import ClockTerms, DiceTerms, Terms
from core.witnesses import SERVER
from tests.server.conftest import Host, Player, of
from tests.server.hostile import BORIS_STRIKES, another, at_a_strike, record_of, words
from tests.server.tables import GAME, change_terms, duel
from tests.server.witnessed import NewPlayer, both, enter, play_to_strike, report_of, waits_for
from tests.toy.ruleset import End, toy_files, toy_setting
from tests.toy.witnessed import SERVER_KEY, Program, seated, witnessed_head
from tests.toy.witnessed import Host as Keeper


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.connection.witness.LINKS", 1000)
    monkeypatch.setattr("server.witness.LATE_S", 0.05)


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
    keeper.others[other.key] = other
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
    one.games._packs._find = lambda digest: Pack(dict(toy_files()))
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


def test_a_game_whose_rules_hide_nothing_is_not_taken_as_one_that_is_told_in_part(host: Host, player: NewPlayer) -> None:
    """His program could check nothing of it, and would show no link."""
    keeper, _ = at_a_strike()
    boris = player("Boris")
    told = hears(boris, "duel", protocol.Opened("duel", keeper.head, Pack(dict(toy_files())).digest, 5, "blue"))
    assert (boris.games.match("duel"), told) == (None, ["duel: viewer: expected all of it, as its rules hide nothing, got blue"])


def head_with_chains_of(*names: str) -> Head:
    """Return the head of a game whose server knows the chains of all these and has signed for them."""
    made = witnessed_head(toy_setting(), b"c" * 32)
    (end,) = made.chains
    bare = msgspec.structs.replace(made, chains=tuple(msgspec.structs.replace(end, participant=name) for name in names))
    signature = SERVER_KEY.sign(chain_message("duel", agreement(bare), end.end, end.links))
    return msgspec.structs.replace(bare, keeper=msgspec.structs.replace(made.keeper, signature=signature))


@pytest.mark.parametrize(("head", "why"), [
    (head_with_chains_of(SERVER), []),
    (head_with_chains_of("Boris"), ["head: chains: expected one, the server's, got Boris"]),
    (head_with_chains_of("Boris", SERVER), ["head: chains: expected one, the server's, got Boris, server"]),
    (msgspec.structs.replace(head_with_chains_of(SERVER), terms=Terms(owner="Anna", dice=DiceTerms("witnessed", 1000))),
     ["duel: head: keeper: expected its server's signature of terms and dice chain, got none that fits"]),
])
def test_a_game_that_its_server_did_not_sign_or_whose_head_knows_a_players_chain_is_not_opened(
    host: Host, player: NewPlayer, head: Head, why: list[str]
) -> None:
    """Whoever made up the chain that bears Boris' name knows all dice, and nobody asks him for a link."""
    boris = player("Boris")
    assert hears(boris, "duel", protocol.Opened("duel", head, Pack(dict(toy_files())).digest, 5)) == why
    assert (boris.games.match("duel") is None) == bool(why)


def test_a_game_whose_first_entry_tells_nothing_of_what_was_agreed_on_is_not_taken_in(host: Host, player: NewPlayer) -> None:
    """Nothing that Boris signed there would hold his host to its terms."""
    keeper = seated()
    bare = msgspec.structs.replace(keeper.match.log.entries[0], salt=bytes(16), hash=b"")
    first = msgspec.structs.replace(bare, hash=bare.digest())
    opened = protocol.Opened("duel", keeper.head, Pack(dict(toy_files())).digest, 0)
    told = hears(player("Boris"), "duel", opened, protocol.NewEntries("duel", (first,)))
    assert told == ["entry 0 of duel does not follow: it was written under other terms than the server tells now"]


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
    # The first of the two may be told when it is asked for a link, or when somebody is named late for the other order.
    foul = boris.wait(lambda note: isinstance(note, Foul))
    assert "again, for another order than you witnessed" in str(foul) or "another order is said to wait" in str(foul)
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
        act = Fallback("Anna", 1, "unwitnessed", pending.digest)
        signature = fallback_signature(matches["Anna"].witnesses, of("Anna").sign, "w", act, number=1)
        own = protocol.ChooseFallback("w", "red", "Anna", 1, pending.digest, "unwitnessed", signature)
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
