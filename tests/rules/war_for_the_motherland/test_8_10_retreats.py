"""Retreats (8.10): where to, what the way costs, crowds, refugees."""

from __future__ import annotations

import pytest

from core.events import TrackSet
from core.options import options
from core.orders import HexPick, OptionPick, UnitPick
from core.rulesets.war_for_the_motherland import strength, weather
from core.rulesets.war_for_the_motherland.combat_phase import Attack
from core.rulesets.war_for_the_motherland.crowds import RemoveRetreated, RetreatFurther
from core.rulesets.war_for_the_motherland.retreat import Retreat
from core.rulesets.war_for_the_motherland.retreat_costs import LoseOnWay
from core.trials.table import PlainBoard, Table
from core.units import UnitId
from tests.rules.war_for_the_motherland.battles import (
    ARMY,
    CORPS,
    DEPOT,
    FIRST_WINTER,
    GUN,
    ITALIANS,
    KG,
    MUD,
    PANZER_KG,
    PANZERS,
    RUMANIANS,
    SOVIET_CORPS,
    STRONG,
    TANKS,
    advance,
    attack,
    axis,
    begin,
    is_gone,
    line,
    lose,
    open_orders,
    refused_attack,
    refused_retreat,
    retreat,
    shows,
    soviet,
    standing,
    stay,
    terrain,
    waits_for,
)
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.lines_of_supply import corridor

RULES = "war_for_the_motherland"


def beat(table: Table, *units: UnitId, result: str = "D1", turn: int = 13) -> None:
    """Let a Soviet unit in 2009 attack the Axis units in 2010 at 3:1 so that they get this result."""
    table.happen(TrackSet("turn", turn))
    attacker = soviet(table, "2009", 3 * sum(strength.defence(table.view, unit) for unit in units), 9)
    begin(table, "soviet", turn=turn)
    attack(table, "2010", [attacker], {"D1": 4, "D2": 5}[result] - weather.turn_of(table.view).combat_modifier)
    assert (line(table, "column"), line(table, "result")) == ("3:1", result)


@pytest.mark.rule(RULES, "8.106", "8.105a", "8.104a")
def test_a_vacant_hex_out_of_zoc_comes_first(new_table: NewTable) -> None:
    table = new_table()
    unit = table.place(CORPS, "2010")
    table.place(CORPS, "2110"), table.place(SOVIET_CORPS, "1909")
    beat(table, unit)
    assert refused_retreat(table, [unit], "2110") == "8.106"
    assert refused_retreat(table, [unit], "1910") == "8.106"
    assert refused_retreat(table, [unit], "2109") == "8.106"
    assert refused_retreat(table, [unit], "1909") == "8.103"
    retreat(table, [unit], "2011")
    assert table.where(unit) == "2011"


@pytest.mark.rule(RULES, "8.106", "8.105a")
@pytest.mark.parametrize("there", ["2011", "2110"])
def test_friends_out_of_zoc_come_second(new_table: NewTable, there: str) -> None:
    table = new_table()
    unit = table.place(CORPS, "2010")
    table.place(CORPS, "2110"), table.place(CORPS, "2011"), table.place(SOVIET_CORPS, "1909")
    beat(table, unit)
    assert refused_retreat(table, [unit], "1910") == "8.106"
    retreat(table, [unit], there)
    assert table.where(unit) == there


def ring(table: Table, *but: str) -> None:
    """Put all neighbours of 2010 into Soviet ZOC from two hexes off, those named excepted."""
    for at in ("1811", "1809", "2012", "2211", "2209", "2008"):
        if at not in but:
            table.place(SOVIET_CORPS, at)


@pytest.mark.rule(RULES, "8.106", "8.104a", "4.25")
def test_friends_in_a_zoc_come_third_and_shield_from_it(new_table: NewTable) -> None:
    table = new_table()
    unit = table.place(CORPS, "2010")
    table.place(DEPOT, "2011")
    ring(table)
    beat(table, unit)
    assert refused_retreat(table, [unit], "2110") == "8.106"
    retreat(table, [unit], "2011")
    assert standing(table, "2011") == ["5-7-4", "0-1-3"]


