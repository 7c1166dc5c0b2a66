"""Results and step losses (8.8, 8.9)."""

from __future__ import annotations

import pytest

from core.game import Game
from core.options import options
from core.orders import OptionPick, UnitPick
from core.rulesets.war_for_the_motherland import losses
from core.rulesets.war_for_the_motherland.combat import LoseStep
from core.trials.table import ScriptedDice, Table
from core.units import UnitId
from tests.rules.war_for_the_motherland.battles import (
    AIRBASE,
    ARMY,
    CORPS,
    DEPOT,
    FACTORY,
    FIRST_WINTER,
    GREAT,
    KG,
    OSG,
    PANZER_KG,
    PANZERS,
    RUMANIANS,
    SECOND_WINTER,
    SOVIET_CORPS,
    STRONG,
    WEAK,
    attack,
    axis,
    begin,
    is_gone,
    line,
    lose,
    open_orders,
    refused_retreat,
    retreat,
    shows,
    soviet,
    standing,
    waits_for,
)
from tests.rules.war_for_the_motherland.conftest import NewTable

RULES = "war_for_the_motherland"


def take_steps(table: Table, unit: UnitId, dice: list[int]) -> list[str]:
    """Take one step after another from whoever stands in the unit's hex; return what stands there each time."""
    here = table.where(unit)
    seen = []
    while table.position.at(table.hex(here)):
        game = Game(table.setting, table.position, ScriptedDice(dice), derived=table.view.derived)
        for event in losses.lose_step(game, table.position.at(table.hex(here))[0]):
            game.apply(event)
        seen += standing(table, here)
    return seen


@pytest.mark.rule(RULES, "8.91a", "8.94a")
def test_whoever_pays_is_told_which_counter_dies_and_which_becomes_another(new_table: NewTable) -> None:
    table = new_table()
    dying, breaking = table.place(KG, "2009", steps=1), table.place(CORPS, "2009", steps=3)
    whole = axis(table, "2009", 20, 8)
    soviet(table, "2010", 2, 6)
    begin(table, turn=FIRST_WINTER)
    attack(table, "2010", [dying, breaking, whole], 6)
    assert (line(table, "result"), waits_for(table)) == ("1/2", "axis PayResult")
    labels = {door.pick: str(door.label) for door in options(table.view, (OptionPick("lose_step"),)).doors}
    assert labels[UnitPick(dying)].endswith(": eliminated")
    assert " KG" in labels[UnitPick(breaking)].partition(": becomes ")[2]
    assert labels[UnitPick(whole)] == "None"


@pytest.mark.rule(RULES, "8.91a", "8.91b", "8.92", "8.93", "8.94a", "8.94b")
@pytest.mark.parametrize(
    ("kind", "ladder"),
    [
        (CORPS, ["3-5-4", "2-3-5", "1-1-5"]),
        (PANZERS, ["7-6-7", "4-3-8", "2-1-8"]),
        ("ger_mountain_corps", ["3-4-4", "2-3-5"]),
        ("ger_panzer_division", ["3-2-9"]),
        ("ita_army", ["2-3-3"]),
        (RUMANIANS, []),
        (DEPOT, []),
        (AIRBASE, []),
        ("ger_siege_artillery", []),
        ("ger_mountain_kg", []),
        (SOVIET_CORPS, []),
        (OSG, []),
        (FACTORY, []),
    ],
)
def test_every_unit_goes_down_its_ladder(new_table: NewTable, kind: str, ladder: list[str]) -> None:
    table = new_table()
    assert take_steps(table, table.place(kind, "2010"), []) == ladder


@pytest.mark.rule(RULES, "8.92", "8.93")
def test_an_army_goes_down_the_sides_of_its_marker_and_a_headquarters_at_once(new_table: NewTable) -> None:
    table = new_table()
    assert take_steps(table, table.place(ARMY, "2010", chit=STRONG), [3]) == ["3-5-3"]
    assert take_steps(table, table.place("sov_headquarters", "2010"), [3]) == []


@pytest.mark.rule(RULES, "8.94a")
def test_the_kg_that_replaces_a_corps_bears_its_marks_and_the_corps_can_be_built_again(new_table: NewTable) -> None:
    table = new_table()
    corps = table.place(CORPS, "2010", name="51", steps=3, out_of_supply=1, moved=1, spent=8)
    take = losses.lose_step(Game(table.setting, table.position, ScriptedDice(), derived=table.view.derived), corps)
    table.happen(*take)
    (kg,) = table.position.at(table.hex("2010"))
    assert (shows(table, kg), table.position.units[kg].name, table.where(corps)) == ("2-3-5", "51", "broken_down")
    assert table.position.marks_of(kg) == [("moved", 1), ("out_of_supply", 1), ("spent", 8)]


