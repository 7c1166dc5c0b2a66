"""The Notes panel: the bookmarks of a game with what is written at them; written, changed, taken away and gone to here."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from client.map.palette import Palette
from client.panels.widgets import Column, LineButton, button, dressed, label, row
from client.qt import Qt, QTimer, Signal


class Note(msgspec.Struct, frozen=True):
    """A note: the moment it stands at, the words for that moment, what is written."""

    index: int
    when: str
    words: str


class NotesPanel(Column):
    """Shows the notes in the order of the game.

    Signals:
        moment_wanted(int): a note was clicked: its moment.
        written(int, str): something was written at a moment.
        removed(int): the note of a moment shall go.
    """

    moment_wanted = Signal(int)
    written = Signal(int, str)
    removed = Signal(int)

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self.palette_ = palette
        self._notes: Sequence[Note] = ()
        self._now: Note | None = None
        self.editor: QLineEdit | None = None
        self._editing = -1

    def show_notes(self, notes: Sequence[Note], now: Note) -> None:
        """Show all notes; *now* is the shown moment, with its note or none. What is being written stays."""
        is_writing = self.editor is not None and self.editor.isModified() and self._editing == now.index
        if (notes, now) == (self._notes, self._now) or is_writing:
            return
        self._notes, self._now = notes, now
        self._editing = -1
        self._fill()

    def forget(self) -> None:
        """Forget what stands here and what is being written: somebody else sits down at the screen."""
        self._notes, self._now, self._editing = (), None, -1
        self._fill()

    def write_at_now(self) -> None:
        """Begin to write at the shown moment."""
        if self._now is not None:
            self._edit(self._now.index)

    def _edit(self, index: int) -> None:
        self._editing = index
        self._fill()
        if self.editor is not None:
            self.editor.setFocus(Qt.FocusReason.OtherFocusReason)
            self.editor.selectAll()

    def _fill(self) -> None:
        column, now = self.refill(), self._now
        self.editor = None
        column.addWidget(label(self.tr("Notes"), "heading"))
        if now is None:
            return
        if now.index not in [note.index for note in self._notes]:
            if self._editing == now.index:
                column.addWidget(label(now.when, "soft", wrap=True))
                column.addLayout(self._line(now))
            else:
                tip = self.tr("Write a note at the shown moment (Shift+K)")
                column.addWidget(button(self.tr("Write a note here"), self.write_at_now, tip=tip))
        if not self._notes:
            words = self.tr("Notes stand at moments of the game, as flags on the strip below, kept beside its file, for your eyes.")
            column.addWidget(label(words, "soft", wrap=True))
        for note in self._notes:
            column.addWidget(self._note(note))
        column.addStretch(1)

    def _note(self, note: Note) -> QWidget:
        holder = QWidget()
        if self._editing == note.index:
            holder.setLayout(self._line(note))
            return holder
        words = "\n".join(filter(None, (note.words, note.when)))
        go = dressed(LineButton(words), lambda: self.moment_wanted.emit(note.index), name="line", tip=self.tr("Go to this moment"))
        change = button("✎", lambda: self._edit(note.index), name="tool", tip=self.tr("Change this note"))
        remove = button("✕", lambda: self.removed.emit(note.index), name="tool", tip=self.tr("Take this note away"))
        change.setAccessibleName(self.tr("Change this note"))
        remove.setAccessibleName(self.tr("Take this note away"))
        holder.setLayout(row(go, change, remove, stretch=0, spacing=2))
        return holder

    def _line(self, note: Note) -> QHBoxLayout:
        self.editor = QLineEdit(note.words)
        self.editor.setMaxLength(400)
        self.editor.setPlaceholderText(self.tr("What happens here?"))
        self.editor.setAccessibleName(self.tr("Note"))
        self.editor.returnPressed.connect(lambda: self._keep(note.index))
        keep = button(self.tr("Keep"), lambda: self._keep(note.index), tip=self.tr("Keep this note (Enter)"))
        return row(self.editor, keep, stretch=0)

    def _keep(self, index: int) -> None:
        words = self.editor.text().strip() if self.editor is not None else ""
        self._editing = -1
        QTimer.singleShot(0, self, self._fill)  # not now: this is called from a signal of what `_fill` deletes
        if words:
            self.written.emit(index, words)
