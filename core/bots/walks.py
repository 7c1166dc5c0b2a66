"""All complete walks through an order type, for bots and trials."""

from __future__ import annotations

from collections.abc import Iterator

from core.errors import Broken
from core.options import options
from core.orders import OptionPick, Order, Picks, compose
from core.views import View


def order_of(view: View, walk: Picks) -> Order:
    """Return the order that a complete walk composes."""
    head = walk[0]
    assert isinstance(head, OptionPick)
    return compose(view.ruleset.orders[head.option].order, walk[1:])


def every_walk(view: View, name: str) -> Iterator[Picks]:
    """Yield every complete walk of offered picks through one order type, each order once, depth first.

    Raises:
        Broken: a walk of offered picks leads nowhere.
    """
    seen: set[Order] = set()
    stack: list[Picks] = [(OptionPick(name),)]
    while stack:
        walk = stack.pop()
        offered = options(view, walk)
        if not offered.complete and not offered.picks:
            raise Broken(f"nothing is offered after {walk}")
        draft = order_of(view, walk)
        if draft in seen:
            continue
        seen.add(draft)
        if offered.complete:
            yield walk
        stack.extend((*walk, pick) for pick in reversed(offered.picks))
