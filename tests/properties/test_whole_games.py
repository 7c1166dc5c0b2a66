"""Whole self-played games that keep every promise on the way; thousands more by `rasputitsa soak`."""

from __future__ import annotations

import pytest

from core import bots
from core.bots import NAMES
from core.trials.soak import soak_one
from tests.packs import pack_of
from tests.properties.games import GAME, turning_point

SEEDS = {"random": (1, 2, 3), "busy": (1,), "steady": (1,)}


@pytest.mark.slow
@pytest.mark.parametrize(("bot", "seed"), [(bot, seed) for bot, seeds in SEEDS.items() for seed in seeds])
def test_a_game_keeps_every_promise(bot: str, seed: int) -> None:
    chosen = {side: bots.load(bot) for side in turning_point().sides}
    soaked = soak_one(turning_point(), pack_of(GAME).files, chosen, seed)
    assert soaked.tried > 0, f"seed {seed}"


def test_every_bot_has_its_seeds() -> None:
    assert set(SEEDS) == set(NAMES)
