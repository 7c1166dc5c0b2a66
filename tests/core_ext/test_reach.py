from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core_ext.grid import FORBIDDEN, UNREACHED
from core_ext.reach import Field, MoveCosts, Policy, meet, reach
from tests.core_ext import twins
from tests.core_ext.boards import EAST, NORTH_EAST, NORTH_WEST, SOUTH_EAST, SOUTH_WEST, WEST, Rows, grids, randoms, ring

BOARD = Rows(16, 9, 5, 11)
MP = 4


def clear(board: Rows = BOARD, *dearer: tuple[int, int]) -> MoveCosts:
    """1 MP everywhere, but that of each (label, MP) in *dearer* for entering there."""
    costs = board.by_side(MP)
    for label, points in dearer:
        for other in ring(label):
            costs[board.side(other, label)] = points * MP
    return MoveCosts(board.grid, costs.reshape(1, -1))


def beside_an_army(*dearer: tuple[int, int], panzer: bool = False) -> Field:
    """An enemy army in 2010 and its zone, as 4.26, 4.27 and 5.43 have it."""
    zone = BOARD.marked(*ring(2010))
    return Field(
        clear(BOARD, *dearer),
        Policy(
            closed=BOARD.marked(2010),
            zone=zone,
            leave_extra=zone.astype(np.int16) * 3 * MP,
            zone_to_zone=0 if panzer else FORBIDDEN,
        ),
    )


def cost(field: Field, start: int, goal: int, budget: int, *, free: bool = False) -> float | None:
    """Return the MP that it costs to go, or None if the unit cannot."""
    quarters = int(reach(field, BOARD[start], budget=budget * MP, one_free_hex=free).costs[BOARD[goal]])
    return None if quarters == UNREACHED else quarters / MP


def test_from_zone_to_zone_only_panzers_go():
    # War for the Motherland 4.26b, 5.43 (M-024)
    assert cost(beside_an_army(), 1910, 1909, 4) is None
    assert cost(beside_an_army(panzer=True), 1910, 1909, 7) == 4


def test_a_panzer_kampfgruppe_does_it_twice_and_a_corps_once():
    # War for the Motherland 5.44 (M-025 to M-027)
    panzers = beside_an_army(panzer=True)
    assert cost(panzers, 1910, 1909, 8) == 4
    assert cost(panzers, 1909, 2009, 8 - 4) == 4
    assert cost(panzers, 1909, 2009, 7 - 4) is None
    assert cost(panzers, 2009, 2109, 9 - 8) is None


def test_in_and_out_of_a_zone_costs_three_more():
    # War for the Motherland 4.27b, 5.42 (M-028)
    assert cost(beside_an_army(), 1811, 1910, 5) == 1
    assert cost(beside_an_army(), 1910, 1810, 5 - 1) == 4
    assert cost(beside_an_army(), 1910, 1810, 4 - 1) is None


def test_a_unit_that_entered_a_zone_does_not_go_on_in_it():
    # War for the Motherland 4.26a (M-029)
    assert cost(beside_an_army(), 1910, 1909, 5 - 1) is None


def test_a_way_round_the_zone_is_found_before_one_through_it():
    # War for the Motherland 4.26a, 4.27a
    found = reach(beside_an_army(), BOARD[1811], budget=9 * MP)
    assert BOARD.names(found.path(BOARD[1908])) == [1811, 1810, 1809, 1908]


def test_one_hex_at_any_rate_and_then_no_further():
    # War for the Motherland 5.24a (M-042)
    field = beside_an_army((1810, 2))
    found = reach(field, BOARD[1910], budget=4 * MP, one_free_hex=True)
    assert cost(field, 1910, 1810, 4) is None
    assert found.is_free(BOARD[1810])
    assert found.path(BOARD[1810]) == [BOARD[1910], BOARD[1810]]
    assert found.costs[BOARD[1810]] == 4 * MP
    assert not found.is_free(BOARD[1811])                                              # in reach without it: 3 + 1
    assert not found.reaches(BOARD[1710])


