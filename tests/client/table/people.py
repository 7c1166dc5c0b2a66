"""People at windows of their own, at one table of a real server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from client.qt import QSettings, Qt
from client.remote import RemotePage
from client.window import MainWindow
from core import protocol
from core.orders import Order
from core.pack import Pack
from core.terms import Terms
from tests.server.conftest import Host
from tests.toy.ruleset import Go, Strike

GAME = "table"


class Somebody:
    """A person at a window of his own."""

    def __init__(self, name: str, pack: Pack, folder: Path, qtbot: QtBot) -> None:
        self.name, self.qtbot = name, qtbot
        self.window = MainWindow([pack], folder=folder / name)
        self.window.resize(1500, 900)
        self.window.show()
        self.window.lobby.settings = QSettings(str(folder / f"{name}.ini"), QSettings.Format.IniFormat)
        self.said: list[str] = []

    def join(self, host: Host) -> None:
        lobby = self.window.lobby
        self.window.join()
        lobby.address.setText(host.address)
        lobby.name.setText(self.name)
        lobby.connect_()
        self.until(lambda: lobby.state.text().startswith("Connected"))

    def open(self, side: str = "", seat: str = "") -> None:
        if side:
            self.window.lobby.take(GAME, side, seat)
        else:
            self.window.lobby.follow(GAME)
        self.until(lambda: isinstance(self.window.game, RemotePage) and (not side or side in self.page.match.my_sides()))
        self.page.said.connect(self.said.append)
        self.page.news.connect(self.said.append)

    @property
    def page(self) -> RemotePage:
        page = self.window.game
        assert isinstance(page, RemotePage)
        page.animates = page.warns = False
        return page

    def until(self, holds: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(holds)

    def press(self, words: str, within: QWidget | None = None) -> None:
        """Press the button of these words, as soon as it is there."""

        def found() -> list[QPushButton]:
            return [
                one for one in (within or self.page).findChildren(QPushButton)
                if one.text() == words and one.isVisibleTo(self.window) and one.isEnabled()
            ]

        self.until(lambda: bool(found()))
        self.qtbot.mouseClick(found()[0], Qt.MouseButton.LeftButton)

    def is_asked(self, words: str) -> bool:
        return self.page.question.isVisible() and self.page.question.heading.text() == words

    def log(self) -> str:
        self.page.log.forget()
        self.page.log.show_match(self.page.match)
        return self.page.log.text.toPlainText()


Person = Callable[[str], Somebody]


def begin(one: Somebody, terms: Terms | None = None) -> None:
    assert one.window.lobby.link is not None
    one.window.lobby.link.games.send(protocol.CreateGame(GAME, "toy", "duel", terms=terms or Terms()))
    hall = one.window.lobby.hall
    one.until(lambda: any(line.game == GAME for line in hall._lines or ()))


def said(panel: QWidget) -> list[str]:
    """Return the words of a panel, heading first."""
    return [part.text() for part in panel.findChildren(QLabel)]


def duel(person: Person, terms: Terms | None = None) -> tuple[Somebody, Somebody]:
    anna, boris = person("Anna"), person("Boris")
    begin(anna, terms)
    anna.open("red")
    boris.open("blue")
    for one in (anna, boris):
        one.until(lambda one=one: len(one.page.match.match.table.players()) == 2)  # type: ignore[misc]
    return anna, boris


def a_go(one: Somebody) -> Go:
    """Return an order to the first counter of whoever decides that can go anywhere."""
    view = one.page.match.view
    mine = [unit for unit in view.position.on_map() if view.side(unit.id) == view.side_to_act()]
    return next(Go(unit.id, here) for unit in mine for here in view.board.adjacent[unit.place] if not view.position.at(here))


def a_strike(one: Somebody) -> Strike:
    """Return an order to strike: its outcome hangs on a die."""
    view = one.page.match.view
    mine = [unit for unit in view.position.on_map() if view.side(unit.id) == "red"]
    return next(Strike((unit.id,), here) for unit in mine for here in view.board.adjacent[unit.place] if view.side_at(here, "blue"))


def order(one: Somebody, wanted: Order) -> None:
    """Give an order when the other's last one is known here, and wait for the answer."""
    match = one.page.match
    one.until(lambda: match.view.side_to_act() in match.my_sides())
    match.order(wanted)
    one.page._sent()
    one.until(lambda: not one.page.match.awaits_answer)
