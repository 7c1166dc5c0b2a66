from __future__ import annotations

import pytest

from core.rulesets.war_for_the_motherland import strength
from core.rulesets.war_for_the_motherland.terms import LACK_OF_SUPPLY, OUT_OF_SUPPLY
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.lines_of_supply import ARMY, CORPS

R = "war_for_the_motherland"
PANZERS, PANZER_KG = "ger_panzer_corps", "ger_panzer_kg"


@pytest.mark.rule(R, "9.52a", "9.53a", "2.4a")
@pytest.mark.parametrize("mark", [OUT_OF_SUPPLY, LACK_OF_SUPPLY])
@pytest.mark.parametrize(("kind", "points"), [(PANZERS, 4), (PANZER_KG, 4), (CORPS, 2), (ARMY, 2)])
def test_movement_is_halved_and_rounded_up(new_table: NewTable, mark: str, kind: str, points: int) -> None:
    table = new_table()
    assert strength.movement(table.view, table.place(kind, "2010", **{mark: 1})) == points


@pytest.mark.rule(R, "9.52b", "2.4a")
@pytest.mark.parametrize(("steps", "attack", "defence"), [(4, 3, 4), (3, 2, 3)])
def test_out_of_supply_halves_attack_and_defence(new_table: NewTable, steps: int, attack: int, defence: int) -> None:
    table = new_table()
    corps = table.place(CORPS, "2010", steps=steps, out_of_supply=1)
    assert (strength.attack(table.view, corps), strength.defence(table.view, corps)) == (attack, defence)


@pytest.mark.rule(R, "9.53b")
def test_lack_of_supply_halves_attack_alone(new_table: NewTable) -> None:
    table = new_table()
    corps = table.place(CORPS, "2010", lack_of_supply=1)
    assert (strength.attack(table.view, corps), strength.defence(table.view, corps)) == (3, 7)
