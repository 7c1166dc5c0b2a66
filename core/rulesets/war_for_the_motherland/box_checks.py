"""What may lie in the boxes beside the map, and that nothing is lost from them; for `invariants`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from core.rulesets.war_for_the_motherland.terms import (
    ARRIVALS,
    BROKEN_DOWN,
    CONVERSION_WAITING,
    CONVERTED,
    DESTROYED_EA,
    DUE,
    EVACUATED,
    FLEETS,
    PARATROOP_WAITING,
    SOVIET,
    TRACK,
    is_army,
    is_corps,
    is_ea,
    is_german,
)
from core.units import UnitType
from core.views import View

Belongs = Callable[[UnitType], bool]


def _may_be_built(kind: UnitType) -> bool:
    """German corps (14.23) and regular Soviet armies (20.21)."""
    return (is_german(kind) and is_corps(kind)) or (is_army(kind) and kind.kind == "infantry")


BELONGS: Mapping[str, Belongs] = {
    FLEETS: lambda kind: kind.kind == "air_fleet",  # 10.13
    CONVERSION_WAITING: lambda kind: kind.kind in ("guard", "shock"),  # 13.21
    PARATROOP_WAITING: lambda kind: kind.kind == "airborne",  # 13.41
    DESTROYED_EA: is_ea,  # 12.12
    EVACUATED: lambda kind: kind.kind == "factory",  # 12.31
    CONVERTED: lambda kind: is_army(kind) and kind.kind == "infantry",  # 13.26
    BROKEN_DOWN: _may_be_built,
}
ON_MAP_OR = {"factory": (DESTROYED_EA, EVACUATED), "guard": (CONVERSION_WAITING,), "shock": (CONVERSION_WAITING,)}


def broken(view: View) -> Iterator[str]:
    """Yield which counters lie where they don't belong, or are nowhere though they can't leave the game."""
    board, position = view.board, view.position
    for box, belongs in BELONGS.items():
        for unit in position.at(board.box(box)):
            if not belongs(view.type(unit)):
                yield f"{view.name(unit)} lies in box {box}"
    for unit in position.at(board.box(TRACK)):
        if position.mark(unit, DUE) < position.turn:
            yield f"{view.name(unit)} lies on the turn track, due on turn {position.mark(unit, DUE)}"  # 13.51
    waits = (board.box(TRACK), board.box(ARRIVALS))
    for unit in position.marked(DUE):
        if view.unit(unit).place not in waits:
            yield f"{view.name(unit)} is due though it does not wait"
    yield from _of_what_stays(view)


def _of_what_stays(view: View) -> Iterator[str]:
    """EA, Guard and Shock armies are on the map or in their boxes, whatever happens (12.12, 12.32, 13.57)."""
    board = view.board
    may_arrive = view.setting.scenario.rules.get("guard_and_shock_on_map")  # 16.33
    for unit in view.position.units.values():
        kind = view.types[unit.type]
        if unit.place >= 0 or kind.side != SOVIET or not (is_ea(kind) or kind.kind in ON_MAP_OR):
            continue
        boxes = ON_MAP_OR.get(kind.kind, (DESTROYED_EA,)) + ((ARRIVALS,) if may_arrive and is_army(kind) else ())
        if board.label(unit.place) not in boxes:
            yield f"{view.name(unit.id)} is in {board.label(unit.place)}, not on the map or in {' or '.join(boxes)}"
