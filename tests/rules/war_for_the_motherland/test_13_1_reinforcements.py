"""13.1, 13.3, 13.4: who comes, where he may stand, who waits; airborne drops."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import pytest

from core.events import ControlChanged, CupFilled, Moved
from core.options import options
from core.orders import HexPick, OptionPick, UnitPick
from core.pack import Arrival
from core.rulesets.war_for_the_motherland import strength, zoc
from core.rulesets.war_for_the_motherland.airborne import DropAirborne
from core.rulesets.war_for_the_motherland.arrivals import (
    EndReinforcements,
    KeepRailroads,
    NewStrengthMarkers,
    PlaceReinforcement,
    PlaceReinforcements,
)
from core.rulesets.war_for_the_motherland.terms import AXIS_SUPPLIED, DUE, RUMANIAN_SUPPLIED, SOVIET_SUPPLIED
from core.trials.table import PlainBoard, Table
from core.units import Side, UnitId
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.moments import mark_hexes, offered_hexes, offered_units, refusal, run, told, waits_for

NAME = "war_for_the_motherland"
HIGH, LOW = "1805", "2405"


def schedule(table: Table, turn: int, side: Side, *units: tuple[str, str]) -> None:
    """Let units arrive by the scenario's schedule."""
    scenario = msgspec.structs.replace(table.setting.scenario, arrival=(Arrival(turn, side, units),))
    table.setting = msgspec.structs.replace(table.setting, scenario=scenario)
    table.view.setting = table.setting


def receive(table: Table, side: Side, turn: int = 13) -> None:
    run(table, turn, PlaceReinforcements(side=side), phase=f"{side}_movement", side=side)


def waiting(table: Table, box: str = "arrivals") -> list[str]:
    return [unit.type for unit in table.position.units_at(table.board.box(box))]


def only(units: Iterable[int]) -> UnitId:
    (unit,) = units
    return UnitId(unit)


@pytest.fixture
def plain(new_table: NewTable) -> Table:
    """All hexes in supply for everybody; a Soviet headquarters in 1805, an Axis corps in 2405."""
    table = new_table(rules={"guard_and_shock_on_map": False})
    for mark in (AXIS_SUPPLIED, RUMANIAN_SUPPLIED, SOVIET_SUPPLIED):
        mark_hexes(table, mark, *table.board.labels)
    table.place("sov_headquarters", HIGH)
    table.place("ger_infantry_corps", LOW)
    return table


# -------------------------------------------------------------------- markers


@pytest.mark.rule(NAME, "13.32", "13.31", "7.15b", "3.0.1d")
def test_markers_due_this_turn_go_into_the_cup_of_their_class_without_a_question(new_table: NewTable) -> None:
    table = new_table(rules={"markers_until": 1})
    due = {(m.cls, m.chit): m.count for m in table.setting.charts.mix.marker if m.turn == 5}
    happened = run(table, 5, NewStrengthMarkers(), phase="mutual_supply")
    assert due
    assert {(event.cup, event.chit): event.count for event in happened if isinstance(event, CupFilled)} == due
    assert waits_for(table) == ""


@pytest.mark.rule(NAME, "16.31b", "16.44", "13.32")
def test_new_markers_without_a_star_come_though_those_with_one_were_left_out(new_table: NewTable) -> None:
    table = new_table(rules={"without_star_of": ["A", "C"]})
    due = {(m.cls, m.chit): m.count for m in table.setting.charts.mix.marker if m.turn == 27}
    assert {cls for cls, _ in due} == {"A", "B", "C"}
    happened = run(table, 27, NewStrengthMarkers(), phase="mutual_supply")
    assert {(event.cup, event.chit): event.count for event in happened if isinstance(event, CupFilled)} == due


# -------------------------------------------------------------------- the schedule


