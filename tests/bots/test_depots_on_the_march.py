"""How `steady` brings its depots along: after what draws the army, by rail in mud, and no faster than they go in snow."""

from __future__ import annotations

import pytest

from core.board import Hex
from core.events import Moved, TrackSet
from core.rulesets import load
from core.rulesets.war_for_the_motherland import supply
from core.rulesets.war_for_the_motherland.bot import aims, ground, marches, posts, trains
from core.rulesets.war_for_the_motherland.strategic import Strategic
from core.trials.table import Table
from core.units import UnitId
from tests.packs import pack_of
from tests.rules.war_for_the_motherland.conftest import NAME, NewTable
from tests.rules.war_for_the_motherland.lines_of_supply import ARMY, CORPS, DEPOT, PARTISAN, lay, row

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
    beside = set(table.board.adjacent[here]) & set(table.board.adjacent[ahead])
    table.happen(Moved((table.position.at(table.hex("2009"))[0],), (min(beside),)))  # as near to the one as to the other
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
    assert risks[0] < risks[1] == posts.CUT_OFF


def test_an_army_that_will_soon_be_counted_does_not_rely_on_depots_that_follow() -> None:
    shares = []
    for turn in (CLEAR, behind(CLEAR)[0].view.setting.scenario.last_turn):
        table, _ = behind(turn)
        corps = posts.standing(table.view, table.place(CORPS, "2008"))
        shares.append(posts.supplied(table.view, corps, table.hex("2007")))  # one hex too far now
    assert shares[0] > posts.COUNTED == shares[1]


# -------------------------------------------------------------------- partisans


def railway(first: str, second: str, *, partisans: bool) -> tuple[Table, UnitId]:
    """Return a table with two depots on a railroad from the source, a corps at its end that the second feeds, and the first's number."""
    table = lay(NewTable(), CLEAR, lambda plain: plain.rail(*row(20, 20, 1)), axis=["2020"])
    near = table.place(DEPOT, first)
    table.place(DEPOT, second)
    for label in ("2003", "1903", "2103"):
        table.place(CORPS, label)
    if partisans:
        table.place(PARTISAN, "1618")
    return table, near


def at_risk(table: Table) -> float:
    links = [table.view.unit(unit).place for unit in supply.depots(table.view)]
    here = table.hex("2020")
    return trains._at_risk(table.view, trains._chained(table.view, [*map(Hex, links)]), here, here)


def test_partisans_put_at_risk_what_hangs_on_links_that_are_as_long_as_they_may_be() -> None:
    places = (("2012", "2004"), ("2013", "2006"), ("2014", "2008"))
    longest, shorter, short = (railway(first, second, partisans=True)[0] for first, second in places)
    assert all(len(supply.network(table.view, "axis").links) == 2 for table in (longest, shorter, short))
    assert at_risk(longest) > at_risk(shorter) > at_risk(short) == 0


def test_before_there_are_partisans_links_may_be_as_long_as_the_rules_let_them() -> None:
    assert at_risk(railway("2012", "2004", partisans=False)[0]) == 0


def test_what_partisans_do_to_a_chain_is_what_the_bot_reckons_with() -> None:
    table, _ = railway("2012", "2004", partisans=True)
    before = at_risk(table)
    table.place(PARTISAN, "2016")
    assert not supply.network(table.view, "axis").links
    table, _ = railway("2013", "2006", partisans=True)
    table.place(PARTISAN, "2016")
    assert len(supply.network(table.view, "axis").links) == 2
    assert before > 0


@pytest.mark.parametrize(("partisans", "goes_back"), [(False, False), (True, True)])
def test_a_depot_goes_back_to_shorten_the_link_on_which_most_hangs_once_there_are_partisans(partisans: bool, goes_back: bool) -> None:
    table, near = railway("2012", "2006", partisans=partisans)
    one = posts.standing(table.view, near)
    here, back = table.hex("2012"), table.hex("2013")
    assert (trains.worth(table.view, one, back) > trains.worth(table.view, one, here)) is goes_back


def risk_without(table: Table, gone: UnitId) -> float:
    """Return what partisans put at risk when a depot has gone from the chain to where nothing feeds it."""
    start, far = Hex(table.view.unit(gone).place), table.hex("2601")
    links = [far, *(Hex(table.view.unit(unit).place) for unit in supply.depots(table.view) if unit != gone)]
    return trains._at_risk(table.view, trains._chained(table.view, links), start, far)


