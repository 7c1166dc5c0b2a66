"""Overruns (6.0)."""

from __future__ import annotations

import pytest

from core.events import Drawn, Marked, Moved, PlaceMarked, Rolled
from core.options import options
from core.orders import OptionPick, Order, Picks, compose
from core.rulesets.war_for_the_motherland.combat import LoseStep
from core.rulesets.war_for_the_motherland.terms import DESTROYED, LACK_OF_SUPPLY, OUT_OF_SUPPLY, SPENT
from core.trials.table import Table
from core.units import UnitId
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.moving import AXIS_MOVES, PANZERS_MOVE, SOVIET_MOVES, Edit, left_of, move, overrun, side, terrain

GAME = "war_for_the_motherland"
CORPS, KG, ARMY, SOVIET_CORPS = "ger_infantry_corps", "ger_infantry_kg", "sov_infantry_army", "sov_infantry_corps"
PANZER, PANZER_KG, DIVISION = "ger_panzer_corps", "ger_panzer_kg", "ger_panzer_division"
WEAK = "C* 2-3/1-2"


def attack_of(
    new_table: NewTable, kind: str = PANZER, *, edit: Edit | None = None, turn: int = 13, target: str = SOVIET_CORPS, chit: str = ""
) -> tuple[Table, UnitId, UnitId]:
    """An Axis unit in 2011, to move, next to a Soviet unit in 2010."""
    table = new_table(edit)
    defender = table.place(target, "2010", chit=chit)
    attacker = table.place(kind, "2011")
    table.begin(turn, AXIS_MOVES)
    return table, attacker, defender


# -------------------------------------------------------------------- where and who


@pytest.mark.rule(GAME, "6.28a")
@pytest.mark.parametrize("river", ["minor_river", "major_river", "lake", "sea", "ice_road", "causeway"])
def test_no_overrun_across_rivers_or_water(new_table: NewTable, river: str) -> None:
    table, panzer, _ = attack_of(new_table, edit=side("2011", "2010", river), turn=9)
    assert table.refused(overrun(table, panzer, at="2010")) == "6.28a"


@pytest.mark.rule(GAME, "6.28b")
@pytest.mark.parametrize("kind", ["swamp", "mountain"])
def test_no_overrun_into_hard_terrain(new_table: NewTable, kind: str) -> None:
    table, panzer, _ = attack_of(new_table, edit=terrain(h2010=kind))
    assert table.refused(overrun(table, panzer, at="2010")) == "6.28b"


@pytest.mark.rule(GAME, "6.28b")
@pytest.mark.parametrize(("facts", "rule"), [({"city": "major"}, "6.28b"), ({"features": ["fortress"]}, "6.28b"), ({"city": "minor"}, "")])
def test_no_overrun_into_major_cities_and_fortresses(new_table: NewTable, facts: dict[str, object], rule: str) -> None:
    table, panzer, _ = attack_of(new_table, edit=lambda board: board.hex("2010", **facts))
    order = overrun(table, panzer, at="2010")
    if rule:
        assert table.refused(order) == rule
    else:
        table.order(order, dice=[5])


@pytest.mark.rule(GAME, "6.28b", "8.47b")
def test_a_destroyed_fortress_can_be_overrun(new_table: NewTable) -> None:
    table = new_table(lambda board: board.hex("2010", features=["fortress"]))
    table.place(SOVIET_CORPS, "2010")
    panzer = table.place(PANZER, "2011")
    table.happen(PlaceMarked((table.hex("2010"),), DESTROYED))
    table.begin(13, AXIS_MOVES)
    table.order(overrun(table, panzer, at="2010"), dice=[5])
    assert (table.explained("column"), table.explained("result")) == ("4:1", "D3")  # the clear row; a fortress would give D2


@pytest.mark.rule(GAME, "6.28b", "11.24")
def test_swamp_can_be_overrun_in_snow(new_table: NewTable) -> None:
    table, panzer, _ = attack_of(new_table, edit=terrain(h2010="swamp"), turn=9)
    table.order(overrun(table, panzer, at="2010"), dice=[2])
    assert (table.explained("column"), table.explained("result")) == ("4:1", "D2")  # the woods row, at 2 + 3 + 1


