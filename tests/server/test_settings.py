from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.errors import BadInput
from core.gamefile import FORMAT, MAGIC, Head
from core.pack import Pack
from core.setting import Setting
from core.terms import DiceTerms, Terms
from server import settings
from server.rooms import Room
from server.settings import Settings
from server.store.sqlite import SqliteStore
from tests.server.conftest import SERVER
from tests.toy.ruleset import RULESET, toy_files


def toy() -> Pack:
    return Pack(toy_files())


def head(scenario: str = "duel", *, dice: str = "server", version: int = RULESET.version) -> Head:
    return Head(MAGIC, FORMAT, "g", RULESET.id, version, scenario, {}, (), terms=Terms(dice=DiceTerms(dice)))


def never() -> Pack:
    raise AssertionError("the pack was asked for")


def test_games_of_one_kind_share_their_setting():
    kept = Settings()
    first = kept.of(RULESET, head(), "a", toy)
    assert kept.of(RULESET, head(), "a", never) is first


def test_another_pack_or_other_dice_make_another_setting():
    kept = Settings()
    first = kept.of(RULESET, head(), "a", toy)
    assert kept.of(RULESET, head(), "b", toy) is not first
    witnessed = kept.of(RULESET, head(dice="witnessed"), "a", toy)
    assert (first.dice, witnessed.dice) == ("server", "witnessed")


def test_games_that_were_agreed_on_otherwise_share_the_board_as_long_as_one_is_there():
    kept = Settings()
    first, witnessed = kept.of(RULESET, head(), "a", toy), kept.of(RULESET, head(dice="witnessed"), "a", toy)
    assert first is not witnessed
    assert asyncio.run(kept.made(RULESET, toy(), "duel", {}, dice="server")).board is first.board is witnessed.board
    assert len(kept._boards) == 1
    del kept._made, first, witnessed
    gc.collect()
    assert len(kept._boards) == 0


def test_a_game_keeps_the_version_of_the_rules_under_which_it_was_begun(monkeypatch: pytest.MonkeyPatch):
    kept = Settings()
    old = kept.of(RULESET, head(), "a", toy)
    monkeypatch.setattr(RULESET, "version", RULESET.version + 1)
    assert kept.of(RULESET, head(version=1), "a", never) is old
    assert old.identity().version == 1
    new = kept.of(RULESET, head(version=2), "a", toy)
    assert (old.version, new.version) == (1, 2)
    assert Settings().of(RULESET, head(version=1), "a", toy).version == 1  # by a server that was started since


def test_a_game_that_a_later_program_began_by_its_rules_does_not_go_on_by_ours():
    with pytest.raises(BadInput, match="version"):
        Settings().of(RULESET, head(version=RULESET.version + 1), "a", toy)


def test_an_unknown_scenario_is_refused_every_time():
    kept = Settings()
    for _ in range(2):
        with pytest.raises(BadInput, match="duell"):
            kept.of(RULESET, head("duell"), "a", toy)


def test_the_setting_that_was_not_asked_for_longest_is_made_again(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(settings, "KEPT", 2)
    kept = Settings()
    first, second = (kept.of(RULESET, head(), digest, toy) for digest in "ab")
    kept.of(RULESET, head(), "a", never)
    kept.of(RULESET, head(), "c", toy)
    assert kept.of(RULESET, head(), "a", never) is first
    assert kept.of(RULESET, head(), "b", toy) is not second


class Slow:
    """Something that takes until somebody else has had his turn.

    Args:
        real: what it does then.
    """

    def __init__(self, real: Callable[..., Any]) -> None:
        self._real, self._begun, self._may_end = real, threading.Event(), threading.Event()

    def __call__(self, *args: Any, **how: Any) -> Any:
        self._begun.set()
        assert self._may_end.wait(10), "nobody else had his turn"
        return self._real(*args, **how)

    async def take_a_turn(self) -> None:
        assert await asyncio.to_thread(self._begun.wait, 10)
        self._may_end.set()


def test_a_setting_is_made_while_others_have_their_turn(monkeypatch: pytest.MonkeyPatch):
    kept, slow = Settings(), Slow(settings.setting)
    monkeypatch.setattr(settings, "setting", slow)

    async def both() -> Setting:
        made, _ = await asyncio.gather(kept.made(RULESET, toy(), "duel", {}, dice="server"), slow.take_a_turn())
        assert await kept.made(RULESET, toy(), "duel", {}, dice="server") is made
        return made

    made = asyncio.run(both())
    assert kept.of(RULESET, head(), toy().digest, never) is made


def test_the_rules_of_a_new_game_are_read_while_others_have_their_turn(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    store, slow = SqliteStore(tmp_path / "games.sqlite"), Slow(lambda name: RULESET)
    monkeypatch.setattr("server.rooms.load", slow)

    async def both() -> Room:
        room, _ = await asyncio.gather(Room.create(store, "g", toy(), "duel", {}, settings=Settings(), keeper=SERVER), slow.take_a_turn())
        return room

    try:
        assert asyncio.run(both()).match.setting.ruleset is RULESET
    finally:
        store.close()
