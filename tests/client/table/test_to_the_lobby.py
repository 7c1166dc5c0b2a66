"""From a table back to the lobby, and what is found there."""

from __future__ import annotations

from client.qt import Qt
from core import protocol
from tests.client.table.people import GAME, Person, duel


def test_no_key_goes_to_a_field_that_is_hidden(person: Person) -> None:
    anna, _ = duel(person)
    for wanted in (Qt.Key.Key_Z, Qt.Key.Key_B):
        anna.window.join()
        anna.until(lambda: anna.window.lobby.hall.isVisible())
        anna.window.activateWindow()
        anna.qtbot.keyClick(anna.window.windowHandle(), wanted)
    assert anna.window.lobby.name.text() == "Anna"
    focused = anna.window.focusWidget()
    assert focused is not None
    assert focused.isVisible()
    anna.qtbot.keyClick(anna.window.windowHandle(), Qt.Key.Key_Return)
    assert anna.window.lobby.link is not None


def test_the_window_is_called_after_the_game_by_its_name(person: Person) -> None:
    anna, _ = duel(person)
    assert anna.window.windowTitle().endswith(" · table – Rasputitsa")


def test_nothing_of_a_game_that_was_begun_is_left_in_the_form_of_the_next(person: Person) -> None:
    anna = person("Anna")
    form = anna.window.lobby.hall.new
    form.seats["red"].setText("Front, Rear")
    form.clock.choose("evening")
    form.view.setCurrentIndex(1)
    game = anna.window.lobby.begin_game()
    anna.until(lambda: any(line.game == game and len(line.chairs) == 3 for line in anna.window.lobby.hall.lines))
    anna.until(lambda: form.seats["red"].text() == "")
    assert form.clock.terms().kind == "none"
    assert form.view.currentIndex() == 0


def test_a_new_game_can_be_given_a_name(person: Person) -> None:
    anna = person("Anna")
    lobby, form = anna.window.lobby, anna.window.lobby.hall.new
    form.called.setText("Четверг")
    assert lobby.begin_game() == ""
    assert form.fault.text() == "Name of the game: expected letters from a to z, digits, dots and dashes, got Четверг"
    form.called.setText(" Friday  evening ")
    assert lobby.begin_game() == "duel-Friday-evening"
    anna.until(lambda: any(line.game == "duel-Friday-evening" for line in lobby.hall.lines))
    anna.until(lambda: form.called.text() == "")
    form.called.setText("Friday evening")
    assert lobby.begin_game() == ""
    assert form.fault.text() == "There is a game of this name here already"


def test_a_refusal_in_the_lobby_is_a_sentence_that_calls_sides_as_players_do(person: Person) -> None:
    duel(person)
    carla = person("Carla")
    told: list[str] = []
    carla.window.lobby.said.connect(told.append)
    link = carla.window.lobby.link
    assert link is not None
    link.games.send(protocol.TakeSeat(GAME, "blue", ""))
    carla.until(lambda: bool(told))
    assert told == ["The Blue seat is held by Boris"]
