"""A server's game in the window: players and clocks, chat, offers, dice that wait, the line that breaks; over real sockets."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from client import languages
from client.connection.fouls import Foul
from client.durations import clock_face, how_long
from client.qt import QSettings, Qt
from client.remote import RemotePage
from client.window import MainWindow
from core import protocol
from core.errors import Refused
from core.log import Fallback
from core.orders import OptionPick
from core.pack import Pack
from core.terms import ClockTerms, DiceTerms, SeatTerms, SpectatorTerms, Terms
from core.text import text
from core.units import UnitId
from server import admin
from tests.client.conftest import TOY, delete
from tests.client.test_access import nameless
from tests.client.test_translations import cut, english, low
from tests.server.conftest import Host
from tests.toy.ruleset import End, Go, Strike

GAME = "table"
FAR_MS = 20_000


@pytest.fixture
def host(toy: Pack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    monkeypatch.setattr("server.rooms.load", lambda name: TOY)
    made = Host(tmp_path / "server")
    made.start()
    yield made
    made.stop()


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

    @property
    def page(self) -> RemotePage:
        page = self.window.game
        assert isinstance(page, RemotePage)
        page.animates = page.warns = False
        return page

    def until(self, holds: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(holds, timeout=FAR_MS)

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


@pytest.fixture
def person(qtbot: QtBot, qapp: object, toy: Pack, host: Host, tmp_path: Path) -> Iterator[Callable[[str], Somebody]]:
    QSettings("rasputitsa", "rasputitsa").clear()
    made: list[Somebody] = []

    def new(name: str) -> Somebody:
        made.append(Somebody(name, toy, tmp_path, qtbot))
        made[-1].join(host)
        return made[-1]

    yield new
    for one in made:
        one.window.close()
        delete(one.window)


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


def order(one: Somebody, wanted: Go | Strike | End) -> None:
    one.page.match.order(wanted)
    one.page._sent()
    one.until(lambda: not one.page.match.awaits_answer)


# -------------------------------------------------------------------- players, clocks


def test_the_panel_shows_who_sits_where_who_is_here_and_whom_the_game_waits_for(person: Person) -> None:
    anna, boris = duel(person)
    carla = person("Carla")
    carla.open()
    panel = anna.page.players
    anna.until(lambda: "Carla" in [line.name for line in anna.page.match.talk.people])
    anna.until(lambda: panel.presence["Boris"].text() == "● here")
    assert panel.waits.text().startswith("Waits for the Red, for")
    assert any(one.text() == "Looking on: Carla" for one in panel.findChildren(type(panel.waits)))
    boris.window.close()
    anna.page.match.talk._clock = lambda: anna.page.match.talk.people[0].since_ms + 300_000  # as if much later
    anna.until(lambda: panel.presence["Boris"].text().startswith("○ away for"))


def test_clocks_run_by_the_servers_time_and_warn_when_little_is_left(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    anna, boris = duel(person, Terms(clock=ClockTerms("absolute", 3_600_000)))
    anna.until(lambda: anna.page.match.talk.waiting is not None)
    talk = anna.page.match.talk
    now = talk.now_ms()
    began = anna.page.match.match.table.clocks
    monkeypatch.setattr(talk, "now_ms", lambda: began.at_ms + 1_800_000)
    anna.page.players.tick()
    assert anna.page.players.clocks["red"].text() == "30:00"
    assert anna.page.players.clocks["blue"].text() == "1:00:00"
    monkeypatch.setattr(talk, "now_ms", lambda: began.at_ms + 3_550_000)
    anna.page._tick()
    assert anna.page.players.clocks["red"].text() == "0:50"
    assert anna.page.palette_.danger in anna.page.players.clocks["red"].styleSheet()
    assert anna.page.header.waits.text().endswith("0:50")
    assert now >= began.at_ms
    assert boris.page.players.clocks.keys() == {"red", "blue"}


def test_a_flag_that_falls_is_claimed_on_a_card(person: Person) -> None:
    anna, boris = duel(person, Terms(clock=ClockTerms("absolute", 1, on_flag="claim")))
    boris.until(lambda: boris.is_asked("The time of the others is out"))
    boris.press("Claim the game")
    for one in (anna, boris):
        one.until(lambda one=one: one.page.match.outcome is not None)  # type: ignore[misc]
    assert anna.page.match.outcome is not None
    assert anna.page.match.outcome.winner == "blue"
    assert "The time of Red is out" in anna.log()


def test_seats_are_taken_and_left_in_the_panel_several_of_a_side_and_both_sides(person: Person) -> None:
    anna = person("Anna")
    begin(anna, Terms(seats=(SeatTerms("red", "Front"), SeatTerms("red", "Rear"), SeatTerms("blue"))))
    anna.open("red", "Front")
    panel = anna.page.players
    anna.until(lambda: "take red Rear" in panel.buttons)
    anna.qtbot.mouseClick(panel.buttons["take red Rear"], Qt.MouseButton.LeftButton)
    anna.until(lambda: "leave red Rear" in panel.buttons)
    anna.qtbot.mouseClick(panel.buttons["take blue"], Qt.MouseButton.LeftButton)
    anna.until(lambda: anna.page.match.my_sides() == ("red", "blue"))
    anna.until(lambda: "leave blue" in panel.buttons)
    anna.qtbot.mouseClick(panel.buttons["leave blue"], Qt.MouseButton.LeftButton)
    anna.until(lambda: anna.page.match.my_sides() == ("red",))
    assert "Anna frees a seat of Blue" in anna.log()


def test_the_first_seat_says_what_the_second_commands_and_others_are_refused_here_already(person: Person) -> None:
    anna, boris, carla = person("Anna"), person("Boris"), person("Carla")
    begin(anna, Terms(seats=(SeatTerms("red", "Front"), SeatTerms("red", "Rear"), SeatTerms("blue"))))
    anna.open("red", "Front")
    carla.open("red", "Rear")
    boris.open("blue")
    panel = anna.page.players
    anna.until(lambda: "more red Rear" in panel.buttons)
    anna.page.open_side("players")
    anna.qtbot.mouseClick(panel.buttons["more red Rear"], Qt.MouseButton.LeftButton)
    assert panel.fault.text() == "select a stack of the Red first"
    wanted = a_go(anna)
    assert wanted.unit is not None
    anna.page._go_to(anna.page.match.view.unit(wanted.unit).place)  # type: ignore[arg-type]
    anna.qtbot.mouseClick(panel.buttons["none red Rear"], Qt.MouseButton.LeftButton)
    carla.until(lambda: carla.page.match.match.table.chairs["red", "Rear"].units == ())
    with pytest.raises(Refused, match="does not command"):
        carla.page.match.order(wanted)
    anna.until(lambda: "all red Rear" in panel.buttons)
    anna.qtbot.mouseClick(panel.buttons["more red Rear"], Qt.MouseButton.LeftButton)
    carla.until(lambda: carla.page.match.match.table.chairs["red", "Rear"].units == (wanted.unit,))
    order(carla, wanted)
    anna.until(lambda: len(anna.page.match.moments()) == 2)


# -------------------------------------------------------------------- offers


def test_a_draw_is_offered_refused_offered_again_and_agreed_by_buttons(person: Person) -> None:
    anna, boris = duel(person)
    anna.page.open_side("players")
    anna.press("Offer a draw")
    boris.until(lambda: boris.is_asked("Anna offers a draw"))
    anna.until(lambda: anna.is_asked("You offered a draw"))
    boris.press("Say no", boris.page.question)
    anna.until(lambda: "Boris says no to a draw" in anna.said)
    assert not anna.page.question.isVisible()
    anna.press("Offer a draw")
    boris.until(lambda: boris.is_asked("Anna offers a draw"))
    boris.press("Agree", boris.page.question)
    anna.until(lambda: anna.page.match.outcome is not None)
    assert anna.page.match.outcome is not None
    assert anna.page.match.outcome.result == "a draw was agreed"
    assert not anna.page.question.isVisible()


def test_who_offered_is_told_when_the_game_went_past_it(person: Person) -> None:
    anna, boris = duel(person)
    order(anna, End())
    boris.until(lambda: boris.page.match.may_act)
    anna.page._act("draw")
    boris.until(lambda: boris.is_asked("Anna offers a draw"))
    order(boris, a_go(boris))
    anna.until(lambda: "The game went on, and your offer is open no more" in anna.said)
    assert not anna.page.question.isVisible()


def test_an_offer_is_taken_back_on_its_card(person: Person) -> None:
    anna, boris = duel(person)
    anna.page._act("pause")
    boris.until(lambda: boris.is_asked("Anna asks for a pause"))
    anna.press("Take it back", anna.page.question)
    boris.until(lambda: not boris.page.question.isVisible())
    assert "Anna takes the offer back" in boris.log()
    assert not [words for words in anna.said if "offer" in words or "says no" in words]


def test_a_pause_stops_orders_until_either_side_goes_on(person: Person) -> None:
    anna, boris = duel(person)
    anna.page._act("pause")
    boris.press("Agree", boris.page)
    anna.until(lambda: anna.is_asked("The game is paused"))
    assert not anna.page.match.may_act
    anna.press("Go on", anna.page.question)
    anna.until(lambda: anna.page.match.may_act)


def test_whoever_is_asked_to_go_back_reads_what_will_be_lost(person: Person) -> None:
    anna, boris = duel(person)
    order(anna, End())
    boris.until(lambda: boris.page.match.may_act)
    order(boris, a_go(boris))
    anna.until(lambda: len(anna.page.match.moments()) == 3)
    anna.window.pages.setCurrentWidget(anna.page)
    anna.page.undo()
    boris.until(lambda: boris.is_asked("Anna asks to go back"))
    assert boris.page.question.words.text() == "Taken back: 2 orders (Red 1, Blue 1), none with dice"
    boris.press("Agree", boris.page.question)
    anna.until(lambda: len(anna.page.match.moments()) == 1)
    boris.until(lambda: len(boris.page.match.moments()) == 1)


def test_going_back_to_the_moment_that_is_shown_is_asked_for_in_the_panel(person: Person) -> None:
    anna, boris = duel(person)
    order(anna, End())
    boris.until(lambda: boris.page.match.may_act)
    order(boris, End())
    boris.page.open_side("players")
    boris.page.time.seek(0)
    boris.page._show_players()
    boris.press("Ask to go back to the shown moment")
    anna.until(lambda: anna.is_asked("Boris asks to go back"))
    assert anna.page.question.words.text().startswith("Taken back: 2 orders")


def test_a_side_resigns_only_after_a_second_word(person: Person) -> None:
    anna, boris = duel(person)
    anna.page.open_side("players")
    anna.press("Resign …")
    anna.press("No, play on")
    anna.press("Resign …")
    assert boris.page.match.outcome is None
    anna.press("Yes, resign")
    boris.until(lambda: boris.page.match.outcome is not None)
    assert "Red resigns" in boris.log()


# -------------------------------------------------------------------- chat


def test_what_is_said_at_the_table_is_read_by_the_others_and_in_a_side_by_it_alone(person: Person) -> None:
    anna, boris = duel(person)
    anna.page.write()
    anna.qtbot.keyClicks(anna.page.chat.line, "Good luck")
    anna.press("Send")
    anna.until(lambda: not anna.page.chat.line.text())
    boris.until(lambda: "Good luck" in boris.page.chat.text.toPlainText())
    boris.until(lambda: "Anna: Good luck" in boris.said)
    chat = anna.page.chat
    chat.room.setCurrentIndex(chat.room.findData("side:red"))
    chat.line.setText("Left flank first")
    chat._say()
    anna.until(lambda: "Left flank first" in chat.text.toPlainText())
    chat.room.setCurrentIndex(chat.room.findData("game"))
    chat.line.setText("Your move")
    chat._say()
    boris.until(lambda: "Your move" in boris.page.chat.text.toPlainText())
    assert "Left flank" not in boris.page.chat.text.toPlainText()


def test_whoever_writes_faster_than_others_read_is_told_below_the_line_and_keeps_it(person: Person) -> None:
    anna, _ = duel(person)
    chat = anna.page.chat
    for number in range(20):
        chat.line.setText(f"line {number}")
        chat._say()
        anna.until(lambda: not chat._waits)
        if not chat.fault.isHidden():
            break
    assert "faster than others read" in chat.fault.text()
    assert chat.line.text() == f"line {number}"


def test_what_was_said_before_one_came_is_no_news(person: Person) -> None:
    anna, _ = duel(person)
    anna.page.chat.say_wanted.emit("game", "long ago")
    anna.until(lambda: bool(anna.page.match.talk.lines))
    carla = person("Carla")
    carla.open()
    carla.until(lambda: "long ago" in carla.page.chat.text.toPlainText())
    carla.until(lambda: bool(carla.page.match.talk.people))
    assert not carla.said
    assert [carla.page.chat.room.itemData(i) for i in range(carla.page.chat.room.count())] == ["spectators"]


# -------------------------------------------------------------------- orders on their way


def test_an_order_is_shown_at_once_as_provisional_and_then_as_the_servers(person: Person) -> None:
    anna, boris = duel(person)
    wanted = a_go(anna)
    anna.page.match.order(wanted)
    anna.page._sent()
    assert anna.page.match.is_provisional
    assert wanted.unit is not None
    assert anna.page.match.view.unit(wanted.unit).place == wanted.hex
    assert anna.page.header.waits.text().startswith("Sent, not confirmed yet")
    assert anna.page.prompt.heading.text() == "Your order is on its way"
    assert len(anna.page.match.moments()) == 1
    with pytest.raises(Refused, match="has not answered"):
        anna.page.match.order(End())
    anna.until(lambda: not anna.page.match.awaits_answer)
    assert not anna.page.match.is_provisional
    assert len(anna.page.match.moments()) == 2
    boris.until(lambda: boris.page.match.view.unit(UnitId(wanted.unit or 0)).place == wanted.hex)


def test_what_the_server_refuses_goes_back_to_where_it_was_and_says_why(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    anna, _ = duel(person)
    before = anna.page.match.view.position.digest()

    def refuse(*args: object) -> None:
        raise Refused("7.7", text("not today"))

    monkeypatch.setattr("server.rooms.permit_order", refuse)
    anna.page.match.order(a_go(anna))
    anna.page._sent()
    assert anna.page.match.view.position.digest() != before
    anna.until(lambda: not anna.page.match.awaits_answer)
    assert anna.page.match.view.position.digest() == before
    assert anna.said == ["not today (7.7)"]
    assert anna.page.match.may_act


def test_an_order_that_hangs_on_dice_is_not_foreseen(person: Person) -> None:
    anna, _ = duel(person)
    anna.page.match.order(a_strike(anna))
    anna.page._sent()
    assert anna.page.match.awaits_answer
    assert not anna.page.match.is_provisional
    assert "dice" in anna.page.prompt.words.text()
    anna.until(lambda: len(anna.page.match.moments()) == 2)


def test_what_the_table_tells_does_not_disturb_an_order_under_composition(person: Person) -> None:
    anna, boris = duel(person)
    place = anna.page.match.view.unit(UnitId(0)).place
    anna.page.click(place)  # type: ignore[arg-type]
    picks = anna.page.composer.picks
    assert picks
    boris.page.chat.say_wanted.emit("game", "hm")
    boris.page._act("draw")
    anna.until(lambda: anna.is_asked("Boris offers a draw") and bool(anna.page.match.talk.lines))
    assert anna.page.composer.picks == picks


def test_an_answer_is_given_now_and_kept_for_the_next_time(person: Person) -> None:
    anna, boris = duel(person)
    anna.page.open_side("players")
    ends = next(choice for choice in anna.page.composer.choices() if str(choice.label) == "End")
    anna.page.warns = True
    anna.page.composer.choose(ends.pick)
    anna.page.show_draft()
    anna.press("Answer so, all this turn")
    boris.until(lambda: boris.page.match.may_act)
    anna.until(lambda: bool(anna.page.match.talk.answers.get("red")))
    anna.window.join()
    assert anna.window.windowTitle() == "Rasputitsa"
    anna.open("red")  # opened anew: the answer is still there
    anna.until(lambda: bool(anna.page.match.talk.answers.get("red")))
    anna.page.open_side("players")
    anna.press("Forget this answer")
    anna.until(lambda: not anna.page.match.talk.answers["red"])
    assert [moment.side for moment in anna.page.match.moments()] == ["", "red"]  # given once, on the spot


def test_a_decision_is_answered_before_it_comes_and_is_called_as_players_call_it(person: Person) -> None:
    anna, boris = duel(person)
    boris.page.open_side("players")
    assert not boris.page.match.may_act
    assert boris.page.players.prepared.currentText() == "Somebody's turn: Rest at once"
    boris.press("Keep this answer from now on")
    boris.until(lambda: "Somebody's turn: Rest at once" in [shown.text() for shown in boris.page.players.findChildren(QLabel)])
    order(anna, End())
    anna.until(lambda: [moment.side for moment in anna.page.match.moments()] == ["", "red", "blue"])
    boris.press("Forget this answer")
    boris.until(lambda: not boris.page.match.talk.answers["blue"])


def test_whoever_looks_on_is_offered_no_answers_ahead(person: Person) -> None:
    duel(person)
    clara = person("Clara")
    clara.open()
    clara.page.open_side("players")
    assert "prepare" not in clara.page.players.buttons


# -------------------------------------------------------------------- the line


def test_a_broken_line_is_shown_no_order_leaves_and_all_is_caught_up(person: Person, host: Host) -> None:
    anna, boris = duel(person)
    address = f"tcp://{host.place.place}"
    host.stop()
    anna.until(lambda: anna.page.bar.isVisible() and anna.page.bar.words.text().startswith("No line to the server"))
    assert not anna.page.bar.retry.isHidden()
    with pytest.raises(Refused, match="no line to the server"):
        anna.page.match.order(End())
    anna.page.composer.choose(OptionPick("end"))
    anna.page.give()
    assert "no line to the server" in anna.page.prompt.note.text()
    host.start(address)
    for one in (anna, boris):
        one.until(lambda one=one: one.page.match.is_up and not one.page.bar.isVisible())  # type: ignore[misc]
    assert anna.said[-1] == "The line is there again, and nothing was missed"
    assert "no line" not in anna.page.prompt.note.text()
    assert anna.page.composer.is_complete
    anna.page.give()
    boris.until(lambda: boris.page.match.may_act)


def test_the_wait_before_the_next_try_can_be_cut_short(person: Person, host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    anna, _ = duel(person)
    line = anna.page.match.games.line
    assert line is not None
    monkeypatch.setattr("client.connection.line.BACKOFF_S", (3600.0,))
    monkeypatch.setattr("client.connection.line.SILENCE_S", 0.0)  # as if nothing were heard: the socket is made anew
    address = f"tcp://{host.place.place}"
    host.stop()
    anna.until(lambda: not anna.page.match.is_up and (anna.page._down is not None and anna.page._down.retry_s == 3600.0))
    monkeypatch.setattr("client.connection.line.SILENCE_S", 20.0)
    host.start(address)
    anna.press("Try now")
    anna.until(lambda: anna.page.match.is_up)


# -------------------------------------------------------------------- what ends

BANNER = "What you see stays until you go; no order leaves any more."


def kick(host: Host, name: str, by: str) -> None:
    """Let one player shut another out, as the server's owner does."""
    service = host.service
    kicking = admin.kick(service, service.sessions.of(by)[0], protocol.Kick(name))
    asyncio.run_coroutine_threadsafe(kicking, host._loop).result(10)


