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

import io
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgpack
import msgspec

from core.datafile import Faults
from core.dice import ChainEnd
from core.errors import BadInput
from core.log import Entry, Log, Pending
from core.match import Clock, Match
from core.pack import Pack, setting
from core.ruleset import Ruleset
from core.rulesets import load

MAGIC = "rasputitsa game"
FORMAT = 1
MAX_RECORD = 16 << 20
MAX_FILE = 1 << 30


class Head(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a game is, before its first entry."""

    magic: str
    format: int
    game: str
    ruleset: str
    version: int
    scenario: str
    options: dict[str, bool | int | str]
    chains: tuple[ChainEnd, ...]
    made_by: str = ""
    players: dict[str, str] = {}


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
_decoders = {kind: msgspec.msgpack.Decoder(cls) for kind, cls in _PAYLOADS.items()}
_encode = msgspec.msgpack.Encoder().encode


def head_of(match: Match, *, made_by: str = "", players: Mapping[str, str] | None = None) -> Head:
    """Return the head of a match's file."""
    chosen = match.setting
    return Head(
        MAGIC, FORMAT, match.game, chosen.ruleset.id, chosen.ruleset.version, chosen.scenario.id, chosen.options,
        match.chains, made_by, dict(players or {}),
    )


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
        BadInput: with every fault found; each says at which record (counted from 1) and byte it lies.
    """
    faults = Faults()
    found: dict[str, list[Any]] = {kind: [] for kind in _PAYLOADS}
    order: list[str] = []
    for number, (kind, payload) in enumerate(_records(data, name, faults), 1):
        order.append(kind)
        try:
            found[kind].append(_decoders[kind].decode(payload))
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            faults.add(f"{name}: record {number}", f"a record `{kind}`", error)
    _check_form(name, order, found, faults)
    faults.check()
    head: Head = found["head"][0]
    entries: tuple[Entry, ...] = tuple(found["entry"])
    _check_chain(name, entries, found["end"][0], faults)
    faults.check()
    return GameFile(head, {f.name: f.data for f in found["pack"]}, entries, found["wait"][0] if found["wait"] else None)


def _records(data: bytes, name: str, faults: Faults) -> Iterator[tuple[str, bytes]]:
    if len(data) > MAX_FILE:
        faults.add(name, f"at most {MAX_FILE} bytes", len(data))
        return
    unpacker = msgpack.Unpacker(
        raw=False, strict_map_key=True, max_buffer_size=max(len(data), 1), max_str_len=64, max_bin_len=MAX_RECORD, max_array_len=2,
        max_map_len=0, max_ext_len=0,
    )
    unpacker.feed(data)
    while unpacker.tell() < len(data):
        at = unpacker.tell()
        try:
            record = unpacker.unpack()
        except msgpack.OutOfData:
            faults.add(f"{name}: byte {at}", "a whole record", "the end of the file")
            return
        except (ValueError, msgpack.UnpackException) as error:
            faults.add(f"{name}: byte {at}", "a record [kind, payload]", error or type(error).__name__)
            return
        match record:
            case [str(kind), bytes(payload)] if kind in _PAYLOADS:
                yield kind, payload
            case _:
                faults.add(f"{name}: byte {at}", "a record [kind, payload] of a known kind", _short(record))
                return


def _short(record: object) -> str:
    shown = repr(record)
    return shown if len(shown) <= 60 else shown[:57] + "..."


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
            faults.add(f"{name}: head", f"{MAGIC!r} of format {FORMAT}", f"{head.magic!r} of format {head.format}")


def _check_chain(name: str, entries: tuple[Entry, ...], end: End, faults: Faults) -> None:
    before = bytes(32)
    for number, entry in enumerate(entries):
        where = f"{name}: entry {number}"
        if entry.number != number:
            faults.add(where, f"number {number}", entry.number)
        if entry.before != before:
            faults.add(where, f"the hash {_brief(before)} of the entry before", _brief(entry.before))
        if entry.hash != entry.digest():
            faults.add(where, f"content with the hash {_brief(entry.hash)} that it bears", _brief(entry.digest()))
        before = entry.hash
    if end.entries != len(entries) or end.last != before:
        wanted = f"{end.entries} entries, the last with hash {_brief(end.last)}"
        faults.add(f"{name}: end", wanted, f"{len(entries)}, the last with hash {_brief(before)}")


def _brief(digest: bytes) -> str:
    return f"{digest.hex()[:12]}…"


def open_match(file: GameFile, *, clock: Clock, load: Callable[[str], Ruleset] = load) -> Match:
    """Return the match that a game file holds, at its head, with its own pack.

    Args:
        load: finds a ruleset by its name.

    Raises:
        BadInput: unknown ruleset, faulty pack, or a log that is no tree.
    """
    head = file.head
    ruleset = load(head.ruleset)
    if head.version > ruleset.version:
        raise BadInput.one("head: version", f"version {ruleset.version} of {ruleset.id} or an earlier one", head.version)
    chosen = setting(ruleset, Pack(file.files), head.scenario, head.options)
    log = Log()
    for entry in file.entries:
        try:
            log.add(entry)
        except ValueError as error:
            raise BadInput.one(f"entry {entry.number}", "an entry that follows the log", error) from error
    if file.pending is not None:
        log.hold(file.pending)
    try:
        return Match(chosen, game=head.game, chains=head.chains, clock=clock, log=log)
    except (AssertionError, LookupError) as error:
        raise BadInput.one("entries", "events that follow from one another", f"{type(error).__name__}: {error}") from error
