"""Games over a server, as windows see them; over a real line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from weakref import ref

import pytest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from client.connection.lan import Found
from client.connection.line import Down
from client.game import GamePage
from client.lobby import Lobby
from client.qt import QSettings, Qt, QTimer
from client.remote import RemotePage
from client.session.match import Match
from client.session.remote import RemoteMatch
from client.window import MainWindow
from core import protocol
from core.address import parse
from core.errors import Refused
from core.identity import fingerprint
from core.options import options
from core.orders import Order, Picks, compose
from core.pack import Pack
from core.views import View
from rasputitsa.local_server import local_server
from rasputitsa.packs import load_pack
from tests.client.conftest import delete, no_collector
from tests.server.conftest import free_pair


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with local_server(tmp_path_factory.mktemp("server")) as bound:
        yield bound


@pytest.fixture
def pack() -> Pack:
    return load_pack("war_for_the_motherland")


def settings(folder: Path, name: str) -> QSettings:
    made = QSettings(str(folder / f"{name}.ini"), QSettings.Format.IniFormat)
    made.setValue("player", name)
    return made


@pytest.fixture
def lobbies(qtbot: QtBot, qapp: object, pack: Pack, tmp_path: Path, address: str) -> Iterator[tuple[Lobby, Lobby]]:
    """Two people connected to the server."""
    made = []
    for name in (f"Anna {tmp_path.name[-12:]}", f"Boris {tmp_path.name[-12:]}"):
        lobby = Lobby([pack], settings(tmp_path, name), keys=tmp_path / name)
        lobby.address.setText(address)
        lobby.connect_()
        qtbot.waitUntil(lambda lobby=lobby: lobby.state.text().startswith("Connected"))
        made.append(lobby)
    yield made[0], made[1]
    for lobby in made:
        lobby.close_down()
        delete(lobby)


def first_order(view: View) -> Order:
    """Return the first order that the doors lead to."""
    walk: Picks = ()
    while not (offered := options(view, walk)).complete:
        walk = (*walk, offered.picks[-1])
    return compose(view.ruleset.orders[walk[0].option].order, walk[1:])  # type: ignore[union-attr]


def open_game(qtbot: QtBot, lobby: Lobby, game: str, side: str) -> RemoteMatch:
    lobby.take(game, side)
    qtbot.waitUntil(lambda: lobby.match is not None and side in lobby.match.my_sides())
    assert lobby.match is not None
    return lobby.match


def new_game(qtbot: QtBot, lobby: Lobby) -> str:
    seen: list[str] = []
    assert lobby.link is not None
    lobby.link.heard.connect(lambda note: seen.extend(line.game for line in getattr(note, "games", ())))
    game = lobby.begin_game()
    qtbot.waitUntil(lambda: game in seen)
    return game


def test_two_players_see_each_others_orders(qtbot: QtBot, lobbies: tuple[Lobby, Lobby]) -> None:
    anna, boris = lobbies
    game = new_game(qtbot, anna)
    one, other = open_game(qtbot, anna, game, "axis"), open_game(qtbot, boris, game, "soviet")
    mine, his = (one, other) if one.view.side_to_act() == "axis" else (other, one)
    assert mine.may_act
    assert not his.may_act
    with pytest.raises(Refused):
        his.order(first_order(his.view))
    before = his.view.position.digest()
    mine.order(first_order(mine.view))
    assert mine.awaits_answer
    assert not mine.may_act
    qtbot.waitUntil(lambda: his.view.position.digest() != before and not mine.awaits_answer)
    assert his.view.position.digest() == mine.view.position.digest()


def test_who_opens_a_game_of_other_charts_or_counters_than_his_is_told_which(
    qtbot: QtBot, qapp: object, pack: Pack, tmp_path: Path, address: str
) -> None:
    """A host's pack of the title that everybody knows had six steps for her counters, and no program said a word."""
    units = pack.files["units.toml"] + b"\n# of one's own\n"
    told = {}
    for name, packs in {"alike": [pack], "apart": [Pack(pack.files, {"units.toml": units})]}.items():
        lobby = Lobby(packs, settings(tmp_path, f"{name} {tmp_path.name[-12:]}"), keys=tmp_path / name)
        said: list[str] = []
        lobby.said.connect(said.append)
        lobby.address.setText(address)
        lobby.connect_()
        qtbot.waitUntil(lambda lobby=lobby: lobby.state.text().startswith("Connected"))
        game = new_game(qtbot, lobby)
        lobby.follow(game)
        qtbot.waitUntil(lambda lobby=lobby: lobby.match is not None)
        told[name] = [words for words in said if "files" in words]
        lobby.close_down()
        delete(lobby)
    assert told == {"alike": [], "apart": ["This game is played with other files than yours: units.toml"]}