def test_whoever_is_shut_out_reads_it_on_a_banner_and_what_he_sees_stays(person: Person, host: Host) -> None:
    anna, boris = duel(person)
    kick(host, "Anna", by="Boris")
    anna.until(lambda: anna.page.bar.isVisible() and BANNER in anna.page.bar.words.toolTip())
    assert anna.page.bar.words.toolTip().startswith("Anna was shut out of this server")
    assert not anna.page.bar.retry.isVisible()
    assert anna.window.game is anna.page
    with pytest.raises(Refused, match="no line to the server"):
        anna.page.match.order(End())
    anna.page.open_side("players")
    anna.press("Offer a draw")
    anna.page.chat.say_wanted.emit("game", "hello?")
    assert anna.said[-2:] == ["Anna was shut out of this server"] * 2
    assert not boris.page.bar.isVisible()


def test_a_seat_that_somebody_else_freed_is_told_on_a_banner_until_it_is_taken_again(person: Person) -> None:
    anna, _ = duel(person, Terms(referees=("Rita",)))
    rita = person("Rita")
    rita.open()
    rita.page.players.seat_wanted.emit("free", "red", "")
    anna.until(lambda: anna.page.bar.isVisible() and "Your seat at the Red was freed" in anna.page.bar.words.toolTip())
    anna.page.players.seat_wanted.emit("take", "red", "")
    anna.until(lambda: anna.page.match.my_sides() == ("red",) and not anna.page.bar.isVisible())
    anna.page.players.seat_wanted.emit("leave", "red", "")
    anna.until(lambda: anna.page.bar.isVisible() and anna.page.bar.words.toolTip().startswith("You look on"))