@pytest.mark.rule(RULES, "8.91a", "14.23a")
def test_the_kg_of_a_corps_that_was_built_again_bears_a_name_of_its_own(new_table: NewTable) -> None:
    table = new_table()
    corps = [table.place("ger_infantry_corps", label, steps=3, name="51") for label in ("2010", "2012")]
    for unit in corps:
        game = Game(table.setting, table.position, ScriptedDice(()), derived=table.view.derived)
        for event in losses.lose_step(game, unit):
            game.apply(event)
    assert [table.position.units_at(table.hex(label))[0].name for label in ("2010", "2012")] == ["51", "a"]


# -------------------------------------------------------------------- who bears them


@pytest.mark.rule(RULES, "8.85a", "8.95a")
def test_nobody_loses_a_second_step_before_all_lost_one(new_table: NewTable) -> None:
    table = new_table()
    corps, kg = table.place(PANZERS, "2009"), table.place(PANZER_KG, "2009")
    soviet(table, "2010", 2, 6)
    begin(table, turn=SECOND_WINTER)
    # 13:6 is 2:1; six in the winter is seven: one step each, the defender first.
    attack(table, "2010", [corps, kg], 6)
    assert (line(table, "result"), waits_for(table), open_orders(table)) == ("1/1", "axis PayResult", ["lose_step"])
    lose(table, kg)
    assert (shows(table, corps), shows(table, kg)) == ("9-8-7", "2-1-8")


@pytest.mark.rule(RULES, "8.85a", "8.95a", "8.81")
def test_two_points_take_a_step_from_each_of_two(new_table: NewTable) -> None:
    table = new_table()
    one, two = soviet(table, "2009", 2, 2), soviet(table, "2009", 2, 2)
    corps, kg = table.place(PANZERS, "2010"), table.place(PANZER_KG, "2010")
    table.place(ARMY, "2110", chit=GREAT)
    begin(table, "soviet")
    attack(table, "2010", [one, two, *table.position.at(table.hex("2110"))], 5)
    assert (line(table, "ratio"), line(table, "result")) == ("13:11", "D1")
    assert table.refused(LoseStep(one)) == "8.22"
    lose(table, corps)
    assert shows(table, kg) == "4-3-8"


@pytest.mark.rule(RULES, "8.84c", "8.84a", "8.84b")
def test_d2_on_two_corps_by_steps(new_table: NewTable) -> None:
    table, one, two = d2_on_two_corps(new_table)
    assert table.refused(LoseStep()) == "8.84"
    lose(table, one)
    assert table.refused(LoseStep(one)) == "8.95"
    lose(table, two)
    assert standing(table, "2010") == ["3-5-4", "3-5-4"]
    assert waits_for(table) == "soviet ChooseCombat"


@pytest.mark.rule(RULES, "8.84c", "8.101a", "8.101d", "8.102a")
def test_d2_on_two_corps_by_hexes(new_table: NewTable) -> None:
    table, one, two = d2_on_two_corps(new_table)
    retreat(table, [one, two], "2011", "2012")
    assert standing(table, "2012") == ["5-7-4", "5-7-4"]
    assert waits_for(table) == "soviet AdvanceAfterCombat"


@pytest.mark.rule(RULES, "8.84c", "8.84a")
def test_d2_on_two_corps_by_a_step_and_a_hex(new_table: NewTable) -> None:
    table, one, two = d2_on_two_corps(new_table)
    lose(table, one)
    retreat(table, [one, two], "2011")
    assert standing(table, "2011") == ["3-5-4", "5-7-4"]


@pytest.mark.rule(RULES, "8.84a", "8.102a")
def test_one_corps_can_not_stay_while_the_other_retreats(new_table: NewTable) -> None:
    table, one, two = d2_on_two_corps(new_table)
    retreat(table, [one], "2011")
    assert waits_for(table) == "axis ChooseRetreat"
    assert refused_retreat(table, [one], "2012") == "8.102"
    assert open_orders(table) == ["retreat"]
    retreat(table, [two], "2110")


