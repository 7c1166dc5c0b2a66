"""Whoever is sent a long game costs the others no turn."""

from __future__ import annotations

import asyncio
import functools
import random
from collections.abc import Callable

import pytest

from core import protocol
from server import publishing, viewers
from server.sessions import Session, Sessions
from tests.server.conftest import Host, Player
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
