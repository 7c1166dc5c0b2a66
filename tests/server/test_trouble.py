"""What hosts and networks do to a server: restarts, lost answers, silent and deaf clients, damaged stores, a folder already in use."""

from __future__ import annotations

import asyncio
import contextlib
import random
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
import zmq

from client.connection.games import Games, Up
from client.connection.line import Down, Line
from client.connection.notes import Answered, Grown, Ready, Trouble
from client.connection.offline import NO_LINE
from core import protocol
from core.address import Place, parse
from core.errors import BadInput, Refused
from core.log import Pause, Resign
from core.match import Match
from server import running, service
from server.store.sqlite import SqliteStore, holding
from tests.server.conftest import SERVER, Host, Player, of, raw_line, toy_packs
from tests.server.test_play import look_on, open_game, play_on, sit

NewPlayer = Callable[..., Player]


def refuse_ready(_: Place, __: service.Service) -> None:
    raise AssertionError("the server must not come up")


def come_and_go(data: Path) -> service.Service:
    """Start a server, and stop it as soon as it is up."""
    stop = asyncio.Event()
    came: list[service.Service] = []

    def ready(_: Place, running: service.Service) -> None:
        came.append(running)
        stop.set()

    asyncio.run(running.run(data, "tcp://127.0.0.1:*", toy_packs, stop, identity=SERVER, is_open=True, ready=ready))
    return came[0]


def serve(data: Path, address: str = "tcp://127.0.0.1:*") -> None:
    asyncio.run(running.run(data, address, toy_packs, asyncio.Event(), identity=SERVER, is_open=True, ready=refuse_ready))


def test_players_go_on_by_themselves_when_the_server_comes_back(host: Host, player: NewPlayer) -> None:
    anna = player("Anna")
    match = open_game(anna)
    sit(anna, "first", "red")
    sit(anna, "first", "blue")
    play_on(anna, match, random.Random(3), orders=5)
    host.stop()
    anna.wait(lambda note: isinstance(note, Down))
    host.start(host.address)
    anna.wait(lambda note: isinstance(note, Up))
    play_on(anna, match, random.Random(4))
    assert match.view.position.outcome is not None


def without_a_line(host: Host, player: NewPlayer) -> tuple[Player, Match]:
    """Return who plays both sides of a game whose server has stopped, and the game."""
    anna = player("Anna")
    match = open_game(anna)
    sit(anna, "first", "red")
    sit(anna, "first", "blue")
    host.stop()
    anna.wait(lambda note: isinstance(note, Down))
    return anna, match


def test_an_order_typed_while_the_server_was_away_is_given_when_it_is_back(host: Host, player: NewPlayer) -> None:
    anna, match = without_a_line(host, player)
    with anna.games.reading():
        view = match.view
    from core.bots.random_bot import choose

    wanted = anna.games.give("first", view.side_to_act(), choose(view, random.Random(1)))
    host.start(host.address)
    answer = anna.wait(lambda note: isinstance(note, Answered) and note.order_id == wanted)
    assert isinstance(answer, Answered)
    assert answer.refused is None


RED_RESIGNS = protocol.DoAct("first", "red", "act", Resign("red"))


@pytest.mark.parametrize("frame", [
    RED_RESIGNS, protocol.DoAct("first", "red", "act", Pause(on=False)), protocol.Say("first", "game", "act", "so?"),
    protocol.Revoke("first", "red", "act", "Act"),
])
def test_what_is_no_order_is_refused_without_a_line_and_is_not_done_when_it_is_back(
    frame: protocol.DoAct | protocol.Say | protocol.Revoke, host: Host, player: NewPlayer
) -> None:
    """Who had resigned and thought better of it, as nothing came of it, lost when the line was back."""
    anna, match = without_a_line(host, player)
    known = len(match.log)
    anna.games.ask(frame)
    assert anna.notes[-1] == Answered("first", "act", "", NO_LINE)
    host.start(host.address)
    play_on(anna, match, random.Random(1), orders=1)
    assert [type(entry.act) for entry in match.log.entries[known:]] == [type(None)]
    assert not [note for note in anna.notes if isinstance(note, Answered) and note.order_id == "act" and note.refused is None]


