"""Hexes on the globe: printed places, neighbours, the way there and back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import BadInput
from mapmaker import fit
from mapmaker.grid import Grid
from tests.mapmaker.conftest import SCENARIOS

GAMES = ["war_for_the_motherland", "for_the_motherland", "land_without_end", "east_front_series", "war_in_the_east"]
GRIDS = {game: Grid.load(SCENARIOS / "geo" / game) for game in GAMES}


@pytest.mark.parametrize("game", GAMES)
def test_every_place_that_steers_the_fit_lies_in_its_hex(game: str) -> None:
    grid = GRIDS[game]
    fitted = [row for row in grid.named if row.fit != "no"]
    assert {grid.spot_at(float(row.lon), float(row.lat)): row.label for row in fitted} == {
        grid.spot(row.label): row.label for row in fitted
    }


@given(lon=st.floats(20, 48), lat=st.floats(43, 66), game=st.sampled_from(GAMES))
def test_inverse_undoes_forward(lon: float, lat: float, game: str) -> None:
    grid = GRIDS[game]
    there = grid.forward(np.array(lon), np.array(lat))
    assert grid.inverse(there) == pytest.approx((lon, lat), abs=1e-6)


@given(line=st.integers(0, 70), position=st.integers(0, 40), game=st.sampled_from(GAMES))
def test_neighbours_are_one_unit_away_and_mutual(line: int, position: int, game: str) -> None:
    grid = GRIDS[game]
    here = grid.centre((line, position))
    around = grid.neighbours((line, position))
    assert len(set(around)) == 6
    for there in around:
        assert np.hypot(*np.subtract(grid.centre(there), here)) == pytest.approx(1)
        assert (line, position) in grid.neighbours(there)


@given(x=st.floats(-30, 30), y=st.floats(0, 60), game=st.sampled_from(GAMES))
def test_the_nearest_hex_is_nearer_than_its_neighbours(x: float, y: float, game: str) -> None:
    grid = GRIDS[game]
    spot = grid.nearest(x, y)
    gap = np.hypot(*np.subtract(grid.centre(spot), (x, y)))
    assert all(gap <= np.hypot(*np.subtract(grid.centre(there), (x, y))) + 1e-9 for there in grid.neighbours(spot))


@pytest.mark.parametrize(("one", "other"), [("C6006", "C6007"), ("C6007", "C6106"), ("C6106", "C6107"), ("C5710", "C5811")])
def test_hexes_that_the_text_calls_adjacent_are(one: str, other: str) -> None:
    grid = GRIDS["war_for_the_motherland"]
    assert grid.spot(other) in grid.neighbours(grid.spot(one))


def test_sections_share_their_edge() -> None:
    grid = GRIDS["war_for_the_motherland"]
    assert grid.spot("E5317") == grid.spot("C5301")
    assert grid.section("E").label(grid.spot("C5301")) == "E5317"
    assert grid.label(grid.spot("E5317")) == "C5301"


@pytest.mark.parametrize("label", ["X1234", "E12", "1234", ""])
def test_a_label_of_no_section_is_bad_input(label: str) -> None:
    with pytest.raises(BadInput, match="expected"):
        GRIDS["war_for_the_motherland"].spot(label)


def test_a_grid_with_an_unknown_field_is_bad_input(tmp_path: Path) -> None:
    text = (SCENARIOS / "geo/war_in_the_east/grid.toml").read_text("utf-8")
    (tmp_path / "grid.toml").write_text(text.replace("hex_km", "hex_miles"), "utf-8")
    with pytest.raises(BadInput, match="hex_miles"):
        Grid.load(tmp_path)


def test_a_new_fit_finds_what_is_checked_in() -> None:
    grid = GRIDS["for_the_motherland"]
    again = fit.refit(grid, fit.targets(grid), rounds=3000)
    assert again.spec.affine.x == pytest.approx(grid.spec.affine.x, abs=1e-6)
    old = {control.name: (control.dx, control.dy) for control in grid.spec.warp.control}
    for control in again.spec.warp.control:
        assert (control.dx, control.dy) == pytest.approx(old[control.name], abs=0.02), control.name
