"""The last years of the campaign, begun from the set-up of June 1941: bots come to what only those have, and all invariants hold."""

from __future__ import annotations

import random

import pytest

from core import bots
from core.events import CupFilled, MarksCleared, Placed, TrackSet
from core.game import Game, decide, run_steps
from core.pack import setting
from core.position import Position
from core.rulesets import load
from core.rulesets.war_for_the_motherland import arrivals, scenario_setup, strength_markers, withdrawals
from core.rulesets.war_for_the_motherland.terms import FROZEN
from core.setting import Setting
from core.units import UnitId
from core.views import View
from tests.packs import pack_of
from tests.rules.war_for_the_motherland.moments import RandomDice

NAME = "war_for_the_motherland"
ALL_OPTIONS = ("extended_depots", "army_breakdown", "security_divisions", "city_losses", "minimum_advance_one")


def begun_late(chosen: Setting, turn: int, dice: RandomDice) -> View:
    """Return the campaign at the beginning of a turn: nobody has moved since 1941, and all that has come since waits to be placed."""
    game = Game(chosen, Position(), dice)
    for event in scenario_setup.set_up(game):
        game.apply(event)
    game.apply(MarksCleared((FROZEN,)))
    for marker in chosen.charts.mix.marker:
        if marker.turn < turn and not strength_markers.is_there_at_start(game, marker):
            game.apply(CupFilled(marker.cls, marker.chit, marker.count))
    for arrival in chosen.scenario.arrival:
        for type, name in arrival.units if arrival.turn < turn else ():
            kind = chosen.types[type]
            if "optional" not in kind.traits or chosen.options["security_divisions"]:
                box = chosen.board.box(arrivals.waiting_box(game, kind))
                game.apply(Placed(UnitId(game.position.next_unit), type, name, box, kind.steps))
    game.apply(TrackSet("turn", turn))
    for event in chosen.ruleset.enter(game, turn, "mutual_supply"):
        game.apply(event)
    run_steps(game, [])
    return View(chosen, game.position)


@pytest.mark.rule(NAME, "13.6", "13.7")
@pytest.mark.parametrize(("turn", "options"), [(11, ()), (31, ()), (34, ALL_OPTIONS)])
def test_bots_play_the_turns_of_the_withdrawals_and_keep_every_invariant(turn: int, options: tuple[str, ...]) -> None:
    chosen = setting(load(NAME), pack_of(NAME), "war_for_the_motherland", dict.fromkeys(options, True))
    dice, bot = RandomDice(random.Random(turn)), bots.load("random")
    view = begun_late(chosen, turn, dice)
    before = len(withdrawals.airbases(view))
    while view.position.turn == turn:
        assert list(view.ruleset.broken(view)) == []
        decided = decide(view, view.side_to_act(), bot(view, dice.chance), dice)
        view = View(chosen, decided.position, derived=decided.derived)
    assert len(withdrawals.airbases(view)) == before - (turn in withdrawals.AIR_WITHDRAWALS)
    italians = [unit for unit in view.position.units.values() if unit.type == withdrawals.ITALIAN_ARMY]
    assert {chosen.board.label(unit.place) == "out" for unit in italians} <= {turn >= withdrawals.ITALIAN_SURRENDER}


@pytest.mark.parametrize("seed", [1, 2])
def test_bots_play_the_campaign_to_its_end(seed: int) -> None:
    chosen = setting(load(NAME), pack_of(NAME), "war_for_the_motherland")
    dice, bot = RandomDice(random.Random(seed)), bots.load("random")
    view = begun_late(chosen, 38, dice)
    while view.position.outcome is None:
        assert list(view.ruleset.broken(view)) == []
        decided = decide(view, view.side_to_act(), bot(view, dice.chance), dice)
        view = View(chosen, decided.position, derived=decided.derived)
    assert view.position.turn == 40
