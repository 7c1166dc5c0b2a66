"""Advance after combat (8.11)."""

from __future__ import annotations

import pytest

from core.events import Explained
from core.orders import Order
from core.rulesets.war_for_the_motherland.combat_phase import Attack
from core.rulesets.war_for_the_motherland.stacking import EliminateExcess
from core.trials.table import PlainBoard, Table
from core.units import UnitId
from tests.rules.war_for_the_motherland.battles import (
    ARMY,
    CORPS,
    DEPOT,
    FIRST_WINTER,
    GUN,
    OSG,
    PANZERS,
    SOVIET_CORPS,
    TANKS,
    advance,
    attack,
    axis,
    begin,
    is_gone,
    line,
    lose,
    refused_advance,
    retreat,
    soviet,
    standing,
    stay,
    terrain,
    waits_for,
)
from tests.rules.war_for_the_motherland.conftest import BoardMaker, NewTable

RULES = "war_for_the_motherland"


def victory(new_table: NewTable, *kinds: str, edit: BoardMaker | None = None) -> tuple[Table, list[UnitId]]:
    """Let Axis units in 2009 destroy a corps in 2010 outright."""
    table = new_table(edit)
    units = [axis(table, "2009", 70, 8, like=kind) for kind in kinds]
    soviet(table, "2010", 2, 4)
    return table, units


def destroy(table: Table, units: list[UnitId]) -> None:
    begin(table)
    attack(table, "2010", units, 6)
    assert (line(table, "result"), waits_for(table)) == ("DE", "axis AdvanceAfterCombat")


@pytest.mark.rule(RULES, "8.111a", "8.113b", "8.114a", "8.115a", "8.1.9", "8.87")
def test_after_an_elimination_panzers_go_three_hexes_and_infantry_one(new_table: NewTable) -> None:
    table, (panzers, infantry) = victory(new_table, PANZERS, CORPS)
    destroy(table, [panzers, infantry])
    assert refused_advance(table, [infantry], "2010", "2011") == "8.114"
    assert refused_advance(table, [panzers], "2010", "2011", "2012", "2013") == "8.113"
    advance(table, [panzers], "2010", "2011", "2012")
    advance(table, [infantry], "2010")
    assert (table.where(panzers), table.where(infantry)) == ("2012", "2010")
    assert waits_for(table) == "axis ChooseCombat"


@pytest.mark.rule(RULES, "8.114a", "8.116")
def test_who_has_advanced_is_told_what_ends_it_while_others_go_on(new_table: NewTable) -> None:
    table, (panzers, more, infantry) = victory(new_table, PANZERS, PANZERS, CORPS)
    soviet(table, "2012", 2, 4)
    destroy(table, [panzers, more, infantry])
    advance(table, [infantry], "2010")
    advance(table, [panzers], "2010", "2011")
    assert waits_for(table) == "axis AdvanceAfterCombat"
    assert refused_advance(table, [infantry], "2109") == "8.114"
    assert refused_advance(table, [panzers], "2111") == "8.116"


@pytest.mark.rule(RULES, "4.15b", "8.111a")
def test_an_ally_does_not_advance_to_another_nations_unit(new_table: NewTable) -> None:
    table = new_table()
    attacker = soviet(table, "2010", 1, 2)
    hungarians, rumanians = table.place("hun_corps", "2009"), table.place("rum_infantry_corps", "2109")
    table.place(CORPS, "2009")  # may still advance, so that the decision stays
    begin(table, "soviet")
    attack(table, ["2009", "2109"], [attacker], 1)
    assert (line(table, "result"), waits_for(table)) == ("AE", "axis AdvanceAfterCombat")
    advance(table, [hungarians], "2010")
    assert refused_advance(table, [rumanians], "2010") == "4.15"


