"""Qt's own dialogs, which ask for files where the desktop has none."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QFileDialog, QHeaderView, QTreeView
from pytestqt.qtbot import QtBot

from client.map.palette import PALETTES
from client.qt import QPoint
from client.style import sheet
from client.window import MainWindow


@pytest.mark.parametrize("theme", PALETTES)
def test_a_dialog_for_files_is_written_in_ink_on_the_grounds_of_its_theme(qtbot: QtBot, tmp_path: Path, theme: str) -> None:
    palette, dialog = PALETTES[theme], QFileDialog(None, "Save", str(tmp_path))
    qtbot.addWidget(dialog)
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    dialog.setStyleSheet(sheet(palette))
    dialog.show()
    files = dialog.findChild(QTreeView)
    assert isinstance(files, QTreeView)
    heads = files.findChild(QHeaderView)
    assert isinstance(heads, QHeaderView)
    seen = dialog.grab().toImage()

    def ground(where: QPoint) -> QColor:
        return seen.pixelColor(where * seen.devicePixelRatio())

    assert ground(QPoint(3, 3)) == QColor(palette.chrome)
    assert ground(files.viewport().mapTo(dialog, files.viewport().rect().center())) == QColor(palette.card)
    assert ground(heads.viewport().mapTo(dialog, QPoint(3, 3))) == QColor(palette.chrome)


def test_a_game_file_is_looked_for_at_home_while_no_game_was_kept(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def ask(parent: object, title: str, folder: str, kinds: str) -> tuple[str, str]:
        asked.append(folder)
        return "", ""

    monkeypatch.setattr("client.window.QFileDialog.getOpenFileName", ask)
    window.folder = tmp_path / "games"
    window.choose_file()
    window.folder.mkdir()
    window.choose_file()
    assert asked == [str(Path.home()), str(tmp_path / "games")]
