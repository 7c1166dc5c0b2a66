"""Sequence of play (3.0): the phases of a turn and the steps of each phase, as a table.

Rules: 3.0a, 3.0b, 3.0c, 16.45.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.events import Event, FramePushed, MarksCleared, PhaseBegan
from core.flow import Step
from core.game import Game
from core.rulesets.war_for_the_motherland import (
    administration,
    air,
    arrivals,
    combat_phase,
    movement_phase,
    partisans,
    supply_phase,
    victory,
    withdrawals,
)
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.terms import AXIS, OF_A_COMBAT_PHASE, OF_A_MOVEMENT_PHASE, OF_A_TURN, SOVIET
from core.units import Side
from core.views import View

# Phase, phasing side (empty: both), its steps in order.
PHASES: tuple[tuple[str, Side, tuple[Step, ...]], ...] = (
    (
        "mutual_supply",
        "",
        (
            supply_phase.ExpendDepots(),  # 9.26
            supply_phase.JudgeAirbases(),  # 3.0 1a
            air.PlaceFleets(),  # 3.0 1b
            arrivals.KeepRailroads(),  # 13.15, D-68
            supply_phase.JudgeUnits(),  # 3.0 1c
            supply_phase.RemoveExpended(),  # 9.26
            arrivals.NewStrengthMarkers(),  # 3.0 1d
        ),
    ),
    (
        "axis_movement",
        AXIS,
        (arrivals.PlaceReinforcements(side=AXIS), movement_phase.Move(side=AXIS), movement_phase.EndOfMovement(side=AXIS)),
    ),
    ("axis_combat", AXIS, (combat_phase.Fight(side=AXIS), combat_phase.EndOfCombat(side=AXIS))),
    ("soviet_combat", SOVIET, (combat_phase.Fight(side=SOVIET), combat_phase.EndOfCombat(side=SOVIET))),
    (
        "soviet_movement",
        SOVIET,
        (
            arrivals.PlaceReinforcements(side=SOVIET),
            partisans.DeployPartisans(),  # 9.81, D-02
            movement_phase.Move(side=SOVIET),
            movement_phase.EndOfMovement(side=SOVIET),
        ),
    ),
    (
        "german_mechanized_movement",
        AXIS,
        (
            movement_phase.Move(side=AXIS),
            air.LiftFleets(),  # 10.13
            withdrawals.WithdrawAirbase(),  # 13.7
            movement_phase.EndOfMovement(side=AXIS),
        ),
    ),
    ("administrative", "", administration.STEPS),
)


class BeginPhase(Step, frozen=True, kw_only=True):
    """A phase begins; *index* counts the phases of a turn from 0."""

    turn: int
    index: int


@RULES.step(BeginPhase)
def begin_phase(game: Game, step: BeginPhase) -> Iterator[Event]:
    """Begin a phase, or pass over one that the scenario leaves out (16.45)."""
    if step.index == len(PHASES):
        yield from next_turn(game, step.turn)
        return
    phase, side, steps = PHASES[step.index]
    yield FramePushed(BeginPhase(turn=step.turn, index=step.index + 1).frame())
    if [step.turn, phase] in game.setting.scenario.rules.get("skipped", []):
        return  # 16.45
    yield PhaseBegan(step.turn, phase, side)
    for one in reversed(steps):
        yield FramePushed(one.frame())


def next_turn(game: Game, turn: int) -> Iterator[Event]:
    """Advance the turn marker (3.0 7k), or judge the game after the last turn (1.0c)."""
    yield MarksCleared((*OF_A_MOVEMENT_PHASE, *OF_A_COMBAT_PHASE, *OF_A_TURN))
    if turn == game.setting.scenario.last_turn:
        yield from victory.judge(game)
    else:
        yield FramePushed(BeginPhase(turn=turn + 1, index=0).frame())


def phases(view: View) -> tuple[tuple[str, Side], ...]:
    """Return the phases of the running turn, without those that the scenario leaves out."""
    skipped = view.setting.scenario.rules.get("skipped", [])
    return tuple((phase, side) for phase, side, _ in PHASES if [view.position.turn, phase] not in skipped)
