"""The games that were begun here, as cards: a row of the latest, or all of them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPixmap
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from client.durations import day_of
from client.map.palette import Palette
from client.map.pens import pen
from client.panels.widgets import button, clear, label, row
from client.qt import QRectF, QSize, Qt, Signal
from client.scale import px
from client.session.saved import Listed, Saved
from client.words import word

CARD_WIDTH, GAP = 372, 20
ABREAST = 4  # cards of a row
AT_ONCE = 24  # cards that are made at a time: each reads a picture
PICTURE = QSize(156, 104)
SMOOTH = Qt.TransformationMode.SmoothTransformation
MIDDLE = 0.5  # lightness that parts pictures of light themes from those of dark ones
DIMMED = "#7A756B"  # what a light picture is multiplied with in a dark theme
FADED = 0.25  # how much is seen of a picture of something else than what is chosen


class Picture(QWidget):
    """A picture with round corners; paper while there is none. One that was drawn in a light theme is dimmed in a dark one."""

    def __init__(self, palette: Palette, size: QSize, *, framed: bool = True) -> None:
        super().__init__()
        self._pixmap, self.palette_, self._framed, self.is_faded = QPixmap(), palette, framed, False
        self._is_light = False
        self.setFixedSize(size)

    @property
    def is_empty(self) -> bool:
        """Say whether there is no picture yet."""
        return self._pixmap.isNull()

    def show_pixmap(self, pixmap: QPixmap) -> None:
        """Show another picture, cut to this size about its middle."""
        self._pixmap, self.is_faded = pixmap, False
        self._is_light = not pixmap.isNull() and pixmap.scaled(1, 1, mode=SMOOTH).toImage().pixelColor(0, 0).lightnessF() > MIDDLE
        self.update()

    def fade(self) -> None:
        """Show that the picture is no longer that of what is chosen, until another comes."""
        self.is_faded = True
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1) if self._framed else QRectF(self.rect())
        shape = QPainterPath()
        shape.addRoundedRect(box if self._framed else box.adjusted(0, 0, 0, 20), 9, 9)
        painter.setClipPath(shape)
        painter.fillRect(box, QColor(self.palette_.paper))
        if not self._pixmap.isNull():
            scale = max(box.width() / self._pixmap.width(), box.height() / self._pixmap.height())
            width, height = box.width() / scale, box.height() / scale
            middle = QRectF((self._pixmap.width() - width) / 2, (self._pixmap.height() - height) / 2, width, height)
            painter.setOpacity(FADED if self.is_faded else 1.0)
            painter.drawPixmap(box, self._pixmap, middle)  # of a map that is far higher than wide, not its far north
            painter.setOpacity(1.0)
            if self._is_light and self.palette_.dark:
                painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Multiply)
                painter.fillRect(box, QColor(DIMMED))
                painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
        painter.setClipping(False)
        painter.setPen(pen(self.palette_.chrome_line, 1.5))
        if self._framed:
            painter.drawRoundedRect(box, 8, 8)
        else:
            painter.drawLine(self.rect().bottomLeft(), self.rect().bottomRight())
        painter.end()


class SavedGames(QWidget):
    """Cards of saved games; the latest first.

    Signals:
        game_wanted(object): a game shall be gone on with: the path of its file.
        opened(): all are shown, and not only the first row.
        older_wanted(): games that are older than the known ones shall be added.
    """

    game_wanted = Signal(object)
    opened = Signal()
    older_wanted = Signal()

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self.palette_ = palette
        self.cards: list[QFrame] = []
        self._games: Sequence[Saved] = ()
        self._left = 0  # games that are older
        self._room = 0
        self._pictures: list[Picture] = []
        self._columns, self._shows_all = ABREAST, False
        self.more = button("", self._toggle, name="chip")
        self.further = button("", self._go_further, tip=self.tr("Show games that were played longer ago"))
        self.further.hide()
        self._grid = QGridLayout()
        self._grid.setSpacing(GAP)
        centred, head = QHBoxLayout(), row(label(self.tr("Go on playing"), "subheading"), self.more, spacing=12)
        for layout, place in ((head, 0), (centred, 0)):
            layout.insertStretch(place, 1)
        centred.addLayout(self._grid)
        for layout in (head, centred):
            layout.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(14)
        column.addLayout(head)
        column.addLayout(centred)
        column.addWidget(self.further, 0, Qt.AlignmentFlag.AlignHCenter)

    def show_games(self, listed: Listed) -> None:
        """Show these games."""
        self._games, self._left = listed.games, listed.left
        self.setVisible(bool(self._games))
        self._fill()

    def add_older(self, listed: Listed) -> None:
        """Add games that are older."""
        self._games, self._left = (*self._games, *listed.games), listed.left

    def set_palette(self, palette: Palette) -> None:
        """Change the theme."""
        self.palette_ = palette
        for picture in self._pictures:
            picture.palette_ = palette

    def fit(self, room: int) -> None:
        """Lay the cards in as many columns as find room in this width."""
        self._room = room
        self._columns = max(1, min(ABREAST, (room + GAP) // (px(CARD_WIDTH) + GAP)))
        for i, card in enumerate(self.cards):
            self._grid.addWidget(card, i // self._columns, i % self._columns)
            card.setVisible(self._shows_all or i < self._columns)
        self.more.setVisible(self._shows_all or len(self._games) > self._columns)
        older = len(self._games) - len(self.cards) + self._left
        self.further.setText(self.tr("{n} older games: show more").format(n=older))
        self.further.setVisible(self._shows_all and older > 0)

    def _toggle(self) -> None:
        self._shows_all = not self._shows_all
        self._fill()
        self.fit(self._room)
        if self._shows_all:
            self.opened.emit()

    def _fill(self) -> None:
        """Make the cards of what is shown; a picture is read only for those."""
        clear(self._grid)
        self._pictures.clear()
        count = len(self._games) + self._left
        self.more.setText(self.tr("Only the latest") if self._shows_all else self.tr("All {n} games").format(n=count))
        self.more.setToolTip(self.tr("Show the latest games alone") if self._shows_all else self.tr("Show all games that were begun here"))
        self.cards = [self._card(one) for one in self._games[: AT_ONCE if self._shows_all else ABREAST]]

    def _go_further(self) -> None:
        """Add the next cards below those that are there."""
        wanted = len(self.cards) + AT_ONCE
        if wanted > len(self._games) and self._left:
            self.older_wanted.emit()
        self.cards += [self._card(one) for one in self._games[len(self.cards) : wanted]]
        self.fit(self._room)

    def _card(self, one: Saved) -> QFrame:
        frame = QFrame()
        frame.setObjectName("card")
        frame.setFixedWidth(px(CARD_WIDTH))
        beside = QHBoxLayout(frame)
        beside.setContentsMargins(10, 10, 12, 10)
        beside.setSpacing(12)
        picture = Picture(self.palette_, PICTURE)
        picture.show_pixmap(QPixmap(str(one.picture)))
        self._pictures.append(picture)
        beside.addWidget(picture)
        column = QVBoxLayout()
        column.setSpacing(4)
        title = label(word(one.card.title.partition(" · ")[2] or one.card.title), "subheading", wrap=True)
        moment = label(word(one.card.moment), "soft", wrap=True)
        state = self.tr("over") if one.card.over else self.tr("{side} decides").format(side=word(one.card.waits_for))
        for part in (title, moment, label(f"{state} · {day_of(one.saved_ms)}", "soft", wrap=True)):
            column.addWidget(part)
        go = button(self.tr("Go on"), lambda: self.game_wanted.emit(one.file), tip=str(one.file))
        column.addStretch(1)
        column.addWidget(go)
        beside.addLayout(column, 1)
        return frame
