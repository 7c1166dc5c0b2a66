"""Words of the window to the player: one line that goes by itself, or a card with all faults of an input."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from client.map.palette import Palette
from client.panels.card import Band, Card, bands_on, cards_on
from client.panels.widgets import button, clear, label
from client.qt import QEvent, QObject, QPoint, QRect, Qt, QTimer
from client.scale import px

SHOWN_MS = 6000
LEAST_MS = 3000  # what it takes to notice a line and read it
MOST_WAITING = 4  # lines; of more news the latest counts
MOST_LINES, MOST_KEPT = 14, 500  # of a card: those that are shown, and those of warnings that are counted
GAP = 8
NARROW = 420
COMES = frozenset({QEvent.Type.Show, QEvent.Type.Move, QEvent.Type.Resize})  # what lays a card elsewhere


class Notice(QFrame):
    """Floats over the window's middle, at the top."""

    def __init__(self, parent: QWidget, palette: Palette) -> None:
        super().__init__(parent)
        self.palette_ = palette
        self._host = parent
        self._beside: Notice | None = None  # tells lines while a card here is read
        # Title and lines of a card that nothing but its reader takes away: the last of each kind, and how many there were.
        self._warning: tuple[str, dict[str, tuple[str, int]]] | None = None
        self.setObjectName("card")
        self.title = label("", "subheading", wrap=False)
        self.lines = QLabel()
        self.lines.setTextFormat(Qt.TextFormat.PlainText)
        self.lines.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.lines.setWordWrap(True)
        self.close_button = button(self.tr("Close"), self._read, tip=self.tr("Close this card"))
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
        self._waiting: list[str] = []  # lines to be shown after the one that is read
        self._read_by = QTimer(self)
        self._read_by.setSingleShot(True)
        self._read_by.timeout.connect(self._next)
        self.hide()
        parent.installEventFilter(self)

    def say(self, words: str) -> None:
        """Show one line at once for some seconds; beside the card that is read, if there is one.

        A line whose place it takes before that could be read comes back after it.
        """
        if (place := self._place_of_lines()) is not self:
            place.say(words)
            return
        before = [self.title.text()] if self._is_being_read() else []
        self._waiting = [one for one in (*before, *self._waiting) if one != words][:MOST_WAITING]
        self._show_line(words)

    def say_in_turn(self, words: str) -> None:
        """Show one line as `say` does, but not before those could be read that came before."""
        if (place := self._place_of_lines()) is not self:
            place.say_in_turn(words)
        elif not self._is_being_read():
            self._show_line(words)
        elif words not in (self.title.text(), *self._waiting):
            self._waiting[MOST_WAITING - 1 :] = [words]

    def _place_of_lines(self) -> Notice:
        """Return what lines are told in: this, or another beside it while a card here is read, or a line is there still."""
        if self.is_card():
            self._beside = self._beside or Notice(self._host, self.palette_)
            return self._beside
        if self._beside is not None:
            if self._beside._is_being_read():
                return self._beside
            self._beside.hide()
        return self

    def _is_being_read(self) -> bool:
        """Say whether a line is shown that came too lately to have been read."""
        return self.isVisible() and self._read_by.isActive() and not self.is_card()

    def _show_line(self, words: str) -> None:
        clear(self.answers)
        self.title.setText(words)
        self.lines.hide()
        self.close_button.hide()
        self._appear()
        self._timer.start(SHOWN_MS)
        self._read_by.start(LEAST_MS)

    def _next(self) -> None:
        """Show the line that waits next, if one does."""
        if self._waiting and not self.is_card():
            self._show_line(self._waiting.pop(0))

    def unsay(self, words: str) -> None:
        """Hide a line once what it says is over, if it is still shown; or show it no more, if it waits."""
        if self._beside is not None:
            self._beside.unsay(words)
        self._waiting = [one for one in self._waiting if one != words]
        if self.title.text() == words and not self.is_card():
            self._read_by.stop()
            self.hide()
            self._next()

    def is_card(self) -> bool:
        """Say whether something is shown that waits to be closed or answered."""
        return self.isVisible() and not (self.close_button.isHidden() and not self.answers.count())

    def warn(self, title: str, line: str, *, kind: str = "") -> None:
        """Show a card that nothing but its reader takes away; what was warned of before, and not read yet, stays on it.

        Of lines of one *kind* the last is shown, and how many there were: one that is told of many times hides no other.
        """
        first, known = self._warning if self._warning is not None else (title, {})
        line = line if title == first else self.tr("{title}: {line}").format(title=title, line=line)
        before, count = known.get(kind or line, ("", 0))
        if line != before and (count or len(known) < MOST_KEPT):
            known[kind or line] = line, count + 1
        self._warning = first, known
        self._show_warning()

    def _show_warning(self) -> None:
        assert self._warning is not None, "a warning to be shown"
        title, known = self._warning
        such = self.tr("{line} (the last of {n} such)")
        self.tell(title, [line if count == 1 else such.format(line=line, n=count) for line, count in known.values()])

    def tell(self, title: str, lines: Sequence[str]) -> None:
        """Show a card with all that is wrong, until it is closed; lines that nobody could read yet go on beside it."""
        unread = [self.title.text(), *self._waiting] if self._is_being_read() else []
        self._waiting = []
        self._read_by.stop()
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
        for line in unread:
            self.say_in_turn(line)

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
        self._warn_again()

    def _read(self) -> None:
        self.hide()
        if self._warning is not None and self.title.text() == self._warning[0]:
            self._warning = None
        self._warn_again()

    def _warn_again(self) -> None:
        """Show what was warned of once what lay over it is gone."""
        if self._warning is not None and not self.isVisible():
            self._show_warning()

    def _appear(self) -> None:
        for part in (self, self.title, self.lines):
            part.ensurePolished()  # else a card that was never seen is measured in another font, and too narrow
        self._watch_cards()
        self._find_room()
        self.show()
        self.raise_()

    def look_anew(self) -> None:
        """Keep off the cards of another page that has come to the front."""
        for one in (self, self._beside):
            if one is not None and one.isVisible():
                one._watch_cards()
                one._keep_off()

    def _watch_cards(self) -> None:
        """Hear of it when a card comes, grows, or is moved with what it lies on, while this is read."""
        others = [one for one in self._host.findChildren(Notice) if one is not self]
        watched: set[QWidget] = {*self._host.findChildren(Card), *self._host.findChildren(Band), *others}
        for one in tuple(watched):
            while (below := one.parentWidget()) is not None and below is not self._host:
                watched.add(one := below)
        for one in watched:
            one.installEventFilter(self)

    def _keep_off(self) -> None:
        if any(box.intersects(self.geometry()) for box in self._boxes()):
            self._find_room()

    def _find_room(self) -> None:
        most = min(px(640), max(px(320), self._host.width() - 80))
        for width in (most, min(most, px(NARROW))):  # a narrow one may find room beside a card where a wide one does not
            self._take_width(width)
            if self._place():
                break

    def _take_width(self, most: int) -> None:
        """Become as wide as may be, one line no wider than it needs, and as high as all words need in it."""
        layout = self.layout()
        assert layout is not None, "the card has a layout"
        self.title.setWordWrap(False)
        layout.activate()
        one_line = self.lines.isHidden() and self.close_button.isHidden() and not self.answers.count()
        whole = layout.totalSizeHint().width()
        self.setFixedWidth(min(most, whole) if one_line else most)  # one line hides no more of the map than it needs
        self.title.setWordWrap(whole > most)
        layout.activate()
        self.resize(self.width(), max(layout.totalMinimumSize().height(), layout.totalHeightForWidth(self.width())))

    def _place(self) -> bool:
        """Lie below the bands and cards that ask or tell something over the map, or beside them; say whether there is room.

        Without room it lies where it hides least of them.
        """
        boxes, width, low = self._boxes(), self._host.width() - self.width(), self._host.height() - self.height()
        tops, across = [px(84), *sorted(box.bottom() + GAP for box in boxes)], (width // 2, GAP, width - GAP)
        places = [*(QPoint(x, y) for x in across for y in tops if y <= low), *(QPoint(x, low - GAP) for x in across)]

        def hides(at: QPoint) -> int:
            over = [box.intersected(QRect(at, self.size())) for box in boxes]
            return sum(one.width() * one.height() for one in over)

        best = min(places, key=hides)
        self.move(best)
        return not hides(best)

    def _boxes(self) -> list[QRect]:
        """Return where lies what this must not lie over: cards and bands on the window, and what is read in another notice."""
        read = [one.geometry() for one in self._host.findChildren(Notice) if one is not self and one.is_card()]
        return [*cards_on(self._host), *bands_on(self._host), *read]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._host:
            if event.type() == QEvent.Type.Resize:
                self._place()
        elif event.type() in COMES and self.isVisible():
            self._keep_off()
        return False
