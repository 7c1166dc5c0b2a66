"""Closing the window that hosts: who is there is said, and the server ends or serves on until the last player leaves."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from client.lobby import Lobby
from client.window import MainWindow
from core.address import parse
from core.identity import fingerprint
from core.pack import Pack
from tests.client.conftest import delete
from tests.client.test_remote import settings
from tests.server.conftest import free_pair


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> int:
    """The usual port of a server here."""
    port = free_pair()
    monkeypatch.setattr("client.meeting.joining.PORT", port)
    return port


@pytest.fixture
def taken(port: int) -> Iterator[None]:
    """Somebody else who has that port."""
    with socket.create_server(("127.0.0.1", port)):
        yield


@pytest.fixture
def hosting(window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, port: int) -> Iterator[MainWindow]:
    """A window that hosts."""
    monkeypatch.setattr("client.meeting.hosting.END_S", 60)  # a server that ends slowly ends: none of these is about one that hangs
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(window.lobby, "keys", tmp_path / "data" / "rasputitsa")  # the key of whoever starts the server, which owns it
    window.lobby.name.setText("Olga")
    window.host()
    qtbot.waitUntil(lambda: window.lobby.state.text().startswith("Connected as Olga"))
    listeners = list(window.lobby.hosting._listeners)  # also to a server that is left to itself
    yield window
    window.lobby.hosting.stop()
    window.lobby.hosting.wait()
    for listener in listeners:
        listener.join()


def press(window: MainWindow, words: str) -> None:
    next(made for made in window.notice.findChildren(QPushButton) if made.text() == words and not made.isHidden()).click()


def server_of(window: MainWindow) -> subprocess.Popen[bytes]:
    process = window.lobby.hosting._process
    assert process is not None
    return process


def test_a_window_that_hosts_asks_before_it_closes_and_may_stay(hosting: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosting.lobby, "others_here", lambda: ("Anna", "Boris"))
    assert not hosting.close()
    assert hosting.isVisible()
    assert hosting.notice.title.text() == "This window hosts a server"
    assert hosting.notice.lines.text().startswith("Connected now: Anna, Boris.\nAll games are kept")
    press(hosting, "Stay here")
    assert not hosting.notice.isVisible()
    assert hosting.lobby.hosting.runs


@pytest.mark.parametrize("words", ["End the server and close", "Keep serving until the last player leaves"])
def test_either_way_the_window_closes_and_the_server_ends_in_its_time(hosting: MainWindow, qtbot: QtBot, words: str) -> None:
    process = server_of(hosting)
    assert not hosting.close()
    assert "Nobody else is connected." in hosting.notice.lines.text()
    press(hosting, words)
    qtbot.waitUntil(lambda: not hosting.isVisible())
    if words.startswith("Keep"):
        assert process.poll() is None  # it serves on
        process.terminate()
    assert process.wait(20) == 0


def test_a_signal_of_the_system_asks_nobody_and_leaves_the_server_to_its_players(hosting: MainWindow) -> None:
    process = server_of(hosting)
    hosting.is_ended = lambda: True
    assert hosting.close()
    assert process.poll() is None
    process.terminate()
    assert process.wait(20) == 0


def test_who_is_there_is_read_off_the_seats_and_the_table(hosting: MainWindow) -> None:
    assert hosting.lobby.others_here() == ()


def test_whoever_is_connected_is_told_of_without_a_seat_too(hosting: MainWindow, qtbot: QtBot, toy: Pack, tmp_path: Path) -> None:
    dora = Lobby([toy], settings(tmp_path, "Dora"), keys=tmp_path / "Dora")
    dora.address.setText(hosting.lobby.address.text())
    dora.connect_()
    qtbot.waitUntil(lambda: dora.state.text().startswith("Connected as Dora"))
    hosting.lobby._timer.stop()  # as while a match is shown: who is there is asked for when the window shall close
    assert not hosting.close()
    qtbot.waitUntil(lambda: hosting.notice.lines.text().startswith("Connected now: Dora."))
    press(hosting, "Stay here")
    dora.close_down()
    delete(dora)


@pytest.mark.parametrize("addresses", [["0.0.0.0"], []])
def test_a_window_that_comes_back_to_its_server_has_a_link_for_others(
    hosting: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, addresses: list[str]
) -> None:
    monkeypatch.setattr("client.connection.own.addresses", lambda: addresses)
    key = hosting.lobby.hosting.link.rpartition("/")[2]
    again = Lobby([], settings(hosting.lobby.keys, "again"), keys=hosting.lobby.keys)
    again.name.setText("Olga")
    again._join_own()
    qtbot.waitUntil(lambda: again.state.text().startswith("Connected as Olga"))
    host = addresses[0] if addresses else "127.0.0.1"
    assert again.hall.link == again.hall.people.link == f"rasputitsa://{host}:{again._place.port}/{key}"
    assert again.state.text().endswith("on this computer alone") is (host == "127.0.0.1")
    again.hall.tabs["people"].click()
    told = f"The fingerprint of this server is {fingerprint(key)}"
    qtbot.waitUntil(lambda: again.hall.people.how.text().startswith(told))
    assert again.state.toolTip() == told
    again.close_down()
    delete(again)


@pytest.mark.usefixtures("taken")
def test_where_another_has_the_usual_port_a_window_hosts_on_the_next_one_and_comes_back_to_it(
    hosting: MainWindow, qtbot: QtBot, port: int
) -> None:
    lobby = hosting.lobby
    link = parse("link", lobby.hosting.link)
    assert link.port == port + 2
    process = server_of(hosting)
    lobby.hosting.leave_alone()
    lobby._disconnect()
    lobby.host()
    qtbot.waitUntil(lambda: lobby.state.text().startswith("Connected as Olga"))
    assert parse("link", lobby.hall.people.link).place.endswith(f":{link.port}")
    process.terminate()
    assert process.wait(20) == 0


@pytest.mark.parametrize("came_back", [True, False])
def test_a_window_ends_its_own_server_from_among_its_people_also_when_it_came_back_to_it(
    hosting: MainWindow, qtbot: QtBot, came_back: bool
) -> None:
    process = server_of(hosting)
    lobby = hosting.lobby
    if came_back:
        lobby.hosting.leave_alone()
        lobby._disconnect()
        lobby.host()
        qtbot.waitUntil(lambda: lobby.state.text().startswith("Connected as Olga"))
    lobby.hall.tabs["people"].click()
    people = lobby.hall.people
    qtbot.waitUntil(people.end.isVisible)
    people.end.click()
    assert process.poll() is None
    people.end_now.click()
    assert process.wait(20) == 0
    qtbot.waitUntil(lambda: lobby.door.state.text().startswith("The server was ended; its games are kept"))
    assert lobby.door.isVisible()


def test_a_window_that_left_its_own_server_does_not_tell_who_was_there_before(hosting: MainWindow) -> None:
    hosting.show_start()
    assert hosting.lobby.others_here() is None
    assert not hosting.close()
    assert hosting.notice.lines.text().startswith("Others may be connected to it")
    press(hosting, "Stay here")


def test_a_server_is_ended_from_the_lobby_only_on_a_second_word(hosting: MainWindow) -> None:
    hosting.lobby._disconnect()
    door = hosting.lobby.door
    door.stop.click()
    assert door.stop_now.isVisible()
    assert hosting.lobby.hosting.runs
    door.stop_now.click()
    assert not hosting.lobby.hosting.runs
    assert not door.stop_now.isVisible()


def test_a_killed_server_gives_no_reason(hosting: MainWindow, qtbot: QtBot) -> None:
    """Its last line told how many games it had at its start."""
    process = hosting.lobby.hosting._process
    assert process is not None
    with qtbot.waitSignal(hosting.lobby.hosting.ended) as ended:
        process.kill()
    assert ended.args == [""]


def test_a_window_that_hosts_nothing_asks_nothing(window: MainWindow) -> None:
    assert window.close()


