"""The words of the game: sides, unit kinds, marks, boxes, and what a type is (2.2, 2.6, 4.21, 8.9, 8.114)."""

from __future__ import annotations

import itertools
from string import ascii_lowercase

from core.board import Hex
from core.derived import forces
from core.units import Side, Unit, UnitId, UnitType
from core.views import View

AXIS: Side = "axis"
SOVIET: Side = "soviet"

# The phases of a turn in their order, as `sequence.PHASES` has them with their steps (3.0).
PHASE_NAMES = (
    *("mutual_supply", "axis_movement", "axis_combat", "soviet_combat", "soviet_movement", "german_mechanized_movement"),
    "administrative",
)

# Boxes of the pack beside the map.
FLEETS = "fleets"  # air fleets that are not placed
ARRIVALS = "arrivals"  # reinforcements of this turn or an earlier one that are not yet on the map
TRACK = "track"  # counters that come back on the turn in their mark DUE
CONVERSION_WAITING = "conversion_waiting"
PARATROOP_WAITING = "paratroop_waiting"
DESTROYED_EA = "destroyed_ea"
EVACUATED = "evacuated_factories"
CONVERTED = "converted"  # armies that may come back by 13.26, 13.57
BROKEN_DOWN = "broken_down"  # German corps and Soviet armies that may be built again

# Marks of units that last a phase.
SPENT = "spent"  # quarter points spent in this movement phase
IN_HAND = "in_hand"  # the stack that is being moved (5.16)
FINISHED = "finished"  # may not move any more in this phase
BEGAN_IN_ZOC = "began_in_zoc"  # in an enemy ZOC when the movement phase began (5.24)
BEGAN_AT = "began_at"  # hex + 1 where it stood when the movement phase began (6.23)
ATTACKED = "attacked"  # has attacked in this combat phase (8.23)
REFUGEE = "refugee"  # retreated in this combat phase into a friendly hex (8.107)
RETREATED_FROM = "retreated_from"  # hex + 1 that it retreats from
RETREAT_LEFT = "retreat_left"  # hexes that it still has to retreat
WAS_ATTACKED = "was_attacked"  # has been attacked in this combat phase (8.23)
ORGANIZED = "organized"  # has had its breakdown, buildup or exchange of this turn (14.25, 14.27)
# Marks of units that last a battle; so do the two of a retreat.
IN_BATTLE = "in_battle"  # 1: attacks, 2: defends
BATTLE_LOST = "battle_lost"  # steps lost in this battle (8.85)
ADVANCED = "advanced"  # hexes advanced after this battle (8.113)
# Marks of units that last a turn.
MOVED = "moved"  # moved by normal movement or overran in this turn (5.61, 5.68)
STRATEGIC = "strategic"  # used strategic movement in this turn (5.61, 5.68)
PLACED_PARTISAN = "placed_partisan"  # placed or moved in this turn (9.81, D-02)
FROZEN = "frozen"  # was set up in Finland or Rumania, and it is the first turn (17.42)
EXPENDED = "expended"  # a depot that was expended in this Mutual Supply Phase (9.26)
# Marks of units that last until they are judged again, or for good.
OUT_OF_SUPPLY = "out_of_supply"
LACK_OF_SUPPLY = "lack_of_supply"
DUE = "due"  # turn in which a counter on the track comes back
DROPPED = "dropped"  # an airborne corps that has jumped (13.45)
# Marks of hexes.
DESTROYED = "destroyed"  # fortress (8.47), or Moscow as a source (9.32)
AXIS_SUPPLIED = "axis_supplied"  # an Axis unit could have traced from here in this turn's phase 1 (13.11, D-68)
GERMAN_SEA_SUPPLIED = "german_sea_supplied"  # a German unit could have been supplied from here by sea (9.72, D-68)
RUMANIAN_SUPPLIED = "rumanian_supplied"
FINNISH_SUPPLIED = "finnish_supplied"
SOVIET_SUPPLIED = "soviet_supplied"

