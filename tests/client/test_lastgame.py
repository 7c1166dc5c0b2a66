"""The server's game that was played last: kept while it is open, offered on the start page, gone on with on a running server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from client.connection.lan import Found
from client.lobby import Lobby
from client.map.palette import LIGHT
from client.meeting.joining import RUNS_ALREADY
from client.meeting.lastgame import KEY, LastGame, forget, last_game, remember
from client.qt import QSettings
from client.session.remote import RemoteMatch
from client.session.saved import Listed
from client.start import StartPage
from client.style import sheet
from client.window import MainWindow
from core import protocol
from core.address import Place, parse
from core.pack import Pack
from rasputitsa.local_server import local_server
from rasputitsa.packs import load_pack
from tests.client.conftest import delete
from tests.client.test_remote import settings
from tests.server.conftest import free_pair


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    # The port above is free too, as its key is asked for there.
    with local_server(tmp_path_factory.mktemp("server"), f"tcp://127.0.0.1:{free_pair()}") as bound:
        yield bound


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("war_for_the_motherland")


@pytest.fixture
def kept(tmp_path: Path) -> QSettings:
    return settings(tmp_path, f"Anna {tmp_path.name[-12:]}")  # with a key of his own in each test


@pytest.fixture
def lobby(qtbot: QtBot, qapp: object, pack: Pack, tmp_path: Path, kept: QSettings) -> Iterator[Callable[[], Lobby]]:
    """Return a maker of lobbies of one person, who has begun one game that is open."""
    made: list[Lobby] = []

    def new() -> Lobby:
        made.append(Lobby([pack], kept, keys=tmp_path))
        return made[-1]

    yield new
    for one in made:
        one.close_down()
        delete(one)


def play(qtbot: QtBot, anna: Lobby, address: str) -> str:
    """Connect, begin a game and open it; return its id."""
    anna.address.setText(address)
    anna.connect_()
    qtbot.waitUntil(lambda: anna.state.text().startswith("Connected"))
    game = anna.begin_game()
    qtbot.waitUntil(lambda: not anna._creating)
    with qtbot.waitSignal(anna.match_opened):
        anna.take(game, "soviet")
    return game


def test_a_window_that_went_without_a_word_finds_its_game_again(
    qtbot: QtBot, lobby: Callable[[], Lobby], kept: QSettings, address: str
) -> None:
    game = play(qtbot, lobby(), address)
    last = last_game(QSettings(kept.fileName(), QSettings.Format.IniFormat))  # as the next program reads it
    assert last is not None
    assert (last.game, last.own) == (game, True)
    assert "turning" in last.title.casefold()
    again = lobby()
    with qtbot.waitSignal(again.match_opened) as opened:
        again.go_on(msgspec.structs.replace(last, own=False))
    assert isinstance(opened.args[0], RemoteMatch)
    assert opened.args[0].game == game


def test_the_server_of_this_computer_is_started_or_found_running(
    qtbot: QtBot, lobby: Callable[[], Lobby], kept: QSettings, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = play(qtbot, lobby(), address)
    again, started = lobby(), list[int]()
    monkeypatch.setattr("client.meeting.joining.PORT", parse("server", address).port)
    monkeypatch.setattr(again.hosting, "start", lambda port, *, invited: started.append(port))
    last = last_game(kept)
    assert last is not None
    again.go_on(last)
    assert started != [parse("server", address).port]  # where something runs already
    assert len(started) == 1
    with qtbot.waitSignal(again.match_opened) as opened:
        again.hosting.ended.emit(f"{RUNS_ALREADY} …")
    assert opened.args[0].game == game
    assert "ask its host" not in again.state.text(), "that is who hosts it, and it may be met without a link's key for the first time"


def test_a_game_that_is_there_no_more_is_told_of_and_offered_no_more(
    qtbot: QtBot, lobby: Callable[[], Lobby], kept: QSettings, address: str
) -> None:
    play(qtbot, lobby(), address)
    last = last_game(kept)
    assert last is not None
    again = lobby()
    again.go_on(msgspec.structs.replace(last, own=False, game="gone"))
    qtbot.waitUntil(lambda: last_game(kept) is None)
    assert "not on this server any more" in again.state.text()
    assert again.match is None


def test_a_game_whose_server_is_off_is_offered_again_though_another_server_was_joined_instead(
    qtbot: QtBot, lobby: Callable[[], Lobby], kept: QSettings, address: str
) -> None:
    last = LastGame(f"tcp://127.0.0.1:{free_pair()}", "g1", "Turning Point")
    remember(kept, last)
    anna = lobby()
    anna.name.setText("Anna")
    anna.go_on(last)
    anna.join(address)
    qtbot.waitUntil(lambda: anna.hall._lines is not None)
    assert "not on this server any more" not in anna.state.text()
    assert last_game(kept) == last


def test_a_game_that_is_over_is_offered_no_more(
    qtbot: QtBot, lobby: Callable[[], Lobby], kept: QSettings, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna = lobby()
    play(qtbot, anna, address)
    anna.leave()
    assert last_game(kept) is not None
    again = lobby()
    play(qtbot, again, address)
    assert again.match is not None
    monkeypatch.setattr(type(again.match.match), "outcome", property(lambda match: object()))
    again.come_back()
    assert last_game(kept) is None


def test_the_start_page_offers_the_game(qtbot: QtBot, qapp: object, pack: Pack, tmp_path: Path, kept: QSettings) -> None:
    page = StartPage([pack], lambda _: Listed(), LIGHT, keys=tmp_path, there=lambda: last_game(kept))
    qtbot.addWidget(page)
    assert page.there.isHidden()
    last = LastGame("tcp://192.0.2.7:5757", "g1", "Turning Point", own=False)
    remember(kept, last)
    page.refresh()
    assert not page.there.isHidden()
    assert page.there.text() == "Go on: Turning Point"
    assert "192.0.2.7" in page.there.toolTip()
    with qtbot.waitSignal(page.there_wanted) as wanted:
        page.there.click()
    assert wanted.args == [last]
    forget(kept)
    page.refresh()
    assert page.there.isHidden()
    kept.setValue(KEY, '{"link": 7}')
    assert last_game(kept) is None
    kept.setValue(KEY, '{"link": "nowhere", "game": "g1", "title": "Turning Point"}')
    assert last_game(kept) is None
    page.close_down()


@pytest.mark.parametrize(("servers", "tells_more"), [(2, False), (0, True)])
def test_all_that_begins_a_game_is_seen_at_once_on_a_small_screen(
    qtbot: QtBot, qapp: object, pack: Pack, tmp_path: Path, kept: QSettings, *, servers: int, tells_more: bool
) -> None:
    remember(kept, LastGame("tcp://192.0.2.7:5757", "g1", "War for the Motherland · Turning Point"))
    page = StartPage([pack], lambda _: Listed(), LIGHT, keys=tmp_path, there=lambda: last_game(kept))
    qtbot.addWidget(page)
    page.setStyleSheet(sheet(LIGHT))
    page.resize(1240, 636 if servers else 900)  # what a screen of 1280 x 720 leaves
    page.show()
    places = [Place("192.0.2.7", 5757 + number) for number in range(servers)]
    page.nearby.nearby.found.emit([Found("club", (place,), "a" * 51 + "q", protocol.VERSION, 2, "known") for place in places])
    qtbot.waitUntil(lambda: not page._listed.isActive())
    QApplication.processEvents()
    for made in (page.play, page.there, page.join, page.host):
        low = made.mapTo(page.viewport(), made.rect().bottomLeft()).y()
        assert 0 < low < page.viewport().height(), made.text()
    assert all(card.words.isVisible() == tells_more for card in page._small)
    page.close_down()


def test_the_window_goes_from_the_start_page_to_the_games_server(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, last = list[LastGame](), LastGame("tcp://192.0.2.7:5757", "g1", "Turning Point")
    remember(window.settings, last)
    window.show_start()
    assert window.start.there.isVisible()
    monkeypatch.setattr(window.lobby, "go_on", asked.append)
    window.start.there.click()
    assert asked == [last]
    assert window.pages.currentWidget() is window.lobby