@pytest.mark.rule(RULES, "8.104a", "8.104b", "4.29a")
def test_a_stack_pays_one_step_for_a_bare_zoc(new_table: NewTable) -> None:
    table = new_table()
    one, two = table.place(CORPS, "2010"), table.place(CORPS, "2010")
    ring(table)
    beat(table, one, two)
    retreat(table, [one, two], "2011")
    assert waits_for(table) == "axis ChooseBearer"
    assert table.refused(LoseOnWay(table.position.at(table.hex("2009"))[0])) == "8.104"
    table.order(LoseOnWay(two))
    assert standing(table, "2011") == ["5-7-4", "3-5-4"]


@pytest.mark.rule(RULES, "8.104b", "8.102b")
def test_units_that_part_pay_a_step_each(new_table: NewTable) -> None:
    table = new_table()
    one, two = table.place(CORPS, "2010"), table.place(CORPS, "2010")
    ring(table)
    beat(table, one, two)
    retreat(table, [one], "2011")
    assert shows(table, one) == "3-5-4"
    retreat(table, [two], "2110")
    assert standing(table, "2011") == standing(table, "2110") == ["3-5-4"]


@pytest.mark.rule(RULES, "8.104c", "4.29b", "9.52c")
def test_without_supply_no_bare_zoc_is_open(new_table: NewTable) -> None:
    table = new_table()
    unit = table.place(CORPS, "2010", out_of_supply=1)
    ring(table)
    beat(table, unit, result="D2")
    # Two steps are lost at once: nothing can be chosen.
    assert (standing(table, "2010"), waits_for(table)) == (["2-3-5"], "soviet ChooseCombat")


@pytest.mark.rule(RULES, "8.104c", "9.52c")
def test_without_supply_a_friend_in_a_zoc_is_open(new_table: NewTable) -> None:
    table = new_table()
    unit = table.place(CORPS, "2010", out_of_supply=1)
    table.place(KG, "2011")
    ring(table)
    beat(table, unit)
    assert refused_retreat(table, [unit], "2110") == "8.104"
    retreat(table, [unit], "2011")
    assert standing(table, "2011") == ["5-7-4", "2-3-5"]


@pytest.mark.rule(RULES, "8.101a", "8.101d")
def test_a_retreat_ends_as_far_away_as_it_is_long(new_table: NewTable) -> None:
    table = new_table()
    unit = table.place(CORPS, "2010")
    beat(table, unit, result="D2")
    retreat(table, [unit], "2011")
    assert refused_retreat(table, [unit], "2110") == "8.101"
    assert refused_retreat(table, [unit], "2013") == "8.101"
    retreat(table, [unit], "2012")
    assert table.where(unit) == "2012"


@pytest.mark.rule(RULES, "8.102b")
def test_stacked_units_may_part(new_table: NewTable) -> None:
    table = new_table()
    army, front = table.place(ARMY, "2010", chit=STRONG), table.place("sov_headquarters", "2010")
    unit = axis(table, "2011", 30, 9)
    begin(table)
    attack(table, "2010", [unit], 4)
    assert (line(table, "column"), line(table, "result")) == ("3:1", "D1")
    retreat(table, [army], "2009")
    retreat(table, [front], "2109")
    assert (table.where(army), table.where(front)) == ("2009", "2109")


@pytest.mark.rule(RULES, "8.103a", "5.26c", "8.46c")
def test_nobody_retreats_over_ice(new_table: NewTable) -> None:
    def edit(board: PlainBoard) -> None:
        board.side("2010", "2011", "lake", "ice_road")

    table = new_table(edit)
    unit = table.place(CORPS, "2010")
    for at in ("1909", "2109", "1910", "2110"):
        table.place(SOVIET_CORPS, at)
    beat(table, unit, turn=FIRST_WINTER)
    assert (standing(table, "2010"), waits_for(table)) == (["3-5-4"], "soviet ChooseCombat")


