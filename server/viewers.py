"""Who may see what of a game: which viewer a player is, the entries that he is sent, and numbers between his count and the log's.

Where the rules hide nothing, where somebody plays all sides and after the end, viewers get the entries as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from core import protocol
from core.errors import Refused
from core.events import GameEnded
from core.hidden import OPEN, PUBLIC
from core.log import ROOT, Entry
from core.match import Match
from core.seen import POINTS_TO_ENTRY, POINTS_TO_POSITION, SeenEntry, SeenLog
from core.text import Text
from core.units import Side

BUNCH = 64 << 10  # bytes of entries in one message, but for an entry that alone is larger
NUMBERS = (POINTS_TO_POSITION, POINTS_TO_ENTRY, "entry", "seq", "now", "number", "last")  # arguments of refusals that are entries' numbers

E = TypeVar("E", Entry, SeenEntry)
F = TypeVar("F", bound=protocol.Frame)


class Viewers:
    """What the viewers of one game may know of its log.

    Args:
        match: the game, as its keeper sees it.

    Attributes:
        hides: whether the game's rules keep anything from anybody.
        opened: whether all lies open since the game was over; a rewind hides nothing again.
    """

    def __init__(self, match: Match) -> None:
        self.match = match
        self.hides = bool(match.setting.ruleset.secrets)
        self.opened = False
        self._logs: dict[Side, SeenLog] = {}
        self._looked_at = 0

    # ---------------------------------------------------------------- who sees what

    def viewer(self, sides: Collection[Side], *, over: bool = False) -> Side:
        """Return the viewer that somebody is who plays these sides.

        Args:
            over: the table has ended the game; an end by the rules is seen here.
        """
        self._look_for_end()
        self.opened = self.opened or over
        if not self.hides or self.opened or set(sides) >= set(self.match.setting.sides):
            return OPEN
        return min(sides) if len(sides) == 1 else PUBLIC

    def _look_for_end(self) -> None:
        entries = self.match.log.entries
        while self._looked_at < len(entries) and not self.opened:
            self.opened = any(isinstance(event, GameEnded) for event in entries[self._looked_at].events)
            self._looked_at += 1

    def _seen(self, viewer: Side) -> SeenLog:
        """Return a viewer's log, up to date."""
        assert viewer != OPEN, "an open view needs no log of its own"
        if viewer not in self._logs:
            self._logs[viewer] = SeenLog(self.match.setting, self.match.log, viewer)
        self._logs[viewer].grow()
        return self._logs[viewer]

    # ---------------------------------------------------------------- entries

    def entries(self, viewer: Side) -> Sequence[Entry] | Sequence[SeenEntry]:
        """Return all that a viewer may know of the log, by his numbers."""
        return self.match.log.entries if viewer == OPEN else self._seen(viewer).entries

    def last(self, viewer: Side) -> int:
        """Return a viewer's number of the last entry that he may know of."""
        return len(self.entries(viewer)) - 1

    def frames(self, viewer: Side, after: int, *, upto: int | None = None) -> Iterator[protocol.NewEntries | protocol.SeenEntries]:
        """Yield the entries behind his number *after*, up to *upto* if one is named, in messages of some size."""
        entries, game = self.entries(viewer), self.match.game
        some = entries[max(after, ROOT) + 1 : len(entries) if upto is None else upto + 1]
        if viewer == OPEN:
            yield from (protocol.NewEntries(game, bunch) for bunch in bunches(some))  # type: ignore[type-var]
        else:
            yield from (protocol.SeenEntries(game, viewer, bunch) for bunch in bunches(some))  # type: ignore[type-var]

    # ---------------------------------------------------------------- numbers

    def seq(self, viewer: Side) -> int:
        """Return a viewer's number of the last entry that moved the game for him."""
        return self.match.log.moved_at if viewer == OPEN else self._seen(viewer).moved_at

    def number(self, viewer: Side, true: int) -> int:
        """Return a viewer's number of an entry of the log."""
        return true if viewer == OPEN else self._seen(viewer).number(true)

    def true(self, viewer: Side, number: int) -> int:
        """Return the log's number of an entry of a viewer's; Refused if he knows none of this number."""
        return number if viewer == OPEN else self._seen(viewer).true(number)

    def understood(self, viewer: Side, frame: F) -> F:
        """Return a frame that names entries by a viewer's numbers with those of the log; Refused if he knows no such entry."""
        named = [field for field in (POINTS_TO_POSITION, POINTS_TO_ENTRY) if field in frame.__struct_fields__]
        if viewer == OPEN or not named:
            return frame
        return msgspec.structs.replace(frame, **{field: self.true(viewer, getattr(frame, field)) for field in named})

    def told(self, viewer: Side, refused: Refused) -> Refused:
        """Return a refusal whose words name entries by the log's numbers with those of the viewer."""
        if viewer == OPEN:
            return refused
        args: Mapping[str, Any] = refused.text.args
        mine = {name: self.number(viewer, value) if name in NUMBERS and isinstance(value, int) else value for name, value in args.items()}
        return Refused(refused.rule, Text(refused.text.template, mine))

    def undo_is_free(self, side: Side, to: int) -> bool:
        """Say whether a side may go back to *to* (of the log) without asking.

        Where anything is hidden it is so only while the side itself is to act: else an order of the other side that this one can't see
        would make the difference, and tell that there was one.
        """
        free = self.match.log.undo_is_free(to, side)
        return free and (not self.hides or self.match.view.side_to_act() in (side, ""))


def bunches(entries: Sequence[E]) -> Iterator[tuple[E, ...]]:
    """Yield entries in bunches, so that a long game is few messages."""
    bunch: list[E] = []
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
