"""Normal movement of units and stacks (5.1 to 5.4): who may move, what is left to spend, the hand on a stack.

Rules: 3.0b, 3.0.2b, 3.0.5b, 5.0a, 5.0b, 5.11a, 5.11b, 5.12a, 5.12b, 5.13, 5.14, 5.15, 5.16, 5.24a to 5.24d, 5.31, 5.33, 5.34, 5.35, 5.61,
17.42a; D-17, D-18. What a step costs is in `movement_costs`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.board import Hex
from core.derived import forces
from core.errors import Refused
from core.events import Event, Marked, Moved, TrackSet, Unmarked
from core.game import Game
from core.mechanics.movement import Halt, Mover, Walk
from core.options import Offer
from core.ruleset import Way
from core.rulesets.war_for_the_motherland import control, first_turn, marching, moscow, ranges
from core.rulesets.war_for_the_motherland.marching import Manner, March, is_late, refused
from core.rulesets.war_for_the_motherland.movement_costs import QUARTERS, field_of, why_closed
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.strength import movement as points
from core.rulesets.war_for_the_motherland.terms import (
    BEGAN_IN_ZOC,
    FINISHED,
    IN_HAND,
    MOVED,
    SPENT,
    STRATEGIC,
    is_panzer,
)
from core.text import text
from core.units import Side, UnitId
from core.views import View

MECHANIZED_PHASE = "german_mechanized_movement"

# Classes of movement in their order; the track only grows in a phase (3.0.2b, 3.0.5b).
MOVEMENT_CLASS = "movement_class"
SEA, BY_STRATEGY, NORMAL, LATE = range(4)

# Why a unit has finished: the value of its mark FINISHED.
BY_HAND, DROPPED, BY_OVERRUN, BY_FREE_HEX, BY_SEA, BY_STRATEGIC_MOVE = range(1, 7)
_FINISHED = {
    BY_HAND: ("5.16", "{unit} has finished: another stack was moved since"),
    DROPPED: ("5.12b", "{unit} was left behind by its stack and has finished"),
    BY_OVERRUN: ("6.26a", "{unit} has finished with its overrun"),
    BY_FREE_HEX: ("5.24b", "{unit} has moved its single hex out of a ZOC"),
    BY_SEA: ("5.53b", "{unit} went by sea"),
    BY_STRATEGIC_MOVE: ("5.61", "{unit} has moved strategically"),
}


class Move(March, frozen=True, tag="move"):
    """Units in one hex go along a path."""


# -------------------------------------------------------------------- who may move


def bar(view: View, unit: UnitId) -> Refused | None:
    """Return why a unit may not move normally at this moment, wherever to; None if it may."""
    return bar_in_phase(view, unit) or _bar_by_class(view, unit)


def bar_in_phase(view: View, unit: UnitId) -> Refused | None:
    """Return why a unit can't move in this phase any more, by any class of movement."""
    kind, position = view.type(unit), view.position   # asked for each unit after each move
    if finished := position.mark(unit, FINISHED):
        return refused(*_FINISHED[finished], view, unit)
    if unit in position.unit_marks.get(STRATEGIC, ()):
        return refused("5.61", "{unit} has used strategic movement in this turn", view, unit)  # 5.68
    if view.position.phase == MECHANIZED_PHASE and not is_panzer(kind):
        return refused("5.35", "{unit} is no panzer unit: only those move in this phase", view, unit)
    if frozen := first_turn.why_frozen(view, unit):
        return frozen
    if points(view, unit) == 0:
        return refused("5.14", "{unit} has no movement points", view, unit)
    return None


def _bar_by_class(view: View, unit: UnitId) -> Refused | None:
    if current_class(view) == LATE and not is_late(view.type(unit)):
        return refused("5.33", "airbases and OSG move last, and one has moved: {unit} can't any more", view, unit)
    return None


def current_class(view: View) -> int:
    """Return the class of movement that the phase has come to."""
    return view.position.tracks.get(MOVEMENT_CLASS, SEA)


# -------------------------------------------------------------------- what it has


def left(view: View, unit: UnitId) -> int:
    """Return the quarter points that a unit has left in this phase (5.13)."""
    return QUARTERS * points(view, unit) - view.position.mark(unit, SPENT)


def mover(view: View, unit: UnitId) -> Mover:
    """Return a unit ready for its next hex."""
    may_have_one_hex = _began_in_zoc(view, unit) and view.position.phase != MECHANIZED_PHASE  # 5.24d
    return Mover(field_of(view, unit), left(view, unit), may_have_one_hex)  # 5.24a, 5.24c


def _began_in_zoc(view: View, unit: UnitId) -> bool:
    """Say whether a unit stands where it began, in an enemy ZOC (5.24a)."""
    return bool(view.position.mark(unit, BEGAN_IN_ZOC)) and not view.position.mark(unit, SPENT)


