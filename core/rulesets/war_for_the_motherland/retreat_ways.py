"""Where a beaten unit may go: barred hexes, and the classes of 8.106.

Rules: 8.101b, 8.101d, 8.103a, 8.103b, 8.104c, 8.105a, 8.106, 8.75 (retreat), 4.15b, 4.29b, 5.26c, 9.52c; D-11, D-16, D-40, D-42.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.board import Hex
from core.derived import CHITS, MARKS, STEPS, TRACKS, UNITS
from core.errors import Refused
from core.rulesets.war_for_the_motherland import stacking, strength, weather, zoc
from core.rulesets.war_for_the_motherland.terms import IN_BATTLE, RETREATED_FROM, has_enemy, is_armored, units_at
from core.text import text
from core.units import Side, UnitId
from core.views import View


def priority(view: View, here: Hex, side: Side) -> int:
    """Return the class of a hex that units retreat into, 1 the first choice (8.106).

    Beaten units do not count for one another: they leave at the same time, so that nobody's way hangs on who goes first, and
    each group that goes by itself pays for itself (D-43).
    """
    held = any(not view.position.mark(unit, IN_BATTLE) for unit in units_at(view, here, side))
    contested = zoc.in_enemy_zoc(view, here, side)
    if contested:
        return 3 if held else 4
    return 2 if held else 1


def is_immobile(view: View, unit: UnitId) -> bool:
    """Say whether a unit can't retreat at all (8.101)."""
    return strength.printed(view, unit).move == 0


def barred(view: View, unit: UnitId, there: Hex) -> Refused | None:
    """Return why a unit may not retreat into a neighbouring hex whatever its priority, None if it may."""
    kind, here, name = view.type(unit), Hex(view.unit(unit).place), view.board.name(there)
    if is_immobile(view, unit):
        return Refused("8.101", text("{unit} has no movement points and can't retreat", unit=view.name(unit)))
    if weather.bars_all(view, here, there) or not weather.is_land(view, there):
        return Refused("8.103", text("no retreat over water to {hex}", hex=name))
    if has_enemy(view, there, kind.side):
        return Refused("8.103", text("{hex} is held by the enemy", hex=name))
    if kind.kind == "siege_artillery" and not view.board.side_has(here, there, "rail"):
        return Refused("8.75", text("{unit} retreats along a railroad only, not to {hex}", unit=view.name(unit), hex=name))  # 8.103
    start = Hex(view.position.mark(unit, RETREATED_FROM) - 1) if view.position.mark(unit, RETREATED_FROM) else here
    if view.board.distance(start, there) <= view.board.distance(start, here):
        return Refused("8.101", text("{hex} lies no farther from where {unit} stood", hex=name, unit=view.name(unit)))  # D-42
    if stacking.closed_to_nation(view, unit, there):
        return Refused("4.15", text("{hex} is closed to {unit}: another nation stands there", hex=name, unit=view.name(unit)))
    if strength.is_out_of_supply(view, unit) and priority(view, there, kind.side) == 4:
        return Refused("8.104", text("{unit} is Out of Supply: no retreat into the enemy ZOC of {hex}", unit=view.name(unit), hex=name))
    return None


def ways(view: View, unit: UnitId) -> frozenset[Hex]:
    """Return the hexes that a unit may retreat into next: those of the best class that is open to it (8.106)."""
    return view.derived.get(("ways", unit), (UNITS, STEPS, CHITS, MARKS, TRACKS), lambda: _ways(view, unit))


def _ways(view: View, unit: UnitId) -> frozenset[Hex]:
    here, side = Hex(view.unit(unit).place), view.side(unit)
    able = {there: priority(view, there, side) for there in view.board.adjacent[here] if barred(view, unit, there) is None}
    best = min(able.values(), default=0)
    return frozenset(there for there, rank in able.items() if rank == best)


def common(view: View, units: Sequence[UnitId]) -> frozenset[Hex]:
    """Return the hexes that units of one hex may retreat into together."""
    return frozenset.intersection(*(ways(view, unit) for unit in units))


def can_retreat(view: View, units: Sequence[UnitId]) -> bool:
    """Say whether every one of some units could go one hex by the present position (8.102, D-40)."""
    return all(ways(view, unit) for unit in units)


def crosses_river(view: View, units: Sequence[UnitId], here: Hex, there: Hex) -> bool:
    """Say whether a retreat over a hexside costs an armored step (8.108)."""
    return view.board.side_has(here, there, "major_river") and any(is_armored(view.type(unit)) for unit in units)
