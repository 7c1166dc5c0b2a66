"""Setting a scenario up: counters, control, cups, air fleets (5.71, 7.15, 16.2, 16.44).

Rules: 4.14 (placing), 5.71, 7.15, 16.21, 16.22, 16.23, 16.44.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.board import Hex
from core.datafile import Faults
from core.events import ChitPlaced, ControlChanged, CupFilled, Event, Placed, StepsChanged, TrackSet
from core.game import Game
from core.pack import Pack, Scenario
from core.rulesets.war_for_the_motherland.terms import AXIS, SOVIET
from core.units import Side, UnitId
from core.views import View

AXIS_HOME = frozenset({"germany", "finland", "poland", "hungary", "rumania"})  # 5.71


def set_up(game: Game) -> Iterator[Event]:
    """Place what the scenario names, fill the cups, give control."""
    scenario = game.setting.scenario
    yield TrackSet("turn", scenario.first_turn)
    for number, line in enumerate(scenario.setup):
        steps = line.steps or game.types[line.type].steps
        yield Placed(UnitId(number), line.type, line.name, game.board.place(line.place), steps)
    yield from fill_cups(game)
    yield from preset_markers(game)
    yield from give_control(game)


def fill_cups(game: Game) -> Iterator[Event]:
    """Put the markers received so far into their cups (7.15), those of 16.44 left out."""
    rules = game.setting.scenario.rules
    until, without_star = rules.get("markers_until", 1), rules.get("without_star_of", ())
    for marker in game.charts.mix.marker:
        if marker.turn <= until and not (marker.star and marker.cls in without_star):  # 16.44
            yield CupFilled(marker.cls, marker.chit, marker.count)


def preset_markers(game: Game) -> Iterator[Event]:
    """Lay the markers that a scenario names under their armies (16.23)."""
    for kind, name, chit, steps in game.setting.scenario.rules.get("preset_markers", ()):
        unit = next(u.id for u in game.position.units.values() if (u.type, u.name) == (kind, name))
        yield ChitPlaced(game.charts.markers[chit].cls, chit, unit)
        yield StepsChanged(unit, steps)


def has_control(view: View, here: Hex) -> bool:
    """Say whether control of a hex is kept: major cities, ports and victory cities (5.72, 15.12, D-27)."""
    fact = view.board.facts[here]
    cities = view.setting.scenario.rules.get("victory", {}).get("cities", {})
    return fact.city == "major" or bool(fact.port) or "fortress" in fact.features or fact.label in cities


def give_control(game: Game) -> Iterator[Event]:
    """Give each such hex to the side whose units stand in it, else by country (5.71)."""
    for index in range(game.board.size):
        here = Hex(index)
        if has_control(game, here):
            yield ControlChanged(here, _first_holder(game, here))


def _first_holder(game: Game, here: Hex) -> Side:
    standing = {game.side(unit) for unit in game.position.at(here)}
    if standing:
        return AXIS if AXIS in standing else SOVIET
    return AXIS if game.board.facts[here].country in AXIS_HOME else SOVIET  # 5.71


def check_scenario(pack: Pack, scenario: Scenario) -> None:
    """Check what the rules say of a scenario's own words; BadInput with all faults."""
    faults = Faults()
    file = pack.toml(f"scenarios/{scenario.id}.toml")
    units = {(line.type, line.name) for line in scenario.setup}
    for i, row in enumerate(scenario.rules.get("preset_markers", ())):
        if not (isinstance(row, list) and len(row) == 4 and (row[0], row[1]) in units):
            faults.add(file.where("rules.preset_markers"), "[unit type, designation, marker, steps] of a unit of the set-up", row)
            del i
    for key in ("axis_sources", "soviet_sources"):
        if not scenario.rules.get(key):
            faults.add(file.where(f"rules.{key}"), "at least one hex", scenario.rules.get(key, "none"))
    faults.check()
