"""The question card: what the table asks over the map, such as an offer, with its replies; it stays until it is answered or gone."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from client.panels.widgets import button, clear, label
from client.qt import Signal
from client.scale import px
from client.session.questions import Question
from client.words import capital, say

WIDTH = 372


class QuestionCard(QFrame):
    """Floats over the map, below its upper edge.

    Signals:
        replied(object, str): a `Question`, and what was chosen of its replies.
    """

    replied = Signal(object, str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("lesson")
        self.setFixedWidth(px(WIDTH))
        self.asked: Question | None = None
        self.heading = label("", "subheading", wrap=True)
        self.words = label("", "soft", wrap=True)
        for part in (self.heading, self.words):
            part.setFixedWidth(px(WIDTH) - 32)
        self.replies = QHBoxLayout()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.setSpacing(6)
        layout.addWidget(self.heading)
        layout.addWidget(self.words)
        layout.addLayout(self.replies)
        self.hide()

    def ask(self, question: Question | None) -> bool:
        """Show a question, or none; say whether that is another one, not the same with other words."""
        before, self.asked = self.asked, question
        if question is None:
            self.hide()
            return before is not None
        self.heading.setText(capital(say(question.heading)))
        self.words.setText(say(question.words) if question.words is not None else "")
        self.words.setVisible(question.words is not None)
        if before is None or before.replies != question.replies or (before.kind, before.about) != (question.kind, question.about):
            self._offer(question)
        layout = self.layout()
        assert layout is not None, "the card has a layout"
        layout.activate()
        self.adjustSize()
        self.show()
        return before is None or (before.kind, before.about) != (question.kind, question.about)

    def _offer(self, question: Question) -> None:
        clear(self.replies)
        for reply in question.replies:
            words = say(reply.label)
            made = button(words, lambda what=reply.what: self._reply(what), tip=words)  # type: ignore[misc]
            made.setEnabled(reply.is_open)
            self.replies.addWidget(made, 1)
            made.show()

    def _reply(self, what: str) -> None:
        if self.asked is not None:
            for made in self.findChildren(QPushButton):
                made.setEnabled(False)  # until the table has moved on, or it is refused
            self.replied.emit(self.asked, what)

    def forget(self) -> None:
        """Let the question be answered again, as the last reply was refused."""
        asked, self.asked = self.asked, None
        self.ask(asked)
