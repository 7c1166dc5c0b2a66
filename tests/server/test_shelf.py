"""Games that nobody is at lie in the store, and come into memory when somebody is; the lobby knows them all the same."""

from __future__ import annotations

import asyncio
import gc
import random
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

import pytest

from client.connection.games import Up
from client.connection.notes import Answered, Grown, Ready
from core import protocol
from core.errors import BadInput
from core.log import Entry, Flag, Offer, Resign
from core.terms import ClockTerms, SpectatorTerms, Terms
from server import listing, reading, shelf, tending
from server.rooms import Room
from server.settings import Settings
from server.store.contract import Taken
from server.store.sqlite import SqliteStore
from tests.server.conftest import Host, Player
from tests.server.store.test_durable import turned
from tests.server.tables import GAME, do, duel, follow, open_table, order, sit, until
from tests.server.test_play import open_game, play_on
from tests.server.witnessed import both, fouls, play_to_strike
from tests.toy.ruleset import End

NewPlayer = Callable[..., Player]
T = TypeVar("T")


def on_loop(host: Host, function: Callable[[], T]) -> T:
    """Call something in the server's thread."""

    async def call() -> T:
        return function()

    return asyncio.run_coroutine_threadsafe(call(), host._loop).result(10)


def put_away(host: Host, game: str) -> None:
    """Leave a game alone until it is put away."""
    service = host.service

    async def wait_and_put_away() -> None:
        while (room := service.rooms.loaded.get(game)) is not None:
            await service.tending.looked_after(game)
            service.tending.put_away_if_idle(room)
            await turned()  # whoever is still at it goes on

    asyncio.run_coroutine_threadsafe(wait_and_put_away(), host._loop).result(10)
    assert game not in service.rooms.loaded


def leave(one: Player, game: str = GAME) -> None:
    one.games.send(protocol.Unfollow(game))
    listed(one)


def listed(one: Player) -> dict[str, protocol.GameLine]:
    one.games.send(protocol.ListGames())
    found = one.wait(lambda note: isinstance(note, protocol.Games))
    assert isinstance(found, protocol.Games)
    return {line.game: line for line in found.games}


def test_nothing_of_a_game_that_is_put_away_stays_in_memory(host: Host, player: NewPlayer) -> None:
    anna = player("Anna")
    match = open_table(anna)
    sit(anna, "red")
    sit(anna, "blue")
    play_on(anna, match, random.Random(3), orders=5)
    leave(anna)
    room = on_loop(host, lambda: weakref.ref(host.service.rooms.loaded[GAME]))
    parts = on_loop(host, lambda: [weakref.ref(part) for part in (room().match, room().viewers, room().match.log)])  # type: ignore[union-attr]
    gc.disable()  # a cycle would stay until the collector looks at all, and that is seldom
    try:
        put_away(host, GAME)
        assert [one() for one in (room, *parts)] == [None] * 4
    finally:
        gc.enable()
    assert len(host.service.rooms) == 1
    assert not host.service.rooms.loaded


def test_the_lobby_lists_it_as_before_without_reading_it(host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    leave(anna)
    leave(boris)
    before = listed(anna)
    assert [chair.online for chair in before[GAME].chairs] == [True, True]
    put_away(host, GAME)
    monkeypatch.setattr(Room, "read", lambda *_, **__: pytest.fail("the list read a game"))
    assert listed(anna) == before
    boris.games.close()


def test_a_game_goes_on_where_it_was_put_away(host: Host, player: NewPlayer) -> None:
    anna = player("Anna")
    match = open_table(anna)
    sit(anna, "red")
    sit(anna, "blue")
    play_on(anna, match, random.Random(3), orders=5)
    leave(anna)
    put_away(host, GAME)
    boris = player("Boris")
    his = follow(boris)
    assert [entry.hash for entry in his.log.entries] == [entry.hash for entry in match.log.entries]
    anna.games.follow(GAME)
    play_on(anna, match, random.Random(4))
    boris.until(lambda: his.log.last_hash == match.log.last_hash)
    assert match.view.position.outcome is not None


def test_an_order_that_is_given_twice_is_known_after_the_game_was_put_away(host: Host, player: NewPlayer) -> None:
    anna = player("Anna")
    match = open_table(anna)
    sit(anna, "red")
    sit(anna, "blue")
    order_id = anna.games.give(GAME, "red", End())
    frame = anna.games._asked[order_id]
    anna.wait(lambda note: isinstance(note, Answered) and note.order_id == order_id)
    length = len(match.log)
    leave(anna)
    put_away(host, GAME)
    anna.games._asked[order_id] = frame
    anna.games.send(frame)
    answer = anna.wait(lambda note: isinstance(note, Answered) and note.order_id == order_id)
    assert isinstance(answer, Answered)
    assert answer.refused is None
    assert len(host.service.store.entries(GAME)) == length


@pytest.mark.parametrize("fails", [0, 2], ids=["at once", "which can't be read twice"])
def test_a_flag_falls_in_a_game_that_is_put_away(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch, fails: int, caplog: pytest.LogCaptureFixture
) -> None:
    fallen, store = threading.Event(), host.service.store
    write = store.add_entry

    def watched(game: str, entry: Entry, **how: object) -> object:
        done = write(game, entry, **how)  # type: ignore[arg-type]
        if isinstance(entry.act, Flag):
            done.add_done_callback(lambda _: fallen.set())
        return done

    monkeypatch.setattr(store, "add_entry", watched)
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris, Terms(clock=ClockTerms("absolute", 1_000)))
    leave(anna)
    leave(boris)
    put_away(host, GAME)
    failing, take_down = iter(range(fails)), host.service.rooms._take_down

    def read(game: str) -> Room:
        if next(failing, None) is not None:
            raise OSError(24, "Too many open files")
        return take_down(game)

    monkeypatch.setattr(tending, "AGAIN_S", 0.02)
    monkeypatch.setattr(host.service.rooms, "_take_down", read)
    assert fallen.wait(10)
    assert isinstance(store.entries(GAME)[-1].act, Flag)
    assert {record.getMessage() for record in caplog.records if record.levelname == "ERROR"} <= {
        "it could not be written down what is due in table: [Errno 24] Too many open files"
    }
    caplog.clear()


