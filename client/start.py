"""The start page: three cards (Play, Watch, Host or join), and the games begun here below them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path

import msgspec
from PySide6.QtGui import QKeyEvent, QPixmap, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from client.connection.identity import user_folder
from client.map.palette import Palette
from client.meeting.lastgame import LastGame
from client.meeting.nearby_list import NearbyList
from client.meeting.optional import OptionalRules
from client.panels.widgets import Chooser, button, label, row
from client.qt import QSize, Qt, QTimer, Signal
from client.saved_games import CARD_WIDTH, GAP, Picture, SavedGames
from client.scale import px
from client.session.local import PERSON
from client.session.saved import MOST_LISTED, Listed, Saved
from client.session.words import together
from client.sketch import Sketcher
from client.words import side_title, word
from core import bots, lessons
from core.errors import BadInput
from core.pack import Pack
from core.units import Side

HERO_WIDTH, MARGIN, CARD_EDGE = 600, 24, 22
TERMS_GAP = 8  # pixels between the boxes that say who plays, and by which rules
SCENE_HEIGHT, SCENE_LEAST = 290, 150  # of the picture of the scenario; and where the page would scroll else
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
    """A game to be begun: pack, scenario, who sits where, and what optional rules are other than usual."""

    pack: Pack
    scenario: str
    seats: dict[Side, str]
    options: dict[str, bool | int | str] = {}


class Card(QFrame):
    """A large card with a heading, a line of words, and what else is put into it; *top* fills it from edge to edge."""

    def __init__(self, heading: str, words: str, *, width: int = CARD_WIDTH, top: QWidget | None = None) -> None:
        super().__init__()
        self.setObjectName("card")
        self.setFixedWidth(px(width))
        self.outer = outer = QVBoxLayout(self)
        outer.setContentsMargins(1, 1, 1, 1)
        outer.setSpacing(0)
        if top is not None:
            outer.addWidget(top)
        self.column = QVBoxLayout()
        self.column.setContentsMargins(CARD_EDGE, 18, CARD_EDGE, 20)
        self.column.setSpacing(10)
        self.column.addWidget(label(heading, "heading", wrap=True))
        self.words = label(words, "soft", wrap=True)
        self.words.setVisible(bool(words))
        self.column.addWidget(self.words)
        outer.addLayout(self.column, 1)


class StartPage(QScrollArea):
    """Where the program begins.

    Signals:
        game_wanted(object): a `NewGame`.
        resume_wanted(object): the path of a saved game.
        file_wanted(): a game file shall be chosen and watched.
        join_wanted(): a server shall be joined.
        host_wanted(): a server shall be started here.
        server_wanted(str): a server on the local network shall be joined: its link.
        there_wanted(object): the server's game that was played last shall be gone on with: a `LastGame`.
        lesson_wanted(object, str): a lesson shall be begun: its pack and file.
    """

    game_wanted = Signal(object)
    resume_wanted = Signal(object)
    file_wanted = Signal()
    join_wanted = Signal()
    host_wanted = Signal()
    server_wanted = Signal(str)
    there_wanted = Signal(object)
    lesson_wanted = Signal(object, str)

    def __init__(
        self, packs: Sequence[Pack], recent: Callable[[int], Listed], palette: Palette, *, keys: Path | None = None,
        there: Callable[[], LastGame | None] = lambda: None,
    ) -> None:
        super().__init__()
        self._there = there
        self.nearby = NearbyList(keys if keys is not None else user_folder())
        self.nearby.join_wanted.connect(self.server_wanted)
        self._listed = QTimer(self, singleShot=True, interval=0)  # what is put into the list is shown a moment later
        self._listed.timeout.connect(self._fit)
        self.nearby.nearby.found.connect(lambda _: self._listed.start())
        self.setObjectName("page")
        self.palette_ = palette
        self._recent, self._read = recent, 0  # and how many files of saved games were read
        self._scenarios = list(chain.from_iterable(((pack, one) for one in pack.scenarios) for pack in packs))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(self.tr("Start page"))
        self.setWidgetResizable(True)
        self.sketcher = Sketcher(self)
        self.sketcher.drawn.connect(lambda image, wanted: self.scene.show_pixmap(QPixmap.fromImage(image)))
        self._first_sketch = QTimer(self, singleShot=True, interval=0)
        self._first_sketch.timeout.connect(self._sketch)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # `_fit` sees to it that all is in sight
        body = QWidget()
        self.setWidget(body)
        self._outer = outer = QVBoxLayout(body)
        outer.setContentsMargins(MARGIN, 10, MARGIN, 14)
        outer.setSpacing(14)
        outer.addStretch(1)
        self._head = label("Rasputitsa", "name"), label(self.tr("The Eastern Front on a table, with every rule kept"), "soft")
        for words in self._head:
            outer.addWidget(words, 0, Qt.AlignmentFlag.AlignHCenter)
        self.lessons = [self._lesson(pack, name) for pack in packs for name in lessons.names(pack)]
        self._hero, self._small = self._play_card(), [*self.lessons, self._watch_card(), self._join_card()]
        outer.addLayout(self._lay_cards())
        self.saved = SavedGames(palette)
        self.saved.game_wanted.connect(self.resume_wanted)
        self.saved.opened.connect(self._show_all_saved)
        self.saved.older_wanted.connect(self._read_older)
        outer.addWidget(self.saved)
        outer.addStretch(2)
        self.refresh()

    def _lay_cards(self) -> QHBoxLayout:
        self._beside = beside = QVBoxLayout()
        beside.setSpacing(GAP)
        for card in self._small:
            beside.addWidget(card, 1)
        self._cards = QHBoxLayout()
        self._cards.setSpacing(GAP)
        self._cards.addStretch(1)
        self._cards.addWidget(self._hero, 0, Qt.AlignmentFlag.AlignHCenter)
        self._cards.addLayout(beside)
        self._cards.setAlignment(beside, Qt.AlignmentFlag.AlignHCenter)
        self._cards.addStretch(1)
        return self._cards

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Lay the cards side by side, or one below the other where the window is narrow; saved games in as many columns as have room."""
        room = self.viewport().width() - 2 * MARGIN
        hero, small = min(px(HERO_WIDTH), room), px(CARD_WIDTH)
        abreast = hero + GAP + small <= room
        self._cards.setDirection(QBoxLayout.Direction.LeftToRight if abreast else QBoxLayout.Direction.TopToBottom)
        self._hero.setFixedWidth(hero)
        terms = sum(one.sizeHint().width() + TERMS_GAP for one in (self.seat, self.opponent, self.optional)) - TERMS_GAP
        is_one_row = terms <= hero - 2 * CARD_EDGE - 2
        self._terms.setDirection(QBoxLayout.Direction.LeftToRight if is_one_row else QBoxLayout.Direction.TopToBottom)
        lower = self.last.sizeHint().height() + self._hero.column.spacing() if self._last_file is not None else 0
        self.scene.setFixedSize(hero - 4, SCENE_HEIGHT - lower)  # within the card and its border
        for card in self._small:
            card.setFixedWidth(small if abreast else hero)
        self.saved.fit(room)
        self._leave_out(abreast=abreast)
        self._lower_scene(abreast=abreast)

    def _leave_out(self, *, abreast: bool) -> None:
        """Leave words out where the window is low, those of the cards before the head's: what can be pressed is to be seen."""
        steps = [[card.words for card in self._small if card.words.text()], *([words] for words in reversed(self._head))]
        for words in chain.from_iterable(steps):
            words.show()
        for step in steps:
            for layout in (*(card.outer for card in self._small), self._outer):  # else they know nothing yet of what came or went
                layout.activate()
            if abreast and self._head_height() + self._beside.totalHeightForWidth(px(CARD_WIDTH)) > self.viewport().height():
                for words in step:
                    words.hide()

    def _lower_scene(self, *, abreast: bool) -> None:
        """Make the scenario's picture as much lower as lets the page be seen whole; the cards beside it set a limit.

        Where the cards lie one below the other, no window holds them all: there the one that begins a game is seen whole.
        """
        self._outer.setStretch(0, int(abreast))
        self._outer.activate()
        hero = self._hero.outer.totalHeightForWidth(self._hero.width())
        over = self._outer.totalHeightForWidth(self.viewport().width()) - self.viewport().height()
        spare = hero - self._beside.totalHeightForWidth(px(CARD_WIDTH))
        if not abreast:
            over = spare = self._head_height() + hero + self._outer.spacing() - self.viewport().height()
        self.scene.setFixedHeight(self.scene.height() - max(0, min(over, spare, self.scene.height() - SCENE_LEAST)))

    def _head_height(self) -> int:
        """Return how much lies above the cards."""
        heights = [words.sizeHint().height() + self._outer.spacing() for words in self._head if not words.isHidden()]
        return self._outer.contentsMargins().top() + sum(heights)

    def _show_all_saved(self) -> None:
        """Bring the saved games to the page's head, as many as there are now."""
        self._fit()
        self._outer.activate()
        QTimer.singleShot(0, self, lambda: self.verticalScrollBar().setValue(self.saved.y() - MARGIN))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._first_sketch.start()  # the page itself comes first
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Begin the game by Enter, unless what has the focus does something of its own with it."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            focused = self.focusWidget()
            pressed = focused if isinstance(focused, QPushButton) and focused.hasFocus() else self.play
            pressed.click()
            return
        super().keyPressEvent(event)

    def set_palette(self, palette: Palette) -> None:
        """Change the theme."""
        self.palette_ = palette
        self.scene.palette_ = palette
        self.saved.set_palette(palette)
        if self.isVisible():
            self._sketch()

    def _sketch(self) -> None:
        """Draw where the chosen scenario begins."""
        if self._scenarios and self.isVisible():
            files, one = self._scenarios[self.scenario.currentIndex()]
            self.scene.fade()
            self.sketcher.ask(files, one, self.palette_, self.scene.size(), self.devicePixelRatioF())

    def _sketch_ahead(self) -> None:
        """Draw all scenarios while one of them is being chosen: a large one takes seconds."""
        self.sketcher.ask_ahead(self._scenarios, self.palette_, self.scene.size(), self.devicePixelRatioF())

    def close_down(self) -> None:
        """Stop what is being drawn."""
        self._first_sketch.stop()
        self._listed.stop()
        self.sketcher.stop()
        self.nearby.close_down()

    # ---------------------------------------------------------------- cards

    def _play_card(self) -> Card:
        self.scene = Picture(self.palette_, QSize(px(HERO_WIDTH) - 4, SCENE_HEIGHT), framed=False)
        self.scene.setAccessibleName(self.tr("Where the scenario begins"))
        card = Card(self.tr("Play"), "", width=HERO_WIDTH, top=self.scene)
        self.scenario = Chooser()
        self.scenario.setAccessibleName(self.tr("Scenario"))
        for pack, one in self._scenarios:
            self.scenario.addItem(word(together(pack.scenarios[one].title, pack.manifest.title)))
        self.seat = Chooser()
        self.seat.setAccessibleName(self.tr("Your side"))
        self.opponent = Chooser()
        self.opponent.setAccessibleName(self.tr("Opponent"))
        for bot in bots_here():
            self.opponent.addItem(self.tr("against the bot “{bot}”").format(bot=bot), bot)
        self.opponent.addItem(self.tr("hot seat, both sides here"), PERSON)
        self.opponent.addItem(self.tr("two bots, to look on"), "")
        self.opponent.currentIndexChanged.connect(lambda: self.seat.setEnabled(self.opponent.currentData() not in (PERSON, "")))
        self.blurb = label("", "soft", wrap=True)
        self.blurb.setMinimumHeight(px(54))
        self.play = button("", self._play, name="primary")
        self.scenario.currentIndexChanged.connect(self._scenario_chosen)
        self.scenario.opening.connect(self._sketch_ahead)
        card.column.addWidget(self.scenario)
        card.column.addWidget(self.blurb)
        self.optional = OptionalRules()
        self._terms = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._terms.setSpacing(TERMS_GAP)
        self._terms.addLayout(row(self.seat, self.opponent, stretch=1, spacing=TERMS_GAP), 1)
        self._terms.addWidget(self.optional)
        card.column.addLayout(self._terms)
        card.column.addWidget(self.play)
        self._last_file: Path | None = None
        self.last = button("", self._go_on)
        card.column.addWidget(self.last)
        card.column.addStretch(1)
        self.scenario.setCurrentIndex(self._first_choice())
        self._scenario_chosen(self._first_choice())
        return card

    def _first_choice(self) -> int:
        """Return the shortest scenario: the one to begin with."""
        lengths = [pack.scenarios[one].last_turn - pack.scenarios[one].first_turn for pack, one in self._scenarios]
        return lengths.index(min(lengths)) if lengths else 0

    def choose(self, ruleset: str, scenario: str) -> None:
        """Choose a scenario of a game, as a user does in the list; one that is not here leaves the choice as it was."""
        for index, (pack, one) in enumerate(self._scenarios):
            if (pack.manifest.ruleset, one) == (ruleset, scenario):
                self.scenario.setCurrentIndex(index)

    def _scenario_chosen(self, index: int) -> None:
        self.seat.clear()
        if not self._scenarios:
            self.play.setText(self.tr("No game is installed"))
            self.play.setEnabled(False)
            return
        pack, one = self._scenarios[index]
        for side in reversed(pack.manifest.sides):
            self.seat.addItem(self.tr("you play the {side}").format(side=side_title(pack.manifest, side)), side)
        self.optional.show_game(pack, one)
        self.blurb.setText(word(pack.scenarios[one].blurb))
        self.play.setText(self.tr("Play {scenario}").format(scenario=word(pack.scenarios[one].title)))
        self.play.setShortcut("Ctrl+N")  # anew each time: other words on a button take its key away
        self.play.setToolTip(self.tr("Begin at once, as chosen here (Enter, Ctrl+N)"))
        self._sketch()

    def _play(self) -> None:
        pack, one = self._scenarios[self.scenario.currentIndex()]
        mine, other = self.seat.currentData(), self.opponent.currentData()
        seats = {side: PERSON if side == mine else other for side in pack.manifest.sides}
        if not other:
            seats = dict.fromkeys(pack.manifest.sides, bots_here()[0])
        self.game_wanted.emit(NewGame(pack, one, seats, self.optional.options()))

    def _go_on(self) -> None:
        assert self._last_file is not None, "the button is hidden while there is no game to go on with"
        self.resume_wanted.emit(self._last_file)

    def _show_last(self, games: Sequence[Saved]) -> None:
        """Let the game that was played last be gone on with where it is seen at once; the others lie below."""
        going = [one for one in games if not one.card.over]
        self.last.setVisible(bool(going))
        self._last_file = going[0].file if going else None
        if going:
            card = going[0].card
            game, moment = word(card.title.rpartition(" · ")[2]), word(card.moment)
            self.last.setText(self.tr("Go on: {game}, {moment}").format(game=game, moment=moment))
            self.last.setToolTip(str(going[0].file))

    def _go_on_there(self) -> None:
        assert self._last_there is not None, "the button is hidden while there is no game to go on with"
        self.there_wanted.emit(self._last_there)

    def _show_there(self) -> None:
        """Let the server's game that was played last be gone on with, if it was not over."""
        self._last_there = last = self._there()
        self.there.setVisible(last is not None)
        if last is not None:
            self.there.setText(self.tr("Go on: {game}").format(game=word(last.title)))
            where = self.tr("on the server that this computer hosted") if last.own else last.link
            self.there.setToolTip(self.tr("Go back to your game: {where}").format(where=where))

    def _watch_card(self) -> Card:
        card = Card(self.tr("Watch"), self.tr("Open a game file and go through it in both directions, entry by entry."))
        card.column.addStretch(1)
        tip = self.tr("Choose a game file (Ctrl+O)")
        card.column.addWidget(button(self.tr("Open a game file"), self.file_wanted.emit, tip=tip))
        return card

    def _join_card(self) -> Card:
        card = Card(self.tr("Host or join"), self.tr("Play over the local network: one computer keeps the game, the others join it."))
        card.column.addWidget(self.nearby)
        card.column.addStretch(1)
        self.there = button("", self._go_on_there)
        card.column.addWidget(self.there)
        self.join = button(self.tr("Join a game"), self.join_wanted.emit, tip=self.tr("Connect to a server (Ctrl+J)"))
        self.host = button(self.tr("Host a game"), self.host_wanted.emit, tip=self.tr("Start a server here, and join it (Ctrl+H)"))
        card.column.addLayout(row(self.join, self.host))
        return card

    def _lesson(self, pack: Pack, name: str) -> Card:
        """Return the card of a lesson."""
        try:
            lesson = lessons.read(pack, name)
        except BadInput as error:
            card = Card(self.tr("Learn"), "")
            card.column.addWidget(label(str(error.faults[0]), "warning", wrap=True))
            return card
        card = Card(word(lesson.title), word(lesson.blurb))
        card.column.addStretch(1)
        begin = button(self.tr("Begin the lesson"), lambda: self.lesson_wanted.emit(pack, name), tip=self.tr("Begin this lesson"))
        if name == lessons.names(pack)[0]:
            begin.setShortcut("Ctrl+L")
            begin.setToolTip(self.tr("Begin this lesson (Ctrl+L)"))
        card.column.addWidget(begin)
        return card

    # ---------------------------------------------------------------- saved games

    def refresh(self) -> None:
        """Read the list of saved games anew."""
        listed, self._read = self._recent(0), MOST_LISTED
        self._show_last(listed.games)
        self._show_there()
        self.saved.show_games(listed)
        self._fit()

    def _read_older(self) -> None:
        """Read of the saved games that are older than those that are known."""
        listed = self._recent(self._read)
        self._read += MOST_LISTED
        self.saved.add_older(listed)
