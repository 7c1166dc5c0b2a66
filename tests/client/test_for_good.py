"""Orders that take counters off the map for good, or leave them to one die, are seen before they are given."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from client.game import GamePage
from core.board import Hex
from core.events import Event, FramePushed, Marked, Placed, StepsChanged
from core.fold import fold
from core.orders import HexPick, OptionPick, UnitPick
from core.rulesets.war_for_the_motherland.arrivals import Reinforce
from core.rulesets.war_for_the_motherland.battle import DEFENDING, Battle, PayResult
from core.rulesets.war_for_the_motherland.economy import Evacuation
from core.rulesets.war_for_the_motherland.organization import Organize
from core.rulesets.war_for_the_motherland.terms import AXIS, IN_BATTLE, PARATROOP_WAITING, SOVIET
from core.units import UnitId
from tests.client.hands import at


def happen(page: GamePage, *events: Event) -> None:
    for event in events:
        fold(page.match.view.position, event)
        page.match.view.derived.clear()
    page.refresh()


def place(page: GamePage, kind: str, where: int) -> UnitId:
    unit = UnitId(page.match.view.position.next_unit)
    happen(page, Placed(unit, kind, "X", Hex(where), 1))
    return unit


def panel_words(page: GamePage) -> str:
    return " ".join(part.text() for part in page.battle.findChildren(QLabel))


def test_a_click_on_a_city_shows_what_leaves_and_enter_lets_it_go(battlefield: GamePage, qtbot: QtBot) -> None:
    del qtbot
    page, here = battlefield, at(battlefield, "E4510")
    factories = [place(page, "sov_factory", here) for _ in range(3)]
    happen(page, FramePushed(Evacuation(side=SOVIET).frame()))
    page.choose(next(choice for choice in page.prompt.keyed if choice.pick == OptionPick("evacuate")))
    page.click(here)
    assert {UnitPick(unit) for unit in factories} <= set(page.composer.picks)
    assert {page.match.view.unit(unit).place for unit in factories} == {here}
    assert "3 factories leave the map for good" in panel_words(page)
    page.accept()
    assert {page.match.view.unit(unit).place for unit in factories} != {here}


def test_losses_that_leave_no_retreat_cite_their_own_rule_and_name_who_dies(battlefield: GamePage, qtbot: QtBot) -> None:
    del qtbot
    page = battlefield
    here = at(page, "E4510")
    one, two = place(page, "sov_infantry_corps", here), place(page, "sov_infantry_corps", here)
    battle = Battle(side=AXIS, targets=(here,), sources=(at(page, "E4511"),), result="1/1")
    pays = PayResult(side=SOVIET, battle=battle, role=DEFENDING, points=1, hexes=False)
    happen(page, Marked((one, two), IN_BATTLE, DEFENDING), FramePushed(pays.frame()))
    assert page.prompt.rule.text().find("8.86") >= 0
    assert page.prompt.heading.text() == "Result 1/1: lose 1 step, without retreat"
    assert [str(choice.label).partition(": ")[2] for choice in page.prompt.keyed] == ["eliminated", "eliminated"]


def test_a_drop_shows_its_chances_before_the_die(battlefield: GamePage, qtbot: QtBot) -> None:
    del qtbot
    page = battlefield
    corps = place(page, "sov_airborne_corps", page.match.setting.board.box(PARATROOP_WAITING))
    happen(page, FramePushed(Reinforce(side=SOVIET).frame()))
    page.choose(next(choice for choice in page.prompt.keyed if choice.pick == OptionPick("drop_airborne")))
    if not page.composer.units():
        page.choose(next(choice for choice in page.prompt.keyed if choice.pick == UnitPick(corps)))
    goal = next(pick.hex for pick in page.composer.offer().picks if isinstance(pick, HexPick))
    page.click(goal)
    assert page.match.view.unit(corps).place < 0
    assert "the corps is eliminated" in panel_words(page)
    page.accept()
    assert page.match.view.unit(corps).place != page.match.setting.board.box(PARATROOP_WAITING)
    assert any(words in page.dice.words for words in ("and lands", "and is lost"))


def test_a_corps_is_not_broken_down_by_one_click_on_its_stack(battlefield: GamePage, qtbot: QtBot) -> None:
    del qtbot
    page, here = battlefield, at(battlefield, "E5815")
    corps = place(page, "ger_panzer_corps", here)
    happen(page, StepsChanged(corps, 4), FramePushed(Organize(side=AXIS).frame()))
    page.choose(next(choice for choice in page.prompt.keyed if choice.pick == OptionPick("break_down")))
    page.click(here)
    assert UnitPick(corps) in page.composer.picks
    assert page.match.view.unit(corps).place == here
    assert "KG" in panel_words(page)
    page.accept()
    assert page.match.view.unit(corps).place < 0