def test_the_one_hex_breaks_no_other_ban():
    # War for the Motherland 5.24b (M-043)
    assert cost(beside_an_army(), 1910, 1909, 2, free=True) is None                     # zone to zone
    assert cost(beside_an_army(), 1910, 2010, 2, free=True) is None                     # the enemy himself
    assert cost(beside_an_army(), 1910, 1911, 0) is None                                # M-049: MP 0 may not ask for it


@pytest.mark.parametrize("points", [3, 2])
def test_an_army_of_three_or_two_points_leaves_a_zone_by_one_hex(points):
    # War for the Motherland 5.24a, 5.24c (M-044, M-045)
    found = reach(beside_an_army(), BOARD[1910], budget=points * MP, one_free_hex=True)
    assert BOARD.names(found.hexes) == [1810, 1811, 1910, 1911]


def test_who_did_not_begin_in_the_zone_has_no_free_hex():
    # War for the Motherland 5.24a (M-046)
    assert cost(beside_an_army(), 1910, 1810, 2) is None


def test_a_halved_panzer_needs_its_free_hex_only_where_points_are_short():
    # War for the Motherland 5.24d, 5.43 (M-047, M-048)
    panzers = beside_an_army((1810, 2), (1909, 2), panzer=True)
    assert cost(panzers, 1910, 1810, 4, free=True) == 4
    assert cost(panzers, 1910, 1810, 4) is None
    assert cost(panzers, 1910, 1811, 4) == 4
    assert cost(panzers, 1910, 1909, 4, free=True) == 4


def test_a_hex_that_stops_is_entered_and_not_left_unless_it_is_the_start():
    field = Field(clear(), Policy(stop=BOARD.marked(*ring(2010))))
    assert cost(field, 2012, 2011, 6) == 1
    assert cost(field, 2012, 2010, 6) is None
    assert cost(field, 2011, 2010, 6) == 1


def test_a_mode_may_go_on_where_another_stops():
    off_road, by_road = np.array([1, 0], np.uint8)[:, None] * BOARD.marked(*ring(2010)), np.array([0, 1], np.uint8)[:, None]
    costs = MoveCosts(BOARD.grid, np.stack([BOARD.by_side(MP), BOARD.by_side(MP)]), np.array([[0, -1], [-1, 0]], np.int8))
    field = Field(costs, Policy(stop=off_road))
    assert not reach(field, BOARD[2012], budget=6 * MP, start_mode=0).reaches(BOARD[2010])
    assert reach(field, BOARD[2012], budget=6 * MP, start_mode=1).reaches(BOARD[2010])
    banned = Field(costs, Policy(zone=by_road * np.ones(BOARD.grid.size, np.uint8), zone_to_zone=[FORBIDDEN, FORBIDDEN]))
    assert reach(banned, BOARD[2012], budget=6 * MP, start_mode=0).reaches(BOARD[2010])
    assert reach(banned, BOARD[2012], budget=6 * MP, start_mode=1).hexes == [BOARD[2012]]


def test_going_from_zone_to_zone_may_cost_each_mode_its_own():
    costs = MoveCosts(BOARD.grid, np.stack([BOARD.by_side(MP), BOARD.by_side(MP)]), np.array([[0, -1], [-1, 0]], np.int8))
    field = Field(costs, Policy(zone=np.ones(BOARD.grid.size, np.uint8), zone_to_zone=[MP, 2 * MP]))
    found = [reach(field, BOARD[2010], budget=9 * MP, start_mode=mode).costs[BOARD[2009]] for mode in range(2)]
    assert found == [2 * MP, 3 * MP]


def test_entering_may_cost_more_than_leaving():
    extra = BOARD.marked(2009).astype(np.int16) * MP                                    # 10.34a of the East Front Series
    field = Field(clear(), Policy(enter_extra=extra))
    assert cost(field, 2010, 2009, 6) == 2
    assert cost(field, 2009, 2010, 6) == 1


