"""What windows ask: counters, phases, duties."""

from __future__ import annotations

import pytest

from core.rulesets.war_for_the_motherland.arrivals import PlaceReinforcements
from core.rulesets.war_for_the_motherland.economy import PlaceOsgChoice
from core.rulesets.war_for_the_motherland.sequence import PHASES
from core.rulesets.war_for_the_motherland.terms import AXIS_SUPPLIED
from core.rulesets.war_for_the_motherland.withdrawals import WithdrawAirbase
from core.trials.table import Table
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.moments import mark_hexes, run
from tests.rules.war_for_the_motherland.moving import AXIS_MOVES

NAME = "war_for_the_motherland"


def told(table: Table) -> list[tuple[str, str, bool]]:
    return [(str(duty.text), duty.rule, duty.must) for duty in table.setting.ruleset.duties(table.view)]


@pytest.mark.rule(NAME, "2.22a", "2.22b", "7.0a")
@pytest.mark.parametrize(
    ("kind", "extra", "values"),
    [
        ("ger_panzer_corps", {}, "9-8-7"),
        ("ger_panzer_corps", {"steps": 3}, "7-6-7"),
        ("sov_infantry_army", {}, "C-3"),
        ("sov_tank_army", {}, "A-7"),
        ("sov_infantry_army", {"chit": "C 6-9/3-5"}, "6-9-3"),
        ("sov_infantry_army", {"chit": "C 6-9/3-5", "steps": 1}, "3-5-3"),
        ("ger_air_fleet_5", {}, "5/4"),
        ("sov_partisan", {}, ""),
        ("sov_factory", {}, "0-1-0"),
    ],
)
def test_the_bottom_line_of_a_counter(new_table: NewTable, kind: str, extra: dict[str, object], values: str) -> None:
    table = new_table()
    unit = table.place(kind, "2010", **extra)  # type: ignore[arg-type]
    assert table.setting.ruleset.counter(table.view, unit).values == values


@pytest.mark.parametrize(
    ("marks", "badges", "done"),
    [
        ({}, (), False),
        ({"out_of_supply": 1}, ("out_of_supply",), False),
        ({"lack_of_supply": 1, "spent": 4}, ("lack_of_supply", "moved"), False),
        ({"moved": 1}, (), False),  # in an earlier phase of the turn: panzers may move again (5.35)
        ({"moved": 1, "strategic": 1}, ("moved",), False),
        ({"attacked": 1}, ("attacked",), True),
        ({"finished": 1}, (), True),
    ],
)
def test_badges(new_table: NewTable, marks: dict[str, int], badges: tuple[str, ...], done: bool) -> None:
    table = new_table()
    look = table.setting.ruleset.counter(table.view, table.place("ger_infantry_corps", "2010", **marks))
    assert (look.badges, look.done) == (badges, done)


def test_every_phase_and_turn_has_a_name(new_table: NewTable) -> None:
    table = new_table()
    for phase, _, _ in PHASES:
        assert str(table.setting.ruleset.phase_name(phase))
    assert str(table.setting.ruleset.turn_name(table.view, 22)) == "Nov 1942, snow"


def test_a_reinforcement_that_waits_is_no_duty_that_binds(new_table: NewTable) -> None:
    table = new_table()
    mark_hexes(table, AXIS_SUPPLIED, "2010")
    table.place("ger_infantry_corps", "arrivals", name="57")
    run(table, 13, PlaceReinforcements(side="axis"), side="axis")
    assert told(table) == [("57. Corps may be placed, or waits", "13.17", False)]


def test_what_can_not_wait_binds(new_table: NewTable) -> None:
    table = new_table()
    table.place("ger_airbase", "2010")
    table.place("ger_airbase", "2012")
    run(table, 11, WithdrawAirbase(), side="axis")
    assert told(table) == [("One airbase must be withdrawn", "13.7", True)]
    table.position.frames.append(PlaceOsgChoice(side="soviet").frame())
    assert told(table) == [("The new OSG must be placed", "12.22", True)]


def test_an_overfull_hex_is_shown_to_its_owner(new_table: NewTable) -> None:
    table = new_table()
    for _ in range(3):
        table.place("ger_infantry_corps", "2010")
    run(table, 13)
    assert told(table) == [("Too many units in 2010: at the end of the phase one is eliminated", "4.18", False)]


@pytest.mark.rule(NAME, "9.51", "9.57", "9.58")
def test_who_moves_is_told_whom_the_next_supply_phase_would_find_without_a_line(new_table: NewTable) -> None:
    table = new_table()
    cut, post = table.place("ger_infantry_corps", "2010"), table.place("rum_headquarters", "2012")
    foe = table.place("sov_infantry_army", "2020")
    table.begin(13, AXIS_MOVES)
    lost, out = table.setting.ruleset.duties(table.view)
    assert (out.rule, out.places, out.foreseen) == ("9.58", (table.view.unit(cut).place,), True)
    assert str(out.text).endswith(f"isolated: {table.view.name(cut)}")
    assert (lost.rule, lost.places, lost.foreseen) == ("9.57", (table.view.unit(post).place,), True)
    assert not any(table.view.unit(foe).place in duty.places for duty in (lost, out))


def test_nobody_has_duties_when_nothing_is_asked(new_table: NewTable) -> None:
    assert told(new_table()) == []
