"""Words of the window to the player: one line that goes by itself, or a card with all faults of an input."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from client.map.palette import Palette
from client.panels.card import cards_on
from client.panels.widgets import button, clear, label
from client.qt import QEvent, QObject, QPoint, QRect, Qt, QTimer
from client.scale import px

SHOWN_MS = 6000
MOST_LINES = 14
GAP = 8


class Notice(QFrame):
    """Floats over the window's middle, at the top."""

    def __init__(self, parent: QWidget, palette: Palette) -> None:
        super().__init__(parent)
        self.palette_ = palette
        self._host = parent
        self.setObjectName("card")
        self.title = label("", "subheading", wrap=False)
        self.lines = QLabel()
        self.lines.setTextFormat(Qt.TextFormat.PlainText)
        self.lines.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.lines.setWordWrap(True)
        self.close_button = button(self.tr("Close"), self.hide, tip=self.tr("Close this card"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 12, 18, 12)
        layout.addWidget(self.title)
        layout.addWidget(self.lines)
        self.answers = QHBoxLayout()
        layout.addLayout(self.answers)
        layout.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignRight)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.hide)
        self.hide()
        parent.installEventFilter(self)

    def say(self, words: str) -> None:
        """Show one line for some seconds."""
        self.title.setText(words)
        self.lines.hide()
        self.close_button.hide()
        self._appear()
        self._timer.start(SHOWN_MS)

    def tell(self, title: str, lines: Sequence[str]) -> None:
        """Show a card with all that is wrong, until it is closed."""
        self._timer.stop()
        clear(self.answers)
        self.title.setText(title)
        shown = list(lines[:MOST_LINES])
        if len(lines) > MOST_LINES:
            shown.append(self.tr("and %n more", "", len(lines) - MOST_LINES))
        self.lines.setText("\n".join(shown))
        self.lines.show()
        self.close_button.show()
        self._appear()

    def ask(self, question: str, answer: Callable[[bool], object]) -> None:
        """Show a question with Yes and No until it is answered."""
        self.choose(question, [], ((self.tr("Yes"), lambda: answer(True)), (self.tr("No"), lambda: answer(False))))

    def choose(self, question: str, lines: Sequence[str], choices: Sequence[tuple[str, Callable[[], object]]]) -> None:
        """Show a question with what there is to know, and a button a choice, until one is taken."""
        self.tell(question, lines)
        self.lines.setVisible(bool(lines))
        self.close_button.hide()
        for words, act in choices:
            made = button(words, lambda act=act: self._chosen(act), tip=words)  # type: ignore[misc]
            self.answers.addWidget(made)
            made.show()
        self._appear()

    def _chosen(self, act: Callable[[], object]) -> None:
        clear(self.answers)
        self.hide()
        act()

    def _appear(self) -> None:
        most = min(px(640), max(px(320), self._host.width() - 80))
        layout = self.layout()
        assert layout is not None, "the card has a layout"
        layout.activate()
        one_line = self.lines.isHidden() and self.close_button.isHidden() and not self.answers.count()
        self.setFixedWidth(min(most, self.sizeHint().width()) if one_line else most)  # one line hides no more of the map than it needs
        self.adjustSize()
        self._place()
        self.show()
        self.raise_()

    def _place(self) -> None:
        """Lie below the cards that ask or tell something over the map, or else where they would be."""
        at = QRect(QPoint((self._host.width() - self.width()) // 2, px(84)), self.size())
        for box in sorted(cards_on(self._host), key=QRect.bottom):
            if box.intersects(at) and box.bottom() + GAP + at.height() <= self._host.height():
                at.moveTop(box.bottom() + GAP)
        self.move(at.topLeft())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return False
