"""The fall of Moscow (19.43)."""

from __future__ import annotations

import pytest

from core.board import HexFacts
from core.events import ControlChanged, CupFilled, Explained, Returned, Rolled
from core.rulesets.war_for_the_motherland.advance import Advance
from core.rulesets.war_for_the_motherland.retreat import Retreat
from core.trials.table import PlainBoard, Table
from core.units import UnitId
from tests.rules.war_for_the_motherland.battles import advance, attack, axis, begin, line, refused_advance, soviet, waits_for
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.moving import AXIS_MOVES, move, strategic

GAME = "war_for_the_motherland"
PANZER, ARMY = "ger_panzer_corps", "sov_infantry_army"
MOSCOW, LENINGRAD = "C2706", "C1418"
STAR = "C* 2-3/1-2"


def cities(board: PlainBoard) -> None:
    """Put Moscow where 2009 would lie, and Leningrad far away."""
    old = board.facts.pop("2009")
    board.facts[MOSCOW] = HexFacts(MOSCOW, old.q, old.r, old.x, old.y, "clear", city="major", name="Moscow", country="soviet")
    board.facts[LENINGRAD] = HexFacts(LENINGRAD, 100, 100, 100, 100, "clear", city="major", name="Leningrad", country="soviet")


def before_moscow(new_table: NewTable, *, campaign: bool = True) -> tuple[Table, UnitId, UnitId]:
    table = new_table(cities, rules={"moscow_die": campaign, "without_star_of": []})
    for label in (MOSCOW, LENINGRAD):
        table.happen(ControlChanged(table.hex(label), "soviet"))
    one, two = table.place(PANZER, "2010"), table.place(PANZER, "2011")
    army = table.place(ARMY, "1601", chit=STAR)
    table.happen(Returned(army, ""))
    table.begin(13, AXIS_MOVES)
    return table, one, two


@pytest.mark.rule(GAME, "19.43a", "19.43b")
def test_a_one_ends_the_game(new_table: NewTable) -> None:
    table, panzer, _ = before_moscow(new_table)
    table.order(move(table, panzer, to=MOSCOW), dice=[1])
    assert table.position.outcome is not None
    assert (table.position.outcome.winner, table.position.outcome.result) == ("axis", "Axis Decisive Victory")


@pytest.mark.rule(GAME, "19.43a", "19.43b")
def test_leningrad_lowers_the_die(new_table: NewTable) -> None:
    table, panzer, _ = before_moscow(new_table)
    table.happen(ControlChanged(table.hex(LENINGRAD), "axis"))
    table.order(move(table, panzer, to=MOSCOW), dice=[2])
    assert table.position.outcome is not None
    assert table.explained("total") == "2 (19.43b) + -1 (19.43a)"


@pytest.mark.rule(GAME, "19.43a", "4.26b")
def test_far_from_moscow_its_die_bars_no_way(new_table: NewTable) -> None:
    table, _, _ = before_moscow(new_table)
    corps = table.place("ger_infantry_corps", "2210")
    table.place(ARMY, "2310", chit=STAR)
    table.begin(13, AXIS_MOVES)
    assert table.refused(move(table, corps, to="2211")) == "4.26b"


@pytest.mark.rule(GAME, "19.43c")
@pytest.mark.parametrize("die", [2, 3])
def test_a_crisis_brings_back_the_stars_that_were_removed(new_table: NewTable, die: int) -> None:
    table, panzer, _ = before_moscow(new_table)
    count = next(marker.count for marker in table.setting.charts.mix.marker if marker.chit == STAR)
    lying = table.place(ARMY, "1602", chit=STAR)
    table.order(move(table, panzer, to=MOSCOW), dice=[die])
    assert table.position.outcome is None
    assert table.position.chits[lying] == STAR
    assert table.position.cups["C"][STAR] == count - 1


@pytest.mark.rule(GAME, "19.43c")
def test_a_crisis_brings_back_no_star_that_lies_in_its_cup_or_under_an_army(new_table: NewTable) -> None:
    table, panzer, _ = before_moscow(new_table)
    count = next(marker.count for marker in table.setting.charts.mix.marker if marker.chit == STAR)
    table.happen(CupFilled("C", STAR, 2))
    table.place(ARMY, "1602", chit=STAR)
    table.order(move(table, panzer, to=MOSCOW), dice=[3])
    assert table.position.cups["C"][STAR] == count - 1


@pytest.mark.rule(GAME, "19.43c")
def test_a_crisis_brings_back_the_only_star_of_its_kind_that_was_removed(new_table: NewTable) -> None:
    table, panzer, _ = before_moscow(new_table)
    count = next(marker.count for marker in table.setting.charts.mix.marker if marker.chit == STAR)
    table.cup("C", {STAR: count - 1})
    table.order(move(table, panzer, to=MOSCOW), dice=[3])
    assert table.position.cups["C"][STAR] == count


@pytest.mark.rule(GAME, "19.43d")
def test_otherwise_nothing_happens(new_table: NewTable) -> None:
    table, panzer, _ = before_moscow(new_table)
    table.order(move(table, panzer, to=MOSCOW), dice=[4])
    assert table.position.outcome is None
    assert STAR not in table.position.cups.get("C", {})


