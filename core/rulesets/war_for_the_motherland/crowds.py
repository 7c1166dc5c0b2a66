"""Hexes that a retreat overstacks: one unit goes on, or is lost (8.105).

Rules: 8.105b, 8.105c; D-44.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from core.board import Hex
from core.errors import Refused
from core.events import Event, FramePopped, FramePushed
from core.flow import Decision, Step
from core.game import Game
from core.options import Door, Offer, offer
from core.orders import HexPick, OneHex, OneUnit, Order, Pick, UnitPick
from core.rulesets.war_for_the_motherland import recovery, stacking
from core.rulesets.war_for_the_motherland.battle import Battle, Paid, Role, fighters, side_of
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.retreat import Retreat, why_not
from core.rulesets.war_for_the_motherland.retreat_costs import go, price
from core.rulesets.war_for_the_motherland.retreat_ways import ways
from core.rulesets.war_for_the_motherland.terms import NOT_STACKING, RETREATED_FROM
from core.text import Text, text
from core.units import UnitId
from core.views import View


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


@RULES.decision(_ask_crowd, title=text("Overstacking by a retreat"))
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
    unfinished = Refused("8.105", text("a unit must be chosen") if draft.unit is None else text("a hex must be chosen"))
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
    doors = (Door(HexPick(there), label=price(view, units, there)) for there in sorted(open_hexes))
    return offer(doors, unfinished=unfinished, unknown=lambda pick: why_not(view, units, Retreat(units), pick))


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
    unfinished = Refused("8.105", text("a unit must be chosen"))
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