@pytest.mark.rule(RULES, "8.113b", "8.114a")
@pytest.mark.parametrize(("kind", "rule"), [(TANKS, "8.114"), ("sov_mechanized_corps", "8.114"), (ARMY, "8.114")])
def test_soviet_armor_goes_two_hexes(new_table: NewTable, kind: str, rule: str) -> None:
    table = new_table()
    axis(table, "2010", 1, 1, like="rum_infantry_corps")
    unit = table.place(kind, "2009", chit="A 7-5/4-3" if kind == TANKS else "C 9-10/5-6" if kind == ARMY else "")
    helper = soviet(table, "2110", 40, 2)
    begin(table, "soviet")
    attack(table, "2010", [unit, helper], 6)
    assert line(table, "result") == "DE"
    far = ("2010", "2011") if kind == ARMY else ("2010", "2011", "2012")
    assert refused_advance(table, [unit], *far) == rule
    advance(table, [unit], *far[:-1])
    assert table.where(unit) == far[-2]


@pytest.mark.rule(RULES, "8.113a", "8.113c", "8.114a")
def test_steps_that_paid_shorten_the_advance(new_table: NewTable) -> None:
    table = new_table()
    army, unit = table.place(ARMY, "2010", chit="C 3-5/2-3"), axis(table, "2009", 40, 8, like=PANZERS)
    begin(table)
    attack(table, "2010", [unit], 2)
    assert line(table, "result") == "D3"
    lose(table, army)
    retreat(table, [army], "2011", "2012")
    assert refused_advance(table, [unit], "2010", "2110", "2210") == "8.113"
    advance(table, [unit], "2010", "2110")
    assert table.where(unit) == "2110"


@pytest.mark.rule(RULES, "8.113a", "8.114b", "8.86b", "8.87")
@pytest.mark.parametrize(("defends", "result", "rule"), [(4, "1/3", "8.113"), (5, "1/2", "8.113"), (6, "1/1", "8.111")])
def test_a_red_box_leaves_what_was_not_lost(new_table: NewTable, defends: int, result: str, rule: str) -> None:
    table = new_table()
    panzers, infantry = axis(table, "2009", 14, 8, like=PANZERS), axis(table, "2009", 14, 8)
    soviet(table, "2010", 2, defends)
    begin(table, turn=FIRST_WINTER)
    attack(table, "2010", [panzers, infantry], 4)
    assert (line(table, "roll"), line(table, "result")) == ("7", result)
    lose(table, infantry)
    path = ("2010", "2011", "2012")[: int(result[2]) - 1]
    assert refused_advance(table, [panzers], *("2010", "2011", "2012")[: len(path) + 1]) == rule
    if path:
        advance(table, [panzers], *path)
        assert table.where(panzers) == path[-1]


@pytest.mark.rule(RULES, "8.113a", "8.86a")
def test_the_winner_is_told_why_nobody_advances(new_table: NewTable) -> None:
    table = new_table()
    panzers, infantry = axis(table, "2009", 14, 8, like=PANZERS), axis(table, "2009", 14, 8)
    soviet(table, "2010", 2, 6)
    begin(table, turn=FIRST_WINTER)
    attack(table, "2010", [panzers, infantry], 4)
    assert (line(table, "result"), waits_for(table)) == ("1/1", "axis PayResult")
    prompt = table.view.prompt()
    assert prompt is not None
    assert str(prompt) == "Result 1/1: lose 1 step, without retreat"
    lose(table, infantry)
    assert waits_for(table) == "axis ChooseCombat"
    told = [event for event in table.events if isinstance(event, Explained) and event.subject == "advance"]
    assert [str(event.title) for event in told] == ["No advance into 2010: all was paid by steps"]
    assert [str(part) for event in told for part in event.lines] == ["1 (8.113) + -1 (8.113)"]


@pytest.mark.rule(RULES, "8.113a")
@pytest.mark.parametrize(("option", "goes"), [(False, False), (True, True)])
def test_a_unit_that_died_where_it_stood_holds_its_hex(new_table: NewTable, option: bool, goes: bool) -> None:
    table = new_table(options={"minimum_advance_one": option})
    unit, corps = axis(table, "2009", 6, 8), soviet(table, "2010", 2, 6)
    begin(table)
    attack(table, "2010", [unit], 6)
    assert line(table, "result") == "D1"
    lose(table, corps)
    assert (is_gone(table, corps), waits_for(table) == "axis AdvanceAfterCombat") == (True, goes)


