"""Zones of control (4.21 to 4.25).

Rules: 4.21a, 4.21b, 4.21c, 4.22, 4.23a, 4.23b, 4.24a, 4.24b, 4.25, 5.26a (ZOC over ice), 9.44 (causeway), 11.23; D-14, D-20.
"""

from __future__ import annotations

from core.board import Hex
from core.derived import forces
from core.ruleset import Overlay
from core.rulesets.war_for_the_motherland import weather
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.strength import printed
from core.rulesets.war_for_the_motherland.terms import MARKERS, SOVIET, counters, is_armored, side_title, units_at
from core.text import text
from core.units import Side, UnitId
from core.views import View


def exerts_zoc(view: View, unit: UnitId) -> bool:
    """Say whether a unit has a ZOC where it stands (4.21, D-14: by printed, never halved, attack)."""
    kind = view.type(unit)
    if "zoc" in kind.traits:
        return True
    if "kg_zoc" not in kind.traits:
        return False
    if printed(view, unit).attack > 1:
        return True
    here = Hex(view.unit(unit).place)
    return any(other != unit and _has_attack(view, other) for other in units_at(view, here, kind.side))  # 4.21


def _has_attack(view: View, unit: UnitId) -> bool:
    kind = view.type(unit)
    return bool(kind.cup) or printed(view, unit).attack >= 1


def reaches(view: View, unit: UnitId, here: Hex, there: Hex) -> bool:
    """Say whether a unit's ZOC crosses the hexside to a neighbour (4.24, 5.26)."""
    if not weather.bars_all(view, here, there):
        return True
    kind = view.type(unit)
    return weather.is_ice_road(view, here, there) and kind.side == SOVIET and not is_armored(kind)  # 5.26, D-20


def exerted(view: View, side: Side) -> frozenset[Hex]:
    """Return the hexes that lie in the ZOC of a side's units."""
    frozen = side == SOVIET and weather.is_snow(view)
    return view.derived.get(("zoc", side, frozen), (forces(side),), lambda: _exerted(view, side, frozen=frozen))


def _exerted(view: View, side: Side, *, frozen: bool) -> frozenset[Hex]:
    land, ice = view.derived.get("zoc sides", (), lambda: _sides(view))
    found: set[Hex] = set()
    for unit, kind in counters(view, side):
        if kind.kind in MARKERS or not exerts_zoc(view, unit.id):
            continue
        found.update(land[unit.place])
        if frozen and not is_armored(kind):
            found.update(ice[unit.place])  # 5.26a
    return frozenset(found)


def held(view: View, side: Side) -> frozenset[Hex]:
    """Return the hexes where units of a side stand, fleets and partisans aside."""
    return view.derived.get(("held", side), (forces(side),), lambda: _held(view, side))


def _held(view: View, side: Side) -> frozenset[Hex]:
    return frozenset([Hex(unit.place) for unit, kind in counters(view, side) if kind.kind not in MARKERS])


_Neighbours = tuple[tuple[Hex, ...], ...]


def _sides(view: View) -> tuple[_Neighbours, _Neighbours]:
    """Return the neighbours of each hex that every ZOC reaches, and those that lie across an ice road."""
    land, ice = [], []
    for i in range(view.board.size):
        here = Hex(i)
        ring = view.board.adjacent[here]
        land.append(tuple(there for there in ring if not weather.bars_all(view, here, there)))
        ice.append(tuple(there for there in ring if view.board.side_has(here, there, "ice_road")))
    return tuple(land), tuple(ice)


def in_enemy_zoc(view: View, here: Hex, side: Side) -> bool:
    """Say whether a hex lies in the ZOC of *side*'s enemy (4.23)."""
    return here in exerted(view, view.other(side))


def in_bare_enemy_zoc(view: View, here: Hex, side: Side) -> bool:
    """Say whether a hex lies in an enemy ZOC that no unit of *side* negates by standing there (4.25, 4.29)."""
    return in_enemy_zoc(view, here, side) and not units_at(view, here, side)


def holder(view: View, here: Hex, side: Side) -> bool:
    """Say whether a unit of *side* with a ZOC stands in a hex (4.28)."""
    return any(exerts_zoc(view, unit) for unit in units_at(view, here, side))


@RULES.overlay("zoc")
def zoc_overlay(view: View, side: Side) -> Overlay:
    """Show the hexes in a side's ZOC."""
    return Overlay(text("Zones of control of the {side}", side=side_title(side)), dict.fromkeys(sorted(exerted(view, side)), ""))