@pytest.mark.rule(RULES, "8.103a")
def test_nobody_retreats_off_the_map_or_into_the_sea(new_table: NewTable) -> None:
    def edit(board: PlainBoard) -> None:
        terrain(board, "sea", "1611", "1609")

    table = new_table(edit)
    unit, attacker = table.place(CORPS, "1610"), soviet(table, "1710", 21, 9)
    table.place(SOVIET_CORPS, "1709")
    begin(table, "soviet")
    attack(table, "1610", [attacker], 5)
    assert (line(table, "result"), standing(table, "1610")) == ("D2", ["2-3-5"])
    assert is_gone(table, unit)


@pytest.mark.rule(RULES, "4.15b")
def test_allied_nations_do_not_retreat_to_one_another(new_table: NewTable) -> None:
    table = new_table()
    unit = table.place(RUMANIANS, "2010")
    table.place(ITALIANS, "2011")
    beat(table, unit)
    assert refused_retreat(table, [unit], "2011") == "4.15"


@pytest.mark.rule(RULES, "8.103b", "8.75")
@pytest.mark.parametrize("rails", [True, False])
def test_siege_artillery_retreats_along_a_railroad_only(new_table: NewTable, rails: bool) -> None:
    table = new_table(lambda board: board.rail("2010", "2110") if rails else None)
    gun = table.place(GUN, "2010")
    beat(table, gun)
    if rails:
        assert refused_retreat(table, [gun], "2011") == "8.75"
        retreat(table, [gun], "2110")
    assert is_gone(table, gun) is not rails


@pytest.mark.rule(RULES, "8.101b", "8.93")
def test_a_headquarters_alone_may_retreat_or_be_lost(new_table: NewTable) -> None:
    table = new_table()
    unit = table.place("rum_headquarters", "2010")
    beat(table, unit)
    assert open_orders(table) == ["lose_step", "retreat"]
    lose(table, unit, dice=[2])
    assert is_gone(table, unit)


def two_hexes_with_one_way_out(board: PlainBoard) -> None:
    corridor(board, ["2109", "2010", "2110", "2011", "2012", "2601", "2602"])
    board.side("2010", "2110", "lake")


@pytest.mark.rule(RULES, "8.102a", "8.106", "4.15b", "8.84a")
def test_who_retreated_before_the_way_closed_behind_him_pays_the_rest_in_steps(new_table: NewTable) -> None:
    # 2011 is the only way out of both hexes, and whichever nation goes there first closes it to the other.
    table = new_table(two_hexes_with_one_way_out)
    italians, rumanians = table.place(ITALIANS, "2010"), table.place(RUMANIANS, "2110")
    defence = sum(strength.defence(table.view, unit) for unit in (italians, rumanians))
    army = soviet(table, "2109", 3 * defence, 9)
    begin(table, "soviet")
    attack(table, ["2010", "2110"], [army], 5)
    assert (line(table, "column"), line(table, "result")) == ("3:1", "D2")
    retreat(table, [italians], "2011")
    assert (waits_for(table), open_orders(table)) == ("axis PayResult", ["lose_step"])
    lose(table, rumanians)
    # 2012 is open to the Italians, but their retreat is over.
    assert (is_gone(table, rumanians), table.where(italians), shows(table, italians)) == (True, "2011", "2-3-3")


# -------------------------------------------------------------------- rivers


def behind_river(new_table: NewTable) -> Table:
    return new_table(lambda board: board.side("2010", "2011", "major_river"))


@pytest.mark.rule(RULES, "8.108")
def test_panzers_lose_a_step_over_a_major_river_and_infantry_none(new_table: NewTable) -> None:
    table = behind_river(new_table)
    panzers, infantry = table.place(PANZERS, "2010"), table.place(CORPS, "2010")
    beat(table, panzers, infantry)
    retreat(table, [panzers, infantry], "2011")
    assert standing(table, "2011") == ["7-6-7", "5-7-4"]


@pytest.mark.rule(RULES, "8.108")
def test_infantry_alone_loses_nothing_over_the_river(new_table: NewTable) -> None:
    table = behind_river(new_table)
    unit = table.place(CORPS, "2010")
    beat(table, unit)
    retreat(table, [unit], "2011")
    assert (standing(table, "2011"), waits_for(table)) == (["5-7-4"], "soviet AdvanceAfterCombat")  # nobody is asked who drowns