@pytest.mark.rule(RULES, "8.113a", "8.114a")
def test_the_least_advance_of_the_option_is_one_hex_for_panzers_too(new_table: NewTable) -> None:
    table = new_table(options={"minimum_advance_one": True})
    panzers, corps = axis(table, "2009", 6, 8, like=PANZERS), soviet(table, "2010", 2, 6)
    begin(table)
    attack(table, "2010", [panzers], 6)
    assert line(table, "result") == "D1"
    lose(table, corps)
    assert refused_advance(table, [panzers], "2010", "2011") == "8.113"
    advance(table, [panzers], "2010")


@pytest.mark.rule(RULES, "8.24", "8.112a")
def test_an_army_for_which_no_marker_was_left_may_advance(new_table: NewTable) -> None:
    table = new_table()
    table.position.cups["C"] = {}
    army = table.place(ARMY, "2009")
    helper = soviet(table, "2109", 40, 9)
    axis(table, "2010", 2, 2)
    begin(table, "soviet")
    attack(table, "2010", [army, helper], 6)
    assert line(table, "result") == "DE"
    advance(table, [army], "2010")
    assert table.where(army) == "2010"


@pytest.mark.rule(RULES, "8.115a")
def test_the_first_hex_is_one_that_the_enemy_held(new_table: NewTable) -> None:
    table, units = victory(new_table, PANZERS)
    destroy(table, units)
    assert refused_advance(table, units, "1909", "1910") == "8.115"
    assert refused_advance(table, units, "2011") == "8.115"


@pytest.mark.rule(RULES, "8.115b", "8.46c", "5.26c")
def test_no_advance_over_water_even_frozen(new_table: NewTable) -> None:
    table = new_table(lambda board: board.side("2009", "2010", "lake", "ice_road"))
    axis(table, "2010", 1, 1, like="rum_infantry_corps")
    army, helper = table.place(ARMY, "2009", chit="C 9-10/5-6"), soviet(table, "2110", 20, 2)
    begin(table, "soviet", turn=FIRST_WINTER)
    attack(table, "2010", [army, helper], 6)
    assert (line(table, "result"), waits_for(table)) == ("DE", "soviet AdvanceAfterCombat")
    assert refused_advance(table, [army], "2010") == "8.115"
    advance(table, [helper], "2010")


@pytest.mark.rule(RULES, "8.115c")
def test_a_major_river_is_crossed_by_the_first_hex_only(new_table: NewTable) -> None:
    def edit(board: PlainBoard) -> None:
        board.side("2009", "2010", "major_river")
        board.side("2010", "2011", "major_river")
        board.side("2010", "2110", "minor_river")

    table, units = victory(new_table, PANZERS, edit=edit)
    destroy(table, units)
    assert refused_advance(table, units, "2010", "2011") == "8.115"
    advance(table, units, "2010", "2110")
    assert table.where(units[0]) == "2110"


@pytest.mark.rule(RULES, "8.115b")
def test_no_advance_into_a_lake(new_table: NewTable) -> None:
    table, units = victory(new_table, PANZERS, edit=lambda board: terrain(board, "lake", "2011"))
    destroy(table, units)
    assert refused_advance(table, units, "2010", "2011") == "8.115"
    advance(table, units, "2010", "2110")
    assert table.where(units[0]) == "2110"