@pytest.mark.parametrize("frame", [
    protocol.TakeSeat("first", "blue"), protocol.LeaveSeat("first", "red"), protocol.AskRewind("first", "red", 0),
    protocol.Answer("first", "red", 1, yes=True), protocol.GiveUp("first", "red"), protocol.CreateGame("second", "toy", "duel"),
])
def test_what_is_asked_for_without_an_id_is_refused_without_a_line_as_well(
    frame: protocol.Frame, host: Host, player: NewPlayer
) -> None:
    anna, _ = without_a_line(host, player)
    anna.games.send(frame)
    assert anna.notes[-1] == Answered(getattr(frame, "game", ""), "", "", NO_LINE)


def test_an_act_whose_answer_was_lost_with_the_line_is_asked_for_again_when_it_is_back(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna = player("Anna")
    open_game(anna)
    sit(anna, "first", "red")
    with monkeypatch.context() as patch:
        patch.setattr(Line, "send", lambda line, frame: None)
        anna.games.ask(RED_RESIGNS)
    host.stop()
    anna.wait(lambda note: isinstance(note, Down))
    host.start(host.address)
    answer = anna.wait(lambda note: isinstance(note, Answered) and note.order_id == "act")
    assert isinstance(answer, Answered)
    assert answer.refused is None


def test_a_connection_that_the_server_forgot_says_hello_again_and_misses_nothing(host: Host, player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    match = open_game(anna)
    sit(anna, "first", "red")
    look_on(boris)
    for name in ("Anna", "Boris"):
        for session in host.service.sessions.of(name):
            host.service.sessions.forget(session)
    boris.games.send(protocol.ListGames())
    boris.wait(lambda note: isinstance(note, Up))
    anna.games.send(protocol.ListGames())
    anna.wait(lambda note: isinstance(note, Up))
    play_on(anna, match, random.Random(1), orders=1)
    theirs = boris.games.match("first")
    assert theirs is not None
    boris.wait(lambda note: isinstance(note, Grown) and theirs.log.head == match.log.head)


@pytest.mark.parametrize(
    "name", ["a" * 41, "An\nna", "Anna\n", " Anna", "Anna ", "\x1b[2JAnna", "An\x7fna", "An\u202ena", "An\u200bna", "An\x9bna"]
)
def test_a_name_that_does_not_look_like_what_it_is_is_no_name(name: str) -> None:
    with pytest.raises(BadInput, match="name"):
        protocol.decode_from_client(protocol.encode(protocol.Hello(2, name)))


@pytest.mark.parametrize("name", ["Anna", "Jürgen", "Зоя К.", "李", "O'Neil 2", "Anna Karénina"])
def test_names_of_all_scripts_are_names(name: str) -> None:
    assert protocol.decode_from_client(protocol.encode(protocol.Hello(2, name))) == protocol.Hello(2, name)


@pytest.mark.parametrize("address", ["nonsense", "tcp://", "tcp://h", "tcp://h:0", "tcp://h:65536", "tcp://h:99999", "ipc:///x", "inproc://x",
                                     "tcp://h:1:2", "tcp://h:57\n57", "tcp://h:*", "tcp:// h:1"])
def test_what_is_no_address_is_told(address: str) -> None:
    with pytest.raises(BadInput, match="tcp://HOST:PORT"):
        parse("ADDRESS", address)


@pytest.mark.parametrize("key", ["", "a", "a" * 51, "a" * 52, "A" * 52, "1" * 52])
def test_a_link_whose_key_is_none_is_told(key: str) -> None:
    with pytest.raises(BadInput, match="a join link with a server's key"):
        parse("ADDRESS", f"rasputitsa://127.0.0.1:5757/{key}")


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:5757", "tcp://[::1]:5757", "tcp://host.example:1", "tcp://*:65535"])
def test_addresses(address: str) -> None:
    assert parse("ADDRESS", address).tcp == address


def test_a_second_server_on_a_folder_is_refused_and_the_first_goes_on(host: Host, player: NewPlayer) -> None:
    with pytest.raises(Refused, match="another server runs on"):
        serve(host.data)
    open_game(player("Anna"))


@pytest.mark.parametrize("name", ["games.sqlite", "of the club.sqlite"])
def test_a_second_server_on_a_store_that_a_link_leads_to_is_refused(tmp_path: Path, name: str) -> None:
    folders, store = [tmp_path / "first", tmp_path / "second"], tmp_path / "elsewhere" / name
    for folder in (*folders, store.parent):
        folder.mkdir()
    for folder in folders:
        (folder / "games.sqlite").symlink_to(store)
    with holding(folders[0]), pytest.raises(Refused, match="another server runs on"):
        serve(folders[1])
    come_and_go(folders[1])


def test_a_server_on_a_folder_keeps_off_one_whose_store_is_a_link_into_it(host: Host, tmp_path: Path) -> None:
    folder = tmp_path / "second"
    folder.mkdir()
    (folder / "games.sqlite").symlink_to(host.data / "games.sqlite")
    with pytest.raises(Refused, match=re.escape(f"another server runs on {host.data}")):
        serve(folder)
    host.stop()
    come_and_go(folder)


def test_a_lock_that_a_disk_made_nonsense_of_keeps_no_server_from_starting_and_lets_no_second_one(tmp_path: Path) -> None:
    guard = tmp_path / "in-use.sqlite"
    guard.write_bytes(b"nonsense" * 1000)
    with holding(tmp_path):
        guard.write_bytes(b"nonsense" * 1000)
        with pytest.raises(Refused, match="another server runs on"), holding(tmp_path):
            pass
    come_and_go(tmp_path)


def test_a_lock_that_is_no_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "in-use.sqlite").mkdir()
    with pytest.raises(OSError, match=r"in-use\.sqlite"):
        serve(tmp_path)


def test_links_to_two_stores_in_one_folder_are_two_servers(tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "games.sqlite").symlink_to(tmp_path / f"{name}.sqlite")
            stack.enter_context(holding(tmp_path / name))


def test_a_store_that_has_another_name_is_refused_as_each_would_have_a_journal_of_its_own(host: Host, tmp_path: Path) -> None:
    other = tmp_path / "second" / "games.sqlite"
    other.parent.mkdir()
    other.hardlink_to(host.data / "games.sqlite")
    with pytest.raises(BadInput, match="2 names of this file") as told:
        serve(other.parent)
    assert "rasputitsa backup" in str(told.value)
    other.unlink()
    host.stop()
    come_and_go(host.data)


def test_a_folder_in_place_of_a_store_is_told_as_one(tmp_path: Path) -> None:
    (tmp_path / "games.sqlite").mkdir()  # as container programs make one for a volume of a file that is not there
    with pytest.raises(BadInput, match="expected a store of games, got a folder"):
        serve(tmp_path)


def test_a_folder_is_free_when_its_server_has_ended(host: Host) -> None:
    host.stop()
    with holding(host.data):
        pass
    host.start()


def test_an_address_in_use_is_an_error_of_the_system(host: Host, tmp_path: Path) -> None:
    with pytest.raises(OSError, match=re.escape(host.place.tcp)):
        serve(tmp_path / "other", host.place.tcp)


def damaged(data: Path, table: str, change: str) -> None:
    """Change a store that is append-only."""
    with closing(sqlite3.connect(data / "games.sqlite")) as store, store:
        triggers = store.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?", (table,)).fetchall()
        for name, _ in triggers:
            store.execute(f"DROP TRIGGER {name}")
        store.execute(change)
        for _, trigger in triggers:
            store.execute(trigger)


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("games", "UPDATE games SET head = x'c1' WHERE game = 'bad'"),
        ("entries", "UPDATE entries SET entry = x'c1' WHERE game = 'bad'"),
        ("games", "UPDATE games SET pack = 'another' WHERE game = 'bad'"),
    ],
)
def test_a_game_that_can_not_be_read_keeps_no_other_from_going_on(table: str, change: str, host: Host, player: NewPlayer) -> None:
    anna = player("Anna")
    open_game(anna, "good")
    anna.games.send(protocol.CreateGame("bad", "toy", "duel"))
    anna.wait(lambda note: isinstance(note, protocol.Games))
    host.stop()
    damaged(host.data, table, change)
    host.start()
    again = player("Anna")
    again.wait(lambda note: isinstance(note, Up))
    again.games.follow("good")
    again.wait(lambda note: isinstance(note, Ready))
    again.games.follow("bad")
    assert "a game that can be read" in str(again.wait(lambda note: isinstance(note, Trouble)))
    again.games.send(protocol.CreateGame("bad", "toy", "duel"))
    assert "can't be taken up" in str(again.wait(lambda note: isinstance(note, Answered)))


