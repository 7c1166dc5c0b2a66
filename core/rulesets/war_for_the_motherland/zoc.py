"""Zones of control (4.21 to 4.25).

Rules: 4.21a, 4.21b, 4.21c, 4.22, 4.23a, 4.23b, 4.24a, 4.24b, 4.25, 5.26a (ZOC over ice), 9.44 (causeway), 11.23; D-14, D-20.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from core.board import Hex, Place
from core.derived import forces
from core.ruleset import Overlay
from core.rulesets.war_for_the_motherland import weather
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.strength import printed
from core.rulesets.war_for_the_motherland.terms import SOVIET, counters, is_armored, is_unit, side_title, units_at
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
    return ground(view, side).zone


def held(view: View, side: Side) -> frozenset[Hex]:
    """Return the hexes where units of a side stand, fleets and partisans aside."""
    return ground(view, side).held


# -------------------------------------------------------------------- kept, stack by stack


Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Ground:
    """Where a side's units stand and which hexes lie in their ZOC. The same object as long as neither changes.

    Attributes:
        stacks: for each hex with units, the hexes that their ZOC reaches.
        standing: by hex, 1 where units stand.
        counts: by hex, how many stacks' ZOC reaches it.
    """

    stacks: Mapping[Place, tuple[Hex, ...]]
    standing: bytearray
    counts: bytearray

    @cached_property
    def held(self) -> frozenset[Hex]:
        """The hexes where units stand."""
        return frozenset(map(Hex, self.stacks))

    @cached_property
    def zone(self) -> frozenset[Hex]:
        """The hexes that lie in the ZOC."""
        return frozenset().union(*self.stacks.values())

    @cached_property
    def is_held(self) -> Mask:
        """By hex, whether units stand there."""
        return np.frombuffer(self.standing, np.bool_)

    @cached_property
    def is_in_zone(self) -> Mask:
        """By hex, whether it lies in the ZOC."""
        return np.frombuffer(self.counts, np.uint8) > 0


def ground(view: View, side: Side) -> Ground:
    """Return where a side's units stand and exert; after a move only the stacks that it touched are looked at."""
    frozen = side == SOVIET and weather.is_snow(view)
    return view.derived.follow(
        ("ground", side, frozen), (forces(side),),
        lambda: _with(view, _bare(view), _stacks(view, side), frozen=frozen),
        lambda old, places: _with(view, old, {here: units_at(view, Hex(here), side) for here in places if here >= 0}, frozen=frozen),
    )


def _bare(view: View) -> Ground:
    return Ground({}, bytearray(view.board.size), bytearray(view.board.size))


def _stacks(view: View, side: Side) -> dict[Place, list[UnitId]]:
    stacks: dict[Place, list[UnitId]] = {}
    for unit, kind in counters(view, side):
        if is_unit(kind):
            stacks.setdefault(unit.place, []).append(unit.id)
    return stacks


def _with(view: View, old: Ground, units_in: Mapping[Place, Sequence[UnitId]], *, frozen: bool) -> Ground:
    """Return the ground where these units stand in these hexes, and all others as before."""
    sides = _sides_of(view)
    now = {here: _reached(view, sides, here, units, frozen=frozen) for here, units in units_in.items()}
    changed = [here for here, reached in now.items() if old.stacks.get(here) != reached]
    if not changed:
        return old
    stacks, standing, counts = dict(old.stacks), old.standing.copy(), old.counts.copy()
    for here in changed:
        reached = now[here]
        for there in stacks.pop(here, ()):
            counts[there] -= 1
        for there in reached or ():
            counts[there] += 1
        if reached is not None:
            stacks[here] = reached
        standing[here] = reached is not None
    return Ground(stacks, standing, counts)


def _reached(view: View, sides: _Sides, here: Place, units: Sequence[UnitId], *, frozen: bool) -> tuple[Hex, ...] | None:
    """Return the hexes that the ZOC of the units in a hex reaches, None if there are no units."""
    if not units:
        return None
    land, ice = sides
    reached: tuple[Hex, ...] = ()
    for unit in units:
        if exerts_zoc(view, unit):
            if frozen and not is_armored(view.type(unit)):
                return land[here] + ice[here]  # 5.26a
            reached = land[here]
    return reached


_Neighbours = tuple[tuple[Hex, ...], ...]
_Sides = tuple[_Neighbours, _Neighbours]


def _sides_of(view: View) -> _Sides:
    return view.derived.get("zoc sides", (), lambda: _sides(view))


def over_land(view: View) -> _Neighbours:
    """Return for each hex its neighbours that no water parts from it."""
    return _sides_of(view)[0]


def _sides(view: View) -> _Sides:
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
