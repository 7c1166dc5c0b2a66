"""Runs steps of the Mutual Supply Phase alone, so that a test of supply stands on nothing that comes after."""

from __future__ import annotations

from collections.abc import Sequence

from core.flow import Step
from core.rulesets.war_for_the_motherland.air import PlaceFleets
from core.rulesets.war_for_the_motherland.supply_phase import ExpendDepots, JudgeAirbases, JudgeUnits, RemoveExpended
from core.trials.table import Table
from tests.rules.war_for_the_motherland.moments import run

STEPS: tuple[Step, ...] = (ExpendDepots(), JudgeAirbases(), PlaceFleets(), JudgeUnits(), RemoveExpended())


def phase_one(table: Table, turn: int, *, steps: Sequence[Step] = STEPS, dice: Sequence[int] = (), draws: Sequence[str] = ()) -> None:
    """Begin phase 1 of a turn, and run these of its steps to the first decision, or to the end.

    At the end a decision about fleets lies on the stack, which nobody is to answer: a game always waits for somebody.
    """
    run(table, turn, *steps, phase="mutual_supply", dice=dice, draws=draws)
