"""Supply of random armies on random ground: the game and a second reading of the text agree about every unit."""

from __future__ import annotations

import random

import pytest

from core.events import PlaceMarked, TrackSet
from core.rulesets.war_for_the_motherland import supply, zoc
from core.trials.table import PlainBoard, Table
from tests.rules.war_for_the_motherland import supply_by_the_text as text
from tests.rules.war_for_the_motherland.conftest import NewTable

R = "war_for_the_motherland"
MUD, SUMMER, SNOW = 12, 13, 9
ROWS, COLUMNS = range(16, 27), range(1, 21)
RAIL_ROWS = (16, 17, 20, 22, 23)
DRY = ("clear", "clear", "clear", "clear", "clear", "forest", "swamp", "tundra", "mountain")
SIDES = ("minor_river", "major_river", "major_river", "lake", "ice_road", "causeway")
AXIS_TYPES = (
    *("ger_infantry_corps", "ger_panzer_corps", "ger_infantry_kg", "ger_panzer_kg", "ger_mountain_kg", "rum_infantry_corps", "ita_army"),
    *("axis_depot_normal", "axis_depot_extended", "axis_depot_normal", "ger_airbase", "ger_siege_artillery"),
)
SOVIET_TYPES = (
    *("sov_infantry_army", "sov_guard_army", "sov_tank_army", "sov_infantry_corps", "sov_mechanized_corps"),
    *("sov_osg", "sov_factory", "sov_oil_field"),
)
SOURCES = {"axis": ("1618", "2219"), "soviet": ("1702", "2301")}
RUIN = "2219"  # of a fortress, and a source yet: only Moscow feeds nobody once it fell (9.32)


def ground(board: PlainBoard, chance: random.Random) -> None:
    """Lay terrain, rivers, water, fortresses, cities, and railroads from the sources inland."""
    kept = {label for labels in SOURCES.values() for label in labels}
    for label in board.facts:
        if label not in kept:
            board.hex(label, terrain=chance.choice(DRY if int(label[:2]) in RAIL_ROWS else (*DRY, "lake", "lake")))
        if chance.random() < 0.1 and board.facts[label].terrain != "lake":
            board.hex(label, **chance.choice(({"city": "minor"}, {"city": "major"}, {"features": ["fortress"]})))
    board.hex(RUIN, city="", features=["fortress"])
    for row in ROWS:
        for column in COLUMNS[:-1]:
            if chance.random() < 0.2:
                board.side(f"{row}{column:02}", f"{row}{column + 1:02}", chance.choice(SIDES))
    for row in RAIL_ROWS:
        board.rail(*(f"{row}{column:02}" for column in COLUMNS))


def armies(table: Table, board: PlainBoard, chance: random.Random) -> None:
    """Spread both sides' units, never two sides in a hex nor two allied nations, staffs on railroads, then partisans and a fleet."""
    land = [label for label, fact in board.facts.items() if fact.terrain != "lake"]
    stations = chance.sample([spot for spot in land if int(spot[:2]) in RAIL_ROWS], 8)
    spots = chance.sample(sorted(set(land).difference(stations)), 34)
    for spot in stations:
        _place(table, "sov_headquarters" if int(spot[2:]) < 10 else "rum_headquarters", spot, chance)
    for spot in spots[:22]:
        _place(table, chance.choice(AXIS_TYPES), spot, chance)
        if chance.random() < 0.3:
            _place(table, "ger_infantry_kg", spot, chance)
    for spot in spots[22:]:
        _place(table, chance.choice(SOVIET_TYPES), spot, chance)
        if chance.random() < 0.2:
            _place(table, "sov_factory", spot, chance)
    for spot in chance.sample(land, 25):
        table.place("sov_partisan", spot)
    table.place("ger_air_fleet_3", chance.choice(land))


def _place(table: Table, kind: str, spot: str, chance: random.Random) -> None:
    weaker = kind in ("ger_infantry_kg", "ger_panzer_kg") and chance.random() < 0.5
    table.place(kind, spot, steps=1 if weaker else 0)


def field(new_table: NewTable, seed: int, turn: int) -> Table:
    chance, made = random.Random(seed), list[PlainBoard]()

    def edit(board: PlainBoard) -> None:
        made.append(board)
        ground(board, chance)

    rules = {"axis_sources": list(SOURCES["axis"]), "soviet_sources": list(SOURCES["soviet"])}
    table = new_table(edit, rules=rules)
    table.happen(TrackSet("turn", turn))
    armies(table, made[0], chance)
    ruins = [label for label, fact in made[0].facts.items() if "fortress" in fact.features and chance.random() < 0.5]
    table.happen(PlaceMarked(tuple(map(table.hex, sorted({*ruins, RUIN}))), "destroyed"))
    return table


@pytest.mark.rule(R, "4.21a", "4.21b", "4.21c", "4.24a", "5.26a")
@pytest.mark.rule(R, "9.21a", "9.22", "9.25", "9.28a", "9.31a", "9.32a", "9.33", "9.34")
@pytest.mark.rule(R, "9.42", "9.43a", "9.43b", "9.45", "9.46", "9.47", "9.58", "9.61", "9.83", "9.85", "11.24")
@pytest.mark.parametrize("turn", [SUMMER, SNOW, MUD])
@pytest.mark.parametrize("seed", range(4))
def test_a_second_reading_of_the_text_finds_the_same_supply_for_every_unit(new_table: NewTable, seed: int, turn: int) -> None:
    table = field(new_table, seed, turn)
    view, snow = table.view, turn == SNOW
    axis, soviet = (tuple(map(table.hex, SOURCES[side])) for side in ("axis", "soviet"))
    for side in (text.AXIS, text.SOVIET):
        assert zoc.exerted(view, side) == text.zone(view, side, snow=snow)
    found = {unit.id: state for unit, state in text.states(view, axis, soviet, snow=snow)}
    assert set(found.values()) >= {"supplied", "isolated"}
    assert {unit: supply.judge(view, unit) for unit in found} == found
