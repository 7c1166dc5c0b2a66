"""How `steady` brings its depots along: after what draws the army, by rail in mud, and no faster than they go in snow."""

from __future__ import annotations

import pytest

from core.rulesets.war_for_the_motherland import supply
from core.rulesets.war_for_the_motherland.bot import aims, marches, posts, trains
from core.rulesets.war_for_the_motherland.strategic import Strategic
from core.trials.table import Table
from core.units import UnitId
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.lines_of_supply import ARMY, CORPS, DEPOT, lay

CLEAR, MUD, SNOW = 13, 12, 9


def behind(turn: int) -> tuple[Table, UnitId]:
    """Return a table with a depot two hexes from the source, a corps that it feeds and an enemy far before them, and its number."""
    table = lay(NewTable(), turn, axis=["2014"])
    depot = table.place(DEPOT, "2012")
    table.place(CORPS, "2009")
    table.place(ARMY, "2005")
    table.begin(turn, "axis_movement")
    return table, depot


@pytest.mark.parametrize("turn", [CLEAR, MUD, SNOW])
def test_a_depot_follows_the_troops_and_is_not_held_where_it_stands_by_being_guarded(turn: int) -> None:
    table, depot = behind(turn)
    here, ahead = table.hex("2012"), table.hex("2011")
    drawn = aims.draw(table.view, "axis")
    assert any(aim.here == here and aim.hold for aim in aims.aims(table.view, "axis"))
    assert drawn[ahead] > drawn[here]
    one = posts.standing(table.view, depot)
    assert trains.worth(table.view, one, ahead) > trains.worth(table.view, one, here)


def test_what_is_to_be_held_draws_troops_and_not_what_feeds_them() -> None:
    table, _ = behind(SNOW)
    here, back = table.hex("2012"), table.hex("2013")
    assert aims.pull(table.view, "axis")[here] > aims.pull(table.view, "axis")[back]
    table.place(ARMY, "2008")  # next to the corps: the nearer he is, the more the depot is to be held
    before = aims.draw(table.view, "axis")
    assert before[table.hex("2009")] > before[here] > before[back]


@pytest.mark.parametrize(("turn", "goes"), [(CLEAR, False), (MUD, True)])
def test_in_mud_a_depot_goes_strategically_though_it_is_not_far_behind(turn: int, goes: bool) -> None:
    table = lay(NewTable(), turn, axis=["2616"])
    depot = table.place(DEPOT, "1618")
    table.place(ARMY, "1612")
    table.place(ARMY, "2606")
    for label in ("2610", "2510", "2511"):  # more than four hexes from the source
        table.place(CORPS, label)
    table.begin(turn, "axis_movement")
    seen = posts.scene(table.view, "axis")
    assert seen.gap[table.hex("1618")] < marches.RESERVE
    found = [order for order, _ in marches._reserve(table.view, depot)]
    assert bool(found) is goes
    assert all(isinstance(order, Strategic) for order in found)


def test_troops_reckon_with_depots_that_follow_less_far_in_snow() -> None:
    shares = []
    for turn in (CLEAR, SNOW):
        table, _ = behind(turn)
        corps = posts.standing(table.view, table.place(CORPS, "2008"))
        two_beyond = table.hex("2006")
        assert supply.network(table.view, "axis").field.distance(two_beyond) == supply.RANGE_HALVES["axis"] + 4
        shares.append(posts.supplied(table.view, corps, two_beyond))
    assert shares[0] > shares[1] + 0.2


def test_an_army_that_will_soon_be_counted_does_not_disregard_that_its_lines_may_be_cut() -> None:
    table, _ = behind(CLEAR)
    risks = []
    for turn in (CLEAR, table.view.setting.scenario.last_turn):
        table, _ = behind(turn)
        assert posts.scene(table.view, "axis").posture > 0
        risks.append(posts._risk(table.view))
    assert risks[0] < risks[1]
