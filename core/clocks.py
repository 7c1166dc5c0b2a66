"""The players' clocks: what is left of each side's time, as a pure function of when entries came and what they were.

A clock state is a value; `passed` and the functions below it return the next one. Time only ever runs forward in it: an entry whose time
lies before the last one's counts as made at the same moment, and going back in the game gives no time back: what a phase or turn brings
is brought once, at the first time that the game reaches it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from msgspec.structs import replace

from core.events import Event, PhaseBegan
from core.terms import ClockTerms
from core.units import Side


class Clocks(msgspec.Struct, frozen=True):
    """The clocks of a table at one moment.

    *at_ms* is that moment; *left_ms* what each side has, below 0 where it only shows; *fallen* are the sides whose flags fell.
    *turn* and *phases* are what the game has reached so far, on whatever branch. *runs* is false before the sides are seated, in a pause
    and after the end.
    """

    terms: ClockTerms
    left_ms: dict[Side, int]
    at_ms: int = 0
    runs: bool = False
    fallen: frozenset[Side] = frozenset()
    turn: int = 0
    phases: frozenset[tuple[int, str]] = frozenset()

    @property
    def are_kept(self) -> bool:
        """Say whether there are clocks at all."""
        return self.terms.kind != "none"


class Fall(msgspec.Struct, frozen=True):
    """Whose flag falls, and when."""

    side: Side
    at_ms: int


def new_clocks(terms: ClockTerms, sides: Sequence[Side]) -> Clocks:
    """Return the clocks of a table before its first entry."""
    return Clocks(terms, dict.fromkeys(sides, terms.time_ms))


def passed(clocks: Clocks, at_ms: int, side: Side) -> Clocks:
    """Return the clocks at a later moment, *side* being the one that the game waited for meanwhile (empty: nobody)."""
    now = max(at_ms, clocks.at_ms)
    if not (clocks.are_kept and clocks.runs and side in clocks.left_ms):
        return replace(clocks, at_ms=now)
    left = {**clocks.left_ms, side: clocks.left_ms[side] - (now - clocks.at_ms)}
    return replace(clocks, at_ms=now, left_ms=left)


def reached(clocks: Clocks, events: Iterable[Event]) -> Clocks:
    """Return the clocks after an entry's events: a new turn or phase may bring time."""
    if not clocks.are_kept:
        return clocks
    for event in events:
        if isinstance(event, PhaseBegan) and (event.turn, event.phase) not in clocks.phases:
            clocks = _phase_reached(clocks, event)
    return clocks


def _phase_reached(clocks: Clocks, phase: PhaseBegan) -> Clocks:
    left, fallen = clocks.left_ms, clocks.fallen
    if clocks.terms.kind == "turn" and phase.turn > clocks.turn:
        left, fallen = dict.fromkeys(left, clocks.terms.time_ms), frozenset()
    if clocks.terms.kind == "fischer" and phase.side in left:
        left = {**left, phase.side: left[phase.side] + clocks.terms.increment_ms}
    seen = clocks.phases | {(phase.turn, phase.phase)}
    return replace(clocks, left_ms=left, fallen=fallen, turn=max(clocks.turn, phase.turn), phases=seen)


def running(clocks: Clocks, *, on: bool) -> Clocks:
    """Return the clocks going, or standing still."""
    return replace(clocks, runs=on)


def away(clocks: Clocks, ms: int, at_ms: int, side: Side) -> Clocks:
    """Return the clocks at a later moment, of which the last *ms* were nobody's."""
    now = max(at_ms, clocks.at_ms)
    return replace(passed(clocks, now - ms, side), at_ms=now)


def late(clocks: Clocks, ms: int, at_ms: int, side: Side, waited_for: Side) -> Clocks:
    """Return the clocks at a later moment, the last *ms* of which ran on the clock of a side that was *waited_for* instead of *side*."""
    now = max(at_ms, clocks.at_ms)
    return passed(passed(clocks, now - ms, side), now, waited_for)


def fell(clocks: Clocks, side: Side) -> Clocks:
    """Return the clocks with a side's flag down."""
    return replace(clocks, fallen=clocks.fallen | {side})


def given(clocks: Clocks, side: Side, left_ms: int) -> Clocks:
    """Return the clocks with as much time for a side as a referee gives it, its flag up again."""
    return replace(clocks, left_ms={**clocks.left_ms, side: left_ms}, fallen=clocks.fallen - {side})


def next_fall(clocks: Clocks, side: Side) -> Fall | None:
    """Return whose flag falls next, *side* being the one that the game waits for; None if none will, as things stand.

    A side whose last order came too late, where that is allowed, has run out though the game waits for another by now.
    """
    if not clocks.are_kept:
        return None
    for one, left in clocks.left_ms.items():
        if left <= 0 and one not in clocks.fallen:
            return Fall(one, clocks.at_ms)
    if not clocks.runs or side not in clocks.left_ms or side in clocks.fallen:
        return None
    return Fall(side, clocks.at_ms + clocks.left_ms[side])
