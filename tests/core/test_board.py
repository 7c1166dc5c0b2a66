"""The board: numbering, sides, distances, boxes."""

from __future__ import annotations

import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.board import Board, Hex, once_a_board
from core.mechanics.movement import grid_of
from core.trials.table import PlainBoard
from tests.packs import PLAIN


def plain() -> Board:
    made = PlainBoard(PLAIN, (18, 24), (5, 14))
    made.side("2010", "2011", "minor_river", "rail")
    made.hex("2010", terrain="swamp")
    return made.build(("track",))


BOARD = plain()
HEXES = st.integers(0, BOARD.size - 1).map(Hex)


def test_the_six_neighbours_are_those_that_the_numbering_says() -> None:
    around = {BOARD.label(there) for there in BOARD.adjacent[BOARD.hex("2010")]}
    assert around == {"2009", "2011", "1909", "1910", "2109", "2110"}


@given(HEXES, st.integers(0, 5))
def test_the_opposite_side_leads_back(here: Hex, side: int) -> None:
    there = BOARD.neighbour(here, side)
    if there is not None:
        assert BOARD.neighbour(there, (side + 3) % 6) == here
        assert BOARD.side_to(here, there) == side
        assert BOARD.distance(here, there) == 1


@given(HEXES, HEXES, HEXES)
def test_distance_is_a_metric(a: Hex, b: Hex, c: Hex) -> None:
    assert BOARD.distance(a, b) == BOARD.distance(b, a)
    assert (BOARD.distance(a, b) == 0) == (a == b)
    assert BOARD.distance(a, c) <= BOARD.distance(a, b) + BOARD.distance(b, c)


@given(HEXES, st.integers(0, 3))
def test_what_lies_within_a_radius_is_what_the_distance_says(centre: Hex, radius: int) -> None:
    assert BOARD.within(centre, radius) == {h for h in range(BOARD.size) if BOARD.distance(centre, Hex(h)) <= radius}


def test_a_hexside_is_the_same_from_both_hexes() -> None:
    one, other = BOARD.hex("2010"), BOARD.hex("2011")
    assert BOARD.side_has(one, other, "rail")
    assert BOARD.side_has(other, one, "minor_river")
    assert not BOARD.side_has(one, other, "lake")
    assert BOARD.mask("rail", "minor_river").sum() == 2


def test_boxes_are_places_too() -> None:
    assert BOARD.label(BOARD.box("track")) == "track"
    assert BOARD.place("track") == BOARD.box("track") < 0
    with pytest.raises(KeyError):
        BOARD.hex("9999")


def test_a_hex_without_a_name_is_called_by_its_number_and_the_nearest_place_that_has_one() -> None:
    made = PlainBoard(PLAIN, (18, 24), (1, 20))
    for label, name, city in (("2010", "Kalach", "minor"), ("2014", "Rostov", "major"), ("2301", "Elista", "")):
        made.hex(label, name=name, city=city)
    board = made.build(("track",))
    told = {label: board.name(board.hex(label)) for label in ("2010", "2011", "2012", "2013", "2301", "1802", "1818")}
    assert told == {
        "2010": "Kalach (2010)",
        "2011": "2011 near Kalach",
        "2012": "2012 near Rostov",  # as far from both: the larger
        "2013": "2013 near Rostov",
        "2301": "Elista (2301)",
        "1802": "1802",
        "1818": "1818",
    }
    assert board.name(board.box("track")) == "track"
    for here in map(Hex, range(board.size)):
        near = [there for there in map(Hex, range(board.size)) if board.facts[there].name and board.distance(here, there) <= 3]
        least = min((board.distance(here, there) for there in near), default=None)
        nearest = {board.facts[there].name for there in near if board.distance(here, there) == least}
        assert board.name(here).partition(" near ")[2] in (nearest if near and least else {""})


def test_what_is_worked_out_of_a_board_is_worked_out_once_and_goes_with_it() -> None:
    worked: list[int] = []

    @once_a_board
    def rows(board: Board, most: int) -> list[int]:
        worked.append(most)
        return list(range(min(board.size, most)))

    board, other = plain(), plain()
    assert [len(rows(board, 3)), len(rows(board, 5)), len(rows(board, 3)), len(rows(other, 3))] == [3, 5, 3, 3]
    assert worked == [3, 5, 3]
    there = weakref.ref(board)
    grid_of(board)
    del board
    assert there() is None
