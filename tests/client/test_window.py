"""The window, driven by mouse and keys, on the toy game."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.map.palette import PALETTES
from client.map.view import ZOOM_STEPS
from client.panels.widgets import button, row
from client.qt import QPoint, QPointF, QSize, Qt
from client.reading import find_hex, quarters
from client.session.composing import Choice
from client.session.replay import FileMatch
from client.session.saved import SavedMatch
from client.style import sheet
from client.window import MainWindow, first_size
from core.board import Hex
from core.errors import Refused
from core.orders import HexPick, OptionPick, UnitPick
from core.ruleset import Duty
from core.text import text
from core.units import UnitId
from tests.client.conftest import TOY, failed_to_open, opened
from tests.client.hands import play_to
from tests.toy.ruleset import End, free

Maker = Callable[..., SavedMatch]


@pytest.fixture
def page(window: MainWindow, new_match: Maker, qtbot: QtBot) -> GamePage:
    window.show_match(new_match())
    assert window.game is not None
    qtbot.waitExposed(window.game)
    return window.game


def press(qtbot: QtBot, page: GamePage, here: Hex) -> None:
    """Click a hex with the mouse."""
    page.map.show_hex(here)
    centre = page.scene.centre(here)
    where = page.map.mapFromScene(centre.x, centre.y)
    qtbot.mouseMove(page.map.viewport(), where)
    qtbot.mouseClick(page.map.viewport(), Qt.MouseButton.LeftButton, pos=where)


def key(qtbot: QtBot, page: GamePage, *keys: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    page.map.setFocus()
    for one in keys:
        qtbot.keyClick(page.map, one, modifier)


def at(page: GamePage, label: str) -> Hex:
    return page.match.setting.board.hex(label)


def buttons(widget: QWidget) -> list[str]:
    return [child.text() for child in widget.findChildren(QPushButton) if child.isVisibleTo(widget)]


# ---------------------------------------------------------------- playing


def test_a_game_against_a_bot_is_one_click_away(window: MainWindow, qtbot: QtBot) -> None:
    window.start.opponent.setCurrentIndex(window.start.opponent.findData("random"))
    qtbot.mouseClick(window.start.play, Qt.MouseButton.LeftButton)
    match = opened(window, qtbot).match
    assert isinstance(match, SavedMatch)
    assert sorted(match.seats.values()) == ["person", "random"]


def test_a_stack_and_a_target_make_a_move(page: GamePage, qtbot: QtBot) -> None:
    press(qtbot, page, at(page, "T0201"))
    assert page.composer.units() == (UnitId(0),)
    assert page.scene.counters[UnitId(0)].is_selected
    goal = free(page.match.view, UnitId(0))[0]
    press(qtbot, page, goal)
    assert page.match.view.unit(UnitId(0)).place == goal
    page.scene.settle()
    assert page.scene.counters[UnitId(0)].pos().x() == pytest.approx(page.scene.centre(goal).x)


def test_the_way_under_the_mouse_shows_its_cost_and_warning(page: GamePage, qtbot: QtBot) -> None:
    press(qtbot, page, at(page, "T0201"))
    goal = free(page.match.view, UnitId(0))[0]
    page.map.hex_hovered.emit(goal)
    assert page.hint.isVisible()
    assert page.hint.text() == "1½ movement points\nCrowded"


def test_a_counter_that_is_named_on_the_card_is_brought_into_sight(page: GamePage, qtbot: QtBot) -> None:
    page.map.zoom_to_scale(4.0)
    page.composer.choose(OptionPick("go"))
    page.show_draft()
    named = [choice for choice in page.composer.choices() if isinstance(choice.pick, UnitPick)]
    assert len(named) > 1
    for choice in named:
        page.composer.reset()
        page.composer.choose(OptionPick("go"))
        page.choose(choice)
        assert choice.place is not None
        centre = page.scene.centre(Hex(choice.place))
        assert page.map.viewport().rect().contains(page.map.mapFromScene(centre.x, centre.y))


def test_an_attack_shows_every_figure_and_rule_before_it_is_given(page: GamePage, qtbot: QtBot) -> None:
    strike = next(i for i, choice in enumerate(page.prompt.keyed, 1) if choice.pick == OptionPick("strike"))
    key(qtbot, page, Qt.Key(Qt.Key.Key_0 + strike))
    press(qtbot, page, at(page, "T0203"))
    target = next(iter(page.composer.offer().picks)).hex
    press(qtbot, page, target)
    assert len(page.match.moments()) == 1
    assert page.side.current == "battle"
    from PySide6.QtWidgets import QLabel

    words = [child.text() for child in page.battle.findChildren(QLabel)]
    assert any('href="rule:4.1"' in word for word in words)
    assert "6 (4) + 0 (4.1) =\u00a06" in [re.sub("<.*?>", "", word) for word in words]
    assert any("0.00–0.50" in word for word in words)
    key(qtbot, page, Qt.Key.Key_Return)
    assert len(page.match.moments()) == 2


def test_a_key_ends_the_phase_and_backspace_takes_it_back(page: GamePage, qtbot: QtBot) -> None:
    key(qtbot, page, Qt.Key.Key_0)
    assert page.match.view.side_to_act() == "red"
    assert re.sub("<.*?>", "", page.prompt.note.text()) == "Left undone: Strike somebody (4), Go (3 stacks), Strike (3 stacks)"
    key(qtbot, page, Qt.Key.Key_Return)
    assert page.match.view.side_to_act() == "blue"
    key(qtbot, page, Qt.Key.Key_Backspace)
    assert page.match.view.side_to_act() == "red"
    key(qtbot, page, Qt.Key.Key_Backspace, modifier=Qt.KeyboardModifier.ShiftModifier)
    assert page.match.view.side_to_act() == "blue"


def test_the_end_of_a_phase_tells_what_comes_of_it_after_what_is_left_undone(page: GamePage, monkeypatch: pytest.MonkeyPatch) -> None:
    here = at(page, "T0303")
    comes = Duty(text("as things stand, red 1 starves"), "9", places=(here,), foreseen=True)
    monkeypatch.setattr(TOY, "duties", lambda view: (comes,))
    page.show_draft()
    assert [task.foreseen for task in page._tasks] == [False, False, True]
    page.choose(next(choice for choice in page.prompt.keyed if choice.pick == OptionPick("end")))
    told = re.sub("<.*?>", "", page.prompt.note.text())
    assert told == "Left undone: Go (3 stacks), Strike (3 stacks). As things stand, red 1 starves (9)"


def test_a_hint_lies_over_nothing_that_the_draft_is_about(battlefield: GamePage, monkeypatch: pytest.MonkeyPatch) -> None:
    page, (here, about) = battlefield, battlefield.match.view.position.occupied()[:2]
    middle, close = QPoint(page.map.width() // 2, page.map.height() // 2), QPoint(70, -10)
    monkeypatch.setattr(page, "concerned", lambda: {about})
    monkeypatch.setattr(page, "_on_screen", lambda one: middle + close if one == about else middle)
    monkeypatch.setattr(page.map, "mapFromScene", lambda x, y: middle)
    page.show_hint(here, "8. Corps is not next to C3229 near Grodno, which it shall attack (8.21)")
    assert page.hint.wordWrap()
    assert page.hint.width() > 4 * page.hint.height(), "two long lines rather than a square"
    assert not page.hint.geometry().contains(middle + close)
    assert not page.hint.geometry().contains(middle)


def test_a_hex_below_a_resting_mouse_need_not_say_why_it_is_closed(battlefield: GamePage) -> None:
    page = battlefield
    play_to(page, "move")
    here = page.composer.able()[OptionPick("move")][0]
    page._hovered(None)
    page.map.centerOn(page.scene.centre(here).x, page.scene.centre(here).y)
    closed = next(
        there for there in map(Hex, range(page.match.setting.board.size)) if page._is_in_sight(there) and there != here
        and page.match.setting.board.distance(here, there) > 5
    )
    page._hovered(closed)
    page.click(here)
    assert closed not in page.composer.ways()
    assert page.hint.isHidden()
    page._hovered(closed)
    assert page.hint.isVisible()


def test_who_is_picked_while_the_last_battle_is_in_front_is_shown_in_the_stack_panel(battlefield: GamePage) -> None:
    page = battlefield
    play_to(page, "move")
    page.side.bring("battle")
    page.click(page.composer.able()[OptionPick("move")][0])
    assert page.side.current == "stack"


def test_what_is_left_undone_is_counted_in_stacks_and_in_targets(battlefield: GamePage) -> None:
    targets = [door.pick for door in battlefield.composer.offer((OptionPick("attack"),)).doors if door.is_open]
    assert all(isinstance(pick, HexPick) for pick in targets)
    assert f"Attack: {len(targets)} targets" in [task.words for task in battlefield._tasks]
    play_to(battlefield, "move")
    able = battlefield.composer.able()[OptionPick("move")]
    assert f"Move: {len(able)} stacks" in [task.words for task in battlefield._tasks]
    assert f"Move ({len(able)} stacks)" in [task.brief for task in battlefield._tasks]


def test_an_undo_that_leads_back_to_another_s_phase_says_whose_it_is(page: GamePage, qtbot: QtBot) -> None:
    told: list[str] = []
    page.said.connect(told.append)
    page.click(at(page, "T0201"))
    page.click(min(page.composer.ways()))
    page.undo()
    assert not told  # the same player in the same phase
    page.match.order(End())
    page.refresh()
    page.undo()
    assert told == ["Turn 1, red again. Red: your decision"]
    page.redo()
    assert told[1:] == ["Turn 1, blue again. Blue: your decision"]


def test_whoever_wants_no_warning_ends_the_phase_at_once(page: GamePage, qtbot: QtBot) -> None:
    page.warns = False
    key(qtbot, page, Qt.Key.Key_0)
    assert page.match.view.side_to_act() == "blue"


def test_everything_can_be_done_without_a_mouse(page: GamePage, qtbot: QtBot) -> None:
    key(qtbot, page, Qt.Key.Key_Space)
    assert page.composer.units()
    unit = page.composer.units()[0]
    start = Hex(page.match.view.unit(unit).place)
    for arrow in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Up):
        page.map.set_cursor(start)
        key(qtbot, page, arrow)
        if page.map.cursor_hex in page.composer.ways():
            break
    assert page.map.cursor_hex in page.composer.ways()
    key(qtbot, page, Qt.Key.Key_Return)
    assert page.match.view.unit(unit).place == page.map.cursor_hex


def test_space_stays_with_the_order_that_was_chosen_and_with_none_that_was_not(page: GamePage, qtbot: QtBot) -> None:
    strike, end = (OptionPick("strike"), OptionPick("end"))
    keys = {choice.pick: Qt.Key(Qt.Key.Key_0 + i) for i, choice in enumerate(page.prompt.keyed, 1)}
    key(qtbot, page, keys[strike], Qt.Key.Key_Space)
    first = page.composer.units()
    assert page.composer.picks[0] == strike
    key(qtbot, page, Qt.Key.Key_Space)
    assert page.composer.picks[0] == strike
    assert page.composer.units() != first
    key(qtbot, page, Qt.Key.Key_Escape, Qt.Key.Key_Escape, Qt.Key.Key_Escape, Qt.Key.Key_Space)
    assert page.composer.picks[0] == OptionPick("go")
    page.composer.reset()
    page.show_draft()
    key(qtbot, page, keys[end], Qt.Key.Key_Space)  # what begins with no hex is no order to go round with
    assert page.composer.picks[0] == OptionPick("go")


def test_escape_goes_one_step_back_at_a_time(page: GamePage, qtbot: QtBot) -> None:
    press(qtbot, page, at(page, "T0201"))
    key(qtbot, page, Qt.Key.Key_Escape)
    assert not page.composer.picks
    assert page.selected_hex is not None
    key(qtbot, page, Qt.Key.Key_Escape)
    assert page.selected_hex is None


def test_shift_and_escape_go_all_steps_back_at_once(page: GamePage, qtbot: QtBot) -> None:
    press(qtbot, page, at(page, "T0201"))
    page.composer.click(at(page, "T0202"))
    assert page.composer.clicks > 1
    page.map.set_cursor(at(page, "T0202"))
    page.scene.fan(at(page, "T0201"))
    qtbot.keyClick(page.map, Qt.Key.Key_Escape, Qt.KeyboardModifier.ShiftModifier)
    assert (page.composer.picks, page.selected_hex, page.map.cursor_hex, page.scene.fanned) == ((), None, None, None)


def test_the_bot_answers_from_its_thread(window: MainWindow, new_match: Maker, qtbot: QtBot) -> None:
    window.show_match(new_match(blue="random"))
    page = window.game
    assert page is not None
    page.match.order(End())
    page.refresh()
    qtbot.waitUntil(lambda: page.match.may_act)
    assert any(moment.side == "blue" for moment in page.match.moments())


def test_two_bots_play_a_whole_game_in_the_window(window: MainWindow, new_match: Maker, qtbot: QtBot) -> None:
    window.show_match(new_match(red="random", blue="random"))
    page = window.game
    assert page is not None
    qtbot.waitUntil(lambda: page.match.view.position.outcome is not None)
    page.refresh()
    assert page.prompt.heading.text() == "most steps"


# ---------------------------------------------------------------- time


def test_the_slider_goes_through_the_whole_game_both_ways(page: GamePage, qtbot: QtBot) -> None:
    for _ in range(4):
        page.match.order(End())
    page.refresh()
    strip = page.timeline.strip
    for index in (0, 3, 1, 4, 2):
        where = QPoint(round(strip.x_of(index)), strip.height() // 2)
        qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=where)
        assert page.match.cursor == index
        assert page.frame.isVisible() == (index != 4)


def test_in_the_past_no_order_can_leave_and_ctrl_end_returns(page: GamePage, qtbot: QtBot) -> None:
    page.match.order(End())
    page.refresh()
    key(qtbot, page, Qt.Key.Key_Comma)
    assert not page.match.is_live
    assert not page.prompt.isVisible()
    press(qtbot, page, at(page, "T0201"))
    assert not page.composer.picks
    key(qtbot, page, Qt.Key.Key_End, modifier=Qt.KeyboardModifier.ControlModifier)
    assert page.match.is_live


def test_keys_step_by_phase_and_turn(page: GamePage) -> None:
    for _ in range(4):
        page.match.order(End())
    page.refresh()
    page.time.seek(0)
    page.time.step_to_change(1, what="phase")
    assert page.match.cursor == 1
    page.time.step_to_change(1, what="turn")
    assert page.match.moments()[page.match.cursor].turn == 2
    page.time.step_to_change(-1, what="turn")
    assert page.match.cursor == 0


def test_a_game_file_opens_on_its_first_entry(window: MainWindow, new_match: Maker, tmp_path: Path, qtbot: QtBot) -> None:
    match = new_match()
    match.order(End())
    file = tmp_path / "g.rasputitsa"
    file.write_bytes(match.to_bytes())
    window.watch(file)
    page = opened(window, qtbot)
    assert isinstance(page.match, FileMatch)
    assert page.match.cursor == 0


def test_a_bad_file_says_all_its_faults_in_the_window(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    file = tmp_path / "bad.rasputitsa"
    file.write_bytes(b"nothing of ours")
    window.watch(file)
    assert "expected" in failed_to_open(window, qtbot)
    assert window.game is None
    assert window.notice.isVisible()
    window.watch(tmp_path / "missing.rasputitsa")
    assert "missing" in failed_to_open(window, qtbot)


# ---------------------------------------------------------------- map


def test_the_wheel_zooms_by_steps_and_hexes_stay_under_the_mouse(page: GamePage) -> None:
    before = page.map.scale_now()
    page.map.zoom_by(1)
    assert page.map.scale_now() == pytest.approx(before * 2**0.25)
    page.map.zoom_by(-100)
    assert page.map.scale_now() == pytest.approx(ZOOM_STEPS[0])
    for here in map(Hex, range(page.match.setting.board.size)):
        centre = page.scene.centre(here)
        assert page.map.hex_at(page.map.mapFromScene(centre.x, centre.y)) == here


@pytest.mark.parametrize("step", [2, 6, 12, 16, 20])
def test_the_map_paints_at_every_level(page: GamePage, step: int) -> None:
    page.map.zoom_to(step)
    image = page.map.grab().toImage()
    assert not image.isNull()
    colours = {image.pixelColor(x, y).name() for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)}
    assert page.palette_.paper.lower() in colours


def test_dragging_moves_the_map_and_picks_nothing(page: GamePage, qtbot: QtBot) -> None:
    page.map.zoom_to(len(ZOOM_STEPS) - 1)
    view, start = page.map, QPoint(300, 300)
    before = view.mapToScene(start)
    qtbot.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(view.viewport(), start + QPoint(-40, -30))
    qtbot.mouseMove(view.viewport(), start + QPoint(-80, -60))
    qtbot.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=start + QPoint(-80, -60))
    assert view.mapToScene(start) != before
    assert not page.composer.picks


def test_g_goes_to_a_hex_by_number_or_name(page: GamePage, qtbot: QtBot) -> None:
    assert find_hex(page.match, "0304") == at(page, "T0304")
    assert find_hex(page.match, "nowhere") is None
    key(qtbot, page, Qt.Key.Key_G)
    assert page.goto.isVisible()
    qtbot.keyClicks(page.goto, "0304")
    qtbot.keyClick(page.goto, Qt.Key.Key_Return)
    assert page.map.cursor_hex == at(page, "T0304")
    assert not page.goto.isVisible()


def test_a_spread_stack_gives_each_counter_to_the_mouse(page: GamePage) -> None:
    from core.events import Placed
    from core.fold import fold

    position = page.match.view.position
    here = at(page, "T0201")
    for _ in range(3):
        fold(position, Placed(UnitId(position.next_unit), "red_pawn", "x", here, 2))
    page.refresh()
    page.scene.fan(here)
    units = position.at(here)
    for unit in units:
        pos = page.scene.counters[unit].pos()
        assert page.scene.unit_at(pos.x(), pos.y()) == unit
    page.scene.fan(None)
    assert page.scene.unit_at(pos.x(), pos.y()) is None


def test_a_counter_glides_to_its_hex_and_lies_there_in_the_end(page: GamePage, qtbot: QtBot) -> None:
    goal = free(page.match.view, UnitId(0))[0]
    press(qtbot, page, at(page, "T0201"))
    press(qtbot, page, goal)
    centre = page.scene.centre(goal)
    qtbot.waitUntil(lambda: page.scene.counters[UnitId(0)].pos().toTuple() == pytest.approx((centre.x, centre.y)))


def test_a_click_on_the_small_map_goes_there(page: GamePage, qtbot: QtBot) -> None:
    page.map.zoom_to(len(ZOOM_STEPS) - 1)
    small = page.minimap
    here = at(page, "T0505")
    centre, bounds = page.scene.centre(here), page.scene.ground.bounds
    share = (centre.x - bounds.left()) / bounds.width(), (centre.y - bounds.top()) / bounds.height()
    qtbot.mouseClick(small, Qt.MouseButton.LeftButton, pos=QPoint(round(share[0] * small.width()), round(share[1] * small.height())))
    assert page.map.hex_at(page.map.viewport().rect().center()) == here


def test_overlays_come_from_the_ruleset(page: GamePage) -> None:
    page.toggle_overlay("zone")
    assert sorted(page.scene.overlays) == ["zone blue", "zone red"]
    page.toggle_overlay("zone", "red")
    assert sorted(page.scene.overlays) == ["zone blue"]


# ---------------------------------------------------------------- the window itself


@pytest.mark.parametrize("theme", PALETTES)
def test_every_theme_can_be_put_on_in_a_game(window: MainWindow, page: GamePage, qtbot: QtBot, theme: str) -> None:
    window.set_theme(theme)
    assert page.palette_.name == theme
    assert not window.updatesEnabled(), "half of the window in other colours would flash"
    qtbot.waitUntil(window.updatesEnabled)
    assert window.styleSheet() == sheet(PALETTES[theme])
    assert window._start is None
    image = page.map.grab().toImage()
    colours = {image.pixelColor(x, y).name() for x in range(0, image.width(), 5) for y in range(0, image.height(), 5)}
    assert PALETTES[theme].paper.lower() in colours


def test_every_action_has_a_key_and_a_tooltip_that_names_it(window: MainWindow, page: GamePage) -> None:
    actions = [action for action in window.findChildren(QAction) if action.text() and action.menu() is None]
    assert len(actions) > 30
    for action in actions:
        keys = action.shortcut().toString()
        assert keys, action.text()
        assert "(" in action.toolTip(), action.text()


def test_no_two_actions_share_a_key(window: MainWindow, page: GamePage) -> None:
    keys = [one.toString() for action in window.findChildren(QAction) for one in action.shortcuts()]
    assert sorted(keys) == sorted(set(keys))


@pytest.mark.parametrize(("width", "folded"), [(1920, False), (1280, True)])
def test_the_side_panel_folds_to_a_rail_in_a_narrow_window(window: MainWindow, page: GamePage, width: int, folded: bool) -> None:
    window.resize(width, 800)
    page.lay_out()
    assert page.rail.isVisible() == folded
    if not folded:
        assert page.map.width() * page.map.height() >= 0.7 * page.width() * page.height()
    else:
        page.side.hide()
        page.rail.wanted.emit("log")
        assert page.side.isVisible()


def test_no_panel_scrolls_sideways(page: GamePage, qtbot: QtBot) -> None:
    press(qtbot, page, at(page, "T0201"))
    for panel in (page.stack, page.battle, page.todo):
        assert panel.widget().minimumSizeHint().width() <= panel.viewport().width()


def test_a_game_is_saved_when_it_is_left_and_listed_on_the_start_page(window: MainWindow, page: GamePage, qtbot: QtBot) -> None:
    page.match.order(End())
    window.show_start()
    assert window.game is None
    qtbot.waitUntil(lambda: "Go on" in buttons(window.start))
    window.saver.wait()
    assert list(window.folder.glob("*.png"))
    window.resume(next(window.folder.glob("*.rasputitsa")))
    assert len(opened(window, qtbot).match.moments()) == 2


@pytest.mark.parametrize(("width", "height"), [(1600, 960), (1400, 860)])
def test_the_start_page_is_seen_whole_with_a_game_to_go_on_with(
    window: MainWindow, page: GamePage, qtbot: QtBot, width: int, height: int
) -> None:
    window.resize(width, height)
    page.match.order(End())
    window.show_start()
    qtbot.waitUntil(lambda: "Go on" in buttons(window.start))
    window.saver.wait()
    qtbot.waitUntil(lambda: window.start.verticalScrollBar().maximum() == 0)


def test_costs_are_written_with_their_fractions() -> None:
    assert [quarters(n) for n in (0, 1, 2, 4, 7, 10)] == ["0", "¼", "½", "1", "1¾", "2½"]


# -------------------------------------------------------------------- what a stranger stumbled over


class Shown(QObject):
    """Notes each widget that is shown as a window of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.windows: list[QWidget] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.windows.append(watched)
        return False


