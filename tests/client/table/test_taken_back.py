"""What is shown of an order that was taken back."""

from __future__ import annotations

import pytest

from client.session import words
from tests.client.table.people import Person, a_strike, duel, order, said


def test_a_battle_that_was_taken_back_is_shown_no_more_in_either_window(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "is_battle", lambda event: event.subject == "strike")
    anna, boris = duel(person)
    order(anna, a_strike(anna))
    for one in (anna, boris):
        one.until(lambda one=one: one.page.side.current == "battle" and said(one.page.battle)[0] != "No battle")  # type: ignore[misc]
    anna.page.undo()
    boris.until(lambda: boris.is_asked("Anna asks to go back"))
    boris.press("Agree", boris.page.question)
    for one in (anna, boris):
        one.until(lambda one=one: len(one.page.match.moments()) == 1)  # type: ignore[misc]
        one.until(lambda one=one: said(one.page.battle)[0] == "No battle")  # type: ignore[misc]
        assert one.page.side.current != "battle"