@pytest.mark.rule(NAME, "13.0", "13.11a", "3.0.2a")
def test_scheduled_units_wait_at_the_start_of_the_movement_phase_of_their_turn_and_side(plain: Table) -> None:
    schedule(plain, 13, "axis", ("ger_infantry_corps", "57"), ("ger_infantry_kg", "b"))
    receive(plain, "soviet")
    assert waiting(plain) == []
    receive(plain, "axis", 12)
    assert waiting(plain) == []
    receive(plain, "axis")
    assert waiting(plain) == ["ger_infantry_corps", "ger_infantry_kg"]
    assert waits_for(plain) == "Reinforce"


@pytest.mark.rule(NAME, "13.17a")
def test_a_reinforcement_may_wait_and_comes_on_any_later_turn(plain: Table) -> None:
    schedule(plain, 13, "axis", ("ger_infantry_corps", "57"))
    receive(plain, "axis")
    plain.order(EndReinforcements())
    assert waits_for(plain) == ""
    receive(plain, "axis", 15)
    corps = only(offered_units(plain, "place_reinforcement"))
    plain.order(PlaceReinforcement(corps, plain.hex("1601")))
    assert plain.where(corps) == "1601"
    assert waits_for(plain) == ""


@pytest.mark.rule(NAME, "9.81a")
def test_a_partisan_is_not_placed_with_the_reinforcements(plain: Table) -> None:
    partisan = plain.place("sov_partisan", "arrivals")
    receive(plain, "soviet")
    assert waits_for(plain) == ""
    corps = plain.place("sov_infantry_corps", "arrivals")
    receive(plain, "soviet")
    assert offered_units(plain, "place_reinforcement") == {corps}
    assert plain.refused(PlaceReinforcement(partisan, plain.hex(HIGH))) == "13.0"


@pytest.mark.rule(NAME, "13.15a", "13.51")
def test_a_unit_from_the_turn_track_comes_back_whole_and_unmarked(plain: Table) -> None:
    depot = plain.place("axis_depot_normal", "track", due=13)
    corps = plain.place("ger_infantry_corps", "track", due=14)
    receive(plain, "axis")
    plain.order(PlaceReinforcement(depot, plain.hex("1601")))
    assert plain.where(depot) == "1601"
    assert not plain.position.mark(depot, DUE)
    assert plain.where(corps) == "track"


@pytest.mark.rule(NAME, "20.31", "20.32")
@pytest.mark.parametrize("chosen", [False, True])
def test_security_divisions_come_only_with_their_option(new_table: NewTable, chosen: bool) -> None:
    table = new_table(options={"security_divisions": chosen})
    schedule(table, 12, "axis", ("ger_security_division", "207"))
    receive(table, "axis", 12)
    assert waiting(table) == (["ger_security_division"] if chosen else [])


@pytest.mark.rule(NAME, "13.21", "13.41")
def test_guards_and_airborne_corps_wait_in_boxes_of_their_own(plain: Table) -> None:
    schedule(plain, 13, "soviet", ("sov_guard_army", "1"), ("sov_shock_army", "2"), ("sov_airborne_corps", "4"), ("sov_infantry_army", "9"))
    receive(plain, "soviet")
    assert waiting(plain) == ["sov_infantry_army"]
    assert waiting(plain, "conversion_waiting") == ["sov_guard_army", "sov_shock_army"]
    assert waiting(plain, "paratroop_waiting") == ["sov_airborne_corps"]
    guards = plain.position.at(plain.board.box("conversion_waiting"))[0]
    assert plain.refused(PlaceReinforcement(guards, plain.hex("1806"))) == "13.21"
    airborne = plain.position.at(plain.board.box("paratroop_waiting"))[0]
    assert plain.refused(PlaceReinforcement(airborne, plain.hex("1806"))) == "13.46"


