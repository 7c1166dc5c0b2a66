"""What is on the table stays there when the window looks or speaks otherwise: an order half composed, the stack, answers, overlays."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.languages import ENGLISH
from client.window import MainWindow
from core.board import Hex
from core.orders import HexPick, OptionPick
from tests.client.hands import drag, play_to
from tests.client.test_waypoints import by_key, detour

Change = Callable[[MainWindow], None]
CHANGES: dict[str, Change] = {
    "larger texts": lambda window: window.looks.set_text(110),
    "language": lambda window: window.looks.set_language(ENGLISH),
    "theme": lambda window: window.set_theme("dark"),
    "moves shown": lambda window: window.page().show_moves("turn"),
}


@pytest.fixture
def window(battlefield: GamePage) -> Iterator[MainWindow]:
    window = battlefield.window()
    assert isinstance(window, MainWindow)
    yield window
    window.looks.set_text(100)


def pick_up(page: GamePage) -> tuple[Hex, Hex]:
    """Pick a stack that can be led to some hex; return where it stands, and that hex."""
    play_to(page, "move")
    for start in page.composer.able()[OptionPick("move")]:
        page.composer.reset()
        page.click(start)
        found = detour(page) if page.composer.picks[:1] == (OptionPick("move"),) else None
        if found is not None:
            return start, found[0]
    raise AssertionError("no stack can go by two ways")


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_stack_that_is_led_stays_so(window: MainWindow, qtbot: QtBot, change: Change) -> None:
    start, through = pick_up(window.page())
    by_key(window.page(), qtbot, through)
    before = window.page().composer
    picks, costs = before.picks, {here: way.cost_quarters for here, way in before.ways().items()}
    assert HexPick(through) in picks
    change(window)
    page = window.page()
    assert page.composer.picks == picks
    assert {here: way.cost_quarters for here, way in page.composer.ways().items()} == costs
    assert page.scene._selected == set(page.composer.units())
    assert (page.selected_hex, page.map.cursor_hex) == (start, through)
    page.step_back()
    assert page.composer.fixed() == ()
    assert page.composer.units()


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_an_attack_that_is_composed_stays_so_and_can_be_given(window: MainWindow, change: Change) -> None:
    page = window.page()
    page.choose(next(choice for choice in page.composer.choices() if choice.pick == OptionPick("attack")))
    page.click(page.composer.able()[OptionPick("attack")][0])
    while not page.composer.is_complete:
        page.composer.choose(page.composer.offer().picks[0])
    page.show_draft()
    picks, entries = page.composer.picks, len(page.match.moments())
    change(window)
    page = window.page()
    assert page.composer.picks == picks
    assert page.side.current == "battle"
    page.give()
    assert len(page.match.moments()) > entries


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_answers_and_overlays_stay_on(window: MainWindow, change: Change) -> None:
    window.page().toggle_overlay("zoc")
    window.page().toggle_answers()
    shown = sorted(window.page().scene.overlays)
    change(window)
    page = window.page()
    assert sorted(page.scene.overlays) == shown
    assert page.overlay_buttons["zoc"].isChecked()
    assert page.answers
    page.toggle_overlay("zoc")
    assert not page.scene.overlays


def test_what_is_dragged_goes_back_and_the_draft_before_it_stays(window: MainWindow, qtbot: QtBot) -> None:
    page = window.page()
    start, through = pick_up(page)
    picks = page.composer.picks
    page.map.centerOn(page.scene.centre(start).x, page.scene.centre(start).y)
    page.place_cards()
    drag(page, qtbot, start, through)
    assert page.composer.held
    window.set_theme("dark")
    assert not page.map.is_carrying
    assert not page.composer.held
    assert page.composer.picks == picks


