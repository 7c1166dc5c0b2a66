"""Small widgets that the panels share."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import TypeVar

from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtGui import Qt as RichText
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionButton,
    QVBoxLayout,
    QWidget,
)

from client.map.counters import MARGIN, SIDE, CounterArt, paint_counter
from client.map.levels import Level
from client.map.palette import Palette
from client.map.pens import pen
from client.qt import QCoreApplication, QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal

B = TypeVar("B", bound=QPushButton)

LIST_EDGES = 30  # pixels beside the longest line of a list: its margins, and a scroll bar
SIGN = 3  # letters from which a button's text is a word


def label(words: str = "", name: str = "", *, wrap: bool = False) -> QLabel:
    """Return a label; *name* chooses its style."""
    made = QLabel(words)
    made.setObjectName(name)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setWordWrap(wrap)
    if name in ("rule", "turn"):  # a label with a ground of its own is no higher than its words
        made.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
    if wrap:
        made.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
    return made


def button(words: str, press: Callable[[], object], *, name: str = "", tip: str = "", checkable: bool = False) -> QPushButton:
    """Return a button; *name* chooses its style."""
    return dressed(QPushButton(words), press, name=name, tip=tip, checkable=checkable)


def dressed(made: B, press: Callable[[], object], *, name: str = "", tip: str = "", checkable: bool = False) -> B:
    """Return a button of any kind as `button` makes it."""
    words = made.text()
    made.setObjectName(name)
    made.setCheckable(checkable)
    made.setToolTip(tip)
    made.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves Enter and Space to the map
    if len(words) < SIGN and tip:
        made.setAccessibleName(tip)  # a sign can't be read aloud
    made.clicked.connect(lambda _checked=False: press())
    return made


def row(*parts: QWidget, stretch: int = -1, spacing: int = 8) -> QHBoxLayout:
    """Return widgets side by side; *stretch* is the index that takes what is left."""
    layout = QHBoxLayout()
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(spacing)
    for i, part in enumerate(parts):
        layout.addWidget(part, 1 if i == stretch else 0)
    return layout


def as_tip(words: str) -> str:
    """Return words of others for a tip, which shows them as they are: Qt takes for rich text what has a tag in it."""
    return f"<p style='white-space:pre'>{escape(words)}</p>" if RichText.mightBeRichText(words) else words


def program_tip(programs: tuple[str, ...]) -> str:
    """Return as what somebody's programs make themselves known, for a tip; empty if they say nothing."""
    words = QCoreApplication.translate("Widgets", "Program: {programs}")
    return as_tip(words.format(programs=", ".join(programs)) if programs else "")


def clear(layout: QLayout) -> None:
    """Remove and delete everything in a layout."""
    while layout.count():
        item = layout.takeAt(0)
        assert item is not None, "a layout counts what it holds"
        widget, inner = item.widget(), item.layout()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
        elif inner is not None:
            clear(inner)


class LineButton(QPushButton):
    """A line of words that can be pressed; what is longer than the column goes on in another line."""

    MARGIN_X, MARGIN_Y = 8, 5
    FLAGS = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap

    def __init__(self, words: str) -> None:
        super().__init__(words)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def heightForWidth(self, width: int) -> int:
        """Return the height of the words in a column."""
        room = QRect(0, 0, max(1, width - 2 * self.MARGIN_X), 1 << 14)
        return self.fontMetrics().boundingRect(room, int(self.FLAGS), self.text()).height() + 2 * self.MARGIN_Y

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the button without words, and the words in as many lines as they take."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.text = ""
        painter = QPainter(self)
        self.style().drawControl(QStyle.ControlElement.CE_PushButton, option, painter, self)
        painter.setPen(self.palette().buttonText().color())
        room = self.rect().adjusted(self.MARGIN_X, self.MARGIN_Y, -self.MARGIN_X, -self.MARGIN_Y)
        painter.drawText(room, int(self.FLAGS), self.text())
        painter.end()


class Chooser(QComboBox):
    """A box to choose from, with a chevron of its theme's ink. The wheel scrolls what it stands in, and never changes what is chosen.

    Signals:
        opening(): its list is about to be seen.
    """

    opening = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setItemDelegate(QStyledItemDelegate(self))  # its own draws the line that is chosen as a bevelled button of the system's grey

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # some choices leave at once: a scroll over the list of people made a player a spectator

    def showPopup(self) -> None:
        self.opening.emit()
        room = self.screen().availableGeometry().width() // 2
        self.view().setMinimumWidth(min(room, self.view().sizeHintForColumn(0) + LIST_EDGES))  # a long line is not cut in its middle
        super().showPopup()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        paint_chevron(self)


def paint_chevron(widget: QWidget) -> None:
    """Paint at the right of a widget the sign that it opens a list or a menu."""
    painter = QPainter(widget)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(pen(widget.palette().windowText().color(), 1.6))
    x, y = widget.width() - 17, widget.height() / 2
    painter.drawPolyline([QPointF(x - 4, y - 2), QPointF(x, y + 2), QPointF(x + 4, y - 2)])
    painter.end()


class Column(QScrollArea):
    """A column of widgets that scrolls up and down, never sideways."""

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        body = QWidget()
        self.column = QVBoxLayout(body)
        self.column.setContentsMargins(14, 10, 14, 12)
        self.column.setSpacing(8)
        self.setWidget(body)

    def refill(self) -> QVBoxLayout:
        """Empty the column and return it."""
        clear(self.column)
        return self.column

    def part(self, title: str, *, wrap: bool = False) -> QVBoxLayout:
        """Add a part under a heading, and return the layout that holds it."""
        self.column.addWidget(label(title, "subheading", wrap=wrap))
        holder = QWidget()
        held = QVBoxLayout(holder)
        held.setContentsMargins(0, 0, 0, 0)
        held.setSpacing(4)
        self.column.addWidget(holder)
        return held


def paint_side(widget: QWidget, colour: str, *, left: int, gap: int) -> None:
    """Paint a bar of a side's colour down the left of a widget, *gap* from its top and its bottom."""
    painter = QPainter(widget)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    painter.drawRoundedRect(QRectF(left, gap, 5, widget.height() - 2 * gap), 2.5, 2.5)
    painter.end()


class CounterButton(QWidget):
    """A counter that can be clicked, framed while it is picked.

    Signals:
        pressed(): it was clicked, or chosen by Space while it had the focus.
    """

    pressed = Signal()

    def __init__(self, art: CounterArt, palette: Palette, *, picked: bool, tip: str, size: int = 52) -> None:
        super().__init__()
        self._art, self._palette, self._picked = art, palette, picked
        self._size = size
        self.setFixedSize(QSize(size + 8, size + 8))
        self.setToolTip(tip)
        self.setAccessibleName(tip)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def mousePressEvent(self, event: object) -> None:
        self.pressed.emit()

    def event(self, event: QEvent) -> bool:
        """Keep Space for the counter that has the focus: everywhere else it leads to the next stack."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Space:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take the counter in or out by Space."""
        if event.key() == Qt.Key.Key_Space:
            self.pressed.emit()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(self.width() / 2, self.height() / 2)
        scale = self._size / (SIDE + MARGIN)
        painter.scale(scale, scale)
        paint_counter(painter, self._art, self._palette, Level.CLOSE)
        if self._picked or self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(pen(self._palette.accent, 2.6 if self._picked else 1.4))
            half = SIDE / 2 + 1.8
            painter.drawRoundedRect(QRectF(-half, -half, 2 * half, 2 * half), 5, 5)
        painter.end()
