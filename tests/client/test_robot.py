"""A robot plays a whole turn through the real window, by mouse and keys alone, against the real server."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.qt import QSettings, Qt
from client.window import MainWindow
from core import protocol
from core.board import Hex
from core.orders import OptionPick, Pick
from rasputitsa.local_server import local_server
from rasputitsa.packs import load_pack
from tests.client.conftest import delete, managed
from tests.client.test_remote import new_game, settings

ACTS = 3  # orders in a phase before the robot ends it
ENOUGH = 1500  # presses and clicks


@pytest.fixture
def page(qtbot: QtBot, tmp_path: Path) -> Iterator[GamePage]:
    """The page of a game on a server of its own, both sides' seats taken by whoever sits here."""
    QSettings("rasputitsa", "rasputitsa").clear()  # a panel that floated in another test would take the keys
    with local_server(tmp_path / "server") as address:
        window = MainWindow([load_pack("war_for_the_motherland")], folder=tmp_path)
        window.resize(1600, 1000)
        window.show()
        qtbot.waitExposed(window)
        window.join()
        window.lobby.settings = settings(tmp_path, "Robot")
        window.lobby.address.setText(address)
        window.lobby.name.setText("Robot")
        qtbot.mouseClick(window.lobby.go, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: window.lobby.state.text().startswith("Connected"))
        titles = [window.lobby.new.itemText(i) for i in range(window.lobby.new.count())]
        window.lobby.new.setCurrentIndex(next(i for i, title in enumerate(titles) if title.startswith("Turning Point")))
        game = new_game(qtbot, window.lobby)
        assert window.lobby.link is not None
        window.lobby.link.games.send(protocol.TakeSeat(game, "soviet"))
        window.lobby.take(game, "axis")
        qtbot.waitUntil(lambda: window.game is not None and window.game.match.may_act)
        assert window.game is not None
        window.game.warns = False  # of what the end of a phase leaves undone
        window.game.animates = False
        with managed(window):
            yield window.game
        window.close()
        delete(window)


class Robot:
    """Picks at random what is open, and ends each phase after a few orders."""

    def __init__(self, page: GamePage, qtbot: QtBot) -> None:
        self.page, self.qtbot = page, qtbot
        self.rng = random.Random(7)
        self.done: Counter[str] = Counter()
        self.orders = 0
        self.picks_in_a_row = 0

    def act(self) -> None:
        """Press a key or the mouse once."""
        composer = self.page.composer
        doors = [door.pick for door in composer.offer().doors if door.is_open]
        ends = [pick for pick in doors if isinstance(pick, OptionPick) and pick.option.startswith("end")]
        if composer.is_complete and (not doors or self.rng.random() < 0.6):
            self.key(Qt.Key.Key_Return)
        elif not composer.picks and ends and self.orders >= ACTS:
            self.pick(ends[0])
        elif doors:
            self.pick(self.rng.choice(doors))
        else:
            self.key(Qt.Key.Key_Escape)

    def pick(self, pick: Pick) -> None:
        """Take a pick as a player does: by its number, on the map, or by its button."""
        page = self.page
        keyed = {choice.pick: choice.number for choice in page.prompt.keyed if choice.number is not None}
        place = page.composer.place_of(pick)
        on_map = place is not None and place >= 0
        if pick in keyed and not (on_map and self.rng.random() < 0.7):
            self.key(Qt.Key(Qt.Key.Key_0 + keyed[pick]))
            return
        if on_map and place is not None:
            self.click(Hex(place))
            return
        later = [choice for choice in page.prompt._open if choice.pick == pick]
        buttons = [one for one in page.prompt.findChildren(QPushButton) if one.isVisible() and one.objectName() != "closed"]
        if later and buttons:
            self.done["button"] += 1
            self.qtbot.mouseClick(buttons[page.prompt._open.index(later[0])], Qt.MouseButton.LeftButton)
        else:
            self.key(Qt.Key.Key_Escape)

    def key(self, key: Qt.Key) -> None:
        self.done[key.name] += 1
        self.page.map.setFocus()
        self.qtbot.keyClick(self.page.map, key)

    def click(self, here: Hex) -> None:
        self.done["click"] += 1
        view, scene = self.page.map, self.page.scene
        view.show_hex(here)
        centre = scene.centre(here)
        where = view.mapFromScene(centre.x, centre.y)
        self.qtbot.mouseMove(view.viewport(), where)
        self.qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=where)


def test_a_robot_plays_a_whole_turn_by_mouse_and_keys(page: GamePage, qtbot: QtBot) -> None:
    robot, match = Robot(page, qtbot), page.match
    first, phase, entries = match.view.position.turn, match.view.position.phase, len(match.moments())
    phases = {phase}
    for _ in range(ENOUGH):
        qtbot.waitUntil(lambda: match.may_act and not match.awaits_answer)
        if match.view.position.turn != first:
            break
        robot.act()
        QApplication.processEvents()
        if len(match.moments()) != entries:
            robot.orders, entries = robot.orders + 1, len(match.moments())
        if match.view.position.phase != phase:
            robot.orders, phase = 0, match.view.position.phase
            phases.add(phase)
    assert match.view.position.turn == first + 1, f"still in {match.view.moment()} after {robot.done}"
    assert len(phases) >= 4  # whether the last one asks anything hangs on the dice
    assert robot.done["click"] >= 3
    assert robot.done["Key_Return"] >= 1
    assert len({moment.side for moment in match.moments()} - {""}) == 2
