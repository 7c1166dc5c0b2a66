"""Recheck a whole game from its file: hash chain, dice, fold, and every order decided again."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from core.dice import Stream, fits
from core.errors import BadInput, Refused
from core.fold import fold_all
from core.game import Dice, NeedsDice, StopDice, begin, decide
from core.gamefile import GameFile, open_match
from core.log import ROOT, Entry, Pending, Rewind
from core.match import Match
from core.position import Position
from core.ruleset import Ruleset
from core.rulesets import load
from core.views import View


class Finding(msgspec.Struct, frozen=True):
    """One thing that is not as it should be; *kind* is ``dice``, ``events`` or ``rules``."""

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
        BadInput: the file can't be played at all: unknown ruleset, faulty pack.
    """
    match = open_match(file, clock=lambda: 0, load=load)
    findings: list[Finding] = []
    rolls = _check_links(file, match, findings)
    head = ROOT
    orders = 0
    for entry in file.entries:
        if isinstance(entry.act, Rewind):
            head = entry.act.to
        elif entry.bears_order:
            if entry.parent != head:
                findings.append(Finding(entry.number, "events", f"it was decided at entry {entry.parent}, and the head was {head}"))
            orders += 1
            position = match.log.seek(entry.parent) if entry.parent != ROOT else Position()
            _decide_again(match, entry, position, findings)
            head = entry.number
        if progress is not None:
            progress(entry.number + 1, len(file.entries))
    return Report(len(file.entries), orders, rolls, tuple(findings))


def _check_links(file: GameFile, match: Match, findings: list[Finding]) -> int:
    shown = {end.participant: (0, end.end) for end in file.head.chains}
    rolls = 0
    for entry in file.entries:
        if not entry.k:
            continue
        rolls += 1
        for participant, (last, link) in shown.items():
            new = entry.links.get(participant)
            if new is None or entry.k <= last or not fits(new, link, gap=entry.k - last):
                findings.append(Finding(entry.number, "dice", f"the link {entry.k} of {participant} does not fit its chain"))
            else:
                shown[participant] = (entry.k, new)
    return rolls


def _stream(match: Match, entry: Entry) -> Dice:
    if not entry.k:
        return StopDice()
    pending = Pending(entry.side, entry.player, entry.order, entry.parent, entry.k, entry.pending, entry.signature)
    return Stream(entry.links, game=match.game, k=entry.k, pending=pending.digest())


def _decide_again(match: Match, entry: Entry, position: Position, findings: list[Finding]) -> None:
    """Decide an order as today's rules would, and compare."""
    view = View(match.setting, position)
    try:
        dice = _stream(match, entry)
        decided = decide(view, entry.side, match.codec.decode(entry.order), dice) if entry.order else begin(match.setting, dice)
    except Refused as refused:
        findings.append(Finding(entry.number, "rules", f"the order is refused today: {refused}"))
    except NeedsDice:
        findings.append(Finding(entry.number, "dice", "the order needs chance, and the entry shows none"))
    except BadInput as error:
        findings.append(Finding(entry.number, "rules", f"the order can't be read: {error}"))
    else:
        if decided.events != entry.events:
            findings.append(Finding(entry.number, "rules", _difference(decided.events, entry.events)))
        recorded = position.copy()
        fold_all(recorded, entry.events)
        if decided.events == entry.events and recorded.digest() != decided.position.digest():
            findings.append(Finding(entry.number, "events", "its events fold to another position"))


def _difference(today: tuple[object, ...], then: tuple[object, ...]) -> str:
    for number, (new, old) in enumerate(zip(today, then, strict=False)):
        if new != old:
            return f"event {number} is {new} today, and {old} in the file"
    return f"{len(today)} events today, {len(then)} in the file"