def test_taking_back_alone_is_free(qtbot: QtBot, lobbies: tuple[Lobby, Lobby]) -> None:
    anna, _ = lobbies
    match = open_game(qtbot, anna, new_game(qtbot, anna), "axis")
    if match.view.side_to_act() != "axis":
        pytest.skip("the scenario begins with the other side")
    before = match.view.position.digest()
    match.order(first_order(match.view))
    with pytest.raises(Refused, match="not answered"):
        match.undo()
    qtbot.waitUntil(lambda: match.view.position.digest() != before and not match.awaits_answer)
    match.undo()
    qtbot.waitUntil(lambda: match.view.position.digest() == before)


def connected(window: MainWindow, qtbot: QtBot, folder: Path, address: str) -> None:
    """Let somebody new join the server by the window's lobby."""
    name = f"Carla {folder.name[-12:]}"
    window.show()
    window.join()
    window.lobby.settings = settings(folder, name)
    window.lobby.address.setText(address)
    window.lobby.name.setText(name)
    window.lobby.connect_()
    qtbot.waitUntil(lambda: window.lobby.state.text().startswith("Connected"))


def test_the_window_shows_a_game_of_the_server(qtbot: QtBot, pack: Pack, tmp_path: Path, address: str) -> None:
    window = MainWindow([pack], folder=tmp_path)
    connected(window, qtbot, tmp_path, address)
    window.lobby.take(new_game(qtbot, window.lobby), "axis")
    qtbot.waitUntil(lambda: window.game is not None and window.game.match.may_act)
    page = window.game
    assert page is not None
    page.warns = False  # of what the phase's end leaves undone
    choice = page.prompt.keyed[-1]
    page.choose(choice)
    qtbot.waitUntil(lambda: len(page.match.moments()) == 2)
    window.close()
    delete(window)


