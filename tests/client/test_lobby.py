"""The lobby: servers met and found, invites, roles, new games, the lobby's chat; against a server that runs as a process of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from client import languages
from client.connection.identity import KEY_FILE, SERVERS_FILE, KnownServers
from client.connection.lan import Found
from client.lobby import Lobby
from client.meeting.hosting import Hosting
from client.meeting.people import PeopleBox
from client.panels.widgets import Chooser
from client.qt import QSettings, Qt
from client.window import MainWindow
from core import protocol
from core.address import Place, parse
from core.identity import fingerprint
from core.pack import Pack
from core.terms import ClockTerms, DiceTerms, SeatTerms, SpectatorTerms, Terms
from rasputitsa.packs import load_pack
from server.accounts import digest_of
from tests.client.conftest import delete
from tests.client.test_access import nameless
from tests.client.test_remote import settings
from tests.client.test_translations import cut, english, low

SAID = "Who plays tonight?"  # in the lobby of the server that all tests here share


@pytest.fixture(scope="module")
def owned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A server that asks newcomers for invites: its join link, and the folder of its owner's key."""
    home = tmp_path_factory.mktemp("owner")
    command = [sys.executable, "-m", "rasputitsa", "host", "--address", "tcp://127.0.0.1:*", "--invited", "--quiet"]
    environment = {**os.environ, "XDG_DATA_HOME": str(home)}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
    assert process.stdout is not None
    with process.stdout as said:
        yield said.readline().removeprefix("listening on ").strip(), home / "rasputitsa"
        process.terminate()
        process.wait()


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("war_for_the_motherland")


@pytest.fixture
def lobby(qtbot: QtBot, qapp: object, pack: Pack, tmp_path: Path) -> Iterator[Callable[..., Lobby]]:
    """Return a maker of lobbies: of somebody of a name, whose key lies in a folder."""
    made: list[Lobby] = []

    def new(name: str, keys: Path | None = None) -> Lobby:
        one = Lobby([pack], settings(tmp_path, name), keys=keys if keys is not None else tmp_path / name)
        one.resize(1200, 800)
        one.show()
        made.append(one)
        return one

    yield new
    for one in made:
        one.close_down()
        delete(one)


def until(qtbot: QtBot, holds: Callable[[], bool]) -> None:
    qtbot.waitUntil(holds)


def join(qtbot: QtBot, lobby: Lobby, address: str) -> None:
    lobby.address.setText(address)
    lobby.connect_()
    until(qtbot, lambda: lobby.state.text().startswith("Connected"))


def press(qtbot: QtBot, within: QWidget, words: str, number: int = 0) -> None:
    """Press the button of these words, as soon as it is there."""

    def found() -> list[QPushButton]:
        return [one for one in within.findChildren(QPushButton) if one.text() == words and one.isVisible() and one.isEnabled()]

    until(qtbot, lambda: len(found()) > number)
    qtbot.mouseClick(found()[number], Qt.MouseButton.LeftButton)


def owner_of(qtbot: QtBot, lobby: Callable[..., Lobby], owned: tuple[str, Path]) -> Lobby:
    address, keys = owned
    anna = lobby("Anna", keys)
    join(qtbot, anna, address)
    anna.hall.tabs["people"].click()
    until(qtbot, lambda: anna.hall.people._status is not None)
    return anna


def invite(qtbot: QtBot, anna: Lobby) -> str:
    before = anna.hall.people.code
    press(qtbot, anna.hall.people, "Make an invite code")
    until(qtbot, lambda: anna.hall.people.code != before)
    return anna.hall.people.code


def texts(within: QWidget) -> str:
    QApplication.processEvents()  # what was put into a layout is shown by an event
    return "\n".join(one.text() for one in within.findChildren(QLabel) if not one.isHidden())


# -------------------------------------------------------------------- typed at the door


