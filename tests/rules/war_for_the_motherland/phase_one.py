"""Runs steps of the Mutual Supply Phase alone, so that a test of supply stands on nothing that comes after."""

from __future__ import annotations

from collections.abc import Sequence

from core.events import Event, FramePopped, FramePushed, PhaseBegan
from core.flow import Step
from core.game import Game, run_steps
from core.rulesets.war_for_the_motherland.air import FleetsChoice, PlaceFleets
from core.rulesets.war_for_the_motherland.supply_phase import ExpendDepots, JudgeAirbases, JudgeUnits, RemoveExpended
from core.trials.table import ScriptedDice, Table

STEPS: tuple[Step, ...] = (ExpendDepots(), JudgeAirbases(), PlaceFleets(), JudgeUnits(), RemoveExpended())


def phase_one(table: Table, turn: int, *, steps: Sequence[Step] = STEPS, dice: Sequence[int] = (), draws: Sequence[str] = ()) -> None:
    """Begin phase 1 of a turn, and run these of its steps to the first decision, or to the end.

    At the end a decision about fleets lies on the stack, which nobody is to answer: a game always waits for somebody.
    """
    script = ScriptedDice(dice, draws)
    game = Game(table.setting, table.position, script, derived=table.view.derived)
    while game.position.frames:
        game.apply(FramePopped())
    game.apply(PhaseBegan(turn, "mutual_supply", ""))
    game.apply(FramePushed(FleetsChoice(side="axis").frame()))
    for step in reversed(steps):
        game.apply(FramePushed(step.frame()))
    happened: list[Event] = []
    run_steps(game, happened)
    table.events = tuple(happened)
    assert not script.left(), script.left()
