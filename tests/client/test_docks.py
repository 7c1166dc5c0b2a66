"""Panels around the map: at its four sides, beside one another or as tabs, and where they were the next time."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.qt import QPoint, QRect, Qt
from client.session.saved import SavedMatch
from client.table import FIRST_PLACES
from client.window import MainWindow

Maker = Callable[..., SavedMatch]


def box(page: GamePage, name: str) -> QRect:
    """Return where a panel lies on the page."""
    panel = getattr(page, name)
    return QRect(panel.mapTo(page, QPoint(0, 0)), panel.size())


def map_box(page: GamePage) -> QRect:
    return QRect(page.map.mapTo(page, QPoint(0, 0)), page.map.size())


def drag(qtbot: QtBot, page: GamePage, name: str, to: QPoint) -> None:
    """Drag a panel by its bar to a point of the screen."""
    bar = page.side._docked[name]
    qtbot.mousePress(bar, Qt.MouseButton.LeftButton, pos=QPoint(30, 8))
    qtbot.mouseMove(bar, bar.mapFromGlobal(to))
    qtbot.mouseRelease(bar, Qt.MouseButton.LeftButton, pos=bar.mapFromGlobal(to))


@pytest.mark.parametrize(
    ("place", "lies"),
    [
        ("left", lambda panel, map_: panel.right() < map_.left()), ("right", lambda panel, map_: panel.left() > map_.right()),
        ("top", lambda panel, map_: panel.bottom() < map_.top()), ("bottom", lambda panel, map_: panel.top() > map_.bottom()),
    ],
)
def test_a_panel_lies_at_a_side_of_the_map_and_the_map_takes_its_room_back(
    page: GamePage, place: str, lies: Callable[[QRect, QRect], bool]
) -> None:
    before = page.map.size()
    page.side.put("forces", place)
    assert page.forces.isVisible()
    assert lies(box(page, "forces"), map_box(page))
    assert page.frame.size() == page.map.size()
    page.side.undock("forces")
    assert page.map.size() == before
    assert not page.around.edges[place].isVisible()


def test_panels_of_one_side_stand_beside_one_another_or_are_tabs_of_one_place(page: GamePage, qtbot: QtBot) -> None:
    side = page.side
    side.put("forces", "bottom")
    side.put("record", "bottom")
    assert not box(page, "forces").intersects(box(page, "record"))
    side.join("record", "forces")
    assert side.places() == "log:below,forces:bottom,record:+forces"
    assert page.record.isVisible()
    assert not page.forces.isVisible()
    side.bring("forces")
    assert page.forces.isVisible()
    assert not page.record.isVisible()
    side.undock("forces")
    assert side.places() == "log:below,record:bottom"
    assert page.record.isVisible()


def test_a_panel_dropped_at_the_edge_of_the_map_stays_there_and_one_dropped_on_it_joins_it(page: GamePage, qtbot: QtBot) -> None:
    drag(qtbot, page, "log", page.map.mapToGlobal(QPoint(20, 300)))
    assert page.side.places() == "log:left"
    page.side.dock("forces")
    drag(qtbot, page, "forces", page.log.mapToGlobal(QPoint(50, 80)))
    assert page.side.places() == "log:left,forces:+log"
    drag(qtbot, page, "forces", page.map.mapToGlobal(QPoint(page.map.width() // 2, page.map.height() - 10)))
    assert page.side.places() == "log:left,forces:bottom"
    drag(qtbot, page, "log", page.side.mapToGlobal(QPoint(40, 10)))
    assert page.side.places() == "forces:bottom"
    assert not page.side._outline.isVisible()


def test_the_places_and_sizes_around_the_map_are_found_again_after_a_restart(
    page: GamePage, window: MainWindow, new_match: Maker
) -> None:
    page.side.put("forces", "left")
    page.side.put("notes", "left")
    page.side.join("record", "forces")
    page.around._row.setSizes([410, page.around.width() - 410, 0])
    page.around._row.splitterMoved.emit(410, 1)
    wide, told = box(page, "record").width(), page.side.places()
    window.show_match(new_match())
    again = window.game
    assert again is not None
    assert again is not page
    assert again.side.places() == told == "log:below,forces:left,notes:left,record:+forces"
    assert abs(box(again, "record").width() - wide) <= 2


def test_a_layout_that_cannot_be_read_is_passed_over(page: GamePage) -> None:
    sizes = "left:wide,top:-3,bottom:²,right:99999999,gone:4"
    page.restore_layout({"places": "forces:nowhere,gone:left,log:+gone,notes:top", "edges": sizes})
    assert page.side.places() == "notes:top"


def test_the_panel_in_front_goes_where_keys_send_it_and_back_to_how_all_was(page: GamePage, qtbot: QtBot) -> None:
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    page.side.choose("forces")
    for key, place in ((Qt.Key.Key_Left, "left"), (Qt.Key.Key_Up, "top"), (Qt.Key.Key_Down, "bottom"), (Qt.Key.Key_Right, "right")):
        qtbot.keyClick(page.map, key, both)
        assert page.side.place_of("forces") == place
    page.side.choose("record")
    qtbot.keyClick(page.map, Qt.Key.Key_F9, both)
    assert page.side.places() == "log:below,forces:right,record:+forces"
    qtbot.keyClick(page.map, Qt.Key.Key_F9, Qt.KeyboardModifier.AltModifier)
    assert page.side.place_of("record") == "tabs"
    qtbot.keyClick(page.map, Qt.Key.Key_F11, Qt.KeyboardModifier.ShiftModifier)
    assert page.side.places() == FIRST_PLACES
    assert page.todo.isVisible()


def test_the_menu_of_a_tab_lists_its_places(page: GamePage) -> None:
    menu = page.menu_of("forces")
    assert {action.text() for action in menu.actions() if not action.isEnabled()} == {"Among the tabs"}
    next(action for action in menu.actions() if action.text() == "At the left of the map").trigger()
    assert page.side.places() == "log:below,forces:left"
    menu.close()


def test_only_the_map_means_no_panel_at_its_sides_either(page: GamePage) -> None:
    page.side.put("forces", "left")
    page.toggle_all()
    assert not page.forces.isVisible()
    page.toggle_all()
    assert page.forces.isVisible()


def test_a_battle_that_is_docked_is_shown_where_it_is_and_no_tab_comes_over_the_map(
    page: GamePage, window: MainWindow, qtbot: QtBot
) -> None:
    page.side.put("battle", "left")
    window.resize(1200, 800)
    qtbot.waitUntil(lambda: page._narrow)
    page.open_side("battle")
    assert page.battle.isVisible()
    assert not page.side.isVisible()


def test_a_floating_panel_comes_back_where_it_was_unless_that_is_off_all_screens(page: GamePage) -> None:
    side = page.side
    side.put("forces", "window")
    side._docked["forces"].setGeometry(120, 240, 400, 310)
    kept = side.places()
    assert kept == "log:below,forces:window@120/240/400/310"
    side.restore_places("")
    side.restore_places(kept)
    assert side.places() == kept
    side.restore_places("log:below,forces:window@-9000/240/400/310")
    assert side._docked["forces"].x() > -9000
    side.undock("forces")


def drag_tab(qtbot: QtBot, page: GamePage, name: str, to: QPoint) -> None:
    """Drag a panel by its tab to a point of the screen."""
    tab = page.side._buttons[name]
    qtbot.mousePress(tab, Qt.MouseButton.LeftButton, pos=QPoint(12, 8))
    qtbot.mouseMove(tab, tab.mapFromGlobal(to))
    qtbot.mouseRelease(tab, Qt.MouseButton.LeftButton, pos=tab.mapFromGlobal(to))


def test_a_tab_is_dragged_out_of_the_panel_to_where_it_is_dropped(page: GamePage, qtbot: QtBot) -> None:
    edge, inside = page.map.mapToGlobal(QPoint(5, page.map.height() // 2)), page.map.mapToGlobal(page.map.rect().center())
    before = page.side.current
    drag_tab(qtbot, page, "forces", edge)
    assert page.side.places() == "log:below,forces:left"
    assert page.side.current == before  # it was dragged, not pressed
    drag_tab(qtbot, page, "record", page.forces.mapToGlobal(QPoint(20, 60)))
    assert page.side.place_of("record") == "left"
    assert page.record.isVisible()
    drag_tab(qtbot, page, "notes", inside)
    assert page.side.place_of("notes") == "window"
    assert not page.side._outline.isVisible()
    page.side.undock("notes")


def test_a_tab_dropped_among_the_tabs_stays_and_a_press_that_trembles_is_a_click(page: GamePage, qtbot: QtBot) -> None:
    tab = page.side._buttons["record"]
    drag_tab(qtbot, page, "record", page.side._buttons["todo"].mapToGlobal(QPoint(10, 10)))
    assert page.side.place_of("record") == "tabs"
    qtbot.mousePress(tab, Qt.MouseButton.LeftButton, pos=QPoint(12, 8))
    qtbot.mouseMove(tab, QPoint(15, 9))
    qtbot.mouseRelease(tab, Qt.MouseButton.LeftButton, pos=QPoint(15, 9))
    assert page.side.current == "record"


@pytest.mark.parametrize("percent", [100, 200])
def test_panels_all_around_leave_the_map_its_room_in_a_small_window_with_large_texts(
    window: MainWindow, new_match: Maker, qtbot: QtBot, percent: int
) -> None:
    window.looks.set_text(percent)
    window.show_match(new_match())
    assert window.game is not None
    page = window.game
    for name, place in (("forces", "left"), ("record", "right"), ("log", "top"), ("notes", "bottom")):
        page.side.put(name, place)
    window.resize(960, 640)
    qtbot.waitUntil(lambda: page.width() == 960)
    here = map_box(page)
    assert here.width() >= 240
    assert here.height() >= 130
    for name in ("forces", "record", "log", "notes"):
        assert page.rect().contains(box(page, name)), name
        assert not box(page, name).intersects(here), name
    window.looks.set_text(100)
