"""The counters on the map that lines of supply hang on wherever units are: depots, headquarters, partisans (9.2, 9.3, 9.8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from core.board import Place
from core.derived import forces
from core.rulesets.war_for_the_motherland.terms import counters
from core.units import Side, Unit
from core.views import View

Kind = Literal["supply_depot", "headquarters", "partisan"]
KINDS = frozenset({"supply_depot", "headquarters", "partisan"})

_ByHex = Mapping[Place, tuple[Unit, ...]]


def of_kind(view: View, side: Side, kind: Kind) -> tuple[Unit, ...]:
    """Return one side's counters of a kind on the map, lowest number first."""
    found = view.derived.follow(
        ("posts", side), (forces(side),),
        lambda: _after({}, _gathered(unit for unit, _ in counters(view, side)), view, side),
        lambda old, places: _after(old, {here: view.position.units_at(here) for here in places if here >= 0}, view, side),
    )
    return view.derived.keep(("posts", side, kind), (found,), lambda: _sorted(view, found, kind))


def _gathered(units: Iterable[Unit]) -> dict[Place, tuple[Unit, ...]]:
    found: dict[Place, tuple[Unit, ...]] = {}
    for unit in units:
        found[unit.place] = (*found.get(unit.place, ()), unit)
    return found


def _after(old: _ByHex, now: _ByHex, view: View, side: Side) -> _ByHex:
    """Return the posts by hex where some hexes hold other counters *now*."""
    types = view.types
    posts = {
        here: tuple([unit for unit in units if (kind := types[unit.type]).kind in KINDS and kind.side == side])
        for here, units in now.items()
    }
    if all(old.get(here, ()) == units for here, units in posts.items()):
        return old
    return {here: units for here, units in {**old, **posts}.items() if units}


def _sorted(view: View, posts: _ByHex, kind: Kind) -> tuple[Unit, ...]:
    found = [unit for units in posts.values() for unit in units if view.types[unit.type].kind == kind]
    return tuple(sorted(found, key=lambda unit: unit.id))
