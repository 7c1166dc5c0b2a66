"""The rule reference: numbers are links, the search finds, the ledger is whole."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.map.palette import DARK, LIGHT
from client.panels.links import linked, rule_of
from client.panels.rules import RulesPanel
from client.session.words import figure_of
from client.window import MainWindow
from core.events import Line, Part
from core.ruleset import RuleText
from core.rulesets import load
from core.text import text
from tests.client.conftest import TOY

RULES = (
    RuleText("4.1a", "Strikes", "A pawn strikes a neighbour (4.2)."),
    RuleText("4.1b", "Once", "Once a turn."),
    RuleText("4.2", "Steps", "A hit costs a step."),
    RuleText("5.1", "Moves", "A pawn goes one hex."),
)


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        ("7 (8.42)", ["8.42"]),
        ("too many (4.12, 4.18)", ["4.12", "4.18"]),
        ("1 (11.28) + 3 (8.62a) = 4", ["11.28", "8.62a"]),
        ("about 4.3 points", []),
        ("Corps (2 of 3)", []),
        ("<b> (5.1)", ["5.1"]),
    ],
)
def test_rule_numbers_in_brackets_become_links(words: str, numbers: list[str]) -> None:
    found = linked(words, "#000")
    assert [number for number in numbers if f'href="rule:{number}"' in found] == numbers
    assert found.count("href") == len(numbers)
    assert "<b>" not in found


def test_only_links_to_rules_name_a_rule() -> None:
    assert rule_of("rule:8.42") == "8.42"
    assert rule_of("hex:842") == ""


def test_a_rule_that_holds_for_all_parts_is_cited_once() -> None:
    line = Line("army", "6", (Part("2", "15.21", text("points")), Part("3", "15.21", text("points")), Part("1", "15.21", text("points"))))
    assert figure_of(line).sum == "2 + 3 + 1 (15.21)"
    mixed = Line("army", "5", (Part("2", "15.21", text("points")), Part("3", "15.22", text("points"))))
    assert figure_of(mixed).sum == "2 (15.21) + 3 (15.22)"


def test_a_number_shows_its_rule_among_those_of_its_section(qtbot: QtBot) -> None:
    panel = RulesPanel(LIGHT, RULES)
    qtbot.addWidget(panel)
    panel.show_rule("4.1")
    text = panel.found.toPlainText()
    assert "Strikes" in text
    assert "Once a turn" in text
    assert "Moves" not in text


def test_words_are_searched_in_title_and_text(qtbot: QtBot) -> None:
    panel = RulesPanel(LIGHT, RULES)
    qtbot.addWidget(panel)
    qtbot.keyClicks(panel.search, "PAWN hex")
    qtbot.waitUntil(lambda: "Moves" in panel.found.toPlainText() and "Steps" not in panel.found.toPlainText())
    qtbot.keyClicks(panel.search, "zzz")
    qtbot.waitUntil(lambda: "No rule says that" in panel.found.toPlainText())


def test_every_ledger_reads_and_a_printed_number_finds_all_its_rows() -> None:
    ruleset = load("war_for_the_motherland")
    assert len(ruleset.rules()) > 500
    assert all(rule.id and rule.title and rule.must for rule in ruleset.rules())
    assert [rule.id for rule in ruleset.rule_text("8.42")] == ["8.42a", "8.42b"]
    assert [rule.id for rule in ruleset.rule_text("8.42b")] == ["8.42b"]
    assert ruleset.rule_text("99.9") == ()


def test_a_click_on_a_rule_opens_the_reference_there(window: MainWindow, new_match: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TOY, "rules", lambda: RULES)
    window.show_match(new_match())  # type: ignore[operator]
    page = window.game
    assert page is not None
    page.log.rule_wanted.emit("4.2")
    assert page.side.current == "rules"
    assert "A hit costs a step" in page.rules.found.toPlainText()
    page.show_draft()
    assert page.side.current == "rules"


def test_another_theme_finds_no_text_in_a_reference_that_is_not_seen(battlefield: GamePage) -> None:
    page = battlefield
    page.show_rule("8.22")
    assert "8.22" in page.rules.found.toPlainText()
    page.side.choose("todo")
    page.set_palette(DARK)
    assert page.rules.found.toPlainText() == ""
    page.side.choose("rules")
    assert "8.22" in page.rules.found.toPlainText()


def test_words_for_what_a_rule_is_about_find_it_and_so_does_what_it_shortens(window: MainWindow, qtbot: QtBot) -> None:
    del window
    panel = RulesPanel(LIGHT, load("war_for_the_motherland").rules())
    qtbot.addWidget(panel)
    for wanted, number in (("advance length", "8.113a"), ("retreat zone", "8.106")):
        panel.search.setText(wanted)
        panel.show_found()
        assert number in panel.found.toPlainText(), wanted


def test_a_reading_that_is_cited_is_a_link_to_its_words(battlefield: GamePage) -> None:
    page = battlefield
    page.show_rule("8.113")
    assert 'href="rule:D-47"' in page.rules.found.toHtml()
    page.show_rule("D-47")
    told = page.rules.found.toPlainText()
    assert "the number of the result less the steps lost" in told
    assert "D-48" not in told
