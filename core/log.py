"""The log of a game: numbered, hash-chained entries that form a tree; a position is the fold of the path to its head.

An entry is an order with its events, or a *table act*. Entries are only ever added. `parent` is the order-bearing entry whose position
the order was given in; a `Rewind` moves the head to any order-bearing entry, and going on from there grows another branch.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Iterator, Sequence
from typing import Annotated

import msgspec

from core.events import AnyEvent, Drawn, Event, Explained, FramePushed, Revealed, Rolled
from core.fold import fold_all
from core.identity import KEY_LETTERS
from core.position import Position
from core.terms import Millis, PlayerName, SeatName, SideName, SpectatorTerms, Units
from core.text import Text
from core.units import Side

ROOT = -1  # parent of the first entry
SNAPSHOT_EVERY = 64  # entries between kept positions; measured: a seek then folds some 800 events
SNAPSHOTS = 400  # kept at most; a log that needs more keeps every second of them, then every fourth …
SLICE = 500  # entries folded at a stretch when a log is passed over; measured: 10 ms

Note = Annotated[str, msgspec.Meta(max_length=500)]

_encoder = msgspec.msgpack.Encoder(order="deterministic")


class Act(msgspec.Struct, frozen=True, tag_field="act", gc=False):
    """Base of table acts: what happens at the table and not in the game."""


class Rewind(Act, frozen=True, tag="rewind"):
    """The head moves to an order-bearing entry: back (undo), or forward again (redo)."""

    to: int


class Seat(Act, frozen=True, tag="seat", omit_defaults=True):
    """A player takes a seat of a side, or it is freed (empty *player*); *seat* is its name among several of the side.

    *key* is the player's public key: his orders are signed by it from here on; empty where nobody signs.
    """

    side: SideName
    player: PlayerName
    seat: SeatName = ""
    key: Annotated[str, msgspec.Meta(max_length=KEY_LETTERS)] = ""


class Limit(Act, frozen=True, tag="limit"):
    """A seat may order these units and no others; None: any, and what no unit does."""

    side: SideName
    seat: SeatName
    units: Units | None


class Offer(Act, frozen=True, tag="offer"):
    """Somebody asks the other sides for something: ``rewind`` (to entry *to*), ``draw``, ``pause``."""

    what: Annotated[str, msgspec.Meta(max_length=16)]
    to: int = ROOT


class Withdraw(Act, frozen=True, tag="withdraw"):
    """Whoever made the offer in entry *offer* takes it back."""

    offer: int


class Consent(Act, frozen=True, tag="consent"):
    """An answer to the offer that stands in entry *offer*."""

    offer: int
    yes: bool


class Resign(Act, frozen=True, tag="resign"):
    """A side gives up."""

    side: SideName


class Flag(Act, frozen=True, tag="flag"):
    """A side's time has run out."""

    side: SideName


class Claim(Act, frozen=True, tag="claim"):
    """A side claims the game, as the flags of all others have fallen."""

    side: SideName


class Pause(Act, frozen=True, tag="pause"):
    """Clocks stand still, or run again."""

    on: bool


class Away(Act, frozen=True, tag="away"):
    """Whoever keeps the log was away for the last *ms* milliseconds: no clock ran."""

    ms: Annotated[int, msgspec.Meta(ge=0)]


class SetClock(Act, frozen=True, tag="set_clock"):
    """A referee gives a side this much time from here on."""

    side: SideName
    left_ms: Millis


class Admit(Act, frozen=True, tag="admit"):
    """What spectators may see from here on."""

    spectators: SpectatorTerms


class Result(Act, frozen=True, tag="result"):
    """The game is ended from outside: who won (empty: nobody), and why."""

    winner: SideName
    text: Note


class ChainPublished(Act, frozen=True, tag="chain"):
    """A seated player publishes the end of his dice chain of so many links; the entry bears his signature.

    From the next number on no dice fall without his link, as long as he holds a seat.
    """

    player: PlayerName
    end: bytes
    links: int


