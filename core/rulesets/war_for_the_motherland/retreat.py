"""Retreats: which hexes are open, what the way costs, what becomes of crowds (8.10).

A retreat goes round by round: in each round every beaten unit goes one hex, in groups as its owner likes, and that pays one point
(8.84, 8.102). If a round can't be finished, what is left must be paid in steps (D-42).

Rules: 8.101a, 8.101b, 8.101d, 8.102a, 8.102b, 8.103a, 8.103b, 8.104a to 8.104c, 8.105a to 8.105c, 8.106, 8.108, 4.29, 9.52 (retreat), 5.26.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from core.board import Hex
from core.errors import Refused
from core.events import Event, FramePopped, FramePushed, Marked, Moved, Unmarked
from core.flow import Decision, Step
from core.game import Game
from core.options import Door, Offer, offer
from core.orders import HexPick, OneHex, OneUnit, Order, Pick, UnitPick, UnitSet
from core.rulesets.war_for_the_motherland import control, losses, recovery, stacking, strength, weather, zoc
from core.rulesets.war_for_the_motherland.battle import Battle, Paid, Pay, PayResult, Role, fighters, side_of
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.terms import (
    IN_BATTLE,
    NOT_STACKING,
    RETREAT_LEFT,
    RETREATED_FROM,
    has_enemy,
    is_armored,
    units_at,
)
from core.text import Text, text
from core.units import Side, UnitId
from core.views import View

# -------------------------------------------------------------------- where to


def priority(view: View, here: Hex, side: Side) -> int:
    """Return the class of a hex that units retreat into, 1 the first choice (8.106).

    Beaten units do not count for one another: they leave at the same time, so that nobody's way hangs on who goes first, and
    each group that goes by itself pays for itself (D-43).
    """
    held = any(not view.position.mark(unit, IN_BATTLE) for unit in units_at(view, here, side))
    contested = zoc.in_enemy_zoc(view, here, side)
    if contested:
        return 3 if held else 4
    return 2 if held else 1


def is_immobile(view: View, unit: UnitId) -> bool:
    """Say whether a unit can't retreat at all (8.101)."""
    return strength.printed(view, unit).move == 0


def barred(view: View, unit: UnitId, there: Hex) -> Refused | None:
    """Return why a unit may not retreat into a neighbouring hex whatever its priority, None if it may."""
    kind, here, name = view.type(unit), Hex(view.unit(unit).place), view.board.name(there)
    if is_immobile(view, unit):
        return Refused("8.101", text("{unit} has no movement points and can't retreat", unit=view.name(unit)))
    if weather.bars_all(view, here, there) or not weather.is_land(view, there):
        return Refused("8.103", text("no retreat over water to {hex}", hex=name))
    if has_enemy(view, there, kind.side):
        return Refused("8.103", text("{hex} is held by the enemy", hex=name))
    if kind.kind == "siege_artillery" and not view.board.side_has(here, there, "rail"):
        return Refused("8.75", text("{unit} retreats along a railroad only, not to {hex}", unit=view.name(unit), hex=name))  # 8.103
    start = Hex(view.position.mark(unit, RETREATED_FROM) - 1) if view.position.mark(unit, RETREATED_FROM) else here
    if view.board.distance(start, there) <= view.board.distance(start, here):
        return Refused("8.101", text("{hex} lies no farther from where {unit} stood", hex=name, unit=view.name(unit)))  # D-42
    if stacking.closed_to_nation(view, unit, there):
        return Refused("4.15", text("{hex} is closed to {unit}: another nation stands there", hex=name, unit=view.name(unit)))
    if strength.is_out_of_supply(view, unit) and priority(view, there, kind.side) == 4:
        return Refused("8.104", text("{unit} is Out of Supply: no retreat into the enemy ZOC of {hex}", unit=view.name(unit), hex=name))
    return None