@pytest.mark.rule(GAME, "19.43b", "19.43c", "19.43d")
@pytest.mark.parametrize(
    ("die", "told", "rule"), [(1, "surrenders", "19.43b"), (3, "markers with a star come back", "19.43c"), (4, "fights on", "19.43d")]
)
def test_what_comes_of_it_is_told_with_its_rule(new_table: NewTable, die: int, told: str, rule: str) -> None:
    table, panzer, _ = before_moscow(new_table)
    table.order(move(table, panzer, to=MOSCOW), dice=[die])
    title = next(str(event.title) for event in table.events if isinstance(event, Explained) and event.subject == "moscow")
    assert title.startswith("Moscow has fallen: ")
    assert title.endswith(told)
    assert table.explained("total") == f"{die} ({rule})"


@pytest.mark.rule(GAME, "19.43a")
def test_the_die_is_rolled_once_and_ends_the_path(new_table: NewTable) -> None:
    table, one, two = before_moscow(new_table)
    assert table.refused(move(table, one, to=f"{MOSCOW} 2008")) == "19.43a"
    table.order(move(table, one, to=MOSCOW), dice=[5])
    table.order(move(table, one, to="2008"))
    table.order(move(table, two, to=f"2010 {MOSCOW} 2008"))
    assert not [event for event in table.events if isinstance(event, Rolled)]


@pytest.mark.rule(GAME, "19.43a")
@pytest.mark.parametrize("facts", [{"city": "major"}, {"features": ["fortress"]}])
def test_no_other_city_and_no_fortress_has_a_die(new_table: NewTable, facts: dict[str, object]) -> None:
    def with_kiev(board: PlainBoard) -> None:
        cities(board)
        board.hex("2012", name="Kiev", country="soviet", **facts)

    table = new_table(with_kiev, rules={"moscow_die": True})
    table.happen(ControlChanged(table.hex("2012"), "soviet"))
    panzers = table.place(PANZER, "2011")
    table.begin(13, AXIS_MOVES)
    table.order(move(table, panzers, to="2012 2013"))
    assert table.position.control[table.hex("2012")] == "axis"
    table.order(move(table, panzers, to="2014"))
    assert not [event for event in table.events if isinstance(event, Rolled)]


@pytest.mark.rule(GAME, "19.43a")
def test_an_advance_stops_in_moscow_for_the_die_and_may_then_go_on(new_table: NewTable) -> None:
    table, _, _ = before_moscow(new_table)
    panzers = axis(table, "2010", 70, 8, like=PANZER)
    soviet(table, MOSCOW, 2, 4)
    begin(table)
    attack(table, MOSCOW, [panzers], 6)
    assert (line(table, "result"), waits_for(table)) == ("DE", "axis AdvanceAfterCombat")
    assert refused_advance(table, [panzers], MOSCOW, "2008") == "19.43a"
    table.order(Advance((panzers,), (table.hex(MOSCOW),)), dice=[5])
    advance(table, [panzers], "2008")
    assert table.where(panzers) == "2008"


@pytest.mark.rule(GAME, "19.43a", "8.114a")
def test_far_from_moscow_its_die_stops_no_advance(new_table: NewTable) -> None:
    table, _, _ = before_moscow(new_table)
    panzers = axis(table, "2210", 70, 8, like=PANZER)
    soviet(table, "2211", 2, 4)
    begin(table)
    attack(table, "2211", [panzers], 6)
    advance(table, [panzers], "2211", "2212", "2213")
    assert table.where(panzers) == "2213"


@pytest.mark.rule(GAME, "19.43a")
def test_a_strategic_move_stops_in_moscow_for_the_die(new_table: NewTable) -> None:
    table = new_table(cities, rules={"moscow_die": True, "axis_sources": ["2011"]})
    panzers = table.place(PANZER, "2010")
    table.begin(13, AXIS_MOVES)
    assert table.refused(strategic(table, panzers, to=f"{MOSCOW} 2008")) == "19.43a"
    table.order(strategic(table, panzers, to=MOSCOW), dice=[5])
    assert table.where(panzers) == MOSCOW


@pytest.mark.rule(GAME, "19.43a", "9.32b")
def test_other_scenarios_roll_no_die_but_lose_the_source(new_table: NewTable) -> None:
    table, panzer, _ = before_moscow(new_table, campaign=False)
    table.order(move(table, panzer, to=f"{MOSCOW} 2008"))
    assert table.position.place_mark(table.hex(MOSCOW), "destroyed")


@pytest.mark.rule(GAME, "19.43a", "5.72a")
@pytest.mark.parametrize("die", [1, 5])
def test_a_beaten_axis_unit_that_retreats_into_moscow_has_entered_it(new_table: NewTable, die: int) -> None:
    table = new_table(cities, rules={"moscow_die": True, "without_star_of": []})
    for label in (MOSCOW, LENINGRAD):
        table.happen(ControlChanged(table.hex(label), "soviet"))
    strong, beaten = soviet(table, "2011", 40, 9), axis(table, "2010", 12, 12)
    begin(table, "soviet")
    attack(table, "2010", [strong], 6)
    assert line(table, "result") == "D2"
    table.order(Retreat(units=(beaten,), hex=table.hex(MOSCOW)), dice=[die])
    assert table.where(beaten) == MOSCOW
    assert table.position.control[table.hex(MOSCOW)] == "axis"
    assert (table.position.outcome is not None) == (die == 1)
