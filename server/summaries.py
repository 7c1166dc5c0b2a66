"""What a server keeps of a game that it puts away, so that its next start needs not read the game: its line of the lobby, for one.

A summary is a cache. It is used only while the log ends where it did then, and only where nothing waits for the server: games whose clock
runs, whose order waits for its dice or that were answered ahead are read at each start. Whoever asks for a game has it read and checked in
any case.
"""

from __future__ import annotations

import msgspec

from core.protocol import GameLine
from core.shapes import decoder
from server.rooms import Room
from server.store.contract import Glance


class Summary(msgspec.Struct, frozen=True):
    """A game as it was put away.

    Attributes:
        program: what made this: another version may make another line of the same log.
        line: its line of the lobby, with nobody online.
        last: the hash of the log's last entry.
        k: the last number that was spent on chance.
        keeper: the key of the server that keeps the log, as the log knows it.
        is_due: whether the next start has something to do for it.
    """

    program: str
    line: GameLine
    last: bytes
    k: int
    keeper: str
    is_due: bool


_encode = msgspec.msgpack.Encoder().encode
_summaries = decoder(Summary)


def summary_of(room: Room, line: GameLine, *, program: str, is_due: bool) -> bytes:
    """Return what is kept of a game that is put away, and of its line."""
    log = room.match.log
    return _encode(Summary(program, line, log.last_hash, log.k, room.keeper_key, is_due))


def true_line(glance: Glance, *, program: str, keeper: str) -> GameLine | None:
    """Return a game's line if its summary is true and nothing of it is due; None if the game must be read.

    Args:
        program: this server's.
        keeper: its key.
    """
    if not glance.summary or glance.last is None or glance.has_answers:
        return None
    try:
        known: Summary = _summaries.decode(glance.summary)
    except msgspec.MsgspecError:  # another version's
        return None
    is_true = (known.line.game, known.program, known.last) == (glance.game, program, glance.last.hash)
    is_mine = known.keeper in ("", keeper)
    return known.line if is_true and is_mine and not known.is_due and glance.k <= known.k else None
