"""Ten thousand frames that nobody should send; a million are `rasputitsa fuzz --frames 1000000`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from core import bots
from core.errors import Broken
from rasputitsa import fuzz as command
from server import lobby
from server.presence import GONE_S
from server.trials.fuzzing import Range
from tests.server.conftest import toy, toy_packs

NewRange = Callable[[], Range]


@pytest.fixture
def new_range(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> NewRange:
    monkeypatch.setattr("server.rooms.load", toy)
    return lambda: Range(tmp_path, toy_packs, "toy", "duel", bots.load("busy"), seed=1)


def test_ten_thousand_frames_are_answered_and_break_nothing(new_range: NewRange) -> None:
    found = new_range().run(10_000)
    assert found.faults == ()
    assert {"Failed", "NotAccepted", "Accepted", "NewEntries", "WhoAreYou", "Chat", "Answers", "Opened"} <= found.answers.keys()
    assert found.kept > 100
    assert found.lines > 500


def test_a_fault_of_a_handler_is_found_and_kept_with_the_frame_that_shows_it(new_range: NewRange, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object, after: int = 0) -> None:
        raise Broken("the pack is at fault")

    monkeypatch.setattr(lobby.publishing, "send_pack", broken)
    faults = dict(new_range().run(3_000).faults)
    assert b"need_pack" in faults["a frame NeedPack broke: Broken: the pack is at fault"]


def test_nobody_is_forgotten_however_long_it_takes(new_range: NewRange, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine that took more than five minutes no frame came from a player any more, and the next game could not be begun."""
    passed = [0.0]
    monkeypatch.setattr("server.sessions.time", SimpleNamespace(monotonic=lambda: passed[-1]))
    monkeypatch.setattr("server.presence.LOOK_EVERY_S", 0)
    done = new_range().run(5_000, progress=lambda frames: passed.append(passed[-1] + GONE_S / 2))
    assert passed[-1] == GONE_S * 5 / 2
    assert done.faults == ()
    assert done.answers["WhoAreYou"] < 2_500  # to the one of four whom nobody knows


def test_the_command_tells_what_came_of_it(tmp_path: Path) -> None:
    asked = ["--frames", "500", "--failures", str(tmp_path)]
    result = CliRunner().invoke(command.fuzz, asked, catch_exceptions=False, standalone_mode=False)
    assert result.return_value == 0
    assert result.stdout.startswith("500 frames in ")
    assert not list(tmp_path.iterdir())
