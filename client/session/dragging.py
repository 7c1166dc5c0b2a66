"""Composing by dragging: counters are lifted off a hex and dropped on another, which makes the picks that clicks there would make."""

from __future__ import annotations

from collections.abc import Sequence

from client.session.composing import Clicked
from client.session.waypoints import PathComposer
from core.board import Hex
from core.errors import Refused
from core.orders import HexPick, Picks, UnitPick
from core.ruleset import Preview
from core.units import UnitId


class DragComposer(PathComposer):
    """A composer whose counters can be dragged.

    Attributes:
        held: the counters that are lifted.
        aims: what a drop would begin, by hex: an order that asks for its target before its units, or one against foes there.
    """

    def reset(self) -> None:
        """Drop the draft, and what is held."""
        self._let_go()
        super().reset()

    def _let_go(self) -> None:
        self.held: tuple[UnitId, ...] = ()
        self.aims: dict[Hex, Picks] = {}
        self._from: Hex | None = None
        self._depth = 0  # how many steps back lead to the draft before anything was lifted

    # ---------------------------------------------------------------- lifting

    def lift(self, here: Hex, unit: UnitId | None = None) -> tuple[UnitId, ...]:
        """Take hold of the counters of a hex, or of one of them; return which, none where no open order takes them to another hex.

        What is picked already is held as it is; else the draft takes the counters, or the first order type that does.
        """
        self._let_go()
        self.refused, self._depth = None, len(self._back)
        if not self.match.may_act:
            return ()
        wanted = tuple(self.match.view.position.at(here)) if unit is None else (unit,)
        aims = self._aims_of(here, wanted)
        self.held = self._picked_of(self.picks, wanted) or self._take_up(wanted)
        if not self.held:
            self.held = tuple(one for one in wanted if any(UnitPick(one) in walk for walk in aims.values()))
        if self.held:
            self._from, self.aims = here, aims
        return self.held

    def _take_up(self, wanted: Sequence[UnitId]) -> tuple[UnitId, ...]:
        """Let the draft take units that can be dropped on some hex then; return those taken."""
        heads: list[Picks] = [(head,) for head in sorted(self._heads(), key=lambda head: head not in self.picks[:1])]
        aimed = any(isinstance(pick, HexPick) for pick in self.picks)  # who joins is told by the drop
        for walk in heads if aimed or len(self.picks) < 2 else [self.picks, *heads]:
            taken = self._with(walk, wanted)
            if taken != walk and any(isinstance(door.pick, HexPick) and door.is_open for door in self.offer(taken).doors):
                self._go(taken)
                return self._picked_of(taken, wanted)
        return ()

    def _aims_of(self, here: Hex, wanted: Sequence[UnitId]) -> dict[Hex, Picks]:
        """Return the neighbours that an order type takes as its target, with the picks: these units come after it, or before a foe."""
        found: dict[Hex, Picks] = {}
        view = self.match.view
        foe = view.other(view.side_to_act())
        for head in self._heads():
            units = self._with((head,), wanted)
            for there in self.match.setting.board.adjacent[here]:
                if len(units) > 1 and view.side_at(there, foe) and self._opens(units, HexPick(there)):
                    found.setdefault(there, (*units, HexPick(there)))
                elif self._opens((head,), HexPick(there)):
                    walk = self._with((head, HexPick(there)), wanted)
                    if len(walk) > 2:
                        found.setdefault(there, walk)
        return found

    @staticmethod
    def _picked_of(walk: Picks, units: Sequence[UnitId]) -> tuple[UnitId, ...]:
        return tuple(unit for unit in units if UnitPick(unit) in walk)

    def put_back(self) -> None:
        """Lay what is held where it was: the draft is as before it was lifted."""
        while self.held and len(self._back) > self._depth:
            self.back()
        self._let_go()

    def pass_through(self, here: Hex) -> bool:
        """Let what is held go through a hex on its way to the drop; False if it can't."""
        fixed = self.fixed()
        if here == self._from and fixed:  # back where it lies: no way is fixed
            self._go(self.picks[: -len(fixed)])
        elif here == self._from or not self._picked_of(self.picks, self.held) or not self.lead_through(here):
            return False
        self.aims = {}  # they lie beside where the counters stand, not beside where they are led
        return True

    # ---------------------------------------------------------------- dropping

    def drop(self, here: Hex) -> Clicked:
        """Turn a drop of what is held into the picks of a click there; a hex that is closed to it is refused, and begins nothing else."""
        self.refused = None
        if not self.held or here == self._from:
            self._let_go()
            return Clicked.PICKED
        clicked = self._dropped(here)
        if clicked is None:
            self.refused = self.why_no_drop(here)
            clicked = Clicked.NOTHING if self.refused is None else Clicked.REFUSED
        self._let_go()
        return clicked

    def _dropped(self, here: Hex) -> Clicked | None:
        """Go on with a drop; None if the hex is closed to what is held."""
        walk = self._aimed(here)
        if walk is not None:
            if walk != self.picks:
                self._go(walk)
            return self._ready_if_nothing_left()
        if not self._picked_of(self.picks, self.held):
            return None
        return Clicked.PICKED if self._picked_in(here) else self._go_on(here, adding=False)

    def _aimed(self, here: Hex) -> Picks | None:
        """Return the picks with what is held against a target: of the draft that names it, else of an order that begins there."""
        if HexPick(here) in self.picks and here not in self.fixed():
            walk = self._with(self.picks, self.held)
            return walk if self._picked_of(walk, self.held) else None
        return None if self._opens(self.picks, HexPick(here)) and self.units() else self.aims.get(here)

    def preview_of_drop(self, here: Hex) -> Preview | None:
        """Return what a drop on a target would lead to, None where that can't be said."""
        walk = self._aimed(here) if self.held else None
        return None if walk is None else self._preview_of(walk)

    def why_no_drop(self, here: Hex) -> Refused | None:
        """Return why what is held can't be dropped on a hex, None if it can or nothing is to be said."""
        drafted = bool(self._picked_of(self.picks, self.held))
        if here == self._from or here in self.ways() or self.is_end_of_way(here) or self._aimed(here) is not None:
            return None
        if drafted and self._opens(self.picks, HexPick(here)):
            return None
        passed_over = self._passed_over(here) if drafted else None
        if passed_over is not None:
            return passed_over
        walks: list[Picks] = [self.picks] if drafted else [(head,) for head in self._heads()]
        for walk in walks:
            why = self._refusal_of(walk, HexPick(here))
            if why is None and self._opens(walk, HexPick(here)):
                why = self._refusal_of((*walk, HexPick(here)), UnitPick(self.held[0]))
            if why is not None:
                return why
        return self._why_not(here) if drafted else None
