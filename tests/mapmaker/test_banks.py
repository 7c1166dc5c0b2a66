"""Banks of rivers, and the hexes of junctions beside them."""

from __future__ import annotations

import numpy as np
import pytest

from mapmaker.banks import bank, beside
from mapmaker.draft import RIVERS, Draft
from mapmaker.grid import Grid
from mapmaker.lattice import Lattice
from mapmaker.rails import lay_railways
from mapmaker.rivers import lay_rivers
from mapmaker.settings import RiverRules
from mapmaker.sources import Railway, River, Station
from tests.mapmaker.conftest import SCENARIOS

NORTHWARD = np.array([(0.0, 0.0), (0.0, 4.0), (1.0, 8.0)])


@pytest.mark.parametrize(("place", "side"), [((1.0, 2.0), -1.0), ((-1.0, 2.0), 1.0), ((2.0, 7.0), -1.0), ((0.0, 7.0), 1.0)])
def test_a_place_lies_on_one_side_of_a_line(place: tuple[float, float], side: float) -> None:
    assert bank(NORTHWARD, np.array(place)) == side


@pytest.mark.parametrize(("place", "expected"), [((1.0, 2.0), True), ((0.1, 4.0), True), ((0.5, -1.0), False), ((1.0, 9.0), False)])
def test_beyond_its_ends_a_line_has_no_banks(place: tuple[float, float], expected: bool) -> None:
    assert beside(NORTHWARD, np.array(place)) is expected


@pytest.mark.parametrize(("offset", "hexes"), [(0.42, ["C3809", "C3810"]), (0.2, ["C3809", "C3810", "C3811"])])
def test_a_junction_beside_a_river_gets_a_hex_on_its_own_bank(offset: float, hexes: list[str]) -> None:
    grid = Grid.load(SCENARIOS / "geo" / "war_for_the_motherland")
    draft = Draft(Lattice(grid))
    x, y = grid.centre(grid.spot("C3811"))
    river = River("River", *grid.inverse(np.array([(x + 0.3, y - 4.0), (x + 0.3, y + 4.0)])).T, (False, False))
    assert lay_rivers(draft, [river], {}, RiverRules(2.0)) == []
    east, end = grid.inverse(np.array([(x + 2.0, y), (x + offset, y)]))
    line = Railway("L1", "line", (Station("east", *east, ""), Station("end", *end, "")))
    lay_railways(draft, [line], frozenset({"east", "end"}), [river])
    assert sorted({grid.section("C").label(spot) for where in draft.rails for spot in where}) == hexes
    assert sum(draft.has_side(where, *RIVERS) for where in draft.rails) == len(hexes) - 2
