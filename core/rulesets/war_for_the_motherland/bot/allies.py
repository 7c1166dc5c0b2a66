"""Allies who stand alone before the enemy: fed by their own nation (9.28), and stronger than all others of their side around them.

They hold what they have: nothing replaces what they lose, and what draws the side would lead them into woods where nothing feeds them.
"""

from __future__ import annotations

from collections.abc import Iterable

from core.derived import ASPECTS
from core.rulesets.war_for_the_motherland import supply
from core.rulesets.war_for_the_motherland.bot import ground
from core.rulesets.war_for_the_motherland.bot.worth_of_units import Standing, of_side
from core.rulesets.war_for_the_motherland.supply import User
from core.rulesets.war_for_the_motherland.terms import AXIS
from core.units import Side
from core.views import View

NEAR = 8  # hexes around an ally's troops in which others help or face them


def alone(view: View, side: Side) -> frozenset[User]:
    """Return the nations of a side that stand alone."""
    if side != AXIS:
        return frozenset()
    return view.derived.get("bot alone", ASPECTS, lambda: frozenset(user for user in supply.CAPITALS if _stands_alone(view, user)))


def _stands_alone(view: View, user: User) -> bool:
    fighters = [one for one in of_side(view, AXIS) if one.attack]
    hexes = tuple(sorted({one.here for one in fighters if one.kind.nation == user}))
    if not hexes:
        return False
    ways = view.derived.keep(("bot ways to ally", user), (hexes,), lambda: ground.ways_to(view, hexes))
    if not any(ways[one.here] <= NEAR for one in ground.enemies(view, AXIS) if one.attack):
        return False
    near = [one for one in fighters if ways[one.here] <= NEAR]
    return _strength(one for one in near if one.kind.nation != user) < _strength(one for one in near if one.kind.nation == user)


def _strength(some: Iterable[Standing]) -> float:
    return sum(max(one.attack, one.defence) for one in some)
