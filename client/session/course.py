"""The course of a game as a strip shows it: runs of moments in one phase, and what each battle cost; kept up as the game grows."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from client.session.tally import Tally
from core.units import Side


class Moment(msgspec.Struct, frozen=True):
    """One entry on the timeline: where in the sequence of play it ends, who gave the order, how many battles it holds."""

    number: int
    turn: int
    phase: str
    phase_side: Side
    side: Side
    battles: int


class Run(msgspec.Struct):
    """Moments one after the other in one phase of one turn: the first and the last of them."""

    turn: int
    phase: str
    side: Side
    first: int
    last: int


class Course:
    """Runs and battles of the moments so far: whoever shows them need not go through a long game at each order.

    Attributes:
        runs: in their order; together they hold every moment.
        losses: the steps that each battle cost, by its moment: those of all moments up to the next battle or phase.
    """

    def __init__(self) -> None:
        self.runs: list[Run] = []
        self.losses: dict[int, int] = {}
        self._fought = -1  # the battle that losses are counted to

    def cut(self, count: int) -> None:
        """Keep no moments from *count* on, nor those before it in the same phase: a battle of theirs may have cost less."""
        while self.runs and self.runs[-1].last >= count:
            gone = self.runs.pop()
            for battle in range(gone.first, gone.last + 1):
                self.losses.pop(battle, None)
        self._fought = -1

    def follow(self, moments: Sequence[Moment], tallies: Sequence[Tally]) -> None:
        """Take in the moments that are new."""
        for index in range(self.runs[-1].last + 1 if self.runs else 0, len(moments)):
            self._add(index, moments[index], tallies[index])

    def _add(self, index: int, moment: Moment, tally: Tally) -> None:
        run = self.runs[-1] if self.runs else None
        if run is not None and (run.turn, run.phase) == (moment.turn, moment.phase):
            run.last = index
        else:
            self.runs.append(Run(moment.turn, moment.phase, moment.phase_side, index, index))
            self._fought = -1
        if moment.battles:
            self._fought = index
        if self._fought >= 0:
            self.losses[self._fought] = self.losses.get(self._fought, 0) + sum(tally.steps.values())
