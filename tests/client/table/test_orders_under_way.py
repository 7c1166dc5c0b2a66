"""Orders on their way to the server, answers ahead, and dice that wait for somebody."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel

from client.connection.fouls import Foul
from client.connection.left_out import RAN_OUT, WENT_ON, LeftOut
from client.connection.notes import Trouble
from core import protocol
from core.errors import Refused
from core.log import Fallback
from core.orders import OptionPick, picks_of
from core.terms import DiceTerms, Terms
from core.text import text
from core.units import UnitId
from tests.client.table.people import GAME, Person, a_go, a_strike, duel, order, said
from tests.toy.ruleset import End


def test_an_order_is_shown_at_once_as_provisional_and_then_as_the_servers(person: Person) -> None:
    anna, boris = duel(person)
    wanted = a_go(anna)
    anna.page.match.order(wanted)
    anna.page._sent()
    assert anna.page.match.is_provisional
    assert wanted.unit is not None
    assert anna.page.match.view.unit(wanted.unit).place == wanted.hex
    assert anna.page.header.waits.text().startswith("Sent, not confirmed yet")
    assert anna.page.prompt.heading.text() == "Your order is on its way"
    assert len(anna.page.match.moments()) == 1
    with pytest.raises(Refused, match="has not answered"):
        anna.page.match.order(End())
    anna.until(lambda: not anna.page.match.awaits_answer)
    assert not anna.page.match.is_provisional
    assert len(anna.page.match.moments()) == 2
    boris.until(lambda: boris.page.match.view.unit(UnitId(wanted.unit or 0)).place == wanted.hex)


def test_what_the_server_refuses_goes_back_to_where_it_was_and_says_why(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    anna, _ = duel(person)
    before = anna.page.match.view.position.digest()

    def refuse(*args: object) -> None:
        raise Refused("7.7", text("not today"))

    monkeypatch.setattr("server.rooms.permit_order", refuse)
    anna.page.match.order(a_go(anna))
    anna.page._sent()
    assert anna.page.match.view.position.digest() != before
    anna.until(lambda: not anna.page.match.awaits_answer)
    assert anna.page.match.view.position.digest() == before
    assert anna.said [-1:] == ["Not today (7.7)"]
    assert anna.page.match.may_act


def test_an_order_that_hangs_on_dice_is_not_foreseen(person: Person) -> None:
    anna, _ = duel(person)
    anna.page.match.order(a_strike(anna))
    anna.page._sent()
    assert anna.page.match.awaits_answer
    assert not anna.page.match.is_provisional
    assert "dice" in anna.page.prompt.words.text()
    anna.until(lambda: len(anna.page.match.moments()) == 2)


def test_what_the_table_tells_does_not_disturb_an_order_under_composition(person: Person) -> None:
    anna, boris = duel(person)
    place = anna.page.match.view.unit(UnitId(0)).place
    anna.page.click(place)  # type: ignore[arg-type]
    picks = anna.page.composer.picks
    assert picks
    boris.page.chat.say_wanted.emit("game", "hm")
    boris.page._act("draw")
    anna.until(lambda: anna.is_asked("Boris offers a draw") and bool(anna.page.match.talk.lines))
    assert anna.page.composer.picks == picks


def test_an_answer_is_given_now_and_kept_for_the_next_time(person: Person) -> None:
    anna, boris = duel(person)
    anna.page.open_side("players")
    ends = next(choice for choice in anna.page.composer.choices() if str(choice.label) == "End")
    anna.page.warns = True
    anna.page.composer.choose(ends.pick)
    anna.page.show_draft()
    anna.press("Answer so, all this turn")
    boris.until(lambda: boris.page.match.may_act)
    anna.until(lambda: bool(anna.page.match.talk.answers.get("red")))
    anna.window.join()
    assert anna.window.windowTitle() == "Rasputitsa"
    anna.open("red")  # opened anew: the answer is still there
    anna.until(lambda: bool(anna.page.match.talk.answers.get("red")))
    anna.page.open_side("players")
    anna.press("Forget this answer")
    anna.until(lambda: not anna.page.match.talk.answers["red"])
    assert [moment.side for moment in anna.page.match.moments()] == ["", "red"]  # given once, on the spot


def test_a_decision_is_answered_before_it_comes_and_is_called_as_players_call_it(person: Person) -> None:
    anna, boris = duel(person)
    boris.page.open_side("players")
    assert not boris.page.match.may_act
    asked = boris.page.players.prepared
    assert (asked.decision.currentText(), asked.answer.currentText()) == ("Somebody's turn", "Rest at once")
    boris.press("Keep this answer from now on")
    boris.until(lambda: "Somebody's turn: Rest at once" in [shown.text() for shown in boris.page.players.findChildren(QLabel)])
    order(anna, End())
    anna.until(lambda: [moment.side for moment in anna.page.match.moments()] == ["", "red", "blue"])
    boris.press("Forget this answer")
    boris.until(lambda: not boris.page.match.talk.answers["blue"])


def test_an_answer_that_no_program_can_read_is_shown_as_it_is_called(person: Person) -> None:
    """A server that tells of one broke the window each time the panel was filled."""
    _, boris = duel(person)
    boris.page.open_side("players")
    link = boris.window.lobby.link
    assert link is not None
    link.heard.emit(protocol.Answers(GAME, "blue", (protocol.KeptAnswer("Guess", "Anna", b"\xff", -1),)))
    assert "Guess: ?" in [shown.text() for shown in boris.page.players.findChildren(QLabel)]


def test_an_answer_that_names_counters_says_how_long_it_holds_and_why_it_was_dropped(person: Person) -> None:
    anna, _ = duel(person)
    anna.page.open_side("players")
    assert not any("just these may do just this" in words for words in said(anna.page.players))
    wanted = a_go(anna)
    anna.page.composer.picks = (OptionPick("go"), *picks_of(wanted))
    anna.page.show_draft()
    anna.page.open_side("players")
    assert any("just these may do just this" in words for words in said(anna.page.players))
    anna.press("Answer so, all this turn")
    anna.until(lambda: anna.page.match.talk.dropped is not None)  # used once; the unit can't go again
    anna.until(lambda: any(words.startswith("The answer to Somebody's turn could not be used") for words in said(anna.page.players)))


def test_whoever_looks_on_is_offered_no_answers_ahead(person: Person) -> None:
    duel(person)
    clara = person("Clara")
    clara.open()
    clara.page.open_side("players")
    assert "prepare" not in clara.page.players.buttons


def test_while_a_link_stays_away_the_other_side_reads_for_whom_the_dice_wait_and_chooses(person: Person) -> None:
    anna, boris = duel(person, Terms(dice=DiceTerms("witnessed", wait_ms=1)))
    anna.until(lambda: anna.page.match.match.witnesses.refusal() is None)
    boris.page.match.games._witnessing.answer = lambda match, wanted: None  # type: ignore[method-assign,assignment]
    boris.page.match.games._witnessing.watch = lambda match, entry, *, live: None  # type: ignore[method-assign,assignment]
    anna.page.match.order(a_strike(anna))
    anna.page._sent()
    anna.until(lambda: anna.is_asked("The dice wait for the program of Boris"))
    boris.until(lambda: boris.is_asked("The dice wait for your program"))
    for one, words in ((anna, "The dice wait for Boris"), (boris, "The dice wait for your program")):
        one.page.players.tick()
        assert (one.page.header.waits.text(), one.page.players.waits.text()) == (words, words)
    anna.press("Go on without", anna.page.question)
    anna.until(lambda: len(anna.page.match.moments()) == 2)
    assert any(isinstance(entry.act, Fallback) for entry in anna.page.match.match.log.entries)
    assert "Anna goes on without the dice link of Boris" in anna.log()
    assert not anna.page.question.isVisible()


def test_what_an_honest_server_does_not_do_stays_on_a_card_until_it_is_read(person: Person) -> None:
    anna, _ = duel(person)
    assert anna.window.lobby.link is not None
    anna.window.lobby.link.heard.emit(Foul(GAME, text("the server used dice that do not fit"), "evidence/1"))
    assert anna.window.notice.isVisible()
    assert anna.window.notice.close_button.isVisible()
    assert anna.window.notice.lines.text() == f"Duel · {GAME}: the server used dice that do not fit; what proves it is kept in evidence/1"


def test_what_was_decided_without_us_again_and_again_is_one_line_of_the_card(person: Person) -> None:
    anna, _ = duel(person)
    link, notice = anna.window.lobby.link, anna.window.notice
    assert link is not None
    for k in (19, 20, 20, 21):
        link.heard.emit(LeftOut(GAME, text(WENT_ON, player="Boris", k=k)))
    went_on = f"Duel · {GAME}: Boris went on without your link for the dice of number"
    assert notice.lines.text() == f"{went_on} 21 (the last of 3 such)"
    link.heard.emit(LeftOut(GAME, text(RAN_OUT, side="red", k=22)))
    link.heard.emit(LeftOut(GAME, text(WENT_ON, player="Carla", k=23)))
    assert notice.lines.text().splitlines() == [
        f"{went_on} 21 (the last of 3 such)",
        f"Duel · {GAME}: Time ran out for Red as your link for the dice of number 22 was waited for",
        f"Duel · {GAME}: Carla went on without your link for the dice of number 23",
    ]
    anna.press("Close", notice)
    link.heard.emit(LeftOut(GAME, text(WENT_ON, player="Boris", k=24)))
    assert notice.lines.text() == f"{went_on} 24", "what was read is counted no more"


def test_a_remark_about_a_game_calls_it_as_the_list_does(person: Person) -> None:
    anna, _ = duel(person)
    lobby = anna.window.lobby
    assert lobby.link is not None
    lobby.link.heard.emit(Trouble(f"{GAME}: the server answered nothing for 25 s", is_remark=True))
    assert anna.window.notice.title.text() == f"Duel · {GAME}: the server answered nothing for 25 s"
    lobby.link.heard.emit(Trouble("another: it is not listed here", is_remark=True))
    assert anna.window.notice.title.text() == "another: it is not listed here"
