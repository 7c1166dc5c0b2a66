"""Charts that an owner types in: what is missing, doubled or unknown is told, all of it, before any game begins."""

from __future__ import annotations

import pytest

from core.errors import BadInput
from core.pack import Pack
from core.rulesets import load
from tests.packs import pack_of

NAME = "war_for_the_motherland"


def faults(chart: str, *changes: tuple[str, str]) -> list[str]:
    """Return what is told of a chart in which these words are replaced, each once."""
    name = f"charts/{chart}.toml"
    text = pack_of(NAME).files[name].decode()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    with pytest.raises(BadInput) as caught:
        load(NAME).charts(Pack(pack_of(NAME).files, {name: text.encode()}))
    return [str(fault).split(": ", 1)[1] for fault in caught.value.faults]


def accepted(chart: str, *changes: tuple[str, str]) -> object:
    name = f"charts/{chart}.toml"
    text = pack_of(NAME).files[name].decode()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    return load(NAME).charts(Pack(pack_of(NAME).files, {name: text.encode()}))


@pytest.mark.rule(NAME, "5.21a")
def test_an_owners_terrain_costs_are_what_is_paid() -> None:
    charts = accepted("terrain", ('source = "reconstructed"', 'source = "owner"'), ("motorized = 2", "motorized = 3"))
    row = charts.terrain.of("forest")  # type: ignore[attr-defined]
    assert (charts.terrain.source, row.motorized) == ("owner", 3)  # type: ignore[attr-defined]


def test_a_terrain_that_is_misspelt_is_unknown_and_the_right_one_missing() -> None:
    assert faults("terrain", ('id = "tundra"', 'id = "tundr"')) == [
        "terrain[4].id: expected one of clear, forest, swamp, mountain, tundra, minor_city, major_city, fortress, got tundr",
        'terrain: expected a [[terrain]] with id = "tundra", got none',
    ]


def test_a_hexside_twice() -> None:
    told = faults("terrain", ('id = "ice_road"', 'id = "major_river"'))
    assert told == [
        "hexside[2].id: expected each once, got major_river again",
        'hexside: expected a [[hexside]] with id = "ice_road", got none',
    ]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            (("number = 3\n", "number = 33\n"),),
            ["turn[2].number: expected each turn once, got 33 again", "turn: expected turns 1 to 40, each once, got none with number 3"],
        ),
        (
            (("number = 3\n", "number = 300\n"),),
            ["turn[2].number: expected a number from 1 to 40, got 300", "turn: expected turns 1 to 40, each once, got none with number 3"],
        ),
        (
            (("number = 3\n", "number = 4\n"), ("number = 4\nname = \"Jul III", "number = 3\nname = \"Jul III")),
            ["turn[2].number: expected turns in their order, 3 before 4, got 4"],
        ),
        ((("production_number = 2\n", "production_number = -2\n"),), ["turn[4].production_number: expected a whole number >= 0, got -2"]),
        ((('weather = "mud"', 'weather = "rain"'),), ["turn[6].weather: expected one of clear, mud, snow, got rain"]),
        ((('weather = "snow"', 'weather = "clear"'),), ["turn[7].weather: expected snow, as it has a winter, got clear"]),
    ],
)
def test_faults_of_the_turn_record(changes: tuple[tuple[str, str], ...], told: list[str]) -> None:
    assert faults("turns", *changes) == told


def test_a_turn_record_that_ends_before_the_campaign_does() -> None:
    text = pack_of(NAME).files["charts/turns.toml"].decode()
    (told,) = faults("turns", (text[text.index("[[turn]]\nnumber = 40") :], ""))
    assert told == "turn: expected turns 1 to 40, each once, got none with number 40"


def test_turns_left_out_are_told_and_not_all_that_come_after_them() -> None:
    text = pack_of(NAME).files["charts/turns.toml"].decode()
    third, seventh, eighth = (text.index(f"[[turn]]\nnumber = {number}\n") for number in (3, 7, 8))
    told = faults("turns", (text[seventh:eighth], ""), (text[third : text.index("[[turn]]\nnumber = 5\n")], ""))
    assert told == ["turn: expected turns 1 to 40, each once, got none with number 3 to 4, 7"]


def test_faults_of_the_attrition_chart_are_told_together() -> None:
    told = faults("attrition", ("german = 0\n", "prussian = 0\n"), ("up_to = 99", "up_to = 2"), ('"swamp"]', '"bog"]'))
    assert [line.split(":")[0] for line in told] == ["nation", "nation.prussian", "result", "hard_terrain"]


def test_faults_of_the_breakdown_chart() -> None:
    told = faults("breakdown", ('kg = "ger_panzer_kg"', 'kg = "ger_panther_kg"'), ("steps = 3", "steps = 4"))
    assert [line.split(":")[0] for line in told] == ["breakdown[0].kg", "breakdown[0].steps", "breakdown[1].steps"]


def test_a_class_without_markers() -> None:
    text = pack_of(NAME).files["charts/strength_markers.toml"].decode()
    changes = [('class = "A"', 'class = "B"')] * text.count('class = "A"')
    assert faults("strength_markers", *changes) == ["marker: expected markers of class A, got none"]