@pytest.mark.rule(NAME, "16.33", "16.31a")
def test_turning_points_guards_are_placed_at_a_headquarters(on_map: Table) -> None:
    staff = on_map.place("sov_headquarters", "E4806")
    mark_hexes(on_map, SOVIET_SUPPLIED, *on_map.board.labels)
    receive(on_map, "soviet", 23)
    guards = {on_map.view.name(UnitId(unit)): UnitId(unit) for unit in offered_units(on_map, "place_reinforcement")}
    assert sorted(guards) == ["2. Guards Army", "5. Shock Army"]
    hexes = offered_hexes(on_map, "place_reinforcement", UnitPick(guards["5. Shock Army"]))
    here = on_map.hex(on_map.where(staff))
    land = {there for there in (here, *on_map.board.adjacent[here]) if on_map.board.terrain(there) not in ("sea", "lake")}
    assert hexes == {on_map.board.label(there) for there in land}


@pytest.mark.rule(NAME, "16.31a")
def test_turning_points_axis_reinforcements(on_map: Table) -> None:
    receive(on_map, "axis", 22)
    assert waiting(on_map) == []
    receive(on_map, "axis", 23)
    assert waiting(on_map) == ["ger_panzer_corps", "ger_infantry_kg"]
    receive(on_map, "axis", 24)
    assert waiting(on_map) == ["ger_panzer_corps", "ger_infantry_kg", "ger_infantry_kg"]


# -------------------------------------------------------------------- Axis places


@pytest.mark.rule(NAME, "13.12")
@pytest.mark.parametrize("kind", ["ger_infantry_corps", "axis_depot_normal", "ger_airbase", "ita_army"])
def test_axis_units_enter_at_least_four_hexes_from_soviet_units(plain: Table, kind: str) -> None:
    unit = plain.place(kind, "arrivals")
    receive(plain, "axis")
    assert plain.board.distance(plain.hex(HIGH), plain.hex("1808")) == 3
    assert plain.refused(PlaceReinforcement(unit, plain.hex("1808"))) == "13.12"
    plain.order(PlaceReinforcement(unit, plain.hex("1809")))
    assert plain.where(unit) == "1809"


@pytest.mark.rule(NAME, "13.12")
def test_partisans_keep_no_reinforcement_away(plain: Table) -> None:
    plain.place("sov_partisan", "2410")
    unit = plain.place("ger_infantry_corps", "arrivals")
    receive(plain, "axis")
    plain.order(PlaceReinforcement(unit, plain.hex("2410")))
    assert plain.where(unit) == "2410"


@pytest.mark.rule(NAME, "13.11b")
def test_reinforcements_may_be_stacked_over_the_limit(plain: Table) -> None:
    some = [plain.place("ger_infantry_corps", "arrivals") for _ in range(3)]
    receive(plain, "axis")
    for unit in some:
        plain.order(PlaceReinforcement(unit, plain.hex(LOW)))
    assert len(plain.position.at(plain.hex(LOW))) == 4


@pytest.mark.rule(NAME, "13.15b", "13.11a")
def test_no_unit_enters_a_hex_that_was_hungry_in_the_supply_phase(new_table: NewTable) -> None:
    table = new_table()
    mark_hexes(table, AXIS_SUPPLIED, "2405")
    mark_hexes(table, RUMANIAN_SUPPLIED, "2407")
    german, rumanian = table.place("ger_infantry_corps", "arrivals"), table.place("rum_infantry_corps", "arrivals")
    receive(table, "axis")
    assert offered_hexes(table, "place_reinforcement", UnitPick(german)) == {"2405"}
    assert offered_hexes(table, "place_reinforcement", UnitPick(rumanian)) == {"2407"}
    assert table.refused(PlaceReinforcement(german, table.hex("2407"))) == "13.15"


@pytest.mark.rule(NAME, "4.15b")
def test_an_allied_unit_does_not_enter_beside_another_nations(plain: Table) -> None:
    plain.place("rum_infantry_corps", "2410")
    italians = plain.place("ita_army", "arrivals")
    receive(plain, "axis")
    assert plain.refused(PlaceReinforcement(italians, plain.hex("2410"))) == "4.15"


