"""Where a key leads is seen: no small map over it, and the hex cursor goes along."""

from __future__ import annotations

import msgspec
import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.map.geometry import HEX
from client.qt import QRect, Qt
from client.session import words as words_module
from client.session.composing import Choice
from client.session.stacks import stacked
from client.window import MainWindow
from core.board import Hex, Place
from core.options import Door, Offer, offer
from core.orders import HexPick, OptionPick, UnitPick
from core.text import text
from core.units import UnitId
from core.views import View
from tests.client.conftest import TOY, middle
from tests.client.hands import open_orders
from tests.client.test_ways_on import words
from tests.client.test_window import at, key
from tests.toy.ruleset import Go, compose_go, free, missing


def box_of(page: GamePage, here: Hex) -> QRect:
    point, half = middle(page, here), int(HEX * page.map.scale_now() / 2) - 1
    return QRect(point.x() - half, point.y() - half, 2 * half, 2 * half)


@pytest.mark.parametrize("part", ["minimap", "tools"])
def test_a_hex_that_a_key_leads_to_lies_under_nothing_that_stands_over_the_map(battlefield: GamePage, part: str) -> None:
    page = battlefield
    over = getattr(page, part)
    assert over.isVisible()
    page.map.centerOn(page.scene.ground.bounds.center())
    under = [Hex(here) for here in range(page.match.setting.board.size) if over.geometry().contains(middle(page, Hex(here)))]
    assert under
    for here in under:
        page.map.centerOn(page.scene.ground.bounds.center())
        page.goto.setText(page.match.setting.board.label(here))
        page.goto.returnPressed.emit()
        assert page.map.cursor_hex == here
        assert page.map.viewport().rect().contains(box_of(page, here))
        for cover in (page.minimap, page.tools):
            assert not cover.geometry().intersects(box_of(page, here))
        assert not page.prompt.geometry().contains(middle(page, here))


def test_space_takes_the_hex_cursor_along(page: GamePage, qtbot: QtBot) -> None:
    far = next(Hex(here) for here in range(page.match.setting.board.size) if not page.match.view.position.at(Hex(here)))
    page.map.set_cursor(far)
    key(qtbot, page, Qt.Key.Key_Space)
    assert page.selected_hex is not None
    assert page.map.cursor_hex == page.selected_hex != far


def test_space_gives_no_hex_cursor_to_whoever_has_none(page: GamePage, qtbot: QtBot) -> None:
    key(qtbot, page, Qt.Key.Key_Space)
    assert page.map.cursor_hex is None


def stack_of(page: GamePage, count: int) -> Hex:
    """Return a hex where so many counters of the side to act stand."""
    view = page.match.view
    return next(here for here in view.position.occupied() if len(view.side_at(here, view.side_to_act())) >= count)


def test_further_clicks_on_a_stack_take_what_lies_on_top_first_and_show_what_was_taken_on_top(battlefield: GamePage) -> None:
    page, move = battlefield, OptionPick("move")
    here = None
    while here is None:
        page.composer.reset()
        page.composer.choose(next(pick for pick in open_orders(page) if page.composer.offer((pick,)).complete))
        page.give()
        places = page.composer.able().get(move, ()) if page.match.may_act else ()
        here = next((place for place in places if len(page.composer._take_stack((move,), place)) > 2), None)
    page.refresh()
    page.click(here)
    able = set(page.composer.units())
    down = [unit.id for unit in reversed(stacked(page.match.view, here)) if unit.id in able]
    assert len(down) > 1
    for unit in down:
        page.click(here)
        assert page.composer.units() == (unit,)
        others = [page.scene.counters[one] for one in page.match.view.position.at(here) if one != unit]
        assert page.scene.counters[unit].zValue() > max(one.zValue() for one in others)
    page.click(here)
    assert set(page.composer.units()) == able