def test_a_pack_that_was_changed_in_the_store_is_told_by_the_server_and_played_by_nobody(host: Host, player: NewPlayer) -> None:
    open_game(player("Anna"))
    host.stop()
    damaged(host.data, "packs", "UPDATE packs SET data = CAST(data || x'0a' AS BLOB) WHERE name = 'units.toml'")
    host.start()
    again = player("Anna")
    again.wait(lambda note: isinstance(note, Up))
    again.games.follow("first")
    assert "pack in the store: expected files of hash" in str(again.wait(lambda note: isinstance(note, Trouble)))


def test_accounts_that_can_not_be_read_are_told_and_another_time_than_a_time_is_none(host: Host, player: NewPlayer) -> None:
    open_game(player("Anna"))
    host.stop()
    for kept in ("'soon'", "-1", "9223372036854775807"):
        damaged(host.data, "alive", f"INSERT OR REPLACE INTO alive VALUES (1, {kept})")
        store = SqliteStore(host.data / "games.sqlite")
        assert store.alive_ms() is None
        store.close()
        come_and_go(host.data)
    damaged(host.data, "accounts", "UPDATE accounts SET act = x'c1' WHERE number = 0")
    with pytest.raises(BadInput, match="accounts in the store: act 0"):
        come_and_go(host.data)
    shutil.rmtree(host.data)
    host.start()