@pytest.mark.rule(NAME, "13.16", "14.14")
def test_a_corps_arrives_whole(plain: Table) -> None:
    schedule(plain, 13, "axis", ("ger_panzer_corps", "57"))
    receive(plain, "axis")
    corps = only(offered_units(plain, "place_reinforcement"))
    assert plain.unit(corps).steps == 4
    assert plain.view.decision().orders == ("place_reinforcement", "drop_airborne", "end_reinforcements")  # type: ignore[union-attr]


# -------------------------------------------------------------------- Soviets place


@pytest.mark.rule(NAME, "13.13a")
def test_soviet_units_enter_in_or_next_to_a_headquarters(plain: Table) -> None:
    army = plain.place("sov_infantry_army", "arrivals")
    receive(plain, "soviet")
    assert offered_hexes(plain, "place_reinforcement", UnitPick(army)) == {"1805", "1804", "1806", "1704", "1705", "1904", "1905"}
    assert plain.refused(PlaceReinforcement(army, plain.hex("1807"))) == "13.13"


@pytest.mark.rule(NAME, "13.13b", "13.13c")
def test_no_soviet_unit_enters_an_axis_zoc_even_with_a_friend_there(plain: Table) -> None:
    army = plain.place("sov_infantry_army", "arrivals")
    plain.place("ger_infantry_corps", "1803")  # its ZOC: 1804, 1703, 1704 ...
    plain.place("sov_infantry_army", "1804")
    receive(plain, "soviet")
    assert plain.refused(PlaceReinforcement(army, plain.hex("1804"))) == "13.13"
    assert offered_hexes(plain, "place_reinforcement", UnitPick(army)) == {"1805", "1806", "1704", "1705", "1904", "1905"}
    plain.place("ger_infantry_corps", "1705")  # now the headquarters' own hex too
    assert plain.refused(PlaceReinforcement(army, plain.hex(HIGH))) == "13.13"
    assert offered_hexes(plain, "place_reinforcement", UnitPick(army)) == {"1904", "1905"}


@pytest.mark.rule(NAME, "13.15b")
def test_no_soviet_unit_enters_a_hungry_hex(new_table: NewTable) -> None:
    table = new_table()
    table.place("sov_headquarters", HIGH)
    mark_hexes(table, SOVIET_SUPPLIED, "1806")
    army = table.place("sov_infantry_army", "arrivals")
    receive(table, "soviet")
    assert offered_hexes(table, "place_reinforcement", UnitPick(army)) == {"1806"}
    assert table.refused(PlaceReinforcement(army, table.hex("1805"))) == "13.15"


# -------------------------------------------------------------------- headquarters


def railroad(board: PlainBoard) -> None:
    board.rail(*(f"16{column:02}" for column in range(1, 13)))


@pytest.mark.rule(NAME, "13.14")
def test_a_headquarters_enters_four_hexes_from_enemies_on_a_railroad_to_a_source(new_table: NewTable) -> None:
    table = new_table(railroad)
    staff = table.place("sov_headquarters", "track", due=13)
    table.place("ger_infantry_corps", "1611")
    run(table, 13, KeepRailroads(), phase="mutual_supply")
    receive(table, "soviet")
    assert offered_hexes(table, "place_reinforcement", UnitPick(staff)) == {f"160{column}" for column in range(1, 8)}
    assert table.refused(PlaceReinforcement(staff, table.hex("1608"))) == "13.14"
    assert table.refused(PlaceReinforcement(staff, table.hex("1701"))) == "13.14"
    assert table.refused(PlaceReinforcement(staff, table.hex("1611"))) == "13.14"
    assert refusal(table, PlaceReinforcement(staff, table.hex("1611"))) == "1611 is held by the enemy"
    table.order(PlaceReinforcement(staff, table.hex("1607")))
    assert table.where(staff) == "1607"


