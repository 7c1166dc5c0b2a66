"""Who is here: told to all who follow a game, in the lobby's list too."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from client.connection.games import Up
from client.connection.notes import Note
from client.program import NAME, own_version, program
from core import protocol
from server.presence import GONE_S, LISTED, MOST_AT_ONCE, Presence, programs_of
from server.rooms import Room
from server.sessions import MOST_OWED_BYTES, Session
from tests.server.conftest import Host, Player, of, raw_line
from tests.server.tables import GAME, duel, follow, order, take_turn
from tests.server.test_play import open_game
from tests.server.test_shelf import on_loop
from tests.toy.ruleset import End

NewPlayer = Callable[..., Player]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.presence.LOOK_EVERY_S", 0.05)


def person(one: Player, name: str, *, here: bool) -> protocol.Person:
    """Wait until somebody is said to be here, or away."""

    def told(note: object) -> bool:
        return isinstance(note, protocol.Present) and any((who.name, who.here) == (name, here) for who in note.people)

    present = one.wait(told)
    assert isinstance(present, protocol.Present)
    return next(who for who in present.people if who.name == name)


def test_followers_are_told_who_comes_who_goes_and_since_when(host: Host, player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    match, _ = duel(anna, boris)
    came = person(anna, "Boris", here=True)
    boris.games.close()
    host.hears_nothing_of("Boris")
    gone = person(anna, "Boris", here=False)
    assert gone.sides == ("blue",)
    assert gone.since_ms >= came.since_ms
    again = player("Boris")
    follow(again)
    assert person(anna, "Boris", here=True).since_ms >= gone.since_ms
    assert match.table.holders("blue") == {"Boris"}


def test_spectators_are_there_as_well_and_sit_nowhere(player: NewPlayer) -> None:
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    duel(anna, boris)
    follow(carla)
    assert person(anna, "Carla", here=True).sides == ()
    carla.games.send(protocol.Unfollow(GAME))
    present = anna.wait(lambda note: isinstance(note, protocol.Present) and all(who.name != "Carla" for who in note.people))
    assert isinstance(present, protocol.Present)


def test_followers_are_told_with_which_program_somebody_is_here(host: Host, player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    assert program() == f"{NAME} {own_version()}"
    assert person(anna, "Boris", here=True).programs == (program(),)
    boris.games.close()
    host.hears_nothing_of("Boris")
    assert person(anna, "Boris", here=False).programs == ()


@pytest.mark.parametrize(("said", "told"), [
    ("Rasputitsa-TUI/2.1 (beta_3+x)", ("Rasputitsa-TUI/2.1 (beta_3+x)",)),
    ("", ()),
    (" \N{RIGHT-TO-LEFT OVERRIDE}<b>\N{CYRILLIC SMALL LETTER A}nna</b>\n: here", ("??b??nna?/b??? here",)),
    ("9" * 64, ("9" * protocol.LONGEST_PROGRAM,)),
])
def test_a_program_has_few_and_plain_letters_whatever_it_says_that_it_is(
    host: Host, player: NewPlayer, said: str, told: tuple[str, ...]
) -> None:
    anna = player("Anna")
    duel(anna, player("Boris"))
    with raw_line(host, of("Carla")) as carla:
        carla.send(protocol.encode(protocol.Hello(protocol.VERSION, "Carla", of("Carla").key, program=said)))
        carla.send(protocol.encode(protocol.Follow(GAME)))
        assert person(anna, "Carla", here=True).programs == told


def test_of_somebody_who_comes_with_many_programs_few_are_told() -> None:
    lines = [Session(str(number).encode(), "user") for number in range(4)]
    for number, line in enumerate(lines):
        line.player, line.program = "Carla", f"client {9 - number // 2}"
    assert programs_of(lines) == {"Carla": ("client 8", "client 9")}
    lines.extend(Session(str(number).encode(), "user") for number in range(4, 8))
    for number, line in enumerate(lines[4:]):
        line.player, line.program = "Carla", f"client {number}"
    assert programs_of(lines) == {"Carla": ("client 0", "client 1")}


def test_whoever_comes_is_told_once_who_is_there(host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.presence.LOOK_EVERY_S", 3_600)
    duel(player("Anna"), player("Boris"))
    with raw_line(host, of("Carla")) as carla:

        def told_after(*frames: protocol.Frame) -> list[list[str]]:
            for frame in (*frames, protocol.Ping()):
                carla.send(protocol.encode(frame))
            found = []
            while not isinstance(came := protocol.decode_from_server(carla.recv()), protocol.Pong):
                if isinstance(came, protocol.Present):
                    found.append([one.name for one in came.people])
            return found

        hello = protocol.Hello(protocol.VERSION, "Carla", of("Carla").key)
        assert told_after(hello, protocol.Follow(GAME)) == [["Anna", "Boris", "Carla"]]
        assert told_after(protocol.Unfollow(GAME), protocol.Follow(GAME)) == [["Anna", "Boris", "Carla"]]  # to nobody else he is new


def test_of_a_crowd_that_comes_in_others_are_told_at_the_next_look(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.presence.FEW", 2)
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    duel(anna, boris)
    looks: list[int] = []
    look = host.service.presence.look
    monkeypatch.setattr(host.service.presence, "look", lambda room, followers: (looks.append(len(followers)), look(room, followers)))
    carla.wait(lambda note: isinstance(note, Up))
    carla.games.follow(GAME)
    assert person(carla, "Anna", here=True).sides == ("red",)  # whoever comes is told at once, before he has read the game
    assert person(anna, "Carla", here=True).sides == ()
    assert 3 in looks


def test_of_a_crowd_that_watches_some_are_listed_and_the_others_counted(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.presence.LISTED", 3)
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    for name in ("Aaron", "Abel", "Carla"):
        follow(player(name))
    present = anna.wait(lambda note: isinstance(note, protocol.Present) and len(note.people) + note.unnamed == 5)
    assert isinstance(present, protocol.Present)
    assert [one.name for one in present.people] == ["Anna", "Boris", "Aaron"]


def test_who_is_there_fits_a_message_whatever_a_crowd_is_called() -> None:
    worst = ("x" * protocol.LONGEST_PROGRAM, "y" * protocol.LONGEST_PROGRAM)
    person = protocol.Person("\N{DESERET CAPITAL LETTER LONG I}" * 40, ("s" * 64,) * 2, True, protocol.LATEST_MS, worst)
    assert len(protocol.encode(protocol.Present("g" * 64, (person,) * LISTED, 5_000))) < MOST_OWED_BYTES


def test_those_who_come_and_go_all_the_time_are_told_of_now_and_then(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two who took turns at a game had all others told each time, as fast as they could; whose line was slow was dropped for it."""
    monkeypatch.setattr("server.presence.LOOK_EVERY_S", 3_600)
    duel(player("Anna"), player("Boris"))
    for name in ("Carla", "Dora"):
        player(name).wait(lambda note: isinstance(note, Up))
    told: list[bytes] = []

    def come_and_go() -> None:
        sessions, presence = host.service.sessions, host.service.presence
        monkeypatch.setattr(sessions, "send_bytes", lambda session, data: bool(told.append(data)))
        for number in range(4 * MOST_AT_ONCE):
            one = sessions.of(("Carla", "Dora")[number % 2])[0]
            sessions.follow(one, GAME)
            presence.tell(host.service.rooms[GAME], one)
            sessions.unfollow(one, GAME)

    on_loop(host, come_and_go)
    assert 2 <= len(told) <= 3 * MOST_AT_ONCE + 4 * MOST_AT_ONCE  # the three that are there, and whoever comes of himself


