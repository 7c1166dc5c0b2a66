"""The chips of the phases: as many names whole as there is room for, the running one's and its neighbours' first."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFont, QFontMetricsF
from pytestqt.qtbot import QtBot

from client import fonts
from client.map.palette import LIGHT
from client.panels.header import PhaseChip, PhaseChips
from client.scale import px

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
