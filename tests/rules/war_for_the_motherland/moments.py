"""Runs chosen steps of a turn alone, so that a test stands on nothing that comes before or after."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import pytest

from core.errors import Refused
from core.events import Event, Explained, FramePopped, FramePushed, PhaseBegan, PlaceMarked
from core.flow import Step
from core.game import Game, run_steps
from core.options import options
from core.orders import HexPick, OptionPick, Order, Pick, UnitPick, value_of
from core.rulesets.war_for_the_motherland.air import FleetsChoice
from core.trials.table import ScriptedDice, Table


class RandomDice:
    """Fair dice and draws from a seed."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def roll(self, faces: int) -> int:
        return self.chance.randint(1, faces)

    def draw(self, chits: Mapping[str, int]) -> str:
        return self.chance.choices(list(chits), list(chits.values()))[0]


def run(
    table: Table,
    turn: int,
    *steps: Step,
    phase: str = "administrative",
    side: str = "",
    dice: Sequence[int] = (),
    draws: Sequence[str] = (),
) -> tuple[Event, ...]:
    """Run these steps on a turn, to the first decision or to the end.

    At the end a decision that nobody is to answer lies on the stack: a game always waits for somebody.
    """
    script = ScriptedDice(dice, draws)
    game = Game(table.setting, table.position, script, derived=table.view.derived)
    while game.position.frames:
        game.apply(FramePopped())
    game.apply(PhaseBegan(turn, phase, side))
    game.apply(FramePushed(FleetsChoice(side="axis").frame()))
    for step in reversed(steps):
        game.apply(FramePushed(step.frame()))
    happened: list[Event] = []
    run_steps(game, happened)
    table.events = tuple(happened)
    assert not script.left(), script.left()
    return table.events


def waits_for(table: Table) -> str:
    """Return the name of the decision that the game waits for, empty when all steps were run."""
    name = type(table.view.decision()).__name__
    return "" if name == "FleetsChoice" else name


def mark_hexes(table: Table, mark: str, *labels: str) -> None:
    """Give hexes a mark, as an earlier phase would have done."""
    table.happen(PlaceMarked(tuple(table.hex(label) for label in labels), mark))


def offered(table: Table, order: str, *picks: Pick) -> list[object]:
    """Return what is offered next after the order type and these picks."""
    return [value_of(pick) for pick in options(table.view, (OptionPick(order), *picks)).picks]


def offered_hexes(table: Table, order: str, *picks: Pick) -> set[str]:
    """Return the labels of the hexes that are offered next."""
    return {table.board.label(pick.hex) for pick in options(table.view, (OptionPick(order), *picks)).picks if isinstance(pick, HexPick)}


def offered_units(table: Table, order: str, *picks: Pick) -> set[int]:
    """Return the units that are offered next."""
    return {pick.unit for pick in options(table.view, (OptionPick(order), *picks)).picks if isinstance(pick, UnitPick)}


def told(table: Table, subject: str) -> list[str]:
    """Return the titles of what was explained about a subject."""
    return [str(event.title) for event in table.events if isinstance(event, Explained) and event.subject == subject]


def refusal(table: Table, order: Order) -> str:
    """Return the words that refuse an order, where one rule refuses for several reasons."""
    with pytest.raises(Refused) as told:
        table.order(order)
    return str(told.value.text)