@pytest.mark.parametrize(
    ("field", "typed", "said"),
    [
        ("address", "nonsense", "Server: expected tcp://HOST:PORT"),
        ("address", "127.0.0.1:99999", "Server: expected tcp://HOST:PORT"),
        ("address", "rasputitsa://127.0.0.1:5757/short", "Server: expected a join link with a server's key"),
        ("name", "Anna\u200bB", "Your name: 1 to 40 letters that can be seen are wanted"),
        ("name", "A" * 41, "Your name: 1 to 40 letters that can be seen are wanted"),
        ("code", "what? this", "Invite code: letters, digits and dashes are wanted, 64 at most, not “what? this”"),
    ],
)
def test_what_cannot_be_used_is_said_below_the_field_it_was_typed_in(
    lobby: Callable[..., Lobby], field: str, typed: str, said: str
) -> None:
    one = lobby("Dora")
    {"address": one.address, "name": one.name, "code": one.door.code}[field].setText(typed)
    one.connect_()
    assert one.link is None
    assert one.door.faults[field].text().startswith(said)
    assert [name for name, shown in one.door.faults.items() if not shown.isHidden()] == [field]


def test_who_has_not_given_a_name_yet_is_asked_for_it_and_told_of_no_fault(lobby: Callable[..., Lobby]) -> None:
    one = lobby("Dora")
    one.name.clear()
    one.connect_()
    assert one.link is None
    assert one.door.state.text().startswith("Say under which name you play there, and connect.")
    assert all(shown.isHidden() for shown in one.door.faults.values())


def test_a_server_that_is_not_there_is_told_where_its_address_was_typed(qtbot: QtBot, lobby: Callable[..., Lobby]) -> None:
    one = lobby("Ina")
    one.address.setText("127.0.0.1:1")
    one.connect_()
    until(qtbot, lambda: one.door.state.text().startswith("No line"))
    assert "nobody answers at 127.0.0.1:1" in one.door.state.text()
    assert one.door.isVisible()
    assert one.address.isVisible()
    press(qtbot, one.door, "Stop trying")
    assert one.link is None
    assert one.door.give_up.isHidden()
    one.address.setText("127.0.0.1:1")
    one.connect_()
    until(qtbot, lambda: one.door.state.text().startswith("No line"))
    one.address.setText("nonsense")
    one.connect_()
    assert one.door.state.text() == "", "nothing is tried any more"


@pytest.mark.parametrize(("typed", "place"), [("127.0.0.1", "127.0.0.1:5757"), ("club.example", "club.example:5757"), ("::1", None)])
def test_an_address_that_was_told_without_a_port_has_the_usual_one(lobby: Callable[..., Lobby], typed: str, place: str | None) -> None:
    one = lobby("Ina")
    one.address.setText(typed)
    found = one.door.typed_place()
    assert (found.place if found is not None else None) == place


def test_a_whole_invitation_in_the_field_of_the_code_is_taken_apart(lobby: Callable[..., Lobby]) -> None:
    door = lobby("Ina").door
    link = "rasputitsa://192.0.2.1:5757/73aufbtt62x6retewoahgrformtj2es2ka4fkibgq7nvu4jik6pq"
    door.address.clear()  # it is the invitation that tells the server
    door.code.setText(f"{link}?invite=abcd-efgh")
    place = door.typed_place()
    assert place is not None
    assert (place.link, door.address.text(), door.code.text()) == (f"{link}?invite=abcd-efgh", link, "abcd-efgh")
    door.code.setText("rasputitsa://nobody")
    assert door.typed_place() is None
    assert door.faults["code"].isVisible()


def test_a_code_that_was_read_out_is_taken_with_spaces_too(lobby: Callable[..., Lobby]) -> None:
    one = lobby("Dora")
    one.address.setText("tcp://127.0.0.1:5757")
    one.door.code.setText(" 3FUJ LUON  27TW obwr ")
    place = one.door.typed_place()
    assert place is not None
    assert digest_of(place.invite) == digest_of("3fuj-luon-27tw-obwr")


# -------------------------------------------------------------------- invites, roles, shutting out


