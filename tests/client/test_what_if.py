"""What if, in the window: marked, played by hand or bot, and left for the real game as it was."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.map.palette import PALETTES, text_on
from client.panels.branch import BranchBar
from client.qt import Qt
from client.session.sandbox import SandboxMatch
from client.session.saved import SavedMatch
from client.window import MainWindow
from tests.client.conftest import opened
from tests.toy.ruleset import End

Maker = Callable[..., SavedMatch]


@pytest.fixture
def page(page: GamePage) -> GamePage:
    for _ in range(4):
        page.match.order(End())
    page.refresh()
    page.map.setFocus()
    return page


def branch_off(window: MainWindow, qtbot: QtBot) -> GamePage:
    window.errands.what_if()
    return opened(window, qtbot)


def test_i_branches_off_the_shown_moment_and_shift_i_returns_to_it(window: MainWindow, page: GamePage, qtbot: QtBot) -> None:
    page.time.seek(2)
    qtbot.keyClick(page.map, Qt.Key.Key_I)
    branch = opened(window, qtbot)
    assert isinstance(branch.match, SandboxMatch)
    assert branch.match.cursor == 2
    assert branch.match.may_act
    assert branch.findChildren(BranchBar)[0].isVisible()
    branch.match.order(End())
    branch.refresh()
    qtbot.keyClick(branch.map, Qt.Key.Key_I, Qt.KeyboardModifier.ShiftModifier)
    assert window.game is page
    assert page.match.cursor == 2
    assert len(page.match.moments()) == 5


def test_a_bot_takes_a_side_and_the_other_stays_by_hand(window: MainWindow, page: GamePage, qtbot: QtBot) -> None:
    branch = branch_off(window, qtbot)
    bar = branch.findChildren(BranchBar)[0]
    to_act = branch.match.view.side_to_act()
    bar.seats[to_act].setCurrentIndex(bar.seats[to_act].findData("random"))
    qtbot.waitUntil(lambda: len(branch.match.moments()) > 5)
    assert len(page.match.moments()) == 5


def test_what_is_saved_while_a_branch_is_shown_is_the_real_game(window: MainWindow, page: GamePage, qtbot: QtBot) -> None:
    branch = branch_off(window, qtbot)
    branch.match.order(End())
    window.save()
    window.saver.wait()
    files = list(window.folder.glob("*.rasputitsa"))
    assert len(files) == 1
    window.show_start()
    window.resume(files[0])
    assert len(opened(window, qtbot).match.moments()) == 5


def test_a_branch_has_no_branches(window: MainWindow, page: GamePage, qtbot: QtBot) -> None:
    branch = branch_off(window, qtbot)
    window.errands.what_if()
    assert window.game is branch
    assert "Shift+I" in window.notice.title.text()


def test_leaving_the_game_drops_the_branch_with_it(window: MainWindow, page: GamePage, qtbot: QtBot) -> None:
    branch_off(window, qtbot)
    window.show_start()
    assert window.errands.real is None
    assert window.game is None


@pytest.mark.parametrize("theme", PALETTES)
def test_the_band_takes_on_the_colours_of_the_theme(window: MainWindow, page: GamePage, theme: str, qtbot: QtBot) -> None:
    branch = branch_off(window, qtbot)
    window.set_theme(theme)
    bar = branch.findChildren(BranchBar)[0]
    image = bar.grab().toImage()
    assert image.pixelColor(image.width() // 2, 3).name() == PALETTES[theme].accent.lower()
    assert text_on(PALETTES[theme].accent) in bar.styleSheet()


def test_a_branch_shows_where_its_question_is(
    window: MainWindow, page: GamePage, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    looked = list[tuple[GamePage, float]]()
    monkeypatch.setattr(GamePage, "look_at_decision", lambda self: looked.append((self, self.map.transform().m11())))
    page.map.zoom_to(2)
    branch = branch_off(window, qtbot)
    assert looked[-1] == (branch, page.map.transform().m11()), "after the branch has taken over what the real game showed"