@pytest.mark.rule(RULES, "8.115d")
@pytest.mark.parametrize(("turn", "open_"), [(13, False), (FIRST_WINTER, True)])
def test_a_swamp_is_entered_as_the_first_hex_only_but_in_snow(new_table: NewTable, turn: int, open_: bool) -> None:
    table, units = victory(new_table, PANZERS, edit=lambda board: terrain(board, "swamp", "2010", "2011"))
    begin(table, turn=turn)
    attack(table, "2010", units, 6)
    assert line(table, "result") == "DE"
    if not open_:
        assert refused_advance(table, units, "2010", "2011") == "8.115"
        advance(table, units, "2010")
    else:
        advance(table, units, "2010", "2011")
        assert table.where(units[0]) == "2011"


@pytest.mark.rule(RULES, "8.116", "8.112a")
def test_an_advance_stops_in_a_zoc_but_not_where_it_fought(new_table: NewTable) -> None:
    table, units = victory(new_table, PANZERS)
    table.place(ARMY, "1911")  # its ZOC holds 2011 and 2012 and, next to 1910, nothing of 2010
    table.place(ARMY, "2109")  # its ZOC holds 2010 and 2110
    destroy(table, units)
    assert refused_advance(table, units, "2010", "2011", "2012") == "8.116"
    advance(table, units, "2010", "2011")
    assert (standing(table, "2011"), waits_for(table)) == (["70-8-4"], "axis ChooseCombat")


@pytest.mark.rule(RULES, "8.117", "8.112b", "8.24", "8.22c")
def test_only_fighters_advance(new_table: NewTable) -> None:
    table, units = victory(new_table, CORPS)
    idle, depot, gun = table.place(CORPS, "2009"), table.place(DEPOT, "2009"), table.place(GUN, "2009")
    destroy(table, units)
    assert [refused_advance(table, [unit], "2010") for unit in (idle, depot, gun)] == ["8.117"] * 3


@pytest.mark.rule(RULES, "8.112b")
@pytest.mark.parametrize(("move", "refused"), [(0, True), (1, False)])
def test_who_can_not_move_does_not_advance_however_strong(new_table: NewTable, move: int, refused: bool) -> None:
    table = new_table()
    unit = axis(table, "2009", 1, 8, like="rum_infantry_corps")
    fort = soviet(table, "2010", 4, 9, move=move)
    soviet(table, "2010", 1, 9)
    begin(table)
    attack(table, "2010", [unit], 1)
    assert (line(table, "result"), waits_for(table)) == ("AE", "soviet AdvanceAfterCombat")
    if refused:
        assert refused_advance(table, [fort], "2009") == "8.112"
    else:
        advance(table, [fort], "2009")
        assert table.where(fort) == "2009"


@pytest.mark.rule(RULES, "8.24", "8.117")
def test_an_osg_in_the_attacked_hex_does_not_advance(new_table: NewTable) -> None:
    table = new_table()
    unit = axis(table, "2009", 1, 8, like="rum_infantry_corps")
    army, osg, front = table.place(ARMY, "2010", chit="C 9-10/5-6"), table.place(OSG, "2010"), table.place("sov_headquarters", "2010")
    begin(table)
    attack(table, "2010", [unit], 1)
    assert (line(table, "result"), waits_for(table)) == ("AE", "soviet AdvanceAfterCombat")
    assert [refused_advance(table, [unit], "2009") for unit in (osg, front)] == ["8.117", "8.24"]
    advance(table, [army], "2009")
    assert table.where(army) == "2009"


@pytest.mark.rule(RULES, "8.111a", "8.81", "8.113b")
def test_the_defender_may_pursue(new_table: NewTable) -> None:
    table = new_table()
    corps, panzers = soviet(table, "2009", 2, 2), axis(table, "2010", 9, 8, like=PANZERS)
    begin(table, "soviet")
    attack(table, "2010", [corps], 1)
    assert (line(table, "result"), waits_for(table)) == ("AE", "axis AdvanceAfterCombat")
    assert refused_advance(table, [panzers], "1909") == "8.115"
    advance(table, [panzers], "2009", "2008", "2007")
    assert table.where(panzers) == "2007"


