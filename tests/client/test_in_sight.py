"""Where a key leads is seen: no small map over it, and the hex cursor goes along."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.map.geometry import HEX
from client.qt import QRect, Qt
from client.session.composing import Choice
from client.session.stacks import stacked
from core.board import Hex, Place
from core.orders import OptionPick, UnitPick
from core.text import text
from tests.client.conftest import middle
from tests.client.hands import open_orders
from tests.client.test_window import key


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
