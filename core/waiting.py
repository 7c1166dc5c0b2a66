"""Whether an order can wait for its dice as an entry says that names somebody late for it: asked by `verify`, and live by programs.

Else whoever keeps a log could name late whom no order waits for: his clock would run for it, or, after the agreed time, the game be
claimed for his link. The order is signed by whoever had to give it, so nobody makes one up.
"""

from __future__ import annotations

from collections.abc import Callable

from core.log import Late, Log, Pending
from core.signed import Awaited, signed_order
from core.witnesses import Witnesses

Draws = Callable[[Pending], bool]  # whether an order at the end of the log needs chance


def why_none_waits(then: Witnesses, log: Log, late: Late, game: str, *, awaited: Awaited, draws: Draws) -> str:
    """Return why no order can wait for somebody's link behind a log, as an entry says; empty if it can.

    Args:
        then: who held seats and had published chains after the entry behind which it began to wait.
        awaited: as for `core.signed.signed_order`.
    """
    waits = late.waits
    if waits is None:
        return "it says of no order that it waits"
    if (waits.k, waits.parent) != (late.k, log.head) or has_moved_since(log, waits.before):
        return "the order that is said to wait does not follow the game"
    if late.participant not in then.participants:
        return f"the order that is said to wait needs no link of {late.participant}"
    if waits.order and waits.player not in then.players_of(waits.side):
        return f"the order that is said to wait is {waits.player or 'nobody'}'s, who did not play {waits.side}"
    if not signed_order(then, log, waits, game, awaited=awaited):
        return f"the order that is said to wait is not signed by the key of {waits.player or 'nobody'}"
    if (refused := then.refusal(waits.player)) is not None:
        return f"the order that is said to wait could not begin to: {refused.text}"
    return "" if draws(waits) else "the order that is said to wait needs no dice"


def has_moved_since(log: Log, before: bytes) -> bool:
    """Say whether the game moved since the entry with a hash, or that entry is not known."""
    for entry in reversed(log.entries):
        if entry.hash == before:
            return False
        if entry.moves:
            return True
    return before != bytes(32)
