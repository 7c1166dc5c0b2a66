"""Faults of a map are found from its tables alone."""

from __future__ import annotations

import re

import pytest

from core.datafile import Faults
from core.pack import Pack
from core.trials.map_check import check_map
from rasputitsa import packs

GAME = "war_for_the_motherland"


def faults_with(name: str, *, without: str = "", more: str = "", instead: tuple[str, str] = ("", "")) -> list[str]:
    """Return the faults that a change to a file of the map brings: a row taken out, one added, one piece of text replaced."""
    base = packs.base_files(GAME)
    text = base[name].decode()
    if without:
        text = "".join(line for line in text.splitlines(keepends=True) if not line.startswith(without))
    if instead[0]:
        assert instead[0] in text
        text = text.replace(*instead, 1)
    return [str(fault) for fault in found({**base, name: (text + more).encode()}) if str(fault) not in _now()]


def found(files: dict[str, bytes]) -> list[object]:
    faults = Faults()
    check_map(Pack(files), faults)
    return list(faults.found)


def line_of(name: str, row: str) -> int:
    """Return the line of the row of one of the pack's tables that begins so."""
    return next(i for i, line in enumerate(packs.base_files(GAME)[name].decode().splitlines(), 1) if line.startswith(row))


def _now() -> set[str]:
    return {str(fault) for fault in found(packs.base_files(GAME))}


def test_the_maps_have_no_fault() -> None:
    assert [str(fault) for fault in found(packs.base_files(GAME))] == []


def test_a_gap_in_a_river_leaves_it_with_two_open_ends() -> None:
    told = faults_with("map/E/hexsides.csv", without="E1705,E1806,minor_river,Vyatka")
    assert len(told) == 1
    assert "Vyatka has 2 open ends" in told[0] or "Vyatka has 3 open ends" in told[0]


def test_a_hexside_twice_or_the_wrong_way_round_is_named_with_its_line() -> None:
    told = faults_with("map/E/hexsides.csv", more="E1607,E1608,minor_river,Vyatka,\nE1707,E1607,minor_river,Vyatka,\n")
    assert any("each hexside once" in line for line in told)
    assert any("the lower label first" in line for line in told)


def test_hexes_that_are_no_neighbours_are_named() -> None:
    told = faults_with("map/E/rails.csv", more="E1607,E5505,X1,,a railway through the air\n")
    assert any("two neighbouring hexes" in line and "E1607 and E5505" in line for line in told)


def test_a_railway_that_ends_in_the_open_is_named() -> None:
    told = faults_with("map/E/rails.csv", more="E5410,E5411,X1,,to nowhere\n")
    assert any("a railway that ends at a named place" in line for line in told)


def test_a_hex_without_terrain_is_named() -> None:
    told = faults_with("map/E/hexes.csv", instead=("E1601,forest", "E1601,"))
    assert len(told) == 1
    assert "map/E/hexes.csv:2: terrain" in told[0]


@pytest.mark.parametrize("label", ["E9999", "Q0101"])
def test_a_hexside_of_no_hex_is_named(label: str) -> None:
    told = faults_with("map/E/hexsides.csv", more=f"E1607,{label},minor_river,Vyatka,\n")
    assert any("hexes of the map" in line and label in line for line in told)


def test_sections_that_print_different_things_in_a_shared_hex_are_named() -> None:
    told = faults_with("map/C/hexes.csv", instead=("C4401,clear", "C4401,swamp"))
    line = line_of("map/E/hexes.csv", "E4417,")
    assert told == [f"map/E/hexes.csv:{line}: terrain: expected what C4401, the same hex, has: swamp, got clear in E4417"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("E5317,clear,major,", "E5317,clear,minor,", "city: expected what C5301, the same hex, has: major, got minor in E5317"),
        ("Rostov,azov,", "Rostov,,", "port: expected what C5301, the same hex, has: azov, got nothing in E5317"),
        ("azov,soviet,edge", "azov,,edge", "country: expected what C5301, the same hex, has: soviet, got nothing in E5317"),
        (",edge", ",edge;fortress", "features: expected what C5301, the same hex, has: nothing, got fortress in E5317"),
    ],
)
def test_all_that_is_printed_in_a_shared_hex_is_compared(old: str, new: str, told: str) -> None:
    line = line_of("map/E/hexes.csv", "E5317,")
    row = packs.base_files(GAME)["map/E/hexes.csv"].decode().splitlines()[line - 1]
    assert faults_with("map/E/hexes.csv", instead=(row, row.replace(old, new))) == [f"map/E/hexes.csv:{line}: {told}"]


@pytest.mark.parametrize(
    ("table", "row", "told"),
    [
        (
            "hexsides",
            "C4301,C4401,",
            "expected the same as in section C, which has no major_river, got major_river at E4317/E4417",
        ),
        ("rails", "C5501,C5601,", "expected the same as in section C, which has no"),
    ],
)
def test_a_hexside_that_one_section_alone_has_is_named(table: str, row: str, told: str) -> None:
    (first, *_) = [line for line in faults_with(f"map/C/{table}.csv", without=row) if told in line]
    assert re.match(rf"map/E/{table}\.csv:[0-9]+: expected", first)


def test_a_hexside_that_the_later_section_lacks_is_named_with_where_the_other_has_it() -> None:
    line = line_of("map/C/hexsides.csv", "C4301,C4401,major_river")
    told = faults_with("map/E/hexsides.csv", without="E4317,E4417,major_river")
    expected = f"the same as map/C/hexsides.csv:{line}, which has major_river"
    assert f"map/E/hexsides.csv: expected {expected}, got no major_river at E4317/E4417" in told