def ways(view: View, unit: UnitId) -> frozenset[Hex]:
    """Return the hexes that a unit may retreat into next: those of the best class that is open to it (8.106)."""
    here, side = Hex(view.unit(unit).place), view.side(unit)
    able = {there: priority(view, there, side) for there in view.board.adjacent[here] if barred(view, unit, there) is None}
    best = min(able.values(), default=0)
    return frozenset(there for there, rank in able.items() if rank == best)


def common(view: View, units: Sequence[UnitId]) -> frozenset[Hex]:
    """Return the hexes that units of one hex may retreat into together."""
    return frozenset.intersection(*(ways(view, unit) for unit in units))


def can_retreat(view: View, units: Sequence[UnitId]) -> bool:
    """Say whether every one of some units could go one hex by the present position (8.102, D-40)."""
    return all(ways(view, unit) for unit in units)


# -------------------------------------------------------------------- rounds


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


@RULES.decision(_ask)
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


def compose_retreat(view: View, draft: Retreat) -> Offer:
    """Offer units of one hex, then a hex that is open to all of them."""
    choice = view.decision()
    assert isinstance(choice, (ChooseRetreat, PayResult)), choice
    closed = no_retreat(view, choice) if isinstance(choice, PayResult) else None
    if closed is not None:
        return offer(unfinished=closed, unknown=lambda pick: closed)
    units = waiting(view, choice.role, choice.points)
    unfinished = Refused("8.102", text("units and a hex must be named"))

    def can_join(chosen: Sequence[UnitId], unit: UnitId) -> bool:
        return all(view.unit(other).place == view.unit(unit).place for other in chosen) and bool(common(view, (*chosen, unit)))

    if any(unit not in units for unit in draft.units) or (draft.units and not can_join(draft.units[1:], draft.units[0])):
        return offer(unfinished=unfinished)
    if draft.hex is not None:
        done = bool(draft.units) and draft.hex in common(view, draft.units)
        return offer(unfinished=None if done else unfinished)
    doors = [Door(UnitPick(unit)) for unit in units if unit not in draft.units and can_join(draft.units, unit)]
    if draft.units:
        doors += [Door(HexPick(there), label=_cost(view, draft.units, there)) for there in sorted(common(view, draft.units))]
    return offer(doors, unfinished=unfinished, unknown=lambda pick: _why_not(view, units, draft, pick))


def _cost(view: View, units: Sequence[UnitId], there: Hex) -> Text | None:
    """Say what the way into a hex costs besides."""
    here, side = Hex(view.unit(units[0]).place), view.side(units[0])
    drowns, pays = _crosses(view, units, here, there), priority(view, there, side) == 4
    if drowns and pays:
        return text("an armored step for the river and a step for the enemy ZOC")
    return text("an armored step for the river") if drowns else text("a step for the enemy ZOC") if pays else None


def _why_not(view: View, units: Sequence[UnitId], draft: Retreat, pick: Pick) -> Refused | None:
    """Say why a pick is not among those offered."""
    if isinstance(pick, UnitPick):
        if pick.unit not in units:
            return Refused("8.102", text("{unit} has no hex to retreat now", unit=view.name(pick.unit)))
        return Refused("8.102", text("{unit} can't go with the others", unit=view.name(pick.unit)))
    if not isinstance(pick, HexPick) or not draft.units:
        return None
    here, name = Hex(view.unit(draft.units[0]).place), view.board.name(pick.hex)
    if not view.board.are_adjacent(here, pick.hex):
        return Refused("8.101", text("{hex} is no neighbour of {here}", hex=name, here=view.board.name(here)))
    closed = next((why for unit in draft.units if (why := barred(view, unit, pick.hex)) is not None), None)
    return closed or Refused("8.106", text("{hex} must wait: a hex of a better class is open", hex=name))


def begin_retreat(game: Game, role: Role, points: int) -> Iterator[Event]:
    """Mark where every beaten unit starts from and how far it goes."""
    for unit in fighters(game, role):
        yield Marked((unit,), RETREATED_FROM, game.unit(unit).place + 1)
        yield Marked((unit,), RETREAT_LEFT, points)


