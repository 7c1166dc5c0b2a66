"""The log's text: whatever stood there before, it shows the parts that it is given, and is not written anew for one more."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from client.panels.scroll import AT_ONCE, Scroll

pytestmark = pytest.mark.usefixtures("qapp")
Paragraph = tuple[str, float, float, float, tuple[tuple[str, int, str], ...]]


def part(number: int) -> str:
    """Return a phase or a line with figures, as the log has them; some are alike."""
    if number % 7 == 0:
        return '<p style="margin:12px 0 4px 0"><b>Movement</b></p>'
    figures = '<p style="margin:0 0 0 26px;color:#888888">odds: 3 + 4 = <b>7</b></p>' * (number % 3)
    return f'<p style="margin:2px 0 2px 12px;text-indent:-12px"><a href="at:{number}">x</a>&nbsp;moves {number}</p>{figures}'


def paragraphs(text: Scroll) -> list[Paragraph]:
    """Return each paragraph with how it is set."""
    found, block = list[Paragraph](), text.document().begin()
    while block.isValid():
        form, runs, run = block.blockFormat(), [], block.begin()
        while not run.atEnd():
            piece = run.fragment()
            runs.append((piece.text(), piece.charFormat().fontWeight(), piece.charFormat().anchorHref()))
            run += 1
        found.append((block.text(), form.topMargin(), form.leftMargin(), form.textIndent(), tuple(runs)))
        block = block.next()
    return found


def whole(qtbot: QtBot, parts: list[str]) -> list[Paragraph]:
    text = Scroll()
    qtbot.addWidget(text)
    text.setHtml("".join(parts))
    return paragraphs(text)


windows = st.tuples(st.integers(0, 260), st.integers(0, 160), st.booleans())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(st.lists(windows, min_size=1, max_size=5))
def test_it_shows_what_it_is_given_whatever_stood_there(qtbot: QtBot, seen: list[tuple[int, int, bool]]) -> None:
    text, parts = Scroll(), list[str]()
    qtbot.addWidget(text)
    for first, count, waits in seen:
        parts = [part(number) for number in range(first, first + count)]
        text.write(parts)
        if waits:
            while text._earlier:
                text._grow()
    while text._earlier:
        text._grow()
    assert paragraphs(text) == whole(qtbot, parts)


def test_one_more_line_or_one_less_writes_no_other_anew(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    text, set_anew = Scroll(), list[str]()
    qtbot.addWidget(text)
    text.write([part(number) for number in range(20)])
    monkeypatch.setattr(text, "setHtml", set_anew.append)
    for first, last in ((0, 21), (1, 22), (1, 12), (2, 16)):
        text.write([part(number) for number in range(first, last)])
        assert paragraphs(text) == whole(qtbot, [part(number) for number in range(first, last)])
    assert set_anew == []


def test_a_long_text_is_set_in_pieces_with_its_end_in_sight(qtbot: QtBot) -> None:
    text = Scroll()
    qtbot.addWidget(text)
    text.resize(300, 200)
    text.show()
    text.write([part(number) for number in range(4 * AT_ONCE)])
    assert text.document().blockCount() < 3 * AT_ONCE
    qtbot.waitUntil(lambda: not text._earlier)
    bar = text.verticalScrollBar()
    assert bar.value() == bar.maximum() > 1000
    assert paragraphs(text) == whole(qtbot, [part(number) for number in range(4 * AT_ONCE)])


def test_who_reads_further_up_is_left_there_while_more_is_set_above(qtbot: QtBot) -> None:
    text = Scroll()
    qtbot.addWidget(text)
    text.resize(300, 200)
    text.show()
    text.write([part(number) for number in range(4 * AT_ONCE)])
    bar = text.verticalScrollBar()
    bar.setValue(bar.maximum() - 500)
    qtbot.waitUntil(lambda: not text._earlier)
    assert bar.maximum() - bar.value() == 500
