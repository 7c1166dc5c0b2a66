"""17.41, 17.42 and their like of 18 and 19: the first turn of June 1941."""

from __future__ import annotations

import pytest

from core.errors import BadInput
from core.events import ControlChanged
from core.pack import setting
from core.rulesets import load
from core.rulesets.war_for_the_motherland import first_turn
from core.rulesets.war_for_the_motherland.organization import AskOrganization, BreakDown
from core.rulesets.war_for_the_motherland.sea_movement import Sail
from core.rulesets.war_for_the_motherland.sequence import BeginPhase
from core.rulesets.war_for_the_motherland.terms import FROZEN
from core.trials.table import PlainBoard, Table
from rasputitsa.packs import load_pack
from tests.rules.war_for_the_motherland.battles import (
    PANZERS,
    SOVIET_CORPS,
    attack,
    axis,
    begin,
    is_gone,
    lose,
    refused_advance,
    refused_attack,
    retreat,
    soviet,
    waits_for,
)
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.made_scenarios import made, set_up
from tests.rules.war_for_the_motherland.moments import run
from tests.rules.war_for_the_motherland.moving import AXIS_MOVES, move, overrun, side, strategic

GAME = "war_for_the_motherland"
# Jassy (C5423 is across the border), Helsinki's country, East Prussia; and Soviets on their own side of the border.
SET_UP = """
["C5525", "ger_infantry_corps", "30"], ["C5526", "rum_infantry_corps", "2"], ["C1020", "fin_army", "SE"],
["C2931", "ger_infantry_corps", "23"],
["C5423", "sov_infantry_army", "9"], ["fleets", "ger_air_fleet_5", "4"], ["arrivals", "ger_infantry_corps", "99"]
"""
WORDS = 'frozen_countries = ["finland", "rumania"]\nturn_without_rivers = 1'


def frozen(table: Table) -> set[str]:
    return {table.unit(unit).name for unit in table.position.marked(FROZEN)}


@pytest.mark.rule(GAME, "17.42a", "18.42", "19.42")
def test_who_is_set_up_in_finland_and_rumania_is_bound_of_whatever_nation() -> None:
    assert frozen(set_up(made(setup=SET_UP, rules=WORDS))) == {"30", "2", "SE"}


@pytest.mark.rule(GAME, "17.42a", "18.42", "19.42")
def test_other_scenarios_bind_nobody() -> None:
    assert frozen(set_up(made(setup=SET_UP))) == set()


@pytest.mark.rule(GAME, "17.42a")
def test_from_the_second_turn_on_nobody_is_bound(new_table: NewTable) -> None:
    table = new_table()
    bound = table.place("ger_infantry_corps", "2519", frozen=1)
    run(table, 1, BeginPhase(turn=1, index=7))
    assert (table.position.turn, table.position.phase, frozen(table)) == (2, "axis_movement", set())
    table.order(move(table, bound, to="2518"))


@pytest.mark.rule(GAME, "17.42a", "18.42", "19.42")
@pytest.mark.parametrize(("scenario", "rule"), [("fall_barbarossa", "17.42a"), ("road_to_stalingrad", "18.42"), (GAME, "19.42")])
def test_each_scenario_binds_by_its_own_rule(scenario: str, rule: str) -> None:
    table = set_up(setting(load(GAME), load_pack(GAME), scenario))
    refused = {why.rule for unit in table.position.marked(FROZEN) if (why := first_turn.why_frozen(table.view, unit)) is not None}
    assert refused == {rule}


@pytest.mark.rule(GAME, "17.42a")
def test_bound_units_go_nowhere(new_table: NewTable) -> None:
    table = new_table(lambda board: board.rail("2010", "2009", "2008"))
    bound, panzers = table.place("ger_infantry_corps", "2010", frozen=1), table.place(PANZERS, "2210", frozen=1)
    table.place(SOVIET_CORPS, "2209"), table.place("ger_infantry_corps", "2420")
    table.begin(1, AXIS_MOVES)
    assert table.refused(move(table, bound, to="2009")) == "17.42a"
    assert table.refused(strategic(table, bound, to="2009 2008")) == "17.42a"
    assert table.refused(overrun(table, panzers, at="2209")) == "17.42a"


@pytest.mark.rule(GAME, "17.42a")
def test_bound_panzers_rest_in_the_mechanized_phase_too(new_table: NewTable) -> None:
    table = new_table()
    bound = table.place(PANZERS, "2010", frozen=1)
    table.place(PANZERS, "2420")
    table.begin(1, "german_mechanized_movement")
    assert table.refused(move(table, bound, to="2009")) == "17.42a"