OF_A_MOVEMENT_PHASE = (SPENT, IN_HAND, FINISHED, BEGAN_IN_ZOC, BEGAN_AT)
OF_A_BATTLE = (IN_BATTLE, BATTLE_LOST, RETREATED_FROM, RETREAT_LEFT, ADVANCED)
OF_A_COMBAT_PHASE = (ATTACKED, REFUGEE, WAS_ATTACKED, *OF_A_BATTLE)
OF_A_TURN = (MOVED, STRATEGIC, PLACED_PARTISAN, ORGANIZED, FROZEN)

MARKERS = frozenset({"air_fleet", "partisan"})  # neither units for movement nor for anything that doesn't name them (2.21, 5.32)
EA_KINDS = frozenset({"factory", "oil_field", "coal_field", "mineral_deposit", "strategic_port", "oil_pipeline"})
ARMY_KINDS = frozenset({"infantry", "guard", "shock", "tank"})
# 4.14; EA by kind besides.
NOT_STACKING = frozenset({"airbase", "headquarters", "osg", "siege_artillery", "supply_depot"}) | EA_KINDS | MARKERS


def is_unit(kind: UnitType) -> bool:
    """Say whether a counter is a unit at all, not a fleet or a partisan (2.21, 2.23, 5.32)."""
    return kind.kind not in MARKERS


def is_ea(kind: UnitType) -> bool:
    """Say whether a counter is an Economic Asset (12.0)."""
    return kind.kind in EA_KINDS


def is_german(kind: UnitType) -> bool:
    """German units only (2.6)."""
    return kind.nation == "german"


def is_panzer(kind: UnitType) -> bool:
    """German panzer corps, divisions and KG (5.35, 5.43)."""
    return kind.kind == "panzer"


def is_armored(kind: UnitType) -> bool:
    """German panzer, Soviet tank and mechanized units (5.26, 8.108)."""
    return kind.kind in ("panzer", "tank", "mechanized")


def is_army(kind: UnitType) -> bool:
    """A Soviet unit that draws a combat strength marker (7.0)."""
    return bool(kind.cup)


def is_corps(kind: UnitType) -> bool:
    """A unit of corps size."""
    return kind.size == "XXX"


def is_allied(kind: UnitType) -> bool:
    """A non-German Axis unit (4.15, 8.36)."""
    return kind.side == AXIS and kind.nation != "german"


def counters(view: View, side: Side) -> tuple[tuple[Unit, UnitType], ...]:
    """Return one side's counters on the map with their types, lowest number first."""
    return view.derived.get(("counters", side), (forces(side),), lambda: _counters(view, side))


def _counters(view: View, side: Side) -> tuple[tuple[Unit, UnitType], ...]:
    types = view.types
    return tuple([(unit, kind) for unit in view.position.on_map() if (kind := types[unit.type]).side == side])


def units_at(view: View, here: Hex, side: Side) -> tuple[UnitId, ...]:
    """Return one side's units in a hex, without fleets and partisans, lowest number first."""
    there = view.position.at(here)
    if not there:
        return there   # asked of every hex around: most are empty
    units, types = view.position.units, view.types
    return tuple([unit for unit in there if (kind := types[units[unit].type]).side == side and kind.kind not in MARKERS])


def has_enemy(view: View, here: Hex, side: Side) -> bool:
    """Say whether units of the other side stand in a hex; fleets and partisans don't count (5.32)."""
    return bool(units_at(view, here, view.other(side)))


def side_title(side: Side) -> str:
    """Return a side's name for people."""
    return "Axis" if side == AXIS else "Soviet"


def name_or_free(view: View, type: str, name: str) -> str:
    """Return a name for a new counter of a type: the wanted one, or if another of its type bears it a free letter."""
    taken = any((unit.type, unit.name) == (type, name) for unit in view.position.units.values())
    return free_name(view, type) if taken else name


def free_name(view: View, type: str) -> str:
    """Return the first letter that no counter of a type bears or will bear (a … z, aa, ab …): it tells those apart without a number."""
    taken = {unit.name for unit in view.position.units.values() if unit.type == type}
    taken |= {name for arrival in view.setting.scenario.arrival for kind, name in arrival.units if kind == type}
    words = ("".join(letters) for n in itertools.count(1) for letters in itertools.product(ascii_lowercase, repeat=n))
    return next(word for word in words if word not in taken)
