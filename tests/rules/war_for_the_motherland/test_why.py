"""What the game answers to "why?": supply with its line or its cut, zones of control with their sources."""

from __future__ import annotations

from itertools import pairwise

import pytest

from core.board import Hex
from core.match import new_server_match
from core.pack import setting
from core.ruleset import Answer
from core.rulesets import load
from core.rulesets.war_for_the_motherland import movement, supply
from core.rulesets.war_for_the_motherland.movement import Move
from core.views import View
from rasputitsa.packs import load_pack
from tests.rules.war_for_the_motherland.conftest import NewTable


def turning_point() -> View:
    ruleset = load("war_for_the_motherland")
    made = setting(ruleset, load_pack("war_for_the_motherland"), "turning_point")
    return new_server_match(made, game="why", seed=bytes(32), clock=lambda: 0, links=1000).match.view


def answers(view: View, label: str) -> dict[str, Answer]:
    here = view.board.hex(label)
    found = [answer for unit in view.position.at(here) for answer in view.ruleset.why_unit(view, unit)]
    return {answer.rule: answer for answer in found}


def test_a_supplied_unit_shows_the_line_from_its_headquarters() -> None:
    view = turning_point()
    line = answers(view, "E4512")["9.41"]
    assert line.good
    assert line.line[0] == view.board.hex("E4512")
    assert all(there in view.board.adjacent[here] for here, there in zip(line.line, line.line[1:], strict=False))


def test_an_unsupplied_army_shows_how_far_it_is_and_where_the_line_breaks() -> None:
    view = turning_point()
    cut = answers(view, "E5405")["9.51"]
    assert cut.good is False
    assert "6 allowed" in str(cut.text)
    assert len(cut.line) > 6


def test_the_line_of_an_army_that_is_too_far_off_is_the_open_one_whose_length_is_told() -> None:
    view = turning_point()
    cut = answers(view, "E5405")["9.51"]
    field = supply.network(view, "soviet").field
    assert str(cut.text).endswith("8 hexes to supply, 6 allowed")
    assert (cut.places, supply.hexes_text(field.distance(cut.line[0]))) == ((), "8")
    assert {field.reaches(here) for here in cut.line} == {True}
    assert all(field.distance(there) < field.distance(here) for here, there in pairwise(cut.line))
    assert field.distance(cut.line[-1]) == 0


def test_a_hex_tells_whose_zones_lie_on_it_and_from_where() -> None:
    view = turning_point()
    here = view.board.hex("E4512")
    axis, soviet = view.ruleset.why_hex(view, here)
    assert axis.places
    assert all(Hex(there) in view.board.adjacent[here] for there in axis.places + soviet.places)
    assert "E4612" in str(axis.text)
    far = view.board.hex("E5201")
    assert all(not answer.places for answer in view.ruleset.why_hex(view, far))


@pytest.mark.rule("war_for_the_motherland", "4.26b")
def test_reach_tells_which_neighbours_a_zone_of_control_bars(new_table: NewTable) -> None:
    table = new_table()
    corps = table.place("ger_infantry_corps", "2010")
    table.place("sov_infantry_army", "2012")
    table.begin(13, "axis_movement")
    draft = Move(units=(corps,))
    ways = {table.board.label(way.hex): way for way in movement.reach(table.view, draft)}
    for label, way in ways.items():
        assert all(
            table.refused(Move(units=(corps,), path=(*way.path, there))) == "4.26b" for there in way.barred
        ), label
    assert [table.board.label(here) for here in ways["2011"].barred] == ["1911", "2111"]
    assert ways["2009"].barred == ()


@pytest.mark.rule("war_for_the_motherland", "4.26b", "5.43")
@pytest.mark.parametrize(("kind", "barred"), [("ger_infantry_corps", ["1911", "2111"]), ("ger_panzer_corps", [])])
def test_neither_the_enemies_own_hex_nor_what_panzers_may_enter_is_told_as_barred(
    new_table: NewTable, kind: str, barred: list[str]
) -> None:
    table = new_table()
    unit = table.place(kind, "2010")
    for label in ("2012", "1912"):  # each in the other's zone
        table.place("sov_infantry_army", label)
    table.begin(13, "axis_movement")
    ways = {table.board.label(way.hex): way for way in movement.reach(table.view, Move(units=(unit,)))}
    assert [table.board.label(here) for here in ways["2011"].barred] == barred


def test_an_air_fleet_tells_what_its_figures_are() -> None:
    view = turning_point()
    fleet = next(unit.id for unit in view.position.units.values() if view.type(unit.id).kind == "air_fleet")
    zone, reach = view.ruleset.counter(view, fleet).values.split("/")
    assert [str(words) for words in view.ruleset.remarks(view, fleet)] == [f"zone of {zone} hexes, range of {reach} hexes"]