def test_who_comes_to_a_game_as_the_server_looks_at_another_is_not_told_as_gone(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """His opponent's window said that he had gone, and two seconds later that he was back."""
    names, sessions, presence = ("one", "two"), host.service.sessions, host.service.presence
    anna, carla = player("Anna"), player("Carla")
    carla.wait(lambda note: isinstance(note, Up))
    open_game(anna, "one")
    anna.games.send(protocol.CreateGame("two", "toy", "duel"))
    anna.games.follow("two")
    anna.until(lambda: len(sessions.followers("two")) == 1)
    look, sent = presence.look, list[protocol.FromServer]()

    def comes_meanwhile(room: Room, followers: list[Session]) -> bool:
        monkeypatch.setattr(presence, "look", look)
        (he,) = sessions.of("Carla")
        for game in {*names} - {room.stored.game}:
            sessions.follow(he, game)
            presence.tell(host.service.rooms[game], he)
        return look(room, followers)

    async def look_at_all() -> None:
        monkeypatch.setattr("server.presence.AT_ONCE", 1)
        monkeypatch.setattr(presence, "look", comes_meanwhile)
        monkeypatch.setattr(sessions, "send_bytes", lambda session, data: bool(sent.append(protocol.decode_from_server(data))))
        await presence._look_at_all()

    host.within(look_at_all())
    told = [frame for frame in sent if isinstance(frame, protocol.Present)]
    assert told
    assert all("Carla" in {person.name for person in present.people} for present in told)


def test_the_list_of_games_says_who_is_online(host: Host, player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    boris.games.close()
    host.hears_nothing_of("Boris")
    person(anna, "Boris", here=False)
    anna.games.send(protocol.ListGames())
    games = anna.wait(lambda note: isinstance(note, protocol.Games))
    assert isinstance(games, protocol.Games)
    assert {chair.player: chair.online for chair in games.games[0].chairs} == {"Anna": True, "Boris": False}


def test_nothing_is_remembered_of_who_watched_and_of_players_since_when_they_are_away(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, leave = threading.Event(), host.service.presence._leave
    monkeypatch.setattr(host.service.presence, "_leave", lambda game: (leave(game), left.set()))
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    duel(anna, boris)
    follow(carla)
    person(anna, "Carla", here=True)
    known = host.service.presence._since
    assert set(known[GAME]) == {"Anna", "Boris", "Carla"}
    carla.games.send(protocol.Unfollow(GAME))
    anna.wait(lambda note: isinstance(note, protocol.Present) and all(who.name != "Carla" for who in note.people))
    assert set(known[GAME]) == {"Anna", "Boris"}
    boris.games.close()
    host.hears_nothing_of("Boris")
    away = person(anna, "Boris", here=False)
    carla.games.send(protocol.Follow(GAME))
    person(anna, "Carla", here=True)
    for one in (anna, carla):
        one.games.close()
    for name in ("Anna", "Carla"):
        host.hears_nothing_of(name, GONE_S)
    assert left.wait(60)
    assert {name: here for name, (here, _) in known[GAME].items()} == {"Anna": False, "Boris": False}
    dora = player("Dora")
    dora.wait(lambda note: isinstance(note, Up))
    dora.games.follow(GAME)
    assert person(dora, "Boris", here=False).since_ms == away.since_ms
    assert set(known) == {GAME}


def test_who_says_nothing_for_long_is_forgotten_and_asked_who_he_is(
    host: Host, player: NewPlayer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "rasputitsa.server")
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    with raw_line(host, of("Carla")) as carla:
        carla.send(protocol.encode(protocol.Hello(protocol.VERSION, "Carla", of("Carla").key)))
        carla.send(protocol.encode(protocol.Follow(GAME)))
        person(anna, "Carla", here=True)
        host.hears_nothing_of("Carla", GONE_S)
        anna.wait(lambda note: isinstance(note, protocol.Present) and all(who.name != "Carla" for who in note.people))
        carla.send(protocol.encode(protocol.Ping()))
        while not isinstance(protocol.decode_from_server(carla.recv()), protocol.WhoAreYou):
            pass
    assert {session.player for session in host.service.sessions} == {"Anna", "Boris", ""}
    assert {"player": "Carla", "role": "player"}.items() <= next(
        vars(line) for line in caplog.records if line.getMessage() == "gone" and vars(line)["player"] == "Carla"
    ).items()


def test_whoever_leaves_his_seat_and_stays_is_told_as_a_spectator(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)

    def seated_at(*sides: str) -> Callable[[Note], bool]:
        return lambda note: isinstance(note, protocol.Present) and ("Boris", sides) in {(one.name, one.sides) for one in note.people}

    anna.wait(seated_at("blue"))
    boris.games.send(protocol.LeaveSeat(GAME, "blue"))
    anna.wait(seated_at())


def test_where_nobody_has_come_or_gone_nothing_is_put_together(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.presence.LOOK_EVERY_S", 60.0)
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    presence, asked, people = host.service.presence, [0], Presence.people

    def counted(*args: Any) -> tuple[protocol.Person, ...]:
        asked[0] += 1
        return people(*args)

    def look() -> int:
        before = asked[0]
        presence.look(host.service.rooms.loaded[GAME], host.service.sessions.followers(GAME))
        return asked[0] - before

    monkeypatch.setattr(Presence, "people", counted)
    on_loop(host, look)
    assert [on_loop(host, look) for _ in range(3)] == [0, 0, 0]
    follow(player("Carla"))  # a third one, and all are told
    assert person(anna, "Carla", here=True).sides == ()
    on_loop(host, look)
    assert on_loop(host, look) == 0


def test_after_a_restart_who_is_away_has_been_so_since_he_last_did_something(host: Host, player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    match, _ = duel(anna, boris)
    assert order(anna, "red", End()) == ""
    assert take_turn(boris, "blue", End()) == ""
    host.stop()
    boris.games.close()  # not before: the server would tell Anna that he goes just now
    host.start(host.address)
    gone = person(anna, "Boris", here=False)
    assert gone.since_ms == next(entry.time_ms for entry in reversed(match.log.entries) if entry.player == "Boris")
