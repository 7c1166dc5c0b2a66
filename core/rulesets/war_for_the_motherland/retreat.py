"""Retreats, round by round (8.10).

In each round every beaten unit goes one hex, in groups as its owner likes, and that pays one point (8.84, 8.102). If a round can't
be finished, what is left must be paid in steps (D-42).

Rules: 8.101a, 8.101c, 8.102a, 8.102b, 8.106; D-40 to D-42.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from core.board import Hex
from core.errors import Refused
from core.events import Event, FramePopped, FramePushed, Marked
from core.flow import Decision, Step
from core.game import Game
from core.options import Door, Offer, offer
from core.orders import HexPick, OneHex, Order, Pick, UnitPick, UnitSet
from core.rulesets.war_for_the_motherland import losses
from core.rulesets.war_for_the_motherland.battle import Battle, Pay, PayResult, Role, fighters, side_of
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.retreat_costs import go, price
from core.rulesets.war_for_the_motherland.retreat_ways import barred, can_retreat, common, crosses_river, is_immobile, priority, ways
from core.rulesets.war_for_the_motherland.terms import RETREAT_LEFT, RETREATED_FROM
from core.text import Text, text
from core.units import UnitId
from core.views import View


class Retreat(Order, frozen=True, tag="retreat"):
    """Retreat units of one hex together by one hex (8.102)."""

    units: UnitSet = ()
    hex: OneHex = None


class Retreating(Step, frozen=True, kw_only=True):
    """A retreat goes on; *points* are the rounds left, the running one included."""

    battle: Battle
    role: Role
    points: int


def _ask(view: View, decision: ChooseRetreat) -> Text:
    return text("Retreat hex by hex: {n} still to go", n=decision.points)


@RULES.decision(_ask, title=text("Way of a retreat"))
class ChooseRetreat(Decision, frozen=True, kw_only=True):
    """The beaten side chooses the way of its units (8.102, 8.106)."""

    orders: ClassVar = ("retreat",)
    rule: ClassVar = "8.102"
    battle: Battle
    role: Role
    points: int


def waiting(view: View, role: Role, points: int) -> tuple[UnitId, ...]:
    """Return the units that have not yet gone in this round; all of them before the first."""
    marks = view.position
    return tuple(unit for unit in fighters(view, role) if not marks.mark(unit, RETREATED_FROM) or marks.mark(unit, RETREAT_LEFT) == points)


def no_retreat(view: View, choice: PayResult) -> Refused | None:
    """Return why hexes can't pay, None if they can."""
    if not choice.hexes:
        return Refused("8.86", text("the result {result} allows no retreat", result=choice.battle.result))
    for unit in fighters(view, choice.role):
        if is_immobile(view, unit):
            return Refused("8.101", text("{unit} has no movement points, and all must retreat", unit=view.name(unit)))  # D-40
        if not ways(view, unit):
            return Refused("8.84", text("no hex is open to {unit}, and all must retreat", unit=view.name(unit)))
    return None


def may_open(view: View, choice: PayResult, bearers: Sequence[UnitId]) -> bool:
    """Say whether hexes could pay a part once those who can't retreat are given up, each with its last step (8.84b, 8.101, D-40)."""
    units = fighters(view, choice.role)
    stuck = [unit for unit in units if is_immobile(view, unit) or not ways(view, unit)]
    lost_at_once = all(unit in bearers and losses.steps_left(view, unit) == 1 for unit in stuck)
    return choice.hexes and lost_at_once and len(stuck) < min(len(units), choice.points)


def compose_retreat(view: View, draft: Retreat) -> Offer:
    """Offer units of one hex, then a hex that is open to all of them."""
    choice = view.decision()
    assert isinstance(choice, (ChooseRetreat, PayResult)), choice
    closed = no_retreat(view, choice) if isinstance(choice, PayResult) else None
    if closed is not None:
        return offer(unfinished=closed, unknown=lambda pick: closed)
    units = waiting(view, choice.role, choice.points)
    unfinished = Refused("8.102", text("a hex must be chosen") if draft.units else text("units must be chosen"))

    def can_join(chosen: Sequence[UnitId], unit: UnitId) -> bool:
        return all(view.unit(other).place == view.unit(unit).place for other in chosen) and bool(common(view, (*chosen, unit)))

    gone = next((unit for unit in draft.units if unit not in units), None)
    if gone is not None:  # as in an answer that was given ahead
        return offer(unfinished=_has_none(view, gone))
    if draft.units and not can_join(draft.units[1:], draft.units[0]):
        return offer(unfinished=unfinished)
    if draft.hex is not None:
        done = bool(draft.units) and draft.hex in common(view, draft.units)
        return offer(unfinished=None if done else unfinished)
    doors = [Door(UnitPick(unit)) for unit in units if unit not in draft.units and can_join(draft.units, unit)]
    if draft.units:
        doors += [Door(HexPick(there), label=price(view, draft.units, there)) for there in sorted(common(view, draft.units))]
    return offer(doors, unfinished=unfinished, unknown=lambda pick: why_not(view, units, draft, pick))