def test_a_newcomer_needs_a_code_types_it_and_is_given_a_role_shut_out_and_let_in_again(
    qtbot: QtBot, lobby: Callable[..., Lobby], owned: tuple[str, Path]
) -> None:
    anna, boris = owner_of(qtbot, lobby, owned), lobby("Boris")
    boris.address.setText(owned[0])
    boris.connect_()
    until(qtbot, lambda: boris.door.faults["code"].text().startswith("A newcomer needs an invite code"))
    boris.door.code.setText("abcd-efgh")
    boris.connect_()
    until(qtbot, lambda: "not good" in boris.door.faults["code"].text())
    people = anna.hall.people
    people.uses.setText("many")
    press(qtbot, people, "Make an invite code")
    assert people.fault.text() == "How many people: a whole number from 1 to 1000 is wanted, not “many”"
    people.uses.setText("1")
    boris.door.code.setText(invite(qtbot, anna))
    press(qtbot, people, "Copy the invitation")
    assert QGuiApplication.clipboard().text() == f"{owned[0]}?invite={people.code}"
    assert f"Code {people.code}, good for 1 newcomer and 7 days" in people.told.text()
    boris.connect_()
    until(qtbot, lambda: boris.state.text().startswith("Connected as Boris"))
    anna._ask()
    until(qtbot, lambda: "Boris · here" in texts(people))
    press(qtbot, people, "Shut out")
    press(qtbot, people, "Yes, shut out")
    until(qtbot, lambda: "Boris · shut out" in texts(people))
    until(qtbot, lambda: boris.link is None and boris.door.isVisible())
    assert "does not let this key in" in boris.door.state.text()
    press(qtbot, people, "Let in again")
    until(qtbot, lambda: "Boris · shut out" not in texts(people))
    boris.door.code.setText("")
    people.send_wanted.emit(protocol.GiveRole("Boris", "spectator"))
    until(qtbot, lambda: people._status is not None and ("Boris", "spectator") in [(one.name, one.role) for one in people._status.members])
    join(qtbot, boris, owned[0])
    assert boris.role == "spectator"
    assert boris.hall.tabs["new"].isHidden()
    assert boris.hall.tabs["people"].isHidden()


def test_an_open_invite_is_listed_to_the_owner_and_taken_back(
    qtbot: QtBot, lobby: Callable[..., Lobby], owned: tuple[str, Path]
) -> None:
    anna, late = owner_of(qtbot, lobby, owned), lobby("Late")
    code, people = invite(qtbot, anna), anna.hall.people
    mark = people.told.text().partition("The list calls it ")[2][:8]
    anna._ask()
    until(qtbot, lambda: f"{mark}: may play, 1 newcomer, " in texts(people))
    others = len([one for one in people.findChildren(QPushButton) if one.text() == "Take back"])
    position = [one for one in texts(people).splitlines() if " newcomer" in one and ": may " in one]
    press(qtbot, people, "Take back", next(i for i, line in enumerate(position) if line.startswith(mark)))
    until(qtbot, lambda: f"{mark}: may play" not in texts(people))
    assert len([one for one in people.findChildren(QPushButton) if one.text() == "Take back"]) == others - 1
    late.door.code.setText(code)
    late.address.setText(owned[0])
    late.connect_()
    until(qtbot, lambda: "not good" in late.door.faults["code"].text())


