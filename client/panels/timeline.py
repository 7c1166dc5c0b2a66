"""The timeline: turns as blocks with their weather, phases in their side's colour, a tick for each battle, and the cursor."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import msgspec
from PySide6.QtGui import QColor, QFont, QFontMetrics, QMouseEvent, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QWidget

from client import fonts
from client.map.palette import Palette, mixed
from client.map.pens import pen
from client.panels.widgets import button
from client.qt import QElapsedTimer, QEvent, QPoint, QPointF, QRectF, QSize, Qt, QTimer, Signal
from client.scale import px
from client.session.course import Moment, Run
from client.style import TIMELINE_HEIGHT

LOWEST, TALLEST = 4.0, 17.0  # pixels of a battle's tick
SPEEDS = (1, 2, 5, 10, 30, 100)  # moments a second
TICK_MS = 10
EVERY = 5  # turns of which one is numbered where there is no room for all numbers


def fitting(name: str, width_of: Callable[[str], float], room: float) -> str:
    """Return as much of a turn's name as has room: all, without its weather, without the year as well, its number alone, or nothing."""
    date, number = name.partition(", ")[0], name.partition(" · ")[0]
    month = date.rpartition(" ")[0]
    shorter = (name, date, month if " · " in month else number, number)
    return next((words for words in shorter if width_of(words) <= room), "")


class TurnBlock(msgspec.Struct, frozen=True):
    """One turn: its name, the tint of its weather, the indices of its moments (none if it is to come)."""

    name: str
    tint: str
    first: int
    last: int


