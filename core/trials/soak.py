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

EVERY = 7  # steps between the dearer checks
CORNERS = (100, 100, 400, properties.MOST_ORDERS)  # how many orders are put together in a check


class Soaked(msgspec.Struct, frozen=True):
    """What one game of a soak showed."""

    number: int
    orders: int
    tried: int
    winner: Side
    digest: str


class Failed(Exception):
    """A promise was broken in a game; its file tells how to see it again."""

    def __init__(self, number: int, why: str, file: bytes) -> None:
        super().__init__(f"game {number}: {why}")
        self.number, self.why, self.file = number, why, file


class Watcher:
    """Checks a game while it is played."""

    def __init__(self, number: int) -> None:
        self.rng = random.Random(f"soak {number}")
        self.steps = 0
        self.tried = 0
        self.keeper: ServerDice | None = None

    def __call__(self, keeper: ServerDice, entry: Entry) -> None:
        """Check one step of the game."""
        self.keeper = keeper
        self.steps += 1
        view = keeper.match.view
        if view.position.outcome is None:
            properties.require(bool(options(view).picks), f"a decision without options: {view.position.top}")
        if self.steps % EVERY:
            return
        properties.bytes_give_the_position_back(view.position)
        properties.views_keep_their_law(keeper.match, entry)
        if view.position.outcome is not None:
            return
        properties.offered_is_accepted(view, self.rng)
        properties.dropping_derived_changes_nothing(view)
        properties.refused_changes_nothing(keeper, self.rng)
        if self.steps % (EVERY * 5) == 0:
            self.tried += properties.accepted_is_offered(view, self.rng, most=self.rng.choice(CORNERS))
            properties.log_folds_to(keeper.match.log, view.position)
            self._undo_and_redo(keeper)

    def _undo_and_redo(self, keeper: ServerDice) -> None:
        match = keeper.match
        here, now = match.log.head, match.view.position.digest()
        path = match.log.path()
        keeper.rewind(self.rng.choice(path).number)
        keeper.rewind(here)
        properties.require(match.view.position.digest() == now, "undo and redo give another position")


def soak_one(setting: Setting, files: Mapping[str, bytes], bots: Mapping[Side, Bot], number: int) -> Soaked:
    """Play one game with all checks, go back and play on from the middle, and verify the file.

    Args:
        files: the pack's files, for the game file.

    Raises:
        Failed: a promise was broken.
    """
    watcher = Watcher(number)
    try:
        keeper = play(setting, bots, number, watch=watcher)
        _play_another_end(keeper, bots, watcher)
        _verify(keeper, files)
    except Exception as error:
        raise Failed(number, f"{type(error).__name__}: {error}", _file(watcher.keeper, files)) from error
    outcome = keeper.match.view.position.outcome
    assert outcome is not None
    return Soaked(number, watcher.steps, watcher.tried, outcome.winner, keeper.match.view.position.digest())


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
