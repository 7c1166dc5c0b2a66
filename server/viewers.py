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
from core.identity import order_message
from core.log import ROOT, Admit, AnyAct, Entry, Offer, Rewind, Seat
from core.match import Match
from core.seen import POINTS_TO_ENTRY, POINTS_TO_POSITION, SeenEntry, SeenLog
from core.signed import CROSSED, SeenUndo, left_at, order_bytes, undo_by_the_log
from core.table import waited_since
from core.terms import CLOSED, TABLE
from core.text import Text, text
from core.units import Side

BUNCH = 64 << 10  # bytes of entries in one message, but for an entry that alone is larger
NUMBERS = (POINTS_TO_POSITION, POINTS_TO_ENTRY, "entry", "seq", "now", "number", "last")  # arguments of refusals that are entries' numbers

F = TypeVar("F", bound=msgspec.Struct)


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
        self._waited: dict[tuple[Side, Side], tuple[int, int]] = {}  # viewer and side → the last entry, since when the side was waited for

    # ---------------------------------------------------------------- who sees what

    def viewer(self, sides: Collection[Side], *, over: bool = False) -> Side:
        """Return the viewer that somebody is who plays these sides.

        Args:
            over: the table has ended the game; an end by the rules is seen here.
        """
        if not self.hides:
            return OPEN
        self._look_for_end()
        self.opened = self.opened or over
        if self.opened or set(sides) >= set(self.match.setting.sides):
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
            self._logs[viewer] = SeenLog(self.match.setting, self.match.log, viewer, version=self.match.table_version)
        self._logs[viewer].grow()
        return self._logs[viewer]

    # ---------------------------------------------------------------- entries

    def entries(self, viewer: Side) -> Sequence[Entry] | Sequence[SeenEntry]:
        """Return all that a viewer may know of the log, by his numbers."""
        return self.match.log.entries if viewer == OPEN else self._seen(viewer).entries

    def last(self, viewer: Side) -> int:
        """Return a viewer's number of the last entry that he may know of."""
        return len(self.entries(viewer)) - 1

    def hash_of(self, viewer: Side, number: int) -> bytes:
        """Return the true hash of an entry of a viewer's, as he is told it; nothing if he knows none of this number."""
        entries = self.entries(viewer)
        if not 0 <= number < len(entries):
            return b""
        entry = entries[number]
        return entry.hash if isinstance(entry, Entry) else entry.commitment

    def last_hashes(self, viewer: Side, act: AnyAct) -> list[bytes]:
        """Return the true hashes of the entries of which a viewer may have known one last when he signed an act.

        None for who is told all, whose hashes are the log's own; none from before another server kept it, but where he left his seat
        before. They are counted by his numbers, and as he left by his side's: else he could find out by trying how much was done unseen.
        """
        if viewer == OPEN:
            return []
        first = max(0, self.last(viewer) + 1 - CROSSED, self.number(viewer, self.match.witnesses.kept_since))
        known = [(viewer, number) for number in range(first, self.last(viewer) + 1)]
        if isinstance(act, Seat) and (left := left_at(self.match.witnesses, act)) is not None:
            then = self.number(act.side, left)
            known += [(act.side, number) for number in range(max(0, then + 1 - CROSSED), then + 1)]
            known += [(viewer, number) for number in range(min(CROSSED, first))]
        return [self.hash_of(*one) for one in known]

    def frames(self, viewer: Side, after: int, *, upto: int | None = None) -> Iterator[protocol.NewEntries | protocol.SeenEntries]:
        """Yield the entries behind his number *after*, up to *upto* if one is named, in messages of some size."""
        entries, game = self.entries(viewer), self.match.game
        some = entries[max(after, ROOT) + 1 : len(entries) if upto is None else upto + 1]
        if viewer == OPEN:
            yield from (protocol.NewEntries(game, bunch) for bunch in bunches(some))  # type: ignore[arg-type]
        else:
            yield from (protocol.SeenEntries(game, viewer, bunch) for bunch in bunches(some))  # type: ignore[arg-type]

    def waited_since(self, viewer: Side, side: Side) -> int:
        """Return since when the game has been waiting for a side, as far as a viewer can tell."""
        log = self.match.log if viewer == OPEN else self._seen(viewer)
        since = waited_since(log, side, self._waited.get((viewer, side), (ROOT, 0)))
        self._waited[viewer, side] = (log.moved_at, since)
        return since

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
        if viewer == OPEN:
            return frame
        changes: dict[str, Any] = {field: self.true(viewer, number) for field, number in named_entries(frame).items()}
        if "act" in frame.__struct_fields__:
            changes["act"] = self.understood(viewer, frame.act)  # type: ignore[attr-defined]
        return msgspec.structs.replace(frame, **changes) if changes else frame

    def told(self, viewer: Side, refused: Refused) -> Refused:
        """Return a refusal with the log's entry numbers replaced by the viewer's."""
        if viewer == OPEN:
            # What `understood` and `check_is_present` refuse is in his numbers, and never comes here. A copy, as it is raised from this.
            return Refused(refused.rule, refused.text)
        args: Mapping[str, Any] = refused.text.args
        mine = {name: self.number(viewer, value) if name in NUMBERS and isinstance(value, int) else value for name, value in args.items()}
        return Refused(refused.rule, Text(refused.text.template, mine))

    # ---------------------------------------------------------------- orders and acts

    def check_is_present(self, viewer: Side, seq: int) -> None:
        """Refuse what was made at another entry than the last one that moved the game, by a viewer's numbers."""
        now = self.seq(viewer)
        if seq != now:
            raise Refused("", text("the order was made at entry {seq}, and the game has gone on to {now}", seq=seq, now=now))

    def order_bytes(self, viewer: Side, side: Side, order: bytes) -> bytes:
        """Return what a viewer signs with an order that he gives now."""
        if viewer == OPEN:
            return order_bytes(self.match.log, self.match.game, side, order)
        seen = self._seen(viewer)
        return order_message(self.match.game, side, seen.moved_at, seen.commitment(seen.moved_at), order)

    def undo(self, viewer: Side, act: Rewind) -> list[SeenUndo]:
        """Return how a viewer sees going back now: by his own numbers alone, else he could find out the log's by trying."""
        if viewer == OPEN:
            return [undo_by_the_log(self.match.log, act)]
        seen = self._seen(viewer)
        mine = seen.by_his_numbers(act)
        assert isinstance(mine, Rewind), "an act stays what it is"
        return [SeenUndo(seen.moved_at, seen.commitment(seen.moved_at), mine.to)]

    def by_his_numbers(self, viewer: Side, act: AnyAct) -> AnyAct:
        """Return an act of the log as a viewer names it."""
        return act if viewer == OPEN else self._seen(viewer).by_his_numbers(act)

    def lets_undo(self, player: str, side: Side) -> bool:
        """Say whether a side may take orders back without asking, as far as secrets go: while it is to act itself.

        Else an order of the other side that this one can't see would make the difference, and tell that there was one.
        """
        viewer = self.viewer(self.match.table.sides_of(player))
        return viewer == OPEN or self.match.view.side_to_act() in (side, "")

    def permit(self, act: AnyAct, player: str, side: Side, *, by_referee: bool = False) -> None:
        """Refuse an act that the game's secrets forbid, whatever else would allow it.

        Raises:
            Refused: somebody would sit where he knows the other side's secrets; or the game would go on after all of them lay open.
        """
        if not self.hides:
            return
        if isinstance(act, Seat) and act.player:
            self._permit_seat(act, by_referee=by_referee and act.player != player)  # nobody vouches for himself
        elif self.opened and (isinstance(act, Rewind) or (isinstance(act, Offer) and act.what == "rewind")):
            raise Refused("", text("the game is over, and its secrets lie open: it can't go on"))
        elif isinstance(act, Rewind) and side and not self.lets_undo(player, side):
            raise Refused("", text("the others must agree to go back to entry {to}", to=act.to))

    def check_target(self, to: int, viewer: Side) -> None:
        """Refuse to go to where the game stands as far as a viewer can tell.

        To be asked before anything else is: whatever else was said would tell him that something happened since which he can't see.
        """
        if viewer != OPEN and to != ROOT and self._seen(viewer).position_number(to) == self._seen(viewer).head:
            raise Refused("", text("the game stands at entry {to}", to=to))

    def _permit_seat(self, act: Seat, *, by_referee: bool) -> None:
        table, acts = self.match.table, list(self.match.log.acts())
        held = {entry.act.side for entry in acts if isinstance(entry.act, Seat) and entry.act.player == act.player}
        left = held - {act.side} - set(table.sides_of(act.player))
        if left and not self.opened:
            raise Refused("", text("{player} has seen what {side} keeps secret", player=act.player, side=min(left)))
        if not by_referee and not self.opened and (other := self._who_knows(act.side, but=act.player)):
            words = "{player} has seen what {side} keeps secret, and plays against it; only a referee gives somebody its seat"
            raise Refused("", text(words, player=other, side=act.side))
        shown = {self.match.terms.spectators.view, *(entry.act.spectators.view for entry in acts if isinstance(entry.act, Admit))}
        looked_on = table.begun and any(map(_may_hide, self.match.log.entries)) and not self.opened and not table.sides_of(act.player)
        if looked_on and not by_referee and shown - {TABLE, CLOSED, act.side}:
            raise Refused("", text("who looks on here sees what is kept secret; only a referee gives somebody a seat now"))

    def _who_knows(self, side: Side, *, but: str) -> str:
        """Return who plays against a side at which he has sat since it could have secrets, empty if nobody does."""
        held: dict[tuple[Side, str], str] = {}
        known, hides = set[str](), False
        for entry in self.match.log.entries:
            if isinstance(entry.act, Seat):
                held[entry.act.side, entry.act.seat] = entry.act.player
            hides = hides or _may_hide(entry)
            known |= {player for (at, _), player in held.items() if at == side} if hides else set()
        return next((player for player in sorted(known - {"", but}) if set(self.match.table.sides_of(player)) - {side}), "")


def _may_hide(entry: Entry) -> bool:
    """Say whether an entry may hold secrets: an order, or a set-up in which chance fell. What else is set up everybody can read."""
    return bool(entry.order or entry.k)


def named_entries(frame: msgspec.Struct) -> dict[str, int]:
    """Return the fields of a frame or act that name entries by their numbers, with these."""
    return {field: getattr(frame, field) for field in (POINTS_TO_POSITION, POINTS_TO_ENTRY) if field in frame.__struct_fields__}


def bunches(things: Sequence[F], *, most: int = BUNCH) -> Iterator[tuple[F, ...]]:
    """Yield entries or lines in bunches of *most* bytes, one at least: so a long game is few messages, and none of them too large."""
    if len(things) == 1:  # as after most orders
        yield tuple(things)
        return
    bunch: list[F] = []
    size = 0
    for thing in things:
        bytes_ = len(msgspec.msgpack.encode(thing))
        if bunch and size + bytes_ > most:
            yield tuple(bunch)
            bunch, size = [], 0
        bunch.append(thing)
        size += bytes_
    if bunch:
        yield tuple(bunch)