class Strip(QWidget):
    """The painted part; all but the cursor is painted once, for a long game has more battles and phases than a frame has time for.

    Signals:
        sought(int): the cursor was set on a moment.
        pointed(float): the mouse is over this place; -1 when it has left.
    """

    sought = Signal(int)
    pointed = Signal(float)

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self.palette_ = palette
        self._moments: Sequence[Moment] = ()
        self._turns: Sequence[TurnBlock] = ()
        self._colour: Callable[[str], str] = lambda side: palette.ink_soft
        self._card: Callable[[int], str] = str
        self._cursor = 0
        self._flags: Mapping[int, str] = {}
        self._heights: Mapping[int, int] = {}
        self._runs: Sequence[Run] = ()
        self._filled: list[int] = []  # the turns that hold moments
        self._firsts: list[int] = []  # and the first moment of each of those
        self._told: tuple[object, ...] = ()  # what is shown, as far as it can be seen
        self._painted: tuple[object, QPixmap] = None, QPixmap()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(px(TIMELINE_HEIGHT) - 12)
        self.setMouseTracking(True)

    def sizeHint(self) -> QSize:
        return QSize(600, px(TIMELINE_HEIGHT) - 12)

    def show_moments(
        self,
        moments: Sequence[Moment],
        turns: Sequence[TurnBlock],
        cursor: int,
        *,
        colour: Callable[[str], str],
        card: Callable[[int], str],
        flags: Mapping[int, str] = MappingProxyType({}),
        heights: Mapping[int, int] = MappingProxyType({}),
        runs: Sequence[Run] = (),
    ) -> None:
        """Show the whole game: *colour* gives a side's, *card* the words for a moment.

        *flags* are the notes of bookmarks by moment, *heights* what each battle cost, *runs* the moments by phases.
        """
        self._flags, self._heights, self._runs = flags, heights, runs
        self._moments, self._turns, self._cursor, self._colour, self._card = moments, turns, cursor, colour, card
        self._filled = [i for i, turn in enumerate(turns) if turn.first <= turn.last]
        self._firsts = [turns[i].first for i in self._filled]
        self._told = (len(moments), moments[-1] if moments else None, tuple(turns), tuple(flags), id(runs), tuple(heights.values()))
        self.update()

    def show_cursor(self, index: int) -> None:
        """Move the cursor alone."""
        self._cursor = index
        self.update()

    # ---------------------------------------------------------------- where

    def _block(self, index: int) -> QRectF:
        count = max(1, len(self._turns))
        width = (self.width() - 4.0) / count
        return QRectF(2 + index * width, 2, width - 4, self.height() - 4)

    def x_of(self, moment: int) -> float:
        """Return where a moment lies."""
        at = bisect_right(self._firsts, moment) - 1
        if at < 0:
            return 2.0
        index = self._filled[at]
        first, last, wide = self._turns[index].first, self._turns[index].last, (self.width() - 4.0) / len(self._turns)
        return 2.0 if moment > last else 2.0 + index * wide + (wide - 4.0) * (moment - first + 1) / (last - first + 1)

    def moment_at(self, x: float) -> int:
        """Return the moment nearest to a place."""
        best = 0
        for i, turn in enumerate(self._turns):
            block = self._block(i)
            if turn.last < turn.first or x < block.left():
                continue
            share = min(1.0, (x - block.left()) / block.width())
            best = turn.first + min(turn.last - turn.first, max(0, round(share * (turn.last - turn.first + 1)) - 1))
        return best

    # ---------------------------------------------------------------- events

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.sought.emit(self.moment_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.sought.emit(self.moment_at(event.position().x()))
        self.pointed.emit(event.position().x())

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.pointed.emit(-1.0)

    def words_at(self, x: float) -> str:
        """Return the card of the moment at a place: turn, phase, entry, who; what a battle cost; the note; empty before the game."""
        if not self._moments:
            return ""
        index = self.moment_at(x)
        cost = self._heights.get(index)
        battle = "" if cost is None else self.tr("Battle: steps lost {n}").format(n=cost)
        return "\n".join(filter(None, (self._card(index), battle, self._flags.get(index, ""))))

    # ---------------------------------------------------------------- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.drawPixmap(0, 0, self._game())
        self._paint_cursor(painter)
        painter.end()

    def _game(self) -> QPixmap:
        """Return the picture of all but the cursor, in the theme and size of now."""
        ratio, key = self.devicePixelRatioF(), (self._told, self.palette_, self.size(), self.devicePixelRatioF())
        if self._painted[0] != key:
            picture = QPixmap(self.size() * ratio)
            picture.setDevicePixelRatio(ratio)
            picture.fill(Qt.GlobalColor.transparent)
            painter = QPainter(picture)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for i, turn in enumerate(self._turns):
                self._paint_turn(painter, turn, self._block(i))
            self._paint_names(painter)
            self._paint_phases(painter)
            self._paint_battles(painter)
            self._paint_flags(painter)
            painter.end()
            self._painted = key, picture
        return self._painted[1]

    def _paint_turn(self, painter: QPainter, turn: TurnBlock, block: QRectF) -> None:
        painter.setPen(pen(self.palette_.chrome_line, 1))
        painter.setBrush(QColor(turn.tint))
        painter.drawRoundedRect(block, 4, 4)

    def _paint_names(self, painter: QPainter) -> None:
        """Write over each turn as much of its name as has room; where numbers have none, every fifth reaches into the next turn."""
        painter.setFont(fonts.interface(px(12), QFont.Weight.DemiBold))
        painter.setPen(QColor(self.palette_.ink))
        width_of = painter.fontMetrics().horizontalAdvance
        for block, words in self.names(width_of):
            box = QRectF(self.name_from(block, width_of(words)), block.top() + 3, max(block.width(), width_of(words) + 2.0), block.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft, words)

    def names(self, width_of: Callable[[str], float]) -> list[tuple[QRectF, str]]:
        """Return the block of each turn whose name is written, and what of it."""
        rooms = [(turn.name, self._block(i)) for i, turn in enumerate(self._turns)]
        told = [(block, fitting(name, width_of, block.width() - 6)) for name, block in rooms]
        if all(words for _, words in told):
            return told
        numbers = [name.partition(" · ")[0] for name, _ in rooms]
        return [(block, number) for number, (_, block) in zip(numbers, rooms, strict=True) if number.isdigit() and int(number) % EVERY == 0]

    def name_from(self, block: QRectF, width: float) -> float:
        """Return from where a name of some width is written over a turn; that of the last turn keeps within the strip."""
        edge = 7 if width <= block.width() - 12 else 3
        return min(block.left() + edge, self.width() - width - 2)

    def _paint_phases(self, painter: QPainter) -> None:
        """Paint each run of moments in one phase as a bar; in a long game many would lie within the same half pixel as the last one."""
        floor, begins, before = self.height() - 7.0, dict(zip(self._firsts, self._filled, strict=True)), -1.0
        painter.setPen(Qt.PenStyle.NoPen)
        for run in self._runs:
            right = self.x_of(run.last)
            if before - 0.5 < right < before + 0.5 and run.first not in begins:
                continue
            left = self._block(begins[run.first]).left() if run.first in begins else self.x_of(run.first - 1)
            painter.setBrush(QColor(self._colour(run.side)))
            painter.drawRoundedRect(QRectF(left + 1, floor - 5, max(2.0, right - left - 1), 5), 2, 2)
            before = right

    def _paint_battles(self, painter: QPainter) -> None:
        """Paint a tick for each battle above the phases; where several fall on half a pixel, the highest of them."""
        ticks: dict[int, tuple[float, int]] = {}
        for battle, cost in self._heights.items():
            x = self.x_of(battle)
            if round(2 * x) not in ticks or cost > self._heights[ticks[round(2 * x)][1]]:
                ticks[round(2 * x)] = x, battle
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.palette_.danger))
        for x, battle in ticks.values():
            height = self.tick_height(battle)
            painter.drawRect(QRectF(x - 1.2, self.height() - 14.0 - height, 2.4, height))

    def tick_height(self, index: int) -> float:
        """Return how high the tick of a battle is: the more steps it cost, the higher."""
        return min(TALLEST, LOWEST + 2.2 * self._heights.get(index, 0))

    def _paint_flags(self, painter: QPainter) -> None:
        painter.setPen(pen(self.palette_.ink, 1.2))
        painter.setBrush(QColor(self.palette_.accent))
        for index in self._flags:
            x = self.x_of(index)
            painter.drawLine(QPointF(x, 3), QPointF(x, self.height() - 13))
            painter.drawPolygon([QPointF(x, 3), QPointF(x + 9, 6.5), QPointF(x, 10)])

    def _paint_cursor(self, painter: QPainter) -> None:
        if not self._moments:
            return
        x = self.x_of(self._cursor)
        painter.setPen(pen(mixed(self.palette_.accent, self.palette_.ink, 0.15), 2))
        painter.drawLine(QPointF(x, 2), QPointF(x, self.height() - 2))
        painter.setBrush(QColor(self.palette_.accent))
        painter.drawEllipse(QPointF(x, 5), 4.5, 4.5)


