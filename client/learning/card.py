"""The card of a lesson: where it stands, what it says, and the ways on, back and out."""

from __future__ import annotations

from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import QWidget

from client.panels.card import Card
from client.panels.widgets import button, label, row
from client.qt import Qt, Signal
from core.lessons import LessonStep

WIDTH = 420
LINES = 5  # of a step's words: as many as most have


class LessonCard(Card):
    """Floats over the map.

    Signals:
        on_wanted(): on to the next step, done or not.
        back_wanted(): one step back.
        leave_wanted(): the lesson shall be over.
    """

    on_wanted = Signal()
    back_wanted = Signal()
    leave_wanted = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, name="lesson", width=WIDTH)
        self.setAccessibleName(self.tr("Lesson"))
        self.where = label("", "soft")
        self.title = self.written("heading")
        self.words = self.written("")
        self.leave = button(self.tr("Leave"), self.leave_wanted.emit, tip=self.tr("Leave the lesson; the game goes on (Shift+Esc)"))
        self.back = button(self.tr("Back"), self.back_wanted.emit, tip=self.tr("Read the step before (Page Up)"))
        self.on = button("", self.on_wanted.emit, tip=self.tr("On to the next step (Page Down)"))
        for key, made in (("PgUp", self.back), ("PgDown", self.on)):  # Shift+Esc is the window's: an order goes before the lesson
            QShortcut(key, self).activated.connect(made.click)  # not the button's own: a change of its words would drop that
        self.words.setMinimumHeight(LINES * self.words.fontMetrics().lineSpacing())  # the buttons stay where they are
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop)
        for part in (self.where, self.title, self.words):
            self.column.addWidget(part)
        buttons = row(self.leave)
        buttons.addStretch(1)
        buttons.addWidget(self.back)
        buttons.addWidget(self.on)
        self.column.addSpacing(4)
        self.column.addLayout(buttons)

    def show_step(self, step: LessonStep, number: int, count: int, *, waits: bool) -> None:
        """Show a step; *waits* says that something is to be done before it is over."""
        self.where.setText(self.tr("Step {number} of {count}").format(number=number + 1, count=count))
        self.title.setText(self.tr(step.title))
        self.words.setText(self.tr(step.text))
        self.back.setEnabled(number > 0)
        last = number == count - 1
        self.on.setText(self.tr("Finish") if last else self.tr("Skip this") if waits else self.tr("Go on"))
        name = "" if waits else "primary"
        if self.on.objectName() != name:
            self.on.setObjectName(name)
            self.on.style().unpolish(self.on)
            self.on.style().polish(self.on)
        self.fit()
        self.show()
        self.raise_()