@pytest.mark.rule(NAME, "13.15b")
def test_a_headquarters_does_not_enter_a_railroad_that_was_cut_in_the_supply_phase(new_table: NewTable) -> None:
    table = new_table(railroad)
    staff = table.place("sov_headquarters", "track", due=13)
    corps = table.place("ger_infantry_corps", "1703")
    run(table, 13, KeepRailroads(), phase="mutual_supply")
    table.happen(Moved((corps,), (table.hex("2610"),)))
    receive(table, "soviet")
    hexes = offered_hexes(table, "place_reinforcement", UnitPick(staff))
    assert hexes
    assert all(label < "1604" for label in hexes)
    assert table.refused(PlaceReinforcement(staff, table.hex("1608"))) == "13.15"


@pytest.mark.rule(NAME, "13.15b")
def test_a_railroad_that_was_open_a_turn_ago_alone_does_not_serve_a_headquarters(new_table: NewTable) -> None:
    table = new_table(railroad)
    staff = table.place("sov_headquarters", "track", due=13)
    run(table, 13, KeepRailroads(), phase="mutual_supply")
    corps = table.place("ger_infantry_corps", "1703")
    run(table, 14, KeepRailroads(), phase="mutual_supply")
    table.happen(Moved((corps,), (table.hex("2610"),)))
    receive(table, "soviet", 14)
    assert table.refused(PlaceReinforcement(staff, table.hex("1608"))) == "13.15"
    table.order(PlaceReinforcement(staff, table.hex("1602")))
    assert table.where(staff) == "1602"


@pytest.mark.rule(NAME, "13.0", "13.14", "13.15a")
def test_a_headquarters_of_the_schedule_enters_on_its_own_turn(new_table: NewTable) -> None:
    table = new_table(railroad)
    schedule(table, 13, "soviet", ("sov_headquarters", "Ncs"))
    run(table, 13, KeepRailroads(), phase="mutual_supply")
    receive(table, "soviet")
    staff = only(offered_units(table, "place_reinforcement"))
    table.order(PlaceReinforcement(staff, table.hex("1607")))
    assert table.where(staff) == "1607"


@pytest.mark.rule(NAME, "13.14", "13.17a")
def test_a_headquarters_without_a_legal_hex_waits(new_table: NewTable) -> None:
    table = new_table(railroad)
    staff = table.place("sov_headquarters", "track", due=13)
    table.place("ger_infantry_corps", "1601")
    run(table, 13, KeepRailroads(), phase="mutual_supply")
    receive(table, "soviet")
    assert waits_for(table) == ""
    assert table.where(staff) == "arrivals"


# -------------------------------------------------------------------- airborne corps


def drop_table(new_table: NewTable) -> tuple[Table, UnitId]:
    table = new_table()
    table.place("sov_headquarters", "1805")
    return table, table.place("sov_airborne_corps", "paratroop_waiting")


@pytest.mark.rule(NAME, "13.42a", "13.46")
def test_who_only_has_a_corps_to_drop_is_asked_for_that_and_not_to_place_none(new_table: NewTable) -> None:
    table, _ = drop_table(new_table)
    receive(table, "soviet")
    ask, decision = table.setting.ruleset.prompts["Reinforce"], table.view.decision()
    assert decision is not None
    assert str(ask(table.view, decision)) == "Soviet: an airborne corps may be dropped"
    table.place("sov_infantry_corps", "arrivals")
    assert str(ask(table.view, decision)) == "Soviet: place reinforcements (1 waits)"


