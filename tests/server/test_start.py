"""A server that starts reads the games for which there is something to do, and takes no summary for more than the log bears out."""

from __future__ import annotations

import asyncio
import logging
import random
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing

import pytest
import zmq

from client.connection.games import Up
from core import protocol
from core.log import Away, Resign
from core.terms import ClockTerms, Terms
from server.rooms import Room
from server.running import run
from server.service import Service
from server.store.contract import Standing
from server.store.sqlite import SqliteStore
from server.summaries import Summary, _summaries, true_line
from tests.server.conftest import SERVER, Host, Player, free_pair, toy_packs
from tests.server.store.store_contract import pending
from tests.server.tables import GAME, duel, follow, open_table, sit
from tests.server.test_play import play_on
from tests.server.test_shelf import listed, on_loop

NewPlayer = Callable[..., Player]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The games that were read since a server started last."""
    games: list[str] = []
    really = Room.read.__func__  # type: ignore[attr-defined]

    def noted(cls: type[Room], store: SqliteStore, stored: object, **how: object) -> Room:
        games.append(stored.game)  # type: ignore[attr-defined]
        return really(cls, store, stored, **how)  # type: ignore[no-any-return]

    monkeypatch.setattr(Room, "read", classmethod(noted))
    return games


def restart(host: Host, read: list[str]) -> None:
    host.stop()
    read.clear()
    host.start()


def played(host: Host, player: NewPlayer, terms: Terms | None = None) -> None:
    """Open a game and stop the server that has it in memory."""
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris, terms)
    anna.games.close()
    boris.games.close()
    host.stop()


def line(host: Host, player: NewPlayer) -> protocol.GameLine:
    carla = player("Carla")
    carla.wait(lambda note: isinstance(note, Up))
    found = listed(carla)[GAME]
    carla.games.close()
    return found


def test_a_game_that_waits_for_nothing_of_the_server_is_not_read_and_listed_all_the_same(
    host: Host, player: NewPlayer, read: list[str]
) -> None:
    played(host, player)
    restart(host, read)
    assert read == []
    assert list(host.service.rooms) == [GAME]
    found = line(host, player)
    assert read == []
    again = player("Dora")
    follow(again)
    assert read == [GAME]
    room = host.service.rooms.loaded[GAME]
    assert (found.last, found.waits_for) == (room.viewers.last(""), room.match.view.side_to_act())


def test_a_log_that_went_on_without_the_summary_is_read_and_the_next_start_knows_it(
    host: Host, player: NewPlayer, read: list[str]
) -> None:
    played(host, player)
    host.start()
    theirs = on_loop(host, lambda: host.service.room(GAME)).match.act(Resign("blue"), side="blue", player="Boris", signature=b"")
    host.stop()
    other = SqliteStore(host.data / "games.sqlite")
    other.add_entry(GAME, theirs).result()
    other.close()
    restart(host, read)
    assert read == [GAME]
    assert line(host, player).over
    restart(host, read)
    assert read == []
    assert line(host, player).over


def test_a_game_whose_clock_runs_is_read_and_told_that_the_server_was_away(host: Host, player: NewPlayer, read: list[str]) -> None:
    played(host, player, Terms(clock=ClockTerms("absolute", 3_600_000)))
    restart(host, read)
    assert read == [GAME]
    assert isinstance(host.service.store.entries(GAME)[-1].act, Away)
    restart(host, read)
    assert read == [GAME]


def test_of_a_game_that_the_rules_have_ended_no_clock_runs_and_no_absence_is_written_down(
    host: Host, player: NewPlayer, read: list[str]
) -> None:
    anna = player("Anna")
    match = open_table(anna, Terms(clock=ClockTerms("absolute", 3_600_000)))
    sit(anna, "red")
    sit(anna, "blue")
    play_on(anna, match, random.Random(1))
    assert match.view.position.outcome is not None
    anna.games.close()
    host.stop()
    had = len(match.log)
    restart(host, read)
    assert read == []
    assert line(host, player).over
    assert not on_loop(host, lambda: host.service.rooms.is_any_clock_at_stake)
    assert len(host.service.store.entries(GAME)) == had


def test_a_game_that_was_answered_ahead_is_read(host: Host, player: NewPlayer, read: list[str]) -> None:
    played(host, player)
    other = SqliteStore(host.data / "games.sqlite")
    other.keep_answer(GAME, "red", "Turn", Standing("ahead", "Anna", b"\x80", 0, b"")).result()
    other.close()
    restart(host, read)
    assert read == [GAME]


@pytest.mark.parametrize("summary", [b"", b"\xc1", b"\x93\x01\x02\x03"])
def test_a_summary_that_cannot_be_understood_is_none(host: Host, player: NewPlayer, read: list[str], summary: bytes) -> None:
    played(host, player)
    other = SqliteStore(host.data / "games.sqlite")
    other.keep_summary(GAME, summary).result()
    other.close()
    restart(host, read)
    assert read == [GAME]


def test_a_summary_of_another_program_another_key_or_before_an_order_waited_is_none(host: Host, player: NewPlayer) -> None:
    played(host, player)
    other = SqliteStore(host.data / "games.sqlite")
    (glance,) = other.glances()
    known: Summary = _summaries.decode(glance.summary)
    true = true_line(glance, program=known.program, keeper=known.keeper)
    assert true is not None
    assert true.last == len(other.entries(GAME)) - 1
    assert true_line(glance, program="a later one", keeper=known.keeper) is None
    assert true_line(glance, program=known.program, keeper="another") is None
    other.add_pending(GAME, pending(known.k + 1)).result()
    (glance,) = other.glances()
    assert true_line(glance, program=known.program, keeper=known.keeper) is None
    other.close()


def test_a_damaged_game_is_found_when_it_is_asked_for_and_told_of_as_at_a_start(
    host: Host, player: NewPlayer, read: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    played(host, player)
    with closing(sqlite3.connect(host.data / "games.sqlite", isolation_level=None)) as connection:
        (trigger,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'entries_update'").fetchone()
        connection.execute("DROP TRIGGER entries_update")
        connection.execute("UPDATE entries SET entry = x'00' WHERE number = 1")
        connection.execute(trigger)
    restart(host, read)
    assert read == []
    anna = player("Anna")
    anna.wait(lambda note: isinstance(note, Up))
    assert list(listed(anna)) == [GAME]
    with caplog.at_level(logging.CRITICAL, "rasputitsa.server"):
        anna.games.send(protocol.Follow(GAME, -1))
        anna.until(lambda: GAME in host.service.faulty)
    assert listed(anna) == {}


def test_no_line_is_taken_in_while_games_are_read_and_a_start_ends_between_two(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The socket was bound before, and nothing bounded what came in meanwhile: 1 GiB from one line in two seconds."""
    anna = player("Anna")
    anna.wait(lambda note: isinstance(note, Up))
    for game in ("one", "two"):
        anna.games.send(protocol.CreateGame(game, "toy", "duel"))
        anna.games.follow(game)
    anna.until(lambda: all(anna.games.match(game) is not None for game in ("one", "two")))
    anna.games.close()
    host.stop()
    port, seen = free_pair(), list[tuple[str, bool]]()

    async def start() -> None:
        stop = asyncio.Event()

        async def take_up(self: Service, game: str, since_ms: int, *, is_restored: bool) -> None:
            seen.append((game, is_taken(port)))
            stop.set()

        monkeypatch.setattr(Service, "_take_up", take_up)
        monkeypatch.setattr("server.service.summaries.true_line", lambda *_, **__: None)
        await run(host.data, f"tcp://127.0.0.1:{port}", toy_packs, stop, identity=SERVER, ready=pytest.fail)

    asyncio.run(start())
    assert seen == [("one", False)]


def is_taken(port: int) -> bool:
    with socket.socket() as line:
        return line.connect_ex(("127.0.0.1", port)) == 0


def test_a_port_that_is_taken_is_named_before_any_game_is_read(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Service, "resume", lambda self, stop: pytest.fail("games were read"))
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        address = f"tcp://127.0.0.1:{other.getsockname()[1]}"
        host.stop()
        with pytest.raises(OSError, match="in use"):
            asyncio.run(run(host.data, address, toy_packs, asyncio.Event(), identity=SERVER, ready=pytest.fail))


def test_what_comes_as_a_server_ends_is_dropped(host: Host) -> None:
    """Till it had written what was under way, up to ten seconds, it took nothing in, and all that came was kept."""
    host.service._is_ending = True
    host.service._take_in([zmq.Frame(b"peer"), zmq.Frame(protocol.encode(protocol.Ping()))])
    assert b"peer" not in host.service.sessions._all
