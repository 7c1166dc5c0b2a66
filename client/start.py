"""The start page: three cards (Play, Watch, Host or join), and the games begun here below them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

import msgspec
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent, QPixmap
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from client.map.palette import Palette
from client.map.pens import pen
from client.panels.widgets import Chooser, button, clear, label, row
from client.qt import QRectF, QSize, Qt, Signal
from client.session.local import PERSON
from client.session.saved import Saved
from core import bots, lessons
from core.errors import BadInput
from core.pack import Pack
from core.units import Side

CARD_WIDTH = 350
GAP = 22
PICTURE = QSize(230, 130)
BOTS = ("steady", "random")  # the better one first


def bots_here() -> list[str]:
    """Return the bots that can play in this installation."""
    found = []
    for name in BOTS:
        try:
            bots.load(name)
        except (BadInput, ImportError):
            continue
        found.append(name)
    return found


class NewGame(msgspec.Struct, frozen=True):
    """A game to be begun: pack, scenario, and who sits where."""

    pack: Pack
    scenario: str
    seats: dict[Side, str]


class Card(QFrame):
    """A large card with a heading, a line of words, and what else is put into it."""

    def __init__(self, heading: str, words: str) -> None:
        super().__init__()
        self.setObjectName("card")
        self.setFixedWidth(CARD_WIDTH)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(22, 20, 22, 20)
        self.column.setSpacing(10)
        self.column.addWidget(label(heading, "heading"))
        self.column.addWidget(label(words, "soft", wrap=True))


class Picture(QWidget):
    """A saved game's last position as a small picture with round corners."""

    def __init__(self, pixmap: QPixmap, palette: Palette) -> None:
        super().__init__()
        self._pixmap, self._palette = pixmap, palette
        self.setFixedSize(PICTURE)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        shape = QPainterPath()
        shape.addRoundedRect(box, 8, 8)
        painter.setClipPath(shape)
        if not self._pixmap.isNull():
            scale = max(box.width() / self._pixmap.width(), box.height() / self._pixmap.height())
            source = QRectF(0, 0, box.width() / scale, box.height() / scale)
            painter.drawPixmap(box, self._pixmap, source)
        painter.setClipping(False)
        painter.setPen(pen(self._palette.chrome_line, 1.5))
        painter.drawRoundedRect(box, 8, 8)
        painter.end()


