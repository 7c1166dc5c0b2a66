"""What a battle may come to while strength markers are still to be drawn: each column, with the number of draws that lead to it.

Nothing is drawn here. Every set of markers that the armies may get is as likely as any other, for none goes back before the die is rolled.

Rules: 7.11, 7.14a, 8.42 to 8.44; D-30, D-33.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence

from core.board import Hex
from core.rulesets.war_for_the_motherland import battle, reckoning, strength, strength_markers
from core.units import Face, UnitId
from core.views import View

Totals = tuple[int, int]  # of the attack, of the defence
Adds = Callable[[UnitId, Face], Totals]


def columns(
    view: View, attackers: Sequence[UnitId], targets: Sequence[Hex], *, overrun: bool, shifted: bool = True
) -> Counter[int]:
    """Return each column that a battle may be fought in, with the number of draws that lead there; one draw where all is known.

    They are those before a shift by air support if *shifted* is not set.
    """
    table, row = battle.table_of(view), reckoning.terrain_row(view, targets)
    side, found = view.side(attackers[0]), Counter[int]()
    for (attack, defence), ways in totals(view, attackers, targets, overrun=overrun).items():
        column = reckoning.column(view, attack, defence, targets, side)[0] if shifted else table.column(row, attack, defence)
        found[column] += ways
    return found


def totals(view: View, attackers: Sequence[UnitId], targets: Sequence[Hex], *, overrun: bool) -> Counter[Totals]:
    """Return each pair of totals that a battle may come to, with the number of draws that lead to it."""
    defending = battle.defenders(view, targets, view.side(attackers[0]), overrun=overrun)[0]
    rivers = reckoning.rivers_before(view, attackers, targets, overrun=overrun)
    attacking, doubled = frozenset(attackers), "major" in rivers

    def adds(unit: UnitId, face: Face) -> Totals:
        if unit in attacking:
            return reckoning.worth_of(view, unit, face, attacks=True), 0
        return 0, reckoning.worth_of(view, unit, face, attacks=False) + (reckoning.doubling_of(view, unit, face) if doubled else 0)

    found, drawing, left = Counter({(0, 0): 1}), defaultdict[str, list[UnitId]](list), dict[str, int]()
    for unit in (*battle.in_hex_order(view, attackers), *battle.in_hex_order(view, defending)):  # D-33
        cup, face = view.type(unit).cup, strength.printed(view, unit)
        if strength_markers.lacks_marker(view, unit):
            left.setdefault(cup, sum(view.position.cups.get(cup, {}).values()))
            if left[cup]:
                left[cup] -= 1
                drawing[cup].append(unit)
                continue
            face = strength.NO_MARKER  # D-30
        found = _joined(found, Counter({adds(unit, face): 1}))
    for cup, units in drawing.items():
        found = _joined(found, _drawn(view, cup, units, adds))
    if rivers != {"minor"}:
        return found
    with_river = Counter[Totals]()
    for (attack, defence), ways in found.items():
        with_river[attack, defence + reckoning.minor_bonus(defence)] += ways
    return with_river


def _joined(one: Counter[Totals], other: Counter[Totals]) -> Counter[Totals]:
    found = Counter[Totals]()
    for (attack, defence), ways in one.items():
        for (more, behind), further in other.items():
            found[attack + more, defence + behind] += ways * further
    return found


def _drawn(view: View, cup: str, units: Sequence[UnitId], adds: Adds) -> Counter[Totals]:
    """Return what units may add that draw from one cup: kind of marker by kind, with how many are still to get one.

    Units that each marker is worth the same to are counted together, so that six armies cost no more than one does.
    """
    chits = sorted(view.position.cups[cup].items())
    fronts = [view.charts.markers[chit].front for chit, _ in chits]
    faces = [Face(attack, defence, 0) for attack, defence in fronts]
    alike = Counter(tuple(adds(unit, face) for face in faces) for unit in units)
    groups = list(alike)
    open_: dict[tuple[int, ...], Counter[Totals]] = {tuple(alike.values()): Counter({(0, 0): 1})}
    for kind, (_, number) in enumerate(chits):
        after = defaultdict[tuple[int, ...], Counter[Totals]](Counter)
        for wanting, sums in open_.items():
            for taken in _shares(wanting, number):
                rest = tuple(want - take for want, take in zip(wanting, taken, strict=True))
                more = sum(take * group[kind][0] for take, group in zip(taken, groups, strict=True))
                behind = sum(take * group[kind][1] for take, group in zip(taken, groups, strict=True))
                ways = _ways(number, taken)
                for (attack, defence), before in sums.items():
                    after[rest][attack + more, defence + behind] += before * ways
        open_ = after
    return open_[(0,) * len(groups)]


def _shares(wanting: tuple[int, ...], number: int) -> Iterator[tuple[int, ...]]:
    """Yield how many of *number* equal markers each group may get, of those that it wants."""
    if not wanting:
        yield ()
        return
    for take in range(min(wanting[0], number) + 1):
        for rest in _shares(wanting[1:], number - take):
            yield (take, *rest)


def _ways(number: int, taken: tuple[int, ...]) -> int:
    """Return in how many ways groups can take so many of equal markers.

    >>> _ways(4, (1, 2))
    12
    """
    ways = 1
    for take in taken:
        ways *= math.comb(number, take)
        number -= take
    return ways
