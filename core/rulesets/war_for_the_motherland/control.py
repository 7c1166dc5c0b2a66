"""Control of cities and ports, and what else the first unit in a hex changes (5.7, 8.47, 9.32).

Rules: 5.72a, 5.72b, 5.72c, 5.73, 5.74, 8.47b, 8.47c, 9.32b, 19.43a; D-22, D-27.
A control marker lies where the holder is not the one of 5.71.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.board import Hex
from core.events import ControlChanged, Event, PlaceMarked
from core.game import Game
from core.ruleset import Overlay
from core.rulesets.war_for_the_motherland import front, moscow, weather
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.scenario_setup import AXIS_HOME, has_control
from core.rulesets.war_for_the_motherland.terms import AXIS, DESTROYED, SOVIET, is_unit, side_title
from core.text import text
from core.units import Side, UnitId
from core.views import View


def enter(game: Game, units: tuple[UnitId, ...], here: Hex) -> Iterator[Event]:
    """Do what it means that units enter a hex, if only in passing (5.72a)."""
    sides = {game.side(unit) for unit in units if is_unit(game.type(unit))}  # 5.72b
    for side in sorted(sides):
        if has_control(game, here) and game.position.control.get(here) != side:
            yield ControlChanged(here, side)  # 5.72a, 5.73, 5.74
        if side == AXIS and is_lost_to_axis(game, here):
            falls = moscow.is_moscow(game, here) and moscow.is_open(game)
            yield PlaceMarked((here,), DESTROYED)  # 8.47b, 9.32b
            if falls:
                yield from moscow.roll(game)  # 19.43a


def is_lost_to_axis(view: View, here: Hex) -> bool:
    """Say whether an Axis unit in a hex destroys what is there for good: a fortress, or Moscow as a source."""
    return weather.is_fortress(view, here) or (moscow.is_moscow(view, here) and not view.position.place_mark(here, DESTROYED))


def home(view: View, here: Hex) -> Side:
    """Return the side whose country a hex lies in, as control goes by it at the start (5.71)."""
    return AXIS if view.board.facts[here].country in AXIS_HOME else SOVIET


def has_marker(view: View, here: Hex) -> bool:
    """Say whether a control marker lies in a hex (5.73, 5.74)."""
    return here in view.position.control and view.position.control[here] != home(view, here)


@RULES.overlay("control")
def control_overlay(view: View, side: Side) -> Overlay:
    """Show the cities and ports that a side holds (a star where a control marker says so), and its side of the front."""
    held = {here: "★" if has_marker(view, here) else "" for here, holder in sorted(view.position.control.items()) if holder == side}
    return Overlay(text("Held by the {side}", side=side_title(side)), held, front=front.front(view, side))
