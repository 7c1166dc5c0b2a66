"""Whether a scenario's numbers, sides and counters fit its own pack, whatever its ruleset: an owner may have typed it in.

What no rule could play with is a fault here; a unit with more steps than its counter, or reinforcements of a side that there is not, would
go into a game without a word, and break it later.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from core.units import Side, UnitType

if TYPE_CHECKING:
    from core.datafile import Faults, TomlFile
    from core.pack import Scenario

MONTH = re.compile(r"[0-9]{4}(-(0[1-9]|1[0-2]))?")
MONTH_WORDS = "a year or a month such as 1942-08"
NO_LINE = 100  # labels have two digits


def check_scenario(file: TomlFile, scenario: Scenario, sides: tuple[Side, ...], types: Mapping[str, UnitType], faults: Faults) -> None:
    """Note all that a scenario says and its pack can't keep; *types* are those that are in order."""
    _check_extent(file, scenario, faults)
    _check_set_up(file, scenario, types, faults)
    _check_arrivals(file, scenario, sides, types, faults)


def _check_extent(file: TomlFile, scenario: Scenario, faults: Faults) -> None:
    if scenario.first_turn < 1:
        faults.add(file.where("first_turn"), "a turn from 1 on", scenario.first_turn)
    if scenario.last_turn < scenario.first_turn:
        faults.add(file.where("last_turn"), f"a turn from {scenario.first_turn} on, the first", scenario.last_turn)
    if scenario.lines is not None and not 0 <= scenario.lines[0] <= scenario.lines[1] < NO_LINE:
        faults.add(file.where("lines"), "first and last line, such as [43, 70]", list(scenario.lines))
    if not MONTH.fullmatch(scenario.rails_until):
        faults.add(file.where("rails_until"), MONTH_WORDS, scenario.rails_until)
    if not scenario.sections:
        faults.add(file.where("sections"), "at least one section of the map", "none")
    for letter in sorted({one for one in scenario.sections if scenario.sections.count(one) > 1}):
        faults.add(file.where("sections"), "each section once", f"{letter} again")


def _check_set_up(file: TomlFile, scenario: Scenario, types: Mapping[str, UnitType], faults: Faults) -> None:
    first: dict[tuple[str, str], int] = {}
    for i, line in enumerate(scenario.setup):
        kind = types.get(line.type)
        if kind is not None and not 0 <= line.steps <= kind.steps:
            faults.add(file.where(f"setup[{i}]"), f"1 to {kind.steps} steps, or none for full strength", f"{line.steps} steps")
        before = first.setdefault((line.type, line.name), i)
        if before != i:
            there = file.line_of(f"setup[{before}]")
            faults.add(file.where(f"setup[{i}]"), f"each counter once (it is in line {there})", f"{line.type} {line.name} again")


def _check_arrivals(file: TomlFile, scenario: Scenario, sides: tuple[Side, ...], types: Mapping[str, UnitType], faults: Faults) -> None:
    for i, arrival in enumerate(scenario.arrival):
        if arrival.side not in sides:
            faults.add(file.where(f"arrival[{i}].side"), " or ".join(sides), arrival.side)
            continue
        for id, name in arrival.units:
            kind = types.get(id)
            if kind is not None and kind.side != arrival.side:
                faults.add(file.where(f"arrival[{i}].units"), f"units of the side {arrival.side}", f"{id} {name} of the side {kind.side}")