def test_of_equal_ways_the_lowest_hexes_are_taken():
    found = reach(Field(clear()), BOARD[2010], budget=4 * MP)
    assert BOARD.names(found.path(BOARD[1808])) == [2010, 1909, 1809, 1808]
    assert BOARD.names(found.path(BOARD[2211])) == [2010, 2110, 2211]
    assert BOARD.names(found.path(BOARD[1908])) == [2010, 1909, 1908]                   # not by 2009


OFF_ROAD, MAIN, MINOR = range(3)
SIDES = {"A": NORTH_EAST, "B": EAST, "C": SOUTH_EAST, "D": SOUTH_WEST, "E": WEST, "F": NORTH_WEST}


def crossroads(hills: int) -> tuple[Rows, MoveCosts, dict[str, int]]:
    """The hex of 10.43a: hills and woods, a main road C to F, a minor one to D, rivers at A and B; A, B and E are clear."""
    board = Rows(19, 3, 9, 3)
    middle, ring_ = board[2010], {letter: int(board.grid.neighbours[6 * board[2010] + side]) for letter, side in SIDES.items()}
    by_side = np.full((3, 6 * board.grid.size), FORBIDDEN, np.int16)
    for letter, side in SIDES.items():
        out, back = 6 * middle + side, 6 * ring_[letter] + (side + 3) % 6
        by_side[OFF_ROAD, out], by_side[OFF_ROAD, back] = MP, hills
        if letter in "AB":
            by_side[OFF_ROAD, [out, back]] += MP
        if letter in "CF":
            by_side[MAIN, [out, back]] = MP // 2
        if letter == "D":
            by_side[MINOR, [out, back]] = MP
    changes = np.array([[0, 0, 0], [1, 0, 2], [3, 0, 0]], np.int8)
    surcharges = np.zeros((3, board.grid.size), np.int16)
    surcharges[:, middle] = hills - MP // 2, MP - MP // 2, hills - MP
    return board, MoveCosts(board.grid, by_side, changes, surcharges), ring_


AXIS, SOVIET = 4 * MP, 3 * MP


@pytest.mark.parametrize(
    ("hills", "way", "points"),
    [
        (AXIS, "C", 0.5), (AXIS, "F", 0.5), (AXIS, "D", 1),
        (AXIS, "CF", 1), (AXIS, "DC", 1.5), (AXIS, "DF", 1.5), (AXIS, "CD", 2), (AXIS, "FD", 2),
        (SOVIET, "CE", 4), (AXIS, "CE", 5), (SOVIET, "DE", 4), (AXIS, "DE", 5), (AXIS, "CA", 6),
    ],
)
def test_a_road_left_is_paid_for_afterwards(hills, way, points):
    # East Front Series 10.43a.3, 10.43a.4, 10.43a.5
    board, costs, ring_ = crossroads(hills)
    goal = ring_[way[1]] if len(way) > 1 else board[2010]
    found = reach(Field(costs), ring_[way[0]], budget=8 * MP)
    assert found.costs[goal] == points * MP
    short = reach(Field(costs), ring_[way[0]], budget=int(points * MP) - 1)
    assert not short.reaches(goal)


START, MOVED, CROSSED = range(3)


def over_a_strait(budget: int, *, spent: int = 0) -> list[int]:
    """Reach from 2010 over a hexside to 2009 that only a unit at its start crosses, spending everything."""
    by_side = np.stack([BOARD.by_side(FORBIDDEN), BOARD.by_side(MP), BOARD.by_side(FORBIDDEN)])
    for label, other in ((2010, 2009), (2009, 2010), (1909, 2009), (2109, 2009)):
        by_side[MOVED, BOARD.side(label, other)] = FORBIDDEN
    by_side[CROSSED, [BOARD.side(2010, 2009), BOARD.side(2009, 2010)]] = 1
    changes = np.array([[-1, 0, 0], [-1, 0, -1], [-1, -1, -1]], np.int8)
    field = Field(MoveCosts(BOARD.grid, by_side, changes))
    found = reach(field, BOARD[2010], budget=(budget - spent) * MP, start_mode=MOVED if spent else START)
    return BOARD.names(found.hexes)


