"""How `steady` shuts the ways on which enemies would come past its front to what feeds it and to its cities."""

from __future__ import annotations

import pytest

from core.board import Hex
from core.events import PlaceMarked
from core.fold import fold
from core.rulesets.war_for_the_motherland.bot import aims, ground, holes, posts
from core.rulesets.war_for_the_motherland.terms import DESTROYED
from core.trials.table import Table
from core.units import UnitId
from core.views import View
from tests.bots.test_campaign import anew, first, named, put, unit
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.lines_of_supply import ARMY, CORPS, DEPOT, lay

__all__ = ["first"]
SUMMER = 13
BEFORE_IT, ASIDE = "2315", "2402"  # a hex between the depot and the army, and one that no way leads over


def open_front() -> tuple[Table, UnitId]:
    """Return a table with a depot, an army six hexes before it with nobody between, and a corps far aside, and the corps' number."""
    table = lay(NewTable(), SUMMER, axis=["2620"])
    table.place(DEPOT, "2616")
    table.place(ARMY, "2016")
    return table, table.place(CORPS, "2605")


def ways(table: Table) -> dict[Hex, float]:
    return holes.open_ways(table.view, "axis", posts.scene(table.view, "axis").cover)


def closes(table: Table, corps: UnitId, label: str) -> float:
    view, one = table.view, posts.standing(table.view, corps)
    return posts.closes(view, posts.scene(view, "axis"), one, posts._covered(view, one, table.hex(label)))


def test_a_way_from_an_enemy_to_a_depot_is_open_where_nobody_keeps_it_shut() -> None:
    table, _ = open_front()
    found, army = ways(table), table.hex("2016")
    assert found[table.hex("2616")] > 0
    assert any(table.board.distance(army, there) == 1 for there in found)


def test_the_nearer_an_enemy_is_to_what_he_comes_for_the_more_it_weighs() -> None:
    weights = []
    for label in ("1916", "2116", "2316"):
        table = lay(NewTable(), SUMMER, axis=["2620"])
        table.place(DEPOT, "2616")
        table.place(ARMY, label)
        weights.append(ways(table)[table.hex("2616")])
    assert weights == sorted(set(weights))


def test_no_way_is_open_that_is_longer_than_anyone_goes_unmet() -> None:
    table = lay(NewTable(), SUMMER, axis=["2620"])
    table.place(DEPOT, "2616")
    table.place(ARMY, "1602")
    assert not ways(table)


def test_a_corps_is_worth_more_where_it_shuts_a_way() -> None:
    table, corps = open_front()
    assert closes(table, corps, BEFORE_IT) > 0
    assert closes(table, corps, ASIDE) == 0


def test_what_a_corps_shuts_counts_in_the_worth_of_its_post(monkeypatch: pytest.MonkeyPatch) -> None:
    table, corps = open_front()
    gain, one = closes(table, corps, BEFORE_IT), posts.standing(table.view, corps)
    here, with_it = table.hex(BEFORE_IT), posts.worth(table.view, one, table.hex(BEFORE_IT))
    monkeypatch.setattr(holes, "open_ways", lambda view, side, shut: {})
    table, _ = open_front()
    careful = 1.0 - posts.CARELESS * ground.drive(table.view, one.side)
    assert with_it - posts.worth(table.view, one, here) == pytest.approx(careful * gain)


def test_a_corps_that_shuts_a_way_knows_what_would_be_open_without_it() -> None:
    table, _ = open_front()
    guard = table.place(CORPS, BEFORE_IT)
    assert table.hex(BEFORE_IT) not in ways(table)
    assert closes(table, guard, BEFORE_IT) > closes(table, guard, ASIDE) == 0


def test_what_is_shut_already_is_no_reason_to_come_as_well() -> None:
    table, corps = open_front()
    for held in ("2618", "2616", "2614"):
        table.place(CORPS, held)  # the depot, and all around it
    assert closes(table, corps, BEFORE_IT) == 0


def test_moscow_weighs_more_for_its_holder_as_long_as_its_fall_may_end_the_war(first: View) -> None:
    moscow = named(first, "Moscow")
    weight = aims.prizes(first)[moscow]
    assert aims.held(first, moscow, weight) == weight + aims.DECISIVE
    fold(first.position, PlaceMarked((moscow,), DESTROYED))
    assert aims.held(anew(first), moscow, weight) == weight


def test_an_army_before_an_empty_moscow_is_worth_more_in_it(first: View) -> None:
    moscow, panzers, army = named(first, "Moscow"), unit(first, "57. Panzer Corps"), unit(first, "20. Army")
    put(first, panzers, first.board.label(ground.rings(first, moscow)[4][0]))
    gains, draws = [], []
    for taken in (False, True):
        if taken:
            fold(first.position, PlaceMarked((moscow,), DESTROYED))
        view = anew(first)
        gains.append(posts.change(view, (army,), moscow))
        draws.append(next(aim.weight for aim in aims.aims(view, "soviet") if aim.here == moscow))
    assert gains[0] > gains[1] + aims.DECISIVE * posts.GARRISON - 0.01
    assert draws[0] > draws[1]