class TakenOver(Act, frozen=True, tag="taken_over"):
    """From here on the server of *key* keeps the log, with a dice chain of *links* that ends in *end*: the game has come from another
    server, or from a backup, and what the old chain showed since then may be known. The entry bears the server's signature.

    No order waits for chance meanwhile: whoever knows its links can't choose the chain after them.
    """

    key: Annotated[str, msgspec.Meta(max_length=KEY_LETTERS)]
    end: bytes
    links: int


class Pending(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An accepted order that waits for chance: durable before any link is asked for; its *k* is spent.

    *order* is the order's msgpack; *before* the hash of the last entry; *signature* the player's, empty where none is needed.
    """

    side: Side
    player: str
    order: bytes
    parent: int
    k: int
    before: bytes
    signature: bytes = b""

    def digest(self) -> bytes:
        """Return the hash that keys the dice stream."""
        return hashlib.sha256(_encoder.encode(self)).digest()


class Late(Act, frozen=True, tag="late", omit_defaults=True):
    """A participant let *ms* milliseconds go by without his link for *k*: his clock ran, and not that of whose order it was; it runs on.

    *came*: his link is here by now, and others are waited for: his clock runs no more. *waits* is the order that his link is for, in games
    whose table is of version 7 or later: else nobody could tell from the log whether one waited.
    """

    participant: PlayerName
    k: int
    ms: Annotated[int, msgspec.Meta(ge=0)]
    came: bool = False
    waits: Pending | None = None


class Fallback(Act, frozen=True, tag="fallback", omit_defaults=True):
    """A participant's link for *k* stayed away, and another player chose: ``wait``, ``unwitnessed``, ``claim``.

    *pending* is the hash of the pending record; the entry bears the chooser's signature.
    """

    participant: PlayerName
    k: int
    choice: Annotated[str, msgspec.Meta(max_length=16)]
    pending: bytes = b""


class Referee(Act, frozen=True, tag="referee"):
    """A referee's words, seen by all."""

    text: Text


AnyAct = (
    Rewind | Seat | Limit | Offer | Withdraw | Consent | Resign | Flag | Claim | Pause | Away | SetClock | Admit | Result | Referee
    | Fallback | ChainPublished | Late | TakenOver
)


class Entry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One entry.

    *number* counts from 0; *time_ms* is the clock of whoever keeps the log; *order* and *events* are empty in an entry that is an *act*.
    The first entry has no order: its events set the game up. *k* is 0 where no chance was needed, *links* then empty.
    *pending* is the hash of the entry after which the order began to wait for chance (empty where none was needed): table acts may have
    come between. *salt* is random, so that a hash tells nothing of what is hidden.
    """

    number: int
    parent: int
    time_ms: int
    side: Side
    player: str
    order: bytes
    events: tuple[AnyEvent, ...]
    act: AnyAct | None
    k: int
    links: dict[str, bytes]
    salt: bytes
    signature: bytes
    before: bytes
    pending: bytes = b""
    hash: bytes = b""

    def digest(self) -> bytes:
        """Return the hash of the entry with the hash of the one before it."""
        bare = msgspec.structs.replace(self, hash=b"") if self.hash else self
        return hashlib.sha256(_encoder.encode(bare)).digest()

    def unsigned_digest(self) -> bytes:
        """Return the hash of the entry without its signature."""
        return msgspec.structs.replace(self, signature=b"", hash=b"").digest()

    def pending_record(self) -> Pending:
        """Return the record that waited for chance before this entry was decided."""
        return Pending(self.side, self.player, self.order, self.parent, self.k, self.pending, self.signature)

    @property
    def misfit(self) -> str:
        """What the entry bears that none of its kind does, or lacks; empty if nothing.

        There are three kinds: the set-up, which stands at the root and is nobody's; an order behind it; and a table act, which bears
        nothing of an order and its dice. What reads one kind alone looks at no field of the others.
        """
        if self.act is not None:
            is_bare = not (self.order or self.events or self.k or self.links or self.pending)
            return "" if is_bare else "a table act bears an order, events or chance"
        if bool(self.order) != (self.parent != ROOT):
            return "it bears an order" if self.order else "it bears no order, and the game had begun"
        if not self.order and (self.side or self.player or self.signature):
            return "the game was set up by somebody"
        return "it shows links, and no number that they are of" if not self.k and (self.links or self.pending) else ""

    @property
    def bears_order(self) -> bool:
        """Say whether the entry is an order with its events."""
        return self.act is None

    @property
    def moves(self) -> bool:
        """Say whether the game stands at another position after the entry: an order or a rewind."""
        return self.act is None or isinstance(self.act, Rewind)


_SHOWS = (Rolled, Drawn, Revealed)
_SHOWS_SECRETS = (*_SHOWS, Explained, FramePushed)


class Log:
    """A game's entries, and positions along them.

    Attributes:
        entries: all of them, by number.
        head: the order-bearing entry whose position is the game's, ROOT before the first.
        moved_at: the last entry that moved the game, ROOT before the first.
        k: the last number that was spent on chance.
        pending: the order that waits for chance.
    """

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.head = self.moved_at = ROOT
        self.k = 0
        self.pending: Pending | None = None
        self._sealed: Entry | None = None  # hashed here: that it is its hash needs no second look
        self._snapshots: dict[int, Position] = {}
        self._spacing = SNAPSHOT_EVERY
        self._depths: dict[int, int] = {ROOT: 0}
        self._redo: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self.entries)

    def copied(self) -> Log:
        """Return a log with the same entries and head; either may grow, and the other doesn't notice."""
        made = copy.copy(self)
        made.entries, made._depths, made._redo = [*self.entries], dict(self._depths), dict(self._redo)
        made._snapshots = {number: position.copy() for number, position in self._snapshots.items()}
        return made

    @property
    def last_hash(self) -> bytes:
        """Return the hash of the last entry, zeros before the first."""
        return self.entries[-1].hash if self.entries else bytes(32)

    def dates_back(self, entry: Entry) -> bool:
        """Say whether an entry that comes next bears a time before that of the last one."""
        return bool(self.entries) and entry.time_ms < self.entries[-1].time_ms

    # ---------------------------------------------------------------- growing

    def seal(
        self,
        *,
        time_ms: int,
        side: Side = "",
        player: str = "",
        order: bytes = b"",
        events: Sequence[Event] = (),
        act: AnyAct | None = None,
        k: int = 0,
        links: dict[str, bytes] | None = None,
        salt: bytes = b"",
        signature: bytes = b"",
        pending: bytes = b"",
    ) -> Entry:
        """Return the entry that would come next, hashed, without adding it."""
        bare = Entry(
            len(self.entries), self.head, time_ms, side, player, order, tuple(events),  # type: ignore[arg-type]
            act, k, links or {}, salt, signature, self.last_hash, pending,
        )
        self._sealed = msgspec.structs.replace(bare, hash=bare.digest())
        return self._sealed

    def signed(self, entry: Entry, signature: bytes) -> Entry:
        """Return a sealed entry, hashed with a signature."""
        bare = msgspec.structs.replace(entry, signature=signature, hash=b"")
        self._sealed = msgspec.structs.replace(bare, hash=bare.digest())
        return self._sealed

    def add(self, entry: Entry) -> None:
        """Add an entry that `seal` made, here or elsewhere.

        Raises:
            ValueError: it doesn't follow the last one.
        """
        if entry.number != len(self.entries):
            raise ValueError(f"entry {entry.number} can't follow {len(self.entries) - 1}")
        if entry.before != self.last_hash or (entry is not self._sealed and entry.hash != entry.digest()):
            raise ValueError(f"entry {entry.number} breaks the hash chain")
        self.add_checked(entry)

    def add_checked(self, entry: Entry) -> None:
        """Add an entry whose number and hashes were found to follow the last one's.

        Raises:
            ValueError: it has no place in the tree.
        """
        act = entry.act
        if act is None:
            depth = self._depths.get(entry.parent)   # none but order-bearing entries have one
            if depth is None:
                raise ValueError(f"entry {entry.number} has no parent {entry.parent}")
            if entry.parent == ROOT and ROOT in self._redo:
                raise ValueError(f"entry {entry.number} begins the game again")
            self._redo[entry.parent] = self.head = self.moved_at = entry.number
            self._depths[entry.number] = depth + 1
            self.pending = None
            self.k = max(self.k, entry.k)
        elif isinstance(act, Rewind):
            if act.to == ROOT or act.to not in self._depths:
                raise ValueError(f"entry {entry.number} rewinds to {act.to}, which has no position")
            self.head, self.moved_at = act.to, entry.number
        self.entries.append(entry)
        self._sealed = None

    def hold(self, pending: Pending) -> None:
        """Keep a pending order; its *k* is spent whatever happens."""
        self.pending = pending
        self.k = max(self.k, pending.k)

    # ---------------------------------------------------------------- the tree

    def path(self, to: int | None = None) -> list[Entry]:
        """Return the order-bearing entries from the first to *to* (the head)."""
        found: list[Entry] = []
        number = self.head if to is None else to
        while number != ROOT:
            found.append(self.entries[number])
            number = self.entries[number].parent
        return found[::-1]

    def depth(self, number: int) -> int:
        """Return how many order-bearing entries lead to an entry, itself included."""
        return self._depths[number]

    def forward(self) -> int | None:
        """Return the entry that a redo leads to: the latest child of the head; None if there is none."""
        return self.child(self.head)

    def child(self, number: int) -> int | None:
        """Return the latest entry that was decided at the position after an entry, None if there is none."""
        return self._redo.get(number)

    def back(self) -> int | None:
        """Return the entry that an undo of one order leads to, None if only the set-up is left."""
        parent = self.entries[self.head].parent if self.head != ROOT else ROOT
        return None if parent == ROOT else parent

    def undo_is_free(self, to: int, side: Side, *, dark: bool = False) -> bool:
        """Say whether a side may go back or forward again to *to* without asking: all on the way is its own, nothing drawn or revealed.

        Args:
            dark: the game has secrets. What explains anything, or brings up a decision, may come of one that the other side keeps there.
        """
        shows = _SHOWS_SECRETS if dark else _SHOWS
        return self._is_own_way(self.head, to, side, shows) or self._is_own_way(to, self.head, side, shows)

    def _is_own_way(self, late: int, early: int, side: Side, shows: tuple[type[Event], ...]) -> bool:
        number = late
        while number not in (early, ROOT):
            entry = self.entries[number]
            if entry.side != side or entry.k or any(isinstance(event, shows) for event in entry.events):
                return False
            number = entry.parent
        return number == early

    # ---------------------------------------------------------------- positions

    def seek(self, number: int) -> Position:
        """Return a fresh copy of the position after an entry, folded from the nearest kept one on its path.

        Raises:
            KeyError: no order-bearing entry of this number.
        """
        if number not in self._depths:
            raise KeyError(number)
        missing: list[Entry] = []
        here = number
        while here != ROOT and here not in self._snapshots:
            missing.append(self.entries[here])
            here = self.entries[here].parent
        position = self._snapshots[here].copy() if here != ROOT else Position()
        for entry in reversed(missing):
            fold_all(position, entry.events)
            self._keep_if_due(entry.number, position)
        return position

    def pass_over(self) -> Iterator[int]:
        """Fold every entry once and keep positions along all branches, so that each `seek` is short from then on.

        Yields how many entries are done, a few times a second; entries that are added meanwhile are passed over as well.
        """
        position, here = Position(), ROOT
        number = 0
        while number < len(self.entries):
            entry = self.entries[number]
            number += 1
            if entry.bears_order:
                if entry.parent != here:
                    position = Position() if entry.parent == ROOT else self.seek(entry.parent)
                fold_all(position, entry.events)
                here = entry.number
                self._keep_if_due(here, position)
            if number % SLICE == 0:
                yield number

    def _keep_if_due(self, number: int, position: Position) -> None:
        depth = self._depths[number]
        if depth % self._spacing or number in self._snapshots:
            return
        if len(self._snapshots) >= SNAPSHOTS:
            self._spacing *= 2
            self._snapshots = {kept: old for kept, old in self._snapshots.items() if self._depths[kept] % self._spacing == 0}
            if depth % self._spacing:
                return
        self._snapshots[number] = position.copy()

    def drop_snapshots(self) -> None:
        """Forget all kept positions; nothing but speed changes."""
        self._snapshots.clear()
        self._spacing = SNAPSHOT_EVERY

    def acts(self) -> Iterator[Entry]:
        """Yield the entries that are table acts."""
        return (entry for entry in self.entries if entry.act is not None)
