"""The set-up of a scenario as if it were another turn: where tests of how `steady` reckons begin."""

from __future__ import annotations

from core.events import TrackSet
from core.fold import fold
from core.match import new_server_match
from core.pack import setting
from core.rulesets import load
from core.views import View
from tests.packs import pack_of

GAME = CAMPAIGN = "war_for_the_motherland"


def in_turn(turn: int, scenario: str = CAMPAIGN) -> View:
    keeper = new_server_match(setting(load(GAME), pack_of(GAME), scenario), game="set up", seed=bytes(32), clock=lambda: 0, links=10)
    position = keeper.match.view.position.copy()
    fold(position, TrackSet("turn", turn))
    return View(keeper.match.setting, position)