def test_a_strait_is_crossed_first_or_not_at_all():
    # East Front Series 10.45c.2; Land Without End 9.16
    assert 2009 in over_a_strait(2)
    assert 2008 not in over_a_strait(2)
    assert 2009 not in over_a_strait(3, spent=1)


ROAD, FIELD = range(2)


def on_the_road(factor: int, *, bonus: int) -> list[int]:
    """Reach from 2005 along a road through line 20, in country that costs 2 MP; who keeps to it goes *bonus* hexes more."""
    by_side = np.stack([BOARD.by_side(FORBIDDEN), BOARD.by_side(2 * MP)])
    for position in range(5, 15):
        by_side[:, [BOARD.side(2000 + position, 2001 + position), BOARD.side(2001 + position, 2000 + position)]] = MP
    changes = np.array([[0, 0], [-1, 0]], np.int8)
    field = Field(MoveCosts(BOARD.grid, by_side, changes))
    found = reach(field, BOARD[2005], budget=[(factor + bonus) * MP, factor * MP], start_mode=ROAD)
    return BOARD.names(found.hexes)


def test_who_keeps_to_the_road_goes_further():
    # Land Without End 9.19a, 9.19d
    assert 2011 in on_the_road(5, bonus=1)
    assert 2012 not in on_the_road(5, bonus=1)
    assert 2011 not in on_the_road(5, bonus=0)
    assert 1908 in on_the_road(5, bonus=1)      # three hexes of road, then 2 MP beside it
    assert 1909 not in on_the_road(5, bonus=1)  # the bonus is no point for the field


def test_a_stack_goes_where_all_go_and_says_whom_it_would_leave():
    both = [reach(Field(clear()), BOARD[2010], budget=points * MP) for points in (3, 1)]
    together = meet(both)
    assert BOARD.names(together.hexes) == sorted([2010, *ring(2010)])
    assert together.dropped(BOARD[2008]) == (1,)
    assert together.dropped(BOARD[2009]) == ()
    assert together.costs[BOARD[2008]] == UNREACHED


def some(random: np.random.Generator, share: float, shape: int | tuple[int, ...]) -> np.ndarray | None:
    """Return a random mask, or None."""
    return None if random.random() < 0.3 else (random.random(shape) < share).astype(np.uint8) * np.uint8(random.integers(1, 255))


def some_costs(random: np.random.Generator, shape: tuple[int, ...], least: int, most: int, closed: float) -> np.ndarray:
    costs = random.integers(least, most, shape).astype(np.int16)
    costs[random.random(shape) < closed] = FORBIDDEN + int(random.integers(0, 2)) * 1000
    return costs


def problem(grid, random: np.random.Generator, modes: int) -> tuple[MoveCosts, Policy]:
    rows = int(random.integers(0, 3))
    changes = random.integers(-1, rows + 1, (modes, modes)).astype(np.int8)
    costs = MoveCosts(
        grid,
        some_costs(random, (modes, 6 * grid.size), 1, 13, 0.1),
        changes,
        some_costs(random, (rows, grid.size), 0, 9, 0.1) if rows else np.zeros((0, 0), np.int16),
    )
    shape = (modes, grid.size) if random.random() < 0.5 else (grid.size,)
    zone_to_zone = [int(each) for each in random.choice([0, 5, FORBIDDEN], modes)]
    extra = [None if random.random() < 0.5 else some_costs(random, (grid.size,), 0, 9, 0.05) for _ in range(2)]
    policy = Policy(
        closed=some(random, 0.1, grid.size),
        stop=some(random, 0.2, shape),
        zone=some(random, 0.5, shape),
        enter_extra=extra[0],
        leave_extra=extra[1],
        zone_to_zone=zone_to_zone if len(shape) == 2 else zone_to_zone[0],
    )
    return costs, policy