def test_a_stack_bears_the_keys_of_all_its_counters(battlefield: GamePage, monkeypatch: pytest.MonkeyPatch) -> None:
    page = battlefield
    here = stack_of(page, 2)
    units = page.match.view.position.at(here)[:2]
    choices = [Choice(UnitPick(unit), text("one"), None, Place(here)) for unit in units]
    monkeypatch.setattr(page.composer, "choices", lambda: choices)
    page.show_draft()
    keys = [words for _, words in page.scene.marks.words._keys]
    assert keys == ["1, 2"]


def test_the_keyboard_zooms_about_the_hex_cursor_that_is_in_sight(page: GamePage, qtbot: QtBot) -> None:
    page.map.zoom_to_scale(1.0)
    here = page.match.view.position.occupied()[0]
    page.map.set_cursor(here)
    before = middle(page, here)
    assert before != page.map.viewport().rect().center()
    page.map.zoom_by(1)
    assert (middle(page, here) - before).manhattanLength() <= 3
    page.map.set_cursor(None)
    page.map.zoom_by(-1)
    assert (middle(page, here) - before).manhattanLength() > 3


def test_the_stack_panel_goes_along_with_what_leaves_a_hex_empty(page: GamePage, qtbot: QtBot) -> None:
    page.click(at(page, "T0201"))
    goal = free(page.match.view, UnitId(0))[0]
    page.composer.click(goal)
    page.show_draft()  # as where the draft is looked at before it is given
    page.give()
    assert not page.match.view.position.at(at(page, "T0201"))
    assert page.selected_hex == goal
    assert page.match.view.name(UnitId(0)) in [label.text() for label in page.stack.findChildren(QLabel)]


def test_the_end_of_a_phase_has_one_key_and_stands_last(page: GamePage, qtbot: QtBot) -> None:
    end = OptionPick("end")
    assert page.prompt.keyed[-1].pick == end
    button = page.prompt.button_of(end)
    assert button is not None
    assert button.text().startswith("0 ")
    key(qtbot, page, Qt.Key.Key_0)
    assert page.composer.picks == (end,)
    page.give()
    assert page.match.view.side_to_act() == "blue"


def can_strike(page: GamePage) -> bool:
    """Compose a strike, if there is one; say whether there is."""
    if OptionPick("strike") not in open_orders(page):
        return False
    page.composer.choose(OptionPick("strike"))
    while not page.composer.is_complete:
        offered = page.composer.offer().picks
        if not offered:
            page.composer.reset()
            return False
        page.composer.choose(offered[0])
    return True


