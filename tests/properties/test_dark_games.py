"""Whole self-played games with secrets, under all that `rasputitsa soak` promises."""

from __future__ import annotations

import pytest

from core.bots.random_bot import busy, choose
from core.trials.soak import soak_one
from tests.hidden_toy.pack import ambush, files


@pytest.mark.parametrize("seed", range(1, 7))
def test_a_game_with_secrets_keeps_every_promise(seed: int) -> None:
    soaked = soak_one(ambush(), files(), {"red": busy, "blue": busy if seed % 2 else choose}, seed)
    assert soaked.tried > 0
