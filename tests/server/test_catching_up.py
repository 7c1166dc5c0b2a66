"""Whoever is sent a long game costs the others no turn."""

from __future__ import annotations

import asyncio
import functools
import random
from collections.abc import Callable

import msgspec
import pytest

from client.connection.games import Games
from client.connection.line import Up
from client.connection.notes import Ready
from core import protocol
from server import publishing, viewers
from server.sessions import Session, Sessions
from tests.server.conftest import Host, Player, of, raw_line, toy_packs
from tests.server.doors import heard
from tests.server.test_play import open_game, play_on, sit


class Quick(Sessions):
    """Sends everything at once, to nobody; *noted* is called for each message that is one of many."""

    def __init__(self, noted: Callable[[], None]) -> None:
        super().__init__()
        self._noted = noted

    def send(self, session: Session, frame: protocol.Frame) -> bool:
        return True

    async def send_patiently(self, session: Session, frame: protocol.Frame) -> bool:
        self._noted()
        return True


def test_others_have_their_turn_between_any_two_messages_of_a_long_game(
    host: Host, player: Callable[[str], Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A member who asked for a long game again and again held up everybody's orders for half a second each."""
    anna = player("Anna")
    match = open_game(anna)
    for side in ("red", "blue"):
        sit(anna, "first", side)
    play_on(anna, match, random.Random(4), orders=5)
    monkeypatch.setattr("server.viewers.bunches", functools.partial(viewers.bunches, most=1))

    async def follow() -> list[int]:
        turns, sent, is_over = 0, list[int](), False

        def take_turn() -> None:
            nonlocal turns
            turns += 1
            if not is_over:
                asyncio.get_running_loop().call_soon(take_turn)

        take_turn()
        sessions = Quick(lambda: sent.append(turns))
        await publishing.follow(sessions, host.service.rooms["first"], Session(b"x", "x"), protocol.Follow("first"))
        is_over = True
        return sent

    sent = asyncio.run_coroutine_threadsafe(follow(), host._loop).result(10)
    assert len(sent) > 5
    assert len(set(sent)) == len(sent)


def test_whoever_loses_his_line_before_the_pack_is_here_is_sent_the_rest_and_nothing_twice(
    host: Host, player: Callable[[str], Player]
) -> None:
    """Over a slow line that was cut now and then a long game came from its beginning again each time, and never came."""
    anna = player("Anna")
    match = open_game(anna)
    for side in ("red", "blue"):
        sit(anna, "first", side)
    play_on(anna, match, random.Random(4), orders=5)
    with anna.games.reading():
        entries, opened = list(match.log.entries), anna.games._opened["first"]
    opened = msgspec.structs.replace(opened, last=len(entries) - 1)
    sent, told = list[protocol.Frame](), list[object]()

    class Noted:
        name = "Boris"
        heard_ms, pinged, answered = None, 0, 0
        send = staticmethod(sent.append)

    games = Games(told.append)
    games.line = Noted()  # type: ignore[assignment]
    games.follow("first")
    for first, last in ((0, 4), (4, 7), (3, len(entries))):  # what comes twice is taken once
        games.happen(opened)
        games.happen(protocol.NewEntries("first", tuple(entries[first:last])))
        games.happen(protocol.NewEntries("first", tuple(entries[last + 1 :])))  # the one before was lost on the way
        games.happen(Up("Boris", "player", "key", False))
    asked = [frame for frame in sent if isinstance(frame, protocol.Follow)]
    assert [(frame.after, frame.known) for frame in asked] == [
        (-1, b""), (3, entries[3].hash), (6, entries[6].hash), (len(entries) - 1, entries[-1].hash)
    ]
    games.happen(opened)
    files = toy_packs("toy").files
    for left, (name, data) in enumerate(sorted(files.items()), 1 - len(files)):
        games.happen(protocol.PackPart(opened.pack, name, data, -left))
    assert Ready("first") in told
    theirs = games.match("first")
    assert theirs is not None
    assert theirs.log.last_hash == entries[-1].hash


def test_who_asks_from_behind_the_end_of_a_game_without_a_hash_is_sent_all_of_it(
    host: Host, player: Callable[[str], Player]
) -> None:
    """He was sent nothing of what came from then on."""
    match = open_game(player("Anna"))
    with raw_line(host, of("Boris")) as boris:
        boris.send(protocol.encode(protocol.Hello(protocol.VERSION, "Boris", of("Boris").key)))
        boris.send(protocol.encode(protocol.Follow("first", len(match.log) + 5)))
        came = [heard(boris)]
        while not isinstance(came[-1], protocol.NewEntries):
            came.append(heard(boris))
    (opened,) = [frame for frame in came if isinstance(frame, protocol.Opened)]
    assert opened.another
    assert [entry.number for entry in came[-1].entries] == [*range(len(match.log))]
