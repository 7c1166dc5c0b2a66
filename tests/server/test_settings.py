from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from core.errors import BadInput
from core.pack import Pack
from core.setting import Setting
from server import settings
from server.settings import Settings
from tests.toy.ruleset import RULESET, toy_files


def toy() -> Pack:
    return Pack(toy_files())


def never() -> Pack:
    raise AssertionError("the pack was asked for")


def test_games_of_one_kind_share_their_setting():
    kept = Settings()
    first = kept.of(RULESET, "a", toy, "duel", {}, dice="server")
    assert kept.of(RULESET, "a", never, "duel", {}, dice="server") is first


def test_another_pack_or_other_dice_make_another_setting():
    kept = Settings()
    first = kept.of(RULESET, "a", toy, "duel", {}, dice="server")
    assert kept.of(RULESET, "b", toy, "duel", {}, dice="server") is not first
    witnessed = kept.of(RULESET, "a", toy, "duel", {}, dice="witnessed")
    assert (first.dice, witnessed.dice) == ("server", "witnessed")


def test_an_unknown_scenario_is_refused_every_time():
    kept = Settings()
    for _ in range(2):
        with pytest.raises(BadInput, match="duell"):
            kept.of(RULESET, "a", toy, "duell", {}, dice="server")


def test_the_setting_that_was_not_asked_for_longest_is_made_again(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(settings, "KEPT", 2)
    kept = Settings()
    first, second = (kept.of(RULESET, digest, toy, "duel", {}, dice="server") for digest in "ab")
    kept.of(RULESET, "a", never, "duel", {}, dice="server")
    kept.of(RULESET, "c", toy, "duel", {}, dice="server")
    assert kept.of(RULESET, "a", never, "duel", {}, dice="server") is first
    assert kept.of(RULESET, "b", toy, "duel", {}, dice="server") is not second


def test_a_setting_is_made_while_others_have_their_turn(monkeypatch: pytest.MonkeyPatch):
    begun, may_end, kept = threading.Event(), threading.Event(), Settings()
    real = settings.setting

    def slow(*args: Any) -> Setting:
        begun.set()
        assert may_end.wait(10)
        return real(*args)

    async def others_have_their_turn() -> None:
        making = asyncio.create_task(kept.made(RULESET, toy(), "duel", {}, dice="server"))
        assert await asyncio.to_thread(begun.wait, 10)
        may_end.set()  # nobody else would
        first = await making
        assert await kept.made(RULESET, toy(), "duel", {}, dice="server") is first
        assert kept.of(RULESET, toy().digest, never, "duel", {}, dice="server") is first

    monkeypatch.setattr(settings, "setting", slow)
    asyncio.run(others_have_their_turn())
