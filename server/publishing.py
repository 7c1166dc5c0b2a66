"""What followers of a game are sent: what they miss of it, what comes, and its scenario pack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from core import protocol
from core.errors import BadInput
from core.log import Entry
from server.rooms import Room
from server.sessions import Session, Sessions
from server.store import Store

BUNCH = 64 << 10  # bytes of entries in one message, but for an entry that alone is larger


def publish(sessions: Sessions, room: Room, entries: Iterable[Entry]) -> None:
    """Send new entries to whoever follows the game."""
    game = room.stored.game
    for some in in_bunches(entries):
        data = protocol.encode(protocol.NewEntries(game, some))
        for session in sessions.followers(game):
            sessions.send_bytes(session, data)


async def follow(sessions: Sessions, room: Room, session: Session, after: int) -> None:
    """Send what is missing, then count the peer among the followers; no entry can come in between."""
    game = room.stored.game
    session.follows.discard(game)
    entries = room.match.log.entries
    if not sessions.send(session, protocol.Opened(game, room.head, room.stored.pack, len(entries) - 1)):
        return
    at = after + 1
    while at < len(entries):
        some = next(in_bunches(entries[at:]))
        if not await sessions.send_patiently(session, protocol.NewEntries(game, some)):
            return
        at += len(some)
    session.follows.add(game)


async def send_pack(sessions: Sessions, store: Store, session: Session, digest: str) -> None:
    """Send a scenario pack piece by piece; BadInput if the store has none of this hash."""
    files = store.pack(digest)
    if not files:
        raise BadInput.one("pack", "the hash of a pack of this server", digest)
    size = protocol.PACK_PART
    pieces = [(name, data[at : at + size]) for name, data in sorted(files.items()) for at in range(0, max(len(data), 1), size)]
    for number, (name, piece) in enumerate(pieces, 1):
        if not await sessions.send_patiently(session, protocol.PackPart(digest, name, piece, len(pieces) - number)):
            return


def in_bunches(entries: Iterable[Entry]) -> Iterator[tuple[Entry, ...]]:
    """Yield entries in bunches, so that a long game is few messages."""
    bunch: list[Entry] = []
    size = 0
    for entry in entries:
        bytes_ = len(msgspec.msgpack.encode(entry))
        if bunch and size + bytes_ > BUNCH:
            yield tuple(bunch)
            bunch, size = [], 0
        bunch.append(entry)
        size += bytes_
    if bunch:
        yield tuple(bunch)
