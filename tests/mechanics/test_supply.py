from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.board import SIDES, Board, Hex
from core.mechanics import supply
from core.trials.table import PlainBoard
from tests.packs import PLAIN


def _with_rails() -> Board:
    plain = PlainBoard(PLAIN, lines=(16, 21), positions=(1, 6))
    for line in range(16, 22):
        plain.rail(*(f"{line}{position:02}" for position in range(1, 7)))
    plain.rail(*(f"{line}03" for line in range(16, 22)))
    return plain.build(())


SMALL = PlainBoard(PLAIN, lines=(16, 21), positions=(1, 6)).build(())
RAILS = _with_rails()
SIDES_OF_BOARD = SIDES * SMALL.size
hexes = st.integers(0, SMALL.size - 1).map(Hex)
counts = st.lists(st.sampled_from([1, 2, 4, supply.CLOSED]), min_size=SIDES_OF_BOARD, max_size=SIDES_OF_BOARD)


def ready(counts: list[int]) -> supply.Counts:
    return supply.counts_of(SMALL, np.array(counts))


def plain_distances(board: Board, counts: list[int], sources: set[Hex], blocked: set[Hex]) -> dict[Hex, int]:
    """Relax every hexside until nothing changes."""
    best = dict.fromkeys(sources - blocked, 0)
    changed = True
    while changed:
        changed = False
        for here in map(Hex, range(board.size)):
            for there in board.adjacent[here]:
                count = counts[SIDES * here + board.side_to(here, there)]
                if there in best and there not in blocked and count < supply.CLOSED:
                    total = best[there] + count
                    if total < best.get(here, supply.UNREACHED):
                        best[here], changed = total, True
    return best


@given(counts, st.sets(hexes, max_size=4), st.sets(hexes, max_size=12), st.integers(0, 20))
def test_a_field_holds_the_shortest_lines(counts: list[int], sources: set[Hex], blocked: set[Hex], limit: int) -> None:
    field = supply.trace(ready(counts), sources=sources, blocked=blocked, limit=limit)
    assert field.halves == {h: d for h, d in plain_distances(SMALL, counts, sources, blocked).items() if d <= limit}


@given(counts, st.sets(hexes, max_size=4), st.lists(st.sets(hexes, max_size=12), min_size=1, max_size=4), st.integers(0, 20))
def test_a_mended_field_is_the_one_traced_anew(counts: list[int], sources: set[Hex], moves: list[set[Hex]], limit: int) -> None:
    net = ready(counts)
    field = supply.trace(net, sources=sources, blocked=(), limit=limit)
    for blocked in moves:
        mended, anew = field.mended(blocked), supply.trace(net, sources=sources, blocked=blocked, limit=limit)
        assert np.array_equal(mended.distances, anew.distances)
        assert np.array_equal(mended.onward, anew.onward)
        field = mended


@given(st.lists(st.sets(hexes, max_size=12), min_size=1, max_size=4), st.sets(hexes, min_size=1, max_size=3))
def test_mended_railroads_are_those_found_anew(moves: list[set[Hex]], goals: set[Hex]) -> None:
    field = supply.connected(RAILS, "rail", goals=goals, blocked=())
    for blocked in moves:
        field, anew = field.mended(blocked), supply.connected(RAILS, "rail", goals=goals, blocked=blocked)
        assert np.array_equal(field.distances, anew.distances)
        assert np.array_equal(field.onward, anew.onward)


@given(st.sets(hexes), st.sets(hexes))
def test_bars_are_the_hexes_they_are_of(some: set[Hex], others: set[Hex]) -> None:
    bars = supply.bars_of(SMALL, some)
    assert (set(bars), len(bars)) == (some, len(some))
    assert {here for here in map(Hex, range(-1, SMALL.size + 1)) if here in bars} == some
    assert set(bars.free(others)) == others - some
    assert (bars == supply.bars_of(SMALL, others)) == (some == others)
    assert supply.same(bars, supply.bars_of(SMALL, some)) is bars


@given(counts, st.sets(hexes, min_size=1, max_size=4), st.sets(hexes, max_size=12))
def test_a_line_pays_for_each_hex_it_enters_and_enters_no_blocked_one(counts: list[int], sources: set[Hex], blocked: set[Hex]) -> None:
    field = supply.trace(ready(counts), sources=sources, blocked=blocked)
    for here, halves in field.halves.items():
        path = field.path(here)
        assert path[0] == here
        assert path[-1] in sources
        assert halves == sum(counts[SIDES * a + SMALL.side_to(a, b)] for a, b in pairwise(path))
        assert not set(path[1:]) & blocked


@given(counts, st.sets(hexes, max_size=2), st.sets(hexes, max_size=8), st.sets(hexes, max_size=6), st.integers(1, 6))
def test_a_chain_is_fed_link_by_link_from_a_source(
    counts: list[int], sources: set[Hex], links: set[Hex], blocked: set[Hex], limit: int
) -> None:
    fed: set[Hex] = set()
    while True:
        near = {h for h, d in plain_distances(SMALL, counts, sources | fed, blocked).items() if d <= limit}
        if links & near <= fed:
            break
        fed |= links & near
    made = supply.chain(ready(counts), sources=sources, links=links, blocked=blocked, limit=limit)
    assert made.fed == fed
    for link, line in made.items():
        assert line[0] == link
        assert line[-1] in sources | fed - {link} or line == (link,)


def test_a_field_can_not_be_written_in() -> None:
    for field in (
        supply.trace(ready([2] * SIDES_OF_BOARD), sources=[Hex(0)], blocked=()),
        supply.connected(RAILS, "rail", goals=[RAILS.hex("1601")], blocked={RAILS.hex("1603")}),
    ):
        for array in (field.distances, field.onward):
            assert not array.flags.writeable


def test_links_in_a_ring_feed_nobody() -> None:
    ring = {SMALL.hex("1902"), SMALL.hex("1903"), SMALL.hex("1904")}
    made = supply.chain(ready([2] * SIDES_OF_BOARD), sources=(), links=ring, blocked=(), limit=8)
    assert made.fed == frozenset()


def test_a_blocked_hex_joins_no_railroad() -> None:
    plain = PlainBoard(PLAIN, lines=(16, 17), positions=(1, 6))
    plain.rail("1601", "1602", "1603", "1604", "1605")
    board = plain.build(())
    joined = supply.connected(board, "rail", goals=[board.hex("1601")], blocked={board.hex("1604")})
    assert set(joined.halves) == {board.hex(label) for label in ("1601", "1602", "1603")}
    assert joined.path(board.hex("1603")) == tuple(board.hex(label) for label in ("1603", "1602", "1601"))
