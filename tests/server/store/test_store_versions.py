"""Stores of earlier versions are taken up, and brought to this one; their games go on.

The files in ``stores/`` were written by the servers of those versions: of each one game that is over, one under way, and one whose
order waits for its dice. ``witnessed_5`` is of a server and two clients: Anna's order waits for Boris's link, who is away.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from client.connection import table
from client.connection.games import Up
from client.connection.notes import Answered, Ready
from core import protocol
from core.bots.random_bot import choose
from core.gamefile import read, write
from core.log import Entry, Log
from core.match import Match
from core.protocol import ChatLine
from core.trials.verify import verify
from server.chat import SPECTATORS
from server.rooms import Room
from server.settings import Settings
from server.store import schema
from server.store.contract import Standing
from server.store.schema import SCHEMA, STEPS
from server.store.sqlite import SqliteStore
from tests.server.conftest import SERVER, Host, Player, open_toy, toy
from tests.server.tables import answer_to
from tests.server.witnessed import SIDES, fouls, play_to_strike, report_of

STORES = Path(__file__).with_name("stores")
GAMES = ("over", "under_way", "waits")
WITH_CHAT = 3  # the first version that has chat, and answers given ahead


@pytest.fixture(params=range(1, SCHEMA))
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return Path(shutil.copy(STORES / f"version_{request.param}.sqlite", tmp_path / "games.sqlite"))


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def schema_of(path: Path) -> set[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        return {(str(name), str(sql)) for name, sql in connection.execute("SELECT name, sql FROM sqlite_schema")}


def raw_entries(path: Path) -> list[tuple[str, int, bytes]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT game, number, entry FROM entries ORDER BY game, number").fetchall()


def test_it_becomes_what_a_new_store_is_and_keeps_what_it_has(old: Path, tmp_path: Path) -> None:
    had, was = raw_entries(old), version(old)
    SqliteStore(old).close()
    SqliteStore(tmp_path / "fresh.sqlite").close()
    assert was < version(old) == version(tmp_path / "fresh.sqlite") == SCHEMA
    assert schema_of(old) == schema_of(tmp_path / "fresh.sqlite")
    assert raw_entries(old) == had


# Brings copies of a store up, each in a process that dies by SIGKILL before another statement of SQLite, until one lives to the end.
DIES = """
import itertools, os, shutil, signal, sqlite3, sys
from pathlib import Path
from server.store import schema

connect = sqlite3.connect

def bring_up(path, last):
    met = itertools.count()

    def note(statement):
        if next(met) == last:
            os.kill(os.getpid(), signal.SIGKILL)

    def traced(*where, **how):
        connection = connect(*where, **how)
        connection.set_trace_callback(note)
        return connection

    sqlite3.connect = traced
    schema.prepare(path)
    schema.connect(path)
    os._exit(0)

for last in itertools.count():
    path = Path(shutil.copy(sys.argv[1], Path(sys.argv[2]) / f"{last}.sqlite"))
    if not (child := os.fork()):
        bring_up(path, last)
    if (status := os.waitpid(child, 0)[1]) != signal.SIGKILL:
        sys.exit(status)
"""


def dumped(path: Path) -> list[str]:
    """Return all that a store holds, and how, as statements."""
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def as_left_before_each_statement(old: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Bring a copy of a store up; return copies of its files as a kill before each statement of SQLite would have left them, each once."""
    files = [Path(shutil.copy(old, folder / "up.sqlite")), folder / "up.sqlite-wal"]
    left = dict[tuple[bytes, ...], Path]()

    def note(_: str) -> None:
        content = tuple(file.read_bytes() if file.exists() else b"" for file in files)
        if content not in left:
            left[content] = folder / f"{len(left)}.sqlite"

    def traced(*where: Any, **how: Any) -> sqlite3.Connection:
        connection = connect(*where, **how)
        connection.set_trace_callback(note)
        return connection

    connect = sqlite3.connect
    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", traced)
        schema.prepare(files[0])
        schema.connect(files[0]).close()
    for content, copy in left.items():
        for data, file in zip(content, (copy, copy.with_name(f"{copy.name}-wal")), strict=True):
            if data:
                file.write_bytes(data)
    return list(left.values())


