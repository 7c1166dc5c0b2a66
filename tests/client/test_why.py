"""Answers to "why?": from the options for units, from the ruleset for supply and zones, drawn on the map."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.panels.why import answer_words, answers_of_options, why_of
from client.qt import Qt
from client.session.composing import Composer
from client.session.saved import SavedMatch
from core.board import Hex
from core.errors import Refused
from core.ruleset import Answer
from core.text import text
from core.units import UnitId
from tests.client.conftest import TOY
from tests.toy.ruleset import Go, free

Maker = Callable[..., SavedMatch]


def test_the_options_say_what_a_unit_can_begin_and_why_not_the_rest(new_match: Maker) -> None:
    match = new_match()
    unit = UnitId(0)
    before = answers_of_options(Composer(match).standing_of(unit))
    assert any(line.startswith("✓ Go") for line in before)
    match.order(Go(unit, free(match.view, unit)[0]))
    after = answers_of_options(Composer(match).standing_of(unit))
    assert not any(line.startswith("✓ Go") for line in after)
    enemy = next(unit.id for unit in match.view.position.on_map() if match.view.side(unit.id) != match.view.side_to_act())
    assert not any(line.startswith("✓") for line in answers_of_options(Composer(match).standing_of(enemy)))


def test_what_is_closed_to_a_unit_is_told_with_its_rule() -> None:
    standing = [(text("attack"), Refused("8.24", text("no attack strength"))), (text("move"), None)]
    assert answers_of_options(standing) == ["✗ Attack: no attack strength (8.24)", "✓ Move: can be begun now"]


def test_an_answer_bears_its_mark_and_its_rule() -> None:
    assert answer_words(Answer(text("in supply"), "9.41", good=True)) == "✓ in supply (9.41)"
    assert answer_words(Answer(text("cut"), good=False)) == "✗ cut"
    assert answer_words(Answer(text("a zone"), "4.2")) == "· a zone (4.2)"


def test_w_shows_answers_for_the_selected_stack_and_takes_them_away(
    page: GamePage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = page.match.setting.board.hex("T0201")
    line = (here, Hex(here + 1))
    monkeypatch.setattr(TOY, "why_unit", lambda view, unit: (Answer(text("cut off"), "9.1", (Hex(here + 1),), line, good=False),))
    page.click(here)
    qtbot.keyClick(page.map, Qt.Key.Key_W)
    words = [child.text() for child in page.stack.findChildren(QLabel)]
    assert any("cut off" in word and 'href="rule:9.1"' in word for word in words)
    assert not page.scene.answers._cut.isEmpty()
    qtbot.keyClick(page.map, Qt.Key.Key_W)
    assert page.scene.answers._cut.isEmpty()


def test_what_the_rules_remark_of_a_unit_is_read_beside_it(page: GamePage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TOY, "remarks", lambda view, unit: (text("{left} of {of} movement points left", left="2½", of=4),))
    page.click(page.match.setting.board.hex("T0201"))
    assert "2½ of 4 movement points left" in [child.text() for child in page.stack.findChildren(QLabel)]


def test_what_keeps_a_unit_is_told_before_orders_that_are_not_about_it(
    page: GamePage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TOY, "why_unit", lambda view, unit: (Answer(text("cut off"), "9.1", good=False),))
    enemy = next(unit for unit in page.match.view.position.on_map() if page.match.view.side(unit.id) == "blue")
    closed = [(text("Go"), Refused("3", text("it is on the map already")))]
    monkeypatch.setattr(page.composer, "standing_of", lambda unit: closed)
    why, _, _ = why_of(page.match, page.composer, Hex(enemy.place))
    assert why.of_units[enemy.id] == (
        "· Nothing can be begun with it in this moment: red acts (2)", "✗ cut off (9.1)", "✗ Go: it is on the map already (3)",
    )
    monkeypatch.setattr(page.composer, "standing_of", lambda unit: [*closed, (text("Strike"), None)])
    why, _, _ = why_of(page.match, page.composer, Hex(enemy.place))
    assert why.of_units[enemy.id][:2] == ("✓ Strike: can be begun now", "✗ cut off (9.1)")


def test_a_click_on_ones_own_stack_is_never_refused_as_no_target(page: GamePage) -> None:
    own = page.match.setting.board.hex("T0201")
    page.click(own)
    assert page.composer.refused is None


def test_a_line_leads_from_whoever_has_a_zone_of_control_there(page: GamePage, monkeypatch: pytest.MonkeyPatch) -> None:
    here = page.match.setting.board.hex("T0201")
    beside = page.match.setting.board.adjacent[here][0]
    monkeypatch.setattr(TOY, "why_hex", lambda view, there: (Answer(text("a zone of red"), "4.2", (beside,)),))
    page.click(here)
    assert page.scene.answers._sources.isEmpty()
    page.toggle_answers()
    begins = page.scene.answers._sources.elementAt(0)
    assert (begins.x, begins.y) == pytest.approx(tuple(page.scene.centre(beside)))  # type: ignore[attr-defined]
    page.toggle_answers()
    assert page.scene.answers._sources.isEmpty()
