"""Option ``without_north``: map N and all that begins there are left out, if both players agree (19.45).

It is an option of the game, seen by whoever takes a seat in it. What does not exist is neither destroyed nor counted, no port of the north
can be used, and the Production Numbers stay as they are (D-85). Scenarios without map N stay as they are.

Rules: 19.45; D-85.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from core.pack import Scenario

NORTH = "N"
HEXES = ("axis_sources", "soviet_sources", "axis_control", "conquered_sources", "not_for_arrivals", "unsupplied")  # words that list labels


def applies(scenario: Scenario, options: Mapping[str, bool | int | str]) -> bool:
    """Say whether a scenario is played without its north."""
    return bool(options.get("without_north")) and NORTH in scenario.sections


def left_out(scenario: Scenario) -> Scenario:
    """Return a scenario without map N, the counters that begin there and the hexes that its rules name there."""
    setup = tuple(line for line in scenario.setup if not _is_north(line.place))
    units = {(line.type, line.name) for line in setup}
    rules: dict[str, Any] = dict(scenario.rules)
    for word in HEXES:
        if word in rules:
            rules[word] = [label for label in rules[word] if not _is_north(label)]
    if "preset_markers" in rules:
        rules["preset_markers"] = [row for row in rules["preset_markers"] if (row[0], row[1]) in units]
    if "victory" in rules:
        cities = {label: points for label, points in rules["victory"].get("cities", {}).items() if not _is_north(label)}
        rules["victory"] = {**rules["victory"], "cities": cities}
    return replace(scenario, sections=tuple(letter for letter in scenario.sections if letter != NORTH), setup=setup, rules=rules)


def _is_north(place: str) -> bool:
    """Say whether a label is one of map N: a letter and four digits; boxes are none."""
    return place[:1] == NORTH and place[1:].isdigit()
