"""What tells how a game goes: the front, steps, cities, supply, support groups, production; for statistics, not for play."""

from __future__ import annotations

from itertools import pairwise
from statistics import median

from core.board import Hex
from core.derived import CONTROL, MARKS, STEPS, UNITS
from core.rulesets.war_for_the_motherland import strength, victory
from core.rulesets.war_for_the_motherland.terms import AXIS, DESTROYED_EA, EVACUATED, MARKERS, NOT_STACKING, SOVIET
from core.units import Side, Unit
from core.views import View

SECTORS = ("north", "centre", "south")
LEAST_SECTOR = 24  # rows of hexes that are worth three sectors


def figures(view: View) -> dict[str, float]:
    """Return what tells how the game stands, each figure by its name; columns of hexes count from the west edge of the map."""
    return view.derived.get("figures", (UNITS, STEPS, MARKS, CONTROL), lambda: _figures(view))


def _figures(view: View) -> dict[str, float]:
    troops = [unit for unit in view.position.on_map() if view.types[unit.type].kind not in NOT_STACKING | MARKERS]
    found: dict[str, float] = {"vp": victory.score(view)[AXIS]}
    for side in (AXIS, SOVIET):
        own = [unit for unit in troops if view.types[unit.type].side == side]
        found[f"{side}_steps"] = sum(unit.steps for unit in own)
        found[f"{side}_out_of_supply"] = sum(strength.is_out_of_supply(view, unit.id) for unit in own)
    found["osg"] = sum(1 for unit in view.position.on_map() if view.types[unit.type].kind == "osg")
    for key, box in (("destroyed_ea", DESTROYED_EA), ("evacuated", EVACUATED)):
        found[key] = len(view.position.at(view.board.box(box)))
    found["axis_cities"] = cities_held(view, AXIS)
    return found | _fronts(view, troops)


def names(view: View) -> frozenset[str]:
    """Return the names of all figures: where no troops face one another a sector has none for a while."""
    fronts = {f"{figure}_{name}" for name in _sectors(view) for figure in ("front", "axis_reach", "soviet_reach")}
    return frozenset(figures(view)) | fronts


def cities_held(view: View, side: Side) -> int:
    """Return how many major cities, ports, fortresses and cities of the scenario a side controls (5.7, D-27)."""
    return sum(held == side for held in view.position.control.values())


# -------------------------------------------------------------------- the front


def _fronts(view: View, troops: list[Unit]) -> dict[str, float]:
    """Return for each sector where its front runs, and how far each side reaches."""
    found: dict[str, float] = {}
    for name, rows in _sectors(view).items():
        east: dict[int, float] = {}
        west: dict[int, float] = {}
        for unit in troops:
            row, column = _place(view, Hex(unit.place))
            if row in rows:
                if view.types[unit.type].side == AXIS:
                    east[row] = max(east.get(row, column), column)
                else:
                    west[row] = min(west.get(row, column), column)
        both = [(east[row] + west[row]) / 2 for row in sorted(east.keys() & west.keys())]
        if both:
            found[f"front_{name}"] = median(both)
        if east:
            found[f"axis_reach_{name}"] = max(east.values())
        if west:
            found[f"soviet_reach_{name}"] = min(west.values())
    return found


def _sectors(view: View) -> dict[str, range]:
    """Return the rows of hexes of each sector, from the north; a small map is one."""
    return view.derived.get("sectors of the front", (), lambda: _make_sectors(view))


def _make_sectors(view: View) -> dict[str, range]:
    rows = sorted({_place(view, Hex(i))[0] for i in range(view.board.size)})
    low, high = rows[0], rows[-1] + 1
    if high - low < LEAST_SECTOR:
        return {"all": range(low, high)}
    third = (high - low) / 3
    edges = [low + round(third * i) for i in range(4)]
    return {name: range(edges[i], edges[i + 1]) for i, name in enumerate(SECTORS)}


def _place(view: View, here: Hex) -> tuple[int, float]:
    """Return the row and the column of a hex, in hexes from the north and the west edge."""
    return view.derived.get("rows and columns", (), lambda: _places(view))[here]


def _places(view: View) -> tuple[tuple[int, float], ...]:
    facts = view.board.facts
    height, width = _pitch(sorted({fact.y for fact in facts})), _pitch(sorted({fact.x for fact in facts}))
    top, left = min(fact.y for fact in facts), min(fact.x for fact in facts)
    if view.board.orientation == "pointy-top":
        width *= 2  # every second column lies half a hex aside
    else:
        height *= 2
    return tuple((round((fact.y - top) / height), round((fact.x - left) / width, 1)) for fact in facts)


def _pitch(values: list[float]) -> float:
    """Return the least distance between two values, 1 if there are not two."""
    return min((b - a for a, b in pairwise(values) if b - a > 1e-6), default=1.0)