def _has_none(view: View, unit: UnitId) -> Refused:
    return Refused("8.102", text("{unit} has no hex to retreat now", unit=view.name(unit)))


def why_not(view: View, units: Sequence[UnitId], draft: Retreat, pick: Pick) -> Refused | None:
    """Say why a pick is not among those offered."""
    if isinstance(pick, UnitPick):
        if pick.unit not in units:
            return _has_none(view, pick.unit)
        return Refused("8.102", text("{unit} can't go with the others", unit=view.name(pick.unit)))
    if not isinstance(pick, HexPick) or not draft.units:
        return None
    here, name = Hex(view.unit(draft.units[0]).place), view.board.name(pick.hex)
    if not view.board.are_adjacent(here, pick.hex):
        return Refused("8.101", text("{hex} is no neighbour of {here}", hex=name, here=view.board.name(here)))
    closed = next((why for unit in draft.units if (why := barred(view, unit, pick.hex)) is not None), None)
    return closed or Refused("8.106", text("{hex} must wait: a hex of a better class is open", hex=name))


def keeps_apart(view: View, order: Retreat) -> Refused | None:
    """Return what bars one of a group from the hex that all of it shall go to (8.103, 8.104, 4.15); None if it is none of that."""
    choice = view.decision()
    assert isinstance(choice, (ChooseRetreat, PayResult)), choice
    closed = isinstance(choice, PayResult) and no_retreat(view, choice) is not None
    here, units = {view.unit(unit).place for unit in order.units}, waiting(view, choice.role, choice.points)
    if closed or order.hex is None or len(here) != 1 or not set(order.units) <= set(units):
        return None
    if not view.board.are_adjacent(Hex(here.pop()), order.hex):
        return None
    return next((why for unit in order.units if (why := barred(view, unit, order.hex)) is not None), None)


def begin_retreat(game: Game, role: Role, points: int) -> Iterator[Event]:
    """Mark where every beaten unit starts from and how far it goes."""
    for unit in fighters(game, role):
        yield Marked((unit,), RETREATED_FROM, game.unit(unit).place + 1)
        yield Marked((unit,), RETREAT_LEFT, points)


@RULES.step(Retreating)
def run_retreating(game: Game, step: Retreating) -> Iterator[Event]:
    """Go on with the round, begin the next, or end the retreat."""
    units, points = waiting(game, step.role, step.points), step.points
    if not units and points > 1 and fighters(game, step.role):
        points, units = points - 1, waiting(game, step.role, points - 1)
    elif not units:
        yield FramePushed(Pay(battle=step.battle, role=step.role, points=0, hexes=False).frame())
        return
    if not can_retreat(game, units):
        yield FramePushed(Pay(battle=step.battle, role=step.role, points=points, hexes=False).frame())  # D-42
        return
    there = _only_way(game, units)
    if there is None:
        side = side_of(game, step.battle, step.role)
        yield FramePushed(ChooseRetreat(side=side, battle=step.battle, role=step.role, points=points).frame())
        return
    yield FramePushed(Retreating(battle=step.battle, role=step.role, points=points).frame())
    yield from go(game, units, there)


def _only_way(view: View, units: Sequence[UnitId]) -> Hex | None:
    """Return the hex that all these units must go to, None if their owner has a choice to make."""
    here, open_hexes = view.unit(units[0]).place, {there for unit in units for there in ways(view, unit)}
    if len(open_hexes) != 1 or any(view.unit(unit).place != here for unit in units):
        return None
    (there,) = open_hexes
    # Where the way costs a step, it matters who goes together.
    costs = priority(view, there, view.side(units[0])) == 4 or crosses_river(view, units, Hex(here), there)
    return None if costs and len(units) > 1 else there


@RULES.order(Retreat, text("Retreat"), rule="8.102", compose=compose_retreat, together=keeps_apart)
def take_retreat(game: Game, order: Retreat) -> Iterator[Event]:
    """Retreat a group; the first of a payment settles that what is left of it is paid in hexes (D-41)."""
    choice = game.decision()
    assert isinstance(choice, (ChooseRetreat, PayResult)), choice
    assert order.hex is not None, order
    yield FramePopped()
    if isinstance(choice, PayResult):
        yield from begin_retreat(game, choice.role, choice.points)
    yield FramePushed(Retreating(battle=choice.battle, role=choice.role, points=choice.points).frame())
    yield from go(game, order.units, order.hex)