@pytest.mark.rule(NAME, "13.42a", "13.42b")
def test_a_corps_drops_within_six_hexes_of_a_supplied_headquarters(new_table: NewTable) -> None:
    table, corps = drop_table(new_table)
    table.place("ger_infantry_corps", "1809")
    receive(table, "soviet")
    hexes = offered_hexes(table, "drop_airborne", UnitPick(corps))
    assert "1811" in hexes
    assert "1810" in hexes  # in Axis ZOC
    assert table.refused(DropAirborne(corps, table.hex("1812"))) == "13.42"
    assert table.refused(DropAirborne(corps, table.hex("1809"))) == "13.42"
    assert refusal(table, DropAirborne(corps, table.hex("1809"))).endswith("is held by Axis units")
    assert refusal(table, DropAirborne()) == "a corps must be chosen"


@pytest.mark.rule(NAME, "13.42b")
def test_a_headquarters_out_of_supply_sends_nobody(new_table: NewTable) -> None:
    table = new_table()
    table.place("sov_headquarters", "1805", out_of_supply=1)
    table.place("sov_airborne_corps", "paratroop_waiting")
    receive(table, "soviet")
    assert waits_for(table) == ""


@pytest.mark.rule(NAME, "13.42a")
def test_no_corps_drops_into_the_water(new_table: NewTable) -> None:
    table = new_table(lambda board: board.hex("1807", terrain="lake"))
    table.place("sov_headquarters", "1805")
    corps = table.place("sov_airborne_corps", "paratroop_waiting")
    receive(table, "soviet")
    assert "1807" not in offered_hexes(table, "drop_airborne", UnitPick(corps))
    assert refusal(table, DropAirborne(corps, table.hex("1807"))).endswith("is water")


@pytest.mark.rule(NAME, "13.41", "13.42b")
@pytest.mark.parametrize(("waits", "rule", "why"), [
    (False, "13.41", "no airborne corps waits for its drop"),
    (True, "13.42", "no hex within 6 hexes of a supplied headquarters is open to a drop"),
])
def test_where_nobody_can_drop_it_is_told_what_is_missing(new_table: NewTable, waits: bool, rule: str, why: str) -> None:
    table = new_table()
    mark_hexes(table, SOVIET_SUPPLIED, *table.board.labels)
    table.place("sov_headquarters", "1805", out_of_supply=int(waits))
    if waits:
        table.place("sov_airborne_corps", "paratroop_waiting")
    schedule(table, 13, "soviet", ("sov_infantry_army", "9"))
    receive(table, "soviet")
    assert (table.refused(DropAirborne()), refusal(table, DropAirborne())) == (rule, why)


@pytest.mark.rule(NAME, "13.41")
def test_the_axis_side_drops_nobody(plain: Table) -> None:
    corps = plain.place("sov_airborne_corps", "paratroop_waiting")
    plain.place("axis_depot_normal", "track", due=13)
    receive(plain, "axis")
    assert plain.refused(DropAirborne(corps, plain.hex("1807"))) == "13.41"


@pytest.mark.rule(NAME, "13.42b")
def test_an_axis_headquarters_is_no_place_to_fly_from(new_table: NewTable) -> None:
    table = new_table()
    table.place("rum_headquarters", "1805")
    table.place("sov_airborne_corps", "paratroop_waiting")
    receive(table, "soviet")
    assert waits_for(table) == ""


@pytest.mark.rule(NAME, "13.43a", "13.43b", "11.13", "11.26")
@pytest.mark.parametrize(
    ("turn", "in_zoc", "die", "lands"),
    [
        (13, False, 2, True),
        (13, False, 3, False),
        (13, True, 1, True),
        (13, True, 2, False),
        (23, False, 5, True),
        (23, False, 6, False),
        (23, True, 4, True),
        (23, True, 5, False),
        (12, False, 5, True),
        (12, False, 6, False),
    ],
)
def test_the_landing_die(new_table: NewTable, turn: int, in_zoc: bool, die: int, lands: bool) -> None:
    table, corps = drop_table(new_table)
    if in_zoc:
        table.place("ger_infantry_corps", "1809")
    receive(table, "soviet", turn)
    table.order(DropAirborne(corps, table.hex("1810")), dice=[die])
    assert table.where(corps) == ("1810" if lands else "out")
    (title,) = told(table, "landing")
    assert title.endswith("and lands" if lands else "and is lost")


