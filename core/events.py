"""What can happen: few, small, generic events that say what changed. None belongs to a ruleset.

A new game may need a new event once in a while; a new rule must not.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from core.board import Hex, Place
from core.flow import Frame
from core.position import Outcome
from core.text import Text
from core.units import Side, Unit, UnitId


# The structs of a log hold nothing that could lead back to them, so the collector of cycles may pass them by (gc=False): looking at the
# events of a long game again and again took three quarters of the time to read its file.
class Event(msgspec.Struct, frozen=True, array_like=True, tag_field="event", gc=False):
    """Base of all events."""


class GameBegan(Event, frozen=True, array_like=True, tag="began"):
    """The identity of a game: first event of its log.

    *pack* is the SHA-256 of the scenario pack with overrides, in hexadecimal; *options* those of the pack, all of them.
    """

    ruleset: str
    version: int
    scenario: str
    options: dict[str, bool | int | str]
    sides: tuple[Side, ...]
    dice: str
    pack: str


class Placed(Event, frozen=True, array_like=True, tag="placed"):
    """A counter comes into being, or back into play, at a place with so many steps."""

    unit: UnitId
    type: str
    name: str
    place: Place
    steps: int


class Moved(Event, frozen=True, array_like=True, tag="moved"):
    """Units go to the last place of *path*, through the others."""

    units: tuple[UnitId, ...]
    path: tuple[Place, ...]


class Removed(Event, frozen=True, array_like=True, tag="removed"):
    """A unit leaves play, with its marks; *why* is a word for the log (``"eliminated"``, ``"converted"``)."""

    unit: UnitId
    why: str


class StepsChanged(Event, frozen=True, array_like=True, tag="steps"):
    """A unit has *steps* steps from now on."""

    unit: UnitId
    steps: int


class Marked(Event, frozen=True, array_like=True, tag="marked"):
    """Units bear a mark with a value above or below 0."""

    units: tuple[UnitId, ...]
    mark: str
    value: int = 1


class Unmarked(Event, frozen=True, array_like=True, tag="unmarked"):
    """Units lose a mark."""

    units: tuple[UnitId, ...]
    mark: str


class PlaceMarked(Event, frozen=True, array_like=True, tag="place_marked"):
    """Hexes or boxes bear a mark with a value."""

    places: tuple[Place, ...]
    mark: str
    value: int = 1


class PlaceUnmarked(Event, frozen=True, array_like=True, tag="place_unmarked"):
    """Hexes or boxes lose a mark."""

    places: tuple[Place, ...]
    mark: str


class MarksCleared(Event, frozen=True, array_like=True, tag="cleared"):
    """These marks leave all units and all places."""

    marks: tuple[str, ...]


class ControlChanged(Event, frozen=True, array_like=True, tag="control"):
    """A side holds a hex from now on."""

    hex: Hex
    side: Side


class CupFilled(Event, frozen=True, array_like=True, tag="filled"):
    """So many chits of a kind are put into a cup."""

    cup: str
    chit: str
    count: int


class Drawn(Event, frozen=True, array_like=True, tag="drawn"):
    """A chit was drawn from a cup and lies under a unit."""

    cup: str
    chit: str
    unit: UnitId


class Returned(Event, frozen=True, array_like=True, tag="returned"):
    """The chit under a unit goes back to a cup; an empty *cup* means out of play for good."""

    unit: UnitId
    cup: str


class ChitPlaced(Event, frozen=True, array_like=True, tag="chit"):
    """A chit named by the scenario, not drawn, is taken from a cup and lies under a unit."""

    cup: str
    chit: str
    unit: UnitId


class Rolled(Event, frozen=True, array_like=True, tag="rolled"):
    """A die fell. Changes nothing; *purpose* is a word of the ruleset (``"combat"``)."""

    purpose: str
    faces: int
    value: int


class TrackSet(Event, frozen=True, array_like=True, tag="track"):
    """A track stands at a value."""

    track: str
    value: int


class PhaseBegan(Event, frozen=True, array_like=True, tag="phase"):
    """A phase of the sequence of play begins; *side* is the phasing side, empty if it is both sides'."""

    turn: int
    phase: str
    side: Side


class FramePushed(Event, frozen=True, array_like=True, tag="pushed"):
    """A decision or step lies on top of the stack."""

    frame: Frame


class FramePopped(Event, frozen=True, array_like=True, tag="popped"):
    """The frame on top is done."""


class Concealed(Event, frozen=True, array_like=True, tag="concealed"):
    """From now on only their own side knows these counters; comes before `Placed` for one that is placed so.

    Hidden counters that move together are in one `Moved`, lest the number of events tell how many they are.
    """

    units: tuple[UnitId, ...]


class Revealed(Event, frozen=True, array_like=True, tag="revealed"):
    """A unit that one side could not know is known to all from now on."""

    unit: UnitId


class Shown(Event, frozen=True, array_like=True, tag="shown"):
    """A viewer sees a counter that he didn't know, or an unknown stack: all that he may know of it. Only in what a viewer is told."""

    unit: Unit
    marks: tuple[tuple[str, int], ...] = ()
    chit: str = ""


class Veiled(Event, frozen=True, array_like=True, tag="veiled"):
    """A viewer sees these counters, or unknown stacks, no more. Only in what a viewer is told."""

    units: tuple[UnitId, ...]


class UnknownMoved(Event, frozen=True, array_like=True, tag="unknown_moved"):
    """A viewer sees unknown counters of a side go this way. Changes nothing: the unknown stacks are told beside it."""

    side: Side
    path: tuple[Place, ...]


class Part(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One addend or step of an explained figure, with the rule that brings it."""

    value: str
    rule: str
    text: Text


class Line(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One explained figure: its key (``"attack"``, ``"defence"``, ``"column"``, ``"drm"``), its value, how it came about."""

    key: str
    value: str
    parts: tuple[Part, ...] = ()

    def __str__(self) -> str:
        """Return the sum as it is told: ``3 + 2 (8.42)``."""
        return " + ".join(f"{part.value} ({part.rule})" if part.rule else part.value for part in self.parts) or self.value


class Explained(Event, frozen=True, array_like=True, tag="explained"):
    """The arithmetic behind a result. Changes nothing."""

    subject: str
    title: Text
    lines: tuple[Line, ...] = ()


class GameEnded(Event, frozen=True, array_like=True, tag="ended"):
    """The game is over."""

    outcome: Outcome


AnyEvent = (
    GameBegan
    | Placed
    | Moved
    | Removed
    | StepsChanged
    | Marked
    | Unmarked
    | PlaceMarked
    | PlaceUnmarked
    | MarksCleared
    | ControlChanged
    | CupFilled
    | Drawn
    | Returned
    | ChitPlaced
    | Rolled
    | TrackSet
    | PhaseBegan
    | FramePushed
    | FramePopped
    | Concealed
    | Revealed
    | Shown
    | Veiled
    | UnknownMoved
    | Explained
    | GameEnded
)


def happened(events: Iterable[Event]) -> tuple[Event, ...]:
    """Return what came to pass, without how it is explained: the words for it are a program's, and another version chooses others."""
    return tuple(event for event in events if not isinstance(event, Explained))
