"""How a stack and its path are picked, whatever the class of movement: units of one hex that go together, then hex by hex (5.1).

Rules: 5.12a, 5.15, 5.16, 5.31, 5.33; D-17.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from core.board import Hex, Place
from core.derived import forces
from core.errors import Refused
from core.mechanics import movement as hops
from core.mechanics.movement import Halt, Mover, Trail, Walk
from core.options import Door, Offer, offer
from core.orders import HexPick, Order, Path, Pick, UnitPick, UnitSet
from core.ruleset import MOVEMENT_POINTS, Way
from core.rulesets.war_for_the_motherland import stacking, zoc
from core.rulesets.war_for_the_motherland.terms import AXIS, BEGAN_AT, IN_HAND, counters, has_enemy, is_unit, units_at
from core.text import Text, text
from core.units import Side, UnitId, UnitType
from core.views import View
from core_ext import reach as searching

LATE_KINDS = frozenset({"airbase", "osg"})  # 5.33, 8.65


class March(Order, frozen=True):
    """Base of the orders that send units of one hex along a path; each hex entered is named in turn."""

    units: UnitSet = ()
    path: Path = ()


class Manner(msgspec.Struct, frozen=True):
    """A class of movement.

    *bar_of_its_own* tells why a unit may not move in this manner in this phase by what it is and its marks alone; *bar_by_others* why it
    may not at this moment, by what others did. *mover* makes a unit ready for its next hex; *why_halted* names the rule that ends a path,
    *too_far* the one by which a hex costs more quarter points (the first figure) than the unit has left (the second).
    The two rules are where units and hexes are the player's choice. *hangs_on* returns all that decides whether a unit can move at all,
    beside the unit itself and what is in its hex and those next to it. *attacks*: units that move so may overrun. *counted* names what a
    way costs, for *n* of them.
    """

    name: str
    bar_of_its_own: Callable[[View, UnitId], Refused | None]
    bar_by_others: Callable[[View, UnitId], Refused | None]
    mover: Callable[[View, UnitId], Mover]
    why_halted: Callable[[View, Sequence[UnitId], Halt], Refused]
    too_far: Callable[[View, UnitId, Hex, int, int], Refused]
    rule_of_units: str
    rule_of_hexes: str
    hangs_on: Callable[[View, Side], tuple[object, ...]]
    attacks: bool = False
    counted: Text = MOVEMENT_POINTS

    def bar(self, view: View, unit: UnitId) -> Refused | None:
        """Return why a unit may not move in this manner now, wherever to; None if it may."""
        return self.bar_of_its_own(view, unit) or self.bar_by_others(view, unit)


# -------------------------------------------------------------------- units


def is_late(kind: UnitType) -> bool:
    """Say whether a unit moves after all others of its side (5.33)."""
    return kind.kind in LATE_KINDS


def own_units(view: View, side: Side) -> tuple[UnitId, ...]:
    """Return the units of a side on the map, without fleets and partisans, lowest number first."""
    return view.derived.get(("own units", side), (forces(side),), lambda: _own_units(view, side))


def _own_units(view: View, side: Side) -> tuple[UnitId, ...]:
    return tuple([unit.id for unit, kind in counters(view, side) if is_unit(kind)])


def refused(rule: str, template: str, view: View, unit: UnitId) -> Refused:
    """Make a refusal whose words name a unit."""
    return Refused(rule, text(template, unit=view.name(unit)))


def not_yours(view: View, unit: UnitId, side: Side) -> Refused | None:
    """Return why a number names no unit that *side* moves, None if it does (2.21, 5.31)."""
    if unit not in view.position.units:
        return Refused("5.31", text("there is no unit {unit}", unit=unit))
    if view.side(unit) != side:
        return refused("5.31", "only the phasing side moves now, and not {unit}", view, unit)
    if not is_unit(view.type(unit)):
        return refused("5.31", "{unit} is no unit: it is moved by rules of its own", view, unit)
    if view.unit(unit).place < 0:
        return refused("5.22b", "{unit} is not on the map", view, unit)
    return None


def joins(view: View, units: Sequence[UnitId], unit: UnitId) -> Refused | None:
    """Return why a unit can't go with others as one stack, None if it can (5.12a, 5.16; D-17)."""
    one, position = units[0], view.position
    names = {"unit": view.name(unit), "other": view.name(one)}
    if position.mark(unit, BEGAN_AT) != position.mark(one, BEGAN_AT):
        return Refused("5.12a", text("{unit} did not begin this phase together with {other}", **names))
    if view.unit(unit).place != view.unit(one).place or bool(position.mark(unit, IN_HAND)) != bool(position.mark(one, IN_HAND)):
        return Refused("5.12a", text("{unit} has not moved together with {other}", **names))
    if is_late(view.type(unit)) != is_late(view.type(one)):
        return Refused("5.33", text("{unit} and {other} do not move at the same time", **names))
    return None


