"""Placing counters from beside the map: the window leads to the hexes where they may stand."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.map.view import ZOOM_STEPS
from client.qt import Qt
from core.board import Hex
from core.events import FramePushed
from core.orders import HexPick, OptionPick, UnitPick
from core.rulesets.war_for_the_motherland.arrivals import Reinforce
from core.rulesets.war_for_the_motherland.terms import ARRIVALS, SOVIET
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
