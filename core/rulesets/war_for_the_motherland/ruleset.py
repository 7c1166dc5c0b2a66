"""War for the Motherland (Yamazaki): all its rules together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.board import Hex
from core.events import Event, FramePushed
from core.game import Game
from core.orders import Order
from core.pack import Pack, Scenario
from core.ruleset import Answer, CounterLook, Duty, Ruleset, RuleText, Sheet, Vocabulary
from core.rulesets import ledger
from core.rulesets.war_for_the_motherland import airborne as airborne  # nothing names it, but its order registers itself
from core.rulesets.war_for_the_motherland import (
    figures,
    front,
    invariants,
    presentation,
    record,
    recovery,
    scenario_setup,
    sequence,
    set_up_check,
    victory,
    vocabulary,
    why,
    without_north,
)
from core.rulesets.war_for_the_motherland import prospects as prospects  # its overlays register themselves
from core.rulesets.war_for_the_motherland.bot import answers
from core.rulesets.war_for_the_motherland.charts import load_charts
from core.rulesets.war_for_the_motherland.registry import RULES
from core.setting import Setting
from core.text import Text
from core.units import Side, UnitId
from core.views import View


class WarForTheMotherland(Ruleset):
    """The ruleset; each method leads to the module where the rule lives."""

    def charts(self, pack: Pack) -> Any:
        return load_charts(pack)

    def check_scenario(self, pack: Pack, scenario: Scenario) -> None:
        scenario_setup.check_scenario(pack, scenario)

    def check_set_up(self, pack: Pack, chosen: Setting, *, whole: bool = True) -> None:
        set_up_check.check_set_up(pack, chosen, whole=whole)

    def scenario_with(self, scenario: Scenario, options: Mapping[str, bool | int | str]) -> Scenario:
        return without_north.left_out(scenario) if without_north.applies(scenario, options) else scenario

    def begin(self, game: Game) -> Iterator[Event]:
        yield from scenario_setup.set_up(game)
        yield from self.enter(game, game.setting.scenario.first_turn, sequence.PHASES[0][0])

    def enter(self, game: Game, turn: int, phase: str) -> Iterator[Event]:
        index = [name for name, _, _ in sequence.PHASES].index(phase)
        yield FramePushed(sequence.BeginPhase(turn=turn, index=index).frame())

    def vocabulary(self, setting: Setting) -> Vocabulary:
        return vocabulary.vocabulary(setting)

    def counter(self, view: View, unit: UnitId) -> CounterLook:
        return presentation.counter(view, unit)

    def phase_name(self, phase: str) -> Text:
        return presentation.phase_name(phase)

    def phases(self, view: View) -> tuple[tuple[str, Side], ...]:
        return sequence.phases(view)

    def turn_name(self, view: View, turn: int) -> Text:
        return presentation.turn_name(view, turn)

    def weather(self, view: View, turn: int) -> str:
        weather: str = view.charts.turns.of(turn).weather
        return weather

    def score(self, view: View) -> Mapping[str, int]:
        return victory.score(view)

    def figures(self, view: View) -> Mapping[str, float]:
        return figures.figures(view)

    def figure_names(self, view: View) -> frozenset[str]:
        return figures.names(view)

    def broken(self, view: View) -> Iterator[str]:
        return invariants.broken(view)

    def duties(self, view: View) -> tuple[Duty, ...]:
        return presentation.duties(view)

    def remarks(self, view: View, unit: UnitId) -> tuple[Text, ...]:
        return presentation.remarks(view, unit)

    def why_unit(self, view: View, unit: UnitId) -> tuple[Answer, ...]:
        return why.of_unit(view, unit)

    def why_hex(self, view: View, here: Hex) -> tuple[Answer, ...]:
        return why.of_hex(view, here)

    def front(self, view: View, side: Side) -> tuple[tuple[Hex, Hex], ...]:
        return front.front(view, side)

    def sheets(self, view: View) -> tuple[Sheet, ...]:
        return record.sheets(view)

    def rules(self) -> tuple[RuleText, ...]:
        return ledger.read(self.id)

    def readings(self) -> tuple[RuleText, ...]:
        return ledger.read(self.id, "readings.tsv")

    def candidates(self, view: View, name: str) -> Sequence[Order] | None:
        return answers.candidates(view, name)

    def worth(self, view: View, order: Order) -> float | None:
        return answers.worth(view, order)


RULESET = WarForTheMotherland("war_for_the_motherland", version=3, registry=RULES, losses=recovery.LOSSES)