def go(game: Game, units: Sequence[UnitId], there: Hex) -> Iterator[Event]:
    """Move a group one hex; what the way costs is pushed on top (8.104, 8.108)."""
    here, side = Hex(game.unit(units[0]).place), game.side(units[0])
    pays = priority(game, there, side) == 4  # 8.104, D-43
    drowns = _crosses(game, units, here, there)
    yield Moved(tuple(units), (here, there))
    for unit in units:
        left = game.position.mark(unit, RETREAT_LEFT)
        if left > 1:
            yield Marked((unit,), RETREAT_LEFT, left - 1)
        elif left:
            yield Unmarked((unit,), RETREAT_LEFT)
    yield from control.enter(game, tuple(units), there)
    if pays or drowns:
        yield FramePushed(PayForWay(units=tuple(units), river=drowns, zoc=pays).frame())


def _crosses(view: View, units: Sequence[UnitId], here: Hex, there: Hex) -> bool:
    """Say whether a retreat over a hexside costs an armored step (8.108)."""
    return view.board.side_has(here, there, "major_river") and any(is_armored(view.type(unit)) for unit in units)


@RULES.step(Retreating)
def run_retreating(game: Game, step: Retreating) -> Iterator[Event]:
    """Go on with the round, begin the next, or end the retreat."""
    units, points = waiting(game, step.role, step.points), step.points
    if not units and points > 1 and fighters(game, step.role):
        points, units = points - 1, waiting(game, step.role, points - 1)
    elif not units:
        yield FramePushed(SettleCrowds(battle=step.battle, role=step.role).frame())
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
    costs = priority(view, there, view.side(units[0])) == 4 or _crosses(view, units, Hex(here), there)
    return None if costs and len(units) > 1 else there


@RULES.order(Retreat, text("Retreat"), rule="8.102", compose=compose_retreat)
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


# -------------------------------------------------------------------- what the way costs


class LoseOnWay(Order, frozen=True, tag="lose_on_way"):
    """Name the unit that loses the step of a retreat (8.104, 8.108)."""

    unit: OneUnit = None


class PayForWay(Step, frozen=True, kw_only=True):
    """A group that just retreated one hex loses an armored step for a river and a step for an enemy ZOC."""

    units: tuple[UnitId, ...]
    river: bool
    zoc: bool


def _ask_bearer(view: View, decision: ChooseBearer) -> Text:
    return text("Choose who loses the armored step of the river") if decision.river else text("Choose who loses the step of the enemy ZOC")


@RULES.decision(_ask_bearer)
class ChooseBearer(Decision, frozen=True, kw_only=True):
    """The owner chooses who of a retreating stack loses a step; *zoc*: another step, for the ZOC, follows."""

    orders: ClassVar = ("lose_on_way",)
    rule: ClassVar = "8.104"
    units: tuple[UnitId, ...]
    river: bool
    zoc: bool


def _bearers(view: View, units: Sequence[UnitId], *, river: bool) -> tuple[UnitId, ...]:
    if river:
        return tuple(unit for unit in units if is_armored(view.type(unit)))  # D-46
    return losses.bearers(view, units)  # D-43


@RULES.step(PayForWay)
def run_pay_for_way(game: Game, step: PayForWay) -> Iterator[Event]:
    """Take the river's step, then the ZOC's; ask if several could bear it."""
    if not step.units or not (step.river or step.zoc):
        return
    able = _bearers(game, step.units, river=step.river)
    if len(able) == 1:
        yield from _lose(game, step.units, able[0], river=step.river, zoc_too=step.zoc)
        return
    side = game.side(step.units[0])
    yield FramePushed(ChooseBearer(side=side, units=step.units, river=step.river, zoc=step.zoc).frame())


def _lose(game: Game, units: Sequence[UnitId], bearer: UnitId, *, river: bool, zoc_too: bool) -> Iterator[Event]:
    now = yield from losses.lose_step(game, bearer)
    left = tuple(now if unit == bearer else unit for unit in units if unit != bearer or now is not None)
    if river and zoc_too:
        yield FramePushed(PayForWay(units=tuple(unit for unit in left if unit is not None), river=False, zoc=True).frame())


