"""Zones of control (4.2)."""

from __future__ import annotations

import pytest

from core.rulesets.war_for_the_motherland import zoc
from core.rulesets.war_for_the_motherland.movement import Move
from core.trials.table import PlainBoard, Table
from tests.rules.war_for_the_motherland.conftest import NewTable

GAME = "war_for_the_motherland"
CORPS, KG, ARMY = "ger_infantry_corps", "ger_infantry_kg", "sov_infantry_army"
SIX = ["1909", "1910", "2009", "2011", "2109", "2110"]  # round 2010


def zone(table: Table, side: str) -> list[str]:
    return sorted(table.board.label(here) for here in zoc.exerted(table.view, side))


@pytest.mark.rule(GAME, "4.21a", "4.22")
def test_a_unit_has_a_zoc_in_its_six_neighbours_whatever_else_stands_there(new_table: NewTable) -> None:
    table = new_table()
    table.place(ARMY, "2010")
    assert zone(table, "soviet") == SIX
    table.place(ARMY, "2010")
    assert zone(table, "soviet") == SIX
    assert zone(table, "axis") == []


@pytest.mark.rule(GAME, "4.21b", "2.23")
@pytest.mark.parametrize(
    "kind",
    ["ger_airbase", "ger_security_division", "rum_headquarters", "ger_siege_artillery", "axis_depot_normal", "ger_air_fleet_5"],
)
def test_axis_service_units_have_no_zoc(new_table: NewTable, kind: str) -> None:
    table = new_table()
    table.place(kind, "2010")
    assert zone(table, "axis") == []


@pytest.mark.rule(GAME, "4.21b")
@pytest.mark.parametrize("kind", ["sov_factory", "sov_headquarters", "sov_osg", "sov_partisan", "sov_strategic_port"])
def test_soviet_service_units_have_no_zoc(new_table: NewTable, kind: str) -> None:
    table = new_table()
    table.place(kind, "2010")
    assert zone(table, "soviet") == []


@pytest.mark.rule(GAME, "4.21c")
@pytest.mark.parametrize(
    ("kinds", "steps", "expected"),
    [
        ([KG], 1, []),
        ([KG], 2, SIX),
        ([KG, KG], 1, SIX),
        ([KG, "axis_depot_normal"], 1, []),
        ([KG, "rum_infantry_corps"], 1, SIX),
        (["ger_panzer_kg"], 1, SIX),
        (["ger_mountain_kg"], 1, SIX),
    ],
)
def test_a_weak_infantry_kg_has_a_zoc_only_in_company(new_table: NewTable, kinds: list[str], steps: int, expected: list[str]) -> None:
    table = new_table()
    for kind in kinds:
        table.place(kind, "2010", steps=steps)
    assert zone(table, "axis") == expected


@pytest.mark.rule(GAME, "4.21c")
def test_armies_pass_a_lone_weak_kg_and_stop_at_two(new_table: NewTable) -> None:
    table = new_table()
    table.place(KG, "2010", steps=1)
    army = table.place(ARMY, "1908")
    table.begin(13, "soviet_movement")
    past = (table.hex("2009"), table.hex("2109"))
    table.order(Move(units=(army,), path=past))
    assert table.where(army) == "2109"
    other = new_table()
    other.place(KG, "2010", steps=1)
    other.place(KG, "2010", steps=1)
    army = other.place(ARMY, "1908")
    other.begin(13, "soviet_movement")
    assert other.refused(Move(units=(army,), path=past)) == "4.26b"


@pytest.mark.rule(GAME, "4.23b")
def test_a_zoc_is_mutual_only_between_units_that_have_one(new_table: NewTable) -> None:
    table = new_table()
    table.place(KG, "2009", steps=1)
    table.place(ARMY, "2010")
    assert zoc.in_enemy_zoc(table.view, table.hex("2009"), "axis")
    assert not zoc.in_enemy_zoc(table.view, table.hex("2010"), "soviet")


@pytest.mark.rule(GAME, "4.23a")
def test_nobody_is_hindered_by_the_zoc_of_his_own_side(new_table: NewTable) -> None:
    table = new_table()
    corps, kg = table.place(CORPS, "2010"), table.place(KG, "2009")
    table.begin(13, "axis_movement")
    assert not any(zoc.in_enemy_zoc(table.view, table.hex(label), "axis") for label in SIX)
    round_the_corps = ("2109", "2110", "2011", "1910", "1909")
    table.order(Move((kg,), tuple(table.hex(label) for label in round_the_corps)))
    assert table.where(kg) == "1909"
    table.order(Move((corps,), (table.hex("1910"),)))
    assert table.where(corps) == "1910"


def lake(*kinds: str) -> object:
    def edit(board: PlainBoard) -> None:
        board.side("2010", "2009", *kinds)

    return edit


@pytest.mark.rule(GAME, "4.24a", "4.24b")
@pytest.mark.parametrize(
    ("kind", "crosses"),
    [("lake", False), ("sea", False), ("causeway", False), ("major_river", True), ("minor_river", True)],
)
def test_water_stops_a_zoc_and_rivers_do_not(new_table: NewTable, kind: str, crosses: bool) -> None:
    table = new_table(lake(kind))  # type: ignore[arg-type]
    table.place(ARMY, "2010")
    assert ("2009" in zone(table, "soviet")) is crosses
    assert "2011" in zone(table, "soviet")


@pytest.mark.rule(GAME, "4.24a", "5.26a", "11.23")
@pytest.mark.parametrize(
    ("turn", "kind", "side", "crosses"),
    [
        (9, ARMY, "soviet", True),
        (9, "sov_tank_army", "soviet", False),
        (9, "sov_mechanized_corps", "soviet", False),
        (9, CORPS, "axis", False),
        (13, ARMY, "soviet", False),
    ],
)
def test_only_soviets_without_tanks_reach_over_the_ice(new_table: NewTable, turn: int, kind: str, side: str, crosses: bool) -> None:
    table = new_table(lake("ice_road"))  # type: ignore[arg-type]
    unit = table.place(kind, "2010")
    table.place(CORPS if side == "soviet" else ARMY, "2610")
    table.begin(turn, f"{'soviet' if side == 'soviet' else 'axis'}_movement")
    assert ("2009" in zone(table, side)) is crosses
    assert zoc.reaches(table.view, unit, table.hex("2010"), table.hex("2009")) is crosses


@pytest.mark.rule(GAME, "4.25")
def test_a_unit_cancels_the_zoc_in_its_hex_but_not_for_movement(new_table: NewTable) -> None:
    table = new_table()
    table.place(ARMY, "2010")
    table.place(CORPS, "1909")
    corps = table.place(CORPS, "1910")
    assert not zoc.in_bare_enemy_zoc(table.view, table.hex("1909"), "axis")
    assert zoc.in_bare_enemy_zoc(table.view, table.hex("2009"), "axis")
    table.begin(13, "axis_movement")
    assert table.refused(Move(units=(corps,), path=(table.hex("1909"),))) == "4.26b"


@pytest.mark.rule(GAME, "4.21a")
def test_the_zoc_of_a_side_can_be_laid_over_the_map(new_table: NewTable) -> None:
    table = new_table()
    table.place(ARMY, "2010")
    overlay = table.setting.ruleset.overlays["zoc"](table.view, "soviet")
    assert sorted(table.board.label(here) for here in overlay.hexes) == SIX