def test_a_servers_game_is_shown_in_a_stretch_of_its_own_with_what_came_after_its_page_was_built(
    qtbot: QtBot, pack: Pack, tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = MainWindow([pack], folder=tmp_path)
    connected(window, qtbot, tmp_path, address)
    build, shown_then = window.new_page, list[object]()

    def break_line() -> None:
        shown_then.append(window.game)
        window.lobby.line_changed.emit(Down("cable", 0))

    def build_and_break(match: Match, *, at_once: bool = True) -> GamePage:
        QTimer.singleShot(0, window, break_line)
        return build(match, at_once=at_once)

    monkeypatch.setattr(window, "new_page", build_and_break)
    window.lobby.take(new_game(qtbot, window.lobby), "axis")
    qtbot.waitUntil(lambda: window.game is not None)
    assert shown_then == [None]
    assert isinstance(window.game, RemotePage)
    assert "cable" in window.game.bar.words.text()
    window.close()
    delete(window)


def test_a_server_that_is_not_there_is_named(qtbot: QtBot, qapp: object, pack: Pack, tmp_path: Path) -> None:
    lobby = Lobby([pack], settings(tmp_path, "Dora"), keys=tmp_path)
    lobby.address.setText("nonsense://here")
    lobby.connect_()
    assert lobby.door.faults["address"].text().startswith("Server: expected tcp://HOST:PORT")
    lobby.address.setText("127.0.0.1:1")
    lobby.connect_()
    assert not lobby.door.faults["address"].text()
    qtbot.waitUntil(lambda: lobby.state.text().startswith("No line"))
    lobby.close_down()
    delete(lobby)


def test_whoever_is_not_taken_in_reads_why_and_can_try_again(
    qtbot: QtBot, qapp: object, pack: Pack, tmp_path: Path, lobbies: tuple[Lobby, Lobby], address: str
) -> None:
    anna, _ = lobbies
    lobby = Lobby([pack], settings(tmp_path, "Mallory"), keys=tmp_path / "Mallory")
    lobby.address.setText(address)
    lobby.name.setText(anna.name.text())
    lobby.connect_()
    qtbot.waitUntil(lambda: "belongs to somebody else" in lobby.door.faults["name"].text())
    assert lobby.link is None
    lobby.name.setText(f"Mallory {tmp_path.name[-12:]}")
    lobby.connect_()
    qtbot.waitUntil(lambda: lobby.state.text().startswith("Connected as Mallory"))
    lobby.close_down()
    delete(lobby)


def test_whoever_hosts_is_connected_and_reads_the_link_for_the_others(
    qtbot: QtBot, qapp: object, pack: Pack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("client.meeting.joining.PORT", free_pair())
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    lobby = Lobby([pack], settings(tmp_path, "Olga"), keys=tmp_path / "rasputitsa")
    lobby.host()
    told = "Connected as Olga. Anybody on this network may join, others by rasputitsa://"
    qtbot.waitUntil(lambda: lobby.state.text().startswith(told))
    lobby.close_down()
    delete(lobby)


def test_whoever_hosts_where_a_server_runs_already_joins_that_one(
    qtbot: QtBot, qapp: object, pack: Pack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("client.meeting.joining.PORT", free_pair())
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    first, second = (Lobby([pack], settings(tmp_path, name), keys=tmp_path / name) for name in ("Olga", "Pavel"))
    first.host()
    qtbot.waitUntil(lambda: first.state.text().startswith("Connected as Olga"))
    second.host()
    qtbot.waitUntil(lambda: second.state.text().startswith("Connected as Pavel"))
    for one in (second, first):
        one.close_down()
        delete(one)


def test_servers_on_the_local_network_are_listed_and_joined_by_a_button(
    qtbot: QtBot, qapp: object, pack: Pack, tmp_path: Path, address: str
) -> None:
    lobby = Lobby([pack], settings(tmp_path, "Emma"), keys=tmp_path)
    lobby.name.setText(f"Emma {tmp_path.name[-12:]}")
    lobby.show()
    server = parse("address", address)
    lobby.around.show_nearby((Found("evening", (server,), server.key, protocol.VERSION, 3, "new"),))
    line = next(part for part in lobby.door.findChildren(QLabel) if part.text().startswith("evening"))
    assert fingerprint(server.key) in line.text()
    qtbot.mouseClick(next(part for part in lobby.door.findChildren(QPushButton) if part.text() == "Join"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: lobby.state.text().startswith("Connected as Emma"))
    lobby.around.show_nearby((Found("other", (server,), server.key, protocol.VERSION, 3, "new"),))
    assert not any(part.text().startswith("other") for part in lobby.door.findChildren(QLabel))
    lobby.close_down()
    delete(lobby)


def test_a_game_of_a_server_that_is_left_goes_at_once_with_all_that_was_known_of_it(
    qtbot: QtBot, pack: Pack, tmp_path: Path, address: str
) -> None:
    window = MainWindow([pack], folder=tmp_path)
    connected(window, qtbot, tmp_path, address)
    window.lobby.take(new_game(qtbot, window.lobby), "axis")
    qtbot.waitUntil(lambda: window.game is not None and window.game.match.may_act)
    match = window.page().match
    assert isinstance(match, RemoteMatch)
    there = ref(window.page()), ref(window.page().scene), ref(match), ref(match.match), ref(match.games)
    del match
    with no_collector():
        window.show_start()
        qtbot.waitUntil(lambda: [one() for one in there] == [None] * 5)
    window.close()
    delete(window)
