"""Fields that can't be used look so, in every theme."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from client.map.palette import PALETTES
from client.panels.widgets import Chooser
from client.qt import Qt
from client.style import sheet


@pytest.mark.parametrize("theme", PALETTES)
def test_a_field_that_can_not_be_used_looks_so(qtbot: QtBot, theme: str) -> None:
    host = QWidget()
    qtbot.addWidget(host)
    host.setStyleSheet(sheet(PALETTES[theme]))
    chooser, line = Chooser(), QLineEdit("Anna")
    chooser.addItem("you play the Soviet")
    column = QVBoxLayout(host)
    for field in (chooser, line):
        field.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # a frame of the focus would go as well
        column.addWidget(field)
    host.show()
    for field in (chooser, line):
        usable = field.grab().toImage()
        field.setEnabled(False)
        assert field.grab().toImage() != usable
