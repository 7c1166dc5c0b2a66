"""The record of the turns, what lies beside the map, and the timeline's marks."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from client import reading
from client.game import GamePage
from client.map.palette import LIGHT
from client.panels.timeline import LOWEST, TALLEST, Strip, TurnBlock
from client.qt import QPoint
from client.session.course import Course, Moment, Run
from client.session.saved import SavedMatch
from client.session.tally import Tally
from core.events import Moved
from core.fold import fold
from core.ruleset import Row, Sheet
from core.text import text
from core.units import UnitId
from tests.toy.ruleset import End

Maker = Callable[..., SavedMatch]


@pytest.fixture
def page(page: GamePage) -> GamePage:
    page.open_side("record")
    return page


def plain(page: GamePage) -> str:
    return page.record.text.toPlainText().replace("\u2002", " ")


def test_the_record_lists_the_turns_and_says_which_is_now(page: GamePage) -> None:
    words = page.record.text.toPlainText()
    scenario = page.match.setting.scenario
    assert [f"Turn {turn}:" in words for turn in range(scenario.first_turn, scenario.last_turn + 1)].count(False) == 0
    assert words.count("now") == 1


def test_what_a_ruleset_lays_beside_the_map_is_shown_with_its_rules(page: GamePage, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> None:
    here = page.match.view.position.occupied()[0]
    rows = (Row(text("Fuel"), "3", "4.1", (here,)),)
    monkeypatch.setattr(type(page.match.setting.ruleset), "sheets", lambda self, view: (Sheet(text("stores"), rows),))
    page.record.write()
    assert "Stores\nFuel 3 (4.1)" in plain(page)
    assert 'href="rule:4.1"' in page.record.text.toHtml()
    with qtbot.waitSignal(page.record.place_wanted) as wanted:
        page.record._go(f"hex:{here}")
    assert wanted.args == [here]


def test_counters_in_boxes_are_listed_by_the_box_they_are_in(page: GamePage, monkeypatch: pytest.MonkeyPatch) -> None:
    view = page.match.view
    monkeypatch.setattr(view.board, "boxes", ("out", "long_bench"))
    fold(view.position, Moved((UnitId(0),), (-2,)))
    page.record.write()
    assert "Long bench\nRed pawn 1 (Red)" in plain(page)


# ---------------------------------------------------------------- the strip


def test_a_battle_counts_the_steps_lost_until_the_next_battle_or_phase() -> None:
    def moment(n: int, phase: str, battles: int = 0) -> Moment:
        return Moment(n, 1, phase, "red", "red", battles)

    moments = [moment(0, "a"), moment(1, "a", 1), moment(2, "a"), moment(3, "a", 1), moment(4, "b"), moment(5, "b")]
    lost = [0, 1, 2, 0, 5, 0]

    course = Course()
    course.follow(moments, [Tally({"red": steps}) for steps in lost])
    assert course.losses == {1: 3, 3: 0}


def test_the_dearer_a_battle_the_higher_its_tick(qapp: object) -> None:
    strip = Strip(LIGHT)
    strip.show_moments([], [], 0, colour=str, card=str, heights={1: 0, 2: 2, 3: 50})
    assert strip.tick_height(1) == LOWEST < strip.tick_height(2) < strip.tick_height(3) == TALLEST


def test_the_card_of_a_moment_stands_over_the_mouse_and_goes_with_it(page: GamePage, qtbot: QtBot) -> None:
    for _ in range(4):
        page.match.order(End())
    page.refresh()
    strip = page.timeline.strip
    qtbot.mouseMove(strip, QPoint(round(strip.x_of(2)), 10))
    card = page.timeline.card
    assert card is not None
    assert card.isVisible()
    assert card.text() == reading.moment_card(page.match, 2)
    assert card.geometry().bottom() < page.timeline.y()
    strip.pointed.emit(-1.0)
    assert not card.isVisible()


BY_FIVES = [str(n) for n in range(5, 41, 5)]


@pytest.mark.parametrize(("width", "told"), [(1200, [str(n) for n in range(1, 41)]), (600, BY_FIVES)])
def test_turns_without_room_for_their_numbers_are_numbered_by_fives(qapp: object, qtbot: QtBot, width: int, told: list[str]) -> None:
    strip = Strip(LIGHT)
    qtbot.addWidget(strip)
    strip.resize(width, 40)
    turns = [TurnBlock(f"{n} · Jun 1941, clear", "#FFFFFF", 0, -1) for n in range(1, 41)]
    strip.show_moments((), turns, 0, colour=str, card=str)
    named = strip.names(lambda words: 7.0 * len(words))
    assert [words for _, words in named] == told
    assert all(7.0 * len(words) <= block.width() - 6 for block, words in named) == (width == 1200)
    assert all(strip.name_from(block, 16.0) + 16.0 <= width for block, _ in named)


def test_the_course_of_a_game_is_the_same_after_an_undo_as_told_from_the_start(new_match: Maker) -> None:
    match = new_match()
    for _ in range(5):
        match.order(End())
    match.undo()
    match.undo()
    match.order(End())
    told = Course()
    told.follow(match.moments(), [match.tally(i) for i in range(len(match.moments()))])
    assert [moment.number for moment in match.moments()] == [entry.number for entry in match.match.log.path()]
    assert (match.course.runs, match.course.losses) == (told.runs, told.losses)
    assert match.course.runs[-1].last == len(match.moments()) - 1


def test_what_a_battle_cost_after_an_undo_is_told_anew() -> None:
    moments = [Moment(n, 1, "a" if n < 2 else "b", "red", "red", int(n == 3)) for n in range(6)]
    course = Course()
    course.follow(moments, [Tally({"red": 1})] * 6)
    course.cut(5)
    course.follow(moments[:5], [Tally({"red": 1})] * 5)
    assert course.losses == {3: 2}
    assert [(run.phase, run.first, run.last) for run in course.runs] == [("a", 0, 1), ("b", 2, 4)]


def test_moving_the_cursor_paints_nothing_but_the_cursor(qapp: object, qtbot: QtBot) -> None:
    strip, asked = Strip(LIGHT), list[str]()
    qtbot.addWidget(strip)

    def colour(side: str) -> str:
        asked.append(side)
        return "#336699"

    moments = [Moment(n, 1, "a", "red", "red", 0) for n in range(9)]
    strip.show_moments(moments, [TurnBlock("1", "#FFFFFF", 0, 8)], 8, colour=colour, card=str, runs=[Run(1, "a", "red", 0, 8)])
    before = strip.grab().toImage()
    assert asked == ["red"]
    strip.show_cursor(2)
    assert strip.grab().toImage() != before
    assert asked == ["red"]
    strip.show_moments(moments[:5], [TurnBlock("1", "#FFFFFF", 0, 4)], 2, colour=colour, card=str, runs=[Run(1, "a", "red", 0, 4)])
    strip.grab()
    assert asked == ["red", "red"]
