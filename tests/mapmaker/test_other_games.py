"""The pipeline makes the maps of the other games: pointy and flat hexes, one sheet and several, 8 to 75 km a hex."""

from __future__ import annotations

import pytest

from mapmaker import check
from mapmaker.build import build_map
from tests.mapmaker.conftest import SCENARIOS


@pytest.mark.parametrize("game", ["for_the_motherland", "land_without_end", "east_front_series", "war_in_the_east"])
def test_another_game_is_made_without_a_fault(game: str) -> None:
    made = build_map(SCENARIOS, game)
    letters = [section.letter for section in made.grid.spec.map]
    assert made.faults == ()
    assert check.problems(made, letters) == []
    for letter in letters:
        tables = made.section(letter)
        assert len(tables.hexes) == len(list(tables.section.spots()))
        assert tables.rails
        assert any(row.kind.endswith("_river") for row in tables.sides)
