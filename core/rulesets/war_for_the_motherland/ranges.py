"""How far counters act over the hexes around them: what a ring shows while they are placed or moved.

Rules: 8.62, 8.71, 10.12, 10.21.
"""

from __future__ import annotations

from collections.abc import Iterable

from core.board import Hex
from core.rulesets.war_for_the_motherland import air
from core.rulesets.war_for_the_motherland.marching import March
from core.units import UnitId
from core.views import View

OSG_RANGE, SIEGE_RANGE = 3, 2  # 8.62, 8.71
OF_KIND = {"airbase": air.RANGE, "osg": OSG_RANGE, "siege_artillery": SIEGE_RANGE}


def covered_from(view: View, units: Iterable[UnitId], here: Hex) -> frozenset[Hex]:
    """Return the hexes in range of any of these units if they stood in a hex, none if none acts so far."""
    ranges = [OF_KIND[kind.kind] for kind in map(view.type, units) if kind.kind in OF_KIND]
    return view.board.within(here, max(ranges)) if ranges else frozenset()


def covered_by_march(view: View, draft: March) -> frozenset[Hex]:
    """Return the hexes in range of units that move, from the end of their path."""
    if not draft.units:
        return frozenset()
    return covered_from(view, draft.units, draft.path[-1] if draft.path else Hex(view.unit(draft.units[0]).place))
