"""Where `steady` has its headquarters: by those whom they feed, an ally's with its own nation's troops (9.28), none behind the enemy."""

from __future__ import annotations

import random

import pytest

from core import bots
from core.board import Hex
from core.rulesets.war_for_the_motherland.arrivals import AskReinforcements, KeepRailroads, PlaceReinforcement, legal_hexes
from core.rulesets.war_for_the_motherland.bot import ground, posts, trains
from core.rulesets.war_for_the_motherland.terms import ARRIVALS
from core.trials.table import Table
from core.units import Side, UnitId
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.lines_of_supply import ARMY, CORPS, FRONT, RUMANIAN_HQ, RUMANIANS, lay, row
from tests.rules.war_for_the_motherland.moments import run

ALLIES = [(RUMANIAN_HQ, RUMANIANS), ("fin_headquarters", "fin_corps")]
OWN, OTHERS = "2018", "2008"  # on the railroad: amid its own troops, and behind the Germans who face the enemy


def arrives(table: Table, side: Side, post: UnitId) -> Hex:
    """Return where the bot puts a headquarters that waits."""
    run(table, 13, KeepRailroads(), AskReinforcements(side=side))
    order = bots.load("steady")(table.view, random.Random(1))
    assert isinstance(order, PlaceReinforcement)
    assert order.unit == post
    assert order.hex is not None
    return order.hex


# -------------------------------------------------------------------- allies


def apart(post: str, corps: str, at: str) -> tuple[Table, UnitId]:
    """Return a table with an ally's troops at one end of a railroad and the front of the Germans at the other, and its headquarters."""
    table = lay(NewTable(), 13, lambda plain: plain.rail(*row(20, 1, 20)), axis=["2015"])
    for label in ("1917", "2018", "2119"):
        table.place(corps, label)
    for label in ("1905", "2005", "2105"):
        table.place(CORPS, label)
    table.place(ARMY, "2002")
    return table, table.place(post, at)


@pytest.mark.parametrize(("post", "corps"), ALLIES)
def test_a_headquarters_of_an_ally_arrives_among_its_own_troops(post: str, corps: str) -> None:
    table, headquarters = apart(post, corps, ARRIVALS)
    assert arrives(table, "axis", headquarters) == table.hex(OWN)
    assert table.hex(OTHERS) in legal_hexes(table.view, headquarters)


@pytest.mark.parametrize(("post", "corps"), ALLIES)
def test_it_is_not_drawn_to_the_front_of_others(post: str, corps: str) -> None:
    table, headquarters = apart(post, corps, OWN)
    table.begin(13, "axis_movement")
    one, own, others = posts.standing(table.view, headquarters), table.hex(OWN), table.hex(OTHERS)
    assert trains.worth(table.view, one, own) > trains.worth(table.view, one, others)
    assert trains.look(table.view, one, own) > trains.look(table.view, one, others)


# -------------------------------------------------------------------- behind the enemy


def test_a_headquarters_does_not_settle_behind_the_enemy_though_a_railroad_leads_there() -> None:
    table = lay(NewTable(), 13, lambda plain: plain.rail(*row(20, 1, 20)), soviet=["2001"], axis=["1620"])
    for label in ("2004", "2006"):  # its own armies are fed already
        table.place(FRONT, label)
    for label in ("1806", "2006", "2206"):
        table.place(ARMY, label)
    for label in ("1809", "2309"):  # their ZOC leave the railroad open
        table.place(CORPS, label)
    post = table.place(FRONT, ARRIVALS)
    here = arrives(table, "soviet", post)
    gap, screen = ground.gap(table.view, "soviet"), ground.screen(table.view, "soviet")
    assert any(screen[there] > gap[there] for there in legal_hexes(table.view, post))
    assert screen[here] < gap[here]
