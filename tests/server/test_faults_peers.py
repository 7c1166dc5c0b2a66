"""Faults that other projects had, each tried here under its number; the rest of them are in the tests of what they belong to."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from client.connection import line
from client.connection.notes import Anew, Answered, Ready, Trouble
from core import protocol
from core.bots.random_bot import choose
from core.errors import Refused
from core.events import Event, StepsChanged
from core.game import Game
from core.gamefile import head_of, open_match, read, write
from core.log import Entry
from core.match import Match
from core.options import options
from core.text import text
from core.trials.verify import verify
from core.units import UnitId
from core.views import View
from server.rooms import Room
from server.store.sqlite import STORE, SqliteStore
from tests.packs import pack_of
from tests.properties.games import GAME, game_of
from tests.server.conftest import SERVER, Host, Player, toy
from tests.server.test_play import look_on, open_game, play_on, sit
from tests.toy.ruleset import RULESET, Go

NewPlayer = Callable[..., Player]
RELEASED = Path(__file__).parents[1] / "core" / "files" / "release-1.rasputitsa"


OF_A_SERVER = {*range(1, 8), 9, 12, 13, *range(18, 22), 24, 26, 27, 42, 43}


def test_every_fault_of_peers_that_a_server_can_have_is_tried_under_its_number() -> None:
    tests = RELEASED.parents[2]
    named = {int(n) for file in tests.rglob("test_*.py") for n in re.findall(r"bugs[-_]of[-_]peers[ _](\d+)", file.read_text("utf-8"))}
    assert sorted(OF_A_SERVER - named) == []


def alone(one: Player, *, orders: int) -> Match:
    """Play both sides for a while."""
    match = open_game(one)
    for side in ("red", "blue"):
        sit(one, "first", side)
    play_on(one, match, random.Random(6), orders=orders)
    return match


# -------------------------------------------------------------------- 13: replay went on after a desync


def altered(match: Match) -> Entry:
    """Return the last entry's successor with a hash that is not its own."""
    return replace(match.log.seal(time_ms=0, events=(StepsChanged(UnitId(1), 1),)), time_ms=1)


def impossible(match: Match) -> Entry:
    """Return an entry, well hashed, of an event that can't be."""
    return match.log.seal(time_ms=0, side="red", order=b"\x81\xa5order\xa3end", events=(StepsChanged(UnitId(999), 1),))


