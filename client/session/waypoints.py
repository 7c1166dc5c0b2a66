"""Way-points: hexes that the way of a draft shall go through; the rest of the way is chosen from the last of them."""

from __future__ import annotations

import msgspec

from client.session.composing import Clicked, Composer
from client.session.match import Match
from core.board import Hex
from core.orders import HexPick, Picks, UnitPick
from core.ruleset import Way


class PathComposer(Composer):
    """A composer whose way can be fixed bit by bit.

    An order with reach takes its hexes one after the other, so a draft that holds the first of them is a way that has been fixed so far.
    """

    def __init__(self, match: Match) -> None:
        self._paid: dict[Picks, int] = {}  # what the way of a draft costs so far, in quarter points, where that is known
        self._whole: tuple[Picks, dict[Hex, Way]] | None = None
        super().__init__(match)

    def reset(self) -> None:
        """Drop the draft with its way."""
        self._paid, self._whole = {}, None
        super().reset()

    def fixed(self) -> tuple[Hex, ...]:
        """Return the hexes of the way that is fixed, in their order; none for an order that knows no reach."""
        if self.kind is None or self.kind.reach is None:
            return ()
        after = max((i for i, pick in enumerate(self.picks) if isinstance(pick, UnitPick)), default=len(self.picks))
        return tuple(pick.hex for pick in self.picks[after + 1 :] if isinstance(pick, HexPick))

    def ways(self) -> dict[Hex, Way]:
        """Return where the draft can be completed to; paths begin where the fixed way ends, costs are those of the whole way."""
        rest, paid = super().ways(), self._paid.get(self.picks, 0)
        if not paid:
            return rest
        if self._whole is None or self._whole[0] != self.picks:
            self._whole = (self.picks, {here: _dearer(way, paid) for here, way in rest.items()})
        return self._whole[1]

    def via(self, here: Hex) -> bool:
        """Let the way go through a hex: a neighbour at once, another by its cheapest way; False if it can't, and nothing has changed."""
        way = self.ways().get(here) if self.units() else None
        if way is None:
            return False
        path = (here,) if self._opens(self.picks, HexPick(here)) else way.path
        walk = (*self.picks, *map(HexPick, path))
        if not all(self._opens(walk[:i], walk[i]) for i in range(len(self.picks), len(walk))):
            return False
        for i, step in enumerate(path, 1):
            leg = self.ways().get(step)
            if leg is not None and leg.path == path[:i]:  # a dearer step to a neighbour is priced nowhere
                self._paid[walk[: len(self.picks) + i]] = leg.cost_quarters
        self._go(walk)
        return True

    def lead_through(self, here: Hex) -> bool:
        """Let the way go through a hex; one that it goes through already becomes its end again. False if nothing has changed."""
        fixed = self.fixed()
        if here not in fixed:
            return self.via(here)
        spare = len(fixed) - fixed.index(here) - 1
        if spare:
            self._go(self.picks[:-spare])
        return bool(spare)

    def is_end_of_way(self, here: Hex) -> bool:
        """Say whether the fixed way ends in a hex, and the draft is an order as it stands."""
        return self.fixed()[-1:] == (here,) and self.is_complete

    def _go_on(self, here: Hex, *, adding: bool) -> Clicked | None:
        """Fix the way through a hex that is added, and give the draft by a click on its end."""
        if not adding and self.is_end_of_way(here):
            return Clicked.READY
        if adding and not self._picked_in(here) and self._take_stack(self.picks, here) == self.picks and self.lead_through(here):
            return Clicked.PICKED
        return super()._go_on(here, adding=adding)


def _dearer(way: Way, paid: int) -> Way:
    """Return a way with what was paid before it."""
    budget = way.budget_quarters + paid if way.budget_quarters else 0
    return msgspec.structs.replace(way, cost_quarters=way.cost_quarters + paid, budget_quarters=budget)
