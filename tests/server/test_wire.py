from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Iterator, Sequence
from contextlib import closing

import pytest
import zmq

from server import wire
from server.sessions import Session, Sessions
from server.wire import Wire


@pytest.fixture
def router() -> Iterator[zmq.Socket[bytes]]:
    with closing(zmq.Context.instance().socket(zmq.ROUTER)) as socket:
        socket.setsockopt(zmq.LINGER, 0)
        socket.setsockopt(zmq.ROUTER_MANDATORY, 1)
        socket.bind("tcp://127.0.0.1:*")
        yield socket


@pytest.fixture
def dealer(router: zmq.Socket[bytes]) -> Iterator[zmq.Socket[bytes]]:
    with closing(zmq.Context.instance().socket(zmq.DEALER)) as socket:
        socket.setsockopt(zmq.LINGER, 0)
        socket.connect(router.getsockopt_string(zmq.LAST_ENDPOINT))
        yield socket


class Heard:
    """Takes messages in, and tells when some number of them has come."""

    def __init__(self, wanted: int) -> None:
        self.messages: list[tuple[bytes, bytes]] = []
        self.enough = asyncio.Event()
        self._wanted = wanted

    def __call__(self, parts: Sequence[zmq.Frame]) -> None:
        self.messages.append((bytes(parts[0].buffer), bytes(parts[1].buffer)))
        if len(self.messages) == self._wanted:
            self.enough.set()


def test_all_of_a_crowd_of_messages_is_taken_in_its_order(router, dealer):
    many = 5 * wire.AT_ONCE

    async def listen() -> Heard:
        heard = Heard(many)
        line = Wire(router, heard)
        line.begin()
        for number in range(many):
            dealer.send(b"%d" % number)
        await asyncio.wait_for(heard.enough.wait(), 10)
        line.stop()
        return heard

    assert [data for _, data in asyncio.run(listen()).messages] == [b"%d" % number for number in range(many)]


def test_a_message_that_came_while_another_was_sent_does_not_wait_for_the_next_one(router, dealer):
    """Sending uses up what the descriptor tells."""

    async def listen() -> list[tuple[bytes, bytes]]:
        heard = Heard(1)
        line = Wire(router, heard)
        line.begin()
        dealer.send(b"who")
        await asyncio.wait_for(heard.enough.wait(), 10)
        peer = heard.messages[0][0]
        for _ in range(20):
            again = heard.enough = asyncio.Event()
            heard._wanted = len(heard.messages) + 1
            dealer.send(b"more")
            while not router.getsockopt(zmq.EVENTS) & zmq.POLLIN:  # it has come, and the edge is used up
                dealer.poll(1)
            assert line.send(peer, b"answer") is None
            await asyncio.wait_for(again.wait(), 10)
        line.stop()
        return heard.messages

    assert [data for _, data in asyncio.run(listen())][1:] == [b"more"] * 20


def test_a_message_that_breaks_something_keeps_no_other_from_being_taken_in(router, dealer, caplog):
    class Broken(Heard):
        def __call__(self, parts: Sequence[zmq.Frame]) -> None:
            super().__call__(parts)
            if len(self.messages) == 1:
                raise RuntimeError("the first one")

    async def listen() -> Heard:
        heard = Broken(3)
        line = Wire(router, heard)
        line.begin()
        for word in (b"a", b"b", b"c"):
            dealer.send(word)
        await asyncio.wait_for(heard.enough.wait(), 10)
        line.stop()
        return heard

    assert len(asyncio.run(listen()).messages) == 3
    assert [record.getMessage() for record in caplog.records] == ["a message could not be taken in"]
    caplog.clear()


def test_a_peer_that_is_not_there_is_told_by_the_error(router):
    assert Wire(router, lambda parts: None).send(b"\0gone", b"hello").errno == zmq.EHOSTUNREACH


# -------------------------------------------------------------------- who follows what


def session(sessions: Sessions, name: str) -> Session:
    made = sessions.heard(b"\0" + name.encode(), f"user {name}")
    made.player = name
    sessions.remember(made)
    return made


def test_nothing_stays_of_what_was_for_a_peer_that_is_gone(router):
    """A server looks for dead cycles once an hour: what each peer left there who went away while much was sent would fill its memory."""

    async def send() -> weakref.ref[Session]:
        sessions = Sessions()
        sessions.send_over(Wire(router, lambda parts: None))
        session = sessions.heard(b"nobody", "user")
        assert not await sessions.send_bytes_patiently(session, b"much")
        return weakref.ref(session)

    gc.disable()
    try:
        assert asyncio.run(send())() is None
    finally:
        gc.enable()


