"""Answers given ahead are chosen from two boxes, whose words are never cut."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QStyle, QStyleOptionComboBox
from pytestqt.qtbot import QtBot

from client.map.palette import LIGHT
from client.panels.ahead import AheadChooser
from client.panels.widgets import Chooser
from client.style import PANEL_WIDTH, sheet
from core.rulesets import load
from tests.client.conftest import delete


@pytest.fixture
def asked(qapp: object) -> Iterator[AheadChooser]:
    rules = load("war_for_the_motherland")
    made = AheadChooser([(name, rules.titles[name], answer) for name, answers in rules.ahead.items() for answer in answers])
    made.setStyleSheet(sheet(LIGHT))
    made.setFixedWidth(PANEL_WIDTH - 48)  # what the panel leaves beside its margins and its scroll bar
    made.show()
    yield made
    delete(made)


def room(box: Chooser) -> int:
    option = QStyleOptionComboBox()
    box.initStyleOption(option)
    return box.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, box).width()


def test_every_decision_and_every_answer_is_read_whole(asked: AheadChooser) -> None:
    seen = 0
    for number in range(asked.decision.count()):
        asked.decision.setCurrentIndex(number)
        for box in (asked.decision, asked.answer):
            for words in (box.itemText(i) for i in range(box.count())):
                assert box.fontMetrics().horizontalAdvance(words) <= room(box), words
                seen += 1
    assert seen > asked.decision.count()


def test_the_answers_are_those_of_the_chosen_decision(asked: AheadChooser) -> None:
    ahead = load("war_for_the_motherland").ahead
    for name, answers in ahead.items():
        asked.choose(name)
        assert [asked.answer.itemData(i) for i in range(asked.answer.count())] == list(answers)
        assert asked.chosen() == (name, answers[0])


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_list_is_as_wide_as_its_longest_line(qtbot: QtBot) -> None:
    box = Chooser()
    qtbot.addWidget(box)
    box.addItems(["short", "a line that is much longer than the box is wide, and is read whole all the same"])
    box.setFixedWidth(90)
    box.show()
    box.showPopup()
    assert box.view().viewport().width() >= box.view().fontMetrics().horizontalAdvance(box.itemText(1))
    box.hidePopup()