def compose_bearer(view: View, draft: LoseOnWay) -> Offer:
    """Offer those who may bear the step."""
    choice = view.decision()
    assert isinstance(choice, ChooseBearer), choice
    able = _bearers(view, choice.units, river=choice.river)
    rule = "8.108" if choice.river else "8.104"
    if draft.unit is None:
        doors = (Door(UnitPick(unit)) for unit in able)
        return offer(doors, unfinished=Refused(rule, text("a unit must be named")), unknown=lambda pick: _no_bearer(view, rule, pick))
    return offer(unfinished=None if draft.unit in able else _no_bearer(view, rule, UnitPick(draft.unit)))


def _no_bearer(view: View, rule: str, pick: Pick) -> Refused | None:
    if not isinstance(pick, UnitPick):
        return None
    return Refused(rule, text("{unit} can't be the one to lose this step", unit=view.name(pick.unit)))


@RULES.order(LoseOnWay, text("Lose a step on the way"), rule="8.104", compose=compose_bearer)
def take_lose_on_way(game: Game, order: LoseOnWay) -> Iterator[Event]:
    """Take the step from the unit that its owner named."""
    choice = game.decision()
    assert isinstance(choice, ChooseBearer), choice
    assert order.unit is not None, order
    yield FramePopped()
    yield from _lose(game, choice.units, order.unit, river=choice.river, zoc_too=choice.zoc)


# -------------------------------------------------------------------- crowds


class RetreatFurther(Order, frozen=True, tag="retreat_further"):
    """Retreat one unit of an overstacked hex one hex more (8.105)."""

    unit: OneUnit = None
    hex: OneHex = None


class RemoveRetreated(Order, frozen=True, tag="remove_retreated"):
    """Name the unit that is eliminated because it retreated into an overstacked hex (8.105)."""

    unit: OneUnit = None


class SettleCrowds(Step, frozen=True, kw_only=True):
    """After a retreat: hexes that it overstacked are settled; *tried* had their additional hex."""

    battle: Battle
    role: Role
    tried: tuple[Hex, ...] = ()


def _ask_crowd(view: View, decision: ChooseInCrowd) -> Text:
    return text("{hex} is overstacked by the retreat", hex=view.board.name(decision.hex))


@RULES.decision(_ask_crowd)
class ChooseInCrowd(Decision, frozen=True, kw_only=True):
    """The owner sends one retreated unit on, or loses one (8.105, D-44)."""

    orders: ClassVar = ("retreat_further", "remove_retreated")
    rule: ClassVar = "8.105"
    battle: Battle
    role: Role
    hex: Hex
    tried: tuple[Hex, ...]


def crowd(view: View, role: Role, here: Hex) -> tuple[UnitId, ...]:
    """Return the units that retreated into a hex and count for stacking."""
    return tuple(
        unit
        for unit in fighters(view, role)
        if view.unit(unit).place == here
        and view.position.mark(unit, RETREATED_FROM)
        and view.position.mark(unit, RETREATED_FROM) != here + 1
        and view.type(unit).kind not in NOT_STACKING
    )


def overfull(view: View, role: Role) -> tuple[Hex, ...]:
    """Return the hexes that retreated units of the battle overstack, lowest first."""
    places = sorted({Hex(view.unit(unit).place) for unit in fighters(view, role)})
    return tuple(here for here in places if (some := crowd(view, role, here)) and stacking.excess(view, here, view.side(some[0])))


