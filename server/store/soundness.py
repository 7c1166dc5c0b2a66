"""What the hashes that a store keeps tell of it: a disk that loses bytes leaves pages that SQLite finds in order.

Entries are held against their hashes as they lie there, as to decode them takes all that games are made of: whoever makes a backup beside a
running server has his players wait for that.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from core.packhash import pack_hash
from server.store import schema

HASH = b"\xc4\x20"  # how msgpack begins 32 bytes
NONE = b"\xc4\x00"
BYTES = 32
WITHOUT_HEAD = "game {game}: what it is was altered, or is missing"
AS_BYTES = "coalesce(CAST({} AS BLOB), x'')"  # whatever damage has made of it
_sorted = msgspec.msgpack.Encoder(order="deterministic").encode


def damages(path: Path) -> list[str]:
    """Return what a store has lost: names and invites, each pack and each game once, with the first entry that does not hold.

    Raises:
        BadInput: it is no store of ours. OSError: it can't be read.
    """
    with schema.reading(path) as store, schema.told(path):
        store.text_factory = schema.as_text
        return [*_of_accounts(store), *_of_packs(store), *_of_games(store)]


def _of_accounts(store: sqlite3.Connection) -> Iterator[str]:
    if not store.execute("SELECT 1 FROM sqlite_schema WHERE name = 'accounts'").fetchone():  # of a server before there were keys
        return
    rows = store.execute(f"SELECT number, {AS_BYTES.format('act')} FROM accounts ORDER BY number")
    broken = next((expected for expected, (number, act) in enumerate(rows) if number != expected or not _is_record(act)), None)
    if broken is not None:
        yield f"names and invites: act {broken} was altered, or is missing, without which no server starts"


def _of_packs(store: sqlite3.Connection) -> Iterator[str]:
    for (pack,) in store.execute("SELECT DISTINCT pack FROM packs ORDER BY pack").fetchall():
        files = dict(store.execute(f"SELECT CAST(name AS TEXT), {AS_BYTES.format('data')} FROM packs WHERE pack = ?", (pack,)).fetchall())
        if pack_hash(files) != pack:
            games = [str(game) for (game,) in store.execute("SELECT game FROM games WHERE pack = ? ORDER BY game", (pack,))]
            yield f"the scenario pack of hash {pack[:12]}… was altered, with which these games can't go on: {', '.join(games) or 'none'}"


def _of_games(store: sqlite3.Connection) -> Iterator[str]:
    has_pack = "EXISTS (SELECT 1 FROM packs WHERE packs.pack = games.pack)"
    for game, head, has in store.execute(f"SELECT game, {AS_BYTES.format('head')}, {has_pack} FROM games ORDER BY game").fetchall():
        if not has:
            yield f"game {game}: the scenario pack that it names is not here"
        if not _is_record(head):
            yield WITHOUT_HEAD.format(game=game)
        query = f"SELECT number, {AS_BYTES.format('entry')} FROM entries WHERE game = ? ORDER BY number"
        broken = first_broken(store.execute(query, (game,)))
        if broken is not None:
            yield f"game {game}: entry {broken} was altered, or is missing"
    for (game,) in store.execute("SELECT DISTINCT game FROM entries WHERE game NOT IN (SELECT game FROM games) ORDER BY game").fetchall():
        yield WITHOUT_HEAD.format(game=game)


def _is_record(data: bytes) -> bool:
    try:
        return isinstance(msgspec.msgpack.decode(data), dict)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False


def first_broken(entries: Iterable[tuple[int, bytes]]) -> int | None:
    """Return the number of the first entry that does not hold, or is missing; None if all follow one another.

    The last three fields of an entry are the hash of the one before it, that of the entry after which its order waited, and its own.
    """
    last = bytes(BYTES)
    for expected, (number, entry) in enumerate(entries):
        bare, own = entry[: -len(HASH) - BYTES], entry[-BYTES:]
        befores = [bare[: -len(HASH) - BYTES], *([bare[: -len(NONE)]] if bare.endswith(NONE) else [])]  # as a hash may end, too
        follows = any(before.endswith(HASH + last) for before in befores)
        if number != expected or not follows or not _holds(entry, bare, own):
            return expected
        last = own
    return None


def _holds(entry: bytes, bare: bytes, own: bytes) -> bool:
    if hashlib.sha256(bare + NONE).digest() == own:
        return True
    try:  # what has names in it lies there in another order than it was hashed in
        fields = msgspec.msgpack.decode(entry)
    except msgspec.DecodeError:
        return False
    return isinstance(fields, list) and (hashlib.sha256(_sorted([*fields[:-1], b""])).digest() == own or _is_its_digest(entry, own))


def _is_its_digest(entry: bytes, own: bytes) -> bool:
    """Say whether a hash is that of the entry as it is decoded, before it is called altered."""
    from core.log import Entry  # only here: it takes half a second, and hardly any store needs it
    from core.shapes import decoder

    try:
        return bool(decoder(Entry).decode(entry).digest() == own)
    except (msgspec.MsgspecError, ValueError):
        return False
