"""What a unit is worth at this moment: attack, defence, movement points, steps (2.4, 7.1, 9.52, 9.53)."""

from __future__ import annotations

from core.rulesets.war_for_the_motherland.terms import LACK_OF_SUPPLY, OUT_OF_SUPPLY, is_army
from core.units import Face, UnitId
from core.views import View

NO_MARKER = Face(1, 1, 0)  # an army whose cup was empty (D-30)


def half(value: int) -> int:
    """Return half a value, rounded up (2.4)."""
    return (value + 1) // 2


def printed(view: View, unit: UnitId) -> Face:
    """Return the values that the counter and its marker show; an army without a marker shows attack and defence 0."""
    counter, kind = view.unit(unit), view.type(unit)
    if not is_army(kind):
        return kind.faces[min(kind.steps - counter.steps, len(kind.faces) - 1)] if kind.faces else Face(0, 0, 0)
    chit = view.position.chits.get(unit)
    if chit is None:
        return Face(0, 0, kind.move)
    marker = view.charts.markers[chit]
    attack, defence = marker.front if counter.steps == kind.steps else marker.back
    return Face(attack, defence, kind.move)


def is_out_of_supply(view: View, unit: UnitId) -> bool:
    """Say whether a unit was judged Out of Supply this turn (9.12)."""
    return bool(view.position.mark(unit, OUT_OF_SUPPLY))


def is_in_lack(view: View, unit: UnitId) -> bool:
    """Say whether a unit was judged to be in Lack of Supply this turn (9.12, 9.13)."""
    return bool(view.position.mark(unit, LACK_OF_SUPPLY))


def is_supplied(view: View, unit: UnitId) -> bool:
    """Say whether a unit bears neither supply marker."""
    return not is_out_of_supply(view, unit) and not is_in_lack(view, unit)


def attack(view: View, unit: UnitId) -> int:
    """Return the attack strength, halved without full supply (9.52, 9.53)."""
    value = printed(view, unit).attack
    return value if is_supplied(view, unit) else half(value)


def defence(view: View, unit: UnitId) -> int:
    """Return the defence strength, halved when Out of Supply (9.52)."""
    value = printed(view, unit).defence
    return half(value) if is_out_of_supply(view, unit) else value


def movement(view: View, unit: UnitId) -> int:
    """Return the movement points of a phase, halved without full supply (9.52, 9.53)."""
    value = printed(view, unit).move
    return value if is_supplied(view, unit) else half(value)
