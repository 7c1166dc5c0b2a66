"""What a table agrees on before the game: clock, seats, who may watch what. Facts of a game's head, outside of its position's hash."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec

from core.datafile import Faults
from core.units import Side, UnitId

LONGEST_MS = 10 * 366 * 24 * 3600 * 1000  # ten years: longer than any game by mail
MOST_SEATS = 16
# What spectators may see: what lies open on the table, all secrets too, nothing; else the name of the side whose view they share.
TABLE, OPEN, CLOSED = "table", "open", "closed"

Millis = Annotated[int, msgspec.Meta(ge=0, le=LONGEST_MS)]
SeatName = Annotated[str, msgspec.Meta(max_length=40)]
PlayerName = Annotated[str, msgspec.Meta(max_length=40)]
SideName = Annotated[str, msgspec.Meta(max_length=64)]
Units = Annotated[tuple[UnitId, ...], msgspec.Meta(max_length=2_000)]


class ClockTerms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long each side may think.

    *kind*: ``none``; ``absolute``, *time_ms* for the whole game; ``fischer``, the same and *increment_ms* more for each phase of the
    side's own; ``turn``, *time_ms* for each turn of the game. *on_flag* is what a fallen flag leads to: the side loses (``lose``), the
    others may claim the game (``claim``), or it is only shown (``show``).
    """

    kind: Literal["none", "absolute", "fischer", "turn"] = "none"
    time_ms: Millis = 0
    increment_ms: Millis = 0
    on_flag: Literal["lose", "claim", "show"] = "lose"


class SeatTerms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of a side's seats; *units* limits it to these, none at all if empty; None: no limit."""

    side: SideName
    name: SeatName = ""
    units: Units | None = None


class SpectatorTerms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is shown to whoever holds no seat: a *view*, and how much later. With *chat* players read what spectators write."""

    view: SideName = TABLE
    delay_entries: Annotated[int, msgspec.Meta(ge=0, le=100_000)] = 0
    delay_ms: Millis = 0
    chat: bool = False


class DiceTerms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the dice come from: the ``server`` alone, or ``witnessed`` by all who play.

    *wait_ms* is how long a player may let others wait for his program to witness, before they choose what shall be.
    """

    kind: Literal["server", "witnessed"] = "server"
    wait_ms: Millis = 120_000


class Terms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a table agreed on. Without *seats* each side has one, of no name and no limit; *owner* made the game."""

    owner: PlayerName = ""
    clock: ClockTerms = ClockTerms()
    seats: Annotated[tuple[SeatTerms, ...], msgspec.Meta(max_length=MOST_SEATS)] = ()
    spectators: SpectatorTerms = SpectatorTerms()
    referees: Annotated[tuple[PlayerName, ...], msgspec.Meta(max_length=MOST_SEATS)] = ()
    dice: DiceTerms = DiceTerms()

    def seats_for(self, sides: Sequence[Side]) -> tuple[SeatTerms, ...]:
        """Return the seats of the table, those of one side together."""
        named = self.seats or tuple(SeatTerms(side) for side in sides)
        return tuple(seat for side in sides for seat in named if seat.side == side)


def check(terms: Terms, sides: Sequence[Side]) -> None:
    """Check that terms fit a game of these sides; BadInput with every fault if not."""
    faults = Faults()
    clock = terms.clock
    if clock.kind != "none" and not clock.time_ms:
        faults.add("terms: clock: time_ms", f"some time for a clock of kind {clock.kind}", clock.time_ms)
    if clock.kind == "none" and (clock.time_ms or clock.increment_ms):
        faults.add("terms: clock: kind", "absolute, fischer or turn, as there is time to keep", clock.kind)
    if clock.kind != "fischer" and clock.increment_ms:
        faults.add("terms: clock: increment_ms", "0 but for a clock of kind fischer", clock.increment_ms)
    check_spectators(terms.spectators, sides, faults)
    if not terms.owner.isprintable():
        faults.add("terms: owner", "letters that can be seen", ascii(terms.owner))
    for number, name in enumerate(terms.referees):
        if not name.isprintable():
            faults.add(f"terms: referees[{number}]", "letters that can be seen", ascii(name))
    _check_seats(terms, sides, faults)
    faults.check()


def check_spectators(spectators: SpectatorTerms, sides: Sequence[Side], faults: Faults) -> None:
    """Note the faults of what spectators shall see."""
    if spectators.view not in (TABLE, OPEN, CLOSED, *sides):
        faults.add("terms: spectators: view", " or ".join((TABLE, OPEN, CLOSED, *sides)), spectators.view)


def _check_seats(terms: Terms, sides: Sequence[Side], faults: Faults) -> None:
    seen: set[tuple[Side, str]] = set()
    for number, seat in enumerate(terms.seats):
        where = f"terms: seats[{number}]"
        if seat.side not in sides:
            faults.add(f"{where}: side", " or ".join(sides), seat.side)
        if (seat.side, seat.name) in seen:
            faults.add(f"seats of {seat.side}", "for each a name that no other seat of the side has", f"{seat.name!r} twice")
        if not any(side == seat.side for side, _ in seen) and seat.units is not None:
            faults.add(f"{where}: units", "no limit for a side's first seat: it gives what no unit does", len(seat.units))
        if not seat.name.isprintable():
            faults.add(f"{where}: name", "letters that can be seen", ascii(seat.name))
        seen.add((seat.side, seat.name))
    for side in sides if terms.seats else ():
        if not any(seat.side == side for seat in terms.seats):
            faults.add("terms: seats", f"a seat of {side}", "none")
