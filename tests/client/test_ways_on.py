"""Where the window leads on by itself: from a game's end, after a battle, from the start page, on a server without games."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from client import reading
from client.game import GamePage
from client.map.palette import LIGHT
from client.meeting.hall import Hall
from client.page import drafting
from client.page.ending import score_words
from client.panels.battle import BattlePanel
from client.qt import QPoint, QRect, Qt
from client.session import words as words_module
from client.session.replay import FileMatch
from client.session.saved import SavedMatch
from client.session.tally import Roll, Throw
from client.window import MainWindow
from core import protocol
from core.board import Hex
from core.events import Line, Part
from core.orders import HexPick, OptionPick
from core.position import Outcome
from core.ruleset import Preview, Way
from core.text import text
from tests.client.conftest import opened
from tests.toy.ruleset import End

Maker = Callable[..., SavedMatch]


def words(widget: object) -> list[str]:
    return [child.text() for child in widget.findChildren(QLabel) if child.isVisibleTo(widget)]  # type: ignore[attr-defined]


def leads(page: GamePage) -> dict[str, QPushButton]:
    return {made.text(): made for made in page.prompt.findChildren(QPushButton) if made.isVisibleTo(page.prompt)}


# ---------------------------------------------------------------- the end of a game


def play_out(page: GamePage) -> None:
    while page.match.outcome is None:
        page.match.order(End())
    page.refresh()


def test_the_end_of_a_local_game_leads_on(window: MainWindow, page: GamePage, qtbot: QtBot) -> None:
    play_out(page)
    assert list(leads(page)) == ["Replay from the start", "Score in the log", "Save a copy …", "New game"]
    qtbot.mouseClick(leads(page)["Score in the log"], Qt.MouseButton.LeftButton)
    assert page.log.isVisible()
    qtbot.mouseClick(leads(page)["New game"], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.game is None)
    assert window.pages.currentWidget() is window.start


def test_the_replay_from_the_end_begins_at_the_first_moment_and_runs(page: GamePage, qtbot: QtBot) -> None:
    play_out(page)
    seen: list[int] = []
    page.time.passed.connect(seen.append)
    qtbot.mouseClick(leads(page)["Replay from the start"], Qt.MouseButton.LeftButton)
    assert seen == [0]
    qtbot.waitUntil(lambda: page.match.cursor > 0)


def test_a_game_that_is_only_watched_begins_no_other(window: MainWindow, page: GamePage) -> None:
    play_out(page)
    window.show_match(FileMatch(page.match.to_bytes(), name="toy", clock=lambda: 0))
    window.page().back_to_now()
    assert "New game" not in leads(window.page())
    assert "Replay from the start" in leads(window.page())


def test_the_card_counts_the_score_with_its_rules(page: GamePage) -> None:
    play_out(page)
    outcome = page.match.outcome
    assert outcome is not None
    assert all(f"{reading.title_of(page.match, side)} {points}" in score_words(page.match) for side, points in outcome.score.items())
    assert page.prompt.words.text() == score_words(page.match)


def test_of_a_game_that_the_table_ended_no_score_is_told(page: GamePage, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a claim the card showed the last figures of whatever had been counted, as if they were its score."""
    play_out(page)
    assert score_words(page.match)
    claimed = Outcome("red", "red claimed the game", {})
    monkeypatch.setattr(type(page.match), "outcome", property(lambda match: claimed))
    assert score_words(page.match) == ""


# ---------------------------------------------------------------- a battle


def strike(page: GamePage) -> None:
    page.choose(next(choice for choice in page.prompt.keyed if choice.pick == OptionPick("strike")))
    page.click(page.match.setting.board.hex("T0203"))
    page.click(next(pick.hex for pick in page.composer.offer().picks if isinstance(pick, HexPick)))


