"""What tests of movement share: orders by labels, and what a unit has spent."""

from __future__ import annotations

from collections.abc import Callable

from core.rulesets.war_for_the_motherland.movement import Move, left
from core.rulesets.war_for_the_motherland.overrun import Overrun
from core.rulesets.war_for_the_motherland.strategic import Strategic
from core.trials.table import PlainBoard, Table
from core.units import UnitId

AXIS_MOVES, SOVIET_MOVES, PANZERS_MOVE = "axis_movement", "soviet_movement", "german_mechanized_movement"
Edit = Callable[[PlainBoard], None]


def move(table: Table, *units: UnitId, to: str) -> Move:
    """Return the order to move units along hexes, labels with blanks between."""
    return Move(units=units, path=tuple(table.hex(label) for label in to.split()))


def strategic(table: Table, *units: UnitId, to: str) -> Strategic:
    """Return the order to move units strategically along hexes."""
    return Strategic(units=units, path=tuple(table.hex(label) for label in to.split()))


def overrun(table: Table, *units: UnitId, at: str) -> Overrun:
    """Return the order to overrun a hex."""
    return Overrun(units=units, hex=table.hex(at))


def left_of(table: Table, unit: UnitId) -> float:
    """Return the movement points that a unit has left."""
    return left(table.view, unit) / 4


def terrain(**hexes: str) -> Edit:
    """Change terrain: ``terrain(h2010="swamp")``."""

    def edit(board: PlainBoard) -> None:
        for label, kind in hexes.items():
            board.hex(label[1:], terrain=kind)

    return edit


def side(one: str, other: str, *kinds: str) -> Edit:
    """Add kinds to one hexside."""
    return lambda board: board.side(one, other, *kinds)
