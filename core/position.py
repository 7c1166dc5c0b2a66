"""Everything in a game that can change, and nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from sys import intern
from typing import Any, TypeVar

import msgspec

from core.board import OUT, Hex, Place
from core.flow import Frame
from core.shapes import convert
from core.units import Side, Unit, UnitId

K = TypeVar("K", bound=int)

_canonical = msgspec.msgpack.Encoder(order="deterministic")


class Outcome(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """How a game ended: who won (empty: a draw), the result in the rulebook's words, the score by side or kind."""

    winner: Side
    result: str
    score: dict[str, int] = {}


class Position:
    """The state of a game at one entry of its log.

    Only `core.fold` changes a position; whoever needs the old one takes a `copy` first.

    Attributes:
        units: every counter that was ever placed, also those in boxes and out of play.
        unit_marks: the value of each mark that units bear, by mark and unit; only marks that any bears are named.
        place_marks: the same for hexes and boxes. Copies share the places of a mark, which are replaced, never changed: they may be
            thousands, written at once and then asked for through a whole turn.
        chits: the strength chit that lies under a unit.
        cups: chits in each cup, as counts: nobody knows their order, since none is stored.
        control: who holds each hex whose control is kept.
        tracks: numbers such as the turn.
        frames: the stack of what is to come; its last is on top.
        hidden: counters whose face only their own side knows; also numbers that are still to be placed so.
        next_unit: the number that the next new counter gets; 0 in a view whose viewer can't know it.
    """

    __slots__ = (
        "_at",
        "_on_map",
        "chits",
        "control",
        "cups",
        "frames",
        "hidden",
        "next_unit",
        "outcome",
        "phase",
        "phase_side",
        "place_marks",
        "tracks",
        "unit_marks",
        "units",
    )

    def __init__(self) -> None:
        self.units: dict[UnitId, Unit] = {}
        self.unit_marks: dict[str, dict[UnitId, int]] = {}
        self.place_marks: dict[str, Mapping[Place, int]] = {}
        self.chits: dict[UnitId, str] = {}
        self.cups: dict[str, dict[str, int]] = {}
        self.control: dict[Hex, Side] = {}
        self.tracks: dict[str, int] = {}
        self.frames: list[Frame] = []
        self.hidden: set[UnitId] = set()
        self.phase = ""
        self.phase_side: Side = ""
        self.next_unit = 0
        self.outcome: Outcome | None = None
        self._at: dict[Place, tuple[UnitId, ...]] = {}
        self._on_map: tuple[Unit, ...] | None = None   # as it was asked for last; None since a counter changed

    def copy(self) -> Position:
        """Return an independent position; units and frames are frozen and shared."""
        new = Position.__new__(Position)
        new.units = self.units.copy()
        new.unit_marks = {mark: borne.copy() for mark, borne in self.unit_marks.items()}
        new.place_marks = self.place_marks.copy()
        new.chits = self.chits.copy()
        new.cups = {cup: chits.copy() for cup, chits in self.cups.items()}
        new.control = self.control.copy()
        new.tracks = self.tracks.copy()
        new.frames = self.frames.copy()
        new.hidden = self.hidden.copy()
        new.phase, new.phase_side = self.phase, self.phase_side
        new.next_unit = self.next_unit
        new.outcome = self.outcome
        new._at = self._at.copy()
        new._on_map = self._on_map
        return new

    # ---------------------------------------------------------------- reading

    def at(self, place: Place) -> tuple[UnitId, ...]:
        """Return the units in a hex or box, lowest number first."""
        return self._at.get(place, ())

    def units_at(self, place: Place) -> tuple[Unit, ...]:
        """Return the counters in a hex or box, lowest number first."""
        return tuple(self.units[unit] for unit in self._at.get(place, ()))

    def on_map(self) -> tuple[Unit, ...]:
        """Return every counter in a hex, lowest number first."""
        found = self._on_map
        if found is None:
            units = self.units   # pairs take twice as long to sort
            found = self._on_map = tuple([unit for number in sorted(units) if (unit := units[number]).place >= 0])
        return found

    def occupied(self) -> list[Hex]:
        """Return the hexes that hold any counter, lowest first."""
        return [Hex(place) for place in sorted(self._at) if place >= 0]

    def mark(self, unit: UnitId, mark: str) -> int:
        """Return the value of a unit's mark, 0 if it bears none."""
        borne = self.unit_marks.get(mark)
        return 0 if borne is None else borne.get(unit, 0)

    def place_mark(self, place: Place, mark: str) -> int:
        """Return the value of a place's mark, 0 if it bears none."""
        borne = self.place_marks.get(mark)
        return 0 if borne is None else borne.get(place, 0)

    def marked(self, mark: str) -> list[UnitId]:
        """Return the units that bear a mark, lowest number first."""
        return sorted(self.unit_marks.get(mark, ()))

    def places_marked(self, mark: str) -> list[Place]:
        """Return the hexes and boxes that bear a mark, lowest first."""
        return sorted(self.place_marks.get(mark, ()))

    def marks_of(self, unit: UnitId) -> list[tuple[str, int]]:
        """Return the marks that a unit bears with their values, by name."""
        return sorted((mark, borne[unit]) for mark, borne in self.unit_marks.items() if unit in borne)

    @property
    def turn(self) -> int:
        """Return the number of the game turn."""
        return self.tracks.get("turn", 0)

    @property
    def top(self) -> Frame | None:
        """Return the frame on top of the stack, None if nothing is to come."""
        return self.frames[-1] if self.frames else None

    # ---------------------------------------------------------------- writing, for core.fold alone

    def put(self, unit: Unit) -> None:
        """Set or replace a counter, and keep the index of places."""
        old = self.units.get(unit.id)
        self.units[unit.id] = unit
        self._on_map = None
        if old is not None and old.place == unit.place:
            return
        at = self._at
        if old is not None and old.place != OUT:
            there = at[old.place]
            if len(there) == 1:
                del at[old.place]
            else:
                at[old.place] = tuple([other for other in there if other != unit.id])
        if unit.place != OUT:
            others = at.get(unit.place)
            at[unit.place] = (unit.id,) if others is None else tuple(sorted((*others, unit.id)))

    def forget(self, units: Iterable[UnitId]) -> None:
        """Take counters out with all that is known of them, as if they had never been; for views."""
        self._on_map = None
        for unit in set(units):
            self.unmark(unit)
            old = self.units.pop(unit, None)
            self.chits.pop(unit, None)
            if old is not None and old.place != OUT:
                there = tuple([other for other in self._at[old.place] if other != unit])
                if there:
                    self._at[old.place] = there
                else:
                    del self._at[old.place]

    def unmark(self, unit: UnitId) -> None:
        """Take all marks off a unit."""
        for mark in [mark for mark, borne in self.unit_marks.items() if unit in borne]:
            borne = self.unit_marks[mark]
            del borne[unit]
            if not borne:
                del self.unit_marks[mark]

    # ---------------------------------------------------------------- bytes

    def to_builtins(self) -> dict[str, Any]:
        """Return the position as plain sorted lists, the same for equal positions however they came about."""
        stored = {
            "units": [msgspec.to_builtins(unit) for _, unit in sorted(self.units.items())],
            "unit_marks": _flat(self.unit_marks),
            "place_marks": _flat(self.place_marks),
            "chits": [[unit, chit] for unit, chit in sorted(self.chits.items())],
            "cups": [[cup, sorted(c for c in chits.items() if c[1])] for cup, chits in sorted(self.cups.items())],
            "control": sorted(self.control.items()),
            "tracks": sorted(self.tracks.items()),
            "frames": [msgspec.to_builtins(frame) for frame in self.frames],
            "phase": [self.phase, self.phase_side],
            "next_unit": self.next_unit,
            "outcome": None if self.outcome is None else msgspec.to_builtins(self.outcome),
        }
        if self.hidden:  # left out where nothing is: positions of games without secrets keep their hash
            stored["hidden"] = sorted(self.hidden)
        return stored

    @classmethod
    def from_builtins(cls, stored: Any) -> Position:
        """Return the position that `to_builtins` wrote down.

        Raises:
            msgspec.ValidationError: it isn't one.
        """
        snapshot = convert(stored, _Snapshot)
        new = cls()
        for unit in snapshot.units:
            new.put(unit)
        new.unit_marks = _by_mark(snapshot.unit_marks)
        new.place_marks = {**_by_mark(snapshot.place_marks)}
        new.chits = dict(snapshot.chits)
        new.cups = {cup: dict(chits) for cup, chits in snapshot.cups}
        new.control = dict(snapshot.control)
        new.tracks = dict(snapshot.tracks)
        new.frames = list(snapshot.frames)
        new.hidden = set(snapshot.hidden)
        new.phase, new.phase_side = snapshot.phase
        new.next_unit = snapshot.next_unit
        new.outcome = snapshot.outcome
        return new

    def encode(self) -> bytes:
        """Return canonical bytes: equal positions give equal bytes on every platform."""
        return _canonical.encode(self.to_builtins())

    @classmethod
    def decode(cls, stored: bytes) -> Position:
        """Return the position that `encode` wrote."""
        return cls.from_builtins(msgspec.msgpack.decode(stored))

    def digest(self) -> str:
        """Return the canonical hash, hexadecimal SHA-256."""
        return hashlib.sha256(self.encode()).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self.to_builtins() == other.to_builtins()

    __hash__ = None  # type: ignore[assignment]


def _flat(marks: Mapping[str, Mapping[K, int]]) -> list[tuple[K, str, int]]:
    """Return marks as rows, by who bears them, then by name."""
    return sorted([(bearer, mark, value) for mark, borne in marks.items() for bearer, value in borne.items()])


def _by_mark(rows: Iterable[tuple[K, str, int]]) -> dict[str, dict[K, int]]:
    found: dict[str, dict[K, int]] = {}
    for bearer, mark, value in rows:
        found.setdefault(mark, {})[bearer] = value
    return {intern(mark): borne for mark, borne in found.items()}


class _Snapshot(msgspec.Struct, forbid_unknown_fields=True):
    units: list[Unit]
    unit_marks: list[tuple[UnitId, str, int]]
    place_marks: list[tuple[Place, str, int]]
    chits: list[tuple[UnitId, str]]
    cups: list[tuple[str, list[tuple[str, int]]]]
    control: list[tuple[Hex, str]]
    tracks: list[tuple[str, int]]
    frames: list[Frame]
    phase: tuple[str, str]
    next_unit: int
    outcome: Outcome | None
    hidden: list[UnitId] = []
