"""What the game's options open after any walk of picks, whatever is being composed: which orders, which counters and hexes, and why not.

Knows no order type and no ruleset.
"""

from __future__ import annotations

from client.session.match import Match
from core.board import Hex, Place
from core.errors import Refused
from core.options import Door, Offer
from core.orders import HexPick, NumberPick, OptionPick, Pick, Picks, TextPick, UnitPick
from core.text import Text, text
from core.units import UnitId


class Doors:
    """The options of one moment, asked once each."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self._offers: dict[Picks, Offer] = {}

    def offered(self, walk: Picks) -> Offer:
        """Return what may follow a walk."""
        if walk not in self._offers:
            self._offers[walk] = self.match.options(walk)
        return self._offers[walk]

    def _heads(self) -> list[Pick]:
        return [door.pick for door in self.offered(()).doors if door.is_open]

    def _opens(self, walk: Picks, pick: Pick) -> bool:
        return any(door.pick == pick and door.is_open for door in self.offered(walk).doors)

    def _is_walkable(self, walk: Picks) -> bool:
        """Say whether each pick of a walk is offered after those before it."""
        return all(self._opens(walk[:i], walk[i]) for i in range(len(walk)))

    def _take_stack(self, walk: Picks, here: Hex) -> Picks:
        """Add every unit of a hex that is offered, one after the other."""
        for unit in self.match.view.position.at(here):
            pick = UnitPick(unit)
            if pick not in walk and self._opens(walk, pick):
                walk = (*walk, pick)
        return walk

    def place_of(self, pick: Pick) -> Place | None:
        """Return the place that a pick marks on the map, None if it has none."""
        if isinstance(pick, HexPick):
            return pick.hex
        if isinstance(pick, UnitPick):
            return self.match.view.unit(pick.unit).place
        return None

    def _label(self, door: Door) -> Text:
        if door.label is not None:
            return door.label
        if isinstance(door.pick, (HexPick, UnitPick)):
            return text("{name}", name=self.match.view.name_pick(door.pick))
        value = door.pick.option.replace("_", " ") if isinstance(door.pick, OptionPick) else str(_value(door.pick))
        return text("{value}", value=value)

    def _refusal_of(self, walk: Picks, pick: Pick) -> Refused | None:
        offered = self.offered(walk)
        for door in offered.doors:
            if door.pick == pick:
                return door.refused
        if offered.unknown is not None and self.match.view.knows(pick):
            return offered.unknown(pick)
        return None

    def standing_of(self, unit: UnitId) -> list[tuple[Text, Refused | None]]:
        """Return, for each order type of the moment, whether a unit can begin it: its name, and why not."""
        if not self.match.may_act:
            return []
        pick, found = UnitPick(unit), list[tuple[Text, Refused | None]]()
        for door in self.offered(()).doors:
            walk = (door.pick,)
            if door.is_open and self._opens(walk, pick):
                found.append((self._label(door), None))
                continue
            why = self._refusal_of(walk, pick)  # of this unit, if it can be told; an order that is closed may name another
            if why is not None or (door.is_open and self._joins(walk, unit)):
                found.append((self._label(door), why))
        return found

    def _joins(self, walk: Picks, unit: UnitId) -> bool:
        """Say whether a unit may follow some hex that an order begins with, as an attacker follows his target."""
        place, board = self.match.view.unit(unit).place, self.match.setting.board
        targets = [door.pick.hex for door in self.offered(walk).doors if door.is_open and isinstance(door.pick, HexPick)]
        nearest_first = sorted(targets, key=lambda here: board.distance(Hex(place), here)) if place >= 0 else targets
        return any(self._opens((*walk, HexPick(here)), UnitPick(unit)) for here in nearest_first)

    def able(self) -> dict[Pick, tuple[Hex, ...]]:
        """Return, for each open order type that begins with units or a hex, the hexes where one can begin."""
        found: dict[Pick, tuple[Hex, ...]] = {}
        if not self.match.may_act:
            return found
        for head in self._heads():
            places = {self.place_of(door.pick) for door in self.offered((head,)).doors if door.is_open}
            hexes = tuple(Hex(place) for place in sorted(p for p in places if p is not None) if place >= 0)
            if hexes:
                found[head] = hexes
        return found

    def beside(self) -> dict[Pick, int]:
        """Return, for each open order type that can begin with counters beside the map, with how many."""
        found: dict[Pick, int] = {}
        for head in self._heads() if self.match.may_act else []:
            places = [self.place_of(door.pick) for door in self.offered((head,)).doors if door.is_open]
            n = sum(place is not None and place < 0 for place in places)
            if n and None not in places:
                found[head] = n
        return found


def _value(pick: NumberPick | TextPick | OptionPick | HexPick | UnitPick) -> str | int:
    match pick:
        case NumberPick():
            return pick.number
        case TextPick():
            return pick.text
        case OptionPick():
            return pick.option
        case HexPick():
            return pick.hex
        case UnitPick():
            return pick.unit
