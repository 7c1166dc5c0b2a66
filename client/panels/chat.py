"""The Chat panel: the rooms that may be read, and a line to write in one of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from PySide6.QtGui import QShowEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QLineEdit, QTextBrowser, QVBoxLayout, QWidget

from client.durations import hour_of
from client.map.palette import Palette
from client.panels.widgets import Chooser, button, label, row
from client.qt import Qt, Signal
from core.protocol import ChatLine

MOST_LETTERS = 500


class ChatPanel(QWidget):
    """Lines of chat, and a place to write.

    A line that was sent stays in its place until it is kept by the server; if it is refused, the reason stands below it.

    Signals:
        say_wanted(str, str): a room, and what shall be said there.
        seen(): the lines have come into sight.
    """

    say_wanted = Signal(str, str)
    seen = Signal()

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self.palette_ = palette
        self._shown: object = None
        self._titles: dict[str, str] = {}
        self._waits = ""  # the id of the line that was sent and not answered
        self.text = QTextBrowser()
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.text.setAccessibleName(self.tr("What was said"))
        self.text.document().setDocumentMargin(12)
        self.room = Chooser()
        self.room.setAccessibleName(self.tr("Who shall read it"))
        self.line = QLineEdit()
        self.line.setMaxLength(MOST_LETTERS)
        self.line.setPlaceholderText(self.tr("Write a line"))
        self.line.setAccessibleName(self.tr("Write a line"))
        self.line.returnPressed.connect(self._say)
        self.send = button(self.tr("Send"), self._say, tip=self.tr("Send this line (Enter)"))
        self.fault = label("", "warning", wrap=True)
        self.fault.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 6, 10, 8)
        layout.setSpacing(6)
        layout.addWidget(self.text, 1)
        layout.addWidget(self.room)
        layout.addLayout(row(self.line, self.send, stretch=0))
        layout.addWidget(self.fault)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.seen.emit()

    def show_rooms(self, rooms: Mapping[str, str], titles: Mapping[str, str]) -> None:
        """Offer rooms to write in, by their titles; *titles* are those of all that may be read."""
        self._titles = dict(titles)
        if {self.room.itemData(i): self.room.itemText(i) for i in range(self.room.count())} == dict(rooms):
            return
        chosen = self.room.currentData()
        self.room.clear()
        for name, title in rooms.items():
            self.room.addItem(title, name)
        self.room.setCurrentIndex(max(0, self.room.findData(chosen)))
        self.room.setVisible(len(rooms) > 1)
        for part in (self.line, self.send):
            part.setEnabled(bool(rooms))

    def show_lines(self, lines: Sequence[ChatLine]) -> None:
        """Show what was said, the last line in sight."""
        key = (len(lines), lines[-1].number if lines else -1, tuple(self._titles.items()), self.palette_.name)
        if key == self._shown:
            return
        self._shown = key
        self.text.setHtml("".join(self._written(lines)))
        self.text.moveCursor(QTextCursor.MoveOperation.End)
        self.text.ensureCursorVisible()

    def _written(self, lines: Iterable[ChatLine]) -> Iterable[str]:
        soft = self.palette_.ink_soft
        if not lines:
            yield f'<p style="color:{soft}">{escape(self.tr("Nothing was said yet."))}</p>'
        for line in lines:
            room = self._titles.get(line.room, "")
            where = f" · {escape(room)}" if room and len(self._titles) > 1 else ""
            yield f'<p style="margin:6px 0 0 0;color:{soft}"><b>{escape(line.player)}</b> {hour_of(line.time_ms)}{where}</p>'
            yield f'<p style="margin:0">{escape(line.text)}</p>'

    def _say(self) -> None:
        words = self.line.text().strip()
        if words and not self._waits and self.room.currentData() is not None:
            self.fault.hide()
            self.say_wanted.emit(self.room.currentData(), words)

    def sent(self, line_id: str) -> None:
        """Note that the line is under way, under this id."""
        self._waits = line_id
        self.line.setReadOnly(True)

    def answered(self, line_id: str, why: str) -> bool:
        """Note that a line was answered, and why it was refused (empty: it is kept); say whether it was ours."""
        if line_id != self._waits or not line_id:
            return False
        self._waits = ""
        self.line.setReadOnly(False)
        if why:
            self.tell_fault(why)
        else:
            self.line.clear()
        return True

    def tell_fault(self, why: str) -> None:
        """Say below the line why it can't be said."""
        self.fault.setText(why)
        self.fault.show()
