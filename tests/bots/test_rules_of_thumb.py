"""What the rules of thumb of War for the Motherland see in a position."""

from __future__ import annotations

import pytest

from core.board import Hex
from core.match import new_server_match
from core.rulesets.war_for_the_motherland import supply
from core.rulesets.war_for_the_motherland.bot import battles, marches, standing
from core.rulesets.war_for_the_motherland.bot.supposing import moved, without
from core.units import UnitId
from core.views import View
from tests.properties.games import turning_point


@pytest.fixture(scope="module")
def view() -> View:
    keeper = new_server_match(turning_point(), game="thumb", seed=bytes(32), clock=lambda: 0, links=100)
    keeper.begin()
    return keeper.match.view


def unit(view: View, name: str) -> UnitId:
    return next(one.id for one in view.position.on_map() if view.name(one.id) == name)


def at(view: View, label: str) -> Hex:
    return view.board.hex(label)


def test_supposing_leaves_the_position_alone(view: View) -> None:
    before = view.position.digest()
    now = standing.standing(view)
    depot = unit(view, "Supply Depot a")
    assert without(view, (depot,)).position.digest() != before
    assert standing.standing(without(view, (depot,))) < now
    assert view.position.digest() == before
    assert standing.standing(view) == now


def test_an_army_on_the_road_to_the_depots_is_worth_more_than_one_in_the_rear(view: View) -> None:
    army = unit(view, "3. Guards Army")
    on_the_line = max(marches.lifelines(view).items(), key=lambda one: one[1])[0]
    assert standing.standing(moved(view, (army,), on_the_line)) < standing.standing(view) - 5


def test_units_that_lose_their_line_lose_their_worth(view: View) -> None:
    corps = unit(view, "3. Panzer Corps")
    assert supply.can_trace(view, corps)
    cut_off = moved(view, (corps,), at(view, "E6203"))
    assert not supply.can_trace(cut_off, corps)
    assert standing.standing(cut_off) < standing.standing(view)


def test_the_hexes_before_the_soviet_armies_are_threatened_and_the_rear_is_not(view: View) -> None:
    threatened = standing.threatened(view)
    assert at(view, "E4415") in threatened
    assert at(view, "E5317") not in threatened
    assert not any(view.side_at(here, "axis") for here in threatened)


def test_three_armies_promise_more_than_one_against_the_same_corps(view: View) -> None:
    target = at(view, "E4709")
    armies = [unit(view, name) for name in ("62. Army", "64. Army", "66. Army")]
    together = battles.worth_of_battle(view, armies, target, overrun=False)
    assert together > battles.worth_of_battle(view, armies[:1], target, overrun=False)


def test_a_hopeless_attack_promises_nothing(view: View) -> None:
    rumanians = unit(view, "Rumanian 4. Corps")
    assert battles.worth_of_battle(view, (rumanians,), at(view, "E4512"), overrun=False) < 0
