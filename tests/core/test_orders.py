"""An order and its walk are the same thing; a position and its bytes too."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.board import Hex
from core.errors import BadInput
from core.orders import HexPick, OneOption, Order, Path, UnitPick, UnitSet, compose, name_of, normal, picks_of
from core.position import Position
from core.units import UnitId


class March(Order, frozen=True, tag="march"):
    units: UnitSet = ()
    path: Path = ()
    gait: OneOption = None


MARCHES = st.builds(
    March,
    st.lists(st.integers(0, 50).map(UnitId), unique=True).map(tuple),
    st.lists(st.integers(0, 50).map(Hex)).map(tuple),
    st.none() | st.sampled_from(["fast", "slow"]),
)


@given(MARCHES)
def test_composing_the_walk_of_an_order_gives_the_order(order: March) -> None:
    assert compose(March, picks_of(order)) == normal(order)


def test_sets_are_sorted_and_paths_are_not() -> None:
    order = normal(March(units=(UnitId(3), UnitId(1), UnitId(3)), path=(Hex(5), Hex(2))))
    assert (order.units, order.path) == ((1, 3), (5, 2))
    assert name_of(order) == "march"


def test_a_pick_that_fits_no_field_is_named() -> None:
    with pytest.raises(BadInput, match="unit 4"):
        compose(March, (HexPick(Hex(1)), UnitPick(UnitId(4))))


def test_a_position_survives_its_bytes_and_its_hash_knows_no_order() -> None:
    one, other = Position(), Position()
    one.tracks.update(a=1, b=2)
    other.tracks.update(b=2, a=1)
    one.cups["C"] = {"x": 1, "y": 2}
    other.cups["C"] = {"y": 2, "x": 1}
    assert one.digest() == other.digest()
    assert Position.decode(one.encode()) == one
    assert one.copy() == one
