"""Where a front is open: the ways on which enemies come past all troops of a side to what it must not lose."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from core.board import Hex
from core.derived import ASPECTS
from core.mechanics import supply as lines
from core.rulesets.war_for_the_motherland.bot import aims, ground
from core.rulesets.war_for_the_motherland.bot.worth_of_units import of_side
from core.units import Side
from core.views import View

DEPTH = 9  # hexes: who would have to go farther is met on the way
CARRIED, MOST_CARRIED = 0.04, 2.0  # share of the value of those whose line of supply is at the end of a way
HELD = 0.2  # share of the weight of a prize there
FEEDER = 0.6  # a depot or headquarters there

Worths = tuple[tuple[Hex, ...], tuple[float, ...]]


def open_ways(view: View, side: Side, shut: Collection[Hex]) -> dict[Hex, float]:
    """Return the hexes of the ways past a side's troops, each with the worth of what is at the end of the dearest way over it.

    *shut* are the hexes that troops of the side hold or keep closed.
    """
    starts = tuple(sorted({one.here for one in ground.enemies(view, side) if one.attack}))
    of = (lines.bars_of(view.board, shut), starts, worths(view, side))
    return view.derived.keep(("bot open ways", side), of, lambda: _open_ways(view, *of))


def _open_ways(view: View, shut: lines.Bars, starts: tuple[Hex, ...], worths: Worths) -> dict[Hex, float]:
    outside = {there for here in starts for there in (here, *view.board.adjacent[here])}  # who stands in a ZOC can go on from it (5.24)
    field = lines.trace(ground.over_land(view), sources=shut.free(outside), blocked=shut, limit=DEPTH)
    hexes, values = (np.array(some) for some in worths)
    ways = field.distances[hexes]
    values = np.where((ways <= DEPTH) & (shut.mask[hexes] == 0), values * (1 - ways / (DEPTH + 1)), 0.0)
    found: dict[Hex, float] = {}
    for number in np.argsort(-values, kind="stable").tolist():
        worth = float(values[number])
        if worth <= 0:
            break
        for there in field.path(worths[0][number]):
            found.setdefault(there, worth)
    return found


def worths(view: View, side: Side) -> Worths:
    """Return the hexes that a side must not let enemies come to, and what each is worth: its lines, prizes, depots and headquarters."""
    return view.derived.get(("bot worths", side), ASPECTS, lambda: _worths(view, side))


def _worths(view: View, side: Side) -> Worths:
    found = {here: min(MOST_CARRIED, CARRIED * worth) for here, worth in ground.lifelines(view, side).items()}
    for here, weight in aims.prizes(view).items():
        if aims.holder(view, here) == side:
            found[here] = max(found.get(here, 0.0), HELD * aims.held(view, here, weight))
    for one in of_side(view, side):
        if one.kind.kind in aims.FEEDERS:
            found[one.here] = max(found.get(one.here, 0.0), FEEDER)
    return tuple(found), tuple(found.values())
