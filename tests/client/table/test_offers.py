"""What one side asks the other: draws, pauses, going back; and resigning."""

from __future__ import annotations

from tests.client.table.people import Person, a_go, duel, order
from tests.toy.ruleset import End


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
    assert anna.page.header.waits.text() == "The game is paused"
    assert "The game is paused, as agreed" in anna.log()
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
    assert boris.page.question.words.text() == "To turn 1, red. It takes back 2 orders (Red 1, Blue 1), none with dice"
    boris.press("Agree", boris.page.question)
    anna.until(lambda: len(anna.page.match.moments()) == 1)
    boris.until(lambda: len(boris.page.match.moments()) == 1)
    for one in (anna, boris):
        one.until(lambda one=one: one.page.match.open_offer() is None)  # type: ignore[misc]
        assert "The game goes back: 2 orders are taken back (Red 1, Blue 1), none with dice" in one.log()


def test_what_is_taken_back_freely_is_no_line_of_the_log_even_after_a_no(person: Person) -> None:
    anna, boris = duel(person)
    anna.page._act("pause")
    boris.until(lambda: boris.is_asked("Anna asks for a pause"))
    order(anna, a_go(anna))
    boris.press("Say no", boris.page.question)
    anna.until(lambda: "Boris says no to a pause" in anna.said)
    anna.page.undo()
    anna.until(lambda: len(anna.page.match.moments()) == 1)
    assert "The game goes back" not in anna.log()


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
    assert anna.page.question.words.text().endswith("It takes back 2 orders (Red 1, Blue 1), none with dice")


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
