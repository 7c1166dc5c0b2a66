"""12.0: strategic ports, OSG production, evacuation of factories."""

from __future__ import annotations

import pytest

from core.events import ControlChanged, Removed
from core.rulesets.war_for_the_motherland.administration import BeginAdministration
from core.rulesets.war_for_the_motherland.economy import AskEvacuation, CheckPorts, EndEvacuation, Evacuate, PlaceOsg, ProduceOsg
from core.rulesets.war_for_the_motherland.rebuilding import AskRebuilding, EndRebuilding, Incorporate
from core.trials.table import PlainBoard, Table
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.moments import offered_hexes, offered_units, refusal, run, told, waits_for

NAME = "war_for_the_motherland"
RIDGE = [f"16{column:02}" for column in range(1, 13)]


def railroad(board: PlainBoard) -> None:
    """A railroad along row 16, from the Soviet source in 1601 to 1612."""
    board.rail(*RIDGE)


@pytest.fixture
def rails(new_table: NewTable) -> Table:
    return new_table(railroad, rules={"osg_production": True})


# -------------------------------------------------------------------- what EA are


@pytest.mark.rule(NAME, "12.0b", "12.11a", "12.11b")
@pytest.mark.parametrize("kind", ["factory", "oil_field", "coal_field", "mineral_deposit", "strategic_port", "oil_pipeline"])
def test_each_kind_of_economic_asset_defends_with_one_and_never_moves(new_table: NewTable, kind: str) -> None:
    types = [type for type in new_table().setting.types.values() if type.kind == kind]
    assert types
    for type in types:
        assert [(face.attack, face.defence, face.move) for face in type.faces] == [(0, 1, 0)]
        assert type.steps == 1
        assert "zoc" not in type.traits


# -------------------------------------------------------------------- ports


@pytest.mark.rule(NAME, "12.41", "12.12", "3.0.7e")
@pytest.mark.parametrize("turn", [6, 7])
def test_a_strategic_port_whose_railroad_is_cut_is_destroyed_on_any_turn(rails: Table, turn: int) -> None:
    near, far, off = (rails.place("sov_strategic_port", at) for at in ("1603", "1610", "2010"))
    rails.place("ger_infantry_corps", "1607")
    run(rails, turn, CheckPorts())
    assert [rails.where(port) for port in (near, far, off)] == ["1603", "destroyed_ea", "destroyed_ea"]


@pytest.mark.rule(NAME, "12.41", "12.33b")
@pytest.mark.parametrize(("keepers", "where"), [(("1603", "1604"), "1608"), (("1603",), "destroyed_ea")])
def test_a_ports_railroad_runs_through_axis_zoc_where_soviet_units_stand(rails: Table, keepers: tuple[str, ...], where: str) -> None:
    port = rails.place("sov_strategic_port", "1608")
    rails.place("ger_infantry_corps", "1703")  # its ZOC lies on 1603 and 1604
    for at in keepers:
        rails.place("sov_infantry_army", at)
    run(rails, 6, CheckPorts())
    assert rails.where(port) == where


# -------------------------------------------------------------------- production


def destroy(table: Table, count: int) -> None:
    for _ in range(count):
        table.place("sov_oil_field", "destroyed_ea")


def feed(table: Table) -> None:
    """A headquarters in supply at 1604."""
    table.place("sov_headquarters", "1604")


def number(table: Table, turn: int) -> int:
    found = table.setting.charts.turns.of(turn).production_number
    assert isinstance(found, int)
    return found


@pytest.mark.rule(NAME, "12.22a", "12.22b", "12.23", "3.0.7f")
@pytest.mark.parametrize(("fewer", "produced"), [(1, True), (0, False), (-1, False)])
def test_an_osg_is_produced_while_fewer_assets_are_destroyed_than_the_production_number(rails: Table, fewer: int, produced: bool) -> None:
    feed(rails)
    destroy(rails, number(rails, 14) - fewer)
    run(rails, 14, ProduceOsg())
    assert waits_for(rails) == ("PlaceOsgChoice" if produced else "")
    assert told(rails, "production")
    assert rails.explained("destroyed_assets") == f"{number(rails, 14) - fewer} (12.22)"  # compared with the number, not added to it
    assert rails.explained("production_number") == f"{number(rails, 14)} (12.21)"
    if produced:
        assert rails.refused(PlaceOsg()) == "12.22"  # it can't wait
        rails.order(PlaceOsg(rails.hex("1604")))
        assert [unit.type for unit in rails.position.units_at(rails.hex("1604"))] == ["sov_headquarters", "sov_osg"]
        assert waits_for(rails) == ""


