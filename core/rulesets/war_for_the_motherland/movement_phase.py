"""Movement phases (3.0 phases 2, 5, 6): their beginning, the decision of the side that moves, their end.

Rules: 3.0.2b, 3.0.5b, 3.0.6a, 4.11a, 4.18, 5.0a, 5.0b, 5.15, 5.24a (where units began), 5.35.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from core.board import Hex
from core.events import Event, FramePushed, Marked, MarksCleared, TrackSet
from core.flow import Decision, Step
from core.game import Game
from core.rulesets.war_for_the_motherland import end_phase, marching, movement, overrun, sea_movement, stacking, strategic, zoc
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.terms import (
    AXIS,
    BEGAN_AT,
    BEGAN_IN_ZOC,
    OF_A_MOVEMENT_PHASE,
    SOVIET,
    side_title,
)
from core.text import Text, text
from core.units import Side, UnitId
from core.views import View

__all__ = ["EndOfMovement", "Move", "MoveUnits", "end_phase"]


class Move(Step, frozen=True, kw_only=True):
    """A side moves."""

    side: Side


class EndOfMovement(Step, frozen=True, kw_only=True):
    """Stacking is enforced and the marks of the phase go."""

    side: Side


def _prompt(view: View, decision: MoveUnits) -> Text:
    what = "move panzer units" if view.position.phase == movement.MECHANIZED_PHASE else "move units"
    return text("{side}: {what}, or end the phase", side=side_title(decision.side), what=what)


@RULES.decision(_prompt, title=text("Movement"))
class MoveUnits(Decision, frozen=True, kw_only=True):
    """The phasing side moves and overruns with what it wants, in the order of the classes."""

    orders: ClassVar = ("move", "overrun", "strategic", "sail", "end_phase")
    rule: ClassVar = "5.0a"


@RULES.step(Move)
def begin_movement(game: Game, step: Move) -> Iterator[Event]:
    """Mark where everybody begins, and ask the side if anything of it can move."""
    yield TrackSet(movement.MOVEMENT_CLASS, movement.SEA)
    yield from _mark_beginnings(game, step.side)
    if can_act(game, step.side):
        yield FramePushed(MoveUnits(side=step.side).frame())


def _mark_beginnings(game: Game, side: Side) -> Iterator[Event]:
    """Mark the hexes where units begin, and who begins in an enemy ZOC (5.12a, 5.24a, 6.23a)."""
    stacks: dict[Hex, list[UnitId]] = {}
    for unit in marching.own_units(game, side):
        stacks.setdefault(Hex(game.unit(unit).place), []).append(unit)
    in_zoc = [unit for here, units in stacks.items() if zoc.in_enemy_zoc(game, here, side) for unit in units]
    if in_zoc:
        yield Marked(tuple(sorted(in_zoc)), BEGAN_IN_ZOC)
    for here, units in sorted(stacks.items()):
        yield Marked(tuple(units), BEGAN_AT, here + 1)


def can_act(view: View, side: Side) -> bool:
    """Say whether a side can move or overrun with anything now."""
    manners = (movement.MANNER, strategic.MANNER)
    if any(marching.can_move(view, side, manner) for manner in manners):
        return True
    return overrun.can_overrun(view, side) or sea_movement.can_sail(view, side)


@RULES.step(EndOfMovement)
def end_of_movement(game: Game, step: EndOfMovement) -> Iterator[Event]:
    """Clear the marks of the phase; then each side mends its overstacked hexes (4.11a, 4.18)."""
    yield MarksCleared(OF_A_MOVEMENT_PHASE)
    yield FramePushed(stacking.CheckStacking(side=AXIS).frame())
    yield FramePushed(stacking.CheckStacking(side=SOVIET).frame())
