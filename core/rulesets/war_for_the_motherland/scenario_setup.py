"""Setting a scenario up: counters, control, cups, air fleets (5.71, 7.15, 16.2, 16.44).

Rules: 4.14 (placing), 5.71a, 5.71b, 7.15a, 12.0a, 15.0, 16.1a, 16.1b, 16.2a, 16.2b, 16.21a to 16.21c, 16.22a to 16.22c, 16.23a, 16.23b,
16.42a, 16.42b, 16.43, 16.44.
Without map N: `without_north`; the first turn of June 1941: `first_turn`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from core.board import Hex
from core.datafile import Faults, TomlFile, read_csv
from core.events import ChitPlaced, ControlChanged, CupFilled, Event, Placed, StepsChanged, TrackSet
from core.game import Game
from core.pack import HEX_COLUMNS, Pack, Scenario
from core.rulesets.war_for_the_motherland import first_turn, map_words, scenario_words, strength_markers
from core.rulesets.war_for_the_motherland.terms import AXIS, SOVIET
from core.rulesets.war_for_the_motherland.victory import Conditions
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
    yield from first_turn.freeze(game)  # 17.42a
    yield from fill_cups(game)
    yield from preset_markers(game)
    yield from give_control(game)


def fill_cups(game: Game) -> Iterator[Event]:
    """Put the markers received so far into their cups (7.15), those of 16.44 left out."""
    without_star = game.setting.scenario.rules.get("without_star_of", ())
    for marker in game.charts.mix.marker:
        if strength_markers.is_there_at_start(game, marker) and not (marker.star and marker.cls in without_star):  # 16.44
            yield CupFilled(marker.cls, marker.chit, marker.count)


def preset_markers(game: Game) -> Iterator[Event]:
    """Lay the markers that a scenario names under their armies (16.23)."""
    standing = {(unit.type, unit.name): unit.id for unit in game.position.units.values()}
    for kind, name, chit, steps in game.setting.scenario.rules.get("preset_markers", ()):
        if (unit := standing.get((kind, name))) is not None:  # one whose line is at fault is left out where the rest is checked
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
    fact = game.board.facts[here]
    taken = fact.label in game.setting.scenario.rules.get("axis_control", ())  # before the first turn
    return AXIS if taken or fact.country in AXIS_HOME else SOVIET  # 5.71


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that a scenario may say in its table ``[rules]``; hexes by their labels.

    *axis_control*: cities that the Axis took before the first turn. *skipped*: (turn, phase) that are left out (16.45).
    *preset_markers*: (unit type, designation, marker, steps) (16.23). *conquered_sources*, *not_for_arrivals*: 19.44.
    *turn_without_rivers*: the turn on which Germans ignore them, 0 for none (17.41). *frozen_countries*: as the map spells them (17.42).
    *moscow_die*: 19.43. *unsupplied*: where units begin out of supply, as history had them; for `set_up_check`.
    """

    axis_sources: tuple[str, ...] = ()
    soviet_sources: tuple[str, ...] = ()
    axis_control: tuple[str, ...] = ()
    conquered_sources: tuple[str, ...] = ()
    not_for_arrivals: tuple[str, ...] = ()
    sea_movement: bool = True
    osg_production: bool = True
    guard_and_shock_on_map: bool = False
    markers_until: int = 1
    without_star_of: tuple[str, ...] = ()
    skipped: tuple[tuple[int, str], ...] = ()
    preset_markers: tuple[tuple[str, str, str, int], ...] = ()
    turn_without_rivers: int = 0
    frozen_countries: tuple[str, ...] = ()
    moscow_die: bool = False
    unsupplied: tuple[str, ...] = ()
    victory: dict[str, Any] = {}


def check_scenario(pack: Pack, scenario: Scenario) -> None:
    """Check what the rules say of a scenario's own words; BadInput with all faults."""
    faults = Faults()
    file = pack.toml(f"scenarios/{scenario.id}.toml")
    words: Words | None = file.struct(scenario.rules, Words, "rules", faults)
    faults.check()
    assert words is not None
    units = {(line.type, line.name) for line in scenario.setup}
    for row in words.preset_markers:
        if row[:2] not in units and file.has_all("setup"):  # else it may be among what is at fault
            faults.add(file.where("rules.preset_markers"), "a unit of the set-up", ", ".join(row[:2]))
    for key in ("axis_sources", "soviet_sources"):
        if not getattr(words, key):
            faults.add(file.where(f"rules.{key}"), "at least one hex", "none")
    scenario_words.check_words(pack, file, scenario, words, faults)
    _check_places(pack, file, scenario, faults)
    _check_arrivals(file, scenario, faults)
    _check_victory(file, scenario, faults)
    faults.check()


def _check_places(pack: Pack, file: TomlFile, scenario: Scenario, faults: Faults) -> None:
    """Everybody stands on the map in play or in a box, and so do sources and victory cities."""
    first, last = scenario.lines or (0, 99)
    hexes: dict[str, str] = {}  # label: country
    for letter in scenario.sections:
        name = f"map/{letter}/hexes.csv"
        map_words.check_sides(pack, letter, faults)
        for number, row in read_csv(name, pack.files.get(name, b""), HEX_COLUMNS, faults):
            map_words.check_hex(f"{name}:{number}", row, faults)
            if row["hex"][-4:-2].isdigit() and first <= int(row["hex"][-4:-2]) <= last:
                hexes[row["hex"]] = row["country"]
    for i, line in enumerate(scenario.setup):
        if line.place not in hexes and line.place not in pack.manifest.boxes:
            faults.add(file.where(f"setup[{i}]"), "a hex in play or a box", line.place)
    cities = scenario.rules.get("victory", {}).get("cities", {})
    for key in ("axis_sources", "soviet_sources", "axis_control", "conquered_sources", "not_for_arrivals", "unsupplied"):
        for label in scenario.rules.get(key, ()):
            if label not in hexes:
                faults.add(file.where(f"rules.{key}"), "hexes in play", label)
    for country in scenario.rules.get("frozen_countries", ()):
        if country not in hexes.values():
            faults.add(file.where("rules.frozen_countries"), "a country of the map in play", country)
    for label in cities if isinstance(cities, dict) else ():  # of what is no table `_check_victory` tells
        if label not in hexes:
            faults.add(file.where("rules.victory.cities"), "hexes in play", label)


def _check_arrivals(file: TomlFile, scenario: Scenario, faults: Faults) -> None:
    """Nobody arrives in a phase that the scenario leaves out, or out of its turns (13.0, 16.45)."""
    skipped = scenario.rules.get("skipped", [])
    for i, arrival in enumerate(scenario.arrival):
        if not scenario.first_turn <= arrival.turn <= scenario.last_turn:
            faults.add(file.where(f"arrival[{i}].turn"), f"a turn from {scenario.first_turn} to {scenario.last_turn}", arrival.turn)
        if [arrival.turn, f"{arrival.side}_movement"] in skipped:
            faults.add(file.where(f"arrival[{i}].turn"), "a turn whose movement phase is played", arrival.turn)


def _check_victory(file: TomlFile, scenario: Scenario, faults: Faults) -> None:
    found = file.struct(scenario.rules.get("victory", {}), Conditions, "rules.victory", faults)
    if found is None:
        return
    least = [level.least for level in found.ladder()]
    if not least or least[0] != 0 or least != sorted(set(least)):
        faults.add(file.where("rules.victory"), "axis_wins above draw_from, or levels whose least points rise from 0", least)
