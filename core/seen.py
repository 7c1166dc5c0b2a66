"""A log as one viewer may know it: entries cut and numbered for him, each with a commitment to the true one.

A viewer's numbers have no gaps: an entry that changes nothing in his view is none of his. Each of his entries carries the hash of the true
one, which is chained to all entries before it and salted at random: it tells nothing, and when the game is over and the log lies open, it
proves that nothing was changed afterwards (`check`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec

from core.cutting import Cut
from core.errors import Refused
from core.events import AnyEvent
from core.log import ROOT, AnyAct, Entry, Limit, Log, Rewind
from core.match import Match
from core.position import Position
from core.setting import Setting
from core.table import SIDES_ARE_APART, VERSION
from core.text import text
from core.units import Side, UnitId
from core.views import eye_of

UNSEEN = b"\xc0"  # stands for the bytes of an order that is not the viewer's to read
SOME = (UnitId(-1),)  # stands for the units that a seat of another side commands, whatever and however many they are
POINTS_TO_POSITION, POINTS_TO_ENTRY = "to", "offer"  # fields of acts and frames that hold an entry's number

_encoder = msgspec.msgpack.Encoder(order="deterministic")


def is_read(entry: Entry) -> bool:
    """Say whether an entry bears an order that may be read here."""
    return entry.order not in (b"", UNSEEN)


class SeenEntry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An entry as a viewer may know it.

    *number*, *parent* and those inside *act* are his; *order* is `UNSEEN` but in orders of his own side; *commitment* is the true entry's
    hash. The dice links, the salt and the signature stay with the server until the game is over: from them what is hidden could be found by
    trying.
    """

    number: int
    parent: int
    time_ms: int
    side: Side
    player: str
    order: bytes
    events: tuple[AnyEvent, ...]
    act: AnyAct | None
    commitment: bytes

    @property
    def bears_order(self) -> bool:
        """Say whether the entry is an order with its events."""
        return self.act is None


class SeenLog:
    """The part of a growing log that a viewer may know.

    Args:
        setting: the game's.
        log: the true log.
        viewer: a side, or `core.hidden.PUBLIC`.
        version: of how the game's table is reckoned; in those from before 7 all were told which units a seat commands.

    Attributes:
        entries: what he may know of it, by his numbers; `grow` adds what is new.
        head: his number of the entry that the game stands at.
    """

    def __init__(self, setting: Setting, log: Log, viewer: Side, *, version: int = VERSION) -> None:
        self.viewer = viewer
        self._version = version
        self.entries: list[SeenEntry] = []
        self.head = ROOT
        self._log = log
        self._eye = eye_of(setting, viewer)
        self._taken = 0
        self._cut = Cut(self._eye, Position())
        self._cut_at = ROOT
        self._stands = {ROOT: ROOT}  # true number of an order-bearing entry → his number of the one whose position he sees there
        self._numbers: dict[int, int] = {}  # true number → his, of the entries that he knows
        self._true: list[int] = []

    def grow(self) -> Sequence[SeenEntry]:
        """Take in the entries that are new in the log; return all that the viewer knows."""
        while self._taken < len(self._log):
            self._take(self._log.entries[self._taken])
            self._taken += 1
        return self.entries

    # ---------------------------------------------------------------- numbers

    def commitment(self, number: int) -> bytes:
        """Return the true hash of an entry by his number, zeros for none."""
        return self.entries[number].commitment if number >= 0 else bytes(32)

    @property
    def moved_at(self) -> int:
        """Return his number of the last entry that moved the game for him."""
        return next((entry.number for entry in reversed(self.entries) if entry.act is None or isinstance(entry.act, Rewind)), ROOT)

    def number(self, true: int) -> int:
        """Return his number of an entry; for one that he doesn't know, of the last one before it that he does."""
        while true != ROOT and true not in self._numbers:
            true -= 1
        return self._numbers.get(true, ROOT)

    def position_number(self, true: int) -> int:
        """Return his number of the order-bearing entry whose position he sees at one of the log."""
        return self._stands.get(true, ROOT)

    def true(self, number: int) -> int:
        """Return the log's number of an entry that he knows by *number*; Refused if he knows none."""
        if number == ROOT:
            return ROOT
        if not 0 <= number < len(self._true):
            raise Refused("", text("there is no entry {number}; the last is {last}", number=number, last=len(self._true) - 1))
        return self._true[number]

    def by_his_numbers(self, act: AnyAct) -> AnyAct:
        """Return an act that names entries by the log's numbers as he would name it, and sign it; those he doesn't know as they are."""
        named = (field for field in (POINTS_TO_POSITION, POINTS_TO_ENTRY) if field in act.__struct_fields__)
        changes: dict[str, Any] = {field: self._numbers.get(true, true) for field in named if (true := getattr(act, field)) != ROOT}
        return msgspec.structs.replace(act, **changes) if changes else act

    # ---------------------------------------------------------------- taking entries in

    def _take(self, entry: Entry) -> None:
        if entry.act is None:
            self._take_order(entry)
        elif isinstance(entry.act, Rewind):
            to = self._stands[entry.act.to]
            if to != self.head or entry.side == self.viewer:
                self._tell(entry, act=Rewind(to))
                self.head = to
        else:
            self._tell(entry, act=self._cut_act(entry.act))

    def _take_order(self, entry: Entry) -> None:
        if self._cut_at != entry.parent:
            self._cut = Cut(self._eye, self._log.seek(entry.parent))
        told = self._cut.take_all(entry.events)
        self._cut_at = entry.number
        own = entry.side == self.viewer
        if told or own or entry.parent == ROOT:
            order = entry.order if own or not entry.order else UNSEEN
            self.head = self._stands[entry.number] = self._tell(entry, order=order, told=told)
        else:
            self._stands[entry.number] = self._stands[entry.parent]

    def _tell(self, entry: Entry, *, order: bytes = b"", told: Sequence[Any] = (), act: AnyAct | None = None) -> int:
        number = len(self.entries)
        parent = self.head if entry.act is not None else self._stands[entry.parent]
        self.entries.append(
            SeenEntry(number, parent, entry.time_ms, entry.side, entry.player, order, tuple(told), act, entry.hash)
        )
        self._numbers[entry.number] = number
        self._true.append(entry.number)
        return number

    def _cut_act(self, act: AnyAct) -> AnyAct:
        """Return an act by his numbers, with no counters named that may be hidden from him."""
        changes: dict[str, Any] = {}
        if isinstance(act, Limit) and act.units and act.side != self.viewer and self._version >= SIDES_ARE_APART:
            changes["units"] = SOME
        if POINTS_TO_POSITION in act.__struct_fields__:
            changes[POINTS_TO_POSITION] = self._stands.get(getattr(act, POINTS_TO_POSITION), ROOT)
        if POINTS_TO_ENTRY in act.__struct_fields__:
            changes[POINTS_TO_ENTRY] = self.number(getattr(act, POINTS_TO_ENTRY))
        return msgspec.structs.replace(act, **changes) if changes else act


