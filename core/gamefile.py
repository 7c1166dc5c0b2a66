"""A game as bytes: self-contained, readable and checkable by anyone.

A game file is a msgpack stream of bounded records ``[kind, payload]``; payloads are msgpack of typed structs:

====== ================================ =======================================================
kind   how many                         payload
====== ================================ =======================================================
head   1, first                         `Head`: format, game id, scenario, options, chain ends
pack   1 a file of the scenario pack    `PackFile`: name and bytes
entry  any number, in order             `core.log.Entry`
wait   0 or 1                           `core.log.Pending`: an order that waits for chance
end    1, last                          `End`: number of entries, hash of the last
====== ================================ =======================================================
"""

from __future__ import annotations

import gc
import hashlib
import io
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import msgpack
import msgspec

from core import identity
from core.datafile import Faults
from core.dice import ChainEnd, Keeper
from core.errors import BadInput
from core.fold import fold_all
from core.log import SLICE, Entry, Log, Pending
from core.match import Clock, Match
from core.pack import Boards, Pack, setting
from core.position import Position
from core.ruleset import Ruleset
from core.rulesets import load
from core.seen import SeenMatch
from core.setting import Setting
from core.table import ACTS_ARE_OF_THE_MOMENT, VERSION
from core.terms import Terms
from core.terms import check as check_terms
from core.text import brief
from core.witnesses import SERVER, WITNESSED

# As servers take it (`core.protocol.Id`), or with spaces, as what-if games bore it once: it also stands in names of files, and must lead
# out of no folder.
GameId = Annotated[str, msgspec.Meta(min_length=1, max_length=64, pattern=r"\A[A-Za-z0-9._-]+(?: [A-Za-z0-9._-]+)*\Z")]
MAGIC = "rasputitsa game"
FORMAT = 1
MAX_RECORD = 16 << 20
MAX_FILE = 1 << 28
READ_AT_ONCE = 1 << 16  # bytes of a file
SALT_BYTES = 16  # of each entry of a server's log
MAX_RECORDS = 1_000_000  # ten times the longest game's: of tiny ones a file could hold so many that they fill any memory
MOST_FAULTS = 1_000  # after which a file is read no further
VERSION_AT = "head: version"  # where a fault is that lies in rules later than ours
# What folding events that don't follow from one another may raise.
_UNSOUND = (AssertionError, LookupError, TypeError, ValueError, AttributeError, ArithmeticError)