@pytest.mark.parametrize("seed", range(12))
def test_a_damaged_store_is_told_or_serves_what_is_whole(seed: int, host: Host, player: NewPlayer) -> None:
    open_game(player("Anna"))
    host.stop()
    file = host.data / "games.sqlite"
    data, rng = bytearray(file.read_bytes()), random.Random(seed)
    for _ in range(rng.randrange(1, 40)):
        at = rng.randrange(len(data))
        data[at : at + 8] = rng.randbytes(8)
    file.write_bytes(data if seed % 3 else data[: rng.randrange(len(data))])
    with contextlib.suppress(BadInput, OSError):
        come_and_go(host.data)
    shutil.rmtree(host.data)
    host.start()


def test_an_emptied_table_of_the_store_is_told(host: Host) -> None:
    host.stop()
    with closing(sqlite3.connect(host.data / "games.sqlite")) as store, store:
        store.execute("DROP TABLE orders")
    with pytest.raises(BadInput, match="none called orders"):
        SqliteStore(host.data / "games.sqlite")
    (host.data / "games.sqlite").unlink()
    host.start()


def test_a_client_that_never_reads_costs_the_others_nothing(host: Host, player: NewPlayer) -> None:
    anna = player("Anna")
    match = open_game(anna)
    sit(anna, "first", "red")
    sit(anna, "first", "blue")
    with raw_line(host, of("Deaf"), RCVHWM=1, RCVBUF=4096) as deaf:
        deaf.send(protocol.encode(protocol.Hello(protocol.VERSION, "Deaf", of("Deaf").key)))
        for _ in range(500):
            deaf.send(protocol.encode(protocol.Follow("first")))
            deaf.send(protocol.encode(protocol.NeedPack(match.setting.pack)))
        play_on(anna, match, random.Random(2))
    assert match.view.position.outcome is not None


def test_connections_that_say_nothing_cost_the_others_nothing(host: Host, player: NewPlayer) -> None:
    dumb = [zmq.Context.instance().socket(zmq.DEALER) for _ in range(200)]
    try:
        for socket in dumb:
            socket.setsockopt(zmq.LINGER, 0)
            socket.connect(host.place.tcp)
        anna = player("Anna")
        assert isinstance(anna.games, Games)
        open_game(anna)
    finally:
        for socket in dumb:
            socket.close()
