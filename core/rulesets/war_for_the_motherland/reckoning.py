"""What a battle comes to before its die: totals, column, modifiers, each with its rule. Battle and preview read the same figures.

Rules: 8.1.2a, 8.1.2c, 8.1.3a, 8.1.3b, 8.1.4a, 8.1.4b, 8.1.5, 8.1.6a, 8.1.6b, 8.31, 8.33, 8.35, 8.41 to 8.47a, 8.51 to 8.56, 8.61 to 8.64,
8.71, 8.73, 8.74, 8.107a, 9.52, 9.53 (strengths), 11.27, 11.28, 2.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from core.board import Hex
from core.events import Line, Part
from core.mechanics import combat_table
from core.mechanics.odds import Points
from core.rulesets.war_for_the_motherland import air, battle, strength, strength_markers, weather, zoc
from core.rulesets.war_for_the_motherland.ranges import OSG_RANGE, SIEGE_RANGE
from core.rulesets.war_for_the_motherland.terms import ATTACKED, AXIS, SOVIET, is_german, units_at
from core.text import Text, text
from core.units import Face, Side, UnitId
from core.views import View

ROWS = ("major_city", "woods", "clear")  # best for the defender first (8.35)
ROW_NAMES = {"major_city": "major city or swamp", "woods": "woods or mountain", "clear": "clear or minor city"}
SIEGE_DRM = 4  # 8.71
CITY_ROWS = ("major_city", "fortress")  # what siege artillery can fire at (8.71)


class Reckoning(msgspec.Struct, frozen=True):
    """A battle before its die. *column* is the index after the shift; *parts* of the modifier add up to *drm*."""

    attack: Points
    defence: Points
    column: int
    drm: int
    lines: tuple[Line, ...]
    drm_parts: tuple[Part, ...]


def reckon(view: View, attackers: Sequence[UnitId], targets: Sequence[Hex], *, overrun: bool, siege: bool = False) -> Reckoning:
    """Reckon a battle by the present position.

    Args:
        siege: the siege artillery fires (8.72).
    """
    side = view.side(attackers[0])
    attack, attack_line = _attack(view, attackers)
    defence, defence_line = _defence(view, attackers, targets, side, overrun=overrun)
    found, column_line = column(view, attack, defence, targets, side)
    parts = tuple(_modifiers(view, targets, side, overrun=overrun, siege=siege))
    drm = sum(int(part.value) for part in parts)
    ratio_line = Line("ratio", f"{shown(attack)}:{shown(defence)}")
    drm_line = Line("drm", str(drm), parts)
    return Reckoning(attack, defence, found, drm, (attack_line, defence_line, ratio_line, column_line, drm_line), parts)


def shown(points: Points) -> str:
    """Return points as they are told; an expectation is rounded to a tenth.

    >>> from fractions import Fraction
    >>> shown(7), shown(Fraction(14, 3)), shown(Fraction(10))
    ('7', '≈4.7', '≈10')
    """
    return str(points) if isinstance(points, int) else f"≈{points}" if points.denominator == 1 else f"≈{float(points):.1f}"


# -------------------------------------------------------------------- strengths


def _attack(view: View, attackers: Sequence[UnitId]) -> tuple[Points, Line]:
    worths = [_worth(view, unit, attacks=True) for unit in attackers]
    total = sum(points for points, _ in worths)
    return total, Line("attack", shown(total), tuple(part for _, part in worths))


def _halving(view: View, unit: UnitId, *, attacks: bool) -> str:
    """Return the rule that halves a unit's strength, empty where none does."""
    if strength.is_out_of_supply(view, unit):
        return "9.52"
    return "9.53" if attacks and strength.is_in_lack(view, unit) else ""


def worth_of(view: View, unit: UnitId, face: Face, *, attacks: bool, full: bool = False) -> int:
    """Return what a unit that shows *face* adds to its side's total.

    Args:
        full: leave halving out.
    """
    value = face.attack if attacks else face.defence
    return strength.half(value) if not full and _halving(view, unit, attacks=attacks) else value  # 9.52, 9.53


