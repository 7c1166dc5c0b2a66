from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core_ext.grid import FORBIDDEN, UNLIMITED, UNREACHED
from core_ext.supply import MENDABLE, Cuts, Lines, chain, cuts, mend, trace
from tests.core_ext import twins
from tests.core_ext.boards import Rows, grids, randoms, ring

BOARD = Rows(16, 9, 5, 11)
HEX = 2   # half hexes


def lines(*railway: int, swamp: tuple[int, ...] = (), river: tuple[tuple[int, int], ...] = ()) -> Lines:
    """Costs as 9.41 to 9.46 have them, with a railway through the labels of one list."""
    costs = BOARD.by_side(HEX)
    for label in swamp:
        for other in ring(label):
            costs[BOARD.side(other, label)] = 2 * HEX
    for label, other in river:
        costs[[BOARD.side(label, other), BOARD.side(other, label)]] = FORBIDDEN
    for label, other in pairwise(railway):
        costs[[BOARD.side(label, other), BOARD.side(other, label)]] = 1
    return Lines(BOARD.grid, costs)


def far(found, label: int) -> float | None:
    distance = int(found.distances[BOARD[label]])
    return None if distance == UNREACHED else distance / HEX


def test_a_line_counts_the_source_and_not_its_own_hex():
    # War for the Motherland 9.41
    found = trace(lines(), [BOARD[2008]], limit=4 * HEX)
    assert far(found, 2012) == 4
    assert far(found, 2013) is None
    assert BOARD.names(found.path(BOARD[2012])) == [2012, 2011, 2010, 2009, 2008]


def test_railways_halve_and_swamps_double():
    # War for the Motherland 9.45, 9.46
    swamp = (2009, 1909, 2109)
    assert far(trace(lines(swamp=swamp), [BOARD[2008]], limit=9 * HEX), 2010) == 3      # into 2009 for 2, then 1
    rail = lines(2008, 2009, 2010, 2011, swamp=swamp)
    assert far(trace(rail, [BOARD[2008]], limit=9 * HEX), 2011) == 1.5


def test_a_line_is_directed_from_the_unit_to_the_source():
    only = lines(swamp=(2010,))
    assert far(trace(only, [BOARD[2009]]), 2010) == 1     # out of the swamp
    assert far(trace(only, [BOARD[2010]]), 2009) == 2     # into it


def test_a_line_may_start_in_an_enemy_zone_and_not_pass_one():
    # War for the Motherland 9.42
    wall = BOARD.marked(*(100 * line + 10 for line in range(16, 25)))
    found = trace(lines(), [BOARD[2008]], blocked=wall)
    assert far(found, 2010) == 2
    assert far(found, 2011) is None
    assert not trace(lines(), [BOARD[2008]], blocked=BOARD.marked(2008)).reaches(BOARD[2008])


def test_a_major_river_is_crossed_by_rail_alone():
    # War for the Motherland 9.43a
    river = tuple((label, other) for label in (2010,) for other in ring(2010))
    assert far(trace(lines(river=river), [BOARD[2008]]), 2010) is None
    assert far(trace(lines(2008, 2009, 2010, river=river), [BOARD[2008]]), 2010) == 1


def test_each_source_has_its_own_limit():
    found = trace(lines(), [BOARD[2008], BOARD[2012]], limit=[1 * HEX, 6 * HEX])
    assert far(found, 2009) == 3                       # the source that leaves most unused
    assert BOARD.names(found.path(BOARD[2006])) == [2006, 2007, 2008, 2009, 2010, 2011, 2012]
    found = trace(lines(), [BOARD[2008], BOARD[2012]], limit=[1 * HEX, 2 * HEX])
    assert (far(found, 2007), far(found, 2006)) == (1, None)


def test_legs_are_traces_one_after_the_other():
    railway = Lines(BOARD.grid, np.where(lines(2006, 2007, 2008, 2009).by_side == 1, 1, FORBIDDEN).astype(np.int16))
    net = trace(railway, [BOARD[2006]])
    country = trace(lines(), np.flatnonzero(net.distances != UNREACHED).astype(np.int32), limit=2 * HEX)
    assert far(country, 2011) == 2
    assert far(country, 2012) is None


