"""Placing counters from beside the map: the window leads to the hexes where they may stand."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.map.view import ZOOM_STEPS
from client.qt import Qt
from core.board import Hex
from core.events import FramePushed
from core.orders import HexPick, OptionPick, UnitPick
from core.rulesets.war_for_the_motherland.arrivals import Reinforce
from core.rulesets.war_for_the_motherland.terms import ARRIVALS, AXIS, SOVIET, TRACK
from core.rulesets.war_for_the_motherland.withdrawals import Withdrawal, airbases
from tests.client.test_for_good import happen, place
from tests.client.test_window import key


def placing(page: GamePage) -> list[Hex]:
    """Choose a reinforcement while the map shows none of its hexes; return them."""
    army = place(page, "sov_infantry_army", page.match.setting.board.box(ARRIVALS))
    happen(page, FramePushed(Reinforce(side=SOVIET).frame()))
    walk = (OptionPick("place_reinforcement"), UnitPick(army))
    goals = [pick.hex for pick in page.match.options(walk).picks if isinstance(pick, HexPick)]
    board = page.match.setting.board
    far = max(range(board.size), key=lambda here: min(board.distance(Hex(here), goal) for goal in goals))
    page.map.zoom_to(len(ZOOM_STEPS) - 1)
    page.map.centerOn(page.scene.centre(Hex(far)).x, page.scene.centre(Hex(far)).y)
    assert not any(map(page._is_in_sight, goals))
    for pick in walk:
        if pick not in page.composer.picks:
            page.choose(next(choice for choice in page.prompt.keyed if choice.pick == pick))
    assert page.composer.picks == walk
    return goals


def test_what_is_placed_brings_a_hex_for_it_into_sight(battlefield: GamePage, qtbot: QtBot) -> None:
    del qtbot
    goals = placing(battlefield)
    assert any(map(battlefield._is_in_sight, goals))


def test_what_a_duty_asks_for_is_told_of_once(battlefield: GamePage, qtbot: QtBot) -> None:
    del qtbot
    page = battlefield
    place(page, "sov_infantry_army", page.match.setting.board.box(ARRIVALS))
    happen(page, FramePushed(Reinforce(side=SOVIET).frame()))
    assert [task.words for task in page._tasks] == ["X. Army may be placed, or waits (13.17)"]
    happen(page, FramePushed(Withdrawal(side=AXIS).frame()))
    assert [task.words for task in page._tasks] == ["One airbase must be withdrawn (13.7)"]
    assert set(page._tasks[0].hexes) == {page.match.view.unit(unit).place for unit in airbases(page.match.view)}


def test_counters_beside_the_map_are_told_of_with_those_on_it(battlefield: GamePage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    del qtbot
    page = battlefield
    monkeypatch.setattr(type(page.match.view.ruleset), "duties", lambda self, view: ())
    place(page, "ger_airbase", page.match.setting.board.box(TRACK))
    happen(page, FramePushed(Withdrawal(side=AXIS).frame()))
    assert [task.words for task in page._tasks] == ["Withdraw an airbase: 1 stack, 1 beside the map"]
    assert page._tasks[0].brief == "Withdraw an airbase (1 stack, 1 beside the map)"
    assert len(page._tasks[0].hexes) == 1


def test_a_counter_beside_the_map_leaves_the_stack_that_was_selected_before_out_of_sight(battlefield: GamePage) -> None:
    page = battlefield
    page.selected_hex = page.match.view.position.occupied()[0]
    page.side.choose("todo")
    placing(page)
    assert page.composer.units()
    assert page.selected_hex is not None
    assert page.side.current == "todo"


def test_the_key_for_the_next_thing_to_do_leads_to_each_hex_for_what_is_placed(battlefield: GamePage, qtbot: QtBot) -> None:
    page, seen = battlefield, set[Hex | None]()
    goals = placing(page)
    for _ in goals[:6]:
        key(qtbot, page, Qt.Key.Key_N)
        seen.add(page.map.cursor_hex)
        assert page.map.cursor_hex is not None
        assert page._is_in_sight(page.map.cursor_hex)
    assert len(seen) == min(len(goals), 6)
    assert seen <= set(goals)


def test_the_key_for_the_next_thing_to_do_begins_with_the_nearest(battlefield: GamePage, qtbot: QtBot) -> None:
    page = battlefield
    goals, board = placing(page), page.match.setting.board
    last = goals[-1]
    page.map.set_cursor(next(here for here in board.adjacent[last] if here not in goals))
    near = min(board.distance(page.map.cursor_hex, goal) for goal in goals)
    start = page.map.cursor_hex
    key(qtbot, page, Qt.Key.Key_N)
    assert board.distance(start, page.map.cursor_hex) == near == 1
    page.map.set_cursor(None)
    page.selected_hex = None
    page.map.centre_within_map(last)
    middle = page.map.sight().middle
    key(qtbot, page, Qt.Key.Key_N)

    def off(here: Hex) -> float:
        centre = page.scene.centre(here)
        return (centre.x - middle.x()) ** 2 + (centre.y - middle.y()) ** 2

    assert page.map.cursor_hex == min(goals, key=off)
