"""Maps as they are checked in, and maps as the pipeline makes them (once a worker)."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

import pytest

from mapmaker.build import Built, build_map
from mapmaker.grid import Grid, Spot
from mapmaker.lattice import hexside_ends

SCENARIOS = Path(__file__).parents[2] / "scenarios"
WATER = ("sea", "lake")


class SheetE:
    """Map E south of hexrow 43 as its tables have it, with the questions that tests ask."""

    def __init__(self) -> None:
        folder = SCENARIOS / "war_for_the_motherland" / "map" / "E"
        self.grid = Grid.load(SCENARIOS / "geo" / "war_for_the_motherland")
        self.hexes = {row["hex"]: row for row in read(folder / "hexes.csv") if row["hex"] >= "E4300"}
        self.sides = [row for row in read(folder / "hexsides.csv") if row["hex"] >= "E4300"]
        self.rails = [row for row in read(folder / "rails.csv") if row["hex"] >= "E4300"]

    def terrain(self, label: str) -> str:
        return self.hexes[label]["terrain"]

    def neighbours(self, label: str) -> list[str]:
        found = (self.grid.section("E").label(spot) for spot in self.grid.neighbours(self.spot(label)))
        return [label for label in found if label in self.hexes]

    def spot(self, label: str) -> Spot:
        return self.grid.spot(label)

    def kinds(self, one: str, other: str) -> set[str]:
        pair = tuple(sorted((one, other)))
        return {row["kind"] for row in self.sides if (row["hex"], row["other"]) == pair}

    def spread(self, start: str, *, river: str) -> set[str]:
        """All land that is reached from a hex without crossing a river or water."""
        barred = {(r["hex"], r["other"]) for r in self.sides if r["name"] == river or r["kind"] in WATER}
        seen, queue = {start}, [start]
        while queue:
            here = queue.pop()
            for there in self.neighbours(here):
                if there not in seen and tuple(sorted((here, there))) not in barred:
                    seen.add(there)
                    queue.append(there)
        return seen

    def corners(self, row: dict[str, str]) -> list[tuple[float, float]]:
        ends = hexside_ends(self.grid.centre(self.spot(row["hex"])), self.grid.centre(self.spot(row["other"])))
        return [(round(x, 3), round(y, 3)) for x, y in ends]

    def course(self, river: str) -> dict[tuple[float, float], int]:
        """The corners that a river passes, each with the number of its hexsides there."""
        count: dict[tuple[float, float], int] = defaultdict(int)
        for row in self.sides:
            if row["name"] == river:
                for corner in self.corners(row):
                    count[corner] += 1
        return dict(count)

    @cached_property
    def tracks(self) -> dict[str, set[str]]:
        """Hex → the hexes that railways open in November 1942 lead to."""
        found: dict[str, set[str]] = defaultdict(set)
        for row in self.rails:
            if row["opened"] <= "1942-11":
                found[row["hex"]].add(row["other"])
                found[row["other"]].add(row["hex"])
        return found

    def ride(self, start: str, goals: Iterable[str]) -> int | None:
        """Hexes of railway from *start* to the nearest goal; None if none leads there."""
        wanted, seen, ring, length = set(goals), {start}, {start}, 0
        while ring:
            if ring & wanted:
                return length
            ring = {there for here in ring for there in self.tracks[here]} - seen
            seen |= ring
            length += 1
        return None


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="session")
def sheet_e() -> SheetE:
    return SheetE()


@pytest.fixture(scope="session")
def built() -> Built:
    return build_map(SCENARIOS, "war_for_the_motherland")
