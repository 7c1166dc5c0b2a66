"""Words of the window to the player: read to the last letter, and over no card that has room beside it."""

from __future__ import annotations

import pytest

from client.game import GamePage
from client.panels.card import WordsCard
from client.qt import QRect
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