@pytest.mark.rule(GAME, "6.22")
@pytest.mark.parametrize("mark", [OUT_OF_SUPPLY, LACK_OF_SUPPLY])
def test_who_is_not_supplied_does_not_overrun(new_table: NewTable, mark: str) -> None:
    table = new_table()
    table.place(SOVIET_CORPS, "2010")
    panzer = table.place(PANZER, "2011", **{mark: 1})
    table.begin(13, AXIS_MOVES)
    assert table.refused(overrun(table, panzer, at="2010")) == "6.22"


@pytest.mark.rule(GAME, "8.24", "6.0a")
def test_units_without_attack_strength_do_not_overrun(new_table: NewTable) -> None:
    table, depot, _ = attack_of(new_table, "axis_depot_extended")
    assert table.refused(overrun(table, depot, at="2010")) == "8.24"


@pytest.mark.rule(GAME, "6.23b")
def test_only_units_of_one_allowance_overrun_together(new_table: NewTable) -> None:
    table, panzer, _ = attack_of(new_table)
    kg = table.place(PANZER_KG, "2011")
    table.begin(13, AXIS_MOVES)
    assert table.refused(overrun(table, panzer, kg, at="2010")) == "6.23b"


@pytest.mark.rule(GAME, "6.23a", "6.23e")
def test_only_units_that_began_together_overrun_together(new_table: NewTable) -> None:
    table, panzer, _ = attack_of(new_table)
    other = table.place(PANZER, "2012")
    table.begin(13, AXIS_MOVES)
    table.order(move(table, other, to="2011"))
    assert table.refused(overrun(table, panzer, other, at="2010")) == "6.23a"


@pytest.mark.rule(GAME, "4.17", "6.23d")
def test_no_overrun_out_of_an_overstacked_hex(new_table: NewTable) -> None:
    table = new_table()
    table.place(SOVIET_CORPS, "2010")
    three = [table.place(PANZER, "2011") for _ in range(3)]
    table.begin(13, AXIS_MOVES)
    assert table.refused(overrun(table, *three, at="2010")) == "4.17"
    assert table.refused(overrun(table, *three[:2], at="2010")) == "4.17"


@pytest.mark.rule(GAME, "6.24", "6.1.1a")
def test_an_overrun_needs_an_enemy_next_to_it(new_table: NewTable) -> None:
    table, panzer, _ = attack_of(new_table)
    assert table.refused(overrun(table, panzer, at="2012")) == "6.24"
    assert table.refused(overrun(table, panzer, at="2009")) == "6.1.1a"


@pytest.mark.rule(GAME, "6.21", "5.31")
def test_the_other_side_does_not_overrun(new_table: NewTable) -> None:
    table, _, defender = attack_of(new_table)
    assert table.refused(overrun(table, defender, at="2011")) == "5.31"


@pytest.mark.rule(GAME, "6.21", "5.35")
def test_panzers_overrun_in_the_mechanized_phase_too(new_table: NewTable) -> None:
    table = new_table()
    table.place(SOVIET_CORPS, "2010")
    panzer, corps = table.place(PANZER, "2011"), table.place(CORPS, "2011")
    table.begin(13, PANZERS_MOVE)
    assert table.refused(overrun(table, corps, at="2010")) == "5.35"
    table.order(overrun(table, panzer, at="2010"), dice=[5])


# -------------------------------------------------------------------- cost


@pytest.mark.rule(GAME, "6.1.1a", "5.45", "5.21b")
def test_an_overrun_costs_three_and_no_disengagement(new_table: NewTable) -> None:
    table, panzer, _ = attack_of(new_table, edit=terrain(h2010="forest"))
    table.order(overrun(table, panzer, at="2010"), dice=[5])
    assert left_of(table, panzer) == 4


@pytest.mark.rule(GAME, "6.1.1a", "6.0a")
def test_infantry_overruns_with_its_points_and_not_with_fewer(new_table: NewTable) -> None:
    table, corps, _ = attack_of(new_table, CORPS)
    table.order(overrun(table, corps, at="2010"), dice=[5])
    far = new_table()
    far.place(SOVIET_CORPS, "2010")
    corps = far.place(CORPS, "2013")
    far.begin(13, AXIS_MOVES)
    far.order(move(far, corps, to="2012 2011"))
    assert far.refused(overrun(far, corps, at="2010")) == "6.1.1a"


