"""How much one key, or one address, may ask of a server: lines, names, codes, orders, games that are read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from client.connection.games import Up
from client.connection.notes import Answered, Ready, Trouble
from core import protocol
from core.identity import curve_key
from core.log import Resign
from server import security
from server.security import KNOWN_BURST, UNKNOWN_BURST, Gate
from tests.server.conftest import Host, Player, of, raw_line
from tests.server.doors import closed, heard, hello, invite, refusal, up
from tests.server.test_play import End, open_game, sit
from tests.server.test_shelf import put_away

NewPlayer = Callable[..., Player]


def test_a_key_that_is_known_is_limited_for_itself_alone_wherever_it_comes_from() -> None:
    """One member with very many lines kept everybody else out."""
    now = [0.0]
    gate = Gate(lambda user: True, lambda user: False, clock=lambda: now[0])
    keys = {name: [curve_key(of(name).key)] for name in ("Mallory", "Anna")}
    for _ in range(KNOWN_BURST):
        assert gate.decide("127.0.0.1", b"CURVE", keys["Mallory"])[0] == b"200"
    assert gate.decide("10.0.0.7", b"CURVE", keys["Mallory"])[0] == b"300"
    assert gate.decide("10.0.0.7", b"CURVE", keys["Anna"])[0] == b"200"
    now[0] += 1
    assert gate.decide("10.0.0.7", b"CURVE", keys["Mallory"])[0] == b"200"


@pytest.mark.parametrize(("address", "another"), [("2001:db8:1:2::7", "2001:db8:1:2:ffff::8"), ("::ffff:10.0.0.7", "10.0.0.7"), ("?", "?")])
def test_all_addresses_of_one_network_of_ipv6_are_counted_as_one(address: str, another: str) -> None:
    """Whoever has such a network has more addresses than anybody can count, and took a fresh one for each name."""
    gate, keys = Gate(lambda user: False, lambda user: False, clock=lambda: 0.0), [curve_key(of("Mallory").key)]
    for _ in range(UNKNOWN_BURST):
        assert gate.decide(address, b"CURVE", keys)[0] == b"200"
    assert gate.decide(another, b"CURVE", keys)[0] == b"300"
    assert gate.decide("2001:db8:1:3::7", b"CURVE", keys)[0] == b"200"


def test_of_one_network_of_ipv6_no_more_names_are_taken_than_of_one_address(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    addresses = iter(["2001:db8:1:2::7", "2001:db8:1:2::8"])
    comes_over = host.service.sessions.comes_over
    monkeypatch.setattr(
        host.service.sessions, "comes_over", lambda session, line, address: comes_over(session, line, next(addresses))
    )
    host.service.limits.naming = security.Limit(1, 1.0, clock=lambda: 0.0)
    player("Boris").wait(lambda note: isinstance(note, Up))
    assert "too many names" in refusal(player("Carla"))


def test_invite_codes_can_not_be_tried_for_ever(host: Host) -> None:
    closed(host)
    said = []
    for number in range(security.CODE_BURST + 1):
        with raw_line(host, of(f"Mallory {number}")) as raw:
            raw.send(hello(f"Mallory {number}", invite="guess"))
            answer = heard(raw)
            assert isinstance(answer, protocol.NotAccepted)
            said.append(str(answer.text))
    assert "not good" in said[-2]
    assert "too many invite codes" in said[-1]


def test_a_club_behind_one_address_comes_in_by_good_codes_however_many_they_are(host: Host, player: NewPlayer) -> None:
    closed(host)
    host.service.limits.codes = security.Limit(2, 0.0)
    code = invite(host, uses=4)
    for number in range(4):
        assert up(player(f"Member {number}", address=f"{host.address}?invite={code}")).role == "player"
    for _ in range(2):
        with raw_line(host, of("Mallory")) as raw:
            raw.send(hello("Mallory", invite=code))
            assert "not good" in str(heard(raw).text)  # type: ignore[union-attr]
    with raw_line(host, of("Mallory")) as raw:
        raw.send(hello("Mallory", invite=invite(host)))  # else he could guess on and on
        assert "too many invite codes" in str(heard(raw).text)  # type: ignore[union-attr]


def test_names_of_an_open_server_are_taken_from_one_address_so_fast_and_no_faster(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever took one a second had all ten thousand in three hours, for good."""
    anna = player("Anna")
    anna.wait(lambda note: isinstance(note, Up))
    code = asyncio.run_coroutine_threadsafe(host.service.accounts.invite("player", uses=1, days=1), host._loop).result(10)
    monkeypatch.setattr("server.security.is_loopback", lambda address: False)
    host.service.limits.naming = security.Limit(1, 1.0, clock=lambda: 0.0)
    player("Boris").wait(lambda note: isinstance(note, Up))
    refused = player("Carla").wait(lambda note: isinstance(note, Answered))
    assert "too many names" in str(refused)
    player("Dora", address=f"{host.address}?invite={code}").wait(lambda note: isinstance(note, Up))
    player("Anna").wait(lambda note: isinstance(note, Up))  # who has a name comes in


