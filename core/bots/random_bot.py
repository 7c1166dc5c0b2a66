"""The bot that picks evenly among what is offered, at each pick."""

from __future__ import annotations

import random
from collections.abc import Callable

from core.bots.walks import order_of
from core.errors import Broken
from core.options import options
from core.orders import OptionPick, Order, Picks
from core.views import View

STOP = 0.5  # chance to give an order as soon as it may be given, when more could be picked
END = 0.03  # chance of `busy` to consider ending a phase


def choose(view: View, rng: random.Random) -> Order:
    """Return a random order of the side to act.

    Raises:
        Broken: a walk of offered picks leads nowhere.
    """
    return _walk(view, rng, lambda picks: picks)


def busy(view: View, rng: random.Random) -> Order:
    """Return a random order as `choose` does, but end a phase only now and then: trials see more of the rules that way."""
    return _walk(view, rng, lambda picks: (_without_endings(picks) if rng.random() > END else ()) or picks)


def _without_endings(picks: Picks) -> Picks:
    return tuple(pick for pick in picks if not (isinstance(pick, OptionPick) and pick.option.startswith("end_")))


def _walk(view: View, rng: random.Random, openings: Callable[[Picks], Picks]) -> Order:
    """Pick evenly at each pick; *openings* narrows the order types to begin with."""
    walk: Picks = ()
    while True:
        offered = options(view, walk)
        picks = offered.picks
        if offered.complete and (not picks or rng.random() < STOP):
            return order_of(view, walk)
        if not picks:
            raise Broken(f"nothing is offered after {walk} in {view.position.top}")
        walk = (*walk, rng.choice(picks if walk else openings(picks)))
