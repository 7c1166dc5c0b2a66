"""Leaving a table by closing the window, and a server that goes while its game is shown."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QPushButton

from client.connection.line import Down
from client.meeting.hosting import NOTE
from core.protocol import Role
from core.terms import ClockTerms, Terms
from tests.client.table.people import Person, Somebody, duel
from tests.server.conftest import Host


def press(one: Somebody, words: str) -> None:
    next(made for made in one.window.notice.findChildren(QPushButton) if made.text() == words and not made.isHidden()).click()


def test_a_window_whose_own_clock_runs_asks_before_it_closes(person: Person) -> None:
    anna, boris = duel(person, Terms(clock=ClockTerms("absolute", 3_600_000)))
    for one in (anna, boris):
        one.until(lambda one=one: one.page.match.match.table.clocks.runs)  # type: ignore[misc]
    assert not anna.window.close()
    assert anna.window.notice.title.text() == "Your clock runs"
    press(anna, "Stay here")
    assert anna.window.isVisible()
    assert not anna.window.close()
    press(anna, "Close all the same")
    anna.until(lambda: not anna.window.isVisible())
    assert boris.window.close(), "it is not his turn"


def test_a_window_without_a_clock_asks_nothing(person: Person) -> None:
    anna, _ = duel(person)
    assert anna.window.close()


def test_who_hosts_is_told_that_the_server_ended_and_can_start_it_again(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    anna, _ = duel(person)
    lobby, started = anna.window.lobby, list[int]()
    monkeypatch.setattr(lobby.hosting, "start", lambda port, *, invited: started.append(port))
    lobby._hosting_ended("no space left")
    assert anna.window.notice.title.text() == "The server of this computer has ended"
    assert anna.window.notice.lines.text().startswith("no space left\nAll games are kept")
    press(anna, "Start it again")
    assert started
    lobby._hosted(f"tcp://{lobby._place.place}")
    assert lobby.match is anna.page.match, "the game goes on by itself"


@pytest.mark.parametrize(("role", "is_offered"), [("owner", True), ("player", False)])
def test_who_hosts_by_a_server_of_an_earlier_window_can_start_it_again_too(
    person: Person, host: Host, monkeypatch: pytest.MonkeyPatch, *, role: Role, is_offered: bool
) -> None:
    anna, _ = duel(person)
    lobby, started = anna.window.lobby, list[int]()
    monkeypatch.setattr(lobby.hosting, "start", lambda port, *, invited: started.append(port))
    lobby.role = role
    note = lobby.keys / NOTE
    note.parent.mkdir()
    note.write_text(f"tcp://{host.place.place}\n")
    host.stop()
    anna.until(lambda: anna.page.bar.isVisible())
    assert anna.window.notice.is_card() == is_offered
    if is_offered:
        press(anna, "Start it again")
        assert started == [host.place.port]
        lobby._down(Down("it is tried again", 1.0))
        assert not anna.window.notice.is_card(), "once is enough"


def test_a_table_stays_where_another_window_has_started_its_server_again(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    anna, _ = duel(person)
    lobby, page, hurried = anna.window.lobby, anna.page, list[bool]()
    monkeypatch.setattr(lobby, "_hurry", lambda: hurried.append(True))
    lobby._hosting_ended("rasputitsa: another server runs on ./games")
    assert (anna.window.game, lobby.match, bool(hurried)) == (page, page.match, True), "the line is tried again, and the table is there"