@pytest.mark.parametrize("takes", ["many entries", "a map"])
def test_while_a_game_is_read_that_takes_long_others_have_their_turn(
    takes: str, host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A game of 100,000 entries takes seconds, that of a large map a part of one: whoever has some could ask for them again and again."""
    anna, boris = player("Anna"), player("Boris")
    open_table(anna)
    sit(anna, "red")
    leave(anna)
    boris.wait(lambda note: isinstance(note, Up))
    put_away(host, GAME)
    if takes == "a map":
        host.service.settings = Settings()
    else:
        monkeypatch.setattr(reading, "LONG", 1)
    begun, may_end, read, times = threading.Event(), threading.Event(), Room.read, []

    def read_slowly(*of: object, **how: object) -> Room:
        times.append(begun.set())
        assert may_end.wait(10), "nobody had a turn meanwhile"
        return read(*of, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(Room, "read", read_slowly)
    for one in (anna, boris):
        one.notes.clear()
        one.games.follow(GAME)
    assert begun.wait(10)
    carla = player("Carla")
    carla.wait(lambda note: isinstance(note, Up))
    assert list(listed(carla)) == [GAME]
    may_end.set()
    for one in (anna, boris):
        one.wait(lambda note: isinstance(note, Ready))
    assert len(times) == 1


def test_a_game_that_is_followed_or_was_asked_for_lately_stays(host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch) -> None:
    anna = player("Anna")
    open_table(anna)
    on_loop(host, lambda: host.service.tending.put_away_if_idle(host.service.rooms.loaded[GAME]))
    assert list(host.service.rooms.loaded) == [GAME]
    assert on_loop(host, host.service.rooms.unused) == []
    monkeypatch.setattr(shelf, "IDLE_S", 0.0)
    assert [room.stored.game for room in on_loop(host, host.service.rooms.unused)] == [GAME]


def test_others_have_their_turn_after_each_game_that_is_put_away(host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch) -> None:
    anna = player("Anna")
    open_game(anna, "one")
    leave(anna, "one")
    for game in ("two", "three"):
        anna.games.send(protocol.CreateGame(game, "toy", "duel"))
        anna.wait(lambda note, game=game: isinstance(note, protocol.Games) and note.games[0].game == game)  # type: ignore[misc]
    monkeypatch.setattr(shelf, "IDLE_S", 0.0)
    rooms, service = host.service.rooms, host.service

    left: list[int] = []

    def turn_of_others() -> None:
        left.append(len(rooms.loaded))
        if len(left) == 1:
            rooms.loaded["three"].users += 1  # somebody is at it from here on

    def put_away(room: Room) -> None:
        put_away_as_ever(room)
        host._loop.call_soon(turn_of_others)

    async def watch() -> None:
        for game in list(rooms.loaded):
            await service.tending.looked_after(game)
        await service.tending.put_idle_away()

    put_away_as_ever = service.tending.put_away_if_idle
    monkeypatch.setattr(service.tending, "put_away_if_idle", put_away)
    asyncio.run_coroutine_threadsafe(watch(), host._loop).result(10)
    assert left == [2, 1]
    assert list(rooms.loaded) == ["three"]


def test_a_server_that_starts_keeps_no_game_in_memory_that_nobody_asks_for(host: Host, player: NewPlayer) -> None:
    anna = player("Anna")
    open_game(anna, "one")
    for game in ("two", "three"):
        anna.games.send(protocol.CreateGame(game, "toy", "duel"))
        anna.wait(lambda note, game=game: isinstance(note, protocol.Games) and note.games[0].game == game)  # type: ignore[misc]
    anna.games.close()
    host.stop()
    host.start()
    assert list(host.service.rooms) == ["one", "two", "three"]
    assert not host.service.rooms.loaded
    again = player("Anna")
    again.wait(lambda note: isinstance(note, Up))
    assert set(listed(again)) == {"one", "two", "three"}


def test_what_another_server_process_has_written_is_taken_in_and_sent(host: Host, player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    hers, _ = duel(anna, boris)
    other = SqliteStore(host.data / "games.sqlite")
    theirs = host.service.rooms.loaded[GAME].match.act(Resign("blue"), side="blue", player="Boris", signature=b"")
    other.add_entry(GAME, theirs).result()
    other.close()
    assert "has gone on meanwhile" in order(anna, "red", End())
    anna.until(lambda: hers.log.last_hash == theirs.hash)
    assert "the game is over" in do(anna, "red", Resign("red"))
    until(boris, lambda match: match.log.last_hash == theirs.hash)
    assert not any(isinstance(note, Grown) and len(note.entries) > 1 for note in boris.notes)


def written_and_not_told(write: Callable[..., Future[None]]) -> Callable[..., Future[None]]:
    """Return what writes, and then finds it there already: as where the process that appends has died before it said that it had."""

    def taken(*what: object, **how: object) -> Future[None]:
        write(*what, **how).result()
        done: Future[None] = Future()
        done.set_exception(Taken("it is there"))
        return done

    return taken


@pytest.mark.parametrize("act", ["order", "table act"])
def test_what_is_in_the_log_is_not_told_as_refused(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch, act: str
) -> None:
    anna, boris = player("Anna"), player("Boris")
    hers, _ = duel(anna, boris)
    monkeypatch.setattr(host.service.store, "add_entry", written_and_not_told(host.service.store.add_entry))
    before = len(hers.log)
    assert (order(anna, "red", End()) if act == "order" else do(anna, "red", Offer("draw"))) == ""
    until(anna, lambda match: len(match.log) == before + 1)


def test_an_order_whose_record_is_in_the_log_is_told_when_it_has_its_dice(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was told as refused, and as it was decided all the same his program called the server a liar."""
    monkeypatch.setattr("client.connection.witness.LINKS", 1000)
    players, matches = both(player)
    monkeypatch.setattr(host.service.store, "add_pending", written_and_not_told(host.service.store.add_pending))
    giver, order_id = play_to_strike(players, matches, random.Random(1))
    answer = players[giver].wait(lambda note: isinstance(note, Answered) and note.order_id == order_id)
    assert isinstance(answer, Answered)
    assert answer.refused is None
    assert matches[giver].log.k == 1
    assert fouls(*players.values()) == []


def test_what_another_server_process_has_written_is_taken_in_when_something_is_due(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, boris = player("Anna"), player("Boris")
    hers, _ = duel(anna, boris, Terms(clock=ClockTerms("absolute", 60_000)))
    room = host.service.rooms.loaded[GAME]
    other = SqliteStore(host.data / "games.sqlite")
    theirs = room.match.act(Resign("blue"), side="blue", player="Boris", signature=b"")
    other.add_entry(GAME, theirs).result()
    other.close()
    late = room.now_ms() + 61_000
    monkeypatch.setattr(room, "now_ms", lambda: late)
    on_loop(host, room.stirred)  # a flag is due, and nobody asks for anything
    anna.until(lambda: hers.log.last_hash == theirs.hash)
    until(boris, lambda match: match.log.last_hash == theirs.hash)
    assert host.service.rooms.loaded[GAME] is not room
    assert host.service.store.entries(GAME)[-1].hash == theirs.hash


def test_where_another_process_is_always_the_first_a_game_is_read_anew_once_in_a_while(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, read, left_to_fail, reads = host.service.store, Room.read, [3], [0]
    write = store.add_entry

    def taken(game: str, entry: Entry, **how: object) -> object:
        if isinstance(entry.act, Flag) and left_to_fail[0]:
            left_to_fail[0] -= 1
            done: Future[None] = Future()
            done.set_exception(Taken("another was first"))
            return done
        return write(game, entry, **how)  # type: ignore[arg-type]

    def counted(*args: object, **named: object) -> Room:
        reads[0] += 1
        return read(*args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "add_entry", taken)
    monkeypatch.setattr(Room, "read", counted)
    monkeypatch.setattr(tending, "AGAIN_S", 0.05)
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris, Terms(clock=ClockTerms("absolute", 300)))
    until(anna, lambda match: isinstance(match.log.entries[-1].act, Flag))
    assert left_to_fail == [0]
    assert 1 <= reads[0] <= 3


@pytest.mark.parametrize(
    ("fault", "told", "why"),
    [
        (ValueError("entry 3 breaks the hash chain"), "can't be taken up", "its log does not hold: entry 3 breaks the hash chain"),
        (BadInput.one("its pack", "its map", "none"), "can't be taken up", "its pack: expected its map, got none"),
        (KeyError(17), "can't be taken up", "a fault of the server; see its log"),
        (OSError(5, "no disk"), "read again", ""),
    ],
)
def test_a_game_that_can_not_be_read_again_stops_nobody_from_being_answered(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, fault: Exception, told: str, why: str
) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    other = SqliteStore(host.data / "games.sqlite")
    other.add_entry(GAME, host.service.rooms.loaded[GAME].match.act(Resign("blue"), side="blue", player="Boris", signature=b"")).result()
    other.close()

    def broken(*args: object, **named: object) -> Room:
        raise fault

    with monkeypatch.context() as patched:
        patched.setattr(Room, "read", broken)
        assert "has gone on meanwhile" in order(anna, "red", End())
        anna.games.send(protocol.CreateGame("next", "toy", "duel"))  # the same connection is served on
        anna.wait(lambda note: isinstance(note, protocol.Games) and note.games[0].game == "next")
    assert told in caplog.text
    assert host.service.faulty.get(GAME, "") == why


def test_a_list_looks_at_no_game_that_lies_in_the_store_until_somebody_comes_or_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    games, looked = shelf.Shelf(lambda game: pytest.fail(f"{game} was read")), list[str]()
    for number in range(3):
        seats = tuple(protocol.SeatLine(side, "", name, False, False) for side, name in (("red", "Anna"), ("blue", "Boris")))
        games.lay(protocol.GameLine(f"game-{number}", "toy", "duel", {"red": "Anna"}, "red", 1, "red", 5, over=False, chairs=seats))
    look = games._line_of
    monkeypatch.setattr(games, "_line_of", lambda game: (looked.append(game), look(game))[1])
    for online, news in (((), 3), ((), 0), (("Anna",), 3), (("Anna",), 0)):
        looked.clear()
        lines = games.lines(frozenset(online))
        assert [line.game for line in lines] == ["game-0", "game-1", "game-2"]
        assert {chair.player for line in lines for chair in line.chairs if chair.online} == {*online}
        assert games.own_lines("Anna", frozenset(online)) == ()
        assert len(looked) == news


@pytest.mark.parametrize("seed", range(5))
def test_a_list_is_as_if_every_game_had_been_looked_at(seed: int) -> None:
    rng, there, games = random.Random(seed), dict[str, protocol.GameLine](), shelf.Shelf(lambda game: pytest.fail(f"{game} was read"))
    for _ in range(200):
        game = f"game-{rng.randrange(8)}"
        if rng.random() < 0.3:
            games.remove(game)
            there.pop(game, None)
        else:
            seats = (protocol.SeatLine("red", "", rng.choice("AB"), False, False),)
            terms = protocol.LineTerms(spectators=SpectatorTerms(rng.choice(("open", "closed"))))
            laid = protocol.GameLine(game, "toy", "duel", {}, "red", 1, "red", rng.randrange(9), over=False, chairs=seats, terms=terms)
            games.lay(laid)
            there[game] = laid
        online = frozenset(rng.choice(("", "A", "B", "AB")))
        told = tuple(listing.with_online(listing.veiled(line), online) for line in there.values())
        own = [listing.with_online(line, online) for line in there.values() if listing.is_shown_later(line) and listing.sits_in(line, "A")]
        if rng.random() < 0.5:
            assert sorted(games.own_lines("A", online), key=lambda line: line.game) == sorted(own, key=lambda line: line.game)
        if rng.random() < 0.5:
            assert games.lines(online) == told


def test_a_list_in_which_nothing_has_changed_is_not_made_again(host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    before = listed(anna)
    with monkeypatch.context() as patched:
        patched.setattr(shelf, "game_line", lambda *_: pytest.fail("a line was made anew"))
        patched.setattr(listing, "bunches", lambda *_: pytest.fail("the list was made anew"))
        assert listed(anna) == before
    assert order(anna, "red", End()) == ""
    after = listed(anna)
    assert after[GAME].last == before[GAME].last + 1
    assert after[GAME] == listing.game_line(host.service.rooms.loaded[GAME], frozenset({"Anna", "Boris"}))
