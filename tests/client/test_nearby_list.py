"""Servers of the local network on the start page: they come and go while it is seen, and a click joins one."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import msgspec
import pytest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from client.connection.identity import KnownServers
from client.connection.lan import Found
from client.start import StartPage
from client.window import MainWindow
from core import protocol
from core.address import parse

PLACE = parse("address", "tcp://192.0.2.9:5757")
CLUB = Found("club", (PLACE,), "73aufbtt62x6retewoahgrformtj2es2ka4fkibgq7nvu4jik6pq", protocol.VERSION, 2, "new", players=1)


class FakeBrowser:
    """Stands for the network: a test says what is announced."""

    made: ClassVar[list[FakeBrowser]] = []

    def __init__(self, tell: Callable[[tuple[Found, ...]], None], known: KnownServers) -> None:
        self.tell, self.is_open = tell, True
        self.made.append(self)

    def close(self) -> None:
        self.is_open = False


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch) -> list[FakeBrowser]:
    monkeypatch.setattr("client.nearby.Browser", FakeBrowser)
    monkeypatch.setattr("client.meeting.nearby_list.AFTER_MS", 0)
    FakeBrowser.made = []
    return FakeBrowser.made


def words(start: StartPage) -> str:
    return "\n".join(shown.text() for shown in start.nearby.findChildren(QLabel) if not shown.isHidden())


def joins(start: StartPage) -> list[QPushButton]:
    return [made for made in start.nearby.findChildren(QPushButton) if not made.isHidden()]


def test_servers_come_and_go_on_the_start_page_while_it_is_seen(network: list[FakeBrowser], window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: len(network) == 1)
    network[0].tell((CLUB, msgspec.structs.replace(CLUB, name="evening", games=1, players=3)))
    qtbot.waitUntil(lambda: "evening" in words(window.start))
    assert words(window.start) == "club\n1 player · 2 games\nevening\n3 players · 1 game"
    network[0].tell(())
    qtbot.waitUntil(lambda: "No server is announced" in words(window.start))
    window.join()
    qtbot.waitUntil(lambda: not network[0].is_open)


def test_a_click_on_a_server_joins_it(
    network: list[FakeBrowser], window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    joined: list[str] = []
    monkeypatch.setattr(window.lobby, "join", joined.append)
    window.start.nearby.show_servers((CLUB,))
    joins(window.start)[0].click()
    assert joined == [PLACE.link]
    assert window.pages.currentWidget() is window.lobby


def test_a_server_of_another_version_cannot_be_joined_and_more_than_three_are_counted(
    network: list[FakeBrowser], window: MainWindow, qtbot: QtBot
) -> None:
    old = msgspec.structs.replace(CLUB, version=protocol.VERSION - 1)
    window.start.nearby.show_servers((old, CLUB, CLUB, CLUB, CLUB))
    assert [made.isEnabled() for made in joins(window.start)] == [False, True, True]
    assert "another version" in joins(window.start)[0].toolTip()
    qtbot.waitUntil(lambda: "and 2 more" in words(window.start))


def test_a_network_that_cannot_be_asked_is_told(window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(tell: object, known: object) -> None:
        raise OSError(100, "Network is down")

    monkeypatch.setattr("client.nearby.Browser", refuse)
    window.start.nearby._look()
    qtbot.waitUntil(lambda: words(window.start) == "Network is down")


def test_a_server_of_ones_own_is_told_from_those_of_others(network: list[FakeBrowser], window: MainWindow) -> None:
    own = msgspec.structs.replace(CLUB, state="own")
    window.start.nearby.show_servers((own,))
    assert words(window.start) == "Your own server, club\n1 player · 2 games"
    window.join()
    window.lobby.around.show_nearby((own,))
    told = [shown.text() for shown in window.lobby.door.findChildren(QLabel)]
    assert any(line.startswith("Your own server, club") and line.endswith("runs on this computer") for line in told)


def test_a_server_that_was_just_started_here_is_ones_own_before_it_was_ever_joined(
    network: list[FakeBrowser], window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.join()
    monkeypatch.setattr(window.lobby.hosting, "link", msgspec.structs.replace(PLACE, key=CLUB.key).link)
    window.lobby.around.show_nearby((CLUB, msgspec.structs.replace(CLUB, name="evening", key="b" * 51 + "q")))
    told = [shown.text() for shown in window.lobby.door.findChildren(QLabel)]
    assert any(line.startswith("Your own server, club") and line.endswith("runs on this computer") for line in told)
    assert any(line.startswith("evening") and line.endswith("not met before") for line in told)


def test_the_door_says_what_its_buttons_do_and_leads_back_at_its_top(window: MainWindow) -> None:
    window.join()
    door = window.lobby.door
    assert door.host.text() == "Start a server"
    door.show_hosting(runs=True)
    assert door.host.text() == "Join your server"
    back = next(made for made in door.findChildren(QPushButton) if made.text() == "Back to the start page")
    assert back.mapTo(door, back.rect().bottomLeft()).y() < door.address.mapTo(door, door.address.rect().topLeft()).y()
    back.click()
    assert window.pages.currentWidget() is window.start


def test_ones_own_server_is_joined_where_it_is_remembered_already(network: list[FakeBrowser], window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: len(network) == 1)
    network[0].tell((msgspec.structs.replace(CLUB, state="own"), msgspec.structs.replace(CLUB, name="evening")))
    qtbot.waitUntil(lambda: "evening" in words(window.start))
    wanted: list[str] = []
    window.start.nearby.join_wanted.disconnect()
    window.start.nearby.join_wanted.connect(wanted.append)
    for made in joins(window.start):
        made.click()
    assert [parse("wanted", link).place for link in wanted] == ["127.0.0.1:5757", "192.0.2.9:5757"]
