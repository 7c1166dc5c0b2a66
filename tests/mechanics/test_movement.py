"""Moving stacks over hexes: the kernel's search and the search for mixed stacks tell the same."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.board import Board, Hex
from core.mechanics import movement
from core.mechanics.movement import CLOSED, Field, Halt, Mover, Trail, Walk
from core.trials.table import PlainBoard
from tests.packs import PLAIN

BOARD: Board = PlainBoard(PLAIN, (1, 5), (1, 5)).build(())
NOWHERE = np.zeros(BOARD.size, np.bool_)

costs = st.lists(st.sampled_from([4, 4, 4, 8, 12, 16, CLOSED]), min_size=6 * BOARD.size, max_size=6 * BOARD.size)
hexes = st.sets(st.integers(0, BOARD.size - 1), max_size=8)
starts = st.integers(0, BOARD.size - 1).map(Hex)


def mask(some: set[int]) -> movement.Hexes:
    found = NOWHERE.copy()
    found[list(some)] = True
    return found


@st.composite
def fields(draw: st.DrawFn) -> Field:
    ground = np.array(draw(costs), np.int16)
    zone = mask(draw(hexes))
    return movement.field(BOARD, ground, closed=mask(draw(hexes)), zone=zone, leaving=12, zone_to_zone=draw(st.booleans()))


@settings(max_examples=150)
@given(costs, hexes, hexes, st.booleans(), st.integers(0, 20))
def test_enemies_close_and_lengthen_the_steps_that_they_touch(
    ground: list[int], closed: set[int], zone: set[int], free: bool, more: int
) -> None:
    field = movement.field(BOARD, np.array(ground, np.int16), closed=mask(closed), zone=mask(zone), leaving=more, zone_to_zone=free)
    for step, there in enumerate(BOARD.neighbours.tolist()):
        here = step // 6
        shut = there < 0 or there in closed or (here in zone and there in zone and not free)
        assert field.steps[step] == (CLOSED if shut else min(CLOSED, ground[step] + (more if here in zone else 0)))


@st.composite
def movers(draw: st.DrawFn) -> Mover:
    return Mover(draw(fields()), draw(st.integers(0, 28)), draw(st.booleans()))


@settings(max_examples=150)
@given(movers(), starts)
def test_both_searches_find_the_same_for_a_stack_of_one_kind(mover: Mover, start: Hex) -> None:
    assert movement.trails([mover, mover], start).keys() == movement._search_together([mover], start).keys()
    for here, trail in movement._search_together([mover], start).items():
        assert movement.trails([mover], start)[here].cost == trail.cost


def every_path(some: list[Mover], start: Hex, path: tuple[Hex, ...] = ()) -> dict[Hex, int]:
    """Try every path that the stack can go, for its least cost to each hex."""
    found: dict[Hex, int] = {}
    for there in BOARD.adjacent[path[-1] if path else start]:
        walked = movement.walk(some, start, (*path, there))
        if isinstance(walked, Halt):
            continue
        ends = {there: max(walked.spent)} if any(walked.free) else every_path(some, start, (*path, there))
        for goal, cost in {there: max(walked.spent), **ends}.items():
            found[goal] = min(found.get(goal, cost), cost)
        found[there] = min(found[there], max(walked.spent))
    return found


@settings(max_examples=80)
@given(st.lists(movers(), min_size=1, max_size=3), starts)
def test_a_stack_reaches_what_some_path_leads_it_to(some: list[Mover], start: Hex) -> None:
    some = [Mover(one.field, min(one.budget, 16), one.free_hex) for one in some]
    expected = every_path(some, start)
    expected.pop(start, None)
    found = movement.trails(some, start)
    assert {here: trail.cost for here, trail in found.items()} == expected


@settings(max_examples=80)
@given(st.lists(movers(), min_size=1, max_size=3), starts)
def test_every_trail_can_be_walked_for_its_cost(some: list[Mover], start: Hex) -> None:
    assert movement.can_step(some, start) is bool(movement.trails(some, start))
    for here, trail in movement.trails(some, start).items():
        walked = movement.walk(some, start, trail.path)
        assert isinstance(walked, Walk)
        assert (trail.path[-1], max(walked.spent)) == (here, trail.cost)


@settings(max_examples=80)
@given(st.lists(movers(), min_size=1, max_size=3), starts, st.lists(st.integers(0, 5), min_size=2, max_size=6))
def test_a_way_can_be_walked_on_from_any_of_its_hexes(some: list[Mover], start: Hex, turns: list[int]) -> None:
    way = [start]
    for turn in turns:
        ring = BOARD.adjacent[way[-1]]
        way.append(ring[turn % len(ring)])
    so_far: Walk | Halt | None = None
    for number, (here, there) in enumerate(pairwise(way), 1):
        so_far = movement.walk(some, here, (there,), after=so_far)
        assert so_far == movement.walk(some, start, way[1 : number + 1])
        if isinstance(so_far, Halt):
            break


def plain(budget: int, *, zone: set[int] = frozenset(), free: bool = False, zone_to_zone: bool = False) -> Mover:  # type: ignore[assignment]
    ground = np.full(6 * BOARD.size, 4, np.int16)
    field = movement.field(BOARD, ground, closed=NOWHERE, zone=mask(set(zone)), leaving=12, zone_to_zone=zone_to_zone)
    return Mover(field, budget, free)


def path(*labels: str) -> tuple[Hex, ...]:
    return tuple(BOARD.hex(label) for label in labels)


@pytest.mark.parametrize(
    ("mover", "labels", "why"),
    [
        (plain(8), ("0302", "0304"), "apart"),
        (plain(4), ("0302", "0303"), "short"),
        (plain(99, zone={10, 11}), ("0302",), "closed"),
        (plain(0, free=True), ("0302", "0303"), "after_free_hex"),
        (plain(0), ("0302",), "short"),
    ],
)
def test_a_walk_says_where_and_why_it_halts(mover: Mover, labels: tuple[str, ...], why: str) -> None:
    assert (BOARD.hex("0301"), BOARD.hex("0302")) == (10, 11)
    halt = movement.walk([mover], BOARD.hex("0301"), path(*labels))
    assert isinstance(halt, Halt)
    assert halt.why == why
    steps = [(BOARD.hex("0301"), path(*labels)[0]), *pairwise(path(*labels))]
    assert (halt.here, halt.there) in steps


def test_of_equal_ways_the_one_by_the_lowest_hexes_is_taken() -> None:
    one = movement.trails([plain(8)], BOARD.hex("0303"))
    two = movement._search_together([plain(8)], BOARD.hex("0303"))
    assert one == two
    assert one[BOARD.hex("0301")] == Trail(8, path("0302", "0301"))


def test_leaving_a_zone_costs_more_and_panzers_go_on_in_it() -> None:
    zone = {int(BOARD.hex("0302")), int(BOARD.hex("0303"))}
    assert isinstance(movement.walk([plain(99, zone=zone)], BOARD.hex("0301"), path("0302", "0303")), Halt)
    walked = movement.walk([plain(99, zone=zone, zone_to_zone=True)], BOARD.hex("0301"), path("0302", "0303", "0304"))
    assert walked == Walk((4 + 16 + 16,), (False,))