def test_orders_and_whole_games_are_taken_and_sent_so_fast_and_no_faster(host: Host, player: NewPlayer) -> None:
    """Each order is kept for ever, on the host's disk; and who asked for a long game on and on kept all others from playing."""
    anna = player("Anna")
    match = open_game(anna)
    for side in ("red", "blue"):
        sit(anna, "first", side)
    host.service.limits.ordering = security.Limit(1, 1.0, clock=lambda: 0.0)

    def given() -> str:
        anna.until(lambda: anna.games.match("first") is not None)
        with anna.games.reading():
            side = match.view.side_to_act()
        order_id = anna.games.give("first", side, End())
        answer = anna.wait(lambda note: isinstance(note, Answered) and note.order_id == order_id)
        assert isinstance(answer, Answered)
        return str(answer.refused)

    assert given() == "None"
    assert "more orders than anybody can" in given()
    host.service.limits.catching = security.Limit(2, 1.0, clock=lambda: 0.0)
    boris = player("Boris")
    boris.wait(lambda note: isinstance(note, Up))
    for _ in range(2):
        boris.games.follow("first")
        boris.wait(lambda note: isinstance(note, Ready))
    boris.games.follow("first")
    assert "more of games than anybody can read" in str(boris.wait(lambda note: isinstance(note, Answered)))


def test_games_that_were_put_away_and_packs_are_read_so_fast_and_no_faster_whatever_asks_for_them(host: Host, player: NewPlayer) -> None:
    """By a line of chat, or an order, for each of its games somebody had a server hold all of them in memory."""
    anna, eve = player("Anna"), player("Eve")
    open_game(anna)
    pack = host.service.rooms["first"].stored.pack
    up(eve)

    def asked(frame: protocol.Frame) -> str:
        eve.games.send(frame)
        return str(eve.wait(lambda note: isinstance(note, Answered | Trouble)))

    anna.games.unfollow("first")
    frames = [
        protocol.DoAct("first", "red", "act", Resign("red")), protocol.ListAnswers("first", "red"), protocol.LeaveSeat("first", "red"),
        protocol.Give("first", "red", "give", 0, b"", bytes(64)), protocol.CreateGame("first", "toy", "duel"),
        protocol.Say("first", "side:red", "say", "psst"), protocol.ReadChat("first"),
        protocol.ShowLink("first", 1, bytes(32), bytes(32), bytes(64)),
    ]
    for frame in frames:
        host.service.limits.catching = security.Limit(1, 1.0, clock=lambda: 0.0)
        for refused in (False, True):
            anna.until(lambda: not host.service.sessions.followers("first"))
            put_away(host, "first")
            if isinstance(frame, protocol.ReadChat | protocol.CreateGame) and not refused:
                eve.games.send(frame)  # there may be nothing to answer
                eve.until(lambda: "first" in host.service.rooms.loaded)
            else:
                assert ("more of games than" in asked(frame)) == refused, frame
    host.service.limits.catching = security.Limit(1, 0.0, clock=lambda: 0.0)
    with raw_line(host, of("Eve")) as line:
        line.send(hello("Eve"))
        assert isinstance(heard(line), protocol.Welcome)
        for wanted in (protocol.PackPart, protocol.NotAccepted):
            line.send(protocol.encode(protocol.NeedPack(pack)))
            while isinstance(frame_heard := heard(line), protocol.PackPart) and frame_heard.left:
                continue
            assert isinstance(frame_heard, wanted)


