"""What a bot has read off the map before and keeps is what it would read now, and ways over land are those of a plain search."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from heapq import heappop, heappush

import numpy as np
import pytest

from core import bots
from core.board import Hex
from core.events import Marked
from core.game import StopDice, begin
from core.log import Entry
from core.match import ServerDice
from core.pack import setting
from core.rulesets import load
from core.rulesets.war_for_the_motherland import sea_supply, supply, weather
from core.rulesets.war_for_the_motherland.bot import aims, ground, outlook, perils, posts, trains, worth_of_units
from core.rulesets.war_for_the_motherland.terms import AXIS, OUT_OF_SUPPLY, SOVIET
from core.trials.selfplay import play
from core.trials.table import Table
from core.views import View
from tests.bots.test_campaign import GAME, campaign
from tests.packs import pack_of
from tests.rules.war_for_the_motherland.conftest import NewTable

EVERY = 9  # orders of a game; of each the position after it is looked at
SIDES = (AXIS, SOVIET)


def read(view: View) -> Iterator[tuple[str, object]]:
    """Yield what bots read off a position, each with its name."""
    yield "roster", worth_of_units.roster(view)
    for side in SIDES:
        yield f"counters of {side}", worth_of_units.of_side(view, side)
        yield f"gap of {side}", ground.gap(view, side)
        yield f"screen of {side}", ground.screen(view, side)
        yield f"strikes on {side}", ground.strikes(view, side)
        yield f"posture of {side}", ground.posture(view, side)
        yield f"lines of {side}", ground.lifelines(view, side)
        yield f"lines against {side}", ground.enemy_lines(view, side)
        yield f"mends of {side}", ground.mends(view, side)
        yield f"aims of {side}", aims.aims(view, side)
        yield f"pull of {side}", aims.pull(view, side)
        yield f"scene of {side}", posts.scene(view, side)
        yield f"sea supply of {side}", sea_supply.supplied_from(view, side)
        yield f"threatened of {side}", perils.threatened(view, side)
    for user in supply.USERS:
        yield f"givers of {user}", supply.network(view, user).givers
        yield f"troops of {user}", trains._troops(view, user)


def test_what_a_bot_keeps_of_a_game_is_what_it_would_read_anew() -> None:
    game, looked = setting(load(GAME), pack_of(GAME), "turning_point"), 0

    def watch(keeper: ServerDice, entry: Entry) -> None:
        nonlocal looked
        if entry.number % EVERY == 0:
            view = keeper.match.view
            for (name, kept), (_, made) in zip(read(view), read(View(game, view.position.copy())), strict=True):
                assert kept == made, (name, entry.number)
                looked += 1

    play(game, {side: bots.load("steady") for side in game.sides}, 3, watch=watch)
    assert looked > 300


@pytest.fixture
def table() -> Table:
    return NewTable()()


def test_a_mark_is_seen_in_the_roster_at_once(table: Table) -> None:
    unit = table.place("ger_infantry_corps", "2010")
    before = posts.standing(table.view, unit)
    table.happen(Marked((unit,), OUT_OF_SUPPLY))
    assert posts.standing(table.view, unit).attack < before.attack


def plain_ways(view: View, start: set[Hex]) -> dict[Hex, int]:
    """Return the hexes over land to each hex from the nearest of some, by breadth."""
    found, queue = dict.fromkeys(start, 0), deque(sorted(start))
    while queue:
        here = queue.popleft()
        for there in outlook.neighbours(view)[here]:
            if there not in found:
                found[there] = found[here] + 1
                queue.append(there)
    return found


def marched_ways(view: View, goal: Hex) -> dict[Hex, int]:
    """Return the ways over land to a hex, hexes that are slow even on foot counted twice."""
    found, queue = {goal: 0}, [(0, goal)]
    while queue:
        way, here = heappop(queue)
        slow = weather.is_land(view, here) and weather.terrain_row(view, here).non_motorized > 1
        for there in outlook.neighbours(view)[here] if way == found[here] else ():
            if way + 1 + slow < found.get(there, 1 << 30):
                found[there] = way + 1 + slow
                heappush(queue, (found[there], there))
    return found


def test_ways_over_land_are_those_of_a_plain_search() -> None:
    view = View(campaign(), begin(campaign(), StopDice()).position)
    for here in (Hex(n) for n in range(0, view.board.size, 97)):
        marched = marched_ways(view, here)
        expected = [float(marched.get(Hex(n), np.inf)) for n in range(view.board.size)]
        assert ground.away(view, here).tolist() == expected
    for side in SIDES:
        plain = plain_ways(view, {one.here for one in ground.enemies(view, side) if one.attack})
        assert ground.gap(view, side) == [min(plain.get(Hex(n), ground.FAR), ground.FAR) for n in range(view.board.size)]
