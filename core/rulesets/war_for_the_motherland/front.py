"""Where the ground of one side meets that of the other: the front line, for showing. Nothing here decides."""

from __future__ import annotations

from core.board import Hex
from core.rulesets.war_for_the_motherland import weather, zoc
from core.rulesets.war_for_the_motherland.terms import AXIS, SOVIET
from core.units import Side
from core.views import View

FRONT_FROM_UNITS = 4  # hexes from the nearest unit beyond which no front is drawn


def front(view: View, side: Side) -> tuple[tuple[Hex, Hex], ...]:
    """Return the hexsides where a side's ground meets the enemy's: each land hex is with the nearest units, where they are near at all."""
    near = {one: _distances(view, one) for one in (side, view.other(side))}
    beyond = FRONT_FROM_UNITS + 1
    # A hex as near to both is the Soviets' for both sides, so that the two lines are one front.
    soviet = {here for here, far in near[SOVIET].items() if far <= near[AXIS].get(here, beyond)}
    axis = {here for here, far in near[AXIS].items() if far < near[SOVIET].get(here, beyond)}
    ours, theirs = (axis, soviet) if side == AXIS else (soviet, axis)
    return tuple((here, there) for here in sorted(ours) for there in view.board.adjacent[here] if there in theirs)


def _distances(view: View, side: Side) -> dict[Hex, int]:
    """Return how far each land hex lies from a side's nearest unit, as far as a front is drawn."""
    found = dict.fromkeys(sorted(zoc.held(view, side)), 0)
    rim = list(found)
    for distance in range(1, FRONT_FROM_UNITS + 1):
        reached = {there for here in rim for there in view.board.adjacent[here] if there not in found and weather.is_land(view, there)}
        found |= dict.fromkeys(sorted(reached), distance)
        rim = sorted(reached)
    return found