@pytest.mark.rule(RULES, "8.108")
@pytest.mark.parametrize("bearer", [0, 1])
def test_the_owner_chooses_which_panzers_drown(new_table: NewTable, bearer: int) -> None:
    table = behind_river(new_table)
    units = [table.place(PANZERS, "2010"), table.place(PANZER_KG, "2010", steps=1)]
    beat(table, *units)
    retreat(table, units, "2011")
    assert waits_for(table) == "axis ChooseBearer"
    table.order(LoseOnWay(units[bearer]))
    assert standing(table, "2011") == (["7-6-7", "2-1-8"] if bearer == 0 else ["9-8-7"])


@pytest.mark.rule(RULES, "8.108", "7.24", "8.92")
def test_a_weak_tank_army_drowns_with_its_star(new_table: NewTable) -> None:
    table = behind_river(new_table)
    tanks = table.place(TANKS, "2010", chit="A* 5-3/3-2", steps=1)
    unit = axis(table, "2009", 11, 9)
    begin(table)
    attack(table, "2010", [unit], 3)
    table.order(Retreat((tanks,), table.hex("2011")), dice=[4])
    assert is_gone(table, tanks)
    assert table.position.cups.get("A", {}) == {}
    assert waits_for(table) == "axis AdvanceAfterCombat"


@pytest.mark.rule(RULES, "8.104a", "8.108")
def test_river_and_zoc_take_a_step_each(new_table: NewTable) -> None:
    table = behind_river(new_table)
    panzers = table.place(PANZERS, "2010")
    ring(table)
    beat(table, panzers)
    retreat(table, [panzers], "2011")
    assert standing(table, "2011") == ["4-3-8"]


@pytest.mark.rule(RULES, "8.104a", "8.108")
def test_nobody_pays_for_the_zoc_once_the_river_took_the_last_step(new_table: NewTable) -> None:
    table = behind_river(new_table)
    panzers = table.place(PANZER_KG, "2010", steps=1)
    ring(table)
    beat(table, panzers)
    retreat(table, [panzers], "2011")
    assert is_gone(table, panzers)
    assert waits_for(table) == "soviet AdvanceAfterCombat"


@pytest.mark.rule(RULES, "8.104a", "11.23", "5.26a")
@pytest.mark.parametrize(("turn", "stands"), [(FIRST_WINTER, "3-5-4"), (MUD, "5-7-4")])
def test_a_zoc_over_ice_takes_its_step_in_winter_only(new_table: NewTable, turn: int, stands: str) -> None:
    def edit(board: PlainBoard) -> None:
        board.side("2011", "2012", "lake", "ice_road")
        for at in ("1910", "2110"):
            board.hex(at, terrain="sea")

    table = new_table(edit)
    unit = table.place(CORPS, "2010")
    table.place(ARMY, "2012")
    beat(table, unit, turn=turn)
    retreat(table, [unit], "2011")
    assert standing(table, "2011") == [stands]


# -------------------------------------------------------------------- crowds


def crowded(new_table: NewTable, *retreating: str, friends: list[str]) -> tuple[Table, list[UnitId]]:
    """Let units retreat from 2010 into 2011, where friends are; all other ways are held by the enemy."""
    table = new_table()
    units = [table.place(kind, "2010") for kind in retreating]
    for kind in friends:
        table.place(kind, "2011")
    for at in ("1909", "1910", "2109", "2110"):
        table.place(SOVIET_CORPS, at)
    beat(table, *units)
    return table, units


@pytest.mark.rule(RULES, "8.105b", "4.12a")
def test_a_retreat_within_the_limit_is_no_crowd(new_table: NewTable) -> None:
    table, units = crowded(new_table, CORPS, CORPS, friends=["ger_panzer_division"])
    retreat(table, units, "2011")
    assert len(standing(table, "2011")) == 3
    assert waits_for(table).startswith("soviet")


