"""How `steady` drives on while its side is far the stronger: trunks that depots follow, shares of troops for each city, and its end."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from msgspec.structs import replace

from core.board import Hex
from core.rulesets.war_for_the_motherland import supply
from core.rulesets.war_for_the_motherland.bot import aims, ground, posts, shares, trains, trunks
from core.rulesets.war_for_the_motherland.bot.worth_of_units import of_side
from core.rulesets.war_for_the_motherland.terms import BEGAN_AT
from core.units import UnitId
from core.views import View
from tests.bots.set_up import in_turn

SNOW, SUMMER = 8, 2  # turns


@pytest.fixture
def first() -> View:
    return in_turn(SUMMER)


def at_turn(view: View, turn: int) -> View:
    view.position.tracks["turn"] = turn
    return anew(view)


def anew(view: View) -> View:
    return View(view.setting, view.position)


def named(view: View, name: str) -> Hex:
    return next(Hex(i) for i in range(view.board.size) if view.board.facts[i].name == name)


def unit(view: View, name: str) -> UnitId:
    return next(one.id for one in view.position.on_map() if view.name(one.id) == name)


def put(view: View, number: UnitId, here: Hex) -> None:
    view.position.put(replace(view.unit(number), place=here))


def trunk_to(view: View, city: str) -> trunks.Trunk:
    return next(one for one in trunks.trunks(view) if one.goal == named(view, city))


# -------------------------------------------------------------------- when


def test_the_stronger_side_drives_on_until_the_first_snow(first: View) -> None:
    assert ground.drive(first, "axis") == 1.0
    assert ground.drive(first, "soviet") == 0.0
    assert ground.drive(at_turn(first, SNOW), "axis") == 0.0


def test_nobody_drives_on_against_an_equal(first: View) -> None:
    fighters = [one for one in of_side(first, "axis") if one.attack]
    for one in fighters[::2]:
        first.position.forget([one.unit])
    assert ground.drive(anew(first), "axis") == 0.0


# -------------------------------------------------------------------- trunks and depots


def test_trunks_go_along_railroads_from_city_to_city(first: View) -> None:
    moscow = trunk_to(first, "Moscow")
    assert named(first, "Smolensk") in moscow.way
    assert moscow.way[0] in supply.sources(first, "axis")
    assert all(there in first.board.adjacent[here] for here, there in pairwise(moscow.way))
    assert set(moscow.way) <= trains.rails(first)


def test_a_city_by_a_source_needs_no_trunk(first: View) -> None:
    assert named(first, "Warsaw") not in {one.goal for one in trunks.trunks(first)}


def test_depots_have_places_of_their_own_that_feed_one_another_along_a_trunk(first: View) -> None:
    there = trunks.places(first)
    assert len(set(there.values())) == len(there) >= 6
    limit = supply.RANGE_HALVES["axis"]
    for trunk in trunks.trunks(first):
        taken = [0, *(trunk.halves[number] for number, here in enumerate(trunk.way) if here in there.values())]
        assert all(two - one <= limit for one, two in pairwise(taken))


def test_a_trunk_is_laid_out_beyond_the_troops_that_have_a_line(first: View) -> None:
    trunk = trunk_to(first, "Leningrad")
    ahead = trunks._end(first, trunk)
    for one in of_side(first, "axis"):
        if one.attack and first.board.distance(one.here, trunk.way[ahead]) < 12:
            first.position.forget([one.unit])
    assert trunks._end(anew(first), trunk) < ahead


def test_a_depot_is_worth_more_the_nearer_to_its_place(first: View) -> None:
    number, place = next((one, there) for one, there in sorted(trunks.places(first).items()) if first.unit(one).place != there)
    assert trunks.off_place(first, number, place) == 0.0
    assert (trunks.off_place(first, number, Hex(first.unit(number).place)) or 0.0) > 0.0


def test_depots_have_no_places_once_the_drive_is_over(first: View) -> None:
    assert trunks.places(at_turn(first, SNOW)) == {}


# -------------------------------------------------------------------- shares of troops


def test_a_far_city_draws_its_share_though_another_is_nearer() -> None:
    draws = np.array([[10.0] * 4, [2.0] * 4])  # all stand eight hexes nearer to the first
    worths, strengths = np.array([1.0, 3.0]), np.ones(4)
    near, far = shares.prices(draws, worths, strengths)
    assert 10.0 - near < 2.0 - far
    assert -shares.MOST_GAIN <= far < 0.0 < near <= shares.MOST_PRICE


def test_equal_shares_that_come_by_themselves_change_nothing() -> None:
    draws = np.array([[9.0, 1.0], [1.0, 9.0]])
    assert np.abs(shares.prices(draws, np.ones(2), np.ones(2))).max() < 0.1


def test_far_cities_gain_in_a_drive_and_not_without(first: View) -> None:
    assert _gain(first, "Rostov") >= 5
    assert _gain(at_turn(first, SNOW), "Rostov") == 0


def _gain(view: View, city: str) -> float:
    wanted = aims.aims(view, "axis")
    number = next(i for i, aim in enumerate(wanted) if aim.here == named(view, city) and not aim.hold)
    return -aims._prices(view, "axis", wanted)[number]


def test_shares_stay_as_they_are_while_troops_march(first: View) -> None:
    wanted = aims.aims(first, "axis")
    before = aims._prices(first, "axis", wanted)
    corps = unit(first, "57. Panzer Corps")
    first.position.unit_marks.setdefault(BEGAN_AT, {})[corps] = first.unit(corps).place + 1
    put(first, corps, named(first, "Smolensk"))
    assert aims._prices(anew(first), "axis", wanted) == before


# -------------------------------------------------------------------- who is passed by


def test_in_a_drive_fewer_wait_for_an_enemy_off_the_lines(first: View) -> None:
    wanted = aims.aims(first, "axis")
    passed = aims._passed_by(first, "axis", wanted)
    lines = aims._along_lines(first, "axis")
    gone = [aim for aim, is_passed in zip(wanted, passed, strict=True) if is_passed]
    assert gone
    assert not any(aim.hold or aim.here in lines or aim.here in aims.prizes(first) for aim in gone)
    assert not any(aims._passed_by(at_turn(first, SNOW), "axis", wanted))


def test_gaps_and_garrisons_count_less_in_a_drive(first: View) -> None:
    seen = posts.scene(first, "axis")
    calm = replace(seen, drive=0.0)
    city = next(here for here in sorted(seen.prizes) if seen.gap[here] <= 4)
    assert 0.0 < posts.garrison(first, seen, city, []) < posts.garrison(first, calm, city, [])


# -------------------------------------------------------------------- ways


def test_a_way_through_swamp_is_longer_until_snow(first: View) -> None:
    swamp = next(Hex(i) for i in range(first.board.size) if first.board.facts[i].terrain == "swamp")
    beside = posts.outlook.neighbours(first)[swamp][0]
    assert ground.away(first, swamp)[beside] == 2.0
    assert ground.away(at_turn(first, SNOW), swamp)[beside] == 1.0