def test_opening_a_game_shows_no_other_window_for_a_moment(window: MainWindow, new_match: Maker) -> None:
    app, shown = QApplication.instance(), Shown()
    assert app is not None
    app.installEventFilter(shown)
    window.show_match(new_match())
    app.removeEventFilter(shown)
    assert [type(one).__name__ for one in shown.windows] == []


@pytest.mark.parametrize("screen", [QSize(1366, 728), QSize(1280, 800), QSize(1920, 1040)])
def test_the_window_first_opens_within_the_screen(screen: QSize) -> None:
    size = first_size(screen)
    assert size.width() < screen.width()
    assert size.height() < screen.height()
    assert size.boundedTo(QSize(1600, 960)) == size


def test_a_hex_that_was_picked_stays_marked_and_named_until_the_order_is_given(page: GamePage) -> None:
    view = page.match.view
    pawn = next(unit.id for unit in view.position.on_map() if view.side(unit.id) == view.side_to_act() and free(view, unit.id))
    here = next(iter(free(view, pawn)))
    for pick in (OptionPick("go"), UnitPick(pawn), HexPick(here)):
        page.composer.choose(pick)
    page.show_draft()
    centre = page.scene.centre(here)
    assert page.composer.is_complete
    assert view.board.name(here) in page.prompt.words.text()
    assert any(ring.boundingRect().center() == QPointF(centre.x, centre.y) for ring in page.scene.marks._open)


