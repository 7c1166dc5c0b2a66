"""Recheck a whole game from its file: hash chain, dice, table acts, fold, and every order decided again.

The hash chain alone says only that nobody changed the file since it was sealed; whoever keeps a log could seal another. So nothing in an
entry is believed that could have been chosen freely: its number *k* is the next, its links are those of the published chains, the entry
after which it began to wait is one before it with nothing but table acts between, and it follows from today's rules.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from core.dice import Stream, fits
from core.errors import BadInput, Refused
from core.fold import fold_all
from core.game import Dice, NeedsDice, StopDice, begin, decide
from core.gamefile import GameFile, open_match
from core.log import ROOT, Consent, Entry, Log, Offer, Pending, Rewind, Seat
from core.match import Match
from core.position import Position
from core.ruleset import Ruleset
from core.rulesets import load
from core.units import Side
from core.views import View

SHOWN = 200
FAR = 100_000  # links that are hashed at most to bridge a gap, whatever a file claims


class Finding(msgspec.Struct, frozen=True):
    """One thing that is not as it should be; *kind* is ``dice``, ``table``, ``events`` or ``rules``."""

    entry: int
    kind: str
    text: str


class Report(msgspec.Struct, frozen=True):
    """What was checked, and what was found."""

    entries: int
    orders: int
    rolls: int
    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        """Say whether nothing was found."""
        return not self.findings


def verify(
    file: GameFile, *, progress: Callable[[int, int], None] | None = None, load: Callable[[str], Ruleset] = load
) -> Report:
    """Recheck a game file whose form and hash chain `core.gamefile.read` has checked.

    Args:
        progress: called with (entries done, entries).
        load: finds a ruleset by its name.

    Raises:
        BadInput: the file can't be played at all: unknown ruleset, faulty pack, events at its head that don't follow.
    """
    match = open_match(file, clock=lambda: 0, load=load)
    return _Recheck(file, match).run(progress)


class _Recheck:
    """One pass over a file.

    Attributes:
        log: the entries that were passed.
        seats: who held them then.
        bad: entries whose events, or those of an entry before them, don't fold.
    """

    def __init__(self, file: GameFile, match: Match) -> None:
        self.file, self.match = file, match
        self.log = Log()
        self.seats: dict[Side, str] = dict.fromkeys(match.setting.sides, "")
        self.bad: set[int] = set()
        self.links = {end.participant: end.end for end in file.head.chains}
        self.findings: list[Finding] = []
        self.orders = self.rolls = self.k = 0

    def run(self, progress: Callable[[int, int], None] | None) -> Report:
        """Pass over the file and report."""
        for entry in self.file.entries:
            self._check_chance(entry)
            self._check_table(entry)
            if entry.bears_order:
                self.orders += 1
                self._check_order(entry)
            self.log.add_checked(entry)
            if progress is not None:
                progress(entry.number + 1, len(self.file.entries))
        if not self.file.entries:
            self.findings.append(Finding(0, "events", "the game was never set up"))
        if self.file.pending is not None:
            self._check_pending(self.file.pending)
        return Report(len(self.file.entries), self.orders, self.rolls, tuple(self.findings))

    def _find(self, entry: Entry, kind: str, text: str) -> None:
        self.findings.append(Finding(entry.number, kind, text))

    # ---------------------------------------------------------------- chance

    def _check_chance(self, entry: Entry) -> None:
        if not entry.k:
            if entry.links or entry.pending:
                self._find(entry, "dice", "it shows links, and no number that they are of")
            return
        self.rolls += 1
        if entry.k != self.k + 1:
            self._find(entry, "dice", f"its number is {entry.k}, and the next one was {self.k + 1}")
        if not self._waited_after(entry.pending):
            self._find(entry, "dice", "it waited for chance after no entry of this moment")
        if entry.links.keys() != self.links.keys() or not self.links:
            shown, published = ", ".join(sorted(entry.links)) or "nobody", ", ".join(sorted(self.links)) or "nobody"
            self._find(entry, "dice", f"it shows links of {shown}; chains were published by {published}")
        for end in self.file.head.chains:
            self._check_link(entry, end.participant, end.links)
        self.k = max(self.k, entry.k)

    def _check_link(self, entry: Entry, participant: str, links: int) -> None:
        new, gap = entry.links.get(participant), entry.k - self.k
        if new is None or entry.k > links or not 0 < gap <= FAR or not fits(new, self.links[participant], gap=gap):
            self._find(entry, "dice", f"the link {entry.k} of {participant} does not fit its chain")
        else:
            self.links[participant] = new

    def _waited_after(self, before: bytes) -> bool:
        """Say whether *before* is the hash of the last entry, or of one that only table acts without a rewind followed."""
        if before == self.log.last_hash:
            return True
        for entry in reversed(self.log.entries):
            if entry.hash == before:
                return True
            if entry.moves:
                return False
        return False

    def _check_pending(self, pending: Pending) -> None:
        where = Finding(len(self.log), "dice", "the waiting order does not belong to the end of the log")
        sides = self.match.setting.sides
        fits_in = pending.k == self.k + 1 and pending.parent == self.log.head and self._waited_after(pending.before)
        if not fits_in or (self.log.entries and pending.side not in sides):
            self.findings.append(where)

    # ---------------------------------------------------------------- the table

    def _check_table(self, entry: Entry) -> None:
        act = entry.act
        if act is None:
            holder = self.seats.get(entry.side, "")
            if holder and holder != entry.player:
                self._find(entry, "table", f"{entry.player or 'nobody'} ordered, and the seat of {entry.side} was {holder}'s")
            return
        if entry.order or entry.events or entry.k:
            self._find(entry, "table", "a table act bears an order, events or chance")
        if isinstance(act, Seat):
            self.seats[act.side] = act.player
        elif isinstance(act, Rewind) and not self._may_rewind(entry, act.to):
            self._find(entry, "table", f"it goes back to entry {act.to}, and nobody was asked")

    def _may_rewind(self, entry: Entry, to: int) -> bool:
        if all(holder in ("", entry.player) for holder in self.seats.values()):
            return True
        if self.log.undo_is_free(to, entry.side) and self.seats.get(entry.side) == entry.player:
            return True
        last = self.log.entries[-1] if self.log.entries else None
        if last is None or not isinstance(last.act, Consent) or not last.act.yes:
            return False
        asked = self.log.entries[last.act.offer].act if 0 <= last.act.offer < len(self.log) else None
        other = last.side != entry.side and self.seats.get(last.side) == last.player
        return other and isinstance(asked, Offer) and (asked.what, asked.to) == ("rewind", to)

    # ---------------------------------------------------------------- the rules

    def _check_order(self, entry: Entry) -> None:
        if entry.parent != self.log.head:
            self._find(entry, "events", f"it was decided at entry {entry.parent}, and the head was {self.log.head}")
        if bool(entry.order) != (entry.parent != ROOT):
            self._find(entry, "events", "it bears an order" if entry.order else "it bears no order, and the game had begun")
        if entry.parent in self.bad:
            self.bad.add(entry.number)
            return
        position = self.match.log.seek(entry.parent) if entry.parent != ROOT else Position()
        recorded = position.copy()
        try:
            fold_all(recorded, entry.events)
        except Exception as error:  # a forger's events may break anywhere
            self.bad.add(entry.number)
            self._find(entry, "events", f"its events don't follow from one another: {type(error).__name__}: {error}")
            return
        try:
            self._decide_again(entry, position, recorded)
        except Exception as error:  # nor do rules promise anything of a position that could never come
            self._find(entry, "rules", f"it can't be decided again: {type(error).__name__}: {error}")

    def _decide_again(self, entry: Entry, position: Position, recorded: Position) -> None:
        """Decide an order as today's rules would, and compare."""
        view, dice = View(self.match.setting, position), _stream(self.match, entry)
        try:
            order = self.match.codec.decode(entry.order) if entry.order else None
            decided = begin(self.match.setting, dice) if order is None else decide(view, entry.side, order, dice)
        except Refused as refused:
            self._find(entry, "rules", f"the order is refused today: {refused}")
        except NeedsDice:
            self._find(entry, "dice", "the order needs chance, and the entry shows none")
        except BadInput as error:
            self._find(entry, "rules", f"the order can't be read: {error}")
        else:
            if decided.events != entry.events:
                self._find(entry, "rules", _difference(decided.events, entry.events))
            elif recorded.digest() != decided.position.digest():
                self._find(entry, "events", "its events fold to another position")


def _stream(match: Match, entry: Entry) -> Dice:
    if not entry.k:
        return StopDice()
    pending = Pending(entry.side, entry.player, entry.order, entry.parent, entry.k, entry.pending, entry.signature)
    return Stream(entry.links, game=match.game, k=entry.k, pending=pending.digest())


def _difference(today: tuple[object, ...], then: tuple[object, ...]) -> str:
    for number, (new, old) in enumerate(zip(today, then, strict=False)):
        if new != old:
            return f"event {number} is {_short(new)} today, and {_short(old)} in the file"
    return f"{len(today)} events today, {len(then)} in the file"


def _short(event: object) -> str:
    shown = repr(event)
    return shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}…"
