"""The first turn of a scenario that begins in June 1941: open rivers for the Germans, and armies that stand still (17.41, 17.42).

A scenario has them by the words ``turn_without_rivers`` and ``frozen_countries``; Turning Point has neither.

Rules: 17.41, 17.42a, 17.42b, 18.41, 18.42, 19.41, 19.42; D-29, D-82.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.board import Hex
from core.errors import Refused
from core.events import Event, Marked
from core.game import Game
from core.rulesets.war_for_the_motherland.terms import FROZEN, is_german, is_unit
from core.text import text
from core.units import UnitId, UnitType
from core.views import View

FROZEN_RULE = {"18.0": "18.42", "19.0": "19.42"}  # of the scenarios that say it again


def ignores_rivers(view: View, kind: UnitType) -> bool:
    """Say whether a unit moves and overruns as if there were no rivers; combat knows them always (17.41, D-29)."""
    return is_german(kind) and view.position.turn == view.setting.scenario.rules.get("turn_without_rivers", 0)


def freeze(game: Game) -> Iterator[Event]:
    """Bind the units of both sides that were set up in the frozen countries, by the borders of 1941 (17.42, D-82)."""
    countries = game.setting.scenario.rules.get("frozen_countries", ())
    facts = game.board.facts
    bound = [unit.id for unit in game.position.on_map() if facts[Hex(unit.place)].country in countries and is_unit(game.type(unit.id))]
    if bound:
        yield Marked(tuple(bound), FROZEN)  # the mark goes with those of the turn


def why_frozen(view: View, unit: UnitId) -> Refused | None:
    """Return why a unit may not move, overrun, attack, advance or break down in this turn; None if it is not bound (17.42, D-82)."""
    if not view.position.mark(unit, FROZEN):
        return None
    rule = FROZEN_RULE.get(view.setting.scenario.rule, "17.42a")
    return Refused(rule, text("{unit} may only defend and retreat in the first turn", unit=view.name(unit)))