def test_a_refusal_in_the_lobby_gives_way_again_to_where_one_is_connected(
    qtbot: QtBot, lobby: Callable[..., Lobby], owned: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("client.meeting.joining.FAULT_MS", 0)
    anna = owner_of(qtbot, lobby, owned)
    anna.hall.show_tab("games")
    connected, said = anna.state.text(), list[str]()
    assert connected.startswith("Connected as Anna")
    anna.said.connect(said.append)
    anna.follow("nowhere")
    until(qtbot, lambda: any("nowhere" in words for words in said))
    until(qtbot, lambda: anna.state.text() == connected)


def test_the_last_owner_cannot_become_less_and_his_refused_role_is_shown_no_more(
    qtbot: QtBot, lobby: Callable[..., Lobby], owned: tuple[str, Path]
) -> None:
    anna = owner_of(qtbot, lobby, owned)

    def roles() -> list[Chooser]:
        """Return the one that is shown; none while the list is made anew."""
        return [one for one in anna.hall.people.findChildren(Chooser) if one.accessibleName() == "Role of Anna" and one.isVisible()]

    until(qtbot, lambda: "Anna · here" in texts(anna.hall.people))
    until(qtbot, lambda: bool(roles()))
    role = roles()[0]
    assert "Shut out" not in [one.text() for one in role.parentWidget().findChildren(QPushButton)]
    role.setCurrentIndex(role.findData("referee"))
    until(qtbot, lambda: "only owner" in anna.hall.people.fault.text())
    until(qtbot, lambda: [one.currentData() for one in roles()] == ["owner"])


# -------------------------------------------------------------------- servers that were met


def test_servers_nearby_stay_listed_while_one_that_was_met_is_renamed_or_forgotten(
    qtbot: QtBot, lobby: Callable[..., Lobby], tmp_path: Path
) -> None:
    known = KnownServers(tmp_path / "Emma" / SERVERS_FILE)
    known.remember("192.0.2.7:5757", "a" * 51 + "q", "Emmy")
    one = lobby("Emma")
    one.around.show_nearby([Found("Mill", (Place("192.0.2.8", 5757),), "", protocol.VERSION, 1, "new")])
    for first, second in (("Rename", "Keep"), ("Forget", "Yes, forget it")):
        press(qtbot, one.door, first)
        press(qtbot, one.door, second)
        until(qtbot, lambda second=second: second not in [made.text() for made in one.door.findChildren(QPushButton)])
        assert "Mill" in texts(one.door)


def test_servers_that_were_met_are_listed_renamed_and_forgotten(
    qtbot: QtBot, lobby: Callable[..., Lobby], tmp_path: Path
) -> None:
    keys = tmp_path / "Emma"
    known = KnownServers(keys / SERVERS_FILE)
    known.remember("192.0.2.7:5757", "a" * 51 + "q", "Emmy")
    one = lobby("Emma", keys)
    assert fingerprint("a" * 51 + "q") in texts(one.door)
    assert "you are Emmy there" in texts(one.door)
    press(qtbot, one.door, "Rename")
    until(qtbot, lambda: any(edit.accessibleName() == "New name of the server" for edit in one.door.findChildren(type(one.name))))
    edit = next(edit for edit in one.door.findChildren(type(one.name)) if edit.accessibleName() == "New name of the server")
    edit.setText("Thursday club")
    press(qtbot, one.door, "Keep")
    until(qtbot, lambda: "Thursday club" in texts(one.door))
    assert KnownServers(keys / SERVERS_FILE).all()["192.0.2.7:5757"].title == "Thursday club"
    KnownServers(keys / SERVERS_FILE).remember("192.0.2.7:5757", "a" * 51 + "q", "Em")
    assert KnownServers(keys / SERVERS_FILE).all()["192.0.2.7:5757"].title == "Thursday club"
    press(qtbot, one.door, "Forget")
    press(qtbot, one.door, "Yes, forget it")
    until(qtbot, lambda: "None yet" in texts(one.door))
    assert KnownServers(keys / SERVERS_FILE).all() == {}


def test_another_key_than_before_is_a_warning_with_both_fingerprints_and_what_can_be_done(
    qtbot: QtBot, lobby: Callable[..., Lobby], owned: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Place, "is_here", property(lambda place: False))  # as a server of another machine is remembered
    anna = owner_of(qtbot, lobby, owned)
    code = invite(qtbot, anna)
    true, old = parse("address", owned[0]), "b" * 51 + "a"
    keys = tmp_path / "Fred"
    KnownServers(keys / SERVERS_FILE).remember(true.place, old, "")
    fred = lobby("Fred", keys)
    fred.address.setText(true.tcp)
    fred.door.code.setText(code)
    fred.connect_()
    until(qtbot, fred.door.warning.isVisible)
    assert fred.link is None
    told = texts(fred.door.warning)
    assert f"fingerprint before: {fingerprint(old)}" in told
    assert f"fingerprint now: {fingerprint(true.key)}" in told
    press(qtbot, fred.door, "Don't connect")
    assert KnownServers(keys / SERVERS_FILE).all()[true.place].key == old
    fred.connect_()
    until(qtbot, fred.door.warning.isVisible)
    press(qtbot, fred.door, "Its host says so: trust the new key")
    until(qtbot, lambda: fred.state.text().startswith("Connected as Fred"))
    assert KnownServers(keys / SERVERS_FILE).all()[true.place].key == true.key


def test_a_server_nearby_with_another_key_or_version_is_marked(lobby: Callable[..., Lobby]) -> None:
    one = lobby("Gert")
    place = parse("address", "tcp://192.0.2.9:5757")
    one.around.show_nearby((
        Found("club", (place,), "a" * 51 + "q", protocol.VERSION, 2, "changed"),
        Found("old", (place,), "a" * 51 + "q", protocol.VERSION - 1, 0, "new"),
    ))
    marked = [shown for shown in one.door.findChildren(QLabel) if shown.objectName() == "warning" and "fingerprint" in shown.text()]
    assert ["another key than before" in marked[0].text(), "speaks another version" in marked[1].text()] == [True, True]
    assert [made.isEnabled() for made in one.door.findChildren(QPushButton) if made.text() == "Join"] == [True, False]
    one.around.show_nearby(())
    assert "No server is announced" in texts(one.door)


def test_a_damaged_file_of_servers_is_told_and_nothing_is_lost(lobby: Callable[..., Lobby], tmp_path: Path) -> None:
    keys = tmp_path / "Hans"
    keys.mkdir()
    (keys / SERVERS_FILE).write_text("no json")
    one = lobby("Hans", keys)
    assert SERVERS_FILE in texts(one.door)
    one.connect_()
    assert one.door.state.text().startswith("Your key can't be used")
    assert (keys / SERVERS_FILE).read_text() == "no json"


def test_leaving_a_server_that_does_not_answer_waits_for_nobody(
    qtbot: QtBot, lobby: Callable[..., Lobby], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, answer = threading.Event(), threading.Event()

    def slow(place: Place) -> str:
        asked.set()
        assert answer.wait(60)
        raise OSError(111, "nobody there")

    monkeypatch.setattr("client.connection.line.ask_key", slow)
    one = lobby("Ina")
    one.address.setText("192.0.2.1:5757")
    one.connect_()
    until(qtbot, asked.is_set)
    link = one.link
    assert link is not None
    heard: list[object] = []
    link.heard.connect(heard.append)
    press(qtbot, one.door, "Stop trying")
    assert one.link is None  # and its thread still asks
    assert link._closer is not None
    assert link._closer.is_alive()
    answer.set()
    link.wait()
    QApplication.processEvents()
    assert heard == []


# -------------------------------------------------------------------- games


@pytest.mark.parametrize(
    ("winner", "result", "told"),
    [
        ("soviet", "axis resigned", "Over, Soviet wins: Axis resigned"),
        ("axis", "axis claimed the game: the others had no time left", "Over, Axis wins by claim: the others had no time left"),
        ("axis", "axis claimed the game, as a link of the dice stayed away", "Over, Axis wins by claim: a link of the dice stayed away"),
        ("", "a draw was agreed", "Over: a draw was agreed"),
        ("axis", "Axis Decisive Victory", "Over: Axis Decisive Victory"),
    ],
)
def test_a_game_that_is_over_names_its_winner_in_the_list(
    qtbot: QtBot, lobby: Callable[..., Lobby], pack: Pack, winner: str, result: str, told: str
) -> None:
    hall = lobby("Anna").hall
    line = protocol.GameLine("g", pack.manifest.ruleset, "turning_point", {}, "", 22, "", 3, True, winner=winner, result=result)
    hall.show_games((line,), 0)
    assert told in texts(hall.games).splitlines()


@pytest.mark.parametrize(("me", "verb"), [("Anna", "Open"), ("Clara", "Open"), ("Dora", "Watch")])
def test_whoever_sits_in_a_second_seat_of_a_side_opens_a_game_and_watches_none(
    lobby: Callable[..., Lobby], pack: Pack, me: str, verb: str
) -> None:
    hall = lobby("Anna").hall
    hall.me = me
    chairs = (protocol.SeatLine("soviet", "first", "Anna", False, False), protocol.SeatLine("soviet", "second", "Clara", False, False))
    hall.show_games((protocol.GameLine(
        "g", pack.manifest.ruleset, "turning_point", {"soviet": "Anna"}, "", 22, "", 3, True, chairs=chairs
    ),), 0)
    QApplication.processEvents()
    assert [one.text() for one in hall.games.findChildren(QPushButton)] == [verb]


@pytest.mark.parametrize("is_link", [True, False])
def test_a_server_is_new_where_no_link_told_its_key(
    qtbot: QtBot, lobby: Callable[..., Lobby], owned: tuple[str, Path], tmp_path: Path, is_link: bool
) -> None:
    address, keys = owned
    shutil.copy(keys / KEY_FILE, tmp_path)
    anna = lobby("Anna", tmp_path)
    join(qtbot, anna, address if is_link else f"tcp://{parse('server', address).place}")
    assert ("new to you" in anna.state.text()) == (not is_link)


def test_no_button_that_leaves_is_under_the_keys_in_the_hall(
    qtbot: QtBot, lobby: Callable[..., Lobby], owned: tuple[str, Path]
) -> None:
    address, keys = owned
    anna = lobby("Anna", keys)
    anna.activateWindow()
    anna.name.setFocus()
    join(qtbot, anna, address)
    until(qtbot, lambda: anna.hall.tabs[anna.hall.tab].hasFocus())


def test_a_new_game_is_begun_on_the_terms_that_were_filled_in(
    qtbot: QtBot, lobby: Callable[..., Lobby], owned: tuple[str, Path], pack: Pack
) -> None:
    anna = owner_of(qtbot, lobby, owned)
    anna.hall.tabs["new"].click()
    form = anna.hall.new
    form.scenario.setCurrentIndex(next(i for i in range(form.scenario.count()) if form.scenario.itemText(i).startswith("Turning")))
    form.clock.choose("brisk")
    form.dice.setCurrentIndex(form.dice.findData("witnessed"))
    form.view.setCurrentIndex(form.view.findData("closed"))
    time, more = form.clock.time.fields, form.clock.more.fields
    time["minutes"].setText("soon")
    assert anna.begin_game() == ""
    assert form.fault.text() == "Time: minutes: expected a whole number from 0 to 525600, got soon"
    time["minutes"].setText("0")
    assert anna.begin_game() == ""
    assert form.clock.time.fault.text() == "Fill in some time: a clock without any would be out at once."
    assert form.fault.text() == ""
    time["hours"].setText("1")
    time["minutes"].setText("30")
    more["minutes"].setText("0")
    more["seconds"].setText("30")
    form.numbers["entries"].setText("3")
    form.seats["axis"].setText("North, North")
    assert anna.begin_game() == ""
    assert "expected for each seat a name of its own, got North twice" in form.fault.text()
    assert form.fault.text().startswith(form.seats["axis"].accessibleName())
    form.seats["axis"].setText("North, South")
    option = pack.manifest.option[0]
    form.options[option.id].setCurrentIndex(1 - form.options[option.id].currentIndex())
    game = anna.begin_game()
    until(qtbot, lambda: anna.hall.tab == "games" and any(line.game == game for line in anna.hall._lines or ()))
    line = next(line for line in anna.hall._lines or () if line.game == game)
    assert line.terms.clock == ClockTerms("fischer", 90 * 60_000, 30_000)
    assert line.terms.dice == DiceTerms("witnessed", 120_000)
    assert line.terms.spectators == SpectatorTerms("closed", 3)
    assert [(chair.side, chair.seat) for chair in line.chairs] == [("axis", "North"), ("axis", "South"), ("soviet", "")]
    assert "90 minutes, and 30 seconds more for each phase" in texts(anna.hall.games)
    press(qtbot, anna.hall.games, "Play Axis", 1)
    until(qtbot, lambda: anna.match is not None and bool(anna.match.match.table.players()))
    assert anna.match is not None
    assert anna.match.match.table.chairs["axis", "South"].player == "Anna"
    assert anna.match.setting.options[option.id] != option.default
    anna.come_back()
    until(qtbot, lambda: "Axis, South: Anna ●" in texts(anna.hall.games))


def test_what_the_server_does_not_take_is_said_in_the_form(
    qtbot: QtBot, lobby: Callable[..., Lobby], owned: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    anna = owner_of(qtbot, lobby, owned)
    monkeypatch.setattr(anna.hall.new, "terms", lambda: Terms(seats=(SeatTerms("nobody"),)))
    assert anna.begin_game()
    until(qtbot, lambda: "seats[0]: side" in anna.hall.new.fault.text())


def test_the_lobby_is_talked_in(qtbot: QtBot, lobby: Callable[..., Lobby], owned: tuple[str, Path]) -> None:
    anna, gerda = owner_of(qtbot, lobby, owned), lobby("Gerda")
    gerda.door.code.setText(invite(qtbot, anna))
    join(qtbot, gerda, owned[0])
    anna.hall.tabs["chat"].click()
    qtbot.keyClicks(anna.hall.chat.line, SAID)
    press(qtbot, anna.hall.chat, "Send")
    until(qtbot, lambda: SAID in gerda.hall.chat.text.toPlainText())
    until(qtbot, lambda: anna.hall.chat.line.text() == "")
    gerda.close_line()
    gerda._say("lobby", "hm")
    assert gerda.hall.chat.fault.text() == "There is no line to the server now."


# -------------------------------------------------------------------- hosting


def test_a_server_that_cannot_start_says_why_in_its_own_words(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    (tmp_path / "rasputitsa").write_text("a file where a folder should be")
    widget = QWidget()
    hosting, why = Hosting(widget), list[str]()
    hosting.ended.connect(why.append)
    hosting.start(5757, invited=True)
    until(qtbot, lambda: bool(why))
    assert "rasputitsa" in why[0]
    assert not hosting.runs
    delete(widget)


# -------------------------------------------------------------------- access, languages


@pytest.mark.parametrize(("code", "percent"), [(languages.PSEUDO, 100), (languages.ENGLISH, 200), (languages.ENGLISH, 80)])
def test_nothing_of_the_hall_is_cut_in_longer_words_or_larger_texts_and_all_has_a_name(
    qtbot: QtBot, qapp: object, owned: tuple[str, Path], pack: Pack, tmp_path: Path, code: str, percent: int
) -> None:
    kept = QSettings("rasputitsa", "rasputitsa")
    kept.clear()
    kept.setValue("language", code)
    kept.setValue("text", percent)
    window = MainWindow([pack], folder=owned[1])
    window.resize(1280, 800)
    window.show()
    try:
        window.join()
        lobby = window.lobby
        lobby.settings = settings(tmp_path, "Anna")
        lobby.address.setText(owned[0])
        lobby.name.setText("Anna")
        lobby.connect_()
        until(qtbot, lambda: lobby._is_up)
        lobby.begin_game()
        until(qtbot, lambda: bool(lobby.hall._lines))
        for tab in ("games", "new", "chat", "people"):
            lobby.hall.tabs[tab].click()
            until(qtbot, lambda tab=tab: tab != "people" or lobby.hall.people._status is not None)  # type: ignore[misc]
            QApplication.processEvents()
            assert (tab, cut(window), low(window)) == (tab, [], [])
            assert (tab, nameless(window)) == (tab, [])
            if code == languages.PSEUDO:
                # What people have said to this server before stays as they said it.
                assert (tab, [words for words in english(window) if words not in (SAID, "Anna")]) == (tab, [])
    finally:
        window.looks.set_text(100)
        window.close()
        delete(window)
        kept.clear()


def test_an_owner_is_told_what_is_wrong_with_the_server_and_who_is_not_listed(qtbot: QtBot) -> None:
    people = PeopleBox()
    qtbot.addWidget(people)
    status = protocol.Status("rasputitsa 1", 5, 0, 1, 0, 2, {}, (protocol.Member("Anna", "owner", False, "ab-cd", 1, ("tui 2", "x")),))
    people.show_status(status)
    assert ["Program: tui 2, x" in one.toolTip() for one in people.findChildren(QLabel) if one.text().startswith("Anna")] == [True]
    assert people.trouble.isHidden()
    assert not any("more" in shown.text() for shown in people.findChildren(QLabel))
    worse = msgspec.structs.replace(status, trouble="the disk is full", unread=3, unnamed=12)
    people.show_status(worse, anew=True)
    assert people.trouble.text() == "The disk is full"
    assert not people.trouble.isHidden()
    assert "and 3 games more that can't be read" in people.how.text()
    assert "and 12 more" in [shown.text() for shown in people.findChildren(QLabel)]
