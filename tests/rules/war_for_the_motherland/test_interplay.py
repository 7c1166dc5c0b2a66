"""Rules that meet: what happens where paragraphs of several sections bear on one unit at once."""

from __future__ import annotations

import msgspec
import pytest

from core.events import Marked
from core.rulesets.war_for_the_motherland.combat_phase import Attack
from core.rulesets.war_for_the_motherland.retreat import Retreat
from core.rulesets.war_for_the_motherland.terms import REFUGEE, WAS_ATTACKED
from tests.rules.war_for_the_motherland.battles import (
    AIRBASE,
    ARMY,
    CLEAR_TURN,
    CORPS,
    DEPOT,
    KG,
    OSG,
    PANZER_KG,
    PANZERS,
    SECOND_WINTER,
    SOVIET_CORPS,
    STRONG,
    advance,
    attack,
    axis,
    begin,
    is_gone,
    line,
    lose,
    refused_advance,
    refused_attack,
    retreat,
    shows,
    soviet,
    standing,
    stay,
    waits_for,
)
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.moving import AXIS_MOVES, left_of, move, overrun

R = "war_for_the_motherland"


@pytest.mark.rule(R, "6.27a", "8.104a", "8.106", "5.43", "6.25a")
def test_who_is_overrun_into_a_zoc_pays_for_it_and_the_stack_rolls_on(new_table: NewTable) -> None:
    table = new_table()
    army = table.place(ARMY, "2010", chit="C* 2-3/1-2")
    panzers = table.place(PANZERS, "2009")
    for label in ("2012", "1811", "2210"):  # every hex around the army lies in a ZOC
        table.place(PANZER_KG, label)
    table.begin(CLEAR_TURN, AXIS_MOVES)
    table.order(overrun(table, panzers, at="2010"), dice=[3])  # 3:1, 4: D1
    table.order(Retreat((army,), table.hex("2011")))
    assert (table.where(army), shows(table, army), table.where(panzers)) == ("2011", "1-2-3", "2010")
    assert left_of(table, panzers) == 4
    assert table.refused(move(table, panzers, to="1910 1909")) == "5.13"  # out of the army's ZOC for 3 more, and again
    table.order(overrun(table, panzers, at="2011"), dice=[6, 4])  # 4:1, 7: 1/1, then the army's recovery
    assert is_gone(table, army)
    assert (table.where(panzers), shows(table, panzers)) == ("2011", "7-6-7")
    assert table.refused(move(table, panzers, to="2010")) == "6.26a"


@pytest.mark.rule(R, "8.82", "7.22", "7.23", "13.54", "13.55b", "9.56")
def test_with_its_army_go_headquarters_and_osg_each_by_its_own_rule(new_table: NewTable) -> None:
    table = new_table()
    panzers = axis(table, "2009", 70, 8, like=PANZERS)
    army = table.place(ARMY, "2010", chit=STRONG, steps=1)
    staff, osg = table.place("sov_headquarters", "2010"), table.place(OSG, "2010")
    begin(table)
    table.order(Attack((table.hex("2010"),), (panzers,)), dice=[6, 5, 2])  # DE, then the army's die, the headquarters'
    assert (table.where(army), table.position.mark(army, "due")) == ("track", CLEAR_TURN + 10)
    assert (table.where(staff), table.position.mark(staff, "due")) == ("track", CLEAR_TURN + 1)
    assert table.where(osg) == "out"
    assert table.position.cups["C"] == {STRONG: 1}
    advance(table, [panzers], "2010", "2011", "2012")


@pytest.mark.rule(R, "8.94a", "8.104a", "8.101d", "8.91a")
def test_the_kg_of_a_corps_that_broke_on_the_way_retreats_to_the_end(new_table: NewTable) -> None:
    table = new_table()
    corps = table.place(CORPS, "2010", steps=3)
    for label in ("1811", "2012", "2210"):
        table.place(SOVIET_CORPS, label)
    army = soviet(table, "2009", 15, 5)
    begin(table, "soviet")
    attack(table, "2010", [army], 5)  # 3:1: D2
    retreat(table, [corps], "2011")
    (kg,) = table.position.at(table.hex("2011"))
    assert (table.unit(kg).type, shows(table, kg)) == (KG, "2-3-5")
    assert waits_for(table) == "axis ChooseRetreat"
    retreat(table, [kg], "2111")
    assert (table.where(kg), shows(table, kg)) == ("2111", "1-1-5")


