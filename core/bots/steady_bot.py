"""The bot that weighs what is offered by the ruleset's rules of thumb, and takes the best."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice

from core.bots import random_bot
from core.bots.walks import every_walk, order_of
from core.errors import Refused
from core.game import NeedsDice, StopDice, decide
from core.options import options, refusal
from core.orders import OptionPick, Order
from core.views import View

MOST = 300  # orders of one type that are weighed


def choose(view: View, rng: random.Random) -> Order:
    """Return the order that promises most, any of those that promise the same.

    Raises:
        Broken: a walk of offered picks leads nowhere.
    """
    weighed = [(weigh(view, order), rng.random(), order) for order in orders(view)]
    for _, _, order in sorted(weighed, key=lambda one: (-one[0], one[1])):
        if refusal(view, order) is None:
            return order
    return random_bot.choose(view, rng)


def orders(view: View) -> Iterator[Order]:
    """Yield the orders that deserve a look, by the order of their types."""
    for pick in options(view).picks:
        assert isinstance(pick, OptionPick)
        some = view.ruleset.candidates(view, pick.option)
        if some is None:
            some = [order_of(view, walk) for walk in islice(every_walk(view, pick.option), MOST)]
        yield from some


def weigh(view: View, order: Order) -> float:
    """Return what an order promises: as the ruleset says, else by the score that it leads to if no chance is in it."""
    worth = view.ruleset.worth(view, order)
    if worth is not None:
        return worth
    preview = view.ruleset.orders[str(order.__struct_config__.tag)].preview
    shown = preview(view, order) if preview is not None else None
    if shown is not None and shown.losses is not None:
        (least, most), (low, high) = shown.losses
        return (low + high - least - most) / 200
    return _by_score(view, order)


def _by_score(view: View, order: Order) -> float:
    side = view.side_to_act()
    try:
        decided = decide(view, side, order, StopDice())
    except (NeedsDice, Refused):
        return 0.0
    after = View(view.setting, decided.position, viewer=view.viewer, derived=decided.derived)
    return _lead(after, side) - _lead(view, side)


def _lead(view: View, side: str) -> float:
    score = view.ruleset.score(view)
    return score.get(side, 0) - score.get(view.other(side), 0)