def why_halted(view: View, units: Sequence[UnitId], halt: Halt) -> Refused:
    """Return which rule ends a path."""
    unit, there = units[halt.mover], view.board.name(halt.there)
    if halt.why == "apart":
        return Refused("5.21a", text("{hex} is not next to {here}", hex=there, here=view.board.name(halt.here)))
    if halt.why == "after_free_hex":
        return refused(*_FINISHED[BY_FREE_HEX], view, unit)
    if halt.why == "closed":
        return why_closed(view, unit, halt.here, halt.there)
    first = halt.here == view.unit(unit).place and view.position.phase == MECHANIZED_PHASE
    words = "{unit} can't pay for {hex}: it has {left} of its {all} movement points left before this order"
    said = text(words, unit=view.name(unit), hex=there, left=in_points(left(view, unit)), all=points(view, unit))
    return Refused("5.24d" if first and _began_in_zoc(view, unit) else "5.13", said)


def too_far(view: View, unit: UnitId, there: Hex, cost: int, has: int) -> Refused:
    """Return that the way to a hex costs more than a unit has left."""
    words = "{hex} is too far for {unit}: {cost} movement points at the least, and it has {left} left"
    return Refused("5.13", text(words, hex=view.board.name(there), unit=view.name(unit), cost=in_points(cost), left=in_points(has)))


def in_points(quarters: int) -> str:
    """Return quarter points as people write movement points."""
    whole, part = divmod(quarters, QUARTERS)
    fraction = ("", "¼", "½", "¾")[part]
    return fraction if fraction and not whole else f"{whole}{fraction}"


def hangs_on(view: View, side: Side) -> tuple[object, ...]:
    """Return all that decides whether units of a side can move, beside the units and the hexes next to them."""
    position, late = view.position, current_class(view) == LATE
    return (position.turn, position.phase, late, moscow.is_open(view), view.derived.stamp(forces(view.other(side))))


MANNER = Manner("move", bar_in_phase, _bar_by_class, mover, why_halted, too_far, "5.0a", "5.15", hangs_on, attacks=True)


def compose_move(view: View, draft: Move) -> Offer:
    """Offer units that can go on together, then the hexes that all of them can enter next."""
    return marching.compose(view, draft, MANNER)


def reach(view: View, draft: Move) -> tuple[Way, ...]:
    """Return every hex that the drafted stack can go to."""
    return marching.reach(view, draft, MANNER)


# -------------------------------------------------------------------- moving


@RULES.order(Move, text("Move"), rule="5.0a", compose=compose_move, reach=reach, covers=ranges.covered_by_march)
def take_move(game: Game, order: Move) -> Iterator[Event]:
    """Move the stack along its path; it stays in hand (5.16)."""
    found = marching.walked(game, order.units, order.path, MANNER)
    assert isinstance(found, Walk), found
    yield from take_in_hand(game, order.units, LATE if is_late(game.type(order.units[0])) else NORMAL)
    yield Moved(order.units, order.path)
    yield from spend(game, dict(zip(order.units, found.spent, strict=True)))
    ended = tuple(unit for unit, free in zip(order.units, found.free, strict=True) if free)
    if ended:
        yield from finish(ended, BY_FREE_HEX)  # 5.24b
    for here in order.path:
        yield from control.enter(game, order.units, here)


def take_in_hand(game: Game, units: Sequence[UnitId], cls: int) -> Iterator[Event]:
    """Lay the hand on a stack: what was in hand before and is not among *units* has finished (5.12b, 5.16)."""
    if cls > current_class(game):
        yield TrackSet(MOVEMENT_CLASS, cls)
    held = frozenset(game.position.marked(IN_HAND))
    others = tuple(sorted(held.difference(units)))
    if others:
        yield from finish(others, BY_HAND if held.isdisjoint(units) else DROPPED)
    new = tuple(unit for unit in units if unit not in held)
    if new:
        yield Marked(new, IN_HAND)


def finish(units: tuple[UnitId, ...], why: int) -> Iterator[Event]:
    """End the movement of units for this phase."""
    yield Unmarked(units, IN_HAND)
    yield Marked(units, FINISHED, why)


def spend(game: Game, quarters: dict[UnitId, int]) -> Iterator[Event]:
    """Mark what units have spent, and that they have moved normally in this turn (5.34, 5.61)."""
    totals: dict[int, list[UnitId]] = {}
    for unit, cost in quarters.items():
        totals.setdefault(game.position.mark(unit, SPENT) + cost, []).append(unit)
    for total, units in sorted(totals.items()):
        yield Marked(tuple(units), SPENT, total)
    yield Marked(tuple(quarters), MOVED)
