"""What `steady` still holds when nothing but the enemy's army counts any more."""

from __future__ import annotations

import pytest

from core.rulesets.war_for_the_motherland.bot import posts
from core.rulesets.war_for_the_motherland.bot.worth_of_units import is_reckless, of_side
from core.views import View
from tests.bots import set_up

LONG_BEFORE, THIRD_LAST, LAST = 15, 22, 24


def in_turn(turn: int, scenario: str = "turning_point") -> View:
    """Return the set-up of a scenario as if it were another turn; it ends with `LAST`."""
    view = set_up.in_turn(turn, scenario)
    assert view.setting.scenario.last_turn == LAST
    return view


def garrisons(view: View) -> float:
    """Return the most that a first Soviet unit in a prize is worth."""
    seen = posts.scene(view, "soviet")
    return max(posts.garrison(view, seen, here, []) for here in seen.prizes)


def front(view: View) -> float:
    """Return what the ZOC of all Soviet units are worth where they stand."""
    seen = posts.scene(view, "soviet")
    return sum(posts._cover(view, seen, one, one.here) for one in of_side(view, "soviet"))


@pytest.mark.parametrize(("scenario", "soviet"), [("turning_point", True), ("road_to_stalingrad", False)])
def test_the_soviets_are_reckless_near_the_end_where_neither_cities_nor_assets_count(scenario: str, soviet: bool) -> None:
    view = in_turn(THIRD_LAST, scenario)
    assert is_reckless(view, "soviet") is soviet
    assert not is_reckless(view, "axis")
    assert (garrisons(view) == 0) is soviet


def test_they_are_not_while_there_are_turns_to_come() -> None:
    view = in_turn(LONG_BEFORE)
    assert not is_reckless(view, "soviet")
    assert garrisons(view) > 0


def test_a_closed_front_is_worth_less_to_who_is_reckless() -> None:
    assert front(in_turn(LONG_BEFORE)) > front(in_turn(THIRD_LAST)) > 0


def test_supply_is_worth_less_to_who_is_reckless_and_nothing_in_the_last_turn() -> None:
    views = [in_turn(turn) for turn in (LONG_BEFORE, THIRD_LAST, LAST)]
    before, near, last = ([posts._fed(view, one) for one in of_side(view, "soviet") if one.attack] for view in views)
    assert min(before) > max(near) > 0
    assert set(last) == {0.0}
