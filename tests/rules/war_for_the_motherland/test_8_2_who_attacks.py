"""Who may attack whom (8.2, 8.3), and the combat phase (3.0)."""

from __future__ import annotations

import pytest

from core import events
from core.options import options
from core.orders import HexPick, OptionPick, UnitPick
from core.rulesets.war_for_the_motherland.combat_phase import Attack, EndCombat
from tests.rules.war_for_the_motherland.battles import (
    ARMY,
    CORPS,
    DEPOT,
    FACTORY,
    ITALIANS,
    OSG,
    RUMANIANS,
    SECOND_WINTER,
    STRONG,
    WEAK,
    attack,
    axis,
    begin,
    is_gone,
    line,
    open_orders,
    refused_attack,
    soviet,
    standing,
    waits_for,
)
from tests.rules.war_for_the_motherland.conftest import NewTable

RULES = "war_for_the_motherland"


@pytest.mark.rule(RULES, "8.22a", "3.0.3")
def test_no_attack_need_be_made(new_table: NewTable) -> None:
    table = new_table()
    axis(table, "2009", 9, 8), soviet(table, "2010", 2, 3)
    begin(table)
    assert (waits_for(table), open_orders(table)) == ("axis ChooseCombat", ["attack", "end_combat"])
    table.order(EndCombat())
    assert waits_for(table) == "soviet ChooseCombat"


@pytest.mark.rule(RULES, "8.21a", "8.21b", "3.0.3", "3.0.4")
def test_only_the_phasing_side_attacks_what_is_next_to_it(new_table: NewTable) -> None:
    table = new_table()
    near, far, other = axis(table, "2009", 9, 8), axis(table, "2008", 9, 8), soviet(table, "2010", 2, 3)
    begin(table)
    assert refused_attack(table, "2010", [far]) == "8.21"
    assert refused_attack(table, "2009", [other]) == "8.21"
    assert refused_attack(table, "2011", [near]) == "8.21"
    assert table.refused(Attack((table.hex("2010"),), (near,)), side="soviet") == "8.22"


@pytest.mark.rule(RULES, "8.24")
@pytest.mark.parametrize("kind", [DEPOT, "rum_headquarters", "ger_airbase", "ger_siege_artillery"])
def test_a_unit_without_attack_strength_does_not_attack(new_table: NewTable, kind: str) -> None:
    table = new_table()
    unit, helper = table.place(kind, "2009"), axis(table, "2009", 9, 8)
    soviet(table, "2010", 2, 3)
    begin(table)
    assert refused_attack(table, "2010", [unit]) == "8.24"
    assert refused_attack(table, "2010", [unit, helper]) == "8.24"


@pytest.mark.rule(RULES, "8.24")
@pytest.mark.parametrize("kind", [OSG, "sov_headquarters", FACTORY])
def test_nor_do_soviet_services(new_table: NewTable, kind: str) -> None:
    table = new_table()
    unit = table.place(kind, "2009")
    soviet(table, "2009", 2, 3), axis(table, "2010", 2, 3)
    begin(table, "soviet")
    assert refused_attack(table, "2010", [unit]) == "8.24"


@pytest.mark.rule(RULES, "8.0", "8.1.8", "8.23a", "8.23b", "8.23c", "8.32")
def test_each_unit_attacks_once_and_each_is_attacked_once(new_table: NewTable) -> None:
    table = new_table()
    one, two, three = axis(table, "2009", 5, 7), axis(table, "2009", 5, 7), axis(table, "1910", 5, 7)
    soviet(table, "2010", 2, 5), soviet(table, "1909", 2, 5)
    begin(table)
    attack(table, "2010", [one], 4)
    assert line(table, "result") == "NE"
    assert refused_attack(table, "1909", [one]) == "8.23"
    assert refused_attack(table, "2010", [two]) == "8.23"
    assert refused_attack(table, "2010", [three]) == "8.23"
    attack(table, "1909", [two, three], 1)


@pytest.mark.rule(RULES, "8.22b", "8.33")
def test_all_units_in_the_hex_defend(new_table: NewTable) -> None:
    table = new_table()
    unit = axis(table, "2009", 9, 8)
    table.place(ARMY, "2010", chit=STRONG), table.place("sov_headquarters", "2010"), table.place(FACTORY, "2010")
    begin(table)
    attack(table, "2010", [unit], 6)
    assert table.explained("defence") == "9 + 1 + 1"