@pytest.mark.rule(NAME, "12.21")
def test_the_production_turns_are_those_of_the_text(rails: Table) -> None:
    turns = [turn.number for turn in rails.setting.charts.turns.turn if turn.production_number is not None]
    assert turns == [5, 7, 9, 11, 12, 14, 19, 21, 23, 25, 26, 28, 33, 35, 37, 39]
    feed(rails)
    run(rails, 13, ProduceOsg())
    assert waits_for(rails) == ""


@pytest.mark.rule(NAME, "12.23")
def test_a_new_osg_enters_in_supply_and_out_of_axis_zoc(rails: Table) -> None:
    feed(rails)
    rails.place("sov_infantry_army", "1806")
    rails.place("ger_infantry_corps", "1906")
    run(rails, 14, ProduceOsg())
    hexes = offered_hexes(rails, "place_osg")
    zoc = {rails.board.label(there) for there in rails.board.adjacent[rails.hex("1906")]}
    assert not hexes & (zoc | {"1906"})
    assert "1604" in hexes
    assert rails.refused(PlaceOsg(rails.hex("1806"))) == "12.23"
    assert rails.refused(PlaceOsg(rails.hex("2618"))) == "12.23"
    assert refusal(rails, PlaceOsg(rails.hex("1806"))).endswith("is in an Axis ZOC")
    assert refusal(rails, PlaceOsg(rails.hex("2618"))).endswith("is not in Soviet supply")


@pytest.mark.rule(NAME, "5.72a")
def test_a_new_osg_takes_control_of_an_empty_city(new_table: NewTable) -> None:
    def with_city(board: PlainBoard) -> None:
        railroad(board)
        board.hex("1603", city="major")

    table = new_table(with_city, rules={"osg_production": True})
    city = table.hex("1603")
    table.place("sov_headquarters", "1602")
    table.happen(ControlChanged(city, "axis"))
    run(table, 7, ProduceOsg())
    table.order(PlaceOsg(city))
    assert table.position.control[city] == "soviet"


@pytest.mark.rule(NAME, "12.22b", "12.23")
@pytest.mark.parametrize(("land", "asked"), [({"1601"}, False), ({"1601", "1602"}, True)])
def test_an_osg_that_one_hex_alone_is_open_to_is_placed_there_without_a_question(new_table: NewTable, land: set[str], asked: bool) -> None:
    def island(board: PlainBoard) -> None:
        railroad(board)
        for label in board.facts.keys() - land:
            board.hex(label, terrain="sea")

    table = new_table(island, rules={"osg_production": True})
    table.place("sov_headquarters", "1601")
    run(table, 7, ProduceOsg())
    assert waits_for(table) == ("PlaceOsgChoice" if asked else "")
    assert [unit.type for unit in table.position.units_at(table.hex("1601"))] == ["sov_headquarters", "sov_osg"][: 1 if asked else 2]


@pytest.mark.rule(NAME, "12.23")
def test_an_osg_that_no_hex_is_open_to_is_lost(rails: Table) -> None:
    run(rails, 14, ProduceOsg())
    assert waits_for(rails) == ""
    assert not [unit for unit in rails.position.units.values() if unit.type == "sov_osg"]


@pytest.mark.rule(NAME, "12.24")
def test_an_eleventh_osg_is_forfeit_and_a_lost_one_may_be_produced_again(rails: Table) -> None:
    feed(rails)
    some = [rails.place("sov_osg", "1604") for _ in range(10)]
    run(rails, 14, ProduceOsg())
    assert waits_for(rails) == ""
    rails.happen(Removed(some[3], "eliminated"))
    run(rails, 14, ProduceOsg())
    rails.order(PlaceOsg(rails.hex("1605")))
    assert rails.where(some[3]) == "1605"


@pytest.mark.rule(NAME, "16.41b")
def test_turning_point_produces_none(on_map: Table) -> None:
    on_map.place("sov_headquarters", "E4312")
    run(on_map, 23, ProduceOsg())
    assert waits_for(on_map) == ""


# -------------------------------------------------------------------- evacuation


def ask(table: Table, turn: int = 14) -> None:
    run(table, turn, BeginAdministration(), AskEvacuation())


@pytest.mark.rule(NAME, "12.32a")
def test_what_leaves_for_good_is_shown_before_the_order_is_given(rails: Table) -> None:
    factories = [rails.place("sov_factory", "1604") for _ in range(3)]
    ask(rails)
    preview = rails.setting.ruleset.orders["evacuate"].preview
    assert preview is not None
    told = preview(rails.view, Evacuate(tuple(factories)))
    assert told is not None
    assert (str(told.title), len(told.lines)) == ("3 factories leave the map for good", 3)
    assert {line.value for line in told.lines} == {rails.board.name(rails.hex("1604"))}, "from where"
    assert preview(rails.view, Evacuate()) is None


