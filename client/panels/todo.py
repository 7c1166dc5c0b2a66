"""The To-do panel: what can and must still be done in this phase; each line jumps there."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import msgspec

from client.panels.widgets import Column, LineButton, dressed, label
from client.qt import Signal
from core.board import Hex


class Task(msgspec.Struct, frozen=True):
    """One line: words, where, whether it must be done, whether leaving it undone deserves a warning; *brief* names it in such a warning.

    *foreseen*: it is no task, but what comes as things stand.
    """

    words: str
    hexes: tuple[Hex, ...]
    must: bool = False
    weighs: bool = False
    brief: str = ""
    foreseen: bool = False


class TodoPanel(Column):
    """Shows tasks.

    Signals:
        hexes_wanted(object): a line was pressed; its hexes as a tuple, to be visited in turn.
    """

    hexes_wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[tuple[Task, ...], str] | None = None

    def show_tasks(self, tasks: Sequence[Task], waiting_for: str) -> None:
        """Show the tasks, or what is waited for: the same as before at most clicks, and then nothing is built anew."""
        if (tuple(tasks), waiting_for) == self._shown:
            return
        self._shown = tuple(tasks), waiting_for
        column = self.refill()
        column.addWidget(label(self.tr("To do"), "heading"))
        if waiting_for:
            column.addWidget(label(waiting_for, "soft", wrap=True))
        elif not tasks:
            column.addWidget(label(self.tr("Nothing more: the phase can end."), "soft", wrap=True))
        for task in tasks:
            words = ("! " if task.must else "") + task.words
            if not task.hexes:  # there is nowhere to go to, and it is to be done all the same
                line = label(words, wrap=True)
                line.setContentsMargins(8, 4, 8, 4)
                column.addWidget(line)
                continue
            going = partial(self.hexes_wanted.emit, task.hexes)
            column.addWidget(dressed(LineButton(words), going, name="line", tip=self.tr("Go there")))
        column.addStretch(1)