@pytest.mark.rule(RULES, "8.111a", "8.81", "8.113a")
def test_the_defender_pursues_attackers_who_retreat_less_by_the_steps_that_they_paid(new_table: NewTable) -> None:
    table = new_table()
    lost, left = soviet(table, "2009", 5, 5), soviet(table, "2009", 4, 4)
    panzers = axis(table, "2010", 9, 9, like=PANZERS)
    begin(table, "soviet")
    attack(table, "2010", [lost, left], 1)
    assert line(table, "result") == "A2"
    lose(table, lost)
    retreat(table, [left], "2008")
    assert waits_for(table) == "axis AdvanceAfterCombat"
    assert refused_advance(table, [panzers], "2009", "2008") == "8.113"
    advance(table, [panzers], "2009")


@pytest.mark.rule(RULES, "8.111a", "8.87")
def test_a_hex_where_others_stayed_is_not_vacated(new_table: NewTable) -> None:
    table = new_table()
    soviet(table, "2009", 2, 2), axis(table, "2010", 9, 8, like=PANZERS)
    first = table.position.at(table.hex("2009"))[0]
    soviet(table, "2009", 2, 2)
    begin(table, "soviet")
    attack(table, "2010", [first], 1)
    assert (line(table, "result"), waits_for(table)) == ("AE", "soviet ChooseCombat")


@pytest.mark.rule(RULES, "8.86a", "8.87")
def test_nobody_advances_when_both_hexes_are_empty(new_table: NewTable) -> None:
    table = new_table()
    kg, corps = table.place("ger_panzer_kg", "2009", steps=1), soviet(table, "2010", 1, 2)
    begin(table, turn=22)
    attack(table, "2010", [kg], 6)
    assert (line(table, "result"), is_gone(table, kg), is_gone(table, corps)) == ("1/1", True, True)
    assert waits_for(table) == "axis ChooseCombat"


@pytest.mark.rule(RULES, "8.111b")
def test_the_advance_comes_now_or_never(new_table: NewTable) -> None:
    table, units = victory(new_table, CORPS)
    axis(table, "2109", 5, 7), table.place(SOVIET_CORPS, "2108")
    destroy(table, units)
    order: Order = Attack((table.hex("2108"),), (table.position.at(table.hex("2109"))[0],))
    assert table.refused(order) == "8.21"
    stay(table)
    assert refused_advance(table, units, "2010") == "8.111"


@pytest.mark.rule(RULES, "8.118", "4.18")
def test_a_crowd_may_advance_and_is_thinned_at_the_end_of_the_combat(new_table: NewTable) -> None:
    table, units = victory(new_table, CORPS, CORPS, CORPS)
    destroy(table, units)
    advance(table, units, "2010")
    assert waits_for(table) == "axis RemoveExcess"
    table.order(EliminateExcess(units[1]))
    assert (len(standing(table, "2010")), waits_for(table)) == (2, "axis ChooseCombat")


@pytest.mark.rule(RULES, "8.118")
def test_a_crowd_that_moves_on_loses_nobody(new_table: NewTable) -> None:
    table, units = victory(new_table, PANZERS, CORPS, CORPS)
    destroy(table, units)
    advance(table, units, "2010")
    advance(table, units[:1], "2011")
    stay(table)
    assert (len(standing(table, "2010")), waits_for(table)) == (2, "axis ChooseCombat")


@pytest.mark.rule(RULES, "8.47b")
def test_an_advance_into_a_fortress_destroys_it(new_table: NewTable) -> None:
    table, units = victory(new_table, CORPS, edit=lambda board: board.hex("2010", features=["fortress"]))
    destroy(table, units)
    advance(table, units, "2010")
    assert table.position.place_mark(table.hex("2010"), "destroyed") == 1


@pytest.mark.rule(RULES, "8.46c", "8.115b")
def test_panzers_may_advance_step_by_step(new_table: NewTable) -> None:
    table, units = victory(new_table, PANZERS)
    destroy(table, units)
    for there in ("2010", "2011", "2012"):
        advance(table, units, there)
    assert (table.where(units[0]), waits_for(table)) == ("2012", "axis ChooseCombat")
