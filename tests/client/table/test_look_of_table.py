"""The table by keys, read aloud, in longer words and larger texts."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from client import languages
from core.pack import Pack
from core.terms import ClockTerms, DiceTerms, Terms
from tests.client.table.people import Person, duel
from tests.client.test_access import nameless
from tests.client.test_translations import cut, english, low


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
                told = [words for words in english(anna.window) if words not in ("Anna", "Boris")]
                assert (name, told) == (name, [])
    finally:
        anna.window.looks.set_text(100)
        anna.window.looks.set_language(languages.ENGLISH)
