"""What is true of every position that a side is asked in; trials hold whole games against it."""

from __future__ import annotations

from collections.abc import Iterator

from core.board import Hex
from core.rulesets.war_for_the_motherland import stacking, weather
from core.rulesets.war_for_the_motherland.battle import PayResult
from core.rulesets.war_for_the_motherland.terms import AXIS, IN_BATTLE, OF_A_BATTLE, SOVIET, is_army, units_at
from core.views import View

BETWEEN_PHASES = frozenset({"DepotsChoice", "FleetsChoice", "Reinforce", "Organize", "Convert", "Rebuild", "Evacuation"})
OF_MOVEMENT_AND_BATTLE = frozenset({"MoveUnits", "ChooseCombat"})


def broken(view: View) -> Iterator[str]:
    """Yield what is wrong with a position; nothing if all holds."""
    yield from _of_places(view)
    yield from _of_units(view)
    name = view.position.top.name if view.position.top else ""
    if name in BETWEEN_PHASES:
        yield from _of_stacks(view)
    if name in BETWEEN_PHASES | OF_MOVEMENT_AND_BATTLE:
        yield from _of_marks(view)
    if name == PayResult.__name__:
        yield from _of_markers(view)


def _of_places(view: View) -> Iterator[str]:
    for here in view.position.occupied():
        if not weather.is_land(view, here) and any(units_at(view, here, side) for side in (AXIS, SOVIET)):
            yield f"units stand in the water of {view.board.name(here)}"
        if units_at(view, here, AXIS) and units_at(view, here, SOVIET):
            yield f"both sides stand in {view.board.name(here)}"


def _of_units(view: View) -> Iterator[str]:
    for unit in view.position.on_map():
        kind = view.types[unit.type]
        if not 1 <= unit.steps <= kind.steps:
            yield f"{view.name(unit.id)} has {unit.steps} steps of {kind.steps}"


def _of_stacks(view: View) -> Iterator[str]:
    """Stacking was enforced when the last phase ended (4.11); what was placed since counts at the end of the next (13.11)."""
    if view.position.top is not None and view.position.top.name == "Reinforce":
        return
    for here in view.position.occupied():
        for side in (AXIS, SOVIET):
            if stacking.excess(view, Hex(here), side):
                yield f"{view.board.name(here)} is overstacked between phases"


def _of_marks(view: View) -> Iterator[str]:
    left = {mark for _, mark in view.position.unit_marks} & set(OF_A_BATTLE)
    if left:
        yield f"marks of a battle are left after it: {', '.join(sorted(left))}"


def _of_markers(view: View) -> Iterator[str]:
    """Whoever fights has its marker, unless its cup has none (7.11, D-30)."""
    for (unit, mark), _ in view.position.unit_marks.items():
        kind = view.type(unit)
        if mark == IN_BATTLE and is_army(kind) and unit not in view.position.chits and view.position.cups.get(kind.cup):
            yield f"{view.name(unit)} fights without a marker, and cup {kind.cup} is not empty"
