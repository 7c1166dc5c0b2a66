"""Combat strength markers of Soviet armies: drawn, kept, taken off (7.0).

Rules: 7.0a, 7.0c, 7.11, 7.12, 7.14a, 7.14b, 7.14c, 7.15, 7.16, 7.21, 7.22, 7.23, 7.24; 3.0.7i, 3.0.7j.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction

from core.board import Hex
from core.events import Event, Explained, Returned, StepsChanged
from core.flow import Step
from core.game import Game
from core.rulesets.war_for_the_motherland.charts import Marker
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.terms import AXIS, is_army, units_at
from core.text import text
from core.units import Face, UnitId
from core.views import View


def is_there_at_start(view: View, marker: Marker) -> bool:
    """Say whether a marker is received before the scenario begins (7.15, 16.44); all others come in their turn (13.32)."""
    return marker.turn <= int(view.setting.scenario.rules.get("markers_until", 1))


def received(view: View) -> Counter[str]:
    """Return how many markers of each kind have come into the game so far, those that have left it included (7.15, 13.32)."""
    rules, turn = view.setting.scenario.rules, view.position.turn
    left_out, before_phase_ends = rules.get("without_star_of", ()), view.position.phase in ("", "mutual_supply")
    found: Counter[str] = Counter()
    for marker in view.charts.mix.marker:
        if is_there_at_start(view, marker):
            come = not (marker.star and marker.cls in left_out)  # 16.44
        else:
            come = marker.turn < turn + (not before_phase_ends)
        found[marker.chit] += marker.count if come else 0
    return found


class RemoveMarkers(Step, frozen=True, kw_only=True):
    """Markers of armies out of contact come off (3.0.7i, 7.21)."""


class DrawMarkers(Step, frozen=True, kw_only=True):
    """Armies in contact draw (3.0.7j, 7.12)."""


def lacks_marker(view: View, unit: UnitId) -> bool:
    """Say whether a unit is an army without a marker."""
    return is_army(view.type(unit)) and unit not in view.position.chits


def in_contact(view: View, unit: UnitId) -> bool:
    """Say whether an Axis unit stands in a neighbouring hex, whatever its ZOC or the hexside (7.12, D-32)."""
    here = view.unit(unit).place
    return here >= 0 and any(units_at(view, there, AXIS) for there in view.board.adjacent[here])


def draw_for(game: Game, army: UnitId) -> Iterator[Event]:
    """Draw a marker for an army that has none, front up; from an empty cup nothing comes, and the log says so (D-30)."""
    kind = game.type(army)
    if not lacks_marker(game, army):
        return  # 7.14b
    if game.unit(army).steps != kind.steps:
        yield StepsChanged(army, kind.steps)  # 7.16
    if game.position.cups.get(kind.cup):
        yield from game.draw(kind.cup, army)  # 7.14a
    else:
        words = text("cup {cup} is empty: {unit} fights as 1-1 with one step", cup=kind.cup, unit=game.name(army))
        yield Explained("empty_cup", words)


def take_off(game: Game, army: UnitId) -> Iterator[Event]:
    """Take the marker from under an army, into its cup, or out of play if it bears a star."""
    marker = game.charts.markers[game.position.chits[army]]
    yield Returned(army, "" if marker.star else marker.cls)  # 7.24, 7.23


def remove_from(game: Game, army: UnitId) -> Iterator[Event]:
    """Take an army's marker off while the army stays; its damage is forgotten."""
    yield from take_off(game, army)
    if game.unit(army).steps != game.type(army).steps:
        yield StepsChanged(army, game.type(army).steps)  # 7.21


def expected(view: View, cup: str, worth: Callable[[Face], int]) -> int | Fraction | None:
    """Return the mean worth of a marker still to be drawn from a cup; None if it is empty. Draws nothing.

    It is a Fraction, be it a whole one, but where each marker of the cup is worth the same: then what will be drawn is known.
    """
    chits = view.position.cups.get(cup, {})
    count = sum(chits.values())
    if not count:
        return None
    fronts = {chit: view.charts.markers[chit].front for chit in chits}
    worths = {chit: worth(Face(front[0], front[1], 0)) for chit, front in fronts.items()}
    if len(known := set(worths.values())) == 1:
        return known.pop()
    return Fraction(sum(n * worths[chit] for chit, n in chits.items()), count)


def _armies_by_hex(view: View) -> list[UnitId]:
    armies = [unit for unit in view.position.on_map() if is_army(view.types[unit.type])]
    return [unit.id for unit in sorted(armies, key=lambda unit: (Hex(unit.place), unit.id))]


@RULES.step(RemoveMarkers)
def remove_markers(game: Game, step: RemoveMarkers) -> Iterator[Event]:
    """Take off every marker whose army is out of contact, front or back (7.21)."""
    for army in _armies_by_hex(game):
        if army in game.position.chits and not in_contact(game, army):
            yield from remove_from(game, army)


@RULES.step(DrawMarkers)
def draw_markers(game: Game, step: DrawMarkers) -> Iterator[Event]:
    """Draw for each army in contact that has none, in hex order (7.12)."""
    for army in _armies_by_hex(game):
        if lacks_marker(game, army) and in_contact(game, army):
            yield from draw_for(game, army)
