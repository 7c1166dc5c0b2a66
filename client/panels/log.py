"""The Log panel: each event in words, with its figures and rules, up to the moment that is shown."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from client.map.palette import Palette
from client.panels.links import linked, rule_of
from client.panels.scroll import Scroll
from client.panels.widgets import button, row
from client.qt import Signal
from client.session.match import Match
from client.session.words import LogLine
from client.words import capital, reckoned, say

SHOWN = 160  # moments back from the one that is shown; earlier ones are reached by the timeline
MARKS = {"move": "→", "battle": "⚔", "loss": "−", "dice": "·", "table": "§", "other": "·"}


class LogPanel(QWidget):
    """Words of the moments up to the one shown, all or some kinds of them; a click on a line goes to its place.

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
        self._shown: tuple[int, int, str] = (-1, -1, "")
        self._known: dict[tuple[int, int, str], tuple[LogLine, str]] = {}  # lines as they were written, by identity, moment and theme
        self._match: Match | None = None
        self.kind = "all"
        self.text = Scroll()
        self.text.setAccessibleName(self.tr("Log"))
        self.text.anchorClicked.connect(lambda url: self._go(url.toString()))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 6, 0, 0)
        layout.setSpacing(6)
        layout.addLayout(self._filters())
        layout.addWidget(self.text, 1)
        self._spoken = [made.toolTip() for made in self.filters.values()]  # in which language its lines are written

    def _filters(self) -> QHBoxLayout:
        """Return a button for each kind of line; one of them is pressed."""
        self.filters, group = dict[str, QPushButton](), QButtonGroup(self)
        titles = {"all": self.tr("All"), "battle": self.tr("Battles"), "move": self.tr("Moves"), "loss": self.tr("Losses")}
        for kind, title in titles.items():
            made = button(title, lambda kind=kind: self.show_only(kind), name="chip", checkable=True)  # type: ignore[misc]
            made.setToolTip(self.tr("Show in the log: {what}").format(what=title))
            made.setChecked(kind == self.kind)
            group.addButton(made)
            self.filters[kind] = made
        layout = row(*self.filters.values(), spacing=4)
        layout.setContentsMargins(10, 0, 10, 0)
        layout.addStretch(1)
        return layout

    def show_only(self, kind: str) -> None:
        """Show ``all`` lines, or only those of a kind, with the phases they fall in."""
        self.kind = kind
        self.filters[kind].setChecked(True)
        if self._match is not None:
            self.show_match(self._match)

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
        self._match = match
        key = (match.cursor, match.moments()[-1].number if match.moments() else -1, self.kind)
        if key == self._shown or not self.isVisible():
            return
        self._shown = key
        first = max(0, match.cursor - SHOWN)
        told = [(index, line) for index in range(first, match.cursor + 1) for line in match.lines(index)]
        self.text.write(self._parts(self._wanted(told)))

    def take_over(self, before: LogPanel) -> None:
        """Begin with the lines that another log of the same game has written: in a long game that took a quarter of a new page's time."""
        if self._spoken == before._spoken:
            self._known = before._known

    def _parts(self, told: Sequence[tuple[int, LogLine]]) -> list[str]:
        """Return lines as the text shows them; each is written once, for as long as it is told and the theme stays."""
        before, self._known = self._known, {}
        for index, line in told:
            key = (id(line), index, self.palette_.name)
            self._known[key] = before.get(key) or (line, self._line(line, index))  # the line is held, so that no other gets its id
        return [self._known[id(line), index, self.palette_.name][1] for index, line in told]

    def _wanted(self, told: Sequence[tuple[int, LogLine]]) -> list[tuple[int, LogLine]]:
        """Return the lines of the wanted kind, and before them the phase that they fall in."""
        if self.kind == "all":
            return list(told)
        kept: list[tuple[int, LogLine]] = []
        phase: tuple[int, LogLine] | None = None
        for index, line in told:
            if line.kind == "phase":
                phase = (index, line)
            elif line.kind == self.kind:
                kept += [phase] if phase is not None else []
                kept.append((index, line))
                phase = None
        return kept

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._match is not None:
            self.show_match(self._match)

    def forget(self) -> None:
        """Write everything anew at the next chance."""
        self._shown = (-1, -1, "")

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
            words = f"{escape(say(figure.name))}: {linked(reckoned(figure.sum), soft)}{total}"
            told += f'<p style="margin:0 0 0 26px;color:{soft}">{words}</p>'
        return told
