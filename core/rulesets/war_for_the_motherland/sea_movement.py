"""Sea movement (5.5): one unit a phase, or two half units, together or one after the other, from a friendly port to another.

Rules: 3.0.2b, 3.0.5b, 5.51a, 5.51b, 5.52, 5.53a, 5.53b, 5.53c, 5.54a, 5.54b, 5.55a, 5.55b, 5.56, 5.57a, 5.57b, 5.57c, 5.58, 11.25, 16.41a;
4.15b, 20.33a; D-22, D-23.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.board import Hex
from core.derived import CONTROL, MARKS, forces
from core.errors import Refused
from core.events import Event, Line, Moved, Part
from core.game import Game
from core.options import Door, Offer, offer
from core.orders import HexPick, OneHex, Order, Pick, UnitPick, UnitSet
from core.ruleset import Preview
from core.rulesets.war_for_the_motherland import control, marching, movement, sea_supply, stacking, weather
from core.rulesets.war_for_the_motherland.marching import refused
from core.rulesets.war_for_the_motherland.movement import BY_SEA, SEA
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.terms import AXIS, BEGAN_AT, FINISHED, MOVED, SOVIET, has_enemy, units_at
from core.text import text
from core.units import Side, UnitId
from core.views import View

NORTH = frozenset({"N1327", "N2718"})  # Murmansk and Archangelsk (5.57a)
BALTIC = frozenset({"C1418", "C2933"})  # Leningrad and Konigsberg (5.57b)
HALVES = 2  # what one unit counts for (5.55a)


class Sail(Order, frozen=True, tag="sail"):
    """A unit, or two half units, go from one port to another."""

    units: UnitSet = ()
    hex: OneHex = None


# -------------------------------------------------------------------- ports


def is_friendly_port(view: View, here: Hex, side: Side) -> bool:
    """Say whether a hex is a port that a side holds (5.52, D-22)."""
    return bool(view.board.facts[here].port) and view.position.control.get(here) == side


def goals(view: View, here: Hex) -> tuple[Hex, ...]:
    """Return the ports that can be reached from a port in this weather, whoever holds them (5.57, 5.58, D-23)."""
    label = view.board.label(here)
    for pair in (NORTH, BALTIC):
        if label in pair:
            other = next(iter(pair - {label}))
            open_now = view.board.has(other) and not weather.is_snow(view)  # 5.57c, 11.25
            return (view.board.hex(other),) if open_now else ()
    if view.board.facts[here].port != sea_supply.BLACK_SEA:
        return ()
    return tuple(port for port in sea_supply.ports_of(view, sea_supply.BLACK_SEA) if port != here)


def why_not_port(view: View, units: Sequence[UnitId], there: Hex) -> Refused | None:
    """Return why units can't sail to a hex, None if they can."""
    here, side, name = marching.start_of(view, units), view.side(units[0]), view.board.name(there)
    if not is_friendly_port(view, there, side) or has_enemy(view, there, side):
        return Refused("5.53a", text("{hex} is no friendly port", hex=name))
    if there not in goals(view, here):
        rule = "5.57a" if view.board.label(here) in NORTH else "5.57b" if view.board.label(here) in BALTIC else "5.58"
        return Refused(rule, text("no sea route leads from {here} to {hex}", here=view.board.name(here), hex=name))
    if any(stacking.closed_to_nation(view, unit, there) for unit in units):
        return Refused("4.15b", text("another Axis nation's unit is in {hex}", hex=name))
    for first in _gone(view, side):
        if view.unit(first).place != there:
            return refused("5.55b", "{unit} went to another port, and the second half unit goes to the same", view, first)
    return None


# -------------------------------------------------------------------- who


def halves(view: View, unit: UnitId) -> int:
    """Return what a unit counts for at sea: 1 for a half unit, else 2 (5.55a)."""
    return 1 if "sea_half" in view.type(unit).traits else HALVES


def bar(view: View, unit: UnitId) -> Refused | None:
    """Return why a unit may not sail at this moment, wherever to; None if it may."""
    if not _is_open(view):
        return Refused("16.41a", text("there is no sea movement in this scenario"))
    if view.position.phase == movement.MECHANIZED_PHASE:
        return Refused("5.51b", text("there is no sea movement in this phase"))
    closed = _bar_by_gone(view, unit) or movement.bar_in_phase(view, unit)
    return closed or _bar_by_class(view, unit) or _bar_by_unit(view, unit)