class Head(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a game is, before its first entry.

    *chains* are those published before it: the server's; players publish theirs in the log. *terms* is what the table agreed on, *keeper*
    the server that keeps the log. *viewer* is the one whose view of a game with secrets the file tells; empty where the entries are as
    they happened. *signs_undo*: whoever goes back without asking has signed it; in older games nobody did. *table* is the version of how
    its table is reckoned (`core.table.VERSION`); 0 in older games, which are reckoned as they were played.
    """

    magic: str
    format: int
    game: GameId
    ruleset: str
    version: int
    scenario: str
    options: dict[str, bool | int | str]
    chains: tuple[ChainEnd, ...]
    made_by: str = ""
    players: dict[str, str] = {}
    terms: Terms = Terms()
    keeper: Keeper = Keeper()
    viewer: str = ""
    signs_undo: bool = False
    table: int = 0


class PackFile(msgspec.Struct, frozen=True, array_like=True):
    """One file of the scenario pack."""

    name: str
    data: bytes


class End(msgspec.Struct, frozen=True, array_like=True):
    """The last record: a file without it was cut."""

    entries: int
    last: bytes


class GameFile(msgspec.Struct, frozen=True):
    """What a game file holds."""

    head: Head
    files: dict[str, bytes]
    entries: tuple[Entry, ...]
    pending: Pending | None


_PAYLOADS: dict[str, Any] = {"head": Head, "pack": PackFile, "entry": Entry, "wait": Pending, "end": End}
_decode = {kind: msgspec.msgpack.Decoder(cls).decode for kind, cls in _PAYLOADS.items()}
_encode = msgspec.msgpack.Encoder().encode
_in_order = msgspec.msgpack.Encoder(order="deterministic")


def new_head(
    chosen: Setting, game: str, chains: tuple[ChainEnd, ...], *, made_by: str = "", players: Mapping[str, str] | None = None,
    terms: Terms | None = None, keeper: Keeper | None = None, signs_undo: bool = False, table: int = VERSION,
) -> Head:
    """Return the head of a game's file, before it has any entry."""
    return Head(
        MAGIC, FORMAT, game, chosen.ruleset.id, chosen.version, chosen.scenario.id, chosen.options,
        chains, made_by, dict(players or {}), terms or Terms(), keeper or Keeper(), signs_undo=signs_undo, table=table,
    )


def head_of(match: Match, *, made_by: str = "", players: Mapping[str, str] | None = None) -> Head:
    """Return the head of a match's file."""
    head = new_head(
        match.setting, match.game, match.chains, made_by=made_by, players=players, terms=match.terms, keeper=match.keeper,
        signs_undo=match.signs_undo, table=match.table_version,
    )
    return msgspec.structs.replace(head, viewer=match.viewer)


def agreement(head: Head) -> bytes:
    """Return the hash of what a game is: who publishes a chain signs it with, so that nobody changes the terms behind his back."""
    agreed = (head.game, head.ruleset, head.version, head.scenario, head.options, head.chains, head.terms, head.keeper.key)
    undo = (head.signs_undo,) if head.signs_undo or head.table else ()  # older games were agreed on without either
    table = (head.table,) if head.table else ()
    return hashlib.sha256(_in_order.encode(agreed + undo + table)).digest()


def first_salt(fresh: bytes, head: Head) -> bytes:
    """Return the salt of a log's first entry: `SALT_BYTES` random ones, and with them the hash of what was agreed on.

    So whoever signs an order, over the hash of the entry before it, signs the terms as well, which no entry tells: else whoever has a file
    could give it others.
    """
    return fresh + hashlib.sha256(fresh + agreement(head)).digest()


def began_so(first: Entry, head: Head) -> bool:
    """Say whether a log's first entry was written under what its head says was agreed on; True where none need tell, as in older games."""
    if len(first.salt) <= SALT_BYTES:
        return not head.keeper.key or head.table < ACTS_ARE_OF_THE_MOMENT
    return first.salt == first_salt(first.salt[:SALT_BYTES], head)


def keeper_signed(head: Head) -> bool:
    """Say whether the server that keeps a game signed its chain, and with it what was agreed on; True where it has no key."""
    messages = (identity.chain_message(head.game, agreement(head), end.end, end.links) for end in head.chains)
    return not head.keeper.key or all(identity.verify(head.keeper.key, message, head.keeper.signature) for message in messages)


def held_to_less(head: Head, *, rules: int = 0) -> list[str]:
    """Return what of a server's game lets its host do more, and nobody would find it, than in one that is begun today; nothing if none.

    Args:
        rules: the version of its rules today; 0 where that is told otherwise.
    """
    less = [] if head.keeper.key else ["no server answers for it by its key"]
    if head.table < VERSION:
        less.append(f"the table goes by version {head.table} of its rules, today's by {VERSION}")
    if head.keeper.key and not head.signs_undo:
        less.append("whoever goes back without asking need not sign it")
    if head.version < rules:
        less.append(f"it goes by version {head.version} of the rules of play, today's by {rules}")
    return less


def check_version(head: Head, ruleset: Ruleset) -> None:
    """Raise BadInput if a game was begun under rules later than ours."""
    if not 1 <= head.version <= ruleset.version:
        raise BadInput.one(VERSION_AT, f"version {ruleset.version} of {ruleset.id} or an earlier one", head.version)
    if not 0 <= head.table <= VERSION:
        raise BadInput.one(VERSION_AT, f"a table of version {VERSION} or an earlier one", head.table)


def check_chains(head: Head) -> None:
    """Raise BadInput if the head of a server's game, or of one whose players witness its dice, holds any other chain than the server's.

    A player publishes his own in the log, signed. Of one that stood there already under his name the host would know all links: he would
    never be asked for his, and nobody else's would keep the dice from being foreseen.
    """
    names = [end.participant for end in head.chains]
    if (head.keeper.key or head.terms.dice.kind == WITNESSED) and names != [SERVER]:
        raise BadInput.one("head: chains", "one, the server's", ", ".join(names) or "none")


def as_agreed(chosen: Setting, head: Head) -> Setting:
    """Return a setting with the dice that the table agreed on, and the version of the rules under which the game was begun."""
    return msgspec.structs.replace(chosen, dice=head.terms.dice.kind, version=head.version)


def write(head: Head, files: Mapping[str, bytes], log: Log) -> bytes:
    """Return a game file's bytes."""
    out = io.BytesIO()
    _record(out, "head", head)
    for name, data in sorted(files.items()):
        _record(out, "pack", PackFile(name, data))
    for entry in log.entries:
        _record(out, "entry", entry)
    if log.pending is not None:
        _record(out, "wait", log.pending)
    _record(out, "end", End(len(log.entries), log.last_hash))
    return out.getvalue()


def _record(out: io.BytesIO, kind: str, payload: msgspec.Struct) -> None:
    out.write(msgspec.msgpack.encode([kind, _encode(payload)]))


def read(data: bytes, *, name: str = "game file") -> GameFile:
    """Return what a game file holds, its form and hash chain checked.

    Raises:
        BadInput: with every fault found; each says at which entry, record (counted from 1) or byte it lies.
    """
    reading = _Reading(data, name)
    while reading.go_on(SLICE):
        pass
    reading.check()
    found = reading.found
    pending: Pending | None = found["wait"][0] if found["wait"] else None
    return GameFile(found["head"][0], reading.files, tuple(found["entry"]), pending)


class _Reading:
    """A game file under way: records are decoded and checked one after another, faults collected.

    Attributes:
        found: what was decoded, by kind.
    """

    def __init__(self, data: bytes, name: str) -> None:
        self.name = name
        self.size = len(data)
        self.found: dict[str, list[Any]] = {kind: [] for kind in _PAYLOADS}
        self.order: list[str] = []
        self.at = 0
        self._faults = Faults()
        self._chain = Faults()
        self._last = bytes(32)
        self._lost = 0  # entries that could not be decoded
        self._is_given_up = False
        self._records = self._split(data)

    @property
    def files(self) -> dict[str, bytes]:
        """Return the files of the pack."""
        return {file.name: file.data for file in self.found["pack"]}

    def go_on(self, records: int) -> bool:
        """Read so many records more; say whether there may be others."""
        taken, order, entries = 0, self.order, self.found["entry"]
        with _no_collection() as held:
            for kind, payload in itertools.islice(self._records, records):
                taken += 1
                order.append(kind)
                try:
                    decoded = _decode[kind](payload)
                except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
                    where = f"entry {len(entries) + self._lost}" if kind == "entry" else f"record {len(order)}"
                    self._faults.add(f"{self.name}: {where}", f"a record `{kind}`", brief(error))
                    self._lost += kind == "entry"
                    continue
                if kind == "entry":
                    self._check_entry(len(entries) + self._lost, decoded)
                self.found[kind].append(decoded)
            if taken >= SLICE:
                held.keep()
        return taken == records

    @property
    def is_sound(self) -> bool:
        """Say whether nothing was found so far."""
        return not self._faults.found and not self._chain.found

    def check(self) -> None:
        """Check the form of the whole, once all is read.

        Raises:
            BadInput: with every fault of its form, else with those of its hash chain.
        """
        if self._is_given_up:
            raise BadInput([*self._chain.found, *self._faults.found])
        if not self.order and self.size <= MAX_FILE:  # that it lacks all a game file has would be said of each part
            raise BadInput.one(self.name, "a game file, which begins with a record `head`", "another file" if self.size else "an empty one")
        _check_form(self.name, self.order, self.found, self._faults)
        self._faults.check()
        self._check_end(self.found["end"][0])
        self._chain.check()

    def _split(self, data: bytes) -> Iterator[Sequence[Any]]:
        if len(data) > MAX_FILE:
            self._faults.add(self.name, f"at most {MAX_FILE} bytes", len(data))
            return
        unpacker = msgpack.Unpacker(  # piece by piece: a copy of the whole took half of its time
            io.BytesIO(data), read_size=READ_AT_ONCE, raw=False, strict_map_key=True, max_buffer_size=MAX_FILE, max_str_len=64,
            max_bin_len=MAX_RECORD, max_array_len=2, max_map_len=0, max_ext_len=0,
        )
        while self.at < self.size:
            if len(self.order) >= MAX_RECORDS or len(self._faults.found) + len(self._chain.found) >= MOST_FAULTS:
                self._is_given_up = True
                self._fault(f"a file of at most {MAX_RECORDS} records, and fewer than {MOST_FAULTS} faults", "more; it was read no further")
                return
            try:
                record = unpacker.unpack()
            except msgpack.OutOfData:
                self._fault("a whole record", "the end of the file")
                return
            except (ValueError, msgpack.UnpackException) as error:
                self._fault("a record [kind, payload]", error or type(error).__name__)
                return
            if not _is_record(record):
                self._fault("a record [kind, payload] of a known kind", brief(repr(record), 60))
                return
            yield record
            self.at = unpacker.tell()

    def _fault(self, expected: str, got: object) -> None:
        self._faults.add(f"{self.name}: byte {self.at}", expected, got)

    def _check_entry(self, number: int, entry: Entry) -> None:
        before, self._last = self._last, entry.hash
        digest = entry.digest()
        if entry.number == number and entry.before == before and entry.hash == digest:
            return
        where = f"{self.name}: entry {number}"
        if entry.number != number:
            self._chain.add(where, f"number {number}", entry.number)
        if entry.before != before:
            self._chain.add(where, f"the hash {_brief(before)} of the entry before", _brief(entry.before))
        if entry.hash != digest:
            self._chain.add(where, f"content with the hash {_brief(entry.hash)} that it bears", _brief(digest))

    def _check_end(self, end: End) -> None:
        entries = len(self.found["entry"]) + self._lost
        if end.entries != entries or end.last != self._last:
            wanted = f"{end.entries} entries, the last with hash {_brief(end.last)}"
            self._chain.add(f"{self.name}: end", wanted, f"{entries}, the last with hash {_brief(self._last)}")


class _no_collection:  # noqa: N801  it reads as a statement
    """Keep the collector of cycles from looking through all that was read, again and again; nothing that is read has any.

    Measured: on a file of 100,000 entries, whose frames' arguments are a million lists and dicts, it took a third of the time while it
    was read, and stopped the program for 0.9 s now and then afterwards.
    """

    def __enter__(self) -> _no_collection:
        self._was_on = gc.isenabled()
        gc.disable()
        return self

    def keep(self) -> None:
        """Let the collector leave alone what is there now, for good; what is dropped is freed all the same, as no cycle holds it.

        Cycles that others have dropped and that were not collected yet stay as well: few, as it happens once in many entries.
        """
        if self._was_on:
            gc.freeze()

    def __exit__(self, *_: object) -> None:
        if self._was_on:
            gc.enable()


def _is_record(record: object) -> bool:
    # By hand, and not by `match`, which takes three times as long: it is asked a hundred thousand times a file.
    return type(record) is list and len(record) == 2 and type(record[0]) is str and type(record[1]) is bytes and record[0] in _PAYLOADS


def _check_form(name: str, order: list[str], found: Mapping[str, list[Any]], faults: Faults) -> None:
    if not order or order[0] != "head":
        faults.add(f"{name}: record 1", "a head", order[0] if order else "nothing")
    for kind, least, most in (("head", 1, 1), ("wait", 0, 1), ("end", 1, 1)):
        count = order.count(kind)
        if not least <= count <= most:
            wanted = f"{least} record `{kind}`" if least == most else f"at most {most} record `{kind}`"
            faults.add(name, wanted, f"{count} (was the file cut?)" if kind == "end" else count)
    if order and "end" in order and order[-1] != "end":
        faults.add(name, "the record `end` last", order[-1])
    for head in found["head"]:
        if head.magic != MAGIC or head.format != FORMAT:
            faults.add(f"{name}: head", f"{MAGIC!r} of format {FORMAT}", f"{brief(repr(head.magic), 60)} of format {head.format}")


def _brief(digest: bytes) -> str:
    return f"{digest.hex()[:12]}…"


def open_match(
    file: GameFile, *, clock: Clock, load: Callable[[str], Ruleset] = load, pack: Pack | None = None, boards: Boards | None = None
) -> Match:
    """Return the match that a game file holds, at its head, with its own pack.

    Args:
        file: as `read` returned it, its hash chain checked.
        load: finds a ruleset by its name.
        pack: that of its files, where it is at hand.
        boards: those of other matches, which it shares.

    Raises:
        BadInput: unknown ruleset, faulty pack, or a log that is no tree.
    """
    match = _empty_match(file.head, lambda: Pack(dict(file.files)) if pack is None else pack, clock, load, boards)
    for entry in file.entries:
        _accept(match, entry)
    if file.pending is not None:
        match.log.hold(file.pending)
    _check_head(match)
    with _sound_events():  # clocks ask who was to act, on ways that were left as well
        match.table.take(match.log)
    return match


def _empty_match(
    head: Head, pack: Callable[[], Pack], clock: Clock, load: Callable[[str], Ruleset], boards: Boards | None = None
) -> Match:
    ruleset = load(head.ruleset)
    check_version(head, ruleset)
    check_chains(head)
    chosen = setting(ruleset, pack(), head.scenario, head.options, boards=boards)
    check_terms(head.terms, chosen.sides)  # servers begin no game on others, and whoever lists its seats relies on it
    made = Match(
        as_agreed(chosen, head), game=head.game, chains=head.chains, clock=clock, terms=head.terms, keeper=head.keeper,
        signs_undo=head.signs_undo, table_version=head.table,
    )
    return SeenMatch.of(made, head.viewer) if head.viewer else made


def _accept(match: Match, entry: Entry) -> None:
    try:
        match.accept_checked(entry)
    except ValueError as error:
        raise BadInput.one(f"entry {entry.number}", "an entry that follows the log", error) from error


@contextmanager
def _sound_events() -> Iterator[None]:
    try:
        yield
    except _UNSOUND as error:
        raise BadInput.one("entries", "events that follow from one another", f"{type(error).__name__}: {error}") from error


def _check_head(match: Match) -> None:
    """Fold the position at the head; BadInput names the entry whose events don't follow."""
    try:
        match.view  # noqa: B018  it folds all events
    except _UNSOUND:
        position = Position()
        for entry in match.log.path():
            try:
                fold_all(position, entry.events)
            except _UNSOUND as error:
                got = f"{type(error).__name__}: {error}"
                raise BadInput.one(f"entry {entry.number}", "events that follow from one another", got) from error
        raise


class Opening:
    """A game file that is being opened: its first position is there at once, the rest comes slice by slice.

    Attributes:
        head: what the file's first record says.
        files: the files of its pack.
        match: the game as far as it was read; it grows with each slice of `go_on`.

    Raises:
        BadInput: what comes before the second entry is faulty.
    """

    def __init__(self, data: bytes, *, clock: Clock, name: str = "game file", load: Callable[[str], Ruleset] = load) -> None:
        self._reading = reading = _Reading(data, name)
        while reading.is_sound and not reading.found["entry"] and reading.go_on(1):
            pass
        if not reading.found["entry"] or not reading.is_sound or reading.order[0] != "head":
            while reading.go_on(SLICE):   # what is faulty at its start is told whole
                pass
            reading.check()
            raise BadInput.one(name, "a game that was set up", "no entry")
        self.head: Head = reading.found["head"][0]
        self.files = reading.files
        self.match = _empty_match(self.head, lambda: Pack(dict(self.files)), clock, load)
        self._take_new()
        with _sound_events():
            self.match.view  # noqa: B018  it folds the first entry

    def go_on(self) -> Iterator[float]:
        """Read what is left, then fold it all once, so that every `seek` is short from then on; yield the share that is done.

        Raises:
            BadInput: with all faults of the file; the match has then grown only by entries that were sound.
        """
        reading, log = self._reading, self.match.log
        while reading.go_on(SLICE) and reading.is_sound:
            self._take_new()
            yield reading.at / reading.size / 2
        while reading.go_on(SLICE):
            pass
        reading.check()
        yield 0.5
        if len(reading.found["pack"]) != len(self.files) or reading.order.index("entry") < reading.order.count("pack") + 1:
            raise BadInput.one(reading.name, "all files of the pack before the first entry, each once", "others after it")
        self._take_new()
        for pending in reading.found["wait"]:
            log.hold(pending)
        with _sound_events():
            while self.match.take_in(SLICE):
                yield 0.5
            for done in log.pass_over():
                yield 0.5 + done / len(log) / 2
        yield 1.0

    def _take_new(self) -> None:
        entries = self._reading.found["entry"]
        for number in range(len(self.match.log), len(entries)):
            _accept(self.match, entries[number])