@pytest.mark.parametrize("words", ["C3331 is not next to Suwalki (C3129) (5.21a)", "MMMMMMMMMM WWWWWWWWWW MMMMMMMM (8.1)", "Short (1.1)"])
def test_no_hint_loses_its_end(page: GamePage, words: str) -> None:
    page.show_hint(at(page, "T0303"), words)
    room = page.hint.contentsRect()
    needed = page.hint.fontMetrics().boundingRect(room, int(Qt.TextFlag.TextWordWrap) if page.hint.wordWrap() else 0, words)
    assert needed.width() <= room.width()
    assert needed.height() <= room.height()


def test_a_closed_choice_says_why_when_it_is_pressed(page: GamePage, qtbot: QtBot) -> None:
    closed = Choice(OptionPick("strike"), text("strike"), Refused("4", text("nobody is near")), None)
    page.prompt.show_prompt(heading="Now", words="", rule="", choices=[closed])
    made = next(one for one in page.prompt.findChildren(QPushButton) if one.isVisible() and one.text() == "Strike")
    assert made.toolTip() == "Nobody is near (4)"
    qtbot.mouseClick(made, Qt.MouseButton.LeftButton)
    assert page.prompt.note.text().startswith("Nobody is near")
    assert not page.composer.picks


@pytest.mark.parametrize("kind", ["", "primary", "tab", "chip", "tool", "line", "live", "back", "closed"])
def test_a_button_reached_by_keys_is_marked_at_its_edge_and_keeps_face_and_size(window: MainWindow, qtbot: QtBot, kind: str) -> None:
    first, made = (button("Words", lambda: None, name=name) for name in ("", kind))
    holder = QWidget(window)
    holder.setLayout(row(first, made))
    holder.resize(400, 80)
    holder.show()
    first.setFocus(Qt.FocusReason.TabFocusReason)
    size, before = made.sizeHint(), made.grab().toImage()
    qtbot.keyClick(first, Qt.Key.Key_Tab)
    assert made.hasFocus()
    after = made.grab().toImage()
    inside = [(x, before.height() // 2) for x in range(before.width() // 8, before.width() // 4)]
    assert {after.pixelColor(*at).name() for at in inside} == {before.pixelColor(*at).name() for at in inside}
    assert after != before
    assert made.sizeHint() == size