def bar_of_stack(
    view: View, units: Sequence[UnitId], side: Side, bar: Callable[[View, UnitId], Refused | None]
) -> Refused | None:
    """Return why these units are no stack that *side* may move, None if they are."""
    for number, unit in enumerate(units):
        closed = not_yours(view, unit, side) or bar(view, unit)
        closed = closed or (joins(view, units[:number], unit) if number else None)
        if closed is not None:
            return closed
    return None


def why_not_unit(view: View, pick: Pick, units: Sequence[UnitId], side: Side) -> Refused | None:
    """Return why a pick is no unit that can go with *units*."""
    if not isinstance(pick, UnitPick):
        return None
    closed = not_yours(view, pick.unit, side)
    return closed or (joins(view, units, pick.unit) if units and pick.unit not in units else None)


def start_of(view: View, units: Sequence[UnitId]) -> Hex:
    """Return the hex where a stack stands."""
    return Hex(view.unit(units[0]).place)


# -------------------------------------------------------------------- doors


def unit_doors(view: View, side: Side, manner: Manner) -> tuple[Door, ...]:
    """Return a door for each unit of a side on the map."""
    units = own_units(view, side)
    bars: dict[UnitId, Refused | None] = {}

    def door(unit: UnitId) -> Door:
        if not bars:
            bars.update(zip(units, _bars_of_their_own(view, side, manner), strict=True))
        barred = bars[unit] or manner.bar_by_others(view, unit)
        return Door(UnitPick(unit), barred or _stuck(view, (unit,), (manner.mover(view, unit),), manner))

    return view.derived.each((manner.name, side), units, door, of=manner.hangs_on(view, side), near=around(view))


def _unit_door(view: View, unit: UnitId, manner: Manner) -> Door:
    return Door(UnitPick(unit), manner.bar(view, unit) or _stuck(view, (unit,), _movers(view, (unit,), manner), manner))


def _bars_of_their_own(view: View, side: Side, manner: Manner) -> tuple[Refused | None, ...]:
    """Return each unit's bar of its own: a move leaves those of all other units as they are."""
    position = view.position

    def bar(unit: UnitId) -> Refused | None:
        return manner.bar_of_its_own(view, unit)

    of = (position.turn, position.phase)
    return view.derived.each((manner.name, "of its own", side), own_units(view, side), bar, of=of, near=lambda place: ())


def around(view: View) -> Callable[[Place], Iterator[UnitId]]:
    """Return what gives the units in a place and in the hexes next to it, for values that hang on what is there."""
    at, ring = view.position.at, view.board.ring
    return lambda place: (unit for here in ring(place) for unit in at(here))


def can_move(view: View, side: Side, manner: Manner) -> bool:
    """Say whether any unit of a side can move in this manner."""
    able = (unit for unit in own_units(view, side) if manner.bar(view, unit) is None)
    return any(hops.can_step((manner.mover(view, unit),), start_of(view, (unit,))) for unit in able)


def _stuck(view: View, units: Sequence[UnitId], movers: Sequence[Mover], manner: Manner) -> Refused | None:
    """Return why a stack, ready to move as *movers*, can't enter any hex next; None if it can."""
    here = start_of(view, units)
    if hops.can_step(movers, here):
        return None
    halts = _halts(view, here, movers)
    for halt in halts:   # one reason is shown: a lack of points before all others; the rest need no words
        if halt.why == "short" and (reason := manner.why_halted(view, units, halt)).rule in ("5.13", "5.24d"):
            return reason
    if not halts:
        return Refused("5.22b", text("there is no hex to go to"))
    side = view.side(units[0])
    news = (halt for halt in halts if not has_enemy(view, halt.there, side))   # that enemies stand beside it is plain to see
    return manner.why_halted(view, units, next(news, halts[0]))


def _halts(view: View, here: Hex, movers: Sequence[Mover]) -> list[Halt]:
    """Return why a stack can't enter each of the hexes next to it."""
    found = [hops.walk(movers, here, (there,)) for there in view.board.adjacent[here]]
    return [halt for halt in found if isinstance(halt, Halt)]


def _movers(view: View, units: Sequence[UnitId], manner: Manner) -> tuple[Mover, ...]:
    """Return the units of a stack ready to move; those of the last stack are kept, as an order asks for them at every hex."""
    of = (tuple(units), view.derived.now)
    return view.derived.keep(("movers", manner.name), of, lambda: tuple([manner.mover(view, unit) for unit in units]))


def _more_units(view: View, units: Sequence[UnitId], side: Side, manner: Manner) -> Iterator[Door]:
    return (_more_door(view, units, unit, manner) for unit in units_at(view, start_of(view, units), side) if unit not in units)


