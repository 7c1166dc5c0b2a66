"""Movement's options are exact, and its reach is what its options lead to, on random tables."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.board import Hex
from core.game import NeedsDice, StopDice, decide
from core.mechanics.movement import Walk
from core.options import options, refusal
from core.orders import HexPick, OptionPick, Order, Picks, UnitPick, compose
from core.rulesets.war_for_the_motherland import marching, movement, strategic
from core.rulesets.war_for_the_motherland.marching import Manner
from core.rulesets.war_for_the_motherland.movement import Move
from core.rulesets.war_for_the_motherland.overrun import Overrun
from core.rulesets.war_for_the_motherland.strategic import Strategic
from core.rulesets.war_for_the_motherland.terms import LACK_OF_SUPPLY, OUT_OF_SUPPLY
from core.trials.table import PlainBoard, Table
from core.units import UnitId
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.moving import AXIS_MOVES, PANZERS_MOVE, SOVIET_MOVES

GAME = "war_for_the_motherland"
AXIS_KINDS = [
    "ger_panzer_corps", "ger_panzer_kg", "ger_infantry_corps", "ger_infantry_kg", "ger_mountain_corps", "rum_infantry_corps",
    "hun_corps", "ger_airbase", "axis_depot_normal", "ger_siege_artillery", "rum_headquarters", "ger_air_fleet_3",
]  # fmt: skip
SOVIET_KINDS = [
    "sov_infantry_army", "sov_tank_army", "sov_infantry_corps", "sov_mechanized_corps", "sov_headquarters", "sov_osg", "sov_factory",
    "sov_partisan",
]  # fmt: skip
GROUNDS = ["clear", "clear", "clear", "forest", "swamp", "mountain", "sea"]
BARRIERS = ["minor_river", "major_river", "lake", "ice_road", "rail", "rail", "causeway"]
ORDERS: dict[str, type[Order]] = {"move": Move, "overrun": Overrun, "strategic": Strategic}


def random_table(seed: int) -> Table:
    """A crowded corner of a plain board in any movement phase, also turns of mud and snow."""
    dice = random.Random(seed)
    corner = [f"{line}{place:02}" for line in range(18, 24) for place in range(6, 14)]

    def edit(board: PlainBoard) -> None:
        for label in corner:
            board.hex(label, terrain=dice.choice(GROUNDS), features=dice.choice([[], [], ["fortress"]]))
        for _ in range(25):
            one = dice.choice(corner)
            other = f"{one[:2]}{int(one[2:]) + 1:02}"
            board.side(one, other, dice.choice(BARRIERS))

    sources = [f"{line}{place:02}" for line in range(16, 27) for place in range(1, 21)]
    table = NewTable()(edit, rules={"axis_sources": sources, "soviet_sources": ["1601"]})
    land = [label for label in corner if table.board.facts[table.hex(label)].terrain != "sea"]
    homes = {"axis": dice.sample(land, 8), "soviet": dice.sample(land, 8)}
    for side, kinds in (("axis", AXIS_KINDS), ("soviet", SOVIET_KINDS)):
        for _ in range(12):
            at = dice.choice(homes[side])
            if any(table.view.side(unit) != side for unit in table.position.at(table.hex(at))):
                continue
            marks = {dice.choice([OUT_OF_SUPPLY, LACK_OF_SUPPLY]): 1} if dice.random() < 0.2 else {}
            table.place(dice.choice(kinds), at, **marks)
    table.place("ger_panzer_corps", "2618")  # far off, so that there is always somebody to ask
    table.place("sov_infantry_army", "1601")
    table.begin(dice.choice([1, 9, 12, 13]), dice.choice([AXIS_MOVES, SOVIET_MOVES, PANZERS_MOVE]))
    return table


def walk_at_random(table: Table, name: str, dice: random.Random) -> Order | None:
    """Follow offered picks in any order until the draft is complete and the walk is tired of it."""
    picks: Picks = (OptionPick(name),)
    for _ in range(30):
        offered = options(table.view, picks)
        if offered.complete and (not offered.picks or dice.random() < 0.4):
            return compose(ORDERS[name], picks[1:])
        assert offered.picks, f"a dead end: {picks}"
        picks = (*picks, dice.choice(offered.picks))
    return None


@pytest.mark.rule(GAME, "3.0b", "5.15")
@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_every_offered_walk_is_accepted(seed: int) -> None:
    dice, table = random.Random(seed), random_table(seed)
    for _ in range(6):
        names = [door.pick.option for door in options(table.view).doors if door.is_open and isinstance(door.pick, OptionPick)]
        names = [name for name in names if name in ORDERS]
        order = walk_at_random(table, dice.choice(names), dice) if names else None
        if order is None:
            return
        assert refusal(table.view, order) is None
        try:
            decided = decide(table.view, table.view.side_to_act(), order, StopDice())
        except NeedsDice:
            continue
        table.view = type(table.view)(table.setting, decided.position, derived=decided.derived)


@pytest.mark.rule(GAME, "3.0b", "5.31")
@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_what_is_not_offered_is_refused_with_a_rule(seed: int) -> None:
    dice, table = random.Random(seed), random_table(seed)
    units = sorted(table.position.units)
    for _ in range(40):
        unit, there = UnitId(dice.choice(units)), Hex(dice.randrange(table.board.size))
        near = table.board.adjacent[table.unit(unit).place] if table.unit(unit).place >= 0 else (there,)
        there = dice.choice([*near, there])
        for order in (Move((unit,), (there,)), Strategic((unit,), (there,)), Overrun((unit,), there)):
            name = next(name for name, cls in ORDERS.items() if isinstance(order, cls))
            by_doors = UnitPick(unit) in options(table.view, (OptionPick(name),)).picks
            by_doors = by_doors and HexPick(there) in options(table.view, (OptionPick(name), UnitPick(unit))).picks
            why = refusal(table.view, order)
            assert (why is None) is by_doors
            if why is not None:
                assert why.rule
                assert str(why)


@pytest.mark.rule(GAME, "5.13", "5.64a")
@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_every_way_shown_is_accepted_at_its_cost_and_every_walk_ends_in_one(seed: int) -> None:
    dice, table = random.Random(seed), random_table(seed)
    for name, cls in (("move", Move), ("strategic", Strategic)):
        reach = table.setting.ruleset.orders[name].reach
        assert reach is not None
        if not any(door.is_open and door.pick == OptionPick(name) for door in options(table.view).doors):
            continue
        for _ in range(3):
            order = walk_at_random(table, name, dice)
            if not isinstance(order, Move | Strategic):
                continue
            ways = {way.hex: way for way in reach(table.view, cls(units=order.units))}
            goal, start = order.path[-1], table.unit(order.units[0]).place
            assert goal in ways or goal == start
            for way in dice.sample(list(ways.values()), min(8, len(ways))):
                assert refusal(table.view, cls(units=order.units, path=way.path)) is None
            if goal in ways:
                manner = movement.MANNER if name == "move" else strategic.MANNER
                assert ways[goal].cost_quarters <= dearest(table, order, manner)


def dearest(table: Table, order: Move | Strategic, manner: Manner) -> int:
    """Return what the dearest unit of a stack pays for a path."""
    found = marching.walked(table.view, order.units, order.path, manner)
    assert isinstance(found, Walk), found
    return max(found.spent)


@settings(max_examples=30)
@given(st.integers(0, 10**6))
def test_dropping_what_is_derived_changes_no_option(seed: int) -> None:
    dice, table = random.Random(seed), random_table(seed)
    for name in ORDERS:
        if any(door.is_open and door.pick == OptionPick(name) for door in options(table.view).doors):
            order = walk_at_random(table, name, dice)
            if order is not None and name != "overrun":
                table.order(order)
                break
    for name in ORDERS:
        kept = options(table.view, (OptionPick(name),)).picks
        table.view.derived.clear()
        assert options(table.view, (OptionPick(name),)).picks == kept