@RULES.step(SettleCrowds)
def settle_crowds(game: Game, step: SettleCrowds) -> Iterator[Event]:
    """Settle one overstacked hex, or go on with the battle."""
    full = overfull(game, step.role)
    if not full:
        yield FramePushed(Paid(battle=step.battle, role=step.role).frame())
        return
    here = next((here for here in full if here not in step.tried), full[0])
    some = crowd(game, step.role, here)
    can_go = here not in step.tried and any(ways(game, unit) for unit in some)
    tried = (*step.tried, here) if here not in step.tried else step.tried
    if can_go or len(some) > 1:
        side = side_of(game, step.battle, step.role)
        # Where it may still be tried, the hex is not yet among those that were.
        so_far = step.tried if can_go else tried
        yield FramePushed(ChooseInCrowd(side=side, battle=step.battle, role=step.role, hex=here, tried=so_far).frame())
        return
    yield FramePushed(SettleCrowds(battle=step.battle, role=step.role, tried=tried).frame())
    yield from recovery.eliminate(game, some[0], "overstacked")  # 8.105


def compose_further(view: View, draft: RetreatFurther) -> Offer:
    """Offer the units that can go on, then the hex."""
    choice = view.decision()
    assert isinstance(choice, ChooseInCrowd), choice
    unfinished = Refused("8.105", text("a unit and a hex must be named"))
    if choice.hex in choice.tried:
        return offer(unfinished=Refused("8.105", text("only one unit may go one hex further")))
    some = crowd(view, choice.role, choice.hex)
    if draft.unit is None:
        doors = (Door(UnitPick(unit)) for unit in some if ways(view, unit))
        return offer(doors, unfinished=unfinished, unknown=lambda pick: _why_not_further(view, some, pick))
    if draft.unit not in some:
        return offer(unfinished=unfinished)
    open_hexes = ways(view, draft.unit)
    if draft.hex is not None:
        return offer(unfinished=None if draft.hex in open_hexes else unfinished)
    units = (draft.unit,)
    doors = (Door(HexPick(there), label=_cost(view, units, there)) for there in sorted(open_hexes))
    return offer(doors, unfinished=unfinished, unknown=lambda pick: _why_not(view, units, Retreat(units), pick))


def _why_not_further(view: View, some: Sequence[UnitId], pick: Pick) -> Refused | None:
    if not isinstance(pick, UnitPick):
        return None
    if pick.unit not in some:
        return Refused("8.105", text("{unit} is none of the units that retreated here", unit=view.name(pick.unit)))
    return Refused("8.106", text("no hex is open to {unit}", unit=view.name(pick.unit)))


@RULES.order(RetreatFurther, text("Retreat one hex further"), rule="8.105", compose=compose_further)
def take_retreat_further(game: Game, order: RetreatFurther) -> Iterator[Event]:
    """Send a unit on; neither its old hex nor its new one gets another additional hex."""
    choice = game.decision()
    assert isinstance(choice, ChooseInCrowd), choice
    assert order.unit is not None, order
    assert order.hex is not None, order
    yield FramePopped()
    tried = (*choice.tried, choice.hex, order.hex)
    yield FramePushed(SettleCrowds(battle=choice.battle, role=choice.role, tried=tried).frame())
    yield from go(game, (order.unit,), order.hex)


def compose_remove(view: View, draft: RemoveRetreated) -> Offer:
    """Offer the units that retreated into the hex."""
    choice = view.decision()
    assert isinstance(choice, ChooseInCrowd), choice
    some = crowd(view, choice.role, choice.hex)
    unfinished = Refused("8.105", text("a unit must be named"))
    if draft.unit is None:
        return offer(
            (Door(UnitPick(unit)) for unit in some), unfinished=unfinished, unknown=lambda pick: _why_not_further(view, some, pick)
        )
    return offer(unfinished=None if draft.unit in some else unfinished)


@RULES.order(RemoveRetreated, text("Lose a unit that retreated"), rule="8.105", compose=compose_remove)
def take_remove_retreated(game: Game, order: RemoveRetreated) -> Iterator[Event]:
    """Eliminate the named unit; the hex is looked at again."""
    choice = game.decision()
    assert isinstance(choice, ChooseInCrowd), choice
    assert order.unit is not None, order
    yield FramePopped()
    tried = (*choice.tried, choice.hex)
    yield FramePushed(SettleCrowds(battle=choice.battle, role=choice.role, tried=tried).frame())
    yield from recovery.eliminate(game, order.unit, "overstacked")  # 8.105
