"""The Players panel: seats, who is here, clocks and flags."""

from __future__ import annotations

import pytest

from client.durations import clock_face, how_long
from client.qt import Qt
from core.board import Hex
from core.errors import Refused
from core.terms import ClockTerms, SeatTerms, Terms
from tests.client.table.people import Person, a_go, begin, duel, order
from tests.server.conftest import Host


def test_the_panel_shows_who_sits_where_who_is_here_and_whom_the_game_waits_for(person: Person, host: Host) -> None:
    anna, boris = duel(person)
    carla = person("Carla")
    carla.open()
    panel = anna.page.players
    anna.until(lambda: "Carla" in [line.name for line in anna.page.match.talk.people])
    anna.until(lambda: panel.presence["blue"].text() == "● here")
    assert panel.waits.text().startswith("Waits for the Red, for")
    assert any(one.text() == "Looking on: Carla" for one in panel.findChildren(type(panel.waits)))
    boris.window.close()
    host.hears_nothing_of("Boris")
    anna.page.match.talk._clock = lambda: anna.page.match.talk.people[0].since_ms + 300_000  # as if much later
    anna.until(lambda: panel.presence["blue"].text().startswith("○ away for"))


def test_of_a_crowd_that_looks_on_some_are_named_and_the_others_counted(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.presence.LISTED", 3)
    anna, _ = duel(person)
    for name in ("Carla", "Dora", "Emil"):
        person(name).open()
    panel = anna.page.players
    anna.until(lambda: "Looking on: Carla and 2 more" in [one.text() for one in panel.findChildren(type(panel.waits))])


def test_clocks_run_by_the_servers_time_and_warn_when_little_is_left(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    anna, boris = duel(person, Terms(clock=ClockTerms("absolute", 3_600_000)))
    anna.until(lambda: anna.page.match.talk.waiting is not None)
    talk = anna.page.match.talk
    now = talk.now_ms()
    began = anna.page.match.match.table.clocks
    monkeypatch.setattr(talk, "now_ms", lambda: began.at_ms + 1_800_000)
    anna.page.players.tick()
    assert anna.page.players.clocks["red"].text() == "30:00"
    assert anna.page.players.clocks["blue"].text() == "1:00:00"
    monkeypatch.setattr(talk, "now_ms", lambda: began.at_ms + 3_550_000)
    anna.page._tick()
    assert anna.page.players.clocks["red"].text() == "0:50"
    assert anna.page.palette_.danger in anna.page.players.clocks["red"].styleSheet()
    clocks = anna.page.header.clocks
    assert not clocks.isHidden()
    assert clocks.accessibleName() == "Red 0:50, Blue 1:00:00"
    assert clocks.text() == f'<span style="color: {anna.page.palette_.danger}"><b>Red\u00a00:50</b></span>\u00a0· Blue\u00a01:00:00'
    assert now >= began.at_ms
    assert boris.page.players.clocks.keys() == {"red", "blue"}


def test_a_flag_that_falls_is_claimed_on_a_card(person: Person) -> None:
    anna, boris = duel(person, Terms(clock=ClockTerms("absolute", 1, on_flag="claim")))
    boris.until(lambda: boris.is_asked("The time of the others is out"))
    boris.press("Claim the game")
    for one in (anna, boris):
        one.until(lambda one=one: one.page.match.outcome is not None)  # type: ignore[misc]
    assert anna.page.match.outcome is not None
    assert anna.page.match.outcome.winner == "blue"
    anna.until(lambda: anna.page.bar.words.toolTip() == "The game is over. Blue wins by claim: the others had no time left")
    assert "Red ran out of time" in anna.log()
    anna.until(lambda: not [name for name in anna.page.players.buttons if name.partition(" ")[0] in ("take", "leave", "free")])


def test_seats_are_taken_and_left_in_the_panel_several_of_a_side_and_both_sides(person: Person) -> None:
    anna = person("Anna")
    begin(anna, Terms(seats=(SeatTerms("red", "Front"), SeatTerms("red", "Rear"), SeatTerms("blue"))))
    anna.open("red", "Front")
    panel = anna.page.players
    anna.until(lambda: "take red Rear" in panel.buttons)
    anna.qtbot.mouseClick(panel.buttons["take red Rear"], Qt.MouseButton.LeftButton)
    anna.until(lambda: "leave red Rear" in panel.buttons)
    anna.qtbot.mouseClick(panel.buttons["take blue"], Qt.MouseButton.LeftButton)
    anna.until(lambda: anna.page.match.my_sides() == ("red", "blue"))
    anna.until(lambda: "leave blue" in panel.buttons)
    anna.qtbot.mouseClick(panel.buttons["leave blue"], Qt.MouseButton.LeftButton)
    anna.until(lambda: anna.page.match.my_sides() == ("red",))
    assert "Anna leaves a seat of Blue" in anna.log()
    assert "kept for" not in anna.log()


def test_the_first_seat_says_what_the_second_commands_and_others_are_refused_here_already(person: Person) -> None:
    anna, boris, carla = person("Anna"), person("Boris"), person("Carla")
    begin(anna, Terms(seats=(SeatTerms("red", "Front"), SeatTerms("red", "Rear"), SeatTerms("blue"))))
    anna.open("red", "Front")
    carla.open("red", "Rear")
    boris.open("blue")
    panel = anna.page.players
    anna.until(lambda: "more red Rear" in panel.buttons)
    anna.page.open_side("players")
    anna.qtbot.mouseClick(panel.buttons["more red Rear"], Qt.MouseButton.LeftButton)
    assert panel.fault.text() == "Select a stack of the Red first"
    wanted = a_go(anna)
    assert wanted.unit is not None
    anna.page.click(Hex(anna.page.match.view.unit(wanted.unit).place))
    assert anna.page.composer.units() == (wanted.unit,)
    assert anna.page.side.current == "players", "whose button is meant for the stack that was selected"
    anna.qtbot.mouseClick(panel.buttons["none red Rear"], Qt.MouseButton.LeftButton)
    carla.until(lambda: carla.page.match.match.table.chairs["red", "Rear"].units == ())
    with pytest.raises(Refused, match="does not command"):
        carla.page.match.order(wanted)
    anna.until(lambda: "all red Rear" in panel.buttons)
    anna.qtbot.mouseClick(panel.buttons["more red Rear"], Qt.MouseButton.LeftButton)
    carla.until(lambda: carla.page.match.match.table.chairs["red", "Rear"].units == (wanted.unit,))
    order(carla, wanted)
    anna.until(lambda: len(anna.page.match.moments()) == 2)


@pytest.mark.parametrize(
    ("ms", "face"), [(0, "0:00"), (59_999, "0:59"), (3_725_000, "1:02:05"), (-61_000, "−1:01"), (90_061_000, "1 d 1:01:01")]
)
def test_a_clock_shows_what_is_left(ms: int, face: str) -> None:
    assert clock_face(ms) == face


@pytest.mark.parametrize(("ms", "words"), [(-5, "0 s"), (59_999, "59 s"), (60_000, "1 min"), (7_200_000, "2 h"), (172_800_000, "2 d")])
def test_a_stretch_of_time_is_told_in_its_largest_unit(ms: int, words: str) -> None:
    assert how_long(ms) == words