@pytest.mark.rule(RULES, "8.22c")
def test_who_did_not_attack_is_not_hurt(new_table: NewTable) -> None:
    table = new_table()
    attacker, bystander = axis(table, "2009", 2, 3), axis(table, "2009", 5, 7)
    table.place(ARMY, "2010", chit=STRONG)
    begin(table)
    attack(table, "2010", [attacker], 1)
    assert line(table, "result") == "AE"
    assert is_gone(table, attacker)
    assert standing(table, "2009") == ["5-7-4"]
    assert not is_gone(table, bystander)


@pytest.mark.rule(RULES, "8.34")
def test_several_units_never_attack_several_hexes(new_table: NewTable) -> None:
    table = new_table()
    one, two = axis(table, "1910", 5, 7), axis(table, "1910", 5, 7)
    soviet(table, "2010", 2, 2), soviet(table, "2011", 2, 1)
    begin(table)
    assert refused_attack(table, ["2010", "2011"], [one, two]) == "8.34"
    attack(table, ["2010", "2011"], [one], 4)


@pytest.mark.rule(RULES, "8.34")
def test_hexes_that_no_single_unit_reaches_are_not_attacked_together(new_table: NewTable) -> None:
    table = new_table()
    one = axis(table, "2009", 5, 7)
    axis(table, "2012", 5, 7)
    soviet(table, "2010", 2, 2), soviet(table, "2011", 2, 1)
    begin(table)
    assert refused_attack(table, ["2010", "2011"], [one]) == "8.34"


@pytest.mark.rule(RULES, "8.36a")
def test_two_allied_nations_never_attack_together(new_table: NewTable) -> None:
    table = new_table()
    rumanians, italians, germans = table.place(RUMANIANS, "2009"), table.place(ITALIANS, "1909"), table.place(CORPS, "2110")
    soviet(table, "2010", 2, 2)
    begin(table)
    assert refused_attack(table, "2010", [rumanians, italians]) == "8.36"
    assert refused_attack(table, "2010", [rumanians, italians, germans]) == "8.36"
    attack(table, "2010", [italians, germans], 4)
    assert table.explained("attack") == "4 + 5"


@pytest.mark.rule(RULES, "5.63")
def test_strategic_movement_forbids_an_attack_in_the_same_turn(new_table: NewTable) -> None:
    table = new_table()
    rider, other = axis(table, "2009", 9, 8, strategic=1), axis(table, "2009", 9, 8)
    soviet(table, "2010", 2, 3)
    begin(table)
    assert refused_attack(table, "2010", [rider]) == "5.63"
    assert refused_attack(table, "2010", [rider, other]) == "5.63"


@pytest.mark.rule(RULES, "17.42a")
def test_frozen_units_do_not_attack(new_table: NewTable) -> None:
    table = new_table()
    unit = axis(table, "2009", 9, 8, frozen=1)
    axis(table, "2009", 9, 8), soviet(table, "2010", 2, 3)
    begin(table)
    assert refused_attack(table, "2010", [unit]) == "17.42a"


def test_a_phase_without_any_attack_passes_by_itself(new_table: NewTable) -> None:
    table = new_table()
    axis(table, "2009", 9, 8), soviet(table, "2011", 2, 3)
    begin(table, held=False)
    assert "ChooseCombat" not in waits_for(table)


@pytest.mark.rule(RULES, "8.23b", "8.23c")
def test_the_marks_of_the_phase_are_gone_in_the_next(new_table: NewTable) -> None:
    table = new_table()
    unit = axis(table, "2009", 5, 7)
    army = table.place(ARMY, "2010", chit=WEAK)
    begin(table)
    attack(table, "2010", [unit], 4)
    assert line(table, "result") == "NE"
    table.order(EndCombat())
    attack(table, "2009", [army], 4)
    assert line(table, "column") == "1:3"


def test_targets_and_attackers_are_offered_pick_by_pick(new_table: NewTable) -> None:
    table = new_table()
    one, two, depot = axis(table, "2009", 5, 7), axis(table, "1909", 5, 7), table.place(DEPOT, "2009")
    soviet(table, "2010", 2, 2)
    begin(table)
    first = options(table.view, (OptionPick("attack"),))
    target = HexPick(table.hex("2010"))
    assert (target in first.picks, first.complete) == (True, False)
    second = options(table.view, (OptionPick("attack"), target))
    assert second.picks == (UnitPick(one), UnitPick(two))
    assert {door.pick: door.refused.rule for door in second.doors if door.refused} == {UnitPick(depot): "8.24"}
    third = options(table.view, (OptionPick("attack"), target, UnitPick(one)))
    assert (third.picks, third.complete) == ((UnitPick(two),), True)


