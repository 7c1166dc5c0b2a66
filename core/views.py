"""A game as one side sees it: what options, reach, previews, bots and windows read."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from core.board import Board, Place
from core.derived import Derived
from core.events import Event, Marked, Unmarked
from core.flow import Decision, typed
from core.orders import HexPick, Pick, UnitPick, value_of
from core.position import Position
from core.setting import Setting
from core.text import Text
from core.units import Side, Unit, UnitId, UnitType


class View:
    """A setting, a position in it, and the fields derived from it.

    Attributes:
        viewer: the side whose view this is; empty for one that sees everything.
    """

    def __init__(
        self, setting: Setting, position: Position, *, viewer: Side = "", derived: Derived | None = None
    ) -> None:
        self.setting = setting
        self.position = position
        self.viewer = viewer
        self.derived = derived if derived is not None else Derived(setting)
        self.ruleset = setting.ruleset
        self.board: Board = setting.board
        self.types = setting.types
        self.charts: Any = setting.charts
        self.options = setting.options

    # ---------------------------------------------------------------- who acts

    def decision(self) -> Decision | None:
        """Return the decision that the game waits for, None when it is over."""
        top = self.position.top
        if top is None or self.position.outcome is not None or top.name not in self.ruleset.decisions:
            return None
        return typed(top, self.ruleset.decisions[top.name])

    def side_to_act(self) -> Side:
        """Return the side that the game waits for, empty when it is over."""
        decision = self.decision()
        return decision.side if decision is not None else ""

    def prompt(self) -> Text | None:
        """Return the words that ask for the decision."""
        decision = self.decision()
        if decision is None:
            return None
        return self.ruleset.prompts[type(decision).__name__](self, decision)

    def moment(self) -> str:
        """Return turn and phase as people say them."""
        return f"turn {self.position.turn}, {self.ruleset.phase_name(self.position.phase)}"

    # ---------------------------------------------------------------- units

    def unit(self, unit: UnitId) -> Unit:
        """Return a counter."""
        return self.position.units[unit]

    def type(self, unit: UnitId) -> UnitType:
        """Return a counter's type."""
        return self.types[self.position.units[unit].type]

    def side(self, unit: UnitId) -> Side:
        """Return the side that owns a counter."""
        return self.types[self.position.units[unit].type].side

    def side_at(self, place: Place, side: Side) -> tuple[UnitId, ...]:
        """Return the units of one side in a place, lowest number first."""
        return tuple(unit for unit in self.position.at(place) if self.side(unit) == side)

    def other(self, side: Side) -> Side:
        """Return the opponent of a side."""
        one, two = self.setting.sides
        return two if side == one else one

    def name(self, unit: UnitId) -> str:
        """Return how people call a unit: type and designation."""
        counter = self.position.units[unit]
        return self.types[counter.type].name.replace("{id}", counter.name)

    def knows(self, pick: Pick) -> bool:
        """Say whether what a pick names exists at all."""
        value = value_of(pick)
        if isinstance(pick, UnitPick):
            return value in self.position.units
        return not isinstance(pick, HexPick) or 0 <= value < self.board.size

    def name_pick(self, pick: Pick) -> str:
        """Return a pick as people say it."""
        if not self.knows(pick):
            return f"{pick.__struct_config__.tag} {value_of(pick)} (unknown)"
        if isinstance(pick, UnitPick):
            return self.name(pick.unit)
        return self.board.name(pick.hex) if isinstance(pick, HexPick) else f"“{value_of(pick)}”"


# -------------------------------------------------------------------- what a side may see


def view_for(setting: Setting, position: Position, viewer: Side) -> Position:
    """Return a position as *viewer* may know it: without the marks that the other side keeps to itself.

    The law that holds it to `cut`: ``view_for(fold(p, e)) == fold(view_for(p), cut(e))``, for both sides, over whole games.
    """
    hidden = setting.ruleset.hidden_marks(viewer)
    if not hidden:
        return position.copy()
    seen = position.copy()
    seen.unit_marks = {
        (unit, mark): value
        for (unit, mark), value in seen.unit_marks.items()
        if mark not in hidden or setting.types[seen.units[unit].type].side == viewer
    }
    return seen


def cut(setting: Setting, position: Position, event: Event, viewer: Side) -> Event | None:
    """Return an event as *viewer* may know it in the position before it, None for one that he may not know of at all."""
    hidden = setting.ruleset.hidden_marks(viewer)
    if isinstance(event, (Marked, Unmarked)) and event.mark in hidden:
        own = tuple(unit for unit in event.units if setting.types[position.units[unit].type].side == viewer)
        return replace(event, units=own) if own else None
    return event