def test_a_game_that_is_over_says_so_on_a_banner(person: Person) -> None:
    anna, boris = duel(person)
    anna.page._act("resign")
    for one in (anna, boris):
        one.until(lambda one=one: one.page.bar.isVisible())  # type: ignore[misc]
        assert one.page.bar.words.toolTip() == "The game is over: Blue wins: Red resigned"
        assert one.page.prompt.heading.text() == "Blue wins: Red resigned"
        assert one.page.players.waits.text() == "Blue wins: Red resigned"
        assert one.page.header.waits.text() == "Game over"
        one.until(lambda one=one: said(one.page.todo) == ["To do", "Game over"])  # type: ignore[misc]


def test_nobody_is_offered_to_go_back_in_a_game_that_is_over(person: Person) -> None:
    anna, boris = duel(person)
    order(anna, End())
    boris.until(lambda: boris.page.match.may_act)
    boris.page._act("resign")
    boris.until(lambda: boris.page.match.outcome is not None)
    boris.page.open_side("players")
    boris.page.time.seek(0)
    boris.page._show_players()
    QApplication.processEvents()
    assert not boris.page.match.is_live
    assert "Ask to go back to the shown moment" not in [made.text() for made in boris.page.players.findChildren(QPushButton)]


def test_an_agreed_draw_is_told_as_what_it_is(person: Person) -> None:
    anna, boris = duel(person)
    anna.page.open_side("players")
    anna.press("Offer a draw")
    boris.until(lambda: boris.is_asked("Anna offers a draw"))
    boris.press("Agree", boris.page.question)
    for one in (anna, boris):
        one.until(lambda one=one: one.page.bar.isVisible())  # type: ignore[misc]
        assert one.page.bar.words.toolTip() == "The game is over: A draw was agreed"


