"""The question card: what the table asks over the map, such as an offer, with its replies; it stays until it is answered or gone."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from client.panels.card import WordsCard
from client.panels.widgets import button, clear
from client.qt import Signal
from client.session.questions import Question
from client.words import capital, say


class QuestionCard(WordsCard):
    """Floats over the map, below its upper edge.

    Signals:
        replied(object, str): a `Question`, and what was chosen of its replies.
    """

    replied = Signal(object, str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.asked: Question | None = None
        self.replies = QHBoxLayout()
        self.column.addLayout(self.replies)

    def ask(self, question: Question | None) -> bool:
        """Show a question, or none; say whether that is another one, not the same with other words."""
        before, self.asked = self.asked, question
        if question is None:
            self.hide()
            return before is not None
        if before is None or before.replies != question.replies or (before.kind, before.about) != (question.kind, question.about):
            self._offer(question)
        told = [say(words) for words in (question.where, question.words) if words is not None]
        self.appear(capital(say(question.heading)), ". ".join(told))
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
