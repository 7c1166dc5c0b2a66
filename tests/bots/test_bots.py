"""What every bot promises, on the toy game; what `steady` is worth, on Turning Point."""

from __future__ import annotations

import random

import pytest

from core import bots
from core.errors import BadInput
from core.match import ServerDice, new_server_match
from core.options import refusal
from core.orders import name_of
from core.trials.selfplay import play
from core.views import View
from tests.properties.games import game_of, turning_point
from tests.toy.ruleset import toy_setting


@pytest.mark.parametrize("name", bots.NAMES)
@pytest.mark.parametrize("seed", range(4))
def test_a_bot_plays_any_game_to_its_end(name: str, seed: int) -> None:
    keeper = play(toy_setting(), {side: bots.load(name) for side in toy_setting().sides}, seed, max_orders=2000)
    assert keeper.match.view.position.outcome is not None


@pytest.mark.parametrize("name", bots.NAMES)
def test_the_same_view_and_chance_give_the_same_order(name: str) -> None:
    choose, keeper = bots.load(name), new_match(1)
    for step in range(12):
        view = keeper.match.view
        again = View(view.setting, view.position.copy())
        order = choose(view, random.Random(step))
        assert choose(view, random.Random(step)) == order
        assert choose(again, random.Random(step)) == order, "the order hangs on what was cached"
        keeper.order(view.side_to_act(), order)


def test_an_unknown_bot_is_named() -> None:
    with pytest.raises(BadInput, match="stready"):
        bots.load("stready")


def new_match(seed: int) -> ServerDice:
    keeper = new_server_match(turning_point(), game=f"bots-{seed}", seed=bytes([seed] * 32), clock=lambda: 0, links=2000)
    keeper.begin()
    return keeper


@pytest.mark.slow
def test_all_that_the_rules_of_thumb_recommend_is_accepted() -> None:
    keeper, choose, rng = new_match(4), bots.load("steady"), random.Random(4)
    weighed = 0
    while keeper.match.view.position.outcome is None:
        view = keeper.match.view
        decision = view.decision()
        assert decision is not None
        for name in decision.orders:
            for order in view.ruleset.candidates(view, name) or ():
                closed = refusal(view, order)
                assert closed is None, f"{order} is recommended and refused: {closed}"
                weighed += 1
        keeper.order(view.side_to_act(), choose(view, rng))
    assert weighed > 50


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_steady_beats_random_from_either_side(seed: int) -> None:
    for axis, soviet in (("steady", "random"), ("random", "steady")):
        outcome = game_of(axis, soviet, seed).match.view.position.outcome
        assert outcome is not None
        assert outcome.winner == ("axis" if axis == "steady" else "soviet"), f"{axis} – {soviet}, seed {seed}: {outcome.score}"


def test_steady_attacks_where_the_soviet_fronts_stood_ready() -> None:
    keeper, choose, rng = new_match(6), bots.load("steady"), random.Random(6)
    while keeper.match.view.position.phase != "soviet_combat":
        keeper.order(keeper.match.view.side_to_act(), choose(keeper.match.view, rng))
    attacks = 0
    while keeper.match.view.position.phase == "soviet_combat":
        view = keeper.match.view
        order = choose(view, rng)
        attacks += name_of(order) == "attack"
        keeper.order(view.side_to_act(), order)
    assert attacks >= 3
