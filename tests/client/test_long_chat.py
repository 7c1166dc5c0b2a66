"""A chat of ten thousand lines: one more is written alone, and of those above only what is read."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from client.map.palette import LIGHT, PALETTES
from client.panels import chat as chat_module
from client.panels.chat import ChatPanel
from client.panels.scroll import AT_ONCE, MANY
from core.protocol import ChatLine

LONG = 10_000


def line(number: int, words: str = "") -> ChatLine:
    return ChatLine(number, 60_000 * number, "all", "Anna" if number % 2 else "Boris", words or f"line {number}")


@pytest.fixture
def chat(qapp: object, qtbot: QtBot) -> ChatPanel:
    made = ChatPanel(LIGHT)
    made.resize(380, 700)
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names that were written."""
    names, escape = list[str](), chat_module.escape
    monkeypatch.setattr(chat_module, "escape", lambda words: (names.append(words), escape(words))[1])
    return names


def test_one_more_line_of_a_long_chat_is_written_alone(chat: ChatPanel, qtbot: QtBot, written: list[str]) -> None:
    lines = [line(number) for number in range(LONG)]
    chat.show_lines(lines)
    assert chat.text.document().blockCount() <= 2 * AT_ONCE + 1
    qtbot.waitUntil(lambda: not chat.text._growing.isActive())
    assert MANY <= len(chat.text._written) < 2 * MANY
    blocks = chat.text.document().blockCount()
    written.clear()
    chat.show_lines([*lines, line(LONG)])
    assert written == ["Boris", f"line {LONG}"]
    assert chat.text.document().blockCount() == blocks + 2
    assert chat.text.toPlainText().endswith(f"line {LONG}")


def test_lines_far_above_come_as_they_are_scrolled_to(chat: ChatPanel, qtbot: QtBot) -> None:
    chat.show_lines([line(number) for number in range(2 * MANY)])
    qtbot.waitUntil(lambda: not chat.text._growing.isActive())
    assert "line 0\n" not in chat.text.toPlainText()
    for _ in range(2 * MANY // AT_ONCE):
        chat.text.verticalScrollBar().setValue(0)
        qtbot.waitUntil(lambda: not chat.text._growing.isActive())
    assert "line 0\n" in chat.text.toPlainText()


def test_lines_of_another_server_with_the_same_numbers_are_its_own(chat: ChatPanel) -> None:
    chat.show_lines([line(1, "here")])
    chat.show_lines([line(1, "there")])
    assert chat.text.toPlainText().splitlines()[1:] == ["there"]
    chat.show_lines(())
    assert chat.text.toPlainText() == "Nothing was said yet."


def test_another_theme_writes_the_chat_anew(chat: ChatPanel) -> None:
    chat.show_lines([line(1)])
    chat.palette_ = PALETTES["dark"]
    chat.show_lines([line(1)])
    assert PALETTES["dark"].ink_soft.lower() in chat.text.toHtml().lower()