def d2_on_two_corps(new_table: NewTable) -> tuple[Table, UnitId, UnitId]:
    table = new_table()
    one, two = table.place(CORPS, "2010"), table.place(CORPS, "2010")
    army = soviet(table, "2009", 40, 9)
    begin(table, "soviet")
    # 40:14 is 2:1.
    attack(table, "2010", [army], 6)
    assert (line(table, "result"), waits_for(table), open_orders(table)) == ("D2", "axis PayResult", ["lose_step", "retreat"])
    return table, one, two


@pytest.mark.rule(RULES, "8.85b", "8.85c", "8.95b", "8.101c")
def test_an_army_loses_for_the_factory_that_can_not_retreat(new_table: NewTable) -> None:
    table, army, factory = army_with_factory(new_table, steps=2, die=4)
    assert line(table, "result") == "D1"
    assert (shows(table, army), is_gone(table, factory), waits_for(table)) == ("3-5-3", False, "axis ChooseCombat")


@pytest.mark.rule(RULES, "8.101b", "8.101c", "8.95b")
def test_the_army_is_eliminated_first_and_the_factory_after_it(new_table: NewTable) -> None:
    table, army, factory = army_with_factory(new_table, steps=1, die=5, recovery=3)
    assert line(table, "result") == "D2"
    assert (is_gone(table, army), is_gone(table, factory)) == (True, True)
    assert table.where(factory) == "destroyed_ea"


@pytest.mark.rule(RULES, "8.95b", "8.101c")
def test_a_full_army_takes_both_steps_and_the_factory_holds_the_hex(new_table: NewTable) -> None:
    table, army, factory = army_with_factory(new_table, steps=2, die=5, recovery=3)
    assert (is_gone(table, army), is_gone(table, factory), waits_for(table)) == (True, False, "axis ChooseCombat")


def army_with_factory(new_table: NewTable, *, steps: int, die: int, recovery: int = 0) -> tuple[Table, UnitId, UnitId]:
    """Attack an army and a factory at 3:1."""
    table = new_table()
    army, factory = table.place(ARMY, "2010", chit=STRONG, steps=steps), table.place(FACTORY, "2010")
    unit = axis(table, "2009", 30 if steps == 2 else 18, 8)
    begin(table)
    attack(table, "2010", [unit], die, recovery=recovery)
    assert line(table, "column") == "3:1"
    return table, army, factory


@pytest.mark.rule(RULES, "8.101c", "8.102a")
def test_no_corps_retreats_from_a_factory_that_can_not(new_table: NewTable) -> None:
    table = new_table()
    corps = [soviet(table, "2010", 2, 3), soviet(table, "2010", 2, 3)]
    table.place(FACTORY, "2010")
    unit = axis(table, "2009", 21, 8)
    begin(table)
    attack(table, "2010", [unit], 4)
    assert (line(table, "column"), line(table, "result"), waits_for(table)) == ("3:1", "D1", "soviet PayResult")
    assert open_orders(table) == ["lose_step"]
    assert refused_retreat(table, corps, "2011") == "8.101"
    lose(table, corps[0])
    assert len(standing(table, "2010")) == 2


@pytest.mark.rule(RULES, "8.85b", "8.95b")
def test_the_corps_and_not_the_depot_loses_the_step(new_table: NewTable) -> None:
    table = new_table()
    corps, depot = table.place(CORPS, "2010", steps=3), table.place(DEPOT, "2010")
    soviet(table, "2009", 6, 5)
    begin(table, "soviet", turn=SECOND_WINTER)
    attack(table, "2010", table.position.at(table.hex("2009")), 6)
    assert (line(table, "result"), is_gone(table, depot), is_gone(table, corps)) == ("1/1", False, True)
    assert standing(table, "2010") == ["0-1-3", "2-3-5"]


@pytest.mark.rule(RULES, "8.95b", "4.21c")
def test_without_any_zoc_the_owner_chooses(new_table: NewTable) -> None:
    table = new_table()
    kg, depot = table.place(KG, "2010", steps=1), table.place(DEPOT, "2010")
    unit = soviet(table, "2009", 2, 5)
    begin(table, "soviet", turn=SECOND_WINTER)
    attack(table, "2010", [unit], 6)
    assert (line(table, "result"), waits_for(table)) == ("1/1", "axis PayResult")
    lose(table, depot)
    assert (standing(table, "2010"), is_gone(table, kg), is_gone(table, unit)) == (["1-1-5"], False, True)


