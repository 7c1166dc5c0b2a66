"""When `steady` expends a depot: for an army that would waste away, not for what it costs two corps to wait (9.26)."""

from __future__ import annotations

import pytest

from core.rulesets.war_for_the_motherland.bot import answers, posts
from core.rulesets.war_for_the_motherland.supply_phase import Expend
from core.trials.table import Table
from core.units import UnitId
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.lines_of_supply import AIRBASE, CORPS, DEPOT, lay

SUMMER, FIRST_WINTER = 13, 9


def beyond(turn: int) -> tuple[Table, UnitId]:
    """Return a table with a depot that is linked to nothing, fifteen hexes before the source, and its number."""
    table = lay(NewTable(), turn, axis=["2620"])
    return table, table.place(DEPOT, "2605")


def worth(table: Table, depot: UnitId) -> float:
    assert answers.expends(table.view) == [Expend((depot,))]
    return answers.expend(table.view, Expend((depot,)))


def test_a_depot_is_kept_though_two_corps_go_without_a_line_for_a_turn() -> None:
    table, depot = beyond(SUMMER)
    table.place(CORPS, "2603")
    table.place(CORPS, "2503")
    assert worth(table, depot) < 0


@pytest.mark.parametrize("turn", [SUMMER, FIRST_WINTER])
def test_a_depot_is_expended_for_an_army_that_would_waste_away(turn: int) -> None:
    table, depot = beyond(turn)
    for label in ("2603", "2503", "2602", "2604", "2504"):
        table.place(CORPS, label)
        table.place(CORPS, label)
    assert worth(table, depot) > 0


def test_an_airbase_is_lost_without_a_line_and_troops_only_weaker() -> None:
    table, _ = beyond(SUMMER)
    base, corps = table.place(AIRBASE, "2604"), table.place(CORPS, "2603")
    lost, weaker = (answers.hunger(table.view, posts.standing(table.view, unit)) for unit in (base, corps))
    assert lost == posts.standing(table.view, base).value
    assert 0 < weaker < posts.standing(table.view, corps).value


def test_who_is_isolated_is_in_need_more_than_who_is_just_beyond_the_range_most_in_the_first_winter() -> None:
    needs = []
    for label, turn in (("2614", SUMMER), ("2603", SUMMER), ("2603", FIRST_WINTER)):
        table, _ = beyond(turn)
        corps = table.place(CORPS, label)
        needs.append(answers.hunger(table.view, posts.standing(table.view, corps)))
    assert needs == sorted(needs)
    assert len(set(needs)) == 3


def test_a_unit_loses_by_attrition_what_the_chart_says_in_the_mean() -> None:
    table, _ = beyond(SUMMER)
    corps = posts.standing(table.view, table.place(CORPS, "2603"))
    assert answers.mean_attrition(table.view, corps) == pytest.approx(3 / 6)  # 9.91: in clear ground a step at 1, 2 or 3
    table, _ = beyond(FIRST_WINTER)
    corps = posts.standing(table.view, table.place(CORPS, "2603"))
    assert answers.mean_attrition(table.view, corps) == pytest.approx((2 + 3) / 6)  # two at 1, one at 2, 3 or 4


def test_a_unit_can_lose_no_more_steps_than_it_has() -> None:
    table, _ = beyond(FIRST_WINTER)
    italians = posts.standing(table.view, table.place("ita_mobile_corps", "2603"))
    assert answers.mean_attrition(table.view, italians) == table.view.unit(italians.unit).steps == 1  # the chart would take 7 in 6


def test_a_depot_that_was_left_behind_comes_back_by_being_expended() -> None:
    table, depot = beyond(SUMMER)
    assert table.view.setting.scenario.last_turn - SUMMER > answers.BACK
    assert worth(table, depot) > 0
    table.place(CORPS, "2604")
    assert worth(table, depot) < 0


def test_a_depot_that_was_left_behind_stays_where_it_counts_when_it_would_come_back_too_late() -> None:
    table, _ = beyond(SUMMER)
    last = table.view.setting.scenario.last_turn
    table, _ = beyond(last - answers.BACK)
    assert answers.expends(table.view) == []
