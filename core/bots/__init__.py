"""Bots: functions from a view and a source of randomness to an order. They see what a player sees, and never the dice."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable

from core.errors import BadInput
from core.orders import Order
from core.views import View

Bot = Callable[[View, random.Random], Order]

# name → module and function
_WHERE = {
    "random": ("random_bot", "choose"),
    "busy": ("random_bot", "busy"),
    "steady": ("steady_bot", "choose"),
}
NAMES = tuple(_WHERE)


def load(name: str) -> Bot:
    """Return a bot by its name; BadInput if there is none."""
    if name not in NAMES:
        raise BadInput.one("bot", "one of " + ", ".join(NAMES), name)
    module, function = _WHERE[name]
    bot: Bot = getattr(importlib.import_module(f"core.bots.{module}"), function)
    return bot