def points_of(view: View, unit: UnitId, *, attacks: bool) -> Points:
    """Return what a unit adds to its side's total; an army that is still to draw adds what its cup promises (7.11)."""
    return _worth(view, unit, attacks=attacks)[0]


def doubling_of(view: View, unit: UnitId, face: Face) -> int:
    """Return what doubling adds to the defence of a unit that shows *face*: one that is halved as well stands as printed (2.4, D-09)."""
    worth = worth_of(view, unit, face, attacks=False)
    if not strength.is_out_of_supply(view, unit):
        return worth
    return worth_of(view, unit, face, attacks=False, full=True) - worth  # 2.4


def _worth(view: View, unit: UnitId, *, attacks: bool, full: bool = False) -> tuple[Points, Part]:
    """Return what a unit adds to its side's total; an army that is still to draw adds what its cup promises.

    Args:
        full: leave halving out.
    """

    def worth(face: Face) -> int:
        return worth_of(view, unit, face, attacks=attacks, full=full)

    rule = "" if full else _halving(view, unit, attacks=attacks)
    name = text("{unit}", unit=view.name(unit))
    if not strength_markers.lacks_marker(view, unit):
        points: Points = worth(strength.printed(view, unit))
        return points, Part(shown(points), rule, name)
    mean = strength_markers.expected(view, view.type(unit).cup, worth)
    if mean is None:
        points = worth(strength.NO_MARKER)  # D-30
        return points, Part(shown(points), "7.11", text("{unit}, its cup being empty", unit=view.name(unit)))
    words = text("{unit}, expected of cup {cup}: its marker is unknown", unit=view.name(unit), cup=view.type(unit).cup)
    return mean, Part(shown(mean), "7.11", words)


def _defence(view: View, attackers: Sequence[UnitId], targets: Sequence[Hex], side: Side, *, overrun: bool) -> tuple[Points, Line]:
    defending, suffering = battle.defenders(view, targets, side, overrun=overrun)
    worths = [_worth(view, unit, attacks=False) for unit in defending]
    parts = [part for _, part in worths]
    parts += [Part("0", "8.107", text("{unit} fled here", unit=view.name(unit))) for unit in suffering]
    total = sum(points for points, _ in worths)
    rivers = rivers_before(view, attackers, targets, overrun=overrun)
    if rivers:
        more, rule, words = _river_bonus(view, rivers, defending, total)
        parts.append(Part(shown(more), rule, text(words)))
        total += more
    return total, Line("defence", shown(total), tuple(parts))


def _doubling(view: View, unit: UnitId) -> Points:
    """Return what doubling adds to a unit's defence: one that is halved as well stands as it is printed (2.4, D-09)."""
    worth = _worth(view, unit, attacks=False)[0]
    if not strength.is_out_of_supply(view, unit):
        return worth
    return _worth(view, unit, attacks=False, full=True)[0] - worth  # 2.4


def rivers_before(view: View, attackers: Sequence[UnitId], targets: Sequence[Hex], *, overrun: bool) -> frozenset[str]:
    """Return the kinds of rivers that all attackers have before them; none where one of them has no river before him (8.45)."""
    if overrun:
        return frozenset()  # none is crossed (6.28), or it is ignored (17.41, D-29)
    rivers = frozenset(_river(view, Hex(view.unit(unit).place), there) for unit in attackers for there in targets)
    return frozenset() if "" in rivers else rivers  # 8.45


def minor_bonus(total: Points) -> int:
    """Return what minor rivers before all attackers add to a defence (8.42)."""
    return 1 if total == 1 else 2  # D-36


def _river_bonus(view: View, rivers: frozenset[str], defending: Sequence[UnitId], total: Points) -> tuple[Points, str, str]:
    """Return what rivers before all attackers add to a defence, by which rule, in which words (8.42 to 8.44)."""
    if rivers == {"minor"}:
        return minor_bonus(total), "8.42", "across minor rivers"
    more = sum(_doubling(view, unit) for unit in defending)
    if rivers == {"major"}:
        return more, "8.43", "doubled across major rivers"
    return more, "8.44", "doubled across major and minor rivers"


