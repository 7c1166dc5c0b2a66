"""A game with secrets at one screen: it is passed on between the sides, and each sees its own view only."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.map.palette import PALETTES
from client.qt import Qt
from client.session.local import PERSON
from client.session.saved import SavedMatch
from client.window import MainWindow
from core import gamefile
from core.errors import Refused
from core.events import Event, Explained, Placed
from core.game import Game
from core.hidden import PUBLIC
from core.match import new_server_match
from core.orders import OptionPick
from core.pack import Pack
from core.text import text
from core.units import UnitId
from core.views import View
from tests.client.conftest import delete, middle
from tests.hidden_toy.pack import ambush, files
from tests.hidden_toy.ruleset import RULESET, Deploy, End, Plan

SETTING = ambush()
PALETTE = next(iter(PALETTES.values()))
AT = SETTING.board.hex("T0202")
HOT_SEAT = {"red": PERSON, "blue": PERSON}


def begun(seats: dict[str, str]) -> SavedMatch:
    keeper = new_server_match(SETTING, game="ambush", seed=bytes(32), clock=lambda: 0, links=1000)
    return SavedMatch(keeper, Pack(files()), seats, seed=bytes(32))


@pytest.fixture
def match() -> SavedMatch:
    return begun(HOT_SEAT)


def own(match: SavedMatch, side: str) -> set[int]:
    """Return the counters of a side that are shown as what they are."""
    view = match.view
    return {unit for unit in view.position.units if unit >= 0 and view.side(unit) == side and not view.type(unit).cup}


def test_nobody_s_secrets_show_until_the_side_that_decides_sits_down(match: SavedMatch) -> None:
    assert (match.screen.awaits, match.view.viewer, match.may_act) == ("red", PUBLIC, False)
    assert (own(match, "red"), own(match, "blue")) == (set(), set())
    assert match.options().picks == ()
    match.sit_down()
    assert (match.screen.awaits, match.view.viewer, match.may_act) == ("", "red", True)
    assert len(own(match, "red")) == 6
    assert own(match, "blue") == set()


def test_the_screen_is_passed_on_when_the_other_side_is_to_decide_and_not_before(match: SavedMatch) -> None:
    match.sit_down()
    match.order(Deploy(UnitId(0), AT))
    assert match.may_act
    match.order(End())
    assert (match.screen.awaits, match.view.viewer) == ("blue", PUBLIC)
    assert match.view.position.at(AT), "a back shows where a stack lies"
    assert own(match, "red") == set()
    match.sit_down()
    assert match.view.viewer == "blue"
    assert own(match, "red") == set()
    assert len(own(match, "blue")) == 6


def test_while_the_screen_is_passed_on_nothing_is_ordered_or_taken_back(match: SavedMatch) -> None:
    with pytest.raises(Refused, match="passed on"):
        match.order(End())
    match.sit_down()
    match.order(End())
    for act in (match.undo, match.redo):
        with pytest.raises(Refused, match=r"passed on|nothing to bring back"):
            act()
    match.sit_down()
    with pytest.raises(Refused, match="only your own last orders"):
        match.undo()


def test_own_orders_are_taken_back_and_brought_back_in_one_s_own_view(match: SavedMatch) -> None:
    match.sit_down()
    before = match.view.position.digest()
    match.order(Deploy(UnitId(0), AT))
    after = match.view.position.digest()
    match.undo()
    assert (match.view.position.digest(), match.view.viewer) == (before, "red")
    match.redo()
    assert match.view.position.digest() == after


def test_what_an_order_explained_is_not_taken_back(match: SavedMatch, monkeypatch: pytest.MonkeyPatch) -> None:
    deploy = RULESET.orders["deploy"]

    def handle(game: Game, order: Deploy) -> Iterator[Event]:
        yield from deploy.handle(game, order)
        yield Explained("deploy", text("a trap"))

    monkeypatch.setitem(RULESET.orders, "deploy", msgspec.structs.replace(deploy, handle=handle))
    match.sit_down()
    match.order(Deploy(UnitId(0), AT))
    with pytest.raises(Refused, match="only your own last orders"):
        match.undo()


def test_the_past_and_the_words_of_a_side_tell_nothing_of_the_other_s(match: SavedMatch) -> None:
    match.sit_down()
    match.order(Deploy(UnitId(0), AT))
    match.order(End())
    match.sit_down()
    told = [str(line.text) for index in range(len(match.moments())) for line in match.lines(index)]
    assert not any("red guard" in words for words in told)
    for index in range(len(match.moments())):
        match.seek(index)
        assert (match.view.viewer, own(match, "red")) == ("blue", set())


def play(match: SavedMatch) -> None:
    """Play to the end: deploy nothing, end every phase."""
    while match.outcome is None:
        if match.screen.awaits:
            match.sit_down()
        match.order(Plan("bold") if "plan" in match.view.decision().orders else End())  # type: ignore[union-attr]


def test_when_the_game_is_over_all_lies_open(match: SavedMatch) -> None:
    play(match)
    assert (match.screen.awaits, match.view.viewer) == ("", "")
    assert len(own(match, "red")) == len(own(match, "blue")) == 6


def test_the_file_holds_the_whole_game_and_the_picture_no_secret(match: SavedMatch, tmp_path: Path) -> None:
    drawn: list[View] = []
    match.sit_down()
    match.order(Deploy(UnitId(0), AT))
    file = match.saver(tmp_path, draw=lambda view, path: drawn.append(view))()
    read = gamefile.read(file.read_bytes(), name=file.name)
    assert sum(isinstance(event, Placed) for event in read.entries[0].events) == 14
    assert [view.viewer for view in drawn] == [PUBLIC]


def test_against_a_bot_a_person_sees_his_own_side_and_no_card_comes() -> None:
    match = begun({"red": PERSON, "blue": "random"})
    assert (match.view.viewer, match.screen.awaits, match.may_act) == ("red", "", True)
    match.order(End())
    assert (match.view.viewer, match.bot_to_act, match.bot_view().viewer) == ("red", "random", "blue")
    assert own(match, "blue") == set()


def test_bots_that_are_looked_at_hide_nothing() -> None:
    assert begun({"red": "random", "blue": "random"}).view.viewer == ""


# -------------------------------------------------------------------- in the window


def test_the_card_calls_each_side_in_turn_and_enter_shows_its_view(match: SavedMatch, qtbot: QtBot) -> None:
    page = GamePage(match, PALETTE)
    page.animates = False
    page.resize(1200, 800)
    page.show()
    qtbot.waitExposed(page)
    card = page.handing
    assert card.isVisible()
    assert card.heading.text() == "Pass the screen to Red"
    assert not [unit for unit in page.scene.counters if unit >= 0 and match.keeper.match.view.side(unit) == "red" and unit < 12]
    page.accept()
    assert card.isVisible(), "the Enter that was meant for the order before"
    assert card.take.text() == "Red sits here: press Enter again"
    page.accept()
    assert not card.isVisible()
    match.order(Deploy(UnitId(0), AT))
    page.follow()
    assert 0 in page.scene.counters
    match.order(End())
    page.follow()
    assert card.isVisible()
    assert (card.heading.text(), card.take.text()) == ("Pass the screen to Blue", "Blue sits here")
    assert 0 not in page.scene.counters
    card.take.click()
    assert (match.view.viewer, card.isVisible()) == ("blue", False)
    assert 0 not in page.scene.counters
    page.close_down()
    delete(page)


def test_the_first_card_stands_in_the_middle_with_all_its_words(window: MainWindow, match: SavedMatch, qtbot: QtBot) -> None:
    window.show_match(match)
    page = window.page()
    qtbot.waitExposed(page)
    card = page.handing
    off = card.geometry().center() - page.map.rect().center()
    assert (abs(off.x()) < 3, abs(off.y()) < 3) == (True, True)
    assert card.words.height() >= card.words.heightForWidth(card.words.width())
    assert card.rect().contains(card.take.geometry())


def test_nothing_frames_the_hex_of_the_player_before(window: MainWindow, match: SavedMatch, qtbot: QtBot) -> None:
    window.show_match(match)
    page = window.page()
    page._sit_down()
    here = middle(page, AT)
    qtbot.mouseMove(page.map.viewport(), here)
    page.choose(next(choice for choice in page.prompt.keyed if choice.pick == OptionPick("deploy")))
    page.click_unit(UnitId(0))
    qtbot.mouseClick(page.map.viewport(), Qt.MouseButton.LeftButton, pos=here)
    assert page.match.view.unit(UnitId(0)).place == AT
    assert page.scene.cursor.hovered == AT
    match.order(End())
    page.follow()
    page._sit_down()
    assert page.match.view.viewer == "blue"
    assert (page.scene.cursor.hovered, page.scene.cursor.at, page.map.hovered) == (None, None, None)


def test_what_one_side_notes_the_other_does_not_read_nor_find_half_written(window: MainWindow, match: SavedMatch, qtbot: QtBot) -> None:
    window.show_match(match)
    page = window.page()
    page._sit_down()
    page.time.toggle_bookmark()
    page.time.note(0, "through the wood")
    page.match.order(End())
    page.refresh()
    page.write_note()
    assert page.notes.editor is not None
    qtbot.keyClicks(page.notes.editor, "not done")
    assert (page.time.notes(), page.timeline.strip._flags) == ({}, {})
    with qtbot.waitSignal(page.said) as said:
        page.time.toggle_bookmark()
    assert "passed on" in said.args[0]
    page._sit_down()
    assert (page.match.view.viewer, page.notes.editor) == ("blue", None)
    assert (page.time.notes(), page.timeline.strip._flags) == ({}, {})
    page.time.note(0, "hold")
    page.match.order(End())
    page.refresh()
    page._sit_down()
    assert page.match.view.viewer == "red"
    assert page.time.notes()[0] == "through the wood"
    assert "hold" not in page.time.notes().values()