@pytest.mark.rule(NAME, "13.43a", "13.43b")
@pytest.mark.parametrize(("turn", "in_zoc", "lands"), [(13, False, 2), (13, True, 1), (23, False, 5), (23, True, 4)])
def test_the_chance_of_a_landing_is_told_before_the_drop(new_table: NewTable, turn: int, in_zoc: bool, lands: int) -> None:
    table, corps = drop_table(new_table)
    if in_zoc:
        table.place("ger_infantry_corps", "1809")
    receive(table, "soviet", turn)
    order = DropAirborne(corps, table.hex("1810"))
    preview = table.setting.ruleset.orders["drop_airborne"].preview(table.view, order)  # type: ignore[misc]
    assert preview is not None
    assert [(chance.result, chance.cases, chance.of) for chance in preview.chances] == [("lands", lands, 6), ("lost", 6 - lands, 6)]


@pytest.mark.rule(NAME, "13.44b", "13.45", "13.46")
def test_one_corps_drops_a_phase_and_each_once(new_table: NewTable) -> None:
    table, one = drop_table(new_table)
    two = table.place("sov_airborne_corps", "paratroop_waiting")
    reserve = table.place("sov_infantry_army", "arrivals")
    mark_hexes(table, SOVIET_SUPPLIED, "1805")
    receive(table, "soviet")
    table.order(DropAirborne(one, table.hex("1810")), dice=[1])
    assert table.refused(DropAirborne(two, table.hex("1810"))) == "13.44"
    table.order(PlaceReinforcement(reserve, table.hex("1805")))
    assert waits_for(table) == ""
    receive(table, "soviet", 14)
    assert table.refused(DropAirborne(one, table.hex("1810"))) == "13.45"
    table.order(DropAirborne(two, table.hex("1810")), dice=[1])
    assert len(table.position.at(table.hex("1810"))) == 2


@pytest.mark.rule(NAME, "13.0")
def test_what_was_placed_already_is_told_so(new_table: NewTable) -> None:
    table, _ = drop_table(new_table)
    one, _ = (table.place("sov_infantry_army", "arrivals") for _ in range(2))
    mark_hexes(table, SOVIET_SUPPLIED, "1805", "1806")
    receive(table, "soviet")
    table.order(PlaceReinforcement(one, table.hex("1805")))
    assert refusal(table, PlaceReinforcement(one, table.hex("1806"))).endswith(" is on the map already")
    assert OptionPick("drop_airborne") in {door.pick for door in options(table.view).doors}


@pytest.mark.rule(NAME, "13.41")
def test_an_axis_phase_names_no_drop(plain: Table) -> None:
    plain.place("axis_depot_normal", "track", due=13)
    receive(plain, "axis")
    assert OptionPick("drop_airborne") not in {door.pick for door in options(plain.view).doors}


@pytest.mark.rule(NAME, "13.44a")
def test_a_corps_that_landed_is_a_normal_unit_in_supply(new_table: NewTable) -> None:
    table, corps = drop_table(new_table)
    receive(table, "soviet")
    table.order(DropAirborne(corps, table.hex("1810")), dice=[1])
    assert strength.is_supplied(table.view, corps)
    assert strength.movement(table.view, corps) == table.view.type(corps).faces[0].move
    assert zoc.exerts_zoc(table.view, corps)


@pytest.mark.rule(NAME, "5.72a", "13.44a")
@pytest.mark.parametrize(("die", "holder"), [(2, "soviet"), (3, "axis")])
def test_a_corps_that_lands_takes_control_of_an_empty_city(new_table: NewTable, die: int, holder: str) -> None:
    table = new_table(lambda board: board.hex("1810", city="major", name="Vyazma"))
    city = table.hex("1810")
    table.happen(ControlChanged(city, "axis"))
    table.place("sov_headquarters", "1805")
    corps = table.place("sov_airborne_corps", "paratroop_waiting")
    receive(table, "soviet")
    table.order(DropAirborne(corps, city), dice=[die])
    assert table.position.control == {city: holder}