def assert_old_or_new(old: Path, copies: Iterable[Path]) -> list[int]:
    """Each copy is what the store was or what it is to become, and comes up; return their versions."""
    wanted, found = {version(old): dumped(old)}, []
    schema.prepare(old)
    wanted[SCHEMA] = dumped(old)
    for copy in copies:
        found.append(version(copy))
        assert dumped(copy) == wanted[found[-1]], copy.name
        schema.prepare(copy)
        assert (version(copy), dumped(copy)) == (SCHEMA, wanted[SCHEMA]), copy.name
    return found


def test_at_each_moment_it_is_what_it_was_or_what_it_is_to_become(old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (copies := tmp_path / "copies").mkdir()
    was = version(old)
    found = assert_old_or_new(old, as_left_before_each_statement(old, copies, monkeypatch))
    assert {*found} == {was, SCHEMA}


@pytest.mark.skipif(os.name != "posix", reason="there is no SIGKILL")
def test_whenever_it_is_killed_meanwhile_it_is_what_it_was_or_what_it_is_to_become(tmp_path: Path) -> None:
    old = Path(shutil.copy(STORES / "version_1.sqlite", tmp_path / "games.sqlite"))
    (copies := tmp_path / "copies").mkdir()
    subprocess.run([sys.executable, "-c", DIES, str(old), str(copies)], cwd=Path(__file__).parents[3], check=True)
    found = assert_old_or_new(old, copies.glob("*.sqlite"))
    assert found.count(1) > sum(len(tables) for _, tables in STEPS[1:]), "it was killed within the steps"
    assert found.count(SCHEMA) > 1, "it was killed after them"


def test_its_games_go_on_to_their_end_and_verify(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.rooms.load", toy)
    store = SqliteStore(old)
    for game in GAMES:
        entries = asyncio.run(played_out(store, game))
        stored = store.game(game)
        report = verify(read(write_game(store, game)), load=toy)
        assert (report.holds, report.entries) == (True, len(entries)), (stored.game, report.findings)
    store.close()


def test_the_order_that_waited_gets_its_dice(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.rooms.load", toy)
    store = SqliteStore(old)
    (waiting, order_id), before = store.pending("waits")[-1], len(store.entries("waits"))

    async def resumed() -> Room:
        return await Room.resume(store, store.game("waits"), settings=Settings(), keeper=SERVER)

    entry = asyncio.run(resumed()).match.log.entries[before]
    assert entry.pending_record() == waiting
    assert store.orders("waits")[order_id] == before
    store.close()


def test_lines_of_chat_of_before_are_numbered_a_room(tmp_path: Path) -> None:
    store = SqliteStore(Path(shutil.copy(STORES / "version_6.sqlite", tmp_path / "games.sqlite")))
    said = [(line.room, line.number, line.text) for line in store.lines("under_way", rooms={"game": 0, "side:red": 0}, after=-1, most=9)]
    assert said == [("game", 0, "hello"), ("side:red", 0, "now"), ("game", 1, "your turn")]
    assert [line.text for line in store.lines("", rooms={"lobby": 0}, after=0, most=9)] == ["I do"]
    new, is_new = store.add_line("under_way", ChatLine(-1, 10, "game", "Anna", "and now"), line_id="q").result()
    assert (new.number, is_new) == (2, True)
    store.close()


def test_names_from_before_keys_are_kept(tmp_path: Path) -> None:
    store = SqliteStore(Path(shutil.copy(STORES / "version_1.sqlite", tmp_path)))
    assert store.old_names() == ["Anna"]
    store.close()


def add_by_hand(path: Path) -> None:
    """Write a line of chat and an answer given ahead into a store whose version has a place for them."""
    with closing(sqlite3.connect(path)) as connection, connection:
        number = connection.execute("SELECT count(*) FROM chat WHERE game = 'under_way'").fetchone()[0]
        connection.execute("INSERT INTO chat VALUES ('under_way', ?, 5, 'game', 'Anna', 'mine', 'good luck')", (number,))
        answer = msgspec.msgpack.encode(Standing("ahead", "Anna", b"", -1, b""))
        connection.execute("INSERT INTO standing VALUES ('under_way', 'red', 'Pay', ?)", (answer,))


def test_a_server_serves_its_games_with_what_was_said_and_answered_ahead(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if has_chat := version(old) >= WITH_CHAT:
        add_by_hand(old)
    had = {game: len([row for row in raw_entries(old) if row[0] == game]) for game in GAMES}
    monkeypatch.setattr("server.rooms.load", toy)
    monkeypatch.setattr("client.connection.games.open_match", open_toy)
    host = Host(tmp_path)
    host.start()
    carla = Player(host.address, "Carla")
    try:
        assert games_listed(carla) == {"over": True, "under_way": False, "waits": False}
        for game in GAMES:
            carla.games.follow(game)
            carla.wait(lambda note, game=game: note == Ready(game))  # type: ignore[misc]
        match = carla.games.match("waits")
        assert match is not None
        assert len(match.log) > had["waits"]  # the order that waited has its dice
        for words in ["good luck"] if has_chat else []:
            assert words in said(carla)
        assert answer_to(carla, table.say(carla.games, "under_way", SPECTATORS, "hello")).refused is None
        assert "hello" in said(carla)
        kept = host.service.store.answers("under_way")
        assert {key: one.order_id for key, one in kept.items()} == ({("red", "Pay"): "ahead"} if has_chat else {})
    finally:
        carla.games.close()
        host.stop()


def test_a_witnessed_game_whose_order_waits_for_a_player_goes_on_over_an_upgrade(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.rooms.load", toy)
    monkeypatch.setattr("client.connection.games.open_match", open_toy)
    monkeypatch.setattr("client.connection.witness.OLD_LINKS", 1000)  # the earlier program made its chains so short for the test
    shutil.copy(STORES / "witnessed_5.sqlite", tmp_path / "games.sqlite")
    host = Host(tmp_path)
    host.start()
    players = {name: Player(host.address, name) for name in SIDES.values()}
    try:
        matches = {name: opened(one, "w") for name, one in players.items()}
        for name, one in players.items():
            one.until(lambda match=matches[name]: match.log.k == 3)  # type: ignore[misc]
        waited = next(entry for entry in matches["Anna"].log.entries if entry.k == 3)
        assert (waited.player, set(waited.links)) == ("Anna", {"Anna", "Boris", "server"})
        giver, order_id = play_to_strike(players, matches, random.Random(1))
        players[giver].wait(lambda note: isinstance(note, Answered) and note.order_id == order_id)
        report = report_of(players[giver])
        assert (report.holds, {remark.kind for remark in report.remarks}) == (True, {"version"}), report
        assert fouls(*players.values()) == []
    finally:
        for one in players.values():
            one.games.close()
        host.stop()


def opened(one: Player, game: str) -> Match:
    """Return a game that a player follows, when it is there."""
    one.wait(lambda note: isinstance(note, Up))
    one.games.follow(game)
    one.until(lambda: one.games.match(game) is not None)
    match = one.games.match(game)
    assert match is not None
    return match


def games_listed(one: Player) -> dict[str, bool]:
    """Return the games of the lobby's list, and whether each is over."""
    one.wait(lambda note: isinstance(note, Up))
    one.games.send(protocol.ListGames())
    listed = one.wait(lambda note: isinstance(note, protocol.Games))
    assert isinstance(listed, protocol.Games)
    return {line.game: line.over for line in listed.games}


def said(one: Player) -> list[str]:
    """Return what was written at the game under way, when it has come."""
    one.games.send(protocol.ReadChat("under_way"))
    heard = one.wait(lambda note: isinstance(note, protocol.Chat) and note.game == "under_way")
    assert isinstance(heard, protocol.Chat)
    return [line.text for line in heard.lines]


async def played_out(store: SqliteStore, game: str) -> list[Entry]:
    """Take a game up and play it to its end."""
    room, rng = await Room.resume(store, store.game(game), settings=Settings(), keeper=SERVER), random.Random(game)
    while room.match.view.position.outcome is None:
        side = room.match.view.side_to_act()
        await room.order(side, choose(room.match.view, rng), player="Anna", order_id=f"late {len(room.match.log)}")
    return room.match.log.entries


def write_game(store: SqliteStore, game: str) -> bytes:
    stored, log = store.game(game), Log()
    for entry in store.entries(game):
        log.add(entry)
    return write(stored.head, store.pack(stored.pack), log)
