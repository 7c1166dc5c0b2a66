"""Who is given up so that others get away (8.84, 8.101)."""

from __future__ import annotations

import msgspec
import pytest

from core.trials.table import Table
from tests.rules.war_for_the_motherland.battles import ARMY, PANZERS, attack, begin, is_gone, lose, open_orders, retreat
from tests.rules.war_for_the_motherland.conftest import NewTable

R = "war_for_the_motherland"
FIELD, STAFF = "sov_oil_field", "sov_headquarters"


def of_version(table: Table, version: int) -> Table:
    msgspec.structs.force_setattr(table.setting, "version", version)
    return table


@pytest.mark.rule(R, "8.84b", "8.101a", "8.101b")
def test_a_field_is_given_up_and_the_staff_beside_it_gets_away(new_table: NewTable) -> None:
    table = new_table()
    panzers, staff, field = table.place(PANZERS, "2010"), table.place(STAFF, "2011"), table.place(FIELD, "2011")
    begin(table)
    attack(table, "2011", [panzers], 4)  # 9:2 is 4:1: D2, as many points as there are steps
    lose(table, field)
    retreat(table, [staff], "2012")
    assert (table.where(staff), is_gone(table, field)) == ("2012", True)


@pytest.mark.rule(R, "8.84b")
def test_in_games_of_before_the_staff_was_lost_with_the_field(new_table: NewTable) -> None:
    table = of_version(new_table(), 2)
    panzers, staff, field = table.place(PANZERS, "2010"), table.place(STAFF, "2011"), table.place(FIELD, "2011")
    begin(table)
    attack(table, "2011", [panzers], 4, recovery=1)
    assert (table.where(staff), table.where(field)) == ("track", "destroyed_ea")


@pytest.mark.rule(R, "8.85b", "8.101c")
def test_nobody_is_asked_where_all_are_lost_whoever_goes_first(new_table: NewTable) -> None:
    table = new_table()
    panzers, one, two = table.place(PANZERS, "2010"), table.place(FIELD, "2011"), table.place(FIELD, "2011")
    begin(table)
    attack(table, "2011", [panzers], 4)  # D2: two fields, which never retreat
    assert (table.where(one), table.where(two)) == ("destroyed_ea", "destroyed_ea")


@pytest.mark.rule(R, "8.95b", "8.101c")
def test_who_has_a_zone_pays_before_a_field_and_is_not_saved_by_it(new_table: NewTable) -> None:
    table = new_table()
    panzers = table.place(PANZERS, "2010"), table.place(PANZERS, "2010")
    army, field = table.place(ARMY, "2011", chit="C* 1-2/1-1"), table.place(FIELD, "2011")
    begin(table)
    attack(table, "2011", panzers, 3, recovery=2)  # 18:3 is 6:1: D2, both of them the army's
    assert is_gone(table, army)
    assert table.where(field) == "2011"
    assert "lose_step" not in open_orders(table)
