"""What the Players panel asks before, says after, and offers only to whom it is allowed."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from client.program import program
from client.qt import QPoint
from core.seen import SOME
from core.terms import ClockTerms, SeatTerms, SpectatorTerms, Terms
from core.units import UnitId
from tests.client.table.people import Person, Somebody, begin, duel, order, said
from tests.toy.ruleset import End


def is_in_sight(one: Somebody) -> bool:
    """Say whether the panel's fault is seen whole."""
    panel = one.page.players
    top = panel.fault.mapTo(panel.viewport(), QPoint(0, 0)).y()
    return panel.fault.isVisible() and top >= 0 and top + panel.fault.height() <= panel.viewport().height()


def under_way(person: Person, terms: Terms | None = None) -> tuple[Somebody, Somebody]:
    anna, boris = duel(person, terms)
    order(anna, End())
    boris.until(lambda: boris.page.match.may_act)
    for one in (anna, boris):
        one.page.open_side("players")
    return anna, boris


def test_a_seat_is_left_in_mid_game_only_on_a_second_word_that_says_what_follows(person: Person) -> None:
    anna, boris = under_way(person, Terms(clock=ClockTerms("absolute", 3_600_000)))
    boris.press("Leave this seat …")
    boris.until(lambda: "leave blue" in boris.page.players.buttons)
    words = next(words for words in said(boris.page.players) if words.startswith("Leave this seat?"))
    assert words == (
        "Leave this seat? Whenever the Blue must decide, the game waits for whoever sits here. The clock of the Blue runs on. "
        "It is kept for you; you, the game's owner or a referee can let others sit here."
    )
    boris.press("No, stay")
    boris.press("Leave this seat …")
    assert boris.page.match.my_sides() == ("blue",)
    boris.press("Yes, leave it")
    boris.until(lambda: boris.page.match.my_sides() == ())
    anna.until(lambda: "kept for Boris" in said(anna.page.players))


def test_a_seat_is_left_at_once_before_the_first_order(person: Person) -> None:
    anna, boris = duel(person)
    boris.page.open_side("players")
    boris.press("Leave this seat")
    anna.until(lambda: anna.page.match.match.table.players() == {"Anna"})


def test_who_is_here_stands_at_each_of_his_seats(person: Person) -> None:
    anna = person("Anna")
    begin(anna)
    anna.open("red")
    anna.window.lobby.take("table", "blue", "")
    anna.until(lambda: anna.page.match.my_sides() == ("red", "blue"))
    here = anna.page.players.presence
    anna.until(lambda: [here[side].text() for side in here] == ["● here", "● here"])
    assert set(here) == {"red", "blue"}
    assert [here[side].toolTip() for side in here] == [f"Program: {program()}"] * 2


def test_with_which_program_somebody_looks_on_is_told_behind_his_name_which_stays_as_it_is(person: Person) -> None:
    anna, carla = person("Anna"), person("<b>Carla</b>")
    begin(anna)
    anna.open("red")
    carla.open()
    found: list[str] = []

    def told() -> bool:
        found[:] = [one.toolTip() for one in anna.page.players.findChildren(QLabel) if one.text() == "Looking on: <b>Carla</b>"]
        return bool(found)

    anna.until(told)
    assert found[-1] == f"<p style='white-space:pre'>&lt;b&gt;Carla&lt;/b&gt;: {program()}</p>"


def test_the_name_of_a_seat_stands_in_a_tip_as_it_is(person: Person) -> None:
    anna = person("Anna")
    begin(anna, Terms(seats=(SeatTerms("red"), SeatTerms("red", "<b>Staff</b>"), SeatTerms("blue"))))
    anna.open("red")
    tips = [button.toolTip() for button in anna.page.players.findChildren(QPushButton)]
    assert [tip for tip in tips if "Staff" in tip]
    assert not [tip for tip in tips if "<b>" in tip]


def test_what_a_seat_commands_is_told_but_for_units_that_may_be_hidden(person: Person) -> None:
    anna = person("Anna")
    rear = SeatTerms("red", "Rear", (UnitId(0), UnitId(1)))
    begin(anna, Terms(seats=(SeatTerms("red"), rear, SeatTerms("blue"), SeatTerms("blue", "Rear", SOME))))
    anna.open("red")
    told = [words for words in said(anna.page.players) if words.startswith("Rear")]
    assert told == ["Rear: free (2 units)", "Rear: free (some units)"]


def test_a_refusal_stands_below_the_button_that_was_pressed_in_sight(person: Person) -> None:
    anna = person("Anna")
    begin(anna, Terms(seats=tuple(SeatTerms(side, f"{n}") for side in ("red", "blue") for n in range(6))))
    anna.open("red", "0")
    anna.window.resize(1100, 640)
    panel = anna.page.players
    anna.page.open_side("players")
    anna.until(lambda: "pause" in panel.buttons)
    panel.ensureWidgetVisible(panel.buttons["pause"])
    anna.press("Ask for a pause")
    anna.until(lambda: is_in_sight(anna))
    QApplication.processEvents()
    assert panel.buttons["pause"].geometry().bottom() < panel.fault.geometry().top() < panel.buttons["ask_resign"].geometry().top()
    anna.page.players.tell_fault("")
    assert not panel.fault.isVisible()


def test_the_owner_is_offered_no_more_than_he_may_do(person: Person) -> None:
    anna, _ = duel(person)
    anna.page.open_side("players")
    panel = anna.page.players
    anna.until(lambda: "free blue" in panel.buttons)
    assert panel.referee._ends.isVisible()
    order(anna, End())
    anna.until(lambda: "free blue" not in panel.buttons)
    assert panel.referee.isVisible()
    assert not panel.referee._ends.isVisible(), "others play: only a referee may end it"


def test_what_spectators_see_begins_with_what_they_see_now(person: Person) -> None:
    anna, _ = duel(person, Terms(spectators=SpectatorTerms("open", 3)))
    box = anna.page.players.referee
    assert (box.view.currentData(), box.delay.text()) == ("open", "3")
    box.view.setCurrentIndex(box.view.findData("closed"))
    order(anna, End())
    anna.page.show_table()
    assert box.view.currentData() == "closed", "what is being chosen stays"


def test_who_owns_the_game_and_who_may_end_it_stands_below_what_was_agreed_on(person: Person) -> None:
    """A game whose creator made her friend its referee looked like any other, until he ended it."""
    for name in ("Rita", "Sven"):
        person(name)
    _, boris = duel(person, Terms(referees=("Rita", "Sven")))
    boris.page.open_side("players")
    rules = "\nBegun by Anna\nWho may rule in it, and end it: Rita, Sven"
    boris.until(lambda: any(words.endswith(rules) for words in said(boris.page.players)))