def _river(view: View, here: Hex, there: Hex) -> str:
    if view.board.side_has(here, there, "major_river") or weather.is_ice_road(view, here, there):  # 8.43, 8.46
        return "major"
    return "minor" if view.board.side_has(here, there, "minor_river") else ""


# -------------------------------------------------------------------- column


def column(view: View, attack: Points, defence: Points, targets: Sequence[Hex], side: Side) -> tuple[int, Line]:
    """Return the column of the table that two totals lead to, and how (8.1.3 to 8.1.5)."""
    table = battle.table_of(view)
    row = terrain_row(view, targets)
    found = table.column(row, attack, defence)  # 8.1.3, 8.1.4
    headings = table.headings[row]
    parts = [Part(headings[found], "", text("on the row {row}", row=ROW_NAMES[row]))]
    if air.covers(view, targets):
        by, rule, words = (1, "8.52", "one column right") if side == AXIS else (-1, "8.53", "one column left")
        found = table.shifted(found, by)  # 8.1.5, D-34
        parts.append(Part(headings[found], rule, text("air support: " + words)))
    return found, Line("column", headings[found], tuple(parts))


def terrain_row(view: View, targets: Iterable[Hex]) -> str:
    """Return the row of the table: of several hexes the best for the defender (8.35)."""
    rows = {weather.terrain_row(view, here).row for here in targets}
    return next(row for row in ROWS if row in rows)


# -------------------------------------------------------------------- die roll modifiers


def _modifiers(view: View, targets: Sequence[Hex], side: Side, *, overrun: bool, siege: bool) -> Iterable[Part]:
    turn = weather.turn_of(view)
    if turn.combat_modifier:
        rule = "11.27" if turn.winter == 1 else "11.28"
        yield Part(str(turn.combat_modifier), rule, text("winter"))
    if overrun:
        yield Part("1", "6.1", text("overrun"))  # 6.1.3
    osg = supporting_osg(view, targets) if side == SOVIET else None  # 8.61
    if osg is not None:
        yield Part("3", "8.62", text("{unit}", unit=view.name(osg)))  # 8.64: never waived
    if siege:
        yield Part(str(SIEGE_DRM), "8.71", text("siege artillery"))


def supporting_osg(view: View, targets: Sequence[Hex]) -> UnitId | None:
    """Return an OSG that has all these hexes within its range, over whatever lies between (8.62, 8.63)."""
    for unit in view.position.on_map():
        if view.types[unit.type].kind == "osg":
            here = Hex(unit.place)
            if all(view.board.distance(here, there) <= OSG_RANGE for there in targets):
                return unit.id
    return None


def siege_artillery(view: View, attackers: Sequence[UnitId], targets: Sequence[Hex], *, overrun: bool) -> UnitId | None:
    """Return siege artillery that may fire in a battle, None if none may (8.71, 8.73, 8.74, D-35, D-37)."""
    if overrun or not any(is_german(view.type(unit)) for unit in attackers):
        return None
    if any(weather.terrain(view, there) not in CITY_ROWS for there in targets):
        return None
    for unit in view.position.on_map():
        if view.types[unit.type].kind == "siege_artillery" and _can_fire(view, unit.id, targets):
            return unit.id
    return None


def _can_fire(view: View, gun: UnitId, targets: Sequence[Hex]) -> bool:
    here = Hex(view.unit(gun).place)
    if view.position.mark(gun, ATTACKED):
        return False  # 8.74
    if any(view.board.distance(here, there) > SIEGE_RANGE for there in targets):
        return False
    return len(units_at(view, here, AXIS)) > 1 or not zoc.in_enemy_zoc(view, here, AXIS)  # 8.73


def result_meaning(written: str) -> Text:
    """Return what a result means, for people."""
    result = combat_table.read_result(written)
    if result.eliminated:
        return text("all attackers are eliminated") if result.eliminated == "attacker" else text("all defenders are eliminated")
    if result.retreat:
        if result.attacker:
            return text("the attacker loses steps or retreats hexes, {n} in all", n=result.attacker)
        return text("the defender loses steps or retreats hexes, {n} in all", n=result.defender)
    if result.attacker or result.defender:
        return text("steps lost: attacker {a}, defender {d}; no retreat", a=result.attacker, d=result.defender)
    return text("no effect")
