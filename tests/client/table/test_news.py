"""What others do at the table is told when they do it, and what is asked says enough to be answered."""

from __future__ import annotations

import pytest

from client.termwords import clock_words
from core.terms import ClockTerms, Terms
from tests.client.table.people import Person, a_strike, begin, duel, order
from tests.server.conftest import Host
from tests.toy.ruleset import End


def test_who_sits_down_goes_and_comes_back_is_told(person: Person, host: Host) -> None:
    anna, boris = person("Anna"), person("Boris")
    begin(anna)
    anna.open("red")
    boris.open("blue")
    anna.until(lambda: "Boris sits down at Blue" in anna.said)
    anna.until(lambda: any(one.name == "Boris" and one.here for one in anna.page.match.talk.people))
    boris.window.lobby.close_line()
    host.hears_nothing_of("Boris")
    anna.until(lambda: "Boris has gone for now; the seat stays his" in anna.said)
    boris.window.lobby.connect_()
    boris.until(lambda: boris.window.lobby.state.text().startswith("Connected"))
    boris.window.lobby.follow("table")
    anna.until(lambda: "Boris is back at the table" in anna.said)


def test_nobody_is_told_to_have_gone_by_who_was_here_before_the_server_was_started_anew(person: Person, host: Host) -> None:
    anna, boris = duel(person)
    anna.until(lambda: any(one.name == "Boris" and one.here for one in anna.page.match.talk.people))
    address = f"tcp://{host.place.place}"
    host.stop()
    anna.until(lambda: not anna.page.match.is_up)
    boris.window.lobby.close_line()  # so that Anna is back before him
    anna.window.lobby.line_changed.connect(lambda _: anna.page.show_table())  # as where chat comes before who is here now
    host.start(address)
    anna.until(lambda: any(one.name == "Boris" and not one.here for one in anna.page.match.talk.people))
    boris.window.lobby.connect_()
    boris.until(lambda: boris.window.lobby.state.text().startswith("Connected"))
    boris.window.lobby.follow("table")
    anna.until(lambda: any(one.name == "Boris" and one.here for one in anna.page.match.talk.people))
    assert not [words for words in anna.said if "gone" in words or "back at the table" in words]


def test_dice_show_on_the_card_of_both_and_a_going_back_tells_nothing_old(person: Person) -> None:
    anna, boris = duel(person)
    order(anna, a_strike(anna))
    for one in (anna, boris):
        one.until(lambda one=one: one.page.dice.isVisible() and bool(one.page.dice.words))  # type: ignore[misc]
    boris.said.clear()
    anna.window.pages.setCurrentWidget(anna.page)
    anna.page.undo()
    boris.until(lambda: boris.is_asked("Anna asks to go back"))
    boris.press("Agree", boris.page.question)
    for one in (anna, boris):
        one.until(lambda one=one: len(one.page.match.moments()) == 1)  # type: ignore[misc]
        assert not one.page.dice.isVisible()
    assert not [words for words in boris.said if "sits down" in words]


def test_what_a_referee_does_is_told_to_those_who_play(person: Person) -> None:
    rita = person("Rita")
    anna, boris = duel(person, Terms(clock=ClockTerms("absolute", 3_600_000), referees=("Rita",)))
    rita.open()
    box = rita.page.players.referee
    box.remark.setText("Play on, please")
    box._say()
    for one in (anna, boris):
        one.until(lambda one=one: "Referee Rita: Play on, please" in one.said)  # type: ignore[misc]
    box.minutes.setText("5")
    box._set_clock()
    anna.until(lambda: "Referee Rita sets the clock of Red to 5 minutes" in anna.said)
    assert not [words for words in rita.said if "Rita" in words], "who does it knows it"


def test_the_chat_is_marked_until_it_is_read(person: Person) -> None:
    anna, boris = duel(person)
    tab = boris.page.side._buttons["chat"]
    anna.page.chat.say_wanted.emit("game", "Good luck")
    boris.until(lambda: tab.text() == "Chat ●")
    boris.page.open_side("chat")
    assert tab.text() == "Chat"
    anna.page.chat.say_wanted.emit("game", "and fun")
    boris.until(lambda: "and fun" in boris.page.chat.text.toPlainText())
    assert tab.text() == "Chat"


def test_the_header_names_who_decides_and_shows_the_clocks_of_both_sides_but_none_in_the_past(person: Person) -> None:
    anna, boris = duel(person, Terms(clock=ClockTerms("absolute", 3_600_000)))
    boris.until(lambda: boris.page.header.waits.text().startswith("Red (Anna) decides"))
    assert anna.page.header.waits.text().startswith("Red: your decision")
    for one in (anna, boris):
        one.until(lambda page=one.page: page.header.clocks.accessibleName().startswith("Red ") and "<b>Red" in page.header.clocks.text())
        assert ", Blue " in one.page.header.clocks.accessibleName()
    order(anna, End())
    anna.until(lambda: anna.page.header.waits.text().startswith("Blue (Boris) decides"))
    assert not anna.page.header.clocks.isHidden()
    anna.page.time.seek(0)
    anna.page._tick()
    assert anna.page.header.waits.text() == "Red decides"
    assert anna.page.header.clocks.isHidden()


def test_who_ran_out_on_a_clock_that_others_may_claim_reads_so(person: Person) -> None:
    anna, boris = duel(person, Terms(clock=ClockTerms("absolute", 1, on_flag="claim")))
    anna.until(lambda: anna.is_asked("Your time is out"))
    boris.until(lambda: boris.is_asked("The time of the others is out"))
    boris.press("Claim the game")
    anna.until(lambda: anna.page.match.outcome is not None and not anna.page.question.isVisible())


@pytest.mark.parametrize(
    ("more", "words"), [(0, "1 minute for the game; who runs out of time loses"),
                        (5_000, "1 minute, and 5 seconds more for each phase; who runs out of time loses")]
)
def test_a_clock_tells_of_no_more_time_that_is_none(more: int, words: str) -> None:
    assert clock_words(ClockTerms("fischer", 60_000, more)) == words
