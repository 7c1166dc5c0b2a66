"""How `steady` leads an ally who stands alone (9.28): he holds what he has; with Germans beside him he goes along."""

from __future__ import annotations

import pytest

from core.board import Hex
from core.rulesets.war_for_the_motherland import supply
from core.rulesets.war_for_the_motherland.bot import allies, battles, posts
from core.rulesets.war_for_the_motherland.bot.worth_of_units import of_side
from core.trials.table import Table
from core.units import UnitId
from core.views import View
from tests.bots.set_up import in_turn
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.lines_of_supply import ARMY, CORPS, lay, row

FINNS, POST = "fin_corps", "fin_headquarters"
SUMMER = 13


@pytest.fixture
def first() -> View:
    return in_turn(2)


def finns(*others: str) -> tuple[Table, UnitId]:
    """Return a table with a Finnish corps by its headquarters before two armies, with others at these places, and its number."""
    table = lay(NewTable(), SUMMER, lambda plain: plain.rail(*row(20, 1, 20)), axis=["2020"], soviet=["2001"])
    table.place(POST, "2014")
    corps = table.place(FINNS, "2013")
    for label in ("1909", "2209"):
        table.place(ARMY, label)
    for label in others:
        table.place(CORPS, label)
    table.begin(SUMMER, "axis_movement")
    return table, corps


# -------------------------------------------------------------------- who stands alone


def test_finns_stand_alone_before_the_armies_of_leningrad_and_rumanians_among_germans_do_not(first: View) -> None:
    assert allies.alone(first, "axis") == {"finnish"}
    assert allies.alone(first, "soviet") == frozenset()


def test_who_has_germans_beside_him_does_not_stand_alone() -> None:
    assert allies.alone(finns()[0].view, "axis") == {"finnish"}
    assert allies.alone(finns("1913")[0].view, "axis") == frozenset()
    assert allies.alone(finns("2004")[0].view, "axis") == {"finnish"}  # too far to help


def test_who_faces_nobody_does_not_stand_alone() -> None:
    table = lay(NewTable(), SUMMER, axis=["2020"])
    table.place(FINNS, "2013")
    assert allies.alone(table.view, "axis") == frozenset()


# -------------------------------------------------------------------- what he does


def test_who_stands_alone_is_not_drawn_to_what_the_side_wants_to_take(first: View) -> None:
    finn = next(one for one in of_side(first, "axis") if first.name(one.unit) == "Finnish SE Army")
    german = next(one for one in of_side(first, "axis") if one.kind.kind == "panzer")
    seen = posts.scene(first, "axis")
    leningrad = first.board.hex("C1418")
    assert posts.pull_of(seen, german) is seen.pull
    assert posts.pull_of(seen, finn)[leningrad] < seen.pull[leningrad]
    assert posts.way(seen, finn, finn.here) > posts.way(seen, finn, leningrad)


def test_a_battle_must_promise_more_where_nothing_replaces_what_it_costs() -> None:
    worths = []
    for others in ((), ("1916",)):
        table, corps = finns(*others)
        army = table.place(ARMY, "2012")
        worths.append(battles.worth_of_battle(table.view, (corps,), Hex(table.view.unit(army).place), overrun=False))
    assert worths[0] < 0 < worths[1]


def test_a_line_that_the_enemy_may_cut_next_is_worth_less_to_an_ally() -> None:
    table, corps = finns()
    here, one = table.hex("2018"), posts.standing(table.view, corps)
    before = posts.supplied(table.view, one, here)
    table.place("sov_mechanized_corps", "1817")
    assert supply.network(table.view, "finnish").supplies(here)
    assert posts.supplied(table.view, one, here) < before - 0.2
