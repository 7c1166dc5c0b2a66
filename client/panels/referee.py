"""What a referee may do at a table, and its owner: words for the record, pause, clocks, what spectators see, the end."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QFrame, QLayout, QLineEdit, QVBoxLayout, QWidget

from client import termwords
from client.durations import MINUTE
from client.panels.widgets import Chooser, button, label, row
from client.qt import Signal
from client.session.remote import RemoteMatch
from client.words import side_title
from core.log import Admit, AnyAct, Pause, Referee, Result, SetClock
from core.table_rules import LONGEST_NOTE
from core.terms import SpectatorTerms
from core.text import Text

MOST_MINUTES = 60 * 24 * 365


def whole(words: str, most: int) -> int | None:
    """Return a whole number from 0 to *most*, None for anything else."""
    words = words.strip()
    return int(words) if words.isascii() and words.isdigit() and len(words) < 10 and int(words) <= most else None


class RefereeBox(QFrame):
    """Shown to whoever may do any of it.

    Signals:
        rule_wanted(object): a table act.
    """

    rule_wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._match: RemoteMatch | None = None
        self._holds: SpectatorTerms | None = None  # what spectators see, as it was last put into the boxes
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 6, 0, 0)
        self._column.setSpacing(6)
        self.title = label("", "subheading", wrap=True)
        self._column.addWidget(self.title)
        self.remark = self._edit(self.tr("Words for the record"))
        self.pause = button("", self._pause)
        self.clock_side, self.minutes = Chooser(), self._edit(self.tr("Minutes left"))
        self.clock_side.setAccessibleName(self.tr("Whose clock"))
        self.view, self.delay = Chooser(), self._edit(self.tr("Entries later"))
        self.view.setAccessibleName(self.tr("What spectators see"))
        self.winner, self.reason = Chooser(), self._edit(self.tr("Why"))
        self.winner.setAccessibleName(self.tr("Who wins"))
        self._remarks = self._group(self.remark, self._button(self.tr("Write it in the log"), self._say))
        self._pauses = self._group(self.pause)
        self._clocks = self._group(self.clock_side, self.minutes, self._button(self.tr("Set the clock"), self._set_clock))
        self._views = self._group(self.view, self.delay, self._button(self.tr("Let spectators see this"), self._admit))
        self._ends = self._group(self.winner, self.reason, self._button(self.tr("End the game"), self._end))
        self.fault = label("", "warning", wrap=True)
        self.fault.hide()
        self._column.addWidget(self.fault)
        self.hide()

    def _edit(self, words: str) -> QLineEdit:
        made = QLineEdit()
        made.setPlaceholderText(words)
        made.setAccessibleName(words)
        made.setMaxLength(LONGEST_NOTE)
        return made

    @staticmethod
    def _button(words: str, press: Callable[[], object]) -> QWidget:
        return button(words, press, tip=words)

    def _group(self, *parts: QWidget) -> QWidget:
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        line: QLayout = row(*parts[:2], stretch=1) if len(parts) > 2 else row(parts[0], stretch=0)
        column.addLayout(line)
        if len(parts) > 1:
            column.addWidget(parts[-1])
        self._column.addWidget(holder)
        return holder

    def show_for(self, match: RemoteMatch) -> None:
        """Show what may be done by whoever looks on here; hide where that is nothing."""
        self._match = match
        rules, owns = match.may_rule(), match.match.terms.owner == match.player
        over = match.match.outcome is not None
        self.setVisible((rules or owns) and not over)
        self.title.setText(self.tr("As referee (all can see it)") if rules else self.tr("As owner of the game"))
        for part in (self._remarks, self._pauses):
            part.setVisible(rules)
        self._ends.setVisible(match.allows(Result("", "…")))
        self._clocks.setVisible(rules and match.match.table.clocks.are_kept)
        self.pause.setText(self.tr("Let the game go on") if match.match.table.paused else self.tr("Pause the game"))
        self.pause.setToolTip(self.pause.text())
        sides = {side: side_title(match.manifest, side) for side in match.match.table.sides}
        self._refill(self.clock_side, sides)
        self._refill(self.view, termwords.view_titles(sides))
        self._show_what_holds(match.match.table.spectators)
        self._refill(self.winner, {"": self.tr("nobody wins")} | (
            {side: self.tr("the {side} wins").format(side=title) for side, title in sides.items()} if rules else {}
        ))

    def _show_what_holds(self, now: SpectatorTerms) -> None:
        """Begin with what spectators see now; what is being chosen stays until that changes."""
        if now != self._holds:
            self._holds = now
            self.view.setCurrentIndex(max(0, self.view.findData(now.view)))
            self.delay.setText(str(now.delay_entries or ""))

    @staticmethod
    def _refill(chooser: Chooser, titles: dict[str, str]) -> None:
        if [chooser.itemText(i) for i in range(chooser.count())] != list(titles.values()):
            chooser.clear()
            for name, title in titles.items():
                chooser.addItem(title, name)

    # ---------------------------------------------------------------- acts

    def _do(self, act: AnyAct) -> None:
        self.tell_fault("")
        self.rule_wanted.emit(act)

    def tell_fault(self, words: str) -> None:
        """Say below what was typed why it can't be; empty: nothing is wrong."""
        self.fault.setText(words)
        self.fault.setVisible(bool(words))

    def _say(self) -> None:
        words = self.remark.text().strip()
        if not words:
            self.tell_fault(self.tr("Write the words first"))
            return
        self._do(Referee(Text("{words}", {"words": words})))
        self.remark.clear()

    def _pause(self) -> None:
        if self._match is not None:
            self._do(Pause(on=not self._match.match.table.paused))

    def _set_clock(self) -> None:
        minutes = whole(self.minutes.text(), MOST_MINUTES)
        if minutes is None:
            self.tell_fault(self.tr("Minutes left: a whole number from 0 to {most} is wanted").format(most=MOST_MINUTES))
            return
        self._do(SetClock(self.clock_side.currentData(), minutes * MINUTE))

    def _admit(self) -> None:
        delay = whole(self.delay.text() or "0", 100_000)
        if delay is None or self._match is None:
            self.tell_fault(self.tr("Entries later: a whole number from 0 to {most} is wanted").format(most=100_000))
            return
        now: SpectatorTerms = self._match.match.table.spectators
        self._do(Admit(SpectatorTerms(self.view.currentData(), delay, now.delay_ms, now.chat)))

    def _end(self) -> None:
        reason = self.reason.text().strip()
        if not reason:
            self.tell_fault(self.tr("Why: a reason is wanted, for all to read"))
            return
        self._do(Result(self.winner.currentData() or "", reason))