def test_what_the_die_led_to_stays_in_front_until_something_else_is_asked(page: GamePage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words_module, "is_battle", lambda event: event.subject == "strike")
    strike(page)
    page.give()
    index = page.match.cursor
    told = next(line for line in page.match.lines(index) if line.kind == "battle")
    assert page.side.current == "battle"
    assert any(str(told.text.template).partition("{")[0].strip().casefold() in word.casefold() for word in words(page.battle))
    page.show_draft()
    assert page.side.current == "battle"
    page.undo()
    assert page.side.current != "battle"
    strike(page)
    page.give()
    monkeypatch.setattr(page, "_phase", lambda: (1, "blue"))  # as if the battle had ended the phase
    page.show_draft()
    assert page.side.current != "battle", "it is the last phase's"


@pytest.mark.parametrize("height", [160, 400])
def test_the_button_of_an_attack_is_seen_whole_however_low_its_panel_is(qtbot: QtBot, height: int) -> None:
    battle = BattlePanel(LIGHT)
    qtbot.addWidget(battle)
    lines = tuple(Line(f"figure {n}", str(n)) for n in range(20))
    battle.resize(320, height)
    battle.show()
    for missing in ("", "somebody who attacks"):
        battle.show_preview(Preview(text("a battle"), lines), verb="Strike", ready=True, missing=missing)
        give = next(one for one in battle.findChildren(QPushButton) if one.isVisible())
        qtbot.waitUntil(lambda: battle.verticalScrollBar().maximum() > 0)
        box = QRect(give.mapTo(battle, QPoint(0, 0)), give.size())
        assert battle.rect().contains(box)
        assert give.visibleRegion().boundingRect() == give.rect()
    battle.show_nothing()
    assert not [one for one in battle.findChildren(QPushButton) if one.isVisible()]


def test_a_mean_is_about_its_sum_and_no_more(qtbot: QtBot) -> None:
    battle = BattlePanel(LIGHT)
    qtbot.addWidget(battle)
    parts = (Part("≈4.3", "", text("one")), Part("≈7.5", "", text("another")))
    lines = (Line("attack", "≈11.8", parts), Line("defence", "6", (Part("3", "", text("one")), Part("3", "", text("river")))))
    battle.show_preview(Preview(text("a battle"), lines), verb="Strike", ready=True, missing="")
    told = [one.text() for one in battle.findChildren(QLabel)]
    assert "≈4.3 + ≈7.5 ≈\u00a011.8" in told
    assert "3 + 3 =\u00a06" in told


def test_what_is_against_nobody_is_not_shown_as_against_somebody(page: GamePage) -> None:
    counter = page._counter_button
    view = page.match.view
    depot, enemy = (next(unit.id for unit in view.position.on_map() if view.side(unit.id) == side) for side in ("red", "blue"))
    page.battle.show_preview(Preview(text("one depot")), verb="Expend", ready=True, missing="", attackers=[counter(depot, picked=True)])
    assert "against" not in [one.text() for one in page.battle.widget().findChildren(QLabel) if one.isVisibleTo(page.battle)]
    both = {"attackers": [counter(depot, picked=True)], "defenders": [counter(enemy, picked=False)]}
    page.battle.show_preview(Preview(text("a battle")), verb="Strike", ready=True, missing="", **both)
    assert "against" in [one.text() for one in page.battle.widget().findChildren(QLabel) if one.isVisibleTo(page.battle)]


def test_the_dice_lie_beside_or_above_the_card_never_on_it(page: GamePage, monkeypatch: pytest.MonkeyPatch) -> None:
    rolls = (Roll("red", "combat", 6, 3),)
    page.dice.show_throws([Throw(rolls, text("Attack"))])
    low, right = page.map.height() - page.prompt.height() - 12, page._free_width() - page.prompt.width() - 12
    middle = (page._free_width() - page.prompt.width()) // 2
    for corner in (QPoint(10, low), QPoint(middle, low), QPoint(right, low), QPoint(middle, 10)):
        monkeypatch.setattr(page, "_prompt_place", lambda corner=corner: corner)
        page.place_cards()
        assert page.prompt.pos() == corner
        assert not page.dice.geometry().intersects(page.prompt.geometry()), corner
        assert page.map.rect().contains(page.dice.geometry())
        assert page.dice.geometry().right() <= page._free_width()


