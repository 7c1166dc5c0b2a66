"""The same table again, once a game is over."""

from __future__ import annotations

import pytest

from client.remote import RemotePage
from core import protocol
from core.terms import ClockTerms, SpectatorTerms, Terms
from tests.client.table.people import Person, duel, order
from tests.server.conftest import Host
from tests.toy.ruleset import End


@pytest.mark.parametrize(("words", "side", "later"), [
    ("Same table again", "red", 0), ("Again, sides swapped", "blue", 0), ("Again, sides swapped", "blue", 3),
])
def test_another_game_on_the_same_terms_is_begun_from_the_end_of_one(person: Person, words: str, side: str, later: int) -> None:
    anna, boris = duel(person, Terms(clock=ClockTerms("absolute", 3_600_000), spectators=SpectatorTerms(delay_entries=later)))
    order(anna, End())
    boris.page._act("resign")
    anna.until(lambda: anna.page.match.outcome is not None)
    before = anna.page
    anna.press(words, before.prompt)
    anna.until(lambda: anna.page is not before and anna.page.match.my_sides() == (side,))
    said = anna.window.notice
    assert not (said.isVisible() and said.title.text().startswith("Setting up")), "that is over"
    match = anna.page.match
    assert match.game != "table"
    assert (match.match.terms.clock, match.match.terms.owner, match.outcome) == (ClockTerms("absolute", 3_600_000), "Anna", None)
    name = match.game.removeprefix("duel-")
    boris.until(lambda: f"another game on the same terms: {name}" in boris.page.chat.text.toPlainText())
    boris.until(lambda: boris.is_asked("Anna offers another game"))
    boris.press({"red": "Play Blue", "blue": "Play Red"}[side], boris.page.question)
    boris.until(lambda: boris.page.match.game == match.game and len(boris.page.match.my_sides()) == 1)
    anna.until(lambda: match.match.table.players() == {"Anna", "Boris"})


def test_who_goes_after_the_end_is_said_to_keep_no_seat(person: Person, host: Host) -> None:
    anna, boris = duel(person)
    anna.page._act("resign")
    boris.until(lambda: boris.page.match.outcome is not None)
    anna.window.lobby.close_line()
    host.hears_nothing_of("Anna")
    boris.until(lambda: "Anna has gone" in boris.said)


@pytest.mark.parametrize(("before", "after"), [("duel-evening", "evening-2"), ("duel-evening-2", "evening-3"), ("duel-3f2a1c", "")])
def test_another_game_is_called_as_the_one_before_with_the_next_number(person: Person, before: str, after: str) -> None:
    anna = person("Anna")
    lobby = anna.window.lobby
    assert lobby.link is not None
    lobby.link.games.send(protocol.CreateGame(before, "toy", "duel"))
    anna.until(lambda: any(line.game == before for line in lobby.hall.lines))
    lobby.take(before, "red")
    anna.until(lambda: isinstance(anna.window.game, RemotePage) and bool(anna.page.match.my_sides()))
    first = anna.page
    anna.page._act("resign")
    anna.until(lambda: first.match.outcome is not None)
    first.again_wanted.emit(False)
    anna.until(lambda: anna.page is not first)
    name = anna.page.match.game.removeprefix("duel-")
    assert name == after or (not after and len(name) == 6 and name != "3f2a1c")


def test_another_game_that_is_not_wanted_is_offered_no_more_and_nobody_else_is_offered_it(person: Person) -> None:
    anna, boris = duel(person)
    carla = person("Carla")
    carla.open()
    boris.page._act("resign")
    for one in (anna, carla):
        one.until(lambda one=one: one.page.match.outcome is not None)  # type: ignore[misc]
    before = anna.page
    anna.press("Same table again", before.prompt)
    boris.until(lambda: boris.is_asked("Anna offers another game"))
    boris.press("Not now", boris.page.question)
    boris.until(lambda: not boris.page.question.isVisible())
    for one in (boris, carla):
        one.window.lobby._ask()
        one.until(lambda one=one: any(line.owner == "Anna" and not line.over for line in one.window.lobby.hall.lines))  # type: ignore[misc]
        assert not one.page.question.isVisible()


def test_who_asks_twice_for_the_same_table_begins_one(person: Person) -> None:
    anna, boris = duel(person)
    boris.page._act("resign")
    anna.until(lambda: anna.page.match.outcome is not None)
    before = anna.page
    for _ in range(2):
        before.again_wanted.emit(False)
    anna.until(lambda: anna.page is not before)
    boris.window.join()
    boris.until(lambda: any(line.game == anna.page.match.game for line in boris.window.lobby.hall.lines))
    assert len(boris.window.lobby.hall.lines) == 2


@pytest.mark.parametrize("swapped", [False, True])
def test_who_has_lost_the_seat_since_the_offer_was_shown_begins_no_game(person: Person, swapped: bool) -> None:
    anna, boris = duel(person)
    boris.page._act("resign")
    anna.until(lambda: anna.page.match.outcome is not None)
    anna.page.match.leave_seat("red", "")
    anna.until(lambda: not anna.page.match.match.table.sides_of("Anna"))
    anna.page.again_wanted.emit(swapped)
    assert "You hold no seat of this game any more." in anna.window.notice.lines.text() + anna.window.notice.title.text()
    anna.window.join()
    anna.window.lobby._ask()
    boris.window.join()
    boris.until(lambda: bool(boris.window.lobby.hall.lines))
    assert [line.game for line in boris.window.lobby.hall.lines] == ["table"]


def test_who_only_looked_on_is_offered_no_table(person: Person) -> None:
    anna, _ = duel(person)
    carla = person("Carla")
    carla.open()
    anna.page._act("resign")
    carla.until(lambda: carla.page.match.outcome is not None)
    told = [lead.words for lead in carla.page.leads()]
    assert not [words for words in told if "gain" in words]
