"""What the rules of thumb of War for the Motherland see in a position."""

from __future__ import annotations

import pytest

from core.board import Hex
from core.match import new_server_match
from core.rulesets.war_for_the_motherland import supply
from core.rulesets.war_for_the_motherland.bot import battles, ground, outlook, posts, trains
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


def test_looking_leaves_the_position_alone(view: View) -> None:
    before = view.position.digest()
    posts.change(view, (unit(view, "3. Panzer Corps"),), at(view, "E6203"))
    battles.worth_of_battle(view, (unit(view, "62. Army"),), at(view, "E4709"), overrun=False)
    assert view.position.digest() == before


def test_units_that_lose_their_line_lose_their_worth(view: View) -> None:
    corps = posts.standing(view, unit(view, "3. Panzer Corps"))
    assert posts.supplied(view, corps, corps.here) > 0.6
    assert posts.supplied(view, corps, at(view, "E6203")) < 0.5


def test_an_army_on_a_road_to_the_depots_cuts_more_than_one_in_the_rear(view: View) -> None:
    army = unit(view, "3. Guards Army")
    lines = ground.enemy_lines(view, "soviet")
    foes = posts.scene(view, "soviet").foes
    on_the_line = max((here for here in lines if here not in foes), key=lambda here: (lines[here], here))
    assert lines[on_the_line] > 10
    assert posts.change(view, (army,), on_the_line) > 0


def test_the_hexes_before_the_soviet_armies_are_near_and_in_danger_and_the_rear_is_neither(view: View) -> None:
    near, strikes = ground.gap(view, "axis"), ground.strikes(view, "axis")
    assert near[at(view, "E4612")] == 1
    assert strikes[at(view, "E4612")] > 0
    assert near[at(view, "E5317")] > 4
    assert strikes[at(view, "E5317")] == 0


def test_a_stack_of_two_is_in_less_danger_than_each_of_them_alone(view: View) -> None:
    seen, here = posts.scene(view, "axis"), at(view, "E4610")
    stack = seen.own[here]
    assert len(stack) == 2
    assert posts.danger(view, seen, here, stack) < sum(posts.danger(view, seen, here, [one]) for one in stack)


def test_better_odds_promise_more_to_the_attacker_and_woods_less(view: View) -> None:
    clear = at(view, "E4612")
    assert outlook.row_of(view, clear) == "clear"
    better, worse = (outlook.prospect(view, clear, attack, 4) for attack in (16, 6))
    assert better.defender > worse.defender
    assert better.attacker < worse.attacker
    city = at(view, "E4708")
    assert outlook.row_of(view, city) == "major_city"
    assert outlook.prospect(view, city, 16, 4).defender < better.defender


def test_a_major_river_before_all_attackers_doubles_the_defence(view: View) -> None:
    behind = outlook.rivers(view)
    here, there = next((Hex(i), near) for i in range(view.board.size) for near, kind in behind[i].items() if kind == outlook.MAJOR)
    assert outlook.river_bonus(view, here, [there], 5.0) == 5.0
    dry = next(near for near in outlook.neighbours(view)[here] if near not in behind[here])
    assert outlook.river_bonus(view, here, [there, dry], 5.0) == 0.0


def test_three_armies_promise_more_than_one_against_the_same_corps(view: View) -> None:
    target = at(view, "E4709")
    armies = [unit(view, name) for name in ("62. Army", "64. Army", "66. Army")]
    together = battles.worth_of_battle(view, armies, target, overrun=False)
    assert together > battles.worth_of_battle(view, armies[:1], target, overrun=False)


def test_a_hopeless_attack_promises_nothing(view: View) -> None:
    rumanians = unit(view, "Rumanian 4. Corps")
    assert battles.worth_of_battle(view, (rumanians,), at(view, "E4512"), overrun=False) < 0


def test_a_depot_stays_linked_rather_than_run_ahead_of_its_chain(view: View) -> None:
    depot = posts.standing(view, unit(view, "Supply Depot d"))
    limit = supply.RANGE_HALVES["axis"]
    rest = trains._without(view, depot.unit)
    near = [there for there in view.board.within(depot.here, 4) if ground.gap(view, "axis")[there] > 3]
    linked = [there for there in near if rest.distance(there) <= limit]
    unlinked = [there for there in near if limit < rest.distance(there)]
    assert linked
    assert unlinked
    assert max(trains.worth(view, depot, there) for there in linked) > max(trains.worth(view, depot, there) for there in unlinked)


def test_of_two_linked_hexes_as_near_to_the_front_a_depot_takes_the_one_on_a_railroad(view: View) -> None:
    depot, near = posts.standing(view, unit(view, "Supply Depot d")), ground.gap(view, "axis")
    linked = [here for here in view.board.within(depot.here, 3) if trains._without(view, depot.unit).distance(here) <= 4]
    pairs = [(one, two) for one in linked for two in linked if near[one] == near[two] and one in trains.rails(view)]
    pairs = [(one, two) for one, two in pairs if two not in trains.rails(view)]
    assert pairs
    better = [trains.look(view, depot, one) - trains.look(view, depot, two) for one, two in pairs]
    assert sum(better) / len(better) > 0.2