def test_answers_to_why_make_room_for_an_attack(page: GamePage, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Hex] = []
    answer = drafting.why_of
    monkeypatch.setattr(drafting, "why_of", lambda match, composer, here: (asked.append(here), answer(match, composer, here))[1])
    page.selected_hex = page.match.setting.board.hex("T0203")
    page.toggle_answers()
    assert asked
    strike(page)
    assert page._aimed_at()
    asked.clear()
    page.show_draft()
    assert not asked
    page.step_back()
    assert not page._aimed_at()
    assert asked


# ---------------------------------------------------------------- words


def test_a_way_tells_of_how_many_points_where_all_that_go_have_the_same() -> None:
    way = Way(Hex(3), (Hex(3),), 12)
    assert reading.cost_words(way) == "3 movement points"
    assert reading.cost_words(msgspec.structs.replace(way, budget_quarters=20)) == "3 of 5 movement points"
    assert reading.cost_words(msgspec.structs.replace(way, cost_quarters=4)) == "1 movement point"
    assert reading.cost_words(msgspec.structs.replace(way, cost_quarters=6)) == "1½ movement points"


# ---------------------------------------------------------------- the log


def test_the_logs_last_line_is_seen_whole_after_its_height_has_changed(window: MainWindow, page: GamePage, qtbot: QtBot) -> None:
    for _ in range(4):
        page.match.order(End())
    page.refresh()
    bar = page.log.text.verticalScrollBar()
    page.log.text.document().setTextWidth(60)
    page.log.setFixedHeight(90)
    qtbot.waitUntil(lambda: bar.maximum() > 0 and bar.value() == bar.maximum())
    page.log.setFixedHeight(70)
    qtbot.waitUntil(lambda: page.log.height() == 70 and bar.value() == bar.maximum())


# ---------------------------------------------------------------- start page, hall


def test_enter_on_the_start_page_begins_the_game(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.keyClick(window.start, Qt.Key.Key_Return)
    assert isinstance(opened(window, qtbot).match, SavedMatch)


def test_a_key_begins_the_game_that_is_chosen_on_the_start_page(window: MainWindow, qtbot: QtBot) -> None:
    window.start._scenario_chosen(window.start.scenario.currentIndex())
    with qtbot.waitSignal(window.start.game_wanted):
        qtbot.keyClick(window.start.scenario, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)


def test_enter_in_a_list_of_the_start_page_begins_the_game_and_on_a_button_presses_it(window: MainWindow, qtbot: QtBot) -> None:
    window.start.host_wanted.disconnect()
    window.start.host.setFocus()
    with qtbot.waitSignal(window.start.host_wanted), qtbot.assertNotEmitted(window.start.game_wanted):
        qtbot.keyClick(window.start.host, Qt.Key.Key_Return)
    window.start.seat.setFocus()
    with qtbot.waitSignal(window.start.game_wanted):
        qtbot.keyClick(window.start.seat, Qt.Key.Key_Return)


def test_a_server_without_games_opens_where_one_is_begun(window: MainWindow, toy: object, qtbot: QtBot) -> None:
    hall = Hall([toy], LIGHT)  # type: ignore[list-item]
    qtbot.addWidget(hall)
    hall.enter("anna", protocol.PLAYER, "")
    hall.show_tab("games")
    hall.show_games((), 0)
    assert hall.tab == "new"
    hall.show_tab("games")
    hall.show_games((), 1)
    assert hall.tab == "games", "whoever went there stays there"
    hall.enter("anna", protocol.PLAYER, "")
    hall.show_tab("chat")
    hall.show_games((), 0)
    assert hall.tab == "chat", "whoever went elsewhere before the list came stays there"
    hall.show_tab("games")
    hall.enter("anna", protocol.SPECTATOR, "")
    hall.show_games((), 0)
    assert hall.tab == "games", "who may begin none sees that there is none"