def _gone(view: View, side: Side) -> tuple[UnitId, ...]:
    """Return the units of a side that have gone by sea in this phase."""
    sailed = view.derived.get("has sailed", (MARKS,), lambda: tuple(_sailed(view)))
    return tuple([unit for unit in sailed if view.side(unit) == side and view.unit(unit).place >= 0])


def _bar_by_gone(view: View, unit: UnitId) -> Refused | None:
    """Return why a unit can't follow those that have sailed: a second half unit can, out of the same port (5.51a, 5.55a, 5.55b)."""
    gone = _gone(view, view.side(unit))
    if gone and sum(halves(view, one) for one in (*gone, unit)) > HALVES:
        return Refused("5.51a", text("a unit has gone by sea in this phase"))
    if any(view.position.mark(first, BEGAN_AT) != view.unit(unit).place + 1 for first in gone):
        return refused("5.55b", "{unit} is not in the port that the first half unit left", view, unit)
    return None


def _sailed(view: View) -> list[UnitId]:
    return [unit for unit in view.position.marked(FINISHED) if view.position.mark(unit, FINISHED) == BY_SEA]


def _bar_by_class(view: View, unit: UnitId) -> Refused | None:
    if movement.current_class(view) == SEA:
        return None
    rule = "3.0.2b" if view.side(unit) == AXIS else "3.0.5b"
    return Refused(rule, text("sea movement comes first, and other movement has begun"))


def _bar_by_unit(view: View, unit: UnitId) -> Refused | None:
    if view.position.mark(unit, MOVED):
        return refused("5.53b", "{unit} has moved normally", view, unit)
    if not view.type(unit).traits & {"sea", "sea_half"}:
        rule = "20.33a" if view.type(unit).kind == "security" else "5.54a"
        return refused(rule, "{unit} may not go by sea", view, unit)
    if not is_friendly_port(view, marching.start_of(view, (unit,)), view.side(unit)):
        return refused("5.53a", "{unit} is not in a friendly port", view, unit)
    return None


def joins(view: View, units: Sequence[UnitId], unit: UnitId) -> Refused | None:
    """Return why a unit can't sail together with others (5.51a, 5.55)."""
    if view.unit(unit).place != view.unit(units[0]).place:
        return refused("5.55b", "{unit} is not in the same port", view, unit)
    if sum(halves(view, one) for one in (*_gone(view, view.side(unit)), *units, unit)) > HALVES:
        return refused("5.51a", "only one unit, or two half units, may go by sea: {unit} can't as well", view, unit)
    return None


# -------------------------------------------------------------------- composing


def unit_doors(view: View, side: Side) -> tuple[Door, ...]:
    """Return a door for each unit of a side on the map."""

    def door(unit: UnitId) -> Door:
        return Door(UnitPick(unit), bar(view, unit) or _without_port(view, (unit,)))

    return view.derived.each(("sail", side), marching.own_units(view, side), door, of=_hangs_on(view, side), near=view.position.at)


def _hangs_on(view: View, side: Side) -> tuple[object, ...]:
    """Return all that decides whether units of a side can sail, beside the units and their hexes."""
    if not _is_open(view):
        return ()
    come_to = movement.current_class(view)
    gone = tuple([(unit, view.unit(unit).place) for unit in _gone(view, side)])
    of = (view.position.turn, view.position.phase, come_to, gone)
    if come_to != SEA:
        return of   # nobody can, whatever holds of the ports
    return (*of, view.derived.stamp(CONTROL, forces(AXIS), forces(SOVIET)))


def _is_open(view: View) -> bool:
    """Say whether a scenario has sea movement (16.41)."""
    return view.setting.scenario.rules.get("sea_movement", True) is not False


def can_sail(view: View, side: Side) -> bool:
    """Say whether any unit of a side can go by sea now."""
    return any(door.is_open for door in unit_doors(view, side))


