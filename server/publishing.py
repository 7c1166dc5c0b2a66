"""What followers of a game are sent: what they miss of it, what comes, and its scenario pack."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from core import protocol
from core.errors import BadInput, Refused
from core.log import ROOT, Entry
from core.text import text
from core.units import Side
from server import spectators
from server.rooms import Room
from server.sessions import Session, Sessions
from server.store.contract import Store
from server.viewers import named_entries

CLOSED = text(protocol.CLOSED)
AT_ONCE = 200  # entries that somebody is sent in one go: more, as when a game ends that was closed to him, would end his line as unread


def publish(sessions: Sessions, room: Room, entries: Iterable[Entry] = ()) -> None:
    """Send to each follower of a game what he may see of it by now and was not sent yet; *entries* are what is new in the log."""
    now, made = spectators.moment(room), Encoded(room)
    for session in sessions.followers(room.stored.game):
        seen = spectators.sight(room, session.player, now)
        if not seen.is_closed:
            _send_new(sessions, room, session, seen, made)
        elif session.sent.pop(room.stored.game, None) is not None:
            sessions.send(session, protocol.NotAccepted(room.stored.game, "", "", CLOSED))
    if any(True for _ in entries):
        room.stirred()


def viewer(room: Room, player: str) -> Side:
    """Return as which viewer somebody sees a game now."""
    return spectators.sight(room, player, room.now_ms()).viewer


def permit_numbers(room: Room, session: Session, frame: protocol.Frame) -> None:
    """Refuse what names entries that somebody is shown later, before an answer could tell that they are there, or what they are."""
    seen = spectators.sight(room, session.player, room.now_ms())
    if seen.upto is None and not seen.is_closed:
        return
    known = last_seen(room, seen)
    for number in (*named_entries(frame).values(), *named_entries(getattr(frame, "act", frame)).values()):
        if number > known:
            raise Refused("", text("you know no entry {number}", number=number))


class Encoded:
    """Bytes of what several followers are sent alike, made once."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._made: dict[tuple[Side, int, int], list[bytes]] = {}

    def frames(self, viewer: Side, after: int, upto: int) -> list[bytes]:
        """Return the messages with a viewer's entries behind *after*, up to *upto*."""
        key = (viewer, after, upto)
        if key not in self._made:
            self._made[key] = [protocol.encode(frame) for frame in self._room.viewers.frames(viewer, after, upto=upto)]
        return self._made[key]


def told_number(room: Room, player: str, true: int) -> int:
    """Return the number by which somebody is told of an entry of his own: of one that he is shown later, that of the last he may see."""
    seen = spectators.sight(room, player, room.now_ms())
    return min(room.viewers.number(seen.viewer, true), last_seen(room, seen))


def last_seen(room: Room, seen: spectators.Sight) -> int:
    """Return the last entry that somebody may see, by his numbers; ROOT if he is shown nothing."""
    if seen.is_closed:
        return ROOT
    return room.viewers.last(seen.viewer) if seen.upto is None else room.viewers.number(seen.viewer, seen.upto)


def _send_new(sessions: Sessions, room: Room, session: Session, seen: spectators.Sight, made: Encoded) -> None:
    game, upto = room.stored.game, last_seen(room, seen)
    if game in session.catching_up:  # what came since is sent with that
        return
    viewer, after = session.sent.get(game, (None, ROOT))
    if viewer != seen.viewer:  # he has taken or left a seat, the game is over, or he was sent nothing so far: it begins anew for him
        after = ROOT
        session.waits.pop(game, None)  # nor does he know any more how its seats stand
        sessions.send(session, protocol.Opened(game, room.head, room.stored.pack, upto, seen.viewer))
    if upto - after > AT_ONCE:
        session.sent[game] = (seen.viewer, after)
        sessions.catch_up(session, game, _catch_up(sessions, room, session, seen.viewer, after))
    elif upto > after and all(sessions.send_bytes(session, data) for data in made.frames(seen.viewer, after, upto)):
        session.sent[game] = (seen.viewer, upto)


async def _catch_up(sessions: Sessions, room: Room, session: Session, viewer: Side, after: int) -> None:
    """Send a follower what he misses of a game, as he takes it in."""
    game = room.stored.game
    with room.in_use():
        try:
            async with sessions.sending(session.user):  # over however many lines: by a hundred of them one held all others up
                sent = await _send_missing(sessions, room, session, viewer, after)
        except Refused as closed:
            sessions.send(session, protocol.NotAccepted(game, "", closed.rule, closed.text))
            return
    if sent is not None:
        del session.catching_up[game]
        _is_sent(sessions, room, session, viewer, *sent)