def test_a_battle_stays_on_its_panel_while_its_losses_are_chosen(
    window: MainWindow, page: GamePage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(words_module, "is_battle", lambda event: event.subject == "strike")
    window.resize(1100, 800)
    assert page._narrow
    while not page.composer.is_asked() and page.match.outcome is None:
        page.composer.reset()
        if not can_strike(page):
            page.composer.choose(OptionPick("end"))
        page.give()
    assert page.composer.is_asked(), "a strike leads to a loss that its owner chooses, in each game of the toy"
    assert "No battle" not in words(page.battle)
    page.composer.choose(page.composer._heads()[0])
    page.show_draft()
    assert "No battle" not in words(page.battle)


@pytest.mark.parametrize(("percent", "height"), [(100, 860), (150, 860), (150, 700), (200, 860)])
def test_the_small_map_has_its_place_beside_the_tools_however_large_the_texts(
    battlefield: GamePage, qtbot: QtBot, percent: int, height: int
) -> None:
    window = battlefield.window()
    assert isinstance(window, MainWindow)
    window.resize(1380, height)
    window.looks.set_text(percent)
    page = window.page()
    qtbot.waitUntil(lambda: page.minimap.isVisible() and page.minimap.geometry().bottom() < page.map.height())
    assert not page.minimap.geometry().intersects(page.tools.geometry())
    assert page.map.rect().contains(page.tools.geometry())
    assert not page.minimap.geometry().intersects(page.prompt.geometry())
    window.looks.set_text(100)


@pytest.mark.parametrize("beside", [0, 60, 120])
def test_space_brings_the_choices_out_from_under_the_card_that_grows_with_them(battlefield: GamePage, qtbot: QtBot, beside: int) -> None:
    page, home = battlefield, battlefield.prompt.pos()
    for _ in range(4):
        page.refresh()
        bounds = page.scene.ground.bounds
        page.map.centerOn(bounds.left() + page.map.width() / 2 - beside, bounds.bottom())
        key(qtbot, page, Qt.Key.Key_Space)
        asked = [Hex(choice.place) for choice in page.prompt.keyed if choice.place is not None and choice.place >= 0]
        assert asked
        assert page.prompt.pos() == home
        assert not any(page.prompt.geometry().intersects(box_of(page, here)) for here in asked)


def open_over_map(page: GamePage) -> QRect:
    """Open the side panel over the map of a narrow window; return what is left of the map."""
    page.window().resize(1100, 800)
    assert page._narrow
    page.open_tab("log")
    assert page.map.covered_right > 0
    return page.map.viewport().rect().adjusted(0, 0, -page.map.covered_right, 0)


def test_the_whole_map_is_shown_beside_a_panel_that_lies_over_the_map(battlefield: GamePage) -> None:
    page = battlefield
    free, bounds = open_over_map(page), page.scene.ground.bounds
    page.map.zoom_fit()
    shown = page.map.mapFromScene(bounds).boundingRect()
    assert free.adjusted(-2, -2, 2, 2).contains(shown)
    assert max(shown.width() / free.width(), shown.height() / free.height()) > 0.98


@pytest.mark.parametrize("scale", [0.35, 0.5, 1.0])
def test_the_maps_edge_comes_out_from_under_a_panel_that_lies_over_the_map(battlefield: GamePage, scale: float) -> None:
    page = battlefield
    free, centres = open_over_map(page), page.scene.geometry.centre
    east = max(map(Hex, range(page.match.setting.board.size)), key=lambda here: centres(here).x)
    page.map.zoom_to_scale(scale)
    for bring in (page.map.show_hex, page.map.centre_within_map):
        page.map.centerOn(page.scene.ground.bounds.topLeft())
        bring(east)
        assert free.contains(middle(page, east))


def test_hexes_far_from_a_counter_that_can_go_there_are_brought_into_sight_and_visited(
    page: GamePage, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    def far(view: View, draft: Go) -> Offer:
        if draft.unit is None or draft.hex is not None:
            return compose_go(view, draft)
        here = Hex(view.unit(draft.unit).place)
        hexes = [there for there in map(Hex, range(view.board.size)) if view.board.distance(here, there) == 3]
        return offer([Door(HexPick(there)) for there in hexes], unfinished=missing("a hex"))

    monkeypatch.setitem(TOY.orders, "go", msgspec.structs.replace(TOY.orders["go"], compose=far, reach=None))
    page.refresh()
    page.choose(next(choice for choice in page.composer.ways_on() if choice.pick == OptionPick("go")))
    unit = next(pick.unit for pick in page.composer.offer().picks if isinstance(pick, UnitPick))
    stands = Hex(page.match.view.unit(unit).place)
    page.map.zoom_to_scale(4.0)
    page.map.centerOn(*page.scene.centre(stands))
    page.click_unit(unit)
    goals = page.goals()
    assert goals
    assert any(page.map.viewport().rect().contains(middle(page, goal)) for goal in goals)
    visited = set()
    for _ in goals:
        key(qtbot, page, Qt.Key.Key_N)
        visited.add(page.map.cursor_hex)
    assert visited == set(goals)


def test_who_can_begin_an_order_that_the_card_began_is_brought_into_sight(page: GamePage) -> None:
    able = [Hex(here) for head, hexes in page.composer.able().items() if head == OptionPick("go") for here in hexes]
    board, centre = page.match.setting.board, page.scene.centre
    far = max(map(Hex, range(board.size)), key=lambda here: min(board.distance(here, there) for there in able))
    page.map.zoom_to_scale(4.0)
    page.map.centerOn(*centre(far))
    in_sight = page.map.viewport().rect().contains
    assert able
    assert not any(in_sight(middle(page, here)) for here in able)
    page.choose(next(choice for choice in page.composer.ways_on() if choice.pick == OptionPick("go")))
    assert any(in_sight(middle(page, here)) for here in able)
