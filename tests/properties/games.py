"""Whole games of Turning Point for the properties."""

from __future__ import annotations

from functools import cache

from core import bots
from core.match import ServerDice
from core.pack import setting
from core.rulesets import load
from core.setting import Setting
from core.trials.selfplay import play
from tests.packs import pack_of

GAME, SCENARIO = "war_for_the_motherland", "turning_point"


@cache
def turning_point() -> Setting:
    """Return the setting of the scenario as it is checked in."""
    return setting(load(GAME), pack_of(GAME), SCENARIO)


def game_of(axis: str, soviet: str, number: int) -> ServerDice:
    """Play a game of two bots."""
    return play(turning_point(), {"axis": bots.load(axis), "soviet": bots.load(soviet)}, number)