# -------------------------------------------------------------------- spectators, referees


def test_a_spectator_reads_what_he_is_shown_and_how_late(person: Person) -> None:
    anna, _ = duel(person, Terms(spectators=SpectatorTerms("table", delay_entries=2)))
    carla = person("Carla")
    carla.open()
    assert carla.page.bar.words.text() == "You look on: spectators see what lies open, 2 entries later"
    order(anna, a_go(anna))
    order(anna, End())
    carla.until(lambda: len(carla.page.match.match.log) >= 3)
    assert len(carla.page.match.match.log) < len(anna.page.match.match.log)
    assert not carla.page.match.may_act


def test_what_a_referee_does_stands_in_the_log_for_all(person: Person) -> None:
    anna, boris = duel(person, Terms(clock=ClockTerms("absolute", 600_000), referees=("Rita",)))
    rita = person("Rita")
    rita.open()
    rita.page.open_side("players")
    box = rita.page.players.referee
    rita.until(lambda: box.isVisible())
    box.remark.setText("Phones away, please")
    rita.press("Write it in the log")
    anna.until(lambda: "Referee Rita: Phones away, please" in anna.log())
    rita.press("Pause the game")
    anna.until(lambda: anna.is_asked("A referee has paused the game"))
    assert not anna.page.question.asked.replies  # type: ignore[union-attr]
    rita.press("Let the game go on", box)
    anna.until(lambda: anna.page.match.may_act)
    box.minutes.setText("soon")
    rita.press("Set the clock")
    assert box.fault.text().startswith("Minutes left: a whole number from 0 to")
    box.minutes.setText("5")
    rita.press("Set the clock")
    boris.until(lambda: "Referee Rita sets the clock of Red to 5 minutes" in boris.log())
    assert box.fault.isHidden()
    rita.press("End the game")
    assert box.fault.text() == "Why: a reason is wanted, for all to read"
    box.winner.setCurrentIndex(box.winner.findData("blue"))
    box.reason.setText("Red went home")
    rita.press("End the game")
    boris.until(lambda: boris.page.match.outcome is not None)
    assert "Rita ends the game, Blue wins: Red went home" in boris.log()


