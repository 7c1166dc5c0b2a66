"""How `steady` looks after its supply: guards for what feeds, ways home for those who go without, lines that may be cut."""

from __future__ import annotations

import pytest

from core.events import Removed, TrackSet
from core.rulesets.war_for_the_motherland import supply
from core.rulesets.war_for_the_motherland.bot import aims, perils, posts
from core.rulesets.war_for_the_motherland.bot.worth_of_units import roster
from core.trials.table import Table
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.lines_of_supply import DEPOT, lay

CORPS, ARMY = "ger_infantry_corps", "sov_infantry_army"


def marching(*depots: str) -> Table:
    """Return a board on which a corps stands eleven hexes from the source, before an army, with depots on the way."""
    table = lay(NewTable(), 13, axis=["2620"])
    for label in depots:
        table.place(DEPOT, label)
    table.place(CORPS, "2609")
    table.place(ARMY, "2604")
    return table


@pytest.fixture
def march() -> Table:
    return marching("2620", "2620")


# -------------------------------------------------------------------- guards and ways home


def test_a_depot_that_the_enemy_comes_near_to_is_to_be_held_the_more_the_nearer_he_is(march: Table) -> None:
    far = next(aim for aim in aims.aims(march.view, "axis") if aim.here == march.hex("2620"))
    march.place(ARMY, "2615")
    near = next(aim for aim in aims.aims(march.view, "axis") if aim.here == march.hex("2620"))
    assert far.hold
    assert near.hold
    assert near.weight > far.weight


def test_who_is_far_from_his_supply_gains_by_every_hex_homeward(march: Table) -> None:
    corps = posts.standing(march.view, next(one.unit for one in roster(march.view) if one.side == "axis" and one.attack))
    shares = [posts.supplied(march.view, corps, march.hex(f"26{column:02}")) for column in range(9, 16)]
    assert shares == sorted(shares)
    assert len(set(shares)) == len(shares)


# -------------------------------------------------------------------- lines that may be cut


def test_troops_keep_an_enemy_off_the_ground_behind_their_zoc() -> None:
    behind = []
    for corps in ("2609", "1609"):
        table = lay(NewTable(), 13, axis=["2620"])
        table.place(CORPS, corps)
        table.place(ARMY, "2607")
        behind.append(table.hex("2610") in perils.threatened(table.view, "axis"))
    assert behind == [False, True]


def test_a_line_holds_until_an_enemy_can_march_into_it() -> None:
    table = marching("2616", "2612")
    assert perils.line_holds(table.view, table.hex("2609"))
    table.place(ARMY, "2316")
    assert supply.network(table.view, "axis").supplies(table.hex("2609"))
    assert not perils.line_holds(table.view, table.hex("2609"))


def test_a_unit_is_worth_less_at_the_end_of_a_line_that_may_be_cut() -> None:
    table = marching("2616", "2612")
    corps = posts.standing(table.view, next(one.unit for one in roster(table.view) if one.side == "axis" and one.attack))
    before = posts.supplied(table.view, corps, corps.here)
    table.place(ARMY, "2316")
    assert 0 < posts.supplied(table.view, corps, corps.here) < before


# -------------------------------------------------------------------- near the end


def cost_of_hunger(table: Table, kind: str, turn: int) -> float:
    """Return what it costs a new unit of a kind, in the eyes of its side, to stand just out of supply instead of in it."""
    table.happen(TrackSet("turn", turn))
    one = posts.standing(table.view, table.place(kind, "2615"))
    fed, hungry = table.hex("2615"), table.hex("2614")
    assert supply.network(table.view, "axis").supplies(fed)
    assert not supply.network(table.view, "axis").supplies(hungry)
    seen = posts.scene(table.view, "axis")
    worth_of = {here: posts.worth(table.view, one, here) - posts.way(seen, one, here) for here in (fed, hungry)}
    table.happen(Removed(one.unit, "test"))
    return worth_of[fed] - worth_of[hungry]


def test_near_the_end_hunger_costs_a_large_unit_more_since_the_army_is_counted_and_a_small_one_less() -> None:
    table = lay(NewTable(), 13, axis=["2619"])
    last = table.view.setting.scenario.last_turn
    for kind, more in (("ger_panzer_corps", True), ("ger_infantry_kg", False)):
        before, now = (cost_of_hunger(table, kind, turn) for turn in (last - 3, last))
        assert before > 0
        assert now > 0
        assert (now > before) is more


def test_who_is_not_counted_at_the_end_is_so_wherever_he_stands() -> None:
    table = lay(NewTable(), 13, axis=["2620"])
    corps = posts.standing(table.view, table.place(CORPS, "2612"))
    hexes = [table.hex(label) for label in ("2614", "2608", "2603")]
    assert len({posts.supplied(table.view, corps, here) for here in hexes}) == 3
    table.happen(TrackSet("turn", table.view.setting.scenario.last_turn))
    assert len({posts.supplied(table.view, corps, here) for here in hexes}) == 1
