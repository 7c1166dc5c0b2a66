"""Counters dragged with the mouse: the picks of clicks, the reach and the path on the way, the refusal of a hex that is closed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.qt import QPoint, Qt
from client.session.saved import SavedMatch
from client.window import MainWindow
from client.words import capital, cite
from core.board import Hex
from core.events import Placed
from core.fold import fold
from core.orders import HexPick, OptionPick, UnitPick
from core.units import UnitId
from tests.client.conftest import middle
from tests.client.hands import LEFT, at, bring_to_sight, drag, drop, last_order, play_to, seen, take
from tests.toy.ruleset import Go, Strike

Maker = Callable[..., SavedMatch]


@pytest.fixture
def page(page: GamePage) -> GamePage:
    page.animates = False
    page.map.fans_by_itself = False
    page.map.pans_at_edge = False
    return page


def test_a_counter_dropped_in_reach_goes_there_as_by_two_clicks(page: GamePage, qtbot: QtBot) -> None:
    start, seen_before = at(page, "T0201"), seen(page)
    goal = at(page, "T0202")
    drag(page, qtbot, start, goal)
    assert page.composer.picks == (OptionPick("go"), UnitPick(UnitId(0)))
    assert goal in page.composer.ways()
    assert list(page.scene.reach.costs.words.values()) == ["1½"] * len(page.composer.ways())
    assert not page.scene.path._lines.isEmpty()
    assert "1½ movement points" in page.hint.text()
    drop(page, qtbot, goal)
    assert last_order(page) == Go(UnitId(0), goal)
    assert page.match.view.unit(UnitId(0)).place == goal
    assert seen(page) == seen_before


def test_a_likeness_follows_the_mouse_and_the_counter_lies_pale_until_the_drop(page: GamePage, qtbot: QtBot) -> None:
    start, goal = at(page, "T0201"), at(page, "T0202")
    drag(page, qtbot, start, goal)
    assert page.map._ghost is not None
    likeness, counter = page.map._ghost.items[-1], page.scene.counters[UnitId(0)]
    assert page.map.mapFromScene(likeness.pos()) == middle(page, goal)
    assert likeness.art == counter.art
    assert counter.opacity() < 1
    drop(page, qtbot, goal)
    assert counter.opacity() == 1
    assert likeness.scene() is None
    assert not page.map.is_carrying


def test_a_press_that_moves_less_than_a_drag_is_a_click(page: GamePage, qtbot: QtBot) -> None:
    port, where = page.map.viewport(), middle(page, at(page, "T0201"))
    qtbot.mousePress(port, LEFT, pos=where)
    near = where + QPoint(QApplication.startDragDistance() - 1, 0)
    qtbot.mouseMove(port, near)
    assert not page.map.is_carrying
    assert not page.composer.picks
    qtbot.mouseRelease(port, LEFT, pos=near)
    assert page.composer.units() == (UnitId(0),)


def test_a_drop_on_a_hex_that_is_not_open_gives_no_order_and_begins_nothing_else(page: GamePage, qtbot: QtBot) -> None:
    start, entries = at(page, "T0201"), len(page.match.moments())
    for closed in (at(page, "T0303"), at(page, "T0203")):  # an enemy's; an own counter's, which a click would pick
        drag(page, qtbot, start, closed)
        drop(page, qtbot, closed)
        assert page.composer.picks == (OptionPick("go"), UnitPick(UnitId(0)))
        assert len(page.match.moments()) == entries


@pytest.mark.parametrize("way", ["escape", "outside", "card", "right button"])
def test_a_drag_that_is_given_up_leaves_all_as_it_was(page: GamePage, window: MainWindow, qtbot: QtBot, way: str) -> None:
    page.click(at(page, "T0203"))
    before, selected, entries = page.composer.picks, page.selected_hex, len(page.match.moments())
    goal = at(page, "T0202")
    drag(page, qtbot, at(page, "T0201"), goal)
    assert page.composer.units() == (UnitId(0),)
    port = page.map.viewport()
    if way == "escape":
        qtbot.keyClick(page.map, Qt.Key.Key_Escape)
        assert not page.map.is_carrying
        drop(page, qtbot, goal)
    elif way == "right button":
        qtbot.mouseClick(port, Qt.MouseButton.RightButton, pos=middle(page, goal))
        drop(page, qtbot, goal)
    elif way == "outside":
        qtbot.mouseRelease(port, LEFT, pos=QPoint(-30, 200))
    else:
        assert page.prompt.isVisible()
        qtbot.mouseRelease(port, LEFT, pos=page.prompt.geometry().center())
    assert not page.map.is_carrying
    assert (page.composer.picks, page.selected_hex, len(page.match.moments())) == (before, selected, entries)


def test_a_counter_dropped_where_it_lay_stays_picked(page: GamePage, qtbot: QtBot) -> None:
    start = at(page, "T0201")
    take(page, qtbot, middle(page, start))
    drop(page, qtbot, start)
    assert page.composer.units() == (UnitId(0),)


@pytest.mark.parametrize("pressed", ["T0401", "T0301"])
def test_a_drag_on_ground_or_on_the_enemy_pans(page: GamePage, qtbot: QtBot, pressed: str) -> None:
    page.map.zoom_to_scale(3.0)
    here = at(page, pressed)
    page.map.centerOn(page.scene.centre(here).x, page.scene.centre(here).y)
    before = seen(page)
    take(page, qtbot, middle(page, here))
    qtbot.mouseMove(page.map.viewport(), middle(page, here) + QPoint(80, 60))
    qtbot.mouseRelease(page.map.viewport(), LEFT, pos=QPoint(300, 300))
    assert seen(page) != before
    assert not page.composer.picks


def test_a_drag_on_the_ground_beside_the_counter_of_its_hex_pans(page: GamePage, qtbot: QtBot) -> None:
    page.map.zoom_to_scale(3.0)
    here = at(page, "T0201")
    centre = page.scene.centre(here)
    page.map.centerOn(centre.x, centre.y)
    before, beside = seen(page), page.map.mapFromScene(centre.x, centre.y + 29)
    assert page.map.hex_at(beside) == here
    take(page, qtbot, beside)
    assert seen(page) != before
    assert not page.map.is_carrying
    qtbot.mouseRelease(page.map.viewport(), LEFT, pos=beside)


def test_one_counter_of_a_spread_stack_is_dragged_alone(page: GamePage, qtbot: QtBot) -> None:
    here = at(page, "T0201")
    fold(page.match.view.position, Placed(UnitId(20), "red_pawn", "9", here, 2))
    page.refresh()
    page.scene.fan(here)
    spread = page.map.mapFromScene(page.scene.counters[UnitId(20)].pos())
    take(page, qtbot, spread)
    assert page.composer.units() == (UnitId(20),)
    assert page.map._ghost is not None
    assert [likeness.unit for likeness in page.map._ghost.items] == [UnitId(20)]
    goal = at(page, "T0202")
    drop(page, qtbot, goal)
    assert last_order(page) == Go(UnitId(20), goal)


def test_an_attack_is_dragged_onto_its_target_and_waits_for_enter(page: GamePage, qtbot: QtBot) -> None:
    page.choose(next(choice for choice in page.composer.choices() if choice.pick == OptionPick("strike")))
    start = at(page, "T0203")
    target = next(here for here in page.match.setting.board.adjacent[start] if page.match.view.side_at(here, "blue"))
    entries = len(page.match.moments())
    drag(page, qtbot, start, target)
    assert page.composer.picks == (OptionPick("strike"), UnitPick(UnitId(1)))
    assert "Strike at" in page.hint.text()
    drop(page, qtbot, target)
    assert page.composer.picks == (OptionPick("strike"), UnitPick(UnitId(1)), HexPick(target))
    assert len(page.match.moments()) == entries
    qtbot.keyClick(page.map, Qt.Key.Key_Return)
    assert last_order(page) == Strike((UnitId(1),), target)


def test_the_map_runs_while_a_counter_is_held_at_its_edge_and_the_counter_stays_in_the_hand(page: GamePage, qtbot: QtBot) -> None:
    view, start = page.map, at(page, "T0201")
    view.pans_at_edge = True
    view.zoom_to_scale(3.0)
    view.centerOn(page.scene.centre(start).x, page.scene.centre(start).y)
    take(page, qtbot, middle(page, start))
    edge, before = QPoint(700, view.viewport().height() - 2), seen(page)
    qtbot.mouseMove(view.viewport(), edge)
    qtbot.waitUntil(lambda: seen(page)[1] - before[1] > 30)
    assert view._ghost is not None
    off = view.mapFromScene(view._ghost.items[-1].pos()) - edge
    assert off.manhattanLength() <= 2
    view.put_back()
    assert not view._edge_timer.isActive()


def test_an_order_of_another_ends_a_drag(page: GamePage, qtbot: QtBot) -> None:
    goal = at(page, "T0202")
    drag(page, qtbot, at(page, "T0201"), goal)
    page.refresh()
    assert not page.map.is_carrying
    assert page.scene.counters[UnitId(0)].opacity() == 1
    drop(page, qtbot, goal)
    assert page.match.view.unit(UnitId(0)).place == at(page, "T0201")


def test_nobody_drags_in_the_past(page: GamePage, qtbot: QtBot) -> None:
    drag(page, qtbot, at(page, "T0201"), at(page, "T0202"))
    drop(page, qtbot, at(page, "T0202"))
    page.time.seek(0)
    take(page, qtbot, middle(page, at(page, "T0203")))
    assert not page.map.is_carrying
    qtbot.mouseRelease(page.map.viewport(), LEFT, pos=QPoint(300, 300))


# ---------------------------------------------------------------- the real game


def test_an_attack_that_names_its_target_first_takes_the_stack_that_is_dropped_on_it(battlefield: GamePage, qtbot: QtBot) -> None:
    page = battlefield
    start, target = at(page, "E4510"), at(page, "E4611")
    stack = page.match.view.position.at(start)
    bring_to_sight(page, start)
    drag(page, qtbot, start, target)
    assert not page.composer.picks
    assert target in page.composer.aims
    assert page.scene.marks._targets
    assert "Attack on Kletskaya" in page.hint.text()
    drop(page, qtbot, target)
    assert page.composer.picks == (OptionPick("attack"), HexPick(target), *map(UnitPick, stack))
    assert page.composer.preview() is not None
    further = at(page, "E4511")
    drag(page, qtbot, further, target)
    drop(page, qtbot, target)
    assert set(page.composer.units()) == {*stack, *page.match.view.position.at(further)}
    elsewhere = at(page, "E4612")
    drag(page, qtbot, further, elsewhere)
    drop(page, qtbot, elsewhere)
    assert page.composer.picks == (OptionPick("attack"), HexPick(elsewhere), *map(UnitPick, page.match.view.position.at(further)))


def test_a_drop_out_of_reach_is_refused_with_the_rule_that_a_click_cites(battlefield: GamePage, qtbot: QtBot) -> None:
    page = battlefield
    play_to(page, "move")
    start = min(here for head, hexes in page.composer.able().items() if head == OptionPick("move") for here in hexes)
    page.click(start)
    bring_to_sight(page, start)
    view, board = page.match.view, page.match.setting.board
    enemy = view.other(view.side_to_act())
    closed = min((here for here in view.position.occupied() if view.side_at(here, enemy)), key=lambda here: board.distance(start, here))
    assert closed not in page.composer.ways()
    page.click(closed)
    told = page.composer.refused
    assert told is not None
    page.composer.reset()
    page.show_draft()
    drag(page, qtbot, start, closed)
    assert page.scene.reach.costs.words
    assert page.hint.text() == capital(cite(told))
    drop(page, qtbot, closed)
    assert page.composer.refused is not None
    assert (page.composer.refused.rule, page.composer.refused.text) == (told.rule, told.text)
    assert page.hint.isVisible()
    assert page.hint.text() == capital(cite(told))
    assert told.rule in page.hint.text()


def can_overrun(page: GamePage) -> tuple[Hex, Hex]:
    """Return where a stack stands that can overrun a neighbour, and that neighbour."""
    play_to(page, "move")
    composer, view, board = page.composer, page.match.view, page.match.setting.board
    overrun, foe = OptionPick("overrun"), view.other(view.side_to_act())
    return next(
        (here, there)
        for here in composer.able()[overrun] for there in board.adjacent[here]
        if view.side_at(there, foe) and composer._opens(composer._take_stack((overrun,), here), HexPick(there))
    )


def is_drafted(page: GamePage, order: str, target: Hex) -> bool:
    """Say whether an order against a target is composed, with its arithmetic, and not given."""
    composer = page.composer
    aimed = (composer.picks[0], composer.picks[-1]) == (OptionPick(order), HexPick(target))
    return aimed and composer.preview() is not None and composer.is_complete


def test_a_stack_dropped_on_a_neighbour_that_it_can_overrun_composes_the_overrun(battlefield: GamePage, qtbot: QtBot) -> None:
    page = battlefield
    start, target = can_overrun(page)
    bring_to_sight(page, start)
    drag(page, qtbot, start, target)
    assert target in page.composer.aims
    assert page.hint.isVisible()
    drop(page, qtbot, target)
    assert is_drafted(page, "overrun", target)
    assert not page.match.moments()[-1].battles  # nothing is given before Enter


def test_a_click_on_a_neighbour_that_the_picked_stack_can_overrun_composes_the_overrun(battlefield: GamePage, qtbot: QtBot) -> None:
    page = battlefield
    start, target = can_overrun(page)
    bring_to_sight(page, start)
    qtbot.mouseClick(page.map.viewport(), Qt.MouseButton.LeftButton, pos=middle(page, start))
    assert page.composer.picks[0] == OptionPick("move")
    qtbot.mouseMove(page.map.viewport(), middle(page, target))
    qtbot.waitUntil(page.hint.isVisible)
    assert page.composer.why_not(target) is None
    qtbot.mouseClick(page.map.viewport(), Qt.MouseButton.LeftButton, pos=middle(page, target))
    assert page.composer.refused is None
    assert is_drafted(page, "overrun", target)
    assert not page.match.moments()[-1].battles