@pytest.mark.rule(NAME, "13.12", "13.13b")
@pytest.mark.parametrize(
    ("side", "kind", "enemy", "rule"),
    [
        ("axis", "ger_infantry_corps", "sov_infantry_army", "13.12"),
        ("soviet", "sov_infantry_army", "ger_infantry_corps", "13.13"),
    ],
)
def test_nobody_enters_a_hex_of_the_enemy(plain: Table, side: Side, kind: str, enemy: str, rule: str) -> None:
    plain.place(enemy, "2012")
    unit = plain.place(kind, "arrivals")
    receive(plain, side)
    assert plain.refused(PlaceReinforcement(unit, plain.hex("2012"))) == rule
    assert refusal(plain, PlaceReinforcement(unit, plain.hex("2012"))) == f"{plain.board.name(plain.hex('2012'))} is held by the enemy"


@pytest.mark.rule(NAME, "13.11a")
def test_nobody_enters_on_water(new_table: NewTable) -> None:
    table = new_table(lambda board: board.hex("2410", terrain="lake"))
    mark_hexes(table, AXIS_SUPPLIED, *table.board.labels)
    unit = table.place("ger_infantry_corps", "arrivals")
    receive(table, "axis")
    assert refusal(table, PlaceReinforcement(unit, table.hex("2410"))) == "2410 is water"
    assert table.refused(PlaceReinforcement(unit, table.hex("2410"))) == "13.11"


@pytest.mark.rule(NAME, "3.0.5a", "3.0c")
def test_each_side_places_its_own_reinforcements_in_its_own_movement_phase(plain: Table) -> None:
    corps, army = plain.place("ger_infantry_corps", "arrivals"), plain.place("sov_infantry_army", "arrivals")
    receive(plain, "soviet")
    assert plain.view.side_to_act() == "soviet"
    assert offered_units(plain, "place_reinforcement") == {army}
    assert plain.refused(PlaceReinforcement(corps, plain.hex("2410"))) == "13.0"
    assert plain.refused(PlaceReinforcement(army, plain.hex("1805")), side="axis") == "13.11"


@pytest.mark.rule(NAME, "5.72a")
def test_a_reinforcement_takes_control_of_the_city_that_it_enters(new_table: NewTable) -> None:
    table = new_table(lambda board: board.hex("2410", city="major", name="Kiev"))
    mark_hexes(table, AXIS_SUPPLIED, "2410")
    corps = table.place("ger_infantry_corps", "arrivals")
    receive(table, "axis")
    table.order(PlaceReinforcement(corps, table.hex("2410")))
    assert table.position.control == {table.hex("2410"): "axis"}


@pytest.mark.rule(NAME, "5.28a")
def test_siege_artillery_is_warned_of_a_hex_that_no_railroad_leads_from(new_table: NewTable) -> None:
    table = new_table(lambda plain: plain.rail("1601", "1602"))
    mark_hexes(table, AXIS_SUPPLIED, *table.board.labels)
    schedule(table, 13, "axis", ("ger_siege_artillery", "1"), ("ger_infantry_corps", "57"))
    receive(table, "axis")
    for unit in offered_units(table, "place_reinforcement"):
        doors = options(table.view, (OptionPick("place_reinforcement"), UnitPick(unit))).doors
        warned = {door.pick.hex for door in doors if isinstance(door.pick, HexPick) and door.warning is not None}
        open_to = {door.pick.hex for door in doors if isinstance(door.pick, HexPick) and door.is_open}
        by_rail = {table.hex("1601"), table.hex("1602")}
        assert by_rail < open_to
        assert warned == (open_to - by_rail if table.view.type(unit).kind == "siege_artillery" else set())