@pytest.mark.rule(RULES, "8.105b", "8.105c", "8.102a")
def test_one_unit_of_a_crowd_goes_one_hex_further(new_table: NewTable) -> None:
    table, (unit,) = crowded(new_table, CORPS, friends=[CORPS, CORPS])
    retreat(table, [unit], "2011")
    assert (waits_for(table), open_orders(table)) == ("axis ChooseInCrowd", ["retreat_further", "remove_retreated"])
    former = table.position.at(table.hex("2011"))[-1]
    assert table.refused(RetreatFurther(former, table.hex("2012"))) == "8.105"
    assert table.refused(RetreatFurther(unit, table.hex("2010"))) == "8.101"
    table.order(RetreatFurther(unit, table.hex("2012")))
    assert (table.where(unit), len(standing(table, "2011"))) == ("2012", 2)
    assert waits_for(table) == "soviet AdvanceAfterCombat"


@pytest.mark.rule(RULES, "8.105b")
def test_the_owner_may_lose_the_unit_instead(new_table: NewTable) -> None:
    table, (unit,) = crowded(new_table, CORPS, friends=[CORPS, CORPS])
    retreat(table, [unit], "2011")
    table.order(RemoveRetreated(unit))
    assert is_gone(table, unit)
    assert len(standing(table, "2011")) == 2


@pytest.mark.rule(RULES, "8.105b", "8.105c")
def test_of_two_that_crowd_a_hex_the_owner_names_the_one_that_is_lost(new_table: NewTable) -> None:
    table, units = crowded(new_table, CORPS, CORPS, friends=[CORPS])
    retreat(table, units, "2011")
    assert waits_for(table) == "axis ChooseInCrowd"
    table.order(RemoveRetreated(units[1]))
    assert [is_gone(table, unit) for unit in units] == [False, True]
    assert (len(standing(table, "2011")), waits_for(table)) == (2, "soviet AdvanceAfterCombat")


@pytest.mark.rule(RULES, "8.105b", "8.105c")
@pytest.mark.parametrize("lost", [0, 1])
def test_of_two_that_can_go_no_further_the_owner_still_names_the_one_that_is_lost(new_table: NewTable, lost: int) -> None:
    def cape(board: PlainBoard) -> None:
        terrain(board, "sea", "1910", "1911", "2012", "2110", "2111")

    table = new_table(cape)
    units = [table.place(CORPS, "2010"), table.place(CORPS, "2010")]
    table.place(CORPS, "2011")
    for at in ("1909", "2109"):
        table.place(SOVIET_CORPS, at)
    beat(table, *units)
    retreat(table, units, "2011")
    assert waits_for(table) == "axis ChooseInCrowd"
    table.order(RemoveRetreated(units[lost]))
    assert [is_gone(table, unit) for unit in units] == [lost == 0, lost == 1]


@pytest.mark.rule(RULES, "8.105c")
def test_a_crowd_is_thinned_until_the_hex_is_legal_and_those_who_were_there_stay(new_table: NewTable) -> None:
    table, units = crowded(new_table, CORPS, CORPS, friends=[CORPS, CORPS])
    retreat(table, units, "2011")
    table.order(RemoveRetreated(units[0]))
    assert [is_gone(table, unit) for unit in units] == [True, True]  # the other has no choice left
    assert (len(standing(table, "2011")), waits_for(table)) == (2, "soviet AdvanceAfterCombat")


@pytest.mark.rule(RULES, "8.105c")
def test_a_unit_that_finds_no_room_one_hex_further_is_eliminated(new_table: NewTable) -> None:
    table = new_table()
    unit = table.place(CORPS, "2010")
    for at in ("2011", "2012", "1912", "2112"):
        table.place(CORPS, at), table.place(CORPS, at)
    for at in ("1909", "1910", "2109", "2110"):
        table.place(SOVIET_CORPS, at)
    beat(table, unit)
    retreat(table, [unit], "2011")
    further = sorted(table.board.label(pick) for pick in _further(table, unit))
    assert further == ["2012"]  # 1911 and 2111 are vacant, but nearer to 2010 or in a ZOC
    table.order(RetreatFurther(unit, table.hex("2012")))
    assert is_gone(table, unit)
    assert len(standing(table, "2012")) == 2


