"""Decide one order: order → events → position. The only loop of the game."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from typing import Protocol

import msgspec

from core import events
from core.board import Place
from core.derived import Derived
from core.errors import Broken, Refused
from core.flow import Frame, typed
from core.fold import FOLDERS
from core.hidden import is_unknown
from core.options import refusal
from core.orders import Order, name_of, normal
from core.position import Position
from core.setting import Setting
from core.text import text
from core.units import Side, UnitId
from core.views import View

_POPPED = events.FramePopped()
MAX_STEPS = 10_000  # of one decide; a whole turn of the largest game takes some hundred


class Dice(Protocol):
    """Where chance comes from: a stream for one entry of the log."""

    def roll(self, faces: int) -> int:
        """Return 1 … *faces*."""

    def draw(self, chits: Mapping[str, int]) -> str:
        """Return one chit of a multiset, each counter of it as likely as any other."""


class NeedsDice(Exception):
    """Raised by `StopDice`: the entry needs chance; and in a view by `Game.hidden_at`: it needs what the viewer can't know.

    Attributes:
        derived: what `decide` had derived until then, None where it was not asked.
    """

    derived: Derived | None = None


class StopDice:
    """Dice of the first pass: they stop the handler at its first draw."""

    def roll(self, faces: int) -> int:
        """Raise NeedsDice."""
        raise NeedsDice

    def draw(self, chits: Mapping[str, int]) -> str:
        """Raise NeedsDice."""
        raise NeedsDice


class Game(View):
    """A view that handlers work on: it folds what they yield, and has dice."""

    def __init__(self, setting: Setting, position: Position, dice: Dice, *, derived: Derived | None = None) -> None:
        super().__init__(setting, position, derived=derived)
        self.dice = dice

    def apply(self, event: events.Event) -> None:
        """Spoil what was derived from what an event touches, and fold it."""
        position = self.position
        self.derived.touch(event, position)
        FOLDERS[type(event)](position, event)  # what `fold` does, for a call less an event

    def roll(self, purpose: str, faces: int = 6) -> Generator[events.Event, None, int]:
        """Roll a die: ``value = yield from game.roll("combat")``."""
        value = self.dice.roll(faces)
        yield events.Rolled(purpose, faces, value)
        return value

    def will_draw(self) -> None:
        """Say that this draws whatever comes, so that the first pass goes no further.

        Raises:
            NeedsDice: it is the first pass.
        """
        if isinstance(self.dice, StopDice):
            raise NeedsDice

    def draw(self, cup: str, unit: UnitId) -> Generator[events.Event, None, str]:
        """Draw a chit from a cup and lay it under a unit: ``chit = yield from game.draw("C", army)``.

        Raises:
            Broken: the cup is empty; the ruleset asks before it draws.
        """
        chits = self.position.cups.get(cup, {})
        if not chits:
            raise Broken(f"cup {cup} is empty")
        chit = self.dice.draw(dict(sorted(chits.items())))
        yield events.Drawn(cup, chit, unit)
        return chit

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


def begin(setting: Setting, dice: Dice) -> Decided:
    """Set a scenario up and run to its first decision."""
    game = Game(setting, Position(), dice)
    happened: list[events.Event] = []
    _run(game, iter((setting.identity(),)), happened)
    _run(game, setting.ruleset.begin(game), happened)
    run_steps(game, happened)
    return Decided(tuple(happened), game.position, game.derived)


def decide(
    view: View, side: Side, order: Order, dice: Dice, *, is_allowed: bool = False, seen: View | None = None, ahead: Derived | None = None
) -> Decided:
    """Decide one order of a side on a copy of the position.

    Args:
        seen: what the side may know of the view, where that was made already.
        is_allowed: in this very view the order was found to break no rule: an earlier pass came to a draw.
        ahead: what that pass had derived by then; this one begins with the same events.

    Raises:
        Refused: the order breaks a rule; nothing has changed.
        NeedsDice: *dice* are those of the first pass, and the order draws.
    """
    waited = view.decision()
    if waited is None:
        raise Refused("", text("the game is over"))
    if waited.side != side:
        raise Refused(waited.rule, text("{side} decides now, not {you}", side=waited.side, you=side))
    order = normal(order)
    closed = None if is_allowed else refusal(view.seen_by(side) if seen is None else seen, order)
    if closed is not None:
        raise closed.anew()
    game = Game(view.setting, view.position.copy(), dice, derived=view.derived.copy())
    game.derived.look_ahead(ahead)
    happened: list[events.Event] = []
    try:
        _run(game, view.ruleset.orders[name_of(order)].handle(game, order), happened)
        run_steps(game, happened)
    except NeedsDice as stopped:
        stopped.derived = game.derived
        raise
    game.derived.look_ahead(None)
    return Decided(tuple(happened), game.position, game.derived)


def needs_chance(view: View, side: Side, order: Order | None) -> bool:
    """Say whether an order, or the set-up (None), needs chance; it does not where the rules refuse it."""
    try:
        begin(view.setting, StopDice()) if order is None else decide(view, side, order, StopDice())
    except NeedsDice:
        return True
    except Refused:
        return False
    return False


def _run(game: Game, handler: Iterator[events.Event], happened: list[events.Event]) -> None:
    apply, note = game.apply, happened.append
    for event in handler:
        apply(event)
        note(event)


def run_steps(game: Game, happened: list[events.Event]) -> None:
    """Run automatic steps until a decision is on top or the game is over."""
    for _ in range(MAX_STEPS):
        top: Frame | None = game.position.top
        if game.position.outcome is not None:
            return
        if top is None:
            raise Broken("the game is not over, and nothing is to come")
        if top.name in game.ruleset.decisions:
            return
        step, run = game.ruleset.steps[top.name]
        game.apply(_POPPED)
        happened.append(_POPPED)
        _run(game, run(game, typed(top, step)), happened)
    raise Broken(f"no decision after {MAX_STEPS} steps; on top: {game.position.top}")
