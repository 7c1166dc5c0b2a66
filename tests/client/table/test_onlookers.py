"""Spectators and referees."""

from __future__ import annotations

from core import protocol
from core.terms import ClockTerms, SpectatorTerms, Terms
from tests.client.table.people import Person, a_go, begin, duel, order, said
from tests.toy.ruleset import End


def test_a_spectator_reads_what_he_is_shown_and_how_late(person: Person) -> None:
    anna, _ = duel(person, Terms(spectators=SpectatorTerms("table", delay_entries=2)))
    carla = person("Carla")
    carla.open()
    assert carla.page.bar.words.text() == "You look on: spectators see what lies open, 2 entries later"
    order(anna, a_go(anna))
    order(anna, End())
    carla.until(lambda: len(carla.page.match.match.log) >= 3)
    assert len(carla.page.match.match.log) < len(anna.page.match.match.log)
    assert not carla.page.match.may_act


def test_what_a_referee_does_stands_in_the_log_for_all(person: Person) -> None:
    rita = person("Rita")
    anna, boris = duel(person, Terms(clock=ClockTerms("absolute", 600_000), referees=("Rita",)))
    rita.open()
    rita.page.open_side("players")
    box = rita.page.players.referee
    rita.until(lambda: box.isVisible())
    box.remark.setText("Phones away, please")
    rita.press("Write it in the log")
    anna.until(lambda: "Referee Rita: Phones away, please" in anna.log())
    rita.press("Pause the game")
    anna.until(lambda: anna.is_asked("A referee has paused the game"))
    assert not anna.page.question.asked.replies  # type: ignore[union-attr]
    rita.press("Let the game go on", box)
    anna.until(lambda: anna.page.match.may_act)
    box.minutes.setText("soon")
    rita.press("Set the clock")
    assert box.fault.text().startswith("Minutes left: a whole number from 0 to")
    box.minutes.setText("5")
    rita.press("Set the clock")
    boris.until(lambda: "Referee Rita sets the clock of Red to 5 minutes" in boris.log())
    assert box.fault.isHidden()
    rita.press("End the game")
    assert box.fault.text() == "Why: a reason is wanted, for all to read"
    box.winner.setCurrentIndex(box.winner.findData("blue"))
    box.reason.setText("Red went home")
    rita.press("End the game")
    boris.until(lambda: boris.page.match.outcome is not None)
    assert "Rita ends the game, Blue wins: Red went home" in boris.log()
    boris.until(lambda: boris.page.bar.words.toolTip() == "The game is over. Blue wins: Red went home (ended by Rita)")


def test_a_players_seat_is_freed_by_the_games_owner_before_its_first_order(person: Person) -> None:
    anna, boris = duel(person)
    anna.page.open_side("players")
    anna.press("Free this seat")
    boris.until(lambda: not boris.page.match.my_sides())
    boris.until(lambda: boris.page.bar.isVisible())
    assert boris.page.bar.words.text().startswith("Your seat at the")
    assert "Anna frees a seat of Blue" in boris.log()


def test_where_the_game_is_shown_later_seats_stand_as_they_are_and_clocks_as_they_were(person: Person) -> None:
    terms = Terms(spectators=SpectatorTerms("table", delay_entries=2), clock=ClockTerms("absolute", 600_000))
    anna, boris = duel(person, terms)
    carla = person("Carla")
    carla.open()
    panel = carla.page.players
    carla.page.open_side("players")
    carla.until(lambda: {"Anna", "Boris"} <= set(said(panel)))
    assert not carla.page.match.match.table.holders("blue"), "the log that he is shown does not say so yet"
    assert carla.page.timeline.live.text().startswith("2 entries later · ")
    assert anna.page.timeline.live.text().startswith("Live · ")
    assert not {"take red", "take blue"} & set(panel.buttons)
    carla.page.match.talk._clock = lambda: carla.page.match.match.table.clocks.at_ms + 500_000
    panel.tick()
    assert panel.clocks["red"].text() == "10:00"
    order(anna, End())
    boris.until(lambda: boris.page.match.may_act)
    boris.page.open_side("players")
    boris.page._seat("leave", "blue", "")
    boris.until(lambda: not boris.page.match.my_sides())
    assert not boris.page.match.may_act
    boris.until(lambda: "take blue" in boris.page.players.buttons)
    assert not {"leave blue", "ask_resign"} & set(boris.page.players.buttons)
    assert boris.page.bar.words.text().startswith("You look on")
    boris.page._seat("take", "blue", "")
    boris.until(lambda: boris.page.match.may_act)


def test_where_spectators_see_nothing_whoever_looked_on_before_reads_so_and_is_offered_no_seat(person: Person) -> None:
    anna = person("Anna")
    begin(anna, Terms(spectators=SpectatorTerms("closed")))
    carla, boris = person("Carla"), person("Boris")
    carla.open()
    carla.page.open_side("players")
    carla.until(lambda: {"take red", "take blue"} <= set(carla.page.players.buttons))
    anna.open("red")
    boris.open("blue")
    carla.until(lambda: {"Anna", "Boris"} <= set(said(carla.page.players)))
    assert not {"take red", "take blue"} & set(carla.page.players.buttons)
    carla.until(lambda: carla.page.header.waits.text() == "Closed to who looks on, until it ends")
    assert carla.page.timeline.live.text().startswith("Held until the end · ")
    assert said(carla.page.prompt)[0] == "Closed to who looks on, until it ends", "who decides is not known here"


def test_a_server_that_tells_of_some_seats_alone_leaves_the_others_as_they_are_known(person: Person) -> None:
    anna, _ = duel(person)
    red = protocol.SeatLine("red", "", "Clara", online=True, limited=False)
    match = anna.page.match
    match.talk.take(protocol.Waiting(match.game, "", 0, 0, {}, runs=False, paused=False, chairs=(red,)))
    assert match.players() == {"red": "Clara", "blue": "Boris"}
    anna.page.show_table()


def test_whoever_looks_on_at_a_closed_game_before_all_sit_is_told_until_when(person: Person) -> None:
    anna, carla = person("Anna"), person("Carla")
    begin(anna, Terms(spectators=SpectatorTerms("closed")))
    carla.open()
    told = "You look on until all seats are taken; from then on spectators see nothing until the end"
    carla.until(lambda: carla.page.bar.words.text() == told)
