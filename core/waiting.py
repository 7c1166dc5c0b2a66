"""Whether an order can wait for its dice as an entry says that names somebody late for it: asked by `verify`, and live by programs.

Else whoever keeps a log could name late whom no order waits for: his clock would run for it, or, after the agreed time, the game be
claimed for his link. The order is signed by whoever had to give it, so nobody makes one up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from core.errors import BadInput
from core.log import ROOT, Late, Log, Pending
from core.orders import Order, units_of
from core.permitted import why_nobody_orders
from core.signed import Awaited, signed_order
from core.table import Table
from core.witnesses import Witnesses

Draws = Callable[[Pending], bool]  # whether an order at the end of the log needs chance


class Behind(NamedTuple):
    """A game at the end of its log, where an entry comes that names somebody late.

    *decode* reads an order; *draws* says whether one needs chance; *awaited* is as for `core.signed.signed_order`, *hosted* as for
    `core.match.Match.is_hosted`.
    """

    game: str
    log: Log
    table: Table
    witnesses: Witnesses
    decode: Callable[[bytes], Order]
    draws: Draws
    awaited: Awaited
    hosted: bool


def why_none_waits(late: Late, then: Witnesses, behind: Behind) -> str:
    """Return why no order can wait for somebody's link as an entry says; empty if it can.

    Args:
        then: who held seats and had published chains after the entry behind which it began to wait.
    """
    waits, log = late.waits, behind.log
    if waits is None:
        return "it says of no order that it waits"
    if (waits.k, waits.parent) != (late.k, log.head) or has_moved_since(log, waits.before):
        return "the order that is said to wait does not follow the game"
    if not waits.order and log.head != ROOT:
        return "the game is said to be set up, and has begun"
    if late.participant not in then.participants:
        return f"the order that is said to wait needs no link of {late.participant}"
    if joined := behind.witnesses.joined_since(then):
        return f"{joined[0]} takes part in the dice since the order is said to have begun to wait"
    if waits.order and (why := _why_not_given(waits, then, behind)):
        return f"the order that is said to wait {why}"
    if (refused := then.refusal(waits.player)) is not None:
        return f"the order that is said to wait could not begin to: {refused.text}"
    return "" if behind.draws(waits) else "the order that is said to wait needs no dice"


def _why_not_given(waits: Pending, then: Witnesses, behind: Behind) -> str:
    """Return why its player could not give an order that waits, or did not."""
    if waits.player not in then.players_of(waits.side):
        return f"is {waits.player or 'nobody'}'s, who did not play {waits.side}"
    signs = then.key(waits.player) or not then.kept_by
    if not signs or not signed_order(then, behind.log, waits, behind.game, awaited=behind.awaited):
        return f"is not signed by the key of {waits.player}"
    try:
        commanded = then.commands(waits.player, waits.side, units_of(behind.decode(waits.order)))
    except BadInput as error:
        return f"can't be read: {error}"
    if not commanded:
        return f"is not one that the seat of {waits.player} commands"
    why = why_nobody_orders(behind.table, behind.log, waits.before) if behind.hosted else ""
    return f"could not be given: {why}" if why else ""


def has_moved_since(log: Log, before: bytes) -> bool:
    """Say whether the game moved since the entry with a hash, or that entry is not known."""
    for entry in reversed(log.entries):
        if entry.hash == before:
            return False
        if entry.moves:
            return True
    return before != bytes(32)
