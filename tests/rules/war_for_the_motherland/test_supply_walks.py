from __future__ import annotations

import random
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from core.bots import random_bot
from core.events import Moved
from core.options import refusal
from core.rulesets.war_for_the_motherland import supply
from core.rulesets.war_for_the_motherland.air import PlaceFleets
from core.rulesets.war_for_the_motherland.partisans import DeployPartisans
from core.rulesets.war_for_the_motherland.supply_phase import ExpendDepots
from core.trials.table import PlainBoard, Table
from core.units import UnitId
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.lines_of_supply import (
    AIRBASE,
    ARMY,
    CORPS,
    DEPOT,
    FACTORY,
    FLEET,
    FRONT,
    KG,
    PARTISAN,
    RUMANIAN_HQ,
    RUMANIANS,
    lay,
    row,
)
from tests.rules.war_for_the_motherland.phase_one import phase_one

AXIS_KINDS, SOVIET_KINDS = (CORPS, KG, DEPOT, AIRBASE, RUMANIANS, RUMANIAN_HQ), (ARMY, FRONT, FACTORY)
LABELS = [label for line in range(16, 22) for label in row(line, 1, 10)]


def land(plain: PlainBoard) -> None:
    plain.rail(*row(20, 1, 20))
    plain.rail(*row(18, 1, 20))
    for label in plain.facts:
        plain.hex(label, country="soviet")
    for label in row(17, 3, 6):
        plain.hex(label, terrain="swamp")
    for label in row(19, 3, 6):
        plain.side(label, label.replace("19", "20", 1), "major_river")


def random_table(seed: int) -> Table:
    """Return a table with units of both sides on part of the board, one side a hex."""
    rng = random.Random(seed)
    table = lay(NewTable(), rng.choice([7, 9, 13]), land, axis=["2001", "2601"], soviet=["1801", "1620"])
    for label in rng.sample(LABELS, 25):
        for _ in range(rng.choice([1, 1, 2])):
            table.place(rng.choice(AXIS_KINDS if int(label[2:]) % 3 else SOVIET_KINDS), label, name=str(rng.randint(1, 3)))
    for name in ("1", "2", "3"):
        table.place(FLEET, "fleets", name=name)
    for at in rng.sample(LABELS, 2):
        table.happen(Moved((table.place(PARTISAN, "arrivals"),), (table.hex(at),)))
    table.place(PARTISAN, "arrivals")
    return table


@settings(max_examples=40)
@given(st.integers(0, 10_000))
def test_every_walk_that_is_offered_is_accepted(seed: int) -> None:
    table, rng = random_table(seed), random.Random(seed)
    phase_one(table, table.position.turn, steps=(ExpendDepots(), PlaceFleets(), DeployPartisans()))
    for _ in range(12):
        if len(table.position.frames) == 1:
            break
        order = random_bot.choose(table.view, rng)
        assert refusal(table.view, order) is None
        table.order(order)


@settings(max_examples=40)
@given(st.integers(0, 10_000))
def test_a_unit_traces_exactly_from_the_hexes_that_supply_its_kind(seed: int) -> None:
    table = random_table(seed)
    for unit in supply.judged(table.view):
        kind, here = table.view.type(unit), table.unit(unit).place
        if kind.kind != "headquarters" and not supply.needs_no_line(kind):
            assert supply.can_trace(table.view, unit) == (here in supply.supplied_from(table.view, supply.user_of(kind)))


@settings(max_examples=40)
@given(st.integers(0, 10_000))
def test_a_line_that_is_shown_keeps_every_rule(seed: int) -> None:
    table = random_table(seed)
    for user in supply.USERS:
        side = supply.side_of(user)
        found, closed = supply.network(table.view, user), supply.blocked(table.view, side)
        for here in supply.supplied_from(table.view, user):
            path = found.field.path(here)
            assert path[-1] in found.givers
            assert not any(there in closed for there in path[1:])
            assert not any(table.board.side_has(a, b, "major_river") for a, b in pairwise(path))


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_a_judgement_does_not_hang_on_what_was_cached(seed: int) -> None:
    table = random_table(seed)
    judged = {unit: supply.judge(table.view, unit) for unit in supply.judged(table.view)}
    moved: UnitId = next(iter(judged))
    table.happen(Moved((moved,), (table.hex("2610"),)))
    kept = {unit: supply.judge(table.view, unit) for unit in judged}
    table.view.derived.clear()
    assert kept == {unit: supply.judge(table.view, unit) for unit in judged}
