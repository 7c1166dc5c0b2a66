"""Combat strength markers (7.0): drawn in battle and at the end of a turn, kept in contact, taken off."""

from __future__ import annotations

import pytest

from core import events
from core.game import Game, run_steps
from core.rulesets.war_for_the_motherland import strength
from core.rulesets.war_for_the_motherland.strength_markers import DrawMarkers, RemoveMarkers
from core.trials.table import ScriptedDice, Table
from core.views import View, view_for
from tests.rules.war_for_the_motherland.battles import (
    ARMY,
    CORPS,
    DEPOT,
    SOVIET_CORPS,
    STRONG,
    TANKS,
    attack,
    axis,
    begin,
    is_gone,
    line,
    lose,
    shows,
    waits_for,
)
from tests.rules.war_for_the_motherland.conftest import NewTable

RULES = "war_for_the_motherland"
PLAIN, STAR = "C 4-5/2-3", "C* 2-3/1-2"


def cup(table: Table, name: str = "C") -> dict[str, int]:
    return dict(table.position.cups.get(name, {}))


def end_of_turn(table: Table, *draws: str) -> list[str]:
    """Run steps 7i and 7j with forced draws; return the chits drawn."""
    begin(table)  # a decision that waits when both steps are done
    script = ScriptedDice(draws=draws)
    game = Game(table.setting, table.position, script, derived=table.view.derived)
    happened: list[events.Event] = []
    for step in (DrawMarkers(), RemoveMarkers()):
        game.apply(events.FramePushed(step.frame()))
    run_steps(game, happened)
    assert not script.left()
    return [event.chit for event in happened if isinstance(event, events.Drawn)]


@pytest.mark.rule(RULES, "7.11", "7.14a", "7.14c", "7.16", "8.1.2b", "7.0a")
def test_an_attacked_army_draws_before_the_odds(new_table: NewTable) -> None:
    table = new_table()
    unit, army = axis(table, "2009", 9, 8), table.place(ARMY, "2010", steps=1)
    table.cup("C", {PLAIN: 2, STRONG: 1})
    begin(table)
    attack(table, "2010", [unit], 4, draws=[PLAIN])
    assert (shows(table, army), table.explained("defence"), table.position.units[army].steps) == ("4-5-3", "5", 2)
    assert cup(table) == {PLAIN: 1, STRONG: 1}


@pytest.mark.rule(RULES, "7.11", "7.14b", "8.1.1", "8.1.2b")
def test_attackers_draw_in_hex_order_and_then_defenders(new_table: NewTable) -> None:
    table = new_table()
    late, early, with_marker = table.place(ARMY, "2009"), table.place(TANKS, "1909"), table.place(ARMY, "2109", chit=STRONG)
    axis(table, "2010", 5, 7)
    table.cup("C", {PLAIN: 2}), table.cup("A", {"A 7-5/4-3": 1})
    begin(table, "soviet")
    attack(table, "2010", [late, early, with_marker], 4, draws=["A 7-5/4-3", PLAIN])
    drawn = [event.unit for event in table.events if isinstance(event, events.Drawn)]
    assert drawn == [early, late]
    assert table.explained("attack") == "4 + 7 + 6"


@pytest.mark.rule(RULES, "7.11")
def test_corps_never_draw(new_table: NewTable) -> None:
    table = new_table()
    unit = axis(table, "2009", 9, 8)
    table.place(SOVIET_CORPS, "2010")
    table.cup("C", {PLAIN: 2})
    begin(table)
    attack(table, "2010", [unit], 4)
    assert table.explained("defence") == "2"


@pytest.mark.rule(RULES, "7.11")
def test_an_army_whose_cup_is_empty_attacks_with_one_point(new_table: NewTable) -> None:
    table = new_table()
    army = table.place(ARMY, "2009")
    axis(table, "2010", 1, 1)
    begin(table, "soviet")
    attack(table, "2010", [army], 4)
    assert (table.explained("attack"), line(table, "ratio")) == ("1 (7.11)", "1:1")


@pytest.mark.rule(RULES, "7.11")
def test_an_army_whose_cup_is_empty_fights_as_one_point_with_one_step(new_table: NewTable) -> None:
    table = new_table()
    unit, army = axis(table, "2009", 3, 8), table.place(ARMY, "2010")
    table.place(SOVIET_CORPS, "2010")
    begin(table)
    attack(table, "2010", [unit], 5)
    assert any(isinstance(event, events.Explained) and event.subject == "empty_cup" for event in table.events)
    assert (table.explained("defence"), line(table, "result")) == ("1 (7.11) + 2", "D1")
    lose(table, army, dice=[3])
    assert is_gone(table, army)


@pytest.mark.rule(RULES, "7.21", "7.23", "3.0.7i")
def test_a_marker_out_of_contact_goes_back_into_its_cup(new_table: NewTable) -> None:
    table = new_table()
    table.place(CORPS, "1605")
    army = table.place(ARMY, "2010", chit=PLAIN, steps=1)
    end_of_turn(table)
    assert (cup(table), shows(table, army), table.position.units[army].steps) == ({PLAIN: 1}, "C-3", 2)