def test_what_hangs_on_a_link_is_reckoned_by_the_chain_that_would_be_and_not_by_the_one_that_is() -> None:
    table, near = railway("2014", "2010", partisans=True)
    beside = table.place(DEPOT, "2114")  # nothing hangs on it yet, and its own link would be as long as it may be
    links = supply.network(table.view, "axis").links
    assert links[table.hex("2010")][-1] == table.hex("2014")
    assert risk_without(table, beside) == 0
    assert risk_without(table, near) > 0


def test_a_line_at_risk_is_never_worse_than_one_that_is_cut() -> None:
    table = lay(NewTable(), CLEAR, axis=["2020"])
    for label in ("2016", "2012", "2008"):
        table.place(DEPOT, label)
    table.place(PARTISAN, "1618")
    corps = posts.standing(table.view, table.place(CORPS, "2004"))
    assert len(supply.network(table.view, "axis").links) == 3
    assert 0 < at_risk(table) < corps.value * (1.0 - posts.OUT)


def test_what_hangs_on_depots_adds_up_on_the_way_to_the_source_wherever_that_lies() -> None:
    for source, inner, outer, far in (("2020", "2016", "2012", "2009"), ("2001", "2005", "2009", "2012")):
        table = lay(NewTable(), CLEAR, axis=[source])
        table.place(DEPOT, inner)
        depot = posts.standing(table.view, table.place(DEPOT, outer))
        corps = posts.standing(table.view, table.place(CORPS, far))
        found = ground.lifelines(table.view, "axis")
        assert found[table.hex(outer)] == corps.value
        assert found[table.hex(inner)] == found[table.hex(source)] == corps.value, (source, depot)


def test_depots_draw_together_two_turns_before_the_first_partisans_are_due() -> None:
    table = Table(load(NAME), pack_of(NAME), "road_to_stalingrad")
    first = min(one.turn for one in table.view.setting.scenario.arrival if any(kind == PARTISAN for kind, _ in one.units))
    found = []
    for turn in (first - 3, first - 2, first + 3):
        table.happen(TrackSet("turn", turn))
        found.append(trains.has_partisans(table.view))
    assert found == [False, True, True]

# -------------------------------------------------------------------- lines side by side


def two_lines() -> tuple[Table, UnitId]:
    """Return a table with a corps between depots that two sources feed, and the number of one of them."""
    table = lay(NewTable(), CLEAR, axis=["1820", "2420"])
    first = table.place(DEPOT, "1816")
    for label in ("2416", "2114"):
        table.place(DEPOT, label)
    for label in ("2111", "2211"):
        table.place(CORPS, label)
    table.place(ARMY, "2101")
    return table, first


def test_less_hangs_on_one_cut_where_lines_run_side_by_side() -> None:
    table, first = two_lines()
    one, far = posts.standing(table.view, first), table.hex("2620")
    links = [Hex(table.view.unit(unit).place) for unit in supply.depots(table.view) if unit != first]
    closed = supply.blocked(table.view, "axis")
    assert trains._fed_over(table.view, [*links, far], closed) == trains._fed_over(table.view, [*links, one.here], closed)
    assert trains._feeding(table.view, one, far) < trains._feeding(table.view, one, one.here)


def test_a_depot_whose_line_the_enemy_can_cut_next_feeds_less_than_one_whose_line_he_can_not() -> None:
    found = []
    for enemy in ("2601", "1716"):
        table = lay(NewTable(), CLEAR, axis=["2020"])
        depot = posts.standing(table.view, table.place(DEPOT, "2015"))
        table.place(CORPS, "2012")
        table.place(ARMY, enemy)
        found.append(trains._feeding(table.view, depot, table.hex("2016")))
    assert found[0] > found[1]


def test_depots_near_their_sources_go_before_those_that_they_feed() -> None:
    table = lay(NewTable(), CLEAR, axis=["2020"])
    outer, inner = table.place(DEPOT, "2012"), table.place(DEPOT, "2016")
    table.place(ARMY, "2001")
    table.begin(CLEAR, "axis_movement")
    assert [unit for unit in marches.movers(table.view, "axis") if unit in (outer, inner)] == [inner, outer]


def test_a_depot_that_arrives_looks_where_troops_go_without_before_it_looks_ahead() -> None:
    found = []
    for corps in ("2008", "1804"):  # beyond the last depot's range, and far aside of it
        table = lay(NewTable(), CLEAR, axis=["2020"])
        last = posts.standing(table.view, table.place(DEPOT, "2016"))
        table.place(CORPS, corps)
        table.place(ARMY, "1601")
        found.append(trains.look(table.view, last, table.hex("2012")) - trains.look(table.view, last, table.hex("2412")))
    assert found[0] > found[1]
