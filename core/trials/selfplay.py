"""Whole games of bots, in this process."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from core.bots import Bot
from core.dice import seed
from core.errors import Broken
from core.log import Entry
from core.match import ServerDice, new_server_match
from core.setting import Setting
from core.units import Side

MAX_ORDERS = 200_000
Watch = Callable[[ServerDice, Entry], None]


def play(
    setting: Setting,
    bots: Mapping[Side, Bot],
    number: int,
    *,
    watch: Watch | None = None,
    max_orders: int = MAX_ORDERS,
    links: int = 20_000,
) -> ServerDice:
    """Play a game to its end and return its match.

    Args:
        bots: one a side.
        number: seeds dice and bots; the same number gives the same game.
        watch: called after each order with the match and its new entry.
        max_orders: more than that is a game that never ends.

    Raises:
        Broken: the game did not end, or a bot found nothing to do.
    """
    keeper = new_server_match(setting, game=f"selfplay-{number}", seed=seed(b"selfplay", str(number)), clock=lambda: 0, links=links)
    rngs = {side: random.Random(f"{number} {side}") for side in setting.sides}
    for _ in range(max_orders):
        view = keeper.match.view
        if view.position.outcome is not None:
            return keeper
        side = view.side_to_act()
        entry = keeper.order(side, bots[side](view.seen_by(side), rngs[side]))
        if watch is not None:
            watch(keeper, entry)
    raise Broken(f"game {number} did not end within {max_orders} orders")
