"""A hex is called as players call it, in their language, wherever it is named."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from PySide6.QtWidgets import QApplication, QLabel

from client import languages
from client.game import GamePage
from client.session.words import _explained
from client.words import say, word
from core.board import Hex
from core.events import Explained
from core.text import text


@pytest.fixture
def unnamed(battlefield: GamePage) -> Hex:
    """A hex of Turning Point that has no name, next to one that has."""
    board = battlefield.match.setting.board
    here = board.hex("E4808")
    assert board.name(here) == "E4808 near Stalingrad"
    return here


def test_an_unnamed_hex_is_called_by_a_place_nearby_in_stack_log_and_hint(battlefield: GamePage, unnamed: Hex) -> None:
    page = battlefield
    page.map.set_cursor(unnamed)
    page.selected_hex = unnamed
    page._show_stack()
    assert "E4808 near Stalingrad" in [one.text() for one in page.stack.findChildren(QLabel)]


def test_the_hexes_that_a_title_names_are_found_by_their_names(battlefield: GamePage, unnamed: Hex) -> None:
    view = battlefield.match.view
    named = view.board.hex("E4708")
    title = text("Attack on {hex}", hex=f"{view.board.name(unnamed)}, {view.board.name(named)}")
    assert _explained(Explained("attack", title), view).places == (unnamed, named)


def test_what_is_called_by_a_place_nearby_is_translated_with_that(qapp: QApplication, tmp_path: Path) -> None:
    texts = {"{hex} near {place}": "{hex} bei {place}", "Moscow": "Moskau"}
    (tmp_path / "de.json").write_bytes(msgspec.json.encode(languages.Catalogue("Deutsch", texts)))
    translator = languages.install(qapp, "de", [tmp_path])
    assert translator is not None
    try:
        assert word("E4808 near Moscow") == "E4808 bei Moskau"
        assert word("E4808 near Moscow, E4908 near Kalach") == "E4808 bei Moskau, E4908 bei Kalach"
        assert say(text("to {hex}", hex="E4808 near Moscow")) == "to E4808 bei Moskau"
        assert word("nothing near Moscow") == "nothing near Moscow"
    finally:
        qapp.removeTranslator(translator)
