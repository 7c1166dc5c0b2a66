"""The line that breaks, and what ends one's part in a game."""

from __future__ import annotations

import asyncio
import threading

import pytest
from PySide6.QtWidgets import QApplication, QPushButton

from client.connection.identity import changed
from client.connection.line import OTHER_KEY, Down, Line, Up
from client.connection.notes import Anew, Ready, Trouble
from client.map.ground import Ground, ground_of
from client.qt import Qt
from core import protocol
from core.address import Place
from core.board import Board
from core.errors import Refused
from core.identity import PublicKey, fingerprint
from core.orders import OptionPick
from core.terms import Terms
from core.text import Text, text
from server import admin
from tests.client.table.people import GAME, Person, begin, duel, order, said
from tests.server.conftest import Host
from tests.toy.ruleset import End


def test_the_map_of_a_servers_game_is_made_beside_the_window(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    threads = list[threading.Thread]()

    def made(board: Board) -> Ground:
        threads.append(threading.current_thread())
        return ground_of(board)

    monkeypatch.setattr("client.errands.ground_of", made)
    anna = person("Anna")
    begin(anna)
    anna.open("red")
    assert threads
    assert threading.main_thread() not in threads


def test_a_broken_line_is_shown_no_order_leaves_and_all_is_caught_up(person: Person, host: Host) -> None:
    anna, boris = duel(person)
    address = f"tcp://{host.place.place}"
    host.stop()
    anna.until(lambda: anna.page.bar.isVisible() and anna.page.bar.words.text().startswith("No line to the server"))
    assert not anna.page.bar.retry.isHidden()
    live = anna.page.timeline.live
    assert (live.text().split(" · ")[0], live.objectName()) == ("No line", "late")  # what stands last may not be the last
    with pytest.raises(Refused, match="no line to the server"):
        anna.page.match.order(End())
    anna.page.composer.choose(OptionPick("end"))
    anna.page.give()
    assert "no line to the server" in anna.page.prompt.note.text()
    host.start(address)
    for one in (anna, boris):
        one.until(lambda one=one: one.page.match.is_up and not one.page.bar.isVisible())  # type: ignore[misc]
    assert anna.said[-1] == "The line is there again, and nothing was missed"
    assert (live.text().split(" · ")[0], live.objectName()) == ("Live", "live")
    assert "no line" not in anna.page.prompt.note.text()
    assert anna.page.composer.is_complete
    anna.page.give()
    boris.until(lambda: boris.page.match.may_act)


def test_what_is_done_at_the_table_without_a_line_is_refused_where_it_was_asked_for_and_not_done_later(
    person: Person, host: Host
) -> None:
    anna, boris = duel(person)
    address = f"tcp://{host.place.place}"
    host.stop()
    anna.until(lambda: not anna.page.match.is_up)
    panel, chat, no_line = anna.page.players, anna.page.chat, "There is no line to the server"
    anna.page.open_side("players")
    anna.press("Resign …")
    anna.press("Yes, resign")
    anna.until(lambda: no_line in panel.fault.text())
    assert "resign" not in panel.buttons  # it is asked anew whether that shall be for good
    chat.line.setText("Where are you?")
    chat._say()
    anna.until(lambda: no_line in chat.fault.text())
    anna.page._seat("leave", "red", "")
    anna.until(lambda: any(no_line in words for words in anna.said))
    host.start(address)
    anna.until(lambda: anna.page.match.is_up and not anna.page.bar.isVisible())
    assert (panel.fault.text(), chat.fault.text(), chat.line.text()) == ("", "", "Where are you?")
    order(anna, End())
    boris.until(lambda: boris.page.match.may_act)
    assert boris.page.match.outcome is None
    assert anna.page.match.my_sides() == ("red",)


def test_a_question_that_was_answered_without_a_line_can_be_answered_again(person: Person, host: Host) -> None:
    anna, boris = duel(person)
    anna.page.open_side("players")
    anna.press("Ask for a pause")
    boris.until(lambda: boris.is_asked("Anna asks for a pause"))
    address = f"tcp://{host.place.place}"
    host.stop()
    boris.until(lambda: not boris.page.match.is_up)
    boris.press("Agree", boris.page.question)
    boris.until(lambda: any("no line to the server" in words for words in boris.said))
    host.start(address)
    boris.until(lambda: boris.page.match.is_up and not boris.page.bar.isVisible())
    assert not boris.page.match.match.table.paused
    boris.press("Agree", boris.page.question)
    boris.until(lambda: boris.page.match.match.table.paused)


def test_the_wait_before_the_next_try_can_be_cut_short(person: Person, host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    anna, _ = duel(person)
    line = anna.page.match.games.line
    assert line is not None
    monkeypatch.setattr("client.connection.line.BACKOFF_S", (3600.0,))
    monkeypatch.setattr("client.connection.line.SILENCE_S", 0.0)  # as if nothing were heard: the socket is made anew
    address = f"tcp://{host.place.place}"
    host.stop()
    anna.until(lambda: not anna.page.match.is_up and (anna.page._down is not None and anna.page._down.retry_s == 3600.0))
    monkeypatch.setattr("client.connection.line.SILENCE_S", 20.0)
    host.start(address)
    anna.press("Try now")
    anna.until(lambda: anna.page.match.is_up)


BANNER = "What you see stays until you go; no order leaves any more."


def kick(host: Host, name: str, by: str) -> None:
    """Let one player shut another out, as the server's owner does."""
    service = host.service
    kicking = admin.kick(service, service.sessions.of(by)[0], protocol.Kick(name))
    asyncio.run_coroutine_threadsafe(kicking, host._loop).result(10)


def test_whoever_is_shut_out_reads_it_on_a_banner_and_what_he_sees_stays(person: Person, host: Host) -> None:
    anna, boris = duel(person)
    kick(host, "Anna", by="Boris")
    anna.until(lambda: anna.page.bar.isVisible() and BANNER in anna.page.bar.words.toolTip())
    assert anna.page.bar.words.toolTip().startswith("Anna was shut out of this server")
    assert not anna.page.bar.retry.isVisible()
    assert anna.window.game is anna.page
    with pytest.raises(Refused, match="no line to the server"):
        anna.page.match.order(End())
    anna.page.open_side("players")
    anna.press("Offer a draw")
    anna.page.chat.say_wanted.emit("game", "hello?")
    assert anna.said[-2:] == ["Anna was shut out of this server"] * 2
    assert not boris.page.bar.isVisible()


def give_up(host: Host, monkeypatch: pytest.MonkeyPatch, words: Text) -> None:
    """Let lines find, as they are tried anew, that no new try is of any use."""

    def refuse(line: Line, place: Place) -> PublicKey:
        raise Refused("", words)

    monkeypatch.setattr("client.connection.line.SILENCE_S", 0.0)  # the socket is made anew
    monkeypatch.setattr(Line, "_server_key", refuse)
    host.stop()


@pytest.mark.parametrize(("width", "is_cut"), [(1240, False), (960, True)])
def test_the_band_tells_in_two_lines_what_is_to_be_done_where_a_key_has_changed(person: Person, *, width: int, is_cut: bool) -> None:
    anna, _ = duel(person)
    anna.window.resize(width, 660)
    anna.page.bar.tell("Short")
    low = anna.page.bar.height()
    key = "k7dx-wt36-aaaa-bbbb"
    why = OTHER_KEY.format(address="tcp://192.168.178.20:5757", now=key, was=key)
    anna.page.line_changed(Down(why, 5.0))
    bar = anna.page.bar
    assert "ask its host for a new link" in bar.words.text()
    assert bar.words.text().endswith("…") == is_cut
    assert bar.words.toolTip().endswith("what you see may be old.")
    QApplication.processEvents()
    needed = bar.words.fontMetrics().boundingRect(bar.words.contentsRect(), Qt.TextFlag.TextWordWrap, bar.words.text())
    assert bar.words.contentsRect().contains(needed)
    assert bar.height() > low
    assert anna.page.around.y() == bar.geometry().bottom() + 1
    anna.page.bar.tell("Short")
    assert anna.page.around.y() == bar.geometry().bottom() + 1
    assert bar.height() == low


def test_who_lost_something_while_the_line_was_down_is_not_told_that_nothing_was_missed(person: Person, host: Host) -> None:
    anna, boris = duel(person)
    address = f"tcp://{host.place.place}"
    with anna.page.match.games.reading():
        entries = anna.page.match.match.log.entries
    host.stop()
    anna.until(lambda: not anna.page.match.is_up)
    anna.page._known -= 1  # the last one came over the new line
    host.start(address)
    anna.until(lambda: anna.page.match.is_up and not anna.page.bar.isVisible())
    assert anna.said[-1] == "The line is there again, and so is what was missed"
    assert len(anna.page.match.match.log) == len(entries)
    boris.until(lambda: boris.page.match.is_up and not boris.page.bar.isVisible())
    assert boris.said[-1] == "The line is there again, and nothing was missed"


def test_a_line_that_is_tried_no_more_says_so_for_as_long_as_the_page_is_seen_and_leads_to_the_lobby(
    person: Person, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, _ = duel(person)
    place, (was, now) = host.place, ("b" * 51 + "a", "a" * 51 + "q")
    give_up(host, monkeypatch, changed(place, was, now))
    anna.until(lambda: BANNER in anna.page.bar.words.toolTip())
    assert anna.page.bar.words.toolTip().startswith(f"The server at {place.place} has another key than before: ask its host.")
    assert not anna.page.bar.retry.isVisible()
    with pytest.raises(Refused, match="no line to the server"):
        anna.page.match.order(End())
    anna.press("To the lobby")
    door = anna.window.lobby.door
    anna.until(door.warning.isVisible)
    assert all(fingerprint(key) in door._warned.text() for key in (was, now))


def test_whoever_is_in_the_hall_as_his_line_is_tried_no_more_comes_back_to_the_door(
    person: Person, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna = person("Anna")
    give_up(host, monkeypatch, text("there is nothing to be had at {address}", address="that place"))
    door = anna.window.lobby.door
    anna.until(lambda: door.isVisible() and door.state.text() == "There is nothing to be had at that place")


def test_a_seat_that_somebody_else_freed_is_told_on_a_banner_until_it_is_taken_again(person: Person) -> None:
    rita = person("Rita")
    anna, _ = duel(person, Terms(referees=("Rita",)))
    rita.open()
    rita.page.players.seat_wanted.emit("free", "red", "")
    anna.until(lambda: anna.page.bar.isVisible() and "Your seat at the Red was freed" in anna.page.bar.words.toolTip())
    anna.page.players.seat_wanted.emit("take", "red", "")
    anna.until(lambda: anna.page.match.my_sides() == ("red",) and not anna.page.bar.isVisible())
    anna.page.players.seat_wanted.emit("leave", "red", "")
    anna.until(lambda: anna.page.bar.isVisible() and anna.page.bar.words.toolTip().startswith("You look on"))


def test_a_game_that_is_over_says_so_on_a_banner(person: Person) -> None:
    anna, boris = duel(person)
    anna.page._act("resign")
    for one in (anna, boris):
        one.until(lambda one=one: one.page.bar.isVisible())  # type: ignore[misc]
        assert one.page.bar.words.toolTip() == "The game is over. Blue wins: Red resigned"
        assert one.page.prompt.heading.text() == "Blue wins: Red resigned"
        assert one.page.players.waits.text() == "Blue wins: Red resigned"
        assert one.page.header.waits.text() == "Game over"
        one.until(lambda one=one: said(one.page.todo) == ["To do", "Game over"])  # type: ignore[misc]


def test_nobody_is_offered_to_go_back_in_a_game_that_is_over(person: Person) -> None:
    anna, boris = duel(person)
    order(anna, End())
    boris.until(lambda: boris.page.match.may_act)
    boris.page._act("resign")
    boris.until(lambda: boris.page.match.outcome is not None)
    boris.page.open_side("players")
    boris.page.time.seek(0)
    boris.page._show_players()
    QApplication.processEvents()
    assert not boris.page.match.is_live
    assert "Ask to go back to the shown moment" not in [made.text() for made in boris.page.players.findChildren(QPushButton)]


def test_an_agreed_draw_is_told_as_what_it_is(person: Person) -> None:
    anna, boris = duel(person)
    anna.page.open_side("players")
    anna.press("Offer a draw")
    boris.until(lambda: boris.is_asked("Anna offers a draw"))
    boris.press("Agree", boris.page.question)
    for one in (anna, boris):
        one.until(lambda one=one: one.page.bar.isVisible())  # type: ignore[misc]
        assert one.page.bar.words.toolTip() == "The game is over. A draw was agreed"


def test_a_game_that_went_on_from_a_backup_is_fetched_and_what_is_wrong_with_it_stays_until_it_is_read(person: Person) -> None:
    anna, boris = duel(person)
    order(anna, End())
    boris.until(lambda: boris.page.match.may_act)
    link, notice = anna.window.lobby.link, anna.window.notice
    assert link is not None
    for note in (Down("its host has ended it", 5.0), Up("Anna")):
        anna.page.line_changed(note)
    assert anna.page.bar.words.text() == "The line is there again; what was missed is being fetched …"
    backup = f"{GAME}: the server's game is another than it was: it went on from a backup, or was changed"
    for told in (Trouble(backup), Anew(GAME, ""), Ready(GAME)):
        link.heard.emit(told)
    assert not anna.page.bar.isVisible()
    assert anna.said[-1] == "The line is there again, and so is what was missed"
    assert (notice.title.text(), notice.lines.text()) == ("Something is wrong with a game", f"Duel · {backup}")
    assert notice.close_button.isVisible()