class Timeline(QFrame):
    """The strip with its buttons: play, speed, and whether this is now.

    Signals:
        sought(int): another moment shall be shown.
        now_wanted(): back to the present.
    """

    sought = Signal(int)
    now_wanted = Signal()

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self.setObjectName("timeline")
        self.setFixedHeight(px(TIMELINE_HEIGHT))
        self.strip = Strip(palette)
        self.strip.sought.connect(self.sought)
        self._cursor, self._count, self._speed = 0, 0, 0
        self._late = ""
        self.play = button("▶", self.toggle_play, name="tool", tip=self.tr("Play from here (P)"))
        speed_tip = self.tr("Speed of playing ([ slower, ] faster)")
        self.speed = button("1×", lambda: self.change_speed(1, around=True), name="tool", tip=speed_tip)
        self.live = button("", self.now_wanted.emit, name="live", tip=self.tr("Back to now (Ctrl+End)"))
        widest = self.tr("Back to now · {where}").format(where=self.tr("{at} of {count}").format(at=999, count=999))
        self.live.setMinimumWidth(QFontMetrics(fonts.interface(px(13), QFont.Weight.Bold)).horizontalAdvance(widest) + 30)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 4, 12, 4)
        layout.setSpacing(8)
        for part, stretch in ((self.play, 0), (self.speed, 0), (self.strip, 1), (self.live, 0)):
            layout.addWidget(part, stretch)
        self._timer = QTimer(self)
        self._clock, self._owed = QElapsedTimer(), 0.0  # moments that are due, and have not been shown
        self._timer.timeout.connect(self._tick)
        self.card: QLabel | None = None
        self.strip.pointed.connect(self._show_card)

    def _show_card(self, x: float) -> None:
        """Show the card of the moment under the mouse above the strip."""
        words, host = self.strip.words_at(x) if x >= 0 else "", self.parentWidget()
        if self.card is None and host is not None:
            self.card = QLabel(host)
            self.card.setObjectName("timecard")
            self.card.setTextFormat(Qt.TextFormat.PlainText)
            self.card.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        if self.card is None:
            return
        self.card.setVisible(bool(words))
        self.card.setText(words)
        self.card.adjustSize()
        middle = self.mapToParent(self.strip.mapToParent(QPoint(round(x), 0))).x()
        left = max(6, min(middle - self.card.width() // 2, self.width() - self.card.width() - 6))
        self.card.move(left, self.y() - self.card.height() - 6)
        self.card.raise_()

    def show_state(self, cursor: int, count: int, *, live: bool) -> None:
        """Say where the cursor stands and whether that is now."""
        self._cursor, self._count = cursor, count
        where = self.tr("{at} of {count}").format(at=cursor + 1, count=count)
        words = self.tr("Live · {where}") if live else self.tr("Back to now · {where}")
        if self._late:
            words = self.tr("{late} · {where}") if live else self.tr("Back to the last entry · {where}")
        self.live.setText(words.format(where=where, late=self._late))
        name = ("late" if self._late else "live") if live else "back"
        if self.live.objectName() != name:
            self.live.setObjectName(name)
            self.live.style().unpolish(self.live)
            self.live.style().polish(self.live)

    def tell_late(self, words: str) -> None:
        """Say how much later the last entry is shown here than it is played; empty: at once."""
        if words != self._late:
            self._late = words
            self.show_state(self._cursor, self._count, live=self.live.objectName() != "back")

    def toggle_play(self) -> None:
        """Begin or stop to play the entries one after the other."""
        if self._timer.isActive():
            self.stop()
            return
        if self._cursor >= self._count - 1:
            self.sought.emit(0)
        self._clock.start()
        self._owed = 0.0
        self._timer.start(TICK_MS)
        self.play.setText("❚❚")

    def stop(self) -> None:
        """Stop playing."""
        self._timer.stop()
        self.play.setText("▶")

    def _tick(self) -> None:
        self.advance(self._clock.restart())

    def advance(self, ms: int) -> None:
        """Go on by as many moments as are due after so many milliseconds: what can't be drawn in time is passed over."""
        if self._cursor >= self._count - 1:
            self.stop()
            return
        self._owed += ms * SPEEDS[self._speed] / 1000
        due = int(self._owed)
        if due:
            self._owed -= due
            self.sought.emit(min(self._count - 1, self._cursor + due))

    def change_speed(self, by: int, *, around: bool = False) -> None:
        """Play faster or slower, from one end to the other where *around* says so."""
        wanted = self._speed + by
        self._speed = wanted % len(SPEEDS) if around else max(0, min(len(SPEEDS) - 1, wanted))
        self.speed.setText(f"{SPEEDS[self._speed]}×")

    def set_palette(self, palette: Palette) -> None:
        """Change the theme."""
        self.strip.palette_ = palette
        self.strip.update()
