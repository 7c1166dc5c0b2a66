"""Many games between two bots, sides alternating, and what their score is worth."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import msgspec

from core.bots import load
from core.setting import Setting
from core.trials.course import Recorder, TurnFigures
from core.trials.selfplay import play
from core.units import Side

Z = 1.96  # of a 95 % interval


class Played(msgspec.Struct, frozen=True):
    """One game: which bot sat where, who won (empty: a draw), the score, how long it was, and the figures of each turn."""

    number: int
    bots: dict[Side, str]
    winner: Side
    score: dict[str, int]
    orders: int
    course: tuple[TurnFigures, ...] = ()


class Tally(msgspec.Struct, frozen=True):
    """Games won of games decided, with draws aside."""

    won: int
    decided: int
    drawn: int

    @property
    def share(self) -> float:
        """Return the share of decided games that were won, 0 if none was decided."""
        return self.won / self.decided if self.decided else 0.0

    def interval(self) -> tuple[float, float]:
        """Return the 95 % interval of the share (Wilson's score interval)."""
        n = self.decided
        if not n:
            return 0.0, 1.0
        p = self.share
        middle = p + Z * Z / (2 * n)
        reach = Z * math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
        return max(0.0, (middle - reach) / (1 + Z * Z / n)), min(1.0, (middle + reach) / (1 + Z * Z / n))


def play_one(setting: Setting, names: tuple[str, str], number: int) -> Played:
    """Play game *number* of a series: the first bot has the first side in even games, the second side in odd ones."""
    one, two = setting.sides
    first, second = names if number % 2 == 0 else names[::-1]
    recorder = Recorder()
    keeper = play(setting, {one: load(first), two: load(second)}, number, watch=recorder)
    outcome = keeper.match.view.position.outcome
    assert outcome is not None, "a game that was played has an outcome"
    return Played(
        number, {one: first, two: second}, outcome.winner, dict(outcome.score), len(keeper.match.log), tuple(recorder.turns)
    )


def tally(games: Iterable[Played], name: str, *, side: Side = "") -> Tally:
    """Count what a bot won, on one side or on both."""
    won = decided = drawn = 0
    for game in games:
        seats = [seat for seat, bot in game.bots.items() if bot == name and side in ("", seat)]
        if not seats:
            continue
        if not game.winner:
            drawn += 1
            continue
        decided += 1
        won += game.winner in seats
    return Tally(won, decided, drawn)


def bands(games: Iterable[Played]) -> Iterator[tuple[str, list[int]]]:
    """Yield each figure of the score with its values over the games, sorted."""
    values: dict[str, list[int]] = {}
    for game in games:
        for key, value in game.score.items():
            values.setdefault(key, []).append(value)
    return ((key, sorted(some)) for key, some in sorted(values.items()))