def test_of_who_has_asked_for_more_than_anybody_can_read_no_game_is_read(host: Host, player: NewPlayer) -> None:
    anna, eve = player("Anna"), player("Eve")
    open_game(anna)
    up(eve)
    anna.games.unfollow("first")
    anna.until(lambda: not host.service.sessions.followers("first"))
    put_away(host, "first")
    host.service.limits.catching = security.Limit(1, 0.0)
    host.service.limits.catching.take("Eve")
    eve.games.send(protocol.Follow("first"))
    assert "more of games than anybody can read" in str(eve.wait(lambda note: isinstance(note, Answered)))
    assert "first" not in host.service.rooms.loaded


def test_who_waits_for_a_game_that_is_not_there_yet_has_asked_for_nothing_that_is_read(host: Host, player: NewPlayer) -> None:
    anna = player("Anna")
    host.service.limits.catching = security.Limit(2, 0.0)
    with raw_line(host, of("Boris")) as raw:
        raw.send(hello("Boris"))
        assert isinstance(heard(raw), protocol.Welcome)
        for _ in range(3):
            raw.send(protocol.encode(protocol.Follow("first")))
            assert "a game of this server" in str(heard(raw))
        open_game(anna)
        raw.send(protocol.encode(protocol.Follow("first")))
        while not isinstance(answer := heard(raw), protocol.NotAccepted | protocol.Opened):
            pass
        assert isinstance(answer, protocol.Opened)


def test_whoever_says_that_he_knows_a_game_and_does_not_is_counted_all_that_he_is_sent(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(security, "CATCH_ENTRIES", 1)
    anna = player("Anna")
    open_game(anna)
    for side in ("red", "blue"):
        sit(anna, "first", side)
    for asked in (protocol.Follow("first", 1_000, "", bytes(32)), protocol.Follow("first", 1_000, "red")):
        host.service.limits.catching = security.Limit(3, 0.0)
        with raw_line(host, of("Boris")) as raw:
            raw.send(hello("Boris"))
            assert isinstance(heard(raw), protocol.Welcome)
            for _ in range(2):
                raw.send(protocol.encode(asked))
            while not isinstance(answer := heard(raw), protocol.NotAccepted):
                pass
            assert "more of games than anybody can read" in str(answer.text)


def test_a_limit_takes_many_at_once_and_all_of_it_where_more_is_asked_for() -> None:
    now = [0.0]
    limit = security.Limit(10, 1.0, clock=lambda: now[0])
    assert [limit.take("Anna", 6), limit.take("Anna", 6), limit.take("Anna", 4)] == [True, False, True]
    now[0] = 9.0
    assert not limit.take("Anna", 500)
    now[0] = 10.0
    assert limit.take("Anna", 500)
    assert not limit.take("Anna")


def test_one_key_follows_so_many_games_over_all_its_lines_and_no_more(player: NewPlayer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.lobby.MOST_FOLLOWED", 2)
    anna, again, boris = player("Anna"), player("Anna"), player("Boris")
    for one in (anna, again, boris):
        one.wait(lambda note: isinstance(note, Up))
    for game in ("first", "second", "third"):
        boris.games.send(protocol.CreateGame(game, "toy", "duel"))
        boris.wait(lambda note: isinstance(note, protocol.Games))

    def follow(one: Player, game: str) -> None:
        one.games.follow(game)
        one.wait(lambda note: isinstance(note, Ready) and note.game == game)

    follow(anna, "first")
    follow(again, "first")
    follow(again, "second")
    again.games.follow("third")
    assert "you follow 2 games already" in refusal(again)
    anna.games.unfollow("first")
    follow(anna, "second")
    again.games.unfollow("first")
    follow(again, "third")
    follow(boris, "third")