def missing(room: Room, session: Session, frame: protocol.Follow) -> int:
    """Return how many entries somebody is sent who asks for a game so, the one included who says that he knows what is not so."""
    seen = spectators.sight(room, session.player, room.now_ms())
    return max(last_seen(room, seen) - _known(room, seen, frame)[0], 0)


def _known(room: Room, seen: spectators.Sight, frame: protocol.Follow) -> tuple[int, bool]:
    """Return the last entry that is known to who asks for a game, by his numbers, and whether his game is another than this.

    Who says by no hash what he knows is sent all where he may not see so much: how much more there is he is not told.
    """
    at = frame.after if frame.viewer == seen.viewer else ROOT
    goes_past = at > last_seen(room, seen) if not frame.known else room.viewers.hash_of(seen.viewer, at) != frame.known
    another = at != ROOT and goes_past
    return ROOT if another else at, another


async def follow(sessions: Sessions, room: Room, session: Session, frame: protocol.Follow) -> None:
    """Send what is missing, then count the peer among the followers; no entry can come in between.

    Raises:
        Refused: spectators see nothing of the game yet.
    """
    game = room.stored.game
    sessions.unfollow(session, game)
    seen = spectators.sight(room, session.player, room.now_ms())
    if seen.is_closed:
        raise _closed(sessions, session, game)
    viewer = seen.viewer
    at, another = _known(room, seen, frame)
    if not sessions.send(session, protocol.Opened(game, room.head, room.stored.pack, last_seen(room, seen), viewer, another)):
        return
    if (sent := await _send_missing(sessions, room, session, viewer, at)) is not None:
        sessions.follow(session, game)
        _is_sent(sessions, room, session, viewer, *sent)


async def _send_missing(
    sessions: Sessions, room: Room, session: Session, viewer: Side, at: int
) -> tuple[int, spectators.Sight] | None:
    """Send what a viewer misses behind an entry, until nothing is left.

    Returns:
        the last entry that he was sent, and what he sees by then: he may have taken or left a seat meanwhile; None if he is gone.

    Raises:
        Refused: spectators see nothing of the game any more.
    """
    while True:
        seen = spectators.sight(room, session.player, room.now_ms())
        if seen.is_closed:
            raise _closed(sessions, session, room.stored.game)
        if seen.viewer != viewer or (upto := last_seen(room, seen)) <= at:
            return at, seen
        some = next(room.viewers.frames(viewer, at, upto=upto))
        if not await sessions.send_patiently(session, some):
            return None
        at += len(some.entries)
        if room.stored.game in session.follows:  # a pong tells meanwhile how far he was sent it
            session.sent[room.stored.game] = (viewer, at)
        await asyncio.sleep(0)  # others have their turn: of a long game that is ten milliseconds and more


def _is_sent(sessions: Sessions, room: Room, session: Session, viewer: Side, at: int, seen: spectators.Sight) -> None:
    """Note what a follower was sent, and begin anew where he sees the game otherwise by now."""
    session.sent[room.stored.game] = (viewer, at)
    if seen.viewer != viewer:
        _send_new(sessions, room, session, seen, Encoded(room))


def _closed(sessions: Sessions, session: Session, game: str) -> Refused:
    """Count a peer among the followers who is shown nothing: he is sent the game when it ends, or somebody gives him a seat."""
    sessions.follow(session, game)
    session.sent.pop(game, None)
    return Refused("", CLOSED)


async def send_pack(sessions: Sessions, store: Store, session: Session, digest: str, *, after: int = 0) -> None:
    """Send a scenario pack piece by piece, *after* so many, or all if it has no more; BadInput if the store has none of this hash."""
    files = store.pack(digest)
    if not files:
        raise BadInput.one("pack", "the hash of a pack of this server", digest)
    size = protocol.PACK_PART
    pieces = [(name, data[at : at + size]) for name, data in sorted(files.items()) for at in range(0, max(len(data), 1), size)]
    had = after if after < len(pieces) else 0
    for number, (name, piece) in enumerate(pieces[had:], had + 1):
        if not await sessions.send_patiently(session, protocol.PackPart(digest, name, piece, len(pieces) - number)):
            return