@pytest.mark.rule(NAME, "12.31", "12.32a", "12.32b", "3.0.7g")
def test_up_to_three_factories_go_to_their_box(rails: Table) -> None:
    factories = [rails.place("sov_factory", f"160{column}") for column in range(4, 9)]
    ask(rails)
    assert rails.refused(Evacuate(tuple(factories[:4]))) == "12.32"
    assert refusal(rails, Evacuate(tuple(factories[:4]))) == "3 factories a turn may be evacuated, no more"
    assert rails.refused(Evacuate()) == "12.32"
    rails.order(Evacuate(tuple(factories[1:4])))
    assert [rails.where(unit) for unit in factories] == ["1604", *["evacuated_factories"] * 3, "1608"]
    assert waits_for(rails) == ""


@pytest.mark.rule(NAME, "12.31")
@pytest.mark.parametrize("kind", ["sov_oil_field", "sov_strategic_port"])
def test_only_factories_are_evacuated(rails: Table, kind: str) -> None:
    rails.place("sov_factory", "1605")
    unit = rails.place(kind, "1604")
    ask(rails)
    lost = rails.place("sov_factory", "destroyed_ea")
    assert rails.refused(Evacuate((unit,))) == "12.31"
    assert refusal(rails, Evacuate((lost,))) == f"{rails.view.name(lost)} is not on the map"
    rails.order(EndEvacuation())
    assert waits_for(rails) == ""


@pytest.mark.rule(NAME, "12.32a", "12.21")
@pytest.mark.parametrize(("turn", "asked"), [(6, False), (8, False), (7, True)])
def test_factories_leave_on_production_turns_only(rails: Table, turn: int, asked: bool) -> None:
    rails.place("sov_factory", "1605")
    ask(rails, turn)
    assert (waits_for(rails) == "Evacuation") == asked


@pytest.mark.rule(NAME, "12.33a", "12.33b")
def test_a_factory_needs_an_unbroken_open_railroad_to_a_source(rails: Table) -> None:
    near, far, off = (rails.place("sov_factory", at) for at in ("1603", "1610", "2010"))
    rails.place("ger_infantry_corps", "1607")
    ask(rails)
    assert offered_units(rails, "evacuate") == {near}
    assert rails.refused(Evacuate((far,))) == "12.33"
    assert rails.refused(Evacuate((off,))) == "12.33"


@pytest.mark.rule(NAME, "12.33c")
def test_a_factory_in_axis_zoc_stays_even_with_an_army_in_its_hex(rails: Table) -> None:
    caught, free = rails.place("sov_factory", "1606"), rails.place("sov_factory", "1603")
    rails.place("sov_infantry_army", "1606")
    rails.place("ger_infantry_corps", "1706")
    ask(rails)
    assert offered_units(rails, "evacuate") == {free}
    assert rails.refused(Evacuate((caught,))) == "12.33"


@pytest.mark.rule(NAME, "12.33c")
def test_what_counts_is_the_zoc_at_the_start_of_the_phase(rails: Table) -> None:
    caught, free = rails.place("sov_factory", "1606"), rails.place("sov_factory", "1603")
    corps = rails.place("ger_infantry_corps", "1706")
    run(rails, 14, BeginAdministration())
    rails.happen(Removed(corps, "eliminated"))
    run(rails, 14, AskEvacuation())
    assert offered_units(rails, "evacuate") == {free}
    assert rails.refused(Evacuate((caught,))) == "12.33"


@pytest.mark.rule(NAME, "12.33b", "14.42")
@pytest.mark.parametrize("joins", [True, False])
def test_a_corps_that_was_incorporated_keeps_no_railroad_open(rails: Table, joins: bool) -> None:
    far, near = rails.place("sov_factory", "1608"), rails.place("sov_factory", "1602")
    rails.place("ger_infantry_corps", "1706")  # its ZOC lies on 1606 and 1607
    corps = rails.place("sov_infantry_corps", "1606")
    army = rails.place("sov_infantry_army", "1607", chit="C 3-5/2-3", steps=1)
    run(rails, 14, BeginAdministration(), AskRebuilding(), AskEvacuation())
    rails.order(Incorporate((corps, army)) if joins else EndRebuilding())
    assert offered_units(rails, "evacuate") == ({near} if joins else {near, far})