def _without_port(view: View, units: Sequence[UnitId]) -> Refused | None:
    here = marching.start_of(view, units)
    if view.board.label(here) in NORTH | BALTIC and weather.is_snow(view):
        return Refused("5.57c", text("the port of {hex} is closed in snow turns", hex=view.board.name(here)))
    reasons = [why_not_port(view, units, there) for there in goals(view, here)]
    if any(reason is None for reason in reasons):
        return None
    none = refused("5.53a", "{unit} has no friendly port to sail to", view, units[0])
    return next((reason for reason in reasons if reason is not None and reason.rule == "4.15b"), none)


def compose_sail(view: View, draft: Sail) -> Offer:
    """Offer units in ports, then the ports that they can sail to."""
    side = view.side_to_act()
    if not draft.units:
        return offer(
            unit_doors(view, side),
            unfinished=Refused("5.51a", text("a unit must be chosen")),
            unknown=lambda pick: marching.why_not_unit(view, pick, (), side),
        )
    closed = _bar_of_group(view, draft.units, side)
    if draft.hex is not None or closed is not None:
        return offer(unfinished=closed or why_not_port(view, draft.units, Hex(draft.hex or 0)))
    return offer(
        (*_more_units(view, draft.units, side), *_port_doors(view, draft.units)),
        unfinished=Refused("5.53a", text("a port must be chosen")),
        unknown=lambda pick: _why_not(view, draft, pick, side),
    )


def _bar_of_group(view: View, units: Sequence[UnitId], side: Side) -> Refused | None:
    for number, unit in enumerate(units):
        closed = marching.not_yours(view, unit, side) or bar(view, unit)
        closed = closed or (joins(view, units[:number], unit) if number else None)
        if closed is not None:
            return closed
    return None


def _more_units(view: View, units: Sequence[UnitId], side: Side) -> Iterator[Door]:
    for unit in units_at(view, marching.start_of(view, units), side):
        if unit not in units:
            closed = bar(view, unit) or joins(view, units, unit) or _without_port(view, (*units, unit))
            yield Door(UnitPick(unit), closed)


def _port_doors(view: View, units: Sequence[UnitId]) -> Iterator[Door]:
    for there in goals(view, marching.start_of(view, units)):
        yield Door(HexPick(there), why_not_port(view, units, there))


def _why_not(view: View, draft: Sail, pick: Pick, side: Side) -> Refused | None:
    if isinstance(pick, HexPick):
        return why_not_port(view, draft.units, pick.hex)
    if isinstance(pick, UnitPick) and pick.unit not in draft.units:
        return marching.not_yours(view, pick.unit, side) or joins(view, draft.units, pick.unit)
    return None


def _is_absent(view: View) -> bool:
    return not _is_open(view) or view.position.phase == movement.MECHANIZED_PHASE  # 16.41a, 5.51b


NOBODY = (  # the last to be looked at first
    Refused("5.57c", text("the ports are closed in snow turns")),
    Refused("5.53a", text("no unit that may go by sea is in a friendly port with a route to another")),
    Refused("5.53b", text("every unit that may go by sea has moved normally in this turn")),
    Refused("5.54a", text("no unit that may go by sea is left to move")),
)


def preview_sail(view: View, draft: Sail) -> Preview | None:
    """Show who sails where: a click on a port is all that it takes, and who sailed moves no more (5.53b)."""
    if not draft.units or draft.hex is None:
        return None
    here, there = view.board.name(marching.start_of(view, draft.units)), view.board.name(draft.hex)
    done = text("moves no more")
    lines = (Line(view.name(unit), str(done), (Part(str(done), "5.53b", done),)) for unit in draft.units)
    return Preview(text("By sea from {here} to {there}", here=here, there=there), tuple(lines))


@RULES.order(Sail, text("Sea movement"), rule="5.51a", compose=compose_sail, preview=preview_sail, nobody=NOBODY, absent=_is_absent)
def take_sail(game: Game, order: Sail) -> Iterator[Event]:
    """Put the units into the other port; enemy ZOC does not matter (5.53c)."""
    assert order.hex is not None, order
    yield from movement.take_in_hand(game, order.units, SEA)
    yield Moved(order.units, (order.hex,))
    yield from movement.finish(order.units, BY_SEA)
    yield from control.enter(game, order.units, order.hex)