def test_a_chain_of_depots_carries_supply_and_a_ring_does_not_feed_itself():
    # War for the Motherland 9.22
    depots = [BOARD[label] for label in (2009, 2013, 1613, 2413)]
    found = chain(lines(), [BOARD[2005]], depots[:2], limit=4 * HEX)
    assert found.rounds.tolist() == [1, 2]
    assert found.feeders.tolist() == [0, 1]
    assert found.distances.tolist() == [8, 8]
    assert BOARD.names(found.path(1)) == [2013, 2012, 2011, 2010, 2009]
    assert BOARD.names([int(each) for each in found.feeding]) == [2005, 2009, 2013]
    pair = chain(lines(), [BOARD[2005]], [BOARD[2013], BOARD[2012]], limit=4 * HEX)
    assert pair.rounds.tolist() == [0, 0]


def test_a_depot_in_a_blocked_hex_is_fed_and_feeds_nobody():
    found = chain(lines(), [BOARD[2005]], [BOARD[2009], BOARD[2013]], limit=4 * HEX, blocked=BOARD.marked(2009))
    assert found.rounds.tolist() == [1, 0]
    with pytest.raises(ValueError, match="link: 1 is not fed"):
        found.path(1)


def test_what_cuts_a_line_is_named():
    wall = BOARD.marked(*(100 * line + 10 for line in range(16, 25)))
    river = tuple((label, other) for label in (2014,) for other in ring(2014))
    net = lines(river=river)
    got = cuts(net, [BOARD[2008]], [BOARD[label] for label in (2009, 2012, 2014, 2015)],
               limit=6 * HEX, blocked=wall, closed_cost=HEX)
    assert got[0] is None
    assert (got[1].reason, BOARD.labels[got[1].hex]) == ("hex", 2010)
    assert (got[2].reason, BOARD.labels[got[2].hex], BOARD.labels[got[2].onward]) == ("hexside", 2014, 2013)
    assert (got[3].reason, got[3].distance / HEX) == ("range", 8)
    assert cuts(net, [], [3], limit=6 * HEX, closed_cost=HEX)[0].reason == "none"


@pytest.mark.parametrize(("stacks", "told"), [((2009,), ("hex", 2009)), ((2009, 2010), ("hexside", 2112))])
def test_of_several_ways_the_one_that_less_bars_is_named(stacks, told):
    net = lines(river=tuple((2112, other) for other in ring(2112)))
    wall = [label for label in (1908, 1909, 1910, 2108, 2109, 2110, 2111) if label in BOARD.labels]
    cut = Cuts(net, [BOARD[2008], BOARD[2112]], limit=6 * HEX, blocked=BOARD.marked(*wall, *stacks), closed_cost=HEX).cutting(BOARD[2011])
    assert cut.reason == told[0]
    assert told[1] in (BOARD.labels[cut.hex], BOARD.labels[cut.onward])


def some_lines(grid, random: np.random.Generator, dearest: int) -> Lines:
    costs = random.integers(1, dearest + 1, 6 * grid.size).astype(np.int16)
    costs[random.random(6 * grid.size) < 0.15] = FORBIDDEN
    return Lines(grid, costs)


@given(grid=grids(), random=randoms(), count=st.integers(0, 5), dearest=st.integers(1, 9), alike=st.booleans())
def test_trace_equals_its_twin(grid, random, count, dearest, alike):
    net = some_lines(grid, random, dearest)
    blocked = (random.random(grid.size) < 0.2).astype(np.uint8)
    sources = random.integers(0, grid.size, count).astype(np.int32)
    limits = [int(random.integers(0, 30))] * count if alike else [int(each) for each in random.integers(0, 30, count)]
    found = trace(net, sources, limit=limits, blocked=blocked)
    capped = [min(each, grid.size * net.dearest) for each in limits]   # no line is longer
    plain = twins.trace(grid, net.by_side, sources.tolist(), limits=capped, blocked=blocked)
    assert {hex_: (int(found.distances[hex_]), int(found.onward[hex_]), int(found.sources[hex_]))
            for hex_ in range(grid.size) if found.reaches(hex_)} == plain
    for hex_ in plain:
        path = found.path(hex_)
        assert sum(net.cost(here, grid.side(here, to)) for here, to in pairwise(path)) == plain[hex_][0]
        assert not any(blocked[each] for each in path[1:])


