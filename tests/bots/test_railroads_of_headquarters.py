"""Where `steady` has its headquarters: on railroads that the enemy can't cut before supply is judged, as it does (9.28, 9.32, 9.57)."""

from __future__ import annotations

import pytest

from core.rulesets.war_for_the_motherland.bot import ground, perils, posts, trains
from core.rulesets.war_for_the_motherland.bot.perils import MARCH
from core.trials.table import Table
from core.units import UnitId
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.lines_of_supply import ARMY, CORPS, FRONT, lay, row

PANZERS = "ger_panzer_corps"
NEAR, FAR = "2003", "2014"  # on the railroad from the source 2001, this side of the enemy and beyond him


def railroad(enemy: str, at: str = "2309") -> tuple[Table, UnitId]:
    """Return a table with a headquarters far out on a railroad, armies that it feeds, an enemy beside the line, and its number."""
    table = lay(NewTable(), 13, lambda plain: plain.rail(*row(20, 1, 20)), soviet=["2001"])
    post = table.place(FRONT, FAR)
    table.place(ARMY, FAR)  # so he can't come to the headquarters itself
    for label in ("1909", "1910", "1911"):
        table.place(ARMY, label)
    table.place(enemy, at)
    table.begin(13, "soviet_movement")
    return table, post


def worth(table: Table, post: UnitId, label: str) -> float:
    return trains.worth(table.view, posts.standing(table.view, post), table.hex(label))


@pytest.mark.parametrize(("enemy", "holds"), [(PANZERS, False), (CORPS, True)])
def test_panzers_cut_a_railroad_before_supply_is_judged_and_infantry_does_not(enemy: str, holds: bool) -> None:
    table, _ = railroad(enemy)
    assert table.board.distance(table.hex("2309"), table.hex("2009")) <= MARCH
    assert perils.rail_holds(table.view, table.hex(FAR), "soviet") is holds
    assert perils.rail_holds(table.view, table.hex(NEAR), "soviet")


def test_a_headquarters_is_worth_less_where_its_railroad_may_be_cut() -> None:
    safe, exposed = railroad(CORPS), railroad(PANZERS)
    assert worth(*exposed, FAR) < worth(*safe, FAR) - 1
    assert worth(*exposed, NEAR) == pytest.approx(worth(*safe, NEAR))


def test_troops_on_the_railroad_keep_it_open() -> None:
    table, _ = railroad(PANZERS)
    for label in row(20, 6, 12):
        table.place(ARMY, label)
    assert perils.rail_holds(table.view, table.hex(FAR), "soviet")


def test_a_headquarters_without_a_railroad_is_as_good_as_lost() -> None:
    table, post = railroad(CORPS)
    one = posts.standing(table.view, post)
    beside = table.hex("1914")
    without = trains._fed_from(table.view, "soviet", trains._givers_without(table.view, post, "soviet"))
    assert trains._feeding(table.view, one, beside) == without - one.value


# -------------------------------------------------------------------- railroads of the enemy


def test_on_a_railroad_hangs_all_that_its_headquarters_feeds() -> None:
    few, more = railroad(CORPS)[0], railroad(CORPS)[0]
    for label in ("1914", "2113"):
        more.place(ARMY, label)
    few_lines, more_lines = (ground.enemy_lines(table.view, "axis")[table.hex("2007")] for table in (few, more))
    assert more_lines > few_lines > 2 * ground.lifelines(few.view, "soviet")[few.hex("2007")]


def test_panzers_gain_by_standing_beside_a_railroad_on_which_a_headquarters_hangs() -> None:
    worths = []
    for at in (FAR, "2001"):
        table = lay(NewTable(), 13, lambda plain: plain.rail(*row(20, 1, 20)), axis=["2309"], soviet=["2001"])
        panzers = table.place(PANZERS, "2309")
        table.place(FRONT, at)
        for label in ("1914", "2014", "2114"):
            table.place(ARMY, label)
        table.begin(13, "german_mechanized_movement")
        worths.append(posts.worth(table.view, posts.standing(table.view, panzers), table.hex("2107")))
    assert worths[0] > worths[1] + 1.5