@pytest.mark.parametrize("bad", [altered, impossible])
def test_who_watches_stops_at_an_entry_that_can_not_be_says_where_and_has_it_right_when_he_comes_back(
    bad: Callable[[Match], Entry], host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """bugs-of-peers 13: a replay went on after it had lost the game."""
    monkeypatch.setattr(line, "PING_S", 0.05)
    anna, boris = player("Anna"), player("Boris")
    match = alone(anna, orders=3)
    theirs = look_on(boris)
    boris.until(lambda: theirs.log.last_hash == match.log.last_hash)
    number = len(theirs.log)
    boris.games.happen(protocol.NewEntries("first", (bad(theirs),)))
    trouble = boris.wait(lambda note: isinstance(note, Trouble))
    assert f"entry {number} of first does not follow" in str(trouble)
    before = theirs.view.position.digest()
    play_on(anna, match, random.Random(7), orders=2)
    pings(boris, 3)
    assert theirs.view.position.digest() == before
    assert not any(isinstance(note, Trouble) for note in boris.notes), "what went wrong once is said once"
    host.stop()
    host.start(host.address)
    boris.wait(lambda note: isinstance(note, Anew), seconds=30)
    boris.until(lambda: known(boris) == match.log.last_hash, seconds=30)
    assert not any(isinstance(note, Trouble) for note in boris.notes)


def test_entries_that_were_told_otherwise_before_are_noticed(host: Host, player: NewPlayer) -> None:
    """A server that goes on from a backup and says nothing of it: what it lost was acknowledged."""
    anna, boris = player("Anna"), player("Boris")
    match = alone(anna, orders=3)
    theirs = look_on(boris)
    boris.until(lambda: theirs.log.last_hash == match.log.last_hash)
    last = theirs.log.entries[-1]
    boris.games.happen(protocol.NewEntries("first", (last,)))
    assert not any(isinstance(note, Trouble) for note in boris.notes)
    bare = replace(last, time_ms=last.time_ms + 1)
    boris.games.happen(protocol.NewEntries("first", (replace(bare, hash=bare.digest()),)))
    trouble = boris.wait(lambda note: isinstance(note, Trouble))
    assert f"entry {last.number} of first is another one than the server told before" in str(trouble)


def pings(one: Player, times: int) -> None:
    """Wait for answers to so many questions, that were sent after all that came before."""
    for _ in range(times):
        one.games.send(protocol.ListGames())
        one.wait(lambda note: isinstance(note, protocol.Games))


def known(one: Player) -> bytes:
    match = one.games.match("first")
    return match.log.last_hash if match is not None else b""


# -------------------------------------------------------------------- 26: an autosave resumed in the wrong phase


def prompt(view: View) -> tuple[object, ...]:
    """Return all that a player is asked."""
    position = view.position
    offer = None if position.outcome is not None else options(view)
    found = "" if offer is None else repr((offer.doors, offer.unfinished))
    return position.digest(), position.turn, position.phase, view.side_to_act(), view.decision(), found


def test_a_server_that_is_started_again_after_any_entry_asks_what_was_asked(host: Host, player: NewPlayer) -> None:
    """bugs-of-peers 26: a saved game was resumed in the wrong phase."""
    anna = player("Anna")
    match = alone(anna, orders=0)
    rng = random.Random(2)
    while match.outcome is None:
        play_on(anna, match, rng, orders=1)
        anna.until(lambda: match.log.last_hash == host.service.room("first").match.log.last_hash)
        store = SqliteStore(host.data / STORE)
        try:
            again = Room.read(store, store.game("first"), settings=host.service.settings, keeper=SERVER)
        finally:
            store.close()
        assert prompt(again.match.view) == prompt(match.view)


@pytest.mark.slow
def test_a_whole_game_is_taken_up_at_each_of_its_entries_with_the_same_options() -> None:
    """bugs-of-peers 26, with the rules of a real game."""
    match = game_of("random", "random", 5).match
    taken = open_match(read(write(head_of(match, made_by="trial"), pack_of(GAME).files, match.log)), clock=lambda: 0)
    taken.log.drop_snapshots()
    for entry in match.log.path():
        here, there = (View(match.setting, log.seek(entry.number)) for log in (match.log, taken.log))
        assert prompt(here) == prompt(there)


# -------------------------------------------------------------------- 27: a rules fix made old games illegal


@pytest.fixture
def rules_that_were_fixed(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Change the rules of the toy game: a pawn that goes tires, and may go no more than once in the game."""

    def take_go(game: Game, order: Go) -> Iterator[Event]:
        raise Refused("3", text("pawns have not gone anywhere since the rules were fixed"))
        yield

    def fix() -> None:
        kind = RULESET.orders["go"]
        monkeypatch.setitem(RULESET.orders, "go", replace(kind, handle=take_go))

    return fix


def test_a_game_that_began_before_a_rule_was_fixed_goes_on_and_verify_says_where_it_would_differ(
    host: Host, player: NewPlayer, rules_that_were_fixed: Callable[[], None]
) -> None:
    """bugs-of-peers 27: a fix of the rules made the orders of older games illegal, and they could not be opened."""
    anna = player("Anna")
    match = alone(anna, orders=6)
    gone = [entry.number for entry in match.log.entries if entry.order and isinstance(match.codec.decode(entry.order), Go)]
    assert gone, "nobody has gone anywhere in this game"
    anna.until(lambda: match.log.last_hash == host.service.room("first").match.log.last_hash)
    before, file = prompt(match.view)[0], anna.games.file("first")
    host.stop()
    rules_that_were_fixed()
    host.start(host.address)
    anna.notes.clear()
    anna.wait(lambda note: isinstance(note, Ready), seconds=30)
    assert host.service.faulty == {}
    assert host.service.room("first").match.view.position.digest() == before
    while match.outcome is None:
        view = match.view
        wanted = next(order for order in (choose(view, random.Random(seed)) for seed in range(99)) if not isinstance(order, Go))
        here = match.log.moved_at
        order_id = anna.games.give("first", view.side_to_act(), wanted)
        answer = anna.wait(lambda note, order_id=order_id: isinstance(note, Answered) and note.order_id == order_id)  # type: ignore[misc]
        assert isinstance(answer, Answered)
        assert answer.refused is None
        anna.until(lambda here=here: match.log.moved_at > here)  # type: ignore[misc]
    report = verify(read(file), load=toy)
    assert not report.holds
    assert {finding.entry for finding in report.findings} >= set(gone)


def test_the_games_of_earlier_releases_are_opened_and_verify() -> None:
    """bugs-of-peers 27: games of earlier releases are kept, and opened with today's code."""
    assert RELEASED.is_file()
    report = verify(read(RELEASED.read_bytes()), load=toy)
    assert report.holds, report.findings
    match = open_match(read(RELEASED.read_bytes()), clock=lambda: 0, load=toy)
    assert match.outcome is not None or options(match.view).picks