@pytest.mark.rule(RULES, "8.95b", "4.21c")
def test_two_weak_kg_have_a_zoc_together_and_pay_for_the_airbase(new_table: NewTable) -> None:
    table = new_table()
    table.place(KG, "2010", steps=1), table.place(KG, "2010", steps=1), table.place(AIRBASE, "2010")
    unit = soviet(table, "2009", 3, 5)
    begin(table, "soviet", turn=SECOND_WINTER)
    attack(table, "2010", [unit], 6)
    assert waits_for(table) == "axis PayResult"
    airbase = table.position.at(table.hex("2010"))[-1]
    assert table.refused(LoseStep(airbase)) == "8.95"


# -------------------------------------------------------------------- results


@pytest.mark.rule(RULES, "8.86a", "8.86b", "8.83")
def test_a_red_box_allows_no_retreat_and_the_defender_pays_first(new_table: NewTable) -> None:
    table = new_table()
    army = table.place(ARMY, "2010", chit=WEAK)
    one, two = axis(table, "2009", 10, 8), axis(table, "2009", 10, 8)
    table.place(SOVIET_CORPS, "2010")
    begin(table, turn=SECOND_WINTER)
    # 20:7 is 2:1: seven gives 1/1.
    attack(table, "2010", [one, two], 6)
    assert (line(table, "result"), waits_for(table), open_orders(table)) == ("1/1", "soviet PayResult", ["lose_step"])
    assert refused_retreat(table, [army], "2011") == "8.86"
    assert table.refused(LoseStep()) == "8.86"
    lose(table, army)
    assert (waits_for(table), shows(table, army)) == ("axis PayResult", "2-3-3")
    lose(table, one)
    assert waits_for(table) == "axis ChooseCombat"


@pytest.mark.rule(RULES, "8.86a")
def test_a_red_two_eliminates_an_army(new_table: NewTable) -> None:
    table = new_table()
    army, unit = table.place(ARMY, "2010", chit=WEAK), axis(table, "2009", 15, 8)
    begin(table, turn=FIRST_WINTER)
    attack(table, "2010", [unit], 6, recovery=4)
    assert (line(table, "roll"), line(table, "result"), is_gone(table, army)) == ("9", "1/2", True)


@pytest.mark.rule(RULES, "8.81", "8.82")
@pytest.mark.parametrize(("attacks", "defends", "die", "result"), [(2, 9, 1, "AE"), (28, 4, 4, "DE")])
def test_elimination_takes_all_of_a_side(new_table: NewTable, attacks: int, defends: int, die: int, result: str) -> None:
    table = new_table()
    attackers = [axis(table, "2009", attacks // 2, 8), axis(table, "2009", attacks // 2, 8)]
    defenders = [soviet(table, "2010", 2, defends - 1), soviet(table, "2010", 2, 1)]
    begin(table)
    attack(table, "2010", attackers, die)
    assert line(table, "result") == result
    lost, kept = (attackers, defenders) if result == "AE" else (defenders, attackers)
    assert [is_gone(table, unit) for unit in (*lost, *kept)] == [True, True, False, False]


@pytest.mark.rule(RULES, "8.83", "8.86a")
def test_a_dash_costs_nothing(new_table: NewTable) -> None:
    table = new_table()
    attacker, defender = axis(table, "2009", 5, 7), table.place(ARMY, "2010", chit=WEAK)
    begin(table, turn=FIRST_WINTER)
    # 5:5 is 1:1; five and three are eight: 1/-.
    attack(table, "2010", [attacker], 5)
    assert (line(table, "result"), shows(table, attacker), shows(table, defender)) == ("1/-", "3-5-4", "3-5-3")
    assert waits_for(table) == "axis ChooseCombat"


@pytest.mark.rule(RULES, "8.83")
def test_an_a_result_is_paid_by_the_attacker(new_table: NewTable) -> None:
    table = new_table()
    attacker, _ = axis(table, "2009", 5, 7), table.place(ARMY, "2010", chit=WEAK)
    begin(table)
    attack(table, "2010", [attacker], 2)
    assert (line(table, "result"), waits_for(table)) == ("A1", "axis PayResult")
    retreat(table, [attacker], "2008")
    assert (table.where(attacker), waits_for(table)) == ("2008", "soviet AdvanceAfterCombat")
