"""The Log panel: each event in words, with its figures and rules, up to the moment that is shown."""

from __future__ import annotations

from html import escape

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QFrame, QTextBrowser

from client.map.palette import Palette
from client.panels.links import linked, rule_of
from client.qt import Qt, Signal
from client.session.match import Match
from client.session.words import LogLine
from client.words import capital, say

SHOWN = 160  # moments back from the one that is shown; earlier ones are reached by the timeline
MARKS = {"move": "→", "battle": "⚔", "loss": "−", "dice": "·", "other": "·"}


class LogPanel(QTextBrowser):
    """Words of the moments up to the one shown; a click on a line goes to its place.

    Signals:
        place_wanted(int): a hex was clicked.
        moment_wanted(int): a moment's number was clicked.
        rule_wanted(str): a rule's number was clicked.
    """

    place_wanted = Signal(int)
    moment_wanted = Signal(int)
    rule_wanted = Signal(str)

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self.palette_ = palette
        self._shown: tuple[int, int] = (-1, -1)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Log"))
        self.document().setDocumentMargin(12)
        self.anchorClicked.connect(lambda url: self._go(url.toString()))

    def _go(self, target: str) -> None:
        kind, _, number = target.partition(":")
        if rule_of(target):
            self.rule_wanted.emit(rule_of(target))
        elif kind == "hex":
            self.place_wanted.emit(int(number))
        else:
            self.moment_wanted.emit(int(number))

    def show_match(self, match: Match) -> None:
        """Show what happened up to the shown moment."""
        key = (match.cursor, match.moments()[-1].number if match.moments() else -1)
        if key == self._shown:
            return
        self._shown = key
        first = max(0, match.cursor - SHOWN)
        parts = [self._moment(match, index) for index in range(first, match.cursor + 1)]
        self.setHtml("".join(parts))
        self.moveCursor(QTextCursor.MoveOperation.End)
        self.ensureCursorVisible()

    def forget(self) -> None:
        """Write everything anew at the next chance."""
        self._shown = (-1, -1)

    def _moment(self, match: Match, index: int) -> str:
        lines = match.lines(index)
        return "".join(self._line(line, index) for line in lines)

    def _line(self, line: LogLine, index: int) -> str:
        words = escape(capital(say(line.text)))
        if line.kind == "phase":
            return f'<p style="margin:12px 0 4px 0"><b>{words}</b></p>'
        places = [place for place in line.places if place >= 0]
        if places:
            words = f'<a style="color:{self.palette_.ink};text-decoration:none" href="hex:{places[-1]}">{words}</a>'
        mark = f'<a style="color:{self.palette_.ink_soft};text-decoration:none" href="at:{index}">{MARKS[line.kind]}</a>'
        told = f'<p style="margin:2px 0 2px 12px;text-indent:-12px">{mark}&nbsp;{words}</p>'
        for figure in line.figures:
            total = f" = <b>{escape(figure.total)}</b>" if figure.total else ""
            soft = self.palette_.ink_soft
            words = f"{escape(figure.name)}: {linked(figure.sum, soft)}{total}"
            told += f'<p style="margin:0 0 0 26px;color:{soft}">{words}</p>'
        return told