def test_a_players_seat_is_freed_by_the_games_owner_before_its_first_order(person: Person) -> None:
    anna, boris = duel(person)
    anna.page.open_side("players")
    anna.press("Free this seat")
    boris.until(lambda: not boris.page.match.my_sides())
    boris.until(lambda: boris.page.bar.isVisible())
    assert boris.page.bar.words.text().startswith("Your seat at the")
    assert "Anna frees a seat of Blue" in boris.log()


# -------------------------------------------------------------------- witnessed dice


def test_while_a_link_stays_away_the_other_side_reads_for_whom_the_dice_wait_and_chooses(person: Person) -> None:
    anna, boris = duel(person, Terms(dice=DiceTerms("witnessed", wait_ms=1)))
    anna.until(lambda: anna.page.match.match.witnesses.refusal() is None)
    boris.page.match.games._witnessing.answer = lambda match, wanted: None  # type: ignore[method-assign,assignment]
    boris.page.match.games._witnessing.watch = lambda match, entry, *, live: None  # type: ignore[method-assign,assignment]
    anna.page.match.order(a_strike(anna))
    anna.page._sent()
    anna.until(lambda: anna.is_asked("The dice wait for the program of Boris"))
    boris.until(lambda: boris.is_asked("The dice wait for your program"))
    anna.press("Go on without", anna.page.question)
    anna.until(lambda: len(anna.page.match.moments()) == 2)
    assert any(isinstance(entry.act, Fallback) for entry in anna.page.match.match.log.entries)
    assert "Anna goes on without the dice link of Boris" in anna.log()
    assert not anna.page.question.isVisible()


