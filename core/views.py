"""A game as one side sees it: what options, reach, previews, bots and windows read."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from core.board import Board, Place
from core.cutting import Cut
from core.derived import Derived
from core.events import Event
from core.flow import Decision, Frame, typed
from core.hidden import OPEN, Eye, is_unknown
from core.orders import HexPick, Pick, UnitPick, value_of
from core.position import Position
from core.ruleset import CounterLook
from core.setting import Setting
from core.text import Text
from core.units import Side, Unit, UnitId, UnitType

BACK = CounterLook("", 0, 0)  # of a counter that the viewer doesn't know


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
        self._asked: tuple[Frame, Decision] | None = None   # the last decision with its frame: it is asked for at every pick

    # ---------------------------------------------------------------- who acts

    def decision(self) -> Decision | None:
        """Return the decision that the game waits for, None when it is over."""
        top = self.position.top
        if top is None or self.position.outcome is not None or top.name not in self.ruleset.decisions:
            return None
        if self._asked is None or self._asked[0] is not top:
            self._asked = (top, typed(top, self.ruleset.decisions[top.name]))
        return self._asked[1]

    def awaited(self) -> tuple[str, int]:
        """Return the name of the decision that the game waits for, empty for none, and its turn."""
        decision = self.decision()
        return "" if decision is None else type(decision).__name__, self.position.turn

    def side_to_act(self) -> Side:
        """Return the side that the game waits for, empty when it is over."""
        decision = self.decision()
        return decision.side if decision is not None else ""

    def hides_from(self, side: Side) -> bool:
        """Say whether a side knows what this view hides: then it is no view for that side's decisions."""
        return bool(self.ruleset.secrets) and self.viewer not in (OPEN, side)

    def prompt(self) -> Text | None:
        """Return the words that ask for the decision."""
        decision = self.decision()
        if decision is None:
            return None
        return self.ruleset.prompts[type(decision).__name__](self, decision)

    def moment(self) -> str:
        """Return turn and phase as people say them."""
        return f"turn {self.position.turn}, {self.ruleset.phase_name(self.position.phase)}"

    def seen_by(self, viewer: Side) -> View:
        """Return what *viewer* may know of this position; the view itself where that is all of it, or it is his own already."""
        if not self.ruleset.secrets or viewer == OPEN or self.viewer == viewer:
            return self
        return View(self.setting, view_for(self.setting, self.position, viewer), viewer=viewer)

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

    def look(self, unit: UnitId) -> CounterLook:
        """Return how a counter shows: what the viewer doesn't know shows its back, the same for all."""
        return BACK if is_unknown(unit) else self.ruleset.counter(self, unit)

    def name(self, unit: UnitId) -> str:
        """Return how people call a unit: type and designation."""
        counter = self.position.units[unit]
        return self.types[counter.type].called(counter.name)

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


def eye_of(setting: Setting, viewer: Side) -> Eye:
    """Return what a viewer may know of a game in this setting."""
    return Eye(setting.ruleset.secrets, viewer, types=setting.types, board=setting.board, sides=setting.sides)


def eyes_of(setting: Setting) -> Callable[[Side], Eye] | None:
    """Return what tells what each viewer may know of a game in this setting, None where it has no secrets."""
    return partial(eye_of, setting) if setting.ruleset.secrets else None


def view_for(setting: Setting, position: Position, viewer: Side) -> Position:
    """Return a position as *viewer* may know it: without what the other side keeps to itself.

    The law that holds it to `cut`: ``view_for(fold(p, e)) == fold(view_for(p), cut(e))``, for all viewers, over whole games.
    """
    return eye_of(setting, viewer).view(position)


def cut(setting: Setting, position: Position, event: Event, viewer: Side) -> tuple[Event, ...]:
    """Return what *viewer* is told of an event in the position before it, nothing of one that he may not know of at all."""
    return Cut(eye_of(setting, viewer), position.copy()).take(event)
