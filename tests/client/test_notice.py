"""Words of the window to the player: read to the last letter, and over no card that has room beside it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QPushButton

from client.game import GamePage
from client.panels.card import WordsCard
from client.panels.netbar import NetBar
from client.panels.notice import Notice
from client.qt import QRect
from client.session.saved import SavedMatch
from client.window import MainWindow

LONG = "The game could not be saved: " + "the disk on which the games of this club are kept is full, " * 4


@pytest.mark.parametrize("words", ["Hi", "Anna: Good luck", "Anna: " + "Shall we meet at the mill on Friday? " * 3, LONG])
def test_a_line_is_read_to_its_last_letter(window: MainWindow, page: GamePage, words: str) -> None:
    del page
    window.notice.say(words)
    title = window.notice.title
    room = title.contentsRect()
    needed = title.fontMetrics().boundingRect(QRect(0, 0, room.width(), 10_000), 0x1000 if title.wordWrap() else 0, words)
    assert needed.width() <= room.width()
    assert needed.height() <= room.height()
    assert window.notice.rect().contains(title.geometry())


@pytest.mark.parametrize("words", ["Anna: Good luck", LONG])
def test_a_line_lies_beside_a_card_that_leaves_no_room_below(window: MainWindow, page: GamePage, words: str) -> None:
    del page
    window.resize(1500, 900)
    card = WordsCard(window)
    card.appear("Game over", "The score, part by part. " * 60)
    card.setFixedHeight(window.height() - 20)
    card.move((window.width() - card.width()) // 2, 10)
    window.notice.say(words)
    assert not QRect(card.pos(), card.size()).intersects(window.notice.geometry())
    assert window.rect().contains(window.notice.geometry())


def test_a_line_gives_way_to_a_card_that_comes_while_it_is_read(window: MainWindow, page: GamePage) -> None:
    window.resize(1500, 900)
    window.notice.say("Boris has gone for now; the seat stays his")
    card = WordsCard(page.map)
    window.notice.say("Boris has gone for now; the seat stays his")
    card.appear("Boris offers a draw", "The game ends at once, and nobody wins")
    at = page.map.mapFrom(window, window.notice.pos())
    card.move(at)
    assert not QRect(card.mapTo(window, card.rect().topLeft()), card.size()).intersects(window.notice.geometry())
    assert window.notice.isVisible()


def test_a_line_is_taken_away_once_what_it_says_is_over(window: MainWindow) -> None:
    window.notice.say("Setting up another game …")
    window.notice.unsay("something else")
    assert window.notice.isVisible()
    window.notice.unsay("Setting up another game …")
    assert not window.notice.isVisible()


def read(window: MainWindow) -> list[Notice]:
    return [one for one in window.findChildren(Notice) if one.isVisible()]


@pytest.mark.parametrize("asks", [False, True])
def test_a_line_takes_no_card_away_that_is_read_and_lies_beside_it(window: MainWindow, page: GamePage, *, asks: bool) -> None:
    del page
    answers: list[bool] = []
    if asks:
        window.notice.ask("Shall the server end?", answers.append)
    else:
        window.notice.tell("The server does what no honest one does", ["It used dice that do not fit"])
    window.notice.say("Boris: Good luck")
    window.notice.say("Boris: Your turn")
    card, line = read(window)
    assert card.title.text() != line.title.text() == "Boris: Your turn"
    assert not card.geometry().intersects(line.geometry())
    window.notice.unsay("Boris: Your turn")
    window.notice.unsay("Boris: Good luck")  # which comes back, as nobody could read it
    assert read(window) == [card]
    if asks:
        next(made for made in card.findChildren(QPushButton) if made.text() == "Yes").click()
        assert answers == [True]
    else:
        card.close_button.click()
    window.notice.say("Boris: Thank you")
    assert [one.title.text() for one in read(window)] == ["Boris: Thank you"]


def lines(window: MainWindow) -> list[str]:
    """Return what is said now, one line after another, each for as long as it is shown."""
    said = []
    while shown := [one for one in read(window) if not one.is_card()]:
        line, = shown
        said.append(line.title.text())
        (line._read_by if line._read_by.isActive() and line._waiting else line._timer).timeout.emit()  # its time is over
    return said


def test_news_are_read_one_after_another(window: MainWindow) -> None:
    for words in ("Anna says no to a draw", "Anna: Play on", "Anna: Play on", "Boris has gone for now"):
        window.notice.say_in_turn(words)
    assert lines(window) == ["Anna says no to a draw", "Anna: Play on", "Boris has gone for now"]


def test_an_answer_is_read_at_once_and_the_line_that_it_displaced_after_it(window: MainWindow) -> None:
    window.notice.say_in_turn("Anna says no to a draw")
    window.notice.say_in_turn("Anna: Play on")
    window.notice.say("There is nothing to bring back")
    assert lines(window) == ["There is nothing to bring back", "Anna says no to a draw", "Anna: Play on"]


def test_of_very_many_news_the_first_and_the_last_are_read(window: MainWindow) -> None:
    for number in range(100):
        window.notice.say_in_turn(f"Mallory: {number}")
    assert lines(window) == [f"Mallory: {number}" for number in (0, 1, 2, 3, 99)]


def test_news_that_could_be_read_give_way_at_once(window: MainWindow) -> None:
    window.notice.say_in_turn("Anna: Play on")
    window.notice._read_by.stop()  # its time is over
    window.notice.say_in_turn("Boris has gone for now")
    assert lines(window) == ["Boris has gone for now"]


def test_a_warning_comes_at_once_and_news_go_on_beside_it(window: MainWindow) -> None:
    window.notice.say_in_turn("Anna says no to a draw")
    window.notice.say_in_turn("Anna: Play on")
    window.notice.warn("The server does what no honest one does", "It used dice that do not fit")
    card, _ = read(window)
    assert card.title.text() == "The server does what no honest one does"
    assert lines(window) == ["Anna says no to a draw", "Anna: Play on"]
    assert read(window) == [card]


def test_what_is_over_is_not_said_in_its_turn(window: MainWindow) -> None:
    window.notice.say_in_turn("Anna: Play on")
    window.notice.say_in_turn("Setting up another game …")
    window.notice.unsay("Setting up another game …")
    assert lines(window) == ["Anna: Play on"]


def test_a_line_bears_no_answers_of_a_question_that_is_gone(window: MainWindow) -> None:
    window.notice.ask("Shall the server end?", lambda yes: None)
    window.notice.hide()
    window.notice.say("Boris: Good luck")
    assert not [made for made in window.notice.findChildren(QPushButton) if made.isVisible()]


def test_warnings_stand_together_until_they_are_read_and_come_back_after_what_was_asked_over_them(window: MainWindow) -> None:
    title = "The server does what no honest one does"
    for words in ("It used dice that do not fit", "An order bears no signature", "It used dice that do not fit"):
        window.notice.warn(title, words)
    assert window.notice.lines.text() == "It used dice that do not fit\nAn order bears no signature"
    window.notice.ask("Shall the server end?", lambda yes: None)
    next(made for made in window.notice.findChildren(QPushButton) if made.text() == "No").click()
    assert (window.notice.isVisible(), window.notice.title.text()) == (True, title)
    window.notice.close_button.click()
    assert not window.notice.isVisible()
    window.notice.warn(title, "It took an order back")
    assert window.notice.lines.text() == "It took an order back"


def lies_on(window: MainWindow, card: WordsCard) -> bool:
    """Say whether what is read hides some of a card."""
    return QRect(card.mapTo(window, card.rect().topLeft()), card.size()).intersects(window.notice.geometry())


def test_a_card_gives_way_to_another_that_moves_as_the_map_does(window: MainWindow, page: GamePage) -> None:
    window.resize(1500, 900)
    card = WordsCard(page.map)
    card.appear("Which way?", "It is for you to choose.")
    card.setFixedWidth(page.map.width() - 20)
    card.move(10, 84)
    window.notice.warn("Decided without you", "Boris went on without your link")
    assert window.notice.y() > card.mapTo(window, card.rect().bottomLeft()).y()
    NetBar(page).tell("No line to the server")
    assert not lies_on(window, card)


def test_a_card_that_was_told_before_a_game_is_shown_gives_way_to_the_cards_of_its_page(
    window: MainWindow, new_match: Callable[..., SavedMatch]
) -> None:
    window.resize(1240, 660)
    window.notice.warn("Decided without you", "Boris went on without your link")
    window.show_page(window.new_page(new_match()))
    assert window.game is not None
    card = WordsCard(window.game.map)
    window.pages.setCurrentWidget(window.start)
    window.pages.setCurrentWidget(window.game)
    card.appear("Which way?", "It is for you to choose.")
    card.move(window.game.map.mapFrom(window, window.notice.pos()))
    assert not lies_on(window, card)


def test_where_there_is_no_room_a_card_lies_where_it_hides_least_of_what_is_asked(window: MainWindow, page: GamePage) -> None:
    del page
    card = WordsCard(window)
    card.appear("Which way?", "It is for you to choose.")
    card.setFixedSize(window.width(), window.height() - 60)
    card.move(0, 0)
    window.notice.warn("Decided without you", "Boris went on without your link")
    assert window.notice.y() > card.height() - window.notice.height()


def test_of_warnings_without_end_those_are_counted_that_are_kept(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.panels.notice.MOST_KEPT", 20)
    for number in range(100):
        window.notice.warn("The server does what no honest one does", f"number {number}")
    shown = window.notice.lines.text().split("\n")
    assert (shown[0], shown[-1], len(shown)) == ("number 0", "and 6 more", 15)
