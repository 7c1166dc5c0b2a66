"""The charts of the game, typed: terrain, combat results, attrition, turn record, strength markers, breakdown.

Each file of ``charts/`` names its source: ``rulebook``, ``published``, ``reconstructed``, or ``owner`` for what an owner typed in.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from core.datafile import Faults
from core.errors import BadInput
from core.pack import Pack
from core.rulesets.war_for_the_motherland import chart_checks, unit_checks

Source = Literal["rulebook", "published", "reconstructed", "owner"]
Row = Literal["clear", "woods", "major_city"]
Points = Annotated[int, msgspec.Meta(ge=0, le=99)]
Strengths = tuple[Points, Points]


class TerrainRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One terrain of the Terrain Effects Chart; costs in movement points, *supply* in hexes of a line of supply."""

    id: str
    non_motorized: Points
    motorized: Points
    row: Row
    supply: Points
    overrun: bool
    mountain_units: Points | None = None


class HexsideRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What crossing a hexside costs besides the hex entered, in movement points."""

    id: str
    non_motorized: Points
    motorized: Points


class TerrainChart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``charts/terrain.toml`` (5.21)."""

    source: Source
    terrain: tuple[TerrainRow, ...]
    hexside: tuple[HexsideRow, ...]
    note: str = ""

    def of(self, terrain: str) -> TerrainRow:
        """Return the row of a terrain."""
        return next(row for row in self.terrain if row.id == terrain)

    def crossing(self, kind: str) -> HexsideRow:
        """Return the row of a hexside kind."""
        return next(row for row in self.hexside if row.id == kind)


class CombatChart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``charts/combat.toml``: headings a terrain row, results a roll (8.1)."""

    source: Source
    faces: Points
    highest_roll: Points
    headings: dict[Row, tuple[str, ...]]
    rolls: dict[str, tuple[str, ...]]
    note: str = ""


class AttritionResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Steps lost at a modified roll up to *up_to*."""

    up_to: int
    steps: Points


class AttritionChart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``charts/attrition.toml`` (9.91)."""

    source: Source
    minor_city: int
    major_city: int
    fortress: int
    hard_terrain: tuple[str, ...]
    hard_terrain_modifier: int
    first_winter_axis: int
    first_winter_exempt: tuple[str, ...]
    nation: dict[str, int]
    result: tuple[AttritionResult, ...]
    note: str = ""


class Turn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One turn of the turn record; *production_number* is None on turns that are no Production Turns (12.21)."""

    number: int
    name: str
    weather: Literal["clear", "mud", "snow"]
    winter: Points = 0
    combat_modifier: Points = 0
    production_number: Points | None = None


class TurnRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``charts/turns.toml``."""

    source: Source
    turn: tuple[Turn, ...]
    note: str = ""

    def of(self, number: int) -> Turn:
        """Return a turn by its number, 1 … 40."""
        return self.turn[number - 1]


class Marker(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"cls": "class"}):
    """So many combat strength markers of a kind; *turn* is when they come into their cup (13.32)."""

    cls: Literal["A", "B", "C"]
    star: bool
    front: Strengths
    back: Strengths
    count: Points
    turn: int
    source: Source = "reconstructed"

    @property
    def chit(self) -> str:
        """Return the marker's name: ``C 6-9/3-5``, ``A* 2-3/1-2``."""
        star = "*" if self.star else ""
        return f"{self.cls}{star} {self.front[0]}-{self.front[1]}/{self.back[0]}-{self.back[1]}"


class MarkerMix(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``charts/strength_markers.toml`` (7.1)."""

    source: Source
    marker: tuple[Marker, ...]
    note: str = ""


class BreakdownRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A corps of so many steps is worth KG of these steps (14.22)."""

    corps: str
    steps: Points
    kg: str
    kg_steps: tuple[Points, ...]


class BreakdownChart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``charts/breakdown.toml``."""

    source: Source
    breakdown: tuple[BreakdownRow, ...]
    note: str = ""


class Charts(msgspec.Struct, frozen=True):
    """All charts of a pack; *markers* by chit name."""

    terrain: TerrainChart
    combat: CombatChart
    attrition: AttritionChart
    turns: TurnRecord
    mix: MarkerMix
    breakdown: BreakdownChart
    markers: dict[str, Marker]


_FILES: dict[str, type[msgspec.Struct]] = {
    "terrain": TerrainChart,
    "combat": CombatChart,
    "attrition": AttritionChart,
    "turns": TurnRecord,
    "strength_markers": MarkerMix,
    "breakdown": BreakdownChart,
}


def load_charts(pack: Pack) -> Charts:
    """Return the pack's charts.

    Raises:
        BadInput: with all faults of all charts and of the unit types.
    """
    faults = Faults()
    read: dict[str, msgspec.Struct] = {}
    for name, cls in _FILES.items():
        try:
            file = pack.toml(f"charts/{name}.toml")
        except BadInput as error:
            faults.take(error)
            continue
        chart = file.struct(file.tree, cls, "", faults)
        if chart is not None:
            read[name] = chart
    unit_checks.check_units(pack, faults)
    for name, chart in read.items():
        chart_checks.CHECKS[name](pack.toml(f"charts/{name}.toml"), chart, pack, faults)
    faults.check()
    mix = read["strength_markers"]
    assert isinstance(mix, MarkerMix)
    return Charts(
        read["terrain"],  # type: ignore[arg-type]
        read["combat"],  # type: ignore[arg-type]
        read["attrition"],  # type: ignore[arg-type]
        read["turns"],  # type: ignore[arg-type]
        mix,
        read["breakdown"],  # type: ignore[arg-type]
        {marker.chit: marker for marker in mix.marker},
    )
