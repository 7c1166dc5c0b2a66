"""Supply laid over the map: which hexes a side supplies now, and along which lines its units and links trace."""

from __future__ import annotations

from core.board import Hex
from core.ruleset import Overlay
from core.rulesets.war_for_the_motherland import sea_supply, supply
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.terms import side_title
from core.text import text
from core.units import Side, UnitId
from core.views import View


@RULES.overlay("supply")
def supply_overlay(view: View, side: Side) -> Overlay:
    """Return a side's supplied hexes with their distance, and the lines of all its units, depots and headquarters.

    It shows the present position; what was judged in phase 1 stands on the counters (9.12).
    """
    distances = supply.network(view, side).field.halves
    hexes = {here: supply.hexes_text(distances[here]) for here in sorted(supply.supplied_from(view, side))}
    lines = {line for user in supply.USERS if supply.side_of(user) == side for line in supply.network(view, user).links.values()}
    lines |= {line_of(view, unit) for unit in supply.judged(view) if view.side(unit) == side}
    return Overlay(text("{side} supply", side=side_title(side)), hexes, tuple(sorted(line for line in lines if len(line) > 1)))


def line_of(view: View, unit: UnitId) -> tuple[Hex, ...]:
    """Return the line that supplies a unit now, from its hex to what gives; empty if there is none or it needs none."""
    kind, here = view.type(unit), Hex(view.unit(unit).place)
    found = supply.network(view, supply.user_of(kind))
    if supply.needs_no_line(kind) or kind.kind == "headquarters":
        return found.links.get(here, ())
    if found.supplies(here):
        return found.field.path(here)
    return sea_supply.line(view, kind.side, here) if sea_supply.reaches(view, kind, here) else ()