def _more_door(view: View, units: Sequence[UnitId], unit: UnitId, manner: Manner) -> Door:
    closed = manner.bar(view, unit) or joins(view, units, unit)
    if closed is None:
        stack = (*units, unit)
        closed = _stuck(view, stack, _movers(view, stack, manner), manner)
    return Door(UnitPick(unit), closed)


def _hex_doors(view: View, units: Sequence[UnitId], path: Sequence[Hex], manner: Manner) -> Iterator[Door]:
    movers, so_far = _movers(view, units, manner), _walk(view, units, path, manner) if path else None
    assert not isinstance(so_far, Halt), "whoever offers the next hex has looked at those before it"
    here = path[-1] if path else start_of(view, units)
    return (_hex_door(view, units, there, manner, hops.walk(movers, here, (there,), after=so_far)) for there in view.board.adjacent[here])


def _hex_door(view: View, units: Sequence[UnitId], there: Hex, manner: Manner, found: Walk | Halt) -> Door:
    return Door(HexPick(there), manner.why_halted(view, units, found) if isinstance(found, Halt) else None)


def walked(view: View, units: Sequence[UnitId], path: Sequence[Hex], manner: Manner) -> Walk | Refused:
    """Return what a path costs each unit of a stack, or why it can't be gone."""
    found = _walk(view, units, path, manner)
    return manner.why_halted(view, units, found) if isinstance(found, Halt) else found


def _walk(view: View, units: Sequence[UnitId], path: Sequence[Hex], manner: Manner) -> Walk | Halt:
    """Walk a stack along a path, on from the last one that was asked for if this is one hex more."""
    movers, start = _movers(view, units, manner), start_of(view, units)
    of = (tuple(units), view.derived.now, tuple(path))

    def go_on(old: Walk | Halt, was: tuple[Any, ...]) -> Walk | Halt | None:
        before: tuple[Hex, ...] = was[2]
        if isinstance(old, Halt) or was[:2] != of[:2] or not before or before != of[2][:-1]:
            return None
        return hops.walk(movers, before[-1], path[-1:], after=old)

    return view.derived.keep(("walked", manner.name), of, lambda: hops.walk(movers, start, path), mend=go_on)


def compose(view: View, draft: March, manner: Manner) -> Offer:
    """Offer units that can go together, then the hexes that all of them can enter next."""
    side = view.side_to_act()
    if not draft.units:
        return offer(
            _all_unit_doors(view, side, manner),
            unfinished=Refused(manner.rule_of_units, text("a unit must be chosen")),
            unknown=lambda pick: why_not_unit(view, pick, (), side),
            find=lambda pick: _find_unit(view, pick, side, manner),
        )
    closed = _bar_of_draft(view, draft.units, side, manner)
    if closed is None and draft.path:
        found = walked(view, draft.units, draft.path, manner)
        closed = found if isinstance(found, Refused) else None
    if closed is not None:
        return offer(unfinished=closed)
    return offer(
        _next_doors(view, draft, side, manner),
        unfinished=None if draft.path else Refused(manner.rule_of_hexes, text("a hex must be chosen")),
        unknown=lambda pick: _why_not(view, draft, pick, side, manner),
        find=lambda pick: _find_next(view, draft, pick, side, manner),
    )


def _bar_of_draft(view: View, units: tuple[UnitId, ...], side: Side, manner: Manner) -> Refused | None:
    """Return why units are no stack that may move now; that they may is kept for the last ones, as it is asked for at every hex of a path.

    A refusal is not kept: whoever raised it would leave the place where he did so in it, and with that all that he knew.
    """
    of = (units, side, view.derived.now)
    may = view.derived.keep(("may march", manner.name), of, lambda: bar_of_stack(view, units, side, manner.bar) is None)
    return None if may else bar_of_stack(view, units, side, manner.bar)


def _all_unit_doors(view: View, side: Side, manner: Manner) -> Iterator[Door]:
    yield from unit_doors(view, side, manner)


def _find_unit(view: View, pick: Pick, side: Side, manner: Manner) -> Door | None:
    if isinstance(pick, UnitPick) and not_yours(view, pick.unit, side) is None:   # `own_units` hang on where all of them stand
        return _unit_door(view, pick.unit, manner)
    return None


def _next_doors(view: View, draft: March, side: Side, manner: Manner) -> Iterator[Door]:
    """Yield the units that could go along, before the first hex, then the hexes next to the stack."""
    if not draft.path:
        yield from _more_units(view, draft.units, side, manner)
    yield from _hex_doors(view, draft.units, draft.path, manner)


