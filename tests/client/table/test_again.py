"""The same table again, once a game is over."""

from __future__ import annotations

import pytest

from core.terms import ClockTerms, Terms
from tests.client.table.people import Person, duel


@pytest.mark.parametrize(("words", "side"), [("Same table again", "red"), ("Again, sides swapped", "blue")])
def test_another_game_on_the_same_terms_is_begun_from_the_end_of_one(person: Person, words: str, side: str) -> None:
    anna, boris = duel(person, Terms(clock=ClockTerms("absolute", 3_600_000)))
    boris.page._act("resign")
    anna.until(lambda: anna.page.match.outcome is not None)
    before = anna.page
    anna.press(words, before.prompt)
    anna.until(lambda: anna.page is not before and anna.page.match.my_sides() == (side,))
    match = anna.page.match
    assert match.game != "table"
    assert (match.match.terms.clock, match.match.terms.owner, match.outcome) == (ClockTerms("absolute", 3_600_000), "Anna", None)
    name = match.game.removeprefix("duel-")
    boris.until(lambda: f"another game on the same terms: {name}" in boris.page.chat.text.toPlainText())
    boris.window.join()
    boris.until(lambda: any(line.game == match.game for line in boris.window.lobby.hall.lines))


def test_who_only_looked_on_is_offered_no_table(person: Person) -> None:
    anna, _ = duel(person)
    carla = person("Carla")
    carla.open()
    anna.page._act("resign")
    carla.until(lambda: carla.page.match.outcome is not None)
    told = [lead.words for lead in carla.page.leads()]
    assert not [words for words in told if "gain" in words]
