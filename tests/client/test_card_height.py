"""Cards are as high as their words in the width that they have."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from client.panels.card import Card


def test_a_row_that_asks_for_more_than_the_card_cuts_no_words_off(qtbot: QtBot) -> None:
    host = QWidget()
    qtbot.addWidget(host)
    host.show()
    card = Card(host)
    note, wide = card.written("warning"), QWidget()
    wide.setMinimumSize(card.inner + 200, 20)
    card.column.addWidget(note)
    card.column.addWidget(wide)
    words = "no land"
    while note.heightForWidth(card.inner) == note.heightForWidth(card.inner + 200):
        words += " of the Union"
        note.setText(words)
    card.fit()
    card.show()
    qtbot.waitUntil(note.isVisible)
    assert note.height() >= note.heightForWidth(card.inner)