@pytest.mark.rule(GAME, "17.42a")
def test_bound_units_do_not_sail(new_table: NewTable) -> None:
    def coast(board: PlainBoard) -> None:
        for label, name in (("2010", "Constanza"), ("2310", "Odessa")):
            board.hex(label, city="major", name=name, port="black_sea", country="rumania")

    table = new_table(coast, rules={"sea_movement": True})
    table.happen(*(ControlChanged(table.hex(label), "axis") for label in ("2010", "2310")))
    bound = table.place("ger_infantry_corps", "2010", frozen=1)
    table.place("ger_infantry_corps", "2420")
    table.begin(1, AXIS_MOVES)
    assert table.refused(Sail((bound,), table.hex("2310"))) == "17.42a"


@pytest.mark.rule(GAME, "17.42a")
def test_bound_units_of_either_side_do_not_attack(new_table: NewTable) -> None:
    table = new_table()
    bound = soviet(table, "2009", 9, 8, frozen=1)
    axis(table, "2010", 2, 3)
    begin(table, "soviet", turn=1)
    assert refused_attack(table, "2010", [bound]) == "17.42a"


@pytest.mark.rule(GAME, "17.42a")
def test_bound_corps_do_not_break_down_but_others_do(new_table: NewTable) -> None:
    table = new_table()
    bound, free = (table.place("ger_infantry_corps", at, **marks) for at, marks in (("2519", {FROZEN: 1}), ("2520", {})))
    run(table, 1, AskOrganization(), side="axis")
    assert table.refused(BreakDown(bound)) == "17.42a"
    table.order(BreakDown(free))


@pytest.mark.rule(GAME, "17.42b")
def test_bound_units_defend_with_all_they_have_and_retreat(new_table: NewTable) -> None:
    table = new_table()
    bound = axis(table, "2010", 5, 7, frozen=1)
    attacker = soviet(table, "2009", 28, 9)
    begin(table, "soviet", turn=1)
    attack(table, "2010", [attacker], die=2)
    assert table.explained("defence") == "7"
    assert waits_for(table) == "axis PayResult"
    retreat(table, [bound], "2011")
    assert not is_gone(table, bound)


@pytest.mark.rule(GAME, "17.42a", "17.42b")
def test_bound_units_that_win_do_not_advance(new_table: NewTable) -> None:
    table = new_table()
    bound, free = axis(table, "2010", 5, 9, frozen=1), axis(table, "2010", 5, 9)
    attacker = soviet(table, "2009", 9, 8, like=SOVIET_CORPS)
    begin(table, "soviet", turn=1)
    attack(table, "2010", [attacker], die=1)
    retreat(table, [attacker], "2008", "2007")
    assert waits_for(table) == "axis AdvanceAfterCombat"
    assert refused_advance(table, [bound], "2009") == "17.42a"
    assert refused_advance(table, [bound, free], "2009") == "17.42a"


@pytest.mark.rule(GAME, "17.42a")
def test_the_kg_left_of_a_bound_corps_is_bound(new_table: NewTable) -> None:
    table = new_table()
    corps = table.place("ger_infantry_corps", "2010", steps=3, frozen=1)
    attacker = soviet(table, "2009", 20, 8)
    begin(table, "soviet", turn=1)
    attack(table, "2010", [attacker], die=2)
    lose(table, corps)
    assert is_gone(table, corps)
    assert [table.unit(unit).type for unit in table.position.marked(FROZEN)] == ["ger_infantry_kg"]


@pytest.mark.rule(GAME, "17.41", "18.41", "19.41")
@pytest.mark.parametrize(("words", "refused"), [({"turn_without_rivers": 1}, ""), ({}, "6.28a"), ({"turn_without_rivers": 2}, "6.28a")])
def test_germans_overrun_across_rivers_in_that_turn_only(new_table: NewTable, words: dict[str, object], refused: str) -> None:
    table = new_table(side("2011", "2010", "major_river"), rules=words)
    panzers = table.place(PANZERS, "2011")
    table.place(SOVIET_CORPS, "2010")
    table.begin(1, AXIS_MOVES)
    if refused:
        assert table.refused(overrun(table, panzers, at="2010")) == refused
    else:
        table.order(overrun(table, panzers, at="2010"), dice=[5])


@pytest.mark.rule(GAME, "17.41", "18.41", "19.41")
def test_in_normal_combat_rivers_defend_on_the_first_turn_as_well(new_table: NewTable) -> None:
    table = new_table(side("2009", "2010", "major_river"), rules={"turn_without_rivers": 1})
    panzers = axis(table, "2009", 9, 8, like=PANZERS)
    soviet(table, "2010", 2, 3)
    begin(table, turn=1)
    attack(table, "2010", [panzers], die=3)
    assert table.explained("defence") == "3 + 3 (8.43)"


@pytest.mark.rule(GAME, "17.42a")
def test_a_frozen_country_that_the_map_has_not_is_a_fault() -> None:
    with pytest.raises(BadInput, match="frozen_countries: expected a country of the map in play, got norge"):
        made(rules='frozen_countries = ["norge"]')
