"""What the map promises, laid over it: threatened units, where reinforcements may come, victory, support. Decides nothing."""

from __future__ import annotations

from core.board import Hex
from core.mechanics.odds import Points
from core.ruleset import Overlay
from core.rulesets.war_for_the_motherland import air, arrivals, ranges, reckoning, victory, zoc
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.terms import AXIS, side_title, units_at
from core.text import text
from core.units import Side
from core.views import View


@RULES.overlay("threats")
def threats_overlay(view: View, side: Side) -> Overlay:
    """Return a side's units that are outweighed by the enemies next to them, with both strengths as the viewer knows them.

    An army whose strength nobody knows yet counts what its cup promises (7.11); ≈ tells so. Terrain and what else the odds hang on is told
    by the attack itself.
    """
    enemy, hexes = view.other(side), dict[Hex, str]()
    for here in sorted(zoc.held(view, side)):
        attackers = [unit for there in view.board.adjacent[here] for unit in units_at(view, there, enemy)]
        against = sum(reckoning.points_of(view, unit, attacks=True) for unit in attackers)
        own = sum(reckoning.points_of(view, unit, attacks=False) for unit in units_at(view, here, side))
        if against >= max(own, 1):
            hexes[here] = f"{_rounded(against)}:{_rounded(own)}"
    return Overlay(text("Threatened units of the {side}", side=side_title(side)), hexes)


def _rounded(points: Points) -> str:
    """Return points for a label on the map, where there is no room for tenths.

    >>> from fractions import Fraction
    >>> _rounded(7), _rounded(Fraction(14, 3)), _rounded(Fraction(10))
    ('7', '≈5', '≈10')
    """
    return str(points) if isinstance(points, int) else f"≈{round(points)}"


@RULES.overlay("reinforcements")
def reinforcements_overlay(view: View, side: Side) -> Overlay:
    """Return the hexes where a side's waiting counters may be placed now, with how many of them may (13.11)."""
    count: dict[Hex, int] = {}
    for unit in arrivals.waiting(view, side):
        for here in arrivals.legal_hexes(view, unit):
            count[here] = count.get(here, 0) + 1
    title = text("Where reinforcements of the {side} may come", side=side_title(side))
    return Overlay(title, {here: str(n) for here, n in sorted(count.items())})


@RULES.overlay("victory")
def victory_overlay(view: View, side: Side) -> Overlay:
    """Return what counts for victory: cities with their points where *side* holds them, and for the Axis the points of its army (15.0)."""
    said, labels = victory.conditions(view), dict[Hex, int]()
    for label, points in said.cities.items():
        if view.board.has(label) and view.position.control.get(view.board.hex(label)) == side:
            labels[view.board.hex(label)] = points
    if side == AXIS and said.army_points:
        for unit in view.position.on_map():
            points = victory.army_points(view, unit.id)
            if points:
                labels[Hex(unit.place)] = labels.get(Hex(unit.place), 0) + points
    return Overlay(text("What counts for victory: {side}", side=side_title(side)), {here: str(n) for here, n in sorted(labels.items())})


@RULES.overlay("support")
def support_overlay(view: View, side: Side) -> Overlay:
    """Return how far markers that support combat reach: the zones of air fleets, and the hexes within range of an OSG; with their rim.

    Whether one supports a battle hangs on the weather and on all of its hexes as well, and is told by the attack.
    """
    if side == AXIS:
        zones = [air.zone(view, fleet) for fleet in air.fleets(view)]  # 10.21
    else:
        guns = (unit for unit in view.position.on_map() if view.types[unit.type].kind == "osg")
        zones = [view.board.within(Hex(gun.place), ranges.OSG_RANGE) for gun in guns]  # 8.62
    covered = frozenset[Hex]().union(*zones)
    rim = tuple((here, there) for here in sorted(covered) for there in view.board.adjacent[here] if there not in covered)
    return Overlay(text("Support of the {side}", side=side_title(side)), dict.fromkeys(sorted(covered), ""), front=rim)