class StartPage(QWidget):
    """Where the program begins.

    Signals:
        game_wanted(object): a `NewGame`.
        resume_wanted(object): the path of a saved game.
        file_wanted(): a game file shall be chosen and watched.
        join_wanted(): a server shall be joined.
        host_wanted(): a server shall be started here.
        lesson_wanted(object, str): a lesson shall be begun: its pack and file.
    """

    game_wanted = Signal(object)
    resume_wanted = Signal(object)
    file_wanted = Signal()
    join_wanted = Signal()
    host_wanted = Signal()
    lesson_wanted = Signal(object, str)

    def __init__(self, packs: Sequence[Pack], recent: Callable[[], Sequence[Saved]], palette: Palette) -> None:
        super().__init__()
        self.setObjectName("page")
        self.palette_ = palette
        self._recent = recent
        self._scenarios = list(chain.from_iterable(((pack, one) for one in pack.scenarios) for pack in packs))
        outer = QVBoxLayout(self)
        outer.setContentsMargins(30, 26, 30, 20)
        outer.setSpacing(16)
        name = label("Rasputitsa", "heading")
        name.setStyleSheet("font-size: 30px;")
        outer.addStretch(1)
        outer.addWidget(name, 0, Qt.AlignmentFlag.AlignHCenter)
        outer.addWidget(label(self.tr("The Eastern Front on a table, with every rule kept"), "soft"), 0, Qt.AlignmentFlag.AlignHCenter)
        cards = QHBoxLayout()
        cards.setSpacing(GAP)
        cards.addStretch(1)
        for card in (self._play_card(), self._watch_card(), self._join_card()):
            cards.addWidget(card)
        cards.addStretch(1)
        outer.addLayout(cards, 0)
        self.lessons = [self._lesson(pack, name) for pack in packs for name in lessons.names(pack)]
        for lesson in self.lessons:
            outer.addWidget(lesson, 0, Qt.AlignmentFlag.AlignHCenter)
        self.recent_title = label(self.tr("Go on playing"), "subheading")
        outer.addWidget(self.recent_title, 0, Qt.AlignmentFlag.AlignHCenter)
        self.recent_row = QHBoxLayout()
        self.recent_row.setSpacing(16)
        outer.addLayout(self.recent_row)
        outer.addStretch(2)
        self.refresh()

    # ---------------------------------------------------------------- cards

    def _play_card(self) -> Card:
        card = Card(self.tr("Play"), self.tr("Against the computer or a friend at this table, at once."))
        self.scenario = Chooser()
        self.scenario.setAccessibleName(self.tr("Scenario"))
        for pack, one in self._scenarios:
            self.scenario.addItem(f"{pack.scenarios[one].title} · {pack.manifest.title}")
        self.seat = Chooser()
        self.seat.setAccessibleName(self.tr("Your side"))
        self.opponent = Chooser()
        self.opponent.setAccessibleName(self.tr("Opponent"))
        for bot in bots_here():
            self.opponent.addItem(self.tr("against the bot “{bot}”").format(bot=bot), bot)
        self.opponent.addItem(self.tr("hot seat, both sides here"), PERSON)
        self.opponent.addItem(self.tr("two bots, to look on"), "")
        self.blurb = label("", "soft", wrap=True)
        self.blurb.setMinimumHeight(72)
        self.play = button("", self._play, name="primary")
        self.play.setShortcut("Ctrl+N")
        self.scenario.currentIndexChanged.connect(self._scenario_chosen)
        for part in (self.blurb, self.scenario, self.seat, self.opponent):
            card.column.addWidget(part)
        card.column.addStretch(1)
        card.column.addWidget(self.play)
        self.scenario.setCurrentIndex(self._first_choice())
        self._scenario_chosen(self._first_choice())
        return card

    def _first_choice(self) -> int:
        """Return the shortest scenario: the one to begin with."""
        lengths = [pack.scenarios[one].last_turn - pack.scenarios[one].first_turn for pack, one in self._scenarios]
        return lengths.index(min(lengths)) if lengths else 0

    def _scenario_chosen(self, index: int) -> None:
        self.seat.clear()
        if not self._scenarios:
            self.play.setText(self.tr("No game is installed"))
            self.play.setEnabled(False)
            return
        pack, one = self._scenarios[index]
        for side in reversed(pack.manifest.sides):
            self.seat.addItem(self.tr("you play the {side}").format(side=pack.manifest.side_titles.get(side, side)), side)
        self.blurb.setText(pack.scenarios[one].blurb)
        self.play.setText(self.tr("Play {scenario}").format(scenario=pack.scenarios[one].title))
        self.play.setToolTip(self.tr("Begin at once, as chosen here (Ctrl+N)"))

    def _play(self) -> None:
        pack, one = self._scenarios[self.scenario.currentIndex()]
        mine, other = self.seat.currentData(), self.opponent.currentData()
        seats = {side: PERSON if side == mine else other for side in pack.manifest.sides}
        if not other:
            seats = dict.fromkeys(pack.manifest.sides, bots_here()[0])
        self.game_wanted.emit(NewGame(pack, one, seats))

    def _watch_card(self) -> Card:
        card = Card(self.tr("Watch"), self.tr("Open a game file and go through it in both directions, entry by entry."))
        card.column.addStretch(1)
        tip = self.tr("Choose a game file (Ctrl+O)")
        card.column.addWidget(button(self.tr("Open a game file"), self.file_wanted.emit, tip=tip))
        return card

    def _join_card(self) -> Card:
        card = Card(self.tr("Host or join"), self.tr("Play over the local network: one computer keeps the game, the others join it."))
        card.column.addStretch(1)
        self.join = button(self.tr("Join a game"), self.join_wanted.emit, tip=self.tr("Connect to a server (Ctrl+J)"))
        self.host = button(self.tr("Host a game"), self.host_wanted.emit, tip=self.tr("Start a server here, and join it (Ctrl+H)"))
        for part in (self.join, self.host):
            card.column.addWidget(part)
        return card

    def _lesson(self, pack: Pack, name: str) -> QFrame:
        """Return the card of a lesson: as wide as the others together, and low."""
        frame = QFrame()
        frame.setObjectName("card")
        frame.setMaximumWidth(3 * CARD_WIDTH + 2 * GAP)
        frame.setMinimumWidth(2 * CARD_WIDTH)
        try:
            lesson = lessons.read(pack, name)
        except BadInput as error:
            frame.setLayout(row(label(str(error.faults[0]), "warning", wrap=True)))
            return frame
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(label(lesson.title, "subheading"))
        words.addWidget(label(lesson.blurb, "soft", wrap=True))
        begin = button(self.tr("Learn"), lambda: self.lesson_wanted.emit(pack, name), tip=self.tr("Begin this lesson (Ctrl+L)"))
        if name == lessons.names(pack)[0]:
            begin.setShortcut("Ctrl+L")
        layout = QHBoxLayout(frame)
        layout.setContentsMargins(22, 12, 22, 12)
        layout.addLayout(words, 1)
        layout.addWidget(begin)
        return frame

    # ---------------------------------------------------------------- recent games

    def refresh(self) -> None:
        """Read the list of saved games anew."""
        clear(self.recent_row)
        saved = self._recent()[:4]
        self.recent_title.setVisible(bool(saved))
        self.recent_row.addStretch(1)
        for one in saved:
            self.recent_row.addWidget(self._saved(one))
        self.recent_row.addStretch(1)

    def _saved(self, one: Saved) -> QFrame:
        frame = QFrame()
        frame.setObjectName("card")
        column = QVBoxLayout(frame)
        column.setContentsMargins(10, 10, 10, 10)
        column.setSpacing(4)
        column.addWidget(Picture(QPixmap(str(one.picture)), self.palette_))
        title = label(one.card.title.partition(" · ")[2] or one.card.title, "subheading")
        moment = label(one.card.moment, "soft", wrap=True)
        state = self.tr("over") if one.card.over else self.tr("{side} decides").format(side=one.card.waits_for)
        for part in (title, moment, label(state, "soft")):
            column.addWidget(part)
        go = button(self.tr("Go on"), lambda: self.resume_wanted.emit(one.file), tip=str(one.file))
        column.addWidget(go)
        return frame


