"""One hex of a retreat and what it costs: a step for an enemy ZOC, an armored step for a major river (8.104, 8.108).

Rules: 8.104a, 8.104b, 8.108, 4.29a; D-43, D-46.
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
from core.orders import OneUnit, Order, Pick, UnitPick
from core.rulesets.war_for_the_motherland import control, losses
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.retreat_ways import crosses_river, priority
from core.rulesets.war_for_the_motherland.terms import RETREAT_LEFT, is_armored
from core.text import Text, text
from core.units import UnitId
from core.views import View


def price(view: View, units: Sequence[UnitId], there: Hex) -> Text | None:
    """Say what the way into a hex costs besides."""
    here, side = Hex(view.unit(units[0]).place), view.side(units[0])
    drowns, pays = crosses_river(view, units, here, there), priority(view, there, side) == 4
    if drowns and pays:
        return text("an armored step for the river and a step for the enemy ZOC")
    return text("an armored step for the river") if drowns else text("a step for the enemy ZOC") if pays else None


def go(game: Game, units: Sequence[UnitId], there: Hex) -> Iterator[Event]:
    """Move a group one hex; what the way costs is pushed on top (8.104, 8.108)."""
    here, side = Hex(game.unit(units[0]).place), game.side(units[0])
    pays = priority(game, there, side) == 4  # 8.104, D-43
    drowns = crosses_river(game, units, here, there)
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


@RULES.decision(_ask_bearer, title=text("Loss on the way of a retreat"))
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
        return offer(doors, unfinished=Refused(rule, text("a unit must be chosen")), unknown=lambda pick: _no_bearer(view, rule, pick))
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
