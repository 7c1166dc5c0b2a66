"""Stacking (4.1): how much fits in a hex, who may not be there with whom, and what becomes of excess.

Rules: 4.11a, 4.11b, 4.12a, 4.12b, 4.13, 4.14, 4.15a, 4.15b, 4.16, 4.18; D-10, D-11, D-12.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from core.board import Hex, Place
from core.derived import forces
from core.errors import Refused
from core.events import Event, FramePopped, FramePushed
from core.flow import Decision, Step
from core.game import Game
from core.options import Door, Offer, offer
from core.orders import OneUnit, Order, Pick, UnitPick
from core.rulesets.war_for_the_motherland import recovery, zoc
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.terms import AXIS, NOT_STACKING, is_allied, side_title, units_at
from core.text import Text, text
from core.units import Side, UnitId, UnitType
from core.views import View

# Sixths of a corps (4.12, 4.13, D-10).
WEIGHT = {"army": 12, "corps": 6, "kg": 3, "division": 2}
AXIS_LIMIT = 2 * WEIGHT["corps"] + WEIGHT["division"]
SOVIET_LIMIT = WEIGHT["army"]


def weight(kind: UnitType) -> int:
    """Return what a unit counts for stacking, in sixths of a corps; its steps do not matter (4.14, 4.16)."""
    return 0 if kind.kind in NOT_STACKING else WEIGHT[kind.stacking]


def limit(side: Side) -> int:
    """Return what a side may stack in a hex, in sixths of a corps."""
    return AXIS_LIMIT if side == AXIS else SOVIET_LIMIT  # 4.12a, 4.13


def load(view: View, units: Iterable[UnitId]) -> int:
    """Return what units count together, in sixths of a corps."""
    return sum(weight(view.type(unit)) for unit in units)


def excess(view: View, here: Hex, side: Side) -> bool:
    """Say whether a side's units in a hex are over the limit."""
    return load(view, units_at(view, here, side)) > limit(side)


def overstacked(view: View, side: Side) -> frozenset[Hex]:
    """Return the hexes where a side's units are over the limit; after a move only those are looked at that it touched."""

    def among(places: Iterable[Place]) -> frozenset[Hex]:
        return frozenset([Hex(here) for here in places if here >= 0 and excess(view, Hex(here), side)])

    return view.derived.follow(
        ("overstacked", side), (forces(side),), lambda: among(zoc.held(view, side)), lambda old, places: (old - places) | among(places)
    )


def closed_to_nation(view: View, unit: UnitId, here: Hex) -> bool:
    """Say whether an allied unit of another nation bars a hex to an allied unit, even in passing (4.15b, D-11)."""
    kind = view.type(unit)
    return is_allied(kind) and here in allied_elsewhere(view, kind.nation)


def allied_elsewhere(view: View, nation: str) -> frozenset[Hex]:
    """Return the hexes where allied units of other nations than *nation* stand."""
    return view.derived.get(("allied", nation), (forces(AXIS),), lambda: _allied_elsewhere(view, nation))


def _allied_elsewhere(view: View, nation: str) -> frozenset[Hex]:
    found = set()
    for unit in view.position.on_map():
        kind = view.types[unit.type]
        if is_allied(kind) and kind.nation != nation:
            found.add(Hex(unit.place))
    return frozenset(found)


def fits(view: View, units: Iterable[UnitId], here: Hex) -> bool:
    """Say whether units could stand in a hex with those of their side that are there, within all limits."""
    coming = frozenset(units)
    if any(closed_to_nation(view, unit, here) for unit in coming):
        return False
    side = next((view.side(unit) for unit in coming), AXIS)
    there = coming.union(units_at(view, here, side))
    return load(view, there) <= limit(side)


# -------------------------------------------------------------------- excess


class CheckStacking(Step, frozen=True, kw_only=True):
    """A side mends its overstacked hexes: those of *places*, or all if none is named (4.18)."""

    side: Side
    places: tuple[int, ...] = ()


def _prompt(view: View, decision: RemoveExcess) -> Text:
    return text(
        "{side}: too many units in {hex}, one must be eliminated",
        side=side_title(decision.side),
        hex=view.board.name(decision.hex),
    )


@RULES.decision(_prompt, title=text("Removal of excess units"))
class RemoveExcess(Decision, frozen=True, kw_only=True):
    """The owner of an overstacked hex chooses which of its units is eliminated."""

    orders: ClassVar = ("remove_excess",)
    rule: ClassVar = "4.18"
    hex: int


class EliminateExcess(Order, frozen=True, tag="remove_excess"):
    """Eliminate a unit of an overstacked hex."""

    unit: OneUnit = None


@RULES.step(CheckStacking)
def check_stacking(game: Game, step: CheckStacking) -> Iterator[Event]:
    """Ask for one unit of the first hex in excess; the check goes on after the answer (4.11a, 4.18)."""
    over = [Hex(place) for place in step.places if excess(game, Hex(place), step.side)] if step.places else overstacked(game, step.side)
    crowded = min(over, default=None)
    if crowded is not None:
        yield FramePushed(step.frame())
        yield FramePushed(RemoveExcess(side=step.side, hex=crowded).frame())


def compose_excess(view: View, draft: EliminateExcess) -> Offer:
    """Offer the units that count (D-12)."""
    decision = view.decision()
    assert isinstance(decision, RemoveExcess), decision
    if draft.unit is not None:
        return offer(unfinished=_not_counting(view, decision, UnitPick(draft.unit)))
    there = units_at(view, Hex(decision.hex), decision.side)
    return offer(
        (Door(UnitPick(unit)) for unit in there if weight(view.type(unit))),
        unfinished=Refused("4.18", text("a unit must be chosen")),
        unknown=lambda pick: _not_counting(view, decision, pick),
    )


def _not_counting(view: View, decision: RemoveExcess, pick: Pick) -> Refused | None:
    if not isinstance(pick, UnitPick):
        return None
    hex_name = view.board.name(decision.hex)
    if pick.unit not in units_at(view, Hex(decision.hex), decision.side):
        return Refused("4.18", text("{unit} is not among the units in {hex}", unit=view.name_pick(pick), hex=hex_name))
    if not weight(view.type(pick.unit)):
        return Refused("4.14", text("{unit} does not count for stacking", unit=view.name(pick.unit)))
    return None


@RULES.order(EliminateExcess, text("Eliminate"), rule="4.18", compose=compose_excess)
def take_excess(game: Game, order: EliminateExcess) -> Iterator[Event]:
    """Eliminate the unit; its recovery is rolled as after any loss (D-12, D-69)."""
    assert order.unit is not None, order
    yield FramePopped()
    yield from recovery.eliminate(game, order.unit, "overstacked")