@given(grid=grids(), random=randoms(), count=st.integers(0, 9))
def test_chain_equals_its_twin(grid, random, count):
    net = some_lines(grid, random, 4)
    blocked = (random.random(grid.size) < 0.15).astype(np.uint8)
    sources = random.integers(0, grid.size, int(random.integers(0, 3))).astype(np.int32)
    links = random.integers(0, grid.size, count).astype(np.int32)
    limits = [int(each) for each in random.integers(0, 9, count)]
    found = chain(net, sources, links, limit=limits, blocked=blocked)
    assert found.rounds.tolist() == twins.chain(grid, net.by_side, sources.tolist(), links.tolist(), limits=limits, blocked=blocked)
    for link in range(count):
        feeder = int(found.feeders[link]) - len(sources)
        assert (feeder >= 0) == (found.rounds[link] > 1)
        if found.rounds[link] > 1:
            assert found.rounds[feeder] == found.rounds[link] - 1
        if found.rounds[link]:
            path = found.path(link)
            assert sum(net.cost(here, grid.side(here, to)) for here, to in pairwise(path)) == found.distances[link]
            assert found.distances[link] <= limits[link]


@given(grid=grids(), random=randoms())
def test_what_cuts_a_line_hangs_on_the_cost_of_closed_hexsides_that_is_asked_for(grid, random):
    net = some_lines(grid, random, 4)
    blocked, sources = (random.random(grid.size) < 0.3).astype(np.uint8), [int(random.integers(grid.size))]
    for cost in (2, 7, 2):
        found, anew = (
            cuts(one, sources, range(grid.size), limit=12, blocked=blocked, closed_cost=cost) for one in (net, Lines(grid, net.by_side))
        )
        assert found == anew


@given(grid=grids(), random=randoms())
def test_what_cuts_a_line_is_the_same_whether_other_hexes_were_blocked_before(grid, random):
    net = some_lines(grid, random, 4)
    sources, hexes = [int(random.integers(grid.size))], range(grid.size)
    before, now = ((random.random(grid.size) < 0.3).astype(np.uint8) for _ in range(2))
    found = Cuts(net, sources, limit=12, blocked=before, closed_cost=2)
    for hex_ in hexes:
        found.of(hex_)
    assert [found.barred(now).of(hex_) for hex_ in hexes] == cuts(net, sources, hexes, limit=12, blocked=now, closed_cost=2)
    assert [found.of(hex_) for hex_ in hexes] == cuts(net, sources, hexes, limit=12, blocked=before, closed_cost=2)


def test_lines_that_ignore_what_is_blocked_are_searched_once_whatever_is_blocked(monkeypatch):
    searched = []
    monkeypatch.setattr("core_ext.supply.trace", lambda *args, **kwargs: (searched.append(kwargs), trace(*args, **kwargs))[1])
    found = Cuts(lines(), [BOARD[2008]], limit=6 * HEX, closed_cost=HEX)
    for label in (2009, 2010):
        cut = found.barred(BOARD.marked(label)).cutting(BOARD[2012])
        assert (cut.reason, BOARD.labels[cut.hex]) == ("hex", label)
    assert searched == [{}]


@given(grid=grids(), random=randoms())
def test_mending_what_cuts_a_line_brings_it_back(grid, random):
    net = some_lines(grid, random, 4)
    blocked = (random.random(grid.size) < 0.3).astype(np.uint8)
    sources, limit = [int(random.integers(grid.size))], 12
    real = trace(net, sources, limit=limit, blocked=blocked)
    for hex_, cut in enumerate(cuts(net, sources, range(grid.size), limit=limit, blocked=blocked, closed_cost=2)):
        assert (cut is None) == real.reaches(hex_)
        if cut is None or cut.reason in ("range", "none"):
            continue
        mended, opened = blocked.copy(), net.by_side.copy()
        mended[list(cut.path)] = 0
        for here, to in zip(cut.path, cut.path[1:], strict=False):
            edge = 6 * here + grid.side(here, to)
            opened[edge] = 2 if opened[edge] >= FORBIDDEN else opened[edge]
        assert trace(Lines(grid, opened), sources, limit=limit, blocked=mended).reaches(hex_)
        if cut.reason == "hex":
            assert blocked[cut.hex]
        else:
            assert net.cost(cut.hex, grid.side(cut.hex, cut.onward)) >= FORBIDDEN


