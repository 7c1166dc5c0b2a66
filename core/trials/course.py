"""How games go: the figures of each turn of a game, and over many games their bands by turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from core.game import Game, StopDice
from core.log import Entry
from core.match import ServerDice
from core.position import Position
from core.setting import Setting
from core.units import Side, UnitType
from core.views import View


class TurnFigures(msgspec.Struct, frozen=True):
    """The figures of a game when a turn began, or when the game was over."""

    turn: int
    over: bool
    figures: dict[str, float]


class Band(msgspec.Struct, frozen=True):
    """How a figure spreads over some games."""

    least: float
    lower: float
    median: float
    upper: float
    most: float


def figure_names(setting: Setting) -> frozenset[str]:
    """Return the names of all figures that games of a setting may be described by; a single game need not have each."""
    game = Game(setting, Position(), StopDice())
    for event in setting.ruleset.begin(game):
        game.apply(event)
    return setting.ruleset.figure_names(game) | {f"{side}_lost" for side in setting.sides}


class Recorder:
    """Takes down the figures of a game while it is played; to be called after each order."""

    def __init__(self) -> None:
        self.turns: list[TurnFigures] = []
        self._steps: dict[Side, int] = {}
        self._lost: dict[Side, int] = {}

    def __call__(self, keeper: ServerDice, entry: Entry) -> None:
        """Look at one step of the game."""
        del entry
        view = keeper.match.view
        self._count_losses(view)
        over = view.position.outcome is not None
        if over or not self.turns or self.turns[-1].turn != view.position.turn:
            figures = dict(view.ruleset.figures(view)) | {f"{side}_lost": float(n) for side, n in sorted(self._lost.items())}
            self.turns.append(TurnFigures(view.position.turn, over, figures))

    def _count_losses(self, view: View) -> None:
        """Count the steps of troops that an order took off the map, on balance: what is only exchanged or rebuilt is not lost."""
        now = dict.fromkeys(view.setting.sides, 0)
        for unit in view.position.units.values():
            kind = view.types[unit.type]
            if unit.place >= 0 and fights(kind):
                now[kind.side] += unit.steps
        for side, steps in now.items():
            self._lost[side] = self._lost.get(side, 0) + max(0, self._steps.get(side, steps) - steps)
        self._steps = now


def fights(kind: UnitType) -> bool:
    """Say whether counters of a type ever attack: neither what serves them nor what lies on the map only for a while."""
    return bool(kind.cup) or any(face.attack for face in kind.faces)


def band(values: Sequence[float]) -> Band:
    """Return how some values spread; quartiles are those of the sorted values themselves, never between two."""
    some = sorted(values)
    marks = [some[round(part * (len(some) - 1))] for part in (0, 0.25, 0.5, 0.75, 1)]
    return Band(*marks)


def bands_by_turn(games: Iterable[Sequence[TurnFigures]]) -> Mapping[str, Mapping[str, Band]]:
    """Return for each figure its band by turn: ``{"vp": {"1": …, "end": …}}``."""
    values: dict[str, dict[str, list[float]]] = {}
    for game in games:
        for moment in game:
            when = "end" if moment.over else str(moment.turn)
            for key, value in moment.figures.items():
                values.setdefault(key, {}).setdefault(when, []).append(value)
    return {key: {when: band(some) for when, some in by_turn.items()} for key, by_turn in values.items()}
