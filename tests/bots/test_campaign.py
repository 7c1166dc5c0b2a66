"""How `steady` makes war on the map of the whole front: the first turns of June 1941, and single positions of them."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from statistics import mean

import pytest
from msgspec.structs import replace

from core import bots
from core.board import Hex
from core.match import ServerDice, new_server_match
from core.orders import name_of
from core.pack import setting
from core.rulesets import load
from core.rulesets.war_for_the_motherland import economy, figures, supply, zoc
from core.rulesets.war_for_the_motherland.bot import aims, ground, housekeeping, marches, posts
from core.rulesets.war_for_the_motherland.bot.worth_of_units import roster
from core.rulesets.war_for_the_motherland.economy import Evacuate
from core.setting import Setting
from core.units import UnitId
from core.views import View
from tests.packs import pack_of

GAME = "war_for_the_motherland"
TURNS = 3


@cache
def campaign() -> Setting:
    return setting(load(GAME), pack_of(GAME), GAME)


class Played:
    """The first turns of a campaign: the last view, and the orders that each phase saw."""

    def __init__(self) -> None:
        self.keeper: ServerDice = new_server_match(campaign(), game="campaign", seed=bytes([7] * 32), clock=lambda: 0, links=5000)
        self.first = self.keeper.match.view
        self.orders: dict[str, Counter[str]] = {}
        self.fed: list[float] = []  # share of the German troops with a line as each turn begins
        steady, rng = bots.load("steady"), random.Random(7)
        while self.keeper.match.view.position.turn <= TURNS:
            view = self.keeper.match.view
            if len(self.fed) < view.position.turn:
                self.fed.append(fed(view))
            order = steady(view, rng)
            self.orders.setdefault(view.position.phase, Counter())[name_of(order)] += 1
            self.keeper.order(view.side_to_act(), order)
        self.view = self.keeper.match.view
        self.fed.append(fed(self.view))


def german(view: View) -> list[UnitId]:
    return [one for one in own(view, "axis") if view.type(one).nation == "german"]


def fed(view: View) -> float:
    units = german(view)
    return sum(supply.can_trace(view, one) for one in units) / len(units)


@pytest.fixture(scope="module")
def played() -> Played:
    return Played()


@pytest.fixture
def first() -> View:
    keeper = new_server_match(campaign(), game="first", seed=bytes(32), clock=lambda: 0, links=10)
    view = keeper.match.view
    return View(view.setting, view.position.copy())


def unit(view: View, name: str) -> UnitId:
    return next(one.id for one in view.position.on_map() if view.name(one.id) == name)


def put(view: View, number: UnitId, label: str) -> None:
    view.position.put(replace(view.unit(number), place=view.board.hex(label)))


def anew(view: View) -> View:
    return View(view.setting, view.position)


def own(view: View, side: str) -> list[UnitId]:
    return [one.unit for one in roster(view) if one.side == side and one.attack]


# -------------------------------------------------------------------- the first turns


def test_the_axis_goes_east_and_fights_on_the_way(played: Played) -> None:
    assert played.orders["axis_combat"]["attack"] + played.orders["axis_movement"]["overrun"] >= 15
    before, after = played.first.ruleset.figures(played.first), played.view.ruleset.figures(played.view)
    assert _mean_column(played.view, played.first) > _mean_column(played.first, played.view) + 2
    assert after["soviet_steps"] < before["soviet_steps"] - 10


def _mean_column(view: View, other: View) -> float:
    """Return how far east the Germans stand in the mean, those who are on the map in two positions."""
    both = sorted(set(german(view)) & set(german(other)))
    return mean(figures._place(view, Hex(view.unit(one).place))[1] for one in both)


def test_depots_come_along_and_stay_on_the_chain(played: Played) -> None:
    depots = supply.depots(played.view)
    moved = [one for one in depots if one in played.first.position.units and played.view.unit(one).place != played.first.unit(one).place]
    assert len(moved) >= 6
    links = supply.network(played.view, "axis").links
    assert sum(played.view.unit(one).place in links for one in depots) >= len(depots) - 2


def test_most_of_the_german_troops_have_a_line_while_they_advance(played: Played) -> None:
    assert len(played.fed) == TURNS + 1
    assert mean(played.fed) >= 0.85  # of several turns: on a single one a corps or two more may have run ahead


def test_reserves_of_the_soviet_side_come_by_strategic_movement(played: Played) -> None:
    assert played.orders["soviet_movement"]["strategic"] >= 3


def test_panzers_use_their_own_phase(played: Played) -> None:
    assert played.orders["german_mechanized_movement"]["move"] >= 5


# -------------------------------------------------------------------- single positions


def named(view: View, name: str) -> Hex:
    return next(Hex(i) for i in range(view.board.size) if view.board.facts[i].name == name)


def test_the_road_to_moscow_draws_the_axis_though_nobody_stands_on_it(first: View) -> None:
    seen, corps = posts.scene(first, "axis"), posts.standing(first, unit(first, "57. Panzer Corps"))
    minsk, smolensk, moscow = (named(first, name) for name in ("Minsk", "Smolensk", "Moscow"))
    assert seen.gap[smolensk] > posts.FRONT
    assert posts.way(seen, corps, minsk) < posts.way(seen, corps, smolensk) < posts.way(seen, corps, moscow)


def test_where_enough_stand_around_an_aim_it_draws_the_others_less(first: View) -> None:
    moscow = named(first, "Moscow")
    before = aims.pull(first, "axis")[moscow]
    for name, there in zip(("39. Panzer Corps", "46. Panzer Corps", "57. Panzer Corps"), first.board.adjacent[moscow], strict=False):
        put(first, unit(first, name), first.board.label(there))
    assert aims.pull(anew(first), "axis")[moscow] < before - 1


def test_a_panzer_corps_that_closes_the_last_way_out_is_worth_more_there(first: View) -> None:
    army, corps = unit(first, "20. Army"), unit(first, "57. Panzer Corps")
    here = Hex(first.unit(army).place)
    ring = first.board.adjacent[here]
    put(first, unit(first, "39. Panzer Corps"), first.board.label(ring[0]))
    view = anew(first)
    one, seen = posts.standing(view, corps), posts.scene(view, "axis")
    covered = set(posts._covered(view, one, ring[3]))
    assert posts._pockets(view, seen, covered, set()) > posts.POCKET * 0.3
    far = Hex(next(i for i in range(view.board.size) if view.board.distance(here, Hex(i)) == 6))
    assert posts._pockets(view, seen, {far}, set()) == 0


def test_a_line_that_is_cut_by_a_zoc_alone_is_seen_and_opened_again(first: View) -> None:
    view, cut_at = _cut_off(first, unit(first, "46. Panzer Corps"))
    assert cut_at in supply.blocked(view, "axis")
    corps = posts.standing(view, unit(view, "43. Corps"))
    assert posts._lines(posts.scene(view, "axis"), corps, cut_at, []) > 0


def _cut_off(view: View, corps: UnitId) -> tuple[View, Hex]:
    """Put a corps where a bare enemy ZOC cuts its line, and return the hex of the cut."""
    start = Hex(view.unit(corps).place)
    for here in sorted(view.board.within(start, 6), key=lambda there: (view.board.distance(start, there), there)):
        if here in posts.scene(view, "soviet").own:
            continue
        put(view, corps, view.board.label(here))
        now = anew(view)
        cut = [there for there in ground.mends(now, "axis") if there not in zoc.held(now, "soviet")]
        if cut and not supply.can_trace(now, corps):
            return now, cut[0]
    raise AssertionError("no hex around is cut off by a ZOC alone")


def test_factories_leave_when_the_enemy_comes_near_and_not_before(first: View) -> None:
    kiev = {one for one in economy.on_map_of(first, "factory") if first.board.label(first.unit(one).place) == "C4419"}
    assert len(kiev) == 2
    assert not kiev & _leaving(first)
    put(first, unit(first, "3. Panzer Corps"), "C4423")
    view = anew(first)
    assert kiev <= _leaving(view)
    near = ground.gap(view, "soviet")
    assert all(near[view.unit(one).place] <= housekeeping.IN_DANGER for one in _leaving(view))


def _leaving(view: View) -> set[UnitId]:
    return {one for order in housekeeping.evacuations(view) if isinstance(order, Evacuate) for one in order.units}


def test_the_axis_is_cautious_in_snow_and_most_of_all_in_the_first_winter(first: View) -> None:
    postures = []
    for turn in (2, 8, 22):
        first.position.tracks["turn"] = turn
        postures.append(ground.posture(anew(first), "axis"))
    summer, first_winter, second_winter = postures
    assert first_winter < second_winter < summer


def test_infantry_corps_of_one_hex_march_together(first: View) -> None:
    assert any(len(order.units) > 1 for order in _marches_of(first))


def _marches_of(view: View) -> list[marches.Move]:
    keeper = new_server_match(view.setting, game="together", seed=bytes(32), clock=lambda: 0, links=200)
    steady, rng, found = bots.load("steady"), random.Random(3), []
    while (now := keeper.match.view).position.phase in ("mutual_supply", "axis_movement"):
        order = steady(now, rng)
        if isinstance(order, marches.Move):
            found.append(order)
        keeper.order(now.side_to_act(), order)
    return found