@given(
    grid=grids(), random=randoms(), count=st.integers(0, 5), dearest=st.integers(1, 9), share=st.floats(0, 0.5),
    limit=st.sampled_from([0, 3, 10, 40, MENDABLE, MENDABLE + 1]),
)
def test_mending_equals_tracing_anew(grid, random, count, dearest, share, limit):
    net = some_lines(grid, random, dearest)
    sources = random.integers(0, grid.size, count).astype(np.int32)
    found = trace(net, sources, limit=limit, blocked=(random.random(grid.size) < share).astype(np.uint8))
    for _ in range(4):
        blocked = found.given[2].copy()
        turned = random.random(grid.size) < random.choice([0.02, 0.2, 0.9])
        blocked[turned] = random.integers(0, 3, int(turned.sum()))
        before, found = found.table.copy(), mend(old := found, blocked)
        assert np.array_equal(found.table, trace(net, sources, limit=limit, blocked=blocked).table)
        assert np.array_equal(old.table, before)


def test_lines_that_a_change_does_not_meet_stay_the_same_object():
    found = trace(lines(), [BOARD[2005]], limit=3 * HEX)
    assert mend(found, BOARD.marked(2009)) is found   # a hex beyond the last
    assert mend(found, BOARD.marked(2008)) is not found   # the last of a line
    barred = trace(lines(), [BOARD[2005]], limit=3 * HEX, blocked=BOARD.marked(2005))
    assert mend(barred, BOARD.marked(2008)) is not barred   # a source is open again, which no line had met


@given(grid=grids(), random=randoms(), count=st.integers(0, 6), limit=st.integers(0, 9))
def test_a_chain_that_says_it_holds_is_the_one_found_anew(grid, random, count, limit):
    net = some_lines(grid, random, 4)
    blocked = (random.random(grid.size) < 0.15).astype(np.uint8)
    sources = random.integers(0, grid.size, int(random.integers(0, 3))).astype(np.int32)
    links = random.integers(0, grid.size, count).astype(np.int32)
    found = chain(net, sources, links, limit=limit, blocked=blocked)
    for _ in range(4):
        other = blocked.copy()
        other[random.integers(0, grid.size, 2)] ^= 1
        if found.holds(other):
            anew = chain(net, sources, links, limit=limit, blocked=other)
            for mine, its in ((found.rounds, anew.rounds), (found.feeders, anew.feeders), (found.distances, anew.distances)):
                assert np.array_equal(mine, its)
            assert [found.path(link) for link in found.fed.tolist()] == [anew.path(link) for link in anew.fed.tolist()]


def test_a_chain_holds_where_a_change_meets_none_of_its_lines():
    found = chain(lines(), [BOARD[2005]], [BOARD[2009]], limit=4 * HEX)
    assert not found.holds(BOARD.marked(2013))   # the depot's own reach is searched too
    assert found.holds(BOARD.marked(2014))
    assert not found.holds(BOARD.marked(2005))


def test_only_lines_with_one_limit_are_mended():
    with pytest.raises(ValueError, match="old: expected lines with one limit"):
        mend(trace(lines(), [BOARD[2008], BOARD[2010]], limit=[1, 2]), None)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: Lines(BOARD.grid, BOARD.by_side(0)), "by_side: expected costs of 1 or more"),
        (lambda: trace(lines(), [99]), "sources: expected hexes from 0 to 98, got 99"),
        (lambda: trace(lines(), [1], limit=-1), "limit: expected 0 to"),
        (lambda: trace(lines(), [1], limit=[1, 2]), "limit: expected one limit or 1, got 2"),
        (lambda: trace(lines(), [1], limit=UNLIMITED + 1), "limit"),
        (lambda: trace(lines(), [1], blocked=np.zeros(3, np.uint8)), r"blocked: expected uint8\[99\]"),
        (lambda: trace(lines(), [1], limit=0).path(2), "no line runs from 2"),
        (lambda: chain(lines(), [1], [2], limit=[]), "limit: expected one limit or 1, got 0"),
        (lambda: cuts(lines(), [1], [2], limit=1, closed_cost=0), "closed_cost"),
        (lambda: cuts(lines(), [1], [99], limit=1, closed_cost=1), "hexes: expected a hex"),
        (lambda: trace(Lines(BOARD.grid, BOARD.by_side(9999)), [1, 2], limit=[1, UNLIMITED]), "at most 65535 apart"),
    ],
)
def test_what_does_not_fit_is_named(wrong, says):
    with pytest.raises(ValueError, match=says):
        wrong()