@pytest.mark.rule(GAME, "11.29", "6.1.1a")
@pytest.mark.parametrize(("turn", "rule"), [(9, ""), (13, "6.1.1a")])
def test_soviets_overrun_for_two_points_in_snow(new_table: NewTable, turn: int, rule: str) -> None:
    table = new_table()
    table.place(KG, "2010", steps=1)
    army = table.place(ARMY, "2012", chit="C 6-9/3-5")
    table.begin(turn, SOVIET_MOVES)
    table.order(move(table, army, to="2011"))
    order = overrun(table, army, at="2010")
    if rule:
        assert table.refused(order) == rule
    else:
        table.order(order, dice=[2])
        assert table.where(army) == "2010"
        assert left_of(table, army) == 0


@pytest.mark.rule(GAME, "6.1.1b", "6.25a")
def test_points_are_paid_even_if_nothing_comes_of_it(new_table: NewTable) -> None:
    table, panzer, _ = attack_of(new_table, target=ARMY, chit="C 6-9/3-5")
    table.order(overrun(table, panzer, at="2010"), dice=[3])
    assert left_of(table, panzer) == 4


@pytest.mark.rule(GAME, "6.1.1b", "7.11")
def test_points_are_paid_before_a_marker_is_drawn_and_the_die_falls(new_table: NewTable) -> None:
    table, panzer, _ = attack_of(new_table, target=ARMY)
    table.cup("C", {"C 6-9/3-5": 1})
    events = table.order(overrun(table, panzer, at="2010"), dice=[3], draws=["C 6-9/3-5"])
    told = [event.mark if isinstance(event, Marked) else type(event) for event in events]
    assert told.index(SPENT) < told.index(Drawn) < told.index(Rolled)


# -------------------------------------------------------------------- what comes of it


@pytest.mark.rule(GAME, "6.27a", "6.1.4", "6.0b", "6.25a", "6.25b")
def test_a_division_overruns_three_times(new_table: NewTable) -> None:
    table = new_table()
    for place in ("2010", "2009", "2008"):
        table.place(SOVIET_CORPS, place)
    division = table.place(DIVISION, "2011")
    table.begin(13, AXIS_MOVES)
    for target in ("2010", "2009", "2008"):
        table.order(overrun(table, division, at=target), dice=[5])
        _pay_by_steps(table)
        assert table.where(division) == target
    assert left_of(table, division) == 0


def _pay_by_steps(table: Table) -> None:
    """Let a Soviet corps be lost rather than retreat, where that is asked."""
    decision = table.view.decision()
    while decision is not None and decision.side == "soviet":
        units = [unit.id for unit in table.position.on_map() if table.position.mark(unit.id, "in_battle") == 2]
        table.order(LoseStep(units[0]))
        decision = table.view.decision()


@pytest.mark.rule(GAME, "6.27a", "6.23c")
def test_after_a_clean_overrun_the_stack_goes_on_and_may_part(new_table: NewTable) -> None:
    table = new_table()
    table.place(SOVIET_CORPS, "2010")
    one, two = table.place(PANZER, "2011"), table.place(PANZER, "2011")
    table.begin(13, AXIS_MOVES)
    table.order(overrun(table, one, two, at="2010"), dice=[5])
    _pay_by_steps(table)
    assert table.where(one) == table.where(two) == "2010"
    table.order(move(table, one, to="2009"))
    assert left_of(table, one) == 3
    assert table.refused(move(table, two, to="2009")) == "5.12b"


@pytest.mark.rule(GAME, "6.26a")
def test_a_failed_overrun_ends_the_move(new_table: NewTable) -> None:
    table, panzer, defender = attack_of(new_table, target=ARMY, chit="C 6-9/3-5")
    table.order(overrun(table, panzer, at="2010"), dice=[3])
    assert table.where(defender) == "2010"
    assert table.where(panzer) == "2011"
    assert table.refused(move(table, panzer, to="2012")) == "6.26a"


@pytest.mark.rule(GAME, "6.26a", "6.26c", "6.1.3")
def test_the_plus_one_may_hurt(new_table: NewTable) -> None:
    table, panzer, army = attack_of(new_table, target=ARMY, chit=WEAK)
    table.order(overrun(table, panzer, at="2010"), dice=[6])
    assert table.unit(army).steps == 1
    assert table.unit(panzer).steps == 3
    assert table.where(army) == "2010"
    assert table.refused(move(table, panzer, to="2012")) == "6.26a"


