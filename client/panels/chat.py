"""The Chat panel: the rooms that may be read, and a line to write in one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from client.durations import hour_of
from client.map.palette import Palette
from client.panels.scroll import Scroll
from client.panels.widgets import Chooser, button, label, row
from client.qt import Signal
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
        self._look: object = None
        self._known: dict[tuple[str, int], tuple[ChatLine, str]] = {}  # lines, and how they are written, by room and number
        self._titles: dict[str, str] = {}
        self._waits = ""  # the id of the line that was sent and not answered
        self.text = Scroll()
        self.text.setAccessibleName(self.tr("What was said"))
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
        look = tuple(self._titles.items()), self.palette_.name
        shown = (len(lines), lines[-1] if lines else None, look)
        if shown == self._shown:
            return
        if self._look != look:
            self._look, self._known = look, {}
        self._shown = shown
        self._known = {(line.room, line.number): (line, self._written(line)) for line in lines}
        self.text.write([words for _, words in self._known.values()] if lines else [self._nothing()])

    def _nothing(self) -> str:
        return f'<p style="color:{self.palette_.ink_soft}">{escape(self.tr("Nothing was said yet."))}</p>'

    def _written(self, line: ChatLine) -> str:
        """Return a line as it is shown; each is written once a look, for there may be ten thousand."""
        known = self._known.get((line.room, line.number))
        if known is not None and known[0] == line:
            return known[1]
        soft, room = self.palette_.ink_soft, self._titles.get(line.room, "")
        where = f" · {escape(room)}" if room and len(self._titles) > 1 else ""
        head = f'<p style="margin:6px 0 0 0;color:{soft}"><b>{escape(line.player)}</b> {hour_of(line.time_ms)}{where}</p>'
        return f'{head}<p style="margin:0">{escape(line.text)}</p>'

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
        """Say below the line why it can't be said; empty: nothing is wrong."""
        self.fault.setText(why)
        self.fault.setVisible(bool(why))