# -------------------------------------------------------------------- at the viewer's


def local_entry(seen: SeenEntry, log: Log) -> Entry:
    """Return an entry for a log of the viewer's own, chained by its own hashes; the commitment is kept as its salt."""
    bare = Entry(
        seen.number, seen.parent, seen.time_ms, seen.side, seen.player, seen.order, seen.events, seen.act,
        0, {}, seen.commitment, b"", log.last_hash,
    )
    return msgspec.structs.replace(bare, hash=bare.digest())


class SeenMatch(Match):
    """A game as one viewer may know it: grown from what he is told, its position that of his view.

    Attributes:
        viewer: whose view it is.
    """

    @classmethod
    def of(cls, match: Match, viewer: Side) -> SeenMatch:
        """Return a match on the setting and log of another, as *viewer* sees it."""
        made = cls.on(match.log, match)
        made.viewer = viewer
        return made

    def hash_of(self, number: int) -> bytes:
        """Return the true hash of an entry, zeros for none: its commitment."""
        return self.log.entries[number].salt if number >= 0 else bytes(32)

    def take(self, seen: SeenEntry) -> Entry:
        """Add what the viewer is told; return it as an entry of this match's own log.

        Raises:
            ValueError: it doesn't follow what he was told before.
        """
        entry = local_entry(seen, self.log)
        self.accept_foreign(entry)
        return entry


# -------------------------------------------------------------------- when all lies open


def check(setting: Setting, log: Log, viewer: Side, told: Sequence[SeenEntry], *, version: int = VERSION) -> str:
    """Return what is wrong with the opened log, if anything was told to a viewer otherwise than it says; empty if all fits.

    Args:
        log: the true log, its hash chain checked.
        told: what the viewer was told while the game ran, from its beginning.
        version: of how the game's table is reckoned.
    """
    seen = SeenLog(setting, log, viewer, version=version).grow()
    if len(told) > len(seen):
        return f"{len(told)} entries were told, and the opened log has only {len(seen)} for {viewer}"
    for entry, true in zip(told, seen, strict=False):
        if entry.commitment != true.commitment:
            return f"entry {entry.number} was another one when it was told: it had the hash {entry.commitment.hex()[:12]}…"
        if _encoder.encode(entry) != _encoder.encode(true):
            return f"entry {entry.number} was told otherwise than it happened"
    return ""


def fingerprint(told: Sequence[SeenEntry]) -> str:
    """Return a hash of what a viewer was told but for the commitments: equal where nothing tells two games apart."""
    bare = [msgspec.structs.replace(entry, commitment=b"") for entry in told]
    return hashlib.sha256(_encoder.encode(bare)).hexdigest()
