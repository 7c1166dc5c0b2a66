"""Seats that are left in mid-game, and seats that command nothing, at the page."""

from __future__ import annotations

from core.terms import DiceTerms, SeatTerms, Terms
from tests.client.table.people import Person, begin, duel, order, said
from tests.toy.ruleset import End


def test_a_seat_that_was_left_in_mid_game_is_offered_to_nobody_else_until_its_leaver_lets_others_sit(person: Person) -> None:
    anna, boris, carla = *duel(person), person("Carla")
    order(anna, End())
    boris.until(lambda: boris.page.match.may_act)
    boris.page.match.leave_seat("blue", "")
    carla.open()
    for one in (anna, carla):
        one.page.open_side("players")
        one.until(lambda one=one: "kept for Boris" in said(one.page.players))  # type: ignore[misc]
        assert "take blue" not in one.page.players.buttons
        assert "Boris leaves a seat of Blue; it is kept for Boris" in one.log()
    assert anna.said[-1] == "Boris leaves a seat of Blue; it is kept for Boris"
    assert "open blue" in anna.page.players.buttons, "the game is hers"
    assert "open blue" not in carla.page.players.buttons
    boris.page.open_side("players")
    boris.until(lambda: "take blue" in boris.page.players.buttons)
    boris.press("Let others sit here")
    anna.until(lambda: "take blue" in anna.page.players.buttons)
    assert "Boris lets others sit at Blue" in anna.log()
    carla.press("Sit down here")
    anna.until(lambda: anna.page.match.match.table.holders("blue") == {"Carla"})


def test_witnessed_dice_that_wait_for_a_player_call_his_side_by_its_title(person: Person) -> None:
    anna = person("Anna")
    begin(anna, Terms(dice=DiceTerms("witnessed")))
    anna.open("blue")
    anna.page.open_side("players")
    anna.until(lambda: anna.page.players.waits.text().startswith("The dice are witnessed"))
    assert anna.page.players.waits.text().endswith("until somebody plays the Red side")


def test_whoever_may_order_nothing_before_all_sides_witness_the_dice_is_told_so_until_they_do(person: Person) -> None:
    anna, boris = person("Anna"), person("Boris")
    begin(anna, Terms(dice=DiceTerms("witnessed")))
    anna.open("red")
    anna.until(lambda: anna.is_asked("Nobody plays the Blue yet"))
    assert "no order is taken before somebody sits there" in anna.page.question.words.text()
    assert anna.page.header.waits.text().startswith("Blue: nobody sits there")
    boris.open("blue")
    anna.until(lambda: not anna.page.question.isVisible())
    anna.until(lambda: "your decision" in anna.page.header.waits.text())
    anna.until(lambda: anna.page.match.match.witnesses.refusal() is None)
    order(anna, End())
    boris.page.match.leave_seat("blue", "")
    anna.until(lambda: anna.page.match.vacant() != [])
    assert not anna.page.question.isVisible(), "the prompt says so already"
    assert [(chair.side, chair.kept_for) for chair in anna.page.match.lacking()] == [("blue", "Boris")]


def test_whoever_waits_for_a_side_at_which_nobody_sits_is_told_so_and_how_its_seat_is_filled(person: Person) -> None:
    anna, boris = person("Anna"), person("Boris")
    begin(anna)
    anna.open("blue")
    prompt = anna.page.prompt
    anna.until(lambda: anna.page.header.waits.text().startswith("Red: nobody sits there"))
    assert prompt.heading.text() == "Nobody plays the Red yet"
    assert "or you do (Players, Ctrl+T)" in prompt.words.text()
    anna.until(lambda: anna.page.players.waits.text().startswith("Waits for somebody who plays the Red, for"))
    boris.open("red")
    anna.until(lambda: anna.page.header.waits.text().startswith("Red (Boris) decides"))
    anna.until(lambda: prompt.heading.text() == "Red decides")
    order(boris, End())
    order(anna, End())
    boris.page.match.leave_seat("red", "")
    anna.until(lambda: prompt.heading.text() == "Nobody plays the Red now")
    assert prompt.words.text().startswith("The seat is kept for Boris")
    his = boris.page.prompt
    boris.until(lambda: his.heading.text() == "Nobody plays the Red now")
    assert his.words.text() == "The seat is kept for you: sit down there again, or let others have it (Players, Ctrl+T)."


def test_a_seat_that_commands_nothing_is_asked_nothing_until_it_commands_something(person: Person) -> None:
    anna, carla = person("Anna"), person("Carla")
    begin(anna, Terms(seats=(SeatTerms("red"), SeatTerms("red", "Staff", ()), SeatTerms("blue"))))
    anna.open("red")
    carla.open("red", "Staff")
    anna.until(lambda: anna.page.match.may_act)
    assert not carla.page.match.may_act
    assert "your decision" not in carla.page.header.waits.text()
    assert not carla.page.prompt.keyed
    chair = anna.page.match.match.table.chairs["red", "Staff"]
    anna.page.match.limit(chair, [unit.id for unit in anna.page.match.view.position.on_map()])
    carla.until(lambda: carla.page.match.may_act)
    carla.until(lambda: "your decision" in carla.page.header.waits.text())