def test_what_an_honest_server_does_not_do_stays_on_a_card_until_it_is_read(person: Person) -> None:
    anna, _ = duel(person)
    assert anna.window.lobby.link is not None
    anna.window.lobby.link.heard.emit(Foul(GAME, text("the server used dice that do not fit"), "evidence/1"))
    assert anna.window.notice.isVisible()
    assert anna.window.notice.close_button.isVisible()
    assert anna.window.notice.lines.text() == f"{GAME}: the server used dice that do not fit; what proves it is kept in evidence/1"


def test_a_panel_opened_from_the_chat_has_no_button_under_the_keys(person: Person, qtbot: QtBot) -> None:
    anna, _ = duel(person)
    anna.page.window().activateWindow()
    anna.page.open_side("chat")
    anna.page.chat.line.setFocus()
    qtbot.waitUntil(anna.page.chat.line.hasFocus)
    anna.page.open_side("players")
    assert anna.page.map.hasFocus()


@pytest.mark.parametrize(
    ("ms", "face"), [(0, "0:00"), (59_999, "0:59"), (3_725_000, "1:02:05"), (-61_000, "−1:01"), (90_061_000, "1 d 1:01:01")]
)
def test_a_clock_shows_what_is_left(ms: int, face: str) -> None:
    assert clock_face(ms) == face


