"""A battle under way: who fights whom, kept in marks of units so that a KG that replaces its corps fights on (8.94).

Battles follow one another, so a mark says enough: `IN_BATTLE` is 1 for attackers and 2 for defenders.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

import msgspec

from core.board import Hex
from core.flow import Decision, Step
from core.mechanics.combat_table import CombatTable, Result, read_result
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.terms import IN_BATTLE, REFUGEE, units_at
from core.text import Text, text
from core.units import Side, UnitId
from core.views import View

ATTACKING, DEFENDING = 1, 2
Role = int


class Battle(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What of a battle no unit can bear; each frame of it hands it on.

    *sources* are the hexes that the attackers fought from, *lost* the steps that paid points of the result, attacker's first.
    *in_city*: the attackers' armor will roll by option 20.4.
    """

    side: Side
    targets: tuple[Hex, ...]
    sources: tuple[Hex, ...]
    overrun: bool = False
    result: str = ""
    lost: tuple[int, int] = (0, 0)
    in_city: bool = False

    def meaning(self) -> Result:
        """Return what the result asks of each side."""
        return read_result(self.result)

    def with_lost(self, role: Role, steps: int) -> Battle:
        """Return the battle after *role* paid with so many steps more."""
        attacker, defender = self.lost
        lost = (attacker + steps, defender) if role == ATTACKING else (attacker, defender + steps)
        return msgspec.structs.replace(self, lost=lost)


class Pay(Step, frozen=True, kw_only=True):
    """Points that a side still has to pay; *hexes*: by retreat too."""

    battle: Battle
    role: Role
    points: int
    hexes: bool


class Paid(Step, frozen=True, kw_only=True):
    """A side has paid, and its retreat is settled."""

    battle: Battle
    role: Role


def _ask_payment(view: View, decision: PayResult) -> Text:
    if decision.hexes:
        return text("Result {result}: pay {n} by steps or hexes", result=decision.battle.result, n=decision.points)
    words = "Result {result}: lose {n} {n:step|steps}, without retreat"
    return text(words, result=decision.battle.result, n=decision.points)


@RULES.decision(_ask_payment, title=text("Paying for a result of combat"))
class PayResult(Decision, frozen=True, kw_only=True):
    """The hurt side loses a step, or retreats for all that is left to pay (8.84, D-41)."""

    orders: ClassVar = ("lose_step", "retreat")
    rule: ClassVar = "8.84"
    battle: Battle
    role: Role
    points: int
    hexes: bool


def side_of(view: View, battle: Battle, role: Role) -> Side:
    """Return the side of the attackers or defenders."""
    return battle.side if role == ATTACKING else view.other(battle.side)


def fighters(view: View, role: Role) -> tuple[UnitId, ...]:
    """Return the attackers or defenders that are left of the battle under way, lowest number first."""
    fighting = view.position.unit_marks.get(IN_BATTLE, {})
    return tuple(sorted(unit for unit, value in fighting.items() if value == role))


def in_hex_order(view: View, units: Iterable[UnitId]) -> list[UnitId]:
    """Return units by hex, then by number (D-33)."""
    return sorted(units, key=lambda unit: (view.unit(unit).place, unit))


def defenders(view: View, targets: Iterable[Hex], side: Side, *, overrun: bool) -> tuple[list[UnitId], list[UnitId]]:
    """Return who defends these hexes against *side*, and the refugees in them that only suffer (8.22, 8.33, 8.107, D-45)."""
    defending: list[UnitId] = []
    suffering: list[UnitId] = []
    for here in targets:
        units = units_at(view, here, view.other(side))
        fled = [unit for unit in units if view.position.mark(unit, REFUGEE)] if not overrun else []  # 8.107c
        if len(fled) == len(units):
            fled = []  # D-45: nobody else to add to
        defending += [unit for unit in units if unit not in fled]
        suffering += fled
    return defending, suffering


def table_of(view: View) -> CombatTable:
    """Return the combat results table."""
    chart = view.charts.combat
    return CombatTable(chart.headings, tuple(chart.rolls[str(roll)] for roll in range(1, chart.highest_roll + 1)))
