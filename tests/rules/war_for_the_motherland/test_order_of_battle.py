"""Who is set up where and who comes when, held against the order of battle and the front of the day (16.2, 17.2, 18.2, 19.2)."""

from __future__ import annotations

import json
import math
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from core.pack import Scenario
from core.rulesets.war_for_the_motherland.terms import AXIS, EA_KINDS
from core.units import UnitType
from mapmaker.grid import Grid
from tests.packs import pack_of

NAME = "war_for_the_motherland"
LONG = ("fall_barbarossa", "road_to_stalingrad", NAME)
EVERY = (*LONG, "turning_point")
GEO = Path(__file__).parents[3] / "scenarios" / "geo"
FRONT_OF = {"turning_point": "1942-11-19"}
Point = tuple[float, float]
Stretch = tuple[Point, Point, float]


@cache
def listed() -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / "order_of_battle_1941.toml").read_text(encoding="utf-8"))


@cache
def grid() -> Grid:
    return Grid.load(GEO / NAME)


def scenario_of(name: str) -> Scenario:
    return pack_of(NAME).scenarios[name]


def kind_of(name: str) -> UnitType:
    return pack_of(NAME).types[name]


def troops(scenario: Scenario) -> dict[tuple[str, str], str]:
    """Return the hex of every counter that stands on the map and is no Economic Asset."""
    lines = (line for line in scenario.setup if line.place[1:].isdigit() and kind_of(line.type).kind not in EA_KINDS)
    return {(line.type, line.name): line.place for line in lines}


def test_soviet_corps_are_named_in_one_form_and_no_designation_bears_a_point() -> None:
    scenarios = [scenario_of(name) for name in EVERY]
    named = {(line.type, line.name) for one in scenarios for line in one.setup}
    named |= {(kind, name) for one in scenarios for arrival in one.arrival for kind, name in arrival.units}
    assert [name for _, name in named if name.endswith(".")] == []
    corps = {"sov_infantry_corps", "sov_mechanized_corps"}
    told = {kind_of(kind).called(name) for kind, name in named if kind in corps}
    assert {"5. Rifle Corps", "4. Mechanized Corps", "Riga Rifle Corps"} <= told
    assert [name for name in told if name[:1].isdigit() and ". " not in name] == []


def distance(one: str, other: str) -> float:
    """Return how far apart two hexes of any sections are, in hexes."""
    a, b = (grid().centre(grid().spot(label)) for label in (one, other))
    return math.dist((float(a[0]), float(a[1])), (float(b[0]), float(b[1])))


# -------------------------------------------------------------------- who


@pytest.mark.rule(NAME, "17.2a", "18.2", "19.2")
@pytest.mark.parametrize("name", LONG)
def test_everybody_of_june_1941_on_its_maps_is_there_and_nobody_else(name: str) -> None:
    scenario = scenario_of(name)
    expected = {(kind, unit) for hex_, kind, unit in (*listed()["axis"], *listed()["soviet"]) if hex_[0] in scenario.sections}
    assert set(troops(scenario)) == expected


@pytest.mark.rule(NAME, "17.3", "18.3", "19.3")
@pytest.mark.parametrize("name", LONG)
def test_those_who_come_later_come_on_the_turn_of_the_list(name: str) -> None:
    scenario = scenario_of(name)
    coming = Counter((arrival.turn, arrival.side, *unit) for arrival in scenario.arrival for unit in arrival.units)
    assert coming == Counter(tuple(row) for row in listed()["arrivals"] if row[0] <= scenario.last_turn)


@pytest.mark.parametrize("name", EVERY)
def test_nobody_is_set_up_twice_comes_twice_or_comes_though_he_is_there(name: str) -> None:
    scenario = scenario_of(name)
    counters = [(line.type, line.name) for line in scenario.setup]
    counters += [(kind, unit) for arrival in scenario.arrival for kind, unit in arrival.units]
    assert [counter for counter, times in Counter(counters).items() if times > 1] == []


# -------------------------------------------------------------------- where


@pytest.mark.parametrize("name", LONG)
def test_everybody_of_june_1941_stands_where_he_stood(name: str) -> None:
    farther = listed()["farther"]
    there = troops(scenario_of(name))
    off = {}
    for hex_, kind, unit in (*listed()["axis"], *listed()["soviet"]):
        allowed = farther.get(f"{kind} {unit}", listed()["tolerance"])
        if (kind, unit) in there and distance(there[kind, unit], hex_) > allowed + 0.01:
            off[f"{kind} {unit}"] = (hex_, there[kind, unit])
    assert off == {}


@pytest.mark.rule(NAME, "16.21a", "16.22a")
def test_everybody_of_november_1942_stands_on_his_side_of_the_front() -> None:
    scenario = scenario_of("turning_point")
    front = list(_stretches(FRONT_OF["turning_point"]))
    wrong = {}
    for (kind, unit), label in troops(scenario).items():
        off, side = _from_front(label, front)
        if (side == AXIS) != (kind_of(kind).side == AXIS) and off > 0:
            wrong[f"{kind} {unit} in {label}"] = round(off, 2)
    assert wrong == {}


def _stretches(date: str) -> Iterator[Stretch]:
    """Return the main line of a date piece by piece, with how far each may be wrong; the Soviets are to the left of who goes along it."""
    for feature in json.loads((GEO / "fronts.geojson").read_text(encoding="utf-8"))["features"]:
        facts = feature["properties"]
        if facts["date"] != date or "inside" in facts:
            continue
        accuracy = facts["accuracy_km"] / grid().spec.geometry.hex_km
        xs, ys = zip(*feature["geometry"]["coordinates"], strict=True)
        points = [(float(x), float(y)) for x, y in grid().forward(xs, ys)]
        yield from ((one, other, accuracy) for one, other in pairwise(points) if one != other)


def _from_front(label: str, front: list[Stretch]) -> tuple[float, str]:
    """Return how far a hex lies from the front beyond the line's accuracy, and whose side of it it is."""
    centre = grid().centre(grid().spot(label))
    here = float(centre[0]), float(centre[1])
    gap, (one, other, accuracy) = min((_gap(here, one, other), (one, other, accuracy)) for one, other, accuracy in front)
    turn = (other[0] - one[0]) * (here[1] - one[1]) - (other[1] - one[1]) * (here[0] - one[0])
    return gap - accuracy, AXIS if turn > 0 else "soviet"


def _gap(here: Point, one: Point, other: Point) -> float:
    along = (other[0] - one[0], other[1] - one[1])
    share = ((here[0] - one[0]) * along[0] + (here[1] - one[1]) * along[1]) / (along[0] ** 2 + along[1] ** 2)
    share = max(0.0, min(1.0, share))
    return math.dist(here, (one[0] + share * along[0], one[1] + share * along[1]))