def _find_next(view: View, draft: March, pick: Pick, side: Side, manner: Manner) -> Door | None:
    units, start = draft.units, start_of(view, draft.units)
    if isinstance(pick, HexPick) and pick.hex in view.board.adjacent[draft.path[-1] if draft.path else start]:
        return _hex_door(view, units, pick.hex, manner, _walk(view, units, (*draft.path, pick.hex), manner))
    if isinstance(pick, UnitPick) and not draft.path and pick.unit not in units and pick.unit in units_at(view, start, side):
        return _more_door(view, units, pick.unit, manner)
    return None


def _why_not(view: View, draft: March, pick: Pick, side: Side, manner: Manner) -> Refused | None:
    if not isinstance(pick, HexPick):
        return why_not_unit(view, pick, draft.units, side)
    here = draft.path[-1] if draft.path else start_of(view, draft.units)
    if pick.hex != here and (closed := _why_no_way(view, draft, here, pick.hex, manner)) is not None:
        return closed
    return manner.why_halted(view, draft.units, Halt(0, here, pick.hex, "apart"))


def _why_no_way(view: View, draft: March, here: Hex, there: Hex, manner: Manner) -> Refused | None:
    """Return why a unit can't get to a hex further off, None if each can: nothing enters it, points are short, or every way is cut."""
    spent = walked(view, draft.units, draft.path, manner)
    for i, unit in enumerate(draft.units):
        mover = manner.mover(view, unit)
        cost = _distance(mover.field, here, there)
        left = mover.budget - (spent.spent[i] if isinstance(spent, Walk) else 0)
        if cost is not None and cost > left:
            return manner.too_far(view, unit, there, cost, left)
        if cost is None:
            around = view.board.adjacent[there]
            if manner.attacks and here not in around and has_enemy(view, there, view.side(unit)):
                held = text("{hex} is held by the enemy: a march ends next to it at most, unless it overruns", hex=view.board.name(there))
                return Refused("5.32a", held)
            if all(hops.is_closed(mover.field, beside, there) for beside in around):
                return manner.why_halted(view, draft.units, Halt(i, around[0], there, "closed"))
            names = {"here": view.board.name(here), "hex": view.board.name(there)}
            return Refused("5.21a", text("no way is open for {unit} from {here} to {hex}", unit=view.name(unit), **names))
    return None


def _distance(field: hops.Field, start: Hex, there: Hex) -> int | None:
    """Return what the cheapest way to a hex costs, however much that is; None where no way leads to it."""
    found = searching.reach(field.search, start, budget=hops.CLOSED - 1)
    cost = int(found.costs[there])
    return cost if cost < hops.CLOSED else None


# -------------------------------------------------------------------- reach


def reach(view: View, draft: March, manner: Manner) -> tuple[Way, ...]:
    """Return every hex that the drafted stack can still go to, by what its dearest unit pays for the rest of the way."""
    side = view.side_to_act()
    if not draft.units or bar_of_stack(view, draft.units, side, manner.bar) is not None:
        return ()
    so_far = walked(view, draft.units, draft.path, manner)
    if isinstance(so_far, Refused) or any(so_far.free):
        return ()
    movers = [
        Mover(one.field, one.budget - spent, one.free_hex and not draft.path)
        for one, spent in zip((manner.mover(view, unit) for unit in draft.units), so_far.spent, strict=True)
    ]
    found = hops.trails(movers, draft.path[-1] if draft.path else start_of(view, draft.units))
    return tuple(_way(view, draft.units, here, trail, movers, manner) for here, trail in sorted(found.items()))


def _way(view: View, units: Sequence[UnitId], here: Hex, trail: Trail, movers: Sequence[Mover], manner: Manner) -> Way:
    """Return a trail for showing, with a warning where the hex would be overstacked (4.11b, 4.18)."""
    warning = None
    if not stacking.fits(view, units, here):
        limit = "2 corps and 1 division" if view.side(units[0]) == AXIS else "1 army"
        warning = text("more than {limit} in {hex}", limit=limit, hex=view.board.name(here))
    budgets = {mover.budget for mover in movers}
    budget = budgets.pop() if len(budgets) == 1 else 0
    return Way(here, trail.path, trail.cost, warning, _barred(view, here, movers), budget, manner.counted)


def _barred(view: View, here: Hex, movers: Sequence[Mover]) -> tuple[Hex, ...]:
    """Return the neighbours that a stack can't enter from a hex because both lie in enemy zones of control (4.26)."""
    side = view.side_to_act()
    if not zoc.in_enemy_zoc(view, here, side):
        return ()
    zone = (there for there in view.board.adjacent[here] if zoc.in_enemy_zoc(view, there, side) and not has_enemy(view, there, side))
    return tuple(there for there in zone if any(hops.is_closed(mover.field, here, there) for mover in movers))
