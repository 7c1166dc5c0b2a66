"""Whether what a log says was done at its table could be done then: asked by `verify` of a file, and live by players' programs."""

from __future__ import annotations

from core.errors import BadInput, Refused
from core.events import GameEnded
from core.log import ROOT, Away, ChainPublished, Entry, Fallback, Flag, Late, Log, Rewind, TakenOver
from core.table import Table
from core.table_rules import Moment, Who, is_referee, may_rule, permit

CHECKED_ELSEWHERE = (Rewind, ChainPublished, Fallback, Late, TakenOver)  # with the dice, and with undo


def acts_as_referee(table: Table, log: Log, entry: Entry) -> bool:
    """Say whether an act is a referee's: for no side, by somebody who plays none; what he may as the game's owner that one does so.

    Whose role on the server made him a referee no file says.
    """
    rules = not entry.side and bool(entry.player) and may_rule(table, entry.player)
    return rules and (entry.player != table.terms.owner or bool(_refusal(table, log, entry, Who(entry.player))))


def why_not(table: Table, log: Log, entry: Entry, *, hosted: bool) -> str:
    """Return why a table act could not be done after the entries of a log, empty if it could.

    Tables without an owner are of one person alone, or from before there were terms to check them by; but at one that is *hosted* nobody
    does nothing.
    """
    act = entry.act
    if act is None or isinstance(act, CHECKED_ELSEWHERE):
        return ""
    is_keepers = not entry.player and isinstance(act, Flag | Away)
    if not table.terms.owner:
        return "whoever does something at a table has a name" if hosted and not entry.player and not is_keepers else ""
    referee = acts_as_referee(table, log, entry) or (not entry.side and is_referee(table, entry.player, role=False))
    return _refusal(table, log, entry, Who(entry.player, entry.side, keeper=is_keepers, referee=referee))


def _refusal(table: Table, log: Log, entry: Entry, who: Who) -> str:
    assert entry.act is not None, "an order is no act"
    over = log.head != ROOT and any(isinstance(event, GameEnded) for event in log.entries[log.head].events)
    try:
        permit(Moment(table, log, over, entry.time_ms), entry.act, who)
    except (Refused, BadInput) as error:
        return str(error)
    return ""