def test_followers_are_those_who_are_known_and_follow():
    sessions = Sessions()
    anna, boris = (session(sessions, name) for name in ("Anna", "Boris"))
    for one in (anna, boris):
        sessions.follow(one, "game")
    assert sessions.followers("game") == [anna, boris]
    sessions.unfollow(anna, "game")
    assert sessions.followers("game") == [boris]
    sessions.forget(boris)
    assert sessions.followers("game") == sessions.of("Boris") == []
    assert sessions.of("Anna") == [anna]


def test_whoever_is_remembered_follows_what_he_followed():
    sessions = Sessions()
    anna = session(sessions, "Anna")
    sessions.follow(anna, "game")
    sessions.forget(anna)
    sessions.remember(anna)
    assert sessions.followers("game") == sessions.of("Anna") == [anna]


def test_the_line_of_whoever_is_remembered_is_ended_as_any_other(monkeypatch):
    ended = []
    monkeypatch.setattr("server.sessions.MOST_OF_ONE", 1)
    monkeypatch.setattr("server.sessions.endless.end", lambda line, why: ended.append(line))
    sessions = Sessions()
    first = sessions.heard(b"\0first", "Mallory's key")
    sessions.comes_over(first, 70, "10.0.0.7")
    sessions.forget(first)
    sessions.remember(first)
    sessions.comes_over(sessions.heard(b"\0last", "Mallory's key"), 71, "10.0.0.7")
    assert ended == [70]


def test_whoever_follows_after_he_was_forgotten_is_no_follower():
    sessions = Sessions()
    anna = session(sessions, "Anna")
    sessions.forget(anna)
    sessions.follow(anna, "game")
    assert sessions.followers("game") == []


def test_a_peer_that_is_another_user_now_follows_nothing():
    sessions = Sessions()
    anna = session(sessions, "Anna")
    sessions.follow(anna, "game")
    other = sessions.heard(anna.peer, "user Boris")
    assert other is not anna
    assert sessions.followers("game") == sessions.of("Anna") == []


def test_the_longest_silent_one_is_forgotten_with_all_that_he_follows(monkeypatch):
    monkeypatch.setattr("server.sessions.MAX_SESSIONS", 2)
    sessions = Sessions()
    first = session(sessions, "Anna")
    sessions.follow(first, "game")
    session(sessions, "Boris")
    session(sessions, "Clara")
    assert sessions.followers("game") == sessions.of("Anna") == []
    assert len(sessions) == 2


def test_whoever_opens_very_many_lines_pushes_out_his_own_alone(monkeypatch):
    monkeypatch.setattr("server.sessions.MOST_OF_ONE", 3)
    sessions = Sessions()
    boris = session(sessions, "Boris")
    mallory = [sessions.heard(b"\0%04d" % number, "Mallory's key") for number in range(3)]
    assert sessions.heard(mallory[0].peer, "Mallory's key") is mallory[0]  # he was heard of last
    mallory.append(sessions.heard(b"\0last", "Mallory's key"))
    sessions.comes_over(mallory[-1], 71, "10.0.0.7")
    assert sessions.knows(boris)
    assert [sessions.knows(one) for one in mallory] == [True, False, True, True]


def test_a_line_that_is_too_many_of_one_key_is_ended_but_none_that_has_its_number_by_now(monkeypatch):
    ended = []
    monkeypatch.setattr("server.sessions.MOST_OF_ONE", 2)
    monkeypatch.setattr("server.sessions.endless.end", lambda line, why: ended.append(line))
    sessions = Sessions()
    for number in range(4):
        if number == 3:  # Mallory's second line has gone, and Boris' got its number
            sessions.comes_over(sessions.heard(b"\0here", "Boris' key"), 71, "10.0.0.8")
        one = sessions.heard(b"\0%04d" % number, "Mallory's key")
        sessions.comes_over(one, 70 + number, "10.0.0.7")
    assert ended == [70]


def test_a_new_line_that_has_the_number_of_the_one_it_pushes_out_is_not_ended(monkeypatch):
    ended = []
    monkeypatch.setattr("server.sessions.MOST_OF_ONE", 2)
    monkeypatch.setattr("server.sessions.endless.end", lambda line, why: ended.append(line))
    sessions = Sessions()
    for number, line in enumerate((70, 71, 70)):  # the first has gone, and the system gives its number again
        sessions.comes_over(sessions.heard(b"\0%04d" % number, "Anna's key"), line, "10.0.0.7")
    assert ended == []
    assert len(sessions) == 2


def test_an_owner_who_takes_a_name_yet_is_known_by_it_alone():
    sessions = Sessions()
    owner = session(sessions, "")
    owner.player = "Olga"
    sessions.remember(owner)
    assert sessions.of("Olga") == [owner]
    assert sessions.of("") == []