@pytest.mark.parametrize(("ms", "words"), [(-5, "0 s"), (59_999, "59 s"), (60_000, "1 min"), (7_200_000, "2 h"), (172_800_000, "2 d")])
def test_a_stretch_of_time_is_told_in_its_largest_unit(ms: int, words: str) -> None:
    assert how_long(ms) == words


# -------------------------------------------------------------------- access, languages


def test_players_and_chat_have_names_and_keys(person: Person) -> None:
    anna, _ = duel(person, Terms(clock=ClockTerms("absolute", 600_000)))
    anna.page.players.referee.show()
    for name in ("players", "chat"):
        anna.window.open_table(name)
        assert anna.page.side.current == name
        assert nameless(anna.page) == []


@pytest.mark.parametrize(("code", "percent"), [(languages.PSEUDO, 100), (languages.ENGLISH, 200)])
def test_nothing_of_the_table_is_cut_in_longer_words_or_larger_texts(
    person: Person, toy: Pack, code: str, percent: int
) -> None:
    anna, boris = duel(person, Terms(clock=ClockTerms("fischer", 3_600_000, 30_000), dice=DiceTerms("witnessed")))
    try:
        anna.window.looks.set_text(percent)
        anna.window.looks.set_language(code)
        boris.page._act("draw")
        anna.until(lambda: anna.page.question.isVisible())
        anna.window.notice.hide()  # said in the language before
        for name in ("players", "chat"):
            anna.page.open_side(name)
            QApplication.processEvents()
            assert (name, cut(anna.window), low(anna.window)) == (name, [], [])
            if code == languages.PSEUDO:
                told = [words for words in english(anna.window, toy) if words not in ("Anna", "Boris")]
                assert (name, told) == (name, [])
    finally:
        anna.window.looks.set_text(100)
        anna.window.looks.set_language(languages.ENGLISH)
