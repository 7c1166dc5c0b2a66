"""Lessons: read from a pack, checked with every fault, followed by a robot to the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.learning.guide import Guide
from client.qt import Qt
from client.session import saved
from client.session.saved import SavedMatch
from client.window import MainWindow
from core import lessons
from core.board import Hex
from core.errors import BadInput
from core.lessons import LessonStep
from core.orders import OptionPick, compose
from core.pack import Pack
from rasputitsa.packs import installed, load_pack
from tests.client.conftest import TOY, delete, failed_to_open, managed, opened
from tests.toy.ruleset import toy_files

Maker = Callable[..., SavedMatch]

LESSON = """
title = "First steps"
blurb = "Three minutes."
scenario = "duel"
side = "red"
seed = 7
opponent = "random"

[[step]]
title = "Welcome"
text = "Look around."
part = "header"

[[step]]
title = "Select"
text = "Click the pawn."
hexes = ["T0201"]
until.select = "T0201"

[[step]]
title = "Zones"
text = "Press the key."
part = "tools"
until.overlay = "zone"

[[step]]
title = "Never"
text = "There is no such phase now."
during = ["late"]

[[step]]
title = "End"
text = "End your move."
option = "end"
until.order = "end"
"""


def toy_with(lesson: str) -> Pack:
    return Pack({**toy_files(), "learn/first.toml": lesson.encode()})


@pytest.fixture
def taught(qtbot: QtBot, toy: Pack, tmp_path: Path) -> Iterator[MainWindow]:
    """The window with a toy that brings a lesson."""
    made = MainWindow([toy_with(LESSON)], folder=tmp_path)
    made.resize(1500, 900)
    made.show()
    qtbot.waitExposed(made)
    with managed(made):
        yield made
    made.close()
    delete(made)


def click(qtbot: QtBot, page: GamePage, here: Hex, *, adding: bool = False) -> None:
    page.map.show_hex(here)
    centre = page.scene.centre(here)
    where = page.map.mapFromScene(centre.x, centre.y)
    held = Qt.KeyboardModifier.ShiftModifier if adding else Qt.KeyboardModifier.NoModifier
    qtbot.mouseMove(page.map.viewport(), where)
    qtbot.mouseClick(page.map.viewport(), Qt.MouseButton.LeftButton, held, where)


# ---------------------------------------------------------------- what a lesson may be


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('scenario = "duel"', 'scenario = "dual"', "learn/first.toml:4: scenario: expected one of duel, got dual"),
        ('side = "red"', 'side = "green"', "learn/first.toml:5: side: expected one of blue, red, got green"),
        ('until.order = "end"', 'until.order = "end"\nuntil.turn = 2', "expected one thing that ends the step, got order, turn"),
        ('title = "Zones"', 'titel = "Zones"', "expected only known fields, got `titel`"),
    ],
)
def test_a_faulty_lesson_says_where_what_and_what_came(toy: Pack, old: str, new: str, fault: str) -> None:
    with pytest.raises(BadInput) as refused:
        lessons.read(toy_with(LESSON.replace(old, new)), "learn/first.toml")
    assert fault in str(refused.value)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('hexes = ["T0201"]', 'hexes = ["T9999"]', "expected a hex of the scenario's map, got T9999"),
        ('until.overlay = "zone"', 'until.overlay = "zoo"', "expected one of zone, got zoo"),
        ('part = "tools"', 'part = "tool"', "got tool"),
        ('option = "end"', 'option = "ende"', "got ende"),
    ],
)
def test_a_lesson_that_speaks_of_what_is_not_there_is_not_begun(
    taught: MainWindow, old: str, new: str, fault: str, qtbot: QtBot
) -> None:
    taught.errands.learn(toy_with(LESSON.replace(old, new)), "learn/first.toml")
    assert fault in failed_to_open(taught, qtbot)
    assert taught.game is None


def test_all_faults_of_all_lessons_are_told_at_once(toy: Pack) -> None:
    files = {**toy_files(), "learn/a.toml": LESSON.replace("T0201", "T9999").encode(), "learn/b.toml": b"title = 3"}
    with pytest.raises(BadInput) as refused:
        lessons.check_all(Pack(files), TOY)
    assert {fault.where.partition(":")[0] for fault in refused.value.faults} == {"learn/a.toml", "learn/b.toml"}


def test_the_window_has_every_part_that_a_lesson_may_point_at(taught: MainWindow, new_match: Maker) -> None:
    taught.show_match(new_match())
    page = taught.game
    assert page is not None
    assert [part for part in lessons.PARTS if not isinstance(getattr(page, part, None), QWidget)] == []
    assert set(lessons.PANELS) == set(page.side.names)


# ---------------------------------------------------------------- following it


def begin(window: MainWindow, qtbot: QtBot) -> tuple[Guide, GamePage]:
    button = window.start.lessons[0].findChildren(type(window.start.play))[0]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    page, guide = opened(window, qtbot), window.errands.guide
    assert guide is not None
    return guide, page


def test_a_card_of_the_start_page_begins_it_and_each_deed_leads_on(taught: MainWindow, qtbot: QtBot) -> None:
    guide, page = begin(taught, qtbot)
    assert guide.step.title == "Welcome"
    assert guide.spot.target is page.header
    qtbot.keyClick(page.map, Qt.Key.Key_PageDown)
    assert guide.step.title == "Select"
    assert guide.rings.hexes == (page.match.setting.board.hex("T0201"),)
    highest = max(item.zValue() for item in page.scene.counters.values())
    assert highest < guide.rings.zValue() < page.scene.over.zValue()  # names stand on it
    click(qtbot, page, page.match.setting.board.hex("T0201"))
    qtbot.waitUntil(lambda: guide.step.title == "Zones")
    page.toggle_overlay("zone")
    qtbot.waitUntil(lambda: guide.step.title == "End")
    assert guide.spot.target is None
    page.step_back()
    qtbot.waitUntil(lambda: guide.spot.target is page.prompt.button_of(OptionPick("end")))
    page.choose(next(choice for choice in page.prompt.keyed if choice.pick == OptionPick("end")))
    page.give()
    qtbot.waitUntil(lambda: taught.errands.guide is None)
    assert page is taught.game


def test_shift_and_escape_drop_an_order_before_they_leave_the_lesson(taught: MainWindow, qtbot: QtBot) -> None:
    _, page = begin(taught, qtbot)
    click(qtbot, page, page.match.setting.board.hex("T0201"))
    assert page.composer.picks
    qtbot.keyClick(page.map, Qt.Key.Key_Escape, Qt.KeyboardModifier.ShiftModifier)
    assert not page.composer.picks
    assert taught.errands.guide is not None
    qtbot.keyClick(page.map, Qt.Key.Key_Escape, Qt.KeyboardModifier.ShiftModifier)
    assert taught.errands.guide is None


def test_a_lesson_begun_again_leaves_the_game_alone_that_the_last_one_became(taught: MainWindow, qtbot: QtBot) -> None:
    _, page = begin(taught, qtbot)
    page.match.order(compose(page.match.setting.ruleset.orders["end"].order, ()))
    page.refresh()
    page.time.note(1, "here it was won")
    taught.show_start()
    _, again = begin(taught, qtbot)
    assert (len(again.match.moments()), again.time.notes()) == (1, {})
    taught.show_start()
    taught.saver.wait()
    kept = {file.stem: saved.resume(file) for file in taught.folder.glob(f"*{saved.SUFFIX}")}
    assert {name: len(match.moments()) for name, match in kept.items()} == {"lesson": 2, "lesson-2": 1}
    taught.show_match(kept["lesson"])
    assert taught.page().time.notes() == {1: "here it was won"}
    kept["lesson-2"].save(taught.folder)
    assert len(saved.resume(taught.folder / f"lesson{saved.SUFFIX}").moments()) == 2, "each is written back to its own file"


def test_going_back_shows_the_step_before_and_stays_there(taught: MainWindow, qtbot: QtBot) -> None:
    guide, page = begin(taught, qtbot)
    guide.go_on()
    click(qtbot, page, page.match.setting.board.hex("T0201"))
    qtbot.waitUntil(lambda: guide.step.title == "Zones")
    guide.go_back()
    page.show_draft()
    qtbot.waitUntil(lambda: not guide._looking.isActive())
    assert guide.step.title == "Select"


def test_whoever_leaves_plays_on_and_nothing_points_anywhere(taught: MainWindow, qtbot: QtBot) -> None:
    guide, page = begin(taught, qtbot)
    qtbot.keyClick(page.map, Qt.Key.Key_Escape, Qt.KeyboardModifier.ShiftModifier)
    assert taught.errands.guide is None
    assert not guide.spot.isVisible()
    assert page.match.may_act


def test_the_lessons_game_is_kept_and_can_be_gone_on_with(taught: MainWindow, qtbot: QtBot) -> None:
    _, page = begin(taught, qtbot)
    page.choose(next(choice for choice in page.prompt.keyed if choice.pick == OptionPick("end")))
    page.give()
    count = len(page.match.moments())
    assert count > 1
    taught.show_start()
    qtbot.waitUntil(lambda: not taught.start.last.isHidden())
    qtbot.mouseClick(taught.start.last, Qt.MouseButton.LeftButton)
    assert len(opened(taught, qtbot).match.moments()) >= count
    assert taught.errands.guide is None


# ---------------------------------------------------------------- the lessons that packs bring

LESSONS = [(ruleset, name) for ruleset in installed() for name in lessons.names(load_pack(ruleset))]


@pytest.mark.parametrize(("ruleset", "name"), LESSONS)
def test_a_robot_follows_the_lesson_to_its_end(ruleset: str, name: str, qtbot: QtBot, qapp: object, tmp_path: Path) -> None:
    window = MainWindow([load_pack(ruleset)], folder=tmp_path)
    window.resize(1500, 900)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.errands.learn(load_pack(ruleset), name)
    page, guide = opened(window, qtbot), window.errands.guide
    assert window.notice.lines.text() == ""
    assert guide is not None
    seen = []
    while window.errands.guide is not None:
        assert guide.step.title not in seen, f"stuck at {guide.step.title}"
        seen.append(guide.step.title)
        Robot(qtbot, guide, page).do(guide.step)
    assert len(seen) >= len(guide.lesson.step) - 2
    window.close()
    delete(window)


class Robot:
    """Does what a step asks for, as a hand would; where it asks for nothing it goes on."""

    def __init__(self, qtbot: QtBot, guide: Guide, page: GamePage) -> None:
        self.qtbot, self.guide, self.page = qtbot, guide, page

    def do(self, step: LessonStep) -> None:
        until, page, board = step.until, self.page, self.page.match.setting.board
        page.window().activateWindow()  # what the platform shows of its own (a tooltip) may have taken that
        self.qtbot.waitUntil(page.window().isActiveWindow)
        if not until.said():
            self.qtbot.keyClick(page.map, Qt.Key.Key_PageDown)
            return
        if until.select:
            click(self.qtbot, page, board.hex(until.select))
        elif until.target:
            click(self.qtbot, page, board.hex(until.target))
        elif until.overlay:
            page.overlay_buttons[until.overlay].click()
        elif until.answers:
            self.qtbot.keyClick(page.map, Qt.Key.Key_W)
        elif until.panel:
            page.side.choose(until.panel)
        elif until.past:
            self.qtbot.keyClick(page.map, Qt.Key.Key_Comma)
        elif until.live:
            self.qtbot.keyClick(page.map, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
        elif until.order:
            self.give(until.order)
        else:
            self.go_to_the_end_of(step)
            return
        self.qtbot.waitUntil(lambda: self.is_over(step))

    def is_over(self, step: LessonStep) -> bool:
        try:
            return self.guide.step is not step
        except RuntimeError:  # the guide is gone: that was the last step
            return True

    def give(self, name: str) -> None:
        """Give the order under composition, or complete one of its type."""
        page = self.page
        if not page.composer.is_complete:
            ways = page.composer.ways()
            click(self.qtbot, page, min(ways, key=lambda here: ways[here].cost_quarters))
            return
        self.qtbot.keyClick(page.map, Qt.Key.Key_Return)

    def go_to_the_end_of(self, step: LessonStep) -> None:
        """Answer whatever is asked, the phase's end first where it is offered, until the step is over."""
        page = self.page
        while not self.is_over(step):
            self.qtbot.waitUntil(lambda: page.match.may_act or self.is_over(step))
            if self.is_over(step):
                return
            self.answer(step)
            self.qtbot.waitUntil(lambda: not self.guide._looking.isActive())

    def answer(self, step: LessonStep) -> None:
        page = self.page
        doors = [door for door in page.composer.offer(()).doors if door.is_open]
        ending = [door for door in doors if page.composer.offer((door.pick,)).complete and not page.composer.offer((door.pick,)).picks]
        page.composer.reset()
        if ending and page.composer.picks == ():
            page.composer.choose(ending[0].pick)
        while not page.composer.is_complete:
            page.composer.choose(next(door for door in page.composer.offer().doors if door.is_open).pick)
        page.give()
