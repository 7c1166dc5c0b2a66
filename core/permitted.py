"""Whether what a log says was done or ordered at its table could be then: asked by `verify` of a file, and live by players' programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import takewhile

from core.errors import BadInput, Refused
from core.events import GameEnded
from core.log import ROOT, Away, ChainPublished, Entry, Fallback, Flag, Late, Log, Pause, Rewind, Seat, TakenOver
from core.orders import Order, units_of
from core.signed import has_to_sign, sits_down
from core.table import ACTS_ARE_OF_THE_MOMENT, Table
from core.table_rules import Moment, Who, is_referee, may_rule, permit, permit_order
from core.witnesses import CHOICES, LATE_MS, SERVER, WAIT, WITNESSED, Witnesses

CHECKED_ELSEWHERE = (Rewind, ChainPublished, Fallback, Late, TakenOver)  # with the dice, and with undo


def acts_as_referee(table: Table, log: Log, entry: Entry) -> bool:
    """Say whether an act is a referee's: for no side, by somebody who plays none; what he may as the game's owner that one does so.

    Whose role on the server made him a referee no file says.
    """
    rules = not entry.side and bool(entry.player) and may_rule(table, entry.player)
    return rules and (entry.player != table.terms.owner or bool(_refusal(table, log, entry, Who(entry.player))))


def decides_unsigned(witnesses: Witnesses, table: Table, entry: Entry) -> bool:
    """Say whether an act is of a game's owner who has no key there, as he never sat: a host may have made him up."""
    is_owners = bool(entry.player) and entry.player == table.terms.owner and entry.side not in table.sides_of(entry.player)
    sits = isinstance(entry.act, Seat) and sits_down(entry.act, entry.player)
    return is_owners and not sits and any(witnesses.keys.values()) and not has_to_sign(witnesses, entry)


def why_not(table: Table, log: Log, entry: Entry, *, hosted: bool) -> str:
    """Return why a table act could not be done after the entries of a log, empty if it could.

    A table that is not *hosted* (`core.match.Match.is_hosted`) is of one person alone, or from before there were terms to check it by.
    """
    act = entry.act
    if isinstance(act, Fallback | Late) and table.terms.dice.kind != WITNESSED and hosted:
        return "the dice of this game are the server's alone"
    if act is None or isinstance(act, CHECKED_ELSEWHERE) or not hosted:
        return ""
    is_keepers = not entry.player and isinstance(act, Flag | Away)
    if not entry.player and not is_keepers:  # where the terms name no owner, too: nobody would be it
        return "whoever does something at a table has a name"
    referee = acts_as_referee(table, log, entry) or (not entry.side and is_referee(table, entry.player, role=False))
    return _refusal(table, log, entry, Who(entry.player, entry.side, keeper=is_keepers, referee=referee))


def why_no_order(table: Table, log: Log, entry: Entry, order: Order, *, hosted: bool) -> str:
    """Return why a seat could not give an order after the entries of a log, empty if it could.

    One that waited for chance was given before what came between: of the table as it was then only what let nobody order is asked here, as
    what its seat commanded `core.witnesses` knows. When an order came, in milliseconds, no entry says.
    """
    if not hosted or entry.player not in table.holders(entry.side):  # whose seat it was is asked elsewhere
        return ""
    if entry.k and entry.pending != log.last_hash:
        return why_nobody_orders(table, log, entry.pending)
    try:
        permit_order(Moment(table, log, False, 0), entry.side, entry.player, units_of(order))
    except (Refused, BadInput) as error:
        return str(error)
    return ""


def why_nobody_orders(table: Table, log: Log, before: bytes) -> str:
    """Return why nobody could order after the entry with a hash, behind which only acts were written down; empty if somebody could."""
    since = [*takewhile(lambda entry: entry.hash != before, reversed(log.entries))]
    pauses = [entry.act.on for entry in since if isinstance(entry.act, Pause)]
    if table.ended is not None and table.ended.number < len(log) - len(since):
        return f"the game was over: {table.ended.text}"
    was_paused = not pauses[-1] if pauses else table.paused
    return "the game was paused" if was_paused else ""


def _refusal(table: Table, log: Log, entry: Entry, who: Who) -> str:
    assert entry.act is not None, "an order is no act"
    try:
        permit(Moment(table, log, _is_over(log), entry.time_ms), entry.act, who)
    except (Refused, BadInput) as error:
        return str(error)
    return ""


def _is_over(log: Log) -> bool:
    """Say whether the rules have ended the game."""
    return log.head != ROOT and any(isinstance(event, GameEnded) for event in log.entries[log.head].events)


def faults_of_choice(witnesses: Witnesses, table: Table, log: Log, entry: Entry) -> Iterator[str]:
    """Yield why a choice about a link could not be made behind a log, its signature apart."""
    act = entry.act
    assert isinstance(act, Fallback), "nothing is chosen"
    nobodys = act.participant == SERVER or not witnesses.may_be_late(act.participant)
    if act.choice not in CHOICES or act.k != log.k + 1 or nobodys or _waits_no_more(table, log):
        yield f"there was nothing to choose about link {act.k} of {act.participant}"
    elif witnesses.record_of(act.k) not in (b"", act.pending):
        yield f"the choice about link {act.k} of {act.participant} is for another order than is said to wait"
    left = witnesses.patience_left(act.participant, act.k, now_ms=entry.time_ms, wait_ms=table.terms.dice.wait_ms)
    if left is None or (act.choice != WAIT and (left > 0 or (table.paused and table.version))):
        yield f"{act.participant} had not had the agreed time to witness"


def faults_of_late(
    witnesses: Witnesses, table: Table, log: Log, entry: Entry, *, why_none_waits: Callable[[Late], str]
) -> Iterator[str]:
    """Yield why nobody could be named late behind a log; how long his clock ran for it is the keeper's word.

    Args:
        why_none_waits: returns why no order can wait as the act says (`core.waiting`).
    """
    act = entry.act
    assert isinstance(act, Late), "nobody is late"
    is_next = act.k == log.k + 1 and not _waits_no_more(table, log)
    if not witnesses.witnessed or not is_next or entry.player or entry.side or not witnesses.may_be_late(act.participant):
        yield f"no link {act.k} of {act.participant} was waited for"
    elif act.came and act.participant not in witnesses.late_for(act.k):
        yield f"link {act.k} of {act.participant} was not late"
    elif witnesses.bars_joining and act.ms > LATE_MS:
        yield f"{act.participant} pays for more than the {LATE_MS // 1000} s after which a link is late"
    elif witnesses.bars_joining and log.moved_at != ROOT and act.ms > entry.time_ms - log.entries[log.moved_at].time_ms:
        yield f"link {act.k} of {act.participant} is said to be late by more than has passed"
    elif witnesses.names_records and not act.came:
        yield from _faults_of_record(witnesses, act, why_none_waits)


def _faults_of_record(witnesses: Witnesses, act: Late, why_none_waits: Callable[[Late], str]) -> Iterator[str]:
    if why := why_none_waits(act):
        yield why
    elif act.waits is not None and witnesses.record_of(act.k) not in (b"", act.waits.digest()):
        yield f"another order is said to wait for link {act.k} of {act.participant} than before"


def _waits_no_more(table: Table, log: Log) -> bool:
    """Say whether no order can wait, as the game is over; in games from before one was said to."""
    return table.version >= ACTS_ARE_OF_THE_MOMENT and (table.ended is not None or _is_over(log))
