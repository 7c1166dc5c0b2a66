"""Corrections: what they change, and what is told of faulty and idle ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import BadInput
from mapmaker.corrections import Correction, HexChange, correct, read_corrections
from mapmaker.draft import Draft, RailFact
from mapmaker.grid import Grid
from mapmaker.lattice import Lattice, side
from tests.mapmaker.conftest import SCENARIOS

GRID = Grid.load(SCENARIOS / "geo/war_for_the_motherland")
LATTICE = Lattice(GRID)
DON = side(GRID.spot("E4512"), GRID.spot("E4513"))


@pytest.fixture
def draft() -> Draft:
    return Draft(LATTICE)


def read(tmp_path: Path, text: str) -> tuple[Correction, ...]:
    path = tmp_path / "corrections.toml"
    path.write_text(text, "utf-8")
    return read_corrections(path, GRID)


def test_a_hex_gets_the_fields_that_are_set_and_keeps_the_others(draft: Draft) -> None:
    here = draft.hexes[GRID.spot("E4512")]
    here.name = "Serafimovich"
    assert correct(draft, [Correction("E", "why", hex="E4512", set=HexChange(terrain="swamp"))]) == []
    assert (here.terrain, here.name, here.note) == ("swamp", "Serafimovich", "why")


def test_a_hexside_is_added_and_removed(draft: Draft) -> None:
    add = Correction("E", "why", hexside=("E4513", "E4512"), add="major_river", name="Don")
    assert correct(draft, [add]) == []
    assert draft.sides[DON]["major_river"].name == "Don"
    assert correct(draft, [Correction("E", "why", hexside=("E4512", "E4513"), remove="major_river")]) == []
    assert not draft.sides[DON]


def test_a_railway_is_added_with_its_date_and_removed_by_its_line(draft: Draft) -> None:
    draft.rails[DON] = RailFact(["N64", "N52"], "", "")
    assert correct(draft, [Correction("E", "why", rail=("E4512", "E4513"), remove="N64")]) == []
    assert draft.rails[DON].lines == ["N52"]
    assert correct(draft, [Correction("E", "why", rail=("E4512", "E4513"), remove="all")]) == []
    assert DON not in draft.rails
    assert correct(draft, [Correction("E", "why", rail=("E4512", "E4513"), add="N57", opened="1942-08")]) == []
    assert (draft.rails[DON].lines, draft.rails[DON].opened) == (["N57"], "1942-08")


@pytest.mark.parametrize(
    "idle",
    [
        Correction("E", "why", hex="E4512", set=HexChange(terrain="clear")),
        Correction("E", "why", hexside=("E4512", "E4513"), remove="lake"),
        Correction("E", "why", rail=("E4512", "E4513"), remove="all"),
        Correction("E", "why", rail=("E4512", "E4513"), remove="N64"),
    ],
)
def test_a_correction_that_changes_nothing_is_told(draft: Draft, idle: Correction) -> None:
    [line] = correct(draft, [idle])
    assert "changes nothing" in line
    assert "E4512" in line


def test_all_faults_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(BadInput) as told:
        read(
            tmp_path,
            """
            [[correction]]
            section = "E"
            hex = "E9999"
            set = { terrain = "swamp" }
            reason = "no such hex"
            [[correction]]
            section = "E"
            hexside = ["E4512", "E4614"]
            add = "canal"
            reason = " "
            [[correction]]
            section = "E"
            hex = "E4512"
            reason = "says nothing"
            """,
        )
    where = [fault.where.rpartition("corrections.toml:")[2] for fault in told.value.faults]
    assert where == [
        "2: correction[0]: hex", "7: correction[1]: reason", "7: correction[1]: kind", "7: correction[1]", "12: correction[2]",
    ]


def test_faults_of_form_hide_no_others_and_have_their_lines(tmp_path: Path) -> None:
    with pytest.raises(BadInput) as told:
        read(
            tmp_path,
            """note = "ours"
[[correction]]
section = "E"
hex = "E4512"
set = { terain = "swamp", colour = "red" }
reason = 5
[[correction]]
section = "E"
hex = "E9999"
set = { terrain = "swamp" }
reason = "no such hex"
""",
        )
    assert [str(fault).rpartition("corrections.toml:")[2] for fault in told.value.faults] == [
        "1: note: expected only [[correction]] tables, got note",
        "6: correction[0].reason: expected text, got 5",
        "5: correction[0].set.colour: expected only known fields, got `colour`",
        "5: correction[0].set.terain: expected only known fields, got `terain`",
        "7: correction[1]: hex: expected a hex of section E, got E9999",
    ]


def test_a_hex_of_another_section_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="a hex of section C, got E4512"):
        read(tmp_path, '[[correction]]\nsection = "C"\nhex = "E4512"\nset = { city = "minor" }\nreason = "why"\n')


def test_an_unknown_field_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="terain"):
        read(tmp_path, '[[correction]]\nsection = "E"\nhex = "E4512"\nset = { terain = "swamp" }\nreason = "why"\n')


def test_no_file_is_no_correction(tmp_path: Path) -> None:
    assert read_corrections(tmp_path / "corrections.toml", GRID) == ()
