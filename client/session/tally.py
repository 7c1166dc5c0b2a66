"""What a game has cost and how its dice fell, entry by entry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import msgspec

from client.session.words import LogLine
from core.events import Event, Explained, GameBegan, Moved, PhaseBegan, Placed, Removed, Rolled, Shown, StepsChanged
from core.log import Entry
from core.ruleset import ELIMINATION, Losses
from core.text import Text
from core.units import Side, UnitId


class Roll(msgspec.Struct, frozen=True):
    """A die that fell, and the side whose it is: that of the order that threw it, or of the unit that it decides on; empty if unknown."""

    side: Side
    purpose: str
    faces: int
    value: int


class Throw(msgspec.Struct, frozen=True):
    """Dice that fell for one thing, and what they led to in words, which may be nothing."""

    rolls: tuple[Roll, ...]
    words: Text | None = None
    is_battle: bool = False


def throws_of(rolls: Sequence[Roll], lines: Iterable[LogLine]) -> list[Throw]:
    """Return the dice of an entry, each with what its lines tell before the next die falls; those that nothing follows join the next."""
    thrown, left, waits = list[Throw](), list(rolls), list[Roll]()
    for line in lines:
        if line.kind == "dice" and "purpose" in line.text.args and left:
            if waits and waits[-1].purpose != left[0].purpose:
                thrown.append(Throw(tuple(waits)))
                waits = []
            waits.append(left.pop(0))
        elif waits and (line.kind == "battle" or (line.kind == "other" and line.figures)):
            thrown.append(Throw(tuple(waits), line.text, is_battle=line.kind == "battle"))
            waits = []
    return [*thrown, Throw(tuple(waits))] if waits else thrown


class Tally(msgspec.Struct, frozen=True):
    """What one entry cost: steps and whole units by side, and its dice."""

    steps: dict[Side, int] = {}
    units: dict[Side, int] = {}
    rolls: tuple[Roll, ...] = ()


def tally_of(
    entry: Entry,
    steps: dict[UnitId, int],
    side_of: Callable[[UnitId], Side],
    losses: Losses = ELIMINATION,
    *,
    side_named: Callable[[str], Side] = lambda name: "",
) -> Tally:
    """Return an entry's tally.

    Args:
        steps: how strong each unit in play was before; kept up to date.
        losses: the ruleset's.
        side_named: says which side a unit of that name is of, empty if both have one, or none.
    """
    lost, gone, rolls, sets_up = Counter[Side](), Counter[Side](), [], False
    heir = False  # whether the counter placed next bears what is left of one that was replaced
    for i, event in enumerate(entry.events):
        match event:
            case GameBegan():
                sets_up = True
            case PhaseBegan() if sets_up:  # whoever begins with fewer steps has lost none in this game
                lost.clear()
                gone.clear()
                sets_up = False
            case Placed():
                steps[event.unit] = event.steps
                lost[side_of(event.unit)] -= event.steps if heir else 0
                heir = False
            case Shown():
                steps[event.unit.id] = event.unit.steps
            case StepsChanged():
                lost[side_of(event.unit)] += max(0, steps.get(event.unit, event.steps) - event.steps)
                steps[event.unit] = event.steps
            case Removed() if event.unit in steps:  # one that lies in a box since has been counted
                left = steps.pop(event.unit)
                lost[side_of(event.unit)] += left if losses.are(event.why) else 0
                gone[side_of(event.unit)] += event.why in losses.whole
                heir = event.why in losses.weakened
            case Rolled():
                side = _owner(entry.events[i + 1 :], side_of, side_named) if event.purpose in losses.rolled else entry.side
                rolls.append(Roll(side, event.purpose, event.faces, event.value))
    return Tally({side: n for side, n in lost.items() if n}, {side: n for side, n in gone.items() if n}, tuple(rolls))


def _owner(after: Iterable[Event], side_of: Callable[[UnitId], Side], side_named: Callable[[str], Side]) -> Side:
    """Return the side of the unit that a die decided on: the first that is told of after it."""
    for event in after:
        match event:
            case Explained():
                return side_named(str(event.title.args.get("unit", "")))
            case Removed() | Placed() | StepsChanged():
                return side_of(event.unit)
            case Moved():
                return side_of(event.units[0])
    return ""


class Luck(msgspec.Struct, frozen=True):
    """A side's dice of one size: how often each face fell, their mean and the mean that fair dice have."""

    side: Side
    faces: int
    counts: tuple[int, ...]
    mean: float
    fair: float


def luck_of(rolls: Iterable[Roll]) -> list[Luck]:
    """Return the dice by side and number of faces.

    >>> luck_of([Roll("red", "combat", 6, 6), Roll("red", "combat", 6, 2)])[0].mean
    4.0
    """
    thrown: dict[tuple[Side, int], list[int]] = {}
    for roll in rolls:
        thrown.setdefault((roll.side, roll.faces), []).append(roll.value)
    return [
        Luck(side, faces, tuple(values.count(face) for face in range(1, faces + 1)), sum(values) / len(values), (faces + 1) / 2)
        for (side, faces), values in sorted(thrown.items())
    ]