@pytest.mark.rule(R, "8.95b", "8.85a", "4.21c", "8.86a")
def test_a_kg_that_loses_its_zoc_in_the_battle_pays_no_second_step_before_the_depot(new_table: NewTable) -> None:
    table = new_table()
    kg, depot = table.place(KG, "2010"), table.place(DEPOT, "2010")
    army = soviet(table, "2009", 20, 5)
    table.place(OSG, "2007")
    begin(table, "soviet", turn=SECOND_WINTER)
    attack(table, "2010", [army], 3)  # 5:1, 7: 1/2
    assert line(table, "result") == "1/2"
    assert (shows(table, kg), is_gone(table, depot)) == ("1-1-5", True)


@pytest.mark.rule(R, "8.34", "8.115a", "8.116", "8.113a")
def test_of_two_emptied_hexes_either_may_be_entered_and_a_zoc_stops_nobody_there(new_table: NewTable) -> None:
    table = new_table()
    panzers = axis(table, "2009", 12, 8, like=PANZERS)
    one, two = soviet(table, "2010", 2, 2), soviet(table, "2109", 2, 2)
    soviet(table, "1910", 2, 2)  # its ZOC lies on 2010
    begin(table)
    attack(table, ["2010", "2109"], [panzers], 5)  # 3:1: D2
    for unit, label in ((one, "2011"), (two, "2210"), (one, "2012"), (two, "2310")):
        retreat(table, [unit], label)
    assert waits_for(table) == "axis AdvanceAfterCombat"
    assert refused_advance(table, [panzers], "2108") == "8.115"
    advance(table, [panzers], "2010", "2109")
    assert standing(table, "2109") == ["12-8-4"]


@pytest.mark.rule(R, "13.52", "10.12", "8.53")
def test_a_fleet_goes_with_its_airbase_and_supports_no_later_battle(new_table: NewTable) -> None:
    table = new_table()
    base = table.place(AIRBASE, "2010", name="4")
    fleet = table.place("ger_air_fleet_5", "2012", name="4")
    first, second = soviet(table, "2009", 7, 5), soviet(table, "2207", 9, 5)
    far = table.place(KG, "2208")
    begin(table, "soviet")
    attack(table, "2010", [first], 6)
    assert (line(table, "column"), line(table, "result")) == ("6:1", "DE")  # 7:1, and the fleet's column left
    assert (table.where(base), table.where(fleet)) == ("track", "fleets")
    stay(table)
    attack(table, "2208", [second], 1)
    assert (line(table, "column"), is_gone(table, far)) == ("3:1", False)


@pytest.mark.rule(R, "8.84a", "8.104c", "8.102a", "9.52c")
def test_one_hungry_unit_that_has_no_hex_keeps_its_whole_stack(new_table: NewTable) -> None:
    table = new_table()
    fed, hungry = table.place(CORPS, "2010"), table.place(CORPS, "2010", out_of_supply=1)
    for label in ("1811", "2012", "2210"):
        table.place(SOVIET_CORPS, label)
    army = soviet(table, "2009", 33, 5)
    begin(table, "soviet")
    attack(table, "2010", [army], 5)  # 33:11 = 3:1: D2
    assert table.refused(Retreat((fed,), table.hex("2011"))) == "8.84"
    lose(table, fed)
    assert (shows(table, fed), shows(table, hungry), table.where(fed)) == ("3-5-4", "3-5-4", "2010")


@pytest.mark.rule(R, "8.23c", "8.107a")
@pytest.mark.parametrize(("version", "again"), [(3, "8.23"), (2, "")])
def test_a_refugee_left_alone_is_attacked_once_but_in_games_of_before(new_table: NewTable, version: int, again: str) -> None:
    table = new_table()
    msgspec.structs.force_setattr(table.setting, "version", version)
    corps = axis(table, "2010", 7, 7)
    first, second = soviet(table, "2009", 7, 5), soviet(table, "2109", 7, 5)
    begin(table, "soviet")
    table.happen(Marked((corps,), WAS_ATTACKED), Marked((corps,), REFUGEE))  # it fled to friends, who advanced and left it alone
    attack(table, "2010", [first], 3)  # 1:1: A1
    lose(table, first)
    if again:
        assert refused_attack(table, "2010", [second]) == again
    else:
        attack(table, "2010", [second], 3)
    assert table.where(corps) == "2010"