@given(grid=grids(), random=randoms(), modes=st.integers(1, 8), free=st.booleans())
def test_reach_equals_its_twin(grid, random, modes, free):
    costs, policy = problem(grid, random, modes)
    start = (int(random.integers(grid.size)), int(random.integers(modes)))
    budgets = [int(each) for each in random.integers(0, 60, modes)]
    found = reach(Field(costs, policy), start[0], budget=budgets, start_mode=start[1], one_free_hex=free)
    best, before, sides = twins.reach(costs, policy, start, budgets=budgets, one_free_hex=free)
    shift = (modes - 1).bit_length()
    nodes = {(node >> shift, node & ((1 << shift) - 1)): node for node in map(int, np.flatnonzero(found.nodes[0] != UNREACHED))}
    assert {node: int(found.nodes[0, place]) for node, place in nodes.items()} == best
    back = {place: node for node, place in nodes.items()} | {-1: None}
    assert {node: back[int(found.nodes[1, place])] for node, place in nodes.items()} == before
    assert {side for side in range(6) if found.free_sides >> side & 1} == sides
    hexes = sorted({hex_ for hex_, _ in best})
    assert found.hexes == hexes
    for hex_ in hexes:
        least = min((each for node, each in best.items() if node[0] == hex_))
        assert found.costs[hex_] == least
        assert found.mode(hex_) == min(mode for mode in range(modes) if best.get((hex_, mode)) == least)
        assert found.path(hex_)[0] == start[0]
        assert found.path(hex_)[-1] == hex_


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: reach(Field(clear()), 99, budget=4), "start: expected a hex from 0 to 98, got 99"),
        (lambda: reach(Field(clear()), 0, budget=-1), "budget: expected 1 from 0 to 16382"),
        (lambda: reach(Field(clear()), 0, budget=[4, 4]), "budget: expected 1"),
        (lambda: reach(Field(clear()), 0, budget=FORBIDDEN), "budget"),
        (lambda: reach(Field(clear()), 0, budget=4, start_mode=1), "start_mode: expected 0 to 0, got 1"),
        (lambda: reach(Field(clear()), 0, budget=4).path(98), "hex: 98 is not reached"),
        (lambda: reach(Field(clear()), 0, budget=4).path(99), "hex: expected a hex from 0 to 98"),
        (lambda: MoveCosts(BOARD.grid, BOARD.by_side(0).reshape(1, -1)), "by_side: expected costs of 1 or more, got 0 at index 0"),
        (lambda: MoveCosts(BOARD.grid, np.tile(BOARD.by_side(4), (9, 1))), "1 to 8 modes, got 9"),
        (lambda: MoveCosts(BOARD.grid, np.tile(BOARD.by_side(4), (2, 1))), r"changes: expected int8\[2, 2\]"),
        (lambda: MoveCosts(BOARD.grid, BOARD.by_side(4).reshape(1, -1), np.ones((1, 1), np.int8)), "changes: expected -1 to 0"),
        (lambda: Field(clear(), Policy(stop=np.zeros(3, np.uint8))), r"stop: expected uint8\[99\], got uint8\[3\]"),
        (lambda: Field(clear(), Policy(stop=np.zeros((2, 99), np.uint8))), r"stop: expected uint8\[1, 99\], got uint8\[2, 99\]"),
        (lambda: Field(clear(), Policy(zone_to_zone=-1)), "zone_to_zone: expected 1 from 0 to 16383"),
        (lambda: Field(clear(), Policy(zone_to_zone=[1, 2])), "zone_to_zone: expected 1 from"),
        (lambda: reach(Field(clear()), 0, budget=2**40), "budget"),
        (lambda: reach(Field(clear()), -1, budget=4), "start: expected a hex"),
        (lambda: Field(clear(), Policy(leave_extra=np.full(99, -1, np.int16))), "leave_extra: expected costs of 0 or more"),
        (lambda: meet([]), "at least one"),
        (lambda: meet([reach(Field(clear(each)), 0, budget=4) for each in (BOARD, Rows(16, 9, 5, 11))]), "one grid"),
    ],
)
def test_what_does_not_fit_is_named(wrong, says):
    with pytest.raises(ValueError, match=says):
        wrong()
