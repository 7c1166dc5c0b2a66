"""What a battle may come to while markers are still to be drawn (7.11): the chances that are shown, beside a count of every draw."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction

import pytest

from core.board import Hex
from core.mechanics.combat_table import CombatTable
from core.rulesets.war_for_the_motherland import combat, foreseen, reckoning
from core.rulesets.war_for_the_motherland.battle import table_of
from core.trials.table import Table
from core.units import UnitId
from tests.rules.war_for_the_motherland.battles import ARMY, axis, begin, soviet
from tests.rules.war_for_the_motherland.conftest import NewTable

RULES = "war_for_the_motherland"
CUP = {"C 3-5/2-3": 3, "C 4-5/2-3": 2, "C 6-9/3-5": 1, "C 9-10/5-6": 1}
DICE = range(1, 7)


def by_drawing(table: Table, attackers: list[UnitId], target: Hex, armies: list[UnitId]) -> dict[str, Fraction]:
    """Return the chance of each result: each draw is laid under the armies, and the battle reckoned as when it is fought."""
    markers = [chit for chit, n in CUP.items() for _ in range(n)]
    found, draws = Counter[str](), 0
    crt: CombatTable = table_of(table.view)
    for drawn in itertools.permutations(range(len(markers)), len(armies)):
        draws += 1
        table.position.chits.update({army: markers[at] for army, at in zip(armies, drawn, strict=True)})
        reckoned = reckoning.reckon(table.view, attackers, (target,), overrun=False)
        found.update(crt.result(die + reckoned.drm, reckoned.column) for die in DICE)
    for army in armies:
        del table.position.chits[army]
    return {result: Fraction(n, draws * len(DICE)) for result, n in found.items()}


def shown(table: Table, attackers: list[UnitId], target: Hex) -> dict[str, Fraction]:
    chances = combat.preview(table.view, attackers, (target,), overrun=False).chances
    assert sum(chance.cases for chance in chances) == chances[0].of
    return {chance.result: Fraction(chance.cases, chance.of) for chance in chances}


@pytest.mark.rule(RULES, "7.11")
@pytest.mark.parametrize("river", ["", "minor_river", "major_river"])
@pytest.mark.parametrize("out", [0, 1])
@pytest.mark.parametrize("strength", [9, 40])
def test_defenders_that_draw_are_foreseen_as_every_draw_would_have_it(new_table: NewTable, river: str, out: int, strength: int) -> None:
    table = new_table((lambda board: board.side("2009", "2010", river)) if river else None)
    unit = axis(table, "2009", strength, 8)
    armies = [table.place(ARMY, "2010", out_of_supply=out), table.place(ARMY, "2010")]
    table.cup("C", CUP)
    begin(table)
    expected = by_drawing(table, [unit], table.hex("2010"), armies)
    assert len(expected) > 3
    assert shown(table, [unit], table.hex("2010")) == expected


@pytest.mark.rule(RULES, "7.11")
def test_attackers_that_draw_are_foreseen_beside_one_whose_marker_is_known(new_table: NewTable) -> None:
    table = new_table()
    axis(table, "2010", 4, 5)
    known = soviet(table, "2009", 3, 3)
    armies = [table.place(ARMY, "2009", lack_of_supply=1), table.place(ARMY, "2009"), table.place(ARMY, "2009")]
    table.cup("C", CUP)
    begin(table, "soviet")
    expected = by_drawing(table, [known, *armies], table.hex("2010"), armies)
    assert len(expected) > 3
    assert shown(table, [known, *armies], table.hex("2010")) == expected


@pytest.mark.rule(RULES, "7.11")
def test_whoever_finds_the_cup_empty_is_foreseen_as_one_to_one(new_table: NewTable) -> None:
    table = new_table()
    unit = axis(table, "2009", 9, 8)
    for _ in range(3):
        table.place(ARMY, "2010")
    table.cup("C", {"C 4-5/2-3": 1, "C 6-9/3-5": 1})
    begin(table)
    assert foreseen.totals(table.view, (unit,), (table.hex("2010"),), overrun=False) == {(9, 5 + 9 + 1): 1}


@pytest.mark.rule(RULES, "7.11")
def test_nothing_is_left_open_where_all_markers_are_known(new_table: NewTable) -> None:
    table = new_table()
    unit = axis(table, "2009", 9, 8)
    soviet(table, "2010", 2, 3)
    begin(table)
    assert foreseen.totals(table.view, (unit,), (table.hex("2010"),), overrun=False) == {(9, 3): 1}
    line = next(line for line in combat.preview(table.view, (unit,), (table.hex("2010"),), overrun=False).lines if line.key == "column")
    assert line.value == "3:1"


def test_many_armies_are_foreseen_without_trying_each_draw(new_table: NewTable) -> None:
    table = new_table()
    unit = axis(table, "2009", 9, 8)
    for _ in range(6):
        table.place(ARMY, "2010")
    table.cup("C", {"C 3-5/2-3": 20, "C 4-5/2-3": 20, "C 6-9/3-5": 20})
    begin(table)
    found = foreseen.totals(table.view, (unit,), (table.hex("2010"),), overrun=False)
    assert sum(found.values()) == 50063860  # the sets of 6 out of 60: each draw could not be counted
    assert {defence for _, defence in found} == set(range(30, 55, 4))
