"""`rasputitsa play` with a display: what the command names is chosen in the window, and what a window has no use for is said."""

from __future__ import annotations

import pytest

from rasputitsa import display, main, play

GAME = "war_for_the_motherland"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str] | None]:
    """What windows were opened with."""
    found: list[tuple[str, str] | None] = []
    monkeypatch.setattr(display, "answers", lambda: True)

    def open_window(*, chosen: tuple[str, str] | None) -> int:
        found.append(chosen)
        return 0

    monkeypatch.setattr(play, "open_window", open_window)
    return found


@pytest.mark.parametrize(
    ("args", "chosen", "said"),
    [
        ((), None, ""),
        (("--scenario", "road_to_stalingrad"), (GAME, "road_to_stalingrad"), ""),
        (("--game", GAME), (GAME, "turning_point"), ""),
        (("--axis", "random", "--seed", "3"), None, "--axis, --seed: only with --headless"),
    ],
)
def test_the_window_is_opened_with_what_the_command_names(
    args: tuple[str, ...],
    chosen: tuple[str, str] | None,
    said: str,
    asked: list[tuple[str, str] | None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main.run(["play", *args]) == 0
    assert asked == [chosen]
    told = capsys.readouterr().err
    assert said in told
    assert bool(said) == bool(told)


def test_a_scenario_that_is_not_there_opens_no_window(asked: list[tuple[str, str] | None]) -> None:
    assert main.run(["play", "--scenario", "nowhere"]) == 2
    assert asked == []