def test_the_preview_is_what_the_battle_comes_to(new_table: NewTable) -> None:
    table = new_table(lambda board: board.side("2009", "2010", "minor_river"))
    unit = axis(table, "2009", 9, 8)
    soviet(table, "2010", 2, 3)
    begin(table, turn=SECOND_WINTER)
    order = Attack((table.hex("2010"),), (unit,))
    preview = table.setting.ruleset.orders["attack"].preview(table.view, order)  # type: ignore[misc]
    assert preview is not None
    values = {line.key: str(line) for line in preview.lines}
    assert values == {"attack": "9", "defence": "3 + 2 (8.42)", "ratio": "9:5", "column": "3:2", "drm": "1 (11.28)"}
    assert [(chance.result, chance.cases, chance.of) for chance in preview.chances] == [
        ("A1", 1, 6), ("NE", 2, 6), ("D1", 2, 6), ("1/1", 1, 6),
    ]  # fmt: skip
    assert preview.losses == ((16, 33), (16, 50))
    table.order(order, dice=[5])
    told = next(event for event in table.events if isinstance(event, events.Explained))
    assert {line.key: str(line) for line in told.lines if line.key in values} == values


def test_an_unknown_marker_counts_in_the_preview_as_the_mean_of_its_cup(new_table: NewTable) -> None:
    table = new_table()
    unit = axis(table, "2009", 9, 8)
    table.place(ARMY, "2010", out_of_supply=1)
    table.cup("C", {"C 4-5/2-3": 2, "C 6-9/3-5": 1})
    begin(table)
    order = Attack((table.hex("2010"),), (unit,))
    preview = table.setting.ruleset.orders["attack"].preview(table.view, order)  # type: ignore[misc]
    assert preview is not None
    # Halved one by one: 3, 3 and 5.
    lines = {line.key: line for line in preview.lines}
    assert (lines["defence"].value, str(lines["defence"]), lines["column"].value) == ("≈3.7", "≈3.7 (7.11)", "≈2:1")
    assert str(lines["column"]) == "3:2 … 3:1 (7.11)"  # 9 against 5, and against 3
    assert "expected of cup C" in str(lines["defence"].parts[0].text)
    assert table.position.chits == {}


@pytest.mark.rule(RULES, "8.52", "7.11")
def test_a_column_that_markers_decide_says_as_well_what_air_support_shifts(new_table: NewTable) -> None:
    table = new_table()
    unit = axis(table, "2009", 9, 8)
    table.place(ARMY, "2010", out_of_supply=1)
    table.place("ger_air_fleet_3", "2009")
    table.cup("C", {"C 4-5/2-3": 2, "C 6-9/3-5": 1})
    begin(table)
    preview = table.setting.ruleset.orders["attack"].preview(table.view, Attack((table.hex("2010"),), (unit,)))  # type: ignore[misc]
    assert preview is not None
    lines = {line.key: line for line in preview.lines}
    assert (str(lines["column"]), lines["column"].value) == ("3:2 … 3:1 (7.11) + 2:1 … 4:1 (8.52)", "≈3:1")


@pytest.mark.rule(RULES, "7.11")
@pytest.mark.parametrize(("cup", "most"), [({"C 4-5/2-3": 1}, 2), ({}, 1)])
def test_an_unknown_army_can_lose_two_steps_and_one_whose_cup_is_empty_but_one(new_table: NewTable, cup: dict[str, int], most: int) -> None:
    table = new_table()
    unit = axis(table, "2009", 300, 8)
    table.place(ARMY, "2010")
    table.cup("C", cup)
    begin(table)
    order = Attack((table.hex("2010"),), (unit,))
    preview = table.setting.ruleset.orders["attack"].preview(table.view, order)  # type: ignore[misc]
    assert preview is not None
    # Whatever the die, two points at least have to be paid.
    assert {chance.result for chance in preview.chances} == {"D2", "D3", "DE"}
    assert preview.losses[1][1] == 100 * most


@pytest.mark.rule(RULES, "8.1.1")
def test_an_attack_names_its_targets_and_its_attackers(new_table: NewTable) -> None:
    table = new_table()
    unit = axis(table, "2009", 9, 8)
    soviet(table, "2010", 2, 3)
    begin(table)
    assert table.refused(Attack(targets=(table.hex("2010"),))) == "8.1"
    assert table.refused(Attack(units=(unit,))) is not None
    assert table.refused(Attack()) == "8.1"