def _further(table: Table, unit: UnitId) -> list[int]:
    offered = options(table.view, (OptionPick("retreat_further"), UnitPick(unit)))
    return [pick.hex for pick in offered.picks if isinstance(pick, HexPick)]


# -------------------------------------------------------------------- refugees


def refugee(new_table: NewTable, strength: int = 14) -> tuple[Table, UnitId, UnitId, UnitId]:
    """Let a corps flee from 2010 into 2011 to another corps; a second Soviet unit, of this attack strength, stands next to that."""
    table = new_table()
    fled, host = table.place(CORPS, "2010"), table.place(CORPS, "2011")
    for at in ("1909", "1910", "2109", "2110"):
        table.place(SOVIET_CORPS, at)
    second = soviet(table, "2012", strength, 9)
    beat(table, fled)
    retreat(table, [fled], "2011")
    if waits_for(table) == "soviet AdvanceAfterCombat":
        stay(table)
    return table, fled, host, second


@pytest.mark.rule(RULES, "8.107a", "8.107b", "8.23c")
def test_a_refugee_adds_no_defence_and_dies_with_any_adverse_result(new_table: NewTable) -> None:
    table, fled, host, second = refugee(new_table)
    attack(table, "2011", [second], 5)
    assert (table.explained("defence"), line(table, "result")) == ("7 + 0 (8.107)", "D1")
    assert (is_gone(table, fled), is_gone(table, host), waits_for(table)) == (True, False, "axis PayResult")
    lose(table, host)
    assert standing(table, "2011") == ["3-5-4"]


@pytest.mark.rule(RULES, "8.107b", "8.82")
def test_a_refugee_is_lost_with_those_that_are_eliminated_as_a_whole(new_table: NewTable) -> None:
    table, fled, host, second = refugee(new_table, strength=49)
    attack(table, "2011", [second], 5)
    assert (table.explained("defence"), line(table, "result")) == ("7 + 0 (8.107)", "DE")
    assert (is_gone(table, fled), is_gone(table, host)) == (True, True)


@pytest.mark.rule(RULES, "8.107b")
@pytest.mark.parametrize(("die", "result"), [(1, "A1")])
def test_a_refugee_stays_when_nothing_adverse_happens(new_table: NewTable, die: int, result: str) -> None:
    table, fled, _, second = refugee(new_table)
    attack(table, "2011", [second], die)
    assert line(table, "result") == result
    assert not is_gone(table, fled)


@pytest.mark.rule(RULES, "8.23c")
def test_who_fled_into_a_vacant_hex_is_not_attacked_again(new_table: NewTable) -> None:
    table = new_table()
    unit, other = table.place(CORPS, "2010"), soviet(table, "2012", 9, 9)
    beat(table, unit)
    # 2011 lies in the ZOC of 2012; 1910 and 2110 don't.
    retreat(table, [unit], "1910")
    if waits_for(table) == "soviet AdvanceAfterCombat":
        stay(table)
    near = soviet(table, "1811", 9, 9)
    assert table.refused(Attack((table.hex("1910"),), (near,))) == "8.23"
    assert not is_gone(table, other)


@pytest.mark.rule(RULES, "8.23c", "8.107a")
def test_who_fled_to_friends_and_from_there_to_a_vacant_hex_is_attacked_no_more(new_table: NewTable) -> None:
    table, fled, host, second = refugee(new_table)
    third = soviet(table, "1911", 14, 9)
    attack(table, "2011", [second], 1)
    retreat(table, [second], "1912")
    advance(table, [host], "2012")
    attack(table, "2011", [third], 6)  # he is alone there now, and defends as any unit does
    assert (table.explained("defence"), line(table, "result")) == ("7", "D2")
    retreat(table, [fled], "2012")  # and on to 2112, the only way
    assert (table.where(host), table.where(fled)) == ("2012", "2112")
    if waits_for(table) == "soviet AdvanceAfterCombat":
        stay(table)
    near = soviet(table, "2213", 9, 9)
    assert refused_attack(table, "2112", [near]) == "8.23"
