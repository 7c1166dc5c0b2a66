"""Tables for tests of supply: chosen sources, a corridor instead of a plain, the status that a unit would be given."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from core.events import ControlChanged, TrackSet
from core.rulesets.war_for_the_motherland import supply
from core.trials.table import PlainBoard, Table
from core.units import UnitId
from tests.rules.war_for_the_motherland.conftest import NewTable

CORPS, KG, DEPOT, EXTENDED = "ger_infantry_corps", "ger_infantry_kg", "axis_depot_normal", "axis_depot_extended"
ARMY, FRONT, FACTORY, OSG, PARTISAN = "sov_infantry_army", "sov_headquarters", "sov_factory", "sov_osg", "sov_partisan"
RUMANIANS, RUMANIAN_HQ, ITALIANS = "rum_infantry_corps", "rum_headquarters", "ita_army"
AIRBASE, FLEET, WIDE_FLEET = "ger_airbase", "ger_air_fleet_3", "ger_air_fleet_5"
Edit = Callable[[PlainBoard], None]


def row(line: int, first: int, last: int) -> list[str]:
    """Return labels of a row, from one column to another."""
    step = 1 if last >= first else -1
    return [f"{line:02}{position:02}" for position in range(first, last + step, step)]


def corridor(plain: PlainBoard, labels: Iterable[str]) -> None:
    """Turn all other hexes into sea."""
    land = set(labels)
    for label in plain.facts:
        if label not in land:
            plain.hex(label, terrain="sea")


def lay(
    new_table: NewTable, turn: int, edit: Edit | None = None, *, axis: Iterable[str] = (), soviet: Iterable[str] = (), **more: object
) -> Table:
    """Return a table on a turn, with these sources."""
    options = more.pop("options", None)
    table = new_table(edit, rules={"axis_sources": list(axis), "soviet_sources": list(soviet), **more}, options=options)
    table.happen(TrackSet("turn", turn))
    return table


def status(table: Table, unit: UnitId) -> str:
    """Return what a unit would be judged now."""
    return supply.judge(table.view, unit)


def control(table: Table, label: str, side: str) -> None:
    """Give a hex to a side."""
    table.happen(ControlChanged(table.hex(label), side))
