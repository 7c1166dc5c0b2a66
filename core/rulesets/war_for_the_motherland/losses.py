"""Step losses: the ladder of a unit, and who of several bears the next one (8.85, 8.9).

Rules: 8.85a, 8.85b, 8.91a, 8.91b, 8.92, 8.93, 8.94a, 8.94b, 8.95a, 8.95b, 8.101c.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable

from core.events import Event, Marked, Placed, Removed, StepsChanged
from core.game import Game
from core.rulesets.war_for_the_motherland import recovery, strength_markers, zoc
from core.rulesets.war_for_the_motherland.terms import BATTLE_LOST, BROKEN_DOWN, IN_BATTLE, name_or_free
from core.text import Text, text
from core.units import UnitId
from core.views import View


def steps_left(view: View, unit: UnitId) -> int:
    """Return how many steps a unit can lose, those of the KG that would replace it included (8.91 to 8.93)."""
    if strength_markers.lacks_marker(view, unit) and not view.position.cups.get(view.type(unit).cup):
        return 1  # D-30
    return view.unit(unit).steps


def bearers(view: View, units: Iterable[UnitId]) -> tuple[UnitId, ...]:
    """Return which of some units may lose the next step: those with a ZOC first, and evenly among them (D-39)."""
    some = tuple(units)
    able = [unit for unit in some if zoc.exerts_zoc(view, unit)] or some  # 8.85b, 8.95b
    lost = {unit: view.position.mark(unit, BATTLE_LOST) for unit in able}
    least = min(lost.values(), default=0)
    return tuple(unit for unit in able if lost[unit] == least)  # 8.85a, 8.95a


def end_of(view: View, unit: UnitId) -> Text | None:
    """Return what a unit's loss of a step is called where another counter, or none, will stand there; None where it only grows weaker."""
    if steps_left(view, unit) == 1:
        return text("{unit}: eliminated", unit=view.name(unit))
    then = view.type(unit).then
    if then and view.unit(unit).steps - 1 == view.types[then].steps:
        other = view.types[then].called(view.unit(unit).name)
        return text("{unit}: becomes {other}", unit=view.name(unit), other=other)
    return None


def lose_step(game: Game, unit: UnitId) -> Generator[Event, None, UnitId | None]:
    """Take one step from a unit; return who stands there afterwards: the unit, the KG that replaces it, or None.

    An army without a marker draws one for the loss (D-60).
    """
    yield from strength_markers.draw_for(game, unit)
    if steps_left(game, unit) == 1:
        yield from recovery.eliminate(game, unit)  # 8.94
        return None
    left = game.unit(unit).steps - 1
    then = game.type(unit).then
    if then and left == game.types[then].steps:
        unit = yield from _replace(game, unit, then)  # 8.91
    else:
        yield StepsChanged(unit, left)
    if game.position.mark(unit, IN_BATTLE):
        yield Marked((unit,), BATTLE_LOST, game.position.mark(unit, BATTLE_LOST) + 1)
    return unit


def _replace(game: Game, corps: UnitId, then: str) -> Generator[Event, None, UnitId]:
    """Put a KG in the place of a corps, with all its marks and its name; the corps may be built again (14.23).

    A corps that was built again finds its name with the KG of its first fall, if that stands yet: then the new one gets a letter.
    """
    counter = game.unit(corps)
    marks = game.position.marks_of(corps)
    if recovery.is_buildable(game, corps):
        yield from recovery.to_box(game, corps, BROKEN_DOWN, "replaced")
    else:
        yield Removed(corps, "replaced")
    kg = UnitId(game.position.next_unit)
    yield Placed(kg, then, name_or_free(game, then, counter.name), counter.place, game.types[then].steps)
    for mark, value in marks:
        yield Marked((kg,), mark, value)
    return kg
