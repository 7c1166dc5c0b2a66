"""The order that ends a side's part of a phase (5.15, 8.22)."""

from __future__ import annotations

from collections.abc import Iterator

from core.events import Event, FramePopped
from core.game import Game
from core.options import Offer, offer
from core.orders import Order
from core.rulesets.war_for_the_motherland.registry import RULES
from core.text import text
from core.views import View


class EndPhase(Order, frozen=True, tag="end_phase"):
    """Nothing more is wanted in this phase."""


def compose_end(view: View, draft: EndPhase) -> Offer:
    """Offer the end as it is: no movement and no attack is ever required (5.15, 8.22)."""
    del view, draft
    return offer()


@RULES.order(EndPhase, text("End the phase"), rule="5.15", compose=compose_end)
def take_end(game: Game, order: EndPhase) -> Iterator[Event]:
    """Pop the decision of the phase; the steps below go on."""
    del game, order
    yield FramePopped()
