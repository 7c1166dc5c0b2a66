"""What the Axis loses by the calendar: the Italian army and two airbases with their fleets (13.6, 13.7).

Rules: 3.0.6b, 13.17b, 13.6, 13.7.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.board import OUT
from core.errors import Refused
from core.events import Event, FramePopped, FramePushed, Removed
from core.flow import Decision, Step
from core.game import Game
from core.options import Door, Offer, offer
from core.orders import OneUnit, Order, Pick, UnitPick
from core.rulesets.war_for_the_motherland import recovery
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.terms import AXIS
from core.text import Text, text
from core.units import UnitId
from core.views import View

ITALIAN_SURRENDER = 34  # 13.6
ITALIAN_ARMY = "ita_army"
AIR_WITHDRAWALS = (11, 31)  # 13.7


class WithdrawAirbase(Step, frozen=True, kw_only=True):
    """At the end of phase 6 of two turns an airbase leaves with its fleet (13.7)."""


def _prompt(view: View, decision: Withdrawal) -> Text:
    del view, decision
    return text("Withdraw one airbase with its fleet")


@RULES.decision(_prompt, title=text("Withdrawal of an airbase"))
class Withdrawal(Decision, frozen=True, kw_only=True):
    """The Axis names the airbase that leaves; it can't wait (13.7, 13.17)."""

    orders = ("withdraw_airbase",)
    rule = "13.7"


class Withdraw(Order, frozen=True, tag="withdraw_airbase"):
    """Name the airbase that leaves the game."""

    unit: OneUnit = None


def airbases(view: View) -> tuple[UnitId, ...]:
    """Return the airbases in play, on the map or waiting to come back (D-63)."""
    units = sorted(view.position.units.values(), key=lambda unit: unit.id)
    return tuple(unit.id for unit in units if view.types[unit.type].kind == "airbase" and unit.place != OUT)


@RULES.step(WithdrawAirbase)
def withdraw_airbase(game: Game, step: WithdrawAirbase) -> Iterator[Event]:
    """Ask which one, if there is a choice."""
    del step
    some = airbases(game) if game.position.turn in AIR_WITHDRAWALS else ()
    if len(some) == 1:
        yield from _withdraw(game, some[0])
    elif some:
        yield FramePushed(Withdrawal(side=AXIS).frame())


def compose_withdrawal(view: View, draft: Withdraw) -> Offer:
    """Offer every airbase in play."""
    if draft.unit is not None:
        return Offer()
    return offer(
        (Door(UnitPick(unit)) for unit in airbases(view)),
        unfinished=Refused("13.7", text("an airbase must be chosen")),
        unknown=lambda pick: _no_airbase(view, pick),
    )


def _no_airbase(view: View, pick: Pick) -> Refused | None:
    if not isinstance(pick, UnitPick):
        return None
    return Refused("13.7", text("{unit} is no airbase in play", unit=view.name(pick.unit)))


@RULES.order(Withdraw, text("Withdraw an airbase"), rule="13.7", compose=compose_withdrawal)
def take_withdrawal(game: Game, order: Withdraw) -> Iterator[Event]:
    """Remove it for good."""
    assert order.unit is not None
    yield FramePopped()
    yield from _withdraw(game, order.unit)


def _withdraw(game: Game, airbase: UnitId) -> Iterator[Event]:
    fleet = recovery.fleet_of(game, airbase)
    if fleet is not None:
        yield Removed(fleet, "withdrawn")
    yield Removed(airbase, "withdrawn")  # 13.7


def italians_leave(game: Game) -> Iterator[Event]:
    """Remove the Italian army on its turn, wherever it is; nothing comes instead (13.6)."""
    if game.position.turn != ITALIAN_SURRENDER:
        return
    for unit in sorted(game.position.units.values(), key=lambda unit: unit.id):
        if unit.type == ITALIAN_ARMY and unit.place != OUT:
            yield Removed(unit.id, "surrendered")
