"""Administrative Phase (3.0 phase 7): its steps in order.

Rules: 3.0.7a to 3.0.7k, 4.11, 4.18.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.events import Event
from core.flow import Step
from core.game import Game
from core.rulesets.war_for_the_motherland import (
    conversion,
    economy,
    organization,
    partisans,
    rebuilding,
    stacking,
    strength_markers,
    withdrawals,
)
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.terms import AXIS, SOVIET


class BeginAdministration(Step, frozen=True, kw_only=True):
    """What the phase's first moment decides: who leaves, and which factories are in an Axis ZOC (13.6, 12.33)."""


@RULES.step(BeginAdministration)
def begin_administration(game: Game, step: BeginAdministration) -> Iterator[Event]:
    """Let the Italians go on their turn, then mark the factories that can't leave."""
    del step
    yield from withdrawals.italians_leave(game)  # 13.6
    yield from economy.mark_factories_in_zoc(game)  # 12.33


STEPS: tuple[Step, ...] = (
    BeginAdministration(),
    organization.AskOrganization(),  # 3.0 7a
    conversion.AskConversions(),  # 3.0 7b, D-03
    rebuilding.AskRebuilding(),  # 3.0 7c
    rebuilding.AskArmyBreakdown(),  # 3.0 7d
    economy.CheckPorts(),  # 3.0 7e
    economy.ProduceOsg(),  # 3.0 7f
    economy.AskEvacuation(),  # 3.0 7g
    partisans.DeployPartisans(last=True),  # 3.0 7h, D-02
    strength_markers.RemoveMarkers(),  # 3.0 7i, D-01
    strength_markers.DrawMarkers(),  # 3.0 7j, D-01
    stacking.CheckStacking(side=AXIS),  # 4.18
    stacking.CheckStacking(side=SOVIET),
)
