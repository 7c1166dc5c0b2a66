from __future__ import annotations

import random
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from core.bots import random_bot
from core.events import Event, Marked, MarksCleared, Moved, PlaceMarked, Removed, StepsChanged
from core.options import refusal
from core.rulesets.war_for_the_motherland import posts, supply, zoc
from core.rulesets.war_for_the_motherland.air import PlaceFleets
from core.rulesets.war_for_the_motherland.partisans import DeployPartisans
from core.rulesets.war_for_the_motherland.supply_phase import ExpendDepots
from core.trials.table import PlainBoard, Table
from core.units import UnitId
from core.views import View
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
KINDS: tuple[posts.Kind, ...] = ("supply_depot", "headquarters", "partisan")
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


def random_event(table: Table, rng: random.Random) -> Event:
    unit = rng.choice([unit.id for unit in table.position.on_map()])
    there = table.hex(rng.choice([*LABELS, "2001"]))
    happens: list[Event] = [Moved((unit,), (there,))] * 4
    happens += [StepsChanged(unit, rng.choice([1, table.unit(unit).steps])), Removed(unit, "lost"), Marked((unit,), "moved")]
    return rng.choice([*happens, PlaceMarked((there,), "destroyed"), MarksCleared(("moved",))])


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_supply_after_any_events_is_that_traced_from_nothing(seed: int) -> None:
    table, rng = random_table(seed), random.Random(seed)
    for _ in range(12):
        table.happen(*(random_event(table, rng) for _ in range(rng.choice([1, 1, 3]))))
        if rng.random() < 0.2:
            continue   # nobody asks, and more has happened at the next time
        fresh = View(table.view.setting, table.position)
        for side in table.view.setting.sides:
            known, anew = (zoc.ground(view, side) for view in (table.view, fresh))
            assert (known.stacks, known.standing, known.counts) == (anew.stacks, anew.standing, anew.counts)
            assert supply.blocked(table.view, side) == supply.blocked(fresh, side)
            assert all(posts.of_kind(table.view, side, kind) == posts.of_kind(fresh, side, kind) for kind in KINDS)
        for user in supply.USERS:
            mended, traced = (supply.network(view, user) for view in (table.view, fresh))
            assert (mended.givers, dict(mended.links), mended.field.halves) == (traced.givers, dict(traced.links), traced.field.halves)
            assert all(mended.field.path(here) == traced.field.path(here) for here in traced.field.halves)
            assert supply.supplied_from(table.view, user) == supply.supplied_from(fresh, user)


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_a_judgement_does_not_hang_on_what_was_cached(seed: int) -> None:
    table = random_table(seed)
    judged = {unit: supply.judge(table.view, unit) for unit in supply.judged(table.view)}
    moved: UnitId = next(iter(judged))
    table.happen(Moved((moved,), (table.hex("2610"),)))
    kept = {unit: supply.judge(table.view, unit) for unit in judged}
    assert supply.judge_all(table.view, judged) == kept
    table.view.derived.clear()
    assert kept == {unit: supply.judge(table.view, unit) for unit in judged}