@pytest.mark.rule(GAME, "6.26c")
def test_after_a_loss_the_attacker_enters_the_empty_hex_and_stops(new_table: NewTable) -> None:
    table, panzer, _ = attack_of(new_table)
    table.order(overrun(table, panzer, at="2010"), dice=[6])
    assert table.unit(panzer).steps == 3
    assert table.where(panzer) == "2010"
    assert table.refused(move(table, panzer, to="2009")) == "6.26a"


@pytest.mark.rule(GAME, "6.26c")
def test_a_kg_that_replaces_a_corps_in_an_overrun_enters_for_it_and_stops(new_table: NewTable) -> None:
    table = new_table()
    table.place(SOVIET_CORPS, "2010")
    corps = table.place(PANZER, "2011", steps=3)
    table.begin(13, AXIS_MOVES)
    table.order(overrun(table, corps, at="2010"), dice=[6])
    kg = UnitId(table.position.next_unit - 1)
    assert table.unit(kg).type == PANZER_KG
    assert table.where(kg) == "2010"
    assert table.refused(move(table, kg, to="2009")) == "6.26a"


@pytest.mark.rule(GAME, "6.26b")
def test_an_attacker_driven_back_has_finished(new_table: NewTable) -> None:
    table, panzer, _ = attack_of(new_table, target=ARMY, chit="C 6-9/3-5")
    table.order(overrun(table, panzer, at="2010"), dice=[1])
    assert table.view.side_to_act() == "axis"
    table.order(_first_order(table, "retreat"))
    assert table.where(panzer) != "2011"
    assert not [event for event in table.events if isinstance(event, Moved) and event.path[-1] == table.hex("2010")]
    assert table.refused(move(table, panzer, to="2013")) == "6.26a"


def _first_order(table: Table, name: str) -> Order:
    """Compose an order by the first pick offered, again and again."""
    picks: Picks = (OptionPick(name),)
    while not options(table.view, picks).complete:
        picks = (*picks, options(table.view, picks).picks[0])
    return compose(table.setting.ruleset.orders[name].order, picks[1:])


@pytest.mark.rule(GAME, "6.27a", "4.26a")
def test_a_clean_overrun_enters_whatever_the_zoc(new_table: NewTable) -> None:
    table = new_table()
    table.place(SOVIET_CORPS, "2010")
    table.place(ARMY, "2009")
    corps = table.place(CORPS, "2011")
    table.begin(13, AXIS_MOVES)
    table.order(overrun(table, corps, at="2010"), dice=[5])
    _pay_by_steps(table)
    assert table.where(corps) == "2010"
    assert left_of(table, corps) == 1
    assert table.refused(move(table, corps, to="2011")) == "5.13"


@pytest.mark.rule(GAME, "6.24")
def test_an_economic_asset_alone_can_be_overrun(new_table: NewTable) -> None:
    table, panzer, factory = attack_of(new_table, target="sov_coal_field")
    table.order(overrun(table, panzer, at="2010"), dice=[5])
    assert table.unit(factory).place < 0
    assert table.where(panzer) == "2010"


@pytest.mark.rule(GAME, "5.73", "6.1.4")
def test_an_overrun_wins_control_of_a_port(new_table: NewTable) -> None:
    table, panzer, _ = attack_of(new_table, target="sov_coal_field", edit=lambda board: board.hex("2010", port="black", country="soviet"))
    table.order(overrun(table, panzer, at="2010"), dice=[5])
    assert table.position.control[table.hex("2010")] == "axis"


@pytest.mark.rule(GAME, "6.1.3")
def test_an_overrun_rolls_one_die(new_table: NewTable) -> None:
    table, panzer, _ = attack_of(new_table, target=ARMY, chit="C 6-9/3-5")
    table.order(overrun(table, panzer, at="2010"), dice=[3])
    assert [event.value for event in table.events if isinstance(event, Rolled)] == [3]


@pytest.mark.rule(GAME, "6.0a", "6.1.3")
def test_the_odds_of_an_overrun_are_shown_before_it_is_declared(new_table: NewTable) -> None:
    table, panzer, _ = attack_of(new_table, target=ARMY, chit=WEAK)
    preview = table.setting.ruleset.orders["overrun"].preview
    assert preview is not None
    shown = preview(table.view, overrun(table, panzer, at="2010"))
    assert shown is not None
    assert {line.key: line.value for line in shown.lines}["attack"] == "9"
    assert sum(chance.cases for chance in shown.chances) == 6
