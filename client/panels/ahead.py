"""A decision that may come up later, and the answer that is kept for it: two boxes, as both do not fit in one line of a panel."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from client.panels.widgets import Chooser
from client.words import capital, say
from core.ruleset import Ahead
from core.text import Text


class AheadChooser(QWidget):
    """Asks which answer shall be given ahead.

    Args:
        answers: each with the name of its decision, and what that is called.
    """

    def __init__(self, answers: Sequence[tuple[str, Text, Ahead]]) -> None:
        super().__init__()
        self._answers = answers
        self.decision, self.answer = Chooser(), Chooser()
        self.decision.setAccessibleName(self.tr("Decision to be answered when it comes"))
        self.answer.setAccessibleName(self.tr("Answer to it"))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        for made in (self.decision, self.answer):
            made.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            column.addWidget(made)
        for name, title in {name: title for name, title, _ in answers}.items():
            self.decision.addItem(capital(say(title)), name)
        self.decision.currentIndexChanged.connect(self._list)
        self._list()

    def _list(self) -> None:
        """List the answers to the chosen decision."""
        self.answer.clear()
        for name, _, answer in self._answers:
            if name == self.decision.currentData():
                self.answer.addItem(capital(say(answer.label)), answer)

    def chosen(self) -> tuple[str, Ahead]:
        """Return the decision and its answer."""
        return self.decision.currentData(), self.answer.currentData()

    def choose(self, decision: str) -> None:
        """Choose a decision, if it is there."""
        self.decision.setCurrentIndex(max(0, self.decision.findData(decision)))
