"""20.4, an option: additional losses of armor in cities. Attack 9 against 6 is 3:2: a 3 is A1, a 5 is NE, a 6 is D1."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.events import Rolled
from core.rulesets.war_for_the_motherland import city_losses, combat
from core.rulesets.war_for_the_motherland.advance import Advance, EndAdvance
from core.rulesets.war_for_the_motherland.combat_phase import Attack
from core.trials.table import PlainBoard, Table
from core.units import UnitId
from tests.rules.war_for_the_motherland.battles import (
    CORPS,
    PANZER_KG,
    PANZERS,
    SOVIET_CORPS,
    TANKS,
    axis,
    begin,
    is_gone,
    line,
    lose,
    retreat,
    soviet,
    standing,
    waits_for,
)
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.moments import told

GAME = "war_for_the_motherland"
MECHANIZED = "sov_mechanized_corps"
Edit = Callable[[PlainBoard], None]


def city(board: PlainBoard) -> None:
    board.hex("2010", city="major", name="Kiev")


def fortress(board: PlainBoard) -> None:
    board.hex("2010", features=["fortress"], name="Sevastopol")


def town(board: PlainBoard) -> None:
    board.hex("2010", city="minor", name="Lvov")


def before(new_table: NewTable, edit: Edit = city, *, on: bool = True, defence: int = 6) -> Table:
    table = new_table(edit, options={"city_losses": on})
    soviet(table, "2010", 5, defence)
    return table


def storm(table: Table, *attackers: UnitId, dice: tuple[int, ...], side: str = "axis") -> None:
    """Attack the city with forced dice: of the combat first, then of whoever rolls at once."""
    begin(table, side)
    table.order(Attack((table.hex("2010"),), attackers), dice=dice)


def rolled(table: Table) -> list[int]:
    """Return the dice of this option that fell with the last order."""
    return [event.value for event in table.events if isinstance(event, Rolled) and event.purpose == "city_losses"]


@pytest.mark.rule(GAME, "20.41", "20.42")
@pytest.mark.parametrize(("die", "left", "lost"), [(1, 3, "1 step"), (2, 4, "0 steps"), (5, 4, "0 steps"), (6, 4, "0 steps")])
def test_unhurt_panzers_lose_a_step_by_a_one(new_table: NewTable, die: int, left: int, lost: str) -> None:
    table = before(new_table)
    panzers = axis(table, "2009", 9, 8, like=PANZERS)
    storm(table, panzers, dice=(5, die))
    assert line(table, "result") == "NE"
    assert table.unit(panzers).steps == left
    assert table.explained("die") == f"{die} (20.42)"
    assert told(table, "city_losses") == [f"{table.view.name(panzers)} fought in a city: {lost} lost"]


@pytest.mark.rule(GAME, "20.43")
@pytest.mark.parametrize(("die", "left"), [(1, 2), (3, 2), (4, 3), (6, 3)])
def test_panzers_that_lost_a_step_lose_another_by_three_or_less(new_table: NewTable, die: int, left: int) -> None:
    table = before(new_table)
    panzers = axis(table, "2009", 9, 8, like=PANZERS)
    storm(table, panzers, dice=(3,))
    lose(table, panzers, dice=[die])
    now = table.position.at(table.hex("2009"))
    assert [table.unit(unit).steps for unit in now] == [left]
    assert table.explained("die") == f"{die} (20.43)"


@pytest.mark.rule(GAME, "20.43", "20.41")
@pytest.mark.parametrize(("die", "left"), [(3, 3), (4, 4)])
def test_panzers_that_retreated_are_hurt_too(new_table: NewTable, die: int, left: int) -> None:
    table = before(new_table)
    panzers = axis(table, "2009", 9, 8, like=PANZERS)
    storm(table, panzers, dice=(3,))
    retreat(table, [panzers], "2008")
    table.order(EndAdvance(), dice=[die])  # the Soviets stay where they are
    assert (table.where(panzers), table.unit(panzers).steps) == ("2008", left)


@pytest.mark.rule(GAME, "20.41")
@pytest.mark.parametrize(("infantry", "dice"), [((3,), (4, 6)), ((4,), (4,)), ((3, 3), (4,))])
def test_armor_rolls_if_it_has_more_than_half_of_the_steps(new_table: NewTable, infantry: tuple[int, ...], dice: tuple[int, ...]) -> None:
    table = before(new_table)
    panzers = table.place(PANZERS, "2009")  # 4 steps
    others = [table.place(CORPS, "2009", steps=steps) for steps in infantry]
    storm(table, panzers, *others, dice=dice)  # only the panzers roll, if anybody does: the script would run out or be left
    assert rolled(table) == list(dice[1:])


@pytest.mark.rule(GAME, "20.41", "8.92")
@pytest.mark.parametrize(("cup", "rolls"), [({"A 7-5/4-3": 1}, True), ({}, False)])
def test_an_army_has_two_steps_before_its_marker_is_drawn_if_there_is_one(new_table: NewTable, cup: dict[str, int], rolls: bool) -> None:
    table = new_table(city, options={"city_losses": True})
    axis(table, "2010", 5, 6)
    tanks, rifles = table.place(TANKS, "2009"), table.place(SOVIET_CORPS, "2009")  # two steps of three, or one of two
    table.cup("A", cup)
    begin(table, "soviet")
    assert city_losses.threaten(table.view, (tanks, rifles), (table.hex("2010"),)) == rolls


@pytest.mark.rule(GAME, "20.41")
@pytest.mark.parametrize(("edit", "on", "rolls"), [(city, True, 1), (fortress, True, 1), (town, True, 0), (city, False, 0)])
def test_cities_and_fortresses_only_and_only_by_the_option(new_table: NewTable, edit: Edit, on: bool, rolls: int) -> None:
    table = before(new_table, edit, on=on)
    panzers = axis(table, "2009", 9, 8, like=PANZERS)
    table.place("ger_infantry_corps", "2601"), table.place("sov_infantry_corps", "2602")
    table.begin(13, "axis_combat")
    table.order(Attack((table.hex("2010"),), (panzers,)), dice=[4 if edit is town else 5, *[6] * rolls])
    assert len(rolled(table)) == rolls


@pytest.mark.rule(GAME, "20.44")
def test_two_kg_roll_twice_where_their_corps_would_roll_once(new_table: NewTable) -> None:
    table = before(new_table, defence=5)
    one, two = (table.place(PANZER_KG, "2009") for _ in range(2))  # 8 against 5: 3:2
    storm(table, one, two, dice=(5, 1, 1))
    assert rolled(table) == [1, 1]
    assert standing(table, "2009") == ["2-1-8", "2-1-8"]


@pytest.mark.rule(GAME, "20.41", "20.42")
def test_soviet_armor_rolls_as_well_and_its_infantry_never(new_table: NewTable) -> None:
    table = new_table(city, options={"city_losses": True})
    axis(table, "2010", 5, 6)
    corps = [table.place(MECHANIZED, "2009") for _ in range(3)]
    rifles = table.place(SOVIET_CORPS, "2009")
    storm(table, *corps, rifles, dice=(5, 2, 1, 6), side="soviet")  # 11 against 6 is 3:2
    assert rolled(table) == [2, 1, 6]
    assert [is_gone(table, unit) for unit in (*corps, rifles)] == [False, True, False, False]


@pytest.mark.rule(GAME, "20.41", "20.42", "13.56")
def test_an_army_that_loses_its_last_step_rolls_for_its_return(new_table: NewTable) -> None:
    table = new_table(city, options={"city_losses": True})
    axis(table, "2010", 2, 2)
    army = table.place(TANKS, "2009", steps=1, chit="A 7-5/4-3")
    storm(table, army, dice=(4, 1, 3), side="soviet")  # 4 against 2 is 2:1
    assert line(table, "result") == "NE"
    assert (table.where(army), table.position.mark(army, "due")) == ("track", 13 + 2 * 3)


@pytest.mark.rule(GAME, "20.41")
def test_the_dice_fall_after_the_advance(new_table: NewTable) -> None:
    table = before(new_table)
    defender = table.position.at(table.hex("2010"))[0]
    panzers = axis(table, "2009", 9, 8, like=PANZERS)
    storm(table, panzers, dice=(6,))
    retreat(table, [defender], "2011")
    assert (waits_for(table), rolled(table)) == ("axis AdvanceAfterCombat", [])
    table.order(Advance((panzers,), (table.hex("2010"),)), dice=[1])
    assert (table.where(panzers), table.unit(panzers).steps) == ("2010", 3)
    assert table.explained("die") == "1 (20.42)"


@pytest.mark.rule(GAME, "20.41")
def test_who_does_not_advance_rolls_as_well(new_table: NewTable) -> None:
    table = before(new_table)
    defender = table.position.at(table.hex("2010"))[0]
    panzers = axis(table, "2009", 9, 8, like=PANZERS)
    storm(table, panzers, dice=(6,))
    retreat(table, [defender], "2011")
    table.order(EndAdvance(), dice=[2])
    assert rolled(table) == [2]


@pytest.mark.rule(GAME, "20.41")
def test_who_died_in_the_battle_rolls_no_more(new_table: NewTable) -> None:
    table = before(new_table, defence=9)
    panzers = axis(table, "2009", 9, 8, like=PANZERS)
    storm(table, panzers, dice=(1,))
    assert line(table, "result") == "AE"
    assert is_gone(table, panzers)


@pytest.mark.rule(GAME, "20.41", "4.18")
@pytest.mark.parametrize(("die", "waits"), [(6, "RemoveExcess"), (1, "ChooseCombat")])
def test_what_the_dice_take_is_gone_when_stacking_is_enforced(new_table: NewTable, die: int, waits: str) -> None:
    table = before(new_table)
    defender = table.position.at(table.hex("2010"))[0]
    one, two, kg = table.place(PANZERS, "2009"), table.place(PANZERS, "2009"), table.place(PANZER_KG, "2009", steps=1)
    storm(table, one, two, kg, dice=(5,))
    retreat(table, [defender], "2011")
    table.order(Advance((one, two, kg), (table.hex("2010"),)), dice=[6, 6, die])
    assert waits_for(table).partition(" ")[2] == waits
    assert is_gone(table, kg) == (die == 1)


@pytest.mark.rule(GAME, "20.41")
def test_the_preview_tells_who_will_roll(new_table: NewTable) -> None:
    table = before(new_table)
    panzers, infantry = axis(table, "2009", 9, 8, like=PANZERS), table.place(CORPS, "2009", steps=3)
    begin(table)
    shown = combat.preview(table.view, (panzers, infantry), (table.hex("2010"),), overrun=False)
    lines = [line for line in shown.lines if line.key == "city_losses"]
    assert [(line.value, len(line.parts)) for line in lines] == [("1", 1)]
    assert str(lines[0].parts[0].text).startswith(table.view.name(panzers))
