"""The counters on the map that lines of supply hang on wherever units are: depots, headquarters, partisans (9.2, 9.3, 9.8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from core.board import Hex, Place
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
        lambda: _by_hex([unit for unit, kind in counters(view, side) if kind.kind in KINDS]),
        lambda old, places: _after(old, {here: _posts_at(view, here, side) for here in places if here >= 0}),
    )
    return view.derived.keep(("posts", side, kind), (found,), lambda: _sorted(view, found, kind))


def hexes_of(view: View, kind: Kind) -> frozenset[Hex]:
    """Return the hexes that hold counters of a kind, whosever they are."""
    found = tuple(of_kind(view, side, kind) for side in view.setting.sides)
    return view.derived.keep(("hexes of posts", kind), found, lambda: frozenset(Hex(unit.place) for units in found for unit in units))


def _posts_at(view: View, here: Place, side: Side) -> tuple[Unit, ...]:
    types = view.types
    return tuple([unit for unit in view.position.units_at(here) if (kind := types[unit.type]).kind in KINDS and kind.side == side])


def _by_hex(units: Iterable[Unit]) -> _ByHex:
    found: dict[Place, tuple[Unit, ...]] = {}
    for unit in units:
        found[unit.place] = (*found.get(unit.place, ()), unit)
    return found


def _after(old: _ByHex, now: _ByHex) -> _ByHex:
    """Return the posts by hex where some hexes hold those of *now*."""
    if all(old.get(here, ()) == units for here, units in now.items()):
        return old
    return {here: units for here, units in {**old, **now}.items() if units}


def _sorted(view: View, posts: _ByHex, kind: Kind) -> tuple[Unit, ...]:
    found = [unit for units in posts.values() for unit in units if view.types[unit.type].kind == kind]
    return tuple(sorted(found, key=lambda unit: unit.id))
