"""Whether a side may go back, or forward again, without asking in a game with secrets: by what it was told on the way, and no more.

What else happened in its orders makes no difference, as whether it must ask would tell it of that: a die that only the other side sees,
an explanation that is none of its business.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from core.cutting import TOLD, Cut
from core.events import CupFilled, Drawn, Event, Explained, FramePushed, Revealed, Rolled, Shown
from core.hidden import Eye
from core.log import Entry, Log

SHOWS = (Rolled, Drawn, Revealed, Explained, FramePushed, CupFilled)


class _Named(msgspec.Struct):
    order: str


_decoder = msgspec.msgpack.Decoder(_Named)


def is_free(log: Log, to: int, eye: Eye) -> bool:
    """Say whether who sees by *eye* may go from the head to an entry unasked: all on the way is his own, and told him nothing new.

    The way leads back to where both were decided, and forward from there: so what he has done since, unseen, makes no difference for the
    others where nothing of it keeps him from going back.
    """
    if not (0 <= to < len(log.entries) and log.entries[to].bears_order):
        return False
    here, there = log.head, to
    back, forward = list[Entry](), list[Entry]()
    while here != there:
        is_ahead = log.depth(here) > log.depth(there)
        entry = log.entries[here if is_ahead else there]
        if entry.side != eye.viewer or _may_hide_chance(entry, eye):
            return False
        if is_ahead:
            back.append(entry)
            here = entry.parent
        else:
            forward.append(entry)
            there = entry.parent
    return not any(_tells(log, way[::-1], eye) for way in (back, forward))


def _may_hide_chance(entry: Entry, eye: Eye) -> bool:
    try:
        return not entry.order or _decoder.decode(entry.order).order in eye.secrets.unseen_chance
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):  # nobody's program made it
        return True


def _tells(log: Log, way: list[Entry], eye: Eye) -> bool:
    """Say whether entries, each at the one before, told their side anything that it could not foresee."""
    if not way:
        return False
    if any(type(event) in TOLD for entry in way for event in entry.events):  # a log that is cut for somebody
        return True
    cut = Cut(eye, log.seek(way[0].parent))
    return any(_shows(cut.take_all(entry.events), eye) for entry in way)


def _shows(told: Iterable[Event], eye: Eye) -> bool:
    """Say whether anything told is of chance, of a secret or another's: only of what is his own it may say how it stands."""
    for event in told:
        is_own = isinstance(event, Shown) and eye.owns(event.unit) and not event.chit
        if isinstance(event, SHOWS) or (type(event) in TOLD and not is_own):
            return True
    return False
