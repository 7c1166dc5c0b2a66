"""What whoever plays for the first time stumbles over: keys after a click, words that mislead, what is out of sight."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QAction, QColor, QPainter, QPixmap, QShortcut
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit
from pytestqt.qtbot import QtBot

from client import reading
from client.game import GamePage
from client.helping import about, by_cards, of_menus
from client.learning.card import LessonCard
from client.map.counters import MARGIN
from client.map.palette import LIGHT
from client.meeting.hall import Hall
from client.meeting.newgame import NewGameForm
from client.panels.card import WordsCard
from client.panels.netbar import NetBar
from client.panels.progress import ProgressCard
from client.panels.timeline import fitting
from client.qt import QEvent, QObject, QPoint, QRect, QSize, Qt
from client.saved_games import Picture
from client.session.composing import Clicked, Composer
from client.session.saved import SavedMatch
from client.table import ABOUT
from client.window import MainWindow, teller_of_errors
from core import lessons
from core.board import Hex
from core.errors import Refused
from core.events import Placed
from core.fold import fold
from core.lessons import LessonStep
from core.options import Door, offer
from core.orders import HexPick, OptionPick, UnitPick
from core.ruleset import OrderKind, Way
from core.text import text
from core.units import UnitId
from rasputitsa.packs import load_pack
from tests.client.conftest import delete, failed_to_open, middle, opened
from tests.toy.ruleset import Act, Strike

Maker = Callable[..., SavedMatch]


def at(match: SavedMatch, label: str) -> Hex:
    return match.setting.board.hex(label)


def test_what_stands_beside_the_map_is_still_to_be_done(battlefield: GamePage) -> None:
    page = battlefield
    page.undo()  # to before no more fleets were placed
    page.warns = True
    assert "Place an air fleet: 1 beside the map" in [task.words for task in page._tasks]
    none = next(choice for choice in page.prompt.keyed if choice.pick == OptionPick("end_fleets"))
    page.choose(none)
    assert re.sub("<.*?>", "", page.prompt.note.text()) == "Left undone: Place an air fleet (1)"


# ---------------------------------------------------------------- keys


def test_a_click_on_a_button_leaves_enter_to_the_order(window: MainWindow, new_match: Maker, qtbot: QtBot) -> None:
    window.show_match(new_match())
    page = window.page()
    page.choose(next(choice for choice in page.prompt.keyed if choice.pick == OptionPick("strike")))
    page.click(page.match.setting.board.hex("T0203"))
    page.click(next(pick.hex for pick in page.composer.offer().picks if isinstance(pick, HexPick)))
    assert page.composer.is_complete
    page.map.setFocus()
    qtbot.mouseClick(page.overlay_buttons["zone"], Qt.MouseButton.LeftButton)
    before = len(page.match.moments())
    qtbot.keyClick(page.map, Qt.Key.Key_Return)
    assert len(page.match.moments()) > before


def test_escape_leaves_a_search_so_that_keys_mean_the_map_again(window: MainWindow, new_match: Maker, qtbot: QtBot) -> None:
    window.show_match(new_match())
    page = window.page()
    page.search_rules()
    field = QApplication.focusWidget()
    assert isinstance(field, QLineEdit)
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert QApplication.focusWidget() is page.map


def test_the_usual_keys_of_other_programs_undo_and_redo(window: MainWindow, new_match: Maker, qtbot: QtBot) -> None:
    window.show_match(new_match())
    page = window.page()
    page.choose(next(choice for choice in page.prompt.keyed if choice.pick == OptionPick("end")))
    page.give()
    there = page.match.cursor
    assert there > 0
    qtbot.keyClick(page.map, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert page.match.cursor < there
    qtbot.keyClick(page.map, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert page.match.cursor == there


SHIFTED = dict(zip(",./;'[]-=1234567890", '<>?:"{}_+!@#$%^&*()', strict=True))  # on the commonest keyboard


def test_no_key_with_shift_is_given_twice_by_its_two_names(window: MainWindow, new_match: Maker) -> None:
    window.show_match(new_match())
    keys = [key.toString() for action in window.findChildren(QAction) for key in action.shortcuts()]
    assert "Shift+," in keys
    twice = [key for key in keys if key.removeprefix("Shift+") in SHIFTED and key.startswith("Shift+") and SHIFTED[key[-1]] in keys]
    assert twice == [], "Qt finds both and does neither"


def test_every_action_with_a_key_is_listed_under_its_menu(window: MainWindow) -> None:
    window.errands.show_keys()
    assert window.errands.keys is not None
    told = window.errands.keys.text.toPlainText()
    listed = dict(of_menus(window.menuBar()))
    assert ("Ctrl+W", "Start page") in listed["Game"]
    assert any(words == "Theme: Dark" for _, words in listed["View"]), "what lies in a submenu is listed too, by its name"
    for rows in listed.values():
        for key, words in rows:
            assert key in told
            assert words in told
    window.errands.keys.close()


def test_every_key_of_a_digit_that_does_something_is_listed(window: MainWindow, new_match: Maker) -> None:
    window.show_match(new_match())
    bound = {key.key().toString() for key in window.page().findChildren(QShortcut)} & set("0123456789")
    ranges = [key.split(" – ") for key, _ in by_cards()[1] if key[0].isdigit()]
    assert bound == {str(digit) for ends in ranges for digit in range(int(ends[0]), int(ends[-1]) + 1)}


def test_the_program_says_its_version_and_what_it_does_not_hold(window: MainWindow) -> None:
    window.errands.show_about()
    assert window.notice.lines.text().startswith("Version ")
    assert "MIT" in window.notice.lines.text()
    assert about()


# ---------------------------------------------------------------- words that mislead


def test_a_counter_that_is_barred_is_no_answer_for_the_stack_it_lies_in(new_match: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    match = new_match()
    here, target = at(match, "T0201"), at(match, "T0303")
    guns = UnitId(20)
    fold(match.match.view.position, Placed(guns, "red_pawn", "9", here, 2))
    doors = [Door(HexPick(target)), Door(UnitPick(guns), Refused("8", text("these guns do not attack")))]  # targets first
    aim = OrderKind(Strike, text("Aim"), "6", lambda view, draft: offer(doors), lambda game, order: iter(()))
    monkeypatch.setitem(match.setting.ruleset.orders, "strike", aim)
    monkeypatch.setattr(Act, "orders", ("strike", "end"))
    composer = Composer(match)
    assert composer.click(here) is Clicked.NOTHING
    assert composer.refused is None
    doors.append(Door(UnitPick(UnitId(0)), Refused("8", text("this pawn has attacked"))))
    composer.reset()
    assert composer.click(here) is Clicked.REFUSED, "none of the stack can come into it: that is told"


def test_neither_a_target_nor_its_attackers_are_told_why_they_cannot_be_picked(new_match: Maker) -> None:
    match = new_match()
    composer = Composer(match)
    composer.choose(OptionPick("strike"))
    composer.click(at(match, "T0203"))
    target = next(pick.hex for pick in composer.offer().picks if isinstance(pick, HexPick))
    assert composer.click(target) is Clicked.PICKED
    assert composer.why_not(target) is None
    assert composer.why_not(at(match, "T0203")) is None


def test_a_click_on_a_stack_shows_its_counters_even_where_it_can_do_nothing(window: MainWindow, new_match: Maker) -> None:
    window.show_match(new_match())
    page = window.page()
    enemy = next(here for here in page.match.view.position.occupied() if page.match.view.side_at(here, "blue"))
    page.click(enemy)
    assert page.side.current == "stack"


def test_escape_lets_go_of_a_stack_that_was_only_looked_at(page: GamePage, monkeypatch: pytest.MonkeyPatch) -> None:
    here = page.match.setting.board.hex("T0201")
    monkeypatch.setattr(page.composer, "_begin", lambda *_: False)  # as where orders begin with a target
    page.click(here)
    assert page.composer.standby == here
    page.step_back()
    assert page.composer.standby is None


def test_a_step_that_was_read_before_is_gone_on_from_and_not_skipped(qapp: object, qtbot: QtBot) -> None:
    card = LessonCard(None)  # type: ignore[arg-type]
    qtbot.addWidget(card)
    tall, low = LessonStep("Long", "word " * 40), LessonStep("Short", "Press Enter.")
    card.show_step(low, 1, 3, waits=False)
    assert card.on.text() == "Go on"
    height = card.height()
    card.show_step(tall, 1, 3, waits=True)
    assert card.on.text() == "Skip this"
    assert card.height() == height, "the buttons stay where they were"


def test_an_advance_that_costs_nothing_shows_no_cost() -> None:
    free = {Hex(3): Way(Hex(3), (Hex(3),), 0, None)}
    assert [reached.cost for reached in reading.reachable(free).values()] == [""]
    assert [reached.cost for reached in reading.reachable({Hex(3): Way(Hex(3), (Hex(3),), 8, None)}).values()] == ["2"]


def test_the_file_that_cannot_be_opened_is_called_so_in_plain_words_first(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    broken = tmp_path / "broken.rasputitsa"
    broken.write_bytes(b"garbage")
    window.watch(broken)
    assert window.cursor().shape() == Qt.CursorShape.BusyCursor
    assert failed_to_open(window, qtbot).startswith("It is damaged, or no game of Rasputitsa.")
    assert window.cursor().shape() == Qt.CursorShape.ArrowCursor


def test_no_battle_that_way_is_called_by_its_name(window: MainWindow, new_match: Maker) -> None:
    window.show_match(new_match())
    said: list[str] = []
    window.page().said.connect(said.append)
    window.page().time.step_to_change(1, what="battle")
    window.page().time.step_to_change(1, what="bookmark")
    assert said == ["No battle lies that way", "No bookmark lies that way"]


# ---------------------------------------------------------------- what is out of sight


def test_a_narrow_turn_still_shows_its_number() -> None:
    name = "22 · Nov 1942, snow"
    widths = {name: 150.0, "22 · Nov 1942": 100.0, "22 · Nov": 60.0, "22": 16.0}
    told = [fitting(name, widths.__getitem__, room) for room in (200.0, 120.0, 70.0, 40.0, 8.0)]
    assert told == [name, "22 · Nov 1942", "22 · Nov", "22", ""]
    assert fitting("3 · 1942", {"3 · 1942": 50.0, "3": 8.0}.__getitem__, 40.0) == "3"


def test_other_sizes_of_text_leave_the_map_where_it_was(window: MainWindow, new_match: Maker, qtbot: QtBot) -> None:
    window.show_match(new_match())
    window.page().map.zoom_by(2)
    before = window.page().map.sight()
    window.looks.change_text(10)
    qtbot.waitUntil(lambda: window.page().map.sight().scale == pytest.approx(before.scale))
    after = window.page().map.sight()
    window.looks.set_text(100)
    assert (after.middle - before.middle).manhattanLength() * before.scale < 120, "only what the panels took differs"


def test_the_game_played_last_can_be_gone_on_with_beside_the_button_that_begins_one(
    window: MainWindow, new_match: Maker, qtbot: QtBot
) -> None:
    assert window.start.last.isHidden()
    window.show_match(new_match())
    window.show_start()
    qtbot.waitUntil(lambda: not window.start.last.isHidden())
    assert window.start.last.text().startswith("Go on: ")
    with qtbot.waitSignal(window.start.resume_wanted):
        qtbot.mouseClick(window.start.last, Qt.MouseButton.LeftButton)


def test_files_are_written_where_the_last_one_was(window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def ask(parent: object, caption: str, name: str, kinds: str) -> tuple[str, str]:
        asked.append(name)
        return str(tmp_path / "one.png"), kinds

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
    assert window.errands.ask_where("Save", "map.png", "*") == tmp_path / "one.png"
    window.errands.ask_where("Save", "game.html", "*")
    assert Path(asked[1]) == tmp_path / "game.html"
    assert Path(asked[0]).is_absolute()


def test_a_copy_is_offered_under_the_name_of_its_scenario_and_among_what_is_at_home_where_there_are_no_documents(
    window: MainWindow, new_match: Maker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def ask(parent: object, caption: str, name: str, kinds: str) -> tuple[str, str]:
        asked.append(name)
        return "", kinds

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
    monkeypatch.setattr("platformdirs.user_documents_path", lambda: tmp_path / "none")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    window.show_match(new_match())
    window.save_copy()
    window.errands.save_page()
    window.save_picture()
    window.errands.save_turn()
    assert [Path(one).name for one in asked] == [
        "duel-turn-1.rasputitsa", "duel-turn-1.html", "duel-turn-1.png", "duel-turn-1-moving.png"
    ]
    assert {Path(one).parent for one in asked} == {tmp_path}


def test_the_seats_of_a_new_game_begin_below_one_another(qapp: object, qtbot: QtBot) -> None:
    form = NewGameForm([load_pack("war_for_the_motherland")])
    qtbot.addWidget(form)
    form.resize(800, 600)
    form.show()
    qtbot.waitExposed(form)
    places = [edit.mapTo(form, QPoint(0, 0)) for edit in form.seats.values()]
    assert len({place.x() for place in places}) == 1
    assert len({place.y() for place in places}) == len(places) == 2


def test_a_new_game_on_a_server_is_the_shortest_scenario_like_that_of_the_start_page(qapp: object, qtbot: QtBot) -> None:
    form = NewGameForm([load_pack("war_for_the_motherland")])
    qtbot.addWidget(form)
    assert form.scenario.currentText().startswith("Turning Point")


def test_only_options_that_change_something_in_a_scenario_are_asked_for(qapp: object, qtbot: QtBot) -> None:
    files = load_pack("war_for_the_motherland")
    form = NewGameForm([files])
    qtbot.addWidget(form)
    form.show()
    scenarios = [form.scenario.itemData(i)[1] for i in range(form.scenario.count())]
    asked = {}
    for scenario in ("turning_point", "war_for_the_motherland"):
        form.scenario.setCurrentIndex(scenarios.index(scenario))
        asked[scenario] = {name for name, chooser in form.options.items() if not chooser.parentWidget().isHidden()}
    everything = {option.id for option in files.manifest.option}
    assert asked == {"war_for_the_motherland": everything, "turning_point": everything - {"without_north", "north_sea_supply"}}
    north = form.options["without_north"]
    north.setCurrentIndex(north.findData(True))
    assert form.chosen_options() == {"without_north": True}
    form.scenario.setCurrentIndex(scenarios.index("turning_point"))
    assert form.chosen_options() == {}


def test_a_scenario_that_is_called_as_its_game_is_named_once(qapp: object, qtbot: QtBot) -> None:
    form = NewGameForm([load_pack("war_for_the_motherland")])
    qtbot.addWidget(form)
    assert "War for the Motherland" in [form.scenario.itemText(i) for i in range(form.scenario.count())]


def test_who_hosts_without_a_name_is_asked_for_one(window: MainWindow, qtbot: QtBot) -> None:
    window.join()
    window.lobby.name.clear()
    window.lobby._hosted("rasputitsa://127.0.0.1:5757/73aufbtt62x6retewoahgrformtj2es2ka4fkibgq7nvu4jik6pq")
    assert window.lobby.link is None
    assert QApplication.focusWidget() is window.lobby.name
    assert "name" in window.lobby.door.state.text()


def test_in_a_narrow_window_the_lesson_stands_beside_the_panel_that_opens_over_the_map(
    qapp: object, qtbot: QtBot, tmp_path: Path
) -> None:
    files = load_pack("war_for_the_motherland")
    window = MainWindow([files], folder=tmp_path)
    window.resize(1366, 720)
    window.show()
    qtbot.waitExposed(window)
    window.errands.learn(files, lessons.names(files)[0])
    page, guide = opened(window, qtbot), window.errands.guide
    assert guide is not None
    page.open_side("stack")
    page.happened.emit()
    qtbot.waitUntil(lambda: not guide._looking.isActive())
    side = page.side.geometry().translated(page.map.mapFrom(page, QPoint(0, 0)))
    assert page.side.isVisible()
    assert not guide.card.geometry().intersects(side)
    window.close()
    delete(window)


def test_the_card_stays_in_its_place_unless_it_hides_what_it_asks_about(
    window: MainWindow, new_match: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.show_match(new_match())
    page = window.page()
    page.place_cards()
    home, under = page.prompt.pos(), page.prompt.geometry().center()
    weights = {Hex(number): ABOUT - 1 for number in range(12)}
    monkeypatch.setattr(page, "worth_seeing", lambda: weights)
    monkeypatch.setattr(page, "_on_screen", lambda here: under if here in weights else QPoint(-500, -500))
    page.place_cards()
    assert page.prompt.pos() == home, "neither reach nor what is selected moves it"
    weights[Hex(1)] = ABOUT
    page.place_cards()
    assert page.prompt.pos() != home
    assert not page.prompt.geometry().contains(under)
    del weights[Hex(1)]
    page.place_cards()
    assert page.prompt.pos() == home


@pytest.mark.parametrize("percent", [100, 150])
def test_no_card_lies_over_the_panel_of_a_narrow_window(battlefield: GamePage, monkeypatch: pytest.MonkeyPatch, percent: int) -> None:
    window = battlefield.window()
    assert isinstance(window, MainWindow)
    window.resize(1280, 720)
    window.looks.set_text(percent)
    page = window.page()
    page.open_side("battle")
    side = page.side.geometry().translated(page.map.mapFrom(page, QPoint(0, 0)))
    assert page.side.isVisible()
    for asked in (QPoint(-500, -500), page.prompt.geometry().center()):  # in its place, and where it goes from there
        monkeypatch.setattr(page, "worth_seeing", lambda: {Hex(0): ABOUT})
        monkeypatch.setattr(page, "_on_screen", lambda here, asked=asked: asked)
        page.place_cards()
        assert not page.prompt.geometry().intersects(side)
    window.looks.set_text(100)


def test_an_error_on_another_thread_is_told_by_the_window_on_its_own(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    tell = teller_of_errors(window, lambda error: tmp_path / "crash.txt")
    shown_on: list[threading.Thread] = []
    window.notice.installEventFilter(Watcher(window, shown_on))
    thread = threading.Thread(target=lambda: tell(ValueError, ValueError("no such map"), None))
    thread.start()
    thread.join()
    assert not window.notice.isVisible(), "nothing is shown from there"
    qtbot.waitUntil(window.notice.isVisible)
    assert window.notice.lines.text() == f"ValueError: no such map\nThe report is in {tmp_path / 'crash.txt'}"
    assert set(shown_on) == {threading.main_thread()}


class Watcher(QObject):
    """Notes on which threads a widget is shown."""

    def __init__(self, parent: QObject, seen: list[threading.Thread]) -> None:
        super().__init__(parent)
        self.seen = seen

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show:
            self.seen.append(threading.current_thread())
        return False


def test_a_picture_of_a_high_map_is_cut_about_its_middle(qapp: object, qtbot: QtBot) -> None:
    high = QPixmap(100, 300)
    high.fill(QColor("red"))
    painter = QPainter(high)
    painter.fillRect(0, 100, 100, 100, QColor("blue"))
    painter.end()
    picture = Picture(LIGHT, QSize(100, 100))
    qtbot.addWidget(picture)
    picture.show_pixmap(high)
    seen = picture.grab().toImage()
    assert [QColor(seen.pixel(50, y)).name() for y in (10, 50, 90)] == ["#0000ff"] * 3


def test_no_words_stand_for_a_hex_that_the_map_left_behind(battlefield: GamePage) -> None:
    page = battlefield
    page.composer.choose(OptionPick("end_combat"))
    page.give()
    page.next_stack()
    assert page.composer.units()
    far = next(Hex(here) for here in reversed(range(page.match.setting.board.size)) if page.composer.why_not(Hex(here)) is not None)
    page.map.show_hex(far)
    page._hovered(far)
    assert page.hint.isVisible()
    page.next_stack()
    assert not page.map.viewport().rect().contains(middle(page, far))
    assert page.hint.isHidden()


def test_a_line_of_the_window_lies_below_what_the_table_asks(window: MainWindow, page: GamePage) -> None:
    card = WordsCard(page.map)
    card.move((page.map.width() - card.width()) // 2, 14)
    card.appear("Somebody asks to go back", "Two orders")
    window.notice.say("Somebody: Hello")
    asked = QRect(card.mapTo(window, QPoint(0, 0)), card.size())
    assert not asked.intersects(window.notice.geometry())
    card.hide()
    window.notice.say("Somebody: Hello")
    assert window.notice.y() < asked.bottom()


def test_words_of_the_window_lie_below_the_band_that_tells_of_the_line(window: MainWindow, page: GamePage) -> None:
    band = NetBar(page)
    band.tell("No line to the server", mood="bad")
    page.prompt.hide()  # else the words lie below it anyway
    window.notice.choose("The server of this computer has ended", ["All games are kept"], [("Not now", lambda: None)])
    assert not QRect(band.mapTo(window, QPoint(0, 0)), band.size()).intersects(window.notice.geometry())
    band.tell("")
    window.notice.hide()


def test_words_of_the_window_lie_below_the_card_that_asks_for_an_order(window: MainWindow, page: GamePage) -> None:
    window.resize(960, 900)
    page.prompt.show_prompt(heading="Attack, or end the combat phase", words="", rule="", choices=())
    page.place_cards()
    page.prompt.move(200, 10)
    window.notice.tell("This file can't be read", ["It is no game"])
    asked = QRect(page.prompt.mapTo(window, QPoint(0, 0)), page.prompt.size())
    assert window.notice.x() < asked.right()
    assert window.notice.y() > asked.bottom()
    window.notice.hide()


def test_what_takes_long_tells_so_above_a_card_that_asks(window: MainWindow, page: GamePage) -> None:
    working = ProgressCard(window, "The web page is being drawn", lambda: None)
    page.prompt.show_prompt(heading="Attack, or end the combat phase", words="", rule="", choices=())
    page.prompt.move(page.map.mapFrom(window, working.pos()))
    asked = QRect(page.prompt.mapTo(window, QPoint(0, 0)), page.prompt.size())
    assert asked.intersects(working.geometry()), "it came while the work was under way"
    working.tell(0.5)
    assert not asked.intersects(working.geometry())
    page.prompt.hide()
    working.tell(0.6)
    assert working.geometry().intersects(asked), "where it was at first"


def test_the_tab_that_is_pressed_has_the_keys_that_another_had(qtbot: QtBot) -> None:
    hall = Hall([], LIGHT)
    qtbot.addWidget(hall)
    hall.show()
    hall.tabs["games"].setFocus()
    qtbot.waitUntil(hall.tabs["games"].hasFocus)
    qtbot.mouseClick(hall.tabs["chat"], Qt.MouseButton.LeftButton)
    assert hall.tabs["chat"].hasFocus()


def test_a_line_of_the_window_hides_no_more_of_the_map_than_it_needs(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1500, 900)
    window.notice.say("Bookmark set")
    short = window.notice.width()
    window.notice.say("Written: the-whole-campaign-as-a-picture.svg")
    assert short < window.notice.width() < 640
    window.notice.tell("What is wrong", ["one"])
    assert window.notice.width() == 640
    window.notice.hide()


# ---------------------------------------------------------------- what lies over what on the map


def test_no_town_is_hidden_by_the_counters_that_stand_there_nor_odds_by_an_arrow(battlefield: GamePage) -> None:
    page, scene = battlefield, battlefield.scene
    scale = 1.0
    above = {id(name) for name in scene.over.at(scale)}
    hidden = []
    for counter in scene.counters.values():
        stands = counter.sceneBoundingRect().adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)  # without shadow and badges
        towns = (name for name in scene.names.at(scale) if name.role == "town")
        hidden += [name for name in towns if name.bounds.adjusted(4, 4, -4, -4).intersects(stands) and id(name) not in above]
    assert not hidden
    assert any(len(page.match.view.position.at(here)) > 1 for here in page.match.view.position.occupied()), "stacks are looked at"
    assert scene.marks.zValue() < scene.over.zValue(), "nor by a ring"
    assert scene.attack.zValue() < scene.marks.words.zValue()
    assert scene.cursor.zValue() < scene.marks.words.zValue(), "nor by the hex cursor, which stands there where keys lead"


def test_a_line_of_the_window_is_shown_whole(window: MainWindow, page: GamePage) -> None:
    window.notice.say("Reinforcements: nothing to show now")
    assert window.notice.title.width() >= window.notice.title.sizeHint().width()


def test_what_begins_a_game_is_in_sight_in_the_smallest_window(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(window.minimumSize())
    start = window.start
    qtbot.waitUntil(lambda: start.viewport().width() < window.minimumWidth() + 1)
    button = QRect(start.play.mapTo(start.viewport(), QPoint(0, 0)), start.play.size())
    assert start.viewport().rect().contains(button)
