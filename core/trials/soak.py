"""Soak: whole games by bots that check every promise on the way."""

from __future__ import annotations

import random
from collections.abc import Mapping

import msgspec

from core.bots import Bot
from core.errors import Broken
from core.gamefile import head_of, read, write
from core.log import Entry
from core.match import ServerDice
from core.options import options
from core.setting import Setting
from core.trials import properties
from core.trials.selfplay import play
from core.trials.verify import verify
from core.units import Side

CORNERS = (100, 100, 400, properties.MOST_ORDERS)  # how many orders are put together in a check


class Rates(msgspec.Struct, frozen=True):
    """How many steps of a game lie between two checks of a kind; the cheap ones come at every step.

    Attributes:
        dear: bytes, views, offered orders accepted, options from nothing, refused orders without trace.
        exact: every order that can be put together around a walk against what is offered; the log folded; undo and redo.
    """

    dear: int = 7
    exact: int = 35


class Soaked(msgspec.Struct, frozen=True):
    """What one game of a soak showed: its steps, how many of them had the checks of `Rates`, how many orders were put together."""

    number: int
    orders: int
    dear: int
    exact: int
    tried: int
    winner: Side
    digest: str


class Failed(Exception):
    """A promise was broken in a game; its file tells how to see it again."""

    def __init__(self, number: int, why: str, file: bytes) -> None:
        super().__init__(f"game {number}: {why}")
        self.number, self.why, self.file = number, why, file


class Watcher:
    """Checks a game while it is played; which steps have the dearer checks is another matter in each game."""

    def __init__(self, number: int, rates: Rates) -> None:
        self.rng = random.Random(f"soak {number}")
        self.rates = rates
        self.first = (self.rng.randrange(rates.dear), self.rng.randrange(rates.exact))
        self.steps = self.dear = self.exact = self.tried = 0
        self.keeper: ServerDice | None = None

    def __call__(self, keeper: ServerDice, entry: Entry) -> None:
        """Check one step of the game."""
        self.keeper = keeper
        self.steps += 1
        view = keeper.match.view
        if view.position.outcome is None:
            properties.require(bool(options(view).picks), f"a decision without options: {view.position.top}")
            for what in view.ruleset.broken(view):
                raise Broken(what)
        if self.steps % self.rates.dear == self.first[0]:
            self._check_dear(keeper, entry)
        if self.steps % self.rates.exact == self.first[1]:
            self._check_exact(keeper)

    def _check_dear(self, keeper: ServerDice, entry: Entry) -> None:
        self.dear += 1
        view = keeper.match.view
        properties.bytes_give_the_position_back(view.position)
        properties.views_keep_their_law(keeper.match, entry)
        if view.position.outcome is None:
            properties.offered_is_accepted(view, self.rng)
            properties.dropping_derived_changes_nothing(view)
            properties.refused_changes_nothing(keeper, self.rng)

    def _check_exact(self, keeper: ServerDice) -> None:
        self.exact += 1
        view = keeper.match.view
        properties.log_folds_to(keeper.match.log, view.position)
        if view.position.outcome is None:
            self.tried += properties.accepted_is_offered(view, self.rng, most=self.rng.choice(CORNERS))
            self._undo_and_redo(keeper)

    def _undo_and_redo(self, keeper: ServerDice) -> None:
        match = keeper.match
        here, now = match.log.head, match.view.position.digest()
        path = match.log.path()
        keeper.rewind(self.rng.choice(path).number)
        keeper.rewind(here)
        properties.require(match.view.position.digest() == now, "undo and redo give another position")


def soak_one(
    setting: Setting, files: Mapping[str, bytes], bots: Mapping[Side, Bot], number: int, *, rates: Rates | None = None
) -> Soaked:
    """Play one game with all checks, go back and play on from the middle, and verify the file.

    Args:
        files: the pack's files, for the game file.
        rates: how often the dearer checks come; those of `Rates` if none are given.

    Raises:
        Failed: a promise was broken.
    """
    watcher = Watcher(number, rates or Rates())
    try:
        keeper = play(setting, bots, number, watch=watcher)
        _play_another_end(keeper, bots, watcher)
        _verify(keeper, files)
    except Exception as error:
        raise Failed(number, f"{type(error).__name__}: {error}", _file(watcher.keeper, files)) from error
    outcome = keeper.match.view.position.outcome
    assert outcome is not None
    digest = keeper.match.view.position.digest()
    return Soaked(number, watcher.steps, watcher.dear, watcher.exact, watcher.tried, outcome.winner, digest)


def _play_another_end(keeper: ServerDice, bots: Mapping[Side, Bot], watcher: Watcher) -> None:
    """Rewind somewhere into the game and play on from there."""
    match = keeper.match
    path = match.log.path()
    keeper.rewind(path[len(path) * 2 // 3].number)
    while match.view.position.outcome is None:
        view = match.view
        side = view.side_to_act()
        keeper.order(side, bots[side](view, watcher.rng))
    properties.log_folds_to(match.log, match.view.position)
    match.log.drop_snapshots()
    properties.require(match.log.seek(match.log.head).digest() == match.view.position.digest(), "without snapshots another position")


def _verify(keeper: ServerDice, files: Mapping[str, bytes]) -> None:
    file = read(_file(keeper, files))
    ruleset = keeper.match.setting.ruleset
    report = verify(file, load=lambda name: ruleset)
    if not report.holds:
        raise Broken(f"the file does not verify: {report.findings[0]}")


def _file(keeper: ServerDice | None, files: Mapping[str, bytes]) -> bytes:
    if keeper is None:
        return b""
    return write(head_of(keeper.match, made_by="soak"), files, keeper.match.log)
