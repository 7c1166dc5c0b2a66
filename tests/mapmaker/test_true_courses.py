"""Railways and rivers of the checked-in maps lie where they lay in truth; where a correction leads one aside, its row tells why."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
import shapely

from mapmaker.grid import Grid
from mapmaker.lattice import hexside_ends
from mapmaker.rails import degrees
from mapmaker.sources import Geography, read_geography
from tests.mapmaker.conftest import SCENARIOS, read

NAME = "war_for_the_motherland"
GRID = Grid.load(SCENARIOS / "geo" / NAME)
RAIL_ASTRAY, RIVER_ASTRAY = 1.0, 0.9  # hexes between the middle of a stretch and the true course


@cache
def geography() -> Geography:
    return read_geography(SCENARIOS / "geo")


def centre(label: str) -> tuple[float, float]:
    return GRID.centre(GRID.spot(label))


def rail_gaps(letter: str) -> Iterator[tuple[str, float]]:
    """Yield each stretch of railway with its distance from the true line."""
    lines = {line.id: shapely.LineString(GRID.forward(*degrees(line.stations))) for line in geography().railways}
    for row in read(SCENARIOS / NAME / "map" / letter / "rails.csv"):
        middle = shapely.Point(np.mean([centre(row["hex"]), centre(row["other"])], axis=0))
        for line in row["line"].split(";"):
            yield f"{row['hex']}/{row['other']} {line} {row['note']}", lines[line].distance(middle)


def river_gaps(letter: str) -> Iterator[tuple[str, float]]:
    """Yield each river hexside without a note with its distance from the true course."""
    courses: dict[str, list[shapely.LineString]] = defaultdict(list)
    for river in geography().rivers:
        courses[river.name].append(shapely.LineString(GRID.forward(river.lon, river.lat)))
    for row in read(SCENARIOS / NAME / "map" / letter / "hexsides.csv"):
        if row["kind"].endswith("_river") and not row["note"]:
            middle = shapely.Point(np.mean(hexside_ends(centre(row["hex"]), centre(row["other"])), axis=0))
            yield f"{row['hex']}/{row['other']} {row['name']}", min(course.distance(middle) for course in courses[row["name"]])


@pytest.mark.parametrize("letter", ["C", "E", "N"])
def test_no_railway_strays_from_its_line(letter: str) -> None:
    gaps = dict(rail_gaps(letter))
    assert gaps
    assert {where: gap for where, gap in gaps.items() if gap > RAIL_ASTRAY} == {}


@pytest.mark.parametrize("letter", ["C", "E", "N"])
def test_no_river_strays_from_its_course(letter: str) -> None:
    gaps = dict(river_gaps(letter))
    assert gaps
    assert {where: gap for where, gap in gaps.items() if gap > RIVER_ASTRAY} == {}
