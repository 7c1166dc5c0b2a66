"""A text that grows at its end and is read there: only what differs from what stands there is written, and much of it piece by piece."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QTextCursor, QTextDocument
from PySide6.QtWidgets import QFrame, QTextBrowser

from client.qt import Qt, QTimer

NEAR_END = 24  # pixels from its end within which the text follows it
AT_ONCE = 24  # paragraphs or so that are set without letting the window do something else: measured, up to half a millisecond each
MANY = 600  # parts above which those further up are set only when they are scrolled to: each costs more, the more stand below it
START, END, KEEP = QTextCursor.MoveOperation.Start, QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor


class Scroll(QTextBrowser):
    """Shows parts of HTML, each of one or more ``<p>`` with their styles written out, the last of them in sight."""

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(12)
        self._written: list[str] = []
        self._earlier: list[str] = []  # parts that are still to be set above those
        self._growing = QTimer(self, singleShot=True, interval=0)
        self._growing.timeout.connect(self._grow)
        self._high = 0  # how far the text could be scrolled
        self.verticalScrollBar().valueChanged.connect(lambda _: self._grow_soon())
        self.verticalScrollBar().rangeChanged.connect(lambda _low, high: self._keep_end(high))

    def write(self, parts: Sequence[str]) -> None:
        """Show these parts and the end of them; what stands there already is left alone."""
        kept = self._earlier + self._written
        start = kept.index(parts[0]) if parts and parts[0] in kept else len(kept)
        same = next((i for i, (a, b) in enumerate(zip(kept[start:], parts, strict=False)) if a != b), min(len(kept) - start, len(parts)))
        ahead = len(self._earlier)
        if not same or start + same <= ahead or len(parts) - same > AT_ONCE:
            self._begin(parts)
        else:
            self._cut_end(start + same - ahead)
            self._cut_start(max(0, start - ahead))
            self._earlier = self._earlier[start:]
            self._append(parts[same:])
        self._show_end()

    def _begin(self, parts: Sequence[str]) -> None:
        """Set the last parts now, and those above them when there is time."""
        self._earlier, self._written = list(parts[:-AT_ONCE]), list(parts[-AT_ONCE:])
        self.setHtml("".join(self._written))
        self._grow_soon()

    def _append(self, parts: Sequence[str]) -> None:
        if parts:
            cursor = QTextCursor(self.document())
            cursor.movePosition(END)
            cursor.insertBlock()
            _insert(cursor, parts)
            self._written += parts

    def _cut_end(self, kept: int) -> None:
        """Take away all but the first *kept* parts; one at least stays."""
        if kept < len(self._written):
            last = self.document().findBlockByNumber(_blocks(self._written[:kept]) - 1)
            cursor = QTextCursor(self.document())
            cursor.setPosition(last.position() + last.length() - 1)
            cursor.movePosition(END, KEEP)
            cursor.removeSelectedText()
            del self._written[kept:]

    def _cut_start(self, gone: int) -> None:
        if gone:
            cursor = QTextCursor(self.document())
            cursor.setPosition(self.document().findBlockByNumber(_blocks(self._written[:gone])).position(), KEEP)
            cursor.removeSelectedText()
            del self._written[:gone]

    def _grow(self) -> None:
        """Set some more of the parts above, without moving what is in sight."""
        if not self._earlier:
            return
        parts, self._earlier = self._earlier[-AT_ONCE:], self._earlier[:-AT_ONCE]
        bar = self.verticalScrollBar()
        below = bar.maximum() - bar.value()
        cursor = QTextCursor(self.document())
        cursor.insertBlock()
        cursor.movePosition(START)
        _insert(cursor, parts)
        self._written = parts + self._written
        bar.setValue(bar.maximum() - below)
        self._grow_soon()

    def _grow_soon(self) -> None:
        """Set more of the parts above when there is time, if there are some; of very many only what is read."""
        is_near = self.verticalScrollBar().value() < self.viewport().height()
        if self._earlier and (is_near or len(self._written) < MANY):
            self._growing.start()

    def _show_end(self) -> None:
        bar = self.verticalScrollBar()
        bar.setValue(bar.maximum())

    def _keep_end(self, high: int) -> None:
        """Keep the end in sight where it was: lines that break anew, or less room, would cut the last one off."""
        if self.verticalScrollBar().value() >= min(self._high, high) - NEAR_END:
            self._show_end()
        self._high = high


def _insert(cursor: QTextCursor, parts: Sequence[str]) -> None:
    """Set parts at an empty paragraph; Qt forgets the style of the first one, depending on how many there are."""
    first, style = cursor.position(), QTextDocument()
    style.setHtml(parts[0])
    cursor.insertHtml("".join(parts))
    cursor.setPosition(first)
    cursor.setBlockFormat(style.firstBlock().blockFormat())


def _blocks(parts: Sequence[str]) -> int:
    """Return how many paragraphs parts have."""
    return sum(part.count("<p ") for part in parts)
