"""Fields derived from a position (ZOC, supply, reach), kept beside it. Dropping them changes nothing.

Each kept value names the aspects of the position that it was made from; an event spoils the values that hang on what it touches.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

from core import events

V = TypeVar("V")

UNITS, STEPS, MARKS, CHITS, CONTROL, TRACKS, FRAMES = "units", "steps", "marks", "chits", "control", "tracks", "frames"
ASPECTS = (UNITS, STEPS, MARKS, CHITS, CONTROL, TRACKS, FRAMES)

TOUCHES: dict[type[events.Event], tuple[str, ...]] = {
    events.GameBegan: (),
    events.Placed: (UNITS, STEPS),
    events.Moved: (UNITS,),
    events.Removed: (UNITS, STEPS, MARKS),
    events.StepsChanged: (STEPS,),
    events.Marked: (MARKS,),
    events.Unmarked: (MARKS,),
    events.PlaceMarked: (MARKS,),
    events.PlaceUnmarked: (MARKS,),
    events.MarksCleared: (MARKS,),
    events.ControlChanged: (CONTROL,),
    events.CupFilled: (CHITS,),
    events.Drawn: (CHITS,),
    events.Returned: (CHITS,),
    events.ChitPlaced: (CHITS,),
    events.Rolled: (),
    events.TrackSet: (TRACKS,),
    events.PhaseBegan: (TRACKS,),
    events.FramePushed: (FRAMES,),
    events.FramePopped: (FRAMES,),
    events.Revealed: (MARKS,),
    events.Explained: (),
    events.GameEnded: (FRAMES,),
}


class Derived:
    """A cache of values made from a position, keyed by what they are."""

    __slots__ = ("_kept", "_stamps")

    def __init__(self) -> None:
        self._stamps = dict.fromkeys(ASPECTS, 0)
        self._kept: dict[Hashable, tuple[tuple[int, ...], object]] = {}

    def copy(self) -> Derived:
        """Return a cache for a copy of the position; the values are shared, so they must never be changed."""
        new = Derived.__new__(Derived)
        new._stamps = self._stamps.copy()
        new._kept = self._kept.copy()
        return new

    def touch(self, event: events.Event) -> None:
        """Spoil what hangs on the aspects that *event* touches."""
        for aspect in TOUCHES[type(event)]:
            self._stamps[aspect] += 1

    def get(self, key: Hashable, aspects: tuple[str, ...], make: Callable[[], V]) -> V:
        """Return the value kept under *key*, made anew if any of *aspects* changed since."""
        stamp = tuple([self._stamps[aspect] for aspect in aspects])
        kept = self._kept.get(key)
        if kept is not None and kept[0] == stamp:
            return kept[1]  # type: ignore[return-value]
        value = make()
        self._kept[key] = (stamp, value)
        return value

    def clear(self) -> None:
        """Forget everything."""
        self._kept.clear()