@pytest.mark.rule(RULES, "7.24")
def test_a_star_marker_leaves_the_game(new_table: NewTable) -> None:
    table = new_table()
    table.place(CORPS, "1605")
    army = table.place(ARMY, "2010", chit=STAR)
    end_of_turn(table)
    assert (cup(table), shows(table, army)) == ({}, "C-3")


@pytest.mark.rule(RULES, "7.12", "7.21", "7.23", "3.0.7j")
def test_all_markers_come_off_before_any_is_drawn(new_table: NewTable) -> None:
    table = new_table()
    table.place(CORPS, "1605")
    leaver, comer = table.place(ARMY, "2010", chit=STRONG), table.place(ARMY, "1604")
    assert end_of_turn(table, STRONG) == [STRONG]
    assert (shows(table, leaver), shows(table, comer)) == ("C-3", "6-9-3")


@pytest.mark.rule(RULES, "7.0c", "7.21")
def test_an_army_in_contact_keeps_its_marker_reverse_up(new_table: NewTable) -> None:
    table = new_table()
    table.place(CORPS, "1605")
    army = table.place(ARMY, "1604", chit=STRONG, steps=1)
    assert end_of_turn(table) == []
    assert shows(table, army) == "3-5-3"


@pytest.mark.rule(RULES, "7.12")
@pytest.mark.parametrize(("neighbour", "draws"), [("ger_air_fleet_3", 0), (DEPOT, 1)])
def test_any_axis_unit_is_contact_but_a_fleet_is_none(new_table: NewTable, neighbour: str, draws: int) -> None:
    table = new_table()
    table.place(neighbour, "1605")
    table.place(ARMY, "1604")
    table.cup("C", {PLAIN: 1})
    assert len(end_of_turn(table, *[PLAIN] * draws)) == draws


@pytest.mark.rule(RULES, "7.12")
def test_contact_reaches_over_a_lake(new_table: NewTable) -> None:
    table = new_table(lambda board: board.side("1604", "1605", "lake"))
    table.place(CORPS, "1605")
    table.place(ARMY, "1604")
    table.cup("C", {PLAIN: 1})
    assert end_of_turn(table, PLAIN) == [PLAIN]


@pytest.mark.rule(RULES, "7.12")
def test_an_empty_cup_leaves_an_army_without_a_marker(new_table: NewTable) -> None:
    table = new_table()
    table.place(CORPS, "1605")
    army = table.place(ARMY, "1604")
    assert end_of_turn(table) == []
    assert shows(table, army) == "C-3"


@pytest.mark.rule(RULES, "7.22", "7.23", "8.92")
def test_the_marker_of_an_eliminated_army_goes_back(new_table: NewTable) -> None:
    table = new_table()
    unit, army = axis(table, "2009", 20, 8), table.place(ARMY, "2010", chit=STRONG, steps=1)
    begin(table)
    attack(table, "2010", [unit], 3)
    assert (line(table, "result"), waits_for(table)) == ("D1", "soviet PayResult")
    lose(table, army, dice=[3])
    assert is_gone(table, army)
    assert cup(table) == {STRONG: 1}


@pytest.mark.rule(RULES, "7.13a", "7.13b", "7.14a")
def test_each_class_draws_from_its_own_cup(new_table: NewTable) -> None:
    table = new_table()
    armies = [table.place(kind, "2009") for kind in (TANKS, "sov_shock_army", ARMY)]
    axis(table, "2010", 5, 7)
    table.cup("A", {"A 7-5/4-3": 1}), table.cup("B", {"B 6-7/3-4": 1}), table.cup("C", {PLAIN: 1})
    begin(table, "soviet")
    attack(table, "2010", armies, 4, draws=["A 7-5/4-3", "B 6-7/3-4", PLAIN])
    assert [shows(table, army) for army in armies] == ["7-5-7", "6-7-3", "4-5-3"]


@pytest.mark.rule(RULES, "7.0b")
@pytest.mark.parametrize("viewer", ["axis", "soviet"])
def test_both_sides_see_the_marker_of_an_army(new_table: NewTable, viewer: str) -> None:
    table = new_table()
    army = table.place(ARMY, "2010", chit=STRONG, steps=1)
    seen = View(table.setting, view_for(table.setting, table.position, viewer), viewer=viewer)
    assert table.setting.ruleset.counter(seen, army).values == "3-5-3"


@pytest.mark.rule(RULES, "7.11")
def test_an_army_without_a_marker_shows_its_movement_alone(new_table: NewTable) -> None:
    table = new_table()
    army = table.place("sov_infantry_army", "2010")
    shown = strength.printed(table.view, army)
    assert (shown.attack, shown.defence, shown.move) == (0, 0, 3)
