"""The chips of the phases: as many names whole as there is room for, the running one's and its neighbours' first."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFont, QFontMetricsF
from pytestqt.qtbot import QtBot

from client import fonts
from client.map.palette import LIGHT
from client.panels.header import PhaseChip, PhaseChips
from client.qt import Qt
from client.scale import px
from client.window import MainWindow

NAMES = ("Supply Check", "Air Combat", "Ground Movement", "Ground Combat", "Final Movement")


@pytest.mark.parametrize(
    ("spare", "told"),
    [
        (-1, ["·", "·", "Ground Movement", "·", "·"]),
        (0, ["SC", "AC", "Ground Movement", "GC", "FM"]),
        (150, ["SC", "Air Combat", "Ground Movement", "Ground Combat", "FM"]),
        (2_000, list(NAMES)),
    ],
)
def test_room_beside_the_initials_goes_to_names(qtbot: QtBot, qapp: object, spare: int, told: list[str]) -> None:
    chips = PhaseChips(LIGHT)
    qtbot.addWidget(chips)
    chips.show_phases(tuple(PhaseChip(name, "#445566", "now" if i == 2 else "next") for i, name in enumerate(NAMES)))
    metrics = QFontMetricsF(fonts.interface(px(12), QFont.Weight.Medium))
    chips.setMinimumWidth(0)
    chips.resize(chips.short_width() + spare if spare >= 0 else chips.short_width() - 12, 30)
    assert chips._fitting(metrics) == told


def test_where_there_is_no_room_for_dots_either_the_running_phase_stands_alone_and_is_shortened(qtbot: QtBot, qapp: object) -> None:
    chips = PhaseChips(LIGHT)
    qtbot.addWidget(chips)
    chips.show_phases(tuple(PhaseChip(name, "#445566", "now" if i == 2 else "next") for i, name in enumerate(NAMES)))
    metrics = QFontMetricsF(fonts.interface(px(12), QFont.Weight.Medium))
    chips.setMinimumWidth(0)
    whole = round(metrics.horizontalAdvance(NAMES[2]))
    for room, told in ((whole + 26, NAMES[2]), (whole, metrics.elidedText(NAMES[2], Qt.TextElideMode.ElideRight, whole - 22))):
        chips.resize(room, 30)
        assert chips._fitting(metrics) == ["", "", told, "", ""]
        chips.grab()
        assert [box.isEmpty() for box in chips._boxes] == [True, True, False, True, True]
        assert chips._boxes[2].right() <= room


@pytest.mark.parametrize("percent", [80, 100, 200])
def test_a_chip_is_as_high_as_its_words_ask_and_no_narrower(window: MainWindow, qtbot: QtBot, percent: int) -> None:
    window.looks.set_text(percent)
    chips = PhaseChips(LIGHT)
    qtbot.addWidget(chips)
    chips.show_phases((PhaseChip("Administrative", "#445566", "next"), PhaseChip("Supply Check", "#445566", "now")))
    for spare in (-12, 0):
        chips.setMinimumWidth(0)
        chips.resize(chips.short_width() + spare, chips.height())
        chips.grab()
        high = QFontMetricsF(fonts.interface(px(12), QFont.Weight.Medium)).height()
        assert all(box.width() >= box.height() for box in chips._boxes)
        assert chips._boxes[1].height() <= high + px(12)
    window.looks.set_text(100)
