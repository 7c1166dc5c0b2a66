"""Decide one order: order → events → position. The only loop of the game."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from itertools import chain
from typing import Final, Protocol, cast

import msgspec

from core import events
from core.board import Place
from core.derived import Derived
from core.errors import Broken, Refused
from core.flow import Frame, typed
from core.fold import fold
from core.hidden import is_unknown
from core.options import refusal
from core.orders import Order, name_of, normal
from core.position import Position
from core.setting import Setting
from core.text import text
from core.units import Side, UnitId
from core.views import View

MAX_STEPS = 10_000  # of one decide; a whole turn of the largest game takes some hundred
DRAWS: Final = cast(events.Event, object())   # stands among what a handler yields where it draws and the dice are still to come


class Dice(Protocol):
    """Where chance comes from: a stream for one entry of the log."""

    def roll(self, faces: int) -> int:
        """Return 1 … *faces*."""

    def draw(self, chits: Mapping[str, int]) -> str:
        """Return one chit of a multiset, each counter of it as likely as any other."""


class NeedsDice(Exception):
    """Raised by `StopDice`: the entry needs chance; and in a view by `Game.hidden_at`: it needs what the viewer can't know."""


class StopDice:
    """No dice: they stop the handler at its first draw, and what it has done is lost."""

    def roll(self, faces: int) -> int:
        """Raise NeedsDice."""
        raise NeedsDice

    def draw(self, chits: Mapping[str, int]) -> str:
        """Raise NeedsDice."""
        raise NeedsDice


class Game(View):
    """A view that handlers work on: it folds what they yield, and has dice.

    Attributes:
        dice: where its chance comes from; None while that is still to come: then a handler that draws waits (`Deciding`).
    """

    def __init__(self, setting: Setting, position: Position, dice: Dice | None, *, derived: Derived | None = None) -> None:
        super().__init__(setting, position, derived=derived)
        self.dice = dice

    def apply(self, event: events.Event) -> None:
        """Spoil what was derived from what an event touches, and fold it."""
        self.derived.touch(event, self.position)
        fold(self.position, event)

    def roll(self, purpose: str, faces: int = 6) -> Generator[events.Event, None, int]:
        """Roll a die: ``value = yield from game.roll("combat")``."""
        dice = yield from self._dice()
        value = dice.roll(faces)
        yield events.Rolled(purpose, faces, value)
        return value

    def draw(self, cup: str, unit: UnitId) -> Generator[events.Event, None, str]:
        """Draw a chit from a cup and lay it under a unit: ``chit = yield from game.draw("C", army)``.

        Raises:
            Broken: the cup is empty; the ruleset asks before it draws.
        """
        chits = self.position.cups.get(cup, {})
        if not chits:
            raise Broken(f"cup {cup} is empty")
        dice = yield from self._dice()
        chit = dice.draw(dict(sorted(chits.items())))
        yield events.Drawn(cup, chit, unit)
        return chit

    def _dice(self) -> Generator[events.Event, None, Dice]:
        """Return the dice; where they are still to come, wait until somebody brings them."""
        if self.dice is None:
            yield DRAWS
        assert self.dice is not None, "whoever goes on after a draw brings dice"
        return self.dice

    def hidden_at(self, place: Place, side: Side) -> tuple[UnitId, ...]:
        """Return the counters of a side in a place that the other doesn't know, lowest number first.

        A client that works an order out beforehand on its view comes to a stop here, as at a draw.

        Raises:
            NeedsDice: the position is a view, and the viewer doesn't know them.
        """
        there = self.side_at(place, side)
        if any(is_unknown(unit) for unit in there):
            raise NeedsDice
        return tuple(unit for unit in there if unit in self.position.hidden)


class Decided(msgspec.Struct, frozen=True):
    """What an order led to: its events and the position after them."""

    events: tuple[events.Event, ...]
    position: Position
    derived: Derived


class Deciding:
    """An order, or the set-up of a game, on its way: it stops where it draws, and goes on there when dice have come.

    It is a cache and nothing else: who drops it and decides anew, with the same dice, comes to the same.
    """

    def __init__(self, game: Game, handler: Iterator[events.Event]) -> None:
        self._game = game
        self._happened: list[events.Event] = []
        self._rest = _with_steps(game, handler)

    def go_on(self, dice: Dice | None = None) -> Decided | None:
        """Return what it led to, None if it needs dice for that; after an error it must be dropped."""
        game, happened = self._game, self._happened
        game.dice = dice
        for event in self._rest:
            if event is DRAWS:
                return None
            game.apply(event)
            happened.append(event)
        return Decided(tuple(happened), game.position, game.derived)


def set_up(setting: Setting) -> Deciding:
    """Return the set-up of a scenario, up to its first decision; nothing of it has happened yet."""
    game = Game(setting, Position(), None)
    return Deciding(game, chain((setting.identity(),), setting.ruleset.begin(game)))


def take_up(view: View, side: Side, order: Order) -> Deciding:
    """Return an order of a side, on a copy of the position; nothing of it has happened yet.

    Raises:
        Refused: the order breaks a rule.
    """
    waited = view.decision()
    if waited is None:
        raise Refused("", text("the game is over"))
    if waited.side != side:
        raise Refused(waited.rule, text("{side} decides now, not {you}", side=waited.side, you=side))
    order = normal(order)
    closed = refusal(view.seen_by(side), order)
    if closed is not None:
        raise closed
    game = Game(view.setting, view.position.copy(), None, derived=view.derived.copy())
    return Deciding(game, view.ruleset.orders[name_of(order)].handle(game, order))


def begin(setting: Setting, dice: Dice) -> Decided:
    """Set a scenario up and run to its first decision."""
    return _at_once(set_up(setting), dice)


def decide(view: View, side: Side, order: Order, dice: Dice) -> Decided:
    """Decide one order of a side on a copy of the position.

    Raises:
        Refused: the order breaks a rule; nothing has changed.
        NeedsDice: *dice* are `StopDice`, and the order draws.
    """
    return _at_once(take_up(view, side, order), dice)


def _at_once(deciding: Deciding, dice: Dice) -> Decided:
    decided = deciding.go_on(dice)
    assert decided is not None, "nothing waits for dice that are there"
    return decided


def run_steps(game: Game, happened: list[events.Event]) -> None:
    """Run automatic steps until a decision is on top or the game is over."""
    for event in _steps(game):
        game.apply(event)
        happened.append(event)


def _with_steps(game: Game, handler: Iterator[events.Event]) -> Iterator[events.Event]:
    yield from handler
    yield from _steps(game)


def _steps(game: Game) -> Iterator[events.Event]:
    """Yield what automatic steps do, each event to be folded before the next is asked for."""
    for _ in range(MAX_STEPS):
        top: Frame | None = game.position.top
        if game.position.outcome is not None:
            return
        if top is None:
            raise Broken("the game is not over, and nothing is to come")
        if top.name in game.ruleset.decisions:
            return
        step, run = game.ruleset.steps[top.name]
        yield events.FramePopped()
        yield from run(game, typed(top, step))
    raise Broken(f"no decision after {MAX_STEPS} steps; on top: {game.position.top}")
